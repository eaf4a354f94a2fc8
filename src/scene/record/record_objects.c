// Recognises the objects of a scene among those that a record knows. See record_store.h.
//
// In rounds, the surest first; what one round has found, the next does not look at:
//   1. the id that the file gives it (the GlobalId of IFC)
//   2. the same path, triangles and pose: nothing happened
//   3. the same triangles and pose: renamed; or its name has a number, and numbers have moved
//   4. the same path and triangles: it was moved
//   5. the same path: it was changed
//   6. the same triangles, which no other object has on either side: renamed and moved
// An object that has an id is never taken for one that has another. Objects that are in no scene
// any more take part, after those that are: who comes back is known.
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"
#include "scene/record/record_store.h"

typedef struct recognition {
    graze_record *record;
    gz_record_objects *objects;
    graze_scene *scene;
    graze_scene_object *found; // of the scene
    uint32_t count;
    uint32_t run;
} recognition;

static graze_status out_of_memory(const graze_record *record)
{
    return gz_fail(record->context, GRAZE_ERROR_MEMORY,
                   "%s: out of memory for the objects of a record", record->sql.path);
}

// --- What is known

static void free_known(graze_context *context, gz_known_object *known)
{
    gz_string_free(context, known->path);
    gz_string_free(context, known->name);
    gz_string_free(context, known->group);
    gz_string_free(context, known->file_id);
}

void gz_record_objects_free(graze_record *record, gz_record_objects *objects)
{
    for (uint64_t i = 0; i < objects->known.count; ++i)
        free_known(record->context, &objects->known.items[i]);
    gz_list_free(record->context, &objects->known);
    GZ_FREE_ARRAY(record->context, objects->numbers, objects->scene_count);
    objects->numbers = NULL;
}

static graze_status take_known(const graze_record *record, sqlite3_stmt *row,
                               gz_record_objects *objects)
{
    graze_context *context = record->context;
    if (sqlite3_column_int64(row, 0) != (int64_t)objects->known.count + 1 ||
        sqlite3_column_bytes(row, 8) != 96 || sqlite3_column_bytes(row, 9) != 48)
        return gz_record_damaged(record, "states", "objects are missing");
    gz_known_object *known = gz_list_push(context, &objects->known, 1);
    if (known == NULL)
        return out_of_memory(record);
    *known = (gz_known_object){
        .number = (uint32_t)objects->known.count,
        .present = sqlite3_column_int(row, 1) != 0,
        .path = gz_string_copy(context, gz_sql_text(row, 2)),
        .name = gz_string_copy(context, gz_sql_text(row, 3)),
        .group = gz_string_copy(context, gz_sql_text(row, 4)),
        .hash = (uint64_t)sqlite3_column_int64(row, 6),
        .triangle_count = (uint64_t)sqlite3_column_int64(row, 7),
        .scene_number = UINT32_MAX,
    };
    bool has_id = sqlite3_column_type(row, 5) != SQLITE_NULL;
    if (has_id)
        known->file_id = gz_string_copy(context, gz_sql_text(row, 5));
    memcpy(known->pose, sqlite3_column_blob(row, 8), sizeof known->pose);
    memcpy(known->box, sqlite3_column_blob(row, 9), sizeof known->box);
    bool copied = known->path != NULL && known->name != NULL && known->group != NULL &&
                  (!has_id || known->file_id != NULL);
    return copied ? GRAZE_OK : out_of_memory(record);
}

static graze_status read_known(graze_record *record, gz_record_objects *objects)
{
    sqlite3_stmt *rows = NULL;
    bool row = false;
    graze_status status = gz_sql_prepare(
        &record->sql,
        "SELECT o.object, s.present, s.path, s.name, s.parent, s.file_id, s.hash, s.triangles, "
        "s.pose, s.box FROM objects o JOIN states s ON s.object = o.object AND s.run = "
        "(SELECT max(run) FROM states t WHERE t.object = o.object) ORDER BY o.object",
        &rows);
    while (status == GRAZE_OK) {
        status = gz_sql_next(&record->sql, rows, &row);
        if (status != GRAZE_OK || !row)
            break;
        status = take_known(record, rows, objects);
    }
    sqlite3_finalize(rows);
    return status;
}

// --- Rounds

typedef enum key_part {
    KEY_FILE_ID = 1,
    KEY_PATH = 2,
    KEY_CONTENT = 4,
    KEY_POSE = 8,
    KEY_UNIQUE = 16 // no other object on either side has this key
} key_part;

static const uint32_t rounds[] = {
    KEY_FILE_ID | KEY_UNIQUE,
    KEY_PATH | KEY_CONTENT | KEY_POSE,
    KEY_CONTENT | KEY_POSE,
    KEY_PATH | KEY_CONTENT,
    KEY_PATH,
    KEY_CONTENT | KEY_UNIQUE,
};

// What of an object takes part in keys, whoever has it.
typedef struct traits {
    const char *path, *name, *group, *file_id;
    uint64_t hash, triangle_count;
    const uint8_t *pose;
} traits;

static void pack_pose(const graze_pose *pose, uint8_t bytes[96])
{
    gz_pack_doubles(bytes, pose->rotation, 9);
    gz_pack_doubles(bytes + 72, pose->translation, 3);
}

static traits traits_of_known(const gz_known_object *known)
{
    return (traits){known->path, known->name,           known->group, known->file_id,
                    known->hash, known->triangle_count, known->pose};
}

static traits traits_of_found(const graze_scene_object *found, uint8_t pose[96])
{
    pack_pose(&found->pose, pose);
    return (traits){found->path, found->name,           found->group, gz_ifc_id(found->name),
                    found->hash, found->triangle_count, pose};
}

// False if the object has no such key. Triangles of which nothing is known are like no others.
static bool key_of(const traits *t, uint32_t parts, uint64_t *key)
{
    gz_digest digest = {0};
    if ((parts & KEY_FILE_ID) != 0 && t->file_id == NULL)
        return false;
    if ((parts & KEY_CONTENT) != 0 && (t->hash == 0 || t->triangle_count == 0))
        return false;
    if ((parts & KEY_FILE_ID) != 0)
        gz_digest_text(&digest, t->file_id);
    if ((parts & KEY_PATH) != 0)
        gz_digest_text(&digest, t->path);
    if ((parts & KEY_CONTENT) != 0) {
        gz_digest_add(&digest, &t->hash, sizeof t->hash);
        gz_digest_add(&digest, &t->triangle_count, sizeof t->triangle_count);
    }
    if ((parts & KEY_POSE) != 0)
        gz_digest_add(&digest, t->pose, 96);
    *key = digest.low ^ digest.high;
    return true;
}

// Keys may be equal by chance. Ids of files that differ, too, tell objects apart.
static bool is_same(const traits *a, const traits *b, uint32_t parts)
{
    if (a->file_id != NULL && b->file_id != NULL && strcmp(a->file_id, b->file_id) != 0)
        return false;
    if ((parts & KEY_PATH) != 0 && strcmp(a->path, b->path) != 0)
        return false;
    if ((parts & KEY_CONTENT) != 0 &&
        (a->hash != b->hash || a->triangle_count != b->triangle_count))
        return false;
    return (parts & KEY_POSE) == 0 || memcmp(a->pose, b->pose, 96) == 0;
}

// Key, side, whether it is gone, number: in this order, sorted as bytes.
typedef struct keyed {
    uint8_t bytes[16];
} keyed;

static void put_keyed(keyed *out, uint64_t key, bool is_found, bool is_gone, uint32_t number)
{
    memset(out, 0, sizeof *out);
    gz_put_number(out->bytes, key, 8);
    out->bytes[8] = is_found;
    out->bytes[9] = is_gone;
    gz_put_number(out->bytes + 10, number, 4);
}

static uint64_t list_keys(const recognition *r, uint32_t parts, keyed *keys)
{
    uint64_t count = 0, key = 0;
    uint8_t pose[96];
    for (uint64_t i = 0; i < r->objects->known.count; ++i) {
        const gz_known_object *known = &r->objects->known.items[i];
        traits t = traits_of_known(known);
        if (!known->matched && key_of(&t, parts, &key))
            put_keyed(&keys[count++], key, false, !known->present, (uint32_t)i);
    }
    for (uint32_t i = 0; i < r->count; ++i) {
        traits t = traits_of_found(&r->found[i], pose);
        if (r->objects->numbers[i] == 0 && key_of(&t, parts, &key))
            put_keyed(&keys[count++], key, true, false, i);
    }
    return count;
}

static void pair_up(const recognition *r, uint32_t parts, const keyed *known, uint64_t known_count,
                    const keyed *found, uint64_t found_count)
{
    uint8_t pose[96];
    if ((parts & KEY_UNIQUE) != 0 && (known_count != 1 || found_count != 1))
        return;
    for (uint64_t i = 0; i < known_count && i < found_count; ++i) {
        uint32_t number = (uint32_t)gz_get_number(known[i].bytes + 10, 4);
        uint32_t place = (uint32_t)gz_get_number(found[i].bytes + 10, 4);
        gz_known_object *object = &r->objects->known.items[number];
        traits a = traits_of_known(object), b = traits_of_found(&r->found[place], pose);
        if (!is_same(&a, &b, parts))
            continue;
        object->matched = true;
        object->scene_number = place;
        r->objects->numbers[place] = object->number;
    }
}

static graze_status recognise(const recognition *r)
{
    graze_context *context = r->record->context;
    uint64_t room = r->objects->known.count + r->count;
    keyed *keys = GZ_NEW_ARRAY(context, keyed, room);
    if (keys == NULL)
        return room == 0 ? GRAZE_OK : out_of_memory(r->record);
    for (uint32_t i = 0; i < sizeof rounds / sizeof *rounds; ++i) {
        uint64_t count = list_keys(r, rounds[i], keys);
        gz_sort_records(context, keys, count, sizeof *keys, 0, gz_arena_over(NULL, 0));
        for (uint64_t first = 0, end; first < count; first = end) {
            uint64_t known = 0;
            for (end = first; end < count && memcmp(keys[end].bytes, keys[first].bytes, 8) == 0;
                 ++end)
                known += keys[end].bytes[8] == 0;
            pair_up(r, rounds[i], keys + first, known, keys + first + known, end - first - known);
        }
    }
    GZ_FREE_ARRAY(context, keys, room);
    return GRAZE_OK;
}

// --- Writing

static graze_status write_state(const recognition *r, sqlite3_stmt *insert, uint32_t number,
                                const traits *t, const uint8_t box[48], bool present)
{
    gz_sql_set(insert, "iiittttiibb", (int64_t)number, (int64_t)r->run, (int64_t)present, t->path,
               t->name, t->group, t->file_id, (int64_t)t->hash, (int64_t)t->triangle_count,
               (const void *)t->pose, 96, (const void *)box, 48);
    return gz_sql_do(&r->record->sql, insert);
}

// An id that nobody has: of the file if it has one, else of what the object is when it comes.
static graze_status make_id(const recognition *r, sqlite3_stmt *taken, const traits *t, char id[64],
                            const char **source)
{
    bool row = true;
    graze_status status = GRAZE_OK;
    *source = "file";
    for (uint64_t attempt = 0; status == GRAZE_OK; ++attempt) {
        gz_digest digest = {0};
        uint8_t bits[16];
        gz_digest_text(&digest, t->path);
        gz_digest_add(&digest, t->pose, 96);
        gz_digest_add(&digest, &t->hash, sizeof t->hash);
        gz_digest_add(&digest, &attempt, sizeof attempt);
        gz_digest_end(&digest, bits);
        gz_id_short(bits, id);
        if (attempt == 0 && t->file_id != NULL)
            snprintf(id, 64, "%s", t->file_id);
        else
            *source = "made";
        gz_sql_set(taken, "t", id);
        status = gz_sql_next(&r->record->sql, taken, &row);
        if (!row)
            break;
    }
    sqlite3_reset(taken);
    return status;
}

static graze_status write_new(const recognition *r, sqlite3_stmt *const statements[3],
                              uint32_t place, const traits *t, const uint8_t box[48])
{
    graze_context *context = r->record->context;
    char id[64];
    const char *source;
    graze_status status = make_id(r, statements[2], t, id, &source);
    gz_known_object *known = gz_list_push(context, &r->objects->known, 1);
    if (status != GRAZE_OK || known == NULL)
        return status != GRAZE_OK ? status : out_of_memory(r->record);
    *known = (gz_known_object){
        .number = (uint32_t)r->objects->known.count,
        .path = gz_string_copy(context, t->path),
        .name = gz_string_copy(context, t->name),
        .group = gz_string_copy(context, t->group),
        .hash = t->hash,
        .triangle_count = t->triangle_count,
        .present = true,
        .matched = true,
        .scene_number = place,
    };
    memcpy(known->pose, t->pose, sizeof known->pose);
    memcpy(known->box, box, sizeof known->box);
    if (known->path == NULL || known->name == NULL || known->group == NULL)
        return out_of_memory(r->record);
    r->objects->numbers[place] = known->number;
    r->objects->made++;
    gz_sql_set(statements[1], "itti", (int64_t)known->number, id, source, (int64_t)r->run);
    status = gz_sql_do(&r->record->sql, statements[1]);
    return status == GRAZE_OK ? write_state(r, statements[0], known->number, t, box, true) : status;
}

static graze_status take_text(const recognition *r, char **text, const char *now)
{
    if (strcmp(*text, now) == 0)
        return GRAZE_OK;
    char *copy = gz_string_copy(r->record->context, now);
    if (copy == NULL)
        return out_of_memory(r->record);
    gz_string_free(r->record->context, *text);
    *text = copy;
    return GRAZE_OK;
}

// One that was recognised. Nothing is written of one that is as it was.
static graze_status write_again(const recognition *r, sqlite3_stmt *const statements[3],
                                gz_known_object *known, const traits *t, const uint8_t box[48])
{
    bool content =
        known->hash != t->hash || known->triangle_count != t->triangle_count || t->hash == 0;
    bool moved = memcmp(known->pose, t->pose, 96) != 0;
    bool renamed = strcmp(known->path, t->path) != 0;
    bool as_it_was = known->present && known->hash == t->hash && !moved && !renamed &&
                     known->triangle_count == t->triangle_count &&
                     memcmp(known->box, box, 48) == 0 && strcmp(known->name, t->name) == 0 &&
                     strcmp(known->group, t->group) == 0;
    r->objects->renamed += renamed;
    if (content)
        r->objects->changed++;
    else if (moved)
        r->objects->moved++;
    else
        r->objects->same++;
    known->hash = t->hash;
    known->triangle_count = t->triangle_count;
    known->present = true;
    memcpy(known->pose, t->pose, 96);
    memcpy(known->box, box, 48);
    graze_status status = take_text(r, &known->path, t->path);
    if (status == GRAZE_OK)
        status = take_text(r, &known->name, t->name);
    if (status == GRAZE_OK)
        status = take_text(r, &known->group, t->group);
    if (status != GRAZE_OK || as_it_was)
        return status;
    return write_state(r, statements[0], known->number, t, box, true);
}

static graze_status write_gone(const recognition *r, sqlite3_stmt *insert, gz_known_object *known)
{
    if (known->matched || !known->present)
        return GRAZE_OK;
    traits t = traits_of_known(known);
    known->present = false;
    r->objects->gone++;
    return write_state(r, insert, known->number, &t, known->box, false);
}

static graze_status write_found(const recognition *r, sqlite3_stmt *const statements[3])
{
    graze_status status = GRAZE_OK;
    uint8_t pose[96], box[48];
    for (uint64_t i = 0; i < r->objects->known.count && status == GRAZE_OK; ++i)
        status = write_gone(r, statements[0], &r->objects->known.items[i]);
    for (uint32_t i = 0; i < r->count && status == GRAZE_OK; ++i) {
        const graze_scene_object *found = &r->found[i];
        traits t = traits_of_found(found, pose);
        graze_box empty = {{0, 0, 0}, {0, 0, 0}};
        const graze_box *around = found->triangle_count == 0 ? &empty : &found->box;
        gz_pack_doubles(box, around->min, 3);
        gz_pack_doubles(box + 24, around->max, 3);
        uint32_t number = r->objects->numbers[i];
        if (number == 0)
            status = write_new(r, statements, i, &t, box);
        else
            status = write_again(r, statements, &r->objects->known.items[number - 1], &t, box);
    }
    return status;
}

static graze_status write_all(const recognition *r)
{
    static const char *const texts[3] = {
        // A run that goes on finds its own states, and writes none.
        ("INSERT INTO states(object, run, present, path, name, parent, file_id, hash, triangles, "
         "pose, box) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        "INSERT INTO objects(object, id, source, first_run) VALUES(?, ?, ?, ?)",
        "SELECT 1 FROM objects WHERE id = ?",
    };
    sqlite3_stmt *statements[3] = {0};
    graze_status status = GRAZE_OK;
    for (int i = 0; i < 3 && status == GRAZE_OK; ++i)
        status = gz_sql_prepare(&r->record->sql, texts[i], &statements[i]);
    if (status == GRAZE_OK)
        status = write_found(r, statements);
    for (int i = 0; i < 3; ++i)
        sqlite3_finalize(statements[i]);
    return status;
}

// --- The whole

static graze_status list_found(recognition *r)
{
    graze_context *context = r->record->context;
    r->count = (uint32_t)graze_scene_get_info(r->scene).object_count;
    r->found = GZ_NEW_ARRAY(context, graze_scene_object, r->count);
    r->objects->numbers = GZ_NEW_ARRAY(context, uint32_t, r->count);
    r->objects->scene_count = r->count;
    if (r->count != 0 && (r->found == NULL || r->objects->numbers == NULL))
        return out_of_memory(r->record);
    uint32_t i = 0;
    graze_object_id none = {0, 0};
    for (graze_object_id id = graze_scene_next(r->scene, none); id.index1 != 0;
         id = graze_scene_next(r->scene, id)) {
        r->objects->numbers[i] = 0;
        graze_status status = graze_scene_get(r->scene, id, &r->found[i++]);
        if (status != GRAZE_OK)
            return status;
    }
    return GRAZE_OK;
}

graze_status gz_record_objects_take(graze_record *record, uint32_t run, graze_scene *scene,
                                    gz_record_objects *objects)
{
    recognition r = {.record = record, .objects = objects, .scene = scene, .run = run};
    *objects = (gz_record_objects){0};
    graze_status status = read_known(record, objects);
    if (status == GRAZE_OK)
        status = list_found(&r);
    if (status == GRAZE_OK)
        status = recognise(&r);
    if (status == GRAZE_OK)
        status = write_all(&r);
    GZ_FREE_ARRAY(record->context, r.found, r.count);
    if (status != GRAZE_OK)
        gz_record_objects_free(record, objects);
    return status;
}
