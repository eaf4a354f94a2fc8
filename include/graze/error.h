/// @file error.h  Errors by place: how far an answer may be off, near each point of the world.
///
/// Each is a graze_error_function, to be set with its own struct as `error_user`:
///     graze_view_error view = {.eye = {0, 0, 5}, .pixel = 0.001, .pixels = 2};
///     def.error_function = graze_error_by_view;
///     def.error_user = &view;
/// What one allows is the least over the points of a box. Users may write their own.
#ifndef GRAZE_ERROR_H
#define GRAZE_ERROR_H

#include "graze/query.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is seen by somebody: the error is so many pixels as it appears.
typedef struct graze_view_error {
    double eye[3];
    double pixel;  ///< the size of a pixel at distance 1: for a picture of h rows and a field of
                   ///< view of f, 2 tan(f / 2) / h
    double pixels; ///< that the answer may be off
} graze_view_error;
GRAZE_API double graze_error_by_view(void *view, const graze_box *box);

/// What moves fast need not be exact: the error is what is moved in so much time. The motion is
/// that of b as seen from a, or the other way round. Of a box it is that of its slowest point.
typedef struct graze_speed_error {
    double velocity[3]; ///< of the center
    double spin[3];     ///< angular velocity, radians a second, about the center
    double center[3];
    double seconds;
    double least; ///< of what does not move
} graze_speed_error;
GRAZE_API double graze_error_by_speed(void *speed, const graze_box *box);

/// What is small needs a small error: the error is a part of the size of an object, its box's
/// longest side. At a box it is that of the smallest object there. Each group of a model is held
/// against all the objects, so some thousand of them take milliseconds.
typedef struct graze_size_error {
    const graze_box *objects; ///< in the world
    uint64_t count;
    double part; ///< of an object's size; 0.001: a thousandth
    double most; ///< not more than this anywhere, and this where there is no object
} graze_size_error;
GRAZE_API double graze_error_by_size(void *size, const graze_box *box);

/// The least of several.
typedef struct graze_least_error {
    graze_error_function *const *functions;
    void *const *users;
    uint64_t count;
} graze_least_error;
GRAZE_API double graze_error_by_least(void *least, const graze_box *box);

#ifdef __cplusplus
}
#endif
#endif
