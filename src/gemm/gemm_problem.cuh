/* From a gemm call's types as enums to a problem that kernels take. */
#ifndef PRIM_GEMM_PROBLEM_CUH
#define PRIM_GEMM_PROBLEM_CUH

#include "gemm/gemm_variants.h"
#include "gemm/instances.h"
#include "gemm/operands.cuh"

namespace
{

template <typename T>
problem<dense_product<T>> make_problem(const prim_gemm_args *args)
{
    return {make_factor<T>(args->a, args->lda, args->op_a),
            make_factor<T>(args->b, args->ldb, args->op_b),
            static_cast<T *>(args->c),
            args->m,
            args->n,
            effective_k<T>(args->k, args->alpha),
            args->ldc,
            {scalar_as<T>(args->alpha), scalar_as<T>(args->beta)}};
}

/* Run::run(problem, more…) for the arguments' type, or Run::not_built(args, more…). */
template <typename Run, typename... More>
auto for_gemm(const prim_gemm_args *args, More... more)
{
#define TYPE(type_enum, type_c)    \
    if (args->c_type == type_enum) \
        return Run::run(make_problem<type_c>(args), more...);
    PRIM_GEMM_TYPES(TYPE)
#undef TYPE
    return Run::not_built(args, more...);
}

} // namespace

#endif
