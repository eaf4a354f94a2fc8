// What help and manual say of graze clash: a part of the table of command_table.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const char *const clash_description[] = {
    "Checks every object of a scene against every other one, and lists the pairs that clash: the "
    "worst first, each pair once, none missing. A scene may be far larger than memory.",
    "Files may be meshes of any format, models, scenes, folders of these, or manifests. Several "
    "are one scene, in which each file is a group that is called as the file is, without its "
    "ending. An object's path is its groups and its name, joined by \"/\".",
    "Exit code 1 means that there is a clash; touching is none.", NULL};

const manual_row clash_examples[] = {
    {"graze clash plant.glb", "every object against every other"},
    {"graze clash plant.glb --a '**/piping/*' --b '**/steel/*' --clearance 25mm",
     "pipes against steel, with a gap of 25 mm"},
    {"graze clash site.glb pipes.ifc steel.obj parts/", "several files and a folder as one scene"},
    {"graze clash plant.graze --rules rules.json --memory 160M --json",
     "by rules, in bounded memory, for a program"},
    {NULL, NULL}};

const manual_section clash_sections[] = {
    {"KINDS OF CLASHES",
     PARAGRAPHS("Three lengths say what a clash is. Touch: an overlap or a gap up to this is "
                "touching, and no clash. Clearance: a gap that is required. Depth: how deep two "
                "closed objects are in each other, as graze collide --depth has it. The touch that "
                "was used is printed."),
     ROWS({"duplicate", "the same triangles, at places that differ by touch at most"},
          {"contained", "all of one is inside the other, and does not touch it; the table has the "
                        "inner one first"},
          {"overlap", "both are closed, and deeper in each other than touch"},
          {"crossing", "surfaces pierce each other by more than touch, but one of the two is not "
                       "closed, so that there is no depth; the length of the curve in which they "
                       "meet is told, or a part of it"},
          {"clearance", "apart by more than touch, but less than is required"},
          {"touching", "they overlap, or are apart, by touch at most: counted, and listed with "
                       "--list-touching"})},
    {"PATTERNS",
     PARAGRAPHS("--a and --b may be repeated: an object is on a side if its path matches one of "
                "the patterns of that side. Where only one side is given, the other is all "
                "objects. In the shell, patterns are to be quoted."),
     ROWS({"*", "any characters but /"}, {"?", "one character but /"},
          {"**", "any characters at all; **/ where a name begins also stands for nothing"},
          {"[a-c]", "one of a, b and c; [!a-c] any other one but /"},
          {"\\", "takes the next character as it is"})},
    {"RULES",
     PARAGRAPHS("A rule file is a JSON object. All of its members may be left out. What is not "
                "known, or there twice, is refused with its place in the file. A length is a "
                "number in the scene's unit, or a text such as \"25mm\" with um, mm, cm, m, in or "
                "ft. The first rule that fits a pair decides, in either order. Where there are "
                "rules, pairs that no rule fits are not looked at. --touch and --clearance hold "
                "where neither the rule nor the file says its own."),
     ROWS({"touch, clearance", "for all pairs whose rule does not say its own"},
          {"sets", "by their names: a list of patterns, or an object with match (patterns), except "
                   "(patterns of what is not meant) and objects (paths, which except does not take "
                   "away)"},
          {"rules", "a list of objects with a and b (names of sets, or \"*\" for all objects), and "
                    "touch, clearance, or ignore (true: such pairs are not looked at)"},
          {"ignore", "an object with same_group (true: no pairs of the same parent group; objects "
                     "without a group have none in common), pairs (a list of lists of two paths) "
                     "and kinds (a list of kinds that are not told)"})},
    {"JSON AND CSV",
     PARAGRAPHS("With --json each clash is one line with one object, in the order of the table; a "
                "last line has totals. --csv has a row for each clash, and totals on standard "
                "error. Lengths are in the scene's unit. What a kind does not have is null, or "
                "empty."),
     ROWS(
         {"number", "from 1"}, {"kind", "see above"},
         {"a, b", "the objects, each with path, name and group; CSV has paths"},
         {"inner", "of contained ones: \"a\" or \"b\", the one that is inside"},
         {"depth_low, depth_high", "of overlaps and contained ones: the depth is not less and not "
                                   "more; the table has the middle of the two"},
         {"gap", "of clearance and touching: the distance"},
         {"length", "of crossings: of the curve in which they meet, at least"},
         {"point_a, point_b", "where to look: of clearance the closest points, else twice one "
                              "point of both; x_a to z_b in CSV"},
         {"region", "min and max of a box around the contact, and whole: true if it is around all "
                    "of it; min_x to max_z in CSV"},
         {"rule", "the number of the rule that decided, from 1"},
         {"sentence", "the same in words; not in CSV"},
         {"totals",
          "alone, as the last object: clashes (without touching) and a count for each kind; touch, "
          "as used where no rule has its own; metres_per_unit; object_count, shape_count and "
          "triangles; box_pairs, whose boxes are near; asked_pairs, those that rules do not leave "
          "out; partitions; triangles_loaded and triangles_stored; bytes_read; read_seconds and "
          "check_seconds; process_bytes, the most memory that was resident; losses, what was left "
          "out when meshes were read"},
         {"error", "alone, as the last object: the sentence that also went to stderr"})},
    {"MEMORY",
     PARAGRAPHS("--memory is the resident memory of the whole process. Triangles stay on disk, and "
                "come through a cache. Meshes are first built into a temporary file in $TMPDIR: a "
                "scene that is checked often is better built once, with graze build. Clashes are "
                "printed as they come, and may be any number."),
     NULL},
    {NULL, NULL, NULL}};
