// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Weapons of entities, and attacks up to the strike. A weapon is an ability; what it is doing is an
// item of a component, which clients see.

#include "attack_parts.h"

#include "knack/task.h"

#include <stdio.h>
#include <stdlib.h>

enum { LABEL_WINDUP = 1, LABEL_BACKSWING };

// Weapons of entities -------------------------------------------------------------------

static const armed_item *items_read(const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, knc_rts_attack_of_world(world)->armed, entity, count);
}

// The item of an ability, for writing; NULL if there is none.
static armed_item *item_of(kn_world *world, kn_entity_id entity, kn_ability_id ability)
{
    uint32_t count = 0;
    armed_item *items =
        kn_component_items(world, knc_rts_attack_of_world(world)->armed, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_ability_id_equal(items[i].ability, ability)) {
            return &items[i];
        }
    }
    return NULL;
}

static kn_rts_weapon_id weapon_of_type(const attack_kit *kit, kn_ability_type_id type)
{
    for (uint32_t i = 0; i < kit->plan_count; i++) {
        if (kit->plans[i].ability.index1 == type.index1) {
            return (kn_rts_weapon_id){i + 1};
        }
    }
    return (kn_rts_weapon_id){0};
}

static kn_tag class_tag(const kn_world *world, kn_rts_weapon_id weapon)
{
    const kn_rts_weapon_def *def = knc_rts_weapon_of(world, weapon);
    return knc_rts_attack_of_world(world)
        ->rts->tags[def->kind == KN_RTS_WEAPON_MELEE ? KN_RTS_MELEE : KN_RTS_RANGED];
}

// However the ability was granted, its owner has the weapon.
static void weapon_granted(const kn_ability_call *call)
{
    const attack_kit *kit = call->user;
    kn_world *world = call->world;
    kn_ability_info info;
    uint32_t count;
    if (kn_world_is_client(world) || !kn_ability_get(world, call->ability, &info) ||
        kn_component_add(world, kit->armed, call->owner) == NULL) {
        return;
    }
    (void)items_read(world, call->owner, &count);
    armed_item *items = kn_component_resize(world, kit->armed, call->owner, count + 1);
    if (items == NULL) {
        return;
    }
    const kn_rts_weapon_id weapon = weapon_of_type(kit, info.type);
    items[count] = (armed_item){.ability = call->ability, .weapon = weapon};
    (void)kn_entity_add_loose_tag(world, call->owner, class_tag(world, weapon), KN_TAG_SYNC_TAG);
}

static void weapon_removed(const kn_ability_call *call)
{
    const attack_kit *kit = call->user;
    kn_world *world = call->world;
    uint32_t count = 0;
    armed_item *items = kn_component_items(world, kit->armed, call->owner, &count);
    for (uint32_t i = 0; i < count && !kn_world_is_client(world); i++) {
        if (kn_ability_id_equal(items[i].ability, call->ability)) {
            const kn_rts_weapon_id weapon = items[i].weapon;
            for (uint32_t j = i; j + 1 < count; j++) {
                items[j] = items[j + 1];
            }
            (void)kn_component_resize(world, kit->armed, call->owner, count - 1);
            if (count == 1) {
                (void)kn_component_remove(world, kit->armed, call->owner);
            }
            (void)kn_entity_remove_tag(
                world, call->owner, class_tag(world, weapon), KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
            return;
        }
    }
}

static kn_ability_id ability_of(const kn_world *world, kn_entity_id entity, kn_rts_weapon_id weapon)
{
    uint32_t count;
    const armed_item *items = items_read(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].weapon.index1 == weapon.index1) {
            return items[i].ability;
        }
    }
    return (kn_ability_id){0};
}

kn_result kn_rts_weapon_add(kn_world *world, kn_entity_id entity, kn_rts_weapon_id weapon)
{
    kn_result result = knc_rts_attack_may_change(world, entity);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    if (result != KN_OK) {
        return result;
    }
    if (knc_rts_weapon_of(world, weapon) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (ability_of(world, entity, weapon).index1 != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    grant.type = kn_rts_weapon_ability(kn_world_library(world), weapon);
    return kn_ability_grant(world, entity, &grant, NULL);
}

kn_result kn_rts_weapon_remove(kn_world *world, kn_entity_id entity, kn_rts_weapon_id weapon)
{
    kn_result result = knc_rts_attack_may_change(world, entity);
    if (result != KN_OK && result != KN_REFUSED_DYING) {
        return result;
    }
    const kn_ability_id ability = ability_of(world, entity, weapon);
    return ability.index1 != 0 ? kn_ability_remove(world, ability, KN_GRANT_CANCEL)
                               : KN_REFUSED_NOT_FOUND;
}

uint32_t kn_rts_weapons(
    const kn_world *world, kn_entity_id entity, kn_rts_weapon_info *out, uint32_t capacity)
{
    uint32_t count = 0;
    const armed_item *items =
        knc_rts_attack_of_world(world) != NULL ? items_read(world, entity, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        const armed_item *item = &items[i];
        out[i] = (kn_rts_weapon_info){.weapon = item->weapon,
            .ability = item->ability,
            .phase = item->phase < KN_RTS_ATTACK_PHASE_COUNT ? (kn_rts_attack_phase)item->phase
                                                             : KN_RTS_ATTACK_IDLE,
            .target = item->target,
            .began = item->began,
            .until = item->until};
        kn_effect_info cooldown; // also for those who do not know the ability
        if (kn_effect_get(world, item->cooldown, &cooldown)) {
            out[i].remaining = cooldown.remaining;
            out[i].cooldown = cooldown.duration;
        }
    }
    return count;
}

// A tag gives a weapon.
static void tag_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const attack_kit *kit = user;
    const kn_library *library = kn_world_library(world);
    const uint32_t count = kn_def_count(library, kit->weapon_kind);
    for (uint32_t i = 1; i <= count && !kn_world_is_client(world); i++) {
        const kn_rts_weapon_def *def = kn_def_get(library, kit->weapon_kind, i);
        if (def->tag.index1 == reaction->tag.index1) {
            (void)(reaction->trigger == KN_TRIGGER_TAG_ADDED
                       ? kn_rts_weapon_add(world, reaction->entity, (kn_rts_weapon_id){i})
                       : kn_rts_weapon_remove(world, reaction->entity, (kn_rts_weapon_id){i}));
        }
    }
}

// Targets -------------------------------------------------------------------------------

static float attribute_or(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, float fallback)
{
    return kn_attribute_exists(world, entity, attribute, 0)
               ? kn_attribute_value(world, entity, attribute)
               : fallback;
}

static kn_attribute_id attribute_of(
    const kn_world *world, kn_attribute_id own, kn_rts_attack_attribute which)
{
    return own.index1 != 0 ? own : knc_rts_attack_of_world(world)->attributes[which];
}

static bool is_in_range(
    const kn_world *world, kn_entity_id attacker, kn_entity_id target, const kn_rts_weapon_def *def)
{
    const kn_attribute_id range = attribute_of(world, def->range_attribute, KN_RTS_ATTACK_RANGE);
    kn_vec3 from, to;
    if (!knc_rts_position(world, attacker, &from) || !knc_rts_position(world, target, &to)) {
        return true; // nothing is anywhere
    }
    const float reach = attribute_or(world, attacker, range, 0.0f) + def->range_slack;
    from.z = to.z = 0.0f; // as orders measure it
    return knc_rts_distance(from, to) <= reach;
}

static kn_tag_requirement invulnerable_not(const kn_world *world, kn_tag *tag)
{
    *tag = knc_rts_attack_of_world(world)->rts->tags[KN_RTS_INVULNERABLE];
    return (kn_tag_requirement){.ignored = {tag, 1}};
}

// Whether a weapon of somebody may be used on a target now.
static bool target_is_fine(
    const kn_world *world, kn_entity_id attacker, kn_entity_id target, const kn_rts_weapon_def *def)
{
    kn_tag tag;
    const kn_tag_requirement vulnerable = invulnerable_not(world, &tag);
    return knc_rts_may_reach(world, attacker, target, def->relations, &def->target) &&
           kn_entity_meets(world, target, &vulnerable) &&
           (!def->needs_sight ||
               (kn_order_get_relation(world, attacker, target) & KN_ORDER_VISIBLE) != 0) &&
           is_in_range(world, attacker, target, def);
}

static const kn_rts_weapon_def *def_of_call(const kn_ability_call *call)
{
    uint32_t count;
    const armed_item *items = items_read(call->world, call->owner, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_ability_id_equal(items[i].ability, call->ability)) {
            return knc_rts_weapon_of(call->world, items[i].weapon);
        }
    }
    return NULL;
}

static bool attack_may_begin(const kn_ability_call *call, const kn_event_record *event)
{
    const kn_rts_weapon_def *def = def_of_call(call);
    if (def == NULL || event == NULL) {
        return def != NULL; // without a target it is refused for that
    }
    if (!target_is_fine(call->world, call->owner, event->target, def)) {
        const kn_refusal_line line = {.reason = KN_FAIL_CUSTOM, .text = "not at this target"};
        kn_check_refuse(call->answer, &line);
        return false;
    }
    return true;
}

// Attacks -------------------------------------------------------------------------------

static kn_time hurried(const kn_world *world, kn_entity_id owner, kn_time time)
{
    const kn_attribute_id speed = knc_rts_attack_of_world(world)->attributes[KN_RTS_ATTACK_SPEED];
    const float factor = attribute_or(world, owner, speed, 1.0f);
    return time > 0 && factor > 0.0f && factor != 1.0f
               ? kn_time_from_seconds(kn_time_to_seconds(time) / (double)factor)
               : time;
}

static void phase_set(const kn_ability_call *call, kn_rts_attack_phase phase, kn_time time)
{
    kn_world *world = call->world;
    armed_item *item = item_of(world, call->owner, call->ability);
    if (item == NULL) {
        return;
    }
    item->phase = (uint32_t)phase;
    item->began = kn_world_now(world);
    item->until = item->began + time;
    if (phase != KN_RTS_ATTACK_IDLE) {
        const kn_rts_attack_event event = {.target = item->target,
            .weapon = item->weapon,
            .phase = (uint32_t)phase,
            .until = item->until};
        (void)kn_world_publish(
            world, call->owner, knc_rts_attack_of_world(world)->attacked, &event);
    }
}

// The cooldown begins with the attack. One without a length is none.
static kn_result cooldown_begin(const kn_ability_call *call, const kn_rts_weapon_def *def)
{
    kn_world *world = call->world;
    const attack_kit *kit = call->user;
    const kn_attribute_id seconds =
        attribute_of(world, def->cooldown_attribute, KN_RTS_ATTACK_COOLDOWN);
    kn_effect_id effect = {0};
    kn_result result = KN_OK;
    armed_item *item = item_of(world, call->owner, call->ability);
    const kn_rts_weapon_id weapon = item->weapon;
    if (attribute_or(world, call->owner, seconds, 1.0f) > 0.0f) {
        result = kn_activation_apply(
            world, call->activation, kit->plans[weapon.index1 - 1].cooldown, call->owner, &effect);
    }
    item = item_of(world, call->owner, call->ability);
    if (item != NULL) {
        item->cooldown = effect;
    }
    return result;
}

static kn_result task_start(const kn_ability_call *call, uint32_t label, kn_time time)
{
    return kn_wait_delay(call->world, call->activation, label, time);
}

// The strike: from here on the attack has happened, whatever becomes of the activation.
static kn_result attack_strike(const kn_ability_call *call)
{
    kn_world *world = call->world;
    armed_item *item = item_of(world, call->owner, call->ability);
    const kn_rts_weapon_def *def = item != NULL ? knc_rts_weapon_of(world, item->weapon) : NULL;
    const attack_kit *kit = call->user;
    if (def == NULL || !kn_entity_has_tag(world, call->owner, kit->rts->tags[KN_RTS_ALIVE]) ||
        kn_entity_has_tag(world, call->owner, kit->rts->tags[KN_RTS_UNARMED]) ||
        !target_is_fine(world, call->owner, item->target, def)) {
        return KN_REFUSED_REQUIREMENT;
    }
    shot s = {.source = call->owner,
        .target = item->target,
        .level = kn_ability_level(world, call->ability)};
    uint32_t failures = item->failures;
    knc_rts_shot_make(world, item->weapon, -1.0f, &failures, &s);
    item = item_of(world, call->owner, call->ability);
    item->failures = failures;
    const kn_time backswing = hurried(world, call->owner, def->backswing);
    phase_set(call, KN_RTS_ATTACK_BACKSWING, backswing);
    (void)knc_rts_position(world, s.source, &s.from);
    s.at = s.from;
    (void)knc_rts_position(world, s.target, &s.at);
    if (def->kind == KN_RTS_WEAPON_MELEE) {
        (void)knc_rts_shot_hit(world, &s);
    } else {
        (void)knc_rts_projectile_send(world, &s, NULL);
    }
    if (!kn_activation_is_alive(world, call->activation)) {
        return KN_OK;
    }
    return backswing > 0 ? task_start(call, LABEL_BACKSWING, backswing)
                         : kn_activation_end(world, call->activation);
}

static kn_result attack_begin(const kn_ability_call *call, const kn_event_record *event)
{
    kn_world *world = call->world;
    armed_item *item = item_of(world, call->owner, call->ability);
    const kn_rts_weapon_def *def = item != NULL ? knc_rts_weapon_of(world, item->weapon) : NULL;
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    item->target = event->target;
    const kn_time windup = hurried(world, call->owner, def->windup);
    phase_set(call, KN_RTS_ATTACK_WINDUP, windup);
    kn_result result = kn_activation_commit_cost(world, call->activation);
    if (result == KN_OK) {
        result = cooldown_begin(call, def);
    }
    if (result == KN_OK) {
        result = windup > 0 ? task_start(call, LABEL_WINDUP, windup) : attack_strike(call);
    }
    return result;
}

static void attack_go_on(const kn_ability_call *call, const kn_task_result *done)
{
    if (done->label == LABEL_BACKSWING) {
        (void)kn_activation_end(call->world, call->activation);
    } else if (done->label == LABEL_WINDUP && attack_strike(call) != KN_OK) {
        (void)kn_activation_cancel(call->world, call->activation);
    }
}

// An attack that did not come to its strike costs nothing.
static void attack_ended(const kn_ability_call *call, kn_end_reason reason)
{
    kn_world *world = call->world;
    armed_item *item = item_of(world, call->owner, call->ability);
    (void)reason;
    if (item == NULL || kn_world_is_client(world)) {
        return;
    }
    const bool is_cancelled = item->phase == KN_RTS_ATTACK_WINDUP;
    const kn_effect_id cooldown = item->cooldown;
    const kn_rts_attack_event event = {.target = item->target,
        .weapon = item->weapon,
        .phase = KN_RTS_ATTACK_IDLE,
        .until = kn_world_now(world)};
    phase_set(call, KN_RTS_ATTACK_IDLE, 0);
    if (is_cancelled) {
        (void)kn_effect_remove(world, cooldown, 0, KN_REMOVED_BY_CALL);
        (void)kn_activation_refund(world, call->activation, 1.0f);
        (void)kn_world_publish(
            world, call->owner, knc_rts_attack_of_world(world)->attacked, &event);
    }
}

kn_result kn_rts_attack(kn_world *world, kn_entity_id entity, kn_entity_id target)
{
    kn_result result = knc_rts_attack_may_change(world, entity), tried;
    kn_event_record event = kn_event_record_default();
    kn_rts_weapon_info weapons[16];
    if (result != KN_OK) {
        return result;
    }
    event.instigator = entity;
    event.target = target;
    uint32_t count = kn_rts_weapons(world, entity, weapons, COUNT(weapons));
    count = count < COUNT(weapons) ? count : COUNT(weapons);
    result = KN_REFUSED_NOT_FOUND;
    for (uint32_t i = 0; i < count; i++) {
        tried = kn_ability_activate(world, weapons[i].ability, &event, NULL);
        if (tried == KN_OK) {
            return KN_OK;
        }
        result = i == 0 ? tried : result;
    }
    return result;
}

// What follows from weapons -------------------------------------------------------------

static kn_result cooldown_expand(kn_library *library, const attack_kit *kit,
    const kn_rts_weapon_def *weapon, kn_tag *tag, kn_effect_type_id *type, kn_error *error)
{
    char name[300];
    kn_tag_def tag_def = kn_tag_def_default();
    kn_effect_def def = kn_effect_def_default();
    (void)snprintf(name, sizeof(name), "Knack.Rts.Cooldown.%s", weapon->name);
    tag_def.name = name;
    tag_def.comment = "An attack cools down.";
    tag_def.source = "knack";
    kn_result result = kn_tag_register(library, &tag_def, tag, error);
    if (result != KN_OK) {
        return result;
    }
    const kn_attribute_id seconds = weapon->cooldown_attribute.index1 != 0
                                        ? weapon->cooldown_attribute
                                        : kit->attributes[KN_RTS_ATTACK_COOLDOWN];
    def.name = name;
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_attribute(seconds, KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    def.duration.capture.has_default = true;
    def.duration.capture.default_value = 1.0f;
    def.live_duration = KN_LIVE_NEXT;
    def.has_haste = true;
    def.haste = kn_magnitude_attribute(
        kit->attributes[KN_RTS_ATTACK_SPEED], KN_CAPTURE_FROM_SOURCE, false, 1.0f);
    def.haste.capture.has_default = true;
    def.haste.capture.default_value = 1.0f;
    def.asset_tags = (kn_tags){&kit->rts->tags[KN_RTS_ABILITY_ATTACK], 1};
    def.granted_tags = (kn_tags){tag, 1};
    result = kn_effect_register(library, &def, type, error);
    if (result == KN_REFUSED_DUPLICATE) { // finished for a second time
        *type = kn_effect_type_find(library, name);
        result = KN_OK;
    }
    return result;
}

static kn_result ability_expand(kn_library *library, attack_kit *kit,
    const kn_rts_weapon_def *weapon, kn_tag cooldown, kn_ability_type_id *type, kn_error *error)
{
    char name[300];
    kn_tag tags[KN_TAG_SET_MAX], blocked[KN_TAG_SET_MAX];
    kn_ability_def def = kn_ability_def_default();
    const kn_trigger_def trigger = {.tag = kit->rts->tags[KN_RTS_EVENT_ATTACK]};
    if (weapon->ability_tags.count >= KN_TAG_SET_MAX ||
        weapon->activation.ignored.count >= KN_TAG_SET_MAX) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "weapon `%s`: it has too many tags", weapon->name);
    }
    tags[0] = kit->rts->tags[KN_RTS_ABILITY_ATTACK];
    for (uint32_t i = 0; i < weapon->ability_tags.count; i++) {
        tags[i + 1] = weapon->ability_tags.data[i];
    }
    blocked[0] = kit->rts->tags[KN_RTS_UNARMED];
    for (uint32_t i = 0; i < weapon->activation.ignored.count; i++) {
        blocked[i + 1] = weapon->activation.ignored.data[i];
    }
    (void)snprintf(name, sizeof(name), "Knack.Rts.Attack.%s", weapon->name);
    def.name = name;
    def.tags = (kn_tags){tags, weapon->ability_tags.count + 1};
    def.activation = weapon->activation;
    def.activation.ignored = (kn_tags){blocked, weapon->activation.ignored.count + 1};
    def.costs = weapon->costs;
    def.cost_count = weapon->cost_count;
    def.cooldown_tags = (kn_tags){&cooldown, 1};
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    def.activate_by_event = attack_begin;
    def.can_activate = attack_may_begin;
    def.task_done = attack_go_on;
    def.ended = attack_ended;
    def.granted = weapon_granted;
    def.removed = weapon_removed;
    def.user = kit;
    kn_result result = kn_ability_register(library, &def, type, error);
    if (result == KN_REFUSED_DUPLICATE) {
        *type = kn_ability_type_find(library, name);
        result = KN_OK;
    }
    return result;
}

static kn_result tag_expand(
    kn_library *library, attack_kit *kit, const kn_rts_weapon_def *weapon, kn_error *error)
{
    char name[300];
    const char *tag = kn_tag_name(library, weapon->tag);
    if (weapon->tag.index1 == 0) {
        return KN_OK;
    }
    (void)snprintf(name, sizeof(name), "Knack.RtsWeaponAdded.%s", tag);
    kn_result result =
        knc_rts_attack_rule(library, name, KN_TRIGGER_TAG_ADDED, weapon->tag, tag_rule, kit, error);
    if (result != KN_OK) {
        return result;
    }
    (void)snprintf(name, sizeof(name), "Knack.RtsWeaponRemoved.%s", tag);
    return knc_rts_attack_rule(
        library, name, KN_TRIGGER_TAG_REMOVED, weapon->tag, tag_rule, kit, error);
}

kn_result knc_rts_armed_expand(kn_library *library, attack_kit *kit, kn_error *error)
{
    const uint32_t count = kn_def_count(library, kit->weapon_kind);
    kn_result result = KN_OK;
    free(kit->plans);
    kit->plan_count = 0;
    kit->plans = calloc(count + 1, sizeof(*kit->plans));
    if (kit->plans == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; result == KN_OK && i < count; i++) {
        const kn_rts_weapon_def *def = kn_def_get(library, kit->weapon_kind, i + 1);
        weapon_plan *plan = &kit->plans[i];
        kn_tag tag = {0};
        result = cooldown_expand(library, kit, def, &tag, &plan->cooldown, error);
        if (result == KN_OK) {
            result = ability_expand(library, kit, def, tag, &plan->ability, error);
        }
        if (result == KN_OK) {
            result = tag_expand(library, kit, def, error);
        }
    }
    kit->plan_count = count;
    return result;
}

kn_result knc_rts_armed_register(kn_library *library, attack_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(armed, unused, KN_FIELD_U32)};
    kn_field items[] = {
        KN_FIELD(armed_item, ability, KN_FIELD_ABILITY),
        KN_FIELD(armed_item, cooldown, KN_FIELD_EFFECT),
        KN_FIELD(armed_item, target, KN_FIELD_ENTITY),
        KN_FIELD(armed_item, began, KN_FIELD_TIME),
        KN_FIELD(armed_item, until, KN_FIELD_TIME),
        KN_FIELD_TO(armed_item, weapon, "rts weapon"),
        KN_FIELD(armed_item, phase, KN_FIELD_U32),
        KN_FIELD(armed_item, failures, KN_FIELD_U32),
        KN_FIELD(armed_item, unused, KN_FIELD_U32),
    };
    static const kn_field evader_fields[] = {KN_FIELD(evader, failures, KN_FIELD_U32)};
    static const kn_field event_fields[] = {
        KN_FIELD(kn_rts_attack_event, target, KN_FIELD_ENTITY),
        KN_FIELD_TO(kn_rts_attack_event, weapon, "rts weapon"),
        KN_FIELD(kn_rts_attack_event, phase, KN_FIELD_U32),
        KN_FIELD(kn_rts_attack_event, until, KN_FIELD_TIME),
    };
    items[7].sync = KN_SYNC_NONE; // luck is the authority's
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Rts.Weapons";
    def.size = sizeof(armed);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(armed_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    kn_result result = kn_component_register(library, &def, &kit->armed, error);
    if (result == KN_OK) {
        def = kn_component_def_default();
        def.name = "Knack.Rts.Evasion";
        def.size = sizeof(evader);
        def.fields = evader_fields;
        def.field_count = COUNT(evader_fields);
        def.sync = KN_SYNC_NONE;
        result = kn_component_register(library, &def, &kit->evaders, error);
    }
    return result == KN_OK ? knc_rts_event_register(library, "Knack.RtsAttack",
                                 sizeof(kn_rts_attack_event), event_fields, COUNT(event_fields),
                                 "attacks {target} with {weapon}", &kit->attacked, error)
                           : result;
}
