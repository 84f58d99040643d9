/* Memory that begins at a cache line: `aligned_alloc` where there is one, and what Windows has instead. */
#ifndef TAVLI_FAST_ALIGNED_H
#define TAVLI_FAST_ALIGNED_H

#include <stddef.h>
#include <stdlib.h>
#ifdef _WIN32
#include <malloc.h>
#endif

enum { TF_CACHE_LINE = 64 };

/* Returns NULL if there is no room; to be freed by `tf_free_aligned` alone. */
static inline void *tf_new_aligned(size_t size)
{
    size = (size + TF_CACHE_LINE - 1) / TF_CACHE_LINE * TF_CACHE_LINE;
#ifdef _WIN32
    return _aligned_malloc(size, TF_CACHE_LINE);
#else
    return aligned_alloc(TF_CACHE_LINE, size);
#endif
}

static inline void tf_free_aligned(void *memory)
{
#ifdef _WIN32
    _aligned_free(memory);
#else
    free(memory);
#endif
}

#endif
