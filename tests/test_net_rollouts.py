"""Rollouts by evaluators: right on average, with the error they claim, the same for any workers."""

from __future__ import annotations

import random
import threading
import tracemalloc
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from solved import Solved, ending

import tavli_fast as tf
from tavli_fast import RolloutResult
from tavli_fast._core import net_games
from tavli_fast.rollouts.plan import board_key

SEEDS = 200

ENDINGS = {
    "race": ("hypergammon", ending({6: 2, 5: 1}, {8: 1, 3: 1, 1: 1}, 3)),
    "contact": ("backgammon", ending({8: 1, 3: 1}, {12: 1, 2: 1})),
    "pins": ("plakoto", ending({20: 1}, {19: 1})),
}


@cache
def net(rules: str, seed: int = 5) -> tf.Net:
    return tf.Net.random(rules, hidden=8, seed=seed, scale=0.5)


def policies(name: str, rules: str) -> tuple[Any, Any]:
    """Return the policies of both sides."""
    mine = net(rules)
    return {"one": (mine, mine), "two": (mine, net(rules, 6)), "random": (mine, "random")}[name]


@cache
def solved(where: str, who: str) -> Solved:
    rules, board = ENDINGS[where]
    return Solved(board, rules, policies(who, rules))


METHODS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stratified": {"stratified": True},
    "without luck": {"variance_reduction": True},
    "without luck, stratified": {"variance_reduction": True, "stratified": True},
}


def many(where: str, who: str, trials: int, seeds: int = SEEDS, **settings: Any) -> RolloutResult:
    """Roll out a batch of the same board: each has dice of its own, as another seed gives it."""
    rules, board = ENDINGS[where]
    boards = np.stack([board] * seeds)
    return tf.rollout(boards, policies(who, rules), rules, trials, seed=1, **settings)


def check_mean(found: np.ndarray, truth: float) -> None:
    """Check that the mean over the seeds is right, within four of its standard errors."""
    spread = found.std(ddof=1) / len(found) ** 0.5
    assert abs(found.mean() - truth) <= 4 * spread + 1e-6


# --- right on average -----------------------------------------------------------------------------


CASES = [
    (where, who, method)
    for where in ENDINGS
    for who in ("one", "two", "random")
    for method in METHODS
    if who != "random" or "luck" not in method  # it is taken out of choices by an evaluator
]


@pytest.mark.parametrize(("where", "who", "method"), CASES)
def test_the_mean_is_right_and_the_error_too(where: str, who: str, method: str) -> None:
    trials, seeds = (50, SEEDS) if "luck" in method else (100, 2 * SEEDS)
    result = many(where, who, trials, seeds, **METHODS[method])
    truth = solved(where, who)
    check_mean(result.equity, truth.equity)
    for column in range(6):
        check_mean(result.outcomes[:, column], truth.outcomes[0, column])
    inside = np.abs(result.equity - truth.equity) <= 1.96 * result.std_error
    assert inside.mean() >= 0.92
    if "stratified" not in method:  # whose errors may be smaller than it claims
        assert inside.mean() <= 0.98
    elif where == "race":
        assert result.equity.std() < 0.95 * result.std_error.mean()


@pytest.mark.parametrize("plies", [1, 2, 5])
@pytest.mark.parametrize("luck", [False, True])
def test_cut_games_with_exact_values(plies: int, luck: bool) -> None:
    for where in ("race", "pins"):
        truth = solved(where, "one")
        result = many(
            where,
            "one",
            4 if luck else 36,
            truncate=plies,
            variance_reduction=luck,
            evaluator=truth.judge,
        )
        assert result.truncated.sum() > 0
        check_mean(result.equity, truth.equity)
        for column in range(6):
            check_mean(result.outcomes[:, column], truth.outcomes[0, column])
        if luck:  # all luck is known: every single game comes to the same
            np.testing.assert_allclose(result.equity, truth.equity, atol=1e-6)
            np.testing.assert_allclose(result.std_error, 0, atol=1e-6)


def test_cut_games_are_worth_what_the_net_says() -> None:
    """Games cut after one ply are the mean of the net's values after the 21 rolls."""
    rules, board = ENDINGS["contact"]
    rolls = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    weights = np.array([1 + (high != low) for high, low in rolls]) / 36
    best = tf.best_plays(np.stack([board] * 21), rolls, net(rules), rules)
    result = tf.rollout(board, net(rules), rules, 1296, 1, truncate=1, stratified=True)
    assert result.equity[0] == pytest.approx(weights @ best.equity[:, 0], abs=1e-6)
    found = tf.rollout(board, net(rules), rules, 7, 1, truncate=1, variance_reduction=True)
    assert found.equity[0] == pytest.approx(weights @ best.equity[:, 0], abs=1e-6)
    assert found.std_error[0] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("trials", [1, 35, 37, 1297])
def test_no_number_of_stratified_trials_is_biased(trials: int) -> None:
    truth = solved("race", "one").equity
    seeds = 4000 if trials < 100 else 100
    rules, board = ENDINGS["race"]
    result = tf.rollout(np.stack([board] * seeds), net(rules), rules, trials, 3, stratified=True)
    check_mean(result.equity, truth)


@pytest.mark.parametrize("method", METHODS)
def test_no_double_first(method: str) -> None:
    rules, board = ENDINGS["race"]
    rolls = [(high, low) for high in range(2, 7) for low in range(1, high)]
    best = tf.best_plays(np.stack([board] * 15), rolls, net(rules), rules).boards[:, 0]
    truth = np.mean([solved("race", "one").after(after) for after in best])
    result = many("race", "one", 61, opening=True, **METHODS[method])
    check_mean(result.equity, float(truth))
    assert abs(truth - solved("race", "one").equity) > 0.01


def test_the_dice_of_a_ranking_are_the_same_for_all_plays() -> None:
    (rules, board), roll = ENDINGS["contact"], (2, 1)
    exact = {}
    for play in tf.legal_plays(board, roll, rules):
        exact[str(play)] = -Solved(tf.flip(play.board), rules, (net(rules),) * 2).equity
    names = sorted(exact)
    found = [tf.rank_plays(board, roll, net(rules), rules, 144, seed) for seed in range(200)]
    by_name = [{str(each.play): each for each in ranking} for ranking in found]
    for name in names:
        check_mean(np.array([each[name].equity for each in by_name]), exact[name])
    inside, narrower = [], []
    for each in by_name:
        best = next(name for name in each if np.isnan(each[name].difference_error))
        for name in set(names) - {best}:
            ranked = each[name]
            off = ranked.difference - (exact[name] - exact[best])
            inside.append(abs(off) <= 1.96 * ranked.difference_error + 1e-9)
            apart = np.hypot(ranked.std_error, each[best].std_error)
            narrower.append(ranked.difference_error < apart)
    # The best of several is the best by luck too: a little less than 95 in 100.
    assert 0.88 <= np.mean(inside) <= 0.98
    assert np.mean(narrower) > 0.95


# --- the same for any workers ---------------------------------------------------------------------


class Shuffling(Executor):
    """Works off whatever has been handed over, in any order."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.waiting: list[Any] = []
        self.arrived, self.closed = threading.Condition(), False
        self.order: list[int] = []
        self.handed = 0
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self.arrived:
            self.waiting.append((self.handed, future, function, args))
            self.handed += 1
            self.arrived.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        with self.arrived:
            self.closed = True
            self.arrived.notify()
        self.thread.join()

    def _work(self) -> None:
        while True:
            with self.arrived:
                self.arrived.wait_for(lambda: self.waiting or self.closed)
                if not self.waiting:
                    return
            threading.Event().wait(0.002)  # let more arrive
            with self.arrived:
                place = self.random.randrange(len(self.waiting))
                number, future, function, args = self.waiting.pop(place)
            self.order.append(number)
            future.set_result(function(*args))


RULES = "hypergammon"
BOARDS = tf.random_boards(3, RULES, seed=2)

SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"trials": 1500},
    "cut": {"trials": 1500, "truncate": 5, "stratified": True},
    "without luck": {"trials": 150, "variance_reduction": True, "truncate": 4},
    "without luck, stratified": {
        "trials": 40,
        "variance_reduction": True,
        "stratified": True,
        "opening": True,
    },
}


@cache
def alone(method: str) -> RolloutResult:
    return tf.rollout(BOARDS, net(RULES), RULES, seed=4, threads=1, **SETTINGS[method])


@pytest.mark.parametrize("method", SETTINGS)
def test_workers_do_not_change_a_bit(method: str) -> None:
    def rolled(**workers: Any) -> RolloutResult:
        return tf.rollout(BOARDS, net(RULES), RULES, seed=4, **SETTINGS[method], **workers)

    for threads in (2, 7, None):
        assert rolled(threads=threads) == alone(method)
    with ThreadPoolExecutor(3) as pool:
        assert rolled(executor=pool) == alone(method)
    with Shuffling(1) as shuffling:
        assert rolled(executor=shuffling) == alone(method)
    assert shuffling.order != sorted(shuffling.order)
    assert tf.rollout(BOARDS, net(RULES), RULES, seed=5, **SETTINGS[method]) != alone(method)


def test_nor_do_processes() -> None:
    roll = (5, 2)
    ranked = tf.rank_plays(BOARDS[0], roll, net(RULES), RULES, 300, 4, threads=1)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        for method, settings in SETTINGS.items():
            found = tf.rollout(BOARDS, net(RULES), RULES, seed=4, executor=pool, **settings)
            assert found == alone(method)
        again = tf.rank_plays(BOARDS[0], roll, net(RULES), RULES, 300, 4, executor=pool)
    assert repr(again) == repr(ranked)
    assert [each.outcomes for each in again] == [each.outcomes for each in ranked]


def test_the_ranking_is_the_same_for_any_threads() -> None:
    def ranked(threads: int | None) -> list[tuple[Any, ...]]:
        settings = SETTINGS["cut"] | {"trials": 5000, "stop_jsd": 2, "candidates": 3}
        found = tf.rank_plays(
            BOARDS[1], (6, 4), net(RULES), RULES, threads=threads, seed=1, **settings
        )
        return [
            (str(each.play), each.equity, each.std_error, each.difference, each.outcomes)
            for each in found
        ]

    assert ranked(1) == ranked(2) == ranked(7)


# --- going on, and stopping -----------------------------------------------------------------------


@pytest.mark.parametrize("method", SETTINGS)
def test_parts_add_up_to_the_whole(method: str) -> None:
    settings = SETTINGS[method] | {"trials": 128}
    whole = tf.rollout(BOARDS, net(RULES), RULES, seed=4, **settings | {"trials": 300})
    one = tf.rollout(BOARDS, net(RULES), RULES, seed=4, **settings)
    rest = settings | {"trials": 172, "first_trial": 128}
    other = tf.rollout(BOARDS, net(RULES), RULES, seed=4, **rest)
    total = one + other
    for name in ("counts", "trials", "plies", "unfinished", "truncated"):
        np.testing.assert_array_equal(getattr(total, name), getattr(whole, name))
    for name in ("equity", "std_error", "outcomes", "outcome_errors"):
        np.testing.assert_allclose(
            getattr(total, name), getattr(whole, name), rtol=1e-12, atol=1e-14
        )
    if whole.settings.exact:
        np.testing.assert_array_equal(total.equity, whole.equity)
        np.testing.assert_array_equal(total.std_error, whole.std_error)
    assert total.spans == ((4, 0, 128), (4, 128, 300))
    with pytest.raises(ValueError, match="they hold the same games, from trial 128 on"):
        whole + other


CHANGES: list[dict[str, Any]] = [
    {"truncate": 6},
    {"truncate": 5, "evaluator": net(RULES, 7)},
    {"truncate": 5, "variance_reduction": True},
    {"truncate": 5, "stratified": True},
    {"truncate": 5, "opening": True},
    {"truncate": 5, "same_dice": True},
    {"truncate": 5, "max_plies": 100},
    {"truncate": 5, "policy": net(RULES, 6)},
    {"truncate": 5, "policy": (net(RULES), net(RULES, 6))},
    {"truncate": 5, "rules": replace(tf.RULES[RULES], win_needs_all_dice=False)},
]


@pytest.mark.parametrize("change", CHANGES)
def test_results_of_other_settings_do_not_add(change: dict[str, Any]) -> None:
    base = tf.rollout(BOARDS, net(RULES), RULES, 10, 1, truncate=5)
    arguments: dict[str, Any] = {"rules": RULES, "policy": net(RULES), "trials": 10} | change
    other = tf.rollout(BOARDS, seed=2, **arguments)
    with pytest.raises(ValueError, match="cannot add results of"):
        base + other


@pytest.mark.parametrize(("method", "limit"), [("plain", 0.04), ("cut", 0.01)])
def test_it_stops_at_the_same_trial_for_any_threads(method: str, limit: float) -> None:
    settings = SETTINGS[method] | {"trials": 10**6}
    found = [
        tf.rollout(BOARDS, net(RULES), RULES, seed=1, threads=n, stop_error=limit, **settings)
        for n in (1, 2, 7)
    ]
    assert found[0] == found[1] == found[2]
    trials, error = found[0].trials, found[0].std_error
    assert (error <= limit).all()
    assert (trials % 1280 == 0).all()
    assert (trials < 10**6).all()
    for board, stopped in zip(BOARDS, trials, strict=True):
        if stopped > 1280:
            shorter = settings | {"trials": int(stopped) - 1280}
            before = tf.rollout(BOARDS, net(RULES), RULES, seed=1, **shorter)
            place = next(i for i in range(3) if np.array_equal(BOARDS[i], board))
            assert before.std_error[place] > limit


def test_what_comes_on_the_way_is_the_rollout_so_far() -> None:
    seen: list[RolloutResult] = []
    final = tf.rollout(BOARDS, net(RULES), RULES, 3000, 1, interim=seen.append)
    assert [int(each.trials[0]) for each in seen] == [1280, 2560, 3000]
    assert seen[-1] == final
    assert seen[0] == tf.rollout(BOARDS, net(RULES), RULES, 1280, 1)
    rankings: list[tf.RankedPlays] = []
    ranked = tf.rank_plays(BOARDS[0], (3, 1), net(RULES), RULES, 1500, 1, interim=rankings.append)
    assert [each.trials for each in rankings] == [1280, 1500]
    assert repr(rankings[-1]) == repr(ranked)


# --- callables that fail --------------------------------------------------------------------------


def nan_at_last(afterstates: np.ndarray) -> np.ndarray:
    values = np.zeros(len(afterstates))
    values[-1] = np.nan
    return values


def too_short(afterstates: np.ndarray) -> np.ndarray:
    return np.zeros(len(afterstates) + 1)


def raising(afterstates: np.ndarray) -> np.ndarray:
    raise RuntimeError("out of tea")


@pytest.mark.parametrize(
    ("callable_", "message"),
    [
        (nan_at_last, r"nan_at_last.*TFID1:"),
        (too_short, r"too_short.*shape"),
        (raising, r"raising.*out of tea"),
    ],
)
def test_callables_that_fail_stop_it_all(callable_: Callable[..., Any], message: str) -> None:
    before = threading.active_count()
    for call in (
        lambda: tf.rollout(BOARDS, callable_, RULES, 10_000, 1),
        lambda: tf.rollout(BOARDS, net(RULES), RULES, 2000, 1, truncate=2, evaluator=callable_),
        lambda: tf.rank_plays(BOARDS[0], (3, 1), callable_, RULES, 10_000, 1),
    ):
        with pytest.raises(tf.EvaluatorError, match=message):
            call()
        assert threading.active_count() == before
    with ThreadPoolExecutor(2) as pool:
        with pytest.raises(tf.EvaluatorError, match=message):
            tf.rollout(BOARDS, callable_, RULES, 10_000, 1, executor=pool)
        assert pool.submit(int).result() == 0


# --- memory and dice ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["plain", "cut"])
def test_memory_does_not_grow_with_trials(method: str) -> None:
    settings = SETTINGS[method]

    def peak(trials: int) -> int:
        tracemalloc.start()
        tf.rollout(BOARDS[0], net(RULES), RULES, seed=1, threads=2, **settings | {"trials": trials})
        size = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return size

    peak(100)
    few = peak(4000)
    more = min(peak(40_000) for _ in range(3))  # what else the process does counts too
    assert more < 1.5 * few
    assert more < 1_000_000


def test_the_dice_are_philox() -> None:
    key = board_key(7, 3, False)
    dice = net_games.trial_dice(key, 5, 20, 2, 6, False, False)
    for trial in range(20):
        for ply in range(6):
            # NumPy adds 1 to the counter before it draws.
            counter = (ply + 2 + ((trial + 5) << 64) - 1) % 2**256
            words = [counter >> shift & 2**64 - 1 for shift in (0, 64, 128, 192)]
            stream = np.random.Philox(key=key, counter=np.array(words, np.uint64))
            number = int(stream.random_raw(1)[0]) * 36 >> 64
            assert dice[trial, ply].tolist() == [1 + number // 6, 1 + number % 6]


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize("key", [(1, 2), (3, 4)])
def test_stratified_dice_share_out_the_rolls(opening: bool, key: tuple[int, int]) -> None:
    words, first = np.array(key, np.uint64), 30 if opening else 36
    dice = net_games.trial_dice(words, 0, 36**3, 0, 4, opening, True).astype(int)
    rolls = dice[:, :, 0] * 6 + dice[:, :, 1] - 7
    assert (not opening) or (dice[:, 0, 0] != dice[:, 0, 1]).all()
    pairs = rolls[:, 0] * 36 + rolls[:, 1]
    triples = pairs * 36 + rolls[:, 2]
    for start in range(0, 5 * first, first):  # any block of the first rolls
        assert len(set(rolls[start : start + first, 0])) == first
    for start in range(0, 5 * first * 36, first * 36):
        assert len(set(pairs[start : start + first * 36])) == first * 36
    assert len(set(triples[: first * 36**2])) == first * 36**2
    # Shuffled, and not the same way in each block; the fourth roll is free.
    assert rolls[:first, 0].tolist() != sorted(rolls[:first, 0])
    assert rolls[:first, 0].tolist() != rolls[first : 2 * first, 0].tolist()
    shares = np.bincount(rolls[:, 3], minlength=36) / len(rolls)
    assert np.abs(shares - 1 / 36).max() < 5 * (1 / 36 / len(rolls)) ** 0.5
