/// @file clash.h  Clash checks: which objects of a scene are in each other, or too near?
///
/// Three lengths say what a clash is. *Touch*: an overlap or a gap up to this is touching.
/// *Clearance*: the gap that is required; less is a clash. *Depth*: how deep two closed objects are
/// in each other, as graze_query_penetration tells.
///
/// The list is complete and has each pair of objects at most once. It is the same for any memory,
/// number of threads, and order in which objects were added, but for which of two is a.
///
/// Lifetime:    rules outlive the checks that use them.
/// Concurrency: a check uses all threads of the scene's context. Nobody may change the scene
///              meanwhile.
/// Units:       lengths are those of the scene.
#ifndef GRAZE_CLASH_H
#define GRAZE_CLASH_H

#include "graze/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What two objects are to each other; worse ones first.
typedef enum graze_clash_kind {
    GRAZE_CLASH_NONE = 0,
    GRAZE_CLASH_DUPLICATE = 1, ///< the same triangles, at places that differ by touch at most
    GRAZE_CLASH_CONTAINED = 2, ///< all of one is inside the other, and does not touch it
    GRAZE_CLASH_OVERLAP = 3,   ///< both are closed, and deeper in each other than touch
    GRAZE_CLASH_CROSSING = 4,  ///< surfaces pierce each other by more than touch, but one of the
                               ///< two is not closed: there is no inside, and no depth
    GRAZE_CLASH_CLEARANCE = 5, ///< apart by more than touch, but less than is required
    GRAZE_CLASH_TOUCHING = 6   ///< they overlap, or are apart, by touch at most
} graze_clash_kind;
#define GRAZE_CLASH_KINDS 7

/// Such as "overlap". Never NULL.
GRAZE_API const char *graze_clash_kind_text(graze_clash_kind kind);

typedef struct graze_clash {
    graze_clash_kind kind;
    uint32_t inner;       ///< contained: 0 if a is in b, 1 if b is in a
    graze_object_id a, b; ///< a was added before b
    /// Overlap, contained: proved, the depth is not less and not more. Else 0.
    double depth_low, depth_high;
    double gap;    ///< clearance, and touching without a common point: the distance. Else 0
    double length; ///< crossing: of the curve in which surfaces pierce each other, at least
    /// Where to look. Clearance: the two closest points. Else twice one point that is in both.
    double point_a[3], point_b[3];
    graze_box region;      ///< where they are in contact or close, within both objects' boxes
    uint32_t region_whole; ///< 1: the region is of all of it; 0: of what was looked at
    uint32_t rule;         ///< number of the rule that holds for the two; UINT32_MAX: none does
} graze_clash;

/// Which objects are compared, and how. Made from a file, see docs/manual.md, or empty.
typedef struct graze_clash_rules graze_clash_rules;

/// Sets of objects by glob patterns over paths, or by lists; which sets against which, each with
/// its own touch and clearance; what to ignore.
/// @param metres_per_unit  of the scene, for lengths such as "25mm"; 0: only plain numbers.
/// @return GRAZE_OK, GRAZE_ERROR_IO, GRAZE_ERROR_FORMAT (with the byte of the first error),
///         GRAZE_ERROR_MEMORY.
GRAZE_API graze_status graze_clash_rules_read(graze_context *context, const char *path,
                                              double metres_per_unit, graze_clash_rules **rules);
GRAZE_API graze_status graze_clash_rules_parse(graze_context *context, const char *name,
                                               const char *text, uint64_t byte_count,
                                               double metres_per_unit, graze_clash_rules **rules);
GRAZE_API void graze_clash_rules_free(graze_clash_rules *rules); ///< Accepts NULL.

/// Does a path match a pattern? '*' stands for any characters but '/', '?' for one of them, "**"
/// for any characters at all, and "**/" where a name begins for any number of groups, none
/// included. [a-c] is one of a few, [!a-c] one of all others but '/'; '\' takes the next one as it
/// is. Characters are those of UTF-8.
GRAZE_API int graze_glob_match(const char *pattern, const char *path);

typedef struct graze_clash_def {
    uint32_t struct_size; ///< set by graze_clash_def_default; leave alone
    double touch;         ///< below 0: 0.1 mm where the unit is known, else 1e-6 of the longest
                          ///< side of the scene's box
    double clearance;     ///< 0: none is required
    const graze_clash_rules *rules; ///< NULL: all objects against all others
    uint32_t list_touching;         ///< 1: touching pairs are handed out, too; else only counted
    double depth_error;             ///< depths are known to this part of them
} graze_clash_def;

static inline graze_clash_def graze_clash_def_default(void)
{
    graze_clash_def def = GRAZE_ZERO;
    def.struct_size = (uint32_t)sizeof def;
    def.touch = -1;
    def.depth_error = 0.05;
    return def;
}

/// What a check found and what it took.
typedef struct graze_clash_totals {
    double touch; ///< as it was used, where no rule says otherwise
    uint64_t object_count;
    uint64_t box_pairs;                 ///< whose boxes are near: edges of the overlap graph
    uint64_t asked_pairs;               ///< of them, those that rules do not leave out
    uint64_t counts[GRAZE_CLASH_KINDS]; ///< by kind
    uint64_t partition_count;           ///< localised subgraphs that were gone through
    uint64_t triangles_loaded;          ///< into the cache, by their number
    uint64_t triangles_stored;          ///< of all shapes
    uint64_t bytes_read;                ///< from files, by the cache
} graze_clash_totals;

/// Receives clashes, the worst first: by kind, then by depth, length or gap, then by objects.
/// Anything but GRAZE_OK ends the check.
typedef graze_status graze_clash_report(void *user, const graze_clash *clash);

/// Checks a scene. Memory beside the cache: lists of objects and of pairs whose boxes are near;
/// clashes beyond some thousands go through temporary files.
/// @param def     NULL for the defaults.
/// @param totals  filled in for GRAZE_OK; NULL if not wanted.
/// @return GRAZE_OK; GRAZE_ERROR_ARGUMENT; as graze_query_collide; or what `report` said.
GRAZE_API graze_status graze_scene_clash(graze_scene *scene, const graze_clash_def *def,
                                         graze_clash_report *report, void *user,
                                         graze_clash_totals *totals);

/// A sentence about a clash, in plain words, with lengths in a unit that fits.
/// @return its length, as snprintf does.
GRAZE_API uint64_t graze_clash_sentence(const graze_scene *scene, const graze_clash *clash,
                                        char *text, uint64_t byte_count);

#ifdef __cplusplus
}
#endif
#endif
