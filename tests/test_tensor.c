/* Where tensor copies put elements, and what wgmma makes of them: whole numbers, so that sums are
 * exact; and what mma and wgmma make of bits. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "support.h"
#include "tensor_tiles.h"

/* ---- copies ---- */

enum { ROWS = 70, COLUMNS = 90, LD = 96, MARK = 0xffff };

/* The box keeps piece p of its row i, of 8 elements, at place p ^ (i % 8). */
static size_t place_in_box(size_t row, size_t column)
{
    return row * TILE_BOX + ((column / 8 ^ row % 8) * 8 + column % 8);
}

static void check_copy(const uint16_t *matrix, int row, int column)
{
    uint16_t box[TILE_BOX * TILE_BOX];
    cr_cuda(run_tensor_copy(matrix, ROWS, COLUMNS, LD, row, column, box));
    for (int i = 0; i < TILE_BOX; i++)
        for (int j = 0; j < TILE_BOX; j++) {
            const int r = row + i, c = column + j;
            const bool inside = r >= 0 && r < ROWS && c >= 0 && c < COLUMNS;
            cr_assert_eq(box[place_in_box((size_t)i, (size_t)j)], inside ? matrix[r * LD + c] : 0,
                         "from (%d, %d): (%d, %d)", row, column, i, j);
        }
}

Test(tensor, copies_swizzle_and_fill_with_zeros)
{
    static const int places[][2] = {{0, 0},  {1, 8},  {6, 24},  {7, 32},
                                    {40, 0}, {0, 64}, {-5, -8}, {200, 0}};
    uint16_t matrix[ROWS * LD];
    if (!has_tensor_tiles())
        cr_skip_test("a device of 9.0, and code for 9.0a");
    for (size_t i = 0; i < ROWS * LD; i++)
        matrix[i] = i % LD < COLUMNS ? (uint16_t)(i + 1) : MARK;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        check_copy(matrix, places[i][0], places[i][1]);
}

/* ---- products ---- */

/* -3 … 4, each element another one than those about it. */
static int number_at(uint64_t seed, size_t across, size_t k)
{
    return (int)(random_bits(seed * 100000 + across * 1000 + k) % 8) - 3;
}

static uint16_t *stored_numbers(uint64_t seed, cudaDataType_t type, bool along_k, size_t across)
{
    uint16_t *h = malloc(across * TILE_BOX * sizeof *h);
    for (size_t i = 0; i < across; i++)
        for (size_t k = 0; k < TILE_BOX; k++)
            write_float(type, h, along_k ? i * TILE_BOX + k : k * across + i,
                        number_at(seed, i, k));
    return h;
}

static void check_product(tile_product p, uint64_t seed)
{
    const cudaDataType_t type = p.is_bf16 ? CUDA_R_16BF : CUDA_R_16F;
    uint16_t *a = stored_numbers(seed, type, p.a_along_k, TILE_BOX),
             *b = stored_numbers(seed + 1, type, p.b_along_k, p.n);
    float *d = malloc(TILE_BOX * p.n * sizeof *d);
    cr_cuda(run_wgmma(p, a, b, d));
    for (size_t i = 0; i < TILE_BOX; i++)
        for (size_t j = 0; j < p.n; j++) {
            int sum = 0;
            for (size_t k = 0; k < TILE_BOX; k++)
                sum += number_at(seed, i, k) * number_at(seed + 1, j, k);
            cr_assert_eq(d[i * p.n + j], (float)sum, "n %u, %s, %d %d: (%zu, %zu)", p.n,
                         p.is_bf16 ? "bf16" : "f16", p.a_along_k, p.b_along_k, i, j);
        }
    free(a);
    free(b);
    free(d);
}

Test(tensor, wgmma_multiplies_what_copies_bring)
{
    if (!has_tensor_tiles())
        cr_skip_test("a device of 9.0, and code for 9.0a");
    for (unsigned i = 0; i < 24; i++)
        check_product((tile_product){(i & 1) != 0, (i & 2) != 0, (i & 4) != 0, 128 + 64 * (i / 8)},
                      10 * i);
}

/* ---- bits ---- */

static int32_t places_with_both(const uint32_t *a, const uint32_t *b, size_t words)
{
    uint32_t both = 0;
    for (size_t k = 0; k < 32 * words; k++)
        both += (a[k / 32] & b[k / 32]) >> k % 32 & 1;
    return (int32_t)both;
}

static void write_bits(uint32_t *words, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = (uint32_t)random_bits(seed + i);
}

Test(tensor, mma_counts_the_bits_that_both_have)
{
    uint32_t a[BITS_M * BITS_WORDS], b[BITS_N * BITS_WORDS];
    int32_t before[BITS_M * BITS_N], d[BITS_M * BITS_N];
    if (!has_products_of_bits())
        cr_skip_test("a device of 8.0");
    write_bits(a, BITS_M * BITS_WORDS, 0);
    write_bits(b, BITS_N * BITS_WORDS, 1000);
    for (size_t i = 0; i < BITS_M * BITS_N; i++)
        d[i] = before[i] = (int32_t)random_bits(2000 + i) / 2;
    cr_cuda(run_mma_bits(a, b, d));
    for (size_t i = 0; i < BITS_M; i++)
        for (size_t j = 0; j < BITS_N; j++)
            cr_assert_eq(d[i * BITS_N + j],
                         before[i * BITS_N + j] +
                             places_with_both(&a[i * BITS_WORDS], &b[j * BITS_WORDS], BITS_WORDS),
                         "(%zu, %zu)", i, j);
}

Test(tensor, wgmma_counts_the_bits_that_both_have)
{
    if (!has_tensor_tiles())
        cr_skip_test("a device of 9.0, and code for 9.0a");
    for (unsigned n = 128; n <= 256; n += 64) {
        uint32_t *a = malloc(TILE_BOX * TILE_WORDS * sizeof *a),
                 *b = malloc(n * TILE_WORDS * sizeof *b);
        int32_t *d = malloc(TILE_BOX * n * sizeof *d);
        write_bits(a, TILE_BOX * TILE_WORDS, n);
        write_bits(b, n * TILE_WORDS, 10000 + n);
        for (size_t i = 0; i < TILE_BOX * n; i++)
            d[i] = (int32_t)(random_bits(50000 + i) >> 40);
        cr_cuda(run_wgmma_bits(n, a, b, d));
        for (size_t i = 0; i < TILE_BOX; i++)
            for (size_t j = 0; j < n; j++)
                cr_assert_eq(
                    d[i * n + j],
                    (int32_t)(random_bits(50000 + i * n + j) >> 40) +
                        places_with_both(&a[i * TILE_WORDS], &b[j * TILE_WORDS], TILE_WORDS),
                    "n %u: (%zu, %zu)", n, i, j);
        free(a);
        free(b);
        free(d);
    }
}
