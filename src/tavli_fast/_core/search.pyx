"""What Python has of the search: the names of the reasons for which moves are refused, and its error."""

from tavli_fast.errors import ResultTooLargeError


cdef object too_many():
    """Return the error for a turn with more positions on the way than there is room for."""
    return ResultTooLargeError(
        "the plays of one roll are too many to list: a cascade of doubles can lead to many "
        "millions of positions"
    )
