/* In Criterion's place: enough of its words for the kit's tests, which here run in a few processes,
 * one after the other in each, where Criterion starts a process for every test. On a GPU each
 * process makes a context of its own, which takes a quarter of a second; and under ThreadSanitizer
 * Criterion cannot start at all. */
#ifndef TESTS_PLAIN_CRITERION_H
#define TESTS_PLAIN_CRITERION_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct criterion_test_params {
    size_t size;  /* bytes of a parameter */
    void *params; /* one after the other */
    size_t length;
};

/* Criterion takes a function that frees them, too. */
#define cr_make_param_array(type, ...) PLAIN_PARAMETERS(type, __VA_ARGS__, )
#define PLAIN_PARAMETERS(type, array, count, ...) \
    ((struct criterion_test_params){sizeof(type), (array), (count)})

typedef struct plain_test {
    const char *suite, *name;
    void (*run)(void); /* NULL: with each of the parameters */
    void (*run_with)(void *parameter);
    struct criterion_test_params (*parameters)(void);
    struct plain_test *next;
} plain_test;

/* What comes before each test of a suite. */
typedef struct plain_suite {
    const char *name;
    void (*init)(void);
    struct plain_suite *next;
} plain_suite;

/* A program may have one: what is to be as in a new process when a test begins. */
__attribute__((weak)) void plain_before_each(void);

/* main.c runs all that were added, in their order. */
void plain_add(plain_test *test);
void plain_add_suite(plain_suite *suite);

/* Says where, which condition, and why. The test has failed: it goes on, or ends. */
void plain_expect(const char *file, int line, const char *condition, const char *format, ...);
__attribute__((noreturn)) void plain_fail(const char *file, int line, const char *condition,
                                          const char *format, ...);

/* Ends the test, which counts as passed. */
__attribute__((noreturn)) void plain_skip(const char *format, ...);

/* What else Criterion takes, such as .timeout, is not looked at. */
#define Test(suite, ...) PLAIN_TEST(suite, __VA_ARGS__, )
#define PLAIN_TEST(suite, name, ...)                    \
    static void suite##_##name##_run(void);             \
    PLAIN_ADD(suite, name, .run = suite##_##name##_run) \
    static void suite##_##name##_run(void)

#define ParameterizedTestParameters(suite, name) \
    static struct criterion_test_params suite##_##name##_parameters(void)
#define ParameterizedTest(parameter, suite, name)                 \
    static void suite##_##name##_run(parameter);                  \
    static void suite##_##name##_run_with(void *any)              \
    {                                                             \
        suite##_##name##_run(any);                                \
    }                                                             \
    PLAIN_ADD(suite, name, .run_with = suite##_##name##_run_with, \
              .parameters = suite##_##name##_parameters)          \
    static void suite##_##name##_run(parameter)

#define PLAIN_ADD(suite_, name_, ...)                                             \
    __attribute__((constructor)) static void add_##suite_##_##name_(void)         \
    {                                                                             \
        static plain_test test = {.suite = #suite_, .name = #name_, __VA_ARGS__}; \
        plain_add(&test);                                                         \
    }

#define TestSuite(suite_, ...)                                             \
    static plain_suite suite_of_##suite_ = {.name = #suite_, __VA_ARGS__}; \
    __attribute__((constructor)) static void add_suite_##suite_(void)      \
    {                                                                      \
        plain_add_suite(&suite_of_##suite_);                               \
    }                                                                      \
    struct plain_suite

/* The "" stands for a message where there is none, and is one argument too many where there is. */
#define PLAIN_CHECK(otherwise, condition, ...) \
    ((condition) ? (void)0 : otherwise(__FILE__, __LINE__, #condition, __VA_ARGS__))
#define PLAIN_TRUE(otherwise, a, ...) PLAIN_CHECK(otherwise, a, __VA_ARGS__)
#define PLAIN_NOT(otherwise, a, ...) PLAIN_CHECK(otherwise, !(a), __VA_ARGS__)
#define PLAIN_NULL(otherwise, a, ...) PLAIN_CHECK(otherwise, (a) == NULL, __VA_ARGS__)
#define PLAIN_NOT_NULL(otherwise, a, ...) PLAIN_CHECK(otherwise, (a) != NULL, __VA_ARGS__)
#define PLAIN_EQ(otherwise, a, b, ...) PLAIN_CHECK(otherwise, (a) == (b), __VA_ARGS__)
#define PLAIN_NEQ(otherwise, a, b, ...) PLAIN_CHECK(otherwise, (a) != (b), __VA_ARGS__)
#define PLAIN_GT(otherwise, a, b, ...) PLAIN_CHECK(otherwise, (a) > (b), __VA_ARGS__)
#define PLAIN_GEQ(otherwise, a, b, ...) PLAIN_CHECK(otherwise, (a) >= (b), __VA_ARGS__)
#define PLAIN_LEQ(otherwise, a, b, ...) PLAIN_CHECK(otherwise, (a) <= (b), __VA_ARGS__)
#define PLAIN_STR_EQ(otherwise, a, b, ...) PLAIN_CHECK(otherwise, strcmp(a, b) == 0, __VA_ARGS__)
#define PLAIN_STR_NEQ(otherwise, a, b, ...) PLAIN_CHECK(otherwise, strcmp(a, b) != 0, __VA_ARGS__)
#define PLAIN_ARR_EQ(otherwise, a, b, bytes, ...) \
    PLAIN_CHECK(otherwise, memcmp(a, b, bytes) == 0, __VA_ARGS__)

#define cr_assert(...) PLAIN_TRUE(plain_fail, __VA_ARGS__, "")
#define cr_assert_not(...) PLAIN_NOT(plain_fail, __VA_ARGS__, "")
#define cr_assert_eq(...) PLAIN_EQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_neq(...) PLAIN_NEQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_gt(...) PLAIN_GT(plain_fail, __VA_ARGS__, "")
#define cr_assert_geq(...) PLAIN_GEQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_leq(...) PLAIN_LEQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_null(...) PLAIN_NULL(plain_fail, __VA_ARGS__, "")
#define cr_assert_not_null(...) PLAIN_NOT_NULL(plain_fail, __VA_ARGS__, "")
#define cr_assert_str_eq(...) PLAIN_STR_EQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_str_neq(...) PLAIN_STR_NEQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_arr_eq(...) PLAIN_ARR_EQ(plain_fail, __VA_ARGS__, "")
#define cr_assert_fail(...) plain_fail(__FILE__, __LINE__, "", __VA_ARGS__)
#define cr_expect(...) PLAIN_TRUE(plain_expect, __VA_ARGS__, "")
#define cr_expect_not(...) PLAIN_NOT(plain_expect, __VA_ARGS__, "")
#define cr_expect_eq(...) PLAIN_EQ(plain_expect, __VA_ARGS__, "")
#define cr_skip_test(...) plain_skip(__VA_ARGS__)

#endif
