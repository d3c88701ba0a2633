/* Prints a line with a hash of the output for each call, variant, types, operator and shape: where
 * a change is to change no result, what this prints before and after it is the same. Backends and
 * devices differ. Arguments are what the names of those calls begin with that are to run. */
#include <primitives/primitives.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "stored.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* ---- types ---- */

typedef struct type_row {
    cudaDataType_t type;
    const char *name;
    size_t bytes;
    int fraction_bits, exponent_of_1; /* floats */
} type_row;

static const type_row types[] = {
    {CUDA_R_8I, "i8", 1, 0, 0},      {CUDA_R_8U, "u8", 1, 0, 0},
    {CUDA_R_16I, "i16", 2, 0, 0},    {CUDA_R_16U, "u16", 2, 0, 0},
    {CUDA_R_32I, "i32", 4, 0, 0},    {CUDA_R_32U, "u32", 4, 0, 0},
    {CUDA_R_64I, "i64", 8, 0, 0},    {CUDA_R_64U, "u64", 8, 0, 0},
    {CUDA_R_16F, "f16", 2, 10, 15},  {CUDA_R_16BF, "bf16", 2, 7, 127},
    {CUDA_R_32F, "f32", 4, 23, 127}, {CUDA_R_64F, "f64", 8, 52, 1023},
};
enum { TYPES = COUNT_OF(types) };

static const type_row *row_of(cudaDataType_t type)
{
    const type_row *row = types;
    while (row->type != type)
        row++;
    return row;
}

static const char *const op_names[] = {"sum", "min", "max", "product", "and", "or", "xor"};
static const char *const transform_names[] = {"", "-square", "-abs"};

/* ---- memory: inputs and one output, on the device (no threads) or the host ---- */

enum { INPUT_COUNT = 170000, SECOND = 75000, SPECIAL = 145000, OUTPUT_BYTES = 1 << 23 };

static void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fflush(stdout);
    fprintf(stderr, "hashes: %s\n", cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

/* For calls that prepare others. */
static void check_prim(prim_status status)
{
    if (status == PRIM_OK)
        return;
    fflush(stdout);
    fprintf(stderr, "hashes: %s\n", prim_last_error(NULL));
    exit(EXIT_FAILURE);
}

static void *allocate(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (memory == NULL)
        check(cudaErrorMemoryAllocation);
    return memory;
}

static uint64_t random_bits(uint64_t i) /* splitmix64 */
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* The bits of an element: any integer; a float of magnitude 1/2 to 2, so that long products stay
 * in range; from SPECIAL on zeros, infinities and NaN among them. */
static uint64_t element(const type_row *t, size_t i)
{
    const uint64_t bits = random_bits(i * TYPES + (uint64_t)(t - types));
    if (t->fraction_bits == 0)
        return bits;
    const int sign_at = 8 * (int)t->bytes - 1;
    const uint64_t sign = bits >> 63 << sign_at, one = (uint64_t)1 << t->fraction_bits,
                   top = ((uint64_t)1 << sign_at) - one;
    if (i >= SPECIAL && bits % 16 < 3)
        return sign | (bits % 16 == 0 ? 0 : bits % 16 == 1 ? top : top + one / 2);
    return sign | ((uint64_t)t->exponent_of_1 - (bits >> 56) % 9 / 4 % 2) << t->fraction_bits |
           (bits & (one - 1));
}

/* Element `first` of the input of that type. */
static const void *in(int threads, cudaDataType_t type, size_t first)
{
    static char *inputs[2][TYPES];
    const type_row *t = row_of(type);
    char **const h = &inputs[0][t - types], **const d = &inputs[1][t - types];
    if (*h == NULL) {
        *h = allocate(INPUT_COUNT * t->bytes);
        for (size_t i = 0; i < INPUT_COUNT; i++) {
            const uint64_t bits = element(t, i);
            memcpy(*h + i * t->bytes, &bits, t->bytes);
        }
        check(cudaMalloc((void **)d, INPUT_COUNT * t->bytes));
        check(cudaMemcpy(*d, *h, INPUT_COUNT * t->bytes, cudaMemcpyHostToDevice));
    }
    return (threads > 0 ? *h : *d) + first * t->bytes;
}

static struct {
    char *h, *d;
    size_t bytes;
    int threads;
    cudaDataType_t nans; /* f32 or f64: which NaN a result is, is not promised, and left out */
} output;

/* So many bytes for results, with a pattern in them. */
static void *out(int threads, size_t bytes)
{
    if (output.h == NULL) {
        output.h = allocate(OUTPUT_BYTES);
        check(cudaMalloc((void **)&output.d, OUTPUT_BYTES));
    }
    if (bytes > OUTPUT_BYTES)
        check(cudaErrorMemoryAllocation);
    output.bytes = bytes;
    output.threads = threads;
    output.nans = CUDA_R_8U;
    memset(output.h, 0xA5, bytes);
    check(cudaMemset(output.d, 0xA5, bytes));
    return threads > 0 ? output.h : output.d;
}

/* The same with input in it: for calls that read what they write. */
static void *in_out(int threads, cudaDataType_t type, size_t count)
{
    const size_t bytes = count * row_of(type)->bytes;
    void *const data = out(threads, bytes);
    check(cudaMemcpy(data, in(threads, type, SECOND + 7), bytes, cudaMemcpyDefault));
    return data;
}

/* ---- lines ---- */

static uint64_t hash(const unsigned char *data, size_t bytes) /* FNV-1a */
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ data[i]) * 0x100000001b3u;
    return h;
}

/* Sets all bits of each NaN of the output. */
static void forget_nans(void)
{
    for (size_t i = 0; output.nans == CUDA_R_32F && i < output.bytes / sizeof(float); i++)
        if (((float *)output.h)[i] != ((float *)output.h)[i])
            memset((float *)output.h + i, 0xff, sizeof(float));
    for (size_t i = 0; output.nans == CUDA_R_64F && i < output.bytes / sizeof(double); i++)
        if (((double *)output.h)[i] != ((double *)output.h)[i])
            memset((double *)output.h + i, 0xff, sizeof(double));
}

/* The line of a call that wrote to the output. */
__attribute__((format(printf, 2, 3))) static void line(prim_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    if (status != PRIM_OK) {
        printf(" status %s\n", prim_status_string(status));
        return;
    }
    if (output.threads == 0)
        check(cudaMemcpy(output.h, output.d, output.bytes, cudaMemcpyDeviceToHost));
    forget_nans();
    printf(" %016llx\n", (unsigned long long)hash((unsigned char *)output.h, output.bytes));
}

/* ---- ways to run a call: every variant, and the CPU's version with 1 and 3 threads ---- */

typedef struct way {
    size_t index;
    const char *name; /* NULL: after the last */
    int variant;      /* AUTO for the CPU's */
    int threads;      /* 0: on the device */
} way;

static way host_way(size_t index, size_t variants)
{
    static const char *const names[] = {"host-1", "host-3", NULL};
    return (way){index, names[index - variants], 0, index == variants ? 1 : 3};
}

#define WAYS(pattern)                                                                             \
    static way pattern##_way(size_t i)                                                            \
    {                                                                                             \
        size_t variants = 0;                                                                      \
        while (prim_##pattern##_variant_at(variants) != NULL)                                     \
            variants++;                                                                           \
        const prim_variant *const variant = prim_##pattern##_variant_at(i);                       \
        return i < variants ? (way){i, variant->name, variant->value, 0} : host_way(i, variants); \
    }

WAYS(reduce)
WAYS(scan)
WAYS(histogram)
WAYS(merge)
WAYS(gemm)
WAYS(gemv)
WAYS(binary_gemm)
WAYS(convolution)
WAYS(spmv)

#define EACH_WAY(pattern, w) \
    for (way w = pattern##_way(0); w.name != NULL; w = pattern##_way(w.index + 1))

/* Calls without variants. */
static way plain_way(size_t i)
{
    return i == 0 ? (way){0, "device", 0, 0} : host_way(i, 1);
}

/* ---- shapes ---- */

#define EACH(type, pointer, array) \
    for (const type *pointer = array; pointer < (array) + COUNT_OF(array); pointer++)

typedef struct vector_shape {
    size_t count, first; /* first element of the input: most are not aligned to 16 bytes */
} vector_shape;

enum { ODD = 3 }; /* the vector, and the rows, that transforms and other details are looked at in */

static const vector_shape vectors[] = {
    {0, 0}, {1, 0}, {33, 1}, {4097, 0}, {4097, ODD}, {4097, SPECIAL}, {70001, 1},
};

typedef struct matrix_shape {
    size_t rows, columns, ld;
} matrix_shape;

static const matrix_shape matrices[] = {
    {0, 5, 5},      {5, 0, 3},       {1, 1, 1},       {ODD, 33, 40},
    {67, 129, 129}, {7, 1025, 1031}, {2, 9001, 9003},
};

/* For calls that go down the columns too, which takes the CPU longer. */
static const matrix_shape tall_matrices[] = {
    {0, 5, 5}, {5, 0, 3}, {1, 1, 1}, {ODD, 33, 40}, {70, 37, 37}, {1100, 3, 4},
};

/* ---- types, operator and transform of a call ---- */

typedef struct kind {
    cudaDataType_t in, out;
    prim_op op;
    prim_transform transform;
    size_t in_bytes, out_bytes;
    char text[32];
} kind;

static kind kind_of(const type_row *i, const type_row *o, int op, int transform)
{
    kind k = {i->type, o->type, (prim_op)op, (prim_transform)transform, i->bytes, o->bytes, ""};
    snprintf(k.text, sizeof k.text, "%s-%s %s%s", i->name, o->name, op_names[op],
             transform_names[transform]);
    return k;
}

static void each_kind(void (*run)(const kind *k))
{
    EACH (type_row, i, types)
        EACH (type_row, o, types)
            for (int op = 0; op <= PRIM_OP_XOR; op++)
                for (int transform = 0; transform <= PRIM_TRANSFORM_ABS; transform++) {
                    const kind k = kind_of(i, o, op, transform);
                    run(&k);
                }
}

/* ---- reduce ---- */

static void reduce_kind(const kind *k)
{
    EACH (vector_shape, s, vectors)
        EACH_WAY (reduce, w) {
            if (!runs(prim_reduce(w.variant, k->op, k->transform, k->in, NULL, s->count, k->out,
                                  NULL, asking())) ||
                (k->transform != PRIM_TRANSFORM_NONE && s->first != ODD))
                continue;
            const void *x = in(w.threads, k->in, s->first);
            void *y = out(w.threads, k->out_bytes);
            line(w.threads > 0 ? prim_reduce_host(k->op, k->transform, k->in, x, s->count, k->out,
                                                  y, w.threads)
                               : prim_reduce(w.variant, k->op, k->transform, k->in, x, s->count,
                                             k->out, y, NULL),
                 "reduce %s %s %zu+%zu", w.name, k->text, s->count, s->first);
        }
}

static void reduce_rows_kind(const kind *k)
{
    EACH (matrix_shape, s, matrices)
        EACH_WAY (reduce, w) {
            if (!runs(prim_reduce_rows(w.variant, k->op, k->transform,
                                       prim_matrix_of(k->in, NULL, s->rows, s->columns, 0), k->out,
                                       NULL, asking())) ||
                (k->transform != PRIM_TRANSFORM_NONE && s->rows != ODD))
                continue;
            const void *x = in(w.threads, k->in, 1);
            void *y = out(w.threads, s->rows * k->out_bytes);
            line(w.threads > 0
                     ? prim_reduce_rows_host(k->op, k->transform,
                                             prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                             k->out, y, w.threads)
                     : prim_reduce_rows(w.variant, k->op, k->transform,
                                        prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                        k->out, y, NULL),
                 "reduce_rows %s %s %zux%zu/%zu", w.name, k->text, s->rows, s->columns, s->ld);
        }
}

static void reduce_columns_kind(const kind *k)
{
    EACH (matrix_shape, s, tall_matrices)
        EACH_WAY (reduce, w) {
            if (!runs(prim_reduce_columns(w.variant, k->op, k->transform,
                                          prim_matrix_of(k->in, NULL, s->rows, s->columns, 0),
                                          k->out, NULL, asking())) ||
                (k->transform != PRIM_TRANSFORM_NONE && s->rows != ODD))
                continue;
            const void *x = in(w.threads, k->in, 1);
            void *y = out(w.threads, s->columns * k->out_bytes);
            line(
                w.threads > 0
                    ? prim_reduce_columns_host(k->op, k->transform,
                                               prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                               k->out, y, w.threads)
                    : prim_reduce_columns(w.variant, k->op, k->transform,
                                          prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                          k->out, y, NULL),
                "reduce_columns %s %s %zux%zu/%zu", w.name, k->text, s->rows, s->columns, s->ld);
        }
}

/* Where segments begin: short ones, empty ones, and two of more than a tile of most types. */
enum { SEGMENT_COUNT = 70000, SEGMENTS = 400 };

static const void *segment_offsets(int threads)
{
    static int32_t h[SEGMENTS + 1];
    static void *d;
    if (d == NULL) {
        for (size_t s = 0; s < SEGMENTS; s++)
            h[s + 1] = h[s] + (s % 200 == 150 ? 30001 : s % 30 == 4 ? 333 : (int32_t)(s % 23));
        check(cudaMalloc(&d, sizeof h));
        check(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    }
    return threads > 0 ? h : d;
}

static void reduce_segments_kind(const kind *k)
{
    EACH_WAY (reduce, w) {
        if (!runs(prim_reduce_segments(w.variant, k->op, k->transform, k->in, NULL, SEGMENT_COUNT,
                                       (prim_segments){NULL, SEGMENTS, CUDA_R_32I}, k->out, NULL,
                                       asking())))
            continue;
        const void *x = in(w.threads, k->in, 1), *offsets = segment_offsets(w.threads);
        void *y = out(w.threads, SEGMENTS * k->out_bytes);
        line(w.threads > 0
                 ? prim_reduce_segments_host(k->op, k->transform, k->in, x, SEGMENT_COUNT,
                                             (prim_segments){offsets, SEGMENTS, CUDA_R_32I}, k->out,
                                             y, w.threads)
                 : prim_reduce_segments(w.variant, k->op, k->transform, k->in, x, SEGMENT_COUNT,
                                        (prim_segments){offsets, SEGMENTS, CUDA_R_32I}, k->out, y,
                                        NULL),
             "reduce_segments %s %s", w.name, k->text);
    }
}

/* The value, and the index after it. */
static void arg_reduce_kind(const kind *k)
{
    enum { INDEX_AT = 8 };
    EACH (vector_shape, s, vectors)
        EACH_WAY (reduce, w) {
            if (k->in != k->out ||
                !runs(prim_arg_reduce(w.variant, k->op, k->transform, k->in, NULL, s->count, NULL,
                                      NULL, asking())) ||
                (k->transform != PRIM_TRANSFORM_NONE && s->first != ODD))
                continue;
            const void *x = in(w.threads, k->in, s->first);
            char *y = out(w.threads, INDEX_AT + sizeof(uint64_t));
            line(w.threads > 0 ? prim_arg_reduce_host(k->op, k->transform, k->in, x, s->count, y,
                                                      (uint64_t *)(y + INDEX_AT), w.threads)
                               : prim_arg_reduce(w.variant, k->op, k->transform, k->in, x, s->count,
                                                 y, (uint64_t *)(y + INDEX_AT), NULL),
                 "arg_reduce %s %s %zu+%zu", w.name, k->text, s->count, s->first);
        }
}

static void dot_kind(const kind *k)
{
    EACH (vector_shape, s, vectors)
        EACH_WAY (reduce, w) {
            if (k->op != PRIM_OP_SUM || k->transform != PRIM_TRANSFORM_NONE ||
                !runs(prim_dot(w.variant, k->in, NULL, NULL, s->count, k->out, NULL, asking())))
                continue;
            const void *x = in(w.threads, k->in, s->first), *y = in(w.threads, k->in, SECOND);
            void *z = out(w.threads, k->out_bytes);
            line(w.threads > 0 ? prim_dot_host(k->in, x, y, s->count, k->out, z, w.threads)
                               : prim_dot(w.variant, k->in, x, y, s->count, k->out, z, NULL),
                 "dot %s %s %zu+%zu", w.name, k->text, s->count, s->first);
        }
}

/* ---- scan ---- */

static const char *const scan_kind_names[] = {"inclusive", "exclusive"};

/* The total after the results; with an odd shape an initial value. */
static void scan_kind(const kind *k)
{
    for (prim_scan_kind kind = PRIM_SCAN_INCLUSIVE; kind <= PRIM_SCAN_EXCLUSIVE; kind++)
        EACH (vector_shape, s, vectors)
            EACH_WAY (scan, w) {
                if (!runs(prim_scan(w.variant, kind, k->op, k->transform, k->in, NULL, s->count,
                                    k->out, NULL, NULL, asking())) ||
                    (k->transform != PRIM_TRANSFORM_NONE && s->first != ODD))
                    continue;
                const void *x = in(w.threads, k->in, s->first);
                const void *h_initial = s->first == ODD ? in(1, k->out, 5) : NULL;
                char *y = out(w.threads, (s->count + 4) * k->out_bytes);
                y += s->first % 4 * k->out_bytes;
                char *total = y + s->count * k->out_bytes;
                output.nans = k->out;
                line(w.threads > 0
                         ? prim_scan_host(kind, k->op, k->transform, k->in, x, s->count, k->out, y,
                                          &(prim_scan_ends){.h_initial = h_initial, .total = total},
                                          w.threads)
                         : prim_scan(
                               w.variant, kind, k->op, k->transform, k->in, x, s->count, k->out, y,
                               &(prim_scan_ends){.h_initial = h_initial, .total = total}, NULL),
                     "scan %s %s %s %zu+%zu", w.name, k->text, scan_kind_names[kind], s->count,
                     s->first);
            }
}

static void scan_rows_kind(const kind *k)
{
    for (prim_scan_kind kind = PRIM_SCAN_INCLUSIVE; kind <= PRIM_SCAN_EXCLUSIVE; kind++)
        EACH (matrix_shape, s, matrices)
            EACH_WAY (scan, w) {
                if (!runs(prim_scan_rows(w.variant, kind, k->op, k->transform,
                                         prim_matrix_of(k->in, NULL, s->rows, s->columns, 0),
                                         prim_matrix_of(k->out, NULL, s->rows, s->columns, 0), NULL,
                                         asking())) ||
                    (k->transform != PRIM_TRANSFORM_NONE && s->rows != ODD))
                    continue;
                const size_t ld = s->columns + 2;
                const void *x = in(w.threads, k->in, 1);
                const void *h_initial = s->rows == ODD ? in(1, k->out, 5) : NULL;
                void *y = out(w.threads, s->rows * ld * k->out_bytes);
                line(w.threads > 0
                         ? prim_scan_rows_host(kind, k->op, k->transform,
                                               prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                               prim_matrix_of(k->out, y, s->rows, s->columns, ld),
                                               &(prim_scan_ends){.h_initial = h_initial}, w.threads)
                         : prim_scan_rows(w.variant, kind, k->op, k->transform,
                                          prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                          prim_matrix_of(k->out, y, s->rows, s->columns, ld),
                                          &(prim_scan_ends){.h_initial = h_initial}, NULL),
                     "scan_rows %s %s %s %zux%zu/%zu", w.name, k->text, scan_kind_names[kind],
                     s->rows, s->columns, s->ld);
            }
}

static void scan_2d_kind(const kind *k)
{
    EACH (matrix_shape, s, tall_matrices)
        EACH_WAY (scan, w) {
            if (!runs(prim_scan_2d(w.variant, k->op, k->transform,
                                   prim_matrix_of(k->in, NULL, s->rows, s->columns, 0),
                                   prim_matrix_of(k->out, NULL, s->rows, s->columns, 0),
                                   asking())) ||
                (k->transform != PRIM_TRANSFORM_NONE && s->rows != ODD))
                continue;
            const size_t ld = s->columns + 2;
            const void *x = in(w.threads, k->in, 1);
            void *y = out(w.threads, s->rows * ld * k->out_bytes);
            line(w.threads > 0
                     ? prim_scan_2d_host(k->op, k->transform,
                                         prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                         prim_matrix_of(k->out, y, s->rows, s->columns, ld),
                                         w.threads)
                     : prim_scan_2d(w.variant, k->op, k->transform,
                                    prim_matrix_of(k->in, x, s->rows, s->columns, s->ld),
                                    prim_matrix_of(k->out, y, s->rows, s->columns, ld), NULL),
                 "scan_2d %s %s %zux%zu/%zu", w.name, k->text, s->rows, s->columns, s->ld);
        }
}

/* ---- histogram ---- */

/* Ranges that some of the samples lie outside of. */
static prim_histogram_range range_of(cudaDataType_t type)
{
    const prim_histogram_range bytes = prim_integer_range(5, 250),
                               wide = prim_integer_range(-2000000000, 1999999000),
                               real = prim_real_range(-1.3, 1.1);
    const bool is_float =
        type == CUDA_R_16F || type == CUDA_R_16BF || type == CUDA_R_32F || type == CUDA_R_64F;
    return is_float ? real : type == CUDA_R_32I ? wide : bytes;
}

static void histogram_type(const type_row *t, unsigned flags, prim_outside outside, size_t bins)
{
    const prim_histogram_range range = range_of(t->type);
    EACH (vector_shape, s, vectors)
        EACH_WAY (histogram, w) {
            if (!runs(prim_histogram_even(
                    w.variant, range, t->type, NULL, s->count,
                    (prim_counters){
                        .bins = bins, .type = CUDA_R_32U, .flags = flags, .outside = outside},
                    asking())))
                continue;
            const void *x = in(w.threads, t->type, s->first);
            uint32_t *y = in_out(w.threads, CUDA_R_32U, bins + 3);
            line(w.threads > 0 ? prim_histogram_even_host(range, t->type, x, s->count,
                                                          (prim_counters){.data = y,
                                                                          .bins = bins,
                                                                          .type = CUDA_R_32U,
                                                                          .flags = flags,
                                                                          .outside = outside,
                                                                          .outside_data = y + bins},
                                                          w.threads)
                               : prim_histogram_even(w.variant, range, t->type, x, s->count,
                                                     (prim_counters){.data = y,
                                                                     .bins = bins,
                                                                     .type = CUDA_R_32U,
                                                                     .flags = flags,
                                                                     .outside = outside,
                                                                     .outside_data = y + bins},
                                                     NULL),
                 "histogram_even %s %s outside-%d flags-%u bins-%zu %zu+%zu", w.name, t->name,
                 outside, flags, bins, s->count, s->first);
        }
}

static void histogram_even(void)
{
    static const size_t all_bins[] = {1, 7, 256, 12288, 30011};
    EACH (type_row, t, types)
        for (unsigned flags = 0; flags <= 3; flags++)
            for (prim_outside o = PRIM_OUTSIDE_DROP; o <= PRIM_OUTSIDE_COUNT; o++)
                EACH (size_t, bins, all_bins)
                    histogram_type(t, flags, o, *bins);
}

/* ---- merge: keys that the CPU's version has sorted ---- */

static const char *const order_names[] = {"ascending", "descending"};

static const void *sorted(int threads, prim_order order, const type_row *t, size_t first,
                          size_t count)
{
    static char *h_keys[2], *d_keys[2];
    const int which = first == SECOND;
    const size_t most = INPUT_COUNT * sizeof(uint64_t), at = first % 4 * t->bytes;
    if (h_keys[which] == NULL) {
        h_keys[which] = allocate(most);
        check(cudaMalloc((void **)&d_keys[which], most));
    }
    check_prim(
        prim_merge_sort_host(order, t->type, in(1, t->type, first), count, h_keys[which] + at, 1));
    check(cudaMemcpy(d_keys[which], h_keys[which], at + count * t->bytes, cudaMemcpyHostToDevice));
    return (threads > 0 ? h_keys[which] : d_keys[which]) + at;
}

static void merge_type(const type_row *t, prim_order order)
{
    EACH (vector_shape, s, vectors)
        EACH_WAY (merge, w) {
            const size_t b_count = s->count / 3 + 5;
            if (!runs(prim_merge(w.variant, order, t->type, NULL, s->count, NULL, b_count, NULL,
                                 asking())))
                continue;
            const void *a = sorted(w.threads, order, t, s->first, s->count),
                       *b = sorted(w.threads, order, t, SECOND, b_count);
            void *y = out(w.threads, (s->count + b_count) * t->bytes);
            line(w.threads > 0
                     ? prim_merge_host(order, t->type, a, s->count, b, b_count, y, w.threads)
                     : prim_merge(w.variant, order, t->type, a, s->count, b, b_count, y, NULL),
                 "merge %s %s %s %zu+%zu", w.name, t->name, order_names[order], s->count, s->first);
        }
}

static void merge_sort_type(const type_row *t, prim_order order)
{
    EACH (vector_shape, s, vectors)
        EACH_WAY (merge, w) {
            if (!runs(prim_merge_sort(w.variant, order, t->type, NULL, s->count, NULL, asking())))
                continue;
            const void *x = in(w.threads, t->type, s->first);
            void *y = out(w.threads, s->count * t->bytes);
            line(w.threads > 0 ? prim_merge_sort_host(order, t->type, x, s->count, y, w.threads)
                               : prim_merge_sort(w.variant, order, t->type, x, s->count, y, NULL),
                 "merge_sort %s %s %s %zu+%zu", w.name, t->name, order_names[order], s->count,
                 s->first);
        }
}

/* Some diagonals lie beyond the end. */
static void co_rank_type(const type_row *t, prim_order order)
{
    enum { RANKS = 300 };
    uint64_t h_diagonals[RANKS], *d_diagonals;
    for (size_t i = 0; i < RANKS; i++)
        h_diagonals[i] = random_bits(i) % 6000;
    check(cudaMalloc((void **)&d_diagonals, sizeof h_diagonals));
    check(cudaMemcpy(d_diagonals, h_diagonals, sizeof h_diagonals, cudaMemcpyHostToDevice));
    for (int threads = 0; threads <= 1; threads++) {
        const void *a = sorted(threads, order, t, 0, 4097),
                   *b = sorted(threads, order, t, SECOND, 999);
        uint64_t *y = out(threads, sizeof h_diagonals);
        line(threads > 0
                 ? prim_co_rank_host(order, t->type, a, 4097, b, 999, h_diagonals, RANKS, y)
                 : prim_co_rank(order, t->type, a, 4097, b, 999, d_diagonals, RANKS, y, NULL),
             "co_rank %s %s %s", threads > 0 ? "host" : "device", t->name, order_names[order]);
    }
    check(cudaFree(d_diagonals));
}

static void each_key(void (*run)(const type_row *t, prim_order order))
{
    EACH (type_row, t, types)
        for (prim_order order = PRIM_ASCENDING; order <= PRIM_DESCENDING; order++)
            if (runs(prim_merge(PRIM_MERGE_AUTO, order, t->type, NULL, 1, NULL, 1, NULL, asking())))
                run(t, order);
}

/* ---- gemm and gemv ---- */

typedef struct scalars {
    double alpha, beta;
} scalars;

static const scalars all_scalars[] = {{1, 0}, {-2, 3}, {0, 1}};
static const char *const transpose_names[] = {"n", "t"};

typedef struct product_shape {
    size_t m, n, k, gap; /* elements between the rows */
} product_shape;

static const product_shape products[] = {{1, 1, 1, 0},     {33, 35, 37, 1}, {64, 65, 0, 2},
                                         {70, 129, 31, 3}, {3, 1, 4097, 0}, {17, 300, 63, 0}};

static void gemm_case(const type_row *t, prim_transpose op_a, prim_transpose op_b, scalars by,
                      const product_shape *s)
{
    const size_t lda = (op_a == PRIM_TRANSPOSED ? s->m : s->k) + s->gap,
                 ldb = (op_b == PRIM_TRANSPOSED ? s->k : s->n) + s->gap, ldc = s->n + s->gap;
    EACH_WAY (gemm, w) {
        if (!runs(prim_gemm(w.variant, op_a, op_b, 1, stored(op_a, t->type, NULL, s->m, s->k, 0),
                            stored(op_b, t->type, NULL, s->k, s->n, 0), 0,
                            prim_matrix_of(t->type, NULL, s->m, s->n, 0), PRIM_COMPUTE_DEFAULT,
                            asking())))
            continue;
        const void *a = in(w.threads, t->type, 1), *b = in(w.threads, t->type, SECOND);
        void *c = in_out(w.threads, t->type, s->m * ldc);
        line(w.threads > 0
                 ? prim_gemm_host(op_a, op_b, by.alpha, stored(op_a, t->type, a, s->m, s->k, lda),
                                  stored(op_b, t->type, b, s->k, s->n, ldb), by.beta,
                                  prim_matrix_of(t->type, c, s->m, s->n, ldc), PRIM_COMPUTE_DEFAULT,
                                  w.threads)
                 : prim_gemm(
                       w.variant, op_a, op_b, by.alpha, stored(op_a, t->type, a, s->m, s->k, lda),
                       stored(op_b, t->type, b, s->k, s->n, ldb), by.beta,
                       prim_matrix_of(t->type, c, s->m, s->n, ldc), PRIM_COMPUTE_DEFAULT, NULL),
             "gemm %s %s %s%s %g,%g %zux%zux%zu+%zu", w.name, t->name, transpose_names[op_a],
             transpose_names[op_b], by.alpha, by.beta, s->m, s->n, s->k, s->gap);
    }
}

static void gemm(void)
{
    EACH (type_row, t, types)
        for (int ops = 0; ops < 4; ops++)
            EACH (scalars, by, all_scalars)
                EACH (product_shape, s, products)
                    gemm_case(t, (prim_transpose)(ops & 1), (prim_transpose)(ops >> 1), *by, s);
}

static void gemv_case(const type_row *t, prim_transpose op, scalars by, const matrix_shape *s)
{
    EACH_WAY (gemv, w) {
        if (!runs(prim_gemv(w.variant, op, 1, prim_matrix_of(t->type, NULL, s->rows, s->columns, 0),
                            x_of(op, t->type, NULL, s->rows, s->columns), 0,
                            y_of(op, t->type, NULL, s->rows, s->columns), asking())))
            continue;
        const void *a = in(w.threads, t->type, 1), *x = in(w.threads, t->type, SECOND);
        void *y = in_out(w.threads, t->type, op == PRIM_TRANSPOSED ? s->columns : s->rows);
        line(w.threads > 0 ? prim_gemv_host(op, by.alpha,
                                            prim_matrix_of(t->type, a, s->rows, s->columns, s->ld),
                                            x_of(op, t->type, x, s->rows, s->columns), by.beta,
                                            y_of(op, t->type, y, s->rows, s->columns), w.threads)
                           : prim_gemv(w.variant, op, by.alpha,
                                       prim_matrix_of(t->type, a, s->rows, s->columns, s->ld),
                                       x_of(op, t->type, x, s->rows, s->columns), by.beta,
                                       y_of(op, t->type, y, s->rows, s->columns), NULL),
             "gemv %s %s %s %g,%g %zux%zu/%zu", w.name, t->name, transpose_names[op], by.alpha,
             by.beta, s->rows, s->columns, s->ld);
    }
}

static void gemv(void)
{
    static const matrix_shape more[] = {{17000, 4, 5}, {4, 17000, 17001}};
    EACH (type_row, t, types)
        for (prim_transpose op = PRIM_NOT_TRANSPOSED; op <= PRIM_TRANSPOSED; op++)
            EACH (scalars, by, all_scalars) {
                EACH (matrix_shape, s, matrices)
                    gemv_case(t, op, *by, s);
                EACH (matrix_shape, s, more)
                    gemv_case(t, op, *by, s);
            }
}

/* ---- binary gemm ---- */

static bool is_packed(cudaDataType_t type)
{
    return type == CUDA_R_32F || type == CUDA_R_16F || type == CUDA_R_32I || type == CUDA_R_8I;
}

static prim_status pack(const way *w, bool rows_first, const type_row *t, const void *x,
                        const matrix_shape *s, uint32_t *y, size_t ld)
{
    const prim_matrix from = prim_matrix_of(t->type, x, s->rows, s->columns, s->ld);
    const prim_bits to = prim_bits_of(y, s->rows, s->columns, ld);
    if (w->threads > 0)
        return (rows_first ? prim_binary_pack_rows_host
                           : prim_binary_pack_columns_host)(from, to, w->threads);
    return (rows_first ? prim_binary_pack_rows : prim_binary_pack_columns)(from, to, NULL);
}

static void binary_pack(void)
{
    EACH (type_row, t, types) {
        if (!is_packed(t->type))
            continue;
        EACH (matrix_shape, s, matrices)
            for (int rows_first = 1; rows_first >= 0; rows_first--) {
                const size_t lines = rows_first ? s->rows : (s->rows + 31) / 32;
                const size_t ld = (rows_first ? (s->columns + 31) / 32 : s->columns) + 1;
                for (way w = plain_way(0); w.name != NULL; w = plain_way(w.index + 1)) {
                    const void *x = in(w.threads, t->type, SPECIAL);
                    uint32_t *y = out(w.threads, lines * ld * sizeof(uint32_t));
                    line(pack(&w, rows_first, t, x, s, y, ld), "binary_pack_%s %s %s %zux%zu/%zu",
                         rows_first ? "rows" : "columns", w.name, t->name, s->rows, s->columns,
                         s->ld);
                }
            }
    }
}

static prim_status unpack(const way *w, bool rows_first, const type_row *t, const void *x,
                          size_t words_ld, const matrix_shape *s, void *y)
{
    const prim_bits from = prim_bits_of(x, s->rows, s->columns, words_ld);
    const prim_matrix to = prim_matrix_of(t->type, y, s->rows, s->columns, s->ld);
    if (w->threads > 0)
        return (rows_first ? prim_binary_unpack_rows_host
                           : prim_binary_unpack_columns_host)(from, to, w->threads);
    return (rows_first ? prim_binary_unpack_rows : prim_binary_unpack_columns)(from, to, NULL);
}

static void binary_unpack(void)
{
    EACH (type_row, t, types) {
        if (!is_packed(t->type))
            continue;
        EACH (matrix_shape, s, matrices)
            for (int rows_first = 1; rows_first >= 0; rows_first--) {
                const size_t words_ld = (rows_first ? (s->columns + 31) / 32 : s->columns) + 1;
                for (way w = plain_way(0); w.name != NULL; w = plain_way(w.index + 1)) {
                    const void *x = in(w.threads, CUDA_R_32U, SECOND);
                    void *y = out(w.threads, s->rows * s->ld * t->bytes);
                    line(unpack(&w, rows_first, t, x, words_ld, s, y),
                         "binary_unpack_%s %s %s %zux%zu/%zu", rows_first ? "rows" : "columns",
                         w.name, t->name, s->rows, s->columns, s->ld);
                }
            }
    }
}

/* Whole words only: the unused bits of others must be 0. */
static void binary_gemm(void)
{
    EACH (type_row, t, types)
        EACH (product_shape, s, products)
            EACH_WAY (binary_gemm, w) {
                const size_t words = s->k, lda = words + s->gap, ldb = s->n + s->gap, ldc = ldb;
                if (!runs(prim_binary_gemm(w.variant, prim_bits_of(NULL, s->m, words * 32, 0),
                                           prim_bits_of(NULL, words * 32, s->n, 0),
                                           prim_matrix_of(t->type, NULL, s->m, s->n, 0), asking())))
                    continue;
                const uint32_t *a = in(w.threads, CUDA_R_32U, 1),
                               *b = in(w.threads, CUDA_R_32U, SECOND);
                void *c = out(w.threads, s->m * ldc * t->bytes);
                line(w.threads > 0
                         ? prim_binary_gemm_host(prim_bits_of(a, s->m, words * 32, lda),
                                                 prim_bits_of(b, words * 32, s->n, ldb),
                                                 prim_matrix_of(t->type, c, s->m, s->n, ldc),
                                                 w.threads)
                         : prim_binary_gemm(w.variant, prim_bits_of(a, s->m, words * 32, lda),
                                            prim_bits_of(b, words * 32, s->n, ldb),
                                            prim_matrix_of(t->type, c, s->m, s->n, ldc), NULL),
                     "binary_gemm %s %s %zux%zux%zu+%zu", w.name, t->name, s->m, s->n, words * 32,
                     s->gap);
            }
}

static prim_status binary_op_call(const way *w, prim_binary_op op, bool is_layer,
                                  const product_shape *s, const uint32_t *a, const uint32_t *b,
                                  const int32_t *thresholds, void *c, const prim_call *call)
{
    const size_t k = s->k * 32;
    const prim_bits x = prim_bits_of(a, s->m, k, s->k + s->gap),
                    y = prim_bits_of(b, k, s->n, s->n + s->gap),
                    bits = prim_bits_of(c, s->m, s->n, 0);
    const prim_matrix values = prim_matrix_of(CUDA_R_32I, c, s->m, s->n, 0);
    if (w->threads > 0)
        return is_layer ? prim_binary_layer_host(op, x, y, thresholds, bits, w->threads)
                        : prim_binary_count_host(op, x, y, values, w->threads);
    return is_layer ? prim_binary_layer(w->variant, op, x, y, thresholds, bits, call)
                    : prim_binary_count(w->variant, op, x, y, values, call);
}

/* prim_binary_count(), and prim_binary_layer() with thresholds about the middle of its values. */
static void binary_ops(void)
{
    static const char *const names[] = {"dot", "xor", "and"};
    EACH (product_shape, s, products)
        for (int op = PRIM_BINARY_DOT; op <= PRIM_BINARY_AND; op++)
            for (int is_layer = 0; is_layer < 2; is_layer++)
                EACH_WAY (binary_gemm, w) {
                    if (w.threads == 0 && !runs(binary_op_call(&w, (prim_binary_op)op, is_layer, s,
                                                               NULL, NULL, NULL, NULL, asking())))
                        continue;
                    const int32_t *limits = in(w.threads, CUDA_R_32I, 3);
                    void *c = out(w.threads, s->m * s->n * sizeof(int32_t));
                    line(binary_op_call(&w, (prim_binary_op)op, is_layer, s,
                                        in(w.threads, CUDA_R_32U, 1),
                                        in(w.threads, CUDA_R_32U, SECOND), limits, c, NULL),
                         "binary_%s %s %s %zux%zux%zu+%zu", is_layer ? "layer" : "count", w.name,
                         names[op], s->m, s->n, s->k * 32, s->gap);
                }
}

/* ---- convolution ---- */

typedef struct image_shape {
    size_t width, height, gap; /* bytes, a multiple of 4, after a row */
    int channels;
    size_t mask_width, mask_height;
} image_shape;

static const image_shape images[] = {
    {1, 1, 0, 1, 3, 3},   {33, 35, 4, 1, 5, 5},  {67, 40, 8, 3, 15, 2},
    {130, 3, 0, 2, 7, 9}, {61, 30, 12, 4, 1, 1}, {45, 50, 4, 1, 31, 17},
};

static prim_mask mask_of(cudaDataType_t type, size_t width, size_t height)
{
    return (prim_mask){.h_values = in(1, type, 11),
                       .d_values = in(0, type, 11),
                       .width = width,
                       .height = height,
                       .anchor_x = width / 3,
                       .anchor_y = height / 2,
                       .type = type};
}

static cudaDataType_t weights_of(cudaDataType_t type)
{
    return type == CUDA_R_8U || type == CUDA_R_16U || type == CUDA_R_16F ? CUDA_R_32F : type;
}

static void convolve_2d_case(const type_row *t, unsigned flags, prim_boundary boundary,
                             const image_shape *s)
{
    const prim_mask mask = mask_of(weights_of(t->type), s->mask_width, s->mask_height);
    const size_t row_bytes = s->width * (size_t)s->channels * t->bytes,
                 pitch = (row_bytes + 3) / 4 * 4 + s->gap;
    const void *h_fill = flags != 0 ? in(1, t->type, 77) : NULL;
    prim_image x = {NULL, s->width, s->height, pitch, s->channels, t->type}, y = x;
    EACH_WAY (convolution, w) {
        x.data = y.data = NULL;
        if (!runs(prim_convolve_2d(w.variant, flags, boundary, NULL, x, mask, y, asking())))
            continue;
        x.data = (void *)in(w.threads, t->type, 1);
        y.data = out(w.threads, pitch * s->height);
        line(w.threads > 0 ? prim_convolve_2d_host(flags, boundary, h_fill, x, mask, y, w.threads)
                           : prim_convolve_2d(w.variant, flags, boundary, h_fill, x, mask, y, NULL),
             "convolve_2d %s %s boundary-%d flags-%u %zux%zux%d mask-%zux%zu", w.name, t->name,
             boundary, flags, s->width, s->height, s->channels, s->mask_width, s->mask_height);
    }
}

static void convolve_separable_case(const type_row *t, unsigned flags, prim_boundary boundary,
                                    const image_shape *s)
{
    const prim_mask mask_x = mask_of(weights_of(t->type), s->mask_width, 1),
                    mask_y = mask_of(weights_of(t->type), 1, s->mask_height);
    const size_t row_bytes = s->width * (size_t)s->channels * t->bytes,
                 pitch = (row_bytes + 3) / 4 * 4 + s->gap;
    const void *h_fill = flags != 0 ? in(1, t->type, 77) : NULL;
    prim_image x = {NULL, s->width, s->height, pitch, s->channels, t->type}, y = x;
    EACH_WAY (convolution, w) {
        x.data = y.data = NULL;
        if (!runs(prim_convolve_separable(w.variant, flags, boundary, NULL, x, mask_x, mask_y, y,
                                          asking())))
            continue;
        x.data = (void *)in(w.threads, t->type, 1);
        y.data = out(w.threads, pitch * s->height);
        line(w.threads > 0 ? prim_convolve_separable_host(flags, boundary, h_fill, x, mask_x,
                                                          mask_y, y, w.threads)
                           : prim_convolve_separable(w.variant, flags, boundary, h_fill, x, mask_x,
                                                     mask_y, y, NULL),
             "convolve_separable %s %s boundary-%d flags-%u %zux%zux%d mask-%zux%zu", w.name,
             t->name, boundary, flags, s->width, s->height, s->channels, s->mask_width,
             s->mask_height);
    }
}

static void convolve_1d_case(const type_row *t, unsigned flags, prim_boundary boundary,
                             size_t mask_width)
{
    const prim_mask mask = mask_of(weights_of(t->type), mask_width, 1);
    const void *h_fill = flags != 0 ? in(1, t->type, 77) : NULL;
    EACH (vector_shape, s, vectors)
        EACH_WAY (convolution, w) {
            if (!runs(prim_convolve_1d(w.variant, flags, boundary, NULL, t->type, NULL, s->count,
                                       mask, NULL, asking())))
                continue;
            const void *x = in(w.threads, t->type, s->first);
            void *y = out(w.threads, s->count * t->bytes);
            line(w.threads > 0 ? prim_convolve_1d_host(flags, boundary, h_fill, t->type, x,
                                                       s->count, mask, y, w.threads)
                               : prim_convolve_1d(w.variant, flags, boundary, h_fill, t->type, x,
                                                  s->count, mask, y, NULL),
                 "convolve_1d %s %s boundary-%d flags-%u %zu+%zu mask-%zu", w.name, t->name,
                 boundary, flags, s->count, s->first, mask_width);
        }
}

static void convolve(void (*run)(const type_row *t, unsigned flags, prim_boundary boundary))
{
    EACH (type_row, t, types)
        for (unsigned flags = 0; flags <= PRIM_CONVOLUTION_FLIP; flags++)
            for (prim_boundary b = PRIM_BOUNDARY_CONSTANT; b <= PRIM_BOUNDARY_WRAP; b++)
                run(t, flags, b);
}

static void convolve_2d_images(const type_row *t, unsigned flags, prim_boundary boundary)
{
    EACH (image_shape, s, images)
        convolve_2d_case(t, flags, boundary, s);
}

static void convolve_separable_images(const type_row *t, unsigned flags, prim_boundary boundary)
{
    EACH (image_shape, s, images)
        convolve_separable_case(t, flags, boundary, s);
}

static void convolve_1d_masks(const type_row *t, unsigned flags, prim_boundary boundary)
{
    static const size_t widths[] = {1, 4, 9, 200};
    EACH (size_t, width, widths)
        convolve_1d_case(t, flags, boundary, *width);
}

/* ---- sparse ---- */

static const char *const format_names[] = {"csr", "coo", "ell", "hyb", "jds", "sell"};

typedef struct sparse_shape {
    size_t rows, columns,
        most; /* a row has 0 to `most` entries, and every 64th row four times that */
} sparse_shape;

static const sparse_shape sparse_shapes[] = {
    {0, 0, 0}, {5, 0, 0}, {1, 1, 3}, {67, 50, 9}, {700, 900, 40}, {5, 5000, 3000}, {4097, 100, 3}};

typedef struct kept_matrix {
    prim_sparse m;
    char *memory;
    size_t bytes;
} kept_matrix;

static size_t row_length(const sparse_shape *s, size_t row)
{
    const size_t length = s->columns == 0 ? 0 : random_bits(row + s->most) % (s->most + 1);
    return row % 64 == 3 ? 4 * length : length;
}

/* CSR with 64-bit offsets, in host memory; the values are input. */
static kept_matrix new_csr(const type_row *t, const sparse_shape *s)
{
    size_t entries = 0;
    for (size_t row = 0; row < s->rows; row++)
        entries += row_length(s, row);
    const size_t offset_bytes = (s->rows + 1) * sizeof(int64_t);
    char *const memory = allocate(offset_bytes + entries * sizeof(int32_t));
    int64_t *const offsets = (int64_t *)memory;
    int32_t *const columns = (int32_t *)(memory + offset_bytes);
    offsets[0] = 0;
    for (size_t row = 0; row < s->rows; row++)
        offsets[row + 1] = offsets[row] + (int64_t)row_length(s, row);
    for (size_t e = 0; e < entries; e++)
        columns[e] = (int32_t)(random_bits(e) % s->columns);
    const prim_sparse m = {.format = PRIM_SPARSE_CSR,
                           .rows = s->rows,
                           .columns = s->columns,
                           .entries = entries,
                           .value_type = t->type,
                           .offset_type = CUDA_R_64I,
                           .row_offsets = offsets,
                           .column_indices = columns,
                           .values = in(1, t->type, 1)};
    return (kept_matrix){m, memory, 0};
}

/* Its line is a hash of all its memory. */
static kept_matrix converted(const prim_sparse *from, prim_sparse_format format,
                             cudaDataType_t offset_type, int64_t width, const char *text)
{
    kept_matrix k;
    check_prim(prim_sparse_convert_bytes_host(*from, format, offset_type, width, &k.bytes));
    k.memory = allocate(k.bytes + 1);
    void *const data = out(1, k.bytes);
    line(prim_sparse_convert_host(*from, format, offset_type, width, data, k.bytes, &k.m),
         "sparse_convert %s %s-%s", text, format_names[from->format], format_names[format]);
    memcpy(k.memory, data, k.bytes);
    k.m = prim_sparse_moved(k.m, data, k.memory);
    if (k.m.format == PRIM_SPARSE_JDS)
        k.m.h_groups =
            (const prim_jds_group *)(k.memory + ((const char *)k.m.h_groups - (char *)data));
    return k;
}

static void spmv_scalars(const kept_matrix *k, const prim_sparse *d_matrix, const char *text,
                         scalars by)
{
    const cudaDataType_t type = k->m.value_type;
    EACH_WAY (spmv, w) {
        if (!runs(prim_spmv(w.variant, 1, *d_matrix, prim_vector_of(type, NULL, d_matrix->columns),
                            0, prim_vector_of(type, NULL, d_matrix->rows), asking())))
            continue;
        const void *x = in(w.threads, type, SECOND);
        void *y = in_out(w.threads, type, k->m.rows);
        line(w.threads > 0 ? prim_spmv_host(by.alpha, k->m, prim_vector_of(type, x, k->m.columns),
                                            by.beta, prim_vector_of(type, y, k->m.rows), w.threads)
                           : prim_spmv(w.variant, by.alpha, *d_matrix,
                                       prim_vector_of(type, x, d_matrix->columns), by.beta,
                                       prim_vector_of(type, y, d_matrix->rows), NULL),
             "spmv %s %s %s %g,%g", w.name, format_names[k->m.format], text, by.alpha, by.beta);
    }
}

static void spmv(const kept_matrix *k, const char *text)
{
    char *d_memory;
    check(cudaMalloc((void **)&d_memory, k->bytes + 1));
    check(cudaMemcpy(d_memory, k->memory, k->bytes, cudaMemcpyHostToDevice));
    const prim_sparse d_matrix = prim_sparse_moved(k->m, k->memory, d_memory);
    EACH (scalars, by, all_scalars)
        spmv_scalars(k, &d_matrix, text, *by);
    check(cudaFree(d_memory));
}

static void sparse_case(const type_row *t, cudaDataType_t offset_type, const sparse_shape *s)
{
    char text[64];
    snprintf(text, sizeof text, "%s %s %zux%zu", t->name, row_of(offset_type)->name, s->rows,
             s->columns);
    kept_matrix csr = new_csr(t, s);
    for (int f = PRIM_SPARSE_CSR; f <= PRIM_SPARSE_SELL; f++) {
        kept_matrix there =
            converted(&csr.m, (prim_sparse_format)f, offset_type, PRIM_SPARSE_WIDTH_AUTO, text);
        kept_matrix back = converted(&there.m, PRIM_SPARSE_CSR, offset_type, 0, text);
        spmv(&there, text);
        free(there.memory);
        free(back.memory);
    }
    free(csr.memory);
}

static void sparse(void)
{
    EACH (type_row, t, types)
        EACH (sparse_shape, s, sparse_shapes) {
            if (t->type != CUDA_R_32F && t->type != CUDA_R_64F)
                continue;
            sparse_case(t, CUDA_R_32I, s);
            sparse_case(t, CUDA_R_64I, s);
        }
}

/* ---- all calls ---- */

static void reduce(void)
{
    each_kind(reduce_kind);
}
static void reduce_rows(void)
{
    each_kind(reduce_rows_kind);
}
static void reduce_columns(void)
{
    each_kind(reduce_columns_kind);
}
static void reduce_segments(void)
{
    each_kind(reduce_segments_kind);
}
static void arg_reduce(void)
{
    each_kind(arg_reduce_kind);
}
static void dot(void)
{
    each_kind(dot_kind);
}
static void scan(void)
{
    each_kind(scan_kind);
}
static void scan_rows(void)
{
    each_kind(scan_rows_kind);
}
static void scan_2d(void)
{
    each_kind(scan_2d_kind);
}
static void merge(void)
{
    each_key(merge_type);
}
static void merge_sort(void)
{
    each_key(merge_sort_type);
}
static void co_rank(void)
{
    each_key(co_rank_type);
}
static void convolve_1d(void)
{
    convolve(convolve_1d_masks);
}
static void convolve_2d(void)
{
    convolve(convolve_2d_images);
}
static void convolve_separable(void)
{
    convolve(convolve_separable_images);
}

typedef struct call_row {
    const char *name;
    void (*run)(void);
} call_row;

static const call_row calls[] = {
    {"reduce", reduce},
    {"reduce_rows", reduce_rows},
    {"reduce_columns", reduce_columns},
    {"reduce_segments", reduce_segments},
    {"arg_reduce", arg_reduce},
    {"dot", dot},
    {"scan", scan},
    {"scan_rows", scan_rows},
    {"scan_2d", scan_2d},
    {"histogram_even", histogram_even},
    {"merge", merge},
    {"merge_sort", merge_sort},
    {"co_rank", co_rank},
    {"gemm", gemm},
    {"gemv", gemv},
    {"binary_pack", binary_pack},
    {"binary_unpack", binary_unpack},
    {"binary_gemm", binary_gemm},
    {"binary_ops", binary_ops},
    {"convolve_1d", convolve_1d},
    {"convolve_2d", convolve_2d},
    {"convolve_separable", convolve_separable},
    {"spmv", sparse},
};

static bool is_asked_for(const char *name, int count, char **beginnings)
{
    for (int i = 0; i < count; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    EACH (call_row, call, calls)
        if (is_asked_for(call->name, argc - 1, argv + 1))
            call->run();
    return EXIT_SUCCESS;
}
