"""Games in lock-step: the trials of a chunk advance ply by ply together, for Python evaluators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import Int8Array, whole_number
from tavli_fast._core.constants import (
    TRIAL_PLIES,
    TRIAL_POINTS,
    TRIAL_VALUES,
    TRUNCATED,
    UNFINISHED,
)
from tavli_fast.errors import ResultTooLargeError
from tavli_fast.evaluation.evaluator import Player, values_of
from tavli_fast.evaluation.outcomes import (
    CHANCES,
    EQUITY,
    OPENING_CHANCES,
    ROLLS,
    Values,
    equities,
    exact_values,
    turned,
)
from tavli_fast.evaluation.search import (
    Candidates,
    Search,
    best_of_net,
    candidates,
    first_best,
    flipped,
    play_counts,
)
from tavli_fast.evaluation.tables import known_outcomes
from tavli_fast.rollouts.options import Settings
from tavli_fast.rules.presets import Rules

__all__ = ["play_chunk"]

Policy: TypeAlias = Callable[..., Any]

_ROLL_NUMBER: Final = np.zeros((7, 7), np.intp)
"""Where a roll is in `ROLLS`, whichever die is first."""
for _number, (_high, _low) in enumerate(ROLLS):
    _ROLL_NUMBER[_high, _low] = _ROLL_NUMBER[_low, _high] = _number


def play_chunk(
    board: Int8Array,
    rules: Rules,
    players: tuple[Player, Player],
    judge: Player | None,
    settings: Settings,
    key: npt.NDArray[np.uint64],
    first_trial: int,
    trials: int,
) -> npt.NDArray[np.float64]:
    """Play trials of a board that is not over, as `_core.net_games.play_trials` does.

    A player's evaluator is called once a ply, with all plays of all games that are still running
    (and, where luck is taken out, with those of the other rolls too).

    Args:
        board: ``int8[2, 26]``, the player on roll first.
        rules: what is played.
        players: who plays the first side and the other.
        judge: who judges where games are cut, and luck; None for each player's own evaluator.
        settings: how they are played.
        key: ``uint64[2]``, from which all dice come.
        first_trial: the number of the first trial.
        trials: how many.

    Returns:
        ``float64[trials, 8]``: the six `OUTCOMES` for plane 0 of `board` (of a finished game 0 and
        1, of a truncated one the judge's; with luck taken out they are corrected), the plies, and
        the points, or `TRUNCATED`, or `UNFINISHED` (then the outcomes mean nothing). A judge of
        equities alone has half of each (and a half) in the first column: the equity that follows
        from the outcomes is right then, and they themselves mean nothing.

    Raises:
        EvaluatorError: an evaluator raises, or gives no usable answer.
    """
    games = _Games(board, rules, players, judge, settings, key, first_trial, trials)
    while len(games.running) and games.ply < settings.max_plies:
        games.advance()
    games.result[games.running, TRIAL_PLIES:] = games.ply, UNFINISHED
    return games.result


class _Games:
    """The trials of a chunk that are still running, all at the same ply."""

    def __init__(
        self,
        board: Int8Array,
        rules: Rules,
        players: tuple[Player, Player],
        judge: Player | None,
        settings: Settings,
        key: npt.NDArray[np.uint64],
        first_trial: int,
        trials: int,
    ) -> None:
        self.rules, self.players, self.judge, self.settings = rules, players, judge, settings
        self.key, self.first_trial = key, first_trial
        self.ply = 0
        self.running = np.arange(trials)
        self.boards = np.repeat(board[np.newaxis], trials, axis=0)
        self.luck = np.zeros((trials, EQUITY))
        """Of each of the running games, for the first side."""
        self.result = np.zeros((trials, TRIAL_VALUES))

    def advance(self) -> None:
        """Play a ply of all games, and take out those that end."""
        mine = self.ply % 2 == 0
        dice = _core.net_games.trial_dice(
            self.key,
            self.first_trial,
            len(self.result),
            self.ply,
            1,
            self.settings.opening,
            self.settings.stratified,
        )[self.running, 0]
        try:
            after, values, expected = self._turn(self.players[self.ply % 2], dice)
        except ResultTooLargeError:
            self._give_up(dice)
            return
        self.ply += 1
        over, points = _core.batch.outcomes(after, self.rules)
        if expected is not None:
            self.luck += _for_first(values, mine) - _for_first(expected, mine)
        values[over] = exact_values(points[over])
        ended = over | (self.ply == self.settings.truncate)
        if self.settings.tables:
            known, exact = known_outcomes(after, self.rules)
            values[known, :EQUITY], values[known, EQUITY] = exact, equities(exact)
            ended |= known
        places = self.running[ended]
        self.result[places, :EQUITY] = (_for_first(values, mine) - self.luck)[ended]
        self.result[places, TRIAL_PLIES] = self.ply
        points = np.where(over, points if mine else -points, TRUNCATED)
        self.result[places, TRIAL_POINTS] = points[ended]
        self._keep(~ended, flipped(after))

    def _turn(self, player: Player, dice: Int8Array) -> tuple[Int8Array, Values, Values | None]:
        """Let a player choose a play in each game.

        Returns:
            The afterstates, what the judge says of them (if that is asked for), and, if luck is to
            be taken out, what it would say on average over all rolls.
        """
        games = len(self.running)
        if not self.settings.variance_reduction:
            after, values = self._chosen(player, self.boards, dice)
            if self.ply + 1 == self.settings.truncate:
                values = self._judged(player, after, values)
            return after, values, None
        chances = CHANCES
        if self.settings.opening and self.ply == 0:
            chances = OPENING_CHANCES
        pairs = np.repeat(self.boards, len(ROLLS), axis=0)
        rolls = np.tile(ROLLS, (games, 1))
        all_after, values = self._chosen(player, pairs, rolls)
        values = self._judged(player, all_after, values)
        # The roll that has been thrown is one of them.
        thrown = _ROLL_NUMBER[dice[:, 0], dice[:, 1]] + np.arange(games) * len(ROLLS)
        weighted = values.reshape(games, len(ROLLS), -1) * chances[:, np.newaxis]
        return all_after[thrown], values[thrown], weighted.sum(axis=1)

    def _chosen(
        self, player: Player, boards: Int8Array, dice: Int8Array
    ) -> tuple[Int8Array, Values]:
        """Return the afterstates that a player chooses, and their values by his own evaluator."""
        if player.weights is not None:
            search = Search(player, self.rules, ())
            return best_of_net(search, boards, dice)[1:]
        after, values = np.empty_like(boards), np.zeros((len(boards), EQUITY + 1))
        for some in candidates(boards, dice, self.rules):
            if player.policy is not None:
                picks = self._asked(player.policy, some)
                after[some.part] = some.boards[some.starts + picks]
            elif player.at_random:
                counts = np.diff(some.starts, append=len(some.boards))
                trials = self.first_trial + self.running[some.part]
                picks = _core.net_games.trial_choices(self.key, trials, self.ply, counts)
                after[some.part] = some.boards[some.starts + picks]
            else:
                found = _whole(values_of(player, some.boards, self.rules, None))
                best = first_best(found[:, EQUITY], some.starts)
                after[some.part], values[some.part] = some.boards[best], found[best]
        return after, values

    def _asked(self, policy: Policy, some: Candidates) -> npt.NDArray[np.int64]:
        """Ask a `Policy` for each game's play, one after another."""
        ends = np.append(some.starts[1:], len(some.boards))
        moves = play_counts(some.bases, some.dice, self.rules)
        picks = np.zeros(len(some.starts), np.int64)
        for game, (first, end) in enumerate(zip(some.starts, ends, strict=True)):
            if not moves[game]:  # who cannot move is not asked
                continue
            board, after = some.bases[game].copy(), some.boards[first:end].copy()
            board.setflags(write=False)
            after.setflags(write=False)
            high, low = some.dice[game].tolist()
            picks[game] = whole_number(
                policy(board, (high, low), after, self.rules), "policy", 0, len(after) - 1
            )
        return picks

    def _judged(self, player: Player, after: Int8Array, values: Values) -> Values:
        """Return what the judge says of afterstates for which the player's evaluator has values."""
        judge = self.judge or player
        if judge.weights is player.weights and judge.function is player.function:
            return values
        return _whole(values_of(judge, after, self.rules))

    def _give_up(self, dice: Int8Array) -> None:
        """Leave the games that have too many plays to choose from; the others go on."""
        playable = np.ones(len(self.running), np.bool_)
        every = ROLLS if self.settings.variance_reduction else np.empty((0, 2), np.int8)
        for i, board in enumerate(self.boards):
            rolls = np.concatenate([dice[i : i + 1], every])
            boards = np.repeat(board[np.newaxis], len(rolls), axis=0)
            try:
                _core.batch.count(boards, rolls, self.rules, np.empty(len(rolls), np.int32))
            except ResultTooLargeError:
                playable[i] = False
        if playable.all():
            raise
        self.result[self.running[~playable], TRIAL_PLIES:] = self.ply, UNFINISHED
        self._keep(playable, self.boards)

    def _keep(self, which: npt.NDArray[np.bool_], boards: Int8Array) -> None:
        """Go on with some of the games."""
        self.running, self.boards = self.running[which], boards[which]
        self.luck = self.luck[which]


def _whole(values: Values) -> Values:
    """Return values with outcomes of the same equity, where an evaluator gives equities alone."""
    bare = np.isnan(values[:, 0])
    if bare.any():
        values[bare, :EQUITY] = 0
        values[bare, 0] = (1 + values[bare, EQUITY]) / 2
    return values


def _for_first(values: Values, mine: bool) -> Values:
    """Return the outcomes of the player who has just moved as the first side has them."""
    return (values if mine else turned(values))[:, :EQUITY]
