// What a run's finding does to the status of a clash: the one place where statuses change by
// evidence. docs/guarantees.md states the rules.
#ifndef GZ_RECORD_STATUS_H
#define GZ_RECORD_STATUS_H

#include <stdbool.h>

#include "graze/clash_record.h"

typedef enum gz_evidence {
    GZ_EVIDENCE_FOUND, // it is there
    GZ_EVIDENCE_WORSE, // it is there, and worse than what was approved by more than touch
    GZ_EVIDENCE_GONE,  // proved not to be there
    GZ_EVIDENCE_NONE   // nobody looked
} gz_evidence;

typedef struct gz_standing {
    graze_record_status status;
    graze_record_status before; // where the status is not re-checked: the one before; else the same
} gz_standing;

gz_standing gz_standing_after(gz_standing now, gz_evidence evidence);

// Is a clash worse than it was, by more than touch? What cannot be compared counts as worse. Of
// depths, which are known between two bounds, the upper ones are compared.
bool gz_clash_is_worse(const graze_clash *then, const graze_clash *now, double touch);

#endif
