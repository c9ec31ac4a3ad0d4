"""A service for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.http.service import Service, running


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with running() as made:
        yield made
