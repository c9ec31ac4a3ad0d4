"""`rearview reembed`: move everybody's vectors to another embedding model, and watch until it is done."""

import argparse
import asyncio
from typing import Any

from adapters.http.client import RearviewClient

POLL_SECONDS = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", help="`bundled`, or litellm's name (default: only tell how far it is)")
    parser.add_argument("--dimensions", type=int, help="ask the model for so many (default: its own number)")
    parser.add_argument("--api-base", help="where the model answers")
    parser.add_argument("--api-key-file", help="file on the service's machine that holds its key")
    parser.add_argument("--no-wait", action="store_true", help="begin, and do not watch")


async def reembed(client: RearviewClient, args: argparse.Namespace) -> dict[str, Any]:
    """Begin, and return the last status: of the end, unless nobody is to wait for it. A break here stops nothing."""
    if not args.model:
        return await client.call("GET", "/v1/reembed")
    names = ("model", "dimensions", "api_base", "api_key_file")
    status = await client.call("POST", "/v1/reembed", {name: v for name in names if (v := getattr(args, name))})
    told = ""
    while not args.no_wait and status["state"] in ("moving", "waiting"):
        await asyncio.sleep(POLL_SECONDS)
        status = await client.call("GET", "/v1/reembed")
        if not args.json and (line := sentence(status)) != told:
            print(line, flush=True)
            told = line
    return status


def sentence(status: dict[str, Any]) -> str:
    """How far it is, for a person."""
    if status["state"] == "waiting":
        return f"Waiting: {status['problem']} The old model answers; it goes on by itself."
    if status["state"] == "moving":
        return f"{status['users_moved']} of {status['users']} users moved, {status['texts']} texts embedded."
    return f"Memories are in the space of {status['model']} ({status['dimensions']} dimensions)."
