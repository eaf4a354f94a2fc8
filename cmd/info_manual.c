// What the manual says of graze info: a part of the table of command_table.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const manual_section info_sections[] = {
    {"DEFECTS",
     PARAGRAPHS(
         "Corners count as one where their coordinates are equal, whatever numbers they "
         "have in the file. Each check says how it was made: \"checked\" in memory, "
         "\"checked on disk\" with the help of temporary files because the memory was not "
         "enough, or \"not checked\" with the reason. A check that was made is complete.",
         "Where objects are placed by matrices, or share their triangles, there are two counts. "
         "In the file: each mesh of it on its own, before it is placed, however often it is "
         "used. As placed: all objects where they stand, each with triangles of its own, as "
         "graze collide and graze convert see them. The bounds and the last line are of that. "
         "Where the objects together have more than 67108864 triangles, and more than four "
         "times as many as the file, they are not checked as placed."),
     ROWS({"degenerate triangles", "have no area, exactly: corners equal or on one line"},
          {"duplicate triangles", "have the same three corners as an earlier one, in any order"},
          {"open edges", "belong to one triangle only"},
          {"non-manifold edges", "belong to three or more triangles"},
          {"misoriented edges", "belong to two triangles that run through them the same way"},
          {"non-finite triangles", "use a corner that is infinite or not a number; they are "
                                   "dropped while reading"})},
    {"JSON",
     PARAGRAPHS("With --json each file gives one line with one object. A file that cannot be read "
                "gives the members file and error. Counts are integers. Numbers that are unknown "
                "are null. Text is UTF-8; bytes in names that are not are replaced by U+FFFD."),
     ROWS({"file", "the path as given"},
          {"format, encoding", "such as \"PLY\" and \"binary little-endian, gzip\""},
          {"bytes", "size of the file on disk"},
          {"vertices, triangles, object_count", "how many there are; dropped triangles left out"},
          {"precision", "\"float\" or \"double\""}, {"metres_per_unit", "null where nobody knows"},
          {"bounds", "null if empty, else min and max, three numbers each, of all placed objects"},
          {"losses", "nonfinite_vertices, nonfinite_triangles, empty_polygons, polygons and "
                     "other_primitives: what was dropped, or cut into triangles"},
          {"findings", "distinct_vertices, degenerate_triangles, duplicate_triangles, open_edges, "
                       "nonmanifold_edges, misoriented_edges, parts and closed_parts. Each has an "
                       "extent (\"memory\", \"disk\" or \"none\"), a count (null if not checked) "
                       "and why (null if checked). In the file, where objects are placed"},
          {"placed",
           "null unless objects are placed or share triangles; else triangles, how many all "
           "objects have, and findings as above, of all objects where they stand"},
          {"closed", "true if every part is closed, as placed; null if not checked"},
          {"defects", "all defects found, as placed, added up; null if some check was not made"},
          {"summary", "the last line of the report"},
          {"objects", "with --objects: a list of name, group, first_triangle, triangles, matrix "
                      "(null, or three rows of four numbers) and bounds; null if there were too "
                      "many for the memory"},
          {"version, clusters, page_bytes, resident_bytes, bytes_a_triangle",
           "of a model, whose format is \"model\": of the format, how many, bytes of all pages, "
           "bytes of memory while it is open, bytes of the file for each triangle; there are no "
           "encoding, vertices, findings, closed, defects and summary"},
          {"shapes, stored_triangles",
           "of a scene, whose format is \"scene\": how many; objects that share a shape count "
           "once. Its objects also have path, and closed: true or false"},
          {"levels",
           "of a model: a list, of which the first is the original mesh, each with triangles, "
           "clusters, forward (no point of the original is farther from the level) and backward "
           "(no point of the level is farther from the original)"},
          {"shape", "with --shape: layout, bytes, triangles (of all instances), bytes_a_triangle, "
                    "extra_bytes_a_triangle (beyond vertices and their numbers, null without "
                    "triangles), nodes, leaves, depth and build_seconds"})},
    {NULL, NULL, NULL}};
