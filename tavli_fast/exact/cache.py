"""Tables kept in the user's cache folder, so that they are computed once on a machine."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import numpy as np
import numpy.typing as npt

from tavli_fast._common.files import replacing

__all__ = ["VARIABLE", "cache_folder", "cached"]

VARIABLE: Final = "TAVLI_FAST_CACHE"
"""The environment variable that names another folder; empty for none."""

_MAGIC: Final = b"tavli_fast table 1\n"

_said: set[str] = set()
"""What this process has complained of."""


def cache_folder() -> Path | None:
    """Return the folder for tables, which need not exist; None if there is to be none.

    It is what the environment variable TAVLI_FAST_CACHE names, else the user's folder for caches by
    the custom of the system.
    """
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Path(given) if given else None
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA")
        return Path(home) / "tavli_fast" / "Cache" if home else None
    try:
        if sys.platform == "darwin":
            return Path("~/Library/Caches/tavli_fast").expanduser()
        home = Path(os.environ.get("XDG_CACHE_HOME", ""))
        # By the XDG specification a relative path is to be ignored.
        base = home if home.is_absolute() else Path("~/.cache").expanduser()
    except RuntimeError:  # a user without a home
        return None
    return base / "tavli_fast"


def cached(
    name: str, shape: tuple[int, ...], make: Callable[[], npt.NDArray[np.float64]]
) -> npt.NDArray[np.float64]:
    """Return a table from its file in the cache, or compute it and keep it there.

    A file that is missing, damaged or of something else is never used: the table is computed again.
    If there is no folder that can be written, it is only computed. What was wrong is said once, by
    a warning, unless the file was only missing.

    Args:
        name: the file's name, different for different tables.
        shape: of the table.
        make: computes it.
    """
    folder = cache_folder()
    if folder is None:
        return make()
    path = folder / name
    try:
        return _read(path, name, shape)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        _say(f"{path}: {_short(error)}; the table is computed again")
    found = make()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        data = np.ascontiguousarray(found, "<f8").tobytes()
        with replacing(str(path)) as file:
            file.write(_head(name, shape, data) + data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        _say(f"{path} cannot be written ({_short(error)}): the table is computed in each process")
    return found


def _head(name: str, shape: tuple[int, ...], data: bytes) -> bytes:
    """Return the first bytes of a file: what it is, of which size, and its checksum."""
    return _MAGIC + f"{name} {'x'.join(map(str, shape))} {crc32(data):08x}\n".encode()


def _read(path: Path, name: str, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the table of a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not this table, or damaged.
    """
    size = len(_head(name, shape, b"")) + 8 * int(np.prod(shape))
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size != size:
            raise ValueError(f"not of {size:,} bytes, as the table is")
        content = file.read(size + 1)
    data = content[-8 * int(np.prod(shape)) :]
    if content != _head(name, shape, data) + data:
        raise ValueError("its checksum or its head is another")
    return np.frombuffer(data, "<f8").astype(np.float64).reshape(shape)


def _say(message: str) -> None:
    """Warn of something once in a process."""
    if message not in _said:
        _said.add(message)
        warnings.warn(message, RuntimeWarning, stacklevel=2)


def _short(error: Exception) -> Any:
    return error.strerror if isinstance(error, OSError) and error.strerror else error
