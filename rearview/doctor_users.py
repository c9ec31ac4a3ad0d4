"""The doctor's look at one user: journal and chain, snapshots, the state they give, the indexes made from it.

Nothing is taken over and nothing is changed: the service may be running on the same store.
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from actors.audit import Verified, audit_anchors, verify
from actors.hydrate import rebuilt
from actors.parts import HostParts
from actors.ports import DocumentEmbedder, Sealer
from engine.errors import Corrupt, Unavailable
from engine.memory import Float32Array
from engine.state import SHELVES, UserState, check_state
from persistence.codec import decode_events, entry_chain
from persistence.master_key import MASTER_KEY
from persistence.snapshots import SnapshotStore
from persistence.values import NO_CHAIN, Entry, Head, Snapshot
from rearview.findings import Finding, Level, fine, note, wrong

LOOKS_MAX = 3
"""A user who changes meanwhile is looked at again, so that only what persists is reported."""

AHEAD_MS = 300_000
INDEX_QUERIES = 32
INDEX_K = 10
INDEX_RECALL_MIN = 0.97
MEAN_SHARE = np.float32(0.9)
SAME_VECTOR_MIN = 0.98
VECTORS_CHECKED_PER_USER = 2


class ReadableJournal(Protocol):
    """What looking at a user needs of a journal: no method that takes anybody over."""

    async def look(self, user_id: str) -> Head | None: ...

    def read(self, user_id: str, after_seq: int) -> AsyncIterator[Entry]: ...


@dataclass(slots=True)
class UserReport:
    """What was found about one user. `recoverable` says whether a service could go on with them."""

    user_id: str
    findings: list[Finding] = field(default_factory=list)
    memories: int = 0
    recoverable: bool = False
    damaged: dict[str, str] = field(default_factory=dict)  # path of a snapshot -> what is wrong with it

    @property
    def place(self) -> str:
        return f"user {self.user_id}"

    @property
    def sound(self) -> bool:
        return not self.damaged and all(finding.level is not Level.WRONG for finding in self.findings)


def audit_finding(place: str, found: Verified) -> Finding:
    """What was found of an audit trail. It is not derived from anything, so there is no repair."""
    if found.broken_at is not None:
        return wrong(place, f"the audit trail was touched: {found.reason}")
    return fine(place, f"{found.entries} audit entries, none touched")


class UserDoctor:
    """Looks at users one by one, embedding at most `vectors_max` texts again over all of them."""

    def __init__(
        self, parts: HostParts, journal: ReadableJournal, snapshots_url: str, *, looks_max: int, vectors_max: int
    ) -> None:
        self._parts = parts
        self._journal = journal
        self._snapshots_url = snapshots_url
        self._looks_max = looks_max
        self._vectors_left = vectors_max
        self._embedder: DocumentEmbedder | None = None

    async def look_at(self, user_id: str) -> UserReport:
        """Raises: Unavailable when a store cannot be read."""
        report = UserReport(user_id)
        for _ in range(self._looks_max):
            report = await self._one_look(user_id)
            if report.sound:
                break
        return report

    async def _one_look(self, user_id: str) -> UserReport:
        report = UserReport(user_id)
        head = await self._journal.look(user_id)
        if head is None:
            report.findings.append(note(report.place, "the store does not know this user"))
            return report
        sealer = await self._sealer(report)
        snapshots = await self._snapshots(report)
        await self._journal_of(report, head, snapshots, sealer)
        await self._audit(report, snapshots)
        state = None if sealer is None else await self._state(report, head, sealer)
        if state is not None:
            self._times(report, state)
            self._index(report, state)
            self._vectors(report, state)
        return report

    async def _audit(self, report: UserReport, snapshots: Sequence[Snapshot]) -> None:
        found = await verify(self._parts.journal, report.user_id, audit_anchors(snapshots))
        report.findings.append(audit_finding(report.place, found))

    async def _sealer(self, report: UserReport) -> Sealer | None:
        """What opens this user's bytes; None when it cannot be had. Raises: Unavailable when the store is away."""
        try:
            return await self._parts.keys.look(report.user_id)
        except Corrupt as error:
            report.findings.append(wrong(report.place, error.sentence))
        except Unavailable as error:
            if error.code != MASTER_KEY:
                raise
            report.findings.append(wrong(report.place, error.sentence))
        return None

    async def _snapshots(self, report: UserReport) -> list[Snapshot]:
        """The valid ones, newest first."""
        store = SnapshotStore.at(self._snapshots_url, report.damaged.__setitem__)
        found = [snapshot async for snapshot in store.newest_first(report.user_id)]
        if found:
            seqs = ", ".join(str(snapshot.seq) for snapshot in found)
            report.findings.append(fine(report.place, f"whole snapshots: {len(found)} (taken at entry {seqs})"))
        foreign = {s.space_id for s in found if s.space_id != self._parts.space.space_id}
        if foreign:
            report.findings.append(
                note(
                    report.place,
                    f"snapshots hold vectors of another model ({', '.join(sorted(foreign))}): "
                    "users who are not moved yet (rearview reembed), or vectors that are made again",
                )
            )
        return found

    async def _journal_of(
        self, report: UserReport, head: Head, snapshots: Sequence[Snapshot], sealer: Sealer | None
    ) -> None:
        anchors = {0: NO_CHAIN} | {snapshot.seq: snapshot.chain for snapshot in snapshots}
        try:
            first, last = await self._chain(report.user_id, head, anchors, sealer)
        except Corrupt as error:
            report.findings.append(wrong(report.place, error.sentence))
            return
        held = "nothing yet" if not head.seq else "nothing" if first > last else f"entries {first} to {last}"
        report.findings.append(fine(report.place, f"the journal holds {held}; its chain is unbroken up to {head.seq}"))

    async def _chain(
        self, user_id: str, head: Head, anchors: dict[int, bytes], sealer: Sealer | None
    ) -> tuple[int, int]:
        """Every entry from the first to the head, against its neighbours and the snapshots. Raises: Corrupt."""
        first, seq, chain = 0, 0, b""
        async for entry in self._journal.read(user_id, 0):
            if not first:
                first, seq = entry.seq, entry.seq - 1
                chain = anchors.get(seq, b"")
            if entry.seq != seq + 1:
                raise Corrupt.of(f"The journal has a gap: entry {seq + 1} is missing.")
            if chain and entry_chain(chain, entry.seq, entry.body) != entry.chain:
                raise Corrupt.of(f"Journal entry {entry.seq} was altered: it does not match its chain hash.")
            if anchors.get(entry.seq, entry.chain) != entry.chain:
                raise Corrupt.of(f"Journal entry {entry.seq} and the snapshot of it disagree.")
            if sealer is not None:
                decode_events(sealer.open_entry(entry.seq, entry.body))
            seq, chain = entry.seq, entry.chain
            if seq == head.seq:
                break
        if not first and head.seq:
            if anchors.get(head.seq) != head.chain:
                raise Corrupt.of(f"The journal is empty, and no snapshot stands for its end at {head.seq}.")
            return head.seq + 1, head.seq
        if seq != head.seq:
            raise Corrupt.of(f"The journal has a gap: it should end at {head.seq}, but ends at {seq}.")
        if head.seq and chain != head.chain:
            raise Corrupt.of(f"The journal's head does not match the chain at {seq}.")
        return first, seq

    async def _state(self, report: UserReport, head: Head, sealer: Sealer) -> UserState | None:
        """What a service would have after reading this user back."""
        try:
            recovered = await self._parts.recovery(report.user_id, head)
            state, _ = await rebuilt(report.user_id, recovered, self._parts, sealer)
            check_state(state)
        except Corrupt as error:
            report.findings.append(wrong(report.place, f"cannot be read back: {error.sentence}"))
            return None
        except AssertionError as error:
            report.findings.append(wrong(report.place, f"the state read back breaks a rule: {error}"))
            return None
        report.recoverable, report.memories = True, len(state.memories)
        pending = f", {len(state.unembedded)} of them without the model's vector yet" if state.unembedded else ""
        report.findings.append(fine(report.place, f"{len(state.memories)} memories are read back{pending}"))
        return state

    def _times(self, report: UserReport, state: UserState) -> None:
        latest = max((m.updated_at_ms for m in state.memories.values()), default=0)
        ahead_ms = latest - self._parts.now_ms()
        if ahead_ms > AHEAD_MS:
            report.findings.append(
                wrong(
                    report.place,
                    f"something was written {ahead_ms / 60_000:.0f} minutes in the future: the clock was "
                    "ahead then, or is behind now",
                )
            )

    def _index(self, report: UserReport, state: UserState) -> None:
        """Graphs are made anew from the vectors, so this asks whether they answer as a scan of all would."""
        for shelf in SHELVES:
            index = state.vectors[shelf]
            job = index.graph_job()
            if job is None:
                continue
            job.build()
            index.adopt_graph(job)
            queries = self._queries(job.vectors)
            shares = [
                len(set(index.nearest(q, INDEX_K)[0].tolist()) & set(index.exact(q, INDEX_K)[0].tolist())) / INDEX_K
                for q in queries
            ]
            said = f"the {shelf} index finds {100 * float(np.mean(shares)):.1f} % of what an exact search finds"
            report.findings.append((fine if float(np.mean(shares)) >= INDEX_RECALL_MIN else wrong)(report.place, said))
        missing = [
            memory_id
            for memory_id in state.memories
            if state.shelf(memory_id) is not None and state.slots[memory_id] not in state.lexical
        ]
        if missing:
            report.findings.append(wrong(report.place, f"{len(missing)} memories are not in the keyword index"))

    def _queries(self, vectors: Float32Array) -> list[Float32Array]:
        """Some stored vectors, spread evenly, as queries are made: with the common part taken off."""
        step = max(1, len(vectors) // INDEX_QUERIES)
        return [vector - MEAN_SHARE * self._parts.space.mean for vector in vectors[::step][:INDEX_QUERIES]]

    def _vectors(self, report: UserReport, state: UserState) -> None:
        """A few stored vectors against the model itself: derived data that is silently wrong spoils every search."""
        own = [i for i, m in state.memories.items() if i not in state.unembedded and state.shelf(i) is not None]
        most = min(VECTORS_CHECKED_PER_USER, self._vectors_left)
        picked = own[:: max(1, len(own) // VECTORS_CHECKED_PER_USER)][:most]
        if not picked:
            return
        self._vectors_left -= len(picked)
        if self._embedder is None:
            self._embedder = self._parts.embedder()
        try:
            made = self._embedder.passages([state.memories[i].content for i in picked])
        except Unavailable as error:
            report.findings.append(note(report.place, f"vectors were not checked: {error.sentence}"))
            return
        held = np.array([state.vector_of(i) for i in picked], dtype=np.float32)
        worst = float((made * held).sum(axis=1).min())
        if worst < SAME_VECTOR_MIN:
            report.findings.append(
                wrong(
                    report.place,
                    f"a stored vector is not what the model makes of its text (cosine {worst:.2f}); "
                    "`rearview reembed` makes them again",
                )
            )
        else:
            report.findings.append(fine(report.place, f"{len(picked)} vectors are what the model makes of their texts"))
