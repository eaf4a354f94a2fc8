// See reading.h.
#include "reading.h"

#include <dirent.h>
#include <stdbool.h>

#include "faults.h"

uint32_t test_error_count, test_warning_count;
char test_last_warning[2048];
char test_warnings[8192];

static void take_message(void *user, graze_log_level level, const char *sentence)
{
    (void)user;
    if (level == GRAZE_LOG_WARNING) {
        ++test_warning_count;
        snprintf(test_last_warning, sizeof test_last_warning, "%s", sentence);
        size_t used = strlen(test_warnings);
        snprintf(test_warnings + used, sizeof test_warnings - used, "%s\n", sentence);
    } else if (level == GRAZE_LOG_ERROR) {
        ++test_error_count;
        snprintf(test_last_error, sizeof test_last_error, "%s", sentence);
    }
}

graze_context *counting_context(void) { return counting_context_of(0); }

graze_context *counting_context_of(uint32_t threads)
{
    graze_context_def def = graze_context_def_default();
    def.log = take_message;
    def.thread_count = threads;
    test_error_count = test_warning_count = 0;
    test_last_warning[0] = test_warnings[0] = '\0';
    return test_context(&def);
}

static graze_status read_input(graze_context *context, const test_input *input, record *out)
{
    *out = (record){0};
    return record_read(context, input->name, input->bytes, input->byte_count, input->format, out);
}

void read_good(const test_input *input, record *out)
{
    graze_context *context = counting_context();
    if (read_input(context, input, out) != GRAZE_OK)
        fail_msg("%s", test_last_error);
    assert_int_equal(out->header.format, input->format);
    test_context_done(context);
}

void check_refused(const test_input *input, const char *sentence)
{
    graze_context *context = counting_context();
    record out;
    assert_int_equal(read_input(context, input, &out), GRAZE_ERROR_FORMAT);
    if (strcmp(test_last_error, sentence) != 0)
        fail_msg("said:     %s\nexpected: %s", test_last_error, sentence);
    assert_int_equal(test_error_count, 1);
    record_free(&out);
    test_context_done(context);
}

static graze_status read_and_forget(graze_context *context, void *data)
{
    record out;
    graze_status status = read_input(context, data, &out);
    record_free(&out);
    return status;
}

void check_faults(const test_input *input, uint64_t least)
{
    test_input copy = *input;
    assert_true(test_all_faults(read_and_forget, &copy, 1) >= least);
}

// True if the file is refused.
static bool check_broken_file(const char *path, graze_format format)
{
    graze_context *context = counting_context();
    record out = {0};
    graze_mesh_sink sink = record_sink(&out);
    graze_mesh_read_def def = graze_mesh_read_def_default();
    def.format = format;
    graze_status status = graze_mesh_stream(context, path, &def, &sink);
    char start[600];
    snprintf(start, sizeof start, "%s: byte ", path);
    assert_int_equal(test_error_count, status != GRAZE_OK);
    bool refused = status == GRAZE_ERROR_FORMAT || status == GRAZE_ERROR_UNSUPPORTED;
    if (status != GRAZE_OK && (!refused || strncmp(test_last_error, start, strlen(start)) != 0))
        fail_msg("status %d: %s", (int)status, test_last_error);
    record_free(&out);
    test_context_done(context);
    return status != GRAZE_OK;
}

void check_corpus(const char *folder, graze_format format, uint32_t refused)
{
    char path[512];

    DIR *opened = opendir(folder);
    assert_non_null(opened);
    uint32_t count = 0;
    for (struct dirent *entry; (entry = readdir(opened)) != NULL;) {
        snprintf(path, sizeof path, "%s/%.200s", folder, entry->d_name);
        count += entry->d_name[0] != '.' && check_broken_file(path, format);
    }
    closedir(opened);
    assert_true(count >= refused);
}

const double *record_corner(const record *r, uint64_t triangle, uint32_t corner)
{
    assert_true(triangle < r->triangle_count && corner < 3);
    return r->positions + 3 * r->corners[3 * triangle + corner];
}
