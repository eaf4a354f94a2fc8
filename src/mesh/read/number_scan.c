// Numbers that are not of the common form, or did not end within the scan. See number_scan.h.
#include "mesh/read/number_scan.h"

#include <math.h>

bool gz_scan_long_double(gz_scan *scan, const uint8_t *text, double *value)
{
    const uint8_t *end = gz_parse_double(text, value);
    if (end == NULL || !isfinite(*value))
        return false;
    *scan = gz_scan_at(end);
    return true;
}

bool gz_scan_long_float(gz_scan *scan, const uint8_t *text, float *value)
{
    const uint8_t *end = gz_parse_float(text, value);
    if (end == NULL || !isfinite(*value))
        return false;
    *scan = gz_scan_at(end);
    return true;
}
