"""A real GNU Backgammon, if one is installed: run by commands, with what it writes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games") or ""

needs_gnubg = pytest.mark.skipif(not GNUBG, reason="GNU Backgammon is not installed")

QUIET = ("set automatic roll on", "set automatic game on", "set display off", "set confirm new off")


def run_gnubg(commands: Sequence[str], folder: Path, timeout: float = 3600) -> str:
    """Give GNU Backgammon commands, and return what it prints; it must end well."""
    found = subprocess.run(
        [GNUBG, "-t", "-q", "-r"],
        input="\n".join(commands) + "\n",
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
    )
    assert found.returncode == 0, found.stdout[-2000:] + found.stderr[-2000:]
    return found.stdout
