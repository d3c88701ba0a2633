/* Turns a call's types and operator into template arguments, as in common/kernel/dispatch.cuh. */
#ifndef PRIM_SCAN_DISPATCH_CUH
#define PRIM_SCAN_DISPATCH_CUH

#include "common/kernel/dispatch.cuh"
#include "common/kernel/launch.cuh"
#include "common/math/turned.cuh"
#include "scan/instances.h"
#include "scan/scan_args.h"

namespace
{

PRIM_IS_LISTED(kind_is_built, PRIM_SCAN_KINDS, prim_scan_call_kind)
static_assert(!kind_is_built(PRIM_SCAN_TABLE) || kind_is_built(PRIM_SCAN_ROWS),
              "a table's aggregates are rows");

inline const char *kind_why_not(const prim_scan_args *args)
{
    return kind_is_built(prim_scan_kind_of_call(args))
               ? nullptr
               : "this build of the library has no kernels for such calls";
}

PRIM_IS_LISTED(rung_is_left_out, PRIM_SCAN_LEFT_OUT, prim_scan_variant)

constexpr bool rung_is_built(prim_scan_variant rung)
{
    return !rung_is_left_out(rung);
}

inline const char *rung_why_not(const prim_scan_args *args, prim_scan_variant rung)
{
    return rung_is_built(rung) ? kind_why_not(args) : PRIM_RUNG_NOT_BUILT;
}

constexpr bool is_built_in(prim_scan_variant rung, prim_scan_call_kind kind)
{
    return rung_is_built(rung) && kind_is_built(kind);
}

/* Kernels that several rungs have in common. */
constexpr bool TEXTBOOK_IS_BUILT =
    rung_is_built(PRIM_SCAN_KOGGE_STONE) || rung_is_built(PRIM_SCAN_BRENT_KUNG) ||
    rung_is_built(PRIM_SCAN_COARSENED) || rung_is_built(PRIM_SCAN_SHUFFLE);
constexpr bool LINES_ARE_BUILT = is_built_in(PRIM_SCAN_REDUCE_THEN_SCAN, PRIM_SCAN_ROWS) ||
                                 is_built_in(PRIM_SCAN_LOOKBACK, PRIM_SCAN_ROWS) ||
                                 is_built_in(PRIM_SCAN_CHAINED, PRIM_SCAN_ROWS);
constexpr bool TILES_ARE_BUILT = LINES_ARE_BUILT || rung_is_built(PRIM_SCAN_REDUCE_THEN_SCAN) ||
                                 rung_is_built(PRIM_SCAN_CLUSTER);

/* ---- the rungs up to SHUFFLE ---- */

PRIM_DISPATCH_TYPES(textbook_types, PRIM_SCAN_TEXTBOOK_TYPES)
PRIM_DISPATCH_OPERATOR(textbook_operator, PRIM_SCAN_TEXTBOOK_OPERATORS)

template <class Run>
struct textbook_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_scan_args *args, More... more)
    {
        return textbook_operator<Run, In, Out>(args, more...);
    }
};

/* Run::run<In, Out, Operator>(args, more…) */
template <bool IS_BUILT, class Run, typename... More>
auto dispatch_textbook(const prim_scan_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return textbook_types<textbook_run<Run>>(args, more...);
    else
        return Run::not_built(args, more...);
}

inline const char *textbook_why_not(const prim_scan_args *args, prim_scan_variant rung)
{
    const char *const reason = rung_why_not(args, rung);
    return reason != nullptr                          ? reason
           : !textbook_types<is_built>(args)          ? PRIM_TYPES_NOT_BUILT
           : !dispatch_textbook<true, is_built>(args) ? PRIM_OP_NOT_BUILT
                                                      : nullptr;
}

/* ---- the others ---- */

#define PRIM_SCAN_TYPES(X) PRIM_SCAN_INTEGER_TYPES(X) PRIM_SCAN_FLOAT_TYPES(X)
PRIM_DISPATCH_TYPES(all_types, PRIM_SCAN_TYPES)
PRIM_DISPATCH_OPERATOR(any_operator, PRIM_SCAN_OPERATORS)

template <class Run>
struct operator_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_scan_args *args, More... more)
    {
        return any_operator<kernel_run<Run>, In, Out>(args, more...);
    }
};

/* Run::run<In, Out, Operator>(args, more…), of the kernel's types and operator:
 * common/math/turned.cuh */
template <class Run, typename... More>
auto dispatch(const prim_scan_args *args, More... more)
{
    return all_types<operator_run<Run>>(args, more...);
}

/* The same for kernels that only some kinds of call and rungs need. */
template <bool IS_BUILT, class Run, typename... More>
auto dispatch_if(const prim_scan_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return dispatch<Run>(args, more...);
    else
        return Run::not_built(args, more...);
}

/* The same for what depends on the order: sums and products of floats. */
PRIM_DISPATCH_TYPES(float_types, PRIM_SCAN_FLOAT_TYPES)

template <class Run>
struct ordered_run : Run {
    template <typename In, typename Out, class Operator, typename... More>
    static auto run(const prim_scan_args *args, More... more)
    {
        if constexpr (std::is_same<Operator, sum_operator>::value ||
                      std::is_same<Operator, product_operator>::value)
            return Run::template run<In, Out, Operator>(args, more...);
        else
            return Run::not_built(args, more...);
    }
};

template <class Run>
struct ordered_operator_run : Run {
    template <typename In, typename Out, typename... More>
    static auto run(const prim_scan_args *args, More... more)
    {
        return any_operator<ordered_run<Run>, In, Out>(args, more...);
    }
};

template <bool IS_BUILT, class Run, typename... More>
auto dispatch_ordered(const prim_scan_args *args, More... more)
{
    if constexpr (IS_BUILT)
        return float_types<ordered_operator_run<Run>>(args, more...);
    else
        return Run::not_built(args, more...);
}

inline const char *types_why_not(const prim_scan_args *args, prim_scan_variant rung)
{
    const char *const reason = rung_why_not(args, rung);
    return reason != nullptr            ? reason
           : !all_types<is_built>(args) ? PRIM_TYPES_NOT_BUILT
           : !dispatch<is_built>(args)  ? PRIM_OP_NOT_BUILT
                                        : nullptr;
}

} // namespace

#endif
