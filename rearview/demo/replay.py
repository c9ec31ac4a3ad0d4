"""`rearview demo`: replay a shipped conversation and show each decision with its reason.

It talks HTTP like any client, to a running service or to one that it starts on a throw-away directory and ends.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from rearview.clock import new_id, system_now_ms
from rearview.ready_line import parse_ready

DAY_MS = 86_400_000
REQUEST_SECONDS = 60.0
STOP_SECONDS = 15.0
VECTOR_SECONDS = 60
SIGNS = {
    "stored": "+",
    "merged": "=",
    "superseded": "~",
    "pending": "?",
    "skipped": "-",
    "quarantined": "!",
    "suppressed": "x",
}
WORDS = {
    "stored": "kept",
    "merged": "said before",
    "superseded": "kept, and replaces what was known",
    "pending": "waits to be confirmed",
    "skipped": "not kept",
    "quarantined": "set aside as unsafe",
    "suppressed": "not to be mentioned",
}
TEXT_COLUMNS = 62
SHOWN = 3


def demo(args: argparse.Namespace) -> int:
    """Run the demo; returns 0, or 1 when a question that the story answers was not answered."""
    with _service(args) as (url, token):
        user = f"demo-{new_id()[:8]}"
        prefix = f"{url}/v1/users/{quote(user, safe='')}"
        with httpx.Client(
            base_url=prefix, timeout=REQUEST_SECONDS, trust_env=False, headers={"Authorization": f"Bearer {token}"}
        ) as client:
            outcomes, missed = play(client, conversation(), system_now_ms())
            client.delete(prefix).raise_for_status()
    print("\n" + ", ".join(f"{count} {WORDS[outcome]}" for outcome, count in outcomes.most_common()))
    print("Everything the demo stored was erased again.")
    for question in missed:
        print(f"rearview demo: the right memory was not found for: {question}", file=sys.stderr)
    return 1 if missed else 0


def conversation() -> list[dict[str, Any]]:
    """The shipped story: lines with `say` (and `as`, `days_ago`) or with `ask` (and what the answer must hold)."""
    text = files("rearview.demo").joinpath("conversation.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def play(client: httpx.Client, lines: list[dict[str, Any]], now_ms: int) -> tuple[Counter[str], list[str]]:
    """Write and ask, line by line. Returns how often each outcome came and the questions that found the wrong thing."""
    outcomes: Counter[str] = Counter()
    missed: list[str] = []
    waited = False
    for line in lines:
        if "say" in line:
            outcomes[_say(client, line, now_ms)] += 1
            continue
        if not waited:
            _wait_for_vectors(client)
            waited = True
        if not _ask(client, line):
            missed.append(line["ask"])
    return outcomes, missed


def _wait_for_vectors(client: httpx.Client) -> None:
    """Let the model's vectors of what was kept arrive, so that the answers are those of a day later on any machine.

    Until then searches rank by stand-in vectors. After `VECTOR_SECONDS` the demo asks all the same.
    """
    for _ in range(VECTOR_SECONDS):
        answer = client.get("/stats")
        answer.raise_for_status()
        if answer.json()["vectors_pending"] == 0:
            return
        time.sleep(1.0)
    print("\n(Not all vectors are there yet; the answers below are rougher than they will be.)")


def _say(client: httpx.Client, line: Mapping[str, Any], now_ms: int) -> str:
    said_at = _instant(now_ms - int(line["days_ago"]) * DAY_MS)
    body = {"content": line["say"], "source": line.get("as", "user"), "said_at": said_at, "conversation": "demo"}
    answer = client.post("/memories", json=body)
    answer.raise_for_status()
    reply = answer.json()
    outcome: str = reply["outcome"]
    who = "" if body["source"] == "user" else f"({body['source']}) "
    print(f"{SIGNS[outcome]} {fitted(who + line['say'], TEXT_COLUMNS)}  {WORDS[outcome]}")
    place = ""
    if reply["memory"]:
        place = f"{reply['memory']['tier']} {reply['memory']['category']}. "
    score = ""
    if reply["score"]:
        score = f" [score {reply['score']['total']:.2f}, {reply['score']['threshold']:.2f} needed]"
    print(f"    {place}{reply['reason']}{score}")
    return outcome


def _ask(client: httpx.Client, line: Mapping[str, Any]) -> bool:
    body = {"query": line["ask"], "top_k": SHOWN, "intent": line.get("intent", "auto")}
    if line.get("intent") == "history":
        body["statuses"] = ["active", "superseded"]
    answer = client.post("/search", json=body)
    answer.raise_for_status()
    reply = answer.json()
    print(f"\n> {line['ask']}" + ("  (history asked for)" if "statuses" in body else ""))
    for hit in reply["memories"]:
        print(f"    {hit['score']:.2f}  {hit['content']}")
        print(f"          {hit['why']['sentence']}")
    if reply["abstained"]:
        print(f"    nothing fits. {reply['hint']}")
    texts = [hit["content"] for hit in reply["memories"]]
    wanted, unwanted = [w for w in line.get("finds", "").split("||") if w], line.get("not")
    found = any(w in text for text in texts for w in wanted) if wanted else bool(reply["abstained"])
    return found and not (unwanted and any(unwanted in text for text in texts))


def fitted(text: str, columns: int) -> str:
    """The text cut or padded to a width in terminal columns, where a Chinese character takes two."""
    out, used = "", 0
    for char in text:
        wide = 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used + wide > columns - 1:
            return out + "…" + " " * (columns - used - 1)
        out, used = out + char, used + wide
    return out + " " * (columns - used)


def _instant(at_ms: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).isoformat()


@contextmanager
def _service(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """The URL and token of the service named by the arguments, or of one started for this run."""
    if args.url:
        if not args.token_file:
            raise SystemExit("rearview demo: --url needs --token-file")
        yield args.url.rstrip("/"), Path(args.token_file).read_text(encoding="ascii").strip()
        return
    with tempfile.TemporaryDirectory(prefix="rearview-demo-") as folder:
        command = [
            sys.executable,
            "-m",
            "rearview",
            "serve",
            "--port",
            str(args.port or 0),
            "--data-dir",
            args.data_dir or folder,
        ]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            ready = next((found for line in process.stdout if (found := parse_ready(line))), None)
            if ready is None:
                raise SystemExit("rearview demo: the service did not start; its messages are above")
            yield ready.url, Path(ready.token_file).read_text(encoding="ascii").strip()
        finally:
            process.terminate()
            process.wait(timeout=STOP_SECONDS)
