/* sparse: products by a plan, which have the bits of CSR_MERGE. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/sparse.h>

#include "calls.h"
#include "sparse_matrices.h"
#include "support.h"

/* Types of values, and of x and y. */
static const struct {
    cudaDataType_t values, vectors;
} types[] = {{CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F},   {CUDA_R_16F, CUDA_R_16F},
             {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF}, {CUDA_R_16BF, CUDA_R_32F}};

/* ---- structures ---- */

/* Columns by rows: up to so many of each. */
typedef struct structure {
    const char *name;
    size_t rows, columns;
    size_t (*row)(size_t row, size_t rows, size_t columns, int32_t *of);
} structure;

enum { LONGEST = 40000, EDGE = 24 };

static size_t keep(long column, size_t columns, int32_t *of, size_t count)
{
    if (column < 0 || column >= (long)columns)
        return count;
    of[count] = (int32_t)column;
    return count + 1;
}

/* A point of a cube and its neighbours. */
static size_t cube(size_t row, size_t rows, size_t columns, int32_t *of)
{
    const long x = (long)(row % EDGE), y = (long)(row / EDGE % EDGE), z = (long)(row / EDGE / EDGE),
               high = (long)(rows / EDGE / EDGE);
    size_t count = 0;
    for (long c = z - 1; c <= z + 1; c++)
        for (long b = y - 1; b <= y + 1; b++)
            for (long a = x - 1; a <= x + 1; a++)
                if (a >= 0 && a < EDGE && b >= 0 && b < EDGE && c >= 0 && c < high)
                    count = keep(a + EDGE * (b + EDGE * c), columns, of, count);
    return count;
}

static size_t band(size_t row, long least, long most, size_t columns, int32_t *of)
{
    size_t count = 0;
    for (long d = least; d <= most; d++)
        count = keep((long)row + d, columns, of, count);
    return count;
}

#define BAND(name, least, most)                                                     \
    static size_t band_##name(size_t row, size_t rows, size_t columns, int32_t *of) \
    {                                                                               \
        (void)rows;                                                                 \
        return band(row, least, most, columns, of);                                 \
    }
BAND(1, 0, 0)
BAND(3, -1, 1)
BAND(8, -4, 3)
BAND(9, -4, 4)
BAND(40, -20, 19)
BAND(64, -32, 31)
BAND(65, -32, 32)
BAND(600, -300, 299)

/* Five points whose neighbours lie further apart than 16 bits reach. */
static size_t far_points(size_t row, size_t rows, size_t columns, int32_t *of)
{
    const long apart[] = {-40000, -1, 0, 1, 40000};
    size_t count = 0;
    (void)rows;
    for (size_t i = 0; i < COUNT_OF(apart); i++)
        count = keep((long)row + apart[i], columns, of, count);
    return count;
}

/* Neighbouring rows of one length, but each third has columns of its own. */
static size_t nearly_alike(size_t row, size_t rows, size_t columns, int32_t *of)
{
    const size_t count = band(row, 0, 11, columns, of);
    (void)rows;
    if (row % 3 == 0 && count > 5)
        of[5] = of[row % count];
    return count;
}

/* Among 2^16 columns, or among one more; rows of all lengths. */
static size_t spread(size_t row, size_t within, size_t columns, int32_t *of)
{
    const size_t lengths[] = {0, 1, 7, 8, 9, 31, 64, 65, 3, 12, 511, 512, 513, 1300},
                 count = lengths[random_bits(row) % (row % 40 == 0 ? 14 : 7)],
                 first = columns > within ? columns - within : 0, wide = columns - first;
    for (size_t s = 0; s < count; s++)
        of[s] = (int32_t)(first + (s == 0   ? 0
                                   : s == 1 ? wide - 1
                                            : random_bits(row * 4096 + s) % wide));
    return count;
}

static size_t within_16_bits(size_t row, size_t rows, size_t columns, int32_t *of)
{
    (void)rows;
    return spread(row, 65536, columns, of);
}

static size_t beyond_16_bits(size_t row, size_t rows, size_t columns, int32_t *of)
{
    (void)rows;
    return spread(row, 65537, columns, of);
}

/* Bands, near columns, far ones, rows without any, and a long row: all ways in one matrix. */
static size_t of_all(size_t row, size_t rows, size_t columns, int32_t *of)
{
    if (row == rows / 2)
        return band(row, -9000, 9000, columns, of);
    switch (row * 7 / rows) {
    case 0:
        return band(row, -2, 2, columns, of);
    case 1:
        return row % 5 == 0 ? 0 : band(row, -10, 10, columns, of);
    case 2:
        return spread(row, 1000, columns, of);
    case 3:
        return spread(row, columns, columns, of);
    case 4:
        return 0;
    default:
        return band(row, -(long)(row % 2), 3, columns, of);
    }
}

/* So many columns, or rows, that all of them have tiles. */
enum { WIDE = 70000 };
static const structure structures[] = {
    {"a cube", EDGE *EDGE *EDGE, WIDE, cube},
    {"of all", 7000, 70001, of_all},
    {"a band of 40", 1700, WIDE, band_40},
    {"a band of 9, few columns", 66000, 6000, band_9},
    {"far points", 50000, WIDE, far_points},
    {"nearly alike", 3001, WIDE, nearly_alike},
    {"within 16 bits", 4000, 200000, within_16_bits},
    {"beyond 16 bits", 4000, 200000, beyond_16_bits},
    {"a diagonal", 32769, WIDE, band_1},
    {"a band of 3", 33000, WIDE, band_3},
    {"a band of 8", 4200, WIDE, band_8},
    {"a band of 64", 700, WIDE, band_64},
    {"a band of 65", 700, WIDE, band_65},
    {"a band of 600", 120, WIDE, band_600},
};

/* In host memory, of numbers that rounding shows. */
static kept build(const structure *s, cudaDataType_t type, cudaDataType_t offset_type)
{
    int32_t *const of = allocate(LONGEST * sizeof *of);
    size_t entries = 0;
    for (size_t row = 0; row < s->rows; row++)
        entries += s->row(row, s->rows, s->columns, of);
    kept k = new_csr(s->rows, s->columns, entries, type, offset_type);
    for (size_t row = 0, e = 0; row < s->rows; row++) {
        const size_t count = s->row(row, s->rows, s->columns, of);
        memcpy((int32_t *)k.m.column_indices + e, of, count * sizeof *of);
        e += count;
        set_offset(&k.m, row + 1, e);
    }
    for (size_t e = 0; e < entries; e++)
        write_float(type, (void *)k.m.values, e, number(REAL, random_bits(e + 5)));
    free(of);
    return k;
}

/* ---- a plan and products ---- */

/* A matrix with its vectors and its plan on the device. */
typedef struct stand {
    sent d;
    guarded x, y, plan;
    size_t plan_bytes, y_bytes;
    cudaDataType_t type; /* of x and y */
    void *h_y;
} stand;

static guarded new_plan(const prim_sparse *m, size_t *bytes)
{
    size_t workspace_bytes;
    cr_prim(asked_output(prim_spmv_plan(without_arrays(*m), NULL, 0, asking()), bytes));
    cr_prim(asked_bytes(prim_spmv_plan(without_arrays(*m), NULL, 0, asking()), &workspace_bytes));
    guarded plan = guarded_new(*bytes, 16), workspace = guarded_new(workspace_bytes, 0);
    prim_sparse structure = *m;
    structure.values = NULL;
    cr_own(prim_spmv_plan(
        structure, *bytes > 0 ? plan.data : NULL, *bytes,
        with(own_stream(), workspace_bytes > 0 ? workspace.data : NULL, workspace_bytes)));
    guarded_free(&workspace);
    return plan;
}

static void fill_numbers(cudaDataType_t type, void *h, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        write_float(type, h, i, number(REAL, random_bits(i + seed)));
}

/* d_x, d_y and the arrays lie `past` elements after whole vectors. */
static stand set_up(const kept *csr, cudaDataType_t vectors, size_t past)
{
    const prim_sparse *m = &csr->m;
    const size_t size = type_bytes(vectors), value = type_bytes(m->value_type);
    stand s = {.d = {.m = *m, .count = 3}, .type = vectors, .y_bytes = m->rows * size};
    s.d.arrays[0] = guarded_copy(m->row_offsets, (m->rows + 1) * type_bytes(m->offset_type),
                                 past * type_bytes(m->offset_type));
    s.d.arrays[1] = guarded_copy(m->column_indices, m->entries * 4, past * 4);
    s.d.arrays[2] = guarded_copy(m->values, m->entries * value, past * value);
    s.d.m.row_offsets = s.d.arrays[0].data;
    s.d.m.column_indices = s.d.arrays[1].data;
    s.d.m.values = s.d.arrays[2].data;
    void *const h_x = allocate(m->columns * size);
    s.h_y = allocate(s.y_bytes);
    fill_numbers(vectors, h_x, m->columns, 9);
    fill_numbers(vectors, s.h_y, m->rows, 77);
    s.x = guarded_copy(h_x, m->columns * size, past * size);
    s.y = guarded_copy(s.h_y, s.y_bytes, past * size);
    s.plan = new_plan(&s.d.m, &s.plan_bytes);
    free(h_x);
    return s;
}

static void tear_down(stand *s)
{
    free(s->h_y);
    guarded_free(&s->x);
    guarded_free(&s->y);
    guarded_free(&s->plan);
    forget_sent(&s->d);
}

static void put_back(const stand *s)
{
    cr_cuda(cudaMemcpy(s->y.data, s->h_y, s->y_bytes, cudaMemcpyHostToDevice));
    cr_cuda(cudaStreamSynchronize(0)); /* the copy may return before all bytes have arrived */
}

static void multiply_planned(const stand *s, double alpha, double beta, void *h_after)
{
    size_t bytes;
    cr_prim(asked_bytes(prim_spmv_planned(1, s->d.m, NULL, 0,
                                          prim_vector_of(s->type, NULL, s->d.m.columns), 0,
                                          prim_vector_of(s->type, NULL, s->d.m.rows), asking()),
                        &bytes));
    guarded workspace = guarded_new(bytes, 0);
    put_back(s);
    cr_own(prim_spmv_planned(alpha, s->d.m, s->plan_bytes > 0 ? s->plan.data : NULL, s->plan_bytes,
                             prim_vector_of(s->type, s->x.data, s->d.m.columns), beta,
                             prim_vector_of(s->type, s->y.data, s->d.m.rows),
                             with(own_stream(), bytes > 0 ? workspace.data : NULL, bytes)));
    guarded_read(&s->y, h_after);
    guarded_free(&workspace);
}

static void multiply_without(const stand *s, double alpha, double beta, void *h_after)
{
    put_back(s);
    cr_own(prim_spmv(PRIM_SPMV_CSR_MERGE, alpha, s->d.m,
                     prim_vector_of(s->type, s->x.data, s->d.m.columns), beta,
                     prim_vector_of(s->type, s->y.data, s->d.m.rows), into(own_stream())));
    guarded_read(&s->y, h_after);
}

static void check_same(const stand *s, double alpha, double beta, const char *name)
{
    void *const planned = allocate(s->y_bytes), *const without = allocate(s->y_bytes);
    multiply_planned(s, alpha, beta, planned);
    multiply_without(s, alpha, beta, without);
    const size_t size = type_bytes(s->type);
    for (size_t row = 0; row < s->d.m.rows; row++)
        cr_assert_arr_eq((char *)planned + row * size, (char *)without + row * size, size,
                         "%s, %s and %s: row %zu", name, type_name(s->d.m.value_type),
                         type_name(s->type), row);
    free(planned);
    free(without);
}

/* ---- the same bits ---- */

Test(sparse_plan, structures)
{
    for (size_t s = 0; s < COUNT_OF(structures); s++)
        for (size_t t = 0; t < COUNT_OF(types); t++) {
            if (get_test_level() == LEVEL_QUICK && t != s % COUNT_OF(types) && (s > 1 || t == 2))
                continue;
            kept csr =
                build(&structures[s], types[t].values, (s + t) % 2 == 0 ? CUDA_R_32I : CUDA_R_64I);
            stand the = set_up(&csr, types[t].vectors, (s + 2 * t) % 5);
            check_same(&the, 1, 0, structures[s].name);
            if (s < 2)
                check_same(&the, 0.3, 0.7, structures[s].name);
            tear_down(&the);
            forget(&csr);
        }
}

/* Small ones have no plan. */
Test(sparse_plan, shapes)
{
    const size_t large = get_test_level() == LEVEL_FULL ? large_shape_count : 4;
    for (size_t s = 0; s < shape_count + large; s++) {
        const shape *of = s < shape_count ? &shapes[s] : &large_shapes[s - shape_count];
        const size_t t = s % COUNT_OF(types);
        kept csr = make(of, types[t].values, s % 4 < 2 ? CUDA_R_32I : CUDA_R_64I, REAL);
        stand the = set_up(&csr, types[t].vectors, s % 3);
        check_same(&the, 1, s % 2 == 0 ? 0 : 0.5, of->name);
        tear_down(&the);
        forget(&csr);
    }
}

/* ---- what a plan is for ---- */

Test(sparse_plan, other_values_under_one_plan)
{
    kept csr = build(&structures[1], CUDA_R_32F, CUDA_R_32I),
         doubles = build(&structures[1], CUDA_R_64F, CUDA_R_64I);
    stand the = set_up(&csr, CUDA_R_32F, 0), wide = set_up(&doubles, CUDA_R_64F, 0);
    for (uint64_t turn = 0; turn < 3; turn++) {
        fill_numbers(CUDA_R_32F, (void *)csr.m.values, csr.m.entries, turn * 1000);
        cr_cuda(cudaMemcpy((void *)the.d.m.values, csr.m.values, csr.m.entries * 4,
                           cudaMemcpyHostToDevice));
        check_same(&the, 1, 1, "other values");
    }
    cr_assert_eq(wide.plan_bytes, the.plan_bytes);
    cr_cuda(cudaMemset(wide.plan.data, 0x77, wide.plan_bytes));
    cr_cuda(cudaMemcpy(wide.plan.data, the.plan.data, the.plan_bytes, cudaMemcpyDeviceToDevice));
    check_same(&wide, 1, 0, "another type's plan");
    tear_down(&the);
    tear_down(&wide);
    forget(&csr);
    forget(&doubles);
}

/* Where columns are in the plan, they are not read: others may lie there unseen. What a tile has no
 * room for, the end of a long row, is not in the plan. */
static void check_unread(size_t structure, bool read)
{
    kept csr = build(&structures[structure], CUDA_R_32F, CUDA_R_32I);
    stand the = set_up(&csr, CUDA_R_32F, 0);
    void *const before = allocate(the.y_bytes), *const after = allocate(the.y_bytes);
    multiply_planned(&the, 1, 0, before);
    cr_cuda(cudaMemset((void *)the.d.m.column_indices, 0, csr.m.entries * 4));
    multiply_planned(&the, 1, 0, after);
    cr_assert_eq(memcmp(before, after, the.y_bytes) != 0, read, "%s", structures[structure].name);
    free(before);
    free(after);
    tear_down(&the);
    forget(&csr);
}

Test(sparse_plan, columns_are_read_where_the_plan_has_none)
{
    static const bool reads[] = {false, true, false, false, false, false, true, true};
    for (size_t s = 0; s < COUNT_OF(reads); s++)
        check_unread(s, reads[s]);
}

Test(sparse_plan, same_bits_in_every_run)
{
    for (size_t s = 0; s < 2; s++) {
        kept csr = build(&structures[s], CUDA_R_32F, CUDA_R_32I);
        stand the = set_up(&csr, CUDA_R_32F, 0);
        char *const first = allocate(the.plan_bytes), *const again = allocate(the.plan_bytes);
        guarded_read(&the.plan, first);
        for (size_t turn = 0; turn < 3; turn++) {
            size_t bytes;
            guarded plan = new_plan(&the.d.m, &bytes);
            cr_assert_eq(bytes, the.plan_bytes);
            guarded_read(&plan, again);
            cr_assert_arr_eq(again, first, bytes, "%s", structures[s].name);
            guarded_free(&plan);
        }
        free(first);
        free(again);
        tear_down(&the);
        forget(&csr);
    }
}

/* A plan and a product by it, in one graph; the matrix is another one in each replay. */
Test(sparse_plan, in_a_graph)
{
    kept csr = build(&structures[1], CUDA_R_32F, CUDA_R_32I);
    stand the = set_up(&csr, CUDA_R_32F, 0);
    void *const planned = allocate(the.y_bytes), *const without = allocate(the.y_bytes);
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStream_t stream;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cr_prim(prim_spmv_plan(the.d.m, the.plan.data, the.plan_bytes, into(stream)));
    cr_prim(prim_spmv_planned(1, the.d.m, the.plan.data, the.plan_bytes,
                              prim_vector_of(CUDA_R_32F, the.x.data, the.d.m.columns), 0,
                              prim_vector_of(CUDA_R_32F, the.y.data, the.d.m.rows), into(stream)));
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    for (size_t turn = 0; turn < 3; turn++) {
        for (size_t e = turn; e < csr.m.entries; e += 5 * turn + 1)
            ((int32_t *)csr.m.column_indices)[e] = (int32_t)(random_bits(e) % csr.m.columns);
        cr_cuda(cudaMemcpy((void *)the.d.m.column_indices, csr.m.column_indices, csr.m.entries * 4,
                           cudaMemcpyHostToDevice));
        cr_cuda(cudaStreamSynchronize(0)); /* the copy may return before it has arrived */
        cr_cuda(cudaGraphLaunch(exec, stream));
        cr_cuda(cudaStreamSynchronize(stream));
        guarded_read(&the.y, planned);
        multiply_without(&the, 1, 0, without);
        cr_assert_arr_eq(planned, without, the.y_bytes, "turn %zu", turn);
    }
    cr_cuda(cudaGraphExecDestroy(exec));
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
    free(planned);
    free(without);
    tear_down(&the);
    forget(&csr);
}

/* However long a plan is said to be that is not there. */
Test(sparse_plan, none_is_needed_for_a_small_matrix)
{
    kept small = classic(CUDA_R_32F, CUDA_R_32I);
    stand the = set_up(&small, CUDA_R_32F, 0);
    for (size_t said = 0; said <= 64; said += 64) {
        cr_own(prim_spmv_plan(the.d.m, NULL, said, into(own_stream())));
        cr_own(prim_spmv_planned(
            1, the.d.m, NULL, said, prim_vector_of(CUDA_R_32F, the.x.data, the.d.m.columns), 0,
            prim_vector_of(CUDA_R_32F, the.y.data, the.d.m.rows), into(own_stream())));
    }
    tear_down(&the);
    forget(&small);
}

/* ---- what is refused ---- */

Test(sparse_plan, what_is_refused)
{
    kept csr = build(&structures[2], CUDA_R_32F, CUDA_R_32I), ell = classic_as(PRIM_SPARSE_ELL),
         small = classic(CUDA_R_32F, CUDA_R_32I);
    stand the = set_up(&csr, CUDA_R_32F, 0);
    size_t bytes;
    cr_refused(prim_spmv_plan(without_arrays(ell.m), NULL, 0, asking()), PRIM_ERROR_UNSUPPORTED,
               "CSR");
    cr_refused(prim_spmv_plan(without_arrays(ell.m), NULL, 0, asking()), PRIM_ERROR_UNSUPPORTED,
               "CSR");
    cr_refused(prim_spmv_planned(1, without_arrays(ell.m), NULL, 0,
                                 prim_vector_of(CUDA_R_32F, NULL, ell.m.columns), 0,
                                 prim_vector_of(CUDA_R_32F, NULL, ell.m.rows), asking()),
               PRIM_ERROR_UNSUPPORTED, "format");
    cr_refused(prim_spmv_planned(1, without_arrays(csr.m), NULL, 0,
                                 prim_vector_of(CUDA_R_64F, NULL, csr.m.columns), 0,
                                 prim_vector_of(CUDA_R_64F, NULL, csr.m.rows), asking()),
               PRIM_ERROR_TYPE, "value_type");
    prim_sparse wrong = csr.m;
    wrong.offset_type = CUDA_R_32F;
    cr_refused(prim_spmv_plan(wrong, NULL, 0, asking()), PRIM_ERROR_TYPE, "offset_type");
    wrong = ell.m;
    cr_refused(prim_spmv_plan(wrong, the.plan.data, the.plan_bytes, NULL), PRIM_ERROR_UNSUPPORTED,
               "CSR");
    cr_refused(prim_spmv_plan(the.d.m, the.plan.data, the.plan_bytes - 1, NULL),
               PRIM_ERROR_WORKSPACE, "plan_bytes");
    cr_refused(prim_spmv_planned(1, the.d.m, NULL, the.plan_bytes,
                                 prim_vector_of(CUDA_R_32F, the.x.data, the.d.m.columns), 0,
                                 prim_vector_of(CUDA_R_32F, the.y.data, the.d.m.rows), NULL),
               PRIM_ERROR_NULL, "d_plan");
    cr_refused(prim_spmv_planned(1, the.d.m, the.plan.data, 0,
                                 prim_vector_of(CUDA_R_32F, the.x.data, the.d.m.columns), 0,
                                 prim_vector_of(CUDA_R_32F, the.y.data, the.d.m.rows), NULL),
               PRIM_ERROR_WORKSPACE, "plan_bytes");
    cr_prim(asked_output(prim_spmv_plan(without_arrays(small.m), NULL, 0, asking()), &bytes));
    cr_assert_eq(bytes, 0);
    wrong = csr.m;
    wrong.value_type = CUDA_R_16F;
    wrong.entries = SIZE_MAX / 2;
    cr_refused(prim_spmv_plan(wrong, NULL, 0, asking()), PRIM_ERROR_SIZE, "column_indices");
    tear_down(&the);
    forget(&csr);
    forget(&ell);
    forget(&small);
}
