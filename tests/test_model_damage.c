// Files that are damaged, cut off, newer or made up: noticed with a sentence that names the byte,
// or harmless; never a crash, a lie or a lot of memory.
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/context.h"
#include "base/knobs.h"
#include "model/model_file.h"
#include "models.h"

// A model as bytes.
typedef struct file_bytes {
    uint8_t *bytes;
    uint64_t count;
} file_bytes;

static file_bytes make_model(const char *kind, uint64_t triangle_count, graze_precision precision)
{
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    models_make(kind, triangle_count, precision, models_path(mesh, "mesh.obj"));
    models_round_trip(mesh, NULL, models_path(path, "model.graze"));
    file_bytes file;
    file.bytes = models_read_file(path, &file.count);
    unlink(mesh);
    unlink(path);
    return file;
}

static gz_model_header header_of(const file_bytes *file)
{
    gz_model_header h;
    memcpy(&h, file->bytes, sizeof h);
    return h;
}

// Looks at all that is delivered.
static graze_status look_at_vertices(void *user, const void *positions, uint64_t count)
{
    (void)positions;
    *(uint64_t *)user += count;
    return GRAZE_OK;
}

static graze_status look_at_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    for (uint64_t i = 0; i < 3 * count; ++i)
        assert_true(corners[i] < *(uint64_t *)user);
    return GRAZE_OK;
}

static graze_status look_at_object(void *user, const graze_object *object)
{
    (void)user;
    assert_true(strlen(object->name) + strlen(object->group) < UINT32_MAX);
    return GRAZE_OK;
}

// The first status of opening, checking and streaming that is not good. What is sound can be
// streamed, and what cannot be streamed is not sound.
static graze_status try_all(graze_context *context, const file_bytes *file)
{
    graze_model *model = NULL;
    test_last_error[0] = '\0';
    graze_status status = gz_model_open_memory(context, "bad", file->bytes, file->count, &model);
    assert_int_equal(status == GRAZE_OK, model != NULL);
    if (status != GRAZE_OK) {
        assert_non_null(strstr(test_last_error, "bad: "));
        return status;
    }
    graze_model_report report;
    status = graze_model_check(model, &report);
    assert_int_equal(report.pages_checked, graze_model_get_info(model).page_count);
    if (status != GRAZE_OK)
        assert_non_null(strstr(test_last_error, "bad: "));
    uint64_t vertex_count = 0;
    graze_mesh_sink sink = {.user = &vertex_count,
                            .vertices = look_at_vertices,
                            .triangles = look_at_triangles,
                            .object = look_at_object};
    graze_status streamed = graze_model_stream(model, 0, &sink);
    if (status == GRAZE_OK)
        assert_int_equal(streamed, GRAZE_OK);
    static const double errors[] = {0.02, HUGE_VAL};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        vertex_count = 0;
        streamed = graze_model_stream_coarse(model, errors[i], &sink, NULL);
        assert_true(streamed == GRAZE_OK || status != GRAZE_OK);
    }
    graze_model_free(model);
    return status;
}

static void expect(graze_context *context, const file_bytes *file, graze_status status,
                   const char *words)
{
    assert_int_equal(try_all(context, file), status);
    if (strstr(test_last_error, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, test_last_error);
}

// Of bytes that are changed one by one; a prime.
enum { STRIDE = TEST_THREAD_SANITIZER ? 61 : TEST_SANITIZED ? 7 : 1 };

static void change_every_byte(graze_context *context, file_bytes *file)
{
    assert_int_equal(try_all(context, file), GRAZE_OK);
    for (uint64_t at = 0; at < file->count; at += STRIDE)
        for (int bit = 0; bit < 8; bit += at < 300 ? 1 : 5) {
            file->bytes[at] ^= (uint8_t)(1 << bit);
            graze_status status = try_all(context, file);
            file->bytes[at] ^= (uint8_t)(1 << bit);
            if (status != GRAZE_ERROR_FORMAT &&
                !(status == GRAZE_ERROR_UNSUPPORTED && at >= 8 && at < 12))
                fail_msg("byte %d, bit %d: status %d", (int)at, bit, (int)status);
        }
}

static void every_byte_counts(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_model("plates", 200, GRAZE_FLOAT64);
    change_every_byte(context, &file);
    test_free(file.bytes);
    test_context_done(context);
}

// The same with levels of detail: pages of groups, and their lists.
static void every_byte_of_levels_counts(void **state)
{
    (void)state;
    test_of_one_thread();
    char mesh[MODEL_PATH_BYTES], path[MODEL_PATH_BYTES];
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    gz_knobs_for(context)->cluster_limit = 8;
    models_make("torus", 100, GRAZE_FLOAT32, models_path(mesh, "mesh.obj"));
    assert_int_equal(graze_model_build(context, mesh, models_path(path, "model.graze"), NULL),
                     GRAZE_OK);
    file_bytes file;
    file.bytes = models_read_file(path, &file.count);
    unlink(mesh);
    unlink(path);
    assert_true(header_of(&file).level_count >= 3 && header_of(&file).group_count >= 3);
    change_every_byte(context, &file);
    test_free(file.bytes);
    test_context_done(context);
}

static void parts_of_files_are_refused(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_model("plates", 200, GRAZE_FLOAT32);
    for (uint64_t cut = 1; cut < file.count; cut += STRIDE) {
        file_bytes part = {file.bytes, cut};
        assert_int_equal(try_all(context, &part), GRAZE_ERROR_FORMAT);
        assert_non_null(strstr(test_last_error, "bad: byte "));
    }
    file_bytes longer = {test_malloc(file.count + 1), file.count + 1};
    memcpy(longer.bytes, file.bytes, file.count);
    longer.bytes[file.count] = 0;
    expect(context, &longer, GRAZE_ERROR_FORMAT, "the file ends here, but");
    test_free(longer.bytes);
    test_free(file.bytes);
    test_context_done(context);
}

static void other_versions_are_named(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_model("knot", 200, GRAZE_FLOAT32);
    memset(file.bytes + 12, 0xff, 200); // all else may mean something else then
    for (uint8_t version = 0; version < GZ_MODEL_VERSION + 3; ++version) {
        char sentence[100];
        snprintf(sentence, sizeof sentence, "the model is of version %d, and this program knows",
                 version);
        file.bytes[8] = version;
        if (version != GZ_MODEL_VERSION)
            expect(context, &file, GRAZE_ERROR_UNSUPPORTED, sentence);
    }
    test_free(file.bytes);
    test_context_done(context);
}

// A model is taken apart into clusters, which may be changed, and put together again.
typedef void change(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry);

static void append(graze_context *context, gz_byte_list *to, const uint8_t *bytes, uint64_t count)
{
    if (count != 0)
        memcpy(gz_list_push(context, to, count), bytes, count);
}

static file_bytes remake(graze_context *context, const file_bytes *file, change *change_page)
{
    graze_model *model = NULL;
    assert_int_equal(gz_model_open_memory(context, "x", file->bytes, file->count, &model),
                     GRAZE_OK);
    gz_model_header h = model->header;
    gz_page_reader reader;
    gz_page_writer writer;
    gz_byte_list bytes = {0}, pages = {0};
    GZ_LIST(gz_cluster_entry) list = {0};
    gz_cluster *cluster = gz_allocate(context, sizeof *cluster);
    assert_true(gz_page_reader_init(context, &reader) && gz_page_writer_init(context, &writer));
    for (uint32_t i = 0; i < h.cluster_count; ++i) {
        assert_int_equal(gz_model_read_cluster(model, i, NULL, &reader, &bytes, cluster), GRAZE_OK);
        gz_cluster_entry *entry = gz_list_push(context, &list, 1);
        *entry = model->clusters[i];
        change_page(i, cluster, entry);
        uint64_t start = pages.count;
        assert_true(gz_cluster_write(cluster, i, &writer, &pages));
        entry->byte_count = (uint32_t)(pages.count - start);
    }
    // Other levels stay as they are.
    uint32_t last = h.cluster_count - 1;
    uint64_t rest = model->offsets[last] + model->clusters[last].byte_count;
    uint64_t lists = h.list_offset + h.cluster_count * sizeof(gz_cluster_entry);
    append(context, &pages, file->bytes + rest, h.list_offset - rest);
    uint64_t old_objects = h.object_offset, old_list_end = h.list_offset + h.list_bytes;
    h.list_offset = sizeof h + pages.count;
    h.object_offset = h.list_offset + h.list_bytes;
    h.file_bytes = h.object_offset + h.object_bytes;
    file_bytes out = {test_malloc(h.file_bytes), h.file_bytes};
    GZ_ASSERT(pages.items != NULL && list.items != NULL);
    memcpy(out.bytes, &h, sizeof h);
    memcpy(out.bytes + sizeof h, pages.items, pages.count);
    memcpy(out.bytes + h.list_offset, list.items, list.count * sizeof(gz_cluster_entry));
    memcpy(out.bytes + h.list_offset + list.count * sizeof(gz_cluster_entry), file->bytes + lists,
           old_list_end - lists);
    memcpy(out.bytes + h.object_offset, file->bytes + old_objects, h.object_bytes);
    gz_model_file_seal(out.bytes, out.count);
    gz_page_reader_free(&reader);
    gz_page_writer_free(&writer);
    gz_list_free(context, &bytes);
    gz_list_free(context, &pages);
    gz_list_free(context, &list);
    gz_release(context, cluster, sizeof *cluster);
    graze_model_free(model);
    return out;
}

static uint32_t first_number;

static void change_nothing(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)page, (void)cluster, (void)entry;
}

static void repeat_a_number(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    if (page == 0)
        first_number = cluster->number[0];
    if (page == 1) { // numbers ascend
        uint32_t last = cluster->triangle_count - 1;
        if (first_number < cluster->number[0])
            cluster->number[0] = first_number;
        else
            cluster->number[last] = cluster->number[last - 1] + 1;
    }
}

static void number_too_high(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    if (page == 1)
        cluster->number[cluster->triangle_count - 1] += 100000;
}

static void move_a_vertex(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    if (page == 1)
        cluster->position.wide[0][1] += 5;
}

static void infinite_vertex(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    uint64_t bits = UINT64_C(0x7ff) << 52;
    if (page == 1) {
        memcpy(&cluster->position.wide[3][2], &bits, sizeof bits);
        entry->high[2] = (float)cluster->position.wide[3][2];
    }
}

static void narrow_a_box(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)cluster;
    if (page == 1)
        entry->high[0] -= (entry->high[0] - entry->low[0]) / 4;
}

static void leaf_of_another(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    for (uint32_t i = 0; page == 1 && i < cluster->triangle_count; ++i)
        cluster->leaf[i] = cluster->leaf[0];
}

static void bounds_of_nothing(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    cluster->spread_count = page == 1 ? gz_cluster_leaf_count(cluster) - 1 : cluster->spread_count;
}

static void bounds_without_leaves(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    if (page == 1) {
        cluster->spread_count = gz_cluster_leaf_count(cluster);
        cluster->step_count = 0;
    }
}

static void no_recipe(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)entry;
    cluster->step_count = page == 1 ? 0 : cluster->step_count;
}

static void other_count(uint32_t page, gz_cluster *cluster, gz_cluster_entry *entry)
{
    (void)cluster;
    if (page < 2)
        entry->triangle_count = (uint16_t)(entry->triangle_count + (page == 0 ? 1 : -1));
}

static void clusters_that_lie(void **state)
{
    (void)state;
    static const struct {
        change *change_page;
        graze_status status;
        const char *words;
    } rows[] = {
        {change_nothing, GRAZE_OK, ""},
        {repeat_a_number, GRAZE_ERROR_FORMAT, "is in no page, and another is in two"},
        {number_too_high, GRAZE_ERROR_FORMAT, "page 1: the page names a triangle twice, or one"},
        {move_a_vertex, GRAZE_ERROR_FORMAT, "page 1: the page has triangles outside the box"},
        {infinite_vertex, GRAZE_ERROR_FORMAT, "page 1: the page has a coordinate that is not"},
        {narrow_a_box, GRAZE_ERROR_FORMAT, "page 1: the page has triangles outside the box"},
        {leaf_of_another, GRAZE_ERROR_FORMAT, "page 1: the tree of the page is none"},
        {bounds_of_nothing, GRAZE_ERROR_FORMAT, "page 1: the page has bounds of other leaves"},
        {bounds_without_leaves, GRAZE_ERROR_FORMAT, "page 1: the page has bounds of other leaves"},
        {no_recipe, GRAZE_OK, ""}, // it is found when it is needed
        {other_count, GRAZE_ERROR_FORMAT, "page 0: the page has another number of triangles"},
    };
    graze_context *context = test_context(NULL);
    file_bytes file = make_model("knot", 3000, GRAZE_FLOAT64);
    assert_true(header_of(&file).cluster_count >= 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        file_bytes changed = remake(context, &file, rows[i].change_page);
        if (i == 0) {
            assert_int_equal(changed.count, file.count);
            assert_memory_equal(changed.bytes, file.bytes, file.count);
        }
        expect(context, &changed, rows[i].status, rows[i].words);
        test_free(changed.bytes);
    }
    // What is found goes into the report.
    file_bytes changed = remake(context, &file, repeat_a_number);
    graze_model *model = NULL;
    graze_model_report report;
    assert_int_equal(gz_model_open_memory(context, "x", changed.bytes, changed.count, &model),
                     GRAZE_OK);
    assert_int_equal(graze_model_check(model, &report), GRAZE_ERROR_FORMAT);
    assert_non_null(strstr(test_last_error, "the page has a triangle that an earlier page has"));
    assert_int_equal(report.pages_damaged, 1);
    assert_in_range(report.first_damaged, 1, 2);
    assert_int_equal(report.triangles_found,
                     header_of(&file).triangle_count -
                         model->clusters[report.first_damaged].triangle_count);
    graze_model_free(model);
    test_free(changed.bytes);
    test_free(file.bytes);
    test_context_done(context);
}

// The corpus of the fuzz target is made by tests/fuzz/make_models.
static void corpus_is_of_this_version(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    graze_model *model = NULL;
    graze_model_report report;
    assert_int_equal(graze_model_open(context, TEST_CORPUS "/model/levels.graze", &model),
                     GRAZE_OK);
    assert_true(graze_model_level_count(model) > 0);
    assert_int_equal(graze_model_check(model, &report), GRAZE_OK);
    graze_model_free(model);
    test_context_done(context);
}

static void put_header(file_bytes *file, const gz_model_header *h)
{
    memcpy(file->bytes, h, sizeof *h);
    gz_model_file_seal(file->bytes, file->count);
}

static void headers_that_lie(void **state)
{
    (void)state;
    graze_context *context = test_context(NULL);
    file_bytes file = make_model("knot", 3000, GRAZE_FLOAT32);
    const gz_model_header good = header_of(&file);
    gz_model_header h = good;
    h.box[3] += 1;
    put_header(&file, &h); // the origin of the boxes moves, too
    assert_int_equal(try_all(context, &file), GRAZE_ERROR_FORMAT);
    h = good;
    h.box[0] -= 1, h.box[3] += 1;
    put_header(&file, &h);
    expect(context, &file, GRAZE_ERROR_FORMAT, "the model's box is not that of its triangles");
    h = good;
    h.box[0] += 0.25, h.box[3] -= 0.25; // where boxes of clusters are infinite, this one counts
    put_header(&file, &h);
    expect(context, &file, GRAZE_ERROR_FORMAT, "the page has triangles outside the model's box");
    h = good;
    h.metres_per_unit = -1;
    put_header(&file, &h);
    expect(context, &file, GRAZE_ERROR_FORMAT, "the model's unit makes no sense");
    h = good;
    h.box[2] = HUGE_VAL;
    put_header(&file, &h);
    expect(context, &file, GRAZE_ERROR_FORMAT, "the model's box makes no sense");
    h = good;
    h.precision = 5;
    put_header(&file, &h);
    expect(context, &file, GRAZE_ERROR_FORMAT, "the header makes no sense");
    h = good;
    h.triangle_count += 1;
    put_header(&file, &h);
    expect(context, &file, GRAZE_ERROR_FORMAT, "the list of clusters does not add up");
    gz_cluster_entry kept, entry;
    memcpy(&kept, file.bytes + good.list_offset, sizeof kept);
    for (int end = 0; end < 2; ++end) { // a box may be infinite, but not at infinity
        entry = kept;
        entry.low[1] = entry.high[1] = end == 0 ? -HUGE_VALF : HUGE_VALF;
        memcpy(file.bytes + good.list_offset, &entry, sizeof entry);
        put_header(&file, &good);
        expect(context, &file, GRAZE_ERROR_FORMAT, "a cluster in the list makes no sense");
    }
    memcpy(file.bytes + good.list_offset, &kept, sizeof kept);
    put_header(&file, &good);
    assert_int_equal(try_all(context, &file), GRAZE_OK);
    test_free(file.bytes);
    test_context_done(context);
}

// Numbers that programs trip over, in every place of the header, the list, a page and the objects.
static void absurd_numbers(void **state)
{
    (void)state;
    test_of_one_thread();
    static const uint64_t values[] = {0,          1,          0x7f,        0xffff,     0x7fffffff,
                                      0x80000000, 0xffffffff, 0x100000000, UINT64_MAX, INT64_MAX};
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    file_bytes file = make_model("plates", 200, GRAZE_FLOAT32);
    file_bytes copy = {test_malloc(file.count), file.count};
    uint64_t sound = 0, tried = 0;
    for (uint64_t at = 8; at + 8 <= file.count; at += at < 350 ? 4 : 7)
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v)
            for (uint32_t bytes = 4; bytes <= 8; bytes += 4) {
                memcpy(copy.bytes, file.bytes, file.count);
                memcpy(copy.bytes + at, &values[v], bytes);
                gz_model_file_seal(copy.bytes, copy.count);
                graze_status status = try_all(context, &copy);
                assert_true(status == GRAZE_OK || status == GRAZE_ERROR_FORMAT ||
                            (status == GRAZE_ERROR_UNSUPPORTED && at < 12));
                sound += status == GRAZE_OK;
                tried++;
            }
    assert_true(tried > 1000 && sound < tried / 2);
    // A file of a few kilobytes asks for a few megabytes, most of them for unpacking.
    assert_true(graze_context_memory(context).peak_bytes < 4u << 20);
    test_free(copy.bytes);
    test_free(file.bytes);
    test_context_done(context);
}

// Any bytes in any place, with the right checksums.
static void made_up_files(void **state)
{
    (void)state;
    test_of_one_thread();
    graze_context_def def = graze_context_def_default();
    def.thread_count = 1;
    graze_context *context = test_context(&def);
    file_bytes file = make_model("plates", 200, GRAZE_FLOAT64);
    file_bytes copy = {test_malloc(file.count), file.count};
    gz_model_header h = header_of(&file);
    for (uint64_t seed = 1; seed <= TEST_CHANCES(4000); ++seed) {
        test_random random = {.state = seed};
        memcpy(copy.bytes, file.bytes, file.count);
        for (uint64_t i = 1 + test_next(&random) % 4; i != 0; --i) {
            uint64_t first = seed % 3 == 0 ? sizeof h : seed % 3 == 1 ? h.list_offset : 12;
            uint64_t at = first + test_next(&random) % (file.count - first);
            copy.bytes[at] = (uint8_t)test_next(&random);
        }
        gz_model_file_seal(copy.bytes, copy.count);
        graze_status status = try_all(context, &copy);
        if (status != GRAZE_OK && status != GRAZE_ERROR_FORMAT)
            fail_msg("seed %d: status %d: %s", (int)seed, (int)status, test_last_error);
    }
    assert_true(graze_context_memory(context).peak_bytes < 4u << 20);
    test_free(copy.bytes);
    test_free(file.bytes);
    test_context_done(context);
}

// A page is as large as it says, all in one file, but no page needs so much.
static void swollen_pages(void **state)
{
    (void)state;
    enum { MORE = 1 << 20 };
    graze_context *context = test_context(NULL);
    file_bytes file = make_model("knot", 200, GRAZE_FLOAT32);
    gz_model_header h = header_of(&file);
    uint64_t page_bytes = h.list_offset - sizeof h;
    file_bytes more = {test_calloc(1, file.count + MORE), file.count + MORE};
    memcpy(more.bytes, file.bytes, h.list_offset);
    memcpy(more.bytes + h.list_offset + MORE, file.bytes + h.list_offset,
           file.count - h.list_offset);
    h.list_offset += MORE, h.object_offset += MORE, h.file_bytes += MORE;
    uint32_t size = (uint32_t)page_bytes + MORE;
    memcpy(more.bytes + sizeof h + 12, &size, sizeof size);
    memcpy(more.bytes + h.list_offset, &size, sizeof size);
    put_header(&more, &h);
    expect(context, &more, GRAZE_ERROR_FORMAT, "a cluster in the list makes no sense");
    test_free(more.bytes);
    test_free(file.bytes);
    test_context_done(context);
}

// Names that pack well beyond all measure are stored as they are.
static void long_names(void **state)
{
    (void)state;
    char mesh[MODEL_PATH_BYTES];
    char *text = test_malloc(400000), *to = text;
    to += sprintf(to, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (int i = 0; i < 60; ++i) {
        to += sprintf(to, "o %04d", i);
        memset(to, 'x', 4000);
        to += 4000 + sprintf(to + 4000, "\nf 1 2 3\n");
    }
    models_write_text(models_path(mesh, "mesh.obj"), text);
    models_round_trip(mesh, NULL, NULL);
    unlink(mesh);
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_counts),
        cmocka_unit_test(every_byte_of_levels_counts),
        cmocka_unit_test(parts_of_files_are_refused),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(clusters_that_lie),
        cmocka_unit_test(corpus_is_of_this_version),
        cmocka_unit_test(headers_that_lie),
        cmocka_unit_test(absurd_numbers),
        cmocka_unit_test(made_up_files),
        cmocka_unit_test(long_names),
        cmocka_unit_test(swollen_pages),
    };
    return cmocka_run_group_tests(tests, models_enter, models_leave);
}
