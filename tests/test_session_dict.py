"""Sessions as dicts: the same session again at every step; what is no session is refused."""

from __future__ import annotations

import copy
import dataclasses
import json
from typing import Any

import pytest
from sessions import AnyPlay, played, smallest, state

from tavli_fast import PLAKOTO, PORTES
from tavli_fast.play.session import TRIO, Session


def test_the_dict_gives_the_session_back_at_every_step() -> None:
    house = dataclasses.replace(PLAKOTO, mother="draw_only", opening="contest_or_reroll")
    for number, games in enumerate(((house, "hypergammon"), "backgammon_zh", "hypergammon")):
        session = Session(games, target=3, seed=number)
        policy = AnyPlay(number)
        steps = 0
        while session.winner is None:
            game = session.game
            if steps < 3 or steps % 17 == 0 or game.phase == "over":
                check_dict(session)
            steps += 1
            if game.phase == "over":
                session.next_game()
            elif game.phase == "roll":
                game.roll()
            elif game.phase == "opening":
                game.reroll() if number % 2 else game.keep()
            else:
                game.play(policy(game.board, game.dice, game.afterstates, game.rules))
        check_dict(session)


def check_dict(session: Session) -> None:
    data = session.to_dict()
    again = Session.from_dict(json.loads(json.dumps(data)))
    assert again.to_dict() == data
    assert again.history == session.history
    assert state(again.game) == state(session.game)
    assert (again.score, again.winner, again.games) == (
        session.score,
        session.winner,
        session.games,
    )


def test_a_session_from_a_dict_goes_on_as_the_other() -> None:
    session = Session(dataclasses.replace(PORTES, trio=TRIO), target=9, seed=2)
    session.play_out(smallest, smallest, 2)
    session.next_game().roll()
    again = Session.from_dict(session.to_dict())
    assert session.play_out(smallest, smallest) == again.play_out(smallest, smallest)
    assert session.history == again.history


def test_dicts_that_are_no_sessions() -> None:
    good = played("backgammon_zh", 1, 2).to_dict()
    assert Session.from_dict(good)

    def change(path: tuple[Any, ...], value: Any) -> Any:
        data = copy.deepcopy(good)
        place: Any = data
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        return data

    turn = ("history", 0, "turns", 3)
    bad: tuple[Any, ...] = (
        None,
        {},
        [],
        {key: value for key, value in good.items() if key != "seed"},
        change(("seed",), good["seed"] + 1),
        change(("games",), "chess"),
        change(("games",), {"checker": 15}),
        change(("games",), 5),
        change(("target",), 0),
        change(("phase",), "roll"),
        change(("score",), [0, 0]),
        change(("history",), []),
        change(("history",), None),
        change(("history", 1, "winner"), 1 - good["history"][1]["winner"]),
        change(("history", 0, "contest"), [[6, 1]]),
        change((*turn, "dice"), [7, 7]),
        change((*turn, "moves"), [[24, 1]]),
        change((*turn, "moves"), "13/7"),
        change((*turn, "moves"), None),
        change(("history", 0, "turns"), good["history"][0]["turns"][:-1]),
    )
    for data in bad:
        with pytest.raises(ValueError, match=r"not the dict of a session|expected|illegal|play"):
            Session.from_dict(data)


def test_reprs() -> None:
    session = Session(TRIO, target=5, seed=1)
    assert repr(session) == (
        "<Session of portes, plakoto, fevga to 5: 0-0, game 1 "
        f"<Game of portes after 0 turns: player {session.game.player} has to roll>>"
    )
    house = Session(dataclasses.replace(PORTES, gammon_points=3, backgammon_points=3), seed=1)
    assert repr(house).startswith(
        "<Session of portes with gammon_points=3, backgammon_points=3: 0-0"
    )
