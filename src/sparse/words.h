/* Entries as words that can be sorted: a row and a column in 64 bits, and a payload of 32. */
#ifndef PRIM_SPARSE_WORDS_H
#define PRIM_SPARSE_WORDS_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Which bits of a word are sorted by, from the lowest one on. */
typedef enum prim_sparse_word_order {
    PRIM_SPARSE_BY_COLUMN, /* row << 32 | column, by the column */
    PRIM_SPARSE_BY_PLACE   /* row << bits of a column | column, by both */
} prim_sparse_word_order;

/* The payload is the value's bits; of a value of 8 bytes, the number of the entry that has it. */
typedef struct prim_sparse_words {
    uint64_t *words;
    uint32_t *payloads;
} prim_sparse_words;

/* Bits of a column in a word. */
unsigned prim_sparse_column_bits(const prim_sparse *m, prim_sparse_word_order order);

/* The workspace of a sort, in which *sorted lies, and *spare, which is as large and free. */
size_t prim_sparse_words_bytes(const prim_sparse *m, prim_sparse_word_order order);

/* The entries of a CSR matrix, or a COO matrix with its rows in any order, stably sorted. At least
 * one entry, and fewer than 2^32. */
cudaError_t prim_sparse_sort_words(cudaStream_t stream, const prim_sparse *m,
                                   prim_sparse_word_order order, void *workspace,
                                   prim_sparse_words *sorted, prim_sparse_words *spare);

#if defined(__cplusplus)
}
#endif

#endif
