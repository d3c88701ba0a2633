/* Turns a call's types and operator into template arguments, as in common/kernel/dispatch.cuh.
 * Where calls of a kind or a rung are not built, its dispatch always ends in Run::not_built(args,
 * more…). */
#ifndef PRIM_REDUCE_DISPATCH_CUH
#define PRIM_REDUCE_DISPATCH_CUH

#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "common/math/turned.cuh"
#include "reduce/instances.h"
#include "reduce/reduce_args.h"

namespace
{

PRIM_IS_LISTED(kind_is_built, PRIM_REDUCE_KINDS, prim_reduce_kind)

PRIM_IS_LISTED(rung_is_left_out, PRIM_REDUCE_LEFT_OUT, prim_reduce_variant)

constexpr bool rung_is_built(prim_reduce_variant rung)
{
    return !rung_is_left_out(rung);
}

inline const char *kind_why_not(const prim_reduce_args *args, prim_reduce_variant rung)
{
    return !rung_is_built(rung)         ? PRIM_RUNG_NOT_BUILT
           : !kind_is_built(args->kind) ? "this build of the library has no kernels for such calls"
                                        : nullptr;
}

/* Whether a rung's kernels for calls of a kind are built; LINES: the same ones serve vectors and
 * rows. */
constexpr bool is_built_in(prim_reduce_variant rung, prim_reduce_kind kind)
{
    return rung_is_built(rung) && kind_is_built(kind);
}
constexpr bool lines_are_built(prim_reduce_variant rung)
{
    return is_built_in(rung, PRIM_REDUCE_VECTOR) || is_built_in(rung, PRIM_REDUCE_ROWS);
}

/* ---- the rungs up to SHUFFLE ---- */

PRIM_DISPATCH_TYPES(textbook_types, PRIM_REDUCE_TEXTBOOK_TYPES)
PRIM_DISPATCH_OPERATOR(textbook_operator, PRIM_REDUCE_TEXTBOOK_OPERATORS)

template <class Run>
struct textbook_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_reduce_args *args, More... more)
    {
        return textbook_operator<Run, In, Out>(args, more...);
    }
};

/* Run::run<In, Out, Operator>(args, more…) */
template <bool IS_BUILT, class Run, typename... More>
auto dispatch_textbook(const prim_reduce_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return textbook_types<textbook_run<Run>>(args, more...);
    else
        return Run::not_built(args, more...);
}

/* ---- the others ---- */

#define PRIM_REDUCE_TYPES(X) PRIM_REDUCE_INTEGER_TYPES(X) PRIM_REDUCE_FLOAT_TYPES(X)
#define PRIM_REDUCE_INTEGER_OPERATORS(X) PRIM_REDUCE_OPERATORS(X) PRIM_REDUCE_BIT_OPERATORS(X)
PRIM_DISPATCH_TYPES(all_types, PRIM_REDUCE_TYPES)
PRIM_DISPATCH_OPERATOR(integer_operator, PRIM_REDUCE_INTEGER_OPERATORS)
PRIM_DISPATCH_OPERATOR(float_operator, PRIM_REDUCE_OPERATORS)

/* What kernels reduce to, which a call's results may be converted from: results.cuh. 16-bit floats
 * are reduced to f32, and bytes that become u32 to u64, of whose values theirs are the low half:
 * neither needs kernels of its own. */
template <typename In, typename Out>
using reduced_t =
    typename std::conditional<sizeof(In) == 1 && sizeof(Out) == 4, uint64_t, working_t<Out>>::type;

template <class Run>
struct operator_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_reduce_args *args, More... more)
    {
        if constexpr (std::is_integral<In>::value)
            return integer_operator<kernel_run<Run>, In, reduced_t<In, Out>>(args, more...);
        else
            return float_operator<kernel_run<Run>, In, reduced_t<In, Out>>(args, more...);
    }
};

/* Run::run<In, Out, Operator>(args, more…), of the kernel's types and operator:
 * common/math/turned.cuh */
template <bool IS_BUILT, class Run, typename... More>
auto dispatch(const prim_reduce_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return all_types<operator_run<Run>>(args, more...);
    else
        return Run::not_built(args, more...);
}

/* ---- what the kernels get of the call ---- */

inline prim_transform transform_of(const prim_reduce_args *args)
{
    return transform_without_sign(args->transform, args->in_type);
}

/* ---- a fixed operator, or none ---- */

template <class Run>
struct sum_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_reduce_args *args, More... more)
    {
        return kernel_run<Run>::template run<In, reduced_t<In, Out>, sum_operator>(args, more...);
    }
};

/* Sums of products: Run::run<In, Out, sum_operator>(args, more…) */
template <bool IS_BUILT, class Run, typename... More>
auto dispatch_sum(const prim_reduce_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return all_types<sum_run<Run>>(args, more...);
    else
        return Run::not_built(args, more...);
}

template <class Run, class Extreme>
struct element_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_reduce_args *args, More... more)
    {
        if constexpr (std::is_same<In, Out>::value)
            return Run::template run<In, Extreme>(args, more...);
        else
            return Run::not_built(args, more...);
    }
};

/* Elements that are compared and stay what they are: Run::run<In, Extreme>(args, more…) */
template <bool IS_BUILT, class Run, class Extreme, typename... More>
auto dispatch_elements(const prim_reduce_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return all_types<element_run<Run, Extreme>>(args, more...);
    else
        return Run::not_built(args, more...);
}

} // namespace

#endif
