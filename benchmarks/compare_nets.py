"""What a candidate costs with nets of several sizes, in alternating turns.

    python benchmarks/compare_nets.py [--rules backgammon] [--seconds 60] [--hidden 128,256]

Every net chooses the same plays of the same boards, those of games of the bundled net with itself;
and it looks one ply ahead. The weights of most are random: no time depends on them, but for the
plays that a sieve leaves, for which the bundled nets stand. The figures are the
least processor time of each, and the ratio to the net of the first size without scalars and
experts, as the median over the turns.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

import tavli_fast as tf

BOARDS, LOOKED = 1000, 40


def positions(rules: str, net: tf.Net) -> tuple[np.ndarray, np.ndarray]:
    """Return boards of games, and rolls."""
    rng = np.random.default_rng(5)
    boards = np.repeat(tf.start(rules)[np.newaxis], 60, axis=0)
    met = []
    for _ in range(40):
        met.append(boards)
        dice = rng.integers(1, 7, (len(boards), 2))
        after = tf.best_plays(boards, dice, evaluator=net, rules=rules).boards[:, 0]
        boards = tf.flip(after)
        boards[tf.outcomes(after, rules=rules)[0]] = tf.start(rules)
    some = rng.permutation(40 * 60)[:BOARDS]
    return np.concatenate(met)[some], rng.integers(1, 7, (BOARDS, 2)).astype(np.int8)


def grown(net: tf.Net, sizes: list[int]) -> dict[str, tf.Net]:
    """Return nets by what is said of them: the first of them is compared with."""
    nets = {}
    for hidden in sizes:
        plain = tf.Net.random(net.rules, hidden, seed=1, activation=net.activation)
        scalars = plain.with_scalars()
        nets[f"{hidden} units"] = plain
        nets[f"{hidden} and scalars"] = scalars
        nets[f"{hidden}, scalars, experts"] = scalars.with_experts()
    return nets


def seconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started


def main(arguments: list[str] | None = None) -> int:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--rules", default="backgammon")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--hidden", default="128,256", help="sizes, the base first")
    parser.add_argument("--small", action="store_true", help="also the small bundled net")
    options = parser.parse_args(arguments)
    rules: str = options.rules
    boards, dice = positions(rules, tf.load_net(rules))
    candidates = int(tf.count_plays(boards, dice, rules=rules).sum())
    looked = tf.flip(boards[:LOOKED])
    nets = grown(tf.load_net(rules), [int(size) for size in options.hidden.split(",")])
    nets["the bundled net"] = tf.load_net(rules)
    if tf.load_net(rules).sieve is not None:
        nets["the same without its sieve"] = tf.load_net(rules).with_sieve(None)
    if options.small:
        nets["the small bundled net"] = tf.load_net(rules, small=True)
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in nets}
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        for name, net in nets.items():
            best = partial(tf.best_plays, boards, dice, evaluator=net, rules=rules)
            ahead = partial(tf.evaluate, looked, evaluator=net, rules=rules, plies=1)
            times[name][0].append(seconds(best))
            times[name][1].append(seconds(ahead))
    first = next(iter(times.values()))
    print(f"{'net':<26} {'candidate, ns':>14} {'ratio':>6} {'1 ply, us':>10} {'ratio':>6}")
    for name, both in times.items():
        ratios = [
            statistics.median(a / b for a, b in zip(mine, base, strict=True))
            for mine, base in zip(both, first, strict=True)
        ]
        print(
            f"{name:<26} {1e9 * min(both[0]) / candidates:>14.0f} {ratios[0]:>6.2f} "
            f"{1e6 * min(both[1]) / LOOKED:>10.0f} {ratios[1]:>6.2f}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
