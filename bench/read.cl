/* The limit: read every byte of the input once, keep a maximum, and store as many bytes as the answers have in full
 * lines.
 *
 * The maximum is compared with a number that the data need not hold, so that the compiler must keep the loads; that
 * store is never taken on most data, and costs four bytes where it is. Counts are in vectors.
 * GROUPED: work-groups side by side over the whole buffer, four 16-byte loads in flight (GPUs). `step` answers of all
 * work-items follow each four loads, the rest comes at the end.
 * Otherwise one work-item a group with a block of its own, 64-byte vectors (CPUs). step 1: past the caches.
 */
#ifdef GROUPED
__kernel void read_all(__global const uint4 *data, ulong first, ulong count, __global uint4 *answers,
                       ulong answer_count, ulong step, __global uint *never) {
    const ulong stride = get_global_size(0);
    uint4 a = 0, b = 0, c = 0, d = 0;
    ulong i = get_global_id(0), at = i, due = 0;
    data += first;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const uint4 w = data[i], x = data[i + stride], y = data[i + 2 * stride], z = data[i + 3 * stride];
        a = max(a, w);
        b = max(b, x);
        c = max(c, y);
        d = max(d, z);
        due = min(due + step, answer_count);
        for (; at < due; at += stride)
            answers[at] = (uint4)(uint)at;
    }
    for (; i < count; i += stride)
        a = max(a, data[i]);
    for (; at < answer_count; at += stride)
        answers[at] = (uint4)(uint)at;
    a = max(max(a, b), max(c, d));
    if (max(max(a.x, a.y), max(a.z, a.w)) == 0x7ffffffeu)
        never[0] = a.x;
}
#else
/* Of 64-byte vectors on processors with narrower registers, which PoCL would count on stderr. */
#ifdef __has_warning
#if __has_warning("-Wpsabi")
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE_PAST_CACHES(value, place) __builtin_nontemporal_store(value, place)
#endif
#endif
#ifndef STORE_PAST_CACHES
#define STORE_PAST_CACHES(value, place) (*(place) = (value))
#endif
__kernel void read_all(__global const uint16 *data, ulong first, ulong count, __global uint16 *answers,
                       ulong answer_count, ulong step, __global uint *never) {
    const ulong groups = get_num_groups(0), group = get_group_id(0);
    const ulong block = (count + groups - 1) / groups, part = (answer_count + groups - 1) / groups;
    const ulong begin = min(group * block, count), end = min(begin + block, count);
    const ulong part_begin = min(group * part, answer_count), part_end = min(part_begin + part, answer_count);
    uint16 a = 0, b = 0, c = 0, d = 0;
    ulong i = begin;
    data += first;
    for (; i + 4 <= end; i += 4) {
        a = max(a, data[i]);
        b = max(b, data[i + 1]);
        c = max(c, data[i + 2]);
        d = max(d, data[i + 3]);
    }
    for (; i < end; i++)
        a = max(a, data[i]);
    if (step != 0)
        for (ulong at = part_begin; at < part_end; at++)
            STORE_PAST_CACHES((uint16)(uint)at, answers + at);
    else
        for (ulong at = part_begin; at < part_end; at++)
            answers[at] = (uint16)(uint)at;
    a = max(max(a, b), max(c, d));
    const uint8 e = max(a.lo, a.hi);
    const uint4 f = max(e.lo, e.hi);
    const uint2 g = max(f.lo, f.hi);
    if (max(g.x, g.y) == 0x7ffffffeu)
        never[0] = g.x;
}
#endif
