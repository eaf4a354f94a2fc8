// Scene files: opened, checked, and all their bodies used, as they are and then with the checksums
// that belong to the directory, so that what is behind those is reached.
#include "fuzz_mesh.h"

#include "scene/scene_file.h"

static void fuzz_scene(graze_context *context, const uint8_t *data, size_t size)
{
    gz_scene_file *file = NULL;
    if (gz_scene_file_open_memory(context, "fuzz", data, size, &file) != GRAZE_OK)
        return;
    gz_scene_file_info info = gz_scene_file_get_info(file);
    uint32_t damaged = 0;
    graze_status checked = gz_scene_file_check(file, &damaged);
    FUZZ_CHECK(checked != GRAZE_OK || damaged == 0);
    size_t texts = 0;
    for (uint32_t i = 0; i < info.object_count; ++i) {
        gz_file_object object = gz_scene_file_object(file, i);
        const graze_shape *shape = NULL;
        texts += strlen(object.name) + strlen(object.group);
        FUZZ_CHECK(object.body < info.body_count);
        graze_status status = gz_scene_file_pin(file, object.body, &shape);
        FUZZ_CHECK((status == GRAZE_OK) == (shape != NULL));
        FUZZ_CHECK(checked != GRAZE_OK || status == GRAZE_OK); // sound ones can be used
        if (status != GRAZE_OK)
            continue;
        gz_body_info body = gz_scene_file_body(file, object.body);
        FUZZ_CHECK(graze_shape_get_info(shape).triangle_count == body.triangle_count);
        FUZZ_CHECK(gz_scene_file_cluster_count(file, object.body) == body.cluster_count);
        graze_query *query = NULL;
        graze_containment in;
        if (graze_query_create(context, &query) == GRAZE_OK)
            status = graze_query_contain(query, graze_at(shape, &object.pose),
                                         graze_at(shape, NULL), &in);
        FUZZ_CHECK(checked != GRAZE_OK || status == GRAZE_OK);
        graze_query_free(query);
        gz_scene_file_unpin(file, object.body);
    }
    FUZZ_CHECK(texts <= size * (1 + (size_t)info.object_count));
    gz_scene_file_free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int error_count = 0;
    graze_context_def def = graze_context_def_default();
    def.memory_byte_limit = FUZZ_MEMORY_LIMIT;
    def.thread_count = 1;
    def.log = fuzz_log;
    def.user = &error_count;
    graze_context *context = NULL;
    if (size == 0)
        return 0;
    FUZZ_CHECK(graze_context_create(&def, &context) == GRAZE_OK);
    uint64_t before = graze_context_memory(context).block_count;
    uint8_t *copy = malloc(size);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, data, size);
    fuzz_scene(context, copy, size);
    gz_scene_file_seal(copy, size);
    fuzz_scene(context, copy, size);
    free(copy);
    FUZZ_CHECK(graze_context_memory(context).block_count == before);
    graze_context_destroy(context);
    return 0;
}
