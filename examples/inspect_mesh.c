// Asks what is wrong with a mesh, and whether the answer is the whole one.
#include <inttypes.h>
#include <stdio.h>

#include "graze/graze.h"

static void print_finding(const char *what, graze_finding finding)
{
    if (finding.extent == GRAZE_NOT_CHECKED)
        printf("%s: not checked: %s\n", what, finding.why);
    else
        printf("%s: %" PRIu64 "\n", what, finding.count);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "pyramid.ply";
    graze_inspect_def def = graze_inspect_def_default();
    def.memory_byte_limit = 64u << 20; // what does not fit goes to temporary files

    graze_context *context = NULL;
    graze_mesh_report *report = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = graze_mesh_inspect(context, path, &def, &report);
    if (status == GRAZE_OK) {
        print_finding("degenerate triangles", report->degenerate_triangles);
        print_finding("duplicate triangles", report->duplicate_triangles);
        print_finding("open edges", report->open_edges);
        print_finding("non-manifold edges", report->nonmanifold_edges);
        print_finding("parts", report->parts);
        print_finding("closed parts", report->closed_parts);
    } else {
        fprintf(stderr, "%s: %s\n", path, graze_status_text(status));
    }
    graze_mesh_report_free(context, report);
    graze_context_destroy(context);
    return status != GRAZE_OK;
}
