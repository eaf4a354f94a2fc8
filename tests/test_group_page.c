// Pages of groups: collapses come back as they were; damaged pages, and collapses that cannot be,
// are refused; and what the mesh of a group is after some of them.
#include "test.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/context.h"
#include "base/knobs.h"
#include "model/group_mesh.h"
#include "model/group_page.h"

enum { HEAD = 16, GROUP = 7, MOST = 3000 };
static gz_collapse collapses[MOST];

// Sound ones: the vertices go one by one, each onto one that is left. Needs count < vertex_count.
static void make_collapses(uint64_t seed, uint32_t count, uint32_t vertex_count)
{
    test_random random = {.state = seed};
    uint32_t *left = test_malloc(vertex_count * sizeof *left);
    for (uint32_t i = 0; i < vertex_count; ++i)
        left[i] = i;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = (uint32_t)(test_next(&random) % (vertex_count - i));
        collapses[i].from = left[at];
        left[at] = left[vertex_count - i - 1];
        collapses[i].to = left[test_next(&random) % (vertex_count - i - 1)];
    }
    test_free(left);
}

typedef struct page {
    graze_context *context;
    gz_section_packer packer;
    gz_section_unpacker unpacker;
    gz_byte_list bytes;
    gz_collapse_list back;
} page;

static void page_open(page *p)
{
    *p = (page){.context = test_context(NULL)};
    assert_true(gz_section_packer_init(p->context, &p->packer));
    assert_true(gz_section_unpacker_init(p->context, &p->unpacker));
}

static void page_close(page *p)
{
    gz_section_packer_free(&p->packer);
    gz_section_unpacker_free(&p->unpacker);
    gz_list_free(p->context, &p->bytes);
    gz_list_free(p->context, &p->back);
    test_context_done(p->context);
}

static void page_write(page *p, uint32_t count)
{
    p->bytes.count = 0;
    assert_true(gz_group_page_write(&p->packer, collapses, count, &p->bytes));
    gz_group_page_seal(p->bytes.items, p->bytes.count, GROUP);
}

static const char *page_read(page *p, uint32_t group, uint32_t count, uint32_t vertex_count)
{
    p->back.count = 0;
    return gz_group_page_read(&p->unpacker, p->bytes.items, p->bytes.count, group, count,
                              vertex_count, &p->back);
}

static void check_back(const page *p, uint32_t count)
{
    assert_int_equal(p->back.count, count);
    if (count != 0)
        assert_memory_equal(p->back.items, collapses, count * sizeof *collapses);
}

static void expect(const char *wrong, const char *words)
{
    if (wrong == NULL || strstr(wrong, words) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", words, wrong == NULL ? "nothing is wrong" : wrong);
}

static void there_and_back(void **state)
{
    (void)state;
    static const uint32_t vertex_counts[] = {1, 2, 3, 255, 256, 257, 65536, 65537, 100000};
    page p;
    page_open(&p);
    for (size_t v = 0; v < sizeof vertex_counts / sizeof *vertex_counts; ++v)
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            uint32_t most = vertex_counts[v] - 1 < MOST ? vertex_counts[v] - 1 : MOST;
            uint32_t count = seed == 1 ? 0 : seed == 2 ? most : (uint32_t)(seed * 97 % (most + 1));
            make_collapses(seed, count, vertex_counts[v]);
            page_write(&p, count);
            assert_true(p.bytes.count <= GZ_GROUP_PAGE_MOST_BYTES(count));
            assert_null(page_read(&p, GROUP, count, vertex_counts[v]));
            check_back(&p, count);
        }
    page_close(&p);
}

// The highest vertices that there may be, and what is written is appended.
static void the_largest_numbers(void **state)
{
    (void)state;
    page p;
    page_open(&p);
    for (uint32_t i = 0; i < 100; ++i)
        collapses[i] = (gz_collapse){GZ_GROUP_MOST_VERTICES - 1 - i, GZ_GROUP_MOST_VERTICES - 200};
    memset(gz_list_push(p.context, &p.bytes, 5), 0x55, 5);
    assert_true(gz_group_page_write(&p.packer, collapses, 100, &p.bytes));
    uint8_t *bytes = p.bytes.items;
    for (int i = 0; i < 5; ++i)
        assert_int_equal(bytes[i], 0x55);
    gz_group_page_seal(bytes + 5, p.bytes.count - 5, GROUP);
    *(gz_collapse *)gz_list_push(p.context, &p.back, 1) = (gz_collapse){3, 4};
    assert_null(gz_group_page_read(&p.unpacker, bytes + 5, p.bytes.count - 5, GROUP, 100,
                                   GZ_GROUP_MOST_VERTICES, &p.back));
    const gz_collapse *back = p.back.items;
    assert_int_equal(p.back.count, 101);
    assert_true(back[0].from == 3 && back[0].to == 4);
    assert_memory_equal(back + 1, collapses, 100 * sizeof *collapses);
    page_close(&p);
}

// Without a new checksum each change is noticed; with one, what is read can be done.
static void changed_bytes(void **state)
{
    (void)state;
    enum { COUNT = 300, VERTICES = 700 };
    page p;
    page_open(&p);
    make_collapses(3, COUNT, VERTICES);
    page_write(&p, COUNT);
    uint64_t size = p.bytes.count, sound = 0;
    uint8_t *good = test_malloc(size), *bytes = p.bytes.items;
    memcpy(good, bytes, size);
    for (uint64_t at = 0; at < size; ++at)
        for (int bit = 0; bit < 8; ++bit) {
            bytes[at] ^= (uint8_t)(1 << bit);
            assert_non_null(page_read(&p, GROUP, COUNT, VERTICES));
            gz_group_page_seal(bytes, size, GROUP);
            if (page_read(&p, GROUP, COUNT, VERTICES) == NULL) {
                static uint8_t gone[VERTICES];
                const gz_collapse *back = p.back.items;
                memset(gone, 0, sizeof gone);
                assert_int_equal(p.back.count, COUNT);
                for (uint32_t i = 0; i < COUNT; ++i) {
                    assert_true(back[i].from < VERTICES && back[i].to < VERTICES);
                    assert_true(back[i].from != back[i].to && !gone[back[i].from] &&
                                !gone[back[i].to]);
                    gone[back[i].from] = 1;
                }
                ++sound;
            }
            memcpy(bytes, good, size);
        }
    assert_true(sound < 8 * size / 2);
    test_free(good);
    page_close(&p);
}

static void other_pages(void **state)
{
    (void)state;
    page p;
    page_open(&p);
    make_collapses(1, 100, 300);
    page_write(&p, 100);
    expect(page_read(&p, GROUP + 1, 100, 300), "its checksum is another one");
    expect(page_read(&p, GROUP, 99, 300), "another number of collapses");
    expect(page_read(&p, GROUP, 101, 300), "another number of collapses");
    expect(page_read(&p, GROUP, 100, 100), "another number of collapses");
    for (uint64_t cut = 0; cut < p.bytes.count; ++cut) // cut off, and then made to look right
        for (int sealed = 0; sealed < 2; ++sealed) {
            uint8_t *part = test_malloc(cut + 1);
            memcpy(part, p.bytes.items, cut);
            if (sealed && cut >= HEAD) {
                gz_put_u32(part + 4, (uint32_t)cut, false);
                gz_group_page_seal(part, cut, GROUP);
            }
            p.back.count = 0;
            expect(gz_group_page_read(&p.unpacker, part, cut, GROUP, 100, 300, &p.back),
                   sealed && cut >= HEAD ? "do not unpack" : "another size than it says");
            test_free(part);
        }
    uint8_t *more = gz_list_push(p.context, &p.bytes, 1);
    *more = 0;
    gz_put_u32((uint8_t *)p.bytes.items + 4, (uint32_t)p.bytes.count, false);
    gz_group_page_seal(p.bytes.items, p.bytes.count, GROUP);
    expect(page_read(&p, GROUP, 100, 300), "bytes behind its end");
    page_close(&p);
}

// Pages that are whole and sealed, with collapses that cannot be done.
static void impossible_collapses(void **state)
{
    (void)state;
    page p;
    page_open(&p);
    for (uint64_t seed = 1; seed <= 40; ++seed)
        for (int kind = 0; kind < 6; ++kind) {
            enum { COUNT = 50, VERTICES = 120 };
            test_random random = {.state = seed};
            make_collapses(seed, COUNT, VERTICES);
            uint32_t i = 1 + (uint32_t)(test_next(&random) % (COUNT - 1));
            uint32_t earlier = (uint32_t)(test_next(&random) % i);
            uint32_t beyond = seed % 2 == 0 ? VERTICES : GZ_GROUP_MOST_VERTICES - 1;
            switch (kind) {
            case 0: collapses[i].from = beyond; break;
            case 1: collapses[i].to = beyond; break;
            case 2: collapses[i].from = collapses[earlier].from; break; // moved twice
            case 3: collapses[i].to = collapses[earlier].from; break;   // onto one that is gone
            case 4: collapses[i].to = collapses[i].from; break;
            default: break;
            }
            page_write(&p, COUNT);
            const char *wrong = page_read(&p, GROUP, COUNT, VERTICES);
            if (kind == 5)
                assert_null(wrong);
            else
                expect(wrong, "names a vertex that is not there");
        }
    page_close(&p);
}

// A list that gets no more room than it needs is no failure.
static void memory_that_fails(void **state)
{
    (void)state;
    enum { COUNT = 500, VERTICES = 2000 };
    int64_t failed = 0;
    make_collapses(8, COUNT, VERTICES);
    for (int reading = 0; reading < 2; ++reading) {
        bool reached = true;
        for (int64_t n = 0; reached; ++n) {
            page p;
            page_open(&p);
            if (reading)
                page_write(&p, COUNT);
            atomic_store(&gz_knobs_for(p.context)->allocations_left, n);
            const char *wrong = "";
            if (reading)
                wrong = page_read(&p, GROUP, COUNT, VERTICES);
            else if (gz_group_page_write(&p.packer, collapses, COUNT, &p.bytes))
                wrong = NULL;
            reached = atomic_exchange(&gz_knobs_for(p.context)->allocations_left, -1) < 0;
            assert_true(reached || wrong == NULL);
            failed += wrong != NULL;
            if (wrong != NULL)
                assert_string_equal(wrong, "");
            if (wrong == NULL && !reading) {
                gz_group_page_seal(p.bytes.items, p.bytes.count, GROUP);
                assert_null(page_read(&p, GROUP, COUNT, VERTICES));
            }
            if (wrong == NULL)
                check_back(&p, COUNT);
            page_close(&p);
        }
    }
    assert_true(failed > 3);
}

// A strip of triangles, with a hair and a dot in the middle. Both are there until the ends of the
// hair meet, and come last; where they are more than an eighth, they are gone at once.
static void hairs_and_dots(void **state)
{
    (void)state;
    enum { STRIP = 14 };
    static double position[STRIP + 4][3];
    uint32_t corner[STRIP + 2][3], place[STRIP + 4], now[STRIP + 2][3], kept[STRIP + 2];
    for (uint32_t t = 0, n = 0; t < STRIP + 2; ++t) {
        const uint32_t a = STRIP + 2, b = STRIP + 3;
        const uint32_t hair[3] = {a, b, a}, dot[3] = {b, b, b}, strip[3] = {n, n + 1, n + 2};
        memcpy(corner[t], t == 5 ? hair : t == 9 ? dot : strip, sizeof strip);
        n += t != 5 && t != 9;
    }
    const gz_collapse done[] = {{0, 1}, {STRIP + 2, 3}, {STRIP + 3, 3}};
    static const uint32_t want[] = {STRIP + 2, STRIP + 1, STRIP + 1, STRIP};
    gz_patch patch = {.position = (const double(*)[3])position,
                      .corner = (const uint32_t(*)[3])corner,
                      .vertex_count = STRIP + 4,
                      .triangle_count = STRIP + 2};
    for (uint32_t count = 0; count < 4; ++count) {
        uint32_t left = gz_group_mesh_collapse(&patch, done, count, place, now, kept);
        assert_int_equal(left, want[count]);
        assert_int_equal(kept[left - 1], 9);
        if (count < 3)
            assert_int_equal(kept[left - 2], 5);
    }
    assert_int_equal(now[STRIP - 1][0], 3); // the dot was moved along
    patch.triangle_count = STRIP + 1;       // two of fifteen
    assert_int_equal(gz_group_mesh_collapse(&patch, done, 0, place, now, kept), STRIP - 1);
    patch.triangle_count = 1;
    memcpy(corner[0], corner[9], sizeof corner[0]);
    assert_int_equal(gz_group_mesh_collapse(&patch, done, 0, place, now, kept), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),       cmocka_unit_test(the_largest_numbers),
        cmocka_unit_test(changed_bytes),        cmocka_unit_test(other_pages),
        cmocka_unit_test(impossible_collapses), cmocka_unit_test(memory_that_fails),
        cmocka_unit_test(hairs_and_dots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
