// The sink and the order of the passes. See inspector.h.
#include "mesh/inspect/inspector.h"

#include <inttypes.h>
#include <string.h>

#include "base/context.h"
#include "base/memory.h"
#include "base/sorter.h"
#include "base/spill.h"
#include "mesh/inspect/defects.h"
#include "mesh/inspect/object_book.h"
#include "mesh/inspect/placed.h"
#include "mesh/inspect/positions.h"
#include "mesh/inspect/survey.h"
#include "mesh/inspect/triples.h"
#include "mesh/inspect/weld.h"

#define BATCH          256u
#define MOST_KEY_BYTES 29u
#define MOST_RECENT    65536u              // vertices
#define PLACED_LIMIT   (UINT64_C(1) << 26) // triangles

typedef struct report_block {
    graze_mesh_report report; // first: a pointer to it is one to the block
    uint64_t list_capacity;
    char why[256], placed_why[256];
} report_block;

struct gz_inspector {
    graze_context *context;
    gz_inspect_plan plan;
    report_block *block;
    bool counts_only;
    bool findings; // asked for, and possible so far
    bool soup;     // STL: each triangle brings three vertices of its own, and is looked at at once
    gz_object_book book;
    gz_positions positions; // all of them; of a soup only what recent has no room for
    gz_spill corners;       // vertex numbers, later places; soups have none until they are welded
    gz_sorter *keys;        // for welding: of vertices, or of the corners of a soup
    gz_placed placed;       // made if objects are placed or share triangles
    uint64_t flat_count;
    // Soups: the latest vertices, the first of them with number recent_first; right before them, in
    // positions, those from late_first on, mostly none.
    uint8_t *recent;
    uint64_t late_first;
    uint64_t recent_capacity, recent_first, recent_count;
    uint64_t recent_done; // vertices below this number were named by a triangle
    graze_box section;    // of the triangles since the last object
    uint64_t section_first;
};

gz_inspect_plan gz_inspect_plan_for(uint64_t memory_bytes)
{
    uint64_t reader = memory_bytes / 8;
    if (reader > UINT64_C(32) << 20)
        reader = UINT64_C(32) << 20;
    if (reader < memory_bytes / 4 && reader < UINT64_C(4) << 20)
        reader = memory_bytes / 4 < UINT64_C(4) << 20 ? memory_bytes / 4 : UINT64_C(4) << 20;
    uint64_t part = (memory_bytes - reader) / 64; // two parts are left for small things
    gz_inspect_plan plan = {
        .list = 4 * part,
        .object_order = 3 * part,
        .positions = 13 * part,
        .cache = 4 * part,
        .corners = 18 * part,
        .keys = 20 * part,
        .soup_keys = 34 * part,
        .recent = 6 * part,
        .join = reader * 3 / 8,
        .placed_triangles = reader / 8 + 3 * part,
        .placed_objects = reader / 32,
        .repeats = 17 * part,
        .map = 20 * part,
        .triangles = 16 * part,
        .edges = 22 * part,
        .marks = 2 * part,
        .links = 3 * part,
        .forest = 30 * part,
        .patience = 32,
        .place_limit = UINT32_MAX,
    };
    plan.window = part < UINT64_C(1) << 20 ? part / 2 : UINT64_C(1) << 19;
    return plan;
}

static graze_status out_of_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory while inspecting a mesh");
}

graze_status gz_inspector_open(graze_context *context, const gz_inspect_plan *plan,
                               bool counts_only, gz_inspector **inspector)
{
    *inspector = NULL;
    gz_inspector *made = gz_allocate(context, sizeof *made);
    report_block *block = gz_allocate(context, sizeof *block);
    if (made == NULL || block == NULL) {
        gz_release(context, made, sizeof *made);
        gz_release(context, block, sizeof *block);
        return out_of_memory(context);
    }
    memset(made, 0, sizeof *made);
    memset(block, 0, sizeof *block);
    made->context = context;
    made->plan = *plan;
    made->block = block;
    made->counts_only = counts_only;
    made->findings = !counts_only;
    if (counts_only)
        snprintf(block->why, sizeof block->why, "not asked for");
    *inspector = made;
    return GRAZE_OK;
}

void gz_inspector_close(gz_inspector *inspector)
{
    if (inspector == NULL)
        return;
    graze_context *context = inspector->context;
    gz_object_book_close(&inspector->book);
    gz_positions_free(&inspector->positions);
    gz_spill_free(&inspector->corners);
    gz_placed_free(&inspector->placed);
    gz_sorter_close(inspector->keys);
    gz_release(context, inspector->recent, inspector->recent_capacity);
    if (inspector->block != NULL)
        graze_mesh_report_free(context, &inspector->block->report);
    gz_release(context, inspector, sizeof *inspector);
}

void graze_mesh_report_free(graze_context *context, graze_mesh_report *report)
{
    if (report == NULL)
        return;
    report_block *block = (report_block *)report;
    gz_string_free(context, (char *)report->header.encoding);
    gz_object_list_free(context, (graze_object_report *)report->objects, report->objects_listed,
                        block->list_capacity);
    gz_release(context, block, sizeof *block);
}

// The findings are not possible: they say why, and the rest goes on.
static void give_up(gz_inspector *inspector, const char *why)
{
    inspector->findings = false;
    snprintf(inspector->block->why, sizeof inspector->block->why, "%s", why);
    gz_sorter_close(inspector->keys);
    inspector->keys = NULL;
}

// Temporary files that cannot be written or read spoil the findings, not the report.
static graze_status forgive(gz_inspector *inspector, graze_status status)
{
    if (status != GRAZE_ERROR_SPACE && status != GRAZE_ERROR_IO)
        return status;
    char why[sizeof inspector->block->why];
    snprintf(why, sizeof why, "a temporary file in %.200s failed: %s",
             inspector->context->temporary_folder, graze_status_text(status));
    give_up(inspector, why);
    return GRAZE_OK;
}

static graze_status take_begin(void *user, const graze_mesh_header *header)
{
    gz_inspector *inspector = user;
    graze_context *context = inspector->context;
    const gz_inspect_plan *plan = &inspector->plan;
    graze_mesh_report *report = &inspector->block->report;
    report->header = *header;
    report->header.encoding = gz_string_copy(context, header->encoding);
    if (report->header.encoding == NULL)
        return out_of_memory(context);
    inspector->soup = header->format == GRAZE_FORMAT_STL;
    inspector->section = graze_box_empty();
    inspector->corners = gz_spill_make(context, plan->corners);
    gz_sorter_def order = {.memory_bytes = plan->object_order, .fan_bits = plan->fan_bits};
    inspector->positions =
        gz_positions_make(context, header->precision, plan->positions, plan->cache);
    graze_status status =
        gz_object_book_open(context, plan->list, inspector->soup ? NULL : &order, &inspector->book);
    if (status != GRAZE_OK || !inspector->findings)
        return status;
    order.record_bytes = gz_weld_key_bytes(header->precision);
    order.memory_bytes = inspector->soup ? plan->soup_keys : plan->keys;
    order.stage = "comparing vertices";
    return gz_sorter_open(context, &order, &inspector->keys);
}

static uint32_t vertex_bytes(const gz_inspector *inspector)
{
    return 3 * (uint32_t)inspector->block->report.header.precision;
}

static graze_status push_keys(gz_inspector *inspector, const uint8_t *vertices, uint64_t count,
                              uint64_t first)
{
    graze_precision precision = inspector->block->report.header.precision;
    uint32_t key_bytes = gz_weld_key_bytes(precision);
    uint8_t keys[BATCH * MOST_KEY_BYTES];
    graze_status status = GRAZE_OK;
    for (uint64_t done = 0; done < count && status == GRAZE_OK;) {
        uint64_t batch = count - done < BATCH ? count - done : BATCH;
        for (uint64_t i = 0; i < batch; ++i, ++done)
            gz_weld_key(keys + i * key_bytes, vertices + done * vertex_bytes(inspector), precision,
                        first + done);
        status = gz_sorter_push(inspector->keys, keys, batch);
    }
    return forgive(inspector, status);
}

// Vertices below this number are behind all triangles so far, and not needed any more.
static void forget_late(gz_inspector *inspector)
{
    gz_positions *late = &inspector->positions;
    if (inspector->recent_done < inspector->late_first + gz_positions_count(late))
        return;
    gz_positions_free(late);
    *late = gz_positions_make(inspector->context, inspector->block->report.header.precision,
                              inspector->plan.positions, inspector->plan.cache);
    inspector->late_first = inspector->recent_first;
}

// Makes room for `count` vertices: drops those whose triangles have come, and sets the oldest
// others aside.
static graze_status make_recent_room(gz_inspector *inspector, uint64_t count)
{
    uint64_t bytes = vertex_bytes(inspector), most = inspector->recent_capacity / bytes;
    uint64_t drop = inspector->recent_done > inspector->recent_first
                        ? inspector->recent_done - inspector->recent_first
                        : 0;
    inspector->recent_first += drop;
    forget_late(inspector);
    uint64_t left = inspector->recent_count - drop;
    uint64_t late = left + count > most ? left + count - most : 0;
    graze_status status =
        gz_positions_append(&inspector->positions, inspector->recent + drop * bytes, late);
    inspector->recent_first += late;
    inspector->recent_count = left - late;
    memmove(inspector->recent, inspector->recent + (drop + late) * bytes,
            (size_t)(inspector->recent_count * bytes));
    return status;
}

// Keeps vertices of a soup until their triangles come: nearly always with the next call. After
// triangles that were dropped, there may be many before that.
static graze_status keep_recent(gz_inspector *inspector, const uint8_t *vertices, uint64_t count)
{
    uint64_t bytes = vertex_bytes(inspector), most = inspector->plan.recent / bytes;
    most = most < MOST_RECENT ? most : MOST_RECENT;
    if (inspector->recent == NULL) {
        inspector->recent_capacity = most * bytes;
        inspector->recent = gz_allocate(inspector->context, inspector->recent_capacity);
        if (inspector->recent == NULL)
            return out_of_memory(inspector->context);
    }
    graze_status status = GRAZE_OK;
    while (count != 0 && status == GRAZE_OK) {
        uint64_t part = count < most ? count : most;
        status = make_recent_room(inspector, part);
        memcpy(inspector->recent + inspector->recent_count * bytes, vertices,
               (size_t)(part * bytes));
        inspector->recent_count += part;
        vertices += part * bytes;
        count -= part;
    }
    return status;
}

// A vertex of a soup as it came.
static graze_status recall(gz_inspector *inspector, uint64_t vertex, uint8_t *out)
{
    uint32_t bytes = vertex_bytes(inspector);
    uint64_t place = vertex - inspector->recent_first; // wraps for older ones
    if (place < inspector->recent_count) {
        memcpy(out, inspector->recent + place * bytes, bytes);
        return GRAZE_OK;
    }
    const gz_positions *late = &inspector->positions;
    place = vertex - inspector->late_first;
    if (place >= gz_positions_count(late))
        return gz_fail(inspector->context, GRAZE_ERROR_ARGUMENT,
                       "an STL stream named a vertex for the second time");
    return gz_spill_read(&late->spill, place * bytes, out, bytes);
}

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    gz_inspector *inspector = user;
    uint64_t first = inspector->block->report.vertex_count;
    inspector->block->report.vertex_count += count;
    if (inspector->soup)
        return keep_recent(inspector, positions, count);
    if (inspector->block->report.vertex_count > GZ_INDEX_LIMIT)
        return gz_fail(inspector->context, GRAZE_ERROR_UNSUPPORTED,
                       "more than %" PRIu64 " vertices", GZ_INDEX_LIMIT);
    graze_status status = gz_positions_append(&inspector->positions, positions, count);
    if (status != GRAZE_OK || inspector->keys == NULL)
        return status;
    if (inspector->block->report.vertex_count > inspector->plan.place_limit) {
        char why[128];
        snprintf(why, sizeof why, "there are more than %" PRIu64 " vertices",
                 inspector->plan.place_limit);
        give_up(inspector, why);
        return GRAZE_OK;
    }
    return push_keys(inspector, positions, count, first);
}

// Triangles of a soup, with their vertices in a row.
static graze_status look_at_soup(gz_inspector *inspector, const uint8_t *vertices, uint64_t count,
                                 uint64_t number)
{
    uint32_t bytes = vertex_bytes(inspector);
    for (uint64_t i = 0; i < count; ++i) {
        graze_triangle triangle;
        for (uint64_t c = 0; c < 3; ++c) {
            gz_position_widen(vertices + (3 * i + c) * bytes, bytes, triangle.corner[c]);
            gz_box_add(&inspector->section, triangle.corner[c]);
        }
        if (!inspector->counts_only)
            inspector->flat_count += gz_triangle_is_flat(&triangle);
    }
    return inspector->keys == NULL ? GRAZE_OK
                                   : push_keys(inspector, vertices, 3 * count, 3 * number);
}

// How many triangles from here on name recent vertices one after the other, as nearly all do.
static uint64_t count_run(const gz_inspector *inspector, const uint64_t *corners, uint64_t count)
{
    uint64_t place = corners[0] - inspector->recent_first; // wraps for older ones
    uint64_t most = place < inspector->recent_count ? inspector->recent_count - place : 0;
    uint64_t run = 0;
    while (run < 3 * count && run < most && corners[run] == corners[0] + run)
        ++run;
    return run / 3;
}

static graze_status take_soup(gz_inspector *inspector, const uint64_t *corners, uint64_t count,
                              uint64_t number)
{
    uint32_t bytes = vertex_bytes(inspector);
    graze_status status = GRAZE_OK;
    while (count != 0 && status == GRAZE_OK) {
        uint64_t run = count_run(inspector, corners, count);
        if (run != 0) {
            uint64_t place = corners[0] - inspector->recent_first;
            status = look_at_soup(inspector, inspector->recent + place * bytes, run, number);
        } else {
            uint8_t vertices[3 * 24];
            run = 1;
            for (uint32_t c = 0; c < 3 && status == GRAZE_OK; ++c)
                status = recall(inspector, corners[c], vertices + (size_t)c * bytes);
            if (status == GRAZE_OK)
                status = look_at_soup(inspector, vertices, 1, number);
        }
        for (uint64_t i = 0; i < 3 * run; ++i)
            if (corners[i] >= inspector->recent_done)
                inspector->recent_done = corners[i] + 1;
        corners += 3 * run;
        count -= run;
        number += run;
    }
    return status;
}

static graze_status keep_corners(gz_inspector *inspector, const uint64_t *corners, uint64_t count)
{
    uint8_t records[BATCH * GZ_TRIPLE_BYTES];
    graze_status status = GRAZE_OK;
    for (uint64_t done = 0; done < count && status == GRAZE_OK;) {
        uint64_t batch = count - done < BATCH ? count - done : BATCH;
        for (uint64_t i = 0; i < batch; ++i, ++done)
            gz_triple_put(records + i * GZ_TRIPLE_BYTES, corners + 3 * done);
        status = gz_spill_append(&inspector->corners, records, batch * GZ_TRIPLE_BYTES);
    }
    return status;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    gz_inspector *inspector = user;
    uint64_t first = inspector->block->report.triangle_count;
    inspector->block->report.triangle_count += count;
    if (first + count > GZ_INDEX_LIMIT / 3)
        return gz_fail(inspector->context, GRAZE_ERROR_UNSUPPORTED,
                       "more than %" PRIu64 " triangles", GZ_INDEX_LIMIT / 3);
    return inspector->soup ? take_soup(inspector, corners, count, first)
                           : keep_corners(inspector, corners, count);
}

// A soup's object is the section since the last one.
static graze_status take_object(void *user, const graze_object *object)
{
    gz_inspector *inspector = user;
    graze_mesh_report *report = &inspector->block->report;
    uint64_t room = UINT64_MAX - report->placed_triangle_count;
    report->placed_triangle_count += object->triangle_count < room ? object->triangle_count : room;
    report->is_placed |= object->placed != 0;
    if (!inspector->soup)
        return gz_object_book_add(&inspector->book, object, NULL);
    graze_box box = inspector->section;
    if (object->triangle_count == 0)
        box = graze_box_empty();
    else if (object->first_triangle != inspector->section_first ||
             object->first_triangle + object->triangle_count !=
                 inspector->block->report.triangle_count)
        return gz_fail(inspector->context, GRAZE_ERROR_ARGUMENT,
                       "an STL stream named an object that is not its latest triangles");
    inspector->section = graze_box_empty();
    inspector->section_first = object->first_triangle + object->triangle_count;
    return gz_object_book_add(&inspector->book, object, &box);
}

static graze_status take_end(void *user, const graze_mesh_losses *losses)
{
    gz_inspector *inspector = user;
    inspector->block->report.losses = *losses;
    return GRAZE_OK;
}

static graze_status give_position(void *user, uint64_t vertex, double out[3])
{
    gz_inspector *inspector = user;
    if (!inspector->soup)
        return gz_positions_get(&inspector->positions, vertex, out);
    uint8_t bytes[24];
    graze_status status = recall(inspector, vertex, bytes);
    if (status == GRAZE_OK)
        gz_position_widen(bytes, vertex_bytes(inspector), out);
    return status;
}

graze_mesh_sink gz_inspector_sink(gz_inspector *inspector)
{
    return (graze_mesh_sink){
        .user = inspector,
        .begin = take_begin,
        .vertices = take_vertices,
        .triangles = take_triangles,
        .object = take_object,
        .end = take_end,
        .position = give_position,
    };
}

static graze_status survey(gz_inspector *inspector)
{
    graze_mesh_report *report = &inspector->block->report;
    report->is_placed |= report->placed_triangle_count != report->triangle_count;
    if (inspector->soup) {
        if (!inspector->counts_only)
            report->degenerate_triangles = gz_found(inspector->flat_count, false);
        inspector->book.world = graze_box_join(&inspector->book.world, &inspector->section);
        gz_positions_free(&inspector->positions);
        return GRAZE_OK;
    }
    gz_survey_def def = {
        .feed = {.positions = &inspector->positions,
                 .corners = &inspector->corners,
                 .stage = "looking at triangles",
                 .window_bytes = inspector->plan.window,
                 .join_bytes = inspector->plan.join,
                 .fan_bits = inspector->plan.fan_bits,
                 .patience = inspector->plan.patience},
        .book = &inspector->book,
        .count_flat = !inspector->counts_only,
    };
    if (report->is_placed && inspector->findings) {
        // The keys that were gathered are of no use: they take the same coordinates in two frames
        // for one place.
        gz_sorter_close(inspector->keys);
        inspector->keys = NULL;
        inspector->placed =
            gz_placed_make(inspector->context, report->header.precision,
                           inspector->plan.placed_triangles, inspector->plan.placed_objects);
        def.aside = &inspector->placed;
    }
    gz_survey_result result;
    graze_status status = gz_survey_run(inspector->context, &def, &result);
    if (def.count_flat)
        report->degenerate_triangles =
            gz_found(result.flat_count, result.joined || gz_spill_on_disk(&inspector->corners) ||
                                            gz_spill_on_disk(&inspector->positions.spill));
    gz_positions_free(&inspector->positions);
    return status;
}

// All vertices are in one frame.
static graze_status find_plain(gz_inspector *inspector, graze_mesh_findings *findings)
{
    const graze_mesh_report *report = &inspector->block->report;
    gz_defects_def def = {
        .plan = &inspector->plan,
        .soup = inspector->soup,
        .vertex_count = inspector->soup ? 3 * report->triangle_count : report->vertex_count,
        .keys = inspector->keys,
        .corners = &inspector->corners,
    };
    bool found = false;
    char why[128];
    inspector->keys = NULL;
    graze_status status = gz_defects_find(inspector->context, &def, findings, &found, why);
    if (status == GRAZE_OK && !found)
        give_up(inspector, why);
    return status;
}

// Objects are placed: as they lie in the file, or as they stand in the world. Where that cannot be
// checked, `why` says it.
static graze_status find_placed(gz_inspector *inspector, bool in_world,
                                graze_mesh_findings *findings, char why[128])
{
    graze_context *context = inspector->context;
    const gz_inspect_plan *plan = &inspector->plan;
    gz_placed *placed = &inspector->placed;
    gz_placed_count count;
    gz_sorter_def order = {.record_bytes = gz_placed_key_bytes(placed, in_world),
                           .memory_bytes = plan->soup_keys,
                           .fan_bits = plan->fan_bits,
                           .stage = "comparing vertices"};
    gz_defects_def def = {.plan = plan, .soup = true, .corners = &inspector->corners};
    graze_status status = gz_sorter_open(context, &order, &def.keys);
    if (status != GRAZE_OK)
        return status;
    status = gz_placed_push(placed, in_world, def.keys, &count);
    if (status != GRAZE_OK || count.out_of_range) {
        gz_sorter_close(def.keys);
        if (status == GRAZE_OK)
            snprintf(why, 128, "a matrix takes vertices out of the range of double");
        return status;
    }
    bool on_disk = gz_spill_on_disk(&placed->triangles) || gz_sorter_on_disk(def.keys), found;
    def.vertex_count = 3 * count.triangles;
    def.on_disk = on_disk;
    gz_spill_free(&inspector->corners);
    inspector->corners = gz_spill_make(context, plan->corners);
    status = gz_defects_find(context, &def, findings, &found, why);
    if (in_world && status == GRAZE_OK)
        findings->degenerate_triangles = gz_found(count.flat, on_disk);
    return status;
}

// Each range in its own frame, and all objects in the world.
static graze_status find_twice(gz_inspector *inspector, graze_mesh_findings *in_file)
{
    report_block *block = inspector->block;
    graze_mesh_report *report = &block->report;
    uint64_t most = inspector->plan.placed_limit;
    if (most == 0)
        most =
            report->triangle_count > PLACED_LIMIT / 4 ? 4 * report->triangle_count : PLACED_LIMIT;
    gz_spill_free(&inspector->corners);
    char why[128] = "";
    graze_status status = forgive(inspector, find_placed(inspector, false, in_file, why));
    if (status != GRAZE_OK)
        return status;
    if (why[0] != '\0')
        give_up(inspector, why);
    if (report->placed_triangle_count > most) {
        snprintf(block->placed_why, sizeof block->placed_why,
                 "the objects have %" PRIu64 " triangles, more than %" PRIu64,
                 report->placed_triangle_count, most);
        return GRAZE_OK;
    }
    why[0] = '\0';
    if (inspector->findings)
        status = forgive(inspector, find_placed(inspector, true, &report->placed, why));
    snprintf(block->placed_why, sizeof block->placed_why, "%s", why[0] != '\0' ? why : block->why);
    return status;
}

static graze_status find_defects(gz_inspector *inspector)
{
    graze_mesh_report *report = &inspector->block->report;
    graze_mesh_findings in_file = {.degenerate_triangles = report->degenerate_triangles};
    graze_status status = report->is_placed ? find_twice(inspector, &in_file)
                                            : forgive(inspector, find_plain(inspector, &in_file));
    report->distinct_vertices = in_file.distinct_vertices;
    report->duplicate_triangles = in_file.duplicate_triangles;
    report->open_edges = in_file.open_edges;
    report->nonmanifold_edges = in_file.nonmanifold_edges;
    report->misoriented_edges = in_file.misoriented_edges;
    report->parts = in_file.parts;
    report->closed_parts = in_file.closed_parts;
    return status;
}

static void explain(graze_finding *finding, const char *why)
{
    if (finding->extent == GRAZE_NOT_CHECKED)
        *finding = (graze_finding){.why = why};
}

static void explain_all(report_block *block)
{
    graze_mesh_report *report = &block->report;
    graze_finding *in_file[] = {&report->distinct_vertices,
                                &report->degenerate_triangles,
                                &report->duplicate_triangles,
                                &report->open_edges,
                                &report->nonmanifold_edges,
                                &report->misoriented_edges,
                                &report->parts,
                                &report->closed_parts};
    graze_mesh_findings *world = &report->placed;
    graze_finding *placed[] = {&world->distinct_vertices,
                               &world->degenerate_triangles,
                               &world->duplicate_triangles,
                               &world->open_edges,
                               &world->nonmanifold_edges,
                               &world->misoriented_edges,
                               &world->parts,
                               &world->closed_parts};
    for (size_t i = 0; i < sizeof in_file / sizeof *in_file; ++i) {
        explain(in_file[i], block->why);
        if (!report->is_placed)
            *placed[i] = *in_file[i];
        explain(placed[i], block->placed_why[0] != '\0' ? block->placed_why : block->why);
    }
}

// Hands the book's list over to the report.
static void take_objects(gz_object_book *book, report_block *block)
{
    graze_mesh_report *report = &block->report;
    report->object_count = book->object_count;
    memcpy(report->box_min, book->world.min, sizeof report->box_min);
    memcpy(report->box_max, book->world.max, sizeof report->box_max);
    report->objects = book->list;
    report->objects_listed = (uint32_t)book->list_count;
    block->list_capacity = book->list_capacity;
    book->list = NULL;
    book->list_count = book->list_capacity = 0;
}

graze_status gz_inspector_finish(gz_inspector *inspector, graze_mesh_report **report)
{
    *report = NULL;
    gz_release(inspector->context, inspector->recent, inspector->recent_capacity);
    inspector->recent = NULL;
    graze_status status = survey(inspector);
    if (status == GRAZE_OK && inspector->findings)
        status = find_defects(inspector);
    if (status != GRAZE_OK)
        return status;
    explain_all(inspector->block);
    take_objects(&inspector->book, inspector->block);
    *report = &inspector->block->report;
    inspector->block = NULL;
    return GRAZE_OK;
}
