// Checks all of a model. See graze/model.h.
//
// Every page names as many triangles as the list says, which adds up to those of the model, and
// none is named twice: so every triangle is there. A bit for each tells which were met.
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/context.h"
#include "base/threads.h"
#include "model/group_load.h"
#include "model/page_walk.h"

typedef struct check {
    graze_model *model;
    uint64_t *seen; // a bit for each triangle
    uint64_t word_count;
    graze_box box; // of the triangles seen
    graze_model_report report;
    graze_status status; // of what was found first
} check;

static void find(check *c, graze_status status)
{
    c->status = c->status == GRAZE_OK ? status : c->status;
}

static bool see_numbers(check *c, const gz_cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->triangle_count; ++i)
        if ((c->seen[cluster->number[i] / 64] >> cluster->number[i] % 64 & 1) != 0)
            return false;
    for (uint32_t i = 0; i < cluster->triangle_count; ++i)
        c->seen[cluster->number[i] / 64] |= UINT64_C(1) << cluster->number[i] % 64;
    return true;
}

static void try_tree(const check *c, gz_page_slot *slot)
{
    gz_tree tree;
    slot->status = gz_cluster_make_tree(c->model->context, slot->cluster, &tree);
    if (slot->status == GRAZE_OK)
        gz_tree_free(&tree);
    if (slot->status == GRAZE_ERROR_FORMAT)
        slot->wrong = GZ_NO_TREE;
}

static void look_at_page(check *c, gz_page_slot *slot)
{
    bool original = slot->number < c->model->header.cluster_count;
    c->report.pages_checked++;
    if (slot->status == GRAZE_OK && original && !see_numbers(c, slot->cluster)) {
        slot->status = GRAZE_ERROR_FORMAT;
        slot->wrong = "the page has a triangle that an earlier page has";
    }
    if (slot->status == GRAZE_OK && !original)
        return;
    if (slot->status == GRAZE_OK) {
        graze_box box = gz_cluster_box(slot->cluster);
        for (int axis = 0; axis < 3; ++axis) {
            c->box.min[axis] = fmin(c->box.min[axis], box.min[axis]);
            c->box.max[axis] = fmax(c->box.max[axis], box.max[axis]);
        }
        c->report.triangles_found += slot->cluster->triangle_count;
        return;
    }
    if (slot->wrong != NULL)
        gz_model_page_fails(c->model, slot->number, slot->wrong);
    if (c->report.pages_damaged++ == 0)
        c->report.first_damaged = slot->number;
    find(c, slot->status);
}

static graze_status check_pages(check *c)
{
    gz_page_walk walk;
    const gz_model_header *h = &c->model->header;
    graze_status status =
        gz_page_walk_open(c->model, "checking", h->cluster_count + h->coarse_count, &walk);
    while (status == GRAZE_OK && (status = gz_page_walk_next(&walk)) == GRAZE_OK &&
           walk.filled != 0)
        for (uint32_t i = 0; i < walk.filled && status == GRAZE_OK; ++i) {
            if (walk.slots[i].status == GRAZE_OK && walk.slots[i].cluster->step_count != 0)
                try_tree(c, &walk.slots[i]);
            if (walk.slots[i].status == GRAZE_ERROR_MEMORY) // says nothing about the page
                status = GRAZE_ERROR_MEMORY;
            else
                look_at_page(c, &walk.slots[i]);
        }
    gz_page_walk_close(&walk);
    return status;
}

// Collapses of groups, and that each has the triangles that it says, unless clusters are damaged.
static graze_status check_groups(check *c)
{
    gz_group_loader loader;
    const gz_model_header *h = &c->model->header;
    bool sound = c->status == GRAZE_OK;
    graze_status status = GRAZE_OK;
    gz_group_loader_init(c->model, &loader);
    for (uint32_t g = 0; g < h->group_count && status == GRAZE_OK; ++g) {
        status = gz_checkpoint(c->model->context, "checking groups", "groups", g, h->group_count);
        if (status != GRAZE_OK)
            break;
        c->report.pages_checked++;
        // Not kept while the user is asked whether to go on: who asks something meanwhile needs
        // one, too.
        gz_cache_reservation *reservation = gz_cache_reserve(c->model->cache);
        if (reservation == NULL) {
            status = GRAZE_ERROR_MEMORY;
            break;
        }
        status = sound ? gz_group_load_check(&loader, reservation, g)
                       : gz_group_load_page(&loader, reservation, g);
        gz_cache_release(reservation);
        if (status == GRAZE_ERROR_MEMORY)
            break;
        if (status != GRAZE_OK && c->report.pages_damaged++ == 0)
            c->report.first_damaged = h->cluster_count + h->coarse_count + g;
        find(c, status);
        status = GRAZE_OK;
    }
    gz_group_loader_free(&loader);
    return status;
}

static void check_box(check *c)
{
    graze_box told = graze_model_get_info(c->model).box;
    bool equal = true;
    for (int axis = 0; axis < 3; ++axis)
        equal &= told.min[axis] == c->box.min[axis] && told.max[axis] == c->box.max[axis];
    if (!equal && c->report.pages_damaged == 0)
        find(c, gz_fail(c->model->context, GRAZE_ERROR_FORMAT,
                        "%s: byte %" PRIu64 ": the model's box is not that of its triangles",
                        c->model->path, c->model->file.base + offsetof(gz_model_header, box)));
}

static graze_status check_all(check *c)
{
    graze_model *model = c->model;
    graze_status status = check_pages(c);
    if (status == GRAZE_OK)
        status = check_groups(c);
    if (status != GRAZE_OK)
        return status;
    check_box(c);
    gz_model_objects objects;
    status = gz_model_read_objects(model, &objects);
    gz_model_free_objects(model->context, &objects);
    find(c, status);
    return c->status;
}

graze_status graze_model_check(graze_model *model, graze_model_report *report)
{
    if (model == NULL)
        return gz_fail_null(model == NULL ? NULL : model->context, "graze_model_check");
    check c = {.model = model,
               .word_count = (model->header.triangle_count + 63) / 64,
               .box = graze_box_empty()};
    graze_status status = GRAZE_OK;
    c.seen = GZ_NEW_ARRAY(model->context, uint64_t, c.word_count);
    if (c.seen == NULL && c.word_count != 0)
        status = gz_fail(model->context, GRAZE_ERROR_MEMORY,
                         "%s: out of memory for a bit for each of %" PRIu64 " triangles",
                         model->path, model->header.triangle_count);
    if (status == GRAZE_OK) {
        if (c.word_count != 0)
            memset(c.seen, 0, (size_t)c.word_count * sizeof *c.seen);
        status = check_all(&c);
    }
    GZ_FREE_ARRAY(model->context, c.seen, c.word_count);
    if (report != NULL)
        *report = c.report;
    return status;
}
