/* Rows of up to a tile and a half: a warp for each, or some lanes of one.
 *
 * A block copies its rows into shared memory, where a vector may begin at any element: global
 * memory is read by aligned vectors, whatever the pointer and the leading dimension. Several blocks
 * share a multiprocessor, so that some load while others combine.
 *
 *     global     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     rows of 14: vectors of both lie across 16 bytes
 *     shared     ··│▒▒▒▒ ▒▒▒▒ ▒▒▒▒ ▒▒│▒▒ ▒▒▒▒ …     the same, as far past 16 bytes
 *     lanes         0    1    2    3    0    1      splice each vector from two aligned ones
 *
 * A thread has a row of up to four elements, or of 16 bytes of narrow ones, to itself: with gaps
 * between rows it reads it from memory, without gaps out of shared memory too. With gaps, wide
 * elements may be four vectors. Longer rows of narrow integers are read word by word, since nothing
 * then has to be spliced. */
#ifndef PRIM_REDUCE_WARP_ROWS_CUH
#define PRIM_REDUCE_WARP_ROWS_CUH

#include "common/async_copy.cuh"
#include "common/end_pieces.cuh"
#include "common/part_vector.cuh"
#include "reduce/tile.cuh"

namespace
{

/* ---- into shared memory ---- */

/* What is the same for all rows. */
struct short_rows {
    size_t count, ld, rows;
    unsigned block_rows; /* of a block */
    unsigned lanes;      /* for a row, a power of two */
    unsigned parts;      /* partials of a lane, a power of two */
    unsigned pitch; /* elements from row to row in shared memory; 0: rows stay where they are */
    unsigned across_bits; /* 2^across_bits threads copy a row */
    bool by_words;        /* each lane then reads a part of a row, or all of it, word by word */
};

/* The part of a line that is copied by vectors, counted from the one that it begins in. */
struct whole_vectors {
    unsigned past, begin, end; /* elements from a 16-byte boundary to the line's first; vectors */
};

/* `open`: elements around the line may be read too. */
template <typename T>
__device__ whole_vectors whole_vectors_of(const T *line, unsigned count, bool open)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned past = bytes_past_vector(line) / sizeof(T);
    const unsigned begin = past > 0 && !open ? 1 : 0,
                   end = (past + count + (open ? WIDTH - 1 : 0)) / WIDTH;
    return {past, begin, end < begin ? begin : end};
}

/* Copies vectors x, x + across, … `to` lies as far past a 16-byte boundary as `from`. */
template <typename T>
__device__ void stage_vectors(T *to, const T *from, const whole_vectors &whole, unsigned x,
                              unsigned across)
{
    const vector<T> *const vectors = reinterpret_cast<const vector<T> *>(from - whole.past);
    vector<T> *const slots = reinterpret_cast<vector<T> *>(to - whole.past);
    PRIM_UNROLL(4)
    for (unsigned v = whole.begin + x; v < whole.end; v += across)
        copy_async(&slots[v], &vectors[v]);
}

/* The elements before the whole vectors (number 0) or after them (1), of a line that has a boundary
 * of 16 bytes in it or at an end. Pieces of four and eight bytes are copied on the way; shorter
 * ones are in registers until store(). */
template <typename T>
struct line_end {
    end_pieces<T> pieces;
    unsigned begin; /* elements from the line's first */
    uint16_t two;
    uint8_t one;

    template <typename Piece>
    __device__ Piece *piece_at(T *to) const
    {
        return reinterpret_cast<Piece *>(reinterpret_cast<unsigned char *>(to) +
                                         pieces.template place<Piece>());
    }
    template <typename Piece>
    __device__ const Piece *piece_at(const T *from) const
    {
        return reinterpret_cast<const Piece *>(reinterpret_cast<const unsigned char *>(from) +
                                               pieces.template place<Piece>());
    }
    template <typename Piece>
    __device__ bool has() const
    {
        return pieces.template has<Piece>();
    }

    __device__ void load(T *to, const T *from, unsigned line_count, unsigned which)
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
        const whole_vectors whole = whole_vectors_of(from, line_count, false);
        const unsigned before = whole.begin * WIDTH - whole.past,
                       behind = whole.end * WIDTH - whole.past;
        pieces.number = which;
        pieces.bytes =
            (which == 0 ? before : line_count - behind) * static_cast<unsigned>(sizeof(T));
        begin = which == 0 ? 0 : behind;
        from += begin;
        to += begin;
        if (has<uint64_t>())
            copy_async(piece_at<uint64_t>(to), piece_at<uint64_t>(from));
        if (has<uint32_t>())
            copy_async(piece_at<uint32_t>(to), piece_at<uint32_t>(from));
        if (has<uint16_t>())
            two = *piece_at<uint16_t>(from);
        if (has<uint8_t>())
            one = *piece_at<uint8_t>(from);
    }

    __device__ void store(T *to) const
    {
        to += begin;
        if (has<uint16_t>())
            *piece_at<uint16_t>(to) = two;
        if (has<uint8_t>())
            *piece_at<uint8_t>(to) = one;
    }
};

/* Of rows with gaps, the ends first to first + 256, first + 512, … of a thread. */
template <typename T>
struct line_ends {
    static constexpr unsigned AT_ONCE = IS_NARROW<T> ? 4 : 1;

    line_end<T> ends[AT_ONCE];

    __device__ void load(T *to, const T *from, const short_rows &shape, unsigned rows,
                         unsigned first)
    {
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++) {
            const unsigned i = first + j * PARTIALS;
            ends[j] = {};
            if (i < 2 * rows)
                ends[j].load(to + i / 2 * shape.pitch, from + i / 2 * shape.ld,
                             static_cast<unsigned>(shape.count), i % 2);
        }
    }
    __device__ void store(T *to, const short_rows &shape, unsigned rows, unsigned first) const
    {
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++) {
            const unsigned i = first + j * PARTIALS;
            if (i < 2 * rows)
                ends[j].store(to + i / 2 * shape.pitch);
        }
    }
};

/* The whole vectors of rows with gaps. */
template <typename T>
__device__ void stage_row_vectors(T *to, const T *from, const short_rows &shape, unsigned rows)
{
    const unsigned across = 1u << shape.across_bits, x = threadIdx.x & (across - 1);
    for (unsigned row = threadIdx.x >> shape.across_bits; row < rows; row += PARTIALS / across) {
        const T *const line = from + row * shape.ld;
        stage_vectors(to + row * shape.pitch, line,
                      whole_vectors_of(line, static_cast<unsigned>(shape.count), false), x, across);
    }
}

/* Rows with gaps. Of narrow elements the first ends are loaded before all, since the thread waits
 * for these. */
template <typename T>
__device__ void stage_rows(T *to, const T *from, const short_rows &shape, unsigned rows)
{
    constexpr unsigned STEP = line_ends<T>::AT_ONCE * PARTIALS;
    line_ends<T> ends;
    unsigned i = threadIdx.x;
    if constexpr (IS_NARROW<T>)
        ends.load(to, from, shape, rows, i);
    stage_row_vectors(to, from, shape, rows);
    if constexpr (IS_NARROW<T>) {
        ends.store(to, shape, rows, i);
        i += STEP;
    }
    PRIM_UNROLL(1)
    for (; i < 2 * rows; i += STEP) {
        ends.load(to, from, shape, rows, i);
        ends.store(to, shape, rows, i);
    }
}

/* Rows without gaps are one line with other rows around it, except in the first block, and in the
 * last ones, after which less than a vector is left: these copy the elements at the matrix's ends
 * one by one. */
template <typename T>
__device__ void stage_span(T *to, const T *from, unsigned count, bool first, bool last)
{
    if (count < VECTOR_ELEMENTS<T>) {
        if (threadIdx.x < count)
            to[threadIdx.x] = from[threadIdx.x];
        return;
    }
    line_end<T> end = {};
    const bool open = !first && !last;
    if (!open && threadIdx.x < 2)
        end.load(to, from, count, threadIdx.x);
    stage_vectors(to, from, whole_vectors_of(from, count, open), threadIdx.x, PARTIALS);
    end.store(to);
}

/* ---- partials ---- */

/* Combines the first `count` elements of a vector, in which bytes to add have zeros behind them. */
template <class Operator, class Source>
__device__ typename Source::value take_first(const Source &source, typename Source::value so_far,
                                             const typename Source::loaded &x, unsigned count)
{
    if constexpr (ADDS_BYTES<Operator, typename Source::element>)
        if (source.plain())
            return source.template take<Operator, true>(so_far, x, 0);
    PRIM_UNROLL(VECTOR_ELEMENTS<typename Source::element>)
    for (unsigned e = 0; e < VECTOR_ELEMENTS<typename Source::element>; e++)
        if (e < count)
            so_far = source.template take_one<Operator, false>(so_far, element_of(x, e));
    return so_far;
}

/* Combines the first `left` elements of a vector, or all of one if there are more. */
template <class Operator, class Source>
__device__ typename Source::value take_vector(const Source &source, typename Source::value so_far,
                                              vector<typename Source::element> x, unsigned left)
{
    using element = typename Source::element;
    if (left >= VECTOR_ELEMENTS<element> && source.plain())
        return source.template take<Operator, true>(so_far, x, 0);
    if constexpr (ADDS_BYTES<Operator, element>)
        x = first_bytes(x, left);
    return take_first<Operator>(source, so_far, x, left);
}

/* Combines vectors v, v + 256, … of a row in shared memory. */
template <class Operator, class Source>
__device__ typename Source::value partial_of_row(const Source &source,
                                                 const typename Source::element *row,
                                                 unsigned count, unsigned v)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
    const unsigned past = bytes_past_vector(row);
    const vector<element> *const vectors =
        reinterpret_cast<const vector<element> *>(row - past / sizeof(element));
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (; v * WIDTH < count; v += PARTIALS) {
        vector<element> x = vectors[v];
        if (past > 0)
            x = spliced<element>(x, vectors[v + 1], past);
        so_far = take_vector<Operator>(source, so_far, x, count - v * WIDTH);
    }
    return so_far;
}

/* A lane takes its partials in bit-reversed order, 0 4 2 6 1 5 3 7 for eight, so that partials
 * which combine follow each other, and keeps up to three values that wait for their partner. */
template <typename Value>
struct waiting_values {
    Value one, two, four;

    /* true once `value` is the aggregate of all `parts`, up to eight. */
    template <class Operator>
    __device__ bool meet(unsigned step, unsigned parts, Value &value)
    {
        if (parts > 1) {
            if ((step & 1) == 0) {
                one = value;
                return false;
            }
            value = Operator::combine(one, value);
        }
        if (parts > 2) {
            if ((step & 2) == 0) {
                two = value;
                return false;
            }
            value = Operator::combine(two, value);
        }
        if (parts > 4) {
            if ((step & 4) == 0) {
                four = value;
                return false;
            }
            value = Operator::combine(four, value);
        }
        return true;
    }
};

constexpr unsigned MOST_PARTS = 8;

/* A row of up to 256 vectors, not of bytes, that are not transformed: a partial is one vector. */
template <class Operator, class Source>
struct plain_row {
    using element = typename Source::element;
    using value = typename Source::value;
    const Source &source;
    const vector<element> *vectors; /* in the first one, the row begins `past` bytes later */
    unsigned past, count, lane, lanes, parts;

    /* ONE_BY_ONE: instead of a vector that is spliced from two. */
    template <bool ONE_BY_ONE>
    __device__ value partial(unsigned v) const
    {
        constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>;
        value so_far = Source::template identity<Operator>();
        if (v * WIDTH >= count)
            return so_far;
        if constexpr (ONE_BY_ONE) {
            const element *const first =
                reinterpret_cast<const element *>(vectors + v) + past / sizeof(element);
            PRIM_UNROLL(WIDTH)
            for (unsigned e = 0; e < WIDTH; e++)
                if (v * WIDTH + e < count)
                    so_far = source.template take_one<Operator, true>(so_far, first[e]);
            return so_far;
        }
        vector<element> x = vectors[v];
        if (past > 0)
            x = spliced<element>(x, vectors[v + 1], past);
        PRIM_UNROLL(WIDTH)
        for (unsigned e = 0; e < WIDTH; e++)
            if (v * WIDTH + e < count)
                so_far = source.template take_one<Operator, true>(so_far, element_of(x, e));
        return so_far;
    }

    /* Of this lane's parts `part`, part + STRIDE, …: halves first. */
    template <unsigned STRIDE, bool ONE_BY_ONE>
    __device__ value aggregate(unsigned part) const
    {
        if constexpr (STRIDE == MOST_PARTS) {
            return partial<ONE_BY_ONE>(lane + part * lanes);
        } else {
            const value first = aggregate<2 * STRIDE, ONE_BY_ONE>(part);
            return STRIDE < parts
                       ? Operator::combine(first, aggregate<2 * STRIDE, ONE_BY_ONE>(part + STRIDE))
                       : first;
        }
    }
};

/* The last three bits of step reversed; with fewer parts, the upper ones of these. */
__device__ inline unsigned part_at(unsigned step, unsigned parts)
{
    return ((step & 1) << 2 | (step & 2) | (step >> 2 & 1)) * parts / MOST_PARTS;
}

/* The value of a tile of a row; the first lane's is right. */
template <class Operator, class Source>
__device__ typename Source::value
reduce_staged_tile(const Source &source, const typename Source::element *tile,
                   const short_rows &shape, unsigned count, unsigned lane)
{
    using element = typename Source::element;
    if constexpr (sizeof(element) > 1) {
        if (source.plain() && shape.count <= PARTIALS * VECTOR_ELEMENTS<element>) {
            const unsigned past = bytes_past_vector(tile);
            const plain_row<Operator, Source> row = {
                source,
                reinterpret_cast<const vector<element> *>(tile - past / sizeof(element)),
                past,
                count,
                lane,
                shape.lanes,
                shape.parts};
            if constexpr (sizeof(element) == 2)
                if (shape.lanes == 1 && shape.pitch % 2 == 1) /* so that banks differ */
                    return row.template aggregate<1, true>(0);
            return reduce_warp<Operator>(row.template aggregate<1, false>(0), shape.lanes);
        }
    }
    waiting_values<typename Source::value> waiting = {};
    PRIM_UNROLL(1)
    for (unsigned step = 0;; step++) {
        const unsigned v = lane + part_at(step, shape.parts) * shape.lanes;
        typename Source::value so_far = partial_of_row<Operator>(source, tile, count, v);
        if (waiting.template meet<Operator>(step, shape.parts, so_far))
            return reduce_warp<Operator>(so_far, shape.lanes);
    }
}

/* Tiles' values are elements of one vector, and so combine one after the other. */
template <class Operator, class Source, class Result>
__device__ void reduce_staged_rows(const Source &source, const typename Source::element *staged,
                                   const short_rows &shape, size_t block_row, unsigned rows,
                                   const Result &result)
{
    using value = typename Source::value;
    constexpr unsigned TILE = TILE_VECTORS * VECTOR_ELEMENTS<typename Source::element>;
    const unsigned lane = threadIdx.x & (shape.lanes - 1),
                   count = static_cast<unsigned>(shape.count);
    const unsigned at_once = PARTIALS / shape.lanes;
    for (unsigned first = 0; first < rows; first += at_once) {
        const unsigned row = first + threadIdx.x / shape.lanes;
        value so_far = Source::template identity<Operator>();
        PRIM_UNROLL(1)
        for (unsigned begin = 0; begin < count; begin += TILE) {
            const unsigned left = count - begin, own = left < TILE ? left : TILE;
            so_far = Operator::combine(
                so_far, reduce_staged_tile<Operator>(source, &staged[row * shape.pitch + begin],
                                                     shape, row < rows ? own : 0, lane));
        }
        if (row < rows && lane == 0)
            result.store(block_row + row, so_far);
    }
}

/* ---- a row of few elements for each thread ---- */

/* Rows of up to so many elements, which are one partial. */
template <typename T>
constexpr unsigned FEW_ELEMENTS = IS_NARROW<T> || VECTOR_ELEMENTS<T> < 4 ? VECTOR_ELEMENTS<T> : 4;

/* Each thread has eight rows, or four of wide values. */
template <typename Value>
constexpr unsigned ROWS_A_THREAD = sizeof(Value) == 8 ? 4 : 8;

/* Element by element, of all rows at once. */
template <class Operator, class Source, class Result>
__device__ void reduce_few_elements(const Source &source, const short_rows &shape, size_t block_row,
                                    unsigned rows, const Result &result)
{
    constexpr unsigned ROWS = ROWS_A_THREAD<typename Source::value>;
    typename Source::value so_far[ROWS];
    PRIM_UNROLL(ROWS)
    for (unsigned j = 0; j < ROWS; j++)
        so_far[j] = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned i = 0; i < shape.count; i++) {
        typename Source::element x[ROWS] = {};
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++) {
            const unsigned row = threadIdx.x + j * PARTIALS;
            if (row < rows)
                x[j] = source.in[(block_row + row) * shape.ld + i];
        }
        PRIM_UNROLL(ROWS)
        for (unsigned j = 0; j < ROWS; j++)
            so_far[j] = source.template take_one<Operator, false>(so_far[j], x[j]);
    }
    PRIM_UNROLL(ROWS)
    for (unsigned j = 0; j < ROWS; j++) {
        const unsigned row = threadIdx.x + j * PARTIALS;
        if (row < rows)
            result.store(block_row + row, so_far[j]);
    }
}

/* Of a row's elements, those in vector v. */
template <typename T>
__device__ unsigned in_vector(unsigned count, unsigned v)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned left = count < v * WIDTH ? 0 : count - v * WIDTH;
    return left < WIDTH ? left : WIDTH;
}

/* The first elements of a vector, wide ones from a boundary of 16 bytes: all, or two and one. */
template <typename T>
__device__ vector<T> first_of_vector(const T *from, unsigned count)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    if (count == WIDTH)
        return *reinterpret_cast<const vector<T> *>(from);
    struct alignas(2 * sizeof(T)) pair {
        T first, second;
    };
    pair two = {};
    T one = {};
    if (WIDTH > 2 && (count & 2) != 0)
        two = *reinterpret_cast<const pair *>(from);
    if ((count & 1) != 0)
        one = from[count & 2];
    vector<T> x = {};
    set_element(x, 0, count > 1 ? two.first : one);
    if constexpr (WIDTH > 2) {
        set_element(x, 1, two.second);
        set_element(x, 2, one);
    }
    return x;
}

/* Two vectors of a row of wide elements that begins at one, v and one in the row's second half. */
template <class Source>
struct two_vectors {
    using element = typename Source::element;
    vector<element> first, second;
    unsigned in_first, in_second;

    __device__ void load(const element *row, unsigned count, unsigned v, unsigned behind)
    {
        in_first = in_vector<element>(count, v);
        in_second = in_vector<element>(count, v + behind);
        first = reinterpret_cast<const vector<element> *>(row)[v];
        second = first_of_vector(row + (v + behind) * VECTOR_ELEMENTS<element>, in_second);
    }
    template <class Operator>
    __device__ typename Source::value aggregate(const Source &source) const
    {
        const auto identity = Source::template identity<Operator>();
        return Operator::combine(take_vector<Operator>(source, identity, first, in_first),
                                 take_vector<Operator>(source, identity, second, in_second));
    }
};

/* Wide elements of rows with gaps that begin at vectors, more than V / 2 of them and up to V: each
 * vector is a partial. Two vectors are on their way at a time, which is enough. */
template <unsigned V, class Operator, class Source, class Result>
__device__ void reduce_vectors(const Source &source, const short_rows &shape, size_t block_row,
                               unsigned rows, const Result &result)
{
    const unsigned count = static_cast<unsigned>(shape.count);
    const typename Source::element *from = source.in + (block_row + threadIdx.x) * shape.ld;
    PRIM_UNROLL(1)
    for (unsigned row = threadIdx.x; row < rows; row += PARTIALS, from += PARTIALS * shape.ld) {
        two_vectors<Source> x;
        x.load(from, count, 0, V / 2);
        typename Source::value so_far = x.template aggregate<Operator>(source);
        if (V > 2) {
            x.load(from, count, 1, V / 2);
            so_far = Operator::combine(so_far, x.template aggregate<Operator>(source));
        }
        result.store(block_row + row, so_far);
    }
}

/* Narrow elements of rows with gaps, two rows at a time. A thread's rows lie a multiple of four
 * rows apart, and so as far past a word. */
template <class Operator, class Source, class Result>
__device__ void reduce_few_parts(const Source &source, const short_rows &shape, size_t block_row,
                                 unsigned rows, const Result &result)
{
    using part = part_of_words<typename Source::element>;
    constexpr unsigned AT_ONCE = 2;
    const unsigned count = static_cast<unsigned>(shape.count);
    const typename Source::element *from = source.in + (block_row + threadIdx.x) * shape.ld;
    const part of_row(from, count);
    PRIM_UNROLL(1)
    for (unsigned row = threadIdx.x; row < rows; row += AT_ONCE * PARTIALS) {
        typename part::loaded x[AT_ONCE] = {};
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++, from += PARTIALS * shape.ld)
            if (row + j * PARTIALS < rows && count > 0)
                x[j] = of_row.load(from);
        PRIM_UNROLL(AT_ONCE)
        for (unsigned j = 0; j < AT_ONCE; j++)
            if (row + j * PARTIALS < rows)
                result.store(block_row + row + j * PARTIALS,
                             take_first<Operator>(source, Source::template identity<Operator>(),
                                                  of_row.elements(x[j]), count));
    }
}

/* ---- a row in shared memory for each thread, word by word ---- */

/* A row's words: shifted to where it begins. */
struct row_words {
    const uint32_t *words;
    unsigned past; /* bytes */
    uint32_t first;

    __device__ explicit row_words(const void *row)
        : words(reinterpret_cast<const uint32_t *>(static_cast<const unsigned char *>(row) -
                                                   reinterpret_cast<uintptr_t>(row) % WORD_BYTES)),
          past(static_cast<unsigned>(reinterpret_cast<uintptr_t>(row) % WORD_BYTES)), first(*words)
    {
    }
    __device__ uint32_t next()
    {
        const uint32_t second = *++words, word = bits_from(first, second, 8 * past);
        first = second;
        return word;
    }
};

/* Sums of bytes, four to an instruction. */
template <typename Byte>
__device__ int32_t sum_of_words(const Byte *row, unsigned count)
{
    row_words words(row);
    uint32_t sum = 0;
    PRIM_UNROLL(1)
    for (; count > WORD_BYTES; count -= WORD_BYTES)
        sum = sum_of_bytes<Byte>(words.next(), sum);
    return static_cast<int32_t>(
        sum_of_bytes<Byte>(words.next() & UINT32_MAX >> 8 * (WORD_BYTES - count), sum));
}

template <class Operator, class Source>
__device__ typename Source::value
value_of_words(const Source &source, const typename Source::element *row, unsigned count)
{
    using element = typename Source::element;
    constexpr unsigned IN_WORD = WORD_BYTES / sizeof(element);
    if constexpr (ADDS_BYTES<Operator, element>)
        if (source.plain())
            return static_cast<typename Source::value>(sum_of_words(row, count));
    row_words words(row);
    typename Source::value so_far = Source::template identity<Operator>();
    PRIM_UNROLL(1)
    for (unsigned e = 0; e < count; e += IN_WORD) {
        const packed<element, IN_WORD> x = {{words.next()}};
        PRIM_UNROLL(IN_WORD)
        for (unsigned i = 0; i < IN_WORD; i++)
            if (e + i < count)
                so_far = source.template take_one<Operator, false>(so_far, element_of(x, i));
    }
    return so_far;
}

template <class Operator, class Source, class Result>
__device__ void reduce_staged_words(const Source &source, const typename Source::element *staged,
                                    const short_rows &shape, size_t block_row, unsigned rows,
                                    const Result &result)
{
    const unsigned count = static_cast<unsigned>(shape.count);
    PRIM_UNROLL(1)
    for (unsigned row = threadIdx.x; row < rows; row += PARTIALS)
        result.store(block_row + row,
                     value_of_words<Operator>(source, staged + row * shape.pitch, count));
}

/* Words of a row's part, if `lanes` share it: an odd number, so that these lanes read from
 * different banks. */
template <typename T>
__host__ __device__ unsigned words_of_part(unsigned columns, unsigned lanes)
{
    constexpr unsigned IN_WORD = WORD_BYTES / sizeof(T);
    return (columns + lanes * IN_WORD - 1) / (lanes * IN_WORD) | 1;
}

/* Longer rows of integers, whose order counts for nothing: each lane has a part of a row. */
template <class Operator, class Source, class Result>
__device__ void reduce_staged_parts(const Source &source, const typename Source::element *staged,
                                    const short_rows &shape, size_t block_row, unsigned rows,
                                    const Result &result)
{
    using value = typename Source::value;
    using element = typename Source::element;
    const unsigned count = static_cast<unsigned>(shape.count), lanes = shape.lanes;
    const unsigned part = words_of_part<element>(count, lanes) * (WORD_BYTES / sizeof(element));
    const unsigned lane = threadIdx.x & (lanes - 1), begin = lane * part;
    const unsigned left = begin < count ? count - begin : 0, own = left < part ? left : part;
    PRIM_UNROLL(1)
    for (unsigned first = 0; first < rows; first += PARTIALS / lanes) {
        const unsigned row = first + threadIdx.x / lanes;
        value so_far = Source::template identity<Operator>();
        if (row < rows && own > 0)
            so_far = value_of_words<Operator>(source, staged + row * shape.pitch + begin, own);
        so_far = reduce_warp<Operator>(so_far, lanes);
        if (row < rows && lane == 0)
            result.store(block_row + row, so_far);
    }
}

/* ---- the kernel ---- */

/* Wide values and many elements to a vector need more registers. */
template <class Operator, class Source>
[[maybe_unused]] constexpr unsigned SHORT_ROW_BLOCKS =
    sizeof(typename Source::value) == 8                                             ? 4
    : IS_NARROW<typename Source::element> || Source::template turns_wider<Operator> ? 5
                                                                                    : 6;

template <class Operator, class Source, class Result>
__global__ void __launch_bounds__(PARTIALS,
                                  blocks_at_once(PARTIALS, SHORT_ROW_BLOCKS<Operator, Source>))
    reduce_short_rows(Source source, short_rows shape, Result result)
{
    using element = typename Source::element;
    PRIM_SHARED_DYNAMIC(element, staged);
    const size_t block_row = static_cast<size_t>(blockIdx.x) * shape.block_rows;
    const size_t left = shape.rows - block_row;
    const unsigned rows = left < shape.block_rows ? static_cast<unsigned>(left) : shape.block_rows;
    trigger_launch_completion();
    grid_dependency_synchronize();
    if (shape.pitch == 0) {
        if constexpr (IS_NARROW<element>)
            if (shape.count > 1) {
                reduce_few_parts<Operator>(source, shape, block_row, rows, result);
                return;
            }
        if constexpr (!IS_NARROW<element>)
            if (shape.count > FEW_ELEMENTS<element>) {
                if (shape.count <= 2 * VECTOR_ELEMENTS<element>)
                    reduce_vectors<2, Operator>(source, shape, block_row, rows, result);
                else
                    reduce_vectors<4, Operator>(source, shape, block_row, rows, result);
                return;
            }
        reduce_few_elements<Operator>(source, shape, block_row, rows, result);
        return;
    }
    const element *const from = source.in + block_row * shape.ld;
    element *const first = staged + bytes_past_vector(from) / sizeof(element);
    if (shape.ld == shape.count)
        stage_span(first, from, rows * static_cast<unsigned>(shape.count), block_row == 0,
                   (shape.rows - block_row - rows) * shape.count < VECTOR_ELEMENTS<element>);
    else
        stage_rows(first, from, shape, rows);
    wait_for_copies();
    __syncthreads();
    if constexpr (IS_NARROW<element>)
        if (shape.by_words) {
            if (std::is_integral<element>::value && shape.lanes > 1)
                reduce_staged_parts<Operator>(source, first, shape, block_row, rows, result);
            else
                reduce_staged_words<Operator>(source, first, shape, block_row, rows, result);
            return;
        }
    reduce_staged_rows<Operator>(source, first, shape, block_row, rows, result);
}

/* ---- the launch ---- */

/* So that a multiprocessor holds six blocks; and enough blocks for all multiprocessors. */
constexpr size_t MOST_STAGED_BYTES = 33 << 10, ENOUGH_BLOCKS = 264;

/* Elements from row to row in shared memory, at least: as far past 16 bytes as in memory. */
template <typename T>
unsigned least_pitch(size_t columns, size_t ld)
{
    return static_cast<unsigned>(columns + (ld - columns) % VECTOR_ELEMENTS<T>);
}

/* Narrow elements: rows of one vector; and longer ones whose order counts for nothing and that
 * would have to be spliced. Those that begin at vectors would meet in the same banks. */
template <typename T>
bool goes_by_words(size_t columns, size_t ld)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    return IS_NARROW<T> && (columns <= WIDTH || (std::is_integral<T>::value &&
                                                 least_pitch<T>(columns, ld) % WIDTH != 0));
}

/* How many threads of a warp at most read from one bank, if `lanes` have a row's parts. */
template <typename T>
unsigned threads_at_a_bank(unsigned columns, unsigned pitch, unsigned lanes)
{
    constexpr unsigned IN_WORD = WORD_BYTES / sizeof(T);
    const unsigned of_part = words_of_part<T>(columns, lanes);
    unsigned threads[WARP] = {}, most = 0;
    for (unsigned i = 0; i < WARP; i++) {
        const unsigned word = i / lanes * pitch / IN_WORD + i % lanes * of_part;
        const unsigned here = ++threads[word % WARP];
        most = here > most ? here : most;
    }
    return most;
}

/* How many lanes have a row's parts: so many that most threads have one, and more where eight
 * threads would read from one bank, which took 170 us for what four threads do in 140. */
template <typename T>
unsigned lanes_by_words(unsigned columns, unsigned pitch, unsigned rows)
{
    unsigned lanes = 1;
    while (lanes < WARP && rows * lanes < PARTIALS * 5 / 8)
        lanes *= 2;
    while (lanes < WARP && columns > VECTOR_ELEMENTS<T> &&
           threads_at_a_bank<T>(columns, pitch, lanes) > 4)
        lanes *= 2;
    return lanes;
}

/* Rows without gaps stay as they are, and so do those that are read by words. Others may lie an odd
 * number of vectors apart, so that lanes which read the same vector of neighbouring rows have no
 * bank conflicts. */
template <typename T>
unsigned staged_pitch(size_t columns, size_t ld, bool by_words)
{
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<T>;
    const unsigned pitch = least_pitch<T>(columns, ld);
    return ld != columns && pitch / WIDTH % 2 == 0 && !by_words ? pitch + WIDTH : pitch;
}

/* Whether threads read their rows from memory: those with gaps, and without gaps the shortest ones
 * of wide elements. Longer ones would need several loads of the same lines, which L1 may have lost
 * by then; but not vectors, one after the other. */
template <typename T>
bool goes_from_memory(const prim_reduce_args *args)
{
    const bool few = args->columns <= FEW_ELEMENTS<T>,
               gaps = args->columns != args->ld || args->columns == 0;
    if (!few)
        return !IS_NARROW<T> && gaps && args->columns <= 4 * VECTOR_ELEMENTS<T> &&
               lines_are_aligned(args->in, args->rows, args->ld * sizeof(T));
    return gaps || (!IS_NARROW<T> && args->columns * sizeof(T) <= VECTOR_BYTES / 2);
}

template <class Source>
short_rows shape_of_short_rows(const prim_reduce_args *args)
{
    using element = typename Source::element;
    constexpr unsigned WIDTH = VECTOR_ELEMENTS<element>, BANKS = 8; /* of 16 bytes */
    const size_t vectors = prim_divide_up(args->columns, WIDTH);
    short_rows shape = {args->columns,
                        args->ld,
                        args->rows,
                        ROWS_A_THREAD<typename Source::value> * PARTIALS,
                        1,
                        1,
                        0,
                        0,
                        false};
    if (goes_from_memory<element>(args))
        return shape;
    shape.by_words = goes_by_words<element>(args->columns, args->ld);
    shape.pitch = staged_pitch<element>(args->columns, args->ld, shape.by_words);
    shape.block_rows = static_cast<unsigned>(MOST_STAGED_BYTES / (shape.pitch * sizeof(element)));
    if constexpr (IS_NARROW<element>)
        if (shape.by_words)
            shape.lanes = lanes_by_words<element>(static_cast<unsigned>(args->columns), shape.pitch,
                                                  shape.block_rows);
    if (!shape.by_words) {
        while (shape.parts < MOST_PARTS && shape.parts < vectors)
            shape.parts *= 2;
        while (shape.lanes < WARP && shape.parts * shape.lanes < vectors)
            shape.lanes *= 2;
        while (shape.pitch % (BANKS * WIDTH) == 0 && shape.lanes < 4) {
            shape.lanes *= 2;
            shape.parts /= 2;
        }
    }
    while (shape.across_bits < 8 && 2u << shape.across_bits <= args->columns / WIDTH)
        shape.across_bits++;
    const unsigned at_once = PARTIALS / shape.lanes, least = WARP / shape.lanes;
    if (shape.block_rows > at_once)
        shape.block_rows -= shape.block_rows % at_once;
    while (shape.block_rows / 2 >= least &&
           prim_divide_up(args->rows, shape.block_rows) < ENOUGH_BLOCKS)
        shape.block_rows /= 2;
    return shape;
}

template <class Operator, class Source, class Result>
cudaError_t reduce_rows_at_once(const Source &source, const prim_reduce_args *args,
                                const Result &result)
{
    using element = typename Source::element;
    const short_rows shape = shape_of_short_rows<Source>(args);
    launch_config where = {args->call.stream,
                           static_cast<unsigned>(prim_divide_up(args->rows, shape.block_rows)),
                           PARTIALS};
    if (shape.pitch > 0) /* the last row's last vector may reach further, by three at most */
        where.shared_bytes = static_cast<size_t>(shape.block_rows) * shape.pitch * sizeof(element) +
                             3 * VECTOR_BYTES;
    return prim_launch_dependent(where, reduce_short_rows<Operator, Source, Result>, source, shape,
                                 result);
}

/* A few rows that are not very short get more threads as tiles. Of many, those a little longer than
 * a tile would have blocks for a few bytes each. */
template <typename T>
bool are_short_rows(const prim_reduce_args *args)
{
    constexpr size_t WIDTH = VECTOR_ELEMENTS<T>, MANY = 2048;
    return args->rows > 1 &&
           args->columns <= WIDTH * (args->rows < MANY ? PARTIALS / 2 : TILE_VECTORS * 3 / 2);
}

} // namespace

#endif
