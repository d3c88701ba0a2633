/* A first pass for A and B whose lines, or the matrices of a batch, do not begin at multiples of 16
 * bytes, as copies want them: it copies them into the workspace, where they do.
 *
 *     stored, ld 5      a a a a a b b b b b c c c c c
 *     realigned, ld 8   a a a a a · · · b b b b b · · · c c c c c · · ·
 *
 * A and B are realigned, each by itself, where the leading dimension or the stride of a batch is
 * not a multiple of 8 elements. Addresses play no part in that: a call that is only asked has none,
 * and its workspace must be enough for any. So copies read no operand whose address alone is not a
 * multiple of 16 bytes, nor matrices that overlap: realigned they could take far more room than
 * they do where they are stored. With BATCH_INVARIANT both are realigned too, since MMA's kernels
 * must not stand in for those of wgmma; then addresses decide, also about the workspace. */
#ifndef PRIM_GEMM_REALIGN_H
#define PRIM_GEMM_REALIGN_H

#include "gemm/gemm_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* Whose kernels read A and B. */
typedef enum prim_gemm_kernels { PRIM_GEMM_BY_MMA, PRIM_GEMM_BY_WGMMA } prim_gemm_kernels;

/* How they come by them. */
typedef enum prim_gemm_way {
    PRIM_GEMM_IN_PLACE,  /* copies reach both where they are stored, or nothing is read */
    PRIM_GEMM_REALIGNED, /* copies reach both once a first pass has realigned one or both */
    PRIM_GEMM_UNREACHED  /* the kernels are MMA's, and load what copies do not reach by elements */
} prim_gemm_way;

/* MMA realigns only where loading elements is estimated to take longer. An address that is NULL is
 * a multiple of 16 bytes. */
prim_gemm_way prim_gemm_way_of(const prim_gemm_args *args, prim_gemm_kernels kernels);

/* If all addresses are multiples of 16 bytes, but with BATCH_INVARIANT as they are: what realigned
 * matrices take of the workspace; and the clocks that the way is estimated to take beyond those of
 * the plan, HUGE_VAL of wgmma's kernels where the call takes MMA's. */
size_t prim_gemm_realigned_bytes(const prim_gemm_args *args, prim_gemm_kernels kernels);
double prim_gemm_way_clocks(const prim_gemm_args *args, prim_gemm_kernels kernels);

/* Submits the pass, if that is the way. *now is what is left of the call: of a realigned one, with
 * matrices at the beginning of the workspace, and the rest of it as its own. */
cudaError_t prim_gemm_realign(const prim_gemm_args *args, prim_gemm_way way, prim_gemm_args *now);

#if defined(__cplusplus)
}
#endif

#endif
