// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities among each other and beside the rest of the library: neighbours, shared data,
// attributes, abilities, cooldowns, and sets that last as long as something else does.

#include "capability/capability_test.h"

typedef struct breath {
    uint32_t depth;
    uint32_t unused;
    kn_ability_id ability;
} breath;

static kn_component_type_id breath_type;

static void breath_register(fixture *f)
{
    const kn_field fields[] = {
        KN_FIELD(breath, depth, KN_FIELD_U32),
        KN_FIELD(breath, unused, KN_FIELD_U32),
        KN_FIELD(breath, ability, KN_FIELD_ABILITY),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Breath";
    def.size = sizeof(breath);
    def.fields = fields;
    def.field_count = 3;
    assert_int_equal(kn_component_register(f->library, &def, &breath_type, NULL), KN_OK);
}

// All capabilities in a set with the data, which the hero has.
static kn_capability_set_id begin_with_data(fixture *f)
{
    kn_capability_id ids[CAPABILITIES_MAX];
    kn_capability_set_id set;
    capabilities_done(f);
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = "S";
    def.rate = 0;
    def.capabilities = ids;
    def.data = &breath_type;
    def.data_count = 1;
    for (; def.capability_count < f->script_count; def.capability_count++) {
        ids[def.capability_count] = f->scripts[def.capability_count].id;
    }
    assert_int_equal(kn_capability_set_register(f->library, &def, &set, NULL), KN_OK);
    begin(f);
    add(f, set);
    hush(f);
    return set;
}

static breath *breath_of(fixture *f)
{
    return kn_component_get(f->world, breath_type, f->hero);
}

// Among each other ------------------------------------------------------------------------

// What was traced of one capability.
static void only(fixture *f, const char *name, char *out, size_t size)
{
    char text[sizeof(f->log)];
    out[0] = 0;
    (void)snprintf(text, sizeof(text), "%s", f->log);
    for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
        size_t length = strlen(out);
        if (strcmp(strchr(word, '_') + 1, name) == 0) {
            (void)snprintf(out + length, size - length, "%s%s", length > 0 ? " " : "", word);
        }
    }
}

// CAP-001
static void neighbours_come_move_and_go_unnoticed(void **state)
{
    fixture *f = *state;
    script *s = capabilities(f, "ABC");
    capabilities_done(f);
    kn_capability_set_id sets[] = {
        set_of(f, "S1", "A"), set_of(f, "S2", "B"), set_of(f, "S3", "C")};
    begin(f);
    add(f, sets[0]);
    frame(f, 10);
    add(f, sets[1]);
    frame(f, 10);
    add(f, sets[2]);
    frame(f, 10);
    assert_int_equal(kn_capability_move(f->world, f->hero, number_of(f, &s[2]), 0), KN_OK);
    frame(f, 10);
    take(f, sets[1]);
    frame(f, 10);
    take(f, sets[2]);
    frame(f, 10);
    char of_a[sizeof(f->log)];
    only(f, "A", of_a, sizeof(of_a));
    assert_string_equal(of_a, "SL_A SU_A ON_A TK_A TK_A TK_A TK_A TK_A TK_A");
    only(f, "B", of_a, sizeof(of_a));
    assert_string_equal(of_a, "SL_B SU_B ON_B TK_B TK_B TK_B OFF_B EC_B EL_B");
}

static void breathes(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    ((breath *)kn_component_get(world, breath_type, entity))->depth++;
    ++*(uint32_t *)kn_capability_state(world, entity, number);
}

static void copies_breath(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    uint32_t depth = ((const breath *)kn_component_read(world, breath_type, entity))->depth;
    *(uint32_t *)kn_capability_state(world, entity, number) = depth * 10;
}

// CAP-002: one gives a tag and writes data, the other waits for the tag and reads the data; neither
// names the other, and each has its own state.
static void they_work_together_through_tags_and_data(void **state)
{
    fixture *f = *state;
    const kn_field count = KN_FIELD_INIT("count", KN_FIELD_U32, 0, 1);
    breath_register(f);
    script *s = capabilities(f, "AB");
    s[0].def.grants_tags = s[1].def.when.required = (kn_tags){&f->move, 1};
    s[0].def.state = s[1].def.state = &count;
    s[0].def.state_count = s[1].def.state_count = 1;
    s[0].tick = breathes;
    s[1].tick = copies_breath;
    s[0].stops = true;
    s[0].starts = false;
    (void)begin_with_data(f);
    frame(f, 10);
    EXPECT(f, "");
    s[0].stops = false;
    s[0].starts = true;
    frame(f, 10);
    EXPECT(f, "ON_A TK_A ON_B TK_B");
    frame(f, 10);
    const uint32_t *own[2];
    for (size_t i = 0; i < 2; i++) {
        own[i] = kn_capability_read_state(f->world, f->hero, number_of(f, &s[i]));
    }
    assert_int_equal(*own[0], 2);
    assert_int_equal(*own[1], 20);
    hush(f);
    s[0].stops = true;
    frame(f, 10);
    EXPECT(f, "OFF_A OFF_B");
}

// Beside the rest -------------------------------------------------------------------------

static kn_attribute_id health;

static kn_result hook_is_hurt(void *user, const kn_hook_call *call)
{
    (void)user;
    return kn_attribute_value(call->world, call->entity, health) < 50.0f ? KN_OK
                                                                         : KN_REFUSED_CUSTOM;
}

static kn_result hook_is_well(void *user, const kn_hook_call *call)
{
    return hook_is_hurt(user, call) == KN_OK ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_effect_type_id effect_of(fixture *f, kn_effect_def def)
{
    kn_effect_type_id type;
    kn_error error = {0};
    if (kn_effect_register(f->library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

// CAP-223: effects change attributes; data components are plain, and nobody else's business.
static void effects_reach_it_through_attributes(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Health";
    attribute.default_value = 100.0f;
    kn_attribute_set_def vitals = kn_attribute_set_def_default();
    kn_attribute_set_id vitals_id;
    vitals.name = "Vitals";
    vitals.attributes = &attribute;
    vitals.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(f->library, &vitals, &vitals_id, NULL), KN_OK);
    health = kn_attribute_find(f->library, "Vitals.Health");
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = health;
    modifier.op = KN_OP_ADD;
    modifier.magnitude = kn_magnitude_constant(-60.0f);
    kn_effect_def curse = kn_effect_def_default();
    curse.name = "Curse";
    curse.duration_kind = KN_DURATION_INFINITE;
    curse.modifiers = &modifier;
    curse.modifier_count = 1;
    kn_effect_type_id curse_type = effect_of(f, curse);
    breath_register(f);
    script *a = capabilities(f, "A");
    a->def.should_activate = (kn_hook){hook_is_hurt, NULL};
    a->def.should_deactivate = (kn_hook){hook_is_well, NULL};
    (void)begin_with_data(f);
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, vitals_id, 0), KN_OK);
    breath_of(f)->depth = 7;
    frame(f, 10);
    EXPECT(f, "OFF_A"); // it has health now
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, curse_type, f->foe, f->hero, 1.0f, &effect), KN_OK);
    frame(f, 10);
    EXPECT(f, "ON_A TK_A");
    assert_int_equal(breath_of(f)->depth, 7);
    assert_int_equal(kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    frame(f, 10);
    EXPECT(f, "OFF_A");
    assert_int_equal(breath_of(f)->depth, 7);
}

static kn_ability_type_id ability_of(fixture *f, kn_ability_def def)
{
    kn_ability_type_id type;
    kn_error error = {0};
    if (kn_ability_register(f->library, &def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_ability_id granted(fixture *f, kn_ability_type_id type)
{
    kn_ability_id id;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = type;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &id), KN_OK);
    return id;
}

static void activates_ability(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)f;
    (void)number;
    const breath *data = kn_component_read(world, breath_type, entity);
    assert_int_equal(kn_ability_activate(world, data->ability, NULL, NULL), KN_OK);
}

// CAP-222, CAP-115: a capability activates an ability, which blocks another capability meanwhile.
static void a_capability_may_activate_an_ability_which_blocks_others(void **state)
{
    fixture *f = *state;
    kn_capability_rules_def rules = kn_capability_rules_def_default();
    rules.name = "Rules";
    rules.shares_ability_blocks = true;
    assert_int_equal(kn_capability_rules_register(f->library, &rules, NULL), KN_OK);
    kn_ability_def stomp = kn_ability_def_default();
    stomp.name = "Stomp";
    stomp.block_with = (kn_tags){&f->move, 1};
    kn_ability_type_id type = ability_of(f, stomp);
    breath_register(f);
    script *s = capabilities(f, "AB");
    s[0].def.tags = (kn_tags){&f->look, 1};
    s[1].def.tags = (kn_tags){&f->fly, 1};
    s[0].on = activates_ability;
    s[0].stops = true;
    s[0].starts = false;
    (void)begin_with_data(f);
    kn_ability_id ability = granted(f, type);
    breath_of(f)->ability = ability;
    frame(f, 10);
    EXPECT(f, "TK_B");
    s[0].stops = false;
    s[0].starts = true;
    frame(f, 10);
    EXPECT(f, "ON_A TK_A OFF_B");
    assert_true(kn_ability_is_active(f->world, ability));
    frame(f, 10);
    EXPECT(f, "TK_A");
    (void)kn_abilities_cancel(f->world, f->hero, NULL);
    frame(f, 10);
    EXPECT(f, "TK_A ON_B TK_B");
}

static kn_result hook_is_ready(void *user, const kn_hook_call *call)
{
    const breath *data = kn_component_read(call->world, breath_type, call->entity);
    kn_time remaining, total;
    (void)user;
    return kn_ability_cooldown(call->world, data->ability, &remaining, &total) ? KN_REFUSED_CUSTOM
                                                                               : KN_OK;
}

// CAP-224: the cooldown is the ability's; the data says which one.
static void data_may_name_a_cooldown(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = kn_cooldown_def_default();
    cooldown.duration = kn_constant(0.05f);
    kn_ability_def dash = kn_ability_def_default();
    dash.name = "Dash";
    dash.cooldowns = &cooldown;
    dash.cooldown_count = 1;
    dash.commit = KN_COMMIT_AT_USE;
    kn_ability_type_id type = ability_of(f, dash);
    breath_register(f);
    script *a = capabilities(f, "A");
    a->def.should_activate = (kn_hook){hook_is_ready, NULL};
    a->stops = true;
    (void)begin_with_data(f);
    kn_ability_id ability = granted(f, type);
    breath_of(f)->ability = ability;
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_OK);
    for (int i = 0; i < 4; i++) {
        frame(f, 10);
        EXPECT(f, "");
    }
    frame(f, 10);
    EXPECT(f, "ON_A TK_A");
}

// Orders ----------------------------------------------------------------------------------

static kn_capability_set_id march;

static void order_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (reaction->trigger == KN_TRIGGER_EFFECT_APPLIED) {
        assert_int_equal(kn_capability_set_add(world, reaction->entity, march, NULL), KN_OK);
    } else {
        assert_int_equal(kn_capability_set_remove(world, reaction->entity, march), KN_OK);
    }
}

static void cancels_order(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    kn_effect_id order;
    kn_effect_query query = kn_effect_query_default();
    (void)f;
    (void)number;
    assert_int_equal(kn_effects_find(world, entity, &query, &order, 1), 1);
    assert_int_equal(kn_effect_remove(world, order, 0, KN_REMOVED_BY_CALL), KN_OK);
}

// CAP-225, CAP-122: an order whose execution is a set. Cancelled in the middle of a run, it leaves
// nothing behind.
static void a_set_may_last_as_long_as_an_order(void **state)
{
    fixture *f = *state;
    kn_effect_def order = kn_effect_def_default();
    order.name = "Order";
    order.duration_kind = KN_DURATION_INFINITE;
    kn_effect_type_id type = effect_of(f, order);
    static const kn_trigger triggers[] = {KN_TRIGGER_EFFECT_APPLIED, KN_TRIGGER_EFFECT_REMOVED};
    for (size_t i = 0; i < 2; i++) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id id;
        rule.name = i == 0 ? "Begin" : "End";
        rule.trigger = triggers[i];
        rule.effect_type = type;
        rule.function = order_rule;
        assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    }
    script *s = capabilities(f, "ABC");
    s[0].def.grants_tags = (kn_tags){&f->stunned, 1};
    s[1].def.blocks = (kn_tags){&f->x, 1};
    s[2].def.tags = (kn_tags){&f->x, 1};
    capabilities_done(f);
    kn_capability_set_id own = set_of(f, "Own", "C");
    march = set_of(f, "March", "AB");
    begin(f);
    add(f, own);
    hush(f);
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->ally, f->hero, 1.0f, NULL), KN_OK);
    EXPECT(f, "SL_A SL_B SU_A ON_A SU_B ON_B");
    frame(f, 10);
    EXPECT(f, "OFF_C TK_A TK_B");
    assert_true(kn_entity_has_tag(f->world, f->hero, f->stunned));
    s[0].tick = cancels_order;
    frame(f, 10);
    assert_null(strstr(f->log, "TK_C"));
    assert_non_null(strstr(f->log, "OFF_B EC_B EL_B OFF_A EC_A EL_A"));
    hush(f);
    assert_false(kn_entity_has_tag(f->world, f->hero, f->stunned));
    assert_int_equal(kn_capability_blocks(f->world, f->hero, NULL, 0), 0);
    frame(f, 10);
    EXPECT(f, "ON_C TK_C");
}

static const struct CMUnitTest tests[] = {
    TEST(neighbours_come_move_and_go_unnoticed),
    TEST(they_work_together_through_tags_and_data),
    TEST(effects_reach_it_through_attributes),
    TEST(a_capability_may_activate_an_ability_which_blocks_others),
    TEST(data_may_name_a_cooldown),
    TEST(a_set_may_last_as_long_as_an_order),
};

TEST_GROUP(capability_together, tests, NULL, NULL);
