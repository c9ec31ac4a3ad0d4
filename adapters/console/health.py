"""How the service is: hosts, store, models, and how long operations take."""

from collections.abc import Mapping, Sequence
from typing import cast

from adapters.console.site import Answer, Page
from adapters.console.visit import Shown, Visit
from adapters.identity import Forbidden

PLOT_WIDTH, PLOT_HEIGHT = 240.0, 44.0


async def health(visit: Visit) -> Answer:
    """For those whose business is everyone. The figures alone where the page asks for them again."""
    if not visit.who.sees_everyone:
        raise Forbidden.of("This needs a token for all users.")
    found: Mapping[str, object] = {} if visit.parts.health is None else await visit.parts.health()
    plots = [
        {**one, "bars": bars_of(cast("Sequence[int]", one["counts"]))}
        for one in cast("Sequence[Mapping[str, object]]", found.get("latency", ()))
    ]
    template = "health_figures.html" if visit.partial == "figures" else "health.html"
    return Shown(template, {"found": found, "plots": plots})


def bars_of(counts: Sequence[int]) -> list[dict[str, float]]:
    """One bar for each bucket, in the units of the plot; the highest fills it."""
    most, width = max([1, *counts]), PLOT_WIDTH / max(1, len(counts))
    return [
        {
            "x": round(place * width, 2),
            "width": round(width - 2, 2),
            "y": round(PLOT_HEIGHT * (1 - count / most), 2),
            "height": round(PLOT_HEIGHT * count / most, 2),
        }
        for place, count in enumerate(counts)
    ]


PAGES = (Page(method="GET", path="/health", handler=health, role="admin", about="service"),)
