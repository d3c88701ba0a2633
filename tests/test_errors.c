/* What prim_last_error() keeps, and for whom; and which version says so. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <primitives/merge.h>
#include <primitives/reduce.h>

#include "support.h"

static prim_status fail_by_null(void)
{
    return prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, NULL, 5,
                       CUDA_R_32F, NULL, NULL, 0, 0);
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
                                           CUDA_R_32F, NULL, 0, CUDA_R_32F, d_out, NULL, 0, stream);
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

Test(version, it_is_that_of_the_headers)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", PRIM_VERSION / 10000, PRIM_VERSION / 100 % 100,
             PRIM_VERSION % 100);
    cr_assert_str_eq(prim_version(), expected);
    cr_assert_eq(PRIM_VERSION / 100, 100 * PRIM_VERSION_MAJOR + PRIM_VERSION_MINOR);
}
