// Statuses and evidence. See record_status.h.
#include "scene/record/record_status.h"

static graze_record_status after_found(graze_record_status was, bool worse)
{
    switch (was) {
    case GRAZE_RECORD_APPROVED: return worse ? GRAZE_RECORD_ACTIVE : was;
    case GRAZE_RECORD_REVIEWED: return was;
    default: return GRAZE_RECORD_ACTIVE; // it is new no more; it is back; or it was active
    }
}

gz_standing gz_standing_after(gz_standing now, gz_evidence evidence)
{
    graze_record_status status = now.before;
    if (evidence == GZ_EVIDENCE_GONE)
        status = GRAZE_RECORD_RESOLVED;
    else if (evidence != GZ_EVIDENCE_NONE)
        status = after_found(status, evidence == GZ_EVIDENCE_WORSE);
    else if (now.status != GRAZE_RECORD_RESOLVED) // what is gone need not be looked at
        return (gz_standing){GRAZE_RECORD_NOT_RECHECKED, now.before};
    return (gz_standing){status, status};
}

static bool is_gap(const graze_clash *clash)
{
    return clash->kind == GRAZE_CLASH_CLEARANCE || clash->kind == GRAZE_CLASH_TOUCHING;
}

static bool has_depth(const graze_clash *clash) { return clash->depth_high > 0; }

bool gz_clash_is_worse(const graze_clash *then, const graze_clash *now, double touch)
{
    if (is_gap(now))
        return is_gap(then) && then->gap - now->gap > touch;
    if (is_gap(then))
        return true;
    if (has_depth(then) && has_depth(now))
        return now->depth_high - then->depth_high > touch;
    return then->kind != now->kind || now->length - then->length > touch;
}
