// Asks about one triangle and many others at once.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graze/graze.h"

enum { COUNT = 1000 };

int main(void)
{
    graze_context *context = NULL;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 1;

    // A stack of a thousand triangles, a thousandth apart, and a needle through some of them.
    graze_triangle *sheets = malloc(COUNT * sizeof *sheets);
    uint32_t bits[(COUNT + 31) / 32];
    if (sheets == NULL)
        return 1;
    for (int i = 0; i < COUNT; ++i) {
        double z = i / 1000.0;
        sheets[i] = (graze_triangle){{{0, 0, z}, {1, 0, z}, {0, 1, z}}};
    }
    graze_triangle needle = {{{0.25, 0.25, 0.1}, {0.25, 0.25, 0.5}, {0.25, 0.26, 0.3}}};

    graze_triangle_meet_many(context, &needle, sheets, COUNT, bits);
    uint64_t met = 0;
    for (int i = 0; i < COUNT; ++i)
        met += bits[i / 32] >> (i % 32) & 1;
    printf("the needle meets %" PRIu64 " sheets\n", met);

    graze_triangle_within_many(context, &needle, sheets, COUNT, 0.05, bits);
    uint64_t near = 0;
    for (int i = 0; i < COUNT; ++i)
        near += bits[i / 32] >> (i % 32) & 1;
    printf("and is within 0.05 of %" PRIu64 "\n", near);

    free(sheets);
    graze_context_destroy(context);
    return 0;
}
