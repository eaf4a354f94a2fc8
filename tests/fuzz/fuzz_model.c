// Model files: opened, checked and streamed, finely and coarsely, as they are and then with the
// checksums that belong to them, so that what is behind those is reached.
#include "fuzz_mesh.h"

#include "model/model_file.h"

static graze_status fuzz_model_end(void *user, const graze_mesh_losses *losses)
{
    fuzz_sink *sink = user;
    sink->sum += (double)losses->polygons;
    return GRAZE_OK;
}

static void fuzz_model(graze_context *context, const uint8_t *data, size_t size)
{
    static fuzz_sink state;
    memset(&state, 0, sizeof state);
    graze_mesh_sink sink = {.user = &state,
                            .begin = fuzz_begin,
                            .vertices = fuzz_vertices,
                            .triangles = fuzz_triangles,
                            .object = fuzz_object,
                            .end = fuzz_model_end};
    graze_model *model = NULL;
    if (gz_model_open_memory(context, "fuzz", data, size, &model) != GRAZE_OK)
        return;
    graze_model_info info = graze_model_get_info(model);
    graze_model_report report;
    graze_status checked = graze_model_check(model, &report);
    graze_status streamed = graze_model_stream(model, 1 << 16, &sink);
    FUZZ_CHECK(report.pages_checked == info.page_count);
    FUZZ_CHECK(checked != GRAZE_OK || streamed == GRAZE_OK); // sound models stream
    FUZZ_CHECK(streamed != GRAZE_OK || state.triangle_count == info.triangle_count);
    static const double errors[] = {0, 0.03, HUGE_VAL};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        graze_model_detail detail;
        memset(&state, 0, sizeof state);
        streamed = graze_model_stream_coarse(model, errors[i], &sink, &detail);
        FUZZ_CHECK(checked != GRAZE_OK || streamed == GRAZE_OK);
        FUZZ_CHECK(streamed != GRAZE_OK || state.triangle_count == detail.triangle_count);
        FUZZ_CHECK(detail.forward <= errors[i] && detail.backward <= errors[i]);
    }
    for (uint32_t level = 0; level <= graze_model_level_count(model); ++level)
        FUZZ_CHECK(graze_model_get_level(model, level).forward >= 0);
    graze_model_free(model);
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
    fuzz_model(context, copy, size);
    gz_model_file_seal(copy, size);
    fuzz_model(context, copy, size);
    free(copy);
    FUZZ_CHECK(graze_context_memory(context).block_count == before);
    graze_context_destroy(context);
    return 0;
}
