// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Short queries about attributes, abilities, effects, tags and events.

#include "text_parts.h"

#include <string.h>

// Attributes and numbers ----------------------------------------------------------------

float kn_rts_attribute(
    const kn_world *world, kn_entity_id entity, kn_attribute_id attribute, float fallback)
{
    return world != NULL && kn_attribute_exists(world, entity, attribute, 0)
               ? kn_attribute_value(world, entity, attribute)
               : fallback;
}

float kn_rts_scalable_at(const kn_library *library, const kn_scalable *scalable, float level)
{
    const bool is_broken = library == NULL || scalable == NULL || scalable->parameter.index1 != 0 ||
                           scalable->curve.index1 > kn_def_count(library, KN_DEF_CURVE);
    return is_broken ? 0.0f : knc_rts_scalable(library, scalable, level);
}

// A scalable without its parameter: what the ability has for it, or else the effect.
static kn_scalable scalable_given(const kn_world *world, const kn_effect_def *effect,
    const kn_scalable *scalable, kn_ability_id grant)
{
    kn_scalable given = *scalable;
    for (uint32_t i = 0; scalable->parameter.index1 != 0 && i < effect->parameter_count; i++) {
        const kn_parameter_def *parameter = &effect->parameters[i];
        if (parameter->name.index1 == scalable->parameter.index1) {
            const float fallback = parameter->value;
            const bool is_known = !parameter->required;
            const float has = kn_ability_parameter(world, grant, parameter->name, fallback);
            if (is_known || has != fallback) {
                given.value = has;
                given.parameter.index1 = 0;
            }
            break;
        }
    }
    return given;
}

bool knc_rts_magnitude(const kn_world *world, const kn_effect_def *effect,
    const kn_magnitude *magnitude, kn_entity_id source, kn_ability_id grant, float level,
    float *value)
{
    kn_magnitude given = *magnitude;
    given.scale = scalable_given(world, effect, &magnitude->scale, grant);
    given.pre_add = scalable_given(world, effect, &magnitude->pre_add, grant);
    given.post_add = scalable_given(world, effect, &magnitude->post_add, grant);
    if (given.kind == KN_MAGNITUDE_SET_BY_CALLER && grant.index1 != 0) {
        const float low = kn_ability_caller_value(world, grant, given.caller_tag, 0.0f);
        const bool is_there =
            low != 0.0f || kn_ability_caller_value(world, grant, given.caller_tag, 1.0f) == 0.0f;
        given.default_value = is_there ? low : given.default_value;
        given.has_default |= is_there;
    }
    return kn_magnitude_evaluate(world, &given, source, (kn_entity_id){0}, level, value) == KN_OK;
}

// Costs and cooldowns -------------------------------------------------------------------

float knc_rts_cost_nominal(const kn_world *world, kn_entity_id unit, const kn_ability_def *def,
    float level, kn_attribute_id attribute)
{
    const kn_library *library = kn_world_library(world);
    float sum = 0;
    for (uint32_t i = 0; i < def->cost_count; i++) {
        const kn_cost_def *cost = &def->costs[i];
        if (cost->attribute.index1 != attribute.index1) {
            continue;
        }
        float amount = knc_rts_scalable(library, &cost->amount, level);
        if (cost->share_of.index1 != 0) {
            amount *= kn_attribute_value(world, unit, cost->share_of);
        }
        if (cost->value.index1 != 0) {
            const float size = amount < 0 ? -amount : amount;
            const float changed = kn_value_evaluate(world, unit, cost->value, size, NULL, false);
            amount = amount < 0 ? -changed : changed;
        }
        sum += amount;
    }
    const kn_effect_def *effect = kn_effect_type_get_def(world, def->cost_effect);
    for (uint32_t i = 0; effect != NULL && i < effect->modifier_count; i++) {
        float amount;
        if (effect->modifiers[i].attribute.index1 == attribute.index1 &&
            effect->modifiers[i].op == KN_OP_ADD &&
            knc_rts_magnitude(world, effect, &effect->modifiers[i].magnitude, unit,
                (kn_ability_id){0}, level, &amount)) {
            sum -= amount;
        }
    }
    return sum;
}

static kn_time time_of(float seconds)
{
    return seconds > 0 && seconds < 1e9f ? (kn_time)((double)seconds * 1e6 + 0.5) : 0;
}

static kn_time cooldown_of_effect(const kn_world *world, kn_entity_id unit,
    const kn_ability_def *def, kn_ability_id grant, float level)
{
    const kn_effect_def *effect = kn_effect_type_get_def(world, def->cooldown_effect);
    float seconds = 0, haste = 1;
    if (effect == NULL || effect->duration_kind != KN_DURATION_TIMED) {
        return 0;
    }
    kn_magnitude duration = effect->duration;
    if (duration.kind == KN_MAGNITUDE_SET_BY_CALLER &&
        duration.caller_tag.index1 == def->cooldown_caller_tag.index1) {
        duration.has_default = true;
        duration.default_value =
            knc_rts_scalable(kn_world_library(world), &def->cooldown_duration, level);
        grant.index1 = 0; // the ability itself says it
    }
    if (!knc_rts_magnitude(world, effect, &duration, unit, grant, level, &seconds) ||
        (effect->has_haste &&
            !knc_rts_magnitude(world, effect, &effect->haste, unit, grant, level, &haste))) {
        return 0;
    }
    return time_of(haste > 0 ? seconds / haste : seconds);
}

kn_time knc_rts_cooldown_nominal(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, kn_ability_id grant, float level)
{
    const kn_library *library = kn_world_library(world);
    const kn_ability_def *def = kn_ability_type_get_def(library, ability);
    if (def == NULL) {
        return 0;
    }
    kn_time longest = cooldown_of_effect(world, unit, def, grant, level);
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        const kn_cooldown_def *cooldown = &def->cooldowns[i];
        float seconds = knc_rts_scalable(library, &cooldown->duration, level);
        if (cooldown->value.index1 != 0) {
            seconds = kn_value_evaluate(world, unit, cooldown->value, seconds, NULL, false);
        }
        const float rate =
            cooldown->rate.index1 != 0 ? kn_rts_attribute(world, unit, cooldown->rate, 1.0f) : 1.0f;
        const kn_time time = time_of(rate > 0 ? seconds / rate : 0.0f);
        longest = time > longest ? time : longest;
    }
    return longest;
}

void kn_rts_cooldown(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability,
    kn_time *remaining, kn_time *duration)
{
    kn_time left = 0, whole = 0;
    const kn_ability_id grant = world != NULL && ability.index1 != 0
                                    ? knc_rts_ability_of(world, unit, ability)
                                    : (kn_ability_id){0};
    if (world != NULL && !kn_ability_cooldown(world, grant, &left, &whole)) {
        const float level = kn_ability_level(world, grant);
        whole = knc_rts_cooldown_nominal(world, unit, ability, grant, level > 0 ? level : 1);
    }
    if (remaining != NULL) {
        *remaining = left;
    }
    if (duration != NULL) {
        *duration = whole;
    }
}

// Abilities -----------------------------------------------------------------------------

kn_tag kn_rts_event_trigger(const kn_library *library, kn_ability_type_id ability)
{
    const kn_ability_def *def = library != NULL ? kn_ability_type_get_def(library, ability) : NULL;
    for (uint32_t i = 0; def != NULL && i < def->trigger_count; i++) {
        if (def->triggers[i].source == KN_TRIGGER_SOURCE_EVENT) {
            return def->triggers[i].tag;
        }
    }
    return (kn_tag){0};
}

// Abilities of a unit that a test accepts, in order of grant.
typedef bool ability_test_fn(const kn_world *world, const kn_ability_info *info);

static uint32_t abilities_that(const kn_world *world, kn_entity_id unit, ability_test_fn *test,
    kn_ability_id *out, uint32_t capacity)
{
    kn_ability_id found[64];
    const uint32_t all =
        world != NULL ? kn_abilities_find(world, unit, NULL, found, COUNT(found)) : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all && i < COUNT(found); i++) {
        kn_ability_info info;
        if (kn_ability_get(world, found[i], &info) && !info.is_removing && test(world, &info)) {
            if (count < capacity) {
                out[count] = found[i];
            }
            count++;
        }
    }
    return count;
}

static bool is_basic_attack(const kn_world *world, const kn_ability_info *info)
{
    const kn_library *library = kn_world_library(world);
    const kn_tag attack = kn_rts_tag(library, KN_RTS_EVENT_ATTACK);
    return attack.index1 != 0 && kn_rts_event_trigger(library, info->type).index1 == attack.index1;
}

uint32_t kn_rts_basic_attacks(
    const kn_world *world, kn_entity_id unit, kn_ability_id *out, uint32_t capacity)
{
    return abilities_that(world, unit, is_basic_attack, out, capacity);
}

static bool is_of_effect(const kn_world *world, const kn_ability_info *info)
{
    (void)world;
    return info->effect.index1 != 0;
}

uint32_t kn_rts_item_abilities(
    const kn_world *world, kn_entity_id unit, kn_ability_id *out, uint32_t capacity)
{
    return abilities_that(world, unit, is_of_effect, out, capacity);
}

int32_t kn_rts_item_ability_index(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    kn_ability_id found[64];
    const uint32_t count = kn_rts_item_abilities(world, unit, found, COUNT(found));
    for (uint32_t i = 0; i < count && i < COUNT(found); i++) {
        kn_ability_info info;
        if (kn_ability_get(world, found[i], &info) && info.type.index1 == ability.index1) {
            return (int32_t)i;
        }
    }
    return -1;
}

bool kn_rts_is_unlocked(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    const kn_ability_def *def =
        world != NULL ? kn_ability_type_get_def(kn_world_library(world), ability) : NULL;
    if (def == NULL || !kn_entity_is_alive(world, unit)) {
        return false;
    }
    for (uint32_t i = 0; i < def->activation.required.count; i++) {
        if (!kn_entity_has_tag(world, unit, def->activation.required.data[i])) {
            return false;
        }
    }
    return true;
}

uint32_t kn_rts_granted_abilities(
    const kn_world *world, kn_effect_type_id effect, kn_ability_type_id *out, uint32_t capacity)
{
    const kn_effect_def *def = world != NULL ? kn_effect_type_get_def(world, effect) : NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; def != NULL && i < def->grant_count; i++) {
        const kn_library *library = kn_world_library(world);
        const char *name = kn_def_name(library, KN_DEF_NAME, def->grants[i].ability.index1);
        const kn_ability_type_id type = {kn_def_find(library, KN_DEF_ABILITY, name)};
        if (type.index1 != 0) { // others are passed to the program
            if (count < capacity) {
                out[count] = type;
            }
            count++;
        }
    }
    return count;
}

// Effects -------------------------------------------------------------------------------

kn_rts_effect_time kn_rts_get_effect_time(
    const kn_world *world, kn_entity_id entity, kn_effect_type_id effect)
{
    kn_rts_effect_time time = {0};
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id found[64];
    query.type = effect;
    const uint32_t count = world != NULL && effect.index1 != 0
                               ? kn_effects_find(world, entity, &query, found, COUNT(found))
                               : 0;
    for (uint32_t i = 0; i < count && i < COUNT(found); i++) {
        kn_effect_info info;
        if (!kn_effect_get(world, found[i], &info) || info.type.index1 != effect.index1) {
            continue; // one that descends from it
        }
        time.count++;
        time.is_infinite |= info.duration == KN_TIME_INFINITE;
        time.remaining = info.remaining > time.remaining ? info.remaining : time.remaining;
        time.duration = info.duration > time.duration ? info.duration : time.duration;
    }
    if (time.is_infinite) {
        time.remaining = time.duration = -1;
    }
    return time;
}

// Tags ----------------------------------------------------------------------------------

bool kn_rts_unit_type_has_tag(const kn_library *library, kn_rts_unit_type_id type, kn_tag tag)
{
    const kn_rts_unit_def *def = library != NULL ? kn_rts_unit_get_def(library, type) : NULL;
    return def != NULL && tag.index1 != 0 &&
           (kn_tag_matches(library, def->name_tag, tag) ||
               kn_tags_has(library, def->initial_tags, tag));
}

static bool is_same_player(const kn_world *world, kn_entity_id a, kn_entity_id b)
{
    const kn_entity_id owner = kn_entity_owner(world, a);
    return owner.index1 != 0 && kn_entity_id_equal(owner, kn_entity_owner(world, b));
}

uint32_t kn_rts_relation_tags(
    const kn_world *world, kn_entity_id from, kn_entity_id to, kn_tag *out, uint32_t capacity)
{
    static const struct {
        kn_order_relation flag;
        kn_rts_tag_name tag;
    } rows[] = {
        {KN_ORDER_FRIENDLY, KN_RTS_FRIENDLY},
        {KN_ORDER_HOSTILE, KN_RTS_HOSTILE},
        {KN_ORDER_NEUTRAL, KN_RTS_NEUTRAL},
        {KN_ORDER_SELF, KN_RTS_SELF},
        {KN_ORDER_VISIBLE, KN_RTS_VISIBLE},
    };
    if (knc_rts_kit_of_world(world) == NULL) {
        return 0;
    }
    const kn_library *library = kn_world_library(world);
    const uint32_t relation = kn_order_get_relation(world, from, to);
    kn_tag tags[COUNT(rows) + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        if ((relation & (uint32_t)rows[i].flag) != 0) {
            tags[count++] = kn_rts_tag(library, rows[i].tag);
        }
    }
    if (is_same_player(world, from, to)) {
        tags[count++] = kn_rts_tag(library, KN_RTS_SAME_PLAYER);
    }
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = tags[i];
    }
    return count;
}

// The tags of an entity and some more, as many as there is room for.
static void tags_gather(
    const kn_world *world, kn_entity_id entity, const kn_tag *more, uint32_t count, kn_tag_set *set)
{
    kn_tag tags[KN_TAG_SET_MAX];
    uint32_t own = kn_entity_tags(world, entity, tags, COUNT(tags));
    own = own < COUNT(tags) ? own : COUNT(tags);
    *set = (kn_tag_set){0};
    for (uint32_t i = 0; i < count; i++) { // these come first, so that they are never left out
        (void)kn_tag_set_add(set, more[i]);
    }
    for (uint32_t i = 0; i < own; i++) {
        (void)kn_tag_set_add(set, tags[i]);
    }
}

void kn_rts_source_and_target_tags(const kn_world *world, kn_entity_id source, kn_entity_id target,
    kn_tag_set *source_tags, kn_tag_set *target_tags)
{
    kn_tag relation[8];
    const uint32_t count = kn_rts_relation_tags(world, source, target, relation, COUNT(relation));
    *source_tags = *target_tags = (kn_tag_set){0};
    if (world != NULL) {
        tags_gather(world, source, relation, count, source_tags);
        tags_gather(world, target, relation, count, target_tags);
    }
}

kn_result kn_rts_change_tag(kn_world *world, kn_entity_id unit, kn_tag tag, bool exists)
{
    const kn_tags tags = {&tag, 1};
    kn_result result = knc_rts_may_change(world, unit);
    if (result != KN_OK) {
        return result;
    }
    if (kn_entity_has_tag_exact(world, unit, tag) == exists) {
        return knc_rts_unit_check(world, unit);
    }
    return exists ? kn_rts_add_tags(world, unit, tags) : kn_rts_remove_tags(world, unit, tags);
}

uint32_t kn_rts_filter_tags(
    const kn_library *library, kn_tags tags, kn_tag parent, kn_tag *out, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kn_tag_matches(library, tags.data[i], parent)) {
            if (count < capacity) {
                out[count] = tags.data[i];
            }
            count++;
        }
    }
    return count;
}

static void list_add(kn_tag *list, uint32_t *count, kn_tag tag)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i].index1 == tag.index1) {
            return;
        }
    }
    if (*count < KN_ORDER_ERRORS_MAX) {
        list[(*count)++] = tag;
    }
}

bool kn_rts_check_tags(const kn_library *library, kn_tags tags, kn_tags required, kn_tags blocked,
    kn_order_errors *errors)
{
    bool holds = true;
    for (uint32_t i = 0; i < blocked.count; i++) {
        if (kn_tags_has(library, tags, blocked.data[i])) {
            holds = false;
            if (errors != NULL) {
                list_add(errors->blocking, &errors->blocking_count, blocked.data[i]);
            }
        }
    }
    for (uint32_t i = 0; i < required.count; i++) {
        if (!kn_tags_has(library, tags, required.data[i])) {
            holds = false;
            if (errors != NULL) {
                list_add(errors->missing, &errors->missing_count, required.data[i]);
            }
        }
    }
    return holds;
}

// Events --------------------------------------------------------------------------------

static kn_vec3 position_of(const kn_world *world, kn_entity_id entity)
{
    kn_vec3 at = {0};
    (void)kn_space_position(kn_world_space(world), world, entity, &at);
    return at;
}

static void event_begin(const kn_world *world, kn_entity_id source, kn_entity_id target, kn_tag tag,
    kn_rts_event *event)
{
    memset(event, 0, sizeof(*event));
    event->tag = tag;
    event->record = kn_event_record_default();
    event->record.instigator = source;
    event->record.target = target;
    event->record.magnitude = (float)kn_rts_level(world, source);
    tags_gather(world, source, NULL, 0, &event->instigator_tags);
    event->record.has_instigator_tags = true;
    event->record.instigator_tags = kn_tag_set_view(&event->instigator_tags);
}

static void event_set_target_tags(kn_rts_event *event)
{
    event->record.has_target_tags = true;
    event->record.target_tags = kn_tag_set_view(&event->target_tags);
}

// What an order is aimed at, as target data.
static void event_aim(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_rts_event *event)
{
    const kn_library *library = kn_world_library(world);
    const kn_order_target_kind kind =
        kn_order_get_target_kind(world, order->type, unit, order->index);
    if (kind == KN_ORDER_TARGET_ENTITY && order->target.index1 != 0) {
        const kn_target_entity target = {order->target};
        (void)kn_target_add(library, &event->targets, kn_target_type_entity(), &target);
    } else if (kind == KN_ORDER_TARGET_LOCATION || kind == KN_ORDER_TARGET_DIRECTION) {
        const bool is_at_entity = order->uses_location == 0 && order->target.index1 != 0;
        kn_target_line line = {.source = unit,
            .start = position_of(world, unit),
            .end = is_at_entity ? position_of(world, order->target) : order->location};
        line.direction = (kn_vec3){
            line.end.x - line.start.x, line.end.y - line.start.y, line.end.z - line.start.z};
        (void)kn_target_add(library, &event->targets, kn_target_type_line(), &line);
    }
    if (event->targets.count > 0) {
        event->record.data = event->targets.bytes;
        event->record.data_size = event->targets.size;
    }
}

kn_result kn_rts_event_for_order(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_rts_event *event)
{
    if (knc_rts_kit_of_world(world) == NULL || order == NULL || event == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, unit)) {
        return KN_REFUSED_STALE_ID;
    }
    const kn_library *library = kn_world_library(world);
    kn_order_variant variant;
    (void)kn_order_get_variant(world, order->type, unit, order->index, &variant);
    const kn_tag tag = kn_rts_event_trigger(library, variant.ability);
    if (tag.index1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    event_begin(world, unit, order->target, tag, event);
    const kn_order_target target = kn_order_look(world, unit, order->target, order->location);
    for (uint32_t i = target.tag_count; i > 0; i--) { // those of the relation come last
        (void)kn_tag_set_add(&event->target_tags, target.tags[i - 1]);
    }
    event_set_target_tags(event);
    event_aim(world, unit, order, event);
    return KN_OK;
}

kn_result kn_rts_event_with_tag(const kn_world *world, kn_entity_id source, kn_entity_id target,
    kn_tag tag, kn_rts_event *event)
{
    if (knc_rts_kit_of_world(world) == NULL || event == NULL || tag.index1 == 0 ||
        kn_tag_name(kn_world_library(world), tag)[0] == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, source) || !kn_entity_is_alive(world, target)) {
        return KN_REFUSED_STALE_ID;
    }
    event_begin(world, source, target, tag, event);
    tags_gather(world, target, NULL, 0, &event->target_tags);
    event_set_target_tags(event);
    return KN_OK;
}

static bool is_triggered(const kn_library *library, const kn_ability_def *def, kn_tag tag)
{
    for (uint32_t i = 0; def != NULL && i < def->trigger_count; i++) {
        if (def->triggers[i].source == KN_TRIGGER_SOURCE_EVENT &&
            kn_tag_matches(library, tag, def->triggers[i].tag)) {
            return true;
        }
    }
    return false;
}

kn_result kn_rts_send_event(
    kn_world *world, kn_entity_id receiver, const kn_rts_event *event, uint32_t *activated)
{
    uint32_t ignored;
    activated = activated != NULL ? activated : &ignored;
    *activated = 0;
    if (knc_rts_kit_of_world(world) == NULL || event == NULL || event->tag.index1 == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, receiver)) {
        return KN_REFUSED_STALE_ID;
    }
    const kn_library *library = kn_world_library(world);
    kn_event_record record = event->record;
    kn_ability_id grants[64];
    record.tag = event->tag;
    const uint32_t count = kn_abilities_find(world, receiver, NULL, grants, COUNT(grants));
    for (uint32_t i = 0; i < count && i < COUNT(grants); i++) {
        const kn_ability_type_id type = kn_ability_get_type(world, grants[i]);
        if (!is_triggered(library, kn_ability_type_get_def(library, type), event->tag)) {
            continue;
        }
        const kn_result result = kn_ability_activate(world, grants[i], &record, NULL);
        if (result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN) {
            *activated = 0;
            return result;
        }
        *activated += result == KN_OK;
    }
    return KN_OK;
}
