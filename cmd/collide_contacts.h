// What collide prints about each contact, for --contacts: a table, members of JSON, rows of CSV.
#ifndef GRAZE_CMD_COLLIDE_CONTACTS_H
#define GRAZE_CMD_COLLIDE_CONTACTS_H

#include "two_shapes.h"

void print_contacts(const graze_answer *answer); // with a title
void put_contacts(cmd_json *json, const two_shapes *two, const graze_answer *answer);

void print_contact_names(bool on_path); // the first row of CSV
// One row each. `at` is NULL where there is no path.
void print_contact_rows(const path_pose *at, const graze_answer *answer);

#endif
