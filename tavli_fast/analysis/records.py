"""A decision of a match, judged: what was played, what was best, and what the difference cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tavli_fast._common.arguments import Int8Array
from tavli_fast.analysis.spot import Stage
from tavli_fast.boards.tfid import preset_of, tfid
from tavli_fast.notation.grammar import written
from tavli_fast.play.records import Moves, Roll
from tavli_fast.rules.presets import Rules

__all__ = ["Choice", "Decision", "Luck"]

_MARKS: Final = ((0.12, "very bad"), (0.06, "bad"), (0.03, "doubtful"))
_LUCKS: Final = ((0.6, "very "), (0.3, ""))


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that could have been done."""

    word: str
    """``"play"``, ``"double"``, ``"no double"``, ``"take"``, ``"pass"`` or ``"beaver"``."""
    equity: float
    """What it is worth to the player who decides, in units of the stake."""
    moves: Moves = ()
    """The moves of a play; none if the roll cannot be played."""
    outcomes: tuple[float, ...] = ()
    """For a play, the chances of the player after it: to win, to win 2 points or more, to win 3, to
    lose 2 or more, to lose 3, to draw."""
    marks: Mapping[int, str] = field(default_factory=dict, repr=False, compare=False)
    """The marks of landings on lone enemy checkers, by their points."""

    @property
    def text(self) -> str:
        """The play in standard notation, or the word."""
        return written(self.moves, self.marks) if self.word == "play" else self.word


@dataclass(frozen=True, slots=True)
class Luck:
    """The luck of a roll."""

    value: float
    """The equity of its best play less the mean over all rolls, in units of the stake."""
    worth: float
    """The same as a chance to win the match, or in points for money."""

    @property
    def mark(self) -> str:
        """``"very lucky"`` from 0.6, ``"lucky"`` from 0.3, ``"unlucky"`` and ``"very unlucky"``
        likewise, or an empty text."""
        for least, how in _LUCKS:
            if abs(self.value) >= least:
                return f"{how}{'lucky' if self.value > 0 else 'unlucky'}"
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """One decision of a match: a play, whether to double, or the answer to a double."""

    game: int
    """The game, from 1."""
    turn: int
    """The turn of the game, from 1."""
    player: int
    """Who decides: 0 or 1."""
    kind: str
    """``"play"``, ``"double"`` (also where nobody doubled) or ``"answer"``."""
    board: Int8Array
    """The position, ``int8[2, 26]``, read-only; the player on roll first, who is the doubler of an
    answer."""
    dice: Roll | None
    """The roll that is played; None for the cube."""
    rules: Rules
    """The rules of the game."""
    stage: Stage | None
    """The cube and the score, seen by the player on roll; None in a game without a cube."""
    played: Choice
    """What was done."""
    choices: tuple[Choice, ...]
    """What could have been done, the best first; of the plays, the best few."""
    forced: bool
    """Whether there was no choice: one legal play, or none."""
    close: bool
    """Whether it counts: a play that is not forced; an answer; a mistake; a double, given or not,
    that gains or costs less than 0.16."""
    error: float
    """What it cost against the best choice, in units of the stake, 0 or more."""
    cost: float
    """The same as a chance to win the match, or in points for money."""
    luck: Luck | None
    """The luck of the roll, of a play."""
    chance: float | None
    """The chance of the player who decides to win the match after it; None for money."""
    outcomes: tuple[float, ...] = ()
    """For the cube, the chances of the player on roll, as in `Choice.outcomes`."""

    @property
    def best(self) -> Choice:
        """The best choice."""
        return self.choices[0]

    @property
    def mark(self) -> str:
        """``"doubtful"`` if it cost 0.03 or more, ``"bad"`` from 0.06, ``"very bad"`` from 0.12,
        else an empty text."""
        return next((word for least, word in _MARKS if self.error >= least), "")

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as one flat row: numbers, texts and None."""
        return {
            "game": self.game,
            "turn": self.turn,
            "player": self.player,
            "kind": self.kind,
            "position": tfid(self.board, self.dice, self.rules),
            "rules": preset_of(self.rules),
            "cube": None if self.stage is None else self.stage.cube,
            "cube_owner": None if self.stage is None else self.stage.owner,
            "away": None if self.stage is None or not self.stage.away else self.stage.away[0],
            "away_opponent": None
            if self.stage is None or not self.stage.away
            else self.stage.away[1],
            "dice": None if self.dice is None else f"{self.dice[0]}{self.dice[1]}",
            "played": self.played.text,
            "best": self.best.text,
            "equity": self.played.equity,
            "best_equity": self.best.equity,
            "chance": self.chance,
            "error": self.error,
            "cost": self.cost,
            "mark": self.mark,
            "forced": self.forced,
            "close": self.close,
            "luck": None if self.luck is None else self.luck.value,
            "luck_mark": None if self.luck is None else self.luck.mark,
        }
