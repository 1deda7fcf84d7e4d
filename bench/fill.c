#include "fill.h"

#include "threads.h"

#include <stdatomic.h>

enum { CHUNK = 65536 }; /* words or outputs that a thread takes at a time */

typedef struct fill_job {
    const problem_line *p;
    const problem_dtype *type;
    void *elements;
    uint64_t count; /* words, elements or outputs */
} fill_job;

static void for_each_chunk(fill_job *job, void (*work)(void *, size_t)) {
    parallel_for((size_t)((job->count + CHUNK - 1) / CHUNK), work, job);
}

static uint64_t chunk_end(const fill_job *job, size_t chunk) {
    const uint64_t end = ((uint64_t)chunk + 1) * CHUNK;
    return end < job->count ? end : job->count;
}

/* `bits` in every element of a 64-bit word. */
static uint64_t spread(uint32_t width, uint64_t bits) {
    for (; width < 64; width *= 2)
        bits |= bits << width;
    return bits;
}

static uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Floats below 2 in magnitude: the exponent's top bit is cleared. Signed integers keep their sign bit twice; unsigned
 * ones move to the second and third quarter. */
static void random_words(void *context, size_t chunk) {
    const fill_job *const job = context;
    const uint32_t width = job->type->bits;
    const uint64_t top = spread(width, (uint64_t)1 << (width - 1)), second = top >> 1;
    const bool is_float = job->type->mantissa_bits != 0, is_signed = job->type->is_signed;
    uint64_t *const words = job->elements;
    for (uint64_t i = (uint64_t)chunk * CHUNK; i < chunk_end(job, chunk); i++) {
        const uint64_t w = mix((i + 1) * UINT64_C(0x9e3779b97f4a7c15) + job->p->seed);
        const uint64_t half = (w >> 1) & ~top;
        words[i] = is_float ? w & ~second : is_signed ? half | (w & top) : half + second;
    }
}

/* From the lowest finite number to the highest, in the order of the buffer. */
static void steady_elements(void *context, size_t chunk) {
    const fill_job *const job = context;
    const problem_dtype *const t = job->type;
    const uint64_t sign = (uint64_t)1 << (t->bits - 1);
    const uint64_t infinity = t->mantissa_bits == 0 ? 0 : sign - ((uint64_t)1 << t->mantissa_bits);
    const uint64_t range = t->mantissa_bits == 0 ? 2 * (sign - 1) + 1 : 2 * infinity - 1;
    const uint64_t n = job->count, run = range < n ? n / range + 1 : 1, step = range < n ? 1 : range / n;
    for (uint64_t i = (uint64_t)chunk * CHUNK; i < chunk_end(job, chunk); i++) {
        const uint64_t place = job->p->data == DATA_INCREASING ? i : n - 1 - i, rise = place / run * step;
        uint64_t bits = rise;
        if (t->mantissa_bits != 0)
            bits = rise < infinity ? sign | (infinity - 1 - rise) : rise - infinity;
        else if (t->is_signed)
            bits = rise ^ sign;
        problem_store(t, job->elements, i, bits);
    }
}

static void constant_words(void *context, size_t chunk) {
    const fill_job *const job = context;
    const uint32_t width = job->type->bits;
    const bool nan = job->p->data == DATA_ALLNAN && job->type->mantissa_bits != 0;
    const uint64_t bits = nan ? ((uint64_t)1 << (width - 1)) - 1 : (uint64_t)1 << (width - 3);
    uint64_t *const words = job->elements;
    for (uint64_t i = (uint64_t)chunk * CHUNK; i < chunk_end(job, chunk); i++)
        words[i] = spread(width, bits);
}

void fill_data(const problem_line *p, void *elements) {
    const problem_dtype *const type = problem_dtype_find(p->dtype);
    const uint64_t extent = problem_input_extent(p);
    fill_job words = {p, type, elements, (extent * (type->bits / 8) + 7) / 8};
    fill_job each = {p, type, elements, extent};
    switch (p->data) {
    case DATA_RANDOM:
        for_each_chunk(&words, random_words);
        break;
    case DATA_CONSTANT:
    case DATA_ALLNAN:
        for_each_chunk(&words, constant_words);
        break;
    case DATA_INCREASING:
    case DATA_DECREASING:
        for_each_chunk(&each, steady_elements);
        break;
    default:
        problem_fill(p, elements);
        break;
    }
}

/* ---- Planted answers ------------------------------------------------------------------------------------------- */

static uint64_t peak_bits(const problem_line *p, const problem_dtype *t) {
    const uint64_t sign = (uint64_t)1 << (t->bits - 1), all = sign | (sign - 1);
    const bool largest = p->op == ARGMAX_CL_ARGMAX;
    if (t->mantissa_bits != 0)
        return sign >> 1 | (largest ? 0 : sign);
    if (t->is_signed)
        return largest ? all ^ sign : sign;
    return largest ? all : 0;
}

/* The two places in reduction `output`, ascending; the same one twice when there is no other. */
static void planted_places(const problem_line *p, uint64_t output, uint64_t places[2]) {
    const uint64_t reduction = problem_reduction_count(p), random = problem_mix(output ^ problem_mix(p->seed + 1));
    const uint64_t a = random % reduction, b = problem_mix(random) % reduction;
    places[0] = a < b ? a : b;
    places[1] = a < b ? b : a;
}

/* Row-major number `n` over the axes that are reduced (or kept) -> sum of strides. */
static int64_t address_of(const problem_line *p, bool reduced, uint64_t n, const int64_t *strides) {
    int64_t address = 0;
    for (uint32_t d = p->rank; d-- > 0;)
        if (problem_axis_reduced(p, d) == reduced) {
            address += (int64_t)(n % p->size[d]) * strides[d];
            n /= p->size[d];
        }
    return address;
}

/* Strides and sizes of the dims larger than 1 by rising |stride|; returns their number. */
static uint32_t sorted_dims(const problem_line *p, uint64_t strides[PROBLEM_MAX_RANK],
                            uint64_t sizes[PROBLEM_MAX_RANK]) {
    uint32_t count = 0;
    for (uint32_t d = 0; d < p->rank; d++) {
        const int64_t s = p->input.stride[d];
        const uint64_t stride = s < 0 ? (uint64_t)-s : (uint64_t)s;
        uint32_t at = count;
        if (p->size[d] <= 1)
            continue;
        for (; at > 0 && strides[at - 1] > stride; at--) {
            strides[at] = strides[at - 1];
            sizes[at] = sizes[at - 1];
        }
        strides[at] = stride;
        sizes[at] = p->size[d];
        count++;
    }
    return count;
}

bool fill_can_plant(const problem_line *p) {
    uint64_t strides[PROBLEM_MAX_RANK], sizes[PROBLEM_MAX_RANK], span = 1;
    const uint32_t count = sorted_dims(p, strides, sizes);
    for (uint32_t d = 0; d < count; d++) {
        if (strides[d] < span)
            return false;
        span += (sizes[d] - 1) * strides[d];
    }
    return p->data == DATA_RANDOM;
}

static void plant_outputs(void *context, size_t chunk) {
    const fill_job *const job = context;
    const uint64_t bits = peak_bits(job->p, job->type);
    for (uint64_t o = (uint64_t)chunk * CHUNK; o < chunk_end(job, chunk); o++) {
        uint64_t places[2];
        const int64_t base = (int64_t)job->p->input.offset + address_of(job->p, false, o, job->p->input.stride);
        planted_places(job->p, o, places);
        for (int i = 0; i < 2; i++)
            problem_store(job->type, job->elements,
                          (uint64_t)(base + address_of(job->p, true, places[i], job->p->input.stride)), bits);
    }
}

void fill_plant(const problem_line *p, void *elements) {
    fill_job job = {p, problem_dtype_find(p->dtype), elements, problem_output_count(p)};
    for_each_chunk(&job, plant_outputs);
}

typedef struct count_job {
    fill_job job; /* first: for_each_chunk hands this out */
    const void *index, *value;
    atomic_ullong wrong;
} count_job;

static void count_outputs(void *context, size_t chunk) {
    count_job *const c = context;
    const problem_line *const p = c->job.p;
    const problem_dtype *const index_type = problem_dtype_find(p->index_type);
    const uint64_t bits = peak_bits(p, c->job.type);
    unsigned long long wrong = 0;
    for (uint64_t o = (uint64_t)chunk * CHUNK; o < chunk_end(&c->job, chunk); o++) {
        uint64_t places[2];
        planted_places(p, o, places);
        const int64_t at = (int64_t)p->index.offset + address_of(p, false, o, p->index.stride);
        bool right =
            problem_load(index_type, c->index, (uint64_t)at) == places[p->direction == ARGMAX_CL_DECREASING ? 1 : 0];
        if (c->value != NULL) {
            const int64_t value_at = (int64_t)p->value.offset + address_of(p, false, o, p->value.stride);
            right = right && problem_load(c->job.type, c->value, (uint64_t)value_at) == bits;
        }
        wrong += right ? 0 : 1;
    }
    atomic_fetch_add(&c->wrong, wrong);
}

uint64_t fill_count_wrong(const problem_line *p, const void *index, const void *value) {
    count_job c = {{p, problem_dtype_find(p->dtype), NULL, problem_output_count(p)}, index, value, 0};
    for_each_chunk(&c.job, count_outputs);
    return atomic_load(&c.wrong);
}

/* ---- Bytes ----------------------------------------------------------------------------------------------------- */

/* From the smallest stride up: while the next dim steps within a line of what is already covered, the covered run
 * grows; beyond that, each step is a run of its own with whole lines. */
uint64_t fill_bytes_touched(const problem_line *p, uint64_t line_bytes) {
    uint64_t strides[PROBLEM_MAX_RANK], sizes[PROBLEM_MAX_RANK];
    const uint64_t element = problem_dtype_find(p->dtype)->bits / 8;
    const uint32_t count = sorted_dims(p, strides, sizes);
    uint64_t run = element, runs = 1;
    for (uint32_t d = 0; d < count; d++) {
        const uint64_t stride = strides[d] * element;
        if (runs == 1 && stride < run + line_bytes)
            run += (sizes[d] - 1) * stride;
        else if (stride > 0)
            runs *= sizes[d];
    }
    return runs * ((run + line_bytes - 1) / line_bytes) * line_bytes;
}
