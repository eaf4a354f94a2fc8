// A queue of vertices, the least cost first, equal ones by number; costs may change at any time.
//
// A heap of four children a node. An entry is one number, with the bits of the cost (a float that
// is not negative, so bits order as numbers do) above those of the vertex: one comparison decides,
// ties included.
#ifndef GZ_VERTEX_QUEUE_H
#define GZ_VERTEX_QUEUE_H

#include <stdint.h>
#include <string.h>

#define GZ_QUEUE_NOWHERE UINT32_MAX

typedef struct gz_vertex_queue {
    uint64_t *entry; // room for all vertices
    uint32_t *place; // of each vertex in the heap, or GZ_QUEUE_NOWHERE
    uint32_t count;
} gz_vertex_queue;

static inline uint64_t gz_queue_entry(float cost, uint32_t vertex)
{
    uint32_t bits = 0;
    memcpy(&bits, &cost, sizeof bits);
    return (uint64_t)bits << 32 | vertex;
}
static inline uint32_t gz_queue_vertex(uint64_t entry) { return (uint32_t)entry; }
static inline float gz_queue_cost(uint64_t entry)
{
    uint32_t bits = (uint32_t)(entry >> 32);
    float cost = 0;
    memcpy(&cost, &bits, sizeof cost);
    return cost;
}

static inline void gz_queue_put(gz_vertex_queue *queue, uint32_t at, uint64_t entry)
{
    queue->entry[at] = entry;
    queue->place[gz_queue_vertex(entry)] = at;
}

static inline void gz_queue_rise(gz_vertex_queue *queue, uint32_t at, uint64_t entry)
{
    while (at != 0 && entry < queue->entry[(at - 1) / 4]) {
        gz_queue_put(queue, at, queue->entry[(at - 1) / 4]);
        at = (at - 1) / 4;
    }
    gz_queue_put(queue, at, entry);
}

static inline void gz_queue_sink(gz_vertex_queue *queue, uint32_t at, uint64_t entry)
{
    for (;;) {
        uint64_t first = 4 * (uint64_t)at + 1;
        if (first >= queue->count)
            break;
        const uint64_t *child = queue->entry + first;
        uint64_t least = 0;
        if (first + 4 <= queue->count) { // nearly always; without branches
            uint64_t left = child[1] < child[0], right = 2 + (child[3] < child[2]);
            least = child[right] < child[left] ? right : left;
        } else {
            for (uint64_t i = 1; first + i < queue->count; ++i)
                least = child[i] < child[least] ? i : least;
        }
        if (entry < child[least])
            break;
        gz_queue_put(queue, at, child[least]);
        least += first;
        at = (uint32_t)least;
    }
    gz_queue_put(queue, at, entry);
}

// Puts a vertex in that is not in, without order; gz_queue_sort makes it, after all are in.
static inline void gz_queue_add(gz_vertex_queue *queue, uint32_t vertex, float cost)
{
    gz_queue_put(queue, queue->count++, gz_queue_entry(cost, vertex));
}
static inline void gz_queue_sort(gz_vertex_queue *queue)
{
    for (uint32_t at = queue->count / 4 + 1; at-- != 0;)
        if (at < queue->count)
            gz_queue_sink(queue, at, queue->entry[at]);
}

// Puts a vertex in, or changes its cost.
static inline void gz_queue_set(gz_vertex_queue *queue, uint32_t vertex, float cost)
{
    uint64_t entry = gz_queue_entry(cost, vertex);
    uint32_t at = queue->place[vertex];
    if (at == GZ_QUEUE_NOWHERE)
        gz_queue_rise(queue, queue->count++, entry);
    else if (entry < queue->entry[at])
        gz_queue_rise(queue, at, entry);
    else
        gz_queue_sink(queue, at, entry);
}

// Takes a vertex out, if it is in.
static inline void gz_queue_remove(gz_vertex_queue *queue, uint32_t vertex)
{
    uint32_t at = queue->place[vertex];
    if (at == GZ_QUEUE_NOWHERE)
        return;
    queue->place[vertex] = GZ_QUEUE_NOWHERE;
    uint64_t last = queue->entry[--queue->count];
    if (at == queue->count)
        return;
    if (at != 0 && last < queue->entry[(at - 1) / 4])
        gz_queue_rise(queue, at, last);
    else
        gz_queue_sink(queue, at, last);
}

#endif
