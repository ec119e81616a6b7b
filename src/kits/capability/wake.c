// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What wakes capabilities: rules about tags, attributes, events, effects and abilities, timers, and
// the life of entities.

#include "parts.h"

#include "knack/tools.h"

#include <stdio.h>
#include <stdlib.h>

// Hearing -----------------------------------------------------------------------

static bool hears(const hearing *h, kn_capability_id capability)
{
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->capabilities[i].index1 == capability.index1) {
            return true;
        }
    }
    return false;
}

static void heard_hook(
    kn_world *world, const kn_reaction *reaction, const member *m, const kn_capability_def *def)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_capability_call call = {
        .trigger = (uint32_t)reaction->trigger,
        .tag = reaction->tag,
        .attribute = reaction->attribute,
        .magnitude = reaction->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED ? reaction->new_value
                                                                       : reaction->magnitude,
        .instigator = reaction->instigator,
    };
    (void)knc_capability_hook_with(world, reaction->entity, m, kit, &def->heard, call);
}

static bool tags_name(kn_tags tags, uint32_t index1)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (tags.data[i].index1 == index1) {
            return true;
        }
    }
    return false;
}

// Tags that block one that is always looked at only matter once nobody looks at it any more.
static bool is_told(const hearing *h, const kn_capability_def *def)
{
    bool is_tag = h->trigger == KN_TRIGGER_TAG_ADDED || h->trigger == KN_TRIGGER_TAG_REMOVED;
    return def->heard.function != NULL &&
           (!is_tag || def->sleeps || !def->can_tick || tags_name(def->hears_tags, h->index1));
}

// Members that were set up before the hooks run, and still are when it is their turn.
static void hearing_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const hearing *h = user;
    uint32_t count = 0;
    if (kn_component_read(world, kit->hosts, reaction->entity) == NULL) {
        return;
    }
    knc_capability_hold(world, reaction->entity);
    const member *members = kn_component_read_items(world, kit->hosts, reaction->entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const member m = members[i];
        if ((m.flags & (MEMBER_SET_UP | MEMBER_LEAVING)) == MEMBER_SET_UP &&
            hears(h, m.capability)) {
            const kn_capability_def *def = kit->plans[m.capability.index1 - 1].def;
            knc_capability_due(
                world, reaction->entity, knc_capability_member(world, reaction->entity, m.number));
            if (is_told(h, def)) {
                heard_hook(world, reaction, &m, def);
            }
        }
        members = kn_component_read_items(world, kit->hosts, reaction->entity, &count);
    }
    knc_capability_let_go(world, reaction->entity);
}

static bool ability_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const hearing *h = user;
    (void)library;
    return reaction->ability_type.index1 == h->index1;
}

// The record for one thing that can be heard of; NULL without memory.
static hearing *hearing_find(capability_kit *kit, kn_trigger trigger, uint32_t index1)
{
    hearing *h = kit->hearings;
    while (h != NULL && (h->trigger != trigger || h->index1 != index1)) {
        h = h->next;
    }
    if (h != NULL) {
        return h;
    }
    h = calloc(1, sizeof(*h));
    if (h != NULL) {
        h->next = kit->hearings;
        h->trigger = trigger;
        h->index1 = index1;
        kit->hearings = h;
    }
    return h;
}

static kn_result hearing_register(kn_library *library, const hearing *h, kn_error *error)
{
    char name[96];
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    (void)snprintf(
        name, sizeof(name), "Knack.CapabilityHears.%u.%u", (unsigned)h->trigger, h->index1);
    def.name = name;
    def.trigger = h->trigger;
    def.function = hearing_rule;
    def.user = (void *)(uintptr_t)h;
    switch (h->trigger) {
    case KN_TRIGGER_EVENT:
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        def.tag.index1 = h->index1;
        break;
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        def.attribute.index1 = h->index1;
        break;
    case KN_TRIGGER_EFFECT_APPLIED:
    case KN_TRIGGER_EFFECT_REMOVED:
        def.effect_type.index1 = h->index1;
        break;
    default:
        def.wants = ability_wants;
        break;
    }
    return kn_rule_register(library, &def, &rule, error);
}

static kn_result hearing_add(kn_library *library, capability_kit *kit, kn_trigger trigger,
    uint32_t index1, uint32_t capability1, kn_error *error)
{
    const kn_capability_id capability = {capability1};
    hearing *h = index1 != 0 ? hearing_find(kit, trigger, index1) : NULL;
    if (index1 == 0 || (h != NULL && hears(h, capability))) {
        return KN_OK;
    }
    kn_capability_id *more =
        h != NULL ? realloc(h->capabilities, (h->count + 1) * sizeof(*more)) : NULL;
    if (more == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    h->capabilities = more;
    h->capabilities[h->count++] = capability;
    kn_result result = h->count == 1 ? hearing_register(library, h, error) : KN_OK;
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result;
}

static kn_result tags_hear(
    kn_library *library, capability_kit *kit, kn_tags tags, uint32_t capability1, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < tags.count; i++) {
        result = hearing_add(
            library, kit, KN_TRIGGER_TAG_ADDED, tags.data[i].index1, capability1, error);
        if (result == KN_OK) {
            result = hearing_add(
                library, kit, KN_TRIGGER_TAG_REMOVED, tags.data[i].index1, capability1, error);
        }
    }
    return result;
}

static kn_result types_hear(kn_library *library, capability_kit *kit, const kn_capability_def *def,
    uint32_t capability1, kn_error *error)
{
    static const kn_trigger effects[] = {KN_TRIGGER_EFFECT_APPLIED, KN_TRIGGER_EFFECT_REMOVED};
    static const kn_trigger abilities[] = {KN_TRIGGER_ABILITY_ACTIVATED, KN_TRIGGER_ABILITY_ENDED};
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < def->hears_effect_count * 2; i++) {
        result = hearing_add(
            library, kit, effects[i % 2], def->hears_effects[i / 2].index1, capability1, error);
    }
    for (uint32_t i = 0; result == KN_OK && i < def->hears_ability_count * 2; i++) {
        result = hearing_add(
            library, kit, abilities[i % 2], def->hears_abilities[i / 2].index1, capability1, error);
    }
    for (uint32_t i = 0; result == KN_OK && i < def->hears_attribute_count; i++) {
        result = hearing_add(library, kit, KN_TRIGGER_ATTRIBUTE_CHANGED,
            def->hears_attributes[i].index1, capability1, error);
    }
    for (uint32_t i = 0; result == KN_OK && i < def->hears_events.count; i++) {
        result = hearing_add(
            library, kit, KN_TRIGGER_EVENT, def->hears_events.data[i].index1, capability1, error);
    }
    return result;
}

// What a capability depends on by its definition wakes it as well, and reaches one that is not
// evaluated in runs.
static kn_result capability_hears(
    kn_library *library, capability_kit *kit, uint32_t capability1, kn_error *error)
{
    const kn_capability_def *def = kn_def_get(library, kit->capability_kind, capability1);
    if (def->presents) {
        return KN_OK; // presenters look at it in every frame
    }
    kn_result result = tags_hear(library, kit, def->hears_tags, capability1, error);
    if (result == KN_OK) {
        result = tags_hear(library, kit, def->blocked_by, capability1, error);
    }
    if (result == KN_OK && def->sleeps) {
        result = tags_hear(library, kit, def->when.required, capability1, error);
        result = result != KN_OK ? result
                                 : tags_hear(library, kit, def->when.ignored, capability1, error);
    }
    return result != KN_OK ? result : types_hear(library, kit, def, capability1, error);
}

void knc_capability_hearings_release(capability_kit *kit)
{
    while (kit->hearings != NULL) {
        hearing *h = kit->hearings;
        kit->hearings = h->next;
        free(h->capabilities);
        free(h);
    }
}

kn_result knc_capability_hearings_expand(kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; result == KN_OK && i <= kit->plan_count; i++) {
        result = capability_hears(library, kit, i, error);
    }
    return result;
}

// What comes from a server ------------------------------------------------------------------

static uint64_t tags_mark(const kn_world *world, kn_entity_id entity, kn_tags tags, uint64_t mark)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        const uint8_t has = kn_entity_has_tag(world, entity, tags.data[i]);
        mark = kn_hash_bytes(mark, &has, sizeof(has));
    }
    return mark;
}

uint64_t knc_capability_heard_mark(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan)
{
    const kn_capability_def *def = plan->def;
    uint64_t mark = tags_mark(world, entity, def->hears_tags, 1);
    mark = tags_mark(world, entity, def->blocked_by, mark);
    mark = tags_mark(world, entity, def->when.required, mark);
    mark = tags_mark(world, entity, def->when.ignored, mark);
    for (uint32_t i = 0; i < def->hears_attribute_count; i++) {
        const float value = kn_attribute_value(world, entity, def->hears_attributes[i]);
        mark = kn_hash_bytes(mark, &value, sizeof(value));
    }
    for (uint32_t i = 0; i < def->hears_effect_count; i++) {
        kn_effect_query query = kn_effect_query_default();
        query.type = def->hears_effects[i];
        const uint32_t count = kn_effects_find(world, entity, &query, NULL, 0);
        mark = kn_hash_bytes(mark, &count, sizeof(count));
    }
    return mark;
}

void knc_capability_arrivals_hear(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const uint32_t mask = MEMBER_SET_UP | MEMBER_LEAVING | MEMBER_DUE;
    uint32_t count = 0;
    const member *members = kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const capability_plan *plan = &kit->plans[members[i].capability.index1 - 1];
        if ((members[i].flags & mask) == MEMBER_SET_UP &&
            knc_capability_waits(plan, members[i].flags) &&
            members[i].heard != knc_capability_heard_mark(world, entity, plan)) {
            knc_capability_due(
                world, entity, knc_capability_member(world, entity, members[i].number));
            members = kn_component_read_items(world, kit->hosts, entity, &count);
        }
    }
}

// Timers --------------------------------------------------------------------------------

static bool is_earlier(const clock_item *a, const clock_item *b)
{
    if (a->at != b->at) {
        return a->at < b->at;
    }
    return a->entity.index1 != b->entity.index1 ? a->entity.index1 < b->entity.index1
                                                : a->number < b->number;
}

static void clock_sink(clock_item *items, uint32_t count)
{
    uint32_t at = 0;
    for (;;) {
        uint32_t least = at, left = at * 2 + 1;
        for (uint32_t child = left; child <= left + 1 && child < count; child++) {
            least = is_earlier(&items[child], &items[least]) ? child : least;
        }
        if (least == at) {
            return;
        }
        const clock_item moved = items[at];
        items[at] = items[least];
        items[least] = moved;
        at = least;
    }
}

static kn_result clock_push(kn_world *world, clock_item item)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->clock;
    const kn_entity_id self = {0};
    uint32_t count = 0;
    if (kn_component_add(world, type, self) == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    (void)kn_component_read_items(world, type, self, &count);
    clock_item *items = kn_component_resize(world, type, self, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t at = count;
    for (; at > 0 && is_earlier(&item, &items[(at - 1) / 2]); at = (at - 1) / 2) {
        items[at] = items[(at - 1) / 2];
    }
    items[at] = item;
    return KN_OK;
}

// A timer whose member has another time by now is out of date.
static void clock_fire(kn_world *world, const clock_item *item)
{
    member *m = kn_entity_is_alive(world, item->entity)
                    ? knc_capability_member(world, item->entity, item->number)
                    : NULL;
    if (m != NULL && m->wakes == item->at) {
        m->wakes = 0;
        knc_capability_due(world, item->entity, m);
    }
}

void knc_capability_clock_run(kn_world *world)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->clock;
    const kn_entity_id self = {0};
    for (;;) {
        uint32_t count = 0;
        const clock_item *first = kn_component_read_items(world, type, self, &count);
        if (count == 0 || first->at > kn_world_now(world)) {
            return;
        }
        clock_item *items = kn_component_items(world, type, self, &count);
        const clock_item item = items[0];
        items[0] = items[count - 1];
        clock_sink(items, count - 1);
        (void)kn_component_resize(world, type, self, count - 1);
        clock_fire(world, &item);
    }
}

typedef struct wake_call {
    kn_entity_id entity;
    uint32_t number;
    kn_time delay;
} wake_call;

static kn_result wake_check(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return knc_capability_member_read(world, entity, number, NULL) != NULL ? KN_OK
                                                                           : KN_REFUSED_NOT_FOUND;
}

static kn_result wake_run(void *user, kn_world *world)
{
    const wake_call *c = user;
    knc_capability_due(world, c->entity, knc_capability_member(world, c->entity, c->number));
    return KN_OK;
}

kn_result kn_capability_wake(kn_world *world, kn_entity_id entity, uint32_t number)
{
    kn_result result = wake_check(world, entity, number);
    wake_call c = {entity, number, 0};
    return result != KN_OK ? result : kn_world_call(world, wake_run, &c);
}

static kn_result wake_after_run(void *user, kn_world *world)
{
    const wake_call *c = user;
    member *m = knc_capability_member(world, c->entity, c->number);
    kn_time at = kn_world_now(world) + c->delay;
    if (m->wakes != 0 && m->wakes <= at) {
        return KN_OK;
    }
    m->wakes = at;
    const clock_item item = {.at = at, .entity = c->entity, .number = c->number};
    return clock_push(world, item);
}

kn_result kn_capability_wake_after(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_time delay)
{
    kn_result result = wake_check(world, entity, number);
    if (result == KN_OK && (delay < 0 || delay > KN_TIME_MAX)) {
        result = KN_REFUSED_BAD_NUMBER;
    }
    if (result != KN_OK || delay == 0) {
        return result != KN_OK ? result : kn_capability_wake(world, entity, number);
    }
    wake_call c = {entity, number, delay};
    return kn_world_call(world, wake_after_run, &c);
}

// The life of entities --------------------------------------------------------------------

static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)knc_capability_detach_all(world, reaction->entity);
}

static void side_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const capability_kit *kit = user;
    if (kn_component_read(world, kit->hosts, reaction->entity) != NULL) {
        knc_capability_settle(world, reaction->entity);
    }
}

kn_result knc_capability_rules_of_life_register(
    kn_library *library, capability_kit *kit, kn_error *error)
{
    static const struct {
        const char *name;
        kn_trigger trigger;
        kn_rule_fn *function;
    } rules[] = {
        {"Knack.CapabilityEnds", KN_TRIGGER_ENTITY_DESTROYED, destroyed_rule},
        {"Knack.CapabilityOwner", KN_TRIGGER_OWNER_CHANGED, side_rule},
        {"Knack.CapabilityConnection", KN_TRIGGER_CONNECTION_CHANGED, side_rule},
    };
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        kn_rule_id rule;
        kn_rule_def def = kn_rule_def_default();
        def.name = rules[i].name;
        def.trigger = rules[i].trigger;
        def.function = rules[i].function;
        def.user = kit;
        kn_result result = kn_rule_register(library, &def, &rule, error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}
