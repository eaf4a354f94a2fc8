// One run of a subcommand: its context, its messages, its signals, its exit code.
#ifndef GRAZE_CMD_SESSION_H
#define GRAZE_CMD_SESSION_H

#include "arguments.h"
#include "graze/base.h"

typedef struct cmd_session {
    graze_context *context;
    bool quiet;
    bool muted;             // nothing is said: what fails will be tried again
    bool tells_notes;       // of the library: what is being done, and why this way
    bool own_bar;           // progress of the library is of one step of many, and not shown
    bool error_said;        // since the last session_forget_error
    char last_error[512];   // its sentence
    char last_warning[512]; // not said again right behind itself: some files are read twice
} cmd_session;

// The general options and callbacks make a context. Says what is wrong and returns the exit code;
// 0 is good. The session stays where it is until session_close.
int session_open(cmd_session *session, const cmd_arguments *arguments);
void session_close(cmd_session *session);

// Turns a status into an exit code; where the library said nothing, one sentence is said here.
int session_result(cmd_session *session, graze_status status);
// Says what is wrong, and remembers it like an error of the library.
void session_error(cmd_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void session_forget_error(cmd_session *session);

// "graze: ..." on stderr, with the bar out of the way. Notes are for those who are not --quiet.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note(const cmd_session *session, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Ctrl-C once asks the work to stop, twice ends the process. Also keeps closed descriptors and
// pipes from doing harm. Called once, first.
void prepare_process(void);
bool is_stopped(void);

// "-" is standard input.
const char *input_path(const char *operand);

#endif
