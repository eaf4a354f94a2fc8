// Saved contact details: loaded as they are, and then with the checksums that belong to them, so
// that what is behind those is reached. One that loads is asked about itself in some poses.
#include "fuzz_mesh.h"

#include "clod/detail_file.h"

static void ask(graze_context *context, const graze_contact_detail *detail)
{
    graze_query *query = NULL;
    if (graze_query_create(context, &query) != GRAZE_OK)
        return;
    static const double shifts[] = {0, 0.3, 5};
    graze_contact_detail_info info;
    graze_contact_detail_get_info(detail, &info);
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts; ++i) {
        graze_pose pose = graze_pose_identity();
        pose.translation[0] = shifts[i] * info.radius;
        graze_detailed a = {NULL, detail, NULL}, b = {NULL, detail, &pose};
        graze_detail_collide_def def = graze_detail_collide_def_default();
        def.error_part = 0.1;
        def.work_limit = 1000;
        graze_detail_answer answer;
        if (graze_query_detail(query, &a, &b, &def, &answer) == GRAZE_OK)
            FUZZ_CHECK((answer.contact_count == 0) == (answer.verdict == GRAZE_APART));
    }
    graze_query_free(query);
}

static void fuzz_detail(graze_context *context, const uint8_t *data, size_t size)
{
    graze_contact_detail *detail = NULL;
    if (gz_detail_load_memory(context, "fuzz", data, size, &detail) == GRAZE_OK)
        ask(context, detail);
    graze_contact_detail_free(detail);
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
    fuzz_detail(context, copy, size);
    gz_detail_file_seal(copy, size);
    fuzz_detail(context, copy, size);
    free(copy);
    FUZZ_CHECK(graze_context_memory(context).block_count == before);
    graze_context_destroy(context);
    return 0;
}
