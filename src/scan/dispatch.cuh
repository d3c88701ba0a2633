/* From types and operator as enums to template arguments. */
#ifndef PRIM_SCAN_DISPATCH_CUH
#define PRIM_SCAN_DISPATCH_CUH

#include "common/launch.cuh"
#include "common/numeric.cuh"
#include "scan/instances.h"
#include "scan/scan_variants.h"

namespace
{

template <typename Rung, typename In, typename Out, typename... More>
auto with_operator(const prim_scan_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return Rung::template run<In, Out, op_struct>(args, more...);
    PRIM_SCAN_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

/* Rung::run<In, Out, Operator>(args, more…) for what the arguments name, or
 * Rung::not_built(args, more…). */
template <typename Rung, typename... More>
auto dispatch(const prim_scan_args *args, More... more)
{
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return with_operator<Rung, in_c, out_c>(args, more...);
    PRIM_SCAN_TYPES(TYPES)
#undef TYPES
    return Rung::not_built(args, more...);
}

/* What stands before the first element of a line. */
template <typename Out, typename Operator>
Out initial_value(const prim_scan_args *args)
{
    return args->initial != nullptr ? *static_cast<const Out *>(args->initial)
                                    : Operator::template identity<Out>();
}

} // namespace

#endif
