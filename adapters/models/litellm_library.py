"""The one door to litellm. Imported only inside the model host's process, and only when a model is configured.

At import litellm fetches a price list from the network unless a variable set before says no; it logs prompts at debug
level; and it repeats failed calls by itself, embeddings even when told not to (`max_retries or DEFAULT_MAX_RETRIES`,
measured: three requests and 4.3 s for a time-out of 1 s). All of that is switched off here: repeats, time-outs and
limits are `actors.model_gate`'s, and no text of a user is logged.
"""

import importlib
import inspect
import logging
import os
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any

from engine.errors import Unavailable

LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy", "openai", "httpx", "httpcore")
BEFORE_IMPORT = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR", "DEFAULT_MAX_RETRIES": "0"}
# What its own code raises on replies of an unexpected shape.
SHAPE_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError, OSError)
# An OpenAI-compatible server without a key still needs the header to hold something.
NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Which model, where, and with which key. Empty strings leave it to the provider that the name starts with."""

    model: str
    api_base: str = ""
    api_key: str = ""

    def arguments(self) -> dict[str, object]:
        """For every call: where to, and that nothing is repeated."""
        given: dict[str, object] = {"model": self.model, "num_retries": 0, "max_retries": 0}
        if self.api_base:
            given["api_base"] = self.api_base
        if self.api_key or self.api_base:
            given["api_key"] = self.api_key or NO_KEY
        return given

    def __repr__(self) -> str:
        return f"Endpoint({self.model!r}, {self.api_base!r})"  # The key is nobody's business.


def library() -> Any:
    """The module, made quiet. Takes seconds the first time. Raises: Unavailable when it is not installed."""
    os.environ.update(BEFORE_IMPORT)
    try:
        litellm: Any = importlib.import_module("litellm")
    except ImportError:
        raise Unavailable.of(
            "litellm is not installed: pip install '.[models]' in Rearview's folder", code="model_missing"
        ) from None
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True
    litellm.DEFAULT_MAX_RETRIES = 0
    litellm.disable_aiohttp_transport = True  # One HTTP stack in the process, and one that closes what it opened.
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


async def answered(call: Awaitable[Any]) -> Any:
    """What a call of litellm brings. Raises: Unavailable with a code by what went wrong, and none of its text."""
    try:
        return await call
    except _failures() as error:
        raise failure_of(error) from None


def _failures() -> tuple[type[BaseException], ...]:
    named = vars(library().exceptions).values()
    own = tuple(kind for kind in named if inspect.isclass(kind) and issubclass(kind, Exception))
    return (*own, *SHAPE_ERRORS)


def failure_of(error: BaseException) -> Unavailable:
    """An error of litellm as one of ours. Its text may hold the prompt, so it is dropped."""
    status = getattr(error, "status_code", None)
    if status == 408 or "Timeout" in type(error).__name__:
        return Unavailable.of("the model did not answer in time", code="model_timeout")
    if status == 429:
        return Unavailable.of("the model takes no more calls at the moment", code="model_rate_limited")
    if status in (401, 403, 404):
        return Unavailable.of("the model's server refused the key or does not know the model", code="model_denied")
    if status in (400, 413, 422):
        return Unavailable.of("the model's server refused the request", code="model_bad_request")
    if isinstance(error, SHAPE_ERRORS) and not isinstance(status, int):
        return Unavailable.of("the model's reply cannot be read", code="model_reply")
    return Unavailable.of("the model's server failed", code="model_failed")


def tokens_of(reply: Any, texts_chars: int) -> int:
    """Tokens that a reply says were used, else an estimate that does not under-count: one for each character."""
    used = getattr(getattr(reply, "usage", None), "total_tokens", None)
    return used if isinstance(used, int) and used > 0 else texts_chars
