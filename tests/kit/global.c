// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The global cooldown: one record of charges that many abilities share under a key. It starts with
// an activation, before anything is paid, so that it also covers the time of a cast; and since it
// started with that activation, it does not refuse the commit at the end of it.

#include "parts.h"

#include <stdio.h>

kn_cooldown_def global_cooldown_def(const kn_library *library, float seconds)
{
    kn_cooldown_def def = kn_cooldown_seconds(seconds);
    def.key = kit_of(library)->global.key;
    def.starts = KN_COOLDOWN_AT_ACTIVATION;
    return def;
}

bool global_cooldown_of(const kn_world *world, kn_entity_id entity, kn_time *left, kn_time *total)
{
    kn_tag key = kit_of(kn_world_library(world))->global.key;
    return kn_cooldown_remaining(world, entity, (kn_tags){&key, 1}, left, total);
}

// A global cooldown that starts at the commit would let a cast begin while it runs, and refuse it
// at its end. `library` is finished but for this.
kn_result global_check(const kn_library *library, kn_error *error)
{
    kn_tag key = kit_of(library)->global.key;
    for (uint32_t i = 1; i <= kn_def_count(library, KN_DEF_ABILITY); i++) {
        const kn_ability_def *def = kn_def_get(library, KN_DEF_ABILITY, i);
        for (uint32_t k = 0; k < def->cooldown_count; k++) {
            if (kn_tag_equal(def->cooldowns[k].key, key) &&
                def->cooldowns[k].starts != KN_COOLDOWN_AT_ACTIVATION) {
                (void)snprintf(error->message, sizeof(error->message),
                    "ability `%s`: its global cooldown must start with the activation; write "
                    "starts: at_activation",
                    def->name);
                return KN_ERROR_BAD_DATA;
            }
        }
    }
    return KN_OK;
}

kn_result global_part_register(kn_library *library, kit *own, kn_error *error)
{
    static const char *const name = "Kit.GlobalCooldown";
    return kn_tag_register_module(library, "Kit", &name, 1, &own->global.key, error);
}
