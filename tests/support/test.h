// What every test includes: cmocka with its headers in the order it needs, and a context that
// fails the test when it leaks.
#ifndef GZ_TEST_H
#define GZ_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graze/graze.h"

// A context whose log goes to test_last_error, and one that checks that all memory came back.
graze_context *test_context(const graze_context_def *def);
void test_context_done(graze_context *context);
graze_context *test_context_of_width(graze_simd simd); // NULL where the machine does not have it
// A context as the state of a test, for cmocka.
int test_context_enter(void **state);
int test_context_leave(void **state);
extern char test_last_error[2048]; // the last error or warning, "" if none since test_context

// A mistake of ours: in a child process, the function ends in GZ_ASSERT with such a condition.
void test_dies(void (*function)(void), const char *condition);

// Sanitizers take ten to thirty times as long as a plain build, and what they look for shows with
// fewer and smaller things: how many there are to be, here.
#ifndef __has_feature // clang's way to tell
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define TEST_THREAD_SANITIZER 1
#else
#define TEST_THREAD_SANITIZER 0
#endif
#if TEST_THREAD_SANITIZER || defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define TEST_SANITIZED 1
#else
#define TEST_SANITIZED 0
#endif

// So many cases by chance, where each is cheap.
#define TEST_CHANCES(count) (TEST_SANITIZED ? (count) / 5 : (count))

// The thread sanitizer has nothing to find in a test that starts no threads: such a test calls this
// first, and is skipped there.
static inline void test_of_one_thread(void)
{
#if TEST_THREAD_SANITIZER
    skip();
#endif
}

// A small generator, the same on every machine: splitmix64.
typedef struct test_random {
    uint64_t state;
} test_random;
static inline uint64_t test_next(test_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline double test_unit(test_random *random) // [0, 1)
{
    return (double)(test_next(random) >> 11) * 0x1p-53;
}

#endif
