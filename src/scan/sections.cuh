/* How the textbook rungs reach any length: a block scans one section of a line, the sections'
 * aggregates are scanned in the same way, and every section is combined with its exclusive prefix.
 *
 *     elements   ████████│████████│████████│███      1  scan each section into out,
 *     aggregates        A        B        C    D        and leave its aggregate
 *     offsets    ·      │A       │AB      │ABC       2  scan them exclusively: a line of aggregates
 *                                                       is a line, so this is 1 to 3 again
 *     out        ████████│A+██████│AB+█████│ABC+     3  combine each section with its offset
 *
 * A vector is one line, a matrix has a line for each row, and for the second step of a
 * summed-area table one for each column. A block reads its whole section before it writes to it,
 * and no other section, so all of this works in place. */
#ifndef PRIM_SCAN_SECTIONS_CUH
#define PRIM_SCAN_SECTIONS_CUH

#include "common/host/element.h"
#include "common/host/sizes.h"
#include "scan/dispatch.cuh"
#include "scan/tile/tiles.h"

/* Step 3, of add_offsets.cu: lines whose sections are scanned, and the sections' exclusive
 * prefixes. Types and operator are those of args. */
struct prim_scan_sections {
    void *base;
    size_t line_stride, element_stride, length, count;
    unsigned sections, elements, threads; /* of a line; of a section; of a block */
    const void *offsets;
};
extern "C" cudaError_t prim_scan_add_offsets(const prim_scan_args *args,
                                             const prim_scan_sections &sections);

namespace
{

/* ---- which calls are supported, and their workspace ---- */

/* The grid of the elements decides: the scan of the aggregates has fewer blocks. */
inline const char *sections_why_not(const prim_scan_args *args, prim_scan_variant rung,
                                    size_t section_elements)
{
    const bool rows_fit =
        prim_fits_a_grid(args->rows, prim_divide_up(args->columns, section_elements));
    const bool columns_fit =
        !args->summed_area ||
        prim_fits_a_grid(args->columns, prim_divide_up(args->rows, section_elements));
    return rows_fit && columns_fit ? textbook_why_not(args, rung) : PRIM_GRID_TOO_SMALL;
}

/* The aggregates of every level; the second direction reuses the memory of the first. */
inline size_t sections_workspace(const prim_scan_args *args, size_t section_elements)
{
    const size_t of_rows = args->rows * prim_values_between_levels(args->columns, section_elements);
    const size_t of_columns =
        args->summed_area ? args->columns * prim_values_between_levels(args->rows, section_elements)
                          : 0;
    return (of_rows > of_columns ? of_rows : of_columns) * prim_element_bytes(args->out_type);
}

/* ---- kernels ---- */

/* The initial value of a line: a value, or a pointer to one on the device. */
template <typename Out>
struct initial_value {
    Out value;
    const Out *from;

    /* By all threads, before the block's first barrier: the total may be written there. */
    __device__ Out get() const
    {
        return from != nullptr ? *from : value;
    }
};

template <typename Out, typename Operator>
initial_value<Out> initial_value_of(const prim_scan_args *args)
{
    return {args->initial != nullptr ? *static_cast<const Out *>(args->initial)
                                     : Operator::template identity<Out>(),
            static_cast<const Out *>(args->d_initial)};
}

/* Lines of one length: `sections` consecutive blocks of the grid for each. */
template <typename T>
struct lines {
    T *base;
    size_t line_stride, element_stride, length, count;
    unsigned sections;
};

template <typename In, typename Out>
using section_kernel = void (*)(lines<const In> in, lines<Out> out, prim_scan_kind kind,
                                prim_transform transform, initial_value<Out> initial,
                                Out *aggregates);

/* The section that one block scans. */
template <typename T>
struct section {
    T *first;
    size_t stride;
    unsigned length;
    bool begins_line;
};

template <typename T>
__device__ section<T> this_section(const lines<T> &l, unsigned section_elements)
{
    const unsigned line = blockIdx.x / l.sections, index = blockIdx.x % l.sections;
    const size_t begin = static_cast<size_t>(index) * section_elements;
    const size_t left = l.length - begin;
    return {l.base + line * l.line_stride + begin * l.element_stride, l.element_stride,
            left < section_elements ? static_cast<unsigned>(left) : section_elements, index == 0};
}

/* Element i of the section, or the identity past its end. The initial value is combined with the
 * first element of a line, and so with all results. */
template <typename Operator, typename In, typename Out>
__device__ Out load_or_identity(const section<const In> &s, unsigned i, prim_transform transform,
                                Out initial)
{
    if (i >= s.length)
        return Operator::template identity<Out>();
    const Out value = load<Out>(&s.first[i * s.stride], transform);
    return i == 0 && s.begins_line ? Operator::combine(initial, value) : value;
}

/* Writes element i from the section's inclusive scan; an exclusive result is the one before. */
template <typename Operator, typename Out>
__device__ void store(const section<Out> &s, unsigned i, prim_scan_kind kind, Out initial,
                      const Out *scanned)
{
    if (i >= s.length)
        return;
    const Out before_all = s.begins_line ? initial : Operator::template identity<Out>();
    s.first[i * s.stride] = kind == PRIM_SCAN_INCLUSIVE ? scanned[i]
                            : i > 0                     ? scanned[i - 1]
                                                        : before_all;
}

/* ---- launches ---- */

/* The two kernels of a rung, one for elements and one for aggregates, and their block. */
template <typename In, typename Out>
struct section_scan {
    const prim_scan_args *args;
    section_kernel<In, Out> first;
    section_kernel<Out, Out> further;
    unsigned elements, threads;

    unsigned sections_of(size_t length) const
    {
        return static_cast<unsigned>(prim_divide_up(length, elements));
    }
};

/* At the last level, a line of one section, its total is that of the whole array. */
template <typename Operator, typename In, typename Out>
cudaError_t scan_lines(const section_scan<In, Out> &scan, lines<const In> in, lines<Out> out,
                       prim_scan_kind kind, prim_transform transform, initial_value<Out> initial,
                       Out *aggregates, Out *total)
{
    const unsigned blocks = static_cast<unsigned>(out.count) * out.sections;
    const bool one_section = out.sections == 1;
    const cudaStream_t stream = scan.args->call.stream;
    cudaError_t error = prim_launch({stream, blocks, scan.threads}, scan.first, in, out, kind,
                                    transform, initial, one_section ? total : aggregates);
    if (error != cudaSuccess || one_section)
        return error;

    const unsigned sections = scan.sections_of(out.sections);
    const lines<const Out> from = {aggregates, out.sections, 1, out.sections, out.count, sections};
    const lines<Out> to = {aggregates, out.sections, 1, out.sections, out.count, sections};
    const section_scan<Out, Out> of_aggregates = {scan.args, scan.further, scan.further,
                                                  scan.elements, scan.threads};
    error = scan_lines<Operator>(of_aggregates, from, to, PRIM_SCAN_EXCLUSIVE, PRIM_TRANSFORM_NONE,
                                 initial_value<Out>{Operator::template identity<Out>(), nullptr},
                                 aggregates + blocks, total);
    if (error != cudaSuccess)
        return error;
    static_assert(TEXTBOOK_IS_BUILT || sizeof(Out) == 0,
                  "TEXTBOOK_IS_BUILT names the rungs that need add_offsets.cu: add this one");
    return prim_scan_add_offsets(scan.args, {out.base, out.line_stride, out.element_stride,
                                             out.length, out.count, out.sections, scan.elements,
                                             scan.threads, aggregates});
}

/* The rows, and then the columns of the result for a summed-area table. */
template <typename Operator, typename In, typename Out>
cudaError_t scan_in_sections(const prim_scan_args *args, unsigned section_elements,
                             unsigned block_threads, section_kernel<In, Out> first,
                             section_kernel<Out, Out> further)
{
    if (args->rows == 0 || args->columns == 0)
        return prim_scan_launch_empty(args);
    const section_scan<In, Out> scan = {args, first, further, section_elements, block_threads};
    Out *const out = static_cast<Out *>(args->out);
    Out *const aggregates = static_cast<Out *>(args->call.workspace);
    const unsigned sections = scan.sections_of(args->columns);
    const lines<const In> in_rows = {
        static_cast<const In *>(args->in), args->in_ld, 1, args->columns, args->rows, sections};
    const lines<Out> out_rows = {out, args->out_ld, 1, args->columns, args->rows, sections};
    const cudaError_t error = scan_lines<Operator>(
        scan, in_rows, out_rows, args->kind, args->transform, initial_value_of<Out, Operator>(args),
        aggregates, static_cast<Out *>(args->total));
    if (error != cudaSuccess || !args->summed_area)
        return error;

    const section_scan<Out, Out> down = {args, further, further, section_elements, block_threads};
    const unsigned down_sections = down.sections_of(args->rows);
    const lines<const Out> in_columns = {out,          1, args->out_ld, args->rows, args->columns,
                                         down_sections};
    const lines<Out> out_columns = {out, 1, args->out_ld, args->rows, args->columns, down_sections};
    return scan_lines<Operator>(down, in_columns, out_columns, PRIM_SCAN_INCLUSIVE,
                                PRIM_TRANSFORM_NONE,
                                initial_value<Out>{Operator::template identity<Out>(), nullptr},
                                aggregates, static_cast<Out *>(nullptr));
}

/* ---- a rung ---- */

/* What a lesson has: OF_BLOCK, the elements of a section; BLOCK, the threads that scan it; and its
 * kernel<In, Out, Operator>. */
template <prim_scan_variant RUNG, class Lesson>
struct sections {
    static const char *why_not(const void *args)
    {
        return sections_why_not(static_cast<const prim_scan_args *>(args), RUNG, Lesson::OF_BLOCK);
    }
    static size_t workspace_bytes(const void *args)
    {
        return sections_workspace(static_cast<const prim_scan_args *>(args), Lesson::OF_BLOCK);
    }

    struct all_sections : launch_run {
        template <typename In, typename Out, typename Operator>
        static cudaError_t run(const prim_scan_args *args)
        {
            return scan_in_sections<Operator, In, Out>(args, Lesson::OF_BLOCK, Lesson::BLOCK,
                                                       Lesson::template kernel<In, Out, Operator>,
                                                       Lesson::template kernel<Out, Out, Operator>);
        }
    };
    static cudaError_t launch(const void *args)
    {
        return dispatch_textbook<rung_is_built(RUNG), all_sections>(
            static_cast<const prim_scan_args *>(args));
    }
};

template <prim_scan_variant RUNG, class Lesson>
constexpr prim_rung rung_of_sections(const char *name, const char *idea)
{
    using rung = sections<RUNG, Lesson>;
    return {{RUNG, name, idea}, rung::why_not, rung::workspace_bytes, rung::launch};
}

} // namespace

#endif
