"""gnubg-nn, the generator of GNU Backgammon as a package (pip install gnubg-nn)."""

import gnubg_nn

DIGITS = "0123456789abcdef"
SAME_MOVES = ("backgammon", "nackgammon", "longgammon", "portes", "portes_cube", "hypergammon")


def sides(text):
    return [DIGITS.index(c) for c in text[:26]], [DIGITS.index(c) for c in text[26:]]


def text_of(mover, other, checkers):
    """Without those borne off, as the engine has them: all less the others."""
    full = [[checkers - sum(side), *side] for side in (mover, other)]
    return "".join(DIGITS[n] for side in full for n in side)


def supports(rules, changes):
    return rules in SAME_MOVES and not changes


def plays(rules, changes, board, dice):
    mover, other = sides(board)
    if not sum(mover[1:]) or not sum(other[1:]):
        return []
    keys = gnubg_nn.moves([other[1:], mover[1:]], *dice)
    found = (gnubg_nn.board_from_position_key(key) for key in keys)
    return [text_of(after[1], after[0], sum(mover)) for after in found]
