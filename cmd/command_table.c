// The subcommands, with what help and the manual say of them. See options.h.
#include <stddef.h>

#include "options.h"
#include "picture_clash_manual.h"
#include "picture_levels_manual.h"
#include "picture_pcs_manual.h"

#define LIST(...)                                                                                  \
    (const option_id[]) { __VA_ARGS__, OPTION_COUNT }
#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

// --- Sections of the manual pages

static const manual_section no_sections[] = {{NULL, NULL, NULL}};

#define LOSSES_ROW                                                                                 \
    {                                                                                              \
        "losses", "what was left out when the mesh was read, or when the model was built: "        \
                  "nonfinite_vertices, nonfinite_triangles, empty_polygons and "                   \
                  "other_primitives; and polygons, which were cut into triangles"                  \
    }

#define WRITTEN_JSON(...)                                                                          \
    {                                                                                              \
        "JSON", PARAGRAPHS("With --json one line with one object is printed."),                    \
            ROWS({"file", "the path as given"}, {"bytes", "size of the file that was written"},    \
                 {"vertices, triangles, object_count",                                             \
                  "of the mesh as it was read or made; formats without instances may hold more"},  \
                 __VA_ARGS__)                                                                      \
    }

static const manual_section build_sections[] = {
    {"JSON", PARAGRAPHS("With --json one line with one object is printed."),
     ROWS({"file", "the path as given"}, {"format", "\"model\" or \"scene\""},
          {"bytes", "size of the file that was written"},
          {"triangles, object_count", "how many there are, of all instances"},
          {"clusters", "of a model: how many there are"},
          {"stored_triangles, shapes", "of a scene: objects that share a shape count once"},
          LOSSES_ROW, {"bytes_a_triangle", "that is stored; null without triangles"},
          {"seconds", "that the build took"})},
    {NULL, NULL, NULL}};

static const manual_section picture_sections[] = {
    {"JSON", PARAGRAPHS("With --json the picture that was drawn is one line with one object."),
     ROWS({"file, bytes", "what was written"}, {"width, height", "in pixels"},
          {"triangles", "that were drawn"},
          {"triangles_left, triangles_in_contact", "with --pcs: in colours, and in red"},
          LOSSES_ROW, PICTURE_CLASH_ROW, PICTURE_LEVELS_ROWS)},
    {NULL, NULL, NULL}};

static const manual_section check_sections[] = {
    {"JSON",
     PARAGRAPHS("With --json each file gives one line with one object. A file that cannot be "
                "opened gives the members file and error."),
     ROWS({"file", "the path as given"}, {"sound", "true if all is as it was written"},
          {"pages, pages_checked, pages_damaged", "a page has one cluster of triangles"},
          {"first_damaged", "the number of the first page that is damaged, from 0, or null"},
          {"triangles, triangles_found", "of the model, and in pages that are sound"},
          {"objects, shapes, shapes_damaged", "of a scene, which has no pages and triangles_found; "
                                              "its triangles are those of all shapes"})},
    {NULL, NULL, NULL}};

#define POSE_TEXT                                                                                  \
    "A pose turns a shape about an axis through the origin, and then shifts it. "                  \
    "\"0.1 0 0 / 30deg about 0 0 1\" does both, \"0.1 0 0\" and \"/ 30deg about 0 0 1\" one of "   \
    "them. Angles are in deg or rad. Lengths are in the unit of the first file, or carry one of "  \
    "their own where that unit is known: \"100mm 0 0\". Quarter turns about an axis of the "       \
    "coordinates are exact. Twelve numbers are a 3x4 matrix, row by row: three rows of rotation "  \
    "and shift."
#define POSE_FILE_TEXT                                                                             \
    "12 numbers are a 3x4 matrix and 16 a 4x4 one, row by row; 7 are a position and a "            \
    "quaternion, x y z and qx qy qz qw. A label of one word may stand before them. What follows "  \
    "\"#\" is a comment. The file is read line by line; \"-\" is standard input. A rotation "      \
    "should be one to 1e-9, which takes ten digits. Where a matrix has four or more, and its "     \
    "rows miss length 1 and right angles by at most 2e-4, the nearest rotation is used, with a "   \
    "warning. One that scales, shears or mirrors is refused."
#define POSES                                                                                      \
    {                                                                                              \
        "POSES",                                                                                   \
            PARAGRAPHS(POSE_TEXT,                                                                  \
                       "A file for --path has one pose of the second shape a line, in the frame "  \
                       "of the first, and may be endless: " POSE_FILE_TEXT),                       \
            NULL                                                                                   \
    }

#define TWO_FILES_UNITS                                                                            \
    {                                                                                              \
        "UNITS OF LENGTH",                                                                         \
            PARAGRAPHS(                                                                            \
                "Answers are in the unit of the first file. If the second has another one, "       \
                "it is brought to that of the first, and this is said. Where only one of "         \
                "them says its unit, the other is taken for the same, with a warning; "            \
                "--unit speaks for files that do not say theirs."),                                \
            NULL                                                                                   \
    }

#define QUESTION_ROWS                                                                              \
    {"a, b", "the paths as given; not with --path"},                                               \
        {"metres_per_unit", "the unit of all lengths; null where nobody knows; not with --path"},  \
        {"scale_b", "what the coordinates of b were multiplied with; not with --path"},            \
        {"triangles", "a and b: how many each has; not with --path"},                              \
        {"losses",                                                                                 \
         "a and b: what was left out when each was read, as graze info has it; with --path only "  \
         "where something was"},                                                                   \
    {                                                                                              \
        "line, label", "with --path: the number of the pose's line, and its label or null"         \
    }

#define STATS_ROW                                                                                  \
    {                                                                                              \
        "stats", "with --stats: read_seconds and build_seconds of both files, ask_seconds, work, " \
                 "box_tests, triangle_tests, exact_tests, cluster_pairs, page_loads and "          \
                 "page_misses of this "                                                            \
                 "answer"                                                                          \
    }

#define ERROR_ROW                                                                                  \
    {                                                                                              \
        "error", "alone, as the last object: the sentence that also went to stderr"                \
    }

#define WITH_AN_ERROR                                                                              \
    {                                                                                              \
        "ANSWERS WITH AN ERROR",                                                                   \
            PARAGRAPHS(                                                                            \
                "With --error models are asked at the coarsest levels of detail that the error "   \
                "allows, their LOD cuts, which takes a part of the time and of the memory. A "     \
                "mesh takes part as it is. \"apart\" and \"contact\" are then as true as "         \
                "without: of the original triangles, all of them, or at least two. "               \
                "\"within error\" means that some are at most the tolerance and the error apart, " \
                "and that no more is known. Asked with a smaller error it becomes one of the "     \
                "others, or stays. For exit codes it counts as found.",                            \
                "A percentage is one of the width of the smaller of the two. The width is the "    \
                "longest side of the box in its own file.",                                        \
                "With --budget the answer is the best one that could be had in that time, and "    \
                "is never finer than --error. Its error is told: a question with this --error "    \
                "has the same answer. The time is that of one question. Reading and building "     \
                "are not in it."),                                                                 \
            NULL                                                                                   \
    }

#define CONTACT_ROWS                                                                               \
    {"pair", "a and b: the numbers of the two triangles; of a model in an answer with an error, "  \
             "numbers in its cut"},                                                                \
        {"point_a, point_b", "where, in the world; twice the same if the two share points"},       \
        {"normal", "of length 1: the shortest way to part the two triangles is to move b by "      \
                   "depth times normal"},                                                          \
        {"depth", "the length of this way; minus the distance if they are apart"},                 \
        {"error",                                                                                  \
         "in an answer with an error: how far what the two stand for may be off; else 0"},         \
    {                                                                                              \
        "cover_a, cover_b", "in an answer with an error: what this contact stands for is this "    \
                            "near to its points; else 0"                                           \
    }

static const manual_section collide_sections[] = {
    POSES,
    TWO_FILES_UNITS,
    {"WHAT IS IN CONTACT",
     PARAGRAPHS("Two triangles are in contact if they share a point, or with --tolerance if they "
                "have points at most that far apart. Coordinates are those of the files, posed by "
                "double arithmetic in a fixed order; for the coordinates that come out of it, "
                "every answer is exact. It is about surfaces: a shape that lies inside another "
                "one and touches nothing is apart from it.",
                "Triangles are numbered from 0 in the order of the file, those of a polygon one "
                "after the other. Where objects share triangles or are placed by matrices, every "
                "object has its own, and they are numbered object after object. What could not be "
                "read (triangles that are not finite, faces of fewer than three corners) has no "
                "number, and a warning says so: the numbers behind it are then less than in the "
                "file. graze convert writes exactly the triangles that have numbers, in order."),
     NULL},
    WITH_AN_ERROR,
    {"CONTACTS",
     PARAGRAPHS("--contacts tells of each pair in contact where it is, and which way it parts "
                "soonest. In an exact answer there is one for each pair of triangles. In an answer "
                "with an error there is one for each two leaves of the cuts, of at most 16 "
                "triangles; then all points of a and b that are within the tolerance are near one "
                "of them: that of a within cover_a of its point_a, that of b within cover_b of its "
                "point_b. And no contact is far from the truth: each has points of a and b that "
                "are at most the tolerance and the error apart, within its error of its two "
                "triangles.",
                "With --csv there is a row for each, whose columns are line and label with --path, "
                "triangle_a, triangle_b, and the x, y and z of what JSON has:"),
     ROWS(CONTACT_ROWS)},
    {"DEPTH",
     PARAGRAPHS(
         "The depth of two closed meshes is the radius of the largest ball that lies in one "
         "of them and has its middle in the other. So no point that is inside both is deeper "
         "in either of them, and the order of the two plays no part. It is 0 if no point is "
         "inside both. A mesh is closed if every edge belongs to an even number of "
         "triangles; others have no inside, and no depth.",
         "Two bounds are told, both proved, and with them the middle of a ball as large as "
         "the lower one, which mesh holds it, and the nearest point of its surface. They are "
         "as close to each other as --depth-error asks for, unless the depth is less than a "
         "thousandth of the smaller mesh: then it is only told that it is not more than "
         "that. --work-limit ends the search early, with bounds that hold.",
         "With --error they may be farther apart by that much. Distances in models are then "
         "asked of the coarsest levels of detail that it allows; what is inside, and whether the "
         "two touch, is still asked of the original triangles. The bounds hold for these."),
     NULL},
    {"JSON",
     PARAGRAPHS("With --json one object is printed, or one a line for each pose of --path."),
     ROWS(
         QUESTION_ROWS, {"tolerance", "as used, in the unit above; not with --path"},
         {"verdict", "\"contact\", \"apart\", \"within error\" or \"undecided\""},
         {"error_reached", "with --error and --budget: that of this answer; 0: it is exact"},
         {"cut", "with --error and --budget: a and b, how many triangles were asked of each"},
         {"pair_count", "with --count, --all and --contacts"},
         {"complete",
          "with --count, --all and --contacts: true if these are all pairs, false if a limit "
          "stopped the search"},
         {"pairs", "with --all: a list of a and b, two triangle numbers, and where the file has "
                   "names object_a and object_b, each with name and group; sorted by a, then b"},
         {"contacts", "with --contacts: a list of what CONTACTS tells"},
         {"depth",
          "with --depth: defined, closed_a and closed_b; if defined also verdict (\"contact\", "
          "\"apart\", \"within error\": not above a thousandth of the smaller mesh, or --error, or "
          "\"undecided\"), low and high; if low is above 0 also holder (\"a\" or \"b\"), point "
          "and surface, three numbers each"},
         STATS_ROW, ERROR_ROW)},
    {NULL, NULL, NULL}};

static const manual_section distance_sections[] = {
    POSES,
    TWO_FILES_UNITS,
    {"ANSWERS WITH AN ERROR",
     PARAGRAPHS("With --error the answer is an interval that is not wider than the error. The "
                "distance is in it: that is proved. Models are asked at the coarsest levels of "
                "detail that allow it. The points that are named are then of these levels, and "
                "near the true ones only by the error. --budget gives the narrowest interval that "
                "could be had in this time, though not narrower than --error asks for. A "
                "percentage is one of the width of the smaller of the two. The width is the "
                "longest side of the box in its own file."),
     NULL},
    {"JSON",
     PARAGRAPHS("With --json one object is printed, or one a line for each pose of --path."),
     ROWS(QUESTION_ROWS,
          {"verdict", "\"measured\", \"within error\" (it is from least to distance), \"farther\" "
                      "(than --within, or a file has no triangles) or \"undecided\""},
          {"distance", "of the closest points, or not less than that; if undecided, of the closest "
                       "found so far; null if "
                       "there are none"},
          {"least", "nothing is closer than this; the distance itself if measured"},
          {"pair", "if measured: a and b, two triangle numbers, and where the file has names "
                   "object_a and object_b, each with name and group"},
          {"point_a, point_b", "if measured: the closest points, three numbers each; within error "
                               "those of the levels of detail"},
          STATS_ROW, ERROR_ROW)},
    {NULL, NULL, NULL}};

static const manual_section path_sections[] = {
    {"POSES",
     PARAGRAPHS("A file for --poses has one pose of the first shape a line, in the world in which "
                "the second stands: " POSE_FILE_TEXT,
                POSE_TEXT),
     NULL},
    TWO_FILES_UNITS,
    WITH_AN_ERROR,
    {"STEPS",
     PARAGRAPHS(
         "Each line of --poses is a step: MOVING stands there, and FIXED where its file has it, or "
         "--pose b: puts it. Steps are asked one after the other, with a front that keeps what the "
         "last one found for the next, and each is timed alone. One thread asks unless --threads "
         "says more: below about a millisecond a step more are not worth it.",
         "Without --json and --csv a table of stretches is printed, which are steps in a row with "
         "one verdict, and totals. A line that is no pose, or Ctrl-C, ends the run; what was "
         "done is printed, and is in the files of --output and --report. Exit code 5 then means "
         "Ctrl-C, or that some step was not decided.",
         "Each step is kept in memory until the end, with about 150 bytes, which --memory does not "
         "count. JSON lines and the rows of CSV have:"),
     ROWS({"step", "from 1"}, {"line, label", "of the pose; label is null or empty if it has none"},
          {"verdict", "\"contact\", \"apart\", \"within error\" or \"undecided\""},
          {"contacts", "how many: of pairs of triangles, or with an error of leaves"},
          {"complete", "true, or 1, if these are all"},
          {"depth", "the largest depth of a contact, see graze help collide: of two triangles, "
                    "below 0 if they are apart; null or empty if there is no contact"},
          {"milliseconds", "that the question took"},
          {"error_reached", "that of the answer; 0: it is exact"},
          {"cut_a, cut_b", "triangles that were asked of MOVING and FIXED"},
          {"cluster_pairs, triangle_tests", "what was compared"},
          {"page_loads", "pages of models that were not in the cache"},
          {"page_misses", "with --budget: pages that were not there and not waited for; coarser "
                          "levels answered for them"},
          ERROR_ROW)},
    {"SCENES",
     PARAGRAPHS(
         "Where FIXED has several objects, or several files move, or --distance or --kinds is "
         "given, each file that moves becomes one object, named as the file, with all that is in "
         "it. Contacts are those of objects: MOVING with objects that stand, and files that move "
         "with each other. Answers are exact. Coordinates and poses are in the unit of FIXED.",
         "With one file that moves each line of --poses is a step. With several a step has a line "
         "for each, in the order of the files; line and label are those of the first.",
         "Without --json and --csv a table tells in which steps which object was touched, and with "
         "--kinds the worst of it, then totals. --csv and --output have a row for each contact, "
         "and with --distance one for each file that moves; steps without either have no row. "
         "JSON lines have one object a step:"),
     ROWS({"step, line, label, milliseconds", "as above"}, {"verdict", "\"contact\" or \"apart\""},
          {"contacts", "a list; each has mover and other, the paths of the two objects, and with "
                       "--kinds kind, depth_low, depth_high, gap, length, point_mover and "
                       "point_other, as graze help clash tells; of a contained one inner is "
                       "\"mover\" or \"other\""},
          {"nearest", "with --distance a list; each has mover, other, distance, and the closest "
                      "points, point_mover and point_other"},
          {"near_pairs", "pairs whose boxes were near"},
          {"cluster_pairs, triangle_tests, page_loads", "as above, without those of --kinds"},
          ERROR_ROW)},
    {NULL, NULL, NULL}};

static const manual_section convert_sections[] = {WRITTEN_JSON(LOSSES_ROW), {NULL, NULL, NULL}};

static const manual_section export_sections[] = {
    WRITTEN_JSON({"forward", "no point of the original mesh is farther from this one; 0 without "
                             "--error. Where the format rounds coordinates, that comes on top"},
                 {"backward", "no point of this mesh is farther from the original one"},
                 LOSSES_ROW),
    {NULL, NULL, NULL}};

const manual_section program_sections[] = {
    {"SIZES AND LENGTHS",
     PARAGRAPHS("Sizes in bytes take k, M, G and T, which are powers of 1024: 1M, 1MB and 1MiB all "
                "mean 1048576 bytes. Numbers of things take the same letters as powers of 1000: "
                "1.5M triangles are 1500000. Lengths are in the model's unit, or carry one of "
                "their own where the model's is known: 50um, 25mm, 2.5cm, 1m, 1in, 1ft."),
     NULL},
    {NULL, NULL, NULL}};

// --- Subcommands

const cmd_command commands[] = {
    {.name = "info",
     .summary = "say what is in mesh, model and scene files, and what is wrong with meshes",
     .operands = "FILE...",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = -1,
     .options = LIST(OPTION_OBJECTS, OPTION_COUNTS_ONLY, OPTION_SHAPE, OPTION_LAYOUT, OPTION_UNIT,
                     OPTION_JSON),
     .description = PARAGRAPHS(
         "Reads each file once, of any size, and reports its counts, bounds, unit and objects, and "
         "its defects: degenerate, duplicate and non-finite triangles, open, non-manifold and "
         "misoriented edges, and whether it is closed.",
         "Files may be PLY, STL, OBJ, OFF, glTF or GLB, plain or compressed by gzip or zstd, and "
         "what assimp reads where that is installed. \"-\" is standard input. What does not fit "
         "into memory is checked with temporary files in $TMPDIR.",
         "Of a model or a scene, which graze build wrote, only the lists of clusters, shapes and "
         "objects are read. Models and scenes are recognised by content."),
     .examples = ROWS({"graze info dragon.ply.gz", "everything about one file"},
                      {"graze info plant.glb --objects --json", "all objects, for a program"},
                      {"graze info --memory 512M scan.stl", "in half a gigabyte of memory"}),
     .sections = info_sections,
     .run = command_info},
    {.name = "convert",
     .summary = "write a mesh file in another format",
     .operands = "FILE",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = 1,
     .options = LIST(OPTION_OUTPUT, OPTION_ASCII, OPTION_BIG_ENDIAN, OPTION_UNIT, OPTION_JSON),
     .description = PARAGRAPHS(
         "Reads a mesh and writes it as PLY, STL, OBJ or GLB. Coordinates keep their bits where "
         "the format can hold them; what it cannot hold is said in a warning. The file is written "
         "aside and takes its name when it is complete. It must be another file than the one that "
         "is "
         "read, whose colours, normals and materials would be lost.",
         "PLY, STL, OBJ and OFF files are streamed into binary PLY and STL, whatever their size. "
         "All "
         "else is held in memory in between."),
     .examples = ROWS({"graze convert scan.ply -o scan.glb", "to glTF's binary form"},
                      {"graze convert part.stl -o part.ply.zst", "compressed"}),
     .sections = convert_sections,
     .run = command_convert},
    {.name = "build",
     .summary = "make a model or a scene of mesh files of any size, once and for all",
     .operands = "FILE...",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = -1,
     .options = LIST(OPTION_OUTPUT, OPTION_ONE, OPTION_NO_LEVELS, OPTION_UNIT, OPTION_JSON),
     .description = PARAGRAPHS(
         "Writes a model: the triangles of a mesh, bit for bit, with their numbers and the names "
         "of their objects, in clusters of neighbours that can be fetched one by one, and levels "
         "of detail over them, each with about half the triangles of the one below and with proven "
         "bounds of how far it is from the original. A model is "
         "built in bounded memory, 512 MiB unless --memory says otherwise, and at least 64 MiB; "
         "the rest is in temporary files in $TMPDIR. Files that are trees (glTF, and what assimp "
         "reads) are held in memory as well.",
         "A file with several objects, several files, a folder and a manifest become a scene: each "
         "object keeps to itself, with clusters and levels of its own, and objects with the same "
         "triangles share them. Of several files each is a group, called as the file is. graze "
         "clash and graze path ask about scenes; --one makes a single model instead.",
         "The same mesh makes the same model, byte for byte, whatever the memory and the number "
         "of threads. The name ends in .graze. The file is written aside and takes its name "
         "when it is complete: stopped at any moment, a build leaves what was there before. Killed "
         "in the instant in which it takes the place of an older file NAME, it also leaves the "
         "whole new one as .NAME.graze-part, which the next build of NAME removes; on file systems "
         "that have no files without names, a killed build leaves that in any case."),
     .examples = ROWS({"graze build scan.ply -o scan.graze", "in half a gigabyte of memory"},
                      {"graze build plant.glb -o plant.graze --memory 2G",
                       "a scene, for graze clash; in more memory"},
                      {"graze build pipes.ifc steel.obj parts/ -o site.graze", "one scene of all"},
                      {"graze build robot.glb --one -o robot.graze", "its objects as one model"}),
     .sections = build_sections,
     .run = command_build},
    {.name = "check",
     .summary = "verify every page of model and scene files",
     .operands = "FILE...",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = -1,
     .options = LIST(OPTION_JSON),
     .description = PARAGRAPHS(
         "Reads all of each model and checks what can be checked: checksums, that every page "
         "unpacks, that clusters keep to their boxes, and that every triangle is there once. Of a "
         "scene each shape is checked so, and what the file knows of it. Each "
         "damaged page or shape is named with its place in the file. Exit code 3 means that "
         "something is "
         "damaged."),
     .examples = ROWS({"graze check scan.graze", "is it as it was written?"}),
     .sections = check_sections,
     .run = command_check},
    {.name = "detail",
     .summary = "build the contact levels of detail of a mesh",
     .operands = "FILE",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = 1,
     .options = LIST(OPTION_OUTPUT, OPTION_NO_LEVELS, OPTION_JSON),
     .description = detail_description,
     .examples = ROWS({"graze detail cup.ply", "how many hulls"},
                      {"graze detail cup.ply -o cup.detail", "and keep them"}),
     .sections = detail_sections,
     .run = command_detail},
    {.name = "export",
     .summary = "write the mesh that a model was built from, or a coarser one",
     .operands = "FILE",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = 1,
     .options = LIST(OPTION_OUTPUT, OPTION_ERROR, OPTION_ASCII, OPTION_BIG_ENDIAN, OPTION_JSON),
     .description = PARAGRAPHS(
         "Writes the triangles of a model as PLY, STL, OBJ or GLB: in the order of their numbers, "
         "with their objects, and with the bits that they had, where the format can hold them. "
         "Vertices are numbered anew, and placed objects stay where they were placed.",
         "With --error, writes a mesh that is as coarse as possible, part by part: no point of the "
         "original is farther from it than the error, and no point of it is farther from the "
         "original. Where the original is closed, so is the coarse mesh. It has no objects.",
         "Binary PLY and STL are streamed, with the help of temporary files. All else is held in "
         "memory."),
     .examples = ROWS(
         {"graze export scan.graze -o scan.ply", "the triangles of the scan"},
         {"graze export scan.graze --error 0.1% -o coarse.glb", "within a thousandth of its size"}),
     .sections = export_sections,
     .run = command_export},
    {.name = "picture",
     .summary = "draw a mesh or a model of any size as a PNG file",
     .operands = "FILE [B]",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = 2,
     .options = LIST(OPTION_OUTPUT, OPTION_VIEW, OPTION_UP, OPTION_WIDTH, OPTION_ERROR,
                     OPTION_CLASH, PICTURE_CLASH_OPTIONS, OPTION_LEVELS, OPTION_POSE, OPTION_PCS,
                     OPTION_TOLERANCE, OPTION_SELF, OPTION_ONLY_SELF, OPTION_ENGINE, OPTION_PASSES,
                     OPTION_RESOLUTION, OPTION_JSON),
     .description = PARAGRAPHS(
         "Draws what is in a file, from one side, as seen from afar, into a PNG file, whose name "
         "ends in .png. No screen is needed. Edges of "
         "triangles are drawn where they are large enough to be told apart.",
         "Of a model, which graze build wrote, only as much detail is read as can be seen: the "
         "error is half a pixel, unless --error says otherwise. Most of a large model stays on "
         "the disk.",
         PICTURE_CLASH_TEXT, PICTURE_LEVELS_TEXT, PICTURE_PCS_TEXT),
     .examples = ROWS({"graze picture scan.graze -o scan.png", "what is in the model?"},
                      {"graze picture scan.graze --error 1% -o coarse.png", "a level of detail"},
                      PICTURE_CLASH_EXAMPLE, PICTURE_LEVELS_EXAMPLE, PICTURE_PCS_EXAMPLE),
     .sections = picture_sections,
     .run = command_picture},
    {.name = "make",
     .summary = "make shapes, a plant or frames to try things on, or a mesh finer",
     .operands = "SHAPE [FILE]",
     .operand_kind = OPERAND_SHAPE,
     .least_operands = 1,
     .most_operands = 2,
     .options = LIST(OPTION_OUTPUT, OPTION_TRIANGLES, OPTION_SEED, OPTION_SIZE, OPTION_FACTOR,
                     OPTION_RELIEF, OPTION_OBJECT_COUNT, OPTION_LIST, OPTION_FRAMES, OPTION_FRAME,
                     OPTION_FORMAT, OPTION_DENSITY, OPTION_REPLACE, OPTION_DOUBLE, OPTION_UNIT,
                     OPTION_ASCII, OPTION_BIG_ENDIAN, OPTION_JSON),
     .description = make_description,
     .examples = make_examples,
     .sections = make_sections,
     .run = command_make},
    {.name = "collide",
     .summary = "tell whether two meshes touch, and which of their triangles",
     .operands = "A B",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 2,
     .most_operands = 2,
     .options = LIST(OPTION_POSE, OPTION_PATH, OPTION_TOLERANCE, OPTION_COUNT_PAIRS, OPTION_ALL,
                     OPTION_CONTACTS, OPTION_LIMIT, OPTION_ANSWER_ERROR, OPTION_BUDGET,
                     OPTION_DEPTH, OPTION_DEPTH_ERROR, OPTION_WORK_LIMIT, OPTION_LAYOUT,
                     OPTION_STATS, OPTION_UNIT, OPTION_CSV, OPTION_JSON),
     .description = PARAGRAPHS(
         "Tells whether triangles of two mesh files are in contact: yes or no, how many pairs with "
         "--count, which ones with --all, where with --contacts. The answer is exact, touching "
         "included. Any triangles will do. Exit code 0 means apart, 1 contact.",
         "With --error or --budget models are asked at their levels of detail, for a part of the "
         "time. \"apart\" is then as true as ever; \"within error\" means that they are near each "
         "other by the error, and is exit code 1; 5 is undecided.",
         "With --depth it also tells how deep the two are in each other. Exit code 1 then also "
         "means "
         "that this is more than nothing: a mesh may be inside another one without contact."),
     .examples = ROWS(
         {"graze collide a.ply b.stl --pose b:\"0.1 0 0 / 30deg about 0 0 1\" --all",
          "b shifted and turned; every pair"},
         {"graze collide scan.graze part.graze --error 0.04% --contacts",
          "where, as near as a part of 0.04 % of the smaller one's size"},
         {"graze collide a.ply b.obj --tolerance 2mm --unit mm", "is anything closer than that?"},
         {"graze collide a.ply b.ply --path poses.txt --json", "one line of answers a pose"}),
     .sections = collide_sections,
     .run = command_collide},
    {.name = "distance",
     .summary = "tell how far apart two meshes are, and where",
     .operands = "A B",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 2,
     .most_operands = 2,
     .options = LIST(OPTION_POSE, OPTION_PATH, OPTION_WITHIN, OPTION_ANSWER_ERROR, OPTION_BUDGET,
                     OPTION_WORK_LIMIT, OPTION_LAYOUT, OPTION_STATS, OPTION_UNIT, OPTION_JSON),
     .description = PARAGRAPHS(
         "Finds the two closest points of the triangles of two mesh files. The closest pair of "
         "triangles is the true one; of several the one with the smallest numbers. The distance is "
         "within one unit in the last place. With --error or --budget it is an interval, in a part "
         "of the time. Exit code 1 means that they touch, or may touch within the error, or that "
         "they are --within the length given; else it is 0."),
     .examples = ROWS({"graze distance a.glb b.ply", "the distance and the two points"},
                      {"graze distance a.ply b.ply --unit mm --within 5cm --path poses.txt",
                       "clearance along a path"}),
     .sections = distance_sections,
     .run = command_distance},
    {.name = "clash",
     .summary = "find all objects of a scene that are in each other, or too near",
     .operands = "FILE...",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = -1,
     .options = LIST(OPTION_SIDE_A, OPTION_SIDE_B, OPTION_TOUCH, OPTION_CLEARANCE, OPTION_RULES,
                     OPTION_SAME_GROUP, OPTION_LIST_TOUCHING, OPTION_RECORD, OPTION_UNIT,
                     OPTION_CSV, OPTION_JSON),
     .description = clash_description,
     .examples = clash_examples,
     .sections = clash_sections,
     .run = command_clash},
    {.name = "cull",
     .summary = "find which objects that deform or break meet, frame by frame",
     .operands = "FILE...",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = -1,
     .options = LIST(OPTION_TOLERANCE, OPTION_SELF, OPTION_ONLY_SELF, OPTION_ALL, OPTION_LIMIT,
                     OPTION_ENGINE, OPTION_PASSES, OPTION_RESOLUTION, OPTION_STATS, OPTION_UNIT,
                     OPTION_CSV, OPTION_JSON),
     .description = cull_description,
     .examples = cull_examples,
     .sections = cull_sections,
     .run = command_cull},
    {.name = "review",
     .summary = "list the clashes of a record, and say what becomes of them",
     .operands = "RECORD [STATUS]",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = 2,
     .options = LIST(OPTION_REVIEW_LIST, OPTION_SHOW, OPTION_SET, OPTION_COMMENT, OPTION_ASSIGN,
                     OPTION_AUTHOR, OPTION_DUMP, OPTION_CSV, OPTION_JSON),
     .description = review_description,
     .examples = review_examples,
     .sections = review_sections,
     .run = command_review},
    {.name = "report",
     .summary = "write the clashes of a record into files that other programs open",
     .operands = "RECORD",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 1,
     .most_operands = 1,
     .options = LIST(OPTION_CSV_FILE, OPTION_JSON_FILE),
     .description = report_description,
     .examples = report_examples,
     .sections = report_sections,
     .run = command_report},
    {.name = "path",
     .summary = "move models along a path of poses, and time every step",
     .operands = "MOVING... FIXED",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 2,
     .most_operands = -1,
     .options = LIST(OPTION_POSES, OPTION_POSE, OPTION_TOLERANCE, OPTION_ANSWER_ERROR,
                     OPTION_BUDGET, OPTION_NEAREST, OPTION_KINDS, OPTION_TOUCH, OPTION_REPORT,
                     OPTION_TABLE, OPTION_LAYOUT, OPTION_UNIT, OPTION_CSV, OPTION_JSON),
     .description = PARAGRAPHS(
         "Asks for each pose of a file, in order, whether and where the first model touches the "
         "second, and what the answer cost: the way a robot, a tool or a hand moves. Prints in "
         "which stretches of the path there is contact, how deep, and how long steps took. "
         "--pose places the second (b:); the first goes where --poses says.",
         "FIXED may be a scene: a scene file, a folder, a manifest, or a mesh file with several "
         "objects. Then it is told which of its objects MOVING is in contact with in each step, "
         "and several files may move: the last one stands, all others move, and their poses come "
         "in turn, a line each.",
         "Exit code 0 means that all steps are apart, 1 that there was contact, or nearness within "
         "the error."),
     .examples =
         ROWS({"graze path tool.graze part.graze --poses way.txt --report way.html",
               "exactly, with charts"},
              {"graze path tool.graze part.graze --poses way.txt --error 0.04% --memory 64M",
               "at levels of detail, in little memory"},
              {"graze path tool.graze part.graze --poses way.txt --budget 1ms -o steps.csv",
               "the best that a millisecond allows"},
              {"graze path person.ply plant.graze --poses walk.txt --tolerance 10cm",
               "which objects of a plant somebody comes near to, on the way through it"}),
     .sections = path_sections,
     .run = command_path},
    {.name = "simulate",
     .summary = "let rigid bodies fall, bounce, slide and rest",
     .operands = "SCENE",
     .operand_kind = OPERAND_SHAPE,
     .least_operands = 1,
     .most_operands = 1,
     .options = LIST(OPTION_RUN_RECORD, OPTION_REPLAY, OPTION_DURATION, OPTION_SIM_ENGINE,
                     OPTION_SIM_ERROR, OPTION_METRIC, OPTION_BUDGET, OPTION_VIDEO_FRAMES,
                     OPTION_SHEET, OPTION_VIEW, OPTION_UP, OPTION_WIDTH, OPTION_JSON),
     .description = simulate_description,
     .examples = simulate_examples,
     .sections = simulate_sections,
     .run = command_simulate},
    {.name = "demo",
     .summary = "show what graze can do, with data of its own",
     .operands = "",
     .operand_kind = OPERAND_MESH_FILE,
     .least_operands = 0,
     .most_operands = 0,
     .options = LIST(OPTION_KEEP),
     .description = PARAGRAPHS(
         "Culls frames of things that deform and break, makes a plant in a temporary folder and "
         "checks it for clashes, makes shapes, builds models of some and asks them exactly, with "
         "an error, in a millisecond and along a path, "
         "inspects others, converts them from format to "
         "format and proves that every bit survived, shows triangles on which plain floating-point "
         "arithmetic is wrong, and collides whole meshes."),
     .examples = ROWS({"graze demo", "takes a few seconds"},
                      {"graze demo --keep tried", "leaves the files, and a page with charts"}),
     .sections = no_sections,
     .run = command_demo},
    {.name = "help",
     .summary = "explain a command",
     .operands = "[COMMAND]",
     .operand_kind = OPERAND_COMMAND,
     .least_operands = 0,
     .most_operands = 1,
     .options = LIST(OPTION_MAN, OPTION_COMPLETION),
     .description = PARAGRAPHS("Prints help for a command, or for graze itself."),
     .examples = ROWS({"graze help make", "all shapes and options"},
                      {"graze help --man info | man -l -", "the manual page"},
                      {"source <(graze help --completion bash)", "completion for this shell"}),
     .sections = no_sections,
     .run = command_help},
    {.name = NULL},
};

const char *const program_summary = "collisions and clearances between huge triangle models";
const char *const program_description[] = {
    "graze reads triangle models of any size, however broken, tells what is in them, and tells the "
    "truth about triangles that nearly touch.",
    "Results go to standard output, progress and messages to standard error.", NULL};
const manual_row program_examples[] = {
    {"graze demo", "see it at work"},
    {"graze clash plant.glb", "which of its objects are in each other?"},
    {"graze info model.ply", "what is in a file, and what is wrong with it"},
    {"graze convert model.stl -o model.glb", "from format to format"},
    {NULL, NULL}};
const manual_row exit_codes[] = {
    {"0", "all is well; nothing was found"},
    {"1", "something was found"},
    {"2", "the command line is wrong"},
    {"3", "a file cannot be read or written, or is damaged"},
    {"4", "memory, disk or standard output gave out"},
    {"5", "stopped early, by Ctrl-C, SIGTERM or a limit, and not decided"},
    {NULL, NULL}};
const manual_row environment[] = {
    {"TMPDIR", "where temporary files go; else /tmp"},
    {"NO_COLOR", "if set and not empty, no colour is used; there is none off a terminal anyway"},
    {"TERM", "if \"dumb\" or not set, there is no colour and no progress bar"},
    {NULL, NULL}};
const char *const manual_date = "November 15, 2026";
