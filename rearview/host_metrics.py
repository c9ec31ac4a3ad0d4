"""What the hosts count, in the Prometheus text format. A host of one user is never named: its name tells whose."""

from collections.abc import Iterator, Mapping, Sequence

DEDICATED = "dedicated"
_HELP = (
    ("rearview_host_up", "gauge", "Whether a host answers; for hosts of users' own, how many do."),
    ("rearview_live_users", "gauge", "Users in memory."),
    ("rearview_vectors_waiting", "gauge", "Memories that still stand on a stand-in vector."),
    ("rearview_judgements_waiting", "gauge", "Writes that a judge has yet to look at."),
    ("rearview_users_hydrated_total", "counter", "Users read from storage."),
    ("rearview_users_passivated_total", "counter", "Users written to storage and dropped from memory."),
    ("rearview_users_damaged_total", "counter", "Users whose stored bytes failed a check."),
    ("rearview_snapshots_total", "counter", "Snapshots written in the background."),
    ("rearview_background_failures_total", "counter", "Background work that failed and is tried again."),
)
_FIGURES = {
    "rearview_live_users": "live_users",
    "rearview_vectors_waiting": "vectors_waiting",
    "rearview_judgements_waiting": "judgements_waiting",
    "rearview_users_hydrated_total": "hydrated",
    "rearview_users_passivated_total": "passivated",
    "rearview_users_damaged_total": "damaged",
    "rearview_snapshots_total": "snapshots",
    "rearview_background_failures_total": "failures",
}


def host_metrics(figures: Mapping[str, Mapping[str, int]], shared: Sequence[str]) -> str:
    """The lines for `/metrics`. `figures` is empty for a host that does not answer; `shared` are the hosts of many."""
    rows = {name: [figures.get(name, {})] for name in shared}
    rows[DEDICATED] = [one for name, one in figures.items() if name not in rows]
    return "\n".join(line for name, kind, words in _HELP for line in _lines(name, kind, words, rows)) + "\n"


def _lines(name: str, kind: str, words: str, rows: Mapping[str, Sequence[Mapping[str, int]]]) -> Iterator[str]:
    yield f"# HELP {name} {words}"
    yield f"# TYPE {name} {kind}"
    figure = _FIGURES.get(name)
    for host, ones in rows.items():
        number = sum(bool(one) if figure is None else one.get(figure, 0) for one in ones)
        yield f'{name}{{host="{host}"}} {number}'
