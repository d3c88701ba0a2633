/* Blurs a picture: each pixel becomes the mean of the square around it.
 *
 *     box_filter IN.png OUT.png RADIUS…      a square has 2 · RADIUS + 1 pixels a side
 *
 * Of a square that reaches beyond the border, the part inside counts. A picture keeps its
 * transparency, and what is transparent counts for as little as it is seen. Several radii are as
 * many filters, one after the other: three of one radius come near a Gaussian bell.
 *
 * The time does not depend on the radius. A summed-area table has for each pixel the sum over the
 * rectangle from the picture's first pixel to this one. Four such sums give that over any other
 * rectangle:
 *
 *     ┌──────┬──────┐
 *     │      │      │
 *     ├──────a──────b
 *     │      │▒▒▒▒▒▒│      ▒ = d - b - c + a
 *     └──────c▒▒▒▒▒▒d                          */
#include <chrono>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/scan.h>

#include "common/kernel/launch.cuh"
#include "failure.h"
#include "numbers.h"
#include "output.h"
#include "picture.h"

namespace
{

constexpr char program[] = "box_filter";

/* Of a block: a grid of such is high enough for the 10^6 rows that libpng takes. */
constexpr unsigned SIDE = 16;

/* ---- the kernel ---- */

struct span {
    size_t begin, end;
};

/* What of 0 … size - 1 is within `radius` of `centre`; no radius makes it overflow. */
__device__ span inside(size_t centre, size_t radius, size_t size)
{
    return {centre > radius ? centre - radius : 0,
            radius < size - centre ? centre + radius + 1 : size};
}

/* The sum over the rows before `row` in the columns before `column`. */
template <typename sum_type>
__device__ sum_type sum_before(const sum_type *table, size_t width, size_t row, size_t column)
{
    return row == 0 || column == 0 ? 0 : table[(row - 1) * width + column - 1];
}

/* A thread for each pixel, a layer of blocks for each plane. */
template <typename sum_type>
__global__ void means(const sum_type *tables, size_t width, size_t height, size_t radius,
                      uint8_t *planes)
{
    const size_t x = static_cast<size_t>(blockIdx.x) * SIDE + threadIdx.x;
    const size_t y = static_cast<size_t>(blockIdx.y) * SIDE + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const size_t plane = blockIdx.z * width * height;
    const sum_type *table = tables + plane;
    const span columns = inside(x, radius, width), rows = inside(y, radius, height);
    const sum_type sum = sum_before(table, width, rows.end, columns.end) -
                         sum_before(table, width, rows.begin, columns.end) -
                         sum_before(table, width, rows.end, columns.begin) +
                         sum_before(table, width, rows.begin, columns.begin);
    const sum_type area =
        static_cast<sum_type>((rows.end - rows.begin) * (columns.end - columns.begin));
    planes[plane + y * width + x] = static_cast<uint8_t>((sum + area / 2) / area);
}

/* ---- the device ---- */

/* In milliseconds, once the device has done all it was given. */
double now()
{
    check_cuda(program, cudaDeviceSynchronize());
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(time).count();
}

/* As the times are this device's, or the CPU backend's. */
const char *device_name()
{
    static cudaDeviceProp properties;
    int device;
    check_cuda(program, cudaGetDevice(&device));
    check_cuda(program, cudaGetDeviceProperties(&properties, device));
    return properties.name;
}

/* One radius. The means take their planes' place: the tables have all that was in them. */
template <typename sum_type>
void filter(const picture &p, uint8_t *d_planes, sum_type *d_tables, size_t radius)
{
    const unsigned channels = static_cast<unsigned>(p.channels);
    const dim3 blocks(static_cast<unsigned>((p.width + SIDE - 1) / SIDE),
                      static_cast<unsigned>((p.height + SIDE - 1) / SIDE), channels);
    const double begin = now();
    for (unsigned c = 0; c < channels; c++) {
        const size_t plane = c * p.width * p.height;
        check_prim(program,
                   prim_scan_2d(PRIM_SCAN_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE,
                                prim_matrix_of(CUDA_R_8U, d_planes + plane, p.height, p.width, 0),
                                prim_matrix_of(sizeof(sum_type) == 4 ? CUDA_R_32U : CUDA_R_64U,
                                               d_tables + plane, p.height, p.width, 0),
                                nullptr));
    }
    const double between = now();
    check_cuda(program, prim_launch({nullptr, blocks, dim3(SIDE, SIDE)}, means<sum_type>, d_tables,
                                    p.width, p.height, radius, d_planes));
    const double end = now();
    printf("radius %zu: table of u%zu %.3f ms, means %.3f ms on %s\n", radius, 8 * sizeof(sum_type),
           between - begin, end - between, device_name());
}

template <typename sum_type>
void filter_all(const picture &p, uint8_t *d_planes, const size_t *radii, size_t count)
{
    sum_type *d_tables;
    check_cuda(program, cudaMalloc(&d_tables, picture_bytes(&p) * sizeof(sum_type)));
    for (size_t i = 0; i < count; i++)
        filter(p, d_planes, d_tables, radii[i]);
    check_cuda(program, cudaFree(d_tables));
}

/* ---- the host ---- */

/* Scans want neighbours side by side, so each channel becomes a plane of its own. */
void split(const picture &p, uint8_t *h_planes)
{
    const size_t pixels = p.width * p.height, channels = static_cast<size_t>(p.channels);
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < channels; c++)
            h_planes[c * pixels + i] = p.h_pixels[i * channels + c];
}

void join(const uint8_t *h_planes, const picture &p)
{
    const size_t pixels = p.width * p.height, channels = static_cast<size_t>(p.channels);
    for (size_t i = 0; i < pixels; i++)
        for (size_t c = 0; c < channels; c++)
            p.h_pixels[i * channels + c] = h_planes[c * pixels + i];
}

void filter_picture(const picture &p, const size_t *radii, size_t count)
{
    const size_t bytes = picture_bytes(&p);
    uint8_t *h_planes = static_cast<uint8_t *>(allocate(program, nullptr, bytes, 1)), *d_planes;
    check_cuda(program, cudaMalloc(&d_planes, bytes));
    split(p, h_planes);
    check_cuda(program, cudaMemcpy(d_planes, h_planes, bytes, cudaMemcpyHostToDevice));
    if (p.width * p.height <= UINT32_MAX / 256) /* not 255: half a pixel is added to round */
        filter_all<uint32_t>(p, d_planes, radii, count);
    else
        filter_all<uint64_t>(p, d_planes, radii, count);
    check_cuda(program, cudaMemcpy(h_planes, d_planes, bytes, cudaMemcpyDeviceToHost));
    join(h_planes, p);
    check_cuda(program, cudaFree(d_planes));
    free(h_planes);
}

size_t read_radius(const char *word)
{
    unsigned long long radius;
    if (read_count(word, 0, SIZE_MAX, &radius))
        return radius;
    fprintf(stderr, "%s: %s is not a radius\n", program, word);
    exit(2);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: box_filter IN.png OUT.png RADIUS...\n");
        return 2;
    }
    const size_t count = static_cast<size_t>(argc) - 3;
    size_t *radii = static_cast<size_t *>(allocate(program, nullptr, count, sizeof *radii));
    for (size_t i = 0; i < count; i++)
        radii[i] = read_radius(argv[i + 3]);
    picture p = picture_read(program, argv[1], 0);
    picture_weigh(&p);
    filter_picture(p, radii, count);
    picture_unweigh(&p);
    picture_write(program, argv[2], &p);
    picture_free(&p);
    free(radii);
    finish_output(program);
    return 0;
}
