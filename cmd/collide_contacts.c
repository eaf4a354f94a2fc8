// See collide_contacts.h.
#include "collide_contacts.h"

#include <inttypes.h>

#include "csv_out.h"

void print_contacts(const graze_answer *answer)
{
    bool coarse = answer->error > 0.0;
    if (answer->contacts == NULL || answer->pair_count == 0)
        return;
    printf("\n  triangle of a  triangle of b  %-35s  %-23s  %12s%s\n", "point on a: x y z",
           "normal, from a to b", "depth",
           coarse ? "         error       cover a       cover b" : "");
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_contact *contact = &answer->contacts[i];
        const double *point = contact->point_a, *normal = contact->normal;
        // 0 is added since it makes 0 of -0
        printf("  %13" PRIu32 "  %13" PRIu32 "  %11.6g %11.6g %11.6g  %7.4f %7.4f %7.4f  %12.6g",
               contact->pair.a, contact->pair.b, point[0] + 0.0, point[1] + 0.0, point[2] + 0.0,
               normal[0] + 0.0, normal[1] + 0.0, normal[2] + 0.0, contact->depth + 0.0);
        if (coarse)
            printf("  %12.6g  %12.6g  %12.6g", contact->error, contact->cover_a, contact->cover_b);
        putchar('\n');
    }
}

void put_contacts(cmd_json *json, const two_shapes *two, const graze_answer *answer)
{
    json_open(json, "contacts", '[');
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_contact *contact = &answer->contacts[i];
        json_open(json, NULL, '{');
        put_pair(json, "pair", two, &contact->pair);
        json_reals(json, "point_a", contact->point_a, 3);
        json_reals(json, "point_b", contact->point_b, 3);
        json_reals(json, "normal", contact->normal, 3);
        json_real(json, "depth", contact->depth);
        json_real(json, "error", contact->error);
        json_real(json, "cover_a", contact->cover_a);
        json_real(json, "cover_b", contact->cover_b);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void print_contact_names(bool on_path)
{
    printf("%striangle_a,triangle_b,point_a_x,point_a_y,point_a_z,point_b_x,point_b_y,point_b_z,"
           "normal_x,normal_y,normal_z,depth,error,cover_a,cover_b\n",
           on_path ? "line,label," : "");
}

void print_contact_rows(const path_pose *at, const graze_answer *answer)
{
    for (uint64_t i = 0; i < answer->pair_count; ++i) {
        const graze_contact *contact = &answer->contacts[i];
        cmd_csv csv = {.file = stdout};
        if (at != NULL) {
            csv_count(&csv, at->line);
            csv_text(&csv, at->label);
        }
        csv_count(&csv, contact->pair.a);
        csv_count(&csv, contact->pair.b);
        csv_reals(&csv, contact->point_a, 3);
        csv_reals(&csv, contact->point_b, 3);
        csv_reals(&csv, contact->normal, 3);
        csv_reals(&csv, &contact->depth, 1);
        csv_reals(&csv, &contact->error, 1);
        csv_reals(&csv, &contact->cover_a, 1);
        csv_reals(&csv, &contact->cover_b, 1);
        csv_end_row(&csv);
    }
}
