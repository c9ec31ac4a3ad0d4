"""Remote models are tested through the real library against a stub on loopback."""

import importlib.util
from collections.abc import Iterator

import pytest

from tests.model_stub import ModelStub, running


@pytest.fixture
def stub() -> Iterator[ModelStub]:
    if importlib.util.find_spec("litellm") is None:
        pytest.skip("litellm is not installed: pip install '.[models]'")
    with running() as stub:
        yield stub
