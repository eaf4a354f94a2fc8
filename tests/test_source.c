// Sources: plain and packed files through a window, damage, growth, and what need promises.
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#include "base/context.h"
#include "base/memory.h"
#include "mesh/read/source.h"

typedef struct bytes {
    uint8_t *data;
    size_t count;
} bytes;

// Text that packs, but not too well.
static bytes make_text(size_t count, uint64_t seed)
{
    bytes text = {malloc(count + 1), count};
    test_random random = {seed};
    for (size_t i = 0; i < count; ++i)
        text.data[i] = (uint8_t)("0123456789. -\n"[test_next(&random) % 14]);
    return text;
}

static bytes pack_gzip(bytes text)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    bytes packed = {malloc(deflateBound(&z, text.count) + 32), 0};
    z.next_in = text.data;
    z.avail_in = (unsigned)text.count;
    z.next_out = packed.data;
    z.avail_out = (unsigned)deflateBound(&z, text.count) + 32;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    packed.count = z.total_out;
    deflateEnd(&z);
    return packed;
}

static bytes pack_zstd(bytes text)
{
    size_t bound = ZSTD_compressBound(text.count);
    bytes packed = {malloc(bound), 0};
    ZSTD_CCtx *zstd = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
    packed.count = ZSTD_compress2(zstd, packed.data, bound, text.data, text.count);
    assert_false(ZSTD_isError(packed.count));
    ZSTD_freeCCtx(zstd);
    return packed;
}

static bytes join(bytes a, bytes b)
{
    bytes both = {malloc(a.count + b.count + 1), a.count + b.count};
    if (a.count > 0)
        memcpy(both.data, a.data, a.count);
    if (b.count > 0)
        memcpy(both.data + a.count, b.data, b.count);
    free(a.data);
    free(b.data);
    return both;
}

// Reads all of it in steps of random size, checks that each promise of need is kept.
static graze_status read_all(gz_file *file, uint64_t limit, bytes *out, uint64_t seed,
                             const char **packing)
{
    gz_source *source = NULL;
    *out = (bytes){NULL, 0};
    graze_status status = gz_source_open(file, limit, &source);
    if (status != GRAZE_OK)
        return status;
    *packing = source->packing;
    test_random random = {seed};
    while (status == GRAZE_OK) {
        uint32_t ask = 1 + (uint32_t)(test_next(&random) %
                                      (test_next(&random) % 8 == 0 ? GZ_SOURCE_WINDOW : 5000));
        status = gz_source_need(source, ask);
        if (status != GRAZE_OK)
            break;
        const uint8_t *start = NULL, *end = NULL;
        if (test_next(&random) % 4 == 0 && gz_source_prepare_ahead(source))
            gz_source_fetch_ahead(source, &start, &end);
        assert_true(gz_source_left(source) >= ask || source->ended);
        assert_int_equal(gz_source_offset(source, source->cursor), out->count);
        for (uint32_t i = 0; i < GZ_SOURCE_SLACK; ++i)
            assert_int_equal(source->limit[i], 0);
        size_t take = (size_t)gz_source_left(source);
        if (take > ask)
            take = ask;
        if (take == 0)
            break;
        out->data = realloc(out->data, out->count + take);
        memcpy(out->data + out->count, source->cursor, take);
        out->count += take;
        source->cursor += take;
    }
    gz_source_close(source);
    return status;
}

static void check_same(bytes packed, bytes text, const char *packing)
{
    graze_context *context = test_context(NULL);
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        gz_file file;
        gz_file_open_memory(context, "x", packed.data, packed.count, &file);
        bytes got;
        const char *named = NULL;
        assert_int_equal(read_all(&file, 200, &got, seed, &named), GRAZE_OK);
        assert_string_equal(named, packing);
        assert_int_equal(got.count, text.count);
        if (text.count != 0)
            assert_memory_equal(got.data, text.data, text.count);
        free(got.data);
    }
    test_context_done(context);
}

static const size_t sizes[] = {0, 1, 3, 4, 64, 262143, 262144, 262145, 3000000};

static void plain_and_packed_read_alike(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        bytes text = make_text(sizes[i], i);
        bytes gzip = pack_gzip(text);
        bytes zstd = pack_zstd(text);
        check_same(text, text, "");
        check_same(gzip, text, "gzip");
        check_same(zstd, text, "zstd");
        free(gzip.data);
        free(zstd.data);
        free(text.data);
    }
}

static void members_and_frames_follow_each_other(void **state)
{
    (void)state;
    bytes text = make_text(0, 0), gzip = {NULL, 0}, zstd = {NULL, 0};
    for (uint64_t i = 0; i < 40; ++i) {
        bytes part = make_text((size_t)(i * 7919 % 50000), i);
        gzip = join(gzip, pack_gzip(part));
        zstd = join(zstd, pack_zstd(part));
        text = join(text, part);
    }
    check_same(gzip, text, "gzip");
    check_same(zstd, text, "zstd");
    bytes padding = {calloc(1, 700000), 700000}; // as tapes leave it
    gzip = join(gzip, padding);
    check_same(gzip, text, "gzip");
    free(gzip.data);
    free(zstd.data);
    free(text.data);
}

static graze_status read_damaged(bytes packed, uint64_t limit)
{
    graze_context *context = test_context(NULL);
    gz_file file;
    gz_file_open_memory(context, "x", packed.data, packed.count, &file);
    bytes got;
    const char *packing;
    graze_status status = read_all(&file, limit, &got, 1, &packing);
    free(got.data);
    test_context_done(context);
    return status;
}

static void every_truncation_is_noticed(void **state)
{
    (void)state;
    bytes text = make_text(3000, 5);
    bytes packed[2] = {pack_gzip(text), pack_zstd(text)};
    for (int kind = 0; kind < 2; ++kind) {
        for (size_t count = 4; count < packed[kind].count; ++count) {
            graze_status status = read_damaged((bytes){packed[kind].data, count}, 200);
            assert_int_equal(status, GRAZE_ERROR_FORMAT);
            char expected[100];
            snprintf(expected, sizeof expected,
                     "x: byte %zu of the packed file: the file ends in the middle of the packed "
                     "data",
                     count);
            assert_string_equal(test_last_error, expected);
        }
        free(packed[kind].data);
    }
    free(text.data);
}

static void damage_is_noticed(void **state)
{
    (void)state;
    bytes text = make_text(3000, 6);
    bytes packed[2] = {pack_gzip(text), pack_zstd(text)};
    for (int kind = 0; kind < 2; ++kind) {
        for (size_t at = 10; at < packed[kind].count; ++at) {
            packed[kind].data[at] ^= 0x10;
            graze_status status = read_damaged(packed[kind], 200);
            if (status == GRAZE_OK) // a bit that nobody reads: padding behind the last code
                check_same(packed[kind], text, kind == 0 ? "gzip" : "zstd");
            else
                assert_non_null(strstr(test_last_error, "of the packed file: "));
            packed[kind].data[at] ^= 0x10;
        }
        bytes rubbish = make_text(10, 1);
        packed[kind] = join(packed[kind], rubbish);
        assert_int_equal(read_damaged(packed[kind], 200), GRAZE_ERROR_FORMAT);
        assert_non_null(
            strstr(test_last_error, kind == 0 ? "what follows the gzip data is not gzip data"
                                              : "the zstd data is damaged, here or further on"));
        free(packed[kind].data);
    }
    free(text.data);
}

static void bombs_are_defused(void **state)
{
    (void)state;
    bytes zeros = {calloc(1, 1 << 20), 1 << 20};
    bytes member = pack_gzip(zeros);
    bytes bomb = {NULL, 0};
    for (int i = 0; i < 300; ++i) {
        bytes copy = {malloc(member.count), member.count};
        memcpy(copy.data, member.data, member.count);
        bomb = join(bomb, copy);
    }
    graze_context *context = test_context(NULL);
    for (uint64_t limit = 200; limit <= 2000; limit += 1800) {
        gz_file file;
        gz_file_open_memory(context, "x", bomb.data, bomb.count, &file);
        gz_source *source = NULL;
        assert_int_equal(gz_source_open(&file, limit, &source), GRAZE_OK);
        graze_status status = gz_source_finish(source);
        assert_int_equal(status, limit == 200 ? GRAZE_ERROR_FORMAT : GRAZE_OK);
        gz_source_close(source);
    }
    assert_non_null(strstr(test_last_error, "grows to more than 200 times its size"));
    assert_true(graze_context_memory(context).peak_bytes < 3 << 20);
    test_context_done(context);
    free(bomb.data);
    free(member.data);
    free(zeros.data);
}

// A frame may ask for a window of gigabytes; it is refused, not allocated.
static void huge_zstd_windows_are_refused(void **state)
{
    (void)state;
    uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00}; // window log 31
    assert_int_equal(read_damaged((bytes){frame, sizeof frame}, 200), GRAZE_ERROR_FORMAT);
}

static void skipping_goes_far_and_notices_the_end(void **state)
{
    (void)state;
    bytes text = make_text(3000000, 9);
    bytes packed = pack_zstd(text);
    graze_context *context = test_context(NULL);
    gz_file file;
    gz_file_open_memory(context, "x", packed.data, packed.count, &file);
    gz_source *source = NULL;
    assert_int_equal(gz_source_open(&file, 200, &source), GRAZE_OK);
    assert_int_equal(gz_source_skip(source, 2999990), GRAZE_OK);
    assert_int_equal(gz_source_need(source, 10), GRAZE_OK);
    assert_memory_equal(source->cursor, text.data + 2999990, 10);
    assert_int_equal(gz_source_skip(source, UINT64_MAX), GRAZE_ERROR_FORMAT);
    assert_string_equal(test_last_error, "x: byte 3000000: the file ends here, but "
                                         "18446744073709551605 more bytes were promised");
    gz_source_close(source);
    test_context_done(context);
    free(packed.data);
    free(text.data);
}

static void pipes_work(void **state)
{
    (void)state;
    bytes text = make_text(60000, 10); // fits into a pipe
    bytes packed = pack_gzip(text);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], packed.data, packed.count), packed.count);
    close(ends[1]);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    graze_context *context = test_context(NULL);
    gz_file file;
    assert_int_equal(gz_file_open(context, path, &file), GRAZE_OK);
    assert_false(file.seekable);
    bytes got;
    const char *packing = NULL;
    assert_int_equal(read_all(&file, 200, &got, 3, &packing), GRAZE_OK);
    assert_int_equal(got.count, text.count);
    assert_memory_equal(got.data, text.data, text.count);
    gz_file_close(&file);
    close(ends[0]);
    test_context_done(context);
    free(got.data);
    free(packed.data);
    free(text.data);
}

static int cancel_now(void *user)
{
    (void)user;
    return 1;
}

static void cancelling_is_noticed(void **state)
{
    (void)state;
    graze_context_def def = graze_context_def_default();
    def.cancel = cancel_now;
    graze_context *context = test_context(&def);
    bytes text = make_text(1000000, 11);
    gz_file file;
    gz_file_open_memory(context, "x", text.data, text.count, &file);
    gz_source *source = NULL;
    assert_int_equal(gz_source_open(&file, 200, &source), GRAZE_OK);
    assert_int_equal(gz_source_skip(source, 900000), GRAZE_ERROR_CANCELLED);
    gz_source_close(source);
    test_context_done(context);
    free(text.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_packed_read_alike),
        cmocka_unit_test(members_and_frames_follow_each_other),
        cmocka_unit_test(every_truncation_is_noticed),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(bombs_are_defused),
        cmocka_unit_test(huge_zstd_windows_are_refused),
        cmocka_unit_test(skipping_goes_far_and_notices_the_end),
        cmocka_unit_test(pipes_work),
        cmocka_unit_test(cancelling_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
