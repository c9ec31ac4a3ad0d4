"""What a host is built from. `rearview.wiring:host_parts` fills it from the settings; tests fill it by hand."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from actors.model_client import ModelCalls, ModelClient
from actors.ports import (
    Clock,
    DocumentEmbedder,
    Journal,
    NewId,
    Recovery,
    Rewrites,
    Schedule,
    Snapshots,
    SpaceStore,
    StaticEncoder,
    UserKeys,
)
from engine.memory import Float32Array
from engine.policy import Policy
from engine.spaces import EmbeddingSpace
from engine.vectors import VectorPolicy
from persistence.plain_journal import PlainRewrites
from persistence.user_keys import PlainUserKeys

QUERY_ENCODERS = ("static", "quality", "auto")
SCORING = ("inline", "deferred", "off")


@dataclass(frozen=True, slots=True)
class HostLimits:
    """How much one host holds and does at once (docs/limits.md)."""

    live_users_max: int = 5_000
    memory_bytes_max: int = 0  # What live users may take, by estimate; 0 for no limit.
    hydrations_at_once: int = 4
    lines_per_user: int = 4  # Requests of one user under way at once.
    idle_ms: int = 300_000  # A user nobody asked for this long is passivated.
    snapshot_every: int = 1_000  # Entries since the last snapshot.
    snapshots_at_once: int = 2
    sweep_ms: int = 2_000  # How often the host looks for idle users and for what is due.
    due_users_max: int = 100  # Users woken by one look at the schedule.
    patience_ms: int = 25  # A reply that takes longer is parked, so that its batch does not wait for it.
    owner_check_ms: int = 1_000  # A reading owner looks at the journal at most this often.
    import_records_max: int = 500  # Records in one journal entry.
    export_records_max: int = 500
    embed_batch: int = 8
    embed_at_once: int = 4  # Texts per call of the model; a query that needs the model waits for one such call.
    embed_retry_ms: int = 1_000
    embed_retry_max_ms: int = 60_000
    judge_tries: int = 3  # Times a model is asked about a text whose answer cannot be used.
    query_threads: int = 1  # More only pay where the model is elsewhere.
    clock_jump_ms: int = 300_000
    rewrite_soon_ms: int = 60_000  # After a purge or an erasure that somebody asked for.
    rewrite_ms: int = 3_600_000  # After an expiry.
    rewrite_wait_ms: int = 25_000  # How long a caller with `wait` waits for it; clients give up after 30 s.
    damaged_retry_ms: int = 10_000  # How long a damaged user is refused before the bytes are read again.

    def __post_init__(self) -> None:
        assert self.live_users_max >= 1, "a host must be able to hold a user"
        assert self.hydrations_at_once >= 1, "a host must be able to hydrate"
        assert self.lines_per_user >= 1, "a user must be able to ask"
        assert self.embed_batch >= 1, "a batch holds at least one text"


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """An embedding model: `bundled` or litellm's name, the dimension of its vectors, and how it is reached.

    `asked_for` is the dimension that the server is told to give, 0 for the model's own. `key_file` names a file on the
    machine of the model host that holds the key; empty means the key of the settings.
    """

    model: str
    dimensions: int
    api_base: str = ""
    asked_for: int = 0
    key_file: str = ""


@dataclass(frozen=True, kw_only=True)
class HostParts:
    """Everything a host uses. `embedder` is called once, in a thread, when the first vector is wanted.

    `monotonic_ms` moves like `now_ms` unless the wall clock jumps. `owns` says which users of the shared schedule
    are this host's; `elsewhere` wakes one that lives on another host. `query_encoder` is "static", "quality" (the
    model) or "auto" (the model where the table knows less than `coverage_min` of the query). `likeness` compares texts
    without a model where the static encoder cannot, because the space is a remote model's. `with_models` completes the
    parts with what needs the model host (`models` among it), once that can be reached.
    """

    journal: Journal
    snapshots: Snapshots
    recovery: Recovery
    schedule: Schedule
    embedder: Callable[[], DocumentEmbedder]
    static: StaticEncoder
    space: EmbeddingSpace
    now_ms: Clock
    monotonic_ms: Callable[[], float]
    new_id: NewId
    rewrites: Rewrites = field(default_factory=PlainRewrites)
    keys: UserKeys = field(default_factory=PlainUserKeys)
    policy: Policy = field(default_factory=Policy)
    audit_entries_max: int = 10_000  # Of a user's audit trail; 0 = there is none.
    vector_policy: VectorPolicy = field(default_factory=VectorPolicy)
    limits: HostLimits = field(default_factory=HostLimits)
    durability: str = "strict"
    owns: Callable[[str], bool] = lambda user_id: True
    elsewhere: Callable[[str], Awaitable[None]] | None = None
    query_encoder: str = "static"
    coverage_min: float = 0.5
    query_budget_ms: int = 200
    likeness: Callable[[str], Float32Array] | None = None
    models: ModelClient | None = None
    scoring: str = "off"
    judge_seconds: float = 5.0
    extract_seconds: float = 9.0
    reranks: bool = False
    rerank_drops: bool = False
    rerank_seconds: float = 2.0
    spaces: SpaceStore | None = None
    in_space: "Callable[[HostParts, EmbedderSpec], HostParts] | None" = None  # The same for another model's space.
    with_models: "Callable[[HostParts, ModelCalls], HostParts] | None" = None

    def __post_init__(self) -> None:
        assert self.query_encoder in QUERY_ENCODERS, "query_encoder is static, quality or auto"
        assert self.scoring in SCORING, "scoring is inline, deferred or off"
