/* Which outputs lie side by side in the input, and so may be read together. */
#include "families/geometry.h"

/* Whether `outer` goes on where `inner` ends, in the input and in the mask. */
static bool goes_on(const layout_dim *outer, const layout_dim *inner) {
    return continues(outer->in, inner->in, inner->size) && continues(outer->mask, inner->mask, inner->size);
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

/* Elements from the first one of the last kept dim to where the dim before it goes on, up to `gap` behind its end, in
 * the mask as well; 0: it does not. */
static uint32_t pitch_of(const layout *l, uint32_t gap) {
    const layout_dim *kept = &l->kept[l->kept_count - 1], *above = kept - 1;
    if (l->kept_count == 1 || kept->in != 1 || above->in <= (int64_t)kept->size)
        return 0;
    const uint64_t pitch = (uint64_t)above->in;
    return pitch <= UINT32_MAX && pitch - kept->size <= gap && above->mask == kept->mask * above->in ? (uint32_t)pitch
                                                                                                     : 0;
}

output_row joined_outputs(const layout *l, uint64_t enough, uint32_t gap) {
    const layout_dim *kept = &l->kept[l->kept_count - 1];
    output_row row = {1, 1, 1, kept->size, 0};
    const uint32_t pitch = pitch_of(l, gap);
    for (; row.dims < l->kept_count && row.outputs < enough; --kept) {
        const bool follows = goes_on(kept - 1, kept) || (row.dims == 1 && pitch);
        if (!follows || kept[-1].size > UINT32_MAX / max_u64(pitch, 1) / row.outputs)
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
