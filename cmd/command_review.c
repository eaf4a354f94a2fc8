// graze review: what stands in a record, and what people say of its clashes.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clash_print.h"
#include "record_rows.h"
#include "session.h"
#include "terminal.h"

#define PATH_COLUMNS 44

typedef struct review_run {
    cmd_session session;
    const cmd_arguments *arguments;
    const char *path, *status_word; // the record; NULL: no status was said
    graze_record *record;
    graze_record_run last; // the newest run; its texts are not kept
    uint64_t run_count;
    clash_printer printer; // for lengths
    cmd_csv csv;
    uint64_t listed;
    uint64_t counts[GRAZE_RECORD_STATUSES];
    bool shows_list; // else only counts
} review_run;

// --- Options

// "not-re-checked" on the command line is "not re-checked" elsewhere.
static bool is_status(const char *word, graze_record_status status)
{
    const char *text = graze_record_status_text(status);
    for (; *word != '\0' && *text != '\0'; ++word, ++text)
        if (*word != *text && !(*word == '-' && *text == ' '))
            return false;
    return *word == *text;
}

static graze_record_status status_of(const char *word)
{
    for (uint32_t i = 1; i < GRAZE_RECORD_STATUSES; ++i)
        if (is_status(word, (graze_record_status)i))
            return (graze_record_status)i;
    return (graze_record_status)0;
}

// A bit for each status of a list.
static uint32_t statuses_of(const char *list)
{
    if (strcmp(list, "all") == 0)
        return 0;
    if (strcmp(list, "open") == 0)
        return 1u << GRAZE_RECORD_NEW | 1u << GRAZE_RECORD_ACTIVE | 1u << GRAZE_RECORD_REVIEWED |
               1u << GRAZE_RECORD_NOT_RECHECKED;
    return 1u << status_of(list);
}

// The record and the status may come in either order: "review --set 17 approved FILE".
static int take_operands(review_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    bool sets = is_given(arguments, OPTION_SET);
    int record = 0;
    if (arguments->operand_count == 2 && status_of(arguments->operands[0]) != 0 &&
        status_of(arguments->operands[1]) == 0)
        record = 1;
    run->path = arguments->operands[record];
    if (arguments->operand_count == 2)
        run->status_word = arguments->operands[1 - record];
    if (run->status_word != NULL && !sets)
        return usage_error(arguments->command, "one argument too many: \"%s\"", run->status_word);
    if (run->status_word == NULL)
        return EXIT_NOTHING_FOUND;
    graze_record_status status = status_of(run->status_word);
    if (status < GRAZE_RECORD_ACTIVE || status > GRAZE_RECORD_RESOLVED)
        return usage_error(arguments->command,
                           "a clash can be set active, reviewed, approved or resolved, not \"%s\"",
                           run->status_word);
    return EXIT_NOTHING_FOUND;
}

static int check_options(const review_run *run)
{
    static const option_id what[] = {OPTION_REVIEW_LIST, OPTION_SHOW, OPTION_SET, OPTION_DUMP};
    static const option_id said[] = {OPTION_COMMENT, OPTION_ASSIGN, OPTION_AUTHOR};
    const cmd_arguments *arguments = run->arguments;
    int given = 0;
    for (size_t i = 0; i < sizeof what / sizeof *what; ++i)
        given += is_given(arguments, what[i]);
    if (given > 1)
        return usage_error(arguments->command,
                           "--list, --show, --set and --dump cannot go together");
    for (size_t i = 0; i < sizeof said / sizeof *said; ++i)
        if (is_given(arguments, said[i]) && !is_given(arguments, OPTION_SET))
            return usage_error(arguments->command, "--%s needs --set: of which clashes?",
                               options[said[i]].name);
    if (is_given(arguments, OPTION_SET) && run->status_word == NULL &&
        !is_given(arguments, OPTION_COMMENT) && !is_given(arguments, OPTION_ASSIGN))
        return usage_error(arguments->command,
                           "--set needs something to say: a status, --comment or --assign");
    if (is_given(arguments, OPTION_CSV) && is_given(arguments, OPTION_JSON))
        return usage_error(arguments->command, "--json and --csv cannot go together");
    if (is_given(arguments, OPTION_CSV) && !is_given(arguments, OPTION_REVIEW_LIST))
        return usage_error(arguments->command, "--csv goes with --list");
    return EXIT_NOTHING_FOUND;
}

// The numbers of --set or --show. NULL: out of memory.
static uint64_t *take_numbers(const char *text, uint64_t *count)
{
    *count = parse_number_list(text, NULL, 0);
    uint64_t *numbers = calloc((size_t)*count + 1, sizeof *numbers);
    if (numbers != NULL)
        parse_number_list(text, numbers, *count);
    return numbers;
}

// --- Lists

static void print_names(review_run *run)
{
    if (run->listed++ != 0)
        return;
    const char *unit =
        run->last.metres_per_unit != 0.0 ? unit_name(run->last.metres_per_unit) : NULL;
    char where[64] = "where";
    if (unit != NULL)
        snprintf(where, sizeof where, "where, in %s", unit);
    printf("%6s  %-14s  %-9s  %-14s  %-28s  %s\n", "number", "status", "kind", "how much", where,
           "objects");
}

static const char *path_of(const graze_record_object *object)
{
    return object->path[0] != '\0' ? object->path : "(no name)";
}

static void print_row(review_run *run, const graze_record_clash *clash)
{
    char amount[TEXT_BYTES + 8], place[PLACE_BYTES], number[24] = "-";
    const graze_clash *found = &clash->clash;
    bool b_first = found->kind == GRAZE_CLASH_CONTAINED && found->inner != 0;
    print_names(run);
    if (clash->number != 0)
        snprintf(number, sizeof number, "%" PRIu64, clash->number);
    printf("%6s  %-14s  %-9s  %-14s  %-28s  ", number, graze_record_status_text(clash->status),
           graze_clash_kind_text(found->kind), print_amount(amount, &run->printer, found),
           print_place(place, &run->printer, found));
    int printed = print_clean(stdout, path_of(b_first ? &clash->b : &clash->a), 0);
    printf("%*s  ", printed < PATH_COLUMNS ? PATH_COLUMNS - printed : 0, "");
    print_clean(stdout, path_of(b_first ? &clash->a : &clash->b), 0);
    putchar('\n');
}

static graze_status put_event(void *user, const graze_record_event *event)
{
    json_record_event(user, event);
    return GRAZE_OK;
}

static graze_status put_json(review_run *run, const graze_record_clash *clash)
{
    cmd_json json = {.file = stdout};
    graze_status status = GRAZE_OK;
    json_open(&json, NULL, '{');
    json_record_clash(&json, clash);
    if (clash->number != 0) {
        json_open(&json, "events", '[');
        status = graze_record_each_event(run->record, clash->number, put_event, &json);
        json_close(&json, ']');
    }
    json_close(&json, '}');
    json_end_line(&json);
    return status;
}

static graze_status list_clash(void *user, const graze_record_clash *clash)
{
    review_run *run = user;
    if (is_given(run->arguments, OPTION_JSON))
        return put_json(run, clash);
    if (is_given(run->arguments, OPTION_CSV))
        csv_record_clash(&run->csv, clash);
    else
        print_row(run, clash);
    return ferror(stdout) != 0 ? GRAZE_ERROR_SPACE : GRAZE_OK;
}

static graze_status list_clashes(review_run *run, const char *list)
{
    graze_record_filter filter = graze_record_filter_default();
    run->csv = (cmd_csv){.file = stdout};
    if (is_given(run->arguments, OPTION_CSV))
        csv_record_names(&run->csv);
    if (strcmp(list, "found") == 0)
        return graze_record_each_found(run->record, list_clash, run);
    filter.statuses = statuses_of(list);
    return graze_record_each_clash(run->record, &filter, list_clash, run);
}

// --- One clash

static graze_status print_event(void *user, const graze_record_event *event)
{
    (void)user;
    char moment[MOMENT_BYTES], by[64];
    snprintf(by, sizeof by, "run %u", event->run);
    printf("  %-20s  ", event->time != 0 ? print_moment(moment, event->time) : "");
    print_clean(stdout,
                event->run != 0            ? by
                : event->author[0] != '\0' ? event->author
                                           : "somebody",
                40);
    if (strcmp(event->what, "comment") == 0)
        printf(": ");
    else if (strcmp(event->what, "assigned") == 0)
        printf(": assigned to ");
    else
        printf(": %s%s", event->from, event->from[0] != '\0' ? " -> " : "");
    print_clean(stdout, event->to[0] != '\0' ? event->to : "nobody", 0);
    if (event->text[0] != '\0') {
        printf(" (");
        print_clean(stdout, event->text, 0);
        putchar(')');
    }
    putchar('\n');
    return GRAZE_OK;
}

static void print_object(const char *name, const graze_record_object *object)
{
    printf("  %s  %s  ", name, object->id);
    print_clean(stdout, path_of(object), 0);
    puts(object->present != 0 ? "" : "  (not there any more)");
}

static graze_status show_clash(void *user, const graze_record_clash *clash)
{
    review_run *run = user;
    char amount[TEXT_BYTES + 8], place[PLACE_BYTES];
    if (is_given(run->arguments, OPTION_JSON)) {
        run->listed++;
        return put_json(run, clash);
    }
    if (run->listed++ != 0)
        putchar('\n');
    printf("clash %" PRIu64 ": %s, %s, %s, at %s\n", clash->number,
           graze_record_status_text(clash->status), graze_clash_kind_text(clash->clash.kind),
           print_amount(amount, &run->printer, &clash->clash),
           print_place(place, &run->printer, &clash->clash));
    print_object("a", &clash->a);
    print_object("b", &clash->b);
    printf("  found by runs %u to %u, last checked by run %u", clash->first_run, clash->last_run,
           clash->checked_run);
    if (clash->assigned[0] != '\0') {
        printf("; assigned to ");
        print_clean(stdout, clash->assigned, 0);
    }
    putchar('\n');
    if (clash->problem != 0) {
        printf("  problem %" PRIu64 ": ", clash->problem);
        print_clean(stdout, clash->problem_reason, 0);
        putchar('\n');
    }
    return graze_record_each_event(run->record, clash->number, print_event, NULL);
}

static int show(review_run *run)
{
    uint64_t count = 0, *numbers = take_numbers(run->arguments->text[OPTION_SHOW], &count);
    graze_status status = numbers == NULL ? GRAZE_ERROR_MEMORY : GRAZE_OK;
    int code = EXIT_NOTHING_FOUND;
    for (uint64_t i = 0; i < count && status == GRAZE_OK && code == EXIT_NOTHING_FOUND; ++i) {
        graze_record_filter filter = graze_record_filter_default();
        uint64_t before = run->listed;
        filter.number = numbers[i];
        status = graze_record_each_clash(run->record, &filter, show_clash, run);
        if (status == GRAZE_OK && run->listed == before) {
            session_error(&run->session, "%s: there is no clash %" PRIu64, run->path, numbers[i]);
            code = EXIT_USAGE;
        }
    }
    free(numbers);
    return code != EXIT_NOTHING_FOUND ? code : session_result(&run->session, status);
}

// --- Saying

static const char *author_of(const cmd_arguments *arguments)
{
    static const char *const names[] = {"GRAZE_AUTHOR", "USER", "LOGNAME"};
    if (is_given(arguments, OPTION_AUTHOR))
        return arguments->text[OPTION_AUTHOR];
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (getenv(names[i]) != NULL)
            return getenv(names[i]);
    return "";
}

static int set(review_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    uint64_t count = 0, *numbers = take_numbers(arguments->text[OPTION_SET], &count);
    graze_record_say what = graze_record_say_default();
    if (run->status_word != NULL)
        what.status = status_of(run->status_word);
    what.comment = arguments->text[OPTION_COMMENT];
    what.assign = arguments->text[OPTION_ASSIGN];
    what.author = author_of(arguments);
    what.time = (int64_t)time(NULL);
    graze_status status = numbers == NULL ? GRAZE_ERROR_MEMORY
                                          : graze_record_review(run->record, numbers, count, &what);
    free(numbers);
    if (status == GRAZE_OK)
        note(&run->session, "%" PRIu64 " clash%s reviewed", count, count == 1 ? "" : "es");
    return session_result(&run->session, status);
}

// --- Without options: what the record has

static graze_status take_run(void *user, const graze_record_run *run)
{
    review_run *review = user;
    cmd_json json = {.file = stdout};
    review->last = *run;
    review->last.files = review->last.version = "";
    review->printer.metres_per_unit = run->metres_per_unit;
    review->run_count++;
    if (!review->shows_list)
        return GRAZE_OK;
    if (is_given(review->arguments, OPTION_JSON)) {
        json_open(&json, NULL, '{');
        json_record_run(&json, "run", run);
        json_close(&json, '}');
        json_end_line(&json);
        return GRAZE_OK;
    }
    char moment[MOMENT_BYTES], objects[TEXT_BYTES], clashes[TEXT_BYTES];
    printf("run %-3u  %-20s  %-8s  %s objects, %s clashes  ", run->run,
           print_moment(moment, run->begun), run->complete != 0 ? "complete" : "partial",
           print_count(objects, run->object_count), print_count(clashes, run->clash_count));
    print_clean(stdout, run->files, 0);
    putchar('\n');
    return GRAZE_OK;
}

static graze_status count_clash(void *user, const graze_record_clash *clash)
{
    review_run *run = user;
    run->counts[clash->status]++;
    return GRAZE_OK;
}

static graze_status sum_up(review_run *run)
{
    cmd_json out = {.file = stdout}, *json = &out;
    char text[TEXT_BYTES];
    run->shows_list = true;
    graze_status status = graze_record_each_run(run->record, take_run, run);
    if (status == GRAZE_OK)
        status = graze_record_each_clash(run->record, NULL, count_clash, run);
    if (status != GRAZE_OK)
        return status;
    if (is_given(run->arguments, OPTION_JSON)) {
        json_open(json, NULL, '{');
        json_open(json, "statuses", '{');
        for (uint32_t i = 1; i < GRAZE_RECORD_STATUSES; ++i)
            json_count(json, graze_record_status_text((graze_record_status)i), run->counts[i]);
        json_close(json, '}');
        json_close(json, '}');
        json_end_line(json);
        return GRAZE_OK;
    }
    for (uint32_t i = 1; i < GRAZE_RECORD_STATUSES; ++i)
        printf("%s%s %s", i == 1 ? "" : ", ", print_count(text, run->counts[i]),
               graze_record_status_text((graze_record_status)i));
    putchar('\n');
    return GRAZE_OK;
}

// --- The command

static graze_status print_line(void *user, const char *line)
{
    (void)user;
    puts(line);
    return ferror(stdout) != 0 ? GRAZE_ERROR_SPACE : GRAZE_OK;
}

static int review(review_run *run)
{
    const cmd_arguments *arguments = run->arguments;
    graze_status status = graze_record_each_run(run->record, take_run, run);
    if (status != GRAZE_OK)
        return session_result(&run->session, status);
    bool waits = run->run_count != 0 && run->last.complete == 0;
    if (is_given(arguments, OPTION_DUMP))
        status = graze_record_dump(run->record, print_line, NULL);
    else if (is_given(arguments, OPTION_SET))
        return set(run);
    else if (is_given(arguments, OPTION_SHOW))
        return show(run);
    else if (is_given(arguments, OPTION_REVIEW_LIST))
        status = list_clashes(run, arguments->text[OPTION_REVIEW_LIST]);
    else
        status = sum_up(run);
    if (status == GRAZE_ERROR_SPACE && ferror(stdout) != 0)
        return EXIT_RESOURCES; // main says why
    if (status == GRAZE_OK && waits && !is_given(arguments, OPTION_DUMP))
        note(&run->session,
             "run %u is partial: what it found so far comes with --list found; the same check goes "
             "on",
             run->last.run);
    return session_result(&run->session, status);
}

int command_review(const cmd_arguments *arguments)
{
    review_run run = {.arguments = arguments};
    int code = take_operands(&run);
    if (code == EXIT_NOTHING_FOUND)
        code = check_options(&run);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    code = session_open(&run.session, arguments);
    if (code == EXIT_NOTHING_FOUND)
        code = session_result(&run.session, graze_record_open(run.session.context, run.path,
                                                              is_given(arguments, OPTION_SET)
                                                                  ? GRAZE_RECORD_REVIEW
                                                                  : GRAZE_RECORD_READ,
                                                              &run.record));
    if (code == EXIT_NOTHING_FOUND)
        code = review(&run);
    graze_record_close(run.record);
    session_close(&run.session);
    return code;
}
