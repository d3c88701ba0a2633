/* prim_arg_reduce()'s source, as sources.cuh has others: elements as keys, and where they are. */
#ifndef PRIM_REDUCE_CANDIDATES_CUH
#define PRIM_REDUCE_CANDIDATES_CUH

#include "common/block/warp.cuh"
#include "common/math/ordered.cuh"
#include "reduce/tile/sources.cuh"

namespace
{

/* Floats are compared as integers of the same order, and NaN is the best key. */
template <typename T>
struct key_of {
    using type = accumulator_t<T>;
};
template <>
struct key_of<float> {
    using type = int32_t;
};
template <>
struct key_of<double> {
    using type = int64_t;
};
template <typename T>
using key_t = typename key_of<T>::type;

enum : uint64_t { NO_INDEX = UINT64_MAX };

template <typename Key>
struct candidate {
    Key key;
    uint64_t index;
};

template <typename Key>
__device__ candidate<Key> shuffle_down(candidate<Key> value, unsigned stride)
{
    return {shuffle_down(value.key, stride), shuffle_down(value.index, stride)};
}

/* Operators: of two candidates the better one, of equal ones the first. */
struct least {
    template <typename Key>
    __host__ __device__ static bool better(Key a, Key b)
    {
        return a < b;
    }
    /* NaN where one is. */
    template <typename T>
    __host__ __device__ static T of(T a, T b)
    {
        return minimum(a, b);
    }
    /* The key that no other beats. */
    template <typename Key>
    static constexpr Key best = extreme<Key>::lowest;
};

struct greatest {
    template <typename Key>
    __host__ __device__ static bool better(Key a, Key b)
    {
        return b < a;
    }
    template <typename T>
    __host__ __device__ static T of(T a, T b)
    {
        return maximum(a, b);
    }
    template <typename Key>
    static constexpr Key best = extreme<Key>::highest;
};

template <class Extreme>
struct first_of {
    template <typename Candidate>
    __host__ __device__ static Candidate identity()
    {
        return {0, NO_INDEX};
    }
    template <typename Candidate>
    __host__ __device__ static Candidate combine(Candidate a, Candidate b)
    {
        const bool b_wins =
            b.index != NO_INDEX && (a.index == NO_INDEX || Extreme::better(b.key, a.key) ||
                                    (b.key == a.key && b.index < a.index));
        return b_wins ? b : a;
    }
};

template <typename In, class Extreme>
struct candidates {
    using element = In;
    using number = working_t<In>;
    using key = key_t<number>;
    using value = candidate<key>;
    using loaded = vector<In>;
    static constexpr unsigned tile_blocks = sizeof(key) == 8 ? 4 : 6;

    /* In any order the first one is the same. So vectors are those of memory: a line that does not
     * begin at one has elements in front of it, which count for indices, but are none of it. */
    static constexpr bool aligned = true;

    const In *in;
    unsigned front;
    prim_transform transform;

    template <class Operator>
    __host__ __device__ static value identity()
    {
        return Operator::template identity<value>();
    }

    __host__ __device__ bool plain() const
    {
        return transform == PRIM_TRANSFORM_NONE;
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

    template <bool PLAIN, typename Element>
    __host__ __device__ key key_from(Element element) const
    {
        number x = converted<In>(element);
        if (!PLAIN)
            x = transformed(x, transform);
        if constexpr (std::is_integral<number>::value)
            return x;
        else
            return is_nan(x) ? Extreme::template best<key> : ordered_bits(same_bits<key>(x));
    }

    /* A partial's elements come in ascending order of index, so only a better one replaces it. */
    template <bool PLAIN>
    __host__ __device__ value take_one(value so_far, In element, size_t index) const
    {
        const key k = key_from<PLAIN>(element);
        const bool wins = so_far.index == NO_INDEX || Extreme::better(k, so_far.key);
        return wins ? value{k, index} : so_far;
    }

    /* The vector's own best and its place, key by key. */
    template <bool PLAIN>
    __device__ void find_best(const loaded &x, key *best, unsigned *at) const
    {
        *best = key_from<PLAIN>(element_of(x, 0));
        *at = 0;
        for (unsigned e = 1; e < VECTOR_ELEMENTS<In>; e++) {
            const key k = key_from<PLAIN>(element_of(x, e));
            const bool wins = Extreme::better(k, *best);
            *best = wins ? k : *best;
            *at = wins ? e : *at;
        }
    }

    /* The same for floats, by the minimum instruction, without keys; where the result is NaN, key
     * by key. */
    __device__ void find_best_float(const loaded &x, key *best, unsigned *at) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<In>;
        number extreme = element_of(x, 0);
        for (unsigned e = 1; e < WIDTH; e++)
            extreme = Extreme::of(extreme, static_cast<number>(element_of(x, e)));
        if (is_nan(extreme)) {
            find_best<true>(x, best, at);
            return;
        }
        *best = ordered_bits(same_bits<key>(extreme));
        *at = WIDTH - 1;
        for (unsigned e = WIDTH - 1; e-- > 0;) {
            const number element = element_of(x, e);
            *at = same_bits<key>(element) == same_bits<key>(extreme) ? e : *at;
        }
    }

    template <class, bool PLAIN>
    __device__ value take(value so_far, const loaded &x, size_t index) const
    {
        key best;
        unsigned at; /* 32 bits: the 64-bit index is updated once for each vector */
        if constexpr (PLAIN && !std::is_integral<number>::value)
            find_best_float(x, &best, &at);
        else
            find_best<PLAIN>(x, &best, &at);
        const bool wins = so_far.index == NO_INDEX || Extreme::better(best, so_far.key);
        return wins ? value{best, index + at} : so_far;
    }

    template <class>
    __host__ __device__ value take_some(value so_far, size_t at, size_t index, unsigned count) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<In>;
        In x[WIDTH] = {};
        load_some(&in[at], count, x);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (e < count)
                so_far = take_one<false>(so_far, x[e], index + e);
        return so_far;
    }
};

/* The element of a candidate's key. */
template <typename In, class Extreme>
__host__ __device__ In element_with_key(key_t<working_t<In>> key)
{
    using number = working_t<In>;
    if constexpr (std::is_integral<number>::value)
        return static_cast<In>(key);
    else
        return finished<In>(same_bits<number>(ordered_bits(key)));
}

} // namespace

#endif
