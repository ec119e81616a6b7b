// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What can be used, why not, and who is told: castable status, restrictions of abilities and by
// others, life, casts and the global cooldown.

#include "combat_test.h"

typedef struct trial {
    arena a;
    kn_tag fire, silence, standing, moving;
    kn_ability_type_id spell, fireball, slash, channel;
    kn_ability_id fireball_id, slash_id, channel_id;
    kn_effect_type_id silenced; // blocks abilities with the tag Ability.Fire
    kn_effect_type_id spellless;
} trial;

static kn_effect_type_id blocker(trial *t, const char *name, kn_tag tag)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.blocked_ability_tags = (kn_tags){&tag, 1};
    return arena_effect(&t->a, &def);
}

// `Fireball`, derived from `Spell`, costs 30 mana, has one charge and the global cooldown; `Slash`
// is not derived from it and free; `Channel` is cast for 3 s.
static void trial_begin(trial *t)
{
    kn_error error = {0};
    memset(t, 0, sizeof(*t));
    arena *a = &t->a;
    arena_begin(a);
    t->fire = arena_tag(a, "Ability.Fire");
    kn_tag spell_tag = arena_tag(a, "Ability.Spell");
    t->standing = arena_tag(a, "Knack.Restricted.Standing");
    t->moving = arena_tag(a, "Knack.Restricted.Moving");
    t->silenced = blocker(t, "Silenced", t->fire);
    t->spellless = blocker(t, "Spellless", spell_tag);
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = a->mana;
    cost.amount = kn_constant(30.0f);
    kn_cooldown_def cooldowns[] = {
        kn_global_cooldown_def(a->library, 1.5f), kn_cooldown_seconds(8.0f)};
    const kn_tag tags[] = {t->fire, spell_tag};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Spell";
    def.tags = (kn_tags){&spell_tag, 1};
    def.body = KN_BODY_USE;
    t->spell = arena_ability(a, &def);
    def.name = "Fireball";
    def.parent = "Spell";
    def.tags = (kn_tags){tags, 2};
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    t->fireball = arena_ability(a, &def);
    def = kn_ability_def_default();
    def.name = "Slash";
    def.body = KN_BODY_USE;
    t->slash = arena_ability(a, &def);
    def.name = "Channel";
    def.body = KN_BODY_NONE;
    t->channel = arena_ability(a, &def);
    kn_cast_def cast = kn_cast_def_default();
    cast.name = "Channel";
    cast.length = kn_magnitude_constant(3.0f);
    expect_ok(kn_cast_register(a->library, &cast, NULL, &error));
}

static void trial_start(trial *t)
{
    arena_start(&t->a);
    t->fireball_id = arena_grant(&t->a, t->a.hero, t->fireball);
    t->slash_id = arena_grant(&t->a, t->a.hero, t->slash);
    t->channel_id = arena_grant(&t->a, t->a.hero, t->channel);
}

static kn_result use(trial *t, kn_ability_id ability)
{
    return kn_ability_activate(t->a.world, ability, NULL, NULL);
}

static uint32_t status(trial *t, kn_ability_id ability)
{
    return kn_use_status(t->a.world, ability);
}

typedef struct told {
    uint32_t count;
    uint32_t reasons;
} told;

static void tell(void *user, kn_world *world, const kn_event *event)
{
    told *own = user;
    (void)world;
    own->count++;
    own->reasons = event->data.ability.reasons;
}

static void tell_of(trial *t, kn_ability_id ability, told *own)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ABILITY_STATUS;
    def.ability = ability;
    def.function = tell;
    def.user = own;
    expect_ok(kn_listener_add(t->a.world, &def, NULL));
    expect_ok(kn_world_step(t->a.world, 0));
    *own = (told){0};
}

// USE-055, USE-057, USE-058, USE-059, USE-064, SAIV-029: a mask of all that fails, and the first.
static void the_status_has_all_reasons_and_a_first_one(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    trial_start(&t);
    assert_int_equal(status(&t, t.fireball_id), 0);
    assert_int_equal(kn_use_primary(0), 0);
    expect_ok(use(&t, t.fireball_id));
    assert_int_equal(status(&t, t.fireball_id), KN_USE_CHARGES);
    expect_ok(kn_attribute_set_base(t.a.world, t.a.hero, t.a.mana, 0, 29.0f));
    uint32_t both = status(&t, t.fireball_id);
    assert_int_equal(both, KN_USE_CHARGES | KN_USE_RESOURCE);
    assert_int_equal(kn_use_primary(both), KN_USE_CHARGES);
    expect_ok(kn_use_restrict(t.a.world, t.fireball_id, t.standing, true));
    (void)arena_apply(&t.a, t.silenced, t.a.foe, t.a.hero);
    uint32_t all = status(&t, t.fireball_id);
    assert_int_equal(all, KN_USE_CHARGES | KN_USE_RESOURCE | KN_USE_CUSTOM | KN_USE_TAG);
    arena_until(&t.a, 8000); // a charge returns
    all = status(&t, t.fireball_id);
    assert_int_equal(all, KN_USE_RESOURCE | KN_USE_CUSTOM | KN_USE_TAG);
    assert_int_equal(kn_use_primary(all), KN_USE_RESOURCE);
    expect_ok(kn_attribute_set_base(t.a.world, t.a.hero, t.a.mana, 0, 30.0f));
    assert_int_equal(kn_use_primary(status(&t, t.fireball_id)), KN_USE_CUSTOM);
    expect_ok(kn_use_restrict(t.a.world, t.fireball_id, t.standing, false));
    assert_int_equal(kn_use_primary(status(&t, t.fireball_id)), KN_USE_TAG);
    arena_end(&t.a);
}

// USE-060, USE-062: restrictions that an ability imposes on itself are a set of tags.
static void an_ability_restricts_itself_by_tags(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    trial_start(&t);
    kn_world *world = t.a.world;
    expect_ok(kn_use_restrict(world, t.slash_id, t.standing, true));
    expect_ok(kn_use_restrict(world, t.slash_id, t.standing, true)); // once is enough
    expect_ok(kn_use_restrict(world, t.slash_id, t.moving, true));
    assert_int_equal(status(&t, t.slash_id), KN_USE_CUSTOM);
    assert_int_equal(status(&t, t.fireball_id), 0); // others are not concerned
    expect_result(use(&t, t.slash_id), KN_REFUSED_BLOCKED);
    kn_refusal_line lines[8];
    uint32_t count = kn_ability_explain(world, t.slash_id, NULL, lines, 8);
    bool names_it = false;
    for (uint32_t i = 0; i < count && i < 8; i++) {
        names_it |=
            kn_tag_equal(lines[i].tag, t.standing) || kn_tag_equal(lines[i].tag, t.moving) ||
            kn_tag_matches(t.a.library, lines[i].tag, kn_tag_find(t.a.library, "Knack.Restricted"));
    }
    assert_true(names_it);
    expect_ok(kn_use_restrict(world, t.slash_id, t.standing, false));
    assert_int_equal(status(&t, t.slash_id), KN_USE_CUSTOM);
    expect_ok(kn_use_restrict(world, t.slash_id, t.moving, false));
    expect_ok(kn_use_restrict(world, t.slash_id, t.moving, false)); // is not there: nothing happens
    assert_int_equal(status(&t, t.slash_id), 0);
    expect_ok(use(&t, t.slash_id));
    expect_result(kn_use_restrict(world, t.slash_id, t.fire, true), KN_ERROR_INVALID_ARGUMENT);
    expect_result(kn_use_restrict(world, t.slash_id, (kn_tag){0}, true), KN_ERROR_INVALID_ARGUMENT);
    expect_result(
        kn_use_restrict(world, (kn_ability_id){0}, t.standing, true), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_use_status(world, (kn_ability_id){0}), KN_USE_GONE);
    assert_int_equal(kn_use_status(NULL, t.slash_id), KN_USE_GONE);
    arena_end(&t.a);
}

// SAIV-026, SAIV-027, USE-061, USE-063, MAP-032: others restrict by tags, counted by source; a
// restriction of what an ability descends from is one of its tag.
static void others_restrict_by_tags_and_each_has_to_let_go(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    trial_start(&t);
    kn_effect_id one = arena_apply(&t.a, t.silenced, t.a.foe, t.a.hero);
    kn_effect_id two = arena_apply(&t.a, t.silenced, t.a.ally, t.a.hero);
    assert_int_equal(status(&t, t.fireball_id), KN_USE_TAG);
    assert_int_equal(status(&t, t.slash_id), 0);
    expect_ok(kn_effect_remove(t.a.world, one, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(status(&t, t.fireball_id), KN_USE_TAG);
    expect_ok(kn_effect_remove(t.a.world, two, 0, KN_REMOVED_BY_CALL));
    assert_int_equal(status(&t, t.fireball_id), 0);
    kn_tags fire = {&t.fire, 1};
    expect_ok(kn_abilities_block(t.a.world, t.a.hero, fire, t.a.foe, 1));
    expect_ok(kn_abilities_block(t.a.world, t.a.hero, fire, t.a.ally, 1));
    expect_ok(kn_abilities_unblock(t.a.world, t.a.hero, fire, t.a.foe, 1));
    assert_int_equal(status(&t, t.fireball_id), KN_USE_TAG);
    assert_true(kn_entity_destroy(t.a.world, t.a.ally)); // a source that goes lets go
    assert_int_equal(status(&t, t.fireball_id), 0);
    (void)arena_apply(&t.a, t.spellless, t.a.foe, t.a.hero); // all that are spells
    assert_int_equal(status(&t, t.fireball_id), KN_USE_TAG);
    assert_int_equal(status(&t, t.slash_id), 0);
    arena_end(&t.a);
}

// SAIV-030, USE-056: who has no life cannot lose it.
static void the_dead_use_only_what_works_when_dead(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Rise";
    def.body = KN_BODY_USE;
    def.works_when_dead = true;
    kn_ability_type_id rise = arena_ability(&t.a, &def);
    trial_start(&t);
    kn_ability_id rise_id = arena_grant(&t.a, t.a.hero, rise);
    kn_entity_id statue; // without vitals
    expect_ok(kn_entity_create(t.a.world, &statue));
    expect_ok(use(&t, arena_grant(&t.a, statue, t.slash)));
    kn_hit_def hit = kn_hit_def_default();
    hit.source = t.a.foe;
    hit.target = t.a.hero;
    hit.amount = 5000.0f;
    expect_ok(kn_hit_run(t.a.world, &hit, NULL));
    assert_true(kn_entity_has_tag(t.a.world, t.a.hero, t.a.dead));
    expect_result(use(&t, t.slash_id), KN_REFUSED_DYING);
    assert_int_equal(status(&t, t.slash_id), 0); // life is not a part of the status
    expect_ok(use(&t, rise_id));
    arena_end(&t.a);
}

// SAIV-031, USE-055, MAP-044: the global cooldown is tested at the use, and is not in the status.
static void the_global_cooldown_is_not_in_the_status(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    kn_cooldown_def global = kn_global_cooldown_def(t.a.library, 1.5f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Nova";
    def.body = KN_BODY_USE;
    def.cooldowns = &global;
    def.cooldown_count = 1;
    kn_ability_type_id nova = arena_ability(&t.a, &def);
    trial_start(&t);
    kn_ability_id nova_id = arena_grant(&t.a, t.a.hero, nova);
    expect_ok(use(&t, t.fireball_id));
    assert_int_equal(status(&t, nova_id), 0);
    expect_result(use(&t, nova_id), KN_REFUSED_COOLDOWN);
    expect_ok(use(&t, t.slash_id)); // is not on it
    arena_until(&t.a, 1500);
    expect_ok(use(&t, nova_id));
    arena_end(&t.a);
}

// SAIV-032, USE-055, USE-068: during a cast everything is refused, on the global cooldown or not.
static void a_cast_refuses_every_other_use(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    trial_start(&t);
    uint32_t casting = kn_fail_find(t.a.library, "casting");
    expect_ok(use(&t, t.channel_id));
    const kn_ability_id others[] = {t.fireball_id, t.slash_id};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_ability_check(t.a.world, others[i], NULL), casting);
        expect_result(use(&t, others[i]), KN_REFUSED_CUSTOM);
        assert_int_equal(status(&t, others[i]), 0); // nor is the cast in the status
    }
    arena_until(&t.a, 3000);
    expect_ok(use(&t, t.fireball_id));
    arena_end(&t.a);
}

// USE-066: published once per net change, when what caused it is complete.
static void a_status_is_published_once_per_net_change(void **state)
{
    trial t;
    told own;
    (void)state;
    trial_begin(&t);
    trial_start(&t);
    tell_of(&t, t.fireball_id, &own);
    expect_ok(use(&t, t.fireball_id)); // mana, charge and global cooldown
    expect_ok(kn_world_step(t.a.world, 0));
    assert_int_equal(own.count, 1);
    assert_int_equal(own.reasons, KN_FAIL_COOLDOWN);
    expect_ok(kn_attribute_set_base(t.a.world, t.a.hero, t.a.mana, 0, 10.0f));
    expect_ok(kn_attribute_set_base(t.a.world, t.a.hero, t.a.mana, 0, 90.0f)); // no net change
    expect_ok(kn_world_step(t.a.world, 0));
    assert_int_equal(own.count, 1);
    expect_ok(kn_use_restrict(t.a.world, t.fireball_id, t.standing, true));
    expect_ok(kn_world_step(t.a.world, 0));
    assert_int_equal(own.count, 2);
    assert_int_equal(own.reasons, KN_FAIL_COOLDOWN | KN_FAIL_BLOCKED);
    expect_ok(kn_use_restrict(t.a.world, t.fireball_id, t.standing, false));
    arena_until(&t.a, 8000);
    assert_int_equal(own.count, 3); // in one step
    assert_int_equal(own.reasons, 0);
    arena_end(&t.a);
}

// USE-067: of several reasons the most serious decides the result; all are reported. Ours orders
// stale, networking, dead, blocked, missing tags, cooldown, cost, active, custom.
static void the_first_reason_decides_the_result(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    trial_start(&t);
    kn_world *world = t.a.world;
    expect_ok(use(&t, t.fireball_id));
    expect_ok(kn_attribute_set_base(world, t.a.hero, t.a.mana, 0, 0.0f));
    expect_result(use(&t, t.fireball_id), KN_REFUSED_COOLDOWN); // and the cost
    expect_ok(kn_world_step(world, 0));
    kn_events events = kn_world_events(world);
    uint32_t reasons = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_ABILITY_FAILED) {
            reasons = events.data[i].data.ability.reasons;
        }
    }
    assert_int_equal(reasons, KN_FAIL_COOLDOWN | KN_FAIL_COST);
    (void)arena_apply(&t.a, t.silenced, t.a.foe, t.a.hero);
    expect_result(use(&t, t.fireball_id), KN_REFUSED_BLOCKED);
    expect_ok(kn_entity_add_tag(world, t.a.hero, t.a.dead, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    expect_result(use(&t, t.fireball_id), KN_REFUSED_DYING);
    expect_ok(kn_ability_remove(world, t.fireball_id, KN_GRANT_CANCEL));
    expect_result(use(&t, t.fireball_id), KN_REFUSED_STALE_ID);
    expect_result(
        kn_ability_activate_type(world, t.a.hero, t.fireball, NULL), KN_REFUSED_NOT_FOUND);
    arena_end(&t.a);
}

static kn_result count_use(const kn_ability_call *call)
{
    uint32_t *uses = kn_activation_state(call->world, call->activation);
    ++*uses;
    (void)kn_entity_set_user(call->world, call->owner, *uses);
    return kn_activation_end(call->world, call->activation);
}

// USE-005, USE-006, USE-007: abilities keep their state between uses; what a second grant of one
// definition does is up to the grant: another instance, or one that is shared.
static void abilities_keep_state_and_may_be_granted_once(void **state)
{
    trial t;
    (void)state;
    trial_begin(&t);
    static const kn_field fields[] = {KN_FIELD_INIT("uses", KN_FIELD_U32, 0, 1)};
    kn_ability_def def = kn_ability_def_default();
    def.name = "Count";
    def.activate = count_use;
    def.state_size = sizeof(uint32_t);
    def.state_fields = fields;
    def.state_field_count = 1;
    kn_ability_type_id type = arena_ability(&t.a, &def);
    trial_start(&t);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id first, second;
    grant.type = type;
    grant.share = true;
    expect_ok(kn_ability_grant(t.a.world, t.a.hero, &grant, &first));
    expect_ok(kn_ability_grant(t.a.world, t.a.hero, &grant, &second));
    assert_true(kn_ability_id_equal(first, second));
    for (uint32_t i = 1; i <= 3; i++) {
        expect_ok(use(&t, first));
        assert_int_equal(kn_entity_user(t.a.world, t.a.hero), i);
    }
    arena_end(&t.a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_status_has_all_reasons_and_a_first_one),
    cmocka_unit_test(an_ability_restricts_itself_by_tags),
    cmocka_unit_test(others_restrict_by_tags_and_each_has_to_let_go),
    cmocka_unit_test(the_dead_use_only_what_works_when_dead),
    cmocka_unit_test(the_global_cooldown_is_not_in_the_status),
    cmocka_unit_test(a_cast_refuses_every_other_use),
    cmocka_unit_test(a_status_is_published_once_per_net_change),
    cmocka_unit_test(the_first_reason_decides_the_result),
    cmocka_unit_test(abilities_keep_state_and_may_be_granted_once),
};

TEST_GROUP(combat_use, tests, NULL, NULL);
