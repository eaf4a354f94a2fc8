// Fault sweeps. See faults.h.
#include "faults.h"

#include "base/context.h"
#include "base/knobs.h"

static _Atomic int64_t *fault_counter(graze_context *context, int kind)
{
    return kind == 0   ? &gz_knobs_for(context)->allocations_left
           : kind == 1 ? &gz_knobs_for(context)->reads_left
                       : &gz_knobs_for(context)->writes_left;
}

// How many allocations, reads or writes there are when none fails.
static int64_t count_faults(test_run *run, void *data, int kind)
{
    const int64_t plenty = INT64_MAX / 2;
    graze_context *context = test_context(NULL);
    atomic_store(fault_counter(context, kind), plenty);
    assert_int_equal(run(context, data), GRAZE_OK);
    int64_t count = plenty - atomic_load(fault_counter(context, kind));
    test_context_done(context);
    return count;
}

static int64_t next_fault(int64_t n, int64_t count, uint64_t step)
{
    enum { FIRST = 5, LAST = 2 };
    if (step == 1 || n + 1 < FIRST || n + 1 >= count - LAST)
        return n + 1;
    int64_t next = n + (int64_t)step;
    return next < count - LAST ? next : count - LAST;
}

uint64_t test_all_faults(test_run *run, void *data, uint64_t step)
{
    static const graze_status expected[] = {GRAZE_ERROR_MEMORY, GRAZE_ERROR_IO, GRAZE_ERROR_SPACE};
    uint64_t tried = 0;
    for (int kind = 0; kind < 3; ++kind) {
        bool reached = true;
        int64_t count = step == 1 ? INT64_MAX : count_faults(run, data, kind);
        for (int64_t n = 0; n < count && reached; n = next_fault(n, count, step)) {
            graze_context *context = test_context(NULL);
            atomic_store(fault_counter(context, kind), n);
            graze_status status = run(context, data);
            reached = atomic_load(fault_counter(context, kind)) < 0;
            if (status != GRAZE_OK && (status != expected[kind] || test_last_error[0] == '\0'))
                fail_msg("fault %d of kind %d: status %d, \"%s\"", (int)n, kind, (int)status,
                         test_last_error);
            test_context_done(context);
            tried += reached;
        }
    }
    return tried;
}
