// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities that sleep until they hear of something, timers, rates and groups, data components,
// what active capabilities bring, and copies of worlds in the middle of it all.

#include "capability/capability_test.h"

typedef struct oxygen {
    float left;
    uint32_t uses;
} oxygen;

static kn_component_type_id oxygen_register(fixture *f)
{
    const kn_field fields[] = {
        KN_FIELD(oxygen, left, KN_FIELD_F32),
        KN_FIELD(oxygen, uses, KN_FIELD_U32),
    };
    kn_component_type_id type;
    kn_component_def def = kn_component_def_default();
    def.name = "Oxygen";
    def.size = sizeof(oxygen);
    def.fields = fields;
    def.field_count = 2;
    assert_int_equal(kn_component_register(f->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_attribute_id health_register(fixture *f, kn_attribute_set_id *set)
{
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Health";
    attribute.default_value = 100.0f;
    kn_attribute_set_def def = kn_attribute_set_def_default();
    def.name = "Vitals";
    def.attributes = &attribute;
    def.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(f->library, &def, set, NULL), KN_OK);
    return kn_attribute_find(f->library, "Vitals.Health");
}

// Sleeping ------------------------------------------------------------------------

static script *sleeper(fixture *f, const char *name)
{
    script *s = capability(f, name);
    s->def.sleeps = true;
    s->def.tick = (kn_hook){NULL, NULL};
    s->starts = false;
    s->stops = true;
    return s;
}

// CAP-212, CAPG-001: it is asked once after its set-up, then only when something has changed.
static void a_sleeper_is_asked_when_something_changes(void **state)
{
    fixture *f = *state;
    kn_attribute_set_id vitals;
    kn_attribute_id health = health_register(f, &vitals);
    script *s = sleeper(f, "A");
    kn_tag alarm = tag_of(f, "Event.Alarm"), loud = tag_of(f, "Event.Alarm.Loud");
    s->def.hears_tags = (kn_tags){&f->stunned, 1};
    s->def.hears_events = (kn_tags){&alarm, 1};
    s->def.hears_attributes = &health;
    s->def.hears_attribute_count = 1;
    kn_capability_set_id set = begin_set(f, "A");
    assert_int_equal(kn_attribute_set_add(f->world, f->hero, vitals, 0), KN_OK);
    add(f, set);
    hush(f);
    frame(f, 10);
    EXPECT(f, "SA(f)");
    frame(f, 10);
    frame(f, 10);
    EXPECT(f, "");
    kn_capability_info info;
    assert_true(kn_capability_get_info(f->world, f->hero, number_of(f, s), &info));
    assert_true(info.is_asleep && info.is_listed);
    assert_int_equal(
        kn_entity_add_tag(f->world, f->foe, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    frame(f, 10);
    EXPECT(f, ""); // somebody else
    give_tag(f, f->stunned);
    EXPECT(f, ""); // in its turn
    frame(f, 10);
    EXPECT(f, "SA(f)");
    lose_tag(f, f->stunned);
    frame(f, 10);
    EXPECT(f, "SA(f)");
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, health, 0, 40.0f), KN_OK);
    frame(f, 10);
    EXPECT(f, "SA(f)");
    kn_event_record record = kn_event_record_default();
    record.target = f->hero;
    assert_int_equal(kn_event_send(f->world, f->hero, loud, &record), KN_OK);
    frame(f, 10);
    EXPECT(f, "SA(f)");
    frame(f, 10);
    EXPECT(f, "");
}

// CAP-213: after a switch it is asked again, as one that is always looked at would be.
static void a_sleeper_flips_as_a_polled_one(void **state)
{
    fixture *f = *state;
    script *s = sleeper(f, "A");
    s->def.hears_tags = (kn_tags){&f->stunned, 1};
    s->starts = true; // and stops
    (void)begin_added(f, "A");
    frame(f, 10);
    EXPECT(f, "SA(t) ON");
    frame(f, 10);
    EXPECT(f, "SD(t) OFF");
    s->starts = false;
    frame(f, 10);
    EXPECT(f, "SA(f)");
    frame(f, 10);
    EXPECT(f, "");
}

// CAP-212
static void an_active_sleeper_with_a_tick_ticks(void **state)
{
    fixture *f = *state;
    script *s = capability(f, "A");
    s->def.sleeps = true;
    (void)begin_added(f, "A");
    frame(f, 10);
    frame(f, 10);
    EXPECT(f, "SD(f) TK(10) SD(f) TK(10)");
    s->stops = true;
    s->starts = false;
    frame(f, 10);
    EXPECT(f, "SD(t) OFF");
    frame(f, 10);
    frame(f, 10);
    EXPECT(f, "SA(f)");
}

// CAP-214
static void a_timer_wakes_a_sleeper(void **state)
{
    fixture *f = *state;
    script *s = sleeper(f, "A"), *b = sleeper(f, "B");
    kn_capability_set_id set = begin_set(f, "AB");
    f->shows_names = true;
    add(f, set);
    frame(f, 10);
    hush(f);
    uint32_t number = number_of(f, s);
    assert_int_equal(kn_capability_wake_after(f->world, f->hero, number, KN_MS(500)), KN_OK);
    assert_int_equal(kn_capability_wake_after(f->world, f->hero, number, KN_MS(100)), KN_OK);
    assert_int_equal(kn_capability_wake_after(f->world, f->hero, number, KN_MS(300)), KN_OK);
    assert_int_equal(
        kn_capability_wake_after(f->world, f->hero, number_of(f, b), KN_MS(200)), KN_OK);
    frame(f, 90);
    EXPECT(f, "");
    frame(f, 20);
    EXPECT(f, "SA_A(f)");
    frame(f, 100);
    EXPECT(f, "SA_B(f)");
    frame(f, 600);
    EXPECT(f, ""); // what was asked for later is out of date
    assert_int_equal(kn_capability_wake(f->world, f->hero, number), KN_OK);
    frame(f, 10);
    EXPECT(f, "SA_A(f)");
    assert_int_equal(
        kn_capability_wake_after(f->world, f->hero, number, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_capability_wake(f->world, f->hero, 99), KN_REFUSED_NOT_FOUND);
}

// CAP-091
static void an_event_may_have_it_evaluated_now(void **state)
{
    fixture *f = *state;
    script *s = capability(f, "A");
    s->def.can_tick = false;
    s->def.tags = (kn_tags){&f->x, 1};
    s->starts = false;
    s->stops = true;
    (void)begin_added(f, "A");
    uint32_t number = number_of(f, s);
    assert_int_equal(kn_capability_evaluate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "SA(f)");
    s->starts = true;
    assert_int_equal(kn_capability_evaluate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "SA(t) ON"); // without a tick
    s->stops = false;
    block_by(f, f->x, 1);
    assert_int_equal(kn_capability_evaluate(f->world, f->hero, number), KN_OK);
    EXPECT(f, "OFF");
    assert_int_equal(kn_capability_activate(f->world, f->hero, number), KN_REFUSED_BLOCKED);
}

static kn_result hook_heard(void *user, const kn_hook_call *call)
{
    const script *s = user;
    const kn_capability_call *c = call->arguments;
    trace(s->f, "[%u %s %g %u]", c->trigger, kn_tag_name(s->f->library, c->tag),
        (double)c->magnitude, c->instigator.index1);
    return KN_OK;
}

// CAP-217: between set-up and end, and not before or after.
static void it_hears_of_things_at_once(void **state)
{
    fixture *f = *state;
    kn_tag alarm = tag_of(f, "Event.Alarm");
    script *s = capability(f, "A");
    s->def.hears_events = (kn_tags){&alarm, 1};
    s->def.hears_tags = (kn_tags){&f->stunned, 1};
    s->def.blocked_by = (kn_tags){&f->look, 1};
    s->def.heard = (kn_hook){hook_heard, s};
    kn_capability_set_id set = begin_set(f, "A");
    kn_event_record record = kn_event_record_default();
    record.target = f->hero;
    record.instigator = f->foe;
    record.magnitude = 7.0f;
    assert_int_equal(kn_event_send(f->world, f->hero, alarm, &record), KN_OK);
    add(f, set);
    hush(f);
    assert_int_equal(kn_event_send(f->world, f->hero, alarm, &record), KN_OK);
    EXPECT(f, "[0 Event.Alarm 7 2]");
    give_tag(f, f->stunned);
    EXPECT(f, "[1 State.Stunned 0 0]");
    give_tag(f, f->look);
    EXPECT(f, ""); // that is not among what it hears of
    lose_tag(f, f->look);
    take(f, set);
    hush(f);
    assert_int_equal(kn_event_send(f->world, f->hero, alarm, &record), KN_OK);
    EXPECT(f, "");
}

static void effects_and_abilities_are_heard_of(void **state)
{
    fixture *f = *state;
    kn_effect_def burn = kn_effect_def_default();
    kn_effect_type_id burn_type;
    burn.name = "Burn";
    burn.duration_kind = KN_DURATION_TIMED;
    burn.duration = kn_magnitude_constant(1.0f);
    assert_int_equal(kn_effect_register(f->library, &burn, &burn_type, NULL), KN_OK);
    kn_ability_def jump = kn_ability_def_default();
    kn_ability_type_id jump_type, other_type;
    jump.name = "Jump";
    assert_int_equal(kn_ability_register(f->library, &jump, &jump_type, NULL), KN_OK);
    jump.name = "Other";
    assert_int_equal(kn_ability_register(f->library, &jump, &other_type, NULL), KN_OK);
    script *s = capability(f, "A");
    s->def.hears_effects = &burn_type;
    s->def.hears_effect_count = 1;
    s->def.hears_abilities = &jump_type;
    s->def.hears_ability_count = 1;
    s->def.heard = (kn_hook){hook_heard, s};
    (void)begin_added(f, "A");
    assert_int_equal(
        kn_effect_apply_simple(f->world, burn_type, f->foe, f->hero, 1.0f, NULL), KN_OK);
    EXPECT(f, "[4  0 2]");
    assert_int_equal(kn_world_step(f->world, KN_S(1)), KN_OK);
    EXPECT(f, "[5  0 2]");
    const kn_ability_type_id types[] = {other_type, jump_type};
    for (size_t i = 0; i < 2; i++) {
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        kn_ability_id id;
        grant.type = types[i];
        assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &id), KN_OK);
        assert_int_equal(kn_ability_activate(f->world, id, NULL, NULL), KN_OK);
        (void)kn_abilities_cancel(f->world, f->hero, NULL);
    }
    assert_true(strncmp(f->log, "[7  0 ", 6) == 0);
    assert_non_null(strstr(f->log, "[9  0 "));
    assert_null(strstr(strstr(f->log, "[7  0 ") + 1, "[7  0 ")); // not of the other one
}

// Rates and groups ------------------------------------------------------------------

static void add_time(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t *ticks = kn_capability_state(world, entity, number);
    assert_non_null(ticks);
    (void)f;
    ++*ticks;
}

// CAP-096, CAP-218: whatever the steps of the host are.
static void steps_of_any_length_give_the_same_state(void **state)
{
    static const int rates[] = {30, 60, 144, 1};
    const kn_field counts[] = {{.name = "ticks", .kind = KN_FIELD_U32}};
    uint64_t hash = 0;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        fixture *f = fixture_create();
        script *a = capability(f, "A"), *b = capability(f, "B");
        a->def.state = b->def.state = counts;
        a->def.state_count = b->def.state_count = 1;
        a->tick = b->tick = add_time;
        b->def.interval = KN_MS(70);
        f->shows_predicates = false;
        capability_done(a);
        capability_done(b);
        kn_capability_set_id quick = set_at(f, "S", "A", 60), slow = set_at(f, "T", "B", 20);
        begin(f);
        add(f, quick);
        add(f, slow);
        for (int j = 0; j < 2 * rates[i]; j++) {
            kn_time now = kn_world_now(f->world);
            kn_time next = KN_S(1) * (j + 1) / rates[i];
            hush(f);
            assert_int_equal(kn_world_step(f->world, next - now), KN_OK);
        }
        assert_int_equal(
            *(const uint32_t *)kn_capability_read_state(f->world, f->hero, number_of(f, a)), 120);
        assert_int_equal(
            *(const uint32_t *)kn_capability_read_state(f->world, f->hero, number_of(f, b)), 28);
        assert_true(hash == 0 || hash == kn_world_hash(f->world));
        hash = kn_world_hash(f->world);
        fixture_destroy(f);
    }
}

// Groups run in their order, whatever the order of the sets is.
static void groups_come_before_the_order_of_sets(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A"), *b = capability(f, "B"), *c = capability(f, "C");
    f->shows_names = true;
    f->shows_predicates = false;
    b->def.group = "input";
    c->def.group = "cleanup";
    capability_done(a);
    capability_done(b);
    capability_done(c);
    kn_capability_set_id set = set_at(f, "S", "CAB", 10);
    begin(f);
    add(f, set);
    hush(f);
    assert_int_equal(kn_world_step(f->world, KN_MS(100)), KN_OK);
    EXPECT(f, "TK_B TK_A TK_C");
}

// CAP-216: nothing is looked at where nothing is to be evaluated.
static void sleeping_entities_are_not_visited(void **state)
{
    fixture *f = *state;
    script *s = sleeper(f, "A");
    s->def.hears_tags = (kn_tags){&f->stunned, 1};
    capability_done(s);
    kn_capability_set_id set = set_at(f, "S", "A", 10);
    begin(f);
    add(f, set);
    kn_component_type_id lane = kn_component_find(f->library, "Knack.Lane.10.rules");
    assert_non_null(kn_component_read(f->world, lane, f->hero));
    assert_int_equal(kn_world_step(f->world, KN_MS(100)), KN_OK);
    assert_null(kn_component_read(f->world, lane, f->hero));
    give_tag(f, f->stunned);
    assert_non_null(kn_component_read(f->world, lane, f->hero));
}

// CAP-215
static void staggered_intervals_begin_at_different_times(void **state)
{
    fixture *f = *state;
    script *s = capability(f, "A");
    s->def.staggered = true;
    s->def.interval = KN_S(1);
    f->shows_predicates = false;
    capability_done(s);
    kn_capability_set_id set = set_at(f, "S", "A", 100);
    begin(f);
    const kn_entity_id all[] = {f->hero, f->foe, f->ally, f->gadget};
    uint32_t runs[4];
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(kn_capability_set_add(f->world, all[i], set, NULL), KN_OK);
    }
    hush(f);
    uint32_t seen = 0, different = 0;
    for (uint32_t run = 0; run < 100; run++) {
        assert_int_equal(kn_world_step(f->world, KN_MS(10)), KN_OK);
        for (; strlen(f->log) >= 2 && seen < 4; f->log[0] = 0) {
            runs[seen++] = run;
        }
        hush(f);
    }
    for (uint32_t i = 1; i < seen; i++) {
        different += runs[i] != runs[i - 1];
    }
    assert_int_equal(seen, 4);
    assert_int_equal(different, 3);
}

// Data components ---------------------------------------------------------------------

// CAP-012, CAP-016, CAP-032, CAP-124, CAP-170, CAP-173, CAP-175, CAP-179, CAPV-055
static void data_components_come_and_go_with_sets(void **state)
{
    fixture *f = *state;
    kn_component_type_id type = oxygen_register(f);
    script *a = capability(f, "A"), *b = capability(f, "B");
    capability_done(a);
    capability_done(b);
    kn_capability_set_id sets[3];
    const char *const names[] = {"S1", "S2", "S3"};
    for (size_t i = 0; i < 3; i++) {
        kn_capability_set_def def = kn_capability_set_def_default();
        const kn_capability_id member = i == 0 ? a->id : b->id;
        def.name = names[i];
        def.rate = 0;
        def.capabilities = &member;
        def.capability_count = 1;
        def.data = &type;
        def.data_count = 1;
        assert_int_equal(kn_capability_set_register(f->library, &def, &sets[i], NULL), KN_OK);
    }
    begin(f);
    add(f, sets[0]);
    oxygen *data = kn_component_get(f->world, type, f->hero);
    assert_non_null(data);
    data->uses = 3;
    add(f, sets[1]);
    assert_int_equal(((const oxygen *)kn_component_read(f->world, type, f->hero))->uses, 3);
    take(f, sets[0]);
    assert_int_equal(((const oxygen *)kn_component_read(f->world, type, f->hero))->uses, 3);
    take(f, sets[1]);
    assert_null(kn_component_read(f->world, type, f->hero));
    // What the entity had from elsewhere stays.
    assert_non_null(kn_component_add(f->world, type, f->hero));
    add(f, sets[2]);
    take(f, sets[2]);
    assert_non_null(kn_component_read(f->world, type, f->hero));
}

static void needs_data(fixture *f, kn_world *world, kn_entity_id entity, uint32_t number)
{
    (void)number;
    trace(f, "%s",
        kn_component_read(world, kn_component_find(f->library, "Oxygen"), entity) != NULL
            ? "[data]"
            : "[none]");
}

// CAP-076, CAP-124
static void every_hook_reaches_the_data(void **state)
{
    fixture *f = *state;
    kn_component_type_id type = oxygen_register(f);
    script *a = capability(f, "A");
    a->setup = a->on = a->off = needs_data;
    f->shows_predicates = false;
    capability_done(a);
    kn_capability_set_def def = kn_capability_set_def_default();
    kn_capability_set_id set;
    def.name = "S";
    def.rate = 0;
    def.capabilities = &a->id;
    def.capability_count = 1;
    def.data = &type;
    def.data_count = 1;
    assert_int_equal(kn_capability_set_register(f->library, &def, &set, NULL), KN_OK);
    begin(f);
    add(f, set);
    take(f, set);
    EXPECT(f, "SL SU[data] ON[data] OFF[data] EC EL");
}

static void sets_with_data_that_makes_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    kn_component_type_id type = oxygen_register(f), many;
    const kn_field field = KN_FIELD_INIT("x", KN_FIELD_U32, 0, 1);
    kn_component_def component = kn_component_def_default();
    component.name = "Many";
    component.size = 4;
    component.fields = &field;
    component.field_count = 1;
    component.several = true;
    assert_int_equal(kn_component_register(f->library, &component, &many, NULL), KN_OK);
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = "S";
    def.data = &many;
    def.data_count = 1;
    kn_error error;
    assert_int_equal(kn_capability_set_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`Many`"));
    const kn_component_type_id twice[] = {type, type};
    def.data = twice;
    def.data_count = 2;
    assert_int_equal(kn_capability_set_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`Oxygen` is there twice"));
    begin(f);
}

// What an active capability brings ------------------------------------------------------

static void it_brings_effects_and_abilities_while_it_is_active(void **state)
{
    fixture *f = *state;
    kn_effect_def shield = kn_effect_def_default();
    kn_effect_type_id shield_type;
    shield.name = "Shield";
    shield.duration_kind = KN_DURATION_INFINITE;
    shield.granted_tags = (kn_tags){&f->look, 1};
    assert_int_equal(kn_effect_register(f->library, &shield, &shield_type, NULL), KN_OK);
    kn_ability_def jump = kn_ability_def_default();
    kn_ability_type_id jump_type;
    jump.name = "Jump";
    assert_int_equal(kn_ability_register(f->library, &jump, &jump_type, NULL), KN_OK);
    script *s = capability(f, "A");
    s->def.effects = &shield_type;
    s->def.effect_count = 1;
    s->def.abilities = &jump_type;
    s->def.ability_count = 1;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    assert_true(kn_entity_has_tag(f->world, f->hero, f->look));
    assert_int_equal(kn_abilities_find(f->world, f->hero, NULL, NULL, 0), 1);
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, number_of(f, s)), KN_OK);
    assert_false(kn_entity_has_tag(f->world, f->hero, f->look));
    assert_int_equal(kn_abilities_find(f->world, f->hero, NULL, NULL, 0), 0);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    frame(f, 10);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    take(f, set);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

// Data instead of functions.
static void tags_and_conditions_switch_it_without_code(void **state)
{
    fixture *f = *state;
    script *s = capability(f, "A");
    s->def.should_activate = s->def.should_deactivate = (kn_hook){NULL, NULL};
    s->def.when.required = (kn_tags){&f->move, 1};
    s->def.when.ignored = (kn_tags){&f->stunned, 1};
    s->def.sleeps = true;
    f->shows_predicates = false;
    kn_capability_set_id set = begin_set(f, "A");
    add(f, set);
    EXPECT(f, "SL SU");
    give_tag(f, f->fly);
    frame(f, 10);
    EXPECT(f, "ON TK");
    give_tag(f, f->stunned);
    frame(f, 10);
    EXPECT(f, "OFF");
}

// CAP-033, CAP-035, CAP-011
static void entities_with_a_tag_begin_with_sets(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A"), *b = capability(f, "B"), *c = capability(f, "C");
    f->shows_names = true;
    f->shows_predicates = false;
    capability_done(a);
    capability_done(b);
    capability_done(c);
    const kn_capability_set_id first = set_of(f, "S1", "A"), second = set_of(f, "S2", "B"),
                               third = set_of(f, "S3", "C");
    kn_capability_collection_id all;
    kn_capability_collection_def collection = kn_capability_collection_def_default();
    collection.name = "All";
    collection.sets = &second;
    collection.set_count = 1;
    assert_int_equal(kn_capability_collection_register(f->library, &collection, &all, NULL), KN_OK);
    const kn_capability_set_id both[] = {third, first};
    kn_capability_preset_def preset = kn_capability_preset_def_default();
    preset.name = "Heroes";
    assert_int_equal(kn_capability_preset_register(f->library, &preset, NULL), KN_ERROR_BAD_DATA);
    preset.tag = f->look;
    preset.sets = both;
    preset.set_count = 2;
    preset.collections = &all;
    preset.collection_count = 1;
    assert_int_equal(kn_capability_preset_register(f->library, &preset, NULL), KN_OK);
    begin(f);
    give_tag(f, f->look);
    hush(f);
    frame(f, 10);
    EXPECT(f, "TK_C TK_A TK_B");
}

// State and copies ----------------------------------------------------------------------

// CAP-022, CAP-037, CAP-060
static void each_capability_has_a_state_of_its_own(void **state)
{
    fixture *f = *state;
    const kn_field fields[] = {{.name = "ticks", .kind = KN_FIELD_U32},
        {.name = "place", .kind = KN_FIELD_VEC3}, {.name = "foe", .kind = KN_FIELD_ENTITY}};
    script *a = capability(f, "A");
    a->def.state = fields;
    a->def.state_count = 3;
    a->tick = add_time;
    a->def.resets_state = true;
    capability_done(a);
    kn_capability_set_id first = set_of(f, "S1", "A"), second = set_of(f, "S2", "A");
    begin(f);
    add(f, first);
    frame(f, 10);
    add(f, second);
    frame(f, 10);
    uint32_t n1 = kn_capability_number(
        f->world, f->hero, a->id, kn_capability_set_number(f->world, f->hero, first));
    uint32_t n2 = kn_capability_number(
        f->world, f->hero, a->id, kn_capability_set_number(f->world, f->hero, second));
    assert_int_not_equal(n1, n2);
    assert_int_equal(*(const uint32_t *)kn_capability_read_state(f->world, f->hero, n1), 2);
    assert_int_equal(*(const uint32_t *)kn_capability_read_state(f->world, f->hero, n2), 1);
    assert_int_equal(kn_capability_deactivate(f->world, f->hero, n1), KN_OK);
    assert_int_equal(*(const uint32_t *)kn_capability_read_state(f->world, f->hero, n1), 2);
    assert_int_equal(kn_capability_activate(f->world, f->hero, n1), KN_OK);
    assert_int_equal(*(const uint32_t *)kn_capability_read_state(f->world, f->hero, n1), 0);
    assert_null(kn_capability_read_state(f->world, f->hero, 99));
    take(f, first);
    assert_null(kn_capability_read_state(f->world, f->hero, n1));
    assert_int_equal(*(const uint32_t *)kn_capability_read_state(f->world, f->hero, n2), 1);
}

// A world that is saved and loaded, or taken back, goes on alike.
static void copies_go_on_alike(void **state)
{
    fixture *f = *state;
    const kn_field counts[] = {{.name = "ticks", .kind = KN_FIELD_U32}};
    script *a = capability(f, "A"), *b = sleeper(f, "B");
    a->def.state = counts;
    a->def.state_count = 1;
    a->tick = add_time;
    a->def.interval = KN_MS(70);
    a->def.tags = (kn_tags){&f->x, 1};
    b->def.blocks = (kn_tags){&f->x, 1};
    b->def.hears_tags = (kn_tags){&f->stunned, 1};
    f->shows_predicates = false;
    capability_done(a);
    capability_done(b);
    kn_capability_set_id set = set_at(f, "S", "AB", 60);
    begin(f);
    add(f, set);
    assert_int_equal(kn_world_step(f->world, KN_MS(333)), KN_OK);
    assert_int_equal(
        kn_capability_wake_after(f->world, f->hero, number_of(f, b), KN_MS(200)), KN_OK);
    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    kn_world *other;
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    assert_int_equal(kn_save_read(other, bytes, size, NULL), KN_OK);
    free(bytes);
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    b->starts = true;
    b->stops = false;
    kn_world *const worlds[] = {f->world, other};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(kn_world_step(worlds[i], KN_MS(500)), KN_OK);
        assert_false(kn_capability_is_active(worlds[i], f->hero, a->id));
        assert_true(kn_capability_is_active(worlds[i], f->hero, b->id));
    }
    assert_true(kn_world_hash(other) == kn_world_hash(f->world));
    kn_world_destroy(other);
}

// Looking at it -----------------------------------------------------------------------------

// CAPV-070, CAP-018, CAP-200, CAP-202
static void states_are_listed_and_counted(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A"), *b = capability(f, "B"), *c = capability(f, "C");
    b->def.side = KN_SIDE_CLIENTS;
    c->def.side = KN_SIDE_LOCAL;
    c->def.can_tick = false;
    capability_done(a);
    capability_done(b);
    capability_done(c);
    kn_capability_set_id set = set_of(f, "S", "ABC");
    kn_world_def def = kn_world_def_default();
    def.is_dedicated = true;
    begin_with(f, def);
    add(f, set);
    kn_capability_counts counts = kn_capability_count(f->world, f->hero);
    assert_int_equal(counts.total, 3);
    assert_int_equal(counts.listed, 1);
    assert_int_equal(counts.active, 2);
    assert_int_equal(counts.entities, 1);
    kn_capability_info infos[3];
    assert_int_equal(kn_capabilities(f->world, f->hero, infos, 3), 3);
    const script *const scripts[] = {a, b, c};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(infos[i].capability.index1, scripts[i]->id.index1);
        assert_int_equal(infos[i].set.index1, set.index1);
        assert_int_equal(infos[i].place, i);
        assert_int_equal(infos[i].side, scripts[i]->def.side);
        assert_int_equal(infos[i].is_active, i != 1);
        assert_int_equal(infos[i].is_listed, i == 0);
        assert_int_equal(infos[i].is_allowed, i != 1);
    }
}

// CAP-201, CAP-114: the tree, and why something is not active.
static void text_says_what_is_there_and_why(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A"), *b = capability(f, "B"), *c = capability(f, "C");
    a->def.tags = (kn_tags){&f->fly, 1};
    b->def.side = KN_SIDE_CLIENTS;
    c->def.interval = KN_MS(250);
    c->def.blocks = (kn_tags){&f->move, 1};
    capability_done(a);
    capability_done(b);
    capability_done(c);
    kn_capability_set_id set = set_of(f, "Basics", "ABC");
    kn_world_def def = kn_world_def_default();
    def.is_dedicated = true;
    begin_with(f, def);
    add(f, set);
    frame(f, 10);
    char text[512];
    uint32_t length = kn_capability_print(f->world, f->hero, text, sizeof(text));
    assert_string_equal(text, "Basics\n"
                              "  1 A: inactive, blocked by Move\n"
                              "  2 B: inactive, not on this machine (clients)\n"
                              "  3 C: active, every 0.25 s\n"
                              "  blocks Move: capability C of entity 1\n");
    assert_int_equal(length, strlen(text));
    assert_int_equal(kn_capability_print(f->world, f->hero, text, 9), length);
    assert_string_equal(text, "Basics\n ");
    (void)kn_capability_explain(f->world, f->hero, 1, text, sizeof(text));
    assert_string_equal(text, "A is not active\n"
                              "  it is blocked by Move\n"
                              "  blocks Move: capability C of entity 1\n"
                              "  its function `should_activate` says yes\n"
                              "  all in all it should activate\n");
    a->starts = false;
    (void)kn_capability_explain(f->world, f->hero, 1, text, sizeof(text));
    assert_non_null(strstr(text, "  its function `should_activate` says no\n"
                                 "  all in all it should stay inactive\n"));
    (void)kn_capability_explain(f->world, f->hero, 3, text, sizeof(text));
    assert_string_equal(text, "C is active\n"
                              "  its function `should_deactivate` says no\n"
                              "  all in all it should stay active\n");
    (void)kn_capability_explain(f->world, f->hero, 2, text, sizeof(text));
    assert_string_equal(text, "B is not active\n"
                              "  it does not run on this machine: its side is clients\n");
    assert_int_equal(kn_capability_explain(f->world, f->hero, 9, text, sizeof(text)), 0);
    assert_int_equal(kn_capability_print(f->world, f->foe, text, sizeof(text)), 0);
}

static bool is_warned(const fixture *f, const char *text)
{
    for (uint32_t i = 0; i < kn_library_warning_count(f->library); i++) {
        if (strstr(kn_library_warning(f->library, i), text) != NULL) {
            return true;
        }
    }
    return false;
}

// CAP-075, CAP-206
static void definitions_that_are_hardly_meant_are_warned_of(void **state)
{
    fixture *f = *state;
    script *a = capability(f, "A"), *b = capability(f, "B"), *c = capability(f, "C");
    a->def.should_deactivate = (kn_hook){NULL, NULL};
    b->def.tags = b->def.blocks = (kn_tags){&f->x, 1};
    b->def.blocks_itself = true;
    b->def.interval = KN_MS(10);
    c->def.can_tick = false;
    capability_done(a);
    capability_done(b);
    capability_done(c);
    (void)set_at(f, "S", "ABC", 60);
    begin(f);
    assert_true(is_warned(f, "`A`: it has a condition to start and none to stop"));
    assert_true(is_warned(f, "`B`: it blocks a tag of its own"));
    assert_true(is_warned(f, "`B`: its interval is shorter than a run of its set"));
    assert_true(is_warned(f, "`C`: `should_activate` is not asked again and again"));
    assert_true(is_warned(f, "`C`: `tick` is never called"));
    assert_int_equal(kn_library_warning_count(f->library), 5);
}

// Says no, yes, no and so on.
static kn_result hook_wavers(void *user, const kn_hook_call *call)
{
    uint32_t *asked = user;
    (void)call;
    return (*asked)++ % 2 == 0 ? KN_REFUSED_CUSTOM : KN_OK;
}

// CAP-058: who answers otherwise when it is asked again is reported, active or not; others are not.
static void predicates_that_answer_twice_differently_are_reported(void **state)
{
    for (int asks_twice = 0; asks_twice < 2; asks_twice++) {
        fixture *f = fixture_create();
        uint32_t asked = 0;
        kn_capability_rules_def rules = kn_capability_rules_def_default();
        rules.name = "Rules";
        rules.asks_twice = asks_twice != 0;
        assert_int_equal(kn_capability_rules_register(f->library, &rules, NULL), KN_OK);
        (void)capability(f, "A");
        script *b = capability(f, "B");
        b->def.should_activate = b->def.should_deactivate = (kn_hook){hook_wavers, &asked};
        b->def.can_tick = false;
        (void)begin_added(f, "AB");
        asked = 0;
        frame(f, 10);
        EXPECT(f, asks_twice != 0 ? "SD(f) SD(f) TK(10)" : "SD(f) TK(10)");
        assert_int_equal(asked, 0);
        assert_int_equal(kn_world_step(f->world, 0), KN_OK);
        assert_int_equal(problems(f, KN_CAPABILITY_FAULT_ANSWERS, b), 0);
        for (int turn = 0; turn < 2; turn++) {
            assert_int_equal(is_active(f, b), turn == 0);
            asked = 0; // the first answer, which counts, is no
            assert_int_equal(kn_capability_evaluate(f->world, f->hero, number_of(f, b)), KN_OK);
            assert_int_equal(asked, 1 + asks_twice);
            assert_int_equal(is_active(f, b), turn == 0);
            assert_int_equal(kn_world_step(f->world, 0), KN_OK);
            assert_int_equal(problems(f, KN_CAPABILITY_FAULT_ANSWERS, b), asks_twice);
            (void)kn_capability_deactivate(f->world, f->hero, number_of(f, b));
        }
        fixture_destroy(f);
    }
    (void)state;
}

static const struct CMUnitTest tests[] = {
    TEST(a_sleeper_is_asked_when_something_changes),
    TEST(a_sleeper_flips_as_a_polled_one),
    TEST(an_active_sleeper_with_a_tick_ticks),
    TEST(a_timer_wakes_a_sleeper),
    TEST(an_event_may_have_it_evaluated_now),
    TEST(it_hears_of_things_at_once),
    TEST(effects_and_abilities_are_heard_of),
    TEST(steps_of_any_length_give_the_same_state),
    TEST(groups_come_before_the_order_of_sets),
    TEST(sleeping_entities_are_not_visited),
    TEST(staggered_intervals_begin_at_different_times),
    TEST(data_components_come_and_go_with_sets),
    TEST(every_hook_reaches_the_data),
    TEST(sets_with_data_that_makes_no_sense_are_refused),
    TEST(it_brings_effects_and_abilities_while_it_is_active),
    TEST(tags_and_conditions_switch_it_without_code),
    TEST(entities_with_a_tag_begin_with_sets),
    TEST(each_capability_has_a_state_of_its_own),
    TEST(copies_go_on_alike),
    TEST(states_are_listed_and_counted),
    TEST(text_says_what_is_there_and_why),
    TEST(definitions_that_are_hardly_meant_are_warned_of),
    cmocka_unit_test(predicates_that_answer_twice_differently_are_reported),
};

TEST_GROUP(capability_wake, tests, NULL, NULL);
