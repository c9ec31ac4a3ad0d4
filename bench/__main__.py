"""`make bench`: everything in one report, bench/results/report.md. `python -m bench NAME` runs one measurement.

The load of the machine stands above every result: what was taken at a load above the number of cores is not published.
"""

import argparse
import os
import platform
import sys
from pathlib import Path

# As the hosts run it. Read by numpy and by the model when they are first imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")


NAMES = ["report", "latency", "backlog", "engine", "recall", "footprint", "isolation", "conformance", "scale"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("name", nargs="?", default="report", choices=NAMES)
    parser.add_argument("--memories", type=int, default=1_000, help="latency: memories of the user searched")
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000], help="engine: memories of the user")
    parser.add_argument("--data", type=Path, help="engine, recall: a folder with labelled pools (docs/measuring.md)")
    parser.add_argument("--suite", type=Path, help="conformance: a folder in which npm installed the suite")
    parser.add_argument("--operations", type=int, default=100_000, help="isolation: operations of two tenants")
    parser.add_argument("--vectors", type=Path, help="recall: a folder that keeps the model's vectors")
    parser.add_argument("--known", type=int, default=100_000, help="scale: users in the store")
    parser.add_argument("--live", type=int, default=5_000, help="scale: users in RAM")
    args = parser.parse_args()
    print(
        f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores, "
        f"load {os.getloadavg()[0]:.1f}"
    )
    if args.name == "recall" and args.data is None:
        parser.error("recall needs --data DIR, a folder with labelled pools")
    if args.name == "conformance":
        from bench.conformance import conformance

        if args.suite is None:
            parser.error("conformance needs --suite DIR, a folder with the suite (bench/conformance.md)")
        return int(conformance(args.suite) > 0)
    if args.name == "isolation":
        from bench.isolation import isolation

        return int(isolation(args.operations) > 0)
    if args.name == "engine":
        from bench.engine_bench import engine

        engine(args.sizes, args.calls, args.data)
    if args.name == "latency":
        from bench.latency import latency

        latency(args.memories, args.calls)
    if args.name == "backlog":
        from bench.backlog import backlog

        backlog(args.memories, args.calls)
    if args.name == "recall":
        from bench.recall_bench import recall

        recall(args.data, args.vectors)
    if args.name == "footprint":
        from bench.footprint import footprint

        for row in footprint():
            print(f"{row.kind:36} {row.processes:3} {row.megabytes:7.1f} MB")
    if args.name == "scale":
        from bench.scale import scale

        scale(args.known, args.live)
    if args.name == "report":
        from bench.report import report

        report()
    return 0


if __name__ == "__main__":
    sys.exit(main())
