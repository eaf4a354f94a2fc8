// What help and manual say of graze picture --levels: parts of rows of the table in
// command_table.c.
#ifndef GRAZE_CMD_PICTURE_LEVELS_MANUAL_H
#define GRAZE_CMD_PICTURE_LEVELS_MANUAL_H

#define PICTURE_LEVELS_HELP                                                                        \
    "draw two models where they meet, at --error, a colour for each level of detail"

#define PICTURE_LEVELS_TEXT                                                                        \
    "With --levels, draws two models where they meet, or come closest: what takes part when "      \
    "graze "                                                                                       \
    "collide is asked with the same --error and --pose. Each level of detail has a colour, and a " \
    "line of the report says which, and how many triangles are of it: level 0 is the original. A " \
    "dark line runs where one model ends before the other; a ring is around all contacts, and a "  \
    "dot is at one of them. A percentage is one of the width of the smaller model, as graze "      \
    "collide has it."

#define PICTURE_LEVELS_EXAMPLE                                                                     \
    {                                                                                              \
        "graze picture --levels scan.graze part.graze --error 0.4% -o levels.png",                 \
            "how coarse are two models where they meet?"                                           \
    }

#define PICTURE_LEVELS_ROWS                                                                        \
    {"verdict, error_reached", "with --levels: as graze collide has them"},                        \
    {                                                                                              \
        "a, b", "with --levels: path, losses, and levels, a list: level, colour and triangles"     \
    }

#endif
