"""What may be said in a game: a double, the answers to it, a resignation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Final, Literal, TypeAlias

from tavli_fast._common.arguments import Int8Array, shown, whole_number
from tavli_fast.boards.positions import flip
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.play.cube_state import Cube, CubeTerms
from tavli_fast.play.policies import Policy
from tavli_fast.play.records import Call, GameRecord, Roll
from tavli_fast.rules.fields import MAX_POINTS
from tavli_fast.rules.presets import Rules

__all__ = ["CubeActions", "Phase"]

Phase: TypeAlias = Literal["contest", "opening", "roll", "double", "beaver", "play", "over"]
_ANSWERS: Final = ("take", "drop", "beaver")

MAX_AWARD: Final = 10**9
"""The most points that a game can be said to have won."""


class CubeActions(ABC):
    """The part of a `Game` that is about the cube."""

    rules: Rules
    terms: CubeTerms
    record: GameRecord
    phase: Phase
    player: int
    board: Int8Array
    dice: Roll | None
    cube: Cube

    @property
    def may_double(self) -> bool:
        """Whether the player may double now: before his roll, with the cube in the middle or his
        own, and nothing in the rules or the match against it."""
        return self.phase == "roll" and self.terms.why_no_double(self.cube, self.player) is None

    @property
    def may_beaver(self) -> bool:
        """Whether the player may redouble at once and keep the cube."""
        offered = 2 * self.cube.value
        return self.phase == "double" and self.terms.why_no_beaver(offered, self.player) is None

    def double(self) -> None:
        """Offer to play for twice the stake, in phase ``"roll"``; the other has to answer.

        Raises:
            ValueError: the phase is another, or the player may not double; the message says why.
        """
        self.expect("double", "roll")
        reason = self.terms.why_no_double(self.cube, self.player)
        if reason is not None:
            raise ValueError(f"cannot double: {reason}")
        self._remember()
        self._say("double", 2 * self.cube.value)
        self._wait("double")

    def take(self) -> None:
        """Accept a double, in phase ``"double"``, or a beaver, in phase ``"beaver"``.

        The stake is doubled. Who has accepted the double gets the cube; the beaverer keeps it.

        Raises:
            ValueError: the phase is another.
        """
        self.expect("take", "double", "beaver")
        self._remember()
        roller = self._roller
        self._set_cube(self.cube.taken(1 - roller))
        self._say("take", self.cube.value)
        self._wait("roll", roller)

    def drop(self) -> None:
        """Give up the game instead of playing on for twice the stake: lose the present one.

        Raises:
            ValueError: the phase is neither ``"double"`` nor ``"beaver"``.
        """
        self.expect("drop", "double", "beaver")
        self._remember()
        self._say("drop", self.cube.value)
        self._end(1 - self.player, self.terms.single_points)

    def beaver(self) -> None:
        """Accept a double and double again at once, keeping the cube, in phase ``"double"``.

        The doubler has to answer, where a beaver can be refused; if not he is on roll.

        Raises:
            ValueError: the phase is another, or the player may not beaver; the message says why.
        """
        self.expect("beaver", "double")
        reason = self.terms.why_no_beaver(2 * self.cube.value, self.player)
        if reason is not None:
            raise ValueError(f"cannot beaver: {reason}")
        self._remember()
        self._set_cube(self.cube.taken(self.player))
        self._say("beaver", 2 * self.cube.value)
        if self.terms.rules.beaver_refusable:
            self._wait("beaver")
        else:  # RULES 82
            self._set_cube(self.cube.taken(self.player))
            self._wait("roll")

    def resign(self, points: int | None = None, player: int | None = None) -> None:
        """End the game as lost, in any phase but a contest: both players have agreed on it.

        Args:
            points: what it counts before the cube, such as 2 for a gammon; None for a single game.
            player: who resigns; None for the player whose action the game waits for.

        Raises:
            ValueError: the game is over or has not begun, or an argument is none of these.
        """
        self.expect("resign", "opening", "roll", "double", "beaver", "play")
        least = self.terms.single_points
        lost = least if points is None else whole_number(points, "points", least, MAX_POINTS)
        loser = self.player if player is None else whole_number(player, "player", 0, 1)
        self._remember()
        self.record.calls.append(Call(len(self.record.turns), loser, "resign", lost))
        self.record.unplayed = self.dice
        self._end(1 - loser, lost)

    def award(self, points: int, player: int) -> None:
        """End the game with a result that play has not decided, or replace the result it has.

        This is how a match file's score is kept where its games do not say it all: a match given
        up, lost on time, or a game of which a part is missing.

        Args:
            points: what the player gets, the cube included; 0 if nobody gets anything.
            player: 0 or 1.

        Raises:
            ValueError: the game has not begun, or an argument is none of these.
        """
        self.expect("award", "opening", "roll", "double", "beaver", "play", "over")
        got = whole_number(points, "points", 0, MAX_AWARD)
        winner = whole_number(player, "player", 0, 1)
        self._remember()
        self.record.calls.append(Call(len(self.record.turns), winner, "award", got))
        if self.phase != "over":
            self.record.unplayed = self.dice
            self._end(winner, 0)
        self.record.winner, self.record.points = winner if got else None, got

    @property
    def _roller(self) -> int:
        """The player on roll, also while the opponent has to answer a double."""
        return 1 - self.player if self.phase == "double" else self.player

    def _say(self, action: str, value: int) -> None:
        """Note what the player says."""
        self.record.calls.append(Call(len(self.record.turns), self.player, action, value))

    def _wait(self, phase: Phase, player: int | None = None) -> None:
        """Wait for a player's action, by default the other's."""
        self.phase = phase
        if player != self.player:
            self.player, self.board = 1 - self.player, flip(self.board)
            self.board.setflags(write=False)

    def _set_cube(self, cube: Cube) -> None:
        """Turn the cube."""
        self.cube, self.record.stake = cube, cube.value

    @property
    def cube_question(self) -> CubeQuestion:
        """What a policy is shown when it is asked about the cube."""
        roller, away = self._roller, self.terms.away
        board = self.board if roller == self.player else flip(self.board)
        board.setflags(write=False)
        owner = self.cube.owner
        offered = 2 * self.cube.value
        return CubeQuestion(
            board=board,
            rules=self.rules,
            table=self.terms.rules,
            stake=self.cube.value,
            owner=0 if owner is None else 1 if owner == roller else -1,
            away=None if away is None else (away[roller], away[1 - roller]),
            crawford=self.terms.crawford,
            crawford_over=self.terms.crawford_over,
            jacoby=self.terms.jacoby_holds(self.cube),
            may_beaver=self.phase != "beaver"
            and self.terms.why_no_beaver(offered, 1 - roller) is None,
            beavered=self.phase == "beaver",
        )

    def _wants_double(self, policy: Policy) -> bool:
        """Ask a policy whether to double, and do so."""
        double = getattr(policy, "double", None)
        if double is None or not self.may_double or not double(self.cube_question):
            return False
        self.double()
        return True

    def _answer(self, policy: Policy) -> None:
        """Ask a policy for the answer to a double or a beaver, and give it."""
        answer = getattr(policy, "answer", None)
        choice = "take" if answer is None else answer(self.cube_question)
        if choice not in _ANSWERS:
            raise ValueError(f"answer={shown(choice)}: expected one of {', '.join(_ANSWERS)}")
        {"take": self.take, "drop": self.drop, "beaver": self.beaver}[choice]()

    # What a Game has besides, for the methods above.

    @abstractmethod
    def expect(self, action: str, *phases: Phase) -> None:
        """Raise the ValueError that says why an action cannot be done now."""

    @abstractmethod
    def _remember(self) -> None:
        """Keep the state of the game, for `undo` to go back to."""

    @abstractmethod
    def _end(self, winner: int, points: int) -> None:
        """End the game."""
