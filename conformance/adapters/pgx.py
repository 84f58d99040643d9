"""pgx (pip install pgx jax), whose turns are moves of one checker.

It has no call that sets up a position, so the functions behind its environment are asked.
"""

import jax
import numpy as np
from pgx.backgammon import (
    _calc_win_score,
    _flip_board,
    _is_all_off,
    _legal_action_mask,
    _move,
    _update_playable_dice,
)

DIGITS = "0123456789abcdef"
SAME_MOVES = ("backgammon", "nackgammon", "longgammon", "portes", "portes_cube")
SAME_POINTS = ("backgammon", "portes_cube")
NO_MOVE = 6  # actions below it end the turn

legal, win_score, over, flip = map(
    jax.jit, (_legal_action_mask, _calc_win_score, _is_all_off, _flip_board)
)


@jax.jit
def step(board, left, played, dice, action):
    return _move(board, action), _update_playable_dice(left, played, dice, action)


def board_of(text):
    """As the engine has it: the points upwards, the bars, those off; the other's below 0."""
    mover, other = ([DIGITS.index(c) for c in part] for part in (text[:26], text[26:]))
    points = [mover[point] - other[25 - point] for point in range(24, 0, -1)]
    return np.array([*points, mover[25], -other[25], mover[0], -other[0]], np.int32)


def text_of(board):
    mover = [board[26], *(max(n, 0) for n in board[23::-1]), board[24]]
    other = [-board[27], *(max(-n, 0) for n in board[:24]), -board[25]]
    return "".join(DIGITS[n] for n in mover + other)


def supports(rules, changes):
    return rules in SAME_MOVES and not changes


def plays(rules, changes, board, dice):
    first = board_of(board)
    if over(first) or over(flip(first)):
        return []
    high, low = (die - 1 for die in dice)
    left = (high,) * 4 if high == low else (high, low, -1, -1)
    found, turns = set(), {(tuple(first.tolist()), left, 0)}
    while turns:
        after = set()
        for now, left, played in turns:
            cells, dice_left = np.array(now, np.int32), np.array(left, np.int32)
            actions = np.flatnonzero(np.asarray(legal(cells, dice_left)))
            if actions[0] < NO_MOVE or over(cells):
                found.add(text_of(now))
                continue
            for action in actions.astype(np.int32):
                roll = np.array([high, low], np.int32)
                cells_after, rest = step(cells, dice_left, np.int32(played), roll, action)
                after.add((tuple(cells_after.tolist()), tuple(rest.tolist()), played + 1))
        turns = after
    return found - {board}


def outcome(rules, changes, board):
    if rules not in SAME_POINTS:
        return None
    mine = board_of(board)
    theirs = np.asarray(flip(mine))
    if over(mine):
        return int(win_score(mine))
    return -int(win_score(theirs)) if over(theirs) else ""
