/* Entries sorted by one of their indices; the other one and the value go along. */
#ifndef PRIM_SPARSE_ENTRY_SORT_H
#define PRIM_SPARSE_ENTRY_SORT_H

#include <primitives/sparse.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* What goes along with a key: the entry's other index, and its value's bits. Values of 8 bytes stay
 * where they are, and the number of the entry goes along, in 4 bytes. */
typedef struct prim_sparse_carried {
    int32_t *indices;
    void *values;
    unsigned value_bytes; /* 4 or 2; 0, where they are read: an entry's number is its place */
} prim_sparse_carried;

/* One of the two buffers of a workspace, which passes write by turns: keys; and as many indices and
 * values, side by side in the one array or as words in the other. */
typedef struct prim_sparse_sort_buffer {
    int32_t *keys;
    uint64_t *words;
    prim_sparse_carried carried; /* in the room of the words */
} prim_sparse_sort_buffer;

size_t prim_sparse_entry_sort_bytes(size_t entries);
prim_sparse_sort_buffer prim_sparse_buffer(void *workspace, size_t entries, unsigned pass);

/* A stable sort of `entries` keys, which are below `bound`; neither is 0. */
typedef struct prim_sparse_entry_sort {
    cudaStream_t stream;
    size_t entries, bound;
    const int32_t *keys;
    prim_sparse_carried from;
    int32_t *out_keys;             /* NULL: those of the buffer of the last pass */
    const prim_sparse_carried *to; /* NULL: that buffer's */
    void *workspace;
    unsigned first_pass; /* its number; `from` is not in that buffer */
} prim_sparse_entry_sort;

/* What goes along before the first pass: these indices, and the values of `from`. */
prim_sparse_carried prim_sparse_carry(const int32_t *indices, const prim_sparse *from);

/* And after the last: to these indices, and the values of `to`; of 8 bytes, numbers to the buffer.
 * Then prim_sparse_take_numbered() fetches the values. */
prim_sparse_carried prim_sparse_carry_to(const int32_t *indices, const prim_sparse *to,
                                         const prim_sparse_sort_buffer *last);
cudaError_t prim_sparse_take_numbered(cudaStream_t stream, const prim_sparse *from,
                                      const prim_sparse_carried *carried, const prim_sparse *to);

unsigned prim_sparse_last_pass(const prim_sparse_entry_sort *s);
cudaError_t prim_sparse_sort_entries(const prim_sparse_entry_sort *s);

#if defined(__cplusplus)
}
#endif

#endif
