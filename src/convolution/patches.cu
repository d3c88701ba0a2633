/* REGISTER under square masks of 3, 5 and 7 of f32, whole or separable, where rows are aligned. A
 * thread reads the patch of the image that all its outputs need, and only then computes.
 *
 *     ┌───────────┐     4 outputs side by side, some below each other: a patch of 8 x 12 has the
 *     │ · · · · · │     windows of 4 x 8 outputs under 5 x 5
 *     │ · ┌───┐ · │
 *     │ · │out│ · │     neighbours' patches overlap: each element comes from memory once, and for
 *     │ · └───┘ · │     the other threads from L1 or L2
 *     └───────────┘
 *
 * Nothing is copied into shared memory and no thread waits for another: all loads of a thread are
 * on their way at one time, and a block that ends makes room for another one's loads.
 *
 * A row of a patch comes as three vectors of 16 bytes: that of the outputs, and one at each side.
 * At the image's sides, elements of the same vectors, or of one at the line's other end, stand in
 * for those outside, so that there are no other loads. */
#include "common/block/vectors.cuh"
#include "common/block/warp.cuh"
#include "common/kernel/launch.cuh"
#include "convolution/instances.h"
#include "convolution/register.h"
#include "convolution/strips.cuh"

namespace
{
namespace patch
{

constexpr int LANES = static_cast<int>(WARP), WARPS = 4, COLUMNS = 4; /* of a thread */
constexpr int SPAN = LANES * COLUMNS; /* outputs of a warp in a row */
constexpr int WORDS = 3 * COLUMNS;    /* of a patch's row; the second vector has the outputs' */

/* A separable mask has the weights of a row, and those of a column after them. */
template <shape SHAPE, int SIDE>
struct weights {
    static constexpr int ACROSS = SHAPE == WHOLE ? SIDE : 1; /* products of an output in a row */
    static constexpr int FIRST = SHAPE == WHOLE ? 0 : SIDE;  /* the first one's weight */

    float values[FIRST + ACROSS * SIDE];
};

/* On a multiprocessor: what registers allow. */
template <int SIDE>
[[maybe_unused]] constexpr int BLOCKS = SIDE == 3   ? 8
                                        : SIDE == 5 ? 6
                                                    : 4;

struct image_of_patches {
    strips lines;
    int64_t bands;     /* rows of patches */
    unsigned in_stack; /* patches of a block below each other: a power of two */
};

/* Left to itself, nvcc 13.0 stores four words here. */
__device__ inline void store(float *to, const float (&x)[COLUMNS])
{
#ifdef __CUDA_ARCH__
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(x[0]), "f"(x[1]),
                 "f"(x[2]), "f"(x[3])
                 : "memory");
#else
    *reinterpret_cast<vector<float> *>(to) = {{x[0], x[1], x[2], x[3]}};
#endif
}

/* The input is not written, so loads may come before or after stores, as registers allow. */
__device__ inline vector<float> load(const float *from)
{
#ifdef __CUDA_ARCH__
    const float4 x = __ldg(reinterpret_cast<const float4 *>(from));
    return {{x.x, x.y, x.z, x.w}};
#else
    return load_vector(from);
#endif
}

__device__ inline void read_vector(const float *from, float *to)
{
    const vector<float> four = load(from);
    PRIM_UNROLL(COLUMNS)
    for (int i = 0; i < COLUMNS; i++)
        to[i] = four.words[i];
}

/* A word of a vector beside the outputs: what it holds, or what stands in for an element outside of
 * the line. It is selected without a branch, which would keep loads and products apart. */
__device__ inline float stand_in_of(const strips &p, bool is_outside, float beside, float clamped,
                                    float reflected, float reflected_101)
{
    const float inside = p.boundary == PRIM_BOUNDARY_CLAMP         ? clamped
                         : p.boundary == PRIM_BOUNDARY_REFLECT     ? reflected
                         : p.boundary == PRIM_BOUNDARY_REFLECT_101 ? reflected_101
                                                                   : p.fill;
    return is_outside && p.boundary != PRIM_BOUNDARY_WRAP ? inside : beside;
}

template <int BEFORE, int AFTER>
__device__ void put_stand_ins(const strips &p, int64_t x, float (&words)[WORDS])
{
    constexpr int BEGIN = COLUMNS, END = 2 * COLUMNS; /* of the outputs' words */
    PRIM_UNROLL(COLUMNS)
    for (int i = 0; i < BEFORE; i++)
        words[BEGIN - 1 - i] = stand_in_of(p, x == 0, words[BEGIN - 1 - i], words[BEGIN],
                                           words[BEGIN + i], words[BEGIN + 1 + i]);
    PRIM_UNROLL(COLUMNS)
    for (int i = 0; i < AFTER; i++)
        words[END + i] = stand_in_of(p, x + COLUMNS == p.line, words[END + i], words[END - 1],
                                     words[END - 1 - i], words[END - 2 - i]);
}

/* The patch of the outputs from (x, y) on. INSIDE: no element of the warp's is outside. Where the
 * vector beside the first or the last outputs of a line would be, there is that of its other end.
 */
template <int BEFORE, int AFTER, bool INSIDE, int HEIGHT>
__device__ void read_patch(const strips &p, int64_t x, int64_t y, float (&patch)[HEIGHT][WORDS])
{
    /* Of four elements outside, a reflection has the last one from the vector at the other side. */
    constexpr bool READS_LEFT = BEFORE > 0 || (!INSIDE && AFTER == COLUMNS),
                   READS_RIGHT = AFTER > 0 || (!INSIDE && BEFORE == COLUMNS);
    const int64_t left = INSIDE || x > 0 ? x - COLUMNS : p.line - COLUMNS,
                  right = INSIDE || x + COLUMNS < p.line ? x + COLUMNS : 0;
    /* The last row that is in a window: those below are read as this one. */
    const int64_t last = p.rows - 1 + (BEFORE + AFTER - p.before_y), first = y - p.before_y;
    int64_t rows[HEIGHT];
    PRIM_UNROLL(HEIGHT)
    for (int j = 0; j < HEIGHT; j++) {
        rows[j] = first + j;
        if (!INSIDE)
            rows[j] = near_stand_in(p.boundary, rows[j] < last ? rows[j] : last, p.rows);
    }
    PRIM_UNROLL(HEIGHT)
    for (int j = 0; j < HEIGHT; j++) {
        const bool is_fill = !INSIDE && rows[j] == FILL;
        const float *const line = p.row_at(p.in, p.in_step, is_fill ? 0 : rows[j]);
        if (READS_LEFT)
            read_vector(line + left, patch[j]);
        read_vector(line + x, patch[j] + COLUMNS);
        if (READS_RIGHT)
            read_vector(line + right, patch[j] + 2 * COLUMNS);
        if (INSIDE)
            continue;
        put_stand_ins<BEFORE, AFTER>(p, x, patch[j]);
        PRIM_UNROLL(WORDS)
        for (int i = 0; i < WORDS; i++)
            patch[j][i] = is_fill ? p.fill : patch[j][i];
    }
}

/* Of a separable mask, windows become the sums of their rows first. */
template <int FIRST, int SIDE, int HEIGHT>
__device__ void sum_rows(const weights<WHOLE, SIDE> &, float (&)[HEIGHT][WORDS])
{
}
template <int FIRST, int SIDE, int HEIGHT>
__device__ void sum_rows(const weights<SEPARABLE, SIDE> &w, float (&patch)[HEIGHT][WORDS])
{
    PRIM_UNROLL(HEIGHT)
    for (int j = 0; j < HEIGHT; j++) {
        PRIM_UNROLL(COLUMNS)
        for (int c = 0; c < COLUMNS; c++) {
            float sum = 0;
            PRIM_UNROLL(SIDE)
            for (int i = 0; i < SIDE; i++)
                sum = add_product(sum, w.values[i], patch[j][FIRST + c + i]);
            patch[j][FIRST + c] = sum; /* the element is in no later window */
        }
    }
}

/* A thread's outputs. */
template <int BEFORE, bool INSIDE, int ROWS, shape SHAPE, int SIDE>
__device__ void convolve_patch(const strips &p, const weights<SHAPE, SIDE> &w, int64_t x, int64_t y)
{
    using Weights = weights<SHAPE, SIDE>;
    constexpr int FIRST = COLUMNS - BEFORE; /* word of a window's first element */
    float patch[ROWS + SIDE - 1][WORDS];
    read_patch<BEFORE, SIDE - 1 - BEFORE, INSIDE>(p, x, y, patch);
    sum_rows<FIRST>(w, patch);
    PRIM_UNROLL(ROWS)
    for (int r = 0; r < ROWS; r++) {
        float sums[COLUMNS] = {};
        PRIM_UNROLL(SIDE * SIDE)
        for (int k = 0; k < SIDE * Weights::ACROSS; k++) {
            PRIM_UNROLL(COLUMNS)
            for (int c = 0; c < COLUMNS; c++)
                sums[c] =
                    add_product(sums[c], w.values[Weights::FIRST + k],
                                patch[r + k / Weights::ACROSS][FIRST + c + k % Weights::ACROSS]);
        }
        if (INSIDE || y + r < p.rows)
            store(p.row_at(p.out, p.out_step, y + r) + x, sums);
    }
}

template <shape SHAPE, int SIDE, int BEFORE, int ROWS>
__global__ void __launch_bounds__(LANES *WARPS, blocks_here(BLOCKS<SIDE>))
    convolve(const __grid_constant__ image_of_patches image,
             const __grid_constant__ weights<SHAPE, SIDE> w)
{
    /* At once where some elements are outside: as many as registers hold. */
    constexpr int EDGE_ROWS = ROWS <= 4 ? ROWS : SHAPE == WHOLE && 2 * BEFORE == SIDE - 1 ? 4 : 2;
    const strips &p = image.lines;
    const int lane = static_cast<int>(threadIdx.x) % LANES;
    /* From lane 0, so that the compiler sees that a warp has one. */
    const unsigned warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    const unsigned stack = (blockIdx.x * WARPS + warp) / image.in_stack;
    const int64_t band =
        static_cast<int64_t>(stack / p.across) * image.in_stack + (warp & (image.in_stack - 1));
    const int64_t of_warp = static_cast<int64_t>(stack % p.across) * SPAN,
                  x = of_warp + COLUMNS * lane, y = band * ROWS;
    if (band >= image.bands || x >= p.line)
        return;
    if (of_warp > 0 && of_warp + SPAN < p.line && y >= p.before_y &&
        y - p.before_y + ROWS + SIDE - 1 <= p.rows) {
        convolve_patch<BEFORE, true, ROWS>(p, w, x, y);
        return;
    }
    PRIM_UNROLL(1)
    for (int r = 0; r < ROWS && y + r < p.rows; r += EDGE_ROWS)
        convolve_patch<BEFORE, false, EDGE_ROWS>(p, w, x, y + r);
}

/* ---- launches ---- */

/* Warps of a block below each other share the rows between them; but there are no more of them than
 * images of few rows have work for. */
inline unsigned stack_of(int64_t bands)
{
    unsigned stack = WARPS;
    while (stack > 1 && bands % stack != 0 && bands < 4 * stack)
        stack /= 2;
    return stack;
}

template <shape SHAPE, int SIDE, int BEFORE, int ROWS>
cudaError_t launch(const prim_convolution_args *args)
{
    image_of_patches image = {make_strips(args, SPAN), 0, 0};
    image.bands = static_cast<int64_t>(prim_divide_up(args->in.height, ROWS));
    image.in_stack = stack_of(image.bands);
    const size_t stacks =
        prim_divide_up(static_cast<size_t>(image.bands), image.in_stack) * image.lines.across;
    weights<SHAPE, SIDE> w;
    copy_weights(args, args->mask, w.values);
    if (SHAPE == SEPARABLE) {
        copy_weights(args, args->mask_y, w.values + SIDE);
        image.lines.before_y = before_pixel(args, SIDE, args->mask_y.anchor_y);
    }
    return prim_launch({args->call.stream,
                        static_cast<unsigned>(prim_divide_up(stacks * image.in_stack, WARPS)),
                        LANES * WARPS},
                       convolve<SHAPE, SIDE, BEFORE, ROWS>, image, w);
}

/* ---- which images have patches ---- */

bool lies_in_vectors(const prim_image &image)
{
    return bytes_past_vector(image.data) == 0 && image.pitch % VECTOR_BYTES == 0;
}

/* Strips across that an image has at least: patches take longer at its sides, and more so with many
 * outputs, or under 7 x 7. */
size_t least_strips(shape of_mask, int side, int rows)
{
    if (rows > 4)
        return of_mask == WHOLE ? 64 : 4;
    return side == 3 ? 4 : side == 5 ? 5 : 16;
}

/* Whether neither walk.cuh nor a thread with fewer outputs would be faster. Where all blocks run at
 * a time, latency counts, of which patches of few rows have less. */
bool suits(const prim_convolution_args *args, shape of_mask, int side, int rows)
{
    constexpr size_t BLOCKS = 6; /* of a multiprocessor at a time */
    const size_t across = prim_divide_up(args->in.width, SPAN);
    const size_t blocks =
        across * prim_divide_up(args->in.height, static_cast<size_t>(rows) * WARPS);
    const bool is_wide = across >= least_strips(of_mask, side, rows);
    const bool run_at_a_time =
        blocks <= BLOCKS * static_cast<size_t>(prim_device_multiprocessors());
    return rows > 4 ? is_wide && !run_at_a_time : is_wide || run_at_a_time;
}

} // namespace patch
} // namespace

prim_convolution_launch prim_convolution_patches(const prim_convolution_args *args)
{
    using namespace patch;
    const prim_mask &mask = args->mask;
    const size_t width = args->in.width;
    const bool is_separable = args->mask_y.height > 0;
    if ((is_separable ? args->mask_y : mask).height != mask.width || width % COLUMNS != 0 ||
        width < 2 * COLUMNS || !lies_in_vectors(args->in) || !lies_in_vectors(args->out))
        return nullptr;
    const shape of_mask = is_separable ? SEPARABLE : WHOLE;
    const int before_pixels = before_pixel(args, mask.width, mask.anchor_x);
#define PRIM_ROW(shape, side, before, rows)                                  \
    if (of_mask == shape && mask.width == side && before_pixels == before && \
        suits(args, shape, side, rows))                                      \
        return launch<shape, side, before, rows>;
    PRIM_CONVOLUTION_PATCHES(PRIM_ROW)
#undef PRIM_ROW
    return nullptr;
}
