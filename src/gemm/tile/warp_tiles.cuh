/* The kernel of WARP_TILED, SPLIT_K and AUTO: a tile of C for each block, a part of it for each
 * warp, and of that a part for each thread, in registers.
 *
 *        block: M × N           warp: LANES_M · TM  ×  LANES_N · TN
 *     ┌──────┬──────┐          ┌ 4 ┬ 4 ┬ 4 ┬ 4 ┬ 4 ┬ …  LANES_N vectors of 4 columns, a lane each,
 *     │warp 0│warp 1│          ├───┼───┼───┼───┼───┼     and the same again, TN / 4 times
 *     ├──────┼──────┤        4 │ a lane's 4 × 4 elements, TM / 4 · TN / 4 times
 *     │warp 2│warp 3│          ├───┼───┼───┼───┼───┼
 *     └──────┴──────┘
 *
 * A slab is K steps of A and of B in shared memory, k by k, so that a thread reads 4 rows of A or 4
 * columns of B in one load of 16 bytes. STAGES slabs are in flight; copies are asynchronous. For
 * step k + 1, factors are read while those of step k are multiplied.
 *
 * Banks: the lanes of a pair (i, i ^ 1) read the same rows of A, and those of (i, i ^ 2) the same
 * columns of B, so that a load of 16 bytes by 32 lanes takes two passes through shared memory, not
 * four. A slab's rows are padded by a vector: 32 elements that are transposed, 8 along k and 4
 * along the tile, fall into 32 banks. */
#ifndef PRIM_GEMM_WARP_TILES_CUH
#define PRIM_GEMM_WARP_TILES_CUH

#include "common/block/vectors.cuh"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "gemm/problem.cuh"
#include "gemm/tile/c_tile.cuh"

namespace
{
namespace warp_tiles
{

constexpr unsigned WARP = 32;

/* M × N elements of C for a block of WARPS_M × WARPS_N warps; a lane has TM × TN of them. */
template <unsigned M_, unsigned N_, unsigned K_, unsigned WARPS_M_, unsigned WARPS_N_,
          unsigned LANES_M_, unsigned STAGES_, unsigned BLOCKS_>
struct tile_shape {
    static constexpr unsigned M = M_, N = N_, K = K_, WARPS_M = WARPS_M_, WARPS_N = WARPS_N_;
    static constexpr unsigned LANES_M = LANES_M_, LANES_N = WARP / LANES_M_;
    static constexpr unsigned TM = M / WARPS_M / LANES_M, TN = N / WARPS_N / LANES_N;
    static constexpr unsigned THREADS = WARPS_M * WARPS_N * WARP;
    static constexpr unsigned STAGES = STAGES_, BLOCKS = BLOCKS_; /* on a multiprocessor */
    static constexpr bool HOLDS = M * N >= 8192; /* small tiles cannot hide its latency */
    static_assert(TM * LANES_M * WARPS_M == M && TN * LANES_N * WARPS_N == N, "whole parts");
};

/* ---- slabs: from global into shared memory ---- */

/* How an operand lies in memory, seen from its slab: along the tile, or along k, so that it has to
 * be transposed; and in vectors, or by elements where its lines are not aligned. */
enum layout { VECTORS_ALONG_TILE, ALONG_TILE, VECTORS_ALONG_K, ALONG_K, NOTHING, ANY };

template <typename In>
struct operand {
    const In *data; /* of the tile's first row or column, at the first k */
    size_t stride, k_stride;
    unsigned length; /* of the tile, as far as there is an operand */
    layout how;
};

/* Below 8.0 all copies go through registers anyway, and nvcc takes minutes to compile those that
 * are held there. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr bool HOLDING_PAYS = false;
#else
constexpr bool HOLDING_PAYS = true;
#endif

/* K steps of LENGTH elements, each padded by a vector, and how a block of THREADS_ loads them. In
 * each layout a thread copies in some rounds. */
template <typename Sum, unsigned LENGTH_, unsigned K_, unsigned THREADS_, bool MAY_HOLD,
          layout HOW_>
struct slab {
    using element = Sum;
    static constexpr unsigned LENGTH = LENGTH_, K = K_, THREADS = THREADS_;
    static constexpr layout HOW = HOW_; /* ANY: known at run time */
    static constexpr unsigned VECTOR = VECTOR_ELEMENTS<Sum>, ROW = LENGTH + VECTOR;
    /* VECTORS_ALONG_TILE: IN_ROW threads for a step of k */
    static constexpr unsigned IN_ROW = LENGTH / VECTOR, ROWS = THREADS / IN_ROW;
    static constexpr unsigned VECTOR_ROUNDS = ROWS < K ? K / ROWS : 1;
    /* ALONG_TILE: a warp for a step of k */
    static constexpr unsigned WARPS = THREADS / WARP, WARPS_IN_ROW = LENGTH / WARP;
    static constexpr unsigned TILE_ROUNDS = (WARPS < K ? K / WARPS : 1) * WARPS_IN_ROW;
    /* ALONG_K: SIDE threads for a line's steps */
    static constexpr unsigned SIDE = 8, LINES = THREADS / SIDE, LINE_ROUNDS = LENGTH / LINES;
    /* VECTORS_ALONG_K: IN_LINE threads for a line's steps, where that takes one vector a thread */
    static constexpr unsigned IN_LINE = K / VECTOR;
    static constexpr bool HOLDS =
        MAY_HOLD && HOLDING_PAYS && THREADS >= LENGTH * IN_LINE && sizeof(Sum) == 4;
    static_assert(THREADS % IN_ROW == 0 && LENGTH % LINES == 0 && LENGTH % WARP == 0 && K == SIDE,
                  "whole rounds");

    vector<Sum> vectors[K * ROW / VECTOR];

    __device__ Sum *elements()
    {
        return reinterpret_cast<Sum *>(vectors);
    }
    __device__ const vector<Sum> *row(unsigned k) const
    {
        return vectors + k * (ROW / VECTOR);
    }
};

/* A thread's next copies. Elements outside of the operand (whose bit of the mask is 0) are not
 * written, since they affect no element of C. */
template <class Slab, typename In>
struct cursor {
    const In *from;
    size_t step; /* from round to round, in elements */
    shared_place<typename Slab::element> to;
    unsigned mask;
    layout any;
    vector<typename Slab::element> held; /* VECTORS_ALONG_K: loaded, not yet stored */

    __device__ layout how() const
    {
        return Slab::HOW == ANY ? any : Slab::HOW;
    }
    /* Copies nothing from now on. */
    __device__ void stop()
    {
        any = NOTHING;
        mask = 0;
    }
};

/* A bit for each of the elements first, first + step, … that is below `length`. */
__device__ inline unsigned bits_below(unsigned first, unsigned step, unsigned length)
{
    const unsigned count = first < length ? (length - first - 1) / step + 1 : 0;
    return count < 32 ? (1u << count) - 1 : ~0u;
}

template <typename In, class Slab>
__device__ cursor<Slab, In> first_cursor(const operand<In> &x, Slab &first)
{
    const unsigned t = threadIdx.x;
    cursor<Slab, In> c = {};
    unsigned i, k;
    c.any = x.how == VECTORS_ALONG_K && !Slab::HOLDS ? ALONG_K : x.how;
    if (c.how() == ALONG_K) {
        i = t / Slab::SIDE;
        k = t % Slab::SIDE;
        c.step = Slab::LINES * x.stride;
        c.mask = bits_below(i, Slab::LINES, x.length);
    } else if (c.how() == VECTORS_ALONG_K) {
        i = t / Slab::IN_LINE;
        k = t % Slab::IN_LINE * Slab::VECTOR;
        c.mask = i < x.length ? 1 : 0;
    } else if (c.how() == ALONG_TILE) {
        i = t % WARP;
        k = t / WARP;
        c.step = (Slab::WARPS < Slab::K ? Slab::WARPS : Slab::K) * x.k_stride;
        c.mask = k < Slab::K ? bits_below(i, WARP, x.length) : 0;
    } else {
        i = t % Slab::IN_ROW * Slab::VECTOR;
        k = t / Slab::IN_ROW;
        c.step = (Slab::ROWS < Slab::K ? Slab::ROWS : Slab::K) * x.k_stride;
        c.mask = k < Slab::K && i < x.length ? 1 : 0;
    }
    c.from = x.data + i * x.stride + k * x.k_stride;
    c.to = place_in_shared(first.elements()) + static_cast<int>(k * Slab::ROW + i);
    return c;
}

template <typename In, typename Sum>
__device__ void bring_element(shared_place<Sum> to, const In *from)
{
    if constexpr (std::is_same<In, Sum>::value)
        copy_async_to<1>(to, from);
    else
        *to.pointer() = static_cast<Sum>(converted<Sum>(*from));
}

template <class Slab, typename In>
__device__ void bring_vectors_along_tile(cursor<Slab, In> &c)
{
    if constexpr (std::is_same<In, typename Slab::element>::value) {
        PRIM_UNROLL(16)
        for (unsigned r = 0; r < Slab::VECTOR_ROUNDS; r++, c.from += c.step)
            copy_async_if<Slab::VECTOR>(
                c.mask != 0, c.to + static_cast<int>(r * Slab::ROWS * Slab::ROW), c.from);
    }
}

template <class Slab, typename In>
__device__ void bring_along_tile(cursor<Slab, In> &c)
{
    PRIM_UNROLL(32)
    for (unsigned r = 0; r < Slab::TILE_ROUNDS; r++) {
        const unsigned in_row = r % Slab::WARPS_IN_ROW, k = r / Slab::WARPS_IN_ROW * Slab::WARPS;
        if (c.mask >> in_row & 1)
            bring_element(c.to + static_cast<int>(k * Slab::ROW + in_row * WARP),
                          c.from + in_row * WARP);
        if (in_row + 1 == Slab::WARPS_IN_ROW)
            c.from += c.step;
    }
}

template <class Slab, typename In>
__device__ void bring_along_k(cursor<Slab, In> &c)
{
    PRIM_UNROLL(32)
    for (unsigned r = 0; r < Slab::LINE_ROUNDS; r++, c.from += c.step)
        if (c.mask >> r & 1)
            bring_element(c.to + static_cast<int>(r * Slab::LINES), c.from);
    c.from -= Slab::LINE_ROUNDS * c.step - Slab::K;
}

/* Starts the copies of a slab; moves the cursor to the next one. Vectors along k are only held. */
template <class Slab, typename In>
__device__ void bring(cursor<Slab, In> &c)
{
    if (c.how() == VECTORS_ALONG_TILE) {
        bring_vectors_along_tile(c);
    } else if (c.how() == VECTORS_ALONG_K) {
        if constexpr (Slab::HOLDS && std::is_same<In, typename Slab::element>::value)
            if (c.mask != 0)
                c.held = load_vector(c.from);
        c.from += Slab::K;
    } else if (c.how() == ALONG_K) {
        bring_along_k(c);
    } else if (c.how() == ALONG_TILE) {
        bring_along_tile(c);
    }
}

/* Stores held vectors along k, whose elements belong to several steps. */
template <class Slab, typename In>
__device__ void put_held(const cursor<Slab, In> &c)
{
    if constexpr (Slab::HOLDS)
        if (c.how() == VECTORS_ALONG_K) {
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < Slab::VECTOR; e++)
                store_shared_if(c.mask != 0, c.to + static_cast<int>(e * Slab::ROW),
                                c.held.words[e]);
        }
}

/* Moves on in the ring of STAGES slabs: `wrap` after the last one. */
template <unsigned STAGES, class Slab, typename In>
__device__ void next_slab(cursor<Slab, In> &c, bool wrap)
{
    constexpr int SIZE = sizeof(Slab) / sizeof(typename Slab::element);
    c.to = c.to + (wrap ? -static_cast<int>(STAGES - 1) * SIZE : SIZE);
}

/* The first slab of a part takes the remainder, so that all others are whole: `steps` of k, then
 * zeros. */
template <typename In, class Slab>
__device__ void bring_first(Slab &slab, const operand<In> &x, unsigned steps)
{
    const bool along_k = x.how == ALONG_K || x.how == VECTORS_ALONG_K;
    for (unsigned e = threadIdx.x; e < Slab::LENGTH * Slab::K; e += Slab::THREADS) {
        const unsigned i = along_k ? e / Slab::K : e % Slab::LENGTH;
        const unsigned k = along_k ? e % Slab::K : e / Slab::LENGTH;
        auto *const to = slab.elements() + k * Slab::ROW + i;
        if (k >= steps)
            *to = 0;
        else if (i < x.length)
            bring_element(place_in_shared(to), x.data + i * x.stride + k * x.k_stride);
    }
}

/* ---- factors: from shared memory into registers ---- */

template <typename Sum, unsigned COUNT>
struct factors {
    vector<Sum> vectors[COUNT / VECTOR_ELEMENTS<Sum>];

    __device__ Sum at(unsigned i) const
    {
        return vectors[i / VECTOR_ELEMENTS<Sum>].words[i % VECTOR_ELEMENTS<Sum>];
    }
};

/* The lane's vectors lie `lanes` vectors apart. */
template <typename Sum, unsigned COUNT>
__device__ void read_factors(factors<Sum, COUNT> &to, const vector<Sum> *row, unsigned lanes)
{
    PRIM_UNROLL(8)
    for (unsigned v = 0; v < COUNT / VECTOR_ELEMENTS<Sum>; v++)
        to.vectors[v] = row[v * lanes];
}

/* A lane's place in its warp, LANES_M × LANES_N: the bits of both are interleaved, N's first. */
template <class Shape>
struct lane_place {
    unsigned m, n;
};

template <class Shape>
__device__ lane_place<Shape> this_lane()
{
    const unsigned lane = threadIdx.x % WARP;
    if constexpr (Shape::LANES_M == 4) /* n m n m n */
        return {(lane >> 1 & 1) | (lane >> 2 & 2), (lane & 1) | (lane >> 1 & 2) | (lane >> 2 & 4)};
    else if constexpr (Shape::LANES_M == 8) /* n m n m m */
        return {(lane >> 1 & 1) | (lane >> 2 & 6), (lane & 1) | (lane >> 1 & 2)};
    else
        return {lane / Shape::LANES_N, lane % Shape::LANES_N};
}

/* ---- sums ---- */

template <class Shape, typename Sum>
struct lane_sums {
    Sum at[Shape::TM][Shape::TN];
};

/* In serpentine order, so that consecutive products always share a factor: a multiply-add reads
 * three registers, two banks deliver one each in a clock, and operands of the instruction before
 * can be reused. */
template <class Shape, typename Sum>
__device__ void add_products(lane_sums<Shape, Sum> &sums, const factors<Sum, Shape::TM> &a,
                             const factors<Sum, Shape::TN> &b)
{
    PRIM_UNROLL(16)
    for (unsigned j = 0; j < Shape::TN; j++) {
        PRIM_UNROLL(16)
        for (unsigned step = 0; step < Shape::TM; step++) {
            const unsigned i = j % 2 == 0 ? step : Shape::TM - 1 - step;
            sums.at[i][j] = add_product(sums.at[i][j], a.at(i), b.at(j));
        }
    }
}

/* The calling thread's sums of a tile, over `length` steps of k. */
template <class Shape, layout HOW_A, layout HOW_B, typename In, typename Sum>
__device__ void multiply_tile(lane_sums<Shape, Sum> &sums, const operand<In> &a,
                              const operand<In> &b, size_t length)
{
    constexpr unsigned STAGES = Shape::STAGES, K = Shape::K;
    constexpr layout A = HOW_A == VECTORS_ALONG_K && !HOLDING_PAYS ? ANY : HOW_A;
    using slab_a = slab<Sum, Shape::M, K, Shape::THREADS, Shape::HOLDS, A>;
    using slab_b = slab<Sum, Shape::N, K, Shape::THREADS, Shape::HOLDS, HOW_B>;
    PRIM_SHARED(slab_a, slabs_a, [STAGES]);
    PRIM_SHARED(slab_b, slabs_b, [STAGES]);
    if (length == 0)
        return;

    const unsigned warp = threadIdx.x / WARP;
    const auto lane = this_lane<Shape>();
    const unsigned column_a =
        warp / Shape::WARPS_N * (Shape::TM * Shape::LANES_M / slab_a::VECTOR) + lane.m;
    const unsigned column_b =
        warp % Shape::WARPS_N * (Shape::TN * Shape::LANES_N / slab_b::VECTOR) + lane.n;

    auto from_a = first_cursor(a, slabs_a[0]);
    auto from_b = first_cursor(b, slabs_b[0]);
    const unsigned odd = static_cast<unsigned>(length % K);
    size_t left = length / K + (odd != 0); /* slabs */
    PRIM_UNROLL(8)
    for (unsigned s = 0; s + 1 < STAGES; s++) {
        if (s == 0 && odd != 0) {
            bring_first(slabs_a[0], a, odd);
            bring_first(slabs_b[0], b, odd);
            from_a.from += odd * a.k_stride;
            from_b.from += odd * b.k_stride;
        } else if (s < left) {
            bring(from_a);
            bring(from_b);
            put_held(from_a);
            put_held(from_b);
        }
        close_batch_of_copies();
        next_slab<STAGES>(from_a, false);
        next_slab<STAGES>(from_b, false);
    }
    wait_for_copies_but<STAGES - 2>();
    __syncthreads();

    factors<Sum, Shape::TM> a_factors[2];
    factors<Sum, Shape::TN> b_factors[2];
    unsigned read = 0;
    read_factors(a_factors[0], slabs_a[0].row(0) + column_a, Shape::LANES_M);
    read_factors(b_factors[0], slabs_b[0].row(0) + column_b, Shape::LANES_N);
    for (; left > 0; left--) {
        if (left < STAGES) { /* the last ones are in flight */
            from_a.stop();
            from_b.stop();
        }
        PRIM_UNROLL(16)
        for (unsigned k = 0; k < K; k++) {
            if (k + 1 == K) { /* the next slab is complete, and all have read this one */
                wait_for_copies_but<STAGES - 2>();
                __syncthreads();
                read = read + 1 == STAGES ? 0 : read + 1;
            }
            read_factors(a_factors[(k + 1) % 2], slabs_a[read].row((k + 1) % K) + column_a,
                         Shape::LANES_M);
            read_factors(b_factors[(k + 1) % 2], slabs_b[read].row((k + 1) % K) + column_b,
                         Shape::LANES_N);
            if (k == 0) { /* into the slab before this one */
                bring(from_a);
                bring(from_b);
                close_batch_of_copies();
            }
            if (k + 4 == K) {
                put_held(from_a);
                put_held(from_b);
                next_slab<STAGES>(from_a, read == 0);
                next_slab<STAGES>(from_b, read == 0);
            }
            add_products(sums, a_factors[k % 2], b_factors[k % 2]);
        }
    }
}

/* ---- the kernel ---- */

/* How the work is divided: products × parts of k × tiles, along one dimension of the grid. */
struct cut {
    unsigned tiles_m, tiles_n, parts;
    size_t part;   /* elements of k in a part */
    void *partial; /* sums for a second pass, part by part; NULL: C is written */
    size_t partial_ld;
    bool a_vectors, b_vectors, c_vectors;
};

/* `vectors`: the lines in memory begin at whole ones, and hold only such. */
template <typename In>
__device__ operand<In> operand_of(const In *data, size_t stride, size_t k_stride, size_t first,
                                  size_t length, unsigned tile, bool vectors)
{
    const size_t left = length - first;
    const bool along_k = k_stride == 1 && stride != 1;
    return {data + first * stride, stride, k_stride,
            left < tile ? static_cast<unsigned>(left) : tile,
            along_k ? (vectors ? VECTORS_ALONG_K : ALONG_K)
                    : (vectors ? VECTORS_ALONG_TILE : ALONG_TILE)};
}

/* A tile's C: from (row, column) on of m × n. */
template <typename Out>
struct c_tile {
    Out *c;
    size_t ld, row, column, m, n;
};

/* visit(row, column, sums) for each vector of a lane's own sums that lies in C. */
template <class Shape, typename Out, class Visit>
__device__ void for_each_own(const c_tile<Out> &to, const lane_sums<Shape, sum_of<Out>> &sums,
                             Visit visit)
{
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<sum_of<Out>>;
    const unsigned warp = threadIdx.x / WARP;
    const auto lane = this_lane<Shape>();
    const size_t first_row =
        to.row + warp / Shape::WARPS_N * (Shape::TM * Shape::LANES_M) + lane.m * VECTOR;
    const size_t first_column =
        to.column + warp % Shape::WARPS_N * (Shape::TN * Shape::LANES_N) + lane.n * VECTOR;
    PRIM_UNROLL(16)
    for (unsigned i = 0; i < Shape::TM; i++) {
        const size_t r = first_row + i / VECTOR * (Shape::LANES_M * VECTOR) + i % VECTOR;
        PRIM_UNROLL(16)
        for (unsigned j = 0; j < Shape::TN; j += VECTOR) {
            const size_t s = first_column + j * Shape::LANES_N;
            if (r < to.m && s < to.n)
                visit(r, s, &sums.at[i][j]);
        }
    }
}

/* The short code for what most calls want: rows that consist of whole vectors, and beta = 0. Code
 * comes from memory too, the first time. */
template <class Shape, typename Sum>
__device__ void store_vectors(Sum alpha, const c_tile<Sum> &to, const lane_sums<Shape, Sum> &sums)
{
    for_each_own(to, sums, [&](size_t r, size_t s, const Sum *own) {
        vector<Sum> values;
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < VECTOR_ELEMENTS<Sum>; e++)
            values.words[e] = multiply(alpha, own[e]);
        *reinterpret_cast<vector<Sum> *>(&to.c[r * to.ld + s]) = values;
    });
}

/* By vectors where rows of C begin at these, whatever beta is. */
template <class Shape, typename Out>
__device__ void store_own(const scaled<sum_of<Out>> &scale, const c_tile<Out> &to,
                          const lane_sums<Shape, sum_of<Out>> &sums, bool vectors)
{
    for_each_own(to, sums, [&](size_t r, size_t s, const sum_of<Out> *own) {
        store_some<VECTOR_ELEMENTS<sum_of<Out>>>(scale, &to.c[r * to.ld + s], own, to.n - s,
                                                 vectors);
    });
}

/* Where rows of C begin anywhere: the vectors of a warp's lanes, whose rows lie a vector's elements
 * apart, go through shared memory, so that the lanes store elements side by side. */
template <class Shape, typename Out>
__device__ void store_elements(const scaled<sum_of<Out>> &scale, const c_tile<Out> &to,
                               const lane_sums<Shape, sum_of<Out>> &sums)
{
    using Sum = sum_of<Out>;
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<Sum>, ACROSS = Shape::LANES_N * VECTOR,
                       ROWS_APART = WARP / ACROSS * VECTOR;
    PRIM_SHARED(vector<Sum>, places, [Shape::THREADS]);
    const unsigned warp = threadIdx.x / WARP, number = threadIdx.x % WARP;
    const auto lane = this_lane<Shape>();
    vector<Sum> *const of_warp = &places[warp * WARP];
    const size_t first_row =
        to.row + warp / Shape::WARPS_N * (Shape::TM * Shape::LANES_M) + number / ACROSS * VECTOR;
    const size_t first_column =
        to.column + warp % Shape::WARPS_N * (Shape::TN * Shape::LANES_N) + number % ACROSS;
    PRIM_UNROLL(16)
    for (unsigned i = 0; i < Shape::TM; i++) {
        const size_t row = first_row + i / VECTOR * (Shape::LANES_M * VECTOR) + i % VECTOR;
        PRIM_UNROLL(16)
        for (unsigned j = 0; j < Shape::TN; j += VECTOR) {
            vector<Sum> own;
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < VECTOR; e++)
                own.words[e] = sums.at[i][j + e];
            __syncwarp();
            of_warp[lane.m * Shape::LANES_N + lane.n] = own;
            __syncwarp();
            const size_t s = first_column + j * Shape::LANES_N;
            PRIM_UNROLL(4)
            for (unsigned e = 0; e < VECTOR; e++) {
                const size_t r = row + e * ROWS_APART;
                if (r < to.m && s < to.n)
                    scale.store(&to.c[r * to.ld + s],
                                reinterpret_cast<const Sum *>(of_warp)[e * WARP + number]);
            }
        }
    }
}

/* Of types that are not converted: others leave no registers for store_elements(). Nor does a tile
 * that has a multiprocessor to itself: nvcc would make its loop slower. */
template <class Shape, typename Sum>
__device__ void store_tile(const scaled<Sum> &scale, const c_tile<Sum> &to,
                           const lane_sums<Shape, Sum> &sums, bool vectors)
{
    if (vectors && scale.beta == 0)
        store_vectors(scale.alpha, to, sums);
    else if (vectors || Shape::BLOCKS == 1)
        store_own(scale, to, sums, vectors);
    else
        store_elements(scale, to, sums);
}

/* Whether a tile's rows consist of whole vectors, if they begin at one. */
template <class Shape, typename Sum>
__device__ bool has_vectors_across(size_t column, size_t n)
{
    return n % VECTOR_ELEMENTS<Sum> == 0 || n - column >= Shape::N;
}

template <class Shape, layout HOW_A, layout HOW_B, typename In, typename Out>
__global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
    multiply(problem<In, Out> batch, cut how)
{
    using Sum = sum_of<Out>;
    const unsigned tiles = how.tiles_m * how.tiles_n;
    const unsigned tile = blockIdx.x % tiles, part = blockIdx.x / tiles % how.parts;
    const problem<In, Out> p = batch.at(blockIdx.x / tiles / how.parts);
    const tile_place at = place_of(tile, how.tiles_m, how.tiles_n);
    const size_t row = static_cast<size_t>(at.down) * Shape::M;
    const size_t column = static_cast<size_t>(at.across) * Shape::N;
    const size_t begin = part * how.part;
    const size_t end = p.k - begin < how.part ? p.k : begin + how.part;

    trigger_launch_completion();
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<Sum>;
    const operand<In> a =
        operand_of(p.a.data + begin * p.a.column_stride, p.a.row_stride, p.a.column_stride, row,
                   p.m, Shape::M, how.a_vectors && is_aligned<In, VECTOR>(p.a.data));
    const operand<In> b =
        operand_of(p.b.data + begin * p.b.row_stride, p.b.column_stride, p.b.row_stride, column,
                   p.n, Shape::N, how.b_vectors && is_aligned<In, VECTOR>(p.b.data));
    lane_sums<Shape, Sum> sums = {};
    multiply_tile<Shape, HOW_A, HOW_B>(sums, a, b, end - begin);
    const bool is_part = how.partial != nullptr,
               vectors = how.c_vectors && is_aligned<Out, VECTOR>(p.c);
    const scaled<Sum> scale = {is_part ? Sum(1) : p.scale.alpha, is_part ? Sum(0) : p.scale.beta};
    Sum *const sums_of_part =
        static_cast<Sum *>(how.partial) + blockIdx.x / tiles * p.m * how.partial_ld;
    const size_t ld = is_part ? how.partial_ld : p.ldc;
    if constexpr (std::is_same<In, Sum>::value)
        store_tile<Shape>(scale, {is_part ? sums_of_part : p.c, ld, row, column, p.m, p.n}, sums,
                          is_part || (vectors && has_vectors_across<Shape, Sum>(column, p.n)));
    else if (is_part)
        store_own<Shape, Sum>(scale, {sums_of_part, ld, row, column, p.m, p.n}, sums, true);
    else
        store_own<Shape, Out>(scale, {p.c, ld, row, column, p.m, p.n}, sums, vectors);
}

/* ---- the second pass: partial sums, part after part ---- */

constexpr unsigned PASS_THREADS = 256;

/* C alone, so that one kernel serves all types of A and B. */
template <typename Out>
struct target {
    Out *c;
    Out *const *pointers;
    size_t m, n, ldc, stride, batches;
    scaled<sum_of<Out>> scale;
};

template <typename In, typename Out>
target<Out> target_of(const problem<In, Out> &p)
{
    return {p.c, p.batch.c, p.m, p.n, p.ldc, p.batch.c_stride, p.batch.count, p.scale};
}

/* A vector of C for each thread. */
template <typename Out>
__global__ void __launch_bounds__(PASS_THREADS) add_parts(target<Out> to, cut how)
{
    using Sum = sum_of<Out>;
    constexpr unsigned VECTOR = VECTOR_ELEMENTS<Sum>;
    const size_t index = static_cast<size_t>(blockIdx.x) * PASS_THREADS + threadIdx.x;
    const size_t in_row = how.partial_ld / VECTOR, row = index / in_row; /* of all products */
    const size_t column = index % in_row * VECTOR;
    grid_dependency_synchronize();
    if (row >= to.m * to.batches)
        return;
    const size_t product = row / to.m, part_elements = to.m * how.partial_ld;
    const Sum *from = static_cast<const Sum *>(how.partial) + product * how.parts * part_elements +
                      row % to.m * how.partial_ld + column;
    vector<Sum> sums = load_vector(from);
    PRIM_UNROLL(4)
    for (unsigned part = 1; part < how.parts; part++) {
        const vector<Sum> more = load_vector(from + part * part_elements);
        PRIM_UNROLL(4)
        for (unsigned e = 0; e < VECTOR; e++)
            sums.words[e] = add(sums.words[e], more.words[e]);
    }
    Out *const c = to.pointers != nullptr ? to.pointers[product] : to.c + product * to.stride;
    store_some<VECTOR>(to.scale, &c[row % to.m * to.ldc + column], sums.words, to.n - column,
                       how.c_vectors && is_aligned<Out, VECTOR>(c));
}

} // namespace warp_tiles
} // namespace

#endif
