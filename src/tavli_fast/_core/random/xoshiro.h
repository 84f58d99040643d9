/* A stream of random numbers for one chunk of games: fair dice and choices, exactly uniform. */
#ifndef TAVLI_FAST_XOSHIRO_H
#define TAVLI_FAST_XOSHIRO_H

#include "board/simd.h"

/* xoshiro256++ (Blackman and Vigna, public domain): the state is four words, not all zero. */
typedef struct {
    uint64_t s0, s1, s2, s3;
} tf_stream;

/* The next 64 random bits. */
TF_INLINE uint64_t tf_next_word(tf_stream *stream)
{
    uint64_t sum = stream->s0 + stream->s3;
    uint64_t result = (sum << 23 | sum >> 41) + stream->s0;
    uint64_t t = stream->s1 << 17;
    stream->s2 ^= stream->s0;
    stream->s3 ^= stream->s1;
    stream->s1 ^= stream->s2;
    stream->s0 ^= stream->s3;
    stream->s2 ^= t;
    stream->s3 = stream->s3 << 45 | stream->s3 >> 19;
    return result;
}

/* A uniform number in 0..n-1 from 32 random bits, and from more of the stream in the rare case that
 * keeping those would favour some numbers (Lemire 2019: multiply, reject the short tail). */
TF_INLINE uint32_t tf_below(tf_stream *stream, uint32_t bits, uint32_t n)
{
    uint64_t product = (uint64_t)bits * n;
    if ((uint32_t)product < n) {
        uint32_t tail = (0 - n) % n;
        while ((uint32_t)product < tail)
            product = (tf_next_word(stream) >> 32) * n;
    }
    return (uint32_t)(product >> 32);
}

#endif
