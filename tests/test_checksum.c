// The checksum is the one that docs/format.md describes, and every bit counts.
#include "test.h"

#include "base/checksum.h"

// As docs/format.md has it, byte by byte.
static uint64_t described(uint64_t seed, const uint8_t *bytes, uint64_t count)
{
    uint64_t sum = seed ^ (count * UINT64_C(0xff51afd7ed558ccd));
    uint64_t whole = count / 8 * 8;
    for (uint64_t i = 0; i < whole; i += 8) {
        uint64_t number = 0;
        for (int k = 7; k >= 0; --k)
            number = number * 256 + bytes[i + (uint64_t)k];
        sum = (sum ^ number) * UINT64_C(0x9e3779b97f4a7c15);
        sum = sum ^ (sum >> 29);
    }
    for (uint64_t i = whole; i < count; ++i)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum ^ (sum >> 32);
}

static void it_is_as_described(void **state)
{
    (void)state;
    uint8_t bytes[100];
    for (uint64_t seed = 1; seed <= 2000; ++seed) {
        test_random random = {seed};
        for (size_t i = 0; i < sizeof bytes; ++i)
            bytes[i] = (uint8_t)test_next(&random);
        uint64_t first = seed % 9, count = test_next(&random) % (sizeof bytes - first);
        uint64_t with = seed % 3 == 0 ? 0 : test_next(&random);
        if (gz_checksum(with, bytes + first, count) != described(with, bytes + first, count))
            fail_msg("seed %d: %d bytes have another checksum", (int)seed, (int)count);
    }
    assert_int_equal(gz_checksum(0, "", 0), 0);
}

static void every_bit_counts(void **state)
{
    (void)state;
    uint8_t bytes[77] = {0};
    for (uint64_t count = 1; count <= sizeof bytes; ++count) {
        uint64_t plain = gz_checksum(5, bytes, count);
        assert_true(plain != gz_checksum(4, bytes, count));
        assert_true(plain != gz_checksum(5, bytes, count - 1));
        for (uint64_t bit = 0; bit < 8 * count; ++bit) {
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_true(plain != gz_checksum(5, bytes, count));
            bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_as_described),
        cmocka_unit_test(every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
