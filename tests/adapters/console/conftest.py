"""A service for each test."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.adapters.console.service import Console, browser_of, running, sign_in


@pytest.fixture
async def console() -> AsyncIterator[Console]:
    async with running() as made:
        yield made


@pytest.fixture
async def browser(console: Console) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that is signed in with the admin token."""
    async with browser_of(console.app) as client:
        await sign_in(client, console.token)
        yield client
