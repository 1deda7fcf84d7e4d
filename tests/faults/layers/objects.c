/* The objects that the program owns, by address, and what it did wrong with them. */
#include "layer.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kind_names[OBJECT_KINDS] = {"context", "device", "queue", "memory object",
                                                     "program", "kernel", "event", "user event"};

const char *object_kind_name(object_kind kind) {
    return kind_names[kind];
}

/* ---- violations ---- */

#define VIOLATIONS_KEPT 32

static char violations[VIOLATIONS_KEPT][200];
static uint64_t violations_seen;

void violation(const char *format, ...) {
    layer_lock();
    if (violations_seen < VIOLATIONS_KEPT) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(violations[violations_seen], sizeof violations[0], format, arguments);
        va_end(arguments);
    }
    violations_seen++;
    layer_unlock();
}

uint64_t violation_count(void) {
    return violations_seen;
}

const char *violation_text(uint64_t i) {
    return i < violations_seen && i < VIOLATIONS_KEPT ? violations[i] : NULL;
}

/* ---- the table: open addressing; the dead stay, so that their use shows ---- */

#define OBJECTS_MAX (1u << 18)

static object objects[OBJECTS_MAX];
static uint64_t alive[OBJECT_KINDS], created[OBJECT_KINDS], bytes_alive, left_busy;

static object *slot(const void *key) {
    uint64_t at = (uint64_t)(uintptr_t)key * UINT64_C(0x9E3779B97F4A7C15) >> 46;
    while (objects[at].key && objects[at].key != key)
        at = (at + 1) % OBJECTS_MAX;
    return &objects[at];
}

object *object_find(const void *key) {
    layer_lock();
    object *const o = key ? slot(key) : NULL;
    const bool known = o && o->key;
    layer_unlock();
    return known ? o : NULL;
}

object *object_born(object_kind kind, const void *key, const void *context, const void *parent) {
    object *const o = slot(key);
    if (o->key && o->references > 0)
        violation("a new %s has the address of a %s that is alive", kind_names[kind], kind_names[o->kind]);
    free(o->args);
    *o = (object){.key = key, .kind = kind, .references = 1, .context = context, .parent = parent};
    if (kind == OBJECT_KERNEL)
        o->args = calloc(1, sizeof *o->args);
    alive[kind]++;
    created[kind]++;
    return o;
}

static bool usable(const object *o) {
    return o->references > 0 || o->children > 0 || o->kind == OBJECT_DEVICE;
}

/* Events of both sorts serve where an event is asked for. */
static bool is_of(const object *o, object_kind kind) {
    return o->kind == kind || (kind == OBJECT_EVENT && o->kind == OBJECT_USER_EVENT);
}

object *object_use(const char *call, object_kind kind, const void *key) {
    object *const o = object_find(key);
    if (!key)
        violation("%s: NULL for a %s", call, kind_names[kind]);
    else if (!o)
        violation("%s: %p was never a %s", call, (void *)(uintptr_t)key, kind_names[kind]);
    else if (!is_of(o, kind))
        violation("%s: a %s for a %s", call, kind_names[o->kind], kind_names[kind]);
    else if (!usable(o))
        violation("%s: a %s after its last release", call, kind_names[kind]);
    else
        return o;
    return NULL;
}

bool object_retain(const char *call, object_kind kind, const void *key) {
    layer_lock();
    object *o = object_find(key);
    if (!o && kind == OBJECT_DEVICE && key) {
        o = object_born(kind, key, NULL, NULL);
    } else {
        o = object_use(call, kind, key);
        if (o && o->references++ == 0)
            alive[o->kind]++;
    }
    layer_unlock();
    return o != NULL;
}

static void bury(object *o) {
    alive[o->kind]--;
    bytes_alive -= o->bytes;
    left_busy += o->kind == OBJECT_QUEUE && o->busy;
    if (o->kind == OBJECT_USER_EVENT && !o->settled)
        violation("a user event was released for the last time before it got its status");
    object *const parent = o->kind == OBJECT_MEMORY ? object_find(o->parent) : NULL;
    if (parent)
        parent->children--;
}

bool object_release(const char *call, object_kind kind, const void *key) {
    layer_lock();
    object *const o = object_use(call, kind, key);
    const bool ok = o && o->references > 0;
    if (o && !ok)
        violation("%s: a %s once too often", call, kind_names[kind]);
    if (ok && --o->references == 0)
        bury(o);
    layer_unlock();
    return ok;
}

void objects_same_context(const char *call, const object *a, const object *b) {
    if (a && b && a->context != b->context)
        violation("%s: a %s and a %s of different contexts", call, kind_names[a->kind], kind_names[b->kind]);
}

bool objects_wait(const char *call, cl_uint count, const cl_event *events, const void *context) {
    const uint64_t before = violations_seen;
    if ((count == 0) != (events == NULL))
        violation("%s: %u events in %s", call, (unsigned)count, events ? "a list" : "no list");
    for (cl_uint i = 0; i < count && events; i++) {
        const object *const o = object_use(call, OBJECT_EVENT, events[i]);
        if (o && context && o->context != context)
            violation("%s: event %u is of another context", call, (unsigned)i);
    }
    return violations_seen == before;
}

uint64_t objects_alive(object_kind kind) {
    return alive[kind];
}

uint64_t objects_created(object_kind kind) {
    return created[kind];
}

uint64_t queues_left_busy(void) {
    return left_busy;
}

uint64_t objects_bytes(void) {
    return bytes_alive;
}

void object_weighs(object *o, uint64_t bytes) {
    o->bytes = bytes;
    bytes_alive += bytes;
}
