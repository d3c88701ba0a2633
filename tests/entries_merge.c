/* merge, merge sort and what goes with them, among the entry points. */
#include <stdint.h>
#include <stdlib.h>

#include <primitives/merge.h>

#include "entry_points.h"

/* ---- merge: a and, after it, b; a is a third of the keys that a call takes ---- */

/* STREAMED's blocks make more than one tile each. */
enum { A_KEYS = 7001, B_KEYS = 2 * A_KEYS, KEYS = A_KEYS + B_KEYS };

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

static prim_status merge_call(const operands *o)
{
    call_head c = spoilt_head(o);
    prim_order order = PRIM_ASCENDING;
    cudaDataType_t type = CUDA_R_32I;
    size_t a_count = o->count / 3, b_count = o->count - a_count;
    char *d_a = o->d_in, *d_b = part_of(d_a, 4 * a_count), *d_out = o->d_out;
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_out", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 2);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
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
                      call_of(o, &c));
}

const entry_point merge_entry = {.name = "prim_merge",
                                 .variant_at = prim_merge_variant_at,
                                 .in_bytes = KEYS * sizeof(int32_t),
                                 .out_bytes = KEYS * sizeof(int32_t),
                                 .count = KEYS,
                                 .make_input = merge_input,
                                 .right_answer = merge_answer,
                                 .call = merge_call};

/* ---- merge sort: descending, as many keys; and few, for the rung that takes no more ---- */

enum { FEW_KEYS = 1001 };

static void random_keys(void *h_in, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i + seed) * 2654435761u) >> 8;
}

static void sort_input(void *h_in, unsigned seed)
{
    random_keys(h_in, KEYS, seed);
}

static void sort_few_input(void *h_in, unsigned seed)
{
    random_keys(h_in, FEW_KEYS, seed);
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
    return prim_merge_sort((prim_merge_variant)c.variant, order, type, d_in, count, d_out,
                           call_of(o, &c));
}

const entry_point merge_sort_few_entry = {.name = "prim_merge_sort",
                                          .variant_at = prim_merge_variant_at,
                                          .in_bytes = FEW_KEYS * sizeof(int32_t),
                                          .out_bytes = FEW_KEYS * sizeof(int32_t),
                                          .count = FEW_KEYS,
                                          .make_input = sort_few_input,
                                          .right_answer = sort_answer,
                                          .call = sort_call};

const entry_point merge_sort_entry = {.name = "prim_merge_sort",
                                      .variant_at = prim_merge_variant_at,
                                      .in_bytes = KEYS * sizeof(int32_t),
                                      .out_bytes = KEYS * sizeof(int32_t),
                                      .count = KEYS,
                                      .make_input = sort_input,
                                      .right_answer = sort_answer,
                                      .call = sort_call};

/* ---- co-ranks, without variants or workspace: the diagonals and, after them, a and b ---- */

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
    const call_head c = spoilt_options(o);
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
                        (void *)d_out, call_of(o, &c));
}

const entry_point co_rank_entry = {.name = "prim_co_rank",
                                   .variant_at = only_variant_at,
                                   .in_bytes = RANKS_BYTES,
                                   .out_bytes = RANKS * sizeof(uint64_t),
                                   .count = RANKS,
                                   .make_input = co_rank_input,
                                   .right_answer = co_rank_answer,
                                   .call = co_rank_call};

/* ---- co-ranks of three runs, the middle one much shorter: the diagonals and, after them, the
 * runs ---- */

enum {
    DIAGONALS = 151,
    RUNS = 3,
    RUN_0 = 401,
    RUN_1 = 7,
    RUN_2 = 399,
    RUN_0_AT = 8 * DIAGONALS, /* in bytes */
    RUN_1_AT = RUN_0_AT + 4 * RUN_0,
    RUN_2_AT = RUN_1_AT + 4 * RUN_1,
    RUNS_BYTES = RUN_2_AT + 4 * RUN_2
};

static const size_t run_counts[RUNS] = {RUN_0, RUN_1, RUN_2};
static const size_t runs_at[RUNS] = {RUN_0_AT, RUN_1_AT, RUN_2_AT};

static void co_ranks_input(void *h_in, unsigned seed)
{
    uint64_t *const diagonals = h_in;
    for (unsigned i = 0; i < DIAGONALS; i++) /* some of them beyond the end */
        diagonals[i] = (i * 331u + seed) % (RUN_0 + RUN_1 + RUN_2 + 5);
    for (unsigned r = 0; r < RUNS; r++)
        rising_keys((int32_t *)((char *)h_in + runs_at[r]), (unsigned)run_counts[r], seed + 5 * r);
}

/* By taking the keys one after the other; of equal ones the earlier run's first. */
static void co_ranks_answer(const void *h_in, size_t count, void *h_out)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t *const taken = (uint64_t *)h_out + i * RUNS;
        for (unsigned r = 0; r < RUNS; r++)
            taken[r] = 0;
        for (uint64_t k = 0; k < ((const uint64_t *)h_in)[i]; k++) {
            const int32_t *least = NULL;
            unsigned from = RUNS;
            for (unsigned r = 0; r < RUNS; r++) {
                const int32_t *key = (const int32_t *)((const char *)h_in + runs_at[r]) + taken[r];
                if (taken[r] < run_counts[r] && (least == NULL || *key < *least)) {
                    least = key;
                    from = r;
                }
            }
            if (from < RUNS)
                taken[from]++;
        }
    }
}

/* A call without diagonals may have NULL for all it reads. */
static prim_status co_ranks_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    prim_order order = PRIM_ASCENDING;
    cudaDataType_t type = CUDA_R_32I;
    char *d_in = o->d_in, *d_out = o->d_out, *d_runs[RUNS] = {NULL};
    size_t counts[RUNS] = {0}, run_count = RUNS, count = o->count;
    for (unsigned r = 0; r < RUNS && d_in != NULL; r++) {
        d_runs[r] = d_in + runs_at[r];
        counts[r] = run_counts[r];
    }
    const void *runs[RUNS];
    const void *const *h_runs = runs;
    const size_t *h_counts = counts;
    spoil(o, "d_runs[0]", &d_runs[0]);
    spoil(o, "d_runs[1]", &d_runs[1]);
    spoil(o, "d_runs[2]", &d_runs[2]);
    spoil(o, "d_diagonals", &d_in);
    spoil(o, "d_ranks", &d_out);
    FAULT("NULL", PRIM_ERROR_NULL, "h_runs", h_runs = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "h_counts", h_counts = NULL);
    FAULT("0", PRIM_ERROR_VALUE, "run_count", run_count = 0);
    FAULT("too many", PRIM_ERROR_VALUE, "run_count", run_count = PRIM_CO_RANKS_MOST_RUNS + 1);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 2);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "keys", counts[0] = counts[2] = SIZE_MAX / 2 + 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_runs", counts[0] = counts[2] = SIZE_MAX / 8);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_ranks", count = SIZE_MAX / 16);
    FAULT("in the first run", PRIM_ERROR_OVERLAP, "d_ranks", (d_out = d_in + RUN_0_AT, count = 8));
    FAULT("in the last run", PRIM_ERROR_OVERLAP, "d_ranks",
          (d_out = d_in + RUNS_BYTES - RUNS_BYTES % 8 - 8, count = 8));
    FAULT("is d_diagonals", PRIM_ERROR_OVERLAP, "d_ranks", (d_out = d_in, count = 8));
    for (unsigned r = 0; r < RUNS; r++)
        runs[r] = d_runs[r];
    return prim_co_ranks(order, type, run_count, h_runs, h_counts, (const void *)d_in, count,
                         (void *)d_out, call_of(o, &c));
}

const entry_point co_ranks_entry = {.name = "prim_co_ranks",
                                    .variant_at = only_variant_at,
                                    .in_bytes = RUNS_BYTES,
                                    .out_bytes = DIAGONALS * RUNS * sizeof(uint64_t),
                                    .count = DIAGONALS,
                                    .make_input = co_ranks_input,
                                    .right_answer = co_ranks_answer,
                                    .call = co_ranks_call};

/* ---- is it sorted? With an even seed; with an odd one two neighbours far along are not, and with
 * every other of these two at the beginning, too: then more than one block says so. ---- */

static void is_sorted_input(void *h_in, unsigned seed)
{
    int32_t *const keys = h_in;
    rising_keys(keys, KEYS, seed);
    if (seed % 2 == 1)
        keys[KEYS - 2] = keys[KEYS - 1] + 1;
    if (seed % 4 == 3)
        keys[0] = keys[1] + 1;
}

static void is_sorted_answer(const void *h_in, size_t count, void *h_out)
{
    const int32_t *const keys = h_in;
    uint32_t sorted = 1;
    for (size_t i = 1; i < count; i++)
        sorted &= keys[i - 1] <= keys[i];
    *(uint32_t *)h_out = sorted;
}

static prim_status is_sorted_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    prim_order order = PRIM_ASCENDING;
    cudaDataType_t type = CUDA_R_32I;
    char *d_in = o->d_in, *d_out = o->d_out;
    size_t count = o->count;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_answer", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 2);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 4 + 1);
    FAULT("is the first key", PRIM_ERROR_OVERLAP, "d_answer", d_out = d_in);
    FAULT("is the last key", PRIM_ERROR_OVERLAP, "d_answer", d_out = d_in + 4 * (count - 1));
    return prim_is_sorted(order, type, d_in, count, (void *)d_out, call_of(o, &c));
}

const entry_point is_sorted_entry = {.name = "prim_is_sorted",
                                     .variant_at = only_variant_at,
                                     .in_bytes = KEYS * sizeof(int32_t),
                                     .out_bytes = sizeof(uint32_t),
                                     .count = KEYS,
                                     .make_input = is_sorted_input,
                                     .right_answer = is_sorted_answer,
                                     .call = is_sorted_call};

/* ---- with values: a and b, and after them their values; the output likewise ---- */

static void add_values(void *h_in, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ((uint32_t *)h_in)[count + i] = i * 2654435761u;
}

static void merge_pairs_input(void *h_in, unsigned seed)
{
    merge_input(h_in, seed);
    add_values(h_in, KEYS);
}

static void merge_pairs_answer(const void *h_in, size_t count, void *h_out)
{
    const int32_t *a = h_in, *b = a + count / 3;
    const uint32_t *a_values = (const uint32_t *)h_in + KEYS, *b_values = a_values + count / 3;
    int32_t *keys = h_out;
    uint32_t *values = (uint32_t *)h_out + KEYS;
    for (size_t i = 0, j = 0; i + j < count;) {
        const int from_a = j == count - count / 3 || (i < count / 3 && a[i] <= b[j]);
        keys[i + j] = from_a ? a[i] : b[j];
        values[i + j] = from_a ? a_values[i] : b_values[j];
        from_a ? i++ : j++;
    }
}

static prim_status merge_pairs_call(const operands *o)
{
    call_head c = spoilt_head(o);
    prim_order order = PRIM_ASCENDING;
    cudaDataType_t type = CUDA_R_32I;
    size_t a_count = o->count / 3, b_count = o->count - a_count, value_bytes = 4;
    char *d_a = o->d_in, *d_b = part_of(d_a, 4 * a_count), *d_out = o->d_out;
    char *d_a_values = part_of(d_a, 4 * KEYS), *d_b_values = part_of(d_a_values, 4 * a_count);
    char *d_out_values = part_of(d_out, 4 * KEYS);
    spoil(o, "d_a", &d_a);
    spoil(o, "d_b", &d_b);
    spoil(o, "d_a_values", &d_a_values);
    spoil(o, "d_b_values", &d_b_values);
    spoil(o, "d_out", &d_out);
    spoil(o, "d_out_values", &d_out_values);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 2);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("none of the three", PRIM_ERROR_VALUE, "value_bytes", value_bytes = 2);
    FAULT("bytes of both beyond size_t", PRIM_ERROR_SIZE, "keys",
          a_count = b_count = SIZE_MAX / 8 + 1);
    FAULT("bytes of values beyond size_t", PRIM_ERROR_SIZE, "values",
          (value_bytes = 16, a_count = b_count = SIZE_MAX / 24));
    FAULT("is d_a", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_a, b_count = 1));
    FAULT("in d_b_values", PRIM_ERROR_OVERLAP, "d_out", d_out = d_b_values);
    FAULT("is d_a_values", PRIM_ERROR_OVERLAP, "d_out_values",
          (d_out_values = d_a_values, b_count = 1));
    FAULT("is d_out", PRIM_ERROR_OVERLAP, "d_out_values", d_out_values = d_out);
    FAULT("keys only", PRIM_ERROR_UNSUPPORTED, "keys only", c.variant = PRIM_MERGE_TILED);
    return prim_merge_pairs((prim_merge_variant)c.variant, order, type, value_bytes,
                            (prim_keys){d_a, d_a_values, a_count},
                            (prim_keys){d_b, d_b_values, b_count}, d_out, d_out_values,
                            call_of(o, &c));
}

const entry_point merge_pairs_entry = {.name = "prim_merge_pairs",
                                       .variant_at = prim_merge_variant_at,
                                       .in_bytes = 2 * KEYS * sizeof(int32_t),
                                       .out_bytes = 2 * KEYS * sizeof(int32_t),
                                       .count = KEYS,
                                       .make_input = merge_pairs_input,
                                       .right_answer = merge_pairs_answer,
                                       .call = merge_pairs_call};

/* Of few values, so that many keys are equal. */
static void equal_keys(void *h_in, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i + seed) * 2654435761u) >> 24;
}

static void sort_pairs_input(void *h_in, unsigned seed)
{
    equal_keys(h_in, KEYS, seed);
    add_values(h_in, KEYS);
}

static void sort_few_pairs_input(void *h_in, unsigned seed)
{
    equal_keys(h_in, FEW_KEYS, seed);
    add_values(h_in, FEW_KEYS);
}

static int falling_by_place(const void *x, const void *y)
{
    const int64_t *a = x, *b = y; /* a key, and where it stood */
    const int by_key = (a[0] < b[0]) - (a[0] > b[0]);
    return by_key != 0 ? by_key : (a[1] > b[1]) - (a[1] < b[1]);
}

/* h_keys may be NULL; h_values is, for the places themselves. */
static void sort_with_places(const int32_t *h_in, const uint32_t *h_values, size_t count,
                             int32_t *h_keys, uint32_t *h_out)
{
    int64_t(*placed)[2] = malloc((count + 1) * sizeof *placed);
    for (size_t i = 0; i < count; i++) {
        placed[i][0] = h_in[i];
        placed[i][1] = (int64_t)i;
    }
    qsort(placed, count, sizeof *placed, falling_by_place);
    for (size_t i = 0; i < count; i++) {
        if (h_keys != NULL)
            h_keys[i] = (int32_t)placed[i][0];
        h_out[i] = h_values != NULL ? h_values[placed[i][1]] : (uint32_t)placed[i][1];
    }
    free(placed);
}

static void sort_pairs_answer(const void *h_in, size_t count, void *h_out)
{
    sort_with_places(h_in, (const uint32_t *)h_in + count, count, h_out, (uint32_t *)h_out + count);
}

static prim_status sort_pairs_call(const operands *o)
{
    call_head c = spoilt_head(o);
    prim_order order = PRIM_DESCENDING;
    cudaDataType_t type = CUDA_R_32I;
    size_t count = o->count, value_bytes = 4;
    char *d_in = o->d_in, *d_out = o->d_out;
    char *d_values = part_of(d_in, 4 * count), *d_out_values = part_of(d_out, 4 * count);
    spoil(o, "d_in", &d_in);
    spoil(o, "d_values", &d_values);
    spoil(o, "d_out", &d_out);
    spoil(o, "d_out_values", &d_out_values);
    FAULT("negative", PRIM_ERROR_ENUM, "order", order = -1);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("none of the three", PRIM_ERROR_VALUE, "value_bytes", value_bytes = 5);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "values", count = SIZE_MAX / 8);
    FAULT("in d_in", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_in + 4, count--));
    FAULT("in d_values", PRIM_ERROR_OVERLAP, "d_out_values",
          (d_out_values = d_values + 4, count--));
    FAULT("is d_values", PRIM_ERROR_OVERLAP, "d_out", d_out = d_values);
    FAULT("is d_in", PRIM_ERROR_OVERLAP, "d_out_values", d_out_values = d_in);
    FAULT("is d_out", PRIM_ERROR_OVERLAP, "d_out_values", d_out_values = d_out);
    FAULT("keys only", PRIM_ERROR_UNSUPPORTED, "keys only", c.variant = PRIM_MERGE_SORT_WIDE);
    return prim_merge_sort_pairs((prim_merge_variant)c.variant, order, type, value_bytes,
                                 (prim_keys){d_in, d_values, count}, d_out, d_out_values,
                                 call_of(o, &c));
}

const entry_point merge_sort_pairs_entry = {.name = "prim_merge_sort_pairs",
                                            .variant_at = prim_merge_variant_at,
                                            .in_bytes = 2 * KEYS * sizeof(int32_t),
                                            .out_bytes = 2 * KEYS * sizeof(int32_t),
                                            .count = KEYS,
                                            .make_input = sort_pairs_input,
                                            .right_answer = sort_pairs_answer,
                                            .call = sort_pairs_call};

const entry_point merge_sort_few_pairs_entry = {.name = "prim_merge_sort_pairs",
                                                .variant_at = prim_merge_variant_at,
                                                .in_bytes = 2 * FEW_KEYS * sizeof(int32_t),
                                                .out_bytes = 2 * FEW_KEYS * sizeof(int32_t),
                                                .count = FEW_KEYS,
                                                .make_input = sort_few_pairs_input,
                                                .right_answer = sort_pairs_answer,
                                                .call = sort_pairs_call};

static void permutation_input(void *h_in, unsigned seed)
{
    equal_keys(h_in, KEYS, seed);
}

static void permutation_answer(const void *h_in, size_t count, void *h_out)
{
    sort_with_places(h_in, NULL, count, NULL, h_out);
}

static prim_status permutation_call(const operands *o)
{
    call_head c = spoilt_head(o);
    prim_order order = PRIM_DESCENDING;
    cudaDataType_t type = CUDA_R_32I, index_type = CUDA_R_32U;
    size_t count = o->count;
    char *d_in = o->d_in, *d_out = o->d_out;
    spoil(o, "d_in", &d_in);
    spoil(o, "d_indices", &d_out);
    FAULT("unknown", PRIM_ERROR_ENUM, "order", order = 7);
    FAULT("unknown", PRIM_ERROR_TYPE, "key_type", type = 9999);
    FAULT("signed", PRIM_ERROR_TYPE, "index_type", index_type = CUDA_R_32I);
    FAULT("too many for u32", PRIM_ERROR_SIZE, "u32", count = ((size_t)1 << 32) + 1);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_in", count = SIZE_MAX / 2);
    FAULT("is d_in", PRIM_ERROR_OVERLAP, "d_indices", d_out = d_in);
    FAULT("keys only", PRIM_ERROR_UNSUPPORTED, "keys only", c.variant = PRIM_MERGE_SORT_CO_RANK);
    return prim_merge_sort_permutation((prim_merge_variant)c.variant, order, type, d_in, count,
                                       index_type, d_out, call_of(o, &c));
}

const entry_point merge_sort_permutation_entry = {.name = "prim_merge_sort_permutation",
                                                  .variant_at = prim_merge_variant_at,
                                                  .in_bytes = KEYS * sizeof(int32_t),
                                                  .out_bytes = KEYS * sizeof(uint32_t),
                                                  .count = KEYS,
                                                  .make_input = permutation_input,
                                                  .right_answer = permutation_answer,
                                                  .call = permutation_call};

/* ---- gather: the indices and, after them, the values, of which one call takes some ---- */

enum { PICKED = 2003, VALUES = 501, VALUES_AT = 4 * PICKED };

static void gather_input(void *h_in, unsigned seed)
{
    uint32_t *const h = h_in;
    for (unsigned i = 0; i < PICKED; i++)
        h[i] = (i * 2654435761u + seed) % VALUES;
    for (unsigned i = 0; i < 2 * VALUES; i++)
        h[PICKED + i] = i * 2246822519u;
}

static void gather_answer(const void *h_in, size_t count, void *h_out)
{
    const uint32_t *const h = h_in;
    uint32_t *const out = h_out;
    for (size_t i = 0; i < 2 * count; i++)
        out[i] = h[PICKED + 2 * h[i / 2] + i % 2];
}

static prim_status gather_call(const operands *o)
{
    const call_head c = spoilt_options(o);
    cudaDataType_t index_type = CUDA_R_32U;
    size_t value_bytes = 8, value_count = VALUES, count = o->count;
    char *d_indices = o->d_in, *d_out = o->d_out;
    char *d_values = part_of(d_indices, VALUES_AT);
    if (d_values == NULL && o->answer == NULL)
        value_count = 0;
    spoil(o, "d_indices", &d_indices);
    FAULT("NULL", PRIM_ERROR_NULL, "d_values", d_values = NULL);
    FAULT("NULL", PRIM_ERROR_NULL, "d_out", d_out = NULL);
    FAULT("signed", PRIM_ERROR_TYPE, "index_type", index_type = CUDA_R_64I);
    FAULT("0", PRIM_ERROR_VALUE, "value_bytes", value_bytes = 0);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_values", value_count = SIZE_MAX / 4);
    FAULT("bytes beyond size_t", PRIM_ERROR_SIZE, "d_out", count = SIZE_MAX / 4);
    FAULT("in d_values", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_values + 8, count = 1));
    FAULT("in d_indices", PRIM_ERROR_OVERLAP, "d_out", (d_out = d_indices + 8, count = 8));
    return prim_gather(value_bytes, d_values, value_count, index_type, d_indices, count, d_out,
                       call_of(o, &c));
}

const entry_point gather_entry = {.name = "prim_gather",
                                  .variant_at = only_variant_at,
                                  .in_bytes = VALUES_AT + 8 * VALUES,
                                  .out_bytes = 8 * PICKED,
                                  .count = PICKED,
                                  .make_input = gather_input,
                                  .right_answer = gather_answer,
                                  .call = gather_call};
