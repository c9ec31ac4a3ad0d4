"""Settings become what the door checks tokens with, and how often it lets them ask."""

from pathlib import Path

from adapters.identity import Principal
from adapters.rates import Pace
from persistence.redis_client import RedisClient
from rearview.admission import issuer_tokens, rates_of
from rearview.settings import load_settings
from tests.adapters.test_oidc import KEYS, signed


def now_ms() -> int:
    return 1_000_000


async def test_an_issuer_of_the_settings_is_trusted_with_its_prefix_and_role(tmp_path: Path) -> None:
    file = tmp_path / "jwks.json"
    file.write_bytes(KEYS)
    oidc = {
        "issuer": "https://login.example",
        "audience": "rearview",
        "jwks": str(file),
        "user_prefix": "corp/",
        "role": "read",
    }
    verify = issuer_tokens(load_settings({"oidc": oidc}, {}), now_ms)
    assert verify is not None
    principal = await verify(signed())
    assert principal is not None
    assert (principal.only_user, principal.role) == ("corp/alice", "read")
    assert await verify(signed(aud="another")) is None


def test_without_an_issuer_there_is_nothing_to_ask() -> None:
    assert issuer_tokens(load_settings({}, {}), now_ms) is None


async def test_the_usual_limits_are_those_of_the_settings() -> None:
    settings = load_settings({"rate": {"per_minute": 5, "per_day": 9}}, {})
    client = RedisClient("redis://127.0.0.1:1")
    rates = rates_of(settings, client, now_ms)
    assert rates.pace_of(Principal(token_id="t", users=("a",))) == Pace(5, 9)
    assert rates.pace_of(Principal(token_id="t", users=("a",), per_minute=0, per_day=0)) == Pace()
    await client.close()
