/* What prim_last_error() keeps, for whom and in which words; and the library's version. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <primitives/merge.h>
#include <primitives/reduce.h>

#include "calls.h"
#include "support.h"

static prim_status fail_by_null(void)
{
    return prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, NULL, 5,
                       CUDA_R_32F, NULL, NULL);
}

/* Into a stream whose capture has broken. */
static prim_status fail_by_cuda(void)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    float *d_out;
    cr_cuda(cudaMalloc((void **)&d_out, sizeof *d_out));
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    cr_assert_neq(cudaStreamSynchronize(stream), cudaSuccess);
    const prim_status status = prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                           CUDA_R_32F, NULL, 0, CUDA_R_32F, d_out, into(stream));
    cudaStreamEndCapture(stream, &graph);
    cr_cuda(cudaStreamDestroy(stream));
    cudaGetLastError();
    cr_cuda(cudaFree(d_out));
    return status;
}

static void check_sentence(const char *beginning, cudaError_t expected)
{
    cudaError_t error = cudaErrorUnknown;
    const char *sentence = prim_last_error(&error);
    cr_assert(strncmp(sentence, beginning, strlen(beginning)) == 0, "%s", sentence);
    cr_assert_eq(error, expected, "%s: %s", sentence, cudaGetErrorName(error));
}

Test(errors, the_last_failure_counts)
{
    cr_assert_eq(fail_by_cuda(), PRIM_ERROR_CUDA);
    check_sentence("prim_reduce: variant ", cudaErrorStreamCaptureInvalidated);
    cr_assert_eq(fail_by_null(), PRIM_ERROR_NULL);
    check_sentence("prim_reduce: d_in is NULL", cudaSuccess);
    cr_assert_eq(fail_by_cuda(), PRIM_ERROR_CUDA);
    check_sentence("prim_reduce: variant ", cudaErrorStreamCaptureInvalidated);
}

/* "The sentence of the last call … that returned an error" */
Test(errors, a_success_leaves_the_sentence)
{
    float h_out;
    cr_assert_eq(fail_by_null(), PRIM_ERROR_NULL);
    cr_prim(prim_reduce_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, NULL, 0, CUDA_R_32F,
                             &h_out, 1));
    check_sentence("prim_reduce: d_in is NULL", cudaSuccess);
}

static void *fail_elsewhere(void *sentence_of_its_own)
{
    bool *right = sentence_of_its_own;
    cudaError_t error = cudaErrorUnknown;
    *right = *prim_last_error(&error) == '\0' && error == cudaSuccess;
    prim_merge_host((prim_order)7, CUDA_R_32I, NULL, 0, NULL, 0, NULL, 1);
    *right = *right && strstr(prim_last_error(NULL), "prim_merge_host: order is 7") != NULL;
    return NULL;
}

Test(errors, threads_have_sentences_of_their_own)
{
    pthread_t thread;
    bool right = false;
    cr_assert_eq(fail_by_cuda(), PRIM_ERROR_CUDA);
    cr_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, &right), 0);
    pthread_join(thread, NULL);
    cr_assert(right);
    check_sentence("prim_reduce: variant ", cudaErrorStreamCaptureInvalidated);
}

static void check_refused(prim_status status, prim_status expected, const char *words)
{
    cr_assert_eq(status, expected, "%s", prim_status_string(status));
    cr_assert(strstr(prim_last_error(NULL), words) != NULL, "\"%s\" without \"%s\"",
              prim_last_error(NULL), words);
}

static prim_status sum_of(prim_op op, cudaDataType_t in_type, size_t count, cudaDataType_t out_type)
{
    static const float h_in;
    double h_out;
    return prim_reduce_host(op, PRIM_TRANSFORM_NONE, in_type, &h_in, count, out_type, &h_out, 1);
}

Test(sentences, name_types_operators_and_limits)
{
    check_refused(sum_of(PRIM_OP_SUM, CUDA_R_8U, 1, CUDA_R_32F), PRIM_ERROR_TYPE,
                  "out_type is f32, but for in_type u8 it must be u8 or u32 or u64");
    check_refused(sum_of(PRIM_OP_XOR, CUDA_R_32F, 1, CUDA_R_32F), PRIM_ERROR_TYPE,
                  "in_type is f32, but op xor takes integers only");
    check_refused(sum_of((prim_op)7, CUDA_R_32F, 1, CUDA_R_32F), PRIM_ERROR_ENUM,
                  "op is 7, not PRIM_OP_SUM to PRIM_OP_XOR, 0 to 6");
    check_refused(prim_reduce((prim_reduce_variant)99, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                              NULL, 0, CUDA_R_32F, NULL, NULL),
                  PRIM_ERROR_ENUM, "variant is 99, which is not one of auto, interleaved, ");
}

Test(sentences, show_negative_sizes_as_such)
{
    check_refused(sum_of(PRIM_OP_SUM, CUDA_R_32F, (size_t)-1, CUDA_R_32F), PRIM_ERROR_SIZE,
                  "the bytes of (size_t)-1 elements of 4 bytes in h_in do not fit size_t");
    check_refused(sum_of(PRIM_OP_SUM, CUDA_R_8U, (size_t)-4000, CUDA_R_8U), PRIM_ERROR_SIZE,
                  "its (size_t)-4000 bytes end beyond");
    check_refused(sum_of(PRIM_OP_SUM, CUDA_R_32F, (size_t)1 << 63, CUDA_R_32F), PRIM_ERROR_SIZE,
                  "9223372036854775808 elements");
}

Test(version, it_is_that_of_the_headers)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", PRIM_VERSION / 10000, PRIM_VERSION / 100 % 100,
             PRIM_VERSION % 100);
    cr_assert_str_eq(prim_version(), expected);
    cr_assert_eq(PRIM_VERSION / 100, 100 * PRIM_VERSION_MAJOR + PRIM_VERSION_MINOR);
}
