/* The last step of every textbook rung: each section is combined with its exclusive prefix, as in
 * sections.cuh. */
#include "scan/sections.cuh"

namespace
{
namespace offsets
{

template <typename Out, typename Operator>
__global__ void add_offsets(lines<Out> out, const Out *offsets, unsigned section_elements)
{
    const section<Out> s = this_section(out, section_elements);
    if (s.begins_line)
        return;
    const Out offset = offsets[blockIdx.x];
    for (unsigned i = threadIdx.x; i < s.length; i += blockDim.x)
        s.first[i * s.stride] = Operator::combine(offset, s.first[i * s.stride]);
}

struct add_run : launch_run {
    template <typename In, typename Out, typename Operator>
    static cudaError_t run(const prim_scan_args *args, const prim_scan_sections *s)
    {
        const lines<Out> out = {static_cast<Out *>(s->base),
                                s->line_stride,
                                s->element_stride,
                                s->length,
                                s->count,
                                s->sections};
        return prim_launch(
            {args->call.stream, static_cast<unsigned>(s->count) * s->sections, s->threads},
            add_offsets<Out, Operator>, out, static_cast<const Out *>(s->offsets), s->elements);
    }
};

} // namespace offsets
} // namespace

cudaError_t prim_scan_add_offsets(const prim_scan_args *args, const prim_scan_sections &sections)
{
    return dispatch_textbook<TEXTBOOK_IS_BUILT, offsets::add_run>(args, &sections);
}
