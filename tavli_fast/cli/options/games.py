"""Options of everything that plays games: the seed, the threads, where a game is cut."""

from __future__ import annotations

import secrets
from typing import Final

import click

from tavli_fast._common.arguments import MAX_PLIES
from tavli_fast.cli.options.types import Whole

__all__ = ["fresh_seed", "max_plies_option", "seed_option", "threads_option"]

_SEED_BITS: Final = 53
"""Every reader of JSON keeps whole numbers of that size exact."""

seed_option = click.option(
    "--seed",
    type=Whole(0),
    help="The same seed repeats the same dice.",
    show_default="a fresh one, which is shown",
)
threads_option = click.option(
    "--threads", type=Whole(1, 1024), help="Threads at work.", show_default="all processors"
)
max_plies_option = click.option(
    "--max-plies",
    type=Whole(1, 2**62),
    default=MAX_PLIES,
    help="Give up a game after so many plies; it counts for nothing.",
)


def fresh_seed() -> int:
    """Draw a seed that nobody has chosen."""
    return secrets.randbits(_SEED_BITS)
