// See pose_text.h.
#include "pose_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

#define LONGEST_POSE 2048
#define MOST_WORDS   16
#define EXACTLY      1e-9 // what the library takes for a rotation
#define NEARLY       2e-4 // the products of rows may be off by this: four digits are enough

static bool because(pose_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool because(pose_reading *reading, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(reading->reason, sizeof reading->reason, format, list);
    va_end(list);
    return false;
}

// --- Matrices

// By how much the products of two rows miss 1 and 0, at most.
static double distance_from_rotation(const double r[9])
{
    double farthest = 0;
    for (int i = 0; i < 9; ++i) {
        const double *a = r + i / 3 * 3, *b = r + i % 3 * 3;
        double miss = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - (i % 4 == 0 ? 1 : 0));
        farthest = miss > farthest ? miss : farthest;
    }
    return farthest;
}

// One step towards the nearest rotation, R (3 - transposed(R) R) / 2: the miss is about squared.
static void approach_rotation(double r[9])
{
    double stretch[9], next[9];
    for (int i = 0; i < 9; ++i) {
        const double *a = r + i / 3, *b = r + i % 3;
        stretch[i] = (i % 4 == 0 ? 1.5 : 0) - (a[0] * b[0] + a[3] * b[3] + a[6] * b[6]) / 2;
    }
    for (int i = 0; i < 9; ++i) {
        const double *row = r + i / 3 * 3, *column = stretch + i % 3;
        next[i] = row[0] * column[0] + row[1] * column[3] + row[2] * column[6];
    }
    memcpy(r, next, sizeof next);
}

bool pose_of_matrix(const double matrix[12], pose_reading *reading)
{
    graze_pose *pose = &reading->pose;
    for (int row = 0; row < 3; ++row) {
        memcpy(pose->rotation + 3 * row, matrix + 4 * row, 3 * sizeof *matrix);
        pose->translation[row] = matrix[4 * row + 3];
    }
    reading->miss = 0;
    if (graze_pose_check(pose) == GRAZE_OK)
        return true;
    double miss = distance_from_rotation(pose->rotation);
    if (!(miss <= NEARLY))
        return because(reading,
                       "the matrix is no rotation: its rows miss length 1 or right angles by %.2g, "
                       "and %.0g is allowed",
                       miss, NEARLY);
    for (int step = 0; step < 3; ++step) // from 2e-4 to 3e-8, to 1e-15, and to rounding
        approach_rotation(pose->rotation);
    reading->miss = miss;
    return graze_pose_check(pose) == GRAZE_OK ||
           because(reading, "the matrix mirrors, which no rotation does");
}

bool pose_of_quaternion(const double position[3], const double quaternion[4], pose_reading *reading)
{
    double x = quaternion[0], y = quaternion[1], z = quaternion[2], w = quaternion[3];
    double square = x * x + y * y + z * z + w * w, miss = fabs(square - 1), s = 2 / square;
    if (!(miss <= NEARLY))
        return because(reading,
                       "the quaternion is no rotation: its length is %.4g, and may miss 1 by %.0g",
                       sqrt(square), NEARLY / 2);
    const double rotation[9] = {
        1 - s * (y * y + z * z), s * (x * y - w * z),     s * (x * z + w * y),
        s * (x * y + w * z),     1 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y),     s * (y * z + w * x),     1 - s * (x * x + y * y)};
    memcpy(reading->pose.rotation, rotation, sizeof rotation);
    memcpy(reading->pose.translation, position, 3 * sizeof *position);
    reading->miss = miss > EXACTLY ? miss : 0;
    return true;
}

// --- Turns

// Quarter turns are exact about an axis of the coordinates, where sine and cosine would leave an
// error in the last place and faces that should touch would not.
static bool is_quarter_turn(double degrees, double *sine, double *cosine)
{
    static const double sines[] = {0, 1, 0, -1};
    double quarters = fmod(degrees, 360.0) / 90.0;
    if (quarters != floor(quarters))
        return false;
    int quarter = ((int)quarters + 4) % 4;
    *sine = sines[quarter];
    *cosine = sines[(quarter + 1) % 4];
    return true;
}

static bool along_coordinate(const double axis[3], int *which, double *sign)
{
    int filled = 0;
    for (int i = 0; i < 3; ++i)
        if (axis[i] != 0) {
            ++filled;
            *which = i;
            *sign = axis[i] < 0 ? -1 : 1;
        }
    return filled == 1;
}

static bool turn(double angle, bool degrees, const double axis[3], graze_pose *pose)
{
    double sine, cosine, sign;
    int which;
    if (degrees && is_quarter_turn(angle, &sine, &cosine) &&
        along_coordinate(axis, &which, &sign)) {
        int next = (which + 1) % 3, last = (which + 2) % 3;
        double *r = pose->rotation;
        r[3 * next + next] = r[3 * last + last] = cosine;
        r[3 * next + last] = 0 - sign * sine;
        r[3 * last + next] = sign * sine;
        return true;
    }
    const double shift[3] = {pose->translation[0], pose->translation[1], pose->translation[2]};
    double radians = degrees ? angle * (3.14159265358979323846 / 180.0) : angle;
    return graze_pose_from_axis(axis, radians, shift, pose) == GRAZE_OK;
}

// --- Words

// Cuts the text at blanks, in place. Returns how many words there are, counted beyond the room.
static int split_words(char *text, char *words[MOST_WORDS])
{
    static const char blanks[] = " \t\r\n";
    int count = 0;
    for (text += strspn(text, blanks); *text != '\0'; text += strspn(text, blanks)) {
        if (count < MOST_WORDS)
            words[count] = text;
        ++count;
        text += strcspn(text, blanks);
        if (*text != '\0')
            *text++ = '\0';
    }
    return count;
}

static bool read_shift(const char *word, double metres_per_unit, double *shift,
                       pose_reading *reading)
{
    if (parse_shift(word, metres_per_unit, shift, &reading->unit_unknown))
        return true;
    return because(reading, "\"%.60s\" is not a length, such as -2.5 or 25mm", word);
}

static bool read_matrix(char **words, double metres_per_unit, pose_reading *reading)
{
    double matrix[12];
    for (int i = 0; i < 12; ++i) {
        if (i % 4 == 3) {
            if (!read_shift(words[i], metres_per_unit, &matrix[i], reading))
                return false;
        } else if (!parse_real(words[i], &matrix[i])) {
            return because(reading, "\"%.60s\" is not a number", words[i]);
        }
    }
    return pose_of_matrix(matrix, reading);
}

static bool read_turn(char **words, int count, pose_reading *reading)
{
    double angle, axis[3];
    bool degrees;
    if (count != 5 || strcmp(words[1], "about") != 0)
        return because(reading, "a turn is an angle and an axis, such as 30deg about 0 0 1");
    if (!parse_angle(words[0], &angle, &degrees))
        return because(reading, "\"%.60s\" is not an angle, such as 30deg or 0.5rad", words[0]);
    for (int i = 0; i < 3; ++i)
        if (!parse_real(words[2 + i], &axis[i]))
            return because(reading, "\"%.60s\" is not a number", words[2 + i]);
    if (!turn(angle, degrees, axis, &reading->pose))
        return because(reading, "the axis %s %s %s has no direction", words[2], words[3], words[4]);
    return true;
}

bool parse_pose(const char *text, double metres_per_unit, pose_reading *reading)
{
    char copy[LONGEST_POSE], *words[MOST_WORDS];
    *reading = (pose_reading){.pose = graze_pose_identity()};
    if (strlen(text) >= sizeof copy)
        return because(reading, "this is too long for a pose");
    memcpy(copy, text, strlen(text) + 1);
    char *slash = strchr(copy, '/');
    if (slash != NULL)
        *slash = '\0';
    int count = split_words(copy, words);
    if (slash == NULL && count == 12)
        return read_matrix(words, metres_per_unit, reading);
    if (count == 12)
        return because(reading, "a matrix has its turn in it; no \"/\" may follow");
    if (count != 3 && !(slash != NULL && count == 0))
        return because(reading, "a shift is 3 lengths and a matrix 12 numbers, not %d", count);
    for (int i = 0; i < count; ++i)
        if (!read_shift(words[i], metres_per_unit, &reading->pose.translation[i], reading))
            return false;
    if (slash == NULL)
        return true;
    count = split_words(slash + 1, words);
    return read_turn(words, count, reading);
}
