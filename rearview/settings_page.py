"""The table of docs/settings.md, made from the settings themselves so that it cannot be wrong.

python -m rearview.settings_page > docs/settings.md
"""

import sys
from collections.abc import Iterator

from pydantic import BaseModel, SecretStr

from rearview.settings import PREFIX, Settings

HEAD = """# Settings

From `rearview.toml` in the working directory, then `REARVIEW_*` variables (groups nested with `__`), then flags of
`rearview serve`. An unknown name is an error, and so is a value that cannot be used; the message names the setting and
never shows the value. In `rearview.toml` a group is a table: `[http]` with `port = 8100` is `REARVIEW_HTTP__PORT=8100`.

This page is made by `python -m rearview.settings_page`.

"""
TAIL = """## Variables of the clients

`REARVIEW_URL` and `REARVIEW_TOKEN` tell `rearview write|search|list|forget|export|import|erase|token`
and `rearview mcp` which service to talk to and what to show it.
"""


def rows() -> Iterator[tuple[str, str, list[tuple[str, str, str]]]]:
    """Groups as (name, what it is for, [(variable, default, comment)])."""
    plain = []
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
            plain.append((PREFIX + name.upper(), shown(field.default), ""))
    yield "General", "", plain
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            inner = [
                (f"{PREFIX}{name.upper()}__{part.upper()}", shown(spec.default), spec.description or "")
                for part, spec in kind.model_fields.items()
            ]
            yield name, " ".join((kind.__doc__ or "").split()), inner


def shown(value: object) -> str:
    """A default as one writes it; a secret's is never anything but empty."""
    if value is None or isinstance(value, SecretStr) or value in ("", ()):
        return "*empty*"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, purpose, variables in rows():
        parts.append(f"## {name}\n\n{purpose}\n\n" if purpose else f"## {name}\n\n")
        parts.append("| variable | default |  |\n| --- | --- | --- |\n")
        parts += [f"| `{variable}` | {default} | {comment} |\n" for variable, default, comment in variables]
        parts.append("\n")
    return "".join([*parts, TAIL])


if __name__ == "__main__":
    sys.stdout.write(page())
