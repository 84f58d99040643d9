"""One game between two players: what it waits for, what it has seen, and who may do what.

The players are 0 and 1. A `Game` tells in `Game.phase` what it waits for, and in
`Game.legal_actions` what may be done:

- ``"contest"``: a throw that decides who starts (only with ``by_hand``);
- ``"opening"``: keep the contest's dice or throw anew;
- ``"roll"``: roll, or double first;
- ``"double"``: the other's answer to a double; ``"beaver"``: the doubler's to a beaver;
- ``"play"``: a play of the dice; until it is ``"over"``.

Policies drive it through `Game.play_out`, a server or a bot step by step through `Game.act` or the
methods of the actions' names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, SupportsIndex

import numpy as np

from tavli_fast._common.arguments import MAX_PLIES, Int8Array, shown, whole_number
from tavli_fast.boards.plays import apply
from tavli_fast.boards.plays import plays as generate_plays
from tavli_fast.boards.positions import flip, outcomes, start
from tavli_fast.errors import IllegalMoveError
from tavli_fast.evaluation.evaluator import PolicyLike
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.play import Play, parse_play
from tavli_fast.play.cube_actions import Phase
from tavli_fast.play.cube_player import policies_of
from tavli_fast.play.cube_state import Cube, CubeTerms
from tavli_fast.play.policies import OpeningPolicy, Policy, RandomPolicy
from tavli_fast.play.records import GameRecord, Moves, Roll, Turn
from tavli_fast.play.undo import Undoable
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["Game", "GameRecord", "OpeningPolicy", "Policy", "RandomPolicy", "Turn"]

_OPENINGS: Final = ("fresh_roll", "contest_dice", "contest_or_reroll")
_ACTIONS: Final = ("contest", "keep", "reroll", "roll", "double", "take", "drop", "beaver")


class Game(Undoable):
    """One game, step by step: `roll`, then `play`, until `phase` is ``"over"``.

    With a cube the player on roll may `double` instead, and the other player answers with `take`,
    `drop` or `beaver`.

    An action that the phase does not allow, or that is not legal, raises an error and changes
    nothing. A player who cannot move passes automatically: the turn ends with the roll, and the
    record shows it.

    The attributes are meant to be read only.

    Args:
        rules: a `Rules` or the name of a preset.
        throw: called without arguments for every roll, returns two dice. In a contest the first of
            them is player 0's.
        starter: who starts, with a fresh roll; None for a contest.
        opening: which dice are played first after a contest, as in `Rules`; None for the rules' own
            way.
        terms: what applies to the cube in this game; None as the rules say, without a match.
        by_hand: whether each roll of a contest waits for the action `contest`; if not, the contest
            is held at once.

    Raises:
        ValueError: an argument is invalid, or `throw` does not return a pair of dice.
    """

    rules: Rules
    """The rules of this game."""
    terms: CubeTerms
    """What applies to the cube in this game."""
    record: GameRecord
    """What has happened so far, and the result."""
    phase: Phase
    """What the game waits for."""
    player: int
    """The player who has to act, 0 or 1 (in a contest 0 for both); once it is over, the player who
    acted last."""
    board: Int8Array
    """The position, ``int8[2, 26]``, read-only, `player` first."""
    dice: Roll | None
    """The roll that has not been played yet; None in every phase but ``"opening"`` and
    ``"play"``."""
    cube: Cube
    """The cube; after a drop as it was before the double."""

    def __init__(
        self,
        rules: RulesLike,
        throw: Callable[[], Roll],
        *,
        starter: int | None = None,
        opening: str | None = None,
        terms: CubeTerms | None = None,
        by_hand: bool = False,
    ) -> None:
        """Set up the board, and hold the contest if there is one."""
        self.rules = resolve_rules(rules)
        self.terms = CubeTerms(self.rules, self.rules.single_points) if terms is None else terms
        self._opening = self.rules.opening if opening is None else opening
        if self._opening not in _OPENINGS:
            raise ValueError(f"opening={shown(opening)}: expected one of {', '.join(_OPENINGS)}")
        super().__init__(throw)
        self._legal: LegalPlays | None = None
        self.player = 0 if starter is None else whole_number(starter, "starter", 0, 1)
        self.record = GameRecord(
            self.rules, (), -1 if starter is None else self.player, crawford=self.terms.crawford
        )
        self.board = start(self.rules)
        self.board.setflags(write=False)
        self.phase, self.dice, self.cube = "roll", None, Cube()
        if starter is None:
            self.phase = "contest"
            while not by_hand and self.phase == "contest":
                self.contest()
            self._past.clear()  # to set up the board is no action

    @property
    def legal_actions(self) -> Sequence[str | Play]:
        """What may be done now, each for `act`: names of actions; in phase ``"play"`` the `plays`.

        To `resign`, which the players agree on, is not among them.
        """
        if self.phase == "play":
            return self.plays
        actions: dict[Phase, tuple[str, ...]] = {
            "contest": ("contest",),
            "opening": ("keep", "reroll"),
            "roll": ("roll", "double") if self.may_double else ("roll",),
            "double": ("take", "drop", "beaver") if self.may_beaver else ("take", "drop"),
            "beaver": ("take", "drop"),
        }
        return actions.get(self.phase, ())

    def act(self, action: Play | str | SupportsIndex | Sequence[Sequence[int]]) -> None:
        """Do one of the `legal_actions`.

        Args:
            action: its name; or a play in any form that `play` takes.

        Raises:
            ValueError: it is not allowed now; the message says why, and nothing changes.
        """
        if isinstance(action, str) and action in _ACTIONS:
            getattr(self, action)()
        else:
            self.play(action)

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
            self._legal = LegalPlays(self.board, self._roll, self.rules)
        return self._legal

    def contest(self) -> Roll:
        """Roll a die for each player, in phase ``"contest"``, and return them, player 0's first.

        If they are equal the phase stays the same; with automatic doubles the stake is doubled.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("throw for the start", "contest")
        dice = self._throw()
        self._remember(dice)
        self.record.contest += (dice,)
        if dice[0] == dice[1]:
            self._set_cube(self.terms.after_tie(self.cube))
            return dice
        self.player = self.record.starter = int(dice[0] < dice[1])
        self.phase = "roll"
        if self._opening != "fresh_roll":
            self._lay((max(dice), min(dice)))  # the starter's die is the higher one
            if self._opening == "contest_dice":
                self._begin_play()
            else:
                self.phase = "opening"
        return dice

    def keep(self) -> None:
        """Keep the dice of the contest, in phase ``"opening"``.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("keep the dice", "opening")
        self._remember()
        self._begin_play()

    def reroll(self) -> Roll:
        """Reroll the opening dice, in phase ``"opening"``, and return the new ones, which stand.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("throw anew", "opening")
        dice = self._throw()
        self._remember(dice)
        self._lay(dice)
        self.record.rerolled = True
        self._begin_play()
        return dice

    def roll(self) -> Roll:
        """Roll the dice, in phase ``"roll"``, and return them.

        If there is no legal play, the turn is over.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("roll", "roll")
        dice = self._throw()
        self._remember(dice)
        self._lay(dice)
        self._begin_play()
        return dice

    def play(self, choice: Play | str | SupportsIndex | Sequence[Sequence[int]]) -> None:
        """Play the roll, in phase ``"play"``; this ends the turn, or the game.

        Args:
            choice: a `Play`; its text, read as in `parse_play`; an index into `plays` and
                `afterstates`; or (from, to) pairs in an order in which they can be played.

        Raises:
            IllegalMoveError: it is not a legal play of this roll.
            ValueError: it is not a play, or the phase is another.
        """
        self.expect("play", "play")
        chosen = self._resolve(choice)
        self._remember()
        self._end_turn(*chosen)

    def retrace(self, board: Int8Array, dice: Roll, moves: Moves, after: Int8Array) -> None:
        """Roll and play a turn that the caller has looked up: `dice` and `moves` are legal.

        For readers of match files, which check all turns of a match at once. A game that the turn
        ends is left to `play`.

        Args:
            board: the position before the roll, read-only.
            dice: the roll.
            moves: the moves of the turn, none for a dance.
            after: the position that they leave.
        """
        if self.phase == "roll":
            self._remember(dice)
            self.dice = dice
            if moves:
                self.phase = "play"
        if self.phase == "play":
            self._remember()
        self.record.turns.append(Turn(self.player, self._roll, moves, board))
        self.dice = None
        self.board, self.phase, self.player = after[::-1].copy(), "roll", 1 - self.player
        self.board.setflags(write=False)

    def play_out(
        self, first: PolicyLike, second: PolicyLike, max_turns: int = MAX_PLIES
    ) -> GameRecord:
        """Play to the end, `first` choosing for player 0 and `second` for player 1.

        If a policy raises an exception, it goes on to the caller, and the game still waits for the
        choice.

        Args:
            first: a `Policy`, or anything else that `as_policy` takes: ``"net"``, ``"random"``, a
                `Net`, a callable from afterstates to equities or outcome probabilities.
            second: the same for player 1.
            max_turns: the number of turns after which to give up.

        Raises:
            ValueError: a policy did not return the index of an afterstate.
            RuntimeError: the game is not over after `max_turns` turns; under some rules it can
                freeze.
        """
        policies = policies_of(first, second, None, ())
        while self.phase != "over":
            if len(self.record.turns) >= max_turns:
                raise RuntimeError(f"the game is not over after {max_turns} turns")
            self._ask(policies[self.player])
        return self.record

    def __repr__(self) -> str:
        """Return the game, how far it has come and what it waits for."""
        count = len(self.record.turns)
        turns = f"{count} turn{'s' * (count != 1)}"
        return f"<Game of {rules_name(self.rules)} after {turns}: {self._state()}>"

    def _ask(self, policy: Policy) -> None:
        """Do what the player's policy chooses."""
        if self.phase in ("double", "beaver"):
            self._answer(policy)
        elif self.phase == "contest":
            self.contest()
        elif self.phase == "roll":
            if not self._wants_double(policy):
                self.roll()
        else:
            assert self.dice is not None
            seen = self.board, self.dice, self.afterstates, self.rules
            if self.phase == "play":
                self.play(policy(*seen))
            elif isinstance(policy, OpeningPolicy) and policy.reroll(*seen):
                self.reroll()
            else:
                self.keep()

    @property
    def _roll(self) -> Roll:
        """The dice, in a phase in which there are some."""
        assert self.dice is not None
        return self.dice

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
        self.record.turns.append(Turn(self.player, self.dice, moves, self.board))
        self.dice = None
        if over[0]:
            gain = int(points[0])
            self.board = after.copy()
            self.board.setflags(write=False)
            self._end(self.player if gain > 0 else 1 - self.player, abs(gain))
        else:
            self.board, self.phase, self.player = flip(after), "roll", 1 - self.player
            self.board.setflags(write=False)

    def _end(self, winner: int, points: int) -> None:
        """End the game with what a win counts before the cube; 0 is a draw."""
        self.record.winner = winner if points else None
        self.record.points = self.terms.worth(self.cube, points)
        self.phase, self.dice = "over", None

    def _resolve(self, choice: Any) -> tuple[Moves, Int8Array]:
        """Return the moves and the afterstate of a choice; see `play` for the errors."""
        boards = self._options.boards
        if isinstance(choice, str):
            choice = parse_play(choice, self.board, self._roll, self.rules)
        if isinstance(choice, Play):
            found = np.flatnonzero((boards == choice.board).all(axis=(1, 2)))
            if not len(found):
                raise IllegalMoveError(f"play '{choice}' is not legal: {self._state()}")
            index = int(found[0])
        elif type(choice) is int or (
            isinstance(choice, SupportsIndex) and not getattr(choice, "shape", ())
        ):
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
        if self.phase == "contest":
            return "the players have to throw for the start"
        roll = "" if self.dice is None else f" {self.dice[0]}-{self.dice[1]}"
        must = {
            "opening": f"keep{roll} or throw anew",
            "play": f"play{roll}",
            "double": f"answer the double to {2 * self.cube.value}",
            "beaver": f"answer the beaver to {2 * self.cube.value}",
            "roll": "roll or double" if self.may_double else "roll",
        }
        return f"player {self.player} has to {must[self.phase]}"


def _moves_of(moves: Any) -> Moves:
    """Return checked moves, -1 padding left out, as (from, to) pairs."""
    pairs = np.reshape(moves, (-1, 2)).tolist()
    return tuple((source, target) for source, target in pairs if source >= 0)
