"""The plays of a roll as a ranking has them: equities, differences and their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

from tavli_fast._common.arguments import Int8Array
from tavli_fast._common.tables import html_table, outcome_row
from tavli_fast.cube.setting import CubeSetting
from tavli_fast.notation.play import Play
from tavli_fast.notation.view import view
from tavli_fast.rollouts.options import Settings
from tavli_fast.rollouts.result import FEW, FEW_TRIALS
from tavli_fast.rules.presets import Rules
from tavli_fast.rules.text import rules_name

__all__ = ["RankedPlay", "RankedPlays"]


@dataclass(frozen=True)
class RankedPlay:
    """A play and the results of its rollout, seen by the player who makes it.

    Attributes:
        play: the play.
        equity: mean points per game; with a cube, the value with it in units of the stake, if the
            opponent then doubles or not, whichever is better for the opponent.
        std_error: the standard error of `equity` (NaN for fewer than two games).
        difference: `equity` minus that of the best play: 0 or less.
        difference_error: the standard error of `difference`, from the trials in pairs: all plays
            have the same dice, so it is smaller than for independent rollouts (NaN for the best
            play).
        outcomes: the probabilities of winning 1 point or more, 2 or more, 3, of losing 2 or more,
            3, and of a draw.
        outcome_errors: their standard errors.
        cubeless: mean points per game without a cube; `equity` itself if none was followed.
    """

    play: Play
    equity: float
    std_error: float
    difference: float
    difference_error: float
    outcomes: tuple[float, ...]
    outcome_errors: tuple[float, ...]
    cubeless: float


@dataclass(frozen=True)
class RankedPlays:
    """The plays of a roll, the best first: a sequence of `RankedPlay`.

    Attributes:
        board: ``int8[2, 26]``, the position.
        dice: the roll.
        plays: the ranking.
        trials: games for each play.
        plies: plies played in all games of all plays together.
        unfinished: trials left out because a game of at least one play did not end.
        rules, policy, settings, seed, first_trial, version: what is needed to repeat the ranking.
        legal: how many plays are legal; those that are not in `plays` were not rolled out.
        cube: the cube and the score at which the plays were ranked; None without them.
        stopped: whether it stopped early, because the best play was clear or the errors small
            enough.
        partial: whether it was interrupted: fewer trials than asked for.
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
    legal: int
    cube: CubeSetting | None
    stopped: bool
    partial: bool

    @property
    def method(self) -> str:
        """One line that says how the plays were ranked."""
        settings = str(self.settings)
        parts = [
            f"{len(self)} of {self.legal} plays",
            f"{self.trials} trials each" + (", stopped early" if self.stopped else ""),
            f"policy {self.policy}",
            settings or "played to the end",
        ]
        if self.few_trials:
            parts.append(FEW)
        if self.partial:
            parts.append("partial: interrupted")
        return "; ".join(parts)

    @property
    def few_trials(self) -> bool:
        """Whether there are too few trials to trust the standard errors: see
        `RolloutResult.few_trials`."""
        return self.settings.variance_reduction and self.trials < FEW_TRIALS

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a flat row for each play, for a table of pandas or polars; a play is its text."""
        return [
            {
                "rank": rank,
                "play": str(each.play),
                "equity": each.equity,
                "std_error": each.std_error,
                "difference": each.difference,
                "difference_error": each.difference_error,
                **outcome_row(each.outcomes),
                "cubeless": each.cubeless,
            }
            for rank, each in enumerate(self.plays, 1)
        ]

    def _repr_html_(self) -> str:
        """Return the board with the best play, and the ranking, for a notebook."""
        best = self.plays[0].play if self.plays else ()
        picture = view(self.board, self.rules, dice=self.dice, play=best).svg()
        return picture + html_table(self.to_dicts(), self.method)

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
        """Show the ranking as a table, and in its last line how it came about."""
        lines = [
            f"<RankedPlays: {self.dice[0]}-{self.dice[1]}, rules {rules_name(self.rules)}, "
            f"seed {self.seed}",
            "    equity  std error  difference  its error    win   win2+  win3   lose2+ lose3",
        ]
        for each in self.plays:
            win, win2, win3, lose2, lose3 = each.outcomes[:5]
            lines.append(
                f"  {each.equity:+8.4f} {each.std_error:10.4f} {each.difference:+11.4f} "
                f"{each.difference_error:10.4f} {win:6.3f} {win2:6.3f} {win3:6.3f} {lose2:6.3f} "
                f"{lose3:6.3f}  {each.play}"
            )
        return "\n".join([*lines, f"  {self.method}"]) + ">"
