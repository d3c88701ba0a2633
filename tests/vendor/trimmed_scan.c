#include "use.h"

#include <primitives/scan.h>

enum { MOST = 100000 };

static int32_t in[MOST], out[MOST], total;

/* Of ones, so that the i-th sum is the initial value and i + 1. */
static int scans(prim_scan_variant variant, size_t count, int32_t initial)
{
    const int32_t *d_in = on_device(in, sizeof in);
    int32_t *d_out = on_device(NULL, sizeof out), *d_total = on_device(NULL, sizeof total);
    const prim_status status = prim_scan(
        variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, d_in, count,
        CUDA_R_32I, d_out, &(prim_scan_ends){.h_initial = &initial, .total = d_total}, NULL);
    if (status != PRIM_OK)
        return printf("%zu: %s\n", count, prim_last_error(NULL)), 0;
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, d_total, sizeof total, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < count; i++)
        if (out[i] != initial + (int32_t)i + 1)
            return printf("%zu: result %zu is wrong\n", count, i), 0;
    if (total != initial + (int32_t)count)
        return printf("%zu: the total is wrong\n", count), 0;
    return 1;
}

static int refuses(prim_scan_variant variant)
{
    prim_answer answer;
    return prim_scan(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                     NULL, 100, CUDA_R_32F, NULL, NULL,
                     &(prim_call){.answer = &answer}) == PRIM_ERROR_UNSUPPORTED &&
           prim_scan(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, in,
                     100, CUDA_R_32F, out, NULL, NULL) == PRIM_ERROR_UNSUPPORTED;
}

/* A scan of which only LOOKBACK and prim_scan() were built takes arrays of any length, and refuses
 * everything else. */
int main(void)
{
    static const size_t counts[] = {0, 1, 100, 8192, 8193, MOST};
    for (size_t i = 0; i < MOST; i++)
        in[i] = 1;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (!scans(PRIM_SCAN_AUTO, counts[i], 7))
            return 1;
    if (!scans(PRIM_SCAN_LOOKBACK, MOST, 0))
        return 1;
    for (size_t v = 0; prim_scan_variant_at(v) != NULL; v++) {
        const prim_variant *const variant = prim_scan_variant_at(v);
        if (variant->value != PRIM_SCAN_AUTO && variant->value != PRIM_SCAN_LOOKBACK &&
            !refuses((prim_scan_variant)variant->value))
            return printf("%s is not refused\n", variant->name), 1;
    }
    prim_answer answer;
    const prim_call asked = {.answer = &answer};
    if (prim_scan(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                  NULL, 1000, CUDA_R_32F, NULL, NULL, &asked) != PRIM_OK ||
        answer.variant->value != PRIM_SCAN_LOOKBACK)
        return printf("AUTO is not LOOKBACK\n"), 1;
    const prim_matrix matrix = prim_matrix_of(CUDA_R_32F, NULL, 2, 100, 0);
    if (prim_scan_rows(PRIM_SCAN_AUTO, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                       matrix, matrix, NULL, &asked) == PRIM_OK ||
        prim_scan_2d(PRIM_SCAN_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, matrix, matrix, &asked) ==
            PRIM_OK)
        return printf("a call of another kind is not refused\n"), 1;
    return 0;
}
