// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "lint.h"

#include "shapes.h"

#include <stdio.h>
#include <string.h>

typedef enum lint_kind {
    LINT_BIASED_FACTORS, // of the library itself, as are those that nothing below names
    LINT_CHILD_REMOVAL,
    LINT_DEFAULT_LIMITS,
    LINT_EMPTY_QUERY,
    LINT_ENDLESS,
    LINT_IDLE_SETTING, // of kits
    LINT_INSTANT_EFFECT,
    LINT_INSTANT_LOGIC,
    LINT_OWN_CONDITION,
    LINT_SCRIPT_API,
    LINT_SCRIPT_GLOBAL,
    LINT_SCRIPT_HOOK,
    LINT_SCRIPT_NAME,
    LINT_STACK_LIMIT,
    LINT_STACK_RULES,
    LINT_TAG_NEVER_GRANTED,
    LINT_TICK_OPTIONS,
    LINT_UNPAYABLE,
    LINT_UNREACHABLE,
    LINT_UNUSED_ABILITY,
    LINT_UNUSED_EFFECT,
    LINT_COUNT,
} lint_kind;

const char *const kni_lint_names[LINT_COUNT] = {
    [LINT_BIASED_FACTORS] = "biased-factors",
    [LINT_CHILD_REMOVAL] = "child-removal",
    [LINT_DEFAULT_LIMITS] = "default-limits",
    [LINT_EMPTY_QUERY] = "empty-query",
    [LINT_ENDLESS] = "endless",
    [LINT_IDLE_SETTING] = "idle-setting",
    [LINT_INSTANT_EFFECT] = "instant-effect",
    [LINT_INSTANT_LOGIC] = "instant-logic",
    [LINT_OWN_CONDITION] = "own-condition",
    [LINT_SCRIPT_API] = "script-api",
    [LINT_SCRIPT_GLOBAL] = "script-global",
    [LINT_SCRIPT_HOOK] = "script-hook",
    [LINT_SCRIPT_NAME] = "script-name",
    [LINT_STACK_LIMIT] = "stack-limit",
    [LINT_STACK_RULES] = "stack-rules",
    [LINT_TAG_NEVER_GRANTED] = "tag-never-granted",
    [LINT_TICK_OPTIONS] = "tick-options",
    [LINT_UNPAYABLE] = "unpayable-ability",
    [LINT_UNREACHABLE] = "unreachable-threshold",
    [LINT_UNUSED_ABILITY] = "unused-ability",
    [LINT_UNUSED_EFFECT] = "unused-effect",
};
const char *const kni_lint_texts[LINT_COUNT] = {
    [LINT_BIASED_FACTORS] = "factors that cannot be combined sensibly in a biased sum",
    [LINT_CHILD_REMOVAL] =
        "a child removed with its parent that is instant, or starts when it ends",
    [LINT_DEFAULT_LIMITS] = "a default value of an attribute outside its limits",
    [LINT_EMPTY_QUERY] = "a tag query that nothing can match",
    [LINT_ENDLESS] = "an effect that grants an ability which applies it again at once",
    [LINT_IDLE_SETTING] = "a setting of a kit that can never act, such as a proc without a chance",
    [LINT_INSTANT_EFFECT] = "settings that have no effect on an instant effect",
    [LINT_INSTANT_LOGIC] = "logic of an instant effect that has no `executed`, and is never called",
    [LINT_OWN_CONDITION] = "an ongoing condition on a tag that the effect itself grants",
    [LINT_SCRIPT_API] = "a function, field or option that does not exist in scripts",
    [LINT_SCRIPT_GLOBAL] = "a script variable that does not exist, or that a rule assigns to",
    [LINT_SCRIPT_HOOK] = "a function of a script that is neither a hook nor named by a task",
    [LINT_SCRIPT_NAME] = "a tag, effect, attribute or other name in a script that does not exist",
    [LINT_STACK_LIMIT] = "an effect that starts with more stacks than its limit",
    [LINT_STACK_RULES] = "stack rules that contradict each other, or have no effect",
    [LINT_TAG_NEVER_GRANTED] = "a required tag that no effect, ability, archetype or script grants",
    [LINT_TICK_OPTIONS] = "tick options of an effect without a period",
    [LINT_UNPAYABLE] = "a cost above what the attribute can reach",
    [LINT_UNREACHABLE] =
        "a number of stacks above the limit, or a value that the attribute cannot have",
    [LINT_UNUSED_ABILITY] = "an ability in no set, archetype or grant, and in no script",
    [LINT_UNUSED_EFFECT] =
        "an effect that no ability, effect, container, archetype or script applies",
};
const uint32_t kni_lint_count = LINT_COUNT;

typedef struct lint {
    kni_loader *loader;
    const kn_library *library;
    const char *scripts;
    bool is_off[LINT_COUNT];
    // By number, 1 and on: whether some definition names it.
    uint8_t *used[KN_DEF_KIND_END];
    uint8_t *granted; // tags, parents included
    uint8_t *raised;  // attributes that something gives or changes
    uint8_t *follows; // effects that come with the one that is looked at
    kn_def_kind kind; // of the definition that is walked over
    const char *name;
    bool is_watching; // what is named now is only watched or kept away
} lint;

// Findings ------------------------------------------------------------------

// A finding about a field of a definition, or about all of it. What comes from C has no place.
static void lint_warn(lint *l, lint_kind which, const char *field, const char *format, ...)
    KN_PRINTF(4, 5);
static void lint_warn(lint *l, lint_kind which, const char *field, const char *format, ...)
{
    const kni_entry *entry = kni_loader_find(l->loader, l->kind, l->name);
    if (l->is_off[which] || entry == NULL) {
        return;
    }
    kni_node node = field != NULL ? kni_node_get(entry->node, field) : (kni_node){0};
    kni_place place = kni_node_exists(node) ? kni_node_key_place(node) : entry->place;
    char sentence[KNI_REPORT_MESSAGE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    kni_report_add(l->loader->report, KNI_SEVERITY_WARNING, &place, "%s `%s` %s [%s]",
        kn_kind_name(l->library, l->kind), l->name, sentence, kni_lint_names[which]);
}

// Whether a list with blanks between its words has a word.
static bool has_word(const char *list, const char *word, size_t length)
{
    for (const char *at = list + strspn(list, " "); *at != 0;) {
        size_t size = strcspn(at, " ");
        if (size == length && strncmp(at, word, length) == 0) {
            return true;
        }
        at += size + strspn(at + size, " ");
    }
    return false;
}

static void switch_off(lint *l, const char *off)
{
    for (uint32_t i = 0; i < LINT_COUNT; i++) {
        l->is_off[i] = has_word(off, kni_lint_names[i], strlen(kni_lint_names[i])) ||
                       (l->loader->lints_off >> i & 1) != 0;
    }
    for (const char *at = off + strspn(off, " "); *at != 0;) {
        size_t size = strcspn(at, " ");
        bool is_known = false;
        for (uint32_t i = 0; i < LINT_COUNT; i++) {
            is_known |=
                strlen(kni_lint_names[i]) == size && strncmp(kni_lint_names[i], at, size) == 0;
        }
        if (!is_known) {
            kni_place place = {0};
            kni_report_add(l->loader->report, KNI_SEVERITY_WARNING, &place,
                "there is no lint `%.*s` to turn off", (int)size, at);
        }
        at += size + strspn(at + size, " ");
    }
}

bool kni_lint_is_off(const kni_loader *loader, const char *off, const char *sentence)
{
    const char *open = strrchr(sentence, '[');
    size_t length = open != NULL ? strcspn(open + 1, "]") : 0;
    for (uint32_t i = 0; i < LINT_COUNT && length > 0; i++) {
        if (strlen(kni_lint_names[i]) == length &&
            strncmp(kni_lint_names[i], open + 1, length) == 0) {
            return has_word(off, kni_lint_names[i], length) || (loader->lints_off >> i & 1) != 0;
        }
    }
    return false;
}

// Uses ----------------------------------------------------------------------

static void lint_use(lint *l, kn_def_kind kind, uint32_t index1)
{
    if (index1 != 0 && l->used[kind] != NULL && !l->is_watching) {
        l->used[kind][index1] = 1;
    }
}

// Marks whatever a def names, and looks at its queries on the way.
static void walk_struct(lint *l, const kn_def_table *table, const void *def);

static void walk_field(lint *l, const kn_def_field *field, const void *def)
{
    const uint8_t *at = (const uint8_t *)def + field->offset;
    if (field->kind == KN_DEF_FIELD_STRUCT) {
        walk_struct(l, field->table, at);
    } else if (field->kind == KN_DEF_FIELD_REF) {
        uint32_t index1;
        memcpy(&index1, at, sizeof(index1));
        lint_use(l, (kn_def_kind)field->limit, index1);
    } else if (field->kind == KN_DEF_FIELD_QUERY) {
        const kn_tag_query *query;
        memcpy(&query, at, sizeof(query));
        if (query != NULL && query->count == 0) {
            lint_warn(l, LINT_EMPTY_QUERY, NULL,
                "has an empty query, which nothing matches; leave `%s` out", field->name);
        }
    } else if (field->kind == KN_DEF_FIELD_ARRAY || field->kind == KN_DEF_FIELD_REFS) {
        const uint8_t *items;
        uint32_t count;
        memcpy(&items, at, sizeof(items));
        memcpy(&count, (const uint8_t *)def + field->count_offset, sizeof(count));
        for (uint32_t i = 0; i < count; i++) {
            if (field->kind == KN_DEF_FIELD_ARRAY) {
                walk_struct(l, field->table, items + i * field->table->size);
            } else {
                uint32_t index1;
                memcpy(&index1, items + i * sizeof(index1), sizeof(index1));
                lint_use(l, (kn_def_kind)field->limit, index1);
            }
        }
    }
}

static void walk_struct(lint *l, const kn_def_table *table, const void *def)
{
    bool was_watching = l->is_watching;
    l->is_watching |= l->kind == KN_DEF_RULE || strcmp(table->name, "kn_gate_def") == 0;
    for (uint32_t i = 0; i < table->field_count; i++) {
        walk_field(l, &table->fields[i], def);
    }
    l->is_watching = was_watching;
}

static void grant_tags(lint *l, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        for (kn_tag tag = tags.data[i]; tag.index1 != 0; tag = kn_tag_parent(l->library, tag)) {
            l->granted[tag.index1] = 1;
        }
    }
}

static bool is_plain(const kn_scalable *scalable)
{
    return scalable->curve.index1 == 0 && scalable->parameter.index1 == 0;
}

// What a modifier adds, if it always adds the same.
static bool is_sum(const kn_modifier_def *modifier, float *sum)
{
    *sum = modifier->magnitude.scale.value;
    return modifier->op == KN_OP_ADD && modifier->magnitude.kind == KN_MAGNITUDE_SCALABLE &&
           is_plain(&modifier->magnitude.scale);
}

static void collect_effect(lint *l, const kn_effect_def *def)
{
    grant_tags(l, def->granted_tags);
    for (uint32_t i = 0; i < def->tag_edit_count; i++) {
        kn_tag tags[2] = {def->tag_edits[i].tag, def->tag_edits[i].with};
        grant_tags(l, (kn_tags){tags, 2});
    }
    for (uint32_t i = 0; i < def->grant_count; i++) {
        const char *name = kn_name_text(l->library, def->grants[i].ability);
        lint_use(l, KN_DEF_ABILITY, kn_def_find(l->library, KN_DEF_ABILITY, name));
    }
    for (uint32_t i = 0; i < def->modifier_count; i++) {
        float sum;
        if (!is_sum(&def->modifiers[i], &sum) || sum > 0.0f) {
            l->raised[def->modifiers[i].attribute.index1] = 1;
        }
    }
    if (def->parent != NULL) {
        lint_use(l, KN_DEF_EFFECT, kn_def_find(l->library, KN_DEF_EFFECT, def->parent));
    }
}

static void collect_other(lint *l, kn_def_kind kind, const void *def)
{
    if (kind == KN_DEF_ABILITY) {
        const kn_ability_def *ability = def;
        grant_tags(l, ability->owned_tags);
        if (ability->parent != NULL) {
            lint_use(l, KN_DEF_ABILITY, kn_def_find(l->library, KN_DEF_ABILITY, ability->parent));
        }
    } else if (kind == KN_DEF_ARCHETYPE) {
        const kn_archetype_def *archetype = def;
        grant_tags(l, archetype->tags);
        for (uint32_t i = 0; i < archetype->value_count; i++) {
            l->raised[archetype->values[i].attribute.index1] = 1;
        }
    }
}

static void lint_collect(lint *l)
{
    for (uint32_t k = 0; k < KN_DEF_KIND_END; k++) {
        l->kind = (kn_def_kind)k;
        const kn_def_table *table = kn_kind_table(l->library, l->kind);
        uint32_t count = table != NULL ? kn_def_count(l->library, l->kind) : 0;
        for (uint32_t i = 1; i <= count; i++) {
            const void *def = kn_def_get(l->library, l->kind, i);
            l->name = kn_def_name(l->library, l->kind, i);
            walk_struct(l, table, def);
            if (l->kind == KN_DEF_EFFECT) {
                collect_effect(l, def);
            } else {
                collect_other(l, l->kind, def);
            }
        }
    }
    kn_attribute_row row;
    for (uint32_t i = 0; kn_attribute_row_at(l->library, i, &row); i++) {
        l->raised[kn_def_find(l->library, KN_DEF_ATTRIBUTE, row.attribute)] = 1;
    }
    kn_tag dead = kn_ability_dead_tag(l->library);
    grant_tags(l, (kn_tags){&dead, dead.index1 != 0});
}

// Whether a script has the name in quotes.
static bool script_names(const lint *l, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(l->scripts, name); at != NULL; at = strstr(at + 1, name)) {
        char before = at > l->scripts ? at[-1] : 0;
        if ((before == '"' || before == '\'') && at[length] == before) {
            return true;
        }
    }
    return false;
}

// The lints -----------------------------------------------------------------

static void check_required(lint *l, const char *field, kn_tags required)
{
    for (uint32_t i = 0; i < required.count; i++) {
        const char *name = kn_tag_name(l->library, required.data[i]);
        if (l->granted[required.data[i].index1] == 0 && !script_names(l, name)) {
            lint_warn(l, LINT_TAG_NEVER_GRANTED, field,
                "needs the tag `%s`, which no effect, ability or archetype grants", name);
        }
    }
}

static bool is_rule(const kn_stack_rule *rules, uint32_t count, kn_stack_rule rule)
{
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        found |= rules[i] == rule;
    }
    return found;
}

static void check_stacking(lint *l, const kn_stacking *stacking)
{
    kn_stack_rule levels[3] = {
        stacking->on_lower_level, stacking->on_equal_level, stacking->on_higher_level};
    kn_stack_rule sources[2] = {stacking->on_same_source, stacking->on_other_source};
    if ((is_rule(levels, 3, KN_STACK_REFUSE) && is_rule(sources, 2, KN_STACK_TAKE_OVER)) ||
        (is_rule(levels, 3, KN_STACK_TAKE_OVER) && is_rule(sources, 2, KN_STACK_REFUSE))) {
        lint_warn(l, LINT_STACK_RULES, "stacking",
            "has a stack rule that refuses what another one accepts; keep one of them");
    }
    if (stacking->kind == KN_STACK_BY_SOURCE && stacking->on_other_source != KN_STACK_JOIN) {
        lint_warn(l, LINT_STACK_RULES, "stacking",
            "stacks by source, so `on_other_source` has no effect; leave it out");
    }
    if (stacking->key_level &&
        (stacking->on_lower_level != KN_STACK_JOIN || stacking->on_higher_level != KN_STACK_JOIN)) {
        lint_warn(l, LINT_STACK_RULES, "stacking",
            "has a separate stack for each level, so rules for other levels have no effect; leave "
            "them out");
    }
}

static void grants_follow(lint *l, uint32_t effect, bool is_first);

// What an ability applies to its owner as soon as it is granted.
static void applies_follow(lint *l, const kn_ability_def *def)
{
    for (uint32_t i = 0; i < def->apply_count; i++) {
        if (def->applies[i].effect.index1 != 0 && def->applies[i].to == KN_APPLY_TO_OWNER) {
            grants_follow(l, def->applies[i].effect.index1, false);
        }
    }
}

// Marks every effect that comes to the target at the moment when this one does.
static void grants_follow(lint *l, uint32_t effect, bool is_first)
{
    if (!is_first) {
        if (l->follows[effect] != 0) {
            return;
        }
        l->follows[effect] = 1;
    }
    const kn_effect_def *def = kn_def_get(l->library, KN_DEF_EFFECT, effect);
    for (uint32_t i = 0; i < def->grant_count; i++) {
        const char *name = kn_name_text(l->library, def->grants[i].ability);
        uint32_t index1 = kn_def_find(l->library, KN_DEF_ABILITY, name);
        const kn_ability_def *ability = kn_def_get(l->library, KN_DEF_ABILITY, index1);
        if (ability != NULL && ability->activates_on_grant) {
            applies_follow(l, ability);
        }
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        const kn_child_def *child = &def->children[i];
        if (child->when == KN_CHILD_APPLIED && child->to == KN_RECIPIENT_TARGET &&
            child->type.index1 != 0) {
            grants_follow(l, child->type.index1, false);
        }
    }
}

static void check_endless(lint *l, const kn_effect_def *def, uint32_t index1)
{
    if (def->grant_count == 0) {
        return;
    }
    memset(l->follows, 0, kn_def_count(l->library, KN_DEF_EFFECT) + 1);
    grants_follow(l, index1, true);
    if (l->follows[index1] != 0) {
        lint_warn(l, LINT_ENDLESS, "grants",
            "grants an ability that is activated at once and applies this effect again, without "
            "end; apply another effect, or leave `activates_on_grant` out");
    }
}

// The first of the tags an effect grants that is one of these, or below one; null for none.
static kn_tag granted_among(const lint *l, const kn_effect_def *def, kn_tags tags)
{
    for (uint32_t i = 0; i < def->granted_tags.count; i++) {
        for (uint32_t j = 0; j < tags.count; j++) {
            if (kn_tag_matches(l->library, def->granted_tags.data[i], tags.data[j])) {
                return def->granted_tags.data[i];
            }
        }
    }
    return (kn_tag){0};
}

static void check_own_condition(lint *l, const kn_effect_def *def)
{
    kn_tag needed = granted_among(l, def, def->ongoing.target.required);
    if (needed.index1 != 0) {
        lint_warn(l, LINT_OWN_CONDITION, "ongoing",
            "needs `%s` to be active and grants it itself: once active, it keeps itself active",
            kn_tag_name(l->library, needed));
    }
}

// The attribute that limits another: of the same set, or with its full name.
static kn_attribute_id limit_of(const lint *l, kn_attribute_id attribute, const char *limit)
{
    char name[2 * KN_TAG_NAME_MAX + 2];
    const char *full = kn_def_name(l->library, KN_DEF_ATTRIBUTE, attribute.index1);
    const char *dot = strrchr(full, '.');
    (void)snprintf(name, sizeof(name), "%.*s.%s", dot != NULL ? (int)(dot - full) : 0, full, limit);
    kn_attribute_id sibling = {kn_def_find(l->library, KN_DEF_ATTRIBUTE, name)};
    return sibling.index1 != 0
               ? sibling
               : (kn_attribute_id){kn_def_find(l->library, KN_DEF_ATTRIBUTE, limit)};
}

// What an attribute can reach; false when it is unknown.
static bool ceiling_of(const lint *l, kn_attribute_id attribute, float *ceiling)
{
    const kn_attribute_def *def = kn_attribute_get_def(l->library, attribute);
    const kn_limit *max = def->max.is_set ? &def->max : &def->base_max;
    if (max->is_set && max->attribute == NULL) {
        *ceiling = max->value;
        return true;
    }
    if (max->is_set) {
        attribute = limit_of(l, attribute, max->attribute);
        def = kn_attribute_get_def(l->library, attribute);
    }
    if (def == NULL || l->raised[attribute.index1] != 0) {
        return false;
    }
    *ceiling = def->has_random ? def->random_max : def->default_value;
    return true;
}

// A condition that an attribute with fixed limits can never meet.
static void check_condition(lint *l, const char *field, const kn_attribute_condition *condition)
{
    const kn_attribute_def *def = kn_attribute_get_def(l->library, condition->attribute);
    if (def == NULL || condition->relative_to.index1 != 0) {
        return;
    }
    bool has_max = def->max.is_set && def->max.attribute == NULL;
    bool has_min = def->min.is_set && def->min.attribute == NULL;
    bool is_too_high = has_max && ((condition->has_min && condition->min > def->max.value) ||
                                      (condition->has_above && condition->above >= def->max.value));
    bool is_too_low = has_min && ((condition->has_max && condition->max < def->min.value) ||
                                     (condition->has_below && condition->below <= def->min.value));
    if (is_too_high || is_too_low) {
        lint_warn(l, LINT_UNREACHABLE, field, "waits for a value that `%s` cannot have",
            kn_def_name(l->library, KN_DEF_ATTRIBUTE, condition->attribute.index1));
    }
}

static void check_conditions(lint *l, const char *field, const kn_conditions *conditions)
{
    for (uint32_t i = 0; i < conditions->attribute_count; i++) {
        check_condition(l, field, &conditions->attributes[i]);
    }
}

static void check_child(lint *l, const kn_effect_def *def, const kn_child_def *child)
{
    const kn_effect_def *type = kn_def_get(l->library, KN_DEF_EFFECT, child->type.index1);
    const char *name = type != NULL ? type->name : "";
    bool at_end = child->when == KN_CHILD_EXPIRED || child->when == KN_CHILD_REMOVED_EARLY ||
                  child->when == KN_CHILD_ENDED;
    bool is_counted = child->when == KN_CHILD_COUNT_REACHED || child->when == KN_CHILD_COUNT_HELD;
    float limit = is_plain(&def->stacking.limit) ? def->stacking.limit.value : 0.0f;
    if (child->remove_with_parent && type != NULL && type->duration_kind == KN_DURATION_INSTANT) {
        lint_warn(l, LINT_CHILD_REMOVAL, "children",
            "removes its child `%s` when it ends, but the child is instant; leave "
            "`remove_with_parent` out",
            name);
    } else if (child->remove_with_parent && at_end) {
        lint_warn(l, LINT_CHILD_REMOVAL, "children",
            "starts its child `%s` when it ends, and removes it at the same time; leave "
            "`remove_with_parent` out",
            name);
    }
    if (is_counted && def->stacking.kind != KN_STACK_NONE && limit > 0.0f &&
        (float)child->count > limit) {
        lint_warn(l, LINT_UNREACHABLE, "children",
            "starts its child `%s` at %u stacks, but never has more than %u", name, child->count,
            (uint32_t)limit);
    }
}

static void check_effect(lint *l, const kn_effect_def *def, uint32_t index1)
{
    check_endless(l, def, index1);
    check_stacking(l, &def->stacking);
    check_own_condition(l, def);
    check_required(l, "application", def->application.target.required);
    check_required(l, "ongoing", def->ongoing.target.required);
    check_conditions(l, "application", &def->application);
    check_conditions(l, "ongoing", &def->ongoing);
    check_conditions(l, "removal", &def->removal);
    const kn_effect_logic_def *logic = kn_effect_logic_get_def(l->library, def->logic);
    if (def->duration_kind == KN_DURATION_INSTANT && logic != NULL && logic->executed == NULL) {
        lint_warn(l, LINT_INSTANT_LOGIC, "logic",
            "is instant, so its logic, which has no `executed`, is never called; use an execution, "
            "or give it a duration");
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        check_child(l, def, &def->children[i]);
    }
    if (l->used[KN_DEF_EFFECT][index1] == 0 && !script_names(l, def->name)) {
        lint_warn(l, LINT_UNUSED_EFFECT, NULL,
            "is not applied by any ability, effect, container or archetype; only code can apply "
            "it");
    }
}

static void check_price(lint *l, const char *field, kn_attribute_id attribute, float amount)
{
    float ceiling;
    if (attribute.index1 != 0 && ceiling_of(l, attribute, &ceiling) && amount > ceiling) {
        lint_warn(l, LINT_UNPAYABLE, field,
            "can never be paid: it costs more than the maximum of `%s`",
            kn_def_name(l->library, KN_DEF_ATTRIBUTE, attribute.index1));
    }
}

static void check_costs(lint *l, const kn_ability_def *def)
{
    for (uint32_t i = 0; i < def->cost_count; i++) {
        const kn_cost_def *cost = &def->costs[i];
        if (is_plain(&cost->amount) && !cost->up_to && cost->share_of.index1 == 0) {
            check_price(l, "costs", cost->attribute, cost->amount.value);
        }
    }
    const kn_effect_def *effect = kn_def_get(l->library, KN_DEF_EFFECT, def->cost_effect.index1);
    for (uint32_t i = 0; effect != NULL && i < effect->modifier_count; i++) {
        float sum;
        if (is_sum(&effect->modifiers[i], &sum)) {
            check_price(l, "cost_effect", effect->modifiers[i].attribute, -sum);
        }
    }
}

static void check_ability(lint *l, const kn_ability_def *def, uint32_t index1)
{
    check_required(l, "activation", def->activation.required);
    check_costs(l, def);
    if (l->used[KN_DEF_ABILITY][index1] == 0 && !script_names(l, def->name)) {
        lint_warn(l, LINT_UNUSED_ABILITY, NULL,
            "is not in any set or archetype, and no effect grants it; only code can grant it");
    }
}

// The least and the greatest that a limit allows; false when something may move it.
static bool limit_value(
    const lint *l, kn_attribute_id attribute, const kn_limit *limit, float *value)
{
    if (!limit->is_set || limit->attribute == NULL) {
        *value = limit->value;
        return limit->is_set;
    }
    kn_attribute_id other = limit_of(l, attribute, limit->attribute);
    const kn_attribute_def *def = kn_attribute_get_def(l->library, other);
    *value = def != NULL ? def->default_value : 0.0f;
    return def != NULL && !def->has_random && l->raised[other.index1] == 0 &&
           l->raised[attribute.index1] == 0;
}

static void check_default(lint *l, kn_attribute_id attribute)
{
    const kn_attribute_def *def = kn_attribute_get_def(l->library, attribute);
    float low = def->has_random ? def->random_min : def->default_value;
    float high = def->has_random ? def->random_max : def->default_value;
    const kn_limit *limits[4] = {&def->min, &def->base_min, &def->max, &def->base_max};
    for (uint32_t i = 0; i < 4; i++) {
        float limit;
        if (limit_value(l, attribute, limits[i], &limit) && (i < 2 ? low < limit : high > limit)) {
            char text[32];
            (void)kn_float_print(limit, text, sizeof(text));
            lint_warn(l, LINT_DEFAULT_LIMITS, "attributes",
                "has the attribute `%s` with a default %s its %s of %s", def->name,
                i < 2 ? "below" : "above", i < 2 ? "minimum" : "maximum", text);
            return;
        }
    }
}

static void check_all(lint *l)
{
    char set[KN_TAG_NAME_MAX + 1];
    l->kind = KN_DEF_ATTRIBUTE_SET;
    for (uint32_t i = 1; i <= kn_def_count(l->library, KN_DEF_ATTRIBUTE); i++) {
        const char *name = kn_def_name(l->library, KN_DEF_ATTRIBUTE, i);
        const char *dot = strrchr(name, '.');
        (void)snprintf(set, sizeof(set), "%.*s", dot != NULL ? (int)(dot - name) : 0, name);
        l->name = set;
        check_default(l, (kn_attribute_id){i});
    }
    l->kind = KN_DEF_EFFECT;
    for (uint32_t i = 1; i <= kn_def_count(l->library, KN_DEF_EFFECT); i++) {
        l->name = kn_def_name(l->library, KN_DEF_EFFECT, i);
        check_effect(l, kn_def_get(l->library, KN_DEF_EFFECT, i), i);
    }
    l->kind = KN_DEF_ABILITY;
    for (uint32_t i = 1; i <= kn_def_count(l->library, KN_DEF_ABILITY); i++) {
        l->name = kn_def_name(l->library, KN_DEF_ABILITY, i);
        check_ability(l, kn_def_get(l->library, KN_DEF_ABILITY, i), i);
    }
}

// Scripts -------------------------------------------------------------------

typedef struct script_told {
    lint *lint;
    const char *file;
} script_told;

static void script_tell(
    void *user, const char *name, uint32_t line, uint32_t column, const char *sentence)
{
    const script_told *told = user;
    for (uint32_t i = 0; i < LINT_COUNT; i++) {
        if (strcmp(kni_lint_names[i], name) == 0 && !told->lint->is_off[i]) {
            kni_place place = {told->file, line, column};
            kni_report_add(told->lint->loader->report, KNI_SEVERITY_WARNING, &place, "%s [%s]",
                sentence, name);
        }
    }
}

static void check_scripts(lint *l, const kni_chunk *chunks, uint32_t count)
{
    const kn_data_scripts *scripts = &l->loader->def->scripts;
    for (uint32_t i = 0; scripts->lint != NULL && i < count; i++) {
        script_told told = {l, chunks[i].name};
        scripts->lint(scripts->user, l->library, l->scripts + chunks[i].offset, chunks[i].size,
            script_tell, &told);
    }
}

void kni_lint(kni_loader *loader, const char *off, const char *scripts, const kni_chunk *chunks,
    uint32_t chunk_count)
{
    kni_arena *arena = &loader->arena;
    kni_arena_mark mark = kni_arena_here(arena);
    const kn_library *library = loader->library;
    lint l = {.loader = loader, .library = library, .scripts = scripts};
    switch_off(&l, off);
    uint32_t effects = kn_def_count(library, KN_DEF_EFFECT);
    uint32_t abilities = kn_def_count(library, KN_DEF_ABILITY);
    l.used[KN_DEF_EFFECT] = kni_arena_take(arena, effects + 1);
    l.used[KN_DEF_ABILITY] = kni_arena_take(arena, abilities + 1);
    l.follows = kni_arena_take(arena, effects + 1);
    l.granted = kni_arena_take(arena, kn_tag_count(library) + 1);
    l.raised = kni_arena_take(arena, kn_def_count(library, KN_DEF_ATTRIBUTE) + 1);
    if (!arena->failed) {
        lint_collect(&l);
        check_all(&l);
        check_scripts(&l, chunks, chunk_count);
    }
    kni_arena_release(arena, mark);
}
