/* Source of the kernels that make pairs and check their answers. A pair is `first` + the work-item, or the list's entry
 * there; letters are 0, 1, 2 for a, b, w. A reduction has `count` letters, `run` elements each, `apart` from one to the
 * next. From the host: T, BITS. */
#ifndef ARGMAX_CL_TESTS_PAIR_KERNELS_H
#define ARGMAX_CL_TESTS_PAIR_KERNELS_H

static const char pair_kernels_source[] =
    "#define ONES ((1u << BITS) - 1u)\n"
    "#define PAIR (listed ? list[first + i] : (uint)(first + i))\n"
    "__kernel void fill(__global T *out, __global const uint *list, uint listed, ulong first,\n"
    "                   __global const uchar *letters, uint count, uint run, uint apart, uint worst) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    const uint pair = PAIR;\n"
    "    const T a = (T)(pair >> BITS), b = (T)pair, w = (T)worst;\n"
    "    __global T *to = out + (ulong)(i / apart * apart) * count * run + i % apart;\n"
    "    for (uint k = 0; k < count; ++k) {\n"
    "        const T x = letters[k] == 0 ? a : letters[k] == 1 ? b : w;\n"
    "        for (uint j = 0; j < run; ++j, to += apart)\n"
    "            *to = x;\n"
    "    }\n"
    "}\n"
    "__kernel void check(__global const int *index, __global const uint *list, uint listed, ulong first,\n"
    "                    __global const ushort *rank, int least, int rank_w, int at_a, int at_b, int at_w, int last,\n"
    "                    volatile __global uint4 *verdicts, uint slot) {\n"
    "    const size_t i = get_global_id(0);\n"
    "    const uint pair = PAIR;\n"
    "    const int a = rank[(pair >> BITS) & ONES], b = rank[pair & ONES];\n"
    "    const int best = max(max(a, b), rank_w);\n"
    "    const int none = last ? -1 : 0x7fffffff;\n"
    "    const int of_a = a == best ? at_a : none, of_b = b == best ? at_b : none;\n"
    "    const int of_w = rank_w == best ? at_w : none;\n"
    "    const int place = last ? max(max(of_a, of_b), of_w) : min(min(of_a, of_b), of_w);\n"
    "    const int right = best < least ? -1 : place;\n"
    "    if (index[i] != right) {\n"
    "        volatile __global uint *verdict = (volatile __global uint *)(verdicts + slot);\n"
    "        if (atomic_inc(verdict) == 0) {\n"
    "            verdict[1] = pair;\n"
    "            verdict[2] = (uint)index[i];\n"
    "            verdict[3] = (uint)right;\n"
    "        }\n"
    "    }\n"
    "}\n";

#endif
