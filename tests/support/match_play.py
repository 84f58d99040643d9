"""Short ways to the middle and to the end of a game, for tests of the cube and the match."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from tavli_fast import PORTES_CUBE, Call, Game, Rules, Session

Pair = tuple[int, int]


def throws(*dice: Pair) -> Callable[[], Pair]:
    """Return a source of just these throws."""
    return iter(dice).__next__


# Two checkers a side; player 0 starts and wins: his start, and the turns until then.
ENDS: dict[str, tuple[tuple[Pair, ...], tuple[tuple[Pair, str], ...]]] = {
    "single": (
        ((6, 1), (1, 1)),
        (((2, 1), "6/4 1/off"), ((2, 1), "6/4 1/off"), ((6, 5), "4/off")),
    ),
    "mars": (((2, 1), (1, 1)), (((6, 5), "2/off 1/off"),)),
    # The loser still has a checker on his 19-point, in the winner's home.
    "koks": (
        ((20, 1), (3, 1)),
        (((6, 6), "20/14/8/2 3/off"), ((2, 1), "20/19 3/1"), ((6, 5), "2/off")),
    ),
}


def short_game(end: str, rules: Rules = PORTES_CUBE, *ties: Pair, **fields: Any) -> Game:
    """Return a game that player 0 is to begin and to win so; ties come before the contest."""
    start, turns = ENDS[end]
    house = dataclasses.replace(rules, checkers=2, start=start, opening="fresh_roll", **fields)
    return Game(house, throws(*ties, (6, 1), *(dice for dice, _ in turns)))


def play_to_end(game: Game, end: str) -> Game:
    """Play a `short_game` to its end."""
    for _, play in ENDS[end][1][len(game.record.turns) :]:
        game.roll()
        game.play(play)
    assert (game.phase, game.record.winner) == ("over", 0)
    return game


def pass_turn(game: Game) -> None:
    """Let the player on roll roll and play something."""
    player = game.player
    game.roll()
    if game.phase == "play":
        game.play(0)
    assert (game.phase, game.player) == ("roll", 1 - player)


def first_roll(game: Game) -> None:
    """Bring a game to its first phase "roll"."""
    if game.phase == "opening":
        game.keep()
    if game.phase == "play":
        game.play(0)
    assert game.phase == "roll"


def with_cube(
    rules: Rules,
    value: int = 1,
    owner: int | None = None,
    to_roll: int = 0,
    **options: Any,
) -> Session:
    """Return a session in whose first game the cube has come there, and who may roll is `to_roll`.

    Every double is taken, so a cube of 2 is owned by who did not double, one of 4 by who did, …
    """
    options.setdefault("seed", None if "throw" in options else 1)
    session = Session(rules, **options)
    game = session.game
    first_roll(game)
    doubles = value.bit_length() - 1
    takers = itertools.cycle((1, 0) if (owner == 1) == (doubles % 2 == 1) else (0, 1))
    for taker in itertools.islice(takers, doubles):
        while game.player == taker:
            pass_turn(game)
        game.double()
        game.take()
    while game.player != to_roll:
        pass_turn(game)
    assert (game.cube.value, game.cube.owner) == (value, owner)
    return session


def said(calls: Iterable[Call]) -> list[tuple[int, str, int]]:
    """Return who said what, and the stake it led to."""
    return [(call.player, call.action, call.value) for call in calls]
