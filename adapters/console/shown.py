"""How values look to a person, in both languages: ages, times, shares, and the words of the contract."""

from collections.abc import Mapping

from adapters.rendering import rfc3339
from engine.errors import RearviewError
from engine.reasons import sentence_of

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
BOOSTS: Words = {
    "bears": ("bears on it", "与请求有关"),
    "date": ("time asked about", "所问时间"),
    "fact": ("fact", "事实"),
    "intent_preference": ("preference wanted", "问的是偏好"),
    "intent_status": ("present state wanted", "问的是现状"),
    "latest": ("latest", "最新"),
    "newer_preference": ("newer preference", "较新的偏好"),
    "personal": ("about oneself", "关于本人"),
    "question": ("is a question", "本身是提问"),
    "repeat": ("said already", "内容重复"),
    "same_talk": ("same conversation", "同一会话"),
    "speaker": ("speaker named", "提到的说话人"),
    "stale_preference": ("old preference", "陈旧的偏好"),
    "superseded": ("replaced since", "已被取代"),
}
# What the engine says in English, for a page in Chinese: by code, where a code has one meaning.
PROBLEMS_IN_CHINESE: Mapping[str, str] = {
    "not_found": "没有这条记忆，或此令牌无权查看。",
    "forbidden": "此令牌的权限不足。",
    "empty": "内容不能为空。",
    "too_large": "内容超出了长度限制。",
    "bad_characters": "含有不允许的字符。",
    "in_bin": "这条记忆在回收站中，请先恢复。",
    "not_restorable": "这条记忆不需要恢复。",
    "not_pending": "这条记忆不在待确认或隔离状态。",
    "version_mismatch": "这条记忆已被他人修改，请刷新后重试。",
    "idempotency_conflict": "此表单已经提交过，且内容不同；请刷新后重试。",
    "secret": "内容含有密码一类的秘密，不会保存。",
    "invalid_time": "时间的写法应类似 2026-11-30T19:35:20+08:00。",
    "unavailable": "存储暂时不可用，请稍后重试。",
    "indeterminate": "写入结果未知，请刷新查看。",
    "overloaded": "请求过多，请稍后重试。",
    "corrupt": "此用户存储的数据未通过校验，需要运维处理。",
}
ALL_WORDS: Words = {**OUTCOMES, **STATUSES, **TIERS, **CATEGORIES, **SOURCES, **SENSITIVITIES}

_SECOND, _MINUTE, _HOUR, _DAY = 1_000, 60_000, 3_600_000, 86_400_000
_MONTH, _YEAR = 30 * _DAY, 365 * _DAY
_UNITS = ((_YEAR, "y", "年"), (_MONTH, "mo", "个月"), (_DAY, "d", "天"), (_HOUR, "h", "小时"), (_MINUTE, "min", "分钟"))


def word(value: object, language: str, words: Words = ALL_WORDS) -> str:
    """A word of the contract as a person reads it; one that has no translation stays as it is."""
    english, chinese = words.get(str(value), (str(value), str(value)))
    return chinese if language == "zh" else english


def problem(error: RearviewError, language: str) -> str:
    """What went wrong, in the language of the page where it is known there."""
    return PROBLEMS_IN_CHINESE.get(error.code, error.sentence) if language == "zh" else error.sentence


def reason(rule: object, language: str) -> str:
    """The sentence for a rule of the write gate, in the language of the page; "" for what is no such rule."""
    return sentence_of(str(rule), "zh" if language == "zh" else "en")


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
