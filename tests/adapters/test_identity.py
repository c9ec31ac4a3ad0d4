"""The one check in front of every user's memories, and the tokens that feed it."""

import stat
from itertools import count
from pathlib import Path

import pytest

from adapters.identity import (
    Forbidden,
    Principal,
    check_id,
    readable_spaces,
    require_space_write,
    resolve_user,
    within_sight,
    writable_spaces,
)
from adapters.tokens import REFRESH_MS, TokenBook, check_principal, decode_principal, digest, encode_principal
from engine.errors import InvalidMemory, TooLarge, Unavailable, UnknownMemory


class Store:
    """Token records in a dict; `away` makes it unreachable."""

    def __init__(self) -> None:
        self.records: dict[str, bytes] = {}
        self.away = False

    async def put(self, digest_hex: str, record: bytes) -> None:
        self.records[digest_hex] = record

    async def get_all(self) -> dict[str, bytes]:
        if self.away:
            raise Unavailable.of("The store is away.")
        return dict(self.records)

    async def delete(self, digest_hex: str) -> bool:
        return self.records.pop(digest_hex, None) is not None


class Clock:
    now_ms = 1_000_000

    def __call__(self) -> int:
        return self.now_ms


def book(store: Store, clock: Clock | None = None) -> TokenBook:
    numbers = count(1)
    return TokenBook(
        store, now_ms=clock or Clock(), new_id=lambda: f"t{next(numbers)}", new_token=lambda: f"secret-{next(numbers)}"
    )


def principal(*users: str, **rest: object) -> Principal:
    return Principal(token_id="t", users=users, **rest)  # type: ignore[arg-type]


def test_a_token_for_one_user_needs_no_user_id() -> None:
    assert resolve_user(principal("alice"), None) == "alice"
    assert resolve_user(principal("alice"), "") == "alice"


@pytest.mark.parametrize("users", [("alice", "bob"), ("*",), ("team/*",)])
def test_a_token_for_several_users_must_name_one(users: tuple[str, ...]) -> None:
    with pytest.raises(InvalidMemory) as refused:
        resolve_user(principal(*users), None)
    assert refused.value.field == "user_id"


def test_a_user_outside_the_token_looks_like_one_that_does_not_exist() -> None:
    for foreign in ("bob", "Alice", "alice ", "alice/", "teams", "team"):
        with pytest.raises(UnknownMemory):
            resolve_user(principal("alice", "team/*"), foreign)


def test_a_pattern_reaches_every_user_with_its_prefix() -> None:
    assert resolve_user(principal("team/*"), "team/用户 1") == "team/用户 1"
    assert resolve_user(principal("*"), "anyone") == "anyone"


@pytest.mark.parametrize("user", ["alice", "Alice", "a/b", "a:b", "用户 1", "..", ".", "a%2Fb", " ", "a" * 256, "🙂"])
def test_any_unicode_is_a_user_id(user: str) -> None:
    assert check_id(user, "user_id") == user


@pytest.mark.parametrize(
    ("user", "error"),
    [
        ("a\0b", InvalidMemory),
        ("a\nb", InvalidMemory),
        ("\x7f", InvalidMemory),
        ("\ud800", InvalidMemory),
        ("a" * 257, TooLarge),
        ("a" * 100_000, TooLarge),
        ("", InvalidMemory),
    ],
)
def test_control_characters_and_long_ids_are_refused_without_being_repeated(user: str, error: type[Exception]) -> None:
    with pytest.raises(error) as refused:
        check_id(user, "user_id")
    assert not user or user not in str(refused.value)


def test_a_token_sees_only_its_spaces() -> None:
    half = principal("alice", spaces={"shared": "write", "private": "read"})
    assert set(readable_spaces(half)) == {"shared", "private"}
    assert readable_spaces(half, ("private", "other")) == ("private",)
    with pytest.raises(UnknownMemory):
        readable_spaces(half, ("other",))
    require_space_write(half, "shared")
    with pytest.raises(Forbidden):
        require_space_write(half, "private")
    with pytest.raises(UnknownMemory):
        require_space_write(half, "other")
    assert readable_spaces(principal("alice")) == ()


def test_a_token_without_any_space_sees_none_and_is_not_made() -> None:
    nothing = principal("alice", spaces={})
    for wanted in ((), ("shared",)):
        with pytest.raises(UnknownMemory):
            readable_spaces(nothing, wanted)
    with pytest.raises(Forbidden):
        writable_spaces(nothing)
    with pytest.raises(InvalidMemory, match="space"):
        check_principal(nothing)


def test_a_token_cannot_make_one_that_reaches_further() -> None:
    boss = principal("team/*", role="admin", spaces={"shared": "write"}, max_sensitivity="normal")
    assert boss.covers(principal("team/a", role="read", spaces={"shared": "read"}, max_sensitivity="normal"))
    assert boss.covers(principal("team/x*", spaces={"shared": "write"}, max_sensitivity="normal"))
    for wider in (
        principal("*", spaces={"shared": "read"}, max_sensitivity="normal"),
        principal("te*", spaces={"shared": "read"}, max_sensitivity="normal"),
        principal("bob", spaces={"shared": "read"}, max_sensitivity="normal"),
        principal("team/a", spaces={"*": "read"}, max_sensitivity="normal"),
        principal("team/a", spaces={"shared": "read"}, max_sensitivity="sensitive"),
    ):
        assert not boss.covers(wider)


def test_a_space_named_beside_all_of_them_is_open_for_what_it_says_and_no_more() -> None:
    half = principal("alice", role="admin", spaces={"*": "write", "private": "read", "work": "write"})
    require_space_write(half, "anything")
    with pytest.raises(Forbidden):
        require_space_write(half, "private")
    assert half.unrestricted("read") and not half.unrestricted("write")
    assert writable_spaces(half) == ("work",)
    with pytest.raises(Forbidden):
        writable_spaces(principal("alice", spaces={"*": "write", "private": "read"}))
    for wider in ({"*": "write"}, {"private": "write"}, {"*": "write", "other": "read"}):
        assert not half.covers(principal("alice", spaces=wider))
    for narrower in ({"*": "read"}, {"*": "write", "private": "read"}, {"private": "read", "other": "write"}):
        assert half.covers(principal("alice", spaces=narrower))


@pytest.mark.parametrize("field", ["space", "sensitivity"])
def test_a_reply_shows_no_memory_that_its_token_cannot_see(field: str) -> None:
    half = principal("alice", spaces={"shared": "write"}, max_sensitivity="normal")
    seen = {"memory_id": "m", "content": "a", "space": "shared", "sensitivity": "normal"}
    hidden = {**seen, "content": "b", field: {"space": "private", "sensitivity": "sensitive"}[field]}
    reply = {"memory": hidden, "written": [{"memory": seen}, {"memory": hidden}], "memories": [seen, hidden, "m"]}
    assert within_sight(half, reply) == {
        "memory": None,
        "written": [{"memory": seen}, {"memory": None}],
        "memories": [seen, {**hidden, "content": ""}, "m"],
    }
    assert within_sight(principal("alice"), reply) == reply


def test_a_token_that_ends_cannot_make_one_that_goes_on() -> None:
    for_ever, till_ten, till_nine = (principal("alice", expires_at_ms=end) for end in (None, 10, 9))
    assert for_ever.outlives(till_ten) and for_ever.outlives(for_ever)
    assert till_ten.outlives(till_ten) and till_ten.outlives(till_nine)
    assert not till_nine.outlives(till_ten)
    assert not till_ten.outlives(for_ever)


def test_a_record_survives_the_codec_and_holds_no_token() -> None:
    kept = principal("alice", "团队/*", role="admin", agent="bot", spaces={"a": "read"}, expires_at_ms=5)
    assert decode_principal(encode_principal(kept)) == kept


async def test_only_the_hash_of_a_token_is_stored() -> None:
    store = Store()
    token, made = await book(store).create(users=("alice",))
    assert list(store.records) == [digest(token)]
    assert token.encode() not in b"".join(store.records.values())
    assert await book(store).verify(token) == made


async def test_an_unknown_or_expired_token_is_nobody() -> None:
    clock = Clock()
    tokens = book(Store(), clock)
    token, _ = await tokens.create(users=("alice",), expires_at_ms=clock.now_ms + 10)
    assert await tokens.verify(token) is not None
    assert await tokens.verify(token + "x") is None
    assert await tokens.verify("") is None
    assert await tokens.verify("\ud800" * 3) is None
    clock.now_ms += 10
    assert await tokens.verify(token) is None


async def test_a_revoked_token_stops_working_in_another_process_within_five_seconds() -> None:
    store, clock = Store(), Clock()
    here, there = book(store, clock), book(store, clock)
    token, made = await here.create(users=("alice",))
    assert await there.verify(token) is not None
    await here.revoke(made.token_id)
    assert await here.verify(token) is None
    assert REFRESH_MS < 5_000
    clock.now_ms += REFRESH_MS
    assert await there.verify(token) is None


async def test_known_tokens_go_on_working_while_the_store_is_away() -> None:
    store, clock = Store(), Clock()
    tokens = book(store, clock)
    token, _ = await tokens.create(users=("alice",))
    assert await tokens.verify(token) is not None
    store.away = True
    clock.now_ms += REFRESH_MS
    assert await tokens.verify(token) is not None
    with pytest.raises(Unavailable):
        await book(store, clock).verify(token)


async def test_revoking_an_unknown_token_says_so() -> None:
    with pytest.raises(UnknownMemory):
        await book(Store()).revoke("nobody")


async def test_the_first_start_makes_one_private_admin_token(tmp_path: Path) -> None:
    store, path = Store(), tmp_path / "keys" / "token"
    await book(store).ensure_first(path)
    token = path.read_text("utf-8").strip()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    admin = await book(store).verify(token)
    assert admin is not None
    assert (admin.users, admin.role, admin.unrestricted("write")) == (("*",), "admin", True)
    await book(store).ensure_first(path)
    assert path.read_text("utf-8").strip() == token
    assert len(store.records) == 1


async def test_a_token_file_is_adopted_by_an_empty_store(tmp_path: Path) -> None:
    path = tmp_path / "token"
    await book(Store()).ensure_first(path)
    empty = Store()
    await book(empty).ensure_first(path)
    assert await book(empty).verify(path.read_text("utf-8").strip()) is not None


async def test_a_revoked_first_token_stays_revoked(tmp_path: Path) -> None:
    store, path = Store(), tmp_path / "token"
    tokens = book(store)
    await tokens.ensure_first(path)
    await tokens.create(users=("*",), role="admin")
    first = await tokens.verify(path.read_text("utf-8").strip())
    assert first is not None
    await tokens.revoke(first.token_id)
    await tokens.ensure_first(path)
    assert await tokens.verify(path.read_text("utf-8").strip()) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"users": ()},
        {"users": ("",)},
        {"users": ("a",), "role": "god"},
        {"users": ("a",), "spaces": {"x": "own"}},
        {"users": ("a",), "max_sensitivity": "secret"},
        {"users": ("a\0",)},
    ],
)
async def test_a_token_for_nothing_that_exists_is_refused(wrong: dict[str, object]) -> None:
    store = Store()
    with pytest.raises(InvalidMemory):
        await book(store).create(**wrong)  # type: ignore[arg-type]
    assert store.records == {}
