"""Which encoder a query goes by: the table, the model, or the model where the table leaves it open."""

from typing import cast

import pytest

from actors.replies import Reply
from tests.actors.world import World, ask


async def encoder_of(setting: str, texts: list[str], query: str) -> str:
    world = World(query_encoder=setting)
    host = world.host()
    for text in texts:
        await ask(host, "u", "write", {"content": text, "tier": "semantic"})
    reply = await ask(host, "u", "search", {"query": query, "top_k": 2, "min_relevance": 0.0})
    hits = cast("list[Reply]", reply["memories"])
    assert hits, "something is found, because there is no floor"
    return str(cast(Reply, cast(Reply, hits[0]["why"])["semantic"])["encoder"])


ALIKE = ["The heron nests by the old mill pond", "The heron fishes in the old mill pond at dawn"]


@pytest.mark.parametrize(("setting", "wanted"), [("static", "static"), ("quality", "model"), ("auto", "model")])
async def test_a_question_that_two_memories_fit_alike_goes_to_the_model_unless_the_table_must_do(
    setting: str, wanted: str
) -> None:
    assert await encoder_of(setting, ALIKE, "the heron and the old mill pond") == wanted


async def test_a_clear_answer_is_not_asked_for_twice() -> None:
    assert (
        await encoder_of("auto", ["The heron nests by the mill pond"], "The heron nests by the mill pond") == "static"
    )
