/* What a plan for CSR holds: a page for each tile of CSR_MERGE.
 *
 *     page       head │ body                       │             all of one size
 *     far        head │ where rows begin           │             columns are the caller's
 *     near       head │ where rows begin           │ column - base, 16 bits each
 *     patterned  head │ groups of rows, patterns   │             no columns at all
 *
 *     row        0      1        2        3        4      5
 *     columns    0 1    0 1 2    1 2 3    2 3 4    3 4    4 5 6
 *     less row   0 1   -1 0 1   -1 0 1   -1 0 1   -1 0   -1 0 1
 *     group      0      1                          2      3        neighbours of one pattern
 *     pattern    0      1                          2      1
 *
 * In a stencil or a band, neighbouring rows have neighbouring columns, except at the grid's edges:
 * so a tile has few groups of rows, and fewer patterns, since those after an edge are those before
 * it. A page depends only on its tile, and its place is known without reading anything. All that a
 * tile of patterns needs is in its page's first bytes, which are copied at once. */
#ifndef PRIM_SPARSE_PLAN_CUH
#define PRIM_SPARSE_PLAN_CUH

#include "sparse/csr/csr_rows.cuh"

namespace
{

enum page_way : uint8_t { WAY_FAR, WAY_NEAR, WAY_PATTERNED };

constexpr unsigned WITH_STRIPS = 0x80; /* among the kinds of a tile's rows */
constexpr int32_t NEAR_COLUMNS = 1 << 16;

struct alignas(VECTOR_BYTES) page_head {
    int64_t first_entry;
    int32_t first_row, base; /* base: the least column of a near tile */
    uint16_t rows, entries;  /* entries: those that are staged */
    uint16_t body_bytes;     /* a multiple of 16 */
    uint16_t groups;
    uint8_t way, kinds;
};

/* The first bytes of a page, copied before its kind is known. */
constexpr unsigned FRONT_BYTES = 512;
constexpr unsigned HEAD_BYTES = sizeof(page_head);

__host__ __device__ constexpr unsigned in_vectors(unsigned bytes)
{
    return (bytes + VECTOR_BYTES - 1) / VECTOR_BYTES * VECTOR_BYTES;
}

/* Rows and entries are STAGED at most, and each has 2 bytes. */
static_assert(STAGED <= UINT16_MAX && NEAR_COLUMNS - 1 <= UINT16_MAX, "2 bytes each");
constexpr unsigned PAGE_BYTES =
    (HEAD_BYTES + 2 * (STAGED + 1) + 2 * VECTOR_BYTES + 127) / 128 * 128;
static_assert(FRONT_BYTES <= PAGE_BYTES, "a front is a page's");

/* 32 rows: bit i is set where a group begins with row i; and how many begin before. */
struct row_word {
    uint32_t begin_here, begin_before;
};

constexpr unsigned ROWS_OF_WORD = 32;

__host__ __device__ constexpr unsigned words_of(unsigned rows)
{
    return (rows + ROWS_OF_WORD - 1) / ROWS_OF_WORD;
}

/* Rows of one pattern: the first row and its first entry, counted from the tile's first ones; the
 * length of each row; and where the pattern begins. */
struct row_group {
    uint16_t row, begin, length, pattern;
};

/* The body of a patterned page. */
struct page_patterns {
    row_word *words;
    row_group *groups;
    int32_t *differences;
};

__device__ inline page_patterns patterns_of(unsigned char *body, unsigned rows, unsigned groups)
{
    row_word *const words = reinterpret_cast<row_word *>(body);
    row_group *const first = reinterpret_cast<row_group *>(words + words_of(rows));
    return {words, first, reinterpret_cast<int32_t *>(first + groups)};
}

inline size_t pages_bytes(const prim_sparse *m)
{
    return m->rows == 0 || goes_by_rows(m) ? 0 : tiles_of(m) * PAGE_BYTES;
}

} // namespace

#endif
