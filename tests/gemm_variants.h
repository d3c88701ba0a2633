/* gemm's variants as parameters of tests. */
#ifndef TESTS_GEMM_VARIANTS_H
#define TESTS_GEMM_VARIANTS_H

#include <stddef.h>

#include <criterion/parameterized.h>

#include <primitives/gemm.h>

static inline struct criterion_test_params gemm_variants(void)
{
    static prim_gemm_variant rows[64];
    size_t count = 0;
    for (size_t v = 0; prim_gemm_variant_at(v) != NULL; v++)
        rows[count++] = prim_gemm_variant_at(v)->value;
    return cr_make_param_array(prim_gemm_variant, rows, count);
}

#endif
