/* Inside binary gemm: the arguments that travel together. */
#ifndef PRIM_BINARY_GEMM_ARGS_H
#define PRIM_BINARY_GEMM_ARGS_H

#include <primitives/binary_gemm.h>

#include "common/host/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

enum { PRIM_BINARY_WORD_BITS = 32, PRIM_BINARY_PACK_ONLY_RUNG = 1 };

typedef struct prim_binary_gemm_args {
    prim_request call;
    prim_binary_op op;
    size_t m, n, k; /* k in elements */
    const uint32_t *a;
    size_t lda;
    const uint32_t *b;
    size_t ldb;
    cudaDataType_t c_type; /* not of a layer */
    void *c;               /* of a layer: words */
    size_t ldc;
    bool is_layer;
    const int32_t *thresholds; /* of a layer */
    size_t a_m, b_k, b_n;      /* what A and B have: m, k and n, or the call is refused */
} prim_binary_gemm_args;

/* Of packing and of unpacking. */
typedef struct prim_binary_pack_args {
    prim_request call;
    bool is_unpacking; /* elements are written, and packed is read */
    cudaDataType_t type;
    void *elements;
    size_t rows, columns, ld; /* of elements */
    uint32_t *packed;
    size_t packed_rows, packed_columns, packed_ld; /* in words */
    bool is_transposed;                            /* columns and rows change places */
    size_t bit_rows, bit_columns; /* packed's: rows and columns, or the call is refused */
} prim_binary_pack_args;

/* rungs.c: the tables of rungs, and the ones that AUTO takes. Packing and unpacking have no
 * variants: their tables have one rung each. */
extern const prim_rung *const prim_binary_gemm_rungs[];
extern const prim_rung *const prim_binary_pack_rows_rungs[];
extern const prim_rung *const prim_binary_pack_columns_rungs[];
extern const prim_rung *const prim_binary_pack_transposed_rungs[];
extern const prim_rung *const prim_binary_unpack_rows_rungs[];
extern const prim_rung *const prim_binary_unpack_columns_rungs[];
extern const prim_rung *const prim_binary_unpack_transposed_rungs[];
int prim_binary_gemm_choose_rung(const void *args);

/* The CPU's versions, args pointing to host memory. */
prim_status prim_binary_gemm_on_host(const prim_binary_gemm_args *args, int threads);
prim_status prim_binary_pack_rows_on_host(const prim_binary_pack_args *args, int threads);
prim_status prim_binary_pack_columns_on_host(const prim_binary_pack_args *args, int threads);
prim_status prim_binary_pack_transposed_on_host(const prim_binary_pack_args *args, int threads);
prim_status prim_binary_unpack_rows_on_host(const prim_binary_pack_args *args, int threads);
prim_status prim_binary_unpack_columns_on_host(const prim_binary_pack_args *args, int threads);
prim_status prim_binary_unpack_transposed_on_host(const prim_binary_pack_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
