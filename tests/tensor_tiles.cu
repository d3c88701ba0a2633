#include "tensor_tiles.h"

#include "common/host/device.h"
#include "common/kernel/launch.cuh"
#include "common/kernel/shared.cuh"
#include "common/kernel/unroll.cuh"
#include "common/tensor/mma_bits.cuh"
#include "common/tensor/tensor_copy.cuh"
#include "common/tensor/wgmma.cuh"

namespace
{

constexpr unsigned BOX = TILE_BOX, MOST_N = 256;

struct alignas(1024) box {
    uint16_t elements[BOX * BOX];
};

struct tiles {
    box a, b[MOST_N / BOX];
    mbarrier full;
};

__device__ void begin(mbarrier *full)
{
    if (threadIdx.x == 0) {
        mbarrier_init(full, 1);
        fence_mbarrier_init();
    }
    __syncthreads();
}

__global__ void copy_box(const __grid_constant__ prim_tensor_map map, int row, int column,
                         uint16_t *out)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(tiles, shared);
    begin(&shared->full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect_tx(&shared->full, sizeof(box));
        tensor_load_box(&shared->a, map, {column, row, 0}, &shared->full);
    }
    mbarrier_wait(&shared->full, 0);
    for (unsigned i = threadIdx.x; i < BOX * BOX; i += blockDim.x)
        out[i] = shared->a.elements[i];
}

template <wgmma_major MAJOR>
__device__ tensor_place box_at(unsigned across)
{
    return MAJOR == K_MAJOR ? tensor_place{0, static_cast<int>(across), 0}
                            : tensor_place{static_cast<int>(across), 0, 0};
}

/* Where a thread's sum i is in D. */
template <unsigned N>
__device__ unsigned place_of_sum(unsigned i)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned row = 16 * warp + lane / 4 + i / 2 % 2 * 8;
    return row * N + i / 4 * 8 + lane % 4 * 2 + i % 2;
}

/* Brings a box of A and N / BOX of B, and waits for them. */
template <unsigned N, wgmma_major A, wgmma_major B>
__device__ void load_tiles(tiles *to, const prim_tensor_map &a, const prim_tensor_map &b)
{
    begin(&to->full);
    if (threadIdx.x == 0) {
        mbarrier_arrive_expect_tx(&to->full, (1 + N / BOX) * sizeof(box));
        tensor_load_box(&to->a, a, box_at<A>(0), &to->full);
        for (unsigned i = 0; i < N / BOX; i++)
            tensor_load_box(&to->b[i], b, box_at<B>(i * BOX), &to->full);
    }
    mbarrier_wait(&to->full, 0);
}

template <typename Half, unsigned N, wgmma_major A, wgmma_major B>
__global__ void __launch_bounds__(WARPGROUP)
    multiply_tiles(const __grid_constant__ prim_tensor_map a,
                   const __grid_constant__ prim_tensor_map b, float *d)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(tiles, shared);
    float sums[N / 2] = {};
    load_tiles<N, A, B>(shared, a, b);
    const uint64_t of_a = wgmma_descriptor(&shared->a, sizeof(box)),
                   of_b = wgmma_descriptor(shared->b, sizeof(box));
    wgmma_fence();
    PRIM_UNROLL(4)
    for (unsigned step = 0; step < BOX / WGMMA_K; step++)
        wgmma_m64k16<Half, N, A, B>(sums, wgmma_next_k<A>(of_a, step), wgmma_next_k<B>(of_b, step));
    wgmma_commit_group();
    wgmma_wait_group<0>();
    for (unsigned i = 0; i < N / 2; i++)
        d[place_of_sum<N>(i)] = sums[i];
}

template <unsigned N>
__global__ void __launch_bounds__(WARPGROUP)
    count_tiles(const __grid_constant__ prim_tensor_map a,
                const __grid_constant__ prim_tensor_map b, int32_t *d)
{
    PRIM_SHARED_DYNAMIC_SWIZZLED(tiles, shared);
    int32_t sums[N / 2] = {};
    load_tiles<N, K_MAJOR, K_MAJOR>(shared, a, b);
    const uint64_t of_a = wgmma_descriptor(&shared->a, 0), of_b = wgmma_descriptor(shared->b, 0);
    wgmma_fence();
    PRIM_UNROLL(4)
    for (unsigned step = 0; step < 4; step++)
        wgmma_m64k256_and_popc<N>(sums, wgmma_next_k<K_MAJOR>(of_a, step),
                                  wgmma_next_k<K_MAJOR>(of_b, step));
    wgmma_commit_group();
    wgmma_wait_group<0>();
    for (unsigned i = 0; i < N / 2; i++)
        d[place_of_sum<N>(i)] += sums[i];
}

cudaError_t map_of(prim_tensor_map *map, const void *data, size_t rows, size_t columns, size_t ld)
{
    const size_t pitch = ld * sizeof(uint16_t);
    const prim_tensor tensor = {data, columns, rows, 1, pitch, pitch, BOX, BOX};
    return prim_make_tensor_map(map, &tensor);
}

template <typename T>
T *on_device(const T *h, size_t count)
{
    T *d = nullptr;
    if (cudaMalloc(&d, count * sizeof *d) != cudaSuccess)
        return nullptr;
    if (h != nullptr)
        cudaMemcpy(d, h, count * sizeof *d, cudaMemcpyHostToDevice);
    return d;
}

template <typename Half, unsigned N, wgmma_major A, wgmma_major B>
cudaError_t launch(const prim_tensor_map &a, const prim_tensor_map &b, float *d)
{
    const auto kernel = multiply_tiles<Half, N, A, B>;
    const cudaError_t error = prim_allow_shared(kernel, sizeof(tiles));
    return error != cudaSuccess
               ? error
               : prim_launch({nullptr, 1, WARPGROUP, sizeof(tiles)}, kernel, a, b, d);
}

template <unsigned N>
cudaError_t launch_counts(const prim_tensor_map &a, const prim_tensor_map &b, int32_t *d)
{
    const cudaError_t error = prim_allow_shared(count_tiles<N>, sizeof(tiles));
    return error != cudaSuccess
               ? error
               : prim_launch({nullptr, 1, WARPGROUP, sizeof(tiles)}, count_tiles<N>, a, b, d);
}

template <typename Half, unsigned N>
cudaError_t launch_ops(tile_product p, const prim_tensor_map &a, const prim_tensor_map &b, float *d)
{
    if (p.b_along_k)
        return p.a_along_k ? launch<Half, N, K_MAJOR, K_MAJOR>(a, b, d)
                           : launch<Half, N, MN_MAJOR, K_MAJOR>(a, b, d);
    return p.a_along_k ? launch<Half, N, K_MAJOR, MN_MAJOR>(a, b, d)
                       : launch<Half, N, MN_MAJOR, MN_MAJOR>(a, b, d);
}

template <typename Half>
cudaError_t launch_sides(tile_product p, const prim_tensor_map &a, const prim_tensor_map &b,
                         float *d)
{
    return p.n == 128   ? launch_ops<Half, 128>(p, a, b, d)
           : p.n == 192 ? launch_ops<Half, 192>(p, a, b, d)
                        : launch_ops<Half, 256>(p, a, b, d);
}

/* A warp's fragments, place by place as PTX gives them for m16n8k256: of A the row and the first of
 * 32 steps of k, of B the first step, of D the column. */
__global__ void multiply_bits(const uint32_t *a, const uint32_t *b, int32_t *d)
{
    const unsigned group = threadIdx.x / 4, in_group = threadIdx.x % 4;
    uint32_t rows[4], column[2];
    int32_t sums[4];
    for (unsigned i = 0; i < 4; i++) {
        const unsigned row = i % 2 == 0 ? group : group + 8, k = in_group * 32 + (i < 2 ? 0 : 128);
        rows[i] = a[row * BITS_WORDS + k / 32];
    }
    for (unsigned i = 0; i < 2; i++)
        column[i] = b[group * BITS_WORDS + (in_group * 32 + 128 * i) / 32];
    for (unsigned i = 0; i < 4; i++)
        sums[i] = d[(i < 2 ? group : group + 8) * BITS_N + in_group * 2 + i % 2];
    mma_m16n8k256_and_popc(sums, rows, column);
    for (unsigned i = 0; i < 4; i++)
        d[(i < 2 ? group : group + 8) * BITS_N + in_group * 2 + i % 2] = sums[i];
}

} // namespace

bool has_tensor_tiles(void)
{
    return prim_device_has_wgmma();
}

bool has_products_of_bits(void)
{
    return prim_device_code() >= 80;
}

cudaError_t run_mma_bits(const uint32_t *h_a, const uint32_t *h_b, int32_t *h_d)
{
    uint32_t *const d_a = on_device(h_a, BITS_M * BITS_WORDS), *const d_b = on_device(
                                                                   h_b, BITS_N * BITS_WORDS);
    int32_t *const d_d = on_device(h_d, BITS_M * BITS_N);
    cudaError_t error = prim_launch({nullptr, 1, 32}, multiply_bits, d_a, d_b, d_d);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_d, d_d, BITS_M * BITS_N * sizeof *h_d, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_d);
    return error;
}

cudaError_t run_tensor_copy(const uint16_t *h_matrix, size_t rows, size_t columns, size_t ld,
                            int row, int column, uint16_t *h_box)
{
    uint16_t *const d_matrix = on_device(h_matrix, rows * ld);
    uint16_t *const d_box = on_device<uint16_t>(nullptr, BOX * BOX);
    prim_tensor_map map;
    cudaError_t error = map_of(&map, d_matrix, rows, columns, ld);
    if (error == cudaSuccess)
        error = prim_allow_shared(copy_box, sizeof(tiles));
    if (error == cudaSuccess)
        error =
            prim_launch({nullptr, 1, WARPGROUP, sizeof(tiles)}, copy_box, map, row, column, d_box);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_box, d_box, sizeof(box), cudaMemcpyDeviceToHost);
    cudaFree(d_matrix);
    cudaFree(d_box);
    return error;
}

cudaError_t run_wgmma(tile_product p, const uint16_t *h_a, const uint16_t *h_b, float *h_d)
{
    uint16_t *const d_a = on_device(h_a, BOX * BOX), *const d_b = on_device(h_b, BOX * p.n);
    float *const d_d = on_device<float>(nullptr, BOX * p.n);
    prim_tensor_map a, b;
    cudaError_t error = map_of(&a, d_a, BOX, BOX, BOX);
    if (error == cudaSuccess)
        error = p.b_along_k ? map_of(&b, d_b, p.n, BOX, BOX) : map_of(&b, d_b, BOX, p.n, p.n);
    if (error == cudaSuccess)
        error = p.is_bf16 ? launch_sides<bf16>(p, a, b, d_d) : launch_sides<f16>(p, a, b, d_d);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_d, d_d, BOX * p.n * sizeof *h_d, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_d);
    return error;
}

cudaError_t run_wgmma_bits(unsigned n, const uint32_t *h_a, const uint32_t *h_b, int32_t *h_d)
{
    uint32_t *const d_a = on_device(h_a, BOX * TILE_WORDS), *const d_b =
                                                                on_device(h_b, n * TILE_WORDS);
    int32_t *const d_d = on_device(h_d, BOX * n);
    prim_tensor_map a, b;
    cudaError_t error = map_of(&a, d_a, BOX, BOX, BOX);
    if (error == cudaSuccess)
        error = map_of(&b, d_b, n, BOX, BOX);
    if (error == cudaSuccess)
        error = n == 128   ? launch_counts<128>(a, b, d_d)
                : n == 192 ? launch_counts<192>(a, b, d_d)
                           : launch_counts<256>(a, b, d_d);
    if (error == cudaSuccess)
        error = cudaMemcpy(h_d, d_d, BOX * n * sizeof *h_d, cudaMemcpyDeviceToHost);
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_d);
    return error;
}
