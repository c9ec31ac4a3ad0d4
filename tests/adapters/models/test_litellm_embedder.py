"""The embedder through litellm: usable vectors or none."""

import numpy as np
import pytest

from actors.model_gate import Done
from adapters.models.litellm_embedder import LitellmEmbedder
from adapters.models.litellm_library import Endpoint
from adapters.models.providers import dimensions_of, rows_of
from engine.errors import Unavailable
from engine.memory import Float32Array
from tests.model_stub import ModelStub, hashed_vector

TEXTS = ["我住在杭州", "I live in Lyon", "🎈"]


def embedder_of(stub: ModelStub, *, dimensions: int = 64, ask_for: bool = False, rows: int = 16) -> LitellmEmbedder:
    return LitellmEmbedder(
        Endpoint("openai/stub", stub.api_base, ""), dimensions=dimensions, ask_for=ask_for, rows=rows
    )


async def embedded(stub: ModelStub, texts: list[str], **more: int) -> Done[Float32Array]:
    return await embedder_of(stub, **more).embed(texts, 5.0)


async def test_vectors_come_in_the_order_of_the_texts_and_of_unit_length(stub: ModelStub) -> None:
    done = await embedded(stub, TEXTS)
    assert done.value.shape == (3, 64)
    for text, row in zip(TEXTS, done.value, strict=True):
        assert np.allclose(row, hashed_vector(text, 64), atol=1e-6)
    assert done.tokens == 7


async def test_texts_go_out_in_batches_of_the_providers_size(stub: ModelStub) -> None:
    await embedded(stub, [f"text {n}" for n in range(25)], rows=10)
    assert [len(body["input"]) for body in stub.asked("/embeddings")] == [10, 10, 5]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("http_429", "model_rate_limited"),
        ("http_500", "model_failed"),
        ("garbage", "model_failed"),
        ("stall", "model_timeout"),
        ("zero", "model_reply"),
        ("one_too_few", "model_reply"),
        ("short", "model_dimensions"),
    ],
)
async def test_a_reply_that_cannot_be_used_is_refused_whole_and_not_asked_for_again(
    stub: ModelStub, fault: str, code: str
) -> None:
    stub.embeddings_fault = fault
    with pytest.raises(Unavailable) as refused:
        await embedder_of(stub).embed(TEXTS, 0.5)
    assert refused.value.code == code
    assert len(stub.calls) == 1


async def test_one_vector_that_is_no_vector_does_not_spoil_the_others(stub: ModelStub) -> None:
    stub.embeddings_fault = "nan"
    rows = (await embedded(stub, TEXTS)).value
    assert np.isnan(rows[0]).all()
    assert np.isfinite(rows[1:]).all()


async def test_a_text_that_the_server_refuses_is_found_by_halving(stub: ModelStub) -> None:
    stub.dislikes = "poison"
    rows = (await embedded(stub, ["one", "two", "three", "poison", "five"])).value
    assert np.isnan(rows[3]).all()
    assert np.isfinite(np.delete(rows, 3, axis=0)).all()


async def test_the_wish_for_dimensions_is_sent_where_it_is_meant_and_dropped_where_it_is_refused(
    stub: ModelStub,
) -> None:
    assert (await embedder_of(stub, dimensions=32, ask_for=True).embed(TEXTS, 5.0)).value.shape == (3, 32)
    stub.no_dimensions = True
    embedder = embedder_of(stub, dimensions=64, ask_for=True)
    assert (await embedder.embed(TEXTS, 5.0)).value.shape == (3, 64)
    await embedder.embed(TEXTS, 5.0)
    assert [body.get("dimensions") for body in stub.asked("/embeddings")] == [32, 64, None, None]


async def test_odd_texts_are_made_plain_before_they_are_sent(stub: ModelStub) -> None:
    await embedded(stub, ["", "\0", "a\ud800b", "长" * 50_000])
    (body,) = stub.asked("/embeddings")
    assert body["input"][:3] == ["-", "-", "a?b"]
    assert len(body["input"][3]) == 4_000


async def test_dimensions_are_known_even_when_the_vectors_are_of_no_use(stub: ModelStub) -> None:
    stub.embeddings_fault = "zero"
    assert await embedder_of(stub, dimensions=0).dimensions(5.0) == 64


def test_providers_limits_are_known_by_the_names_of_their_models() -> None:
    assert rows_of("openai/text-embedding-v4") == 10
    assert rows_of("openai/BAAI/bge-m3") == 16
    assert dimensions_of("openai/BAAI/bge-m3") == 1024
    assert dimensions_of("openai/stub") == 0
