#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SIMT_BACKEND
#include <simt.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
enum { GUARD_BYTES = 0 };
#else
enum { GUARD_BYTES = 1024 };
#endif

/* Of the three orders, forward and reverse test quickly: shuffled threads find what they find. */
static test_level normal_level(void)
{
    const char *order = getenv("SIMT_ORDER");
    const bool is_fixed =
        order != NULL && (strcmp(order, "forward") == 0 || strcmp(order, "reverse") == 0);
    return is_fixed ? LEVEL_QUICK : LEVEL_NORMAL;
}

bool is_sentence_of(const char *call, const char *sentence)
{
    const size_t length = strcspn(call, "(");
    return strncmp(call, "prim_", 5) != 0 ||
           (strncmp(sentence, call, length) == 0 && sentence[length] == ':');
}

test_level get_test_level(void)
{
    const char *level = getenv("PRIM_TEST_LEVEL");
    if (level == NULL || strcmp(level, "normal") == 0 || *level == '\0')
        return normal_level();
    if (strcmp(level, "quick") == 0)
        return LEVEL_QUICK;
    cr_assert_str_eq(level, "full", "PRIM_TEST_LEVEL is none of quick, normal, full");
    return LEVEL_FULL;
}

static unsigned cases; /* of this test */

/* Tests of tests/plain share a process. */
void plain_before_each(void);
void plain_before_each(void)
{
    cases = 0;
}

bool is_of_share(void)
{
    const char *const share = getenv("PRIM_TEST_SHARE");
    unsigned first = 0, each = 1;
    if (share != NULL)
        cr_assert(sscanf(share, "%u/%u", &first, &each) == 2 && first < each,
                  "PRIM_TEST_SHARE is not as 0/2");
    return cases++ % each == first;
}

/* ---- streams ---- */

cudaStream_t own_stream(void)
{
    static cudaStream_t stream;
    if (stream == NULL)
        cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

uint64_t submissions_to_others(void)
{
#ifdef SIMT_BACKEND
    return simt_submissions() - simt_submissions_to(own_stream());
#else
    return 0;
#endif
}

bool on_cpu_backend(void)
{
#ifdef SIMT_BACKEND
    return true;
#else
    return false;
#endif
}

/* ---- guarded memory ---- */

/* A memset does not wait for itself, and streams of a test's own do not wait for it. */
static void set_pattern(void *d_to, size_t bytes)
{
    cr_cuda(cudaMemset(d_to, GUARD_PATTERN, bytes));
    cr_cuda(cudaStreamSynchronize(0)); /* other streams do not wait for it */
    cr_cuda(cudaStreamSynchronize(NULL));
}

guarded guarded_new(size_t bytes, size_t offset)
{
    guarded g = {.bytes = bytes, .lead = GUARD_BYTES + offset, .tail = GUARD_BYTES};
    const size_t all = g.lead + bytes + g.tail;
    cr_cuda(cudaMalloc((void **)&g.base, all > 0 ? all : 1));
    set_pattern(g.base, all);
    g.data = g.base + g.lead;
    return g;
}

guarded guarded_copy(const void *h_from, size_t bytes, size_t offset)
{
    const guarded g = guarded_new(bytes, offset);
    cr_cuda(cudaMemcpy(g.data, h_from, bytes, cudaMemcpyHostToDevice));
    cr_cuda(cudaStreamSynchronize(0)); /* the copy may return before all bytes have arrived */
    return g;
}

void guarded_read(const guarded *g, void *h_to)
{
    cr_cuda(cudaMemcpy(h_to, g->data, g->bytes, cudaMemcpyDeviceToHost));
}

void guarded_poison(const guarded *g)
{
    set_pattern(g->data, g->bytes);
}

static bool all_pattern(const char *d_from, size_t bytes)
{
    unsigned char *h = malloc(bytes + 1);
    cr_cuda(cudaMemcpy(h, d_from, bytes, cudaMemcpyDeviceToHost));
    size_t i = 0;
    while (i < bytes && h[i] == GUARD_PATTERN)
        i++;
    free(h);
    return i == bytes;
}

bool guarded_untouched(const guarded *g)
{
    return all_pattern(g->data, g->bytes);
}

void guarded_free(guarded *g)
{
    cr_assert(all_pattern(g->base, g->lead), "bytes before the buffer were written to");
    cr_assert(all_pattern((char *)g->data + g->bytes, g->tail),
              "bytes behind the buffer were written to");
    cr_cuda(cudaFree(g->base));
    *g = (guarded){0};
}

/* ---- types ---- */

typedef struct type_row {
    const char *name;
    size_t bytes;
    bool is_float, is_signed;
} type_row;

static const type_row type_rows[] = {
    [CUDA_R_8I] = {"i8", 1, false, true},   [CUDA_R_8U] = {"u8", 1, false, false},
    [CUDA_R_16I] = {"i16", 2, false, true}, [CUDA_R_16U] = {"u16", 2, false, false},
    [CUDA_R_32I] = {"i32", 4, false, true}, [CUDA_R_32U] = {"u32", 4, false, false},
    [CUDA_R_64I] = {"i64", 8, false, true}, [CUDA_R_64U] = {"u64", 8, false, false},
    [CUDA_R_16F] = {"f16", 2, true, true},  [CUDA_R_16BF] = {"bf16", 2, true, true},
    [CUDA_R_32F] = {"f32", 4, true, true},  [CUDA_R_64F] = {"f64", 8, true, true},
};

/* Floats by their parts: bits of the fraction, and the least and greatest exponent of 2. */
typedef struct float_row {
    cudaDataType_t type;
    int fraction_bits, least_exponent, greatest_exponent;
} float_row;

static const float_row float_rows[] = {{CUDA_R_16F, 10, -14, 15},
                                       {CUDA_R_16BF, 7, -126, 127},
                                       {CUDA_R_32F, 23, -126, 127},
                                       {CUDA_R_64F, 52, -1022, 1023}};

static const type_row *row_of(cudaDataType_t type)
{
    const size_t t = (size_t)type;
    if (t >= sizeof type_rows / sizeof *type_rows || type_rows[t].name == NULL)
        cr_assert_fail("the tests do not know type %d", (int)type);
    return &type_rows[t];
}

size_t type_bytes(cudaDataType_t type)
{
    return row_of(type)->bytes;
}

const char *type_name(cudaDataType_t type)
{
    return row_of(type)->name;
}

bool type_is_float(cudaDataType_t type)
{
    return row_of(type)->is_float;
}

bool type_is_signed(cudaDataType_t type)
{
    return row_of(type)->is_signed;
}

static const float_row *float_row_of(cudaDataType_t type)
{
    const float_row *row = float_rows;
    while (row->type != type)
        row++;
    return row;
}

double unit_roundoff(cudaDataType_t type)
{
    return ldexp(1, -1 - float_row_of(type)->fraction_bits);
}

/* To the nearest number of the type, ties to even: on the grid of the value's power of two. */
double round_to_type(cudaDataType_t type, long double value)
{
    const float_row *row = float_row_of(type);
    if (isnan(value) || isinf(value) || value == 0)
        return (double)value;
    int exponent;
    frexpl(value, &exponent);
    exponent = exponent - 1 < row->least_exponent ? row->least_exponent : exponent - 1;
    const long double grid = ldexpl(1, exponent - row->fraction_bits);
    const long double rounded = rintl(value / grid) * grid;
    const long double beyond = ldexpl(1, row->greatest_exponent + 1);
    return fabsl(rounded) >= beyond ? copysign(INFINITY, (double)rounded) : (double)rounded;
}

/* The 16 bits of a half, by its parts. */
static double read_half(const float_row *row, uint16_t bits)
{
    const int exponent_bits = 15 - row->fraction_bits;
    const int exponent = bits >> row->fraction_bits & ((1 << exponent_bits) - 1);
    const int fraction = bits & ((1 << row->fraction_bits) - 1);
    double value;
    if (exponent == (1 << exponent_bits) - 1)
        value = fraction != 0 ? NAN : INFINITY;
    else if (exponent == 0)
        value = ldexp(fraction, row->least_exponent - row->fraction_bits);
    else
        value = ldexp(fraction + (1 << row->fraction_bits),
                      exponent - 1 + row->least_exponent - row->fraction_bits);
    return bits & 0x8000 ? -value : value;
}

static uint16_t write_half(const float_row *row, double value)
{
    const int exponent_bits = 15 - row->fraction_bits;
    const int top = ((1 << exponent_bits) - 1) << row->fraction_bits;
    const double rounded = fabs(round_to_type(row->type, value));
    int exponent, bits;
    if (isnan(value))
        bits = top | 1 << (row->fraction_bits - 1);
    else if (isinf(rounded))
        bits = top;
    else if (rounded < ldexp(1, row->least_exponent))
        bits = (int)ldexp(rounded, row->fraction_bits - row->least_exponent);
    else {
        const double fraction = frexp(rounded, &exponent); /* in [0.5, 1) */
        bits = ((exponent - 1 - row->least_exponent + 1) << row->fraction_bits) +
               (int)ldexp(fraction - 0.5, row->fraction_bits + 1);
    }
    return (uint16_t)(bits | (signbit(value) ? 0x8000 : 0));
}

/* ---- elements ---- */

uint64_t wrap_integer(cudaDataType_t type, uint64_t value)
{
    const unsigned unused = 64 - 8 * (unsigned)type_bytes(type);
    const uint64_t high = value << unused;
    return type_is_signed(type) ? (uint64_t)((int64_t)high >> unused) : high >> unused;
}

uint64_t read_integer(cudaDataType_t type, const void *h_data, size_t i)
{
    const size_t bytes = type_bytes(type);
    uint64_t value = 0;
    memcpy(&value, (const char *)h_data + i * bytes, bytes);
    return wrap_integer(type, value);
}

void write_integer(cudaDataType_t type, void *h_data, size_t i, uint64_t value)
{
    const size_t bytes = type_bytes(type);
    memcpy((char *)h_data + i * bytes, &value, bytes);
}

double read_float(cudaDataType_t type, const void *h_data, size_t i)
{
    if (type == CUDA_R_64F)
        return ((const double *)h_data)[i];
    if (type == CUDA_R_32F)
        return ((const float *)h_data)[i];
    return read_half(float_row_of(type), ((const uint16_t *)h_data)[i]);
}

void write_float(cudaDataType_t type, void *h_data, size_t i, double value)
{
    if (type == CUDA_R_64F)
        ((double *)h_data)[i] = value;
    else if (type == CUDA_R_32F)
        ((float *)h_data)[i] = (float)value;
    else
        ((uint16_t *)h_data)[i] = write_half(float_row_of(type), value);
}

/* ---- inputs ---- */

uint64_t random_bits(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Distinct numbers in a scattered order where they fit, else small ones. */
static int64_t whole_number(size_t i, size_t count, uint64_t seed)
{
    if (count <= 4096)
        return (int64_t)((i * 2731 + seed) % 4096) - 2048; /* 2731 is odd: a permutation */
    return (int64_t)(random_bits(seed + i) % 17) - 8;
}

static uint64_t extreme_integer(cudaDataType_t type, uint64_t bits)
{
    const unsigned width = 8 * (unsigned)type_bytes(type);
    switch (bits % 5) {
    case 0:
        return (uint64_t)1 << (width - 1); /* the smallest, if signed */
    case 1:
        return ((uint64_t)1 << (width - 1)) - 1; /* the largest, if signed */
    case 2:
        return UINT64_MAX;
    case 3:
        return 0;
    default:
        return 1;
    }
}

static double extreme_float(cudaDataType_t type, uint64_t bits)
{
    /* Squares stay finite, those of f16 in f32. */
    const int range = type == CUDA_R_64F ? 400 : type == CUDA_R_16F ? 14 : 50;
    const double mantissa = 1.0 + (double)(bits >> 40 & 0xffff) / 0x10000;
    const double value = ldexp(mantissa, (int)(bits >> 8 & 0xffff) % (2 * range) - range);
    const double magnitude = bits % 7 == 0 ? 0.0 : value;
    return bits & 0x80 ? -magnitude : magnitude;
}

static void fill_one(cudaDataType_t type, void *h_data, size_t i, size_t count, distribution d,
                     uint64_t seed)
{
    const uint64_t bits = random_bits(seed + i);
    if (d == INTEGERS && type_is_float(type))
        write_float(type, h_data, i, (double)whole_number(i, count, seed));
    else if (d == INTEGERS)
        write_integer(type, h_data, i, (uint64_t)whole_number(i, count, seed));
    else if (d == UNIFORM && type_is_float(type))
        write_float(type, h_data, i, (double)(int64_t)bits * 0x1p-63);
    else if (d == UNIFORM)
        write_integer(type, h_data, i, bits);
    else if (type_is_float(type))
        write_float(type, h_data, i, extreme_float(type, bits));
    else
        write_integer(type, h_data, i, extreme_integer(type, bits));
}

void fill(cudaDataType_t type, void *h_data, size_t count, distribution d, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        fill_one(type, h_data, i, count, d, seed);
}
