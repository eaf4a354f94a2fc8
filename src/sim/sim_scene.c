// Reads simulations from JSON. See graze/sim_scene.h, and docs/manual.md for what may be in a file.
//
// Strict: a key that is not known is refused, for a mass that is silently not applied makes another
// simulation. What the values mean is checked where bodies and simulations are made.
#include "graze/sim_scene.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "base/file.h"
#include "base/json.h"
#include "geometry/pose.h"
#include "mesh/number.h"

#define READ_BYTES 65536u
#define MOST_BYTES (UINT64_C(256) << 20)
#define MATERIALS  64u

typedef struct scene_file {
    char *path;
    graze_shape *shape;
    graze_contact_detail *detail; // of a file of these
    bool is_detail;
} scene_file;

typedef struct scene_body {
    graze_body_def def;
    graze_mass mass;
    bool has_mass, has_inertia, has_center, shell;
    uint64_t file, detail; // UINT64_MAX: none
    uint64_t first_waypoint;
    char *name;
} scene_body;

struct graze_sim_scene {
    graze_context *context;
    graze_sim_setting setting;
    GZ_LIST(scene_file) files;
    GZ_LIST(scene_body) bodies;
    GZ_LIST(graze_waypoint) waypoints;
    GZ_LIST(char *) materials; // names; their numbers are their places
    struct {
        uint32_t a, b;
        double restitution, friction;
    } contact[MATERIALS];
    uint32_t contact_count;
};

typedef struct scene_reader {
    graze_sim_scene *scene;
    gz_json json;
    const char *folder; // of the file, with its '/'
    uint64_t folder_bytes;
} scene_reader;

static graze_status scene_no_memory(const graze_sim_scene *scene)
{
    return gz_fail(scene->context, GRAZE_ERROR_MEMORY, "out of memory for a simulation");
}

// --- Values

static bool read_number(const scene_reader *r, uint32_t token, double *value)
{
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_NUMBER)
        return false;
    const gz_json_token *t = &r->json.tokens[token];
    const uint8_t *text = (const uint8_t *)r->json.text;
    return gz_parse_double(text + t->start, value) == text + t->end && isfinite(*value);
}

static bool read_numbers(const scene_reader *r, uint32_t list, double *values, uint32_t count)
{
    if (gz_json_kind_of(&r->json, list) != GZ_JSON_ARRAY || gz_json_count(&r->json, list) != count)
        return false;
    uint32_t item = gz_json_first(&r->json, list);
    for (uint32_t i = 0; i < count; ++i, item = gz_json_after(&r->json, list, item))
        if (!read_number(r, item, &values[i]))
            return false;
    return true;
}

// What stands under a key is taken by one of these, with the place that it goes to.
typedef graze_status take_value(scene_reader *r, uint32_t token, void *place);

typedef struct known_key {
    const char *name;
    take_value *take;
    size_t offset; // of the place, in what the object is about
} known_key;

static graze_status take_real(scene_reader *r, uint32_t token, void *place)
{
    if (read_number(r, token, place))
        return GRAZE_OK;
    return gz_json_fail(&r->json, token, "this is to be a number");
}

static graze_status take_three(scene_reader *r, uint32_t token, void *place)
{
    if (read_numbers(r, token, place, 3))
        return GRAZE_OK;
    return gz_json_fail(&r->json, token, "this is to be three numbers: [x, y, z]");
}

static graze_status take_count(scene_reader *r, uint32_t token, void *place)
{
    uint64_t value;
    if (!gz_json_uint(&r->json, token, UINT32_MAX, &value))
        return gz_json_fail(&r->json, token, "this is to be a whole number");
    *(uint32_t *)place = (uint32_t)value;
    return GRAZE_OK;
}

static graze_status take_flag(scene_reader *r, uint32_t token, void *place)
{
    gz_json_kind kind = gz_json_kind_of(&r->json, token);
    *(bool *)place = kind == GZ_JSON_TRUE;
    if (kind == GZ_JSON_TRUE || kind == GZ_JSON_FALSE)
        return GRAZE_OK;
    return gz_json_fail(&r->json, token, "this is to be true or false");
}

static graze_status take_members(scene_reader *r, uint32_t object, const known_key *keys,
                                 void *about)
{
    uint32_t seen = 0;
    graze_status status = GRAZE_OK;
    if (gz_json_kind_of(&r->json, object) != GZ_JSON_OBJECT)
        return gz_json_fail(&r->json, object, "this is to be an object, in braces");
    for (uint32_t key = gz_json_first(&r->json, object); key != GZ_JSON_NONE && status == GRAZE_OK;
         key = gz_json_after(&r->json, object, key + 1)) {
        uint32_t known = 0;
        while (keys[known].name != NULL && !gz_json_equals(&r->json, key, keys[known].name))
            ++known;
        if (keys[known].name == NULL)
            return gz_json_fail(&r->json, key, "a simulation knows no such key here");
        if ((seen >> known & 1u) != 0)
            return gz_json_fail(&r->json, key, "this key stands here twice");
        seen |= 1u << known;
        status = keys[known].take(r, key + 1, (char *)about + keys[known].offset);
    }
    return status;
}

// --- Poses

static graze_status take_rows(scene_reader *r, uint32_t token, void *place)
{
    graze_pose *pose = place;
    double rows[12];
    if (!read_numbers(r, token, rows, 12))
        return gz_json_fail(&r->json, token, "a pose is 12 numbers, three rows of four");
    for (int row = 0; row < 3; ++row) {
        memcpy(&pose->rotation[3 * row], &rows[4 * row], 3 * sizeof *rows);
        pose->translation[row] = rows[4 * row + 3];
    }
    if (!gz_pose_sound(pose))
        return gz_json_fail(&r->json, token, "this pose is not a rotation and a translation");
    return GRAZE_OK;
}

static graze_status take_position(scene_reader *r, uint32_t token, void *place)
{
    return take_three(r, token, ((graze_pose *)place)->translation);
}

static graze_status take_quaternion(scene_reader *r, uint32_t token, void *place)
{
    graze_pose *pose = place, made;
    double q[4];
    if (!read_numbers(r, token, q, 4))
        return gz_json_fail(&r->json, token, "a quaternion is four numbers: x, y, z, w");
    if (graze_pose_from_quaternion(q, NULL, &made) != GRAZE_OK)
        return gz_json_fail(&r->json, token, "this quaternion is no rotation");
    memcpy(pose->rotation, made.rotation, sizeof pose->rotation);
    return GRAZE_OK;
}

// An angle in degrees, and the axis.
static graze_status take_turn(scene_reader *r, uint32_t token, void *place)
{
    graze_pose *pose = place, made;
    double turn[4];
    if (!read_numbers(r, token, turn, 4))
        return gz_json_fail(&r->json, token, "a turn is four numbers: degrees, and the axis");
    if (graze_pose_from_axis(turn + 1, turn[0] * 0.017453292519943295, NULL, &made) != GRAZE_OK)
        return gz_json_fail(&r->json, token, "this turn is about no axis");
    memcpy(pose->rotation, made.rotation, sizeof pose->rotation);
    return GRAZE_OK;
}

static const known_key waypoint_keys[] = {
    {"time", take_real, offsetof(graze_waypoint, time)},
    {"position", take_position, offsetof(graze_waypoint, pose)},
    {"quaternion", take_quaternion, offsetof(graze_waypoint, pose)},
    {"turn", take_turn, offsetof(graze_waypoint, pose)},
    {"pose", take_rows, offsetof(graze_waypoint, pose)},
    {NULL, NULL, 0}};

static graze_status take_path(scene_reader *r, uint32_t token, void *place)
{
    scene_body *body = place;
    graze_status status = GRAZE_OK;
    body->def.kind = GRAZE_BODY_ON_PATH;
    body->first_waypoint = r->scene->waypoints.count;
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_ARRAY)
        return gz_json_fail(&r->json, token, "a path is a list of poses with times");
    for (uint32_t item = gz_json_first(&r->json, token); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&r->json, token, item)) {
        graze_waypoint way = {.pose = graze_pose_identity()};
        status = take_members(r, item, waypoint_keys, &way);
        if (status == GRAZE_OK && !gz_list_append(r->scene->context, &r->scene->waypoints, &way, 1))
            status = scene_no_memory(r->scene);
    }
    body->def.path_count = r->scene->waypoints.count - body->first_waypoint;
    return status;
}

// --- Bodies

// The number of a file that is known, or is from now on.
static graze_status take_file(scene_reader *r, uint32_t token, void *place)
{
    graze_sim_scene *scene = r->scene;
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_STRING)
        return gz_json_fail(&r->json, token, "a file is a text: its path");
    char *name = gz_json_copy(&r->json, token);
    if (name == NULL)
        return scene_no_memory(scene);
    uint64_t folder = name[0] == '/' ? 0 : r->folder_bytes, bytes = strlen(name) + 1;
    char *path = gz_allocate(scene->context, folder + bytes);
    if (path != NULL) {
        memcpy(path, r->folder, (size_t)folder);
        memcpy(path + folder, name, (size_t)bytes);
    }
    gz_string_free(scene->context, name);
    if (path == NULL)
        return scene_no_memory(scene);
    uint64_t known = 0;
    while (known < scene->files.count && strcmp(scene->files.items[known].path, path) != 0)
        ++known;
    *(uint64_t *)place = known;
    if (known < scene->files.count) {
        gz_string_free(scene->context, path);
        return GRAZE_OK;
    }
    scene_file file = {.path = path};
    if (gz_list_append(scene->context, &scene->files, &file, 1))
        return GRAZE_OK;
    gz_string_free(scene->context, path);
    return scene_no_memory(scene);
}

static graze_status take_detail(scene_reader *r, uint32_t token, void *place)
{
    graze_status status = take_file(r, token, place);
    if (status == GRAZE_OK)
        r->scene->files.items[*(uint64_t *)place].is_detail = true;
    return status;
}

static graze_status take_name(scene_reader *r, uint32_t token, void *place)
{
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_STRING)
        return gz_json_fail(&r->json, token, "a name is a text");
    *(char **)place = gz_json_copy(&r->json, token);
    return *(char **)place != NULL ? GRAZE_OK : scene_no_memory(r->scene);
}

// The number of a material: 0 is the one that has no name.
static graze_status take_material(scene_reader *r, uint32_t token, void *place)
{
    graze_sim_scene *scene = r->scene;
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_STRING)
        return gz_json_fail(&r->json, token, "a material is a text: its name");
    uint32_t known = 0;
    while (known < scene->materials.count &&
           !gz_json_equals(&r->json, token, scene->materials.items[known]))
        ++known;
    *(uint32_t *)place = known + 1;
    if (known < scene->materials.count)
        return GRAZE_OK;
    if (known + 1 >= MATERIALS)
        return gz_json_fail(&r->json, token, "there are more than %u materials", MATERIALS - 1);
    char *name = gz_json_copy(&r->json, token);
    if (name == NULL)
        return scene_no_memory(scene);
    if (gz_list_append(scene->context, &scene->materials, &name, 1))
        return GRAZE_OK;
    gz_string_free(scene->context, name);
    return scene_no_memory(scene);
}

static graze_status take_static(scene_reader *r, uint32_t token, void *place)
{
    bool is_static;
    graze_status status = take_flag(r, token, &is_static);
    if (is_static)
        ((scene_body *)place)->def.kind = GRAZE_BODY_STATIC;
    return status;
}

static graze_status take_mass(scene_reader *r, uint32_t token, void *place)
{
    scene_body *body = place;
    body->has_mass = true;
    return take_real(r, token, &body->mass.mass);
}

static graze_status take_center(scene_reader *r, uint32_t token, void *place)
{
    scene_body *body = place;
    body->has_center = true;
    return take_three(r, token, body->mass.center);
}

static graze_status take_inertia(scene_reader *r, uint32_t token, void *place)
{
    scene_body *body = place;
    body->has_inertia = true;
    if (read_numbers(r, token, body->mass.inertia, 6))
        return GRAZE_OK;
    return gz_json_fail(&r->json, token, "an inertia is six numbers: xx, yy, zz, xy, xz, yz");
}

static const known_key body_keys[] = {
    {"file", take_file, offsetof(scene_body, file)},
    {"detail", take_detail, offsetof(scene_body, detail)},
    {"name", take_name, offsetof(scene_body, name)},
    {"position", take_position, offsetof(scene_body, def.pose)},
    {"quaternion", take_quaternion, offsetof(scene_body, def.pose)},
    {"turn", take_turn, offsetof(scene_body, def.pose)},
    {"pose", take_rows, offsetof(scene_body, def.pose)},
    {"velocity", take_three, offsetof(scene_body, def.velocity)},
    {"spin", take_three, offsetof(scene_body, def.spin)},
    {"density", take_real, offsetof(scene_body, def.density)},
    {"shell", take_flag, offsetof(scene_body, shell)},
    {"mass", take_mass, 0},
    {"center", take_center, 0},
    {"inertia", take_inertia, 0},
    {"material", take_material, offsetof(scene_body, def.material)},
    {"static", take_static, 0},
    {"path", take_path, 0},
    {NULL, NULL, 0}};

static graze_status take_body(scene_reader *r, uint32_t token)
{
    graze_sim_scene *scene = r->scene;
    scene_body body = {.def = graze_body_def_default(), .file = UINT64_MAX, .detail = UINT64_MAX};
    graze_status status = take_members(r, token, body_keys, &body);
    if (status == GRAZE_OK && body.file == UINT64_MAX)
        status = gz_json_fail(&r->json, token, "a body needs a \"file\" with its shape");
    if (status == GRAZE_OK && body.has_inertia && !body.has_mass)
        status = gz_json_fail(&r->json, token, "a body with an \"inertia\" needs a \"mass\", too");
    if (status == GRAZE_OK && body.has_center && !body.has_inertia)
        status = gz_json_fail(&r->json, token, "a \"center\" comes with an \"inertia\" about it");
    if (status == GRAZE_OK && !gz_list_append(scene->context, &scene->bodies, &body, 1))
        status = scene_no_memory(scene);
    if (status != GRAZE_OK)
        gz_string_free(scene->context, body.name);
    return status;
}

static graze_status take_bodies(scene_reader *r, uint32_t token, void *place)
{
    graze_status status = GRAZE_OK;
    (void)place;
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_ARRAY)
        return gz_json_fail(&r->json, token, "bodies are a list");
    for (uint32_t item = gz_json_first(&r->json, token); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&r->json, token, item))
        status = take_body(r, item);
    return status;
}

// --- Materials, metrics, the view

typedef struct contact_reading {
    uint32_t a, b;
    double restitution, friction;
} contact_reading;

static const known_key contact_keys[] = {
    {"a", take_material, offsetof(contact_reading, a)},
    {"b", take_material, offsetof(contact_reading, b)},
    {"restitution", take_real, offsetof(contact_reading, restitution)},
    {"friction", take_real, offsetof(contact_reading, friction)},
    {NULL, NULL, 0}};

static graze_status take_contacts(scene_reader *r, uint32_t token, void *place)
{
    graze_sim_scene *scene = r->scene;
    graze_status status = GRAZE_OK;
    (void)place;
    if (gz_json_kind_of(&r->json, token) != GZ_JSON_ARRAY)
        return gz_json_fail(&r->json, token, "materials are a list of pairs");
    for (uint32_t item = gz_json_first(&r->json, token); item != GZ_JSON_NONE && status == GRAZE_OK;
         item = gz_json_after(&r->json, token, item)) {
        contact_reading contact = {.restitution = scene->setting.def.restitution,
                                   .friction = scene->setting.def.friction};
        status = take_members(r, item, contact_keys, &contact);
        if (status == GRAZE_OK && scene->contact_count == MATERIALS)
            status = gz_json_fail(&r->json, item, "there are more than %u pairs of materials",
                                  MATERIALS);
        if (status != GRAZE_OK)
            break;
        uint32_t i = scene->contact_count++;
        scene->contact[i].a = contact.a;
        scene->contact[i].b = contact.b;
        scene->contact[i].restitution = contact.restitution;
        scene->contact[i].friction = contact.friction;
    }
    return status;
}

static graze_status take_engine(scene_reader *r, uint32_t token, void *place)
{
    static const char *const names[] = {"exact", "lod", "detail"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (gz_json_equals(&r->json, token, names[i])) {
            *(graze_sim_engine *)place = (graze_sim_engine)i;
            return GRAZE_OK;
        }
    return gz_json_fail(&r->json, token, "an engine is \"exact\", \"lod\" or \"detail\"");
}

static graze_status take_overlap(scene_reader *r, uint32_t token, void *place)
{
    *(uint32_t *)place = gz_json_equals(&r->json, token, "pass");
    if (*(uint32_t *)place != 0 || gz_json_equals(&r->json, token, "refuse"))
        return GRAZE_OK;
    return gz_json_fail(&r->json, token, "\"overlap\" is \"refuse\" or \"pass\"");
}

#define IN_DEF(member) (offsetof(graze_sim_setting, def) + offsetof(graze_sim_def, member))
static const known_key metric_keys[] = {
    {"size", take_real, IN_DEF(error_by_size)},
    {"speed", take_real, IN_DEF(error_by_speed)},
    {"least", take_real, IN_DEF(least_error)},
    {"view", take_real, offsetof(graze_sim_setting, camera.pixels)},
    {NULL, NULL, 0}};

static graze_status take_metric(scene_reader *r, uint32_t token, void *place)
{
    return take_members(r, token, metric_keys, place);
}

// A picture of so many rows, of a field of view of so many degrees from its top to its bottom.
typedef struct camera_reading {
    double eye[3], field, rows;
} camera_reading;

static const known_key camera_keys[] = {{"eye", take_three, offsetof(camera_reading, eye)},
                                        {"field", take_real, offsetof(camera_reading, field)},
                                        {"rows", take_real, offsetof(camera_reading, rows)},
                                        {NULL, NULL, 0}};

static graze_status take_camera(scene_reader *r, uint32_t token, void *place)
{
    graze_view_error *camera = place;
    camera_reading reading = {.field = 40, .rows = 1080};
    graze_status status = take_members(r, token, camera_keys, &reading);
    if (status != GRAZE_OK)
        return status;
    if (!(reading.field > 0 && reading.field < 180 && reading.rows >= 1))
        return gz_json_fail(&r->json, token,
                            "a field of view is above 0 and below 180 degrees, and a picture has a "
                            "row at least");
    memcpy(camera->eye, reading.eye, sizeof camera->eye);
    camera->pixel = 2 * tan(reading.field * 0.5 * 0.017453292519943295) / reading.rows;
    return GRAZE_OK;
}

static graze_status take_view_name(scene_reader *r, uint32_t token, void *place)
{
    static const char *const names[] = {"front", "back",   "left",  "right",
                                        "top",   "bottom", "corner"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (gz_json_equals(&r->json, token, names[i])) {
            memcpy(place, names[i], strlen(names[i]) + 1);
            return GRAZE_OK;
        }
    return gz_json_fail(&r->json, token,
                        "a view is front, back, left, right, top, bottom or corner");
}

static const known_key view_keys[] = {{"from", take_view_name, offsetof(graze_sim_setting, view)},
                                      {"low", take_three, offsetof(graze_sim_setting, sees.min)},
                                      {"high", take_three, offsetof(graze_sim_setting, sees.max)},
                                      {NULL, NULL, 0}};

static graze_status take_view(scene_reader *r, uint32_t token, void *place)
{
    graze_sim_setting *setting = place;
    setting->has_view = 1;
    return take_members(r, token, view_keys, setting);
}

static const known_key file_keys[] = {
    {"gravity", take_three, IN_DEF(gravity)},
    {"step", take_real, IN_DEF(step)},
    {"duration", take_real, offsetof(graze_sim_setting, duration)},
    {"slop", take_real, IN_DEF(slop)},
    {"restitution", take_real, IN_DEF(restitution)},
    {"friction", take_real, IN_DEF(friction)},
    {"rest_speed", take_real, IN_DEF(rest_speed)},
    {"iterations", take_count, IN_DEF(iterations)},
    {"event_limit", take_count, IN_DEF(event_limit)},
    {"overlap", take_overlap, IN_DEF(may_overlap)},
    {"engine", take_engine, IN_DEF(engine)},
    {"error", take_real, IN_DEF(error)},
    {"metric", take_metric, 0},
    {"camera", take_camera, offsetof(graze_sim_setting, camera)},
    {"budget", take_real, IN_DEF(time_limit)},
    {"materials", take_contacts, 0},
    {"bodies", take_bodies, 0},
    {"view", take_view, 0},
    {NULL, NULL, 0}};

// --- The whole

static graze_status read_text(gz_file *file, gz_byte_list *bytes)
{
    graze_status status = GRAZE_OK;
    uint64_t got = READ_BYTES;
    while (status == GRAZE_OK && got == READ_BYTES) {
        uint8_t *room = gz_list_push(file->context, bytes, READ_BYTES + 1);
        if (room == NULL)
            return gz_fail(file->context, GRAZE_ERROR_MEMORY, "%s: out of memory", file->path);
        status = gz_file_read_next(file, room, READ_BYTES, &got);
        bytes->count -= READ_BYTES + 1 - (status == GRAZE_OK ? got : 0);
        if (status == GRAZE_OK && bytes->count > MOST_BYTES)
            status = gz_fail(file->context, GRAZE_ERROR_UNSUPPORTED,
                             "%s: a simulation of more than 256 MiB", file->path);
    }
    if (status == GRAZE_OK)
        bytes->items[bytes->count] = '\0'; // there is room for it
    return status;
}

static graze_status read_scene(scene_reader *r, const char *path, gz_byte_list *bytes)
{
    graze_sim_scene *scene = r->scene;
    graze_status status =
        gz_json_parse(scene->context, path, 0, (const char *)bytes->items, bytes->count, &r->json);
    if (status != GRAZE_OK)
        return status;
    // Materials fall back to what stands anywhere in the file.
    uint32_t friction = gz_json_member(&r->json, 0, "friction");
    uint32_t restitution = gz_json_member(&r->json, 0, "restitution");
    read_number(r, friction, &scene->setting.def.friction);
    read_number(r, restitution, &scene->setting.def.restitution);
    status = take_members(r, 0, file_keys, &scene->setting);
    if (status == GRAZE_OK && !(scene->setting.duration >= 0))
        status = gz_json_fail(&r->json, 0, "the duration is below 0");
    if (status == GRAZE_OK && scene->setting.camera.pixels > 0) {
        if (!(scene->setting.camera.pixel > 0))
            status = gz_json_fail(&r->json, 0, "a metric by view needs a \"camera\"");
        scene->setting.def.error_function = graze_error_by_view;
        scene->setting.def.error_user = &scene->setting.camera;
    }
    gz_json_free(&r->json);
    scene->setting.body_count = (uint32_t)scene->bodies.count;
    for (uint64_t i = 0; i < scene->files.count && status == GRAZE_OK; ++i) {
        scene_file *file = &scene->files.items[i];
        status = file->is_detail
                     ? graze_contact_detail_load(scene->context, file->path, &file->detail)
                     : graze_shape_read(scene->context, file->path, NULL, &file->shape);
    }
    return status;
}

graze_status graze_sim_scene_read(graze_context *context, const char *path, graze_sim_scene **scene)
{
    gz_file file = {0};
    gz_byte_list bytes = {0};
    if (scene != NULL)
        *scene = NULL;
    if (context == NULL || path == NULL || scene == NULL)
        return gz_fail_null(context, "graze_sim_scene_read");
    graze_status status = gz_file_open(context, path, &file);
    if (status != GRAZE_OK)
        return status;
    status = read_text(&file, &bytes);
    gz_file_close(&file);
    graze_sim_scene *made = status == GRAZE_OK ? gz_allocate(context, sizeof *made) : NULL;
    if (status == GRAZE_OK && made == NULL)
        status = gz_fail(context, GRAZE_ERROR_MEMORY, "%s: out of memory", path);
    if (status == GRAZE_OK) {
        const char *slash = strrchr(path, '/');
        scene_reader reader = {.scene = made,
                               .folder = path,
                               .folder_bytes = slash == NULL ? 0 : (uint64_t)(slash + 1 - path)};
        *made = (graze_sim_scene){.context = context,
                                  .setting = {.def = graze_sim_def_default(), .duration = 1}};
        memcpy(made->setting.view, "corner", sizeof "corner");
        made->setting.sees = graze_box_empty();
        status = read_scene(&reader, path, &bytes);
    }
    gz_list_free(context, &bytes);
    if (status == GRAZE_OK)
        *scene = made;
    else
        graze_sim_scene_free(made);
    return status;
}

void graze_sim_scene_free(graze_sim_scene *scene)
{
    if (scene == NULL)
        return;
    graze_context *context = scene->context;
    for (uint64_t i = 0; i < scene->files.count; ++i) {
        graze_shape_free(scene->files.items[i].shape);
        graze_contact_detail_free(scene->files.items[i].detail);
        gz_string_free(context, scene->files.items[i].path);
    }
    for (uint64_t i = 0; i < scene->bodies.count; ++i)
        gz_string_free(context, scene->bodies.items[i].name);
    for (uint64_t i = 0; i < scene->materials.count; ++i)
        gz_string_free(context, scene->materials.items[i]);
    gz_list_free(context, &scene->files);
    gz_list_free(context, &scene->bodies);
    gz_list_free(context, &scene->waypoints);
    gz_list_free(context, &scene->materials);
    gz_release(context, scene, sizeof *scene);
}

graze_sim_setting graze_sim_scene_get(const graze_sim_scene *scene)
{
    graze_sim_setting none = {.def = graze_sim_def_default()};
    return scene == NULL ? none : scene->setting;
}

const char *graze_sim_scene_file(const graze_sim_scene *scene, uint32_t body)
{
    if (scene == NULL || body >= scene->bodies.count)
        return NULL;
    return scene->files.items[scene->bodies.items[body].file].path;
}

// A mass alone is spread as the volume is, or the area.
static graze_status find_scene_mass(const scene_body *body, const graze_shape *shape,
                                    graze_mass *mass)
{
    graze_status status = body->shell ? graze_mass_of_shell(shape, body->def.density, mass)
                                      : graze_mass_of_shape(shape, body->def.density, mass);
    if (status != GRAZE_OK || !body->has_mass)
        return status;
    double scale = body->mass.mass / mass->mass;
    mass->mass = body->mass.mass;
    for (int i = 0; i < 6; ++i)
        mass->inertia[i] *= scale;
    return GRAZE_OK;
}

static graze_status add_scene_body(graze_sim_scene *scene, graze_sim *sim, const scene_body *body)
{
    graze_body_def def = body->def;
    graze_mass mass = body->mass;
    graze_status status = GRAZE_OK;
    def.shape = scene->files.items[body->file].shape;
    if (def.shape == NULL)
        return gz_fail(scene->context, GRAZE_ERROR_FORMAT, "%s: it is a detail, and no shape",
                       scene->files.items[body->file].path);
    if (body->detail != UINT64_MAX)
        def.detail = scene->files.items[body->detail].detail;
    def.name = body->name;
    def.path = &scene->waypoints.items[body->first_waypoint];
    bool weighs = def.kind == GRAZE_BODY_MOVING;
    if (weighs && !body->has_inertia && (body->has_mass || body->shell))
        status = find_scene_mass(body, def.shape, &mass);
    if (weighs && (body->has_mass || body->shell))
        def.mass = &mass;
    return status == GRAZE_OK ? graze_sim_add(sim, &def, NULL) : status;
}

graze_status graze_sim_scene_start(graze_sim_scene *scene, const graze_sim_def *def,
                                   graze_sim **sim)
{
    if (sim != NULL)
        *sim = NULL;
    if (scene == NULL || sim == NULL)
        return gz_fail_null(scene == NULL ? NULL : scene->context, "graze_sim_scene_start");
    graze_sim *made = NULL;
    graze_status status =
        graze_sim_create(scene->context, def != NULL ? def : &scene->setting.def, &made);
    for (uint32_t i = 0; i < scene->contact_count && status == GRAZE_OK; ++i)
        status = graze_sim_set_material(made, scene->contact[i].a, scene->contact[i].b,
                                        scene->contact[i].restitution, scene->contact[i].friction);
    for (uint64_t i = 0; i < scene->bodies.count && status == GRAZE_OK; ++i)
        status = add_scene_body(scene, made, &scene->bodies.items[i]);
    if (status == GRAZE_OK)
        *sim = made;
    else
        graze_sim_free(made);
    return status;
}
