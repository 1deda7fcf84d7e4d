/* All strategies, in the order of preference: the first that suits a problem is taken. A family is known by its
 * strategies, so this list is all that must name a new one. */
#include "families/family.h"

#define STRATEGIES(NEXT)                                                                                               \
    NEXT(permuted_rows)                                                                                                \
    NEXT(split_permuted_rows)                                                                                          \
    NEXT(tiled_blocks)                                                                                                 \
    NEXT(transposed_blocks)                                                                                            \
    NEXT(few_rows)                                                                                                     \
    NEXT(stream)                                                                                                       \
    NEXT(split_stream)                                                                                                 \
    NEXT(gathered_rows)                                                                                                \
    NEXT(columns)                                                                                                      \
    NEXT(split_columns)                                                                                                \
    NEXT(strided_columns)                                                                                              \
    NEXT(split_strided_columns)                                                                                        \
    NEXT(segment_rows)                                                                                                 \
    NEXT(split_segment_rows)                                                                                           \
    NEXT(register_rows)                                                                                                \
    NEXT(short_rows)                                                                                                   \
    NEXT(long_rows)                                                                                                    \
    NEXT(split_rows)                                                                                                   \
    NEXT(strided_rows)                                                                                                 \
    NEXT(split_strided_rows)

#define DECLARE(name) extern const strategy strategy_##name;
#define ADDRESS(name) &strategy_##name,

STRATEGIES(DECLARE)

static const strategy *const strategies[] = {STRATEGIES(ADDRESS)};

#define STRATEGY_COUNT ((uint32_t)(sizeof strategies / sizeof strategies[0]))

uint32_t strategy_count(void) {
    return STRATEGY_COUNT;
}

const strategy *strategy_at(uint32_t i) {
    return i < STRATEGY_COUNT ? strategies[i] : NULL;
}

const char *strategy_name(uint32_t i) {
    return i < STRATEGY_COUNT ? strategies[i]->name : NULL;
}

static bool is_first_of_family(uint32_t i) {
    uint32_t first = 0;
    while (strategies[first]->family != strategies[i]->family)
        ++first;
    return first == i;
}

const family *family_at(uint32_t number) {
    for (uint32_t i = 0; i < STRATEGY_COUNT; ++i)
        if (is_first_of_family(i) && number-- == 0)
            return strategies[i]->family;
    return NULL;
}
