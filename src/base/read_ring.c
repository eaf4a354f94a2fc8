// The calls of io_uring, and the two rings that are shared with the kernel. See read_ring.h.
#include "base/read_ring.h"

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/io_uring.h>)
#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __NR_io_uring_setup
#define HAS_RINGS 1
#endif
#endif
#endif

#ifdef HAS_RINGS

static void *share(int descriptor, size_t bytes, uint64_t what)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor,
                       (off_t)what);
    return block == MAP_FAILED ? NULL : block;
}

static uint32_t *word_at(const gz_read_ring *ring, uint32_t offset)
{
    return (uint32_t *)(void *)((char *)ring->block + offset);
}

bool gz_read_ring_open(uint32_t reads, gz_read_ring *ring)
{
    struct io_uring_params about;
    memset(&about, 0, sizeof about);
    *ring = (gz_read_ring){.descriptor = (int)syscall(__NR_io_uring_setup, reads, &about)};
    if (ring->descriptor < 0)
        return false;
    size_t send_bytes = about.sq_off.array + about.sq_entries * sizeof(uint32_t);
    size_t take_bytes = about.cq_off.cqes + about.cq_entries * sizeof(struct io_uring_cqe);
    if ((about.features & IORING_FEAT_SINGLE_MMAP) != 0) { // older ones are not worth the trouble
        ring->block_bytes = send_bytes > take_bytes ? send_bytes : take_bytes;
        ring->entry_bytes = about.sq_entries * sizeof(struct io_uring_sqe);
        ring->block = share(ring->descriptor, ring->block_bytes, IORING_OFF_SQ_RING);
        ring->entries = share(ring->descriptor, ring->entry_bytes, IORING_OFF_SQES);
    }
    if (ring->block == NULL || ring->entries == NULL) {
        gz_read_ring_close(ring);
        return false;
    }
    ring->send_tail = word_at(ring, about.sq_off.tail);
    ring->send_mask = word_at(ring, about.sq_off.ring_mask);
    ring->send_slots = word_at(ring, about.sq_off.array);
    ring->take_head = word_at(ring, about.cq_off.head);
    ring->take_tail = word_at(ring, about.cq_off.tail);
    ring->take_mask = word_at(ring, about.cq_off.ring_mask);
    ring->results = word_at(ring, about.cq_off.cqes);
    return true;
}

void gz_read_ring_close(gz_read_ring *ring)
{
    if (ring->entries != NULL)
        munmap(ring->entries, ring->entry_bytes);
    if (ring->block != NULL)
        munmap(ring->block, ring->block_bytes);
    if (ring->descriptor >= 0)
        close(ring->descriptor);
    *ring = (gz_read_ring){.descriptor = -1};
}

static long enter(const gz_read_ring *ring, uint32_t sent, uint32_t wanted)
{
    long result;
    do
        result = syscall(__NR_io_uring_enter, ring->descriptor, sent, wanted,
                         wanted != 0 ? IORING_ENTER_GETEVENTS : 0u, NULL, (size_t)0);
    while (result < 0 && errno == EINTR);
    return result;
}

// Each read is handed over at once, so that the ring never holds more than one that the kernel has
// not seen; that one can be taken back.
bool gz_read_ring_start(gz_read_ring *ring, int file, uint64_t offset, const struct iovec *room,
                        uint64_t name)
{
    uint32_t tail = *ring->send_tail, slot = tail & *ring->send_mask;
    struct io_uring_sqe *entry = (struct io_uring_sqe *)ring->entries + slot;
    memset(entry, 0, sizeof *entry);
    entry->opcode = IORING_OP_READV; // known to all kernels that have rings
    entry->fd = file;
    entry->off = offset;
    entry->addr = (uintptr_t)room;
    entry->len = 1;
    entry->user_data = name;
    ring->send_slots[slot] = slot;
    __atomic_store_n(ring->send_tail, tail + 1, __ATOMIC_RELEASE);
    if (enter(ring, 1, 0) == 1)
        return true;
    __atomic_store_n(ring->send_tail, tail, __ATOMIC_RELEASE);
    return false;
}

bool gz_read_ring_take(gz_read_ring *ring, uint64_t *name, int64_t *result)
{
    uint32_t head = *ring->take_head;
    if (head == __atomic_load_n(ring->take_tail, __ATOMIC_ACQUIRE))
        return false;
    const struct io_uring_cqe *got =
        (const struct io_uring_cqe *)ring->results + (head & *ring->take_mask);
    *name = got->user_data;
    *result = got->res;
    __atomic_store_n(ring->take_head, head + 1, __ATOMIC_RELEASE);
    return true;
}

void gz_read_ring_wait(gz_read_ring *ring) { (void)enter(ring, 0, 1); }

#else

bool gz_read_ring_open(uint32_t reads, gz_read_ring *ring)
{
    (void)reads;
    *ring = (gz_read_ring){.descriptor = -1};
    return false;
}

void gz_read_ring_close(gz_read_ring *ring) { (void)ring; }

bool gz_read_ring_start(gz_read_ring *ring, int file, uint64_t offset, const struct iovec *room,
                        uint64_t name)
{
    (void)ring, (void)file, (void)offset, (void)room, (void)name;
    return false;
}

bool gz_read_ring_take(gz_read_ring *ring, uint64_t *name, int64_t *result)
{
    (void)ring, (void)name, (void)result;
    return false;
}

void gz_read_ring_wait(gz_read_ring *ring) { (void)ring; }

#endif
