// Distances in many poses, on all threads. An answer has no lists, so that threads write it where
// the caller wants it.
#include "base/context.h"
#include "query/many_poses.h"

typedef struct many_distances {
    graze_posed a;
    const graze_shape *b;
    const graze_pose *poses;
    const graze_distance_def *def;
    graze_distance *distances;
} many_distances;

static graze_status answer_one(void *data, gz_worker *worker, uint64_t index)
{
    const many_distances *m = data;
    return graze_query_distance(worker->query, m->a, graze_at(m->b, &m->poses[index]), m->def,
                                &m->distances[index]);
}

graze_status graze_query_distance_many(graze_query *query, graze_posed a, const graze_shape *b,
                                       const graze_pose *poses, uint64_t pose_count,
                                       const graze_distance_def *def, graze_distance *distances)
{
    if (query == NULL || ((poses == NULL || distances == NULL) && pose_count != 0))
        return gz_fail_null(query == NULL ? NULL : query->context, "graze_query_distance_many");
    many_distances m = {.a = a, .b = b, .poses = poses, .def = def, .distances = distances};
    return gz_many_poses(query, "graze_query_distance_many", pose_count, answer_one, &m);
}
