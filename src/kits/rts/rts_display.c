// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Displays: their definitions, what each is for, and the check of descriptions. A description is
// cut into pieces here, and every placeholder must name something that there is.

#include "knack/rts_tech.h"
#include "text_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DISPLAY_COOKIE 0x52545364u
#define NAME_MAX_LENGTH 127

static const char key; // only its address counts

display_kit *knc_rts_displays(const kn_library *library)
{
    return library != NULL ? kn_library_data(library, &key) : NULL;
}

kn_rts_display_def kn_rts_display_def_default(void)
{
    kn_rts_display_def def = {.button = -1, .cookie = DISPLAY_COOKIE};
    return def;
}

static void display_init(void *def)
{
    *(kn_rts_display_def *)def = kn_rts_display_def_default();
}

static const kn_def_field value_fields[] = {
    KN_DEF_F(kn_rts_text_value, name, KN_DEF_FIELD_STRING,
        "The placeholder that stands for the number, without dots; required."),
    KN_DEF_F_PART(kn_rts_text_value, magnitude, "kn_magnitude",
        "The number: its source is the entity that is described, its level that of the ability."),
};
static const kn_def_table value_table = {
    "rts_text_value", sizeof(kn_rts_text_value), value_fields, COUNT(value_fields), NULL};

static const char *const snap_words[] = {"none", "owner", "cursor"};

static const kn_def_field display_fields[] = {
    KN_DEF_F(kn_rts_display_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_rts_display_def, ability, KN_DEF_ABILITY,
        "It is for this ability; with none of `ability`, `effect`, `order` and `product`, it is "
        "for what is called as this definition."),
    KN_DEF_F_REF(kn_rts_display_def, effect, KN_DEF_EFFECT, "It is for this effect."),
    KN_DEF_F_KIND(kn_rts_display_def, order, "order type", "It is for this order type."),
    KN_DEF_F(
        kn_rts_display_def, product, KN_DEF_FIELD_STRING, "It is for the product of this name."),
    KN_DEF_F(
        kn_rts_display_def, title, KN_DEF_FIELD_STRING, "What players call it; default: its name."),
    KN_DEF_F(kn_rts_display_def, description, KN_DEF_FIELD_STRING,
        "Text with placeholders for numbers, such as `{duration}` and `{modifiers.Speed.percent}`; "
        "default none."),
    KN_DEF_F(kn_rts_display_def, icon, KN_DEF_FIELD_STRING, "Name of its picture; default none."),
    KN_DEF_F(kn_rts_display_def, icon_disabled, KN_DEF_FIELD_STRING,
        "Name of its picture when it cannot be used; default none."),
    KN_DEF_F(
        kn_rts_display_def, button, KN_FIELD_I32, "Place among the buttons; default -1: anywhere."),
    KN_DEF_F(kn_rts_display_def, shows_as_order, KN_FIELD_BOOL,
        "Its button belongs to the orders, not to the abilities; default false."),
    KN_DEF_F(kn_rts_display_def, preview, KN_DEF_FIELD_STRING,
        "Of an ability or order: name of what shows where it is aimed; default none."),
    KN_DEF_F_ENUM(kn_rts_display_def, preview_snap, snap_words,
        "Where that is shown: `none`, `owner` (at the unit, looking at the cursor) or `cursor`; "
        "default none."),
    KN_DEF_F_ARRAY(kn_rts_display_def, values, value_count, &value_table,
        "Numbers that the description names."),
    KN_DEF_F(kn_rts_display_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table display_table = {"rts_display_def", sizeof(kn_rts_display_def),
    display_fields, COUNT(display_fields), display_init};

static kn_result values_check(const kn_rts_display_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->value_count; i++) {
        const kn_rts_text_value *value = &def->values[i];
        const kn_magnitude *m = &value->magnitude;
        if (value->name == NULL || value->name[0] == 0 || strpbrk(value->name, ".:{}") != NULL) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts display `%s`: each of the `values` needs a `name` without dots, colons and "
                "braces",
                def->name);
        }
        if (m->scale.parameter.index1 != 0 || m->pre_add.parameter.index1 != 0 ||
            m->post_add.parameter.index1 != 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts display `%s`: the value `%s` must not read parameters of effects", def->name,
                value->name);
        }
    }
    return KN_OK;
}

static kn_result display_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_rts_display_def *def = item;
    (void)user;
    (void)library;
    const int count = (def->ability.index1 != 0) + (def->effect.index1 != 0) +
                      (def->order.index1 != 0) + (def->product != NULL);
    if (count > 1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts display `%s`: write one of `ability`, `effect`, `order` and `product`, not "
            "several",
            def->name);
    }
    if (def->button < -1) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts display `%s`: `button` must be 0 or more, or -1 for anywhere", def->name);
    }
    return values_check(def, error);
}

// What a display is for ---------------------------------------------------------------

static void plans_free(display_kit *kit)
{
    for (uint32_t i = 0; i < kit->plan_count; i++) {
        free(kit->plans[i].pieces);
    }
    free(kit->plans);
    kit->plans = NULL;
    kit->plan_count = 0;
    for (uint32_t i = 0; i < COUNT(kit->of); i++) {
        free(kit->of[i]);
        kit->of[i] = NULL;
        kit->of_count[i] = 0;
    }
    free(kit->cards);
    kit->cards = NULL;
    kit->card_count = 0;
    free(kit->abilities);
    kit->abilities = NULL;
    kit->ability_count = 0;
}

static void kit_release(void *user)
{
    plans_free(user);
    free(user);
}

static kn_def_kind kind_of(const kn_library *library, display_of of)
{
    switch (of) {
    case DISPLAY_OF_ABILITY:
        return KN_DEF_ABILITY;
    case DISPLAY_OF_EFFECT:
        return KN_DEF_EFFECT;
    case DISPLAY_OF_ORDER:
        return kn_kind_find(library, "order type");
    default:
        return kn_kind_find(library, "product"); // of production, which a library may lack
    }
}

static uint32_t named(const kn_library *library, display_of of, const char *name)
{
    const kn_def_kind kind = kind_of(library, of);
    return kind != KN_DEF_KIND_COUNT ? kn_def_find(library, kind, name) : 0;
}

// The number of what a display is for; 0: there is no such thing.
static uint32_t display_subject(
    const kn_library *library, const kn_rts_display_def *def, display_of *of)
{
    const uint32_t given[] = {def->ability.index1, def->effect.index1, def->order.index1,
        def->product != NULL ? named(library, DISPLAY_OF_PRODUCT, def->product) : 0};
    for (uint32_t i = 0; i < COUNT(given); i++) {
        if (given[i] != 0 || (i == DISPLAY_OF_PRODUCT && def->product != NULL)) {
            *of = (display_of)i;
            return given[i];
        }
    }
    for (uint32_t i = 0; i < COUNT(given); i++) {
        const uint32_t found = named(library, (display_of)i, def->name);
        if (found != 0) {
            *of = (display_of)i;
            return found;
        }
    }
    return 0;
}

static void plan_about_ability(const kn_library *library, text_plan *plan)
{
    const kn_ability_def *def = kn_ability_type_get_def(library, plan->ability);
    for (uint32_t i = 0; def != NULL && plan->effect.index1 == 0 && i < def->apply_count; i++) {
        plan->effect = def->applies[i].effect;
    }
}

static void plan_about(const kn_library *library, text_plan *plan, display_of of, uint32_t index1)
{
    const kn_order_type_def *order = NULL;
    const kn_product_def *product = NULL;
    const kn_rts_upgrade_def *upgrade = NULL;
    switch (of) {
    case DISPLAY_OF_ABILITY:
        plan->ability.index1 = index1;
        break;
    case DISPLAY_OF_EFFECT:
        plan->effect.index1 = index1;
        break;
    case DISPLAY_OF_ORDER:
        plan->order.index1 = index1;
        order = kn_order_type_get_def(library, plan->order);
        plan->ability = order->ability;
        break;
    default:
        plan->product.index1 = index1;
        product = kn_product_get_def(library, plan->product);
        plan->effect = product->effect;
        upgrade = kn_rts_upgrade_get_def(library, kn_rts_product_upgrade(library, plan->product));
        if (plan->effect.index1 == 0 && upgrade != NULL) {
            plan->effect = upgrade->effect;
        }
        break;
    }
    plan_about_ability(library, plan);
}

// Placeholders --------------------------------------------------------------------------

// What placeholders are resolved with.
typedef struct scope {
    const kn_library *library;
    const kn_rts_display_def *def;
    const text_plan *plan;
} scope;

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

static bool is_called(const char *full, const char *name)
{
    return strcmp(full, name) == 0 || strcmp(last_part(full), name) == 0;
}

static bool parse_modifier(
    const scope *s, const kn_effect_def *effect, const char *name, text_piece *piece)
{
    for (uint32_t i = 0; i < effect->modifier_count; i++) {
        const kn_modifier_def *m = &effect->modifiers[i];
        const char *full = m->attribute.index1 != 0 ? kn_attribute_name(s->library, m->attribute)
                                                    : kn_value_name(s->library, m->value);
        if (is_called(full, name)) {
            piece->kind = PIECE_MODIFIER;
            piece->index = i;
            return true;
        }
    }
    return false;
}

static bool parse_effect(
    const scope *s, kn_effect_type_id type, const char *name, text_piece *piece)
{
    const kn_effect_def *def = kn_def_get(s->library, KN_DEF_EFFECT, type.index1);
    const bool is_timed = def != NULL && def->duration_kind == KN_DURATION_TIMED;
    if (def == NULL) {
        return false;
    }
    piece->effect = type;
    if (strncmp(name, "modifiers.", 10) == 0) {
        return parse_modifier(s, def, name + 10, piece);
    }
    const struct {
        const char *name;
        piece_kind kind;
        bool has;
    } words[] = {
        {"duration", PIECE_DURATION, is_timed},
        {"period", PIECE_PERIOD, def->is_periodic},
        {"ticks", PIECE_TICKS, def->is_periodic && is_timed},
        {"chance", PIECE_CHANCE, true},
        {"stacks", PIECE_STACKS, def->stacking.kind != KN_STACK_NONE},
    };
    for (uint32_t i = 0; i < COUNT(words); i++) {
        if (words[i].has && strcmp(name, words[i].name) == 0) {
            piece->kind = words[i].kind;
            return true;
        }
    }
    return false;
}

// "NAME.rest" where NAME is an effect, which may have dots itself.
static bool parse_any_effect(const scope *s, const char *name, text_piece *piece)
{
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        char effect[NAME_MAX_LENGTH + 1];
        (void)snprintf(effect, sizeof(effect), "%.*s", (int)(dot - name), name);
        const kn_effect_type_id type = {kn_def_find(s->library, KN_DEF_EFFECT, effect)};
        if (type.index1 != 0 && parse_effect(s, type, dot + 1, piece)) {
            return true;
        }
    }
    return false;
}

static bool parse_cost(const scope *s, const char *name, text_piece *piece)
{
    const kn_ability_def *ability = kn_ability_type_get_def(s->library, s->plan->ability);
    const kn_product_def *product =
        s->plan->product.index1 != 0 ? kn_product_get_def(s->library, s->plan->product) : NULL;
    const kn_effect_def *effect =
        ability != NULL ? kn_def_get(s->library, KN_DEF_EFFECT, ability->cost_effect.index1) : NULL;
    const uint32_t counts[] = {ability != NULL ? ability->cost_count : 0,
        effect != NULL ? effect->modifier_count : 0, product != NULL ? product->cost_count : 0};
    piece->kind = PIECE_COST;
    for (uint32_t i = 0; i < counts[0] + counts[1] + counts[2]; i++) {
        piece->attribute = i < counts[0] ? ability->costs[i].attribute
                           : i < counts[0] + counts[1]
                               ? effect->modifiers[i - counts[0]].attribute
                               : product->costs[i - counts[0] - counts[1]].attribute;
        if (piece->attribute.index1 != 0 &&
            is_called(kn_attribute_name(s->library, piece->attribute), name)) {
            return true;
        }
    }
    const kn_rts_upgrade_def *upgrade =
        kn_rts_upgrade_get_def(s->library, kn_rts_product_upgrade(s->library, s->plan->product));
    for (uint32_t i = 0; upgrade != NULL && i < upgrade->cost_count; i++) {
        piece->attribute = upgrade->costs[i].attribute;
        if (is_called(kn_attribute_name(s->library, piece->attribute), name)) {
            return true;
        }
    }
    return false;
}

static bool parse_value(const scope *s, const char *name, text_piece *piece)
{
    for (uint32_t i = 0; i < s->def->value_count; i++) {
        if (strcmp(s->def->values[i].name, name) == 0) {
            piece->kind = PIECE_VALUE;
            piece->index = i;
            return true;
        }
    }
    return false;
}

static bool parse_word(const scope *s, const char *name, text_piece *piece)
{
    const kn_ability_def *ability = kn_ability_type_get_def(s->library, s->plan->ability);
    const bool is_of_ability = ability != NULL;
    const struct {
        const char *name;
        piece_kind kind;
        bool has;
    } words[] = {
        {"level", PIECE_LEVEL, true},
        {"unit_level", PIECE_UNIT_LEVEL, true},
        {"cooldown", PIECE_COOLDOWN,
            is_of_ability && (ability->cooldown_count > 0 || ability->cooldown_effect.index1 != 0)},
        {"charges", PIECE_CHARGES, is_of_ability && ability->cooldown_count > 0},
        {"lasts", PIECE_LASTS, is_of_ability && ability->body == KN_BODY_TIMED},
        {"max_level", PIECE_MAX_LEVEL, is_of_ability},
        {"range", PIECE_RANGE, s->plan->order.index1 != 0 || is_of_ability},
        {"time", PIECE_TIME, s->plan->product.index1 != 0},
    };
    for (uint32_t i = 0; i < COUNT(words); i++) {
        if (words[i].has && strcmp(name, words[i].name) == 0) {
            piece->kind = words[i].kind;
            return true;
        }
    }
    return false;
}

static bool parse_number(const scope *s, const char *name, text_piece *piece)
{
    if (parse_value(s, name, piece) || parse_word(s, name, piece)) {
        return true;
    }
    if (strncmp(name, "attributes.", 11) == 0) {
        piece->kind = PIECE_ATTRIBUTE;
        piece->attribute.index1 = kn_def_find(s->library, KN_DEF_ATTRIBUTE, name + 11);
        return piece->attribute.index1 != 0;
    }
    if (strncmp(name, "effects.", 8) == 0) {
        return parse_any_effect(s, name + 8, piece);
    }
    if (strncmp(name, "cost.", 5) == 0) {
        return parse_cost(s, name + 5, piece);
    }
    return parse_effect(s, s->plan->effect, name, piece);
}

// A number with its form behind it, unless the whole is the name of a number.
static bool parse_formed(const scope *s, char *name, text_piece *piece)
{
    static const struct {
        const char *name;
        piece_form form;
    } forms[] = {
        {"amount", FORM_AMOUNT},
        {"percent", FORM_PERCENT},
        {"signed_percent", FORM_SIGNED_PERCENT},
        {"total", FORM_TOTAL},
    };
    if (parse_number(s, name, piece)) {
        return true;
    }
    char *dot = strrchr(name, '.');
    for (uint32_t i = 0; dot != NULL && i < COUNT(forms); i++) {
        if (strcmp(dot + 1, forms[i].name) == 0) {
            *dot = 0;
            piece->form = forms[i].form;
            const bool is_known = parse_number(s, name, piece);
            const kn_effect_def *effect =
                is_known ? kn_def_get(s->library, KN_DEF_EFFECT, piece->effect.index1) : NULL;
            const bool has_ticks = effect != NULL && piece->kind == PIECE_MODIFIER &&
                                   effect->is_periodic &&
                                   effect->duration_kind == KN_DURATION_TIMED;
            *dot = '.';
            return is_known && (forms[i].form != FORM_TOTAL || has_ticks);
        }
    }
    return false;
}

static bool parse_placeholder(const scope *s, const char *text, uint32_t length, text_piece *piece)
{
    char name[NAME_MAX_LENGTH + 1];
    if (length == 0 || length > NAME_MAX_LENGTH) {
        return false;
    }
    memcpy(name, text, length);
    name[length] = 0;
    *piece = (text_piece){.decimals = 2};
    char *colon = strchr(name, ':');
    if (colon != NULL) {
        if (colon[1] < '0' || colon[1] > '6' || colon[2] != 0) {
            return false;
        }
        piece->decimals = (uint32_t)(colon[1] - '0');
        *colon = 0;
    }
    return parse_formed(s, name, piece);
}

static bool piece_add(text_plan *plan, const text_piece *piece)
{
    if (plan->piece_count == plan->piece_capacity) {
        const uint32_t capacity = plan->piece_capacity * 2 + 8;
        text_piece *pieces = realloc(plan->pieces, capacity * sizeof(*pieces));
        if (pieces == NULL) {
            return false;
        }
        plan->pieces = pieces;
        plan->piece_capacity = capacity;
    }
    plan->pieces[plan->piece_count++] = *piece;
    return true;
}

static bool text_add(text_plan *plan, size_t begin, size_t end)
{
    const text_piece piece = {
        .kind = PIECE_TEXT, .begin = (uint32_t)begin, .length = (uint32_t)(end - begin)};
    return begin == end || piece_add(plan, &piece);
}

static kn_result placeholder_unknown(
    const scope *s, const char *text, uint32_t length, kn_error *error)
{
    const char *about = s->plan->product.index1 != 0   ? "product"
                        : s->plan->order.index1 != 0   ? "order type"
                        : s->plan->ability.index1 != 0 ? "ability"
                                                       : "effect";
    char name[64];
    (void)snprintf(name, sizeof(name), "%.*s", (int)(length < 60 ? length : 60), text);
    return kn_error_set(error, KN_ERROR_BAD_DATA,
        "rts display `%s`: its %s has nothing for `{%s}` in `description`; see the list of "
        "placeholders in docs/rts.md",
        s->def->name, about, name);
}

static kn_result description_compile(
    const scope *s, const char *text, text_plan *plan, kn_error *error)
{
    size_t begin = 0, i = 0;
    bool is_added = true;
    while (text[i] != 0 && is_added) {
        if (text[i] != '{' && text[i] != '}') {
            i++;
            continue;
        }
        if (text[i + 1] == text[i]) { // one brace of two
            is_added = text_add(plan, begin, i + 1);
            i += 2;
            begin = i;
            continue;
        }
        const char *end = text[i] == '{' ? strchr(text + i, '}') : NULL;
        if (end == NULL) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "rts display `%s`: a brace in `description` has no other one; write `{{` or `}}` "
                "for a brace itself",
                s->def->name);
        }
        text_piece piece;
        const uint32_t length = (uint32_t)(end - (text + i + 1));
        if (!parse_placeholder(s, text + i + 1, length, &piece)) {
            return placeholder_unknown(s, text + i + 1, length, error);
        }
        is_added = text_add(plan, begin, i) && piece_add(plan, &piece);
        i = (size_t)(end - text) + 1;
        begin = i;
    }
    return is_added && text_add(plan, begin, i) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

static kn_result display_finish(
    const kn_library *library, display_kit *kit, uint32_t index1, kn_error *error)
{
    const kn_rts_display_def *def = kn_def_get(library, kit->kind, index1);
    text_plan *plan = &kit->plans[index1 - 1];
    display_of of = DISPLAY_OF_ABILITY;
    const uint32_t subject = display_subject(library, def, &of);
    if (subject == 0) {
        return def->product != NULL
                   ? kn_error_set(error, KN_ERROR_BAD_DATA,
                         "rts display `%s`: there is no product `%s`", def->name, def->product)
                   : kn_error_set(error, KN_ERROR_BAD_DATA,
                         "rts display `%s`: nothing has this name; write what it is for in "
                         "`ability`, `effect`, `order` or `product`",
                         def->name);
    }
    uint32_t *place = &kit->of[of][subject - 1];
    if (*place != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "rts display `%s`: it is for the same as `%s`; leave one of the two out", def->name,
            kn_def_name(library, kit->kind, *place));
    }
    *place = index1;
    plan_about(library, plan, of, subject);
    const scope s = {library, def, plan};
    return def->description != NULL ? description_compile(&s, def->description, plan, error)
                                    : KN_OK;
}

// Command cards -------------------------------------------------------------------------

// Those that other abilities descend from.
static void heirs_note(const kn_library *library, display_kit *kit)
{
    for (uint32_t i = 1; i <= kit->ability_count; i++) {
        const kn_ability_def *def = kn_def_get(library, KN_DEF_ABILITY, i);
        for (uint32_t turn = 0; def->parent != NULL && turn < 64; turn++) {
            const uint32_t parent = kn_def_find(library, KN_DEF_ABILITY, def->parent);
            if (parent == 0) {
                break;
            }
            kit->abilities[parent - 1].has_heirs = true;
            def = kn_def_get(library, KN_DEF_ABILITY, parent);
        }
    }
}

static bool has_one_charge(const kn_ability_def *def)
{
    const kn_cooldown_def *cooldown = def->cooldowns;
    return def->cooldown_count == 0 ||
           (def->cooldown_count == 1 && cooldown->key.index1 == 0 &&
               cooldown->charges.value == 1.0f && cooldown->charges.curve.index1 == 0 &&
               cooldown->charges_from.index1 == 0);
}

static kn_result abilities_finish(const kn_library *library, display_kit *kit)
{
    const uint32_t count = kn_def_count(library, KN_DEF_ABILITY);
    kit->abilities = calloc(count + 1, sizeof(*kit->abilities));
    kit->ability_count = kit->abilities != NULL ? count : 0;
    for (uint32_t i = 0; i < kit->ability_count; i++) {
        const kn_ability_type_id type = {i + 1};
        kit->abilities[i].def = kn_ability_type_get_def(library, type);
        kit->abilities[i].type = type;
        kit->abilities[i].max_level = kn_rts_ability_get_def(library, type)->max_level;
        kit->abilities[i].has_one_charge = has_one_charge(kit->abilities[i].def);
    }
    heirs_note(library, kit);
    return kit->abilities != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

card_ability knc_rts_card_ability(const display_kit *kit, kn_ability_type_id ability)
{
    const card_ability none = {0};
    return ability.index1 - 1 < kit->ability_count ? kit->abilities[ability.index1 - 1] : none;
}

static card_plan card_plan_of(
    const kn_library *library, const display_kit *kit, kn_order_type_id order)
{
    card_plan plan = {
        .def = kn_order_type_get_def(library, order), .look = kn_rts_order_look(library, order)};
    plan.ability = knc_rts_card_ability(kit, plan.def->ability);
    return plan;
}

static kn_result cards_finish(const kn_library *library, display_kit *kit)
{
    const uint32_t count = kit->of_count[DISPLAY_OF_ORDER];
    kit->cards = calloc(count + 1, sizeof(*kit->cards));
    kit->card_count = kit->cards != NULL ? count : 0;
    for (uint32_t i = 0; i < kit->card_count; i++) {
        kit->cards[i] = card_plan_of(library, kit, (kn_order_type_id){i + 1});
    }
    const bool has_products = kn_order_produce_is_there(library);
    kit->produce.index1 = has_products ? named(library, DISPLAY_OF_ORDER, "Knack.Produce") : 0;
    kit->build.index1 = has_products ? named(library, DISPLAY_OF_ORDER, "Knack.Build") : 0;
    kit->no_ability.index1 = kn_def_find(library, KN_DEF_TAG, "Knack.Order.NoAbility");
    return kit->cards != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

static kn_result displays_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    display_kit *kit = user;
    plans_free(kit);
    const uint32_t count = kn_def_count(library, kind);
    kit->plans = calloc(count + 1, sizeof(*kit->plans));
    kit->plan_count = kit->plans != NULL ? count : 0;
    bool is_enough = kit->plans != NULL;
    for (uint32_t i = 0; i < COUNT(kit->of); i++) {
        const kn_def_kind of = kind_of(library, (display_of)i);
        const uint32_t things = of != KN_DEF_KIND_COUNT ? kn_def_count(library, of) : 0;
        kit->of[i] = calloc(things + 1, sizeof(*kit->of[i]));
        kit->of_count[i] = kit->of[i] != NULL ? things : 0;
        is_enough &= kit->of[i] != NULL;
    }
    kn_result result = is_enough ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 1; i <= count && result == KN_OK; i++) {
        result = display_finish(library, kit, i, error);
    }
    result = result != KN_OK ? result : abilities_finish(library, kit);
    return result != KN_OK ? result : cards_finish(library, kit);
}

// What orders show of their abilities (kn_order_set_looks()).
static bool ability_look(
    void *user, const kn_library *library, kn_ability_type_id ability, kn_order_display *display)
{
    const kn_rts_display_def *def = kn_rts_ability_display(library, ability);
    (void)user;
    if (def != NULL) {
        display->title = def->title;
        display->description = def->description;
        display->icon = def->icon;
        display->icon_disabled = def->icon_disabled;
        display->button = def->button;
        display->preview = def->preview;
        display->preview_snap = def->preview_snap;
    }
    return def != NULL;
}

kn_result knc_rts_displays_register(kn_library *library, rts_kit *rts, kn_error *error)
{
    (void)rts;
    display_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    kn_kind_def kind = kn_kind_def_default();
    result = kn_order_set_looks(library, ability_look, NULL);
    if (result != KN_OK) {
        return result;
    }
    kind.name = "rts display";
    kind.section = "rts_displays";
    kind.table = &display_table;
    kind.text = "What players see of an ability, effect, order or product: title, icon, "
                "description.";
    kind.check = display_check;
    kind.finish = displays_finish;
    kind.user = kit;
    return kn_kind_register(library, &kind, &kit->kind, error);
}

kn_result kn_rts_display_register(
    kn_library *library, const kn_rts_display_def *def, kn_error *error)
{
    uint32_t ignored;
    return def != NULL && kn_rts_is_there(library)
               ? kn_def_register(library, knc_rts_displays(library)->kind, def, &ignored, error)
               : KN_ERROR_INVALID_ARGUMENT;
}

// Looking at them ------------------------------------------------------------------------

uint32_t knc_rts_display_find(const kn_library *library, display_of of, uint32_t index1)
{
    const display_kit *kit = knc_rts_displays(library);
    return kit != NULL && index1 - 1 < kit->of_count[of] ? kit->of[of][index1 - 1] : 0;
}

static const kn_rts_display_def *display_get(
    const kn_library *library, display_of of, uint32_t index1)
{
    const uint32_t found = knc_rts_display_find(library, of, index1);
    return found != 0 ? kn_def_get(library, knc_rts_displays(library)->kind, found) : NULL;
}

const kn_rts_display_def *kn_rts_ability_display(
    const kn_library *library, kn_ability_type_id ability)
{
    return display_get(library, DISPLAY_OF_ABILITY, ability.index1);
}

const kn_rts_display_def *kn_rts_effect_display(const kn_library *library, kn_effect_type_id effect)
{
    return display_get(library, DISPLAY_OF_EFFECT, effect.index1);
}

const kn_rts_display_def *kn_rts_order_display(const kn_library *library, kn_order_type_id order)
{
    return display_get(library, DISPLAY_OF_ORDER, order.index1);
}

const kn_rts_display_def *kn_rts_product_display(const kn_library *library, kn_product_id product)
{
    return display_get(library, DISPLAY_OF_PRODUCT, product.index1);
}

// Takes from a display what is not known yet.
static void look_add(kn_rts_look *look, const kn_rts_display_def *def)
{
    if (def != NULL) {
        look->title = look->title != NULL ? look->title : def->title;
        look->icon = look->icon != NULL ? look->icon : def->icon;
        look->icon_disabled =
            look->icon_disabled != NULL ? look->icon_disabled : def->icon_disabled;
        look->button = look->button >= 0 ? look->button : def->button;
        look->shows_as_order |= def->shows_as_order;
        if (look->preview == NULL) {
            look->preview = def->preview;
            look->preview_snap = def->preview_snap;
        }
    }
}

static kn_rts_look look_of(
    const kn_library *library, display_of of, uint32_t index1, const char *name)
{
    kn_rts_look look = {.button = -1};
    look_add(&look, display_get(library, of, index1));
    look.title = look.title != NULL ? look.title : name;
    return look;
}

kn_rts_look kn_rts_ability_look(const kn_library *library, kn_ability_type_id ability)
{
    return look_of(library, DISPLAY_OF_ABILITY, ability.index1,
        library != NULL ? kn_ability_type_name(library, ability) : "");
}

kn_rts_look kn_rts_effect_look(const kn_library *library, kn_effect_type_id effect)
{
    const bool is_shown = kn_rts_effect_display(library, effect) != NULL;
    return look_of(library, DISPLAY_OF_EFFECT, effect.index1,
        is_shown ? kn_def_name(library, KN_DEF_EFFECT, effect.index1) : "");
}

// Takes what an order type has: by its display, then by its definition.
static void look_add_order(kn_rts_look *look, const kn_library *library, kn_order_type_id order)
{
    const kn_order_type_def *def = kn_order_type_get_def(library, order);
    if (def != NULL) {
        const kn_rts_display_def own = {.title = def->title,
            .icon = def->icon,
            .icon_disabled = def->icon_disabled,
            .button = def->button,
            .preview = def->preview,
            .preview_snap = def->preview_snap};
        look_add(look, kn_rts_order_display(library, order));
        look_add(look, &own);
    }
}

kn_rts_look kn_rts_order_look(const kn_library *library, kn_order_type_id order)
{
    const kn_order_type_def *def = library != NULL ? kn_order_type_get_def(library, order) : NULL;
    kn_rts_look look = {.button = -1};
    if (def == NULL) {
        look.title = "";
        return look;
    }
    look_add_order(&look, library, order);
    look_add(&look, kn_rts_ability_display(library, def->ability));
    look.title = look.title != NULL ? look.title : def->name;
    look.shows_as_order |= def->ability.index1 == 0;
    return look;
}

kn_rts_look knc_rts_variant_look(const kn_library *library, const kn_order_variant *variant)
{
    const kn_order_type_def *def = kn_order_type_get_def(library, variant->type);
    const kn_order_type_def *like = kn_order_type_get_def(library, variant->looks_like);
    kn_rts_look look = {.button = -1};
    if (like != NULL) {
        look_add_order(&look, library, variant->looks_like);
        look.title = look.title != NULL ? look.title : like->name;
    }
    if (variant->ability.index1 != def->ability.index1) {
        look_add(&look, kn_rts_ability_display(library, variant->ability));
        look.title =
            look.title != NULL ? look.title : kn_ability_type_name(library, variant->ability);
    }
    const bool shows_as_order = look.shows_as_order || variant->ability.index1 == 0;
    const kn_rts_look plain = kn_rts_order_look(library, variant->type);
    const kn_rts_display_def rest = {.title = plain.title,
        .icon = plain.icon,
        .icon_disabled = plain.icon_disabled,
        .button = plain.button,
        .preview = plain.preview,
        .preview_snap = plain.preview_snap};
    look_add(&look, &rest);
    look.shows_as_order = shows_as_order;
    return look;
}

kn_rts_look kn_rts_unit_order_look(
    const kn_world *world, kn_entity_id unit, kn_order_type_id order, int32_t index)
{
    kn_order_variant variant;
    const kn_library *library = world != NULL ? kn_world_library(world) : NULL;
    return knc_rts_kit_of_world(world) != NULL &&
                   kn_order_get_variant(world, order, unit, index, &variant)
               ? knc_rts_variant_look(library, &variant)
               : kn_rts_order_look(library, order);
}

kn_rts_look kn_rts_product_look(const kn_library *library, kn_product_id product)
{
    const kn_product_def *def = library != NULL && kn_order_produce_is_there(library)
                                    ? kn_product_get_def(library, product)
                                    : NULL;
    kn_rts_look look = {.button = -1};
    if (def == NULL) {
        look.title = "";
        return look;
    }
    look_add(&look, kn_rts_product_display(library, product));
    const kn_rts_display_def own = {.title = def->title, .icon = def->icon, .button = -1};
    look_add(&look, &own);
    look.title = look.title != NULL ? look.title : def->name;
    return look;
}
