/* Descriptors: refused or accepted as the contract says, and with a message; what is accepted collapses to a layout of
 * the same elements in the same order, and gets a geometry that covers them and keeps the device's limits. */
#include "choose.h"
#include "desc_geometry.h"
#include "desc_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ENUMERATED 2048 /* elements up to which every one is looked at */
#define SAMPLED 64

/* ---- The layout ------------------------------------------------------------------------------------------------- */

/* Where one element lies, in the tensors and in its reduction. Differences of addresses: below 2^63 both. */
typedef struct element {
    uint64_t in, index, value, place;
} element;

/* The definition, docs/semantics.md: an element of the reduction `place` of output number `output`. */
static element define(const problem *p, uint64_t output, uint64_t place) {
    element e = {p->input.offset, p->index.offset, p->value.offset, place};
    for (uint32_t i = p->rank; i-- > 0;) {
        const uint64_t size = p->input.size[i];
        uint64_t *const rest = p->reduced[i] ? &place : &output;
        const uint64_t at = *rest % size;
        *rest /= size;
        e.in += at * (uint64_t)p->input.stride[i];
        if (p->reduced[i]) /* an output has one position there */
            continue;
        e.index += at * (uint64_t)p->index.stride[i];
        e.value += at * (uint64_t)p->value.stride[i];
    }
    return e;
}

/* The same by the layout, whose reduction may begin at the other end: kept dims are in any order, so the output is
 * found by the address of its index. */
static element walk(const layout *l, uint64_t index, uint64_t place) {
    layout_dim kept[2 * MAX_RANK]; /* with the outputs' strides, and copied */
    const bool copies = l->stored_count > 0;
    const uint32_t kept_count = copies ? l->stored_count : l->kept_count, count = kept_count + l->copied_count;
    const int64_t index_offset = copies ? l->stored_offset[OUTPUT_INDEX] : l->index_offset;
    const int64_t value_offset = copies ? l->stored_offset[OUTPUT_VALUE] : l->value_offset;
    element e = {(uint64_t)l->in_offset, (uint64_t)index_offset, (uint64_t)value_offset, place};
    memcpy(kept, copies ? l->stored : l->kept, kept_count * sizeof *kept);
    memcpy(kept + kept_count, l->copied, l->copied_count * sizeof *kept);
    int64_t rest = (int64_t)(index - (uint64_t)index_offset);
    bool done[2 * MAX_RANK] = {false};
    /* The largest stride first: the others together reach less far (check.c), on either side. */
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t k = count;
        int64_t low = 0, high = 0;
        for (uint32_t i = 0; i < count; ++i)
            if (!done[i] && (k == count || llabs(kept[i].index) > llabs(kept[k].index)))
                k = i;
        done[k] = true;
        for (uint32_t i = 0; i < count; ++i)
            if (!done[i]) {
                const int64_t reach = (int64_t)((kept[i].size - 1) * (uint64_t)kept[i].index);
                *(reach < 0 ? &low : &high) += reach;
            }
        const int64_t step = llabs(kept[k].index), from = kept[k].index < 0 ? -(rest - high) : rest - low;
        const uint64_t at = step ? (uint64_t)(from / step) : 0;
        REQUIRE(at < kept[k].size, "dim %" PRIu32 ": %" PRIu64 " of %" PRIu64, k, at, kept[k].size);
        rest -= (int64_t)(at * (uint64_t)kept[k].index);
        e.in += at * (uint64_t)kept[k].in;
        e.index += at * (uint64_t)kept[k].index;
        e.value += at * (uint64_t)kept[k].value;
    }
    if (l->repeated.added) {
        const uint64_t every = l->repeated.every, size = l->repeated.added / every + 1;
        place = place / every / size * every + place % every;
    }
    if (l->reversed)
        place = l->reduction - 1 - place;
    for (uint32_t i = l->reduced_count; i-- > 0;) {
        e.in += place % l->reduced[i].size * (uint64_t)l->reduced[i].in;
        place /= l->reduced[i].size;
    }
    REQUIRE(place == 0, "%" PRIu64 " left", place);
    return e;
}

static void check_element(const problem *p, const layout *l, uint64_t output, uint64_t place) {
    const element expected = define(p, output, place), got = walk(l, expected.index, place);
    REQUIRE(got.in == expected.in && got.index == expected.index && (!p->value.type || got.value == expected.value),
            "output %" PRIu64 ", place %" PRIu64 ": %" PRIu64 " instead of %" PRIu64, output, place, got.in,
            expected.in);
    REQUIRE(got.in >= p->input.first && got.in <= p->input.last, "%" PRIu64, got.in);
    REQUIRE(got.index >= p->index.first && got.index <= p->index.last, "%" PRIu64, got.index);
    REQUIRE(!p->value.type || (got.value >= p->value.first && got.value <= p->value.last), "%" PRIu64, got.value);
}

/* The last three are one dim's blocks, a dim whose answers are neighbours, and the blocks' outputs. */
static bool has_both_orders(const layout *l) {
    const layout_dim *last = &l->kept[l->kept_count - 1];
    return l->kept_count >= 3 && last[-2].in == last->in * (int64_t)last->size &&
           last[-2].index == last->index * (int64_t)last->size && last[-1].in >= last->in;
}

static void check_order(const layout *l) {
    const uint32_t apart = l->both_orders ? 1 : has_both_orders(l) ? 2 : 0, last = l->kept_count - 1;
    REQUIRE(!l->both_orders || (last && l->kept[last - 1].in >= l->kept[last].in), "dim %" PRIu32, last);
    for (uint32_t i = 1; i < l->kept_count - apart; ++i) {
        const layout_dim *d = &l->kept[i == last - apart ? last : i];
        REQUIRE(d->in <= l->kept[i - 1].in, "dim %" PRIu32, i);
    }
}

static void check_dims(const problem *p, const layout *l) {
    const bool moves = p->reduction > p->index.type->bits / p->input.type->bits; /* else nothing is copied */
    uint64_t outputs = 1, reduction = 1;
    REQUIRE(l->stored_count + l->copied_count <= MAX_RANK + 1, "%" PRIu32 " copied", l->copied_count);
    for (uint32_t i = 0; i < l->copied_count; ++i)
        REQUIRE(l->copied[i].in == 0 && l->copied[i].mask == 0 && l->copied[i].size > 1, "copied dim %" PRIu32, i);
    REQUIRE(l->kept_count >= 1 && l->kept_count <= MAX_RANK, "%" PRIu32, l->kept_count);
    REQUIRE(l->reduced_count >= 1 && l->reduced_count <= MAX_RANK, "%" PRIu32, l->reduced_count);
    for (uint32_t i = 0; i < l->kept_count; ++i) {
        outputs *= l->kept[i].size;
        REQUIRE(l->kept[i].in >= 0, "dim %" PRIu32, i);
        REQUIRE(l->kept_count == 1 || l->kept[i].size > 1, "dim %" PRIu32, i);
        REQUIRE(!moves || l->kept[i].in != 0 || l->kept[i].mask != 0, "dim %" PRIu32 " stands still", i);
    }
    for (uint32_t i = 0; i < l->reduced_count; ++i) {
        reduction *= l->reduced[i].size;
        REQUIRE(l->reduced_count == 1 || l->reduced[i].size > 1, "dim %" PRIu32, i);
    }
    check_order(l);
    REQUIRE(outputs == l->outputs && reduction == l->reduction, "%" PRIu64 " x %" PRIu64, outputs, reduction);
}

static void check_layout(const problem *p, const layout *l, uint64_t seed) {
    check_dims(p, l);
    const uint64_t repeats = l->repeated.added ? l->repeated.added / l->repeated.every + 1 : 1;
    uint64_t outputs = l->outputs;
    for (uint32_t i = 0; i < l->copied_count; ++i)
        outputs *= l->copied[i].size;
    REQUIRE(outputs == p->outputs && l->reduction * repeats == p->reduction, "%" PRIu64 " of %" PRIu64, outputs,
            l->reduction);
    if (p->outputs <= ENUMERATED && p->reduction <= ENUMERATED / p->outputs) {
        for (uint64_t output = 0; output < p->outputs; ++output)
            for (uint64_t place = 0; place < p->reduction; ++place)
                check_element(p, l, output, place);
        return;
    }
    check_element(p, l, 0, 0);
    check_element(p, l, p->outputs - 1, p->reduction - 1);
    for (int i = 0; i < SAMPLED; ++i) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        check_element(p, l, (seed >> 1) % p->outputs, (seed << 31 | seed >> 33) % p->reduction);
    }
}

/* The strategy that is chosen, and one that is forced. */
static void check_strategies(const problem *p, const layout *l, source *s) {
    problem forced = *p;
    device_facts device;
    uint32_t group_limit;
    geometry g;
    take_device(s, &device, &group_limit);
    forced.strategy = strategy_name(take_byte(s) % strategy_count());
    forced.strategy_source = "strategy";
    take_tuning(s, &device);
    argmax_cl_status status = choose(p, l, &device, group_limit, &g);
    REQUIRE(status == ARGMAX_CL_SUCCESS, "%s", argmax_cl_last_error());
    check_geometry(p, l, &device, group_limit, &g);
    status = choose(&forced, l, &device, group_limit, &g);
    REQUIRE(status == ARGMAX_CL_SUCCESS || status == ARGMAX_CL_ERROR_INVALID_STRATEGY, "status %d", (int)status);
    if (status == ARGMAX_CL_SUCCESS)
        check_geometry(p, l, &device, group_limit, &g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    source s = {data, data + size};
    desc_input d;
    problem p;
    layout l;
    bool known;
    desc_input_take(&s, &d);
    const bool allowed = desc_allowed(&d, &known);
    const bool accepted = check_desc(d.op, &d.as.desc, &p) == ARGMAX_CL_SUCCESS;
    REQUIRE(accepted || strstr(argmax_cl_last_error(), ": "), "%s", argmax_cl_last_error());
    REQUIRE(!known || accepted == allowed, "%s", accepted ? "accepted" : argmax_cl_last_error());
    if (accepted && p.outputs) {
        const tuning_row row = tuning_find("gpu");
        layout_collapse(&p, &row, &l);
        check_layout(&p, &l, p.input.last ^ p.index.last ^ size);
        check_strategies(&p, &l, &s);
    }
    desc_input_free(&d);
    return 0;
}
