#include "use.h"

#include <primitives/reduce.h>

static const prim_op sum = PRIM_OP_SUM, min = PRIM_OP_MIN;
static const prim_transform none = PRIM_TRANSFORM_NONE;
static const cudaDataType_t f32 = CUDA_R_32F;

/* Do queries and calls refuse a kind of call that was not built? */
static int refuse_kinds(const float *d_values, void *d_out)
{
    const float values[2] = {1, 2};
    const int32_t offsets[2] = {0, 2};
    float out[2];
    uint64_t index;
    return !prim_reduce_rows_supports(PRIM_REDUCE_AUTO, sum, none, f32, 1, 2, f32) &&
           !prim_reduce_columns_supports(PRIM_REDUCE_AUTO, sum, none, f32, 1, 2, f32) &&
           !prim_reduce_segments_supports(PRIM_REDUCE_AUTO, sum, none, f32, 2, CUDA_R_32I, 1,
                                          f32) &&
           !prim_arg_reduce_supports(PRIM_REDUCE_AUTO, min, none, f32, 2) &&
           !prim_dot_supports(PRIM_REDUCE_AUTO, f32, 2, f32) &&
           prim_dot(PRIM_REDUCE_AUTO, f32, d_values, d_values, 2, f32, d_out, NULL, 0, NULL) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_dot_host(f32, values, values, 2, f32, out, 1) == PRIM_ERROR_UNSUPPORTED &&
           prim_arg_reduce_host(min, none, f32, values, 2, out, &index, 1) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_rows_host(sum, none, f32, values, 1, 2, 2, f32, out, 1) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_columns_host(sum, none, f32, values, 1, 2, 2, f32, out, 1) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_segments_host(sum, none, f32, values, 2, CUDA_R_32I, offsets, 1, f32, out,
                                     1) == PRIM_ERROR_UNSUPPORTED;
}

/* Of a reduce of which only prim_reduce() for sums of f32 was built, everything else is refused. */
int main(void)
{
    const float values[2] = {1, 2};
    const void *d_values = on_device(values, sizeof values);
    void *d_out = on_device(NULL, sizeof(double));
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, d_values, 2,
                    CUDA_R_32I, d_out, NULL, 0, NULL) != PRIM_ERROR_UNSUPPORTED)
        return printf("a sum of i32 is not refused\n"), 1;
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, d_values, 2,
                    CUDA_R_32F, d_out, NULL, 0, NULL) != PRIM_ERROR_UNSUPPORTED)
        return printf("a minimum is not refused\n"), 1;
    if (!refuse_kinds(d_values, d_out))
        return printf("a call of another kind is not refused\n"), 1;
    return 0;
}
