"""Match files of any kind, told apart by their content."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

from tavli_fast._common.arguments import shown
from tavli_fast.errors import NotationError
from tavli_fast.play.gammonx import is_gammonx, read_gammonx
from tavli_fast.play.mat.reader import MatMatch, decoded, named_file, read_mat, write_mat
from tavli_fast.play.records import Roll
from tavli_fast.play.session import Session
from tavli_fast.play.sgf import is_sgf, read_sgf, write_sgf

__all__ = ["match_text", "read_match"]

_LARGEST: Final = 2**24
"""Bytes of a file that is read: far more than any match has."""
_STATE: Final = ";|"
"""How the lines begin in which ``tavli-fast play`` keeps a match beside its .mat text."""


def read_match(source: str | bytes | os.PathLike[str], *, strict: bool = False) -> MatMatch:
    """Read a match file of any kind that the package knows, told apart by its content.

    Args:
        source: the name of a file, or the text or the bytes of one: .mat, GNU Backgammon's
            SGF, a record of the GammonX server, or the JSON of `Session.to_dict` or of
            ``tavli-fast play``.
        strict: as in `read_mat`.

    Returns:
        The `MatMatch`.

    Raises:
        NotationError: the content is none of these, or cannot be read.
        OSError: the file cannot be read.

    Examples:
        >>> import tavli_fast as tf
        >>> match = tf.Session("backgammon", target=1, seed=1)
        >>> score = match.play_out("random", "random")
        >>> tf.read_match(tf.write_mat(match, ("Anna", "Bo"))).players
        ('Anna', 'Bo')
    """
    text = text_of(source)
    state = "".join(
        line.removeprefix(_STATE) for line in text.splitlines() if line.startswith(_STATE)
    )
    if state or text.lstrip()[:1] == "{":
        return _from_json(state or text)
    if is_sgf(text):
        return read_sgf(text, strict=strict)
    if is_gammonx(text):
        return read_gammonx(text, strict=strict)
    return read_mat(text, strict=strict)


def match_text(match: MatMatch, ending: str) -> str:
    """Return a match in the format that a file name's ending tells.

    Args:
        match: what was read.
        ending: ``.mat`` or ``.txt``, ``.sgf``, or ``.json``, in any case.

    Raises:
        ValueError: another ending, or the format cannot hold the match.
    """
    kind = ending.lower()
    if kind in (".mat", ".txt"):
        return write_mat(match)
    if kind == ".sgf":
        return write_sgf(match)
    if kind == ".json":
        data = {"players": match.players, "session": match.session.to_dict()}
        return json.dumps(data, ensure_ascii=False) + "\n"
    raise ValueError(f"a name that ends in {ending!r}: expected .mat, .txt, .sgf or .json")


def text_of(source: Any) -> str:
    """Return the text of a file, or what was given as text.

    Raises:
        NotationError: it is neither, or too large for a match.
        OSError: the file cannot be read.
    """
    if isinstance(source, os.PathLike) or (isinstance(source, str) and _is_path(source)):
        with open(source, "rb") as file:
            source = file.read(_LARGEST + 1)
    if not isinstance(source, str | bytes | bytearray):
        raise NotationError(
            f"match {shown(source)}: expected the name of a file, or the text or bytes of one"
        )
    if len(source) > _LARGEST:
        raise NotationError(f"match: more than {_LARGEST:,} bytes: expected those of a match")
    return source if isinstance(source, str) else decoded(bytes(source))


def _is_path(text: str) -> bool:
    """Return whether a text is the name of a file rather than a match."""
    if "\n" in text or not text.strip() or len(text) > 4000:
        return False
    try:
        return named_file(text) or Path(text).exists()
    except (OSError, ValueError):
        return False


def _from_json(text: str) -> MatMatch:
    """Return the match of a session's dict, or of what ``tavli-fast play`` keeps.

    Raises:
        NotationError: it is neither.
    """
    try:
        found = json.loads(text)
        names = found.get("players", ("Player 1", "Player 2"))
        first, second = map(str, names)
        session = Session.from_dict(found.get("session", found), throw=_no_dice)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise NotationError(f"match {shown(text)} is not the JSON of one: {error}") from error
    return MatMatch(session, (first, second), {})


def _no_dice() -> Roll:
    """Stand for the dice of a session that was read."""
    raise ValueError("throw=None: expected a source of dice, as the match has no more")
