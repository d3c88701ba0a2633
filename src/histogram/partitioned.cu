/* PARTITIONED: samples are first partitioned by some bits of their bins. So a block counts one part
 * at a time in its shared memory, which could not hold the counters of all bins.
 *
 *     tile     j c a k b h …        6144 samples of a block, as the numbers of their bins
 *     parts    a b c │ h j k        in 32 parts, in shared memory; then to the workspace
 *     count    a b c                of all tiles, by a block that has this part's counters
 *
 * A part has runs of 8 bins, 256 apart, so that all parts have about as many samples where
 * neighbouring bins do. A bin is 16 bits within its part. The addition to the part's counter
 * returns where a sample lies in its part of the tile: any order does.
 *
 * Blocks that count share all samples evenly, part by part: where one part has most samples, most
 * blocks count that part, each block its own tiles.
 *
 * Work: an addition in shared memory for each sample to partition it, which lanes of one part do
 * one after the other unless the whole warp has it, and one to count it; additions in global memory
 * as many as blocks and parts have counters, zeros left out. Bytes: each sample once, two bytes
 * written and read again, in rounds of up to 2^27 samples. What holds it back: README.md.
 * Source: the passes of a radix sort, as in CUB, without order within a part. */
#include "common/block/vectors.cuh"
#include "common/math/numeric.cuh"
#include "histogram/counters/shared_add.cuh"
#include "histogram/counters/vectors.cuh"

namespace
{
namespace partitioned
{

constexpr unsigned PARTS = WARP, RUN = 8; /* bins of a part that are neighbours */
constexpr unsigned PARTING = 384, OF_THREAD = 16, TILE = PARTING * OF_THREAD;
constexpr unsigned COUNTING = 1024, PAIRS = 4; /* that a lane loads at once */

/* Several rounds, of few samples, are what the CPU backend's tests see. */
#ifdef SIMT_BACKEND
constexpr size_t MOST_OF_A_ROUND = 3 * TILE;
#else
constexpr size_t MOST_OF_A_ROUND = static_cast<size_t>(1) << 27;
#endif

/* Vectors of a thread in a tile. */
template <typename T>
constexpr unsigned LOADS = OF_THREAD / AT_ONCE<T>;

/* Of which the loads are under way together. */
template <typename T>
constexpr unsigned AT_A_TIME = LOADS<T> < 4 ? LOADS<T> : 4;

/* ---- the workspace ---- */

/* The tiles' bins within their parts; for each tile the ends of its parts; and the parts' samples
 * in the whole round. */
struct parted {
    uint16_t *bins, *ends;
    uint32_t *totals;
    size_t tiles;
};

inline size_t tiles_of(size_t samples)
{
    return prim_divide_up(samples < MOST_OF_A_ROUND ? samples : MOST_OF_A_ROUND, TILE);
}

inline size_t bytes_of(size_t tiles)
{
    return tiles * (TILE + PARTS) * sizeof(uint16_t) + PARTS * sizeof(uint32_t);
}

inline parted make_parted(void *workspace, size_t tiles)
{
    parted p;
    p.bins = static_cast<uint16_t *>(workspace);
    p.ends = p.bins + tiles * TILE;
    p.totals = reinterpret_cast<uint32_t *>(p.ends + tiles * PARTS);
    p.tiles = tiles;
    return p;
}

/* ---- bins and parts ---- */

__host__ __device__ inline uint32_t part_of(uint32_t bin)
{
    return bin / RUN % PARTS;
}

__host__ __device__ inline uint32_t within_part(uint32_t bin)
{
    return bin / (RUN * PARTS) * RUN + bin % RUN;
}

__host__ __device__ inline uint32_t bin_of(uint32_t part, uint32_t within)
{
    return (within / RUN * PARTS + part) * RUN + within % RUN;
}

/* The counters that a block needs. */
inline size_t part_counters(size_t bins)
{
    return prim_divide_up(bins, RUN * PARTS) * RUN;
}

/* ---- parting ---- */

struct parting_memory {
    uint32_t counts[2][PARTS]; /* of this tile, and of the next one */
    uint32_t outside[PRIM_HISTOGRAM_OUTSIDE_COUNTERS];
    vector<uint16_t> bins[TILE / VECTOR_ELEMENTS<uint16_t>];
};

/* Samples outside of vectors. */
struct direct_counters {
    counters to;

    __device__ void one(uint32_t counter) const
    {
        to.add(counter, 1);
    }
};

/* By a whole warp: adds one for each lane to the count of its part, and returns what it was; part
 * == PARTS: adds nothing. */
__device__ inline uint32_t place_in_part(uint32_t *counts, uint32_t part, unsigned lane)
{
    const uint32_t first = __shfl_sync(ALL_LANES, part, 0);
    uint32_t place = 0;
    if (__ballot_sync(ALL_LANES, part == first) != ALL_LANES)
        return part < PARTS ? atomicAdd(&counts[part], 1u) : 0;
    if (lane == 0 && part < PARTS)
        place = atomicAdd(&counts[part], WARP);
    return __shfl_sync(ALL_LANES, place, 0) + lane;
}

/* A block's tiles of a round. */
template <typename T>
struct tile_loop {
    const quick_binning &q;
    const sample_line<T> &line;
    size_t first_vector, last_vector; /* of the round, and after it */
    const parted &to;
    parting_memory &shared;

    __device__ size_t vector_of(size_t tile, unsigned l) const
    {
        return first_vector + (tile * LOADS<T> + l) * PARTING + threadIdx.x;
    }

    __device__ const T *samples_of(size_t vector) const
    {
        return line.samples + line.head + vector * AT_ONCE<T>;
    }

    /* The bin of a sample that is in no quick one: q.bins for none, and then it is counted here. */
    __device__ uint32_t exact_bin(T sample) const
    {
        const size_t counter = counter_of(q.exact, sample);
        if (counter < q.bins)
            return static_cast<uint32_t>(counter);
        if (counter != NOWHERE)
            atomicAdd(&shared.outside[counter - q.bins], 1u);
        return q.bins;
    }

    /* The bins of a vector's samples; q.bins for none. */
    template <quick_method METHOD>
    __device__ void find_bins(size_t vector, const sixteen_bytes &v, uint32_t *bins) const
    {
        placed<T> where;
        place_vector<METHOD>(q, nullptr, v, &where);
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            bins[e] = where.bin[e];
        if (!q.asks)
            return;
        unsigned others = 0;
        PRIM_UNROLL(16)
        for (unsigned e = 0; e < AT_ONCE<T>; e++)
            others |= static_cast<unsigned>(bins[e] == q.bins) << e;
        PRIM_UNROLL(1)
        for (; others != 0; others &= others - 1) {
            const unsigned other = count_bits((others & (0 - others)) - 1);
            const uint32_t bin = exact_bin(samples_of(vector)[other]);
            PRIM_UNROLL(16)
            for (unsigned e = 0; e < AT_ONCE<T>; e++)
                bins[e] = e == other ? bin : bins[e];
        }
    }

    /* Those of AT_A_TIME of the thread's vectors, whose loads are under way together. */
    template <quick_method METHOD>
    __device__ void find_some(size_t tile, unsigned first, uint32_t *bins) const
    {
        sixteen_bytes v[AT_A_TIME<T>];
        PRIM_UNROLL(16)
        for (unsigned l = 0; l < AT_A_TIME<T>; l++)
            if (vector_of(tile, first + l) < last_vector)
                v[l] = load_samples(samples_of(vector_of(tile, first + l)));
        PRIM_UNROLL(16)
        for (unsigned l = 0; l < AT_A_TIME<T>; l++) {
            PRIM_UNROLL(16)
            for (unsigned e = 0; e < AT_ONCE<T>; e++)
                bins[l * AT_ONCE<T> + e] = q.bins;
            if (vector_of(tile, first + l) < last_vector)
                find_bins<METHOD>(vector_of(tile, first + l), v[l], &bins[l * AT_ONCE<T>]);
        }
    }

    /* Writes the tile in parts to the workspace; returns the samples of this lane's part. */
    __device__ uint32_t part(size_t tile, const uint32_t (&bins)[OF_THREAD], unsigned parity) const
    {
        const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
        uint16_t *const staged = reinterpret_cast<uint16_t *>(shared.bins);
        uint32_t places[OF_THREAD];
        PRIM_UNROLL(OF_THREAD)
        for (unsigned s = 0; s < OF_THREAD; s++)
            places[s] = place_in_part(shared.counts[parity],
                                      bins[s] < q.bins ? part_of(bins[s]) : PARTS, lane);
        __syncthreads();
        const uint32_t count = shared.counts[parity][lane];
        const uint32_t end = scan_warp<sum_operator>(count, lane);
        PRIM_UNROLL(OF_THREAD)
        for (unsigned s = 0; s < OF_THREAD; s++) {
            const uint32_t begin = __shfl_sync(ALL_LANES, end - count, part_of(bins[s]));
            if (bins[s] < q.bins)
                staged[begin + places[s]] = static_cast<uint16_t>(within_part(bins[s]));
        }
        if (warp == 0) {
            to.ends[tile * PARTS + lane] = static_cast<uint16_t>(end);
            shared.counts[1 - parity][lane] = 0;
        }
        const uint32_t all = __shfl_sync(ALL_LANES, end, PARTS - 1);
        __syncthreads();
        vector<uint16_t> *const out = reinterpret_cast<vector<uint16_t> *>(to.bins + tile * TILE);
        for (unsigned i = threadIdx.x; i * VECTOR_ELEMENTS<uint16_t> < all; i += PARTING)
            out[i] = shared.bins[i];
        return count;
    }

    template <quick_method METHOD>
    __device__ void run()
    {
        uint32_t of_part = 0;
        unsigned parity = 0;
        PRIM_UNROLL(1)
        for (size_t tile = blockIdx.x; tile < to.tiles; tile += gridDim.x, parity = 1 - parity) {
            uint32_t bins[OF_THREAD];
            PRIM_UNROLL(16)
            for (unsigned first = 0; first < LOADS<T>; first += AT_A_TIME<T>)
                find_some<METHOD>(tile, first, &bins[first * AT_ONCE<T>]);
            of_part += part(tile, bins, parity);
        }
        if (threadIdx.x < PARTS)
            atomicAdd(&to.totals[threadIdx.x], of_part);
    }
};

template <typename T>
__global__ void __launch_bounds__(PARTING, 2)
    part_samples(sample_line<T> line, size_t first_vector, size_t last_vector, quick_binning q,
                 parted to, counters counted)
{
    PRIM_SHARED(parting_memory, shared, );
    if (threadIdx.x < PARTS)
        shared.counts[0][threadIdx.x] = 0;
    if (threadIdx.x < PRIM_HISTOGRAM_OUTSIDE_COUNTERS)
        shared.outside[threadIdx.x] = 0;
    __syncthreads();
    if (blockIdx.x == 0 && first_vector == 0) {
        direct_counters add = {counted};
        count_ends(q, line, threadIdx.x, add);
    }
    tile_loop<T> loop = {q, line, first_vector, last_vector, to, shared};
    with_method<false, T>(q, loop); /* its last tile's barriers come after all has been counted */
    if (threadIdx.x < PRIM_HISTOGRAM_OUTSIDE_COUNTERS && shared.outside[threadIdx.x] != 0)
        counted.add(q.bins + threadIdx.x, shared.outside[threadIdx.x]);
}

/* ---- counting ---- */

/* One of a block's threads. */
struct part_counting {
    const parted &from;
    uint32_t *own;
    uint32_t words;
    counters to;

    __device__ void clear() const
    {
        for (uint32_t w = threadIdx.x; w < words; w += COUNTING)
            own[w] = 0;
        __syncthreads();
    }

    struct piece {
        size_t tile;
        unsigned begin, end; /* of the tile */
    };

    /* A tile's piece of a part; none past the last tile. */
    __device__ piece piece_of(unsigned part, size_t tile, size_t last) const
    {
        const uint16_t *const ends = from.ends + tile * PARTS;
        return tile < last ? piece{tile, part == 0 ? 0u : ends[part - 1], ends[part]}
                           : piece{tile, 0, 0};
    }

    /* By a warp, two bins to a word. The words at both ends may have another part's bin, or after
     * the last part nothing. */
    __device__ void count_piece(const piece &p, unsigned lane) const
    {
        constexpr uint32_t BYTES = sizeof(uint32_t);
        const shared_words counts = shared_words_of(own);
        const uint32_t *const pairs = reinterpret_cast<const uint32_t *>(from.bins + p.tile * TILE);
        const unsigned last = (p.end + 1) / 2;
        PRIM_UNROLL(1)
        for (unsigned first = p.begin / 2; first < last; first += PAIRS * WARP) {
            uint32_t two[PAIRS];
            PRIM_UNROLL(PAIRS)
            for (unsigned j = 0; j < PAIRS; j++) {
                const unsigned i = first + j * WARP + lane;
                two[j] = i < last ? pairs[i] : 0;
            }
            PRIM_UNROLL(PAIRS)
            for (unsigned j = 0; j < PAIRS; j++) {
                const unsigned i = first + j * WARP + lane;
                if (i < last && 2 * i >= p.begin)
                    add_one(counts, (two[j] & 0xffff) * BYTES);
                if (2 * i + 1 < p.end)
                    add_one(counts, (two[j] >> 16) * BYTES);
            }
        }
    }

    /* A part's pieces of tiles first … last - 1. Warps change places from one step to the next: in
     * sorted samples the pieces that are not empty lie a period apart. */
    __device__ void count(unsigned part, size_t first, size_t last) const
    {
        constexpr unsigned WARPS = COUNTING / WARP;
        const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
        piece next = piece_of(part, first + warp, last);
        PRIM_UNROLL(1)
        for (unsigned step = 1; first < last; first += WARPS, step++) {
            const piece now = next;
            next = piece_of(part, first + WARPS + (warp + step) % WARPS, last);
            count_piece(now, lane);
        }
        __syncthreads();
    }

    __device__ void add_up(unsigned part) const
    {
        for (uint32_t w = threadIdx.x; w < words; w += COUNTING)
            if (own[w] != 0)
                to.add_to_bin(bin_of(part, w), own[w]);
    }

    /* This block's share, samples `begin` to `end` of all in the order of parts: as many tiles of
     * each part as it has of its samples. */
    __device__ void run(uint64_t begin, uint64_t end) const
    {
        uint64_t before = 0;
        for (unsigned part = 0; part < PARTS; part++) {
            const uint64_t of_part = from.totals[part], behind = before + of_part;
            const uint64_t first = begin > before ? begin : before,
                           last = end < behind ? end : behind;
            if (first < last) {
                clear();
                count(part, (first - before) * from.tiles / of_part,
                      (last - before) * from.tiles / of_part);
                add_up(part);
            }
            before = behind;
        }
    }
};

[[maybe_unused]] __global__ void __launch_bounds__(COUNTING, 1)
    count_parts(parted from, uint32_t words, counters to)
{
    PRIM_SHARED_DYNAMIC(uint32_t, own);
    uint64_t all = 0;
    for (unsigned part = 0; part < PARTS; part++)
        all += from.totals[part];
    const part_counting counting = {from, own, words, to};
    counting.run(all * blockIdx.x / gridDim.x, all * (blockIdx.x + 1) / gridDim.x);
}

/* ---- launches ---- */

struct run_rounds : launch_run {
    template <typename T>
    static cudaError_t run(const prim_histogram_args *args)
    {
        const sample_line<T> line = make_line<T>(args);
        constexpr size_t VECTORS = MOST_OF_A_ROUND / AT_ONCE<T>;
        cudaError_t error = clear_counters(args);
        if (error == cudaSuccess)
            error = prim_allow_shared(count_parts, prim_device_shared_bytes());
        if (error != cudaSuccess || args->count == 0)
            return error;
        size_t first = 0;
        do { /* once even without a vector */
            const size_t vectors = line.vectors - first < VECTORS ? line.vectors - first : VECTORS;
            error = round_of(args, line, first, vectors);
            first += vectors;
        } while (error == cudaSuccess && first < line.vectors);
        return error;
    }

    template <typename T>
    static cudaError_t round_of(const prim_histogram_args *args, const sample_line<T> &line,
                                size_t first, size_t vectors)
    {
        const size_t tiles = prim_divide_up(vectors, PARTING * LOADS<T>);
        const parted to = make_parted(args->call.workspace, tiles);
        const uint32_t words = static_cast<uint32_t>(part_counters(args->bins));
        const size_t samples = vectors * AT_ONCE<T>;
        const cudaStream_t stream = args->call.stream;
        cudaError_t error = cudaMemsetAsync(to.totals, 0, PARTS * sizeof(uint32_t), stream);
        if (error == cudaSuccess)
            error = prim_launch({stream, at_least_one(choose_blocks(samples, TILE, 2)), PARTING},
                                part_samples<T>, line, first, first + vectors,
                                make_quick_binning(args), to, make_counters(args));
        if (error == cudaSuccess && vectors > 0)
            error = prim_launch(
                {stream, choose_blocks(samples, TILE, 1), COUNTING, words * sizeof(uint32_t)},
                count_parts, to, words, make_counters(args));
        return error;
    }

    static unsigned at_least_one(unsigned blocks)
    {
        return blocks > 0 ? blocks : 1;
    }
};

const char *why_not(const void *any)
{
    const prim_histogram_args *args = static_cast<const prim_histogram_args *>(any);
    if (!dispatch<is_built>(args))
        return PRIM_TYPES_NOT_BUILT;
    if (part_counters(args->bins) > UINT16_MAX + 1ul ||
        part_counters(args->bins) * sizeof(uint32_t) > prim_device_shared_bytes())
        return "a 32nd of the counters does not fit in a block's shared memory";
    return nullptr;
}

size_t workspace_bytes(const void *any)
{
    return bytes_of(tiles_of(static_cast<const prim_histogram_args *>(any)->count));
}

cudaError_t launch(const void *args)
{
    return dispatch<run_rounds>(static_cast<const prim_histogram_args *>(args));
}

} // namespace partitioned
} // namespace

PRIM_DEFINE_RUNG(histogram, partitioned) = {
    {PRIM_HISTOGRAM_PARTITIONED, "partitioned",
     "samples in 32 parts by their bins first, each counted in shared memory"},
    partitioned::why_not,
    partitioned::workspace_bytes,
    partitioned::launch};
