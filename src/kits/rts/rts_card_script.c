// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about command cards, descriptions and abilities. All of them have the
// arguments of one struct, of which each names those it takes.

#include "script_parts.h"
#include "text_parts.h"

typedef struct card_args {
    kn_entity_id entity;
    kn_entity_id target;
    kn_order_type_id order;
    int32_t index;
    kn_ability_type_id ability;
    kn_effect_type_id effect;
    const char *name;
    kn_tag tag;
    float level;
    bool flag;
} card_args;

static void args_init(void *arguments)
{
    card_args *a = arguments;
    a->index = -1;
    a->flag = true;
}

#define ARG(name_, member, kind_, limit_, of_, text_)                                              \
    {                                                                                              \
        name_, (uint8_t)(kind_), (uint32_t)(limit_), (uint32_t)offsetof(card_args, member), 1, 0,  \
            NULL, NULL, of_, text_                                                                 \
    }
#define SELF ARG("entity", entity, KN_FIELD_ENTITY, 0, NULL, NULL)
#define ABILITY ARG("ability", ability, KN_DEF_FIELD_REF, KN_DEF_ABILITY, NULL, "The ability.")
#define LEVEL(text_) ARG("level", level, KN_FIELD_F32, 0, NULL, text_)

static const kn_def_field self_args[] = {SELF};
static const kn_def_field ability_args[] = {SELF, ABILITY};
static const kn_def_field describe_args[] = {
    SELF, ABILITY, LEVEL("Level of the ability; default 0: that at which the unit has it, or 1.")};
static const kn_def_field effect_args[] = {SELF,
    ARG("effect", effect, KN_DEF_FIELD_REF, KN_DEF_EFFECT, NULL, "The effect."),
    LEVEL("Level of the effect; default 1.")};
static const kn_def_field order_args[] = {SELF,
    ARG("order", order, KN_DEF_FIELD_REF, 0, "order type", "The order type."),
    ARG("index", index, KN_FIELD_I32, 0, NULL, "Variant of the order; default -1: none.")};
static const kn_def_field product_args[] = {
    SELF, ARG("product", name, KN_DEF_FIELD_STRING, 0, NULL, "The name of the product.")};
static const kn_def_field tag_args[] = {SELF, ARG("tag", tag, KN_FIELD_TAG, 0, NULL, "The tag."),
    ARG("exists", flag, KN_FIELD_BOOL, 0, NULL, "Whether the unit is to have it; default true.")};
static const kn_def_field event_args[] = {SELF,
    ARG("tag", tag, KN_FIELD_TAG, 0, NULL, "The tag of the event."),
    ARG("target", target, KN_FIELD_ENTITY, 0, NULL,
        "The target of the event; default the entity.")};

#define ONE_RESULT(name, type, kind)                                                               \
    static const kn_def_field name##_fields[] = {                                                  \
        {#name, (uint8_t)(kind), 0, 0, 1, 0, NULL, NULL, NULL, NULL}};                             \
    static const kn_def_table name##_result = {                                                    \
        "rts_" #name "_result", sizeof(type), name##_fields, 1, NULL}
ONE_RESULT(range, float, KN_FIELD_F32);
ONE_RESULT(unlocked, bool, KN_FIELD_BOOL);
ONE_RESULT(activated, uint32_t, KN_FIELD_U32);

// Texts -----------------------------------------------------------------------------------

// A text that is made for the call lies in the results themselves.
typedef struct text_result {
    const char *text;
    char room[KN_FUNCTION_SIZE_MAX - sizeof(const char *)];
} text_result;

static const kn_def_field text_fields[] = {KN_DEF_F(text_result, text, KN_DEF_FIELD_STRING, NULL)};
static const kn_def_table text_result_def = {
    "rts_text_result", sizeof(text_result), text_fields, 1, NULL};

#define WRITES(name_, expression)                                                                  \
    static kn_result name_(void *user, const kn_function_call *call)                               \
    {                                                                                              \
        const card_args *a = call->arguments;                                                      \
        text_result *r = call->results;                                                            \
        const kn_world *world = call->world;                                                       \
        (void)user;                                                                                \
        r->text = r->room;                                                                         \
        (void)expression;                                                                          \
        return KN_OK;                                                                              \
    }
#define ROOM r->room, sizeof(r->room)
WRITES(ability_describe, kn_rts_describe_ability(world, a->entity, a->ability, a->level, ROOM))
WRITES(effect_describe, kn_rts_describe_effect(world, a->entity, a->effect, a->level, ROOM))
WRITES(order_describe, kn_rts_describe_order(world, a->entity, a->order, a->index, ROOM))

static kn_result product_describe(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    text_result *r = call->results;
    const kn_library *library = kn_world_library(call->world);
    (void)user;
    r->text = r->room;
    const kn_product_id product =
        kn_order_produce_is_there(library) ? kn_product_find(library, a->name) : (kn_product_id){0};
    if (product.index1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    (void)kn_rts_describe_product(call->world, a->entity, product, ROOM);
    return KN_OK;
}

// Looks -------------------------------------------------------------------------------------

static const char *const snap_words[KN_ORDER_SNAP_COUNT] = {"none", "owner", "cursor"};
static const kn_def_field look_fields[] = {
    KN_DEF_F(kn_rts_look, title, KN_DEF_FIELD_STRING, "Its title, or its name."),
    KN_DEF_F(kn_rts_look, icon, KN_DEF_FIELD_STRING, "Name of its picture; nil for none."),
    KN_DEF_F(kn_rts_look, icon_disabled, KN_DEF_FIELD_STRING,
        "Name of its picture when it cannot be used; nil for none."),
    KN_DEF_F(kn_rts_look, button, KN_FIELD_I32, "Place among the buttons; -1: anywhere."),
    KN_DEF_F(kn_rts_look, shows_as_order, KN_FIELD_BOOL,
        "Its button belongs to the orders, not to the abilities."),
    KN_DEF_F(kn_rts_look, preview, KN_DEF_FIELD_STRING,
        "Name of what shows where it is aimed; nil for nothing."),
    KN_DEF_F_ENUM(kn_rts_look, preview_snap, snap_words, "Where that is shown."),
};
static const kn_def_table look_result = {
    "rts_look", sizeof(kn_rts_look), look_fields, COUNT(look_fields), NULL};

static kn_result order_look(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    kn_rts_look *look = call->results;
    (void)user;
    *look = kn_rts_unit_order_look(call->world, a->entity, a->order, a->index);
    return KN_OK;
}

// Command cards -----------------------------------------------------------------------------

typedef struct button_result {
    kn_order_type_id order;
    int32_t index;
    kn_ability_type_id ability;
    const char *product, *title, *icon;
    int32_t place;
    uint32_t target_kind, auto_state, level, max_level, charges, max_charges;
    kn_time cooldown, cooldown_total;
    bool is_ready, is_current, can_learn;
} button_result;

static const char *const target_words[KN_ORDER_TARGET_COUNT] = {
    "none", "entity", "location", "direction", "passive"};
static const char *const auto_words[KN_RTS_AUTO_COUNT] = {"none", "off", "on"};
static const kn_def_field button_fields[] = {
    KN_DEF_F_KIND(button_result, order, "order type", "The order that it gives."),
    KN_DEF_F(button_result, index, KN_FIELD_I32, "Variant of the order; -1 for none."),
    KN_DEF_F_REF(button_result, ability, KN_DEF_ABILITY, "The ability that it uses; nil for none."),
    KN_DEF_F(button_result, product, KN_DEF_FIELD_STRING,
        "Name of the product that it makes; nil for none."),
    KN_DEF_F(button_result, title, KN_DEF_FIELD_STRING, "What players read."),
    KN_DEF_F(button_result, icon, KN_DEF_FIELD_STRING, "Name of its picture; nil for none."),
    KN_DEF_F(button_result, place, KN_FIELD_I32, "Place among the buttons; -1: anywhere."),
    KN_DEF_F_ENUM(button_result, target_kind, target_words, "What the player must aim at."),
    KN_DEF_F_ENUM(button_result, auto_state, auto_words, "Whether it is given automatically."),
    KN_DEF_F(button_result, level, KN_FIELD_U32, "Level of the ability; 0: not learned."),
    KN_DEF_F(button_result, max_level, KN_FIELD_U32, "Highest level of the ability."),
    KN_DEF_F(button_result, charges, KN_FIELD_U32, "Charges there are now."),
    KN_DEF_F(button_result, max_charges, KN_FIELD_U32, "Most charges."),
    KN_DEF_F(button_result, cooldown, KN_FIELD_TIME, "Time until it can be used."),
    KN_DEF_F(button_result, cooldown_total, KN_FIELD_TIME, "Whole length of that."),
    KN_DEF_F(button_result, is_ready, KN_FIELD_BOOL, "The order could be given now."),
    KN_DEF_F(button_result, is_current, KN_FIELD_BOOL, "The unit obeys this order now."),
    KN_DEF_F(
        button_result, can_learn, KN_FIELD_BOOL, "An ability point may be spent on the ability."),
};
static const kn_def_table button_table = {
    "rts_button", sizeof(button_result), button_fields, COUNT(button_fields), NULL};

#define BUTTONS_MAX 64

static button_result button_of(const kn_library *library, const kn_rts_button *b)
{
    const kn_product_def *product =
        b->product.index1 != 0 ? kn_product_get_def(library, b->product) : NULL;
    return (button_result){
        .order = b->order,
        .index = b->index,
        .ability = b->ability,
        .product = product != NULL ? product->name : NULL,
        .title = b->look.title,
        .icon = b->look.icon,
        .place = b->look.button,
        .target_kind = (uint32_t)b->target_kind,
        .auto_state = (uint32_t)b->auto_state,
        .level = b->level,
        .max_level = b->max_level,
        .charges = b->charges,
        .max_charges = b->max_charges,
        .cooldown = b->cooldown,
        .cooldown_total = b->cooldown_total,
        .is_ready = b->is_ready,
        .is_current = b->is_current,
        .can_learn = b->can_learn,
    };
}

static kn_result card_list(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    kn_rts_button buttons[BUTTONS_MAX];
    const uint32_t count = kn_rts_card(call->world, &a->entity, 1, buttons, BUTTONS_MAX);
    (void)user;
    for (uint32_t i = 0; i < count && i < BUTTONS_MAX; i++) {
        const button_result button = button_of(kn_world_library(call->world), &buttons[i]);
        kn_function_add(call, &button);
    }
    return KN_OK;
}

// Why the button of an order is not ready; nothing if it is.
static kn_result card_why_not(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    text_result *r = call->results;
    kn_rts_button buttons[BUTTONS_MAX];
    const uint32_t count = kn_rts_card(call->world, &a->entity, 1, buttons, BUTTONS_MAX);
    (void)user;
    r->text = r->room;
    for (uint32_t i = 0; i < count && i < BUTTONS_MAX; i++) {
        if (buttons[i].order.index1 == a->order.index1 && buttons[i].index == a->index) {
            (void)kn_rts_button_print(call->world, &buttons[i], ROOM);
            return KN_OK;
        }
    }
    return KN_REFUSED_NOT_FOUND;
}

// Abilities -----------------------------------------------------------------------------------

typedef struct cooldown_result {
    kn_time remaining, duration;
} cooldown_result;

static const kn_def_field cooldown_fields[] = {
    KN_DEF_F(cooldown_result, remaining, KN_FIELD_TIME, "Time until it can be used again."),
    KN_DEF_F(cooldown_result, duration, KN_FIELD_TIME, "Whole length of its cooldown."),
};
static const kn_def_table cooldown_table = {
    "rts_cooldown", sizeof(cooldown_result), cooldown_fields, COUNT(cooldown_fields), NULL};

static kn_result ability_cooldown(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    cooldown_result *r = call->results;
    (void)user;
    kn_rts_cooldown(call->world, a->entity, a->ability, &r->remaining, &r->duration);
    return KN_OK;
}

static kn_result ability_range(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    (void)user;
    *(float *)call->results = kn_rts_ability_range(call->world, a->entity, a->ability);
    return KN_OK;
}

static kn_result ability_is_unlocked(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    (void)user;
    *(bool *)call->results = kn_rts_is_unlocked(call->world, a->entity, a->ability);
    return KN_OK;
}

static kn_result tag_change(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    (void)user;
    return kn_rts_change_tag(call->writable, a->entity, a->tag, a->flag);
}

static kn_result event_send(void *user, const kn_function_call *call)
{
    const card_args *a = call->arguments;
    const kn_entity_id target = a->target.index1 != 0 ? a->target : a->entity;
    kn_rts_event event;
    (void)user;
    const kn_result result = kn_rts_event_with_tag(call->world, a->entity, target, a->tag, &event);
    return result != KN_OK ? result
                           : kn_rts_send_event(call->writable, a->entity, &event, call->results);
}

kn_result knc_rts_card_functions_register(kn_library *library, rts_kit *kit, kn_error *error)
{
    static const function_row rows[] = {
        {"entity:rts_card", "The buttons of a unit, at most 64.", card_list, ARGS(self_args, 1),
            &button_table, KN_FUNCTION_LIST, 0},
        {"entity:rts_why_not", "Why the button of an order is not ready; nil if it is.",
            card_why_not, ARGS(order_args, 2), &text_result_def, KN_FUNCTION_VALUES,
            KN_FUNCTION_REFUSES},
        {"entity:rts_look", "How an order of a unit looks.", order_look, ARGS(order_args, 2),
            &look_result, KN_FUNCTION_TABLE, 0},
        {"entity:rts_describe_ability",
            "The description of an ability for a unit, at most 1000 bytes of it.", ability_describe,
            ARGS(describe_args, 2), &text_result_def, KN_FUNCTION_VALUES, 0},
        {"entity:rts_describe_effect",
            "The description of an effect as if the entity applied it, at most 1000 bytes of it.",
            effect_describe, ARGS(effect_args, 2), &text_result_def, KN_FUNCTION_VALUES, 0},
        {"entity:rts_describe_order",
            "The description of an order for a unit, at most 1000 bytes of it.", order_describe,
            ARGS(order_args, 2), &text_result_def, KN_FUNCTION_VALUES, 0},
        {"entity:rts_describe_product",
            "The description of a product for a producer, at most 1000 bytes of it.",
            product_describe, ARGS(product_args, 2), &text_result_def, KN_FUNCTION_VALUES,
            KN_FUNCTION_REFUSES},
        {"entity:rts_cooldown",
            "Time until a unit can use an ability again, and the whole length of its cooldown.",
            ability_cooldown, ARGS(ability_args, 2), &cooldown_table, KN_FUNCTION_VALUES, 0},
        {"entity:rts_ability_range", "How near to its target a unit uses an ability.",
            ability_range, ARGS(ability_args, 2), &range_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_is_unlocked",
            "Whether an entity has all tags that the activation of an ability requires.",
            ability_is_unlocked, ARGS(ability_args, 2), &unlocked_result, KN_FUNCTION_VALUES, 0},
        {"entity:rts_change_tag",
            "Gives a unit exactly this tag if it does not have it, or takes it away once.",
            tag_change, ARGS(tag_args, 2), NULL, KN_FUNCTION_VALUES, MAY_CHANGE},
        {"entity:rts_send_event",
            "Lets the abilities of an entity react to an event of it about a target; how many were "
            "activated.",
            event_send, ARGS(event_args, 2), &activated_result, KN_FUNCTION_VALUES, MAY_CHANGE},
    };
    (void)kit;
    return knc_rts_functions_add(library, rows, COUNT(rows), sizeof(card_args), args_init, error);
}
