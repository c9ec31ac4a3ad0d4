"""Snapshots in plain memory, framed and verified like the real ones. Ships for users' tests."""

from persistence.files import PlainFiles
from persistence.snapshots import OnDamaged, SnapshotStore, log_damaged


class PlainSnapshots(SnapshotStore):
    """`files` is open to tests: damage its bytes, or set `files.fail_next_write`."""

    def __init__(self, on_damaged: OnDamaged = log_damaged) -> None:
        self.files = PlainFiles()
        super().__init__(self.files, on_damaged)
