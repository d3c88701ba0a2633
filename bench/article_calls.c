/* The calls that the articles' tables measure, and what they run on. */
#include <math.h>
#include <stdlib.h>

#include <primitives/primitives.h>

#include "articles.h"
#include "peers/peers.h"

/* ---- operands ---- */

static void *device_memory(size_t bytes)
{
    void *d_data;
    must(cudaMalloc(&d_data, bytes), "memory for an article's table");
    return d_data;
}

static void *device_floats(size_t count)
{
    void *d_data = device_memory(count * sizeof(float));
    must(fill_on_device(CUDA_R_32F, d_data, count, INPUT_UNIFORM, 7, 0), "a fill");
    must(cudaDeviceSynchronize(), "a fill");
    return d_data;
}

/* B after A, where a peer looks for it. */
void set_up_squares(article_operands *o)
{
    const size_t elements = o->n * o->n;
    o->d_a = device_floats(2 * elements);
    o->d_b = (float *)o->d_a + elements;
    o->d_c = device_memory(elements * sizeof(float));
}

static size_t words_of(size_t n)
{
    return (n + 31) / 32;
}

void set_up_signs(article_operands *o)
{
    const size_t n = o->n, words = words_of(n);
    set_up_squares(o);
    o->d_bits_a = device_memory(n * words * sizeof(uint32_t));
    o->d_bits_b = device_memory(n * words * sizeof(uint32_t));
    must_prim(prim_binary_pack_rows(prim_matrix_of(CUDA_R_32F, o->d_a, n, n, 0),
                                    prim_bits_of(o->d_bits_a, n, n, 0), NULL));
    must_prim(prim_binary_pack_columns(prim_matrix_of(CUDA_R_32F, o->d_b, n, n, 0),
                                       prim_bits_of(o->d_bits_b, n, n, 0), NULL));
    must(cudaDeviceSynchronize(), "packing");
}

/* Article 002's numbers: a_ij = i - 0.1 j + 1 and x_i = log √(i² - i + 2), x after A;
 * column-major, a_ij stands where a_ji would. */
void set_up_matrix_and_vector(article_operands *o)
{
    const size_t n = o->n, row_bytes = n * sizeof(float);
    float *h_row = malloc(row_bytes), *const d_a = device_memory((n + 1) * row_bytes);
    if (h_row == NULL)
        exit(1);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            h_row[j] = (float)((double)i - 0.1 * (double)j + 1);
        must(cudaMemcpy(d_a + i * n, h_row, row_bytes, cudaMemcpyHostToDevice), "a row");
    }
    for (size_t i = 0; i < n; i++)
        h_row[i] = (float)log(sqrt((double)i * (double)i - (double)i + 2));
    must(cudaMemcpy(d_a + n * n, h_row, row_bytes, cudaMemcpyHostToDevice), "x");
    free(h_row);
    o->d_a = d_a;
    o->d_b = d_a + n * n;
    o->d_c = device_memory(row_bytes);
}

void set_up_array(article_operands *o)
{
    o->d_a = device_floats(o->n);
    o->d_c = device_memory(o->n * sizeof(float));
    o->workspace_bytes = o->n / 16;
    o->d_workspace = device_memory(o->workspace_bytes);
}

void article_release(article_operands *o)
{
    must(cudaFree(o->d_a), "freeing"); /* b lies after it */
    must(cudaFree(o->d_c), "freeing");
    must(cudaFree(o->d_bits_a), "freeing");
    must(cudaFree(o->d_bits_b), "freeing");
    must(cudaFree(o->d_workspace), "freeing");
}

/* ---- ours ---- */

prim_status article_gemm(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    const size_t n = o->n;
    return prim_gemm((prim_gemm_variant)o->variant, PRIM_NOT_TRANSPOSED, PRIM_NOT_TRANSPOSED, 1,
                     prim_matrix_of(CUDA_R_32F, o->d_a, n, n, 0),
                     prim_matrix_of(CUDA_R_32F, o->d_b, n, n, 0), 0,
                     prim_matrix_of(CUDA_R_32F, o->d_c, n, n, 0), PRIM_COMPUTE_DEFAULT,
                     &(prim_call){.stream = stream});
}

prim_status article_binary_gemm(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    const size_t n = o->n;
    return prim_binary_gemm((prim_binary_gemm_variant)o->variant,
                            prim_bits_of(o->d_bits_a, n, n, 0), prim_bits_of(o->d_bits_b, n, n, 0),
                            prim_matrix_of(CUDA_R_32F, o->d_c, n, n, 0),
                            &(prim_call){.stream = stream});
}

prim_status article_gemv(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    return prim_gemv((prim_gemv_variant)o->variant, o->op, 1,
                     prim_matrix_of(CUDA_R_32F, o->d_a, o->n, o->n, 0),
                     prim_vector_of(CUDA_R_32F, o->d_b, o->n), 0,
                     prim_vector_of(CUDA_R_32F, o->d_c, o->n), &(prim_call){.stream = stream});
}

prim_status article_reduce(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    return prim_reduce((prim_reduce_variant)o->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                       CUDA_R_32F, o->d_a, o->n, CUDA_R_32F, o->d_c,
                       &(prim_call){.stream = stream,
                                    .d_workspace = o->d_workspace,
                                    .workspace_bytes = o->workspace_bytes});
}

prim_status article_scan(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    return prim_scan((prim_scan_variant)o->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM,
                     PRIM_TRANSFORM_NONE, CUDA_R_32F, o->d_a, o->n, CUDA_R_32F, o->d_c, NULL,
                     &(prim_call){.stream = stream,
                                  .d_workspace = o->d_workspace,
                                  .workspace_bytes = o->workspace_bytes});
}

/* The floats as four bytes each. */
prim_status article_histogram(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    const prim_histogram_range range = prim_integer_range(0, 256);
    return prim_histogram_even((prim_histogram_variant)o->variant, range, CUDA_R_8U, o->d_a,
                               o->n * 4,
                               (prim_counters){.data = o->d_c, .bins = 64, .type = CUDA_R_32U},
                               &(prim_call){.stream = stream,
                                            .d_workspace = o->d_workspace,
                                            .workspace_bytes = o->workspace_bytes});
}

/* ---- cuBLAS ---- */

static bench_case cublas_case(const char *pattern, const char *name, size_t n)
{
    return (bench_case){.pattern = pattern,
                        .name = name,
                        .peer = "cublas",
                        .size = n * n,
                        .rows = n,
                        .m = n,
                        .n = n,
                        .k = n,
                        .element = CUDA_R_32F};
}

static prim_status run_cublas(bench_case c, const article_operands *o, cudaStream_t stream)
{
    const bench_operands operands = {.d_in = o->d_a, .d_out = o->d_c};
    return find_peer(&c)->run(&c, &operands, stream);
}

prim_status article_cublas_gemm(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    return run_cublas(cublas_case("gemm", "square", o->n), o, stream);
}

prim_status article_cublas_gemv(const void *argument, cudaStream_t stream)
{
    const article_operands *o = argument;
    const char *name = o->op == PRIM_TRANSPOSED ? "transposed" : "plain";
    return run_cublas(cublas_case("gemv", name, o->n), o, stream);
}

bool article_has_cublas(void)
{
    const bench_case c = cublas_case("gemm", "square", 1);
    return find_peer(&c) != NULL;
}
