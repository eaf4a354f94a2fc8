// A record of clashes over revisions: two pyramids clash, somebody says that they may, and then one
// of them is moved.
//   clash_record [FILE]
#include <stdio.h>

#include "graze/graze.h"

#define RECORD "pyramids.sqlite"

static graze_status print_clash(void *user, const graze_record_clash *clash)
{
    (void)user;
    printf("  clash %llu of %s and %s: %s\n", (unsigned long long)clash->number, clash->a.path,
           clash->b.path, graze_record_status_text(clash->status));
    return GRAZE_OK;
}

// The scene of a revision: the same mesh twice, the second so far to the right.
static graze_status make_scene(graze_context *context, const char *path, double x,
                               graze_scene **scene)
{
    graze_pose pose = graze_pose_identity();
    pose.translation[0] = x;
    graze_scene_source left = {path, "left", NULL}, right = {path, "right", &pose};
    graze_status status = graze_scene_create(context, scene);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(*scene, &left, NULL);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(*scene, &right, NULL);
    return status;
}

static graze_status run(graze_context *context, const char *path, double x)
{
    graze_record *record = NULL;
    graze_scene *scene = NULL;
    graze_record_totals totals;
    graze_status status = make_scene(context, path, x, &scene);
    if (status == GRAZE_OK)
        status = graze_record_open(context, RECORD, GRAZE_RECORD_RUN, &record);
    if (status == GRAZE_OK)
        status = graze_record_check(record, scene, NULL, NULL, NULL, NULL, &totals);
    if (status == GRAZE_OK) {
        printf("run %u: %llu of %llu pairs checked\n", totals.run,
               (unsigned long long)totals.checked_count, (unsigned long long)totals.pair_count);
        status = graze_record_each_clash(record, NULL, print_clash, NULL);
    }
    graze_record_close(record);
    graze_scene_free(scene);
    return status;
}

static graze_status approve(graze_context *context, uint64_t clash)
{
    graze_record *record = NULL;
    graze_record_say say = graze_record_say_default();
    say.status = GRAZE_RECORD_APPROVED;
    say.comment = "they are only ruins";
    say.author = "anna";
    graze_status status = graze_record_open(context, RECORD, GRAZE_RECORD_REVIEW, &record);
    if (status == GRAZE_OK)
        status = graze_record_review(record, &clash, 1, &say);
    graze_record_close(record);
    return status;
}

int main(int count, char **words)
{
    graze_context *context = NULL;
    const char *path = count > 1 ? words[1] : "pyramid.ply";
    remove(RECORD);
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = run(context, path, 0.75);
    if (status == GRAZE_OK)
        status = approve(context, 1);
    if (status == GRAZE_OK)
        status = run(context, path, 0.75); // nothing has changed: nothing is looked at
    if (status == GRAZE_OK)
        status = run(context, path, 0.5); // deeper than what was approved
    if (status == GRAZE_OK)
        status = run(context, path, 3.0); // gone
    graze_context_destroy(context);
    remove(RECORD);
    return status == GRAZE_OK ? 0 : 1;
}
