// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions: order types, the rules that they have in common, and types of units.

#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TYPE_COOKIE 0x6472746fu
#define RULES_COOKIE 0x6c72746fu
#define UNIT_COOKIE 0x6e75746fu

// Order types -----------------------------------------------------------------------

kn_order_type_def kn_order_type_def_default(void)
{
    kn_order_type_def def = {
        .needs_life = true,
        .restarts_tree = true,
        .acquisition_radius = -1.0f,
        .spacing = 3.0f,
        .button = -1,
        .preview_snap = KN_ORDER_SNAP_NONE,
        .cookie = TYPE_COOKIE,
    };
    return def;
}

static void type_init(void *def)
{
    *(kn_order_type_def *)def = kn_order_type_def_default();
}

static const char *const target_words[] = {"none", "entity", "location", "direction", "passive"};
static const char *const policy_words[] = {
    "cancelable", "uncancelable", "instant", "uncancelable_in_tasks"};
static const char *const group_words[] = {"all", "sub_group", "first", "most_suitable"};
static const char *const shape_words[] = {"block", "line", "column", "wedge", "ring", "point"};
static const char *const home_words[] = {"start", "target", "unit"};
static const char *const snap_words[] = {"none", "owner", "cursor"};

static const kn_def_field tags_fields[] = {
    KN_DEF_F(kn_order_tags, source_required, KN_DEF_FIELD_TAGS, "The unit must have all of these."),
    KN_DEF_F(kn_order_tags, source_blocked, KN_DEF_FIELD_TAGS, "The unit must have none of these."),
    KN_DEF_F(kn_order_tags, target_required, KN_DEF_FIELD_TAGS,
        "The target must have all of these, its relation to the unit included."),
    KN_DEF_F(kn_order_tags, target_blocked, KN_DEF_FIELD_TAGS,
        "The target must have none of these, its relation to the unit included."),
};
static const kn_def_table tags_table = {
    "order_tags", sizeof(kn_order_tags), tags_fields, COUNT(tags_fields), NULL};

static const kn_def_field type_fields[] = {
    KN_DEF_F(kn_order_type_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_ENUM(kn_order_type_def, target_kind, target_words,
        "What it is aimed at: `none`, `entity`, `location`, `direction` or `passive` (it is never "
        "given); default none."),
    KN_DEF_F_ENUM(kn_order_type_def, policy, policy_words,
        "How it gets along with the current order: a new order cancels it (`cancelable`) or waits "
        "for it (`uncancelable`; `uncancelable_in_tasks`: while its ability runs a task), or it is "
        "carried out at once beside it (`instant`); default cancelable."),
    KN_DEF_F_ENUM(kn_order_type_def, group, group_words,
        "Who of a group gets it: `all`, `sub_group`, `first` or `most_suitable`; default all."),
    KN_DEF_F(kn_order_type_def, needs_life, KN_FIELD_BOOL,
        "The unit must have the tag `alive` of the rules; default true."),
    KN_DEF_F_STRUCT(kn_order_type_def, tags, &tags_table,
        "Must hold to give the order, and as long as it is current."),
    KN_DEF_F_STRUCT(kn_order_type_def, success, &tags_table,
        "Must hold for a cancelled order to count as a success; default nothing, which always "
        "holds."),
    KN_DEF_F(kn_order_type_def, range, KN_FIELD_F32,
        "How near to the target it is carried out; default 0."),
    KN_DEF_F(kn_order_type_def, range_attribute, KN_FIELD_ATTRIBUTE,
        "Attribute of the unit that is its range instead; units without it have `range`."),
    KN_DEF_F(kn_order_type_def, acquisition_radius, KN_FIELD_F32,
        "Radius in which automatic orders look for targets; below 0: that of the unit; default "
        "-1."),
    KN_DEF_F(kn_order_type_def, allows_auto, KN_FIELD_BOOL,
        "Automatic orders may interrupt it; default false."),
    KN_DEF_F(kn_order_type_def, auto_for_players, KN_FIELD_BOOL,
        "Players may have it given automatically; default false."),
    KN_DEF_F(kn_order_type_def, auto_begins, KN_FIELD_BOOL,
        "It is given automatically until the player stops it; default false."),
    KN_DEF_F(kn_order_type_def, auto_for_ai, KN_FIELD_BOOL,
        "Units of the AI give it to themselves; default false."),
    KN_DEF_F(kn_order_type_def, auto_wakes, KN_DEF_FIELD_TAGS,
        "Units that may give it to themselves look for something to do when they gain or lose one "
        "of these tags, or an event with one of them reaches them."),
    KN_DEF_F_KIND(kn_order_type_def, fallback, "order type",
        "For input: what is given if it is refused; default nothing."),
    KN_DEF_F(kn_order_type_def, individual_locations, KN_FIELD_BOOL,
        "Each unit of a group gets a point of its own; default false."),
    KN_DEF_F_ENUM(kn_order_type_def, formation, shape_words,
        "How these points are arranged: `block`, `line`, `column`, `wedge`, `ring` or `point`; "
        "default block."),
    KN_DEF_F(kn_order_type_def, spacing, KN_FIELD_F32, "Distance between them; default 3."),
    KN_DEF_F(kn_order_type_def, title, KN_DEF_FIELD_STRING, "For the player; default its name."),
    KN_DEF_F(kn_order_type_def, description, KN_DEF_FIELD_STRING, "For the player."),
    KN_DEF_F(kn_order_type_def, icon, KN_DEF_FIELD_STRING, "Name of its picture."),
    KN_DEF_F(kn_order_type_def, icon_hovered, KN_DEF_FIELD_STRING,
        "Name of its picture under the cursor."),
    KN_DEF_F(
        kn_order_type_def, icon_pressed, KN_DEF_FIELD_STRING, "Name of its picture when pressed."),
    KN_DEF_F(kn_order_type_def, icon_disabled, KN_DEF_FIELD_STRING,
        "Name of its picture when it is refused."),
    KN_DEF_F(
        kn_order_type_def, button, KN_FIELD_I32, "Place among the buttons; default -1: anywhere."),
    KN_DEF_F(
        kn_order_type_def, preview, KN_DEF_FIELD_STRING, "Name of what shows where it is aimed."),
    KN_DEF_F_ENUM(kn_order_type_def, preview_snap, snap_words,
        "Where that is shown: `none`, `owner` (at the unit, looking at the cursor) or `cursor`; "
        "default none."),
    KN_DEF_F_HOOK(
        kn_order_type_def, can_obey, "Whether the unit may obey; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, is_valid_target,
        "Whether the target is accepted; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, find_policy,
        "Answers the policy in `answer`, as a number: 0 cancelable, 1 uncancelable, 2 instant; it "
        "must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, find_target_kind,
        "Answers what it is aimed at in `answer`, as a number; it must change nothing."),
    KN_DEF_F_HOOK(
        kn_order_type_def, find_range, "Answers the range in `number`; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, find_variant,
        "Answers what it is for a unit and a variant: `ability`, `group`, `acquisition_radius`, "
        "`auto_for_players`, `auto_begins`, `auto_for_ai`, `looks_like` and, for the type as a "
        "whole, the `count` of variants; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, find_tags,
        "Adds tags to `tags` and `success`, for a unit and a variant; it must change nothing."),
    KN_DEF_F(kn_order_type_def, watched_tags, KN_DEF_FIELD_TAGS,
        "Tags that `find_tags` adds: an order that needs them is cancelled when they do not hold "
        "any more."),
    KN_DEF_F_HOOK(kn_order_type_def, score,
        "Answers how good a target is in `number`, higher is better; if it refuses, searches pass "
        "the target over; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, find_location,
        "Answers in `location` where a unit of a group goes, with `individual_locations`; if it "
        "refuses, the group does not get the order; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_type_def, execute,
        "Carries it out, and ends it now or later; if it is refused, the order has failed."),
    KN_DEF_F_HOOK(kn_order_type_def, cancelled, "Called when the order is cancelled, to clean up."),
    KN_DEF_F_KIND(kn_order_type_def, tree, "tree",
        "The behaviour tree that carries it out, instead of `execute`."),
    KN_DEF_F_REF(kn_order_type_def, ability, KN_DEF_ABILITY,
        "The ability that it uses: units that could not activate it cannot obey. An instant order "
        "without a target activates it at once; otherwise `tree` does."),
    KN_DEF_F(kn_order_type_def, restarts_tree, KN_FIELD_BOOL,
        "The tree begins anew if it runs already for another order; default true."),
    KN_DEF_F(kn_order_type_def, pierces, KN_FIELD_BOOL,
        "It replaces and interrupts orders that cannot be cancelled, too; default false."),
    KN_DEF_F(kn_order_type_def, is_work, KN_FIELD_BOOL,
        "It is work: a unit that is given something else in between remembers it, with the orders "
        "that wait behind it; default false."),
    KN_DEF_F(kn_order_type_def, reacquires, KN_FIELD_BOOL,
        "When its target is gone, or does not meet `tags` any more, it goes on with the best other "
        "one within the acquisition radius; default false."),
    KN_DEF_F_ENUM(kn_order_type_def, home, home_words,
        "Where a unit belongs while it obeys it, for leashes: where it was at the `start`, where "
        "its "
        "`target` is, or where the `unit` is when something interrupts it; default start."),
    KN_DEF_F(kn_order_type_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table type_table = {
    "order_type_def", sizeof(kn_order_type_def), type_fields, COUNT(type_fields), type_init};

const kn_field knc_order_fields[5] = {
    KN_FIELD_TO(kn_order, type, "order type"),
    KN_FIELD(kn_order, index, KN_FIELD_I32),
    KN_FIELD(kn_order, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_order, location, KN_FIELD_VEC3),
    KN_FIELD(kn_order, uses_location, KN_FIELD_U32),
};

static const kn_field call_fields[] = {
    KN_FIELD_TO(kn_order, type, "order type"),
    KN_FIELD(kn_order, index, KN_FIELD_I32),
    KN_FIELD(kn_order, target, KN_FIELD_ENTITY),
    KN_FIELD(kn_order, location, KN_FIELD_VEC3),
    KN_FIELD(kn_order, uses_location, KN_FIELD_U32),
    KN_FIELD(kn_order_call, home, KN_FIELD_VEC3),
    KN_FIELD(kn_order_call, ticket, KN_FIELD_U32),
    KN_FIELD_INIT("target_entity", KN_FIELD_ENTITY, offsetof(kn_order_call, target.entity), 1),
    KN_FIELD_INIT("target_location", KN_FIELD_VEC3, offsetof(kn_order_call, target.location), 1),
    KN_FIELD_INIT("tag_count", KN_FIELD_U32, offsetof(kn_order_call, target.tag_count), 1),
    KN_FIELD_INIT(
        "tags", KN_FIELD_TAG, offsetof(kn_order_call, target.tags), KN_ORDER_TARGET_TAGS_MAX),
    KN_FIELD(kn_order_call, answer, KN_FIELD_U32),
    KN_FIELD(kn_order_call, number, KN_FIELD_F32),
    KN_FIELD_INIT("errors", KN_FIELD_TAG, offsetof(kn_order_call, errors), 4),
    KN_FIELD(kn_order_call, error_count, KN_FIELD_U32),
    KN_FIELD(kn_order_call, unused, KN_FIELD_U32),
};

static const kn_field location_fields[] = {
    KN_FIELD_TO(kn_order, type, "order type"),
    KN_FIELD_INIT("index", KN_FIELD_I32, offsetof(kn_order_location_call, order.index), 1),
    KN_FIELD_INIT(
        "order_target", KN_FIELD_ENTITY, offsetof(kn_order_location_call, order.target), 1),
    KN_FIELD_INIT(
        "order_location", KN_FIELD_VEC3, offsetof(kn_order_location_call, order.location), 1),
    KN_FIELD_INIT(
        "uses_location", KN_FIELD_U32, offsetof(kn_order_location_call, order.uses_location), 1),
    KN_FIELD(kn_order_location_call, place, KN_FIELD_U32),
    KN_FIELD(kn_order_location_call, count, KN_FIELD_U32),
    KN_FIELD(kn_order_location_call, middle, KN_FIELD_VEC3),
    KN_FIELD(kn_order_location_call, target, KN_FIELD_VEC3),
    KN_FIELD(kn_order_location_call, location, KN_FIELD_VEC3),
};

static const kn_field variant_fields[] = {
    KN_FIELD_TO(kn_order_variant, type, "order type"),
    KN_FIELD(kn_order_variant, index, KN_FIELD_I32),
    KN_FIELD(kn_order_variant, count, KN_FIELD_U32),
    KN_FIELD_TO(kn_order_variant, ability, "ability"),
    KN_FIELD_WORDS(kn_order_variant, group, "all sub_group first most_suitable"),
    KN_FIELD(kn_order_variant, acquisition_radius, KN_FIELD_F32),
    KN_FIELD(kn_order_variant, auto_for_players, KN_FIELD_U32),
    KN_FIELD(kn_order_variant, auto_begins, KN_FIELD_U32),
    KN_FIELD(kn_order_variant, auto_for_ai, KN_FIELD_U32),
    KN_FIELD(kn_order_variant, is_never_auto, KN_FIELD_U32),
    KN_FIELD_TO(kn_order_variant, looks_like, "order type"),
};

static const kn_field found_tags_fields[] = {
    KN_FIELD_TO(kn_order_tags_call, type, "order type"),
    KN_FIELD(kn_order_tags_call, index, KN_FIELD_I32),
    KN_FIELD(kn_order_tags_call, is_success, KN_FIELD_U32),
    KN_FIELD(kn_order_tags_call, source_required_count, KN_FIELD_U32),
    KN_FIELD(kn_order_tags_call, source_blocked_count, KN_FIELD_U32),
    KN_FIELD(kn_order_tags_call, target_required_count, KN_FIELD_U32),
    KN_FIELD(kn_order_tags_call, target_blocked_count, KN_FIELD_U32),
    KN_FIELD_INIT("source_required", KN_FIELD_TAG, offsetof(kn_order_tags_call, source_required),
        KN_ORDER_FIND_TAGS_MAX),
    KN_FIELD_INIT("source_blocked", KN_FIELD_TAG, offsetof(kn_order_tags_call, source_blocked),
        KN_ORDER_FIND_TAGS_MAX),
    KN_FIELD_INIT("target_required", KN_FIELD_TAG, offsetof(kn_order_tags_call, target_required),
        KN_ORDER_FIND_TAGS_MAX),
    KN_FIELD_INIT("target_blocked", KN_FIELD_TAG, offsetof(kn_order_tags_call, target_blocked),
        KN_ORDER_FIND_TAGS_MAX),
};

static bool is_distance(float number)
{
    return isfinite(number) && number >= 0.0f;
}

// Whether something carries it out, and only one thing.
static kn_result type_check_execution(const kn_order_type_def *def, kn_error *error)
{
    const bool has_tree = def->tree.index1 != 0;
    const bool has_ability = def->ability.index1 != 0 || def->find_variant.function != NULL;
    const bool is_instant = def->policy == KN_ORDER_INSTANT;
    if (def->policy == KN_ORDER_UNCANCELABLE_IN_TASKS && !has_ability) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order type `%s`: the policy `uncancelable_in_tasks` needs an `ability`", def->name);
    }
    if (def->execute.function != NULL && (has_tree || def->ability.index1 != 0)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order type `%s`: with a `tree` or an `ability` it has no `execute`", def->name);
    }
    if (has_tree && is_instant && !has_ability) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order type `%s`: with a `tree` it is not instant", def->name);
    }
    if (def->reacquires && !has_tree) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "order type `%s`: `reacquires` needs a `tree`", def->name);
    }
    const bool is_used_at_once =
        has_ability && is_instant && def->target_kind == KN_ORDER_TARGET_NONE;
    if (def->execute.function == NULL && !has_tree && !is_used_at_once &&
        def->target_kind != KN_ORDER_TARGET_PASSIVE) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order type `%s`: `execute` or `tree` is missing, so that nothing carries it out",
            def->name);
    }
    return KN_OK;
}

static kn_result type_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_order_type_def *def = item;
    (void)user;
    (void)library;
    if (!is_distance(def->range) || !is_distance(def->spacing) ||
        !isfinite(def->acquisition_radius)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order type `%s`: `range` and `spacing` must be 0 or more, and `acquisition_radius` "
            "finite",
            def->name);
    }
    if (def->auto_begins && !def->auto_for_players) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order type `%s`: `auto_begins` needs `auto_for_players`", def->name);
    }
    return type_check_execution(def, error);
}

static kn_result type_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    kn_result result = knc_order_watch_expand(library, user, error);
    return result != KN_OK ? result : knc_order_wakes_expand(library, user, error);
}

#define HOOK_POLICY 2 // among the names below
#define HOOK_TARGET_KIND 3

// The fields of a call whose answer is an enum.
static const kn_field *fields_with_words(kn_field *fields, const char *words)
{
    for (uint32_t i = 0; i < COUNT(call_fields); i++) {
        fields[i] = call_fields[i];
        if (strcmp(fields[i].name, "answer") == 0) {
            fields[i].kind = KN_FIELD_ENUM;
            fields[i].words = words;
        }
    }
    return fields;
}

static kn_result types_register(kn_library *library, order_kit *kit, kn_error *error)
{
    static const char *const names[] = {"can_obey", "is_valid_target", "find_policy",
        "find_target_kind", "find_range", "score", "execute", "cancelled"};
    kn_kind_hook hooks[COUNT(names) + 3];
    kn_field policy_fields[COUNT(call_fields)], target_fields[COUNT(call_fields)];
    for (uint32_t i = 0; i < COUNT(names); i++) {
        hooks[i] =
            (kn_kind_hook){names[i], sizeof(kn_order_call), call_fields, COUNT(call_fields), NULL};
    }
    hooks[HOOK_POLICY].fields =
        fields_with_words(policy_fields, "cancelable uncancelable instant uncancelable_in_tasks");
    hooks[HOOK_TARGET_KIND].fields =
        fields_with_words(target_fields, "none entity location direction passive");
    hooks[COUNT(names)] = (kn_kind_hook){"find_location", sizeof(kn_order_location_call),
        location_fields, COUNT(location_fields), NULL};
    hooks[COUNT(names) + 1] = (kn_kind_hook){
        "find_tags", sizeof(kn_order_tags_call), found_tags_fields, COUNT(found_tags_fields), NULL};
    hooks[COUNT(names) + 2] = (kn_kind_hook){
        "find_variant", sizeof(kn_order_variant), variant_fields, COUNT(variant_fields), NULL};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "order type";
    kind.section = "order_types";
    kind.table = &type_table;
    kind.text = "A type of order: who may obey, what it is aimed at, and how it is carried out.";
    kind.check = type_check;
    kind.expand = type_expand;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    return kn_kind_register(library, &kind, &kit->type_kind, error);
}

// Rules -----------------------------------------------------------------------------

kn_order_rules_def kn_order_rules_def_default(void)
{
    kn_order_rules_def def = {.cookie = RULES_COOKIE};
    return def;
}

static void rules_init(void *def)
{
    *(kn_order_rules_def *)def = kn_order_rules_def_default();
}

static const kn_def_field rules_fields[] = {
    KN_DEF_F(kn_order_rules_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_order_rules_def, alive, KN_DEF_TAG,
        "The tag of those who live; default `Knack.Status.Alive`."),
    KN_DEF_F_REF(kn_order_rules_def, friendly, KN_DEF_TAG,
        "Tag of a target on the unit's side; default `Knack.Relation.Friendly`."),
    KN_DEF_F_REF(kn_order_rules_def, hostile, KN_DEF_TAG,
        "Tag of a target that is an enemy; default `Knack.Relation.Hostile`."),
    KN_DEF_F_REF(kn_order_rules_def, neutral, KN_DEF_TAG,
        "Tag of a target that is neither; default `Knack.Relation.Neutral`."),
    KN_DEF_F_REF(kn_order_rules_def, self, KN_DEF_TAG,
        "Tag of a target that is the unit; default `Knack.Relation.Self`."),
    KN_DEF_F_REF(kn_order_rules_def, visible, KN_DEF_TAG,
        "Tag of a target that the unit sees; default `Knack.Relation.Visible`."),
    KN_DEF_F_HOOK(kn_order_rules_def, relation,
        "Answers in `relation` how two entities stand to each other: 1 friendly, 2 hostile, 4 "
        "neutral, plus 16 if the first sees the second; it must change nothing."),
    KN_DEF_F_HOOK(kn_order_rules_def, is_ai,
        "Answers in `is_ai` whether the AI plays a unit, 1 or 0; it must change nothing."),
    KN_DEF_F(kn_order_rules_def, spares_untagged, KN_FIELD_BOOL,
        "Units without any tags are not asked for tags of their own; default false."),
    KN_DEF_F(kn_order_rules_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {
    "order_rules_def", sizeof(kn_order_rules_def), rules_fields, COUNT(rules_fields), rules_init};

static kn_result rules_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    order_kit *kit = user;
    if (kn_def_count(library, kind) > 1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "there must be only one of the order rules");
    }
    const kn_order_rules_def *found = kn_def_get(library, kind, 1);
    kit->rules = found != NULL ? found : &kit->default_rules;
    const kn_tag named[TAG_COUNT] = {
        [TAG_ALIVE] = kit->rules->alive,
        [TAG_FRIENDLY] = kit->rules->friendly,
        [TAG_HOSTILE] = kit->rules->hostile,
        [TAG_NEUTRAL] = kit->rules->neutral,
        [TAG_SELF] = kit->rules->self,
        [TAG_VISIBLE] = kit->rules->visible,
    };
    for (uint32_t i = 0; i < TAG_COUNT; i++) {
        kit->tags[i] = named[i].index1 != 0 ? named[i] : kit->own_tags[i];
    }
    return KN_OK;
}

static kn_result rules_register(kn_library *library, order_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_order_relation_call, other, KN_FIELD_ENTITY),
        KN_FIELD(kn_order_relation_call, relation, KN_FIELD_U32),
        KN_FIELD(kn_order_relation_call, unused, KN_FIELD_U32),
    };
    static const kn_field ai_fields[] = {KN_FIELD(kn_order_ai_call, is_ai, KN_FIELD_U32)};
    const kn_kind_hook hooks[] = {
        {"relation", sizeof(kn_order_relation_call), fields, COUNT(fields), NULL},
        {"is_ai", sizeof(kn_order_ai_call), ai_fields, COUNT(ai_fields), NULL},
    };
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "order rules";
    kind.section = "order_rules";
    kind.table = &rules_table;
    kind.text = "What all orders have in common: tags, and how entities stand to each other.";
    kind.finish = rules_finish;
    kind.user = kit;
    kind.hooks = hooks;
    kind.hook_count = COUNT(hooks);
    return kn_kind_register(library, &kind, &kit->rules_kind, error);
}

// Units -----------------------------------------------------------------------------

kn_unit_type_def kn_unit_type_def_default(void)
{
    kn_unit_type_def def = {
        .auto_interval = KN_MS(250),
        .auto_delay = KN_MS(100),
        .commands_are_autos = true,
        .cookie = UNIT_COOKIE,
    };
    return def;
}

static void unit_init(void *def)
{
    *(kn_unit_type_def *)def = kn_unit_type_def_default();
}

static void auto_init(void *def)
{
    *(kn_order_auto *)def = kn_order_auto_default();
}

static const kn_def_field auto_fields[] = {
    KN_DEF_F_KIND(kn_order_auto, type, "order type", "The order type."),
    KN_DEF_F(kn_order_auto, index, KN_FIELD_I32, "Its variant; default -1."),
    KN_DEF_F(kn_order_auto, priority, KN_FIELD_I32,
        "Those with higher ones come first, with `ranks_autos`; default 0."),
};
static const kn_def_table auto_table = {
    "order_auto", sizeof(kn_order_auto), auto_fields, COUNT(auto_fields), auto_init};

static const kn_def_field unit_fields[] = {
    KN_DEF_F(kn_unit_type_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_unit_type_def, tag, KN_DEF_TAG,
        "Entities that gain this tag become such units; default: by call alone."),
    KN_DEF_F_KIND(kn_unit_type_def, stop, "order type",
        "What a unit does without an order; default nothing."),
    KN_DEF_F(kn_unit_type_def, queue_limit, KN_FIELD_U32,
        "Most orders that wait; default 0: any number."),
    KN_DEF_F(kn_unit_type_def, literal_instants, KN_FIELD_BOOL,
        "Instant orders touch the others: issued, they empty the queue, and a refused one stops "
        "the unit; inserted before the current order, they leave a copy of it in the queue; one "
        "from the queue leaves the unit with its finished order until it gets another one; "
        "default false."),
    KN_DEF_F(kn_unit_type_def, interrupts_all, KN_FIELD_BOOL,
        "Orders that are inserted before the current one interrupt those that cannot be "
        "cancelled, too; default false."),
    KN_DEF_F(kn_unit_type_def, interrupts_same, KN_FIELD_BOOL,
        "An order that is inserted before an equal current one interrupts it; default false."),
    KN_DEF_F(kn_unit_type_def, literal_queue, KN_FIELD_BOOL,
        "The queue is taken at its word: a unit that fails or must stop keeps it, one order of it "
        "that is refused stops the unit, and so does a stop order in it that has others behind "
        "it; default false."),
    KN_DEF_F(kn_unit_type_def, literal_stop, KN_FIELD_BOOL,
        "A stop order that is refused stops the unit like any other; default false: it changes "
        "nothing."),
    KN_DEF_F(kn_unit_type_def, literal_autos, KN_FIELD_BOOL,
        "A player who switches an automatic order on lets the unit look for something to do until "
        "its order changes, also if that order forbids it; and an automatic order that is refused "
        "counts as given; default false."),
    KN_DEF_F_ARRAY(kn_unit_type_def, autos, auto_count, &auto_table,
        "What units may do by themselves, in order; then what `provide` adds."),
    KN_DEF_F_HOOK(kn_unit_type_def, provide,
        "Adds automatic orders when the unit begins; it must change nothing."),
    KN_DEF_F_KINDS(kn_unit_type_def, commands, command_count, "order type",
        "What players can order such units to do: the buttons of user interfaces, in order."),
    KN_DEF_F(kn_unit_type_def, commands_are_autos, KN_FIELD_BOOL,
        "Orders with an `ability` among the commands are automatic orders, too, but for passive "
        "ones and attacks; default true."),
    KN_DEF_F(kn_unit_type_def, acquisition_radius, KN_FIELD_F32,
        "How far it looks for targets of automatic orders; default 0."),
    KN_DEF_F(kn_unit_type_def, auto_interval, KN_FIELD_TIME,
        "Time between two looks for automatic orders; 0 or infinite: only what wakes the unit, and "
        "the host, make it look; default 0.25 s."),
    KN_DEF_F(kn_unit_type_def, auto_wakes, KN_DEF_FIELD_TAGS,
        "The unit looks for automatic orders when it gains or loses one of these tags, or an event "
        "with one of them reaches it."),
    KN_DEF_F(kn_unit_type_def, auto_delay, KN_FIELD_TIME,
        "Longest time from what wakes a unit to its look, above 0; each unit has a time of its own "
        "between half of it and all of it; default 0.1 s."),
    KN_DEF_F(kn_unit_type_def, ranks_autos, KN_FIELD_BOOL,
        "The automatic order with the highest priority and then the best target is given; default "
        "false: the first one that can be."),
    KN_DEF_F(kn_unit_type_def, leash, KN_FIELD_F32,
        "How far automatic orders may take a unit from the home of the order that they interrupt; "
        "default 0: any distance."),
    KN_DEF_F(kn_unit_type_def, resumes_work, KN_FIELD_BOOL,
        "A unit whose queue is done goes back to the work that it remembers instead of stopping; "
        "default false."),
    KN_DEF_F(kn_unit_type_def, preview, KN_DEF_FIELD_STRING,
        "Name of what shows its orders that have no `preview`."),
    KN_DEF_F_KIND(kn_unit_type_def, construction, "order type",
        "The order type that begins to build something: what shows it stays when the unit is not "
        "selected any more; default none."),
    KN_DEF_F(kn_unit_type_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table unit_table = {
    "unit_type_def", sizeof(kn_unit_type_def), unit_fields, COUNT(unit_fields), unit_init};

static kn_result unit_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_unit_type_def *def = item;
    (void)user;
    (void)library;
    if (!is_distance(def->acquisition_radius) || !is_distance(def->leash) ||
        def->auto_interval < 0 ||
        (def->auto_interval > KN_TIME_MAX && def->auto_interval != KN_TIME_INFINITE)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order unit `%s`: `acquisition_radius`, `leash` and `auto_interval` must be 0 or more",
            def->name);
    }
    if (def->command_count > KN_ORDER_COMMANDS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order unit `%s`: it must have at most %u `commands`", def->name,
            KN_ORDER_COMMANDS_MAX);
    }
    if (def->auto_delay <= 0 || def->auto_delay > KN_TIME_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order unit `%s`: `auto_delay` must be above 0 and finite", def->name);
    }
    if (def->auto_count > KN_ORDER_AUTOS_MAX) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "order unit `%s`: it must have at most %u `autos`", def->name, KN_ORDER_AUTOS_MAX);
    }
    return KN_OK;
}

static kn_result unit_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    kn_result result = knc_order_units_expand(library, user, error);
    return result != KN_OK ? result : knc_order_wakes_expand(library, user, error);
}

// Plans -------------------------------------------------------------------------------

void knc_order_plans_release(order_kit *kit)
{
    kn_memory_free(NULL, kit->types, kit->type_count * sizeof(*kit->types));
    kn_memory_free(NULL, kit->units, kit->unit_count * sizeof(*kit->units));
    kn_memory_free(NULL, kit->relations, kit->relation_count);
    kit->types = NULL;
    kit->units = NULL;
    kit->relations = NULL;
    kit->type_count = kit->unit_count = kit->relation_count = 0;
}

static uint8_t *relations_fill(
    const kn_library *library, const order_kit *kit, kn_tags tags, uint8_t *out)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        *out++ = (uint8_t)knc_order_relations_with(library, kit, tags.data[i]);
    }
    return out;
}

static void plans_fill(const kn_library *library, order_kit *kit)
{
    uint8_t *relations = kit->relations;
    for (uint32_t i = 0; i < kit->type_count; i++) {
        const kn_order_type_def *def = kn_def_get(library, kit->type_kind, i + 1);
        kit->types[i] = (type_plan){def, relations};
        relations = relations_fill(library, kit, def->tags.target_required, relations);
        relations = relations_fill(library, kit, def->tags.target_blocked, relations);
    }
    for (uint32_t i = 0; i < kit->unit_count; i++) {
        kit->units[i] = kn_def_get(library, kit->unit_kind, i + 1);
    }
}

// Units are finished last: order types and rules are known. What looks for orders again and again
// finds everything here.
static kn_result units_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    order_kit *kit = user;
    uint32_t types = kn_def_count(library, kit->type_kind), units = kn_def_count(library, kind);
    uint32_t relations = 1; // one more, so that there is always a list
    (void)error;
    knc_order_plans_release(kit);
    for (uint32_t i = 1; i <= types; i++) {
        const kn_order_type_def *def = kn_def_get(library, kit->type_kind, i);
        relations += def->tags.target_required.count + def->tags.target_blocked.count;
    }
    kit->types = types > 0 ? kn_memory_resize(NULL, NULL, 0, types * sizeof(*kit->types)) : NULL;
    kit->units = units > 0 ? kn_memory_resize(NULL, NULL, 0, units * sizeof(*kit->units)) : NULL;
    kit->relations = kn_memory_resize(NULL, NULL, 0, relations);
    kit->type_count = kit->types != NULL ? types : 0;
    kit->unit_count = kit->units != NULL ? units : 0;
    kit->relation_count = kit->relations != NULL ? relations : 0;
    if (kit->type_count < types || kit->unit_count < units || kit->relations == NULL) {
        knc_order_plans_release(kit);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    plans_fill(library, kit);
    return KN_OK;
}

// Scripts write `type1`, `index1` and so on, at most 16 of them.
#define PROVIDE_ROW(n)                                                                             \
    {                                                                                              \
        "type" #n, "index" #n, "priority" #n                                                       \
    }
#define PROVIDE_NAMES                                                                              \
    PROVIDE_ROW(1), PROVIDE_ROW(2), PROVIDE_ROW(3), PROVIDE_ROW(4), PROVIDE_ROW(5),                \
        PROVIDE_ROW(6), PROVIDE_ROW(7), PROVIDE_ROW(8), PROVIDE_ROW(9), PROVIDE_ROW(10),           \
        PROVIDE_ROW(11), PROVIDE_ROW(12), PROVIDE_ROW(13), PROVIDE_ROW(14), PROVIDE_ROW(15),       \
        PROVIDE_ROW(16)

static kn_result units_register(kn_library *library, order_kit *kit, kn_error *error)
{
    kn_field fields[KN_ORDER_PROVIDE_MAX * 3 + 1];
    static const char *const names[KN_ORDER_PROVIDE_MAX][3] = {PROVIDE_NAMES};
    for (uint32_t i = 0; i < KN_ORDER_PROVIDE_MAX; i++) {
        size_t at = i * sizeof(kn_order_auto);
        kn_field type = KN_FIELD_TO(kn_order_auto, type, "order type");
        type.name = names[i][0];
        type.offset += (uint32_t)at;
        fields[i * 3] = type;
        fields[i * 3 + 1] = (kn_field)KN_FIELD_INIT(
            names[i][1], KN_FIELD_I32, at + offsetof(kn_order_auto, index), 1);
        fields[i * 3 + 2] = (kn_field)KN_FIELD_INIT(
            names[i][2], KN_FIELD_I32, at + offsetof(kn_order_auto, priority), 1);
    }
    fields[KN_ORDER_PROVIDE_MAX * 3] =
        (kn_field)KN_FIELD(kn_order_provide_call, count, KN_FIELD_U32);
    const kn_kind_hook hook = {
        "provide", sizeof(kn_order_provide_call), fields, COUNT(fields), NULL};
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "order unit";
    kind.section = "order_units";
    kind.table = &unit_table;
    kind.text = "A type of unit: how entities obey orders.";
    kind.check = unit_check;
    kind.hooks = &hook;
    kind.hook_count = 1;
    kind.expand = unit_expand;
    kind.finish = units_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->unit_kind, error);
}

kn_result knc_order_kinds_register(kn_library *library, order_kit *kit, kn_error *error)
{
    kn_result result = types_register(library, kit, error);
    result = result != KN_OK ? result : rules_register(library, kit, error);
    return result != KN_OK ? result : units_register(library, kit, error);
}

// Registering and finding -----------------------------------------------------------------

kn_result kn_order_type_register(
    kn_library *library, const kn_order_type_def *def, kn_order_type_id *type, kn_error *error)
{
    kn_order_type_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kn_order_is_there(library)
               ? kn_def_register(
                     library, knc_order_kit_of(library)->type_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_order_type_id kn_order_type_find(const kn_library *library, const char *name)
{
    kn_order_type_id type = {0};
    if (kn_order_is_there(library)) {
        type.index1 = kn_def_find(library, knc_order_kit_of(library)->type_kind, name);
    }
    return type;
}

kn_result kn_order_set_loader(kn_library *library, kn_order_load_fn *load, void *user)
{
    if (!kn_order_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_library_is_finished(library)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    order_kit *kit = knc_order_kit_of(library);
    kit->load = load;
    kit->load_user = user;
    return KN_OK;
}

// Remembers a name that is to be loaded; false if that was tried before, or there is no memory.
static bool name_keep(order_kit *kit, const char *name)
{
    for (uint32_t i = 0; i < kit->tried_count; i++) {
        if (strcmp(kit->tried[i], name) == 0) {
            return false;
        }
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (copy == NULL || !kn_memory_grow(NULL, &kit->tried, &kit->tried_capacity,
                            kit->tried_count + 1, sizeof(*kit->tried))) {
        free(copy);
        return false;
    }
    memcpy(copy, name, size);
    kit->tried[kit->tried_count++] = copy;
    return true;
}

kn_order_type_id kn_order_type_resolve(kn_library *library, const char *name, kn_error *error)
{
    kn_order_type_id type = kn_order_type_find(library, name);
    if (type.index1 != 0 || name == NULL || !kn_order_is_there(library) ||
        kn_library_is_finished(library)) {
        return type;
    }
    order_kit *kit = knc_order_kit_of(library);
    if (kit->load == NULL || !name_keep(kit, name)) {
        return type;
    }
    return kit->load(kit->load_user, library, name, error) == KN_OK
               ? kn_order_type_find(library, name)
               : type;
}

const kn_order_type_def *kn_order_type_get_def(const kn_library *library, kn_order_type_id type)
{
    return kn_order_is_there(library)
               ? kn_def_get(library, knc_order_kit_of(library)->type_kind, type.index1)
               : NULL;
}

const type_plan *knc_order_plan_of(const order_kit *kit, kn_order_type_id type)
{
    return type.index1 - 1 < kit->type_count ? &kit->types[type.index1 - 1] : NULL;
}

const kn_order_type_def *knc_order_type_of(const kn_world *world, kn_order_type_id type)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const type_plan *plan = kit != NULL ? knc_order_plan_of(kit, type) : NULL;
    return plan != NULL ? plan->def : NULL;
}

const kn_unit_type_def *knc_order_unit_of(const order_kit *kit, kn_unit_type_id type)
{
    return type.index1 - 1 < kit->unit_count ? kit->units[type.index1 - 1] : NULL;
}

kn_result kn_order_rules_register(
    kn_library *library, const kn_order_rules_def *def, kn_error *error)
{
    uint32_t ignored;
    return def != NULL && kn_order_is_there(library)
               ? kn_def_register(
                     library, knc_order_kit_of(library)->rules_kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

kn_result kn_unit_type_register(
    kn_library *library, const kn_unit_type_def *def, kn_unit_type_id *type, kn_error *error)
{
    kn_unit_type_id ignored;
    type = type != NULL ? type : &ignored;
    type->index1 = 0;
    return def != NULL && kn_order_is_there(library)
               ? kn_def_register(
                     library, knc_order_kit_of(library)->unit_kind, def, &type->index1, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

const kn_unit_type_def *kn_unit_type_get_def(const kn_library *library, kn_unit_type_id type)
{
    return kn_order_is_there(library) && type.index1 != 0
               ? kn_def_get(library, knc_order_kit_of(library)->unit_kind, type.index1)
               : NULL;
}

kn_unit_type_id kn_unit_type_find(const kn_library *library, const char *name)
{
    kn_unit_type_id type = {0};
    if (kn_order_is_there(library)) {
        type.index1 = kn_def_find(library, knc_order_kit_of(library)->unit_kind, name);
    }
    return type;
}
