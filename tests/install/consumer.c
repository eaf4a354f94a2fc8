// A stranger's program: uses what was installed, from C and from C++ alike.
#include <stdio.h>
#include <string.h>

#include <graze/graze.h>

int main(void)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", GRAZE_VERSION_MAJOR, GRAZE_VERSION_MINOR,
             GRAZE_VERSION_PATCH);
    graze_context *context = NULL;
    graze_status status = graze_context_create(NULL, &context);
    graze_context_destroy(context);
    printf("%s: graze %s\n", graze_status_text(status), graze_version());
    return status != GRAZE_OK || strcmp(expected, graze_version()) != 0;
}
