// Chooses a writer by the path and checks what it is given. See writer.h.
#include "mesh/write/writer.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/context.h"
#include "base/def.h"
#include "geometry/fpu.h"
#include "mesh/view.h"

typedef graze_status write_function(gz_packer *packer, graze_context *context,
                                    const graze_mesh_view *view, const graze_mesh_write_def *def);

static const struct known_format {
    const char *extension;
    graze_format format;
    write_function *write;
} known_formats[] = {
    {".ply", GRAZE_FORMAT_PLY, gz_write_ply},
    {".stl", GRAZE_FORMAT_STL, gz_write_stl},
    {".obj", GRAZE_FORMAT_OBJ, gz_write_obj},
    {".glb", GRAZE_FORMAT_GLB, gz_write_glb},
};
#define FORMAT_COUNT (sizeof known_formats / sizeof known_formats[0])

static const struct known_format *find_format(const char *path, graze_format format)
{
    size_t length = 0;
    (void)gz_packing_of(path, &length);
    for (size_t i = 0; i < FORMAT_COUNT; ++i) {
        const struct known_format *known = &known_formats[i];
        size_t bytes = strlen(known->extension);
        bool named =
            length > bytes && strncasecmp(path + length - bytes, known->extension, bytes) == 0;
        if (format == GRAZE_FORMAT_UNKNOWN ? named : format == known->format)
            return known;
    }
    return NULL;
}

graze_status gz_writer_take_def(graze_context *context, const char *path,
                                const graze_mesh_write_def *given, graze_mesh_write_def *def)
{
    graze_mesh_write_def room = graze_mesh_write_def_default();
    const graze_mesh_write_def *sound = gz_def_known(context, path, given, &room, sizeof room);
    if (sound == NULL)
        return GRAZE_ERROR_ARGUMENT;
    *def = *sound;
    const struct known_format *known = find_format(path, def->format);
    if (known == NULL && def->format == GRAZE_FORMAT_UNKNOWN)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       "%s: the name does not say which format to write: it should end in .ply, "
                       ".stl, .obj or .glb, and .gz or .zst may follow",
                       path);
    if (known == NULL)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: this format cannot be written, only PLY, STL, OBJ and GLB", path);
    def->format = known->format;
    return GRAZE_OK;
}

graze_status graze_mesh_write(graze_context *context, const graze_mesh_view *view, const char *path,
                              const graze_mesh_write_def *given)
{
    if (context == NULL)
        return gz_fail_null(context, "graze_mesh_write");
    if (view == NULL || path == NULL)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "graze_mesh_write: no %s is given",
                       view == NULL ? "mesh" : "path");
    graze_mesh_write_def def;
    gz_packer *packer = NULL;
    graze_status status = gz_writer_take_def(context, path, given, &def);
    if (status == GRAZE_OK)
        status = gz_view_check(context, path, view);
    if (status == GRAZE_OK)
        status = gz_packer_open(context, path, &packer);
    if (status != GRAZE_OK)
        return status;
    // Matrices and normals round to nearest, whatever the caller has set.
    gz_fpu_state state = gz_fpu_enter();
    status = find_format(path, def.format)->write(packer, context, view, &def);
    gz_fpu_leave(state);
    if (status == GRAZE_OK)
        return gz_packer_commit(packer);
    gz_packer_abandon(packer);
    return status;
}
