// All that the geometry says of one pair. See answers.h.
#include "answers.h"

#include <string.h>

static void ask_predicates(const nasty_pair *pair, answers *out)
{
    for (int i = 0; i < 6; ++i) {
        const graze_triangle *face = i < 3 ? &pair->a : &pair->b;
        const graze_triangle *other = i < 3 ? &pair->b : &pair->a;
        out->orient3d[i] =
            graze_orient3d(face->corner[0], face->corner[1], face->corner[2], other->corner[i % 3]);
        out->orient2d[i] =
            graze_orient2d(face->corner[i % 3], face->corner[(i + 1) % 3], other->corner[i % 3]);
    }
    out->dimension[0] = graze_triangle_dimension(&pair->a);
    out->dimension[1] = graze_triangle_dimension(&pair->b);
}

// The partner with its corners exchanged for those of a, in turn, and its axes turned.
static void make_batch(const nasty_pair *pair, graze_triangle *out)
{
    for (int i = 0; i < ANSWERS_MANY; ++i) {
        out[i] = pair->b;
        if (i > 0)
            memcpy(out[i].corner[i % 3], pair->a.corner[i / 3 % 3], sizeof out[i].corner[0]);
        if (i > 9)
            memcpy(&out[i].corner[0], &pair->b.corner[i % 2 + 1], sizeof out[i].corner[0]);
    }
}

void answers_get(graze_context *context, const nasty_pair *pair, answers *out)
{
    memset(out, 0, sizeof *out);
    ask_predicates(pair, out);
    out->meet = graze_triangle_meet(&pair->a, &pair->b);
    out->within = graze_triangle_within(&pair->a, &pair->b, pair->tolerance);
    graze_triangle many[ANSWERS_MANY];
    make_batch(pair, many);
    graze_triangle_meet_many(context, &pair->a, many, ANSWERS_MANY, &out->meet_many);
    graze_triangle_within_many(context, &pair->a, many, ANSWERS_MANY, pair->tolerance,
                               &out->within_many);
    graze_triangle_intersect(&pair->a, &pair->b, &out->intersection);
    for (uint32_t i = out->intersection.point_count; i < 6; ++i)
        memset(out->intersection.point[i], 0, sizeof out->intersection.point[i]);
    graze_triangle_closest(&pair->a, &pair->b, &out->closest);
}

uint64_t answers_hash_word(uint64_t hash, uint64_t word)
{
    for (int i = 0; i < 64; i += 8)
        hash = (hash ^ (word >> i & 0xffu)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t answers_hash_double(uint64_t hash, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return answers_hash_word(hash, bits);
}

uint64_t answers_hash_pair(uint64_t hash, const nasty_pair *pair)
{
    for (int i = 0; i < 9; ++i)
        hash = answers_hash_double(hash, pair->a.corner[i / 3][i % 3]);
    for (int i = 0; i < 9; ++i)
        hash = answers_hash_double(hash, pair->b.corner[i / 3][i % 3]);
    return answers_hash_double(hash, pair->tolerance);
}

uint64_t answers_hash(uint64_t hash, const answers *given)
{
    for (int i = 0; i < 6; ++i) {
        hash = answers_hash_word(hash, (uint64_t)(given->orient3d[i] + 1));
        hash = answers_hash_word(hash, (uint64_t)(given->orient2d[i] + 1));
    }
    hash = answers_hash_word(hash, (uint64_t)given->dimension[0]);
    hash = answers_hash_word(hash, (uint64_t)given->dimension[1]);
    hash = answers_hash_word(hash, (uint64_t)given->meet);
    hash = answers_hash_word(hash, (uint64_t)given->within);
    hash = answers_hash_word(hash, given->meet_many);
    hash = answers_hash_word(hash, given->within_many);
    hash = answers_hash_word(hash, given->intersection.point_count);
    hash = answers_hash_word(hash, given->intersection.coplanar);
    for (int i = 0; i < 18; ++i)
        hash = answers_hash_double(hash, given->intersection.point[i / 3][i % 3]);
    hash = answers_hash_double(hash, given->closest.distance_squared);
    hash = answers_hash_double(hash, given->closest.distance);
    for (int i = 0; i < 3; ++i) {
        hash = answers_hash_double(hash, given->closest.point_a[i]);
        hash = answers_hash_double(hash, given->closest.point_b[i]);
    }
    return hash;
}
