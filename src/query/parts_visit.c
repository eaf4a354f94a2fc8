// Down the boxes over parts. See parts_visit.h.
#include "query/parts_visit.h"

#include "base/context.h"
#include "base/threads.h"

#define STACK    (GZ_PART_LEVELS * GZ_PART_WIDE)
#define PATIENCE 16 // parts between two looks at the cancel callback

typedef struct entry {
    double begins;
    gz_part_node node;
} entry;

typedef struct visit {
    const gz_visitor *visitor;
    const gz_side *side;
    entry stack[STACK]; // what is below a box comes sorted, the first one on top
    uint32_t count;
} visit;

static void push(visit *v, gz_part_node node, uint32_t bottom)
{
    gz_middle box = gz_parts_box(v->side->shape, node);
    entry e = {v->visitor->begins(v->visitor->data, &box), node};
    if (e.begins > v->visitor->horizon(v->visitor->data))
        return;
    uint32_t k = v->count++;
    GZ_ASSERT(k < STACK);
    for (; k > bottom && v->stack[k - 1].begins < e.begins; --k)
        v->stack[k] = v->stack[k - 1];
    v->stack[k] = e;
}

static void open_box(visit *v, gz_part_node node)
{
    gz_part_node below;
    uint32_t count = gz_parts_below(v->side->shape, node, &below), bottom = v->count;
    for (uint32_t i = 0; i < count; ++i, ++below.index)
        push(v, below, bottom);
}

void gz_visits_begin(gz_visits *visits, const graze_shape *a, const graze_shape *b)
{
    *visits = (gz_visits){.side = {{.shape = a}, {.shape = b}}};
    visits->pins.side[0] = &visits->side[0];
    visits->pins.side[1] = &visits->side[1];
}

void gz_visits_end(gz_visits *visits) { gz_parts_unpin(&visits->pins); }

graze_status gz_parts_visit(gz_visits *visits, int side, const gz_visitor *visitor)
{
    visit v;
    graze_status status = GRAZE_OK;
    uint32_t asked = 0;
    v.visitor = visitor;
    v.side = &visits->side[side];
    v.count = 0;
    if (visits->rival != NULL)
        gz_visits_end(visits->rival);
    push(&v, gz_parts_root(v.side->shape), 0);
    while (v.count != 0 && status == GRAZE_OK) {
        entry e = v.stack[--v.count];
        if (e.begins > visitor->horizon(visitor->data))
            continue;
        if (e.node.level != 0) {
            open_box(&v, e.node);
            continue;
        }
        status = gz_parts_pin(&visits->pins, side, e.node.index);
        if (status == GRAZE_OK)
            status = visitor->ask(visitor->data, visits->pins.tree[side]);
        if (status == GRAZE_OK && ++asked % PATIENCE == 0)
            status = gz_checkpoint(v.side->shape->context, "asking", "clusters", 0, 0);
    }
    return status;
}
