"""What every test can rely on."""

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says something of the machine and nothing of the code.
settings.register_profile("rearview", deadline=None)
settings.load_profile("rearview")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", default="12", help="how many seeds the simulation runs, or which: first:last")
    parser.addoption("--soak", action="store_true", help="also run the tests that take minutes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--soak"):
        return
    skip = pytest.mark.skip(reason="takes minutes; run `make soak`")
    for item in items:
        if "soak" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def _no_ray_outside_recovery(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit test that starts a cluster is a mistake, and a slow one."""
    if request.node.get_closest_marker("recovery") is not None:
        return

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("ray.init is for tests marked `recovery`")

    import sys

    if "ray" in sys.modules:
        monkeypatch.setattr(sys.modules["ray"], "init", refuse)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The labelled data beside this repository; tests that need it are skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("the labelled data beside the repository (../shared/data) is not here")
    return SHARED_DATA
