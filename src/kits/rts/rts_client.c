// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Experience and ability points on a client. Nothing runs when a client takes over what a server
// has sent, so it keeps a copy of what it has seen of each unit that gains levels, and publishes
// the differences. The level follows from the experience and is the new one by then.

#include "parts.h"

#define LOOKS_PER_SECOND 20

static void unit_look(kn_world *world, kn_entity_id unit)
{
    const unit_ids *ids = &knc_rts_kit_of_world(world)->units;
    const unit_levels *levels = knc_rts_levels_read(world, unit);
    const unit_seen *before = kn_component_read(world, ids->seen, unit);
    if (levels == NULL) {
        return;
    }
    const unit_seen now = {levels->experience, levels->points, kn_rts_level(world, unit)};
    if (before != NULL && before->experience == now.experience && before->points == now.points &&
        before->level == now.level) {
        return;
    }
    const unit_seen old = before != NULL ? *before : now; // what it joins with is not news
    unit_seen *seen = kn_component_add(world, ids->seen, unit);
    if (seen == NULL) {
        return;
    }
    *seen = now;
    if (old.level != now.level) {
        const kn_rts_change_event event = {old.level, now.level};
        (void)kn_world_publish(world, unit, ids->level, &event);
    }
    if (old.experience != now.experience) {
        const kn_rts_experience_event event = {
            .before = old.experience, .after = now.experience, .level = now.level};
        (void)kn_world_publish(world, unit, ids->experience, &event);
    }
    if (old.points != now.points) {
        const kn_rts_change_event event = {old.points, now.points};
        (void)kn_world_publish(world, unit, ids->points, &event);
    }
}

static void seen_system(void *user, kn_world *world, const kn_system_run *run)
{
    (void)user;
    (void)run;
    if (!kn_world_is_client(world)) {
        return;
    }
    const kn_component_type_id levels = knc_rts_kit_of_world(world)->units.levels;
    kn_entity_id unit = {0};
    while ((unit = kn_component_next(world, levels, unit)).index1 != 0) {
        unit_look(world, unit);
    }
}

kn_result knc_rts_client_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field seen[] = {
        KN_FIELD(unit_seen, experience, KN_FIELD_F32),
        KN_FIELD(unit_seen, points, KN_FIELD_U32),
        KN_FIELD(unit_seen, level, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    kn_system_def system = kn_system_def_default();
    kn_system_id id;
    def.name = "Knack.RtsSeen";
    def.size = sizeof(unit_seen);
    def.fields = seen;
    def.field_count = COUNT(seen);
    def.sync = KN_SYNC_NONE;
    system.name = "Knack.RtsClient";
    system.rate = LOOKS_PER_SECOND;
    system.group = KN_SYSTEM_GROUP_CLEANUP;
    system.function = seen_system;
    kn_result result = kn_component_register(library, &def, &kit->units.seen, error);
    return result != KN_OK ? result : kn_system_register(library, &system, &id, error);
}
