/* Which of the header's variants are prim_merge()'s, and which are prim_merge_sort()'s: AUTO is
 * both.
 */
#ifndef TESTS_MERGE_VARIANTS_H
#define TESTS_MERGE_VARIANTS_H

#include <primitives/merge.h>

static inline bool merges(int variant)
{
    prim_answer answer;
    return prim_merge((prim_merge_variant)variant, PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL, 0,
                      NULL, &(prim_call){.answer = &answer}) != PRIM_ERROR_UNSUPPORTED;
}

static inline bool sorts(int variant)
{
    prim_answer answer;
    return prim_merge_sort((prim_merge_variant)variant, PRIM_ASCENDING, CUDA_R_32I, NULL, 0, NULL,
                           &(prim_call){.answer = &answer}) != PRIM_ERROR_UNSUPPORTED;
}

/* Those for which has(variant) holds: AUTO first, NULL after the last. */
static inline const prim_variant *variant_that(bool (*has)(int variant), size_t index)
{
    const prim_variant *variant;
    for (size_t v = 0; (variant = prim_merge_variant_at(v)) != NULL; v++)
        if (has(variant->value) && index-- == 0)
            return variant;
    return NULL;
}

static inline const prim_variant *merging_variant_at(size_t index)
{
    return variant_that(merges, index);
}

static inline const prim_variant *sorting_variant_at(size_t index)
{
    return variant_that(sorts, index);
}

#endif
