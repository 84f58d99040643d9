"""Threads that share nets, rules and boards get what one thread gets, to the bit."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

import tavli_fast as tf

THREADS = 8
ROUNDS = 3


def _calls(name: str) -> dict[str, Callable[[], Any]]:
    """Calls over objects that all threads share; house rules are compiled when first used."""
    rules = replace(tf.RULES[name], target=9)
    boards = tf.random_boards(150, rules, seed=5)
    dice = np.random.default_rng(5).integers(1, 7, (150, 2)).astype(np.int8)
    net = tf.Net.random(name, 32, seed=5)
    few, few_dice, one = boards[:30], dice[:30], boards[0]
    return {
        f"{name} count": lambda: tf.count_plays(boards, dice, rules),
        f"{name} plays": lambda: tf.plays(boards, dice, rules).boards,
        f"{name} one": lambda: tf.afterstates(one, (2, 1), rules).boards,
        f"{name} outcomes": lambda: tf.outcomes(boards, rules)[1],
        f"{name} evaluate": lambda: tf.evaluate(boards, net, rules).equity,
        f"{name} best": lambda: tf.best_plays(few, few_dice, net, rules).boards,
        f"{name} rollout": lambda: (
            tf.rollout(one, policy=net, rules=rules, trials=20, seed=1, threads=1).equity
        ),
    }


def test_threads_that_share_everything_get_the_bits_of_one() -> None:
    calls = _calls("backgammon") | _calls("plakoto") | _calls("fevga")
    expected = {name: call() for name, call in calls.items()}
    ready = threading.Barrier(THREADS)

    def run(number: int) -> list[str]:
        order, wrong = random.Random(number), []
        names = list(calls)
        for _ in range(ROUNDS):
            order.shuffle(names)
            ready.wait(60)  # all begin at once, in different orders
            wrong += [name for name in names if not np.array_equal(calls[name](), expected[name])]
        return wrong

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(run, range(THREADS))) == [[]] * THREADS


def test_many_rule_sets_at_once() -> None:
    """The core keeps the last hundred sets of rules that it compiled, for all threads."""
    board = tf.start("portes")
    sets = [replace(tf.PORTES, target=1 + n, win_needs_all_dice=bool(n % 2)) for n in range(300)]

    def run(number: int) -> bool:
        order = random.Random(number).sample(sets, len(sets))
        return all(tf.count_plays(board, (6, 6), rules)[0] == expected for rules in order)

    expected = tf.count_plays(board, (6, 6), tf.PORTES)[0]
    assert expected == tf.count_plays(board, (6, 6), sets[0])[0]
    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(run, range(THREADS)))
