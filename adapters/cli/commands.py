"""The commands that are clients of a running service. Each returns an exit status: 0 done, 1 refused, 2 wrong use."""

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from adapters.cli import reembed as moving
from adapters.cli import show
from adapters.cli.connection import NoConnection, find_connection
from adapters.http.client import ProblemError, RearviewClient, segment

DONE, REFUSED, WRONG_USE = 0, 1, 2
LIST_PAGE = 200
Action = Callable[[RearviewClient, argparse.Namespace], Awaitable[int]]


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add every client command to the command line; each sets `run`, a function of the parsed arguments."""
    _add_memory_commands(commands)
    _add_transfer_commands(commands)
    _add_audit_commands(commands)
    _add_token_commands(commands)


def _add_memory_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    write_ = _command(commands, "write", "decide about a statement and keep it when it is worth it", write)
    write_.add_argument("content", help="what to remember; - reads standard input")
    for name in ("tier", "category", "source", "said-at", "task", "conversation", "space", "sensitivity"):
        write_.add_argument(f"--{name}")
    write_.add_argument("--confidence", type=float)
    write_.add_argument("--ttl", type=int, dest="ttl_seconds", help="seconds to live")
    write_.add_argument("--tag", action="append", dest="tags")
    write_.add_argument("--dry-run", action="store_true", default=None, help="decide and change nothing")
    search_ = _command(commands, "search", "recall by a query", search)
    search_.add_argument("query")
    search_.add_argument("--top-k", type=int)
    search_.add_argument("--tier", action="append", dest="tiers")
    search_.add_argument("--category", action="append", dest="categories")
    for name in ("from", "to", "task", "conversation"):
        search_.add_argument(f"--{name}")
    list_ = _command(commands, "list", "list memories, newest first", list_memories)
    for name in ("status", "tier", "category", "q"):
        list_.add_argument(f"--{name}")
    list_.add_argument("--limit", type=int, default=50, help="at most so many (default 50; 0 = all)")
    forget_ = _command(commands, "forget", "put a memory into the bin (restorable for 7 days)", forget)
    forget_.add_argument("memory_id")
    forget_.add_argument("--reason", default="")
    forget_.add_argument("--purge", action="store_true", help="erase it for good instead")
    forget_.add_argument("--wait", action="store_true", help="with --purge: until no file holds it any more")


def _add_transfer_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    export_ = _command(commands, "export", "everything of a user as lines of JSON", export)
    export_.add_argument("--out", help="file to write (default: standard output)")
    import_ = _command(commands, "import", "take lines of JSON in", import_file)
    import_.add_argument("file", help="file to read; - reads standard input")
    import_.add_argument("--format", choices=["mem0", "conversations"], default="")
    erase_ = _command(commands, "erase", "erase a user for good", erase)
    erase_.add_argument("--yes", action="store_true", help="do not ask")
    erase_.add_argument("--wait", action="store_true", help="until no file holds anything of it any more")
    moving.add_arguments(_command(commands, "reembed", "move everybody to another embedding model", reembed))


def _add_audit_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    audit_ = _command(commands, "audit", "what was done for a user, when and under which token", audit)
    audit_.add_argument("--limit", type=int, default=50, help="at most so many (1 to 200, default 50)")
    audit_.add_argument("--verify", action="store_true", help="check the trail and name an entry that was touched")


def _add_token_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    token = commands.add_parser("token", help="make, list and revoke tokens")
    kinds = token.add_subparsers(dest="token_command", required=True, metavar="COMMAND")
    create = _command(kinds, "create", "make a token; it is shown this once", create_token)
    create.add_argument("users", nargs="+", help="user ids, or patterns that end in *")
    create.add_argument("--role", choices=["read", "write", "admin"])
    create.add_argument("--agent", help="name of the program that will use it")
    create.add_argument("--space", action="append", metavar="NAME=read|write", help="open this space (default: all)")
    create.add_argument("--max-sensitivity", choices=["normal", "sensitive"])
    create.add_argument("--expires-at", help="RFC 3339")
    create.add_argument("--per-minute", type=int, help="requests in a minute; 0 is no limit")
    create.add_argument("--per-day", type=int, help="requests in a UTC day; 0 is no limit")
    _command(kinds, "list", "list tokens, never their secrets", list_tokens)
    revoke = _command(kinds, "revoke", "stop a token; effective within 5 s", revoke_token)
    revoke.add_argument("token_id")


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, summary: str, action: Action
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=summary, description=summary)
    parser.add_argument("--user", default="", help="whose memory (not needed with a token for one user)")
    parser.add_argument("--url", help="where the service answers")
    parser.add_argument("--token-file", help="the file that holds a token")
    parser.add_argument("--data-dir", help="data directory of a service on this machine (default .rearview)")
    parser.add_argument("--port", type=int, help="port of a service on this machine (default 8100)")
    parser.add_argument("--json", action="store_true", help="print the reply as JSON")
    parser.set_defaults(run=lambda args: run(action, args))
    return parser


def run(action: Action, args: argparse.Namespace) -> int:
    """Play one command against the service it names."""
    try:
        connection = find_connection(args)
        return asyncio.run(_with_client(action, args, connection.url, connection.token))
    except NoConnection as error:
        print(f"rearview: {error}", file=sys.stderr)
        return WRONG_USE
    except ProblemError as error:
        hint = " Add --user NAME." if error.code == "missing_user" else ""
        print(f"rearview: {show.printable(error.detail)}{hint} [{show.printable(error.code)}]", file=sys.stderr)
        return REFUSED
    except OSError as error:
        print(f"rearview: {error}", file=sys.stderr)
        return REFUSED


async def _with_client(action: Action, args: argparse.Namespace, url: str, token: str) -> int:
    async with RearviewClient(url, token, user=args.user) as client:
        return await action(client, args)


def say(args: argparse.Namespace, reply: Any, text: str) -> int:
    """Print the reply for a person, or as JSON for a program."""
    print(json.dumps(reply, ensure_ascii=False, indent=2) if args.json else text)
    return DONE


async def write(client: RearviewClient, args: argparse.Namespace) -> int:
    content = sys.stdin.read() if args.content == "-" else args.content
    names = (
        "tier",
        "category",
        "source",
        "said_at",
        "task",
        "conversation",
        "space",
        "sensitivity",
        "confidence",
        "ttl_seconds",
        "tags",
        "dry_run",
    )
    reply = await client.write(content, **_given(args, names))
    return say(args, reply, show.written(reply))


async def search(client: RearviewClient, args: argparse.Namespace) -> int:
    names = ("top_k", "tiers", "categories", "from", "to", "task", "conversation")
    reply = await client.search(args.query, **_given(args, names))
    return say(args, reply, show.found(reply))


async def list_memories(client: RearviewClient, args: argparse.Namespace) -> int:
    wanted = args.limit if args.limit > 0 else sys.maxsize
    filters = _given(args, ("status", "tier", "category", "q"))
    memories: list[Any] = []
    cursor, total = "", 0
    while len(memories) < wanted:
        page = await client.list_page(limit=min(LIST_PAGE, wanted - len(memories)), cursor=cursor, **filters)
        memories += page["memories"]
        total, cursor = page["total"], page["next_cursor"]
        if not cursor:
            break
    return say(args, {"memories": memories, "total": total, "next_cursor": cursor}, show.listed(memories, total))


async def forget(client: RearviewClient, args: argparse.Namespace) -> int:
    reply = await client.delete(args.memory_id, purge=args.purge, wait=args.wait, reason=args.reason)
    if args.purge:
        return say(args, reply, show.erased(reply))
    if not reply["deleted"]:
        return say(args, reply, f"It was in the bin already, restorable until {reply['restorable_until']}.")
    return say(args, reply, f"In the bin, restorable until {reply['restorable_until']}.")


async def export(client: RearviewClient, args: argparse.Namespace) -> int:
    out = Path(args.out).open("w", encoding="utf-8") if args.out else sys.stdout  # noqa: ASYNC230, SIM115
    count = 0
    try:
        async for line in client.export_lines():
            out.write(line + "\n")
            count += 1
    finally:
        if args.out:
            out.close()
    print(f"{count} memories exported.", file=sys.stderr)
    return DONE


async def import_file(client: RearviewClient, args: argparse.Namespace) -> int:
    reply = await client.import_lines(_lines_of(args.file), form=args.format)
    refused = [f"  line {refusal['line']}: {refusal['code']}" for refusal in reply["refused"]]
    say(args, reply, "\n".join([f"{reply['imported']} imported, {len(refused)} refused.", *refused]))
    return REFUSED if refused else DONE


async def erase(client: RearviewClient, args: argparse.Namespace) -> int:
    if not args.user:
        print("rearview: erase needs --user", file=sys.stderr)
        return WRONG_USE
    if not args.yes and not await asyncio.to_thread(_sure, args.user):
        return REFUSED
    reply = await client.erase(wait=args.wait)
    return say(args, reply, show.erased(reply))


async def reembed(client: RearviewClient, args: argparse.Namespace) -> int:
    status = await moving.reembed(client, args)
    return say(args, status, moving.sentence(status))


async def audit(client: RearviewClient, args: argparse.Namespace) -> int:
    if args.verify:
        reply = await client.verify_audit()
        say(args, reply, show.verified(reply))
        return DONE if reply["ok"] else REFUSED
    reply = await client.audit(limit=args.limit)
    return say(args, reply, show.audited(reply))


async def create_token(client: RearviewClient, args: argparse.Namespace) -> int:
    body = _given(args, ("users", "role", "agent", "max_sensitivity", "expires_at", "per_minute", "per_day"))
    if args.space:
        body["spaces"] = {name: access or "write" for name, _, access in (s.partition("=") for s in args.space)}
    reply = await client.call("POST", "/v1/tokens", body)
    return say(args, reply, f"{reply['token']}\nIt is shown this once; its id is {reply['token_id']}.")


async def list_tokens(client: RearviewClient, args: argparse.Namespace) -> int:
    reply = await client.call("GET", "/v1/tokens")
    return say(args, reply, show.tokens(reply["tokens"]))


async def revoke_token(client: RearviewClient, args: argparse.Namespace) -> int:
    reply = await client.call("DELETE", f"/v1/tokens/{segment(args.token_id)}")
    return say(args, reply, "Revoked.")


async def _lines_of(name: str) -> AsyncIterator[bytes]:
    source = sys.stdin.buffer if name == "-" else Path(name).open("rb")  # noqa: ASYNC230, SIM115
    try:
        while piece := await asyncio.to_thread(source.read, 1 << 16):
            yield piece
    finally:
        if name != "-":
            source.close()


def _sure(user: str) -> bool:
    return input(f"Erase everything of {show.printable(user)!r}, for good? [y/N] ").strip().lower() in {"y", "yes"}


def _given(args: argparse.Namespace, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name in names if (value := getattr(args, name, None)) is not None}
