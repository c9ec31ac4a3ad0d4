"""The `rearview` command. Each command's module is imported only when it runs, so that `mcp` answers at once."""

import argparse
import sys
from collections.abc import Sequence

from rearview.version import VERSION


def _serve(args: argparse.Namespace) -> int:
    from rearview.serve import serve

    return serve(args)


def _mcp(args: argparse.Namespace) -> int:
    from rearview.stdio_bridge import run

    return run(args)


def _demo(args: argparse.Namespace) -> int:
    from rearview.demo.replay import demo

    return demo(args)


def _build_query_table(args: argparse.Namespace) -> int:
    from adapters.models.table_builder.bundled import main as build

    return build(args)


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    top = argparse.ArgumentParser(prog="rearview", description="A memory engine for LLM agents.")
    top.add_argument("--version", action="version", version=f"rearview {VERSION}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="start everything: journal, actors, HTTP and MCP")
    add_place(serve)
    serve.add_argument("--host", help="address to listen on (default 127.0.0.1)")
    serve.add_argument("--test-clock", metavar="FILE", help="tests only: add the seconds in FILE to the clock")
    serve.set_defaults(run=_serve)
    mcp = commands.add_parser("mcp", help="MCP over stdio; starts a service if none runs")
    add_place(mcp)
    mcp.add_argument("--url", help="a running service")
    mcp.add_argument("--token-file", help="the file that holds its token")
    mcp.add_argument("--user", help="whose memory, where a call does not say (default: local)")
    mcp.set_defaults(run=_mcp)
    demo = commands.add_parser("demo", help="replay a conversation and show what was kept, skipped and found")
    add_place(demo)
    demo.add_argument("--url", help="a running service (default: start one for the demo and end it)")
    demo.add_argument("--token-file", help="the file that holds its token")
    demo.set_defaults(run=_demo)
    build = commands.add_parser("build-query-table", help="rebuild the query table from its word lists")
    build.add_argument("--out", metavar="FILE", help="where to write it (default: in place of the shipped one)")
    build.set_defaults(run=_build_query_table)
    return top


def _add_rest(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands whose parsers need imports of their own."""
    from adapters.cli.commands import add_commands
    from rearview.measuring_commands import add_measuring_commands

    add_commands(commands)
    add_measuring_commands(commands)


def add_place(command: argparse.ArgumentParser) -> None:
    """Where a service lives on this machine."""
    command.add_argument("--port", type=int, help="port of the service (default 8100)")
    command.add_argument("--data-dir", help="data directory (default .rearview)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    top = parser()
    if not words or words[0] not in {"mcp", "serve"}:
        _add_rest(top._subparsers._group_actions[0])  # type: ignore[union-attr,arg-type]
    args = top.parse_args(words)
    status: int = args.run(args)
    return status


if __name__ == "__main__":
    sys.exit(main())
