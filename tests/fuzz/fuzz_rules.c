// Fuzzes clash rules: what the parser takes must hold together, and every pattern must end.
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "scene/clash_rules.h"

static void check_range(const graze_clash_rules *rules, gz_text_range range)
{
    GZ_ASSERT(range.first <= rules->texts.count);
    GZ_ASSERT(range.count <= rules->texts.count - range.first);
    for (uint32_t i = 0; i < range.count; ++i) {
        const char *text = rules->texts.items[range.first + i];
        GZ_ASSERT(text >= rules->text && text + strlen(text) < rules->text + rules->text_bytes);
        (void)graze_glob_match(text, "plant/1/piping/p\xc3\xa9-[2]*");
        (void)graze_glob_match(text, text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    graze_context *context = NULL;
    graze_clash_rules *rules = NULL;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 0;
    if (graze_clash_rules_parse(context, "fuzz.json", (const char *)data, size,
                                size % 2 == 0 ? 0.0 : 1.0, &rules) == GRAZE_OK) {
        for (uint64_t i = 0; i < rules->sets.count; ++i) {
            check_range(rules, rules->sets.items[i].match);
            check_range(rules, rules->sets.items[i].except);
            check_range(rules, rules->sets.items[i].objects);
        }
        check_range(rules, rules->ignored_pairs);
        GZ_ASSERT(rules->ignored_pairs.count % 2 == 0);
        for (uint64_t i = 0; i < rules->rules.count; ++i) {
            const gz_clash_rule *rule = &rules->rules.items[i];
            GZ_ASSERT(rule->a < rules->sets.count || rule->a == GZ_SET_ALL);
            GZ_ASSERT(rule->b < rules->sets.count || rule->b == GZ_SET_ALL);
        }
        graze_clash_rules_free(rules);
    }
    graze_context_destroy(context);
    return 0;
}
