// Bodies on paths. See path.h.
#include "sim/path.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "geometry/pose.h"
#include "sim/rotation.h"

graze_status gz_path_check(graze_context *context, const char *name, const graze_body_def *def)
{
    if (def->path == NULL || def->path_count == 0)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT, "body %s: its path has no poses", name);
    for (uint64_t i = 0; i < def->path_count; ++i) {
        const graze_waypoint *w = &def->path[i];
        if (!gz_pose_sound(&w->pose) || !isfinite(w->time))
            return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                           "body %s: pose %llu of its path is none, or its time is not finite",
                           name, (unsigned long long)i);
        if (i > 0 && !(w->time > w[-1].time))
            return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                           "body %s: its path goes back in time at pose %llu", name,
                           (unsigned long long)i);
    }
    return GRAZE_OK;
}

graze_status gz_path_copy(graze_context *context, const graze_body_def *def, gz_body *body)
{
    body->path = GZ_NEW_ARRAY(context, graze_waypoint, def->path_count);
    if (body->path == NULL)
        return gz_fail(context, GRAZE_ERROR_MEMORY, "out of memory for a path");
    memcpy(body->path, def->path, (size_t)def->path_count * sizeof *def->path);
    body->path_count = def->path_count;
    return GRAZE_OK;
}

static void path_at(const gz_body *body, double clock, double center[3], double turn[4])
{
    const graze_waypoint *path = body->path;
    uint64_t next = 0;
    while (next < body->path_count && path[next].time <= clock)
        ++next;
    const graze_waypoint *from = &path[next == 0 ? 0 : next - 1];
    const graze_waypoint *to = &path[next == body->path_count ? next - 1 : next];
    double seconds = to->time - from->time, part = seconds > 0 ? (clock - from->time) / seconds : 0;
    double first[4], last[4], spin[3];
    gz_turn_of_matrix(from->pose.rotation, first);
    gz_turn_of_matrix(to->pose.rotation, last);
    gz_turn_between(first, last, spin);
    gz_turn_by(spin, part, first, turn);
    for (int i = 0; i < 3; ++i)
        center[i] = from->pose.translation[i] +
                    part * (to->pose.translation[i] - from->pose.translation[i]);
}

void gz_path_place(gz_body *body) { path_at(body, body->clock, body->center, body->turn); }

void gz_path_begin(gz_body *body, double seconds)
{
    gz_course *c = &body->course;
    double center[3], turn[4];
    *c = (gz_course){.begin = 0};
    memcpy(c->center, body->center, sizeof c->center);
    memcpy(c->turn, body->turn, sizeof c->turn);
    path_at(body, body->clock + seconds, center, turn);
    gz_turn_between(body->turn, turn, c->spin);
    for (int i = 0; i < 3; ++i) {
        c->velocity[i] = (center[i] - body->center[i]) / seconds;
        c->spin[i] /= seconds;
        body->velocity[i] = c->velocity[i];
    }
}
