// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cooldowns as effects that grant tags: one per ability, or one for all with duration and tags of
// the ability; how long they last, and who hears of them.

#include "scenario/ability_prices.h"

static kn_time remaining_of(const fixture *f, kn_ability_id ability)
{
    kn_time remaining, total;
    (void)kn_ability_cooldown(f->world, ability, &remaining, &total);
    return remaining;
}

static bool hero_has(fixture *f, const char *tag)
{
    return kn_entity_has_tag(f->world, f->hero, tag_of(f, tag));
}

// An effect whose duration is the given number.
static kn_effect_type_id lasting(fixture *f, const char *name, kn_magnitude duration, kn_tags tags)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = duration;
    def.granted_tags = tags;
    return effect_register(f, &def);
}

static kn_effect_id afflict_for(fixture *f, kn_effect_type_id type, kn_time duration)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = f->hero;
    def.duration = duration;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

static kn_ability_def bolt_def(fixture *f)
{
    kn_ability_def def = spell_def(f, "Bolt");
    def.cooldown_effect = tag_effect(f, "BoltCooldown", "Cooldown.Bolt", 3.0f);
    return def;
}

static kn_ability_id begin_with_bolt(fixture *f)
{
    kn_ability_def def = bolt_def(f);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    return grant(f, type);
}

// CDN-001, CDN-002, ABI-110, ABI-115
static void an_effect_keeps_the_ability_from_being_used(void **state)
{
    fixture *f = *state;
    kn_ability_id bolt = begin_with_bolt(f);
    assert_int_equal(remaining_of(f, bolt), 0);
    assert_int_equal(use(f, bolt), KN_OK);
    assert_true(hero_has(f, "Cooldown.Bolt"));
    assert_int_equal(use(f, bolt), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1); // the refusal started none
    kn_cooldown_info info;
    assert_int_equal(kn_ability_cooldowns(f->world, bolt, &info, 1), 1);
    assert_int_equal(info.remaining, KN_S(3));
    assert_int_equal(info.wait, KN_S(3));
    expect_replays(f);
    step(f, KN_S(3) - 1);
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COOLDOWN);
    step(f, 1);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(use(f, bolt), KN_OK);
}

// CDN-003, ABI-115, TVA-006: whoever grants the tag; and without it the effect is nothing.
static void the_tag_decides_not_the_effect(void **state)
{
    fixture *f = *state;
    kn_effect_type_id silence = tag_effect(f, "Silence", "Cooldown.Bolt", 2.0f);
    kn_effect_def hide = kn_effect_def_default();
    kn_tag_edit edit = {.kind = KN_TAG_EDIT_REMOVE, .tag = tag_of(f, "Cooldown.Bolt")};
    hide.name = "Hide";
    hide.duration_kind = KN_DURATION_INFINITE;
    hide.tag_edits = &edit;
    hide.tag_edit_count = 1;
    kn_effect_type_id hidden = effect_register(f, &hide);
    kn_ability_id bolt = begin_with_bolt(f);
    afflict(f, silence);
    assert_int_equal(check(f, bolt), KN_FAIL_COOLDOWN);
    assert_int_equal(remaining_of(f, bolt), KN_S(2));
    step(f, KN_S(2));
    assert_int_equal(check(f, bolt), 0);
    add_tag(f, f->hero, tag_of(f, "Cooldown.Bolt"));
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COOLDOWN);
    assert_int_equal(remaining_of(f, bolt), 0); // the length is unknown
    expect_text(f, bolt, "Bolt: on cooldown");
    remove_tag(f, f->hero, tag_of(f, "Cooldown.Bolt"));
    assert_int_equal(use(f, bolt), KN_OK);
    afflict(f, hidden);
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(use(f, bolt), KN_OK);
}

// CDN-002: interchangeable abilities in one slot share its tag.
static void abilities_in_one_slot_share_its_tag(void **state)
{
    fixture *f = *state;
    kn_ability_def one = bolt_def(f), other = spell_def(f, "Frost");
    other.cooldown_effect = one.cooldown_effect;
    kn_ability_type_id bolt_type = ability_register(f, &one);
    kn_ability_type_id frost_type = ability_register(f, &other);
    begin(f);
    kn_ability_id bolt = grant(f, bolt_type), frost = grant(f, frost_type);
    assert_int_equal(use(f, bolt), KN_OK);
    assert_int_equal(use(f, frost), KN_REFUSED_COOLDOWN);
}

// Shared effects ------------------------------------------------------------

static kn_ability_def shared_def(fixture *f, const char *name, const char *tag, float seconds)
{
    kn_ability_def def = spell_def(f, name);
    def.cooldown_tags = tags_of(f, tag);
    def.cooldown_duration = kn_constant(seconds);
    return def;
}

// CDN-005, CDN-006, CDN-007, ABI-090, ABI-118
static void one_effect_serves_all_with_a_duration_set_by_caller(void **state)
{
    fixture *f = *state;
    kn_tag data = tag_of(f, "Data.Cooldown");
    const kn_curve_point lengths[] = {{1.0f, 8.0f}, {3.0f, 4.0f}};
    kn_effect_type_id shared =
        lasting(f, "Cooldown", kn_magnitude_set_by_caller(data), tags_of(f, "Cooldown.Any"));
    kn_ability_def defs[2] = {shared_def(f, "Bolt", "Cooldown.Bolt", 0.0f),
        shared_def(f, "Frost", "Cooldown.Frost", 2.0f)};
    kn_effect_type_id unmarked =
        lasting(f, "Unmarked", kn_magnitude_set_by_caller(data), (kn_tags){NULL, 0});
    kn_ability_def third = shared_def(f, "Heal", "Cooldown.Heal", 5.0f);
    defs[0].cooldown_duration = by_level(curve_of(f, "Lengths", KN_CURVE_LINEAR, lengths, 2));
    defs[0].cooldown_caller_tag = defs[1].cooldown_caller_tag = third.cooldown_caller_tag = data;
    defs[0].cooldown_effect = defs[1].cooldown_effect = shared;
    third.cooldown_effect = unmarked;
    kn_ability_type_id bolt_type = ability_register(f, &defs[0]);
    kn_ability_type_id frost_type = ability_register(f, &defs[1]);
    kn_ability_type_id heal_type = ability_register(f, &third);
    begin(f);
    kn_ability_id bolt = grant_level(f, bolt_type, 2.0f), frost = grant(f, frost_type);
    kn_ability_id heal = grant(f, heal_type);
    assert_int_equal(use(f, heal), KN_OK);
    assert_int_equal(remaining_of(f, heal), KN_S(5));
    assert_int_equal(check(f, frost), 0); // its tags are its own
    assert_int_equal(use(f, bolt), KN_OK);
    assert_int_equal(remaining_of(f, bolt), KN_S(6));
    assert_true(hero_has(f, "Cooldown.Bolt") && !hero_has(f, "Cooldown.Frost"));
    assert_int_equal(check(f, frost), KN_FAIL_COOLDOWN); // the effect's tag is one of its own too
    expect_replays(f);
    step(f, KN_S(6));
    assert_int_equal(use(f, frost), KN_OK);
    assert_int_equal(remaining_of(f, frost), KN_S(2));
    assert_false(hero_has(f, "Cooldown.Bolt")); // nothing stays of who used it before
}

static float length_of_ability(void *user, const kn_calculation *calculation)
{
    (void)user;
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    return 2.0f * kn_ability_level(kn_spec_view_world(spec), kn_spec_view_ability(spec));
}

static void do_nothing(void *user, kn_execution *execution)
{
    (void)user;
    (void)execution;
}

// CDN-004: what it does must not depend on an execution, which a client does not predict.
static void a_cooldown_effect_has_no_executions(void **state)
{
    fixture *f = *state;
    kn_execution_def x = kn_execution_def_default();
    x.name = "X";
    x.function = do_nothing;
    kn_execution_use part = {.execution = {0}};
    assert_int_equal(kn_execution_register(f->library, &x, &part.execution, NULL), KN_OK);
    kn_effect_def executing = infinite("Executing");
    executing.is_periodic = true;
    executing.period = kn_magnitude_constant(1.0f);
    executing.executions = &part;
    executing.execution_count = 1;
    kn_ability_def def = shared_def(f, "Bolt", "Cooldown.Bolt", 0.0f);
    def.cooldown_effect = effect_register(f, &executing);
    kn_ability_type_id bad;
    kn_error error;
    assert_int_equal(kn_ability_register(f->library, &def, &bad, &error), KN_ERROR_BAD_DATA);
    assert_string_equal(
        error.message, "ability `Bolt`: its cooldown effect must not have executions");
}

// CDN-004, CDN-005, CDN-008, ABI-118
static void a_calculation_reads_the_length_from_the_ability(void **state)
{
    fixture *f = *state;
    kn_calculation_def def = kn_calculation_def_default();
    def.name = "Length";
    def.function = length_of_ability;
    kn_calculation_id calculation;
    assert_int_equal(kn_calculation_register(f->library, &def, &calculation, NULL), KN_OK);
    kn_effect_type_id shared =
        lasting(f, "Cooldown", kn_magnitude_calculation(calculation), (kn_tags){NULL, 0});
    kn_ability_def defs[2] = {
        shared_def(f, "Bolt", "Cooldown.Bolt", 0.0f), shared_def(f, "Heal", "Cooldown.Heal", 0.0f)};
    defs[0].cooldown_effect = defs[1].cooldown_effect = shared;
    kn_ability_type_id bolt_type = ability_register(f, &defs[0]);
    kn_ability_type_id heal_type = ability_register(f, &defs[1]);
    begin(f);
    kn_ability_id bolt = grant_level(f, bolt_type, 2.0f), heal = grant_level(f, heal_type, 3.0f);
    assert_int_equal(use(f, bolt), KN_OK);
    assert_int_equal(use(f, heal), KN_OK);
    assert_int_equal(remaining_of(f, bolt), KN_S(4));
    assert_int_equal(remaining_of(f, heal), KN_S(6));
    expect_replays(f);
    assert_int_equal(kn_ability_remove(f->world, heal, KN_GRANT_CANCEL), KN_OK);
    assert_true(hero_has(f, "Cooldown.Heal")); // it is the owner's, not the ability's
    step(f, KN_S(6));
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
    // Without an ability the length is 0.
    (void)kn_effect_apply_simple(f->world, shared, f->hero, f->hero, 1.0f, NULL);
    assert_int_equal(kn_effects_count(f->world, f->hero), 0);
}

// A length of nothing, less than nothing or no number starts no cooldown and breaks nothing.
static void a_length_that_is_none_starts_no_cooldown(void **state)
{
    fixture *f = *state;
    const float lengths[] = {0.0f, -4.0f, 3e38f};
    const char *const names[] = {"Zero", "Negative", "Endless"};
    kn_tag data = tag_of(f, "Data.Cooldown");
    const kn_curve_point huge[] = {{1.0f, 3e38f}};
    kn_curve_id curve = curve_of(f, "Huge", KN_CURVE_LINEAR, huge, 1);
    kn_effect_type_id shared =
        lasting(f, "Cooldown", kn_magnitude_set_by_caller(data), (kn_tags){NULL, 0});
    kn_ability_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_def def = shared_def(f, names[i], names[i], lengths[i]);
        def.cooldown_duration.curve = i == 2 ? curve : (kn_curve_id){0};
        def.cooldown_caller_tag = data;
        def.cooldown_effect = shared;
        types[i] = ability_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_id ability = grant(f, types[i]);
        assert_int_equal(use(f, ability), KN_OK);
        expect_status_fresh(f, f->world);
        step(f, KN_MS(1));
    }
    assert_false(hero_has(f, "Zero") || hero_has(f, "Negative"));
    expect_replays(f);
}

// How long ------------------------------------------------------------------

// CDN-009, ABI-119, TVA-007
static void the_longest_remaining_time_is_told(void **state)
{
    fixture *f = *state;
    kn_effect_type_id five = tag_effect(f, "Five", "Cooldown.Bolt", 5.0f);
    kn_effect_type_id four = tag_effect(f, "Four", "Cooldown.Bolt", 4.0f);
    kn_effect_type_id long_one = tag_effect(f, "Long", "Cooldown.Other", 9.0f);
    kn_ability_id bolt = begin_with_bolt(f);
    kn_tags tags = tags_of(f, "Cooldown.Bolt"), parent = tags_of(f, "Cooldown");
    kn_time remaining = 1, total = 1;
    assert_false(kn_cooldown_remaining(f->world, f->hero, tags, &remaining, &total));
    assert_true(remaining == 0 && total == 0);
    afflict(f, five);
    step(f, KN_MS(2500));
    afflict(f, four);
    step(f, KN_MS(500));
    assert_true(kn_cooldown_remaining(f->world, f->hero, tags, &remaining, &total));
    assert_int_equal(remaining, KN_MS(3500));
    assert_int_equal(total, KN_S(4));
    assert_true(kn_ability_cooldown(f->world, bolt, &remaining, &total));
    assert_int_equal(remaining, KN_MS(3500));
    assert_int_equal(total, KN_S(4));
    assert_true(kn_cooldown_remaining(f->world, f->hero, parent, &remaining, &total));
    assert_int_equal(remaining, KN_MS(3500));
    // Any of several tags: the longest of all of them.
    afflict(f, long_one);
    const kn_tag several[2] = {tag_of(f, "Cooldown.Other"), tags.data[0]};
    assert_true(
        kn_cooldown_remaining(f->world, f->hero, (kn_tags){several, 2}, &remaining, &total));
    assert_true(remaining == KN_S(9) && total == KN_S(9));
    assert_true(kn_cooldown_remaining(f->world, f->hero, tags, &remaining, &total));
    assert_int_equal(remaining, KN_MS(3500));
    assert_false(kn_cooldown_remaining(f->world, f->hero, (kn_tags){NULL, 0}, &remaining, &total));
    assert_false(kn_cooldown_remaining(f->world, f->foe, tags, &remaining, &total));
    assert_false(kn_cooldown_remaining(f->world, (kn_entity_id){0}, tags, &remaining, &total));
}

// MAP-041, MAP-042: over records and effects with the tag.
static void records_and_effects_under_one_tag_are_compared(void **state)
{
    fixture *f = *state;
    kn_effect_type_id silence = tag_effect(f, "Silence", "Cooldown.Dash", 5.0f);
    kn_cooldown_def cooldown = kn_cooldown_seconds(3.0f);
    cooldown.key = tag_of(f, "Cooldown.Dash");
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", &cooldown, 1);
    begin(f);
    kn_ability_id dash = grant(f, type);
    kn_tags tags = {&cooldown.key, 1};
    assert_int_equal(use(f, dash), KN_OK);
    kn_time remaining, total;
    assert_true(kn_cooldown_remaining(f->world, f->hero, tags, &remaining, &total));
    assert_true(remaining == KN_S(3) && total == KN_S(3));
    kn_effect_id effect = afflict_for(f, silence, KN_S(2));
    assert_true(kn_cooldown_remaining(f->world, f->hero, tags, &remaining, &total));
    assert_true(remaining == KN_S(3) && total == KN_S(3));
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(3), -1), KN_OK);
    assert_true(kn_cooldown_remaining(f->world, f->hero, tags, &remaining, &total));
    assert_true(remaining == KN_S(5));
    assert_int_equal(remaining_of(f, dash), KN_S(5));
    kn_cooldown_info infos[4];
    assert_int_equal(kn_ability_cooldowns(f->world, dash, infos, 4), 2);
    assert_true(infos[0].remaining == KN_S(3) && infos[1].remaining == KN_S(5));
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, cooldown.key), 2);
    step(f, KN_S(3));
    assert_int_equal(check(f, dash), KN_FAIL_COOLDOWN); // the effect still has the tag
    step(f, KN_S(2));
    assert_int_equal(check(f, dash), 0);
}

// An inhibited effect grants no tag: it is not a cooldown until it acts again.
static void a_cooldown_that_is_switched_off_does_not_count(void **state)
{
    fixture *f = *state;
    kn_effect_def effect = infinite("BoltCooldown");
    effect.granted_tags = tags_of(f, "Cooldown.Bolt");
    effect.ongoing.target.ignored = tags_of(f, "Swift");
    kn_ability_def def = spell_def(f, "Bolt");
    def.cooldown_effect = effect_register(f, &effect);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    assert_int_equal(use(f, bolt), KN_OK);
    assert_int_equal(remaining_of(f, bolt), KN_TIME_INFINITE);
    expect_text(f, bolt, "Bolt: on cooldown");
    add_tag(f, f->hero, tag_of(f, "Swift"));
    assert_int_equal(kn_ability_status(f->world, bolt), 0);
    assert_int_equal(remaining_of(f, bolt), 0);
    expect_replays(f);
    remove_tag(f, f->hero, tag_of(f, "Swift"));
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COOLDOWN);
}

// Listening -----------------------------------------------------------------

static void hear(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    const char *what = event->type == KN_EVENT_EFFECT_APPLIED   ? "begins"
                       : event->type == KN_EVENT_EFFECT_REMOVED ? "effect ends"
                       : event->type == KN_EVENT_CHARGES        ? "charges"
                       : event->data.tag.count > 0              ? "tag comes"
                                                                : "tag goes";
    note(user, "%s at %d. ", what, (int)(event->time / 1000));
}

static void listen(fixture *f, kn_event_type type, kn_tag tag, kn_effect_type_id effect)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.entity = f->hero;
    def.tag = tag;
    def.effect_type = effect;
    def.function = hear;
    def.user = f;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
}

// CDN-010, CDN-011, ABI-120
static void begin_and_end_of_a_cooldown_are_heard(void **state)
{
    fixture *f = *state;
    kn_ability_def def = bolt_def(f);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    listen(f, KN_EVENT_EFFECT_APPLIED, (kn_tag){0}, def.cooldown_effect);
    listen(f, KN_EVENT_EFFECT_REMOVED, (kn_tag){0}, def.cooldown_effect);
    listen(f, KN_EVENT_TAG_CHANGED, tag_of(f, "Cooldown.Bolt"), (kn_effect_type_id){0});
    step(f, KN_MS(100));
    assert_int_equal(use(f, bolt), KN_OK);
    step(f, KN_MS(100));
    EXPECT_LOG(f, "tag comes at 100. begins at 100. ");
    kn_effect_id second = afflict_for(f, def.cooldown_effect, KN_S(4));
    step(f, KN_S(3));
    // One ends while the other goes on: the effect is heard, the tag is not.
    EXPECT_LOG(f, "begins at 200. effect ends at 3100. ");
    remove_effect(f, second);
    step(f, 0);
    EXPECT_LOG(f, "tag goes at 3200. effect ends at 3200. ");
}

// CDN-010, CDN-011: the same for a record, by its tag or its charges.
static void begin_and_end_of_a_record_are_heard(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = kn_cooldown_seconds(2.0f);
    cooldown.key = tag_of(f, "Cooldown.Dash");
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", &cooldown, 1);
    begin(f);
    kn_ability_id dash = grant(f, type);
    listen(f, KN_EVENT_TAG_CHANGED, cooldown.key, (kn_effect_type_id){0});
    listen(f, KN_EVENT_CHARGES, (kn_tag){0}, (kn_effect_type_id){0});
    assert_int_equal(use(f, dash), KN_OK);
    step(f, KN_S(5));
    EXPECT_LOG(f, "tag comes at 0. charges at 0. tag goes at 2000. charges at 2000. ");
}

// Commits with tags ---------------------------------------------------------

// The last event of a type, published by a step of no length, and its tags as one text.
static kn_event told_with(fixture *f, kn_event_type type, char *text, size_t size)
{
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    kn_event event = {0};
    text[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type != type) {
            continue;
        }
        event = events.data[i];
        kn_tags tags = kn_ability_event_tags(f->world, &event);
        text[0] = 0;
        for (uint32_t t = 0; t < tags.count; t++) {
            size_t length = strlen(text);
            (void)snprintf(
                text + length, size - length, "%s ", kn_tag_name(f->library, tags.data[t]));
        }
    }
    assert_int_equal(event.type, type);
    return event;
}

static kn_ability_id begin_with_combo(fixture *f)
{
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(60.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(2.0f);
    cooldown.key = tag_of(f, "Cooldown.Shared");
    kn_ability_def def = ability_def(f, "Combo");
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.cooldown_effect = tag_effect(f, "ComboCooldown", "Cooldown.Combo", 3.0f);
    (void)tag_of(f, "Combo.Finisher");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    return grant(f, type);
}

// ABI-116
static void tags_of_a_commit_are_told_with_it(void **state)
{
    fixture *f = *state;
    kn_activation_id run = activate(f, begin_with_combo(f));
    kn_tag_set relevant = {0};
    assert_int_equal(kn_tag_set_add(&relevant, tag_of(f, "Combo.Finisher")), KN_OK);
    assert_int_equal(kn_activation_commit_tagged(f->world, run, KN_COMMIT_COST, &relevant), KN_OK);
    char text[256];
    kn_event event = told_with(f, KN_EVENT_ABILITY_COMMITTED, text, sizeof(text));
    assert_string_equal(text, "Combo.Finisher ");
    assert_true(kn_activation_id_equal(event.data.ability.activation, run));
    assert_int_equal(relevant.count, 1); // as it was
    assert_true(value_of(f, f->mana) == 40.0f);
    assert_false(hero_has(f, "Cooldown.Combo")); // the other half
    assert_int_equal(kn_activation_commit_cooldown(f->world, run), KN_OK);
    (void)told_with(f, KN_EVENT_ABILITY_COMMITTED, text, sizeof(text));
    assert_string_equal(text, "");
    step(f, 0); // the event is of another step now
    assert_int_equal(kn_ability_event_tags(f->world, &event).count, 0);
    expect_replays(f);
}

// ABI-116, VER-007
static void a_refused_commit_says_by_tags_what_stands_in_its_way(void **state)
{
    fixture *f = *state;
    kn_ability_id combo = begin_with_combo(f);
    kn_activation_id run = activate(f, combo);
    assert_int_equal(kn_activation_commit(f->world, run), KN_OK);
    step(f, KN_MS(2500)); // the shared record is over, the effect is not
    uint64_t before = kn_world_hash(f->world);
    kn_tag_set relevant = {0};
    assert_int_equal(kn_tag_set_add(&relevant, tag_of(f, "Combo.Finisher")), KN_OK);
    assert_int_equal(
        kn_activation_commit_tagged(f->world, run, KN_COMMIT_ALL, &relevant), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_world_hash(f->world), before);
    char text[256];
    kn_event event = told_with(f, KN_EVENT_ABILITY_FAILED, text, sizeof(text));
    assert_int_equal(event.data.ability.reasons, KN_FAIL_COOLDOWN | KN_FAIL_COST);
    assert_true(kn_activation_id_equal(event.data.ability.activation, run));
    kn_tags tags = kn_tag_set_view(&relevant);
    assert_int_equal(tags.count, 4);
    const char *const names[] = {"Combo.Finisher", "Cooldown.Combo", "Activation.Fail.OnCooldown",
        "Activation.Fail.CantAffordCost"};
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(kn_tags_has_exact(tags, tag_of(f, names[i])));
        assert_non_null(strstr(text, names[i]));
    }
    // One half alone names its own reasons only.
    relevant.count = 0;
    assert_int_equal(
        kn_activation_commit_tagged(f->world, run, KN_COMMIT_COST, &relevant), KN_REFUSED_COST);
    assert_int_equal(relevant.count, 1);
    // A tag that somebody else gives counts too, and a record by its key.
    step(f, KN_S(1));
    assert_int_equal(kn_activation_commit_cooldown(f->world, run), KN_OK);
    assert_int_equal(kn_effects_count(f->world, f->hero), 1);
    relevant.count = 0;
    assert_int_equal(kn_activation_commit_tagged(f->world, run, KN_COMMIT_COOLDOWN, &relevant),
        KN_REFUSED_COOLDOWN);
    tags = kn_tag_set_view(&relevant);
    assert_true(kn_tags_has_exact(tags, tag_of(f, "Cooldown.Shared")));
    assert_true(kn_tags_has_exact(tags, tag_of(f, "Cooldown.Combo")));
    // Without tags the event has the reasons alone.
    assert_int_equal(kn_activation_commit(f->world, run), KN_REFUSED_COOLDOWN);
    event = told_with(f, KN_EVENT_ABILITY_FAILED, text, sizeof(text));
    assert_string_equal(text, "");
    assert_int_equal(event.data.ability.reasons, KN_FAIL_COOLDOWN | KN_FAIL_COST);
    expect_replays(f);
}

// ABI-116
static void a_commit_with_tags_that_make_no_sense_is_refused(void **state)
{
    fixture *f = *state;
    kn_activation_id run = activate(f, begin_with_combo(f));
    kn_tag_set relevant = {.count = KN_TAG_SET_MAX + 1};
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(kn_activation_commit_tagged(f->world, run, KN_COMMIT_ALL, &relevant),
        KN_ERROR_INVALID_ARGUMENT);
    relevant.count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        relevant.data[0].index1 = i == 0 ? 0 : UINT32_MAX;
        assert_int_equal(kn_activation_commit_tagged(f->world, run, KN_COMMIT_ALL, &relevant),
            KN_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(
        kn_activation_commit_tagged(f->world, run, 0, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_activation_commit_tagged(f->world, run, 4, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_activation_commit_tagged(NULL, run, KN_COMMIT_ALL, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_activation_id stale = {run.index1, run.generation + 1};
    assert_int_equal(
        kn_activation_commit_tagged(f->world, stale, KN_COMMIT_ALL, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_world_hash(f->world), before);
    kn_event none = {.type = KN_EVENT_CUE};
    assert_int_equal(kn_ability_event_tags(f->world, NULL).count, 0);
    assert_int_equal(kn_ability_event_tags(NULL, &none).count, 0);
    assert_int_equal(kn_ability_event_tags(f->world, &none).count, 0);
    none.type = KN_EVENT_ABILITY_COMMITTED;
    none.data.ability.tags1 = UINT32_MAX;
    assert_int_equal(kn_ability_event_tags(f->world, &none).count, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(an_effect_keeps_the_ability_from_being_used),
    TEST(the_tag_decides_not_the_effect),
    TEST(abilities_in_one_slot_share_its_tag),
    TEST(one_effect_serves_all_with_a_duration_set_by_caller),
    TEST(a_cooldown_effect_has_no_executions),
    TEST(a_calculation_reads_the_length_from_the_ability),
    TEST(a_length_that_is_none_starts_no_cooldown),
    TEST(the_longest_remaining_time_is_told),
    TEST(records_and_effects_under_one_tag_are_compared),
    TEST(a_cooldown_that_is_switched_off_does_not_count),
    TEST(begin_and_end_of_a_cooldown_are_heard),
    TEST(begin_and_end_of_a_record_are_heard),
    TEST(tags_of_a_commit_are_told_with_it),
    TEST(a_refused_commit_says_by_tags_what_stands_in_its_way),
    TEST(a_commit_with_tags_that_make_no_sense_is_refused),
};

TEST_GROUP(ability_cooldowns, tests, NULL, NULL);
