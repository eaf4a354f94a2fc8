// Questions about many poses, on all threads of the context. Poses are handed out in runs, so that
// threads seldom meet; each thread has a query of its own, which stays with the one that was asked.
#ifndef GZ_MANY_POSES_H
#define GZ_MANY_POSES_H

#include "query/query_scratch.h"

// Answers for pose `index` with worker->query.
typedef graze_status gz_pose_answer(void *data, gz_worker *worker, uint64_t index);

// Calls it for every index below `count`, until one fails. The status is that of the first worker
// that failed. What workers keep of their answers is left to the caller, and there until the next
// call.
// @param who  the function that was called, for messages.
graze_status gz_many_poses(graze_query *query, const char *who, uint64_t count,
                           gz_pose_answer *answer, void *data);

#endif
