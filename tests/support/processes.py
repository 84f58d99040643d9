"""Children of the tests that Ctrl-C is to reach."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

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
    (match, "play_tables"),
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
