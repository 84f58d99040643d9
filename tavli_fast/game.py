"""One game between two players: what it waits for, what it has seen, and who may do what.

The players are 0 and 1. A `Game` tells in `Game.phase` what it waits for: ``"opening"`` (keep the
contest's dice or throw anew), ``"roll"``, ``"play"``, until it is ``"over"``. Policies drive it
through `Game.play_out`, a server or a bot step by step through `Game.roll` and `Game.play`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, Protocol, SupportsIndex, TypeAlias, runtime_checkable

import numpy as np

from ._arguments import MAX_PLIES, Int8Array, one_pair, seed_entropy, whole_number
from .boards import flip, outcomes, start
from .errors import IllegalMoveError
from .generation import apply
from .generation import plays as generate_plays
from .legal import LegalPlays
from .notation import Play, parse_play
from .rules import RULES, Rules, resolve_rules, rules_name

__all__ = ["Game", "GameRecord", "OpeningPolicy", "Policy", "RandomPolicy", "Turn"]

_OPENINGS: Final = ("fresh_roll", "contest_dice", "contest_or_reroll")

Phase: TypeAlias = Literal["opening", "roll", "play", "over"]
Roll: TypeAlias = tuple[int, int]
Moves: TypeAlias = tuple[tuple[int, int], ...]


class Policy(Protocol):
    """Whoever chooses the plays: any callable that picks one of a roll's afterstates."""

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> SupportsIndex:
        """Return the index of the chosen afterstate.

        Args:
            board: ``int8[2, 26]``, read-only, the player who chooses first.
            dice: his roll.
            afterstates: ``int8[M, 2, 26]``, read-only, not flipped: the distinct positions that the
                legal plays leave. M is 1 or more: it is asked even where there is no choice.
            rules: the rules of the game.
        """


@runtime_checkable
class OpeningPolicy(Protocol):
    """The method by which a policy chooses with ``opening="contest_or_reroll"``.

    A policy without it keeps the contest's dice.
    """

    def reroll(self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /) -> bool:
        """Return whether to throw anew; the arguments are those of a `Policy`, but M may be 0."""


class RandomPolicy:
    """A policy that chooses uniformly among the afterstates, and throws anew every other time.

    Raises:
        ValueError: `seed` is neither None nor an integer of 0 or more.
    """

    def __init__(self, seed: int | None = None) -> None:
        """Begin the stream of this seed; None draws a fresh one."""
        self._stream = Stream(seed_entropy(seed))

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> int:
        """Return the index of an afterstate; see `Policy`."""
        return self._stream.below(len(afterstates))

    def reroll(self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /) -> bool:
        """Return whether to throw anew; see `OpeningPolicy`."""
        return self._stream.below(2) == 1


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn as it was played."""

    player: int
    """0 or 1."""
    dice: Roll
    """The roll, in the order thrown (of a contest's dice, the starter's own first)."""
    moves: Moves
    """(from, to) pairs in the player's numbers, 25 the bar and 0 off; none if he danced."""


@dataclass(slots=True)
class GameRecord:
    """What has happened in a game so far."""

    rules: Rules
    """The rules of this game."""
    contest: tuple[Roll, ...]
    """The throws that decided who starts, player 0's die first, ties included; () if none were."""
    starter: int
    """Who starts: 0 or 1."""
    rerolled: bool = False
    """Whether the starter threw anew instead of keeping the contest's dice."""
    turns: list[Turn] = field(default_factory=list)
    """The turns, dances included."""
    winner: int | None = None
    """0 or 1; None for a draw, and as long as the game is not over."""
    points: int | None = None
    """What the winner gets, 0 for a draw; None as long as the game is not over."""

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it: dicts, lists, numbers and strings."""
        return _as_json(self) | {"rules": rules_to_json(self.rules)}


class Game:
    """One game, step by step: `roll`, then `play`, until `phase` is ``"over"``.

    An action that the phase does not allow, or that is not legal, raises and changes nothing. A
    player who cannot move passes by himself: his turn ends with the throw, and the record shows it.

    The attributes are there to be read.

    Args:
        rules: a `Rules` or the name of a preset.
        throw: called without arguments for every throw, returns two dice. In the contest the first
            of them is player 0's.
        starter: who starts, with a fresh roll; None for a contest.
        opening: which dice are played first after a contest, as in `Rules`; None as `rules` say.

    Raises:
        ValueError: an argument is none of these, or `throw` returns no pair of dice.
    """

    rules: Rules
    """The rules of this game."""
    record: GameRecord
    """What has happened so far, and the result."""
    phase: Phase
    """What the game waits for."""
    player: int
    """Whose action it waits for, 0 or 1; when it is over, who played last."""
    board: Int8Array
    """The position, ``int8[2, 26]``, read-only, `player` first."""
    dice: Roll | None
    """The dice on the table, not yet played; None in the phases ``"roll"`` and ``"over"``."""

    def __init__(
        self,
        rules: Rules | str,
        throw: Callable[[], Roll],
        *,
        starter: int | None = None,
        opening: str | None = None,
    ) -> None:
        """Set up the board, and hold the contest if there is one."""
        self.rules = resolve_rules(rules)
        opening = self.rules.opening if opening is None else opening
        if opening not in _OPENINGS:
            raise ValueError(f"opening={opening!r}: expected one of {', '.join(_OPENINGS)}")
        self._throw = throw
        self._legal: LegalPlays | None = None
        contest: tuple[Roll, ...] = ()
        if starter is None:
            contest = self._hold_contest()
            starter = int(contest[-1][0] < contest[-1][1])
        self.player = whole_number(starter, "starter", 0, 1)
        self.record = GameRecord(self.rules, contest, self.player)
        self.board = start(self.rules)
        self.board.setflags(write=False)
        self.phase, self.dice = "roll", None
        if contest and opening != "fresh_roll":
            # The starter's die is the higher one.
            self._lay((max(contest[-1]), min(contest[-1])))
            if opening == "contest_dice":
                self._begin_play()
            else:
                self.phase = "opening"

    @property
    def afterstates(self) -> Int8Array:
        """The positions that the legal plays leave, ``int8[M, 2, 26]``, read-only, not flipped.

        Raises:
            ValueError: no dice are on the table.
        """
        self.expect("list the plays", "opening", "play")
        return self._options.boards

    @property
    def plays(self) -> LegalPlays:
        """The legal plays of the dice on the table, to read; in the order of `afterstates`.

        Raises:
            ValueError: no dice are on the table.
        """
        self.expect("list the plays", "opening", "play")
        if self._legal is None:
            self._legal = LegalPlays(self.board, self.dice, self.rules)
        return self._legal

    def keep(self) -> None:
        """Keep the contest's dice, in phase ``"opening"``.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("keep the dice", "opening")
        self._begin_play()

    def reroll(self) -> Roll:
        """Throw anew instead, in phase ``"opening"``, and return the dice; they stand.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("throw anew", "opening")
        dice = self._lay(one_pair(self._throw()))
        self.record.rerolled = True
        self._begin_play()
        return dice

    def roll(self) -> Roll:
        """Throw the dice, in phase ``"roll"``, and return them.

        If nothing can be played with them, the turn is over.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("roll", "roll")
        dice = self._lay(one_pair(self._throw()))
        self._begin_play()
        return dice

    def play(self, choice: Play | str | SupportsIndex | Sequence[Sequence[int]]) -> None:
        """Play the dice, in phase ``"play"``; then it is the other's turn, or the game is over.

        Args:
            choice: a `Play`; its text, as `parse_play` reads it; an index into `plays` and
                `afterstates`; or (from, to) pairs in an order in which they can be played.

        Raises:
            IllegalMoveError: it is no legal play of these dice.
            ValueError: it is no play at all, or the phase is another.
        """
        self.expect("play", "play")
        self._end_turn(*self._resolve(choice))

    def play_out(self, first: Policy, second: Policy, max_turns: int = MAX_PLIES) -> GameRecord:
        """Play to the end, `first` choosing for player 0 and `second` for player 1.

        What a policy raises goes on to the caller, and the game still waits for its choice.

        Raises:
            ValueError: a policy returned no index of an afterstate.
            RuntimeError: the game is not over after `max_turns` turns; under some rules it freezes.
        """
        while self.phase != "over":
            if len(self.record.turns) >= max_turns:
                raise RuntimeError(f"the game is not over after {max_turns} turns")
            if self.dice is None:
                self.roll()
                continue
            policy = (first, second)[self.player]
            seen = self.board, self.dice, self.afterstates, self.rules
            if self.phase == "play":
                self.play(policy(*seen))
            elif isinstance(policy, OpeningPolicy) and policy.reroll(*seen):
                self.reroll()
            else:
                self.keep()
        return self.record

    def __repr__(self) -> str:
        """Return the game, how far it has come and what it waits for."""
        count = len(self.record.turns)
        turns = f"{count} turn{'s' * (count != 1)}"
        return f"<Game of {rules_name(self.rules)} after {turns}: {self._state()}>"

    def _hold_contest(self) -> tuple[Roll, ...]:
        """Throw a die for each player until they differ."""
        throws = [one_pair(self._throw())]
        while throws[-1][0] == throws[-1][1]:
            throws.append(one_pair(self._throw()))
        return tuple(throws)

    def _lay(self, dice: Roll) -> Roll:
        """Lay dice on the table, find what they allow, and return them."""
        self._options = generate_plays(self.board, dice, self.rules)
        self._options.boards.setflags(write=False)
        self._legal = None
        self.dice = dice
        return dice

    def _begin_play(self) -> None:
        """Let the player play his dice, or pass if he cannot."""
        if len(self._options.boards):
            self.phase = "play"
        else:
            self._end_turn((), self.board)

    def _end_turn(self, moves: Moves, after: Int8Array) -> None:
        """Note the turn; pass it on, or end the game."""
        assert self.dice is not None
        over, points = outcomes(after, self.rules)
        self.record.turns.append(Turn(self.player, self.dice, moves))
        self.dice = None
        if over[0]:
            gain = int(points[0])
            if gain:
                self.record.winner = self.player if gain > 0 else 1 - self.player
            self.record.points = abs(gain)
            self.board, self.phase = after.copy(), "over"
        else:
            self.board, self.phase, self.player = flip(after), "roll", 1 - self.player
        self.board.setflags(write=False)

    def _resolve(self, choice: Any) -> tuple[Moves, Int8Array]:
        """Return the moves and the afterstate of a choice; see `play` for the errors."""
        boards = self._options.boards
        if isinstance(choice, str):
            choice = parse_play(choice, self.board, self.dice, self.rules)
        if isinstance(choice, Play):
            found = np.flatnonzero((boards == choice.board).all(axis=(1, 2)))
            if not len(found):
                raise IllegalMoveError(f"play '{choice}' is not legal: {self._state()}")
            index = int(found[0])
        elif isinstance(choice, SupportsIndex) and not getattr(choice, "shape", ()):
            index = whole_number(choice, "play", 0, len(boards) - 1)
        else:
            after: Int8Array = apply(self.board, choice, self.dice, self.rules)[0]
            return _moves_of(choice), after
        return _moves_of(self._options.moves[index]), boards[index]

    def expect(self, action: str, *phases: Phase) -> None:
        """Raise the ValueError that says why an action cannot be done now."""
        if self.phase not in phases:
            raise ValueError(f"cannot {action}: {self._state()}")

    def _state(self) -> str:
        """Say what the game waits for, or how it ended."""
        winner = self.record.winner
        if self.phase == "over":
            return "drawn" if winner is None else f"player {winner} won {self.record.points}"
        roll = "" if self.dice is None else f" {self.dice[0]}-{self.dice[1]}"
        must = {"opening": f"keep{roll} or throw anew", "play": f"play{roll}"}
        return f"player {self.player} has to {must.get(self.phase, 'roll')}"


class Stream:
    """Fair draws from a PCG64's raw words, which every NumPy release draws alike."""

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def below(self, n: int) -> int:
        """Return an integer from 0 to n - 1, each as likely as the others."""
        # The words beyond the last whole multiple of n would favour low numbers.
        limit = 2**64 - 2**64 % n
        while (word := int(self._bits.random_raw())) >= limit:
            pass
        return word % n

    def throw(self) -> Roll:
        """Return two dice."""
        both = self.below(36)
        return both // 6 + 1, both % 6 + 1


def _moves_of(moves: Any) -> Moves:
    """Return checked moves, -1 padding left out, as (from, to) pairs."""
    pairs = np.reshape(moves, (-1, 2)).tolist()
    return tuple((source, target) for source, target in pairs if source >= 0)


def _as_json(record: GameRecord | Rules) -> dict[str, Any]:
    """Return a dataclass as JSON has it, with lists for tuples."""
    values: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    return values


def rules_to_json(rules: Rules) -> Any:
    """Return a preset's name, or the fields of other rules."""
    name = rules_name(rules)
    return name if name in RULES else _as_json(rules)
