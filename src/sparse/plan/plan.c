/* A plan for CSR: checks of the arguments of prim_spmv_plan() and prim_spmv_planned(), and the
 * calls. */
#include "sparse/plan/plan_args.h"

#include <stdio.h>

#include "common/host/element.h"
#include "common/host/fail.h"

PRIM_DECLARE_RUNG(spmv_plan, pages)
PRIM_DECLARE_RUNG(spmv_planned, pages)

enum { ALIGNMENT = 16 };

/* The plan's memory: its size depends only on the sizes of the matrix. A plan that is left open is
 * never too small. */
static prim_status check_plan(const prim_request *call, const prim_sparse *matrix,
                              const void *d_plan, size_t plan_bytes, prim_span *span)
{
    const size_t needed = prim_spmv_pages_bytes(matrix);
    if ((uintptr_t)d_plan % ALIGNMENT != 0)
        return prim_fail(PRIM_ERROR_MISALIGNED,
                         "%s: d_plan is %p, which is not aligned to %d bytes", call->name, d_plan,
                         ALIGNMENT);
    if (plan_bytes < needed && !prim_is_left_open(call, d_plan))
        return prim_fail(PRIM_ERROR_WORKSPACE, "%s: plan_bytes is %zu, but %zu are needed",
                         call->name, plan_bytes, needed);
    return prim_check_vector(call, "plan", d_plan, needed > 0 ? plan_bytes : 0, 1, span);
}

static void describe_matrix(const prim_sparse *m, char *text, size_t bytes)
{
    snprintf(text, bytes, "%s, %s, %zu × %zu, %zu entries", prim_sparse_format_name(m->format),
             prim_element_name(m->value_type), m->rows, m->columns, m->entries);
}

/* ---- the plan ---- */

static const prim_rung *const plan_rungs[] = {&prim_spmv_plan_pages_rung, NULL};

static prim_status check_plan_kind(const void *any)
{
    const prim_spmv_plan_args *args = any;
    return prim_sparse_check_shape(&args->call, &args->matrix);
}

/* Values are not looked at. Matrices of another format are refused later. */
static prim_status check_plan_operands(const void *any, prim_operands *operands)
{
    const prim_spmv_plan_args *args = any;
    const prim_sparse *m = &args->matrix;
    prim_span *const spans = operands->spans;
    prim_status status = PRIM_OK;
    if (m->format != PRIM_SPARSE_CSR)
        return PRIM_OK;
    status = prim_check_vector(&args->call, "row_offsets", m->row_offsets, m->rows + 1,
                               prim_element_bytes(m->offset_type), &spans[0]);
    if (status == PRIM_OK)
        status = prim_check_vector(&args->call, "column_indices", m->column_indices, m->entries,
                                   sizeof(int32_t), &spans[1]);
    if (status == PRIM_OK)
        status = check_plan(&args->call, m, args->plan, args->plan_bytes, &spans[2]);
    for (int other = 0; other < 2 && status == PRIM_OK; other++)
        status = prim_check_disjoint(&args->call, spans[2], spans[other]);
    operands->count = 3;
    return status;
}

static void describe_plan(const void *any, char *text, size_t bytes)
{
    describe_matrix(&((const prim_spmv_plan_args *)any)->matrix, text, bytes);
}

static size_t plan_output_bytes(const void *any)
{
    return prim_spmv_pages_bytes(&((const prim_spmv_plan_args *)any)->matrix);
}

static const prim_ladder plan_ladder = {
    .rungs = plan_rungs,
    .check_kind = check_plan_kind,
    .check_operands = check_plan_operands,
    .describe = describe_plan,
    .output_bytes = plan_output_bytes,
};

prim_status prim_spmv_plan(prim_sparse matrix, void *d_plan, size_t plan_bytes,
                           const prim_call *call)
{
    prim_spmv_plan_args args = {.call = {.name = "prim_spmv_plan"},
                                .matrix = matrix,
                                .plan = d_plan,
                                .plan_bytes = plan_bytes};
    return prim_ladder_call(&plan_ladder, &args.call, call);
}

/* ---- the product ---- */

static const prim_rung *const planned_rungs[] = {&prim_spmv_planned_pages_rung, NULL};

static prim_status check_planned_kind(const void *any)
{
    return prim_spmv_check_kind(&((const prim_spmv_planned_args *)any)->product);
}

/* The operands of the product, with y last; and the plan, which y must not overlap. */
static prim_status check_planned_operands(const void *any, prim_operands *operands)
{
    const prim_spmv_planned_args *args = any;
    const prim_request *call = &args->product.call;
    prim_status status = prim_spmv_check_operands(&args->product, operands);
    if (status != PRIM_OK || args->product.matrix.format != PRIM_SPARSE_CSR)
        return status;
    prim_span *const plan = &operands->spans[operands->count++];
    status = check_plan(call, &args->product.matrix, args->plan, args->plan_bytes, plan);
    return status == PRIM_OK ? prim_check_disjoint(call, plan[-1], *plan) : status;
}

static void describe_planned(const void *any, char *text, size_t bytes)
{
    describe_matrix(&((const prim_spmv_planned_args *)any)->product.matrix, text, bytes);
}

static const prim_ladder planned_ladder = {
    .rungs = planned_rungs,
    .check_kind = check_planned_kind,
    .check_operands = check_planned_operands,
    .describe = describe_planned,
};

prim_status prim_spmv_planned(double alpha, prim_sparse matrix, const void *d_plan,
                              size_t plan_bytes, prim_vector x, double beta, prim_vector y,
                              const prim_call *call)
{
    prim_spmv_planned_args args = {.product = prim_spmv_args_of("prim_spmv_planned", PRIM_SPMV_AUTO,
                                                                alpha, matrix, x, beta, y),
                                   .plan = d_plan,
                                   .plan_bytes = plan_bytes};
    return prim_ladder_call(&planned_ladder, &args.product.call, call);
}
