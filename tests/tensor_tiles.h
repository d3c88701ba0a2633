/* Small kernels around tensor copies, wgmma and mma of bits, whose results show where elements lie.
 * They run on the CPU backend and on a GPU, and must give the same there. Arrays are on the host.
 */
#ifndef TESTS_TENSOR_TILES_H
#define TESTS_TENSOR_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { TILE_BOX = 64 };

/* Whether the current device runs them. */
bool has_tensor_tiles(void);

/* The box of 64 × 64 elements from (row, column) on of a matrix, as it lies in shared memory. */
cudaError_t run_tensor_copy(const uint16_t *h_matrix, size_t rows, size_t columns, size_t ld,
                            int row, int column, uint16_t *h_box);

/* D = A · B, 64 × n, n 128, 192 or 256, over 64 steps of k. A is 64 × 64, B 64 × n; each is stored
 * with lines along k, a line for each row of A or column of B, or across, a line for each step of
 * k. */
typedef struct tile_product {
    bool is_bf16, a_along_k, b_along_k;
    unsigned n;
} tile_product;

cudaError_t run_wgmma(tile_product p, const uint16_t *h_a, const uint16_t *h_b, float *h_d);

/* D += the number of places, of 1,024, where A's row and B's column both have a 1: A of 64 rows and
 * B of n columns, n 128, 192 or 256, TILE_WORDS words each, one after the other, and D of
 * 64 × n. */
enum { TILE_WORDS = 32 };
cudaError_t run_wgmma_bits(unsigned n, const uint32_t *h_a, const uint32_t *h_b, int32_t *h_d);

/* D += the number of places, of 256, where A's row and B's column both have a 1: A of 16 rows and B
 * of 8 columns, 8 words each, one after the other, and D of 16 × 8. */
enum { BITS_M = 16, BITS_N = 8, BITS_WORDS = 8 };
bool has_products_of_bits(void);
cudaError_t run_mma_bits(const uint32_t *h_a, const uint32_t *h_b, int32_t *h_d);

#if defined(__cplusplus)
}
#endif

#endif
