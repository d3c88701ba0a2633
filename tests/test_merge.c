/* merge, merge sort and co-ranks: every variant, key type and order against an independent oracle.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <primitives/merge.h>

#include "calls.h"
#include "merge/merge_args.h"
#include "merge_variants.h"
#include "rungs.h"
#include "support.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Errors of index show around the sizes of tiles; they and one launch are taken from the inside. */
enum { TILE = 7 * 256, LONG_TILE = 15 * 256 }; /* keys that a block merges or sorts */

static const cudaDataType_t types[] = {CUDA_R_8I,  CUDA_R_8U,   CUDA_R_16I, CUDA_R_16U,
                                       CUDA_R_32I, CUDA_R_32U,  CUDA_R_64I, CUDA_R_64U,
                                       CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F};
static const prim_order orders[] = {PRIM_ASCENDING, PRIM_DESCENDING};

/* ---- the oracle: a sort by value, and of equal keys by place ---- */

typedef struct key {
    long double value; /* exact for all types */
    uint64_t bits;
    size_t place;
    bool nan, negative;
} key;

static int ascending(const key *x, const key *y)
{
    if (x->nan && y->nan) { /* by sign; without one rising, with one falling */
        if (x->negative != y->negative)
            return (int)x->negative - (int)y->negative;
        return (x->negative ? -1 : 1) * ((x->bits > y->bits) - (x->bits < y->bits));
    }
    if (x->nan || y->nan)
        return (int)x->nan - (int)y->nan;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (int)y->negative - (int)x->negative; /* -0 before +0 */
}

static int by_place(const key *x, const key *y)
{
    return (x->place > y->place) - (x->place < y->place);
}

static int ascending_then_place(const void *x, const void *y)
{
    const int values = ascending(x, y);
    return values != 0 ? values : by_place(x, y);
}

static int descending_then_place(const void *x, const void *y)
{
    const int values = ascending(y, x);
    return values != 0 ? values : by_place(x, y);
}

static key read_key(cudaDataType_t type, const void *h, size_t i)
{
    key k = {.place = i};
    const size_t bytes = type_bytes(type);
    memcpy(&k.bits, (const char *)h + i * bytes, bytes); /* the low bytes come first */
    if (type_is_float(type))
        k.value = read_float(type, h, i);
    else
        k.value = type_is_signed(type) ? (long double)(int64_t)read_integer(type, h, i)
                                       : (long double)read_integer(type, h, i);
    k.nan = isnan(k.value);
    k.negative = type_is_float(type) && k.bits >> (8 * bytes - 1) != 0;
    return k;
}

/* h_out: the keys in order; places, unless NULL: where each of them stood in h_in. */
static void expect_sorted(prim_order order, cudaDataType_t type, const char *h_in, size_t count,
                          char *h_out, size_t *places)
{
    const size_t bytes = type_bytes(type);
    key *keys = malloc((count + 1) * sizeof *keys);
    for (size_t i = 0; i < count; i++)
        keys[i] = read_key(type, h_in, i);
    qsort(keys, count, sizeof *keys,
          order == PRIM_ASCENDING ? ascending_then_place : descending_then_place);
    for (size_t i = 0; i < count; i++) {
        memcpy(h_out + i * bytes, h_in + keys[i].place * bytes, bytes);
        if (places != NULL)
            places[i] = keys[i].place;
    }
    free(keys);
}

static void sort_here(prim_order order, cudaDataType_t type, char *h_keys, size_t count)
{
    char *h_sorted = malloc(count * type_bytes(type) + 1);
    expect_sorted(order, type, h_keys, count, h_sorted, NULL);
    memcpy(h_keys, h_sorted, count * type_bytes(type));
    free(h_sorted);
}

/* What the header promises of a sort's rungs. */
static bool takes(prim_merge_variant variant, size_t count)
{
    return variant != PRIM_MERGE_SORT_BITONIC || count <= 4096;
}

static bool takes_pairs(prim_merge_variant variant, size_t count)
{
    return merge_rung_has(variant, TAKES_ALL_CALLS) && takes(variant, count);
}

/* "of AUTO and RADIX up to a byte for each key and 1 MiB more" */
static size_t more_workspace(prim_merge_variant variant, size_t count)
{
    const bool may = variant == PRIM_MERGE_AUTO || variant == PRIM_MERGE_SORT_RADIX;
    return may ? count + ((size_t)1 << 20) : 0;
}

static void check_keys(cudaDataType_t type, const char *h_found, const char *h_expected,
                       size_t count, const char *what)
{
    const size_t bytes = type_bytes(type);
    size_t i = 0;
    if (count == 0 || memcmp(h_found, h_expected, count * bytes) == 0)
        return;
    while (memcmp(h_found + i * bytes, h_expected + i * bytes, bytes) == 0)
        i++;
    cr_assert_fail("%s of %s: key %zu of %zu is %.21Lg (%#llx), not %.21Lg (%#llx)", what,
                   type_name(type), i, count, read_key(type, h_found, i).value,
                   (unsigned long long)read_key(type, h_found, i).bits,
                   read_key(type, h_expected, i).value,
                   (unsigned long long)read_key(type, h_expected, i).bits);
}

/* ---- inputs ---- */

typedef enum shape {
    RANDOM,
    FEW_VALUES, /* of floats: among them NaN that can be told apart */
    ALL_EQUAL,  /* of floats: NaN that can all be told apart */
    SPECIAL,    /* the ends of the type, and of floats all that is special */
    ONE_BYTE,   /* bits of which one byte in four varies, and the others are of all keys the same */
    A_FIRST,    /* of a merge: all of a belongs before all of b; of a sort: sorted already */
    B_FIRST,    /* the other way; of a sort: the sorted halves change places */
    ALTERNATING,
    SHAPES
} shape;

/* A NaN whose sign and payload say where it stood; of narrow ones, some are the same. */
static void write_nan(cudaDataType_t type, char *h, size_t i)
{
    const size_t bytes = type_bytes(type);
    const unsigned fraction = type == CUDA_R_16F    ? 10
                              : type == CUDA_R_16BF ? 7
                              : type == CUDA_R_32F  ? 23
                                                    : 52;
    const uint64_t payloads = ((uint64_t)1 << fraction) - 1;
    const uint64_t sign = (uint64_t)(i % 2) << (8 * bytes - 1);
    const uint64_t exponent = ((uint64_t)1 << (8 * bytes - 1)) - payloads - 1;
    const uint64_t bits = sign | exponent | (i % payloads + 1);
    memcpy(h + i * bytes, &bits, bytes);
}

static void write_small(cudaDataType_t type, char *h, size_t i, int32_t value)
{
    if (type_is_float(type))
        write_float(type, h, i, value);
    else
        write_integer(type, h, i, (uint64_t)(int64_t)value);
}

static void write_special(cudaDataType_t type, char *h, size_t i, uint64_t bits)
{
    static const double specials[] = {INFINITY, -INFINITY, 0.0, -0.0, 1e-40, -1e-40, 1.0, -1.0};
    const uint64_t top = (uint64_t)1 << (8 * type_bytes(type) - 1);
    const uint64_t ends[] = {top, top + 1, UINT64_MAX, 0, 1, top - 2, top - 1};
    if (!type_is_float(type))
        write_integer(type, h, i, ends[bits % COUNT_OF(ends)]);
    else if (bits % 4 == 0)
        write_nan(type, h, i);
    else
        write_float(type, h, i, specials[bits / 4 % COUNT_OF(specials)]);
}

static void write_one_byte(cudaDataType_t type, char *h, size_t i, uint64_t bits, uint64_t which)
{
    const size_t bytes = type_bytes(type);
    char key[8];
    for (size_t b = 0; b < bytes; b++)
        key[b] = b % 4 == which % (bytes < 4 ? bytes : 4) ? (char)(bits >> b) : 'x';
    memcpy(h + i * bytes, key, bytes);
}

static void fill_keys(cudaDataType_t type, shape s, char *h, size_t count, uint64_t seed)
{
    if (s != FEW_VALUES && s != ALL_EQUAL && s != SPECIAL && s != ONE_BYTE) {
        fill(type, h, count, seed % 3 == 0 ? EXTREMES : UNIFORM, seed);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(seed + i) >> 8;
        if (s == SPECIAL)
            write_special(type, h, i, bits);
        else if (s == ONE_BYTE)
            write_one_byte(type, h, i, bits, seed);
        else if (type_is_float(type) && (s == ALL_EQUAL || bits % 4 == 0))
            write_nan(type, h, i);
        else
            write_small(type, h, i, s == ALL_EQUAL ? 42 : (int32_t)(bits / 4 % 5) - 2);
    }
}

/* Keys in order: h[0] to a, h[1] to b, h[2] to a, … as long as both have room. */
static void deal(char *h, size_t a_count, size_t b_count, size_t bytes)
{
    const size_t count = a_count + b_count;
    char *h_dealt = malloc(count * bytes + 1);
    size_t a = 0, b = 0;
    for (size_t i = 0; i < count; i++) {
        const bool to_a = b == b_count || (a < a_count && i % 2 == 0);
        memcpy(h_dealt + (to_a ? a++ : a_count + b++) * bytes, h + i * bytes, bytes);
    }
    memcpy(h, h_dealt, count * bytes);
    free(h_dealt);
}

static void exchange(char *h, size_t first, size_t second, size_t bytes)
{
    char *h_first = malloc(first * bytes + 1);
    memcpy(h_first, h, first * bytes);
    memmove(h, h + first * bytes, second * bytes);
    memcpy(h + second * bytes, h_first, first * bytes);
    free(h_first);
}

/* a and, after it, b, each in order. */
static char *make_runs(cudaDataType_t type, prim_order order, shape s, size_t a_count,
                       size_t b_count, uint64_t seed)
{
    const size_t bytes = type_bytes(type), count = a_count + b_count;
    char *h = malloc(count * bytes + 1);
    fill_keys(type, s, h, count, seed);
    if (s < A_FIRST) {
        sort_here(order, type, h, a_count);
        sort_here(order, type, h + a_count * bytes, b_count);
        return h;
    }
    sort_here(order, type, h, count);
    if (s == B_FIRST)
        exchange(h, b_count, a_count, bytes);
    else if (s == ALTERNATING)
        deal(h, a_count, b_count, bytes);
    return h;
}

/* ---- one merge ---- */

typedef struct merge_case {
    prim_order order;
    cudaDataType_t type;
    size_t a_count, b_count, offset; /* keys by which the arrays miss the 256-byte boundary */
    const char *h_a;
    const char *h_b;
    const char *h_expected; /* NULL: the arrays are not in order, and any result will do */
} merge_case;

static void check_merge_on_device(const merge_case *c, prim_merge_variant variant)
{
    const size_t key_bytes = type_bytes(c->type), count = c->a_count + c->b_count;
    const size_t miss = c->offset * key_bytes;
    char *h_out = malloc(count * key_bytes + 1);
    size_t bytes;
    cr_prim(asked_bytes(
        prim_merge(variant, c->order, c->type, NULL, c->a_count, NULL, c->b_count, NULL, asking()),
        &bytes));
    guarded a = guarded_copy(c->h_a, c->a_count * key_bytes, miss);
    guarded b = guarded_copy(c->h_b, c->b_count * key_bytes, miss);
    guarded out = guarded_new(count * key_bytes, miss), workspace = guarded_new(bytes, 0);
    cr_own(prim_merge(variant, c->order, c->type, a.data, c->a_count, b.data, c->b_count, out.data,
                      with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, h_out);
    if (c->h_expected != NULL)
        check_keys(c->type, h_out, c->h_expected, count, prim_merge_variant_info(variant)->name);
    guarded_read(&a, h_out);
    cr_assert_arr_eq(h_out, c->h_a, c->a_count * key_bytes, "a was written to");
    guarded_read(&b, h_out);
    cr_assert_arr_eq(h_out, c->h_b, c->b_count * key_bytes, "b was written to");
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&out);
    guarded_free(&workspace);
    free(h_out);
}

static void check_merge_on_host(const merge_case *c, int threads)
{
    const size_t count = c->a_count + c->b_count;
    char *h_out = malloc(count * type_bytes(c->type) + 1);
    cr_prim(
        prim_merge_host(c->order, c->type, c->h_a, c->a_count, c->h_b, c->b_count, h_out, threads));
    if (c->h_expected != NULL)
        check_keys(c->type, h_out, c->h_expected, count, "host");
    free(h_out);
}

static void check_merge(const merge_case *c)
{
    for (size_t v = 0; merging_variant_at(v) != NULL; v++)
        check_merge_on_device(c, merging_variant_at(v)->value);
    check_merge_on_host(c, 1);
}

/* a is the first a_count keys of h, and b the b_count after them. threads: of the host's version;
 * 0: every variant, and the host's with one thread. */
static void check_merge_of(prim_order order, cudaDataType_t type, const char *h, size_t a_count,
                           size_t b_count, size_t offset, int threads)
{
    const size_t count = a_count + b_count, bytes = type_bytes(type);
    char *h_expected = malloc(count * bytes + 1);
    expect_sorted(order, type, h, count, h_expected, NULL);
    const merge_case c = {order,     type, a_count, b_count, offset, h, h + a_count * bytes,
                          h_expected};
    if (threads == 0)
        check_merge(&c);
    else
        check_merge_on_host(&c, threads);
    free(h_expected);
}

/* ---- merges: every size, shape, type and order ---- */

typedef struct combination {
    cudaDataType_t type;
    prim_order order;
} combination;

static struct criterion_test_params combinations(void)
{
    static combination rows[COUNT_OF(types) * COUNT_OF(orders)];
    size_t count = 0;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t o = 0; o < COUNT_OF(orders); o++)
            rows[count++] = (combination){types[t], orders[o]};
    return cr_make_param_array(combination, rows, count);
}

/* Its place among them. Types of one width share kernels: at level quick each combination has other
 * sizes and shapes than its neighbours, so that a width has more of them than each of its types. */
static size_t number_of(const combination *k)
{
    size_t t = 0;
    while (types[t] != k->type)
        t++;
    return COUNT_OF(orders) * t + (k->order != orders[0]);
}

static const size_t merge_sizes[][2] = {
    {0, 0},
    {1, 0},
    {0, 1},
    {1, 1},
    {2, 1},
    {3, 4},
    {7, 1},
    {31, 1},
    {16, 16},
    {0, 33},
    {100, 30},
    {TILE - 1, 0},
    {0, TILE},
    {1, TILE},
    {TILE / 2, TILE / 2},
    {TILE - 1, 2},
    {TILE, TILE},
    {5, 3 * TILE},
    {3 * TILE, 1},
    {TILE + 1, 2 * TILE - 3},
    {2 * TILE, 0},
    {1, 2 * TILE},
    {2 * TILE + 9, 3 * TILE - 8},
    {LONG_TILE - 1, LONG_TILE + 2},
    {5, 2 * LONG_TILE},
};

ParameterizedTestParameters(merge, sizes_and_shapes)
{
    return combinations();
}

ParameterizedTest(combination *k, merge, sizes_and_shapes)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t n = 0; n < COUNT_OF(merge_sizes); n++)
        for (int s = 0; s < SHAPES; s++) {
            if (quick && (n + (size_t)s) % 4 != 0)
                continue;
            const size_t a_count = merge_sizes[n][0], b_count = merge_sizes[n][1];
            char *h = make_runs(k->type, k->order, (shape)s, a_count, b_count, 10 * n + (size_t)s);
            check_merge_of(k->order, k->type, h, a_count, b_count, n % 3, 0);
            free(h);
        }
}

ParameterizedTestParameters(merge, many_tiles)
{
    return combinations();
}

ParameterizedTest(combination *k, merge, many_tiles)
{
    static const size_t sizes[][2] = {{23 * TILE + 5, 30 * TILE - 1}, {100003, 100}, {3, 70001}};
    const size_t count = get_test_level() == LEVEL_QUICK ? 1 : COUNT_OF(sizes);
    for (size_t n = 0; n < count; n++) {
        const shape s = n % 2 == 0 ? FEW_VALUES : RANDOM;
        char *h = make_runs(k->type, k->order, s, sizes[n][0], sizes[n][1], n);
        check_merge_of(k->order, k->type, h, sizes[n][0], sizes[n][1], n, 0);
        free(h);
    }
}

/* A few keys of one array, at every place in the other one. */
ParameterizedTestParameters(merge, a_key_anywhere)
{
    return combinations();
}

ParameterizedTest(combination *k, merge, a_key_anywhere)
{
    enum { OTHERS = TILE + 40 };
    static const int32_t places[] = {-1,       0,        1,    6,        7,          8,
                                     31,       32,       33,   255,      256,        1024,
                                     TILE - 2, TILE - 1, TILE, TILE + 1, OTHERS - 1, OTHERS};
    const size_t bytes = type_bytes(k->type);
    if (bytes < 4)
        return; /* they have not so many whole numbers */
    char *h = malloc((OTHERS + 1) * bytes);
    for (size_t p = 0; p < COUNT_OF(places); p++)
        for (int alone_is_a = 0; alone_is_a < 2; alone_is_a++) {
            const size_t alone = alone_is_a ? 0 : OTHERS, others = alone_is_a ? 1 : 0;
            for (int32_t i = 0; i < OTHERS; i++)
                write_small(k->type, h, others + (size_t)i,
                            2 * (k->order == PRIM_ASCENDING ? i : OTHERS - 1 - i) + 2);
            write_small(k->type, h, alone, 2 * places[p] + 2);
            check_merge_of(k->order, k->type, h, alone_is_a ? 1 : OTHERS, alone_is_a ? OTHERS : 1,
                           0, 0);
        }
    free(h);
}

/* ---- arrays that overlap, and arrays that are not in order ---- */

/* Up to 2^18 keys each thread searches for itself. */
Test(merge, auto_by_size)
{
    const size_t half = (size_t)1 << 17;
    cr_assert_eq(chosen(prim_merge(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, NULL, half, NULL,
                                   half - 1, NULL, asking())),
                 (int)PRIM_MERGE_CO_RANK);
    cr_assert_eq(chosen(prim_merge(PRIM_MERGE_AUTO, PRIM_ASCENDING, CUDA_R_32I, NULL, half, NULL,
                                   half, NULL, asking())),
                 (int)PRIM_MERGE_STREAMED);
}

Test(merge, a_and_b_may_overlap)
{
    enum { COUNT = 2 * TILE, SHIFT = 501 };
    for (size_t t = 0; t < COUNT_OF(types); t++) {
        const size_t bytes = type_bytes(types[t]);
        char *h = make_runs(types[t], PRIM_ASCENDING, RANDOM, COUNT, 0, t);
        char *h_both = malloc(2 * COUNT * bytes), *h_out = malloc(2 * COUNT * bytes),
             *h_expected = malloc(2 * COUNT * bytes);
        const size_t a_count = COUNT - SHIFT, b_count = COUNT - 7;
        memcpy(h_both, h, a_count * bytes);
        memcpy(h_both + a_count * bytes, h + 7 * bytes, b_count * bytes);
        expect_sorted(PRIM_ASCENDING, types[t], h_both, a_count + b_count, h_expected, NULL);
        guarded in = guarded_copy(h, COUNT * bytes, 0);
        guarded out = guarded_new((a_count + b_count) * bytes, 0);
        for (size_t v = 0; merging_variant_at(v) != NULL; v++) {
            guarded_poison(&out);
            cr_own(prim_merge(merging_variant_at(v)->value, PRIM_ASCENDING, types[t], in.data,
                              a_count, (char *)in.data + 7 * bytes, b_count, out.data,
                              into(own_stream())));
            guarded_read(&out, h_out);
            check_keys(types[t], h_out, h_expected, a_count + b_count, "overlapping arrays");
        }
        guarded_free(&in);
        guarded_free(&out);
        free(h);
        free(h_both);
        free(h_out);
        free(h_expected);
    }
}

/* What unsorted input leads to stays inside the operands: guard zones see it, and
 * AddressSanitizer. Random keys, the wrong order, and long stretches that make tiles' ends cross.
 */
ParameterizedTestParameters(merge, unsorted_input_stays_inside)
{
    return combinations();
}

ParameterizedTest(combination *k, merge, unsorted_input_stays_inside)
{
    static const size_t sizes[][2] = {{3 * TILE + 1, 2 * TILE + 5}, {100, 2 * TILE}, {TILE, 9}};
    for (size_t n = 0; n < COUNT_OF(sizes); n++)
        for (size_t stretch = 0; stretch < 4; stretch++) {
            const size_t a_count = sizes[n][0], count = a_count + sizes[n][1];
            const size_t bytes = type_bytes(k->type);
            char *h = malloc(count * bytes);
            fill_keys(k->type, SPECIAL, h, count, stretch);
            for (size_t i = 0; i < count && stretch > 0; i++) {
                const size_t length = stretch == 3 ? count : 300 * stretch;
                const int32_t step = i / length % 2 == 0 ? -1 : 1;
                write_small(k->type, h, i,
                            (k->order == PRIM_ASCENDING ? step : -step) * (int32_t)i);
            }
            const merge_case c = {
                k->order, k->type, a_count, sizes[n][1], 1, h, h + a_count * bytes, NULL};
            check_merge(&c);
            free(h);
        }
}

/* Keys of which those that a search of a whole tile looks at say something else than all others: a
 * thread in the middle of a tile then begins where its tile has already ended, in one run, and goes
 * on from there. The last search of a tile halves its steps, from a power of two down to 1: in one
 * run it looks at places that are one less than multiples of 64, and the other's are all alike. */
static char *make_misleading(const combination *k, size_t a_count, size_t b_count, bool of_a)
{
    const size_t count = a_count + b_count, bytes = type_bytes(k->type);
    char *h = malloc(count * bytes);
    const int32_t late = k->order == PRIM_ASCENDING ? 9 : 1, early = 10 - late;
    for (size_t i = 0; i < count; i++) {
        const bool is_a = i < a_count, is_looked_at = (is_a ? i + 1 : i - a_count) % 64 == 0;
        const int32_t other = is_a == is_looked_at ? early : late;
        write_small(k->type, h, i, is_a == of_a ? other : 5);
    }
    return h;
}

/* Tiles are as long as they get on the CPU backend, and shorter ones. */
static const size_t misleading_counts[] = {300, 5 * TILE, 19 * TILE + 3};

ParameterizedTestParameters(merge, misleading_input_stays_inside)
{
    return combinations();
}

ParameterizedTest(combination *k, merge, misleading_input_stays_inside)
{
    for (size_t n = 0; n < 2 * COUNT_OF(misleading_counts); n++) {
        const size_t count = misleading_counts[n / 2], bytes = type_bytes(k->type);
        char *h = make_misleading(k, count, count, n % 2 == 0);
        const merge_case c = {k->order, k->type, count, count, n % 3, h, h + count * bytes, NULL};
        check_merge(&c);
        free(h);
    }
}

/* ---- sorts ---- */

typedef struct sort_case {
    prim_order order;
    cudaDataType_t type;
    size_t count, offset;
    bool in_place;
    const char *h_in;
    const char *h_expected;
} sort_case;

static void check_sort_on_device(const sort_case *c, prim_merge_variant variant)
{
    const size_t all = c->count * type_bytes(c->type), miss = c->offset * type_bytes(c->type);
    char *h_out = malloc(all + 1);
    size_t bytes;
    cr_prim(asked_bytes(prim_merge_sort(variant, c->order, c->type, NULL, c->count, NULL, asking()),
                        &bytes));
    cr_assert(bytes == 0 || bytes == all ||
              (bytes > all && bytes <= all + more_workspace(variant, c->count)));
    guarded in = guarded_copy(c->h_in, all, miss), out = guarded_new(all, miss);
    guarded workspace = guarded_new(bytes, 0);
    cr_own(prim_merge_sort(variant, c->order, c->type, in.data, c->count,
                           c->in_place ? in.data : out.data,
                           with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(c->in_place ? &in : &out, h_out);
    check_keys(c->type, h_out, c->h_expected, c->count, prim_merge_variant_info(variant)->name);
    if (!c->in_place) {
        guarded_read(&in, h_out);
        cr_assert_arr_eq(h_out, c->h_in, all, "d_in was written to");
    }
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
    free(h_out);
}

static void check_sort_on_host(const sort_case *c, int threads)
{
    char *h_out = malloc(c->count * type_bytes(c->type) + 1);
    memcpy(h_out, c->h_in, c->count * type_bytes(c->type));
    cr_prim(prim_merge_sort_host(c->order, c->type, c->in_place ? h_out : c->h_in, c->count, h_out,
                                 threads));
    check_keys(c->type, h_out, c->h_expected, c->count, "host's sort");
    free(h_out);
}

/* threads: as for check_merge_of(). */
static void check_sort(const combination *k, shape s, size_t count, size_t turn, int threads)
{
    char *h_in = s < A_FIRST ? malloc(count * type_bytes(k->type) + 1)
                             : make_runs(k->type, k->order, s, count / 2, count - count / 2, turn);
    char *h_expected = malloc(count * type_bytes(k->type) + 1);
    if (s < A_FIRST)
        fill_keys(k->type, s, h_in, count, turn);
    expect_sorted(k->order, k->type, h_in, count, h_expected, NULL);
    const sort_case c = {k->order, k->type, count, turn % 3, turn % 2 == 0, h_in, h_expected};
    for (size_t v = 0; threads == 0 && sorting_variant_at(v) != NULL; v++)
        if (takes(sorting_variant_at(v)->value, count))
            check_sort_on_device(&c, sorting_variant_at(v)->value);
    check_sort_on_host(&c, threads == 0 ? 1 : threads);
    free(h_in);
    free(h_expected);
}

/* One, two and more passes: the last one ends in d_out, whatever their number. */
static const size_t sort_sizes[] = {
    0,
    1,
    2,
    3,
    6,
    7,
    8,
    13,
    14,
    15,
    31,
    32,
    33,
    64,
    100,
    128,
    129,
    897,
    1024,
    TILE - 1,
    TILE,
    TILE + 1,
    2 * TILE - 1,
    2 * TILE,
    2 * TILE + 1,
    4096,
    4097,
    3 * TILE,
    4 * TILE,
    4 * TILE + 1,
    5 * TILE - 3,
    9 * TILE + 5,
};

ParameterizedTestParameters(merge_sort, sizes_and_shapes)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_sort, sizes_and_shapes)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t n = 0; n < COUNT_OF(sort_sizes); n++)
        for (size_t s = 0; s < SHAPES; s++)
            if (!quick || (n + s + number_of(k)) % 8 == 0)
                check_sort(k, (shape)s, sort_sizes[n], n + s / 2, 0);
}

/* Of more than a million keys RADIX has its longest tiles on a GPU: one type of each width. */
static bool has_long_tiles(const combination *k)
{
    return !on_cpu_backend() && k->order == PRIM_DESCENDING &&
           (k->type == CUDA_R_8I || k->type == CUDA_R_16F || k->type == CUDA_R_32F ||
            k->type == CUDA_R_64F);
}

ParameterizedTestParameters(merge_sort, many_tiles)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_sort, many_tiles)
{
    check_sort(k, FEW_VALUES, 17 * TILE + 1, 1, 0);
    check_sort(k, ONE_BYTE, 14007, type_bytes(k->type), 0);
    if (get_test_level() != LEVEL_QUICK)
        check_sort(k, RANDOM, 100003, 2, 0);
    if (get_test_level() != LEVEL_QUICK && has_long_tiles(k))
        check_sort(k, RANDOM, 1100003, 3, 0);
}

/* Few keys are sorted by one block, narrow ones soon by digits; values make both later. */
Test(merge_sort, auto_by_size)
{
    static const struct {
        cudaDataType_t type;
        size_t count;
        prim_merge_variant keys, pairs;
    } rows[] = {
        {CUDA_R_8I, 1025, PRIM_MERGE_SORT_BITONIC, PRIM_MERGE_SORT_BITONIC},
        {CUDA_R_32F, 2048, PRIM_MERGE_SORT_BITONIC, PRIM_MERGE_SORT_BITONIC},
        {CUDA_R_32F, 4096, PRIM_MERGE_SORT_BITONIC, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_32F, 4097, PRIM_MERGE_SORT_STREAMED, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_32I, 13999, PRIM_MERGE_SORT_STREAMED, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_16BF, 14000, PRIM_MERGE_SORT_RADIX, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_32I, 50000, PRIM_MERGE_SORT_RADIX, PRIM_MERGE_SORT_RADIX},
        {CUDA_R_64F, 1024, PRIM_MERGE_SORT_BITONIC, PRIM_MERGE_SORT_BITONIC},
        {CUDA_R_64F, 2048, PRIM_MERGE_SORT_BITONIC, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_64U, 2049, PRIM_MERGE_SORT_STREAMED, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_64U, (1 << 20) - 1, PRIM_MERGE_SORT_STREAMED, PRIM_MERGE_SORT_STREAMED},
        {CUDA_R_64U, 1 << 20, PRIM_MERGE_SORT_RADIX, PRIM_MERGE_SORT_RADIX},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        cr_expect_eq(chosen(prim_merge_sort(PRIM_MERGE_AUTO, PRIM_ASCENDING, rows[i].type, NULL,
                                            rows[i].count, NULL, asking())),
                     (int)rows[i].keys, "%zu of %s", rows[i].count, type_name(rows[i].type));
        cr_expect_eq(chosen(prim_merge_sort_pairs(PRIM_MERGE_AUTO, PRIM_ASCENDING, rows[i].type, 4,
                                                  (prim_keys){NULL, NULL, rows[i].count}, NULL,
                                                  NULL, asking())),
                     (int)rows[i].pairs, "%zu pairs of %s", rows[i].count, type_name(rows[i].type));
    }
}

/* value_bytes 0: of keys alone; 1: of a permutation. */
static size_t workspace_of(prim_merge_variant variant, cudaDataType_t type, size_t value_bytes,
                           size_t count)
{
    size_t bytes;
    cr_prim(value_bytes == 0 ? asked_bytes(prim_merge_sort(variant, PRIM_ASCENDING, type, NULL,
                                                           count, NULL, asking()),
                                           &bytes)
            : value_bytes == 1
                ? asked_bytes(prim_merge_sort_permutation(variant, PRIM_ASCENDING, type, NULL,
                                                          count, CUDA_R_64U, NULL, asking()),
                              &bytes)
                : asked_bytes(prim_merge_sort_pairs(variant, PRIM_ASCENDING, type, value_bytes,
                                                    (prim_keys){NULL, NULL, count}, NULL, NULL,
                                                    asking()),
                              &bytes));
    return bytes;
}

/* A workspace for many keys serves fewer: a file is sorted in pieces with one, whose last piece is
 * shorter. Rungs change their tiles with the number of keys, where it passes a multiple of 512. */
Test(merge_sort, fewer_keys_need_no_more_workspace)
{
    static const size_t values[] = {0, 1, 4, 8, 16};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t v = 0; sorting_variant_at(v) != NULL; v++) {
            const prim_merge_variant variant = sorting_variant_at(v)->value;
            const size_t w = (t + v) % COUNT_OF(values);
            size_t before = 0;
            for (size_t i = 0; i < 5000; i++) {
                const size_t count = i / 2 * 512 + i % 2;
                if (!(values[w] == 0 ? takes : takes_pairs)(variant, count))
                    continue;
                const size_t bytes = workspace_of(variant, types[t], values[w], count);
                cr_assert(bytes >= before, "%zu of %s need less than fewer", count,
                          type_name(types[t]));
                before = bytes;
            }
        }
}

/* ---- known answers ---- */

/* Both zeros and NaN of all kinds have their places. */
Test(merge, special_floats)
{
    static const uint32_t a[] = {0xff800000, 0x80000000, 0x3f800000, 0x7fc00001, 0xffc00002};
    static const uint32_t b[] = {0x80000000, 0x00000000, 0x3f800000, 0x7f800000, 0x7f800003};
    static const uint32_t up[] = {0xff800000, 0x80000000, 0x80000000, 0x00000000, 0x3f800000,
                                  0x3f800000, 0x7f800000, 0x7f800003, 0x7fc00001, 0xffc00002};
    static const uint32_t down[] = {0xffc00002, 0x7fc00001, 0x7f800003, 0x7f800000, 0x3f800000,
                                    0x3f800000, 0x00000000, 0x80000000, 0x80000000, 0xff800000};
    uint32_t a_down[5], b_down[5];
    for (size_t i = 0; i < 5; i++) {
        a_down[i] = a[4 - i];
        b_down[i] = b[4 - i];
    }
    const merge_case ascending_case = {PRIM_ASCENDING,  CUDA_R_32F,      5, 5, 0, (const char *)a,
                                       (const char *)b, (const char *)up};
    const merge_case descending_case = {
        PRIM_DESCENDING,      CUDA_R_32F,        5, 5, 0, (const char *)a_down,
        (const char *)b_down, (const char *)down};
    check_merge(&ascending_case);
    check_merge(&descending_case);
}

Test(merge_sort, special_floats)
{
    static const uint32_t in[] = {0x7fc00003, 0x00000000, 0xffc00001, 0x80000000,
                                  0x7f800000, 0x7f800002, 0xff800000, 0xbf800000};
    static const uint32_t up[] = {0xff800000, 0xbf800000, 0x80000000, 0x00000000,
                                  0x7f800000, 0x7f800002, 0x7fc00003, 0xffc00001};
    static const uint32_t down[] = {0xffc00001, 0x7fc00003, 0x7f800002, 0x7f800000,
                                    0x00000000, 0x80000000, 0xbf800000, 0xff800000};
    sort_case c = {PRIM_ASCENDING, CUDA_R_32F, 8, 0, false, (const char *)in, (const char *)up};
    for (size_t v = 0; sorting_variant_at(v) != NULL; v++)
        check_sort_on_device(&c, sorting_variant_at(v)->value);
    check_sort_on_host(&c, 1);
    c.order = PRIM_DESCENDING;
    c.h_expected = (const char *)down;
    for (size_t v = 0; sorting_variant_at(v) != NULL; v++)
        check_sort_on_device(&c, sorting_variant_at(v)->value);
    check_sort_on_host(&c, 1);
}

/* ---- co-ranks ---- */

enum { BEYOND = 3, FAR = 4 }; /* diagonals after the last, and far after it */

static void check_ranks(const uint64_t *ranks, const uint64_t *expected, size_t count,
                        const char *who)
{
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(ranks[i], expected[i], "%s: rank %zu of %zu is %llu, not %llu", who, i, count,
                     (unsigned long long)ranks[i], (unsigned long long)expected[i]);
}

static void check_co_rank(prim_order order, cudaDataType_t type, const char *h, size_t a_count,
                          size_t b_count, const uint64_t *diagonals, size_t count,
                          const uint64_t *expected)
{
    const size_t bytes = type_bytes(type);
    uint64_t *ranks = malloc((count + 1) * sizeof *ranks);
    guarded a = guarded_copy(h, a_count * bytes, bytes);
    guarded b = guarded_copy(h + a_count * bytes, b_count * bytes, bytes);
    guarded d = guarded_copy(diagonals, count * sizeof *ranks, 8);
    guarded r = guarded_new(count * sizeof *ranks, 8);
    cr_own(prim_co_rank(order, type, a.data, a_count, b.data, b_count, d.data, count, r.data,
                        into(own_stream())));
    guarded_read(&r, ranks);
    check_ranks(ranks, expected, count, "device");
    cr_prim(prim_co_rank_host(order, type, h, a_count, h + a_count * bytes, b_count, diagonals,
                              count, ranks));
    check_ranks(ranks, expected, count, "host");
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&d);
    guarded_free(&r);
    free(ranks);
}

/* Every diagonal, and some beyond the end, in an order of their own. */
static void check_all_diagonals(prim_order order, cudaDataType_t type, shape s, size_t a_count,
                                size_t b_count, uint64_t seed)
{
    static const uint64_t far[FAR] = {(uint64_t)1 << 32, ((uint64_t)1 << 32) + 1, (uint64_t)1 << 63,
                                      UINT64_MAX};
    const size_t count = a_count + b_count, all = count + 1 + BEYOND + FAR;
    char *h = make_runs(type, order, s, a_count, b_count, seed);
    char *h_sorted = malloc(count * type_bytes(type) + 1);
    size_t *places = malloc((count + 1) * sizeof *places);
    uint64_t *ranks = calloc(all, sizeof *ranks), *diagonals = malloc(all * sizeof *diagonals),
             *expected = malloc(all * sizeof *expected);
    expect_sorted(order, type, h, count, h_sorted, places);
    for (size_t k = 1; k < all; k++)
        ranks[k] = ranks[k - 1] + (k <= count && places[k - 1] < a_count);
    for (size_t i = 0; i < all; i++) {
        const size_t k = all - 1 - i;
        diagonals[i] = k > count + BEYOND ? far[k - count - BEYOND - 1] : k;
        expected[i] = ranks[k];
    }
    check_co_rank(order, type, h, a_count, b_count, diagonals, all, expected);
    free(h);
    free(h_sorted);
    free(places);
    free(ranks);
    free(diagonals);
    free(expected);
}

ParameterizedTestParameters(co_rank, every_diagonal)
{
    return combinations();
}

ParameterizedTest(combination *k, co_rank, every_diagonal)
{
    static const size_t sizes[][2] = {{0, 0},   {1, 0},    {0, 1},    {1, 1},
                                      {2, 5},   {31, 33},  {64, 64},  {1, 300},
                                      {300, 1}, {200, 57}, {0, 1000}, {500, 900}};
    for (size_t n = 0; n < COUNT_OF(sizes); n++)
        for (int s = 0; s < SHAPES; s++)
            check_all_diagonals(k->order, k->type, (shape)s, sizes[n][0], sizes[n][1], n);
}

Test(co_rank, no_diagonals)
{
    guarded a = guarded_new(16, 0);
    cr_own(prim_co_rank(PRIM_ASCENDING, CUDA_R_32I, a.data, 4, NULL, 0, NULL, 0, NULL,
                        into(own_stream())));
    cr_prim(prim_co_rank_host(PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, 0, NULL, 0, NULL));
    guarded_free(&a);
}

/* In arrays that are not in order too, a rank lies in both of them. */
Test(co_rank, ranks_in_unsorted_arrays_are_possible)
{
    enum { A = 777, B = 333 };
    uint64_t diagonals[A + B + 1], ranks[A + B + 1];
    int32_t h[A + B];
    for (uint64_t k = 0; k <= A + B; k++)
        diagonals[k] = k;
    fill(CUDA_R_32I, h, A + B, UNIFORM, 1);
    guarded a = guarded_copy(h, A * 4, 0), b = guarded_copy(h + A, B * 4, 0);
    guarded d = guarded_copy(diagonals, sizeof diagonals, 0), r = guarded_new(sizeof ranks, 0);
    cr_own(prim_co_rank(PRIM_ASCENDING, CUDA_R_32I, a.data, A, b.data, B, d.data, A + B + 1, r.data,
                        into(own_stream())));
    guarded_read(&r, ranks);
    for (uint64_t k = 0; k <= A + B; k++)
        cr_assert(ranks[k] <= A && ranks[k] <= k && k - ranks[k] <= B);
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&d);
    guarded_free(&r);
}

/* 2^33 equal keys in memory that nobody ever wrote to: a search touches few of them. */
Test(co_rank, beyond_two_to_the_32)
{
    const size_t many = ((size_t)1 << 33) + 5;
    const uint32_t few[] = {0, 0, 7};
    const uint64_t diagonals[] = {0, 1, many - 1, many, many + 1, many + 2, many + 3, UINT64_MAX};
    const uint64_t from_many[] = {0, 1, many - 1, many, many, many, many, many};
    const uint64_t from_few[] = {0, 1, 2, 2, 2, 2, 3, 3};
    uint64_t ranks[8];
    const void *zeros =
        mmap(NULL, many * 4, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED)
        cr_skip_test("no address space for 2^33 keys");
    cr_prim(
        prim_co_rank_host(PRIM_ASCENDING, CUDA_R_32U, zeros, many, few, 3, diagonals, 8, ranks));
    check_ranks(ranks, from_many, 8, "host, many in a");
    cr_prim(
        prim_co_rank_host(PRIM_ASCENDING, CUDA_R_32U, few, 3, zeros, many, diagonals, 8, ranks));
    check_ranks(ranks, from_few, 8, "host, many in b");
    if (on_cpu_backend()) { /* whose kernels reach the host's memory; the call would refuse it */
        const prim_co_rank_args args = {{.name = "co_rank"},
                                        PRIM_ASCENDING,
                                        CUDA_R_32U,
                                        zeros,
                                        few,
                                        many,
                                        3,
                                        diagonals,
                                        8,
                                        ranks};
        cr_cuda(prim_co_rank_rungs[0]->launch(&args));
        cr_cuda(cudaDeviceSynchronize());
        check_ranks(ranks, from_many, 8, "device, many in a");
    }
    munmap((void *)zeros, many * 4);
}

/* ---- more than 2^31 keys, where the device has the memory ---- */

static const size_t huge = ((size_t)1 << 31) + 12345;

static void skip_unless_huge(void)
{
    if (on_cpu_backend() || get_test_level() != LEVEL_FULL)
        cr_skip_test("more than 2^31 keys: on a GPU at PRIM_TEST_LEVEL=full only");
}

Test(merge, beyond_two_to_the_31)
{
    skip_unless_huge();
    enum { FEW = 1000 };
    uint32_t *h = malloc((huge + FEW) * sizeof *h), few[FEW];
    for (size_t i = 0; i < huge; i++)
        h[i] = (uint32_t)(i / 2);
    for (size_t j = 0; j < FEW; j++)
        few[j] = (uint32_t)(j * (huge / FEW) / 2);
    guarded a = guarded_copy(h, huge * 4, 0), b = guarded_copy(few, sizeof few, 0);
    guarded out = guarded_new((huge + FEW) * 4, 4);
    for (size_t v = 0; merging_variant_at(v) != NULL; v++) {
        guarded_poison(&out);
        cr_own(prim_merge(merging_variant_at(v)->value, PRIM_ASCENDING, CUDA_R_32U, a.data, huge,
                          b.data, FEW, out.data, into(own_stream())));
        guarded_read(&out, h);
        for (size_t i = 0, j = 0; i + j < huge + FEW;) {
            const bool from_a = j == FEW || (i < huge && i / 2 <= few[j]);
            const uint32_t expected = from_a ? (uint32_t)(i / 2) : few[j];
            cr_assert(h[i + j] == expected, "key %zu", i + j);
            from_a ? i++ : j++;
        }
    }
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&out);
    free(h);
}

Test(merge_sort, beyond_two_to_the_31)
{
    skip_unless_huge();
    uint32_t *h = malloc(huge * sizeof *h);
    uint64_t sum = 0, squares = 0;
    for (size_t i = 0; i < huge; i++) {
        h[i] = (uint32_t)random_bits(i);
        sum += h[i];
        squares += (uint64_t)h[i] * h[i];
    }
    for (size_t v = 0; sorting_variant_at(v) != NULL; v++) {
        if (!takes(sorting_variant_at(v)->value, huge))
            continue;
        guarded keys = guarded_copy(h, huge * 4, 4);
        cr_own(prim_merge_sort(sorting_variant_at(v)->value, PRIM_ASCENDING, CUDA_R_32U, keys.data,
                               huge, keys.data, into(own_stream())));
        guarded_read(&keys, h);
        uint64_t sorted_sum = h[0], sorted_squares = (uint64_t)h[0] * h[0];
        for (size_t i = 1; i < huge; i++) {
            cr_assert(h[i - 1] <= h[i], "key %zu", i);
            sorted_sum += h[i];
            sorted_squares += (uint64_t)h[i] * h[i];
        }
        cr_assert(sorted_sum == sum && sorted_squares == squares);
        guarded_free(&keys);
        for (size_t i = 0; i < huge; i++)
            h[i] = (uint32_t)random_bits(i);
    }
    free(h);
}

/* A grid has 2^31 - 1 blocks along x. */
Test(merge, more_than_a_grid_is_refused)
{
    const size_t most = (size_t)TILE * 0x7fffffff;
    for (size_t v = 0; merging_variant_at(v) != NULL; v++) {
        const prim_merge_variant variant = merging_variant_at(v)->value;
        cr_assert(runs(prim_merge(variant, PRIM_ASCENDING, CUDA_R_32I, NULL, most - 1, NULL, 1,
                                  NULL, asking())));
        cr_assert(!runs(
            prim_merge(variant, PRIM_ASCENDING, CUDA_R_32I, NULL, most, NULL, 1, NULL, asking())));
        cr_assert_eq(prim_merge(variant, PRIM_ASCENDING, CUDA_R_32I, (void *)256, most, NULL, 0,
                                (void *)256, NULL),
                     PRIM_ERROR_OVERLAP);
    }
    for (size_t v = 0; sorting_variant_at(v) != NULL; v++) {
        const prim_merge_variant variant = sorting_variant_at(v)->value;
        if (!takes(variant, most))
            continue;
        cr_assert(runs(
            prim_merge_sort(variant, PRIM_DESCENDING, CUDA_R_64F, NULL, most, NULL, asking())));
        cr_assert(!runs(
            prim_merge_sort(variant, PRIM_DESCENDING, CUDA_R_64F, NULL, most + 1, NULL, asking())));
        cr_assert_eq(prim_merge_sort(variant, PRIM_ASCENDING, CUDA_R_32I, (void *)256, most + 1,
                                     (void *)256, NULL),
                     PRIM_ERROR_UNSUPPORTED);
    }
    cr_assert_eq(prim_co_rank(PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, 0, (void *)256,
                              (size_t)256 * 0x7fffffff + 1, (void *)(UINTPTR_MAX / 16 * 8), NULL),
                 PRIM_ERROR_UNSUPPORTED);
}

/* ---- the host's versions on several threads ---- */

static bool has_threads(void)
{
    return prim_merge_host(PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, 0, NULL, 2) == PRIM_OK;
}

/* Not with every merge and sort above: where threads outnumber cores, they wait for long. */
Test(merge, host_threads)
{
    static const int threads[] = {2, 3, 7};
    static const size_t sizes[] = {0, 1, 5, 31, 32, 33, 1000, 4111};
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    for (size_t n = 0; n < COUNT_OF(sizes); n++)
        for (size_t turn = 0; turn < SHAPES; turn++) {
            const combination k = {types[(n + turn) % COUNT_OF(types)], orders[turn % 2]};
            const size_t a_count = turn % 3 == 0 ? sizes[n] / 2 : turn % 3 == 1 ? 0 : sizes[n];
            char *h = make_runs(k.type, k.order, (shape)turn, a_count, sizes[n] - a_count, n);
            check_merge_of(k.order, k.type, h, a_count, sizes[n] - a_count, 0, threads[turn % 3]);
            check_sort(&k, (shape)turn, sizes[n], n, threads[(turn + n) % 3]);
            free(h);
        }
}

/* ---- what the host refuses ---- */

Test(merge, host_refuses_what_it_cannot_do)
{
    int32_t a[4] = {1, 2, 3, 4}, b[4] = {1, 2, 3, 4}, out[8];
    const cudaDataType_t i32 = CUDA_R_32I;
    const prim_order up = PRIM_ASCENDING;
    cr_refused(prim_merge_host(up, i32, a, 4, b, 4, out, 0), PRIM_ERROR_VALUE, "threads");
    cr_assert_eq(prim_merge_host(up, i32, a, 4, b, 4, out, 1025), PRIM_ERROR_VALUE);
    cr_refused(prim_merge_host(up, i32, NULL, 4, b, 4, out, 1), PRIM_ERROR_NULL, "h_a");
    cr_assert_eq(prim_merge_host(up, i32, a, 4, NULL, 4, out, 1), PRIM_ERROR_NULL);
    cr_assert_eq(prim_merge_host(up, i32, a, 4, b, 4, NULL, 1), PRIM_ERROR_NULL);
    cr_assert_eq(prim_merge_host(up, i32, out, 4, b, 4, out, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_merge_host((prim_order)2, i32, a, 4, b, 4, out, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(prim_merge_host(up, (cudaDataType_t)9999, a, 1, b, 1, out, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(prim_merge_host(up, i32, a, SIZE_MAX / 4, b, 1, out, 1), PRIM_ERROR_SIZE);
    if (!has_threads())
        cr_assert_eq(prim_merge_host(up, i32, a, 4, b, 4, out, 2), PRIM_ERROR_UNSUPPORTED);
}

Test(merge_sort, host_refuses_what_it_cannot_do)
{
    float in[4] = {1, 2, 3, 4}, out[4];
    const cudaDataType_t f32 = CUDA_R_32F;
    const prim_order up = PRIM_ASCENDING;
    cr_assert_eq(prim_merge_sort_host(up, f32, in, 4, out, 0), PRIM_ERROR_VALUE);
    cr_assert_eq(prim_merge_sort_host(up, f32, NULL, 4, out, 1), PRIM_ERROR_NULL);
    cr_assert_eq(prim_merge_sort_host(up, f32, in, 4, NULL, 1), PRIM_ERROR_NULL);
    cr_assert_eq(prim_merge_sort_host(up, f32, in, 3, in + 1, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_merge_sort_host((prim_order)-1, f32, in, 4, out, 1), PRIM_ERROR_ENUM);
    cr_assert_eq(prim_merge_sort_host(up, (cudaDataType_t)9999, in, 4, out, 1), PRIM_ERROR_TYPE);
    cr_assert_eq(prim_merge_sort_host(up, f32, in, SIZE_MAX / 4 + 1, out, 1), PRIM_ERROR_SIZE);
}

Test(co_rank, host_refuses_what_it_cannot_do)
{
    uint32_t a[4] = {1, 2, 3, 4};
    uint64_t diagonals[2] = {0, 1}, ranks[2];
    const cudaDataType_t u32 = CUDA_R_32U;
    const prim_order up = PRIM_ASCENDING;
    cr_assert_eq(prim_co_rank_host(up, u32, a, 4, NULL, 1, diagonals, 2, ranks), PRIM_ERROR_NULL);
    cr_assert_eq(prim_co_rank_host(up, u32, a, 4, a, 4, NULL, 2, ranks), PRIM_ERROR_NULL);
    cr_assert_eq(prim_co_rank_host(up, u32, a, 4, a, 4, diagonals, 2, NULL), PRIM_ERROR_NULL);
    cr_assert_eq(prim_co_rank_host(up, u32, a, 4, a, 4, diagonals, 2, diagonals),
                 PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_co_rank_host(up, (cudaDataType_t)9999, a, 4, a, 4, diagonals, 2, ranks),
                 PRIM_ERROR_TYPE);
    cr_assert_eq(prim_co_rank_host((prim_order)2, u32, a, 4, a, 4, diagonals, 2, ranks),
                 PRIM_ERROR_ENUM);
    cr_assert_eq(prim_co_rank_host(up, u32, a, 4, a, 4, diagonals, SIZE_MAX / 8 + 1, ranks),
                 PRIM_ERROR_SIZE);
}

/* Where malloc() has nothing to give, nothing has been touched: neither operand can be. */
Test(merge_sort, host_without_memory)
{
#if defined(__SANITIZE_ADDRESS__)
    cr_skip_test("AddressSanitizer itself needs the address space");
#else
    const size_t count = (size_t)1 << 28;
    struct rlimit before, tight;
    char *keys =
        mmap(NULL, 2 * count * 4, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert(keys != MAP_FAILED);
    cr_assert_eq(getrlimit(RLIMIT_AS, &before), 0);
    tight = before;
    tight.rlim_cur = (rlim_t)2 * count * 4;
    cr_assert_eq(setrlimit(RLIMIT_AS, &tight), 0);
    const prim_status status =
        prim_merge_sort_host(PRIM_ASCENDING, CUDA_R_32I, keys, count, keys + count * 4, 1);
    cr_assert_eq(setrlimit(RLIMIT_AS, &before), 0);
    cr_assert_eq(status, PRIM_ERROR_WORKSPACE);
    munmap(keys, 2 * count * 4);
    cr_assert(strstr(prim_last_error(NULL), "malloc") != NULL);
#endif
}

/* ---- the tables ---- */

/* The header's rungs, AUTO once: those of one call have names of their own. */
static void check_names(const prim_variant *(*variant_at)(size_t index))
{
    cr_assert_eq(variant_at(0)->value, PRIM_MERGE_AUTO);
    cr_assert_not_null(variant_at(2));
    for (size_t v = 0; variant_at(v) != NULL; v++) {
        const prim_merge_variant variant = variant_at(v)->value;
        cr_assert(strlen(prim_merge_variant_info(variant)->name) > 0);
        cr_assert(strlen(prim_merge_variant_info(variant)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(prim_merge_variant_info(variant)->name, variant_at(w)->name);
    }
}

Test(merge, variants_have_names_and_ideas)
{
    check_names(merging_variant_at);
    cr_assert_str_eq(prim_merge_variant_info(PRIM_MERGE_CO_RANK)->name, "co_rank");
    cr_assert_str_eq(prim_merge_variant_info(PRIM_MERGE_TILED)->name, "tiled");
    cr_assert_null(prim_merge_variant_info((prim_merge_variant)9999));
}

Test(merge_sort, variants_have_names_and_ideas)
{
    check_names(sorting_variant_at);
    cr_assert_str_eq(prim_merge_variant_info(PRIM_MERGE_SORT_CO_RANK)->name, "co_rank");
    cr_assert_str_eq(prim_merge_variant_info(PRIM_MERGE_SORT_TILED)->name, "tiled");
}

/* Up the merge's ladder and then up the sort's; and each variant by its value. */
Test(merge, the_header_has_one_list_of_variants)
{
    size_t v = 0;
    for (; merging_variant_at(v) != NULL; v++)
        cr_assert_eq(prim_merge_variant_at(v), merging_variant_at(v));
    for (size_t w = 1; sorting_variant_at(w) != NULL; v++, w++)
        cr_assert_eq(prim_merge_variant_at(v), sorting_variant_at(w));
    cr_assert_null(prim_merge_variant_at(v));
    while (v-- > 0)
        cr_assert_eq(prim_merge_variant_info(prim_merge_variant_at(v)->value),
                     prim_merge_variant_at(v));
}

static void check_other_call(prim_status status, const char *sentence)
{
    cr_assert_eq(status, PRIM_ERROR_UNSUPPORTED, "%s", prim_status_string(status));
    cr_assert_str_eq(prim_last_error(NULL), sentence);
}

Test(merge, a_rung_of_another_call_is_not_supported)
{
    const prim_keys none = {NULL, NULL, 0};
    check_other_call(
        prim_merge(PRIM_MERGE_SORT_RADIX, PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, 0, NULL, NULL),
        "prim_merge: variant radix (24) belongs to another call");
    check_other_call(prim_merge_pairs(PRIM_MERGE_SORT_STREAMED, PRIM_ASCENDING, CUDA_R_32I, 4, none,
                                      none, NULL, NULL, NULL),
                     "prim_merge_pairs: variant streamed (22) belongs to another call");
    check_other_call(
        prim_merge_sort(PRIM_MERGE_CIRCULAR, PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, NULL),
        "prim_merge_sort: variant circular (3) belongs to another call");
}

/* ---- with values: each says where its key stood ---- */

enum { MOST_VALUE_BYTES = 16 };
static const size_t value_sizes[] = {4, 8, MOST_VALUE_BYTES};

/* A value's first four bytes say where it stood, and the others too, turned around. */
static void write_place(char *h, size_t value_bytes, size_t i, size_t place)
{
    const uint32_t one = (uint32_t)place;
    for (size_t b = 0; b < value_bytes; b += sizeof one) {
        const uint32_t word = b % 8 == 0 ? one : ~one;
        memcpy(h + i * value_bytes + b, &word, sizeof word);
    }
}

static char *make_values(size_t value_bytes, size_t count)
{
    char *h = malloc(count * value_bytes + 1);
    for (size_t i = 0; i < count; i++)
        write_place(h, value_bytes, i, i);
    return h;
}

/* The values of keys in order: those that stood at places[0], places[1], … */
static char *expect_values(size_t value_bytes, const size_t *places, size_t count)
{
    char *h = malloc(count * value_bytes + 1);
    for (size_t i = 0; i < count; i++)
        write_place(h, value_bytes, i, places[i]);
    return h;
}

static void check_values(const char *h_found, const char *h_expected, size_t value_bytes,
                         size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        cr_assert(memcmp(h_found + i * value_bytes, h_expected + i * value_bytes, value_bytes) == 0,
                  "%s: value %zu of %zu, of %zu bytes", what, i, count, value_bytes);
}

/* a's keys and, after them, b's. */
typedef struct pairs_case {
    combination k;
    size_t value_bytes, a_count, b_count, offset;
    const char *h_keys, *h_values, *h_expected, *h_expected_values;
} pairs_case;

static void check_merged_pairs(const pairs_case *c, prim_merge_variant variant)
{
    const size_t bytes = type_bytes(c->k.type), count = c->a_count + c->b_count;
    const size_t values = c->value_bytes, miss = c->offset * bytes, value_miss = c->offset * values;
    char *h_keys = malloc(count * bytes + 1), *h_values = malloc(count * values + 1);
    guarded a = guarded_copy(c->h_keys, c->a_count * bytes, miss);
    guarded b = guarded_copy(c->h_keys + c->a_count * bytes, c->b_count * bytes, miss);
    guarded a_values = guarded_copy(c->h_values, c->a_count * values, value_miss);
    guarded b_values =
        guarded_copy(c->h_values + c->a_count * values, c->b_count * values, 3 * value_miss);
    guarded out = guarded_new(count * bytes, miss), out_values = guarded_new(count * values, 0);
    cr_own(prim_merge_pairs(variant, c->k.order, c->k.type, values,
                            (prim_keys){a.data, a_values.data, c->a_count},
                            (prim_keys){b.data, b_values.data, c->b_count}, out.data,
                            out_values.data, into(own_stream())));
    guarded_read(&out, h_keys);
    guarded_read(&out_values, h_values);
    if (c->h_expected != NULL) {
        check_keys(c->k.type, h_keys, c->h_expected, count, "merged pairs");
        check_values(h_values, c->h_expected_values, values, count, "merged pairs");
    }
    guarded_free(&a);
    guarded_free(&b);
    guarded_free(&a_values);
    guarded_free(&b_values);
    guarded_free(&out);
    guarded_free(&out_values);
    free(h_keys);
    free(h_values);
}

static void check_host_pairs(const pairs_case *c, int threads)
{
    const size_t bytes = type_bytes(c->k.type), count = c->a_count + c->b_count;
    const size_t values = c->value_bytes;
    char *h_keys = malloc(count * bytes + 1), *h_values = malloc(count * values + 1);
    cr_prim(prim_merge_pairs_host(
        c->k.order, c->k.type, values, (prim_keys){c->h_keys, c->h_values, c->a_count},
        (prim_keys){c->h_keys + c->a_count * bytes, c->h_values + c->a_count * values, c->b_count},
        h_keys, h_values, threads));
    check_keys(c->k.type, h_keys, c->h_expected, count, "host's pairs");
    check_values(h_values, c->h_expected_values, values, count, "host's pairs");
    free(h_keys);
    free(h_values);
}

static void check_pairs(combination k, shape s, size_t value_bytes, size_t a_count, size_t b_count,
                        size_t offset, uint64_t seed)
{
    const size_t count = a_count + b_count, bytes = type_bytes(k.type);
    char *h = make_runs(k.type, k.order, s, a_count, b_count, seed);
    char *h_values = make_values(value_bytes, count), *h_expected = malloc(count * bytes + 1);
    size_t *places = malloc((count + 1) * sizeof *places);
    expect_sorted(k.order, k.type, h, count, h_expected, places);
    char *h_expected_values = expect_values(value_bytes, places, count);
    const pairs_case c = {k, value_bytes, a_count,    b_count,          offset,
                          h, h_values,    h_expected, h_expected_values};
    check_merged_pairs(&c, PRIM_MERGE_AUTO);
    check_merged_pairs(&c, PRIM_MERGE_STREAMED);
    check_host_pairs(&c, 1);
    free(h);
    free(h_values);
    free(h_expected);
    free(h_expected_values);
    free(places);
}

ParameterizedTestParameters(merge_pairs, sizes_and_shapes)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_pairs, sizes_and_shapes)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t n = 0; n < COUNT_OF(merge_sizes); n++)
        for (size_t s = 0; s < SHAPES; s++)
            if (!quick || (n + s) % 5 == 0)
                check_pairs(*k, (shape)s, value_sizes[(n + s) % 3], merge_sizes[n][0],
                            merge_sizes[n][1], n % 2, 10 * n + s);
}

ParameterizedTestParameters(merge_pairs, many_tiles)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_pairs, many_tiles)
{
    check_pairs(*k, FEW_VALUES, 4, 23 * TILE + 5, 30 * TILE - 1, 1, 1);
    if (get_test_level() == LEVEL_QUICK)
        return;
    check_pairs(*k, ALL_EQUAL, 8, 70001, 3, 0, 2);
    check_pairs(*k, SPECIAL, 16, 100, 100003, 1, 3);
}

/* Many largest keys at the end of both: of what is after a run's end, none is taken. */
Test(merge_pairs, largest_keys)
{
    enum { COUNT = 3 * LONG_TILE };
    uint32_t keys[COUNT];
    memset(keys, 0xff, sizeof keys);
    for (size_t first = 0; first < COUNT; first += LONG_TILE / 2) {
        char *h_values = make_values(4, COUNT);
        const pairs_case c = {{CUDA_R_32U, PRIM_ASCENDING},
                              4,
                              first,
                              COUNT - first,
                              0,
                              (const char *)keys,
                              h_values,
                              (const char *)keys,
                              h_values};
        check_merged_pairs(&c, PRIM_MERGE_STREAMED);
        check_host_pairs(&c, 1);
        free(h_values);
    }
}

ParameterizedTestParameters(merge_pairs, unsorted_input_stays_inside)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_pairs, unsorted_input_stays_inside)
{
    static const size_t sizes[][2] = {{3 * TILE + 1, 2 * TILE + 5}, {100, 2 * TILE}, {TILE, 9}};
    for (size_t n = 0; n < COUNT_OF(sizes); n++) {
        const size_t count = sizes[n][0] + sizes[n][1];
        char *h = malloc(count * type_bytes(k->type));
        fill_keys(k->type, n == 0 ? SPECIAL : RANDOM, h, count, n);
        for (size_t v = 0; v < COUNT_OF(value_sizes); v++) {
            char *h_values = make_values(value_sizes[v], count);
            const pairs_case c = {*k, value_sizes[v], sizes[n][0], sizes[n][1], 1,
                                  h,  h_values,       NULL,        NULL};
            check_merged_pairs(&c, PRIM_MERGE_STREAMED);
            free(h_values);
        }
        free(h);
    }
}

ParameterizedTestParameters(merge_pairs, misleading_input_stays_inside)
{
    return combinations();
}

/* Values go through shared memory that is just long enough, with whatever a run's beginning misses
 * a boundary by: AddressSanitizer sees the byte after it. */
ParameterizedTest(combination *k, merge_pairs, misleading_input_stays_inside)
{
    for (size_t n = 0; n < 2 * COUNT_OF(misleading_counts); n++) {
        const size_t count = misleading_counts[n / 2];
        char *h = make_misleading(k, count, count, n % 2 == 0);
        for (size_t v = 0; v < COUNT_OF(value_sizes); v++) {
            if (get_test_level() == LEVEL_QUICK && (n / 2 + v + number_of(k)) % 3 != 0)
                continue;
            char *h_values = make_values(value_sizes[v], 2 * count);
            for (size_t offset = 0; offset < 2; offset++) {
                const pairs_case c = {*k, value_sizes[v], count, count, offset,
                                      h,  h_values,       NULL,  NULL};
                check_merged_pairs(&c, PRIM_MERGE_STREAMED);
            }
            free(h_values);
        }
        free(h);
    }
}

static void check_sorted_pairs(const pairs_case *c, prim_merge_variant variant, bool keys_stay,
                               bool values_stay)
{
    const size_t bytes = type_bytes(c->k.type), count = c->a_count, values = c->value_bytes;
    char *h_keys = malloc(count * bytes + 1), *h_values = malloc(count * values + 1);
    size_t workspace_bytes;
    cr_prim(asked_bytes(prim_merge_sort_pairs(variant, c->k.order, c->k.type, values,
                                              (prim_keys){NULL, NULL, count}, NULL, NULL, asking()),
                        &workspace_bytes));
    cr_assert(workspace_bytes <= count * (bytes + values) + 255 + more_workspace(variant, count));
    guarded in = guarded_copy(c->h_keys, count * bytes, c->offset * bytes);
    guarded in_values = guarded_copy(c->h_values, count * values, c->offset * values);
    guarded out = guarded_new(count * bytes, c->offset * bytes);
    guarded out_values = guarded_new(count * values, 0),
            workspace = guarded_new(workspace_bytes, 0);
    cr_own(prim_merge_sort_pairs(
        variant, c->k.order, c->k.type, values, (prim_keys){in.data, in_values.data, count},
        keys_stay ? in.data : out.data, values_stay ? in_values.data : out_values.data,
        with(own_stream(), workspace_bytes > 0 ? workspace.data : NULL, workspace_bytes)));
    guarded_read(keys_stay ? &in : &out, h_keys);
    guarded_read(values_stay ? &in_values : &out_values, h_values);
    check_keys(c->k.type, h_keys, c->h_expected, count, "sorted pairs");
    check_values(h_values, c->h_expected_values, values, count, "sorted pairs");
    if (!keys_stay) {
        guarded_read(&in, h_keys);
        cr_assert_arr_eq(h_keys, c->h_keys, count * bytes, "d_in was written to");
    }
    guarded_free(&in);
    guarded_free(&in_values);
    guarded_free(&out);
    guarded_free(&out_values);
    guarded_free(&workspace);
    free(h_keys);
    free(h_values);
}

static void check_sorted_host_pairs(const pairs_case *c, int threads)
{
    const size_t bytes = type_bytes(c->k.type), count = c->a_count, values = c->value_bytes;
    char *h_keys = malloc(count * bytes + 1), *h_values = malloc(count * values + 1);
    memcpy(h_keys, c->h_keys, count * bytes);
    memcpy(h_values, c->h_values, count * values);
    cr_prim(prim_merge_sort_pairs_host(c->k.order, c->k.type, values,
                                       (prim_keys){h_keys, h_values, count}, h_keys, h_values,
                                       threads));
    check_keys(c->k.type, h_keys, c->h_expected, count, "host's sorted pairs");
    check_values(h_values, c->h_expected_values, values, count, "host's sorted pairs");
    free(h_keys);
    free(h_values);
}

static void check_permutation(const pairs_case *c, const size_t *places, cudaDataType_t index_type,
                              prim_merge_variant variant)
{
    const size_t bytes = type_bytes(c->k.type), count = c->a_count;
    const size_t index_bytes = type_bytes(index_type);
    char *h_indices = malloc(count * index_bytes + 1);
    size_t workspace_bytes;
    cr_prim(asked_bytes(prim_merge_sort_permutation(variant, c->k.order, c->k.type, NULL, count,
                                                    index_type, NULL, asking()),
                        &workspace_bytes));
    cr_assert(workspace_bytes <=
              count * (2 * bytes + index_bytes) + 510 + more_workspace(variant, count));
    guarded in = guarded_copy(c->h_keys, count * bytes, c->offset * bytes);
    guarded out = guarded_new(count * index_bytes, 0), workspace = guarded_new(workspace_bytes, 0);
    cr_own(prim_merge_sort_permutation(
        variant, c->k.order, c->k.type, in.data, count, index_type, out.data,
        with(own_stream(), workspace_bytes > 0 ? workspace.data : NULL, workspace_bytes)));
    guarded_read(&out, h_indices);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(read_integer(index_type, h_indices, i), places[i], "index %zu of %zu", i,
                     count);
    cr_prim(prim_merge_sort_permutation_host(c->k.order, c->k.type, c->h_keys, count, index_type,
                                             h_indices, 1));
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(read_integer(index_type, h_indices, i), places[i], "host's index %zu of %zu",
                     i, count);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&workspace);
    free(h_indices);
}

static void check_sort_pairs(combination k, shape s, size_t value_bytes, size_t count, size_t turn)
{
    const size_t bytes = type_bytes(k.type);
    char *h = s < A_FIRST ? malloc(count * bytes + 1)
                          : make_runs(k.type, k.order, s, count / 2, count - count / 2, turn);
    if (s < A_FIRST)
        fill_keys(k.type, s, h, count, turn);
    char *h_values = make_values(value_bytes, count), *h_expected = malloc(count * bytes + 1);
    size_t *places = malloc((count + 1) * sizeof *places);
    expect_sorted(k.order, k.type, h, count, h_expected, places);
    char *h_expected_values = expect_values(value_bytes, places, count);
    const pairs_case c = {k,          value_bytes,      count, 0, turn % 2, h, h_values,
                          h_expected, h_expected_values};
    for (size_t v = 0; sorting_variant_at(v) != NULL; v++) {
        const prim_merge_variant variant = sorting_variant_at(v)->value;
        if (!takes_pairs(variant, count))
            continue;
        check_sorted_pairs(&c, variant, (turn + v) % 4 >= 2, (turn + v) % 2 == 1);
        check_permutation(&c, places, (turn + v) % 2 == 0 ? CUDA_R_32U : CUDA_R_64U, variant);
    }
    check_sorted_host_pairs(&c, 1);
    free(h);
    free(h_values);
    free(h_expected);
    free(h_expected_values);
    free(places);
}

ParameterizedTestParameters(merge_sort_pairs, sizes_and_shapes)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_sort_pairs, sizes_and_shapes)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    for (size_t n = 0; n < COUNT_OF(sort_sizes); n++)
        for (size_t s = 0; s < SHAPES; s++)
            if (!quick || (n + s + number_of(k)) % 10 == 0)
                check_sort_pairs(*k, (shape)s, value_sizes[(n + s) % 3], sort_sizes[n], n + s / 2);
}

ParameterizedTestParameters(merge_sort_pairs, many_tiles)
{
    return combinations();
}

ParameterizedTest(combination *k, merge_sort_pairs, many_tiles)
{
    check_sort_pairs(*k, FEW_VALUES, 8, 17 * TILE + 1, 1);
    if (get_test_level() != LEVEL_QUICK && has_long_tiles(k))
        check_sort_pairs(*k, RANDOM, value_sizes[type_bytes(k->type) / 2 % 3], 1100003, 3);
    if (get_test_level() != LEVEL_QUICK) {
        check_sort_pairs(*k, SPECIAL, 4, 100003, 2);
        check_sort_pairs(*k, ALL_EQUAL, 16, 50001, 3);
    }
}

Test(merge_sort_pairs, host_threads)
{
    static const int threads[] = {2, 3, 7};
    if (!has_threads())
        cr_skip_test("built without OpenMP");
    for (size_t t = 0; t < COUNT_OF(threads); t++) {
        enum { COUNT = 1003 };
        const combination k = {CUDA_R_16F, orders[t % 2]};
        char h[2 * COUNT], h_expected[2 * COUNT];
        size_t places[COUNT];
        fill_keys(k.type, FEW_VALUES, h, COUNT, t);
        expect_sorted(k.order, k.type, h, COUNT, h_expected, places);
        char *h_values = make_values(4, COUNT), *h_sorted = expect_values(4, places, COUNT);
        const pairs_case c = {k, 4, COUNT, 0, 0, h, h_values, h_expected, h_sorted};
        check_sorted_host_pairs(&c, threads[t]);
        free(h_values);
        free(h_sorted);
    }
}

/* ---- gather ---- */

enum { GATHERED = 37 }; /* values */

Test(gather, any_size_and_alignment)
{
    enum { VALUES = 301, COUNT = 777 };
    static const size_t sizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 32, 48, 100};
    uint32_t narrow[COUNT];
    uint64_t wide[COUNT];
    for (size_t i = 0; i < COUNT; i++) /* some of them lie outside */
        wide[i] = narrow[i] = (uint32_t)(random_bits(i) % (VALUES + 9));
    wide[5] = UINT64_MAX;
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t miss = 0; miss < 4; miss++) {
            const size_t bytes = sizes[s], offset = miss == 3 ? 1 : 4 * miss;
            char *h = malloc(VALUES * bytes), *h_out = malloc(COUNT * bytes),
                 *h_host = malloc(COUNT * bytes);
            for (size_t i = 0; i < VALUES * bytes; i++)
                h[i] = (char)random_bits(i);
            const bool is_wide = miss % 2 == 0;
            const cudaDataType_t type = is_wide ? CUDA_R_64U : CUDA_R_32U;
            guarded values = guarded_copy(h, VALUES * bytes, offset);
            guarded indices = is_wide ? guarded_copy(wide, sizeof wide, 0)
                                      : guarded_copy(narrow, sizeof narrow, 4);
            guarded out = guarded_new(COUNT * bytes, offset);
            cr_own(prim_gather(bytes, values.data, VALUES, type, indices.data, COUNT, out.data,
                               into(own_stream())));
            guarded_read(&out, h_out);
            memset(h_host, GUARD_PATTERN, COUNT * bytes);
            cr_prim(prim_gather_host(bytes, h, VALUES, type,
                                     is_wide ? (const void *)wide : (const void *)narrow, COUNT,
                                     h_host));
            for (size_t i = 0; i < COUNT; i++)
                for (size_t b = 0; b < bytes; b++) {
                    const uint64_t from = is_wide ? wide[i] : narrow[i];
                    const char expected = from < VALUES ? h[from * bytes + b] : (char)GUARD_PATTERN;
                    cr_assert_eq(h_out[i * bytes + b], expected, "value %zu of %zu bytes", i,
                                 bytes);
                    cr_assert_eq(h_host[i * bytes + b], expected, "host's value %zu", i);
                }
            guarded_free(&values);
            guarded_free(&indices);
            guarded_free(&out);
            free(h);
            free(h_out);
            free(h_host);
        }
    cr_own(prim_gather(4, NULL, 0, CUDA_R_32U, NULL, 0, NULL, into(own_stream())));
    cr_assert_eq(prim_gather_host(0, NULL, 0, CUDA_R_32U, NULL, 0, NULL), PRIM_ERROR_VALUE);
    cr_assert_eq(prim_gather_host(4, NULL, 0, CUDA_R_32I, NULL, 0, NULL), PRIM_ERROR_TYPE);
}

/* Around the last index, and those of which only the low bits are valid: 32 of them, or those that
 * are left when an index is multiplied by a value's words. */
static const uint64_t edge_indices[] = {0,
                                        GATHERED - 1,
                                        GATHERED,
                                        GATHERED + 1,
                                        2 * GATHERED,
                                        INT32_MAX,
                                        (uint64_t)1 << 31,
                                        UINT32_MAX - 1,
                                        UINT32_MAX,
                                        ((uint64_t)1 << 32) + 1,
                                        ((uint64_t)1 << 60) + 1,
                                        ((uint64_t)1 << 62) + 2,
                                        INT64_MAX,
                                        (uint64_t)1 << 63,
                                        ((uint64_t)1 << 63) + 1,
                                        UINT64_MAX - 1,
                                        UINT64_MAX};

/* The first `value_count` of GATHERED + 1 values are the call's. What d_out had is not what lies
 * after them. */
static void check_edge_indices(size_t bytes, bool is_wide, size_t value_count, size_t offset,
                               size_t out_offset)
{
    enum { COUNT = COUNT_OF(edge_indices), MOST_BYTES = 48 };
    char h[(GATHERED + 1) * MOST_BYTES], h_out[COUNT * MOST_BYTES], h_expected[COUNT * MOST_BYTES];
    uint32_t narrow[COUNT];
    for (size_t i = 0; i < sizeof h; i++)
        h[i] = (char)(i % 100);
    memset(h_out, 0x77, sizeof h_out);
    memcpy(h_expected, h_out, sizeof h_out);
    for (size_t i = 0; i < COUNT; i++) {
        narrow[i] = (uint32_t)edge_indices[i];
        const uint64_t from = is_wide ? edge_indices[i] : narrow[i];
        if (from < value_count)
            memcpy(h_expected + i * bytes, h + from * bytes, bytes);
    }
    const void *const h_indices = is_wide ? (const void *)edge_indices : (const void *)narrow;
    const cudaDataType_t type = is_wide ? CUDA_R_64U : CUDA_R_32U;
    guarded values = guarded_copy(h, (GATHERED + 1) * bytes, offset);
    guarded indices = guarded_copy(h_indices, COUNT * type_bytes(type), 0);
    guarded out = guarded_copy(h_out, COUNT * bytes, out_offset);
    const void *const d_values = value_count > 0 ? values.data : NULL;
    cr_prim(prim_gather_host(bytes, value_count > 0 ? h : NULL, value_count, type, h_indices, COUNT,
                             h_out));
    cr_assert_arr_eq(h_out, h_expected, COUNT * bytes, "host: %zu bytes", bytes);
    cr_own(prim_gather(bytes, d_values, value_count, type, indices.data, COUNT, out.data,
                       into(own_stream())));
    guarded_read(&out, h_out);
    for (size_t i = 0; i < COUNT; i++)
        cr_assert_arr_eq(h_out + i * bytes, h_expected + i * bytes, bytes,
                         "index %#llx of %zu values of %zu bytes",
                         (unsigned long long)edge_indices[i], value_count, bytes);
    guarded_free(&values);
    guarded_free(&indices);
    guarded_free(&out);
}

/* Each array has an alignment of its own. */
Test(gather, indices_around_the_last_one)
{
    static const size_t sizes[] = {1, 2, 3, 4, 8, 16, 48}, counts[] = {GATHERED, 1, 0};
    static const size_t offsets[] = {0, 1, 2, 4, 8};
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t n = 0; n < 2 * COUNT_OF(counts); n++)
            for (size_t o = 0; o < COUNT_OF(offsets); o++) {
                check_edge_indices(sizes[s], n % 2 == 0, counts[n / 2], offsets[o], 0);
                check_edge_indices(sizes[s], n % 2 == 0, counts[n / 2], 0, offsets[o]);
            }
}

/* ---- is it sorted? ---- */

static void check_is_sorted(combination k, const char *h, size_t count, uint32_t expected)
{
    uint32_t answer = 7;
    guarded in = guarded_copy(h, count * type_bytes(k.type), type_bytes(k.type));
    guarded out = guarded_new(sizeof answer, 4);
    cr_own(prim_is_sorted(k.order, k.type, in.data, count, out.data, into(own_stream())));
    guarded_read(&out, &answer);
    cr_assert_eq(answer, expected, "%zu keys of %s: %u", count, type_name(k.type), answer);
    cr_prim(prim_is_sorted_host(k.order, k.type, h, count, &answer));
    cr_assert_eq(answer, expected, "host: %zu keys of %s: %u", count, type_name(k.type), answer);
    guarded_free(&in);
    guarded_free(&out);
}

ParameterizedTestParameters(is_sorted, one_key_anywhere)
{
    return combinations();
}

ParameterizedTest(combination *k, is_sorted, one_key_anywhere)
{
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 257, 2048, 2049, 5000};
    static const size_t places[] = {1, 31, 32, 255, 256, 2047, 2048, 4999};
    const size_t bytes = type_bytes(k->type);
    for (size_t n = 0; n < COUNT_OF(sizes); n++) {
        char *h = malloc(sizes[n] * bytes + 1);
        fill_keys(k->type, SPECIAL, h, sizes[n], n);
        sort_here(k->order, k->type, h, sizes[n]);
        check_is_sorted(*k, h, sizes[n], 1);
        free(h);
    }
    for (size_t p = 0; p < COUNT_OF(places); p++) {
        char *h = malloc(5000 * bytes);
        for (size_t i = 0; i < 5000; i++) /* one step up where it must go down, or the other way */
            write_small(k->type, h, i, (i < places[p]) == (k->order == PRIM_ASCENDING) ? 1 : 0);
        check_is_sorted(*k, h, 5000, 0);
        free(h);
    }
}
