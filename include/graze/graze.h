/// @file graze.h  The one include: collision, clearance and contact between huge triangle models.
#ifndef GRAZE_GRAZE_H
#define GRAZE_GRAZE_H

#include "graze/base.h"
#include "graze/clash.h"
#include "graze/clash_record.h"
#include "graze/contact_detail.h"
#include "graze/cull.h"
#include "graze/error.h"
#include "graze/geometry.h"
#include "graze/inspect.h"
#include "graze/mesh.h"
#include "graze/model.h"
#include "graze/motion.h"
#include "graze/query.h"
#include "graze/scene.h"
#include "graze/shape.h"
#include "graze/sim.h"
#include "graze/sim_scene.h"

#endif
