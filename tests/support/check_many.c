// The batched forms against the single ones, on every SIMD width that this machine has. The single
// forms are before the oracle elsewhere, so these need none. See check.h.
#include <float.h>
#include <math.h>

#include "check.h"
#include "nasty_tools.h"

enum { WIDTHS_MAX = 4, BATCH_MAX = 72 };

static graze_context *contexts[WIDTHS_MAX];
static int context_count;

void check_contexts_open(void)
{
    context_count = 0;
    for (graze_simd simd = GRAZE_SIMD_SCALAR; simd <= GRAZE_SIMD_AVX512; ++simd) {
        graze_context_def def = graze_context_def_default();
        def.simd = simd;
        graze_context *context = NULL;
        if (graze_context_create(&def, &context) == GRAZE_OK)
            contexts[context_count++] = context;
    }
}

void check_contexts_close(void)
{
    while (context_count > 0)
        test_context_done(contexts[--context_count]);
}

int check_context_count(void) { return context_count; }

graze_context *check_context(int number) { return contexts[number]; }

// The partner itself, its neighbours in the last place, and relatives that are near or far.
static void make_relative(test_random *random, const nasty_pair *pair, graze_triangle *out)
{
    *out = check_renumbered(&pair->b, test_next(random));
    int number = (int)whole(random, 0, 8);
    double *x = &out->corner[number / 3][number % 3];
    switch (whole(random, 0, 8)) {
    case 0: *x = nextafter(*x, DBL_MAX); break;
    case 1: *x = nextafter(*x, -DBL_MAX); break;
    case 2: *out = check_renumbered(&pair->a, test_next(random)); break;
    case 3: *x = pair->a.corner[0][whole(random, 0, 2)]; break;
    case 4: *x = -*x; break;
    case 5: *x *= 1.0 + ldexp(uniform(random, -1.0, 1.0), -20); break;
    case 6: *x *= 1.0 + ldexp(uniform(random, -1.0, 1.0), -26); break;
    default: break;
    }
}

typedef struct batch {
    graze_triangle b[BATCH_MAX];
    uint32_t count, first; // b + first is what is handed over, so that alignment varies
    uint32_t meet[BATCH_MAX / 32 + 1], within[BATCH_MAX / 32 + 1]; // the truth
    double tolerance;
} batch;

static void make_batch(const nasty_pair *pair, uint64_t number, batch *out)
{
    test_random random = {number};
    memset(out, 0, sizeof *out);
    out->count = (uint32_t)whole(&random, 0, chance(&random, 8) ? 68 : 40);
    out->first = (uint32_t)whole(&random, 0, 3);
    out->tolerance = pair->tolerance;
    graze_closest closest;
    graze_triangle_closest(&pair->a, &pair->b, &closest);
    double near = closest.distance;
    if (chance(&random, 2)) { // off by what float can just see or just not
        int places = (int)whole(&random, 18, 53);
        near *= 1.0 + ldexp(uniform(&random, -1.0, 1.0), -places);
    }
    if (!chance(&random, 4) && isfinite(near))
        out->tolerance = near;
    else if (chance(&random, 8))
        out->tolerance = chance(&random, 2) ? 0.0 : DBL_MAX;
    for (uint32_t i = 0; i < out->count; ++i) {
        graze_triangle *b = &out->b[out->first + i];
        make_relative(&random, pair, b);
        uint32_t bit = UINT32_C(1) << (i % 32);
        if (graze_triangle_meet(&pair->a, b))
            out->meet[i / 32] |= bit;
        if (graze_triangle_within(&pair->a, b, out->tolerance))
            out->within[i / 32] |= bit;
    }
}

const char *check_many(check_state *state, const nasty_pair *pair)
{
    batch made;
    make_batch(pair, state->number, &made);
    const graze_triangle *b = made.b + made.first;
    uint32_t words = (made.count + 31) / 32;
    for (int i = 0; i < context_count; ++i) {
        uint32_t bits[BATCH_MAX / 32 + 2];
        memset(bits, 0xa5, sizeof bits);
        graze_triangle_meet_many(contexts[i], &pair->a, b, made.count, bits);
        if (memcmp(bits, made.meet, words * sizeof bits[0]) != 0 || bits[words] != 0xa5a5a5a5u)
            return "meet_many";
        memset(bits, 0xa5, sizeof bits);
        graze_triangle_within_many(contexts[i], &pair->a, b, made.count, made.tolerance, bits);
        if (memcmp(bits, made.within, words * sizeof bits[0]) != 0 || bits[words] != 0xa5a5a5a5u)
            return "within_many";
    }
    return NULL;
}
