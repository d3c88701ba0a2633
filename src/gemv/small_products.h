/* Inside gemv: batches of small products, which WARP_PER_ROW and SPLIT leave to
 * small_products.cu. */
#ifndef PRIM_GEMV_SMALL_PRODUCTS_H
#define PRIM_GEMV_SMALL_PRODUCTS_H

#include "gemv/gemv_args.h"

#if defined(__cplusplus)
extern "C" {
#endif

/* The order of order.h in which products are added: a warp's, or a block's with a single piece. */
typedef enum prim_gemv_small_order {
    PRIM_GEMV_SMALL_ALONG_BY_WARP,
    PRIM_GEMV_SMALL_ALONG_BY_BLOCK,
    PRIM_GEMV_SMALL_ACROSS
} prim_gemv_small_order;

/* Whether several products fit a block, and are close enough together in memory. */
bool prim_gemv_are_small(const prim_gemv_args *args, prim_gemv_small_order order);

/* How WARP_PER_ROW and SPLIT take a call, for prim_answer: "small_products" where they leave it to
 * small_products.cu, and otherwise by a kernel of their own. */
const char *prim_gemv_warp_per_row_route(const prim_gemv_args *args);
const char *prim_gemv_split_route(const prim_gemv_args *args);

/* The launch, where they are small. */
cudaError_t prim_gemv_launch_small(const prim_gemv_args *args, prim_gemv_small_order order);

#if defined(__cplusplus)
}
#endif

#endif
