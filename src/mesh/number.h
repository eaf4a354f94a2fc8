// Numbers in text: decimal to float and double, correctly rounded, whatever the locale; and back,
// in the fewest digits that read back as the same bits.
#ifndef GZ_NUMBER_H
#define GZ_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

// Each parses at `text` (no leading blanks) and returns the first byte behind the number, or NULL
// if there is none. They look at no byte behind the number's end plus one; the text must end in a
// byte that no number contains (a source's slack does that). Accepted: optional sign, digits,
// point, exponent (e or E; d and D as Fortran writes them), inf, infinity, nan, nan(...), in any
// case. Too large becomes an infinity, too small becomes zero or a subnormal: correctly rounded.
const uint8_t *gz_parse_double(const uint8_t *text, double *value);
const uint8_t *gz_parse_float(const uint8_t *text, float *value);   // rounds once, from the decimal
const uint8_t *gz_parse_int64(const uint8_t *text, int64_t *value); // NULL on overflow too

// Write the shortest decimal that reads back as the same bits, without a final zero byte; at most
// GZ_NUMBER_BYTES. Returns the byte behind the last.
#define GZ_NUMBER_BYTES 32
char *gz_print_double(char *out, double value);
char *gz_print_float(char *out, float value);
char *gz_print_uint64(char *out, uint64_t value);

#endif
