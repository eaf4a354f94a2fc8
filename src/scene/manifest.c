// Reads manifests. See manifest.h; docs/format.md has what may stand in one.
#include "scene/manifest.h"

#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/json.h"
#include "geometry/pose.h"
#include "mesh/number.h"

#define MOST_BYTES (UINT64_C(256) << 20)

typedef struct manifest {
    graze_context *context;
    gz_json json;
    const char *folder; // with its '/', or ""
    const char *group;
    const graze_pose *pose;
    gz_source_list *files;
} manifest;

static bool read_number(const manifest *m, uint32_t token, double *value)
{
    if (gz_json_kind_of(&m->json, token) != GZ_JSON_NUMBER)
        return false;
    const gz_json_token *t = &m->json.tokens[token];
    const uint8_t *text = (const uint8_t *)m->json.text;
    return gz_parse_double(text + t->start, value) == text + t->end && *value - *value == 0;
}

static bool read_numbers(const manifest *m, uint32_t list, double *values, uint32_t count)
{
    if (gz_json_kind_of(&m->json, list) != GZ_JSON_ARRAY || gz_json_count(&m->json, list) != count)
        return false;
    uint32_t item = gz_json_first(&m->json, list);
    for (uint32_t i = 0; i < count; ++i, item = gz_json_after(&m->json, list, item))
        if (!read_number(m, item, &values[i]))
            return false;
    return true;
}

// Every key of an object is one of these, each at most once.
static graze_status check_keys(const manifest *m, uint32_t object, const char *const *keys,
                               uint32_t key_count)
{
    const gz_json *json = &m->json;
    if (gz_json_kind_of(json, object) != GZ_JSON_OBJECT)
        return gz_json_fail(json, object, "this is to be an object, in braces");
    uint32_t seen = 0;
    for (uint32_t key = object + 1; key < json->tokens[object].next;
         key = json->tokens[key + 1].next) {
        uint32_t k = 0;
        while (k < key_count && !gz_json_equals(json, key, keys[k]))
            ++k;
        if (k == key_count)
            return gz_json_fail(json, key, "a manifest knows no such key here");
        if ((seen >> k & 1) != 0)
            return gz_json_fail(json, key, "this key stands here twice");
        seen |= UINT32_C(1) << k;
    }
    return GRAZE_OK;
}

static graze_status read_unit(const manifest *m, uint32_t token, double *metres)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"um", 1e-6}, {"mm", 1e-3}, {"cm", 1e-2},   {"dm", 1e-1},
                 {"m", 1},     {"km", 1e3},  {"in", 0.0254}, {"ft", 0.3048}};
    if (token == GZ_JSON_NONE)
        return GRAZE_OK;
    if (read_number(m, token, metres) && *metres > 0)
        return GRAZE_OK;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i)
        if (gz_json_equals(&m->json, token, units[i].name)) {
            *metres = units[i].metres;
            return GRAZE_OK;
        }
    return gz_json_fail(&m->json, token,
                        "a unit is \"mm\", \"cm\", \"m\", \"in\", \"ft\", or a number of metres");
}

// Three rows of four numbers, or four; or a position and a quaternion.
static graze_status read_pose(const manifest *m, uint32_t token, graze_pose *pose)
{
    double numbers[16] = {0};
    *pose = graze_pose_identity();
    if (token == GZ_JSON_NONE)
        return GRAZE_OK;
    if (gz_json_kind_of(&m->json, token) == GZ_JSON_OBJECT) {
        static const char *const keys[] = {"position", "quaternion"};
        graze_status status = check_keys(m, token, keys, 2);
        uint32_t position = gz_json_member(&m->json, token, "position");
        uint32_t turn = gz_json_member(&m->json, token, "quaternion");
        double q[4] = {0, 0, 0, 1};
        if (status != GRAZE_OK)
            return status;
        if (position != GZ_JSON_NONE && !read_numbers(m, position, numbers, 3))
            return gz_json_fail(&m->json, position, "a position is three numbers");
        if (turn != GZ_JSON_NONE && !read_numbers(m, turn, q, 4))
            return gz_json_fail(&m->json, turn, "a quaternion is four numbers: x, y, z, w");
        if (graze_pose_from_quaternion(q, numbers, pose) != GRAZE_OK)
            return gz_json_fail(&m->json, token, "this quaternion is no rotation");
        return GRAZE_OK;
    }
    bool four = read_numbers(m, token, numbers, 16);
    if (!four && !read_numbers(m, token, numbers, 12))
        return gz_json_fail(&m->json, token,
                            "a pose is 12 numbers, three rows of four, or 16, or an object with "
                            "\"position\" and \"quaternion\"");
    for (int row = 0; row < 3; ++row) {
        memcpy(&pose->rotation[3 * row], &numbers[4 * row], 3 * sizeof *numbers);
        pose->translation[row] = numbers[4 * row + 3];
    }
    bool last =
        !four || (numbers[12] == 0 && numbers[13] == 0 && numbers[14] == 0 && numbers[15] == 1);
    if (!last || !gz_pose_sound(pose))
        return gz_json_fail(&m->json, token, "this pose is not a rotation and a translation");
    return GRAZE_OK;
}

// The path of a file beside the manifest, and its group.
static graze_status add_named(const manifest *m, uint32_t path_token, uint32_t group_token,
                              const graze_pose *pose, double metres)
{
    graze_context *context = m->context;
    char *named = gz_json_copy(&m->json, path_token);
    char *inner = group_token == GZ_JSON_NONE ? gz_string_copy(context, "")
                                              : gz_json_copy(&m->json, group_token);
    char *path = NULL, *group = NULL;
    if (named != NULL)
        path = *named == '/' ? gz_string_copy(context, named)
                             : gz_text_join(context, m->folder, 0, named);
    if (inner != NULL)
        group = gz_text_join(context, m->group, '/', inner);
    graze_pose whole = graze_pose_compose(m->pose, pose);
    graze_status status = path == NULL || group == NULL
                              ? gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for a manifest")
                              : gz_sources_add_path(context, path, group, &whole, metres, m->files);
    gz_string_free(context, named);
    gz_string_free(context, inner);
    gz_string_free(context, path);
    gz_string_free(context, group);
    return status;
}

static graze_status read_file(const manifest *m, uint32_t item, double metres)
{
    static const char *const keys[] = {"path", "group", "pose", "unit"};
    graze_status status = check_keys(m, item, keys, 4);
    if (status != GRAZE_OK)
        return status;
    uint32_t path = gz_json_member(&m->json, item, "path");
    uint32_t group = gz_json_member(&m->json, item, "group");
    graze_pose pose;
    if (gz_json_kind_of(&m->json, path) != GZ_JSON_STRING ||
        m->json.tokens[path].end == m->json.tokens[path].start)
        return gz_json_fail(&m->json, item, "a file of a manifest has a \"path\"");
    if (group != GZ_JSON_NONE && gz_json_kind_of(&m->json, group) != GZ_JSON_STRING)
        return gz_json_fail(&m->json, group, "a group is a text");
    status = read_unit(m, gz_json_member(&m->json, item, "unit"), &metres);
    if (status == GRAZE_OK)
        status = read_pose(m, gz_json_member(&m->json, item, "pose"), &pose);
    return status == GRAZE_OK ? add_named(m, path, group, &pose, metres) : status;
}

static graze_status read_files(const manifest *m)
{
    static const char *const keys[] = {"unit", "files"};
    double metres = 0;
    graze_status status = check_keys(m, 0, keys, 2);
    uint32_t list = gz_json_member(&m->json, 0, "files");
    if (status == GRAZE_OK && gz_json_kind_of(&m->json, list) != GZ_JSON_ARRAY)
        status = gz_json_fail(&m->json, 0, "a manifest has a list of \"files\"");
    if (status == GRAZE_OK)
        status = read_unit(m, gz_json_member(&m->json, 0, "unit"), &metres);
    for (uint32_t item = gz_json_first(&m->json, list); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&m->json, list, item))
        status = read_file(m, item, metres);
    return status;
}

static graze_status read_text(graze_context *context, gz_file *file, char **text)
{
    *text = NULL;
    if (!file->seekable || file->byte_count > MOST_BYTES)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: a manifest is a file of at most 256 MiB", file->path);
    *text = gz_allocate(context, file->byte_count + 1);
    if (*text == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", file->path);
    (*text)[file->byte_count] = 0;
    return gz_file_read_at(file, 0, *text, file->byte_count);
}

graze_status gz_manifest_read(graze_context *context, const char *path, const char *group,
                              const graze_pose *pose, gz_source_list *files)
{
    gz_file file = {0};
    char *text = NULL, *folder = gz_string_copy(context, path);
    manifest m = {.context = context, .group = group, .pose = pose, .files = files};
    graze_status status = folder == NULL
                              ? gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path)
                              : gz_file_open(context, path, &file);
    if (status == GRAZE_OK)
        status = read_text(context, &file, &text);
    if (status == GRAZE_OK)
        status = gz_json_parse(context, path, 0, text, file.byte_count, &m.json);
    if (status == GRAZE_OK) {
        size_t length = strlen(folder);
        char *end = strrchr(folder, '/');
        char kept = 0;
        size_t cut = end == NULL ? 0 : (size_t)(end - folder) + 1;
        if (cut < length) {
            kept = folder[cut];
            folder[cut] = 0;
        }
        m.folder = folder;
        status = read_files(&m);
        if (cut < length)
            folder[cut] = kept; // strings know their size by their length
        gz_json_free(&m.json);
    }
    gz_release(context, text, text == NULL ? 0 : file.byte_count + 1);
    gz_file_close(&file);
    gz_string_free(context, folder);
    return status;
}
