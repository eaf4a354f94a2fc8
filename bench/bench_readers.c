// Megabytes a second and peak memory of reading mesh files: graze beside assimp, on the same files.
//   bench_readers [--megabytes N] [--rounds N] [--folder FOLDER] [--file TEXT] [--assimp PROGRAM]
// Each reading happens in a new process that has the file in the system's cache. Prints CSV, one
// line for each file, engine and round. Columns:
//   megabytes_per_second  of the unpacked file; a megabyte is 10^6 bytes
//   seconds, processor_seconds  of the reading, without starting the process
//   start_bytes, peak_bytes     resident memory of the process before, and at most
//   mesh_bytes                  of the result: coordinates and corner numbers
//   wrong                       1 if the number of triangles is not what was written
// Engines: "graze read" makes a mesh in memory, "graze stream" hands it to a sink that does
// nothing, "bytes" only reads them, as the floor that nobody gets below. The exit code is 1 if
// graze failed or was wrong.
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graze/graze.h"
#include "mesh_files.h"
#include "reading_cost.h"

typedef struct settings {
    uint64_t megabytes;
    uint32_t round_count;
    const char *folder, *file, *assimp, *self;
} settings;

static void print_error(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    if (level == GRAZE_LOG_ERROR)
        fprintf(stderr, "bench_readers: %s\n", sentence);
}

static graze_context *make_context(void)
{
    graze_context_def def = graze_context_def_default();
    def.log = print_error;
    graze_context *context = NULL;
    return graze_context_create(&def, &context) == GRAZE_OK ? context : NULL;
}

static bool read_bytes(const char *path, reading *r)
{
    static char buffer[1 << 20];
    reading_begin(r);
    int file = open(path, O_RDONLY);
    ssize_t got = file >= 0 ? 1 : -1;
    while (got > 0)
        got = read(file, buffer, sizeof buffer);
    if (file >= 0)
        close(file);
    reading_end(r);
    return got == 0;
}

static bool read_mesh(graze_context *context, const char *path, reading *r)
{
    graze_mesh *mesh = NULL;
    reading_begin(r);
    graze_status status = graze_mesh_read(context, path, NULL, &mesh);
    reading_end(r);
    if (status != GRAZE_OK)
        return false;
    graze_mesh_view view = graze_mesh_get(mesh);
    r->vertex_count = view.vertex_count;
    r->triangle_count = view.triangle_count;
    r->mesh_bytes = view.vertex_count * 3 * (uint64_t)view.precision +
                    view.triangle_count * 3 * sizeof *view.corners +
                    view.object_count * sizeof *view.objects;
    graze_mesh_free(mesh);
    return true;
}

static graze_status count_vertices(void *user, const void *positions, uint64_t count)
{
    (void)positions;
    ((reading *)user)->vertex_count += count;
    return GRAZE_OK;
}
static graze_status count_triangles(void *user, const uint64_t *corners, uint64_t count)
{
    (void)corners;
    ((reading *)user)->triangle_count += count;
    return GRAZE_OK;
}

static bool stream_mesh(graze_context *context, const char *path, reading *r)
{
    graze_mesh_sink sink = {.user = r, .vertices = count_vertices, .triangles = count_triangles};
    reading_begin(r);
    graze_status status = graze_mesh_stream(context, path, NULL, &sink);
    reading_end(r);
    return status == GRAZE_OK;
}

static int run_child(const char *engine, const char *path)
{
    reading r;
    graze_context *context = make_context();
    bool good = context != NULL;
    if (good && strcmp(engine, "graze read") == 0)
        good = read_mesh(context, path, &r);
    else if (good && strcmp(engine, "graze stream") == 0)
        good = stream_mesh(context, path, &r);
    else if (good)
        good = read_bytes(path, &r);
    graze_context_destroy(context);
    if (good)
        reading_print(&r);
    return good ? 0 : 1;
}

// Runs one engine on one file in a process of its own.
static bool measure(const settings *set, const char *engine, const char *path, reading *out)
{
    char command[3 * 4096];
    if (strcmp(engine, "assimp") == 0)
        snprintf(command, sizeof command, "'%s' '%s'", set->assimp, path);
    else
        snprintf(command, sizeof command, "'%s' --child '%s' '%s'", set->self, engine, path);
    FILE *child = popen(command, "r");
    if (child == NULL)
        return false;
    int fields =
        fscanf(child, READING_FORMAT, &out->seconds, &out->processor_seconds, &out->start_bytes,
               &out->peak_bytes, &out->mesh_bytes, &out->vertex_count, &out->triangle_count);
    return pclose(child) == 0 && fields == 7;
}

static void print_line(const mesh_file *file, const made_file *made, const char *engine,
                       uint32_t round, const reading *r, bool wrong)
{
    printf("%s,%s,%u,%" PRIu64 ",%" PRIu64 ",%.1f,%.4f,%.4f,%" PRIu64 ",%" PRIu64 ",%" PRIu64
           ",%" PRIu64 ",%" PRIu64 ",%d\n",
           file->name, engine, round, made->file_bytes, made->unpacked_bytes,
           (double)made->unpacked_bytes * 1e-6 / r->seconds, r->seconds, r->processor_seconds,
           r->start_bytes, r->peak_bytes, r->mesh_bytes, r->vertex_count, r->triangle_count, wrong);
    fflush(stdout);
}

static bool run_file(const settings *set, graze_context *context, const mesh_file *file)
{
    static const char *const engines[] = {"bytes", "graze read", "graze stream", "assimp"};
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", set->folder, file->name);
    made_file made;
    bool good = mesh_file_make(context, file, path, set->megabytes * 1000000, &made) == GRAZE_OK;
    for (uint32_t round = 1; good && round <= set->round_count; ++round)
        for (size_t i = 0; i < sizeof engines / sizeof *engines; ++i) {
            bool is_assimp = strcmp(engines[i], "assimp") == 0;
            if (is_assimp && (set->assimp == NULL || file->is_packed))
                continue;
            reading r;
            if (!measure(set, engines[i], path, &r)) {
                fprintf(stderr, "bench_readers: %s cannot read %s\n", engines[i], file->name);
                good = good && is_assimp;
                continue;
            }
            bool wrong = r.triangle_count != (i == 0 ? 0 : made.triangle_count);
            good = good && (is_assimp || !wrong);
            print_line(file, &made, engines[i], round, &r, wrong);
        }
    remove(path);
    return good;
}

static bool parse(int count, char **words, settings *out)
{
    for (int i = 1; i + 1 < count; i += 2) {
        const char *word = words[i], *value = words[i + 1];
        if (strcmp(word, "--megabytes") == 0)
            out->megabytes = strtoull(value, NULL, 10);
        else if (strcmp(word, "--rounds") == 0)
            out->round_count = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(word, "--folder") == 0)
            out->folder = value;
        else if (strcmp(word, "--file") == 0)
            out->file = value;
        else if (strcmp(word, "--assimp") == 0)
            out->assimp = value;
        else
            return false;
    }
    return count % 2 == 1 && out->megabytes <= 100000;
}

int main(int count, char **words)
{
    if (count == 4 && strcmp(words[1], "--child") == 0)
        return run_child(words[2], words[3]);
    settings set = {.megabytes = 100, .round_count = 5, .self = words[0]};
    if (!parse(count, words, &set)) {
        fprintf(stderr, "usage: bench_readers [--megabytes N] [--rounds N] [--folder FOLDER] "
                        "[--file TEXT] [--assimp PROGRAM]\n");
        return 2;
    }
    char folder[] = "/tmp/graze-bench-XXXXXX";
    bool own_folder = set.folder == NULL;
    if (own_folder && (set.folder = mkdtemp(folder)) == NULL) {
        fprintf(stderr, "bench_readers: no temporary folder: %s\n", strerror(errno));
        return 1;
    }
    printf("file,engine,round,file_bytes,unpacked_bytes,megabytes_per_second,seconds,"
           "processor_seconds,start_bytes,peak_bytes,mesh_bytes,vertices,triangles,wrong\n");
    graze_context *context = make_context();
    bool good = context != NULL;
    for (const mesh_file *file = mesh_files; context != NULL && file->name != NULL; ++file)
        if (set.file == NULL || strstr(file->name, set.file) != NULL)
            good = run_file(&set, context, file) && good;
    graze_context_destroy(context);
    if (own_folder)
        rmdir(folder);
    return good ? 0 : 1;
}
