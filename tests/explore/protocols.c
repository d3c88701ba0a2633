/* Protocols between blocks, as the patterns' own calls run them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/scan.h>

#include "explorations.h"

/* ---- scans ---- */

typedef struct scanned {
    prim_scan_variant variant;
    cudaDataType_t type; /* I32, F32 or F64 */
    size_t count;
    size_t offset; /* of the results, in elements: they do not begin at 16 bytes */
} scanned;

static void write_number(cudaDataType_t type, void *to, size_t i, double value)
{
    if (type == CUDA_R_32I)
        ((int32_t *)to)[i] = (int32_t)value;
    else if (type == CUDA_R_32F)
        ((float *)to)[i] = (float)value;
    else
        ((double *)to)[i] = value;
}

static double number_at(cudaDataType_t type, const void *from, size_t i)
{
    return type == CUDA_R_32I   ? ((const int32_t *)from)[i]
           : type == CUDA_R_32F ? (double)((const float *)from)[i]
                                : ((const double *)from)[i];
}

static size_t bytes_of(cudaDataType_t type)
{
    return type == CUDA_R_64F ? 8 : 4;
}

/* 1, 2, 3, 1, …: whole numbers, so that sums are exact. */
static const char *check_sums(const scanned *s, const void *out)
{
    double sum = 0;
    for (size_t i = 0; i < s->count; i++) {
        sum += (double)(i % 3 + 1);
        if (number_at(s->type, out, i) != sum)
            return "a sum is wrong";
    }
    return NULL;
}

static const char *scan(void *context)
{
    const scanned *const s = context;
    const size_t bytes = s->count * bytes_of(s->type);
    void *const h = malloc(bytes), *d_in = NULL, *d_out = NULL, *d_workspace = NULL;
    prim_answer answer = {0};
    for (size_t i = 0; i < s->count; i++)
        write_number(s->type, h, i, (double)(i % 3 + 1));
    prim_scan(s->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, s->type, NULL,
              s->count, s->type, NULL, NULL, &(prim_call){.answer = &answer});
    cudaMalloc(&d_in, bytes);
    cudaMalloc(&d_out, bytes + s->offset * bytes_of(s->type));
    cudaMalloc(&d_workspace, answer.workspace_bytes);
    cudaMemcpy(d_in, h, bytes, cudaMemcpyHostToDevice);
    const prim_call call = {.d_workspace = d_workspace, .workspace_bytes = answer.workspace_bytes};
    char *const d_results = (char *)d_out + s->offset * bytes_of(s->type);
    const prim_status status =
        prim_scan(s->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, s->type, d_in,
                  s->count, s->type, d_results, NULL, &call);
    cudaMemcpy(h, d_results, bytes, cudaMemcpyDeviceToHost);
    const char *const wrong = status != PRIM_OK ? prim_last_error(NULL) : check_sums(s, h);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_workspace);
    free(h);
    return wrong;
}

/* ---- summed-area tables ---- */

typedef struct table {
    size_t rows, columns;
    size_t offset; /* of the results, in elements */
} table;

static const char *check_table(const table *t, const float *out)
{
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->columns; j++)
            if (out[i * t->columns + j] != (float)((i + 1) * (j + 1)))
                return "a sum is wrong";
    return NULL;
}

/* Of ones. */
static const char *make_table(void *context)
{
    const table *const t = context;
    const size_t count = t->rows * t->columns, bytes = count * sizeof(float);
    float *const h = malloc(bytes);
    float *d_in = NULL, *d_out = NULL;
    void *d_workspace = NULL;
    prim_answer answer = {0};
    for (size_t i = 0; i < count; i++)
        h[i] = 1;
    cudaMalloc((void **)&d_in, bytes);
    cudaMalloc((void **)&d_out, bytes + t->offset * sizeof(float));
    const prim_matrix in = prim_matrix_of(CUDA_R_32F, d_in, t->rows, t->columns, 0),
                      out = prim_matrix_of(CUDA_R_32F, d_out + t->offset, t->rows, t->columns, 0);
    prim_scan_2d(PRIM_SCAN_CHAINED, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, in, out,
                 &(prim_call){.answer = &answer});
    cudaMalloc(&d_workspace, answer.workspace_bytes);
    cudaMemcpy(d_in, h, bytes, cudaMemcpyHostToDevice);
    const prim_call call = {.d_workspace = d_workspace, .workspace_bytes = answer.workspace_bytes};
    const prim_status status =
        prim_scan_2d(PRIM_SCAN_CHAINED, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, in, out, &call);
    cudaMemcpy(h, d_out + t->offset, bytes, cudaMemcpyDeviceToHost);
    const char *const wrong = status != PRIM_OK ? prim_last_error(NULL) : check_table(t, h);
    cudaFree(d_in);
    cudaFree(d_out);
    cudaFree(d_workspace);
    free(h);
    return wrong;
}

static scanned look_back_2 = {PRIM_SCAN_LOOKBACK, CUDA_R_32I, 1100, 0},
               look_back_3 = {PRIM_SCAN_LOOKBACK, CUDA_R_32I, 2100, 0},
               look_back_4 = {PRIM_SCAN_LOOKBACK, CUDA_R_32I, 3100, 0},
               look_back_f64 = {PRIM_SCAN_LOOKBACK, CUDA_R_64F, 1100, 0},
               look_back_5 = {PRIM_SCAN_LOOKBACK, CUDA_R_32I, 4100, 1},
               chained_2 = {PRIM_SCAN_CHAINED, CUDA_R_32F, 600, 0},
               chained_3 = {PRIM_SCAN_CHAINED, CUDA_R_32F, 1100, 0},
               chained_5 = {PRIM_SCAN_CHAINED, CUDA_R_32F, 2100, 1},
               scanned_in_cluster = {PRIM_SCAN_CLUSTER, CUDA_R_32I, 1100, 0};
static table table_across = {2, 129, 0}, table_down = {33, 2, 1}, table_both = {17, 129, 0};

const protocol protocols[] = {
    {"look-back, 2 tiles", scan, &look_back_2, 2, 2, NULL, 0},
    {"look-back, 2 tiles of two words", scan, &look_back_f64, 3, 3, NULL, 0},
    {"look-back, 3 tiles", scan, &look_back_3, 3, 3, NULL, 0},
    {"look-back, 4 tiles", scan, &look_back_4, 4, 4, NULL, 0},
    {"look-back, 5 tiles by up to 2 blocks", scan, &look_back_5, 5, 2, NULL, 0},
    {"chained, 2 tiles", scan, &chained_2, 3, 3, NULL, 0},
    {"chained, 3 tiles", scan, &chained_3, 4, 4, NULL, 0},
    {"chained, 5 tiles by up to 2 blocks", scan, &chained_5, 6, 2, NULL, 0},
    {"cluster, 3 tiles", scan, &scanned_in_cluster, 3, 1, NULL, 1},
    {"table, 2 tiles across", make_table, &table_across, 2, 2, NULL, 0},
    {"table, 3 tiles down", make_table, &table_down, 3, 3, NULL, 0},
    {"table, 2 x 2 tiles by up to 2 blocks", make_table, &table_both, 4, 2, NULL, 0},
};
const size_t protocol_count = sizeof protocols / sizeof *protocols;
