"""Growth of the engine's times with the number of memories, as PNG and SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.loads import Timing

Growth = Mapping[str, Sequence[tuple[int, Timing]]]


def draw(growth: Growth, folder: Path) -> list[Path]:
    """One picture, p50 as lines and p99 dotted, both axes logarithmic. Returns the files."""
    import matplotlib

    matplotlib.use("Agg")
    # Equal input gives equal bytes, so that an unchanged result is no change in the repository.
    matplotlib.rcParams["svg.hashsalt"] = "rearview"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    for name, points in growth.items():
        sizes = [size for size, _ in points]
        (line,) = axes.plot(sizes, [timing.p50 for _, timing in points], marker="o", label=f"{name}, p50")
        axes.plot(sizes, [t.p99 for _, t in points], linestyle=":", color=line.get_color(), label=f"{name}, p99")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("memories of the user")
    axes.set_ylabel("ms of processor time")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend(fontsize=8)
    figure.tight_layout()
    files = [folder / "growth.png", folder / "growth.svg"]
    figure.savefig(files[0], dpi=110)
    figure.savefig(files[1], metadata={"Date": None})
    pyplot.close(figure)
    return files
