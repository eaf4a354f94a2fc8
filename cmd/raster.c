// See raster.h.
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINER = 2 };         // each pixel is drawn as so many by so many
#define MARGIN      0.03    // of the width, on each side
#define NOTHING     (-1.0f) // no triangle is here
#define LEAST_EDGES 8.0f    // triangles whose least height is below this have no edges drawn,
#define MOST_EDGES  40.0f   // and above this, dark ones
#define EDGE        1.1f    // half the width of an edge
#define BEYOND      0.01f   // triangles are so much larger, lest rounding leave holes between them
#define THROUGH     0.45f   // of a layer that is seen through another one
#define MOST_HEIGHT 4       // times the width

static void set_axes(raster_view view, bool z_up, double axis[3][3])
{
    static const double axes[][2][3] = {
        [VIEW_FRONT] = {{1, 0, 0}, {0, 1, 0}},
        [VIEW_BACK] = {{-1, 0, 0}, {0, 1, 0}},
        [VIEW_LEFT] = {{0, 0, 1}, {0, 1, 0}},
        [VIEW_RIGHT] = {{0, 0, -1}, {0, 1, 0}},
        [VIEW_TOP] = {{1, 0, 0}, {0, 0, -1}},
        [VIEW_BOTTOM] = {{1, 0, 0}, {0, 0, 1}},
        [VIEW_CORNER] = {{0.8, 0, -0.6}, {-0.3, 0.8660254037844386, -0.4}},
    };
    memcpy(axis[0], axes[view][0], sizeof axis[0]);
    memcpy(axis[1], axes[view][1], sizeof axis[1]);
    for (int n = 0; z_up && n < 2; ++n) {
        double y = axis[n][1];
        axis[n][1] = -axis[n][2];
        axis[n][2] = y;
    }
    for (int i = 0; i < 3; ++i)
        axis[2][i] = axis[0][(i + 1) % 3] * axis[1][(i + 2) % 3] -
                     axis[0][(i + 2) % 3] * axis[1][(i + 1) % 3];
}

bool raster_open(raster *r, const double low[3], const double high[3], raster_view view, bool z_up,
                 uint32_t width)
{
    double half[3];
    *r = (raster){.width = width, .columns = width * FINER};
    set_axes(view, z_up, r->axis);
    for (int i = 0; i < 3; ++i) {
        half[i] = 0;
        for (int k = 0; k < 3; ++k) {
            half[i] += fabs(r->axis[i][k]) * (high[k] * 0.5 - low[k] * 0.5);
            r->middle[i] += r->axis[i][k] * (high[k] * 0.5 + low[k] * 0.5);
        }
    }
    double share = half[0] > 0 ? half[1] / half[0] : half[1] > 0 ? MOST_HEIGHT : 1;
    share = fmin(fmax(share, 1.0 / 16), MOST_HEIGHT);
    double margin = MARGIN * width, inner = width - 2 * margin;
    double reach = fmax(half[0], half[1] / share);
    r->height = (uint32_t)ceil(inner * share + 2 * margin);
    r->rows = r->height * FINER;
    r->scale = reach > 0 ? inner * FINER / (2 * reach) : 1;
    r->pixel = FINER / r->scale;
    size_t count = (size_t)r->columns * r->rows;
    r->depth = malloc(count * sizeof *r->depth);
    r->shade = malloc(count * sizeof *r->shade);
    r->paints = malloc(count * sizeof *r->paints);
    bool taken = r->depth != NULL && r->shade != NULL && r->paints != NULL;
    for (size_t i = 0; taken && i < count; ++i) {
        r->depth[i] = -HUGE_VALF;
        r->shade[i] = NOTHING;
    }
    return taken;
}

void raster_close(raster *r)
{
    free(r->depth);
    free(r->shade);
    free(r->paints);
    *r = (raster){0};
}

void raster_place(const raster *r, const double point[3], float out[3])
{
    const double *to_right = r->axis[0], *up = r->axis[1], *near = r->axis[2];
    double x = 0, y = 0, z = 0;
    for (int k = 0; k < 3; ++k) {
        x += to_right[k] * point[k];
        y += up[k] * point[k];
        z += near[k] * point[k];
    }
    out[0] = (float)((x - r->middle[0]) * r->scale + r->columns * 0.5);
    out[1] = (float)((r->middle[1] - y) * r->scale + r->rows * 0.5);
    out[2] = (float)((z - r->middle[2]) * r->scale);
}

// The light comes from the left, above and before. Both sides of a triangle look alike.
static float shade_of(const float a[3], const float b[3], const float c[3])
{
    static const float light[3] = {-0.45f, -0.55f, 0.7f}; // rows count downward
    float e[3], f[3], n[3], length = 0, facing = 0;
    for (int i = 0; i < 3; ++i) {
        e[i] = b[i] - a[i];
        f[i] = c[i] - a[i];
    }
    for (int i = 0; i < 3; ++i) {
        n[i] = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
        length += n[i] * n[i];
    }
    if (!(length > 0))
        return 0.5f;
    for (int i = 0; i < 3; ++i)
        facing += n[i] * light[i] * (n[2] < 0 ? -1.0f : 1.0f);
    facing /= sqrtf(length);
    return 0.18f + 0.82f * (facing > 0 ? facing : 0.25f * -facing);
}

static uint32_t clamped(float x, uint32_t end)
{
    return !(x > 0) ? 0 : x < (float)end ? (uint32_t)x : end;
}

static float least3(float a, float b, float c) { return fminf(fminf(a, b), c); }
static float most3(float a, float b, float c) { return fmaxf(fmaxf(a, b), c); }

static void plot(raster *r, uint32_t column, uint32_t row, float z, float shade)
{
    size_t at = (size_t)row * r->columns + column;
    if (z > r->depth[at]) {
        r->depth[at] = z;
        r->shade[at] = shade;
        r->paints[at] = (uint8_t)r->paint;
    }
}

static void draw_line(raster *r, const float a[3], const float b[3], float shade)
{
    float longest = fmaxf(fabsf(b[0] - a[0]), fabsf(b[1] - a[1]));
    uint32_t steps = clamped(longest, r->columns + r->rows) + 1;
    for (uint32_t i = 0; i <= steps; ++i) {
        float t = (float)i / (float)steps, p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = a[k] + t * (b[k] - a[k]);
        if (p[0] >= 0 && p[1] >= 0 && p[0] < (float)r->columns && p[1] < (float)r->rows)
            plot(r, (uint32_t)p[0], (uint32_t)p[1], p[2], shade);
    }
}

void raster_draw(raster *r, const float a[3], const float b[3], const float c[3])
{
    const float *corner[3] = {a, b, c};
    float area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), most = 0;
    float shade = shade_of(a, b, c);
    int longest = 0;
    r->triangle_count++;
    if (!isfinite(area + a[2] + b[2] + c[2]))
        return;
    // The distance from each edge is linear: slope_x * x + slope_y * y + offset, positive inside.
    float slope_x[3], slope_y[3], offset[3], height[3];
    for (int k = 0; k < 3; ++k) {
        const float *p = corner[(k + 1) % 3], *q = corner[(k + 2) % 3];
        float x = q[0] - p[0], y = q[1] - p[1], length = sqrtf(x * x + y * y);
        longest = length > most ? k : longest;
        most = length > most ? length : most;
        float sign = (area > 0 ? 1.0f : -1.0f) / length;
        slope_x[k] = -y * sign;
        slope_y[k] = x * sign;
        offset[k] = (y * p[0] - x * p[1]) * sign;
        height[k] = fabsf(area) / length;
    }
    // What is thinner than what is drawn at once is a line, lest it vanish.
    if (!(fabsf(area) >= most)) {
        draw_line(r, corner[(longest + 1) % 3], corner[(longest + 2) % 3], shade);
        return;
    }
    float size = least3(height[0], height[1], height[2]);
    float dark = (size - LEAST_EDGES) / (MOST_EDGES - LEAST_EDGES);
    float edge = shade * (1 - 0.5f * fminf(fmaxf(dark, 0), 1));
    uint32_t left = clamped(least3(a[0], b[0], c[0]), r->columns);
    uint32_t right = clamped(most3(a[0], b[0], c[0]) + 1, r->columns);
    uint32_t top = clamped(least3(a[1], b[1], c[1]), r->rows);
    uint32_t bottom = clamped(most3(a[1], b[1], c[1]) + 1, r->rows);
    for (uint32_t row = top; row < bottom; ++row)
        for (uint32_t column = left; column < right; ++column) {
            float x = (float)column + 0.5f, y = (float)row + 0.5f, d[3], z = 0;
            for (int k = 0; k < 3; ++k) {
                d[k] = slope_x[k] * x + slope_y[k] * y + offset[k];
                z += d[k] / height[k] * corner[k][2];
            }
            float nearest = least3(d[0], d[1], d[2]);
            if (nearest >= -BEYOND)
                plot(r, column, row, z, nearest < EDGE ? edge : shade);
        }
}

// From the darkest to the brightest shade of each paint.
static const struct {
    float dark[3], bright[3];
} paints[] = {
    [PAINT_GREY] = {{22, 28, 40}, {236, 240, 246}}, // with a touch of blue
    [PAINT_PALE] = {{168, 172, 178}, {244, 245, 247}},
    [PAINT_CONTACT] = {{110, 0, 8}, {255, 36, 30}},
    [PAINT_OBJECT] = {{10, 40, 92}, {92, 160, 244}},
    [PAINT_OBJECT + 1] = {{8, 66, 34}, {96, 206, 124}},
    [PAINT_OBJECT + 2] = {{92, 62, 0}, {248, 196, 62}},
    [PAINT_OBJECT + 3] = {{58, 26, 96}, {184, 138, 240}},
    [PAINT_OBJECT + 4] = {{0, 68, 76}, {80, 212, 218}},
    [PAINT_OBJECT + 5] = {{72, 52, 34}, {202, 168, 128}},
    [PAINT_LEVEL] = {{40, 16, 84}, {164, 120, 236}},
    [PAINT_LEVEL + 1] = {{8, 36, 100}, {84, 148, 250}},
    [PAINT_LEVEL + 2] = {{0, 66, 72}, {64, 206, 210}},
    [PAINT_LEVEL + 3] = {{10, 70, 20}, {104, 214, 110}},
    [PAINT_LEVEL + 4] = {{96, 84, 0}, {250, 232, 80}},
    [PAINT_LEVEL + 5] = {{104, 48, 0}, {255, 160, 52}},
    [PAINT_LEVEL + 6] = {{104, 8, 8}, {244, 76, 64}},
    [PAINT_LEVEL + 7] = {{60, 40, 26}, {188, 146, 104}},
};

static size_t row_of(uint8_t paint)
{
    return paint < PAINT_LEVEL + PAINT_LEVELS ? paint : (size_t)paint - PAINT_LEVELS;
}

// On white.
static void add_colour(const raster *r, size_t at, float part, float sum[3])
{
    float shade = r->shade[at];
    for (int i = 0; i < 3; ++i) {
        float colour = 255.0f;
        if (shade != NOTHING) {
            size_t row = row_of(r->paints[at]);
            float dark = paints[row].dark[i], bright = paints[row].bright[i];
            colour = dark + (bright - dark) * shade;
        }
        sum[i] += part * colour;
    }
}

// The nearest layer, and through it the first one that is behind.
static void add_layers(const raster *layers, int count, size_t at, float sum[3])
{
    int front = 0, first = count;
    for (int i = count; i-- > 0;)
        if (layers[i].shade[at] != NOTHING) {
            if (first == count || layers[i].depth[at] >= layers[front].depth[at])
                front = i;
            first = i;
        }
    float part = first < front ? THROUGH : 0.0f;
    add_colour(&layers[front], at, 1.0f - part, sum);
    if (part > 0.0f)
        add_colour(&layers[first], at, part, sum);
}

uint8_t *raster_pixels_of(const raster *layers, int count)
{
    const raster *r = &layers[0];
    uint8_t *pixels = malloc((size_t)r->width * r->height * 3);
    for (uint32_t row = 0; pixels != NULL && row < r->height; ++row)
        for (uint32_t column = 0; column < r->width; ++column) {
            float sum[3] = {0, 0, 0};
            for (uint32_t k = 0; k < FINER * FINER; ++k)
                add_layers(layers, count,
                           ((size_t)row * FINER + k / FINER) * r->columns + (size_t)column * FINER +
                               k % FINER,
                           sum);
            uint8_t *pixel = pixels + ((size_t)row * r->width + column) * 3;
            for (int i = 0; i < 3; ++i)
                pixel[i] = (uint8_t)(sum[i] / (FINER * FINER) + 0.5f);
        }
    return pixels;
}

uint8_t *raster_pixels(const raster *r) { return raster_pixels_of(r, 1); }
