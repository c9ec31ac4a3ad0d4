"""`make screenshots`: the main pages of the console as pictures, from the demo's conversation."""

import sys
from io import BytesIO
from pathlib import Path

from PIL import Image

from rearview.version import VERSION
from tests.adapters.console.browser import context_of, sign_in, window
from tests.adapters.console.service import FIGURES, served
from tests.adapters.console.story import ask_demo, tell_demo

PICTURES = Path(__file__).resolve().parents[3] / "docs" / "images"
PAGES = {
    "console-memories": "memories",
    "console-ask": "ask?query=any%20good%20place%20for%20dinner%3F&recency=60&half_life=30",
    "console-replay": "replay?conversation=demo-0",
}


async def health() -> dict[str, object]:
    """Figures as a busy service has them."""
    return FIGURES


def kept(picture: bytes, file: Path) -> None:
    """Few colours make a small file, and a page has few."""
    Image.open(BytesIO(picture)).convert("RGB").quantize(96).save(file, optimize=True)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with served(health=health, version=VERSION) as service, window(service.url, width=1180) as watched:
        service.do(tell_demo(service.console))
        service.do(ask_demo(service.console))
        sign_in(watched, service.token, "alice")
        for name, path in PAGES.items():
            watched.go(f"/console/u/alice/{path}")
            if name == "console-replay":
                watched.page.get_by_role("link", name="推荐个餐厅").first.click()
            watched.page.wait_for_load_state("networkidle")
            kept(watched.page.screenshot(), folder / f"{name}.png")
        assert watched.context.browser is not None
        with context_of(watched.context.browser, service.url, language="zh-CN", dark=True, width=1180) as night:
            page = night.go("/console")
            page.get_by_label("访问令牌").fill(service.token)
            page.get_by_role("button", name="登录").click()
            page.get_by_label("用户 ID").fill("alice")
            page.get_by_role("button", name="打开").click()
            night.go("/console/u/alice/ask?query=推荐个餐厅")
            page.wait_for_load_state("networkidle")
            kept(page.screenshot(), folder / "console-ask-zh-dark.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
