/* From types and operator as enums to template arguments. A dispatch calls
 * Rung::run<In, Out, Operator>(args, more…) for what the arguments name, or
 * Rung::not_built(args, more…): always, where calls of its kind are not built. */
#ifndef PRIM_REDUCE_DISPATCH_CUH
#define PRIM_REDUCE_DISPATCH_CUH

#include "common/launch.cuh"
#include "common/values.cuh"
#include "reduce/instances.h"
#include "reduce/reduce_variants.h"

namespace
{

constexpr bool is_built(prim_reduce_kind kind)
{
#define BUILT(kind_enum)   \
    if (kind == kind_enum) \
        return true;
    PRIM_REDUCE_KINDS(BUILT)
#undef BUILT
    return false;
}

/* The same kernels serve vectors and rows. */
constexpr bool LINES_ARE_BUILT = is_built(PRIM_REDUCE_VECTOR) || is_built(PRIM_REDUCE_ROWS);

/* ---- the rungs up to SHUFFLE ---- */

template <typename Rung, typename In, typename Out, typename... More>
auto textbook_operator(const prim_reduce_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return Rung::template run<In, Out, op_struct>(args, more...);
    PRIM_REDUCE_TEXTBOOK_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

template <typename Rung, typename... More>
auto dispatch_textbook(const prim_reduce_args *args, More... more)
{
    if constexpr (LINES_ARE_BUILT) {
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return textbook_operator<Rung, in_c, out_c>(args, more...);
        PRIM_REDUCE_TEXTBOOK_TYPES(TYPES)
#undef TYPES
    }
    return Rung::not_built(args, more...);
}

/* ---- everything ---- */

template <typename Rung, typename In, typename Out, class Operator, typename... More>
auto run_signless(const prim_reduce_args *args, More... more)
{
    constexpr bool sign = SIGN_MATTERS<Operator, In, Out>;
    return Rung::template run<typename signless<sign, In>::type, typename signless<sign, Out>::type,
                              Operator>(args, more...);
}

inline prim_transform transform_of(const prim_reduce_args *args)
{
    return transform_without_sign(args->transform, args->in_type);
}

template <typename Rung, typename In, typename Out, typename... More>
auto with_integer_operator(const prim_reduce_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return run_signless<Rung, In, Out, op_struct>(args, more...);
    PRIM_REDUCE_OPERATORS(OPERATOR)
    PRIM_REDUCE_BIT_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

template <typename Rung, typename In, typename Out, typename... More>
auto with_float_operator(const prim_reduce_args *args, More... more)
{
#define OPERATOR(op_enum, op_struct) \
    if (args->op == op_enum)         \
        return Rung::template run<In, Out, op_struct>(args, more...);
    PRIM_REDUCE_OPERATORS(OPERATOR)
#undef OPERATOR
    return Rung::not_built(args, more...);
}

template <bool IS_BUILT, typename Rung, typename... More>
auto dispatch(const prim_reduce_args *args, More... more)
{
    if constexpr (IS_BUILT) {
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return with_integer_operator<Rung, in_c, out_c>(args, more...);
        PRIM_REDUCE_INTEGER_TYPES(TYPES)
#undef TYPES
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return with_float_operator<Rung, in_c, out_c>(args, more...);
        PRIM_REDUCE_FLOAT_TYPES(TYPES)
#undef TYPES
    }
    return Rung::not_built(args, more...);
}

/* ---- a given operator, or none ---- */

/* Sums of products: the sign matters only where integers are widened. */
template <typename Rung, typename... More>
auto dispatch_sum(const prim_reduce_args *args, More... more)
{
    if constexpr (is_built(PRIM_REDUCE_DOT)) {
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return run_signless<Rung, in_c, out_c, sum_operator>(args, more...);
        PRIM_REDUCE_INTEGER_TYPES(TYPES)
#undef TYPES
#define TYPES(in_enum, in_c, out_enum, out_c)                   \
    if (args->in_type == in_enum && args->out_type == out_enum) \
        return Rung::template run<in_c, out_c, sum_operator>(args, more...);
        PRIM_REDUCE_FLOAT_TYPES(TYPES)
#undef TYPES
    }
    return Rung::not_built(args, more...);
}

/* Elements that are compared and stay what they are: Rung::run<In, In, Operator>. */
template <typename Rung, class Operator, typename... More>
auto dispatch_elements(const prim_reduce_args *args, More... more)
{
    if constexpr (is_built(PRIM_REDUCE_ARG)) {
#define TYPES(in_enum, in_c, out_enum, out_c)            \
    if (args->in_type == in_enum && in_enum == out_enum) \
        return Rung::template run<in_c, in_c, Operator>(args, more...);
        PRIM_REDUCE_INTEGER_TYPES(TYPES)
        PRIM_REDUCE_FLOAT_TYPES(TYPES)
#undef TYPES
    }
    return Rung::not_built(args, more...);
}

} // namespace

#endif
