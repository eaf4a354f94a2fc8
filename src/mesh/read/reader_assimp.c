// Reads everything else, through assimp, where it is installed.
//
// assimp is loaded with the first file that needs it, so that programs start fast without it. All
// its reads go through us: it sees the file itself and files below its folder, nothing else, and a
// file that is read from memory has no other files at all. It is asked for the data as they lie in
// the file: no joining, cutting or sorting of vertices and faces; polygons are cut by the stream.
//
// What is not ours to promise: assimp holds the whole scene in memory of its own, beyond the
// context's limit, and says nothing until it is done. What it throws becomes a sentence; where it
// crashes on a hostile file, the process crashes.
#include "mesh/read/reader.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/beneath.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/spill.h"
#include "base/threads.h"
#include "base/utf8.h"
#include "mesh/matrix.h"

#ifdef GZ_HAVE_ASSIMP

#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/commonMetaData.h>
#include <assimp/config.h>
#include <assimp/mesh.h>
#include <assimp/scene.h>

_Static_assert(sizeof(struct aiVector3D) == 3 * sizeof(float), "assimp's positions are floats");

#define LIBRARY          "libassimp.so.5" // of the headers this was compiled with
#define MOST_IN_MEMORY   (UINT64_C(1) << 24)
#define MOST_GROUP_BYTES 16384u

// ---- The library

typedef struct library {
    void *handle;
    const struct aiScene *(*import)(const char *, unsigned, struct aiFileIO *,
                                    const struct aiPropertyStore *);
    void (*release)(const struct aiScene *);
    const char *(*error)(void);
    struct aiPropertyStore *(*create_properties)(void);
    void (*release_properties)(struct aiPropertyStore *);
    void (*set_integer)(struct aiPropertyStore *, const char *, int);
} library;

static bool load_symbol(const library *lib, const char *name, void *function)
{
    void *symbol = dlsym(lib->handle, name);
    memcpy(function, &symbol, sizeof symbol); // ISO C has no cast from void * to a function
    return symbol != NULL;
}

// The code stays loaded once it is: unloading C++ libraries is not safe, and loading costs.
static graze_status load_library(gz_file *file, library *lib)
{
    *lib = (library){.handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)};
    if (lib->handle == NULL || !load_symbol(lib, "aiImportFileExWithProperties", &lib->import) ||
        !load_symbol(lib, "aiReleaseImport", &lib->release) ||
        !load_symbol(lib, "aiGetErrorString", &lib->error) ||
        !load_symbol(lib, "aiCreatePropertyStore", &lib->create_properties) ||
        !load_symbol(lib, "aiReleasePropertyStore", &lib->release_properties) ||
        !load_symbol(lib, "aiSetImportPropertyInteger", &lib->set_integer))
        return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: not a format of ours, and assimp, which may know it, cannot be loaded "
                       "(the Debian package is libassimp5)",
                       file->path);
    return GRAZE_OK;
}

// ---- Files, as assimp sees them

typedef struct file_system {
    graze_context *context;
    gz_file *file;
    char *path;        // under which assimp knows the file: without .gz or .zst
    gz_spill unpacked; // its content, if it was packed
    bool packed;
    graze_status status; // of the first read that failed
} file_system;

typedef struct open_file {
    struct aiFile face; // what assimp sees; its UserData is this struct
    file_system *system;
    gz_file own;   // open if it is not the file itself
    gz_file *file; // NULL: the content is system->unpacked
    uint64_t byte_count;
    uint64_t cursor;
    char *path;
} open_file;

static open_file *opened(struct aiFile *face) { return (open_file *)(void *)face->UserData; }

static size_t read_items(struct aiFile *face, char *out, size_t item_bytes, size_t count)
{
    open_file *f = opened(face);
    uint64_t left = f->byte_count - f->cursor;
    if (item_bytes == 0 || f->system->status != GRAZE_OK)
        return 0;
    if (count > left / item_bytes)
        count = (size_t)(left / item_bytes);
    uint64_t bytes = (uint64_t)count * item_bytes;
    if (bytes == 0)
        return 0;
    graze_status status = f->file != NULL
                              ? gz_file_read_at(f->file, f->cursor, out, bytes)
                              : gz_spill_read(&f->system->unpacked, f->cursor, out, bytes);
    if (status != GRAZE_OK) {
        f->system->status = status;
        return 0;
    }
    f->cursor += bytes;
    return count;
}

static size_t write_items(struct aiFile *face, const char *bytes, size_t item_bytes, size_t count)
{
    (void)face, (void)bytes, (void)item_bytes, (void)count;
    return 0;
}

static size_t tell(struct aiFile *face) { return (size_t)opened(face)->cursor; }
static size_t file_size(struct aiFile *face) { return (size_t)opened(face)->byte_count; }
static void flush(struct aiFile *face) { (void)face; }

static enum aiReturn seek(struct aiFile *face, size_t offset, enum aiOrigin origin)
{
    open_file *f = opened(face);
    uint64_t from = origin == aiOrigin_CUR ? f->cursor : origin == aiOrigin_END ? f->byte_count : 0;
    uint64_t target = from + (uint64_t)offset; // negative offsets come wrapped around
    if (target > f->byte_count)
        return aiReturn_FAILURE;
    f->cursor = target;
    return aiReturn_SUCCESS;
}

static void close_file(struct aiFileIO *face, struct aiFile *file)
{
    (void)face;
    if (file == NULL)
        return;
    open_file *f = opened(file);
    graze_context *context = f->system->context;
    if (f->file == &f->own)
        gz_file_close(&f->own);
    gz_string_free(context, f->path);
    gz_release(context, f, sizeof *f);
}

// What lies beside the file is named by a path that begins with the file's folder.
static const char *name_beside(const file_system *system, const char *path)
{
    const char *slash = strrchr(system->path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - system->path) + 1 : 0;
    if (system->file->memory != NULL || strncmp(path, system->path, folder) != 0)
        return NULL;
    path += folder;
    return path + strspn(path, "/");
}

static void fail_open(file_system *system)
{
    system->status =
        gz_fail(system->context, GRAZE_ERROR_MEMORY, "%s: out of memory", system->file->path);
}

static bool open_beside(file_system *system, const char *path, open_file *f)
{
    const char *relative = name_beside(system, path), *problem = NULL;
    if (relative == NULL)
        return false;
    f->path = gz_string_copy(system->context, path);
    if (f->path == NULL)
        fail_open(system);
    if (f->path == NULL || gz_file_open_beneath(system->context, system->path, relative, f->path,
                                                &f->own, &problem) != GRAZE_OK)
        return false;
    f->file = &f->own;
    f->byte_count = f->own.byte_count;
    return true;
}

static struct aiFile *open_named(struct aiFileIO *face, const char *path, const char *mode)
{
    file_system *system = (file_system *)(void *)face->UserData;
    if (mode[0] != 'r')
        return NULL;
    open_file *f = gz_allocate(system->context, sizeof *f);
    if (f == NULL) {
        fail_open(system);
        return NULL;
    }
    *f = (open_file){
        .face = {read_items, write_items, tell, file_size, seek, flush, NULL},
        .system = system,
    };
    f->face.UserData = (char *)(void *)f;
    if (strcmp(path, system->path) == 0) {
        f->file = system->packed ? NULL : system->file;
        f->byte_count = system->packed ? system->unpacked.byte_count : system->file->byte_count;
        return &f->face;
    }
    if (open_beside(system, path, f))
        return &f->face;
    close_file(face, &f->face);
    return NULL;
}

// A packed file is read again from its start, into a spill.
static graze_status unpack(file_system *system, const graze_mesh_read_def *def)
{
    gz_file again;
    graze_status status = GRAZE_OK;
    if (system->file->memory != NULL)
        gz_file_open_memory(system->context, system->file->path, system->file->memory,
                            system->file->byte_count, &again);
    else
        status = gz_file_open(system->context, system->file->path, &again);
    if (status != GRAZE_OK)
        return status;
    gz_source *source = NULL;
    system->unpacked = gz_spill_make(system->context, MOST_IN_MEMORY);
    status = gz_source_open(&again, def->expansion_limit, &source);
    while (status == GRAZE_OK) {
        status = gz_source_need(source, 1);
        if (status != GRAZE_OK || gz_source_left(source) == 0)
            break;
        status = gz_spill_append(&system->unpacked, source->cursor, gz_source_left(source));
        source->cursor = source->limit;
    }
    gz_source_close(source);
    gz_file_close(&again);
    system->packed = true;
    return status;
}

// Drops .gz and .zst from the name that assimp gets to see, and unpacks what has them.
static graze_status open_system(gz_file *file, const graze_mesh_read_def *def, file_system *system)
{
    *system = (file_system){.context = file->context, .file = file};
    if (!file->seekable)
        return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: not a format of ours, and assimp cannot read from a pipe", file->path);
    static const char *const packers[] = {".gz", ".zst"};
    size_t length = strlen(file->path), bare = length;
    for (int i = 0; i < 2; ++i) {
        size_t packer = strlen(packers[i]);
        if (length > packer && strcasecmp(file->path + length - packer, packers[i]) == 0)
            bare = length - packer;
    }
    system->path = gz_string_copy(file->context, file->path);
    if (system->path == NULL)
        return gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory", file->path);
    if (bare == length)
        return GRAZE_OK;
    char *shorter = gz_resize(file->context, system->path, length + 1, bare + 1);
    if (shorter == NULL)
        return gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory", file->path);
    shorter[bare] = '\0';
    system->path = shorter;
    return unpack(system, def);
}

static void close_system(file_system *system)
{
    gz_spill_free(&system->unpacked);
    gz_string_free(system->context, system->path);
}

// ---- The scene. What assimp made of a file is as little to be trusted as the file: pointers may
// be NULL wherever it has lists, and numbers out of range.

// A mesh list that was handed on: nodes with the same list are instances.
typedef struct part {
    const struct aiNode *node; // NULL: no list that begins with this mesh yet
    uint64_t first_triangle, triangle_count;
} part;

// A node on the way from the root to the current one.
typedef struct level {
    const struct aiNode *node;
    uint32_t next_child;
    uint32_t group_bytes; // of the group that its children are in
    double matrix[12];
} level;

typedef struct scene_reader {
    graze_context *context;
    const char *path;
    gz_stream *stream;
    const struct aiScene *scene;
    uint64_t mesh_count;
    uint64_t *first_vertex; // by mesh; UINT64_MAX: not handed on yet
    part *parts;            // by the first mesh of the list
    GZ_LIST(level) levels;
    GZ_LIST(uint64_t) corners; // of one face
    uint64_t node_count;
    char group[MOST_GROUP_BYTES + 1];
} scene_reader;

static graze_status out_of_memory(const scene_reader *r)
{
    return gz_fail(r->context, GRAZE_ERROR_MEMORY, "%s: out of memory for the scene", r->path);
}

static graze_status read_face(scene_reader *r, uint32_t mesh, uint32_t face)
{
    const struct aiMesh *m = r->scene->mMeshes[mesh];
    const struct aiFace *f = &m->mFaces[face];
    if (f->mNumIndices < 3 || f->mIndices == NULL) {
        gz_stream_count_other(r->stream, f->mNumIndices != 0);
        return GRAZE_OK;
    }
    r->corners.count = 0;
    uint64_t *corners = gz_list_push(r->context, &r->corners, f->mNumIndices);
    if (corners == NULL)
        return out_of_memory(r);
    for (uint32_t i = 0; i < f->mNumIndices; ++i) {
        if (f->mIndices[i] >= m->mNumVertices)
            return gz_fail(r->context, GRAZE_ERROR_FORMAT,
                           "%s: face %" PRIu32 " of mesh %" PRIu32
                           " names vertex %u, but there are only %u",
                           r->path, face, mesh, f->mIndices[i], m->mNumVertices);
        corners[i] = r->first_vertex[mesh] + f->mIndices[i];
    }
    return gz_stream_face(r->stream, corners, f->mNumIndices, 0);
}

static graze_status read_mesh(scene_reader *r, uint32_t mesh)
{
    const struct aiMesh *m = r->scene->mMeshes[mesh];
    graze_status status = gz_checkpoint(r->context, "reading", "meshes", mesh, r->mesh_count);
    if (status != GRAZE_OK || m == NULL || m->mVertices == NULL || m->mFaces == NULL)
        return status;
    if (r->first_vertex[mesh] == UINT64_MAX) {
        r->first_vertex[mesh] = gz_stream_vertex_count(r->stream);
        status = gz_stream_vertices(r->stream, m->mVertices, m->mNumVertices);
    }
    for (uint32_t i = 0; i < m->mNumFaces && status == GRAZE_OK; ++i)
        status = read_face(r, mesh, i);
    return status;
}

static bool same_list(const struct aiNode *a, const struct aiNode *b)
{
    return a->mNumMeshes == b->mNumMeshes &&
           memcmp(a->mMeshes, b->mMeshes, a->mNumMeshes * sizeof *a->mMeshes) == 0;
}

// The meshes of a node make one object: assimp splits what a file has in one by material.
static graze_status read_part(scene_reader *r, const struct aiNode *node, part *out)
{
    for (uint32_t i = 0; i < node->mNumMeshes; ++i)
        if (node->mMeshes[i] >= r->mesh_count)
            return gz_fail(r->context, GRAZE_ERROR_FORMAT,
                           "%s: a node names mesh %u, but there are only %" PRIu64, r->path,
                           node->mMeshes[i], r->mesh_count);
    part *known = &r->parts[node->mMeshes[0]];
    if (known->node != NULL && same_list(known->node, node)) {
        *out = *known;
        return GRAZE_OK;
    }
    *out = (part){.node = node, .first_triangle = gz_stream_triangle_count(r->stream)};
    graze_status status = GRAZE_OK;
    for (uint32_t i = 0; i < node->mNumMeshes && status == GRAZE_OK; ++i)
        status = read_mesh(r, node->mMeshes[i]);
    out->triangle_count = gz_stream_triangle_count(r->stream) - out->first_triangle;
    if (known->node == NULL)
        *known = *out;
    return status;
}

// Copies a name as UTF-8; bytes that are none become U+FFFD. At most MAXLEN bytes come in.
static uint32_t clean_name(const struct aiString *name, char out[3 * MAXLEN + 1])
{
    uint32_t length = name->length < MAXLEN ? (uint32_t)name->length : MAXLEN - 1;
    char *next = out;
    for (uint32_t i = 0; i < length;) {
        uint32_t bytes = gz_utf8_length((const uint8_t *)name->data + i, length - i);
        if (bytes == 0 || name->data[i] == '\0')
            next = gz_utf8_print(next, 0xfffd);
        else
            memcpy(next, name->data + i, bytes);
        next += bytes == 0 || name->data[i] == '\0' ? 0 : bytes;
        i += bytes != 0 ? bytes : 1;
    }
    *next = '\0';
    return (uint32_t)(next - out);
}

static graze_status show_node(scene_reader *r, const level *here, uint32_t group_bytes)
{
    const struct aiNode *node = here->node;
    if (node->mNumMeshes == 0 || node->mMeshes == NULL)
        return GRAZE_OK;
    part shown;
    graze_status status = read_part(r, node, &shown);
    if (status != GRAZE_OK || shown.triangle_count == 0)
        return status;
    const struct aiMesh *first = r->scene->mMeshes[node->mMeshes[0]];
    char name[3 * MAXLEN + 1];
    if (clean_name(&node->mName, name) == 0 &&
        (first == NULL || clean_name(&first->mName, name) == 0))
        snprintf(name, sizeof name, "node %" PRIu64, r->node_count - 1);
    r->group[group_bytes] = '\0';
    graze_object object = {
        .name = name,
        .group = r->group,
        .first_triangle = shown.first_triangle,
        .triangle_count = shown.triangle_count,
    };
    memcpy(object.matrix, here->matrix, sizeof object.matrix);
    gz_matrix_settle(&object);
    return gz_stream_object(r->stream, &object);
}

// Puts a node below the last level and shows it. The root is assimp's own: it adds no name.
static graze_status enter_node(scene_reader *r, const struct aiNode *node)
{
    level *here = gz_list_push(r->context, &r->levels, 1);
    if (here == NULL)
        return out_of_memory(r);
    const level *above = r->levels.count > 1 ? here - 1 : NULL;
    uint32_t group_bytes = above != NULL ? above->group_bytes : 0;
    *here = (level){.node = node, .group_bytes = group_bytes};
    const struct aiMatrix4x4 *m = &node->mTransformation;
    const double local[12] = {
        (double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4, (double)m->b1, (double)m->b2,
        (double)m->b3, (double)m->b4, (double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4,
    };
    r->node_count++;
    if (!gz_matrix_product(above != NULL ? above->matrix : gz_matrix_identity, local, here->matrix))
        return gz_fail(r->context, GRAZE_ERROR_FORMAT,
                       "%s: the place of node \"%.100s\" is beyond all numbers", r->path,
                       node->mName.data);
    graze_status status = show_node(r, here, group_bytes);
    if (status != GRAZE_OK || above == NULL || node->mNumChildren == 0)
        return status;
    char name[3 * MAXLEN + 1];
    uint32_t bytes = clean_name(&node->mName, name);
    if (group_bytes + bytes + 1 > MOST_GROUP_BYTES)
        return gz_fail(r->context, GRAZE_ERROR_UNSUPPORTED,
                       "%s: the names of node \"%.100s\" and its parents take more than %u bytes",
                       r->path, name, MOST_GROUP_BYTES);
    if (bytes == 0)
        return GRAZE_OK;
    if (group_bytes != 0)
        r->group[group_bytes++] = '/';
    memcpy(r->group + group_bytes, name, bytes);
    here->group_bytes = group_bytes + bytes;
    return GRAZE_OK;
}

static graze_status walk_scene(scene_reader *r)
{
    graze_status status = GRAZE_OK;
    if (r->scene->mRootNode != NULL)
        status = enter_node(r, r->scene->mRootNode);
    while (status == GRAZE_OK && r->levels.count != 0) {
        level *here = (level *)r->levels.items + (r->levels.count - 1);
        const struct aiNode *node = here->node, *child = NULL;
        while (child == NULL && node->mChildren != NULL && here->next_child < node->mNumChildren)
            child = node->mChildren[here->next_child++];
        if (child != NULL)
            status = enter_node(r, child);
        else
            r->levels.count--;
    }
    return status;
}

// Some of assimp's readers lose nodes; what hung there would be missed without a word.
static void warn_of_lost_meshes(const scene_reader *r)
{
    uint64_t lost = 0;
    for (uint64_t i = 0; i < r->mesh_count; ++i)
        lost += r->first_vertex[i] == UINT64_MAX && r->scene->mMeshes[i] != NULL;
    if (lost != 0)
        gz_log(r->context, GRAZE_LOG_WARNING,
               "%s: assimp shows %" PRIu64 " of %" PRIu64 " meshes nowhere, so they are left out",
               r->path, lost, r->mesh_count);
}

// Of formats that say their unit some of assimp's readers bring all lengths to metres. The others
// hand on what is in the file, and do not say what that is.
static bool is_in_metres(const struct aiScene *scene)
{
    static const char *const readers[] = {"Collada Importer",
                                          "Industry Foundation Classes (IFC) Importer"};
    const struct aiMetadata *about = scene->mMetaData;
    for (unsigned i = 0; about != NULL && i < about->mNumProperties; ++i) {
        if (strcmp(about->mKeys[i].data, AI_METADATA_SOURCE_FORMAT) != 0 ||
            about->mValues[i].mType != AI_AISTRING)
            continue;
        const struct aiString *reader = about->mValues[i].mData;
        for (size_t k = 0; k < sizeof readers / sizeof *readers; ++k)
            if (strcmp(reader->data, readers[k]) == 0)
                return true;
    }
    return false;
}

static graze_status stream_scene(scene_reader *r, const graze_mesh_read_def *def)
{
    uint64_t count = r->scene->mMeshes != NULL ? r->scene->mNumMeshes : 0;
    graze_mesh_header header = {
        .format = GRAZE_FORMAT_OTHER,
        .precision = GRAZE_FLOAT32,
        .metres_per_unit = is_in_metres(r->scene) ? 1 : def->metres_per_unit,
        .encoding = "read by assimp",
    };
    for (uint64_t i = 0; i < count; ++i) {
        if (r->scene->mMeshes[i] == NULL)
            continue;
        header.vertex_count_hint += r->scene->mMeshes[i]->mNumVertices;
        header.triangle_count_hint += r->scene->mMeshes[i]->mNumFaces;
    }
    r->mesh_count = count;
    r->first_vertex = GZ_NEW_ARRAY(r->context, uint64_t, count);
    r->parts = GZ_NEW_ARRAY(r->context, part, count);
    graze_status status = GRAZE_OK;
    if (count != 0 && (r->first_vertex == NULL || r->parts == NULL))
        status = out_of_memory(r);
    for (uint64_t i = 0; i < count && status == GRAZE_OK; ++i) {
        r->first_vertex[i] = UINT64_MAX;
        r->parts[i] = (part){0};
    }
    if (status == GRAZE_OK)
        status = gz_stream_begin(r->stream, &header, true);
    if (status == GRAZE_OK)
        status = walk_scene(r);
    if (status == GRAZE_OK)
        warn_of_lost_meshes(r);
    if (status == GRAZE_OK)
        status = gz_stream_end(r->stream);
    GZ_FREE_ARRAY(r->context, r->first_vertex, count);
    GZ_FREE_ARRAY(r->context, r->parts, count);
    gz_list_free(r->context, &r->levels);
    gz_list_free(r->context, &r->corners);
    return status;
}

// ---- The import

// assimp keeps its last error for the whole process, so imports take turns.
static pthread_mutex_t import_lock = PTHREAD_MUTEX_INITIALIZER;

static graze_status import_scene(const library *lib, file_system *system,
                                 const struct aiScene **scene)
{
    struct aiPropertyStore *properties = lib->create_properties();
    if (properties != NULL) {
        lib->set_integer(properties, AI_CONFIG_IMPORT_NO_SKELETON_MESHES, 1);
        lib->set_integer(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 0);
    }
    struct aiFileIO files = {open_named, close_file, (char *)(void *)system};
    pthread_mutex_lock(&import_lock);
    *scene = lib->import(system->path, 0, &files, properties);
    char reason[500] = "";
    if (*scene == NULL)
        snprintf(reason, sizeof reason, "%s", lib->error());
    pthread_mutex_unlock(&import_lock);
    if (properties != NULL)
        lib->release_properties(properties);
    if (system->status != GRAZE_OK)
        return system->status;
    if (*scene == NULL)
        return gz_fail(system->context, GRAZE_ERROR_FORMAT,
                       "%s: not a format of ours, and assimp cannot read it: %s",
                       system->file->path, reason);
    return GRAZE_OK;
}

static graze_status read_through(const library *lib, file_system *system,
                                 const graze_mesh_read_def *def, gz_stream *stream)
{
    const struct aiScene *scene = NULL;
    graze_status status = import_scene(lib, system, &scene);
    scene_reader *r = status == GRAZE_OK ? gz_allocate(system->context, sizeof *r) : NULL;
    if (r != NULL) {
        *r = (scene_reader){
            .context = system->context,
            .path = system->file->path,
            .stream = stream,
            .scene = scene,
        };
        status = stream_scene(r, def);
    } else if (status == GRAZE_OK) {
        status = gz_fail(system->context, GRAZE_ERROR_MEMORY, "%s: out of memory for the scene",
                         system->file->path);
    }
    gz_release(system->context, r, sizeof *r);
    if (scene != NULL)
        lib->release(scene);
    return status;
}

graze_status gz_read_assimp(gz_file *file, const graze_mesh_read_def *def, gz_stream *stream)
{
    library lib;
    file_system system;
    graze_status status = load_library(file, &lib);
    if (status == GRAZE_OK) {
        status = open_system(file, def, &system);
        if (status == GRAZE_OK)
            status = read_through(&lib, &system, def, stream);
        close_system(&system);
    }
    if (lib.handle != NULL)
        dlclose(lib.handle);
    return status;
}

#else

graze_status gz_read_assimp(gz_file *file, const graze_mesh_read_def *def, gz_stream *stream)
{
    (void)def, (void)stream;
    return gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                   "%s: not a format of ours, and this build has no assimp, which may know it "
                   "(the Debian package to build with is libassimp-dev)",
                   file->path);
}

#endif
