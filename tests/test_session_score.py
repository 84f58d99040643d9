"""Sessions: the score and what ends a series."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from sessions import played, random_players, smallest

from tavli_fast import PORTES
from tavli_fast.play.session import TRIO, Session


@pytest.mark.parametrize("target", [1, 3, 5, 7])
@pytest.mark.parametrize("games", [TRIO, "portes", "backgammon"])
def test_the_target_ends_the_series(games: Any, target: int) -> None:
    for seed in range(6):
        session = played(games, seed, target=target)
        points = [0, 0]
        for record in session.history:
            assert max(points) < target  # or there would have been no further game
            assert record.points is not None
            assert (record.winner is None) == (record.points == 0)
            if record.winner is not None:
                points[record.winner] += record.points
        assert session.score == tuple(points)
        assert session.winner is not None
        assert points[session.winner] >= target > points[1 - session.winner]
        with pytest.raises(ValueError, match=f"player {session.winner} won the series"):
            session.next_game()
        games_played = len(session.history)
        assert session.play_out(smallest, smallest) == session.score
        assert len(session.history) == games_played


def test_the_target_of_the_rules() -> None:
    rules = dataclasses.replace(PORTES, target=3)
    assert Session(rules).target == 3
    assert Session(rules, target=5).target == 5
    assert Session((rules, "plakoto")).target == 3
    assert Session("portes").target is None


def test_games_are_counted() -> None:
    session = Session("hypergammon", seed=4)
    session.play_out(*random_players(1), 3)
    session.play_out(*random_players(1), 0)
    session.play_out(*random_players(1), 2)
    assert len(session.history) == 5
    session.next_game()
    session.game.keep() if session.game.phase == "opening" else None
    assert session.winner is None
    session.play_out(*random_players(1), 1)  # the one that has begun
    assert len(session.history) == 6
    with pytest.raises(ValueError, match="max_games=None: expected a number of games"):
        session.play_out(*random_players(1))
