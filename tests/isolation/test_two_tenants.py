"""What one tenant sees is the same whether or not another one works: every route, every tool, every byte."""

from collections import Counter

import pytest
from starlette.routing import Route

from adapters.http.app import create_app
from adapters.http.parts import HttpParts
from adapters.http.table import ENDPOINTS
from adapters.rates import Rates
from adapters.tokens import TokenBook
from adapters.tools.table import TOOLS
from bench.isolation import walked
from persistence.plain_journal import PlainTokens
from tests.isolation.walk import compared, what_bob_sees
from tests.isolation.ways_in import covered

STEPS = 150
# Paths that hold no memories: pages and what is inside them is the same file for everybody.
SAME_FOR_ALL = ("/console",)
# Streams are compared where they are tested with clients (tests/interaction/test_mcp_sessions.py).
STREAMS = frozenset({"/sse", "/messages/"})


@pytest.mark.parametrize("seed", range(6))
async def test_a_tenant_sees_the_same_with_and_without_another(seed: int) -> None:
    alone, beside, differ = await compared(seed, STEPS)
    assert beside.leaks == alone.leaks == []
    assert not differ, (alone.observed[differ[0]], beside.observed[differ[0]])
    stored = sum(status == 201 for operation, status in alone.operations)
    assert stored >= 1, "the random walk must write something"


async def test_the_walk_takes_every_way_in() -> None:
    taken: Counter[str] = Counter()
    for seed in range(3):
        seen = await what_bob_sees(seed + 50, 250, alice_is_busy=False)
        taken.update(operation for operation, _ in seen.operations)
    wanted = {endpoint.operation for endpoint in ENDPOINTS}
    wanted |= {f"{door}:{tool.name}" for door in ("dify", "mcp") for tool in TOOLS} | {"retrieval"}
    assert wanted - set(taken) - {"erase_user"} == set()


@pytest.mark.parametrize(("op", "answers_from"), [("search", "alice"), ("list", "alice"), ("stats", "alice")])
async def test_the_comparison_notices_a_leak(op: str, answers_from: str) -> None:
    alone = await what_bob_sees(0, STEPS, alice_is_busy=False, mix={op: answers_from})
    beside = await what_bob_sees(0, STEPS, alice_is_busy=True, mix={op: answers_from})
    assert alone.observed != beside.observed


def test_every_route_of_the_application_is_part_of_the_walk() -> None:
    tokens = TokenBook(PlainTokens(), now_ms=lambda: 0, new_id=lambda: "i", new_token=lambda: "t")
    parts = HttpParts(
        directory=None,  # type: ignore[arg-type]
        tokens=tokens,
        rates=Rates(now_ms=lambda: 0),
        now_ms=lambda: 0,
        new_id=lambda: "i",
    )
    routes = [route for route in create_app(parts).router.routes if isinstance(route, Route)]
    unknown = {route.path for route in routes if not route.path.startswith(SAME_FOR_ALL)} - covered() - STREAMS
    assert not unknown, "say how the walk takes these (tests/isolation/ways_in.py)"


@pytest.mark.soak
@pytest.mark.timeout(3_600)
async def test_a_hundred_thousand_operations_of_two_tenants_leak_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("ERROR", "rearview.http")
    outcome = await walked(100_000)
    assert outcome.operations >= 100_000
    assert outcome.leaks == []
