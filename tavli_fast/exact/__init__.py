"""Exact values: bear-off tables of one side and of two, and games of few checkers solved whole.

May import `rules`, `_core` and `_common`. `evaluation`, `cube` and the command line call it.
"""
