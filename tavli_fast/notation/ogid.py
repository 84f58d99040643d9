"""OGID: the text of a position that OpenGammon uses.

Source: public OGIDs with the XGIDs of the same positions.
"""

from __future__ import annotations

import re
from typing import Final

from tavli_fast._common.arguments import BAR, OFF
from tavli_fast.boards.id_text import beyond_backgammon, position, refuse, shown
from tavli_fast.boards.tfid import start_tfid
from tavli_fast.errors import NotationError
from tavli_fast.notation.xgid import XGID
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["from_ogid", "is_ogid", "to_ogid"]

_PIPS: Final = "0123456789abcdefghijklmnop"
_TEXT: Final = re.compile(
    r"([0-9a-p]{0,15}):([0-9a-p]{0,15}):([NWBD?])([0-9a-f])([NOTP])?:([1-6]{2})?:([WB]?):"
    r"([A-Z]{0,3}):([0-9]{1,5}):([0-9]{1,5}):([0-9]{1,5})([LC]?)(?::[0-9]*)?(?::([0-9]{1,2}))?"
)


def is_ogid(text: str) -> bool:
    """Return whether a text is laid out as an OGID."""
    return _TEXT.fullmatch(text.strip()) is not None


def from_ogid(text: str, rules: RulesLike | None = None) -> XGID:
    """Return the position, the roll, the cube and the score of an OGID.

    Args:
        text: the OGID.
        rules: the rules of the board; None for Portes.

    Returns:
        An `XGID`; its `turn` is 1 if White is on roll.

    Raises:
        NotationError: the text is no OGID, or not one of a possible position.

    Examples:
        >>> import tavli_fast as tf
        >>> found = tf.from_ogid("11ccccchhhjjjjj:66666888dddddoo:N0N::W:IW:0:0:1:0")
        >>> (found.board == tf.start()).all(), found.dice
        (np.True_, None)
    """
    checked = resolve_rules(rules)
    name = f"OGID {shown(text)}"
    if what := beyond_backgammon(checked):
        refuse(name, f"it cannot hold {what}: expected a TFID, such as {start_tfid(checked)}")
    found = _TEXT.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        layout = "<white>:<black>:cube:dice:acted:state:score:score:length:move"
        refuse(name, f"expected {layout}")
    white, black, owner, log_cube, action, dice, acted, state, first, second, length, flag, few = (
        found.groups()
    )
    if few is not None and int(few) != checked.checkers:
        refuse(name, f"{few} checkers a side: expected {checked.checkers}, or other rules=")
    sides = [0] * (BAR + 1), [0] * (BAR + 1)
    for letter in white:
        sides[0][BAR - _PIPS.index(letter)] += 1
    for letter in black:
        sides[1][_PIPS.index(letter)] += 1
    for plane, colour in zip(sides, ("White", "Black"), strict=True):
        if plane[OFF]:
            refuse(
                name, f"{colour} has a checker at its own end: expected those off to be left out"
            )
    doubled = action == "O"
    starter = state[1:2] if state[:1] == "I" and dice is None else ""
    # The field names who acted last: the other one is on roll, but for a double that was offered.
    on_roll = starter or (acted if doubled else {"W": "B", "B": "W"}.get(acted, "W"))
    turn = 1 if on_roll == "W" else -1
    cube_owner = {"W": 1, "B": -1}.get(owner, 0) * turn
    scores = (int(first), int(second))[::turn]
    board = position(sides[::turn], checked, name)
    try:
        return XGID(
            board,
            None if dice is None else (int(dice[1]), int(dice[0])),
            cube=2 ** int(log_cube, 16),
            cube_owner=cube_owner,
            turn=turn,
            pending="double" if doubled else None,
            scores=(scores[0], scores[1]),
            match_length=int(length),
            crawford=flag == "C" and int(length) > 0,
            max_cube=2**15,
            rules=None if rules is None else checked,  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise NotationError(f"{name}: {error}") from error


def to_ogid(xgid: XGID) -> str:
    """Return an `XGID` as an OGID: the side of its capital letters is White.

    Args:
        xgid: the position, the roll, the cube and the score.

    Raises:
        ValueError: a beaver waits for its answer.
    """
    if xgid.pending not in (None, "double"):
        raise ValueError(f"a {xgid.pending} that waits for its answer: an OGID has none")
    white, black = xgid.board[:: xgid.turn].tolist()
    on_roll, other = ("W", "B") if xgid.turn == 1 else ("B", "W")
    sides = [
        "".join(_PIPS[pip] * white[BAR - pip] for pip in range(BAR)),
        "".join(_PIPS[pip] * black[pip] for pip in range(1, BAR + 1)),
    ]
    owner = {0: "N", 1: on_roll, -1: other}[xgid.cube_owner]
    doubled = xgid.pending == "double"
    dice = "" if xgid.dice is None else "".join(map(str, sorted(xgid.dice)))
    few = "" if xgid.rules.checkers == 15 else f":{xgid.rules.checkers}"
    scores = xgid.scores[:: xgid.turn]
    return (
        f"{sides[0]}:{sides[1]}:{owner}{xgid.cube.bit_length() - 1:x}{'O' if doubled else 'N'}:"
        f"{dice}:{on_roll if doubled else other}:R:{scores[0]}:{scores[1]}:{xgid.match_length}"
        f"{'C' if xgid.crawford else ''}:0{few}"
    )
