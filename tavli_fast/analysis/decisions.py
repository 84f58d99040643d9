"""A decision of a match, judged: what was played, what was best, and what the difference cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tavli_fast._common.arguments import Int8Array
from tavli_fast.analysis.judging import CubeView, Found
from tavli_fast.analysis.spots import Spot, Stage
from tavli_fast.analysis.values import Scale, Valuer
from tavli_fast.boards.tfid import preset_of, tfid
from tavli_fast.notation.grammar import written
from tavli_fast.notation.play import Turn
from tavli_fast.play.records import Moves, Roll
from tavli_fast.rules.presets import Rules

__all__ = ["Choice", "Decision", "Luck", "decisions_of"]

_MARKS: Final = ((0.12, "very bad"), (0.06, "bad"), (0.03, "doubtful"))
_LUCKS: Final = ((0.6, "very "), (0.3, ""))

_NOTHING: Final = np.empty((0, 4, 2), np.int8), np.empty((0, 2, 26), np.int8)
"""No plays, where only the board of a turn is of interest."""

CLOSE: Final = 0.16
"""A cube decision is close if a double costs less than this, or gains."""


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


def decisions_of(spot: Spot, found: Found, valuer: Valuer) -> list[Decision]:
    """Return the decisions of a turn that has been judged: the cube's, then the play."""
    made = []
    if found.cube is not None:
        assert spot.stage is not None
        made.append(_double(spot, found.cube, valuer))
        if spot.answer is not None:
            made.append(_answer(spot, found.cube, valuer))
    if spot.dice is not None and found.candidates:
        made.append(_play(spot, found, valuer))
    return made


def asked_about(spot: Spot, found: Found, valuer: Valuer) -> list[Decision]:
    """Return what may be decided in a position: the play of a roll, or the cube before it."""
    if spot.dice is None:
        return [] if found.cube is None else [_double(spot, found.cube, valuer)]
    return [_play(spot, found, valuer)]


def _play(spot: Spot, found: Found, valuer: Valuer) -> Decision:
    """Return the decision about a roll."""
    scale = valuer.scale(spot.after)
    assert spot.dice is not None
    marks = Turn(spot.board, spot.dice, spot.rules, _NOTHING).lone
    choices = tuple(
        Choice("play", play.equity, play.moves, play.outcomes, marks) for play in found.candidates
    )
    played = next(
        choice
        for choice, play in zip(choices, found.candidates, strict=True)
        if spot.played is None or (play.board == spot.played).all()
    )
    error = max(found.best - found.played, 0.0) if found.legal > 1 else 0.0
    luck = None if found.luck is None else Luck(found.luck, found.luck * scale.unit)
    return Decision(
        spot.game + 1, spot.turn + 1, spot.player, "play", spot.board, spot.dice, spot.rules,
        spot.after, played, choices, found.legal < 2, found.legal > 1, error, error * scale.unit,
        luck, _chance(scale, played.equity, True),
    )  # fmt: skip


def _double(spot: Spot, cube: CubeView, valuer: Valuer) -> Decision:
    """Return the decision of the player on roll about the cube."""
    doubled = min(cube.double_take, cube.double_pass)
    options = [Choice("double", doubled), Choice("no double", cube.no_double)]
    played = options[0] if spot.doubled else options[1]
    best = options[0] if cube.double else options[1]
    error = max(best.equity - played.equity, 0.0)
    close = best.equity - doubled < CLOSE or error > 0
    return _about_cube(
        spot, "double", spot.player, played, best, options, error, close, cube, valuer
    )


def _answer(spot: Spot, cube: CubeView, valuer: Valuer) -> Decision:
    """Return the decision of the opponent, who was doubled."""
    taking = "beaver" if cube.beaver or spot.answer == "beaver" else "take"
    options = [Choice(taking, -cube.double_take), Choice("pass", -cube.double_pass)]
    played = options[1] if spot.answer == "drop" else options[0]
    best = options[0] if cube.take else options[1]
    error = max(best.equity - played.equity, 0.0)
    who = 1 - spot.player
    return _about_cube(spot, "answer", who, played, best, options, error, True, cube, valuer)


def _about_cube(
    spot: Spot,
    kind: str,
    player: int,
    played: Choice,
    best: Choice,
    options: list[Choice],
    error: float,
    close: bool,
    cube: CubeView,
    valuer: Valuer,
) -> Decision:
    """Return a decision about the cube."""
    other = next(option for option in options if option is not best)
    scale = valuer.scale(spot.stage)
    return Decision(
        spot.game + 1, spot.turn + 1, player, kind, spot.board, None, spot.rules, spot.stage,
        played, (best, other), False, close, error, error * scale.unit, None,
        _chance(scale, played.equity, player == spot.player), cube.outcomes,
    )  # fmt: skip


def _chance(scale: Scale, equity: float, on_roll: bool) -> float | None:
    """Return a player's chance to win the match; `scale` is that of the player on roll."""
    if not scale.match:
        return None
    level = scale.level if on_roll else 1 - scale.level
    return level + scale.unit * equity
