"""Arrays of boards: making, checking and scoring them, and all plays of a roll in batches.

May import `rules`, `_core` and `_common`. `notation`, `evaluation`, `play` and the command
line call it.
"""
