// Puts the objects of a scene into the sets of clash rules, and tells what holds for a pair. See
// clash_rules.h.
//
// Memory: 8 bytes an object, and the rows of bits of each class. Sets themselves are not kept.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/context.h"
#include "base/sort.h"
#include "scene/clash_rules.h"
#include "scene/scene_store.h"

#define NO_GROUP  UINT32_MAX
#define MOST_SAID 10u // listed objects that are not there, by name; the rest is counted

// A pair of objects that is ignored: the smaller number first, big-endian, as gz_sort_records has
// it.
typedef struct ignored_pair {
    uint8_t numbers[8];
} ignored_pair;

struct gz_rules_applied {
    graze_context *context;
    double touch; // where no rule has its own
    gz_rule_limits *limits;
    uint32_t rule_count; // limits: one a rule, and behind them one for no rule at all
    bool has_rules;
    uint32_t object_count;
    uint32_t *classes;  // one an object; NULL without rules
    uint32_t *groups;   // one an object: equal numbers for equal groups; NULL: not asked for
    uint32_t row_words; // of a class: the bits of side a, then as many words for side b
    GZ_LIST(uint64_t) rows;
    GZ_LIST(ignored_pair) pairs; // sorted
};

// What is needed only while sets are made.
typedef struct rules_applying {
    graze_context *context;
    const graze_clash_rules *rules;
    graze_scene *scene;
    gz_rules_applied *out;
    const char **paths;  // by number of the object
    const char **groups; // the same
    uint32_t *numbers;   // of objects, by index1; NO_GROUP: there is none
    uint64_t number_count;
    uint32_t set_words; // of an object
    uint64_t *sets;     // bits: which objects are in which sets
    uint64_t missing;   // listed objects that are not there
} rules_applying;

static graze_status applying_out_of_memory(const rules_applying *w)
{
    return gz_fail(w->context, GRAZE_ERROR_MEMORY,
                   "out of memory for the clash rules of %" PRIu32 " objects",
                   w->out->object_count);
}

// --- Lengths

static double chosen_touch(const graze_clash_rules *rules, const graze_scene *scene,
                           const graze_clash_def *def)
{
    if (rules != NULL && rules->touch >= 0.0)
        return rules->touch;
    return def->touch >= 0.0 ? def->touch : gz_scene_touch(scene);
}

static void say_pointless(const rules_applying *w, const gz_rule_limits *limits, const char *whose)
{
    if (limits->asked && limits->clearance > 0.0 && limits->clearance <= limits->touch)
        gz_log(w->context, GRAZE_LOG_WARNING,
               "%s: a clearance of %g is not above a touch of %g: what is nearer counts as "
               "touching",
               whose, limits->clearance, limits->touch);
}

static graze_status make_limits(const rules_applying *w, const graze_clash_def *def)
{
    gz_rules_applied *out = w->out;
    const graze_clash_rules *rules = w->rules;
    gz_rule_limits general = {
        .asked = true,
        .touch = out->touch,
        .clearance = rules != NULL && rules->clearance >= 0.0 ? rules->clearance : def->clearance,
        .rule = GZ_RULE_NONE,
        .ignored_kinds = rules != NULL ? rules->ignored_kinds : 0,
    };
    out->rule_count = rules != NULL ? (uint32_t)rules->rules.count : 0;
    out->has_rules = rules != NULL && rules->has_rules;
    out->limits = GZ_NEW_ARRAY(w->context, gz_rule_limits, (uint64_t)out->rule_count + 1);
    if (out->limits == NULL)
        return applying_out_of_memory(w);
    for (uint32_t i = 0; i < out->rule_count; ++i) {
        const gz_clash_rule *rule = &rules->rules.items[i];
        gz_rule_limits *limits = &out->limits[i];
        char whose[96];
        *limits = (gz_rule_limits){.rule = i};
        if (rule->ignored)
            continue;
        *limits = general;
        limits->rule = i;
        limits->touch = rule->touch >= 0.0 ? rule->touch : general.touch;
        limits->clearance = rule->clearance >= 0.0 ? rule->clearance : general.clearance;
        snprintf(whose, sizeof whose, "rule %" PRIu32, i + 1);
        say_pointless(w, limits, whose);
    }
    if (out->has_rules)
        general = (gz_rule_limits){.rule = GZ_RULE_NONE};
    out->limits[out->rule_count] = general;
    say_pointless(w, &general, "a clash check");
    return GRAZE_OK;
}

// --- Objects

static graze_status list_objects(rules_applying *w)
{
    gz_rules_applied *out = w->out;
    graze_scene_object object;
    graze_object_id id = {0};
    uint64_t count = 0, most = 0;
    for (id = graze_scene_next(w->scene, id); id.index1 != 0; id = graze_scene_next(w->scene, id)) {
        ++count;
        most = id.index1 > most ? id.index1 : most;
    }
    GZ_ASSERT(count < UINT32_MAX);
    out->object_count = (uint32_t)count;
    w->number_count = most + 1;
    w->paths = GZ_NEW_ARRAY(w->context, const char *, count);
    w->groups = GZ_NEW_ARRAY(w->context, const char *, count);
    w->numbers = GZ_NEW_ARRAY(w->context, uint32_t, w->number_count);
    if (w->numbers == NULL || (count != 0 && (w->paths == NULL || w->groups == NULL)))
        return applying_out_of_memory(w);
    memset(w->numbers, 0xff, (size_t)w->number_count * sizeof *w->numbers);
    uint32_t number = 0;
    for (id = graze_scene_next(w->scene, id); id.index1 != 0; id = graze_scene_next(w->scene, id)) {
        graze_status status = graze_scene_get(w->scene, id, &object);
        if (status != GRAZE_OK)
            return status;
        w->paths[number] = object.path;
        w->groups[number] = object.group;
        w->numbers[id.index1] = number++;
    }
    GZ_ASSERT(number == count);
    return GRAZE_OK;
}

// The number of a listed object; UINT32_MAX, with a warning, if it is not there.
static uint32_t find_listed(rules_applying *w, const char *path)
{
    graze_object_id id = graze_scene_find(w->scene, path);
    if (id.index1 != 0)
        return w->numbers[id.index1];
    if (w->missing++ < MOST_SAID)
        gz_log(w->context, GRAZE_LOG_WARNING, "%s: there is no object \"%s\"", w->rules->name,
               path);
    return UINT32_MAX;
}

// --- Sets

static bool matches_any(const graze_clash_rules *rules, gz_text_range range, const char *path,
                        bool *used)
{
    bool found = false;
    // All are tried, for each pattern that never matches is told.
    for (uint32_t i = 0; i < range.count; ++i)
        if (!(found && (used == NULL || used[i])) &&
            graze_glob_match(rules->texts.items[range.first + i], path)) {
            found = true;
            if (used != NULL)
                used[i] = true;
        }
    return found;
}

static void say_unused(const rules_applying *w, const gz_rule_set *set, const bool *used)
{
    for (uint32_t i = 0; i < set->match.count; ++i)
        if (!used[i])
            gz_log(w->context, GRAZE_LOG_WARNING, "%s: no object matches \"%s\" of the set \"%s\"",
                   w->rules->name, w->rules->texts.items[set->match.first + i], set->name);
}

static graze_status fill_set(rules_applying *w, uint32_t number, uint64_t *member_count)
{
    const graze_clash_rules *rules = w->rules;
    const gz_rule_set *set = &rules->sets.items[number];
    uint64_t word = number / 64, bit = UINT64_C(1) << number % 64;
    bool *used = GZ_NEW_ARRAY(w->context, bool, set->match.count);
    if (used == NULL && set->match.count != 0)
        return applying_out_of_memory(w);
    for (uint32_t i = 0; i < set->match.count; ++i)
        used[i] = false;
    for (uint32_t i = 0; i < set->objects.count; ++i) {
        uint32_t object = find_listed(w, rules->texts.items[set->objects.first + i]);
        if (object != UINT32_MAX)
            w->sets[(uint64_t)object * w->set_words + word] |= bit;
    }
    *member_count = 0;
    for (uint32_t i = 0; i < w->out->object_count; ++i) {
        uint64_t *bits = &w->sets[(uint64_t)i * w->set_words + word];
        if (matches_any(rules, set->match, w->paths[i], used) &&
            !matches_any(rules, set->except, w->paths[i], NULL))
            *bits |= bit;
        *member_count += (*bits & bit) != 0;
    }
    say_unused(w, set, used);
    if (*member_count == 0)
        gz_log(w->context, GRAZE_LOG_WARNING, "%s: no object is in the set \"%s\"", rules->name,
               set->name);
    GZ_FREE_ARRAY(w->context, used, set->match.count);
    return GRAZE_OK;
}

static graze_status fill_sets(rules_applying *w)
{
    const graze_clash_rules *rules = w->rules;
    uint64_t count = rules->sets.count, words = 0;
    w->set_words = (uint32_t)((count + 63) / 64);
    if (!gz_mul(w->out->object_count, w->set_words, &words))
        return applying_out_of_memory(w);
    w->sets = GZ_NEW_ARRAY(w->context, uint64_t, words);
    uint64_t *member_counts = GZ_NEW_ARRAY(w->context, uint64_t, count);
    graze_status status = GRAZE_OK;
    if ((w->sets == NULL && words != 0) || (member_counts == NULL && count != 0))
        status = applying_out_of_memory(w);
    else if (words != 0)
        memset(w->sets, 0, (size_t)words * sizeof *w->sets);
    for (uint32_t i = 0; i < count && status == GRAZE_OK; ++i)
        status = fill_set(w, i, &member_counts[i]);
    for (uint64_t i = 0; i < rules->rules.count && status == GRAZE_OK; ++i) {
        const gz_clash_rule *rule = &rules->rules.items[i];
        bool empty_a = rule->a != GZ_SET_ALL && member_counts[rule->a] == 0;
        bool empty_b = rule->b != GZ_SET_ALL && member_counts[rule->b] == 0;
        if (empty_a || empty_b)
            gz_log(w->context, GRAZE_LOG_WARNING,
                   "%s: rule %" PRIu64 " fits no pair: the set \"%s\" is empty", rules->name, i + 1,
                   rules->sets.items[empty_a ? rule->a : rule->b].name);
    }
    GZ_FREE_ARRAY(w->context, member_counts, count);
    return status;
}

// --- Classes

static bool is_in(const rules_applying *w, uint32_t object, uint32_t set)
{
    if (set == GZ_SET_ALL)
        return true;
    return (w->sets[(uint64_t)object * w->set_words + set / 64] >> set % 64 & 1u) != 0;
}

static void fill_row(const rules_applying *w, uint32_t object, uint64_t *row)
{
    uint32_t words = w->out->row_words;
    memset(row, 0, 2 * (uint64_t)words * sizeof *row);
    for (uint32_t i = 0; i < w->out->rule_count; ++i) {
        const gz_clash_rule *rule = &w->rules->rules.items[i];
        row[i / 64] |= (uint64_t)is_in(w, object, rule->a) << i % 64;
        row[words + i / 64] |= (uint64_t)is_in(w, object, rule->b) << i % 64;
    }
}

// The class with the row at the end of all rows: an old one, or this.
static uint32_t find_class(gz_rules_applied *out, uint32_t *slots, uint64_t slot_count)
{
    uint64_t width = 2 * (uint64_t)out->row_words, row_bytes = width * sizeof *out->rows.items;
    uint32_t last = (uint32_t)(out->rows.count / width - 1);
    const uint64_t *row = out->rows.items + last * width;
    uint64_t slot = gz_checksum(0, row, row_bytes) & (slot_count - 1);
    while (slots[slot] != 0) {
        if (memcmp(out->rows.items + (slots[slot] - 1) * width, row, (size_t)row_bytes) == 0) {
            out->rows.count -= width;
            return slots[slot] - 1;
        }
        slot = (slot + 1) & (slot_count - 1);
    }
    slots[slot] = last + 1;
    return last;
}

static graze_status make_classes(rules_applying *w)
{
    gz_rules_applied *out = w->out;
    uint64_t slot_count = 16;
    out->row_words = (out->rule_count + 63) / 64;
    while (slot_count < 2 * (uint64_t)out->object_count)
        slot_count *= 2;
    uint32_t *slots = GZ_NEW_ARRAY(w->context, uint32_t, slot_count);
    out->classes = GZ_NEW_ARRAY(w->context, uint32_t, out->object_count);
    graze_status status = GRAZE_OK;
    if (slots == NULL || (out->classes == NULL && out->object_count != 0))
        status = applying_out_of_memory(w);
    else
        memset(slots, 0, (size_t)slot_count * sizeof *slots);
    for (uint32_t i = 0; i < out->object_count && status == GRAZE_OK; ++i) {
        uint64_t *row = gz_list_push(w->context, &out->rows, 2 * (uint64_t)out->row_words);
        if (row == NULL) {
            status = applying_out_of_memory(w);
            break;
        }
        fill_row(w, i, row);
        out->classes[i] = find_class(out, slots, slot_count);
    }
    GZ_FREE_ARRAY(w->context, slots, slot_count);
    return status;
}

// --- What is ignored

// Equal groups get equal numbers. Objects without a group have no parent in common.
static graze_status number_groups(rules_applying *w)
{
    gz_rules_applied *out = w->out;
    uint64_t slot_count = 16;
    while (slot_count < 2 * (uint64_t)out->object_count)
        slot_count *= 2;
    uint32_t *slots = GZ_NEW_ARRAY(w->context, uint32_t, slot_count); // an object of it, and 1
    out->groups = GZ_NEW_ARRAY(w->context, uint32_t, out->object_count);
    graze_status status = GRAZE_OK;
    if (slots == NULL || (out->groups == NULL && out->object_count != 0))
        status = applying_out_of_memory(w);
    else
        memset(slots, 0, (size_t)slot_count * sizeof *slots);
    for (uint32_t i = 0; i < out->object_count && status == GRAZE_OK; ++i) {
        const char *group = w->groups[i];
        uint64_t slot = gz_checksum(0, group, strlen(group)) & (slot_count - 1);
        out->groups[i] = NO_GROUP;
        if (group[0] == '\0')
            continue;
        while (slots[slot] != 0 && strcmp(w->groups[slots[slot] - 1], group) != 0)
            slot = (slot + 1) & (slot_count - 1);
        if (slots[slot] == 0)
            slots[slot] = i + 1;
        out->groups[i] = slots[slot] - 1;
    }
    GZ_FREE_ARRAY(w->context, slots, slot_count);
    return status;
}

static ignored_pair pair_of(uint32_t a, uint32_t b)
{
    ignored_pair pair;
    gz_put_number(pair.numbers, a < b ? a : b, 4);
    gz_put_number(pair.numbers + 4, a < b ? b : a, 4);
    return pair;
}

static graze_status list_ignored(rules_applying *w)
{
    gz_rules_applied *out = w->out;
    gz_text_range range = w->rules->ignored_pairs;
    for (uint32_t i = 0; i < range.count; i += 2) {
        const char *const *texts = w->rules->texts.items + range.first + i;
        uint32_t a = find_listed(w, texts[0]), b = find_listed(w, texts[1]);
        if (a == UINT32_MAX || b == UINT32_MAX)
            continue;
        ignored_pair pair = pair_of(a, b);
        if (!gz_list_append(w->context, &out->pairs, &pair, 1))
            return applying_out_of_memory(w);
    }
    gz_list_trim(w->context, &out->pairs);
    gz_sort_records(w->context, out->pairs.items, out->pairs.count, sizeof(ignored_pair), 0,
                    gz_arena_over(NULL, 0));
    return GRAZE_OK;
}

static bool is_ignored(const gz_rules_applied *applied, uint32_t a, uint32_t b)
{
    ignored_pair pair = pair_of(a, b);
    uint64_t low = 0, high = applied->pairs.count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        int order = memcmp(applied->pairs.items[middle].numbers, pair.numbers, sizeof pair.numbers);
        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

// --- The whole

static graze_status apply_rules(rules_applying *w)
{
    const graze_clash_rules *rules = w->rules;
    graze_status status = list_objects(w);
    if (status == GRAZE_OK)
        status = fill_sets(w);
    if (status == GRAZE_OK && rules->has_rules)
        status = make_classes(w);
    if (status == GRAZE_OK && rules->ignore_same_group)
        status = number_groups(w);
    if (status == GRAZE_OK)
        status = list_ignored(w);
    if (w->missing > MOST_SAID)
        gz_log(w->context, GRAZE_LOG_WARNING, "%s: %" PRIu64 " more listed objects are not there",
               rules->name, w->missing - MOST_SAID);
    return status;
}

graze_status gz_rules_apply(const graze_clash_rules *rules, graze_scene *scene,
                            const graze_clash_def *def, gz_rules_applied **applied)
{
    graze_context *context = scene->context;
    rules_applying w = {.context = context, .rules = rules, .scene = scene};
    w.out = gz_allocate(context, sizeof *w.out);
    *applied = NULL;
    if (w.out == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for clash rules");
    *w.out = (gz_rules_applied){.context = context, .touch = chosen_touch(rules, scene, def)};
    graze_status status = make_limits(&w, def);
    if (status == GRAZE_OK && rules != NULL)
        status = apply_rules(&w);
    if (w.paths != NULL)
        GZ_FREE_ARRAY(context, w.paths, w.out->object_count);
    GZ_FREE_ARRAY(context, w.groups, w.out->object_count);
    GZ_FREE_ARRAY(context, w.numbers, w.number_count);
    GZ_FREE_ARRAY(context, w.sets, (uint64_t)w.out->object_count * w.set_words);
    if (status == GRAZE_OK)
        *applied = w.out;
    else
        gz_rules_applied_free(w.out);
    return status;
}

void gz_rules_applied_free(gz_rules_applied *applied)
{
    if (applied == NULL)
        return;
    graze_context *context = applied->context;
    if (applied->limits != NULL)
        GZ_FREE_ARRAY(context, applied->limits, (uint64_t)applied->rule_count + 1);
    GZ_FREE_ARRAY(context, applied->classes, applied->object_count);
    GZ_FREE_ARRAY(context, applied->groups, applied->object_count);
    gz_list_free(context, &applied->rows);
    gz_list_free(context, &applied->pairs);
    gz_release(context, applied, sizeof *applied);
}

// --- Questions

// The first rule that fits two classes; rule_count if none does.
static uint32_t first_rule(const gz_rules_applied *applied, uint32_t class_a, uint32_t class_b)
{
    uint32_t words = applied->row_words;
    const uint64_t *a = applied->rows.items + (uint64_t)class_a * 2 * words;
    const uint64_t *b = applied->rows.items + (uint64_t)class_b * 2 * words;
    for (uint32_t i = 0; i < words; ++i) {
        uint64_t fits = (a[i] & b[words + i]) | (b[i] & a[words + i]);
        if (fits != 0)
            return 64 * i + (uint32_t)__builtin_ctzll(fits);
    }
    return applied->rule_count;
}

gz_rule_limits gz_rules_pair(const gz_rules_applied *applied, uint32_t a, uint32_t b)
{
    uint32_t rule = applied->rule_count;
    if (applied->has_rules) {
        GZ_ASSERT(a < applied->object_count && b < applied->object_count);
        rule = first_rule(applied, applied->classes[a], applied->classes[b]);
    }
    gz_rule_limits limits = applied->limits[rule];
    if (!limits.asked)
        return limits;
    bool same_group = applied->groups != NULL && applied->groups[a] != NO_GROUP &&
                      applied->groups[a] == applied->groups[b];
    if (same_group || (applied->pairs.count != 0 && is_ignored(applied, a, b)))
        return (gz_rule_limits){.rule = limits.rule};
    return limits;
}

gz_rule_limits gz_rules_limits(const gz_rules_applied *applied, uint32_t rule)
{
    GZ_ASSERT(rule == GZ_RULE_NONE || rule < applied->rule_count);
    return applied->limits[rule == GZ_RULE_NONE ? applied->rule_count : rule];
}

double gz_rules_reach(const gz_rules_applied *applied)
{
    double reach = 0.0;
    for (uint32_t i = 0; i <= applied->rule_count; ++i)
        if (applied->limits[i].asked)
            reach = fmax(reach, fmax(applied->limits[i].touch, applied->limits[i].clearance));
    return reach;
}

double gz_rules_touch(const gz_rules_applied *applied) { return applied->touch; }
