"""The command line: rollouts, plays, perft and rules from a terminal; needs click and rich."""

from tavli_fast.cli.app import program, run

__all__ = ["program", "run"]
