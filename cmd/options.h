// The one table of the command: every subcommand, option, argument, unit and sentence of help.
// Parsing (arguments.c), help (help.c), man pages (manual.c) and shell completion (completion.c)
// all read it, so that they cannot disagree.
#ifndef GRAZE_CMD_OPTIONS_H
#define GRAZE_CMD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct cmd_arguments cmd_arguments;

typedef enum option_id {
    OPTION_UNIT,
    OPTION_OBJECTS,
    OPTION_COUNTS_ONLY,
    OPTION_SHAPE,
    OPTION_LAYOUT,
    OPTION_POSE,
    OPTION_PATH,
    OPTION_TOLERANCE,
    OPTION_COUNT_PAIRS,
    OPTION_ALL,
    OPTION_LIMIT,
    OPTION_DEPTH,
    OPTION_DEPTH_ERROR,
    OPTION_WITHIN,
    OPTION_WORK_LIMIT,
    OPTION_ANSWER_ERROR, // --error of a question; OPTION_ERROR is that of a picture or a mesh
    OPTION_BUDGET,
    OPTION_CONTACTS,
    OPTION_POSES,
    OPTION_NEAREST, // --distance of path
    OPTION_KINDS,
    OPTION_REPORT,
    OPTION_TABLE, // --output of path
    OPTION_RUN_RECORD,
    OPTION_REPLAY,
    OPTION_DURATION,
    OPTION_SIM_ENGINE,
    OPTION_SIM_ERROR, // --error of simulate
    OPTION_METRIC,
    OPTION_VIDEO_FRAMES,
    OPTION_SHEET,
    OPTION_SIDE_A,
    OPTION_SIDE_B,
    OPTION_TOUCH,
    OPTION_CLEARANCE,
    OPTION_RULES,
    OPTION_SAME_GROUP,
    OPTION_LIST_TOUCHING,
    OPTION_SELF,
    OPTION_ONLY_SELF,
    OPTION_ENGINE,
    OPTION_PASSES,
    OPTION_RESOLUTION,
    OPTION_RECORD,      // --output of clash
    OPTION_REVIEW_LIST, // --list of review
    OPTION_SET,
    OPTION_COMMENT,
    OPTION_ASSIGN,
    OPTION_AUTHOR,
    OPTION_SHOW,
    OPTION_DUMP,
    OPTION_CSV_FILE,  // --csv of report
    OPTION_JSON_FILE, // --json of report
    OPTION_STATS,
    OPTION_OUTPUT,
    OPTION_ERROR,
    OPTION_NO_LEVELS,
    OPTION_ONE,
    OPTION_VIEW,
    OPTION_UP,
    OPTION_PCS,
    OPTION_WIDTH,
    OPTION_CLASH, // of picture
    OPTION_LEVELS,
    OPTION_ASCII,
    OPTION_BIG_ENDIAN,
    OPTION_TRIANGLES,
    OPTION_FACTOR,
    OPTION_RELIEF,
    OPTION_OBJECT_COUNT,
    OPTION_LIST,
    OPTION_FRAMES,
    OPTION_FRAME,
    OPTION_FORMAT,
    OPTION_DENSITY,
    OPTION_REPLACE,
    OPTION_SEED,
    OPTION_SIZE,
    OPTION_DOUBLE,
    OPTION_KEEP,
    OPTION_MAN,
    OPTION_COMPLETION,
    OPTION_CSV,
    OPTION_JSON,
    OPTION_MEMORY,
    OPTION_THREADS,
    OPTION_QUIET,
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_VERBOSE,
    OPTION_COUNT // also ends lists
} option_id;

typedef enum value_kind {
    VALUE_NONE,      // a flag
    VALUE_FILE,      // a path
    VALUE_FOLDER,    // a path
    VALUE_BYTES,     // 512M: powers of 1024
    VALUE_NUMBER,    // 1.5M: powers of 1000
    VALUE_LENGTH,    // 25mm, or a number in the model's unit
    VALUE_TOLERANCE, // the same, or 0
    VALUE_ERROR,     // the same, or 0.1%: of the model's size
    VALUE_PART,      // 0.01 or 1%: more than 0, at most all
    VALUE_SHARE,     // the same, or 0
    VALUE_SECONDS,   // 1ms: above 0, with its unit
    VALUE_POSE,      // a:"x y z / ANGLE about ax ay az", or b: and the same
    VALUE_UNIT,      // mm, or metres per unit
    VALUE_PATTERN,   // of paths; the option may be repeated
    VALUE_TEXT,      // anything
    VALUE_NUMBERS,   // 17, or 3,5,8-12
    VALUE_CHOICE     // one of the option's choices
} value_kind;

typedef struct cmd_option {
    const char *name;
    char letter; // 0: none
    value_kind kind;
    const char *placeholder;    // of the value, in help
    const char *const *choices; // of VALUE_CHOICE; ends with NULL
    const char *help;           // half a sentence, no full stop
} cmd_option;

// What an operand may be, for completion.
typedef enum operand_kind { OPERAND_MESH_FILE, OPERAND_SHAPE, OPERAND_COMMAND } operand_kind;

// A row of a list in the manual: a term and what it means.
typedef struct manual_row {
    const char *term, *meaning;
} manual_row;

// A part of a manual page: paragraphs, then rows; both end with NULL and may be NULL.
typedef struct manual_section {
    const char *title;
    const char *const *paragraphs;
    const manual_row *rows;
} manual_section;

typedef struct cmd_command {
    const char *name;
    const char *summary; // half a sentence, no full stop
    const char *operands;
    operand_kind operand_kind;
    int least_operands, most_operands; // most -1: any number
    const option_id *options;          // those of its own, in order of help; general ones follow
    const char *const *description;    // paragraphs, for help and manual
    const manual_row *examples;        // term: the command line, meaning: what it does
    const manual_section *sections;    // of the manual only; ends with a NULL title
    int (*run)(const cmd_arguments *arguments);
} cmd_command;

extern const cmd_option options[OPTION_COUNT];
extern const option_id general_options[]; // taken by every subcommand
extern const option_id top_options[];     // before the subcommand
extern const cmd_command commands[];      // ends with a NULL name
extern const char *const program_summary;
extern const char *const program_description[];
extern const manual_row program_examples[];
extern const manual_row exit_codes[];
extern const manual_row environment[];
extern const manual_section program_sections[];
extern const manual_row
    made_scenes[]; // what make makes besides shapes and frames: name and operands
extern const char *const manual_date;
extern const char *const clash_description[]; // of clash_manual.c
extern const manual_row clash_examples[];
extern const manual_section clash_sections[];
extern const char *const cull_description[]; // of cull_manual.c
extern const manual_row cull_examples[];
extern const manual_section cull_sections[];
extern const manual_section info_sections[]; // of info_manual.c
extern const char *const make_description[]; // of make_manual.c
extern const manual_row make_examples[];
extern const manual_section make_sections[];
extern const char *const review_description[]; // of review_manual.c
extern const manual_row review_examples[];
extern const manual_section review_sections[];
extern const char *const report_description[];
extern const manual_row report_examples[];
extern const manual_section report_sections[];
extern const char *const simulate_description[]; // of simulate_manual.c
extern const manual_row simulate_examples[];
extern const manual_section simulate_sections[];
extern const char *const detail_description[]; // of detail_manual.c
extern const manual_section detail_sections[];

const cmd_command *find_command(const char *name); // NULL: there is none
bool command_takes(const cmd_command *command, option_id id);

// The name of a list that looks most like the word, or NULL if none is close.
const char *closest_name(const char *word, const char *const *names, size_t count);

// One function a subcommand, each in a file of its own. They return the exit code.
int command_info(const cmd_arguments *arguments);
int command_convert(const cmd_arguments *arguments);
int command_build(const cmd_arguments *arguments);
int command_check(const cmd_arguments *arguments);
int command_detail(const cmd_arguments *arguments);
int command_export(const cmd_arguments *arguments);
int command_picture(const cmd_arguments *arguments);
int command_make(const cmd_arguments *arguments);
int command_collide(const cmd_arguments *arguments);
int command_distance(const cmd_arguments *arguments);
int command_clash(const cmd_arguments *arguments);
int command_cull(const cmd_arguments *arguments);
int command_review(const cmd_arguments *arguments);
int command_report(const cmd_arguments *arguments);
int command_path(const cmd_arguments *arguments);
int command_simulate(const cmd_arguments *arguments);
int command_demo(const cmd_arguments *arguments);
int command_help(const cmd_arguments *arguments);

#endif
