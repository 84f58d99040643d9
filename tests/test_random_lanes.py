"""Random games in lanes: every play has the same chance, and nothing else changes a result."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections import Counter

import differential
import numpy as np
import numpy.typing as npt
import pytest
from boards import boards_and_rules, rolls
from hypothesis import given, settings
from hypothesis import strategies as st

import tavli_fast as tf
from tavli_fast import Rules, _core, reference
from tavli_fast._core import testing

Words = npt.NDArray[np.uint32]

HOUSE = [
    dataclasses.replace(tf.PORTES, max_dice=False),
    dataclasses.replace(tf.BACKGAMMON_ZH, hit_and_run_home=False),
    dataclasses.replace(tf.TAVLA, higher_die=False, win_needs_all_dice=False),
    dataclasses.replace(tf.PORTES, bearoff_internal=False),
    dataclasses.replace(tf.PORTES, bearoff_oversize=False),
    dataclasses.replace(tf.PLAKOTO, bearoff_while_pinned=True),
    dataclasses.replace(tf.PLAKOTO, mother="lose_always", max_dice=False),
    dataclasses.replace(tf.PLAKOTO, mother_ends="immediate"),
    dataclasses.replace(tf.FEVGA, runner_gate=6, trap="immobile"),
    dataclasses.replace(tf.NARDE, head_limit=2, own_start_prime="forbidden", prime_len=4),
    dataclasses.replace(tf.MOULTEZIM, max_dice=False, head_limit=1, trap="need_ahead"),
]


def one_for_each(proposals: int) -> Words:
    """Return random words that stand for each of the proposals once."""
    number = np.arange(proposals, dtype=np.uint64)
    words = ((2 * number + 1) << np.uint64(31)) // np.uint64(proposals)
    np.testing.assert_array_equal(words * np.uint64(proposals) >> np.uint64(32), number)
    return words.astype(np.uint32)


def check_chances(board: np.ndarray, roll: tuple[int, int], rules: Rules) -> str:
    """Assert that all plays of the reference, and no others, have the same number of proposals;
    return how the roll is played."""
    listed = set(map(bytes, reference.afterstates(board, roll, rules=rules).boards))
    none = np.zeros(1, np.uint32)
    after, drawn, proposals = testing.drawn_plays(board, *roll, rules, none)
    if proposals == 0:
        assert drawn.all()
        assert after.tobytes() in (listed or {board.tobytes()})
        return "one by one" if listed else "dance"
    after, drawn, again = testing.drawn_plays(board, *roll, rules, one_for_each(proposals))
    assert again == proposals
    chances = Counter(map(bytes, after[drawn]))
    assert set(chances) == listed
    assert len(set(chances.values())) == 1
    return "doubles in lanes" if roll[0] == roll[1] else "mixed in lanes"


@pytest.mark.parametrize("rules", [*tf.RULES.values(), *HOUSE], ids=repr)
def test_every_play_has_the_same_chance(rules: Rules) -> None:
    boards, dice = differential.pairs(240, rules, seed=77)
    dice[::4, 1] = dice[::4, 0]
    if rules.cascade:
        dice[::4] = 6
    over, _ = tf.outcomes(boards, rules=rules)
    ways = Counter(
        check_chances(board, (int(roll[0]), int(roll[1])), rules)
        for board, roll in zip(boards[~over], dice[~over], strict=True)
    )
    if rules in tf.RULES.values():
        assert ways["mixed in lanes"] > 40
        assert ways["doubles in lanes"] > 10 or rules.cascade


@settings(max_examples=300)
@given(boards_and_rules(), rolls())
def test_every_play_has_the_same_chance_on_any_board(
    made: tuple[np.ndarray, Rules], roll: tuple[int, int]
) -> None:
    board, rules = made
    over, _ = tf.outcomes(board, rules=rules)
    if not over[0]:
        check_chances(board, roll, rules)


def board_of(mover: dict[int, int], enemy: dict[int, int]) -> np.ndarray:
    board = np.zeros((2, 26), np.int8)
    for plane, counts in zip(board, (mover, enemy), strict=True):
        plane[list(counts)] = list(counts.values())
    return board


KINDS = {
    "start": (tf.PORTES, tf.start(), (3, 1)),
    "doubles": (tf.PORTES, tf.start(), (2, 2)),
    "bar": (tf.PORTES, board_of({25: 1, 13: 4, 8: 3, 6: 7}, {1: 2, 12: 5, 17: 4, 19: 4}), (4, 1)),
    "two on the bar": (tf.PORTES, board_of({25: 2, 8: 6, 6: 7}, {1: 2, 12: 6, 17: 7}), (5, 5)),
    "blots": (tf.TAVLA, board_of({10: 1, 8: 1, 6: 1, 5: 12}, {21: 1, 22: 1, 1: 13}), (4, 3)),
    "last one outside": (tf.PORTES, board_of({0: 5, 9: 1, 6: 4, 3: 3, 1: 2}, {1: 15}), (6, 3)),
    "bearing off": (tf.PORTES, board_of({0: 8, 6: 2, 4: 2, 2: 2, 1: 1}, {1: 15}), (5, 3)),
    "bearing off low": (tf.PORTES, board_of({0: 9, 3: 2, 2: 3, 1: 1}, {1: 15}), (6, 1)),
    "bearing off doubles": (tf.PORTES, board_of({0: 7, 6: 3, 5: 1, 2: 4}, {1: 15}), (3, 3)),
    "pins": (tf.PLAKOTO, board_of({20: 3, 12: 6, 7: 6}, {13: -1, 9: 1, 1: 13}), (5, 2)),
    "gate": (tf.FEVGA, board_of({24: 14, 14: 1}, {24: 13, 20: 2}), (6, 4)),
    "no gate": (tf.FEVGA, board_of({24: 8, 14: 3, 8: 4}, {24: 9, 16: 6}), (4, 4)),
    "head": (tf.NARDE, board_of({24: 9, 20: 3, 15: 3}, {24: 9, 16: 6}), (5, 1)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_draws_are_uniform(kind: str) -> None:
    rules, board, roll = KINDS[kind]
    listed = list(map(bytes, reference.afterstates(board, roll, rules=rules).boards))
    assert len(listed) > 1
    draws = 200 * len(listed)
    bits = np.random.default_rng(5).integers(2**32, size=2 * draws, dtype=np.uint32)
    after, drawn, _ = testing.drawn_plays(board, *roll, rules, bits)
    counts = Counter(map(bytes, after[drawn][:draws]))
    assert counts.keys() <= set(listed)
    assert sum(counts.values()) == draws
    chi_square = sum((counts[play] - 200) ** 2 / 200 for play in listed)
    freedom = len(listed) - 1
    assert abs(chi_square - freedom) < 4 * (2 * freedom) ** 0.5


FIGURES = {
    # Of 100,000 games one by one, before there were lanes: the shares of games worth 1, 2 and 3
    # points, of draws, and won by the first player; mean plies, and their standard error.
    "portes": ((0.382, 0.618, 0, 0, 0.520), 95.87, 0.12),
    "backgammon_zh": ((0.384, 0.366, 0.251, 0, 0.517), 96.27, 0.12),
    "hypergammon": ((0.265, 0.611, 0.124, 0, 0.532), 22.77, 0.02),
    "tavla": ((0.388, 0.612, 0, 0, 0.516), 96.64, 0.13),
    "plakoto": ((0.255, 0.556, 0, 0.189, 0.424), 71.14, 0.06),
    "tapa": ((0.256, 0.554, 0, 0.189, 0.423), 92.44, 0.07),
    "fevga": ((0.818, 0.182, 0, 0, 0.543), 94.04, 0.02),
    "narde": ((0.835, 0.165, 0, 0, 0.540), 95.60, 0.02),
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures_of_random_games(name: str) -> None:
    shares, plies, error = FIGURES[name]
    games = 20_000
    result = tf.rollout(tf.start(name), rules=name, policy="random", trials=games, seed=9)
    assert result.unfinished[0] == 0
    counts = result.counts[0]
    found = [counts[3 - points] + counts[3 + points] for points in (1, 2, 3)]
    found += [counts[3], counts[4:].sum()]
    for share, count in zip(shares, found, strict=True):
        spread = (share * (1 - share) * (1 / games + 1 / 100_000)) ** 0.5
        assert abs(count / games - share) <= 4 * spread + 0.0005  # they are given to 0.1 %
    assert abs(result.plies[0] / games - plies) < 4 * error * (1 + 100_000 / games) ** 0.5 + 0.005


# --- what a result depends on ---------------------------------------------------------------------


def games(board: np.ndarray, rules: Rules, trials: int, max_plies: int = 10_000) -> np.ndarray:
    seed = np.array([1, 2, 3, 4], np.uint64)
    return _core.random_games.random_games(
        board, rules, seed, trials, max_plies, np.zeros(1, np.uint8)
    )


@pytest.mark.parametrize("name", ["portes", "plakoto", "fevga"])
def test_a_game_does_not_depend_on_those_beside_it(name: str) -> None:
    # So the games of a chunk of n trials are those of one with n - 1 and one more.
    rules, board = tf.RULES[name], tf.start(name)
    before = np.zeros(9, np.int64)
    for trials in (0, 1, 7, 8, 9, 127, 128, 129, 130, 300):
        sums = games(board, rules, trials)
        assert sums[:8].sum() == trials
        assert (sums >= before).all()
        before = sums
    one_more = games(board, rules, 301) - before
    assert sorted(one_more[:8]) == [0] * 7 + [1]
    assert one_more[8] > 20


def test_one_checker_each() -> None:
    rules = dataclasses.replace(tf.PORTES, checkers=1, start=((6, 1),))
    sums = games(tf.start(rules), rules, 20_000)
    # 27 of 36 rolls bear off from the 6-point; then both go on from nearer.
    assert sums[:8].sum() == sums[1:6].sum() == 20_000
    first_wins_at_once = games(tf.start(rules), rules, 20_000, max_plies=1)
    assert abs(first_wins_at_once[5] / 20_000 - 27 / 36) < 4 * (27 * 9 / 36**2 / 20_000) ** 0.5
    assert first_wins_at_once[7] == 20_000 - first_wins_at_once[5]


@pytest.mark.parametrize("trials", [1, 8, 9, 200])
def test_games_are_cut(trials: int) -> None:
    for most in (1, 2, 3):
        assert games(tf.start(), tf.PORTES, trials, most).tolist() == [0] * 7 + [
            trials,
            most * trials,
        ]


def test_stop_ends_the_games() -> None:
    board = np.zeros((2, 26), np.int8)
    board[:, 25], board[:, 1:7] = 3, 2  # both on the bar against closed boards
    stopped = _core.random_games.random_games(
        board, tf.PORTES, np.ones(4, np.uint64), 128, 2**62, np.ones(1, np.uint8)
    )
    assert stopped[:8].sum() == 0


BOARDS_AND_GAMES = """
import sys, numpy as np, tavli_fast as tf
assert tf.build_info()["isa"] == sys.argv[1]
for name in tf.RULES:
    if name == "gul_bara":
        continue  # its games are long, and those of Narde take the same ways
    boards = np.concatenate([tf.start(name)[np.newaxis], tf.random_boards(2, rules=name, seed=3)])
    result = tf.rollout(
        boards, rules=name, policy="random", trials=150, seed=4, threads=int(sys.argv[2])
    )
    print(name, result.counts.tolist(), result.plies.tolist(), result.unfinished.tolist())
"""


def test_any_build_plays_the_same_games() -> None:
    told = {}
    for isa in tf.build_info()["available"].split(", "):
        for threads in "12":
            command = [sys.executable, "-c", BOARDS_AND_GAMES, isa, threads]
            environment = os.environ | {_core.VARIABLE: isa}
            told[isa, threads] = subprocess.run(
                command, env=environment, check=True, capture_output=True, text=True
            ).stdout
    assert len(set(told.values())) == 1


@given(st.permutations(range(6)))
@settings(max_examples=10)
def test_chunks_in_any_order(order: list[int]) -> None:
    rules, board = tf.PORTES, tf.start()
    parts = [
        tf.rollout(board, rules=rules, policy="random", trials=128, seed=3, first_trial=128 * chunk)
        for chunk in order
    ]
    whole = tf.rollout(board, rules=rules, policy="random", trials=6 * 128, seed=3)
    np.testing.assert_array_equal(sum(part.counts for part in parts), whole.counts)
    np.testing.assert_array_equal(sum(part.plies for part in parts), whole.plies)
