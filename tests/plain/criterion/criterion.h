/* In Criterion's place under ThreadSanitizer, where Criterion cannot start: enough of its words for
 * tests without parameters, which run one after the other in one process. */
#ifndef TESTS_PLAIN_CRITERION_H
#define TESTS_PLAIN_CRITERION_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct plain_test {
    const char *suite, *name;
    void (*run)(void);
    struct plain_test *next;
} plain_test;

/* main.c runs all that were added. */
void plain_add(plain_test *test);
/* Says where and why, and ends the program. */
__attribute__((noreturn)) void plain_fail(const char *file, int line, const char *format, ...);

/* Ends the test, which counts as passed. */
__attribute__((noreturn)) void plain_skip(const char *reason);

/* What else Criterion takes, such as .timeout, is not looked at. */
#define Test(suite, ...) PLAIN_TEST(suite, __VA_ARGS__, )
#define PLAIN_TEST(suite, name, ...)                                    \
    static void suite##_##name(void);                                   \
    __attribute__((constructor)) static void add_##suite##_##name(void) \
    {                                                                   \
        static plain_test test = {#suite, #name, suite##_##name, NULL}; \
        plain_add(&test);                                               \
    }                                                                   \
    static void suite##_##name(void)

/* The "" stands for a message where there is none, and is one argument too many where there is. */
#define cr_assert(...) PLAIN_ASSERT(__VA_ARGS__, "")
#define cr_assert_fail(...) plain_fail(__FILE__, __LINE__, __VA_ARGS__)
#define cr_assert_eq(...) PLAIN_EQUAL(__VA_ARGS__, "")
#define cr_assert_neq(...) PLAIN_DIFFERENT(__VA_ARGS__, "")
#define cr_assert_gt(...) PLAIN_GREATER(__VA_ARGS__, "")
#define cr_skip_test(reason) plain_skip(reason)
#define cr_assert_str_eq(...) PLAIN_SAME_STRING(__VA_ARGS__, "")
#define cr_assert_arr_eq(...) PLAIN_SAME_BYTES(__VA_ARGS__, "")

#define PLAIN_ASSERT(condition, ...) \
    ((condition) ? (void)0 : plain_fail(__FILE__, __LINE__, __VA_ARGS__))
#define PLAIN_EQUAL(a, b, ...) PLAIN_ASSERT((a) == (b), __VA_ARGS__)
#define PLAIN_DIFFERENT(a, b, ...) PLAIN_ASSERT((a) != (b), __VA_ARGS__)
#define PLAIN_GREATER(a, b, ...) PLAIN_ASSERT((a) > (b), __VA_ARGS__)
#define PLAIN_SAME_STRING(a, b, ...) PLAIN_ASSERT(strcmp(a, b) == 0, __VA_ARGS__)
#define PLAIN_SAME_BYTES(a, b, bytes, ...) PLAIN_ASSERT(memcmp(a, b, bytes) == 0, __VA_ARGS__)

#endif
