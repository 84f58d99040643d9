"""A side in registers, its counts as bit planes (`planes.h`)."""

from libc.stdint cimport int8_t, uint32_t

cdef extern from "board/planes.h" nogil:
    ctypedef struct Side "tf_side":
        uint32_t b0
        uint32_t b1
        uint32_t b2
        uint32_t b3
        uint32_t pinned
    Side load_side "tf_load_side"(const int8_t* plane)
    void store_side "tf_store_side"(const Side* side, int checkers, int8_t* plane)
