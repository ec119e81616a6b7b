// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why an ability cannot start: all reasons at once, their tags, results and explanations, and the
// remembered status that is never older than the world.

#include "scenario/ability_prices.h"

// An ability that everything can speak against.
static kn_ability_def meteor_def(fixture *f)
{
    static kn_cost_def cost;
    static kn_cooldown_def cooldown;
    cost = (kn_cost_def){.attribute = f->mana, .amount = kn_constant(40.0f)};
    cooldown = kn_cooldown_seconds(8.0f);
    kn_ability_def def = ability_def(f, "Meteor");
    def.tags = tags_of(f, "Ability.Fire");
    def.activation.required = tags_of(f, "State.Armed");
    def.activation.ignored = tags_of(f, "State.Stunned");
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    return def;
}

static kn_ability_id begin_with_meteor(fixture *f)
{
    kn_ability_def def = meteor_def(f);
    kn_ability_type_id type = ability_register(f, &def);
    assert_int_equal(kn_ability_dead_tag_set(f->library, tag_of(f, "State.Dead")), KN_OK);
    begin(f);
    return grant(f, type);
}

static bool never(const kn_ability_call *call, const kn_event_record *event)
{
    (void)call;
    (void)event;
    return false;
}

// All at once ---------------------------------------------------------------

// TVA-003, MAP-051
static void each_reason_has_its_bit_its_result_and_its_tag(void **state)
{
    fixture *f = *state;
    kn_ability_id meteor = begin_with_meteor(f);
    assert_int_equal(check(f, meteor), KN_FAIL_MISSING_TAGS);
    assert_int_equal(use(f, meteor), KN_REFUSED_REQUIREMENT);
    add_tag(f, f->hero, tag_of(f, "State.Armed"));
    assert_int_equal(check(f, meteor), 0);
    add_tag(f, f->hero, tag_of(f, "State.Stunned"));
    assert_int_equal(check(f, meteor), KN_FAIL_BLOCKED);
    assert_int_equal(use(f, meteor), KN_REFUSED_BLOCKED);
    remove_tag(f, f->hero, tag_of(f, "State.Stunned"));
    set_base(f, f->hero, f->mana, 10.0f);
    assert_int_equal(check(f, meteor), KN_FAIL_COST);
    assert_int_equal(use(f, meteor), KN_REFUSED_COST);
    set_base(f, f->hero, f->mana, 100.0f);
    add_tag(f, f->hero, tag_of(f, "State.Dead"));
    assert_int_equal(check(f, meteor), KN_FAIL_DEAD);
    assert_int_equal(use(f, meteor), KN_REFUSED_DYING);
    remove_tag(f, f->hero, tag_of(f, "State.Dead"));
    kn_activation_id fall = activate(f, meteor);
    assert_int_equal(check(f, meteor), KN_FAIL_ACTIVE);
    assert_int_equal(use(f, meteor), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_activation_commit(f->world, fall), KN_OK);
    assert_int_equal(kn_activation_end(f->world, fall), KN_OK);
    assert_int_equal(check(f, meteor), KN_FAIL_COOLDOWN);
    assert_int_equal(use(f, meteor), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_ability_remove(f->world, meteor, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(check(f, meteor), KN_FAIL_STALE);
    assert_int_equal(use(f, meteor), KN_REFUSED_STALE_ID);
}

// TVA-003, MAP-051
static void reasons_have_the_standard_tags(void **state)
{
    fixture *f = *state;
    const struct {
        kn_fail reason;
        const char *tag;
    } table[] = {{KN_FAIL_DEAD, "Activation.Fail.IsDead"},
        {KN_FAIL_COOLDOWN, "Activation.Fail.OnCooldown"},
        {KN_FAIL_COST, "Activation.Fail.CantAffordCost"},
        {KN_FAIL_BLOCKED, "Activation.Fail.BlockedByTags"},
        {KN_FAIL_MISSING_TAGS, "Activation.Fail.MissingTags"},
        {KN_FAIL_NETWORKING, "Activation.Fail.Networking"},
        {KN_FAIL_CUSTOM, "Activation.Fail.Custom"}, {KN_FAIL_NOT_READY, "Activation.Fail.NotReady"},
        {KN_FAIL_NO_TARGET, "Activation.Fail.NoTarget"}};
    kn_tag own = tag_of(f, "Fail.NoCharge");
    assert_int_equal(kn_ability_fail_tag_set(f->library, KN_FAIL_STALE, own), KN_OK);
    begin(f);
    for (uint32_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        kn_tag tag;
        assert_int_equal(kn_ability_fail_tags(f->world, (uint32_t)table[i].reason, &tag, 1), 1);
        assert_string_equal(kn_tag_name(f->library, tag), table[i].tag);
        assert_int_equal(kn_ability_fail_tag(f->library, table[i].reason).index1, tag.index1);
    }
    kn_tag tags[2];
    uint32_t three = KN_FAIL_STALE | KN_FAIL_COST | KN_FAIL_COOLDOWN;
    assert_int_equal(kn_ability_fail_tags(f->world, three, tags, 2), 3);
    assert_int_equal(tags[0].index1, own.index1);
    assert_int_equal(kn_ability_fail_tag(f->library, (kn_fail)three).index1, 0);
    assert_int_equal(kn_fail_result(KN_FAIL_COST | KN_FAIL_COOLDOWN), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_fail_result(0), KN_OK);
}

// The policies that do not let a machine start an ability, and the change of who controls.
// TVA-003, MAP-051, MAP-052
static void a_machine_that_may_not_start_it_is_a_reason(void **state)
{
    fixture *f = *state;
    kn_ability_def server = spell_def(f, "Judge"), local = spell_def(f, "Wave");
    server.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    server.net_security = KN_NET_SECURITY_SERVER_ONLY_ALL;
    local.net_execution = KN_NET_EXECUTION_LOCAL_ONLY;
    kn_ability_type_id judge_type = ability_register(f, &server);
    kn_ability_type_id wave_type = ability_register(f, &local);
    begin(f);
    kn_ability_id judge = grant(f, judge_type), wave = grant(f, wave_type);
    assert_int_equal(kn_ability_status(f->world, wave), 0);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 1), KN_OK);
    assert_int_equal(kn_ability_status(f->world, wave), KN_FAIL_NETWORKING);
    expect_text(f, wave, "Wave: not allowed on this machine");
    assert_int_equal(check(f, judge), 0);
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    def.connection = 1;
    kn_world *client = world_loaded(f, def);
    assert_int_equal(kn_ability_check(client, judge, NULL), KN_FAIL_NETWORKING);
    assert_int_equal(kn_ability_activate(client, judge, NULL, NULL), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_ability_check(client, wave, NULL), 0);
    kn_world_destroy(client);
}

// TVA-003, MAP-051: six at once, in the event of the refusal too.
static void all_reasons_are_told_at_once(void **state)
{
    fixture *f = *state;
    kn_ability_def def = meteor_def(f);
    def.can_activate = never;
    kn_ability_type_id type = ability_register(f, &def);
    assert_int_equal(kn_ability_dead_tag_set(f->library, tag_of(f, "State.Dead")), KN_OK);
    begin(f);
    kn_ability_id meteor = grant(f, type);
    add_tag(f, f->hero, tag_of(f, "State.Stunned"));
    add_tag(f, f->hero, tag_of(f, "State.Dead"));
    set_base(f, f->hero, f->mana, 1.0f);
    assert_int_equal(kn_ability_add_charges(f->world, meteor, (kn_tag){0}, -1), KN_OK);
    uint32_t all = KN_FAIL_DEAD | KN_FAIL_BLOCKED | KN_FAIL_MISSING_TAGS | KN_FAIL_COOLDOWN |
                   KN_FAIL_COST | KN_FAIL_CUSTOM;
    assert_int_equal(check(f, meteor), all);
    assert_int_equal(kn_ability_status(f->world, meteor), all & ~(uint32_t)KN_FAIL_CUSTOM);
    assert_int_equal(kn_ability_explain(f->world, meteor, NULL, NULL, 0), 6);
    assert_int_equal(use(f, meteor), KN_REFUSED_DYING);
    step(f, 0);
    kn_events events = kn_world_events(f->world);
    uint32_t found = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ABILITY_FAILED) {
            found++;
            assert_int_equal(events.data[i].data.ability.reasons, all);
        }
    }
    assert_int_equal(found, 1);
    expect_text(f, meteor,
        "Meteor: on cooldown for 8.0 of 8 s; needs 40 Vitals.Mana, has 1; blocked by "
        "State.Stunned; needs State.Armed; dead; its own condition refuses it");
}

// SAIV-029: without charges and without mana both are reasons, and the charges come first; once a
// charge is back, mana is what is left.
static void charges_are_a_reason_before_costs(void **state)
{
    fixture *f = *state;
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(60.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(5.0f);
    kn_ability_def def = spell_def(f, "Bolt");
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    assert_int_equal(use(f, bolt), KN_OK); // 40 mana and no charge are left
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COOLDOWN | KN_FAIL_COST);
    assert_int_equal(use(f, bolt), KN_REFUSED_COOLDOWN);
    step(f, KN_S(5));
    assert_int_equal(kn_ability_status(f->world, bolt), KN_FAIL_COST);
    assert_int_equal(use(f, bolt), KN_REFUSED_COST);
}

// ABI-111: asking changes nothing.
static void asking_changes_nothing(void **state)
{
    fixture *f = *state;
    kn_ability_id meteor = begin_with_meteor(f);
    uint64_t before = kn_world_hash(f->world);
    kn_refusal_line lines[4];
    char text[8];
    (void)check(f, meteor);
    (void)kn_ability_status(f->world, meteor);
    (void)kn_ability_explain(f->world, meteor, NULL, lines, 4);
    (void)kn_ability_explain_print(f->world, meteor, NULL, text, sizeof(text));
    (void)kn_ability_quote(f->world, meteor, NULL, 0);
    (void)kn_ability_cooldowns(f->world, meteor, NULL, 0);
    assert_int_equal(kn_world_hash(f->world), before);
    assert_string_equal(text, "Meteor:"); // cut, and terminated
    assert_int_equal(kn_ability_explain_print(f->world, meteor, NULL, NULL, 0),
        strlen("Meteor: needs State.Armed"));
}

// Explaining ----------------------------------------------------------------

static kn_refusal_line line_of(const fixture *f, kn_ability_id ability, kn_fail reason)
{
    kn_refusal_line lines[16];
    uint32_t count = kn_ability_explain(f->world, ability, NULL, lines, 16);
    for (uint32_t i = 0; i < count && i < 16; i++) {
        if (lines[i].reason == reason) {
            return lines[i];
        }
    }
    fail_msg("no line for %u", (unsigned)reason);
    return (kn_refusal_line){0};
}

// BEY-040, ABI-119: numbers of cost and cooldown.
static void lines_carry_the_numbers(void **state)
{
    fixture *f = *state;
    kn_ability_id meteor = begin_with_meteor(f);
    add_tag(f, f->hero, tag_of(f, "State.Armed"));
    expect_text(f, meteor, "Meteor: ready");
    kn_activation_id fall = activate(f, meteor);
    assert_int_equal(kn_activation_commit(f->world, fall), KN_OK);
    assert_int_equal(kn_activation_end(f->world, fall), KN_OK);
    set_base(f, f->hero, f->mana, 12.0f);
    step(f, KN_MS(4800));
    kn_refusal_line cooldown = line_of(f, meteor, KN_FAIL_COOLDOWN);
    assert_true(cooldown.have == 0.0f && cooldown.need == 1.0f);
    assert_true(cooldown.remaining == KN_MS(3200) && cooldown.total == KN_S(8));
    kn_refusal_line cost = line_of(f, meteor, KN_FAIL_COST);
    assert_int_equal(cost.attribute.index1, f->mana.index1);
    assert_true(cost.have == 12.0f && cost.need == 40.0f);
    expect_text(f, meteor, "Meteor: on cooldown for 3.2 of 8 s; needs 40 Vitals.Mana, has 12");
    expect_text(f, (kn_ability_id){0}, "ability: gone");
}

// Who blocks: an ability, an effect, an effect that grants a tag.
static void lines_name_who_stands_in_the_way(void **state)
{
    fixture *f = *state;
    kn_ability_def aim = ability_def(f, "Aim");
    aim.block_with = tags_of(f, "Ability");
    kn_ability_type_id aim_type = ability_register(f, &aim);
    kn_effect_def silence = infinite("Silence");
    silence.blocked_ability_tags = tags_of(f, "Ability.Fire");
    kn_effect_type_id silence_type = effect_register(f, &silence);
    kn_effect_type_id stun_type = tag_effect(f, "Stun", "State.Stunned", 0.0f);
    kn_ability_id meteor = begin_with_meteor(f);
    add_tag(f, f->hero, tag_of(f, "State.Armed"));
    kn_ability_id aiming = grant(f, aim_type);
    (void)activate(f, aiming);
    kn_refusal_line line = line_of(f, meteor, KN_FAIL_BLOCKED);
    assert_int_equal(line.tag.index1, tag_of(f, "Ability.Fire").index1);
    assert_true(kn_ability_id_equal(line.ability, aiming));
    expect_text(f, meteor, "Meteor: blocked by Ability.Fire (ability Aim)");
    assert_int_equal(kn_ability_cancel(f->world, aiming), KN_OK);
    kn_effect_id silenced = afflict(f, silence_type);
    line = line_of(f, meteor, KN_FAIL_BLOCKED);
    assert_true(kn_effect_id_equal(line.effect, silenced));
    expect_text(f, meteor, "Meteor: blocked by Ability.Fire (effect Silence)");
    remove_effect(f, silenced);
    kn_effect_id stunned = afflict(f, stun_type);
    line = line_of(f, meteor, KN_FAIL_BLOCKED);
    assert_true(kn_effect_id_equal(line.effect, stunned));
    assert_int_equal(line.tag.index1, tag_of(f, "State.Stunned").index1);
    expect_text(f, meteor, "Meteor: blocked by State.Stunned (effect Stun)");
}

// A cooldown line names its effect; a foreign tag beside it has a line of its own.
static void cooldown_lines_name_their_effects(void **state)
{
    fixture *f = *state;
    kn_ability_def def = spell_def(f, "Bolt");
    kn_tag both[2] = {tag_of(f, "Cooldown.Bolt"), tag_of(f, "Cooldown.Slot")};
    def.cooldown_effect = tag_effect(f, "BoltCooldown", "Cooldown.Bolt", 2.0f);
    def.cooldown_tags = (kn_tags){&both[1], 1};
    kn_ability_type_id type = ability_register(f, &def);
    kn_effect_type_id foreign = tag_effect(f, "Foreign", "Cooldown.Bolt", 5.0f);
    begin(f);
    kn_ability_id bolt = grant(f, type);
    kn_effect_id effect = afflict(f, foreign);
    add_tag(f, f->hero, tag_of(f, "Cooldown.Slot"));
    kn_refusal_line lines[3];
    assert_int_equal(kn_ability_explain(f->world, bolt, NULL, lines, 3), 2);
    uint32_t slot = lines[0].tag.index1 == both[1].index1 ? 0 : 1;
    assert_int_equal(lines[slot].effect.index1, 0);
    assert_int_equal(lines[slot].remaining, 0);
    assert_int_equal(lines[1 - slot].tag.index1, both[0].index1);
    assert_true(kn_effect_id_equal(lines[1 - slot].effect, effect));
    assert_int_equal(lines[1 - slot].remaining, KN_S(5));
}

// The reasons of an event are reported beside those of the owner.
static void reasons_of_the_event_are_explained_too(void **state)
{
    fixture *f = *state;
    kn_ability_def def = meteor_def(f);
    def.target.ignored = tags_of(f, "State.Immune");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id meteor = grant(f, type);
    kn_event_record event = kn_event_record_default();
    event.target = f->hero;
    add_tag(f, f->hero, tag_of(f, "State.Immune"));
    assert_int_equal(
        kn_ability_check(f->world, meteor, &event), KN_FAIL_MISSING_TAGS | KN_FAIL_BLOCKED);
    assert_int_equal(check(f, meteor), KN_FAIL_MISSING_TAGS);
    char text[128];
    kn_ability_explain_print(f->world, meteor, &event, text, sizeof(text));
    assert_string_equal(text, "Meteor: needs State.Armed; blocked by tags");
}

// Status --------------------------------------------------------------------

typedef struct scene {
    kn_ability_id meteor, aim;
    kn_effect_type_id silence, stun;
} scene;

static void expect_status(fixture *f, const scene *s, uint32_t expected)
{
    assert_int_equal(kn_ability_status(f->world, s->meteor), expected);
    expect_status_fresh(f, f->world);
}

static scene begin_scene(fixture *f)
{
    scene s = {0};
    kn_ability_def aim = ability_def(f, "Aim");
    aim.block_with = tags_of(f, "Ability.Fire");
    aim.owned_tags = tags_of(f, "State.Aiming");
    kn_ability_type_id aim_type = ability_register(f, &aim);
    kn_effect_def silence = timed("Silence", 1.0f);
    silence.blocked_ability_tags = tags_of(f, "Ability.Fire");
    silence.ongoing.target.ignored = tags_of(f, "State.Free");
    s.silence = effect_register(f, &silence);
    s.stun = tag_effect(f, "Stun", "State.Stunned", 1.0f);
    s.meteor = begin_with_meteor(f);
    s.aim = grant(f, aim_type);
    add_tag(f, f->hero, tag_of(f, "State.Armed"));
    return s;
}

// MAP-052: tags, attributes, charges, blocks, effects and activations.
static void the_status_follows_every_kind_of_change(void **state)
{
    fixture *f = *state;
    scene s = begin_scene(f);
    expect_status(f, &s, 0);
    remove_tag(f, f->hero, tag_of(f, "State.Armed"));
    expect_status(f, &s, KN_FAIL_MISSING_TAGS);
    add_tag(f, f->hero, tag_of(f, "State.Armed"));
    set_base(f, f->hero, f->mana, 39.0f);
    expect_status(f, &s, KN_FAIL_COST);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->mana, 0, 90.0f), KN_OK);
    expect_status(f, &s, 0);
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, f->set, 0), KN_OK);
    expect_status(f, &s, KN_FAIL_COST);
    add_set(f, f->hero, f->set);
    expect_status(f, &s, 0);
    assert_int_equal(kn_ability_add_charges(f->world, s.meteor, (kn_tag){0}, -1), KN_OK);
    expect_status(f, &s, KN_FAIL_COOLDOWN);
    step(f, KN_S(8));
    expect_status(f, &s, 0);
    kn_activation_id aiming = activate(f, s.aim);
    expect_status(f, &s, KN_FAIL_BLOCKED);
    assert_int_equal(kn_activation_set_blocking(f->world, aiming, false), KN_OK);
    expect_status(f, &s, 0);
    assert_int_equal(kn_activation_set_blocking(f->world, aiming, true), KN_OK);
    expect_status(f, &s, KN_FAIL_BLOCKED);
    assert_int_equal(kn_activation_end(f->world, aiming), KN_OK);
    expect_status(f, &s, 0);
    kn_activation_id fall = activate(f, s.meteor);
    expect_status(f, &s, KN_FAIL_ACTIVE);
    assert_int_equal(kn_activation_cancel(f->world, fall), KN_OK);
    expect_status(f, &s, 0);
    add_tag(f, f->hero, tag_of(f, "State.Dead"));
    expect_status(f, &s, KN_FAIL_DEAD);
}

// MAP-052: effects that block, that are switched off and on, and that run out.
static void the_status_follows_effects_and_what_the_ability_is(void **state)
{
    fixture *f = *state;
    scene s = begin_scene(f);
    expect_status(f, &s, 0);
    afflict(f, s.silence);
    expect_status(f, &s, KN_FAIL_BLOCKED);
    add_tag(f, f->hero, tag_of(f, "State.Free"));
    expect_status(f, &s, 0);
    remove_tag(f, f->hero, tag_of(f, "State.Free"));
    expect_status(f, &s, KN_FAIL_BLOCKED);
    expect_replays(f);
    step(f, KN_S(1));
    expect_status(f, &s, 0);
    afflict(f, s.stun);
    expect_status(f, &s, KN_FAIL_BLOCKED);
    step(f, KN_S(1));
    expect_status(f, &s, 0);
    (void)activate(f, s.aim);
    assert_int_equal(kn_ability_add_tag(f->world, s.aim, tag_of(f, "Ability.Fire")), KN_OK);
    expect_status_fresh(f, f->world); // now it blocks itself
    assert_int_equal(kn_ability_remove_tag(f->world, s.aim, tag_of(f, "Ability.Fire")), KN_OK);
    expect_status_fresh(f, f->world);
    (void)activate(f, s.meteor = grant(f, kn_ability_type_find(f->library, "Aim")));
    assert_int_equal(kn_ability_remove(f->world, s.meteor, KN_GRANT_AFTER_END), KN_OK);
    expect_status(f, &s, KN_FAIL_STALE | KN_FAIL_ACTIVE);
    assert_int_equal(kn_ability_cancel(f->world, s.meteor), KN_OK);
    expect_status(f, &s, KN_FAIL_STALE);
}

static void note_status(void *user, kn_world *world, const kn_event *event)
{
    kn_ability_type_id type = event->data.ability.type;
    note(user, "%s %u. ", kn_ability_type_name(kn_world_library(world), type),
        event->data.ability.reasons);
}

// MAP-052: published at the end of a step if requested, once for each change.
static void a_change_of_status_is_told_to_who_wants_it(void **state)
{
    fixture *f = *state;
    scene s = begin_scene(f);
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ABILITY_STATUS;
    def.function = note_status;
    def.user = f;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
    step(f, 0);
    EXPECT_LOG(f, "");
    set_base(f, f->hero, f->mana, 1.0f);
    step(f, 0);
    EXPECT_LOG(f, "Meteor 64. ");
    step(f, KN_MS(10));
    EXPECT_LOG(f, "");
    set_base(f, f->hero, f->mana, 100.0f);
    set_base(f, f->hero, f->mana, 1.0f);
    set_base(f, f->hero, f->mana, 100.0f);
    afflict(f, s.stun);
    step(f, KN_MS(1));
    EXPECT_LOG(f, "Meteor 8. ");
    step(f, KN_S(1));
    EXPECT_LOG(f, "Meteor 0. ");
}

// MAP-052: watching is not part of the simulation.
static void listening_to_status_does_not_change_the_world(void **state)
{
    fixture *f = *state;
    scene s = begin_scene(f);
    kn_world *other = world_loaded(f, kn_world_def_default());
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ABILITY_STATUS;
    def.function = note_status;
    def.user = f;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
    kn_world *const worlds[2] = {f->world, other};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_ability_add_charges(worlds[i], s.meteor, (kn_tag){0}, -1), KN_OK);
        (void)played_on(worlds[i], 10, KN_MS(100));
    }
    EXPECT_LOG(f, "Meteor 32. ");
    assert_same_worlds(f->world, other);
    kn_world_destroy(other);
}

static void ask_when_dying(const kn_ability_call *call, kn_end_reason reason)
{
    note(call->user, "%s: %u. ", kn_end_reason_name(reason),
        kn_ability_status(call->world, call->ability));
}

// MAP-052: also while the owner is going.
static void the_status_of_a_dying_owner_is_dead(void **state)
{
    fixture *f = *state;
    kn_ability_def def = ability_def(f, "Guard");
    def.ended = ask_when_dying;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id guard = grant(f, type);
    (void)activate(f, guard);
    assert_int_equal(kn_ability_status(f->world, guard), 0);
    f->log[0] = 0;
    assert_true(kn_entity_destroy(f->world, f->hero));
    EXPECT_LOG(f, "owner gone: 4. ");
    assert_int_equal(kn_ability_status(f->world, guard), KN_FAIL_STALE);
    expect_text(f, guard, "ability: gone");
}

static const struct CMUnitTest tests[] = {
    TEST(each_reason_has_its_bit_its_result_and_its_tag),
    TEST(reasons_have_the_standard_tags),
    TEST(a_machine_that_may_not_start_it_is_a_reason),
    TEST(all_reasons_are_told_at_once),
    TEST(charges_are_a_reason_before_costs),
    TEST(asking_changes_nothing),
    TEST(lines_carry_the_numbers),
    TEST(lines_name_who_stands_in_the_way),
    TEST(cooldown_lines_name_their_effects),
    TEST(reasons_of_the_event_are_explained_too),
    TEST(the_status_follows_every_kind_of_change),
    TEST(the_status_follows_effects_and_what_the_ability_is),
    TEST(a_change_of_status_is_told_to_who_wants_it),
    TEST(listening_to_status_does_not_change_the_world),
    TEST(the_status_of_a_dying_owner_is_dead),
};

TEST_GROUP(ability_reasons, tests, NULL, NULL);
