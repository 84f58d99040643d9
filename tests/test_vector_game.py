"""Many games at once: the same plays, results and features as one by one, the same bits from the
same seed, and errors that say what is wrong."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast import _core, reference

VectorGame: Any = tf.envs.VectorGame  # called with bad arguments too

FEW_PLAYS = [name for name, rules in tf.RULES.items() if not rules.cascade]


def played(games: Any, steps: int) -> list[Any]:
    """Play on at random; return all arrays of all steps."""
    found = []
    for _ in range(steps):
        games.roll()
        found += [games.dice.copy(), *(part.copy() for part in games.afterstates())]
        found += games.step(games.draw())
    return found


def same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(map(np.array_equal, one, other))


@pytest.mark.parametrize("name", tf.RULES)
def test_a_step_does_what_the_functions_do(name: str) -> None:
    """Listed as by `afterstates`, scored as by `outcomes`, the turn passed as by `flip`."""
    rules = tf.RULES[name]
    games = VectorGame(4 if rules.cascade else 60, rules=name, seed=3)
    ended = 0
    for step in range(30 if rules.cascade else 180):
        before, players, plies = games.boards.copy(), games.players.copy(), games.plies.copy()
        dice = games.roll().copy()
        after, offsets = games.afterstates()
        expected = tf.afterstates(before, dice, name)
        np.testing.assert_array_equal(after, expected.boards)
        np.testing.assert_array_equal(offsets, expected.offsets)
        if step % 60 == 59:  # a sample: the reference is slow
            slow = reference.count_plays(before[:6], dice[:6], name)
            np.testing.assert_array_equal(slow, np.diff(offsets)[:6])
        choices = games.draw()
        moves = np.diff(offsets) > 0
        chosen = before.copy()
        chosen[moves] = after[(offsets[:-1] + choices)[moves]]
        steps = games.step(np.where(moves, choices, 0) if step % 2 else choices)
        over, points = tf.outcomes(chosen, name)
        np.testing.assert_array_equal(steps.boards, chosen)
        np.testing.assert_array_equal(steps.done, over)
        np.testing.assert_array_equal(steps.rewards, points)
        np.testing.assert_array_equal(steps.players, players)
        assert not steps.truncated.any()
        np.testing.assert_array_equal(games.boards[~over], tf.flip(chosen[~over]))
        assert (games.boards[over] == tf.start(name)).all()
        np.testing.assert_array_equal(games.players[~over], 1 - players[~over])
        np.testing.assert_array_equal(games.plies, np.where(over, 0, plies + 1))
        ended += int(over.sum())
    assert ended == games.episodes.sum()
    assert ended > 10 or rules.cascade


@pytest.mark.parametrize("name", ["portes", "plakoto", "narde"])
def test_threads_change_nothing(name: str) -> None:
    one = played(VectorGame(333, rules=name, seed=7, threads=1), 40)
    assert same(one, played(VectorGame(333, rules=name, seed=7, threads=4), 40))
    assert not same(one, played(VectorGame(333, rules=name, seed=8, threads=1), 40))


def test_a_game_depends_on_its_place_and_not_on_how_many_there_are() -> None:
    few, many = VectorGame(3, seed=5), VectorGame(70, seed=5)
    for _ in range(50):
        assert (few.roll() == many.roll()[:3]).all()
        few.step(few.draw())
        many.step(many.draw())
    np.testing.assert_array_equal(few.boards, many.boards[:3])


def test_the_dice_and_the_starter_are_fair() -> None:
    games = VectorGame(36_000, rules="backgammon", seed=1)
    first = games.roll().copy()
    assert (first[:, 0] > first[:, 1]).all()  # the contest: the higher die is the starter's
    assert abs(games.players.mean() - 0.5) < 0.02
    games.step(games.draw())
    rolls = games.roll() @ np.array([6, 1]) - 7
    assert np.abs(np.bincount(rolls, minlength=36) - 1000).max() < 160  # 5 standard deviations
    assert (VectorGame(1000, rules="portes", seed=1).roll() @ [1, -1] == 0).any()


def test_games_that_take_no_part_stay_as_they_are() -> None:
    games = VectorGame(100, seed=2, threads=3)
    games.step_policy("random")
    before, where = games.boards.copy(), np.arange(100) % 3 == 0
    dice = games.roll(where)
    assert ((dice > 0).all(axis=1) == where).all()
    after, offsets = games.afterstates()
    expected = tf.afterstates(before[where], dice[where])
    np.testing.assert_array_equal(after, expected.boards)
    np.testing.assert_array_equal(np.diff(offsets)[where], np.diff(expected.offsets))
    assert (np.diff(offsets)[~where] == 0).all()
    steps = games.step(np.where(where, games.draw(), 99))  # what they do not take is not read
    np.testing.assert_array_equal(games.boards[~where], before[~where])
    assert (games.plies == 1 + where).all()
    assert (steps.boards[~where] == before[~where]).all()
    nobody = games.roll(np.zeros(100, bool))
    assert not nobody.any()
    assert len(games.afterstates().boards) == 0
    games.step(np.zeros(100, int))


def test_without_restart_games_end_for_good() -> None:
    games = VectorGame(20, rules="hypergammon", seed=4, restart=False)
    points = np.zeros((20, 2))
    for _ in range(400):
        steps = games.step_policy("random")
        points[np.arange(20), steps.players] += steps.rewards
    assert games.over.all()
    assert games.episodes.sum() == 0
    assert (np.abs(points).sum(axis=1) >= 1).all()
    over, last = tf.outcomes(games.boards, "hypergammon")
    assert over.all()  # the board seen by the loser, who would be on roll
    assert (last < 0).all()
    games.reset(4)
    assert not games.over.any()


def test_long_games_are_cut() -> None:
    games = VectorGame(50, seed=1, max_plies=3)
    for ply in range(1, 7):
        steps = games.step_policy("random")
        assert (steps.done == (ply % 3 == 0)).all()
        assert (steps.truncated == steps.done).all()
    assert (games.episodes == 2).all()


def test_a_roll_with_too_many_plays_cuts_the_game() -> None:
    games = VectorGame(60, rules="gul_bara", seed=1)
    games._engine.listings = [_core.vector_game.Listing(300)]
    for _ in range(20):
        games.step_policy("random")
    dice = games.roll().copy()
    counts = np.diff(games.afterstates().offsets)
    steps = games.step(games.draw())
    assert steps.truncated.any()
    assert (dice[steps.truncated, 0] == dice[steps.truncated, 1]).all()
    assert (counts[steps.truncated] == 0).all()
    assert (steps.rewards[steps.truncated] == 0).all()


@pytest.mark.parametrize("name", ["backgammon", "tapa", "fevga"])
def test_features_and_padding(name: str) -> None:
    games = VectorGame(50, rules=name, seed=6, threads=2)
    for _ in range(30):
        games.step_policy("random")
    games.roll()
    after, offsets = games.afterstates()
    expected = tf.features(after, name)
    np.testing.assert_array_equal(games.features(), expected)
    whole = games.features(dtype=np.uint8)
    assert whole.dtype == np.uint8
    np.testing.assert_array_equal(whole * games.feature_scales, expected)
    some = games.features(games=slice(10, 20))
    np.testing.assert_array_equal(some, expected[offsets[10] : offsets[20]])
    counts = np.diff(offsets)
    room = int(counts.max()) + 1
    padded = games.padded(room)
    np.testing.assert_array_equal(padded.counts, counts)
    np.testing.assert_array_equal(padded.mask.sum(axis=1), counts)
    np.testing.assert_array_equal(padded.boards[padded.mask], after)
    assert not padded.boards[~padded.mask].any()
    seen = games.features(np.ones((60, room, expected.shape[1]), np.float32), width=room)
    np.testing.assert_array_equal(seen[padded.mask], expected)
    assert seen.shape == (50, room, expected.shape[1])
    assert not seen[~padded.mask].any()
    np.testing.assert_array_equal(
        games.features(width=room, games=slice(7, 9), dtype=np.uint8) * games.feature_scales,
        seen[7:9],
    )
    clipped = games.padded(3, clip=True)
    np.testing.assert_array_equal(clipped.mask.sum(axis=1), np.minimum(counts, 3))
    np.testing.assert_array_equal(clipped.counts, counts)
    np.testing.assert_array_equal(games.features(width=3, clip=True), seen[:, :3])


class Tensor:
    """Memory that only DLPack shows, as that of a tensor."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_features_go_to_the_memory_that_is_given() -> None:
    games = VectorGame(5, seed=1)
    games.roll()
    memory = np.zeros((500, 228), np.uint8)
    found = games.features(Tensor(memory))
    assert np.shares_memory(found, memory)
    np.testing.assert_array_equal(memory[: len(found)], games.features(dtype="uint8"))
    assert not memory[len(found) :].any()


def test_policies() -> None:
    def equity(boards: Any) -> Any:
        return (boards[:, 1] - boards[:, 0]) @ np.arange(26) / 100

    def last(board: Any, dice: Any, afterstates: Any, rules: Any) -> int:
        assert rules == tf.PLAKOTO
        assert not board.flags.writeable
        return len(afterstates) - 1

    net = tf.load_net("plakoto")
    judge: Any
    for policy in (net, "net", equity, last, "random"):
        games = VectorGame(200, rules="plakoto", seed=9, threads=2)
        for _ in range(25):
            games.step_policy("random")
        before, dice = games.boards.copy(), games.roll().copy()
        listed = games.afterstates()
        after, offsets = listed.boards.copy(), listed.offsets.copy()
        chosen = games.step_policy(policy).boards
        moves = np.diff(offsets) > 0
        assert (chosen[~moves] == before[~moves]).all()
        if policy in (net, "net", equity):
            judge = net if policy == "net" else policy
            found = tf.best_plays(before, dice, judge, "plakoto").boards[:, 0]
            np.testing.assert_array_equal(chosen, found)
        elif policy is last:
            np.testing.assert_array_equal(chosen[moves], after[offsets[1:][moves] - 1])
    with pytest.raises(ValueError, match="is for the rules"):
        VectorGame(1, rules="portes").step_policy(net)


def test_the_best_of_values() -> None:
    games = VectorGame(100, seed=1)
    for _ in range(40):
        games.step_policy("random")
    games.roll()
    offsets = games.afterstates().offsets
    values = np.random.default_rng(1).integers(0, 5, offsets[-1])
    choices = games.best(values)
    for game, choice in enumerate(choices):
        some = values[offsets[game] : offsets[game + 1]]
        assert choice == (some.argmax() if len(some) else -1)
    assert (np.diff(offsets) == 0).any()  # one cannot move
    with pytest.raises(ValueError, match=r"values\[3\] is NaN"):
        games.best(np.where(np.arange(offsets[-1]) == 3, np.nan, 0))


def test_states(tmp_path: Any) -> None:
    games = VectorGame(70, rules="tapa", seed=11, threads=2, log=2)
    played(games, 30)
    games.roll()
    games.save(tmp_path / "games.npz")
    copies = [
        VectorGame.load(tmp_path / "games.npz"),
        VectorGame.from_state(games.state(), threads=3),
        copy.deepcopy(games),
    ]
    expected = [games.dice.copy(), *games.step(games.draw()), *played(games, 30)]
    for other in copies:
        found = [other.dice.copy(), *other.step(other.draw()), *played(other, 30)]
        assert same(found, expected)
        assert other.mat(1) == games.mat(1)
    games.reset()
    assert games.records(0) == []


def test_bad_states(tmp_path: Any) -> None:
    games = VectorGame(5, seed=1)
    board = games.boards.copy()
    board[2, 0, 6] += 1
    for change, message in (
        ({"boards": board}, r"boards of state\[2\]: .* 16 checkers"),
        ({"boards": board[:3]}, r"boards=int8\[3, 2, 26\]: expected int8\[5, 2, 26\]"),
        ({"dice": np.full((5, 2), 7, np.int8)}, "bad dice"),
        ({"dice": np.full((5, 2), 6, np.int8)}, "bad dice: expected none before a roll"),
        ({"players": np.full(5, 2, np.int8)}, "bad players"),
        ({"episodes": np.full(5, -1)}, "bad episodes"),
        ({"plies": np.zeros(5)}, r"plies=float64\[5\]"),
        ({"rules": "chess"}, "chess"),
        ({"rules": 7}, "rules=7"),
        ({"seed": -1}, "seed of state=-1"),
        ({"log": 2}, "log_dice"),
        ({"format": 2}, "format 2"),
    ):
        with pytest.raises(ValueError, match=message):
            VectorGame.from_state(games.state() | change)
    for state in ({}, None, {"format": 1}):
        with pytest.raises(ValueError, match="expected what VectorGame"):
            VectorGame.from_state(state)
    path = tmp_path / "no.npz"
    path.write_bytes(b"PK nothing")
    with pytest.raises(ValueError, match="is no state of a VectorGame"):
        VectorGame.load(path)
    np.savez(path, head=np.array("7"))
    with pytest.raises(ValueError, match="is no state of a VectorGame"):
        VectorGame.load(path)


@pytest.mark.parametrize("name", ["portes", "backgammon", "hypergammon", "plakoto", "narde"])
def test_logs_can_be_read_as_matches(name: str) -> None:
    games = VectorGame(3, rules=name, seed=2, log=2)
    points = np.zeros(2, int)
    while games.episodes[1] < 3:
        steps = games.step_policy("random")
        points[steps.players[1]] += max(0, int(steps.rewards[1]))
        points[1 - steps.players[1]] += max(0, -int(steps.rewards[1]))
    records = games.records(1)
    assert [record.points is not None for record in records] == [True] * 3
    match = tf.read_mat(games.mat(1, ("Anna", "Bo")), name)
    assert match.players == ("Anna", "Bo")
    assert match.session.score == tuple(points)
    for record, again in zip(records, match.session.history, strict=True):
        assert [turn.moves for turn in record.turns] == [turn.moves for turn in again.turns]
    assert games.records(0)
    with pytest.raises(ValueError, match="place=2: expected an integer 0 to 1"):
        games.records(2)


def test_a_log_goes_on_in_the_middle_of_a_game_and_leaves_out_cut_ones() -> None:
    games = VectorGame(1, seed=2, log=1, max_plies=5)
    for _ in range(13):
        games.step_policy("random")
    assert [len(record.turns) for record in games.records()] == [5, 5, 3]
    assert games.mat().count(" Game ") == 1
    assert len(tf.read_mat(games.mat()).session.game.record.turns) == 3
    with pytest.raises(ValueError, match="no game is logged"):
        VectorGame(1).records()


def test_memory() -> None:
    """77 bytes a game, and 52 for each afterstate that there is room for."""
    games = VectorGame(5_000, seed=1)
    for _ in range(30):
        games.step_policy("random")
    games.roll()
    plays = len(games.afterstates().boards)
    room, rest = divmod(games.nbytes - 77 * 5_000 - 8, 52)
    assert rest == 0
    assert plays <= room <= max(20 * 5_000, 1.2 * plays) + 2 * 5_220
    many = VectorGame(65_536, rules="plakoto", seed=1, threads=2)
    for _ in range(4):
        many.step_policy("random")
    many.roll()
    some = many.features(dtype=np.uint8, games=slice(0, 8192))
    assert many.nbytes + 8 * some.nbytes < 2**30


def test_bad_arguments() -> None:
    games = VectorGame(4, seed=1)
    for call, message in (
        (lambda: VectorGame(0), "n=0: expected an integer 1 to 16777216"),
        (lambda: VectorGame(1, rules="chess"), "rules='chess'"),
        (lambda: VectorGame(1, seed=-1), "seed=-1"),
        (lambda: VectorGame(1, threads=0), "threads=0"),
        (lambda: VectorGame(1, restart=1), "restart=1"),
        (lambda: VectorGame(1, max_plies=0), "max_plies=0"),
        (lambda: VectorGame(1, log=2), "log=2: expected an integer 0 to 1"),
        (lambda: games.step([0] * 4), r"expected roll\(\) first"),
        (games.afterstates, r"expected roll\(\) first"),
        (lambda: games.roll([1, 0, 1, 0]), r"where is int64\[4\]: expected bool\[4\]"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    games.roll()
    counts = np.diff(games.afterstates().offsets)
    features = np.zeros((500, 228), np.float32)
    for call, message in (
        (games.roll, "the dice have been rolled"),
        (lambda: games.step_policy("random", where=[True] * 4), "where= comes too late"),
        (lambda: games.step_policy("strong"), "policy='strong'"),
        (lambda: games.step([0, 0, 0]), r"choices has shape \(3,\): expected \[4\]"),
        (lambda: games.step([0.0] * 4), "dtype float64"),
        (lambda: games.step([0, 0, 999, 0]), rf"choices\[2\]=999: expected 0 to {counts[2] - 1}"),
        (lambda: games.step([0, -1, 0, 0]), r"choices\[1\]=-1"),
        (lambda: games.best([1.0]), r"values has shape \(1,\)"),
        (lambda: games.best(["a"]), "expected real numbers"),
        (lambda: games.padded(1), f"has {counts.max()} plays; expected more room"),
        (lambda: games.padded(0), "width=0"),
        (lambda: games.features(features[:2]), "out is float32"),
        (lambda: games.features(features[:, ::2]), "out is float32"),
        (lambda: games.features(features.astype(float)), "float32 or uint8 buffer"),
        (lambda: games.features([1]), "expected a writable"),
        (lambda: games.features(dtype=float), "dtype=<class 'float'>: expected float32 or uint8"),
        (lambda: games.features(games=3), "games=3: expected a slice"),
    ):
        with pytest.raises(ValueError, match=message):
            call()
    features.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        games.features(features)
    with pytest.raises(ValueError, match="read-only"):
        games.boards[0, 0, 0] = 1
    before = games.boards.copy()
    with pytest.raises(ValueError, match="choices"):
        games.step([0, 0, 0, 999])
    assert (games.boards == before).all()
    games.step(games.draw())
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        tf.envs.nothing  # noqa: B018
