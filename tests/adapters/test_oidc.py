"""Tokens of an issuer: only what it signed, for us, now, by an algorithm that the operator named."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from adapters.identity import Principal
from adapters.oidc import ALGORITHMS, ASK_AGAIN_MS, Issuer, JwtVerifier, keys_of_file, keys_of_url, read_keys
from adapters.tokens import PER_DAY_MAX, PER_MINUTE_MAX
from engine.errors import Unavailable
from rearview import settings as its_settings
from rearview.settings import SettingsError, load_settings
from tests.adapters.http.service import client, running

RSA_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65_537, key_size=2_048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
ISSUER = Issuer(issuer="https://login.example", audience="rearview")


def jwk(key: Any, kid: str, **more: str) -> dict[str, Any]:
    kind = RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else ECAlgorithm
    made = json.loads(kind.to_jwk(key.public_key()))
    return {**made, "kid": kid, "alg": "RS256" if kind is RSAAlgorithm else "ES256", "use": "sig", **more}


KEYS = json.dumps({"keys": [jwk(RSA_KEY, "r1"), jwk(EC_KEY, "e1")]}).encode()


def signed(key: Any = RSA_KEY, algorithm: str = "RS256", kid: str | None = "r1", **claims: Any) -> str:
    now = int(time.time())
    said = {"iss": "https://login.example", "aud": "rearview", "sub": "alice", "exp": now + 600, **claims}
    said = {name: value for name, value in said.items() if value is not None}
    return jwt.encode(said, key, algorithm, headers={"kid": kid} if kid else {})


class Clock:
    now_ms = 1_000_000

    def __call__(self) -> int:
        return self.now_ms


def verifier(issuer: Issuer = ISSUER, keys: bytes = KEYS, clock: Callable[[], int] | None = None) -> JwtVerifier:
    async def load() -> bytes:
        return keys

    return JwtVerifier(issuer, load, now_ms=clock or Clock())


async def test_a_subject_becomes_exactly_one_user() -> None:
    token = signed()
    principal = await verifier().verify(token)
    assert principal is not None
    assert (principal.only_user, principal.role) == ("alice", "write")
    assert principal.expires_at_ms == jwt.decode(token, options={"verify_signature": False})["exp"] * 1000
    same, other = await verifier().verify(signed()), await verifier().verify(signed(sub="bob"))
    assert same is not None
    assert other is not None
    assert same.token_id == principal.token_id != other.token_id


async def test_a_claim_of_choice_and_a_prefix_make_the_user() -> None:
    issuer = Issuer(issuer=ISSUER.issuer, audience="rearview", user_claim="email", user_prefix="corp/", role="read")
    principal = await verifier(issuer).verify(signed(email="a@example.com"))
    assert principal is not None
    assert (principal.only_user, principal.role) == ("corp/a@example.com", "read")
    assert await verifier(issuer).verify(signed()) is None


async def test_keys_of_both_kinds_work() -> None:
    assert await verifier().verify(signed(EC_KEY, "ES256", "e1")) is not None


NOW = int(time.time())


@pytest.mark.parametrize(
    "token",
    [
        signed(iss="https://evil.example"),
        signed(iss=None),
        signed(aud="another"),
        signed(aud=None),
        signed(exp=NOW - 3_600),
        signed(exp=None),
        signed(nbf=NOW + 3_600),
        signed(sub=None),
        signed(sub=""),
        signed(sub="*"),
        signed(sub="ali*"),
        signed(sub="a\nb"),
        signed(sub="u" * 257),
        signed(OTHER_KEY),
        signed(OTHER_KEY, kid="nobody's"),
        signed(kid=None),
        signed(algorithm="RS512"),
        signed(algorithm="PS256"),
        signed(key="", algorithm="none"),
        signed(key="a secret of thirty-two bytes, or more", algorithm="HS256"),
        signed()[:-4] + "AAAA",
        signed() + "x" * 9_000,
        "a.b.c",
        "..",
        "rv_not-a-jwt",
    ],
    ids=range(25),
)
async def test_everything_else_is_nobody(token: str) -> None:
    assert await verifier().verify(token) is None


async def test_a_public_key_never_passes_for_a_shared_secret() -> None:
    header = '{"alg":"HS256","kid":"r1","typ":"JWT"}'
    said = json.dumps({"iss": ISSUER.issuer, "aud": "rearview", "sub": "root", "exp": NOW + 600})
    parts = [jwt.utils.base64url_encode(part.encode()).decode() for part in (header, said)]
    import hashlib
    import hmac

    mac = hmac.new(KEYS, ".".join(parts).encode(), hashlib.sha256).digest()
    assert await verifier().verify(".".join([*parts, jwt.utils.base64url_encode(mac).decode()])) is None


async def test_the_only_key_needs_no_name() -> None:
    only = json.dumps({"keys": [jwk(RSA_KEY, "r1")]}).encode()
    assert await verifier(keys=only).verify(signed(kid=None)) is not None


async def test_a_new_key_is_found_within_a_minute_and_no_stranger_makes_us_ask_more_often() -> None:
    clock, asked = Clock(), []

    async def load() -> bytes:
        asked.append(clock.now_ms)
        keys = [jwk(RSA_KEY, "r1")] if len(asked) == 1 else [jwk(RSA_KEY, "r1"), jwk(OTHER_KEY, "r2")]
        return json.dumps({"keys": keys}).encode()

    checks = JwtVerifier(ISSUER, load, now_ms=clock)
    assert await checks.verify(signed()) is not None
    for _ in range(50):
        assert await checks.verify(signed(OTHER_KEY, kid="r2")) is None
    assert len(asked) == 1
    clock.now_ms += ASK_AGAIN_MS
    assert await checks.verify(signed(OTHER_KEY, kid="r2")) is not None
    assert len(asked) == 2


async def test_an_issuer_that_is_away_stops_nobody_whose_key_is_known(tmp_path: Path) -> None:
    clock, file = Clock(), tmp_path / "jwks.json"
    file.write_bytes(KEYS)
    checks = JwtVerifier(ISSUER, keys_of_file(file), now_ms=clock)
    assert await checks.verify(signed()) is not None
    file.unlink()
    clock.now_ms += 10 * 3_600_000
    assert await checks.verify(signed()) is not None
    with pytest.raises(Unavailable):
        await JwtVerifier(ISSUER, keys_of_file(file), now_ms=clock).verify(signed())


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b'{"keys": 5}', b'{"keys": []}', b'{"keys": [5, {"kty": "oct", "k": "AA"}]}']
)
def test_what_is_no_set_of_fitting_keys_is_refused(raw: bytes) -> None:
    with pytest.raises(Unavailable):
        read_keys(raw, ("RS256",))


def test_keys_for_encryption_and_of_other_algorithms_are_left_out() -> None:
    raw = json.dumps({"keys": [jwk(RSA_KEY, "a"), jwk(RSA_KEY, "b", use="enc"), jwk(EC_KEY, "c")]}).encode()
    assert [key.key_id for key in read_keys(raw, ("RS256",))] == ["a"]


@pytest.mark.parametrize(
    ("status", "body", "fine"),
    [(200, KEYS, True), (302, KEYS, False), (500, b"", False), (200, b"x" * (2 << 20), False)],
)
async def test_keys_are_fetched_without_redirects_and_bounded(status: int, body: bytes, fine: bool) -> None:
    answer = httpx.Response(status, content=body, headers={"Location": "https://evil.example/"})
    load = keys_of_url("https://login.example/jwks", httpx.MockTransport(lambda _: answer))
    if fine:
        assert await load() == body
        return
    with pytest.raises(Unavailable):
        await load()


async def test_the_door_takes_both_kinds_of_tokens() -> None:
    async with running(other_tokens=verifier().verify) as service:
        async with client(service.app, signed()) as alice, client(service.app, signed(OTHER_KEY)) as nobody:
            assert (await alice.get("/v1/me/memories")).status_code == 200
            assert service.last.user == "alice"
            assert (await alice.get("/v1/users/bob/memories")).status_code == 404
            assert (await nobody.get("/v1/me/memories")).status_code == 401
        assert (await service.admin.get("/v1/users/bob/memories")).status_code == 200


@pytest.mark.parametrize(
    ("oidc", "named"),
    [
        ({"issuer": "https://i", "audience": "a"}, "jwks"),
        ({"issuer": "https://i", "jwks": "f"}, "audience"),
        ({"algorithms": "HS256"}, "algorithms"),
        ({"algorithms": "none"}, "algorithms"),
        ({"algorithms": ""}, "algorithms"),
        ({"issuer": "https://i", "audience": "a", "jwks": "http://login.example/jwks"}, "https"),
    ],
)
def test_settings_that_could_not_be_checked_are_refused(oidc: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        load_settings({"oidc": oidc}, {})


def test_what_the_settings_repeat_is_the_same() -> None:
    assert its_settings.ASYMMETRIC == ALGORITHMS
    assert (its_settings.PER_MINUTE_MAX, its_settings.PER_DAY_MAX) == (PER_MINUTE_MAX, PER_DAY_MAX)
    assert Principal(token_id="t", users=("a",)).per_minute is None
