"""The page at /docs: every route on one page, readable without a network and without scripts."""

from collections.abc import Iterable
from html import escape
from json import dumps

from adapters.http.calls import Endpoint
from adapters.http.replies import REPLIES

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 54rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.2rem; font-size: 1.05rem; } code, pre { font-family: ui-monospace, monospace; font-size: .88rem; }
pre { overflow-x: auto; padding: .8rem; border: 1px solid #8884; border-radius: 6px; }
.method { font-weight: 700; } .quiet { opacity: .75; }
"""


def docs_page(endpoints: Iterable[Endpoint], *, version: str) -> str:
    """The whole page."""
    sections = "\n".join(_section(endpoint) for endpoint in endpoints)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Rearview HTTP API</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head><body>'
        f"<h1>Rearview HTTP API</h1><p class=quiet>Version {escape(version)}. Machines read "
        f'<a href="/openapi.json">openapi.json</a>. With a token for exactly one user, <code>/v1/me</code> stands for '
        f"<code>/v1/users/{{user}}</code>.</p>{sections}</body></html>"
    )


def _section(endpoint: Endpoint) -> str:
    parts = [
        f"<h2><span class=method>{endpoint.method}</span> <code>{escape(endpoint.path)}</code></h2>"
        f"<p>{escape((endpoint.handler.__doc__ or endpoint.summary).strip())} "
        f"<span class=quiet>Role: {endpoint.role}.</span></p>"
    ]
    query = list(endpoint.query.model_json_schema()["properties"])
    parts.append(f"<p class=quiet>Query: {', '.join(f'<code>{escape(name)}</code>' for name in query)}</p>")
    if endpoint.body is not None:
        fields = endpoint.body.model_json_schema()["properties"]
        parts.append(f"<p class=quiet>Body: {', '.join(f'<code>{escape(name)}</code>' for name in fields)}</p>")
    for status, (_, example) in REPLIES[endpoint.operation].items():
        text = example if isinstance(example, str) else dumps(example, ensure_ascii=False, indent=1)
        parts.append(f"<pre>{status}\n{escape(text)}</pre>")
    return "\n".join(parts)
