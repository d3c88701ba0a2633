/* The shape of SMALL's blocks. Of all tiles whose outputs are as many as a block's threads have,
 * the one is chosen for which the image costs least: what the tiles copy with their halos, and
 * their outputs, also those beyond the image's sides. */
#include "convolution/small_shape.h"

#include "common/host/device.h"
#include "common/host/sizes.h"

enum {
    FEW_OUTPUTS = 1536, /* of a multiprocessor: of so many a thread has one */
    SHARED_BYTES = 48 << 10,
    VECTOR = 16,
    BANKS = 128, /* bytes */
    SECTOR = 8   /* elements that memory delivers together, about */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t round_up(size_t count, size_t to)
{
    return prim_divide_up(count, to) * to;
}

static bool is_separable(const prim_convolution_args *args)
{
    return args->mask_y.height > 0;
}

static size_t rows_of_mask(const prim_convolution_args *args)
{
    return is_separable(args) ? args->mask_y.height : args->mask.height;
}

/* The mask's: a list of taps for one output, weights and distances, or padded rows for several. */
static size_t bytes_of_mask(const prim_convolution_args *args, int outputs, size_t element_bytes)
{
    const prim_mask *const mask = &args->mask;
    const size_t padded = round_up(mask->width, PRIM_SMALL_TAPS);
    const size_t sum_bytes =
        prim_convolution_sum_type(args) == CUDA_R_64I ? sizeof(int64_t) : element_bytes;
    const size_t sums = outputs == 1
                            ? 2 * (mask->width * mask->height + args->mask_y.height)
                            : padded * mask->height + PRIM_SMALL_TAPS * args->mask_y.height;
    return round_up(sum_bytes * sums, VECTOR);
}

/* Several outputs of a thread read whole vectors, also some behind the last element that they need.
 * Rows then have an odd number of them, so that neighbouring ones lie in different banks. */
static size_t pitch_of(const prim_convolution_args *args, int outputs, size_t columns)
{
    const size_t width = args->mask.width, vector = PRIM_SMALL_SEVERAL;
    if (outputs == 1)
        return columns + width - 1;
    return (prim_divide_up(columns + round_up(width, PRIM_SMALL_TAPS), vector) | 1) * vector;
}

/* Lanes of all channels read at the same time: from different banks. */
static size_t plane_of(size_t elements, size_t element_bytes, size_t channels)
{
    const size_t bytes = round_up(elements * element_bytes, BANKS);
    return (bytes + (channels > 1 ? BANKS / channels / VECTOR * VECTOR : 0)) / element_bytes;
}

static bool has_few_outputs(const prim_convolution_args *args)
{
    const size_t line = args->in.width * (size_t)args->in.channels;
    const size_t few = FEW_OUTPUTS * prim_device_multiprocessors();
    return line <= few / args->in.height;
}

/* Where a thread of several outputs does not have them side by side, it has one after the other. */
static size_t places_of(const prim_convolution_args *args, int outputs)
{
    return outputs == 1 && !has_few_outputs(args) ? PRIM_SMALL_SEVERAL * PRIM_SMALL_THREADS
                                                  : PRIM_SMALL_THREADS;
}

/* Tiles of 2^bits threads side by side; no columns where they do not fit shared memory. */
static prim_small_shape lay_out(const prim_convolution_args *args, int outputs, int bits,
                                size_t element_bytes)
{
    const size_t channels = (size_t)args->in.channels;
    const size_t columns = ((size_t)1 << bits) / channels * (size_t)outputs,
                 high = places_of(args, outputs) >> bits;
    const size_t used = least(columns, args->in.width), pitch = pitch_of(args, outputs, used),
                 rows = least(high, args->in.height) + rows_of_mask(args) - 1;
    const size_t places_at = bytes_of_mask(args, outputs, element_bytes);
    const size_t tile_at = places_at + round_up((rows + pitch) * sizeof(int64_t), VECTOR);
    const size_t plane = plane_of(rows * pitch, element_bytes, channels),
                 sums_plane = plane_of(rows * columns, element_bytes, channels);
    const size_t sums_at = tile_at + plane * channels * element_bytes;
    const size_t bytes = sums_at + (is_separable(args) ? sums_plane * channels * element_bytes : 0);
    if (bytes > SHARED_BYTES)
        return (prim_small_shape){0};
    return (prim_small_shape){.outputs = outputs,
                              .columns = (int)columns,
                              .high = (int)high,
                              .bits = bits,
                              .rows = (int)rows,
                              .row_elements = (int)((used + args->mask.width - 1) * channels),
                              .pitch = (int)pitch,
                              .plane = (int)plane,
                              .sums_plane = (int)sums_plane,
                              .places_at = (int)places_at,
                              .tile_at = (int)tile_at,
                              .sums_at = (int)sums_at,
                              .bytes = bytes};
}

static size_t blocks_of(const prim_convolution_args *args, const prim_small_shape *s)
{
    return prim_divide_up(args->in.width, (size_t)s->columns) *
           prim_divide_up(args->in.height, (size_t)s->high);
}

static double cost_of(const prim_convolution_args *args, const prim_small_shape *s)
{
    const double copied = s->rows * (s->row_elements + SECTOR),
                 outputs = s->outputs * (s->high << s->bits);
    return (double)blocks_of(args, s) * (copied + 2 * outputs);
}

static prim_small_shape best_shape(const prim_convolution_args *args, int outputs,
                                   size_t element_bytes)
{
    prim_small_shape best = {0};
    double least_cost = 0;
    for (int bits = 0; 1 << bits <= PRIM_SMALL_THREADS; bits++) {
        const prim_small_shape s = lay_out(args, outputs, bits, element_bytes);
        if (s.columns == 0)
            continue;
        const double cost = cost_of(args, &s);
        if (best.columns == 0 || cost <= least_cost) {
            best = s;
            least_cost = cost;
        }
    }
    return best;
}

/* So many that the tile takes the fewest steps; of as many the most, since memory likes long
 * rows. */
static int copy_bits_of(const prim_small_shape *s)
{
    int best = 0, fewest = 0;
    for (int bits = 0; 1 << bits <= PRIM_SMALL_THREADS; bits++) {
        const int lanes = 1 << bits, at_once = PRIM_SMALL_THREADS >> bits;
        const int steps =
            (s->row_elements + lanes - 1) / lanes * ((s->rows + at_once - 1) / at_once);
        if (fewest == 0 || steps <= fewest) {
            best = bits;
            fewest = steps;
        }
    }
    return best;
}

/* With one output a thread, tiles of all masks fit. */
prim_small_shape prim_convolution_small_shape(const prim_convolution_args *args,
                                              size_t element_bytes)
{
    const bool has_one = has_few_outputs(args) || args->in.width < PRIM_SMALL_SEVERAL - 1;
    prim_small_shape best = best_shape(args, has_one ? 1 : PRIM_SMALL_SEVERAL, element_bytes);
    if (best.columns == 0)
        best = best_shape(args, 1, element_bytes);
    best.copy_bits = copy_bits_of(&best);
    return best;
}

/* As measured on an H200: an element that is copied costs as much as 24 products, and a product a
 * quarter where a thread has several outputs. */
size_t prim_convolution_small_work(const prim_convolution_args *args, size_t element_bytes)
{
    const size_t per_element = 24;
    const prim_small_shape s = prim_convolution_small_shape(args, element_bytes);
    const size_t rows = (size_t)s.rows, row = (size_t)s.row_elements,
                 places = (size_t)s.high << s.bits; /* of one output, or of several side by side */
    const size_t products = is_separable(args)
                                ? (rows << s.bits) * args->mask.width + places * args->mask_y.height
                                : places * args->mask.width * args->mask.height;
    return blocks_of(args, &s) * (products + per_element * rows * row) /
           prim_device_multiprocessors();
}
