/* What the tests of reduce share: pairs of types, what a reduction must give, and inputs that suit
 * an operator. Nothing here uses the code under test. */
#ifndef TESTS_REDUCTIONS_H
#define TESTS_REDUCTIONS_H

#include "support.h"
#include "type_pairs.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { OPS = 7, TRANSFORMS = 3 };
extern const char *const op_names[OPS];
extern const char *const transform_names[TRANSFORMS];

bool has_op(cudaDataType_t type, prim_op op);

/* Elements as numbers, in the result's type. */
uint64_t transform_integer(prim_transform transform, cudaDataType_t type, uint64_t value);
double transform_float(prim_transform transform, cudaDataType_t out, double value);
bool integer_less(cudaDataType_t type, uint64_t a, uint64_t b);
bool float_less(double a, double b);
/* The type that floats are combined in. */
cudaDataType_t working_type(cudaDataType_t out);
/* The identity. */
uint64_t empty_integer(prim_op op, cudaDataType_t type);

/* What a result must be: an integer, or a float in an interval. */
typedef struct expected {
    uint64_t integer;
    double low, high;
    bool nan;
} expected;

typedef struct float_sums {
    long double sum, product;
    double magnitude, least, greatest;
    bool nan, whole;
} float_sums;

extern const float_sums no_floats;
void add_to(float_sums *s, double v);
expected judge_floats(const float_sums *s, prim_op op, cudaDataType_t out, size_t count);

/* Of `count` elements that lie so far apart. */
expected expect(prim_op op, prim_transform transform, type_pair types, const void *h_in,
                size_t count, size_t stride);
bool right(const expected *e, type_pair types, const void *result);

/* fill(), and of operators that few elements would decide, elements near their identity. */
void fill_for(prim_op op, cudaDataType_t type, void *h_in, size_t count, distribution d,
              uint64_t seed);

#endif
