"""Nets with a sieve: the plays that it leaves, against a plain search; all else as without."""

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import Net
from tavli_fast._core import net_games
from tavli_fast.rollouts.plan import board_key

GAMES = ["backgammon", "plakoto", "fevga", "hypergammon"]


def pair(rules: str, **form: Any) -> tuple[Net, Net]:
    """Return a net and a small one that often prefers other plays."""
    net = Net.random(rules, 64, seed=1, activation="clipped", scale=0.3, **form)
    return net, Net.random(rules, 32, seed=2, activation="clipped", scale=0.3)


def equities(net: Net, boards: Any) -> Any:
    p = net(boards)
    with np.errstate(all="raise"):
        won, lost = p[:, 0] + p[:, 1] + p[:, 2], (np.float32(1) - p[:, 0] - p[:, 5])
        return won - (lost + p[:, 3] + p[:, 4])


def positions(rules: str, count: int) -> tuple[Any, Any]:
    boards = tf.random_boards(count, rules, seed=3)
    return boards, np.random.default_rng(4).integers(1, 7, (count, 2)).astype(np.int8)


@pytest.mark.parametrize("form", [{}, {"scalars": True, "experts": True}])
@pytest.mark.parametrize("kept", [1, 3, 32])
@pytest.mark.parametrize("rules", GAMES)
def test_the_best_play_is_the_nets_among_those_that_the_sieve_leaves(
    rules: str, kept: int, form: dict[str, bool]
) -> None:
    net, sieve = pair(rules, **form)
    boards, dice = positions(rules, 200)
    high = np.sort(dice, axis=1)[:, ::-1]
    plays = tf.afterstates(boards, np.ascontiguousarray(high), rules)
    found = tf.best_plays(boards, dice, net.with_sieve(sieve, kept), rules)
    own, first = equities(net, plays.boards), equities(sieve, plays.boards)
    others = 0
    for i in range(len(boards)):
        here = slice(plays.offsets[i], plays.offsets[i + 1])
        if here.start == here.stop:
            assert found.counts[i] == 0
            continue
        left = np.sort(np.argsort(-first[here], kind="stable")[:kept])
        best = left[np.argmax(own[here][left])]
        np.testing.assert_array_equal(found.boards[i, 0], plays.boards[here][best])
        others += best != np.argmax(own[here])
    assert kept == 32 or others > 10


def test_the_value_one_ply_ahead_is_that_of_its_choices() -> None:
    net, sieve = pair("portes", scalars=True, experts=True)
    both = net.with_sieve(sieve, 2)
    boards, _ = positions("portes", 20)
    rolls = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    mean = np.zeros(len(boards))
    for roll in rolls:
        played = tf.best_plays(boards, roll, both, "portes")
        equity = played.equity[:, 0].copy()
        stay = played.counts == 0
        equity[stay] = equities(net, boards[stay])
        mean += equity * (1 + (roll[0] != roll[1])) / 36
    found = tf.evaluate(boards, both, "portes", plies=1).equity
    np.testing.assert_allclose(found, mean, atol=1e-5)
    assert (found <= tf.evaluate(boards, net, "portes", plies=1).equity + 1e-6).all()
    np.testing.assert_array_equal(
        tf.evaluate(boards, both, "portes").equity, tf.evaluate(boards, net, "portes").equity
    )


@pytest.mark.parametrize("options", [{}, {"variance_reduction": True}, {"truncate": 5}])
def test_games_are_played_by_the_same_choices(options: dict[str, Any]) -> None:
    net, sieve = pair("hypergammon", scalars=True, experts=True)
    both = net.with_sieve(sieve, 2)

    def trials(policy: Any, threads: int) -> Any:
        start = tf.start("hypergammon")
        found = tf.rollout(
            start, policy, "hypergammon", trials=40, seed=5, threads=threads, **options
        )
        return found.equity, found.std_error

    one = trials(both, 1)
    np.testing.assert_array_equal(trials(both, 2), one)
    assert not np.array_equal(trials(net, 1), one)
    # A sieve that leaves every play, or judges as the net does, changes nothing.
    np.testing.assert_array_equal(trials(net.with_sieve(sieve, 32), 1), trials(net, 1))
    np.testing.assert_array_equal(trials(sieve.with_sieve(sieve, 1), 1), trials(sieve, 1))


@pytest.mark.parametrize("other", ["bare", "small", "own"])
def test_the_turns_of_players_with_and_without_a_sieve_do_not_mix(other: str) -> None:
    net, sieve = pair("hypergammon", scalars=True, experts=True)
    both = net.with_sieve(sieve, 2)
    opponent = {"bare": net, "small": sieve, "own": net.with_sieve(net, 1)}[other]
    found = tf.arena(both, opponent, "hypergammon", games=20, seed=5)
    dice = net_games.trial_dice(board_key(5, 0, True), 0, 10, 0, 300, found.opening, False)
    counts = np.zeros((2, 7), int)
    for number in range(10):
        for row, players in enumerate([(both, opponent), (opponent, both)]):
            board = tf.start("hypergammon")
            for ply, roll in enumerate(dice[number]):
                best = tf.best_plays(board, roll, players[ply % 2], "hypergammon")
                board = best.boards[0, 0] if best.counts[0] else board
                over, points = tf.outcomes(board, "hypergammon")
                if over[0]:
                    counts[row, 3 + int(points[0]) * (1 - 2 * ((ply + row) % 2))] += 1
                    break
                board = tf.flip(board)
    np.testing.assert_array_equal(found.counts, counts)


def test_what_memory_held_before_does_not_matter() -> None:
    """The first player has no sieve, the second has: his first turn is the first of its kind."""
    code = """
import tavli_fast as tf
net = tf.Net.random("portes", 32, seed=1, activation="clipped").with_sieve(
    tf.Net.random("portes", 32, seed=2, activation="clipped"), 2
)
for other in ("random", net.with_sieve(None)):
    print(tf.arena(net, other, "portes", games=40, seed=3).counts.tolist())
"""
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"MALLOC_PERTURB_": filling},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for filling in ("0", "85", "170")
    }
    assert len(told) == 1


def test_files_and_pickles_keep_it(tmp_path: Path) -> None:
    net, sieve = pair("plakoto", scalars=True)
    sieve.info["name"] = "small"
    both = net.with_sieve(sieve, 7)
    both.save(tmp_path / "net.npz")
    for again in (Net.load(tmp_path / "net.npz"), pickle.loads(pickle.dumps(both))):
        assert (again.name, again.kept, repr(again)) == (both.name, 7, repr(both))
        np.testing.assert_array_equal(again.packed, both.packed)
        assert again.sieve is not None
        assert (again.sieve.name, again.sieve.info) == (sieve.name, sieve.info)
    assert both.name != net.name != net.with_sieve(sieve, 6).name
    bare = both.with_sieve(None)
    assert (bare.sieve, bare.name) == (None, net.name)
    wide = both.widened(96, seed=1).with_experts()
    assert (wide.sieve, wide.kept) == (sieve, 7)
    assert "a sieve of 32 that leaves 7" in repr(wide)


def test_tables_come_before_it() -> None:
    net, sieve = pair("portes")
    boards = tf.random_boards(40, "portes", seed=8)
    boards[:, :, 1:] = 0
    boards[:, 0, 2], boards[:, 1, 3] = 2, 3
    boards[:, 0, 0], boards[:, 1, 0] = 13, 12
    known = tf.with_tables(net.with_sieve(sieve, 1), "portes")
    exact = tf.with_tables(net, "portes")
    for roll in ((2, 1), (1, 1), (6, 5)):
        np.testing.assert_array_equal(
            tf.best_plays(boards, roll, known, "portes").boards,
            tf.best_plays(boards, roll, exact, "portes").boards,
        )


def test_what_cannot_be_one_is_refused(tmp_path: Path) -> None:
    net, sieve = pair("portes")
    with pytest.raises(ValueError, match="sieve='net': expected a Net or None"):
        net.with_sieve("net")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sieve has a sieve of its own: expected a Net without"):
        net.with_sieve(net.with_sieve(sieve))
    with pytest.raises(ValueError, match=r"sieve: rules=portes has boards of the encoding"):
        net.with_sieve(pair("fevga")[1])
    for kept in (0, 33, 1.5):
        with pytest.raises(ValueError, match=f"kept={kept}: expected"):
            net.with_sieve(sieve, kept)  # type: ignore[arg-type]
    path = tmp_path / "net.npz"
    net.with_sieve(sieve).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    head = str(arrays["head"])
    for name, value in (
        ("sieve.hidden_weights", arrays["sieve.hidden_weights"][:, :5]),
        ("sieve.other", np.zeros(3)),
        ("head", np.array(head.replace('"kept": 4', '"kept": 40'))),
        ("head", np.array(head.replace('"kept": 4', '"more": 4'))),
    ):
        np.savez(path, **{**arrays, name: value})
        with pytest.raises(ValueError, match=r"net\.npz"):
            Net.load(path)


def test_a_small_net_learns_from_a_teacher(tmp_path: Path) -> None:
    """The labels are the teacher's, wherever the work is broken off."""
    teacher, small = pair("hypergammon", scalars=True)
    teacher = teacher.with_sieve(small, 3)
    asked: dict[str, Any] = {"rounds": 2, "labels": 4096, "trace": 0.0, "seed": 7}
    taught = tf.improve(small, teacher=teacher, **asked)
    assert taught.info["improved"][0]["settings"]["teacher"] == teacher.name
    assert "--teacher TEACHER" in taught.info["improved"][0]["command"]
    boards = tf.random_boards(500, "hypergammon", seed=1)
    wanted = -tf.evaluate(boards, teacher, "hypergammon", plies=1).equity

    def distance(net: Net) -> float:
        return float(np.abs(equities(net, tf.flip(boards)) - wanted).mean())

    assert distance(taught) < 0.5 * distance(small)
    path = tmp_path / "k.npz"

    def stop(now: Any) -> None:
        if len(now.done) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tf.improve(small, teacher=teacher, checkpoint=path, progress=stop, **asked)
    again = tf.improve(resume=path)
    np.testing.assert_array_equal(again.packed, taught.packed)
    with pytest.raises(ValueError, match="teacher='net': expected a Net or None"):
        tf.improve(small, teacher="net", **asked)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="teacher: rules=hypergammon has boards of the encoding"):
        tf.improve(small, teacher=pair("fevga")[0], **asked)
