"""Sessions for tests: throws, players that play alike in every order, short cuts to states."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tavli_fast import FEVGA, PLAKOTO, PORTES
from tavli_fast.play.game import Game, RandomPolicy, Turn
from tavli_fast.play.session import Session

DATA = Path(__file__).parent.parent / "data" / "session_cases.jsonl"
CASES = {case["id"]: case for case in map(json.loads, DATA.read_text("utf-8").splitlines())}

TRIO_RULES = (PORTES, PLAKOTO, FEVGA)
OPENINGS = ("fresh_roll", "contest_dice", "contest_or_reroll")


def throws(*dice: tuple[int, int]) -> Callable[[], tuple[int, int]]:
    """Return a source of just these throws."""
    return iter(dice).__next__


def smallest(board: Any, dice: Any, afterstates: Any, rules: Any) -> int:
    """A policy that does not depend on the order in which plays are listed."""
    return min(range(len(afterstates)), key=lambda index: afterstates[index].tobytes())


class AnyPlay(RandomPolicy):
    """A random policy that does not depend on the order in which plays are listed either."""

    def __call__(self, board: Any, dice: Any, afterstates: Any, rules: Any, /) -> int:
        in_order = sorted(range(len(afterstates)), key=lambda index: afterstates[index].tobytes())
        return in_order[super().__call__(board, dice, afterstates, rules)]


def random_players(seed: int) -> tuple[RandomPolicy, RandomPolicy]:
    return AnyPlay(2 * seed), AnyPlay(2 * seed + 1)


def played(games: Any, seed: int, max_games: int | None = None, **options: Any) -> Session:
    """Return a session played by random players."""
    session = Session(games, seed=seed, **options)
    session.play_out(*random_players(seed), max_games)
    return session


def drawn_second_game(games: Any) -> Iterator[Session]:
    """Return sessions whose second game is drawn."""
    for seed in itertools.count():
        session = played(games, seed, 2)
        if session.history[1].points == 0:
            yield session


def moves_of(turn: Turn) -> Any:
    return np.array(turn.moves, np.int8).reshape(-1, 2)


def state(game: Game) -> tuple[Any, ...]:
    return game.record.to_dict(), game.phase, game.player, game.board.tobytes(), game.dice
