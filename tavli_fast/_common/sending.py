"""Tasks sent to other processes: what is large, a net above all, goes to each worker once."""

from __future__ import annotations

import io
import os
import pickle
import socket
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

_KEPT: Final = 16
"""Large objects that a worker keeps."""

_objects: dict[str, Any] = {}
"""What this process, as a worker, has been sent, by the hash of its pickle."""


class Missing(NamedTuple):
    """A worker's answer to a task for which it lacks something."""

    worker: str


class Found(NamedTuple):
    """A worker's answer to a task that it has done."""

    worker: str
    value: Any


class Parcel(NamedTuple):
    """A task as it is sent: its pickle, with hashes for what is large, and the pickles of that."""

    lean: bytes
    large: dict[str, bytes]


class Sender:
    """Pickles the tasks of one call; what is large in several of them is pickled once.

    An object counts as large if its class says so by an attribute ``sent_once``. It must not
    change, as a worker keeps it for later tasks.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        self._large: dict[int, tuple[Any, str, bytes]] = {}

    def pack(self, work: Callable[..., Any], task: tuple[Any, ...]) -> Parcel | None:
        """Return a task for `run`; None if nothing in it is large or it cannot be pickled, and the
        executor may do with it what it does with any other."""
        file = io.BytesIO()
        pickler = _Lean(file, self._large)
        try:
            pickler.dump((work, task))
        except Exception:  # whatever it is, the executor's own message names it
            return None
        if not pickler.used:
            return None
        used = (self._large[each] for each in pickler.used)
        return Parcel(file.getvalue(), {digest: pickled for _, digest, pickled in used})


class _Lean(pickle.Pickler):
    """Pickles large objects as hashes."""

    def __init__(self, file: io.BytesIO, large: dict[int, tuple[Any, str, bytes]]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.large = large
        self.used: set[int] = set()

    def persistent_id(self, thing: Any) -> str | None:
        """Return the hash of a large object; None for all else."""
        if not getattr(type(thing), "sent_once", False):
            return None
        if id(thing) not in self.large:
            pickled = pickle.dumps(thing, pickle.HIGHEST_PROTOCOL)
            # The object is kept too: as long as it lives, its id is nobody else's.
            self.large[id(thing)] = (thing, sha256(pickled).hexdigest(), pickled)
        self.used.add(id(thing))
        return self.large[id(thing)][1]


class _Full(pickle.Unpickler):
    """The reverse."""

    def persistent_load(self, digest: Any) -> Any:
        """Return an object that this process has been sent."""
        return _objects[digest]


def run(lean: bytes, digests: tuple[str, ...], large: dict[str, bytes]) -> Missing | Found:
    """Do a task of `Sender.pack`, in a worker: with what comes along, and what has come before."""
    for digest, pickled in large.items():
        if digest not in _objects:
            _objects[digest] = pickle.loads(pickled)
    if any(digest not in _objects for digest in digests):
        return Missing(_name())
    work, task = _Full(io.BytesIO(lean)).load()
    for digest in list(_objects)[:-_KEPT]:
        if digest not in digests:
            _objects.pop(digest, None)
    return Found(_name(), work(*task))


@cache
def _name() -> str:
    """Return a name of this process that no other worker has."""
    return f"{socket.gethostname()}:{os.getpid()}:{os.urandom(4).hex()}"
