"""What the processor can do, how fast it is, and which compiler built the core."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    #if defined(__VERSION__)
    static const char *tf_compiler = __VERSION__;
    #else
    static const char *tf_compiler = "unknown";
    #endif
    """
    const char* tf_compiler

cdef extern from "cpu.h":
    int tf_x86_64_level()


def x86_64_level():
    """Return the x86-64 level (1, or 3 for 3 and more) of this processor; 0 for another kind."""
    return tf_x86_64_level()


def compiler():
    """Return the version of the C compiler that built the core."""
    return tf_compiler.decode()


def calibration_loop(int64_t iterations):
    """Run a chained 64-bit xorshift and return its last value. The time of one iteration is X, the
    unit in which benchmarks compare machines."""
    cdef uint64_t x = 88172645463325252
    cdef int64_t i
    with nogil:
        for i in range(iterations):
            x ^= x << 13
            x ^= x >> 7
            x ^= x << 17
    return x
