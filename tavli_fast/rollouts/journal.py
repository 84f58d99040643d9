"""The journal of a rollout: a file of the pieces that are done, with which a killed run goes on.

The file begins with a line of JSON that says whose pieces these are; then come the pieces, each
with its length and a checksum. It only grows, so that whatever kills the process can damage no more
than the last piece, which is dropped when the file is opened again.
"""

from __future__ import annotations

import json
import os
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any, BinaryIO, Final

import numpy as np
import numpy.typing as npt

from tavli_fast._common.arguments import Int8Array, seed_entropy, shown
from tavli_fast._common.version import version
from tavli_fast.rollouts.plan import Match, Piece
from tavli_fast.rules.text import rules_name

_MAGIC: Final = "tavli_fast rollout journal 1"
_HEAD: Final = struct.Struct("<qqqqq")
"""Of a piece: its board, its first trial, its trials, and the rows and columns that follow, as
``float64`` or ``int64``; then a CRC-32 of all that."""
_CHECK: Final = struct.Struct("<I")
_START: Final = json.dumps([_MAGIC])[:-1].encode()
_MOST_HEAD: Final = 100_000
"""Bytes of the first line at most."""
_SYNC_SECONDS: Final = 5.0
"""How often the file is brought to the disk: a process that is killed loses nothing, a machine that
fails loses this much."""


class Journal:
    """The pieces of one rollout that are done, in memory and in a file."""

    def __init__(self, file: BinaryIO, plan: Match, boards: Int8Array) -> None:
        """Begin with no piece."""
        self._file = file
        self._dtype: npt.DTypeLike = np.int64 if plan.plain_random else np.float64
        self._known: dict[Piece, tuple[int, int, int]] = {}
        """Of each piece that is done, where its rows begin in the file, and their shape."""
        self._boards = len(boards)
        self._synced = time.monotonic()

    def known(self, pieces: list[Piece]) -> npt.NDArray[Any] | None:
        """Return what came of pieces, one after another; None unless all of them are done."""
        if not all(map(self.has, pieces)):
            return None
        return np.concatenate([self._rows(piece) for piece in pieces])

    def _rows(self, piece: Piece) -> npt.NDArray[Any]:
        """Read the rows of a piece."""
        at, rows, columns = self._known[piece]
        self._file.seek(at)
        return np.frombuffer(self._file.read(8 * rows * columns), self._dtype).reshape(
            rows, columns
        )

    def has(self, piece: Piece) -> bool:
        """Return whether a piece is done."""
        return piece in self._known

    def add(self, pieces: list[Piece], found: npt.NDArray[Any]) -> None:
        """Write what came of pieces, unless it is there: rows of each in turn, one a piece or one a
        trial."""
        if all(map(self.has, pieces)):
            return
        at, one = 0, len(found) == len(pieces) and self._dtype is np.int64
        for piece in pieces:
            rows = found[at : at + (1 if one else piece.trials)]
            at += len(rows)
            data = _HEAD.pack(*piece, *rows.shape) + rows.astype(self._dtype).tobytes()
            self._file.write(data + _CHECK.pack(zlib.crc32(data)))
        self._file.flush()
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            os.fsync(self._file.fileno())
            self._synced = time.monotonic()

    def read(self) -> None:
        """Read all pieces, from where the file stands; drop what is behind the last whole one."""
        at = self._file.tell()
        left = os.fstat(self._file.fileno()).st_size - at
        while left >= _HEAD.size + _CHECK.size:
            head = self._file.read(_HEAD.size)
            board, first, trials, rows, columns = _HEAD.unpack(head)
            if min(board, first, trials, rows, columns) < 0 or board >= self._boards:
                break
            size = 8 * rows * columns
            if size > left - _HEAD.size - _CHECK.size:
                break
            data = head + self._file.read(size)
            if _CHECK.unpack(self._file.read(_CHECK.size)) != (zlib.crc32(data),):
                break
            self._known[Piece(board, first, trials)] = (at + _HEAD.size, rows, columns)
            at += len(data) + _CHECK.size
            left -= len(data) + _CHECK.size
        self._file.seek(at)
        self._file.truncate()


@contextmanager
def opened(
    path: str | os.PathLike[str],
    plan: Match,
    boards: Int8Array,
    seed: int | None,
) -> Iterator[tuple[Journal, int]]:
    """Open a journal, new or of the same rollout; yield it and its seed.

    Raises:
        OSError: the file cannot be read or written.
        ValueError: it is no journal, or one of another rollout; another process writes to it; or
            the rollout cannot have one.
    """
    name = os.fspath(path)
    if not isinstance(name, str) or not name:
        raise ValueError(f"journal={shown(path)}: expected the name of a file")
    if not plan.compiled:
        raise ValueError(
            f"journal={shown(name)}: expected policies and an evaluator that are nets or random, "
            "as a callable cannot be recognized when the rollout goes on"
        )
    mine = _identity(plan, boards)
    with open(name, "a+b") as file:
        _lock(file, name)
        file.seek(0)
        head = file.readline(_MOST_HEAD)
        if head.startswith(_START) and not head.endswith(b"\n") and len(head) < _MOST_HEAD:
            file.truncate(0)  # the process was killed before the line was written
            head = b""
        if not head:
            entropy = seed_entropy(seed)
            file.write(json.dumps([_MAGIC, {**mine, "seed": str(entropy)}]).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        else:
            entropy = _seed_of(head, mine, seed, name)
        journal = Journal(file, plan, boards)
        journal.read()
        try:
            yield journal, entropy
        finally:
            with suppress(OSError):
                file.flush()
                os.fsync(file.fileno())


def _identity(plan: Match, boards: Int8Array) -> dict[str, str]:
    """Return what two rollouts must have in common for one to go on with the other's pieces."""
    judge = "" if plan.judge is None else plan.judge.name
    weights = [
        "random" if each is None or each.weights is None else each.weights.packed.tobytes().hex()
        for each in (*plan.players, plan.judge)
    ]
    return {
        "boards": f"{len(boards)} boards, {sha256(boards.tobytes()).hexdigest()}",
        "rules": f"{rules_name(plan.rules)}, {sha256(repr(plan.rules).encode()).hexdigest()}",
        "policy": f"{', '.join(each.name for each in plan.players)}; {judge}",
        "weights": sha256("\n".join(weights).encode()).hexdigest(),
        "settings": f"{plan.settings!r}; {plan.cube!r}",
        "version": version(),
    }


def _seed_of(head: bytes, mine: dict[str, str], seed: int | None, name: str) -> int:
    """Return the seed of a journal that has been found.

    Raises:
        ValueError: see `opened`.
    """
    try:
        magic, theirs = json.loads(head)
        if magic != _MAGIC:
            raise ValueError
        entropy = int(theirs.pop("seed"))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(
            f"journal={shown(name)}: the file is no journal of a rollout; expected one, or a name "
            "that no file has yet"
        ) from error
    for key, value in mine.items():
        if theirs.get(key) != value:
            raise ValueError(
                f"journal={shown(name)} belongs to another rollout: its {key} are "
                f"{shown(theirs.get(key))}, expected {shown(value)}; another file, or none, "
                "begins anew"
            )
    if seed is not None and seed_entropy(seed) != entropy:
        raise ValueError(
            f"seed={seed}: the journal {shown(name)} is of seed {entropy}; expected that or None"
        )
    return entropy


def _lock(file: BinaryIO, name: str) -> None:
    """Keep other processes from writing to a journal until it is closed, where the system can.

    Raises:
        ValueError: another has it.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ValueError(
            f"journal={shown(name)}: another process writes to it; expected a file of one's own"
        ) from error
    except OSError:  # a file system without locks
        return
