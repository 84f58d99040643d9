"""The command ``ubgi``: the engine for user interfaces that speak UBGI."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

import click

from tavli_fast.cli.options.policy import read_policy
from tavli_fast.connect.ubgi import UbgiEngine, talk
from tavli_fast.rules.presets import BACKGAMMON

__all__ = ["ubgi"]


@click.command(short_help="Be a UBGI engine, on standard input and output.")
@click.option(
    "--policy",
    metavar="NAME|FILE",
    default="net",
    help="Who plays: 'net' (the net that comes with each game), or an .npz file of weights.",
)
def ubgi(policy: str) -> None:
    """Be an engine of UBGI, the Universal Backgammon Interface, for a user interface to start.

    The level, the game and all else are set by the user interface; 'keys' lists what there is.
    """
    evaluator = "net" if policy == "net" else read_policy(policy, BACKGAMMON, "--policy")
    lock = threading.Lock()

    def send(line: str) -> None:
        with (
            lock,
            suppress(BrokenPipeError),
        ):  # the user interface has gone: its end of input follows
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    # A stream of its own: at its end Python closes sys.stdin, which a thread may still be reading.
    stream = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    talk(UbgiEngine(evaluator, send), stream)  # type: ignore[arg-type]
