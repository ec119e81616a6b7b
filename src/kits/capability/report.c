// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an entity has: as data, as a tree of text, and why something is active or not.

#include "parts.h"

#include <stdio.h>

// Data --------------------------------------------------------------------------

static bool mirrored_active(const kn_world *world, kn_entity_id entity, const member *m)
{
    const set_item *items;
    uint32_t count;
    (void)knc_capability_sets_read(world, entity, &items, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number == m->set_number) {
            return (items[i].mirrored >> m->place & 1) != 0;
        }
    }
    return false;
}

static kn_capability_set_id set_of(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t count = 0;
    const head *heads =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->heads, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (heads[i].number == number) {
            return heads[i].set;
        }
    }
    return (kn_capability_set_id){0};
}

static kn_capability_info info_of(
    const kn_world *world, kn_entity_id entity, const member *m, uint32_t place)
{
    const capability_plan *plan =
        &knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1];
    kn_capability_info info = {
        .capability = m->capability,
        .set = set_of(world, entity, m->set_number),
        .number = m->number,
        .set_number = m->set_number,
        .place = place,
        .side = plan->def->side,
        .is_allowed = (m->flags & MEMBER_ALLOWED) != 0,
        .is_set_up = (m->flags & MEMBER_SET_UP) != 0,
        .is_active = (m->flags & MEMBER_ACTIVE) != 0,
        .is_enabled = (m->flags & MEMBER_ENABLED) != 0,
        .can_tick = (m->flags & MEMBER_CAN_TICK) != 0,
        .is_listed = (m->flags & MEMBER_LISTED) == MEMBER_LISTED,
        .interval = m->interval,
        .changed = m->changed,
    };
    info.is_asleep =
        info.is_listed && (m->flags & MEMBER_DUE) == 0 && knc_capability_is_asleep(plan, m->flags);
    info.is_blocked = knc_capability_is_stopped(world, entity, m, plan, &info.blocked_tag);
    info.is_mirrored_active = plan->def->mirrored && mirrored_active(world, entity, m);
    return info;
}

uint32_t kn_capabilities(
    const kn_world *world, kn_entity_id entity, kn_capability_info *out, uint32_t capacity)
{
    uint32_t count = 0;
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const member *members =
        kit != NULL ? kn_component_read_items(world, kit->hosts, entity, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = info_of(world, entity, &members[i], i);
    }
    return count;
}

bool kn_capability_get_info(
    const kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_info *info)
{
    uint32_t place = 0;
    const member *m = knc_capability_kit_of_world(world) != NULL
                          ? knc_capability_member_read(world, entity, number, &place)
                          : NULL;
    if (m == NULL) {
        return false;
    }
    *info = info_of(world, entity, m, place);
    return true;
}

uint32_t kn_capability_number(
    const kn_world *world, kn_entity_id entity, kn_capability_id id, uint32_t set_number)
{
    uint32_t count = 0;
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const member *members =
        kit != NULL ? kn_component_read_items(world, kit->hosts, entity, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].capability.index1 == id.index1 &&
            (set_number == 0 || members[i].set_number == set_number)) {
            return members[i].number;
        }
    }
    return 0;
}

bool kn_capability_is_active(const kn_world *world, kn_entity_id entity, kn_capability_id id)
{
    uint32_t number = kn_capability_number(world, entity, id, 0);
    const member *m = number != 0 ? knc_capability_member_read(world, entity, number, NULL) : NULL;
    return m != NULL && (m->flags & MEMBER_ACTIVE) != 0;
}

static void count_add(const kn_world *world, kn_entity_id entity, kn_capability_counts *counts)
{
    uint32_t count = 0;
    const member *members =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        kn_capability_info info = info_of(world, entity, &members[i], i);
        counts->total++;
        counts->listed += info.is_listed;
        counts->active += info.is_active;
        counts->asleep += info.is_asleep;
        counts->blocked += info.is_blocked;
    }
    counts->entities += count > 0;
}

kn_capability_counts kn_capability_count(const kn_world *world, kn_entity_id entity)
{
    kn_capability_counts counts = {0};
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (kit == NULL) {
        return counts;
    }
    if (entity.index1 != 0) {
        count_add(world, entity, &counts);
        return counts;
    }
    while ((entity = kn_component_next(world, kit->hosts, entity)).index1 != 0) {
        count_add(world, entity, &counts);
    }
    return counts;
}

// Text ------------------------------------------------------------------------------

static const char *const side_names[] = {
    [KN_SIDE_ALWAYS] = "always",
    [KN_SIDE_AUTHORITY] = "authority",
    [KN_SIDE_LOCAL] = "local",
    [KN_SIDE_AUTHORITY_AND_LOCAL] = "authority and local",
    [KN_SIDE_OWNER_LOCAL] = "owner local",
    [KN_SIDE_CLIENTS] = "clients",
};

// Whether input never comes because the game forgot to say who controls the entity.
static bool is_forgotten(const kn_world *world, kn_entity_id entity)
{
    return kn_entity_connection(world, entity) != 0 &&
           knc_capability_side_allows(world, entity, KN_SIDE_LOCAL) &&
           !knc_capability_input_was_forwarded(world, entity);
}

static void say_input(
    kn_text *o, const kn_world *world, kn_entity_id entity, const kn_capability_info *info)
{
    const member *m = knc_capability_member_read(world, entity, info->number, NULL);
    if (!info->is_set_up ||
        !knc_capability_kit_of_world(world)->plans[info->capability.index1 - 1].has_input) {
        return;
    }
    if ((m->flags & MEMBER_BOUND) == 0) {
        kn_text_add(o, is_forgotten(world, entity) ? ", no controller was ever forwarded"
                                                   : ", without a controller");
    } else if ((m->flags & MEMBER_USES_INPUT) == 0) {
        kn_text_add(o, ", contexts off");
    }
}

static void say_member(
    kn_text *o, const kn_world *world, kn_entity_id entity, const kn_capability_info *info)
{
    const kn_library *library = kn_world_library(world);
    const capability_kit *kit = knc_capability_kit_of(library);
    kn_text_add(o, "  %u %s: %s", info->number,
        kn_def_name(library, kit->capability_kind, info->capability.index1),
        info->is_active ? "active" : "inactive");
    if (!info->is_set_up) {
        kn_text_add(o, ", not on this machine (%s)", side_names[info->side]);
    }
    if (!info->is_enabled) {
        kn_text_add(o, ", disabled");
    }
    if (!info->can_tick) {
        kn_text_add(o, ", on request");
    }
    if (info->is_asleep) {
        kn_text_add(o, ", asleep");
    }
    if (info->interval > 0) {
        kn_text_add(o, ", every %.6g s", (double)info->interval / 1e6);
    }
    if (info->is_blocked) {
        kn_text_add(o, ", blocked by %s", kn_tag_name(library, info->blocked_tag));
    }
    say_input(o, world, entity, info);
    kn_text_add(o, "\n");
}

static void say_source(kn_text *o, const kn_world *world, const kn_capability_source *source)
{
    const kn_library *library = kn_world_library(world);
    const member *m;
    kn_effect_info effect;
    switch (source->kind) {
    case KN_CAPABILITY_SOURCE_ENTITY:
        kn_text_add(o, "entity %u", source->entity.index1);
        break;
    case KN_CAPABILITY_SOURCE_MEMBER:
        m = knc_capability_member_read(world, source->entity, source->number, NULL);
        kn_text_add(o, "capability %s of entity %u",
            m != NULL ? kn_def_name(library, knc_capability_kit_of(library)->capability_kind,
                            m->capability.index1)
                      : "(gone)",
            source->entity.index1);
        break;
    case KN_CAPABILITY_SOURCE_SET:
        kn_text_add(o, "set %s of entity %u",
            kn_def_name(library, knc_capability_kit_of(library)->set_kind,
                set_of(world, source->entity, source->number).index1),
            source->entity.index1);
        break;
    case KN_CAPABILITY_SOURCE_EFFECT:
        kn_text_add(o, "effect %s",
            kn_effect_get(world, source->effect, &effect) ? kn_effect_type_name(world, effect.type)
                                                          : "(gone)");
        break;
    default:
        kn_text_add(o, "key %llu", (unsigned long long)source->key);
        break;
    }
}

// Blocks one after the other, whatever their number is.
static void say_blocks(kn_text *o, const kn_world *world, kn_entity_id entity, const member *only)
{
    enum { BLOCKS = 32 };
    kn_capability_block blocks[BLOCKS];
    const kn_library *library = kn_world_library(world);
    uint32_t count = kn_capability_blocks(world, entity, blocks, BLOCKS);
    for (uint32_t i = 0; i < count && i < BLOCKS; i++) {
        const kn_capability_def *def =
            only != NULL ? kn_capability_get_def(library, only->capability) : NULL;
        bool is_hit = only == NULL;
        for (uint32_t j = 0; def != NULL && j < def->tags.count; j++) {
            is_hit = is_hit || kn_tag_matches(library, def->tags.data[j], blocks[i].tag);
        }
        if (is_hit) {
            kn_text_add(o, "  blocks %s: ", kn_tag_name(library, blocks[i].tag));
            say_source(o, world, &blocks[i].source);
            kn_text_add(o, "\n");
        }
    }
    if (count > BLOCKS) {
        kn_text_add(o, "  and %u more blocks\n", count - BLOCKS);
    }
}

uint32_t kn_capability_print(const kn_world *world, kn_entity_id entity, char *text, uint32_t size)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_library *library = kit != NULL ? kn_world_library(world) : NULL;
    const set_item *sets;
    uint32_t set_count, count = 0;
    kn_text o = kn_text_begin(text, size);
    if (kit == NULL || knc_capability_sets_read(world, entity, &sets, &set_count) == NULL) {
        return 0;
    }
    const member *members = kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < set_count; i++) {
        bool is_there = set_of(world, entity, sets[i].number).index1 != 0;
        kn_text_add(&o, "%s%s\n", kn_def_name(library, kit->set_kind, sets[i].set.index1),
            is_there ? "" : " (waits)");
        for (uint32_t j = 0; j < count; j++) {
            if (members[j].set_number == sets[i].number) {
                kn_capability_info info = info_of(world, entity, &members[j], j);
                say_member(&o, world, entity, &info);
            }
        }
    }
    say_blocks(&o, world, entity, NULL);
    return o.length;
}

// Input of one member, and why it has none.
static void explain_input(kn_text *o, const kn_world *world, kn_entity_id entity, const member *m)
{
    if (!knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1].has_input) {
        return;
    }
    if ((m->flags & MEMBER_BOUND) == 0) {
        kn_text_add(o, "  it gets no input: %s\n",
            is_forgotten(world, entity)
                ? "a player controls the entity here, but no controller was ever forwarded to it; "
                  "call kn_capability_set_controller()"
                : "nobody controls the entity");
    } else if ((m->flags & MEMBER_USES_INPUT) == 0) {
        kn_text_add(o, "  its mapping contexts are off\n");
    }
}

// Why ---------------------------------------------------------------------------------

// Whether tags and conditions leave the answer open.
static bool is_up_to_function(const kn_world *world, kn_entity_id entity,
    const kn_capability_def *def, const kn_event_record *record, bool is_active)
{
    bool starts = def->start_when.index1 == 0 || kn_condition_holds(world, def->start_when, record);
    bool stops = def->stop_when.index1 != 0 && kn_condition_holds(world, def->stop_when, record);
    return kn_entity_meets(world, entity, &def->when) && (is_active ? !stops : starts);
}

static void say_conditions(
    kn_text *o, const kn_world *world, kn_entity_id entity, const member *m, bool is_active)
{
    const kn_library *library = kn_world_library(world);
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const capability_plan *plan = &kit->plans[m->capability.index1 - 1];
    const kn_capability_def *def = plan->def;
    kn_event_record record = kn_event_record_default();
    record.instigator = entity;
    record.target = entity;
    if (plan->has_when) {
        kn_text_add(o, "  the tags of the entity %s what it needs\n",
            kn_entity_meets(world, entity, &def->when) ? "are" : "are not");
    }
    if (!is_active && def->start_when.index1 != 0) {
        kn_text_add(o, "  condition %s to start %s\n", kn_condition_name(library, def->start_when),
            kn_condition_holds(world, def->start_when, &record) ? "holds" : "does not hold");
    }
    if (is_active && def->stop_when.index1 != 0) {
        kn_text_add(o, "  condition %s to stop %s\n", kn_condition_name(library, def->stop_when),
            kn_condition_holds(world, def->stop_when, &record) ? "holds" : "does not hold");
    }
    bool answer = is_active ? knc_capability_should_stop(world, entity, m, kit)
                            : knc_capability_should_start(world, entity, m, kit);
    const kn_hook *hook = is_active ? &plan->should_deactivate : &plan->should_activate;
    if (hook->function != NULL && is_up_to_function(world, entity, def, &record, is_active)) {
        kn_text_add(o, "  its function `%s` says %s\n",
            is_active ? "should_deactivate" : "should_activate", answer ? "yes" : "no");
    }
    if (is_active) {
        kn_text_add(o, "  all in all it %s\n", answer ? "should deactivate" : "should stay active");
    } else {
        kn_text_add(o, "  all in all it %s\n", answer ? "should activate" : "should stay inactive");
    }
}

uint32_t kn_capability_explain(
    const kn_world *world, kn_entity_id entity, uint32_t number, char *text, uint32_t size)
{
    kn_capability_info info;
    kn_text o = kn_text_begin(text, size);
    if (!kn_capability_get_info(world, entity, number, &info)) {
        return 0;
    }
    const kn_library *library = kn_world_library(world);
    const member *m = knc_capability_member_read(world, entity, number, NULL);
    kn_text_add(&o, "%s is %s\n",
        kn_def_name(
            library, knc_capability_kit_of(library)->capability_kind, info.capability.index1),
        info.is_active ? "active" : "not active");
    if (!info.is_set_up) {
        kn_text_add(
            &o, "  it does not run on this machine: its side is %s\n", side_names[info.side]);
        return o.length;
    }
    if (!info.is_enabled) {
        kn_text_add(&o, "  it is disabled\n");
    }
    if (info.is_blocked) {
        kn_text_add(&o, "  it is blocked by %s\n", kn_tag_name(library, info.blocked_tag));
        say_blocks(&o, world, entity, m);
    }
    if (!info.can_tick) {
        kn_text_add(&o, "  it is evaluated on request only\n");
    } else if (info.is_asleep) {
        kn_text_add(&o, "  it sleeps until it hears of something\n");
    }
    explain_input(&o, world, entity, m);
    say_conditions(&o, world, entity, m, info.is_active);
    return o.length;
}
