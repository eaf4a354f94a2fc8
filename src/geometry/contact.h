// Where two triangles are in contact, along which normal, and how deep.
#ifndef GZ_CONTACT_H
#define GZ_CONTACT_H

#include "graze/query.h"

// All of the contact but the numbers of the triangles. Expects the state of geometry/fpu.h.
void gz_contact_of(const graze_triangle *a, const graze_triangle *b, graze_contact *out);

#endif
