/* How kernels/transposed.cl lies over blocks of a few elements. */
#include "geometry.h"

/* Blocks that a work-item takes at once: it transposes as many of their elements in its registers, which are few, and
 * each doubling is one more pass over these. */
#define ABREAST_BYTES 32 /* of one element of each */
#define ABREAST_MOST 16
static uint32_t blocks_abreast(const geometry_request *r, uint64_t blocks) {
    const uint32_t most = min_u32(ABREAST_BYTES / element_bytes(r->problem), ABREAST_MOST);
    return floor_power(blocks, min_u32(widest_vector(r, r->tuning->vector_bytes, false), most));
}

/* Rows of a block whose code is written out: all, or as few as are whole vectors and worth a turn of a loop. */
#define WRITTEN_OUT_MOST 64 /* elements */
#define TURN_LEAST 32
static uint32_t rows_at_once(uint64_t rows, uint64_t columns, uint32_t vector) {
    uint64_t step = vector / greatest_divisor(vector, columns);
    if (rows * columns <= WRITTEN_OUT_MOST)
        return (uint32_t)rows;
    while (step * columns < TURN_LEAST)
        step *= 2;
    if (step * columns > WRITTEN_OUT_MOST)
        step = max_u64(1, WRITTEN_OUT_MOST / columns);
    return (uint32_t)min_u64(step, rows);
}

/* A row's place is told by a signed element. */
static bool places_fit(const geometry_request *r) {
    return r->layout->reduction < UINT64_C(1) << (r->problem->input.type->bits - 1);
}

bool geometry_transposed(const geometry_request *r, geometry *g) {
    const layout *l = r->layout;
    const uint64_t columns = block_columns(l);
    g->family = FAMILY_TRANSPOSED;
    g->tuning = r->tuning->name;
    if (!columns || l->reduction > r->tuning->transposed_elements / columns || !places_fit(r))
        return false;
    g->outers = l->outputs / columns;
    g->vector = blocks_abreast(r, g->outers);
    if (g->vector == 1)
        return false;
    g->load = r->device->clang_cpu ? LOAD_PACKED : LOAD_UNALIGNED;
    choose_arithmetic(r, g);
    g->words = g->ptx = false;
    g->ahead = g->ahead ? r->tuning->ahead_transposed : 0;
    g->units = l->reduction;
    g->chunk = g->units;
    g->columns = (uint32_t)columns;
    g->unroll = rows_at_once(g->units, columns, g->vector);
    g->batch = (uint32_t)min_u64(g->units * columns, g->vector);
    g->lanes = 1;
    g->parts = 1;
    g->scan = deal(r, 1, ceil_div(g->outers, g->vector), r->tuning->groups_max);
    g->past = answers_go_past(r, g);
    return plan_merge(r, l->outputs, 1, g);
}
