"""A real browser for the console: Debian's Chromium, driven by Playwright, watched for errors and for leaks."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, sync_playwright

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
LOOPBACK = frozenset({"127.0.0.1", "localhost"})
GRAVE = frozenset({"serious", "critical"})


def chromium() -> str:
    """Where the browser is. Where there is none its tests are skipped, but never in CI."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        reason = "no Chromium here: apt-get install chromium"
        assert not os.environ.get("CI"), reason
        pytest.skip(reason)
    return found


@dataclass
class Watched:
    """A browser window and what went wrong in it."""

    page: Page
    context: BrowserContext
    url: str
    faults: list[str] = field(default_factory=list)
    away: list[str] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)
    expected: tuple[str, ...] = ()

    def go(self, path: str) -> Page:
        """Open a page of the console."""
        self.page.goto(self.url + path)
        return self.page

    def check(self, name: str) -> None:
        """Hold the page as it is now against axe-core."""
        self.checked.add(name)
        found = self.page.evaluate("async () => (await axe.run(document)).violations") if self._has_axe() else []
        for one in found:
            if one["impact"] in GRAVE:
                places = [node["target"] for node in one["nodes"]][:4]
                self.faults.append(f"axe on {name}: {one['id']} ({one['impact']}) at {places}")

    def _has_axe(self) -> bool:
        if not self.page.evaluate("() => 'axe' in window"):
            # Put in by the debugger, not by the page: the page's own policy allows no such thing.
            self.page.evaluate(AXE.read_text(encoding="utf-8") + "\n;undefined")
        return bool(self.page.evaluate("() => 'axe' in window"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(word in message.text for word in self.expected):
            self.faults.append(f"console: {message.text} at {message.location.get('url', '')}")

    def _asked(self, request: Request) -> None:
        host = urlsplit(request.url).hostname
        if request.url.startswith("http") and host not in LOOPBACK:
            self.away.append(request.url)


@contextmanager
def window(url: str, *, language: str = "en-GB", dark: bool = False, width: int = 1280) -> Iterator[Watched]:
    """A browser with one window on a service."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        try:
            with context_of(browser, url, language=language, dark=dark, width=width) as watched:
                yield watched
        finally:
            browser.close()


@contextmanager
def context_of(
    browser: Browser, url: str, *, language: str, dark: bool, width: int, scripts: bool = True
) -> Iterator[Watched]:
    """One more window, with cookies, language and colours of its own."""
    context = browser.new_context(
        locale=language,
        color_scheme="dark" if dark else "light",
        viewport={"width": width, "height": 860},
        java_script_enabled=scripts,
    )
    context.set_default_timeout(10_000)
    page = context.new_page()
    watched = Watched(page, context, url)
    page.on("console", watched._heard)
    page.on("pageerror", lambda error: watched.faults.append(f"script: {error}"))
    page.on("request", watched._asked)
    page.on("dialog", lambda dialog: watched.faults.append(f"dialog: {dialog.message}"))
    try:
        yield watched
    finally:
        context.close()


def sign_in(watched: Watched, token: str, user: str) -> None:
    """As a person does it."""
    page = watched.go("/console")
    page.get_by_label("Access token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("User id").fill(user)
    page.get_by_role("button", name="Open").click()
    page.wait_for_url("**/memories")
