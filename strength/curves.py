"""Draw the learning curves of the nets in the package: python strength/curves.py docs/img"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot

import tavli_fast as tf
from tavli_fast.nets.bundled import embedded_nets

NAMES = {"random": "against a random player", "tenth": "against itself at a tenth"}


def main(folder: Path) -> None:
    """Draw a picture with a part for each net."""
    names = embedded_nets()
    rows = -(-len(names) // 3)
    figure, axes = pyplot.subplots(rows, 3, figsize=(10, 2.6 * rows), layout="constrained")
    for axis in axes.flat[len(names) :]:
        axis.axis("off")
    for name, axis in zip(names, axes.flat, strict=False):
        for opponent, label in NAMES.items():
            part = [row for row in tf.load_net(name).info["curve"] if row[1] == opponent]
            games, _, equity, _ = zip(*part, strict=True)
            axis.plot(games, equity, marker=".", label=label)
        axis.set(title=name, xscale="log")
        axis.grid(alpha=0.3)
    axes.flat[0].set(ylabel="points a game", xlabel="games")
    axes.flat[0].legend(fontsize="small")
    figure.savefig(folder / "learning.png", dpi=80)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
