// graze finds the contacts, ODE moves the bodies: a ring falls on a cone, and comes to rest around
// it. Both are meshes as they are, not hulls. Built where ODE is installed (Debian: libode-dev).
#include <ode/ode.h>
#include <stdio.h>

#include <graze/graze.h>

#include "shapes.h"

#define SKIN        0.01 // what is nearer is in contact
#define MOST_JOINTS 64

static graze_shape *make_shape(graze_context *context, const char *kind)
{
    generator_shape_def def = {.kind = kind, .triangle_count = 2000, .size = 2};
    graze_mesh *mesh = NULL;
    graze_shape *shape = NULL;
    if (generator_shape_make(context, &def, &mesh) == GRAZE_OK) {
        graze_mesh_view view = graze_mesh_get(mesh);
        graze_shape_create(context, &view, NULL, &shape);
    }
    graze_mesh_free(mesh);
    return shape;
}

// ODE's rotations are three rows of four.
static graze_pose pose_of(dBodyID body)
{
    const dReal *r = dBodyGetRotation(body), *p = dBodyGetPosition(body);
    graze_pose pose;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            pose.rotation[3 * i + k] = (double)r[4 * i + k];
        pose.translation[i] = (double)p[i];
    }
    return pose;
}

// A joint for each contact: graze's normal points from a to b, ODE's into its first body.
static void add_joints(dWorldID world, dJointGroupID group, dBodyID b, const graze_answer *answer)
{
    uint64_t every = answer->pair_count / MOST_JOINTS + 1;
    for (uint64_t i = 0; i < answer->pair_count; i += every) {
        const graze_contact *c = &answer->contacts[i];
        dContact contact = {.surface = {.mode = dContactBounce, .mu = 0.5, .bounce = 0.1}};
        for (int k = 0; k < 3; ++k) {
            contact.geom.pos[k] = (dReal)c->point_b[k];
            contact.geom.normal[k] = (dReal)c->normal[k];
        }
        contact.geom.depth = (dReal)(c->depth + SKIN);
        dJointAttach(dJointCreateContact(world, group, &contact), b, NULL);
    }
}

int main(void)
{
    graze_context *context = NULL;
    graze_query *query = NULL;
    graze_mass mass;
    if (graze_context_create(NULL, &context) != GRAZE_OK)
        return 1;
    graze_shape *cone = make_shape(context, "cone"), *ring = make_shape(context, "torus");
    graze_status status = graze_query_create(context, &query);
    if (status == GRAZE_OK)
        status = graze_mass_of_shape(ring, 1, &mass);
    dInitODE();
    dWorldID world = dWorldCreate();
    dJointGroupID group = dJointGroupCreate(0);
    dBodyID body = dBodyCreate(world);
    dMass given;
    const double *i = mass.inertia;
    dWorldSetGravity(world, 0, 0, -9.81);
    dMassSetParameters(&given, mass.mass, 0, 0, 0, i[0], i[1], i[2], i[3], i[4], i[5]);
    dBodySetMass(body, &given);
    dBodySetPosition(body, 0.1, 0, 1.5);
    graze_collide_def def = graze_collide_def_default();
    def.collect = GRAZE_COLLECT_CONTACTS;
    def.tolerance = SKIN;
    for (int step = 0; step < 2000 && status == GRAZE_OK; ++step) {
        graze_pose pose = pose_of(body);
        graze_answer answer;
        status =
            graze_query_collide(query, graze_at(cone, NULL), graze_at(ring, &pose), &def, &answer);
        if (status == GRAZE_OK)
            add_joints(world, group, body, &answer);
        dWorldStep(world, 0.001);
        dJointGroupEmpty(group);
    }
    const dReal *p = dBodyGetPosition(body);
    printf("the ring is %s\n", p[2] > -1 && p[2] < 1.4 ? "on the cone" : "lost");
    dCloseODE();
    graze_query_free(query);
    graze_shape_free(cone);
    graze_shape_free(ring);
    graze_context_destroy(context);
    return status == GRAZE_OK ? 0 : 1;
}
