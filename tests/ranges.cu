#include <primitives/device/range.h>

#include "collectives.h"
#include "device_values.cuh"

namespace
{

constexpr unsigned THREADS = 64, WARP = 32, MOST = 200; /* elements of a range */
constexpr unsigned BLOCKS_OF_COUNTS = MOST + 1;         /* block b takes b elements */
constexpr size_t GUARD = 64;                            /* bytes on either side of a range */

/* Bytes that one block has to itself: guards, 16 alignments, and the most that a range can have. */
template <typename T>
constexpr size_t STRIDE = (2 * GUARD + 16 + MOST * sizeof(T) + 15) / 16 * 16;

/* Elements of any alignment, which add one to their bytes. */
template <unsigned SIZE, unsigned ALIGNMENT>
struct alignas(ALIGNMENT) element {
    unsigned char bytes[SIZE];

    __host__ __device__ void change()
    {
        for (unsigned i = 0; i < SIZE; i++)
            bytes[i] = static_cast<unsigned char>(bytes[i] + 1 + i);
    }
};

/* Block b brings b elements from `past` bytes after its guard, changes them, and stores them at
 * the same place of another array. */
template <typename T>
__global__ void change_ranges(const unsigned char *in, unsigned past, unsigned char *out)
{
    PRIM_SHARED(prim_range_vector, room, [prim_range_vectors<T>(MOST)]);
    const unsigned count = blockIdx.x;
    const size_t first = blockIdx.x * STRIDE<T> + GUARD + past;
    T *const here = prim_load_range<THREADS>(room, reinterpret_cast<const T *>(in + first), count);
    prim_wait_for_ranges();
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        here[i].change();
    __syncthreads();
    prim_store_range<THREADS>(reinterpret_cast<T *>(out + first), room, count);
}

/* What the kernel makes of it: elements changed, and the bytes around them as they were before. */
template <typename T>
std::vector<unsigned char> with_changed_ranges(const std::vector<unsigned char> &in, unsigned past)
{
    std::vector<unsigned char> out(in.size(), UNTOUCHED);
    for (size_t count = 0; count < BLOCKS_OF_COUNTS; count++)
        for (size_t i = 0; i < count; i++) {
            const size_t at = count * STRIDE<T> + GUARD + past + i * sizeof(T);
            T x;
            std::memcpy(static_cast<void *>(&x), &in[at], sizeof x);
            x.change();
            std::memcpy(&out[at], &x, sizeof x);
        }
    return out;
}

template <typename T>
const char *check_ranges_past(const char *type, unsigned past)
{
    std::vector<unsigned char> in(STRIDE<T> * BLOCKS_OF_COUNTS), out(in.size());
    for (unsigned char &byte : in)
        byte = static_cast<unsigned char>(random_bits());
    const char *wrong =
        run_on_device(in, out, [=](const unsigned char *d_in, unsigned char *d_out) {
            return prim_launch({nullptr, BLOCKS_OF_COUNTS, THREADS}, change_ranges<T>, d_in, past,
                               d_out);
        });
    const std::vector<unsigned char> expected = with_changed_ranges<T>(in, past);
    for (size_t i = 0; i < in.size() && wrong == nullptr; i++)
        if (out[i] != expected[i]) {
            snprintf(sentence, sizeof sentence, "%s, %u bytes past: %zu elements, byte %td", type,
                     past, i / STRIDE<T>,
                     static_cast<ptrdiff_t>(i % STRIDE<T>) - static_cast<ptrdiff_t>(GUARD + past));
            wrong = sentence;
        }
    return wrong;
}

template <typename T>
const char *check_ranges_of(const char *type)
{
    const char *wrong = nullptr;
    for (unsigned past = 0; past < 16 && wrong == nullptr; past += alignof(T))
        wrong = check_ranges_past<T>(type, past);
    return wrong;
}

/* A range that ends where its allocation does: AddressSanitizer sees what is read after it. */
template <typename T>
__global__ void copy_range(const T *in, T *out, unsigned count)
{
    PRIM_SHARED(prim_range_vector, room, [prim_range_vectors<T>(MOST)]);
    T *const here = prim_load_range<THREADS>(room, in, count);
    prim_wait_for_ranges();
    __syncthreads();
    for (unsigned i = threadIdx.x; i < count; i += THREADS)
        out[i] = here[i];
}

template <typename T>
const char *check_ends_of(const char *type)
{
    for (unsigned count = 1; count <= MOST; count++) {
        std::vector<T> values(count), copied(count);
        for (T &x : values)
            x.bytes[0] = static_cast<unsigned char>(random_bits());
        const char *const failed = run_on_device(values, copied, [=](const T *in, T *out) {
            return prim_launch({nullptr, 1, THREADS}, copy_range<T>, in, out, count);
        });
        if (failed != nullptr)
            return failed;
        if (std::memcmp(values.data(), copied.data(), count * sizeof(T)) != 0) {
            snprintf(sentence, sizeof sentence, "%s, %u elements in an allocation", type, count);
            return sentence;
        }
    }
    return nullptr;
}

/* ---- warps ---- */

constexpr unsigned WARPS = 3, ROW = 45; /* floats */

/* Each warp brings two rows, and takes the first while the second is on its way. */
__global__ void add_rows(const float *in, float *out)
{
    PRIM_SHARED(prim_range_vector, rooms, [WARPS][2][prim_range_vectors<float>(ROW)]);
    const unsigned warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    float *const first = prim_load_range<WARP>(rooms[warp][0], in + 2 * warp * ROW, ROW);
    float *const second = prim_load_range<WARP>(rooms[warp][1], in + (2 * warp + 1) * ROW, ROW);
    prim_wait_for_ranges<1>();
    __syncwarp();
    float sum = 0;
    for (unsigned i = lane; i < ROW; i += WARP)
        sum += first[i];
    prim_wait_for_ranges();
    __syncwarp();
    for (unsigned i = lane; i < ROW; i += WARP)
        sum += second[i];
    out[threadIdx.x] = sum;
}

} // namespace

const char *check_ranges(void)
{
    for (const char *wrong :
         {check_ranges_of<element<1, 1>>("a byte"), check_ranges_of<element<2, 2>>("2 bytes"),
          check_ranges_of<element<4, 4>>("4 bytes"), check_ranges_of<element<8, 8>>("8 bytes"),
          check_ranges_of<element<16, 16>>("16 bytes"), check_ranges_of<element<8, 4>>("8 of 4"),
          check_ranges_of<element<12, 4>>("12 of 4"), check_ranges_of<element<3, 1>>("3 bytes"),
          check_ends_of<element<1, 1>>("a byte"), check_ends_of<element<2, 2>>("2 bytes"),
          check_ends_of<element<4, 4>>("4 bytes"), check_ends_of<element<12, 4>>("12 of 4")})
        if (wrong != nullptr)
            return wrong;
    return nullptr;
}

const char *check_ranges_of_warps(void)
{
    std::vector<float> values(2 * WARPS * ROW), sums(WARPS * WARP);
    for (size_t i = 0; i < values.size(); i++)
        values[i] = static_cast<float>(i);
    const char *wrong = run_on_device(values, sums, [](const float *in, float *out) {
        return prim_launch({nullptr, 1, WARPS * WARP}, add_rows, in, out);
    });
    for (size_t t = 0; t < sums.size() && wrong == nullptr; t++) {
        float sum = 0;
        for (size_t row = t / WARP * 2; row < t / WARP * 2 + 2; row++)
            for (size_t i = t % WARP; i < ROW; i += WARP)
                sum += values[row * ROW + i];
        if (sum != sums[t])
            wrong = "a warp's sum of two rows";
    }
    return wrong;
}
