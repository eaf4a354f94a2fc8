// What collide and distance share: two files become shapes in one unit of length, and a question is
// asked once, or once for each pose of a path.
#ifndef GRAZE_CMD_TWO_SHAPES_H
#define GRAZE_CMD_TWO_SHAPES_H

#include "graze/model.h"
#include "graze/query.h"
#include "json_out.h"
#include "pose_path.h"

typedef struct cmd_side {
    const char *path;   // as given
    graze_mesh *mesh;   // flat; NULL when the shape is made, unless its objects have names
    graze_model *model; // NULL: a mesh
    graze_shape *shape;
    const graze_object *objects; // in order of their triangles; NULL unless they have names
    uint64_t object_count;
    double metres_per_unit; // of the file, 0: unknown
    uint64_t triangle_count;
    graze_mesh_losses losses; // of reading it, or of reading what the model was built from
    graze_pose pose;
    bool cut_numbers; // the answer at hand has numbers of the model's cut: they name no objects
} cmd_side;

typedef struct two_shapes {
    cmd_session session;
    const cmd_arguments *arguments;
    cmd_side sides[2];
    bool same; // one file given twice: the second side borrows from the first
    bool names_wanted;
    bool failed;            // a question had no answer
    double metres_per_unit; // of the world, 0: unknown
    double scale;           // what the coordinates of b were multiplied with, to be in that unit
    graze_query *query;
    double read_seconds, build_seconds, ask_seconds; // the last of all poses
    uint64_t pose_count;
    graze_counters counters; // of all poses
} two_shapes;

// Reads, converts and builds. Says what is wrong and returns the exit code; 0 is good. In any case
// two_shapes_close must be called.
int two_shapes_open(two_shapes *two, const cmd_arguments *arguments, bool names_wanted);
// With --json, a failure also becomes an object on stdout.
void two_shapes_close(two_shapes *two, int code);

// A length of the command line in the unit of the world; *length stays as it is if not given.
int two_shapes_length(const two_shapes *two, option_id id, double *length);

#define POSE_BATCH 256 // at most so many poses are asked at once

// Answers for some poses of b, and prints the answers. Returns the largest of their exit codes.
// `at` is NULL, and the count 1, where no path was given: then poses are those of the sides.
typedef int ask_some(two_shapes *two, const path_pose *at, uint64_t count, void *data);
// Asks once, or for all poses of the path, until something fails.
int two_shapes_ask(two_shapes *two, ask_some *ask, void *data);
// One question about many poses of b.
typedef graze_status ask_many(two_shapes *two, const graze_pose *poses, uint64_t count, void *data);
// Asks it, for at most POSE_BATCH of them, on all threads. False if it failed, of which nothing is
// said: then the poses are to be asked again one by one, and the one to blame is found behind the
// answers to those before it. *seconds is the time of each.
bool two_shapes_ask_many(two_shapes *two, const path_pose *at, uint64_t count, ask_many *ask,
                         void *data, double *seconds);
void add_counters(graze_counters *sum, const graze_counters *more);
// Adds up what one answer cost.
void two_shapes_spent(two_shapes *two, double seconds, const graze_counters *counters);

// Before an answer with this error is printed: whose numbers are of cuts?
void two_shapes_reached(two_shapes *two, double error);

// What a failing question leads to. The input was wrong, not the command line.
int two_shapes_result(two_shapes *two, graze_status status);

// The path of a side without triangles, NULL if both have some.
const char *path_without_triangles(const two_shapes *two);

// The object that a triangle belongs to; NULL if objects have no names, or the number is of a cut.
const graze_object *find_object(const cmd_side *side, uint32_t triangle);

// "label", or the number of the line, padded.
void print_pose_name(const path_pose *at);

// The members that come first: the files, the unit, what is in them and what was left out; or line
// and label of the pose, and what was left out, if anything was.
void put_question(cmd_json *json, const two_shapes *two, const path_pose *at);
// With --stats, "stats" of one question.
void put_stats(cmd_json *json, const two_shapes *two, double seconds,
               const graze_counters *counters);
// {"a": 12, "b": 40}, with the objects they belong to where these have names.
void put_pair(cmd_json *json, const char *key, const two_shapes *two, const graze_pair *pair);
void print_object(const graze_object *object); // group/name; "-" for NULL
void print_stats(const two_shapes *two);       // as text, with --stats, if there was an answer

#endif
