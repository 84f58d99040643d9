"""A match of the command ``play`` in a file: written at every turn, read again to go on.

A name that ends in .json holds the session as JSON. Any other is a .mat text, which other programs
read too; comment lines at its end (``;|``) hold the same JSON, as .mat has no words for the seed
and for house rules.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tavli_fast._common.files import replacing
from tavli_fast.play.mat.reader import read_mat, write_mat
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session

__all__ = ["SavedMatch", "can_be_replaced", "is_json", "read_match", "write_match"]

_MARK: Final = ";|"
_WIDTH: Final = 96
"""Of the comment lines: other programs read lines of limited length."""
_LARGEST: Final = 2**24
"""Bytes of a file that is read: far more than any match has."""


@dataclass(frozen=True)
class SavedMatch:
    """A match, and what belongs to it."""

    session: Session
    policy: str | None
    """How the program plays, as --policy names it."""
    players: tuple[str, str]
    foreign: bool = False
    """Whether another program has written it."""


def write_match(path: str, match: SavedMatch) -> None:
    """Write a match: the whole file, or nothing of it (but to a device or a pipe as it comes).

    Raises:
        ValueError: .mat has no words for it.
        OSError: the file cannot be written.
    """
    state = {"policy": match.policy, "players": match.players, "session": match.session.to_dict()}
    text = json.dumps(state, separators=(",", ":"))
    if not is_json(path):
        lines = [text[at : at + _WIDTH] for at in range(0, len(text), _WIDTH)]
        mat = write_mat(match.session, match.players)
        text = mat + "\n; For tavli-fast play --resume:\n" + "\n".join(map(_MARK.__add__, lines))
    with replacing(path) if can_be_replaced(path) else open(path, "wb") as file:
        file.write(f"{text}\n".encode())


def read_match(path: str) -> SavedMatch:
    """Read a match of ``play``, or a .mat text of another program.

    Raises:
        ValueError: the file holds neither; the message says why.
        OSError: it cannot be read.
    """
    with open(path, "rb") as file:
        data = file.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise ValueError(f"{path}: more than {_LARGEST:,} bytes: expected a match")
    text = data.decode("utf-8", errors="replace")
    state = "".join(
        line.removeprefix(_MARK) for line in text.splitlines() if line.startswith(_MARK)
    )
    if not state and not text.lstrip().startswith("{"):
        match = read_mat(text)
        return SavedMatch(_again(match.session.to_dict()), None, match.players, foreign=True)
    try:
        found = json.loads(state or text)
        policy, (first, second) = found["policy"], found["players"]
        if not all(isinstance(each, str) for each in (policy or "", first, second)):
            raise TypeError("names that are no strings")
        session = _again(found["session"])
    except (LookupError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no match of tavli-fast play: {error}") from error
    return SavedMatch(session, policy, (first, second))


def is_json(path: str) -> bool:
    """Tell by its name whether a file is to hold JSON alone."""
    return Path(path).suffix.lower() == ".json"


def can_be_replaced(path: str) -> bool:
    """Tell a file that may be written again and again from a device or a pipe."""
    return not Path(path).exists() or Path(path).is_file()


def _again(data: Mapping[str, Any]) -> Session:
    """Bring a session back; without a seed its further dice are fresh ones."""
    if data["seed"] is None:
        return Session.from_dict(data, throw=_fresh_roll)
    return Session.from_dict(data)


def _fresh_roll() -> Roll:
    source = random.SystemRandom()
    return source.randint(1, 6), source.randint(1, 6)
