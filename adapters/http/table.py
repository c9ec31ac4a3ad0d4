"""Every route of the API in one table, hottest first. Tests enumerate it, the OpenAPI document is made from it."""

from collections.abc import Iterator

from starlette.routing import Route

from adapters.http import admin, audit, conversations, memories, recall, replay, suppressions, transfer, users
from adapters.http.calls import Endpoint, Resource
from adapters.http.parts import HttpParts

USER_PREFIX = "/v1/users/{user}"
ONE_USER_PREFIX = "/v1/me"

ENDPOINTS: tuple[Endpoint, ...] = (
    *recall.ENDPOINTS,
    *memories.ENDPOINTS,
    *conversations.ENDPOINTS,
    *suppressions.ENDPOINTS,
    *replay.ENDPOINTS,
    *users.ENDPOINTS,
    *audit.ENDPOINTS,
    *transfer.ENDPOINTS,
    *admin.ENDPOINTS,
)


def api_routes(parts: HttpParts) -> Iterator[Route]:
    """One route per path, and its twin under `/v1/me` where a path names a user."""
    by_path: dict[str, dict[str, Endpoint]] = {}
    for endpoint in ENDPOINTS:
        assert endpoint.method not in by_path.get(endpoint.path, {}), "two endpoints for one method and path"
        by_path.setdefault(endpoint.path, {})[endpoint.method] = endpoint
    for path, endpoints in by_path.items():
        resource = Resource(path, endpoints, parts)
        yield Route(path, resource)
        if path.startswith(USER_PREFIX):
            yield Route(ONE_USER_PREFIX + path.removeprefix(USER_PREFIX), resource)
