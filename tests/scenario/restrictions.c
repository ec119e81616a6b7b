// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events that are about to happen, what may veto them, and effects with logic.

#include "knack/knack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_entity_id entity, attacker;
    kn_value_id outgoing, incoming;
    kn_event_kind_id damage, whisper;
    kn_tag crowd_control, poison, fire, hit, elite;
    uint32_t applied;
    float applied_magnitude;
    uint32_t rule_calls;
    uint32_t applied_before_rule; // how often it was applied when the rule was called last
} scene;

static scene the_scene;

static int setup(void **state)
{
    memset(&the_scene, 0, sizeof the_scene);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &the_scene.library), KN_OK);
    *state = &the_scene;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    if (s->world != NULL) {
        assert_true(kn_world_validate(s->world));
        kn_world_destroy(s->world);
    }
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(scene *s)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(s->world, &entity), KN_OK);
    return entity;
}

// Finishes the library, and makes a world with one entity.
static void begin(scene *s)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(s->library, &error);
    if (result != KN_OK) {
        fail_msg("%s: %s", kn_result_name(result), error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    assert_int_equal(kn_world_create(&def, &s->world), KN_OK);
    s->entity = entity_create(s);
}

static kn_tag tag_add(scene *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static void note_damage(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    (void)world;
    (void)record;
    scene *s = user;
    s->applied++;
    s->applied_magnitude = magnitude;
}

static void note_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)world;
    (void)reaction;
    scene *s = user;
    s->applied_before_rule = s->applied;
    s->rule_calls++;
}

static kn_value_id value_add(scene *s, const char *name)
{
    kn_value_def def = kn_value_def_default();
    def.name = name;
    kn_value_id value = {0};
    assert_int_equal(kn_value_register(s->library, &def, &value, NULL), KN_OK);
    return value;
}

static void declare_all(scene *s)
{
    s->crowd_control = tag_add(s, "Buff.CrowdControl");
    s->poison = tag_add(s, "Buff.Poison");
    s->fire = tag_add(s, "School.Fire");
    s->hit = tag_add(s, "Event.Hit");
    s->elite = tag_add(s, "Rank.Elite");
    s->outgoing = value_add(s, "DamageDone");
    s->incoming = value_add(s, "DamageTaken");
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Damage";
    kind.tag = s->hit;
    kind.outgoing = s->outgoing;
    kind.incoming = s->incoming;
    kind.apply = note_damage;
    kind.user = s;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &s->damage, NULL), KN_OK);
    kind = kn_event_kind_def_default();
    kind.name = "Whisper";
    kind.restrictable = false;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &s->whisper, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "OnHit";
    rule.trigger = KN_TRIGGER_EVENT;
    rule.tag = kn_tag_find(s->library, "Event");
    rule.function = note_rule;
    rule.user = s;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(s->library, &rule, &id, NULL), KN_OK);
}

static void begin_all(scene *s)
{
    begin(s);
    s->attacker = entity_create(s);
}

static kn_effect_type_id gate_effect(
    scene *s, const char *name, const kn_gate_def *gates, uint32_t n)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.gates = gates;
    def.gate_count = n;
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_effect_type_id buff_with(scene *s, const char *name, const kn_tag *asset)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.asset_tags = (kn_tags){asset, 1};
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_effect_id apply(scene *s, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, s->attacker, target, 1.0f, &effect), KN_OK);
    return effect;
}

static void drop(scene *s, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static kn_event_record hit_of(scene *s, float magnitude)
{
    kn_event_record record = kn_event_record_default();
    record.kind = s->damage;
    record.instigator = s->attacker;
    record.target = s->entity;
    record.magnitude = magnitude;
    return record;
}

static kn_result run(scene *s, float magnitude, kn_event_outcome *outcome)
{
    kn_event_record record = hit_of(s, magnitude);
    return kn_event_run(s->world, &record, outcome);
}

static uint32_t count_events(scene *s, kn_event_type type, kn_event *last)
{
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == type) {
            *last = events.data[i];
            count++;
        }
    }
    return count;
}

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// Immunity ------------------------------------------------------------------------------------

// SAIV-025, RSTR-003, RSTR-011, MAP-033
static void crowd_control_immunity_blocks_new_ones_and_names_itself(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def gate = {.record = {.required = {&s->crowd_control, 1}}};
    kn_effect_type_id immunity = gate_effect(s, "Immunity", &gate, 1);
    kn_effect_type_id stun = buff_with(s, "Stun", &s->crowd_control);
    kn_effect_type_id venom = buff_with(s, "Venom", &s->poison);
    begin_all(s);
    kn_effect_id present = apply(s, stun, s->entity);
    kn_effect_id shield = apply(s, immunity, s->entity);
    assert_true(kn_effect_is_alive(s->world, present)); // what is in place stays
    kn_event event;
    count_events(s, KN_EVENT_EFFECT_BLOCKED, &event);

    kn_effect_id none = {1, 1};
    assert_int_equal(kn_effect_apply_simple(s->world, stun, s->attacker, s->entity, 1.0f, &none),
        KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_is_null(none));
    assert_int_equal(kn_effects_count(s->world, s->entity), 2);
    assert_int_equal(count_events(s, KN_EVENT_EFFECT_BLOCKED, &event), 1);
    assert_true(kn_effect_id_equal(event.data.effect.by, shield));
    assert_int_equal(event.data.effect.type.index1, stun.index1);
    assert_int_equal(count_events(s, KN_EVENT_EFFECT_APPLIED, &event), 0);

    apply(s, venom, s->entity);
    apply(s, stun, s->attacker); // others are not immune
    drop(s, shield);
    apply(s, stun, s->entity);
}

// MAP-033
static void immunity_may_ask_for_the_source(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def gate = {.source_any = {&s->elite, 1}};
    kn_effect_type_id immunity = gate_effect(s, "Immunity", &gate, 1);
    kn_effect_type_id venom = buff_with(s, "Venom", &s->poison);
    begin_all(s);
    apply(s, immunity, s->entity);
    apply(s, venom, s->entity);
    assert_int_equal(
        kn_entity_add_tag(s->world, s->attacker, s->elite, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_effect_apply_simple(s->world, venom, s->attacker, s->entity, 1.0f, NULL),
        KN_REFUSED_BLOCKED);
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = venom;
    def.source = s->attacker;
    def.target = s->entity;
    def.ignore_gates = true;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
}

// The pipeline -----------------------------------------------------------------------------------

// RSTR-009, RSTR-006
static void an_event_is_modified_applied_and_told(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_modifier_def more = kn_modifier_def_default(), less = kn_modifier_def_default();
    more.value = s->outgoing;
    more.magnitude = kn_magnitude_constant(10.0f);
    less.value = s->incoming;
    less.op = KN_OP_MULTIPLY;
    less.magnitude = kn_magnitude_constant(0.75f);
    kn_effect_def strong = kn_effect_def_default(), tough = kn_effect_def_default();
    strong.name = "Strong";
    tough.name = "Tough";
    strong.duration_kind = tough.duration_kind = KN_DURATION_INFINITE;
    strong.modifiers = &more;
    tough.modifiers = &less;
    strong.modifier_count = tough.modifier_count = 1;
    kn_effect_type_id strong_type, tough_type;
    assert_int_equal(kn_effect_register(s->library, &strong, &strong_type, NULL), KN_OK);
    assert_int_equal(kn_effect_register(s->library, &tough, &tough_type, NULL), KN_OK);
    begin_all(s);
    kn_effect_id strength = apply(s, strong_type, s->attacker);
    kn_effect_id toughness = apply(s, tough_type, s->entity);
    kn_event_outcome outcome;
    assert_int_equal(run(s, 30.0f, &outcome), KN_OK);
    assert_true(outcome.magnitude == 30.0f); // (30 + 10) x 0.75
    assert_true(s->applied_magnitude == 30.0f);
    assert_int_equal(run(s, 14.0f, &outcome), KN_OK);
    assert_true(s->applied_magnitude == 18.0f);
    drop(s, strength);
    drop(s, toughness);
    kn_event last;
    count_events(s, KN_EVENT_RECORD, &last);
    assert_true(last.data.record.magnitude == 18.0f);
    s->applied = s->rule_calls = 0;
    assert_int_equal(run(s, 30.0f, &outcome), KN_OK);
    assert_int_equal(outcome.result, KN_OK);
    assert_int_equal(s->applied, 1);
    assert_true(s->applied_magnitude == 30.0f);
    assert_int_equal(s->rule_calls, 1);
    assert_int_equal(s->applied_before_rule, 1); // it has happened when it is told
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_RECORD, &event), 1);
    assert_int_equal(event.data.record.tag.index1, s->hit.index1);
    assert_int_equal(event.data.record.kind.index1, s->damage.index1);
    assert_true(kn_entity_id_equal(event.entity, s->entity));
    assert_true(kn_entity_id_equal(event.data.record.instigator, s->attacker));
    assert_true(event.data.record.magnitude == 30.0f);
}

static uint32_t vetoes_asked;

static bool veto_large(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)answer;
    vetoes_asked++;
    return record->magnitude > 100.0f;
}

static kn_condition_id condition_add(scene *s)
{
    kn_condition_id condition = {0};
    assert_int_equal(
        kn_condition_register(s->library, "VetoLarge", veto_large, s, &condition, NULL), KN_OK);
    return condition;
}

// RSTR-001, RSTR-002, RSTR-005, RSTR-007
static void one_veto_suffices_and_a_vetoed_event_changes_nothing(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def gate = {.kind = s->damage, .condition = condition_add(s)};
    kn_effect_type_id first = gate_effect(s, "First", &gate, 1);
    kn_effect_type_id second = gate_effect(s, "Second", &gate, 1);
    begin_all(s);
    kn_effect_id a = apply(s, first, s->entity), b = apply(s, second, s->entity);
    kn_event event;
    count_events(s, KN_EVENT_RESTRICTED, &event);
    kn_event_outcome outcome;
    vetoes_asked = 0;
    uint64_t hash = kn_world_hash(s->world);
    assert_int_equal(run(s, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_world_hash(s->world), hash);
    assert_int_equal(vetoes_asked, 1); // no gate is tested after the first
    assert_int_equal(outcome.result, KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, a)); // the first in order of creation
    assert_int_equal(s->applied, 0);
    assert_int_equal(s->rule_calls, 0);
    assert_int_equal(count_events(s, KN_EVENT_RESTRICTED, &event), 1);
    assert_true(kn_effect_id_equal(event.data.record.by, a));
    assert_int_equal(event.data.record.kind.index1, s->damage.index1);
    assert_int_equal(run(s, 50.0f, &outcome), KN_OK);
    assert_int_equal(s->applied, 1);
    drop(s, a);
    assert_int_equal(run(s, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, b));
    drop(s, b);
    assert_int_equal(run(s, 500.0f, &outcome), KN_OK);
    assert_true(kn_effect_id_is_null(outcome.blocked_by));
}

// RSTR-006, MAP-034
static void gates_see_the_modified_number_unless_the_kind_says_otherwise(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "EarlyGate";
    kind.incoming = s->incoming;
    kind.gate_sees_final = false;
    kn_event_kind_id early;
    assert_int_equal(kn_event_kind_register(s->library, &kind, &early, NULL), KN_OK);
    kn_gate_def gates[] = {{.kind = s->damage, .condition = condition_add(s)}, {.kind = early}};
    gates[1].condition = gates[0].condition;
    kn_effect_type_id shell = gate_effect(s, "Shell", gates, 2);
    kn_modifier_def half = kn_modifier_def_default();
    half.value = s->incoming;
    half.op = KN_OP_MULTIPLY;
    half.magnitude = kn_magnitude_constant(0.5f);
    kn_effect_def armour = kn_effect_def_default();
    armour.name = "Armour";
    armour.duration_kind = KN_DURATION_INFINITE;
    armour.modifiers = &half;
    armour.modifier_count = 1;
    kn_effect_type_id armour_type;
    assert_int_equal(kn_effect_register(s->library, &armour, &armour_type, NULL), KN_OK);
    begin_all(s);
    apply(s, shell, s->entity);
    apply(s, armour_type, s->entity);
    kn_event_outcome outcome;
    assert_int_equal(run(s, 150.0f, &outcome), KN_OK); // 75 for the gate
    assert_true(outcome.magnitude == 75.0f);
    kn_event_record record = hit_of(s, 150.0f);
    record.kind = early;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_REFUSED_BLOCKED);
    record.magnitude = 90.0f;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_true(outcome.magnitude == 45.0f);
}

// RSTR-006
static void gates_of_the_source_come_before_those_of_the_target(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def disarm = {.kind = s->damage, .as_instigator = true, .condition = condition_add(s)};
    kn_gate_def shell = {.kind = s->damage, .condition = disarm.condition};
    kn_effect_type_id disarmed = gate_effect(s, "Disarmed", &disarm, 1);
    kn_effect_type_id shelled = gate_effect(s, "Shelled", &shell, 1);
    begin_all(s);
    kn_effect_id target_gate = apply(s, shelled, s->entity);
    kn_effect_id source_gate = apply(s, disarmed, s->attacker);
    kn_event_outcome outcome;
    assert_int_equal(run(s, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_true(kn_effect_id_equal(outcome.blocked_by, source_gate));
    kn_event_record record = hit_of(s, 500.0f);
    kn_effect_id vetoes[4];
    assert_int_equal(kn_event_vetoes(s->world, &record, vetoes, 4), 2);
    assert_true(kn_effect_id_equal(vetoes[0], source_gate));
    assert_true(kn_effect_id_equal(vetoes[1], target_gate));
    // The other way round neither gate is concerned.
    record.instigator = s->entity;
    record.target = s->attacker;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
}

// RSTR-012
static void listing_vetoes_changes_nothing(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def gate = {.kind = s->damage, .condition = condition_add(s)};
    kn_effect_type_id shell = gate_effect(s, "Shell", &gate, 1);
    kn_effect_type_id wall = gate_effect(s, "Wall", &gate, 1);
    begin_all(s);
    kn_effect_id a = apply(s, shell, s->entity), b = apply(s, wall, s->entity);
    kn_event event;
    count_events(s, KN_EVENT_RESTRICTED, &event);
    kn_event_record record = hit_of(s, 500.0f);
    kn_effect_id vetoes[1] = {{0}};
    assert_int_equal(kn_event_vetoes(s->world, &record, NULL, 0), 2);
    assert_int_equal(kn_event_vetoes(s->world, &record, vetoes, 1), 2);
    assert_true(kn_effect_id_equal(vetoes[0], a));
    record.magnitude = 5.0f;
    assert_int_equal(kn_event_vetoes(s->world, &record, vetoes, 1), 0);
    assert_int_equal(count_events(s, KN_EVENT_RESTRICTED, &event), 0);
    assert_int_equal(s->applied, 0);
    assert_true(kn_effect_is_alive(s->world, b));
}

// RSTR-010, RSTR-012
static void an_event_may_ignore_restrictions(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def gate = {.kind = s->damage, .condition = condition_add(s)};
    kn_effect_type_id shell = gate_effect(s, "Shell", &gate, 1);
    begin_all(s);
    apply(s, shell, s->entity);
    kn_event_record record = hit_of(s, 500.0f);
    record.ignore_gates = true;
    kn_event_outcome outcome;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_int_equal(s->applied, 1);
    assert_int_equal(kn_event_vetoes(s->world, &record, NULL, 0), 0);
}

// RSTR-010
static void a_restriction_lives_exactly_as_long_as_its_effect_acts(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_gate_def gate = {.kind = s->damage, .condition = condition_add(s)};
    kn_effect_def def = kn_effect_def_default();
    def.name = "Bubble";
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(3.0f);
    def.gates = &gate;
    def.gate_count = 1;
    def.ongoing.target.ignored = (kn_tags){&s->poison, 1};
    kn_effect_type_id bubble;
    assert_int_equal(kn_effect_register(s->library, &def, &bubble, NULL), KN_OK);
    begin_all(s);
    apply(s, bubble, s->entity);
    kn_event_outcome outcome;
    assert_int_equal(run(s, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_int_equal(
        kn_entity_add_tag(s->world, s->entity, s->poison, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(run(s, 500.0f, &outcome), KN_OK); // switched off
    assert_int_equal(
        kn_entity_remove_tag(s->world, s->entity, s->poison, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(run(s, 500.0f, &outcome), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_world_step(s->world, KN_S(3)), KN_OK);
    assert_int_equal(run(s, 500.0f, &outcome), KN_OK);
}

// RSTR-009, RSTR-001
static void kinds_are_a_registry_and_say_what_may_be_restricted(void **state)
{
    scene *s = *state;
    declare_all(s);
    assert_int_equal(kn_event_kind_find(s->library, "Damage").index1, s->damage.index1);
    assert_string_equal(kn_event_kind_name(s->library, s->whisper), "Whisper");
    assert_int_equal(kn_event_kind_find(s->library, "Nothing").index1, 0);
    assert_string_not_equal(kn_event_kind_name(s->library, kn_event_kind_effect_application()), "");
    kn_condition_id condition = condition_add(s);
    kn_gate_def gates[] = {
        {.kind = s->whisper, .condition = condition},                   // not restrictable
        {.kind = s->damage},                                            // no test at all
        {.as_instigator = false}, {.kind = s->damage, .modifies = {1}}, // no effect, no attribute
    };
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        kn_effect_def def = kn_effect_def_default();
        def.name = "Bad";
        def.duration_kind = KN_DURATION_INFINITE;
        def.gates = &gates[i];
        def.gate_count = 1;
        kn_effect_type_id type;
        assert_int_not_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
        assert_int_equal(type.index1, 0);
    }
    kn_event_kind_def again = kn_event_kind_def_default();
    again.name = "Damage";
    kn_event_kind_id kind;
    assert_int_equal(kn_event_kind_register(s->library, &again, &kind, NULL), KN_REFUSED_DUPLICATE);
}

static kn_ability_id grant_tagged(scene *s, const char *name)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = kn_ability_type_find(s->library, name);
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(s->world, s->entity, &def, &ability), KN_OK);
    return ability;
}

// RSTR-004, SAIV-026: the status follows at once, and nobody has to ask with an event.
static void abilities_are_blocked_by_tags_without_a_context(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_tag bolt = tag_add(s, "Ability.Fire.Bolt"), slash = tag_add(s, "Ability.Slash");
    kn_tag fire = kn_tag_find(s->library, "Ability.Fire");
    kn_effect_def def = kn_effect_def_default();
    def.name = "Silence";
    def.duration_kind = KN_DURATION_INFINITE;
    def.blocked_ability_tags = (kn_tags){&fire, 1};
    kn_effect_type_id silence;
    assert_int_equal(kn_effect_register(s->library, &def, &silence, NULL), KN_OK);
    const kn_tag *const tags[2] = {&bolt, &slash};
    static const char *const names[2] = {"Bolt", "Slash"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_def ability = kn_ability_def_default();
        ability.name = names[i];
        ability.tags = (kn_tags){tags[i], 1};
        kn_ability_type_id type;
        assert_int_equal(kn_ability_register(s->library, &ability, &type, NULL), KN_OK);
    }
    begin_all(s);
    kn_ability_id bolts = grant_tagged(s, "Bolt"), slashes = grant_tagged(s, "Slash");
    assert_int_equal(kn_ability_status(s->world, bolts), 0);
    kn_effect_id first = apply(s, silence, s->entity), second = apply(s, silence, s->attacker);
    assert_int_equal(kn_ability_status(s->world, bolts), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_activate(s->world, bolts, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_status(s->world, slashes), 0);
    drop(s, second); // of somebody else
    assert_int_equal(kn_ability_status(s->world, bolts), KN_FAIL_BLOCKED);
    second = apply(s, silence, s->entity);
    assert_true(kn_entity_ability_tag_blocked(s->world, s->entity, bolt));
    assert_true(kn_entity_ability_tag_blocked(s->world, s->entity, fire));
    assert_false(kn_entity_ability_tag_blocked(s->world, s->entity, slash));
    assert_false(
        kn_entity_ability_tag_blocked(s->world, s->entity, kn_tag_find(s->library, "Ability")));
    drop(s, first);
    assert_true(kn_entity_ability_tag_blocked(s->world, s->entity, bolt));
    assert_int_equal(kn_ability_status(s->world, bolts), KN_FAIL_BLOCKED);
    drop(s, second);
    assert_false(kn_entity_ability_tag_blocked(s->world, s->entity, bolt));
    assert_int_equal(kn_ability_status(s->world, bolts), 0);
    assert_int_equal(kn_ability_activate(s->world, bolts, NULL, NULL), KN_OK);
}

// Effects with logic
// ----------------------------------------------------------------------------------

typedef struct thorns_state {
    uint32_t ticks;
    uint32_t stacks;
} thorns_state;

static uint32_t thorns_removed;

static void thorns_tick(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    (void)user;
    (void)world;
    thorns_state *thorns = state;
    thorns->ticks++;
    thorns->stacks = kn_spec_view_stacks(spec);
}

static void thorns_end(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    (void)user;
    (void)world;
    (void)spec;
    assert_int_equal(((thorns_state *)state)->ticks, 3);
    assert_int_equal(reason, KN_REMOVED_DISPELLED);
    thorns_removed++;
}

// MAP-031, MAP-035
static void a_buff_with_logic_keeps_state_and_a_plain_one_has_none(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_effect_logic_def logic = kn_effect_logic_def_default();
    logic.name = "Thorns";
    logic.state_size = sizeof(thorns_state);
    logic.ticked = thorns_tick;
    logic.removed = thorns_end;
    kn_effect_def def = kn_effect_def_default();
    def.name = "ThornsBuff";
    def.duration_kind = KN_DURATION_INFINITE;
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    assert_int_equal(kn_effect_logic_register(s->library, &logic, &def.logic, NULL), KN_OK);
    kn_effect_type_id thorns;
    assert_int_equal(kn_effect_register(s->library, &def, &thorns, NULL), KN_OK);
    kn_effect_type_id plain = buff_with(s, "Plain", &s->poison);
    begin_all(s);
    kn_effect_id effect = apply(s, thorns, s->entity), data_only = apply(s, plain, s->entity);
    size_t size = kn_snapshot_size(s->world);
    void *snapshot = malloc(size);
    assert_non_null(snapshot);
    assert_int_equal(kn_snapshot_take(s->world, snapshot, size, &size), KN_OK);
    assert_int_equal(kn_world_step(s->world, KN_S(2)), KN_OK);
    uint64_t hash = kn_world_hash(s->world); // ticks that were predicted come again
    assert_int_equal(kn_snapshot_restore(s->world, snapshot, size), KN_OK);
    free(snapshot);
    assert_int_equal(((const thorns_state *)kn_effect_state(s->world, effect))->ticks, 1);
    assert_int_equal(kn_world_step(s->world, KN_S(2)), KN_OK);
    assert_true(kn_world_hash(s->world) == hash);
    const thorns_state *block = kn_effect_state(s->world, effect);
    assert_non_null(block);
    assert_int_equal(block->ticks, 3); // at 0, 1 and 2 s
    assert_int_equal(block->stacks, 1);
    assert_null(kn_effect_state(s->world, data_only));
    thorns_removed = 0;
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_DISPELLED), KN_OK);
    assert_int_equal(thorns_removed, 1);
}

// MAP-030
static void the_duplicate_rules_of_buffs_are_kinds_of_stacking(void **state)
{
    scene *s = *state;
    declare_all(s);
    static const kn_stacking_kind kinds[] = {KN_STACK_NONE, KN_STACK_BY_SOURCE, KN_STACK_BY_TARGET};
    static const char *const names[] = {"Unlimited", "PerSource", "PerTarget"};
    static const uint32_t expected[] = {4, 2, 1};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_def def = kn_effect_def_default();
        def.name = names[i];
        def.duration_kind = KN_DURATION_TIMED;
        def.duration = kn_magnitude_constant(5.0f);
        def.stacking.kind = kinds[i];
        assert_int_equal(kn_effect_register(s->library, &def, &types[i], NULL), KN_OK);
    }
    begin_all(s);
    for (uint32_t i = 0; i < 3; i++) {
        kn_entity_id target = entity_create(s);
        for (uint32_t j = 0; j < 4; j++) {
            assert_int_equal(kn_effect_apply_simple(s->world, types[i],
                                 j % 2 == 0 ? s->attacker : s->entity, target, 1.0f, NULL),
                KN_OK);
        }
        assert_int_equal(kn_effects_count(s->world, target), expected[i]);
    }
}

// Bad input
// -----------------------------------------------------------------------------------------------

static void bad_records_are_refused_and_nothing_happens(void **state)
{
    scene *s = *state;
    declare_all(s);
    begin_all(s);
    kn_entity_id gone = entity_create(s);
    assert_true(kn_entity_destroy(s->world, gone));
    kn_event_outcome outcome;
    kn_event_record record = hit_of(s, 1.0f);
    record.target = gone;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_REFUSED_STALE_ID);
    assert_int_equal(outcome.result, KN_REFUSED_STALE_ID);
    record.target = (kn_entity_id){0};
    assert_int_equal(kn_event_run(s->world, &record, NULL), KN_REFUSED_STALE_ID);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(run(s, bad[i], &outcome), KN_REFUSED_BAD_NUMBER);
        record = hit_of(s, bad[i]);
        assert_int_equal(kn_event_vetoes(s->world, &record, NULL, 0), 0);
        assert_int_equal(
            kn_event_send(s->world, s->entity, s->hit, &record), KN_REFUSED_BAD_NUMBER);
    }
    assert_int_equal(kn_event_send(s->world, gone, s->hit, NULL), KN_REFUSED_STALE_ID);
    kn_assert_set_handler(ignore_assert);
    record = hit_of(s, 1.0f);
    record.kind = (kn_event_kind_id){0};
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    record.kind = (kn_event_kind_id){999};
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    record = hit_of(s, 1.0f);
    kn_tag no_tag = {0};
    record.tags = (kn_tags){&no_tag, 1};
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    record.tags = (kn_tags){NULL, 0};
    record.cookie = 0;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_event_run(s->world, NULL, &outcome), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_event_send(s->world, s->entity, no_tag, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_event_send(s->world, s->entity, (kn_tag){UINT32_MAX}, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(s->applied, 0);
    assert_int_equal(s->rule_calls, 0);
    // A stale instigator counts as none.
    record = hit_of(s, 1.0f);
    record.instigator = gone;
    assert_int_equal(kn_event_run(s->world, &record, &outcome), KN_OK);
    assert_int_equal(s->applied, 1);
}

static void telling_rules_about_something_needs_no_pipeline(void **state)
{
    scene *s = *state;
    declare_all(s);
    kn_tag crit = tag_add(s, "Event.Hit.Critical");
    begin_all(s);
    kn_event_record record = hit_of(s, 12.0f);
    assert_int_equal(kn_event_send(s->world, s->entity, crit, &record), KN_OK);
    assert_int_equal(s->rule_calls, 1); // of a parent of the tag
    assert_int_equal(s->applied, 0);
    kn_event event;
    assert_int_equal(count_events(s, KN_EVENT_RECORD, &event), 1);
    assert_true(event.data.record.magnitude == 12.0f);
    assert_int_equal(event.data.record.tag.index1, crit.index1);
    assert_int_equal(kn_event_send(s->world, s->entity, s->fire, NULL), KN_OK);
    assert_int_equal(s->rule_calls, 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(crowd_control_immunity_blocks_new_ones_and_names_itself),
        TEST(immunity_may_ask_for_the_source),
        TEST(an_event_is_modified_applied_and_told),
        TEST(one_veto_suffices_and_a_vetoed_event_changes_nothing),
        TEST(gates_see_the_modified_number_unless_the_kind_says_otherwise),
        TEST(gates_of_the_source_come_before_those_of_the_target),
        TEST(listing_vetoes_changes_nothing),
        TEST(an_event_may_ignore_restrictions),
        TEST(a_restriction_lives_exactly_as_long_as_its_effect_acts),
        TEST(kinds_are_a_registry_and_say_what_may_be_restricted),
        TEST(abilities_are_blocked_by_tags_without_a_context),
        TEST(a_buff_with_logic_keeps_state_and_a_plain_one_has_none),
        TEST(the_duplicate_rules_of_buffs_are_kinds_of_stacking),
        TEST(bad_records_are_refused_and_nothing_happens),
        TEST(telling_rules_about_something_needs_no_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
