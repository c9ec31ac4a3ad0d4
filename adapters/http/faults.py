"""Why a body was refused, where the fast parser only says that it was."""

import json
import re

from adapters.http.errors import HttpProblem

_HALF = re.compile("[\ud800-\udfff]")


def explain_bad_json(raw: bytes) -> HttpProblem | None:
    """The problem of a body that is JSON but for a broken character in one of its texts; None for anything else.

    The fast parser stops at half a surrogate pair without telling where; a caller should learn which field it is in.
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    field = _broken_field(body, "")
    if field is None:
        return None
    detail = "Half of a surrogate pair is not a character."
    return HttpProblem(
        422,
        "bad_characters",
        f"{field}: {detail}",
        faults=[{"field": field, "code": "bad_characters", "detail": detail}],
    )


def _broken_field(value: object, place: str) -> str | None:
    if isinstance(value, str):
        return place or "body" if _HALF.search(value) else None
    if isinstance(value, dict):
        for name, inner in value.items():
            if _HALF.search(name):
                return place or "body"
            found = _broken_field(inner, place or name[:64])
            if found is not None:
                return found
    if isinstance(value, list):
        return next((found for inner in value if (found := _broken_field(inner, place)) is not None), None)
    return None
