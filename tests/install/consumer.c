// A stranger's program: uses what was installed, from C and from C++ alike.
#include <stdio.h>
#include <string.h>

#include <graze/graze.h>

int main(void)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", GRAZE_VERSION_MAJOR, GRAZE_VERSION_MINOR,
             GRAZE_VERSION_PATCH);
    if (strcmp(expected, graze_version()) != 0) {
        printf("the header is of %s, the library of %s\n", expected, graze_version());
        return 1;
    }
    graze_context *context = NULL;
    graze_status status = graze_context_create(NULL, &context);
    graze_context_destroy(context);
    graze_triangle a = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    graze_triangle b = {{{0, 0, 0}, {1, 0, 1}, {0, 1, 1}}};
    printf("%s; the triangles meet: %d\n", graze_status_text(status), graze_triangle_meet(&a, &b));
    return status != GRAZE_OK || graze_triangle_meet(&a, &b) != 1;
}
