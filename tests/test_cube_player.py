"""A policy that handles the cube by the model, in whole matches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tavli_fast as tf


def pips(boards: np.ndarray) -> np.ndarray:
    """Guess the winning chance of who has just moved from the pip counts."""
    pips = (boards[:, :, 1:].clip(0) * np.arange(1, 26)).sum(2).astype(float)
    win = 1 / (1 + np.exp((pips[:, 0] - pips[:, 1]) / 12))
    return np.column_stack(
        [win, win * 0.25, win * 0.01, (1 - win) * 0.25, (1 - win) * 0.01, 0 * win]
    )


def player(seed: int, **options: object) -> tf.CubePlayer:
    return tf.CubePlayer(tf.RandomPolicy(seed), pips, **options)  # type: ignore[arg-type]


def boldly(boards: np.ndarray) -> np.ndarray:
    """Think too well of the player on roll, who has not just moved."""
    return 0.4 * pips(boards) + [0, 0, 0, 0.6, 0, 0]


HOUSES = {
    "match": (replace(tf.HYPERGAMMON, jacoby=False), 7),
    "chinese": (replace(tf.HYPERGAMMON, dead_cube_rule=False, crawford=False), 3),
    "money": (replace(tf.HYPERGAMMON, beavers=True), None),
    "long": (tf.HYPERGAMMON, 130),
    "greek": (
        replace(tf.HYPERGAMMON, beavers=True, beaver_refusable=False, auto_double_max=1),
        11,
    ),
}


@pytest.mark.parametrize("house", HOUSES)
def test_matches_with_every_action(house: str) -> None:
    rules, target = HOUSES[house]
    said: set[str] = set()
    for seed in range(3):
        session = tf.Session(rules, target=target, seed=seed)
        bold = tf.CubePlayer(tf.RandomPolicy(seed), boldly)
        session.play_out(player(seed), bold if seed == 0 else player(seed + 100), max_games=5)
        said |= {call.action for record in session.history for call in record.calls}
    assert {"double", "take", "drop"} <= said
    if rules.beavers:
        assert "beaver" in said


def question(**changes: object) -> tf.CubeQuestion:
    """Return what a game asks at its first roll, changed."""
    fields: dict[str, object] = {
        "board": tf.start("backgammon"),
        "rules": tf.BACKGAMMON,
        "table": tf.BACKGAMMON,
        "stake": 1,
        "owner": 0,
        "away": None,
        "crawford": False,
        "crawford_over": False,
        "jacoby": False,
        "may_beaver": False,
    }
    return tf.CubeQuestion(**(fields | changes))  # type: ignore[arg-type]


def certain(win: float) -> tf.CubePlayer:
    return tf.CubePlayer(tf.RandomPolicy(0), lambda boards: [[1 - win, 0, 0, 0, 0]])


def test_settings_of_questions() -> None:
    setting = tf.CubeSetting.of(question(stake=4, owner=-1, away=(9, 7)))
    assert (setting.cube, setting.owner, setting.away) == (4, "opponent", (9, 7))
    assert (setting.cap, setting.post_crawford) == (64, False)
    assert tf.CubeSetting.of(question(away=(1, 7), crawford_over=True)).post_crawford
    assert tf.CubeSetting.of(question(away=(1, 7))).post_crawford  # played without Crawford's rule
    assert not tf.CubeSetting.of(question(away=(1, 7), crawford=True)).post_crawford
    assert tf.CubeSetting.of(question(away=(101, 7))).away is None
    small = tf.MatchEquityTable.compute(5)
    assert tf.CubeSetting.of(question(away=(5, 2)), small).table is small
    assert tf.CubeSetting.of(question(away=(6, 2)), small).away is None


def test_answers() -> None:
    assert certain(0.75).double(question())
    assert not certain(0.6).double(question())
    assert certain(0.75).answer(question()) == "take"
    assert certain(0.85).answer(question()) == "drop"
    beavers = replace(tf.BACKGAMMON, beavers=True)
    asked = question(table=beavers, may_beaver=True)
    assert certain(0.4).answer(asked) == "beaver"
    assert certain(0.4).answer(question(table=beavers)) == "take"
    # The doubler now owes twice: with a quarter of the games or less he gives up.
    beavered = question(table=beavers, stake=2, owner=-1, beavered=True)
    assert certain(0.4).answer(beavered) == "take"
    assert certain(0.15).answer(beavered) == "drop"
    with pytest.raises(ValueError, match="efficiency=3"):
        player(0, efficiency=3)
