// A plant whose clashes are known beforehand, checked as graze clash does.
#include "demo_clash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clash_print.h"
#include "plant.h"
#include "terminal.h"

#define OBJECTS   300
#define TRIANGLES 60000
#define CLEARANCE 0.01
#define MOST_ROWS 6

typedef struct demo_check {
    clash_printer printer;
    const generator_plant *plant;
    bool *found; // by number of what was planted
} demo_check;

static graze_status write_plant(graze_context *context, const generator_plant *plant,
                                const char *path)
{
    graze_mesh_write_def def = graze_mesh_write_def_default();
    graze_mesh_sink sink;
    graze_mesh_writer *writer = NULL;
    def.order = GRAZE_ORDER_VERTICES_FIRST;
    graze_status status = graze_mesh_writer_open(context, path, &def, &sink, &writer);
    if (status != GRAZE_OK)
        return status;
    status = generator_plant_stream(plant, &sink);
    if (status == GRAZE_OK)
        return graze_mesh_writer_commit(writer);
    graze_mesh_writer_abandon(writer);
    return status;
}

static bool is_object(const demo_check *check, uint64_t object, graze_object_id id)
{
    char name[GENERATOR_PLANT_NAME], group[GENERATOR_PLANT_NAME];
    graze_scene_object about;
    generator_plant_name(check->plant, object, name, group);
    return graze_scene_get(check->printer.scene, id, &about) == GRAZE_OK &&
           strcmp(about.name, name) == 0 && strcmp(about.group, group) == 0;
}

static graze_clash_kind kind_of(generator_relation relation)
{
    switch (relation) {
    case GENERATOR_CLASH: return GRAZE_CLASH_OVERLAP;
    case GENERATOR_TOUCH: return GRAZE_CLASH_TOUCHING;
    case GENERATOR_CLEARANCE: return GRAZE_CLASH_CLEARANCE;
    case SCENE_CONTAINED: return GRAZE_CLASH_CONTAINED;
    case SCENE_DUPLICATE: return GRAZE_CLASH_DUPLICATE;
    }
    return GRAZE_CLASH_NONE;
}

// Names are enough here: in a plant no two are equal.
static void print_row(demo_check *check, const graze_clash *clash)
{
    char amount[TEXT_BYTES + 8];
    graze_scene_object a, b;
    if (graze_scene_get(check->printer.scene, clash->a, &a) != GRAZE_OK ||
        graze_scene_get(check->printer.scene, clash->b, &b) != GRAZE_OK)
        return;
    if (check->printer.row_count++ == 0) {
        bar_clear();
        printf("   %-9s  %-14s  %-13s  %-13s  %s\n", "kind", "how much", "objects", "",
               "where, in metres");
    }
    printf("   %-9s  %-14s  %-13s  %-13s  %.2f, %.2f, %.2f\n", graze_clash_kind_text(clash->kind),
           print_amount(amount, &check->printer, clash), a.name, b.name, clash->point_a[0],
           clash->point_a[1], clash->point_a[2]);
}

static graze_status on_clash(void *user, const graze_clash *clash)
{
    demo_check *check = user;
    for (uint64_t i = 0; i < generator_plant_planted_count(check->plant); ++i) {
        generator_planted planted = generator_plant_planted(check->plant, i);
        if (kind_of(planted.relation) == clash->kind &&
            ((is_object(check, planted.a, clash->a) && is_object(check, planted.b, clash->b)) ||
             (is_object(check, planted.a, clash->b) && is_object(check, planted.b, clash->a))))
            check->found[i] = true;
    }
    if (check->printer.row_count < MOST_ROWS)
        print_row(check, clash);
    return GRAZE_OK;
}

// Gaps that are not below the clearance are none.
static void compare(const demo_check *check, bool *right)
{
    uint64_t asked = 0, found = 0;
    for (uint64_t i = 0; i < generator_plant_planted_count(check->plant); ++i) {
        generator_planted planted = generator_plant_planted(check->plant, i);
        if (planted.relation == GENERATOR_CLEARANCE && !(planted.amount < CLEARANCE))
            continue;
        ++asked;
        found += check->found[i];
    }
    if (found == asked)
        printf("   %llu pairs were planted in it. Each was found, and its kind is right.\n",
               (unsigned long long)asked);
    else
        printf("   %llu pairs were planted in it, and only %llu were FOUND.\n",
               (unsigned long long)asked, (unsigned long long)found);
    *right = *right && found == asked;
}

static void print_summary(const graze_clash_totals *totals, double seconds)
{
    char objects[TEXT_BYTES], pairs[TEXT_BYTES], clashes[TEXT_BYTES], touching[TEXT_BYTES];
    char time[TEXT_BYTES];
    printf("\n   %s objects, %s pairs looked at: %s clashes and %s touching, in %s\n",
           print_count(objects, totals->object_count), print_count(pairs, totals->asked_pairs),
           print_count(clashes, count_clashes(totals)),
           print_count(touching, totals->counts[GRAZE_CLASH_TOUCHING]),
           print_seconds(time, seconds));
}

static graze_status check_plant(graze_context *context, demo_check *check, const char *path)
{
    graze_scene *scene = NULL;
    graze_clash_totals totals;
    graze_scene_source source = {.path = path};
    graze_clash_def def = graze_clash_def_default();
    def.clearance = CLEARANCE;
    def.list_touching = 1;
    double begun = now_seconds();
    graze_status status = graze_scene_create(context, &scene);
    if (status == GRAZE_OK)
        status = graze_scene_add_source(scene, &source, NULL);
    check->printer = (clash_printer){.form = CLASH_TABLE, .scene = scene, .metres_per_unit = 1.0};
    if (status == GRAZE_OK)
        status = graze_scene_clash(scene, &def, on_clash, check, &totals);
    bar_clear();
    if (status == GRAZE_OK)
        print_summary(&totals, now_seconds() - begun);
    graze_scene_free(scene);
    return status;
}

graze_status demo_clash(graze_context *context, const char *path, bool *right)
{
    static const generator_plant_def def = {.object_count = OBJECTS, .triangle_count = TRIANGLES};
    generator_plant *plant = NULL;
    demo_check check = {.found = NULL};
    graze_status status = generator_plant_open(&def, &plant);
    if (status != GRAZE_OK)
        return status;
    check.plant = plant;
    check.found = calloc((size_t)generator_plant_planted_count(plant) + 1, sizeof *check.found);
    if (check.found == NULL)
        status = GRAZE_ERROR_MEMORY;
    if (status == GRAZE_OK)
        status = write_plant(context, plant, path);
    printf("   graze clash plant.glb --clearance 10mm --list-touching   (the first %d)\n\n",
           MOST_ROWS);
    if (status == GRAZE_OK)
        status = check_plant(context, &check, path);
    if (status == GRAZE_OK)
        compare(&check, right);
    free(check.found);
    generator_plant_close(plant);
    return status;
}
