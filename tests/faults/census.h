/* Counting what is alive, for programs that must leave nothing behind. */
#ifndef ARGMAX_CL_TESTS_FAULTS_CENSUS_H
#define ARGMAX_CL_TESTS_FAULTS_CENSUS_H

#include "host_faults.h"
#include "world.h"

/* What a test ends with where no loader takes the layer; CTest counts it as skipped. */
#define EXIT_SKIPPED 77

typedef struct census {
    uint64_t alive[OBJECT_KINDS];
    int64_t host[HOST_KINDS];
} census;

census count_objects(const layer_control *layer);
/* Whether as many objects are alive as then, and whether the layer has seen nothing wrong since the last call. They say
 * on stderr what is not as it should be. */
bool same_objects(const layer_control *layer, const census *before);
bool no_violations(const layer_control *layer);

#endif
