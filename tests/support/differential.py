"""The core against the reference on many (board, roll) pairs;
`python tests/support/differential.py` is the long run."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).parent))

from boards import HITTING, Int8Array, made_boards

import tavli_fast as tf
from tavli_fast import Rules, reference

SWITCHES = ("hit_and_run_home", "max_dice", "higher_die", "win_needs_all_dice")


def all_rules() -> list[Rules]:
    """Return the presets, and every combination of the rule switches with 15 and 3 checkers."""
    house = [
        dataclasses.replace(preset, **dict[str, Any](zip(SWITCHES, values, strict=True)))
        for values in itertools.product((True, False), repeat=len(SWITCHES))
        for preset in (tf.PORTES, tf.HYPERGAMMON)
    ]
    return list(dict.fromkeys([*HITTING.values(), *house]))


def pairs(n: int, rules: Rules, seed: int) -> tuple[Int8Array, Int8Array]:
    """Return `n` boards, half from random games and half made, and a random roll for each.

    A cascade can have more plays than the reference lists in a minute; with more than a few
    checkers only 6-6 is kept, which does not go on.
    """
    rng = np.random.default_rng(seed)
    boards = np.concatenate(
        [tf.random_boards(n - n // 2, rules, seed), made_boards(rng, n // 2, rules)]
    )
    dice = rng.integers(1, 7, (n, 2)).astype(np.int8)
    if rules.cascade and rules.checkers > 3:
        low = (dice[:, 0] == dice[:, 1]) & (dice[:, 0] < 6)
        dice[low, 1] = 6
    return boards, dice


def check(boards: Int8Array, dice: Int8Array, rules: Rules) -> int:
    """Compare all that core and reference say of the pairs; return how many afterstates."""
    core = tf.plays(boards, dice, rules)
    slow = reference.plays(boards, dice, rules)
    np.testing.assert_array_equal(tf.count_plays(boards, dice, rules), np.diff(core.offsets))
    after = tf.afterstates(boards, dice, rules)
    np.testing.assert_array_equal(after.boards, core.boards)
    np.testing.assert_array_equal(after.offsets, core.offsets)
    for i, (mine, theirs) in enumerate(zip(blocks(core), blocks(slow), strict=True)):
        if sorted(mine) != sorted(theirs):
            raise AssertionError(
                f"{rules}\n{boards[i].tolist()}\nroll {dice[i].tolist()}: the core has "
                f"{len(mine)} afterstates, the reference {len(theirs)}; only the core: "
                f"{shown(set(mine) - set(theirs))}; only the reference: "
                f"{shown(set(theirs) - set(mine))}"
            )
    # A play, made move by move, is legal and leads to its afterstate, in both (a sample: this is
    # slow in the reference).
    board_of = np.repeat(np.arange(len(boards)), np.diff(core.offsets))
    some = np.random.default_rng(0).permutation(len(board_of))[: len(boards) // 10 + 1]
    chosen = board_of[some]
    for engine in (tf, reference):
        np.testing.assert_array_equal(
            engine.apply(boards[chosen], core.moves[some], dice[chosen], rules), core.boards[some]
        )
        np.testing.assert_array_equal(
            engine.apply(boards[chosen], core.moves[some], rules=rules), core.boards[some]
        )
    for mine_, theirs_ in zip(
        tf.outcomes(core.boards, rules), reference.outcomes(core.boards, rules), strict=True
    ):
        np.testing.assert_array_equal(mine_, theirs_)
    return len(core.boards)


def blocks(plays: tf.Plays) -> Iterator[list[bytes]]:
    """Yield each board's afterstates as bytes."""
    for first, end in itertools.pairwise(plays.offsets):
        yield [board.tobytes() for board in plays.boards[first:end]]


def shown(boards: set[bytes]) -> list[npt.NDArray[np.int8]]:
    return [np.frombuffer(board, np.int8).reshape(2, 26) for board in sorted(boards)[:2]]


def main() -> None:
    """Run until as many pairs are compared as asked for, going round all rules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument(
        "--rules", choices=tf.RULES, help="one preset, instead of all hitting games"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    done = afterstates = 0
    begun = time.perf_counter()
    chosen = [tf.RULES[options.rules]] if options.rules else all_rules()
    for number, rules in enumerate(itertools.cycle(chosen)):
        n = min(2000, options.pairs - done)
        if n == 0:
            break
        afterstates += check(*pairs(n, rules, options.seed + number), rules)
        done += n
        print(f"\r{done:,} pairs", end="", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - begun
    print(f"\n{done:,} pairs, {afterstates:,} afterstates, 0 differences, {seconds:.0f} s")


if __name__ == "__main__":
    main()
