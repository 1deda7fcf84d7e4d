/* Which call fails. */
#include "layer.h"

#include <string.h>

static fault_order current;
static fault_report done;

void fault_order_set(const fault_order *order) {
    layer_lock();
    current = *order;
    done = (fault_report){0};
    layer_unlock();
}

fault_report fault_report_take(void) {
    layer_lock();
    const fault_report report = done;
    current = (fault_order){0};
    done = (fault_report){0};
    layer_unlock();
    return report;
}

bool fault_due(const char *call, uint64_t about, cl_int *code) {
    bool due = false;
    layer_lock();
    if (current.nth && (!current.call || strcmp(current.call, call) == 0)) {
        const uint64_t at = ++done.counted;
        due = at == current.nth || (current.from_there_on && at > current.nth);
    }
    if (due) {
        *code = current.code;
        if (done.failed++ == 0) {
            done.call = call;
            done.about = about;
        }
    }
    layer_unlock();
    return due;
}

void spoil(void *where, size_t bytes) {
    if (where)
        memset(where, 0xA5, bytes);
}
