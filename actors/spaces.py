"""Which embedding spaces there are, and in which one each user is.

A user is in one space as a whole: the one of the newest snapshot, or that of everybody where there is none yet. While
users are moved from one model to another (`actors.reembed`), a host therefore knows two: the vectors of a user are made
by, and compared with, those of that user's own space only.
"""

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import cast

from actors.parts import EmbedderSpec, HostParts
from actors.requests import command_of, pack, unpack
from engine.errors import RearviewError

BEFORE_MAX = 8


@dataclass(frozen=True, slots=True)
class SpaceRecord:
    """The model in force, the one that users are being moved to (or None), and earlier ones, latest first.

    `key` of no model is in here; `key_file` says where one is.
    """

    current: EmbedderSpec
    target: EmbedderSpec | None = None
    before: tuple[EmbedderSpec, ...] = ()

    def __iter__(self) -> Iterator[EmbedderSpec]:
        return iter([self.current, *([] if self.target is None else [self.target]), *self.before])

    def moving_to(self, target: EmbedderSpec) -> "SpaceRecord":
        """The same with users on their way to another model. One that they were on the way to before stays known."""
        return SpaceRecord(self.current, target, self._and_before(self.target, but=target))

    def moved(self) -> "SpaceRecord":
        """Everybody has arrived."""
        assert self.target is not None, "somebody was on the way"
        return SpaceRecord(self.target, None, self._and_before(self.current, but=self.target))

    def _and_before(self, spec: EmbedderSpec | None, *, but: EmbedderSpec) -> tuple[EmbedderSpec, ...]:
        specs = dict.fromkeys([*([] if spec is None else [spec]), *self.before])
        return tuple(one for one in specs if one != but)[:BEFORE_MAX]


def encode_record(record: SpaceRecord) -> bytes:
    return pack(
        {
            "current": asdict(record.current),
            "target": None if record.target is None else asdict(record.target),
            "before": [asdict(spec) for spec in record.before],
        }
    )


def decode_record(data: bytes) -> SpaceRecord:
    """Raises: InvalidMemory for a field that this release does not know."""
    plain = cast("Mapping[str, object]", unpack(data))
    target = plain["target"]
    return SpaceRecord(
        spec_of(plain["current"]),
        None if target is None else spec_of(target),
        tuple(spec_of(one) for one in cast("list[object]", plain["before"])),
    )


def spec_of(plain: object) -> EmbedderSpec:
    """A model as it came over the wire. Raises: InvalidMemory for an argument that it does not have."""
    return command_of(EmbedderSpec, cast("Mapping[str, object]", plain))


class Spaces:
    """The spaces that one host knows. All methods run on the loop."""

    def __init__(self, parts: HostParts) -> None:
        self.default = parts  # Where users are who have no snapshot yet.
        self._base = parts
        self._by_id: dict[str, HostParts] = {parts.space.space_id: parts}
        self._by_spec: dict[EmbedderSpec, HostParts] = {}

    def of(self, spec: EmbedderSpec) -> HostParts:
        """The parts for a model's space; always the same object for the same space."""
        if spec not in self._by_spec:
            assert self._base.in_space is not None, "a host that is asked to move users knows how"
            made = self._base.in_space(self._base, spec)
            self._by_spec[spec] = self._by_id.setdefault(made.space.space_id, made)
        return self._by_spec[spec]

    async def refresh(self) -> None:
        """Learn of what was decided elsewhere. Raises: Unavailable."""
        found = None if self._base.spaces is None else await self._base.spaces.read()
        if found is None:
            return
        record = decode_record(found)
        for spec in record:
            self.of(spec)
        self.default = self.of(record.current)

    async def of_snapshot(self, space_id: str) -> HostParts:
        """The parts of the space that a snapshot names; where nobody knows it, vectors are made anew in the default.

        Raises: Unavailable when the record cannot be read.
        """
        if space_id not in self._by_id:
            await self.refresh()
        return self._by_id.get(space_id, self.default)

    async def watch(self) -> None:
        """Look again until cancelled. What cannot be read now is read at the next look."""
        while True:
            with contextlib.suppress(RearviewError):  # The store is away; every write says so.
                await self.refresh()
            await asyncio.sleep(self._base.limits.sweep_ms / 1000)
