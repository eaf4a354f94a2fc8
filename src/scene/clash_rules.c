// Reads clash rules from JSON. See clash_rules.h, and docs/manual.md for what may be in a file.
//
// Strict: what is not known is refused, for a rule that is silently not applied would hide clashes.
#include "scene/clash_rules.h"

#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/file.h"
#include "base/json.h"
#include "mesh/number.h"

#define READ_BYTES 65536u

typedef struct rules_parser {
    graze_clash_rules *rules;
    gz_json json;
    double metres_per_unit;
    uint32_t *names; // hash table: numbers of sets and 1
    uint64_t name_slots;
} rules_parser;

static graze_status rules_out_of_memory(const graze_clash_rules *rules)
{
    return gz_fail(rules->context, GRAZE_ERROR_MEMORY, "%s: out of memory for clash rules",
                   rules->name);
}

// --- Values

static const char *const kind_words[] = {"null",   "false",  "true",     "a number",
                                         "a text", "a list", "an object"}; // by gz_json_kind

static graze_status expect(const rules_parser *p, uint32_t token, gz_json_kind kind,
                           const char *what)
{
    gz_json_kind is = gz_json_kind_of(&p->json, token);
    if (is == kind)
        return GRAZE_OK;
    return gz_json_fail(&p->json, token, "%s is %s here, and should be %s", what, kind_words[is],
                        kind_words[kind]);
}

// A text, decoded where it stands. Once for each token.
static const char *take_text(const rules_parser *p, uint32_t token)
{
    char *place = p->rules->text + p->json.tokens[token].start;
    gz_json_decode(&p->json, token, place);
    return place;
}

static graze_status take_bool(const rules_parser *p, uint32_t token, const char *what, bool *value)
{
    gz_json_kind kind = gz_json_kind_of(&p->json, token);
    *value = kind == GZ_JSON_TRUE;
    if (kind == GZ_JSON_TRUE || kind == GZ_JSON_FALSE)
        return GRAZE_OK;
    return gz_json_fail(&p->json, token, "%s is %s here, and should be true or false", what,
                        kind_words[kind]);
}

static const struct {
    const char *name;
    double metres;
} length_units[] = {{"um", 1e-6}, {"mm", 0.001},  {"cm", 0.01},
                    {"m", 1.0},   {"in", 0.0254}, {"ft", 0.3048}};

// A text such as "25mm" or "25 mm".
static graze_status convert_length(const rules_parser *p, uint32_t token, const char *what,
                                   double *length)
{
    const char *text = take_text(p, token);
    const uint8_t *rest = gz_parse_double((const uint8_t *)text, length);
    while (rest != NULL && *rest == ' ')
        ++rest;
    for (uint32_t i = 0; rest != NULL && i < sizeof length_units / sizeof *length_units; ++i) {
        double metres = length_units[i].metres;
        if (strcmp((const char *)rest, length_units[i].name) != 0)
            continue;
        if (!(p->metres_per_unit > 0.0))
            return gz_json_fail(&p->json, token,
                                "%s is \"%s\", but the scene does not say its unit of length: only "
                                "a plain number will do",
                                what, text);
        if (metres != p->metres_per_unit) // 25mm in a scene of millimetres is 25
            *length *= metres / p->metres_per_unit;
        return GRAZE_OK;
    }
    return gz_json_fail(&p->json, token,
                        "%s is \"%s\", and should be a number, or a text such as \"25mm\" with um, "
                        "mm, cm, m, in or ft",
                        what, text);
}

static graze_status take_length(const rules_parser *p, uint32_t token, const char *what,
                                double *length)
{
    graze_status status = GRAZE_OK;
    gz_json_kind kind = gz_json_kind_of(&p->json, token);
    if (kind == GZ_JSON_NUMBER)
        gz_parse_double((const uint8_t *)p->json.text + p->json.tokens[token].start, length);
    else if (kind == GZ_JSON_STRING)
        status = convert_length(p, token, what, length);
    else
        status = gz_json_fail(&p->json, token,
                              "%s is %s here, and should be a number or a text such as \"25mm\"",
                              what, kind_words[kind]);
    if (status == GRAZE_OK && !(isfinite(*length) && *length >= 0.0))
        status =
            gz_json_fail(&p->json, token, "%s should be a finite length, and not below 0", what);
    return status;
}

// --- Keys

// A key that an object may have, and who takes its value.
typedef graze_status take_value(rules_parser *p, uint32_t token, void *user);
typedef struct known_key {
    const char *name;
    take_value *take;
} known_key;

// Goes through an object; each of its keys is known, and there once.
static graze_status take_members(rules_parser *p, uint32_t object, const char *what,
                                 const known_key *keys, void *user)
{
    uint32_t seen = 0;
    graze_status status = expect(p, object, GZ_JSON_OBJECT, what);
    for (uint32_t key = gz_json_first(&p->json, object); key != GZ_JSON_NONE && status == GRAZE_OK;
         key = gz_json_after(&p->json, object, key + 1)) {
        uint32_t known = 0;
        while (keys[known].name != NULL && !gz_json_equals(&p->json, key, keys[known].name))
            ++known;
        if (keys[known].name == NULL)
            status = gz_json_fail(&p->json, key, "%s has no \"%s\"", what, take_text(p, key));
        else if ((seen >> known & 1u) != 0)
            status = gz_json_fail(&p->json, key, "%s has \"%s\" twice", what, keys[known].name);
        else
            status = keys[known].take(p, key + 1, user);
        seen |= 1u << known;
    }
    return status;
}

// A list of texts goes to the end of all texts.
static graze_status take_texts(const rules_parser *p, uint32_t list, const char *what,
                               gz_text_range *range)
{
    graze_clash_rules *rules = p->rules;
    graze_status status = expect(p, list, GZ_JSON_ARRAY, what);
    range->first = (uint32_t)rules->texts.count;
    for (uint32_t item = gz_json_first(&p->json, list); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&p->json, list, item)) {
        status = expect(p, item, GZ_JSON_STRING, what);
        if (status != GRAZE_OK)
            break;
        const char **text = gz_list_push(rules->context, &rules->texts, 1);
        if (text == NULL)
            return rules_out_of_memory(rules);
        *text = take_text(p, item);
    }
    range->count = (uint32_t)rules->texts.count - range->first;
    return status;
}

// --- Sets

static uint64_t name_slot(const rules_parser *p, const char *name)
{
    uint64_t slot = gz_checksum(0, name, strlen(name)) & (p->name_slots - 1);
    while (p->names[slot] != 0 && strcmp(p->rules->sets.items[p->names[slot] - 1].name, name) != 0)
        slot = (slot + 1) & (p->name_slots - 1);
    return slot;
}

static graze_status make_names(rules_parser *p, uint64_t name_count)
{
    uint64_t slots = 8;
    while (slots < 2 * name_count)
        slots *= 2;
    p->names = GZ_NEW_ARRAY(p->rules->context, uint32_t, slots);
    if (p->names == NULL)
        return rules_out_of_memory(p->rules);
    memset(p->names, 0, (size_t)slots * sizeof *p->names);
    p->name_slots = slots;
    return GRAZE_OK;
}

static graze_status take_match(rules_parser *p, uint32_t token, void *user)
{
    return take_texts(p, token, "\"match\"", &((gz_rule_set *)user)->match);
}

static graze_status take_except(rules_parser *p, uint32_t token, void *user)
{
    return take_texts(p, token, "\"except\"", &((gz_rule_set *)user)->except);
}

static graze_status take_objects(rules_parser *p, uint32_t token, void *user)
{
    return take_texts(p, token, "\"objects\"", &((gz_rule_set *)user)->objects);
}

static const known_key set_keys[] = {
    {"match", take_match}, {"except", take_except}, {"objects", take_objects}, {NULL, NULL}};

static graze_status take_set(rules_parser *p, uint32_t key)
{
    graze_clash_rules *rules = p->rules;
    gz_rule_set set = {.name = take_text(p, key)};
    uint64_t slot = name_slot(p, set.name);
    if (strcmp(set.name, "*") == 0)
        return gz_json_fail(&p->json, key, "a set cannot be called \"*\", which means all objects");
    if (p->names[slot] != 0)
        return gz_json_fail(&p->json, key, "\"sets\" has \"%s\" twice", set.name);
    graze_status status = GRAZE_OK;
    if (gz_json_kind_of(&p->json, key + 1) == GZ_JSON_ARRAY)
        status = take_texts(p, key + 1, "a set", &set.match);
    else
        status = take_members(p, key + 1, "a set", set_keys, &set);
    gz_rule_set *room = status == GRAZE_OK ? gz_list_push(rules->context, &rules->sets, 1) : NULL;
    if (status == GRAZE_OK && room == NULL)
        status = rules_out_of_memory(rules);
    if (status != GRAZE_OK)
        return status;
    *room = set;
    p->names[slot] = (uint32_t)rules->sets.count;
    return GRAZE_OK;
}

static graze_status take_sets(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    graze_status status = expect(p, token, GZ_JSON_OBJECT, "\"sets\"");
    if (status == GRAZE_OK) // before it stood the empty table
        GZ_FREE_ARRAY(p->rules->context, p->names, p->name_slots);
    if (status == GRAZE_OK)
        status = make_names(p, p->json.tokens[token].next - token);
    for (uint32_t key = gz_json_first(&p->json, token); key != GZ_JSON_NONE && status == GRAZE_OK;
         key = gz_json_after(&p->json, token, key + 1))
        status = take_set(p, key);
    return status;
}

// --- Rules

static graze_status take_side(const rules_parser *p, uint32_t token, const char *what,
                              uint32_t *set)
{
    graze_status status = expect(p, token, GZ_JSON_STRING, what);
    if (status != GRAZE_OK)
        return status;
    const char *name = take_text(p, token);
    uint64_t slot = name_slot(p, name);
    *set = GZ_SET_ALL;
    if (strcmp(name, "*") == 0)
        return GRAZE_OK;
    if (p->names[slot] == 0)
        return gz_json_fail(&p->json, token, "there is no set \"%s\"", name);
    *set = p->names[slot] - 1;
    return GRAZE_OK;
}

// A rule while it is read.
typedef struct rule_reading {
    gz_clash_rule rule;
    bool has_a, has_b;
} rule_reading;

static graze_status take_a(rules_parser *p, uint32_t token, void *user)
{
    rule_reading *reading = user;
    reading->has_a = true;
    return take_side(p, token, "\"a\"", &reading->rule.a);
}

static graze_status take_b(rules_parser *p, uint32_t token, void *user)
{
    rule_reading *reading = user;
    reading->has_b = true;
    return take_side(p, token, "\"b\"", &reading->rule.b);
}

static graze_status take_rule_touch(rules_parser *p, uint32_t token, void *user)
{
    return take_length(p, token, "\"touch\"", &((rule_reading *)user)->rule.touch);
}

static graze_status take_rule_clearance(rules_parser *p, uint32_t token, void *user)
{
    return take_length(p, token, "\"clearance\"", &((rule_reading *)user)->rule.clearance);
}

static graze_status take_rule_ignore(rules_parser *p, uint32_t token, void *user)
{
    return take_bool(p, token, "\"ignore\"", &((rule_reading *)user)->rule.ignored);
}

static const known_key rule_keys[] = {{"a", take_a},
                                      {"b", take_b},
                                      {"touch", take_rule_touch},
                                      {"clearance", take_rule_clearance},
                                      {"ignore", take_rule_ignore},
                                      {NULL, NULL}};

static graze_status take_rule(rules_parser *p, uint32_t token)
{
    rule_reading reading = {.rule = {.touch = -1, .clearance = -1}};
    graze_status status = take_members(p, token, "a rule", rule_keys, &reading);
    const gz_clash_rule *rule = &reading.rule;
    if (status == GRAZE_OK && (!reading.has_a || !reading.has_b))
        status = gz_json_fail(&p->json, token, "a rule needs \"%s\": the name of a set, or \"*\"",
                              reading.has_a ? "b" : "a");
    if (status == GRAZE_OK && rule->ignored && (rule->touch >= 0 || rule->clearance >= 0))
        status = gz_json_fail(&p->json, token, "a rule that ignores pairs has no use for lengths");
    if (status == GRAZE_OK &&
        !gz_list_append(p->rules->context, &p->rules->rules, &reading.rule, 1))
        status = rules_out_of_memory(p->rules);
    return status;
}

static graze_status take_rules(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    graze_status status = expect(p, token, GZ_JSON_ARRAY, "\"rules\"");
    p->rules->has_rules = true;
    for (uint32_t item = gz_json_first(&p->json, token); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&p->json, token, item))
        status = take_rule(p, item);
    if (status == GRAZE_OK && p->rules->rules.count == 0)
        status = gz_json_fail(&p->json, token,
                              "\"rules\" is empty: no pair would be looked at; "
                              "without it, all are");
    return status;
}

// --- What is ignored

static graze_status take_same_group(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    return take_bool(p, token, "\"same_group\"", &p->rules->ignore_same_group);
}

static graze_status take_pairs(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    gz_text_range *pairs = &p->rules->ignored_pairs, pair = {0};
    graze_status status = expect(p, token, GZ_JSON_ARRAY, "\"pairs\"");
    pairs->first = (uint32_t)p->rules->texts.count;
    for (uint32_t item = gz_json_first(&p->json, token); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&p->json, token, item)) {
        status = take_texts(p, item, "a pair", &pair);
        if (status == GRAZE_OK && pair.count != 2)
            status =
                gz_json_fail(&p->json, item, "a pair has two paths of objects, not %u", pair.count);
    }
    pairs->count = (uint32_t)p->rules->texts.count - pairs->first;
    return status;
}

static graze_status take_kinds(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    gz_text_range range = {0};
    graze_status status = take_texts(p, token, "\"kinds\"", &range);
    uint32_t item = gz_json_first(&p->json, token);
    for (uint32_t i = 0; i < range.count && status == GRAZE_OK; ++i) {
        const char *name = p->rules->texts.items[range.first + i];
        uint32_t kind = GRAZE_CLASH_NONE + 1;
        while (kind < GRAZE_CLASH_KINDS &&
               strcmp(name, graze_clash_kind_text((graze_clash_kind)kind)) != 0)
            ++kind;
        if (kind == GRAZE_CLASH_KINDS)
            status = gz_json_fail(&p->json, item, "there is no kind \"%s\" of clash", name);
        else
            p->rules->ignored_kinds |= 1u << kind;
        item = gz_json_after(&p->json, token, item);
    }
    return status;
}

static const known_key ignore_keys[] = {
    {"same_group", take_same_group}, {"pairs", take_pairs}, {"kinds", take_kinds}, {NULL, NULL}};

// --- The whole

static graze_status take_touch(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    return take_length(p, token, "\"touch\"", &p->rules->touch);
}

static graze_status take_clearance(rules_parser *p, uint32_t token, void *user)
{
    (void)user;
    return take_length(p, token, "\"clearance\"", &p->rules->clearance);
}

static graze_status take_ignore(rules_parser *p, uint32_t token, void *user)
{
    return take_members(p, token, "\"ignore\"", ignore_keys, user);
}

// Rules name sets, which may stand behind them in the file.
static graze_status keep_for_later(rules_parser *p, uint32_t token, void *user)
{
    (void)p;
    *(uint32_t *)user = token;
    return GRAZE_OK;
}

static const known_key file_keys[] = {{"touch", take_touch},   {"clearance", take_clearance},
                                      {"sets", take_sets},     {"rules", keep_for_later},
                                      {"ignore", take_ignore}, {NULL, NULL}};

// A set that no rule names does nothing: perhaps a rule was forgotten.
static graze_status warn_of_unused_sets(const graze_clash_rules *rules)
{
    uint64_t count = rules->sets.count;
    bool *used = GZ_NEW_ARRAY(rules->context, bool, count);
    if (used == NULL && count != 0)
        return rules_out_of_memory(rules);
    for (uint64_t i = 0; i < count; ++i)
        used[i] = false;
    for (uint64_t i = 0; i < rules->rules.count; ++i) {
        const gz_clash_rule *rule = &rules->rules.items[i];
        if (rule->a != GZ_SET_ALL)
            used[rule->a] = true;
        if (rule->b != GZ_SET_ALL)
            used[rule->b] = true;
    }
    for (uint64_t i = 0; i < count; ++i)
        if (!used[i])
            gz_log(rules->context, GRAZE_LOG_WARNING, "%s: no rule names the set \"%s\"",
                   rules->name, rules->sets.items[i].name);
    GZ_FREE_ARRAY(rules->context, used, count);
    return GRAZE_OK;
}

static graze_status parse_rules(rules_parser *p)
{
    graze_clash_rules *rules = p->rules;
    uint32_t rule_list = GZ_JSON_NONE;
    graze_status status =
        gz_json_parse(rules->context, rules->name, 0, rules->text, rules->text_bytes - 1, &p->json);
    if (status != GRAZE_OK)
        return status;
    status = make_names(p, 0);
    if (status == GRAZE_OK)
        status = take_members(p, 0, "a rule file", file_keys, &rule_list);
    if (status == GRAZE_OK && rule_list != GZ_JSON_NONE)
        status = take_rules(p, rule_list, NULL);
    if (status == GRAZE_OK)
        status = warn_of_unused_sets(rules);
    GZ_FREE_ARRAY(rules->context, p->names, p->name_slots);
    gz_json_free(&p->json);
    return status;
}

static graze_status rules_begin(graze_context *context, const char *name, graze_clash_rules **rules)
{
    *rules = gz_allocate(context, sizeof **rules);
    char *copy = gz_string_copy(context, name);
    if (*rules == NULL || copy == NULL) {
        gz_release(context, *rules, sizeof **rules);
        gz_string_free(context, copy);
        *rules = NULL;
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory for clash rules", name);
    }
    **rules = (graze_clash_rules){.context = context, .name = copy, .touch = -1, .clearance = -1};
    return GRAZE_OK;
}

// The text is there, with a zero byte behind it, and belongs to the rules.
static graze_status rules_finish(graze_clash_rules **rules, double metres_per_unit,
                                 graze_status status)
{
    rules_parser p = {.rules = *rules, .metres_per_unit = metres_per_unit};
    if (status == GRAZE_OK)
        status = parse_rules(&p);
    if (status != GRAZE_OK) {
        graze_clash_rules_free(*rules);
        *rules = NULL;
    }
    return status;
}

graze_status graze_clash_rules_parse(graze_context *context, const char *name, const char *text,
                                     uint64_t byte_count, double metres_per_unit,
                                     graze_clash_rules **rules)
{
    if (rules != NULL)
        *rules = NULL;
    if (context == NULL || name == NULL || rules == NULL || (text == NULL && byte_count != 0))
        return gz_fail_null(context, "graze_clash_rules_parse");
    if (byte_count >= UINT32_MAX)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "%s: a rule file of 4 GiB and more", name);
    graze_status status = rules_begin(context, name, rules);
    if (status != GRAZE_OK)
        return status;
    (*rules)->text = gz_allocate(context, byte_count + 1);
    if ((*rules)->text == NULL)
        return rules_finish(rules, 0, rules_out_of_memory(*rules));
    (*rules)->text_bytes = byte_count + 1;
    if (byte_count != 0)
        memcpy((*rules)->text, text, (size_t)byte_count);
    (*rules)->text[byte_count] = '\0';
    return rules_finish(rules, metres_per_unit, GRAZE_OK);
}

// Reads a file or a pipe to its end, and puts a zero byte behind it.
static graze_status read_text(gz_file *file, gz_byte_list *bytes)
{
    graze_context *context = file->context;
    uint64_t got = READ_BYTES;
    graze_status status = GRAZE_OK;
    while (status == GRAZE_OK && got == READ_BYTES) {
        uint8_t *room = gz_list_push(context, bytes, READ_BYTES);
        if (room == NULL)
            return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory for clash rules",
                           file->path);
        status = gz_file_read_next(file, room, READ_BYTES, &got);
        bytes->count -= READ_BYTES - (status == GRAZE_OK ? got : 0);
        if (status == GRAZE_OK && bytes->count >= UINT32_MAX)
            status = gz_fail(context, GRAZE_ERROR_UNSUPPORTED, "%s: a rule file of 4 GiB and more",
                             file->path);
    }
    return status;
}

graze_status graze_clash_rules_read(graze_context *context, const char *path,
                                    double metres_per_unit, graze_clash_rules **rules)
{
    gz_file file = {0};
    gz_byte_list bytes = {0};
    if (rules != NULL)
        *rules = NULL;
    if (context == NULL || path == NULL || rules == NULL)
        return gz_fail_null(context, "graze_clash_rules_read");
    graze_status status = gz_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    status = read_text(&file, &bytes);
    gz_file_close(&file);
    if (status == GRAZE_OK)
        status = graze_clash_rules_parse(context, path, (const char *)bytes.items, bytes.count,
                                         metres_per_unit, rules);
    gz_list_free(context, &bytes);
    return status;
}

void graze_clash_rules_free(graze_clash_rules *rules)
{
    if (rules == NULL)
        return;
    graze_context *context = rules->context;
    gz_list_free(context, &rules->texts);
    gz_list_free(context, &rules->sets);
    gz_list_free(context, &rules->rules);
    gz_release(context, rules->text, rules->text_bytes);
    gz_string_free(context, rules->name);
    gz_release(context, rules, sizeof *rules);
}
