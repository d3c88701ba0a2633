/* merge, merge sort and co-ranks among the entry points. */
#include <stdint.h>
#include <stdlib.h>

#include <primitives/merge.h>

#include "entry_points.h"

/* ---- merge: a and, behind it, b; a is a third of the keys that a call takes ---- */

enum { A_KEYS = 2003, B_KEYS = 2 * A_KEYS, KEYS = A_KEYS + B_KEYS };

static int merge_variant_at(size_t index)
{
    return prim_merge_variant_at(index);
}

static const char *merge_variant_name(int variant)
{
    return prim_merge_variant_name((prim_merge_variant)variant);
}

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
    const size_t a_count = o->count / 3;
    const int32_t *const a = o->d_in, *const b = a == NULL ? NULL : a + a_count;
    return prim_merge((prim_merge_variant)o->variant, PRIM_ASCENDING, CUDA_R_32I, a, a_count, b,
                      o->count - a_count, o->d_out, o->d_workspace, o->workspace_bytes, o->stream);
}

#define BAD_MERGE(name, variant, order, type, a, a_count, b, b_count, out, workspace, bytes)     \
    static prim_status merge_##name(const operands *o)                                           \
    {                                                                                            \
        char *const d_a = o->d_in, *const d_b = d_a + 4 * A_KEYS, *const d_out = o->d_out;       \
        (void)d_a, (void)d_b, (void)d_out;                                                       \
        return prim_merge((prim_merge_variant)(variant), (prim_order)(order),                    \
                          (cudaDataType_t)(type), a, a_count, b, b_count, out, workspace, bytes, \
                          o->stream);                                                            \
    }

#define V o->variant
#define UP PRIM_ASCENDING
#define I CUDA_R_32I
BAD_MERGE(no_variant, 9999, UP, I, d_a, A_KEYS, d_b, B_KEYS, d_out, NULL, 0)
BAD_MERGE(no_order, V, 2, I, d_a, A_KEYS, d_b, B_KEYS, d_out, NULL, 0)
BAD_MERGE(no_type, V, UP, 9999, d_a, A_KEYS, d_b, B_KEYS, d_out, NULL, 0)
BAD_MERGE(other_type, V, UP, CUDA_R_64I, d_a, 8, d_b, 8, d_out, NULL, 0)
BAD_MERGE(null_a, V, UP, I, NULL, A_KEYS, d_b, B_KEYS, d_out, NULL, 0)
BAD_MERGE(null_b, V, UP, I, d_a, A_KEYS, NULL, B_KEYS, d_out, NULL, 0)
BAD_MERGE(null_out, V, UP, I, d_a, A_KEYS, d_b, B_KEYS, NULL, NULL, 0)
BAD_MERGE(null_space, V, UP, I, d_a, A_KEYS, d_b, B_KEYS, d_out, NULL, 256)
BAD_MERGE(odd_a, V, UP, I, d_a + 2, A_KEYS - 1, d_b, B_KEYS, d_out, NULL, 0)
BAD_MERGE(odd_b, V, UP, I, d_a, A_KEYS, d_b + 1, B_KEYS - 1, d_out, NULL, 0)
BAD_MERGE(odd_out, V, UP, I, d_a, A_KEYS, d_b, B_KEYS - 1, d_out + 3, NULL, 0)
BAD_MERGE(odd_space, V, UP, I, d_a, A_KEYS, d_b, 16, d_out, d_out + 8196, 4096)
BAD_MERGE(too_many_a, V, UP, I, d_a, SIZE_MAX / 2, d_b, B_KEYS, d_out, NULL, 0)
BAD_MERGE(too_many_b, V, UP, I, d_a, A_KEYS, d_b, SIZE_MAX / 2, d_out, NULL, 0)
BAD_MERGE(too_many, V, UP, I, d_a, SIZE_MAX / 8 + 1, d_b, SIZE_MAX / 8 + 1, d_out, NULL, 0)
BAD_MERGE(wrapping, V, UP, I, d_a, SIZE_MAX, d_b, 2, d_out, NULL, 0)
BAD_MERGE(out_in_a, V, UP, I, d_a, A_KEYS, d_b + 4 * A_KEYS, 8, d_a + 8, NULL, 0)
BAD_MERGE(out_in_b, V, UP, I, d_a, 8, d_b, A_KEYS, d_b, NULL, 0)
BAD_MERGE(space_in_a, V, UP, I, d_a, A_KEYS, d_b, B_KEYS, d_out, d_a, 256)
BAD_MERGE(space_in_b, V, UP, I, d_b, A_KEYS, d_a, A_KEYS, d_out, d_a, 256)
BAD_MERGE(space_in_out, V, UP, I, d_a, A_KEYS, d_b, B_KEYS, d_out, d_out + 256, 256)

static prim_status merge_null_bytes(const operands *o)
{
    return merge_workspace(o->variant, o->count, NULL);
}

static const bad_argument merge_bad[] = {
    {"unknown variant", merge_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown order", merge_no_order, PRIM_ERROR_ENUM, "order"},
    {"unknown key type", merge_no_type, PRIM_ERROR_TYPE, "key_type"},
    {"keys of i64", merge_other_type, PRIM_ERROR_TYPE, "i64"},
    {"d_a NULL", merge_null_a, PRIM_ERROR_NULL, "d_a"},
    {"d_b NULL", merge_null_b, PRIM_ERROR_NULL, "d_b"},
    {"d_out NULL", merge_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", merge_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", merge_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_a misaligned", merge_odd_a, PRIM_ERROR_MISALIGNED, "d_a"},
    {"d_b misaligned", merge_odd_b, PRIM_ERROR_MISALIGNED, "d_b"},
    {"d_out misaligned", merge_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"d_workspace misaligned", merge_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"bytes of a beyond size_t", merge_too_many_a, PRIM_ERROR_SIZE, "keys"},
    {"bytes of b beyond size_t", merge_too_many_b, PRIM_ERROR_SIZE, "keys"},
    {"bytes of both beyond size_t", merge_too_many, PRIM_ERROR_SIZE, "keys"},
    {"counts that wrap", merge_wrapping, PRIM_ERROR_SIZE, "keys"},
    {"d_out in d_a", merge_out_in_a, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_out is d_b", merge_out_in_b, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_workspace in d_a", merge_space_in_a, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_b", merge_space_in_b, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_out", merge_space_in_out, PRIM_ERROR_OVERLAP, "d_workspace"},
};

const entry_point merge_entry = {.name = "prim_merge",
                                 .variant_count = prim_merge_variant_count,
                                 .variant_at = merge_variant_at,
                                 .variant_name = merge_variant_name,
                                 .in_bytes = KEYS * sizeof(int32_t),
                                 .out_bytes = KEYS * sizeof(int32_t),
                                 .count = KEYS,
                                 .make_input = merge_input,
                                 .right_answer = merge_answer,
                                 .workspace_bytes = merge_workspace,
                                 .call = merge_call,
                                 .bad = merge_bad,
                                 .bad_count = sizeof merge_bad / sizeof *merge_bad};

/* ---- merge sort: descending, as many keys ---- */

static int sort_variant_at(size_t index)
{
    return prim_merge_sort_variant_at(index);
}

static const char *sort_variant_name(int variant)
{
    return prim_merge_sort_variant_name((prim_merge_sort_variant)variant);
}

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
    return prim_merge_sort((prim_merge_sort_variant)o->variant, PRIM_DESCENDING, CUDA_R_32I,
                           o->d_in, o->count, o->d_out, o->d_workspace, o->workspace_bytes,
                           o->stream);
}

#define BAD_SORT(name, variant, order, type, in, count, out, workspace, bytes)           \
    static prim_status sort_##name(const operands *o)                                    \
    {                                                                                    \
        char *const d_in = o->d_in, *const d_out = o->d_out;                             \
        (void)d_in, (void)d_out;                                                         \
        return prim_merge_sort((prim_merge_sort_variant)(variant), (prim_order)(order),  \
                               (cudaDataType_t)(type), in, count, out, workspace, bytes, \
                               o->stream);                                               \
    }

BAD_SORT(no_variant, 9999, UP, I, d_in, KEYS, d_out, NULL, 0)
BAD_SORT(no_order, V, -1, I, d_in, KEYS, d_out, NULL, 0)
BAD_SORT(no_type, V, UP, 9999, d_in, KEYS, d_out, NULL, 0)
BAD_SORT(null_in, V, UP, I, NULL, KEYS, d_out, NULL, 0)
BAD_SORT(null_out, V, UP, I, d_in, KEYS, NULL, NULL, 0)
BAD_SORT(null_space, V, UP, I, d_in, KEYS, d_out, NULL, 4 * KEYS)
BAD_SORT(odd_in, V, UP, I, d_in + 2, KEYS - 1, d_out, NULL, 0)
BAD_SORT(odd_out, V, UP, I, d_in, KEYS - 1, d_out + 2, NULL, 0)
BAD_SORT(odd_space, V, UP, I, d_in, 16, d_out, d_out + 1028, 4096)
BAD_SORT(little_space, V, UP, I, d_in, KEYS / 2, d_out, d_out + 12288, 512)
BAD_SORT(too_many, V, UP, I, d_in, SIZE_MAX / 4 + 1, d_out, NULL, 0)
BAD_SORT(out_in_in, V, UP, I, d_in, KEYS - 1, d_in + 4, NULL, 0)
BAD_SORT(in_in_out, V, UP, I, d_out + 4, KEYS - 1, d_out, NULL, 0)
BAD_SORT(space_in_in, V, UP, I, d_in, KEYS, d_out, d_in, 4 * KEYS)
BAD_SORT(space_in_out, V, UP, I, d_in, KEYS, d_out, d_out, 4 * KEYS)

static prim_status sort_null_bytes(const operands *o)
{
    return sort_workspace(o->variant, o->count, NULL);
}

static const bad_argument sort_bad[] = {
    {"unknown variant", sort_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown order", sort_no_order, PRIM_ERROR_ENUM, "order"},
    {"unknown key type", sort_no_type, PRIM_ERROR_TYPE, "key_type"},
    {"d_in NULL", sort_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", sort_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", sort_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", sort_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_in misaligned", sort_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_out misaligned", sort_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"d_workspace misaligned", sort_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"workspace too small", sort_little_space, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
    {"bytes beyond size_t", sort_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"d_out in d_in", sort_out_in_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_in in d_out", sort_in_in_out, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_workspace is d_in", sort_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace is d_out", sort_space_in_out, PRIM_ERROR_OVERLAP, "d_workspace"},
};

const entry_point merge_sort_entry = {.name = "prim_merge_sort",
                                      .variant_count = prim_merge_sort_variant_count,
                                      .variant_at = sort_variant_at,
                                      .variant_name = sort_variant_name,
                                      .in_bytes = KEYS * sizeof(int32_t),
                                      .out_bytes = KEYS * sizeof(int32_t),
                                      .count = KEYS,
                                      .make_input = sort_input,
                                      .right_answer = sort_answer,
                                      .workspace_bytes = sort_workspace,
                                      .call = sort_call,
                                      .bad = sort_bad,
                                      .bad_count = sizeof sort_bad / sizeof *sort_bad};

/* ---- co-ranks, without variants or workspace: the diagonals and, behind them, a and b ---- */

enum {
    RANKS = 601,
    RANKS_A = 401,
    RANKS_B = 399,
    A_AT = 8 * RANKS, /* in bytes */
    B_AT = A_AT + 4 * RANKS_A,
    RANKS_BYTES = B_AT + 4 * RANKS_B
};

static size_t one_variant(void)
{
    return 1;
}

static int only_variant_at(size_t index)
{
    (void)index;
    return 0;
}

static const char *only_variant_name(int variant)
{
    (void)variant;
    return "only";
}

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

static prim_status co_rank_workspace(int variant, size_t count, size_t *bytes)
{
    (void)variant, (void)count;
    *bytes = 0;
    return PRIM_OK;
}

/* A call without diagonals may have NULL for all it reads. */
static prim_status co_rank_call(const operands *o)
{
    const char *const d_in = o->d_in;
    if (d_in == NULL)
        return prim_co_rank(PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, 0, NULL, o->count, o->d_out,
                            o->stream);
    return prim_co_rank(PRIM_ASCENDING, CUDA_R_32I, d_in + A_AT, RANKS_A, d_in + B_AT, RANKS_B,
                        o->d_in, o->count, o->d_out, o->stream);
}

#define BAD_RANK(name, order, type, a, a_count, b, b_count, diagonals, count, ranks)             \
    static prim_status co_rank_##name(const operands *o)                                         \
    {                                                                                            \
        char *const d_in = o->d_in, *const d_a = d_in + A_AT, *const d_b = d_in + B_AT;          \
        (void)d_a, (void)d_b;                                                                    \
        return prim_co_rank((prim_order)(order), (cudaDataType_t)(type), a, a_count, b, b_count, \
                            (const void *)(diagonals), count, (void *)(ranks), o->stream);       \
    }

BAD_RANK(no_order, 2, I, d_a, RANKS_A, d_b, RANKS_B, d_in, RANKS, o->d_out)
BAD_RANK(no_type, UP, 9999, d_a, RANKS_A, d_b, RANKS_B, d_in, RANKS, o->d_out)
BAD_RANK(null_a, UP, I, NULL, RANKS_A, d_b, RANKS_B, d_in, RANKS, o->d_out)
BAD_RANK(null_b, UP, I, d_a, RANKS_A, NULL, RANKS_B, d_in, RANKS, o->d_out)
BAD_RANK(null_in, UP, I, d_a, RANKS_A, d_b, RANKS_B, NULL, RANKS, o->d_out)
BAD_RANK(null_out, UP, I, d_a, RANKS_A, d_b, RANKS_B, d_in, RANKS, NULL)
BAD_RANK(odd_a, UP, I, d_a + 1, RANKS_A - 1, d_b, RANKS_B, d_in, RANKS, o->d_out)
BAD_RANK(odd_b, UP, I, d_a, RANKS_A, d_b + 2, RANKS_B - 1, d_in, RANKS, o->d_out)
BAD_RANK(odd_in, UP, I, d_a, RANKS_A, d_b, RANKS_B, d_in + 4, RANKS - 1, o->d_out)
BAD_RANK(odd_out, UP, I, d_a, RANKS_A, d_b, RANKS_B, d_in, RANKS - 1, (char *)o->d_out + 4)
BAD_RANK(too_many_keys, UP, I, d_a, SIZE_MAX / 8 + 1, d_b, SIZE_MAX / 8 + 1, d_in, RANKS, o->d_out)
BAD_RANK(too_many, UP, I, d_a, RANKS_A, d_b, RANKS_B, d_in, SIZE_MAX / 8 + 1, o->d_out)
BAD_RANK(out_in_a, UP, I, d_a, RANKS_A, d_b, RANKS_B, d_in, 8, d_a + 16)
BAD_RANK(out_in_b, UP, I, d_a, 8, d_b, RANKS_B, d_in, 8, d_a + 4 * (RANKS_A + 1))
BAD_RANK(out_in_in, UP, I, d_a, RANKS_A, d_b, RANKS_B, d_in, 8, d_in)
#undef V
#undef UP
#undef I

static const bad_argument co_rank_bad[] = {
    {"unknown order", co_rank_no_order, PRIM_ERROR_ENUM, "order"},
    {"unknown key type", co_rank_no_type, PRIM_ERROR_TYPE, "key_type"},
    {"d_a NULL", co_rank_null_a, PRIM_ERROR_NULL, "d_a"},
    {"d_b NULL", co_rank_null_b, PRIM_ERROR_NULL, "d_b"},
    {"d_diagonals NULL", co_rank_null_in, PRIM_ERROR_NULL, "d_diagonals"},
    {"d_ranks NULL", co_rank_null_out, PRIM_ERROR_NULL, "d_ranks"},
    {"d_a misaligned", co_rank_odd_a, PRIM_ERROR_MISALIGNED, "d_a"},
    {"d_b misaligned", co_rank_odd_b, PRIM_ERROR_MISALIGNED, "d_b"},
    {"d_diagonals misaligned", co_rank_odd_in, PRIM_ERROR_MISALIGNED, "d_diagonals"},
    {"d_ranks misaligned", co_rank_odd_out, PRIM_ERROR_MISALIGNED, "d_ranks"},
    {"bytes of keys beyond size_t", co_rank_too_many_keys, PRIM_ERROR_SIZE, "keys"},
    {"bytes of ranks beyond size_t", co_rank_too_many, PRIM_ERROR_SIZE, "d_diagonals"},
    {"d_ranks in d_a", co_rank_out_in_a, PRIM_ERROR_OVERLAP, "d_ranks"},
    {"d_ranks in d_b", co_rank_out_in_b, PRIM_ERROR_OVERLAP, "d_ranks"},
    {"d_ranks is d_diagonals", co_rank_out_in_in, PRIM_ERROR_OVERLAP, "d_ranks"},
};

const entry_point co_rank_entry = {.name = "prim_co_rank",
                                   .variant_count = one_variant,
                                   .variant_at = only_variant_at,
                                   .variant_name = only_variant_name,
                                   .in_bytes = RANKS_BYTES,
                                   .out_bytes = RANKS * sizeof(uint64_t),
                                   .count = RANKS,
                                   .make_input = co_rank_input,
                                   .right_answer = co_rank_answer,
                                   .workspace_bytes = co_rank_workspace,
                                   .call = co_rank_call,
                                   .bad = co_rank_bad,
                                   .bad_count = sizeof co_rank_bad / sizeof *co_rank_bad};
