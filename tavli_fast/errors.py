"""The errors that bad input raises: all of them are kinds of ValueError."""

__all__ = [
    "BoardError",
    "EvaluatorError",
    "IllegalMoveError",
    "NotationError",
    "ResultTooLargeError",
]


class BoardError(ValueError):
    """A board that cannot be a position under the rules; the message names the board and why."""


class EvaluatorError(ValueError):
    """An evaluator that failed or gave no usable answer; the message names it and the board."""


class IllegalMoveError(ValueError):
    """A move or play that the rules do not allow on its board; the message says which and why."""


class NotationError(ValueError):
    """A text (Position ID, XGID or play) that cannot be read; the message says where it breaks."""


class ResultTooLargeError(ValueError, MemoryError):
    """A result that this machine's memory cannot hold; the message says how large it would be."""
