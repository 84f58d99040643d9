"""FIBS board lines: ``board:`` and 52 values, as the server sends them to its clients.

Source: the FIBS client protocol, as observed on public lines and on GNU Backgammon's external
player.
"""

from __future__ import annotations

from typing import Final

from tavli_fast._common.arguments import BAR, OFF
from tavli_fast.boards.id_text import beyond_backgammon, position, refuse, shown
from tavli_fast.boards.tfid import start_tfid
from tavli_fast.errors import NotationError
from tavli_fast.notation.xgid import XGID
from tavli_fast.rules.presets import RulesLike, resolve_rules

__all__ = ["from_fibs", "is_fibs", "to_fibs"]

_UNLIMITED: Final = 9999
"""The length of a match that has none."""
_VALUES: Final = 52


def is_fibs(text: str) -> bool:
    """Return whether a text begins as a board line does."""
    return text.lstrip().lower().startswith("board:") and text.count(":") > 20


def from_fibs(text: str, rules: RulesLike | None = None) -> XGID:
    """Return the position, the roll, the cube and the score of a FIBS board line.

    Args:
        text: the line.
        rules: the rules of the board; None for Portes.

    Returns:
        An `XGID`, its player on roll the one whose turn it is.

    Raises:
        NotationError: it is no board line, or not one of a possible position.

    Examples:
        >>> import tavli_fast as tf
        >>> line = tf.to_fibs(tf.from_xgid("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:4:0:7:10"))
        >>> tf.from_fibs(line).dice, tf.from_fibs(line).scores
        ((3, 1), (2, 4))
    """
    checked = resolve_rules(rules)
    name = f"FIBS board line {shown(text)}"
    if what := beyond_backgammon(checked):
        refuse(name, f"it cannot hold {what}: expected a TFID, such as {start_tfid(checked)}")
    if not isinstance(text, str):
        refuse(name, "expected a str")
    fields = text.strip().split(":")
    if fields[0].lower() != "board" or len(fields) < 49:
        refuse(name, f"has {len(fields) - 1} values: expected board: and {_VALUES} values")
    values = _numbers(fields[3:], name)
    length, score, other = values[:3]
    slots, turn, dice = values[3:29], values[29], values[30:34]
    cube, mine, theirs, doubled, colour, direction = values[34:40]
    if abs(colour) != 1 or abs(direction) != 1 or abs(turn) > 1:
        refuse(name, f"colour {colour}, direction {direction}, turn {turn}: expected 1 or -1")
    you, they = [0] * (BAR + 1), [0] * (BAR + 1)
    for slot in range(1, BAR):
        checkers = slots[slot] * colour
        own = slot if direction == -1 else BAR - slot
        (you if checkers > 0 else they)[own if checkers > 0 else BAR - own] += abs(checkers)
    own_bar, their_bar = (BAR, OFF) if direction == -1 else (OFF, BAR)
    you[BAR] = max(abs(slots[own_bar]), values[44])
    they[BAR] = max(abs(slots[their_bar]), values[45])
    yours = turn in (colour, 0)
    sides, scores = ((you, they), (score, other)) if yours else ((they, you), (other, score))
    roll = tuple(dice[:2] if yours else dice[2:])
    owner = 0 if bool(mine) == bool(theirs) else 1 if bool(mine) == yours else -1
    pending = bool(doubled) or (not mine and not theirs and roll == (0, 0) and turn != 0)
    match = 0 if length >= _UNLIMITED else length
    away = [match - points for points in scores]
    crawford_over = len(values) > 48 and bool(values[48])
    board = position(sides, checked, name)
    try:
        return XGID(
            board,
            (roll[0], roll[1]) if any(roll) and not pending else None,
            cube=cube,
            cube_owner=owner,
            turn=1 if yours else -1,
            pending="double" if pending else None,
            scores=scores if match else (min(scores[0], 99_999), min(scores[1], 99_999)),
            match_length=match,
            crawford=bool(match) and 1 in away and not crawford_over,
            max_cube=2**15,
            rules=None if rules is None else checked,  # type: ignore[arg-type]
        )
    except ValueError as error:
        raise NotationError(f"{name}: {error}") from error


def to_fibs(xgid: XGID, players: tuple[str, str] = ("You", "Opponent")) -> str:
    """Return an `XGID` as a FIBS board line, seen by the player on roll.

    Args:
        xgid: the position; its player on roll is X and moves from 24 to 1.
        players: the names, without colons.

    Raises:
        ValueError: a name has a colon, or a beaver waits for its answer.
    """
    first, second = (str(name).strip() or "?" for name in players)
    if ":" in first + second:
        raise ValueError(f"players={shown(players)}: expected names without colons")
    if xgid.pending not in (None, "double"):
        raise ValueError(f"a {xgid.pending} that waits for its answer: a board line has none")
    mine, theirs = xgid.board.tolist()
    slots = [mine[slot] - theirs[BAR - slot] for slot in range(1, BAR)]
    dice = xgid.dice or (0, 0)
    may = (int(xgid.cube_owner >= 0), int(xgid.cube_owner <= 0))
    doubled = int(xgid.pending == "double")
    over = bool(xgid.match_length) and not xgid.crawford
    over = over and max(xgid.scores) == xgid.match_length - 1
    values = [
        xgid.match_length or _UNLIMITED, *xgid.scores, -theirs[BAR], *slots, mine[BAR], 1, *dice,
        0, 0, xgid.cube, *((0, 0) if doubled else may), doubled, 1, -1, 0, 25, mine[OFF],
        theirs[OFF], mine[BAR], theirs[BAR], 0, 0, int(over), 0,
    ]  # fmt: skip
    return ":".join(["board", first, second, *map(str, values)])


def _numbers(fields: list[str], name: str) -> list[int]:
    """Return fields as whole numbers."""
    values = []
    for field in fields:
        try:
            value = int(field)
        except ValueError:
            refuse(name, f"the value {shown(field)}: expected a whole number")
        if abs(value) > 99_999:
            refuse(name, f"the value {value}: expected -99999 to 99999")
        values.append(value)
    return values
