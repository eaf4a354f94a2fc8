// The options of all subcommands. See options.h.
#include "options.h"

#include <stddef.h>

#include "picture_levels_manual.h"

static const char *const up_axes[] = {"y", "z", NULL};
static const char *const picture_views[] = {"front", "back",   "left",   "right",
                                            "top",   "bottom", "corner", NULL};
static const char *const layouts[] = {"fast", "compact", NULL};
static const char *const frame_formats[] = {"glb", "obj", "ply", "stl", NULL};
static const char *const cull_engines[] = {"auto", "cpu", "opengl", NULL};
static const char *const cull_passes[] = {"queries", "batched", "zfail", NULL};
static const char *const review_lists[] = {
    "new",  "active", "reviewed", "approved", "resolved", "not-re-checked",
    "open", "all",    "found",    NULL};
static const char *const sim_engines[] = {"exact", "lod", "detail", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};

const cmd_option options[OPTION_COUNT] = {
    [OPTION_UNIT] = {"unit", 'u', VALUE_UNIT, "UNIT", NULL,
                     "the unit of files that do not say theirs: mm, cm, m, in, ft, or a number of "
                     "metres"},
    [OPTION_OBJECTS] = {"objects", 0, VALUE_NONE, NULL, NULL,
                        "list the objects: triangles, size, name"},
    [OPTION_COUNTS_ONLY] = {"counts-only", 0, VALUE_NONE, NULL, NULL,
                            "count and measure, but look for no defects; much faster"},
    [OPTION_SHAPE] = {"shape", 0, VALUE_NONE, NULL, NULL,
                      "also build what collide works on, and tell its size"},
    [OPTION_LAYOUT] =
        {"layout", 0, VALUE_CHOICE, "LAYOUT", layouts,
         "how shapes are kept in memory: fast (the default), or compact, in about half "
         "of it; answers are the same"},
    [OPTION_POSE] = {"pose", 'p', VALUE_POSE, "NAME:POSE", NULL,
                     "put the first file (a) or the second (b) somewhere: \"x y z / ANGLE about ax "
                     "ay az\", a half of that, or a matrix; once for each"},
    [OPTION_PATH] = {"path", 0, VALUE_FILE, "FILE", NULL,
                     "ask for each pose of b in this file: a matrix, or position and quaternion, "
                     "a line"},
    [OPTION_TOLERANCE] = {"tolerance", 'd', VALUE_TOLERANCE, "LENGTH", NULL,
                          "contact means at most this far apart (default 0: they share a point); "
                          "2 or 2mm"},
    [OPTION_COUNT_PAIRS] = {"count", 'c', VALUE_NONE, NULL, NULL,
                            "count the pairs of triangles in contact"},
    [OPTION_ALL] = {"all", 'a', VALUE_NONE, NULL, NULL,
                    "list the pairs of triangles in contact, with their objects"},
    [OPTION_LIMIT] = {"limit", 0, VALUE_NUMBER, "N", NULL,
                      "stop after this many pairs, of each frame; for --count, --all and "
                      "--contacts"},
    [OPTION_DEPTH] = {"depth", 0, VALUE_NONE, NULL, NULL,
                      "also tell how deep two closed meshes are in each other"},
    [OPTION_DEPTH_ERROR] = {"depth-error", 0, VALUE_PART, "PART", NULL,
                            "how far apart the two bounds of the depth may be, as a part of it, "
                            "such as 0.1% (default 1%)"},
    [OPTION_WITHIN] = {"within", 0, VALUE_TOLERANCE, "LENGTH", NULL,
                       "do not look farther than this; 2 or 2mm"},
    [OPTION_WORK_LIMIT] = {"work-limit", 0, VALUE_NUMBER, "N", NULL,
                           "stop, undecided, after so much work for one pose; about a nanosecond's "
                           "worth each, the same on every machine"},
    [OPTION_ANSWER_ERROR] = {"error", 'e', VALUE_ERROR, "ERROR", NULL,
                             "how far the answer may be off, to the safe side: a length, 0.5 or "
                             "2mm, or a part of the width of the smaller of the two, 0.04%, which "
                             "is the longest side of its box (default 0: exact)"},
    [OPTION_BUDGET] = {"budget", 'b', VALUE_SECONDS, "TIME", NULL,
                       "the best answer that can be had in this time for one pose, with the error "
                       "that it reached; 500us, 1ms, 0.5s or 2min"},
    [OPTION_CONTACTS] = {"contacts", 0, VALUE_NONE, NULL, NULL,
                         "list the contacts: two points, normal and depth of each, and how far "
                         "that may be off where the answer has an error"},
    [OPTION_POSES] = {"poses", 0, VALUE_FILE, "FILE", NULL,
                      "where MOVING goes: a matrix, or position and quaternion, a line, in the "
                      "order of the steps"},
    [OPTION_NEAREST] = {"distance", 0, VALUE_NONE, NULL, NULL,
                        "also which object is nearest to MOVING in each step, and how far it is; "
                        "for scenes"},
    [OPTION_KINDS] = {"kinds", 0, VALUE_NONE, NULL, NULL,
                      "also what MOVING and the objects are to each other, as graze clash tells "
                      "with the tolerance as clearance; for scenes"},
    [OPTION_REPORT] = {"report", 'r', VALUE_FILE, "FILE", NULL,
                       "also write a page with charts of all steps, which any browser shows; its "
                       "name ends in .html"},
    [OPTION_TABLE] = {"output", 'o', VALUE_FILE, "FILE", NULL,
                      "also write one row a step to this file, which ends in .csv"},
    [OPTION_RUN_RECORD] =
        {"record", 'r', VALUE_FILE, "FILE", NULL,
         "write where each body is and what it touches, a row a step, to this file, "
         "which ends in .csv"},
    [OPTION_REPLAY] = {"replay", 0, VALUE_FILE, "FILE", NULL,
                       "make no steps: go along a record, ask again what is in contact, and say "
                       "where it is not what the record has"},
    [OPTION_DURATION] = {"duration", 'd', VALUE_SECONDS, "TIME", NULL,
                         "how long it goes, instead of what the file says; 500ms, 2s or 1min"},
    [OPTION_SIM_ENGINE] =
        {"engine", 0, VALUE_CHOICE, "ENGINE", sim_engines,
         "how contacts are found: exact (by the triangles), lod (by levels of detail "
         "of models, with an error), or detail (by contact details)"},
    [OPTION_SIM_ERROR] = {"error", 'e', VALUE_ERROR, "ERROR", NULL,
                          "how far a question may be off, to the safe side: a length, or a part of "
                          "the smaller of two bodies, 0.04%; with it the engine is lod"},
    [OPTION_METRIC] = {"metric", 0, VALUE_PATTERN, "METRIC=VALUE", NULL,
                       "an error that changes: size=0.1% of the smaller of two bodies, speed=20ms "
                       "of their motion, view=2 pixels of the file's camera, least=LENGTH for the "
                       "first two; the least of all counts, and the engine is lod"},
    [OPTION_VIDEO_FRAMES] =
        {"video-frames", 0, VALUE_FOLDER, "DIR", NULL,
         "draw 25 pictures a second into this folder, which is made if need be"},
    [OPTION_SHEET] = {"contact-sheet", 0, VALUE_FILE, "FILE", NULL,
                      "draw twelve pictures of the run into one, which ends in .png"},
    [OPTION_SIDE_A] = {"a", 0, VALUE_PATTERN, "PATTERN", NULL,
                       "only clashes of objects whose path matches this, or one of several --a, "
                       "with those of --b, or with all; such as '**/piping/*'"},
    [OPTION_SIDE_B] = {"b", 0, VALUE_PATTERN, "PATTERN", NULL, "the other side; may be repeated"},
    [OPTION_TOUCH] = {"touch", 0, VALUE_TOLERANCE, "LENGTH", NULL,
                      "an overlap or a gap up to this is touching; 2 or 2mm (default 0.1mm where "
                      "the unit is known, else a millionth of the scene's size)"},
    [OPTION_CLEARANCE] = {"clearance", 'c', VALUE_TOLERANCE, "LENGTH", NULL,
                          "the gap that is required: less is a clash; 2 or 25mm (default none)"},
    [OPTION_RULES] = {"rules", 'r', VALUE_FILE, "FILE", NULL,
                      "which objects against which, as JSON; --touch and --clearance hold where it "
                      "does not say its own"},
    [OPTION_SAME_GROUP] = {"ignore-same-group", 0, VALUE_NONE, NULL, NULL,
                           "no clashes of objects that have the same parent group"},
    [OPTION_LIST_TOUCHING] = {"list-touching", 0, VALUE_NONE, NULL, NULL,
                              "also list pairs that only touch"},
    [OPTION_SELF] = {"self", 0, VALUE_NONE, NULL, NULL,
                     "also triangles of one object against each other"},
    [OPTION_ONLY_SELF] = {"only-self", 0, VALUE_NONE, NULL, NULL,
                          "triangles of one object against each other, and nothing else"},
    [OPTION_ENGINE] = {"engine", 0, VALUE_CHOICE, "ENGINE", cull_engines,
                       "who culls: auto (the default), cpu or opengl; answers are the same"},
    [OPTION_PASSES] = {"passes", 0, VALUE_CHOICE, "PASSES", cull_passes,
                       "how OpenGL asks: queries (the default), batched or zfail"},
    [OPTION_RESOLUTION] =
        {"resolution", 0, VALUE_NUMBER, "PIXELS", NULL,
         "of the views of OpenGL, 16 to 4096 (default 800); answers are the same"},
    [OPTION_RECORD] = {"output", 'o', VALUE_FILE, "RECORD", NULL,
                       "keep the results in this record, an SQLite file, which is made if need "
                       "be: what is proved to be as it was in an earlier run is not looked at "
                       "again; see graze help review"},
    [OPTION_REVIEW_LIST] = {"list", 'l', VALUE_CHOICE, "WHICH", review_lists,
                            "list clashes, the worst first: new, active, reviewed, approved, "
                            "resolved, not-re-checked, open (all but approved and resolved), all, "
                            "or found (so far, by a run that is partial)"},
    [OPTION_SET] = {"set", 's', VALUE_NUMBERS, "N", NULL,
                    "say something of these clashes: 17, or 3,5,8-12; STATUS is active, reviewed, "
                    "approved or resolved, and may be left out where there is a comment"},
    [OPTION_COMMENT] = {"comment", 'c', VALUE_TEXT, "TEXT", NULL, "with --set: what you say"},
    [OPTION_ASSIGN] = {"assign", 'a', VALUE_TEXT, "NAME", NULL,
                       "with --set: who is to look after them; '' for nobody"},
    [OPTION_AUTHOR] = {"author", 0, VALUE_TEXT, "NAME", NULL,
                       "with --set: who says so (default $GRAZE_AUTHOR, else $USER)"},
    [OPTION_SHOW] = {"show", 0, VALUE_NUMBERS, "N", NULL,
                     "all that is known of these clashes, with what happened to them"},
    [OPTION_DUMP] = {"dump", 0, VALUE_NONE, NULL, NULL,
                     "all rows of the record but those with times, for comparing records"},
    [OPTION_CSV_FILE] = {"csv", 0, VALUE_FILE, "FILE", NULL,
                         "write a row for each clash, for spreadsheets; - for standard output"},
    [OPTION_JSON_FILE] = {"json", 'j', VALUE_FILE, "FILE", NULL,
                          "write clash sets with their clashes, with the names that IfcClash has "
                          "for them; - for standard output"},
    [OPTION_STATS] = {"stats", 0, VALUE_NONE, NULL, NULL, "also tell what the answer cost"},
    [OPTION_OUTPUT] =
        {"output", 'o', VALUE_FILE, "FILE", NULL,
         "the file to write, never the one that is read; a mesh has its format from "
         "the ending: .ply, .stl, .obj or .glb, and .gz or .zst behind it compresses; "
         "a model ends in .graze, a picture in .png"},
    [OPTION_ERROR] = {"error", 'e', VALUE_ERROR, "ERROR", NULL,
                      "as coarse as this allows: a length, 0.5 or 2mm, or a part of the longest "
                      "side of the model's box, 0.1%"},
    [OPTION_VIEW] = {"view", 0, VALUE_CHOICE, "SIDE", picture_views,
                     "the side that is seen: front (the default: x to the right), back, "
                     "left, right, top, bottom or corner"},
    [OPTION_UP] = {"up", 0, VALUE_CHOICE, "AXIS", up_axes,
                   "the axis that is up: y (the default) or z"},
    [OPTION_WIDTH] = {"width", 'w', VALUE_NUMBER, "PIXELS", NULL,
                      "of the picture (default 1200); its height follows"},
    [OPTION_CLASH] = {"clash", 0, VALUE_NUMBER, "N", NULL,
                      "draw this one of the clashes that graze clash lists; for scenes"},
    [OPTION_LEVELS] = {"levels", 0, VALUE_NONE, NULL, NULL, PICTURE_LEVELS_HELP},
    [OPTION_PCS] = {"pcs", 0, VALUE_NONE, NULL, NULL,
                    "what culling leaves of a frame, a colour for each object, contact in red, and "
                    "all else pale; see graze help cull"},
    [OPTION_NO_LEVELS] =
        {"no-levels", 0, VALUE_NONE, NULL, NULL,
         "without levels of detail: a fraction of the time, less than half the file, and "
         "the same exact answers"},
    [OPTION_ONE] = {"one", 0, VALUE_NONE, NULL, NULL,
                    "a single model of all objects of a mesh file, and no scene"},
    [OPTION_ASCII] = {"ascii", 0, VALUE_NONE, NULL, NULL,
                      "write text where the format has both text and binary"},
    [OPTION_BIG_ENDIAN] = {"big-endian", 0, VALUE_NONE, NULL, NULL,
                           "write binary PLY with the high byte first"},
    [OPTION_TRIANGLES] = {"triangles", 'n', VALUE_NUMBER, "N", NULL,
                          "about how many triangles, such as 20k or 1.5M (default 5000, of a "
                          "plant 1000 for each object); of frames: of each cylinder or torus, of "
                          "the serpent, of the cloth"},
    [OPTION_FACTOR] = {"factor", 0, VALUE_NUMBER, "N", NULL,
                       "refine: about how many triangles each becomes (default 4)"},
    [OPTION_RELIEF] = {"relief", 0, VALUE_SHARE, "PART", NULL,
                       "refine: how high the relief is, as a part of the length of edges; 0 for "
                       "none (default 10%)"},
    [OPTION_OBJECT_COUNT] = {"objects", 0, VALUE_NUMBER, "N", NULL,
                             "plant: how many objects (default: as suits the triangles); "
                             "cylinders, tori: how many; breaking: pieces in the end"},
    [OPTION_LIST] = {"list", 0, VALUE_FILE, "FILE", NULL,
                     "plant: write what was planted into this file, as JSON; it ends in .json"},
    [OPTION_FRAMES] = {"frames", 0, VALUE_NUMBER, "N", NULL,
                       "frames: how many, each in a file of its own (default 100)"},
    [OPTION_FRAME] = {"frame", 0, VALUE_NUMBER, "N", NULL,
                      "frames: only this one, from 1; of a single file it is the first"},
    [OPTION_FORMAT] = {"format", 0, VALUE_CHOICE, "FORMAT", frame_formats,
                       "frames: of the files in a folder: glb (the default), obj, ply or stl; glb "
                       "and obj keep objects"},
    [OPTION_DENSITY] = {"density", 0, VALUE_PART, "PART", NULL,
                        "cylinders, tori: how much of the unit cube they fill (default 5.5%, 7%)"},
    [OPTION_REPLACE] = {"replace", 0, VALUE_NONE, NULL, NULL,
                        "frames: write over files that are there"},
    [OPTION_SEED] = {"seed", 's', VALUE_NUMBER, "N", NULL,
                     "another number, another chance (default 0)"},
    [OPTION_SIZE] = {"size", 0, VALUE_LENGTH, "LENGTH", NULL,
                     "edge of the cube around the shape (default 1); a length such as 25mm needs "
                     "--unit"},
    [OPTION_DOUBLE] = {"double", 0, VALUE_NONE, NULL, NULL,
                       "coordinates in double precision instead of single"},
    [OPTION_KEEP] = {"keep", 0, VALUE_FOLDER, "DIR", NULL,
                     "leave the files in this folder, which is made if need be"},
    [OPTION_MAN] = {"man", 0, VALUE_NONE, NULL, NULL, "print the manual page's source (mdoc)"},
    [OPTION_COMPLETION] = {"completion", 0, VALUE_CHOICE, "SHELL", shells,
                           "print completion for a shell: bash, zsh or fish"},
    [OPTION_CSV] = {"csv", 0, VALUE_NONE, NULL, NULL, "results as CSV, with a row of names first"},
    [OPTION_JSON] = {"json", 'j', VALUE_NONE, NULL, NULL, "results as JSON, one object a line"},
    [OPTION_MEMORY] = {"memory", 'm', VALUE_BYTES, "SIZE", NULL,
                       "use no more memory than this, such as 512M"},
    [OPTION_THREADS] = {"threads", 't', VALUE_NUMBER, "N", NULL,
                        "use this many threads (default: one for each core)"},
    [OPTION_QUIET] = {"quiet", 'q', VALUE_NONE, NULL, NULL,
                      "no progress, notes or warnings; only errors"},
    [OPTION_HELP] = {"help", 'h', VALUE_NONE, NULL, NULL, "print help"},
    [OPTION_VERSION] = {"version", 'V', VALUE_NONE, NULL, NULL, "print the version"},
    [OPTION_VERBOSE] = {"verbose", 'v', VALUE_NONE, NULL, NULL,
                        "with --version: also what this build has"},
};

const option_id general_options[] = {OPTION_MEMORY, OPTION_THREADS, OPTION_QUIET, OPTION_HELP,
                                     OPTION_COUNT};
const option_id top_options[] = {OPTION_HELP, OPTION_VERSION, OPTION_VERBOSE, OPTION_COUNT};
