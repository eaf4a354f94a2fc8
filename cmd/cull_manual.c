// What help and manual say of graze cull: a part of the table of command_table.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const char *const cull_description[] = {
    "Tells for each frame of a sequence which objects meet, and how many pairs of their triangles. "
    "Nothing is prepared, and nothing is assumed of how things move: objects may deform, break, "
    "appear and vanish from one frame to the next. The answer is exact, touching included, and the "
    "same for any engine.",
    "Each file is a frame: a mesh of any format that graze reads, whose objects stand where the "
    "file places them. A folder stands for the mesh files in it, in the order of their names.",
    "Exit code 1 means that there is contact in some frame, 3 that a frame could not be read or "
    "that an object of it was refused: all others are answered.",
    NULL};

const manual_row cull_examples[] = {
    {"graze make tori --frames 100 -o frames/", "something to try it on"},
    {"graze cull frames/", "which objects meet in which frame?"},
    {"graze cull frames/*.glb --tolerance 1mm --csv", "or are within a millimetre, for a program"},
    {"graze cull cloth.ply --only-self --all", "where a cloth meets itself"},
    {"graze cull frames/ --engine opengl --resolution 400 --stats", "by OpenGL, and what it cost"},
    {NULL, NULL}};

const manual_section cull_sections[] = {
    {"WHAT IS IN CONTACT",
     PARAGRAPHS(
         "Two triangles are in contact if they share a point, or with --tolerance if they have "
         "points at most that far apart. It is about surfaces: an object inside another one that "
         "touches nothing is apart from it.",
         "--self also asks about triangles of one object against each other, --only-self about "
         "nothing else. Two that have no corner in common are in contact as above. Corners are "
         "common where their positions are equal, whatever their numbers. Two triangles that have "
         "some in common always share these, and what lies between: they are in contact if they "
         "share any other point, and the tolerance plays no role. So a smooth surface does not "
         "touch itself, and neighbours that fold flat onto each other are found.",
         "An object's name is its groups and its name, joined by \"/\"; one without is called "
         "\"object\" and its number in the file, and a second one of the same name has #2 behind "
         "it. Triangles are numbered from 0 in each object, in the order of the file."),
     NULL},
    {"UNITS OF LENGTH",
     PARAGRAPHS("Lengths are in the unit of the first frame. A file in another unit is brought to "
                "that one, and this is said; --unit speaks for files that do not say theirs."),
     NULL},
    {
        "ENGINES",
        PARAGRAPHS("Culling leaves a potentially colliding set of triangles, and what is left is "
                   "decided exactly. So who culls makes a difference of time and of what --stats "
                   "tells, and never one of answers. Where OpenGL is wanted and cannot be had, the "
                   "CPU does it, and a warning says why. No screen is needed."),
        ROWS({"auto", "the CPU, unless a short trial finds a GPU to be faster; the default"},
             {"cpu", "SIMD on all threads"},
             {"opengl", "what an object hides of all others is seen in views along the axes, of "
                        "--resolution pixels; what is fully visible from both sides is alone"}),
    },
    {"PASSES",
     PARAGRAPHS("--passes says how the OpenGL engine asks which triangles are fully visible:"),
     ROWS({"queries", "two passes in forward and reverse order, an occlusion query for each object "
                      "or group; the default"},
          {"batched", "the same, counted in one buffer for all"},
          {"zfail", "test and write in one draw: fragments that fail are counted"})},
    {"CSV",
     PARAGRAPHS("With --csv there is a row for each pair of objects: frame (from 1), file, a, b "
                "and pairs, how many of their triangles meet. An object that meets itself is both "
                "a and b. With --all there is a row for each pair of triangles instead, with "
                "triangle_a and triangle_b, and with --stats one for each frame."),
     NULL},
    {"JSON",
     PARAGRAPHS("With --json each frame is one line with one object. A frame that cannot be "
                "answered has frame, file and error. The last line has totals."),
     ROWS({"frame, file", "its number, from 1, and the path as given"},
          {"object_count, triangles", "of the frame"}, {"verdict", "\"contact\" or \"apart\""},
          {"complete", "false if --limit stopped the search"},
          {"pair_count", "pairs of triangles in contact, of all objects"},
          {"objects", "a list of pairs of objects in contact: a, b, pair_count, and with --all "
                      "pairs, a list of a and b, two triangle numbers"},
          {"refused", "names of objects that were left out: they have a coordinate that is not "
                      "finite"},
          {"losses", "what was left out when the frame was read, as graze info has it; only where "
                     "something was"},
          {"stats", "with --stats: engine (that did it), objects_left, groups_left and "
                    "triangles_left (sizes of the potentially colliding set as it shrank), "
                    "rounds, triangle_tests and exact_tests (of pairs of triangles), read_seconds "
                    "and seconds"},
          {"totals", "alone, as the last object: frames, answered, with_contact, object_pairs, "
                     "pair_count, complete (all of all frames was answered), refused, engine, "
                     "read_seconds and seconds"})},
    {NULL, NULL, NULL}};
