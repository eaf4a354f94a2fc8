// Numbers with units, from text and back.
#ifndef GRAZE_CMD_UNITS_H
#define GRAZE_CMD_UNITS_H

#include <stdbool.h>
#include <stdint.h>

// Each returns false for anything but a whole number or word.
bool parse_bytes(const char *text, uint64_t *bytes); // 4096, 64k, 512M, 2GiB: powers of 1024
// "17" or "3,5,8-12": how many numbers there are, and as many as there is room for; 0: it is no
// such list.
uint64_t parse_number_list(const char *text, uint64_t *numbers, uint64_t room);
bool parse_number(const char *text, uint64_t *number); // 20000, 20k, 1.5M, 2G: powers of 1000
bool parse_unit(const char *text, double *metres);     // mm, cm, m, in, ft, or metres as a number
bool parse_real(const char *text, double *value);      // finite, in decimal
bool parse_part(const char *text, double *part);       // 0.01 or 1%: above 0, at most 1
bool parse_share(const char *text, double *part);      // the same, or 0
bool parse_seconds(const char *text, double *seconds); // 500us, 1ms, 0.5s, 2min: above 0, with unit
bool parse_angle(const char *text, double *angle, bool *degrees); // 30deg or 0.5rad

// A length such as 25mm, in units of `metres_per_unit`; a plain number is in these units already.
// Finite and positive. A unit where metres_per_unit is 0 fails and sets *unit_unknown.
bool parse_length(const char *text, double metres_per_unit, double *length, bool *unit_unknown);
// A percentage of a length, such as 0.1%.
bool parse_share_of(const char *text, double whole, double *length);
bool parse_tolerance(const char *text, double metres_per_unit, double *length,
                     bool *unit_unknown); // or 0
bool parse_shift(const char *text, double metres_per_unit, double *length,
                 bool *unit_unknown); // of any sign

#define TEXT_BYTES 48
const char *print_count(char out[TEXT_BYTES], uint64_t count); // 1,234,567
const char *print_bytes(char out[TEXT_BYTES], uint64_t bytes); // 1.2 MB: powers of 1000
const char *print_real(char out[TEXT_BYTES], double value);    // the fewest digits that read back
// Seven digits, rounded to this side (-1 down, 1 up), so that what people read is still a bound.
const char *print_bound(char out[TEXT_BYTES], double value, int side);
const char *print_seconds(char out[TEXT_BYTES], double seconds); // 500 us, 1.25 ms, 2.5 s
const char *print_metres(char out[TEXT_BYTES], double metres);   // 25 mm, 1.5 m, 2.3 km
const char *unit_name(double metres_per_unit);                   // "millimetres", or NULL

#endif
