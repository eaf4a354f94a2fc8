// The kernel's ring: every read ends once, with its own bytes and name, and says what went wrong.
// Where there is no ring to be had there is nothing to test.
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/read_ring.h"

enum { READS = 8, BYTES = 5000, TURNS = 20 };

static gz_read_ring ring;

static void open_or_skip(void)
{
    if (!gz_read_ring_open(READS, &ring))
        skip();
}

static int numbered_file(void)
{
    char path[] = "/tmp/graze-ring-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    unlink(path);
    for (uint32_t i = 0; i < READS * TURNS * BYTES / 4; ++i)
        assert_int_equal(write(file, &i, sizeof i), sizeof i);
    return file;
}

static int64_t next_result(uint64_t *name)
{
    int64_t result = 0;
    while (!gz_read_ring_take(&ring, name, &result))
        gz_read_ring_wait(&ring);
    return result;
}

static void test_reads(void **state)
{
    (void)state;
    static uint32_t room[READS][BYTES / 4];
    struct iovec where[READS];
    open_or_skip();
    int file = numbered_file();
    for (uint32_t turn = 0; turn < TURNS; ++turn) {
        uint32_t seen = 0;
        for (uint32_t i = 0; i < READS; ++i) {
            where[i] = (struct iovec){room[i], BYTES};
            assert_true(gz_read_ring_start(&ring, file, (turn * READS + i) * (uint64_t)BYTES,
                                           &where[i], 100 + i));
        }
        for (uint32_t i = 0; i < READS; ++i) {
            uint64_t name = 0;
            assert_int_equal(next_result(&name), BYTES);
            assert_true(name >= 100 && name < 100 + READS && (seen >> (name - 100) & 1) == 0);
            seen |= 1u << (name - 100);
        }
        for (uint32_t i = 0; i < READS * BYTES / 4; ++i)
            assert_int_equal(room[i / (BYTES / 4)][i % (BYTES / 4)], turn * READS * BYTES / 4 + i);
        uint64_t none;
        int64_t result;
        assert_false(gz_read_ring_take(&ring, &none, &result));
    }
    close(file);
    gz_read_ring_close(&ring);
}

static void test_ends_and_errors(void **state)
{
    (void)state;
    char room[64];
    struct iovec where = {room, sizeof room};
    uint64_t name = 0;
    open_or_skip();
    int file = numbered_file();
    uint64_t end = (uint64_t)READS * TURNS * BYTES;
    assert_true(gz_read_ring_start(&ring, file, end - 10, &where, 1));
    assert_int_equal(next_result(&name), 10);
    assert_true(gz_read_ring_start(&ring, file, end, &where, 2));
    assert_int_equal(next_result(&name), 0);
    close(file);
    assert_true(gz_read_ring_start(&ring, file, 0, &where, 3));
    assert_int_equal(next_result(&name), -EBADF);
    assert_int_equal(name, 3);
    gz_read_ring_close(&ring);
    gz_read_ring_close(&ring); // once more does no harm
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_ends_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
