"""bgsage (pip install bgsage)."""

import bgsage

DIGITS = "0123456789abcdef"
SAME_MOVES = ("backgammon", "nackgammon", "longgammon", "portes", "portes_cube")


def both_of(text):
    mover, other = ([DIGITS.index(c) for c in part] for part in (text[:26], text[26:]))
    return [other[25], *(mover[p] - other[25 - p] for p in range(1, 25)), mover[25]]


def text_of(both):
    mover = [0, *(max(n, 0) for n in both[1:25]), both[25]]
    other = [0, *(max(-both[25 - p], 0) for p in range(1, 25)), both[0]]
    mover[0], other[0] = 15 - sum(mover), 15 - sum(other)
    return "".join(DIGITS[n] for n in mover + other)


def supports(rules, changes):
    return rules in SAME_MOVES and not changes


def plays(rules, changes, board, dice):
    both = both_of(board)
    if bgsage.check_game_over(both):
        return []
    after = {text_of(each) for each in bgsage.possible_moves(both, *dice)}
    return after - {board} or []
