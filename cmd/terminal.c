// See terminal.h.
#include "terminal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "units.h"

// --- Text

// Continuation bytes that a first byte asks for; -1 for a byte that begins nothing.
static int continuation_count(unsigned char first)
{
    if (first < 0x80)
        return 0;
    if (first >= 0xc2 && first < 0xe0)
        return 1;
    if (first >= 0xe0 && first < 0xf0)
        return 2;
    return first >= 0xf0 && first < 0xf5 ? 3 : -1;
}

uint32_t next_code_point(const char **text)
{
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)*text;
    int more = continuation_count(bytes[0]);
    ++*text;
    if (more < 0)
        return 0xfffd;
    uint32_t point = more == 0 ? bytes[0] : bytes[0] & (0x3fu >> more);
    for (int i = 1; i <= more; ++i) {
        if ((bytes[i] & 0xc0u) != 0x80u)
            return 0xfffd;
        point = point << 6 | (bytes[i] & 0x3fu);
    }
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
        return 0xfffd;
    *text += more;
    return point;
}

static void print_code_point(FILE *file, uint32_t point, const char *bytes, size_t byte_count)
{
    bool control = point < 0x20 || (point >= 0x7f && point < 0xa0) ||
                   (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
    if (control)
        fputc('?', file);
    else if (point == 0xfffd)
        fputs("\xef\xbf\xbd", file);
    else
        fwrite(bytes, 1, byte_count, file);
}

int count_clean(const char *text)
{
    int count = 0;
    for (; *text != '\0'; ++count)
        next_code_point(&text);
    return count;
}

int print_clean(FILE *file, const char *text, int columns)
{
    int printed = 0;
    bool whole = columns <= 0 || count_clean(text) <= columns;
    for (; *text != '\0' && (whole || printed + 1 < columns); ++printed) {
        const char *from = text;
        uint32_t point = next_code_point(&text);
        print_code_point(file, point, from, (size_t)(text - from));
    }
    if (*text != '\0') {
        fputs("\xe2\x80\xa6", file);
        ++printed;
    }
    return printed;
}

// --- Terminals

bool is_terminal(FILE *file)
{
    const char *term = getenv("TERM");
    return isatty(fileno(file)) && term != NULL && term[0] != '\0' && strcmp(term, "dumb") != 0;
}

const char *style_on(FILE *file, cmd_style style)
{
    static const char *const sequences[] = {"\033[0m", "\033[1m", "\033[32m", "\033[33m"};
    const char *no_color = getenv("NO_COLOR");
    bool wanted = is_terminal(file) && (no_color == NULL || no_color[0] == '\0');
    return wanted ? sequences[style] : "";
}

int terminal_columns(FILE *file)
{
    struct winsize size;
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// --- The bar. All of it is guarded by one lock: progress may come from any thread.

#define SHOW_AFTER        0.3 // seconds: short work draws nothing
#define DRAW_EVERY        0.1
#define SMOOTHING         0.2 // share of the newest rate in the one shown
#define BAR_COLUMNS       30
#define LEAST_BAR_COLUMNS 8

static struct {
    pthread_mutex_t lock;
    bool allowed, drawn;
    const char *stage;
    double begun, last_drawn, last_time, rate; // rate in units a second, 0 until known
    uint64_t last_done;
} bar = {.lock = PTHREAD_MUTEX_INITIALIZER};

void bar_allow(bool allowed)
{
    pthread_mutex_lock(&bar.lock);
    bar.allowed = allowed && is_terminal(stderr);
    pthread_mutex_unlock(&bar.lock);
}

static void measure_rate(const graze_progress *progress, double now)
{
    if (bar.stage == NULL || strcmp(bar.stage, progress->stage) != 0 ||
        progress->done < bar.last_done) {
        bar.stage = progress->stage;
        bar.begun = bar.last_time = now;
        bar.last_done = progress->done;
        bar.rate = 0.0;
        return;
    }
    double seconds = now - bar.last_time;
    if (seconds < DRAW_EVERY / 2)
        return;
    double rate = (double)(progress->done - bar.last_done) / seconds;
    bar.rate = bar.rate == 0.0 ? rate : bar.rate + SMOOTHING * (rate - bar.rate);
    bar.last_time = now;
    bar.last_done = progress->done;
}

static void print_rate(char out[TEXT_BYTES], const char *unit, double rate)
{
    if (strcmp(unit, "bytes") == 0)
        snprintf(out, TEXT_BYTES, "%.0f MB/s", rate / 1e6);
    else if (rate >= 1e6)
        snprintf(out, TEXT_BYTES, "%.1f M %s/s", rate / 1e6, unit);
    else
        snprintf(out, TEXT_BYTES, "%.0f %s/s", rate, unit);
}

static void print_left(char out[TEXT_BYTES], double seconds)
{
    if (!(seconds < 360000.0))
        out[0] = '\0';
    else if (seconds < 3600.0)
        snprintf(out, TEXT_BYTES, "%d:%02d left", (int)seconds / 60, (int)seconds % 60);
    else
        snprintf(out, TEXT_BYTES, "%d:%02d:%02d left", (int)seconds / 3600, (int)seconds / 60 % 60,
                 (int)seconds % 60);
}

// "[=========>          ]", as wide as the line leaves room for.
static void print_cells(char out[BAR_COLUMNS + 3], double part, int room)
{
    int cells = room < LEAST_BAR_COLUMNS ? LEAST_BAR_COLUMNS : room;
    cells = cells > BAR_COLUMNS ? BAR_COLUMNS : cells;
    int full = (int)(part * cells);
    out[0] = '[';
    memset(out + 1, '=', (size_t)full);
    memset(out + 1 + full, ' ', (size_t)(cells - full));
    if (full < cells)
        out[1 + full] = '>';
    out[1 + cells] = ']';
    out[2 + cells] = '\0';
}

// "reading   [=========>          ]  46%  812 MB/s  0:12 left", cut to the terminal's width.
static void draw(const graze_progress *progress)
{
    char line[256], rate[TEXT_BYTES] = "", left[TEXT_BYTES] = "";
    int columns = terminal_columns(stderr) - 1;
    if (bar.rate > 0.0)
        print_rate(rate, progress->unit, bar.rate);
    if (progress->total != 0) {
        uint64_t done = progress->done < progress->total ? progress->done : progress->total;
        double part = (double)done / (double)progress->total;
        char cells[BAR_COLUMNS + 3], tail[128];
        if (bar.rate > 0.0)
            print_left(left, (double)(progress->total - done) / bar.rate);
        snprintf(tail, sizeof tail, "%3d%%  %s  %s", (int)(100.0 * part), rate, left);
        int before = snprintf(line, sizeof line, "%-9s ", progress->stage);
        print_cells(cells, part, columns - before - (int)strlen(tail) - 3);
        snprintf(line, sizeof line, "%-9s %s %s", progress->stage, cells, tail);
    } else {
        char count[TEXT_BYTES];
        bool bytes = strcmp(progress->unit, "bytes") == 0;
        bytes ? print_bytes(count, progress->done) : print_count(count, progress->done);
        snprintf(line, sizeof line, "%-9s %s%s%s  %s", progress->stage, count, bytes ? "" : " ",
                 bytes ? "" : progress->unit, rate);
    }
    fprintf(stderr, "\r%.*s\033[K", columns, line);
    fflush(stderr);
    bar.drawn = true;
}

void bar_update(const graze_progress *progress)
{
    pthread_mutex_lock(&bar.lock);
    if (bar.allowed) {
        double now = now_seconds();
        measure_rate(progress, now);
        if (now - bar.begun >= SHOW_AFTER && now - bar.last_drawn >= DRAW_EVERY) {
            draw(progress);
            bar.last_drawn = now;
        }
    }
    pthread_mutex_unlock(&bar.lock);
}

void bar_clear(void)
{
    pthread_mutex_lock(&bar.lock);
    if (bar.drawn)
        fputs("\r\033[K", stderr);
    bar.drawn = false;
    bar.stage = NULL;
    pthread_mutex_unlock(&bar.lock);
}
