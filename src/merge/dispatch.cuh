/* From the key type as an enum to a template argument. */
#ifndef PRIM_MERGE_DISPATCH_CUH
#define PRIM_MERGE_DISPATCH_CUH

#include "common/launch.cuh"
#include "merge/instances.h"
#include "merge/merge_variants.h"

namespace
{

/* Rung::run<Key>(args, more…) for the key type that the arguments name, or
 * Rung::not_built(args, more…). */
template <typename Rung, typename Args, typename... More>
auto dispatch(const Args *args, More... more)
{
#define TYPE(type_enum, type_c)      \
    if (args->key_type == type_enum) \
        return Rung::template run<type_c>(args, more...);
    PRIM_MERGE_TYPES(TYPE)
#undef TYPE
    return Rung::not_built(args, more...);
}

} // namespace

#endif
