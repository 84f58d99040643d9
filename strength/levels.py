"""What the strength levels of the engine lose to level 10, in points a game of backgammon.

    python strength/levels.py --games 1000 1 2 3

Cubeless games in pairs of the same dice; the levels play their plays only.
"""

from __future__ import annotations

import argparse

import tavli_fast as tf
from tavli_fast.connect import LEVELS, Engine


def main() -> None:
    """Play each level against the highest, and print a row of docs/strength.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("levels", type=int, nargs="*", default=[*LEVELS][:-1])
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--rules", default="backgammon")
    args = parser.parse_args()
    best = Engine.of_level(max(LEVELS))
    for level in args.levels:
        found = tf.arena(
            Engine.of_level(level, seed=level), best, args.rules, games=args.games, seed=100 + level
        )
        print(
            f"| {level} | {found.points:+.3f} ± {found.std_error:.3f} | {found.won(1):.1%} "
            f"| {found.games} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
