"""tavli_fast itself, by its compiled core."""

import dataclasses

import numpy as np

import tavli_fast as tf

ENGINE = tf
DIGITS = "0123456789abcdef"


def rules_of(rules, changes):
    return dataclasses.replace(tf.RULES[rules], **changes)


def board_of(text):
    return np.array([-1 if c == "-" else DIGITS.index(c) for c in text], np.int8).reshape(2, 26)


def text_of(board):
    return "".join("-" if n < 0 else DIGITS[n] for n in np.asarray(board).ravel().tolist())


def supports(rules, changes):
    return rules in tf.RULES


def plays(rules, changes, board, dice):
    return map(
        text_of, ENGINE.afterstates(board_of(board), dice, rules=rules_of(rules, changes)).boards
    )


def outcome(rules, changes, board):
    over, points = ENGINE.outcomes(board_of(board), rules=rules_of(rules, changes))
    return int(points[0]) if over[0] else ""


def perft(rules, depth):
    return tf.perft(tf.start(rules), depth, rules)


def position_id(board):
    return tf.position_id(board_of(board))


def value(rules, kind, board):
    cells = board_of(board)
    if kind == "mean rolls":
        return float(tf.one_sided(rules).mean(cells[:1, 1:7])[0])
    if kind == "equity of a race":
        return float(tf.two_sided(rules).equity(cells[:1, 1:7], cells[1:, 1:7])[0])
    return None
