// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Settings of units that are legal, but hardly what their author meant. Each is a warning of the
// library.

#include "parts.h"

#include "knack/rts_card.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void lint_warn(kn_library *library, const char *format, ...)
{
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    kn_library_warn(library, sentence);
}

static kn_ability_type_id ability_at(const kn_rts_unit_def *def, uint32_t place)
{
    return place < def->ability_count ? def->abilities[place]
                                      : def->unlockable_abilities[place - def->ability_count];
}

// What is said about an ability, by its own name or by `ability`; NULL: nothing.
static const kn_rts_ability_def *ability_def(
    const kn_library *library, const rts_kit *kit, kn_ability_type_id ability)
{
    const char *name = kn_def_name(library, KN_DEF_ABILITY, ability.index1);
    for (uint32_t i = 1; i <= kn_def_count(library, kit->units.ability_kind); i++) {
        const kn_rts_ability_def *def = kn_def_get(library, kit->units.ability_kind, i);
        const bool is_named = def->ability.index1 == 0 && strcmp(def->name, name) == 0;
        if (is_named || def->ability.index1 == ability.index1) {
            return def;
        }
    }
    return NULL;
}

// One event would activate both.
static void lint_triggers(kn_library *library, const kn_rts_unit_def *def)
{
    const uint32_t count = def->ability_count + def->unlockable_ability_count;
    const kn_tag attack = {kn_def_find(library, KN_DEF_TAG, kn_rts_tag_text(KN_RTS_EVENT_ATTACK))};
    const kn_tag hit = {kn_def_find(library, KN_DEF_TAG, kn_rts_tag_text(KN_RTS_EVENT_HIT))};
    for (uint32_t i = 0; i < count; i++) {
        const kn_tag tag = kn_rts_event_trigger(library, ability_at(def, i));
        for (uint32_t j = 0;
             tag.index1 != 0 && tag.index1 != attack.index1 && tag.index1 != hit.index1 && j < i;
             j++) {
            const kn_ability_type_id other = ability_at(def, j);
            if (other.index1 != ability_at(def, i).index1 &&
                kn_rts_event_trigger(library, other).index1 == tag.index1) {
                lint_warn(library,
                    "rts unit `%s`: an event with `%s` activates both `%s` and `%s`; give each a "
                    "trigger of its own",
                    def->name, kn_tag_name(library, tag),
                    kn_def_name(library, KN_DEF_ABILITY, other.index1),
                    kn_def_name(library, KN_DEF_ABILITY, ability_at(def, i).index1));
            }
        }
    }
}

static bool order_uses(
    const kn_library *library, kn_order_type_id order, kn_ability_type_id ability)
{
    const kn_order_type_def *def = kn_order_type_get_def(library, order);
    return def != NULL &&
           (def->find_variant.function != NULL || def->ability.index1 == ability.index1);
}

static bool unit_orders(
    const kn_library *library, const kn_unit_type_def *unit, kn_ability_type_id ability)
{
    for (uint32_t i = 0; unit != NULL && i < unit->command_count; i++) {
        if (order_uses(library, unit->commands[i], ability)) {
            return true;
        }
    }
    for (uint32_t i = 0; unit != NULL && i < unit->auto_count; i++) {
        if (order_uses(library, unit->autos[i].type, ability)) {
            return true;
        }
    }
    return unit != NULL && unit->provide.function != NULL;
}

// What is said about its order never acts.
static void lint_orders(kn_library *library, const rts_kit *kit, const kn_rts_unit_def *def)
{
    const uint32_t count = def->ability_count + def->unlockable_ability_count;
    const kn_unit_type_def *unit = kn_unit_type_get_def(library, def->order_unit);
    for (uint32_t i = 0; i < count; i++) {
        const kn_ability_type_id ability = ability_at(def, i);
        const kn_rts_ability_def *own = ability_def(library, kit, ability);
        if (own != NULL && own->auto_for_players && !unit_orders(library, unit, ability)) {
            lint_warn(library,
                "rts unit `%s`: `%s` is `auto_for_players`, but no order of the unit uses it; "
                "write `Knack.UseUnitAbility` into the `commands` of its `order_unit`",
                def->name, own->name);
        }
    }
}

kn_result knc_rts_lint_expand(kn_library *library, rts_kit *kit, kn_error *error)
{
    (void)error;
    for (uint32_t i = 1; i <= kn_def_count(library, kit->units.unit_kind); i++) {
        const kn_rts_unit_def *def = kn_def_get(library, kit->units.unit_kind, i);
        lint_triggers(library, def);
        lint_orders(library, kit, def);
    }
    return KN_OK;
}
