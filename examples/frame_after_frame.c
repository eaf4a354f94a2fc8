// Frame after frame: rings that bend and wander are asked which of them meet, and where, with
// nothing prepared and nothing kept. The number of rings, and their triangles, could change with
// each frame.
//   frame_after_frame
#include <stdio.h>

#include "frames.h"
#include "graze/graze.h"

static void report(uint32_t number, const generator_frame *frame, const graze_cull_answer *answer)
{
    printf("frame %u: %llu pairs of triangles\n", number, (unsigned long long)answer->pair_count);
    for (uint64_t i = 0; i < answer->object_pair_count; ++i) {
        const graze_cull_objects *met = &answer->objects[i];
        const graze_contact *deepest = &answer->contacts[met->first_pair];
        for (uint64_t k = 0; k < met->pair_count; ++k)
            if (answer->contacts[met->first_pair + k].depth > deepest->depth)
                deepest = &answer->contacts[met->first_pair + k];
        printf("  %s and %s: %llu, the deepest near %.2f %.2f %.2f\n", frame->names[met->a],
               frame->names[met->b], (unsigned long long)met->pair_count, deepest->point_a[0],
               deepest->point_a[1], deepest->point_a[2]);
    }
}

static graze_status watch(graze_cull *cull, generator_frames *frames)
{
    graze_cull_frame_def def = graze_cull_frame_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    for (uint32_t number = 0; number < 60; number += 20) {
        generator_frame frame;
        graze_cull_answer answer;
        graze_status status = generator_frames_at(frames, number, &frame);
        if (status == GRAZE_OK)
            status = graze_cull_frame(cull, frame.objects, frame.object_count, &def, &answer);
        if (status != GRAZE_OK)
            return status;
        report(number, &frame, &answer);
    }
    return GRAZE_OK;
}

int main(void)
{
    generator_frames_def scene = {.scene = "tori", .object_count = 4, .triangle_count = 2000};
    graze_context *context = NULL;
    generator_frames *frames = NULL;
    graze_cull *cull = NULL;
    graze_status status = graze_context_create(NULL, &context);
    if (status == GRAZE_OK)
        status = generator_frames_open(&scene, &frames);
    if (status == GRAZE_OK)
        status = graze_cull_create(context, NULL, &cull);
    if (status == GRAZE_OK)
        status = watch(cull, frames);

    graze_cull_free(cull);
    generator_frames_close(frames);
    graze_context_destroy(context);
    return status != GRAZE_OK;
}
