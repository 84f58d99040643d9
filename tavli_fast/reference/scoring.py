"""The end of a game: when it is over, and how many points it is worth."""

from __future__ import annotations

from typing import Final

from ..rules import Rules
from .position import BAR, OFF, Position

OWN_NUMBERS_OF_THE_WINNERS_HOME: Final = range(19, 25)
"""The winner's points 1 to 6 as the loser numbers them."""


def is_over(position: Position, rules: Rules) -> bool:
    """Return whether either side has borne off all its checkers (RULES 6)."""
    return rules.checkers in (position.mine[OFF], position.theirs[OFF])


def points_for_mine(position: Position, rules: Rules) -> int:
    """Return the points of a finished game, counted for "mine"; 0 if the game goes on."""
    mine, theirs = position
    if mine[OFF] == rules.checkers:
        return _points_lost(theirs, rules)
    if theirs[OFF] == rules.checkers:
        return -_points_lost(mine, rules)
    return 0


def _points_lost(loser: tuple[int, ...], rules: Rules) -> int:
    """Return what the game costs the side that has not borne off all."""
    # RULES 64: the loser has borne off at least one checker: a single game.
    if loser[OFF]:
        return rules.single_points

    # RULES 67: none borne off, and a checker on the bar or in the winner's home: the triple
    # (where it counts; RULES 66: in Portes it is worth no more than the gammon).
    # Section 4.9: some want a checker on the bar for it.
    caught = bool(loser[BAR])
    if rules.backgammon_needs == "home_or_bar":
        caught = caught or any(loser[point] for point in OWN_NUMBERS_OF_THE_WINNERS_HOME)
    if caught:
        return rules.backgammon_points

    # RULES 65: none borne off: a gammon (mars).
    return rules.gammon_points
