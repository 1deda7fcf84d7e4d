/* Greedy choice of the next token: the largest of 151,936 logits, for each sequence of a batch. Of equal ones the
 * first.
 *
 * It prints
 *     sequence 0: token 271, logit 23.5
 *     sequence 1: token 50256, logit 23.5
 *     sequence 2: token 9707, logit 23.5
 *     sequence 3: token 151935, logit 23.5
 */
#include <argmax_cl/argmax_cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 4, VOCABULARY = 151936 };

/* In place of a model: noise below 20, and the next token twice as far up as a sampler would notice. */
static void predict(float *logits) {
    static const int next[BATCH] = {271, 50256, 9707, 151935};
    for (int b = 0; b < BATCH; ++b) {
        float *row = logits + (size_t)b * VOCABULARY;
        for (unsigned v = 0; v < VOCABULARY; ++v)
            row[v] = (float)((v + (unsigned)b) * 2654435761u >> 16) / 65536 * 20;
        row[next[b]] = 23.5f;
        if (b == 0)
            row[50000] = 23.5f; /* an equal one further on */
    }
}

int main(void) {
    const uint64_t sizes[] = {BATCH, VOCABULARY};
    const uint32_t axes[] = {1};
    int32_t token[BATCH];
    float logit[BATCH];
    float *logits = malloc(sizeof(float) * BATCH * VOCABULARY);
    if (!logits)
        return 1;
    predict(logits);

    argmax_cl_tensor input = ARGMAX_CL_TENSOR_INIT, index = ARGMAX_CL_TENSOR_INIT, value = ARGMAX_CL_TENSOR_INIT;
    input.dtype = value.dtype = ARGMAX_CL_FLOAT32;
    input.rank = 2;
    input.sizes = sizes;
    index.dtype = ARGMAX_CL_INT32;
    argmax_cl_desc desc = ARGMAX_CL_DESC_INIT;
    desc.input = &input;
    desc.index = &index;
    desc.value = &value;
    desc.axis_count = 1;
    desc.axes = axes;
    desc.nan_mode = ARGMAX_CL_NAN_IGNORE; /* a NaN is no token */
    argmax_cl_host_arrays arrays = ARGMAX_CL_HOST_ARRAYS_INIT;
    arrays.input = logits;
    arrays.index = token;
    arrays.value = logit;

    argmax_cl_handle handle;
    argmax_cl_status status = argmax_cl_create_default(&handle, NULL);
    if (!status)
        status = argmax_cl_host(handle, &desc, &arrays, NULL);
    if (status)
        fprintf(stderr, "tokens: %s\n", argmax_cl_last_error());
    for (int b = 0; !status && b < BATCH; ++b)
        printf("sequence %d: token %d, logit %.1f\n", b, (int)token[b], (double)logit[b]);
    argmax_cl_destroy(handle);
    free(logits);
    return status ? 1 : 0;
}
