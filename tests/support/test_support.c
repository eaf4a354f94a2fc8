// The shared context of the tests. See test.h.
#include "test.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

void test_dies(void (*function)(void), const char *condition)
{
    char said[1024] = "";
    int ends[2], result = 0;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        function();
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t got = 1; got > 0; length += got > 0 ? (size_t)got : 0)
        got = read(ends[0], said + length, sizeof said - 1 - length);
    close(ends[0]);
    assert_int_equal(waitpid(child, &result, 0), child);
    if (!WIFSIGNALED(result) || WTERMSIG(result) != SIGABRT || strstr(said, condition) == NULL)
        fail_msg("no assertion about \"%s\" but \"%s\"", condition, said);
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
