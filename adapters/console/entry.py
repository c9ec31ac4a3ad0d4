"""Coming in and going out: sign-in, the choice of a user, language and colours, style sheets."""

from adapters.console.pages import Assets
from adapters.console.parts import SESSION_LIFE_MS
from adapters.console.site import COOKIE, LANGUAGE_COOKIE, LANGUAGES, THEME_COOKIE, THEMES, Answer, Page, Refused, Site
from adapters.console.visit import ROOT, Goto, Raw, Shown, Visit, url
from adapters.identity import resolve_user

YEAR_SECONDS = 365 * 86_400


def entry_pages(site: Site, assets: Assets) -> tuple[Page, ...]:
    """The pages of this file; they need the sessions and the files themselves."""

    async def asset(visit: Visit) -> Answer:
        found = assets.find(visit.path["name"])
        if found is None:
            raise Refused(404, "There is no such file.", "没有这个文件。")
        body, media = found
        return Raw(body, media, {"cache-control": "public, max-age=31536000, immutable", "vary": "Accept-Encoding"})

    async def sign_in(visit: Visit) -> Answer:
        token = visit.form.get("token", "").strip()
        principal = await visit.parts.verify(token)
        where = safe_next(visit.form.get("next", ""))
        if principal is None:
            return Shown("sign_in.html", {"next": where, "refused": True}, 401)
        site.sessions.close(visit.cookies.get(COOKIE, ""))  # A session from before must not live on under a new name.
        secret = site.sessions.open(token)
        cookie = site.cookie(COOKIE, secret, seconds=SESSION_LIFE_MS // 1000)
        return Goto(where or ROOT, {"set-cookie": cookie})

    async def sign_out(visit: Visit) -> Answer:
        site.sessions.close(visit.cookies.get(COOKIE, ""))
        return Goto(url("sign-in"), {"set-cookie": site.cookie(COOKIE, "", seconds=0)})

    async def preferences(visit: Visit) -> Answer:
        where = safe_next(visit.form.get("next", "")) or ROOT
        for field, cookie, allowed in (("language", LANGUAGE_COOKIE, LANGUAGES), ("theme", THEME_COOKIE, THEMES)):
            value = visit.form.get(field, "")
            if value in allowed:
                return Goto(where, {"set-cookie": site.cookie(cookie, value, seconds=YEAR_SECONDS)})
        return Goto(where)

    return (
        Page(method="GET", path="/assets/{name}", handler=asset, about="open"),
        Page(method="GET", path="/sign-in", handler=show_sign_in, about="open"),
        Page(method="POST", path="/sign-in", handler=sign_in, about="open"),
        Page(method="POST", path="/sign-out", handler=sign_out, about="service"),
        Page(method="POST", path="/preferences", handler=preferences, about="open"),
        Page(method="GET", path="", handler=home, about="service"),
        Page(method="GET", path="/", handler=home, about="service"),
        Page(method="POST", path="/user", handler=choose_user, about="service"),
    )


async def show_sign_in(visit: Visit) -> Answer:
    return Shown("sign_in.html", {"next": safe_next(visit.query.get("next", "")), "refused": False})


async def home(visit: Visit) -> Answer:
    """Straight to the memories of a token for one user; else the choice of a user."""
    if visit.who.only_user is not None:
        return Goto(url("u", visit.who.only_user, "memories"))
    return Shown("home.html", {"recent": list(visit.here.recent_users)})


async def choose_user(visit: Visit) -> Answer:
    user = resolve_user(visit.who, visit.form.get("user", ""))
    return Goto(url("u", user, "memories"))


def safe_next(where: str) -> str:
    """Where to go after signing in: only pages of the console, "" for any other address."""
    inside = where == ROOT or where.startswith((ROOT + "/", ROOT + "?"))
    return where if inside and where.isprintable() and where.isascii() and "\\" not in where else ""
