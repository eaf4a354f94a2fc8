// Reads that the kernel does while we go on: io_uring, by its system calls alone.
//
// Whoever uses a ring locks it. Only gz_read_ring_wait may be called without the lock, by one
// thread at a time, and nobody may take results meanwhile: it might wait for what they took.
#ifndef GZ_READ_RING_H
#define GZ_READ_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

typedef struct gz_read_ring {
    int descriptor; // plain data; the rest is shared with the kernel
    void *block, *entries;
    size_t block_bytes, entry_bytes;
    uint32_t *send_tail, *send_mask, *send_slots;
    uint32_t *take_head, *take_tail, *take_mask;
    void *results;
} gz_read_ring;

// For as many reads at a time, at most 4096. False where the system has no such thing, or does not
// let us.
bool gz_read_ring_open(uint32_t reads, gz_read_ring *ring);
// When no read is under way.
void gz_read_ring_close(gz_read_ring *ring);

// Starts a read; the room stays where it is until its result was taken. False when that fails.
bool gz_read_ring_start(gz_read_ring *ring, int file, uint64_t offset, const struct iovec *room,
                        uint64_t name);
// The next read that has ended: bytes that were read, or minus an errno. False if there is none.
bool gz_read_ring_take(gz_read_ring *ring, uint64_t *name, int64_t *result);
// Returns when there is one.
void gz_read_ring_wait(gz_read_ring *ring);

#endif
