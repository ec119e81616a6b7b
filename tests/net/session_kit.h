// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A small library for tests of sessions: two sets of attributes, one of which only the owner and
// one nobody may know, effects that last, and an ability with a cooldown.
#ifndef SESSION_KIT_H
#define SESSION_KIT_H

#include "knack/knack.h"

typedef struct session_kit {
    kn_library *library;
    kn_attribute_set_id body, mind;
    kn_attribute_id health, mana;
    kn_attribute_id rage; // for the owner only
    kn_attribute_id fate; // for nobody
    kn_tag blessed;
    kn_effect_type_id blessing; // lasts, with a tag
    kn_effect_type_id burning;  // less health while it lasts
    kn_effect_type_id ticking;  // takes health twice a second
    kn_effect_type_id healing;  // instant
    kn_ability_type_id heal;    // cooldown of two seconds
} session_kit;

static inline kn_attribute_def session_attribute(const char *name, float value, kn_sync sync)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    def.sync = sync;
    return def;
}

static inline bool session_sets(session_kit *kit)
{
    kn_attribute_def body[] = {session_attribute("Health", 1000.0f, KN_SYNC_ALL),
        session_attribute("Rage", 7.0f, KN_SYNC_OWNER)};
    kn_attribute_def mind[] = {session_attribute("Mana", 50.0f, KN_SYNC_ALL),
        session_attribute("Fate", 3.0f, KN_SYNC_NONE)};
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Body";
    def.attributes = body;
    def.attribute_count = 2;
    bool ok = kn_attribute_set_register(kit->library, &def, &kit->body, NULL) == KN_OK;
    def.name = "Mind";
    def.attributes = mind;
    ok = kn_attribute_set_register(kit->library, &def, &kit->mind, NULL) == KN_OK && ok;
    kit->health = kn_attribute_find(kit->library, "Body.Health");
    kit->rage = kn_attribute_find(kit->library, "Body.Rage");
    kit->mana = kn_attribute_find(kit->library, "Mind.Mana");
    kit->fate = kn_attribute_find(kit->library, "Mind.Fate");
    return ok;
}

static inline bool session_effects(session_kit *kit)
{
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "State.Blessed";
    bool ok = kn_tag_register(kit->library, &tag, &kit->blessed, NULL) == KN_OK;
    kn_modifier_def more = kn_modifier_constant(kit->mana, KN_OP_ADD, 5.0f);
    kn_effect_def def = kn_effect_def_default();
    def.name = "Blessing";
    def.duration_kind = KN_DURATION_INFINITE;
    def.granted_tags = (kn_tags){&kit->blessed, 1};
    def.modifiers = &more;
    def.modifier_count = 1;
    ok = kn_effect_register(kit->library, &def, &kit->blessing, NULL) == KN_OK && ok;
    kn_modifier_def less = kn_modifier_constant(kit->health, KN_OP_ADD, -1.0f);
    def.name = "Burning";
    def.granted_tags = (kn_tags){0};
    def.modifiers = &less;
    ok = kn_effect_register(kit->library, &def, &kit->burning, NULL) == KN_OK && ok;
    def.name = "Ticking";
    def.is_periodic = true;
    def.period = kn_magnitude_constant(0.5f);
    ok = kn_effect_register(kit->library, &def, &kit->ticking, NULL) == KN_OK && ok;
    kn_modifier_def heals = kn_modifier_constant(kit->health, KN_OP_ADD, 25.0f);
    def = kn_effect_def_default();
    def.name = "Healing";
    def.modifiers = &heals;
    def.modifier_count = 1;
    return kn_effect_register(kit->library, &def, &kit->healing, NULL) == KN_OK && ok;
}

static inline bool session_ability(session_kit *kit)
{
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = kit->healing;
    kn_cooldown_def cooldown = kn_cooldown_seconds(2.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Heal";
    def.body = KN_BODY_USE;
    def.applies = &apply;
    def.apply_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    return kn_ability_register(kit->library, &def, &kit->heal, NULL) == KN_OK;
}

// False if something could not be registered. `is_other` makes a library that is not equal.
static inline bool session_kit_create(session_kit *kit, bool is_other)
{
    *kit = (session_kit){0};
    kn_library_def def = kn_library_def_default();
    if (kn_library_create(&def, &kit->library) != KN_OK) {
        return false;
    }
    bool ok = session_sets(kit) && session_effects(kit) && session_ability(kit);
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Other";
    kn_tag other;
    ok = ok && (!is_other || kn_tag_register(kit->library, &tag, &other, NULL) == KN_OK);
    return ok && kn_library_finish(kit->library, NULL) == KN_OK;
}

// An entity with everything of the kit, controlled by a connection.
static inline bool session_hero(
    const session_kit *kit, kn_world *world, uint32_t connection, kn_entity_id *hero)
{
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = kit->heal;
    kn_ability_id ability;
    return kn_entity_create(world, hero) == KN_OK &&
           kn_attribute_set_add(world, *hero, kit->body, 0) == KN_OK &&
           kn_attribute_set_add(world, *hero, kit->mind, 0) == KN_OK &&
           kn_ability_grant(world, *hero, &grant, &ability) == KN_OK &&
           kn_entity_set_connection(world, *hero, connection) == KN_OK;
}

#endif
