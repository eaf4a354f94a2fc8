// Numbers as files hold them: little-endian or big-endian, at any address.
#ifndef GZ_BYTES_H
#define GZ_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define GZ_HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

// Each writes the value and returns the byte behind it.
static inline uint8_t *gz_put_u32(uint8_t *out, uint32_t value, bool big_endian)
{
    if (big_endian != GZ_HOST_BIG_ENDIAN)
        value = __builtin_bswap32(value);
    memcpy(out, &value, sizeof value);
    return out + sizeof value;
}
static inline uint8_t *gz_put_u64(uint8_t *out, uint64_t value, bool big_endian)
{
    if (big_endian != GZ_HOST_BIG_ENDIAN)
        value = __builtin_bswap64(value);
    memcpy(out, &value, sizeof value);
    return out + sizeof value;
}
static inline uint8_t *gz_put_float(uint8_t *out, float value, bool big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return gz_put_u32(out, bits, big_endian);
}
static inline uint8_t *gz_put_double(uint8_t *out, double value, bool big_endian)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return gz_put_u64(out, bits, big_endian);
}
static inline uint32_t gz_get_u32(const uint8_t *in, bool big_endian)
{
    uint32_t value;
    memcpy(&value, in, sizeof value);
    return big_endian != GZ_HOST_BIG_ENDIAN ? __builtin_bswap32(value) : value;
}
static inline uint64_t gz_get_u64(const uint8_t *in, bool big_endian)
{
    uint64_t value;
    memcpy(&value, in, sizeof value);
    return big_endian != GZ_HOST_BIG_ENDIAN ? __builtin_bswap64(value) : value;
}
static inline float gz_get_float(const uint8_t *in, bool big_endian)
{
    uint32_t bits = gz_get_u32(in, big_endian);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double gz_get_double(const uint8_t *in, bool big_endian)
{
    uint64_t bits = gz_get_u64(in, big_endian);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
