// What help and manual say of graze simulate: a part of the table of command_table.c.
#include <stddef.h>

#include "options.h"

#define PARAGRAPHS(...)                                                                            \
    (const char *const[]) { __VA_ARGS__, NULL }
#define ROWS(...)                                                                                  \
    (const manual_row[])                                                                           \
    {                                                                                              \
        __VA_ARGS__, { NULL, NULL }                                                                \
    }

const char *const simulate_description[] = {
    "Reads bodies from a JSON file, each a mesh or a model with a mass, and lets them go: they "
    "fall, "
    "bounce, slide and come to rest. Prints what happened, and what the questions cost.",
    "No two bodies ever touch, which is proved for every moment and not only for the end of each "
    "step: so nothing passes through anything, however thin and however fast. What is nearer than "
    "the slop is in contact, and rests at half of it.",
    "Exit code 0 means that it went to its end. With --replay, 1 means that some answers are not "
    "those of the record.",
    NULL};

const manual_row simulate_examples[] = {
    {"graze simulate fall.json --record run.csv --contact-sheet sheet.png",
     "where everything is in each step, and pictures"},
    {"graze simulate fall.json --replay run.csv", "the same questions again"},
    {"graze simulate statue.json --error 0.04% --memory 250M", "models on disk, with an error"},
    {"graze simulate spoon.json --metric speed=20ms --budget 1ms",
     "coarser where it is fast, and in time"},
    {NULL, NULL}};

const manual_section simulate_sections[] = {
    {"SCENES",
     PARAGRAPHS(
         "A scene is a JSON object. Keys that are not known are errors. All have defaults but "
         "\"file\":"),
     ROWS({"gravity", "[0, 0, -9.81]"}, {"step", "seconds; 0.001"}, {"duration", "seconds; 1"},
          {"slop", "a length; a thousandth of the radius of the smallest body that moves"},
          {"restitution, friction", "where materials do not say others; 0 and 0.5"},
          {"materials", "a list of {\"a\": \"steel\", \"b\": \"oak\", \"restitution\": 0.3, "
                        "\"friction\": 0.4}"},
          {"rest_speed",
           "what meets more slowly does not bounce; what gravity gives in three steps"},
          {"overlap", "\"refuse\" (the default) or \"pass\": bodies that are in each other at the "
                      "start pass through each other until they have parted"},
          {"engine, error, metric, budget",
           "as the options have them; \"metric\" is an object with "
           "\"size\", \"speed\", \"view\" and \"least\""},
          {"camera", "of the metric by view: \"eye\", \"field\" (40 degrees), \"rows\" (1080)"},
          {"view", "of pictures: \"from\" as of --view, and what is seen from \"low\" to \"high\""},
          {"iterations, event_limit", "of contacts of a step, and of collisions of a body in it; "
                                      "200 and 24"},
          {"bodies", "a list of objects, see below"})},
    {"BODIES", PARAGRAPHS("Each body has:"),
     ROWS({"file", "its shape: a mesh, model or saved shape, relative to the scene's folder"},
          {"detail", "its contact detail, which graze detail wrote, for the engine of that name"},
          {"name", "for messages and records; its number"},
          {"position, quaternion, turn, pose",
           "where it is: [x, y, z], [x, y, z, w], [degrees, ax, ay, az], or three rows of four"},
          {"velocity, spin", "of the centre of mass, and in radians a second"},
          {"density", "of what a closed shape holds; 1"},
          {"shell", "true: the density is that of its surface, which need not be closed"},
          {"mass", "instead: spread as the density would be"},
          {"inertia, center", "with a mass: [xx, yy, zz, xy, xz, yz] about the centre of mass"},
          {"material", "a name"}, {"static", "true: it stays where it is"},
          {"path",
           "a list of {\"time\": 0.5, \"position\": [0, 0, 1], \"turn\": [90, 0, 0, 1]}: it "
           "goes there whatever it meets"})},
    {"RECORDED RUNS",
     PARAGRAPHS("The file of --record has a row for each body that is not static, at the start and "
                "behind each step:"),
     ROWS({"step, time", "from 0"}, {"body", "its number in the scene, from 0"},
          {"x, y, z, qx, qy, qz, qw", "the centre of mass, and the rotation"},
          {"vx, vy, vz, wx, wy, wz", "velocity and spin"},
          {"contacts", "points at which it is in contact"},
          {"gap", "to what is nearest, proved; empty if that is beyond the slop"},
          {"held", "1: it met others so often in this step that it stood still for the rest"},
          {"query_us", "microseconds of questions about it; all else is the same in every run"},
          {"name", "of the body"})},
    {NULL, NULL, NULL}};
