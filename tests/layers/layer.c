/* What the ICD loader asks of a layer, and what the program gets. */
#include "layer.h"

#include <pthread.h>
#include <string.h>

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

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t bytes, void *value, size_t *needed) {
    static const char name[] = "argmax_cl faults and objects";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *const answer = what == CL_LAYER_NAME ? (const void *)name : &version;
    const size_t size = what == CL_LAYER_NAME ? sizeof name : sizeof version;
    if ((what != CL_LAYER_NAME && what != CL_LAYER_API_VERSION) || (value && bytes < size))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, answer, size);
    if (needed)
        *needed = size;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target, cl_uint *count_ret,
                                            const cl_icd_dispatch **table_ret) {
    pthread_mutexattr_t recursive;
    if (!target || !count_ret || !table_ret || count > CALLS_MAX)
        return CL_INVALID_VALUE;
    if (pthread_mutexattr_init(&recursive) || pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE) ||
        pthread_mutex_init(&lock, &recursive))
        return CL_OUT_OF_HOST_MEMORY;
    memcpy(table.all, target, count * sizeof table.all[0]);
    next = target;
    take_query_calls(&table.calls);
    take_object_calls(&table.calls);
    take_command_calls(&table.calls);
    *count_ret = count;
    *table_ret = &table.calls;
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

static fault_report report(void) {
    fault_report r = fault_report_take();
    r.objects_denied = memory_limit_met();
    return r;
}

static const layer_control control = {.order = fault_order_set,
                                      .report = report,
                                      .limit_memory = memory_limit_set,
                                      .pretend = device_pretend,
                                      .alive = objects_alive,
                                      .created = objects_created,
                                      .kind_name = object_kind_name,
                                      .violations = violation_count,
                                      .violation = violation_text};

/* NULL where the library was loaded, but not by an ICD loader. */
CL_API_ENTRY const layer_control *CL_API_CALL argmax_cl_test_layer(void);
CL_API_ENTRY const layer_control *CL_API_CALL argmax_cl_test_layer(void) {
    return next ? &control : NULL;
}
