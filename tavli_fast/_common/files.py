"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

from tavli_fast._common.arguments import file_path, shown


@contextmanager
def replacing(name: str) -> Iterator[BinaryIO]:
    """Open a file for writing that is there as a whole in the end, or not at all: what it replaces
    is kept until then. A device, or a file in a folder that takes no other, is written in place."""
    name = os.path.realpath(name)  # what a link leads to, not the link
    beside = _new_beside(name)
    if beside is None:
        with open(name, "wb") as file:
            yield file
        return
    try:
        with open(beside, "wb") as file:
            yield file
        os.replace(beside, name)
    except BaseException:
        with suppress(OSError):
            os.remove(beside)
        raise


def _new_beside(name: str) -> str | None:
    """Make an empty file of a name that nobody has in the same folder; None if it cannot be, or
    may not replace what is there."""
    if os.path.exists(name) and not os.path.isfile(name):
        return None
    beside = os.path.join(os.path.dirname(name), f".tavli-{secrets.token_hex(8)}.part")
    try:
        os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError:
        return None
    with suppress(OSError):
        os.chmod(beside, stat.S_IMODE(os.stat(name).st_mode))
    return beside


def replaceable(path: Any, argument: str) -> str:
    """Return the path of a file to be written or replaced.

    Raises:
        ValueError: no path, or one of a device or a folder, which replacing would destroy.
    """
    name = file_path(path, argument)
    if os.path.exists(name) and not os.path.isfile(name):
        raise ValueError(f"{argument}={shown(path)}: expected a file, or the name of a new one")
    return name
