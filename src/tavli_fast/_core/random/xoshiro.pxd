"""A stream of random numbers for one chunk of games (`xoshiro.h`)."""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "random/xoshiro.h" nogil:
    ctypedef struct Stream "tf_stream":
        uint64_t s0
        uint64_t s1
        uint64_t s2
        uint64_t s3
    uint64_t next_word "tf_next_word"(Stream* stream)
    uint32_t below "tf_below"(Stream* stream, uint32_t bits, uint32_t n)


cdef inline Stream seeded(const uint64_t[::1] words) noexcept:
    """The stream whose state is four words."""
    cdef Stream stream
    stream.s0 = words[0]
    stream.s1 = words[1]
    stream.s2 = words[2]
    stream.s3 = words[3]
    return stream
