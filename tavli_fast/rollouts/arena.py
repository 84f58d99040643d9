"""Many games without a cube between two policies, each dice sequence played from both sides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array, shown, whole_number
from tavli_fast._common.version import version
from tavli_fast._core.constants import TRIAL_PLIES, TRIAL_POINTS, UNFINISHED
from tavli_fast.boards.positions import start
from tavli_fast.evaluation.evaluator import PolicyLike, player
from tavli_fast.rollouts.options import PlayOptions, Settings, Workload
from tavli_fast.rollouts.plan import Match, board_key, default_policy
from tavli_fast.rollouts.result import POINTS
from tavli_fast.rollouts.rounds import Stop, play_rounds
from tavli_fast.rules.presets import Rules, RulesLike, resolve_rules
from tavli_fast.rules.text import rules_name

__all__ = ["ArenaResult", "play_arena"]

_DEVIATIONS: Final = 1.959963984540054
"""Standard errors on either side that hold 95 in 100 cases."""


def interval(mean: float, error: float) -> tuple[float, float]:
    """Return the 95 % interval of a mean with that standard error."""
    return mean - _DEVIATIONS * error, mean + _DEVIATIONS * error


@dataclass(frozen=True, eq=False)
class ArenaResult:
    """The results of games between two policies, seen by the first of them.

    Attributes:
        first, second: the policies by name.
        rules: the rules played.
        counts: ``int64[2, 7]``, read-only: games that ended at -3 to +3 points for the first
            policy; in row 0 those that it began, in row 1 those that the second began.
        pairs: pairs of games in `counts`: two games with the same dice, each policy beginning one.
        unfinished: pairs left out because one of their games did not end.
        squares: the sum over the pairs of the square of the points of both games together.
        won_both: pairs of which the first policy won both games.
        plies: plies of the games in `counts`.
        opening: whether the first roll was not a double, as after an opening roll of one die each.
        max_plies: the number of plies after which a game was cut.
        seed: the seed of the dice.
        version: the version of the package that played them.
        partial: whether it was interrupted: fewer games than asked for.
    """

    first: str
    second: str
    rules: Rules
    counts: npt.NDArray[np.int64]
    pairs: int
    unfinished: int
    squares: int
    won_both: int
    plies: int
    opening: bool
    max_plies: int
    seed: int
    version: str
    partial: bool = False

    def __post_init__(self) -> None:
        """Make the array read-only."""
        self.counts.flags.writeable = False

    @property
    def games(self) -> int:
        """The games in `counts`: two of each pair."""
        return 2 * self.pairs

    @property
    def points(self) -> float:
        """The mean points a game of the first policy (NaN without a finished pair)."""
        return self._total / self.games if self.pairs else nan

    @property
    def std_error(self) -> float:
        """The standard error of `points`, from the pairs, as the games of one are not independent
        (NaN for fewer than two)."""
        return self._error(self._total, self.squares)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `points`."""
        return interval(self.points, self.std_error)

    @property
    def first_player(self) -> float:
        """The mean points a game of whoever began it."""
        if not self.pairs:
            return nan
        return float((self.counts[0] - self.counts[1]) @ POINTS) / self.games

    def won(self, points: int = 1) -> float:
        """Return the share of games that the first policy won by at least this many points.

        Args:
            points: 1, 2 or 3.
        """
        return self._share(points, 1)

    def lost(self, points: int = 1) -> float:
        """Return the share of games that the second policy won by at least this many points.

        Args:
            points: 1, 2 or 3.
        """
        return self._share(points, -1)

    @property
    def drawn(self) -> float:
        """The share of games that nobody won."""
        return int(self.counts[:, 3].sum()) / self.games if self.pairs else nan

    @property
    def won_error(self) -> float:
        """The standard error of ``won()``, from the pairs."""
        wins = int(self.counts[:, 4:].sum())
        return self._error(wins, wins + 2 * self.won_both)

    @property
    def _total(self) -> int:
        """The points of all games together."""
        return int(self.counts.sum(axis=0) @ POINTS)

    def _share(self, points: int, sign: int) -> float:
        """Return the share of games won by at least so many points, lost ones for a sign of -1."""
        if not self.pairs:
            return nan
        return int(self.counts[:, sign * POINTS >= points].sum()) / self.games

    def _error(self, total: int, squares: int) -> float:
        """Return the standard error of a mean over games, from the sums over pairs of a number and
        of its square (NaN for fewer than two)."""
        if self.pairs < 2:
            return nan
        # Of integers, however large: nothing is lost in the difference.
        spread = self.pairs * squares - total**2
        return sqrt(spread / (self.pairs - 1)) / (2 * self.pairs)

    def __eq__(self, other: object) -> bool:
        """Return whether the same games came to the same ends."""
        if not isinstance(other, ArenaResult):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return np.array_equal(self.counts, other.counts) and all(
            mine[name] == theirs[name] for name in mine if name != "counts"
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show points a game and their interval, and how they came about."""
        low, high = self.interval
        lines = [
            f"<ArenaResult: {self.first} against {self.second}, rules {rules_name(self.rules)}, "
            f"{self.games} games, seed {self.seed}",
            f"  points a game {self.points:+.4f} ± {self.std_error:.4f}, 95 % {low:+.4f} to "
            f"{high:+.4f}",
            f"  won {self.won():.2%} (2+ {self.won(2):.2%}, 3 {self.won(3):.2%}), lost "
            f"{self.lost():.2%} (2+ {self.lost(2):.2%}, 3 {self.lost(3):.2%})",
        ]
        if self.drawn:
            lines.append(f"  drawn {self.drawn:.2%}")
        if self.unfinished:
            lines.append(f"  {self.unfinished} pairs were cut: no part in it")
        if self.partial:
            lines.append("  partial: the games were interrupted")
        return "\n".join(lines) + ">"


def play_arena(
    first: PolicyLike,
    second: PolicyLike | None,
    rules: RulesLike | None,
    options: PlayOptions,
    load: Workload,
) -> ArenaResult:
    """Let two policies play pairs of games without a cube; see `tavli_fast.play.arena.arena`.

    Args:
        first: a policy.
        second: another; None for the net of the rules, or random play.
        rules: what is played; None for the policies' rules.
        options: whether the first roll is no double, and where a game is cut.
        load: how many pairs, and who plays them.

    Raises:
        EvaluatorError: a callable has failed, or has returned what is no evaluation.
        ValueError: another bad argument.
    """
    rules = resolve_rules(rules, first, second)
    if options.opening is not None and not isinstance(options.opening, bool | np.bool_):
        raise ValueError(f"opening={shown(options.opening)}: expected True, False or None")
    by_rules = rules.opening != "fresh_roll"
    settings = Settings(
        opening=by_rules if options.opening is None else bool(options.opening),
        same_dice=True,
        max_plies=whole_number(options.max_plies, "max_plies", 1, 2**62),
    )
    players = (
        player(first, rules, "first"),
        player(default_policy(rules) if second is None else second, rules, "second"),
    )
    plan = Match(rules, players, None, settings)
    load = plan.load(load)
    board, key = start(rules), board_key(load.entropy, 0, True)
    counts = np.zeros((2, 7), np.int64)
    played = pairs = squares = won_both = plies = 0

    def tasks(at: int, upto: int, stop: Stop) -> Iterator[tuple[Any, ...]]:
        # Half a piece: each pair is two games.
        size = plan.piece if not plan.compiled else plan.piece // 2
        for start_at in range(at, upto, size):
            yield plan, board, key, start_at, min(size, upto - start_at), stop

    def take(_task: tuple[Any, ...], found: npt.NDArray[np.int64]) -> int:
        nonlocal played, pairs, squares, won_both, plies
        count = found.shape[1]
        played += count
        found = found[:, (found[:, :, 0] != UNFINISHED).all(axis=0)]
        points = found[:, :, 0] * np.array([[1], [-1]])  # as the first policy has them
        for row, ended in zip(counts, points, strict=True):
            row += np.bincount(ended + 3, minlength=7)
        pairs += found.shape[1]
        squares += int((points.sum(axis=0) ** 2).sum())
        won_both += int((points > 0).all(axis=0).sum())
        plies += int(found[:, :, 1].sum())
        return int(2 * count)

    def result(partial: bool) -> ArenaResult:
        return ArenaResult(
            players[0].name,
            players[1].name,
            rules,
            counts.copy(),
            pairs,
            played - pairs,
            squares,
            won_both,
            plies,
            settings.opening,
            settings.max_plies,
            load.entropy,
            version(),
            partial,
        )

    found: ArenaResult = play_rounds(load, 2 * load.trials, play_pairs, tasks, take, result)
    return found


def play_pairs(
    plan: Match,
    board: Int8Array,
    key: npt.NDArray[np.uint64],
    first: int,
    pairs: int,
    stop: npt.NDArray[np.uint8] | None,
) -> npt.NDArray[np.int64]:
    """Play some pairs; return ``int64[2, pairs, 2]``: for the games that the first and that the
    second player began, the points of who began (or `UNFINISHED`) and the plies."""
    if stop is None:
        stop = np.zeros(1, np.uint8)
    rows = [each.play(board, key, first, pairs, stop) for each in (plan, plan.turned())]
    return np.stack(rows)[:, :, [TRIAL_POINTS, TRIAL_PLIES]].astype(np.int64)
