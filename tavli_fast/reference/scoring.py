"""The end of a game: when it is over, and how many points it is worth."""

from __future__ import annotations

from tavli_fast.reference.position import BAR, OFF, PINNED, START, Position, other_number
from tavli_fast.rules.presets import Rules


def points_for_mine(position: Position, rules: Rules) -> int | None:
    """Return the points of a finished game for "mine"; 0 is a draw, None means it is not over."""
    mine, theirs = position

    # RULES 6: the first to bear off all checkers wins.
    if mine[OFF] == rules.checkers:
        return _points_lost(theirs, rules)
    if theirs[OFF] == rules.checkers:
        return -_points_lost(mine, rules)
    return points_by_the_mother(position, rules)


def points_by_the_mother(position: Position, rules: Rules) -> int | None:
    """Return the points for "mine" if the mother rule ends the game, else None.

    Section 4.2: the mother is the last checker on the start, and it is caught if it is pinned there
    before it leaves. (A pinned checker is alone on its point, so it is the last.)
    """
    mine, theirs = position
    my_mother_is_pinned = mine[START] == PINNED
    their_mother_is_pinned = theirs[START] == PINNED
    if rules.mother == "none":
        return None

    # P5: both mothers pinned: a draw, as soon as it arises. (Otherwise the game never ends, because
    # neither can ever leave.)
    if my_mother_is_pinned and their_mother_is_pinned:
        return 0 if rules.mother_draw else None

    # P3: if only both together count, a single pin does not end the game.
    if rules.mother == "draw_only":
        return None

    # P1: the capturer wins, but as long as the capturer has checkers on the start, that side's
    # mother may still be caught too; the win is complete when the last has left. Or, in another
    # reading, at once.
    at_once = rules.mother == "lose_always"
    if their_mother_is_pinned and (at_once or not mine[START]):
        return rules.mother_points
    if my_mother_is_pinned and (at_once or not theirs[START]):
        return -rules.mother_points
    return None


def is_over(position: Position, rules: Rules) -> bool:
    """Return whether the game is over when a turn ends in this position."""
    return points_for_mine(position, rules) is not None


def is_over_at_once(position: Position, rules: Rules) -> bool:
    """Return whether the game is over in this position even in the middle of a turn.

    RULES 6: bearing off the last checker ends it. P6: the mother rule is decided at the end of the
    turn, or, in another reading, on landing.
    """
    if rules.checkers in (position.mine[OFF], position.theirs[OFF]):
        return True
    return is_decided_at_once(position, rules)


def is_decided_at_once(position: Position, rules: Rules) -> bool:
    """Return whether the mother rule ends the game in the middle of a turn."""
    immediate = rules.mother_ends == "immediate"
    return immediate and points_by_the_mother(position, rules) is not None


def _points_lost(loser: tuple[int, ...], rules: Rules) -> int:
    """Return the points that the losing side loses."""
    # RULES 64: the loser has borne off at least one checker: a single game.
    if loser[OFF]:
        return rules.single_points

    # RULES 67: none borne off, and a checker on the bar or in the winner's home: the triple
    # (if it counts; RULES 66: in Portes it is worth no more than the gammon).
    # Section 4.9: some require a checker on the bar for it.
    caught = bool(loser[BAR])
    if rules.backgammon_needs == "home_or_bar":
        winners_home = (other_number(point, rules) for point in range(1, 7))
        caught = caught or any(loser[point] for point in winners_home)
    if caught:
        return rules.backgammon_points

    # RULES 65: none borne off: a gammon (mars).
    return rules.gammon_points
