/* What the processor can do, asked by the instruction itself: the compilers' `__builtin_cpu_supports` needs
 * a library that some of them come without. */
#ifndef TAVLI_FAST_CPU_H
#define TAVLI_FAST_CPU_H

#if defined(__x86_64__) || defined(_M_X64)
#include <cpuid.h>

/* The bits of x86-64-v3 as the processors' manuals have them: of leaf 1 in ECX, of leaf 7 in EBX and of
 * leaf 0x80000001 in ECX. */
enum {
    TF_FMA = 1 << 12, TF_MOVBE = 1 << 22, TF_POPCNT = 1 << 23, TF_OSXSAVE = 1 << 27, TF_AVX = 1 << 28,
    TF_F16C = 1 << 29,
    TF_BMI1 = 1 << 3, TF_AVX2 = 1 << 5, TF_BMI2 = 1 << 8,
    TF_LZCNT = 1 << 5,
    TF_SAVES_XMM_AND_YMM = 6
};

/* 3 if this processor, and its system, can run x86-64-v3; else 1. */
static int tf_x86_64_level(void)
{
    unsigned eax, ebx, ecx, edx, saved, saved_high;
    const unsigned first = TF_FMA | TF_MOVBE | TF_POPCNT | TF_OSXSAVE | TF_AVX | TF_F16C;
    const unsigned seventh = TF_BMI1 | TF_AVX2 | TF_BMI2;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & first) != first)
        return 1;
    /* The system has to save the upper halves of the vector registers. */
    __asm__("xgetbv" : "=a"(saved), "=d"(saved_high) : "c"(0));
    if ((saved & TF_SAVES_XMM_AND_YMM) != TF_SAVES_XMM_AND_YMM)
        return 1;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) || (ebx & seventh) != seventh)
        return 1;
    if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) || !(ecx & TF_LZCNT))
        return 1;
    return 3;
}
#else
static int tf_x86_64_level(void) { return 0; }
#endif

#endif
