// Contact details as objects: what they hold, and what is told of them. See detail.h.
#include "clod/detail.h"

#include <math.h>
#include <string.h>

void gz_detail_parts(graze_contact_detail *d, gz_detail_part parts[GZ_DETAIL_PARTS])
{
    parts[0] = (gz_detail_part){(void **)&d->nodes, d->node_count * sizeof *d->nodes};
    parts[1] = (gz_detail_part){(void **)&d->points, d->point_count * 3 * sizeof *d->points};
    parts[2] = (gz_detail_part){(void **)&d->areas, d->point_count * sizeof *d->areas};
    parts[3] = (gz_detail_part){(void **)&d->planes, d->plane_count * sizeof *d->planes};
    parts[4] = (gz_detail_part){&d->positions, d->vertex_count * 3 * (uint64_t)d->precision};
    parts[5] = (gz_detail_part){(void **)&d->corners, d->triangle_count * sizeof *d->corners};
    parts[6] = (gz_detail_part){(void **)&d->numbers, d->triangle_count * sizeof *d->numbers};
}

void graze_contact_detail_free(graze_contact_detail *detail)
{
    if (detail == NULL)
        return;
    gz_detail_part parts[GZ_DETAIL_PARTS];
    gz_detail_parts(detail, parts);
    for (int i = 0; i < GZ_DETAIL_PARTS; ++i)
        gz_release(detail->context, *parts[i].bytes, parts[i].byte_count);
    gz_release(detail->context, detail, sizeof *detail);
}

void graze_contact_detail_get_info(const graze_contact_detail *detail,
                                   graze_contact_detail_info *info)
{
    if (info == NULL)
        return;
    *info = (graze_contact_detail_info){.box = graze_box_empty()};
    if (detail == NULL)
        return;
    info->triangle_count = detail->triangle_count;
    info->hull_count = detail->node_count;
    info->level_count = detail->level_count;
    info->depth = detail->depth;
    info->closed = detail->closed;
    info->box = detail->box;
    info->radius = detail->radius;
    memcpy(info->levels, detail->levels, sizeof info->levels);
    gz_detail_part parts[GZ_DETAIL_PARTS];
    graze_contact_detail copy = *detail;
    gz_detail_parts(&copy, parts);
    info->byte_count = sizeof *detail;
    for (int i = 0; i < GZ_DETAIL_PARTS; ++i)
        info->byte_count += parts[i].byte_count;
}
