"""GNU Backgammon's two IDs together: a position, and with its Match ID the roll, cube and score.

Source: GNU Backgammon's manual, "Match ID", as observed on 1.07.
"""

from __future__ import annotations

import re
from typing import Any, Final

from tavli_fast.boards.id_text import refuse, shown
from tavli_fast.errors import NotationError
from tavli_fast.notation.base64_ids import decoded, encoded
from tavli_fast.notation.xgid import XGID
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["MATCH_CHARACTERS", "ids_in", "match_fields", "match_id"]

MATCH_CHARACTERS: Final = 12
_BITS: Final = 72
_PREFIXED: Final = re.compile(r"GNUBGID\s*=\s*([A-Za-z0-9+/]+):([A-Za-z0-9+/]+)", re.I)
_POSITION: Final = re.compile(r"Position[ -]ID\s*:\s*([A-Za-z0-9+/]{14})(?![A-Za-z0-9+/])", re.I)
_MATCH: Final = re.compile(r"Match[ -]ID\s*:\s*([A-Za-z0-9+/]{12})(?![A-Za-z0-9+/])", re.I)
_LAYOUT: Final = (
    ("log_cube", 0, 4), ("owner", 4, 2), ("move", 6, 1), ("crawford", 7, 1), ("state", 8, 3),
    ("turn", 11, 1), ("doubled", 12, 1), ("resigned", 13, 2), ("die0", 15, 3), ("die1", 18, 3),
    ("length", 21, 15), ("score0", 36, 15), ("score1", 51, 15), ("no_jacoby", 66, 1),
)  # fmt: skip
"""The fields: a name, the first bit, and how many there are."""


def ids_in(text: str) -> tuple[str, str] | None:
    """Return the Position ID and the Match ID in a text, such as what GNU Backgammon copies to the
    clipboard; None if there are not both."""
    if found := _PREFIXED.search(text):
        return found[1], found[2]
    position, match = _POSITION.search(text), _MATCH.search(text)
    return None if position is None or match is None else (position[1], match[1])


def match_fields(text: str, board: Any, rules: RulesLike | None) -> XGID:
    """Return what a Match ID tells beside a board, as an `XGID`.

    Raises:
        NotationError: it is no Match ID, or not a possible one.
    """
    name = f"Match ID {shown(text)}"
    bits = int.from_bytes(decoded(text, MATCH_CHARACTERS, name), "little")
    field = {key: bits >> first & (1 << count) - 1 for key, first, count in _LAYOUT}
    if field["resigned"]:
        refuse(name, "a resignation waits for an answer; expected a roll, a double, or none")
    dice: tuple[int, int] | None = (field["die0"], field["die1"])
    if dice == (0, 0):
        dice = None
    elif not all(1 <= die <= 6 for die in dice or ()):
        refuse(name, f"dice {field['die0']} and {field['die1']}: expected 1 to 6, or both 0")
    move, length = field["move"], field["length"]
    owner = {3: 0, move: 1}.get(field["owner"], -1)
    scores = field[f"score{move}"], field[f"score{1 - move}"]
    doubled = bool(field["doubled"])
    try:
        return XGID(
            board,
            None if doubled else dice,
            cube=2 ** field["log_cube"],
            cube_owner=owner,
            turn=1 if move else -1,
            pending="double" if doubled else None,
            scores=scores,
            match_length=length,
            crawford=bool(field["crawford"]),
            jacoby=not length and not field["no_jacoby"],
            max_cube=2**15,
            rules=None if rules is None else resolve_rules(rules),  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise NotationError(f"{name}: {error}") from error


def match_id(xgid: XGID) -> str:
    """Return the Match ID of the roll, the cube and the score of an `XGID`, 12 characters.

    Raises:
        ValueError: a beaver waits for its answer, for which there is no bit.
    """
    if xgid.pending not in (None, "double"):
        raise ValueError(f"a {xgid.pending} that waits for its answer: a Match ID cannot hold it")
    move = int(xgid.turn == 1)
    dice = sorted(xgid.dice or (0, 0), reverse=True)
    doubled = int(xgid.pending == "double")
    scores = xgid.scores[::-1] if move else xgid.scores
    values = {
        "log_cube": xgid.cube.bit_length() - 1,
        "owner": {0: 3, 1: move, -1: 1 - move}[xgid.cube_owner],
        "move": move,
        "crawford": int(xgid.crawford),
        "state": 1,
        "turn": 1 - move if doubled else move,
        "doubled": doubled,
        "resigned": 0,
        "die0": dice[0],
        "die1": dice[1],
        "length": xgid.match_length,
        "score0": scores[0],
        "score1": scores[1],
        "no_jacoby": int(not xgid.jacoby),
    }
    bits = 0
    for key, first, count in _LAYOUT:
        if values[key] >= 1 << count:
            raise ValueError(f"{key}={values[key]}: a Match ID has {count} bits for it")
        bits |= values[key] << first
    return encoded(bits.to_bytes(_BITS // 8, "little"))
