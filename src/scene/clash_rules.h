// Which pairs of objects a clash check asks about, and with which lengths.
//
// Rules come from a JSON file (clash_rules.c). For a check, every object is put into its sets once
// (rule_pairs.c); objects that are on the same sides of the same rules have one class, and a class
// is two rows of bits, a bit a rule: is it on side a, is it on side b? The first rule that fits two
// objects is the lowest bit of (a of one and b of the other) or (b of one and a of the other).
#ifndef GZ_CLASH_RULES_H
#define GZ_CLASH_RULES_H

#include <stdbool.h>

#include "base/memory.h"
#include "graze/clash.h"

#define GZ_RULE_NONE UINT32_MAX // no rule
#define GZ_SET_ALL   UINT32_MAX // "*" instead of a set

// Stretches of lists of texts in gz_rule_texts.
typedef struct gz_text_range {
    uint32_t first, count;
} gz_text_range;

// The objects that match one of some patterns, but none of others, and those that are listed.
typedef struct gz_rule_set {
    const char *name;
    gz_text_range match, except, objects;
} gz_rule_set;

typedef struct gz_clash_rule {
    uint32_t a, b;           // sets
    double touch, clearance; // below 0: not said
    bool ignored;
} gz_clash_rule;

struct graze_clash_rules {
    graze_context *context;
    char *name; // of the file, for messages
    char *text; // its bytes; all other texts are in there, decoded in place
    uint64_t text_bytes;
    GZ_LIST(const char *) texts;
    GZ_LIST(gz_rule_set) sets;
    GZ_LIST(gz_clash_rule) rules;
    bool has_rules;          // "rules" is there: what no rule fits is not asked
    double touch, clearance; // below 0: not said
    bool ignore_same_group;
    gz_text_range ignored_pairs; // two texts each
    uint32_t ignored_kinds;      // a bit for each graze_clash_kind
};

// What holds for a pair of objects.
typedef struct gz_rule_limits {
    bool asked; // false: nothing is asked about the pair, and the rest is 0
    double touch, clearance;
    uint32_t rule;          // its number; GZ_RULE_NONE where there are no rules
    uint32_t ignored_kinds; // a bit for each graze_clash_kind that is not to be told
} gz_rule_limits;

typedef struct gz_rules_applied gz_rules_applied;

// Puts the objects of a scene into sets. Warns of patterns and sets that match nothing, listed
// objects that are not there, rules without objects, and clearances that touch makes pointless.
// @param rules  NULL: everything is asked. Not needed afterwards.
// @param def    touch and clearance where the rules do not say theirs; a touch below 0 is chosen
//               as clash.h tells.
graze_status gz_rules_apply(const graze_clash_rules *rules, graze_scene *scene,
                            const graze_clash_def *def, gz_rules_applied **applied);
void gz_rules_applied_free(gz_rules_applied *applied); // accepts NULL

// Two objects by their numbers, in the order of graze_scene_next. Any number of threads may ask.
gz_rule_limits gz_rules_pair(const gz_rules_applied *applied, uint32_t a, uint32_t b);

// Of rule number `rule`; of no rule at all where that is GZ_RULE_NONE.
gz_rule_limits gz_rules_limits(const gz_rules_applied *applied, uint32_t rule);

// The largest touch or clearance of any pair that may be asked; 0 if none may.
double gz_rules_reach(const gz_rules_applied *applied);
// The touch that holds where no rule has its own.
double gz_rules_touch(const gz_rules_applied *applied);

#endif
