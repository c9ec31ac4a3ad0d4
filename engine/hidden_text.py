"""What a text says once decoded: base64, base32, hex, binary, percent and \\u escapes, rot13, reversal, leetspeak.

Whoever hides an order in one of these relies on a model that decodes it. Each run is decoded once and nothing is
decoded twice over; what does not come out as plain text is left alone. Pure, linear, bounded.
"""

import base64
import binascii
import codecs
import re
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

RUNS_MAX = 8
_RUN = r"{20,8000}"
_BASE64 = re.compile(rf"[A-Za-z0-9+/]{_RUN}={{0,2}}")
_BASE32 = re.compile(rf"\b[A-Z2-7]{_RUN}={{0,6}}")
_HEX = re.compile(r"\b(?:[0-9a-fA-F]{2}[ :]?){12,4000}\b")
_BINARY = re.compile(r"\b(?:[01]{8} ?){6,1000}\b")
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
_PERCENTS_MIN = 3
_ESCAPES = re.compile(r"(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}){6,2000}")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))")
# Rot13 and reversal change the whole text; they are only undone where these words would come out.
_TELLTALES = ("instruction", "system prompt", "ignore", "password", "override")
_ROT13 = tuple(codecs.encode(word, "rot13") for word in _TELLTALES)
_REVERSED = tuple(word[::-1] for word in _TELLTALES)
_LEET = str.maketrans("013457@$!", "oieastasi")
_LEET_WORD = re.compile(r"\b[a-z]{0,20}[0134578@$!][a-z0134578@$!]{0,20}[a-z][a-z0134578@$!]{0,20}")
_PLAIN_SHARE_MIN = 0.85


def decodings(text: str) -> list[str]:
    """Every plain text that runs of `text` decode to."""
    found: list[str] = []
    for pattern, decode in _CODES:
        for run in pattern.findall(text)[:RUNS_MAX]:
            inner = _as_text(decode, run)
            if inner:
                found.append(inner)
    if len(_PERCENT.findall(text)) >= _PERCENTS_MIN and (inner := _as_text(unquote_to_bytes, text)):
        found.append(inner)
    lowered = text.lower()
    if any(word in lowered for word in _ROT13):
        found.append(codecs.encode(text, "rot13"))
    if any(word in lowered for word in _REVERSED):
        found.append(text[::-1])
    if len(_LEET_WORD.findall(lowered)) >= 3:
        found.append(_LEET_WORD.sub(lambda word: word[0].translate(_LEET), lowered))
    return found


def _as_text(decode: Callable[[str], bytes], run: str) -> str:
    try:
        inner = decode(run).decode("utf-8")
    except (binascii.Error, ValueError):  # Also of UTF-8.
        return ""
    plain = sum(letter.isprintable() or letter.isspace() for letter in inner)
    return inner if len(inner) > 5 and plain >= _PLAIN_SHARE_MIN * len(inner) else ""


def _from_base64(run: str) -> bytes:
    return base64.b64decode(run + "=" * (-len(run) % 4), validate=True)


def _from_base32(run: str) -> bytes:
    bare = run.rstrip("=")
    return base64.b32decode(bare + "=" * (-len(bare) % 8))


def _from_hex(run: str) -> bytes:
    return bytes.fromhex(run.replace(":", "").replace(" ", ""))


def _from_binary(run: str) -> bytes:
    return bytes(int(byte, 2) for byte in re.findall("[01]{8}", run))


def _from_escapes(run: str) -> bytes:
    return "".join(chr(int(wide or narrow, 16)) for wide, narrow in _ESCAPE.findall(run)).encode("utf-8")


_CODES: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
    (_BASE64, _from_base64),
    (_BASE32, _from_base32),
    (_HEX, _from_hex),
    (_BINARY, _from_binary),
    (_ESCAPES, _from_escapes),
)
