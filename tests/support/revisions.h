// Scenes that change from revision to revision, for tests of records: boxes, each of a size of its
// own, at places and under names that tests change; written as glTF, or checked at once.
#ifndef TEST_REVISIONS_H
#define TEST_REVISIONS_H

#include <stdbool.h>

#include "models.h"

#define PARTS_MOST 400

typedef struct part {
    double box[3][6]; // up to three boxes make its triangles: low and high ends
    uint32_t box_count;
    double at[3];
    double turn; // about z
    char name[80], group[80];
    bool gone;
} part;

typedef struct revision {
    part parts[PARTS_MOST];
    uint32_t count;
    double metres_per_unit;
} revision;

// A box around the origin of its own frame.
part *revision_add(revision *r, const char *group, const char *name, double x, double y, double z,
                   double at_x, double at_y, double at_z);
void revision_add_box(part *p, const double low[3], const double high[3]);
// So many boxes by chance in a cube, so that many clash; each has a size of its own.
void revision_fill(revision *r, test_random *random, uint32_t count, double cube);

void revision_write(const revision *r, const char *path);
graze_scene *revision_open(graze_context *context, const revision *r); // through a file

// The clashes of a check, with the numbers of parts.
typedef struct told_clash {
    uint32_t a, b;     // a < b
    graze_clash clash; // points and inner as if a were first
} told_clash;

typedef struct told_list {
    const revision *revision;
    graze_scene *scene;
    told_clash *items;
    uint32_t count;
} told_list;

graze_status told_take(void *user, const graze_clash *clash);               // a graze_clash_report
const told_clash *told_find(const told_list *list, uint32_t a, uint32_t b); // NULL: none
void told_check_same(const told_list *a, const told_list *b); // in every bit, and in order
void told_free(told_list *list);

// A run into a record, which is made if need be. `def` may be NULL. The list may be NULL.
typedef struct run_setup {
    const graze_clash_def *clash;
    uint32_t threads, batch; // 0: as is good
} run_setup;
graze_record_totals revision_run(const char *record, const revision *r, const run_setup *setup,
                                 told_list *list);
// From scratch, without a record.
void revision_check(const revision *r, const graze_clash_def *def, told_list *list);

// All lines of a record's dump; to be given back with test_free.
char *record_text(const char *path);
void record_check_same(const char *path, const char *other); // dumps are equal

#endif
