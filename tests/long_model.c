// Models several times as large as the address space of the process that builds, checks, streams
// and asks them.
#include "test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "large_files.h"
#include "models.h"

#define SPACE_BYTES (UINT64_C(80) << 20) // 64 of them for the build, the rest for code and stacks

typedef struct task {
    char mesh[MODEL_PATH_BYTES], model[MODEL_PATH_BYTES];
    bool no_levels;
    bool asked; // and not only streamed
} task;

// What the child sends home.
typedef struct result {
    graze_status status;
    graze_model_info info;
    uint64_t build_peak, use_peak, ask_peak; // bytes
    uint64_t resident_peak;
    uint64_t vertex_count, triangle_count; // that were streamed
    uint32_t closed;
    graze_place place;       // of a point near the middle of the box, and beyond the surface
    graze_ray ray;           // through all of it
    graze_penetration depth; // of the model and itself, moved
} result;

static graze_status take_vertices(void *user, const void *positions, uint64_t count)
{
    (void)positions;
    ((result *)user)->vertex_count += count;
    return GRAZE_OK;
}

static graze_status take_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    result *out = user;
    out->triangle_count += count;
    return corners[0] < out->vertex_count ? GRAZE_OK : GRAZE_ERROR_FORMAT;
}

static graze_status use_model(graze_context *context, const char *path, result *out)
{
    graze_model *model = NULL;
    graze_mesh_sink sink = {.user = out, .vertices = take_vertices, .triangles = take_triangles};
    graze_status status = graze_model_open(context, path, &model);
    if (status == GRAZE_OK)
        status = graze_model_check(model, NULL);
    if (status == GRAZE_OK)
        status = graze_model_stream(model, 16u << 20, &sink);
    if (status == GRAZE_OK)
        out->info = graze_model_get_info(model);
    graze_model_free(model);
    return status;
}

// Edges are followed in a temporary file.
static graze_status ask_model(graze_context *context, const char *path, result *out)
{
    graze_model *model = NULL;
    graze_shape *shape = NULL;
    graze_query *query = NULL;
    graze_pose still = graze_pose_identity(), moved = still;
    graze_ray_def all = graze_ray_def_default();
    graze_penetration_def rough = graze_penetration_def_default();
    all.count_all = 1;
    rough.error = 0.25;
    graze_status status = graze_model_open(context, path, &model);
    if (status == GRAZE_OK)
        status = graze_shape_from_model(model, &shape);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = graze_shape_closed(shape, &out->closed);
    graze_box box = shape == NULL ? graze_box_empty() : graze_shape_get_info(shape).box;
    double start[3], end[3], point[3];
    for (int i = 0; i < 3; ++i) {
        double size = box.max[i] - box.min[i];
        start[i] = box.min[i] + (i == 0 ? -0.25 : 0.51) * size;
        end[i] = box.max[i] - (i == 0 ? -0.25 : 0.47) * size;
        point[i] = box.min[i] + (i == 0 ? 0.12 : 0.49) * size;
        moved.translation[i] = i == 0 ? 0.15 * size : 0;
    }
    if (status == GRAZE_OK)
        status = graze_query_ray(query, graze_at(shape, &still), start, end, &all, &out->ray);
    if (status == GRAZE_OK)
        status = graze_query_inside(query, graze_at(shape, &still), point, &out->place);
    if (status == GRAZE_OK && out->closed)
        status = graze_query_penetration(query, graze_at(shape, &still), graze_at(shape, &moved),
                                         &rough, &out->depth);
    graze_query_free(query);
    graze_shape_free(shape);
    graze_model_free(model);
    return status;
}

static void run(const void *data, void *result_out)
{
    const task *t = data;
    result *out = result_out;
    graze_context *context = NULL;
    graze_model_build_def def = graze_model_build_def_default();
    def.memory_bytes = GRAZE_MODEL_LEAST_MEMORY;
    def.no_levels = t->no_levels;
    *out = (result){.status = graze_context_create(NULL, &context)};
    if (out->status == GRAZE_OK)
        out->status = graze_model_build(context, t->mesh, t->model, &def);
    out->build_peak = graze_context_memory(context).peak_bytes;
    graze_context_destroy(context);
    context = NULL;
    if (out->status == GRAZE_OK)
        out->status = graze_context_create(NULL, &context);
    if (out->status == GRAZE_OK) {
        out->status = use_model(context, t->model, out);
        out->use_peak = graze_context_memory(context).peak_bytes;
    }
    graze_context_destroy(context);
    context = NULL;
    graze_context_def small = graze_context_def_default();
    small.cache_byte_limit = UINT64_C(8) << 20;
    if (out->status == GRAZE_OK)
        out->status = graze_context_create(&small, &context);
    if (out->status == GRAZE_OK && t->asked) {
        out->status = ask_model(context, t->model, out);
        out->ask_peak = graze_context_memory(context).peak_bytes;
    }
    graze_context_destroy(context);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    out->resident_peak = (uint64_t)usage.ru_maxrss << 10;
}

static result try_mesh(const task *t)
{
    result out;
    struct stat about;
    large_run_capped(SPACE_BYTES, run, t, &out, sizeof out);
    assert_int_equal(stat(t->mesh, &about), 0);
    print_message(
        "mesh %d MB, model %d MB: %d MB of memory to build, %d MB to use, %d to ask, %d resident\n",
        (int)(about.st_size / 1000000), (int)(out.info.file_bytes / 1000000),
        (int)(out.build_peak / 1000000), (int)(out.use_peak / 1000000),
        (int)(out.ask_peak / 1000000), (int)(out.resident_peak / 1000000));
    assert_int_equal(out.status, GRAZE_OK);
    assert_true(out.build_peak <= GRAZE_MODEL_LEAST_MEMORY);
    assert_true(out.use_peak <= 40u << 20);
    // The cache, an eighth of it for edges, lists of clusters, and what a query and two slots hold.
    assert_true(out.ask_peak <= (9u << 20) + out.info.resident_bytes + (2u << 20));
    assert_int_equal(out.triangle_count, out.info.triangle_count);
    return out;
}

// Nothing in it can be packed: the model is as large as the mesh. Levels of detail of so many
// triangles that overlap would take too long here.
static void random_triangles(void **state)
{
    (void)state;
    task t = {.no_levels = true};
    large_make("soup", 4000000, GRAZE_FLOAT64, false, models_path(t.mesh, "soup.ply"));
    models_path(t.model, "soup.graze");
    result out = try_mesh(&t);
    assert_int_equal(out.triangle_count, 4000000);
    assert_true(out.info.file_bytes > 2 * SPACE_BYTES);
    unlink(t.mesh);
    unlink(t.model);
}

// Vertices are anywhere in the file, so that they are brought to their triangles by sorting. The
// model is that of a process with memory to spare.
static void shuffled_triangles(void **state)
{
    (void)state;
    task t = {.asked = true};
    char roomy[MODEL_PATH_BYTES];
    large_make("torus", 800000, GRAZE_FLOAT32, true, models_path(t.mesh, "torus.ply"));
    models_path(t.model, "torus.graze");
    result out = try_mesh(&t);
    assert_true(out.triangle_count >= 770000);
    assert_true(out.closed && out.ray.hit_count == 4 && out.place == GRAZE_PLACE_INSIDE);
    assert_true(out.depth.verdict == GRAZE_CONTACT && out.depth.low > 0);
    graze_context *context = test_context(NULL);
    assert_int_equal(graze_model_build(context, t.mesh, models_path(roomy, "roomy.graze"), NULL),
                     GRAZE_OK);
    uint64_t count = 0, other = 0;
    uint8_t *a = models_read_file(t.model, &count), *b = models_read_file(roomy, &other);
    assert_int_equal(count, other);
    assert_memory_equal(a, b, count);
    test_free(a);
    test_free(b);
    models_compare(context, t.mesh, roomy);
    test_context_done(context);
    unlink(t.mesh);
    unlink(t.model);
    unlink(roomy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_triangles),
        cmocka_unit_test(shuffled_triangles),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
