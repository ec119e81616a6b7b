// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units: what they begin with, attributes from tables, and tags.

#include "parts.h"

#include "knack/debug.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define INIT_CHUNK 64 // attributes that are read together
#define INIT_PASSES 3 // one attribute may limit another, which may limit a third

static const unit_ids *ids_of(const kn_world *world)
{
    return &knc_rts_kit_of_world(world)->units;
}

const unit_state *knc_rts_unit_read(const kn_world *world, kn_entity_id unit)
{
    return knc_rts_kit_of_world(world) != NULL && unit.index1 != 0
               ? kn_component_read(world, ids_of(world)->state, unit)
               : NULL;
}

kn_result knc_rts_unit_check(const kn_world *world, kn_entity_id unit)
{
    kn_result result = knc_rts_may_change(world, unit);
    if (result != KN_OK) {
        return result;
    }
    return knc_rts_unit_read(world, unit) != NULL ? KN_OK : KN_REFUSED_NOT_FOUND;
}

kn_rts_unit_type_id kn_rts_unit_get_type(const kn_world *world, kn_entity_id unit)
{
    const unit_state *state = knc_rts_unit_read(world, unit);
    return state != NULL ? state->type : (kn_rts_unit_type_id){0};
}

// Parts -----------------------------------------------------------------------------

static const kn_rts_part_def *part_at(const kn_world *world, uint32_t index1)
{
    return kn_def_get(kn_world_library(world), ids_of(world)->part_kind, index1);
}

static uint32_t part_count(const kn_world *world)
{
    return kn_def_count(kn_world_library(world), ids_of(world)->part_kind);
}

static bool part_concerns(const kn_world *world, kn_entity_id unit, const kn_rts_part_def *part)
{
    return (part->set.index1 == 0 || kn_attribute_set_has(world, unit, part->set, 0)) &&
           (part->component.index1 == 0 || kn_component_read(world, part->component, unit) != NULL);
}

// Attributes ------------------------------------------------------------------------

static bool is_listed(const kn_attribute_id *list, uint32_t count, kn_attribute_id attribute)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].index1 == attribute.index1) {
            return true;
        }
    }
    return false;
}

static bool attribute_is_read(
    const kn_world *world, kn_entity_id unit, kn_attribute_id attribute, bool is_initial)
{
    for (uint32_t i = 1; i <= part_count(world); i++) {
        const kn_rts_part_def *part = part_at(world, i);
        if (!part_concerns(world, unit, part)) {
            continue;
        }
        if (is_listed(part->never, part->never_count, attribute) ||
            (!is_initial && is_listed(part->initial_only, part->initial_only_count, attribute))) {
            return false;
        }
        kn_rts_filter_call call = {attribute, is_initial, 1};
        if (part->may_initialize.function != NULL &&
            kn_hook_read(world, ids_of(world)->part_kind, i, &part->may_initialize, unit, &call) ==
                KN_OK &&
            call.answer == 0) {
            return false;
        }
    }
    return true;
}

typedef struct init_value {
    kn_attribute_id attribute;
    float value;
} init_value;

// A value that is limited by one that comes later settles in the next pass.
static void values_write(
    kn_world *world, kn_entity_id unit, const init_value *values, uint32_t count)
{
    bool is_settled = false;
    for (uint32_t pass = 0; pass < INIT_PASSES && !is_settled; pass++) {
        is_settled = true;
        for (uint32_t i = 0; i < count; i++) {
            if (kn_attribute_base(world, unit, values[i].attribute) != values[i].value) {
                (void)kn_attribute_init(world, unit, values[i].attribute, 0, values[i].value);
                is_settled = false;
            }
        }
    }
}

static void tables_read(
    kn_world *world, kn_entity_id unit, kn_rts_unit_type_id type, uint32_t level, bool is_initial)
{
    const kn_library *library = kn_world_library(world);
    const unit_plan *plan = knc_rts_unit_plan(library, type);
    init_value values[INIT_CHUNK];
    uint32_t count = 0, last = 0;
    for (uint32_t i = 0; plan != NULL && i < plan->row_count; i++) {
        const table_row *row = &plan->rows[i];
        if ((row->level != 0 && row->level != level) || row->attribute.index1 == last ||
            !kn_attribute_exists(world, unit, row->attribute, 0)) {
            continue;
        }
        last = row->attribute.index1;
        if (!attribute_is_read(world, unit, row->attribute, is_initial)) {
            continue;
        }
        values[count++] = (init_value){row->attribute,
            row->level == 0 ? kn_curve_at(library, row->curve, (float)level) : row->value};
        if (count == INIT_CHUNK) {
            values_write(world, unit, values, count);
            count = 0;
        }
    }
    values_write(world, unit, values, count);
}

// To the limit of its value, or else to that of its base.
static void attribute_fill(kn_world *world, kn_entity_id unit, kn_attribute_id attribute)
{
    const kn_attribute_def *def = kn_attribute_get_def(kn_world_library(world), attribute);
    float minimum, maximum;
    kn_attribute_bounds(world, unit, attribute, 0, &minimum, &maximum);
    if (!isinf(maximum) || def->base_max.is_set) {
        (void)kn_attribute_init(world, unit, attribute, 0, isinf(maximum) ? FLT_MAX : maximum);
    }
}

static void attributes_fill(kn_world *world, kn_entity_id unit)
{
    for (uint32_t i = 1; i <= part_count(world); i++) {
        const kn_rts_part_def *part = part_at(world, i);
        for (uint32_t j = 0; part_concerns(world, unit, part) && j < part->filled_count; j++) {
            attribute_fill(world, unit, part->filled[j]);
        }
    }
}

bool knc_rts_unit_initialize(kn_world *world, kn_entity_id unit, uint32_t level, bool is_initial)
{
    const kn_rts_unit_type_id type = kn_rts_unit_get_type(world, unit);
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    if (def == NULL) {
        return false;
    }
    tables_read(world, unit, type, level, is_initial);
    if (is_initial) {
        attributes_fill(world, unit);
    }
    for (uint32_t i = 1; i <= part_count(world); i++) {
        const kn_rts_part_def *part = part_at(world, i);
        kn_rts_init_call call = {level, is_initial};
        if (part->initialized.function != NULL && part_concerns(world, unit, part)) {
            (void)kn_hook_run(world, ids_of(world)->part_kind, i, &part->initialized, unit, &call);
        }
    }
    kn_rts_init_call call = {level, is_initial};
    (void)kn_hook_run(world, ids_of(world)->unit_kind, type.index1, &def->initialized, unit, &call);
    return knc_rts_unit_read(world, unit) != NULL;
}

typedef struct read_call {
    kn_entity_id unit;
    uint32_t level;
} read_call;

static kn_result read_run(void *user, kn_world *world)
{
    const read_call *c = user;
    (void)knc_rts_unit_initialize(world, c->unit, c->level, false);
    return KN_OK;
}

kn_result kn_rts_read_attributes(kn_world *world, kn_entity_id unit, uint32_t level)
{
    kn_result result = knc_rts_unit_check(world, unit);
    read_call c = {unit, level};
    return result != KN_OK ? result : kn_world_call(world, read_run, &c);
}

// Tags ------------------------------------------------------------------------------

static void tag_log(const kn_world *world, kn_entity_id unit, const char *what, kn_tag tag)
{
    const kn_rts_unit_def *def = knc_rts_unit_def(world, kn_rts_unit_get_type(world, unit));
    if (def == NULL || !def->logs_tags) {
        return;
    }
    char message[KN_TAG_NAME_MAX + 128];
    (void)snprintf(message, sizeof(message), "unit %u (%s) %s `%s`", (unsigned)unit.index1,
        def->name, what, kn_tag_name(kn_world_library(world), tag));
    const kn_log_entry entry = {
        KN_LOG_INFO, KN_LOG_GAME, KN_OK, message, "src/kits/rts/rts_unit.c", __LINE__};
    kn_log_write(world, &entry);
}

static kn_result tag_add(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    kn_result result = kn_entity_add_tag(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
    if (result == KN_OK) {
        tag_log(world, unit, "gains", tag);
    }
    return result;
}

void knc_rts_tag_gain(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    if (kn_entity_tag_count_origin(world, unit, tag, KN_TAG_ORIGIN_LOOSE_SYNCED) == 0) {
        (void)tag_add(world, unit, tag);
    }
}

static kn_result tag_remove(kn_world *world, kn_entity_id unit, kn_tag tag)
{
    static const kn_tag_origin origins[] = {KN_TAG_ORIGIN_LOOSE_SYNCED, KN_TAG_ORIGIN_LOOSE};
    for (uint32_t i = 0; i < COUNT(origins); i++) {
        if (kn_entity_tag_count_origin(world, unit, tag, origins[i]) > 0) {
            kn_result result = kn_entity_remove_tag(world, unit, tag, origins[i], 1);
            if (result == KN_OK) {
                tag_log(world, unit, "loses", tag);
            }
            return result;
        }
    }
    return KN_OK;
}

typedef struct tags_call {
    kn_entity_id unit;
    kn_tags tags;
    kn_result (*change)(kn_world *world, kn_entity_id unit, kn_tag tag);
} tags_call;

static kn_result tags_run(void *user, kn_world *world)
{
    const tags_call *c = user;
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < c->tags.count; i++) {
        result = c->change(world, c->unit, c->tags.data[i]);
    }
    return result;
}

static kn_result tags_change(kn_world *world, const tags_call *call)
{
    kn_result result = knc_rts_unit_check(world, call->unit);
    tags_call c = *call;
    for (uint32_t i = 0; result == KN_OK && i < c.tags.count; i++) {
        const kn_tag tag = c.tags.data[i];
        if (kn_tag_name(kn_world_library(world), tag)[0] == 0) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        if (c.change == tag_add && kn_entity_tag_count_origin(world, c.unit, tag,
                                       KN_TAG_ORIGIN_LOOSE_SYNCED) >= UINT16_MAX) {
            return KN_REFUSED_LIMIT;
        }
    }
    return result != KN_OK ? result : kn_world_call(world, tags_run, &c);
}

kn_result kn_rts_add_tags(kn_world *world, kn_entity_id unit, kn_tags tags)
{
    const tags_call c = {unit, tags, tag_add};
    return tags_change(world, &c);
}

kn_result kn_rts_remove_tags(kn_world *world, kn_entity_id unit, kn_tags tags)
{
    const tags_call c = {unit, tags, tag_remove};
    return tags_change(world, &c);
}

// A set that is full takes no more.
static void provided_add(kn_tag_set *tags, const kn_rts_provide_call *call)
{
    for (uint32_t i = 0; i < call->count && i < KN_RTS_PROVIDE_MAX; i++) {
        if (call->tags[i].index1 != 0) {
            (void)kn_tag_set_add(tags, call->tags[i]);
        }
    }
}

// The parts for sets come first, then those for components, then the unit itself.
static void status_tags_collect(
    const kn_world *world, kn_entity_id unit, kn_rts_unit_type_id type, kn_tag_set *tags)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 1; i <= part_count(world); i++) {
            const kn_rts_part_def *part = part_at(world, i);
            if ((part->set.index1 != 0) != (pass == 0) || !part_concerns(world, unit, part)) {
                continue;
            }
            kn_rts_provide_call call = {0};
            for (uint32_t j = 0; j < part->status_tags.count; j++) {
                (void)kn_tag_set_add(tags, part->status_tags.data[j]);
            }
            if (kn_hook_read(world, ids_of(world)->part_kind, i, &part->provide, unit, &call) ==
                KN_OK) {
                provided_add(tags, &call);
            }
        }
    }
    kn_rts_provide_call call = {0};
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    if (kn_hook_read(world, ids_of(world)->unit_kind, type.index1, &def->provide, unit, &call) ==
        KN_OK) {
        provided_add(tags, &call);
    }
}

static void tags_begin(kn_world *world, kn_entity_id unit, kn_rts_unit_type_id type)
{
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    kn_tag_set tags = {0};
    status_tags_collect(world, unit, type, &tags);
    if (def->name_tag.index1 != 0) {
        knc_rts_tag_gain(world, unit, def->name_tag);
    }
    if (def->begins_alive) {
        knc_rts_tag_gain(world, unit, knc_rts_kit_of_world(world)->tags[KN_RTS_ALIVE]);
    }
    for (uint32_t i = 0; i < def->initial_tags.count; i++) {
        knc_rts_tag_gain(world, unit, def->initial_tags.data[i]);
    }
    for (uint32_t i = 0; i < tags.count; i++) {
        knc_rts_tag_gain(world, unit, tags.data[i]);
    }
}

// Abilities ---------------------------------------------------------------------------

static void ability_begin(
    kn_world *world, kn_entity_id unit, kn_ability_type_id type, uint32_t level)
{
    const uint32_t most = kn_rts_ability_get_def(kn_world_library(world), type)->max_level;
    const float wanted = (float)(level <= most ? level : most > 1 ? most : 1);
    kn_ability_id ability = knc_rts_ability_of(world, unit, type);
    if (ability.index1 != 0) {
        (void)kn_ability_set_level(world, &ability, wanted);
        return;
    }
    (void)knc_rts_ability_grant(world, unit, type, wanted);
}

static uint32_t initial_level(const kn_rts_unit_def *def, kn_ability_type_id type)
{
    for (uint32_t i = 0; i < def->initial_level_count; i++) {
        if (def->initial_levels[i].ability.index1 == type.index1) {
            return def->initial_levels[i].level;
        }
    }
    return 0;
}

static void abilities_begin(kn_world *world, kn_entity_id unit, const kn_rts_unit_def *def)
{
    for (uint32_t i = 0; i < def->ability_count; i++) {
        const uint32_t level = initial_level(def, def->abilities[i]);
        if (def->abilities[i].index1 != 0 &&
            (level != 0 || knc_rts_ability_of(world, unit, def->abilities[i]).index1 == 0)) {
            ability_begin(world, unit, def->abilities[i], level != 0 ? level : 1);
        }
    }
    for (uint32_t i = 0; i < def->initial_level_count; i++) {
        ability_begin(world, unit, def->initial_levels[i].ability, def->initial_levels[i].level);
    }
}

// From the beginning to the end ------------------------------------------------------------

typedef struct add_call {
    kn_entity_id unit;
    kn_rts_unit_type_id type;
} add_call;

static kn_result add_run(void *user, kn_world *world)
{
    const add_call *c = user;
    const unit_ids *ids = ids_of(world);
    const kn_rts_unit_def *def = knc_rts_unit_def(world, c->type);
    unit_state *state = kn_component_add(world, ids->state, c->unit);
    if (state == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *state = (unit_state){.type = c->type, .granted = -1.0f};
    for (uint32_t i = 0; i < def->set_count; i++) {
        if (!kn_attribute_set_has(world, c->unit, def->sets[i], 0)) {
            (void)!kn_attribute_set_add(world, c->unit, def->sets[i], 0);
        }
    }
    if (!knc_rts_unit_initialize(world, c->unit, def->level, true)) {
        return KN_OK; // a hook made it end
    }
    if (!knc_rts_levels_begin(world, c->unit, def)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    abilities_begin(world, c->unit, def);
    if (knc_rts_unit_read(world, c->unit) == NULL) {
        return KN_OK;
    }
    tags_begin(world, c->unit, c->type);
    knc_rts_owner_begin(world, c->unit);
    knc_rts_vision_begin(world, c->unit);
    knc_rts_abilities_note(world, c->unit);
    knc_rts_gift_look(world, c->unit);
    if (def->order_unit.index1 != 0 && kn_unit_get_type(world, c->unit).index1 == 0) {
        (void)kn_unit_add(world, c->unit, def->order_unit);
    }
    return KN_OK;
}

kn_result kn_rts_unit_add(kn_world *world, kn_entity_id entity, kn_rts_unit_type_id type)
{
    kn_result result = knc_rts_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (knc_rts_unit_def(world, type) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    if (knc_rts_unit_read(world, entity) != NULL) {
        return KN_REFUSED_DUPLICATE;
    }
    add_call c = {entity, type};
    return kn_world_call(world, add_run, &c);
}

static kn_result remove_run(void *user, kn_world *world)
{
    const kn_entity_id unit = *(const kn_entity_id *)user;
    const unit_ids *ids = ids_of(world);
    knc_rts_owner_end(world, unit);
    knc_rts_vision_end(world, unit);
    (void)kn_component_remove(world, ids->levels, unit);
    (void)kn_component_remove(world, ids->turns, unit);
    (void)kn_component_remove(world, ids->hits, unit);
    (void)kn_component_remove(world, ids->abilities, unit);
    (void)kn_component_remove(world, ids->state, unit);
    knc_rts_gift_look(world, unit);
    return KN_OK;
}

kn_result kn_rts_unit_remove(kn_world *world, kn_entity_id unit)
{
    kn_result result = knc_rts_unit_check(world, unit);
    return result != KN_OK ? result : kn_world_call(world, remove_run, &unit);
}

static void name_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const kn_rts_unit_type_id type = {(uint32_t)(uintptr_t)user};
    const kn_rts_unit_def *def = knc_rts_unit_def(world, type);
    if (def != NULL && kn_entity_has_tag_exact(world, reaction->entity, def->name_tag)) {
        (void)kn_rts_unit_add(world, reaction->entity, type);
    }
}

// An ability that is triggered by a tag that the unit has already is tried at once. What the kit
// itself grants was tried then: tags that came since have triggered it by themselves.
static void granted_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_ability_info info;
    (void)user;
    if (!kn_world_is_client(world) && knc_rts_unit_read(world, reaction->entity) != NULL &&
        kn_ability_get(world, reaction->ability, &info) &&
        !kn_entity_id_equal(info.source, info.owner)) {
        (void)kn_ability_activate_by_tag(world, reaction->ability, NULL);
    }
}

static bool granted_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const kn_ability_def *def = kn_ability_type_get_def(library, reaction->ability_type);
    (void)user;
    return def != NULL && def->trigger_count > 0;
}

kn_result knc_rts_units_expand(kn_library *library, rts_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kn_def_count(library, kit->units.unit_kind); i++) {
        const kn_rts_unit_def *def = kn_def_get(library, kit->units.unit_kind, i);
        char name[64];
        (void)snprintf(name, sizeof(name), "Knack.RtsUnit.%u", (unsigned)i);
        if (def->name_tag.index1 != 0) {
            result = knc_rts_rule_register(library, name, KN_TRIGGER_TAG_ADDED, def->name_tag,
                (kn_attribute_id){0}, name_rule, (void *)(uintptr_t)i, error);
        }
    }
    if (result == KN_OK) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = "Knack.RtsGranted";
        rule.trigger = KN_TRIGGER_ABILITY_GRANTED;
        rule.function = granted_rule;
        rule.wants = granted_wants;
        result = kn_rule_register(library, &rule, &id, error);
        result = result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
    }
    return result;
}

// Components --------------------------------------------------------------------------------

kn_result knc_rts_units_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field hits[] = {KN_FIELD(unit_hits, unused, KN_FIELD_U32)};
    static const kn_field hit_items[] = {
        KN_FIELD(kn_rts_hit, attacker, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_hit, at, KN_FIELD_TIME),
        KN_FIELD(kn_rts_hit, damage, KN_FIELD_F32),
        KN_FIELD(kn_rts_hit, unused, KN_FIELD_U32),
    };
    static const kn_field owners[] = {KN_FIELD(unit_owner, owner, KN_FIELD_ENTITY)};
    static const kn_field owner_items[] = {
        KN_FIELD(owner_item, tag, KN_FIELD_TAG),
        KN_FIELD(owner_item, is_ability, KN_FIELD_U32),
    };
    static const kn_component_reference of_owner = {
        .field = "owner", .when_destroyed = KN_REFERENCE_LEAVE};
    static const kn_component_reference of_attacker = {
        .field = "attacker", .of_items = true, .when_destroyed = KN_REFERENCE_REMOVE};
    kn_field granted = KN_FIELD(unit_state, granted, KN_FIELD_F32);
    granted.sync = KN_SYNC_NONE;
    const kn_field state[] = {
        KN_FIELD_TO(unit_state, type, "rts unit"),
        KN_FIELD(unit_state, is_dead, KN_FIELD_U32),
        granted,
        KN_FIELD(unit_state, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsUnit";
    def.size = sizeof(unit_state);
    def.fields = state;
    def.field_count = COUNT(state);
    kn_result result = kn_component_register(library, &def, &kit->units.state, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.RtsHits";
    def.size = sizeof(unit_hits);
    def.fields = hits;
    def.field_count = COUNT(hits);
    def.item_size = sizeof(kn_rts_hit);
    def.item_fields = hit_items;
    def.item_field_count = COUNT(hit_items);
    def.references = &of_attacker;
    def.reference_count = 1;
    def.sync = KN_SYNC_NONE;
    result = kn_component_register(library, &def, &kit->units.hits, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.RtsOwner";
    def.size = sizeof(unit_owner);
    def.fields = owners;
    def.field_count = COUNT(owners);
    def.item_size = sizeof(owner_item);
    def.item_fields = owner_items;
    def.item_field_count = COUNT(owner_items);
    def.references = &of_owner;
    return kn_component_register(library, &def, &kit->units.owners, error);
}
