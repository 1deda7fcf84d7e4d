/* What the ICD loader asks of a layer, and what the program gets. */
#include "layer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cl_icd_dispatch *next;

/* A loader may know fewer calls than the headers here, or more, which are handed on as they are. */
#define CALLS_MAX 1024

static union {
    cl_icd_dispatch calls;
    void *all[CALLS_MAX];
} table;

static pthread_mutex_t lock; /* clInitLayer makes it */

void layer_lock(void) {
    pthread_mutex_lock(&lock);
}

void layer_unlock(void) {
    pthread_mutex_unlock(&lock);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size, void *param_value,
                                               size_t *param_value_size_ret) {
    static const char name[] = "argmax_cl faults and objects";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const bool names = param_name == CL_LAYER_NAME;
    const void *const answer = names ? (const void *)name : &version;
    const size_t size = names ? sizeof name : sizeof version;
    if ((!names && param_name != CL_LAYER_API_VERSION) || (param_value && param_value_size < size))
        return CL_INVALID_VALUE;
    if (param_value)
        memcpy(param_value, answer, size);
    if (param_value_size_ret)
        *param_value_size_ret = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                            cl_uint *num_entries_ret, const cl_icd_dispatch **layer_dispatch_ret) {
    pthread_mutexattr_t recursive;
    if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret || num_entries > CALLS_MAX)
        return CL_INVALID_VALUE;
    if (pthread_mutexattr_init(&recursive) || pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) ||
        pthread_mutex_init(&lock, &recursive))
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(table.all, target_dispatch, num_entries * sizeof table.all[0]);
    next = target_dispatch;
    take_query_calls(&table.calls);
    take_object_calls(&table.calls);
    take_command_calls(&table.calls);
    *num_entries_ret = num_entries;
    *layer_dispatch_ret = &table.calls;
    return CL_SUCCESS;
}

/* What newer loaders call instead, and at their end; older headers do not declare them. */
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch *target,
                                                          cl_uint *count_ret, const cl_icd_dispatch **table_ret,
                                                          const void *properties);
CL_API_ENTRY cl_int CL_API_CALL clInitLayerWithProperties(cl_uint count, const cl_icd_dispatch *target,
                                                          cl_uint *count_ret, const cl_icd_dispatch **table_ret,
                                                          const void *properties) {
    (void)properties;
    return clInitLayer(count, target, count_ret, table_ret);
}

CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void);
CL_API_ENTRY cl_int CL_API_CALL clDeinitLayer(void) {
    return CL_SUCCESS;
}

/* For programs that know nothing of the layer: with ARGMAX_CL_LAYER_STRICT in the environment, what was wrong and what
 * is still alive when the program ends is told, and is a failure. */
__attribute__((destructor)) static void last_words(void) {
    bool sound = true;
    const char *const strict = getenv("ARGMAX_CL_LAYER_STRICT");
    if (!strict || !*strict)
        return;
    for (uint64_t i = 0; violation_text(i); i++)
        fprintf(stderr, "violation: %s\n", violation_text(i));
    for (int i = 0; i < OBJECT_KINDS; i++)
        if (objects_alive((object_kind)i)) {
            fprintf(stderr, "%s: %llu of %llu alive at the end\n", object_kind_name((object_kind)i),
                    (unsigned long long)objects_alive((object_kind)i),
                    (unsigned long long)objects_created((object_kind)i));
            sound = false;
        }
    if (sound && violation_count() == 0 && next)
        return;
    if (!next)
        fprintf(stderr, "the ICD loader takes no layers\n");
    fflush(NULL);
    _exit(next ? EXIT_FAILURE : 77);
}

static fault_report report(void) {
    fault_report r = fault_report_take();
    r.objects_denied = memory_limit_met();
    return r;
}

static const layer_control control = {.order = fault_order_set,
                                      .report = report,
                                      .limit_memory = memory_limit_set,
                                      .pretend = device_pretend,
                                      .cut_launch = launch_cut,
                                      .launch_was_cut = launch_has_been_cut,
                                      .alive = objects_alive,
                                      .created = objects_created,
                                      .bytes = objects_bytes,
                                      .kind_name = object_kind_name,
                                      .left_busy = queues_left_busy,
                                      .violations = violation_count,
                                      .violation = violation_text};

/* NULL where the library was loaded, but not by an ICD loader. */
CL_API_ENTRY const layer_control *CL_API_CALL argmax_cl_test_layer(void);
CL_API_ENTRY const layer_control *CL_API_CALL argmax_cl_test_layer(void) {
    return next ? &control : NULL;
}
