/* The shape of REGISTER's blocks. A tile of outputs is as wide and high as its threads are many,
 * side by side and below each other; of all such tiles the one is chosen for which the image costs
 * least: what the tiles copy with their halos, multiply, and store, also beyond the image's sides.
 * So vectors and images of few rows get tiles of few rows, images of short rows get high tiles, and
 * large images get tiles whose halos are small.
 *
 * All numbers that can be tuned stand here. */
#include "convolution/window_shape.h"

#include <stdint.h>

#include "common/host/sizes.h"

enum {
    LEAST_BITS = 5, /* a warp belongs to one channel */
    /* Threads for each channel of a block, as 2^: of one channel, of two or three, and of four. */
    BITS_OF_ONE = 7,
    BITS_OF_SEVERAL = 6,
    BITS_OF_FOUR = 5,
    /* With fewer threads for each multiprocessor, they have one row instead of several: then loads
     * and products of more of them overlap. Fewer still where the wide kernel takes over then,
     * which has more instructions for an output. */
    LEAST_THREADS = 256,
    LEAST_THREADS_BEFORE_WIDE = 32,
    MOST_ROUNDS = 4,          /* that a block computes, over as many rows each time */
    ENOUGH_BLOCKS = 24,       /* on a multiprocessor, for more rounds of fewer blocks */
    MOST_ACROSS = 0x7fffffff, /* tiles side by side: a grid has no more */
    LEAST_ROWS = 3,           /* of an image: of fewer, a thread's rows would mostly be none */
    LEAST_PIECE = 32,         /* bytes of a row that lanes copy side by side */
    SECTOR = 32,              /* bytes that memory delivers together */
    MOST_PIECES = 8,          /* of narrow elements that a lane copies of a row, one by one */
    PRODUCTS_PER_BYTE = 6,    /* that a multiprocessor computes while a byte is copied */
    VECTOR = 16,
    BANKS = 128 /* bytes */
};

static const double WORTH_IT = 0.98; /* of another tile's cost */

static int least(size_t a, size_t b)
{
    return (int)(a < b ? a : b);
}

static int round_up(int count, int to)
{
    return (count + to - 1) / to * to;
}

static bool is_narrow(const prim_window_call *call)
{
    return call->source_bytes < 4;
}

/* Outputs of a thread below each other. */
static int rows_of_thread(const prim_window_call *call)
{
    const size_t threads = prim_divide_up(call->width, PRIM_WINDOW_COLUMNS) *
                           prim_divide_up(call->height, (size_t)call->rows) *
                           (size_t)call->channels;
    const size_t enough = call->has_single_rows ? LEAST_THREADS : LEAST_THREADS_BEFORE_WIDE;
    if (call->never_has_single_rows)
        return call->rows;
    return call->height >= LEAST_ROWS && threads / enough >= call->multiprocessors ? call->rows : 1;
}

/* The threads of a block for each channel, as a power of two: few enough that about every
 * multiprocessor has a block. */
static int bits_of_threads(const prim_window_call *call, int rows)
{
    const size_t threads = prim_divide_up(call->width, PRIM_WINDOW_COLUMNS) *
                           prim_divide_up(call->height, (size_t)rows);
    int bits = call->channels == 1   ? BITS_OF_ONE
               : call->channels == 4 ? BITS_OF_FOUR
                                     : BITS_OF_SEVERAL;
    while (bits > LEAST_BITS && threads >> bits < call->multiprocessors)
        bits--;
    return bits;
}

/* Lanes that take a row's units side by side, out of `threads`, so that it takes the fewest steps;
 * of as many steps the wider one, which reads memory in longer pieces. */
static int lane_bits(int units, int unit_bytes, int rows, int most_lanes, int threads)
{
    int best = 0, least_steps = 0;
    for (int bits = 0; 1 << bits <= most_lanes; bits++) {
        const int lanes = 1 << bits, at_once = threads >> bits;
        const int steps = (units + lanes - 1) / lanes * ((rows + at_once - 1) / at_once);
        const bool is_short = lanes < units && 2 * lanes <= most_lanes;
        if (is_short && lanes * unit_bytes < LEAST_PIECE)
            continue;
        if (least_steps == 0 || steps <= least_steps) {
            best = bits;
            least_steps = steps;
        }
    }
    return best;
}

/* Narrow elements are copied in such lanes at the image's sides alone, where a row costs a thread
 * more than its pieces do: so few lanes that each thread has one row, if there are threads enough,
 * and not many pieces of it. */
static int bits_for_rows(int rows, int pieces, int threads)
{
    int bits = 0;
    while (threads >> (bits + 1) >= rows)
        bits++;
    while (pieces > MOST_PIECES << bits)
        bits++;
    return bits;
}

/* Rows of threads that share a pass through the banks should lie in different ones. */
static int pitch_of(int bytes, int rows, int span)
{
    const int pitch = round_up(bytes, VECTOR);
    if (span >= BANKS)
        return pitch;
    for (int more = 0; more < BANKS; more += VECTOR)
        if ((pitch + more) * rows % (2 * span) == span)
            return pitch + more;
    return pitch | VECTOR;
}

/* Lays out the outputs that go through shared memory, channel by channel. Returns their bytes. */
static int lay_out_outputs(const prim_window_call *call, prim_window_shape *s)
{
    const int bytes = round_up(s->columns * call->element_bytes, VECTOR);
    if (call->stores_from_registers)
        return 0;
    s->out_pitch = bytes;
    s->out_plane = round_up(s->high * bytes, BANKS) + BANKS / call->channels / VECTOR * VECTOR;
    return s->out_plane * call->channels;
}

/* The size of a block: rows of a thread, threads for each channel as a power of two, and how often
 * they compute. */
typedef struct block_size {
    int rows, bits, rounds;
} block_size;

/* False where it does not fit shared memory. */
static bool lay_out(const prim_window_call *call, block_size size, int across_bits,
                    prim_window_shape *s)
{
    const int across = 1 << across_bits, threads = 1 << size.bits;
    const int span = across * PRIM_WINDOW_COLUMNS * call->source_bytes;
    *s = (prim_window_shape){.rows = size.rows,
                             .rounds = size.rounds,
                             .thread_bits = size.bits,
                             .across_bits = across_bits};
    s->columns = across * PRIM_WINDOW_COLUMNS;
    s->round_rows = size.rows * (threads >> across_bits);
    s->high = s->round_rows * size.rounds;
    const int elements = s->columns - PRIM_WINDOW_COLUMNS + call->reach;
    s->pitch = pitch_of(elements * call->source_bytes, size.rows, span);
    const int row = s->pitch * call->channels, outputs = lay_out_outputs(call, s);
    const int room = PRIM_WINDOW_SHARED - (s->high - 1) * row - outputs;
    const int most = room / (row + (int)call->weight_bytes);
    if (room < 0 || most == 0)
        return false;
    s->band = least((size_t)most, call->mask_height);
    if (call->weight_bytes == 0 && (size_t)s->band < call->mask_height)
        return false;
    s->plane = s->pitch * (s->high + s->band - 1);
    s->tile_at = s->band * (int)call->weight_bytes;
    s->shared_bytes = s->tile_at + s->plane * call->channels;
    if (call->channels > 1 && s->shared_bytes < outputs)
        s->shared_bytes = outputs; /* joined pixels, in the tile's place */
    s->out_at = s->shared_bytes;
    s->shared_bytes += outputs;
    return s->shared_bytes <= PRIM_WINDOW_SHARED;
}

/* What the image costs in such tiles, in bytes that are copied. */
static double cost_of(const prim_window_call *call, const prim_window_shape *s)
{
    const double across = (double)prim_divide_up(call->width, (size_t)s->columns),
                 down = (double)prim_divide_up(call->height, (size_t)s->high);
    const double bands = (double)prim_divide_up(call->mask_height, (size_t)s->band);
    const int columns = least(call->width, (size_t)s->columns) + (int)call->mask_width - 1;
    const int bytes = columns * call->channels * call->source_bytes;
    const double rows =
        bands * (least(call->height, (size_t)s->high) - 1) + (double)call->mask_height;
    const double outputs = (double)s->columns * s->high * call->channels;
    const double copied = rows * (bytes / SECTOR + 1) * SECTOR,
                 products = outputs * (double)(call->mask_width * call->mask_height);
    return across * down * (copied + products / PRODUCTS_PER_BYTE + outputs * call->element_bytes);
}

static void choose_lanes(const prim_window_call *call, prim_window_shape *s)
{
    const int threads = 1 << s->thread_bits;
    const int in_unit = !is_narrow(call)      ? 1
                        : call->channels == 1 ? VECTOR / call->source_bytes
                                              : PRIM_WINDOW_COLUMNS;
    const int columns = least(call->width, (size_t)s->columns) + (int)call->mask_width - 1,
              rows = least(call->height, (size_t)s->high);
    const int units = (columns + in_unit - 1) / in_unit, rows_of_tile = rows + s->band - 1;
    const int out_bytes = s->columns * call->channels * call->element_bytes;
    const int copiers = is_narrow(call) ? threads * call->channels : threads;
    s->pieces = (s->columns + (int)call->mask_width - 1 + in_unit - 1) / in_unit;
    s->per_piece = ((1u << PRIM_WINDOW_PIECE_BITS) + (unsigned)s->pieces - 1) / (unsigned)s->pieces;
    s->rows_on = copiers / s->pieces;
    s->pieces_on = copiers % s->pieces;
    s->copy_bits = is_narrow(call) ? bits_for_rows(rows_of_tile, units, copiers)
                                   : lane_bits(units, in_unit * call->source_bytes, rows_of_tile,
                                               threads, copiers);
    s->copy_lanes = 1 << s->copy_bits;
    s->copy_rows = copiers >> s->copy_bits;
    s->copy_step = s->copy_rows * s->pitch;
    s->store_bits = lane_bits((out_bytes + VECTOR - 1) / VECTOR, VECTOR, rows, threads,
                              threads * call->channels);
}

/* Begins with the widest tile. A narrower one is taken only where it saves a fiftieth, since memory
 * likes long rows. */
static prim_window_shape best_shape(const prim_window_call *call, block_size size)
{
    prim_window_shape best = {0};
    double least_cost = 0;
    for (int across_bits = size.bits; across_bits >= 0; across_bits--) {
        prim_window_shape s;
        if (!lay_out(call, size, across_bits, &s) ||
            prim_divide_up(call->width, (size_t)s.columns) > MOST_ACROSS)
            continue;
        const double cost = cost_of(call, &s);
        if (best.rows == 0 || cost < least_cost * WORTH_IT) {
            best = s;
            least_cost = cost;
        }
    }
    return best;
}

/* How often a block computes: several times, since what a thread does once is a large part of its
 * work, but not where there are few blocks. */
static int rounds_of_block(const prim_window_call *call, int rows, int bits)
{
    const size_t threads = prim_divide_up(call->width, PRIM_WINDOW_COLUMNS) *
                           prim_divide_up(call->height, (size_t)rows);
    int rounds = 1;
    if (call->weight_bytes == 0)
        while (rounds < MOST_ROUNDS &&
               (threads >> bits) / (2 * (size_t)rounds) >= ENOUGH_BLOCKS * call->multiprocessors)
            rounds *= 2;
    return rounds;
}

/* Where no tile fits shared memory, fewer rounds are tried, then fewer threads, and then fewer
 * rows. */
prim_window_shape prim_convolution_window_shape(const prim_window_call *call)
{
    block_size size;
    size.rows = rows_of_thread(call);
    size.bits = bits_of_threads(call, size.rows);
    size.rounds = rounds_of_block(call, size.rows, size.bits);
    prim_window_shape best = best_shape(call, size);
    while (best.rows == 0) {
        if (size.rounds > 1)
            size.rounds /= 2;
        else if (size.bits > LEAST_BITS)
            size.bits--;
        else if (call->weight_bytes > 0 && size.rows > 1 && !call->never_has_single_rows)
            size.rows = 1;
        else
            return best;
        best = best_shape(call, size);
    }
    choose_lanes(call, &best);
    return best;
}
