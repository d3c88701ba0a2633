/* Turns enums into template arguments, by the lists of a pattern's instances.h: X-macros with a row
 * for each instance, such as X(CUDA_R_32F, float).
 *
 * A dispatch takes a Run, a struct with
 *     template <…> static R run(args, more…)     called with the types that `args` names
 *     static R not_built(args, more…)            called where the list has no such row
 * and is defined for a pattern by one of the macros below. */
#ifndef PRIM_COMMON_DISPATCH_CUH
#define PRIM_COMMON_DISPATCH_CUH

#include <cuda_runtime.h>

namespace
{

/* A Run for launches begins with this one. */
struct launch_run {
    template <typename... Arguments>
    static cudaError_t not_built(Arguments...)
    {
        return cudaErrorInvalidDeviceFunction;
    }
};

/* Whether the list has such a row. */
struct is_built {
    template <typename... Types, typename Args>
    static bool run(const Args *)
    {
        return true;
    }
    template <typename Args>
    static bool not_built(const Args *)
    {
        return false;
    }
};

} // namespace

/* name(value), a constant: whether the list, of rows of one value, has it. */
#define PRIM_IS_LISTED(name, LIST, type)              \
    constexpr bool name([[maybe_unused]] type wanted) \
    {                                                 \
        LIST(PRIM_LISTED_ROW)                         \
        return false;                                 \
    }
#define PRIM_LISTED_ROW(value) \
    if (wanted == value)       \
        return true;

/* name<Run>(args, more…): Run::run<T> for args->field, from rows of an enum and a type. */
#define PRIM_DISPATCH_TYPE(name, LIST, field)             \
    template <class Run, typename Args, typename... More> \
    auto name(const Args *args, More... more)             \
    {                                                     \
        const auto wanted = args->field;                  \
        LIST(PRIM_TYPE_ROW)                               \
        return Run::not_built(args, more...);             \
    }
#define PRIM_TYPE_ROW(value, type) \
    if (wanted == value)           \
        return Run::template run<type>(args, more...);

/* name<Run>(args, more…): Run::run<In, Out> for args->in_field and args->out_field, from rows of an
 * enum, its type, an enum and its type. */
#define PRIM_DISPATCH_PAIRS(name, LIST, in_field, out_field)                 \
    template <class Run, typename Args, typename... More>                    \
    auto name(const Args *args, More... more)                                \
    {                                                                        \
        const auto in_wanted = args->in_field, out_wanted = args->out_field; \
        LIST(PRIM_TYPES_ROW)                                                 \
        return Run::not_built(args, more...);                                \
    }
#define PRIM_TYPES_ROW(in_value, in, out_value, out)      \
    if (in_wanted == in_value && out_wanted == out_value) \
        return Run::template run<in, out>(args, more...);

/* The same for the fields in_type and out_type. */
#define PRIM_DISPATCH_TYPES(name, LIST) PRIM_DISPATCH_PAIRS(name, LIST, in_type, out_type)

/* The same with an operator besides: name<Run, In, Out>(args, more…) is Run::run<In, Out, Operator>
 * for args->op, from rows of an enum and a struct. */
#define PRIM_DISPATCH_OPERATOR(name, LIST)                                           \
    template <class Run, typename In, typename Out, typename Args, typename... More> \
    auto name(const Args *args, More... more)                                        \
    {                                                                                \
        LIST(PRIM_OPERATOR_ROW)                                                      \
        return Run::not_built(args, more...);                                        \
    }
#define PRIM_OPERATOR_ROW(row_op, operator_struct) \
    if (args->op == row_op)                        \
        return Run::template run<In, Out, operator_struct>(args, more...);

#endif
