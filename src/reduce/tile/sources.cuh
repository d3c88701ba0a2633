/* Where a reduction takes its elements from, 16 bytes at a time:
 *     elements      of an array, transformed          prim_reduce() and its rows and columns
 *     products      of two arrays                     prim_dot()
 *     candidates    an element and its index          prim_arg_reduce(): candidates.cuh
 *     values        that an earlier pass has left     further passes of each
 *
 * What a source has for the kernels:
 *     element       the type whose size says how many are in a vector
 *     value         what is combined, by the operators that the source is used with
 *     loaded        a vector of elements, in registers
 *     tile_blocks   blocks of tiles on a multiprocessor: six keep 96 KiB in flight, which is more
 *                   than memory needs; fewer where the elements need more registers
 *     aligned       whether every line begins at a multiple of 16 bytes
 *     front         how many elements of the first vector lie before the first one; never read
 *     plain()       whether elements are not transformed
 *     identity<Operator>()    the value of an empty line
 *     load<ALIGNED>(at, further)   the aligned vector that element `at` lies in (ALIGNED: begins),
 *                                  or one that is `further` elements, whole vectors, after it
 *     complete(x, at, further)     the vector that begins with that element, where load() gave x
 *     take<Operator, PLAIN>(so_far, x, index)      so_far, and then the elements of x in order
 *     take_some<Operator>(so_far, at, index, n)    the same with up to a vector's elements, one by
 *                                                  one, from `at` on
 * An element's index counts within its line; `at` is the same from the array's first element on. */
#ifndef PRIM_REDUCE_SOURCES_CUH
#define PRIM_REDUCE_SOURCES_CUH

#include "common/block/vectors.cuh"
#include "reduce/dispatch.cuh"

namespace
{

/* The first `count` elements of a vector, one by one. */
template <typename T>
__host__ __device__ void load_some(const T *from, unsigned count, T (&x)[VECTOR_ELEMENTS<T>])
{
    PRIM_UNROLL(VECTOR_ELEMENTS<T>)
    for (unsigned e = 0; e < VECTOR_ELEMENTS<T>; e++)
        if (e < count)
            x[e] = from[e];
}

/* ---- elements ---- */

/* The sum of a vector of bytes, four to an instruction. */
template <typename Byte>
__device__ int32_t sum_of_bytes(const vector<Byte> &x)
{
    uint32_t sum = 0;
    for (const uint32_t word : x.words)
        sum = sum_of_bytes<Byte>(word, sum);
    return static_cast<int32_t>(sum);
}

template <class Operator, typename T>
constexpr bool ADDS_BYTES = sizeof(T) == 1 && std::is_same<Operator, sum_operator>::value;

/* The first `count` bytes of a vector, and zeros. */
template <typename Byte>
__device__ vector<Byte> first_bytes(vector<Byte> x, unsigned count)
{
    PRIM_UNROLL(4)
    for (unsigned w = 0; w < VECTOR_BYTES / 4; w++) {
        const unsigned left = count > 4 * w ? count - 4 * w : 0;
        x.words[w] &= left < 4 ? (1u << 8 * left) - 1 : UINT32_MAX;
    }
    return x;
}

template <class Operator>
constexpr bool ON_BITS =
    std::is_same<Operator, or_operator>::value || std::is_same<Operator, xor_operator>::value;

/* Applies a bit operator to a vector: combines its words, then the elements in a word. `turned`:
 * all bits or none, for OR. */
template <class Operator, typename T>
__device__ T combined_bits(const vector<T> &x, uint32_t turned)
{
    if (!MAY_TURN<Operator>)
        turned = 0;
    uint32_t combined = x.words[0] ^ turned;
    for (unsigned w = 1; w < VECTOR_ELEMENTS<uint32_t>; w++)
        combined = Operator::combine(combined, x.words[w] ^ turned);
    for (unsigned shift = 16; shift >= 8 * sizeof(T); shift /= 2)
        combined = Operator::combine(combined, combined >> shift);
    return static_cast<T>(combined ^ turned);
}

template <typename In, typename Out>
struct elements {
    using element = In;
    using value = accumulator_t<Out>;
    using loaded = vector<In>;

    static constexpr unsigned tile_blocks = sizeof(In) == 2                         ? 5
                                            : sizeof(In) == 4 && sizeof(value) == 8 ? 4
                                                                                    : 6;

    /* Kernels that turn values wider than their elements need more registers; 16-bit floats do not,
     * of which both halves of a word are turned at once. */
    template <class Operator>
    static constexpr bool turns_wider = MAY_TURN<Operator> && sizeof(In) != sizeof(Out) &&
                                        !IS_HALF<In>;

    static constexpr unsigned front = 0;

    const In *in;
    bool aligned;
    prim_transform transform;
    turned_bits<Out> turned;

    template <class Operator>
    __host__ __device__ static value identity()
    {
        return identity_of<Operator, Out>();
    }

    __host__ __device__ bool plain() const
    {
        return transform == PRIM_TRANSFORM_NONE;
    }

    template <bool ALIGNED>
    __device__ loaded load(size_t at, size_t further = 0) const
    {
        return load_vector((ALIGNED ? &in[at] : vector_around(&in[at])) + further);
    }

    __device__ loaded complete(const loaded &x, size_t at, size_t further = 0) const
    {
        return completed(x, &in[at], further);
    }

    template <class Operator, bool PLAIN, typename Element>
    __host__ __device__ value take_one(value so_far, Element element) const
    {
        const working_t<Out> x = converted<Out>(element);
        const value v = static_cast<value>(PLAIN ? x : transformed(x, transform));
        return Operator::combine(so_far, MAY_TURN<Operator> ? turned_value<Out>(v, turned) : v);
    }

    template <class Operator, bool PLAIN>
    __device__ value take(value so_far, const loaded &x, size_t) const
    {
        constexpr bool bytes = ADDS_BYTES<Operator, In>;
        constexpr bool bits = ON_BITS<Operator> && sizeof(In) < 4 && std::is_unsigned<In>::value;
        constexpr bool narrow = sizeof(In) != sizeof(Out);
        constexpr bool words = MAY_TURN<Operator> && (!narrow || is_float<value>());
        if constexpr (PLAIN && bytes) {
            return Operator::combine(so_far, static_cast<value>(sum_of_bytes(x)));
        } else if constexpr (PLAIN && bits) {
            const In combined = combined_bits<Operator>(x, static_cast<uint32_t>(turned));
            return take_one<Operator, true>(so_far, combined);
        } else if constexpr (PLAIN && words) {
            loaded y;
            if constexpr (narrow)
                y = turned_elements(x, turned_signs<In, Out>(turned));
            else
                y = turned_elements(x, turned);
            for (unsigned e = 0; e < VECTOR_ELEMENTS<In>; e++)
                so_far =
                    Operator::combine(so_far, static_cast<value>(converted<Out>(element_of(y, e))));
            return so_far;
        } else {
            for (unsigned e = 0; e < VECTOR_ELEMENTS<In>; e++)
                so_far = take_one<Operator, PLAIN>(so_far, element_of(x, e));
            return so_far;
        }
    }

    /* All loads come first, so that they are in flight at once. */
    template <class Operator>
    __host__ __device__ value take_some(value so_far, size_t at, size_t, unsigned count) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<In>;
        In x[WIDTH] = {};
        load_some(&in[at], count, x);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (e < count)
                so_far = take_one<Operator, false>(so_far, x[e]);
        return so_far;
    }
};

template <typename In, typename Out>
elements<In, Out> elements_of(const prim_reduce_args *args, bool aligned)
{
    return {static_cast<const In *>(args->in), aligned, transform_of(args),
            bits_to_turn<Out>(args->op, args->out_type)};
}

/* ---- products ---- */

template <typename In, typename Out>
struct products {
    using element = In;
    using value = accumulator_t<Out>;
    struct loaded {
        vector<In> x, y;
    };

    static constexpr unsigned tile_blocks = 3;
    static constexpr unsigned front = 0;

    const In *x, *y;
    bool aligned;

    template <class Operator>
    __host__ __device__ static value identity()
    {
        return Operator::template identity<value>();
    }

    __host__ __device__ bool plain() const
    {
        return true;
    }

    template <bool ALIGNED>
    __device__ loaded load(size_t at, size_t further = 0) const
    {
        return {load_vector((ALIGNED ? &x[at] : vector_around(&x[at])) + further),
                load_vector((ALIGNED ? &y[at] : vector_around(&y[at])) + further)};
    }

    __device__ loaded complete(const loaded &pair, size_t at, size_t further = 0) const
    {
        return {completed(pair.x, &x[at], further), completed(pair.y, &y[at], further)};
    }

    template <class Operator, typename Element>
    __host__ __device__ static value take_one(value so_far, Element a, Element b)
    {
        return Operator::combine(
            so_far, static_cast<value>(multiply(converted<Out>(a), converted<Out>(b))));
    }

    template <class Operator, bool PLAIN>
    __device__ value take(value so_far, const loaded &pair, size_t) const
    {
        for (unsigned e = 0; e < VECTOR_ELEMENTS<In>; e++)
            so_far = take_one<Operator>(so_far, element_of(pair.x, e), element_of(pair.y, e));
        return so_far;
    }

    template <class Operator>
    __host__ __device__ value take_some(value so_far, size_t at, size_t, unsigned count) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<In>;
        In a[WIDTH] = {}, b[WIDTH] = {};
        load_some(&x[at], count, a);
        load_some(&y[at], count, b);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (e < count)
                so_far = take_one<Operator>(so_far, a[e], b[e]);
        return so_far;
    }
};

/* ---- values that an earlier pass has left ---- */

template <typename Value>
struct values {
    using element = Value;
    using value = Value;
    using loaded = vector<Value>;
    static constexpr unsigned tile_blocks = 6;
    static constexpr unsigned front = 0;

    const Value *in;

    static constexpr bool aligned = true;

    template <class Operator>
    __host__ __device__ static value identity()
    {
        return Operator::template identity<value>();
    }

    __host__ __device__ bool plain() const
    {
        return true;
    }

    template <bool>
    __device__ loaded load(size_t at, size_t further = 0) const
    {
        return load_vector(&in[at + further]);
    }

    __device__ loaded complete(const loaded &x, size_t, size_t = 0) const
    {
        return x;
    }

    template <class Operator, bool PLAIN>
    __device__ value take(value so_far, const loaded &x, size_t) const
    {
        for (unsigned e = 0; e < VECTOR_ELEMENTS<Value>; e++)
            so_far = Operator::combine(so_far, element_of(x, e));
        return so_far;
    }

    template <class Operator>
    __host__ __device__ value take_some(value so_far, size_t at, size_t, unsigned count) const
    {
        PRIM_UNROLL(VECTOR_ELEMENTS<Value>)
        for (unsigned e = 0; e < VECTOR_ELEMENTS<Value>; e++)
            if (e < count)
                so_far = Operator::combine(so_far, in[at + e]);
        return so_far;
    }
};

} // namespace

#endif
