"""What every token store must do."""

from persistence.plain_journal import PlainTokens
from persistence.redis_tokens import RedisTokens

Tokens = PlainTokens | RedisTokens


async def test_there_are_no_tokens_at_first(tokens: Tokens) -> None:
    assert await tokens.get_all() == {}
    assert await tokens.delete("ab" * 32) is False


async def test_a_record_is_kept_byte_for_byte_until_it_is_deleted(tokens: Tokens) -> None:
    records = {f"{i:064x}": bytes([i]) * i for i in range(50)}
    for digest, record in records.items():
        await tokens.put(digest, record)
    assert await tokens.get_all() == records
    assert await tokens.delete(f"{7:064x}") is True
    assert await tokens.delete(f"{7:064x}") is False
    assert f"{7:064x}" not in await tokens.get_all()


async def test_the_last_record_of_a_digest_wins(tokens: Tokens) -> None:
    await tokens.put("aa", b"first")
    await tokens.put("aa", b"second")
    assert await tokens.get_all() == {"aa": b"second"}


async def test_the_use_of_a_day_adds_up_by_token_and_is_kept_apart_by_day(tokens: Tokens) -> None:
    assert await tokens.count_use(20_000, {"a": 3, "b": 0}) == {"a": 3, "b": 0}
    assert await tokens.count_use(20_000, {"a": 2}) == {"a": 5}
    assert await tokens.count_use(20_001, {"a": 1}) == {"a": 1}
    assert await tokens.count_use(20_000, {"a": 0, "b": 7}) == {"a": 5, "b": 7}
