"""The engine behind every connector: what it does in a `Situation`, and how well it plays."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array, number, seed_entropy, shown, whole_number
from tavli_fast.boards.positions import flip
from tavli_fast.connect.situation import Action, Situation
from tavli_fast.cube.decisions import CubeEquities, cube_equities
from tavli_fast.cube.question import CubeQuestion
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.evaluation.evaluate import best_plays, evaluate
from tavli_fast.evaluation.evaluator import Evaluator
from tavli_fast.evaluation.outcomes import outcome_batch
from tavli_fast.notation.legal import LegalPlays
from tavli_fast.notation.play import Play
from tavli_fast.play.records import Roll
from tavli_fast.rules.presets import Rules

__all__ = ["LEVELS", "MOST_PLIES", "Engine"]

LEVELS: Final[dict[int, tuple[int, float]]] = {
    1: (0, 0.36),
    2: (0, 0.25),
    3: (0, 0.18),
    4: (0, 0.13),
    5: (0, 0.095),
    6: (0, 0.07),
    7: (0, 0.05),
    8: (0, 0.03),
    9: (0, 0.0),
    10: (1, 0.0),
}
"""Strength levels: how many plies each looks ahead, and the standard deviation of its noise, in
points. docs/strength.md has what they lose to level 10."""

MOST_PLIES: Final = 3
"""More would take minutes for a move."""
_COMPARED: Final = 5
"""Plays whose cubeful equities are compared after a search."""
_FEW: Final = 4
"""Checkers that a side still has when the other asks itself whether to resign."""
_NO_CHANCE: Final = 1e-9


class Engine:
    """Plays, doubles, answers and resigns: the same engine for every connector.

    It chooses the play of the highest equity, by the cube and the score where the game has a cube,
    makes cube decisions by the model of `cube_equities`, accepts a resignation that is worth at
    least what playing on is, and resigns a game that no roll can save. Also a `Policy` with a cube.

    Args:
        evaluator: ``"net"`` for the net that comes with the rules of each position, a `Net`, a
            `Linear`, or a callable from afterstates to equities or outcome probabilities.
        plies: how many plies to look ahead, 0 to 3.
        noise: the standard deviation of an error that is added to the equity of each play, in
            points, 0 to 10. The error of a position is always the same with the same seed.
        seed: for the noise, an integer of 0 or more; None for a fresh one.
        resigns: whether to resign games that are lost for certain.

    Raises:
        ValueError: an argument is invalid.

    Examples:
        >>> import tavli_fast as tf
        >>> from tavli_fast.connect import Engine, Situation
        >>> engine = Engine()
        >>> print(engine.decide(Situation(tf.start(), tf.BACKGAMMON, (3, 1))).play)
        8/5 6/5
    """

    def __init__(
        self,
        evaluator: Evaluator = "net",
        *,
        plies: int = 0,
        noise: float = 0.0,
        seed: int | None = None,
        resigns: bool = True,
    ) -> None:
        """Keep the arguments."""
        if not (isinstance(evaluator, str) and evaluator == "net") and not (
            callable(evaluator) or hasattr(evaluator, "packed")
        ):
            raise ValueError(
                f"evaluator={shown(evaluator)}: expected 'net', a Net, a Linear, or a callable "
                "from afterstates to equities or outcome probabilities"
            )
        self.evaluator = evaluator
        self.plies = whole_number(plies, "plies", 0, MOST_PLIES)
        self.noise = number(noise, "noise", 0, 10)
        self.seed = seed_entropy(seed)
        self.resigns = bool(resigns)
        self._factors = _odd_numbers(self.seed)

    @classmethod
    def of_level(
        cls, level: int, evaluator: Evaluator = "net", *, seed: int | None = None
    ) -> Engine:
        """Return the engine of a strength level.

        Args:
            level: 1, the weakest, to 10.
            evaluator: as for `Engine`.
            seed: as for `Engine`.

        Raises:
            ValueError: `level` is not one of these.
        """
        plies, noise = LEVELS[whole_number(level, "level", 1, max(LEVELS))]
        return cls(evaluator, plies=plies, noise=noise, seed=seed)

    def decide(self, situation: Situation) -> Action:
        """Return what to do.

        Args:
            situation: the position and what is waited for.

        Returns:
            The `Action` of the side that is asked: the player on roll, or the opponent if a double
            waits.
        """
        s = situation
        if s.waiting in ("double", "beaver"):
            return Action(self.answer(s.question))
        if s.waiting == "resign":
            return Action("accept" if self._accepts(s) else "reject")
        if self.resigns and (points := self._lost_points(s)):
            return Action("resign", points=points)
        return self.go_on(s)

    def go_on(self, situation: Situation) -> Action:
        """Return the play, the roll or the double of a situation, without resigning."""
        s = situation
        if s.waiting == "play":
            return Action("play", self.best_play(s))
        return Action("double" if s.may_double and self.double(s.question) else "roll")

    def best_play(self, situation: Situation) -> Play:
        """Return the play of a situation with dice; one without moves if none is legal."""
        s = situation
        if s.dice is None:
            raise ValueError("dice=None: expected a roll to play")
        plays = LegalPlays(s.board, s.dice, s.rules)
        if not len(plays):
            return Play((), plays.board)
        if len(plays) == 1:
            return plays[0]
        top = len(plays) if self.plies == 0 or self.noise else min(len(plays), _COMPARED)
        found = best_plays(
            s.board, s.dice, self.evaluator, s.rules, self.plies, top, filters="normal"
        )
        listed = int(found.counts[0])
        values = found.equity[0, :listed]
        outcomes = found.outcomes[0, :listed]
        if s.rules.cube and not np.isnan(outcomes).any():
            values = _cubeful(outcomes, s.setting)
        boards = found.boards[0, :listed]
        best = boards[int((values + self._errors(boards)).argmax())]
        return plays[plays.index(best)]

    def outcomes(
        self, board: Int8Array, rules: Rules, plies: int | None = None
    ) -> npt.NDArray[np.float64] | None:
        """Return the outcomes ``float64[6]`` of the player on roll before the roll, as the engine
        sees them; None if its evaluator returns equities only."""
        plies = self.plies if plies is None else plies
        found = evaluate(board, self.evaluator, rules, plies).outcomes[0]
        if np.isnan(found).any():
            return None
        if self.noise:
            # With the usual share of gammons, 0.4 of winning chances are a point of equity.
            shift = self._errors(flip(board)[np.newaxis])[0] / 2.5
            found[0] = min(max(found[0] - shift, 0), 1)
        return np.asarray(outcome_batch(found, judged=True)[0], np.float64)

    # As a policy with a cube.

    def __call__(
        self, board: Int8Array, dice: Roll, afterstates: Int8Array, rules: Rules, /
    ) -> int:
        """Return the index of the chosen afterstate; see `Policy`."""
        best = self.best_play(Situation(board, _without_cube(rules), dice)).board
        return int((afterstates == best).all(axis=(1, 2)).argmax())

    def double(self, question: CubeQuestion, /) -> bool:
        """Return whether to double; see `CubePolicy`."""
        equities = self._equities(question, CubeSetting.of(question))
        return equities is not None and bool(equities.double[0])

    def answer(self, question: CubeQuestion, /) -> str:
        """Return the answer to a double, or as the doubler to a beaver; see `CubePolicy`."""
        setting = CubeSetting.of(question)
        if question.beavered:
            setting = replace(setting, owner="centre", beavers=False, jacoby=False)
        equities = self._equities(question, setting)
        if equities is None:
            return "take"
        if question.beavered:
            # The doubler loses the present stake, or plays on for twice as much.
            return "take" if equities.double_take[0] >= -1 else "drop"
        if not equities.take[0]:
            return "drop"
        return "beaver" if question.may_beaver and equities.beaver[0] else "take"

    def _equities(self, question: CubeQuestion, setting: CubeSetting) -> CubeEquities | None:
        """Return what the position of a question is worth."""
        outcomes = self.outcomes(question.board, question.rules)
        return None if outcomes is None else cube_equities(outcomes, setting)

    def _errors(self, boards: Int8Array) -> npt.NDArray[np.float64]:
        """Return the errors that noise adds to the equities of afterstates, always the same."""
        if not self.noise:
            return np.zeros(len(boards))
        words = boards.reshape(len(boards), -1).astype(np.uint64)
        mixed = (words * self._factors).sum(axis=1, dtype=np.uint64)
        first, second = _uniform(mixed), _uniform(mixed ^ self._factors[0])
        normal = np.sqrt(-2 * np.log(1 - first)) * np.cos(2 * np.pi * second)
        return np.asarray(self.noise * normal, np.float64)

    def _accepts(self, s: Situation) -> bool:
        """Return whether a resignation is worth at least what playing on is."""
        setting = s.setting
        if not s.asked_on_roll:
            setting = setting.turned()
        offered = np.zeros(6)
        offered[: s.resigned] = 1
        gain = cube_equities(offered, setting).cubeless[0]
        if s.dice is not None:  # the side on roll plays them first
            best = self.best_play(replace(s, waiting="play"))
            board, mine_next = flip(best.board), not s.asked_on_roll
        else:
            board, mine_next = s.board, s.asked_on_roll
        # One ply at least: the games that end with this roll are then counted exactly.
        outcomes = self.outcomes(board, s.rules, max(self.plies, 1))
        if outcomes is None:
            return False
        if mine_next:
            return bool(cube_equities(outcomes, setting).best[0] <= gain + _NO_CHANCE)
        best_theirs = cube_equities(outcomes, setting.turned()).best[0]
        return bool(-best_theirs <= gain + _NO_CHANCE)

    def _lost_points(self, s: Situation) -> int:
        """Return what the player on roll has certainly lost, in points before the cube; 0 if any
        roll of either side could still change it.

        It looks at every roll of both sides to the end of the game, so no estimate is involved.
        """
        theirs = s.board[1]
        bears_off_in_one_turn = theirs[1:].clip(0).sum() <= _FEW and not theirs[7:].any()
        if not bears_off_in_one_turn or s.rules.contact != "hit" or s.board[0, 1:].sum() <= 1:
            return 0
        if s.dice is None:
            found = evaluate(s.board, _undecided, s.rules, 2).outcomes[0]
        else:
            found = best_plays(s.board, s.dice, _undecided, s.rules, 1).outcomes[0, 0]
        win, _, _, gammon, backgammon, draw = found.tolist()
        if win + draw > _NO_CHANCE:
            return 0
        if gammon < _NO_CHANCE or s.question.jacoby:
            return 1
        if gammon > 1 - _NO_CHANCE and backgammon < _NO_CHANCE:
            return 2
        return 3 if backgammon > 1 - _NO_CHANCE else 0


def _undecided(afterstates: Int8Array) -> npt.NDArray[np.float64]:
    """Stand for an evaluator where only finished games count."""
    return np.tile([0.5, 0.0, 0.0, 0.0, 0.0], (len(afterstates), 1))


@lru_cache(maxsize=64)
def _without_cube(rules: Rules) -> Rules:
    """Return rules without the cube, of which a `Policy` is not told where it is."""
    return replace(rules, cube=False)


def _cubeful(outcomes: npt.NDArray[np.float64], setting: CubeSetting) -> npt.NDArray[np.float64]:
    """Return the equities of plays with the cube, from their outcomes for the player who makes
    them: the opponent is then on roll."""
    judged = outcome_batch(outcomes, judged=True)
    win, gammon, backgammon, lose_gammon, lose_backgammon, draw = judged.T
    theirs = np.stack(
        [1 - win - draw, lose_gammon, lose_backgammon, gammon, backgammon, draw], axis=1
    )
    return np.asarray(-cube_equities(theirs, setting.turned()).best, np.float64)


def _odd_numbers(seed: int) -> npt.NDArray[np.uint64]:
    """Return odd factors, one for each number of a board."""
    words = np.random.SeedSequence(seed).generate_state(52, np.uint64)
    return words | np.uint64(1)


def _uniform(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.float64]:
    """Return numbers of [0, 1) from words, by the finalizer of SplitMix64."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        words = (words ^ (words >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray((words >> np.uint64(11)) * 2.0**-53, np.float64)
