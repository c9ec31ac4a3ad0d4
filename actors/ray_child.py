"""Runs one of Ray's helper scripts so that it dies with the process that started it. Not imported: run by path.

Ray's agents notice that their raylet died and then try for a minute to report it to a control service that died with
it. On Linux the kernel ends them at once instead. Usage: `python ray_child.py SCRIPT ARGUMENTS...`.
"""

import ctypes
import os
import runpy
import signal
import sys

PR_SET_PDEATHSIG = 1


def die_with_parent() -> None:
    parent = os.getppid()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # It died before the kernel was asked.
        sys.exit(1)


if __name__ == "__main__":
    die_with_parent()
    del sys.argv[0]
    # As if the script had been run itself: this folder's names (`requests`) must not shadow those it imports.
    sys.path[0] = os.path.dirname(sys.argv[0])  # noqa: PTH120 - as the interpreter does it
    runpy.run_path(sys.argv[0], run_name="__main__")
