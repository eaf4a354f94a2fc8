// Clash rules: patterns and the choice of rules against naive definitions of both; what a rule file
// may hold, and how errors in it are told.
#include "test.h"

#include <math.h>
#include <stdlib.h>

#include "base/context.h"
#include "base/knobs.h"
#include "graze/clash.h"
#include "scene/clash_rules.h"

// --- Patterns

static void patterns_match_as_told(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        int matches;
    } cases[] = {
        {"", "", 1},
        {"", "a", 0},
        {"a", "", 0},
        {"pipe", "pipe", 1},
        {"pipe", "Pipe", 0},
        {"pipe", "pipes", 0},
        {"pipe*", "pipes", 1},
        {"pipe*", "pipe/s", 0},
        {"*", "a", 1},
        {"*", "", 1},
        {"*", "a/b", 0},
        {"**", "a/b", 1},
        {"**", "", 1},
        {"plant/*/piping/**", "plant/1/piping/a", 1},
        {"plant/*/piping/**", "plant/1/piping/a/b/c", 1},
        {"plant/*/piping/**", "plant/1/2/piping/a", 0},
        {"plant/*/piping/**", "plant/1/piping", 0},
        {"plant/**/pump", "plant/a/b/pump", 1},
        {"plant/**/pump", "plant/pump", 1},
        {"plant/**/pump", "plant/xpump", 0},
        {"**/pump", "pump", 1},
        {"**/pump", "a/b/pump", 1},
        {"**/pump", "a/b/xpump", 0},
        {"**pump", "a/b/xpump", 1},
        {"a/**b", "a/x/yb", 1},
        {"a**/b", "a/b", 1},
        {"a**/b", "ax/y/b", 1},
        {"a**/b", "ab", 0},
        {"**/*.stl", "x/y.stl", 1},
        {"**/a*c/d", "ab/abc/d", 1},
        {"**/a*c/d", "axc/abc/e", 0},
        {"?", "a", 1},
        {"?", "/", 0},
        {"?", "\xc3\xa9", 1}, // a letter of two bytes
        {"??", "\xc3\xa9", 0},
        {"?", "\xc3", 1}, // half a letter counts as one
        {"[\xc3\xa0-\xc3\xa9]", "\xc3\xa4", 1},
        {"[a-c]x", "bx", 1},
        {"[a-c]x", "dx", 0},
        {"[!a-c]x", "dx", 1},
        {"[^a-c]x", "bx", 0},
        {"[!a]", "/", 0},
        {"a[/]b", "a/b", 0},
        {"[]a]", "]", 1},
        {"[a-]", "-", 1},
        {"[\\]]", "]", 1},
        {"[a", "[a", 1},
        {"[", "[", 1},
        {"\\*", "*", 1},
        {"\\*", "a", 0},
        {"\\", "\\", 1},
        {"pipe#[2-4]", "pipe#3", 1},
        {"*a*b*c*d*e*f*g*h*i*j*k*l*m", "aaaaaaaaaabcdefghijklaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        if (graze_glob_match(cases[i].pattern, cases[i].path) != cases[i].matches)
            fail_msg("%s and %s: should be %d", cases[i].pattern, cases[i].path, cases[i].matches);
    assert_int_equal(graze_glob_match(NULL, "a"), 0);
    assert_int_equal(graze_glob_match("a", NULL), 0);
}

// The definition, by recursion over all ways to split the path. ASCII only.
static bool naive_match(const char *begin, const char *pattern, const char *path)
{
    if (*pattern == '\0')
        return *path == '\0';
    if (pattern[0] == '*' && pattern[1] == '*') {
        bool at_folder = pattern == begin || pattern[-1] == '/';
        const char *rest = pattern;
        while (*rest == '*')
            ++rest;
        if (at_folder && *rest == '/' && naive_match(begin, rest + 1, path))
            return true; // no folder at all
        for (const char *p = path;; ++p) {
            if (naive_match(begin, rest, p))
                return true;
            if (*p == '\0')
                return false;
        }
    }
    if (*pattern == '*') {
        for (const char *p = path;; ++p) {
            if (naive_match(begin, pattern + 1, p))
                return true;
            if (*p == '\0' || *p == '/')
                return false;
        }
    }
    if (*path == '\0')
        return false;
    const char *close = NULL;
    if (*pattern == '[') { // the first ']' that is neither first nor escaped
        const char *at = pattern + 1 + (pattern[1] == '!' || pattern[1] == '^');
        for (const char *p = at; *p != '\0' && close == NULL; ++p) {
            if (*p == '\\' && p[1] != '\0')
                ++p;
            else if (*p == ']' && p != at)
                close = p;
        }
    }
    if (close != NULL) {
        bool inverted = pattern[1] == '!' || pattern[1] == '^', member[128] = {false};
        for (const char *p = pattern + 1 + inverted; p < close; ++p) {
            p += *p == '\\';
            int low = *p, high = *p;
            if (p[1] == '-' && p + 2 < close) {
                p += 2;
                p += *p == '\\';
                high = *p;
            }
            for (int c = low; c <= high; ++c)
                member[c] = true;
        }
        return *path != '/' && member[(int)*path] != inverted &&
               naive_match(begin, close + 1, path + 1);
    }
    if (*pattern == '?')
        return *path != '/' && naive_match(begin, pattern + 1, path + 1);
    if (*pattern == '\\' && pattern[1] != '\0')
        ++pattern;
    return *pattern == *path && naive_match(begin, pattern + 1, path + 1);
}

static void random_text(test_random *random, const char *letters, uint32_t most, char *out)
{
    uint32_t length = (uint32_t)(test_next(random) % (most + 1));
    for (uint32_t i = 0; i < length; ++i)
        out[i] = letters[test_next(random) % strlen(letters)];
    out[length] = '\0';
}

static void patterns_equal_their_definition(void **state)
{
    (void)state;
    uint64_t matches = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(400000); ++seed) {
        static const char *const letters[] = {"ab/***", "ab//**?", "abc/*?[]-!^\\", "a/*"};
        test_random random = {seed};
        char pattern[16], path[16];
        random_text(&random, letters[seed % 4], 12, pattern);
        random_text(&random, seed % 4 == 2 ? "abc/]-[" : "ab//", 12, path);
        int found = graze_glob_match(pattern, path);
        matches += (uint64_t)found;
        if (found != (int)naive_match(pattern, pattern, path))
            fail_msg("seed %llu: %s and %s: %d", (unsigned long long)seed, pattern, path, found);
    }
    assert_true(matches > TEST_CHANCES(400000) / 50);
}

// --- Files

static graze_status parse(graze_context *context, const char *text, double metres_per_unit,
                          graze_clash_rules **rules)
{
    test_last_error[0] = '\0';
    return graze_clash_rules_parse(context, "r.json", text, strlen(text), metres_per_unit, rules);
}

static void errors_are_told_with_their_place(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const char *const cases[][2] = {
        {"[]", "r.json: byte 0: a rule file is a list here, and should be an object"},
        {"{\"touch\": 1", "r.json: byte 11: the JSON text ends in the middle"},
        {"{\"tuch\": 1}", "r.json: byte 1: a rule file has no \"tuch\""},
        {"{\"touch\": 1, \"touch\": 1}", "r.json: byte 13: a rule file has \"touch\" twice"},
        {"{\"touch\": true}",
         "r.json: byte 10: \"touch\" is true here, and should be a number or a text such as "
         "\"25mm\""},
        {"{\"touch\": -1}",
         "r.json: byte 10: \"touch\" should be a finite length, and not below 0"},
        {"{\"touch\": 1e999}",
         "r.json: byte 10: \"touch\" should be a finite length, and not below 0"},
        {"{\"touch\": \"-1mm\"}",
         "r.json: byte 10: \"touch\" should be a finite length, and not below 0"},
        {"{\"touch\": \"1\"}", "r.json: byte 10: \"touch\" is \"1\", and should be a number, or a "
                               "text such as \"25mm\" with um, mm, cm, m, in or ft"},
        {"{\"clearance\": \"1 yard\"}",
         "r.json: byte 14: \"clearance\" is \"1 yard\", and should be a number, or a text such as "
         "\"25mm\" with um, mm, cm, m, in or ft"},
        {"{\"sets\": []}", "r.json: byte 9: \"sets\" is a list here, and should be an object"},
        {"{\"sets\": {\"a\": \"x\"}}",
         "r.json: byte 15: a set is a text here, and should be an object"},
        {"{\"sets\": {\"a\": [1]}}",
         "r.json: byte 16: a set is a number here, and should be a text"},
        {"{\"sets\": {\"a\": [], \"\\u0061\": []}}", "r.json: byte 19: \"sets\" has \"a\" twice"},
        {"{\"sets\": {\"*\": []}}",
         "r.json: byte 10: a set cannot be called \"*\", which means all objects"},
        {"{\"sets\": {\"a\": {\"mach\": []}}}", "r.json: byte 16: a set has no \"mach\""},
        {"{\"rules\": []}", "r.json: byte 10: \"rules\" is empty: no pair would be looked at; "
                            "without it, all are"},
        {"{\"rules\": [{\"a\": \"*\"}]}",
         "r.json: byte 11: a rule needs \"b\": the name of a set, or \"*\""},
        {"{\"rules\": [{\"a\": \"*\", \"b\": \"pipes\"}]}",
         "r.json: byte 27: there is no set \"pipes\""},
        {"{\"rules\": [{\"a\": \"*\", \"b\": \"*\", \"ignore\": 1}]}",
         "r.json: byte 42: \"ignore\" is a number here, and should be true or false"},
        {"{\"rules\": [{\"a\": \"*\", \"b\": \"*\", \"ignore\": true, \"touch\": 1}]}",
         "r.json: byte 11: a rule that ignores pairs has no use for lengths"},
        {"{\"ignore\": {\"pairs\": [[\"a\"]]}}",
         "r.json: byte 22: a pair has two paths of objects, not 1"},
        {"{\"ignore\": {\"kinds\": [\"touching\", \"none\"]}}",
         "r.json: byte 34: there is no kind \"none\" of clash"},
        {"{\"ignore\": {\"same_group\": null}}",
         "r.json: byte 26: \"same_group\" is null here, and should be true or false"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        graze_clash_rules *rules = NULL;
        assert_int_equal(parse(context, cases[i][0], 1.0, &rules), GRAZE_ERROR_FORMAT);
        assert_string_equal(test_last_error, cases[i][1]);
        assert_null(rules);
    }
    test_context_done(context);
}

static void lengths_have_units(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    static const struct {
        const char *text;
        double metres_per_unit, touch;
    } cases[] = {{"0.5", 0, 0.5},           {"0.5", 0.001, 0.5},
                 {"\"25mm\"", 0.001, 25},   {"\"25 mm\"", 1, 0.025},
                 {"\"2cm\"", 1, 0.02},      {"\"3m\"", 0.001, 3000},
                 {"\"1in\"", 0.001, 25.4},  {"\"2ft\"", 0.3048, 2},
                 {"\"50um\"", 0.001, 0.05}, {"0", 0, 0},
                 {"\"0mm\"", 1, 0},         {"\"1e1mm\"", 0.001, 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[64];
        graze_clash_rules *rules = NULL;
        snprintf(text, sizeof text, "{\"touch\": %s}", cases[i].text);
        assert_int_equal(parse(context, text, cases[i].metres_per_unit, &rules), GRAZE_OK);
        assert_true(fabs(rules->touch - cases[i].touch) <= 1e-15 * cases[i].touch);
        assert_true(rules->clearance < 0);
        graze_clash_rules_free(rules);
    }
    graze_clash_rules *rules = NULL;
    assert_int_equal(parse(context, "{\"touch\": \"1mm\"}", 0, &rules), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error,
                        "r.json: byte 10: \"touch\" is \"1mm\", but the scene does not say its "
                        "unit of length: only a plain number will do");
    test_context_done(context);
}

// --- Scenes

static graze_shape *make_shape(graze_context *context)
{
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t indices[3] = {0, 1, 2};
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .positions = corners,
                            .vertex_count = 3,
                            .corners = indices,
                            .triangle_count = 1};
    graze_shape *shape = NULL;
    assert_int_equal(graze_shape_create(context, &view, NULL, &shape), GRAZE_OK);
    return shape;
}

static void add_object(graze_scene *scene, const graze_shape *shape, const char *group,
                       const char *name)
{
    graze_object_def def = graze_object_def_default();
    def.group = group;
    def.name = name;
    def.shape = shape;
    assert_int_equal(graze_scene_add(scene, &def, NULL), GRAZE_OK);
}

// One of each: what is said about rules that cannot be meant.
static void what_fits_nothing_is_said(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *shape = make_shape(context);
    graze_scene *scene = NULL;
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    add_object(scene, shape, "p", "a");
    add_object(scene, shape, "p", "b");
    static const char *const cases[][2] = {
        {"{\"sets\": {\"x\": [\"q/*\", \"p/*\"]}, \"rules\": [{\"a\": \"x\", \"b\": \"*\"}]}",
         "r.json: no object matches \"q/*\" of the set \"x\""},
        {"{\"sets\": {\"x\": []}}", "r.json: no object is in the set \"x\""},
        {"{\"sets\": {\"x\": [\"q/*\"]}, \"rules\": [{\"a\": \"*\", \"b\": \"x\"}]}",
         "r.json: rule 1 fits no pair: the set \"x\" is empty"},
        {"{\"sets\": {\"x\": {\"objects\": [\"p/a\", \"p/c\"]}}}",
         "r.json: there is no object \"p/c\""},
        {"{\"ignore\": {\"pairs\": [[\"p/a\", \"p/d\"]]}}", "r.json: there is no object \"p/d\""},
        {"{\"touch\": 2, \"clearance\": 1}",
         "a clash check: a clearance of 1 is not above a touch of 2: what is nearer counts as "
         "touching"},
        {"{\"rules\": [{\"a\": \"*\", \"b\": \"*\", \"touch\": 1, \"clearance\": 0.5}]}",
         "rule 1: a clearance of 0.5 is not above a touch of 1: what is nearer counts as "
         "touching"},
    };
    graze_clash_def def = graze_clash_def_default();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        graze_clash_rules *rules = NULL;
        gz_rules_applied *applied = NULL;
        assert_int_equal(parse(context, cases[i][0], 1.0, &rules), GRAZE_OK);
        test_last_error[0] = '\0';
        assert_int_equal(gz_rules_apply(rules, scene, &def, &applied), GRAZE_OK);
        assert_string_equal(test_last_error, cases[i][1]);
        gz_rules_applied_free(applied);
        graze_clash_rules_free(rules);
    }
    graze_clash_rules *rules = NULL;
    assert_int_equal(parse(context, "{\"sets\": {\"x\": [\"p/*\"]}}", 1.0, &rules), GRAZE_OK);
    assert_string_equal(test_last_error, "r.json: no rule names the set \"x\"");
    graze_clash_rules_free(rules);
    graze_scene_free(scene);
    graze_shape_free(shape);
    test_context_done(context);
}

static void touch_is_chosen_where_nobody_says(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *shape = make_shape(context);
    graze_scene *scene = NULL;
    graze_clash_def def = graze_clash_def_default();
    gz_rules_applied *applied = NULL;
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    assert_int_equal(gz_rules_apply(NULL, scene, &def, &applied), GRAZE_OK);
    assert_true(gz_rules_touch(applied) == 0 && gz_rules_reach(applied) == 0); // an empty scene
    gz_rules_applied_free(applied);
    add_object(scene, shape, "p", "a");
    add_object(scene, shape, "p", "b");
    def.clearance = 0.25;
    assert_int_equal(gz_rules_apply(NULL, scene, &def, &applied), GRAZE_OK);
    assert_true(fabs(gz_rules_touch(applied) - 1e-6) < 1e-12); // of a unit's length
    gz_rule_limits limits = gz_rules_pair(applied, 0, 1);
    assert_true(limits.asked && limits.touch == gz_rules_touch(applied));
    assert_true(limits.clearance == 0.25 && gz_rules_reach(applied) == 0.25);
    assert_int_equal(limits.rule, GZ_RULE_NONE);
    gz_rules_applied_free(applied);
    graze_scene_free(scene);
    graze_shape_free(shape);
    test_context_done(context);
}

// --- The choice of rules

#define MOST_OBJECTS 24
#define MOST_SETS    70 // more than a word of bits
#define MOST_RULES   70
#define MOST_TEXTS   3

typedef struct plain_set {
    char match[MOST_TEXTS][12], except[MOST_TEXTS][12];
    uint32_t objects[MOST_TEXTS];
    uint32_t match_count, except_count, object_count;
} plain_set;

typedef struct plain_rule {
    uint32_t a, b; // number of sets: all
    bool ignored;
    double touch, clearance; // below 0: not said
} plain_rule;

// A rule file as the test knows it.
typedef struct plain_rules {
    char groups[MOST_OBJECTS][8], paths[MOST_OBJECTS][16];
    uint32_t object_count, set_count, rule_count, pair_count;
    plain_set sets[MOST_SETS];
    plain_rule rules[MOST_RULES];
    uint32_t pairs[MOST_TEXTS][2];
    double touch, clearance;
    bool same_group;
} plain_rules;

static bool plain_member(const plain_rules *r, uint32_t set, uint32_t object)
{
    const plain_set *s = &r->sets[set];
    bool in = false;
    for (uint32_t i = 0; i < s->match_count; ++i)
        in |= naive_match(s->match[i], s->match[i], r->paths[object]);
    for (uint32_t i = 0; i < s->except_count; ++i)
        in &= !naive_match(s->except[i], s->except[i], r->paths[object]);
    for (uint32_t i = 0; i < s->object_count; ++i)
        in |= s->objects[i] == object;
    return in;
}

static gz_rule_limits plain_limits(const plain_rules *r, uint32_t a, uint32_t b)
{
    gz_rule_limits limits = {.touch = r->touch, .clearance = r->clearance, .rule = GZ_RULE_NONE};
    limits.asked = r->rule_count == 0;
    for (uint32_t i = 0; i < r->rule_count && limits.rule == GZ_RULE_NONE; ++i) {
        const plain_rule *rule = &r->rules[i];
        bool all_a = rule->a == r->set_count, all_b = rule->b == r->set_count;
        if (!((all_a || plain_member(r, rule->a, a)) && (all_b || plain_member(r, rule->b, b))) &&
            !((all_a || plain_member(r, rule->a, b)) && (all_b || plain_member(r, rule->b, a))))
            continue;
        limits.rule = i;
        limits.asked = !rule->ignored;
        limits.touch = rule->touch >= 0 ? rule->touch : limits.touch;
        limits.clearance = rule->clearance >= 0 ? rule->clearance : limits.clearance;
    }
    if (r->same_group && r->groups[a][0] != '\0' && strcmp(r->groups[a], r->groups[b]) == 0)
        limits.asked = false;
    for (uint32_t i = 0; i < r->pair_count; ++i)
        if ((r->pairs[i][0] == a && r->pairs[i][1] == b) ||
            (r->pairs[i][0] == b && r->pairs[i][1] == a))
            limits.asked = false;
    if (!limits.asked)
        limits.touch = limits.clearance = 0;
    return limits;
}

static void make_rules(test_random *random, plain_rules *r, bool many)
{
    *r = (plain_rules){.touch = 0.5, .clearance = 0};
    r->object_count = 2 + (uint32_t)(test_next(random) % (MOST_OBJECTS - 1));
    r->set_count = (uint32_t)(test_next(random) % (many ? MOST_SETS : 4));
    r->rule_count = (uint32_t)(test_next(random) % (many ? MOST_RULES : 4));
    r->pair_count = (uint32_t)(test_next(random) % (MOST_TEXTS + 1));
    r->same_group = test_next(random) % 4 == 0;
    for (uint32_t i = 0; i < r->set_count; ++i) {
        plain_set *s = &r->sets[i];
        s->match_count = (uint32_t)(test_next(random) % (MOST_TEXTS + 1));
        s->except_count = (uint32_t)(test_next(random) % 2);
        s->object_count = (uint32_t)(test_next(random) % 3);
        for (uint32_t k = 0; k < s->match_count; ++k)
            random_text(random, "ab*?/", many ? 9 : 5, s->match[k]);
        for (uint32_t k = 0; k < s->except_count; ++k)
            random_text(random, "ab*?/", 5, s->except[k]);
        for (uint32_t k = 0; k < s->object_count; ++k)
            s->objects[k] = (uint32_t)(test_next(random) % r->object_count);
    }
    for (uint32_t i = 0; i < r->rule_count; ++i) {
        plain_rule *rule = &r->rules[i];
        // Rules for all would hide those behind them.
        bool narrow = many && r->set_count != 0;
        rule->a = (uint32_t)(test_next(random) % (narrow ? r->set_count : r->set_count + 1));
        rule->b = (uint32_t)(test_next(random) % (narrow ? r->set_count : r->set_count + 1));
        rule->ignored = test_next(random) % 4 == 0;
        rule->touch = rule->ignored || test_next(random) % 2 == 0 ? -1 : (double)(1 + i);
        rule->clearance = rule->ignored || test_next(random) % 2 == 0 ? -1 : (double)(100 + i);
    }
    for (uint32_t i = 0; i < r->pair_count; ++i)
        for (int side = 0; side < 2; ++side)
            r->pairs[i][side] = (uint32_t)(test_next(random) % r->object_count);
}

static void print_texts(FILE *file, const char (*texts)[12], uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
        fprintf(file, "%s\"%s\"", i == 0 ? "" : ", ", texts[i]);
}

static void print_side(FILE *file, const plain_rules *r, const char *key, uint32_t set)
{
    if (set == r->set_count)
        fprintf(file, "\"%s\": \"*\", ", key);
    else
        fprintf(file, "\"%s\": \"set %u\", ", key, set);
}

static char *print_rules(const plain_rules *r, bool sets_first)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *file = open_memstream(&text, &bytes);
    fprintf(file, "{\"touch\": %g", r->touch);
    for (int part = 0; part < 2; ++part) {
        if ((part == 0) == sets_first) {
            fputs(", \"sets\": {", file);
            for (uint32_t i = 0; i < r->set_count; ++i) {
                const plain_set *s = &r->sets[i];
                fprintf(file, "%s\"set %u\": {\"match\": [", i == 0 ? "" : ", ", i);
                print_texts(file, s->match, s->match_count);
                fputs("], \"except\": [", file);
                print_texts(file, s->except, s->except_count);
                fputs("], \"objects\": [", file);
                for (uint32_t k = 0; k < s->object_count; ++k)
                    fprintf(file, "%s\"%s\"", k == 0 ? "" : ", ", r->paths[s->objects[k]]);
                fputs("]}", file);
            }
            fputs("}", file);
        } else if (r->rule_count != 0) {
            fputs(", \"rules\": [", file);
            for (uint32_t i = 0; i < r->rule_count; ++i) {
                const plain_rule *rule = &r->rules[i];
                fputs(i == 0 ? "{" : ", {", file);
                print_side(file, r, "a", rule->a);
                print_side(file, r, "b", rule->b);
                if (rule->touch >= 0)
                    fprintf(file, "\"touch\": %g, ", rule->touch);
                if (rule->clearance >= 0)
                    fprintf(file, "\"clearance\": %g, ", rule->clearance);
                fprintf(file, "\"ignore\": %s}", rule->ignored ? "true" : "false");
            }
            fputs("]", file);
        }
    }
    fprintf(file, ", \"ignore\": {\"same_group\": %s, \"pairs\": [",
            r->same_group ? "true" : "false");
    for (uint32_t i = 0; i < r->pair_count; ++i)
        fprintf(file, "%s[\"%s\", \"%s\"]", i == 0 ? "" : ", ", r->paths[r->pairs[i][0]],
                r->paths[r->pairs[i][1]]);
    fputs("], \"kinds\": [\"touching\"]}}", file);
    fclose(file);
    return text;
}

static void fill_scene(test_random *random, graze_scene *scene, const graze_shape *shape,
                       plain_rules *r)
{
    graze_object_id id = {0};
    for (uint32_t i = 0; i < r->object_count; ++i) {
        char name[4];
        random_text(random, "ab", 3, r->groups[i]);
        random_text(random, "ab", 3, name);
        if (test_next(random) % 2 == 0)
            strcat(r->groups[i], "/b");
        add_object(scene, shape, r->groups[i], name);
    }
    for (uint32_t i = 0; i < r->object_count; ++i) { // equal names have numbers
        graze_scene_object object;
        id = graze_scene_next(scene, id);
        assert_int_equal(graze_scene_get(scene, id, &object), GRAZE_OK);
        assert_true(strlen(object.path) < sizeof r->paths[i]);
        strcpy(r->paths[i], object.path);
    }
}

static void pairs_get_the_first_rule_that_fits(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *shape = make_shape(context);
    uint64_t asked = 0, ruled = 0;
    for (uint64_t seed = 1; seed <= TEST_CHANCES(2000); ++seed) {
        test_random random = {seed};
        plain_rules r;
        graze_scene *scene = NULL;
        graze_clash_rules *rules = NULL;
        gz_rules_applied *applied = NULL;
        graze_clash_def def = graze_clash_def_default();
        double reach = 0;
        make_rules(&random, &r, seed % 4 == 0);
        assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
        fill_scene(&random, scene, shape, &r);
        char *text = print_rules(&r, seed % 2 == 0);
        if (parse(context, text, 0, &rules) != GRAZE_OK)
            fail_msg("seed %llu: %s: %s", (unsigned long long)seed, test_last_error, text);
        assert_int_equal(gz_rules_apply(rules, scene, &def, &applied), GRAZE_OK);
        graze_clash_rules_free(rules); // not needed any more
        for (uint32_t a = 0; a < r.object_count; ++a)
            for (uint32_t b = 0; b < r.object_count; ++b) {
                gz_rule_limits want = plain_limits(&r, a, b), got = gz_rules_pair(applied, a, b);
                if (got.asked != want.asked || got.touch != want.touch || got.rule != want.rule ||
                    got.clearance != want.clearance ||
                    got.ignored_kinds != (got.asked ? 1u << GRAZE_CLASH_TOUCHING : 0))
                    fail_msg("seed %llu: objects %u and %u: rule %u, not %u: %s",
                             (unsigned long long)seed, a, b, got.rule, want.rule, text);
                reach = fmax(reach, fmax(got.touch, got.clearance));
                asked += got.asked;
                ruled += got.rule != GZ_RULE_NONE;
            }
        assert_true(gz_rules_reach(applied) >= reach);
        gz_rules_applied_free(applied);
        graze_scene_free(scene);
        free(text);
    }
    assert_true(asked > TEST_CHANCES(2000) * 20 && ruled > TEST_CHANCES(2000) * 20);
    graze_shape_free(shape);
    test_context_done(context);
}

static const char *const full_text =
    "{\"touch\": 1, \"sets\": {\"x\": [\"p/*\"], \"y\": {\"match\": [\"q/**\"], \"except\": "
    "[\"q/b\"], \"objects\": [\"p/a\", \"z\"]}}, \"rules\": [{\"a\": \"x\", \"b\": \"y\", "
    "\"clearance\": 2}], \"ignore\": {\"same_group\": true, \"pairs\": [[\"p/a\", \"p/b\"]], "
    "\"kinds\": [\"touching\", \"clearance\"]}}";

static void every_allocation_may_fail(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_shape *shape = make_shape(context);
    graze_scene *scene = NULL;
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    add_object(scene, shape, "p", "a");
    add_object(scene, shape, "p", "b");
    add_object(scene, shape, "q", "a");
    graze_clash_def def = graze_clash_def_default();
    uint64_t blocks = graze_context_memory(context).block_count;
    for (int64_t n = 0;; ++n) {
        graze_clash_rules *rules = NULL;
        gz_rules_applied *applied = NULL;
        atomic_store(&gz_knobs_for(context)->allocations_left, n);
        graze_status status = parse(context, full_text, 0, &rules);
        if (status == GRAZE_OK)
            status = gz_rules_apply(rules, scene, &def, &applied);
        bool survived = atomic_exchange(&gz_knobs_for(context)->allocations_left, -1) >= 0;
        // A list that cannot be trimmed stays as it is.
        assert_true(status == GRAZE_OK || (!survived && status == GRAZE_ERROR_MEMORY));
        assert_int_equal(applied != NULL, status == GRAZE_OK);
        if (status == GRAZE_OK)
            assert_true(gz_rules_pair(applied, 0, 2).asked && gz_rules_reach(applied) == 2);
        gz_rules_applied_free(applied);
        graze_clash_rules_free(rules);
        assert_int_equal(graze_context_memory(context).block_count, blocks);
        assert_true(!survived || n > 10);
        if (survived)
            break;
    }
    graze_scene_free(scene);
    graze_shape_free(shape);
    test_context_done(context);
}

static void files_are_read(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_clash_rules *rules = NULL;
    char path[] = "/tmp/clash-rules-XXXXXX";
    int descriptor = mkstemp(path);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    // Longer than what is read at once.
    for (uint32_t i = 0; i < 200000; ++i)
        fputc(' ', file);
    fputs(full_text, file);
    fclose(file);
    assert_int_equal(graze_clash_rules_read(context, path, 0, &rules), GRAZE_OK);
    assert_int_equal(rules->sets.count, 2);
    graze_clash_rules_free(rules);
    atomic_store(&gz_knobs_for(context)->reads_left, 1);
    assert_int_equal(graze_clash_rules_read(context, path, 0, &rules), GRAZE_ERROR_IO);
    assert_null(rules);
    atomic_store(&gz_knobs_for(context)->reads_left, -1);
    assert_int_equal(remove(path), 0);
    assert_int_equal(graze_clash_rules_read(context, path, 0, &rules), GRAZE_ERROR_IO);
    assert_int_equal(graze_clash_rules_read(context, NULL, 0, &rules), GRAZE_ERROR_ARGUMENT);
    assert_int_equal(graze_clash_rules_parse(context, "r", NULL, 1, 0, &rules),
                     GRAZE_ERROR_ARGUMENT);
    graze_clash_rules_free(NULL);
    test_context_done(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_match_as_told),
        cmocka_unit_test(patterns_equal_their_definition),
        cmocka_unit_test(errors_are_told_with_their_place),
        cmocka_unit_test(lengths_have_units),
        cmocka_unit_test(what_fits_nothing_is_said),
        cmocka_unit_test(touch_is_chosen_where_nobody_says),
        cmocka_unit_test(pairs_get_the_first_rule_that_fits),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
