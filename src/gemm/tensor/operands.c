#include "gemm/tensor/operands.h"

#include "common/host/element.h"
#include "gemm/tensor/tiles.h"

static prim_tensor tensor_of(const prim_gemm_args *args, const void *data, size_t rows,
                             size_t columns, size_t ld, size_t stride)
{
    const size_t bytes = prim_element_bytes(args->a_type), pitch = ld * bytes;
    const bool is_one = prim_gemm_is_shared(args, stride);
    return (prim_tensor){.data = data,
                         .columns = columns,
                         .rows = rows,
                         .matrices = is_one ? 1 : args->batches,
                         .pitch = pitch,
                         .stride = is_one ? pitch : stride * bytes,
                         .box_columns = PRIM_GEMM_BOX,
                         .box_rows = PRIM_GEMM_BOX};
}

prim_gemm_operands prim_gemm_operands_of(const prim_gemm_args *args)
{
    const bool a_transposed = args->op_a == PRIM_TRANSPOSED,
               b_transposed = args->op_b == PRIM_TRANSPOSED;
    return (prim_gemm_operands){
        tensor_of(args, args->a, a_transposed ? args->k : args->m, a_transposed ? args->m : args->k,
                  args->lda, args->a_stride),
        tensor_of(args, args->b, b_transposed ? args->n : args->k, b_transposed ? args->k : args->n,
                  args->ldb, args->b_stride)};
}

bool prim_gemm_are_mapped(const prim_gemm_args *args)
{
    const prim_gemm_operands x = prim_gemm_operands_of(args);
    const bool reads_none = args->k == 0 || (float)args->alpha == 0;
    return args->m < PRIM_TENSOR_MOST && args->n < PRIM_TENSOR_MOST &&
           (reads_none || (prim_tensor_is_mapped(&x.a) && prim_tensor_is_mapped(&x.b)));
}
