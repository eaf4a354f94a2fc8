// See pose_path.h.
#include "pose_path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pose_text.h"
#include "units.h"

#define MOST_WORDS 17

int pose_path_open(pose_path *path, cmd_session *session, const char *name)
{
    bool standard = strcmp(name, "-") == 0;
    path->session = session;
    path->name = standard ? "standard input" : name;
    path->file = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    path->ended = false;
    path->line = 1;
    path->offset = 0;
    path->mended_count = 0;
    path->farthest = 0;
    path->next = path->end = path->bytes;
    if (path->file >= 0)
        return EXIT_NOTHING_FOUND;
    session_error(session, "%s: cannot open: %s", name, strerror(errno));
    return EXIT_BAD_INPUT;
}

void pose_path_close(pose_path *path)
{
    if (path->file > STDIN_FILENO)
        close(path->file);
    path->file = -1;
    char count[TEXT_BYTES];
    if (path->mended_count != 0)
        note(path->session,
             "warning: %s: %s %s off a rotation, by at most %.2g, on line %" PRIu64
             "; the nearest one is used",
             path->name, print_count(count, path->mended_count),
             path->mended_count == 1 ? "pose is" : "poses are", path->farthest,
             path->farthest_line);
}

// Says that something is wrong with the line at hand, at a byte of it.
static int complain(pose_path *path, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int complain(pose_path *path, const char *at, const char *format, ...)
{
    char sentence[512];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    session_error(path->session, "%s: line %" PRIu64 ": byte %" PRIu64 ": %s", path->name,
                  path->line, path->offset + (uint64_t)(at - path->next), sentence);
    return EXIT_BAD_INPUT;
}

// Reads what there is, behind what is left of the last read. Whoever writes the poses one by one
// and waits for answers gets those made so far.
static int read_more(pose_path *path)
{
    size_t left = (size_t)(path->end - path->next);
    memmove(path->bytes, path->next, left);
    path->next = path->bytes;
    path->end = path->bytes + left;
    fflush(stdout);
    for (;;) {
        struct pollfd wait = {.fd = path->file, .events = POLLIN};
        ssize_t got =
            poll(&wait, 1, -1) < 0 ? -1 : read(path->file, path->end, POSE_LINE_BYTES - left);
        if (is_stopped())
            return session_result(path->session, GRAZE_ERROR_CANCELLED);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            session_error(path->session, "%s: cannot read: %s", path->name, strerror(errno));
            return EXIT_BAD_INPUT;
        }
        path->ended = got == 0;
        path->end += got;
        return EXIT_NOTHING_FOUND;
    }
}

// Makes the next line whole. *stop is behind its last byte; NULL at the end of the file, and where
// more would have to be read and nobody waits.
static int find_line(pose_path *path, bool wait, char **stop)
{
    char *from = path->next;
    for (;;) {
        *stop = memchr(from, '\n', (size_t)(path->end - from));
        if (*stop != NULL)
            return EXIT_NOTHING_FOUND;
        if (path->ended) {
            *stop = path->end > path->next ? path->end : NULL;
            return EXIT_NOTHING_FOUND;
        }
        if (!wait)
            return EXIT_NOTHING_FOUND;
        if (path->end - path->next == POSE_LINE_BYTES)
            return complain(path, path->next, "the line is longer than %d bytes", POSE_LINE_BYTES);
        size_t searched = (size_t)(path->end - path->next);
        int code = read_more(path);
        if (code != EXIT_NOTHING_FOUND)
            return code;
        from = path->next + searched;
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Cuts the line at blanks, in place, as far as a comment. Returns how many words there are, counted
// beyond the room.
static int split_line(char *at, char *stop, char *words[MOST_WORDS])
{
    int count = 0;
    *stop = '\0';
    for (;;) {
        while (at < stop && is_blank(*at))
            ++at;
        if (at == stop || *at == '#')
            return count;
        if (count < MOST_WORDS)
            words[count] = at;
        ++count;
        while (at < stop && !is_blank(*at))
            ++at;
        *at = '\0';
        at += at < stop;
    }
}

// How many numbers so many words are, without a label; 0: they are no pose.
static int count_numbers(int words)
{
    static const int counts[] = {12, 16, 7};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        if (words == counts[i] || words == counts[i] + 1)
            return counts[i];
    return 0;
}

static int read_pose(pose_path *path, char **words, int count, path_pose *pose)
{
    double numbers[16];
    pose_reading reading;
    int number_count = count_numbers(count);
    bool labelled = count == number_count + 1;
    if (number_count == 0)
        return complain(path, words[0],
                        "a pose is 12 or 16 numbers, a matrix, or 7, position and quaternion, "
                        "perhaps with a label before them, not %d word%s",
                        count, count == 1 ? "" : "s");
    words += labelled;
    for (int i = 0; i < number_count; ++i)
        if (!parse_real(words[i], &numbers[i]))
            return complain(path, words[i], "\"%.60s\" is not a number", words[i]);
    for (int i = 12; i < number_count; ++i)
        if (numbers[i] != (i == 15 ? 1 : 0))
            return complain(path, words[i], "the last row of a 4x4 matrix is 0 0 0 1");
    if (number_count == 7 ? !pose_of_quaternion(numbers, numbers + 3, &reading)
                          : !pose_of_matrix(numbers, &reading))
        return complain(path, words[0], "%s", reading.reason);
    path->mended_count += reading.miss > 0;
    if (reading.miss > path->farthest) {
        path->farthest = reading.miss;
        path->farthest_line = path->line;
    }
    pose->pose = reading.pose;
    pose->line = path->line;
    pose->label = labelled ? words[-1] : NULL;
    return EXIT_NOTHING_FOUND;
}

int pose_path_next(pose_path *path, bool wait, path_pose *pose, bool *found)
{
    for (*found = false; !*found;) {
        char *stop, *words[MOST_WORDS];
        int code = find_line(path, wait, &stop);
        if (code != EXIT_NOTHING_FOUND || stop == NULL)
            return code;
        const char *zero = memchr(path->next, '\0', (size_t)(stop - path->next));
        if (zero != NULL)
            return complain(path, zero, "a zero byte: this is not text");
        bool last = stop == path->end;
        char *text = path->next;
        if (path->offset == 0 && strncmp(text, "\xef\xbb\xbf", 3) == 0)
            text += 3; // the mark by which some editors say that a file is UTF-8
        int count = split_line(text, stop, words);
        if (count != 0) {
            code = read_pose(path, words, count, pose);
            if (code != EXIT_NOTHING_FOUND)
                return code;
            *found = true;
        }
        path->offset += (uint64_t)(stop - path->next) + 1;
        path->line += 1;
        path->next = last ? stop : stop + 1;
    }
    return EXIT_NOTHING_FOUND;
}
