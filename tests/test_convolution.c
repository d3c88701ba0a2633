/* convolution: every variant and type against an independent oracle. */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <primitives/convolution.h>

#include "calls.h"
#include "rungs.h"
#include "support.h"
#include "weights.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Of in and out; and which rungs besides REGISTER take them. */
typedef struct type_pair {
    cudaDataType_t in, out;
    bool is_textbook;
    cudaDataType_t integers; /* a mask's of them; 0: what weight_type() says */
} type_pair;

static const type_pair types[] = {
    {CUDA_R_32F, CUDA_R_32F, true, 0},        {CUDA_R_32I, CUDA_R_32I, true, 0},
    {CUDA_R_8U, CUDA_R_8U, true, 0},          {CUDA_R_32U, CUDA_R_32U, true, 0},
    {CUDA_R_64F, CUDA_R_64F, false, 0},       {CUDA_R_16F, CUDA_R_16F, false, 0},
    {CUDA_R_16U, CUDA_R_16U, false, 0},       {CUDA_R_8U, CUDA_R_32F, false, 0},
    {CUDA_R_8U, CUDA_R_8U, false, CUDA_R_8I}, {CUDA_R_8U, CUDA_R_8U, false, CUDA_R_16I}};
static const char *const boundary_names[] = {"constant", "clamp", "reflect", "reflect_101", "wrap"};
enum { BOUNDARIES = 5, MOST_CHANNELS = 4 };

static bool is_word(cudaDataType_t type)
{
    return type == CUDA_R_32I || type == CUDA_R_32U;
}

/* ---- one case: a call, its operands in host memory, and what is said of them ---- */

typedef struct extent {
    size_t width, height;
} extent;

typedef struct anchor {
    size_t x, y;
} anchor;

/* Which of the mask's pointers a call is given. */
typedef enum mask_place { ON_DEVICE = 1, ON_HOST = 2, ON_BOTH = 3 } mask_place;

typedef struct convolution {
    prim_convolution_variant variant;
    unsigned flags;
    prim_boundary boundary;
    cudaDataType_t type, out_type, integers;
    int32_t divisors[2]; /* of integers; the second one a column's */
    int channels;
    extent image, mask;
    anchor anchor;
    distribution distribution;
    bool has_fill, is_vector; /* is_vector: through the calls for vectors */
    bool is_separable;        /* the weights of a row, and after them those of a column */
    bool is_apart;            /* the row's are on the host, and the column's on the device */
    size_t in_gap, out_gap;   /* elements between rows */
    size_t offset;            /* elements by which the images miss the 256-byte boundary */
    mask_place place;
    uint64_t seed;
} convolution;

typedef struct arrays {
    char *in, *out, *mask; /* the images with their gaps */
    char fill[32];
    double unit; /* every product is a multiple of it; 0: of nothing in particular */
} arrays;

static cudaDataType_t weight_type(const convolution *c)
{
    const bool is_wide = is_word(c->type) || c->type == CUDA_R_64F;
    return c->integers != 0 ? c->integers : is_wide ? c->type : CUDA_R_32F;
}

static size_t row_elements(const convolution *c)
{
    return c->image.width * (size_t)c->channels;
}

static size_t pitch_of(const convolution *c, cudaDataType_t type, size_t gap)
{
    return (row_elements(c) + gap) * type_bytes(type);
}

static size_t in_pitch(const convolution *c)
{
    return pitch_of(c, c->type, c->in_gap);
}

static size_t out_pitch(const convolution *c)
{
    return pitch_of(c, c->out_type, c->out_gap);
}

static size_t image_bytes(const convolution *c, cudaDataType_t type, size_t gap)
{
    return c->image.height == 0 || c->image.width == 0
               ? 0
               : (c->image.height - 1) * pitch_of(c, type, gap) +
                     row_elements(c) * type_bytes(type);
}

static size_t in_bytes(const convolution *c)
{
    return image_bytes(c, c->type, c->in_gap);
}

static size_t out_bytes(const convolution *c)
{
    return image_bytes(c, c->out_type, c->out_gap);
}

static size_t weights(const convolution *c)
{
    return c->is_separable ? c->mask.width + c->mask.height : c->mask.width * c->mask.height;
}

/* Weights for bytes must be small and many of them fractions, or every sum would be 0 or 255. */
static double fill_weights_for_bytes(const convolution *c, float *h_mask)
{
    double unit = 0.5;
    while (unit * (double)weights(c) > 1)
        unit /= 2;
    for (size_t k = 0; k < weights(c); k++) {
        const uint64_t bits = random_bits(c->seed + k);
        h_mask[k] = c->distribution == INTEGERS && !c->is_separable
                        ? (float)(unit * ((double)(bits % 9) - 3))
                        : (float)((double)(int64_t)bits * 0x1p-63 + 0.3) / (float)weights(c) * 3;
    }
    return c->distribution == INTEGERS && !c->is_separable ? unit : 0;
}

/* Small ones, or those that the distribution has. */
static void fill_integers(const convolution *c, void *h_mask)
{
    fill(c->integers, h_mask, weights(c), c->distribution, c->seed + 77);
    for (size_t k = 0; c->distribution == INTEGERS && k < weights(c); k++)
        write_integer(c->integers, h_mask, k, random_bits(c->seed + k) % 9 - 3);
}

static double fill_mask(const convolution *c, void *h_mask)
{
    if (c->integers != 0) {
        fill_integers(c, h_mask);
        return 1;
    }
    const cudaDataType_t type = weight_type(c);
    const bool is_saturated = c->type == CUDA_R_8U || c->type == CUDA_R_16U;
    if (is_saturated && c->distribution != EXTREMES)
        return fill_weights_for_bytes(c, h_mask);
    fill(type, h_mask, weights(c), c->distribution, c->seed + 77);
    if (is_saturated || !type_is_float(type) || c->distribution != INTEGERS)
        return 0;
    for (size_t k = 0; k < weights(c); k++)
        write_float(type, h_mask, k, (double)(random_bits(c->seed + k) % 17) - 8);
    return 1;
}

/* Rows of the distribution, gaps that would show in any sum. */
static arrays make_arrays(const convolution *c)
{
    const size_t bytes = type_bytes(c->type), row_bytes = row_elements(c) * bytes;
    arrays a = {.in = malloc(in_bytes(c) + 1),
                .out = malloc(out_bytes(c) + 1),
                .mask = malloc(weights(c) * type_bytes(weight_type(c)))};
    memset(a.in, 0xff, in_bytes(c) + 1); /* NaN as f32 */
    for (size_t y = 0; y < c->image.height && row_bytes > 0; y++)
        fill(c->type, a.in + y * in_pitch(c), row_elements(c), c->distribution, c->seed + 1000 * y);
    fill(c->type, a.fill, MOST_CHANNELS, c->distribution, c->seed + 5);
    if (!c->has_fill)
        memset(a.fill, 0, sizeof a.fill);
    a.unit = fill_mask(c, a.mask);
    return a;
}

static void free_arrays(arrays *a)
{
    free(a->in);
    free(a->out);
    free(a->mask);
}

static void describe(const convolution *c, char *text, size_t bytes)
{
    snprintf(text, bytes,
             "%s %s → %s %s%s, %zu × %zu × %d with %zu × %zu at (%zu, %zu), gaps %zu %zu, fill %d, "
             "distribution %d, place %d, integers %s by %d and %d%s",
             prim_convolution_variant_info(c->variant)->name, type_name(c->type),
             type_name(c->out_type), boundary_names[c->boundary], c->flags ? " flipped" : "",
             c->image.width, c->image.height, c->channels, c->mask.width, c->mask.height,
             c->anchor.x, c->anchor.y, c->in_gap, c->out_gap, c->has_fill, (int)c->distribution,
             (int)c->place, c->integers != 0 ? type_name(c->integers) : "none", c->divisors[0],
             c->divisors[1], c->is_separable ? ", separable" : "");
}

/* ---- the oracle ---- */

/* The index that stands in for i, found by folding the line over; -1: the fill. */
static long long fold(prim_boundary boundary, long long i, long long n)
{
    while (i < 0 || i >= n)
        switch (boundary) {
        case PRIM_BOUNDARY_CLAMP:
            i += i < 0 ? 1 : -1;
            break;
        case PRIM_BOUNDARY_REFLECT:
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
            break;
        case PRIM_BOUNDARY_REFLECT_101:
            if (n == 1)
                return 0;
            i = i < 0 ? -i : 2 * n - 2 - i;
            break;
        case PRIM_BOUNDARY_WRAP:
            i += i < 0 ? n : -n;
            break;
        default:
            return -1;
        }
    return i;
}

static const char *element_at(const convolution *c, const arrays *a, long long x, long long y,
                              int channel)
{
    const long long from_x = fold(c->boundary, x, (long long)c->image.width);
    const long long from_y = fold(c->boundary, y, (long long)c->image.height);
    const size_t bytes = type_bytes(c->type);
    if (from_x < 0 || from_y < 0)
        return a->fill + (size_t)channel * bytes;
    return a->in + (size_t)from_y * in_pitch(c) +
           ((size_t)from_x * (size_t)c->channels + (size_t)channel) * bytes;
}

typedef struct expected {
    uint64_t integer; /* of i32 and u32; of masks of integers, with a sign */
    long double value, magnitude;
} expected;

static expected expect(const convolution *c, const arrays *a, long long x, long long y, int channel)
{
    const cudaDataType_t type = weight_type(c);
    const int step = c->flags & PRIM_CONVOLUTION_FLIP ? -1 : 1;
    expected e = {0};
    for (size_t j = 0; j < c->mask.height; j++)
        for (size_t i = 0; i < c->mask.width; i++) {
            const long long from_x = x + step * ((long long)i - (long long)c->anchor.x);
            const long long from_y = y + step * ((long long)j - (long long)c->anchor.y);
            const char *element = element_at(c, a, from_x, from_y, channel);
            const size_t k = c->is_separable ? i : j * c->mask.width + i, l = c->mask.width + j;
            if (is_word(c->type) || c->integers != 0) {
                e.integer += read_integer(c->type, element, 0) * read_integer(type, a->mask, k) *
                             (c->is_separable ? read_integer(type, a->mask, l) : 1);
                continue;
            }
            const long double value = type_is_float(c->type)
                                          ? read_float(c->type, element, 0)
                                          : (long double)read_integer(c->type, element, 0);
            const long double product = value * read_float(type, a->mask, k) *
                                        (c->is_separable ? read_float(type, a->mask, l) : 1);
            e.value += product;
            e.magnitude += fabsl(product);
        }
    if (is_word(c->type))
        e.integer = wrap_integer(c->type, e.integer);
    return e;
}

/* To even, saturated; 0 for NaN. */
static long double nearest_of(long double sum, long double most)
{
    return rintl(sum > 0 ? sum < most ? sum : most : 0);
}

static long double byte_of(long double sum)
{
    return nearest_of(sum, 255);
}

/* sum / divisors, exactly: to even, saturated. */
static int divided_byte(const convolution *c, int64_t sum)
{
    int64_t divisor = c->divisors[0] == 0 ? 1 : c->divisors[0];
    if (c->is_separable && c->divisors[1] != 0)
        divisor *= c->divisors[1];
    if (divisor < 0) {
        divisor = -divisor;
        sum = -sum;
    }
    if (sum <= 0)
        return 0;
    const int64_t floor = sum / divisor, twice = sum % divisor * 2;
    const int64_t nearest = floor + (twice > divisor || (twice == divisor && floor % 2 == 1));
    return nearest < 255 ? (int)nearest : 255;
}

/* What a sum of sums' type, within `bound` of the true one, may be stored as. */
static bool is_stored(cudaDataType_t type, const void *result, long double sum, long double bound)
{
    if (!type_is_float(type)) {
        const long double most = type == CUDA_R_8U ? 255 : 65535;
        const long double value = (long double)read_integer(type, result, 0);
        if (!isfinite(sum))
            return value == nearest_of(sum, most);
        return value >= nearest_of(sum - bound, most) && value <= nearest_of(sum + bound, most);
    }
    const long double value = read_float(type, result, 0);
    if (isnan(sum))
        return isnan(value);
    if (isinf(sum))
        return value == sum;
    if (type == CUDA_R_16F)
        return value >= round_to_type(type, sum - bound) &&
               value <= round_to_type(type, sum + bound);
    return fabsl(value - sum) <= bound; /* false for NaN */
}

static bool right(const convolution *c, const arrays *a, const expected *e, const void *result)
{
    if (c->integers != 0)
        return *(const uint8_t *)result == divided_byte(c, (int64_t)e->integer);
    if (is_word(c->type))
        return read_integer(c->type, result, 0) == e->integer;
    const long double u = unit_roundoff(weight_type(c)), n = (long double)weights(c) + 1;
    const bool exact = a->unit > 0 && e->magnitude * u <= a->unit;
    const long double bound = exact ? 0 : n * u / (1 - n * u) * e->magnitude;
    return is_stored(c->out_type, result, e->value, bound);
}

static void check_gaps(const convolution *c, const arrays *a, const char *text)
{
    const size_t row_bytes = row_elements(c) * type_bytes(c->out_type);
    for (size_t y = 0; y + 1 < c->image.height && row_bytes > 0; y++)
        for (size_t b = row_bytes; b < out_pitch(c); b++)
            cr_assert_eq((unsigned char)a->out[y * out_pitch(c) + b], GUARD_PATTERN,
                         "%s: wrote behind row %zu", text, y);
}

/* Every `every`th row and column, and all near the image's sides. */
static void check_answer(const convolution *c, const arrays *a, size_t every)
{
    char text[320];
    describe(c, text, sizeof text);
    for (size_t y = 0; y < c->image.height; y++)
        for (size_t x = 0; x < c->image.width; x++) {
            const bool near_x = x < 20 || x + 20 > c->image.width || x % every == 0;
            const bool near_y = y < 20 || y + 20 > c->image.height || y % every == 0;
            for (int channel = 0; near_x && near_y && channel < c->channels; channel++) {
                const expected e = expect(c, a, (long long)x, (long long)y, channel);
                const char *result =
                    a->out + y * out_pitch(c) +
                    (x * (size_t)c->channels + (size_t)channel) * type_bytes(c->out_type);
                cr_assert(right(c, a, &e, result), "%s: (%zu, %zu, %d), not %.9Lg or %lld", text, x,
                          y, channel, e.value, (long long)e.integer);
            }
        }
    check_gaps(c, a, text);
}

/* ---- running a case ---- */

static prim_image in_of(const convolution *c, const void *data)
{
    return (prim_image){(void *)(uintptr_t)data,
                        c->image.width,
                        c->image.height,
                        in_pitch(c),
                        c->channels,
                        c->type};
}

static prim_image out_of(const convolution *c, void *data)
{
    return (prim_image){data,         c->image.width, c->image.height,
                        out_pitch(c), c->channels,    c->out_type};
}

static prim_mask mask_of(const convolution *c, const void *h_values, const void *d_values)
{
    return (prim_mask){.h_values = c->place & ON_HOST ? h_values : NULL,
                       .d_values = c->place & ON_DEVICE ? d_values : NULL,
                       .width = c->mask.width,
                       .height = c->mask.height,
                       .anchor_x = c->anchor.x,
                       .anchor_y = c->anchor.y,
                       .type = weight_type(c),
                       .divisor = c->divisors[0]};
}

/* The two parts of a separable mask. */
static prim_mask row_of(const convolution *c, prim_mask mask)
{
    mask.height = 1;
    mask.anchor_y = 0;
    if (c->is_apart)
        mask.d_values = NULL;
    return mask;
}

static prim_mask column_of(const convolution *c, prim_mask mask)
{
    const size_t row_bytes = c->mask.width * type_bytes(mask.type);
    mask.width = 1;
    mask.anchor_x = 0;
    mask.divisor = c->divisors[1];
    if (mask.h_values != NULL)
        mask.h_values = (const char *)mask.h_values + row_bytes;
    if (mask.d_values != NULL)
        mask.d_values = (const char *)mask.d_values + row_bytes;
    if (c->is_apart)
        mask.h_values = NULL;
    return mask;
}

/* Where it is not looked at, a pointer to nowhere. */
static const void *fill_of(const convolution *c, const arrays *a)
{
    return c->boundary != PRIM_BOUNDARY_CONSTANT ? (const void *)1 : c->has_fill ? a->fill : NULL;
}

/* The operands of a call on the device; a workspace of NULL and 0 is the pool's. */
typedef struct places {
    const void *d_in, *d_mask;
    void *d_out, *d_workspace;
    size_t workspace_bytes;
} places;

static prim_status call(const convolution *c, const arrays *a, const places *p, cudaStream_t stream)
{
    const prim_mask mask = mask_of(c, a->mask, p->d_mask);
    if (c->is_separable)
        return prim_convolve_separable(c->variant, c->flags, c->boundary, fill_of(c, a),
                                       in_of(c, p->d_in), row_of(c, mask), column_of(c, mask),
                                       out_of(c, p->d_out),
                                       with(stream, p->d_workspace, p->workspace_bytes));
    if (c->is_vector)
        return prim_convolve_1d(c->variant, c->flags, c->boundary, fill_of(c, a), c->type, p->d_in,
                                c->image.width, mask, p->d_out,
                                with(stream, p->d_workspace, p->workspace_bytes));
    return prim_convolve_2d(c->variant, c->flags, c->boundary, fill_of(c, a), in_of(c, p->d_in),
                            mask, out_of(c, p->d_out),
                            with(stream, p->d_workspace, p->workspace_bytes));
}

static size_t workspace_of(const convolution *c, const arrays *a)
{
    const prim_mask mask = mask_of(c, a->mask, weights_to_ask_with());
    size_t bytes = 0;
    if (c->is_separable)
        cr_prim(asked_bytes(prim_convolve_separable(c->variant, c->flags, c->boundary, NULL,
                                                    in_of(c, NULL), row_of(c, mask),
                                                    column_of(c, mask), out_of(c, NULL), asking()),
                            &bytes));
    else if (c->is_vector)
        cr_prim(asked_bytes(prim_convolve_1d(c->variant, c->flags, c->boundary, NULL, c->type, NULL,
                                             c->image.width, mask, NULL, asking()),
                            &bytes));
    else
        cr_prim(asked_bytes(prim_convolve_2d(c->variant, c->flags, c->boundary, NULL,
                                             in_of(c, NULL), mask, out_of(c, NULL), asking()),
                            &bytes));
    return bytes;
}

static prim_status convolve_on_host(const convolution *c, arrays *a, int threads)
{
    const prim_mask mask = mask_of(c, a->mask, NULL);
    const prim_image in = in_of(c, a->in), out = out_of(c, a->out);
    if (c->is_separable)
        return prim_convolve_separable_host(c->flags, c->boundary, fill_of(c, a), in,
                                            row_of(c, mask), column_of(c, mask), out, threads);
    return c->is_vector ? prim_convolve_1d_host(c->flags, c->boundary, fill_of(c, a), c->type,
                                                a->in, c->image.width, mask, a->out, threads)
                        : prim_convolve_2d_host(c->flags, c->boundary, fill_of(c, a), in, mask, out,
                                                threads);
}

static bool supports(const convolution *c)
{
    const void *const weights = weights_to_ask_with();
    const prim_mask mask = mask_of(c, weights, weights);
    if (c->is_separable)
        return runs(prim_convolve_separable(c->variant, c->flags, c->boundary, NULL, in_of(c, NULL),
                                            row_of(c, mask), column_of(c, mask), out_of(c, NULL),
                                            asking()));
    return c->is_vector ? runs(prim_convolve_1d(c->variant, c->flags, c->boundary, NULL, c->type,
                                                NULL, c->image.width, mask, NULL, asking()))
                        : runs(prim_convolve_2d(c->variant, c->flags, c->boundary, NULL,
                                                in_of(c, NULL), mask, out_of(c, NULL), asking()));
}

static bool is_textbook(const convolution *c)
{
    return c->type == c->out_type && c->integers == 0 &&
           (is_word(c->type) || c->type == CUDA_R_32F || c->type == CUDA_R_8U);
}

/* From compute capability 8.0 on, masks of integers of up to 15 × 15 from the host. */
static bool has_tensor_cores(void)
{
    int device, major;
    cr_cuda(cudaGetDevice(&device));
    cr_cuda(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    return major >= 8;
}

/* The rungs that take floats; NULL after the last. */
static const prim_variant *variant_of_floats_at(size_t index)
{
    const prim_variant *variant;
    for (size_t v = 0; (variant = prim_convolution_variant_at(v)) != NULL; v++)
        if (variant->value != PRIM_CONVOLUTION_TENSOR && index-- == 0)
            return variant;
    return NULL;
}

/* What the header says of the rungs. */
static bool should_support(const convolution *c)
{
    const bool constant = (c->place & ON_HOST) && weights(c) <= 8000;
    const bool device = (c->place & ON_DEVICE) != 0;
    const bool small_sides = c->mask.width <= 16 && c->mask.height <= 16;
    if (c->is_separable)
        return convolution_rung_has(c->variant, TAKES_ALL_CALLS) ||
               (c->variant == PRIM_CONVOLUTION_SMALL && (c->place & ON_HOST) && small_sides);
    switch (c->variant) {
    case PRIM_CONVOLUTION_SMALL:
        return (c->place & ON_HOST) && weights(c) <= 256;
    case PRIM_CONVOLUTION_CONSTANT:
        return constant && is_textbook(c);
    case PRIM_CONVOLUTION_TILED_HALO:
        return device && is_textbook(c) && c->mask.width <= 15 && c->mask.height <= 15;
    case PRIM_CONVOLUTION_TENSOR:
        return (c->place & ON_HOST) && c->integers != 0 && c->mask.width <= 15 &&
               c->mask.height <= 15 && has_tensor_cores();
    default:
        return convolution_rung_has(c->variant, TAKES_ALL_TYPES) || (device && is_textbook(c));
    }
}

static void run(const convolution *c, arrays *a)
{
    const size_t weight_bytes = type_bytes(weight_type(c));
    guarded in = guarded_copy(a->in, in_bytes(c), c->offset * type_bytes(c->type));
    guarded out = guarded_new(out_bytes(c), c->offset * type_bytes(c->out_type));
    guarded mask = guarded_copy(a->mask, weights(c) * weight_bytes, weight_bytes);
    const size_t bytes = should_support(c) ? workspace_of(c, a) : 0;
    const bool is_own = c->seed % 2 == 0 && bytes > 0;
    guarded workspace = guarded_new(is_own ? bytes : 0, 0);
    const places p = {in.data, mask.data, out.data, is_own ? workspace.data : NULL,
                      is_own ? bytes : 0};
    const uint64_t others = submissions_to_others();
    const prim_status status = call(c, a, &p, own_stream());
    char text[320];
    describe(c, text, sizeof text);
    cr_assert_eq(submissions_to_others(), others, "%s: used another stream", text);
    cr_cuda(cudaStreamSynchronize(own_stream()));
    cr_assert_eq(status, should_support(c) ? PRIM_OK : PRIM_ERROR_UNSUPPORTED, "%s: %s", text,
                 prim_last_error(NULL));
    cr_assert_eq(supports(c), should_support(c), "%s", text);
    if (status != PRIM_OK)
        cr_assert(guarded_untouched(&out));
    guarded_read(&out, a->out);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&mask);
    guarded_free(&workspace);
}

static void check(const convolution *c, size_t every)
{
    if (!is_of_share())
        return;
    arrays a = make_arrays(c);
    run(c, &a);
    if (should_support(c))
        check_answer(c, &a, every);
    free_arrays(&a);
}

static size_t count_multiprocessors(void)
{
    int count = 0;
    cr_cuda(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return (size_t)count;
}

/* ---- every variant and type, one test each ---- */

typedef struct combination {
    prim_convolution_variant variant;
    cudaDataType_t type, out_type, integers;
} combination;

/* Does any call of it run? */
static bool is_any(prim_convolution_variant variant, const type_pair *pair)
{
    if (variant == PRIM_CONVOLUTION_TENSOR)
        return pair->integers != 0 && has_tensor_cores();
    return pair->is_textbook || convolution_rung_has(variant, TAKES_ALL_TYPES);
}

static struct criterion_test_params combinations(void)
{
    static combination rows[64];
    size_t count = 0;
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++)
        for (size_t t = 0; t < COUNT_OF(types); t++)
            if (is_any(prim_convolution_variant_at(v)->value, &types[t]))
                rows[count++] = (combination){prim_convolution_variant_at(v)->value, types[t].in,
                                              types[t].out, types[t].integers};
    return cr_make_param_array(combination, rows, count);
}

static mask_place place_for(prim_convolution_variant variant, uint64_t bits)
{
    if (convolution_rung_has(variant, TAKES_ALL_CALLS))
        return (mask_place)(1 + bits % 3);
    return variant == PRIM_CONVOLUTION_CONSTANT || variant == PRIM_CONVOLUTION_TENSOR ||
                   variant == PRIM_CONVOLUTION_SMALL
               ? ON_HOST
               : ON_DEVICE;
}

static anchor anchor_for(extent mask, uint64_t bits)
{
    switch (bits % 4) {
    case 0:
        return (anchor){(mask.width - 1) / 2, (mask.height - 1) / 2};
    case 1:
        return (anchor){0, mask.height - 1};
    case 2:
        return (anchor){mask.width - 1, 0};
    default:
        return (anchor){bits / 4 % mask.width, bits / 1024 % mask.height};
    }
}

/* Such a divisor that sums are some bytes, more often than not. */
static int32_t likely_divisor(const convolution *c)
{
    const double most = 5e8, deviation = c->integers == CUDA_R_8I ? 74 : 18900;
    const double part = c->is_separable ? deviation * deviation : deviation;
    const double places = (double)(c->mask.width * c->mask.height);
    const double divisor = c->distribution == INTEGERS ? places : part * sqrt(places) / 2;
    return (int32_t)(divisor < 1 ? 1 : divisor > most ? most : divisor);
}

static void choose_divisors(convolution *c)
{
    static const int32_t few[] = {0, 1, -1, 2, 6, 256, -9, INT32_MIN}, others[] = {0, 1, 2, -3};
    const uint64_t bits = random_bits(c->seed + 9);
    if (c->integers == 0)
        return;
    c->divisors[0] = bits % 3 == 0 ? few[bits / 4 % 8] : likely_divisor(c) + (int)(bits / 4 % 2);
    if (bits % 3 == 1 && bits / 8 % 4 == 0)
        c->divisors[0] *= -1;
    const bool is_far = c->divisors[0] == INT32_MIN;
    c->divisors[1] = c->is_separable && !is_far ? others[bits / 64 % 4] : 0;
}

/* Everything that is not given, by chance; the same in every run. */
static convolution by_chance(const combination *k, prim_boundary boundary, extent image,
                             extent mask, uint64_t seed)
{
    const uint64_t bits = random_bits(seed);
    convolution c = {.variant = k->variant,
                     .flags = bits & 1 ? PRIM_CONVOLUTION_FLIP : 0,
                     .boundary = boundary,
                     .type = k->type,
                     .out_type = k->out_type,
                     .integers = k->integers,
                     .channels = 1 + (int)(bits >> 1 & 3),
                     .image = image,
                     .mask = mask,
                     .anchor = anchor_for(mask, bits >> 3 & 0xffff),
                     .distribution = (distribution)((bits >> 20) % DISTRIBUTION_COUNT),
                     .has_fill = bits >> 32 & 1,
                     .in_gap = (bits >> 33) % 3 * 2,
                     .out_gap = (bits >> 37) % 4,
                     .offset = (bits >> 41) % 3,
                     .place = place_for(k->variant, bits >> 45),
                     .seed = seed};
    c.is_vector = c.channels == 1 && image.height == 1 && mask.height == 1 && c.type == c.out_type;
    choose_divisors(&c);
    return c;
}

static const extent masks[] = {{1, 1}, {3, 3}, {5, 5},   {2, 2},   {7, 1},
                               {1, 7}, {4, 3}, {15, 15}, {16, 16}, {17, 3}};
static const extent images[] = {{0, 5},    {1, 1},    {2, 3},    {16, 16}, {17, 31},
                                {100, 37}, {3, 1000}, {1, 2500}, {2500, 1}};

/* Products in a case; what a level leaves out, a larger one has. */
static bool is_too_long(const convolution *c)
{
    static const size_t most[] = {30000, 120000, SIZE_MAX};
    return c->image.width * c->image.height * weights(c) * (size_t)c->channels >
           most[get_test_level()];
}

ParameterizedTestParameters(convolution, images_and_masks)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, images_and_masks)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    uint64_t seed = 1000u * (unsigned)k->variant + 333u * (unsigned)k->type + (unsigned)k->out_type;
    for (size_t m = 0; m < COUNT_OF(masks); m++)
        for (size_t i = 0; i < COUNT_OF(images); i++)
            for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
                if (quick && (m + i + b) % BOUNDARIES > 1)
                    continue;
                convolution c = by_chance(k, (prim_boundary)b, images[i], masks[m], seed);
                const bool once = is_too_long(&c) && !quick && (m + i) % BOUNDARIES == b;
                if (once) /* so that each mask meets each image */
                    c.channels = 1;
                if (once || !is_too_long(&c))
                    check(&c, 7);
            }
}

/* ---- odd squares and their neighbours ---- */

/* One strip and more, side by side and one below the other, and parts of strips. */
static const extent strip_images[] = {{15, 15},  {127, 40},  {128, 17}, {130, 90},
                                      {300, 33}, {513, 120}, {14, 70},  {70, 14}};

static void check_strips(prim_convolution_variant variant, extent mask, bool is_separable,
                         uint64_t seed)
{
    for (size_t i = 0; i < COUNT_OF(strip_images); i++)
        for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
            const combination k = {variant, CUDA_R_32F, CUDA_R_32F, 0};
            convolution c = by_chance(&k, (prim_boundary)b, strip_images[i], mask, seed);
            if (get_test_level() == LEVEL_QUICK && (i + b + seed / 97) % BOUNDARIES > 1)
                continue;
            c.channels = 1;
            c.place = ON_HOST;
            c.is_separable = is_separable;
            c.distribution = seed % 2 ? INTEGERS : UNIFORM;
            check(&c, 11);
        }
}

static struct criterion_test_params sides_of_strips(void)
{
    static const size_t sides[] = {3, 4, 5, 7, 9, 11, 13, 15};
    return cr_make_param_array(const size_t, (void *)(uintptr_t)sides, COUNT_OF(sides));
}

ParameterizedTestParameters(convolution, strips_of_squares)
{
    return sides_of_strips();
}

ParameterizedTest(const size_t *side, convolution, strips_of_squares)
{
    check_strips(PRIM_CONVOLUTION_REGISTER, (extent){*side, *side}, false, 9000 + 1000 * *side);
}

/* Squares over rows that begin at 16 bytes and end there, as large images have them: with every
 * anchor, at sizes for large patches and at others. */
static struct criterion_test_params sides_of_patches(void)
{
    static const size_t sides[] = {3, 5, 7};
    return cr_make_param_array(const size_t, (void *)(uintptr_t)sides, COUNT_OF(sides));
}

ParameterizedTestParameters(convolution, aligned_squares)
{
    return sides_of_patches();
}

static void check_aligned(const size_t *side, bool is_separable)
{
    const extent sizes[] = {{8196, 27}, {2052, 31}, {640, 33}, {64, 8}, {36, *side}, {128, 16}};
    uint64_t seed = (is_separable ? 9500 : 9400) + *side;
    for (size_t x = 0; x < *side; x++)
        for (size_t i = 0; i < COUNT_OF(sizes); i++)
            for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
                const combination k = {PRIM_CONVOLUTION_REGISTER, CUDA_R_32F, CUDA_R_32F, 0};
                const bool is_farthest = i == 0 && b == PRIM_BOUNDARY_REFLECT_101;
                if (get_test_level() == LEVEL_QUICK && (x + i + b) % BOUNDARIES != 0 &&
                    !is_farthest)
                    continue;
                convolution c =
                    by_chance(&k, (prim_boundary)b, sizes[i], (extent){*side, *side}, seed);
                c.channels = 1;
                c.place = ON_HOST;
                c.is_separable = is_separable;
                c.anchor = (anchor){x, seed % *side};
                c.distribution = seed % 2 ? INTEGERS : UNIFORM;
                c.in_gap *= 4;
                c.out_gap *= 4;
                c.offset *= 4;
                if (is_farthest)
                    c.flags = 0;
                check(&c, 11);
            }
}

ParameterizedTest(const size_t *side, convolution, aligned_squares)
{
    check_aligned(side, false);
}

/* Squares over bytes, of three and four channels, in images that are large enough for strips of
 * them: with every boundary, under floats and under integers with and without a power of two as
 * their divisor. The last strip is full, or has one column. */
static struct criterion_test_params sides_of_bytes(void)
{
    static const size_t sides[] = {3, 5};
    return cr_make_param_array(const size_t, (void *)(uintptr_t)sides, COUNT_OF(sides));
}

/* Elements of an image from which on REGISTER goes down strips. */
static size_t enough_bytes(size_t side)
{
    return (side == 3 ? 16000 : 64000) * count_multiprocessors();
}

ParameterizedTestParameters(convolution, squares_over_bytes)
{
    return sides_of_bytes();
}

ParameterizedTest(const size_t *side, convolution, squares_over_bytes)
{
    static const int32_t divisors[] = {0, 16, 35, -1, -255}; /* 0: floats */
    const size_t elements = enough_bytes(*side);
    for (int channels = 3; channels <= 4; channels++)
        for (size_t d = 0; d < COUNT_OF(divisors); d++) {
            const combination k = {PRIM_CONVOLUTION_REGISTER, CUDA_R_8U, CUDA_R_8U,
                                   divisors[d] == 0 ? 0 : CUDA_R_8I};
            const size_t n = (size_t)channels, width = d % 2 == 0 ? 3072 / n : (1536 + n) / n;
            const extent image = {width, elements / (width * n) + 1 + d};
            convolution c = by_chance(&k, (prim_boundary)((d + n) % BOUNDARIES), image,
                                      (extent){*side, *side}, 9800 + 10 * n + d);
            c.channels = channels;
            c.place = ON_HOST;
            c.divisors[0] = divisors[d];
            check(&c, 7);
        }
}

ParameterizedTestParameters(convolution, aligned_separable)
{
    return sides_of_patches();
}

ParameterizedTest(const size_t *side, convolution, aligned_separable)
{
    check_aligned(side, true);
}

ParameterizedTestParameters(convolution, strips_of_separable_masks)
{
    return sides_of_strips();
}

ParameterizedTest(const size_t *side, convolution, strips_of_separable_masks)
{
    check_strips(PRIM_CONVOLUTION_REGISTER, (extent){*side, *side}, true, 9100 + 1000 * *side);
}

ParameterizedTestParameters(convolution, strips_of_rows)
{
    return sides_of_strips();
}

ParameterizedTest(const size_t *side, convolution, strips_of_rows)
{
    static const size_t lengths[] = {15, 128, 129, 141, 5000, 16384 + 127};
    check_strips(PRIM_CONVOLUTION_REGISTER, (extent){*side, 1}, false, 9200 + 1000 * *side);
    for (size_t l = 0; l < COUNT_OF(lengths); l++)
        for (size_t b = 0; b < BOUNDARIES; b++) {
            const combination k = {PRIM_CONVOLUTION_REGISTER, CUDA_R_32F, CUDA_R_32F, 0};
            convolution c = by_chance(&k, (prim_boundary)b, (extent){lengths[l], 1},
                                      (extent){*side, 1}, 9300 + 8 * l + b);
            c.channels = 1;
            c.is_vector = true;
            c.place = b % 2 ? ON_HOST : ON_BOTH;
            check(&c, 37);
        }
}

/* ---- narrow images, and those of few rows ---- */

static const size_t narrow_widths[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 37, 64, 65, 70, 85, 130},
                    some_heights[] = {1, 2, 3, 5, 9, 40, 163};

/* Runs of rows that lie without gaps, from any address on, and others. */
static void choose_runs(convolution *c)
{
    if (c->seed % 3 > 0)
        c->in_gap = 0;
    if (c->seed % 5 > 1)
        c->out_gap = 0;
    c->offset = c->seed / 4 % 17;
}

/* To the bit what CONSTANT gives, or SMALL, where they take the call. */
static void check_beside_constant(convolution *c)
{
    arrays a = make_arrays(c);
    c->variant = PRIM_CONVOLUTION_REGISTER;
    run(c, &a);
    if (a.unit > 0 || c->seed % 4 == 0)
        check_answer(c, &a, 3);
    char *h_first = malloc(out_bytes(c));
    memcpy(h_first, a.out, out_bytes(c));
    c->variant = c->seed % 2 ? PRIM_CONVOLUTION_CONSTANT : PRIM_CONVOLUTION_SMALL;
    if (should_support(c)) {
        char text[320];
        describe(c, text, sizeof text);
        run(c, &a);
        cr_assert_arr_eq(a.out, h_first, out_bytes(c), "%s", text);
    }
    free(h_first);
    free_arrays(&a);
}

static struct criterion_test_params register_of_every_type(void)
{
    static combination rows[COUNT_OF(types)];
    for (size_t t = 0; t < COUNT_OF(types); t++)
        rows[t] =
            (combination){PRIM_CONVOLUTION_REGISTER, types[t].in, types[t].out, types[t].integers};
    return cr_make_param_array(combination, rows, COUNT_OF(types));
}

ParameterizedTestParameters(convolution, narrow_images)
{
    return register_of_every_type();
}

/* Squares and others; masks wider and higher than the image among them. */
static const extent sides_of_thin[] = {{3, 3}, {5, 5},  {7, 7},  {2, 4},
                                       {9, 1}, {1, 11}, {6, 17}, {17, 16}};

static void check_thin(const combination *k, extent image, size_t m, prim_boundary boundary,
                       uint64_t seed, bool is_separable)
{
    convolution c = by_chance(k, boundary, image, sides_of_thin[m], seed);
    c.is_separable = is_separable;
    c.is_vector = false;
    c.place = m < 3 || seed % 3 > 0 ? ON_BOTH : ON_DEVICE;
    c.distribution = seed % 2 ? INTEGERS : UNIFORM;
    choose_divisors(&c);
    choose_runs(&c);
    check_beside_constant(&c);
}

/* One case of so many. */
static bool is_wanted(uint64_t seed)
{
    static const uint64_t every[] = {17, 5, 1};
    return seed % every[get_test_level()] == 0;
}

ParameterizedTest(combination *k, convolution, narrow_images)
{
    uint64_t seed = 110000 + 333u * (unsigned)k->type + 77u * (unsigned)k->integers;
    for (size_t w = 0; w < COUNT_OF(narrow_widths); w++)
        for (size_t h = 0; h < COUNT_OF(some_heights); h++)
            for (size_t m = 0; m < COUNT_OF(sides_of_thin); m++)
                for (size_t b = 0; b < BOUNDARIES; b++, seed++)
                    if (is_wanted(seed))
                        check_thin(k, (extent){narrow_widths[w], some_heights[h]}, m,
                                   (prim_boundary)b, seed, false);
}

ParameterizedTestParameters(convolution, low_images)
{
    return register_of_every_type();
}

ParameterizedTest(combination *k, convolution, low_images)
{
    static const size_t wide[] = {129, 257, 300, 700, 4100};
    uint64_t seed = 120000 + 333u * (unsigned)k->type + 77u * (unsigned)k->integers;
    for (size_t w = 0; w < COUNT_OF(wide); w++)
        for (size_t height = 1; height < 10; height++)
            for (size_t m = 0; m < COUNT_OF(sides_of_thin); m++)
                for (size_t b = 0; b < BOUNDARIES; b++, seed++)
                    if (is_wanted(seed + 3))
                        check_thin(k, (extent){wide[w], height}, m, (prim_boundary)b, seed, false);
}

/* Large ones, which have a kernel of their own. */
ParameterizedTestParameters(convolution, large_thin_images)
{
    return register_of_every_type();
}

ParameterizedTest(combination *k, convolution, large_thin_images)
{
    const size_t p = count_multiprocessors();
    const extent images[] = {{1, 513 * p},  {3, 171 * p},  {4, 128 * p + 1}, {13, 631 * p},
                             {16, 512 * p}, {8192 * p, 1}, {4097 * p, 2},    {2731 * p, 3}};
    uint64_t seed = 130000 + 333u * (unsigned)k->type + 77u * (unsigned)k->integers;
    for (size_t i = 0; i < COUNT_OF(images); i++)
        for (size_t m = 0; m < COUNT_OF(sides_of_thin); m++)
            for (size_t b = 0; b < BOUNDARIES; b++, seed++)
                if (is_wanted(seed) && (get_test_level() == LEVEL_FULL || seed % 2 == 0))
                    check_thin(k, images[i], m, (prim_boundary)b, seed, seed % 3 == 0);
}

/* ---- squares over all types and channels ---- */

/* Weights from the host or the device: other kernels, and the same bits. */
static void check_from_both_places(convolution *c)
{
    arrays a = make_arrays(c);
    c->place = ON_HOST;
    run(c, &a);
    check_answer(c, &a, 5);
    char *h_first = malloc(out_bytes(c)), text[320];
    memcpy(h_first, a.out, out_bytes(c));
    c->place = ON_DEVICE;
    run(c, &a);
    describe(c, text, sizeof text);
    cr_assert_arr_eq(a.out, h_first, out_bytes(c), "%s", text);
    free(h_first);
    free_arrays(&a);
}

ParameterizedTestParameters(convolution, squares_of_channels)
{
    return register_of_every_type();
}

/* One strip and more, in lines of whole strips and others, that lie anywhere in vectors. */
ParameterizedTest(combination *k, convolution, squares_of_channels)
{
    static const size_t lines[] = {97, 100, 128, 131, 255, 256, 257, 300, 512, 519},
                        heights[] = {1, 2, 4, 9, 40};
    uint64_t seed = 130000 + 333u * (unsigned)k->type + 77u * (unsigned)k->integers;
    for (size_t l = 0; l < COUNT_OF(lines); l++)
        for (size_t h = 0; h < COUNT_OF(heights); h++)
            for (size_t side = 3; side <= 9; side += 2)
                for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
                    if (!is_wanted(seed))
                        continue;
                    convolution c = by_chance(k, (prim_boundary)b, (extent){0, heights[h]},
                                              (extent){side, side}, seed);
                    const size_t channels = (size_t)c.channels;
                    c.image.width = (lines[l] + channels - 1) / channels;
                    c.is_vector = false;
                    c.distribution = seed % 2 ? INTEGERS : UNIFORM;
                    choose_divisors(&c);
                    choose_runs(&c);
                    check_from_both_places(&c);
                }
}

/* ---- separable masks ---- */

ParameterizedTestParameters(convolution, separable_masks)
{
    return register_of_every_type();
}

ParameterizedTest(combination *k, convolution, separable_masks)
{
    static const extent parts[] = {{1, 1}, {5, 5}, {4, 7}, {1, 9}, {6, 1}, {15, 15}, {40, 33}};
    const bool quick = get_test_level() == LEVEL_QUICK;
    uint64_t seed = 60000 + 333u * (unsigned)k->type + (unsigned)k->out_type;
    for (size_t m = 0; m < COUNT_OF(parts); m++)
        for (size_t i = 0; i < COUNT_OF(images); i++)
            for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
                convolution c = by_chance(k, (prim_boundary)b, images[i], parts[m], seed);
                c.is_separable = true;
                c.is_vector = false;
                if (c.distribution == EXTREMES && !is_word(k->type) && c.integers == 0)
                    c.distribution = UNIFORM; /* they would overflow */
                choose_divisors(&c);
                if (quick && (m + i + b) % BOUNDARIES > 1)
                    continue;
                const double products = (double)(c.image.width * c.image.height) *
                                        (double)(c.mask.width * c.mask.height * c.channels);
                if (products < (quick ? 3e4 : 1e6))
                    check(&c, 7);
            }
}

ParameterizedTestParameters(convolution, low_separable)
{
    return register_of_every_type();
}

/* Parts that do not lie together are two passes: of the same bits as one launch, and as SMALL. */
static void check_beside_two_passes(convolution *c)
{
    arrays a = make_arrays(c);
    run(c, &a);
    check_answer(c, &a, 5);
    char *h_first = malloc(out_bytes(c)), text[320];
    memcpy(h_first, a.out, out_bytes(c));
    c->place = ON_BOTH;
    c->is_apart = true;
    for (int i = 0; i < 2 && should_support(c); i++) {
        run(c, &a);
        describe(c, text, sizeof text);
        cr_assert_arr_eq(a.out, h_first, out_bytes(c), "%s", text);
        c->is_apart = false;
        c->variant = PRIM_CONVOLUTION_SMALL;
    }
    free(h_first);
    free_arrays(&a);
}

ParameterizedTest(combination *k, convolution, low_separable)
{
    static const extent parts[] = {{5, 5}, {4, 7}, {1, 9}, {9, 1}, {15, 15}, {3, 140}};
    static const size_t wide[] = {20, 129, 700, 4100}, heights[] = {1, 2, 3, 7, 16, 17};
    uint64_t seed = 140000 + 333u * (unsigned)k->type + 77u * (unsigned)k->integers;
    for (size_t m = 0; m < COUNT_OF(parts); m++)
        for (size_t w = 0; w < COUNT_OF(wide); w++)
            for (size_t h = 0; h < COUNT_OF(heights); h++)
                for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
                    const extent image = {wide[w], heights[h]};
                    convolution c = by_chance(k, (prim_boundary)b, image, parts[m], seed);
                    const bool is_long = wide[w] * heights[h] * parts[m].height > 100000;
                    /* sums of one row have a row of fills after them, anywhere past 16 bytes */
                    const bool has_fills =
                        heights[h] == 1 && wide[w] == 129 && b == PRIM_BOUNDARY_CONSTANT;
                    if (!(is_wanted(seed + 1) || has_fills) || (is_long && seed % 16 > 0))
                        continue;
                    c.is_separable = true;
                    c.is_vector = false;
                    c.distribution = seed % 2 ? INTEGERS : UNIFORM;
                    choose_divisors(&c);
                    choose_runs(&c);
                    check_beside_two_passes(&c);
                }
}

Test(convolution, which_rungs_take_separable_masks)
{
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++) {
        const combination k = {prim_convolution_variant_at(v)->value, CUDA_R_32F, CUDA_R_32F, 0};
        convolution c = by_chance(&k, PRIM_BOUNDARY_WRAP, (extent){20, 10}, (extent){3, 3}, 5);
        c.is_separable = true;
        c.is_vector = false;
        c.place = ON_BOTH;
        c.distribution = INTEGERS;
        check(&c, 1);
    }
}

/* Small images, on which everything is at a side. */
ParameterizedTestParameters(convolution, small_images)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, small_images)
{
    const uint64_t rounds = get_test_level() == LEVEL_QUICK ? 8 : 40;
    for (uint64_t seed = 0; seed < rounds; seed++)
        for (size_t b = 0; b < BOUNDARIES; b++) {
            const uint64_t bits = random_bits(90000 + 8 * seed + b + 100 * (unsigned)k->type);
            const extent image = {1 + bits % 9, 1 + (bits >> 8) % 9};
            const extent mask = {1 + (bits >> 16) % 13, 1 + (bits >> 24) % 13};
            const convolution c = by_chance(k, (prim_boundary)b, image, mask, 50000 + 8 * seed + b);
            check(&c, 1);
        }
}

/* ---- masks of every side ---- */

/* Where sums are exact, the bits are those of the host's version; otherwise those of BASIC, whose
 * products are rounded as here, or near the oracle's where it does not take the type. */
static void check_beside_others(convolution *c)
{
    if (!is_of_share())
        return;
    arrays a = make_arrays(c);
    char *const h_first = malloc(out_bytes(c) + 1), text[320];
    run(c, &a);
    memcpy(h_first, a.out, out_bytes(c));
    describe(c, text, sizeof text);
    if (a.unit > 0 || is_word(c->type)) {
        const mask_place place = c->place;
        c->place = ON_HOST;
        memset(a.out, GUARD_PATTERN, out_bytes(c));
        cr_prim(convolve_on_host(c, &a, 1));
        c->place = place;
    } else if (is_textbook(c)) {
        convolution other = *c;
        other.variant = PRIM_CONVOLUTION_BASIC;
        other.place = ON_BOTH;
        run(&other, &a);
    } else {
        check_answer(c, &a, 11);
    }
    cr_assert_arr_eq(a.out, h_first, out_bytes(c), "%s", text);
    free(h_first);
    free_arrays(&a);
}

/* Thin and low images, those that are smaller than the mask, of many tiles, and vectors. */
static extent some_image(extent mask, uint64_t bits)
{
    const size_t thin = 1 + bits / 8 % 9, more = bits / 128 % 256, most = bits / 32768 % 1024;
    switch (bits % 8) {
    case 0:
        return (extent){thin, 1 + most};
    case 1:
        return (extent){1 + most, thin};
    case 2:
        return (extent){1 + bits / 8 % mask.width, 1 + more % mask.height};
    case 3:
        return (extent){1 + 3 * most, 1};
    case 4:
        return (extent){150 + more % 64, 130 + most % 32};
    default:
        return (extent){1 + more, 1 + most % 60};
    }
}

static convolution some_case(size_t type, extent mask, uint64_t seed)
{
    const uint64_t bits = random_bits(seed + 31);
    const combination k = {PRIM_CONVOLUTION_REGISTER, types[type].in, types[type].out,
                           types[type].integers};
    convolution c =
        by_chance(&k, (prim_boundary)(bits % BOUNDARIES), some_image(mask, bits / 8), mask, seed);
    c.distribution = seed % 4 == 0 ? UNIFORM : INTEGERS;
    c.is_vector = c.is_vector && seed % 2 == 0;
    choose_divisors(&c);
    choose_runs(&c);
    return c;
}

enum { MOST_SAMPLED_SIDE = 33 };

static struct criterion_test_params sampled_sides(void)
{
    static size_t sides[MOST_SAMPLED_SIDE];
    for (size_t i = 0; i < MOST_SAMPLED_SIDE; i++)
        sides[i] = i + 1;
    return cr_make_param_array(size_t, sides, MOST_SAMPLED_SIDE);
}

ParameterizedTestParameters(convolution, masks_of_every_side)
{
    return sampled_sides();
}

/* All heights for each width; at the lower levels, some of them. */
ParameterizedTest(const size_t *width, convolution, masks_of_every_side)
{
    static const uint64_t every[] = {4, 2, 1};
    for (size_t height = 1; height <= MOST_SAMPLED_SIDE; height++) {
        const uint64_t seed = 150000 + 100 * *width + height, bits = random_bits(seed);
        convolution c = some_case(bits / 64 % COUNT_OF(types), (extent){*width, height}, seed);
        if (bits % every[get_test_level()] == 0)
            check_beside_others(&c);
    }
}

ParameterizedTestParameters(convolution, every_width)
{
    return register_of_every_type();
}

/* Each width that is known when kernels are compiled, and the next one, over images of so many
 * tiles that a thread has several rows, and over small ones. */
ParameterizedTest(combination *k, convolution, every_width)
{
    enum { MOST_WIDTH = 17, OUTPUTS = 36000 };
    for (size_t width = 1; width <= MOST_WIDTH; width++)
        for (int is_large = 0; is_large < 2; is_large++) {
            const uint64_t seed = 160000 + 333u * (unsigned)k->type + 77u * (unsigned)k->out_type +
                                  5u * (unsigned)k->integers + 2 * width + (unsigned)is_large;
            const uint64_t bits = random_bits(seed);
            const extent mask = {width, 1 + bits % 9};
            convolution c = by_chance(k, (prim_boundary)(bits / 16 % BOUNDARIES),
                                      (extent){61 + bits / 64 % 200, 17}, mask, seed);
            if (is_large)
                c.image.height = OUTPUTS / row_elements(&c) + 1;
            c.is_vector = false;
            c.place = bits % 5 == 0 ? ON_DEVICE : ON_HOST;
            c.distribution = width % 4 == 0 ? UNIFORM : INTEGERS;
            choose_divisors(&c);
            choose_runs(&c);
            check_beside_others(&c);
        }
}

ParameterizedTestParameters(convolution, several_turns)
{
    return register_of_every_type();
}

/* So many tiles that a block computes more than once for each. */
ParameterizedTest(combination *k, convolution, several_turns)
{
    static const extent images[] = {{648, 613}, {449, 442}};
    for (size_t i = 0; i < COUNT_OF(images); i++) {
        const uint64_t seed = 180000 + 333u * (unsigned)k->type + 77u * (unsigned)k->out_type +
                              5u * (unsigned)k->integers + i;
        convolution c =
            by_chance(k, (prim_boundary)(seed % BOUNDARIES), images[i], (extent){4, 2}, seed);
        c.channels = i == 0 ? 1 : 3;
        c.is_vector = false;
        c.distribution = INTEGERS;
        c.place = ON_HOST;
        choose_divisors(&c);
        choose_runs(&c);
        check_beside_others(&c);
    }
}

/* Masks whose tile is higher than shared memory, so that they are taken in bands, and such ones of
 * few weights. */
ParameterizedTestParameters(convolution, masks_in_bands)
{
    return register_of_every_type();
}

ParameterizedTest(combination *k, convolution, masks_in_bands)
{
    static const extent high[] = {{1, 255}, {2, 120}, {5, 51}, {200, 3}, {9, 230}, {255, 255}};
    for (size_t m = 0; m < COUNT_OF(high); m++) {
        const uint64_t seed = 170000 + 333u * (unsigned)k->type + 77u * (unsigned)k->out_type +
                              5u * (unsigned)k->integers + m;
        const bool is_huge = weights(&(convolution){.mask = high[m]}) > 4000;
        const extent image = is_huge ? (extent){11, 7}
                             : m % 2 ? (extent){70, 30}
                                     : (extent){9, 300};
        convolution c = by_chance(k, (prim_boundary)(seed % BOUNDARIES), image, high[m], seed);
        c.channels = 1 + (int)(seed / 5 % MOST_CHANNELS);
        c.is_vector = false;
        c.distribution = INTEGERS;
        choose_divisors(&c);
        if (!is_huge || get_test_level() > LEVEL_QUICK)
            check_beside_others(&c);
    }
}

/* Masks of many weights: CONSTANT takes 8,000, the others as many as there are. */
ParameterizedTestParameters(convolution, large_masks)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, large_masks)
{
    static const extent large[] = {{16, 17}, {89, 89}, {32, 250}, {100, 81}, {255, 255}};
    const extent image = {3, 2};
    for (size_t m = 0; m < COUNT_OF(large); m++)
        for (size_t b = 0; b < BOUNDARIES; b++) {
            convolution c =
                by_chance(k, (prim_boundary)b, image, large[m], 7000 + m * BOUNDARIES + b);
            c.channels = 1 + (int)b % 2;
            if (weights(&c) < 20000 || b == m % BOUNDARIES)
                check(&c, 1);
        }
}

/* A long vector, and more rows than a grid has blocks along y: one of them for each type. */
ParameterizedTestParameters(convolution, long_images)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, long_images)
{
    const bool is_vector = k->type == CUDA_R_32F;
    const extent image = is_vector               ? (extent){1000000, 1}
                         : k->type == CUDA_R_32I ? (extent){3, 524280}
                                                 : (extent){1, 1000000};
    if (get_test_level() == LEVEL_QUICK && !is_vector)
        cr_skip_test("the vector only at this level");
    if (k->variant == PRIM_CONVOLUTION_AUTO || k->type == CUDA_R_32U || k->type != k->out_type ||
        k->integers != 0 || (k->variant == PRIM_CONVOLUTION_TILED_HALO && image.width == 1))
        cr_skip_test("long, and another case has the same");
    convolution c = by_chance(k, is_vector ? PRIM_BOUNDARY_REFLECT : PRIM_BOUNDARY_WRAP, image,
                              is_vector ? (extent){5, 1} : (extent){3, 3}, 4);
    c.channels = 1;
    c.is_vector = is_vector;
    check(&c, 997);
}

/* ---- what the header draws ---- */

static void write_number(cudaDataType_t type, void *h_data, size_t i, double value)
{
    if (type_is_float(type))
        write_float(type, h_data, i, value);
    else
        write_integer(type, h_data, i, (uint64_t)value);
}

/* An element that a mask of one weight picks: at any distance, the right letter. */
ParameterizedTestParameters(convolution, boundaries_as_drawn)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, boundaries_as_drawn)
{
    static const char *const drawn[] = {"fffabcdfff", "aaaabcdddd", "cbaabcddcb", "dcbabcdcba",
                                        "bcdabcdabc"};
    for (size_t b = 0; b < BOUNDARIES; b++)
        for (size_t place = 0; place < 10; place++)
            for (unsigned flags = 0; flags < 2; flags++) {
                convolution c = {.variant = k->variant,
                                 .flags = flags,
                                 .boundary = (prim_boundary)b,
                                 .type = k->type,
                                 .out_type = k->out_type,
                                 .integers = k->integers,
                                 .channels = 1,
                                 .image = {4, 1},
                                 .mask = {10, 1},
                                 .anchor = {3, 0},
                                 .has_fill = true,
                                 .is_vector = k->type == k->out_type,
                                 .place = place_for(k->variant, 2)};
                if (flags & PRIM_CONVOLUTION_FLIP)
                    c.anchor.x = 6;
                arrays a = make_arrays(&c);
                const cudaDataType_t weight = weight_type(&c);
                for (size_t i = 0; i < 10; i++) /* output 0 is what the drawing shows */
                    write_number(weight, a.mask, i, i == (flags ? 9 - place : place));
                for (size_t i = 0; i < 4; i++)
                    write_number(k->type, a.in, i, 'a' + (double)i);
                write_number(k->type, a.fill, 0, 'f');
                run(&c, &a);
                const double shown = type_is_float(k->out_type)
                                         ? read_float(k->out_type, a.out, 0)
                                         : (double)read_integer(k->out_type, a.out, 0);
                cr_assert_eq(shown, drawn[b][place], "%s, %s: %zu is %g, not %c",
                             prim_convolution_variant_info(k->variant)->name, boundary_names[b],
                             place, shown, drawn[b][place]);
                free_arrays(&a);
            }
}

Test(convolution, the_textbooks_example)
{
    float h_in[] = {1, 2, 3, 4, 5, 6, 7}, h_mask[] = {3, 4, 5, 4, 3}, h_out[7];
    static const float h_right[] = {22, 38, 57, 76, 95, 90, 74};
    prim_mask mask = {.h_values = h_mask, .width = 5, .height = 1, .anchor_x = 2};
    mask.type = CUDA_R_32F;
    guarded in = guarded_copy(h_in, sizeof h_in, 0), out = guarded_new(sizeof h_out, 0);
    guarded d_mask = guarded_copy(h_mask, sizeof h_mask, 0);
    mask.d_values = d_mask.data;
    for (size_t v = 0; variant_of_floats_at(v) != NULL; v++) {
        guarded_poison(&out);
        cr_prim(prim_convolve_1d(variant_of_floats_at(v)->value, 0, PRIM_BOUNDARY_CONSTANT, NULL,
                                 CUDA_R_32F, in.data, 7, mask, out.data, NULL));
        guarded_read(&out, h_out);
        cr_assert_arr_eq(h_out, h_right, sizeof h_right);
    }
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&d_mask);
}

/* ---- values ---- */

/* NaN and infinity reach just the outputs whose window they lie in. */
ParameterizedTestParameters(convolution, nan_and_infinity)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, nan_and_infinity)
{
    static const float specials[] = {NAN, INFINITY, -INFINITY, -NAN};
    if (is_word(k->type) || k->integers != 0)
        cr_skip_test("integers have no NaN");
    for (uint64_t s = 0; s < 24; s++) {
        const combination one = *k;
        convolution c = by_chance(&one, (prim_boundary)(s % BOUNDARIES), (extent){21, 19},
                                  (extent){1 + s % 5, 1 + s / 5 % 4}, 300 + s);
        c.distribution = UNIFORM;
        c.in_gap = 0;
        arrays a = make_arrays(&c);
        a.unit = 0;
        const cudaDataType_t weight = weight_type(&c);
        if (type_is_float(k->type) && s % 3 != 0)
            write_float(k->type, a.in, random_bits(s) % (21 * 19), (double)specials[s % 4]);
        else
            write_float(weight, a.mask, s % weights(&c), (double)specials[s % 4]);
        if (s % 5 == 0)
            write_float(weight, a.mask, 0, 0); /* 0 · NaN and 0 · ∞ are NaN too */
        run(&c, &a);
        check_answer(&c, &a, 1);
        free_arrays(&a);
    }
}

/* All bytes, under weights that give halves, more than 255, less than 0, and no number. */
Test(convolution, bytes_are_rounded_to_even_and_saturated)
{
    static const float factors[] = {0.5f, 1.5f, 0.25f,    2.5f,      -1.0f,
                                    3.0f, NAN,  INFINITY, -INFINITY, -0.25f};
    uint8_t h_in[256], h_out[256];
    for (int i = 0; i < 256; i++)
        h_in[i] = (uint8_t)i;
    guarded in = guarded_copy(h_in, 256, 0), out = guarded_new(256, 0), d_mask = guarded_new(4, 0);
    for (size_t v = 0; variant_of_floats_at(v) != NULL; v++)
        for (size_t f = 0; f < COUNT_OF(factors); f++) {
            cr_cuda(cudaMemcpy(d_mask.data, &factors[f], 4, cudaMemcpyHostToDevice));
            const prim_mask mask = {&factors[f], d_mask.data, 1, 1, 0, 0, CUDA_R_32F, 0};
            cr_prim(prim_convolve_1d(variant_of_floats_at(v)->value, 0, PRIM_BOUNDARY_CLAMP, NULL,
                                     CUDA_R_8U, in.data, 256, mask, out.data, NULL));
            guarded_read(&out, h_out);
            for (int i = 0; i < 256; i++)
                cr_assert_eq(h_out[i], (uint8_t)byte_of((long double)factors[f] * i), "%s: %d · %g",
                             variant_of_floats_at(v)->name, i, (double)factors[f]);
        }
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&d_mask);
}

/* Each channel has its own fill. */
ParameterizedTestParameters(convolution, fill_of_each_channel)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, fill_of_each_channel)
{
    for (int channels = 1; channels <= MOST_CHANNELS; channels++) {
        convolution c = by_chance(k, PRIM_BOUNDARY_CONSTANT, (extent){5, 4}, (extent){3, 3}, 61);
        c.channels = channels;
        c.has_fill = true;
        c.distribution = INTEGERS;
        check(&c, 1);
    }
}

/* ---- the rungs agree ---- */

Test(convolution, rungs_agree_to_the_bit)
{
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (uint64_t s = 0; s < 20; s++) {
            const combination k = {PRIM_CONVOLUTION_REGISTER, types[t].in, types[t].out,
                                   types[t].integers};
            const extent mask = {1 + random_bits(s) % 15, 1 + random_bits(s + 99) % 15};
            convolution c =
                by_chance(&k, (prim_boundary)(s % BOUNDARIES), (extent){23, 18}, mask, 500 + s);
            c.distribution = UNIFORM;
            c.place = ON_BOTH;
            arrays a = make_arrays(&c);
            run(&c, &a);
            char *h_first = malloc(out_bytes(&c));
            memcpy(h_first, a.out, out_bytes(&c));
            for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++) {
                c.variant = prim_convolution_variant_at(v)->value;
                if (!should_support(&c))
                    continue;
                run(&c, &a);
                cr_assert_arr_eq(a.out, h_first, out_bytes(&c), "%s",
                                 prim_convolution_variant_info(c.variant)->name);
            }
            free(h_first);
            free_arrays(&a);
        }
}

/* ---- integers over bytes ---- */

/* A case by REGISTER, and on the host. */
static void check_integers(const convolution *c, const void *h_weights)
{
    arrays a = make_arrays(c);
    memset(a.in, 0xff, in_bytes(c));
    memcpy(a.mask, h_weights, weights(c) * type_bytes(c->integers));
    run(c, &a);
    check_answer(c, &a, 1);
    memset(a.out, GUARD_PATTERN, out_bytes(c));
    convolution on_host = *c;
    on_host.place = ON_HOST;
    cr_prim(convolve_on_host(&on_host, &a, 1));
    check_answer(c, &a, 1);
    free_arrays(&a);
}

/* Every byte times a weight, over divisors that make halves, negative ones and the largest. */
static void check_quotients(prim_convolution_variant variant, extent mask, int16_t weight,
                            int32_t divisor)
{
    convolution c = {.variant = variant,
                     .type = CUDA_R_8U,
                     .out_type = CUDA_R_8U,
                     .integers = CUDA_R_16I,
                     .divisors = {divisor, 0},
                     .boundary = PRIM_BOUNDARY_CLAMP,
                     .channels = 1,
                     .image = {16, 16},
                     .mask = mask,
                     .anchor = {mask.width / 2, mask.height / 2},
                     .place = ON_HOST};
    arrays a = make_arrays(&c);
    for (int i = 0; i < 256; i++)
        a.in[i] = (char)i;
    memset(a.mask, 0, weights(&c) * sizeof weight);
    memcpy(a.mask + weights(&c) / 2 * sizeof weight, &weight, sizeof weight);
    run(&c, &a);
    if (should_support(&c))
        check_answer(&c, &a, 1);
    cr_prim(convolve_on_host(&c, &a, 1));
    check_answer(&c, &a, 1);
    free_arrays(&a);
}

Test(convolution, integers_are_divided_exactly)
{
    static const int16_t factors[] = {1, -1, 3, 127, -128, 32767, -32768};
    static const int32_t divisors[] = {0,    1,     2,         3,         4,       5,  6,
                                       -1,   -2,    -6,        14,        100,     -8, 255,
                                       -254, 32768, INT32_MIN, INT32_MAX, 1 << 30, -77};
    for (size_t f = 0; f < COUNT_OF(factors); f++)
        for (size_t d = 0; d < COUNT_OF(divisors); d++) {
            check_quotients(PRIM_CONVOLUTION_REGISTER, (extent){1, 1}, factors[f], divisors[d]);
            check_quotients(PRIM_CONVOLUTION_REGISTER, (extent){3, 3}, factors[f], divisors[d]);
            check_quotients(PRIM_CONVOLUTION_TENSOR, (extent){1, 1}, factors[f], divisors[d]);
            check_quotients(PRIM_CONVOLUTION_TENSOR, (extent){3, 3}, factors[f], divisors[d]);
        }
}

/* A column of weights, a positional system in which a column of pixels writes any sum up to 255
 * times all weights; the other columns of the square are zeros. */
typedef struct number_system {
    cudaDataType_t type;
    int side;
    int32_t weights[7];
} number_system;

static const number_system small_digits = {CUDA_R_8I, 3, {127, 1}},
                           several_digits = {CUDA_R_8I, 5, {127, 127, 127, 127, 1}},
                           usual_digits = {CUDA_R_16I, 3, {1024, 4, 1}};
/* Their largest sums are about 2^22, 2^24 and 2^25. */
static const number_system steps = {CUDA_R_16I, 5, {16320, 64, 64, 0, 1}},
                           floats = {CUDA_R_16I, 5, {32767, 32641, 255, 129, 1}},
                           no_floats = {CUDA_R_16I, 7, {32767, 32767, 32767, 32767, 129, 1}};

enum { TIES = 64, BESIDE = 3 }; /* sums at a tie, and on both sides of it */

/* All of the largest bytes, and some of the others. */
static int byte_of_column(int x)
{
    return x < TIES / 2 ? 7 * x : 256 - TIES + x;
}

/* Column x of the image has sums around (byte + 1/2) · divisor, one below the other. */
static void write_ties(const number_system *s, int64_t divisor, unsigned char *pixels)
{
    for (int x = 0; x < TIES; x++)
        for (int beside = 0; beside < BESIDE; beside++) {
            int64_t rest = (2 * byte_of_column(x) + 1) * divisor / 2 + beside - 1;
            for (int i = 0; i < s->side; i++) {
                const int64_t weight = s->weights[i], most = weight > 0 ? rest / weight : 0;
                const int64_t digit = most < 0 ? 0 : most > 255 ? 255 : most;
                pixels[(beside * s->side + i) * TIES + x] = (unsigned char)digit;
                rest -= digit * weight;
            }
        }
}

static void check_ties(const convolution *c, const number_system *s, const arrays *a,
                       const char *who)
{
    const int rows = BESIDE * s->side, middle = s->side / 2;
    const int sign = c->divisors[0] < 0 ? -1 : 1;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < TIES; x++) {
            int64_t sum = 0;
            for (int i = 0; i < s->side; i++) {
                const int from = y + i - middle;
                if (from >= 0 && from < rows)
                    sum += sign * s->weights[i] * (unsigned char)a->in[from * TIES + x];
            }
            const int found = (unsigned char)a->out[y * TIES + x];
            cr_assert_eq(found, divided_byte(c, sum), "%s: %lld / %d is not %d", who,
                         (long long)sum, c->divisors[0], found);
        }
}

/* Both signs: weights and divisor are turned together, so that quotients are the same. */
static void check_around_ties(prim_convolution_variant variant, const number_system *s,
                              int32_t divisor)
{
    const size_t side = (size_t)s->side;
    const convolution c = {.variant = variant,
                           .type = CUDA_R_8U,
                           .out_type = CUDA_R_8U,
                           .integers = s->type,
                           .divisors = {divisor, 0},
                           .boundary = PRIM_BOUNDARY_CONSTANT,
                           .channels = 1,
                           .image = {TIES, BESIDE * side},
                           .mask = {side, side},
                           .anchor = {side / 2, side / 2},
                           .place = ON_HOST};
    arrays a = {.in = malloc(TIES * BESIDE * side), .out = malloc(TIES * BESIDE * side)};
    a.mask = calloc(side * side, type_bytes(s->type));
    for (size_t i = 0; i < side; i++) {
        const int32_t weight = divisor < 0 ? -s->weights[i] : s->weights[i];
        write_integer(s->type, a.mask, i * side + side / 2, (uint64_t)(int64_t)weight);
    }
    write_ties(s, llabs(divisor), (unsigned char *)a.in);
    if (should_support(&c)) {
        run(&c, &a);
        check_ties(&c, s, &a, prim_convolution_variant_info(variant)->name);
    }
    if (variant == PRIM_CONVOLUTION_REGISTER && divisor % 4 < 2) {
        cr_prim(convolve_on_host(&c, &a, 1));
        check_ties(&c, s, &a, "host");
    }
    free_arrays(&a);
}

/* The error of a reciprocal grows with the sum, and what is beside a tie comes nearer to it as the
 * divisor grows; so each divisor has cases of its own that only some sums show. */
Test(convolution, sums_beside_ties_of_every_divisor)
{
    for (int32_t d = 1; d <= 1024; d++) {
        check_around_ties(PRIM_CONVOLUTION_REGISTER, &usual_digits, d);
        check_around_ties(PRIM_CONVOLUTION_REGISTER, &usual_digits, -d);
    }
}

Test(convolution, sums_beside_ties_by_tensor_cores)
{
    for (int32_t d = 1; d <= 1024; d++) {
        const bool is_below_power = (d & (d + 1)) == 0 || (d & (d + 2)) == 0;
        if (get_test_level() == LEVEL_QUICK && !is_below_power && d > 9 && d % 13 != 0)
            continue;
        const number_system *s = d < 128 ? &small_digits : d < 508 ? &several_digits : NULL;
        if (s != NULL)
            check_around_ties(PRIM_CONVOLUTION_TENSOR, s, d % 2 == 0 ? d : -d);
        check_around_ties(PRIM_CONVOLUTION_TENSOR, &usual_digits, d % 4 < 2 ? d : -d);
    }
}

/* Around powers of two: where the number of fraction bits changes, and where sums, or the divisor,
 * become too large for the quick ways. */
Test(convolution, sums_beside_ties_of_powers_of_two)
{
    static const number_system *const systems[] = {&several_digits, &usual_digits, &steps, &floats,
                                                   &no_floats};
    static const prim_convolution_variant variants[] = {PRIM_CONVOLUTION_REGISTER,
                                                        PRIM_CONVOLUTION_TENSOR};
    for (int bits = 0; bits < 31; bits++)
        for (int32_t beside = -2; beside < 2; beside++)
            for (size_t s = 0; s < COUNT_OF(systems); s++)
                for (size_t v = 0; v < COUNT_OF(variants); v++) {
                    const int32_t d = (1 << bits) + beside;
                    const bool is_turn = ((size_t)(bits + beside + 2) + s + 2 * v) % 6 == 0 ||
                                         (systems[s] == &no_floats && bits == 17 && v == 0);
                    if (d > 0 && (is_turn || get_test_level() > LEVEL_QUICK))
                        check_around_ties(variants[v], systems[s], (s + (size_t)d) % 3 ? d : -d);
                }
}

/* Weights at which bytes, words and their signs end, and those of one bit. */
static size_t weights_at_limits(cudaDataType_t type, int32_t *limits)
{
    const int32_t most = type == CUDA_R_8I ? INT8_MAX : INT16_MAX;
    size_t count = 0;
    for (int32_t power = 1; power <= most + 1; power *= 2)
        for (int32_t weight = power - 1; weight <= power + 1; weight++)
            for (int sign = -1; sign <= 1; sign += 2)
                if (weight > 0 && sign * weight >= -most - 1 && sign * weight <= most)
                    limits[count++] = sign * weight;
    return count;
}

/* Divided by itself, a weight leaves every pixel as it is. */
static void check_alone(convolution *c, size_t place, int32_t weight)
{
    arrays a = make_arrays(c);
    for (size_t i = 0; i < in_bytes(c); i++)
        a.in[i] = (char)(i * 37 + 255);
    memset(a.mask, 0, weights(c) * type_bytes(c->integers));
    write_integer(c->integers, a.mask, place, (uint64_t)(int64_t)weight);
    c->divisors[0] = weight;
    run(c, &a);
    check_answer(c, &a, 1);
    free_arrays(&a);
}

/* Beside others that take all of it away but 100: that shows its lowest bits. */
static void check_among_others(convolution *c, size_t place, int32_t weight)
{
    arrays a = make_arrays(c);
    const int32_t rest = 100 - weight, others[] = {rest / 3, rest / 3, rest - rest / 3 * 2};
    memset(a.in, 1, in_bytes(c));
    memset(a.mask, 0, weights(c) * type_bytes(c->integers));
    write_integer(c->integers, a.mask, place, (uint64_t)(int64_t)weight);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        write_integer(c->integers, a.mask, (place + i + 1) % weights(c),
                      (uint64_t)(int64_t)others[i]);
    c->divisors[0] = 1;
    run(c, &a);
    for (size_t i = 0; i < in_bytes(c); i++)
        cr_assert_eq(a.out[i], 100, "%s: %d at %zu, and %d is not 100",
                     prim_convolution_variant_info(c->variant)->name, weight, place, a.out[i]);
    free_arrays(&a);
}

static struct criterion_test_params combinations_of_integers(void)
{
    static combination rows[4];
    size_t count = 0;
    for (int t = 0; t < 2; t++) {
        const cudaDataType_t type = t == 0 ? CUDA_R_8I : CUDA_R_16I;
        rows[count++] = (combination){PRIM_CONVOLUTION_REGISTER, CUDA_R_8U, CUDA_R_8U, type};
        if (has_tensor_cores())
            rows[count++] = (combination){PRIM_CONVOLUTION_TENSOR, CUDA_R_8U, CUDA_R_8U, type};
    }
    return cr_make_param_array(combination, rows, count);
}

ParameterizedTestParameters(convolution, weights_at_the_limits_of_their_type)
{
    return combinations_of_integers();
}

/* At each place of a mask: as long as the others are zeros, it alone decides which kernel it is. */
ParameterizedTest(combination *k, convolution, weights_at_the_limits_of_their_type)
{
    static const extent sides[] = {{3, 3}, {4, 2}};
    int32_t limits[128];
    const size_t count = weights_at_limits(k->integers, limits);
    for (size_t m = 0; m < COUNT_OF(sides); m++)
        for (size_t i = 0; i < count; i++)
            for (size_t place = 0; place < sides[m].width * sides[m].height; place++) {
                convolution c = {.variant = k->variant,
                                 .flags = place % 2 ? PRIM_CONVOLUTION_FLIP : 0,
                                 .boundary = PRIM_BOUNDARY_CLAMP,
                                 .type = CUDA_R_8U,
                                 .out_type = CUDA_R_8U,
                                 .integers = k->integers,
                                 .channels = 1,
                                 .image = {11, 3},
                                 .mask = sides[m],
                                 .anchor = {1, 1},
                                 .place = ON_HOST};
                if (k->variant == PRIM_CONVOLUTION_REGISTER && i % 3 == 0)
                    c.place = ON_DEVICE;
                const bool is_quick = get_test_level() == LEVEL_QUICK;
                if (!is_quick || m == 0 || (i + place) % 4 == 0)
                    check_alone(&c, place, limits[i]);
                if (!is_quick || (i + place) % 4 == 0)
                    check_among_others(&c, place, limits[i]);
            }
}

/* The largest sums that there are, of the least weights under white. */
static void check_limit(cudaDataType_t type, extent mask, bool is_separable, int32_t divisor_x,
                        int32_t divisor_y)
{
    static int16_t lowest[255 * 255];
    const convolution c = {.variant = PRIM_CONVOLUTION_AUTO,
                           .type = CUDA_R_8U,
                           .out_type = CUDA_R_8U,
                           .integers = type,
                           .divisors = {divisor_x, divisor_y},
                           .boundary = PRIM_BOUNDARY_REFLECT,
                           .channels = 1,
                           .image = {3, 2},
                           .mask = mask,
                           .is_separable = is_separable,
                           .place = mask.width % 2 ? ON_HOST : ON_DEVICE};
    for (size_t k = 0; k < weights(&c); k++)
        write_integer(type, lowest, k, type == CUDA_R_8I ? 0x80 : 0x8000);
    check_integers(&c, lowest);
}

Test(convolution, sums_of_integers_reach_their_limits)
{
    static const int32_t whole[] = {-8323200, -8388608, -2122416000, -2130739200, INT32_MIN, 1};
    for (size_t d = 0; d < COUNT_OF(whole); d++) {
        check_limit(CUDA_R_8I, (extent){255, 255}, false, whole[d], 0);
        check_limit(CUDA_R_16I, (extent){16, 16}, false, whole[d], 0);
        check_limit(CUDA_R_16I, (extent){43, 6}, false, whole[d], 0);
        check_limit(CUDA_R_16I, (extent){255, 255}, false, whole[d], 0);
    }
    static const int32_t parts[][2] = {{-128, -64758}, {2000000, 1000}, {0, -1}, {-32768, 65536}};
    for (size_t d = 0; d < COUNT_OF(parts); d++) {
        check_limit(CUDA_R_8I, (extent){22, 23}, true, parts[d][0], parts[d][1]);
        check_limit(CUDA_R_8I, (extent){103, 5}, true, parts[d][0], parts[d][1]);
        check_limit(CUDA_R_16I, (extent){1, 1}, true, parts[d][0], parts[d][1]);
        check_limit(CUDA_R_16I, (extent){255, 3}, true, parts[d][0], parts[d][1]);
    }
}

/* Odd squares, divided by a power of two and by others; and those of large weights, whose sums have
 * no quick division. */
ParameterizedTestParameters(convolution, strips_of_integers)
{
    static const size_t sides[] = {3, 5, 7};
    return cr_make_param_array(const size_t, (void *)(uintptr_t)sides, COUNT_OF(sides));
}

ParameterizedTest(const size_t *side, convolution, strips_of_integers)
{
    static const int32_t divisors[] = {8, 6, -4, 9, -10, 0, 1000, 4096};
    uint64_t seed = 77000 + 1000 * *side;
    for (size_t i = 0; i < COUNT_OF(strip_images); i++)
        for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
            const cudaDataType_t type = seed % 3 ? CUDA_R_8I : CUDA_R_16I;
            const combination k = {PRIM_CONVOLUTION_REGISTER, CUDA_R_8U, CUDA_R_8U, type};
            convolution c =
                by_chance(&k, (prim_boundary)b, strip_images[i], (extent){*side, *side}, seed);
            c.place = ON_HOST;
            c.distribution = seed % 4 == 0 ? UNIFORM : INTEGERS;
            c.divisors[0] = divisors[seed % COUNT_OF(divisors)];
            if (get_test_level() > LEVEL_QUICK || (i + b) % BOUNDARIES < 2)
                check(&c, 11);
        }
}

/* An image without columns has no bytes, whatever is said of its rows. */
Test(convolution, empty_images_of_any_height)
{
    static const int8_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const prim_image image = {NULL, 0, (size_t)1 << 60, 4096, 1, CUDA_R_8U};
    const prim_mask mask = {
        .h_values = ones, .width = 3, .height = 3, .anchor_x = 1, .anchor_y = 1, .type = CUDA_R_8I};
    cr_prim(prim_convolve_2d(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CLAMP, NULL, image, mask,
                             image, NULL));
    cr_prim(prim_convolve_2d_host(0, PRIM_BOUNDARY_CLAMP, NULL, image, mask, image, 1));
    if (has_tensor_cores())
        cr_assert(runs(prim_convolve_2d(PRIM_CONVOLUTION_TENSOR, 0, PRIM_BOUNDARY_CLAMP, NULL,
                                        image, mask, image, asking())));
}

/* ---- tiles of TENSOR, and strips of bytes ---- */

/* Rows that begin alike within 16 bytes, or not, for half of the cases each. */
static void choose_gaps(convolution *c)
{
    const size_t rest = (16 - row_elements(c) % 16) % 16;
    if (c->seed % 4 < 2)
        c->in_gap = rest + c->seed / 4 % 2 * 16;
    if (c->seed % 2 == 0)
        c->out_gap = rest + c->seed / 8 % 2 * 16;
    c->offset = c->seed / 16 % 5 * 7 % 20;
}

/* Less than a tile and more, along both sides; a tile has 64 rows of 256 bytes. */
static const extent tile_images[] = {{5, 3}, {21, 70}, {85, 64}, {86, 66}, {64, 63},  {300, 20},
                                     {3, 2}, {8, 1},   {17, 5},  {31, 4},  {133, 130}};
static const extent tile_masks[] = {{3, 3}, {5, 5}, {7, 7},   {1, 1},  {4, 3},  {3, 5},
                                    {2, 9}, {9, 2}, {15, 15}, {15, 1}, {1, 15}, {11, 4}};

ParameterizedTestParameters(convolution, tiles_of_integers)
{
    return cr_make_param_array(const extent, (void *)(uintptr_t)tile_masks, COUNT_OF(tile_masks));
}

ParameterizedTest(const extent *mask, convolution, tiles_of_integers)
{
    const bool quick = get_test_level() == LEVEL_QUICK;
    uint64_t seed = 81000 + 1000 * (16 * mask->width + mask->height);
    if (!has_tensor_cores())
        cr_skip_test("before compute capability 8.0");
    for (size_t i = 0; i < COUNT_OF(tile_images); i++)
        for (size_t b = 0; b < BOUNDARIES; b++, seed++) {
            const cudaDataType_t type = seed % 3 ? CUDA_R_8I : CUDA_R_16I;
            const combination k = {PRIM_CONVOLUTION_TENSOR, CUDA_R_8U, CUDA_R_8U, type};
            convolution c = by_chance(&k, (prim_boundary)b, tile_images[i], *mask, seed);
            choose_gaps(&c);
            if (quick && (i + b) % BOUNDARIES > 0)
                continue;
            check(&c, quick ? 13 : 5);
        }
}

/* Weights whose sums no float holds as tiny ones do, and weights as they come. */
static void choose_weights(const convolution *c, float *h_mask)
{
    static const float far[] = {0x1p-60f, 0x1p27f, 0x1p-140f, NAN, INFINITY, -0x1p100f};
    if (c->seed % 5 == 0)
        h_mask[c->seed % weights(c)] = far[c->seed / 5 % COUNT_OF(far)];
    if (c->seed % 5 == 1)
        h_mask[c->seed % weights(c)] = 0x1p-50f;
}

ParameterizedTestParameters(convolution, strips_of_bytes)
{
    static const size_t sides[] = {3, 5, 7};
    return cr_make_param_array(const size_t, (void *)(uintptr_t)sides, COUNT_OF(sides));
}

/* The last image is large enough for strips under 3 × 3 and 5 × 5; its lines have two of them and a
 * part. */
ParameterizedTest(const size_t *side, convolution, strips_of_bytes)
{
    const extent strips[] = {{7, 9},    {171, 20}, {512, 13},
                             {180, 45}, {600, 9},  {370, enough_bytes(*side) / 1100}};
    const combination k = {PRIM_CONVOLUTION_CONSTANT, CUDA_R_8U, CUDA_R_8U, 0};
    uint64_t seed = 83000 + 1000 * *side;
    for (size_t i = 0; i < COUNT_OF(strips); i++)
        for (size_t b = 0; b < 2 * BOUNDARIES; b++, seed++) {
            convolution c = by_chance(&k, (prim_boundary)(b % BOUNDARIES), strips[i],
                                      (extent){*side, *side}, seed);
            c.distribution = UNIFORM;
            c.is_vector = false;
            if (i == COUNT_OF(strips) - 1)
                c.channels = 3 + (int)(seed % 2);
            choose_gaps(&c);
            if (get_test_level() == LEVEL_QUICK && (i + b) % BOUNDARIES > 1)
                continue;
            arrays a = make_arrays(&c);
            choose_weights(&c, (float *)(uintptr_t)a.mask);
            run(&c, &a);
            char *h_first = malloc(out_bytes(&c));
            memcpy(h_first, a.out, out_bytes(&c));
            c.variant = PRIM_CONVOLUTION_REGISTER;
            run(&c, &a);
            char text[320];
            describe(&c, text, sizeof text);
            cr_assert_arr_eq(a.out, h_first, out_bytes(&c), "%s", text);
            free(h_first);
            free_arrays(&a);
        }
}

/* Nine of the largest weights under white: a sum that a float does not hold, beside a tie. */
Test(convolution, sums_beyond_floats_are_exact)
{
    enum { SUM = 255 * 9 * 32767 };
    static const int32_t divisors[] = {2 * SUM - 1, 2 * SUM, 2 * SUM + 1, -2 * SUM + 1};
    static int16_t largest[9];
    for (size_t k = 0; k < COUNT_OF(largest); k++)
        largest[k] = INT16_MAX;
    for (size_t d = 0; d < COUNT_OF(divisors); d++) {
        const convolution c = {.variant = PRIM_CONVOLUTION_REGISTER,
                               .type = CUDA_R_8U,
                               .out_type = CUDA_R_8U,
                               .integers = CUDA_R_16I,
                               .divisors = {divisors[d], 0},
                               .boundary = PRIM_BOUNDARY_CLAMP,
                               .channels = 1,
                               .image = {5, 4},
                               .mask = {3, 3},
                               .anchor = {1, 1},
                               .place = ON_HOST};
        check_integers(&c, largest);
    }
}

/* The fill of a separable mask's bytes ends with the last channel's. */
Test(convolution, a_fill_is_read_as_far_as_it_goes)
{
    static const int8_t ones[] = {1, 1};
    const prim_mask row = {ones, NULL, 2, 1, 0, 0, CUDA_R_8I, 2},
                    column = {ones, NULL, 1, 2, 0, 0, CUDA_R_8I, 0};
    uint8_t *h_fill = malloc(1), h_out[4];
    *h_fill = 100;
    guarded in = guarded_copy("\0\1\2\3", 4, 0), out = guarded_new(4, 0);
    const prim_image from = {in.data, 2, 2, 2, 1, CUDA_R_8U},
                     to = {out.data, 2, 2, 2, 1, CUDA_R_8U};
    cr_prim(prim_convolve_separable(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CONSTANT, h_fill, from,
                                    row, column, to, NULL));
    guarded_read(&out, h_out);
    cr_assert_arr_eq(h_out, "\3\x66\x66\x98", 4); /* 6, 204, 205, 303 over 2, to even */
    free(h_fill);
    guarded_free(&in);
    guarded_free(&out);
}

static prim_status divide(cudaDataType_t type, int32_t x, int32_t y)
{
    static const char weights[4] __attribute__((aligned(4)));
    static uint8_t pixel, result;
    const prim_image in = {&pixel, 1, 1, 1, 1, CUDA_R_8U}, out = {&result, 1, 1, 1, 1, CUDA_R_8U};
    const prim_mask row = {weights, NULL, 1, 1, 0, 0, type, x},
                    column = {weights, NULL, 1, 1, 0, 0, type, y};
    return prim_convolve_separable_host(0, PRIM_BOUNDARY_CLAMP, NULL, in, row, column, out, 1);
}

Test(convolution, divisors_are_those_of_integers_and_fit_32_bits)
{
    cr_assert_eq(divide(CUDA_R_32F, 0, 1), PRIM_OK);
    cr_assert_eq(divide(CUDA_R_32F, 2, 0), PRIM_ERROR_VALUE);
    cr_refused(divide(CUDA_R_32F, 1, -1), PRIM_ERROR_VALUE, "divisor is -1");
    cr_assert_eq(divide(CUDA_R_8I, INT32_MIN, 0), PRIM_OK);
    cr_assert_eq(divide(CUDA_R_16I, 46340, 46340), PRIM_OK);
    cr_assert_eq(divide(CUDA_R_16I, 65536, -32768), PRIM_OK);
    cr_assert_eq(divide(CUDA_R_16I, 65536, 32768), PRIM_ERROR_VALUE);
    cr_assert_eq(divide(CUDA_R_8I, INT32_MIN, -1), PRIM_ERROR_VALUE);
    cr_refused(divide(CUDA_R_8I, INT32_MIN, INT32_MIN), PRIM_ERROR_VALUE, "does not fit int32_t");
}

/* ---- what a call reads of the host, it reads during the call ---- */

static void capture_overwrite_replay(convolution *c)
{
    arrays a = make_arrays(c);
    const size_t mask_bytes = weights(c) * type_bytes(weight_type(c));
    guarded in = guarded_copy(a.in, in_bytes(c), 0);
    guarded out = guarded_new(out_bytes(c), 0);
    guarded d_mask = guarded_copy(a.mask, mask_bytes, 0);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cr_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cr_cuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    const places p = {in.data, d_mask.data, out.data, NULL, 0};
    const prim_status status = call(c, &a, &p, stream);
    char *h_mask = malloc(mask_bytes), h_fill[sizeof a.fill];
    memcpy(h_mask, a.mask, mask_bytes);
    memcpy(h_fill, a.fill, sizeof h_fill);
    memset(a.mask, 0x3f, mask_bytes);
    memset(a.fill, 0x3f, sizeof a.fill);
    cr_cuda(cudaStreamEndCapture(stream, &graph));
    cr_assert_eq(status, PRIM_OK, "%s", prim_last_error(NULL));
    cr_cuda(cudaGraphInstantiate(&exec, graph, 0));
    for (int times = 0; times < 2; times++) {
        guarded_poison(&out);
        cr_cuda(cudaDeviceSynchronize()); /* the graph's stream does not wait for others */
        cr_cuda(cudaGraphLaunch(exec, stream));
        cr_cuda(cudaStreamSynchronize(stream));
        guarded_read(&out, a.out);
        memcpy(a.mask, h_mask, mask_bytes);
        memcpy(a.fill, h_fill, sizeof h_fill);
        check_answer(c, &a, 1);
        memset(a.mask, 0x3f, mask_bytes);
        memset(a.fill, 0x3f, sizeof a.fill);
    }
    cr_cuda(cudaGraphExecDestroy(exec));
    cr_cuda(cudaGraphDestroy(graph));
    cr_cuda(cudaStreamDestroy(stream));
    free(h_mask);
    guarded_free(&in);
    guarded_free(&out);
    guarded_free(&d_mask);
    free_arrays(&a);
}

ParameterizedTestParameters(convolution, host_values_may_change_after_the_call)
{
    return combinations();
}

ParameterizedTest(combination *k, convolution, host_values_may_change_after_the_call)
{
    static const extent sizes[] = {{3, 3}, {5, 2}, {30, 20}, {90, 100}};
    for (size_t m = 0; m < COUNT_OF(sizes); m++) {
        convolution c = by_chance(k, PRIM_BOUNDARY_CONSTANT, (extent){9, 7}, sizes[m], 40 + m);
        c.has_fill = true;
        c.distribution = m == 3 ? INTEGERS : c.distribution;
        if (should_support(&c))
            capture_overwrite_replay(&c);
    }
}

/* ---- which mask a variant takes ---- */

Test(convolution, a_rung_takes_its_mask_from_where_it_says)
{
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++)
        for (int place = ON_DEVICE; place <= ON_BOTH; place++)
            for (size_t m = 0; m < COUNT_OF(masks); m++) {
                const combination k = {prim_convolution_variant_at(v)->value, CUDA_R_32F,
                                       CUDA_R_32F, 0};
                convolution c =
                    by_chance(&k, PRIM_BOUNDARY_CLAMP, (extent){6, 5}, masks[m], 70 + m);
                c.place = (mask_place)place;
                check(&c, 1);
            }
}

/* ---- the host's versions ---- */

static bool has_threads(void)
{
    const float h_mask = 1;
    const prim_mask mask = {&h_mask, NULL, 1, 1, 0, 0, CUDA_R_32F, 0};
    return prim_convolve_1d_host(0, PRIM_BOUNDARY_CLAMP, NULL, CUDA_R_32F, NULL, 0, mask, NULL,
                                 2) == PRIM_OK;
}

static void check_host(convolution *c, int threads)
{
    arrays a = make_arrays(c);
    memset(a.out, GUARD_PATTERN, out_bytes(c));
    cr_prim(convolve_on_host(c, &a, threads));
    check_answer(c, &a, 7);
    free_arrays(&a);
}

Test(convolution, host_versions)
{
    static const int threads[] = {1, 2, 3, 7};
    const size_t thread_counts = has_threads() ? COUNT_OF(threads) : 1;
    for (size_t t = 0; t < COUNT_OF(types); t++)
        for (size_t i = 0; i < COUNT_OF(images); i++)
            for (size_t m = 0; m < COUNT_OF(masks); m++)
                for (size_t n = 0; n < thread_counts; n++) {
                    const combination k = {PRIM_CONVOLUTION_AUTO, types[t].in, types[t].out,
                                           types[t].integers};
                    const uint64_t seed = 800 + 40 * i + 4 * m + n;
                    convolution c = by_chance(&k, (prim_boundary)(seed % BOUNDARIES), images[i],
                                              masks[m], seed + t);
                    c.place = ON_HOST;
                    const bool wanted = get_test_level() > LEVEL_QUICK || (i + m + t) % 4 == n;
                    if (wanted && !is_too_long(&c))
                        check_host(&c, threads[n]);
                    c.is_separable = true;
                    if (c.distribution == EXTREMES)
                        c.distribution = INTEGERS;
                    choose_divisors(&c);
                    if (wanted && !is_too_long(&c))
                        check_host(&c, threads[n]);
                }
}

Test(convolution, host_refuses_what_it_cannot_do)
{
    float h_in[6] = {1, 2, 3, 4, 5, 6}, h_out[6], h_mask[2] = {1, 2};
    const prim_image in = {h_in, 3, 2, 12, 1, CUDA_R_32F}, out = {h_out, 3, 2, 12, 1, CUDA_R_32F};
    const prim_mask mask = {h_mask, NULL, 2, 1, 0, 0, CUDA_R_32F, 0};
    const prim_boundary clamp = PRIM_BOUNDARY_CLAMP;
    prim_mask device_mask = mask, inside = mask;
    prim_image no_in = in, over_in = out;
    device_mask.h_values = NULL, device_mask.d_values = h_mask;
    inside.h_values = h_out + 1;
    no_in.data = NULL;
    over_in.data = h_in;
    cr_refused(prim_convolve_2d_host(0, clamp, NULL, in, mask, out, 0), PRIM_ERROR_VALUE,
               "threads");
    cr_assert_eq(prim_convolve_2d_host(0, clamp, NULL, in, mask, out, 1025), PRIM_ERROR_VALUE);
    cr_assert_eq(prim_convolve_2d_host(2, clamp, NULL, in, mask, out, 1), PRIM_ERROR_VALUE);
    cr_refused(prim_convolve_2d_host(0, clamp, NULL, in, device_mask, out, 1), PRIM_ERROR_NULL,
               "h_values");
    cr_refused(prim_convolve_2d_host(0, clamp, NULL, no_in, mask, out, 1), PRIM_ERROR_NULL, "h_in");
    cr_assert_eq(prim_convolve_2d_host(0, clamp, NULL, in, mask, over_in, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_convolve_2d_host(0, clamp, NULL, in, inside, out, 1), PRIM_ERROR_OVERLAP);
    cr_assert_eq(prim_convolve_2d_host(0, (prim_boundary)5, NULL, in, mask, out, 1),
                 PRIM_ERROR_ENUM);
    cr_assert_eq(prim_convolve_1d_host(0, clamp, NULL, CUDA_R_16BF, h_in, 3, mask, h_out, 1),
                 PRIM_ERROR_TYPE);
    if (!has_threads())
        cr_assert_eq(prim_convolve_2d_host(0, clamp, NULL, in, mask, out, 2),
                     PRIM_ERROR_UNSUPPORTED);
}

/* Bytes after the last row belong to no image: here out begins in in's, and ends with the memory.
 */
static void check_behind_the_last_row(prim_convolution_variant variant, int threads)
{
    enum { WIDTH = 5, HEIGHT = 4, PITCH = 64, BEGIN = 3 * PITCH + WIDTH * 4, END = 2 * BEGIN };
    float h_mask[] = {2};
    guarded memory = guarded_new(END, 0), d_mask = guarded_copy(h_mask, sizeof h_mask, 0);
    char h[END];
    fill(CUDA_R_32F, h, END / 4, UNIFORM, 5);
    cr_cuda(cudaMemcpy(memory.data, h, END, cudaMemcpyHostToDevice));
    const prim_mask mask = {h_mask, d_mask.data, 1, 1, 0, 0, CUDA_R_32F, 0};
    prim_image in = {memory.data, WIDTH, HEIGHT, PITCH, 1, CUDA_R_32F}, out = in;
    if (threads > 0) {
        in.data = h;
        out.data = h + BEGIN;
        cr_prim(prim_convolve_2d_host(0, PRIM_BOUNDARY_CLAMP, NULL, in, mask, out, threads));
    } else {
        out.data = (char *)memory.data + BEGIN;
        cr_prim(prim_convolve_2d(variant, 0, PRIM_BOUNDARY_CLAMP, NULL, in, mask, out, NULL));
        guarded_read(&memory, h);
    }
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++)
            cr_assert_eq(read_float(CUDA_R_32F, h + BEGIN + y * PITCH, x),
                         2 * read_float(CUDA_R_32F, h + y * PITCH, x));
    guarded_free(&memory);
    guarded_free(&d_mask);
}

Test(convolution, padding_behind_the_last_row_is_nobodys)
{
    for (size_t v = 0; variant_of_floats_at(v) != NULL; v++)
        check_behind_the_last_row(variant_of_floats_at(v)->value, 0);
    check_behind_the_last_row(PRIM_CONVOLUTION_AUTO, 1);
}

/* A mask that copies the image, over more rows than 16 bits count and rows too long for narrow
 * images' kernels. */
Test(convolution, more_rows_than_16_bits_count)
{
    enum { WIDTH = 257, PITCH = 272, HEIGHT = 65600 };
    static const float h_mask[9] = {[4] = 1};
    unsigned char *const h_in = malloc(HEIGHT * PITCH), *const h_out = malloc(HEIGHT * PITCH);
    for (size_t i = 0; i < HEIGHT * PITCH; i++)
        h_in[i] = (unsigned char)(i / PITCH % 251 + i % PITCH % 5);
    guarded d_in = guarded_copy(h_in, HEIGHT * PITCH, 0), d_out = guarded_new(HEIGHT * PITCH, 0);
    const prim_mask mask = {.h_values = h_mask,
                            .width = 3,
                            .height = 3,
                            .anchor_x = 1,
                            .anchor_y = 1,
                            .type = CUDA_R_32F};
    const prim_image in = {d_in.data, WIDTH, HEIGHT, PITCH, 1, CUDA_R_8U},
                     out = {d_out.data, WIDTH, HEIGHT, PITCH, 1, CUDA_R_8U};
    cr_prim(prim_convolve_2d(PRIM_CONVOLUTION_REGISTER, 0, PRIM_BOUNDARY_CLAMP, NULL, in, mask, out,
                             NULL));
    guarded_read(&d_out, h_out);
    for (size_t y = 0; y < HEIGHT; y++)
        cr_assert_arr_eq(h_out + y * PITCH, h_in + y * PITCH, WIDTH, "row %zu", y);
    guarded_free(&d_in);
    guarded_free(&d_out);
    free(h_in);
    free(h_out);
}

Test(convolution, a_mask_without_an_anchor_has_it_in_the_centre)
{
    const prim_mask even = prim_mask_of(CUDA_R_32F, (const void *)16, NULL, 4, 5),
                    dot = prim_mask_of(CUDA_R_8I, NULL, (const void *)16, 1, 1);
    cr_assert(even.h_values == (const void *)16 && even.d_values == NULL);
    cr_assert(even.width == 4 && even.height == 5 && even.type == CUDA_R_32F);
    cr_assert(even.anchor_x == 2 && even.anchor_y == 2 && even.divisor == 0);
    cr_assert(dot.h_values == NULL && dot.d_values == (const void *)16);
    cr_assert(dot.anchor_x == 0 && dot.anchor_y == 0 && dot.type == CUDA_R_8I);
}

/* Left out, a pitch is that of a row: 5 × 3 pixels of two channels, moved by one to the right. */
Test(convolution, an_image_without_a_pitch_has_no_gaps)
{
    enum { WIDTH = 5, HEIGHT = 3, CHANNELS = 2, BYTES = WIDTH * HEIGHT * CHANNELS };
    static const float h_right[2] = {1, 0};
    uint8_t h_in[BYTES], h_out[BYTES], h_host[BYTES];
    for (size_t i = 0; i < BYTES; i++)
        h_in[i] = (uint8_t)(7 * i);
    guarded d_in = guarded_copy(h_in, BYTES, 0), d_out = guarded_new(BYTES, 0);
    prim_image in = {d_in.data, WIDTH, HEIGHT, 0, CHANNELS, CUDA_R_8U}, out = in;
    out.data = d_out.data;
    const prim_mask mask = prim_mask_of(CUDA_R_32F, h_right, NULL, 2, 1);
    cr_prim(prim_convolve_2d(PRIM_CONVOLUTION_AUTO, 0, PRIM_BOUNDARY_CONSTANT, NULL, in, mask, out,
                             NULL));
    guarded_read(&d_out, h_out);
    in.data = h_in;
    out.data = h_host;
    cr_prim(prim_convolve_2d_host(0, PRIM_BOUNDARY_CONSTANT, NULL, in, mask, out, 1));
    for (size_t i = 0; i < BYTES; i++) {
        const size_t x = i / CHANNELS % WIDTH;
        cr_assert_eq(h_out[i], x == 0 ? 0 : h_in[i - CHANNELS], "byte %zu", i);
        cr_assert_eq(h_host[i], h_out[i], "byte %zu on the host", i);
    }
    guarded_free(&d_in);
    guarded_free(&d_out);
}

/* ---- the table ---- */

Test(convolution, variants_have_names_and_ideas)
{
    cr_assert_eq(prim_convolution_variant_at(0)->value, PRIM_CONVOLUTION_AUTO);
    cr_assert_not_null(prim_convolution_variant_at(3));
    for (size_t v = 0; prim_convolution_variant_at(v) != NULL; v++) {
        const char *name = prim_convolution_variant_at(v)->name;
        cr_assert(name != NULL && strlen(name) > 0);
        cr_assert(strlen(prim_convolution_variant_at(v)->idea) > 0);
        for (size_t w = 0; w < v; w++)
            cr_assert_str_neq(name, prim_convolution_variant_at(w)->name);
    }
    cr_assert_null(prim_convolution_variant_info((prim_convolution_variant)9999));
}

/* ---- routes of REGISTER ---- */

typedef struct routed {
    const char *route;
    cudaDataType_t type, mask_type;
    int channels;
    extent image, mask;
    bool is_separable;
} routed;

static const routed routes[] = {
    {"window", CUDA_R_32F, CUDA_R_32F, 1, {1000, 700}, {4, 4}, false},
    {"window", CUDA_R_32F, CUDA_R_32F, 1, {1001, 700}, {5, 5}, false}, /* rows are not aligned */
    {"window", CUDA_R_16F, CUDA_R_32F, 3, {1000, 700}, {5, 5}, false},
    {"window", CUDA_R_32F, CUDA_R_32F, 1, {1000, 700}, {40, 40}, false}, /* weights are copied */
    {"window", CUDA_R_32F, CUDA_R_32F, 1, {4, 70}, {3, 3}, false},
    {"thin", CUDA_R_32F, CUDA_R_32F, 1, {4, 70000}, {3, 3}, false},
    {"thin", CUDA_R_32F, CUDA_R_32F, 1, {12, 120000}, {3, 3}, false},
    {"thin", CUDA_R_8U, CUDA_R_32F, 1, {600000, 3}, {3, 3}, false},
    {"patches", CUDA_R_32F, CUDA_R_32F, 1, {4096, 4096}, {5, 5}, false},
    {"patches", CUDA_R_32F, CUDA_R_32F, 1, {4096, 4096}, {3, 3}, true},
    {"bytes", CUDA_R_8U, CUDA_R_32F, 3, {2000, 2000}, {3, 3}, false},
    {"window", CUDA_R_8U, CUDA_R_32F, 3, {2000, 10}, {3, 3}, false}, /* too few for strips */
    {"bytes", CUDA_R_8U, CUDA_R_32F, 4, {2000, 2000}, {5, 5}, false},
    {"byte_integers", CUDA_R_8U, CUDA_R_8I, 3, {2000, 2000}, {3, 3}, false},
    {"strips", CUDA_R_32F, CUDA_R_32F, 1, {1001, 700}, {9, 9}, true},
    {"low_separable", CUDA_R_32F, CUDA_R_32F, 1, {1000, 4}, {4, 4}, true},
    {"two_windows", CUDA_R_32F, CUDA_R_32F, 2, {1000, 700}, {17, 17}, true},
    {"two_windows", CUDA_R_16F, CUDA_R_32F, 1, {1000, 700}, {4, 4}, true},
};

static prim_status ask_for_route(prim_convolution_variant variant, const routed *r,
                                 prim_answer *answer)
{
    static const char weights[40 * 40 * sizeof(float)];
    const prim_call call = {.answer = answer};
    const prim_image image = {NULL, r->image.width, r->image.height, 0, r->channels, r->type};
    const prim_mask mask = prim_mask_of(r->mask_type, weights, NULL, r->mask.width,
                                        r->is_separable ? 1 : r->mask.height);
    const prim_mask column = prim_mask_of(r->mask_type, weights, NULL, 1, r->mask.height);
    return r->is_separable
               ? prim_convolve_separable(variant, 0, PRIM_BOUNDARY_CLAMP, NULL, image, mask, column,
                                         image, &call)
               : prim_convolve_2d(variant, 0, PRIM_BOUNDARY_CLAMP, NULL, image, mask, image, &call);
}

Test(convolution, routes)
{
    for (size_t i = 0; i < COUNT_OF(routes); i++) {
        prim_answer answer = {0};
        cr_assert_eq(ask_for_route(PRIM_CONVOLUTION_REGISTER, &routes[i], &answer), PRIM_OK,
                     "case %zu: %s", i, prim_last_error(NULL));
        cr_assert_str_eq(answer.route, routes[i].route, "case %zu", i);
    }
}

/* SMALL as far as a multiprocessor has little to do: four times as much over few columns, and a
 * quarter where REGISTER has patches or strips. */
Test(convolution, auto_takes_small)
{
    const size_t p = count_multiprocessors();
    const struct {
        cudaDataType_t type;
        extent image, mask;
        bool is_separable, is_small;
    } cases[] = {
        {CUDA_R_32F, {60 * p, 40}, {4, 4}, false, true},
        {CUDA_R_32F, {250 * p, 40}, {4, 4}, false, false},
        {CUDA_R_16F, {60 * p, 40}, {4, 4}, false, true},
        {CUDA_R_16F, {100, 100 * p}, {4, 4}, false, true}, /* few columns */
        {CUDA_R_16F, {150, 100 * p}, {4, 4}, false, false},
        {CUDA_R_32F, {2, 1400 * p}, {9, 9}, false, true}, /* outputs one after the other */
        {CUDA_R_32F, {2, 1900 * p}, {9, 9}, false, false},
        {CUDA_R_32F, {80 * p, 40}, {3, 3}, false, false}, /* patches */
        {CUDA_R_32F, {16 * p, 40}, {3, 3}, false, true},
        {CUDA_R_32F, {300 * p, 40}, {4, 5}, true, true},
        {CUDA_R_32F, {300 * p, 40}, {5, 5}, true, false},  /* strips */
        {CUDA_R_16F, {1000 * p, 7}, {3, 3}, false, false}, /* few rows */
        {CUDA_R_16F, {200 * p, 7}, {3, 3}, false, true},
        {CUDA_R_16F, {1000 * p, 7}, {4, 4}, true, true},
        {CUDA_R_16F, {3000 * p, 7}, {4, 4}, true, false},
        {CUDA_R_32F, {96, 5000 * p}, {4, 4}, true, true}, /* narrow */
        {CUDA_R_32F, {97, 5000 * p}, {4, 4}, true, false},
        {CUDA_R_32F, {101, p}, {16, 17}, false, false}, /* it does not take it */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        prim_answer answer = {0};
        const routed r = {NULL,           cases[i].type, CUDA_R_32F,           1,
                          cases[i].image, cases[i].mask, cases[i].is_separable};
        cr_assert_eq(ask_for_route(PRIM_CONVOLUTION_AUTO, &r, &answer), PRIM_OK);
        cr_assert_eq(answer.variant->value == PRIM_CONVOLUTION_SMALL, cases[i].is_small,
                     "case %zu: %s", i, answer.variant->name);
    }
}

/* TENSOR from so many elements of a multiprocessor on as the mask asks for. */
Test(convolution, auto_takes_tensor)
{
    const size_t p = count_multiprocessors();
    const struct {
        extent image, mask;
        bool is_tensor;
    } cases[] = {
        {{1024, 80 * p}, {3, 3}, true},  {{1024, 78 * p}, {3, 3}, false},
        {{1024, 40 * p}, {5, 5}, true},  {{1024, 39 * p}, {5, 5}, false},
        {{1024, 16 * p}, {9, 2}, true},  {{1024, 15 * p}, {9, 2}, false},
        {{8192 * p, 32}, {5, 5}, true},  {{8192 * p, 31}, {5, 5}, false},
        {{128, 4096 * p}, {5, 4}, true}, {{127, 4096 * p}, {5, 4}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        prim_answer answer = {0};
        const routed r = {NULL, CUDA_R_8U, CUDA_R_8I, 1, cases[i].image, cases[i].mask, false};
        cr_assert_eq(ask_for_route(PRIM_CONVOLUTION_AUTO, &r, &answer), PRIM_OK);
        cr_assert_eq(answer.variant->value == PRIM_CONVOLUTION_TENSOR,
                     cases[i].is_tensor && has_tensor_cores(), "case %zu: %s", i,
                     answer.variant->name);
    }
}

/* CONSTANT has one way. */
Test(convolution, one_route)
{
    const prim_image image = {NULL, 100, 100, 0, 1, CUDA_R_32F};
    const float weights[9] = {0};
    const prim_mask mask = prim_mask_of(CUDA_R_32F, weights, NULL, 3, 3);
    prim_answer answer = {0};
    cr_assert_eq(prim_convolve_2d(PRIM_CONVOLUTION_CONSTANT, 0, PRIM_BOUNDARY_CLAMP, NULL, image,
                                  mask, image, &(prim_call){.answer = &answer}),
                 PRIM_OK, "%s", prim_last_error(NULL));
    cr_assert_null(answer.route);
}
