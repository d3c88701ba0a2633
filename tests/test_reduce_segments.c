/* reduce_segments: every pair of types and operator, with segments of all kinds of lengths. A
 * segment must have the bits of prim_reduce_host() of it alone, on the device and on the host, and
 * be right by the oracle. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/reduce.h>

#include "calls.h"
#include "reductions.h"

/* ---- where segments begin ---- */

/* `segments` + 1 offsets; elements before the first and after the last belong to none. */
typedef struct layout {
    const char *name;
    size_t count, segments;
    int64_t *offsets;
} layout;

static layout layout_begin(const char *name, size_t most, size_t before)
{
    layout l = {name, 0, 0, malloc((most + 1) * sizeof *l.offsets)};
    l.offsets[0] = (int64_t)before;
    return l;
}

static void add_segment(layout *l, size_t length)
{
    l->offsets[l->segments + 1] = l->offsets[l->segments] + (int64_t)length;
    l->segments++;
}

static layout layout_end(layout l, size_t behind)
{
    l.count = (size_t)l.offsets[l.segments] + behind;
    return l;
}

static layout no_segments(size_t tile)
{
    return layout_end(layout_begin("none", 0, 0), tile);
}

static layout empty_ones(size_t tile)
{
    layout l = layout_begin("empty ones", 5000, tile % 7);
    for (size_t i = 0; i < 5000; i++)
        add_segment(&l, 0);
    return layout_end(l, 3);
}

static layout of_nothing(size_t tile)
{
    layout l = layout_begin("empty ones of an empty array", 3, 0 * tile);
    for (size_t i = 0; i < 3; i++)
        add_segment(&l, 0);
    return layout_end(l, 0);
}

static layout single_elements(size_t tile)
{
    layout l = layout_begin("single elements", tile, 1);
    for (size_t i = 0; i < tile; i++)
        add_segment(&l, 1);
    return layout_end(l, 0);
}

static layout all_in_one(size_t tile)
{
    layout l = layout_begin("one of all", 1, 0);
    add_segment(&l, 21 * tile + 1);
    return layout_end(l, 0);
}

/* Around where lanes, warps and the block take over, and where tiles end. */
static layout around_boundaries(const char *name, size_t tile, size_t most, size_t empty)
{
    const size_t vector = tile / 1024;
    const size_t around[] = {vector,      2 * vector,  4 * vector,   8 * vector,
                             32 * vector, 64 * vector, 256 * vector, 512 * vector,
                             tile,        2 * tile,    3 * tile,     17 * tile};
    layout l = layout_begin(name, 4 * most + empty, 5);
    for (size_t i = 0; i < most; i++) {
        add_segment(&l, around[i] - 1);
        add_segment(&l, around[i]);
        add_segment(&l, 0);
        add_segment(&l, around[i] + 1);
    }
    for (size_t i = 0; i < empty; i++)
        add_segment(&l, 0);
    return layout_end(l, 11);
}

static layout at_boundaries(size_t tile)
{
    return around_boundaries("around boundaries", tile, 12, 0);
}

/* Small calls, in which segments have blocks, or lanes. */
static layout at_boundaries_of_blocks(size_t tile)
{
    return around_boundaries("around boundaries of blocks", tile, 11, 0);
}

static layout at_boundaries_of_lanes(size_t tile)
{
    return around_boundaries("around boundaries of lanes", tile, 12, 8000);
}

/* Most are short, a few are most of all elements. */
static layout power_law(size_t tile)
{
    layout l = layout_begin("power law", 1500, 2);
    for (size_t i = 0; i < 1500; i++) {
        const size_t longest = 4 * tile;
        add_segment(&l, longest / (1 + random_bits(i) % (2 * longest)));
    }
    return layout_end(l, 1);
}

static layout a_long_one_among_short(size_t tile)
{
    layout l = layout_begin("a long one among short", 601, 0);
    for (size_t i = 0; i < 601; i++)
        add_segment(&l, i == 300 ? 40 * tile + 7 : 16);
    return layout_end(l, 0);
}

static layout just_over_a_tile(size_t tile)
{
    layout l = layout_begin("just over a tile", 70, 3);
    for (size_t i = 0; i < 70; i++)
        add_segment(&l, tile + i % 3);
    return layout_end(l, 1);
}

/* So long that their values are more than a lane takes, and a warp more than one round. */
static layout many_tiles(size_t tile)
{
    layout l = layout_begin("many tiles", 3, 0);
    add_segment(&l, 5);
    add_segment(&l, 90 * tile + 9);
    add_segment(&l, 18 * tile);
    return layout_end(l, 0);
}

static layout (*const layouts[])(size_t tile) = {no_segments,
                                                 empty_ones,
                                                 of_nothing,
                                                 single_elements,
                                                 all_in_one,
                                                 at_boundaries,
                                                 power_law,
                                                 a_long_one_among_short,
                                                 just_over_a_tile,
                                                 many_tiles,
                                                 at_boundaries_of_blocks,
                                                 at_boundaries_of_lanes};

/* ---- a call ---- */

typedef struct segments_case {
    prim_op op;
    prim_transform transform;
    type_pair types;
    const layout *l;
    bool wide;     /* offsets of 64 bits */
    size_t offset; /* elements by which d_in misses the 256-byte boundary */
    const char *h_in;
} segments_case;

static cudaDataType_t offsets_type(const segments_case *c)
{
    return c->wide ? CUDA_R_64I : CUDA_R_32I;
}

static size_t offsets_bytes(const segments_case *c)
{
    return (c->l->segments + 1) * type_bytes(offsets_type(c));
}

static void *make_offsets(const segments_case *c)
{
    void *h_offsets = malloc(offsets_bytes(c));
    for (size_t i = 0; i <= c->l->segments; i++)
        write_integer(offsets_type(c), h_offsets, i, (uint64_t)c->l->offsets[i]);
    return h_offsets;
}

static size_t out_bytes(const segments_case *c)
{
    return c->l->segments * type_bytes(c->types.out);
}

/* Windows that a call has: elements, and some more for each segment, over those of a tile. */
static size_t windows_of(const segments_case *c)
{
    const size_t bytes = type_bytes(c->types.in), tile = 16384 / bytes;
    const size_t keys = c->l->count + c->l->segments * (bytes == 1 ? 4 : bytes == 2 ? 2 : 1);
    return (keys + tile - 1) / tile;
}

/* As many windows as a call without them may have: six for each bit of the number of segments. */
static size_t most_without_windows(size_t segments)
{
    size_t most = 0;
    for (; segments > 0; segments /= 2)
        most += 6;
    return most;
}

static bool goes_by_lanes(const segments_case *c)
{
    return windows_of(c) <= most_without_windows(c->l->segments);
}

static void run_on_device(const segments_case *c, const void *h_offsets, void *h_out)
{
    const size_t in_bytes = type_bytes(c->types.in);
    size_t bytes;
    cr_prim(asked_bytes(prim_reduce_segments(PRIM_REDUCE_AUTO, c->op, c->transform, c->types.in,
                                             NULL, c->l->count,
                                             (prim_segments){NULL, c->l->segments, offsets_type(c)},
                                             c->types.out, NULL, asking()),
                        &bytes));
    if (c->l->segments > 0)
        cr_assert_str_eq(asked()->route, goes_by_lanes(c) ? "lanes" : "windows", "%s", c->l->name);
    guarded in = guarded_copy(c->h_in, c->l->count * in_bytes, c->offset * in_bytes);
    guarded offsets = guarded_copy(h_offsets, offsets_bytes(c), type_bytes(offsets_type(c)));
    guarded out = guarded_new(out_bytes(c), c->offset * type_bytes(c->types.out));
    guarded workspace = guarded_new(bytes, 0);
    cr_prim(prim_reduce_segments(c->offset % 2 == 0 ? PRIM_REDUCE_AUTO : PRIM_REDUCE_VECTORIZED,
                                 c->op, c->transform, c->types.in, in.data, c->l->count,
                                 (prim_segments){offsets.data, c->l->segments, offsets_type(c)},
                                 c->types.out, out.data,
                                 with(0, bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&out, h_out);
    guarded_free(&in);
    guarded_free(&offsets);
    guarded_free(&out);
    guarded_free(&workspace);
}

static void describe(const segments_case *c, size_t segment, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s(%s) %s → %s, %s, %d-bit offsets, at offset %zu, segment %zu of %zu",
             op_names[c->op], transform_names[c->transform], type_name(c->types.in),
             type_name(c->types.out), c->l->name, c->wide ? 64 : 32, c->offset, segment,
             c->l->segments);
}

/* What each segment gives alone, and whether that is right. */
static void reduce_each(const segments_case *c, char *h_out)
{
    for (size_t s = 0; s < c->l->segments; s++) {
        const char *const h_segment = c->h_in + (size_t)c->l->offsets[s] * type_bytes(c->types.in);
        const size_t length = (size_t)(c->l->offsets[s + 1] - c->l->offsets[s]);
        char *const h_result = h_out + s * type_bytes(c->types.out), text[200];
        cr_prim(prim_reduce_host(c->op, c->transform, c->types.in, h_segment, length, c->types.out,
                                 h_result, 1));
        const expected e = expect(c->op, c->transform, c->types, h_segment, length, 1);
        describe(c, s, text, sizeof text);
        cr_assert(right(&e, c->types, h_result), "%s: wrong, alone", text);
    }
}

static void check_same(const segments_case *c, const char *where, const char *h_out,
                       const char *h_each)
{
    const size_t bytes = type_bytes(c->types.out);
    char text[200];
    for (size_t s = 0; s < c->l->segments; s++) {
        if (memcmp(h_out + s * bytes, h_each + s * bytes, bytes) == 0)
            continue;
        describe(c, s, text, sizeof text);
        cr_assert_fail("%s: other bits %s than alone", text, where);
    }
}

static void check_on_host(const segments_case *c, const void *h_offsets, const char *h_each,
                          char *h_out)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        memset(h_out, 0xEE, out_bytes(c));
        cr_prim(
            prim_reduce_segments_host(c->op, c->transform, c->types.in, c->h_in, c->l->count,
                                      (prim_segments){h_offsets, c->l->segments, offsets_type(c)},
                                      c->types.out, h_out, threads));
        check_same(c, threads == 1 ? "on the host" : "from three threads", h_out, h_each);
    }
}

/* The same segments of an array so long, behind the last one, that they go by windows. */
static void check_with_windows(const segments_case *c, const void *h_offsets, const char *h_each,
                               char *h_out)
{
    const size_t bytes = type_bytes(c->types.in);
    layout l = *c->l;
    segments_case longer = *c;
    l.count += (most_without_windows(l.segments) + 1) * (16384 / bytes);
    char *h_in = calloc(l.count, bytes);
    memcpy(h_in, c->h_in, c->l->count * bytes);
    longer.l = &l;
    longer.h_in = h_in;
    memset(h_out, 0xEE, out_bytes(c));
    run_on_device(&longer, h_offsets, h_out);
    check_same(c, "with windows", h_out, h_each);
    free(h_in);
}

static void check_segments(const segments_case *c)
{
    void *h_offsets = make_offsets(c);
    char *h_each = malloc(out_bytes(c) + 1), *h_out = malloc(out_bytes(c) + 1);
    reduce_each(c, h_each);
    run_on_device(c, h_offsets, h_out);
    check_same(c, "on the device", h_out, h_each);
    if (c->l->segments > 0 && goes_by_lanes(c))
        check_with_windows(c, h_offsets, h_each, h_out);
    check_on_host(c, h_offsets, h_each, h_out);
    free(h_offsets);
    free(h_each);
    free(h_out);
}

/* ---- every pair of types ---- */

static void check_layout(type_pair types, size_t number, int op)
{
    const layout l = layouts[number](16384 / type_bytes(types.in));
    char *h_in = malloc(l.count * type_bytes(types.in) + 1);
    const size_t mixed = number + (size_t)op;
    fill_for((prim_op)op, types.in, h_in, l.count, (distribution)(mixed % DISTRIBUTION_COUNT),
             mixed);
    const segments_case c = {
        (prim_op)op, (prim_transform)(mixed % TRANSFORMS), types, &l, mixed % 2 == 0, mixed % 5,
        h_in};
    check_segments(&c);
    free(h_in);
    free(l.offsets);
}

ParameterizedTestParameters(reduce_segments, every_type)
{
    return cr_make_param_array(const type_pair, (type_pair *)type_pairs, PAIRS);
}

ParameterizedTest(const type_pair *types, reduce_segments, every_type)
{
    const int step = get_test_level() == LEVEL_QUICK ? 2 : 1;
    for (size_t number = 0; number < COUNT_OF(layouts); number++)
        for (int op = (int)number % step; op < OPS; op += step)
            if (has_op(types->in, (prim_op)op))
                check_layout(*types, number, op);
}

/* Where an element lies decides who takes it: each place of d_in past 16 bytes. */
Test(reduce_segments, wherever_they_begin)
{
    static const type_pair types[] = {{CUDA_R_8U, CUDA_R_64U}, {CUDA_R_32F, CUDA_R_32F}};
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t offset = 0; offset < 16 / type_bytes(types[t].in); offset++) {
            const layout l = at_boundaries(1024 * (1 + offset % 4));
            char *h_in = malloc(l.count * type_bytes(types[t].in));
            fill(types[t].in, h_in, l.count, UNIFORM, offset);
            const segments_case c = {
                PRIM_OP_SUM, PRIM_TRANSFORM_NONE, types[t], &l, offset % 2 == 0, offset, h_in};
            check_segments(&c);
            free(h_in);
            free(l.offsets);
        }
}

/* So many segments that each has one lane, two, four or eight; some have more than these take. */
Test(reduce_segments, few_lanes)
{
    static const type_pair types[] = {
        {CUDA_R_8U, CUDA_R_64U}, {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F}};
    static const size_t segments[] = {70001, 40000, 20000, 9001};
    for (size_t i = 0; i < COUNT_OF(types) * COUNT_OF(segments); i++) {
        const type_pair *const t = &types[i % COUNT_OF(types)];
        const size_t count = segments[i / COUNT_OF(types)], vector = 16 / type_bytes(t->in);
        const size_t long_ones[] = {8 * vector + 1, 33 * vector, 256 * vector, 257 * vector,
                                    1030 * vector};
        layout l = layout_begin("few lanes", count, 3);
        for (size_t s = 0; s < count; s++)
            add_segment(&l, s % 1800 == 7 ? long_ones[s / 1800 % 5] : s % 3);
        l = layout_end(l, 2);
        char *h_in = malloc(l.count * type_bytes(t->in));
        fill(t->in, h_in, l.count, UNIFORM, i);
        const segments_case c = {PRIM_OP_SUM, PRIM_TRANSFORM_NONE, *t, &l, i % 2 == 0, i % 3, h_in};
        cr_assert(goes_by_lanes(&c), "%zu windows", windows_of(&c));
        check_segments(&c);
        free(h_in);
        free(l.offsets);
    }
}

static void check_one_of(type_pair types, size_t short_ones, size_t long_ones)
{
    layout l = layout_begin("longest", 2 * short_ones + 1, 1);
    for (size_t i = 0; i < 2 * short_ones + 1; i++)
        add_segment(&l, i == short_ones ? long_ones : i % 40);
    l = layout_end(l, 1);
    char *h_in = malloc(l.count * type_bytes(types.in));
    fill(types.in, h_in, l.count, UNIFORM, 3);
    const segments_case c = {PRIM_OP_SUM, PRIM_TRANSFORM_NONE, types, &l, false, 1, h_in};
    check_segments(&c);
    free(h_in);
    free(l.offsets);
}

/* As many tiles as a tile has values, and more, which takes fewest elements of f64. */
Test(reduce_segments, values_of_values)
{
    check_one_of((type_pair){CUDA_R_64F, CUDA_R_64F}, 0, 1 << 22);
    check_one_of((type_pair){CUDA_R_64F, CUDA_R_64F}, 1, (1 << 22) - 2047);
    check_one_of((type_pair){CUDA_R_64F, CUDA_R_64F}, 300, (1 << 22) + 4099);
    check_one_of((type_pair){CUDA_R_64F, CUDA_R_64F}, 700, 3 << 22);
    check_one_of((type_pair){CUDA_R_64F, CUDA_R_64F}, 0, 1 << 23);
}

/* ---- offsets that no caller should pass ---- */

/* Results are arbitrary, but nothing outside the operands is touched: guards, or
 * AddressSanitizer, see it. */
static void run_wild(int64_t *offsets, size_t segments, size_t count, bool wide)
{
    const layout l = {"wild", count, segments, offsets};
    float *h_in = calloc(count, sizeof *h_in), *h_out = malloc((segments + 1) * sizeof *h_out);
    const segments_case c = {PRIM_OP_SUM,  PRIM_TRANSFORM_NONE, {CUDA_R_32F, CUDA_R_32F}, &l, wide,
                             wide ? 1 : 0, (char *)h_in};
    void *h_offsets = make_offsets(&c);
    run_on_device(&c, h_offsets, h_out);
    cr_prim(prim_reduce_segments_host(c.op, c.transform, CUDA_R_32F, h_in, count,
                                      (prim_segments){h_offsets, segments, offsets_type(&c)},
                                      CUDA_R_32F, h_out, 2));
    free(h_offsets);
    free(h_in);
    free(h_out);
}

static void run_wild_ones(size_t count)
{
    enum { SEGMENTS = 3000 };
    static int64_t offsets[SEGMENTS + 1];
    const int64_t end = (int64_t)count;
    for (int kind = 0; kind < 6; kind++) {
        for (size_t i = 0; i <= SEGMENTS; i++) {
            const int64_t random = (int64_t)(random_bits(i + (size_t)kind) % (4 * count));
            const int64_t kinds[] = {random,
                                     random - 2 * end,
                                     end - (int64_t)(i * count / SEGMENTS),
                                     i % 2 == 0 ? 0 : end,
                                     kind == 4 ? -1 - (int64_t)i : 0,
                                     i < SEGMENTS / 2 ? (int64_t)(i * 60) : (int64_t)i};
            offsets[i] = kinds[kind];
        }
        run_wild(offsets, SEGMENTS, count, kind % 2 == 0);
        run_wild(offsets, SEGMENTS, count, kind % 2 == 1);
        run_wild(offsets, 900, count, kind % 2 == 0);
    }
    for (size_t i = 0; i <= SEGMENTS; i++)
        offsets[i] = i % 2 == 0 ? INT64_MIN : INT64_MAX;
    run_wild(offsets, SEGMENTS, count, true);
}

/* By lanes, and by windows. */
Test(reduce_segments, wild_offsets_stay_inside)
{
    run_wild_ones(100000);
    run_wild_ones(400000);
}

/* ---- arguments ---- */

Test(reduce_segments, empty_operands_may_be_null)
{
    float out = 7;
    const int32_t h_offsets[2] = {0, 0};
    guarded offsets = guarded_copy(h_offsets, sizeof h_offsets, 0);
    guarded d_out = guarded_new(sizeof out, 0);
    cr_prim(prim_reduce_segments(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                 NULL, 0, (prim_segments){offsets.data, 1, CUDA_R_32I}, CUDA_R_32F,
                                 d_out.data, NULL));
    guarded_read(&d_out, &out);
    cr_assert_eq(out, 0);
    cr_prim(prim_reduce_segments(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F,
                                 NULL, 0, (prim_segments){NULL, 0, CUDA_R_64I}, CUDA_R_32F, NULL,
                                 NULL));
    cr_prim(prim_reduce_segments_host(PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32F, NULL, 0,
                                      (prim_segments){NULL, 0, CUDA_R_64I}, CUDA_R_32F, NULL, 2));
    guarded_free(&offsets);
    guarded_free(&d_out);
}

Test(reduce_segments, no_more_workspace_than_the_header_says)
{
    static const size_t counts[] = {0, 1, 4096, 4097, (size_t)1 << 28, ((size_t)1 << 36) + 1};
    static const size_t segments[] = {1, 255, 4096, (size_t)1 << 24};
    for (size_t p = 0; p < PAIRS; p++)
        for (size_t c = 0; c < COUNT_OF(counts); c++)
            for (size_t s = 0; s < COUNT_OF(segments); s++) {
                const size_t in_bytes = type_bytes(type_pairs[p].in);
                const size_t each = in_bytes == 8 ? 2048 : 4096;
                size_t bytes;
                cr_prim(asked_bytes(
                    prim_reduce_segments(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                         type_pairs[p].in, NULL, counts[c],
                                         (prim_segments){NULL, segments[s], CUDA_R_32I},
                                         type_pairs[p].out, NULL, asking()),
                    &bytes));
                cr_assert_leq(bytes, 32 * (counts[c] * in_bytes / 16384 + segments[s] / each) + 64);
            }
}
