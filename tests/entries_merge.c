/* merge, merge sort and co-ranks among the entry points. */
#include <stdint.h>
#include <stdlib.h>

#include <primitives/merge.h>

#include "entry_points.h"

/* ---- merge: a and, behind it, b; a is a third of the keys that a call takes ---- */

enum { A_KEYS = 2003, B_KEYS = 2 * A_KEYS, KEYS = A_KEYS + B_KEYS };

static void rising_keys(int32_t *keys, unsigned count, unsigned seed)
{
    int32_t key = -5000;
    for (unsigned i = 0; i < count; i++) {
        key += (int32_t)(((i + seed) * 2654435761u) >> 30); /* 0 to 3: equal ones too */
        keys[i] = key;
    }
}

static void merge_input(void *h_in, unsigned seed)
{
    rising_keys(h_in, A_KEYS, seed);
    rising_keys((int32_t *)h_in + A_KEYS, B_KEYS, seed + 77);
}

/* How many of the first k merged keys come from a, by taking them one after the other. */
static size_t walk(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count, size_t k,
                   int32_t *out)
{
    size_t i = 0, j = 0;
    for (size_t o = 0; o < k && o < a_count + b_count; o++) {
        const int from_a = j == b_count || (i < a_count && a[i] <= b[j]);
        const int32_t key = from_a ? a[i++] : b[j++];
        if (out != NULL)
            out[o] = key;
    }
    return i;
}

static void merge_answer(const void *h_in, size_t count, void *h_out)
{
    const int32_t *a = h_in, *b = a + count / 3;
    walk(a, count / 3, b, count - count / 3, count, h_out);
}

static prim_status merge_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_merge_workspace_bytes((prim_merge_variant)variant, PRIM_ASCENDING, CUDA_R_32I,
                                      count / 3, count - count / 3, bytes);
}

static prim_status merge_call(const operands *o)
{
    call_head c = spoilt_head(o);
    prim_order order = PRIM_ASCENDING;
    cudaDataType_t type = CUDA_R_32I;
    size_t a_count = o->count / 3, b_count = o->count - a_count;
    char *d_a = o->d_in, *d_b = d_a != NULL ? d_a + 4 * a_count : NULL, *d_out = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 2);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("keys of i64", PRIM_ERROR_TYPE, "i64", type = CUDA_R_64I);
    FAULT("bytes of a beyond size_t", PRIM_ERROR_SIZE, "keys", a_count = SIZE_MAX / 2);
    FAULT("bytes of b beyond size_t", PRIM_ERROR_SIZE, "keys", b_count = SIZE_MAX / 2);
    FAULT("bytes of both beyond size_t", PRIM_ERROR_SIZE, "keys",
          a_count = b_count = SIZE_MAX / 8 + 1);
    FAULT("counts that wrap", PRIM_ERROR_SIZE, "keys", (a_count = SIZE_MAX, b_count = 2));
    FAULT("in d_a", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_a + 8, d_b += 4 * A_KEYS, b_count = 8));
    FAULT("is d_b", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_b, a_count = 8, b_count = A_KEYS));
    FAULT("in d_b", PRIM_ERROR_OVERLAP, "d_workspace",
          (c.workspace = d_a, c.bytes = 256, d_a = d_b, d_b = o->d_in, b_count = A_KEYS));
    return prim_merge((prim_merge_variant)c.variant, order, type, d_a, a_count, d_b, b_count, d_out,
                      c.workspace, c.bytes, o->stream);
}

const entry_point merge_entry = {.name = "prim_merge",
                                 .variant_at = prim_merge_variant_at,
                                 .in_bytes = KEYS * sizeof(int32_t),
                                 .out_bytes = KEYS * sizeof(int32_t),
                                 .count = KEYS,
                                 .make_input = merge_input,
                                 .right_answer = merge_answer,
                                 .workspace_bytes = merge_workspace,
                                 .call = merge_call};

/* ---- merge sort: descending, as many keys ---- */

static void sort_input(void *h_in, unsigned seed)
{
    for (unsigned i = 0; i < KEYS; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i + seed) * 2654435761u) >> 8;
}

static int falling(const void *x, const void *y)
{
    const int32_t a = *(const int32_t *)x, b = *(const int32_t *)y;
    return (a < b) - (a > b);
}

static void sort_answer(const void *h_in, size_t count, void *h_out)
{
    for (size_t i = 0; i < count; i++)
        ((int32_t *)h_out)[i] = ((const int32_t *)h_in)[i];
    qsort(h_out, count, sizeof(int32_t), falling);
}

static prim_status sort_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_merge_sort_workspace_bytes((prim_merge_sort_variant)variant, PRIM_DESCENDING,
                                           CUDA_R_32I, count, bytes);
}

static prim_status sort_call(const operands *o)
{
    const call_head c = spoilt_head(o);
    prim_order order = PRIM_DESCENDING;
    cudaDataType_t type = CUDA_R_32I;
    char *d_in = o->d_in, *d_out = o->d_out;
    size_t count = o->count;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_out", &d_out);
    FAULT("negative", PRIM_ERROR_ENUM, "order", order = -1);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4 + 1);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_in + 4, count--));
    FAULT("d_in in it", PRIM_ERROR_OVERLAP, "d_out", (d_in = d_out + 4, count--));
    return prim_merge_sort((prim_merge_sort_variant)c.variant, order, type, d_in, count, d_out,
                           c.workspace, c.bytes, o->stream);
}

const entry_point merge_sort_entry = {.name = "prim_merge_sort",
                                      .variant_at = prim_merge_sort_variant_at,
                                      .in_bytes = KEYS * sizeof(int32_t),
                                      .out_bytes = KEYS * sizeof(int32_t),
                                      .count = KEYS,
                                      .make_input = sort_input,
                                      .right_answer = sort_answer,
                                      .workspace_bytes = sort_workspace,
                                      .call = sort_call};

/* ---- co-ranks, without variants or workspace: the diagonals and, behind them, a and b ---- */

enum {
    RANKS = 601,
    RANKS_A = 401,
    RANKS_B = 399,
    A_AT = 8 * RANKS, /* in bytes */
    B_AT = A_AT + 4 * RANKS_A,
    RANKS_BYTES = B_AT + 4 * RANKS_B
};

static void co_rank_input(void *h_in, unsigned seed)
{
    uint64_t *const diagonals = h_in;
    for (unsigned i = 0; i < RANKS; i++) /* some of them beyond the end */
        diagonals[i] = (i * 331u + seed) % (RANKS_A + RANKS_B + 5);
    rising_keys((int32_t *)((char *)h_in + A_AT), RANKS_A, seed);
    rising_keys((int32_t *)((char *)h_in + B_AT), RANKS_B, seed + 5);
}

static void co_rank_answer(const void *h_in, size_t count, void *h_out)
{
    const uint64_t *const diagonals = h_in;
    const int32_t *const a = (const int32_t *)((const char *)h_in + A_AT);
    const int32_t *const b = (const int32_t *)((const char *)h_in + B_AT);
    for (size_t i = 0; i < count; i++)
        ((uint64_t *)h_out)[i] = walk(a, RANKS_A, b, RANKS_B, diagonals[i], NULL);
}

/* A call without diagonals may have NULL for all it reads. */
static prim_status co_rank_call(const operands *o)
{
    prim_order order = PRIM_ASCENDING;
    cudaDataType_t type = CUDA_R_32I;
    char *d_in = o->d_in, *d_a = NULL, *d_b = NULL, *d_out = o->d_out;
    size_t a_count = 0, b_count = 0, count = o->count;
    if (d_in != NULL) {
        d_a = d_in + A_AT, a_count = RANKS_A;
        d_b = d_in + B_AT, b_count = RANKS_B;
    }
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_diagonals", &d_in);
    spoil(o, "d_ranks", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 2);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "keys", a_count = b_count = SIZE_MAX / 8 + 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_diagonals", count = SIZE_MAX / 8 + 1);
    FAULT("in d_a", PRIM_ERROR_OVERLAP, "d_ranks", (d_out = d_a + 16, count = 8));
    FAULT("in d_b", PRIM_ERROR_OVERLAP, "d_ranks", (d_out = d_b + 4, a_count = count = 8));
    FAULT("is d_diagonals", PRIM_ERROR_OVERLAP, "d_ranks", (d_out = d_in, count = 8));
    return prim_co_rank(order, type, d_a, a_count, d_b, b_count, (const void *)d_in, count,
                        (void *)d_out, o->stream);
}

const entry_point co_rank_entry = {.name = "prim_co_rank",
                                   .variant_at = only_variant_at,
                                   .in_bytes = RANKS_BYTES,
                                   .out_bytes = RANKS * sizeof(uint64_t),
                                   .count = RANKS,
                                   .make_input = co_rank_input,
                                   .right_answer = co_rank_answer,
                                   .workspace_bytes = no_workspace,
                                   .call = co_rank_call};
