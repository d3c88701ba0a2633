/* What programs that repeat a step on a sparse matrix have in common: the matrix and vectors on the
 * device, and the step as a CUDA graph, so that each further one is a single launch. */
#ifndef EXAMPLES_STEPS_CUH
#define EXAMPLES_STEPS_CUH

#include <stdio.h>
#include <stdlib.h>

#include <primitives/reduce.h>
#include <primitives/sparse.h>

#include "common/kernel/launch.cuh"
#include "failure.h"
#include "matrix_market.h"
#include "numbers.h"
#include "output.h"

/* Of the program that includes this. */
extern const char program[];

namespace
{

constexpr unsigned THREADS = 256;

/* What on_device() has given out; free_device() takes all of it back. */
enum { MOST_ARRAYS = 16 };
void *device_arrays[MOST_ARRAYS];
int device_array_count;

inline void *on_device(const void *h_data, size_t bytes)
{
    void *d_data;
    if (device_array_count == MOST_ARRAYS) {
        fprintf(stderr, "%s: more than %d arrays on the device\n", program, MOST_ARRAYS);
        exit(1);
    }
    check_cuda(program, cudaMalloc(&d_data, bytes > 0 ? bytes : 1));
    device_arrays[device_array_count++] = d_data;
    if (h_data != nullptr)
        check_cuda(program, cudaMemcpy(d_data, h_data, bytes, cudaMemcpyHostToDevice));
    return d_data;
}

inline void free_device()
{
    while (device_array_count > 0)
        check_cuda(program, cudaFree(device_arrays[--device_array_count]));
}

inline double *vector_on_device(const double *h_data, size_t count)
{
    return static_cast<double *>(on_device(h_data, count * sizeof(double)));
}

/* Of f64 and in CSR, as matrix_market_read() has it. */
inline prim_sparse matrix_on_device(const prim_sparse &csr)
{
    prim_sparse m = csr;
    m.row_offsets = on_device(csr.row_offsets, (csr.rows + 1) * sizeof(int64_t));
    m.column_indices =
        static_cast<const int32_t *>(on_device(csr.column_indices, csr.entries * sizeof(int32_t)));
    m.values = on_device(csr.values, csr.entries * sizeof(double));
    return m;
}

/* The argument STEPS, which follows the matrix; `usual` where it is left out. */
inline unsigned long long read_steps(const char *word, unsigned long long usual)
{
    unsigned long long steps = usual;
    if (word == nullptr || read_count(word, 1, 1000000000, &steps))
        return steps;
    fprintf(stderr, "%s: STEPS is a number from 1 to 10^9, and %s is none\n", program, word);
    exit(2);
}

inline prim_sparse read_square_matrix(const char *path)
{
    char sentence[MATRIX_MARKET_SENTENCE];
    prim_sparse csr;
    if (!matrix_market_read(path, &csr, sentence)) {
        fprintf(stderr, "%s: %s\n", program, sentence);
        exit(1);
    }
    if (csr.rows == csr.columns && csr.rows > 0)
        return csr;
    fprintf(stderr, "%s: %s has %zu rows and %zu columns, and a square matrix is needed\n", program,
            path, csr.rows, csr.columns);
    exit(1);
}

/* Products and dot products in f64, with workspaces that stay where they are: a graph has their
 * addresses. */
struct calculator {
    prim_sparse matrix;
    cudaStream_t stream;
    void *product_workspace, *dot_workspace;
    size_t product_bytes, dot_bytes;

    explicit calculator(const prim_sparse &d_matrix) : matrix(d_matrix)
    {
        check_cuda(program, cudaStreamCreate(&stream));
        prim_answer answer;
        prim_call asking = {};
        asking.answer = &answer;
        check_prim(program, prim_spmv(PRIM_SPMV_AUTO, 1, matrix, vector(nullptr), 0,
                                      vector(nullptr), &asking));
        product_bytes = answer.workspace_bytes;
        check_prim(program, prim_dot(PRIM_REDUCE_AUTO, CUDA_R_64F, nullptr, nullptr, matrix.rows,
                                     CUDA_R_64F, nullptr, &asking));
        dot_bytes = answer.workspace_bytes;
        product_workspace = on_device(nullptr, product_bytes);
        dot_workspace = on_device(nullptr, dot_bytes);
    }

    ~calculator()
    {
        check_cuda(program, cudaStreamDestroy(stream));
    }
    calculator(const calculator &) = delete;
    calculator &operator=(const calculator &) = delete;

    /* One of the matrix's, which is square. */
    prim_vector vector(const double *d) const
    {
        return prim_vector_of(CUDA_R_64F, d, matrix.rows);
    }

    /* y = alpha · A · x */
    void product(double alpha, const double *d_x, double *d_y) const
    {
        prim_call call = {};
        call.stream = stream;
        call.d_workspace = product_workspace;
        call.workspace_bytes = product_bytes;
        check_prim(program,
                   prim_spmv(PRIM_SPMV_AUTO, alpha, matrix, vector(d_x), 0, vector(d_y), &call));
    }

    void dot(const double *d_x, const double *d_y, double *d_sum) const
    {
        prim_call call = {};
        call.stream = stream;
        call.d_workspace = dot_workspace;
        call.workspace_bytes = dot_bytes;
        check_prim(program, prim_dot(PRIM_REDUCE_AUTO, CUDA_R_64F, d_x, d_y, matrix.rows,
                                     CUDA_R_64F, d_sum, &call));
    }

    /* A thread for each row. */
    template <typename... Parameters, typename... Arguments>
    void for_each_row(void (*kernel)(Parameters...), Arguments... arguments) const
    {
        const unsigned blocks = static_cast<unsigned>((matrix.rows + THREADS - 1) / THREADS);
        check_cuda(program, prim_launch({stream, blocks, THREADS}, kernel, arguments...));
    }

    double read(const double *d_value) const
    {
        double value;
        check_cuda(program,
                   cudaMemcpyAsync(&value, d_value, sizeof value, cudaMemcpyDeviceToHost, stream));
        check_cuda(program, cudaStreamSynchronize(stream));
        return value;
    }
};

/* Submits the first step; every further one replays it. */
template <class Step>
struct repeated {
    const calculator &with;
    Step step;
    cudaGraphExec_t graph;

    void first()
    {
        cudaGraph_t recorded;
        step();
        check_cuda(program, cudaStreamBeginCapture(with.stream, cudaStreamCaptureModeThreadLocal));
        step();
        check_cuda(program, cudaStreamEndCapture(with.stream, &recorded));
        check_cuda(program, cudaGraphInstantiate(&graph, recorded, 0));
        check_cuda(program, cudaGraphDestroy(recorded));
    }
    void next() const
    {
        check_cuda(program, cudaGraphLaunch(graph, with.stream));
    }
    void end() const
    {
        if (graph != nullptr)
            check_cuda(program, cudaGraphExecDestroy(graph));
    }
};

template <class Step>
repeated<Step> make_repeated(const calculator &with, Step step)
{
    return {with, step, nullptr};
}

} // namespace

#endif
