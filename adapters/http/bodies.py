"""The shapes of requests: which fields there are and of which JSON type. What they may hold is the engine's to say.

Strict, because JSON has types: `true` is no number and `"5"` is none either. Null means absent everywhere.
"""

from functools import cache
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

SEQ_MAX = 2**53  # what every JSON reader can hold
TierWord = Literal["working", "episodic", "semantic"]
CategoryWord = Literal["preference", "fact", "event", "task"]
SourceWord = Literal["user", "tool", "agent", "document", "import"]
SensitivityWord = Literal["normal", "sensitive"]
StatusWord = Literal["active", "pending", "superseded", "archived", "suppressed", "quarantined", "deleted"]
Share = Annotated[float, Field(ge=0.0, le=1.0)]
Seconds = Annotated[int, Field(ge=1, le=SEQ_MAX)]
Seq = Annotated[int, Field(ge=0, le=SEQ_MAX)]
MemoryIds = Annotated[tuple[str, ...], Field(min_length=1, max_length=200)]
HalfLife = Annotated[float, Field(gt=0, le=3_650)]
Words = Annotated[tuple[str, ...], Field(max_length=64)]


class Body(BaseModel):
    """A JSON object with these fields and no others."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, frozen=True)


class WriteBody(Body):
    """One statement to decide about and keep."""

    content: str = Field(description="What to remember, as it was said.", examples=["我对花生过敏。"])
    tier: Literal["auto", TierWord] | None = None
    category: Literal["auto", CategoryWord] | None = None
    source: SourceWord | None = Field(None, description="Who said it; default user.")
    confidence: Share | None = None
    ttl_seconds: Seconds | None = None
    said_at: str | None = Field(None, description="RFC 3339; default now.", examples=["2026-11-30T19:35:20+08:00"])
    occurred_at: str | None = Field(None, description="RFC 3339; when the thing itself happened or will happen.")
    time_zone: str | None = Field(None, description="IANA name; resolves words such as tomorrow.")
    task: str | None = None
    conversation: str | None = None
    space: str | None = Field(None, description="Default shared.")
    sensitivity: SensitivityWord | None = None
    tags: tuple[str, ...] | None = None
    metadata: dict[str, Any] | None = None
    dry_run: bool | None = Field(None, description="Decide, answer, and change nothing.")


class EditBody(Body):
    """What to change on purpose; absent fields stay."""

    content: str | None = None
    reason: str = Field(min_length=1, description="Why it changes, in a few words.", examples=["moved in May"])
    tier: TierWord | None = None
    category: CategoryWord | None = None
    confidence: Share | None = None
    ttl_seconds: Seconds | None = None
    tags: tuple[str, ...] | None = None
    metadata: dict[str, Any] | None = None
    sensitivity: SensitivityWord | None = None
    space: str | None = None
    pinned: bool | None = None


class ReasonBody(Body):
    """Why, in a few words."""

    reason: str | None = None


class SearchBody(Body):
    """What to recall, and within which bounds."""

    query: str = Field(examples=["推荐个餐厅"])
    top_k: Annotated[int, Field(ge=1, le=50)] | None = None
    tiers: Annotated[tuple[TierWord, ...], Field(max_length=8)] | None = None
    categories: Annotated[tuple[CategoryWord, ...], Field(max_length=8)] | None = None
    statuses: Annotated[tuple[StatusWord, ...], Field(max_length=8)] | None = None
    spaces: Words | None = None
    tags: Words | None = None
    metadata: dict[str, Any] | None = None
    min_confidence: Share | None = None
    from_: str | None = Field(None, alias="from", description="RFC 3339.")
    to: str | None = Field(None, description="RFC 3339.")
    as_of: str | None = Field(None, description="RFC 3339: what was known at that time.")
    time_zone: str | None = None
    task: str | None = None
    conversation: str | None = None
    intent: Literal["auto", "status", "preference", "history"] | None = None
    min_relevance: Share | None = None
    rerank: Literal["auto", "off", "llm"] | None = None
    also_users: Annotated[tuple[str, ...], Field(max_length=16)] | None = None
    min_seq: Seq | None = None


class ContextBody(SearchBody):
    """A search whose result is packed into text for a prompt."""

    token_budget: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class WeightsBody(Body):
    """Weights of the four parts of a rank score; they are divided by their sum."""

    semantic: Share | None = None
    keyword: Share | None = None
    recency: Share | None = None
    confidence: Share | None = None


class ReplaySearchBody(Body):
    """A past search, by its `search_id` or in words, and the ranking to ask it under."""

    search_id: str | None = Field(None, description="Of a search in the trace.")
    query: str | None = Field(None, description="A question, where there is no `search_id`.")
    as_of: str | None = Field(None, description="RFC 3339; default the time of the search, else now.")
    top_k: Annotated[int, Field(ge=1, le=50)] | None = None
    preset: Literal["default", "article-a", "article-b"] | None = Field(None, description="Default the server's.")
    weights: WeightsBody | None = None
    half_life_days: Annotated[float, Field(gt=0, le=36_500)] | None = None
    floor: Share | None = Field(None, description="Least relevance of what is returned.")


class SuppressBody(Body):
    """A topic that is never to be mentioned again."""

    about: str = Field(examples=["my divorce"])
    reason: str | None = None


class RevertBody(Body):
    """What to undo: at least one of source, client and conversation, and since when."""

    source: SourceWord | None = None
    client: str | None = None
    conversation: str | None = None
    since: str = Field(description="RFC 3339.", examples=["2026-11-30T19:35:20+08:00"])


class TurnBody(Body):
    """One turn of a talk, as it was said."""

    role: Literal["user", "assistant", "tool", "system"]
    content: str
    at: str | None = Field(None, description="RFC 3339; default now.")


class TurnsBody(Body):
    """Turns of one talk, in the order they were said."""

    conversation: str = Field(examples=["chat-17"])
    turns: Annotated[tuple[TurnBody, ...], Field(min_length=1, max_length=200)]
    task: str | None = None
    extract: bool | None = Field(None, description="Default true: what the turns state is decided like any write.")
    space: str | None = Field(None, description="Default shared.")
    sensitivity: SensitivityWord | None = None
    time_zone: str | None = Field(None, description="IANA name; resolves words such as tomorrow.")


class UsedBody(Body):
    """Which memories entered the final prompt."""

    memory_ids: MemoryIds
    turn: str | None = None


class RecallNeededBody(Body):
    """A message, and the tasks around it."""

    text: Annotated[str, Field(max_length=100_000)]
    task: str | None = None
    previous_task: str | None = None


class SettingsBody(Body):
    """One user's own settings; absent ones stay."""

    time_zone: str | None = None
    language: str | None = None
    half_life_days: dict[CategoryWord, HalfLife] | HalfLife | None = Field(
        None, description="By category, or one for all; default the server's."
    )
    capacities: dict[TierWord, Annotated[int, Field(ge=1, le=10_000_000)]] | None = Field(
        None, description="Most active memories by tier, where that is less than the server allows."
    )
    dedicated: bool | None = None


class TokenBody(Body):
    """What a new token may do."""

    users: Annotated[tuple[str, ...], Field(min_length=1, max_length=100)]
    role: Literal["read", "write", "admin"] | None = None
    agent: str | None = None
    spaces: dict[str, Literal["read", "write"]] | None = None
    max_sensitivity: SensitivityWord | None = None
    expires_at: str | None = Field(None, description="RFC 3339; default never.")
    per_minute: Annotated[int, Field(ge=0, le=1_000_000)] | None = Field(
        None, description="Requests in a minute; 0 is no limit, absent the usual one."
    )
    per_day: Annotated[int, Field(ge=0, le=1_000_000_000)] | None = Field(
        None, description="Requests in a UTC day; 0 is no limit, absent the usual one."
    )


class ReembedBody(Body):
    """The embedding model that everybody's vectors are to come from."""

    model: Annotated[str, Field(min_length=1, max_length=256)] = Field(description="`bundled`, or litellm's name.")
    dimensions: Annotated[int, Field(ge=1, le=8_192)] | None = Field(None, description="Default the model's own.")
    api_base: Annotated[str, Field(max_length=2_048)] | None = None
    api_key_file: Annotated[str, Field(max_length=4_096)] | None = Field(
        None, description="A file on the service's machine that holds the key; default the key of the settings."
    )


class MaintenanceBody(Body):
    """Whose; default everyone's."""

    user: str | None = None


class Query(BaseModel):
    """What may stand behind the question mark."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    min_seq: Seq = Field(default=0, description="Answer from at least this state.")

    @classmethod
    @cache
    def nothing(cls) -> Self:
        """The query of a request without one."""
        return cls()


class ListQuery(Query):
    """Which memories to list."""

    status: Literal["any", StatusWord] = "active"
    tier: TierWord | None = None
    category: CategoryWord | None = None
    space: str = ""
    source: SourceWord | None = None
    conversation: str = ""
    q: str = Field("", description="Only memories that contain this text.")
    as_of: str | None = Field(None, description="RFC 3339: what was current then, in the words of then.")
    limit: int = Field(50, ge=1, le=200)
    cursor: str = Field("", description="`next_cursor` of the page before.")


class ReplayQuery(Query):
    """Which steps of the trace to show."""

    conversation: str = ""
    from_: str | None = Field(None, alias="from", description="RFC 3339.")
    to: str | None = Field(None, description="RFC 3339.")
    memory: str = Field("", description="Only steps that wrote, recalled or used this memory.")
    kind: Literal["", "turn", "write", "search", "context", "used"] = ""
    outcome: Literal["", "stored", "merged", "superseded", "pending", "skipped", "quarantined", "suppressed"] = Field(
        "", description="Only writes that came to this, such as skipped."
    )
    order: Literal["oldest", "newest"] = Field("oldest", description="Which end comes first.")
    limit: int = Field(50, ge=1, le=200)
    cursor: str = Field("", description="`next_cursor` of the page before.")


class AuditQuery(Query):
    """Which page of the audit trail."""

    limit: int = Field(50, ge=1, le=200)
    cursor: str = Field("", description="`next_cursor` of the page before.")


class DeleteQuery(Query):
    """How to delete."""

    purge: bool = Field(False, description="Erase now instead of keeping it restorable.")
    wait: bool = Field(False, description="Answer only when the rewritten files are durable.")
    reason: str = ""


class EraseQuery(Query):
    """How to erase."""

    wait: bool = False


class ImportQuery(Query):
    """In which form the records come."""

    format: Literal["", "rearview", "mem0", "conversations"] = ""
