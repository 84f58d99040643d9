"""XGID: eXtreme Gammon's text of a position, which also tells roll, cube and score.

Source: eXtreme Gammon's help, "XGID", as observed on public IDs and on GNU Backgammon 1.07.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tavli_fast._common.arguments import (
    BAR,
    OFF,
    BoardLike,
    DiceLike,
    Int8Array,
    flag,
    one_board,
    one_pair,
    whole_number,
)
from tavli_fast.boards.id_text import (
    LARGEST,
    beyond_backgammon,
    number,
    position,
    refuse,
    rules_argument,
    shown,
)
from tavli_fast.boards.tfid import start_tfid, tfid
from tavli_fast.errors import NotationError
from tavli_fast.rules.presets import PORTES, Rules, RulesLike, resolve_rules

__all__ = ["XGID", "from_xgid", "to_xgid"]

_PENDING: Final = {"D": "double", "B": "beaver", "R": "raccoon"}
_PENDING_LETTERS: Final = {word: letter for letter, word in _PENDING.items()}

_LAYOUT: Final = "<26 characters>:cube:owner:turn:dice:score:score:rule:length[:max cube]"
PREFIXED: Final = re.compile(r"XGID\s*=\s*([^\s\"'<>,;()]*)", re.IGNORECASE)
_BARE: Final = re.compile(r"(?<![^\s\"'<(])[A-Oa-o-]{26}:[^\s\"'<>,;()]*")

_MAX_CUBE_LOG: Final = 15
_XG_MAX_CUBE_LOG: Final = 10
"""The cap that eXtreme Gammon writes, and the meaning of an XGID without one."""


@dataclass(frozen=True, eq=False, repr=False)
class XGID:
    """The contents of an XGID: the position, whose turn it is, the roll, the cube and the score.

    Everything except `turn` is given from the side of the player on roll. ``str`` is the XGID,
    ``repr`` a call of `from_xgid` that gives it again; two XGIDs are equal if their texts and their
    rules are.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: a field has a value that it cannot have (the message names it), or the rules
            have pins or parallel movement: use `tfid` for those.
    """

    board: Int8Array
    """The position, ``int8[2, 26]``, read-only, the player on roll first."""
    dice: tuple[int, int] | None = None
    """The roll to play, in the order in which it is written; None before the roll."""
    cube: int = 1
    """The value of the cube: 1, 2, 4, …"""
    cube_owner: int = 0
    """The owner of the cube: 1 the player on roll, -1 the opponent, 0 nobody (it is centred)."""
    turn: int = 1
    """The player on roll: 1 the one whose checkers are capital letters, -1 the other."""
    pending: str | None = None
    """The answer that is waited for, after a ``"double"``, ``"beaver"`` or ``"raccoon"``."""
    scores: tuple[int, int] = (0, 0)
    """The points of the player on roll and of the opponent."""
    match_length: int = 0
    """The points to play to; 0 in a money game."""
    crawford: bool = False
    """Whether this is the Crawford game (of a match)."""
    jacoby: bool = False
    """Whether gammons count only once the cube is turned (in a money game)."""
    beavers: bool = False
    """Whether a double may be beavered (in a money game)."""
    max_cube: int = 2**_XG_MAX_CUBE_LOG
    """The highest value of the cube; 1 for a game without it."""
    rules: Rules = None  # type: ignore[assignment]
    """The rules of the board, which the text of an XGID does not contain. None means Portes, unless
    an evaluator says otherwise (`stated_rules`)."""

    def __post_init__(self) -> None:
        """Check every field, and take a copy of the board; see the class's ``Raises``."""
        object.__setattr__(self, "_stated", self.rules is not None)
        object.__setattr__(self, "rules", resolve_rules(self.rules))
        if what := beyond_backgammon(self.rules):
            text = tfid(self.board, self.dice, self.rules)
            raise ValueError(f"an XGID cannot hold {what}: use the TFID, {text}")
        board = one_board(self.board, self.rules).copy()
        board.setflags(write=False)
        object.__setattr__(self, "board", board)
        if self.dice is not None:
            object.__setattr__(self, "dice", one_pair(self.dice))
        for name in ("cube", "max_cube"):
            value = whole_number(getattr(self, name), name, 1, 2**_MAX_CUBE_LOG)
            _require(value & (value - 1) == 0, name, value, "a power of two")
        _require(self.cube <= self.max_cube, "cube", self.cube, f"at most {self.max_cube}")
        for name in ("cube_owner", "turn"):
            object.__setattr__(self, name, whole_number(getattr(self, name), name, -1, 1))
        _require(self.turn != 0, "turn", self.turn, "1 or -1")
        for name in ("crawford", "jacoby", "beavers"):
            object.__setattr__(self, name, flag(getattr(self, name), name))
        words = (None, *_PENDING.values())
        _require(self.pending in words, "pending", self.pending, f"one of {words}")
        if self.pending is not None:
            _require(self.dice is None, "dice", self.dice, f"None while a {self.pending} waits")
        length = whole_number(self.match_length, "match_length", 0, LARGEST)
        _require(np.shape(self.scores) == (2,), "scores", self.scores, "two numbers of points")
        scores = [whole_number(score, "scores", 0, length or LARGEST) for score in self.scores]
        object.__setattr__(self, "scores", tuple(scores))
        _require(not length or min(scores) < length, "scores", self.scores, "one winner at most")
        _require(bool(length) or not self.crawford, "crawford", True, "False in a money game")
        for name in ("jacoby", "beavers"):
            value = getattr(self, name)
            _require(not (length and value), name, value, "False in a match")

    @property
    def stated_rules(self) -> Rules | None:
        """The rules if they were given, None if Portes was taken because nothing was said."""
        return self.rules if vars(self)["_stated"] else None

    def __str__(self) -> str:
        """Return the XGID, with its prefix and all nine fields after the position."""
        low, high = self.board[:: self.turn].tolist()
        low[OFF] = high[OFF] = 0
        slots = [(low[slot], high[BAR - slot]) for slot in range(BAR + 1)]
        letters = "".join(_letter(*pair) for pair in slots)
        dice = _PENDING_LETTERS.get(self.pending or "", "00")
        if self.dice is not None:
            dice = "".join(map(str, self.dice))
        rule = int(self.crawford) or self.jacoby + 2 * self.beavers
        fields = (
            letters,
            self.cube.bit_length() - 1,
            self.cube_owner * self.turn,
            self.turn,
            dice,
            *self.scores[:: self.turn],
            rule,
            self.match_length,
            self.max_cube.bit_length() - 1,
        )
        return "XGID=" + ":".join(map(str, fields))

    def __repr__(self) -> str:
        """Return the call that gives this XGID again."""
        named = "" if self.stated_rules in (None, PORTES) else rules_argument(self.rules)
        return f"from_xgid({str(self)!r}{named})"

    def __eq__(self, other: object) -> bool:
        """Return whether the other is an XGID with the same text and rules."""
        if not isinstance(other, XGID):
            return NotImplemented
        return str(self) == str(other) and self.rules == other.rules

    def __hash__(self) -> int:
        """Return a hash of the text."""
        return hash(str(self))


def to_xgid(
    board: BoardLike, dice: DiceLike | None = None, *, rules: RulesLike | None = None, **fields: Any
) -> str:
    """Return the XGID of a board, by default that of a money game before the roll.

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first.
        dice: the roll to play, two integers 1 to 6, or None.
        rules: the rules of the board; None for Portes.
        fields: the cube, the score and other fields of `XGID` by name, such as ``cube=2``.

    Returns:
        The text, beginning with ``XGID=``.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: a field has a value that it cannot have, or `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.to_xgid(tf.start(), (3, 1))
        'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10'
    """
    fields |= {"board": board, "dice": dice, "rules": resolve_rules(rules, board)}
    return str(XGID(**fields))


def from_xgid(text: str, rules: RulesLike | None = None) -> XGID:
    """Read an XGID: the position, the roll, the cube and the score.

    Args:
        text: the XGID, with or without ``XGID=``, or a text that contains one (the first is read).
            The last field, the highest cube, may be missing, or 0 with a cube that has been
            turned, and is then 1024. A turn of 0 means 1.
        rules: the rules of the board; None for Portes, unless an evaluator says otherwise. Checkers
            that are not on the board count as borne off, so these must be the rules of the game
            that the XGID comes from.

    Returns:
        The `XGID`.

    Raises:
        NotationError: the text is not an XGID, or not a possible one; the message names the field
            and the reason.
        ValueError: `rules` is not a rule set.

    Examples:
        >>> import tavli_fast as tf
        >>> xgid = tf.from_xgid("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:4:0:7:10")
        >>> xgid.cube, xgid.match_length
        (2, 7)
    """
    checked = resolve_rules(rules)
    name = f"XGID {shown(text)}"
    if what := beyond_backgammon(checked):
        refuse(name, f"it cannot hold {what}: expected a TFID, such as {start_tfid(checked)}")
    if not isinstance(text, str):
        refuse(name, f"expected a str, XGID={_LAYOUT}")
    if found := PREFIXED.search(text):
        xgid = found[1].rstrip(".")
    elif found := _BARE.search(text):
        xgid = found[0].rstrip(".")
    else:
        xgid = text.strip()
    name = f"XGID {shown(xgid)}"
    fields = xgid.split(":")
    if len(fields) not in (9, 10):
        refuse(name, f"has {len(fields)} fields: expected 9 or 10, {_LAYOUT}")
    letters, log_cube, owner, turn, dice, low_score, high_score, rule, length, *log_cap = fields

    side = number(turn, "turn", -1, 1, name) or 1  # some programs write 0
    board = position(_sides(letters, name)[::side], checked, name)
    if dice not in ("00", *_PENDING) and not re.fullmatch("[1-6][1-6]", dice):
        refuse(name, f"dice {shown(dice)}: expected 00, two digits 1 to 6, D, B or R")
    cap = number(log_cap[0], "max cube", 0, _MAX_CUBE_LOG, name) if log_cap else _XG_MAX_CUBE_LOG
    high = number(log_cube, "cube", 0, cap or _XG_MAX_CUBE_LOG, name)
    if high > cap:  # some programs write 0 for no limit
        cap = _XG_MAX_CUBE_LOG
    cube = 2**high
    cube_owner = number(owner, "cube owner", -1, 1, name) * side
    match_length = number(length, "match length", 0, None, name)
    scores = [
        number(text, "score", 0, match_length or None, name) for text in (low_score, high_score)
    ][::side]
    flags = number(rule, "rule", 0, 1 if match_length else 3, name)
    try:
        return XGID(
            board,
            dice=(int(dice[0]), int(dice[1])) if dice[0] in "123456" else None,
            cube=cube,
            cube_owner=cube_owner,
            turn=side,
            pending=_PENDING.get(dice),
            scores=(scores[0], scores[1]),
            match_length=match_length,
            crawford=bool(match_length and flags),
            jacoby=bool(not match_length and flags & 1),
            beavers=bool(not match_length and flags & 2),
            max_cube=2**cap,
            rules=checked if rules is not None else None,  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise NotationError(f"{name}: {error}") from error


def _sides(letters: str, name: str) -> tuple[list[int], list[int]]:
    """Return the checkers of the capital and the small letters, each in its own numbers."""
    if len(letters) != BAR + 1:
        refuse(name, f"a position of {len(letters)} characters: expected {BAR + 1}")
    low, high = [0] * (BAR + 1), [0] * (BAR + 1)
    for slot, letter in enumerate(letters):
        if "A" <= letter <= "O" and slot != OFF:
            low[slot] = ord(letter) - ord("A") + 1
        elif "a" <= letter <= "o" and slot != BAR:
            high[BAR - slot] = ord(letter) - ord("a") + 1
        elif letter != "-":
            expected = {OFF: "- or a to o", BAR: "- or A to O"}.get(slot, "-, A to O or a to o")
            refuse(name, f"{letter!r} at {slot} of the position: expected {expected}")
    return low, high


def _letter(low: int, high: int) -> str:
    """Return a point of an XGID: a capital letter for the low side, a small one for the high."""
    if low:
        return chr(ord("A") - 1 + low)
    return chr(ord("a") - 1 + high) if high else "-"


def _require(holds: bool, name: str, value: object, expected: str) -> None:
    """Raise the ValueError that names a field, its value and what was expected."""
    if not holds:
        raise ValueError(f"{name}={shown(value)}: expected {expected}")
