// Where the triangles that are in contact are so: points, normals and depths.
#ifndef GZ_CONTACTS_H
#define GZ_CONTACTS_H

#include "geometry/contact.h"
#include "query/query_scratch.h"

// Sorts the pairs that query->pairs has found with their places, and fills in the two lists of the
// answer. GRAZE_ERROR_MEMORY is said without a sentence.
graze_status gz_contacts_list(graze_query *query, graze_answer *answer);
void gz_contacts_free(graze_query *query);

#endif
