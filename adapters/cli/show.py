"""Replies as a person reads them: one thing a line, columns that line up, in Chinese too."""

import unicodedata
from collections.abc import Mapping
from typing import Any

TEXT_COLUMNS = 64
DIMENSIONS = ("density", "relevance", "durability", "explicitness")
WORDS = {
    "stored": "kept",
    "merged": "known already",
    "superseded": "kept, and replaces what was known",
    "pending": "waits to be confirmed",
    "skipped": "not kept",
    "quarantined": "set aside as unsafe",
    "suppressed": "not to be mentioned",
}


def one_line(text: str, columns: int = TEXT_COLUMNS) -> str:
    """The text on one line of so many columns, cut with an ellipsis; wide characters take two."""
    shown, used = "", 0
    for character in " ".join(printable(text).split()):
        width = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if used + width > columns - 1:
            return shown + "…" + " " * (columns - used - 1)
        shown += character
        used += width
    return shown + " " * (columns - used)


def printable(text: str) -> str:
    """The text without what would steer a terminal: stored text is data, whoever wrote it."""
    return "".join(c if c.isprintable() or c in "\n\t" else "\N{REPLACEMENT CHARACTER}" for c in text)


def written(reply: Mapping[str, Any]) -> str:
    """What became of a write."""
    memory = reply.get("memory")
    lines = [f"{reply['outcome']}: {WORDS.get(reply['outcome'], '')}. {printable(reply['reason'])}"]
    if memory:
        lines.append(f"  {memory['id']}  {memory['tier']} {memory['category']}  {one_line(memory['content']).rstrip()}")
    score = reply.get("score")
    if score:
        parts = ", ".join(f"{name} {score[name]:.2f}" for name in DIMENSIONS)
        lines.append(f"  score {score['total']:.2f} (threshold {score['threshold']:.2f}): {parts}")
    lines += [f"  {related['relation']}: {related['id']}" for related in reply.get("related", [])]
    return "\n".join(lines)


def found(reply: Mapping[str, Any]) -> str:
    """What a search found, and why."""
    if not reply["memories"]:
        return f"Nothing fits. {printable(reply['hint'])}".rstrip()
    lines = []
    for hit in reply["memories"]:
        lines.append(f"{hit['score']:.2f}  {one_line(hit['content'])}  {hit['id']}")
        sentence = hit.get("why", {}).get("sentence")
        if sentence:
            lines.append(f"      {printable(sentence)}")
    return "\n".join(lines)


def listed(memories: list[Mapping[str, Any]], total: int) -> str:
    """A page of memories."""
    lines = [
        f"{memory['created_at'][:10]}  {memory['tier']:<8} {memory['category']:<10} {memory['status']:<10} "
        f"{one_line(memory['content'])}  {memory['id']}"
        for memory in memories
    ]
    return "\n".join([*lines, f"{len(memories)} of {total}"])


def tokens(entries: list[Mapping[str, Any]]) -> str:
    """Tokens, never with their secrets."""
    return "\n".join(
        f"{token['token_id']}  {token['role']:<5}  users {', '.join(map(printable, token['users']))}"
        f"{'  agent ' + printable(token['agent']) if token['agent'] else ''}"
        f"{'  expires ' + token['expires_at'] if token['expires_at'] else ''}"
        f"{_pace(token)}"
        for token in entries
    )


def _pace(token: Mapping[str, Any]) -> str:
    """Its own limits; without any it has the usual ones."""
    own = [(token.get("per_minute"), "minute"), (token.get("per_day"), "day")]
    return "".join(f"  {number or 'any number'} a {unit}" for number, unit in own if number is not None)


def erased(reply: Mapping[str, Any]) -> str:
    """A receipt."""
    counts = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in reply["erased"].items())
    done = "no file holds it any more" if reply["aof_rewritten"] else f"files rewritten by {reply['complete_by']}"
    return f"Erased: {counts}.\nReceipt {reply['receipt']}; {done}."


def audited(reply: Mapping[str, Any]) -> str:
    """A page of the audit trail, newest first."""
    lines = []
    for entry in reply["entries"]:
        changes = ", ".join(f"{change['count']} {change['what']}" for change in entry["changes"])
        who = f"token {printable(entry['by'])}" if entry["by"] else "by itself"
        lines.append(f"{entry['number']:>8}  {entry['at'][:19]}  {entry['action']:<16} {who}  {changes}".rstrip())
    return "\n".join([*lines, f"{len(lines)} of {reply['total']}"])


def verified(reply: Mapping[str, Any]) -> str:
    """What the check of an audit trail found."""
    if reply["ok"]:
        return f"All {reply['entries']} entries are as they were written. Head {reply['head']}."
    return f"Entry {reply['broken_at']} is broken: {printable(reply['reason'])}"
