"""gnubg-nn, the generator of GNU Backgammon as a package (pip install gnubg-nn)."""

import gnubg_nn

DIGITS = "0123456789abcdef"


def sides(text):
    return [DIGITS.index(c) for c in text[:26]], [DIGITS.index(c) for c in text[26:]]


def text_of(mover, other):
    """Without those borne off, as the engine has them: 15 less all others."""
    full = [[15 - sum(side), *side] for side in (mover, other)]
    return "".join(DIGITS[n] for side in full for n in side)


def supports(rules, changes):
    return rules == "backgammon" and not changes


def plays(rules, changes, board, dice):
    mover, other = sides(board)
    if not sum(mover[1:]) or not sum(other[1:]):
        return []
    keys = gnubg_nn.moves([other[1:], mover[1:]], *dice)
    found = (gnubg_nn.board_from_position_key(key) for key in keys)
    return [text_of(after[1], after[0]) for after in found]
