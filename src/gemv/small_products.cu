/* Batches of small products: a block takes several that lie one after the other.
 *
 *     memory   A0▒▒▒▒▒A1▒▒▒▒▒A2▒▒▒▒▒…    a window, 16 bytes a copy, wherever rows and matrices end
 *                 ↓     ↓     ↓
 *     shared   ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒     and the x likewise; then a thread has an element of y
 *
 * A block for each product would have more threads than a matrix of 37 elements has work, and its
 * loads would end where the matrix ends. Any thread can read any element from shared memory at
 * little cost, so the kernels along memory and across it differ only in their order.
 *
 * The orders are those of order.h, whose lanes, warps or rows of threads are leaves of a tree here.
 * One thread adds up the whole tree, so the leaves are in bit-reversed order, in which sums that
 * are added first are consecutive, and partial sums wait in registers for their other half, like
 * the digits of a binary counter:
 *
 *     halves first    (0 + 4) + (2 + 6)  +  (1 + 5) + (3 + 7)
 *     the counter      1   10    …  100      leaves 0 4 2 6 1 5 3 7: the bits of 0 1 2 3 … reversed
 *
 * Where a block has fewer elements of y than threads, a team of lanes shares one: each has the
 * leaves that lie that many apart, and shuffles add up the rest.
 *
 * Work: rows · columns products. Bytes: A, x and y once. */
#include "common/block/warp.cuh"
#include "common/host/device.h"
#include "common/host/element.h"
#include "common/kernel/async_copy.cuh"
#include "common/kernel/shared.cuh"
#include "gemv/order.h"
#include "gemv/row_sums.cuh"
#include "gemv/small_products.h"

namespace
{
namespace small_products
{

constexpr unsigned BLOCK = PRIM_GEMV_THREADS;
constexpr size_t TILE_BYTES = 40 << 10;     /* of a block's operands */
constexpr size_t ENOUGH_BLOCKS = 8;         /* on a multiprocessor */
constexpr size_t MOST_OUTPUTS = 32 * BLOCK; /* of a block: each takes a round of all threads */
constexpr size_t MUCH_WORK = 8 * BLOCK; /* lanes of a product that are worth blocks of its own */
constexpr unsigned NO_PAD = 31;

/* How a matrix or an x of each product lies in memory and in shared memory. */
struct window {
    unsigned span;  /* elements of one, gaps between its rows included */
    unsigned pitch; /* in shared memory, from product to product */
    bool is_flat;   /* pitch is the stride: all of them are copied in one piece */
    unsigned shift; /* a vector of padding after each 2^shift, to avoid bank conflicts */
    unsigned bytes; /* of a block's */
};

/* How rows of op(A) lie; VECTORS: they and x are whole vectors, and begin at 16 bytes; ONE: x has a
 * single element. */
enum way { ONE, ACROSS, ALONG, ALONG_VECTORS };

/* How a block's work is divided. */
struct share {
    size_t batches;
    unsigned products, outputs, inner; /* of a block; of a product */
    unsigned output_step, inner_step;  /* elements of A from one to the next */
    window a, x;
    enum way way;
    unsigned leaves, leaf_bits, warp_bits; /* rounded up to powers of two */
    unsigned step;                         /* from a vector or an element of a leaf to its next */
    unsigned team_bits;
};

/* ---- shared memory ---- */

/* A window in shared memory; elements keep the distance past 16 bytes that they had. */
template <typename T>
struct tile {
    static constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;

    T *data;
    unsigned shift;

    __device__ unsigned place(unsigned i) const
    {
        return i + (i / WIDTH >> shift) * WIDTH;
    }
    /* PADDED: it may have pads. */
    template <bool PADDED>
    __device__ T at(unsigned i) const
    {
        return data[PADDED ? place(i) : i];
    }
    __device__ vector<T> vector_at(unsigned i) const
    {
        return load_vector(data + place(i));
    }

    /* Copies `count` elements of global memory to elements `to` … of the tile, by `threads`
     * threads: in whole vectors, except at both ends. */
    __device__ void bring(const T *from, unsigned count, unsigned to, unsigned thread,
                          unsigned threads) const
    {
        const unsigned past = to % WIDTH, end = past + count;
        const T *const around = from - past;
        T *const line = data;
        PRIM_UNROLL(4)
        for (unsigned i = thread * WIDTH; i < end; i += threads * WIDTH) {
            T *const into = line + place(to - past + i);
            if (i >= past && i + WIDTH <= end) {
                copy_async(reinterpret_cast<vector<T> *>(into),
                           reinterpret_cast<const vector<T> *>(around + i));
                continue;
            }
            for (unsigned e = 0; e < WIDTH; e++)
                if (i + e >= past && i + e < end)
                    into[e] = around[i + e];
        }
    }
};

/* The operands of one kind of a block's products. */
template <typename T>
struct operands {
    const T *from; /* of the block's first product */
    size_t stride;
    window w;
    tile<T> to;

    __device__ operands(const T *first, size_t apart, const window &of, void *shared)
        : from(first), stride(apart), w(of), to{static_cast<T *>(shared), of.shift}
    {
    }
    __device__ static unsigned past(const T *element)
    {
        return bytes_past_vector(element) / static_cast<unsigned>(sizeof(T));
    }
    /* Where a product's first element is in the tile. */
    __device__ unsigned begin(unsigned product) const
    {
        return product * w.pitch + past(w.is_flat ? from : from + product * stride);
    }
    __device__ void bring(unsigned products) const
    {
        if (w.is_flat) {
            to.bring(from, (products - 1) * w.pitch + w.span, begin(0), threadIdx.x, BLOCK);
            return;
        }
        for (unsigned i = threadIdx.x / WARP; i < products; i += BLOCK / WARP)
            to.bring(from + i * stride, w.span, begin(i), threadIdx.x % WARP, WARP);
    }
};

/* ---- leaves ---- */

[[maybe_unused]] constexpr unsigned FOUR = 4; /* leaves at a time */

/* Of a row that lies along memory: a leaf has vectors first, first + step, …, and then the sums of
 * a vector's places. */
template <class Problem, bool VECTORS, bool PADDED>
struct leaves_along {
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;
    static constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;

    const tile<T> &a, &x;
    const share &s;
    unsigned of_a, of_x; /* the first elements of the row and of its x */

    __device__ void four(unsigned leaf, unsigned apart, sum_type (&sums)[FOUR]) const
    {
        sum_type places[FOUR][WIDTH] = {};
        unsigned at[FOUR];
        PRIM_UNROLL(FOUR)
        for (unsigned q = 0; q < FOUR; q++)
            at[q] = first_of(leaf + q * apart);
        PRIM_UNROLL(1)
        for (unsigned begin = 0; begin < s.inner; begin += s.step * WIDTH) {
            PRIM_UNROLL(FOUR)
            for (unsigned q = 0; q < FOUR; q++)
                add_vector(begin + at[q], places[q]);
        }
        PRIM_UNROLL(FOUR)
        for (unsigned q = 0; q < FOUR; q++)
            sums[q] = sum_of_lanes<ROW_VECTORS>(places[q], 1);
    }
    /* Its first element; the row's end where there is no such leaf. */
    __device__ unsigned first_of(unsigned leaf) const
    {
        const unsigned warp = leaf & ((1u << s.warp_bits) - 1);
        return leaf < s.leaves ? ((leaf >> s.warp_bits) + warp * WARP) * WIDTH : s.inner;
    }
    __device__ void add_vector(unsigned i, sum_type (&places)[WIDTH]) const
    {
        if constexpr (VECTORS) {
            if (i >= s.inner)
                return;
            const vector<T> of_row = a.vector_at(of_a + i), of_other = x.vector_at(of_x + i);
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                places[e] = add(places[e], product_of<Problem>(of_row, of_other, e));
        } else if (i + WIDTH <= s.inner) {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                add_element(i + e, places[e]);
        } else {
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (i + e < s.inner)
                    add_element(i + e, places[e]);
        }
    }
    __device__ void add_element(unsigned i, sum_type &place) const
    {
        place = add(place, multiply(Problem::value_of(a.template at<PADDED>(of_a + i)),
                                    Problem::value_of(x.template at<PADDED>(of_x + i))));
    }
};

/* Of a row that lies across memory: a leaf has elements first, first + step, …. The steps of what
 * is small are 128 at least, and no more leaves are asked for, so one that is not there lies after
 * the end. */
template <class Problem, bool PADDED>
struct leaves_across {
    using T = typename Problem::element;
    using sum_type = typename Problem::sum_type;

    const tile<T> &a, &x;
    const share &s;
    unsigned of_a, of_x;

    __device__ void four(unsigned leaf, unsigned apart, sum_type (&sums)[FOUR]) const
    {
        const unsigned last = leaf + (FOUR - 1) * apart;
        PRIM_UNROLL(FOUR)
        for (unsigned q = 0; q < FOUR; q++)
            sums[q] = 0;
        PRIM_UNROLL(1)
        for (unsigned begin = 0; begin < s.inner; begin += s.step) {
            const bool all = begin + last < s.inner;
            PRIM_UNROLL(FOUR)
            for (unsigned q = 0; q < FOUR; q++) {
                const unsigned i = begin + leaf + q * apart;
                if (all || i < s.inner)
                    sums[q] = add(sums[q], product_at(i));
            }
        }
    }
    /* The sum of one product, or of none. */
    __device__ sum_type first() const
    {
        return s.inner > 0 ? add(sum_type(0), product_at(0)) : sum_type(0);
    }
    __device__ sum_type product_at(unsigned i) const
    {
        return multiply(Problem::value_of(a.template at<PADDED>(of_a + i * s.inner_step)),
                        Problem::value_of(x.template at<PADDED>(of_x + i)));
    }
};

constexpr unsigned DIGITS = PRIM_GEMV_THREAD_BITS - 2;

/* Increments the counter, whose bits are reversed: each 1 on the way is a sum that waited for this
 * one, and at the first 0 the new sum waits itself. */
template <unsigned DIGIT, typename T>
__device__ void carry(T (&waiting)[DIGITS], T &sum, unsigned &counter, unsigned bit)
{
    if (bit == 0)
        return; /* all leaves are in it */
    counter ^= bit;
    if ((counter & bit) != 0) {
        waiting[DIGIT] = sum;
    } else {
        sum = add(waiting[DIGIT], sum);
        if constexpr (DIGIT + 1 < DIGITS)
            carry<DIGIT + 1>(waiting, sum, counter, bit / 2);
    }
}

/* The sum of a team member's leaves, halves first: four at a time, a quarter of all leaves
 * apart. */
template <typename T, class Leaves>
__device__ T sum_of_leaves(const share &s, unsigned member, const Leaves &leaves)
{
    const unsigned quarter = 1u << s.leaf_bits >> 2, steps = quarter >> s.team_bits;
    T waiting[DIGITS] = {0}, sum = 0;
    unsigned counter = 0;
    PRIM_UNROLL(1)
    for (unsigned step = 0; step < steps; step++) {
        T sums[FOUR];
        leaves.four((counter << s.team_bits) + member, quarter, sums);
        sum = add(add(sums[0], sums[2]), add(sums[1], sums[3]));
        carry<0>(waiting, sum, counter, steps / 2);
    }
    return sum;
}

/* ---- the kernel ---- */

/* By elements. */
template <bool PADDED, class Problem, typename T>
__device__ typename Problem::sum_type sum_singly(const share &s, unsigned member, const tile<T> &a,
                                                 const tile<T> &x, unsigned of_a, unsigned of_x)
{
    using sum_type = typename Problem::sum_type;
    if (s.way == ACROSS)
        return sum_of_leaves<sum_type>(s, member,
                                       leaves_across<Problem, PADDED>{a, x, s, of_a, of_x});
    return sum_of_leaves<sum_type>(s, member,
                                   leaves_along<Problem, false, PADDED>{a, x, s, of_a, of_x});
}

template <class Problem, typename T>
__device__ typename Problem::sum_type sum_of_output(const share &s, const operands<T> &a,
                                                    const operands<T> &x, unsigned product,
                                                    unsigned row)
{
    using sum_type = typename Problem::sum_type;
    const unsigned of_a = a.begin(product) + row * s.output_step, of_x = x.begin(product),
                   member = threadIdx.x & ((1u << s.team_bits) - 1);
    sum_type sum;
    if (s.way == ONE)
        return leaves_across<Problem, true>{a.to, x.to, s, of_a, of_x}.first();
    if (s.way == ALONG_VECTORS)
        sum = sum_of_leaves<sum_type>(s, member,
                                      leaves_along<Problem, true, true>{a.to, x.to, s, of_a, of_x});
    else if (s.a.shift == NO_PAD && s.x.shift == NO_PAD)
        sum = sum_singly<false, Problem>(s, member, a.to, x.to, of_a, of_x);
    else
        sum = sum_singly<true, Problem>(s, member, a.to, x.to, of_a, of_x);
    return reduce_warp<sum_operator>(sum, 1u << s.team_bits);
}

template <class Problem>
__global__ void __launch_bounds__(BLOCK,
                                  blocks_at_once(BLOCK, BLOCKS_AT_ONCE<typename Problem::element>))
    multiply_several(Problem batch, share s)
{
    using T = typename Problem::element;
    PRIM_SHARED_DYNAMIC(unsigned char, shared);
    const size_t first = static_cast<size_t>(blockIdx.x) * s.products, behind = s.batches - first;
    const unsigned products = behind < s.products ? static_cast<unsigned>(behind) : s.products,
                   all = products * s.outputs;
    const Problem p = batch.at(first);
    const operands<T> a(p.a.data, p.a_stride, s.a, shared),
        x(p.x, p.x_stride, s.x, shared + s.a.bytes);
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (s.inner > 0) {
        a.bring(products);
        x.bring(products);
    }
    wait_for_copies();
    __syncthreads();
    const unsigned teams = BLOCK >> s.team_bits;
    unsigned output = threadIdx.x >> s.team_bits, product = output / s.outputs,
             row = output - product * s.outputs;
    const unsigned products_on = teams / s.outputs, rows_on = teams - products_on * s.outputs;
    PRIM_UNROLL(1)
    for (unsigned done = 0; done < all; done += teams) {
        const bool is_there = done + output < all; /* otherwise the first product is repeated */
        const typename Problem::sum_type sum =
            sum_of_output<Problem>(s, a, x, is_there ? product : 0, row);
        if (is_there && (threadIdx.x & ((1u << s.team_bits) - 1)) == 0)
            p.at(product).store(row, sum);
        row += rows_on;
        product += products_on;
        if (row >= s.outputs) {
            row -= s.outputs;
            product++;
        }
    }
}

/* ---- how products are divided among blocks ---- */

/* The padding for lanes that read lines `step` elements apart: bank conflicts where that is an even
 * number of vectors. */
unsigned shift_for(size_t step, unsigned width)
{
    constexpr unsigned LEAST = 3;
    const size_t vectors = step / width;
    if (step % width != 0 || vectors % 2 != 0 || vectors == 0)
        return NO_PAD;
    unsigned shift = LEAST;
    while (shift < 8 && vectors % (size_t(2) << shift) == 0)
        shift++;
    return shift;
}

/* Windows that are close together are copied in one piece. */
window window_of(size_t span, size_t stride, unsigned width)
{
    window w = {};
    w.span = static_cast<unsigned>(span);
    w.is_flat = stride <= 2 * span;
    w.pitch = static_cast<unsigned>(
        w.is_flat ? stride : (prim_divide_up(span, width) + 1) * width); /* room for its past */
    w.shift = NO_PAD;
    return w;
}

/* The shared memory of that many products. */
size_t bytes_of(const window &w, size_t products, unsigned width)
{
    const size_t elements = w.is_flat ? width - 1 + (products - 1) * w.pitch + w.span
                                      : products * static_cast<size_t>(w.pitch);
    const size_t vectors = prim_divide_up(elements, width);
    return (vectors + (vectors >> w.shift)) * PRIM_GEMV_VECTOR_BYTES;
}

size_t bytes_of_block(const share &s, size_t products, unsigned width)
{
    return bytes_of(s.a, products, width) + bytes_of(s.x, products, width);
}

void set_order(share *s, size_t inner, size_t outputs, unsigned width, prim_gemv_small_order order)
{
    const size_t vectors = prim_divide_up(inner, width);
    s->way = inner == 1 ? ONE : order == PRIM_GEMV_SMALL_ACROSS ? ACROSS : ALONG;
    s->warp_bits = 0;
    if (order == PRIM_GEMV_SMALL_ALONG_BY_WARP) {
        s->leaf_bits = prim_gemv_lane_bits(vectors);
        s->step = 1u << s->leaf_bits;
    } else if (order == PRIM_GEMV_SMALL_ALONG_BY_BLOCK) {
        constexpr unsigned LANE_BITS = 5;
        s->warp_bits =
            prim_bits_for(prim_divide_up(vectors, WARP), PRIM_GEMV_THREAD_BITS - LANE_BITS);
        s->leaf_bits = s->warp_bits > 0 ? LANE_BITS + s->warp_bits : prim_gemv_lane_bits(vectors);
        s->step = BLOCK;
    } else {
        const prim_gemv_block b = prim_gemv_block_of(inner, prim_divide_up(outputs, width));
        s->leaf_bits = prim_bits_for(inner, b.height_bits);
        s->step = 1u << b.height_bits;
    }
    s->leaves = 1u << s->leaf_bits;
}

/* As many threads as the block has for all elements of y, but no more than leaves; and room for
 * four leaves of each. */
void set_team(share *s)
{
    constexpr unsigned QUARTERS = 2;
    s->team_bits = 0;
    while (s->way != ONE && s->team_bits < 5 && s->team_bits < s->leaf_bits &&
           (s->products * s->outputs) << (s->team_bits + 1) <= BLOCK)
        s->team_bits++;
    if (s->leaf_bits < s->team_bits + QUARTERS)
        s->leaf_bits = s->team_bits + QUARTERS;
}

/* For what the lanes of a warp read at once: elements of y, rows or members side by side. */
void set_pads(share *s, unsigned width)
{
    constexpr unsigned WARP_OF_VECTORS = 5;
    const bool is_wide = s->output_step == 1 && s->outputs >= WARP;
    s->a.shift =
        is_wide
            ? NO_PAD
            : shift_for(s->outputs > 1 && s->output_step > 1 ? s->output_step : s->a.pitch, width);
    s->x.shift = shift_for(s->x.pitch, width);
    if (s->warp_bits > 0)
        s->a.shift = s->x.shift = WARP_OF_VECTORS;
}

/* `products` is 0 where not even one fits. */
share share_of(const prim_gemv_args *args, prim_gemv_small_order order)
{
    const unsigned width =
        static_cast<unsigned>(PRIM_GEMV_VECTOR_BYTES / prim_element_bytes(args->a_type));
    const bool transposed = args->op == PRIM_TRANSPOSED;
    const size_t outputs = transposed ? args->columns : args->rows,
                 inner = transposed ? args->rows : args->columns,
                 most = TILE_BYTES / PRIM_GEMV_VECTOR_BYTES * width,
                 ld = args->rows > 1 ? args->lda : args->columns;
    share s = {};
    if (outputs == 0 || inner == 0 || inner > most || outputs > most || ld > most ||
        (args->rows - 1) * ld + args->columns > most || ld / 2 > args->columns)
        return s;
    if (transposed && order == PRIM_GEMV_SMALL_ALONG_BY_BLOCK && ld > 1)
        return s; /* no vectors along memory */
    s.batches = args->batches;
    s.outputs = static_cast<unsigned>(outputs);
    s.inner = static_cast<unsigned>(inner);
    s.output_step = transposed ? 1 : static_cast<unsigned>(ld);
    s.inner_step = transposed ? static_cast<unsigned>(ld) : 1;
    s.a = window_of((args->rows - 1) * ld + args->columns, args->a_stride, width);
    s.x = window_of(inner, args->x_stride, width);
    set_order(&s, inner, outputs, width, order);
    set_pads(&s, width);
    if (bytes_of_block(s, 1, width) > TILE_BYTES)
        return s;
    size_t products = args->batches / (ENOUGH_BLOCKS * prim_device_multiprocessors());
    if (order == PRIM_GEMV_SMALL_ALONG_BY_WARP &&
        (products == 0 ||
         outputs << prim_gemv_lane_bits(prim_divide_up(inner, width)) >= MUCH_WORK))
        return s; /* one or more blocks for each product are as good */
    products = products < MOST_OUTPUTS / outputs ? products : MOST_OUTPUTS / outputs;
    while (products > 1 && bytes_of_block(s, products, width) > TILE_BYTES)
        products = products > 16 ? products - products / 16 : products - 1;
    if (products * outputs > BLOCK && outputs < BLOCK) /* whole rounds of the threads */
        products = products * outputs / BLOCK * BLOCK / outputs;
    s.products = static_cast<unsigned>(products > 1 ? products : 1);
    s.a.bytes = static_cast<unsigned>(bytes_of(s.a, s.products, width));
    s.x.bytes = static_cast<unsigned>(bytes_of(s.x, s.products, width));
    set_team(&s);
    return s;
}

/* Whether all rows along memory, and all x, begin at 16 bytes. */
template <typename T>
bool are_vectors(const prim_gemv_args *args, const share &s)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    return s.inner % WIDTH == 0 && bytes_past_vector(args->a) == 0 &&
           bytes_past_vector(args->x) == 0 && s.inner_step == 1 &&
           (s.outputs == 1 || s.output_step % WIDTH == 0) &&
           (s.batches == 1 || (args->a_stride % WIDTH == 0 && args->x_stride % WIDTH == 0));
}

struct run_small : launch_run {
    template <typename In, typename Out>
    static cudaError_t run(const prim_gemv_args *args, prim_gemv_small_order order)
    {
        using Problem = problem<In, Out>;
        const Problem p = make_problem<In, Out>(args);
        share s = share_of(args, order);
        if (s.way == ALONG && are_vectors<In>(args, s))
            s.way = ALONG_VECTORS;
        s.inner = static_cast<unsigned>(p.inner);
        const size_t blocks = prim_divide_up(s.batches, s.products);
        return prim_launch_dependent({args->call.stream, static_cast<unsigned>(blocks), BLOCK,
                                      size_t{s.a.bytes} + s.x.bytes},
                                     multiply_several<Problem>, p, s);
    }
};

} // namespace small_products
} // namespace

bool prim_gemv_are_small(const prim_gemv_args *args, prim_gemv_small_order order)
{
    const small_products::share s = small_products::share_of(args, order);
    return s.products > 0 && prim_fits_a_grid(1, prim_divide_up(args->batches, s.products));
}

cudaError_t prim_gemv_launch_small(const prim_gemv_args *args, prim_gemv_small_order order)
{
    return dispatch_pairs<small_products::run_small>(args, order);
}
