// What help and manual say of graze detail: a part of the table of options.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const char *const detail_description[] = {
    "Cuts the surface of a mesh into convex patches, makes it coarser and coarser with fewer "
    "and larger ones, and puts their hulls into one hierarchy, by which contacts are found at "
    "a detail that fits each of them. It tells how many hulls and triangles each level has, "
    "and how far level and mesh are apart. With --output the hierarchy is saved.",
    "The mesh must be an oriented 2-manifold; if it is not, the place is named. Programs then "
    "ask with the shape of the mesh alone.",
    NULL};

const manual_section detail_sections[] = {
    {"JSON", PARAGRAPHS("With --json one line with one object is printed."),
     ROWS({"file", "the path as given"}, {"triangles", "of the mesh"},
          {"hulls, depth, bytes", "of the hierarchy: how many, in how many levels, how large"},
          {"closed", "true if the surface has no border"},
          {"radius", "of a ball that holds all of it"},
          {"levels", "the surfaces, from the original on, each with its hulls, triangles, "
                     "deviation and resolution: one over the mean length of edges"})},
    {NULL, NULL, NULL}};
