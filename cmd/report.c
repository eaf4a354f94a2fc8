// Reports of mesh files, as text and as JSON. See report.h.
#include "report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "help.h"
#include "json_out.h"
#include "losses.h"
#include "terminal.h"
#include "units.h"

#define TERM_COLUMNS 14

#define AT(member) offsetof(graze_mesh_report, member), offsetof(graze_mesh_findings, member)

// Checks by name, in the order of the report. `defect`: a count above 0 is one.
static const struct check {
    const char *json_name, *one, *many;
    size_t offset, placed_offset;
    bool defect;
} checks[] = {
    {"distinct_vertices", "distinct vertex", "distinct vertices", AT(distinct_vertices), false},
    {"parts", "part", "parts", AT(parts), false},
    {"closed_parts", "closed part", "closed parts", AT(closed_parts), false},
    {"degenerate_triangles", "degenerate triangle", "degenerate triangles",
     AT(degenerate_triangles), true},
    {"duplicate_triangles", "duplicate triangle", "duplicate triangles", AT(duplicate_triangles),
     true},
    {"open_edges", "open edge", "open edges", AT(open_edges), true},
    {"nonmanifold_edges", "non-manifold edge", "non-manifold edges", AT(nonmanifold_edges), true},
    {"misoriented_edges", "misoriented edge", "misoriented edges", AT(misoriented_edges), true},
};
#define CHECK_COUNT (sizeof checks / sizeof *checks)

static const graze_finding *found_in_file(const graze_mesh_report *report,
                                          const struct check *check)
{
    return (const graze_finding *)(const void *)((const char *)report + check->offset);
}

// As placed: what counts in the end.
static const graze_finding *finding_of(const graze_mesh_report *report, const struct check *check)
{
    return (const graze_finding *)(const void *)((const char *)&report->placed +
                                                 check->placed_offset);
}

static bool was_checked(const graze_finding *finding)
{
    return finding->extent != GRAZE_NOT_CHECKED;
}

static bool is_empty_box(const double min[3], const double max[3])
{
    return !(min[0] <= max[0] && min[1] <= max[1] && min[2] <= max[2]);
}

// --- The last line, in words

static void append(char text[SUMMARY_BYTES], const char *separator, uint64_t count, const char *one,
                   const char *many)
{
    char number[TEXT_BYTES];
    size_t used = strlen(text);
    snprintf(text + used, SUMMARY_BYTES - used, "%s%s %s", separator, print_count(number, count),
             count == 1 ? one : many);
}

// Adds up the defects and lists their kinds in `text`.
static uint64_t list_defects(const graze_mesh_report *report, char text[SUMMARY_BYTES])
{
    uint64_t sum = 0;
    text[0] = '\0';
    for (size_t i = 0; i < CHECK_COUNT; ++i) {
        const graze_finding *finding = finding_of(report, &checks[i]);
        if (!checks[i].defect || !was_checked(finding) || finding->count == 0)
            continue;
        append(text, sum > 0 ? ", " : "", finding->count, checks[i].one, checks[i].many);
        sum += finding->count;
    }
    uint64_t dropped = report->losses.nonfinite_triangles;
    if (dropped != 0)
        append(text, sum > 0 ? ", " : "", dropped, "non-finite triangle", "non-finite triangles");
    return sum + dropped;
}

static size_t count_checked(const graze_mesh_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < CHECK_COUNT; ++i)
        count += was_checked(finding_of(report, &checks[i]));
    return count;
}

static bool all_checked(const graze_mesh_report *report)
{
    return count_checked(report) == CHECK_COUNT;
}

static bool is_closed(const graze_mesh_report *report)
{
    const graze_mesh_findings *found = &report->placed;
    return found->parts.count != 0 && found->parts.count == found->closed_parts.count;
}

uint64_t summarize_report(const graze_mesh_report *report, char text[SUMMARY_BYTES])
{
    char defects[SUMMARY_BYTES];
    uint64_t sum = list_defects(report, defects);
    bool complete = all_checked(report);
    text[0] = '\0';
    if (report->triangle_count == 0) {
        snprintf(text, SUMMARY_BYTES, "empty: no triangles");
    } else if (was_checked(&report->placed.parts) && was_checked(&report->placed.closed_parts)) {
        snprintf(text, SUMMARY_BYTES, "%s", is_closed(report) ? "closed" : "not closed");
        append(text, ", ", report->placed.parts.count, "part", "parts");
    }
    size_t used = strlen(text);
    const char *comma = used > 0 ? ", " : "";
    if (count_checked(report) == 0 && sum == 0)
        snprintf(text + used, SUMMARY_BYTES - used, "%snot checked", comma);
    else if (sum == 0 && complete)
        snprintf(text + used, SUMMARY_BYTES - used, "%sno defects", comma);
    else if (sum == 0)
        snprintf(text + used, SUMMARY_BYTES - used, "%sno defects found, but not all was checked",
                 comma);
    else if (report->triangle_count == 0 || complete)
        snprintf(text + used, SUMMARY_BYTES - used, "%s%s%s", comma,
                 sum == 1 ? "1 defect: " : "defects: ", defects);
    else
        snprintf(text + used, SUMMARY_BYTES - used, "%sdefects: %s; not all was checked", comma,
                 defects);
    return sum;
}

// --- Text

static void print_term(const char *term) { printf("  %-*s", TERM_COLUMNS - 2, term); }

static void print_number(const char *term, uint64_t count)
{
    char number[TEXT_BYTES];
    print_term(term);
    puts(print_count(number, count));
}

static void print_unit(const graze_mesh_report *report)
{
    double metres = report->header.metres_per_unit;
    const char *name = unit_name(metres);
    char number[TEXT_BYTES];
    print_term("unit");
    if (metres == 0.0)
        puts("unknown");
    else if (name != NULL)
        puts(name);
    else
        printf("%s m\n", print_real(number, metres));
}

static void print_bounds(const graze_mesh_report *report)
{
    const double *min = report->box_min, *max = report->box_max;
    if (is_empty_box(min, max)) {
        print_term("bounds");
        puts("none");
        return;
    }
    static const char *const axes[] = {"bounds  x", "        y", "        z"};
    for (int i = 0; i < 3; ++i) {
        print_term(axes[i]);
        printf("%.9g to %.9g\n", min[i] + 0.0, max[i] + 0.0);
    }
    print_term("size");
    printf("%.9g x %.9g x %.9g\n", max[0] - min[0], max[1] - min[1], max[2] - min[2]);
    double metres = report->header.metres_per_unit;
    if (metres == 0.0 || metres == 1.0)
        return;
    char x[TEXT_BYTES], y[TEXT_BYTES], z[TEXT_BYTES];
    print_term("");
    printf("%s x %s x %s\n", print_metres(x, metres * (max[0] - min[0])),
           print_metres(y, metres * (max[1] - min[1])),
           print_metres(z, metres * (max[2] - min[2])));
}

static void print_losses(const graze_mesh_losses *losses)
{
    const struct {
        uint64_t count;
        const char *one, *many;
    } rows[] = {
        {losses->nonfinite_vertices, "vertex is infinite or not a number",
         "vertices are infinite or not a number"},
        {losses->nonfinite_triangles, "triangle used one and was dropped",
         "triangles used one and were dropped"},
        {losses->empty_polygons, "face with fewer than three corners was dropped",
         "faces with fewer than three corners were dropped"},
        {losses->polygons, "polygon was cut into triangles", "polygons were cut into triangles"},
        {losses->other_primitives, "point or line was dropped", "points and lines were dropped"},
    };
    const char *term = "reading";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        char number[TEXT_BYTES];
        if (rows[i].count == 0)
            continue;
        print_term(term);
        printf("%s %s\n", print_count(number, rows[i].count),
               rows[i].count == 1 ? rows[i].one : rows[i].many);
        term = "";
    }
}

// The count of a check, and in colour if it is of defects.
static void print_found(const struct check *check, const graze_finding *finding)
{
    char number[TEXT_BYTES] = "-";
    if (was_checked(finding))
        print_count(number, finding->count);
    bool bad = check->defect && was_checked(finding) && finding->count != 0;
    printf(" %s%15s%s", bad ? style_on(stdout, STYLE_BAD) : "", number,
           bad ? style_on(stdout, STYLE_PLAIN) : "");
}

// Where objects are placed there are two columns, and what is said of the check is of the second,
// unless the first was not made.
static void print_checks(const graze_mesh_report *report)
{
    static const char *const extents[] = {"not checked", "checked", "checked on disk"};
    bool twice = report->is_placed != 0, any = count_checked(report) != 0;
    for (size_t i = 0; i < CHECK_COUNT; ++i)
        any = any || was_checked(found_in_file(report, &checks[i]));
    if (!any)
        return; // the last line says so
    puts("");
    if (twice)
        printf("  %-22s %15s %15s\n", "", "in the file", "as placed");
    for (size_t i = 0; i < CHECK_COUNT; ++i) {
        const graze_finding *finding = finding_of(report, &checks[i]);
        printf("  %-22s", checks[i].many);
        if (twice)
            print_found(&checks[i], found_in_file(report, &checks[i]));
        print_found(&checks[i], finding);
        printf("   %s", extents[finding->extent]);
        if (finding->why != NULL)
            printf(": %s", finding->why);
        putchar('\n');
    }
}

static void print_object_head(void)
{
    printf("\n  %15s  %-32s  %s\n", "triangles", "size", "object");
}

static void print_object(const graze_object_report *row)
{
    char count[TEXT_BYTES], size[128] = "-";
    if (!is_empty_box(row->box_min, row->box_max))
        snprintf(size, sizeof size, "%.4g x %.4g x %.4g", row->box_max[0] - row->box_min[0],
                 row->box_max[1] - row->box_min[1], row->box_max[2] - row->box_min[2]);
    printf("  %15s  %-32s  ", print_count(count, row->object.triangle_count), size);
    if (row->object.group[0] != '\0') {
        print_clean(stdout, row->object.group, 0);
        putchar('/');
    }
    print_clean(stdout, row->object.name[0] != '\0' ? row->object.name : "(no name)", 0);
    putchar('\n');
}

static void print_objects(const graze_mesh_report *report)
{
    if (report->objects == NULL) {
        puts("\n  The objects are too many to list in the memory given.");
        return;
    }
    print_object_head();
    for (uint64_t i = 0; i < report->objects_listed; ++i)
        print_object(&report->objects[i]);
}

// Bytes a triangle, in all and beyond what any mesh takes.
static double bytes_each(const shape_report *shape, bool extra)
{
    double bytes = (double)shape->info.byte_count - (extra ? (double)shape->mesh_bytes : 0.0);
    return bytes / (double)shape->info.triangle_count;
}

static const char *layout_name(const shape_report *shape)
{
    return shape->layout == GRAZE_LAYOUT_COMPACT ? "compact" : "fast";
}

static void print_shape(const shape_report *shape)
{
    char size[TEXT_BYTES];
    print_term("shape");
    printf("%s", print_bytes(size, shape->info.byte_count));
    if (shape->info.triangle_count != 0)
        printf(", %.1f bytes a triangle, %.1f beyond vertices and numbers",
               bytes_each(shape, false), bytes_each(shape, true));
    putchar('\n');
    print_term("");
    printf("%s layout, built in %.3f s\n", layout_name(shape), shape->build_seconds);
}

static void print_title(const char *path)
{
    fputs(style_on(stdout, STYLE_BOLD), stdout);
    print_clean(stdout, path, 0);
    printf("%s\n", style_on(stdout, STYLE_PLAIN));
}

static void print_mesh(const graze_mesh_report *report)
{
    print_term("precision");
    puts(report->header.precision == GRAZE_FLOAT64 ? "double" : "float");
    print_unit(report);
    print_bounds(report);
    print_losses(&report->losses);
}

void print_report(const char *path, const graze_mesh_report *report, const shape_report *shape,
                  bool objects)
{
    char size[TEXT_BYTES], summary[SUMMARY_BYTES];
    uint64_t defects = summarize_report(report, summary);
    print_title(path);
    print_term("format");
    printf("%s, %s, %s\n", graze_format_text(report->header.format), report->header.encoding,
           print_bytes(size, report->file_bytes));
    print_number("vertices", report->vertex_count);
    print_term("triangles");
    fputs(print_count(size, report->triangle_count), stdout);
    if (report->is_placed != 0)
        printf(", as placed %s", print_count(size, report->placed_triangle_count));
    putchar('\n');
    print_number("objects", report->object_count);
    print_mesh(report);
    if (shape != NULL)
        print_shape(shape);
    if (objects)
        print_objects(report);
    print_checks(report);
    printf("\n  %s", style_on(stdout, defects == 0 ? STYLE_GOOD : STYLE_BAD));
    print_wrapped(summary, 2, 2);
    fputs(style_on(stdout, STYLE_PLAIN), stdout);
}

// --- JSON. The members are described in the manual page, from command_table.c.

static void put_bounds(cmd_json *json, const double min[3], const double max[3])
{
    if (is_empty_box(min, max)) {
        json_null(json, "bounds");
        return;
    }
    json_open(json, "bounds", '{');
    json_reals(json, "min", min, 3);
    json_reals(json, "max", max, 3);
    json_close(json, '}');
}

static void put_findings(cmd_json *json, const graze_mesh_report *report, bool as_placed)
{
    static const char *const extents[] = {"none", "memory", "disk"};
    json_open(json, "findings", '{');
    for (size_t i = 0; i < CHECK_COUNT; ++i) {
        const graze_finding *finding =
            as_placed ? finding_of(report, &checks[i]) : found_in_file(report, &checks[i]);
        json_open(json, checks[i].json_name, '{');
        json_text(json, "extent", extents[finding->extent]);
        if (was_checked(finding))
            json_count(json, "count", finding->count);
        else
            json_null(json, "count");
        json_text(json, "why", finding->why);
        json_close(json, '}');
    }
    json_close(json, '}');
}

static void put_placed(cmd_json *json, const graze_mesh_report *report)
{
    if (report->is_placed == 0) {
        json_null(json, "placed");
        return;
    }
    json_open(json, "placed", '{');
    json_count(json, "triangles", report->placed_triangle_count);
    put_findings(json, report, true);
    json_close(json, '}');
}

static void put_object(cmd_json *json, const graze_object_report *row)
{
    json_open(json, NULL, '{');
    json_text(json, "name", row->object.name);
    json_text(json, "group", row->object.group);
    json_count(json, "first_triangle", row->object.first_triangle);
    json_count(json, "triangles", row->object.triangle_count);
    if (row->object.placed != 0)
        json_reals(json, "matrix", row->object.matrix, 12);
    else
        json_null(json, "matrix");
    put_bounds(json, row->box_min, row->box_max);
    json_close(json, '}');
}

static void put_objects(cmd_json *json, const graze_mesh_report *report)
{
    if (report->objects == NULL) {
        json_null(json, "objects");
        return;
    }
    json_open(json, "objects", '[');
    for (uint64_t i = 0; i < report->objects_listed; ++i)
        put_object(json, &report->objects[i]);
    json_close(json, ']');
}

static void put_verdict(cmd_json *json, const graze_mesh_report *report)
{
    char summary[SUMMARY_BYTES];
    uint64_t defects = summarize_report(report, summary);
    if (was_checked(&report->placed.parts) && was_checked(&report->placed.closed_parts))
        json_bool(json, "closed", is_closed(report));
    else
        json_null(json, "closed");
    if (all_checked(report))
        json_count(json, "defects", defects);
    else
        json_null(json, "defects");
    json_text(json, "summary", summary);
}

static void put_shape(cmd_json *json, const shape_report *shape)
{
    json_open(json, "shape", '{');
    json_text(json, "layout", layout_name(shape));
    json_count(json, "bytes", shape->info.byte_count);
    json_count(json, "triangles", shape->info.triangle_count);
    json_real(json, "bytes_a_triangle", bytes_each(shape, false));
    json_real(json, "extra_bytes_a_triangle", bytes_each(shape, true));
    json_count(json, "nodes", shape->info.node_count);
    json_count(json, "leaves", shape->info.leaf_count);
    json_count(json, "depth", shape->info.depth);
    json_real(json, "build_seconds", shape->build_seconds);
    json_close(json, '}');
}

static void put_unit(cmd_json *json, double metres)
{
    if (metres != 0.0)
        json_real(json, "metres_per_unit", metres);
    else
        json_null(json, "metres_per_unit");
}

static void put_mesh(cmd_json *json, const graze_mesh_report *report)
{
    json_text(json, "precision", report->header.precision == GRAZE_FLOAT64 ? "double" : "float");
    put_unit(json, report->header.metres_per_unit);
    put_bounds(json, report->box_min, report->box_max);
    put_losses(json, "losses", &report->losses);
}

void print_json_report(const char *path, const graze_mesh_report *report, const shape_report *shape,
                       bool objects)
{
    cmd_json out = {.file = stdout}, *json = &out;
    json_open(json, NULL, '{');
    json_text(json, "file", path);
    json_text(json, "format", graze_format_text(report->header.format));
    json_text(json, "encoding", report->header.encoding);
    json_count(json, "bytes", report->file_bytes);
    json_count(json, "vertices", report->vertex_count);
    json_count(json, "triangles", report->triangle_count);
    json_count(json, "object_count", report->object_count);
    put_mesh(json, report);
    put_findings(json, report, false);
    put_placed(json, report);
    put_verdict(json, report);
    if (shape != NULL)
        put_shape(json, shape);
    if (objects)
        put_objects(json, report);
    json_close(json, '}');
    json_end_line(json);
}

// --- Models

typedef struct model_report {
    const graze_model *model;
    const char *path;
    graze_model_info info;
    cmd_json json; // its file is NULL: text is wanted
    bool objects;
} model_report;

static double model_bytes_each(const graze_model_info *info)
{
    return (double)info->file_bytes / (double)info->triangle_count;
}

// What models and meshes have in common.
static graze_mesh_report as_mesh(const graze_model_info *info)
{
    graze_mesh_report report = {
        .header = {.precision = info->precision, .metres_per_unit = info->metres_per_unit},
        .losses = info->losses};
    memcpy(report.box_min, info->box.min, sizeof report.box_min);
    memcpy(report.box_max, info->box.max, sizeof report.box_max);
    return report;
}

// Each level of detail, with how far it is from the original at most, both ways.
static void print_levels(const graze_model *model)
{
    for (uint32_t i = 1; i < graze_model_level_count(model); ++i) {
        graze_model_level level = graze_model_get_level(model, i);
        char triangles[TEXT_BYTES], forward[TEXT_BYTES], backward[TEXT_BYTES];
        print_term(i == 1 ? "levels" : "");
        printf("%s triangles, within %s and %s\n", print_count(triangles, level.triangle_count),
               print_bound(forward, level.forward, 1), print_bound(backward, level.backward, 1));
    }
}

static void put_levels(cmd_json *json, const graze_model *model)
{
    json_open(json, "levels", '[');
    for (uint32_t i = 0; i < graze_model_level_count(model); ++i) {
        graze_model_level level = graze_model_get_level(model, i);
        json_open(json, NULL, '{');
        json_count(json, "triangles", level.triangle_count);
        json_count(json, "clusters", level.cluster_count);
        json_real(json, "forward", level.forward);
        json_real(json, "backward", level.backward);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void print_model(const model_report *m)
{
    const graze_model_info *info = &m->info;
    graze_mesh_report mesh = as_mesh(info);
    char number[TEXT_BYTES];
    print_title(m->path);
    print_term("format");
    printf("model, version %" PRIu32 ", %s\n", info->version,
           print_bytes(number, info->file_bytes));
    print_number("triangles", info->triangle_count);
    print_number("objects", info->object_count);
    print_term("clusters");
    printf("%s", print_count(number, info->cluster_count));
    if (info->triangle_count != 0)
        printf(", %.2f bytes a triangle", model_bytes_each(info));
    putchar('\n');
    print_mesh(&mesh);
    print_levels(m->model);
    print_term("memory");
    printf("%s while it is open\n", print_bytes(number, info->resident_bytes));
    if (m->objects)
        print_object_head();
}

static void put_model(model_report *m)
{
    const graze_model_info *info = &m->info;
    graze_mesh_report mesh = as_mesh(info);
    cmd_json *json = &m->json;
    json_open(json, NULL, '{');
    json_text(json, "file", m->path);
    json_text(json, "format", "model");
    json_count(json, "version", info->version);
    json_count(json, "bytes", info->file_bytes);
    json_count(json, "triangles", info->triangle_count);
    json_count(json, "object_count", info->object_count);
    json_count(json, "clusters", info->cluster_count);
    json_count(json, "page_bytes", info->page_bytes);
    json_count(json, "resident_bytes", info->resident_bytes);
    json_real(json, "bytes_a_triangle", model_bytes_each(info));
    put_mesh(json, &mesh);
    put_levels(json, m->model);
    if (m->objects)
        json_open(json, "objects", '[');
}

static graze_status begin_model(void *user, const graze_mesh_header *header)
{
    model_report *m = user;
    (void)header;
    if (m->json.file != NULL)
        put_model(m);
    else
        print_model(m);
    return GRAZE_OK;
}

static graze_status take_object(void *user, const graze_object *object)
{
    model_report *m = user;
    graze_object_report row = {.object = *object, .box_min = {1}, .box_max = {0}};
    if (m->json.file != NULL)
        put_object(&m->json, &row);
    else
        print_object(&row);
    return GRAZE_OK;
}

static graze_status end_model(void *user, const graze_mesh_losses *losses)
{
    model_report *m = user;
    (void)losses;
    if (m->json.file == NULL)
        return GRAZE_OK;
    if (m->objects)
        json_close(&m->json, ']');
    json_close(&m->json, '}');
    json_end_line(&m->json);
    return GRAZE_OK;
}

graze_status print_model_report(const char *path, graze_model *model, bool as_json, bool objects)
{
    model_report m = {.path = path,
                      .model = model,
                      .info = graze_model_get_info(model),
                      .json = {.file = as_json ? stdout : NULL},
                      .objects = objects};
    graze_mesh_sink sink = {
        .user = &m, .begin = begin_model, .object = objects ? take_object : NULL, .end = end_model};
    return graze_model_stream(model, 0, &sink);
}

// --- Scenes

static graze_mesh_report scene_as_mesh(const graze_scene_info *info)
{
    graze_mesh_report report = {.header = {.metres_per_unit = info->metres_per_unit},
                                .losses = info->losses};
    memcpy(report.box_min, info->box.min, sizeof report.box_min);
    memcpy(report.box_max, info->box.max, sizeof report.box_max);
    return report;
}

static double stored_bytes_each(const graze_scene_info *info)
{
    return (double)info->file_bytes / (double)info->stored_count;
}

static void print_scene_object(const graze_scene_object *object)
{
    char count[TEXT_BYTES], size[128] = "-";
    const double *min = object->box.min, *max = object->box.max;
    if (!is_empty_box(min, max))
        snprintf(size, sizeof size, "%.4g x %.4g x %.4g", max[0] - min[0], max[1] - min[1],
                 max[2] - min[2]);
    printf("  %15s  %-32s  %-6s  ", print_count(count, object->triangle_count), size,
           object->closed == GRAZE_YES  ? "yes"
           : object->closed == GRAZE_NO ? "no"
                                        : "-");
    print_clean(stdout, object->path[0] != '\0' ? object->path : "(no name)", 0);
    putchar('\n');
}

static void print_scene(const char *path, const graze_scene *scene, bool objects)
{
    graze_scene_info info = graze_scene_get_info(scene);
    graze_mesh_report mesh = scene_as_mesh(&info);
    char number[TEXT_BYTES];
    print_title(path);
    print_term("format");
    printf("scene, %s\n", print_bytes(number, info.file_bytes));
    print_number("objects", info.object_count);
    print_number("shapes", info.shape_count);
    print_number("triangles", info.triangle_count);
    print_term("stored");
    fputs(print_count(number, info.stored_count), stdout);
    if (info.stored_count != 0)
        printf(", %.2f bytes a triangle", stored_bytes_each(&info));
    putchar('\n');
    print_unit(&mesh);
    print_bounds(&mesh);
    print_losses(&mesh.losses);
    print_term("memory");
    printf("%s while it is open\n", print_bytes(number, info.resident_bytes));
    if (!objects)
        return;
    printf("\n  %15s  %-32s  %-6s  %s\n", "triangles", "size", "closed", "object");
    graze_scene_object object;
    for (graze_object_id id = graze_scene_next(scene, (graze_object_id){0});
         id.index1 != 0 && graze_scene_get(scene, id, &object) == GRAZE_OK;
         id = graze_scene_next(scene, id))
        print_scene_object(&object);
}

static void put_scene_object(cmd_json *json, const graze_scene_object *object)
{
    double matrix[12];
    for (int i = 0; i < 3; ++i) {
        memcpy(matrix + 4 * i, object->pose.rotation + 3 * i, 3 * sizeof *matrix);
        matrix[4 * i + 3] = object->pose.translation[i];
    }
    json_open(json, NULL, '{');
    json_text(json, "path", object->path);
    json_text(json, "name", object->name);
    json_text(json, "group", object->group);
    json_count(json, "triangles", object->triangle_count);
    if (object->closed == GRAZE_NOT_ASKED)
        json_null(json, "closed");
    else
        json_bool(json, "closed", object->closed == GRAZE_YES);
    json_reals(json, "matrix", matrix, 12);
    put_bounds(json, object->box.min, object->box.max);
    json_close(json, '}');
}

static void put_scene(cmd_json *json, const char *path, const graze_scene *scene, bool objects)
{
    graze_scene_info info = graze_scene_get_info(scene);
    json_open(json, NULL, '{');
    json_text(json, "file", path);
    json_text(json, "format", "scene");
    json_count(json, "bytes", info.file_bytes);
    json_count(json, "object_count", info.object_count);
    json_count(json, "shapes", info.shape_count);
    json_count(json, "triangles", info.triangle_count);
    json_count(json, "stored_triangles", info.stored_count);
    json_count(json, "resident_bytes", info.resident_bytes);
    json_real(json, "bytes_a_triangle", stored_bytes_each(&info));
    put_unit(json, info.metres_per_unit);
    put_bounds(json, info.box.min, info.box.max);
    put_losses(json, "losses", &info.losses);
    graze_scene_object object;
    if (objects)
        json_open(json, "objects", '[');
    for (graze_object_id id = graze_scene_next(scene, (graze_object_id){0});
         objects && id.index1 != 0 && graze_scene_get(scene, id, &object) == GRAZE_OK;
         id = graze_scene_next(scene, id))
        put_scene_object(json, &object);
    if (objects)
        json_close(json, ']');
    json_close(json, '}');
    json_end_line(json);
}

void print_scene_report(const char *path, const graze_scene *scene, bool as_json, bool objects)
{
    cmd_json json = {.file = stdout};
    if (as_json)
        put_scene(&json, path, scene, objects);
    else
        print_scene(path, scene, objects);
}
