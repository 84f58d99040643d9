"""Boards and rules for tests: made positions that play may never reach, and how to compare them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from tavli_fast.rules import PORTES, RULES, Rules

Int8Array = npt.NDArray[np.int8]
Rng = np.random.Generator

HITTING = {name: rules for name, rules in RULES.items() if rules.contact == "hit"}
"""The presets that the compiled core plays."""

OFF, BAR = 0, 25
HOME = np.arange(1, 7)
POINTS = np.arange(1, 25)


def start_board(rules: Rules) -> Int8Array:
    """Return the starting position of `rules` as int8[2, 26]."""
    board = np.zeros((2, 26), np.int8)
    for point, checkers in rules.start:
        board[:, point] = checkers
    return board


def other_number(point: Any, rules: Rules) -> Any:
    """Return the number that the other side gives to a point (or to each of an array of them)."""
    return (point + 11) % 24 + 1 if rules.parallel else 25 - point


def why_not_a_board(board: Int8Array, rules: Rules) -> str:
    """Return what makes `board` no position of the game; an empty text if it is one."""
    if board.shape != (2, 26) or board.dtype != np.int8:
        return f"{board.dtype}{board.shape}"
    if (board < -1).any() or (board[:, [OFF, BAR]] < 0).any():
        return "a negative count that is no pin"
    if (abs(board).sum(1) != rules.checkers).any():
        return f"totals {abs(board).sum(1)}, not {rules.checkers}"
    if rules.contact != "hit" and board[:, BAR].any():
        return "a bar in a game without hits"
    if (board[:, OFF] == rules.checkers).all():
        return "both sides have borne off all"
    for point in POINTS:
        mine, theirs = board[0, point], board[1, other_number(point, rules)]
        if -1 in (mine, theirs):
            if rules.contact != "pin":
                return "a pin in a game without pins"
            if max(mine, theirs) < 1:
                return "a pinned checker without a capturer"
        elif mine and theirs:
            return "both sides on one point"
    return ""


def block_set(block: Int8Array) -> set[bytes]:
    """Return boards as a set that can be compared whatever their order."""
    return {board.tobytes() for board in block}


def block_crc32(block: Int8Array) -> int:
    """Return the CRC-32 of the boards' bytes, sorted lexicographically (0 for none)."""
    return zlib.crc32(b"".join(sorted(board.tobytes() for board in block)))


# --- made boards, by a numpy generator -----------------------------------------------------------


def made_boards(rng: Rng, n: int, rules: Rules) -> Int8Array:
    """Return `n` legal boards int8[n, 2, 26] that random games would seldom or never reach.

    Both sides on the bar, closed boards, one to three checkers left, bear-offs with gaps and
    enemy blots between, stacks, blots everywhere, and rarely a game that is over.
    """
    kinds, weights = zip(*_KINDS, strict=True)
    chosen = rng.choice(len(kinds), size=n, p=np.array(weights) / sum(weights))
    boards = np.zeros((n, 2, 26), np.int8)
    for board, kind in zip(boards, chosen, strict=True):
        kinds[kind](rng, board, rules.checkers)
        if rng.random() < 0.5:
            board[:] = board[::-1].copy()
    return boards


def _put(
    rng: Rng, plane: Int8Array, checkers: int, points: Any, off: int = 0, bar: int = 0
) -> None:
    """Lay out a plane: `off` and `bar` as far as there are checkers, the rest on the points."""
    plane[OFF] = min(off, checkers)
    plane[BAR] = min(bar, checkers - plane[OFF])
    rest = checkers - int(plane[OFF]) - int(plane[BAR])
    if not len(points):
        plane[BAR] += rest
        return
    # A small concentration makes towers, a large one spreads the checkers evenly.
    shares = rng.dirichlet(np.full(len(points), rng.choice([0.3, 1.0, 10.0])))
    plane[points] += rng.multinomial(rest, shares).astype(np.int8)


def _split(rng: Rng, points: Any = POINTS) -> tuple[Any, Any]:
    """Share out points (first side's numbers): those of the first side, those of the second."""
    owner = rng.choice(3, size=len(points), p=rng.dirichlet([2, 2, 2]))
    return points[owner == 0], 25 - points[owner == 1]


def _some_off(rng: Rng, checkers: int) -> int:
    """Return a number of checkers borne off: often none, never all."""
    return int(rng.integers(checkers)) if rng.random() < 0.4 else 0


def _scattered(rng: Rng, board: Int8Array, checkers: int) -> None:
    for plane, points in zip(board, _split(rng), strict=True):
        _put(rng, plane, checkers, points, off=_some_off(rng, checkers))


def _on_the_bar(rng: Rng, board: Int8Array, checkers: int) -> None:
    for plane, points in zip(board, _split(rng), strict=True):
        _put(rng, plane, checkers, points, _some_off(rng, checkers), int(rng.integers(1, 6)))


def _closed(rng: Rng, board: Int8Array, checkers: int) -> None:
    """The second side holds as many of the first side's entry points as it can; some on the bar."""
    closed = rng.permutation(HOME)[: min(checkers // 2, int(rng.integers(4, 7)))]
    board[1, closed] = 2
    spare = checkers - 2 * len(closed)
    mine, theirs = _split(rng, np.arange(1, 19))
    _put(rng, board[0], checkers, mine, bar=int(rng.integers(3)))
    rest = np.zeros(26, np.int8)
    _put(rng, rest, spare, theirs if rng.random() < 0.5 else closed)
    board[1] += rest


def _few_left(rng: Rng, board: Int8Array, checkers: int) -> None:
    for plane, points in zip(board, _split(rng), strict=True):
        left = min(int(rng.integers(1, 4)), checkers)
        low = points[points <= rng.choice([6, 12, 24])]
        bar = int(rng.random() < 0.2)
        _put(rng, plane, checkers, low if len(low) else points, checkers - left, bar)


def _bearing_off(rng: Rng, board: Int8Array, checkers: int) -> None:
    """The first side is all at home, with gaps; the second has blots there, or is on the bar."""
    mine = np.sort(rng.permutation(HOME)[: rng.integers(1, 7)])
    _put(rng, board[0], checkers, mine, off=_some_off(rng, checkers))
    free = 25 - np.setdiff1d(POINTS if rng.random() < 0.5 else HOME, mine)
    _put(rng, board[1], checkers, free, _some_off(rng, checkers), int(rng.integers(3)))


def _stacked(rng: Rng, board: Int8Array, checkers: int) -> None:
    mine, theirs = rng.permutation(POINTS)[:2]
    _put(rng, board[0], checkers, [mine], off=_some_off(rng, checkers))
    _put(rng, board[1], checkers, [25 - theirs], off=_some_off(rng, checkers))


def _blots(rng: Rng, board: Int8Array, checkers: int) -> None:
    """The second side is all blots, so that a hit is possible nearly everywhere."""
    order = rng.permutation(POINTS)
    board[1, 25 - order[:checkers]] = 1
    _put(rng, board[0], checkers, order[checkers : checkers + int(rng.integers(1, 9))])


def _spread(rng: Rng, board: Int8Array, checkers: int) -> None:
    """The first side is all blots and little stands in its way: very many plays."""
    order = rng.permutation(POINTS)
    board[0, order[:checkers]] = 1
    _put(rng, board[1], checkers, 25 - order[checkers : checkers + int(rng.integers(1, 4))])


def _over(rng: Rng, board: Int8Array, checkers: int) -> None:
    board[0, OFF] = checkers
    _put(rng, board[1], checkers, POINTS, _some_off(rng, checkers), int(rng.integers(2)))


_KINDS: list[tuple[Callable[[Rng, Int8Array, int], None], int]] = [
    (_scattered, 20),
    (_on_the_bar, 12),
    (_closed, 12),
    (_few_left, 12),
    (_bearing_off, 16),
    (_stacked, 6),
    (_blots, 10),
    (_spread, 6),
    (_over, 2),
]


# --- strategies ----------------------------------------------------------------------------------


def rolls() -> st.SearchStrategy[tuple[int, int]]:
    """Rolls of two dice, in either order."""
    return st.tuples(st.integers(1, 6), st.integers(1, 6))


def house_rules() -> st.SearchStrategy[Rules]:
    """Every rule set of a hitting game that the engine plays, with 1 to 15 checkers."""
    flags = {
        name: st.booleans()
        for name in ("hit_and_run_home", "max_dice", "higher_die", "win_needs_all_dice")
    }
    points = st.lists(st.integers(1, 3), min_size=3, max_size=3).map(sorted)
    needs = st.sampled_from(["home_or_bar", "bar_only"])
    return st.builds(_house_rules, st.integers(1, 15), points, needs, st.fixed_dictionaries(flags))


def _house_rules(checkers: int, points: list[int], needs: str, flags: dict[str, bool]) -> Rules:
    return Rules(
        checkers=checkers,
        start=((24, checkers),),
        single_points=points[0],
        gammon_points=points[1],
        backgammon_points=points[2],
        backgammon_needs=needs,
        **flags,
    )


@st.composite
def boards(draw: st.DrawFn, rules: Rules = PORTES) -> Int8Array:
    """Legal boards int8[2, 26] under `rules`, reachable or not; shrinking takes checkers off."""
    mine = draw(st.sets(st.integers(1, 24)))
    planes = []
    for points in (mine, {25 - point for point in range(1, 25)} - {25 - p for p in mine}):
        # A low reach leaves a side at home or nearly so, which bearing off needs.
        reach = draw(st.sampled_from([6, 7, 12, 24]))
        places = [OFF, *sorted(point for point in points if point <= reach)]
        if len(places) == 1 or draw(st.booleans()):
            places.append(BAR)
        where = st.lists(st.sampled_from(places), min_size=rules.checkers, max_size=rules.checkers)
        planes.append(np.bincount(draw(where), minlength=26))
    board = np.array(planes, np.int8)
    assume(not (board[:, OFF] == rules.checkers).all())
    return board


@st.composite
def boards_and_rules(draw: st.DrawFn) -> tuple[Int8Array, Rules]:
    """A rule set of any house, and a board that is legal under it."""
    rules = draw(house_rules())
    return draw(boards(rules)), rules
