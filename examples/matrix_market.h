/* Reads sparse matrices from Matrix Market files: coordinate; real, integer or pattern; general,
 * symmetric or skew-symmetric. */
#ifndef EXAMPLES_MATRIX_MARKET_H
#define EXAMPLES_MATRIX_MARKET_H

#include <stdbool.h>
#include <stdio.h>

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

enum { MATRIX_MARKET_SENTENCE = 512 };

/* *csr = the file's matrix in CSR, in host memory: f64 values and offsets of 64 bits. A row's
 * entries have the order of the file's lines; a pattern's values are 1; what a symmetric file
 * leaves out is there. Reals are the nearest doubles, whole numbers those up to 2^53. Sides of more
 * than 2^24 have at most 64 rows or columns for each entry. false: the sentence says what is wrong
 * and where, "FILE:LINE: …". */
bool matrix_market_read(const char *path, prim_sparse *csr, char sentence[MATRIX_MARKET_SENTENCE]);

/* The same of what an open file has from where it stands; `name` is for the sentence. */
bool matrix_market_read_stream(FILE *file, const char *name, prim_sparse *csr,
                               char sentence[MATRIX_MARKET_SENTENCE]);

void matrix_market_free(prim_sparse *csr);

#if defined(__cplusplus)
}
#endif

#endif
