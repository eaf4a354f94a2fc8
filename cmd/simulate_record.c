// Records of simulations: a row a step and body, and the way along it again.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv_out.h"
#include "simulate_run.h"
#include "units.h"

enum { NUMBERS = 20, LINE_BYTES = 4096 }; // before the name, which may be anything

static const char names[] = "step,time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz,contacts,gap,held,"
                            "query_us,name\n";

static int cannot_write(simulate_run *run, const char *path, int error)
{
    session_error(&run->session, "%s: cannot write: %s", path, strerror(error));
    return error == ENOSPC || error == EIO || error == EDQUOT ? EXIT_RESOURCES : EXIT_BAD_INPUT;
}

int open_record(simulate_run *run)
{
    const char *path = run->arguments->text[OPTION_RUN_RECORD];
    if (path == NULL)
        return EXIT_NOTHING_FOUND;
    int error = aside_open(&run->record, path);
    if (error != 0)
        return cannot_write(run, path, error);
    run->recording = true;
    fputs(names, run->record.file);
    return EXIT_NOTHING_FOUND;
}

int record_step(simulate_run *run, const graze_sim_report *report)
{
    if (!run->recording)
        return EXIT_NOTHING_FOUND;
    cmd_csv csv = {.file = run->record.file};
    for (uint32_t i = 0; i < graze_sim_body_count(run->sim); ++i) {
        graze_body_state s;
        if (graze_sim_body_kind(run->sim, i) == GRAZE_BODY_STATIC)
            continue;
        if (graze_sim_get_body(run->sim, i, &s) != GRAZE_OK)
            return session_result(&run->session, GRAZE_ERROR_ARGUMENT);
        double microseconds = round(1e7 * s.query_seconds) / 10;
        csv_count(&csv, report->step);
        csv_reals(&csv, &report->time, 1);
        csv_count(&csv, i);
        csv_reals(&csv, s.position, 3);
        csv_reals(&csv, s.quaternion, 4);
        csv_reals(&csv, s.velocity, 3);
        csv_reals(&csv, s.spin, 3);
        csv_count(&csv, s.contact_count);
        csv_reals(&csv, &s.gap, 1);
        csv_count(&csv, s.held);
        csv_reals(&csv, &microseconds, 1);
        csv_text(&csv, graze_sim_body_name(run->sim, i));
        csv_end_row(&csv);
    }
    if (ferror(run->record.file) != 0)
        return cannot_write(run, run->record.path, errno != 0 ? errno : EIO);
    return EXIT_NOTHING_FOUND;
}

int close_record(simulate_run *run, bool keep)
{
    const char *path = run->arguments->text[OPTION_RUN_RECORD];
    if (!run->recording)
        return EXIT_NOTHING_FOUND;
    run->recording = false;
    if (!keep) {
        aside_abandon(&run->record);
        return EXIT_NOTHING_FOUND;
    }
    int error = aside_commit(&run->record);
    if (error != 0)
        return cannot_write(run, path, error);
    note(&run->session, "wrote %s", path);
    return EXIT_NOTHING_FOUND;
}

// --- The way back

typedef struct row {
    uint64_t line;
    double number[NUMBERS];
    bool has_gap;
} row;

// Takes a line apart; false if it is none of a record.
static bool take_row(char *line, row *r)
{
    char *at = line;
    for (int i = 0; i < NUMBERS; ++i) {
        char *end = strchr(at, ',');
        if (end == NULL)
            return false;
        *end = '\0';
        if (i == 17)
            r->has_gap = *at != '\0';
        if (*at == '\0' && i == 17)
            r->number[i] = HUGE_VAL;
        else if (!parse_real(at, &r->number[i]))
            return false;
        at = end + 1;
    }
    return r->number[0] >= 0 && r->number[2] >= 0 && r->number[2] < 4e9;
}

typedef struct record_reading {
    simulate_run *run;
    FILE *file;
    const char *path;
    row *rows; // of one step
    uint64_t count, capacity, line;
    row next;
    bool has_next;
    uint64_t differing;
} record_reading;

static int bad_line(const record_reading *r)
{
    session_error(&r->run->session, "%s: line %" PRIu64 ": this is no row of a record", r->path,
                  r->line);
    return EXIT_BAD_INPUT;
}

static int read_row(record_reading *r)
{
    char line[LINE_BYTES];
    r->has_next = fgets(line, sizeof line, r->file) != NULL;
    if (!r->has_next)
        return EXIT_NOTHING_FOUND;
    r->line++;
    r->next = (row){.line = r->line};
    if (strchr(line, '\n') == NULL || !take_row(line, &r->next))
        return bad_line(r);
    return EXIT_NOTHING_FOUND;
}

// All rows of the next step.
static int read_rows(record_reading *r)
{
    int code = EXIT_NOTHING_FOUND;
    r->count = 0;
    while (r->has_next && code == EXIT_NOTHING_FOUND &&
           (r->count == 0 || r->next.number[0] == r->rows[0].number[0])) {
        if (r->count == r->capacity) {
            uint64_t capacity = 2 * r->capacity + 64;
            row *rows = realloc(r->rows, (size_t)capacity * sizeof *rows);
            if (rows == NULL)
                return session_result(&r->run->session, GRAZE_ERROR_MEMORY);
            r->rows = rows;
            r->capacity = capacity;
        }
        r->rows[r->count++] = r->next;
        code = read_row(r);
    }
    return code;
}

static int place_rows(record_reading *r)
{
    for (uint64_t i = 0; i < r->count; ++i) {
        const double *n = r->rows[i].number;
        graze_body_state s = {0};
        memcpy(s.position, n + 3, sizeof s.position);
        memcpy(s.quaternion, n + 6, sizeof s.quaternion);
        memcpy(s.velocity, n + 10, sizeof s.velocity);
        memcpy(s.spin, n + 13, sizeof s.spin);
        graze_status status = graze_sim_place(r->run->sim, (uint32_t)n[2], &s);
        if (status != GRAZE_OK) {
            session_result(&r->run->session, status);
            return bad_line(r);
        }
    }
    return EXIT_NOTHING_FOUND;
}

static int compare_rows(record_reading *r)
{
    for (uint64_t i = 0; i < r->count; ++i) {
        const double *n = r->rows[i].number;
        graze_body_state s;
        if (graze_sim_get_body(r->run->sim, (uint32_t)n[2], &s) != GRAZE_OK)
            return bad_line(r);
        if (s.contact_count == (uint64_t)n[16] && s.gap == n[17])
            continue;
        if (r->differing++ == 0)
            say("%s: line %" PRIu64
                ": the record has %g contacts and a gap of %.17g, and now there "
                "are %u and %.17g",
                r->path, r->rows[i].line, n[16], n[17], (unsigned)s.contact_count, s.gap);
    }
    return EXIT_NOTHING_FOUND;
}

static int go_along(record_reading *r)
{
    simulate_run *run = r->run;
    char line[LINE_BYTES];
    r->line = 1;
    if (fgets(line, sizeof line, r->file) == NULL || strcmp(line, names) != 0)
        return bad_line(r);
    int code = read_row(r);
    while (code == EXIT_NOTHING_FOUND && r->has_next) {
        code = read_rows(r);
        if (code == EXIT_NOTHING_FOUND)
            code = place_rows(r);
        if (code != EXIT_NOTHING_FOUND)
            break;
        code = session_result(&run->session, graze_sim_look(run->sim, &run->last));
        if (code == EXIT_NOTHING_FOUND)
            code = compare_rows(r);
        if (code == EXIT_NOTHING_FOUND)
            code = draw_step(run, (uint64_t)r->rows[0].number[0]);
        run->steps_done++;
        run->query_count += run->last.query_count;
        run->query_seconds += run->last.query_seconds;
        if (is_stopped())
            return session_result(&run->session, GRAZE_ERROR_CANCELLED);
    }
    return code;
}

int replay_record(simulate_run *run)
{
    record_reading r = {.run = run, .path = run->arguments->text[OPTION_REPLAY]};
    r.file = fopen(r.path, "r");
    if (r.file == NULL) {
        session_error(&run->session, "%s: %s", r.path, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    int code = go_along(&r);
    fclose(r.file);
    free(r.rows);
    if (code != EXIT_NOTHING_FOUND)
        return code;
    printf("%" PRIu64 " steps, %" PRIu64 " rows that are not what the record has\n",
           run->steps_done, r.differing);
    return r.differing == 0 ? EXIT_NOTHING_FOUND : EXIT_FOUND;
}
