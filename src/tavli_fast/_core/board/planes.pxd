"""A side in registers, its counts as bit planes (`planes.h`)."""

from libc.stdint cimport int8_t

cdef extern from "board/planes.h" nogil:
    ctypedef struct Side "tf_side":
        pass
    Side load_side "tf_load_side"(const int8_t* plane)
    void store_side "tf_store_side"(const Side* side, int checkers, int8_t* plane)
