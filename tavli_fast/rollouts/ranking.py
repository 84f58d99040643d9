"""Ranking the plays of a roll by rollouts with the same dice for all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Final, overload

import numpy as np
import numpy.typing as npt

from tavli_fast import _core
from tavli_fast._common.arguments import (
    MAX_PLIES,
    Int8Array,
    one_board,
    one_pair,
    positive_number,
    seed_entropy,
    shown,
    whole_number,
    workers,
)
from tavli_fast._common.version import version
from tavli_fast._common.workers import check_workers, executor_of, in_order
from tavli_fast.boards.positions import flip
from tavli_fast.evaluation.evaluate import afterstate_equities
from tavli_fast.evaluation.player import Player
from tavli_fast.notation.legal import legal_plays
from tavli_fast.notation.play import Play
from tavli_fast.rollouts.options import MAX_TRIALS, ROUND, UNFINISHED, Settings
from tavli_fast.rollouts.plan import Match, board_key, match
from tavli_fast.rollouts.result import sample_moments, trial_values
from tavli_fast.rules.presets import Rules, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["RankedPlay", "RankedPlays", "rank_plays"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RankedPlay:
    """A play and what its rollout says, as the player who makes it has it.

    Attributes:
        play: the play.
        equity: mean points a game.
        std_error: its standard error (NaN for fewer than two games).
        difference: `equity` less that of the best play: 0 or less.
        difference_error: the standard error of `difference`, from the trials' pairs: all plays
            have the same dice, so it is less than that of independent rollouts (NaN for the best).
        outcomes: the probabilities to win 1 point or more, 2 or more, 3, to lose 2 or more, 3, and
            of a draw.
        outcome_errors: their standard errors.
    """

    play: Play
    equity: float
    std_error: float
    difference: float
    difference_error: float
    outcomes: tuple[float, ...]
    outcome_errors: tuple[float, ...]


@dataclass(frozen=True)
class RankedPlays:
    """The plays of a roll, the best first: a sequence of `RankedPlay`.

    Attributes:
        board: ``int8[2, 26]``, the position.
        dice: the roll.
        plays: the ranking.
        trials: games for each play.
        plies: plies played in all games of all plays together.
        unfinished: trials left out, since at least one play's game came to no end.
        rules, policy, settings, seed, first_trial, version: what it takes to repeat it.
    """

    board: Int8Array
    dice: tuple[int, int]
    plays: tuple[RankedPlay, ...]
    trials: int
    plies: int
    unfinished: int
    rules: Rules
    policy: str
    settings: Settings
    seed: int
    first_trial: int
    version: str

    def __len__(self) -> int:
        """Return the number of plays."""
        return len(self.plays)

    def __iter__(self) -> Iterator[RankedPlay]:
        """Iterate over the plays, the best first."""
        return iter(self.plays)

    @overload
    def __getitem__(self, index: int) -> RankedPlay: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RankedPlay, ...]: ...
    def __getitem__(self, index: int | slice) -> RankedPlay | tuple[RankedPlay, ...]:
        """Return a play by its rank, from 0, or several."""
        return self.plays[index]

    def __repr__(self) -> str:
        """Show the ranking as a table."""
        settings = str(self.settings)
        usual = f", {settings}" if settings else ""
        lines = [
            f"<RankedPlays: {self.dice[0]}-{self.dice[1]}, rules {rules_name(self.rules)}, policy "
            f"{self.policy}, {self.trials} trials, seed {self.seed}{usual}",
            "    equity  std error  difference  its error    win   win2+  win3   lose2+ lose3",
        ]
        for each in self.plays:
            win, win2, win3, lose2, lose3 = each.outcomes[:5]
            lines.append(
                f"  {each.equity:+8.4f} {each.std_error:10.4f} {each.difference:+11.4f} "
                f"{each.difference_error:10.4f} {win:6.3f} {win2:6.3f} {win3:6.3f} {lose2:6.3f} "
                f"{lose3:6.3f}  {each.play}"
            )
        return "\n".join(lines) + ">"


def rank_plays(
    board: Any,
    dice: Any,
    rules: Rules | str = "portes",
    policy: Any = "random",
    trials: int = 1296,
    seed: int | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    max_plies: int = MAX_PLIES,
    progress: Callable[[int, int], object] | None = None,
    *,
    candidates: int | None = None,
    truncate: int | None = None,
    variance_reduction: bool = False,
    evaluator: Any = None,
    stratified: bool = False,
    first_trial: int = 0,
    stop_error: float | None = None,
    stop_jsd: float | None = None,
    interim: Callable[[RankedPlays], object] | None = None,
) -> RankedPlays:
    """Roll out each play of a roll with the same dice, and rank them by equity.

    Args:
        board: integers ``[2, 26]``, the player on roll first.
        dice: his roll.
        rules: a `Rules` or the name of a preset.
        policy: how both sides go on, or a pair of policies, the first for the player on roll; as in
            `rollout`.
        trials: games for each play.
        seed: as in `rollout`, like `threads`, `executor`, `max_plies`, `progress`, `truncate`,
            `variance_reduction`, `evaluator`, `stratified` and `first_trial`.
        threads: how many threads work.
        executor: who works instead of threads.
        max_plies: where a game is cut and its trial left out.
        progress: called as ``progress(done, total)`` with games.
        candidates: roll out only so many plays, those that the policy itself values most; None for
            all. It takes an evaluator for a policy.
        truncate: plies after which a game is cut and judged.
        variance_reduction: whether to subtract the luck of the dice.
        evaluator: who judges; None for the first policy.
        stratified: whether successive trials share out their first three rolls.
        first_trial: where in the seed's trials to begin.
        stop_error: stop when, after a multiple of 1,280 trials, the standard errors of all equities
            are no larger than this.
        stop_jsd: stop when the best play leads every other by this many standard errors of their
            difference (the joint standard deviation).
        interim: called with the ranking so far after every 1,280 trials of each play.

    Returns:
        The `RankedPlays`. Where no move is legal, its one play is the empty one.

    Raises:
        BoardError: a board that cannot be a position.
        EvaluatorError: a callable has failed, or has returned what is no evaluation.
        ValueError: the game is over, or another bad argument.
    """
    rules = resolve_rules(rules)
    board = one_board(board, rules)
    roll = one_pair(dice)
    if _core.batch.outcomes(board[np.newaxis], rules)[0][0]:
        raise ValueError("board: the game is over, expected a position with plays to rank")
    mine = match(
        rules,
        policy,
        evaluator,
        truncate,
        variance_reduction,
        stratified,
        False,
        True,
        max_plies,
    )
    trials = whole_number(trials, "trials", 1, MAX_TRIALS)
    first = whole_number(first_trial, "first_trial", 0, MAX_TRIALS)
    entropy = seed_entropy(seed)
    check_workers(executor, progress)
    stop_error = None if stop_error is None else positive_number(stop_error, "stop_error")
    stop_jsd = None if stop_jsd is None else positive_number(stop_jsd, "stop_jsd")
    if interim is not None and not callable(interim):
        raise ValueError(f"interim={shown(interim)}: expected a callable or None")
    plays = tuple(legal_plays(board, roll, rules)) or (Play((), board),)
    if candidates is not None:
        most = whole_number(candidates, "candidates", 1)
        plays = _likely(plays, mine.players[0], rules, most)
    pool_size = workers(threads)
    # Each play's game goes on with the opponent on roll.
    plan = mine.turned()
    sums = _Pairs(plays, rules)
    total = len(sums.running) * trials
    rounds = stop_error is not None or stop_jsd is not None or interim is not None
    stop = np.zeros(1, np.uint8) if executor is None else None
    key = board_key(entropy, 0, True)
    done = 0

    def take(task: tuple[Any, ...], found: npt.NDArray[np.float64]) -> None:
        nonlocal done
        sums.take(found)
        done += found.shape[0] * found.shape[1]
        if progress is not None:
            progress(done, total)

    def ranking() -> RankedPlays:
        ranked = sums.ranked()
        return RankedPlays(
            board,
            roll,
            ranked,
            sums.trials,
            sums.plies,
            sums.trials - sums.games,
            rules,
            mine.name,
            mine.settings,
            entropy,
            first,
            version(),
        )

    if not total:  # each play ends the game
        sums.trials = sums.games = trials
    with executor_of(executor, pool_size, total) as pool:
        at, end = first, first + trials
        while total and at < end:
            upto = min(end, at + ROUND) if rounds else end
            tasks = (
                (plan, sums.boards, key, start, min(plan.piece, upto - start), stop)
                for start in range(at, upto, plan.piece)
            )
            in_order(pool, play_all, tasks, take, stop)
            at = upto
            if interim is not None:
                interim(ranking())
            if _enough(sums, stop_error, stop_jsd):
                break
    return ranking()


def play_all(
    plan: Match,
    boards: Int8Array,
    key: npt.NDArray[np.uint64],
    first: int,
    trials: int,
    stop: npt.NDArray[np.uint8] | None,
) -> npt.NDArray[np.float64]:
    """Play the same trials of all boards; return ``float64[len(boards), trials, 8]``."""
    if stop is None:
        stop = np.zeros(1, np.uint8)
    return np.stack([plan.play(board, key, first, trials, stop) for board in boards])


class _Pairs:
    """The sums of a ranking under way: each play's moments, and the products of pairs."""

    def __init__(self, plays: tuple[Play, ...], rules: Rules) -> None:
        """Begin with nothing."""
        self.plays = plays
        boards = np.stack([play.board for play in plays])
        over, points = _core.batch.outcomes(boards, rules)
        self.running = np.flatnonzero(~over)
        self.boards = flip(boards)[self.running]
        self.trials = self.games = self.plies = 0
        count = len(plays)
        self.means = np.zeros((count, 7))
        self.squares = np.zeros((count, 7))
        self.products = np.zeros((count, count))
        self.exact = np.array([_of_points(int(each)) for each in points])

    def take(self, found: Floats) -> None:
        """Add trials ``[running plays, trials, 8]``, as the opponent has them."""
        finished = (found[:, :, 7] != UNFINISHED).all(axis=0)
        self.trials += found.shape[1]
        self.plies += int(found[:, :, 6].sum())
        n, m = self.games, int(finished.sum())
        if not m:
            return
        values = np.repeat(self.exact[:, np.newaxis], m, axis=1)
        for place, rows in zip(self.running.tolist(), found[:, finished], strict=True):
            values[place] = trial_values(_turned(rows[:, :8]))
        share = m / (n + m)
        equities = values[:, :, 6]
        off_centre = equities - equities.mean(axis=1, keepdims=True)
        shift = equities.mean(axis=1) - self.means[:, 6]
        self.products += off_centre @ off_centre.T + np.outer(shift, shift) * n * share
        for place in range(len(self.plays)):
            mean, square = sample_moments(values[place])[0]
            off = mean - self.means[place]
            self.means[place] += off * share
            self.squares[place] += square + off**2 * n * share
        self.games += m

    def ranked(self) -> tuple[RankedPlay, ...]:
        """Return the plays, the best first, the first of equals before the others."""
        means = self.means if len(self.running) else self.exact
        if not self.games:
            means = np.full_like(means, np.nan)
        order = np.argsort(-means[:, 6], kind="stable")
        best = int(order[0])
        errors = self._errors(self.squares)
        differences = self._errors(self.variances(best))
        return tuple(
            RankedPlay(
                self.plays[place],
                float(means[place, 6]),
                float(errors[place, 6]),
                float(means[place, 6] - means[best, 6]),
                float("nan") if place == best else float(differences[place]),
                tuple(map(float, means[place, :6])),
                tuple(map(float, errors[place, :6])),
            )
            for place in order
        )

    def variances(self, best: int) -> Floats:
        """Return, for each play, the squared deviations of its difference from `best`'s equity."""
        own = np.diag(self.products)
        off: Floats = np.maximum(own + own[best] - 2 * self.products[best], 0)
        return off

    def _errors(self, squares: Floats) -> Floats:
        """Return standard errors of means from sums of squared deviations."""
        if self.games < 2:
            return np.full_like(squares, np.nan)
        found: Floats = np.sqrt(squares / (self.games - 1) / self.games)
        return found


def _enough(sums: _Pairs, stop_error: float | None, stop_jsd: float | None) -> bool:
    """Return whether a ranking may stop."""
    plays = sums.ranked()
    if stop_error is not None and all(each.std_error <= stop_error for each in plays):
        return True
    return stop_jsd is not None and all(
        -each.difference >= stop_jsd * each.difference_error for each in plays[1:]
    )


def _likely(plays: tuple[Play, ...], who: Player, rules: Rules, most: int) -> tuple[Play, ...]:
    """Return the plays that a player's evaluator values most, the best first."""
    if who.at_random:
        raise ValueError(
            f"candidates={most}: expected None, or an evaluator for a policy, as random play has "
            "no favourites"
        )
    equities = afterstate_equities(np.stack([play.board for play in plays]), who, rules)
    order = np.argsort(-equities, kind="stable")[:most]
    return tuple(plays[place] for place in order)


def _turned(rows: Floats) -> Floats:
    """Return trials as the other player has them, as far as their outcomes go."""
    turned = rows.copy()
    turned[:, 0] = 1 - rows[:, 0] - rows[:, 5]
    turned[:, 1:3] = rows[:, 3:5]
    turned[:, 3:5] = rows[:, 1:3]
    return turned


_BOUNDS: Final = (1, 2, 3)


def _of_points(points: int) -> list[float]:
    """Return the six outcomes and the equity of a game that is over."""
    wins = [float(points >= bound) for bound in _BOUNDS]
    losses = [float(points <= -bound) for bound in _BOUNDS[1:]]
    return [*wins, *losses, float(points == 0), float(points)]
