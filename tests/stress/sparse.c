#include <string.h>

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
    const prim_status asked =
        prim_spmv_workspace_bytes(t->variant, packed_on_device(&p), vector, vector, &bytes);
    operand *x = add_input(t, vector, a.m.columns, false), *y = add_output(t, vector, a.m.rows);
    y->has_any_zero = true; /* alpha multiplies the sums of rows with entries alone, or all */
    begin(t, asked, bytes, true);
    describe(t, "spmv: variant %d, format %d, types %d %d, %zu × %zu with %zu entries, %g, %g",
             t->variant, format, type, vector, a.m.rows, a.m.columns, a.m.entries, alpha, beta);
    if (!end(t, prim_spmv(t->variant, alpha, packed_on_device(&p), vector, x->d, beta, vector, y->d,
                          t->workspace, t->workspace_bytes, t->stream)))
        return;
    on_host(t, prim_spmv_host(alpha, p.m, vector, x->h, beta, vector, y->h, t->threads));
    expect_row(t, &a, alpha, x, beta, y);
}

/* ---- plans ---- */

enum { MOST_PLANNED_ROWS = 3000, LONGEST_PLANNED = 30 };

static operand *add_plan(trial *t, prim_sparse m)
{
    size_t bytes = 0;
    on_host(t, prim_spmv_plan_bytes(m, &bytes));
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
    on_host(t, prim_spmv_plan_workspace_bytes(a->m, &bytes));
    check(cudaMalloc(&workspace, bytes + 1));
    on_host(t, prim_spmv_plan(on_device(a), plan->d, plan->bytes, workspace, bytes, NULL));
    check(cudaDeviceSynchronize());
    check(cudaFree(workspace));
    receive(plan);
}

static void spmv_plan(trial *t)
{
    const csr a = add_csr(t, CUDA_R_32F, MOST_PLANNED_ROWS, LONGEST_PLANNED);
    a.values->is_aside = true;
    operand *plan = add_plan(t, a.m);
    size_t bytes = 0;
    make_plan(t, &a, plan);
    check(cudaMemset(plan->d, 0, plan->bytes));
    const prim_status asked = prim_spmv_plan_workspace_bytes(a.m, &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "spmv_plan: %zu × %zu with %zu entries", a.m.rows, a.m.columns, a.m.entries);
    end(t, prim_spmv_plan(on_device(&a), plan->d, plan->bytes, t->workspace, t->workspace_bytes,
                          t->stream));
}

/* What CSR_MERGE makes of the same, in y's twin: the order is its, and not the host version's. */
static void merge_product(trial *t, const csr *a, double alpha, const operand *x, double beta,
                          operand *y)
{
    char *workspace, *d_y;
    size_t bytes = 0;
    on_host(t, prim_spmv_workspace_bytes(PRIM_SPMV_CSR_MERGE, a->m, x->type, y->type, &bytes));
    check(cudaMalloc((void **)&workspace, bytes + 1));
    check(cudaMalloc((void **)&d_y, y->bytes + 1));
    check(cudaMemcpy(d_y, y->before, y->bytes, cudaMemcpyHostToDevice));
    on_host(t, prim_spmv(PRIM_SPMV_CSR_MERGE, alpha, on_device(a), x->type, x->d, beta, y->type,
                         d_y, workspace, bytes, NULL));
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
    operand *plan = add_plan(t, a.m), *x = add_input(t, vector, a.m.columns, false),
            *y = add_output(t, vector, a.m.rows);
    size_t bytes = 0;
    plan->is_output = false;
    make_plan(t, &a, plan);
    send(plan);
    const prim_status asked = prim_spmv_planned_workspace_bytes(a.m, vector, vector, &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "spmv_planned: types %d %d, %zu × %zu with %zu entries, %g, %g", type, vector,
             a.m.rows, a.m.columns, a.m.entries, alpha, beta);
    if (!end(t, prim_spmv_planned(alpha, on_device(&a), plan->d, plan->bytes, vector, x->d, beta,
                                  vector, y->d, t->workspace, t->workspace_bytes, t->stream)))
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
                      asked = prim_sparse_check_workspace_bytes(packed_on_device(&p), &bytes);
    t->has_no_variant = true;
    begin(t, asked, bytes, true);
    describe(t, "sparse_check: format %d, %zu × %zu with %zu entries", format, a.m.rows,
             a.m.columns, a.m.entries);
    if (!end(t, prim_sparse_check(packed_on_device(&p), (void *)finding->d, t->workspace,
                                  t->workspace_bytes, t->stream)))
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
