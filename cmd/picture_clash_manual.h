// What help and manual say of graze picture --clash: parts of rows of the table in command_table.c.
#ifndef GRAZE_CMD_PICTURE_CLASH_MANUAL_H
#define GRAZE_CMD_PICTURE_CLASH_MANUAL_H

// Those of graze clash, all of them, since they decide which clash has which number.
#define PICTURE_CLASH_OPTIONS                                                                      \
    OPTION_SIDE_A, OPTION_SIDE_B, OPTION_TOUCH, OPTION_CLEARANCE, OPTION_RULES, OPTION_SAME_GROUP, \
        OPTION_LIST_TOUCHING, OPTION_UNIT

#define PICTURE_CLASH_TEXT                                                                         \
    "With --clash, draws one clash of a scene: its first object orange, its second one blue, all " \
    "others grey, and a ring around the place where they meet. The picture is of a cube around "   \
    "that place, large enough for the smaller of the two. What stands before them is seen "        \
    "through. The number is that of the list that graze clash prints of the same file with the "   \
    "same options: the first is the worst. --a and --b pick objects by their paths. The side "     \
    "that is seen is the corner, unless --view says otherwise."

#define PICTURE_CLASH_EXAMPLE                                                                      \
    {                                                                                              \
        "graze picture plant.glb --clash 2 --up z -o clash.png", "what does the second clash "     \
                                                                 "look like?"                      \
    }

#define PICTURE_CLASH_ROW                                                                          \
    {                                                                                              \
        "clash", "with --clash: number and kind, a and b, each with path and colour, and a "       \
                 "sentence, as graze clash tells it"                                               \
    }

#endif
