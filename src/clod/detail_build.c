// From a mesh to its contact detail: the driver of sections 3 and 4 of the paper. See
// graze/contact_detail.h.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/context.h"
#include "base/def.h"
#include "clod/coarsen_hulls.h"
#include "clod/detail_draft.h"
#include "geometry/fpu.h"
#include "geometry/vector.h"
#include "mesh/view.h"

#define WHO            "graze_contact_detail_build"
#define USUAL_PATCH    32u
#define TRIANGLES_MOST (UINT32_C(1) << 28)

static graze_status no_memory(graze_context *context)
{
    return gz_fail(context, GRAZE_ERROR_MEMORY, WHO ": out of memory");
}

static graze_status check(graze_context *context, const graze_mesh_view *view,
                          const graze_contact_detail_def *def)
{
    graze_status status = gz_view_check(context, WHO, view);
    if (status != GRAZE_OK)
        return status;
    if (def->patch_most > 256)
        return gz_fail(context, GRAZE_ERROR_ARGUMENT,
                       WHO ": a patch has at most 256 triangles, not %u", def->patch_most);
    if (view->triangle_count == 0)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "no contact detail: the mesh has no triangles");
    if (view->triangle_count >= TRIANGLES_MOST || view->vertex_count >= TRIANGLES_MOST)
        return gz_fail(context, GRAZE_ERROR_UNSUPPORTED,
                       "no contact detail: the mesh has more than %u triangles or vertices",
                       TRIANGLES_MOST - 1);
    return GRAZE_OK;
}

// The box of the corners, and its middle as the frame's origin.
static graze_status find_frame(graze_contact_detail *d, const graze_mesh_view *view)
{
    d->box = graze_box_empty();
    for (uint64_t t = 0; t < view->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k) {
            double at[3];
            graze_mesh_view_corner(view, t, k, at);
            for (int i = 0; i < 3; ++i) {
                if (!isfinite(at[i]))
                    return gz_fail(d->context, GRAZE_ERROR_ARGUMENT,
                                   WHO ": triangle %llu has a coordinate that is not finite",
                                   (unsigned long long)t);
                d->box.min[i] = fmin(d->box.min[i], at[i]);
                d->box.max[i] = fmax(d->box.max[i], at[i]);
            }
        }
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        d->center[i] = d->box.min[i] / 2 + d->box.max[i] / 2;
        size = fmax(size, d->box.max[i] / 2 - d->box.min[i] / 2);
    }
    // Products of three lengths are needed, and quotients of them.
    if (!(size > 0x1p-300 && size < 0x1p300))
        return gz_fail(d->context, GRAZE_ERROR_UNSUPPORTED,
                       "no contact detail: the mesh is too large or too small: %g", 2 * size);
    return GRAZE_OK;
}

// Vertices as they were: of each welded one, the first that was there.
static graze_status keep_positions(graze_contact_detail *d, const graze_mesh_view *view,
                                   const gz_hull_surface *surface)
{
    size_t bytes = 3 * (size_t)view->precision;
    d->vertex_count = surface->vertex_count;
    d->precision = view->precision;
    d->positions = gz_allocate_array(d->context, d->vertex_count, bytes);
    if (d->positions == NULL)
        return no_memory(d->context);
    for (size_t c = 3 * (size_t)view->triangle_count; c-- != 0;)
        memcpy((char *)d->positions + bytes * surface->corner[c / 3][c % 3],
               (const char *)view->positions + bytes * view->corners[c], (size_t)bytes);
    return GRAZE_OK;
}

// Patches of the original surface become leaves.
static graze_status make_leaves(gz_patches *patches, gz_draft *draft, graze_contact_detail *d)
{
    for (uint32_t i = 0; i < patches->count; ++i) {
        gz_patches_outline(patches, i, GZ_NO_PATCH);
        uint32_t number = patches->out_of_memory ? UINT32_MAX : gz_draft_patch(draft, patches, 0);
        if (number == UINT32_MAX)
            return no_memory(d->context);
        patches->patch[i].first_node = patches->patch[i].last_node = number;
        patches->patch[i].changed = false;
    }
    d->level_count = 1; // its resolution is found when it is measured
    d->levels[0] = (graze_detail_level){.hull_count = patches->live_count,
                                        .triangle_count = d->triangle_count};
    return GRAZE_OK;
}

// Above the coarsest level.
static graze_status make_root(gz_patches *patches, gz_draft *draft, uint32_t *root)
{
    graze_context *context = patches->context;
    uint32_t *tops = GZ_NEW_ARRAY(context, uint32_t, patches->live_count), count = 0;
    for (uint32_t i = 0; i < patches->count && tops != NULL; ++i)
        if (patches->patch[i].live && patches->patch[i].first_node != UINT32_MAX)
            tops[count++] = patches->patch[i].first_node;
    *root = tops == NULL ? UINT32_MAX : gz_draft_join(draft, tops, count);
    GZ_FREE_ARRAY(context, tops, patches->live_count);
    return *root == UINT32_MAX ? no_memory(context) : GRAZE_OK;
}

static graze_status build_hierarchy(graze_contact_detail *d, gz_hull_surface *surface,
                                    const gz_hull_surface *original,
                                    const graze_contact_detail_def *def)
{
    gz_patches patches;
    gz_draft draft = {.context = d->context};
    uint32_t root = 0, most = def->patch_most == 0 ? USUAL_PATCH : def->patch_most;
    graze_status status = gz_patches_begin(&patches, surface) ? GRAZE_OK : no_memory(d->context);
    if (status == GRAZE_OK)
        status = gz_patches_cut(&patches, most);
    if (status == GRAZE_OK)
        status = make_leaves(&patches, &draft, d);
    if (status == GRAZE_OK && def->no_simplify == 0)
        status = gz_coarsen_hulls(&patches, &draft, def, d);
    if (status == GRAZE_OK)
        status = make_root(&patches, &draft, &root);
    if (status == GRAZE_OK)
        status = gz_draft_finish(&draft, original, root, d);
    gz_patches_free(&patches);
    gz_draft_free(&draft);
    return status;
}

static graze_status build(graze_contact_detail *d, const graze_mesh_view *view,
                          const graze_contact_detail_def *def)
{
    gz_hull_surface surface = {0}, original = {0};
    graze_status status = find_frame(d, view);
    d->triangle_count = (uint32_t)view->triangle_count;
    if (status == GRAZE_OK)
        status = gz_hull_surface_make(d->context, view, d->center, &surface);
    if (status == GRAZE_OK)
        status = gz_hull_surface_make(d->context, view, d->center, &original);
    if (status == GRAZE_OK) {
        d->radius = original.radius * (1 + 0x1p-50);
        d->closed = original.closed;
        status = keep_positions(d, view, &original);
    }
    if (status == GRAZE_OK)
        status = build_hierarchy(d, &surface, &original, def);
    gz_hull_surface_free(&surface);
    gz_hull_surface_free(&original);
    return status;
}

static graze_status build_flat(graze_context *context, const graze_mesh_view *view,
                               const graze_contact_detail_def *def, graze_contact_detail **detail)
{
    graze_contact_detail *made = gz_allocate(context, sizeof *made);
    if (made == NULL)
        return no_memory(context);
    *made = (graze_contact_detail){.context = context, .precision = GRAZE_FLOAT32};
    made->serial = atomic_fetch_add(&context->serial, 1) + 1;
    gz_fpu_state state = gz_fpu_enter();
    graze_status status = build(made, view, def);
    gz_fpu_leave(state);
    if (status == GRAZE_OK)
        *detail = made;
    else
        graze_contact_detail_free(made);
    return status;
}

graze_status graze_contact_detail_build(graze_context *context, const graze_mesh_view *view,
                                        const graze_contact_detail_def *given,
                                        graze_contact_detail **detail)
{
    if (detail != NULL)
        *detail = NULL;
    if (context == NULL || view == NULL || detail == NULL)
        return gz_fail_null(context, WHO);
    graze_contact_detail_def room = graze_contact_detail_def_default();
    const graze_contact_detail_def *def = gz_def_known(context, WHO, given, &room, sizeof room);
    graze_status status = def == NULL ? GRAZE_ERROR_ARGUMENT : check(context, view, def);
    if (status != GRAZE_OK)
        return status;
    if (gz_view_is_plain(view))
        return build_flat(context, view, def, detail);
    graze_mesh *placed = NULL;
    status = graze_mesh_flatten(context, view, &placed);
    if (status != GRAZE_OK)
        return status;
    graze_mesh_view in_world = graze_mesh_get(placed);
    status = build_flat(context, &in_world, def, detail);
    graze_mesh_free(placed);
    return status;
}
