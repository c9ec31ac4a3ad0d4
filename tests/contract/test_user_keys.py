"""Keys of users and the master key, with the real store."""

import os
import stat
from pathlib import Path

import pytest

from engine.errors import Unavailable
from persistence import keys
from persistence.master_key import MasterKey, make_master_key, read_master_key, settle_master_key
from persistence.redis_client import RedisClient
from persistence.redis_journal import RedisJournal
from persistence.user_keys import PlainUserKeys, RedisUserKeys

MASTER = MasterKey(b"m" * 32)
UserKeys = PlainUserKeys | RedisUserKeys


def stored(client: RedisClient, master: MasterKey | None = MASTER, *, seals: bool = True) -> RedisUserKeys:
    return RedisUserKeys(client, master, seals=seals, random_bytes=os.urandom)


@pytest.fixture(params=["plain", "real"])
def user_keys(request: pytest.FixtureRequest) -> UserKeys:
    return PlainUserKeys(os.urandom) if request.param == "plain" else stored(request.getfixturevalue("client"))


async def test_every_user_has_a_key_of_their_own_that_stays(user_keys: UserKeys) -> None:
    alice, bob = await user_keys.of("alice"), await user_keys.of("用户 1")
    assert alice.key_id != bob.key_id
    sealed = alice.seal_entry(1, b"text")
    assert (await user_keys.of("alice")).open_entry(1, sealed) == b"text"
    assert (await user_keys.look("alice")).open_entry(1, sealed) == b"text"


async def test_an_erasure_destroys_the_key(client: RedisClient) -> None:
    journal = RedisJournal(client)
    await journal.open("alice")
    before = await stored(client).of("alice")
    await journal.erase("alice")
    assert not (await stored(client).look("alice")).key_id
    await journal.open("alice")
    assert (await stored(client).of("alice")).key_id != before.key_id


async def test_two_owners_at_once_agree_on_one_key(client: RedisClient) -> None:
    first, second = stored(client), stored(client)
    assert (await first.of("alice")).key_id == (await second.of("alice")).key_id


async def test_looking_makes_no_key_and_neither_does_a_service_that_seals_nothing(client: RedisClient) -> None:
    for sealer in (await stored(client).look("alice"), await stored(client, seals=False).of("alice")):
        assert (sealer.key_id, sealer.seals) == ("", False)
    assert await client.read("EXISTS", keys.head("alice")) == 0
    await stored(client).of("alice")
    off = await stored(client, seals=False).of("alice")
    assert (bool(off.key_id), off.seals) == (True, False)


@pytest.mark.parametrize("master", [None, MasterKey(b"n" * 32)], ids=["none", "another"])
async def test_without_the_right_master_key_nobody_is_opened_and_nothing_changes(
    client: RedisClient, master: MasterKey | None
) -> None:
    await stored(client).of("alice")
    before = await client.read("HGETALL", keys.head("alice"))
    for ask in (stored(client, master).of, stored(client, master).look, stored(client, master, seals=False).of):
        with pytest.raises(Unavailable) as raised:
            await ask("alice")
        assert raised.value.code == "master_key"
    assert await client.read("HGETALL", keys.head("alice")) == before


async def settle(client: RedisClient, path: Path, *, seals: bool = True, may_make: bool = True) -> None:
    await settle_master_key(client, path, seals=seals, may_make=may_make, random_bytes=os.urandom)


async def test_the_first_start_makes_a_key_file_that_only_its_owner_reads(client: RedisClient, tmp_path: Path) -> None:
    path = tmp_path / "keys" / "master"
    await settle(client, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    made = path.read_bytes()
    await settle(client, path)
    await settle(client, path, seals=False)
    assert path.read_bytes() == made
    master = read_master_key(path)
    assert master is not None
    assert await client.read("GET", keys.MASTER_KEY) == master.key_id.hex().encode()


async def test_a_store_whose_master_key_is_missing_is_refused_and_no_new_key_is_made(
    client: RedisClient, tmp_path: Path
) -> None:
    path = tmp_path / "master"
    await settle(client, path)
    path.rename(tmp_path / "elsewhere")
    for seals in (True, False):
        with pytest.raises(Unavailable, match="is missing"):
            await settle(client, path, seals=seals)
    assert not path.exists()


async def test_another_master_key_is_refused_and_stays_as_it_is(client: RedisClient, tmp_path: Path) -> None:
    await settle(client, tmp_path / "right")
    wrong = tmp_path / "wrong"
    make_master_key(wrong, os.urandom)
    bytes_before, known_before = wrong.read_bytes(), await client.read("GET", keys.MASTER_KEY)
    with pytest.raises(Unavailable, match="Another master key"):
        await settle(client, wrong)
    assert (wrong.read_bytes(), await client.read("GET", keys.MASTER_KEY)) == (bytes_before, known_before)


async def test_a_named_key_file_is_never_made_and_must_hold_a_key(client: RedisClient, tmp_path: Path) -> None:
    path = tmp_path / "master"
    with pytest.raises(Unavailable, match="openssl rand"):
        await settle(client, path, may_make=False)
    for text in ("", "00" * 31, "zz" * 32, "00" * 33):
        path.write_text(text)
        with pytest.raises(Unavailable, match="64 hexadecimal digits"):
            await settle(client, path, may_make=False)
        assert path.read_text() == text
    path.write_text("0F" * 32 + "\n")
    await settle(client, path, may_make=False)
    assert await client.read("EXISTS", keys.MASTER_KEY) == 1


async def test_a_store_that_never_sealed_needs_no_key(client: RedisClient, tmp_path: Path) -> None:
    await settle(client, tmp_path / "master", seals=False)
    assert not (tmp_path / "master").exists()
    assert await client.read("EXISTS", keys.MASTER_KEY) == 0


def test_a_key_file_is_never_overwritten(tmp_path: Path) -> None:
    make_master_key(tmp_path / "master", os.urandom)
    with pytest.raises(FileExistsError):
        make_master_key(tmp_path / "master", os.urandom)
