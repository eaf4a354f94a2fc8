// What help and manual say of graze make: a part of the table of command_table.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const char *const make_description[] = {
    "Writes one of the shapes below. Binary PLY and STL files are streamed, so that they may be "
    "far "
    "larger than memory.",
    "Frames of things that deform, break and fold go into one file each, for graze cull: --output "
    "is then a folder, or a name with %d or %04d for the number.",
    NULL};

const manual_row make_examples[] = {
    {"graze make knot -o knot.ply", "a small closed surface"},
    {"graze make terrain -n 260M -o big.ply", "five gigabytes"},
    {"graze make turbine -n 1.7M -o turbine.glb", "206 objects in seven groups"},
    {"graze make plant --objects 1200 -n 12.8M -o plant.glb --list planted.json",
     "a power station, and what clashes in it"},
    {"graze make tori --frames 500 -o frames/", "frames/0001.glb and so on, for graze cull"},
    {"graze make refine dragon.ply --factor 36 -o big.ply",
     "36 triangles for each one, with relief"},
    {"graze make gear --size 25mm --unit mm -o gear.stl", "to scale"},
    {NULL, NULL}};

const manual_row made_scenes[] = {
    {"plant", "a building with the steel, pipes, vessels, ducts and trays of a power station, as "
              "named objects, some of which clash on purpose"},
    {"refine FILE", "a mesh file made finer: a smooth surface with relief, closed if it was"},
    {NULL, NULL}};

const manual_section make_sections[] = {
    {"SHAPES",
     PARAGRAPHS("Every shape is the same to the last bit on every machine. Shapes with chance in "
                "them depend on --seed. Each rounds the number of triangles to one it can make."),
     NULL}, // the rows come from the lists of shapes and scenes
    {"PLANTS",
     PARAGRAPHS(
         "A plant has exactly as many objects as --objects says. The triangles are spent on round "
         "things: the more there are, the finer. It is in metres, or in what --unit says. Most "
         "objects touch their neighbours, or are near them. Some were planted: they clash, touch, "
         "keep a small clearance, are inside another one, or are there twice. --list writes them "
         "down as JSON: metres_per_unit, object_count, triangles, seed, and planted, a list in "
         "which each pair has a line."),
     ROWS({"relation", "\"clash\", \"touch\", \"clearance\", \"contained\" (a is inside b) or "
                       "\"duplicate\""},
          {"a, b", "number in the file (from 0), name and group of the two objects"},
          {"direction", "which way a moves away from b, such as \"+z\"; not of contained ones and "
                        "duplicates"},
          {"depth", "of a clash: moved by so much, a only touches b; in the unit of the file"},
          {"clearance", "of a clearance: the distance of the two"},
          {"accuracy", "depth or clearance is right to this; 0 in metres: exactly"})},
    {"REFINING",
     PARAGRAPHS(
         "refine cuts each triangle of a file into k times k, where k times k is near --factor, or "
         "as many in all as near --triangles. New vertices lie on a smooth surface through the old "
         "ones, and all are moved along its normals by a relief whose waves are the shorter the "
         "more there are. Vertices at equal places become one, and what was closed stays closed. "
         "The file and tables of its edges are held in memory, about 100 bytes a triangle, but not "
         "what is made of it."),
     NULL},
    {"FRAMES",
     PARAGRAPHS(
         "cylinders, tori, models, breaking and cloth are scenes in motion: the environments of "
         "the "
         "CULLIDE paper, and one that collides with itself. Nothing moves rigidly, and from frame "
         "to frame objects may break. Each frame is a file, numbered from 1. Coordinates are in "
         "single precision; the unit cube of cylinders and tori has edges of 1.",
         "Where --output is a folder it is made if need be, and files are called 0001.glb and so "
         "on. A name with %d or %04d is the pattern of all names. Any other name is one file, with "
         "the first frame or that of --frame. The story of models, breaking and cloth takes as "
         "long as --frames says. PLY and binary STL do not keep objects apart, and are for cloth "
         "only.",
         "Files of a folder or a pattern that are there already are only written over with "
         "--replace. Each takes its name when it is complete; what was written stays if the rest "
         "cannot be. With --json there is a line for each frame, with its number as frame."),
     NULL},
    {"JSON", PARAGRAPHS("With --json one line with one object is printed, of frames one for each."),
     ROWS({"frame", "of frames: its number, from 1"}, {"file", "the path as given"},
          {"bytes", "size of the file that was written"},
          {"vertices, triangles, object_count",
           "of the mesh as it was read or made; formats without instances may hold more"},
          {"losses", "what was left out when the mesh was read: nonfinite_vertices, "
                     "nonfinite_triangles, empty_polygons and other_primitives; and polygons, "
                     "which were cut into triangles; not of frames"})},
    {NULL, NULL, NULL}};
