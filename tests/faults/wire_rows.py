"""Row 21: what can happen between host and store."""

import random
import time
from collections.abc import Callable

from tests.faults.stage import Stage
from tests.faults.table import Outcome, Row, finish
from tests.faults.wire import Wire

TIMES = 4


def _with_fault(fault: str, seconds: float) -> Callable[[Stage], Outcome]:
    def play(stage: Stage) -> Outcome:
        store, outcome = stage.store(), Outcome()
        wire = Wire(stage.folder / "wire.sock", store.socket).start()
        stage.parts.append(wire)
        host = stage.host(wire.url)
        writing = stage.writing(host, 600)
        chance = random.Random(fault)
        for _ in range(TIMES):
            writing.until_acked(writing.acked() + 80)
            wire.bytes_left = chance.randrange(1, 4000)
            wire.fault = fault
            if fault == "refuse":
                wire.cut_all()
            outcome.injections += 1
            time.sleep(seconds)
            wire.fault = ""
        writing.finish()
        return finish(stage, host, store, outcome)

    return play


ROWS = [
    Row("21", "replies of the store come late", _with_fault("delay", 1.5)),
    Row("21b", "connections cut after some bytes of a reply", _with_fault("cut", 0.5)),
    Row("21c", "replies of the store are swallowed", _with_fault("stall", 1.0)),
    Row("21d", "connections to the store are refused", _with_fault("refuse", 1.0)),
    Row("21e", "the network sends every append twice", _with_fault("twice", 1.5)),
]
