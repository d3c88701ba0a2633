/* Finds for blocks of a picture the ones most like them: by their pixels, and by their signs alone,
 * which take a 32nd of the memory; and says how often the signs would have done.
 *
 *     nearest_codes IN.png [QUERIES]      64 queries if left out
 *
 * A block is 16 × 16 pixels of brightness, less their mean. Blocks of the lower half, spread
 * evenly, are the queries; all that begin at every fourth pixel of the upper half are searched. The
 * product of two blocks, divided by the lengths of both, is their cosine: 1 for blocks of one
 * pattern, in any contrast. Of signs, the code of a block, it is
 *
 *     256 pixels - 2 · the places in which they differ
 *
 * A line for each query says where the blocks with the largest products lie, and which place the
 * signs give to the one that the pixels chose: a search by signs that keeps a tenth of all blocks
 * for a second look finds it where that place is among the first tenth. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <primitives/binary_gemm.h>
#include <primitives/gemm.h>
#include <primitives/reduce.h>

#include "failure.h"
#include "numbers.h"
#include "output.h"
#include "picture.h"

static const char program[] = "nearest_codes";

enum { SIDE = 16, PIXELS = SIDE * SIDE, WORDS = PIXELS / 32, STEP = 4, KEPT = 10 };

/* Those of one half of the picture, and of the queries those that were taken of them. */
typedef struct blocks {
    size_t count;
    size_t *h_x, *h_y; /* the first pixel of each */
    float *h_features; /* a row for each block */
    float *d_features;
    uint32_t *d_codes;
} blocks;

/* What a search finds: products of all queries with all blocks, and the largest of each query. */
typedef struct search {
    cudaDataType_t type; /* of the products */
    void *d_products, *h_products;
    void *d_largest; /* the value of one, which is not looked at: its index is */
    uint64_t *d_nearest, *h_nearest;
    float milliseconds; /* that the products took */
} search;

/* ---- features ---- */

/* A pixel less the mean, 256 times: whole numbers, so that no rounding changes a sign. Then divided
 * by their length; of a block of one colour they are 0, and like no other's. */
static void make_feature(const picture *p, size_t x, size_t y, float *feature)
{
    const size_t channels = (size_t)p->channels;
    int pixels[PIXELS], sum = 0;
    double squares = 0;
    for (size_t i = 0; i < PIXELS; i++) {
        pixels[i] = p->h_pixels[((y + i / SIDE) * p->width + x + i % SIDE) * channels];
        sum += pixels[i];
    }
    for (size_t i = 0; i < PIXELS; i++) {
        const double apart = PIXELS * pixels[i] - sum;
        squares += apart * apart;
    }
    const double length = squares > 0 ? sqrt(squares) : 1;
    for (size_t i = 0; i < PIXELS; i++)
        feature[i] = (float)((PIXELS * pixels[i] - sum) / length);
}

static blocks allocate_blocks(size_t count)
{
    blocks b = {.count = count,
                .h_x = allocate(program, NULL, count, sizeof *b.h_x),
                .h_y = allocate(program, NULL, count, sizeof *b.h_y),
                .h_features = allocate(program, NULL, count, PIXELS * sizeof *b.h_features)};
    check_cuda(program, cudaMalloc((void **)&b.d_features, count * PIXELS * sizeof *b.d_features));
    check_cuda(program, cudaMalloc((void **)&b.d_codes, count * WORDS * sizeof *b.d_codes));
    return b;
}

/* `count` of the blocks in the rows of pixels from `top` to before `bottom`, or all of them if
 * `count` is 0 or there are fewer. */
static blocks cut(const picture *p, size_t top, size_t bottom, size_t count)
{
    const size_t across = (p->width - SIDE) / STEP + 1,
                 all = ((bottom - top - SIDE) / STEP + 1) * across;
    blocks b = allocate_blocks(count > 0 && count < all ? count : all);
    for (size_t i = 0; i < b.count; i++) {
        const size_t taken = i * all / b.count;
        b.h_x[i] = taken % across * STEP;
        b.h_y[i] = top + taken / across * STEP;
        make_feature(p, b.h_x[i], b.h_y[i], b.h_features + i * PIXELS);
    }
    check_cuda(program,
               cudaMemcpy(b.d_features, b.h_features, b.count * PIXELS * sizeof *b.h_features,
                          cudaMemcpyHostToDevice));
    return b;
}

static void free_blocks(blocks *b)
{
    check_cuda(program, cudaFree(b->d_features));
    check_cuda(program, cudaFree(b->d_codes));
    free(b->h_features);
    free(b->h_x);
    free(b->h_y);
}

static prim_matrix features_of(const blocks *b)
{
    return prim_matrix_of(CUDA_R_32F, b->d_features, b->count, PIXELS, 0);
}

/* Queries are the rows of the product of codes. */
static prim_bits rows_of(const blocks *queries)
{
    return prim_bits_of(queries->d_codes, queries->count, PIXELS, 0);
}

/* What is searched is its columns. */
static prim_bits columns_of(const blocks *searched)
{
    return prim_bits_of(searched->d_codes, PIXELS, searched->count, 0);
}

/* ---- the searches ---- */

typedef void work(const blocks *queries, const blocks *searched, const search *s);

static void pack(const blocks *queries, const blocks *searched, const search *s)
{
    (void)s;
    check_prim(program, prim_binary_pack_rows(features_of(queries), rows_of(queries), NULL));
    check_prim(program,
               prim_binary_pack_transposed(features_of(searched), columns_of(searched), NULL));
}

static prim_matrix products_of(const blocks *queries, const blocks *searched, const search *s)
{
    return prim_matrix_of(s->type, s->d_products, queries->count, searched->count, 0);
}

static void multiply_signs(const blocks *queries, const blocks *searched, const search *s)
{
    check_prim(program,
               prim_binary_gemm(PRIM_BINARY_GEMM_AUTO, rows_of(queries), columns_of(searched),
                                products_of(queries, searched, s), NULL));
}

static void multiply_pixels(const blocks *queries, const blocks *searched, const search *s)
{
    check_prim(program, prim_gemm(PRIM_GEMM_AUTO, PRIM_NOT_TRANSPOSED, PRIM_TRANSPOSED, 1,
                                  features_of(queries), features_of(searched), 0,
                                  products_of(queries, searched, s), PRIM_COMPUTE_DEFAULT, NULL));
}

/* The second time counts: before the first one, a GPU loads the kernels. */
static float milliseconds_of(work *does, const blocks *queries, const blocks *searched,
                             const search *s)
{
    cudaEvent_t begin, end;
    float milliseconds;
    check_cuda(program, cudaEventCreate(&begin));
    check_cuda(program, cudaEventCreate(&end));
    does(queries, searched, s);
    check_cuda(program, cudaEventRecord(begin, 0));
    does(queries, searched, s);
    check_cuda(program, cudaEventRecord(end, 0));
    check_cuda(program, cudaEventSynchronize(end));
    check_cuda(program, cudaEventElapsedTime(&milliseconds, begin, end));
    check_cuda(program, cudaEventDestroy(begin));
    check_cuda(program, cudaEventDestroy(end));
    return milliseconds;
}

/* The first of the largest products of each row. Both types have 4 bytes. */
static void find_nearest(const blocks *queries, const blocks *searched, const search *s)
{
    const size_t row_bytes = searched->count * 4;
    for (size_t q = 0; q < queries->count; q++)
        check_prim(program, prim_arg_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MAX, PRIM_TRANSFORM_NONE,
                                            s->type, (const char *)s->d_products + q * row_bytes,
                                            searched->count, s->d_largest, s->d_nearest + q, NULL));
}

static search search_by(work *multiply, cudaDataType_t type, const blocks *queries,
                        const blocks *searched)
{
    const size_t bytes = queries->count * searched->count * 4,
                 index_bytes = queries->count * sizeof(uint64_t);
    search s = {.type = type,
                .h_products = allocate(program, NULL, queries->count * searched->count, 4),
                .h_nearest = allocate(program, NULL, queries->count, sizeof *s.h_nearest)};
    check_cuda(program, cudaMalloc(&s.d_products, bytes));
    check_cuda(program, cudaMalloc(&s.d_largest, 4));
    check_cuda(program, cudaMalloc((void **)&s.d_nearest, index_bytes));
    s.milliseconds = milliseconds_of(multiply, queries, searched, &s);
    find_nearest(queries, searched, &s);
    check_cuda(program, cudaMemcpy(s.h_products, s.d_products, bytes, cudaMemcpyDeviceToHost));
    check_cuda(program, cudaMemcpy(s.h_nearest, s.d_nearest, index_bytes, cudaMemcpyDeviceToHost));
    return s;
}

static void free_search(search *s)
{
    check_cuda(program, cudaFree(s->d_products));
    check_cuda(program, cudaFree(s->d_largest));
    check_cuda(program, cudaFree(s->d_nearest));
    free(s->h_products);
    free(s->h_nearest);
}

/* ---- what they found ---- */

/* The places in which the signs of two blocks differ, by their features. */
static int distance(const blocks *queries, size_t q, const blocks *searched, size_t i)
{
    const float *const query = queries->h_features + q * PIXELS, *const other =
                                                                     searched->h_features +
                                                                     i * PIXELS;
    int differ = 0;
    for (size_t pixel = 0; pixel < PIXELS; pixel++)
        differ += (query[pixel] >= 0) != (other[pixel] >= 0);
    return differ;
}

static void check_product(const blocks *queries, size_t q, const blocks *searched, size_t i,
                          int product)
{
    const int right = PIXELS - 2 * distance(queries, q, searched, i);
    if (product == right)
        return;
    fprintf(stderr, "%s: query %zu and block %zu: a product of %d, and on the host of %d\n",
            program, q, i, product, right);
    exit(1);
}

/* A line of the query; returns whether signs have the block that pixels chose in their first
 * tenth. */
static bool print_query(const blocks *queries, const blocks *searched, const search *by_pixels,
                        const search *by_signs, size_t q)
{
    const float *const cosines = (float *)by_pixels->h_products + q * searched->count;
    const int *const products = (int *)by_signs->h_products + q * searched->count;
    const size_t chosen = by_pixels->h_nearest[q], nearest = by_signs->h_nearest[q];
    size_t place = 1;
    for (size_t i = 0; i < searched->count; i++)
        place += products[i] > products[chosen];
    check_product(queries, q, searched, chosen, products[chosen]);
    check_product(queries, q, searched, nearest, products[nearest]);
    printf("%zu,%zu: by pixels %zu,%zu, cosine %.3f; by signs %zu,%zu, distance %d; place %zu\n",
           queries->h_x[q], queries->h_y[q], searched->h_x[chosen], searched->h_y[chosen],
           (double)cosines[chosen], searched->h_x[nearest], searched->h_y[nearest],
           (PIXELS - products[nearest]) / 2, place);
    return (place - 1) * KEPT < searched->count;
}

static void print(const blocks *queries, const blocks *searched, const search *by_pixels,
                  const search *by_signs, float packing)
{
    size_t found = 0;
    for (size_t q = 0; q < queries->count; q++)
        found += print_query(queries, searched, by_pixels, by_signs, q);
    printf("blocks     %zu, in %zu bytes each, or %zu of signs\n", searched->count,
           PIXELS * sizeof(float), WORDS * sizeof(uint32_t));
    printf("found      %zu of %zu, in the first tenth by signs\n", found, queries->count);
    printf("by pixels  %.3f ms\n", (double)by_pixels->milliseconds);
    printf("by signs   %.3f ms, and %.3f ms to pack them\n", (double)by_signs->milliseconds,
           (double)packing);
}

int main(int argc, char **argv)
{
    unsigned long long count = 64;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: nearest_codes IN.png [QUERIES]\n");
        return 2;
    }
    if (argc == 3 && !read_count(argv[2], 1, 100000, &count)) {
        fprintf(stderr, "nearest_codes: %s is not a number from 1 to 100000\n", argv[2]);
        return 2;
    }
    picture p = picture_read(program, argv[1], 1);
    if (p.width < SIDE || p.height < 2 * SIDE) {
        fprintf(stderr, "nearest_codes: %s: %zu × %zu pixels, but at least %d × %d are needed\n",
                argv[1], p.width, p.height, SIDE, 2 * SIDE);
        picture_free(&p);
        return 1;
    }
    picture_weigh(&p);
    blocks queries = cut(&p, p.height / 2, p.height, (size_t)count),
           searched = cut(&p, 0, p.height / 2, 0);
    const float packing = milliseconds_of(pack, &queries, &searched, NULL);
    search by_signs = search_by(multiply_signs, CUDA_R_32I, &queries, &searched),
           by_pixels = search_by(multiply_pixels, CUDA_R_32F, &queries, &searched);
    print(&queries, &searched, &by_pixels, &by_signs, packing);
    free_search(&by_signs);
    free_search(&by_pixels);
    free_blocks(&queries);
    free_blocks(&searched);
    picture_free(&p);
    finish_output(program);
    return 0;
}
