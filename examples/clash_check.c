// Clash checks: five pyramids in a scene of your own. Which are in each other, or too near?
//   clash_check [FILE]
#include <stdio.h>

#include "graze/graze.h"

static graze_status add(graze_scene *scene, const graze_shape *shape, const char *name, double x)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    graze_object_def def = graze_object_def_default();
    def.name = name;
    def.group = "desert";
    def.shape = shape;
    def.pose = &pose;
    return graze_scene_add(scene, &def, NULL);
}

// Called for each clash, the worst first.
static graze_status print_clash(void *user, const graze_clash *clash)
{
    char sentence[256];
    const graze_scene *scene = user;
    graze_clash_sentence(scene, clash, sentence, sizeof sentence);
    printf("%s: %s\n", graze_clash_kind_text(clash->kind), sentence);
    return GRAZE_OK;
}

static graze_status check(graze_context *context, graze_scene *scene)
{
    // Pairs that a rule does not fit are not asked.
    static const char text[] = "{\"sets\": {\"tombs\": [\"desert/*\"]},"
                               " \"rules\": [{\"a\": \"tombs\", \"b\": \"*\"}],"
                               " \"ignore\": {\"pairs\": [[\"desert/red\", \"desert/bent\"]]}}";
    graze_clash_rules *rules = NULL;
    graze_clash_totals totals;
    graze_status status =
        graze_clash_rules_parse(context, "example", text, sizeof text - 1, 0, &rules);
    if (status != GRAZE_OK)
        return status;
    graze_clash_def def = graze_clash_def_default();
    def.touch = 0.001;
    def.clearance = 0.25;
    def.rules = rules;
    status = graze_scene_clash(scene, &def, print_clash, scene, &totals);
    if (status == GRAZE_OK)
        printf("%llu objects, %llu touch\n", (unsigned long long)totals.object_count,
               (unsigned long long)totals.counts[GRAZE_CLASH_TOUCHING]);
    graze_clash_rules_free(rules);
    return status;
}

int main(int count, char **words)
{
    graze_context *context = NULL;
    graze_shape *shape = NULL;
    graze_scene *scene = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_shape_read(context, count > 1 ? words[1] : "pyramid.ply", NULL, &shape);
    if (status == GRAZE_OK)
        status = graze_scene_create(context, &scene);

    // The pyramid is 1 wide.
    static const struct {
        const char *name;
        double x;
    } places[] = {{"red", 0}, {"bent", 0.5}, {"black", 1.25}, {"white", 2.25}, {"new", 3.375}};
    for (int i = 0; i < 5 && status == GRAZE_OK; ++i)
        status = add(scene, shape, places[i].name, places[i].x);
    if (status == GRAZE_OK)
        status = check(context, scene);

    graze_scene_free(scene);
    graze_shape_free(shape);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
