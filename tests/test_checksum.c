// The checksum is the one that docs/format.md names, and every bit counts.
#include "test.h"

#include "base/checksum.h"

// What XXH3 is known to give for the first bytes of a fixed sequence, one length for each way that
// it takes, without a seed and with one. Files depend on it, whatever header was compiled in.
static const struct {
    uint64_t count, plain, seeded;
} known[] = {
    {0, 0x2d06800538d394c2, 0xa8a6b918b2f0364a},    {1, 0xc44bdff4074eecdb, 0x032be332dd766ef8},
    {6, 0x27b56a84cd2d7325, 0x84589c116ab59ab9},    {12, 0xa713daf0dfbb77e7, 0xe7303e1b2336de0e},
    {24, 0xa3fe70bf9d3510eb, 0x850e80fc35bdd690},   {48, 0x397da259ecba1f11, 0xadc2cbaa44acc616},
    {80, 0xbcdefbbb2c47c90a, 0xc6dd0cb699532e73},   {195, 0xcd94217ee362ec3a, 0xba68003d370cb3d9},
    {403, 0xcdeb804d65c6dea4, 0x6259f6ecfd6443fd},  {512, 0x617e49599013cb6b, 0x3ce457de14c27708},
    {2048, 0xdd59e2c3a5f038e0, 0x66f81670669ababc}, {2240, 0x6e73a90539cf2948, 0x757ba8487d1b5247},
    {2367, 0xcb37aeb9e5d361ed, 0xd2db3415b942b42a},
};

static void it_is_the_known_one(void **state)
{
    (void)state;
    static uint8_t bytes[2367];
    const uint64_t factor = UINT64_C(0x9e3779b185ebca8d);
    uint64_t next = UINT64_C(0x9e3779b1);
    for (size_t i = 0; i < sizeof bytes; ++i, next *= factor)
        bytes[i] = (uint8_t)(next >> 56);
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        uint64_t plain = gz_checksum(0, bytes, known[i].count);
        uint64_t seeded = gz_checksum(factor, bytes, known[i].count);
        if (plain != known[i].plain || seeded != known[i].seeded)
            fail_msg("%d bytes: 0x%016llx and 0x%016llx", (int)known[i].count,
                     (unsigned long long)plain, (unsigned long long)seeded);
    }
    assert_true(gz_checksum(0, NULL, 0) == known[0].plain);
}

// Wherever the bytes lie.
static void places_do_not_matter(void **state)
{
    (void)state;
    uint8_t bytes[700], moved[700 + 64];
    test_random random = {3};
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (uint8_t)test_next(&random);
    for (uint64_t i = 0; i < 2000; ++i) {
        uint64_t count = test_next(&random) % sizeof bytes, place = i % 64;
        memcpy(moved + place, bytes, count);
        assert_true(gz_checksum(i, moved + place, count) == gz_checksum(i, bytes, count));
    }
}

static void every_bit_counts(void **state)
{
    (void)state;
    uint8_t bytes[300] = {0};
    for (uint64_t count = 1; count <= sizeof bytes; count += count < 80 ? 1 : 37) {
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
        cmocka_unit_test(it_is_the_known_one),
        cmocka_unit_test(places_do_not_matter),
        cmocka_unit_test(every_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
