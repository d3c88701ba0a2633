/* Inside scan: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_SCAN_VARIANTS_H
#define PRIM_SCAN_VARIANTS_H

#include <primitives/scan.h>

#include "common/ladder.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* A vector is a matrix of one row. */
typedef struct prim_scan_args {
    prim_call call;
    prim_scan_kind kind;
    prim_op op;
    prim_transform transform;
    bool both_directions; /* the columns after the rows; then inclusive and without initial */
    const void *initial;  /* host; NULL for the identity */
    cudaDataType_t in_type, out_type;
    const void *in;
    size_t rows, columns, in_ld;
    void *out;
    size_t out_ld;
} prim_scan_args;

/* Up the ladder. */
extern const prim_rung prim_scan_rungs[];

/* Elements in the section of a line that one block of a rung scans. */
enum { PRIM_SCAN_KOGGE_STONE_ELEMENTS = 256, PRIM_SCAN_BRENT_KUNG_ELEMENTS = 512 };

cudaError_t prim_scan_kogge_stone(const void *args);
cudaError_t prim_scan_brent_kung(const void *args);

/* The CPU's version, args pointing to host memory. One row: the threads share it; several: each
 * takes whole rows. */
prim_status prim_scan_on_host(const prim_scan_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
