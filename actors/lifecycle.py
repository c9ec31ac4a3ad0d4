"""The life of one user's actor, as a table.

An actor takes the epoch (activating), rebuilds the state (recovering), answers (active), and goes: by its own
will after writing a snapshot (passivating -> stopped), or at once when it can no longer be sure that its state
equals the journal (fenced, an append of unknown outcome). A stopped actor never answers again; the next call
hydrates a new one. Damaged bytes lead to quarantine: reads go on from memory if there is any, nothing is written.

Every move has a reason, and the reason decides where it leads. A reason that does not fit the phase is a bug:
it raises and changes nothing. `docs` draws its diagram from `TRANSITIONS`.
"""

from enum import StrEnum


class Phase(StrEnum):
    """Where an actor stands."""

    ACTIVATING = "activating"
    RECOVERING = "recovering"
    ACTIVE = "active"
    PASSIVATING = "passivating"
    QUARANTINED = "quarantined"
    STOPPED = "stopped"


TRANSITIONS: dict[tuple[Phase, str], Phase] = {
    (Phase.ACTIVATING, "epoch_taken"): Phase.RECOVERING,
    (Phase.ACTIVATING, "storage_failed"): Phase.STOPPED,
    (Phase.RECOVERING, "state_rebuilt"): Phase.ACTIVE,
    (Phase.RECOVERING, "storage_failed"): Phase.STOPPED,
    (Phase.RECOVERING, "bytes_damaged"): Phase.QUARANTINED,
    (Phase.ACTIVE, "fenced"): Phase.STOPPED,
    (Phase.ACTIVE, "append_unsure"): Phase.STOPPED,
    (Phase.ACTIVE, "apply_failed"): Phase.STOPPED,
    (Phase.ACTIVE, "bytes_damaged"): Phase.QUARANTINED,
    (Phase.ACTIVE, "erased"): Phase.STOPPED,
    (Phase.ACTIVE, "idle"): Phase.PASSIVATING,
    (Phase.ACTIVE, "room_needed"): Phase.PASSIVATING,
    (Phase.ACTIVE, "host_stopping"): Phase.PASSIVATING,
    (Phase.PASSIVATING, "snapshot_written"): Phase.STOPPED,
    (Phase.PASSIVATING, "snapshot_failed"): Phase.STOPPED,  # The journal has it all; only vectors are made again.
    (Phase.QUARANTINED, "erased"): Phase.STOPPED,
    (Phase.QUARANTINED, "let_go"): Phase.STOPPED,
}


class Lifecycle:
    """One actor's phase and how it came there."""

    def __init__(self) -> None:
        self.phase = Phase.ACTIVATING
        self.reason = "called"

    @property
    def active(self) -> bool:
        return self.phase is Phase.ACTIVE

    @property
    def stopped(self) -> bool:
        return self.phase is Phase.STOPPED

    def to(self, reason: str) -> Phase:
        """Move on for this reason.

        Raises: ValueError when the table has no such move; the phase stays as it was.
        """
        after = TRANSITIONS.get((self.phase, reason))
        if after is None:
            raise ValueError(f"an actor that is {self.phase.value} cannot move on because of {reason!r}")
        self.phase, self.reason = after, reason
        return after
