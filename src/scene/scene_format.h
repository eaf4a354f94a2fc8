// The file of a scene, and what an open one holds. docs/format.md has the bytes.
//
// The file: a header of 256 bytes; bodies, one after the other; the directory: a table of bodies, a
// table of objects, and texts. A body is a model, as model_file.h has it, and a point of each of
// its components. Bodies stand in the order of where the first objects that have them are. Numbers
// are little-endian; machines of the other kind do not open it.
#ifndef GZ_SCENE_FORMAT_H
#define GZ_SCENE_FORMAT_H

#include <pthread.h>

#include "base/file.h"
#include "base/memory.h"
#include "scene/scene_file.h"

#define GZ_SCENE_VERSION 1

typedef struct gz_scene_header {
    char magic[8];
    uint32_t version, body_count, object_count, unused;
    uint64_t file_bytes, directory_offset, text_bytes;
    uint64_t directory_sum; // checksum
    double metres_per_unit;
    uint64_t losses[5];
    uint64_t more_unused[18];
    uint64_t own; // checksum of the header up to here
} gz_scene_header;
_Static_assert(sizeof(gz_scene_header) == 256, "a header of 256 bytes");

#define GZ_SCENE_POINT_BYTES (3 * sizeof(double))
// The checksum of points is made of so many at a time, each with that of those before as seed.
#define GZ_POINTS_SUMMED 512u
uint64_t gz_points_sum(uint64_t seed, const void *points, uint64_t count);

typedef struct gz_scene_body {
    uint64_t offset; // of the model; the points follow it
    uint64_t model_bytes, point_count;
    uint64_t triangle_count;
    uint64_t hash;      // of its triangles, see gz_body_hash
    uint64_t point_sum; // checksum
    uint32_t cluster_count;
    uint16_t precision, closed;
    double box[6]; // low ends, high ends; zeros without triangles
} gz_scene_body;
_Static_assert(sizeof(gz_scene_body) == 104, "no gaps");

typedef struct gz_scene_entry { // of an object
    uint32_t name, group;       // where they begin in the texts
    uint32_t body, unused;
    graze_pose pose;
} gz_scene_entry;
_Static_assert(sizeof(gz_scene_entry) == 112, "no gaps");

static inline uint64_t gz_scene_body_bytes(const gz_scene_body *body)
{
    return body->model_bytes + body->point_count * GZ_SCENE_POINT_BYTES;
}

// Small bodies that stand side by side come by one read.
#define GZ_BUNDLE_BODY_BYTES (UINT64_C(64) << 10)  // of bodies that are in one
#define GZ_BUNDLE_MOST_BYTES (UINT64_C(256) << 10) // of all of it

typedef struct gz_scene_bundle {
    uint32_t first_body, body_count;
    uint32_t users;   // open bodies, and those that are being opened or closed
    uint32_t leaving; // of them, those that are being closed
    bool ready, failed;
    uint8_t *bytes;
    uint64_t byte_count;
} gz_scene_bundle;

typedef struct gz_open_body {
    uint32_t number, pins;
    bool opening, leaving;
    gz_scene_bundle *bundle; // NULL: it is in none
    graze_model *model;
    graze_shape *shape;
    uint64_t bytes;                     // of memory
    struct gz_open_body *older, *newer; // among those that nobody has pinned
} gz_open_body;

struct gz_scene_file {
    graze_context *context;
    char *path;
    gz_file file;
    gz_scene_header header;
    uint8_t *directory; // as it stands in the file
    uint64_t directory_bytes;
    const gz_scene_body *bodies;
    const gz_scene_entry *objects;
    const char *texts;
    uint32_t *bundle_first; // the first body of the bundle of each; UINT32_MAX: it is in none
    // What is open, under the lock.
    pthread_mutex_t lock;
    pthread_cond_t change;         // a body or a bundle has come
    gz_open_body **open;           // of each body; NULL: it is not
    gz_scene_bundle **bundles;     // of each first body of a bundle; NULL: it is not there
    gz_open_body *oldest, *newest; // of those that nobody has pinned
    uint64_t open_bytes;           // of all, and of bundles
    uint64_t open_limit;
    uint64_t read_count; // bundles, and bodies that are in none
};

// From a file that is open already, and is the scene's from here on, or closed where that fails.
graze_status gz_scene_file_open_file(graze_context *context, const char *path, gz_file *file,
                                     gz_scene_file **scene);

// Fills in what follows from the table of bodies. False when out of memory.
bool gz_scene_pins_make(gz_scene_file *file);
void gz_scene_pins_free(gz_scene_file *file); // closes all; accepts what was not made

#endif
