// See large_files.h.
#include "large_files.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

// The writer's sink behind one that deals the triangles anew, so that neighbours in the file are
// far apart on the shape: the worst for looking up vertices.
typedef struct shuffler {
    graze_mesh_sink out;
    uint64_t (*corners)[3];
    uint64_t count;
} shuffler;

static graze_status gather(void *user, const uint64_t *corners, uint64_t count)
{
    shuffler *to = user;
    to->corners = realloc(to->corners, (size_t)(to->count + count) * sizeof *to->corners);
    assert_non_null(to->corners);
    memcpy(to->corners + to->count, corners, (size_t)count * sizeof *to->corners);
    to->count += count;
    return GRAZE_OK;
}

static graze_status release(void *user, const graze_object *object)
{
    shuffler *from = user;
    graze_status status = GRAZE_OK;
    uint64_t step = 7368787 % from->count; // prime, so that all are met
    for (uint64_t i = 0, at = 0; i < from->count && status == GRAZE_OK; ++i) {
        status = from->out.triangles(from->out.user, from->corners[at], 1);
        at = (at + step) % from->count;
    }
    free(from->corners);
    return status == GRAZE_OK ? from->out.object(from->out.user, object) : status;
}

static graze_status begin(void *user, const graze_mesh_header *header)
{
    shuffler *to = user;
    return to->out.begin(to->out.user, header);
}

static graze_status vertices(void *user, const void *positions, uint64_t count)
{
    shuffler *to = user;
    return to->out.vertices(to->out.user, positions, count);
}

static graze_status end(void *user, const graze_mesh_losses *losses)
{
    shuffler *to = user;
    return to->out.end(to->out.user, losses);
}

void large_make(const char *kind, uint64_t triangle_count, graze_precision precision, bool shuffled,
                const char *path)
{
    graze_context *context = test_context(NULL);
    graze_mesh_write_def def = graze_mesh_write_def_default();
    def.order = generator_shape_is_soup(kind) ? GRAZE_ORDER_SOUP : GRAZE_ORDER_VERTICES_FIRST;
    shuffler shuffle = {0};
    graze_mesh_writer *writer = NULL;
    assert_int_equal(graze_mesh_writer_open(context, path, &def, &shuffle.out, &writer), GRAZE_OK);
    graze_mesh_sink sink = {.user = &shuffle,
                            .begin = begin,
                            .vertices = vertices,
                            .triangles = gather,
                            .object = release,
                            .end = end};
    generator_shape_def shape = {
        .kind = kind, .triangle_count = triangle_count, .precision = precision};
    assert_int_equal(generator_shape_stream(&shape, shuffled ? &sink : &shuffle.out), GRAZE_OK);
    assert_int_equal(graze_mesh_writer_commit(writer), GRAZE_OK);
    test_context_done(context);
}

void large_run_capped(uint64_t space_bytes, void (*run)(const void *task, void *result),
                      const void *task, void *result, size_t result_bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit cap = {space_bytes, space_bytes};
        if (LARGE_CAPPED && setrlimit(RLIMIT_AS, &cap) != 0)
            _exit(1);
        run(task, result);
        _exit(write(ends[1], result, result_bytes) == (ssize_t)result_bytes ? 0 : 1);
    }
    close(ends[1]);
    ssize_t got = read(ends[0], result, result_bytes);
    close(ends[0]);
    int exit_status = 0;
    assert_int_equal(waitpid(child, &exit_status, 0), child);
    assert_int_equal(exit_status, 0);
    assert_int_equal(got, result_bytes);
}
