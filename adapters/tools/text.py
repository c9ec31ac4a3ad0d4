"""The one way a result becomes text: compact JSON, so that no tokens are spent on blanks."""

import json


def to_json(value: object) -> str:
    """Compact JSON; letters of every language stay as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def error_payload(code: str, field: str, message: str, *, hint: str, retryable: bool) -> dict[str, object]:
    """What a tool answers instead of a result. Dify ignores the error flag, so the text says it is one."""
    return {"status": "error", "code": code, "field": field, "message": message, "hint": hint, "retryable": retryable}
