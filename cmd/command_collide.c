// graze collide: do two meshes touch, and which of their triangles?
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "collide_contacts.h"
#include "collide_depth.h"
#include "question_error.h"
#include "terminal.h"
#include "two_shapes.h"
#include "units.h"

typedef struct collide_run {
    graze_collide_def def;
    bool deep; // the depth is asked for
    graze_penetration_def depth_def;
    uint64_t verdicts[4]; // how many of each
    bool cut_short;       // some rows of CSV are missing
    graze_answer answers[POSE_BATCH];
} collide_run;

static const char *const verdict_names[] = {"undecided", "apart", "contact", "within error"};

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

// "12 pairs of triangles", "at least 100 pairs of triangles"; with an error "12 places".
static void print_pair_count(const graze_answer *answer)
{
    char count[TEXT_BYTES];
    const char *what = answer->error > 0.0 ? "place" : "pair";
    printf("%s%s %s%s%s", answer->complete ? "" : "at least ",
           print_count(count, answer->pair_count), what, plural(answer->pair_count),
           answer->error > 0.0 ? "" : " of triangles");
}

static void print_verdict(const graze_answer *answer)
{
    bool found = answer->verdict == GRAZE_CONTACT || answer->verdict == GRAZE_WITHIN_ERROR;
    printf("%s%s%s", style_on(stdout, found ? STYLE_BAD : STYLE_GOOD),
           verdict_names[answer->verdict], style_on(stdout, STYLE_PLAIN));
}

static void print_near(const graze_answer *answer, const char *length, bool counted, bool touch)
{
    bool one = counted && answer->pair_count == 1;
    fputs(": ", stdout);
    counted ? print_pair_count(answer) : (void)fputs("some triangles", stdout);
    if (touch)
        fputs(one ? " shares points" : " share points", stdout);
    else
        printf(" %s at most %s apart", one ? "is" : "are", length);
    puts(counted && !answer->complete ? "; stopped there" : "");
}

// Each place is near by the tolerance and the error; which of them are within the tolerance is not
// known, only that one is, if there is contact.
static void print_near_by_error(const graze_collide_def *def, const graze_answer *answer,
                                const char *length, bool counted, bool touch)
{
    char count[TEXT_BYTES], far[TEXT_BYTES];
    bool sure = answer->verdict == GRAZE_CONTACT, one = counted && answer->pair_count == 1;
    double sum = def->tolerance + answer->error; // exact if one of them is 0
    print_bound(far, def->tolerance != 0.0 ? nextafter(sum, HUGE_VAL) : sum, 1);
    if (sure)
        touch ? printf(": they share a point") : printf(": they are at most %s apart", length);
    if (counted)
        printf("%s %s%s place%s %s at most %s apart", sure ? ";" : ":",
               answer->complete ? "" : "at least ", print_count(count, answer->pair_count),
               plural(answer->pair_count), one ? "is" : "are", far);
    else if (!sure)
        printf(": they are at most %s apart", far);
    if (!sure && touch)
        fputs("; whether they touch takes a smaller error to tell", stdout);
    else if (!sure)
        printf("; whether they are at most %s apart takes a smaller error to tell", length);
    puts(counted && !answer->complete ? "; stopped there" : "");
}

// "contact: 12 pairs of triangles share points", "apart: all triangles are more than 2 apart".
static void print_sentence(const two_shapes *two, const graze_collide_def *def,
                           const graze_answer *answer)
{
    char length[TEXT_BYTES];
    const char *nothing = path_without_triangles(two);
    bool counted = def->collect != GRAZE_COLLECT_VERDICT, touch = def->tolerance == 0.0;
    print_real(length, def->tolerance);
    print_verdict(answer);
    if (answer->verdict == GRAZE_CONTACT && answer->error == 0.0) {
        print_near(answer, length, counted, touch);
    } else if (answer->verdict == GRAZE_CONTACT || answer->verdict == GRAZE_WITHIN_ERROR) {
        print_near_by_error(def, answer, length, counted, touch);
    } else if (answer->verdict == GRAZE_APART && nothing != NULL) {
        fputs(": ", stdout);
        print_clean(stdout, nothing, 0);
        puts(" has no triangles");
    } else if (answer->verdict == GRAZE_APART) {
        touch ? puts(": no two triangles share a point")
              : (void)printf(": all triangles are more than %s apart\n", length);
    } else {
        printf(": stopped by %s before anything was found\n", what_stopped(two->arguments));
    }
    print_reached(two, answer);
}

static void print_pairs(const two_shapes *two, bool title, const graze_answer *answer)
{
    const cmd_side *a = &two->sides[0], *b = &two->sides[1];
    bool named = a->objects != NULL || b->objects != NULL;
    if (!is_given(two->arguments, OPTION_ALL) || answer->pair_count == 0)
        return;
    if (title)
        printf("\n  triangle of a  triangle of b%s\n", named ? "   object of a | object of b" : "");
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_pair *pair = &answer->pairs[i];
        printf("  %13" PRIu32 "  %13" PRIu32, pair->a, pair->b);
        if (named) {
            fputs("   ", stdout);
            print_object(find_object(a, pair->a));
            fputs(" | ", stdout);
            print_object(find_object(b, pair->b));
        }
        putchar('\n');
    }
}

// "label   contact   12 pairs of triangles"
static void print_row(const collide_run *run, const path_pose *at, const graze_answer *answer,
                      const graze_penetration *depth)
{
    char error[TEXT_BYTES];
    print_pose_name(at);
    print_verdict(answer);
    if (run->def.collect != GRAZE_COLLECT_VERDICT && answer->pair_count != 0) {
        fputs("  ", stdout);
        print_pair_count(answer);
    }
    if (answer->error > 0.0)
        printf("  error %s", print_bound(error, answer->error, 1));
    if (depth != NULL)
        print_depth_column(depth);
    putchar('\n');
}

static void put_pairs(cmd_json *json, const two_shapes *two, const graze_answer *answer)
{
    json_open(json, "pairs", '[');
    for (uint64_t i = 0; i < answer->pair_count; ++i)
        put_pair(json, NULL, two, &answer->pairs[i]);
    json_close(json, ']');
}

static void put_answer(const two_shapes *two, const collide_run *run, const path_pose *at,
                       const graze_answer *answer, const graze_penetration *depth, double seconds)
{
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    put_question(json, two, at);
    if (at == NULL)
        json_real(json, "tolerance", run->def.tolerance);
    json_text(json, "verdict", verdict_names[answer->verdict]);
    put_reached(json, two, answer);
    if (run->def.collect != GRAZE_COLLECT_VERDICT) {
        json_count(json, "pair_count", answer->pair_count);
        json_bool(json, "complete", answer->complete != 0);
    }
    if (is_given(two->arguments, OPTION_ALL))
        put_pairs(json, two, answer);
    if (is_given(two->arguments, OPTION_CONTACTS))
        put_contacts(json, two, answer);
    if (depth != NULL)
        put_depth(json, depth);
    put_stats(json, two, seconds, &answer->counters);
    json_close(json, '}');
    json_end_line(json);
}

// `depth` is NULL where it was not asked for.
static int show_answer(two_shapes *two, collide_run *run, const path_pose *at,
                       const graze_answer *answer, const graze_penetration *depth, double seconds)
{
    two_shapes_spent(two, seconds, &answer->counters);
    two_shapes_reached(two, answer->error);
    run->verdicts[answer->verdict] += 1;
    if (is_given(two->arguments, OPTION_JSON)) {
        put_answer(two, run, at, answer, depth, seconds);
    } else if (is_given(two->arguments, OPTION_CSV)) {
        print_contact_rows(at, answer);
        run->cut_short |= !answer->complete;
    } else {
        at == NULL ? print_sentence(two, &run->def, answer) : print_row(run, at, answer, depth);
        if (at == NULL && depth != NULL)
            print_depth(two, depth);
        print_pairs(two, at == NULL, answer);
        if (is_given(two->arguments, OPTION_CONTACTS))
            print_contacts(answer);
    }
    if (answer->verdict == GRAZE_UNDECIDED)
        return EXIT_STOPPED;
    if (depth != NULL && depth_code(depth) != EXIT_NOTHING_FOUND)
        return depth_code(depth);
    return answer->verdict == GRAZE_APART ? EXIT_NOTHING_FOUND : EXIT_FOUND;
}

static int answer_one(two_shapes *two, collide_run *run, const path_pose *at)
{
    const cmd_side *a = &two->sides[0];
    cmd_side *b = &two->sides[1];
    graze_answer answer;
    graze_penetration depth = {0};
    double begun = now_seconds();
    if (at != NULL)
        b->pose = at->pose;
    graze_status status = GRAZE_OK;
    if (run->deep) // first, since its question would end the other's lists
        status = graze_query_penetration(two->query, graze_at(a->shape, &a->pose),
                                         graze_at(b->shape, &b->pose), &run->depth_def, &depth);
    if (status == GRAZE_OK)
        status = graze_query_collide(two->query, graze_at(a->shape, &a->pose),
                                     graze_at(b->shape, &b->pose), &run->def, &answer);
    int code = two_shapes_result(two, status);
    if (two->failed)
        return code;
    add_counters(&answer.counters, &depth.counters);
    return show_answer(two, run, at, &answer, run->deep ? &depth : NULL, now_seconds() - begun);
}

static graze_status collide_many(two_shapes *two, const graze_pose *poses, uint64_t count,
                                 void *data)
{
    collide_run *run = data;
    return graze_query_collide_many(two->query, graze_at(two->sides[0].shape, NULL),
                                    two->sides[1].shape, poses, count, &run->def, run->answers);
}

static bool answer_together(two_shapes *two, collide_run *run, const path_pose *at, uint64_t count,
                            int *worst)
{
    double seconds;
    if (!two_shapes_ask_many(two, at, count, collide_many, run, &seconds))
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        int code = show_answer(two, run, at + i, &run->answers[i], NULL, seconds);
        *worst = code > *worst ? code : *worst;
    }
    return true;
}

// Lists may be long, a depth takes its time, and costs are told pose by pose: those are asked for
// one after the other.
static int answer_some(two_shapes *two, const path_pose *at, uint64_t count, void *data)
{
    collide_run *run = data;
    int worst = EXIT_NOTHING_FOUND;
    bool alone = is_given(two->arguments, OPTION_ALL) || run->deep ||
                 is_given(two->arguments, OPTION_CONTACTS) || run->def.time_limit != 0.0 ||
                 (is_given(two->arguments, OPTION_STATS) && is_given(two->arguments, OPTION_JSON));
    if (count > 1 && !alone && answer_together(two, run, at, count, &worst))
        return worst;
    for (uint64_t i = 0; i < count && !two->failed; ++i) {
        int code = answer_one(two, run, at != NULL ? at + i : NULL);
        worst = code > worst || two->failed ? code : worst;
    }
    return worst;
}

static int take_def(two_shapes *two, graze_collide_def *def)
{
    const cmd_arguments *arguments = two->arguments;
    *def = graze_collide_def_default();
    if (is_given(arguments, OPTION_COUNT_PAIRS))
        def->collect = GRAZE_COLLECT_COUNT;
    if (is_given(arguments, OPTION_ALL))
        def->collect = GRAZE_COLLECT_PAIRS;
    if (is_given(arguments, OPTION_CONTACTS))
        def->collect = GRAZE_COLLECT_CONTACTS;
    def->use_threads = !is_given(arguments, OPTION_PATH);
    def->pair_limit = arguments->number[OPTION_LIMIT];
    def->work_limit = arguments->number[OPTION_WORK_LIMIT];
    int code = two_shapes_length(two, OPTION_TOLERANCE, &def->tolerance);
    return code != EXIT_NOTHING_FOUND ? code
                                      : find_question_error(two, &def->error, &def->time_limit);
}

static void summarize(const two_shapes *two, const collide_run *run)
{
    char text[TEXT_BYTES], parts[4][TEXT_BYTES + 32] = {"", "", "", ""};
    static const char *const names[] = {"undecided", "apart", "in contact", "within the error"};
    for (int i = 0; i < 4; ++i)
        if (run->verdicts[i] != 0 || i == GRAZE_APART || i == GRAZE_CONTACT)
            snprintf(parts[i], sizeof parts[i], "%s%s %s", i == GRAZE_CONTACT ? "" : ", ",
                     print_count(text, run->verdicts[i]), names[i]);
    note(&two->session, "%s pose%s: %s%s%s%s", print_count(text, two->pose_count),
         plural(two->pose_count), parts[GRAZE_CONTACT], parts[GRAZE_WITHIN_ERROR],
         parts[GRAZE_APART], parts[GRAZE_UNDECIDED]);
}

// What goes with what. Says what does not, and returns the exit code; 0 is good.
static int check_options(const cmd_arguments *arguments)
{
    bool listed = is_given(arguments, OPTION_ALL) || is_given(arguments, OPTION_COUNT_PAIRS) ||
                  is_given(arguments, OPTION_CONTACTS);
    if (is_given(arguments, OPTION_LIMIT) && !listed)
        return usage_error(arguments->command, "--limit goes with --count, --all or --contacts");
    if (is_given(arguments, OPTION_DEPTH_ERROR) && !is_given(arguments, OPTION_DEPTH))
        return usage_error(arguments->command, "--depth-error goes with --depth");
    if (is_given(arguments, OPTION_DEPTH) && is_given(arguments, OPTION_BUDGET))
        return usage_error(arguments->command,
                           "--depth takes as long as its bounds need: --budget cannot go with it; "
                           "--work-limit can");
    if (is_given(arguments, OPTION_CSV) && !is_given(arguments, OPTION_CONTACTS))
        return usage_error(arguments->command, "--csv goes with --contacts");
    if (is_given(arguments, OPTION_CSV) &&
        (is_given(arguments, OPTION_JSON) || is_given(arguments, OPTION_DEPTH) ||
         is_given(arguments, OPTION_ALL) || is_given(arguments, OPTION_STATS)))
        return usage_error(arguments->command, "--csv is for contacts only: --json, --all, --depth "
                                               "and --stats cannot go with it");
    return EXIT_NOTHING_FOUND;
}

int command_collide(const cmd_arguments *arguments)
{
    collide_run run = {.verdicts = {0}};
    two_shapes two = {.arguments = arguments};
    bool csv = is_given(arguments, OPTION_CSV);
    int code = check_options(arguments);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    run.deep = is_given(arguments, OPTION_DEPTH);
    run.depth_def = depth_def(arguments);
    code = two_shapes_open(&two, arguments,
                           is_given(arguments, OPTION_ALL) || is_given(arguments, OPTION_CONTACTS));
    if (code == EXIT_NOTHING_FOUND)
        code = take_def(&two, &run.def);
    run.depth_def.deviation = run.def.error;
    if (code == EXIT_NOTHING_FOUND && csv)
        print_contact_names(is_given(arguments, OPTION_PATH));
    if (code == EXIT_NOTHING_FOUND)
        code = two_shapes_ask(&two, answer_some, &run);
    print_stats(&two);
    if (run.cut_short)
        note(&two.session, "warning: a limit stopped the search; there may be more contacts");
    if (is_given(arguments, OPTION_PATH) && two.pose_count != 0)
        summarize(&two, &run);
    two_shapes_close(&two, code);
    return code;
}
