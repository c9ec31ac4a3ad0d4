"""The commands as a person types them, against a service in the same process."""

import argparse
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

from adapters.cli import commands
from adapters.cli.connection import NoConnection, find_connection
from adapters.cli.show import one_line, printable
from adapters.http.client import RearviewClient
from tests.adapters.http.service import WRITTEN, Service, running

Typed = Callable[..., AsyncIterator[int]]


def parsed(*words: str) -> argparse.Namespace:
    top = argparse.ArgumentParser()
    commands.add_commands(top.add_subparsers(dest="command"))
    return top.parse_args(words)


@asynccontextmanager
async def service_with_client(user: str = "alice", **parts: object) -> AsyncIterator[tuple[Service, RearviewClient]]:
    async with running(**parts) as service:
        token, _ = await service.tokens.create(users=("*",), role="admin")
        transport = httpx.ASGITransport(service.app)
        async with RearviewClient("http://127.0.0.1:8100", token, user=user, transport=transport, attempts=1) as client:
            yield service, client


async def test_a_write_says_what_became_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    async with service_with_client() as (service, client):
        score = {"total": 0.81, "threshold": 0.6, "density": 1, "relevance": 1, "durability": 1, "explicitness": 1}
        memory = {"id": "m1", "tier": "semantic", "category": "fact", "content": "Torch\nin boot"}
        service.directory.answers["write"] = {**WRITTEN, "score": score, "memory": memory, "reason": "A fact."}
        words = ("write", "Torch in boot", "--tag", "a", "--ttl", "60", "--dry-run")
        status = await commands.write(client, parsed(*words))
    assert status == 0
    assert service.last.args == {"content": "Torch in boot", "tags": ("a",), "ttl_seconds": 60, "dry_run": True}
    out = capsys.readouterr().out
    assert "stored: kept. A fact." in out
    assert "m1  semantic fact  Torch in boot" in out
    assert "0.81" in out


async def test_json_output_is_the_reply(capsys: pytest.CaptureFixture[str]) -> None:
    async with service_with_client() as (_, client):
        await commands.search(client, parsed("search", "torch", "--json", "--from", "2026-01-01"))
    assert json.loads(capsys.readouterr().out)["search_id"] == "s"


async def test_a_list_follows_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    row = {"id": "m1", "created_at": 0, "tier": "semantic", "category": "fact", "status": "active", "content": "花生"}
    async with service_with_client() as (service, client):
        service.directory.answers["list"] = [
            {"memories": [row] * 200, "next_cursor": "c", "total": 201, "seq": 1},
            {"memories": [row], "next_cursor": "", "total": 201, "seq": 1},
        ]
        await commands.list_memories(client, parsed("list", "--limit", "0"))
    assert [asked.args.get("cursor", "") for asked in service.directory.asked] == ["", "c"]
    assert "201 of 201" in capsys.readouterr().out


async def test_export_and_import_use_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "lines.ndjson"
    async with service_with_client() as (service, client):
        assert await commands.export(client, parsed("export", "--out", str(file))) == 0
        assert json.loads(file.read_text("utf-8"))["id"] == "m1"
        assert await commands.import_file(client, parsed("import", str(file))) == 0
        service.directory.answers["import_many"] = {"imported": 0, "refused": [{"line": 1, "code": "empty"}], "seq": 1}
        assert await commands.import_file(client, parsed("import", str(file))) == 1
    assert "line 1: empty" in capsys.readouterr().out


async def test_erase_needs_a_user_and_a_yes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with service_with_client() as (service, client):
        assert await commands.erase(client, parsed("erase")) == 2
        monkeypatch.setattr("builtins.input", lambda _: "n")
        assert await commands.erase(client, parsed("erase", "--user", "alice")) == 1
        assert service.directory.asked == []
        assert await commands.erase(client, parsed("erase", "--user", "alice", "--yes")) == 0
    assert "Receipt sha256" in capsys.readouterr().out


async def test_tokens_are_made_listed_and_revoked(capsys: pytest.CaptureFixture[str]) -> None:
    async with service_with_client() as (service, client):
        words = ("token", "create", "alice", "--role", "read", "--space", "shared=read", "--json")
        await commands.create_token(client, parsed(*words))
        made = json.loads(capsys.readouterr().out)
        assert made["spaces"] == {"shared": "read"}
        await commands.list_tokens(client, parsed("token", "list"))
        assert made["token_id"] in capsys.readouterr().out
        await commands.revoke_token(client, parsed("token", "revoke", made["token_id"]))
        assert await service.tokens.verify(made["token"]) is None


def test_a_refusal_shows_its_sentence_and_code(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("x")
    args = parsed("list", "--url", "http://127.0.0.1:1", "--token-file", str(token))

    async def refused(client: RearviewClient, _: argparse.Namespace) -> int:
        client._attempts = 1
        await client.list_page()
        return 0

    assert commands.run(refused, args) == 1
    assert "[unreachable]" in capsys.readouterr().err


def test_flags_come_before_the_environment_before_the_running_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REARVIEW_URL", raising=False)
    monkeypatch.delenv("REARVIEW_TOKEN", raising=False)
    here = ("--data-dir", str(tmp_path))
    with pytest.raises(NoConnection):
        find_connection(parsed("list", *here))
    (tmp_path / "admin-token").write_text("from-data-dir\n")
    assert find_connection(parsed("list", *here)).url == "http://127.0.0.1:8100"
    (tmp_path / "run").mkdir()
    (tmp_path / "other").write_text("from-service")
    (tmp_path / "run" / "serve.json").write_text(
        json.dumps({"url": "http://127.0.0.1:9", "token_file": str(tmp_path / "other"), "pid": 1})
    )
    found = find_connection(parsed("list", *here))
    assert (found.url, found.token) == ("http://127.0.0.1:9", "from-service")
    monkeypatch.setenv("REARVIEW_URL", "http://env")
    monkeypatch.setenv("REARVIEW_TOKEN", "from-env")
    found = find_connection(parsed("list", *here))
    assert (found.url, found.token) == ("http://env", "from-env")
    words = ("--url", "http://flag", "--token-file", str(tmp_path / "admin-token"))
    found = find_connection(parsed("list", *here, *words))
    assert (found.url, found.token) == ("http://flag", "from-data-dir")


def test_stored_text_cannot_steer_a_terminal() -> None:
    assert "\x1b" not in printable("a\x1b[2Jb")
    assert one_line("花生" * 100, 11) == "花生花生花…"
    assert one_line("a\nb", 6) == "a b   "


async def test_reembed_says_how_far_it_is_until_it_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("adapters.cli.reembed.POLL_SECONDS", 0.0)
    status = {"model": "bundled", "dimensions": 384, "moving_to": "openai/m", "problem": "", "users": 2, "texts": 9}

    class Mover:
        def __init__(self) -> None:
            self.told = iter(["moving", "waiting", "done"])
            self.wanted: dict[str, object] = {}

        async def start(self, wanted: dict[str, object]) -> dict[str, object]:
            self.wanted.update(wanted)
            return {**status, "state": "moving", "users_moved": 0}

        async def status(self) -> dict[str, object]:
            return {**status, "state": next(self.told), "users_moved": 1, "problem": "The model is away."}

    mover = Mover()
    async with service_with_client(mover=mover) as (_, client):
        words = ("reembed", "--model", "openai/m", "--dimensions", "64", "--api-base", "http://127.0.0.1:1/v1")
        assert await commands.reembed(client, parsed(*words)) == 0
    assert mover.wanted == {"model": "openai/m", "dimensions": 64, "api_base": "http://127.0.0.1:1/v1"}
    out = capsys.readouterr().out
    assert "1 of 2 users moved, 9 texts embedded." in out
    assert "Waiting: The model is away." in out
    assert "Memories are in the space of bundled (384 dimensions)." in out
