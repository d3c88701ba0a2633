/* A thread copies a vector of 16 bytes: it loads the words in which its elements lie, shifts them
 * to where they go, and stores them at once. A and B share a launch.
 *
 *     stored           ┃ · a b c ┃ d e f g ┃ h · · ·
 *     realigned        ┃ a b c d ┃ e f g h ┃
 *
 * Lanes of a warp have neighbouring vectors, so that what they load lies in the same few cache
 * lines. Nothing beside the elements is read; after a line's last element zeros are stored.
 *
 * Bytes: the matrices' once from global memory, and once to it. */
#include "gemm/tensor/realign.h"

#include <cmath>

#include "common/block/part_vector.cuh"
#include "common/host/sizes.h"
#include "common/kernel/launch.cuh"
#include "gemm/tensor/operands.h"
#include "gemm/tile/plan.h"

namespace
{
namespace realigning
{

using element = uint16_t; /* the bits of an f16 or bf16 */

constexpr unsigned THREADS = 256, PIECE = VECTOR_ELEMENTS<element>;

/* A or B as it is stored, and the room for its lines, one after the other. */
struct lines {
    const element *from;
    size_t ld, stride, columns;
    vector<element> *to;
    unsigned rows, pieces; /* of a matrix; of a line */
    unsigned count;        /* pieces of all matrices; 0: it stays where it is */
};

/* ---- the kernel ---- */

__global__ void __launch_bounds__(THREADS) copy_lines(lines a, lines b, unsigned blocks_of_a)
{
    const bool of_a = blockIdx.x < blocks_of_a;
    const lines x = of_a ? a : b;
    const unsigned i = (blockIdx.x - (of_a ? 0 : blocks_of_a)) * THREADS + threadIdx.x;
    if (i >= x.count)
        return;
    const unsigned line = i / x.pieces, matrix = line / x.rows, row = line % x.rows;
    const size_t column = static_cast<size_t>(i % x.pieces) * PIECE, left = x.columns - column;
    const element *const from = x.from + matrix * x.stride + row * x.ld + column;
    const part_vector<element> part(from, left < PIECE ? static_cast<unsigned>(left) : PIECE);
    x.to[i] = part.elements(part.load(from));
}

/* ---- what is realigned ---- */

/* Matrices overlap where there is less from the first element to the last one than they have in
 * all. Numbers are doubles, since a call may be asked about more than there is memory. `always`:
 * also for the sake of the address alone, and where matrices overlap. */
bool is_realigned(const prim_tensor &x, size_t pieces_of_line, bool always)
{
    const double rows = static_cast<double>(x.rows), matrices = static_cast<double>(x.matrices),
                 line = static_cast<double>(x.columns) * sizeof(element);
    const double extent = (matrices - 1) * static_cast<double>(x.stride) +
                          (rows - 1) * static_cast<double>(x.pitch) + line;
    const bool begins = !always || reinterpret_cast<uintptr_t>(x.data) % VECTOR_BYTES == 0,
               is_aligned = begins && x.pitch % VECTOR_BYTES == 0 && x.stride % VECTOR_BYTES == 0,
               overlap = !always && extent < matrices * rows * line,
               is_counted = matrices * rows * static_cast<double>(pieces_of_line) < 0x1p31;
    return !is_aligned && !overlap && is_counted;
}

lines lines_of(const prim_tensor &x, uintptr_t room, bool always)
{
    const size_t pieces = prim_divide_up(x.columns, PIECE);
    if (!is_realigned(x, pieces, always))
        return {};
    return {static_cast<const element *>(x.data),
            x.pitch / sizeof(element),
            x.stride / sizeof(element),
            x.columns,
            reinterpret_cast<vector<element> *>(room),
            static_cast<unsigned>(x.rows),
            static_cast<unsigned>(pieces),
            static_cast<unsigned>(x.matrices * x.rows * pieces)};
}

size_t bytes_of(const lines &x)
{
    return static_cast<size_t>(x.count) * VECTOR_BYTES;
}

/* Of a call that is only asked, which has no workspace, the room begins at 0. */
struct pass {
    lines a, b;
};

pass pass_of(const prim_gemm_args *args)
{
    const prim_gemm_operands x = prim_gemm_operands_of(args);
    const uintptr_t room = reinterpret_cast<uintptr_t>(args->call.workspace);
    const bool always = prim_gemm_is_invariant(args);
    const lines a = lines_of(x.a, room, always);
    return {a, lines_of(x.b, room + bytes_of(a), always)};
}

size_t bytes_of(const pass &all)
{
    return bytes_of(all.a) + bytes_of(all.b);
}

/* The call after the pass. */
prim_gemm_args behind(const pass &all, const prim_gemm_args *args)
{
    prim_gemm_args now = *args;
    const auto replace = [](const lines &by, const void **data, size_t *ld, size_t *stride) {
        if (by.count == 0)
            return;
        *data = by.to;
        *ld = static_cast<size_t>(by.pieces) * PIECE;
        *stride = *stride == 0 ? 0 : by.rows * *ld;
    };
    replace(all.a, &now.a, &now.lda, &now.a_stride);
    replace(all.b, &now.b, &now.ldb, &now.b_stride);
    now.call.workspace =
        reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(args->call.workspace) + bytes_of(all));
    return now;
}

double clocks_of(const pass &all)
{
    return prim_gemm_pass_clocks(2 * static_cast<double>(bytes_of(all)));
}

/* The call as far as neither scalars decide nor addresses, but for those of BATCH_INVARIANT. */
prim_gemm_args shapes_of(const prim_gemm_args *args)
{
    prim_gemm_args x = *args;
    if (args->pointers || !prim_gemm_is_invariant(args))
        x.a = x.b = nullptr;
    x.alpha = 1;
    return x;
}

} // namespace realigning
} // namespace

/* Of a batch by pointers, the kernel knows the addresses. */
prim_gemm_way prim_gemm_way_of(const prim_gemm_args *args, prim_gemm_kernels kernels)
{
    using namespace realigning;
    const prim_gemm_args stored = args->pointers ? shapes_of(args) : *args;
    const bool c_is_empty = args->m == 0 || args->n == 0 || args->batches == 0;
    if (c_is_empty || prim_gemm_are_mapped(&stored))
        return PRIM_GEMM_IN_PLACE;
    if (args->pointers)
        return PRIM_GEMM_UNREACHED;
    const pass all = pass_of(args);
    const prim_gemm_args now = behind(all, args);
    if (!prim_gemm_are_mapped(&now))
        return PRIM_GEMM_UNREACHED;
    const bool pays =
        kernels == PRIM_GEMM_BY_WGMMA || clocks_of(all) < prim_gemm_by_elements_clocks(args);
    return pays ? PRIM_GEMM_REALIGNED : PRIM_GEMM_UNREACHED;
}

size_t prim_gemm_realigned_bytes(const prim_gemm_args *args, prim_gemm_kernels kernels)
{
    using namespace realigning;
    const prim_gemm_args shapes = shapes_of(args);
    return prim_gemm_way_of(&shapes, kernels) == PRIM_GEMM_REALIGNED ? bytes_of(pass_of(&shapes))
                                                                     : 0;
}

double prim_gemm_way_clocks(const prim_gemm_args *args, prim_gemm_kernels kernels)
{
    using namespace realigning;
    const prim_gemm_args shapes = shapes_of(args);
    const prim_gemm_way way = prim_gemm_way_of(&shapes, kernels);
    if (way == PRIM_GEMM_UNREACHED)
        return kernels == PRIM_GEMM_BY_MMA ? prim_gemm_by_elements_clocks(args) : HUGE_VAL;
    return way == PRIM_GEMM_REALIGNED ? clocks_of(pass_of(&shapes)) : 0;
}

cudaError_t prim_gemm_realign(const prim_gemm_args *args, prim_gemm_way way, prim_gemm_args *now)
{
    using namespace realigning;
    *now = *args;
    if (way != PRIM_GEMM_REALIGNED)
        return cudaSuccess;
    const pass all = pass_of(args);
    const unsigned of_a = static_cast<unsigned>(prim_divide_up(all.a.count, THREADS)),
                   of_b = static_cast<unsigned>(prim_divide_up(all.b.count, THREADS));
    *now = behind(all, args);
    return prim_launch({args->call.stream, of_a + of_b, THREADS}, copy_lines, all.a, all.b, of_a);
}
