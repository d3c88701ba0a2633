/* Products of rows that lie along memory with x: lanes sum several rows at once, so that x is
 * loaded once for all of them.
 *
 * A lane has vectors of its rows, and a sum for each of a vector's places. There are three ways to
 * read the elements, with the same sums in the end:
 *
 *     vectors      ▒0▒0▒0▒0 ▒1▒1▒1▒1 …    16 bytes a load, where all rows begin at 16 bytes
 *     singles       0 0 0 0  1 1 1 1      the same elements one by one: rows of less than a warp
 *     interleaved   0 1 2 3  4 5 6 7 …    the warp's 32 vectors, a lane every 32nd element: whole
 *                                         sectors whatever the alignment; shuffles put the sums
 *                                         of a vector together */
#ifndef PRIM_GEMV_ROW_SUMS_CUH
#define PRIM_GEMV_ROW_SUMS_CUH

#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "gemv/problem.cuh"

namespace
{

/* Rows at a time: fewer where a vector has more places. */
template <typename T>
constexpr unsigned ROWS_AT_ONCE = VECTOR_ELEMENTS<T> <= 4 ? 4 : 16 / VECTOR_ELEMENTS<T>;

/* Blocks on a multiprocessor: more places take more registers, of which nvcc finds fewer ways to
 * save before 9.0. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
[[maybe_unused]] constexpr unsigned BLOCKS_OF_HALVES = 2;
#else
[[maybe_unused]] constexpr unsigned BLOCKS_OF_HALVES = 3;
#endif
template <typename T>
[[maybe_unused]] constexpr unsigned BLOCKS_AT_ONCE = VECTOR_ELEMENTS<T> > 8   ? 1
                                                     : VECTOR_ELEMENTS<T> > 4 ? BLOCKS_OF_HALVES
                                                                              : 4;

enum row_way { ROW_VECTORS, ROW_SINGLES, ROW_INTERLEAVED };

/* Rows first, first + stride, …. For a row that does not exist the matrix's first one is read, and
 * nothing stored. */
template <class Problem>
struct row_bundle {
    using T = typename Problem::element;

    const Problem &p;
    size_t first;
    unsigned stride;
    const T *from; /* row `first` */
    size_t step;   /* elements from row to row of the bundle */

    __device__ row_bundle(const Problem &of, size_t first_row, unsigned rows_apart)
        : p(of), first(first_row), stride(rows_apart),
          from(of.a.data + first_row * of.a.row_stride), step(rows_apart * of.a.row_stride)
    {
    }
    __device__ size_t row(unsigned r) const
    {
        return first + r * stride;
    }
    __device__ bool has(unsigned r) const
    {
        return row(r) < p.outputs;
    }
    __device__ const T *data(unsigned r) const
    {
        return has(r) ? from + r * step : p.a.data;
    }
    /* Moves on by `rows` rows. */
    __device__ void advance(unsigned rows)
    {
        first += rows * stride;
        from += rows * step;
    }
};

/* The places of a lane's elements of a vector in a row. */
template <row_way WAY, typename T>
struct lane_elements {
    static constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>,
                              STRIDE = WAY == ROW_INTERLEAVED ? WARP : 1;
    size_t first;

    __device__ lane_elements(size_t base, unsigned lane)
        : first(WAY == ROW_INTERLEAVED ? base * WIDTH + lane : (base + lane) * WIDTH)
    {
    }
    /* One by one; 0 past the row's end, which adds 0 to a sum. */
    __device__ vector<T> singles(const T *row, size_t count, size_t stride) const
    {
        constexpr unsigned SPAN = WIDTH * STRIDE;
        const size_t behind = first < count ? count - first : 0;
        const unsigned left = behind < SPAN ? static_cast<unsigned>(behind) : SPAN;
        const T *const from = row + first * stride;
        vector<T> x = {};
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (e * STRIDE < left)
                set_element(x, e, from[e * STRIDE * stride]);
        return x;
    }
    __device__ vector<T> load(const T *row, size_t count, size_t stride, bool aligned) const
    {
        if (WAY == ROW_VECTORS && aligned && first + WIDTH <= count)
            return load_vector(row + first);
        return singles(row, count, stride);
    }
};

/* Rounded, in the type of sums. */
template <class Problem, class Vector>
__device__ typename Problem::sum_type product_of(const Vector &a, const Vector &x, unsigned e)
{
    using sum_type = typename Problem::sum_type;
    return multiply(static_cast<sum_type>(element_of(a, e)),
                    static_cast<sum_type>(element_of(x, e)));
}

/* Of vectors base + lane, base + lane + step, … before `end`: UNROLL of them in each of ROWS rows
 * are in flight at once. */
template <row_way WAY, unsigned ROWS, unsigned UNROLL, class Problem, unsigned WIDTH>
__device__ void walk_rows(const row_bundle<Problem> &rows, size_t base, size_t end, unsigned step,
                          unsigned lane, typename Problem::sum_type (&sums)[ROWS][WIDTH])
{
    using T = typename Problem::element;
    const Problem &p = rows.p;
    const bool x_is_aligned = bytes_past_vector(p.x) == 0;
    const T *row[ROWS];
    PRIM_UNROLL(ROWS)
    for (unsigned r = 0; r < ROWS; r++)
        row[r] = rows.data(r);
    PRIM_UNROLL(1)
    for (; base < end; base += UNROLL * step) {
        vector<T> x[UNROLL], a[UNROLL][ROWS];
        PRIM_UNROLL(UNROLL)
        for (unsigned u = 0; u < UNROLL; u++) {
            const lane_elements<WAY, T> mine(base + u * step, lane);
            PRIM_UNROLL(ROWS)
            for (unsigned r = 0; r < ROWS; r++)
                a[u][r] = mine.load(row[r], p.inner, p.a.column_stride, true);
            x[u] = mine.load(p.x, p.inner, 1, x_is_aligned);
        }
        PRIM_UNROLL(UNROLL)
        for (unsigned u = 0; u < UNROLL; u++) {
            PRIM_UNROLL(ROWS)
            for (unsigned r = 0; r < ROWS; r++) {
                PRIM_UNROLL(WIDTH)
                for (unsigned e = 0; e < WIDTH; e++)
                    sums[r][e] = add(sums[r][e], product_of<Problem>(a[u][r], x[u], e));
            }
        }
    }
}

/* A vector's places first, and then the lanes, halves first in both: into each first of that many
 * lanes. */
template <row_way WAY, unsigned WIDTH, typename T>
__device__ T sum_of_lanes(T (&sums)[WIDTH], unsigned lanes)
{
    if constexpr (WAY == ROW_INTERLEAVED) { /* place e of a vector is with its e-th lane */
        PRIM_UNROLL(4)
        for (unsigned half = WIDTH / 2; half > 0; half /= 2)
            for (unsigned e = 0; e < WIDTH; e++)
                sums[e] = add(sums[e], shuffle_down(sums[e], half));
    }
    PRIM_UNROLL(4)
    for (unsigned half = WIDTH / 2; half > 0; half /= 2)
        for (unsigned e = 0; e < half; e++)
            sums[e] = add(sums[e], sums[e + half]);
    if constexpr (WAY == ROW_INTERLEAVED) { /* a lane held vectors 32/WIDTH apart */
        PRIM_UNROLL(4)
        for (unsigned stride = WARP / 2; stride >= WIDTH; stride /= 2)
            sums[0] = add(sums[0], shuffle_down(sums[0], stride));
        return sums[0];
    }
    return reduce_warp<sum_operator>(sums[0], lanes);
}

template <row_way WAY, unsigned ROWS, unsigned UNROLL, class Problem>
__device__ void sum_rows_by(const row_bundle<Problem> &rows, size_t base, size_t end, unsigned step,
                            unsigned lane, unsigned lanes,
                            typename Problem::sum_type (&result)[ROWS])
{
    using sum_type = typename Problem::sum_type;
    sum_type sums[ROWS][VECTOR_ELEMENTS<typename Problem::element>] = {};
    walk_rows<WAY, ROWS, UNROLL>(rows, base, end, step, lane, sums);
    PRIM_UNROLL(ROWS)
    for (unsigned r = 0; r < ROWS; r++)
        result[r] = sum_of_lanes<WAY>(sums[r], lanes);
}

template <class Problem>
__device__ bool rows_are_aligned(const Problem &p)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<typename Problem::element>;
    return p.a.column_stride == 1 && bytes_past_vector(p.a.data) == 0 &&
           (p.a.row_stride % WIDTH == 0 || p.outputs == 1);
}

/* Adds up by that many lanes of a warp for a row; each row's first lane has the result. */
template <unsigned ROWS, unsigned UNROLL, class Problem>
__device__ void sum_rows(const row_bundle<Problem> &rows, size_t base, size_t end, unsigned step,
                         unsigned lanes, typename Problem::sum_type (&result)[ROWS])
{
    const unsigned lane = threadIdx.x & (lanes - 1);
    if (rows_are_aligned(rows.p))
        sum_rows_by<ROW_VECTORS, ROWS, UNROLL>(rows, base, end, step, lane, lanes, result);
    else if (lanes < WARP)
        sum_rows_by<ROW_SINGLES, ROWS, UNROLL>(rows, base, end, step, lane, lanes, result);
    else
        sum_rows_by<ROW_INTERLEAVED, ROWS, UNROLL>(rows, base, end, step, lane, lanes, result);
}

} // namespace

#endif
