// EXT_mesh_gpu_instancing: one node that stands for many, each placed by one element of up to three
// accessors. See gltf.h.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "mesh/gltf/gltf.h"
#include "mesh/matrix.h"

enum { BYTE = 5120, SHORT = 5122, FLOAT = 5126 };
enum { TRANSLATION, ROTATION, SCALE, ATTRIBUTES };

#define INSTANCE_BATCH 64u

typedef struct instances {
    bool there[ATTRIBUTES];
    gz_gltf_accessor accessors[ATTRIBUTES];
    uint64_t count;
} instances;

uint32_t gz_gltf_instancing(const gz_gltf *gltf, uint32_t node_token)
{
    uint32_t extensions = gz_json_member(&gltf->json, node_token, "extensions");
    return gz_json_member(&gltf->json, extensions, "EXT_mesh_gpu_instancing");
}

static graze_status open_instances(gz_gltf *gltf, uint32_t extension, instances *all)
{
    static const char *const keys[ATTRIBUTES] = {"TRANSLATION", "ROTATION", "SCALE"};
    static const uint32_t components[ATTRIBUTES] = {3, 4, 3};
    uint32_t attributes = gz_json_member(&gltf->json, extension, "attributes");
    bool any = false;
    for (int i = 0; i < ATTRIBUTES; ++i) {
        uint32_t index = GZ_GLTF_NONE;
        graze_status status =
            gz_gltf_index(gltf, attributes, keys[i], "accessor", gltf->accessors.count, &index);
        all->there[i] = index != GZ_GLTF_NONE;
        if (status == GRAZE_OK && all->there[i])
            status = gz_gltf_accessor_open(gltf, index, &all->accessors[i]);
        if (status != GRAZE_OK)
            return status;
        if (!all->there[i])
            continue;
        const gz_gltf_accessor *accessor = &all->accessors[i];
        bool packed = i == ROTATION && accessor->normalized &&
                      (accessor->component_type == BYTE || accessor->component_type == SHORT);
        if (accessor->components != components[i] || (accessor->component_type != FLOAT && !packed))
            return gz_json_fail(&gltf->json, accessor->token,
                                "accessor %" PRIu32 " has the wrong type for the %s of instances",
                                index, keys[i]);
        if (any && accessor->count != all->count)
            return gz_json_fail(&gltf->json, accessor->token,
                                "accessor %" PRIu32 " has %" PRIu64
                                " elements, but there are %" PRIu64 " instances",
                                index, accessor->count, all->count);
        all->count = accessor->count;
        any = true;
    }
    return any ? GRAZE_OK
               : gz_json_fail(&gltf->json, extension,
                              "instances without TRANSLATION, ROTATION and "
                              "SCALE");
}

graze_status gz_gltf_instances_plan(gz_gltf *gltf, uint32_t extension)
{
    instances all;
    graze_status status = open_instances(gltf, extension, &all);
    for (int i = 0; status == GRAZE_OK && i < ATTRIBUTES; ++i)
        if (all.there[i])
            gz_gltf_layout_bytes(gltf, all.count, all.accessors[i].element_bytes);
    return status;
}

// A batch of instances, as double.
typedef struct places {
    gz_gltf_cursor cursors[ATTRIBUTES];
    double values[ATTRIBUTES][INSTANCE_BATCH][4];
} places;

static graze_status read_places(gz_gltf *gltf, const instances *all, uint32_t count, places *out)
{
    static const double defaults[ATTRIBUTES][4] = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    for (int i = 0; i < ATTRIBUTES; ++i) {
        const gz_gltf_accessor *accessor = &all->accessors[i];
        float values[INSTANCE_BATCH * 4];
        if (all->there[i]) {
            graze_status status =
                gz_gltf_cursor_read(gltf, &out->cursors[i], count, gltf->elements);
            if (status != GRAZE_OK)
                return status;
            gz_gltf_to_float(accessor, gltf->elements, count, values);
        }
        for (uint32_t k = 0; k < count; ++k) {
            memcpy(out->values[i][k], defaults[i], sizeof defaults[i]);
            for (uint32_t c = 0; all->there[i] && c < accessor->components; ++c)
                out->values[i][k][c] = (double)values[k * accessor->components + c];
        }
    }
    return GRAZE_OK;
}

static graze_status place_instance(gz_gltf *gltf, uint32_t extension, const places *batch,
                                   uint32_t k, uint64_t number, const graze_object *common)
{
    double local[12];
    graze_object object = *common;
    if (!gz_matrix_compose(batch->values[TRANSLATION][k], batch->values[ROTATION][k],
                           batch->values[SCALE][k], local) ||
        !gz_matrix_product(common->matrix, local, object.matrix))
        return gz_json_fail(&gltf->json, extension,
                            "instance %" PRIu64 " is placed by numbers that place nothing", number);
    char numbered[8192];
    snprintf(numbered, sizeof numbered, "%s [%" PRIu64 "]", common->name, number);
    object.name = numbered;
    gz_matrix_settle(&object);
    return gz_stream_object(gltf->stream, &object);
}

graze_status gz_gltf_instances_stream(gz_gltf *gltf, uint32_t extension, const graze_object *common)
{
    instances all;
    graze_status status = open_instances(gltf, extension, &all);
    if (status != GRAZE_OK)
        return status;
    places *batch = gz_allocate(gltf->context, sizeof *batch);
    if (batch == NULL)
        return gz_gltf_out_of_memory(gltf);
    for (int i = 0; i < ATTRIBUTES; ++i)
        gz_gltf_cursor_start(&batch->cursors[i], &all.accessors[i]);
    for (uint64_t first = 0; status == GRAZE_OK && first < all.count; first += INSTANCE_BATCH) {
        uint64_t left = all.count - first;
        uint32_t count = left < INSTANCE_BATCH ? (uint32_t)left : INSTANCE_BATCH;
        status = read_places(gltf, &all, count, batch);
        for (uint32_t k = 0; status == GRAZE_OK && k < count; ++k)
            status = place_instance(gltf, extension, batch, k, first + k, common);
    }
    gz_release(gltf->context, batch, sizeof *batch);
    return status;
}
