// A caller that rounds otherwise, or flushes subnormals to zero, gets the same answers, and finds
// its settings as they were.
#include "check.h"

#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "answers.h"

// Bits of MXCSR: flush results to zero, take subnormal operands as zero, and what the caller set.
enum { FLUSH = 0x8040, CONTROL = 0xffc0 };

static void set_flush(bool flush)
{
#if defined(__SSE2__)
    _mm_setcsr((_mm_getcsr() & ~(unsigned)FLUSH) | (flush ? (unsigned)FLUSH : 0u));
#else
    (void)flush;
#endif
}

static unsigned control_bits(void)
{
#if defined(__SSE2__)
    return _mm_getcsr() & (unsigned)CONTROL;
#else
    return 0;
#endif
}

typedef struct setting {
    const char *name;
    int rounding;
    bool flush;
} setting;

static const setting settings[] = {
    {"nearest, flushing", FE_TONEAREST, true}, {"upward", FE_UPWARD, false},
    {"upward, flushing", FE_UPWARD, true},     {"downward", FE_DOWNWARD, false},
    {"downward, flushing", FE_DOWNWARD, true}, {"toward zero", FE_TOWARDZERO, false},
};

// True if the settings were the caller's own afterwards.
static bool get_under(const setting *chosen, graze_context *context, const nasty_pair *pair,
                      answers *out)
{
    fesetround(chosen->rounding);
    set_flush(chosen->flush);
    unsigned before = control_bits();
    answers_get(context, pair, out);
    bool kept = control_bits() == before && fegetround() == chosen->rounding;
    set_flush(false);
    fesetround(FE_TONEAREST);
    return kept;
}

static void answers_do_not_depend_on_settings(void **state)
{
    (void)state;
    check_contexts_open();
    uint64_t each = check_affordable(200) + 10;
    for (int kind = 0; kind < nasty_kind_count(); ++kind) {
        for (uint64_t index = 0; index < each; ++index) {
            nasty_pair pair;
            nasty_make(2, kind, index, &pair);
            graze_context *context = check_context((int)(index % (uint64_t)check_context_count()));
            answers plain, under;
            answers_get(context, &pair, &plain);
            const setting *chosen = &settings[index / 4 % (sizeof settings / sizeof settings[0])];
            bool kept = get_under(chosen, context, &pair, &under);
            if (!kept || memcmp(&plain, &under, sizeof plain) != 0) {
                print_message("%s: %s, kind %d (%s) index %llu\n", chosen->name,
                              kept ? "other answers" : "settings changed", kind,
                              nasty_kind_name(kind), (unsigned long long)index);
                check_print_pair(&pair);
                fail();
            }
        }
    }
    check_contexts_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_do_not_depend_on_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
