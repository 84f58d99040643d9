"""How boards lie in lists of plays (`play.h`)."""

cdef extern from "generate/play.h" nogil:
    enum:
        BOARD_BYTES "TF_BOARD_BYTES"
        # What may be overwritten behind the last board of a list.
        SPARE_BYTES "TF_SPARE_BYTES"
        # At most this many distinct plays of one roll, but for a cascade of doubles.
        MAX_PLAYS "TF_MAX_PLAYS"
