// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities of units: how they rise, and the order type that uses any of them. What the order is
// follows from the ability each time it is asked; hooks find the ability by the index of the order.

#include "parts.h"

#include "knack/rts_card.h"
#include "knack/tree.h"

#include <math.h>
#include <stdlib.h>

#define ABILITY_COOKIE 0x52545357u

// Abilities -------------------------------------------------------------------------

kn_rts_ability_def kn_rts_ability_def_default(void)
{
    kn_rts_ability_def def = {.max_level = 1,
        .policy = KN_ORDER_INSTANT,
        .group = KN_ORDER_GROUP_MOST_SUITABLE,
        .auto_for_ai = true,
        .cookie = ABILITY_COOKIE};
    return def;
}

static void ability_init(void *def)
{
    *(kn_rts_ability_def *)def = kn_rts_ability_def_default();
}

static const char *const target_words[] = {"none", "entity", "location", "direction", "passive"};
static const char *const policy_words[] = {
    "cancelable", "uncancelable", "instant", "uncancelable_in_tasks"};
static const char *const group_words[] = {"all", "sub_group", "first", "most_suitable"};

static const kn_def_field ability_fields[] = {
    KN_DEF_F(kn_rts_ability_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_ability_def, ability, KN_DEF_ABILITY,
        "The ability; default: the one called as this definition."),
    KN_DEF_F(kn_rts_ability_def, max_level, KN_FIELD_U32,
        "Highest level of the ability; 0: it never rises; default 1."),
    KN_DEF_F_PART(kn_rts_ability_def, unit_level, "kn_scalable",
        "Level that a unit needs to raise the ability, by the level that the ability has; default: "
        "twice that level plus 1."),
    KN_DEF_F_ENUM(kn_rts_ability_def, target_kind, target_words,
        "What the order to use it is aimed at: `none`, `entity`, `location`, `direction` or "
        "`passive` (it is never ordered); default none."),
    KN_DEF_F_ENUM(kn_rts_ability_def, policy, policy_words,
        "How the order gets along with others: a new one cancels it (`cancelable`) or waits for it "
        "(`uncancelable`; `uncancelable_in_tasks`: while the ability runs a task), or it is used "
        "at once beside them (`instant`, without a target alone); default instant."),
    KN_DEF_F_ENUM(kn_rts_ability_def, group, group_words,
        "Who of a group gets the order: `all`, `sub_group`, `first` or `most_suitable`; default "
        "most_suitable."),
    KN_DEF_F_PART(kn_rts_ability_def, range, "kn_scalable",
        "How near to the target it is used, by its level; default 0."),
    KN_DEF_F(kn_rts_ability_def, overrides_radius, KN_FIELD_BOOL,
        "Automatic orders look for targets within `acquisition_radius` instead of the radius of "
        "the unit; default false."),
    KN_DEF_F(kn_rts_ability_def, acquisition_radius, KN_FIELD_F32,
        "The radius if `overrides_radius` says so, 0 or more; default 0."),
    KN_DEF_F(kn_rts_ability_def, auto_for_players, KN_FIELD_BOOL,
        "Players may have it used automatically; default false."),
    KN_DEF_F(kn_rts_ability_def, auto_begins, KN_FIELD_BOOL,
        "It is used automatically until the player stops it; default false."),
    KN_DEF_F(kn_rts_ability_def, auto_for_ai, KN_FIELD_BOOL,
        "Units of the AI use it by themselves; default true."),
    KN_DEF_F(kn_rts_ability_def, scores_targets, KN_FIELD_BOOL,
        "`score` says how good a target is; default false: the nearer, the better."),
    KN_DEF_F_HOOK(kn_rts_ability_def, find_range,
        "Answers how near to the target it is used in `number`; it must change nothing."),
    KN_DEF_F_HOOK(kn_rts_ability_def, score,
        "Answers how good a target is in `number`, higher is better; if it refuses, searches pass "
        "the target over; it must change nothing."),
    KN_DEF_F(kn_rts_ability_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table ability_table = {"rts_ability_def", sizeof(kn_rts_ability_def),
    ability_fields, COUNT(ability_fields), ability_init};

static kn_result ability_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_ability_def *def = item;
    (void)user;
    (void)library;
    if (def->unit_level.parameter.index1 != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts ability `%s`: `unit_level` must be a number or a curve", def->name);
    }
    if (def->range.parameter.index1 != 0 || !isfinite(def->range.value) || def->range.value < 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts ability `%s`: `range` must be a number or a curve, 0 or more", def->name);
    }
    if (!isfinite(def->acquisition_radius) || def->acquisition_radius < 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts ability `%s`: `acquisition_radius` must be 0 or more", def->name);
    }
    if (def->auto_begins && !def->auto_for_players) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts ability `%s`: `auto_begins` needs `auto_for_players`", def->name);
    }
    return KN_OK;
}

// Finds the abilities of definitions, so that each is known by its ability.
static kn_result abilities_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    rts_kit *kit = user;
    unit_ids *ids = &kit->units;
    const uint32_t count = kn_def_count(library, KN_DEF_ABILITY);
    free(ids->ability_defs);
    ids->ability_defs = calloc(count + 1, sizeof(*ids->ability_defs));
    ids->ability_def_count = ids->ability_defs != NULL ? count : 0;
    if (ids->ability_defs == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= kn_def_count(library, kind); i++) {
        const kn_rts_ability_def *def = kn_def_get(library, kind, i);
        const uint32_t ability = def->ability.index1 != 0
                                     ? def->ability.index1
                                     : kn_def_find(library, KN_DEF_ABILITY, def->name);
        if (ability == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts ability `%s`: there is no ability of this name; write it in `ability`",
                def->name);
        }
        if (ids->ability_defs[ability - 1] != 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts ability `%s`: the ability `%s` has one already; leave one of the two out",
                def->name, kn_def_name(library, KN_DEF_ABILITY, ability));
        }
        ids->ability_defs[ability - 1] = i;
    }
    return KN_OK;
}

kn_result knc_rts_abilities_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(kn_rts_ability_call, ability, "ability"),
        KN_FIELD(kn_rts_ability_call, level, KN_FIELD_F32),
        KN_FIELD(kn_rts_ability_call, target, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_ability_call, location, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_ability_call, number, KN_FIELD_F32),
    };
    const kn_kind_hook hooks[] = {
        {"find_range", sizeof(kn_rts_ability_call), fields, COUNT(fields), NULL},
        {"score", sizeof(kn_rts_ability_call), fields, COUNT(fields), NULL},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "rts ability";
    kind.section = "rts_abilities";
    kind.table = &ability_table;
    kind.text = "How an ability of units rises, and what the order to use it is.";
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    kind.check = ability_check;
    kind.finish = abilities_finish;
    kind.user = kit;
    kit->units.plain_ability = kn_rts_ability_def_default();
    return kn_kind_register(library, &kind, &kit->units.ability_kind, error);
}

kn_result kn_rts_ability_register(
    kn_library *library, const kn_rts_ability_def *def, kn_error *error)
{
    uint32_t ignored;
    return def != NULL && kn_rts_is_there(library)
               ? kn_def_register(
                     library, knc_rts_kit_of(library)->units.ability_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

const kn_rts_ability_def *kn_rts_ability_get_def(
    const kn_library *library, kn_ability_type_id ability)
{
    const rts_kit *kit = library != NULL ? knc_rts_kit_of(library) : NULL;
    if (kit == NULL || kit->units.ability_defs == NULL) {
        return NULL;
    }
    const uint32_t found = ability.index1 - 1 < kit->units.ability_def_count
                               ? kit->units.ability_defs[ability.index1 - 1]
                               : 0;
    return found != 0 ? kn_def_get(library, kit->units.ability_kind, found)
                      : &kit->units.plain_ability;
}

uint32_t kn_rts_required_level(
    const kn_library *library, kn_ability_type_id ability, uint32_t level)
{
    const kn_rts_ability_def *def = kn_rts_ability_get_def(library, ability);
    if (def == NULL || (def->unit_level.value == 0.0f && def->unit_level.curve.index1 == 0)) {
        return level * 2 + 1;
    }
    const float needed = ceilf(knc_rts_scalable(library, &def->unit_level, (float)level));
    return needed >= 1.0f ? needed < (float)KN_RTS_LEVEL_MAX ? (uint32_t)needed : KN_RTS_LEVEL_MAX
                          : 1;
}

// What an order to use an ability is ---------------------------------------------------------

// The definition of an ability; NULL for an unknown one.
static const kn_rts_ability_def *def_of(const kn_library *library, kn_ability_type_id ability)
{
    return library != NULL && ability.index1 != 0 &&
                   kn_ability_type_get_def(library, ability) != NULL
               ? kn_rts_ability_get_def(library, ability)
               : NULL;
}

static kn_rts_ability_call call_of(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, float number)
{
    const uint32_t level = kn_rts_ability_level_of(world, unit, ability);
    return (kn_rts_ability_call){
        .ability = ability, .level = level > 0 ? (float)level : 1.0f, .number = number};
}

// Calls a hook of the definition of an ability.
static kn_result hook_ask(
    const kn_world *world, const kn_hook *hook, kn_entity_id unit, kn_rts_ability_call *call)
{
    const unit_ids *ids = &knc_rts_kit_of_world(world)->units;
    const uint32_t index1 = ids->ability_defs[call->ability.index1 - 1];
    const float plain = call->number;
    const kn_result result = kn_hook_read(world, ids->ability_kind, index1, hook, unit, call);
    call->number = isfinite(call->number) ? call->number : plain;
    return result;
}

float knc_rts_ability_range(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability, float level)
{
    const rts_kit *kit = knc_rts_kit_of_world(world);
    const kn_rts_ability_def *def = kit != NULL ? def_of(kn_world_library(world), ability) : NULL;
    if (def == NULL) {
        return 0.0f;
    }
    kn_rts_ability_call call = call_of(world, unit, ability, 0.0f);
    call.level = level > 0.0f ? level : call.level;
    call.number = knc_rts_scalable(kn_world_library(world), &def->range, call.level);
    if (def->find_range.function != NULL) {
        (void)hook_ask(world, &def->find_range, unit, &call);
    }
    return call.number > 0.0f ? call.number : 0.0f;
}

float kn_rts_ability_range(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    return knc_rts_ability_range(world, unit, ability, 0.0f);
}

bool kn_rts_ability_radius(const kn_library *library, kn_ability_type_id ability, float *radius)
{
    const kn_rts_ability_def *def = def_of(library, ability);
    if (radius != NULL) {
        *radius = def != NULL ? def->acquisition_radius : 0.0f;
    }
    return def != NULL && def->overrides_radius;
}

bool kn_rts_ability_score(const kn_world *world, kn_entity_id unit, kn_ability_type_id ability,
    const kn_order_target *target, float *score)
{
    const rts_kit *kit = knc_rts_kit_of_world(world);
    const kn_rts_ability_def *def = kit != NULL ? def_of(kn_world_library(world), ability) : NULL;
    bool is_accepted = true;
    float answer = 1.0f;
    if (def != NULL && def->score.function != NULL && target != NULL) {
        kn_rts_ability_call call = call_of(world, unit, ability, answer);
        call.target = target->entity;
        call.location = target->location;
        is_accepted = !kn_result_is_refused(hook_ask(world, &def->score, unit, &call));
        answer = call.number;
    }
    if (score != NULL) {
        *score = answer;
    }
    return is_accepted;
}

kn_order_policy kn_rts_ability_policy(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability)
{
    const rts_kit *kit = knc_rts_kit_of_world(world);
    const kn_rts_ability_def *def = kit != NULL ? def_of(kn_world_library(world), ability) : NULL;
    return def != NULL
               ? kn_order_ability_policy(world, unit, ability, def->policy, def->target_kind)
               : KN_ORDER_CANCELABLE;
}

static void tags_add(kn_tags tags, kn_tag *out, uint32_t *count)
{
    for (uint32_t i = 0; i < tags.count && *count < KN_ORDER_FIND_TAGS_MAX; i++) {
        out[(*count)++] = tags.data[i];
    }
}

void kn_rts_ability_add_tags(
    const kn_library *library, kn_ability_type_id ability, kn_order_tags_call *call)
{
    const kn_ability_def *def = library != NULL ? kn_ability_type_get_def(library, ability) : NULL;
    const kn_rts_ability_def *own = def_of(library, ability);
    if (def == NULL || own == NULL || call == NULL) {
        return;
    }
    tags_add(def->source.required, call->source_required, &call->source_required_count);
    tags_add(def->source.ignored, call->source_blocked, &call->source_blocked_count);
    if (own->target_kind == KN_ORDER_TARGET_ENTITY) {
        tags_add(def->target.required, call->target_required, &call->target_required_count);
        tags_add(def->target.ignored, call->target_blocked, &call->target_blocked_count);
    }
}

// The order type -----------------------------------------------------------------------------

static kn_ability_type_id ability_at(const kn_world *world, kn_entity_id unit, int32_t index)
{
    const kn_rts_unit_type_id type = kn_rts_unit_get_type(world, unit);
    return index >= 0 && type.index1 != 0
               ? kn_rts_unit_ability(kn_world_library(world), type, (uint32_t)index)
               : (kn_ability_type_id){0};
}

// The definition of the ability that an order is about; NULL: there is none.
static const kn_rts_ability_def *order_def(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_ability_type_id *ability)
{
    *ability = ability_at(world, unit, order->index);
    return def_of(kn_world_library(world), *ability);
}

static kn_result use_variant(void *user, const kn_hook_call *call)
{
    const kn_library *library = kn_world_library(call->world);
    kn_order_variant *v = call->arguments;
    (void)user;
    if (v->index < 0) {
        const kn_rts_unit_def *unit =
            kn_rts_unit_get_def(library, kn_rts_unit_get_type(call->world, call->entity));
        v->count = unit != NULL ? unit->ability_count + unit->unlockable_ability_count : 0;
        return KN_OK;
    }
    v->ability = ability_at(call->world, call->entity, v->index);
    const kn_rts_ability_def *def = def_of(library, v->ability);
    if (def == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    const kn_tag attack = kn_rts_tag(library, KN_RTS_EVENT_ATTACK);
    v->group = (uint32_t)def->group;
    v->acquisition_radius = def->overrides_radius ? def->acquisition_radius : -1.0f;
    v->auto_for_players = def->auto_for_players;
    v->auto_begins = def->auto_begins;
    v->auto_for_ai = def->auto_for_ai;
    v->is_never_auto = kn_rts_event_trigger(library, v->ability).index1 == attack.index1;
    return KN_OK;
}

static kn_result use_can_obey(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    kn_ability_type_id ability;
    const kn_rts_ability_def *def = order_def(call->world, call->entity, &c->order, &ability);
    (void)user;
    if (def == NULL) {
        c->errors[c->error_count++].index1 =
            kn_def_find(kn_world_library(call->world), KN_DEF_TAG, "Knack.Order.NoAbility");
    }
    return def != NULL && def->target_kind != KN_ORDER_TARGET_PASSIVE ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result use_policy(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    kn_ability_type_id ability;
    const kn_rts_ability_def *def = order_def(call->world, call->entity, &c->order, &ability);
    (void)user;
    if (def != NULL) {
        c->answer = (uint32_t)def->policy;
    }
    return KN_OK;
}

static kn_result use_target_kind(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    kn_ability_type_id ability;
    const kn_rts_ability_def *def = order_def(call->world, call->entity, &c->order, &ability);
    (void)user;
    if (def != NULL) {
        c->answer = (uint32_t)def->target_kind;
    }
    return KN_OK;
}

static kn_result use_range(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->number = kn_rts_ability_range(
        call->world, call->entity, ability_at(call->world, call->entity, c->order.index));
    return KN_OK;
}

static kn_result use_tags(void *user, const kn_hook_call *call)
{
    kn_order_tags_call *c = call->arguments;
    const kn_library *library = kn_world_library(call->world);
    (void)user;
    if (c->is_success == 0) {
        const kn_tag constructing = kn_rts_tag(library, KN_RTS_CONSTRUCTING);
        tags_add((kn_tags){&constructing, 1}, c->source_blocked, &c->source_blocked_count);
        kn_rts_ability_add_tags(library, ability_at(call->world, call->entity, c->index), c);
    }
    return KN_OK;
}

static kn_result use_score(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    kn_ability_type_id ability;
    const kn_rts_ability_def *def = order_def(call->world, call->entity, &c->order, &ability);
    (void)user;
    return def == NULL || !def->scores_targets ||
                   kn_rts_ability_score(call->world, call->entity, ability, &c->target, &c->number)
               ? KN_OK
               : KN_REFUSED_CUSTOM;
}

#define KEY_TARGET "Order_Target"
#define KEY_LOCATION "Order_Location"

static kn_tree_node aimed(
    kn_tree_node_kind kind, const char *target, const char *location, const char *range)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = kind;
    node.target = target;
    node.location = location;
    node.range = range;
    return node;
}

static kn_tree_node node_with(kn_tree_node_kind kind, const kn_tree_node *children, uint32_t count,
    const kn_tree_condition *conditions, uint32_t condition_count)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = kind;
    node.children = children;
    node.child_count = count;
    node.conditions = conditions;
    node.condition_count = condition_count;
    return node;
}

static kn_tree_condition is_set(const char *key, bool inverted)
{
    kn_tree_condition condition = kn_tree_condition_default();
    condition.key = key;
    condition.inverted = inverted;
    return condition;
}

// Gets into range of what the order is aimed at, if anything, turns to it, and uses the ability.
static kn_result use_tree_add(kn_library *library, kn_tree_id *tree, kn_error *error)
{
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_tree_def def = kn_tree_def_default();
    board.name = "Knack.UseUnitAbility";
    board.order_keys = true;
    kn_result result = kn_blackboard_register(library, &board, &def.blackboard, error);
    if (result != KN_OK) {
        return result;
    }
    const kn_tree_condition has_target = is_set(KEY_TARGET, false);
    const kn_tree_condition has_place[] = {is_set(KEY_TARGET, true), is_set(KEY_LOCATION, false)};
    const kn_tree_condition has_nothing[] = {is_set(KEY_TARGET, true), is_set(KEY_LOCATION, true)};
    const kn_tree_node to_target[] = {
        aimed(KN_TREE_MOVE_TO, KEY_TARGET, NULL, "Order_Range"),
        aimed(KN_TREE_FACE, KEY_TARGET, NULL, NULL),
    };
    const kn_tree_node to_place[] = {
        aimed(KN_TREE_MOVE_TO, NULL, KEY_LOCATION, "Order_Range"),
        aimed(KN_TREE_FACE, NULL, KEY_LOCATION, NULL),
    };
    const kn_tree_node ways[] = {
        node_with(KN_TREE_SEQUENCE, to_target, COUNT(to_target), &has_target, 1),
        node_with(KN_TREE_SEQUENCE, to_place, COUNT(to_place), has_place, COUNT(has_place)),
        node_with(KN_TREE_WAIT, NULL, 0, has_nothing, COUNT(has_nothing)),
    };
    const kn_tree_node nodes[] = {
        node_with(KN_TREE_SELECTOR, ways, COUNT(ways), NULL, 0),
        aimed(KN_TREE_USE_ABILITY, KEY_TARGET, KEY_LOCATION, NULL),
    };
    def.name = "Knack.UseUnitAbility";
    def.root = node_with(KN_TREE_SEQUENCE, nodes, COUNT(nodes), NULL, 0);
    return kn_tree_register(library, &def, tree, error);
}

kn_result knc_rts_use_order_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    (void)kit;
    kn_result result = use_tree_add(library, &def.tree, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.UseUnitAbility";
    def.title = "Use an ability";
    def.find_variant = (kn_hook){use_variant, NULL};
    def.can_obey = (kn_hook){use_can_obey, NULL};
    def.find_policy = (kn_hook){use_policy, NULL};
    def.find_target_kind = (kn_hook){use_target_kind, NULL};
    def.find_range = (kn_hook){use_range, NULL};
    def.find_tags = (kn_hook){use_tags, NULL};
    def.score = (kn_hook){use_score, NULL};
    return kn_order_type_register(library, &def, &type, error);
}
