// Reads with a memory limit, shows progress, and can be cancelled from outside.
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "graze/graze.h"

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int number)
{
    (void)number;
    stop_asked = 1;
}

static void show_message(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    (void)level;
    fprintf(stderr, "%s\n", sentence);
}

static void show_progress(void *user, const graze_progress *progress)
{
    (void)user;
    fprintf(stderr, "%s: %" PRIu64 " of %" PRIu64 " %s\n", progress->stage, progress->done,
            progress->total, progress->unit);
}

static int is_cancelled(void *user)
{
    (void)user;
    return stop_asked;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "pyramid.ply";
    signal(SIGINT, ask_to_stop); // the library itself never touches signals

    graze_context_def def = graze_context_def_default();
    def.memory_byte_limit = UINT64_C(1) << 30;
    def.log = show_message;
    def.progress = show_progress;
    def.cancel = is_cancelled;

    graze_context *context = NULL;
    graze_mesh *mesh = NULL;
    graze_status status = graze_context_create(&def, &context);
    if (status == GRAZE_OK)
        status = graze_mesh_read(context, path, NULL, &mesh);
    switch (status) {
    case GRAZE_OK:
        printf("read %" PRIu64 " triangles\n", graze_mesh_get(mesh).triangle_count);
        break;
    case GRAZE_ERROR_CANCELLED: printf("stopped, as asked\n"); break;
    case GRAZE_ERROR_MEMORY: printf("this mesh needs more than a gigabyte\n"); break;
    default: printf("no mesh: %s\n", graze_status_text(status)); break;
    }
    graze_mesh_free(mesh);
    graze_context_destroy(context);
    return status != GRAZE_OK;
}
