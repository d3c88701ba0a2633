/* Ranks the vertices of a graph by the pages that point to them.
 *
 *     pagerank GRAPH.mtx [STEPS]       row i has an entry in column j where i points to j
 *
 * Somebody follows links at random, and now and then, in 15 of 100 steps or where there is no link,
 * goes anywhere at all. How often each page is seen is its rank:
 *
 *     rank = 0.85 · T · rank + what is missing to 1, shared by all
 *
 * T has 1 / (links of i) in row j and column i. A step is a product, a sum, one element-wise kernel
 * and another sum; it is recorded as a CUDA graph. Prints what each step changes, until that is
 * below 10^-10, and the ten highest ranks. */
#include "steps.cuh"

#include <math.h>

extern const char program[] = "pagerank";

namespace
{

constexpr double FOLLOWED = 0.85, ENOUGH = 1e-10;

/* ---- the matrix ---- */

/* T, in the arrays of a new matrix. Several links from one page to another count as one each. */
prim_sparse make_transitions(const prim_sparse &links)
{
    const int64_t *from = static_cast<const int64_t *>(links.row_offsets);
    int64_t *offsets =
        static_cast<int64_t *>(allocate(program, nullptr, links.rows + 2, sizeof *offsets));
    int32_t *columns =
        static_cast<int32_t *>(allocate(program, nullptr, links.entries, sizeof *columns));
    double *values =
        static_cast<double *>(allocate(program, nullptr, links.entries, sizeof *values));
    for (size_t row = 0; row < links.rows + 2; row++)
        offsets[row] = 0;
    /* Counted two places further, so that each becomes a start, and then, filled, the next one's.
     */
    for (size_t e = 0; e < links.entries; e++)
        offsets[links.column_indices[e] + 2]++;
    for (size_t row = 2; row < links.rows + 2; row++)
        offsets[row] += offsets[row - 1];
    for (size_t page = 0; page < links.rows; page++)
        for (int64_t e = from[page]; e < from[page + 1]; e++) {
            const int64_t place = offsets[links.column_indices[e] + 1]++;
            columns[place] = static_cast<int32_t>(page);
            values[place] = 1 / static_cast<double>(from[page + 1] - from[page]);
        }
    prim_sparse t = links;
    t.row_offsets = offsets;
    t.column_indices = columns;
    t.values = values;
    return t;
}

/* ---- a step ---- */

/* What no link has carried goes to all pages alike; how far each has moved is kept. */
__global__ void share_the_rest(const double *followed, const double *sum, size_t count,
                               double *rank, double *moved)
{
    const size_t i = static_cast<size_t>(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= count)
        return;
    const double now = followed[i] + (1 - *sum) / static_cast<double>(count);
    moved[i] = now - rank[i];
    rank[i] = now;
}

double *constant_on_device(double value, size_t count)
{
    double *h = static_cast<double *>(allocate(program, nullptr, count, sizeof *h));
    for (size_t i = 0; i < count; i++)
        h[i] = value;
    double *const d = vector_on_device(h, count);
    free(h);
    return d;
}

/* ---- the answer ---- */

void print_highest(const double *h_rank, size_t count)
{
    size_t highest[10], found = 0;
    for (size_t i = 0; i < count; i++) {
        size_t place = found < 10 ? found++ : 10;
        for (; place > 0 && h_rank[highest[place - 1]] < h_rank[i]; place--)
            if (place < 10)
                highest[place] = highest[place - 1];
        if (place < 10)
            highest[place] = i;
    }
    for (size_t place = 0; place < found; place++)
        printf("vertex %zu  %.6g\n", highest[place] + 1, h_rank[highest[place]]);
}

int run(const char *path, unsigned long long steps)
{
    prim_sparse links = read_square_matrix(path);
    prim_sparse transitions = make_transitions(links);
    const size_t count = links.rows;
    const calculator with(matrix_on_device(transitions));
    double *const d_rank = constant_on_device(1 / static_cast<double>(count), count),
                  *const d_ones = constant_on_device(1, count),
                  *const d_followed = vector_on_device(nullptr, count),
                  *const d_moved = vector_on_device(nullptr, count),
                  *const d_sums = vector_on_device(nullptr, 2);
    auto step = make_repeated(with, [=, &with] {
        with.product(FOLLOWED, d_rank, d_followed);
        with.dot(d_ones, d_followed, &d_sums[0]);
        with.for_each_row(share_the_rest, d_followed, &d_sums[0], count, d_rank, d_moved);
        with.dot(d_moved, d_moved, &d_sums[1]);
    });
    double change = 1;
    for (unsigned long long s = 0; s < steps && !(change < ENOUGH); s++) {
        if (s == 0)
            step.first();
        else
            step.next();
        change = sqrt(with.read(&d_sums[1]));
        printf("step %llu  change %.3e\n", s + 1, change);
    }
    double *h_rank = static_cast<double *>(allocate(program, nullptr, count, sizeof *h_rank));
    check_cuda(program, cudaMemcpy(h_rank, d_rank, count * sizeof *h_rank, cudaMemcpyDeviceToHost));
    print_highest(h_rank, count);
    free(h_rank);
    step.end();
    free_device();
    matrix_market_free(&transitions);
    matrix_market_free(&links);
    finish_output(program);
    return 0;
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: pagerank GRAPH.mtx [STEPS]\n");
        return 2;
    }
    return run(argv[1], read_steps(argc > 2 ? argv[2] : nullptr, 200));
}
