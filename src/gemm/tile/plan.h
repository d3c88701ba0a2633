/* How WARP_TILED, SPLIT_K and the rungs above divide a call into blocks, and how long the upper
 * rungs take. */
#ifndef PRIM_GEMM_PLAN_H
#define PRIM_GEMM_PLAN_H

#include "gemm/gemm_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct prim_gemm_plan {
    unsigned tile;  /* of the list that the types have in tiles.h, or the rung in tensor/tiles.h */
    unsigned m, n;  /* its sides */
    unsigned parts; /* of k */
    size_t part;    /* steps of k in each, but the last one may have less */
    bool in_turn;   /* a block sums all parts of a tile and adds them, without a second pass */
    double clocks;  /* how long it takes, as estimated */
} prim_gemm_plan;

/* The plan with the least estimated time, of one part or of several. */
prim_gemm_plan prim_gemm_plan_whole(const prim_gemm_args *args);
prim_gemm_plan prim_gemm_plan_split(const prim_gemm_args *args);

/* Those of MMA, WGMMA and WGMMA_SPECIALIZED, of one part or of several. */
prim_gemm_plan prim_gemm_plan_mma(const prim_gemm_args *args);
prim_gemm_plan prim_gemm_plan_wgmma(const prim_gemm_args *args);
prim_gemm_plan prim_gemm_plan_wgmma_specialized(const prim_gemm_args *args);

/* With BATCH_INVARIANT: whether SPLIT_K takes the call, of WARP_TILED and SPLIT_K. */
bool prim_gemm_is_split(const prim_gemm_args *args);

/* What MMA takes beyond its plan's time where it loads A and B by elements; and a pass of its own
 * that moves that many bytes. */
double prim_gemm_by_elements_clocks(const prim_gemm_args *args);
double prim_gemm_pass_clocks(double bytes);

/* The estimated times of SMALL_PRODUCTS and of THIN. */
double prim_gemm_small_products_clocks(const prim_gemm_args *args);
double prim_gemm_thin_clocks(const prim_gemm_args *args);

/* Does a grid have that many blocks? */
bool prim_gemm_plan_fits(const prim_gemm_args *args, prim_gemm_plan plan);

/* The sums of the parts: rows of whole vectors of 16 bytes, part by part, product by product. */
size_t prim_gemm_plan_ld(const prim_gemm_args *args);
size_t prim_gemm_plan_bytes(const prim_gemm_args *args, prim_gemm_plan plan);

/* Whether there are kernels for these types; and the launch, whose workspace holds the sums. */
bool prim_gemm_has_tiles(const prim_gemm_args *args);
cudaError_t prim_gemm_launch_tiles(const prim_gemm_args *args, prim_gemm_plan plan);

/* The second pass alone: C from the sums of that many parts in the workspace. */
cudaError_t prim_gemm_add_parts(const prim_gemm_args *args, unsigned parts);

#if defined(__cplusplus)
}
#endif

#endif
