// Builds models of mesh files. See graze/model.h, and model_writer.h for what comes behind sorting.
#include <inttypes.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/def.h"
#include "model/model_writer.h"

#define DEFAULT_MEMORY (UINT64_C(512) << 20)
#define READER_BYTES   (UINT64_C(16) << 20) // what reading takes beside the soup

static graze_status write_model(gz_model_writer *writer, const gz_soup *soup, gz_sorter **sorter,
                                gz_output *output)
{
    gz_model_content content = {.precision = soup->precision,
                                .triangle_count = soup->triangle_count,
                                .box = soup->box,
                                .metres_per_unit = soup->header.metres_per_unit,
                                .losses = soup->losses,
                                .objects = soup->objects.items,
                                .object_count = soup->objects.count};
    return gz_model_writer_sorted(writer, &content, sorter, output);
}

static graze_status check_arguments(graze_context *context, const graze_model_build_def *def)
{
    if (def->memory_bytes != 0 && def->memory_bytes < GRAZE_MODEL_LEAST_MEMORY)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "building a model takes at least %" PRIu64 " MiB of memory, not %" PRIu64
                       " bytes",
                       GRAZE_MODEL_LEAST_MEMORY >> 20, def->memory_bytes);
    if (GZ_HOST_BIG_ENDIAN)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "models are built and opened on little-endian machines only");
    return GRAZE_OK;
}

graze_status graze_model_build(graze_context *context, const char *mesh_path,
                               const char *model_path, const graze_model_build_def *given)
{
    if (context == NULL || mesh_path == NULL || model_path == NULL)
        return gz_fail_null(context, "graze_model_build");
    graze_model_build_def room = graze_model_build_def_default();
    const graze_model_build_def *def =
        gz_def_known(context, "graze_model_build", given, &room, sizeof room);
    if (def == NULL)
        return GRAZE_ERROR_ARGUMENT;
    graze_status status = check_arguments(context, def);
    if (status != GRAZE_OK)
        return status;
    if (graze_model_recognise(mesh_path) != 0)
        return gz_fail(context, GRAZE_ERROR_FORMAT, "%s: this is a model already, not a mesh",
                       mesh_path);
    uint64_t memory = def->memory_bytes == 0 ? DEFAULT_MEMORY : def->memory_bytes;
    gz_model_writer_def writing = {.memory_bytes = memory / 4, .no_levels = def->no_levels != 0};
    gz_model_writer *writer = NULL;
    gz_output *output = NULL;
    gz_soup soup;
    gz_sorter *sorter = NULL;
    gz_soup_init(context, memory - READER_BYTES, &soup);
    graze_mesh_sink sink = gz_soup_sink(&soup);
    status = gz_output_create(context, model_path, &output); // it would be a pity to find out later
    if (status == GRAZE_OK)
        status = graze_mesh_stream(context, mesh_path, def->read, &sink);
    if (status == GRAZE_OK)
        status = gz_soup_sort(&soup, &sorter);
    if (status == GRAZE_OK)
        status = gz_model_writer_create(context, &writing, &writer);
    if (status == GRAZE_OK)
        status = write_model(writer, &soup, &sorter, output);
    gz_model_writer_free(writer);
    gz_sorter_close(sorter);
    gz_soup_free(&soup);
    if (status == GRAZE_OK)
        return gz_output_commit(output);
    gz_output_abandon(output);
    return status;
}
