"""Templates into pages, and the headers that every answer of the console carries."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from adapters.console import shown
from adapters.console.visit import Shown, Visit, url
from adapters.rendering import rfc3339

FOLDER = Path(__file__).parent
TEMPLATES = FOLDER / "templates"
ASSETS = FOLDER / "assets"
ASSET_MEDIA = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

# No inline script or style anywhere: what a memory says can at worst be read.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": browsers then send `Origin: null` with forms, and the check of the origin needs it.
    "referrer-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
    "vary": "Cookie, Accept-Language, HX-Request",
}


class Assets:
    """Style sheet, scripts and icons, read once; their addresses change with their bytes, so browsers keep them."""

    def __init__(self, folder: Path = ASSETS) -> None:
        files = [file for file in sorted(folder.iterdir()) if file.suffix in ASSET_MEDIA]
        self._bytes = {file.name: file.read_bytes() for file in files}
        self._marks = {name: hashlib.sha256(data).hexdigest()[:12] for name, data in self._bytes.items()}

    def address(self, name: str) -> str:
        """Where a page finds it."""
        return f"{url('assets', name)}?v={self._marks[name]}"

    def find(self, name: str) -> tuple[bytes, str] | None:
        """Bytes and media type, or None when there is no such file."""
        data = self._bytes.get(name)
        return None if data is None else (data, ASSET_MEDIA[Path(name).suffix])


class Printer:
    """Makes HTML. Whatever is not written in a template is escaped."""

    def __init__(self, assets: Assets, version: str) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(TEMPLATES),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
        )
        self._templates.globals.update(asset=assets.address, version=version, percent=shown.percent, words=shown)

    def html(self, page: Shown, visit: Visit) -> bytes:
        """One page, or a part of one."""
        notices = () if visit.session is None else tuple(visit.session.notices)
        if notices and visit.session is not None:
            visit.session.notices.clear()
        now_ms, language = visit.parts.now_ms(), visit.language
        values = {
            "v": visit,
            "t": visit.t,
            "url": visit.url,
            "about": visit.about,
            "notices": notices,
            "now_ms": now_ms,
            "word": lambda value: shown.word(value, language),
            "ago": lambda at_ms: _time(at_ms, shown.ago(at_ms, now_ms, language)),
            "stamp": lambda at_ms: _time(at_ms, shown.stamp(at_ms)),
            "reason": lambda rule: shown.reason(rule, language),
            "span": lambda ms: shown.span(ms, language),
            **page.values,
        }
        return self._templates.get_template(page.template).render(values).encode("utf-8", "replace")


def _time(at_ms: int, text: str) -> Markup:
    exact, readable = rfc3339(at_ms), shown.stamp(at_ms)
    return Markup('<time datetime="{}" title="{}">{}</time>').format(exact, readable, text)
