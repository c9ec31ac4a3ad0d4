"""Every setting, once. From `rearview.toml`, then `REARVIEW_*` (nested with `__`), then flags; unknown names fail.

Nothing else reads the environment, and there is no module-level instance: `load_settings` is called once at start.
"""

import json
import os
import tomllib
import zoneinfo
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource
from pydantic_settings import SettingsError as SourceError

from engine.policy import ForgetPolicy, Limits, Policy, RecallPolicy, WorkingPolicy, WritePolicy
from engine.presets import recall_policy
from persistence.keys import MASTER_KEY_FILE

PREFIX = "REARVIEW_"
BUNDLED = "bundled"
BUNDLED_DIMENSIONS = 384
# As in adapters/tokens.py and adapters/oidc.py, which the bridge must not import to start; a test holds them equal.
PER_MINUTE_MAX, PER_DAY_MAX = 1_000_000, 1_000_000_000
ASYMMETRIC = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
# Read by the commands that talk to a server, not by the server.
CLIENT_VARIABLES = frozenset({"REARVIEW_URL", "REARVIEW_TOKEN"})


class SettingsError(Exception):
    """A setting is unknown or has a value that cannot be used. The text names it and never shows a secret."""


def words(listed: str) -> tuple[str, ...]:
    """The parts of a setting that is a list separated by commas."""
    return tuple(part.strip() for part in listed.split(",") if part.strip())


class Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RedisSettings(Group):
    """Where the journal is. Empty = the bundled Valkey in the data directory."""

    url: str = ""
    password_file: str = Field(default="", description="a file that holds the password, so that no variable has to")

    @field_validator("url")
    @classmethod
    def _is_one_that_can_be_used(cls, url: str) -> str:
        if url.startswith(("redis+sentinel://", "rediss+sentinel://")):
            if not url.partition("://")[2].partition("/")[2]:
                raise ValueError("it looks like redis+sentinel://host:port,host:port/name")
        elif url and not url.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("it starts with redis://, rediss://, unix:// or redis+sentinel://")
        return url


class RaySettings(Group):
    """Which Ray to use. Empty = a local one, started and ended with the service."""

    address: str = ""
    token_file: str = ""
    namespace: str = "rearview"
    resource: str = Field(default="", description="hosts live only on nodes that offer this resource of Ray's")


class ActorSettings(Group):
    """How users are spread over processes."""

    hosts: int = Field(default=2, ge=1, le=256, description="shared host processes")
    isolation: Literal["shared", "dedicated"] = Field(
        default="shared", description="`dedicated` gives every user a process of their own (about 50 MB each)"
    )
    dedicated: str = Field(
        default="", description="patterns of users with a process of their own, such as `vip-*`, separated by commas"
    )
    idle_seconds: float = Field(default=300.0, gt=0, description="a user nobody asked for this long leaves RAM")
    live_users_max: int = Field(
        default=5_000, ge=1, description="users in RAM per host; the least recently used leaves"
    )
    memory_mb: int = Field(
        default=2_000, ge=0, description="what users in RAM may take per host, by estimate; 0 = no limit"
    )
    snapshot_entries: int = Field(default=1_000, ge=1, description="journal entries between two snapshots of a user")


class SnapshotSettings(Group):
    """Where snapshots go, as an fsspec URL. Empty = `snapshots/` in the data directory."""

    url: str = ""


class EncryptionSettings(Group):
    """Sealing of what is stored with a key for each user (docs/deletion.md)."""

    enabled: bool = Field(default=True, description="`false` stores new bytes as they are; sealed ones are still read")
    key_file: str = Field(
        default="",
        description="the master key: a file of 64 hexadecimal digits, the same for all processes; "
        "empty = `keys/master` in the data directory, made at the first start",
    )


class AuditSettings(Group):
    """The audit trail of each user: what was done, when, under which token. Never what a memory says."""

    enabled: bool = True
    entries_max: int = Field(
        default=10_000, ge=1_000, le=10_000_000, description="entries kept per user; the oldest go first"
    )


class HttpSettings(Group):
    """The one port this service opens."""

    host: str = "127.0.0.1"
    port: int = Field(default=8100, ge=0, le=65_535)
    public_url: str = Field(default="", description="how others reach this service; stands in the OpenAPI documents")
    allowed_hosts: str = Field(
        default="",
        description="names a `Host` header may hold beside loopback, separated by commas; `name:*` is any port",
    )
    allowed_origins: str = Field(default="", description="the same for `Origin`")


class TracingSettings(Group):
    """OpenTelemetry spans of requests and operations (docs/operations.md). Empty = none are made, nothing is sent."""

    endpoint: str = Field(default="", description="OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`")


class RateSettings(Group):
    """Requests of a token that names no limits of its own. 0 = no limit. The first admin token never has one."""

    per_minute: int = Field(
        default=0, ge=0, le=PER_MINUTE_MAX, description="counted by each service process for itself"
    )
    per_day: int = Field(default=0, ge=0, le=PER_DAY_MAX, description="in a UTC day, counted over all processes")


class OidcSettings(Group):
    """Tokens (JWT) of an OpenID Connect issuer, beside our own (docs/http.md). Empty `issuer` = none are taken."""

    issuer: str = Field(default="", description="the `iss` of its tokens, exactly")
    audience: str = Field(default="", description="the `aud` they must name")
    jwks: str = Field(default="", description="its keys: a file, or an `https://` address (`http://` on loopback)")
    algorithms: str = Field(default="RS256,ES256", description="signatures taken; only asymmetric ones can be named")
    user_claim: str = Field(default="sub", min_length=1, description="the claim that becomes the user")
    user_prefix: str = Field(default="", description="put before it, so that an issuer has users of its own")
    role: Literal["read", "write"] = "write"

    @property
    def names(self) -> tuple[str, ...]:
        """The algorithms as a list."""
        return words(self.algorithms)

    @model_validator(mode="after")
    def _can_be_checked(self) -> "OidcSettings":
        if self.issuer and not (self.audience and self.jwks):
            raise ValueError("an issuer needs an audience and its keys (jwks)")
        if not self.names or not set(self.names) <= set(ASYMMETRIC):
            raise ValueError(f"algorithms are of: {', '.join(ASYMMETRIC)}")
        address = urlsplit(self.jwks)
        if address.scheme == "http" and address.hostname not in LOOPBACK:
            raise ValueError("keys are fetched over https, or over http from loopback")
        return self


class CapacitySettings(Group):
    """Most active memories per user and tier."""

    working: int = Field(default=200_000, ge=1)
    episodic: int = Field(default=200_000, ge=1)
    semantic: int = Field(default=200_000, ge=1)


class WorkingSettings(Group):
    """The token budget of a talk's working memory, counted by an estimate that never lies below."""

    window_tokens: int = Field(default=32_000, ge=1, description="the context window of the agents that use it")
    share: float = Field(default=0.4, gt=0, le=1, description="how much of that window the working memory may fill")


class TtlSettings(Group):
    """How long a memory of a tier lives by default. Semantic memories stay."""

    working_seconds: int = Field(default=3_600, ge=1)
    episodic_seconds: int = Field(default=30 * 86_400, ge=1)


class UserSettings(Group):
    """Defaults for users who have not set their own."""

    time_zone: str = "UTC"

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            zoneinfo.ZoneInfo(value)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError) as error:
            raise ValueError("not an IANA time zone name") from error
        return value


class ModelSettings(Group):
    """Models (docs/models.md). All empty or `bundled` = nothing leaves this machine and litellm is never imported."""

    judge: str = Field(default="", description="litellm's name of a chat model; empty = rules alone decide")
    judge_api_base: str = ""
    judge_api_key: SecretStr = SecretStr("")
    scoring: Literal["inline", "deferred", "off"] = Field(
        default="deferred", description="whether a write waits for the judge, is judged later, or not at all"
    )
    judge_seconds: float = Field(default=4.0, gt=0, le=60, description="the most that a write waits for the judge")
    embedder: str = Field(default="bundled", description="`bundled`, or litellm's name of an embedding model")
    embedder_api_base: str = ""
    embedder_api_key: SecretStr = SecretStr("")
    embedder_dimensions: int = Field(default=0, ge=0, le=8_192, description="0 = the model's own")
    query_seconds: float = Field(default=2.0, gt=0, le=60, description="the most that a search waits for the embedder")
    reranker: str = Field(default="", description="litellm's name of a rerank model, or of a chat model")
    reranker_kind: Literal["rank", "chat"] = Field(
        default="rank", description="`chat`: a chat model, which also drops what does not answer"
    )
    reranker_api_base: str = ""
    reranker_api_key: SecretStr = SecretStr("")
    daily_calls: int = Field(default=20_000, ge=0, description="calls per model and UTC day; 0 = no cap")
    daily_tokens: int = Field(default=10_000_000, ge=0, description="tokens per model and UTC day; 0 = no cap")
    query_encoder: Literal["static", "quality", "auto"] = Field(
        default="static",
        description="`static` is the table, `quality` the model, `auto` the model where it is worth the time",
    )

    @model_validator(mode="after")
    def _bundled_has_its_own_dimensions(self) -> "ModelSettings":
        if self.embedder == BUNDLED and self.embedder_dimensions not in (0, BUNDLED_DIMENSIONS):
            raise ValueError(f"the bundled embedder has {BUNDLED_DIMENSIONS} dimensions and no others")
        return self

    @property
    def judges(self) -> bool:
        """Whether a model judges writes."""
        return bool(self.judge) and self.scoring != "off"

    @property
    def remote(self) -> bool:
        """Whether any model lies outside this service, so that the model host is needed."""
        return self.judges or self.embedder != BUNDLED or bool(self.reranker)


class WriteSettings(Group):
    """The write gate."""

    threshold: float = Field(default=0.6, ge=0, le=1, description="least total score of a write that is kept")
    secrets: Literal["off", "mask", "reject"] = Field(
        default="mask", description="what happens to keys, passwords and card numbers"
    )


class RecallSettings(Group):
    """The ranking and the floor (docs/measuring.md). Empty = as the preset has it; weights are divided by their sum."""

    preset: Literal["default", "article-a", "article-b"] = Field(
        default="default", description="`default` is fitted on public data; `rearview tune` compares others with it"
    )
    semantic_weight: float | None = Field(default=None, ge=0, le=1)
    keyword_weight: float | None = Field(default=None, ge=0, le=1)
    recency_weight: float | None = Field(default=None, ge=0, le=1)
    confidence_weight: float | None = Field(default=None, ge=0, le=1)
    half_life_days: float | None = Field(
        default=None, gt=0, le=36_500, description="of every category; a user's own setting wins"
    )
    fact_boost: float | None = Field(default=None, gt=0, le=10)
    stale_preference_days: float | None = Field(default=None, gt=0, le=36_500)
    stale_preference_factor: float | None = Field(default=None, ge=0, le=1)
    floor: float | None = Field(default=None, ge=0, le=1, description="least relevance of what is returned")

    @model_validator(mode="after")
    def _makes_a_ranking(self) -> "RecallSettings":
        self.policy()
        return self

    def policy(self) -> RecallPolicy:
        """Raises: ValueError when the four weights are 0."""
        given = self.model_dump(exclude={"preset"}, exclude_none=True)
        return recall_policy(self.preset, given)


class TestSettings(Group):
    """For tests only: a file with an offset in seconds that is added to every look at the clock."""

    clock_file: str = ""


class Settings(BaseSettings):
    """All settings. Frozen; only nested groups, because only those refuse unknown names."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", frozen=True, extra="forbid", toml_file="rearview.toml"
    )

    data_dir: str = ".rearview"
    durability: Literal["strict", "relaxed"] = "strict"
    redis: RedisSettings = RedisSettings()
    ray: RaySettings = RaySettings()
    actors: ActorSettings = ActorSettings()
    snapshots: SnapshotSettings = SnapshotSettings()
    encryption: EncryptionSettings = EncryptionSettings()
    audit: AuditSettings = AuditSettings()
    http: HttpSettings = HttpSettings()
    rate: RateSettings = RateSettings()
    tracing: TracingSettings = TracingSettings()
    oidc: OidcSettings = OidcSettings()
    capacity: CapacitySettings = CapacitySettings()
    working: WorkingSettings = WorkingSettings()
    ttl: TtlSettings = TtlSettings()
    user: UserSettings = UserSettings()
    models: ModelSettings = ModelSettings()
    write: WriteSettings = WriteSettings()
    recall: RecallSettings = RecallSettings()
    test: TestSettings = TestSettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags before the environment before the file."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls)

    @property
    def data_path(self) -> Path:
        """The data directory as an absolute path."""
        return Path(self.data_dir).expanduser().resolve()

    @property
    def master_key_path(self) -> Path:
        """The file of the master key."""
        named = self.encryption.key_file
        return Path(named).expanduser().resolve() if named else self.data_path / MASTER_KEY_FILE

    def revealed_json(self) -> str:
        """As JSON with the keys of models, for the model host's process alone. `model_dump_json` never shows them."""
        plain = self.model_dump(mode="json")
        for name in ModelSettings.model_fields:
            value = getattr(self.models, name)
            if isinstance(value, SecretStr):
                plain["models"][name] = value.get_secret_value()
        return json.dumps(plain)

    def policy(self) -> Policy:
        """The numbers the engine decides with."""
        write = WritePolicy(
            threshold=self.write.threshold,
            secrets=self.write.secrets,
            working_ttl_ms=self.ttl.working_seconds * 1000,
            episodic_ttl_ms=self.ttl.episodic_seconds * 1000,
        )
        forget = ForgetPolicy(
            working_capacity=self.capacity.working,
            episodic_capacity=self.capacity.episodic,
            semantic_capacity=self.capacity.semantic,
        )
        return Policy(
            limits=Limits(),
            write=write,
            recall=self.recall.policy(),
            forget=forget,
            time_zone=self.user.time_zone,
            working=WorkingPolicy(window_tokens=self.working.window_tokens, share=self.working.share),
        )


def load_settings(flags: Mapping[str, Any] | None = None, environment: Mapping[str, str] | None = None) -> Settings:
    """Read all sources.

    Raises: SettingsError naming each unknown or unusable setting. Values are not shown: one may be a secret.
    """
    names = os.environ if environment is None else environment
    stray = sorted(name for name in names if name.startswith(PREFIX) and not _known_variable(name))
    if stray:
        raise SettingsError("unknown setting " + ", ".join(stray))
    try:
        return Settings(**(flags or {}))
    except ValidationError as error:
        problems = "; ".join(
            ".".join(str(part) for part in item["loc"]) + ": " + item["msg"].removeprefix("Value error, ")
            for item in error.errors(include_input=False)
        )
        raise SettingsError(problems) from None
    except (SourceError, tomllib.TOMLDecodeError):
        raise SettingsError("rearview.toml or a REARVIEW_ variable is not in a form that can be read") from None


def _known_variable(name: str) -> bool:
    if name in CLIENT_VARIABLES:
        return True
    group, _, field = name[len(PREFIX) :].lower().partition("__")
    known = Settings.model_fields.get(group)
    if known is None:
        return False
    inner = known.annotation
    if isinstance(inner, type) and issubclass(inner, BaseModel):
        return not field or field in inner.model_fields
    return not field
