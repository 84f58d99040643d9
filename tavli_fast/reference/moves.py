"""One move: what a single checker may do with a single die, and what it leaves behind."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..rules import Rules
from .position import BAR, OFF, Position, other_number
from .scoring import is_over

HOME: Final = range(1, 7)


class Move(NamedTuple):
    """One checker's move by one die, in the mover's numbers (25 is the bar, 0 is off)."""

    source: int
    target: int

    def __str__(self) -> str:
        """Return the move as it is written: ``13/8``, ``bar/22``, ``6/off``."""
        source = "bar" if self.source == BAR else str(self.source)
        target = "off" if self.target == OFF else str(self.target)
        return f"{source}/{target}"


class Turn(NamedTuple):
    """A turn under way: the position now, and the home points where it has hit."""

    position: Position
    hits_at_home: frozenset[int] = frozenset()


def moves_of_die(turn: Turn, die: int, rules: Rules) -> dict[Move, Turn]:
    """Return every move that `die` allows, each with the turn as it stands after it."""
    moves = {}
    for source in range(BAR, OFF, -1):
        if turn.position.mine[source] and not why_not(turn, source, die, rules):
            # RULES 44: the bar counts as point 25, so die d enters on 25 - d.
            move = Move(source, max(source - die, OFF))
            moves[move] = after(turn, move)
    return moves


def why_not(turn: Turn, source: int, die: int, rules: Rules) -> str:
    """Return why no checker may move from `source` by `die`; an empty text if one may."""
    mine, theirs = turn.position

    # RULES 6: who has borne off all checkers has won, and nobody moves any more.
    if is_over(turn.position, rules):
        return "the game is over"

    if not mine[source]:
        return "there is no checker to move"

    # RULES 43, 47: while a checker is on the bar, only checkers on the bar may move.
    if mine[BAR] and source != BAR:
        return "the checkers on the bar must enter first"

    # Section 4.1, Tavla: a checker that hits in its own home stays there until the turn ends, by
    # bearing off too. It alone is held: another that joins it later in the turn may move on.
    held = 1 if source in turn.hits_at_home and not rules.hit_and_run_home else 0
    if mine[source] == held:
        return "a checker that hits at home may not move on in the same turn"

    target = source - die
    if target > OFF:
        # RULES 24, 25, 45: one enemy checker does not close a point, two do.
        # RULES 23: what stands between source and target does not matter.
        if theirs[other_number(target)] >= 2:
            return "two enemy checkers close that point"
        return ""

    # RULES 53, 62: no bearing off before every checker still in play is at home.
    if any(mine[HOME.stop :]):
        return "not all checkers are home"

    # RULES 55: die d bears off from point d.
    if target == OFF:
        return ""

    # RULES 57, 59: a larger die bears off from the farthest point only; as long as a checker is
    # farther out, the die has to be played inside.
    if any(mine[source + 1 : HOME.stop]):
        return "a larger die bears off from the farthest point only"
    return ""


def after(turn: Turn, move: Move) -> Turn:
    """Return the turn after a move that is allowed."""
    mine, theirs = list(turn.position.mine), list(turn.position.theirs)
    hits_at_home = turn.hits_at_home
    mine[move.source] -= 1
    # RULES 26: any number of own checkers may share a point. RULES 54: off (index 0) is for good.
    mine[move.target] += 1

    # RULES 41, 46: landing on a lone enemy checker sends it to the bar, on entering too.
    there = other_number(move.target)
    if move.target != OFF and theirs[there]:
        theirs[there] -= 1
        theirs[BAR] += 1
        if move.target in HOME:
            hits_at_home |= {move.target}
    return Turn(Position(tuple(mine), tuple(theirs)), hits_at_home)
