/* Inputs made on the device, and answers compared there. Counts are in elements of the pointers. */

/* The data of fill_data: a word is a function of its place and the seed; `keep`, `half` and `add` move the elements in
 * it to the middle half of their type's range (see fill.c). */
__kernel void fill_random(__global ulong *words, ulong count, ulong seed, ulong top, uint kind) {
    const ulong second = top >> 1;
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
        ulong x = (i + 1) * 0x9e3779b97f4a7c15UL + seed;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
        x ^= x >> 31;
        const ulong half_range = (x >> 1) & ~top;
        words[i] = kind == 0 ? x & ~second : kind == 1 ? half_range | (x & top) : half_range + second;
    }
}

__kernel void fill_word(__global uint *words, ulong count, uint word) {
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        words[i] = word;
}

/* Adds to *wrong. */
__kernel void count_different(__global const uint *a, __global const uint *b, ulong count, __global uint *wrong) {
    uint different = 0;
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        different += a[i] != b[i] ? 1 : 0;
    if (different != 0)
        atomic_add(wrong, different);
}
