"""Dice and choices as functions of a key and a place: which trial, which ply. Whoever plays the same
trial has the same dice, whatever was played before, and no trial knows of another."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>

    typedef struct { uint64_t k0, k1; } tf_key;

    /* Philox4x64-10 (Salmon, Moraes, Dror, Shaw 2011), NumPy's Philox: the first of the four words
     * at a counter. (NumPy adds 1 to the counter before it draws.) */
    static inline uint64_t tf_philox(tf_key key, uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3)
    {
        for (int round = 0; round < 10; round++) {
            __uint128_t x = (__uint128_t)0xD2E7470EE14C6C93u * c0;
            __uint128_t y = (__uint128_t)0xCA5A826395121157u * c2;
            c0 = (uint64_t)(y >> 64) ^ c1 ^ key.k0;
            c1 = (uint64_t)y;
            c2 = (uint64_t)(x >> 64) ^ c3 ^ key.k1;
            c3 = (uint64_t)x;
            key.k0 += 0x9E3779B97F4A7C15u;
            key.k1 += 0xBB67AE8584CAA73Bu;
        }
        return c0;
    }

    /* A number in 0..n-1 from 64 random bits; for n below 2^20 no number is favoured by more than
     * 2^-44 of its share. */
    static inline uint64_t tf_part(uint64_t bits, uint64_t n)
    {
        return (uint64_t)(((__uint128_t)bits * n) >> 64);
    }
    """
    ctypedef struct Key "tf_key":
        uint64_t k0
        uint64_t k1
    uint64_t philox "tf_philox"(
        Key key, uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3) nogil
    uint64_t part "tf_part"(uint64_t bits, uint64_t n) nogil


cdef enum:
    # The third word of the counter: what a number is for.
    FOR_DICE = 0
    FOR_CHOICE = 1
    FOR_STRATA = 2  # and 3 and 4, for the first three plies
    STRATIFIED_PLIES = 3


cdef inline int roll_number(
    Key key, int64_t trial, int64_t ply, bint contest, bint stratified
) noexcept nogil:
    """The roll of a ply: 0..35 for (1, 1), (1, 2), … (6, 6), or, in a contest, whose first roll is
    no double, 0..29 for (1, 2), (1, 3), … (6, 5).

    Stratified, the first rolls of 36 successive trials are all different, the first two of 1,296,
    the first three of 46,656: the roll is the trial's digit in base 36, shuffled. Each shuffle is
    fair and belongs to the rolls before it, so that any single trial has fair and independent dice.
    """
    cdef int faces[3]
    cdef int64_t block = trial
    cdef int64_t path = 0
    cdef int level, digit = 0, number = 0
    if not stratified or ply >= STRATIFIED_PLIES:
        return <int>part(philox(key, ply, trial, FOR_DICE, 0), 30 if contest and ply == 0 else 36)
    for level in range(STRATIFIED_PLIES):
        faces[level] = 30 if contest and level == 0 else 36
    for level in range(<int>ply + 1):
        digit = <int>(block % faces[level])
        block //= faces[level]
        number = shuffled(key, level, block, path, digit, faces[level])
        path = path * 36 + number
    return number


cdef inline int shuffled(
    Key key, int level, int64_t block, int64_t path, int digit, int n
) noexcept nogil:
    """Where a fair shuffle of 0..n-1 (Fisher and Yates) puts `digit`; n is at most 36."""
    cdef int order[36]
    cdef int i, j, kept
    for i in range(n):
        order[i] = i
    for i in range(n - 1, 0, -1):
        j = <int>part(philox(key, i, block, FOR_STRATA + level, path), i + 1)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept
    return order[digit]


cdef inline void roll_dice(
    Key key, int64_t trial, int64_t ply, bint contest, bint stratified, int* die1, int* die2
) noexcept nogil:
    """The dice of a ply of a trial."""
    cdef int number = roll_number(key, trial, ply, contest, stratified)
    if contest and ply == 0:
        die1[0] = 1 + number // 5
        die2[0] = 1 + number % 5
        die2[0] += die2[0] >= die1[0]
    else:
        die1[0] = 1 + number // 6
        die2[0] = 1 + number % 6


cdef inline int pick(Key key, int64_t trial, int64_t ply, int n) noexcept nogil:
    """A choice among n for who plays at random."""
    return <int>part(philox(key, ply, trial, FOR_CHOICE, 0), n)
