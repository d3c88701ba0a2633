/* Operators: sum, minimum and maximum, and what an operator of your own looks like.
 *
 * EXPERIMENTAL: until 1.0, this folder may change with each minor version.
 *
 * An operator of your own is a struct like these, with a call operator that takes two values and
 * gives one:
 *
 *     struct longer {
 *         __device__ run operator()(run a, run b) const { return b.length > a.length ? b : a; }
 *     };
 *
 * It has to be associative, and nothing more: a is always what came from before b. It may also be
 * called for values whose result nobody sees, so that it must bear any two values of its type. */
#ifndef PRIMITIVES_DEVICE_OPERATORS_H
#define PRIMITIVES_DEVICE_OPERATORS_H

#include <primitives/device/kernel.h>

#include <type_traits>

/* a + b. Integers wrap, signed ones too. */
struct prim_sum {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const
    {
        if constexpr (std::is_integral<T>::value && !std::is_same<T, bool>::value) {
            using bits = typename std::make_unsigned<T>::type;
            return static_cast<T>(static_cast<bits>(static_cast<bits>(a) + static_cast<bits>(b)));
        } else {
            return a + b;
        }
    }
};

/* The lesser of a and b; NaN if one of them is NaN; a if they are equal, as -0 and +0 are. */
struct prim_min {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const
    {
        return b < a || !(b == b) ? b : a;
    }
};

/* The greater of a and b; NaN if one of them is NaN; a if they are equal, as -0 and +0 are. */
struct prim_max {
    template <typename T>
    __host__ __device__ T operator()(T a, T b) const
    {
        return a < b || !(b == b) ? b : a;
    }
};

#endif
