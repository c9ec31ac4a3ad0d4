"""Secret values in a text, and the text with them masked.

A value is only a secret with evidence: a checksum (cards, national ids), a known prefix (keys, tokens), or a word such
as "password" with a connecting word and a value beside it. Talk about secrets without a value stays as it is.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.same_words import word_set

_CONNECT_ZH = (
    r"(?:(?:现在|已经|都|就|仍|还|一律|刚刚?|帮我?)?(?:是|为|叫|改成|改为|换成|设成|设为|设的是|用的是|存着|记一下|"
    r"记着)|[:=])"
)
_CONNECT_EN = r"(?:(?:'s| is| was| are|'re)(?: now| still| just)?(?: set to| changed to)?|[:=]|(?: set| changed)? to)"
_VALUE = r"[A-Za-z0-9!@#$%^&*_+=~?.\-]{3,80}"
_WORD_ZH = (
    r"(?:密码|密碼|口令|动态码|動態碼|验证码|驗證碼|校验码|安全码|取件码|提货码|开锁码|激活码|授权码|恢复码|通行码|"
    r"私钥|私鑰|密钥|密鑰|金钥|金鑰|支付码|锁码|[Pp][Ii][Nn] ?[码碼]?|[Cc][Vv][VvCc]2?|[Oo][Tt][Pp])"
)
_WORD_EN = (
    r"(?:pass ?word|pass ?code|pass ?phrase|passwd|pwd|\bpin\b(?: code| number)?|\botp\b|one[- ]time (?:code|"
    r"password|pin)|(?:verification|security|login|access|alarm|door|gate|safe|entry|unlock|backup|recovery|2fa|"
    r"auth(?:entication)?|confirmation|keypad|lock|garage) code|"
    r"\bcv[vc]2?\b|api[ _-]?key|secret(?:[ _-](?:key|access key))?|access[ _-]?(?:key|token)|auth[ _-]?token|"
    r"bearer token|private key|combination|\btoken\b)"
)
_BESIDE = re.compile(
    rf"({_WORD_ZH}(?!管理|学|机|箱|本)\s?[^,，。;；\n]{{0,8}}?{_CONNECT_ZH}\s*[“\"'「]?)({_VALUE})"
    rf"|({_WORD_ZH}\s?)(\d{{4,8}})(?!\d)"
    rf"|({_WORD_EN}(?: (?:for|to|of|on|at) [^\n,.;]{{1,40}}?)?\s?{_CONNECT_EN}\s*[\"'“]?)({_VALUE})"
    rf"|({_WORD_EN}\s?#?)(\d{{4,8}}\b#?)",
    re.IGNORECASE,
)
# A value that shows itself: grouped or long digits, or letters mixed with digits or signs. It needs no connecting word.
_SIGNS = r"[A-Za-z0-9!@#$%^&*_+=~?.\-]"
_SHAPED = (
    r"(?<![A-Za-z0-9_])(?:\d{2,6}(?:[ -]\d{2,6}){1,8}(?![\d/])|\d{4,12}(?![\d/])|"
    rf"(?={_SIGNS}{{0,79}}\d)(?={_SIGNS}{{0,79}}[A-Za-z]){_SIGNS}{{5,80}}|"
    rf"(?={_SIGNS}{{0,79}}[!@#$%^&*])(?={_SIGNS}{{0,79}}[A-Za-z0-9]){_SIGNS}{{5,80}})"
)
_UNIT_AFTER = (
    r"(?!\s?(?:年|月|日|天|位|次|个|块|元|分钟|小时|层|楼|days?\b|times?\b|years?\b|months?\b|characters?\b|digits?\b|"
    r"letters?\b|minutes?\b|euros?\b|dollars?\b|pounds?\b))"
)
_NOT_OF_A_SECRET = r"(?!管理|学|机|箱|本|技术|策略|错误| ?(?:manager|policy|pad|reset|length|rules?|book))"
_MORE_WORDS = (
    r"(?:[Pp][Uu][Kk] ?[码碼]?|保险箱组合|备用码|備用碼|救援码|\bpw\b|\bpuk\b|"
    r"(?:recovery|backup|2fa|one[- ]time|rescue|reset) codes?|"
    r"\bssn\b|social security (?:number|no\.?)|2fa|\bmnemonic\b)"
)
_NEAR = re.compile(
    rf"((?:{_WORD_ZH}|{_WORD_EN}|{_MORE_WORDS}){_NOT_OF_A_SECRET}[^,，。;；\n\d/]{{0,20}}?\s?[“\"'「]?)"
    rf"({_SHAPED}(?:\s?(?:and|or|&|和|、)\s?{_SHAPED}){{0,8}}){_UNIT_AFTER}",
    re.IGNORECASE,
)
# The short code of a card, and a name and password that a slash parts.
_CARD_CODE = re.compile(
    r"((?:\bcv[vc]2?\b|背面的?(?:后|後|末)?(?:三|3)[位码碼]|卡背.{0,4}(?:三|3)位|"
    r"(?:last three|three digits)[^\d\n]{0,24}?)"
    r"[^\d\n,，。]{0,6})(\d{3,4})(?!\d)",
    re.IGNORECASE,
)
_SLASHED = re.compile(
    rf"((?:log-?in|credentials?|账号|帳號|登录|登入)[^,，。;；\n/]{{0,32}}\s?/\s?)({_VALUE})(?![\w/])", re.IGNORECASE
)
_ASSIGNED = re.compile(
    r"(\b[A-Z0-9_]{0,40}(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_?KEY|"
    r"PRIVATE_?KEY)[A-Z0-9_]{0,40}\s?[=:]\s?[\"']?)([^\s\"',;]{6,200})"
)
# A year, and a program that keeps passwords.
_NO_SECRET = re.compile(r"(?:19|20)\d\d|1password\.?", re.IGNORECASE)
_PHRASE = re.compile(
    r"((?:助记词|助記詞|seed phrase|recovery phrase|mnemonic|"
    r"backup phrase)[^a-zA-Z\n]{0,3}[^\n:：]{0,24}?[:：]?\s?)((?:[a-z]{3,8}[\s,]+){4,23}[a-z]{3,8})",
    re.IGNORECASE,
)
_PREFIXED = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]*PRIVATE KEY-----|$)"
    r"|\b(?:sk-[A-Za-z0-9_-]{16,}|sk_(?:live|test)_[A-Za-z0-9]{8,}|pk_live_[A-Za-z0-9]{8,}|"
    r"gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{12,20}|"
    r"AIza[\w-]{30,}|hf_[A-Za-z0-9]{16,}|npm_[A-Za-z0-9]{20,}|ya29\.[\w-]{16,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)
_DIGITS = re.compile(r"(?<![\d.])\d(?:[ -]?\d){10,18}[Xx]?(?![\d])|(?<!\d)\d{17}[Xx](?![\dA-Za-z])")
_TAIWAN_ID = re.compile(r"\b[A-Z][12]\d{8}\b")
_MOBILE = re.compile(r"(?<![\d.-])(?:\+?86[ -]?)?(1[3-9]\d)[ -]?(\d{4})[ -]?(\d{4})(?!\d)")
_ONE_TIME = re.compile(
    r"验证码|驗證碼|动态|動態|校验码|one[- ]time|verification code|login code|\botp\b|2fa|confirmation code",
    re.IGNORECASE,
)
_NOT_A_VALUE = word_set(
    "required expired stored kept saved wrong incorrect correct invalid missing optional reset changed needed safe "
    "secure weak strong "
    "different same managed shared rotated hashed encrypted hidden here there this that what which not the in on "
    "at a an my your our "
    "handled set too very something nothing anything long short easy hard written tokens valid leaked compromised "
    "deprecated confidential"
)
_SPELLED = re.compile(r"[A-Za-z-]+")
_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_TAIWAN_LETTERS = "ABCDEFGHJKLMNPQRSTUVXYWZIO"


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with its secret values masked. `kinds` names what was found; empty means that nothing was."""

    text: str
    kinds: tuple[str, ...]
    one_time: bool = False


def mask_secrets(text: str) -> Masked:
    """Replace every secret value by a mark that says what stood there."""
    kinds: list[str] = []

    def mark(kind: str, shown: str = "") -> str:
        kinds.append(kind)
        return f"[{kind}{' ' + shown if shown else ''}]"

    out = _PREFIXED.sub(lambda m: mark("private key" if m[0].startswith("-----") else "key"), text)
    out = _PHRASE.sub(lambda m: m[1] + mark("recovery phrase"), out)
    out = _ASSIGNED.sub(lambda m: m[1] + mark("secret"), out)
    out = _BESIDE.sub(lambda m: _beside(m, mark), out)
    out = _NEAR.sub(lambda m: m[0] if _NO_SECRET.fullmatch(m[2]) else m[1] + mark("secret"), out)
    out = _CARD_CODE.sub(lambda m: m[1] + mark("secret"), out)
    out = _SLASHED.sub(lambda m: m[0] if m[2].isalpha() else m[1] + mark("secret"), out)
    out = _DIGITS.sub(lambda m: _numbered(m[0], mark), out)
    out = _TAIWAN_ID.sub(lambda m: mark("id", "…" + m[0][-2:]) if _taiwan_id(m[0]) else m[0], out)
    out = _MOBILE.sub(lambda m: mark("mobile", f"{m[1]}****{m[3]}"), out)
    return Masked(out, tuple(dict.fromkeys(kinds)), bool(kinds) and bool(_ONE_TIME.search(text)))


def _beside(match: re.Match[str], mark: Callable[[str, str], str]) -> str:
    """A value beside a word such as "password". An ordinary word after it ("required") is no value."""
    lead, value = next((match[i], match[i + 1]) for i in (1, 3, 5, 7) if match[i] is not None)
    bare = value.rstrip(".?!")
    if len(bare) < 3 or bare.lower() in _NOT_A_VALUE:
        return match[0]
    ends_the_text = match.end() == len(match.string.rstrip())
    if match[5] is not None and _SPELLED.fullmatch(bare) and not (len(bare) >= 6 and ends_the_text):
        return match[0]
    return lead + mark("secret", "") + value[len(bare) :]


def _numbered(digits: str, mark: Callable[[str, str], str]) -> str:
    """Card and national id numbers, by checksum; other long numbers stay."""
    plain = re.sub(r"[ -]", "", digits)
    if len(plain) == 18 and _national_id(plain):
        return mark("id", "…" + plain[-2:])
    if plain.isdigit() and 13 <= len(plain) <= 19 and _luhn(plain):
        return mark("card", "…" + plain[-4:])
    return digits


def _luhn(digits: str) -> bool:
    total = 0
    for position, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if position % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


def _national_id(digits: str) -> bool:
    """GB 11643-1999: weights 7 9 10 5 8 4 2 1 6 3 ..., remainder mod 11 picks the check character."""
    if not digits[:17].isdigit() or not "18" <= digits[6:8] <= "20":
        return False
    rest = sum(int(d) * w for d, w in zip(digits[:17], _ID_WEIGHTS, strict=True)) % 11
    return "10X98765432"[rest] == digits[17].upper()


def _taiwan_id(text: str) -> bool:
    """The letter counts as a two-digit number; weights 1 9 8 7 6 5 4 3 2 1 1; the sum is a multiple of 10."""
    letter = 10 + _TAIWAN_LETTERS.index(text[0])
    digits = [letter // 10, letter % 10, *(int(d) for d in text[1:])]
    return sum(d * w for d, w in zip(digits, (1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1), strict=True)) % 10 == 0
