"""uvicorn's HTTP parser with bounds, and with problem documents for what is no HTTP at all.

The parser keeps a URL and headers of any length and answers nonsense with plain text. A client that sends an id of
100 KB deserves the same kind of answer as one that sends 300 bytes.
"""

import os

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from adapters.http.errors import PROBLEM_JSON, HttpProblem, document

URL_BYTES_MAX = 32_768
HEADER_BYTES_MAX = 65_536
_USER_PATH = b"/v1/users/"


class BoundedProtocol(HttpToolsProtocol):
    """For `uvicorn.Config(http=BoundedProtocol)`."""

    _header_bytes = 0
    _over = ""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._header_bytes = 0
        self._over = ""

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > URL_BYTES_MAX:
            self._over = "user_id" if self.url.startswith(_USER_PATH) else "path"
            raise ValueError("the URL is over its limit")

    def on_header(self, name: bytes, value: bytes) -> None:
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > HEADER_BYTES_MAX:
            self._over = "headers"
            raise ValueError("the headers are over their limit")
        super().on_header(name, value)

    def send_400_response(self, msg: str) -> None:
        """Answer with a problem document and close; `msg` is uvicorn's fixed sentence and says nothing more."""
        request_id = os.urandom(12).hex()  # No request got as far as having one.
        problem = _too_large(self._over) if self._over else HttpProblem(400, "bad_request", "This is not valid HTTP.")
        body = document(problem, request_id)
        head = (
            f"HTTP/1.1 {problem.status} {'Content Too Large' if self._over else 'Bad Request'}\r\n"
            f"content-type: {PROBLEM_JSON}\r\ncontent-length: {len(body)}\r\nx-request-id: {request_id}\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(head.encode("ascii") + body)
        self.transport.close()


def _too_large(field: str) -> HttpProblem:
    limit = HEADER_BYTES_MAX if field == "headers" else URL_BYTES_MAX
    detail = f"At most {limit} bytes."
    return HttpProblem(
        413, "too_large", f"{field}: {detail}", faults=[{"field": field, "code": "too_large", "detail": detail}]
    )
