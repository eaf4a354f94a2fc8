// A cluster: up to about a thousand neighbouring triangles, of a file as read or of a coarser
// level, and the page that holds it in a file.
//
// Rules: numbers ascend; every vertex is named by a corner; no two vertices have the same bits; new
// vertices are named in the order of their own numbers.
#ifndef GZ_CLUSTER_H
#define GZ_CLUSTER_H

#include "boxtree/tree_recipe.h"
#include "model/sections.h"

#define GZ_CLUSTER_TRIANGLES 1024u
#define GZ_CLUSTER_VERTICES  (3 * GZ_CLUSTER_TRIANGLES)

typedef struct gz_cluster {
    graze_precision precision;
    uint32_t triangle_count, vertex_count;
    uint32_t number[GZ_CLUSTER_TRIANGLES]; // of triangles in the mesh
    uint16_t corner[GZ_CLUSTER_TRIANGLES][3];
    uint32_t step_count; // of the recipe of its tree; 0: it has none
    uint8_t step[GZ_RECIPE_STEPS(GZ_CLUSTER_TRIANGLES)];
    uint16_t leaf[GZ_CLUSTER_TRIANGLES]; // of triangles, in the recipe
    uint32_t spread_count; // leaves of the recipe, or 0: it has no spreads, as on the finest level
    uint8_t spread[GZ_CLUSTER_TRIANGLES]; // see gz_cluster_spreads
    union {
        float narrow[GZ_CLUSTER_VERTICES][3];
        double wide[GZ_CLUSTER_VERTICES][3];
    } position;
} gz_cluster;

// Makes a cluster of some triangles: records of soup.h, sorted by number here.
void gz_cluster_gather(gz_cluster *cluster, graze_precision precision, const uint8_t **records,
                       uint32_t count);

graze_box gz_cluster_box(const gz_cluster *cluster);

// Gives a cluster the recipe of the tree that is built of it. GRAZE_ERROR_MEMORY is told.
graze_status gz_cluster_keep_recipe(graze_context *context, gz_cluster *cluster);

// Spreads. Every point of the original surface that a coarse cluster stands for is within the
// spread of some leaf of a triangle of that leaf. They are kept as parts of 256 of the bound for
// all, the `forward` of the group that the cluster came from.
// @param out  room for spread_count numbers: the spread of each leaf, rounded up.
void gz_cluster_spreads(const gz_cluster *cluster, float forward, float *out);
// Gives a cluster that has a recipe its spreads, none of which is above `forward`.
void gz_cluster_keep_spreads(gz_cluster *cluster, float forward, const double *spread);
// How many leaves the recipe has, 0 where there is none.
uint32_t gz_cluster_leaf_count(const gz_cluster *cluster);

// The tree of a cluster, whose triangles have the numbers that they have in the mesh: by its
// recipe, if it has one. GRAZE_ERROR_FORMAT, without a sentence, if that makes no sense.
graze_status gz_cluster_make_tree(graze_context *context, const gz_cluster *cluster, gz_tree *tree);
#define GZ_NO_TREE "the tree of the page is none of its triangles"

// What writes pages, and what reads them. One a thread. False when out of memory; freeing accepts
// zero ones.
typedef struct gz_page_scratch gz_page_scratch;
typedef struct gz_page_writer {
    gz_section_packer packer;
    gz_page_scratch *scratch;
} gz_page_writer;
typedef struct gz_page_reader {
    gz_section_unpacker unpacker;
    gz_page_scratch *scratch;
} gz_page_reader;

bool gz_page_writer_init(graze_context *context, gz_page_writer *writer);
void gz_page_writer_free(gz_page_writer *writer);
bool gz_page_reader_init(graze_context *context, gz_page_reader *reader);
void gz_page_reader_free(gz_page_reader *reader);

// No page is larger: its head, up to five bytes a number, two a corner, eight a coordinate, one a
// step, two a triangle's leaf, one a leaf's spread, and the sizes of fifteen sections.
#define GZ_PAGE_MOST_BYTES                                                                         \
    (24u + 5 * GZ_CLUSTER_TRIANGLES + 2 * 3 * GZ_CLUSTER_TRIANGLES + 8 * 3 * GZ_CLUSTER_VERTICES + \
     GZ_RECIPE_STEPS(GZ_CLUSTER_TRIANGLES) + 3 * GZ_CLUSTER_TRIANGLES + 15 * 4)

// A page: a head of 24 bytes and packed sections. docs/format.md has the bytes. `page` is its
// number in the file, which its checksum knows. Appends; false when out of memory.
bool gz_cluster_write(const gz_cluster *cluster, uint32_t page, gz_page_writer *writer,
                      gz_byte_list *out);

// Gives a page the checksum that belongs to it; tests change pages.
void gz_page_seal(uint8_t *bytes, uint64_t byte_count, uint32_t page);

// What is wrong with a page, in words; NULL if nothing is, and the cluster is read.
// @param precision, number_limit  those of the model.
const char *gz_cluster_read(const uint8_t *bytes, uint64_t byte_count, uint32_t page,
                            graze_precision precision, uint64_t number_limit,
                            gz_page_reader *reader, gz_cluster *cluster);

#endif
