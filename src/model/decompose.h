// Decomposition: triangles that come in the order of a curve through space become clusters of
// neighbours. Buckets of some ten thousand triangles are cut off where the curve leaves the largest
// cell, and halved along their longest axes until the pieces are small enough. Which triangles
// share a cluster depends on the triangles only.
#ifndef GZ_DECOMPOSE_H
#define GZ_DECOMPOSE_H

#include "model/cluster.h"
#include "model/soup.h"

#define GZ_BUCKET_LEAST 32768u
#define GZ_BUCKET_MOST  65536u
#define GZ_BUCKET_ROOM  (GZ_BUCKET_MOST + 1) // records that there is memory for

// Some triangles in the order of the curve.
typedef struct gz_bucket {
    uint8_t *records; // of soup.h
    uint32_t count;
} gz_bucket;

// Buckets, one after the other.
typedef struct gz_bucket_stream {
    gz_sorter *sorter;
    uint32_t record_bytes;
    const uint8_t *next; // what the sorter handed out
    uint64_t left;
    bool ended;
    gz_bucket rest; // read, and not handed out yet: up to GZ_BUCKET_ROOM
} gz_bucket_stream;

graze_status gz_bucket_stream_open(graze_context *context, gz_sorter *sorter,
                                   gz_bucket_stream *stream);
void gz_bucket_stream_close(graze_context *context, gz_bucket_stream *stream);
// `bucket` has room for GZ_BUCKET_ROOM records, which is taken for another one that has what is
// handed out; its count is 0 at the end.
graze_status gz_bucket_stream_next(gz_bucket_stream *stream, gz_bucket *bucket);

// Which triangles of a bucket share a cluster: cluster i has those from first[i] to first[i + 1] in
// order[0], which has places in the bucket. The rest is scratch.
typedef struct gz_bucket_cut {
    uint32_t cluster_count;
    uint32_t first[GZ_BUCKET_MOST + 1];
    uint32_t order[3][GZ_BUCKET_MOST];
    float middle[3][GZ_BUCKET_MOST];
    uint8_t below[GZ_BUCKET_MOST];
    uint8_t keys[2][GZ_BUCKET_MOST][8];
    uint32_t spare[GZ_BUCKET_MOST];
} gz_bucket_cut;

// Clusters have at most `limit` triangles, 1 to GZ_CLUSTER_TRIANGLES.
void gz_bucket_split(const gz_bucket *bucket, graze_precision precision, uint32_t limit,
                     gz_bucket_cut *cut);
// How many clusters a bucket gives.
uint32_t gz_bucket_clusters(uint32_t count, uint32_t limit);

#endif
