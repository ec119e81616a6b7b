// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Definitions of the input queue: what it knows of abilities, its rules, its commands and event.

#include "parts.h"

#include <math.h>
#include <stdlib.h>

#define INPUT_COOKIE 0x74706e69u
#define RULES_COOKIE 0x6c757269u

kn_input_def kn_input_def_default(void)
{
    kn_input_def def = {.window = -1.0f, .cookie = INPUT_COOKIE};
    return def;
}

kn_input_rules_def kn_input_rules_def_default(void)
{
    kn_input_rules_def def = {
        .window = 0.2f, .waits_for_cooldown = true, .retry = 0.1f, .cookie = RULES_COOKIE};
    return def;
}

static void input_init(void *def)
{
    *(kn_input_def *)def = kn_input_def_default();
}

static void rules_init(void *def)
{
    *(kn_input_rules_def *)def = kn_input_rules_def_default();
}

static const kn_def_field input_fields[] = {
    KN_DEF_F(kn_input_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(
        kn_input_def, ability, KN_DEF_ABILITY, "The ability; default: the one of the same name."),
    KN_DEF_F(kn_input_def, automatic, KN_FIELD_BOOL,
        "The ability is used again as long as its button is held, until another ability is "
        "pressed; default false."),
    KN_DEF_F(kn_input_def, cancel_on_release, KN_FIELD_BOOL,
        "Releasing its button cancels the cast of the ability, unless it ends within the window; "
        "default false."),
    KN_DEF_F(kn_input_def, ignores_itself, KN_FIELD_BOOL,
        "Pressing it while it is being cast does nothing; default false."),
    KN_DEF_F(kn_input_def, category, KN_FIELD_TAG,
        "With `one_per_category`: the category whose place it waits in; default: the place of all "
        "abilities without a category."),
    KN_DEF_F(kn_input_def, window, KN_FIELD_F32,
        "Seconds before the end of what keeps it from being used in which a press waits; below 0, "
        "the default: as the input rules say."),
    KN_DEF_F(kn_input_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table input_table = {"input_def", sizeof(kn_input_def), input_fields,
    sizeof(input_fields) / sizeof(*input_fields), input_init};

static const char *const form_words[] = {"one_place", "one_per_category"};

static const kn_def_field rules_fields[] = {
    KN_DEF_F(
        kn_input_rules_def, name, KN_DEF_FIELD_STRING, "Unique name, such as `Rules`; required."),
    KN_DEF_F(kn_input_rules_def, window, KN_FIELD_F32,
        "Seconds before the end of a cast or cooldown in which a press waits for it; default 0.2."),
    KN_DEF_F_ENUM_OF(kn_input_rules_def, form, "input_form",
        "How many presses wait: one, and a newer one replaces it, or one of each category, which "
        "are tried in the order of the presses; default one_place."),
    KN_DEF_F(kn_input_rules_def, cancels_first, KN_FIELD_BOOL,
        "A press cancels a cast before it is known whether the new ability can be used; default "
        "false."),
    KN_DEF_F(kn_input_rules_def, waits_for_cooldown, KN_FIELD_BOOL,
        "A press also waits for cooldowns other than the global one; default true."),
    KN_DEF_F(kn_input_rules_def, retry, KN_FIELD_F32,
        "Seconds between two automatic attempts, where neither a cast nor a cooldown says when the "
        "next one makes sense, above 0; default 0.1."),
    KN_DEF_F(kn_input_rules_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table rules_table = {"input_rules_def", sizeof(kn_input_rules_def),
    rules_fields, sizeof(rules_fields) / sizeof(*rules_fields), rules_init};

static kn_result rules_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_input_rules_def *def = item;
    const input_ids *ids = user;
    if (kn_def_count(library, ids->rules_kind) > 0) {
        (void)kn_error_set(error, KN_ERROR_BAD_DATA,
            "there are input rules already: `%s`; a library has one set",
            kn_def_name(library, ids->rules_kind, 1));
        return KN_REFUSED_DUPLICATE;
    }
    if (!(def->window >= 0.0f)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "input rules `%s`: their window must be at least 0", def->name);
    }
    if (!(def->retry >= 1e-6f)) {
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "input rules `%s`: their retry must be above 0", def->name);
    }
    return KN_OK;
}

// The entity forgets its input when it dies. Which tag that means is known at the end.
static kn_result input_expand(void *user, kn_library *library, kn_def_kind kind, kn_error *error)
{
    (void)kind;
    kn_rule_def def = kn_rule_def_default();
    kn_rule_id rule;
    def.name = "Knack.InputDead";
    def.trigger = KN_TRIGGER_TAG_ADDED;
    def.tag = knc_combat_dead_tag(library);
    def.function = knc_input_dead_rule;
    def.user = user;
    if (def.tag.index1 == 0) {
        return KN_OK;
    }
    kn_result result = kn_rule_register(library, &def, &rule, error);
    if (result == KN_REFUSED_DUPLICATE) { // the library is finished again
        *error = (kn_error){0};
        return KN_OK;
    }
    return result;
}

// Finds out which ability has which input.
static kn_result input_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    input_ids *ids = user;
    ids->ability_count = kn_def_count(library, KN_DEF_ABILITY);
    free(ids->by_ability);
    ids->by_ability = calloc(ids->ability_count + 1u, sizeof(*ids->by_ability));
    if (ids->by_ability == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= kn_def_count(library, kind); i++) {
        const kn_input_def *def = kn_def_get(library, kind, i);
        uint32_t ability1 = def->ability.index1 != 0
                                ? def->ability.index1
                                : kn_def_find(library, KN_DEF_ABILITY, def->name);
        if (ability1 == 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "input `%s` must have the name of an ability, or name one: ability: Fireball",
                def->name);
        }
        if (ids->by_ability[ability1] != 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "input `%s` has the same ability as `%s`; leave out one of them", def->name,
                kn_def_name(library, kind, ids->by_ability[ability1]));
        }
        ids->by_ability[ability1] = i;
    }
    return KN_OK;
}

kn_result kn_input_register(kn_library *library, const kn_input_def *def, kn_error *error)
{
    uint32_t index1;
    if (library == NULL || def == NULL || !kn_combat_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(library, knc_combat_of(library)->input.kind, def, &index1, error);
}

const kn_input_def *kn_input_of_ability(const kn_library *library, kn_ability_type_id ability)
{
    if (!kn_combat_is_there(library)) {
        return NULL;
    }
    const input_ids *ids = &knc_combat_of(library)->input;
    return ids->by_ability != NULL && ability.index1 <= ids->ability_count
               ? kn_def_get(library, ids->kind, ids->by_ability[ability.index1])
               : NULL;
}

kn_result kn_input_rules_register(
    kn_library *library, const kn_input_rules_def *def, kn_error *error)
{
    uint32_t index1;
    if (library == NULL || def == NULL || !kn_combat_is_there(library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(library, knc_combat_of(library)->input.rules_kind, def, &index1, error);
}

const kn_input_rules_def *kn_input_rules(const kn_library *library)
{
    static const kn_input_rules_def usual = {.name = "Usual",
        .window = 0.2f,
        .waits_for_cooldown = true,
        .retry = 0.1f,
        .cookie = RULES_COOKIE};
    if (!kn_combat_is_there(library)) {
        return NULL;
    }
    const kn_input_rules_def *rules =
        kn_def_get(library, knc_combat_of(library)->input.rules_kind, 1);
    return rules != NULL ? rules : &usual;
}

// Registration ------------------------------------------------------------------------

static const char *const happening_words[] = {
    "queued", "tried", "replaced", "dropped", "started", "stopped"};

static const kn_field event_fields[] = {
    KN_FIELD(kn_input_event, ability, KN_FIELD_ABILITY),
    KN_FIELD(kn_input_event, due, KN_FIELD_TIME),
    {.name = "what",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(kn_input_event, what),
        .refers_to = "input_happening"},
    KN_FIELD(kn_input_event, result, KN_FIELD_I32),
};

kn_result knc_input_kinds_register(kn_library *library, input_ids *ids, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "input";
    kind.section = "inputs";
    kind.table = &input_table;
    kind.text = "What the input queue knows of abilities.";
    kind.expand = input_expand;
    kind.finish = input_finish;
    kind.user = ids;
    kn_kind_def rules = kn_kind_def_default();
    rules.name = "input rules";
    rules.section = "input_rules";
    rules.table = &rules_table;
    rules.text = "The rules of the input queue: one definition for the whole library.";
    rules.check = rules_check;
    rules.user = ids;
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Knack.Input";
    event.size = sizeof(kn_input_event);
    event.fields = event_fields;
    event.field_count = sizeof(event_fields) / sizeof(*event_fields);
    event.text = "input of {ability} {what}";
    kn_result result =
        kn_enum_register(library, "input_form", form_words, KN_INPUT_FORM_COUNT, error);
    result = result != KN_OK ? result
                             : kn_enum_register(library, "input_happening", happening_words,
                                   KN_INPUT_HAPPENING_COUNT, error);
    result = result != KN_OK ? result : kn_kind_register(library, &kind, &ids->kind, error);
    result = result != KN_OK ? result : kn_kind_register(library, &rules, &ids->rules_kind, error);
    return result != KN_OK ? result : kn_custom_event_register(library, &event, &ids->event, error);
}
