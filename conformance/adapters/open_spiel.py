"""OpenSpiel (pip install open_spiel), whose states can be had by moves alone.

But its `apply_action` does not ask whether a move is legal. So a position is set up by moves of
single checkers while the other side passes: once, all checkers of both sides are hit; then they
enter and go where they belong. What is asked from there on is the engine's own.
"""

import itertools
from functools import cache

import pyspiel

DIGITS = "0123456789abcdef"
BAR = 25
PASS = 25 * 26 + 25
MIXED = list(itertools.combinations(range(1, 7), 2))
SAME_MOVES = ("backgammon", "nackgammon", "longgammon", "portes", "portes_cube")
SAME_POINTS = ("backgammon", "portes_cube")


def place_of(player, point):
    """The engine's number of a point: X, player 0, goes up, and O goes down."""
    return point - 1 if player else 24 - point


def on(state, player, point):
    return state.board(player, 100 if point == BAR else place_of(player, point))


def roll(state, player, die1, die2):
    """Make a roll of a player's; the other one passes if it is its turn."""
    while True:
        low, high = sorted((die1, die2))
        mixed = low != high
        state.apply_action(2 * MIXED.index((low, high)) + player if mixed else 29 + low)
        if state.current_player() == player:
            return
        while not state.is_chance_node():
            state.apply_action(PASS)


def move(state, player, point, die):
    """Move one checker, legally or not, and none with the other die."""
    other = 2 if die == 1 else 1
    roll(state, player, die, other)
    place = 24 if point == BAR else place_of(player, point)
    state.apply_action(place + 26 * 25 if die > other else 25 + 26 * place)


def way(state, player, first, last):
    """The points from one to another, 0 being off, in few moves that end on no blot."""
    ways, seen = [[first]], {first}
    for points in ways:
        for die in range(1, 7):
            point = max(points[-1] - die, 0)
            blot = point and on(state, 1 - player, 25 - point) == 1
            if point == last:
                return [*points, last]
            if point > last and not blot and point not in seen:
                seen.add(point)
                ways.append([*points, point])
    raise ValueError("there is a blot on every way")


def walk(state, player, first, last):
    for here, there in itertools.pairwise(way(state, player, first, last)):
        move(state, player, here, here - there)


@cache
def all_hit():
    """A state with 14 checkers of X and all of O on the bar, the last of X on its 24 point."""
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring,max_player_turns=100000)")
    state = game.new_initial_state()
    for player in (0, 0, 1, 1):
        walk(state, player, 24, 2)
    # X brings its checkers to its ace point one by one, where O hits them from the bar; on the way
    # each hits the one that hit before it. Then O brings its own.
    for player in (0, 1):
        for point in (2, 6, 8, 13, 24):
            while on(state, player, point):
                walk(state, player, point, 1)
                move(state, 1 - player, BAR, 1)
    return state


def set_up(board):
    """A state with X on roll in a position."""
    sides = [[DIGITS.index(c) for c in part] for part in (board[:26], board[26:])]
    state = all_hit().clone()
    waiting = [[24, *[BAR] * 14], [BAR] * 15]
    # X's stacks, then O, then X's blots, so that nobody is in the way. The game ends with the last
    # checker of a side that has borne off all.
    order = sorted(
        (n == 15 and not point, 1 if player else 2 * (n == 1), player, point, n)
        for player, side in enumerate(sides)
        for point, n in enumerate(side)
        if n and point < BAR
    )
    for *_, player, point, n in order:
        for _ in range(n):
            first = 24 if 24 in waiting[player] else BAR
            waiting[player].remove(first)
            if first != point:
                walk(state, player, first, point)
    if text_of(state) != board:
        raise ValueError(f"set up as {text_of(state)}, not as {board}")
    return state


def text_of(state, player=0):
    sides = [[on(state, each, p) for p in range(1, 26)] for each in (player, 1 - player)]
    return "".join(DIGITS[n] for side in sides for n in [15 - sum(side), *side])


def supports(rules, changes):
    return rules in SAME_MOVES and not changes


def plays(rules, changes, board, dice):
    state = set_up(board)
    if state.is_terminal():
        return []
    roll(state, 0, *dice)
    after, states = set(), [state]
    for each in states:
        for action in each.legal_actions():
            child = each.child(action)
            if (
                not child.is_terminal() and child.current_player() == 0
            ):  # the second half of doubles
                states.append(child)
            else:
                after.add(text_of(child))
    return after - {board}


def outcome(rules, changes, board):
    if rules not in SAME_POINTS:
        return None
    state = set_up(board)
    return int(state.player_return(0)) if state.is_terminal() else ""
