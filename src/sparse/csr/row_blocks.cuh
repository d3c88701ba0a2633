/* CSR_MERGE's route "rows": a block has some whole rows that follow each other.
 *
 *     rows      ■  ■■  ■■■■■■■■■■■■  ■■■■■■■■■■■■■■■■■■■■■■     as many as leave a block for all
 *     lanes     1  1   4             32, or all of a block's      by the row's length
 *
 * No search comes before, so that a matrix that L2 holds has one launch. That is faster as long as
 * no block has so much more work than the others that they wait for it: goes_by_rows() in
 * tile_begins.cuh.
 * What counts here is how long a block waits for memory: once for its offsets, then for columns and
 * values together, then for x. So a lane asks for 8 entries at once, or 16.
 *
 * A row's parts, pieces and their order are those of tiles, and so are its bits. */
#ifndef PRIM_SPARSE_ROW_BLOCKS_CUH
#define PRIM_SPARSE_ROW_BLOCKS_CUH

#include "sparse/csr/csr_strips.cuh"

namespace
{

constexpr unsigned ROWS = TILE_THREADS; /* the most of a block */
constexpr unsigned AT_ONCE = 8;         /* entries of a lane, in pieces that are not whole */
/* Blocks on a multiprocessor, and on 132 of them, where there are rows enough. */
constexpr unsigned ROW_BLOCKS = 2, ENOUGH_BLOCKS = 132 * ROW_BLOCKS;
constexpr unsigned PLACES = 256; /* for sums of pieces */
/* Below 9.0, nvcc has no room for 16 doubles in the registers that two blocks leave to each. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
template <typename V>
constexpr unsigned ROW_BLOCKS_OF = sizeof(V) == 8 ? 1 : ROW_BLOCKS;
#else
template <typename V>
[[maybe_unused]] constexpr unsigned ROW_BLOCKS_OF = ROW_BLOCKS;
#endif
/* A warp sums longer rows than of one piece where the block has rows for its other warps. */
constexpr unsigned PIECES_OF_WARP = 4;

inline unsigned rows_of_block(const prim_sparse *m)
{
    const size_t rows = prim_divide_up(m->rows, ENOUGH_BLOCKS);
    return static_cast<unsigned>(rows < ROWS ? rows : ROWS);
}

/* Whether some lane of the warp has something to do. */
__device__ inline bool any_lane(bool mine)
{
    return __ballot_sync(ALL_LANES, mine) != 0;
}

/* The sum of a lane's part of a row: entries `lane`, lane + LANES, … of `length`. All lanes of a
 * warp are here, each with a row of its own or shared. The barriers keep nvcc from loading each
 * entry where it is used, when the one before has come. */
template <unsigned LANES, typename V, typename X>
__device__ working_t<V> sum_entries(const entries<V, X> &of, size_t first, unsigned length,
                                    unsigned lane)
{
    working_t<V> sum = 0;
    for (unsigned s = lane; any_lane(s < length); s += AT_ONCE * LANES) {
        const int32_t *const columns = of.columns + first + s;
        const V *const values = of.values + first + s;
        const unsigned left = s < length ? length - s : 0;
        int32_t column[AT_ONCE];
        V value[AT_ONCE];
        X x[AT_ONCE];
        PRIM_UNROLL(AT_ONCE)
        for (unsigned b = 0; b < AT_ONCE; b++)
            if (b * LANES < left) {
                column[b] = columns[b * LANES];
                value[b] = values[b * LANES];
            }
        __syncwarp();
        PRIM_UNROLL(AT_ONCE)
        for (unsigned b = 0; b < AT_ONCE; b++)
            if (b * LANES < left)
                x[b] = of.x[column[b]];
        __syncwarp();
        PRIM_UNROLL(AT_ONCE)
        for (unsigned b = 0; b < AT_ONCE; b++)
            if (b * LANES < left)
                sum = add_product(sum, number(value[b]), number(x[b]));
    }
    return sum;
}

/* Rows of `least` to `most` entries, LANES lanes each: as many parts. */
template <unsigned LANES, typename V, typename X>
__device__ void sum_rows_of(const entries<V, X> &of, size_t first_row, size_t first_entry,
                            const uint32_t *begins, unsigned rows, unsigned least, unsigned most)
{
    const unsigned lane = threadIdx.x % LANES;
    for (unsigned first = threadIdx.x / WARP * (WARP / LANES); first < rows;
         first += TILE_THREADS / LANES) {
        const unsigned row = first + threadIdx.x % WARP / LANES;
        unsigned begin = 0, length = 0;
        if (row < rows) {
            begin = begins[row];
            length = begins[row + 1] - begin;
        }
        const bool mine = row < rows && length >= least && length <= most;
        if (!any_lane(mine))
            continue;
        working_t<V> sum = sum_entries<LANES>(of, first_entry + begin, mine ? length : 0, lane);
        sum = reduce_warp<sum_operator>(sum, LANES);
        if (lane == 0 && mine)
            of.store(first_row + row, sum);
    }
}

/* A lane's part of a whole piece, at once. */
template <typename V, typename X>
__device__ working_t<V> sum_whole_piece(const entries<V, X> &of, size_t first)
{
    constexpr unsigned EACH = PIECE / WARP;
    const int32_t *const columns = of.columns + first + threadIdx.x % WARP;
    const V *const values = of.values + first + threadIdx.x % WARP;
    int32_t column[EACH];
    V value[EACH];
    X x[EACH];
    PRIM_UNROLL(EACH)
    for (unsigned b = 0; b < EACH; b++) {
        column[b] = columns[b * WARP];
        value[b] = values[b * WARP];
    }
    __syncwarp();
    PRIM_UNROLL(EACH)
    for (unsigned b = 0; b < EACH; b++)
        x[b] = of.x[column[b]];
    __syncwarp();
    working_t<V> sum = 0;
    PRIM_UNROLL(EACH)
    for (unsigned b = 0; b < EACH; b++)
        sum = add_product(sum, number(value[b]), number(x[b]));
    return sum;
}

/* Piece `p` of a row, in the warp's lane 0. */
template <typename V, typename X>
__device__ working_t<V> sum_piece(const entries<V, X> &of, size_t first, unsigned length,
                                  unsigned p)
{
    const unsigned left = length - p * PIECE;
    const size_t begin = first + p * PIECE;
    return reduce_warp<sum_operator>(left >= PIECE
                                         ? sum_whole_piece(of, begin)
                                         : sum_entries<WARP>(of, begin, left, threadIdx.x % WARP));
}

/* A row of some pieces, by a warp, or by all of the block if `is_shared`: piece p's sum goes to a
 * place, as many at a time as there are places, and one warp adds them up, piece p in lane
 * p % 32. */
template <typename V, typename X>
__device__ void sum_by_pieces(const entries<V, X> &of, size_t row, size_t first, unsigned length,
                              working_t<V> *places, bool is_shared)
{
    using T = working_t<V>;
    const unsigned pieces = (length + PIECE - 1) / PIECE, lane = threadIdx.x % WARP,
                   warp = threadIdx.x / WARP, apart = is_shared ? TILE_WARPS : 1;
    const bool adds = warp == 0 || !is_shared;
    const auto wait_for_others = [&] {
        if (is_shared)
            __syncthreads();
        else
            __syncwarp();
    };
    T total = 0;
    PRIM_UNROLL(1)
    for (unsigned from = 0; from < pieces; from += PLACES) {
        const unsigned end = pieces - from < PLACES ? pieces - from : PLACES;
        PRIM_UNROLL(1)
        for (unsigned p = is_shared ? warp : 0; p < end; p += apart) {
            const T sum = sum_piece(of, first, length, from + p);
            if (lane == 0)
                places[p] = sum;
        }
        wait_for_others();
        PRIM_UNROLL(1)
        for (unsigned p = lane; adds && p < end; p += WARP)
            total = add(total, places[p]);
        wait_for_others(); /* before places are used again */
    }
    total = reduce_warp<sum_operator>(total);
    if (lane == 0 && adds)
        of.store(row, total);
}

/* Rows of more than 64 entries. Those of more than `most` are the block's: for each 32 rows,
 * long_rows has a word of bits. Of the others, warp w has rows w, w + 8, …, and its lanes look at
 * all of them at once. One loop goes through both: its code comes from memory, too. */
template <typename V, typename X>
__device__ void sum_long_rows(const entries<V, X> &of, size_t first_row, size_t first_entry,
                              const uint32_t *begins, const unsigned *long_rows, unsigned rows,
                              unsigned most, working_t<V> *places)
{
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP,
                   mine = warp + lane * TILE_WARPS,
                   my_length = mine < rows ? begins[mine + 1] - begins[mine] : 0,
                   own = __ballot_sync(ALL_LANES, my_length > MIDDLE_ROW && my_length <= most);
    const bool is_any_shared = any_lane(long_rows[lane % TILE_WARPS] != 0);
    PRIM_UNROLL(1)
    for (unsigned w = is_any_shared ? 0 : TILE_WARPS; w <= TILE_WARPS; w++) {
        const bool is_shared = w < TILE_WARPS;
        PRIM_UNROLL(1)
        for (unsigned left = is_shared ? long_rows[w] : own; left != 0; left &= left - 1) {
            const unsigned bit = highest_bit(left & (0 - left)),
                           row = is_shared ? w * WARP + bit : warp + bit * TILE_WARPS,
                           begin = begins[row];
            sum_by_pieces(of, first_row + row, first_entry + begin, begins[row + 1] - begin,
                          is_shared ? places : places + warp * PIECES_OF_WARP, is_shared);
        }
    }
}

/* A thread notes each row. */
template <typename V, typename X, typename Offset>
__global__ void __launch_bounds__(TILE_THREADS, blocks_at_once(TILE_THREADS, ROW_BLOCKS_OF<V>))
    multiply_rows(csr_problem<V, X, Offset> a, unsigned most_rows)
{
    PRIM_SHARED(uint32_t, begins, [ROWS + 1]);
    PRIM_SHARED(unsigned, long_rows, [TILE_WARPS]);
    PRIM_SHARED(working_t<V>, places, [PLACES]);
    const size_t first_row = static_cast<size_t>(blockIdx.x) * most_rows,
                 behind = a.p.rows - first_row, first_entry = a.p.offset(first_row);
    const unsigned rows = static_cast<unsigned>(behind < most_rows ? behind : most_rows),
                   most = rows < TILE_WARPS ? PIECE : PIECES_OF_WARP * PIECE, row = threadIdx.x;
    unsigned length = 0;
    if (row < rows) {
        const size_t begin = a.p.offset(first_row + row), end = a.p.offset(first_row + row + 1);
        length = static_cast<unsigned>(end - begin);
        begins[row] = static_cast<uint32_t>(begin - first_entry);
        if (row + 1 == rows)
            begins[rows] = static_cast<uint32_t>(end - first_entry);
    }
    const unsigned longer = __ballot_sync(ALL_LANES, length > most);
    if (row % WARP == 0)
        long_rows[row / WARP] = longer;
    __syncthreads();
    sum_long_rows(a.of, first_row, first_entry, begins, long_rows, rows, most, places);
    sum_rows_of<MIDDLE_PARTS>(a.of, first_row, first_entry, begins, rows, SHORT_ROW + 1,
                              MIDDLE_ROW);
    sum_rows_of<1>(a.of, first_row, first_entry, begins, rows, 0, SHORT_ROW);
}

} // namespace

#endif
