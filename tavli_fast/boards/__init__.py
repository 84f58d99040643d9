"""Boards: making, checking and scoring them, a text for each, and all plays of a roll in batches.

May import `rules`, `_core` and `_common`. `notation`, `evaluation`, `play` and the command
line call it.
"""
