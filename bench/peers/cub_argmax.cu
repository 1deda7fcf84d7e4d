// CUB beside the library: flat inputs by DeviceReduce::ArgMax, packed rows by DeviceSegmentedReduce::ArgMax.
//
//   nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC -o libcub_argmax.so cub_argmax.cu
//
// bench/compare.py compiles it where nvcc is found, and calls it through ctypes. Every function returns a cudaError_t.
#include <cstddef>
#include <cstdint>
#include <cub/cub.cuh>
#include <cuda_bf16.h>
#include <cuda/std/utility>
#include <cuda_fp16.h>
#include <limits>

// Types by the names of the problem grammar, in this order: the Python side counts on it.
enum Type { INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64 };

// One problem: rows x length elements at `input`; an answer for each row.
struct Job {
    int type;
    const void *input; // device memory, the caller's
    int64_t rows, length;
    void *temporary = nullptr, *answers = nullptr; // device memory, ours
    size_t temporary_bytes = 0, answer_bytes = 0;
    cudaEvent_t begin = nullptr, end = nullptr;
};

template <typename T> struct Flat {
    T value;
    int64_t index;
};
template <typename T> using Pair = cuda::std::pair<int, T>;

template <typename T> static cudaError_t launch(Job *job) {
    const T *const input = static_cast<const T *>(job->input);
    if (job->rows == 1) {
        auto *const answer = static_cast<Flat<T> *>(job->answers);
        return cub::DeviceReduce::ArgMax(job->temporary, job->temporary_bytes, input, answer ? &answer->value : nullptr,
                                         answer ? &answer->index : nullptr, job->length);
    }
    return cub::DeviceSegmentedReduce::ArgMax(job->temporary, job->temporary_bytes, input,
                                              static_cast<Pair<T> *>(job->answers), job->rows, (int)job->length);
}

template <typename T> static size_t answer_bytes(const Job *job) {
    return job->rows == 1 ? sizeof(Flat<T>) : (size_t)job->rows * sizeof(Pair<T>);
}

template <typename T> static cudaError_t read_answers(const Job *job, int64_t *indices) {
    if (job->rows == 1) {
        Flat<T> answer;
        const cudaError_t error = cudaMemcpy(&answer, job->answers, sizeof answer, cudaMemcpyDeviceToHost);
        indices[0] = answer.index;
        return error;
    }
    auto *const pairs = new Pair<T>[(size_t)job->rows];
    const cudaError_t error = cudaMemcpy(pairs, job->answers, job->answer_bytes, cudaMemcpyDeviceToHost);
    for (int64_t row = 0; row < job->rows; row++)
        indices[row] = pairs[row].first;
    delete[] pairs;
    return error;
}

// CALL names a template of one type parameter and its arguments.
#define FOR_TYPE(type, CALL)                                                                                           \
    switch (type) {                                                                                                    \
    case INT8: CALL(int8_t); break;                                                                                    \
    case INT16: CALL(int16_t); break;                                                                                  \
    case INT32: CALL(int32_t); break;                                                                                  \
    case INT64: CALL(int64_t); break;                                                                                  \
    case UINT8: CALL(uint8_t); break;                                                                                  \
    case UINT16: CALL(uint16_t); break;                                                                                \
    case UINT32: CALL(uint32_t); break;                                                                                \
    case UINT64: CALL(uint64_t); break;                                                                                \
    case FLOAT16: CALL(__half); break;                                                                                 \
    case BFLOAT16: CALL(__nv_bfloat16); break;                                                                         \
    case FLOAT32: CALL(float); break;                                                                                  \
    case FLOAT64: CALL(double); break;                                                                                 \
    default: break;                                                                                                    \
    }

static cudaError_t launch_any(Job *job) {
    cudaError_t error = cudaErrorInvalidValue;
#define LAUNCH(T) error = launch<T>(job)
    FOR_TYPE(job->type, LAUNCH)
    return error;
}

extern "C" int cub_close(Job *job) {
    if (job->begin) cudaEventDestroy(job->begin);
    if (job->end) cudaEventDestroy(job->end);
    cudaFree(job->temporary);
    cudaFree(job->answers);
    delete job;
    return 0;
}

extern "C" int cub_open(int type, const void *input, int64_t rows, int64_t length, Job **out) {
    if (rows > 1 && length > std::numeric_limits<int>::max()) return cudaErrorInvalidValue;
    Job *const job = new Job{type, input, rows, length};
    cudaError_t error = launch_any(job); // without memory: tells how much it needs
#define ANSWER_BYTES(T) job->answer_bytes = answer_bytes<T>(job)
    FOR_TYPE(type, ANSWER_BYTES)
    if (!error) error = cudaMalloc(&job->temporary, job->temporary_bytes);
    if (!error) error = cudaMalloc(&job->answers, job->answer_bytes);
    if (!error) error = cudaEventCreate(&job->begin);
    if (!error) error = cudaEventCreate(&job->end);
    if (error)
        cub_close(job);
    else
        *out = job;
    return error;
}

extern "C" int cub_run(Job *job, double *seconds) {
    float milliseconds = 0;
    cudaError_t error = cudaEventRecord(job->begin);
    if (!error) error = launch_any(job);
    if (!error) error = cudaEventRecord(job->end);
    if (!error) error = cudaEventSynchronize(job->end);
    if (!error) error = cudaEventElapsedTime(&milliseconds, job->begin, job->end);
    *seconds = 1e-3 * milliseconds;
    return error;
}

extern "C" int cub_answer(Job *job, int64_t *indices) {
    cudaError_t error = cudaErrorInvalidValue;
#define READ(T) error = read_answers<T>(job, indices)
    FOR_TYPE(job->type, READ)
    return error;
}

extern "C" int cub_version(void) {
    return CUB_VERSION;
}
