/* From types and operator as enums to template arguments. A dispatch calls
 * Rung::run<In, Out, Operator>(args, more…) for what the arguments name, or
 * Rung::not_built(args, more…). */
#ifndef PRIM_SCAN_DISPATCH_CUH
#define PRIM_SCAN_DISPATCH_CUH

#include "common/launch.cuh"
#include "common/values.cuh"
#include "scan/instances.h"
#include "scan/scan_variants.h"

namespace
{

/* ---- the rungs up to SHUFFLE ---- */

template <typename Rung, typename In, typename Out, typename... More>
auto textbook_operator(const prim_scan_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return Rung::template run<In, Out, op_struct>(args, more...);
    PRIM_SCAN_TEXTBOOK_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

template <typename Rung, typename... More>
auto dispatch_textbook(const prim_scan_args *args, More... more)
{
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return textbook_operator<Rung, in_c, out_c>(args, more...);
    PRIM_SCAN_TEXTBOOK_TYPES(TYPES)
#undef TYPES
    return Rung::not_built(args, more...);
}

/* ---- everything ---- */

template <typename Rung, typename In, typename Out, class Operator, typename... More>
auto run_signless(const prim_scan_args *args, More... more)
{
    constexpr bool sign = SIGN_MATTERS<Operator, In, Out>;
    return Rung::template run<typename signless<sign, In>::type, typename signless<sign, Out>::type,
                              Operator>(args, more...);
}

template <typename Rung, typename In, typename Out, typename... More>
auto with_integer_operator(const prim_scan_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return run_signless<Rung, In, Out, op_struct>(args, more...);
    PRIM_SCAN_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

template <typename Rung, typename In, typename Out, typename... More>
auto with_float_operator(const prim_scan_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return Rung::template run<In, Out, op_struct>(args, more...);
    PRIM_SCAN_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

template <typename Rung, typename... More>
auto dispatch(const prim_scan_args *args, More... more)
{
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return with_integer_operator<Rung, in_c, out_c>(args, more...);
    PRIM_SCAN_INTEGER_TYPES(TYPES)
#undef TYPES
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return with_float_operator<Rung, in_c, out_c>(args, more...);
    PRIM_SCAN_FLOAT_TYPES(TYPES)
#undef TYPES
    return Rung::not_built(args, more...);
}

/* Does every line begin at a whole vector of this many bytes? */
inline bool is_aligned(const void *data, size_t rows, size_t ld_bytes, size_t bytes)
{
    return reinterpret_cast<uintptr_t>(data) % bytes == 0 && (rows <= 1 || ld_bytes % bytes == 0);
}

} // namespace

#endif
