"""The page of the service as a whole."""

import httpx
import pytest
from prometheus_client import CollectorRegistry

from adapters.console.health import PLOT_HEIGHT, PLOT_WIDTH, bars_of
from adapters.observed import Operations
from rearview.health import latencies, quantile
from tests.adapters.console.service import FIGURES, browser_of, running, sign_in


async def test_the_figures_of_hosts_store_models_and_latencies_are_shown() -> None:
    async def health() -> dict[str, object]:
        return FIGURES

    async with running(health=health) as console, browser_of(console.app) as client:
        await sign_in(client, console.token)
        page = await client.get("/console/health")
        for shown in ("1 / 2", "noeviction", "does not answer", "p99 48.0 ms", 'aria-current="page"'):
            assert shown in page.text, shown
        part = await client.get("/console/health", headers={"HX-Request": "true", "HX-Target": "figures"})
        assert "<html" not in part.text


async def test_only_an_admin_of_everyone_sees_them(browser: httpx.AsyncClient) -> None:
    assert "Nothing is known here" in (await browser.get("/console/health")).text
    async with running() as console:
        for role, users in (("write", ("*",)), ("admin", ("alice", "bob"))):
            token, _ = await console.tokens.create(users=users, role=role)
            async with browser_of(console.app) as client:
                await sign_in(client, token)
                assert (await client.get("/console/health")).status_code == 403
                assert "/console/health" not in (await client.get("/console/u/alice/memories")).text


def test_latencies_are_read_from_the_histogram() -> None:
    registry = CollectorRegistry()
    operations = Operations(registry)
    for took_ms in (0.5, 0.5, 3.0, 9_000.0):
        operations.ended("search", "ok", took_ms)
    operations.ended("write", "ok", 7.0)
    search, write = latencies(registry)
    assert (search["op"], search["count"], write["count"]) == ("search", 4, 1)
    assert search["counts"] == [2, 0, 1, *[0] * 9, 1]
    assert search["edges"][-1] is None  # type: ignore[index]
    assert search["p50"] == 1.0
    assert write["p50"] == 7.5


@pytest.mark.parametrize(("share", "value"), [(0.0, 0.0), (0.25, 5.0), (0.5, 10.0), (0.75, 15.0), (1.0, 20.0)])
def test_a_quantile_lies_on_a_straight_line_within_its_bucket(share: float, value: float) -> None:
    assert quantile([(10.0, 2.0), (20.0, 4.0), (float("inf"), 4.0)], share) == value


def test_bars_fill_the_plot_and_no_more() -> None:
    bars = bars_of([0, 4, 2])
    assert [bar["height"] for bar in bars] == [0, PLOT_HEIGHT, PLOT_HEIGHT / 2]
    assert bars[-1]["x"] + bars[-1]["width"] <= PLOT_WIDTH
    assert bars_of([]) == []
