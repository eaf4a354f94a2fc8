// See clash_paint.h.
#include "clash_paint.h"

#include <math.h>
#include <stdlib.h>

const char *const layer_colours[2] = {"orange", "blue"}; // told apart by the colour-blind, too

#define BEHIND     0.3f // part of the other object where both are, so that overlaps show
#define BEFORE     0.3f // part of what stands before the two
#define PALE       0.5f // how far the rest is on its way to white
#define NEARER     2.0f // in pixels of a layer: what touches an object does not stand before it
#define RING       3.0f // its width, in pixels of a picture 1200 wide, and
#define HALO       1.5f // of the white on both sides of it
#define DOT        2.0f // how much thicker the line is that joins the two points
#define LEAST_RING 16.0f
#define MOST_RING  0.3f // of the width of the picture

static const float colours[LAYER_COUNT][2][3] = {
    {{70, 28, 0}, {255, 170, 70}}, {{0, 26, 74}, {96, 176, 255}}, {{22, 28, 40}, {236, 240, 246}}};
static const float ring_colour[3] = {214, 0, 96}, white[3] = {255, 255, 255};

uint64_t clash_paint_bytes(uint32_t width)
{
    // Each pixel is two by two in a layer; from a corner a cube is higher than it is wide.
    uint64_t pixels = (uint64_t)width * width * 5 / 4;
    return pixels * (LAYER_COUNT * 4 * 2 * sizeof(float) + 3);
}

static void mix(float out[3], const float with[3], float part)
{
    for (int i = 0; i < 3; ++i)
        out[i] += (with[i] - out[i]) * part;
}

static void get_colour(int layer, float shade, float out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = colours[layer][0][i] + (colours[layer][1][i] - colours[layer][0][i]) * shade;
}

// What is seen at one place of the layers.
static void see(const raster layers[LAYER_COUNT], size_t at, float out[3])
{
    float depth[LAYER_COUNT], other[3];
    for (int i = 0; i < LAYER_COUNT; ++i)
        depth[i] = layers[i].depth[at];
    int first = depth[LAYER_A] >= depth[LAYER_B] ? LAYER_A : LAYER_B;
    if (depth[first] == -HUGE_VALF) {
        for (int i = 0; i < 3; ++i)
            out[i] = 255.0f;
        if (depth[LAYER_REST] == -HUGE_VALF)
            return;
        get_colour(LAYER_REST, layers[LAYER_REST].shade[at], out);
        mix(out, white, PALE);
        return;
    }
    int second = first == LAYER_A ? LAYER_B : LAYER_A;
    get_colour(first, layers[first].shade[at], out);
    if (depth[second] != -HUGE_VALF) {
        get_colour(second, layers[second].shade[at], other);
        mix(out, other, BEHIND);
    }
    if (depth[LAYER_REST] > depth[first] + NEARER) {
        get_colour(LAYER_REST, layers[LAYER_REST].shade[at], other);
        mix(out, other, BEFORE);
    }
}

// --- The mark

// In pixels of the picture.
typedef struct mark_place {
    float from[2], to[2], middle[2], radius, scale;
} mark_place;

static mark_place place_mark(const raster *r, const clash_mark *mark)
{
    mark_place m = {.scale = (float)r->width / 1200.0f};
    float finer = (float)r->columns / (float)r->width;
    for (int k = 0; k < 2; ++k) {
        m.from[k] = mark->from[k] / finer;
        m.to[k] = mark->to[k] / finer;
        m.middle[k] = mark->middle[k] / finer;
    }
    m.radius = fmaxf(mark->reach / finer + 2 * RING * m.scale, LEAST_RING * m.scale);
    m.radius = fminf(m.radius, MOST_RING * (float)r->width);
    return m;
}

static float distance_to_line(const mark_place *m, const float p[2])
{
    float along[2] = {m->to[0] - m->from[0], m->to[1] - m->from[1]};
    float square = along[0] * along[0] + along[1] * along[1], t = 0;
    if (square > 0)
        t = ((p[0] - m->from[0]) * along[0] + (p[1] - m->from[1]) * along[1]) / square;
    t = fminf(fmaxf(t, 0), 1);
    return hypotf(p[0] - m->from[0] - t * along[0], p[1] - m->from[1] - t * along[1]);
}

// How much of a pixel a stroke covers whose edge is so far beyond its middle.
static float covered(float beyond) { return fminf(fmaxf(beyond + 0.5f, 0), 1); }

static void put_mark(const mark_place *m, uint32_t column, uint32_t row, float out[3])
{
    float p[2] = {(float)column + 0.5f, (float)row + 0.5f};
    float off_ring = fabsf(hypotf(p[0] - m->middle[0], p[1] - m->middle[1]) - m->radius);
    float off = fminf(off_ring, fmaxf(distance_to_line(m, p) - DOT * m->scale, 0));
    float half = fmaxf(0.5f * RING * m->scale, 0.5f);
    mix(out, white, 0.8f * covered(half + HALO * m->scale - off));
    mix(out, ring_colour, covered(half - off));
}

static uint8_t byte_of(float colour) { return (uint8_t)(fminf(fmaxf(colour, 0), 255) + 0.5f); }

void clash_mark_put(const raster *r, const clash_mark *mark, uint8_t *pixels)
{
    mark_place m = place_mark(r, mark);
    for (uint32_t row = 0; row < r->height; ++row)
        for (uint32_t column = 0; column < r->width; ++column) {
            uint8_t *pixel = pixels + ((size_t)row * r->width + column) * 3;
            float colour[3] = {(float)pixel[0], (float)pixel[1], (float)pixel[2]};
            put_mark(&m, column, row, colour);
            for (int i = 0; i < 3; ++i)
                pixel[i] = byte_of(colour[i]);
        }
}

uint8_t *clash_paint(const raster layers[LAYER_COUNT], const clash_mark *mark)
{
    const raster *r = &layers[LAYER_A];
    uint32_t finer = r->columns / r->width;
    mark_place m = place_mark(r, mark);
    uint8_t *pixels = malloc((size_t)r->width * r->height * 3);
    for (uint32_t row = 0; pixels != NULL && row < r->height; ++row)
        for (uint32_t column = 0; column < r->width; ++column) {
            float sum[3] = {0, 0, 0}, one[3];
            for (uint32_t k = 0; k < finer * finer; ++k) {
                size_t at = ((size_t)row * finer + k / finer) * r->columns +
                            (size_t)column * finer + k % finer;
                see(layers, at, one);
                for (int i = 0; i < 3; ++i)
                    sum[i] += one[i] / (float)(finer * finer);
            }
            put_mark(&m, column, row, sum);
            for (int i = 0; i < 3; ++i)
                pixels[((size_t)row * r->width + column) * 3 + (size_t)i] = byte_of(sum[i]);
        }
    return pixels;
}
