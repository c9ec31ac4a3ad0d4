"""Keep a result small enough for every client: below about 10,000 tokens, whatever the memories hold.

Clients warn or cut at 10,000 tokens and some drop the whole result at 25,000. So that no memory is lost, long
contents are shortened (an ellipsis marks it) and all of them stay: each gets an equal share, and what short ones
leave goes to the longer ones.
"""

from typing import Any

from adapters.tools.text import to_json

TOKENS_MAX = 9_000
ELLIPSIS = "…"


def tokens_of(text: str) -> float:
    """A cautious guess without a tokenizer: 3 ASCII characters a token, and 2 bytes of UTF-8 for anything else.

    Tokenizers of the large models need 0.7 to 1.3 tokens for a Chinese character; this counts 1.5.
    """
    ascii_count = sum(1 for letter in text if letter < "\x80")
    return ascii_count / 3 + (len(text.encode("utf-8", "replace")) - ascii_count) / 2


def fit(result: dict[str, object], tokens_max: int = TOKENS_MAX) -> dict[str, object]:
    """The result with the `content` of it, and of its `memories`, shortened until it fits."""
    if tokens_of(to_json(result)) <= tokens_max:
        return result
    listed = result.get("memories")
    rows: list[dict[str, Any]] = listed if isinstance(listed, list) else [result]
    costs = [tokens_of(to_json(str(row["content"]))) for row in rows]
    left = max(tokens_max - (tokens_of(to_json(result)) - sum(costs)), 0.0)
    share = equal_share(costs, left)
    cut = [{**row, "content": shorten(str(row["content"]), share)} for row in rows]
    return {**result, "memories": cut} if isinstance(listed, list) else cut[0]


def equal_share(costs: list[float], total: float) -> float:
    """The largest share such that the sum of min(cost, share) does not pass `total`."""
    left, waiting = total, len(costs)
    for cost in sorted(costs):
        if cost * waiting > left:
            return left / waiting
        left, waiting = left - cost, waiting - 1
    return max(costs, default=0.0)


def shorten(content: str, tokens_max: float) -> str:
    """As much of the start as fits, with an ellipsis where something was cut."""
    if tokens_of(to_json(content)) <= tokens_max:
        return content
    low, high = 0, len(content)
    while low < high:
        middle = (low + high + 1) // 2
        if tokens_of(to_json(content[:middle] + ELLIPSIS)) <= tokens_max:
            low = middle
        else:
            high = middle - 1
    return content[:low] + ELLIPSIS
