/* The host's processor, which is what a CPU device runs on. OpenCL's names for it do not tell: PoCL calls a Zen 5
 * "skylake-avx512", and some Xeons are called after nothing but their maker. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>
#define HAS_CPUID
static bool ask(uint32_t leaf, uint32_t r[4]) {
    return __get_cpuid(leaf, &r[0], &r[1], &r[2], &r[3]) != 0;
}
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#include <intrin.h>
#define HAS_CPUID
static bool ask(uint32_t leaf, uint32_t r[4]) {
    int answer[4];
    __cpuid(answer, (int)leaf);
    memcpy(r, answer, sizeof answer);
    return true;
}
#endif

void processor_name(char name[PROCESSOR_BYTES]) {
    name[0] = '\0';
#ifdef HAS_CPUID
    uint32_t r[4], maker[3];
    if (!ask(0, r))
        return;
    maker[0] = r[1];
    maker[1] = r[3];
    maker[2] = r[2];
    if (!ask(1, r))
        return;
    /* As both makers' manuals put the fields together. */
    const uint32_t base = r[0] >> 8 & 15, family = base == 15 ? base + (r[0] >> 20 & 255) : base;
    const uint32_t low = r[0] >> 4 & 15, model = base == 6 || base == 15 ? low + (r[0] >> 16 & 15) * 16 : low;
    snprintf(name, PROCESSOR_BYTES, "%.12s family %u model %u", (const char *)maker, (unsigned)family, (unsigned)model);
#endif
}
