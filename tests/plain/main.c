/* Runs the tests that were added, each once. ThreadSanitizer makes the program fail at its end
 * where it saw a race. */
#include <setjmp.h>
#include <stdarg.h>

#include <criterion/criterion.h>

static plain_test *tests;
static jmp_buf skipped;

void plain_add(plain_test *test)
{
    test->next = tests;
    tests = test;
}

void plain_fail(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d:", file, line);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

void plain_skip(const char *reason)
{
    printf("skipped: %s\n", reason);
    longjmp(skipped, 1);
}

static void run(const plain_test *test)
{
    if (setjmp(skipped) == 0)
        test->run();
    printf("%s::%s: ok\n", test->suite, test->name);
}

int main(void)
{
    int count = 0;
    for (const plain_test *test = tests; test != NULL; test = test->next, count++)
        run(test);
    printf("%d passed\n", count);
    return count == 0;
}
