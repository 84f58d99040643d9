"""Match texts (.mat), as JellyFish, GNU Backgammon and others write them: read and written.

A text that is read is played again on a `Session` (`replay`), so every roll, play and action in it
is checked. docs/formats.md says what a text can hold.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tavli_fast._common.arguments import shown
from tavli_fast.errors import NotationError
from tavli_fast.play.mat.grammar import Judge, MatText, Mended, parsed
from tavli_fast.play.mat.replay import Replay
from tavli_fast.play.mat.writer import written
from tavli_fast.play.session import Session
from tavli_fast.rules.presets import BACKGAMMON, RULES, Rules, RulesLike, resolve_rules

__all__ = ["MatMatch", "Mended", "Note", "read_mat", "write_mat"]

_PATH: Final = re.compile(r"[^\n]{0,4000}\.(mat|txt|sgf|json|xg|gam)", re.I)


@dataclass(frozen=True, slots=True)
class Note:
    """What a file says about a place beside what was done: an analysis, marks, a comment."""

    game: int
    """The game, from 1."""
    turn: int
    """The turn, from 1."""
    kind: str
    """``"play"``, ``"doubles"``, ``"takes"``, ``"drops"``, ``"beavers"``, or ``"game"``."""
    properties: dict[str, list[str]]
    """The properties of SGF as they stand, such as ``A`` for the plays that were analysed and
    ``DA`` for the cube."""


@dataclass(frozen=True, eq=False)
class MatMatch:
    """A match that was read, played again."""

    session: Session
    """The match: its games, their records, and what it waits for if it is not over."""
    players: tuple[str, str]
    """The names of players 0 and 1."""
    tags: dict[str, str]
    """The tags of the text, as written."""
    mended: tuple[Mended, ...] = ()
    """What was read otherwise than it stands, or left out: pairs of the line, from 1, and a
    sentence. Empty if the text is faultless, and if it was read with ``strict=True``."""
    notes: tuple[Note, ...] = ()
    """The analysis that an SGF file holds."""


def read_mat(text: str | bytes, rules: RulesLike | None = None, *, strict: bool = True) -> MatMatch:
    """Read a .mat match text by replaying it.

    Whatever the text does not contain is filled in: ties in an opening roll are left out, and a
    game that begins with doubles gets an opening roll of 2 and 1. If a game ends with ``Wins`` or
    ``Losses`` before it is over, the loser resigned; a win may be cut to the points that the match
    still needs. A player may double a stake that already suffices for the match.

    Args:
        text: the match text, or its bytes (UTF-8, UTF-16 with its mark, or else Windows-1252); a
            byte order mark and any line endings are accepted.
        rules: the game; None for that of the tag ``Variation``, or backgammon. The tags
            ``Crawford``, ``CubeLimit``, ``Jacoby`` and ``Beaver`` are used in any case.
        strict: whether the first place that is not as it should be is an error. If not, every game
            is kept as far as it can be played, its result and the score are those of the text, and
            `MatMatch.mended` lists what was read otherwise than it stands, or left out.

    Returns:
        The `MatMatch`.

    Raises:
        NotationError: the text cannot be read, or has no games; if `strict`, also an action that is
            not allowed, or a score or number of points that does not agree with the games. The
            message names the line, the column, what stands there and what was expected.
        ValueError: `rules` is not a rule set.
    """
    judge = Judge(bool(strict))
    mat = parsed(_text_of(text), judge)
    game = _variation(mat, judge) if rules is None else resolve_rules(rules)
    session = Replay(mat, game, judge).session
    first = mat.parts[0].names
    players = tuple(mat.tags.get(f"Player {side + 1}") or first[side] or "?" for side in (0, 1))
    return MatMatch(session, (players[0], players[1]), mat.tags, tuple(judge.mended))


def write_mat(
    match: MatMatch | Session,
    players: tuple[str, str] | None = None,
    tags: Mapping[str, str] | None = None,
) -> str:
    """Return a match as a .mat text, which other programs can read.

    Args:
        match: a `Session` of a single kind of game, or the result of `read_mat`.
        players: the names of players 0 and 1; None for those of the `MatMatch`, else Player 1 and
            2.
        tags: further tags, such as ``{"Event": "…"}``; those of a `MatMatch` are kept.

    Returns:
        The text.

    Raises:
        ValueError: the series has several kinds of games, such as a Trio, or automatic doubles,
            which the format cannot express; or `players` is not a pair of names.

    Examples:
        >>> import tavli_fast as tf
        >>> match = tf.Session("backgammon", target=1, seed=1)
        >>> score = match.play_out("random", "random")
        >>> tf.read_mat(tf.write_mat(match, ("Anna", "Bo"))).session.score == score
        True
    """
    if tags is not None and not isinstance(tags, Mapping):
        raise ValueError(f"tags={shown(tags)}: expected a mapping of names to texts")
    session, kept = match, dict(tags or {})
    if isinstance(match, MatMatch):
        session, kept = match.session, match.tags | kept
        players = match.players if players is None else players
    if not isinstance(session, Session):
        raise ValueError(f"match={shown(match)}: expected a Session or a MatMatch")
    return written(session, ("Player 1", "Player 2") if players is None else players, kept)


def decoded(data: bytes) -> str:
    """Return the text of bytes as match programs write them: UTF-8, UTF-16 or Windows-1252."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def named_file(text: str) -> bool:
    """Return whether a text looks like the name of a match file."""
    return bool(_PATH.fullmatch(text.strip()))


def _text_of(text: Any) -> str:
    """Return what was given as text.

    Raises:
        NotationError: it is neither text nor bytes, or the name of a file.
    """
    if isinstance(text, bytes | bytearray):
        text = decoded(bytes(text))
    if isinstance(text, os.PathLike) or (isinstance(text, str) and named_file(text)):
        expected = "expected the text of a match; read_match reads files"
        raise NotationError(f".mat text {shown(str(text))} is the name of a file: {expected}")
    if not isinstance(text, str):
        raise NotationError(f".mat text {text!r:.60}: expected a str, or bytes")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _variation(mat: MatText, judge: Judge) -> Rules:
    """Return the rules that the tag names."""
    tags = mat.tags.items()
    text = next((value for key, value in tags if key.lower() == "variation"), "backgammon")
    plain = re.sub(r"[^a-z_]", "", re.sub(r"\(3\)", "", text.lower()))
    if plain in RULES and not re.search(r"[0-9]", text.replace("(3)", "")):
        return RULES[plain]
    if judge.strict:
        raise NotationError(
            f".mat text, Variation {text!r:.40}: expected one of {', '.join(RULES)}"
        )
    judge.note(1, f"Variation {text!r:.40}: read as backgammon")
    return BACKGAMMON
