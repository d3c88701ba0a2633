#include "use.h"

#include <primitives/reduce.h>

static const prim_op sum = PRIM_OP_SUM, min = PRIM_OP_MIN;
static const prim_transform none = PRIM_TRANSFORM_NONE;
static const cudaDataType_t f32 = CUDA_R_32F;

/* Do calls, asked or not, refuse a kind of call that was not built? */
static int refuse_kinds(const float *d_values, void *d_out)
{
    const float values[2] = {1, 2};
    const int32_t offsets[2] = {0, 2};
    float out[2];
    uint64_t index;
    prim_answer answer;
    const prim_call asked = {.answer = &answer};
    return prim_reduce_rows(PRIM_REDUCE_AUTO, sum, none, prim_matrix_of(f32, NULL, 1, 2, 0), f32,
                            NULL, &asked) == PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_columns(PRIM_REDUCE_AUTO, sum, none, prim_matrix_of(f32, NULL, 1, 2, 0), f32,
                               NULL, &asked) == PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_segments(PRIM_REDUCE_AUTO, sum, none, f32, NULL, 2,
                                (prim_segments){NULL, 1, CUDA_R_32I}, f32, NULL,
                                &asked) == PRIM_ERROR_UNSUPPORTED &&
           prim_arg_reduce(PRIM_REDUCE_AUTO, min, none, f32, NULL, 2, NULL, NULL, &asked) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_dot(PRIM_REDUCE_AUTO, f32, NULL, NULL, 2, f32, NULL, &asked) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_dot(PRIM_REDUCE_AUTO, f32, d_values, d_values, 2, f32, d_out, NULL) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_dot_host(f32, values, values, 2, f32, out, 1) == PRIM_ERROR_UNSUPPORTED &&
           prim_arg_reduce_host(min, none, f32, values, 2, out, &index, 1) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_rows_host(sum, none, prim_matrix_of(f32, values, 1, 2, 0), f32, out, 1) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_columns_host(sum, none, prim_matrix_of(f32, values, 1, 2, 0), f32, out, 1) ==
               PRIM_ERROR_UNSUPPORTED &&
           prim_reduce_segments_host(sum, none, f32, values, 2,
                                     (prim_segments){offsets, 1, CUDA_R_32I}, f32, out,
                                     1) == PRIM_ERROR_UNSUPPORTED;
}

/* Of a reduce of which only prim_reduce() for sums of f32 was built, everything else is refused. */
int main(void)
{
    const float values[2] = {1, 2};
    const void *d_values = on_device(values, sizeof values);
    void *d_out = on_device(NULL, sizeof(double));
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_SUM, PRIM_TRANSFORM_NONE, CUDA_R_32I, d_values, 2,
                    CUDA_R_32I, d_out, NULL) != PRIM_ERROR_UNSUPPORTED)
        return printf("a sum of i32 is not refused\n"), 1;
    if (prim_reduce(PRIM_REDUCE_AUTO, PRIM_OP_MIN, PRIM_TRANSFORM_NONE, CUDA_R_32F, d_values, 2,
                    CUDA_R_32F, d_out, NULL) != PRIM_ERROR_UNSUPPORTED)
        return printf("a minimum is not refused\n"), 1;
    if (!refuse_kinds(d_values, d_out))
        return printf("a call of another kind is not refused\n"), 1;
    return 0;
}
