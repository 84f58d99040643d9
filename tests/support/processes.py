"""The program in a process of its own: one that Ctrl-C is to reach, or one in a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

COMMAND = (sys.executable, "-m", "tavli_fast")

ANNOUNCING = """
import sys
from tavli_fast.__main__ import main
from tavli_fast.cli.commands import match, rollout, train

def announcing(call):
    def announce(*args, **kwargs):
        print("begun", file=sys.stderr, flush=True)
        return call(*args, **kwargs)
    return announce

for where, name in (
    (match, "arena"),
    (rollout, "roll_out"),
    (rollout, "rank"),
    (train.Trainer, "run"),
):
    setattr(where, name, announcing(getattr(where, name)))
sys.exit(main())
"""
"""The program, which says when the games begin: a busy machine may take long to get there."""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let a child hear SIGINT, even if the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def in_a_terminal(*args: str, **environment: str) -> tuple[int, str]:
    """Return the exit code of a call in a terminal, and all that the terminal got."""
    import pty  # not on Windows

    master, slave = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**inherited, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8", **environment}
    with subprocess.Popen([*COMMAND, *args], stdout=slave, stderr=slave, env=environment) as child:
        os.close(slave)
        seen = b""
        try:
            while block := os.read(master, 65536):
                seen += block
        except OSError:  # Linux says so when the child has closed its end
            pass
        os.close(master)
    return child.returncode, seen.decode()
