"""GammonX's histories and boards, read and written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tavli_fast as tf
from tavli_fast.connect.gammonx import from_gammonx, read_history, to_gammonx, write_turn

FOLDER = Path(__file__).parent / "data" / "gammonx"


def history(name: str) -> str:
    return (FOLDER / f"{name}GameHistory.txt").read_text()


@pytest.mark.parametrize(
    ("name", "rules", "turns", "winner"),
    [
        ("Portes", tf.PORTES, 56, "Black"),
        ("Plakoto", replace(tf.PLAKOTO, mother="none"), 88, "White"),
    ],
)
def test_histories_are_replayed_and_written_again(
    name: str, rules: tf.Rules, turns: int, winner: str
) -> None:
    (game,) = read_history(history(name))
    assert game.rules == rules
    assert len(game.turns) == turns
    # The last to move has borne off all, for as many points as the tag has.
    assert game.turns[-1].side == winner
    over, points = tf.outcomes(game.board, rules)
    assert over[0]
    assert points[0] == int(game.tags["Points"])
    if name == "Plakoto":
        assert any(turn.play.pins for turn in game.turns)
    written = "\n".join(write_turn(turn.side, turn.dice, turn.play) for turn in game.turns)
    head = f";[Game 'x']\n;[Game Modus '{name}']\n"
    again = read_history(head + written)[0]
    assert (again.board == game.board).all()
    lines = [line for line in history(name).splitlines() if " Roll " in line]
    assert [line for line in written.splitlines() if " Roll " in line] == lines


def test_a_match_has_several_games() -> None:
    games = read_history(history("Portes") + "\n" + history("Plakoto"))
    assert [game.rules.contact for game in games] == ["hit", "pin"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the history has no game"),
        (";[Game 'x']\n;[Game Modus 'Portes']\nhello", "line 3: 'hello': expected a roll"),
        (";[Game 'x']\n;[Game Modus 'Portes']\nWhite Roll 3 1 2", "line 3: .* is no roll"),
        (
            ";[Game 'x']\n;[Game Modus 'Portes']\nWhite Roll 3 1\nWhite Move 0/9",
            "line 3: play '24/15'",
        ),
        (
            ";[Game 'x']\n;[Game Modus 'Portes']\nWhite Roll 3 1\nWhite Move 0/24",
            "point '24': expected 0 to 23",
        ),
        (
            ";[Game 'x']\n;[Game Modus 'Portes']\nWhite Roll 3 1\nBlack Move 5/4",
            "line 4: .*expected a roll, or its mover's move",
        ),
        (history("Fevga"), "Game Modus 'Fevga': expected one of portes, plakoto, tavla"),
    ],
)
def test_bad_histories_are_refused_with_the_line(text: str, message: str) -> None:
    with pytest.raises(tf.NotationError, match=message):
        read_history(text)


@pytest.mark.parametrize("rules", [tf.PORTES, tf.PLAKOTO])
@pytest.mark.parametrize("side", ["White", "Black"])
def test_boards_go_there_and_back(rules: tf.Rules, side: str) -> None:
    for board in tf.random_boards(50, rules, seed=8):
        data = to_gammonx(board, side, rules)
        assert (from_gammonx(data, side, rules) == board).all()
        assert len(data["fields"]) == 24


def test_the_start_of_portes_is_gammonx_own() -> None:
    fields = np.array(to_gammonx(tf.start("portes"), "White", tf.PORTES)["fields"])
    # White is negative, begins at 0 and moves up; Black begins at 23 and moves down.
    assert {place: int(n) for place, n in enumerate(fields) if n} == {
        0: -2, 5: 5, 7: 3, 11: -5, 12: 5, 16: -3, 18: -5, 23: 2,
    }  # fmt: skip


def test_bad_boards_are_refused() -> None:
    data = to_gammonx(tf.start("portes"), "White", tf.PORTES)
    for key, value in (
        ("fields", [0] * 23),
        ("fields", ["x"] * 24),
        ("fields", [99] * 24),
        ("homeBarCountWhite", -1),
        ("homeBarCountWhite", 3),
    ):
        with pytest.raises(tf.NotationError):
            from_gammonx({**data, key: value}, "White", tf.PORTES)
