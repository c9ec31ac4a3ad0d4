"""`make bench`: run the measurements. `python -m bench NAME` runs one. Results are written by hand beside the code."""

import argparse
import os
import platform
import sys


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", default="latency", choices=["latency"])
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--calls", type=int, default=500)
    args = parser.parse_args()
    print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}")
    from bench.latency import latency

    latency(args.memories, args.calls)
    return 0


if __name__ == "__main__":
    sys.exit(main())
