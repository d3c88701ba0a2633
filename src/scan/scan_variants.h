/* Inside scan: the arguments that travel together, and the table of its rungs. */
#ifndef PRIM_SCAN_VARIANTS_H
#define PRIM_SCAN_VARIANTS_H

#include <primitives/scan.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* A vector is a matrix of one row. */
typedef struct prim_scan_args {
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
    void *workspace;
    cudaStream_t stream;
} prim_scan_args;

/* One row is one rung. Queries look at kind, types, operator, transform, both_directions, rows and
 * columns only. */
typedef struct prim_scan_rung {
    prim_scan_variant variant;
    const char *name;
    const char *idea;
    bool (*supports)(const prim_scan_args *args);
    size_t (*workspace_bytes)(const prim_scan_args *args);
    cudaError_t (*launch)(const prim_scan_args *args);
} prim_scan_rung;

/* Up the ladder. */
extern const prim_scan_rung prim_scan_rungs[];
extern const size_t prim_scan_rung_count;

/* Elements in the section of a line that one block of a rung scans. */
enum { PRIM_SCAN_KOGGE_STONE_ELEMENTS = 256, PRIM_SCAN_BRENT_KUNG_ELEMENTS = 512 };

cudaError_t prim_scan_kogge_stone(const prim_scan_args *args);
cudaError_t prim_scan_brent_kung(const prim_scan_args *args);

/* The CPU's version, args pointing to host memory. One row: the threads share it; several: each
 * takes whole rows. */
prim_status prim_scan_on_host(const char *call, const prim_scan_args *args, int threads);

#if defined(__cplusplus)
}
#endif

#endif
