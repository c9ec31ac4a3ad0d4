"""The console of a whole service: signed in over the real door, with figures of real hosts and a real store."""

from pathlib import Path

import httpx
import pytest

from tests.service import Service, running

pytestmark = pytest.mark.recovery


def browser(service: Service) -> httpx.Client:
    assert service.ready is not None
    url = service.ready.url
    return httpx.Client(base_url=url, trust_env=False, timeout=30.0, headers={"Origin": url})


def test_a_whole_service_is_looked_after_from_the_console(tmp_path: Path) -> None:
    with running(tmp_path / "data") as service, browser(service) as client, service.client("a%2Fb%20c") as api:
        api.post("/memories", json={"content": "I am allergic to peanuts"}).raise_for_status()
        api.post("/search", json={"query": "allergies?"}).raise_for_status()
        assert client.get("/console").status_code == 303
        assert client.post("/console/sign-in", data={"token": service.token}).status_code == 303
        assert "peanuts" in client.get("/console/u/a%2Fb%20c/memories").text
        assert "allergies?" in client.get("/console/u/a%2Fb%20c/replay").text
        health = client.get("/console/health").text
        assert "2 / 2" in health
        assert "<dt>appendfsync</dt><dd>always</dd>" in health
        assert "<dt>maxmemory-policy</dt><dd>noeviction</dd>" in health
        assert "<code>write</code>" in health
        assert "does not answer" not in health
