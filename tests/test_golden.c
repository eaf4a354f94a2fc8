// The same question gives the same bits: for gcc and clang, -O0 and -O3, every SIMD width. The
// hashes were taken from answers that the oracle had found right.
#include "check.h"

#include "answers.h"

// Changes with tests/support/nasty.c only.
static const uint64_t golden_pairs = UINT64_C(0xaabce01a63e5ba65);
// Changes when an answer changes. Where the library is free to choose (which of several equally
// close pairs of points), a new choice is a change too, and goes into CHANGELOG.md.
static const uint64_t golden_answers = UINT64_C(0x34e5e11edfbd1edc);

enum { EACH = 150 }; // pairs of a kind

static int open_contexts(void **state)
{
    (void)state;
    check_contexts_open();
    return 0;
}

static int close_contexts(void **state)
{
    (void)state;
    check_contexts_close();
    return 0;
}

static void pairs_are_golden(void **state)
{
    (void)state;
    uint64_t hash = ANSWERS_HASH_BEGIN;
    for (int kind = 0; kind < nasty_kind_count(); ++kind) {
        for (uint64_t index = 0; index < EACH; ++index) {
            nasty_pair pair;
            nasty_make(3, kind, index, &pair);
            hash = answers_hash_pair(hash, &pair);
        }
    }
    if (hash != golden_pairs)
        fail_msg("the pairs hash to 0x%016llx", (unsigned long long)hash);
}

static uint64_t hash_of_answers(graze_context *context)
{
    uint64_t hash = ANSWERS_HASH_BEGIN;
    for (int kind = 0; kind < nasty_kind_count(); ++kind) {
        for (uint64_t index = 0; index < EACH; ++index) {
            nasty_pair pair;
            answers got;
            nasty_make(3, kind, index, &pair);
            answers_get(context, &pair, &got);
            hash = answers_hash(hash, &got);
        }
    }
    return hash;
}

static void answers_are_golden(void **state)
{
    (void)state;
    int wrong = 0;
    for (int i = 0; i < check_context_count(); ++i) {
        uint64_t hash = hash_of_answers(check_context(i));
        if (hash == golden_answers)
            continue;
        print_message("SIMD width %d: the answers hash to 0x%016llx\n",
                      (int)graze_context_simd(check_context(i)), (unsigned long long)hash);
        ++wrong;
    }
    assert_int_equal(wrong, 0);
}

// What was just run leaves no branch of the exact geometry out.
static void every_branch_is_taken(void **state)
{
    (void)state;
    check_branches(gz_branch_count, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_golden),
        cmocka_unit_test(answers_are_golden),
        cmocka_unit_test(every_branch_is_taken),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
