// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Auras. Each aura of a bearer is a component with its members as items. A look compares those who
// are near with the items: who comes gets the effect, who leaves loses it, at once or after a
// while. The component's end, whatever ends it, ends the effects of its members.

#include "parts.h"

#include <math.h>
#include <stdlib.h>

#define AURA_COOKIE 0x7275616bu
#define SECONDS_MAX 1e9f
#define REFERRERS_MAX 32 // auras of one member that are looked at together

// The definition --------------------------------------------------------------------

kn_aura_def kn_aura_def_default(void)
{
    kn_aura_def def = {
        .radius = kn_magnitude_constant(0.0f), .interval = 0.5f, .cookie = AURA_COOKIE};
    return def;
}

static void aura_init(void *def)
{
    *(kn_aura_def *)def = kn_aura_def_default();
}

static const kn_def_field aura_fields[] = {
    KN_DEF_F(kn_aura_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_aura_def, bearer, KN_DEF_EFFECT,
        "The effect that makes an entity the bearer; default: the one with the same name."),
    KN_DEF_F_REF(kn_aura_def, effect, KN_DEF_EFFECT,
        "The effect that members have; it lasts, and does not stack by target; required."),
    KN_DEF_F_PART(kn_aura_def, radius, "kn_magnitude",
        "Distance to members; 0, the default: the game names the members."),
    KN_DEF_F_PART(kn_aura_def, members, "kn_tag_requirement",
        "Tags that members must have, or must not have; default: any."),
    KN_DEF_F_REF(kn_aura_def, condition, KN_DEF_CONDITION,
        "A condition that must hold with the bearer as instigator and the member as target; "
        "default none."),
    KN_DEF_F(
        kn_aura_def, includes_self, KN_FIELD_BOOL, "The bearer is a member too; default false."),
    KN_DEF_F(
        kn_aura_def, interval, KN_FIELD_F32, "Seconds between two looks, above 0; default 0.5."),
    KN_DEF_F(kn_aura_def, linger, KN_FIELD_F32,
        "Seconds that those who leave, or lose the aura, keep the effect; default 0."),
    KN_DEF_F(kn_aura_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table aura_table = {"aura_def", sizeof(kn_aura_def), aura_fields,
    sizeof(aura_fields) / sizeof(*aura_fields), aura_init};

static kn_result aura_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_aura_def *def = item;
    const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, def->effect.index1);
    (void)user;
    if (effect == NULL) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "aura `%s` must name the effect of its members: effect: DevotionArmor", def->name);
    }
    if (effect->duration_kind == KN_DURATION_INSTANT) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "aura `%s`: the effect `%s` of its members is instant; give it a duration, such as "
            "infinite",
            def->name, effect->name);
    }
    if (effect->stacking.kind == KN_STACK_BY_TARGET) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "aura `%s`: the effect `%s` of its members stacks by target, so that one bearer would "
            "remove what another one gives; write stacking: {kind: by_source}",
            def->name, effect->name);
    }
    if (!(def->interval >= 1e-6f && def->interval <= SECONDS_MAX) ||
        !(def->linger >= 0.0f && def->linger <= SECONDS_MAX)) { // what timers can run
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "aura `%s`: its interval must be above 0, linger at least 0, and both at most 1e9",
            def->name);
    }
    return KN_OK;
}

static void aura_tables_free(aura_ids *ids)
{
    free(ids->by_effect);
    free(ids->next);
    ids->by_effect = NULL;
    ids->next = NULL;
}

static kn_result aura_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    combat *kit = user;
    aura_ids *ids = &kit->aura;
    aura_tables_free(ids);
    ids->effect_count = kn_def_count(library, KN_DEF_EFFECT);
    ids->aura_count = kn_def_count(library, kind);
    ids->by_effect = calloc(ids->effect_count + 1u, sizeof(uint32_t));
    ids->next = calloc(ids->aura_count + 1u, sizeof(uint32_t));
    if (ids->by_effect == NULL || ids->next == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= ids->aura_count; i++) {
        const kn_aura_def *def = kn_def_get(library, kind, i);
        uint32_t effect1 = knc_combat_effect_named(library, def->bearer, def->name);
        const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, effect1);
        if (effect == NULL || effect->duration_kind == KN_DURATION_INSTANT) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "nothing makes an entity the bearer of aura `%s`: there is no lasting effect of "
                "this name; write bearer: and a name",
                def->name);
        }
        uint32_t *place = &ids->by_effect[effect1];
        while (*place != 0) {
            place = &ids->next[*place];
        }
        *place = i;
        kit->buff.wanted[effect1] |= EFFECT_AURA;
    }
    return KN_OK;
}

kn_result kn_aura_register(
    kn_library *library, const kn_aura_def *def, kn_aura_id *aura, kn_error *error)
{
    kn_aura_id ignored;
    aura = aura != NULL ? aura : &ignored;
    aura->index1 = 0;
    if (!kn_combat_is_there(library) || def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(library, knc_combat_of(library)->aura.kind, def, &aura->index1, error);
}

static const kn_aura_def *aura_def(const kn_library *library, kn_aura_id aura)
{
    return kn_combat_is_there(library)
               ? kn_def_get(library, knc_combat_of(library)->aura.kind, aura.index1)
               : NULL;
}

// State -----------------------------------------------------------------------------

typedef struct aura {
    kn_effect_id effect; // of the bearer
    kn_timer_id timer;
    kn_aura_id aura;
    uint32_t unused;
} aura;

typedef struct aura_member {
    kn_entity_id entity;
    kn_effect_id effect; // stale if it was refused or has ended
    uint32_t is_near;
    uint32_t is_named; // by the game
} aura_member;

// What a member keeps for a while.
typedef struct lingering {
    uint32_t unused;
} lingering;

typedef struct linger_item {
    kn_effect_id effect;
    kn_timer_id timer;
} linger_item;

static const kn_field aura_state_fields[] = {
    KN_FIELD(aura, effect, KN_FIELD_EFFECT),
    KN_FIELD(aura, timer, KN_FIELD_TIMER),
    KN_FIELD_TO(aura, aura, "aura"),
    KN_FIELD(aura, unused, KN_FIELD_U32),
};
static const kn_field aura_member_fields[] = {
    KN_FIELD(aura_member, entity, KN_FIELD_ENTITY),
    KN_FIELD(aura_member, effect, KN_FIELD_EFFECT),
    KN_FIELD(aura_member, is_near, KN_FIELD_U32),
    KN_FIELD(aura_member, is_named, KN_FIELD_U32),
};
static const kn_field lingering_fields[] = {KN_FIELD(lingering, unused, KN_FIELD_U32)};
static const kn_field linger_item_fields[] = {
    KN_FIELD(linger_item, effect, KN_FIELD_EFFECT),
    KN_FIELD(linger_item, timer, KN_FIELD_TIMER),
};

// One aura of a bearer, for the functions that work on it.
typedef struct aura_view {
    kn_component_type_id type;
    kn_component_id component;
    kn_entity_id bearer;
    const kn_aura_def *def;
    kn_effect_id effect;
} aura_view;

static bool aura_view_of(const kn_world *world, kn_component_id component, aura_view *view)
{
    const aura_ids *ids = &knc_combat_of_world(world)->aura;
    const aura *own = kn_component_instance_read(world, ids->auras, component);
    if (own == NULL) {
        return false;
    }
    view->type = ids->auras;
    view->component = component;
    view->bearer = kn_component_instance_entity(world, ids->auras, component);
    view->def = aura_def(kn_world_library(world), own->aura);
    view->effect = own->effect;
    return view->def != NULL;
}

static aura_member *members_of(kn_world *world, const aura_view *view, uint32_t *count)
{
    *count = 0;
    return kn_component_instance_items(world, view->type, view->component, count);
}

static aura_member *member_find(kn_world *world, const aura_view *view, kn_entity_id entity)
{
    uint32_t count;
    aura_member *members = members_of(world, view, &count);
    for (uint32_t i = 0; members != NULL && i < count; i++) {
        if (kn_entity_id_equal(members[i].entity, entity)) {
            return &members[i];
        }
    }
    return NULL;
}

static aura_member *member_get(kn_world *world, const aura_view *view, kn_entity_id entity)
{
    aura_member *member = member_find(world, view, entity);
    uint32_t count;
    if (member != NULL) {
        return member;
    }
    (void)members_of(world, view, &count);
    aura_member *members =
        kn_component_instance_resize(world, view->type, view->component, count + 1);
    if (members == NULL) {
        return NULL;
    }
    members[count].entity = entity;
    return &members[count];
}

// Lingering -------------------------------------------------------------------------

static uint32_t linger_index(const linger_item *items, uint32_t count, kn_effect_id effect)
{
    uint32_t i = 0;
    while (i < count && !kn_effect_id_equal(items[i].effect, effect)) {
        i++;
    }
    return i;
}

static void linger_drop(kn_world *world, kn_entity_id member, uint32_t index)
{
    kn_component_type_id type = knc_combat_of_world(world)->aura.lingering;
    uint32_t count;
    linger_item *items = kn_component_items(world, type, member, &count);
    if (count == 1) {
        (void)kn_component_remove(world, type, member);
        return;
    }
    items[index] = items[count - 1];
    (void)kn_component_resize(world, type, member, count - 1);
}

// True if the effect of a member is only kept for a while.
static bool lingers(const kn_world *world, kn_entity_id member, kn_effect_id effect)
{
    uint32_t count;
    const linger_item *items =
        kn_component_read_items(world, knc_combat_of_world(world)->aura.lingering, member, &count);
    return items != NULL && linger_index(items, count, effect) < count;
}

static void linger_cancel(kn_world *world, kn_entity_id member, kn_effect_id effect)
{
    uint32_t count;
    linger_item *items =
        kn_component_items(world, knc_combat_of_world(world)->aura.lingering, member, &count);
    uint32_t i = items != NULL ? linger_index(items, count, effect) : 0;
    if (items != NULL && i < count) {
        (void)kn_timer_cancel(world, items[i].timer);
        linger_drop(world, member, i);
    }
}

static bool linger_begin(
    kn_world *world, const kn_aura_def *def, kn_entity_id member, kn_effect_id effect)
{
    const aura_ids *ids = &knc_combat_of_world(world)->aura;
    linger_item item = {.effect = effect};
    uint32_t count = 0;
    if (kn_entity_is_dying(world, member) ||
        kn_timer_start(world, ids->linger, member, kn_time_from_seconds((double)def->linger), NULL,
            &item.timer) != KN_OK ||
        kn_component_add(world, ids->lingering, member) == NULL) {
        return false;
    }
    (void)kn_component_read_items(world, ids->lingering, member, &count);
    linger_item *items = kn_component_resize(world, ids->lingering, member, count + 1);
    if (items == NULL) {
        return false;
    }
    items[count] = item;
    return true;
}

static kn_time linger_over(void *user, kn_world *world, kn_entity_id member, void *data)
{
    kn_timer_id timer = kn_timer_firing(world);
    uint32_t count;
    const linger_item *items =
        kn_component_read_items(world, knc_combat_of_world(world)->aura.lingering, member, &count);
    (void)user;
    (void)data;
    for (uint32_t i = 0; items != NULL && i < count; i++) {
        if (kn_timer_id_equal(items[i].timer, timer)) {
            kn_effect_id effect = items[i].effect;
            linger_drop(world, member, i);
            (void)kn_effect_remove(world, effect, 0, KN_REMOVED_PARENT_ENDED);
            break;
        }
    }
    return 0;
}

// A member has left, or the aura is over.
static void member_leaves(
    kn_world *world, const kn_aura_def *def, kn_entity_id member, kn_effect_id effect)
{
    if (!kn_effect_is_alive(world, effect) || lingers(world, member, effect)) {
        return;
    }
    if (!(def->linger > 0.0f) || !linger_begin(world, def, member, effect)) {
        (void)kn_effect_remove(world, effect, 0, KN_REMOVED_PARENT_ENDED);
    }
}

// Looking ---------------------------------------------------------------------------

static bool may_be_member(const kn_world *world, const aura_view *view, kn_entity_id entity)
{
    if (!kn_entity_is_alive(world, entity) || kn_entity_is_dying(world, entity) ||
        (!view->def->includes_self && kn_entity_id_equal(entity, view->bearer)) ||
        !kn_entity_meets(world, entity, &view->def->members)) {
        return false;
    }
    kn_event_record record = kn_event_record_default();
    record.instigator = view->bearer;
    record.target = entity;
    return view->def->condition.index1 == 0 ||
           kn_condition_holds(world, view->def->condition, &record);
}

static void member_comes(kn_world *world, const aura_view *view, kn_entity_id entity)
{
    kn_entity_id actor = kn_entity_actor(world, entity);
    if (may_be_member(world, view, actor)) {
        aura_member *member = member_get(world, view, actor);
        if (member != NULL) {
            member->is_near = 1;
        }
    }
}

// Marks those who are near, and no others.
static void aura_look_around(kn_world *world, const aura_view *view, float radius)
{
    kn_entity_id found[KN_AURA_NEAR_MAX];
    kn_sphere sphere = {.radius = radius};
    const kn_space *space = kn_world_space(world);
    uint32_t count = 0;
    if (kn_space_position(space, world, kn_entity_avatar(world, view->bearer), &sphere.center)) {
        count = kn_space_sphere(space, world, &sphere, NULL, found, KN_AURA_NEAR_MAX);
    }
    if (count > KN_AURA_NEAR_MAX) {
        kn_event_error error = {
            .code = KN_REFUSED_LIMIT, .detail = count, .type = view->def->effect};
        (void)kn_world_report(world, view->bearer, &error);
        count = KN_AURA_NEAR_MAX;
    }
    if (view->def->includes_self) {
        member_comes(world, view, view->bearer);
    }
    for (uint32_t i = 0; i < count; i++) {
        member_comes(world, view, found[i]);
    }
}

static void aura_look_at_named(kn_world *world, const aura_view *view)
{
    uint32_t count;
    aura_member *members = members_of(world, view, &count);
    for (uint32_t i = 0; members != NULL && i < count; i++) {
        members[i].is_near =
            members[i].is_named != 0 && may_be_member(world, view, members[i].entity);
    }
    if (view->def->includes_self) {
        member_comes(world, view, view->bearer);
    }
}

static void aura_give(
    kn_world *world, const aura_view *view, const kn_effect_info *info, kn_entity_id entity)
{
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_effect_id effect = {0};
    apply.type = view->def->effect;
    apply.source = view->bearer;
    apply.target = entity;
    apply.level = info->level;
    if (kn_effect_apply(world, &apply, &effect) != KN_OK) {
        return; // it is tried again at the next look
    }
    aura_member *member = member_find(world, view, entity);
    if (member != NULL) {
        member->effect = effect;
    }
}

// Gives the effect to those who have come, and takes it from those who have left.
static void aura_settle(kn_world *world, const aura_view *view, const kn_effect_info *info)
{
    uint32_t count;
    const aura_member *members;
    for (uint32_t i = 0; (members = members_of(world, view, &count)) != NULL && i < count; i++) {
        aura_member member = members[i];
        if (member.is_near == 0) {
            member_leaves(world, view->def, member.entity, member.effect);
        } else if (!kn_effect_is_alive(world, member.effect)) {
            aura_give(world, view, info, member.entity);
        } else {
            linger_cancel(world, member.entity, member.effect);
        }
    }
}

// Forgets those who have left and kept nothing.
static void aura_forget(kn_world *world, const aura_view *view)
{
    uint32_t count, kept = 0;
    aura_member *members = members_of(world, view, &count);
    for (uint32_t i = 0; members != NULL && i < count; i++) {
        bool is_member = members[i].is_near != 0 || members[i].is_named != 0 ||
                         kn_effect_is_alive(world, members[i].effect);
        if (is_member && kn_entity_is_alive(world, members[i].entity)) {
            members[kept++] = members[i];
        }
    }
    if (members != NULL && kept < count) {
        (void)kn_component_instance_resize(world, view->type, view->component, kept);
    }
}

static void aura_look(kn_world *world, kn_component_id component)
{
    aura_view view;
    kn_effect_info info;
    kn_cause previous;
    if (!aura_view_of(world, component, &view) || !kn_effect_get(world, view.effect, &info)) {
        return;
    }
    kn_cause_link link = {.type = knc_combat_of_world(world)->aura.cause,
        .entity = view.bearer,
        .def_kind = (uint32_t)knc_combat_of_world(world)->aura.kind,
        .def1 =
            ((const aura *)kn_component_instance_read(world, view.type, component))->aura.index1};
    if (kn_cause_open(world, &link, &previous) != KN_OK) {
        return;
    }
    float radius = 0.0f;
    (void)kn_effect_evaluate(world, view.effect, &view.def->radius, &radius);
    uint32_t count;
    aura_member *members = members_of(world, &view, &count);
    for (uint32_t i = 0; members != NULL && i < count; i++) {
        members[i].is_near = 0;
    }
    if (!info.is_inhibited && knc_buff_magnitude_is_zero(&view.def->radius)) {
        aura_look_at_named(world, &view);
    } else if (!info.is_inhibited && radius > 0.0f) {
        aura_look_around(world, &view, radius);
    }
    aura_settle(world, &view, &info);
    aura_forget(world, &view);
    kn_cause_close(world, previous);
}

static kn_time aura_timer(void *user, kn_world *world, kn_entity_id bearer, void *data)
{
    kn_component_type_id type = knc_combat_of_world(world)->aura.auras;
    kn_timer_id timer = kn_timer_firing(world);
    kn_component_id component = {0};
    aura_view view;
    (void)user;
    (void)data;
    while ((component = kn_component_instance_next(world, type, bearer, component)).index1 != 0) {
        const aura *own = kn_component_instance_read(world, type, component);
        if (kn_timer_id_equal(own->timer, timer) && aura_view_of(world, component, &view)) {
            aura_look(world, component);
            return kn_time_from_seconds((double)view.def->interval);
        }
    }
    return 0;
}

// Beginning and end -----------------------------------------------------------------

static void aura_begin(kn_world *world, const kn_reaction *reaction, kn_aura_id id)
{
    const aura_ids *ids = &knc_combat_of_world(world)->aura;
    const kn_aura_def *def = aura_def(kn_world_library(world), id);
    aura own = {.effect = reaction->effect, .aura = id};
    kn_component_id component;
    kn_time interval = kn_time_from_seconds((double)def->interval);
    if (kn_timer_start(world, ids->look, reaction->entity, interval, NULL, &own.timer) != KN_OK) {
        return;
    }
    if (kn_component_instance_add(world, ids->auras, reaction->entity, &component) != KN_OK) {
        (void)kn_timer_cancel(world, own.timer);
        return;
    }
    *(aura *)kn_component_instance_get(world, ids->auras, component) = own;
    aura_look(world, component);
}

void knc_aura_effect_began(kn_world *world, const kn_reaction *reaction)
{
    const aura_ids *ids = &knc_combat_of_world(world)->aura;
    if (!kn_effect_is_alive(world, reaction->effect)) {
        return;
    }
    for (uint32_t i = ids->by_effect[reaction->effect_type.index1]; i != 0; i = ids->next[i]) {
        aura_begin(world, reaction, (kn_aura_id){i});
    }
}

void knc_aura_effect_inhibited(kn_world *world, const kn_reaction *reaction)
{
    kn_component_type_id type = knc_combat_of_world(world)->aura.auras;
    kn_component_id component = {0};
    while (
        (component = kn_component_instance_next(world, type, reaction->entity, component)).index1 !=
        0) {
        const aura *own = kn_component_instance_read(world, type, component);
        if (kn_effect_id_equal(own->effect, reaction->effect)) {
            aura_look(world, component);
        }
    }
}

void knc_aura_effect_ended(kn_world *world, const kn_reaction *reaction)
{
    kn_component_type_id type = knc_combat_of_world(world)->aura.auras;
    kn_component_id component =
        kn_component_instance_next(world, type, reaction->entity, (kn_component_id){0});
    while (component.index1 != 0) {
        const aura *own = kn_component_instance_read(world, type, component);
        bool is_over = kn_effect_id_equal(own->effect, reaction->effect);
        kn_component_id ended = component;
        component = kn_component_instance_next(world, type, reaction->entity, component);
        if (is_over) {
            (void)kn_component_instance_remove(world, type, ended);
        }
    }
}

// The component goes, by the end of its effect or with its entity.
static void aura_removed(void *user, const kn_component_call *call)
{
    kn_world *world = call->world;
    aura_view view;
    uint32_t count;
    const aura_member *members;
    (void)user;
    if (!aura_view_of(world, call->component, &view)) {
        return;
    }
    const aura *own = kn_component_instance_read(world, view.type, call->component);
    (void)kn_timer_cancel(world, own->timer);
    for (uint32_t i = 0; (members = members_of(world, &view, &count)) != NULL && i < count; i++) {
        member_leaves(world, view.def, members[i].entity, members[i].effect);
    }
}

// Somebody may be a friend or a foe now: of its own auras, or of those it is a member of.
static void aura_owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const aura_ids *ids = &knc_combat_of_world(world)->aura;
    kn_component_referrer referrers[REFERRERS_MAX];
    kn_component_id component = {0};
    (void)user;
    while ((component = kn_component_instance_next(world, ids->auras, reaction->entity, component))
               .index1 != 0) {
        aura_look(world, component);
    }
    kn_component_referrer last = {0};
    uint32_t count = REFERRERS_MAX;
    for (bool is_first = true; count >= REFERRERS_MAX; is_first = false) {
        count = kn_component_referrers_after(world, ids->auras, ids->member_reference,
            reaction->entity, is_first ? NULL : &last, referrers, REFERRERS_MAX);
        for (uint32_t i = 0; i < count && i < REFERRERS_MAX; i++) {
            last = referrers[i];
            aura_look(world, referrers[i].component);
        }
    }
}

// Calls -----------------------------------------------------------------------------

// The oldest aura of a kind that a bearer has; null for none.
static kn_component_id aura_find(const kn_world *world, kn_entity_id bearer, kn_aura_id id)
{
    kn_component_type_id type = knc_combat_of_world(world)->aura.auras;
    kn_component_id component = {0};
    while ((component = kn_component_instance_next(
                world, type, kn_entity_actor(world, bearer), component))
               .index1 != 0) {
        const aura *own = kn_component_instance_read(world, type, component);
        if (own->aura.index1 == id.index1) {
            break;
        }
    }
    return component;
}

typedef struct member_call {
    kn_component_id component;
    kn_entity_id member; // null: just look
    bool is_member;
} member_call;

static kn_result aura_member_call(void *user, kn_world *world)
{
    const member_call *call = user;
    aura_view view;
    if (call->member.index1 != 0 && aura_view_of(world, call->component, &view)) {
        aura_member *member = call->is_member ? member_get(world, &view, call->member)
                                              : member_find(world, &view, call->member);
        if (member != NULL) {
            member->is_named = call->is_member;
        }
    }
    aura_look(world, call->component);
    return KN_OK;
}

kn_result kn_aura_set_member(
    kn_world *world, kn_entity_id bearer, kn_aura_id id, kn_entity_id member, bool is_member)
{
    const kn_aura_def *def = aura_def(kn_world_library(world), id);
    if (def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, bearer) || !kn_entity_is_alive(world, member)) {
        return KN_REFUSED_STALE_ID;
    }
    member_call call = {aura_find(world, bearer, id), kn_entity_actor(world, member), is_member};
    if (call.component.index1 == 0 || !knc_buff_magnitude_is_zero(&def->radius)) {
        return KN_REFUSED_NOT_FOUND;
    }
    return kn_world_call(world, aura_member_call, &call);
}

kn_result kn_aura_update(kn_world *world, kn_entity_id bearer, kn_aura_id id)
{
    if (aura_def(kn_world_library(world), id) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, bearer)) {
        return KN_REFUSED_STALE_ID;
    }
    member_call call = {.component = aura_find(world, bearer, id)};
    return call.component.index1 != 0 ? kn_world_call(world, aura_member_call, &call)
                                      : KN_REFUSED_NOT_FOUND;
}

uint32_t kn_aura_members(
    const kn_world *world, kn_entity_id bearer, kn_aura_id id, kn_entity_id *out, uint32_t capacity)
{
    if (aura_def(kn_world_library(world), id) == NULL) {
        return 0;
    }
    uint32_t count = 0, found = 0;
    const aura_member *members = kn_component_instance_read_items(
        world, knc_combat_of_world(world)->aura.auras, aura_find(world, bearer, id), &count);
    for (uint32_t i = 0; members != NULL && i < count; i++) {
        if (members[i].is_near == 0 || !kn_effect_is_alive(world, members[i].effect)) {
            continue;
        }
        if (found < capacity) {
            out[found] = members[i].entity;
        }
        found++;
    }
    return found;
}

// Registration ----------------------------------------------------------------------

static kn_result aura_components_register(kn_library *library, aura_ids *ids, kn_error *error)
{
    static const kn_component_reference reference = {
        .field = "entity", .of_items = true, .when_destroyed = KN_REFERENCE_REMOVE};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Auras";
    def.size = sizeof(aura);
    def.fields = aura_state_fields;
    def.field_count = 4;
    def.item_size = sizeof(aura_member);
    def.item_fields = aura_member_fields;
    def.item_field_count = 4;
    def.several = true;
    def.removed = aura_removed;
    def.references = &reference;
    def.reference_count = 1;
    kn_result result = kn_component_register(library, &def, &ids->auras, error);
    def = kn_component_def_default();
    def.name = "Knack.Lingering";
    def.size = sizeof(lingering);
    def.fields = lingering_fields;
    def.field_count = 1;
    def.item_size = sizeof(linger_item);
    def.item_fields = linger_item_fields;
    def.item_field_count = 2;
    result =
        result != KN_OK ? result : kn_component_register(library, &def, &ids->lingering, error);
    if (result == KN_OK) {
        ids->member_reference = kn_component_reference_find(library, ids->auras, "entity", true);
    }
    return result;
}

kn_result knc_aura_part_register(kn_library *library, combat *kit, kn_error *error)
{
    aura_ids *ids = &kit->aura;
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "aura";
    kind.section = "auras";
    kind.table = &aura_table;
    kind.text = "Effects for everybody near their bearer.";
    kind.check = aura_check;
    kind.finish = aura_finish;
    kind.user = kit;
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id id;
    rule.name = "Knack.Auras.Owner";
    rule.trigger = KN_TRIGGER_OWNER_CHANGED;
    rule.function = aura_owner_rule;
    kn_result result = kn_kind_register(library, &kind, &ids->kind, error);
    result = result != KN_OK ? result : aura_components_register(library, ids, error);
    result = result != KN_OK ? result
                             : kn_timer_type_register(
                                   library, "Knack.Aura", aura_timer, NULL, &ids->look, error);
    result = result != KN_OK ? result
                             : kn_timer_type_register(
                                   library, "Knack.Linger", linger_over, NULL, &ids->linger, error);
    result = result != KN_OK ? result
                             : kn_cause_type_register(
                                   library, "aura", "aura {def} of {entity}", &ids->cause, error);
    return result != KN_OK ? result : kn_rule_register(library, &rule, &id, error);
}

void knc_aura_part_release(combat *kit)
{
    aura_tables_free(&kit->aura);
}
