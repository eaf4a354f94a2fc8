// See session.h.
#include "session.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

// --- Signals

static volatile sig_atomic_t stop_count;

static void on_stop(int signal_number)
{
    (void)signal_number;
    if (stop_count != 0)
        _exit(EXIT_STOPPED);
    stop_count = 1;
}

bool is_stopped(void) { return stop_count != 0; }

static int on_cancel(void *user)
{
    (void)user;
    return is_stopped();
}

// A closed standard descriptor would be given to the next file opened, and messages would end up
// in it. A place holder that fails every read or write keeps the number taken.
static void occupy_standard_descriptors(void)
{
    for (int descriptor = 0; descriptor <= 2; ++descriptor)
        if (fcntl(descriptor, F_GETFD) < 0)
            (void)open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY);
}

void prepare_process(void)
{
    static const int stoppers[] = {SIGINT, SIGTERM, SIGHUP};
    occupy_standard_descriptors();
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_RESTART};
    for (size_t i = 0; i < sizeof stoppers / sizeof *stoppers; ++i) {
        struct sigaction before; // nohup wants to stay deaf to SIGHUP
        if (sigaction(stoppers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(stoppers[i], &action, NULL);
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL); // writing fails instead, and is reported
    sigaction(SIGXFSZ, &ignore, NULL); // the same for a file larger than allowed
}

// --- Messages

// Whole lines, so that messages of several threads do not mix; clean, because names and paths in
// them come from files.
static void say_list(const char *format, va_list list)
{
    char sentence[2048];
    vsnprintf(sentence, sizeof sentence, format, list);
    bar_clear();
    flockfile(stderr);
    fputs("graze: ", stderr);
    print_clean(stderr, sentence, 0);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void say(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(format, list);
    va_end(list);
}

void note(const cmd_session *session, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!session->quiet)
        say_list(format, list);
    va_end(list);
}

// Any thread of the context may come here.
static void on_log(void *user, graze_log_level level, const char *sentence)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    cmd_session *session = user;
    pthread_mutex_lock(&lock);
    if (session->muted) {
        pthread_mutex_unlock(&lock);
        return;
    }
    if (level == GRAZE_LOG_ERROR) {
        session->error_said = true;
        snprintf(session->last_error, sizeof session->last_error, "%s", sentence);
        say("%s", sentence);
    } else if (level == GRAZE_LOG_WARNING &&
               strncmp(sentence, session->last_warning, sizeof session->last_warning - 1) != 0) {
        snprintf(session->last_warning, sizeof session->last_warning, "%s", sentence);
        note(session, "warning: %s", sentence);
    } else if (level == GRAZE_LOG_NOTE && session->tells_notes) {
        note(session, "%s", sentence);
    }
    pthread_mutex_unlock(&lock);
}

static void on_progress(void *user, const graze_progress *progress)
{
    const cmd_session *session = user;
    if (!session->own_bar)
        bar_update(progress);
}

// --- Sessions

// glibc gives threads heaps of their own, and what is free in one is of no use to the others: 20 to
// 30 MB for a clash check on two threads. Where memory is limited all share one, which takes no
// longer.
static void share_heap(void)
{
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

int session_open(cmd_session *session, const cmd_arguments *arguments)
{
    *session = (struct cmd_session){.quiet = is_given(arguments, OPTION_QUIET)};
    graze_context_def def = graze_context_def_default();
    if (arguments->number[OPTION_THREADS] > 4096)
        return usage_error(arguments->command, "--threads takes a number up to 4096");
    if (is_given(arguments, OPTION_MEMORY))
        share_heap();
    def.thread_count = (uint32_t)arguments->number[OPTION_THREADS];
    def.memory_byte_limit = arguments->number[OPTION_MEMORY];
    def.cache_byte_limit = def.memory_byte_limit / 4 * 3; // the rest is for lists
    def.user = session;
    def.log = on_log;
    def.progress = on_progress;
    def.cancel = on_cancel;
    bar_allow(!session->quiet);
    return session_result(session, graze_context_create(&def, &session->context));
}

void session_close(cmd_session *session)
{
    bar_clear();
    graze_context_destroy(session->context);
    session->context = NULL;
}

void session_error(cmd_session *session, const char *format, ...)
{
    char sentence[sizeof session->last_error];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    on_log(session, GRAZE_LOG_ERROR, sentence);
}

void session_forget_error(cmd_session *session)
{
    session->error_said = false;
    session->last_error[0] = '\0';
}

int session_result(cmd_session *session, graze_status status)
{
    bar_clear();
    if (status != GRAZE_OK && !session->error_said)
        on_log(session, GRAZE_LOG_ERROR, graze_status_text(status));
    switch (status) {
    case GRAZE_OK: return EXIT_NOTHING_FOUND;
    case GRAZE_ERROR_ARGUMENT: return EXIT_USAGE;
    case GRAZE_ERROR_MEMORY:
    case GRAZE_ERROR_SPACE: return EXIT_RESOURCES;
    case GRAZE_ERROR_CANCELLED: return EXIT_STOPPED;
    case GRAZE_ERROR_IO:
    case GRAZE_ERROR_FORMAT:
    case GRAZE_ERROR_UNSUPPORTED: break;
    }
    return EXIT_BAD_INPUT;
}

const char *input_path(const char *operand)
{
    return strcmp(operand, "-") == 0 ? "/dev/stdin" : operand;
}
