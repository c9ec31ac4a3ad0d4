"""What the model host counts, in the Prometheus text format. Numbers by purpose; never a text, never a user."""

from collections.abc import Iterator, Mapping
from typing import cast

from actors.model_client import ModelCalls, ModelClient
from engine.errors import RearviewError

SECONDS_MAX = 1.0
_HELP = (
    ("rearview_models_up", "gauge", "Whether the model host answers."),
    ("rearview_model_calls_total", "counter", "Calls of remote models by purpose and how they ended."),
    ("rearview_model_attempts_total", "counter", "Requests really sent to remote models, repeats included."),
    ("rearview_model_breaker_open", "gauge", "Whether the breaker keeps calls away from the model."),
    ("rearview_model_breaker_opened_total", "counter", "Times the breaker opened."),
    ("rearview_model_calls_today", "gauge", "Calls of this UTC day, against models.daily_calls."),
    ("rearview_model_tokens_today", "gauge", "Tokens of this UTC day, against models.daily_tokens."),
)


async def model_metrics(calls: ModelCalls) -> str:
    """The lines for `/metrics`; a model host that does not answer is one line saying so."""
    try:
        stats = await ModelClient(calls).ask("stats", {}, seconds=SECONDS_MAX)
    except RearviewError:
        stats = {}
    samples = list(_samples(cast("Mapping[str, Mapping[str, object]]", stats)))
    lines: list[str] = []
    for name, kind, words in _HELP:
        found = [sample for sample in samples if sample.startswith((f"{name}{{", f"{name} "))]
        if found:
            lines += [f"# HELP {name} {words}", f"# TYPE {name} {kind}", *found]
    return "\n".join(lines) + "\n"


def _samples(stats: Mapping[str, Mapping[str, object]]) -> Iterator[str]:
    yield f"rearview_models_up {int(bool(stats))}"
    for purpose, counts in sorted(stats.items()):
        failed = cast("Mapping[str, int]", counts["failed"])
        for result, number in sorted({"ok": counts["ok"], **failed}.items()):
            yield f'rearview_model_calls_total{{purpose="{purpose}",result="{result}"}} {number}'
        label = f'{{purpose="{purpose}"}}'
        yield f"rearview_model_attempts_total{label} {counts['attempts']}"
        yield f"rearview_model_breaker_open{label} {int(counts['breaker'] == 'open')}"
        yield f"rearview_model_breaker_opened_total{label} {counts['opened']}"
        yield f"rearview_model_calls_today{label} {counts['calls_today']}"
        yield f"rearview_model_tokens_today{label} {counts['tokens_today']}"
