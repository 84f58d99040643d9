"""Checks of arguments, parallel work and the dice of sessions, used all over the package.

May import `rules` and `_core`. Every package above calls it.
"""
