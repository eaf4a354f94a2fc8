// The shared context of the tests. See test.h.
#include "test.h"

#include "base/context.h"

char test_last_error[2048];

static void keep_error(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    if (level <= GRAZE_LOG_WARNING)
        snprintf(test_last_error, sizeof test_last_error, "%s", sentence);
}

graze_context *test_context(const graze_context_def *given)
{
    graze_context_def def = given != NULL ? *given : graze_context_def_default();
    if (def.log == NULL)
        def.log = keep_error;
    test_last_error[0] = '\0';
    graze_context *context = NULL;
    assert_int_equal(graze_context_create(&def, &context), GRAZE_OK);
    return context;
}

void test_context_done(graze_context *context)
{
    // What is left is the context's own: the name of its folder, and the pool with its threads.
    uint64_t own = context->pool != NULL ? 3 : 1;
    assert_int_equal(graze_context_memory(context).block_count, own);
    graze_context_destroy(context);
}

graze_context *test_context_of_width(graze_simd simd)
{
    graze_context_def def = graze_context_def_default();
    def.simd = simd;
    graze_context *probe = NULL;
    if (graze_context_create(&def, &probe) != GRAZE_OK)
        return NULL;
    graze_context_destroy(probe);
    return test_context(&def);
}

int test_context_enter(void **state)
{
    *state = test_context(NULL);
    return 0;
}

int test_context_leave(void **state)
{
    test_context_done(*state);
    return 0;
}
