"""The OpenAPI document, made from the table of endpoints, so that it cannot tell of other routes than there are."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from adapters.http.calls import Endpoint
from adapters.http.errors import PROBLEM_JSON
from adapters.http.replies import REPLIES

Schema = dict[str, Any]

_REFUSALS = {
    "400": "Malformed JSON.",
    "401": "No valid token.",
    "403": "The token does not reach that far.",
    "404": "No such memory, or a user outside the token.",
    "409": "The idempotency key belongs to another body.",
    "412": "The memory has changed since that version.",
    "413": "Longer than a limit.",
    "415": "Not JSON.",
    "421": "Not one of the configured host names.",
    "422": "A value is missing or wrong.",
    "429": "More requests than the token has; see Retry-After.",
    "500": "Something broke inside.",
    "503": "Nothing was written; send again.",
    "504": "It may have been written; send again with the same Idempotency-Key.",
}
_PROBLEM: Schema = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "request_id"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "request_id": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "code", "detail"],
                "properties": {"field": {"type": "string"}, "code": {"type": "string"}, "detail": {"type": "string"}},
            },
        },
    },
}


def openapi_document(endpoints: Iterable[Endpoint], *, version: str, public_url: str) -> Schema:
    """OpenAPI 3.1 of the whole version 1 API."""
    schemas: Schema = {"Problem": _PROBLEM}
    paths: Schema = {}
    for endpoint in endpoints:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, schemas)
    paths["/healthz"] = {"get": _open_operation("healthz", "Alive", {"200": "Alive."})}
    paths["/readyz"] = {"get": _open_operation("readyz", "Ready", {"200": "Ready.", "503": "Still recovering."})}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Rearview",
            "version": version,
            "description": "A memory engine for LLM agents. `/v1/me` stands for `/v1/users/{user}` with a token "
            "for exactly one user.",
        },
        "servers": [{"url": public_url.rstrip("/")}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}}},
    }


def _operation(endpoint: Endpoint, schemas: Schema) -> Schema:
    operation: Schema = {
        "operationId": endpoint.operation,
        "summary": endpoint.summary,
        "description": (endpoint.handler.__doc__ or "").strip() + f" Role: {endpoint.role}.",
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint.query), *_headers(endpoint)],
        "responses": _responses(endpoint),
    }
    if endpoint.streams_in:
        operation["requestBody"] = {
            "required": True,
            "content": {
                "application/x-ndjson": {
                    "schema": {"type": "string", "description": "One JSON object a line."},
                    "example": '{"content": "我对花生过敏。", "category": "fact"}\n',
                }
            },
        }
    elif endpoint.body is not None:
        name = _add_schema(endpoint.body, schemas)
        operation["requestBody"] = {
            "required": not endpoint.body_optional,
            "content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}},
        }
    return operation


def _responses(endpoint: Endpoint) -> Schema:
    responses: Schema = {}
    for status, (media, example) in REPLIES[endpoint.operation].items():
        content: Schema = {"schema": {"type": "object" if media == "application/json" else "string"}}
        responses[status] = {"description": "Done.", "content": {media: {**content, "example": example}}}
    problem = {"content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    for status, sentence in _REFUSALS.items():
        responses[status] = {"description": sentence, **problem}
    return responses


def _path_parameters(path: str) -> list[Schema]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": "Percent-encoded, a slash as %2F.",
            "schema": {
                "type": "string",
                "minLength": 1,
                "maxLength": 256 if name == "user" else 128,
                "pattern": r"^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+$",
            },
        }
        for name in re.findall(r"\{(\w+)\}", path)
    ]


def _query_parameters(query: type[BaseModel]) -> list[Schema]:
    schema = query.model_json_schema()
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": _flat(field),
            **({"description": field["description"]} if "description" in field else {}),
        }
        for name, field in schema["properties"].items()
    ]


def _headers(endpoint: Endpoint) -> list[Schema]:
    headers: list[Schema] = []
    if endpoint.method in {"POST", "PATCH", "DELETE", "PUT"}:
        headers.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": False,
                "description": "The same key and body give the same outcome for 24 h.",
                "schema": {"type": "string", "maxLength": 256, "pattern": "^[ -~]*$"},
            }
        )
    if endpoint.operation == "edit_memory":
        headers.append(
            {
                "name": "If-Match",
                "in": "header",
                "required": False,
                "description": "The ETag read before.",
                "schema": {"type": "string", "pattern": '^"[0-9]{1,15}"$'},
            }
        )
    return headers


def _add_schema(body: type[BaseModel], schemas: Schema) -> str:
    schema = body.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(schema.pop("$defs", {}))
    schemas[body.__name__] = schema
    return body.__name__


def _flat(field: Mapping[str, Any]) -> Schema:
    kept = {key: value for key, value in field.items() if key not in {"title", "description"}}
    choices = [choice for choice in kept.pop("anyOf", []) if choice.get("type") != "null"]
    if len(choices) == 1:
        kept = {**choices[0], **{k: v for k, v in kept.items() if v is not None}}
    elif choices:
        kept["anyOf"] = choices
    return kept


def _open_operation(operation: str, summary: str, replies: Mapping[str, str]) -> Schema:
    return {
        "operationId": operation,
        "summary": summary,
        "security": [],
        "responses": {
            status: {"description": sentence, "content": {"application/json": {"schema": {"type": "object"}}}}
            for status, sentence in replies.items()
        },
    }
