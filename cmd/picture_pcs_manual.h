// What help and manual say of graze picture --pcs: parts of rows of the table in options.c.
#ifndef GRAZE_CMD_PICTURE_PCS_MANUAL_H
#define GRAZE_CMD_PICTURE_PCS_MANUAL_H

#define PICTURE_PCS_TEXT                                                                           \
    "With --pcs the objects of a mesh file are culled as graze cull does it, with the options "    \
    "that it has, and what is left is drawn in colours: the potentially colliding set. What "      \
    "is behind something is seen through it."

#define PICTURE_PCS_EXAMPLE                                                                        \
    {                                                                                              \
        "graze picture --pcs frame.glb -o pcs.png",                                                \
            "which triangles of a frame may collide, and which do"                                 \
    }

#endif
