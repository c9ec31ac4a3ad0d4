"""Errors as problem documents (RFC 9457). Domain errors know no status codes; this file gives them theirs.

What a caller sent is never repeated in an answer: texts end up in logs, proxies and prompts. The only words of the
caller that come back are the names of fields it made up, cut short.
"""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from pydantic import ValidationError
from pydantic_core import ErrorDetails, to_json

from adapters.statuses import status_of
from engine.errors import RearviewError

PROBLEM_JSON = "application/problem+json"
RETRY_AFTER_S = 1
FIELD_CHARS_MAX = 64
ERRORS_SHOWN_MAX = 20

Fault = dict[str, str]  # {field, code, detail}

_CODE_OF_PYDANTIC = {
    "extra_forbidden": ("unknown_field", "There is no such field."),
    "missing": ("missing_field", "This field is needed."),
    "string_too_short": ("empty", "It must not be empty."),
    "string_too_long": ("too_large", ""),
    "too_long": ("too_large", ""),
    "model_type": ("invalid_value", "A JSON object is needed."),
    "json_invalid": ("bad_json", "The body is not valid JSON."),
}


class HttpProblem(Exception):
    """A fault of the request as HTTP: no token, wrong method, wrong host. Domain faults are `RearviewError`s."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        faults: Sequence[Fault] = (),
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = dict(headers or {})
        self.faults = tuple(faults)


def problem_of(error: RearviewError) -> HttpProblem:
    """The problem that tells of a domain error."""
    status = status_of(error)
    field, sentence = error.field, error.sentence
    faults = [{"field": field, "code": error.code, "detail": sentence}] if field else []
    headers = {"Retry-After": str(RETRY_AFTER_S)} if status in (503, 504) else {}
    return HttpProblem(status, error.code, _with_field(field, sentence), headers=headers, faults=faults)


def problem_of_validation(error: ValidationError) -> HttpProblem:
    """The problem that tells what is wrong with a body or a query, by field, without its values."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    faults = [_fault(detail) for detail in details[:ERRORS_SHOWN_MAX]]
    first = faults[0]
    status = {"bad_json": 400, "too_large": 413}.get(first["code"], 422)
    if status == 413 and any(fault["code"] != "too_large" for fault in faults):
        status = 422  # Shortening alone would not make it right.
    return HttpProblem(
        status,
        first["code"],
        _with_field(first["field"], first["detail"]),
        faults=[fault for fault in faults if fault["field"]],
    )


def document(problem: HttpProblem, request_id: str) -> bytes:
    """The body of the answer."""
    shown: dict[str, object] = {
        "type": f"urn:rearview:problem:{problem.code}",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "code": problem.code,
        "request_id": request_id,
    }
    if problem.faults:
        shown["errors"] = list(problem.faults)
    return to_json(shown)


def _fault(detail: ErrorDetails) -> Fault:
    code, sentence = _CODE_OF_PYDANTIC.get(detail["type"], ("invalid_value", ""))
    return {"field": _field_name(detail["loc"]), "code": code, "detail": sentence or _sentence(detail["msg"])}


def _field_name(places: tuple[int | str, ...]) -> str:
    name = ".".join(str(place) for place in places)
    shown = "".join(c if c.isprintable() else "?" for c in name[:FIELD_CHARS_MAX])
    return shown + ("…" if len(name) > FIELD_CHARS_MAX else "")


def _sentence(message: str) -> str:
    text = message.removeprefix("Value error, ").replace("Input should", "It should", 1)
    return text if text.endswith(".") else text + "."


def _with_field(field: str, sentence: str) -> str:
    return f"{field}: {sentence}" if field and not sentence.startswith(field) else sentence
