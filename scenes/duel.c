// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A knight and a mage fight, with a priest at the knight's side. Damage is a meta attribute that
// runs through the event pipeline and is spent on shields before health; armour comes in stacks;
// stuns switch other effects off; what ends starts something else.

#include "scene_tools.h"

#include <string.h>

enum {
    TIMER_KNIGHT = 1,
    TIMER_MAGE,
    TIMER_PRIEST,
    TIMER_BOLT,
};

enum {
    STREAM_KNIGHT,
    STREAM_MAGE,
    STREAM_PRIEST,
};

// Who is who: the scene's actors are the first entities.
enum {
    KNIGHT,
    MAGE,
    PRIEST,
    SWORD,
};

typedef struct bolt_payload {
    uint32_t number;
    float charge;
} bolt_payload;

static const kn_context_type_id bolt_context = {1};

// Hooks of the set ----------------------------------------------------------

// Damage that is left after the shield goes to health.
static void spend_damage(void *user, const kn_execute_data *data)
{
    (void)user;
    kn_world *world = data->world;
    if (!kn_attribute_id_equal(data->attribute, rule_attribute(world, "Fighter.Damage"))) {
        return;
    }
    kn_attribute_id shield = rule_attribute(world, "Fighter.Shield");
    kn_attribute_id health = rule_attribute(world, "Fighter.Health");
    float damage = data->new_base;
    float held = kn_attribute_base(world, data->entity, shield);
    float absorbed = damage < held ? damage : held;
    if (absorbed > 0.0f) {
        (void)kn_attribute_set_base(world, data->entity, shield, 0, held - absorbed);
    }
    if (damage > absorbed) {
        float left = kn_attribute_base(world, data->entity, health) - (damage - absorbed);
        (void)kn_attribute_set_base(world, data->entity, health, 0, left);
    }
}

// Nobody loses more than half of what is there at once.
static float soften(void *user, const kn_attribute_change *change)
{
    (void)user;
    float least = change->old_value * 0.5f;
    bool is_health =
        kn_attribute_id_equal(change->attribute, rule_attribute(change->world, "Fighter.Health"));
    return is_health && change->new_value < least ? least : change->new_value;
}

// Healing a fighter in despair does less.
static bool weigh_healing(void *user, kn_execute_data *data)
{
    (void)user;
    if (data->magnitude > 0.0f && data->op == KN_OP_ADD &&
        kn_entity_has_tag(data->world, data->entity, rule_tag(data->world, "State.Despair"))) {
        data->magnitude *= 0.5f;
    }
    return data->magnitude != 0.0f;
}

// Rules ---------------------------------------------------------------------

// Power against armour, and the charge the bolt was made with.
static float mitigate(void *user, const kn_calculation *calculation)
{
    (void)user;
    float power = kn_calculation_capture(calculation, 0);
    float armour = kn_calculation_capture(calculation, 1);
    const void *payload = kn_spec_view_payload(kn_calculation_spec(calculation), bolt_context);
    bolt_payload bolt = {0};
    if (payload != NULL) {
        rule_recall(&bolt, payload, sizeof bolt);
    }
    return (power + bolt.charge) * 20.0f / (20.0f + armour);
}

static void strike(void *user, kn_execution *execution)
{
    (void)user;
    const kn_world *world = kn_execution_world(execution);
    float power = kn_execution_capture(execution, 0);
    float armour = kn_execution_capture(execution, 1);
    float edge = 0.0f;
    (void)kn_execution_transient(execution, rule_tag(world, "Data.Edge"), &edge);
    float damage = (power + edge) * 15.0f / (15.0f + armour);
    kn_execution_output(execution, rule_attribute(world, "Fighter.Damage"), 0, KN_OP_ADD, damage);
    kn_execution_output(execution, rule_attribute(world, "Fighter.Armour"), 0, KN_OP_ADD, -0.25f);
    if (damage > 9.0f) {
        kn_execution_trigger_children(execution);
    }
}

// A fighter at full health takes no blessing.
static kn_requirement_answer needs_help(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)user;
    (void)existing;
    kn_entity_id target = kn_spec_view_target(spec);
    float health = kn_attribute_value(world, target, rule_attribute(world, "Fighter.Health"));
    float most = kn_attribute_value(world, target, rule_attribute(world, "Fighter.MaxHealth"));
    return health < most ? KN_REQUIREMENT_ALLOW : KN_REQUIREMENT_DENY;
}

// A curse remembers its ticks and bites at the end.
static void curse_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)world;
    uint32_t ticks;
    rule_recall(&ticks, state, sizeof ticks);
    ticks += kn_spec_view_stacks(spec);
    rule_keep(state, &ticks, sizeof ticks);
}

static void curse_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    uint32_t ticks;
    rule_recall(&ticks, state, sizeof ticks);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    kn_caller_value amount = {rule_tag(world, "Data.Amount"), (float)ticks};
    apply.type = rule_effect(world, "Bite");
    apply.target = kn_spec_view_target(spec);
    apply.source = kn_spec_view_source(spec);
    apply.caller_values = &amount;
    apply.caller_value_count = 1;
    if (reason == KN_REMOVED_EXPIRED && kn_effect_apply(world, &apply, NULL) != KN_OK) {
        (void)kn_event_send(world, apply.target, rule_tag(world, "Event.Spared"), NULL);
    }
}

static bool is_heavy(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    answer->magnitude = record->magnitude > 8.0f ? 0.75f : answer->magnitude;
    return record->magnitude > 4.0f;
}

// Somebody was hit hard: despair, and the armour cracks.
static void on_hit(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (reaction->magnitude > 6.0f) {
        (void)rule_apply(world, "Despair", reaction->instigator, reaction->entity, 1.0f);
    }
}

static void on_stun_over(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)rule_apply(world, "Fury", reaction->entity, reaction->entity, 2.0f);
}

static kn_time knight_acts(void *user, kn_world *world, kn_entity_id knight, void *data)
{
    (void)user;
    (void)data;
    kn_entity_id mage = rule_entity(world, MAGE);
    kn_effect_context context = {.causer = rule_entity(world, SWORD), .source_object = 7};
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = rule_effect(world, "Strike");
    apply.source = knight;
    apply.target = mage;
    apply.context = &context;
    apply.level = (float)(1 + kn_random_below(world, STREAM_KNIGHT, 4));
    if (kn_effect_apply(world, &apply, NULL) != KN_OK) {
        (void)rule_apply(world, "Fury", knight, knight, 1.0f);
    }
    if (kn_random_below(world, STREAM_KNIGHT, 5) == 0 ||
        kn_entity_has_tag(world, mage, rule_tag(world, "State.Open"))) {
        (void)rule_apply(world, "Stun", knight, mage, 1.0f);
    }
    (void)rule_apply(world, "Plate", knight, knight, 1.0f);
    (void)rule_apply(world, "Plate", mage, mage, 1.0f);
    return KN_MS(430) + KN_US(kn_random_below(world, STREAM_KNIGHT, 90001));
}

// A bolt flies for a while as a spec, with the mage's power as it was when it left.
static kn_time mage_acts(void *user, kn_world *world, kn_entity_id mage, void *data)
{
    (void)user;
    uint32_t number;
    rule_recall(&number, data, sizeof number);
    number++;
    rule_keep(data, &number, sizeof number);
    kn_entity_id knight = rule_entity(world, KNIGHT);
    bolt_payload bolt = {number, kn_random_float(world, STREAM_MAGE)};
    uint8_t payload[sizeof bolt];
    rule_keep(payload, &bolt, sizeof bolt);
    kn_effect_context context = {.payload_type = bolt_context,
        .payload = payload,
        .origin = {1.0f, 2.0f, 3.0f},
        .has_origin = true};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rule_effect(world, "Bolt");
    def.source = mage;
    def.context = &context;
    kn_spec_id spec;
    if (kn_spec_create(world, &def, &spec) == KN_OK) {
        (void)kn_spec_set_caller_value(
            world, spec, rule_tag(world, "Data.Amount"), 1.0f + bolt.charge);
        uint8_t cargo[KN_TIMER_DATA_SIZE] = {0};
        rule_keep(cargo, &spec, sizeof spec);
        kn_timer_id flight;
        if (kn_timer_start(world, (kn_timer_type_id){TIMER_BOLT}, (kn_entity_id){0}, KN_MS(350),
                cargo, &flight) != KN_OK) {
            kn_spec_destroy(world, spec);
        }
    }
    if (number % 3 == 0) {
        (void)rule_apply(world, "Curse", mage, knight, 1.0f);
    }
    if (number % 7 == 0) {
        (void)rule_apply(world, "Drain", mage, knight, 1.0f);
    }
    if (number % 5 == 0) {
        (void)rule_apply(world, "Stun", mage, knight, 1.0f);
    }
    return KN_MS(610) + KN_US(kn_random_below(world, STREAM_MAGE, 50021));
}

static kn_time bolt_lands(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)entity;
    kn_spec_id spec;
    rule_recall(&spec, data, sizeof spec);
    (void)!kn_spec_apply(world, spec, rule_entity(world, KNIGHT), NULL);
    kn_spec_destroy(world, spec);
    return 0;
}

static kn_time priest_acts(void *user, kn_world *world, kn_entity_id priest, void *data)
{
    (void)user;
    (void)data;
    kn_entity_id knight = rule_entity(world, KNIGHT);
    uint32_t choice = kn_random_below(world, STREAM_PRIEST, 6);
    if (choice < 3) {
        (void)rule_apply(world, "Mend", priest, knight, (float)(1 + choice));
    } else if (choice == 3) {
        (void)rule_apply(world, "Ward", priest, knight, 2.0f);
    } else if (choice == 4) {
        (void)rule_apply(world, "Blessing", priest, knight, 1.0f);
    } else {
        kn_tag curse = rule_tag(world, "Kind.Curse");
        kn_effect_query query = kn_effect_query_default();
        query.asset_tags = ONE_TAG(curse);
        (void)kn_effects_remove(world, knight, &query, 1, KN_REMOVED_DISPELLED, NULL);
    }
    return KN_MS(770) + KN_US(kn_random_below(world, STREAM_PRIEST, 60013));
}

// Declaration ---------------------------------------------------------------

static void declare_fighter(scene_builder *builder)
{
    kn_attribute_def attributes[] = {
        scene_attribute("MaxHealth", 200.0f),
        scene_pool("Health", 200.0f, "MaxHealth", KN_LINK_PROPORTION),
        scene_pool("Shield", 0.0f, "MaxHealth", KN_LINK_CLAMP),
        scene_attribute("Armour", 10.0f),
        scene_attribute("Power", 12.0f),
        scene_attribute("Damage", 0.0f),
    };
    attributes[3].min = kn_limit_constant(0.0f);
    attributes[3].base_min = kn_limit_constant(-5.0f);
    attributes[5].is_meta = true;
    attributes[5].event_kind = "Damage";
    const kn_attribute_hooks hooks = {
        .pre_execute = weigh_healing,
        .pre_base_change = soften,
        .post_execute = spend_damage,
    };
    scene_set(builder, "Fighter", attributes, COUNT_OF(attributes), &hooks);
}

static void declare_pipeline(scene_builder *builder)
{
    if (builder->result != KN_OK) {
        return;
    }
    kn_value_id outgoing = {0}, incoming = {0};
    kn_value_def value = kn_value_def_default();
    value.name = "DamageDone";
    scene_note(builder, kn_value_register(builder->library, &value, &outgoing, &builder->error));
    value.name = "DamageTaken";
    value.has_max = true;
    value.max = 30.0f;
    scene_note(builder, kn_value_register(builder->library, &value, &incoming, &builder->error));
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.tag = scene_tag(builder, "Event.Damage");
    kind.outgoing = outgoing;
    kind.incoming = incoming;
    kn_event_kind_id id;
    if (builder->result == KN_OK) {
        scene_note(builder, kn_event_kind_register(builder->library, &kind, &id, &builder->error));
    }
}

static void declare_strike(scene_builder *builder)
{
    kn_capture captures[2] = {
        {.attribute = scene_find_attribute(builder, "Fighter.Power"),
            .from = KN_CAPTURE_FROM_SOURCE},
        {.attribute = scene_find_attribute(builder, "Fighter.Armour"),
            .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_tag edge = scene_tag(builder, "Data.Edge");
    kn_execution_def def = kn_execution_def_default();
    def.name = "Strike";
    def.captures = captures;
    def.capture_count = 2;
    def.transients = ONE_TAG(edge);
    def.function = strike;
    kn_execution_id execution = {0};
    if (builder->result == KN_OK) {
        scene_note(
            builder, kn_execution_register(builder->library, &def, &execution, &builder->error));
    }
    const kn_calculation_modifier sharper[] = {
        {.capture = 0, .op = KN_OP_MULTIPLY, .magnitude = kn_constant(1.25f)},
        {.transient = edge, .op = KN_OP_ADD, .magnitude = kn_constant(3.0f)},
    };
    const kn_execution_use use = {
        .execution = execution, .modifiers = sharper, .modifier_count = COUNT_OF(sharper)};
    kn_child_def wound = kn_child_def_default();
    wound.type_name = "Wound";
    wound.when = KN_CHILD_EXECUTED;
    kn_tag clang = scene_tag(builder, "Cue.Clang");
    kn_effect_def effect = scene_effect_def("Strike", KN_DURATION_INSTANT, 0.0f);
    effect.executions = &use;
    effect.execution_count = 1;
    effect.children = &wound;
    effect.child_count = 1;
    effect.cue_tags = ONE_TAG(clang);
    scene_effect(builder, &effect);

    kn_modifier_def bleed =
        kn_modifier_constant(scene_find_attribute(builder, "Fighter.Damage"), KN_OP_ADD, 1.25f);
    kn_effect_def wounds = scene_effect_def("Wound", KN_DURATION_TIMED, 2.2f);
    scene_every(&wounds, 0.4f);
    wounds.skip_first_tick = true;
    wounds.partial_last_tick = true;
    wounds.modifiers = &bleed;
    wounds.modifier_count = 1;
    wounds.stacking.kind = KN_STACK_BY_SOURCE;
    wounds.stacking.limit = kn_constant(4.0f);
    wounds.stacking.refresh = KN_REFRESH_PANDEMIC;
    wounds.keeps_tally = true;
    scene_effect(builder, &wounds);
}

static void declare_magic(scene_builder *builder)
{
    kn_tag amount = scene_tag(builder, "Data.Amount");
    kn_attribute_id damage = scene_find_attribute(builder, "Fighter.Damage");
    kn_attribute_id health = scene_find_attribute(builder, "Fighter.Health");
    const kn_capture captures[2] = {
        {.attribute = scene_find_attribute(builder, "Fighter.Power"),
            .from = KN_CAPTURE_FROM_SOURCE,
            .snapshot = true},
        {.attribute = scene_find_attribute(builder, "Fighter.Armour"),
            .from = KN_CAPTURE_FROM_TARGET},
    };
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Mitigate";
    def.captures = captures;
    def.capture_count = 2;
    def.function = mitigate;
    kn_calculation_id mitigated = {0};
    kn_context_type_id payload = {0};
    if (builder->result == KN_OK) {
        scene_note(
            builder, kn_calculation_register(builder->library, &def, &mitigated, &builder->error));
        scene_note(builder, kn_context_type_register(builder->library, "Bolt", sizeof(bolt_payload),
                                &payload, &builder->error));
    }

    kn_modifier_def parts[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    parts[0].attribute = damage;
    parts[0].op = KN_OP_ADD;
    parts[0].magnitude = kn_magnitude_calculation(mitigated);
    parts[1].attribute = damage;
    parts[1].op = KN_OP_ADD;
    parts[1].magnitude = kn_magnitude_set_by_caller(amount);
    kn_effect_def bolt = scene_effect_def("Bolt", KN_DURATION_INSTANT, 0.0f);
    bolt.modifiers = parts;
    bolt.modifier_count = 2;
    scene_effect(builder, &bolt);

    kn_modifier_def bite = kn_modifier_def_default();
    bite.attribute = damage;
    bite.op = KN_OP_ADD;
    bite.magnitude = kn_magnitude_set_by_caller(amount);
    scene_simple_effect(builder, "Bite", KN_DURATION_INSTANT, 0.0f, bite);

    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Curse";
    logic.state_size = sizeof(uint32_t);
    logic.ticked = curse_ticked;
    logic.removed = curse_removed;
    kn_effect_logic_id remembers = {0};
    if (builder->result == KN_OK) {
        scene_note(builder,
            kn_effect_logic_register(builder->library, &logic, &remembers, &builder->error));
    }
    kn_tag kind = scene_tag(builder, "Kind.Curse");
    kn_modifier_def weaken =
        kn_modifier_constant(scene_find_attribute(builder, "Fighter.Power"), KN_OP_ADD, -0.25f);
    kn_effect_def curse = scene_effect_def("Curse", KN_DURATION_TIMED, 3.3f);
    scene_every(&curse, 0.5f);
    curse.modifiers = &weaken;
    curse.modifier_count = 1;
    curse.asset_tags = ONE_TAG(kind);
    curse.logic = remembers;
    curse.stacking.kind = KN_STACK_BY_TARGET;
    curse.stacking.refresh = KN_REFRESH_ALIGN_TICK;
    curse.stacking.period_reset = KN_PERIOD_KEEP;
    scene_effect(builder, &curse);

    // Drained health comes back to the mage when the drain ends: what was really taken.
    kn_modifier_def sip = kn_modifier_constant(health, KN_OP_ADD, -2.0f);
    kn_raise_def taken = kn_raise_def_default();
    taken.when = KN_RAISE_EXPIRED;
    taken.tag = scene_tag(builder, "Event.Drained");
    taken.to = KN_RECIPIENT_SOURCE;
    taken.magnitude = kn_magnitude_of(KN_MAGNITUDE_TALLY_LOSS);
    kn_effect_def drain = scene_effect_def("Drain", KN_DURATION_TIMED, 2.0f);
    scene_every(&drain, 0.25f);
    drain.modifiers = &sip;
    drain.modifier_count = 1;
    drain.keeps_tally = true;
    drain.raises = &taken;
    drain.raise_count = 1;
    drain.ends_with_source = true;
    scene_effect(builder, &drain);
}

static void on_drained(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    float health =
        kn_attribute_base(world, reaction->entity, rule_attribute(world, "Fighter.Health"));
    (void)kn_attribute_set_base(world, reaction->entity, rule_attribute(world, "Fighter.Health"), 0,
        health + reaction->magnitude);
}

static void declare_guard(scene_builder *builder)
{
    kn_tag guarded = scene_tag(builder, "State.Guarded");
    kn_condition_id heavy = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_condition_register(builder->library, "Heavy", is_heavy, NULL, &heavy,
                                &builder->error));
    }
    kn_modifier_def plate =
        kn_modifier_constant(scene_find_attribute(builder, "Fighter.Armour"), KN_OP_ADD, 2.0f);
    kn_child_def brace = kn_child_def_default();
    brace.type_name = "Brace";
    brace.when = KN_CHILD_OVERFLOW;
    kn_effect_def plates = scene_effect_def("Plate", KN_DURATION_TIMED, 1.9f);
    plates.modifiers = &plate;
    plates.modifier_count = 1;
    plates.granted_tags = ONE_TAG(guarded);
    plates.stacking.kind = KN_STACK_BY_SOURCE;
    plates.stacking.limit = kn_constant(3.0f);
    plates.stacking.own_timers = true;
    plates.stacking.at_cap = KN_STACK_CAP_REPLACE_OLDEST;
    plates.children = &brace;
    plates.child_count = 1;
    scene_effect(builder, &plates);

    // Braced: heavy hits do three quarters.
    kn_modifier_def less = kn_modifier_def_default();
    less.value = builder->result == KN_OK ? kn_value_find(builder->library, "DamageTaken")
                                          : (kn_value_id){0};
    less.op = KN_OP_MULTIPLY;
    less.magnitude = kn_magnitude_constant(0.9f);
    less.condition = heavy;
    kn_effect_def braced = scene_effect_def("Brace", KN_DURATION_TIMED, 1.0f);
    braced.modifiers = &less;
    braced.modifier_count = 1;
    braced.stacking.kind = KN_STACK_BY_TARGET;
    braced.stacking.refresh = KN_REFRESH_KEEP_LONGER;
    scene_effect(builder, &braced);

    static const kn_curve_point points[] = {{1.0f, 5.0f}, {2.0f, 12.0f}, {4.0f, 20.0f}};
    kn_curve_id strength = scene_curve(builder, "Mend", points, COUNT_OF(points));
    kn_modifier_def mend = kn_modifier_def_default();
    mend.attribute = scene_find_attribute(builder, "Fighter.Health");
    mend.op = KN_OP_ADD;
    mend.magnitude = kn_magnitude_by_level(1.0f, strength);
    kn_effect_def mend_effect = scene_effect_def("Mend", KN_DURATION_INSTANT, 0.0f);
    mend_effect.modifiers = &mend;
    mend_effect.modifier_count = 1;
    mend_effect.chance = kn_magnitude_constant(0.8f);
    scene_effect(builder, &mend_effect);

    kn_modifier_def shield =
        kn_modifier_constant(scene_find_attribute(builder, "Fighter.Shield"), KN_OP_ADD, 15.0f);
    kn_gate_def no_curse = {0};
    kn_tag curse = scene_tag(builder, "Kind.Curse");
    no_curse.record.required = ONE_TAG(curse);
    kn_effect_def ward = scene_effect_def("Ward", KN_DURATION_TIMED, 4.0f);
    scene_every(&ward, 2.0f);
    ward.modifiers = &shield;
    ward.modifier_count = 1;
    ward.gates = &no_curse;
    ward.gate_count = 1;
    scene_effect(builder, &ward);

    kn_requirement_id help = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_requirement_register(builder->library, "NeedsHelp", needs_help, NULL,
                                &help, &builder->error));
    }
    kn_name strength_name = scene_name(builder, "strength");
    kn_parameter_def parameter = {strength_name, 25.0f, false};
    kn_modifier_def more = kn_modifier_def_default();
    more.attribute = scene_find_attribute(builder, "Fighter.MaxHealth");
    more.op = KN_OP_ADD;
    more.magnitude = kn_magnitude_parameter(strength_name);
    kn_effect_def blessing = scene_effect_def("Blessing", KN_DURATION_TIMED, 5.0f);
    blessing.modifiers = &more;
    blessing.modifier_count = 1;
    blessing.parameters = &parameter;
    blessing.parameter_count = 1;
    blessing.requirement = help;
    scene_effect(builder, &blessing);
}

static void declare_states(scene_builder *builder)
{
    kn_tag stunned = scene_tag(builder, "State.Stunned");
    kn_tag despair_tag = scene_tag(builder, "State.Despair");
    kn_attribute_id power = scene_find_attribute(builder, "Fighter.Power");
    kn_attribute_id health = scene_find_attribute(builder, "Fighter.Health");

    kn_child_def dizzy = kn_child_def_default();
    dizzy.type_name = "Dizzy";
    dizzy.when = KN_CHILD_EXPIRED;
    kn_effect_def stun = scene_effect_def("Stun", KN_DURATION_TIMED, 0.7f);
    stun.granted_tags = ONE_TAG(stunned);
    stun.blocked_ability_tags = ONE_TAG(stunned);
    stun.children = &dizzy;
    stun.child_count = 1;
    scene_effect(builder, &stun);

    // Whoever is dizzy shows no guard: the plates are there, but open.
    const kn_tag_edit drop_guard = {
        KN_TAG_EDIT_REPLACE, scene_tag(builder, "State.Guarded"), scene_tag(builder, "State.Open")};
    kn_modifier_def sway = kn_modifier_constant(power, KN_OP_MULTIPLY, 0.7f);
    kn_effect_def dizziness = scene_effect_def("Dizzy", KN_DURATION_TIMED, 1.1f);
    dizziness.modifiers = &sway;
    dizziness.modifier_count = 1;
    dizziness.tag_edits = &drop_guard;
    dizziness.tag_edit_count = 1;
    scene_effect(builder, &dizziness);

    // Four regenerations that a stun switches off, one for each way to take up the clock again.
    static const char *const names[] = {"Regen0", "Regen1", "Regen2", "Regen3"};
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        kn_modifier_def heal = kn_modifier_constant(health, KN_OP_ADD, 0.5f + 0.25f * (float)i);
        kn_effect_def regen = scene_effect_def(names[i], KN_DURATION_INFINITE, 0.0f);
        scene_every(&regen, 0.9f);
        regen.inhibit_period = (kn_inhibit_period)i;
        regen.modifiers = &heal;
        regen.modifier_count = 1;
        regen.ongoing.target.ignored = ONE_TAG(stunned);
        scene_effect(builder, &regen);
    }

    kn_attribute_condition low = {.from = KN_CAPTURE_FROM_TARGET,
        .attribute = health,
        .has_max = true,
        .max = 0.6f,
        .relative_to = scene_find_attribute(builder, "Fighter.MaxHealth")};
    kn_modifier_def grim = kn_modifier_constant(power, KN_OP_ADD, 4.0f);
    kn_effect_def despair = scene_effect_def("Despair", KN_DURATION_TIMED, 2.5f);
    despair.modifiers = &grim;
    despair.modifier_count = 1;
    despair.granted_tags = ONE_TAG(despair_tag);
    despair.application.attributes = &low;
    despair.application.attribute_count = 1;
    despair.stacking.kind = KN_STACK_BY_TARGET;
    despair.stacking.limit = kn_constant(2.0f);
    despair.stacking.deny_overflow = true;
    scene_effect(builder, &despair);

    kn_modifier_def rage = kn_modifier_constant(power, KN_OP_MULTIPLY, 1.3f);
    rage.target.ignored = ONE_TAG(stunned);
    rage.when = KN_REQUIREMENT_TIME_CONTINUOUS;
    kn_effect_def fury = scene_effect_def("Fury", KN_DURATION_TIMED, 1.7f);
    fury.modifiers = &rage;
    fury.modifier_count = 1;
    fury.stacking.kind = KN_STACK_BY_TARGET;
    fury.stacking.limit = kn_constant(1.0f);
    fury.stacking.refresh = KN_REFRESH_EXTEND;
    fury.stacking.on_lower_level = KN_STACK_REFUSE;
    fury.stacking.on_higher_level = KN_STACK_TAKE_OVER;
    fury.removal.target.required = ONE_TAG(despair_tag);
    scene_effect(builder, &fury);
}

static void declare(scene_builder *builder)
{
    scene_tag(builder, "Event.Spared");
    declare_pipeline(builder);
    declare_fighter(builder);
    declare_strike(builder);
    declare_magic(builder);
    declare_guard(builder);
    declare_states(builder);

    kn_rule_def hit = scene_rule_def("Hit", KN_TRIGGER_EVENT, on_hit);
    hit.tag = scene_tag(builder, "Event.Damage");
    scene_rule(builder, &hit);
    kn_rule_def drained = scene_rule_def("Drained", KN_TRIGGER_EVENT, on_drained);
    drained.tag = scene_tag(builder, "Event.Drained");
    scene_rule(builder, &drained);
    kn_rule_def over = scene_rule_def("StunOver", KN_TRIGGER_TAG_REMOVED, on_stun_over);
    over.tag = scene_tag(builder, "State.Stunned");
    scene_rule(builder, &over);
    scene_timer(builder, TIMER_KNIGHT, "Knight", knight_acts);
    scene_timer(builder, TIMER_MAGE, "Mage", mage_acts);
    scene_timer(builder, TIMER_PRIEST, "Priest", priest_acts);
    scene_timer(builder, TIMER_BOLT, "Bolt", bolt_lands);
}

static void populate(scene_stage *stage)
{
    kn_entity_id knight = scene_actor(stage, "Fighter");
    kn_entity_id mage = scene_actor(stage, "Fighter");
    kn_entity_id priest = scene_actor(stage, "Fighter");
    kn_entity_id sword = scene_actor(stage, NULL);
    if (stage->result != KN_OK) {
        return;
    }
    scene_act(stage, kn_entity_set_parent(stage->world, sword, knight));
    scene_act(stage, kn_entity_add_tag(stage->world, sword,
                         kn_tag_find(stage->library, "Kind.Curse"), KN_TAG_ORIGIN_LOOSE, 1));
    scene_apply(stage, "Regen0", knight, knight, 1.0f);
    scene_apply(stage, "Regen1", knight, knight, 1.0f);
    scene_apply(stage, "Regen2", mage, mage, 1.0f);
    scene_apply(stage, "Regen3", mage, mage, 1.0f);
    scene_start_timer(stage, TIMER_KNIGHT, knight, KN_MS(300));
    scene_start_timer(stage, TIMER_MAGE, mage, KN_MS(500));
    scene_start_timer(stage, TIMER_PRIEST, priest, KN_MS(700));
}

const scene_info scene_duel = {
    .name = "duel",
    .summary = "a knight and a mage fight",
    .declare = declare,
    .populate = populate,
    .seconds = 30,
};
