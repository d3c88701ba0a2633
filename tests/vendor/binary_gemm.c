#include "use.h"

#include <primitives/binary_gemm.h>

/* 1 × 33 by 33 × 1: one pair of -1 and +1, and 32 pairs that are alike. */
int main(void)
{
    int8_t a[33], b[33];
    for (int i = 0; i < 33; i++)
        a[i] = b[i] = i % 3 == 0 ? -1 : 1;
    b[32] = (int8_t)-a[32];
    const int32_t product = 31;
    const void *d_a = on_device(a, sizeof a), *d_b = on_device(b, sizeof b);
    uint32_t *d_row = on_device(NULL, 8), *d_column = on_device(NULL, 8);
    void *d_c = on_device(NULL, sizeof product);
    if (prim_binary_pack_rows(prim_matrix_of(CUDA_R_8I, d_a, 1, 33, 0),
                              prim_bits_of(d_row, 1, 33, 0), NULL) != PRIM_OK ||
        prim_binary_pack_columns(prim_matrix_of(CUDA_R_8I, d_b, 33, 1, 0),
                                 prim_bits_of(d_column, 33, 1, 0), NULL) != PRIM_OK)
        return printf("%s\n", prim_last_error(NULL)), 1;
    return outcome(prim_binary_gemm(PRIM_BINARY_GEMM_AUTO, prim_bits_of(d_row, 1, 33, 0),
                                    prim_bits_of(d_column, 33, 1, 0),
                                    prim_matrix_of(CUDA_R_32I, d_c, 1, 1, 0), NULL),
                   d_c, &product, sizeof product);
}
