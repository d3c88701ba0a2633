/* Protocols of kernels that are too large to be explored whole, by their own functions: the
 * look-back of a radix sort's pass, and the last piece of a long row. */
#include "explorations.h"

#include "common/kernel/launch.cuh"
#include "common/sort/radix.cuh"
#include "sparse/csr/csr_strips.cuh"

#include "sparse/problem.cuh"

namespace
{

/* ---- the look-back of a pass: by a thread for each digit, here of two ---- */

constexpr unsigned DIGITS_HERE = 2, TILES = 3, PASSES = 2;

/* Tile t has t + 1 keys of digit 0, and t + 2 of digit 1. */
__host__ __device__ unsigned keys_of(unsigned tile, unsigned digit)
{
    return tile + digit + 1;
}

__global__ void look_back_by_digits(unsigned *ticket, uint64_t *words, unsigned pass,
                                    uint64_t *before)
{
    PRIM_SHARED(unsigned, tile, [1]);
    if (threadIdx.x == 0)
        tile[0] = take_ticket(ticket);
    __syncthreads();
    const unsigned digit = threadIdx.x;
    const size_t at = static_cast<size_t>(tile[0]) * radix::DIGITS + digit;
    const unsigned keys = keys_of(tile[0], digit);
    atomic_store(&words[at], radix::word_of(pass, tile[0] == 0 ? radix::SUM : radix::COUNT, keys));
    if (tile[0] == 0)
        return;
    const uint64_t sum = radix::look_back(words, tile[0], digit, pass);
    atomic_store(&words[at], radix::word_of(pass, radix::SUM, sum + keys));
    before[tile[0] * DIGITS_HERE + digit] = sum;
}

const char *check_before(const uint64_t *before)
{
    for (unsigned digit = 0; digit < DIGITS_HERE; digit++) {
        uint64_t sum = 0;
        for (unsigned tile = 0; tile < TILES; tile++) {
            if (before[tile * DIGITS_HERE + digit] != sum)
                return "a tile has other keys before it";
            sum += keys_of(tile, digit);
        }
    }
    return nullptr;
}

/* Two passes over the same words, which are cleared once. */
const char *radix_passes(void *)
{
    constexpr size_t WORDS = TILES * radix::DIGITS;
    uint64_t h[TILES * DIGITS_HERE], *d_words = nullptr, *d_before = nullptr;
    unsigned *d_tickets = nullptr;
    cudaMalloc(&d_words, WORDS * sizeof *d_words);
    cudaMalloc(&d_before, sizeof h);
    cudaMalloc(&d_tickets, PASSES * sizeof *d_tickets);
    cudaMemset(d_words, 0, WORDS * sizeof *d_words);
    cudaMemset(d_before, 0, sizeof h);
    cudaMemset(d_tickets, 0, PASSES * sizeof *d_tickets);
    const char *wrong = nullptr;
    for (unsigned pass = 0; pass < PASSES && wrong == nullptr; pass++) {
        const cudaError_t error = prim_launch({nullptr, TILES, DIGITS_HERE}, look_back_by_digits,
                                              d_tickets + pass, d_words, pass, d_before);
        cudaMemcpy(h, d_before, sizeof h, cudaMemcpyDeviceToHost);
        wrong = error != cudaSuccess ? "a launch fails" : check_before(h);
    }
    cudaFree(d_words);
    cudaFree(d_before);
    cudaFree(d_tickets);
    return wrong;
}

/* ---- the pieces of a long row: a warp each, and the last one adds all up ---- */

constexpr unsigned PIECES = 3;

__global__ void finish_pieces(csr_problem<float, float, int32_t> a)
{
    finish_piece(a, 0, blockIdx.x * PIECE, static_cast<float>(blockIdx.x + 1), threadIdx.x % WARP);
}

const char *long_row(void *)
{
    const int32_t h_offsets[] = {0, PIECES * PIECE};
    int32_t *d_offsets = nullptr;
    float *d_sums = nullptr, y = 0;
    unsigned *d_ticket = nullptr;
    cudaMalloc(&d_offsets, sizeof h_offsets);
    cudaMalloc(&d_sums, (PIECES + 2) * sizeof *d_sums);
    cudaMalloc(&d_ticket, sizeof *d_ticket);
    cudaMemcpy(d_offsets, h_offsets, sizeof h_offsets, cudaMemcpyHostToDevice);
    cudaMemset(d_ticket, 0, sizeof *d_ticket);
    csr_problem<float, float, int32_t> a = {};
    a.p.offsets = d_offsets;
    a.p.first_pieces = d_sums;
    a.p.pieces = d_sums + 1;
    a.p.tickets = d_ticket;
    a.of.y = d_sums + PIECES + 1;
    a.of.scale = make_scaled<float>(1, 0);
    const cudaError_t error = prim_launch({nullptr, PIECES, WARP}, finish_pieces, a);
    cudaMemcpy(&y, a.of.y, sizeof y, cudaMemcpyDeviceToHost);
    cudaFree(d_offsets);
    cudaFree(d_sums);
    cudaFree(d_ticket);
    return error != cudaSuccess ? "the launch fails" : y != 6 ? "the sum is wrong" : nullptr;
}

} // namespace

const protocol pieces[] = {
    {"radix sort, look-back of two passes", radix_passes, nullptr, TILES, TILES, nullptr, 83},
    {"long row, last piece", long_row, nullptr, PIECES, PIECES, nullptr, 3},
};
const size_t piece_count = sizeof pieces / sizeof *pieces;
