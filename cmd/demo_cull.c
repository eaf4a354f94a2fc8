// Frames of rings that deform, and of a serpent that breaks. What culling finds is held against
// exact questions: each object becomes a shape, and every two are asked.
#include "demo_cull.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "frames.h"
#include "graze/cull.h"
#include "terminal.h"
#include "units.h"

typedef struct demo_story {
    const char *scene;
    uint64_t triangle_count;
    uint32_t frame_count, step; // every so many frames one is shown
} demo_story;

// What meets in one frame; the sum is one over all pairs, the same in any order.
typedef struct found {
    uint64_t object_pairs, pairs, sum;
    double seconds;
} found;

static void add_pair(found *all, uint32_t a, uint32_t b, const graze_pair *pair)
{
    uint64_t word = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u;
    word = (word ^ word >> 31) + ((uint64_t)pair->a << 32 | pair->b);
    word *= 0xbf58476d1ce4e5b9u;
    all->sum += word ^ word >> 29;
    ++all->pairs;
}

static graze_status cull_frame(graze_cull *cull, const generator_frame *frame, found *all)
{
    graze_cull_answer answer;
    double begun = now_seconds();
    *all = (found){0};
    graze_status status =
        graze_cull_frame(cull, frame->objects, frame->object_count, NULL, &answer);
    all->seconds = now_seconds() - begun;
    for (uint64_t i = 0; status == GRAZE_OK && i < answer.object_pair_count; ++i) {
        const graze_cull_objects *two = &answer.objects[i];
        ++all->object_pairs;
        for (uint64_t k = 0; k < two->pair_count; ++k)
            add_pair(all, two->a, two->b, &answer.pairs[two->first_pair + k]);
    }
    return status;
}

// --- The same, pair by pair

static graze_status ask_two(graze_query *query, graze_shape *const *shapes, uint32_t a, uint32_t b,
                            found *all)
{
    graze_collide_def def = graze_collide_def_default();
    graze_answer answer;
    def.collect = GRAZE_COLLECT_PAIRS;
    graze_status status = graze_query_collide(query, graze_at(shapes[a], NULL),
                                              graze_at(shapes[b], NULL), &def, &answer);
    if (status != GRAZE_OK || answer.pair_count == 0)
        return status;
    ++all->object_pairs;
    for (uint64_t i = 0; i < answer.pair_count; ++i)
        add_pair(all, a, b, &answer.pairs[i]);
    return GRAZE_OK;
}

static graze_status ask_frame(graze_context *context, graze_query *query,
                              const generator_frame *frame, found *all)
{
    graze_shape **shapes = calloc(frame->object_count + 1, sizeof *shapes);
    graze_status status = shapes != NULL ? GRAZE_OK : GRAZE_ERROR_MEMORY;
    double begun = now_seconds();
    *all = (found){0};
    for (uint32_t i = 0; i < frame->object_count && status == GRAZE_OK; ++i)
        status = graze_shape_create(context, &frame->objects[i], NULL, &shapes[i]);
    for (uint32_t a = 0; a < frame->object_count; ++a)
        for (uint32_t b = a + 1; b < frame->object_count && status == GRAZE_OK; ++b)
            status = ask_two(query, shapes, a, b, all);
    all->seconds = now_seconds() - begun;
    for (uint32_t i = 0; shapes != NULL && i < frame->object_count; ++i)
        graze_shape_free(shapes[i]);
    free((void *)shapes);
    return status;
}

// --- Both

static void print_row(const demo_story *story, uint32_t number, const generator_frame *frame,
                      const found *culled, const found *asked, bool *right)
{
    char pairs[TEXT_BYTES], culled_in[TEXT_BYTES], asked_in[TEXT_BYTES];
    bool same = culled->sum == asked->sum && culled->pairs == asked->pairs &&
                culled->object_pairs == asked->object_pairs;
    *right = *right && same;
    bar_clear();
    printf("   %-8s  %5" PRIu32 "  %7" PRIu32 "  %8" PRIu64 "  %9s  %9s   %s, %s\n", story->scene,
           number + 1, frame->object_count, culled->object_pairs, print_count(pairs, culled->pairs),
           print_seconds(culled_in, culled->seconds), same ? "the same" : "NOT THE SAME",
           print_seconds(asked_in, asked->seconds));
}

static graze_status show_story(graze_context *context, graze_cull *cull, graze_query *query,
                               const demo_story *story, bool *right)
{
    const generator_frames_def def = {.scene = story->scene,
                                      .frame_count = story->frame_count,
                                      .triangle_count = story->triangle_count};
    generator_frames *frames = NULL;
    graze_status status = generator_frames_open(&def, &frames);
    for (uint32_t i = story->step - 1; i < story->frame_count && status == GRAZE_OK;
         i += story->step) {
        generator_frame frame;
        found culled = {0}, asked = {0};
        status = generator_frames_at(frames, i, &frame);
        if (status == GRAZE_OK)
            status = cull_frame(cull, &frame, &culled);
        if (status == GRAZE_OK)
            status = ask_frame(context, query, &frame, &asked);
        if (status == GRAZE_OK)
            print_row(story, i, &frame, &culled, &asked, right);
    }
    generator_frames_close(frames);
    return status;
}

graze_status demo_cull(graze_context *context, bool *right)
{
    static const demo_story stories[] = {{"tori", 20000, 120, 40}, {"breaking", 40000, 120, 40}};
    graze_cull *cull = NULL;
    graze_query *query = NULL;
    graze_status status = graze_cull_create(context, NULL, &cull);
    if (status == GRAZE_OK)
        status = graze_query_create(context, &query);
    printf("   Nothing is prepared for a frame, and nothing is kept from the one before.\n\n"
           "   scene     frame  objects  in touch  triangles   found in   asked two by two\n");
    for (size_t i = 0; i < sizeof stories / sizeof *stories && status == GRAZE_OK; ++i)
        status = show_story(context, cull, query, &stories[i], right);
    graze_query_free(query);
    graze_cull_free(cull);
    return status;
}
