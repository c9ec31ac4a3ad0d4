"""How values look to a person, in both languages: ages, times, shares, and the words of the contract."""

from collections.abc import Mapping

from adapters.rendering import rfc3339

Words = Mapping[str, tuple[str, str]]  # word of the contract -> English, Chinese

TIERS: Words = {
    "working": ("Working", "工作记忆"),
    "episodic": ("Episodic", "情景记忆"),
    "semantic": ("Semantic", "语义记忆"),
}
CATEGORIES: Words = {
    "preference": ("Preference", "偏好"),
    "fact": ("Fact", "事实"),
    "event": ("Event", "事件"),
    "task": ("Task", "任务"),
}
STATUSES: Words = {
    "active": ("Active", "有效"),
    "pending": ("Pending", "待确认"),
    "superseded": ("Superseded", "已被取代"),
    "archived": ("Archived", "已归档"),
    "suppressed": ("Suppressed", "不再提起"),
    "quarantined": ("Quarantined", "已隔离"),
    "deleted": ("In the bin", "回收站"),
}
SOURCES: Words = {
    "user": ("User", "用户"),
    "tool": ("Tool", "工具"),
    "agent": ("Agent", "助手"),
    "document": ("Document", "文档"),
    "import": ("Import", "导入"),
}
SENSITIVITIES: Words = {"normal": ("Normal", "普通"), "sensitive": ("Sensitive", "敏感")}
PARTS: Words = {
    "semantic": ("Meaning", "语义"),
    "keyword": ("Words", "关键词"),
    "recency": ("Recency", "新近"),
    "confidence": ("Confidence", "可信度"),
    "density": ("Density", "信息量"),
    "relevance": ("Relevance", "相关性"),
    "durability": ("Durability", "持久性"),
    "explicitness": ("Explicitness", "明确性"),
}
OUTCOMES: Words = {
    "stored": ("Kept", "已保存"),
    "merged": ("Said before", "已合并"),
    "superseded": ("Kept, replaces an older one", "已保存并取代旧的"),
    "pending": ("Waits to be confirmed", "等待确认"),
    "skipped": ("Not kept", "未保存"),
    "quarantined": ("Set aside as unsafe", "已隔离"),
    "suppressed": ("Refused: never to be mentioned", "拒绝：不再提起"),
}
ALL_WORDS: Words = {**OUTCOMES, **STATUSES, **TIERS, **CATEGORIES, **SOURCES, **SENSITIVITIES}

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_MONTH, _YEAR = 30 * _DAY, 365 * _DAY
_UNITS = ((_YEAR, "y", "年"), (_MONTH, "mo", "个月"), (_DAY, "d", "天"), (_HOUR, "h", "小时"), (_MINUTE, "min", "分钟"))


def word(value: object, language: str, words: Words = ALL_WORDS) -> str:
    """A word of the contract as a person reads it; one that has no translation stays as it is."""
    english, chinese = words.get(str(value), (str(value), str(value)))
    return chinese if language == "zh" else english


def span(ms: int, language: str) -> str:
    """A length of time by its largest unit: "3 d", "3 天"."""
    for size, english, chinese in _UNITS:
        if ms >= size:
            return f"{ms // size} {chinese if language == 'zh' else english}"
    return "不到 1 分钟" if language == "zh" else "under 1 min"


def ago(at_ms: int, now_ms: int, language: str) -> str:
    """How long ago: "3 d ago", "3 天前"; what lies ahead is "in 3 d", "3 天后"."""
    away_ms = now_ms - at_ms
    if abs(away_ms) < _MINUTE:
        return "刚刚" if language == "zh" else "just now"
    length = span(abs(away_ms), language)
    if language == "zh":
        return f"{length}{'前' if away_ms > 0 else '后'}"
    return f"{length} ago" if away_ms > 0 else f"in {length}"


def stamp(at_ms: int) -> str:
    """A time to the minute, in UTC, for readers without script: "2026-11-30 19:35 UTC"."""
    text = rfc3339(at_ms)
    return f"{text[:10]} {text[11:16]} UTC"


def percent(share: object) -> str:
    """A share of 0 to 1 as "41 %"."""
    return f"{round(float(share) * 100)} %" if isinstance(share, int | float) else "–"
