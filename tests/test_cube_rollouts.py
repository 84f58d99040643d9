"""Rollouts with the cube: the core's model against cube.py, and its games against a slow replay."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast._core import net_games, testing
from tavli_fast.cube.setting import ladder_of
from tavli_fast.evaluation.outcomes import outcome_batch
from tavli_fast.rollouts.options import PlayOptions
from tavli_fast.rollouts.plan import board_key, match

NET = tf.Net.random("backgammon", hidden=8, seed=2, scale=0.6)


def chances(count: int, seed: int) -> np.ndarray:
    """Outcomes of every kind, as float32: some sure, some without gammons, some with draws."""
    rng = np.random.default_rng(seed)
    parts = rng.dirichlet([0.5] * 7, size=count)
    parts[::3, 6] = 0
    parts /= parts.sum(axis=1, keepdims=True)
    wins, losses = parts[:, :3], parts[:, 3:6]
    found = [wins.sum(1), wins[:, 1:].sum(1), wins[:, 2], losses[:, 1:].sum(1), losses[:, 2]]
    return np.ascontiguousarray(np.stack([*found, parts[:, 6]], axis=1), np.float32)


def settings() -> list[tf.CubeSetting]:
    money = [
        tf.CubeSetting(),
        tf.CubeSetting(jacoby=True),
        tf.CubeSetting(cap=64),
        tf.CubeSetting(cube=2, cap=2),
        tf.CubeSetting(jacoby=True, cap=4),
    ]
    scores = [
        tf.CubeSetting(away=(mine, theirs), cube=cube, post_crawford=over)
        for mine in range(1, 8)
        for theirs in range(1, 8)
        for cube in (1, 2, 4)
        for over in ((False, True) if min(mine, theirs) == 1 else (False,))
    ]
    return money + scores


@pytest.mark.parametrize("efficiency", [0.0, 0.68, 1.0])
def test_the_core_has_the_model_of_cube_equities(efficiency: float) -> None:
    outcomes = chances(200, seed=1)
    for setting in settings():
        ladder = ladder_of(setting)
        parts = (ladder.values * 1.0, ladder.centre * 1.0, ladder.mine, ladder.theirs)
        found = testing.cube_values(outcomes, (*parts, ladder.endless), efficiency)
        expected = tf.cube_equities(outcomes.astype(float), setting, efficiency=efficiency)
        lost, won = ladder.single(0, -1), ladder.single(0, 1)
        equities = np.stack(
            [expected.centred, expected.owned, expected.opponents, expected.best], axis=1
        )
        np.testing.assert_allclose(
            found, equities * (won - lost) / 2 + (won + lost) / 2, atol=1e-9, err_msg=str(setting)
        )


def stake(setting: tf.CubeSetting) -> int:
    """What a ladder's values are to be multiplied by: for money they are per stake."""
    return setting.cube if setting.away is None else 1


def replayed(board: np.ndarray, setting: tf.CubeSetting, place: str, trial: int) -> float:
    """The worth of one trial with one cube, decision by decision.

    `place` is where the cube is at the start, as the player on roll sees it; "taken" is the
    opponent's after a double.
    """
    game = tf.BACKGAMMON
    sign, start = 1, setting
    if place == "taken":
        start = replace(setting, cube=2 * setting.cube, owner="opponent", jacoby=False)
    elif place != "centre":
        start = replace(setting, owner=place, jacoby=False)
    setting = start
    dice = net_games.trial_dice(board_key(7, 0, False), trial, 1, 0, 400, False, False)[0]
    for ply, roll in enumerate(dice):
        if ply:
            outcomes = outcome_batch(tf.evaluate(board, NET, game).outcomes, judged=True)
            found = tf.cube_equities(outcomes, setting)
            if found.double[0]:
                if not found.take[0]:
                    return sign * ladder_of(setting).single(0, 1) * stake(setting)
                times = 4 if found.beaver[0] else 2
                setting = replace(
                    setting, cube=times * setting.cube, owner="opponent", jacoby=False
                )
        after = tf.best_plays(board, roll, NET, game).boards[0, 0]
        over, points = tf.outcomes(after, game)
        if over[0]:
            ladder = ladder_of(setting)
            values = ladder.centre if setting.owner == "centre" else ladder.values[0]
            return sign * float(values[3 + points[0]]) * stake(setting)
        board, setting, sign = tf.flip(after), setting.turned(), -sign
    raise AssertionError("a game too long for this test")


@pytest.mark.parametrize(
    "setting",
    [
        tf.CubeSetting(cap=64),
        tf.CubeSetting(cap=64, jacoby=True),
        tf.CubeSetting(cap=64, beavers=True),
        tf.CubeSetting(away=(4, 3)),
        tf.CubeSetting(away=(1, 4), post_crawford=True),
        tf.CubeSetting(away=(4, 1), post_crawford=True),
    ],
    ids=["money", "jacoby", "beavers", "match", "leading", "trailing"],
)
def test_games_are_those_of_a_slow_replay(setting: tf.CubeSetting) -> None:
    boards = tf.random_boards(40, "backgammon", seed=4)
    pips = (boards * np.arange(26)).sum(axis=(1, 2))
    board = boards[np.argsort(pips)[8]]  # late, so that the games are short
    plan = match(tf.BACKGAMMON, NET, PlayOptions(cube=setting))
    trials = 4
    rows = plan.play(board, board_key(7, 0, False), 0, trials, np.zeros(1, np.uint8))
    places = ["centre", "player", "opponent"]
    if ladder_of(setting).mine[0]:
        places.append("taken")
    for column, place in enumerate(places):
        expected = [replayed(board, setting, place, trial) for trial in range(trials)]
        np.testing.assert_allclose(rows[:, 8 + column], expected, atol=1e-9, err_msg=place)


def test_a_rollout_tells_all_cubes_and_adds_up() -> None:
    args = (NET, "backgammon")
    rest: dict[str, Any] = {"seed": 3, "cube": True, "truncate": 6}
    whole = tf.rollout(tf.start("backgammon"), *args, trials=256, **rest)
    parts = [
        tf.rollout(tf.start("backgammon"), *args, trials=128, first_trial=first, **rest)
        for first in (0, 128)
    ]
    found, added = whole.cubeful, (parts[0] + parts[1]).cubeful
    assert found is not None
    assert added is not None
    np.testing.assert_allclose(np.array(found[:8]), np.array(added[:8]), atol=1e-12)
    np.testing.assert_allclose(found.double_take, 2 * found.opponents, atol=1e-12)  # no end, money
    assert found.owned[0] > found.centred[0] - 3 * found.centred_error[0]
    assert found.owned[0] > found.opponents[0]
    assert found.may_double
    without = tf.rollout(tf.start("backgammon"), *args, trials=256, seed=3, truncate=6)
    assert without.equity == whole.equity  # the same games
    assert without.cubeful is None
    with pytest.raises(ValueError, match="cannot add results of settings"):
        whole + tf.rollout(tf.start("backgammon"), *args, trials=128, seed=4, truncate=6)


def test_variance_reduction_does_not_move_the_mean_with_a_cube() -> None:
    board = tf.random_boards(40, "backgammon", seed=4)[3]
    plain, reduced = (
        tf.rollout(
            board,
            NET,
            "backgammon",
            trials=trials,
            seed=5,
            cube=True,
            truncate=8,
            variance_reduction=reduce,
        ).cubeful
        for trials, reduce in ((20_000, False), (1_500, True))
    )
    assert plain is not None
    assert reduced is not None
    for name in ("centred", "owned", "opponents"):
        errors = [getattr(each, f"{name}_error")[0] for each in (plain, reduced)]
        difference = getattr(plain, name)[0] - getattr(reduced, name)[0]
        assert abs(difference) < 4 * np.hypot(*errors), name


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"cube": 2}, ("cube=2", "CubeSetting")),
        ({"cube": True, "policy": "random"}, ("random", "cube")),
        ({"cube": True, "efficiency": 2}, ("efficiency", "2")),
        ({"cube": tf.CubeSetting(cap=2**20)}, ("cube", "11 doubles")),
        ({"cube": True, "policy": lambda boards: np.zeros(len(boards))}, ("cube", "nets")),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        tf.rollout(tf.start(), rules="backgammon", **{"policy": NET, "trials": 8, **arguments})
    assert all(word in str(caught.value) for word in words)
