"""Strength against time: what a decision loses and how long it takes, by how it is evaluated.

    python strength/lookahead.py --rollouts rollouts.jsonl --groups decision_groups.txt

The data are those of `measure.py`: the plays of 2,271 rolls, each rolled out by another program.
Every way of evaluating chooses a play of each roll; the loss is how much less it is worth, by these
rollouts, than the best of them. The time is that of the processor for a roll, all its rolled-out
plays evaluated from nothing. GNU Backgammon, through the package gnubg-nn, takes its turn in the
same run.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from measure import decisions, rolled_out

import tavli_fast as tf

Values = Callable[[npt.NDArray[Any]], npt.NDArray[np.float64]]
"""From afterstates ``int8[N, 2, 26]`` to equities of who has just moved."""


def looking(net: tf.Net, plies: int, replies: Any = "all") -> Values:
    """Return a net that looks so many plies ahead."""
    if plies == 0:
        return lambda boards: _equities(net(boards))

    def ahead(boards: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return -tf.evaluate(tf.flip(boards), net, net.rules, plies, replies=replies).equity

    return ahead


def rolling(net: tf.Net, trials: int, truncate: int) -> Values:
    """Return luck-adjusted rollouts of so many trials, broken off after some plies."""

    def rolled(boards: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        found = tf.rollout(
            tf.flip(boards),
            net,
            net.rules,
            trials=trials,
            truncate=truncate,
            variance_reduction=True,
            same_dice=True,
            seed=1,
            threads=1,
        )
        return -found.equity

    return rolled


def gnubg(plies: int) -> Values:
    """Return GNU Backgammon's evaluation of so many plies."""
    import gnubg_nn

    def evaluated(boards: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        seen = [gnubg_nn.probabilities(planes, plies) for planes in boards[:, :, 1:].tolist()]
        p = np.array(seen).reshape(-1, 5)
        return 1 - 2 * p[:, 0] - p[:, 1] - p[:, 2] + p[:, 3] + p[:, 4]

    return evaluated


def _equities(p: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = p[:, :3].sum(axis=1) - (1 - p[:, 0] - p[:, 5])
    return np.asarray(found - p[:, 3] - p[:, 4], float)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--net", type=Path, help="another net than the bundled ones")
    parser.add_argument("--rollouts", type=Path, required=True)
    parser.add_argument("--groups", type=Path, required=True)
    parser.add_argument("--decisions", type=int, default=2271, help="the first so many")
    parser.add_argument("--gnubg", action="store_true", help="0, 1 and 2 plies of GNU Backgammon")
    parser.add_argument("--slow", action="store_true", help="also all replies, and rollouts")
    options = parser.parse_args()
    boards, true = rolled_out(options.rollouts)
    groups = decisions(options.groups)[: options.decisions]
    used = np.sort(np.concatenate(groups))
    net = tf.Net.load(options.net) if options.net else tf.load_net("backgammon")
    nets = {"net": net}
    if options.net is None:
        nets["small net"] = tf.load_net("backgammon", small=True)
    ways: dict[str, Values] = {}
    for name, each in nets.items():
        ways |= {f"{name}, {plies} plies": looking(each, plies) for plies in (0, 1)}
        ways[f"{name}, 2 plies, the best replies alone"] = looking(each, 2, [(4, 0.16)])
        if options.slow:
            ways[f"{name}, 2 plies"] = looking(each, 2)
            ways[f"{name}, 36 trials of 5 plies"] = rolling(each, 36, 5)
    if options.gnubg:
        ways |= {f"GNU Backgammon, {plies} plies": gnubg(plies) for plies in (0, 1, 2)}
    print(f"{len(groups)} decisions, {len(used)} plays\n")
    print("| evaluated by | loss a decision | mean error | time a decision |\n|---|---|---|---|")
    for name, way in ways.items():
        found = np.full(len(boards), np.nan)
        began = time.process_time()
        found[used] = way(boards[used])
        took = (time.process_time() - began) / len(groups)
        loss = np.mean([true[g].max() - true[g[found[g].argmax()]] for g in groups])
        error = np.abs(found[used] - true[used]).mean()
        print(f"| {name} | {loss:.5f} | {error:.4f} | {1e3 * took:.3f} ms |", flush=True)


if __name__ == "__main__":
    main()
