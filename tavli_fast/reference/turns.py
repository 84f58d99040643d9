"""A whole turn: the sequences of moves that a roll allows, and which of them are legal plays."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

from tavli_fast.reference.moves import Move, Roll, Turn, after, begin, moves_of_die, why_not
from tavli_fast.reference.position import OFF, Position
from tavli_fast.reference.primes import why_not_end
from tavli_fast.reference.scoring import is_decided_at_once, is_over
from tavli_fast.reference.traps import is_trap
from tavli_fast.rules.presets import Rules


class Sequence(NamedTuple):
    """Moves in the order in which they are played, the die of each, and the turn after them."""

    moves: tuple[Move, ...]
    dice: tuple[int, ...]
    turn: Turn

    @property
    def end(self) -> Position:
        """The position that the moves leave."""
        return self.turn.position


def legal_plays(position: Position, roll: Roll, rules: Rules) -> dict[Position, tuple[Move, ...]]:
    """Return each position in which a legal play can end, with the moves of one such play.

    A play is identified by the position it leaves: plays that end alike count once (section 9).
    Empty if there is no legal play (RULES 35: the turn is lost), and if the game is over.
    """
    sequences = all_sequences(position, roll, rules)
    plays: dict[Position, tuple[Move, ...]] = {}
    for sequence in legal_sequences(sequences, roll, rules):
        plays.setdefault(sequence.end, sequence.moves)
    return plays


def legal_sequences(sequences: list[Sequence], roll: Roll, rules: Rules) -> list[Sequence]:
    """Return those of the sequences that do what the roll requires."""
    duty = Duty.of(sequences, roll, rules)
    legal = [sequence for sequence in sequences if not duty.breach(sequence, rules)]

    # F9, the other reading: among the plays that fulfil the duties, one that leaves the enemy a
    # way out is preferred to one that traps the enemy. F8: if there is none, the rule lapses.
    fair = legal
    if not rules.trap_first:
        fair = [sequence for sequence in legal if not is_trap(sequence.end, rules)]
    return fair or legal


def orders(roll: Roll, rules: Rules) -> list[tuple[int, ...]]:
    """Return the orders in which the dice of a roll may be played.

    RULES 37: doubles are four equal moves. RULES 19, 28: the numbers of a mixed roll are two
    moves, in either order. RULES 22: their sum is not a move of its own.
    """
    one, two = roll
    if one != two:
        return [(one, two), (two, one)]

    # Section 4.8: a cascade continues from four n to four n + 1, and so on to four 6.
    last = 6 if rules.cascade else one
    return [tuple(die for die in range(one, last + 1) for _ in range(4))]


def all_sequences(position: Position, roll: Roll, rules: Rules) -> list[Sequence]:
    """Return the sequences of both orders, before any duty to prefer one to another.

    No sequence stops while the next die of its order can be played (RULES 34). Of the sequences
    with the same dice and the same end, only one is returned.
    """
    if is_over(position, rules):
        return []

    def barred(end: Position) -> bool:
        return bool(why_not_end(position, end, rules))

    def barred_or_trap(end: Position) -> bool:
        return barred(end) or is_trap(end, rules)

    # F9: a play that leaves the enemy a way out is preferred to one that traps the enemy, even if
    # it plays fewer dice. F8: if there is none, the rule lapses.
    if rules.trap_first:
        sequences = _all_ends(position, roll, rules, barred_or_trap)
        if sequences:
            return sequences
    return _all_ends(position, roll, rules, barred)


def _all_ends(
    position: Position, roll: Roll, rules: Rules, barred: Callable[[Position], bool]
) -> list[Sequence]:
    """Return the sequences of both orders that end where they may."""
    turn = begin(position, roll, rules)
    return [
        sequence for order in orders(roll, rules) for sequence in _ends(turn, order, rules, barred)
    ]


def _ends(
    first: Turn, order: tuple[int, ...], rules: Rules, barred: Callable[[Position], bool]
) -> list[Sequence]:
    """Return the sequences with the dice in this order, one for each turn that can be its end."""
    # Forwards: the turns that 0, 1, 2 ... dice lead to, with moves that lead there, and the turns
    # that may follow. Ways to the same turn are merged.
    reached: list[dict[Turn, tuple[Move, ...]]] = [{first: ()}]
    onwards: list[dict[Turn, list[Turn]]] = []
    for die in order:
        further: dict[Turn, tuple[Move, ...]] = {}
        onwards.append({})
        for turn, moves in reached[-1].items():
            # RULES 39, 50: each die may be played by any checker that it can move, whichever moved
            # before. RULES 20: so a checker that plays both dice stops on an open point between.
            steps = moves_of_die(turn, die, rules)
            onwards[-1][turn] = list(steps.values())
            for move, later in steps.items():
                further.setdefault(later, (*moves, move))
        reached.append(further)
    onwards.append({})

    # Backwards: RULES 34, 48: a die may be left only if it cannot be played; the rest of the order
    # is then lost. A die that can only be played towards a forbidden end cannot be played.
    sequences: list[Sequence] = []
    fruitful: set[Turn] = set()
    for played in range(len(order), -1, -1):
        leads_on = {
            turn for turn, later in onwards[played].items() if not fruitful.isdisjoint(later)
        }
        ends = [
            turn
            for turn in reached[played]
            # An order whose first die cannot be played gives no play; the other order gives them.
            if turn not in leads_on and played > 0 and not barred(turn.position)
        ]
        sequences += [Sequence(reached[played][turn], order[:played], turn) for turn in ends]
        fruitful = leads_on.union(ends)
    return sequences


class Duty(NamedTuple):
    """What a roll requires of a play, given all possible sequences."""

    most_dice: int
    only_die: int | None

    @classmethod
    def of(cls, sequences: Iterable[Sequence], roll: Roll, rules: Rules) -> Duty:
        """Find what a roll requires from all sequences of both orders."""
        ways = {sequence.dice for sequence in sequences}
        most_dice = max((len(dice) for dice in ways), default=0)

        # RULES 31: if only one die can be played, and each is playable alone, play the higher.
        # RULES 32: if only the lower is playable, play it.
        only_die = None
        if rules.higher_die and most_dice == 1 and roll[0] != roll[1]:
            only_die = max(die for (die,) in ways)
        return cls(most_dice, only_die)

    def breach(self, sequence: Sequence, rules: Rules) -> str:
        """Return which duty the sequence does not fulfil; an empty text if it is a legal play."""
        # RULES 60: the duties also apply to the play that bears off the last checker, unless a
        # house rule lets the winner stop (section 9: any length is then legal).
        if not rules.win_needs_all_dice and sequence.end.mine[OFF] == rules.checkers:
            return ""

        # P6: if the mother rule ends the game immediately, the move that ends it completes the
        # turn, whatever dice are left.
        if is_decided_at_once(sequence.end, rules):
            return ""

        # RULES 29, 30, 38: as many dice as any sequence plays must be played.
        if rules.max_dice and len(sequence.dice) < self.most_dice:
            return f"{self.most_dice} dice can be played, and so they must be"

        if self.only_die is not None and sequence.dice != (self.only_die,):
            return f"either die can be played but not both, so it must be the {self.only_die}"
        return ""


class Failure(NamedTuple):
    """How far moves could be followed as a play of a roll, and the error there.

    The move is None if each move is possible, but the play as a whole is not.
    """

    steps: float
    move: Move | None
    why: str


def why_no_play(
    position: Position, moves: tuple[Move, ...], roll: Roll, rules: Rules
) -> Failure | None:
    """Return why the moves, in the order given, are not a legal play; None if they are one."""
    sequences = all_sequences(position, roll, rules)
    if not moves:
        must = "the roll can be played, and so it must be"
        return Failure(0, None, must) if sequences else None

    # RULES 27: another way to the same position does not make this one legal, so the moves are
    # followed as they are given, in each order of the dice.
    legal_ends = {(one.dice, one.turn) for one in legal_sequences(sequences, roll, rules)}
    failures = []
    for order in orders(roll, rules):
        followed = _follow(begin(position, roll, rules), moves, order, rules)
        if isinstance(followed, Failure):
            failures.append(followed)
            continue
        played = Sequence(moves, order[: len(moves)], followed)
        if (played.dice, played.turn) in legal_ends:
            return None
        why, steps = _why_not_legal(position, played, order, sequences, roll, rules), len(moves)
        failures.append(Failure(steps + 0.5, None, why))
    return max(failures, key=lambda failure: failure.steps)


def _follow(
    turn: Turn, moves: tuple[Move, ...], order: tuple[int, ...], rules: Rules
) -> Turn | Failure:
    """Return the turn after the moves, played with the dice in this order, or what goes wrong.

    If both orders fail, the failure further along is the better explanation; so a step counts half
    if the die fits the move and only the position forbids it.
    """
    for steps, move in enumerate(moves):
        if steps == len(order):
            return Failure(steps, move, "no die is left for it")
        die = order[steps]
        if move.target != max(move.source - die, OFF):
            return Failure(steps, move, "no die of the roll makes that move")
        why = why_not(turn, move.source, die, rules)
        if why:
            return Failure(steps + 0.5, move, why)
        turn = after(turn, move, rules)
    return turn


def _why_not_legal(
    position: Position,
    played: Sequence,
    order: tuple[int, ...],
    sequences: list[Sequence],
    roll: Roll,
    rules: Rules,
) -> str:
    """Return why moves that are each possible are not a legal play."""
    duty = Duty.of(sequences, roll, rules)
    is_an_end = any((one.dice, one.turn) == (played.dice, played.turn) for one in sequences)
    if is_an_end:
        return duty.breach(played, rules) or _TRAPPED

    # RULES 34: a die that can be played must be played.
    for die in order[len(played.dice) : len(played.dice) + 1]:
        if moves_of_die(played.turn, die, rules):
            return f"the {die} can still be played, and so it must be"
    return why_not_end(position, played.end, rules) or _TRAPPED


_TRAPPED: Final = "it leaves the enemy trapped, and another play does not"
