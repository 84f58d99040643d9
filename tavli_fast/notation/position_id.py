"""Positions as text: GNU Backgammon's Position ID, and a reader of every kind of ID.

Source of the Position ID and the Match ID: GNU Backgammon's manual, "A technical description of the
Position ID" and "... of the Match ID", as observed on GNU Backgammon 1.07 and on public IDs.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from tavli_fast._common.arguments import OFF, BoardLike, Int8Array, one_board
from tavli_fast.boards.id_text import beyond_backgammon, position, refuse, shown
from tavli_fast.boards.tfid import is_tfid, read_tfid, start_tfid, tfid
from tavli_fast.notation.base64_ids import decoded, encoded
from tavli_fast.notation.fibs import from_fibs, is_fibs
from tavli_fast.notation.gnubgid import ids_in, match_fields, match_id
from tavli_fast.notation.ogid import from_ogid, is_ogid
from tavli_fast.notation.xgid import PREFIXED, XGID, from_xgid, to_xgid
from tavli_fast.rules.fields import misplaced_rules
from tavli_fast.rules.presets import PORTES, Rules, RulesLike, resolve_rules

__all__ = [
    "XGID",
    "from_gnubg_id",
    "from_position_id",
    "from_xgid",
    "gnubg_id",
    "parse_position",
    "position_id",
    "to_xgid",
]

_SLOTS: Final = 25
"""The numbers of checkers that an ID lists for a side: its own points 1 to 24, then its bar."""

_POSITION_CHARACTERS: Final = 14
_POSITION_BITS: Final = 80
_MATCH_CHARACTERS: Final = 12


def position_id(board: BoardLike, rules: RulesLike | None = None) -> str:
    """Return the GNU Backgammon Position ID of a board, 14 characters.

    The ID lists the checkers of the player *not* on roll first, as GNU Backgammon writes it. It
    does not record the game: a Hypergammon board needs ``rules="hypergammon"`` to be read back. (A
    board with both sides on the bar against six closed points, which no play leads to, has an ID
    too, but readers refuse it.)

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first.
        rules: the rules of the board, of a game without pins in which the sides move in opposite
            directions (use `tfid` for the others); None for Portes.

    Returns:
        The ID.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: another argument is invalid, or the ID cannot represent the game.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.position_id(tf.start())
        '4HPwATDgc/ABMA'
    """
    checked = resolve_rules(rules, board)
    if what := beyond_backgammon(checked):
        raise ValueError(
            f"a Position ID cannot hold {what}: use the TFID, {tfid(board, rules=checked)}"
        )
    mover, opponent = one_board(board, checked).tolist()
    # Each number of checkers is so many ones and a zero; the first bit is the lowest.
    bits = "".join("1" * count + "0" for count in (*opponent[1:], *mover[1:]))
    data = int(bits[::-1], 2).to_bytes(_POSITION_BITS // 8, "little")
    return encoded(data)


def from_position_id(text: str, rules: RulesLike | None = None) -> Int8Array:
    """Return the board of a GNU Backgammon Position ID.

    Args:
        text: the 14 characters; white space around them is ignored.
        rules: the rules of the board; None for Portes. Checkers that are not on the board count as
            borne off, so these must be the rules of the game that the ID comes from.

    Returns:
        ``int8[2, 26]``, the player on roll first.

    Raises:
        NotationError: the text is not a Position ID, or not that of a possible position; the
            message gives the reason.
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> (tf.from_position_id("4HPwATDgc/ABMA") == tf.start()).all()
        np.True_
    """
    checked = resolve_rules(rules)
    name = f"Position ID {shown(text)}"
    if what := beyond_backgammon(checked):
        refuse(name, f"it cannot hold {what}: expected a TFID, such as {start_tfid(checked)}")
    data = decoded(text, _POSITION_CHARACTERS, name)
    bits = f"{int.from_bytes(data, 'little'):0{_POSITION_BITS}b}"[::-1]
    *runs, rest = bits.split("0", 2 * _SLOTS)
    if len(runs) < 2 * _SLOTS:
        refuse(name, f"the stream of bits ends after {len(runs)} of {2 * _SLOTS} numbers")
    if "1" in rest:
        refuse(name, f"expected only zero bits after {2 * _SLOTS} numbers of checkers")
    counts = [len(run) for run in runs]
    return position([[OFF, *counts[_SLOTS:]], [OFF, *counts[:_SLOTS]]], checked, name)


def parse_position(
    text: str, rules: RulesLike | None = None
) -> tuple[Int8Array, tuple[int, int] | None]:
    """Return the board and the roll of a Position ID, an XGID, a TFID, an OGID or a FIBS board
    line, or of a text from the clipboard of GNU Backgammon, eXtreme Gammon or BGBlitz.

    A Position ID may be followed by ``:`` and GNU Backgammon's Match ID, from which the roll is
    read. A Match ID with a double or a resignation to answer is refused.

    Args:
        text: the ID.
        rules: the rules of the board, as in `from_position_id` and `from_xgid`. None reads a TFID
            by the rules of the game that it names, and the others by those of Portes.

    Returns:
        ``int8[2, 26]``, the player on roll first, and the roll as a pair of ints, or None if the
        text has none.

    Raises:
        NotationError: the text is none of these, or a TFID whose game is of another kind than the
            rules; the message gives the reason.
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> board, dice = tf.parse_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
        >>> dice
        (3, 1)
    """
    board, _, dice = read_position(text, rules)
    return board, dice


def read_position(
    text: str, rules: RulesLike | None
) -> tuple[Int8Array, Rules, tuple[int, int] | None]:
    """Return the board of an ID, its rules and the roll; see `parse_position`."""
    chosen = None if rules is None else resolve_rules(rules)
    if isinstance(text, str) and is_tfid(text):
        return read_tfid(text, chosen)
    played = chosen or PORTES
    if isinstance(text, str):
        if xgid := read_xgid(text, played):
            return xgid.board.copy(), played, xgid.dice
        id_, colon, match = text.partition(":")
        if colon:
            return from_position_id(id_, played), played, _match_dice(match)
    return from_position_id(text, played), played, None


def read_xgid(text: str, rules: RulesLike | None) -> XGID | None:
    """Return what a text tells if it has more than a position: an XGID, GNU Backgammon's two IDs,
    an OGID, a FIBS board line, or what a program has copied to the clipboard; None if not."""
    if is_tfid(text):
        return None
    if not PREFIXED.search(text):
        if ids := ids_in(text):
            return match_fields(ids[1], from_position_id(ids[0], rules), rules)
        if is_fibs(text):
            return from_fibs(text, rules)
        if is_ogid(text):
            return from_ogid(text, rules)
        if text.count(":") < 2:
            return None
    return from_xgid(text, rules)


def gnubg_id(xgid: XGID) -> str:
    """Return an `XGID` as GNU Backgammon's two IDs: ``GNUBGID=`` position ``:`` match.

    Args:
        xgid: the position, the roll, the cube and the score.

    Raises:
        ValueError: a beaver waits for its answer, which the Match ID cannot hold.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.gnubg_id(tf.from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:1:0:10"))
        'GNUBGID=4HPwATDgc/ABMA:cIkFAAAAAAAA'
    """
    return f"GNUBGID={position_id(xgid.board, xgid.rules)}:{match_id(xgid)}"


def from_gnubg_id(text: str, rules: RulesLike | None = None) -> XGID:
    """Return the position, the roll, the cube and the score of GNU Backgammon's two IDs.

    Args:
        text: ``GNUBGID=`` and the two IDs with a colon between them; or a text that has lines
            ``Position ID: …`` and ``Match ID: …``, as GNU Backgammon copies it to the clipboard.
        rules: the rules of the board; None for Portes.

    Raises:
        NotationError: the text has not both, or they are not those of a possible position.
    """
    ids = ids_in(text) if isinstance(text, str) else None
    if ids is None:
        refuse(f"GNU Backgammon's IDs {shown(text)}", "expected GNUBGID=<position>:<match>")
    return match_fields(ids[1], from_position_id(ids[0], rules), rules)


class Position(NamedTuple):
    """The contents of a position that was passed in."""

    board: Int8Array
    """``int8[2, 26]``, checked."""
    rules: Rules
    dice: tuple[int, int] | None
    """The roll, of a text that has one."""
    xgid: XGID | None
    """The contents of an XGID; None for another text and for an array."""


def position_of(board: Any, rules: RulesLike | None, *evaluators: object) -> Position:
    """Return the checked board, its rules and what else is told, from an array, an `XGID`, or the
    text of an ID.

    With ``rules=None`` they are those that the position states, else those of the evaluators, else
    Portes.
    """
    dice = None
    if isinstance(board, str):
        if misplaced := misplaced_rules(board, "board"):
            raise ValueError(misplaced)
        xgid = read_xgid(board, rules)
        if xgid is None:
            if rules is None and not is_tfid(board):
                rules = resolve_rules(None, *evaluators)
            return Position(*read_position(board, rules), None)
        board = xgid
    if isinstance(board, XGID):
        xgid, dice = board, board.dice
        played = resolve_rules(rules, xgid, *evaluators)
        return Position(one_board(xgid.board, played), played, dice, xgid)
    played = resolve_rules(rules, board, *evaluators)
    return Position(one_board(board, played), played, None, None)


def board_and_rules(board: Any, rules: RulesLike | None) -> tuple[Int8Array, Rules]:
    """Return a checked board and its rules, from an array, an `XGID`, or the text of an ID."""
    return position_of(board, rules)[:2]


def any_id(board: BoardLike, rules: Rules) -> str:
    """Return the ID that can hold a board: its Position ID if possible, else its TFID."""
    return tfid(board, rules=rules) if beyond_backgammon(rules) else position_id(board, rules)


def _match_dice(text: str) -> tuple[int, int] | None:
    """Return the roll that a GNU Backgammon Match ID tells, if any."""
    name = f"Match ID {shown(text)}"
    bits = int.from_bytes(decoded(text, _MATCH_CHARACTERS, name), "little")
    if bits >> 12 & 0b111:
        refuse(name, "a double or a resignation waits for an answer; expected a roll, or none")
    dice = bits >> 15 & 0b111, bits >> 18 & 0b111
    if dice == (0, 0):
        return None
    if not all(1 <= die <= 6 for die in dice):
        refuse(name, f"dice {dice[0]} and {dice[1]}: expected 1 to 6, or both 0")
    return dice
