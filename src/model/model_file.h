// The file of a model, and what an open one holds. docs/format.md has the bytes.
//
// The file: a header of 256 bytes; pages, one after the other: those of the clusters of the finest
// level, and then, group by group and level by level, the page of the group and those of the
// clusters that it became; the lists of clusters, levels, groups, and members of groups; the
// objects. Numbers are little-endian; machines of the other kind do not open it.
#ifndef GZ_MODEL_FILE_H
#define GZ_MODEL_FILE_H

#include <pthread.h>

#include "base/file.h"
#include "boxtree/tree_frames.h"
#include "graze/model.h"
#include "model/cluster.h"
#include "model/part_boxes.h"

#define GZ_MODEL_MAGIC   GZ_OWN_MARK "M"
#define GZ_MODEL_VERSION 6

typedef struct gz_model_header {
    char magic[8];
    uint32_t version, precision;
    uint64_t file_bytes, triangle_count;
    uint32_t cluster_count, object_count; // clusters of the finest level
    uint64_t list_offset, list_bytes;     // of clusters, levels, groups and members
    uint64_t object_offset, object_bytes; // packed
    uint64_t object_room;                 // bytes when unpacked
    uint64_t list_sum, object_sum;        // checksums
    double metres_per_unit;
    double box[6]; // low ends, high ends
    uint64_t losses[5];
    uint32_t coarse_count; // clusters of the other levels
    uint32_t level_count, group_count, member_count;
    uint64_t unused[5];
    uint64_t own; // checksum of the header up to here
} gz_model_header;
_Static_assert(sizeof(gz_model_header) == 256, "a header of 256 bytes");

// A cluster in the list; those of a level stand together, the finest first.
typedef struct gz_cluster_entry {
    uint32_t byte_count;
    uint16_t triangle_count, vertex_count;
    float low[3], high[3]; // of its box, from the model's origin, rounded outward
} gz_cluster_entry;
_Static_assert(sizeof(gz_cluster_entry) == 32, "eight words");

// A level of detail: its clusters, and the groups that they form, which become the next level. The
// last level has none.
typedef struct gz_level_entry {
    uint32_t first_cluster, cluster_count;
    uint32_t first_group, group_count;
    uint64_t triangle_count;
} gz_level_entry;
#define GZ_LEVELS_MOST 64

// How coarse a group may be: after so many collapses of its list. No point of the original surface
// that the group stands for is farther than `forward` from it, and no point of it is farther than
// `backward` from the original surface. Steps get coarser, and both bounds never less: neither from
// step to step, nor from a group to those that what it became is a member of.
typedef struct gz_group_step {
    uint32_t collapse_count, triangle_count;
    float forward, backward;
} gz_group_step;
#define GZ_GROUP_STEPS 4

// An oriented box, see group_box.h: center + sum of axis[i] * t[i], |t[i]| <= half[i]. No point of
// it is farther than `reach` from the original surface. Where floats do not reach, it is infinite.
typedef struct gz_group_box {
    float center[3]; // relative to the origin of boxes
    float axis[3][3];
    float half[3];
    float reach;
} gz_group_box;

typedef struct gz_group_entry {
    uint32_t byte_count; // of its page
    uint32_t first_member, member_count;
    uint32_t vertex_count, triangle_count; // of the mesh of its members
    uint32_t first_cluster, cluster_count; // what its last step became
    uint32_t step_count;
    gz_group_step steps[GZ_GROUP_STEPS];
    gz_group_box box;
} gz_group_entry;
_Static_assert(sizeof(gz_group_entry) == 160, "40 words");

// The lists stand one behind the other, and the checksum of one begins with that of the one before.
typedef struct gz_list_sizes {
    uint64_t clusters, levels, groups, members; // bytes
} gz_list_sizes;
static inline gz_list_sizes gz_list_sizes_of(const gz_model_header *h)
{
    return (gz_list_sizes){
        ((uint64_t)h->cluster_count + h->coarse_count) * sizeof(gz_cluster_entry),
        h->level_count * sizeof(gz_level_entry), h->group_count * sizeof(gz_group_entry),
        h->member_count * sizeof(uint32_t)};
}

// An object in the unpacked section: then come the texts, each with a 0 behind it.
typedef struct gz_object_entry {
    uint64_t triangle_count;
    uint32_t name, group; // where they begin in the texts
} gz_object_entry;

#define GZ_OBJECT_LEAST_BYTES (sizeof(gz_object_entry) + 2) // and two texts
// Objects that pack better than this are stored as they are, so that a small file cannot ask for a
// lot of memory.
#define GZ_OBJECTS_MOST_RATIO 64u
// The objects, with names that belong to the block. Numbers of triangles run through them.
typedef struct gz_model_objects {
    graze_object *objects;
    uint64_t object_count;
    void *block;
    uint64_t block_bytes;
} gz_model_objects;

struct graze_model {
    graze_context *context;
    uint64_t serial; // no other model of the context has or had it
    gz_file file;
    char *path;
    gz_model_header header;
    double origin[3];
    // The lists, as they stand in the file, in one block.
    gz_cluster_entry *clusters; // of all levels
    gz_level_entry *levels;
    gz_group_entry *groups;
    uint32_t *members;        // of groups
    uint64_t *offsets;        // of the pages of clusters
    uint64_t *group_offsets;  // of the pages of groups
    uint32_t *producers;      // the group that each cluster of a coarser level came from
    uint32_t *consumers;      // the group that each cluster is a member of; UINT32_MAX: none
    gz_part_boxes boxes;      // of the clusters of the finest level
    struct gz_cache *cache;   // the context's
    struct gz_lod_cuts *cuts; // of lod_cut.h
    pthread_mutex_t object_lock;
    gz_model_objects objects; // once they were asked for
    bool objects_read;
};

// From a file that is open already, such as a window of a larger one; the model has it from here
// on. NULL: the file of the path, which is named in messages either way.
graze_status gz_model_open_file(graze_context *context, const char *path, const gz_file *file,
                                graze_model **model);
// From bytes in memory, which stay while the model is open; called `name` in messages.
graze_status gz_model_open_memory(graze_context *context, const char *name, const void *bytes,
                                  uint64_t byte_count, graze_model **model);
// Whether the sizes of the lists are those of their counts.
bool gz_lists_fit(const gz_model_header *header);
// Reads the lists, checks them, and finds where pages begin.
graze_status gz_lists_read(graze_model *model);
void gz_lists_free(graze_model *model);            // also where they were not read
uint64_t gz_lists_bytes(const graze_model *model); // of memory

// The middle of the model's box, from which boxes of clusters are measured.
void gz_model_origin(const gz_model_header *header, double origin[3]);

gz_cluster_entry gz_cluster_entry_make(const gz_cluster *cluster, const double origin[3]);

// Reads a cluster from its page, if that is NULL from the file. `bytes` is room for the page. Logs
// what is wrong with it.
graze_status gz_model_read_cluster(graze_model *model, uint32_t number, const uint8_t *page,
                                   gz_page_reader *reader, gz_byte_list *bytes,
                                   gz_cluster *cluster);
// The same in two steps, for threads that read many: a page that is wrong gives GRAZE_ERROR_FORMAT
// and *wrong says why, else that is NULL; logging it comes later, and returns that status.
graze_status gz_model_try_cluster(graze_model *model, uint32_t number, gz_page_reader *reader,
                                  gz_byte_list *bytes, gz_cluster *cluster, const char **wrong);
graze_status gz_model_page_fails(graze_model *model, uint32_t number, const char *wrong);

graze_status gz_model_read_objects(graze_model *model, gz_model_objects *out);
void gz_model_free_objects(graze_context *context, gz_model_objects *objects);

// For tests: gives a changed file the checksums that belong to it, pages included.
void gz_model_file_seal(uint8_t *bytes, uint64_t byte_count);

#endif
