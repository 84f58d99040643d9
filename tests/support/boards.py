"""Boards and rules for tests: made positions that play may never reach, and how to compare them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from tavli_fast.rules.presets import PORTES, RULES, Rules

Int8Array = npt.NDArray[np.int8]
Rng = np.random.Generator

HITTING = {name: rules for name, rules in RULES.items() if rules.contact == "hit"}
"""The presets of games with hits."""

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


Checkers = Mapping[int, int]


def board_of(
    mine: Checkers, theirs: Checkers = MappingProxyType({}), rules: Rules = PORTES
) -> Int8Array:
    """Return a board told in the mover's numbers (25 is the mover's bar, -1 a pinned checker).

    The rest is borne off.
    """
    board = np.zeros((2, 26), np.int8)
    for point, count in mine.items():
        board[0, point] = count
    for point, count in theirs.items():
        board[1, other_number(point, rules)] = count
    board[:, 0] = rules.checkers - abs(board).sum(1)
    return board


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


# --- made boards, by a numpy generator ------------------------------------------------------------


def made_boards(rng: Rng, n: int, rules: Rules) -> Int8Array:
    """Return `n` legal boards int8[n, 2, 26] that random games would seldom or never reach.

    Of every game: one to three checkers left, bear-offs with gaps, stacks, blots everywhere, and
    rarely a game that is over. With hits: both sides on the bar, closed boards. With pins: many
    at once, mothers caught or about to be, pins at home. With blocks: runners before an open or
    a closed gate, heads, primes over each seam and before a trapped enemy, quadrants nearly full.
    """
    kinds, weights = zip(*_KINDS[rules.contact], strict=True)
    chosen = rng.choice(len(kinds), size=n, p=np.array(weights) / sum(weights))
    boards = np.zeros((n, 2, 26), np.int8)
    for board, kind in zip(boards, chosen, strict=True):
        kinds[kind](rng, board, rules)
        if rng.random() < 0.5:
            board[:] = board[::-1].copy()
    return boards


def _put(rng: Rng, plane: Int8Array, rules: Rules, points: Any, off: int = 0, bar: int = 0) -> None:
    """Lay out what a plane still lacks: `off` and `bar` at most, the rest on the points."""
    left = rules.checkers - int(abs(plane).sum())
    plane[OFF] += min(off, left)
    plane[BAR] += min(bar, left - min(off, left))
    rest = rules.checkers - int(abs(plane).sum())
    if not len(points):
        plane[BAR if rules.contact == "hit" else OFF] += rest
        return
    # A small concentration makes towers, a large one spreads the checkers evenly.
    shares = rng.dirichlet(np.full(len(points), rng.choice([0.3, 1.0, 10.0])))
    plane[points] += rng.multinomial(rest, shares).astype(np.int8)


def _split(rng: Rng, rules: Rules, points: Any = POINTS) -> tuple[Any, Any]:
    """Share out points (first side's numbers): those of the first side, those of the second."""
    owner = rng.choice(3, size=len(points), p=rng.dirichlet([2, 2, 2]))
    if rules.contact != "hit" and len(points) > 1:  # no bar to fall back on
        owner[rng.permutation(len(points))[:2]] = [0, 1]
    return points[owner == 0], other_number(points[owner == 1], rules)


def _free(board: Int8Array, rules: Rules) -> Any:
    """Return the points that nobody holds, in the first side's numbers."""
    return POINTS[(board[0, POINTS] == 0) & (board[1, other_number(POINTS, rules)] == 0)]


def _some_off(rng: Rng, rules: Rules) -> int:
    """Return a number of checkers borne off: often none, never all."""
    return int(rng.integers(rules.checkers)) if rng.random() < 0.4 else 0


def _scattered(rng: Rng, board: Int8Array, rules: Rules) -> None:
    for plane, points in zip(board, _split(rng, rules), strict=True):
        _put(rng, plane, rules, points, off=_some_off(rng, rules))


def _few_left(rng: Rng, board: Int8Array, rules: Rules) -> None:
    for plane, points in zip(board, _split(rng, rules), strict=True):
        left = min(int(rng.integers(1, 4)), rules.checkers)
        low = points[points <= rng.choice([6, 12, 24])]
        bar = int(rng.random() < 0.2) if rules.contact == "hit" else 0
        _put(rng, plane, rules, low if len(low) else points, rules.checkers - left, bar)


def _bearing_off(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The first side is all at home, with gaps; the second has blots there, or is on the bar."""
    mine = np.sort(rng.permutation(HOME)[: rng.integers(1, 7)])
    _put(rng, board[0], rules, mine, off=_some_off(rng, rules))
    free = other_number(np.setdiff1d(POINTS if rng.random() < 0.5 else HOME, mine), rules)
    bar = int(rng.integers(3)) if rules.contact == "hit" else 0
    _put(rng, board[1], rules, free, _some_off(rng, rules), bar)
    if (board[:, OFF] == rules.checkers).all():
        board[0, OFF] -= 1
        board[0, mine[0]] += 1


def _stacked(rng: Rng, board: Int8Array, rules: Rules) -> None:
    mine, theirs = rng.permutation(POINTS)[:2]
    _put(rng, board[0], rules, [mine], off=_some_off(rng, rules))
    _put(rng, board[1], rules, [other_number(theirs, rules)], off=_some_off(rng, rules))


def _blots(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The second side is all blots: with contact, nearly everywhere it can be hit or pinned."""
    order = rng.permutation(POINTS)
    board[1, other_number(order[: rules.checkers], rules)] = 1
    last = rules.checkers + int(rng.integers(1, 9))
    _put(rng, board[0], rules, order[rules.checkers : last])


def _spread(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The first side is all blots and little stands in its way: very many plays."""
    order = rng.permutation(POINTS)
    board[0, order[: rules.checkers]] = 1
    last = rules.checkers + int(rng.integers(1, 4))
    _put(rng, board[1], rules, other_number(order[rules.checkers : last], rules))


def _over(rng: Rng, board: Int8Array, rules: Rules) -> None:
    board[0, OFF] = rules.checkers
    bar = int(rng.integers(2)) if rules.contact == "hit" else 0
    _put(rng, board[1], rules, POINTS, _some_off(rng, rules), bar)


# Games with hits.


def _on_the_bar(rng: Rng, board: Int8Array, rules: Rules) -> None:
    for plane, points in zip(board, _split(rng, rules), strict=True):
        _put(rng, plane, rules, points, _some_off(rng, rules), int(rng.integers(1, 6)))


def _closed(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The second side holds as many of the first side's entry points as it can; some on the bar."""
    closed = rng.permutation(HOME)[: min(rules.checkers // 2, int(rng.integers(4, 7)))]
    board[1, closed] = 2
    mine, theirs = _split(rng, rules, np.arange(1, 19))
    _put(rng, board[0], rules, mine, bar=int(rng.integers(3)))
    _put(rng, board[1], rules, theirs if rng.random() < 0.5 else closed)


# Games with pins.


def _pin(board: Int8Array, plane: int, points: Any, rules: Rules) -> None:
    """Pin a checker of one side on each of the points (first side's numbers)."""
    for number, side in ((points, 0), (other_number(points, rules), 1)):
        board[side, number] = -1 if side == plane else 1


def _pins(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """Up to eight checkers of each side are pinned."""
    order = rng.permutation(POINTS)
    mine = int(rng.integers(min(rules.checkers, 8) + 1))
    theirs = int(rng.integers(min(rules.checkers - mine, 8) + 1))
    _pin(board, 0, order[:mine], rules)
    _pin(board, 1, order[mine : mine + theirs], rules)
    for plane, points in zip(board, _split(rng, rules, _free(board, rules)), strict=True):
        # The rest stacks up on the pins, stands elsewhere, or both.
        on_pins = np.flatnonzero(plane[1:25] > 0) + 1
        places = [points, on_pins, np.union1d(points, on_pins)][rng.integers(3)]
        _put(rng, plane, rules, places if len(places) else points, _some_off(rng, rules))


def _pinned_at_home(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The first side is all at home with a checker or two pinned there."""
    order = rng.permutation(HOME)
    pinned = order[: min(int(rng.integers(1, 3)), rules.checkers)]
    _pin(board, 0, pinned, rules)
    mine = order[len(pinned) : int(rng.integers(len(pinned) + 1, 7))]
    _put(rng, board[0], rules, mine, off=_some_off(rng, rules))
    theirs = np.union1d(np.setdiff1d(POINTS, mine), pinned)
    _put(rng, board[1], rules, other_number(theirs, rules), off=_some_off(rng, rules))


def _mothers(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The last checkers on both starts: caught, about to be, on their way, or gone."""
    for side, plane in enumerate(board):
        room = rules.checkers - int(abs(board).sum(1).max())
        caught = room > 0 and rng.random() < 0.4
        if caught:
            _pin(board, side, np.array([24 if side == 0 else 1]), rules)
        else:
            plane[24] = min(int(rng.integers(3)), rules.checkers - int(abs(plane).sum()))
    middle = np.arange(2, 24)
    mine, theirs = _split(rng, rules, middle)
    for plane, points in ((board[0], mine), (board[1], theirs)):
        # Often close to the other's mother.
        close = points[points <= 7]
        chosen = close if len(close) and rng.random() < 0.5 else points
        _put(rng, plane, rules, chosen, off=_some_off(rng, rules))


# Games with blocks.


def _around(point: int) -> int:
    """Return the point on the board, where counting has gone past 24 or below 1."""
    return (point - 1) % 24 + 1


def _starting(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The first side is on the head but for a runner or two, at any gate or far from it."""
    away = min(int(rng.integers(3)), rules.checkers)
    gate = int(rng.choice([11, 12, 6]))
    for _ in range(away):
        near = gate + int(rng.integers(-1, 3))
        board[0, near if rng.random() < 0.6 else int(rng.integers(1, 24))] += 1
    board[0, 24] += rules.checkers - away
    free = _free(board, rules)
    if rng.random() < 0.4:  # the way of the foremost is closed but for a point or two
        first = int(np.flatnonzero(board[0, 1:])[0]) + 1
        ahead = np.intersect1d(free, np.arange(first - 6, first))
        ahead = rng.permutation(ahead)[: int(rng.integers(4, 7))]
        for number in other_number(ahead, rules)[: rules.checkers]:
            board[1, number] = 1
    places = other_number(free, rules)
    few = rng.permutation(places)[: int(rng.integers(1, 5))]
    _put(rng, board[1], rules, few if rng.random() < 0.5 else places)


def _prime(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """A prime of the first side, whole or half built, anywhere on the board, over its seams too."""
    first = int(rng.choice([int(rng.integers(1, 25)), 20, 23, 8, 11]))
    length = rules.prime_len + int(rng.integers(2))
    points = np.array([_around(first + i) for i in range(length)])
    missing = int(rng.choice([0, 0, 1, 1, 2]))  # none, or one or two of its points
    held = rng.permutation(points)[missing:][: rules.checkers]
    board[0, held] = 1
    behind = _around(first + length)
    spare = np.array([_around(first + i) for i in range(length + 7)])
    spare = np.setdiff1d(spare, [behind])
    few = rng.permutation(spare)[: int(rng.integers(1, 4))]
    elsewhere = np.setdiff1d(POINTS, [behind])
    _put(rng, board[0], rules, [few, held, elsewhere][rng.integers(3)] if len(held) else few)
    free = other_number(_free(board, rules), rules)
    kind = rng.integers(4)
    if kind == 0:  # the enemy is on the one point behind it
        _put(rng, board[1], rules, [other_number(behind, rules)])
    elif kind == 1:  # and one has come past, or is somewhere else
        board[1, other_number(behind, rules)] = rules.checkers - 1
        _put(rng, board[1], rules, free, off=int(rng.integers(2)))
    else:
        few = rng.permutation(free)[: int(rng.integers(1, 4))]
        _put(rng, board[1], rules, few, off=_some_off(rng, rules) if kind == 3 else 0)


def _last_gap(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """The first side's home lacks a point, and the enemy behind it waits to see whether it closes.

    Little else can move, so that a roll may leave no choice but to trap him or to stop.
    """
    held = np.setdiff1d(HOME, [int(rng.integers(1, 7))])[: rules.checkers]
    board[0, held] = 1
    _put(rng, board[1], rules, [other_number(7, rules)])
    few = rng.permutation(np.arange(8, 20))[: int(rng.integers(1, 3))]
    for point in few[: rules.checkers - len(held)]:
        board[0, point] = 1
    stuck = [held[0]] if len(held) else few
    _put(rng, board[0], rules, stuck, off=int(rng.integers(rules.checkers)))


def _quadrant(rng: Rng, board: Int8Array, rules: Rules) -> None:
    """Four to six points of a start quadrant are held, and there are checkers to hold more."""
    low = int(rng.choice([7, 19]))
    points = rng.permutation(np.arange(low, low + 6))
    held = points[: min(int(rng.integers(4, 7)), rules.checkers)]
    board[0, held] = 1
    above = np.arange(low, min(low + 12, 25))
    _put(rng, board[0], rules, above if rng.random() < 0.7 else POINTS, off=0)
    free = other_number(_free(board, rules), rules)
    few = rng.permutation(free)[: int(rng.integers(1, 6))]
    _put(rng, board[1], rules, few, off=_some_off(rng, rules))


_Kind = Callable[[Rng, Int8Array, Rules], None]

_KINDS: dict[str, list[tuple[_Kind, int]]] = {
    "hit": [
        (_scattered, 20),
        (_on_the_bar, 12),
        (_closed, 12),
        (_few_left, 12),
        (_bearing_off, 16),
        (_stacked, 6),
        (_blots, 10),
        (_spread, 6),
        (_over, 2),
    ],
    "pin": [
        (_scattered, 12),
        (_pins, 22),
        (_pinned_at_home, 12),
        (_mothers, 20),
        (_few_left, 8),
        (_bearing_off, 8),
        (_stacked, 4),
        (_blots, 8),
        (_spread, 4),
        (_over, 2),
    ],
    "none": [
        (_scattered, 12),
        (_starting, 22),
        (_prime, 24),
        (_last_gap, 4),
        (_quadrant, 12),
        (_few_left, 6),
        (_bearing_off, 10),
        (_stacked, 3),
        (_blots, 4),
        (_spread, 3),
        (_over, 2),
    ],
}


# --- strategies -----------------------------------------------------------------------------------


def rolls() -> st.SearchStrategy[tuple[int, int]]:
    """Rolls of two dice, in either order."""
    return st.tuples(st.integers(1, 6), st.integers(1, 6))


@st.composite
def house_rules(draw: st.DrawFn, contacts: tuple[str, ...] = ("hit", "pin", "none")) -> Rules:
    """Every rule set that can be constructed, with 1 to 15 checkers (1 to 3 in a cascade).

    More checkers in a cascade can make millions of positions.
    """

    def one_of(*values: Any) -> Any:
        return draw(st.sampled_from(values))

    contact, flags = one_of(*contacts), st.booleans()
    cascade = draw(flags)
    checkers = draw(st.integers(1, 3 if cascade else 15))
    rules: dict[str, Any] = {
        "checkers": checkers,
        "start": draw(starts(checkers)),
        "contact": contact,
        "cascade": cascade,
        "block_at": 1 if contact == "none" else 2,
    }
    switches = ["max_dice", "higher_die", "win_needs_all_dice", "trap_first"]
    switches += ["bearoff_oversize", "bearoff_internal"]
    switches += {"hit": ["hit_and_run_home"], "pin": ["bearoff_while_pinned"], "none": []}[contact]
    rules |= {name: draw(flags) for name in switches}
    low, mid, high = sorted(draw(st.tuples(*[st.integers(1, 3)] * 3)))
    rules |= {"single_points": low, "gammon_points": mid, "backgammon_points": high}
    rules["backgammon_needs"] = one_of("home_or_bar", "bar_only")
    all_on_24 = rules["start"] == ((24, checkers),)
    if contact == "none":
        rules["parallel"] = draw(flags)
        rules["runner_gate"] = one_of(None, 11, 12, 6, draw(st.integers(1, 23)))
        if all_on_24:
            rules["head_limit"] = one_of(None, 1, 2, draw(st.integers(1, 15)))
        if rules.get("head_limit"):
            rules["head_first_turn"] = tuple(draw(st.sets(st.integers(1, 6))))
        rules["prime_len"] = draw(st.integers(2, 6))
        rules["prime_check"] = one_of("submove", "turn_end")
    if rules.get("parallel"):
        rules["own_start_prime"] = one_of("allowed", "forbidden")
        rules["opp_start_prime"] = one_of("allowed", "forbidden")
        rules["opp_start_max"] = draw(st.integers(1, 6))
        rules["trap"] = one_of("none", "single_point", "immobile", "need_ahead")
    if contact == "pin" and all_on_24:
        rules["mother"] = one_of("none", "lose_unless_own_start", "lose_always", "draw_only")
        rules["mother_points"] = draw(st.integers(1, 3))
        rules["mother_draw"] = rules["mother"] == "draw_only" or draw(flags)
        rules["mother_ends"] = one_of("turn_end", "immediate")
    return Rules(**rules)


@st.composite
def starts(draw: st.DrawFn, checkers: int) -> tuple[tuple[int, int], ...]:
    """Starts with all checkers on the 24-point, or spread over 13 to 24, where none can meet."""
    points = [24]
    if draw(st.booleans()):
        points = draw(st.lists(st.integers(13, 24), min_size=checkers, max_size=checkers))
    counts = {point: points.count(point) for point in sorted(set(points), reverse=True)}
    return ((24, checkers),) if len(points) == 1 else tuple(counts.items())


@st.composite
def boards(draw: st.DrawFn, rules: Rules = PORTES) -> Int8Array:
    """Legal boards int8[2, 26] under `rules`, reachable or not; shrinking takes checkers off."""
    points = st.integers(1, 24)
    board = np.zeros((2, 26), np.int8)
    if rules.contact == "none" and draw(st.booleans()):  # a prime, or most of one
        first = draw(points)
        prime = [_around(first + i) for i in range(rules.prime_len)][: rules.checkers]
        board[0, prime] = draw(st.lists(st.integers(0, 1), min_size=6, max_size=6))[: len(prime)]
    mine = draw(st.sets(points)).union(np.flatnonzero(board[0]).tolist())
    theirs = {other_number(point, rules) for point in set(range(1, 25)) - mine}
    if rules.contact == "pin":
        most = rules.checkers
        for side, held in ((1, mine), (0, theirs)):
            if held:
                pinned = draw(st.sets(st.sampled_from(sorted(held)), max_size=min(most, 6)))
                most -= len(pinned)
                board[side, [other_number(point, rules) for point in pinned]] = -1
                board[1 - side, sorted(pinned)] = 1
    for plane, held in zip(board, (mine, theirs), strict=True):
        # A low reach leaves a side at home or nearly so, which bearing off needs.
        reach = draw(st.sampled_from([6, 7, 12, 24]))
        places = [OFF, *sorted(point for point in held if point <= reach)]
        if rules.contact == "hit" and (len(places) == 1 or draw(st.booleans())):
            places.append(BAR)
        left = rules.checkers - int(abs(plane).sum())
        where = st.lists(st.sampled_from(places), min_size=left, max_size=left)
        plane += np.bincount(draw(where), minlength=26).astype(np.int8)
    assume(not (board[:, OFF] == rules.checkers).all())
    return board


@st.composite
def boards_and_rules(
    draw: st.DrawFn, contacts: tuple[str, ...] = ("hit", "pin", "none")
) -> tuple[Int8Array, Rules]:
    """A rule set of any house, and a board that is legal under it."""
    rules = draw(house_rules(contacts))
    return draw(boards(rules)), rules
