"""A whole turn: the sequences of moves that a roll allows, and those that it demands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..rules import Rules
from .moves import Move, Turn, after, moves_of_die, why_not
from .position import OFF, Position

Roll = tuple[int, int]


class Sequence(NamedTuple):
    """Moves in the order in which they are played, the die of each, and the position they leave."""

    moves: tuple[Move, ...]
    dice: tuple[int, ...]
    end: Position


def legal_plays(position: Position, roll: Roll, rules: Rules) -> dict[Position, tuple[Move, ...]]:
    """Return each position in which a legal play can end, with the moves of one such play.

    A play's identity is the position it leaves: plays that end alike count once (section 9).
    Empty if there is no legal play (RULES 35: the turn is lost), and if the game is over.
    """
    sequences = all_sequences(position, roll, rules)
    duty = Duty.of(sequences, roll, rules)
    plays: dict[Position, tuple[Move, ...]] = {}
    for sequence in sequences:
        if not duty.breach(sequence, rules):
            plays.setdefault(sequence.end, sequence.moves)
    return plays


def orders(roll: Roll) -> list[tuple[int, ...]]:
    """Return the orders in which the dice of a roll may be played.

    RULES 37: doubles are four equal moves. RULES 19, 28: the numbers of a mixed roll are two
    moves, in either order. RULES 22: their sum is no move of its own.
    """
    one, two = roll
    if one == two:
        return [(one, one, one, one)]
    return [(one, two), (two, one)]


def all_sequences(position: Position, roll: Roll, rules: Rules) -> list[Sequence]:
    """Return the sequences of every order, before any duty to prefer one to another.

    No sequence stops while the next die of its order can be played (RULES 34). Of the sequences
    that have the same dice and end alike, one stands for all.
    """
    return [
        sequence
        for order in orders(roll)
        for sequence in _play_on({Turn(position): ()}, (), order, rules)
        # An order whose first die cannot be played is no play; the other order has what there is.
        if sequence.moves
    ]


def _play_on(
    reached: dict[Turn, tuple[Move, ...]],
    played: tuple[int, ...],
    to_play: tuple[int, ...],
    rules: Rules,
) -> Iterator[Sequence]:
    """Go on, with the dice `to_play` in that order, from each turn reached with those `played`.

    `reached` gives the moves that led to each turn; ways that lead to the same one merge here.
    """
    if not to_play:
        for turn, moves in reached.items():
            yield Sequence(moves, played, turn.position)
        return

    die, *rest = to_play
    further: dict[Turn, tuple[Move, ...]] = {}
    for turn, moves in reached.items():
        # RULES 39, 50: each die may be played by any checker that it can move, whoever moved
        # before. RULES 20: so a checker that takes both dice stops on an open point between.
        steps = moves_of_die(turn, die, rules)
        for move, later in steps.items():
            further.setdefault(later, (*moves, move))
        # RULES 34, 48: only who cannot play a die may leave it; the rest of the order is lost.
        if not steps:
            yield Sequence(moves, played, turn.position)
    if further:
        yield from _play_on(further, (*played, die), tuple(rest), rules)


class Duty(NamedTuple):
    """What a roll demands of the play, seen from all the sequences that there are."""

    most_dice: int
    only_die: int | None

    @classmethod
    def of(cls, sequences: Iterable[Sequence], roll: Roll, rules: Rules) -> Duty:
        """Work out the duty of a roll from every sequence of both orders."""
        ways = {sequence.dice for sequence in sequences}
        most_dice = max((len(dice) for dice in ways), default=0)

        # RULES 31: if only one die can be played, and each is playable alone, play the higher.
        # RULES 32: if only the lower is playable, play it.
        only_die = None
        if rules.higher_die and most_dice == 1 and roll[0] != roll[1]:
            only_die = max(die for (die,) in ways)
        return cls(most_dice, only_die)

    def breach(self, sequence: Sequence, rules: Rules) -> str:
        """Return which duty the sequence fails in; an empty text if it is a legal play."""
        # RULES 60: the duties bind the play that bears off the last checker too, unless the
        # house lets a winner stop (section 9: such a sequence is kept whatever its length).
        if not rules.win_needs_all_dice and sequence.end.mine[OFF] == rules.checkers:
            return ""

        # RULES 29, 30, 38: as many dice as any sequence plays must be played.
        if rules.max_dice and len(sequence.dice) < self.most_dice:
            return f"{self.most_dice} dice can be played, and so they must be"

        if self.only_die is not None and sequence.dice != (self.only_die,):
            return f"either die can be played but not both, so it must be the {self.only_die}"
        return ""


class Failure(NamedTuple):
    """How far moves could be followed as a play of a roll, and what was wrong then.

    The move is None where each move is possible, but the play as a whole is not.
    """

    steps: float
    move: Move | None
    why: str


def why_no_play(
    position: Position, moves: tuple[Move, ...], roll: Roll, rules: Rules
) -> Failure | None:
    """Return what keeps the moves, in the order given, from being a legal play; None if nothing."""
    sequences = all_sequences(position, roll, rules)
    if not moves:
        must = "the roll can be played, and so it must be"
        return Failure(0, None, must) if sequences else None

    # RULES 27: another way to the same position does not excuse this one, so the moves are
    # followed as they are given, in each order of the dice.
    duty = Duty.of(sequences, roll, rules)
    failures = []
    for order in orders(roll):
        failure = _follow(position, moves, order, duty, rules)
        if failure is None:
            return None
        failures.append(failure)
    return max(failures, key=lambda failure: failure.steps)


def _follow(
    position: Position, moves: tuple[Move, ...], order: tuple[int, ...], duty: Duty, rules: Rules
) -> Failure | None:
    """Return what goes wrong where the moves are played with the dice in this order, if anything.

    Where both orders fail, the failure that is further along is the better answer: so a step
    counts half if the die fits the move and only the position forbids it.
    """
    turn = Turn(position)
    for steps, move in enumerate(moves):
        if steps == len(order):
            return Failure(steps, move, "no die is left for it")
        die = order[steps]
        if move.target != max(move.source - die, OFF):
            return Failure(steps, move, "no die of the roll makes that move")
        why = why_not(turn, move.source, die, rules)
        if why:
            return Failure(steps + 0.5, move, why)
        turn = after(turn, move)

    # RULES 34: a die that can be played may not be left.
    for die in order[len(moves) : len(moves) + 1]:
        if moves_of_die(turn, die, rules):
            return Failure(len(moves), None, f"the {die} can still be played, and so it must be")
    why = duty.breach(Sequence(moves, order[: len(moves)], turn.position), rules)
    return Failure(len(moves) + 0.5, None, why) if why else None
