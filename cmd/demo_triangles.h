// The part of the demo that asks about triangles that nearly touch.
#ifndef GRAZE_CMD_DEMO_TRIANGLES_H
#define GRAZE_CMD_DEMO_TRIANGLES_H

// Prints how often plain arithmetic and graze are wrong. Returns how often graze was.
unsigned demo_triangles(void);

#endif
