"""Sets of points as bit masks (`masks.h`, `simd.h`)."""

from libc.stdint cimport int8_t, uint32_t

cdef extern from "board/masks.h" nogil:
    enum:
        # Bit p of a mask stands for the mover's point p; 25 is the bar.
        BAR "TF_BAR"
        POINTS "TF_POINTS"  # 1..24
    int count_bits "tf_count_bits"(uint32_t x)
    int lowest "tf_lowest"(uint32_t x)
    int highest "tf_highest"(uint32_t x)
    uint32_t mirror "tf_mirror"(uint32_t x)
    uint32_t above "tf_above"(const int8_t* plane, int floor)
    uint32_t pinned "tf_pinned"(const int8_t* plane)
