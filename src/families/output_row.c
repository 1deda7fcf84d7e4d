/* Which outputs lie side by side in the input, and so may be read together. */
#include "families/geometry.h"

/* Whether `outer` goes on `pitch` elements after `inner` begins, in the input and in the mask. */
static bool follows(const layout_dim *outer, const layout_dim *inner, uint64_t pitch) {
    return continues(outer->in, inner->in, pitch) && continues(outer->mask, inner->mask, pitch);
}

/* The same where it ends. */
static bool goes_on(const layout_dim *outer, const layout_dim *inner) {
    return follows(outer, inner, inner->size);
}

static bool answers_go_on(const layout_dim *outer, const layout_dim *inner) {
    return continues(outer->index, inner->index, inner->size) && continues(outer->value, inner->value, inner->size) &&
           continues(outer->max_index, inner->max_index, inner->size) &&
           continues(outer->max_value, inner->max_value, inner->size);
}

output_row output_row_of(const layout *l, uint32_t neighbours, uint32_t most) {
    const layout_dim *kept = &l->kept[l->kept_count - 1], *last = &l->reduced[l->reduced_count - 1];
    const output_row alone = {1, 1, 1, kept->size, 0};
    if (l->reduced_count == 1)
        return alone;
    if (last->in == 1)
        return last->size <= neighbours && goes_on(kept, last) ? (output_row){(uint32_t)last->size, 1, 1, kept->size, 0}
                                                               : alone;
    if (l->kept_count == 1 || kept->in != 1 || kept->size > most / last->size)
        return alone;
    const layout_dim *above = kept - 1;
    return goes_on(last, kept) && goes_on(above, last) && answers_go_on(above, kept)
               ? (output_row){(uint32_t)last->size, (uint32_t)kept->size, 2, kept->size * above->size, 0}
               : alone;
}

/* Elements from the first one of `inner`, which are neighbours, to the first one of the next step along `outer`, up to
 * `gap` behind their end, in the mask as well; 0: it does not go on there. */
static uint32_t pitch_of(const layout_dim *outer, const layout_dim *inner, uint32_t gap) {
    if (inner->in != 1 || outer->in < (int64_t)inner->size)
        return 0;
    const uint64_t pitch = (uint64_t)outer->in;
    return pitch <= UINT32_MAX && pitch - inner->size <= gap && follows(outer, inner, pitch) ? (uint32_t)pitch : 0;
}

/* Whether no step along dims of the reduction, but for the last `inner_dims`, ends within a row of `columns`. */
static bool rows_are_apart(const layout *l, uint32_t inner_dims, uint64_t columns) {
    bool apart = true;
    for (uint32_t i = 0; i + inner_dims < l->reduced_count; ++i)
        apart = apart && (l->reduced[i].size == 1 || magnitude(l->reduced[i].in) >= columns);
    return apart;
}

output_row output_row_with_gaps(const layout *l, uint32_t neighbours, uint32_t most, row_gaps gaps) {
    const layout_dim *kept = &l->kept[l->kept_count - 1], *last = &l->reduced[l->reduced_count - 1];
    const output_row row = output_row_of(l, neighbours, most);
    if (row.inner > 1)
        return row;
    if (l->reduced_count > 1 && last->in == 1 && last->size > 1 && last->size <= neighbours) {
        const uint32_t pitch = kept->size > 1 ? pitch_of(kept, last, gaps.most) : 0;
        const output_row several = {(uint32_t)last->size, 1, 1, kept->size, pitch}, one = {several.inner, 1, 0, 1, 0};
        if (pitch && rows_are_apart(l, 1, columns_of_block(&several)))
            return several;
        return kept->size == 1 || magnitude(kept->in) >= gaps.line ? one : row;
    }
    if (l->kept_count == 1 || kept->size == 1 || kept->size >= gaps.row || !answers_go_on(kept - 1, kept))
        return row;
    const layout_dim *const above = kept - 1;
    const uint32_t pitch = pitch_of(above, kept, gaps.most);
    const output_row joined = {1, (uint32_t)kept->size, 2, kept->size * above->size, pitch};
    return pitch > kept->size && rows_are_apart(l, 0, columns_of_block(&joined)) ? joined : row;
}

uint32_t pitch_of_row(const output_row *row) {
    return row->pitch ? row->pitch : row->inner * row->apart;
}

uint64_t columns_of_block(const output_row *row) {
    return (row->outputs / row->apart - 1) * pitch_of_row(row) + (uint64_t)row->inner * row->apart;
}

output_row joined_outputs(const layout *l, uint64_t enough, uint32_t gap) {
    const layout_dim *kept = &l->kept[l->kept_count - 1];
    output_row row = {1, 1, 1, kept->size, 0};
    const uint32_t pitch = l->kept_count > 1 && kept[-1].in > (int64_t)kept->size ? pitch_of(kept - 1, kept, gap) : 0;
    for (; row.dims < l->kept_count && row.outputs < enough; --kept) {
        const bool is_next = goes_on(kept - 1, kept) || (row.dims == 1 && pitch);
        if (!is_next || kept[-1].size > UINT32_MAX / max_u64(pitch, 1) / row.outputs)
            break;
        row.pitch = pitch ? pitch : (uint32_t)l->kept[l->kept_count - 1].size;
        row.outputs *= kept[-1].size;
        ++row.dims;
    }
    return row;
}

uint64_t columns_of_row(const layout *l, uint64_t outputs, uint32_t inner, uint32_t pitch) {
    const uint64_t size = l->kept[l->kept_count - 1].size;
    return inner == 1 && pitch ? (outputs / size - 1) * pitch + size : outputs * inner;
}

/* Those within one step of `stride`. */
static uint64_t outputs_within(const layout *l, uint64_t stride) {
    uint64_t outputs = 1;
    for (uint32_t i = l->kept_count; i > 0; --i) {
        if (stride != 0 && magnitude(l->kept[i - 1].in) >= stride)
            break;
        outputs *= l->kept[i - 1].size;
    }
    return outputs;
}

uint64_t outputs_inside(const layout *l, uint64_t enough) {
    uint64_t best = 1;
    for (uint32_t i = 0; i + 1 < l->reduced_count; ++i) {
        const uint64_t outputs = outputs_within(l, magnitude(l->reduced[i].in));
        const bool nearer = outputs < best && outputs >= enough, more = outputs > best && best < enough;
        if (outputs > 1 && (best == 1 || nearer || more))
            best = outputs;
    }
    return best;
}

/* ---- neighbours of an output that the index counts last -------------------------------------------------------- */

layout with_first_last(const layout *l) {
    layout turned = *l;
    for (uint32_t i = 0; i < l->reduced_count; ++i)
        turned.reduced[i] = l->reduced[(i + 1) % l->reduced_count];
    return turned;
}

bool may_be_first(const geometry_request *r) {
    const layout *l = r->layout;
    return l->reduced_count > 1 && l->reduced[0].in == 1 && l->reduced[l->reduced_count - 1].in != 1 &&
           l->reduction <= PART_ELEMENTS_MAX;
}

bool lines_are_shared(const geometry_request *r, const layout *turned, uint64_t columns) {
    bool in_order = true;
    for (uint32_t i = 1; i + 1 < turned->reduced_count; ++i)
        in_order = in_order && magnitude(turned->reduced[i - 1].in) >= magnitude(turned->reduced[i].in);
    return in_order || columns * element_bytes(r->problem) >= r->tuning->line_bytes;
}

const layout *layout_told(const layout *given, const geometry *g, layout *turned, dims_t *dims) {
    if (!g->inner_first)
        return given;
    *turned = with_first_last(given);
    for (uint32_t i = 0; i < turned->reduced_count; ++i) {
        dims->reduced_size[i] = turned->reduced[i].size;
        dims->reduced_in[i] = turned->reduced[i].in;
        dims->mask.reduced[i] = turned->reduced[i].mask;
    }
    return turned;
}

void add_inner_first(const geometry *g, writer *out) {
    if (g->inner_first)
        text_add(out, " -DINNER_FIRST=1");
}
