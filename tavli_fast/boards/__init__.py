"""Boards: making, checking and scoring them, a text for each, and all plays of a roll in batches.

May import `rules`, `_core` and `_common`. `notation`, `evaluation`, `play` and the command
line call it.
"""

from tavli_fast.boards.plays import afterstates, apply, count_plays, perft, plays
from tavli_fast.boards.positions import flip, outcomes, random_boards, start, validate
from tavli_fast.boards.tfid import from_tfid, tfid

__all__ = [
    "afterstates",
    "apply",
    "count_plays",
    "flip",
    "from_tfid",
    "outcomes",
    "perft",
    "plays",
    "random_boards",
    "start",
    "tfid",
    "validate",
]
