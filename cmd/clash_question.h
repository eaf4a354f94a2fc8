// What a clash check is about, as files and options say it: a scene, rules and lengths. graze clash
// lists what is found, graze picture --clash draws one of them.
#ifndef GRAZE_CMD_CLASH_QUESTION_H
#define GRAZE_CMD_CLASH_QUESTION_H

#include "graze/clash.h"
#include "session.h"

typedef struct clash_question {
    cmd_session *session;
    const cmd_arguments *arguments;
    graze_scene *scene;
    graze_clash_rules *rules;
    graze_clash_def def;
    double metres_per_unit; // 0: unknown
    double read_seconds;    // that making the scene took
} clash_question;

// Options that do not go together. Says what is wrong and returns the exit code, as all of these
// do.
int check_clash_options(const cmd_arguments *arguments);

// Makes the scene of the operands, and takes the options. The session and the arguments are set.
// `memory_bytes` is for building; 0: no limit. What was made is freed by clash_question_close,
// whatever comes back.
int clash_question_open(clash_question *question, uint64_t memory_bytes);
void clash_question_close(clash_question *question);

#endif
