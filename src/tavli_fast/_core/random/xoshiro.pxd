"""A stream of random numbers for one chunk of games: fair dice and choices, exactly uniform."""

from libc.stdint cimport int64_t, uint32_t, uint64_t


cdef struct Stream:
    # xoshiro256++ (Blackman and Vigna, public domain): the state is four words, not all zero.
    uint64_t s0, s1, s2, s3


cdef inline Stream seeded(const uint64_t[::1] words) noexcept:
    """The stream whose state is four words."""
    cdef Stream stream
    stream.s0 = words[0]
    stream.s1 = words[1]
    stream.s2 = words[2]
    stream.s3 = words[3]
    return stream


cdef inline uint64_t _rotate(uint64_t x, int k) noexcept nogil:
    return (x << k) | (x >> (64 - k))


cdef inline uint64_t next_word(Stream* stream) noexcept nogil:
    """The next 64 random bits."""
    cdef uint64_t result = _rotate(stream.s0 + stream.s3, 23) + stream.s0
    cdef uint64_t t = stream.s1 << 17
    stream.s2 ^= stream.s0
    stream.s3 ^= stream.s1
    stream.s1 ^= stream.s2
    stream.s0 ^= stream.s3
    stream.s2 ^= t
    stream.s3 = _rotate(stream.s3, 45)
    return result


cdef inline uint32_t below(Stream* stream, uint32_t bits, uint32_t n) noexcept nogil:
    """A uniform number in 0..n-1 from 32 random bits, and from more of the stream in the rare case
    that keeping those would favour some numbers (Lemire 2019: multiply, reject the short tail)."""
    cdef uint64_t product = <uint64_t>bits * n
    cdef uint32_t tail
    if <uint32_t>product < n:
        tail = <uint32_t>(-<int64_t>n) % n
        while <uint32_t>product < tail:
            product = (next_word(stream) >> 32) * n
    return <uint32_t>(product >> 32)
