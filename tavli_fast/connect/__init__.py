"""Connections to other programs: GNU Backgammon, UBGI, FIBS, and HTTP.

One `Engine` decides in a `Situation`; each connector only translates. May import `play` and what
lies below it. The command line calls it.
"""

from tavli_fast.connect.engine import LEVELS, Engine
from tavli_fast.connect.gnubg import Gnubg
from tavli_fast.connect.situation import Action, Situation

__all__ = ["LEVELS", "Action", "Engine", "Gnubg", "Situation"]
