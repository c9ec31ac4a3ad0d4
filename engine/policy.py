"""Every number that a decision depends on, in frozen groups that check their own relations.

`rearview.settings` builds these; the engine never reads settings. Limits are listed in docs/limits.md.
"""

from dataclasses import dataclass, field

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest of everything a caller can send. Characters are Unicode code points."""

    text_chars_max: int = 10_000
    query_chars_max: int = 10_000
    user_id_chars_max: int = 256
    memory_id_chars_max: int = 128
    word_chars_max: int = 256  # task, conversation, space, client, reason of an edit
    reason_chars_max: int = 1_000
    tags_max: int = 32
    tag_chars_max: int = 64
    metadata_bytes_max: int = 8_192
    metadata_depth_max: int = 4
    top_k_max: int = 50
    list_limit_max: int = 200
    ttl_seconds_max: int = 10 * 365 * 86_400
    idempotency_key_chars_max: int = 256
    suppressions_max: int = 1_000
    turns_max: int = 200


@dataclass(frozen=True, slots=True)
class WritePolicy:
    """The write gate. Weights sum to 1; `threshold` is compared with the weighted total."""

    density_weight: float = 0.15
    relevance_weight: float = 0.15
    durability_weight: float = 0.45
    explicitness_weight: float = 0.25
    threshold: float = 0.6
    working_ttl_ms: int = HOUR_MS
    episodic_ttl_ms: int = 30 * DAY_MS
    pending_ttl_ms: int = 30 * DAY_MS
    default_confidence: tuple[tuple[str, float], ...] = (
        ("user", 1.0),
        ("tool", 0.8),
        ("document", 0.8),
        ("agent", 0.5),
        ("import", 0.5),
    )
    secrets: str = "mask"  # off | mask | reject
    duplicate_relevance: float = 0.9

    def __post_init__(self) -> None:
        total = self.density_weight + self.relevance_weight + self.durability_weight + self.explicitness_weight
        assert abs(total - 1.0) < 1e-6, "the four weights of the write score must sum to 1"
        assert 0.0 <= self.threshold <= 1.0, "the write threshold must lie within 0 and 1"

    def confidence_of(self, source: str) -> float:
        """What a source is believed when it does not say."""
        return dict(self.default_confidence)[source]


@dataclass(frozen=True, slots=True)
class RecallPolicy:
    """Ranking and the floor. Weights of the four parts sum to 1; the numbers were fitted in bench/recall.md.

    `model_gain` moves weight from the words to the vectors where the query's vector is the model's own.
    `before_share`, `after_share` and `talk_share` say how much the turn before, the turn after and the best turns of
    the same talk speak for a memory, `unnamed_talk` how far that holds where no conversation was named.
    `feedback_*`: how much of the direction of the three best candidates is added to the query's vector, by its encoder.
    `newer_*`: what says that something changed stands before an older hit so much alike, unless its score is less than
    this share of the older one's.
    `date_share`: how much lying in the day that a query names counts beside four other words of it; months and years
    count less, and the date counts more the fewer the other words.
    `closed_relevance` is what is left of the relevance of "that is done" for a question after what is still to be done.
    `relevance_*`: logit of relevance = slope * (vector * logit of the vector's relevance + words * sqrt(idf shared) +
    share * share of the query's idf that is shared + other_script where vectors alone can tell - even).
    """

    semantic_weight: float = 0.45
    keyword_weight: float = 0.37
    model_gain: float = 0.07
    recency_weight: float = 0.10
    confidence_weight: float = 0.08
    half_life_days: tuple[tuple[str, float], ...] = (("preference", 7.0), ("fact", 7.0), ("event", 7.0), ("task", 7.0))
    fact_boost: float = 1.2
    stale_preference_days: float = 60.0
    stale_preference_factor: float = 0.5
    before_share: float = 0.20
    after_share: float = 0.20
    talk_share: float = 0.20
    unnamed_talk: float = 0.5
    speaker_boost: float = 1.1
    subject_boost: float = 1.1
    question_factor: float = 0.9
    personal_boost: float = 1.25
    talk_about_talk_factor: float = 0.9
    confirmation_factor: float = 0.75
    order_boost: float = 1.35
    date_share: float = 0.5
    date_boost: float = 2.0
    newer_preference_boost: float = 1.25
    latest_boost: float = 1.1
    same_talk_boost: float = 1.1
    intent_boost: float = 1.15
    repeat_factor: float = 0.5
    feedback_static: float = 0.15
    feedback_model: float = 0.10
    newer_alike: float = 0.65
    newer_share: float = 0.5
    bearing_keyword: float = 1.0
    bearing_boost: float = 1.5
    relevance_vector: float = 0.5
    relevance_words: float = 1.0
    relevance_share: float = 2.0
    relevance_other_script: float = 1.2
    bearing_relevance: float = 0.5
    closed_relevance: float = 0.3
    relevance_slope: float = 0.6
    relevance_even: float = 1.0
    floor: float = 0.35
    candidates_max: int = 64
    own_half_lives: bool = True  # A user's own come first; not when somebody tries out others.

    def __post_init__(self) -> None:
        total = self.semantic_weight + self.keyword_weight + self.recency_weight + self.confidence_weight
        assert abs(total - 1.0) < 1e-6, "the four weights of the ranking must sum to 1"


@dataclass(frozen=True, slots=True)
class WorkingPolicy:
    """How much of the agent's context window the working memory of one talk may fill."""

    window_tokens: int = 32_000
    share: float = 0.4

    def __post_init__(self) -> None:
        assert self.window_tokens >= 1, "a context window holds at least one token"
        assert 0.0 < self.share <= 1.0, "the share of the window lies above 0 and at most at 1"

    @property
    def tokens_max(self) -> int:
        """The budget of one talk."""
        return int(self.window_tokens * self.share)


@dataclass(frozen=True, slots=True)
class ForgetPolicy:
    """How long things stay, and how many."""

    bin_ms: int = 7 * DAY_MS
    working_capacity: int = 200_000
    episodic_capacity: int = 200_000
    semantic_capacity: int = 200_000


@dataclass(frozen=True, slots=True)
class Policy:
    """Everything together."""

    limits: Limits = field(default_factory=Limits)
    write: WritePolicy = field(default_factory=WritePolicy)
    recall: RecallPolicy = field(default_factory=RecallPolicy)
    working: WorkingPolicy = field(default_factory=WorkingPolicy)
    forget: ForgetPolicy = field(default_factory=ForgetPolicy)
    time_zone: str = "UTC"  # the server's, where neither the call nor the user has one
