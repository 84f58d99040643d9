"""Options of what judges decisions: how far to look ahead, and by whom."""

from __future__ import annotations

from typing import Any, Literal

import click

from tavli_fast.cli.options.policy import policy_option
from tavli_fast.cli.options.types import whole_number
from tavli_fast.evaluation.evaluate import MOST_PLIES

__all__ = ["judge_option", "plies_option"]


class _Plies(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number of plies, or ``rollout``."""

    name = "n"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Literal["rollout"]:
        """Return the number, or the word, or fail."""
        if isinstance(value, int):
            return value
        if value.strip().lower() == "rollout":
            return "rollout"
        number = whole_number(value)
        if number is None or number > MOST_PLIES:
            self.fail(f"{value!r}: expected 0 to {MOST_PLIES}, or rollout", param, ctx)
        return number


plies_option = click.option(
    "--plies",
    type=_Plies(),
    default=0,
    metavar="N|rollout",
    help="Look ahead so many plies, or roll out what is close.",
)
judge_option = policy_option("decisions are judged")
