// See revisions.h.
#include "revisions.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/knobs.h"

// --- Parts

void revision_add_box(part *p, const double low[3], const double high[3])
{
    assert_true(p->box_count < 3);
    memcpy(p->box[p->box_count], low, 3 * sizeof(double));
    memcpy(p->box[p->box_count++] + 3, high, 3 * sizeof(double));
}

part *revision_add(revision *r, const char *group, const char *name, double x, double y, double z,
                   double at_x, double at_y, double at_z)
{
    assert_true(r->count < PARTS_MOST);
    part *p = &r->parts[r->count++];
    *p = (part){.at = {at_x, at_y, at_z}};
    revision_add_box(p, (double[]){-x / 2, -y / 2, -z / 2}, (double[]){x / 2, y / 2, z / 2});
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->group, sizeof p->group, "%s", group);
    return p;
}

void revision_fill(revision *r, test_random *random, uint32_t count, double cube)
{
    char name[80], group[80];
    for (uint32_t i = 0; i < count; ++i) {
        double size[3], at[3];
        for (int k = 0; k < 3; ++k) {
            size[k] = (double)(float)(0.3 + test_unit(random));
            at[k] = (double)(float)(cube * test_unit(random));
        }
        snprintf(name, sizeof name, "part %u", r->count);
        snprintf(group, sizeof group, "plant/group %u", (unsigned)(test_next(random) % 7));
        revision_add(r, group, name, size[0], size[1], size[2], at[0], at[1], at[2])->turn =
            i % 3 == 0 ? test_unit(random) : 0;
    }
}

static void put_box(const double box[6], float *positions, uint32_t *corners, uint32_t first)
{
    static const uint32_t faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            positions[3 * i + k] = (float)box[(i >> k & 1) != 0 ? 3 + k : k];
    for (int f = 0; f < 6; ++f)
        for (int t = 0; t < 2; ++t, corners += 3) {
            corners[0] = first + faces[f][0];
            corners[1] = first + faces[f][1 + t];
            corners[2] = first + faces[f][2 + t];
        }
}

void revision_write(const revision *r, const char *path)
{
    uint32_t boxes = 0, objects = 0;
    for (uint32_t i = 0; i < r->count; ++i)
        boxes += r->parts[i].gone ? 0 : r->parts[i].box_count;
    float *positions = test_calloc(boxes + 1, 24 * sizeof *positions);
    uint32_t *corners = test_calloc(boxes + 1, 36 * sizeof *corners);
    graze_object *list = test_calloc(r->count + 1, sizeof *list);
    boxes = 0;
    for (uint32_t i = 0; i < r->count; ++i) {
        const part *p = &r->parts[i];
        if (p->gone)
            continue;
        graze_object *object = &list[objects++];
        double c = cos(p->turn), s = sin(p->turn);
        *object =
            (graze_object){.name = p->name,
                           .group = p->group,
                           .first_triangle = 12 * (uint64_t)boxes,
                           .triangle_count = 12 * (uint64_t)p->box_count,
                           .matrix = {c, -s, 0, p->at[0], s, c, 0, p->at[1], 0, 0, 1, p->at[2]},
                           .placed = 1};
        for (uint32_t k = 0; k < p->box_count; ++k, ++boxes)
            put_box(p->box[k], positions + 24 * boxes, corners + 36 * boxes, 8 * boxes);
    }
    graze_mesh_view view = {.precision = GRAZE_FLOAT32,
                            .metres_per_unit = r->metres_per_unit,
                            .vertex_count = 8 * (uint64_t)boxes,
                            .triangle_count = 12 * (uint64_t)boxes,
                            .object_count = objects,
                            .positions = positions,
                            .corners = corners,
                            .objects = list};
    models_write(&view, path);
    test_free(positions);
    test_free(corners);
    test_free(list);
}

graze_scene *revision_open(graze_context *context, const revision *r)
{
    char path[MODEL_PATH_BYTES];
    graze_scene *scene = NULL;
    revision_write(r, models_path(path, "revision.glb"));
    graze_scene_source source = {path, NULL, NULL};
    assert_int_equal(graze_scene_create(context, &scene), GRAZE_OK);
    assert_int_equal(graze_scene_add_source(scene, &source, NULL), GRAZE_OK);
    unlink(path);
    return scene;
}

// --- Lists

// Parts that are gone are not in the scene; all others are, in their order.
static uint32_t part_of(const told_list *list, graze_object_id id)
{
    uint32_t place = 0;
    graze_object_id none = {0, 0};
    for (graze_object_id at = graze_scene_next(list->scene, none); at.index1 != id.index1;
         at = graze_scene_next(list->scene, at))
        ++place;
    for (uint32_t i = 0; i < list->revision->count; ++i)
        if (!list->revision->parts[i].gone && place-- == 0)
            return i;
    fail();
    return 0;
}

graze_status told_take(void *user, const graze_clash *clash)
{
    told_list *list = user;
    if ((list->count & (list->count + 1)) == 0)
        list->items = realloc(list->items, 2 * (list->count + 1) * sizeof *list->items);
    assert_non_null(list->items);
    told_clash *told = &list->items[list->count++];
    told->a = part_of(list, clash->a);
    told->b = part_of(list, clash->b);
    told->clash = *clash;
    if (told->b < told->a) {
        uint32_t swap = told->a;
        told->a = told->b;
        told->b = swap;
        memcpy(told->clash.point_a, clash->point_b, sizeof clash->point_b);
        memcpy(told->clash.point_b, clash->point_a, sizeof clash->point_a);
        if (clash->kind == GRAZE_CLASH_CONTAINED)
            told->clash.inner = 1 - clash->inner;
    }
    return GRAZE_OK;
}

const told_clash *told_find(const told_list *list, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < list->count; ++i)
        if ((list->items[i].a == a && list->items[i].b == b) ||
            (list->items[i].a == b && list->items[i].b == a))
            return &list->items[i];
    return NULL;
}

void told_check_same(const told_list *a, const told_list *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; ++i) {
        const graze_clash *x = &a->items[i].clash, *y = &b->items[i].clash;
        assert_int_equal(a->items[i].a, b->items[i].a);
        assert_int_equal(a->items[i].b, b->items[i].b);
        assert_true(x->kind == y->kind && x->inner == y->inner && x->depth_low == y->depth_low &&
                    x->depth_high == y->depth_high && x->gap == y->gap && x->length == y->length);
        assert_memory_equal(x->point_a, y->point_a, sizeof x->point_a);
        assert_memory_equal(x->point_b, y->point_b, sizeof x->point_b);
        assert_memory_equal(&x->region, &y->region, sizeof x->region);
        assert_true(x->region_whole == y->region_whole && x->rule == y->rule);
    }
}

void told_free(told_list *list)
{
    free(list->items);
    *list = (told_list){0};
}

// --- Runs

graze_record_totals revision_run(const char *path, const revision *r, const run_setup *setup,
                                 told_list *list)
{
    graze_context_def settings = graze_context_def_default();
    settings.thread_count = setup == NULL || setup->threads == 0 ? 1 : setup->threads;
    graze_context *context = test_context(&settings);
    if (setup != NULL)
        gz_knobs_for(context)->record_batch = setup->batch;
    graze_scene *scene = revision_open(context, r);
    graze_record *open = NULL;
    graze_record_totals totals;
    graze_clash_totals clash_totals;
    graze_record_check_def def = graze_record_check_def_default();
    def.clash = setup == NULL ? NULL : setup->clash;
    def.files = "revision.glb";
    def.time = 1700000000;
    if (list != NULL)
        *list = (told_list){.revision = r, .scene = scene};
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_RUN, &open), GRAZE_OK);
    assert_int_equal(graze_record_check(open, scene, &def, list == NULL ? NULL : told_take, list,
                                        &clash_totals, &totals),
                     GRAZE_OK);
    assert_int_equal(totals.pair_count, clash_totals.asked_pairs);
    assert_int_equal(totals.pair_count, totals.checked_count + totals.reused_count);
    graze_record_close(open);
    graze_scene_free(scene);
    test_context_done(context);
    return totals;
}

void revision_check(const revision *r, const graze_clash_def *def, told_list *list)
{
    graze_context *context = test_context(NULL);
    graze_scene *scene = revision_open(context, r);
    *list = (told_list){.revision = r, .scene = scene};
    assert_int_equal(graze_scene_clash(scene, def, told_take, list, NULL), GRAZE_OK);
    graze_scene_free(scene);
    test_context_done(context);
}

// --- Dumps

static graze_status take_line(void *user, const char *line)
{
    fprintf(user, "%s\n", line);
    return GRAZE_OK;
}

char *record_text(const char *path)
{
    graze_context *context = test_context(NULL);
    graze_record *open = NULL;
    char *text = NULL;
    size_t bytes = 0;
    FILE *lines = open_memstream(&text, &bytes);
    assert_non_null(lines);
    assert_int_equal(graze_record_open(context, path, GRAZE_RECORD_READ, &open), GRAZE_OK);
    assert_int_equal(graze_record_dump(open, take_line, lines), GRAZE_OK);
    assert_int_equal(fclose(lines), 0);
    graze_record_close(open);
    test_context_done(context);
    return text;
}

// Tells the first line that differs.
void record_check_same(const char *path, const char *other)
{
    char *a = record_text(path), *b = record_text(other);
    for (char *x = a, *y = b; *x != '\0' || *y != '\0';) {
        size_t m = strcspn(x, "\n"), n = strcspn(y, "\n");
        if (m != n || memcmp(x, y, m) != 0)
            fail_msg("records differ:\n%.*s\n%.*s", (int)m, x, (int)n, y);
        x += m + (x[m] == '\n');
        y += n + (y[n] == '\n');
    }
    free(a);
    free(b);
}
