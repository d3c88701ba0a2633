/* scan among the entry points. */
#include <stdint.h>

#include <primitives/scan.h>

#include "entry_points.h"

static const char *scan_variant_name(int variant)
{
    return prim_scan_variant_name((prim_scan_variant)variant);
}

static void fill_integers(void *h_in, unsigned count, unsigned seed)
{
    for (unsigned i = 0; i < count; i++)
        ((int32_t *)h_in)[i] = (int32_t)((i * 2654435761u + seed * 97u) >> 7);
}

/* ---- scan: exclusive, from an initial value that is gone when the call returns. The total stands
 * behind the results. More than CLUSTER takes, so that AUTO needs a workspace. ---- */

enum { SCAN_COUNT = 70001, SCAN_INITIAL = -12345 };

static bool scan_takes(prim_scan_variant variant)
{
    return prim_scan_supports(variant, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                              CUDA_R_32I, SCAN_COUNT, CUDA_R_32I);
}

VARIANTS_THAT_TAKE(scan, scan)

static void scan_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, SCAN_COUNT, seed);
}

static void scan_answer(const void *h_in, size_t count, void *h_out)
{
    uint32_t sum = (uint32_t)SCAN_INITIAL;
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)h_out)[i] = sum;
        sum += (uint32_t)((const int32_t *)h_in)[i];
    }
    ((uint32_t *)h_out)[SCAN_COUNT] = sum;
}

static prim_status scan_workspace(int variant, size_t count, size_t *bytes)
{
    return prim_scan_workspace_bytes((prim_scan_variant)variant, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM,
                                     PRIM_TRANSFORM_NONE, CUDA_R_32I, count, CUDA_R_32I, bytes);
}

static prim_status scan_call(const operands *o)
{
    volatile int32_t initial = SCAN_INITIAL; /* volatile: the value below is written, too */
    const prim_status status = prim_scan(
        (prim_scan_variant)o->variant, PRIM_SCAN_EXCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
        (const void *)&initial, CUDA_R_32I, o->d_in, o->count, CUDA_R_32I, o->d_out,
        (int32_t *)o->d_out + SCAN_COUNT, o->d_workspace, o->workspace_bytes, o->stream);
    initial = 77;
    return status;
}

#define BAD_SCAN(name, variant, kind, op, transform, h_initial, in_type, d_in_, count, out_type,   \
                 d_out_, total, d_workspace_, bytes_)                                              \
    static prim_status scan_##name(const operands *o)                                              \
    {                                                                                              \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace;         \
        const size_t bytes = o->workspace_bytes;                                                   \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                          \
        return prim_scan((prim_scan_variant)(variant), (prim_scan_kind)(kind), (prim_op)(op),      \
                         (prim_transform)(transform), h_initial, (cudaDataType_t)(in_type), d_in_, \
                         count, (cudaDataType_t)(out_type), d_out_, total, d_workspace_, bytes_,   \
                         o->stream);                                                               \
    }

#define V o->variant
#define I CUDA_R_32I
static const int32_t two_words[2];
BAD_SCAN(no_variant, 9999, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(negative_variant, -1, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(no_kind, V, 2, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(negative_kind, V, -1, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(no_op, V, 0, 9999, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(no_transform, V, 0, 0, 9999, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(no_type, V, 0, 0, 0, NULL, 9999, d_in, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(narrower, V, 0, 0, 0, NULL, CUDA_R_64F, d_in, o->count / 2, CUDA_R_32F, d_out, NULL, d_ws,
         bytes)
BAD_SCAN(wider_out, V, 0, 0, 0, NULL, I, d_in, o->count / 2, CUDA_R_64F, d_out, NULL, d_ws, bytes)
BAD_SCAN(null_in, V, 0, 0, 0, NULL, I, NULL, o->count, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(null_out, V, 0, 0, 0, NULL, I, d_in, o->count, I, NULL, NULL, d_ws, bytes)
BAD_SCAN(null_space, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, NULL, bytes)
BAD_SCAN(odd_in, V, 0, 0, 0, NULL, I, d_in + 2, o->count - 1, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(odd_out, V, 0, 0, 0, NULL, I, d_in, o->count - 1, I, d_out + 1, NULL, d_ws, bytes)
BAD_SCAN(odd_initial, V, 0, 0, 0, (const char *)two_words + 2, I, d_in, o->count, I, d_out, NULL,
         d_ws, bytes)
BAD_SCAN(odd_space, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws + 128, bytes)
BAD_SCAN(too_many, V, 0, 0, 0, NULL, I, d_in, SIZE_MAX / 4 + 1, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(beyond_memory, V, 0, 0, 0, NULL, I, d_in, SIZE_MAX / 4, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(out_in_in, V, 0, 0, 0, NULL, I, d_in, o->count - 1, I, d_in + 4, NULL, d_ws, bytes)
BAD_SCAN(in_in_out, V, 0, 0, 0, NULL, I, d_out + 4, o->count - 1, I, d_out, NULL, d_ws, bytes)
BAD_SCAN(space_in_in, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_in + 256, bytes)
BAD_SCAN(space_in_out, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_out + 256, bytes)
BAD_SCAN(short_space, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, NULL, d_ws, bytes - 1)
BAD_SCAN(wide_in_place, V, 0, 0, 0, NULL, I, d_in, o->count / 2, CUDA_R_64I, d_in, NULL, d_ws,
         bytes)
BAD_SCAN(odd_total, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, d_ws + 2, d_ws, bytes)
BAD_SCAN(total_in_in, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, d_in + 400, d_ws, bytes)
BAD_SCAN(total_in_out, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, d_out + 4, d_ws, bytes)
BAD_SCAN(total_in_space, V, 0, 0, 0, NULL, I, d_in, o->count, I, d_out, d_ws, d_ws, bytes)
#undef V
#undef I

static prim_status scan_null_bytes(const operands *o)
{
    return scan_workspace(o->variant, o->count, NULL);
}

static const bad_argument scan_bad[] = {
    {"unknown variant", scan_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"negative variant", scan_negative_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown kind", scan_no_kind, PRIM_ERROR_ENUM, "kind"},
    {"negative kind", scan_negative_kind, PRIM_ERROR_ENUM, "kind"},
    {"unknown op", scan_no_op, PRIM_ERROR_ENUM, "op"},
    {"unknown transform", scan_no_transform, PRIM_ERROR_ENUM, "transform"},
    {"unknown type", scan_no_type, PRIM_ERROR_TYPE, "in_type"},
    {"f64 into f32", scan_narrower, PRIM_ERROR_TYPE, "f64"},
    {"i32 into f64", scan_wider_out, PRIM_ERROR_TYPE, "f64"},
    {"d_in NULL", scan_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", scan_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", scan_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", scan_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"d_in misaligned", scan_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_out misaligned", scan_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"h_initial misaligned", scan_odd_initial, PRIM_ERROR_MISALIGNED, "h_initial"},
    {"d_workspace misaligned", scan_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"bytes beyond size_t", scan_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"end beyond memory", scan_beyond_memory, PRIM_ERROR_SIZE, "d_in"},
    {"d_out one behind d_in", scan_out_in_in, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_in one behind d_out", scan_in_in_out, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_workspace in d_in", scan_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_out", scan_space_in_out, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_in as d_out of a wider type", scan_wide_in_place, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_total misaligned", scan_odd_total, PRIM_ERROR_MISALIGNED, "d_total"},
    {"d_total in d_in", scan_total_in_in, PRIM_ERROR_OVERLAP, "d_total"},
    {"d_total in d_out", scan_total_in_out, PRIM_ERROR_OVERLAP, "d_total"},
    {"d_total in d_workspace", scan_total_in_space, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"workspace one byte short", scan_short_space, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
};

/* ---- the same of matrices with gaps in the input, rows of two tiles ---- */

enum { ROWS = 3, COLUMNS = 8300, LD = 8303, IN_SPAN = (ROWS - 1) * LD + COLUMNS };

static bool rows_takes(prim_scan_variant variant)
{
    return prim_scan_rows_supports(variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                   CUDA_R_32I, ROWS, COLUMNS, CUDA_R_32I);
}

VARIANTS_THAT_TAKE(scan, rows)

static void matrix_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, IN_SPAN, seed);
}

static void rows_answer(const void *h_in, size_t columns, void *h_out)
{
    for (size_t row = 0; row < ROWS; row++) {
        uint32_t sum = (uint32_t)SCAN_INITIAL;
        for (size_t i = 0; i < columns; i++) {
            sum += (uint32_t)((const int32_t *)h_in)[row * LD + i];
            ((uint32_t *)h_out)[row * COLUMNS + i] = sum;
        }
    }
}

static prim_status rows_workspace(int variant, size_t columns, size_t *bytes)
{
    return prim_scan_rows_workspace_bytes((prim_scan_variant)variant, PRIM_SCAN_INCLUSIVE,
                                          PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, ROWS,
                                          columns, CUDA_R_32I, bytes);
}

static prim_status rows_call(const operands *o)
{
    volatile int32_t initial = SCAN_INITIAL;
    const prim_status status = prim_scan_rows(
        (prim_scan_variant)o->variant, PRIM_SCAN_INCLUSIVE, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
        (const void *)&initial, CUDA_R_32I, o->d_in, ROWS, o->count, LD, CUDA_R_32I, o->d_out,
        COLUMNS, o->d_workspace, o->workspace_bytes, o->stream);
    initial = 77;
    return status;
}

#define BAD_ROWS(name, variant, kind, h_initial, in_type, d_in_, rows, in_ld, d_out_, out_ld,    \
                 d_workspace_, bytes_)                                                           \
    static prim_status rows_##name(const operands *o)                                            \
    {                                                                                            \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace;       \
        const size_t bytes = o->workspace_bytes;                                                 \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                        \
        return prim_scan_rows((prim_scan_variant)(variant), (prim_scan_kind)(kind), PRIM_OP_SUM, \
                              PRIM_TRANSFORM_NONE, h_initial, (cudaDataType_t)(in_type), d_in_,  \
                              rows, COLUMNS, in_ld, CUDA_R_32I, d_out_, out_ld, d_workspace_,    \
                              bytes_, o->stream);                                                \
    }

#define V o->variant
#define I CUDA_R_32I
#define C COLUMNS
BAD_ROWS(no_variant, 9999, 0, NULL, I, d_in, ROWS, LD, d_out, C, d_ws, bytes)
BAD_ROWS(no_kind, V, 2, NULL, I, d_in, ROWS, LD, d_out, C, d_ws, bytes)
BAD_ROWS(other_type, V, 0, NULL, CUDA_R_32F, d_in, ROWS, LD, d_out, C, d_ws, bytes)
BAD_ROWS(null_in, V, 0, NULL, I, NULL, ROWS, LD, d_out, C, d_ws, bytes)
BAD_ROWS(null_out, V, 0, NULL, I, d_in, ROWS, LD, NULL, C, d_ws, bytes)
BAD_ROWS(null_space, V, 0, NULL, I, d_in, ROWS, LD, d_out, C, NULL, bytes)
BAD_ROWS(small_in_ld, V, 0, NULL, I, d_in, ROWS, C - 1, d_out, C, d_ws, bytes)
BAD_ROWS(small_out_ld, V, 0, NULL, I, d_in, ROWS, LD, d_out, C - 1, d_ws, bytes)
BAD_ROWS(too_many, V, 0, NULL, I, d_in, SIZE_MAX / 8, LD, d_out, C, d_ws, bytes)
BAD_ROWS(in_far_apart, V, 0, NULL, I, d_in, ROWS, SIZE_MAX / 8, d_out, C, d_ws, bytes)
BAD_ROWS(out_far_apart, V, 0, NULL, I, d_in, ROWS, LD, d_out, SIZE_MAX / 8, d_ws, bytes)
BAD_ROWS(odd_in, V, 0, NULL, I, d_in + 1, ROWS - 1, LD, d_out, C, d_ws, bytes)
BAD_ROWS(odd_out, V, 0, NULL, I, d_in, ROWS - 1, LD, d_out + 2, C, d_ws, bytes)
BAD_ROWS(odd_initial, V, 0, (const char *)two_words + 1, I, d_in, ROWS, LD, d_out, C, d_ws, bytes)
BAD_ROWS(odd_space, V, 0, NULL, I, d_in, ROWS, LD, d_out, C, d_ws + 128, bytes)
BAD_ROWS(out_one_behind, V, 0, NULL, I, d_in, ROWS - 1, LD, d_in + 4, LD, d_ws, bytes)
BAD_ROWS(out_denser, V, 0, NULL, I, d_in, ROWS, LD, d_in, C, d_ws, bytes)
BAD_ROWS(space_in_in, V, 0, NULL, I, d_in, ROWS, LD, d_out, C, d_in + 256, bytes)
BAD_ROWS(space_in_out, V, 0, NULL, I, d_in, ROWS, LD, d_out, C, d_out + 256, bytes)
BAD_ROWS(short_space, V, 0, NULL, I, d_in, ROWS, LD, d_out, C, d_ws, bytes - 1)
#undef C

static prim_status rows_null_bytes(const operands *o)
{
    return rows_workspace(o->variant, o->count, NULL);
}

static const bad_argument rows_bad[] = {
    {"unknown variant", rows_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown kind", rows_no_kind, PRIM_ERROR_ENUM, "kind"},
    {"f32 into i32", rows_other_type, PRIM_ERROR_TYPE, "f32"},
    {"d_in NULL", rows_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", rows_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", rows_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", rows_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"in_ld less than columns", rows_small_in_ld, PRIM_ERROR_VALUE, "d_in"},
    {"out_ld less than columns", rows_small_out_ld, PRIM_ERROR_VALUE, "d_out"},
    {"bytes beyond size_t", rows_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"in_ld beyond size_t", rows_in_far_apart, PRIM_ERROR_SIZE, "d_in"},
    {"out_ld beyond size_t", rows_out_far_apart, PRIM_ERROR_SIZE, "d_out"},
    {"d_in misaligned", rows_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_out misaligned", rows_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"h_initial misaligned", rows_odd_initial, PRIM_ERROR_MISALIGNED, "h_initial"},
    {"d_workspace misaligned", rows_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"d_out one behind d_in", rows_out_one_behind, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_in as d_out with another ld", rows_out_denser, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_workspace in d_in", rows_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_out", rows_space_in_out, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"workspace one byte short", rows_short_space, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
};

/* ---- both directions: several tiles in each ---- */

enum { DOWN = 70, ACROSS = 2100, PITCH = 2103, BOTH_SPAN = (DOWN - 1) * PITCH + ACROSS };

static bool both_takes(prim_scan_variant variant)
{
    return prim_scan_2d_supports(variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, DOWN,
                                 ACROSS, CUDA_R_32I);
}

VARIANTS_THAT_TAKE(scan, both)

static void both_input(void *h_in, unsigned seed)
{
    fill_integers(h_in, BOTH_SPAN, seed);
}

static void both_answer(const void *h_in, size_t columns, void *h_out)
{
    uint32_t *out = h_out;
    for (size_t row = 0; row < DOWN; row++) {
        uint32_t sum = 0;
        for (size_t i = 0; i < columns; i++) {
            sum += (uint32_t)((const int32_t *)h_in)[row * PITCH + i];
            out[row * ACROSS + i] = sum + (row > 0 ? out[(row - 1) * ACROSS + i] : 0);
        }
    }
}

static prim_status both_workspace(int variant, size_t columns, size_t *bytes)
{
    return prim_scan_2d_workspace_bytes((prim_scan_variant)variant, PRIM_OP_SUM,
                                        PRIM_TRANSFORM_NONE, CUDA_R_32I, DOWN, columns, CUDA_R_32I,
                                        bytes);
}

static prim_status both_call(const operands *o)
{
    return prim_scan_2d((prim_scan_variant)o->variant, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I,
                        o->d_in, DOWN, o->count, PITCH, CUDA_R_32I, o->d_out, ACROSS,
                        o->d_workspace, o->workspace_bytes, o->stream);
}

#define BAD_BOTH(name, variant, op, transform, out_type, d_in_, rows, in_ld, d_out_, out_ld,     \
                 d_workspace_, bytes_)                                                           \
    static prim_status both_##name(const operands *o)                                            \
    {                                                                                            \
        char *const d_in = o->d_in, *const d_out = o->d_out, *const d_ws = o->d_workspace;       \
        const size_t bytes = o->workspace_bytes;                                                 \
        (void)d_in, (void)d_out, (void)d_ws, (void)bytes;                                        \
        return prim_scan_2d((prim_scan_variant)(variant), (prim_op)(op),                         \
                            (prim_transform)(transform), CUDA_R_32I, d_in_, rows, ACROSS, in_ld, \
                            (cudaDataType_t)(out_type), d_out_, out_ld, d_workspace_, bytes_,    \
                            o->stream);                                                          \
    }

#define C ACROSS
BAD_BOTH(no_variant, 9999, 0, 0, I, d_in, DOWN, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(no_op, V, 9999, 0, I, d_in, DOWN, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(no_transform, V, 0, 9999, I, d_in, DOWN, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(other_type, V, 0, 0, CUDA_R_32F, d_in, DOWN, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(null_in, V, 0, 0, I, NULL, DOWN, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(null_out, V, 0, 0, I, d_in, DOWN, PITCH, NULL, C, d_ws, bytes)
BAD_BOTH(null_space, V, 0, 0, I, d_in, DOWN, PITCH, d_out, C, NULL, bytes)
BAD_BOTH(small_in_ld, V, 0, 0, I, d_in, DOWN, C - 1, d_out, C, d_ws, bytes)
BAD_BOTH(small_out_ld, V, 0, 0, I, d_in, DOWN, PITCH, d_out, C - 1, d_ws, bytes)
BAD_BOTH(too_many, V, 0, 0, I, d_in, SIZE_MAX / 8, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(out_far_apart, V, 0, 0, I, d_in, DOWN, PITCH, d_out, SIZE_MAX / 8, d_ws, bytes)
BAD_BOTH(odd_in, V, 0, 0, I, d_in + 1, DOWN - 1, PITCH, d_out, C, d_ws, bytes)
BAD_BOTH(odd_out, V, 0, 0, I, d_in, DOWN - 1, PITCH, d_out + 2, C, d_ws, bytes)
BAD_BOTH(odd_space, V, 0, 0, I, d_in, DOWN, PITCH, d_out, C, d_ws + 128, bytes)
BAD_BOTH(out_a_row_behind, V, 0, 0, I, d_in, DOWN - 1, PITCH, d_in + 4 * PITCH, PITCH, d_ws, bytes)
BAD_BOTH(space_in_in, V, 0, 0, I, d_in, DOWN, PITCH, d_out, C, d_in + 256, bytes)
BAD_BOTH(space_in_out, V, 0, 0, I, d_in, DOWN, PITCH, d_out, C, d_out + 256, bytes)
BAD_BOTH(short_space, V, 0, 0, I, d_in, DOWN, PITCH, d_out, C, d_ws, bytes - 1)
#undef V
#undef I
#undef C

static prim_status both_null_bytes(const operands *o)
{
    return both_workspace(o->variant, o->count, NULL);
}

static const bad_argument both_bad[] = {
    {"unknown variant", both_no_variant, PRIM_ERROR_ENUM, "variant"},
    {"unknown op", both_no_op, PRIM_ERROR_ENUM, "op"},
    {"unknown transform", both_no_transform, PRIM_ERROR_ENUM, "transform"},
    {"i32 into f32", both_other_type, PRIM_ERROR_TYPE, "f32"},
    {"d_in NULL", both_null_in, PRIM_ERROR_NULL, "d_in"},
    {"d_out NULL", both_null_out, PRIM_ERROR_NULL, "d_out"},
    {"d_workspace NULL with bytes", both_null_space, PRIM_ERROR_NULL, "d_workspace"},
    {"bytes NULL", both_null_bytes, PRIM_ERROR_NULL, "bytes"},
    {"in_ld less than columns", both_small_in_ld, PRIM_ERROR_VALUE, "d_in"},
    {"out_ld less than columns", both_small_out_ld, PRIM_ERROR_VALUE, "d_out"},
    {"bytes beyond size_t", both_too_many, PRIM_ERROR_SIZE, "d_in"},
    {"out_ld beyond size_t", both_out_far_apart, PRIM_ERROR_SIZE, "d_out"},
    {"d_in misaligned", both_odd_in, PRIM_ERROR_MISALIGNED, "d_in"},
    {"d_out misaligned", both_odd_out, PRIM_ERROR_MISALIGNED, "d_out"},
    {"d_workspace misaligned", both_odd_space, PRIM_ERROR_MISALIGNED, "d_workspace"},
    {"d_out a row behind d_in", both_out_a_row_behind, PRIM_ERROR_OVERLAP, "d_out"},
    {"d_workspace in d_in", both_space_in_in, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"d_workspace in d_out", both_space_in_out, PRIM_ERROR_OVERLAP, "d_workspace"},
    {"workspace one byte short", both_short_space, PRIM_ERROR_WORKSPACE, "workspace_bytes"},
};

const entry_point scan_entry = {.name = "prim_scan",
                                .variant_count = scan_variant_count,
                                .variant_at = scan_variant_at,
                                .variant_name = scan_variant_name,
                                .in_bytes = SCAN_COUNT * sizeof(int32_t),
                                .out_bytes = (SCAN_COUNT + 1) * sizeof(int32_t),
                                .count = SCAN_COUNT,
                                .make_input = scan_input,
                                .right_answer = scan_answer,
                                .workspace_bytes = scan_workspace,
                                .call = scan_call,
                                .bad = scan_bad,
                                .bad_count = sizeof scan_bad / sizeof *scan_bad};

const entry_point scan_rows_entry = {.name = "prim_scan_rows",
                                     .variant_count = rows_variant_count,
                                     .variant_at = rows_variant_at,
                                     .variant_name = scan_variant_name,
                                     .in_bytes = IN_SPAN * sizeof(int32_t),
                                     .out_bytes = ROWS * COLUMNS * sizeof(int32_t),
                                     .count = COLUMNS,
                                     .make_input = matrix_input,
                                     .right_answer = rows_answer,
                                     .workspace_bytes = rows_workspace,
                                     .call = rows_call,
                                     .bad = rows_bad,
                                     .bad_count = sizeof rows_bad / sizeof *rows_bad};

const entry_point scan_2d_entry = {.name = "prim_scan_2d",
                                   .variant_count = both_variant_count,
                                   .variant_at = both_variant_at,
                                   .variant_name = scan_variant_name,
                                   .in_bytes = BOTH_SPAN * sizeof(int32_t),
                                   .out_bytes = DOWN * ACROSS * sizeof(int32_t),
                                   .count = ACROSS,
                                   .make_input = both_input,
                                   .right_answer = both_answer,
                                   .workspace_bytes = both_workspace,
                                   .call = both_call,
                                   .bad = both_bad,
                                   .bad_count = sizeof both_bad / sizeof *both_bad};
