// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The texts are compared as a whole: how they look is what they are for. kn_world_validate() is
// tested here too, since it looks at everything as well.

#include "effect/effect.h"

#include "scenario/json_reader.h"
#include "test_memory.h"

#include <math.h>
#include <stdio.h>

typedef struct threat {
    float amount;
    uint32_t hits[2];
    kn_entity_id target;
    kn_effect_id effect;
    kn_tag tag;
    kn_attribute_id attribute;
    int32_t balance;
    kn_time since;
    kn_vec3 at;
    uint32_t spare; // no gap at the end
} threat;

typedef struct threat_item {
    kn_entity_id who;
    bool is_hot;
    uint8_t rank;
    uint16_t weight;
} threat_item;

typedef struct fixture {
    test_memory memory;
    kn_library *library;
    kn_world *world;
    kn_tag stun, burning, silenced, weak;
    kn_attribute_set_id vitals;
    kn_attribute_id health, max_health, speed, damage;
    kn_effect_type_id frailty, wounds, blessing, burn, hit, curse, shield;
    kn_component_type_id threat;
    kn_rule_id rule;
} fixture;

static kn_tag tag_add(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static void attributes_fill(fixture *f)
{
    kn_attribute_def attributes[4];
    for (uint32_t i = 0; i < 4; i++) {
        attributes[i] = kn_attribute_def_default();
    }
    attributes[0].name = "MaxHealth";
    attributes[0].default_value = 100.0f;
    attributes[1].name = "Health";
    attributes[1].default_value = 100.0f;
    attributes[1].min = kn_limit_constant(0.0f);
    attributes[1].max = kn_limit_attribute("MaxHealth");
    attributes[2].name = "Speed";
    attributes[2].default_value = 4.5f;
    attributes[2].qualify = KN_QUALIFY_MOST_NEGATIVE_ALL_POSITIVE;
    attributes[3].name = "Damage";
    attributes[3].is_meta = true;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 4;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &f->vitals, NULL), KN_OK);
    f->health = kn_attribute_find(f->library, "Vitals.Health");
    f->max_health = kn_attribute_find(f->library, "Vitals.MaxHealth");
    f->speed = kn_attribute_find(f->library, "Vitals.Speed");
    f->damage = kn_attribute_find(f->library, "Vitals.Damage");
}

static kn_effect_type_id effect_add(fixture *f, kn_effect_def *def, const char *name,
    kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_type_id type;
    def->name = name;
    def->duration_kind = kind;
    def->modifiers = modifiers;
    def->modifier_count = count;
    kn_error error;
    kn_result result = kn_effect_register(f->library, def, &type, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", name, error.message);
    }
    return type;
}

static void effects_fill(fixture *f)
{
    kn_modifier_def m[2] = {kn_modifier_constant(f->health, KN_OP_MULTIPLY, 0.9f),
        kn_modifier_constant(f->speed, KN_OP_ADD, -1.0f)};
    kn_effect_def def = kn_effect_def_default();
    f->frailty = effect_add(f, &def, "Frailty", KN_DURATION_INFINITE, m, 2);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, -10.0f);
    def = kn_effect_def_default();
    def.stacking.kind = KN_STACK_BY_TARGET;
    f->wounds = effect_add(f, &def, "Wounds", KN_DURATION_INFINITE, m, 1);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, 50.0f);
    def = kn_effect_def_default();
    def.ongoing.target.ignored = (kn_tags){&f->silenced, 1};
    f->blessing = effect_add(f, &def, "Blessing", KN_DURATION_INFINITE, m, 1);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, -2.5f);
    def = kn_effect_def_default();
    def.duration = kn_magnitude_constant(10.0f);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(0.5f);
    def.granted_tags = (kn_tags){&f->burning, 1};
    f->burn = effect_add(f, &def, "Burn", KN_DURATION_TIMED, m, 1);

    m[0] = kn_modifier_constant(f->health, KN_OP_ADD, -20.0f);
    def = kn_effect_def_default();
    f->hit = effect_add(f, &def, "Hit", KN_DURATION_INSTANT, m, 1);

    m[0] = kn_modifier_constant(f->speed, KN_OP_ADD, -0.5f);
    m[1] = kn_modifier_constant(f->health, KN_OP_ADD, 1.0f);
    m[1].key = 7;
    kn_tags stun = {&f->stun, 1};
    def = kn_effect_def_default();
    def.blocked_ability_tags = stun;
    f->curse = effect_add(f, &def, "Curse", KN_DURATION_INFINITE, m, 2);

    kn_gate_def gate = {.types = &f->burn, .type_count = 1};
    def = kn_effect_def_default();
    def.gates = &gate;
    def.gate_count = 1;
    f->shield = effect_add(f, &def, "Shield", KN_DURATION_INFINITE, NULL, 0);
}

// A tag that comes brings the stun along: something to have causes.
static void stun_the_weak(void *user, kn_world *world, const kn_reaction *reaction)
{
    const fixture *f = user;
    assert_int_equal(
        kn_effect_apply_simple(world, f->hit, (kn_entity_id){0}, reaction->entity, 1.0f, NULL),
        KN_OK);
}

static void component_fill(fixture *f)
{
    const kn_field fields[] = {
        KN_FIELD_INIT("amount", KN_FIELD_F32, offsetof(threat, amount), 1),
        KN_FIELD_INIT("hits", KN_FIELD_U32, offsetof(threat, hits), 2),
        KN_FIELD_INIT("target", KN_FIELD_ENTITY, offsetof(threat, target), 1),
        KN_FIELD_INIT("effect", KN_FIELD_EFFECT, offsetof(threat, effect), 1),
        KN_FIELD_INIT("tag", KN_FIELD_TAG, offsetof(threat, tag), 1),
        KN_FIELD_INIT("attribute", KN_FIELD_ATTRIBUTE, offsetof(threat, attribute), 1),
        KN_FIELD_INIT("balance", KN_FIELD_I32, offsetof(threat, balance), 1),
        KN_FIELD_INIT("since", KN_FIELD_TIME, offsetof(threat, since), 1),
        KN_FIELD_INIT("at", KN_FIELD_VEC3, offsetof(threat, at), 1),
        KN_FIELD_INIT("spare", KN_FIELD_U32, offsetof(threat, spare), 1),
    };
    const kn_field item_fields[] = {
        KN_FIELD_INIT("who", KN_FIELD_ENTITY, offsetof(threat_item, who), 1),
        KN_FIELD_INIT("is_hot", KN_FIELD_BOOL, offsetof(threat_item, is_hot), 1),
        KN_FIELD_INIT("rank", KN_FIELD_U8, offsetof(threat_item, rank), 1),
        KN_FIELD_INIT("weight", KN_FIELD_U16, offsetof(threat_item, weight), 1),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Threat";
    def.size = sizeof(threat);
    def.fields = fields;
    def.field_count = 10;
    def.item_size = sizeof(threat_item);
    def.item_fields = item_fields;
    def.item_field_count = 4;
    assert_int_equal(kn_component_register(f->library, &def, &f->threat, NULL), KN_OK);
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &f->library), KN_OK);
    f->stun = tag_add(f->library, "State.Debuff.Stun");
    f->burning = tag_add(f->library, "State.Burning");
    f->silenced = tag_add(f->library, "State.Silenced");
    f->weak = tag_add(f->library, "State.Weak");
    attributes_fill(f);
    effects_fill(f);
    component_fill(f);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "StunTheWeak";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = f->weak;
    rule.function = stun_the_weak;
    rule.user = f;
    assert_int_equal(kn_rule_register(f->library, &rule, &f->rule, NULL), KN_OK);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    assert_true(kn_world_validate(f->world));
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    assert_int_equal(f->memory.blocks, 0);
    free(f);
    return 0;
}

static kn_entity_id actor(fixture *f)
{
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    assert_int_equal(kn_attribute_set_add(f->world, entity, f->vitals, 0), KN_OK);
    return entity;
}

static kn_effect_id apply(
    fixture *f, kn_effect_type_id type, kn_entity_id source, kn_entity_id target)
{
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, type, source, target, 1.0f, &effect), KN_OK);
    return effect;
}

// Comparing texts -----------------------------------------------------------

static char text[8192];

static void assert_explains(
    fixture *f, kn_entity_id entity, kn_attribute_id attribute, const char *expected)
{
    uint32_t length = kn_attribute_explain_text(f->world, entity, attribute, 0, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void assert_dump(fixture *f, kn_entity_id entity, const char *expected)
{
    uint32_t length = kn_entity_dump(f->world, entity, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

// The text is truncated to fit the buffer, and its full length is returned anyway.
static void assert_cuts(
    uint32_t length, uint32_t (*print)(void *user, char *out, uint32_t size), void *user)
{
    char *full = malloc(length + 1);
    assert_non_null(full);
    assert_int_equal(print(user, full, length + 1), length);
    assert_int_equal(strlen(full), length);
    assert_int_equal(print(user, NULL, 0), length);
    for (uint32_t size = 1; size <= length; size += 1 + size / 8) {
        char *cut = malloc(size); // of its own, so that a byte too much is noticed
        assert_non_null(cut);
        assert_int_equal(print(user, cut, size), length);
        assert_int_equal(strlen(cut), size - 1);
        assert_memory_equal(cut, full, size - 1);
        free(cut);
    }
    free(full);
}

// The last event of a type in what was published.
static const kn_event *event_last(const fixture *f, kn_event_type type)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = events.count; i-- > 0;) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    fail_msg("no event \"%s\"", kn_event_type_name(type));
    return NULL;
}

static void assert_event(fixture *f, kn_event_type type, const char *expected)
{
    const kn_event *event = event_last(f, type);
    uint32_t length = kn_event_print(f->world, event, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void assert_cause(fixture *f, kn_cause cause, const char *expected)
{
    uint32_t length = kn_cause_print(f->world, cause, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void step(fixture *f, kn_time dt)
{
    assert_int_equal(kn_world_step(f->world, dt), KN_OK);
}

// Explanations --------------------------------------------------------------

static void explanation_names_every_modifier_and_its_result(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), b = actor(f), c = actor(f);
    assert_explains(f, a, f->speed,
        "Vitals.Speed 4.5 (base 4.5)\n"
        "  base  4.5\n");
    apply(f, f->wounds, c, a);
    apply(f, f->wounds, c, a);
    apply(f, f->frailty, b, a);
    apply(f, f->blessing, (kn_entity_id){0}, a);
    assert_int_equal(kn_entity_add_tag(f->world, a, f->silenced, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_float_equal(kn_attribute_value(f->world, a, f->health), 72.0f, 0.0f);
    assert_explains(f, a, f->health,
        "Vitals.Health 72 (base 100)\n"
        "  base                    100\n"
        "  Add -20 (2 stacks)      Wounds #4 by entity 3   -> 80\n"
        "  Multiply Additive x0.9  Frailty #5 by entity 2  -> 72\n"
        "  (Add +50: inhibited)    Blessing #6\n");
    assert_int_equal(kn_entity_remove_tag(f->world, a, f->silenced, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_explains(f, a, f->health,
        "Vitals.Health 100 (base 100)\n"
        "  base                    100\n"
        "  Add -20 (2 stacks)      Wounds #4 by entity 3   -> 80\n"
        "  Add +50                 Blessing #6             -> 130\n"
        "  Multiply Additive x0.9  Frailty #5 by entity 2  -> 117\n"
        "  maximum                 100                     -> 100\n");
}

// VER-008: also what does not take part, and why.
static void explanation_tells_why_a_modifier_does_not_act(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), b = actor(f);
    apply(f, f->curse, b, a);
    apply(f, f->frailty, b, a);
    assert_explains(f, a, f->speed,
        "Vitals.Speed 3.5 (base 4.5)\n"
        "  base                           4.5\n"
        "  (Add -0.5: ignored by policy)  Curse #3 by entity 2\n"
        "  Add -1                         Frailty #4 by entity 2  -> 3.5\n");
}

static void explanation_of_nothing_is_empty(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), bare;
    assert_int_equal(kn_entity_create(f->world, &bare), KN_OK);
    strcpy(text, "old");
    assert_int_equal(kn_attribute_explain_text(f->world, bare, f->health, 0, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(kn_attribute_explain_text(f->world, a, f->health, 9, text, sizeof text), 0);
    kn_attribute_id unknown = {99};
    assert_int_equal(kn_attribute_explain_text(f->world, a, unknown, 0, text, sizeof text), 0);
    assert_true(kn_entity_destroy(f->world, a));
    assert_int_equal(kn_attribute_explain_text(f->world, a, f->health, 0, text, sizeof text), 0);
}

typedef struct explain_call {
    fixture *f;
    kn_entity_id entity;
} explain_call;

static uint32_t explain_print(void *user, char *out, uint32_t size)
{
    const explain_call *call = user;
    return kn_attribute_explain_text(call->f->world, call->entity, call->f->health, 0, out, size);
}

static void long_explanations_are_whole_and_cut_ones_safe(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f);
    for (uint32_t i = 0; i < 100; i++) {
        apply(f, f->frailty, (kn_entity_id){0}, a);
    }
    explain_call call = {f, a};
    uint32_t length = explain_print(&call, text, sizeof text);
    assert_true(length < sizeof text);
    assert_cuts(length, explain_print, &call);
    uint32_t lines = 0;
    for (uint32_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
    }
    assert_int_equal(lines, 2 + 100 + 1); // heading, base, modifiers, minimum
    assert_non_null(strstr(text, "minimum"));

    // Without memory for all of it the text says so, and nothing breaks.
    f->memory.fail_at = f->memory.calls + 1;
    explain_print(&call, text, sizeof text);
    f->memory.fail_at = 0;
    assert_non_null(strstr(text, "\n  ...\n"));
}

// Events and causes ---------------------------------------------------------

static void events_are_told_in_a_line(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), b = actor(f);
    step(f, 0);
    assert_event(f, KN_EVENT_ENTITY_CREATED, "0.000 s  entity 2  created");
    assert_event(f, KN_EVENT_SET_ADDED, "0.000 s  entity 2  gets set Vitals");

    kn_effect_id burn = apply(f, f->burn, b, a);
    step(f, KN_MS(1250));
    assert_event(f, KN_EVENT_ATTRIBUTE_CHANGED,
        "1.000 s  entity 1  Vitals.Health 95 -> 92.5  (tick of Burn)");
    assert_event(f, KN_EVENT_EFFECT_APPLIED, "0.000 s  entity 1  Burn #3 applied");
    assert_event(f, KN_EVENT_TAG_CHANGED, "0.000 s  entity 1  gains State  (Burn applied)");

    apply(f, f->wounds, b, a);
    apply(f, f->wounds, b, a);
    assert_int_equal(kn_effect_remove(f->world, burn, 0, KN_REMOVED_DISPELLED), KN_OK);
    assert_int_equal(kn_attribute_init(f->world, a, f->speed, 0, 6.0f), KN_OK);
    step(f, 0);
    assert_event(
        f, KN_EVENT_EFFECT_STACKS, "1.250 s  entity 1  Wounds #4 stacks 1 -> 2  (Wounds applied)");
    assert_event(f, KN_EVENT_EFFECT_REMOVED,
        "1.250 s  entity 1  Burn #3 removed: dispelled  (removal of Burn)");
    assert_event(f, KN_EVENT_TAG_CHANGED, "1.250 s  entity 1  loses State  (removal of Burn)");
    assert_event(
        f, KN_EVENT_ATTRIBUTE_INITIALISED, "1.250 s  entity 1  Vitals.Speed initialised 4.5 -> 6");

    kn_effect_id shield = apply(f, f->shield, b, a);
    assert_int_equal(
        kn_effect_apply_simple(f->world, f->burn, b, a, 1.0f, NULL), KN_REFUSED_BLOCKED);
    apply(f, f->blessing, b, a);
    assert_int_equal(kn_entity_add_tag(f->world, a, f->silenced, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_event_send(f->world, a, f->stun, NULL), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, a, b), KN_OK);
    step(f, 0);
    assert_event(
        f, KN_EVENT_EFFECT_BLOCKED, "1.250 s  entity 1  Burn blocked by Shield #5  (Burn applied)");
    assert_event(f, KN_EVENT_EFFECT_INHIBITED,
        "1.250 s  entity 1  Blessing #6 inhibited  (conditions of Blessing)");
    assert_event(
        f, KN_EVENT_RECORD, "1.250 s  entity 1  State.Debuff.Stun 0  (event State.Debuff.Stun)");
    assert_event(f, KN_EVENT_OWNER_CHANGED, "1.250 s  entity 1  owner none -> entity 2");

    // Things that are gone still have a name, or at least a number.
    assert_int_equal(kn_effect_remove(f->world, shield, 0, KN_REMOVED_BY_CALL), KN_OK);
    kn_event blocked = *event_last(f, KN_EVENT_EFFECT_BLOCKED);
    blocked.cause = 0;
    kn_event_print(f->world, &blocked, text, sizeof text);
    assert_string_equal(text, "1.250 s  entity 1  Burn blocked by #5 (gone)");
    assert_true(kn_entity_destroy(f->world, b));
    step(f, 0);
    assert_event(f, KN_EVENT_ENTITY_DESTROYED, "1.250 s  entity 2  destroyed  (destruction)");
}

// Each line says what its event holds, and nothing else.
static void lines_of_events_say_what_they_hold(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), b = actor(f);
    kn_effect_id shield;
    assert_int_equal(kn_effect_apply_simple(f->world, f->shield, b, a, 1.0f, &shield), KN_OK);
    const struct {
        kn_event event;
        const char *line;
    } cases[] = {
        {{.type = KN_EVENT_ENTITY_CREATED}, "created"},
        {{.type = KN_EVENT_ENTITY_DESTROYED}, "destroyed"},
        {{.type = KN_EVENT_AVATAR_CHANGED, .data.avatar = {.old_avatar = a, .avatar = b}},
            "avatar entity 1 -> entity 2"},
        {{.type = KN_EVENT_OWNER_CHANGED, .data.avatar = {.old_avatar = b}},
            "owner entity 2 -> none"},
        {{.type = KN_EVENT_TAG_COUNT, .data.tag = {f->stun, .count = 3, .old_count = 2}},
            "State.Debuff.Stun 2 -> 3"},
        {{.type = KN_EVENT_TAG_CHANGED, .data.tag = {f->stun, .count = 1}},
            "gains State.Debuff.Stun"},
        {{.type = KN_EVENT_TAG_CHANGED, .data.tag = {f->stun, .old_count = 1}},
            "loses State.Debuff.Stun"},
        {{.type = KN_EVENT_ATTRIBUTE_CHANGED,
             .data.attribute = {f->health, .key = 7, .old_value = 5.0f, .new_value = 2.5f}},
            "Vitals.Health[7] 5 -> 2.5"},
        {{.type = KN_EVENT_ATTRIBUTE_INITIALISED,
             .data.attribute = {f->speed, .old_value = 1.0f, .new_value = 2.0f}},
            "Vitals.Speed initialised 1 -> 2"},
        {{.type = KN_EVENT_SET_ADDED, .data.set = {f->vitals, 0}}, "gets set Vitals"},
        {{.type = KN_EVENT_SET_REMOVED, .data.set = {f->vitals, 7}}, "loses set Vitals[7]"},
        {{.type = KN_EVENT_EFFECT_APPLIED, .data.effect = {.effect = shield, .type = f->shield}},
            "Shield #3 applied"},
        {{.type = KN_EVENT_EFFECT_APPLIED, .data.effect = {.type = f->wounds, .count = 3}},
            "Wounds applied, 3 stacks"},
        {{.type = KN_EVENT_EFFECT_APPLIED, .data.effect = {.type = f->wounds, .count = 1}},
            "Wounds applied"},
        {{.type = KN_EVENT_EFFECT_EXECUTED, .data.effect = {.type = f->burn}}, "Burn executed"},
        {{.type = KN_EVENT_EFFECT_STACKS,
             .data.effect = {.type = f->wounds, .count = 1, .old_count = 1}},
            "Wounds applied again, 1 stack"},
        {{.type = KN_EVENT_EFFECT_STACKS,
             .data.effect = {.type = f->wounds, .count = 2, .old_count = 2}},
            "Wounds applied again, 2 stacks"},
        {{.type = KN_EVENT_EFFECT_STACKS,
             .data.effect =
                 {.type = f->wounds, .count = 1, .old_count = 2, .reason = KN_REMOVED_BY_CALL}},
            "Wounds stacks 2 -> 1: by call"},
        {{.type = KN_EVENT_EFFECT_STACK_DENIED, .data.effect = {.type = f->wounds}},
            "Wounds denied a stack"},
        {{.type = KN_EVENT_EFFECT_INHIBITED, .data.effect = {.type = f->burn}}, "Burn inhibited"},
        {{.type = KN_EVENT_EFFECT_INHIBITED, .data.effect = {.type = f->burn, .count = 1}},
            "Burn no longer inhibited"},
        {{.type = KN_EVENT_EFFECT_TIME, .data.effect = {.type = f->burn}}, "Burn changed its time"},
        {{.type = KN_EVENT_EFFECT_STACKS,
             .data.effect = {.effect = shield, .type = f->wounds, .count = 3, .old_count = 2}},
            "Wounds #3 stacks 2 -> 3"},
        {{.type = KN_EVENT_EFFECT_REMOVED,
             .data.effect = {.type = f->burn, .reason = KN_REMOVED_BY_CALL}},
            "Burn removed: by call"},
        {{.type = KN_EVENT_EFFECT_BLOCKED, .data.effect = {.type = f->burn, .by = shield}},
            "Burn blocked by Shield #3"},
        {{.type = KN_EVENT_EFFECT_PART_BLOCKED,
             .data.effect = {.type = f->burn, .count = 1, .by = shield}},
            "Burn part 1 blocked by Shield #3"},
        {{.type = KN_EVENT_RECORD,
             .data.record = {.tag = f->weak, .instigator = b, .magnitude = 4.0f}},
            "State.Weak 4 from entity 2"},
        {{.type = KN_EVENT_RESTRICTED,
             .data.record = {.tag = f->weak, .magnitude = 4.0f, .by = shield}},
            "State.Weak 4 blocked by Shield #3"},
        {{.type = KN_EVENT_CUE,
             .data.cue = {f->weak, KN_CUE_ADDED, .type = f->shield, .effect = shield,
                 .magnitude = 2.0f}},
            "cue State.Weak added by Shield #3, magnitude 2"},
        {{.type = KN_EVENT_CUE,
             .data.cue = {f->weak, KN_CUE_REMOVED, .type = f->burn, .interrupted = true}},
            "cue State.Weak removed early by Burn, magnitude 0"},
        {{.type = KN_EVENT_CUE, .data.cue = {f->weak, KN_CUE_EXECUTED, .magnitude = 1.5f}},
            "cue State.Weak executed, magnitude 1.5"},
        {{.type = KN_EVENT_ERROR, .data.error = {.code = KN_REFUSED_LIMIT}},
            "error KN_REFUSED_LIMIT"},
        {{.type = KN_EVENT_ERROR,
             .data.error =
                 {.code = KN_ERROR_BAD_DATA, .type = f->burn, .attribute = f->health, .detail = 9}},
            "error KN_ERROR_BAD_DATA in Burn at Vitals.Health, detail 9"},
        {{.type = KN_EVENT_CHARGES,
             .data.charges = {.key = f->weak, .charges = 1, .old_charges = 2}},
            "charges State.Weak 2 -> 1"},
        {{.type = KN_EVENT_CHARGES, .data.charges = {.charges = 3, .old_charges = 2}},
            "charges 2 -> 3"},
        {{.type = KN_EVENT_ANIMATION, .data.animation = {.plays = true}}, "plays "},
        {{.type = KN_EVENT_ANIMATION, .data.animation = {.plays = false}}, "stops "},
        {{.type = KN_EVENT_REQUEST,
             .data.request = {.activation = {1, 12}, .parts = 0x41, .size = 24}},
            "requests from the server: an ability (gone), key 12: activate end, 24 bytes"},
        {{.type = KN_EVENT_REQUEST, .data.request = {.activation = {1, 3}, .parts = 0x02}},
            "requests from the server: an ability (gone), key 3: targets"},
        {{.type = KN_EVENT_RETICLE, .data.reticle = {.is_valid = false}}, "aims at nothing"},
        {{.type = KN_EVENT_RETICLE,
             .data.reticle = {.is_valid = true, .is_entity = true, .target = b}},
            "aims at entity 2"},
        {{.type = KN_EVENT_RETICLE, .data.reticle = {.is_valid = true}}, "aims at a place"},
        {{.type = KN_EVENT_MOTION, .data.motion = {.begins = true}}, "motion begins"},
        {{.type = KN_EVENT_MOTION, .data.motion = {.begins = false}}, "motion ends"},
        {{.type = KN_EVENT_ABILITY_GRANTED}, " granted"},
        {{.type = KN_EVENT_ABILITY_ENDED, .data.ability = {.end_reason = KN_ENDED_DONE}}, " ended"},
        {{.type = KN_EVENT_ABILITY_ENDED, .data.ability = {.end_reason = KN_ENDED_CANCELLED}},
            " ended: cancelled"},
        {{.type = KN_EVENT_ABILITY_FAILED,
             .data.ability = {.reasons = KN_FAIL_COST | KN_FAIL_COOLDOWN}},
            " refused: on cooldown, cannot pay"},
        {{.type = KN_EVENT_ABILITY_STATUS, .data.ability = {.reasons = KN_FAIL_COST}},
            " not ready: cannot pay"},
        {{.type = KN_EVENT_ABILITY_STATUS}, " ready"},
        {{.type = KN_EVENT_TYPE_COUNT}, "unknown event"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kn_event event = cases[i].event;
        event.entity = a;
        event.time = KN_MS(2500);
        char line[256];
        (void)snprintf(line, sizeof(line), "2.500 s  entity 1  %s", cases[i].line);
        (void)kn_event_print(f->world, &event, text, sizeof text);
        assert_string_equal(text, line);
    }
}

static void every_type_of_event_can_be_printed(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f);
    for (uint32_t type = 0; type <= KN_EVENT_TYPE_COUNT; type++) {
        kn_event event;
        memset(&event, 0, sizeof event);
        event.type = (kn_event_type)type;
        event.entity = a;
        assert_true(kn_event_print(f->world, &event, text, sizeof text) > 20);
        event.entity = (kn_entity_id){0};
        memset(&event.data, 1, sizeof event.data); // ids that never were
        event.data.cue.interrupted = true;
        event.cause = 12345;
        assert_true(kn_event_print(f->world, &event, text, sizeof text) > 15);
    }
    for (uint32_t type = 0; type < KN_EVENT_TYPE_COUNT; type++) {
        assert_true(strlen(kn_event_type_name((kn_event_type)type)) > 2);
        for (uint32_t other = 0; other < type; other++) {
            assert_string_not_equal(
                kn_event_type_name((kn_event_type)type), kn_event_type_name((kn_event_type)other));
        }
    }
    assert_string_equal(kn_event_type_name(KN_EVENT_TYPE_COUNT), "");
    for (uint32_t reason = 1; reason < KN_REMOVAL_REASON_COUNT; reason++) {
        assert_true(strlen(kn_removal_reason_name((kn_removal_reason)reason)) > 2);
    }
    assert_string_equal(kn_removal_reason_name((kn_removal_reason)0), "");
    assert_string_equal(kn_removal_reason_name(KN_REMOVAL_REASON_COUNT), "");
}

static void causes_are_told_from_the_last_to_the_host(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f);
    step(f, 0);
    apply(f, f->burn, (kn_entity_id){0}, a);
    step(f, KN_S(1));
    assert_cause(f, 0, "host");
    const kn_event *tick = event_last(f, KN_EVENT_ATTRIBUTE_CHANGED);
    assert_cause(f, tick->cause, "tick of Burn #2 on entity 1 <- host");
    const kn_event *first = &kn_world_events(f->world).data[0];
    assert_cause(f, first->cause, "Burn applied on entity 1 <- host");

    assert_int_equal(kn_entity_add_tag(f->world, a, f->weak, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    step(f, 0);
    kn_cause hit = event_last(f, KN_EVENT_ATTRIBUTE_CHANGED)->cause;
    assert_cause(f, hit, "Hit applied on entity 1 <- rule about State.Weak on entity 1 <- host");
    assert_cause(f, hit + 1000, "..."); // never was
    step(f, 0);
    step(f, 0);
    assert_cause(f, hit, "..."); // too old
}

typedef struct cause_call {
    fixture *f;
    kn_cause cause;
} cause_call;

static uint32_t cause_print(void *user, char *out, uint32_t size)
{
    const cause_call *call = user;
    return kn_cause_print(call->f->world, call->cause, out, size);
}

static uint32_t event_print(void *user, char *out, uint32_t size)
{
    fixture *f = user;
    return kn_event_print(f->world, &kn_world_events(f->world).data[0], out, size);
}

static void texts_are_cut_to_the_buffer(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f);
    assert_int_equal(kn_entity_add_tag(f->world, a, f->weak, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    step(f, 0);
    cause_call call = {f, event_last(f, KN_EVENT_ATTRIBUTE_CHANGED)->cause};
    assert_cuts(cause_print(&call, NULL, 0), cause_print, &call);
    assert_cuts(event_print(f, NULL, 0), event_print, f);
}

// Entities ------------------------------------------------------------------

// TAG-052 VER-008 GAPE-038
static void dump_shows_all_there_is_to_an_entity(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), b = actor(f);
    kn_tag granted = f->burning;
    apply(f, f->frailty, b, a);
    apply(f, f->wounds, b, a);
    apply(f, f->wounds, b, a);
    apply(f, f->blessing, (kn_entity_id){0}, a);
    kn_effect_apply_def burn = kn_effect_apply_def_default();
    burn.type = f->burn;
    burn.source = b;
    burn.target = a;
    burn.level = 2.5f;
    burn.dynamic_granted_tags = (kn_tags){&f->stun, 1};
    kn_effect_id burn_id;
    assert_int_equal(kn_effect_apply(f->world, &burn, &burn_id), KN_OK);
    apply(f, f->curse, b, a);
    assert_int_equal(kn_entity_add_tag(f->world, a, f->silenced, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    assert_int_equal(kn_entity_add_tag(f->world, a, granted, KN_TAG_ORIGIN_ABILITY, 3), KN_OK);
    // Came and went: a dump must not list it.
    assert_int_equal(kn_entity_add_tag(f->world, a, f->weak, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_entity_remove_tag(f->world, a, f->weak, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    step(f, KN_MS(750));
    assert_true(kn_entity_destroy(f->world, b));

    threat *t = kn_component_add(f->world, f->threat, a);
    *t = (threat){.amount = 0.1f,
        .hits = {7, 8},
        .target = a,
        .effect = burn_id,
        .tag = f->stun,
        .attribute = f->health,
        .balance = -5,
        .since = KN_MS(1500),
        .at = {1.0f, -2.0f, 0.5f}};
    threat_item *items = kn_component_resize(f->world, f->threat, a, 2);
    items[1] = (threat_item){a, true, 3, 400};
    assert_dump(f, a,
        "entity 1 at 0.750 s\n"
        "tags\n"
        "  State.Debuff.Stun  1  (effects 1)\n"
        "  State.Burning      4  (effects 1, abilities 3)\n"
        "  State.Silenced     2  (loose 2)\n"
        "blocked ability tags: 1\n"
        "  State.Debuff.Stun  1  (effect Curse #7)\n"
        "attributes\n"
        "  Vitals.MaxHealth  100   base 100\n"
        "  Vitals.Health     49.5  base 75\n"
        "  Vitals.Speed      3.5   base 4.5\n"
        "  Vitals.Damage     0     base 0  meta\n"
        "effects\n"
        "  Frailty #3  level 1, 1 stack, forever, by entity 2 (gone)\n"
        "    Vitals.Health  Multiply Additive x0.9\n"
        "    Vitals.Speed   Add -1\n"
        "  Wounds #4  level 1, 2 stacks, forever, by entity 2 (gone)\n"
        "    Vitals.Health  Add -20\n"
        "  Blessing #5  level 1, 1 stack, forever, inhibited: has State.Silenced\n"
        "    Vitals.Health  (Add +50: inhibited)\n"
        "  Burn #6  level 2.5, 1 stack, 9.25 s left of 10 s, every 0.5 s, next tick in 0.25 s, 2 "
        "done, by entity 2 (gone)\n"
        "    Vitals.Health  Add -2.5 each tick\n"
        "    grants State.Burning, State.Debuff.Stun\n"
        "  Curse #7  level 1, 1 stack, forever, by entity 2 (gone)\n"
        "    Vitals.Speed      (Add -0.5: ignored by policy)\n"
        "    Vitals.Health[7]  (Add +1: attribute missing)\n"
        "components\n"
        "  Threat\n"
        "    amount     0.1\n"
        "    hits       7, 8\n"
        "    target     entity 1\n"
        "    effect     Burn #6\n"
        "    tag        State.Debuff.Stun\n"
        "    attribute  Vitals.Health\n"
        "    balance    -5\n"
        "    since      1.5 s\n"
        "    at         1 -2 0.5\n"
        "    spare      0\n"
        "    [0] who none; is_hot false; rank 0; weight 0\n"
        "    [1] who entity 1; is_hot true; rank 3; weight 400\n");
}

static void assert_json_at(const char *json, const char *path, const char *expected)
{
    assert_string_equal(json_at(json, path), expected);
}

// DBG-004: components of the game by their field tables, as data too; and links between entities.
static void json_has_every_field_of_a_component(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f), b = actor(f);
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(f->world, f->burn, b, a, 1.0f, &effect), KN_OK);
    threat *t = kn_component_add(f->world, f->threat, a);
    *t = (threat){.amount = NAN,
        .hits = {7, UINT32_MAX},
        .target = b,
        .effect = effect,
        .tag = f->stun,
        .balance = INT32_MIN,
        .since = KN_US(-1500001),
        .at = {0.1f, -INFINITY, 0.5f}};
    threat_item *items = kn_component_resize(f->world, f->threat, a, 2);
    items[1] = (threat_item){a, true, 3, 400};
    assert_int_equal(kn_entity_set_owner(f->world, a, b), KN_OK);
    assert_int_equal(kn_entity_set_user(f->world, a, UINT64_MAX), KN_OK);
    static char json[65536];
    assert_true(kn_entity_dump_json(f->world, a, json, sizeof json) < sizeof json);
    assert_true(json_is_valid(json));
    assert_json_at(json, "components[0].type", "\"Threat\"");
    const char *fields = json_find(json, "components[0].fields");
    assert_json_at(fields, "",
        "{\"amount\":\"nan\",\"hits\":[7,4294967295],\"target\":\"2:2\",\"effect\":\"1:3\","
        "\"tag\":\"State.Debuff.Stun\",\"attribute\":null,\"balance\":-2147483648,"
        "\"since\":-1.500001,\"at\":[0.1,\"-inf\",0.5],\"spare\":0}");
    assert_json_at(json, "components[0].items[1]",
        "{\"who\":\"1:1\",\"is_hot\":true,\"rank\":3,\"weight\":400}");
    assert_json_at(json, "owned_by", "\"2:2\"");
    assert_json_at(json, "user", "\"18446744073709551615\"");
    assert_json_at(json, "attributes[1].max", "100");
    assert_json_at(json, "attributes[3].meta", "true");
    assert_json_at(json, "effects[0].next_tick_in", "0.5");
    assert_json_at(json, "effects[0].period", "0.5");
    assert_json_at(json, "effects[0].executions", "1");
    // A dump of its body shows the same; in the world the body only names its owner.
    kn_entity_id body;
    assert_int_equal(kn_entity_create(f->world, &body), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, a, body), KN_OK);
    assert_true(kn_entity_dump_json(f->world, body, json, sizeof json) < sizeof json);
    assert_json_at(json, "body_of", "\"1:1\"");
    assert_json_at(json, "effects[0].type", "\"Burn\"");
    assert_true(kn_world_dump_json(f->world, json, sizeof json) < sizeof json);
    assert_true(json_is_valid(json));
    assert_json_at(json, "entities[0].body", "\"3:4\"");
    assert_json_at(json, "entities[2].body_of", "\"1:1\"");
    assert_json_at(json, "entities[2].effects", "[]");
}

static void dump_shows_links_between_entities(void **state)
{
    fixture *f = *state;
    kn_entity_id player = actor(f), hero = actor(f), body, bare;
    assert_int_equal(kn_entity_create(f->world, &body), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &bare), KN_OK);
    assert_int_equal(kn_entity_set_avatar(f->world, hero, body), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, hero, player), KN_OK);
    assert_int_equal(kn_entity_set_connection(f->world, hero, 12), KN_OK);
    assert_int_equal(kn_entity_set_user(f->world, body, 77), KN_OK);
    assert_int_equal(kn_attribute_set_remove(f->world, hero, f->vitals, 0), KN_OK);
    assert_dump(f, hero, "entity 2 at 0.000 s, body entity 3, owned by entity 1, connection 12\n");
    assert_dump(f, body,
        "entity 3 at 0.000 s, body of entity 2, owned by entity 1, connection 12, user 77\n");
    assert_dump(f, bare, "entity 4 at 0.000 s\n");
    assert_int_equal(kn_entity_set_parent(f->world, bare, hero), KN_OK);
    assert_int_equal(kn_entity_add_tag(f->world, bare, f->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_dump(f, bare,
        "entity 4 at 0.000 s, part of entity 2\n"
        "tags\n"
        "  State.Debuff.Stun  1  (loose 1)\n");
    assert_dump(f, hero,
        "entity 2 at 0.000 s, body entity 3, owned by entity 1, connection 12\n"
        "tags\n"
        "  State.Debuff.Stun  1  (parts 1)\n");
    assert_true(kn_entity_destroy(f->world, bare));
    strcpy(text, "old");
    assert_int_equal(kn_entity_dump(f->world, bare, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(kn_entity_dump(f->world, (kn_entity_id){0}, NULL, 0), 0);
}

static uint32_t dump_print(void *user, char *out, uint32_t size)
{
    const explain_call *call = user;
    return kn_entity_dump(call->f->world, call->entity, out, size);
}

static void dump_is_cut_to_the_buffer(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f);
    apply(f, f->burn, a, a);
    apply(f, f->curse, a, a);
    assert_non_null(kn_component_add(f->world, f->threat, a));
    explain_call call = {f, a};
    assert_cuts(dump_print(&call, NULL, 0), dump_print, &call);
}

// Validation ----------------------------------------------------------------

static uint32_t assert_count;

static bool count_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    assert_count++;
    return false;
}

// The world is damaged in one place, found out, and mended.
#define ASSERT_NOTICED(f, place, damaged)                                                          \
    do {                                                                                           \
        __typeof__(place) before_ = (place);                                                       \
        (place) = (damaged);                                                                       \
        assert_count = 0;                                                                          \
        kn_assert_set_handler(count_assert);                                                       \
        bool good_ = kn_world_validate((f)->world);                                                \
        kn_assert_set_handler(NULL);                                                               \
        (place) = before_;                                                                         \
        assert_false(good_);                                                                       \
        assert_true(assert_count == 1 || !KN_ASSERTS);                                             \
        assert_true(kn_world_validate((f)->world));                                                \
    } while (0)

static void damage_is_noticed(void **state)
{
    fixture *f = *state;
    kn_world *w = f->world;
    kn_entity_id a = actor(f), b = actor(f), part;
    assert_int_equal(kn_entity_create(w, &part), KN_OK);
    assert_int_equal(kn_entity_set_parent(w, part, a), KN_OK);
    assert_int_equal(kn_entity_add_tag(w, part, f->stun, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    kn_effect_id frailty = apply(f, f->frailty, b, a);
    kn_effect_id burn = apply(f, f->burn, b, a);
    apply(f, f->curse, b, a);
    apply(f, f->shield, b, a);
    apply(f, f->blessing, b, a);
    threat *t = kn_component_add(w, f->threat, a);
    assert_non_null(t);
    assert_non_null(kn_component_resize(w, f->threat, a, 3));
    step(f, KN_MS(100));
    assert_true(kn_world_validate(w));

    uint32_t slot = kni_component_find(w, a);
    kni_component *component = kni_component_at(w, slot);
    kni_effect *effect = kni_effect_at(w, kni_effect_find(w, frailty));
    kni_effect *ticking = kni_effect_at(w, kni_effect_find(w, burn));
    ASSERT_NOTICED(f, component->gate_count, 0);
    ASSERT_NOTICED(f, component->watch_count, 0);
    ASSERT_NOTICED(f, component->owned_count, 1);
    ASSERT_NOTICED(f, component->entity, kni_entity_find(w, b));
    ASSERT_NOTICED(f, component->avatar, b);
    ASSERT_NOTICED(f, component->parent, b);
    ASSERT_NOTICED(f, component->layout, 1000);
    ASSERT_NOTICED(f, component->values, component->values + 1);
    ASSERT_NOTICED(f, component->effects.count, component->effects.count - 1);
    ASSERT_NOTICED(f, component->effects.ref, 1000000);
    ASSERT_NOTICED(f, component->blocked.count, 0);
    ASSERT_NOTICED(f, kni_entity_at(w, kni_entity_find(w, a))->component1, 0);
    ASSERT_NOTICED(f, kni_entity_at(w, kni_entity_find(w, a))->component1, 5000);
    ASSERT_NOTICED(f, effect->component, kni_component_find(w, b));
    ASSERT_NOTICED(f, effect->type, 60000);
    ASSERT_NOTICED(f, effect->stacks, 0);
    ASSERT_NOTICED(f, effect->number, w->next_number);
    ASSERT_NOTICED(f, effect->flags, 0);
    ASSERT_NOTICED(f, effect->rare1, 1);
    ASSERT_NOTICED(f, ticking->next_tick, KN_S(3));
    ASSERT_NOTICED(f, ticking->duration, KN_S(30));
    ASSERT_NOTICED(f, w->next_number, 2);
    ASSERT_NOTICED(f, w->rares.count, w->rares.count + 1);
    ASSERT_NOTICED(f, w->heap.live_bytes, w->heap.live_bytes + 8);
    ASSERT_NOTICED(f, w->wheel.count, w->wheel.count + 1);
    ASSERT_NOTICED(f, w->wheel.dead, w->wheel.count + 1);
    ASSERT_NOTICED(f, w->reaction_count, 1);

    kni_value *values = kni_values_of(w, component);
    uint32_t health = kni_position(w, component, f->health.index1 - 1);
    ASSERT_NOTICED(f, values[health].current, 12.0f);
    ASSERT_NOTICED(f, values[health].base, (float)INFINITY);
    ASSERT_NOTICED(f, values[health].aggregator1, 0);
    kni_aggregator *aggregator = kni_aggregator_at(w, values[health].aggregator1 - 1);
    ASSERT_NOTICED(f, aggregator->position, aggregator->position + 1);
    ASSERT_NOTICED(f, aggregator->component, kni_component_find(w, b));
    kni_mod *mod = KNI_SPAN_AT(w, aggregator->mods, kni_mod, 0);
    ASSERT_NOTICED(f, mod->magnitude, 3.0f);
    ASSERT_NOTICED(f, mod->modifier, 1);
    ASSERT_NOTICED(f, mod->effect, 4000);

    kni_tag_row *row = KNI_SPAN_AT(w, component->tags, kni_tag_row, 0);
    ASSERT_NOTICED(f, row->total, row->total + 1);
    ASSERT_NOTICED(f, row->tag, 40000);
    ASSERT_NOTICED(f, w->tag_bits[(size_t)slot * w->tag_words], 0);
    kni_origin_row *origin = KNI_SPAN_AT(w, component->origins, kni_origin_row, 0);
    ASSERT_NOTICED(f, origin->count, 1);
    ASSERT_NOTICED(f, origin->origin, KN_TAG_ORIGIN_EFFECT);

    kni_extension *extension = &w->extensions[f->threat.index1 - 1];
    ASSERT_NOTICED(f, extension->by_entity[kni_entity_find(w, a)], 0);
    ASSERT_NOTICED(f, extension->world_slot1, 1);
    kni_extension_head *head = kni_pool_at(&extension->pool, 0);
    ASSERT_NOTICED(f, head->entity, b);
    ASSERT_NOTICED(f, head->items.capacity, 1);
}

static void validation_leaves_the_world_alone(void **state)
{
    fixture *f = *state;
    kn_entity_id a = actor(f);
    apply(f, f->burn, a, a);
    step(f, KN_MS(100));
    kn_world_stats before = kn_world_get_stats(f->world);
    size_t blocks = f->memory.blocks;
    assert_true(kn_world_validate(f->world));
    kn_world_stats after = kn_world_get_stats(f->world);
    assert_int_equal(before.bytes, after.bytes);
    assert_int_equal(before.allocations, after.allocations);
    assert_int_equal(f->memory.blocks, blocks);
    // Without memory it says what it can.
    for (uint32_t i = 1; i < 12; i++) {
        f->memory.fail_at = f->memory.calls + i;
        assert_true(kn_world_validate(f->world));
        f->memory.fail_at = 0;
        assert_int_equal(f->memory.blocks, blocks);
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(explanation_names_every_modifier_and_its_result),
    TEST(explanation_tells_why_a_modifier_does_not_act),
    TEST(explanation_of_nothing_is_empty),
    TEST(long_explanations_are_whole_and_cut_ones_safe),
    TEST(events_are_told_in_a_line),
    TEST(lines_of_events_say_what_they_hold),
    TEST(every_type_of_event_can_be_printed),
    TEST(causes_are_told_from_the_last_to_the_host),
    TEST(texts_are_cut_to_the_buffer),
    TEST(dump_shows_all_there_is_to_an_entity),
    TEST(json_has_every_field_of_a_component),
    TEST(dump_shows_links_between_entities),
    TEST(dump_is_cut_to_the_buffer),
    TEST(damage_is_noticed),
    TEST(validation_leaves_the_world_alone),
};

TEST_GROUP(test_dump, tests, NULL, NULL);
