// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whether an ability may start, with all reasons if not. The same code serves activation,
// explanations and the cached status.

#include "ability/task.h"
#include "world/names.h"

#include <math.h>

// Roles ---------------------------------------------------------------------

static kn_net_role component_role(const kn_world *world, const kni_component *component)
{
    bool is_ours = component->connection == world->def.connection;
    if (world->def.is_client) {
        return is_ours && component->connection != 0 ? KN_ROLE_OWNER : KN_ROLE_OBSERVER;
    }
    return is_ours || component->connection == 0 ? KN_ROLE_AUTHORITY : KN_ROLE_SERVER;
}

kn_net_role kn_entity_role(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE) {
        return world != NULL && world->def.is_client ? KN_ROLE_OBSERVER : KN_ROLE_AUTHORITY;
    }
    return component_role(world, kni_component_at(world, component));
}

bool kn_entity_is_local(const kn_world *world, kn_entity_id entity)
{
    kn_net_role role = kn_entity_role(world, entity);
    return role == KN_ROLE_AUTHORITY || role == KN_ROLE_OWNER;
}

static bool net_allows(
    const kn_world *world, uint32_t slot, const kn_ability_def *def, kn_net_origin origin)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    kn_net_role role = component_role(world, kni_component_at(world, ability->component));
    if (role == KN_ROLE_AUTHORITY && origin == KN_NET_ORIGIN_HERE) {
        return true;
    }
    kn_net_verdict verdict =
        kn_net_decide(KN_REQUEST_ACTIVATE, origin, role, def->net_execution, def->net_security);
    return verdict == KN_NET_VERDICT_RUN || verdict == KN_NET_VERDICT_RUN_AND_SEND;
}

// Tags ----------------------------------------------------------------------

// How often an ability itself blocks a tag, since it does not block itself.
static uint32_t own_blocks(const kn_world *world, uint32_t slot, uint32_t tag)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    kn_tags blocks = kni_ability_type_at(world->library, ability->type)->def.block_with;
    uint32_t times = 0, runs = 0;
    for (uint32_t i = 0; i < blocks.count; i++) {
        times += blocks.data[i].index1 == tag;
    }
    const kni_actor *actor = kni_actor_of(world, ability->component);
    for (uint32_t i = 0; times > 0 && i < actor->activations.count; i++) {
        const kni_activation *activation =
            kni_activation_at(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
        runs += activation->ability == slot && (activation->flags & KNI_ACTIVATION_BLOCKS) != 0;
    }
    return times * runs;
}

bool kni_ability_tag_is_blocked(const kn_world *world, uint32_t slot, kn_tag tag)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    const kni_span *rows = &kni_component_at(world, ability->component)->blocked;
    for (uint32_t i = 0; i < rows->count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, *rows, kni_tag_row, i);
        if (kni_tag_matches(&world->library->tags, tag.index1, row->tag) &&
            (ability->active_count == 0 || row->total > own_blocks(world, slot, row->tag))) {
            return true;
        }
    }
    return false;
}

static bool any_blocked(const kn_world *world, uint32_t slot, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kni_ability_tag_is_blocked(world, slot, tags.data[i])) {
            return true;
        }
    }
    return false;
}

kn_tags kni_ability_dynamic_tags(const kn_world *world, const kni_ability *ability)
{
    kn_tags tags = {kni_heap_at(&world->heap, ability->tags.ref), ability->tags.count};
    return tags;
}

// The reasons why the owner's tags do not meet a requirement.
KNI_SLOW static uint32_t requirement_reasons(
    const kn_world *world, uint32_t component, const kn_tag_requirement *requirement)
{
    uint32_t reasons = 0;
    for (uint32_t i = 0; i < requirement->ignored.count; i++) {
        if (kni_has_tag(world, component, requirement->ignored.data[i].index1)) {
            reasons |= KN_FAIL_BLOCKED;
        }
    }
    for (uint32_t i = 0; i < requirement->required.count; i++) {
        if (!kni_has_tag(world, component, requirement->required.data[i].index1)) {
            reasons |= KN_FAIL_MISSING_TAGS;
        }
    }
    if (requirement->query != NULL && requirement->query->count > 0) {
        kn_tag_requirement only_query = {.query = requirement->query};
        reasons |= kni_component_meets(world, component, &only_query) ? 0u : KN_FAIL_MISSING_TAGS;
    }
    return reasons;
}

// The same for a list of tags, or for an entity if there is none.
static uint32_t subject_reasons(const kn_world *world, kn_entity_id entity, bool has_tags,
    kn_tags tags, const kn_tag_requirement *requirement)
{
    if (kn_tag_requirement_is_empty(requirement)) {
        return 0;
    }
    if (!has_tags) {
        uint32_t component = kni_component_find(world, entity);
        if (component != KNI_NONE) {
            return requirement_reasons(world, component, requirement);
        }
        tags = (kn_tags){NULL, 0};
    }
    uint32_t reasons =
        kn_tags_has_any(world->library, tags, requirement->ignored) ? (uint32_t)KN_FAIL_BLOCKED : 0;
    if (!kn_tags_has_all(world->library, tags, requirement->required)) {
        reasons |= KN_FAIL_MISSING_TAGS;
    }
    kn_tag_requirement only_query = {.query = requirement->query};
    if (!kn_tag_requirement_is_met(world->library, &only_query, tags)) {
        reasons |= KN_FAIL_MISSING_TAGS;
    }
    return reasons;
}

static uint32_t event_reasons(
    const kn_world *world, const kn_ability_def *def, const kn_event_record *event)
{
    return subject_reasons(world, event->instigator, event->has_instigator_tags,
               event->instigator_tags, &def->source) |
           subject_reasons(
               world, event->target, event->has_target_tags, event->target_tags, &def->target);
}

KNI_SLOW static bool is_blocked(const kn_world *world, uint32_t slot, const kni_ability_type *type)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    return any_blocked(world, slot, type->def.tags) ||
           any_blocked(world, slot, kni_ability_dynamic_tags(world, ability));
}

static inline uint32_t tag_reasons(
    const kn_world *world, uint32_t slot, const kni_ability_type *type)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    const kni_component *component = kni_component_at(world, ability->component);
    uint32_t reasons = 0;
    if (component->blocked.count > 0 && is_blocked(world, slot, type)) {
        reasons |= KN_FAIL_BLOCKED;
    }
    if ((type->flags & KNI_ABILITY_NEEDS_TAGS) != 0) {
        reasons |= requirement_reasons(world, ability->component, &type->def.activation);
    }
    return reasons;
}

bool kni_ability_meets_tags(const kn_world *world, uint32_t slot)
{
    return tag_reasons(world, slot, kni_type_of_ability(world, slot)) == 0;
}

// All checks ----------------------------------------------------------------

// Calls one of the hooks that check; true if it agrees. They are pure, but get the world in the
// same form as all hooks.
static bool hook_agrees(const kn_world *world, uint32_t slot, const kn_event_record *event,
    bool (*hook)(const kn_ability_call *call, const kn_event_record *event), void *user,
    kn_check_answer *answer)
{
    kn_world *same;
    memcpy(&same, &world, sizeof(same));
    kn_ability_call call = kni_ability_call_of(same, slot, (kn_activation_id){0});
    call.user = user;
    call.has_event = event != NULL;
    call.answer = answer;
    return hook(&call, event);
}

void kn_check_refuse(kn_check_answer *answer, const kn_refusal_line *line)
{
    if (answer == NULL || line == NULL) {
        return;
    }
    const kn_world *world = answer->world;
    kn_fail reason = line->reason;
    if (kn_library_fail_name(world->library, reason)[0] == 0) {
        reason = KN_FAIL_CUSTOM;
    }
    answer->reasons |= (uint32_t)reason;
    if (answer->count < answer->capacity) {
        kn_refusal_line *out = &answer->lines[answer->count];
        *out = *line;
        out->reason = reason;
        out->check = answer->check;
        out->tag.index1 = line->tag.index1 <= kn_tag_count(world->library) ? line->tag.index1 : 0;
        out->attribute.index1 = line->attribute.index1 <= kn_attribute_count(world->library)
                                    ? line->attribute.index1
                                    : 0;
        out->effect = kn_effect_is_alive(world, line->effect) ? line->effect : (kn_effect_id){0};
        out->ability =
            kn_ability_is_alive(world, line->ability) ? line->ability : (kn_ability_id){0};
        out->source = kn_entity_is_alive(world, line->source) ? line->source : (kn_entity_id){0};
        out->have = isfinite(line->have) ? line->have : 0.0f;
        out->need = isfinite(line->need) ? line->need : 0.0f;
        out->text[KN_REFUSAL_TEXT_MAX - 1] = 0;
    }
    answer->count++;
}

// Whether the condition of a check holds for an attempt of the owner.
static bool check_condition(
    const kn_world *world, uint32_t slot, const kn_check_def *def, const kn_event_record *event)
{
    kn_event_record record = event != NULL ? *event : kn_event_record_default();
    record.instigator = kni_component_entity(world, kni_ability_at(world, slot)->component);
    record.target = kn_entity_is_alive(world, record.target) ? record.target : record.instigator;
    kn_condition_answer unused = {0};
    return kni_condition_holds(world, def->condition, &record, &unused);
}

static bool check_applies(const kn_world *world, uint32_t slot, const kn_tag_query *query)
{
    if (query == NULL || query->count == 0) {
        return true;
    }
    kn_tags own = kni_type_of_ability(world, slot)->def.tags;
    kn_tags added = kni_ability_dynamic_tags(world, kni_ability_at(world, slot));
    kn_tag_set set = {0};
    for (uint32_t i = 0; i < own.count; i++) {
        (void)kn_tag_set_add(&set, own.data[i]);
    }
    for (uint32_t i = 0; i < added.count; i++) {
        (void)kn_tag_set_add(&set, added.data[i]);
    }
    return kn_tag_query_matches(world->library, query, kn_tag_set_view(&set));
}

// The checks of others, in their order.
static void checks_run(
    const kn_world *world, uint32_t slot, const kn_event_record *event, kn_check_answer *answer)
{
    const kni_ability_type *type = kni_type_of_ability(world, slot);
    for (uint32_t i = 0; i < type->check_count; i++) {
        const kni_check *check =
            KNI_ITEM(world->library, KN_DEF_CHECK, const kni_check, type->checks[i]);
        if (!check_applies(world, slot, check->def.tags)) {
            continue;
        }
        uint32_t before = answer->count;
        answer->check.index1 = type->checks[i] + 1;
        bool agrees = (check->def.condition.index1 == 0 ||
                          check_condition(world, slot, &check->def, event)) &&
                      (check->def.check == NULL || hook_agrees(world, slot, event, check->def.check,
                                                       check->def.user, answer));
        if (!agrees && answer->count == before) {
            kn_check_refuse(answer, &(kn_refusal_line){.reason = check->reason});
        }
        answer->check.index1 = 0;
    }
}

// Whether one of its activations is just ending: its end hook is running.
static bool is_ending(const kn_world *world, uint32_t ability)
{
    const kni_actor *actor = kni_actor_of(world, kni_ability_at(world, ability)->component);
    for (uint32_t i = 0; i < actor->activations.count; i++) {
        const kni_activation *activation =
            kni_activation_at(world, *KNI_SPAN_AT(world, actor->activations, uint32_t, i));
        if (activation->ability == ability && (activation->flags & KNI_ACTIVATION_ENDING) != 0) {
            return true;
        }
    }
    return false;
}

// Whether an event names no entity that a body could act on.
static bool lacks_target(
    const kn_world *world, const kn_ability_def *def, const kn_event_record *event)
{
    if (event == NULL) {
        return true;
    }
    kn_target_view view = {event->data, event->data_size};
    bool has_data = view.size > 0 && kn_target_is_valid(world->library, view) &&
                    kn_target_entities(view, NULL, 0) > 0;
    for (uint32_t i = 0; i < def->apply_count; i++) {
        bool of_instigator =
            def->applies[i].to == KN_APPLY_TO_INSTIGATOR && def->applies[i].container.index1 == 0;
        if (of_instigator ? kn_entity_is_alive(world, event->instigator)
                          : has_data || kn_entity_is_alive(world, event->target)) {
            return false;
        }
    }
    return def->apply_count > 0;
}

uint32_t kni_ability_check_all(const kn_world *world, uint32_t slot, const kni_attempt *attempt,
    kn_check_answer *answer, kni_price *price)
{
    kni_price unasked;
    const kn_event_record *event = attempt->event;
    const kni_ability_type *type = kni_type_of_ability(world, slot);
    if (answer != NULL && event != NULL && type->def.responds != NULL &&
        !hook_agrees(world, slot, event, type->def.responds, type->def.user, NULL)) {
        answer->plain = KN_FAIL_NOT_READY; // not meant for it: nothing else matters
        return KN_FAIL_NOT_READY;
    }
    // After the hook: it should be pure, but it may have moved the records.
    const kni_ability *ability = kni_ability_at(world, slot);
    const kni_component *component = kni_component_at(world, ability->component);
    uint32_t reasons = 0;
    if ((ability->flags & KNI_ABILITY_REMOVING) != 0) {
        reasons |= KN_FAIL_STALE;
    }
    if (!net_allows(world, slot, &type->def, attempt->origin)) {
        reasons |= KN_FAIL_NETWORKING;
    }
    bool is_dead = (component->flags & KNI_COMPONENT_DYING) != 0 ||
                   (world->library->dead_tag.index1 != 0 && !type->def.works_when_dead &&
                       kni_has_tag(world, ability->component, world->library->dead_tag.index1));
    reasons |= is_dead ? (uint32_t)KN_FAIL_DEAD : 0;
    reasons |= tag_reasons(world, slot, type);
    if (ability->effect.index1 != 0 && kni_ability_is_suspended(world, ability)) {
        reasons |= KN_FAIL_BLOCKED;
    }
    if (event != NULL && (type->flags & KNI_ABILITY_NEEDS_EVENT) != 0) {
        reasons |= event_reasons(world, &type->def, event);
    }
    if ((type->flags & KNI_ABILITY_HAS_COOLDOWN) != 0 &&
        kni_cooldown_blocks(world, slot, KNI_COOLDOWNS_ALL, 0)) {
        reasons |= KN_FAIL_COOLDOWN;
    }
    if ((type->flags & KNI_ABILITY_HAS_COST) != 0 &&
        !kni_cost_price(world, slot, price != NULL ? price : &unasked)) {
        reasons |= KN_FAIL_COST;
    }
    if (ability->active_count > 0 && type->def.instancing == KN_INSTANCING_PER_ACTOR &&
        (!type->def.retriggers || is_ending(world, slot))) {
        reasons |= KN_FAIL_ACTIVE;
    }
    if (answer == NULL) {
        return reasons;
    }
    if ((type->flags & KNI_ABILITY_NEEDS_TARGET) != 0 && lacks_target(world, &type->def, event)) {
        reasons |= KN_FAIL_NO_TARGET;
    }
    answer->world = world;
    if (type->def.can_activate != NULL &&
        !hook_agrees(world, slot, event, type->def.can_activate, type->def.user, answer) &&
        answer->count == 0) {
        reasons |= KN_FAIL_CUSTOM;
    }
    if (type->check_count > 0) {
        checks_run(world, slot, event, answer);
    }
    answer->plain = reasons;
    return reasons | answer->reasons;
}

uint32_t kn_ability_check(
    const kn_world *world, kn_ability_id ability, const kn_event_record *event)
{
    uint32_t slot = kni_ability_find(world, ability);
    kni_attempt attempt = kni_attempt_here(event);
    kn_check_answer answer = {0};
    return slot == KNI_NONE ? (uint32_t)KN_FAIL_STALE
                            : kni_ability_check_all(world, slot, &attempt, &answer, NULL);
}

uint32_t kn_ability_status(kn_world *world, kn_ability_id id)
{
    uint32_t slot = kni_ability_find(world, id);
    if (slot == KNI_NONE) {
        return KN_FAIL_STALE;
    }
    kni_attempt attempt = kni_attempt_here(NULL);
    kni_ability *ability = kni_ability_at(world, slot);
    uint32_t version = kni_component_at(world, ability->component)->version;
    bool is_plain = (kni_type_of_ability(world, slot)->flags & KNI_ABILITY_PLAIN_COST) != 0;
    if (ability->status_version != version || !is_plain) { // a calculation may read anything
        ability->status = kni_ability_check_all(world, slot, &attempt, NULL, NULL);
        ability->status_version = version;
    }
    KN_ASSERT(ability->status == kni_ability_check_all(world, slot, &attempt, NULL, NULL));
    return ability->status;
}

static void status_publish(kn_world *world, uint32_t slot)
{
    uint32_t status = kn_ability_status(world, kni_ability_id_of(world, slot));
    kni_ability *ability = kni_ability_at(world, slot);
    if (status == ability->told_status) {
        return;
    }
    ability->told_status = status;
    kn_event *event =
        kni_emit(world, KN_EVENT_ABILITY_STATUS, kni_component_entity(world, ability->component));
    memset(&event->data, 0, sizeof(event->data));
    event->data.ability.ability = kni_ability_id_of(world, slot);
    event->data.ability.type.index1 = ability->type + 1u;
    event->data.ability.reasons = status;
}

// Marks a list of abilities to be looked at, so that they come by slot.
static void abilities_mark(kn_world *world, const kni_span *slots)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, *slots, uint32_t, i);
        world->ability_marks[slot / 64] |= UINT64_C(1) << slot % 64;
    }
}

// Those of components that changed, and those whose cost may depend on anything. False if they are
// not known, or there is no memory: all have to be looked at.
static bool changed_mark(kn_world *world)
{
    uint32_t words = world->abilities.capacity / 64 + 1, old = world->ability_mark_words;
    if (world->touch_stamp == 0 || !kni_grow(&world->memory, &world->ability_marks,
                                       &world->ability_mark_words, words, sizeof(uint64_t))) {
        return false;
    }
    if (world->ability_mark_words > old) {
        memset(world->ability_marks + old, 0,
            (world->ability_mark_words - old) * sizeof(*world->ability_marks));
    }
    for (uint32_t i = 0; i < world->touched_count; i++) {
        uint32_t slot = world->touched[i];
        const kni_actor *actor =
            kni_pool_is_live(&world->components, slot) ? kni_actor_of(world, slot) : NULL;
        if (actor != NULL) {
            abilities_mark(world, &actor->abilities);
        }
    }
    abilities_mark(world, &world->priced);
    return true;
}

// At the end of a step, if an observer wants these events.
void kni_status_publish(kn_world *world)
{
    bool is_marked = changed_mark(world);
    kni_touch_begin(world);
    if (!is_marked) {
        for (uint32_t i = kni_pool_next(&world->abilities, 0); i != KNI_NONE;
             i = kni_pool_next(&world->abilities, i + 1)) {
            status_publish(world, i);
        }
        return;
    }
    for (uint32_t word = 0; word <= world->abilities.used / 64; word++) {
        while (world->ability_marks[word] != 0) {
            uint64_t bits = world->ability_marks[word];
            world->ability_marks[word] = bits & (bits - 1);
            status_publish(world, word * 64 + kni_bit_lowest(bits));
        }
    }
}

uint32_t kn_ability_fail_tags(
    const kn_world *world, uint32_t reasons, kn_tag *out, uint32_t capacity)
{
    uint32_t count = 0;
    for (uint32_t i = 0; world != NULL && i < 32; i++) {
        kn_tag tag = (reasons >> i & 1) != 0
                         ? kn_ability_fail_tag(world->library, (kn_fail)(UINT32_C(1) << i))
                         : (kn_tag){0};
        if (tag.index1 != 0) {
            if (count < capacity) {
                out[count] = tag;
            }
            count++;
        }
    }
    return count;
}
