"""The official MCP conformance suite against our door, over plain stores in this process.

    python -m bench conformance --suite FOLDER

FOLDER is one in which `npm install @modelcontextprotocol/conformance node@22` was run (it needs Node 22 or newer;
npm's package `node` brings one). Only scenarios about what a server of tools must do are played: the others ask for
prompts, resources and tools of the suite's own. The suite sends no token, so one is put before each of its requests.
"""

import asyncio
import re
from pathlib import Path

from starlette.types import ASGIApp, Receive, Scope, Send

from tests.adapters.mcp.doubles import serving
from tests.isolation.walk import two_tenants

SCENARIOS = ("server-initialize", "ping", "tools-list", "dns-rebinding-protection")
SECONDS_MAX = 60.0
_PASSED = re.compile(r"Passed: (\d+)/(\d+)")


class WithToken:
    """Puts a token before every request."""

    def __init__(self, app: ASGIApp, authorization: str) -> None:
        self._app = app
        self._header = (b"authorization", authorization.encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], self._header]}
        await self._app(scope, receive, send)


async def _play(node: Path, suite: Path, url: str, scenario: str) -> tuple[bool, str]:
    """Whether a scenario passed, and what the suite said."""
    process = await asyncio.create_subprocess_exec(
        str(node), str(suite), "server", "--url", url, "--scenario", scenario,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        said, _ = await asyncio.wait_for(process.communicate(), SECONDS_MAX)
    except TimeoutError:
        process.kill()
        await process.wait()
        return False, "no answer in time"
    return process.returncode == 0, said.decode(errors="replace")


async def _run(folder: Path) -> int:
    node = folder / "node_modules" / "node" / "bin" / "node"
    suite = folder / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
    failed = 0
    async with two_tenants(("bob", "alice"), live_users_max=10) as both:
        app = WithToken(both.bob._transport.app, both.bob.headers["authorization"])  # type: ignore[attr-defined]
        async with serving(Quiet(app)) as url:
            for scenario in SCENARIOS:
                passed, said = await _play(node, suite, url.replace("127.0.0.1", "localhost") + "/mcp", scenario)
                checks = _PASSED.search(said)
                shown = f"{checks[1]} of {checks[2]} checks" if checks else ""
                print(f"{scenario:<28} {'passed' if passed else 'FAILED'} {shown}".rstrip())
                if not passed:
                    failed += 1
                    print("\n".join("    " + line[:200] for line in said.splitlines()[-15:]))
    return failed


class Quiet:
    """Keeps the server from entering the lifespan again: `two_tenants` has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            return await self._app(scope, receive, send)
        while True:
            message = await receive()
            await send({"type": message["type"] + ".complete"})
            if message["type"] == "lifespan.shutdown":
                return


def conformance(folder: Path) -> int:
    """Print the outcome; the number of scenarios that failed."""
    return asyncio.run(_run(folder))
