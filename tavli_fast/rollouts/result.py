"""What a rollout has found: counts, equity and its error, results that add up."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array
from tavli_fast._common.tables import html_table, outcome_row
from tavli_fast._core.constants import TRIAL_VALUES
from tavli_fast.cube.setting import CubeSetting, ladder_of
from tavli_fast.evaluation.outcomes import EQUITY
from tavli_fast.notation.position_id import any_id
from tavli_fast.notation.view import view
from tavli_fast.rollouts.options import Settings
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["CubefulEquities", "RolloutResult", "Span"]

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]

POINTS: Final = np.arange(-3, 4)

_PICTURES: Final = 4
_ROWS: Final = 100
"""How many boards a notebook shows as pictures, and as rows of a table."""

FEW_TRIALS: Final = 1280
"""Below so many trials the standard error of luck-adjusted results is not to be trusted: see
`RolloutResult.few_trials`."""

FEW: Final = f"fewer than {FEW_TRIALS} trials: luck-adjusted errors may be too small"

Span = tuple[int, int, int]
"""The trials of a rollout: its seed, the first trial and the one after the last."""


@dataclass(frozen=True, eq=False)
class RolloutResult:
    """The results of the trials of a batch of boards, seen by each board's player on roll.

    "On roll" means before the dice are rolled. Two results of the same boards, rules, policies and
    settings, with different seeds or different trials of one seed, can be added: ``a + b``, or
    ``sum(results)``. The arrays are read-only.

    Attributes:
        boards: ``int8[N, 2, 26]``, the boards rolled out.
        counts: ``int64[N, 7]``, games that ended at -3, -2, -1, 0, +1, +2, +3 points for the player
            on roll, in this order.
        trials: ``int64[N]``, games begun; each is in `counts`, `truncated` or `unfinished`.
        plies: ``int64[N]``, plies played in all those games together, dances included.
        unfinished: ``int64[N]``, games cut at ``max_plies``, or where a cascade of doubles had too
            many plays to choose from. They have no result and no part in `equity`.
        truncated: ``int64[N]``, games cut and evaluated.
        rules: the rules played.
        policy: the policy of both sides, or the two policies, by name.
        spans: ``(seed, first, end)`` of the trials in this result; for each seed, `rollout` repeats
            them with ``seed=``, ``first_trial=`` and ``trials=``.
        settings: how the trials were played.
        version: the version of the package that played them.
        cube: the cube and the score; None without a cube.
        partial: whether the rollout was interrupted: fewer trials than asked for.
        seeds: the seeds in `spans`.
        outcomes: ``float64[N, 6]``: the mean probabilities of winning 1 point or more, 2 or more,
            3, of losing 2 or more, 3, and of a draw. With variance reduction they are estimates,
            and may stray slightly outside 0..1.
        outcome_errors: ``float64[N, 6]``, their standard errors.
        probabilities: ``float64[N, 7]``, of each number of points from -3 to +3: `counts` over
            `trials`, or from `outcomes` where results are estimates.
        cubeful: the equities with the cube, a `CubefulEquities`; None without one.
        equity: ``float64[N]``, mean points per game for the player on roll.
        std_error: ``float64[N]``, the standard error of `equity`.
    """

    boards: Int8Array
    counts: Counts
    trials: Counts
    plies: Counts
    unfinished: Counts
    truncated: Counts
    moments: Floats = field(repr=False)
    """``float64[N, 2, 7]``, or 11 with a cube: of the six outcomes, the equity and the four worths
    with the cube, the mean and the sum of the squared differences from it; zeros for plain random
    play, where `counts` says it all."""
    rules: Rules
    policy: str
    spans: tuple[Span, ...]
    settings: Settings
    version: str
    cube: CubeSetting | None = None
    """The cube at the root; None without one."""
    partial: bool = False
    """Whether the rollout was interrupted: fewer trials than were asked for."""

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for name in _ARRAYS:
            getattr(self, name).flags.writeable = False

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the rollouts added up here."""
        return tuple(dict.fromkeys(seed for seed, _, _ in self.spans))

    @property
    def probabilities(self) -> Floats:
        """``float64[N, 7]``: of each number of points from -3 to +3. Unfinished games are missing
        from the sum."""
        if self.settings.exact:
            with np.errstate(divide="ignore", invalid="ignore"):
                shares: Floats = self.counts / self.trials[:, np.newaxis]
            return shares
        win, win2, win3, lose2, lose3, draw = self.outcomes.T
        lose = 1 - win - draw
        return np.stack(
            [lose3, lose2 - lose3, lose - lose2, draw, win - win2, win2 - win3, win3], axis=1
        )

    @property
    def outcomes(self) -> Floats:
        """``float64[N, 6]``: the probabilities of the outcomes over the judged games."""
        return self._judged()[0][:, :EQUITY]

    @property
    def outcome_errors(self) -> Floats:
        """``float64[N, 6]``: the standard errors of `outcomes`."""
        return self._judged()[1][:, :EQUITY]

    @property
    def equity(self) -> Floats:
        """``float64[N]``: mean points a judged game for the player on roll (NaN if there is
        none)."""
        return self._judged()[0][:, EQUITY]

    @property
    def std_error(self) -> Floats:
        """``float64[N]``: the standard error of `equity`, from the sample's own variance (NaN for
        fewer than two judged games)."""
        return self._judged()[1][:, EQUITY]

    @property
    def few_trials(self) -> bool:
        """Whether some board has too few trials for its standard error to be trusted: with variance
        reduction, fewer than 1,280.

        Subtracting the luck of the dice leaves most trials close together and a few, in which the
        evaluator was far off, far out. A small sample often contains none of those, so its own
        variance does not show them. Measured (docs/rollouts.md): with 32 trials the error can be
        250 times too small, with 128 by a factor of 2.5, with 1,280 by no more than 15 %.
        """
        return self.settings.variance_reduction and bool((self.trials < FEW_TRIALS).any())

    def _judged(self) -> tuple[Floats, Floats]:
        """Return the means of the six outcomes and the equity, and their standard errors."""
        games = (self.trials - self.unfinished)[:, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.settings.exact:
                means = self.counts @ _VALUES / games
                # From sums of integers: a difference of large squares would lose what it measures.
                off = (_VALUES[np.newaxis] - means[:, np.newaxis]) ** 2
                squares = (self.counts[:, :, np.newaxis] * off).sum(axis=1)
            else:
                means, squares = self.moments[:, 0, :7].copy(), self.moments[:, 1, :7]
        return _with_errors(means, squares, games)

    @property
    def cubeful(self) -> CubefulEquities | None:
        """The equities with the cube, and their standard errors; None without one."""
        if self.cube is None:
            return None
        games = (self.trials - self.unfinished)[:, np.newaxis]
        worths, errors = _with_errors(self.moments[:, 0, 7:].copy(), self.moments[:, 1, 7:], games)
        level, unit = self._worths()
        may = ladder_of(self.cube).mine[0]
        if not may:
            worths[:, 3] = errors[:, 3] = np.nan
        equities, errors = ((worths - level) / unit).T, (errors / unit).T
        names = CubefulEquities._fields
        found = dict(zip(names[:4], equities, strict=True))
        found |= dict(zip(names[4:8], errors, strict=True))
        return CubefulEquities(**found, may_double=may and self.cube.owner != "opponent")

    def match_chance(self, equity: npt.ArrayLike) -> Floats:
        """Convert equities of `cubeful` to chances of winning the match.

        Args:
            equity: an equity, or an array of them.

        Returns:
            ``float64`` of the same shape.

        Raises:
            ValueError: the rollout had no cube, or was for money.
        """
        if self.cube is None or self.cube.away is None:
            raise ValueError("these equities are not of a match: expected a rollout at a score")
        level, unit = self._worths()
        return (1 + level) / 2 + unit / 2 * np.asarray(equity, np.float64)

    def _worths(self) -> tuple[float, float]:
        """Return the worth at equity 0, and what one unit of equity adds."""
        assert self.cube is not None
        ladder = ladder_of(self.cube)
        lost, won = ladder.single(0, -1), ladder.single(0, 1)
        return (won + lost) / 2, (won - lost) / 2

    def __len__(self) -> int:
        """Return the number of boards."""
        return len(self.boards)

    def __add__(self, other: RolloutResult) -> RolloutResult:
        """Add up two results of the same boards, rules, policies and settings.

        Raises:
            ValueError: any of those differs, or both hold the same trials of one seed, which would
                count the same games twice.
        """
        if not isinstance(other, RolloutResult):
            return NotImplemented
        for name in ("rules", "policy", "settings", "version", "cube"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine != theirs:
                if isinstance(mine, Rules):
                    mine, theirs = rules_name(mine), rules_name(theirs)
                raise ValueError(
                    f"cannot add results of {name} {mine or 'as usual'} and {theirs or 'as usual'}"
                )
        if not np.array_equal(self.boards, other.boards):
            raise ValueError("cannot add results of different boards")
        for seed, first, end in self.spans:
            for its_seed, its_first, its_end in other.spans:
                if seed == its_seed and first < its_end and its_first < end:
                    raise ValueError(
                        f"cannot add two results of seed {seed}: they hold the same games, from "
                        f"trial {max(first, its_first)} on"
                    )
        sums: dict[str, Any] = {name: getattr(self, name) + getattr(other, name) for name in _SUMS}
        n, m = self.trials - self.unfinished, other.trials - other.unfinished
        sums["moments"] = merged(self.moments, n, other.moments, m)
        partial = self.partial or other.partial
        return replace(self, **sums, spans=self.spans + other.spans, partial=partial)

    def __radd__(self, other: object) -> RolloutResult:
        """Let ``sum`` begin with its 0."""
        return self if other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Return whether two results are the same: boards, games, settings and seeds."""
        if not isinstance(other, RolloutResult):
            return NotImplemented
        names = {each.name for each in fields(self)} - set(_ARRAYS)
        return all(getattr(self, name) == getattr(other, name) for name in names) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in _ARRAYS
        )

    __hash__ = None  # type: ignore[assignment]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row for each board, for a table of pandas or polars."""
        cubeful = self.cubeful
        return [
            {
                "board": place,
                "position": any_id(board, self.rules),
                "trials": int(self.trials[place]),
                "equity": float(self.equity[place]),
                "std_error": float(self.std_error[place]),
                **outcome_row(self.outcomes[place]),
            }
            | (
                {}
                if cubeful is None
                else {
                    name: float(getattr(cubeful, name)[place])
                    for name in ("centred", "owned", "opponents", "double_take")
                }
            )
            for place, board in enumerate(self.boards)
        ]

    def _repr_html_(self) -> str:
        """Return the boards, if they are few, and a table, for a notebook."""
        pictures = "".join(view(board, self.rules).svg() for board in self.boards[:_PICTURES])
        rows = self.to_dicts()
        told = f"rules {rules_name(self.rules)}, policy {self.policy}, {self.settings}"
        more = f", … {len(rows) - _ROWS} more boards" if len(rows) > _ROWS else ""
        partial = ", partial: interrupted" if self.partial else ""
        picture = pictures if len(self) <= _PICTURES else ""
        return picture + html_table(rows[:_ROWS], f"{told}{more}{partial}")

    def __repr__(self) -> str:
        """Show the result as a table, a line for each of the first boards."""
        usual = str(self.settings)
        lines = [
            f"<RolloutResult: {len(self)} board{'s' * (len(self) != 1)}, "
            f"rules {rules_name(self.rules)}, policy {self.policy}, "
            f"seed {', '.join(map(str, self.seeds))}" + (f", {usual}" if usual else ""),
            "  board    equity  std error    win   win2+  win3   lose2+ lose3     trials",
        ]
        equity, error, shares = self.equity, self.std_error, self.probabilities
        for i in range(min(len(self), 10)):
            p = shares[i]
            lines.append(
                f"  {i:5d} {equity[i]:+9.4f} {error[i]:10.4f} {p[4:].sum():6.3f} "
                f"{p[5:].sum():6.3f} {p[6]:6.3f} {p[:2].sum():6.3f} {p[0]:6.3f} "
                f"{self.trials[i]:10d}"
            )
        if len(self) > 10:
            lines.append(f"  … and {len(self) - 10} more")
        cut = int(self.unfinished.sum())
        if cut:
            lines.append(f"  {cut} games were cut: no part in equity")
        if self.few_trials:
            lines.append(f"  {FEW}")
        if self.partial:
            lines.append("  partial: the rollout was interrupted")
        return "\n".join(lines) + ">"


class CubefulEquities(NamedTuple):
    """Equities with the cube, in units of the stake at the root, each ``float64[N]``.

    The plays are those of the game without a cube. Before each roll except the first, the player on
    roll may double, and both sides decide as `cube_equities` does, by the evaluator's estimates. In
    a match, +1 and -1 are the values of winning and losing a single game (`CubeEquities`).
    """

    centred: Floats
    """With the cube in the middle, the roll coming first."""
    owned: Floats
    """With the player's own cube, the roll coming first."""
    opponents: Floats
    """With the opponent's cube."""
    double_take: Floats
    """After a double that is taken; NaN if the player may not double. A double that is passed is
    worth 1."""
    centred_error: Floats
    """The standard error of `centred`."""
    owned_error: Floats
    """That of `owned`."""
    opponents_error: Floats
    """That of `opponents`."""
    double_take_error: Floats
    """That of `double_take`."""
    may_double: bool
    """Whether the player may double at the root."""


def _with_errors(means: Floats, squares: Floats, games: Counts) -> tuple[Floats, Floats]:
    """Return means and their standard errors, NaN where there are too few games."""
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = np.sqrt(squares / (games - 1) / games)
    means[games[:, 0] < 1] = np.nan
    errors[games[:, 0] < 2] = np.nan
    return means, errors


_SUMS: Final = ("counts", "trials", "plies", "unfinished", "truncated")
_ARRAYS: Final = ("boards", *_SUMS, "moments")

_VALUES: Final = np.stack(
    [POINTS >= 1, POINTS >= 2, POINTS >= 3, POINTS <= -2, POINTS <= -3, POINTS == 0, POINTS],
    axis=1,
).astype(np.int64)
"""``int64[7, 7]``: the six outcomes and the equity of a game ended at each number of points."""


def merged(one: Floats, n: Counts, other: Floats, m: Counts) -> Floats:
    """Return the moments of two samples of ``n`` and ``m`` games together (Chan et al., 1979)."""
    total = np.maximum(n + m, 1)[:, np.newaxis]
    share = m[:, np.newaxis] / total
    off = other[:, 0] - one[:, 0]
    result = np.empty_like(one)
    result[:, 0] = one[:, 0] + off * share
    result[:, 1] = one[:, 1] + other[:, 1] + off**2 * n[:, np.newaxis] * share
    return result


def trial_values(trials: Floats) -> Floats:
    """Return ``float64[M, 7]``: the six outcomes and the equity of trials as `Match.play` has
    them; and what follows their eighth column, the worths with a cube."""
    win, draw = trials[:, 0], trials[:, 5]
    equity = trials[:, :3].sum(axis=1) - (1 - win - draw) - trials[:, 3] - trials[:, 4]
    return np.concatenate(
        [trials[:, :EQUITY], equity[:, np.newaxis], trials[:, TRIAL_VALUES:]], axis=1
    )


def sample_moments(values: Floats) -> Floats:
    """Return ``float64[1, 2, K]``: the means of a sample ``[M, K]`` and the sums of squares."""
    moments = np.zeros((1, 2, values.shape[1]))
    if len(values):
        moments[0, 0] = values.mean(axis=0)
        moments[0, 1] = ((values - moments[0, 0]) ** 2).sum(axis=0)
    return moments
