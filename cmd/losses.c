// See losses.h.
#include "losses.h"

#include <stdio.h>
#include <string.h>

#include "units.h"

#define LIST_BYTES 256

void put_losses(cmd_json *json, const char *key, const graze_mesh_losses *losses)
{
    json_open(json, key, '{');
    json_count(json, "nonfinite_vertices", losses->nonfinite_vertices);
    json_count(json, "nonfinite_triangles", losses->nonfinite_triangles);
    json_count(json, "empty_polygons", losses->empty_polygons);
    json_count(json, "polygons", losses->polygons);
    json_count(json, "other_primitives", losses->other_primitives);
    json_close(json, '}');
}

bool is_anything_lost(const graze_mesh_losses *losses)
{
    return losses->nonfinite_triangles != 0 || losses->empty_polygons != 0 ||
           losses->other_primitives != 0;
}

static void add(char list[LIST_BYTES], uint64_t count, const char *one, const char *many)
{
    char number[TEXT_BYTES];
    size_t used = strlen(list);
    if (count != 0)
        snprintf(list + used, LIST_BYTES - used, "%s%s %s", used != 0 ? ", " : "",
                 print_count(number, count), count == 1 ? one : many);
}

void warn_of_model(const cmd_session *session, const char *path, const graze_model *model)
{
    graze_model_info info = graze_model_get_info(model);
    char list[LIST_BYTES] = "";
    add(list, info.losses.nonfinite_triangles, "non-finite triangle", "non-finite triangles");
    add(list, info.losses.empty_polygons, "face with fewer than three corners",
        "faces with fewer than three corners");
    add(list, info.losses.other_primitives, "point or line", "points and lines");
    if (list[0] != '\0')
        note(session, "warning: %s: left out when it was built: %s", path, list);
    if (info.triangle_count == 0)
        note(session, "warning: %s: the model is empty: no triangles", path);
}
