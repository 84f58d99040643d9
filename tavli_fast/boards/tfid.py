"""The TFID: a position of any game of the family as text, pins and parallel games included.

GNU Backgammon's Position ID and XGID cannot represent two checkers of different colours on one
point, or sides that move in the same direction. This text can do both, and names its game;
`docs/formats.md` describes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Final

from tavli_fast._common.arguments import (
    BAR,
    OFF,
    BoardLike,
    DiceLike,
    Int8Array,
    one_board,
    one_pair,
)
from tavli_fast.boards.id_text import checked_board, refuse, shown
from tavli_fast.boards.positions import start
from tavli_fast.rules.fields import MAX_CHECKERS, other_side
from tavli_fast.rules.games import GAMES
from tavli_fast.rules.presets import RULES, Rules, RulesLike, resolve_rules

__all__ = ["from_tfid", "tfid"]

PREFIX: Final = "TFID"

_VERSION: Final = "1"
_LAYOUT: Final = f"{PREFIX}{_VERSION}:game:points:off:off[:roll]"

LETTERS: Final[Mapping[str, str]] = MappingProxyType({game.name: game.letter for game in GAMES})
"""The letter of each preset."""

_NAMES: Final = {letter: name for name, letter in LETTERS.items()}

_SLOT: Final = re.compile(r"(?P<empty>[1-9][0-9]?)|(?P<stack>[A-Oa-o])(?P<pin>_?)")


def tfid(board: BoardLike, dice: DiceLike | None = None, rules: RulesLike | None = None) -> str:
    """Return the TFID of a board, a text that can represent every position of the family.

    It contains the game, both sides' checkers with their pins, and the roll if there is one. House
    rules are written as the closest preset, the one that differs in the fewest fields.

    Args:
        board: one position, integers ``[2, 26]``, the player on roll first.
        dice: the roll to play, two integers 1 to 6, or None.
        rules: the rules of the board; None for Portes.

    Returns:
        The text; docs/formats.md describes it.

    Raises:
        BoardError: the board is not a possible position.
        ValueError: another argument is invalid, or no preset is of the same kind as the rules.

    Examples:
        >>> import tavli_fast as tf
        >>> tf.tfid(tf.start("plakoto"), rules="plakoto")
        'TFID1:k:1o22O1:0:0'
    """
    checked = resolve_rules(rules, board)
    mine, theirs = one_board(board, checked).tolist()
    # The slots of an XGID: the opponent's bar, the mover's points 1 to 24, the mover's bar.
    slots = [_stack("", theirs[BAR]).lower()]
    for point in range(1, BAR):
        other = theirs[other_side(point, checked)]
        if mine[point] > 0:
            slots.append(_stack("_" if other < 0 else "", mine[point]))
        else:
            slots.append(_stack("_" if mine[point] < 0 else "", other).lower())
    slots.append(_stack("", mine[BAR]))
    points = re.sub("-+", lambda empty: str(len(empty[0])), "".join(slots))
    roll = [] if dice is None else ["".join(map(str, one_pair(dice)))]
    letter = LETTERS[preset_of(checked)]
    head = f"{PREFIX}{_VERSION}"
    return ":".join([head, letter, points, str(mine[OFF]), str(theirs[OFF]), *roll])


def from_tfid(text: str) -> tuple[Int8Array, str]:
    """Return the board of a TFID and the name of its game in `RULES`.

    `parse_position` also returns the roll, if the text has one.

    Args:
        text: the TFID; white space around it is ignored.

    Returns:
        ``int8[2, 26]``, the player on roll first, and the name.

    Raises:
        NotationError: the text is not a TFID, or not that of a possible position; the message gives
            the reason.

    Examples:
        >>> import tavli_fast as tf
        >>> board, name = tf.from_tfid("TFID1:f:12o11O1:0:0:64")
        >>> name, (board == tf.start("fevga")).all()
        ('fevga', np.True_)
    """
    board, _, _ = read_tfid(text)
    return board, game_of(text)


def start_tfid(rules: Rules) -> str:
    """Return the TFID of the starting position."""
    return tfid(start(rules), rules=rules)


def is_tfid(text: str) -> bool:
    """Return whether a text means to be a TFID, of whatever version."""
    return text.lstrip()[: len(PREFIX)].upper() == PREFIX


def read_tfid(
    text: str, rules: Rules | None = None
) -> tuple[Int8Array, Rules, tuple[int, int] | None]:
    """Return the board of a TFID, its rules, and the roll, if any.

    With `rules` the board is read as one of theirs, which must be of the same kind as the game's.
    """
    name = f"{PREFIX} {shown(text)}"
    game, points, offs, roll = _fields(text, name)
    preset = RULES[game]
    if rules is not None and _kind(rules) != _kind(preset):
        refuse(name, f"a position of {game}, which cannot be one under the rules asked for")
    chosen = rules or preset
    planes = _planes(points, chosen, name)
    for plane, off in zip(planes, offs, strict=True):
        if not re.fullmatch("[0-9]|1[0-5]", off):
            refuse(name, f"borne off {shown(off)}: expected a number 0 to {MAX_CHECKERS}")
        plane[OFF] = int(off)
    board = checked_board(planes, chosen, name)
    if roll is not None and not re.fullmatch("[1-6][1-6]", roll):
        refuse(name, f"roll {shown(roll)}: expected two digits 1 to 6")
    return board, chosen, None if roll is None else (int(roll[0]), int(roll[1]))


def game_of(text: str) -> str:
    """Return the name of the game that a TFID names, and read no more of it."""
    return _fields(text, f"{PREFIX} {shown(text)}")[0]


def _fields(text: str, name: str) -> tuple[str, str, list[str], str | None]:
    """Return the name of the game, and the texts of the points, the two offs and the roll."""
    if not isinstance(text, str):
        refuse(name, f"expected a str, {_LAYOUT}")
    head, *others = text.strip().split(":")
    if head.upper() != f"{PREFIX}{_VERSION}":
        known = re.fullmatch(rf"{PREFIX}([0-9]+)", head, re.IGNORECASE | re.ASCII)
        refuse(name, f"version {known[1]}: expected {_VERSION}" if known else f"expected {_LAYOUT}")
    if len(others) not in (4, 5):
        refuse(name, f"has {len(others) + 1} fields: expected 5 or 6, {_LAYOUT}")
    letter, points, mine, theirs, *roll = others
    game = _NAMES.get(letter)
    if game is None:
        expected = ", ".join(f"{key} ({preset})" for preset, key in LETTERS.items())
        refuse(name, f"game {shown(letter)}: expected one of {expected}")
    return game, points, [mine, theirs], roll[0] if roll else None


def _planes(points: str, rules: Rules, name: str) -> tuple[list[int], list[int]]:
    """Return the checkers of the player on roll and of the opponent, each in his own numbers."""
    mine, theirs = [0] * (BAR + 1), [0] * (BAR + 1)
    at, slot, after_empty = 0, 0, False
    while at < len(points):
        found = _SLOT.match(points, at)
        if found is None or (after_empty and found["empty"]):
            expected = "a number of empty points, A to O, a to o, or _ after these for a pin"
            refuse(name, f"{points[at]!r} at {at} of the points: expected {expected}")
        at, after_empty = found.end(), bool(found["empty"])
        if after_empty:
            slot += int(found["empty"])
            continue
        if slot <= BAR:
            _place(found["stack"], bool(found["pin"]), slot, mine, theirs, rules, name)
        slot += 1
    if slot != BAR + 1:
        refuse(name, f"{slot} points: expected {BAR + 1}, the bars first and last")
    return mine, theirs


def _place(
    stack: str, pin: bool, slot: int, mine: list[int], theirs: list[int], rules: Rules, name: str
) -> None:
    """Put a stack, with the checker that it pins, into one of the slots."""
    is_mine = stack.isupper()
    checkers = ord(stack.upper()) - ord("A") + 1
    if slot in (OFF, BAR):
        if is_mine != (slot == BAR) or pin:
            whose = "the player on roll's, A to O" if slot == BAR else "the opponent's, a to o"
            refuse(name, f"{stack + '_' * pin!r} on a bar: expected {whose}")
        (mine if is_mine else theirs)[BAR] = checkers
        return
    places = [(mine, slot), (theirs, other_side(slot, rules))]
    (owner, point), (other, its_point) = places if is_mine else places[::-1]
    owner[point] = checkers
    other[its_point] = -1 if pin else 0


def _stack(pin: str, checkers: int) -> str:
    """Return a stack as the letter of its height; - if there is none."""
    return chr(ord("A") - 1 + checkers) + pin if checkers else "-"


def _kind(rules: Rules) -> tuple[str, bool]:
    """Return what of the rules a position cannot be read without."""
    return rules.contact, rules.parallel


def preset_of(rules: Rules) -> str:
    """Return the name of the preset that the rules are, or change the least."""

    def distance(name: str) -> tuple[bool, int]:
        preset = RULES[name]
        names = [field.name for field in fields(Rules)]
        changes = sum(getattr(rules, field) != getattr(preset, field) for field in names)
        # Two presets may be equal: they differ in what their names mean to players.
        return preset is not rules, changes

    alike = [name for name in LETTERS if _kind(RULES[name]) == _kind(rules)]
    if not alike:
        raise ValueError(
            f"contact={rules.contact!r} with parallel={rules.parallel}: no game that a TFID names"
            " is of this kind; position_id takes its boards"
        )
    return min(alike, key=distance)
