/* The read limit: read every byte once, keep a maximum, write nothing.
 *
 * The maximum is compared with a number that the data need not hold, so that the compiler must keep the loads; the
 * store is never taken on most data, and costs four bytes where it is.
 * GROUPED: work-groups side by side over the whole buffer, four 16-byte loads in flight (GPUs).
 * Otherwise one work-item a group with a block of its own, 64-byte vectors (CPUs). `first` and `count` are in vectors.
 */
#ifdef GROUPED
__kernel void read_all(__global const uint4 *data, ulong first, ulong count, __global uint *never) {
    const ulong stride = get_global_size(0);
    uint4 a = 0, b = 0, c = 0, d = 0;
    ulong i = get_global_id(0);
    data += first;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const uint4 w = data[i], x = data[i + stride], y = data[i + 2 * stride], z = data[i + 3 * stride];
        a = max(a, w);
        b = max(b, x);
        c = max(c, y);
        d = max(d, z);
    }
    for (; i < count; i += stride)
        a = max(a, data[i]);
    a = max(max(a, b), max(c, d));
    if (max(max(a.x, a.y), max(a.z, a.w)) == 0x7ffffffeu)
        never[0] = a.x;
}
#else
__kernel void read_all(__global const uint16 *data, ulong first, ulong count, __global uint *never) {
    const ulong block = (count + get_num_groups(0) - 1) / get_num_groups(0);
    const ulong begin = min((ulong)get_group_id(0) * block, count), end = min(begin + block, count);
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
    a = max(max(a, b), max(c, d));
    const uint8 e = max(a.lo, a.hi);
    const uint4 f = max(e.lo, e.hi);
    const uint2 g = max(f.lo, f.hi);
    if (max(g.x, g.y) == 0x7ffffffeu)
        never[0] = g.x;
}
#endif
