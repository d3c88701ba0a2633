#include <string.h>

#include "../calls.h"
#include "oracles.h"
#include "sparse_operands.h"
#include "stress.h"

/* ---- products ---- */

static void expect_row(trial *t, const csr *a, double alpha, const operand *x, double beta,
                       const operand *y)
{
    const size_t row = pick(t, a->m.rows + 1);
    double sum = 0;
    if (row == a->m.rows || is_half(a->m.value_type))
        return;
    for (size_t e = offset_of(a, row); e < offset_of(a, row + 1); e++)
        sum += before(a->values, e) * before(x, (size_t)before(a->indices, e));
    expect_scaled(t, y, row, alpha, sum, beta);
}

/* Of halves: their own, or f32. Rungs for COO round in halves more often than the host does. */
static cudaDataType_t pick_vector_type(trial *t, cudaDataType_t type, bool may_be_half)
{
    const bool is_wide = is_half(type) && (pick(t, 2) == 0 || !may_be_half);
    return is_wide ? CUDA_R_32F : type;
}

static void spmv(trial *t)
{
    PICK_VARIANT(t, spmv);
    const prim_sparse_format format = (prim_sparse_format)pick(t, 6);
    const cudaDataType_t type = pick_value_type(t),
                         vector = pick_vector_type(
                             t, type, format != PRIM_SPARSE_COO && format != PRIM_SPARSE_HYB);
    const csr a = add_csr(t, type, 200, 70);
    const packed p = add_packed(t, &a, format, PRIM_SPARSE_WIDTH_AUTO);
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    size_t bytes = 0;
    const prim_status asked = asked_bytes(
        prim_spmv(t->variant, 1, packed_on_device(&p), prim_vector_of(vector, NULL, p.m.columns), 0,
                  prim_vector_of(vector, NULL, p.m.rows), asking()),
        &bytes);
    operand *x = add_input(t, vector, a.m.columns, false), *y = add_output(t, vector, a.m.rows);
    y->has_any_zero = true; /* alpha multiplies the sums of rows with entries alone, or all */
    begin(t, asked, bytes, true);
    describe(t, "spmv: variant %d, format %d, types %d %d, %zu × %zu with %zu entries, %g, %g",
             t->variant, format, type, vector, a.m.rows, a.m.columns, a.m.entries, alpha, beta);
    if (!end(t, prim_spmv(t->variant, alpha, packed_on_device(&p),
                          prim_vector_of(vector, x->d, p.m.columns), beta,
                          prim_vector_of(vector, y->d, p.m.rows),
                          with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    on_host(t, prim_spmv_host(alpha, p.m, prim_vector_of(vector, x->h, p.m.columns), beta,
                              prim_vector_of(vector, y->h, p.m.rows), t->threads));
    expect_row(t, &a, alpha, x, beta, y);
}

/* ---- plans ---- */

enum { MOST_PLANNED_ROWS = 3000, LONGEST_PLANNED = 30 };

static operand *add_plan(trial *t, const csr *a)
{
    size_t bytes = 0;
    on_host(t, asked_output(prim_spmv_plan(on_device(a), NULL, 0, asking()), &bytes));
    operand *plan = add_arrays(t, bytes);
    memset(plan->h, 0, plan->bytes);
    send(plan);
    return plan;
}

/* The plan, made apart from the trial, becomes what is there, or what is awaited. */
static void make_plan(trial *t, const csr *a, operand *plan)
{
    void *workspace = NULL;
    size_t bytes = 0;
    on_host(t, asked_bytes(prim_spmv_plan(on_device(a), NULL, 0, asking()), &bytes));
    check(cudaMalloc(&workspace, bytes + 1));
    on_host(t, prim_spmv_plan(on_device(a), plan->d, plan->bytes, with(NULL, workspace, bytes)));
    check(cudaDeviceSynchronize());
    check(cudaFree(workspace));
    receive(plan);
}

static void spmv_plan(trial *t)
{
    const csr a = add_csr(t, CUDA_R_32F, MOST_PLANNED_ROWS, LONGEST_PLANNED);
    a.values->is_aside = true;
    operand *plan = add_plan(t, &a);
    size_t bytes = 0;
    make_plan(t, &a, plan);
    check(cudaMemset(plan->d, 0, plan->bytes));
    const prim_status asked = asked_bytes(prim_spmv_plan(on_device(&a), NULL, 0, asking()), &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "spmv_plan: %zu × %zu with %zu entries", a.m.rows, a.m.columns, a.m.entries);
    end(t, prim_spmv_plan(on_device(&a), plan->d, plan->bytes,
                          with(t->stream, t->workspace, t->workspace_bytes)));
}

/* What CSR_MERGE makes of the same, in y's twin: the order is its, and not the host version's. */
static void merge_product(trial *t, const csr *a, double alpha, const operand *x, double beta,
                          operand *y)
{
    char *workspace, *d_y;
    size_t bytes = 0;
    on_host(t, asked_bytes(prim_spmv(PRIM_SPMV_CSR_MERGE, 1, on_device(a),
                                     prim_vector_of(x->type, NULL, a->m.columns), 0,
                                     prim_vector_of(y->type, NULL, a->m.rows), asking()),
                           &bytes));
    check(cudaMalloc((void **)&workspace, bytes + 1));
    check(cudaMalloc((void **)&d_y, y->bytes + 1));
    check(cudaMemcpy(d_y, y->before, y->bytes, cudaMemcpyHostToDevice));
    on_host(t, prim_spmv(PRIM_SPMV_CSR_MERGE, alpha, on_device(a),
                         prim_vector_of(x->type, x->d, a->m.columns), beta,
                         prim_vector_of(y->type, d_y, a->m.rows), with(NULL, workspace, bytes)));
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(y->h, d_y, y->bytes, cudaMemcpyDeviceToHost));
    check(cudaFree(workspace));
    check(cudaFree(d_y));
}

static void spmv_planned(trial *t)
{
    const cudaDataType_t type = pick_value_type(t), vector = pick_vector_type(t, type, true);
    pick_values(t, FRACTIONS);
    const csr a = add_csr(t, type, MOST_PLANNED_ROWS, LONGEST_PLANNED);
    const double alpha = pick_scalar(t), beta = pick_scalar(t);
    operand *plan = add_plan(t, &a), *x = add_input(t, vector, a.m.columns, false),
            *y = add_output(t, vector, a.m.rows);
    size_t bytes = 0;
    plan->is_output = false;
    make_plan(t, &a, plan);
    send(plan);
    const prim_status asked = asked_bytes(
        prim_spmv_planned(1, on_device(&a), NULL, 0, prim_vector_of(vector, NULL, a.m.columns), 0,
                          prim_vector_of(vector, NULL, a.m.rows), asking()),
        &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "spmv_planned: types %d %d, %zu × %zu with %zu entries, %g, %g", type, vector,
             a.m.rows, a.m.columns, a.m.entries, alpha, beta);
    if (!end(t, prim_spmv_planned(alpha, on_device(&a), plan->d, plan->bytes,
                                  prim_vector_of(vector, x->d, a.m.columns), beta,
                                  prim_vector_of(vector, y->d, a.m.rows),
                                  with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    merge_product(t, &a, alpha, x, beta, y);
    expect_row(t, &a, alpha, x, beta, y);
}

/* ---- the check ---- */

/* A number out of range or out of order, in one of the arrays; groups stay, which the call judges
 * itself. */
static void damage(trial *t, packed *p)
{
    static const int32_t wrong[] = {-2, -1, 0, 1, 31, 1 << 20, INT32_MAX, INT32_MIN};
    const char *const groups = (const char *)p->m.h_groups;
    const size_t bytes = groups != NULL ? p->m.group_count * sizeof *p->m.h_groups : 0,
                 numbers = p->arrays->bytes / sizeof *wrong,
                 at = pick(t, numbers + 1) * sizeof *wrong, kind = pick(t, COUNT_OF(wrong));
    const bool is_in_groups =
        groups != NULL && p->arrays->h + at >= groups && p->arrays->h + at < groups + bytes;
    if (at < p->arrays->bytes && !is_in_groups)
        memcpy(p->arrays->h + at, &wrong[kind], sizeof *wrong);
    send(p->arrays);
}

static void sparse_check(trial *t)
{
    const prim_sparse_format format = (prim_sparse_format)pick(t, 6);
    const csr a = add_csr(t, CUDA_R_32F, 100, 20);
    packed p = add_packed(t, &a, format, PRIM_SPARSE_WIDTH_AUTO);
    damage(t, &p);
    operand *finding = add_output(t, CUDA_R_64U, 2);
    size_t bytes = 0;
    const prim_status on_the_host = prim_sparse_check_host(p.m),
                      asked = asked_bytes(prim_sparse_check(packed_on_device(&p), NULL, asking()),
                                          &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "sparse_check: format %d, %zu × %zu with %zu entries", format, a.m.rows,
             a.m.columns, a.m.entries);
    if (!end(t, prim_sparse_check(packed_on_device(&p), (void *)finding->d,
                                  with(t->stream, t->workspace, t->workspace_bytes))))
        return;
    receive(finding);
    if ((number_at(CUDA_R_64U, finding->h, 0) == PRIM_SPARSE_SOUND) != (on_the_host == PRIM_OK))
        complain(t, "rule %g on the device, and on the host: %s",
                 number_at(CUDA_R_64U, finding->h, 0), prim_status_string(on_the_host));
}

const stress_call sparse_calls[] = {
    {"spmv", spmv},
    {"spmv_plan", spmv_plan},
    {"spmv_planned", spmv_planned},
    {"sparse_check", sparse_check},
    {NULL, NULL},
};
