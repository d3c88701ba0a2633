#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
enum { GUARD_BYTES = 0 };
#else
enum { GUARD_BYTES = 1024 };
#endif

test_level get_test_level(void)
{
    const char *level = getenv("PRIM_TEST_LEVEL");
    if (level == NULL || strcmp(level, "normal") == 0 || *level == '\0')
        return LEVEL_NORMAL;
    if (strcmp(level, "quick") == 0)
        return LEVEL_QUICK;
    cr_assert_str_eq(level, "full", "PRIM_TEST_LEVEL is none of quick, normal, full");
    return LEVEL_FULL;
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

guarded guarded_new(size_t bytes, size_t offset)
{
    guarded g = {.bytes = bytes, .lead = GUARD_BYTES + offset, .tail = GUARD_BYTES};
    const size_t all = g.lead + bytes + g.tail;
    cr_cuda(cudaMalloc((void **)&g.base, all > 0 ? all : 1));
    cr_cuda(cudaMemset(g.base, GUARD_PATTERN, all));
    g.data = g.base + g.lead;
    return g;
}

guarded guarded_copy(const void *h_from, size_t bytes, size_t offset)
{
    const guarded g = guarded_new(bytes, offset);
    cr_cuda(cudaMemcpy(g.data, h_from, bytes, cudaMemcpyHostToDevice));
    return g;
}

void guarded_read(const guarded *g, void *h_to)
{
    cr_cuda(cudaMemcpy(h_to, g->data, g->bytes, cudaMemcpyDeviceToHost));
}

void guarded_poison(const guarded *g)
{
    cr_cuda(cudaMemset(g->data, GUARD_PATTERN, g->bytes));
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
    cudaDataType_t type;
    const char *name;
    size_t bytes;
    bool is_float, is_signed;
} type_row;

static const type_row type_rows[] = {
    {CUDA_R_8I, "i8", 1, false, true},   {CUDA_R_8U, "u8", 1, false, false},
    {CUDA_R_16I, "i16", 2, false, true}, {CUDA_R_16U, "u16", 2, false, false},
    {CUDA_R_32I, "i32", 4, false, true}, {CUDA_R_32U, "u32", 4, false, false},
    {CUDA_R_64I, "i64", 8, false, true}, {CUDA_R_64U, "u64", 8, false, false},
    {CUDA_R_32F, "f32", 4, true, true},  {CUDA_R_64F, "f64", 8, true, true},
};

static const type_row *row_of(cudaDataType_t type)
{
    for (size_t i = 0; i < sizeof type_rows / sizeof *type_rows; i++)
        if (type_rows[i].type == type)
            return &type_rows[i];
    cr_assert_fail("the tests do not know type %d", (int)type);
    return NULL;
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

double unit_roundoff(cudaDataType_t type)
{
    return type == CUDA_R_32F ? 0x1p-24 : 0x1p-53;
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

static void write_integer(cudaDataType_t type, void *h_data, size_t i, uint64_t value)
{
    const size_t bytes = type_bytes(type);
    memcpy((char *)h_data + i * bytes, &value, bytes);
}

double read_float(cudaDataType_t type, const void *h_data, size_t i)
{
    return type == CUDA_R_32F ? ((const float *)h_data)[i] : ((const double *)h_data)[i];
}

void write_float(cudaDataType_t type, void *h_data, size_t i, double value)
{
    if (type == CUDA_R_32F)
        ((float *)h_data)[i] = (float)value;
    else
        ((double *)h_data)[i] = value;
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
    const int range = type == CUDA_R_32F ? 50 : 400; /* squares stay finite */
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
