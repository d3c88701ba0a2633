/* All patterns of the kit. */
#ifndef PRIMITIVES_PRIMITIVES_H
#define PRIMITIVES_PRIMITIVES_H

#include <primitives/binary_gemm.h>
#include <primitives/convolution.h>
#include <primitives/gemm.h>
#include <primitives/gemv.h>
#include <primitives/histogram.h>
#include <primitives/merge.h>
#include <primitives/reduce.h>
#include <primitives/scan.h>
#include <primitives/sparse.h>
#include <primitives/types.h>

#endif
