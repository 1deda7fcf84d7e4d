#include "census.h"

#include <inttypes.h>

census count_objects(const layer_control *layer) {
    census c;
    for (int i = 0; i < OBJECT_KINDS; i++)
        c.alive[i] = layer->alive((object_kind)i);
    for (int i = 0; i < HOST_KINDS; i++)
        c.host[i] = host_alive((host_kind)i);
    return c;
}

bool same_objects(const layer_control *layer, const census *before) {
    const census now = count_objects(layer);
    bool ok = true;
    for (int i = 0; i < OBJECT_KINDS; i++)
        if (now.alive[i] != before->alive[i])
            ok = complain("%s: %" PRIu64 " before, %" PRIu64 " after\n", layer->kind_name((object_kind)i),
                          before->alive[i], now.alive[i]);
    for (int i = 0; i < HOST_KINDS; i++)
        if (now.host[i] != before->host[i])
            ok = complain("%s: %" PRId64 " before, %" PRId64 " after\n", host_kind_name((host_kind)i), before->host[i],
                          now.host[i]);
    return ok;
}

bool no_violations(const layer_control *layer) {
    static uint64_t known = 0;
    const uint64_t before = known;
    for (; known < layer->violations(); known++)
        complain("violation: %s\n", layer->violation(known) ? layer->violation(known) : "(one of too many)");
    return known == before;
}
