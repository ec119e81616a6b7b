// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Everything of the core in one include.
#ifndef KNACK_KNACK_H
#define KNACK_KNACK_H

#include "knack/ability.h"
#include "knack/archetype.h"
#include "knack/attribute.h"
#include "knack/base.h"
#include "knack/command.h"
#include "knack/component.h"
#include "knack/cue.h"
#include "knack/debug.h"
#include "knack/def.h"
#include "knack/effect.h"
#include "knack/event.h"
#include "knack/function.h"
#include "knack/history.h"
#include "knack/id.h"
#include "knack/kind.h"
#include "knack/library.h"
#include "knack/motion.h"
#include "knack/prediction.h"
#include "knack/projection.h"
#include "knack/save.h"
#include "knack/space.h"
#include "knack/state.h"
#include "knack/system.h"
#include "knack/tag.h"
#include "knack/target.h"
#include "knack/task.h"
#include "knack/ticker.h"
#include "knack/tools.h"
#include "knack/value.h"
#include "knack/watch.h"
#include "knack/world.h"

#endif
