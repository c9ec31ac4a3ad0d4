"""The judging model through litellm: structured output, then a JSON object, then plain text, whatever the server takes.

A server that refuses a `response_format` answers 400; the next plainer form is tried at once and remembered. A reply
that was cut off, refused, too long or not to be read is a failure: the caller decides by rules.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from actors.model_gate import Done
from adapters.models.judge_prompts import OPINION, STATEMENTS, Message, extract_messages, judge_messages
from adapters.models.litellm_library import Endpoint, answered, library, tokens_of
from engine.errors import Unavailable
from engine.judgement import REPLY_CHARS_MAX, read_opinion, read_statements

OPINION_TOKENS_MAX = 1_000  # Room for a model that thinks aloud before its object.
STATEMENTS_TOKENS_MAX = 4_000
FORMS = ("json_schema", "json_object", "text")
_THOUGHT = re.compile(r"^\s*<think>.*?</think>", re.DOTALL)


class LitellmJudge:
    """Implements `actors.model_host.JudgeModel`."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._form = 0

    async def judge(self, args: Mapping[str, object], seconds: float) -> Done[Mapping[str, object]]:
        """`statement` and `known` (texts) -> `importance` and `relations` (`memory` from 0, `relation`)."""
        known = [str(text) for text in cast("Sequence[object]", args["known"])]
        messages = judge_messages(cast("Mapping[str, object]", args["statement"]), known)
        reply, tokens = await self.said(messages, "opinion", OPINION, OPINION_TOKENS_MAX, seconds)
        opinion = read_opinion(reply, [(str(number), 0) for number in range(len(known))])
        if opinion is None:
            raise Unavailable.of("the model's reply holds no opinion", code="model_reply")
        relations = [{"memory": int(number), "relation": r} for number, r in opinion.relations.items()]
        return Done({"importance": opinion.importance, "relations": relations}, tokens)

    async def extract(self, args: Mapping[str, object], seconds: float) -> Done[Mapping[str, object]]:
        """`turns` (`role`, `content`) -> `statements` (`text`, `turn` from 0, `importance`)."""
        turns = cast("Sequence[Mapping[str, object]]", args["turns"])
        messages = extract_messages(turns)
        reply, tokens = await self.said(messages, "statements", STATEMENTS, STATEMENTS_TOKENS_MAX, seconds)
        found = read_statements(reply, len(turns))
        if found is None:
            raise Unavailable.of("the model's reply holds no statements", code="model_reply")
        rows = [{"text": one.text, "turn": one.turn, "importance": one.importance} for one in found]
        return Done({"statements": rows}, tokens)

    async def said(
        self, messages: list[Message], name: str, schema: Mapping[str, object], tokens_max: int, seconds: float
    ) -> tuple[str, int]:
        """The text of a whole reply, and the tokens used. Raises: Unavailable."""
        while True:
            form = self._form
            try:
                reply = await self._asked(messages, _format(FORMS[form], name, schema), tokens_max, seconds)
                break
            except Unavailable as error:
                if error.code != "model_bad_request" or form + 1 == len(FORMS):
                    raise
                self._form = max(self._form, form + 1)
        return _text_of(reply), tokens_of(reply, sum(len(message["content"]) for message in messages))

    async def _asked(
        self, messages: list[Message], response_format: Mapping[str, object] | None, tokens_max: int, seconds: float
    ) -> Any:
        arguments = {
            **self._endpoint.arguments(),
            "messages": messages,
            "timeout": seconds,
            "temperature": 0,
            "max_tokens": tokens_max,
        }
        if response_format is not None:
            arguments["response_format"] = response_format
        return await answered(library().acompletion(**arguments))


def _format(form: str, name: str, schema: Mapping[str, object]) -> Mapping[str, object] | None:
    if form == "json_schema":
        return {"type": form, "json_schema": {"name": name, "strict": True, "schema": schema}}
    return {"type": form} if form == "json_object" else None


def _text_of(reply: Any) -> str:
    """The text of a reply that came to its end. Raises: Unavailable for every other reply."""
    try:
        choice = reply.choices[0]
        text, ended = choice.message.content, choice.finish_reason
    except (AttributeError, IndexError, TypeError):
        raise Unavailable.of("the model's reply cannot be read", code="model_reply") from None
    if ended == "length":
        raise Unavailable.of("the model's reply was cut off", code="model_cut_off")
    if ended == "content_filter" or not isinstance(text, str) or not text.strip():
        raise Unavailable.of("the model would not answer", code="model_refused")
    if len(text) > REPLY_CHARS_MAX:
        raise Unavailable.of("the model's reply is longer than any that was asked for", code="model_reply")
    return _THOUGHT.sub("", text)
