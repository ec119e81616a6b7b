// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The cue player, with worlds that play a script. Handlers note their calls.

#include "unit/test_memory.h"

#define FIXTURE_OWN                                                                                \
    test_memory memory;                                                                            \
    kn_cue_player *player;                                                                         \
    kn_cue_player_def def;                                                                         \
    kn_effect_type_id burn, burn_too, hit, poison;                                                 \
    kn_tag fire, fire_big, fire_small, spark;                                                      \
    kn_cue_load answer; /* of load() */                                                            \
    bool has_skin;      /* for translate() */                                                      \
    bool notes_slots;                                                                              \
    uint64_t next_slot;                                                                            \
    kn_cue_params params; /* of the last call */                                                   \
    bool keeps_sparks;    /* once */                                                               \
    kn_cue_params sparks; /* of the first spark */                                                 \
    kn_tag listed;        /* loaded up front by the host */

#include "scenario/ability_fixture.h"

static const char *leaf_of(const kn_cue_call *call, kn_tag tag)
{
    fixture *f = call->user;
    return strrchr(kn_tag_name(f->library, tag), '.') + 1;
}

// "Fire active. " and, where they say something, the tag that was published, a count and a mark for
// what was interrupted: "Fire(Big) removed x2!. "
static void note_call(const kn_cue_call *call, const char *what)
{
    fixture *f = call->user;
    f->params = *call->params;
    if (f->keeps_sparks && call->tag.index1 == f->spark.index1) {
        f->sparks = *call->params;
        f->keeps_sparks = false;
    }
    note(f, "%s", leaf_of(call, call->handled));
    if (call->tag.index1 != call->handled.index1) {
        note(f, "(%s)", leaf_of(call, call->tag));
    }
    note(f, " %s", what);
    if (call->count > 1) {
        note(f, " x%u", call->count);
    }
    if (f->notes_slots && call->slot != NULL) {
        *call->slot = *call->slot != 0 ? *call->slot : ++f->next_slot;
        note(f, " #%d", (int)*call->slot);
    }
    note(f, call->interrupted ? "!. " : ". ");
}

static void on_active(const kn_cue_call *call)
{
    note_call(call, "active");
}

static void on_while(const kn_cue_call *call)
{
    note_call(call, "while");
}

static void on_updated(const kn_cue_call *call)
{
    note_call(call, "updated");
}

static void on_removed(const kn_cue_call *call)
{
    note_call(call, "removed");
}

static void on_executed(const kn_cue_call *call)
{
    note_call(call, "executed");
}

static void on_cancelled(const kn_cue_call *call)
{
    note_call(call, "cancelled");
}

static kn_cue_handler_def handler_def(fixture *f, kn_tag tag, kn_cue_kind kind)
{
    kn_cue_handler_def def = kn_cue_handler_def_default();
    def.tag = tag;
    def.kind = kind;
    def.active = on_active;
    def.while_active = on_while;
    def.updated = on_updated;
    def.removed = on_removed;
    def.executed = on_executed;
    def.cancelled = on_cancelled;
    def.user = f;
    return def;
}

static void handle(fixture *f, kn_tag tag, kn_cue_kind kind)
{
    kn_cue_handler_def def = handler_def(f, tag, kind);
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_OK);
}

static kn_effect_type_id cue_effect(
    fixture *f, const char *name, kn_duration_kind kind, kn_tag *cue)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.cue_tags = (kn_tags){cue, 1};
    if (strcmp(name, "Poison") == 0) {
        def.stacking.kind = KN_STACK_BY_TARGET;
    }
    return effect_register(f, &def);
}

static int stage_setup(void **state)
{
    setup(state);
    fixture *f = *state;
    tag_of(f, "GameplayCue.Any.Fire");
    f->fire = tag_of(f, "GameplayCue.Fire");
    f->fire_big = tag_of(f, "GameplayCue.Fire.Big");
    f->fire_small = tag_of(f, "GameplayCue.Fire.Small");
    f->spark = tag_of(f, "GameplayCue.Spark");
    tag_of(f, "GameplayCue.Skin");
    f->burn = cue_effect(f, "Burn", KN_DURATION_INFINITE, &f->fire);
    f->burn_too = cue_effect(f, "BurnToo", KN_DURATION_INFINITE, &f->fire);
    f->hit = cue_effect(f, "Hit", KN_DURATION_INSTANT, &f->spark);
    f->poison = cue_effect(f, "Poison", KN_DURATION_INFINITE, &f->fire_big);
    begin(f);
    f->def = kn_cue_player_def_default();
    f->def.library = f->library;
    f->def.user = f;
    f->def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &f->memory};
    return 0;
}

static int stage_teardown(void **state)
{
    fixture *f = *state;
    kn_cue_player_destroy(f->player);
    assert_int_equal(f->memory.blocks, 0);
    assert_int_equal(f->memory.bytes, 0);
    return teardown(state);
}

static void play(fixture *f)
{
    assert_int_equal(kn_cue_player_create(&f->def, &f->player), KN_OK);
}

// A step, its cues, and proof that they did not touch the world.
static void update(fixture *f, kn_time dt)
{
    step(f, dt);
    uint64_t hash = kn_world_hash(f->world);
    kn_cue_player_update(f->player, f->world);
    assert_true(kn_world_hash(f->world) == hash);
}

static void execute(fixture *f, kn_tag tag, float magnitude)
{
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = magnitude;
    assert_int_equal(kn_cue_execute(f->world, f->hero, tag, &params), KN_OK);
}

static void add(fixture *f, kn_tag tag)
{
    assert_int_equal(kn_cue_add(f->world, f->hero, tag, NULL), KN_OK);
}

static void take(fixture *f, kn_tag tag)
{
    assert_int_equal(kn_cue_remove(f->world, f->hero, tag), KN_OK);
}

static void restore(fixture *f, const void *bytes, size_t size)
{
    snapshot_restore(f->world, bytes, size);
    kn_cue_player_rewind(f->player, kn_world_now(f->world));
}

#define STATS(f) kn_cue_player_stats((f)->player)

// Handlers ------------------------------------------------------------------

// CUE-001, CUE-003, CUE-004, CUE-039, CUE-044, TVA-050, BEY-047
static void a_lasting_cue_is_active_updated_and_removed(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire_big, KN_CUE_INSTANCED);
    kn_effect_id effect = afflict(f, f->poison);
    update(f, 0);
    EXPECT_LOG(f, "Big active. Big while. ");
    assert_int_equal(STATS(f).instances, 1);
    update(f, KN_S(1));
    EXPECT_LOG(f, "");
    afflict(f, f->poison);
    update(f, 0);
    EXPECT_LOG(f, "Big updated. ");
    assert_int_equal(f->params.stacks, 2);
    remove_effect(f, effect);
    update(f, 0);
    EXPECT_LOG(f, "Big removed!. ");
    assert_int_equal(STATS(f).instances, 0);
    assert_int_equal(STATS(f).played, 1);
    assert_int_equal(STATS(f).mismatched, 0);
}

// CUE-004, CUE-005, TVA-050: static handlers hear of what lasts, and have no slot.
static void a_static_handler_may_answer_anything(void **state)
{
    fixture *f = *state;
    play(f);
    f->notes_slots = true;
    handle(f, f->fire, KN_CUE_STATIC);
    add(f, f->fire);
    execute(f, f->fire, 1);
    update(f, 0);
    take(f, f->fire);
    update(f, 0);
    EXPECT_LOG(f, "Fire active. Fire while. Fire executed. Fire removed. ");
    assert_int_equal(STATS(f).instances, 0);
}

// CUE-005: an instanced handler that executes has its instance, or bits for the moment.
static void an_instanced_handler_may_execute(void **state)
{
    fixture *f = *state;
    play(f);
    f->notes_slots = true;
    handle(f, f->fire, KN_CUE_INSTANCED);
    execute(f, f->fire, 1);
    execute(f, f->fire, 1);
    update(f, 0);
    EXPECT_LOG(f, "Fire executed #1. Fire executed #2. ");
    add(f, f->fire);
    execute(f, f->fire, 1);
    update(f, 0);
    EXPECT_LOG(f, "Fire active #3. Fire while #3. Fire executed #3. ");
}

// CUE-003: the handler of the tag, else the nearest above that handles what is below it.
static void the_nearest_handler_is_told(void **state)
{
    fixture *f = *state;
    play(f);
    execute(f, f->fire_big, 1);
    update(f, 0);
    EXPECT_LOG(f, "");
    handle(f, f->fire, KN_CUE_STATIC);
    handle(f, f->fire_small, KN_CUE_STATIC);
    execute(f, f->fire_big, 1);
    execute(f, f->fire_small, 1);
    execute(f, f->spark, 1);
    update(f, 0);
    EXPECT_LOG(f, "Fire(Big) executed. Small executed. ");
    assert_true(kn_cue_handler_remove(f->player, f->fire));
    assert_false(kn_cue_handler_remove(f->player, f->fire));
    kn_cue_handler_def own = handler_def(f, f->fire, KN_CUE_STATIC);
    own.handles_children = false;
    assert_int_equal(kn_cue_handler_add(f->player, &own), KN_OK);
    assert_int_equal(kn_cue_handler_add(f->player, &own), KN_REFUSED_DUPLICATE);
    execute(f, f->fire_big, 1);
    execute(f, f->fire, 1);
    update(f, 0);
    EXPECT_LOG(f, "Fire executed. ");
}

// CUE-003: a handler can let those above hear of it as well, for all events.
static void a_handler_above_may_be_told_as_well(void **state)
{
    fixture *f = *state;
    play(f);
    kn_cue_handler_def both = handler_def(f, f->fire_big, KN_CUE_INSTANCED);
    both.also_parent = true;
    assert_int_equal(kn_cue_handler_add(f->player, &both), KN_OK);
    handle(f, f->fire, KN_CUE_INSTANCED);
    execute(f, f->fire_big, 1);
    kn_effect_id effect = afflict(f, f->poison);
    afflict(f, f->poison);
    update(f, 0);
    EXPECT_LOG(f, "Big executed. Fire(Big) executed. Big active. Big while. Fire(Big) active. "
                  "Fire(Big) while. Big updated. Fire(Big) updated. ");
    assert_int_equal(STATS(f).played, 2);
    remove_effect(f, effect);
    update(f, 0);
    EXPECT_LOG(f, "Big removed!. Fire(Big) removed!. ");
    assert_int_equal(STATS(f).instances, 0);
}

static kn_tag skin(void *user, const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    const fixture *f = user;
    assert_true(world == f->world && kn_entity_id_equal(entity, f->hero));
    bool changes = f->has_skin && tag.index1 == f->fire.index1;
    return changes ? kn_tag_find(f->library, "GameplayCue.Skin") : (kn_tag){0};
}

// CUE-009: a cue is removed where it was added, whatever the skin has become.
static void a_tag_may_be_translated(void **state)
{
    fixture *f = *state;
    f->def.translate = skin;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, kn_tag_find(f->library, "GameplayCue.Skin"), KN_CUE_INSTANCED);
    f->has_skin = true;
    add(f, f->fire);
    update(f, 0);
    EXPECT_LOG(f, "Skin(Fire) active. Skin(Fire) while. ");
    f->has_skin = false;
    take(f, f->fire);
    execute(f, f->fire, 1);
    update(f, 0);
    EXPECT_LOG(f, "Skin(Fire) removed. Fire executed. ");
}

static void bad_handlers_and_players_are_refused(void **state)
{
    fixture *f = *state;
    play(f);
    kn_assert_set_handler(test_ignore_assert);
    kn_cue_handler_def def = handler_def(f, (kn_tag){0}, KN_CUE_STATIC);
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_ERROR_INVALID_ARGUMENT);
    def.tag = (kn_tag){9999};
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_ERROR_INVALID_ARGUMENT);
    def = handler_def(f, f->fire, KN_CUE_STATIC);
    def.cookie = 0;
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_cue_handler_remove(f->player, (kn_tag){9999}));
    kn_cue_player *other = f->player;
    kn_cue_player_def player_def = kn_cue_player_def_default();
    assert_int_equal(kn_cue_player_create(&player_def, &other), KN_ERROR_INVALID_ARGUMENT);
    assert_null(other);
    kn_cue_player_loaded(f->player, f->world, f->spark, true); // has no handler
    kn_cue_player_destroy(NULL);
    kn_assert_set_handler(NULL);
}

// Instances -----------------------------------------------------------------

// CUE-006, CUE-008: several applications are shown once, and end with the last.
static void additions_of_one_cue_share_an_instance(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    kn_effect_id first = afflict(f, f->burn), second = afflict(f, f->burn_too);
    add(f, f->fire);
    update(f, 0);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    remove_effect(f, first);
    take(f, f->fire);
    update(f, 0);
    EXPECT_LOG(f, "");
    remove_effect(f, second);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed!. ");
}

// CUE-006: instances can be separate for each instigator.
static void instances_may_differ_by_instigator(void **state)
{
    fixture *f = *state;
    play(f);
    kn_cue_handler_def def = handler_def(f, f->fire, KN_CUE_INSTANCED);
    def.per_instigator = true;
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_OK);
    f->notes_slots = true;
    kn_effect_id first = apply_from_to(f, f->burn, f->foe, f->hero, 1.0f);
    kn_effect_id second = apply_from_to(f, f->burn, f->hero, f->hero, 1.0f);
    apply_from_to(f, f->burn_too, f->foe, f->hero, 1.0f);
    update(f, 0);
    EXPECT_LOG(f, "Fire active #1. Fire while #1. Fire active #2. Fire while #2. ");
    remove_effect(f, second);
    remove_effect(f, first);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed #2!. ");
}

// CUE-006: beyond the limit nothing is shown, and nothing is removed.
static void a_handler_can_limit_its_instances(void **state)
{
    fixture *f = *state;
    play(f);
    kn_cue_handler_def def = handler_def(f, f->fire, KN_CUE_INSTANCED);
    def.limit = 1;
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_OK);
    kn_effect_id first = apply_from_to(f, f->burn, f->foe, f->hero, 1.0f);
    kn_effect_id second = apply_from_to(f, f->burn, f->foe, f->foe, 1.0f);
    update(f, 0);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    assert_int_equal(STATS(f).dropped, 1);
    remove_effect(f, second);
    update(f, 0);
    EXPECT_LOG(f, "");
    remove_effect(f, first);
    apply_from_to(f, f->burn, f->foe, f->foe, 1.0f);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed!. Fire active. Fire while. ");
    assert_int_equal(STATS(f).mismatched, 0);
}

// TVA-056, CUE-007, GAPA-039
static void a_cue_can_be_added_again_with_and_without_keeping(void **state)
{
    fixture *f = *state;
    play(f);
    f->notes_slots = true;
    handle(f, f->spark, KN_CUE_INSTANCED);
    kn_cue_handler_def def = handler_def(f, f->fire, KN_CUE_INSTANCED);
    def.keeps_instance = true;
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        add(f, f->fire);
        add(f, f->spark);
        update(f, 0);
        take(f, f->fire);
        take(f, f->spark);
        update(f, 0);
        assert_int_equal(STATS(f).instances, 1);
    }
    EXPECT_LOG(f, "Fire active #1. Fire while #1. Spark active #2. Spark while #2. "
                  "Fire removed #1. Spark removed #2. "
                  "Fire active #1. Fire while #1. Spark active #3. Spark while #3. "
                  "Fire removed #1. Spark removed #3. ");
    apply_from_to(f, f->burn, f->foe, f->foe, 1.0f); // and by another entity
    update(f, 0);
    EXPECT_LOG(f, "Fire active #1. Fire while #1. ");
}

// CUE-009: also if the end was not published.
static void what_is_shown_on_the_dead_is_removed(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    afflict(f, f->burn);
    update(f, 0);
    assert_int_equal(kn_cue_local_add(f->player, f->world, f->hero, f->fire_big, NULL), KN_OK);
    f->log[0] = 0;
    assert_true(kn_entity_destroy(f->world, f->hero));
    step(f, 0); // its events are lost
    update(f, 0);
    EXPECT_LOG(f, "Fire(Big) removed!. ");
    assert_int_equal(STATS(f).instances, 0);
    assert_true(kn_entity_id_equal(f->params.instigator, f->foe)); // as it was added
}

#define MANY 400

// CUE-009: every instance is found again among many, of parents and of their parts, in any order.
static void none_of_many_instances_is_lost(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_INSTANCED);
    kn_world *world = f->world;
    kn_entity_id entities[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(kn_entity_create(world, &entities[i]), KN_OK);
        if (i % 2 == 1) { // a part of the one before
            assert_int_equal(kn_entity_set_parent(world, entities[i], entities[i - 1]), KN_OK);
        }
        assert_int_equal(kn_cue_add(world, entities[i], f->fire, NULL), KN_OK);
        assert_int_equal(kn_cue_add(world, entities[i], f->spark, NULL), KN_OK);
    }
    update(f, 0);
    assert_int_equal(STATS(f).instances, 2 * MANY);
    f->log[0] = 0;
    for (uint32_t i = 0; i < MANY; i++) { // 7 and 400 have no common divisor: each comes once
        kn_entity_id entity = entities[i * 7 % MANY];
        assert_int_equal(kn_cue_remove(world, entity, f->spark), KN_OK);
        update(f, 0);
        EXPECT_LOG(f, "Spark removed. ");
        assert_int_equal(STATS(f).instances, 2 * MANY - 1 - i);
    }
    for (uint32_t i = 0; i < MANY; i += 2) { // what is shown on a part is no longer shown
        assert_true(kn_entity_destroy(world, entities[i + 1]));
        assert_true(kn_entity_destroy(world, entities[i]));
        update(f, 0);
        EXPECT_LOG(f, "Fire removed!. Fire removed!. ");
    }
    assert_int_equal(STATS(f).instances, 0);
    assert_int_equal(STATS(f).mismatched, 0);
}

// CUE-009: the player's end, and a handler's, leave nothing behind.
static void what_is_shown_ends_with_handler_and_player(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_INSTANCED);
    kn_effect_id effect = afflict(f, f->burn);
    add(f, f->spark);
    update(f, 0);
    f->log[0] = 0;
    assert_true(kn_cue_handler_remove(f->player, f->fire));
    EXPECT_LOG(f, "Fire removed!. ");
    remove_effect(f, effect);
    update(f, 0);
    assert_int_equal(STATS(f).mismatched, 0);
    EXPECT_LOG(f, "");
    kn_cue_player_destroy(f->player);
    f->player = NULL;
    EXPECT_LOG(f, "Spark removed!. ");
}

// Bursts --------------------------------------------------------------------

// CUE-016, CUE-033, TVA-032, GAPA-036: of the same cue on the same entity; by default all are
// played.
static void a_burst_is_limited_and_the_rest_counted(void **state)
{
    fixture *f = *state;
    assert_int_equal(f->def.burst_limit, 0);
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 8; i++) {
        execute(f, f->spark, 1);
    }
    update(f, 0);
    assert_int_equal(STATS(f).played, 8);
    assert_int_equal(STATS(f).dropped, 0);
    f->log[0] = 0;
    kn_cue_player_destroy(f->player);
    f->def.burst_limit = 2;
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    handle(f, f->fire, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 8; i++) {
        execute(f, f->spark, 1);
    }
    execute(f, f->fire, 1);
    update(f, 0);
    EXPECT_LOG(f, "Spark executed. Spark executed. Fire executed. ");
    assert_int_equal(STATS(f).dropped, 6);
    assert_int_equal(STATS(f).played, 3);
    execute(f, f->spark, 1);
    update(f, 0);
    EXPECT_LOG(f, "Spark executed. ");
}

// CUE-033, CUE-035, TVA-032, GAPA-036: one call for eight pellets, at the place of the first.
static void a_burst_can_be_merged(void **state)
{
    fixture *f = *state;
    f->def.merges = true;
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    handle(f, f->fire, KN_CUE_STATIC);
    kn_cue_params pellet = kn_cue_params_default();
    pellet.has_location = true;
    for (uint32_t i = 0; i < 8; i++) {
        pellet.location.x = 10.0f + (float)i;
        pellet.magnitude = (float)i;
        assert_int_equal(kn_cue_execute(f->world, f->hero, f->spark, &pellet), KN_OK);
        if (i == 0) {
            execute(f, f->fire, 1);
        }
    }
    f->keeps_sparks = true;
    assert_int_equal(kn_cue_execute(f->world, f->foe, f->spark, NULL), KN_OK);
    step(f, 0);
    kn_cue_player_update(f->player, f->world);
    EXPECT_LOG(f, "Spark executed x8. Fire executed. Spark executed. ");
    assert_true(f->sparks.has_location && f->sparks.location.x == 10.0f);
    assert_true(f->sparks.magnitude == 28.0f);
    assert_int_equal(STATS(f).merged, 7);
    assert_int_equal(STATS(f).dropped, 0);
    execute(f, f->spark, 2);
    execute(f, f->spark, 3);
    update(f, 0);
    assert_true(f->params.magnitude == 5.0f);
}

static uint32_t traces_seen;

// One cue for all, from which each machine makes one for each.
static void read_traces(const kn_cue_call *call)
{
    const fixture *f = call->user;
    note_call(call, "executed");
    traces_seen = kn_target_count(call->params->targets);
    for (uint32_t i = 0; i < traces_seen; i++) {
        const kn_target_hit *hit = kn_target_get(call->params->targets, i, kn_target_type_hit());
        assert_non_null(hit);
        assert_true(hit->point.x == (float)i);
        kn_cue_params params = kn_cue_params_default();
        params.location = hit->point;
        params.has_location = true;
        assert_int_equal(
            kn_cue_local_execute(call->player, call->world, call->entity, f->fire_small, &params),
            KN_OK);
    }
}

// CUE-035, TVA-032: eight traces in the context of one effect are one cue that knows all of them.
static void one_effect_carries_the_traces_of_eight_pellets(void **state)
{
    fixture *f = *state;
    play(f);
    kn_cue_handler_def def = handler_def(f, f->spark, KN_CUE_STATIC);
    def.executed = read_traces;
    assert_int_equal(kn_cue_handler_add(f->player, &def), KN_OK);
    handle(f, f->fire_small, KN_CUE_STATIC);
    kn_target_data data = {0};
    for (uint32_t i = 0; i < 8; i++) {
        kn_target_hit hit = {.entity = f->hero, .point = {(float)i, 0, 0}};
        assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &hit), KN_OK);
    }
    kn_effect_context context = {.targets = data.bytes, .target_size = data.size};
    kn_effect_apply_def apply_def = kn_effect_apply_def_default();
    apply_def.type = f->hit;
    apply_def.source = f->foe;
    apply_def.target = f->hero;
    apply_def.context = &context;
    assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_OK);
    traces_seen = 0;
    update(f, 0);
    EXPECT_LOG(f, "Spark executed. Small executed. Small executed. Small executed. Small executed. "
                  "Small executed. Small executed. Small executed. Small executed. ");
    assert_int_equal(traces_seen, 8);
    assert_true(f->params.has_location && f->params.location.x == 7.0f); // of the last
}

// CUE-033: with a limit, the last call stands for what is beyond.
static void a_limited_burst_merges_what_is_beyond(void **state)
{
    fixture *f = *state;
    f->def.merges = true;
    f->def.burst_limit = 3;
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 8; i++) {
        execute(f, f->spark, 1);
    }
    update(f, 0);
    EXPECT_LOG(f, "Spark executed. Spark executed. Spark executed x6. ");
    assert_true(f->params.magnitude == 6.0f);
}

// BEY-047: the latest wins within an update.
static void only_the_latest_change_is_told(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    afflict(f, f->poison);
    update(f, 0);
    f->log[0] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        afflict(f, f->poison);
    }
    update(f, 0);
    EXPECT_LOG(f, "Fire(Big) updated. ");
    assert_int_equal(f->params.stacks, 4);
}

// Assets --------------------------------------------------------------------

static kn_cue_load load(void *user, kn_tag tag)
{
    fixture *f = user;
    note(f, "load %s. ", strrchr(kn_tag_name(f->library, tag), '.') + 1);
    return tag.index1 == f->listed.index1 ? KN_CUE_LOADED : f->answer;
}

// CUE-028, CUE-030, GAPA-041, OPT-006: loaded when first used, or all at once, or those that the
// host has loaded up front.
static void assets_are_loaded_on_use_or_up_front(void **state)
{
    fixture *f = *state;
    f->def.load = load;
    play(f);
    handle(f, f->fire, KN_CUE_STATIC);
    handle(f, f->spark, KN_CUE_STATIC);
    EXPECT_LOG(f, "");
    execute(f, f->spark, 1);
    execute(f, f->spark, 1);
    update(f, 0);
    EXPECT_LOG(f, "load Spark. Spark executed. Spark executed. ");
    kn_cue_player_destroy(f->player);
    f->def.preload = KN_CUE_LOAD_ALL;
    play(f);
    handle(f, f->fire, KN_CUE_STATIC);
    handle(f, f->spark, KN_CUE_STATIC);
    EXPECT_LOG(f, "load Fire. load Spark. ");
    execute(f, f->fire, 1);
    execute(f, f->spark, 1);
    update(f, 0);
    EXPECT_LOG(f, "Fire executed. Spark executed. ");
    kn_cue_player_destroy(f->player);
    f->def.preload = KN_CUE_LOAD_ON_USE;
    f->answer = KN_CUE_LOADING;
    f->listed = f->spark;
    play(f);
    handle(f, f->fire, KN_CUE_STATIC);
    handle(f, f->spark, KN_CUE_STATIC);
    execute(f, f->fire, 1);
    execute(f, f->spark, 1);
    update(f, 0);
    EXPECT_LOG(f, "load Fire. load Spark. Spark executed. ");
    kn_cue_player_loaded(f->player, f->world, f->fire, true); // later, whenever that is
    EXPECT_LOG(f, "Fire executed. ");
}

// CUE-045: who stands behind a cue may be gone before its assets are there.
static void cues_do_not_wait_for_who_is_gone(void **state)
{
    fixture *f = *state;
    f->def.load = load;
    f->answer = KN_CUE_LOADING;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    afflict(f, f->burn); // by the foe
    step(f, 0);
    kn_cue_player_update(f->player, f->world);
    EXPECT_LOG(f, "load Fire. ");
    assert_int_equal(STATS(f).waiting, 1);
    assert_true(kn_entity_destroy(f->world, f->foe));
    update(f, 0);
    kn_cue_player_loaded(f->player, f->world, f->fire, true);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    assert_int_equal(STATS(f).waiting, 0);
}

// CUE-030: what comes while loading is played afterwards, in order; what was removed
// meanwhile is not.
static void cues_wait_for_their_assets(void **state)
{
    fixture *f = *state;
    f->def.load = load;
    f->answer = KN_CUE_LOADING;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    execute(f, f->fire, 1);
    add(f, f->fire_small);
    kn_effect_id poison = afflict(f, f->poison);
    apply_from_to(f, f->burn, f->foe, f->foe, 1.0f);
    execute(f, f->spark, 1);
    step(f, 0);
    kn_cue_player_update(f->player, f->world);
    EXPECT_LOG(f, "load Fire. load Spark. ");
    assert_int_equal(STATS(f).waiting, 4);
    afflict(f, f->poison);
    take(f, f->fire_small);
    remove_effect(f, poison);
    update(f, 0);
    EXPECT_LOG(f, "");
    assert_int_equal(STATS(f).waiting, 3);
    kn_cue_player_loaded(f->player, f->world, f->fire, true);
    EXPECT_LOG(f, "Fire executed. Fire active. Fire while. ");
    assert_int_equal(STATS(f).waiting, 1);
    kn_cue_player_loaded(f->player, f->world, f->spark, false);
    EXPECT_LOG(f, "");
    execute(f, f->spark, 1);
    add(f, f->spark);
    update(f, 0);
    take(f, f->spark);
    update(f, 0);
    EXPECT_LOG(f, "");
    assert_int_equal(STATS(f).waiting, 0);
    assert_int_equal(STATS(f).mismatched, 0);
}

// CUE-030: the latest parameters are shown, and a late joiner's cue has no start.
static void a_waiting_cue_follows_its_changes(void **state)
{
    fixture *f = *state;
    f->def.load = load;
    f->answer = KN_CUE_LOADING;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    afflict(f, f->poison);
    step(f, 0);
    kn_cue_player_join(f->player, f->world);
    afflict(f, f->poison);
    update(f, 0);
    EXPECT_LOG(f, "load Fire. ");
    kn_cue_player_loaded(f->player, f->world, f->fire, true);
    EXPECT_LOG(f, "Fire(Big) while. ");
    assert_int_equal(f->params.stacks, 2);
}

// Resimulation --------------------------------------------------------------

// TVA-040, TVA-041, CUE-047, CUE-048, CUE-008: published again, played once.
static void what_happens_again_is_not_played_again(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    update(f, KN_MS(10));
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 3; i++) {
        if (i > 0) {
            restore(f, bytes, size);
        }
        afflict(f, f->hit);
        afflict(f, f->hit);
        afflict(f, f->burn);
        afflict(f, f->poison);
        update(f, KN_MS(10));
        afflict(f, f->poison);
        take(f, (add(f, f->spark), f->spark));
        update(f, KN_MS(10));
        kn_cue_player_settle(f->player, f->world);
    }
    EXPECT_LOG(f, "Spark executed. Spark executed. Fire active. Fire while. "
                  "Spark active. Spark while. Spark removed. Fire(Big) updated x2. ");
    assert_int_equal(STATS(f).repeated, 14);
    assert_int_equal(STATS(f).cancelled, 0);
    assert_int_equal(STATS(f).mismatched, 0);
    free(bytes);
}

// TVA-041, CUE-048: rejected: what was shown is undone; what is new is played.
static void what_did_not_happen_is_taken_back(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    kn_effect_id burning = afflict(f, f->burn);
    update(f, KN_MS(10));
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    execute(f, f->spark, 4);
    remove_effect(f, burning);
    update(f, KN_MS(10));
    add(f, f->fire_small);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "Fire active. Fire while. Spark executed. Fire removed!. Fire(Small) active. "
                  "Fire(Small) while. ");
    take(f, f->fire_small);
    add(f, f->spark);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "Fire(Small) removed. Spark active. Spark while. ");

    restore(f, bytes, size);
    update(f, KN_MS(10));
    execute(f, f->fire_big, 1);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "Fire(Big) executed. ");
    kn_cue_player_settle(f->player, f->world);
    EXPECT_LOG(f, "Spark cancelled!. Spark removed!. Fire while. ");
    assert_int_equal(STATS(f).cancelled, 1);
    assert_int_equal(STATS(f).instances, 1);
    kn_cue_player_settle(f->player, f->world);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "");
    remove_effect(f, burning);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "Fire removed!. ");
    free(bytes);
}

// CUE-048: what is cancelled has its parameters; merged ones are cancelled together.
static void a_cancelled_burst_is_cancelled_once(void **state)
{
    fixture *f = *state;
    f->def.merges = true;
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    update(f, KN_MS(10));
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    for (uint32_t round = 0; round < 3; round++) {
        if (round > 0) {
            restore(f, bytes, size);
        }
        for (uint32_t i = round; i < 2; i++) {
            execute(f, f->spark, 1);
        }
        update(f, KN_MS(10));
        kn_cue_player_settle(f->player, f->world);
        EXPECT_LOG(f, round == 0   ? "Spark executed x2. "
                      : round == 1 ? ""
                                   : "Spark cancelled x2!. ");
    }
    assert_true(f->params.magnitude == 2.0f);
    free(bytes);
}

// TVA-041: the hand-over to another effect with the same cue is not seen, nor is a change that
// never happened kept.
static void another_effect_takes_over_unseen(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    afflict(f, f->poison);
    update(f, KN_MS(10));
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    kn_effect_id other = apply_from_to(f, f->burn, f->foe, f->foe, 1.0f);
    afflict(f, f->poison);
    update(f, KN_MS(10));
    f->log[0] = 0;
    restore(f, bytes, size);
    add(f, f->spark); // unhandled, but an effect of another number follows
    kn_effect_id first = apply_from_to(f, f->burn_too, f->foe, f->foe, 1.0f);
    kn_effect_id second = apply_from_to(f, f->burn, f->foe, f->foe, 1.0f);
    assert_false(kn_effect_id_equal(other, second));
    remove_effect(f, first);
    update(f, KN_MS(10));
    kn_cue_player_settle(f->player, f->world);
    EXPECT_LOG(f, "Fire(Big) updated. ");
    assert_int_equal(f->params.stacks, 1);
    remove_effect(f, second);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "Fire removed!. ");
    assert_int_equal(STATS(f).instances, 1);
    assert_int_equal(STATS(f).mismatched, 0);
    free(bytes);
}

// CUE-047: calls at the very time of the snapshot, published by a step of length 0 or the next one.
static void what_was_asked_for_at_the_time_of_the_snapshot_is_told_once(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    update(f, KN_MS(10));
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0) {
            restore(f, bytes, size);
        }
        execute(f, f->spark, 1);
        update(f, 0);
        execute(f, f->spark, 1);
        update(f, KN_MS(10));
        kn_cue_player_settle(f->player, f->world);
        EXPECT_LOG(f, i == 0 ? "Spark executed. Spark executed. " : "");
    }
    free(bytes);
}

// CUE-048: once confirmed, it is not undone; and the log does not grow for ever.
static void what_is_old_or_confirmed_is_forgotten(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->spark, KN_CUE_STATIC);
    execute(f, f->spark, 1);
    update(f, KN_MS(10));
    kn_cue_player_confirm(f->player, KN_MS(20));
    kn_cue_player_rewind(f->player, 0);
    kn_cue_player_settle(f->player, f->world);
    EXPECT_LOG(f, "Spark executed. ");
    size_t most = 0;
    for (uint32_t i = 0; i < 6000; i++) {
        afflict(f, f->hit);
        step(f, KN_MS(10));
        kn_cue_player_update(f->player, f->world);
        f->log[0] = 0;
        most = i == 2000 ? f->memory.bytes : most;
    }
    assert_true(f->memory.bytes <= most);
}

// CUE-048: a wait for assets is cancelled too.
static void a_waiting_cue_that_did_not_happen_is_not_shown(void **state)
{
    fixture *f = *state;
    f->def.load = load;
    f->answer = KN_CUE_LOADING;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    update(f, KN_MS(10));
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    execute(f, f->fire, 1);
    add(f, f->fire);
    update(f, KN_MS(10));
    assert_int_equal(STATS(f).waiting, 2);
    restore(f, bytes, size);
    update(f, KN_MS(10));
    kn_cue_player_settle(f->player, f->world);
    assert_int_equal(STATS(f).waiting, 0);
    kn_cue_player_loaded(f->player, f->world, f->fire, true);
    EXPECT_LOG(f, "load Fire. ");
    free(bytes);
}

// Coming and going ----------------------------------------------------------

// GAPA-040: a cue that was added by itself is state, and whoever comes late meets it.
static void who_joins_late_meets_cues_of_no_effect(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    add(f, f->fire);
    step(f, KN_S(1));
    step(f, KN_S(1));
    kn_cue_player_join(f->player, f->world);
    EXPECT_LOG(f, "Fire while. ");
    assert_int_equal(kn_cue_remove(f->world, f->hero, f->fire), KN_OK);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed. ");
    assert_int_equal(STATS(f).mismatched, 0);
}

// TVA-048, CUE-040
static void who_joins_late_meets_what_is_active(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    kn_effect_id effect = afflict(f, f->burn);
    afflict(f, f->hit);
    step(f, KN_S(1));
    step(f, KN_S(1));
    kn_cue_player_join(f->player, f->world);
    EXPECT_LOG(f, "Fire while. ");
    assert_true(kn_entity_id_equal(f->params.instigator, f->foe));
    kn_cue_player_join(f->player, f->world);
    update(f, 0);
    EXPECT_LOG(f, "");
    remove_effect(f, effect);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed!. ");
    assert_int_equal(STATS(f).mismatched, 0);
}

// CUE-008: events that are still to be published do not count twice.
static void joining_between_step_and_update_counts_once(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    kn_effect_id effect = afflict(f, f->burn);
    step(f, 0);
    kn_cue_player_join(f->player, f->world);
    kn_cue_player_update(f->player, f->world);
    EXPECT_LOG(f, "Fire while. ");
    remove_effect(f, effect);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed!. ");
}

// TVA-049, CUE-040
static void cues_follow_an_entity_in_and_out_of_sight(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    kn_effect_id effect = afflict(f, f->burn);
    update(f, 0);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    for (uint32_t i = 0; i < 2; i++) {
        kn_cue_player_leave(f->player, f->world, f->hero);
        kn_cue_player_leave(f->player, f->world, f->hero);
        EXPECT_LOG(f, "Fire removed!. ");
        afflict(f, f->hit);
        kn_effect_id poison = afflict(f, f->poison);
        update(f, 0);
        remove_effect(f, poison);
        update(f, 0);
        EXPECT_LOG(f, "");
        kn_cue_player_enter(f->player, f->world, f->hero);
        kn_cue_player_enter(f->player, f->world, f->hero);
        EXPECT_LOG(f, "Fire while. ");
    }
    remove_effect(f, effect);
    update(f, 0);
    EXPECT_LOG(f, "Fire removed!. ");
    assert_int_equal(STATS(f).mismatched, 0);
    kn_cue_player_leave(f->player, f->world, f->foe);
    assert_true(kn_entity_destroy(f->world, f->foe));
    update(f, 0);
    kn_cue_player_enter(f->player, f->world, f->foe);
    EXPECT_LOG(f, "");
}

// CUE-046: ids of another world mean something else, even where they are equal.
static void a_player_can_change_to_another_world(void **state)
{
    fixture *f = *state;
    f->def.load = load;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    afflict(f, f->burn);
    update(f, 0);
    f->answer = KN_CUE_LOADING;
    afflict(f, f->hit);
    update(f, 0);
    f->log[0] = 0;
    kn_world *old = f->world;
    kn_world_def def = kn_world_def_default();
    begin_with(f, def);
    afflict(f, f->burn);
    update(f, 0);
    f->log[0] = 0;
    kn_cue_player_update(f->player, old);
    kn_world *fresh = f->world;
    kn_world_destroy(old);
    kn_cue_player_join(f->player, fresh);
    EXPECT_LOG(f, "Fire removed!. Fire while. ");
    kn_cue_player_loaded(f->player, fresh, f->spark, true);
    EXPECT_LOG(f, "");
    assert_int_equal(STATS(f).instances, 1);
}

// Local cues ----------------------------------------------------------------

// CUE-017, CUE-018, CUE-019, CUE-049, GAPA-037, OPT-006, TVA-055: also on entities that are
// suppressed.
static void local_cues_go_straight_to_the_handler(void **state)
{
    fixture *f = *state;
    f->def.burst_limit = 1;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    assert_int_equal(kn_entity_suppress_cues(f->world, f->hero, true), KN_OK);
    afflict(f, f->burn);
    update(f, 0);
    EXPECT_LOG(f, "");
    kn_cue_params params = kn_cue_params_default();
    params.source_object = 12;
    const kn_world *world = f->world;
    uint64_t hash = kn_world_hash(world);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_cue_local_execute(f->player, world, f->hero, f->fire_big, NULL), KN_OK);
    }
    EXPECT_LOG(f, "Fire(Big) executed. Fire(Big) executed. ");
    assert_int_equal(kn_cue_local_add(f->player, world, f->hero, f->fire, &params), KN_OK);
    assert_int_equal(kn_cue_local_add(f->player, world, f->hero, f->fire, NULL), KN_OK);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    assert_int_equal(kn_cue_local_remove(f->player, world, f->hero, f->fire), KN_OK);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_cue_local_remove(f->player, world, f->hero, f->fire), KN_OK);
    EXPECT_LOG(f, "Fire removed. ");
    assert_int_equal(f->params.source_object, 12);
    assert_true(kn_world_hash(world) == hash);
    // Nobody else hears of it: the world has nothing to tell, and another player shows nothing.
    assert_int_equal(kn_cue_local_add(f->player, world, f->hero, f->fire, NULL), KN_OK);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    kn_cue_player *other;
    assert_int_equal(kn_cue_player_create(&f->def, &other), KN_OK);
    kn_cue_handler_def def = handler_def(f, f->fire, KN_CUE_INSTANCED);
    assert_int_equal(kn_cue_handler_add(other, &def), KN_OK);
    step(f, 0);
    kn_cue_player_update(other, world);
    kn_cue_player_join(other, world);
    EXPECT_LOG(f, "");
    assert_int_equal(kn_cue_player_stats(other).played, 0);
    kn_cue_player_destroy(other);
}

// CUE-014: a track of a timeline plays what has a range from its start to its end, and what has
// not at its point.
static void a_timeline_plays_ranges_and_points(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    const kn_world *world = f->world;
    for (uint32_t frame = 0; frame < 10; frame++) {
        if (frame == 2) {
            assert_int_equal(kn_cue_local_add(f->player, world, f->hero, f->fire, NULL), KN_OK);
        } else if (frame == 5) {
            assert_int_equal(
                kn_cue_local_execute(f->player, world, f->hero, f->spark, NULL), KN_OK);
        } else if (frame == 8) {
            assert_int_equal(kn_cue_local_remove(f->player, world, f->hero, f->fire), KN_OK);
        }
        update(f, KN_MS(16));
        EXPECT_LOG(f, frame == 2   ? "Fire active. Fire while. "
                      : frame == 5 ? "Spark executed. "
                      : frame == 8 ? "Fire removed. "
                                   : "");
    }
}

// CUE-020, GAPA-038
static void origins_are_kept_apart(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    const kn_world *world = f->world;
    add(f, f->fire);
    update(f, 0);
    assert_int_equal(kn_cue_local_remove(f->player, world, f->hero, f->fire), KN_REFUSED_NOT_FOUND);
    assert_int_equal(STATS(f).mismatched, 1);
    assert_int_equal(kn_cue_local_add(f->player, world, f->hero, f->fire, NULL), KN_OK);
    take(f, f->fire);
    assert_int_equal(kn_cue_remove(f->world, f->hero, f->fire), KN_REFUSED_NOT_FOUND);
    update(f, 0);
    kn_cue_player_join(f->player, world);
    EXPECT_LOG(f, "Fire active. Fire while. ");
    assert_int_equal(kn_cue_local_remove(f->player, world, f->hero, f->fire), KN_OK);
    EXPECT_LOG(f, "Fire removed. ");
    assert_int_equal(STATS(f).mismatched, 1);
    // Also without a handler.
    assert_int_equal(kn_cue_local_add(f->player, world, f->hero, f->spark, NULL), KN_OK);
    assert_int_equal(kn_cue_local_remove(f->player, world, f->hero, f->spark), KN_OK);
}

static void bad_local_cues_are_refused(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    kn_world *world = f->world;
    kn_entity_id gone = f->foe;
    assert_true(kn_entity_destroy(world, gone));
    kn_tag bad = kn_tag_find(f->library, "GameplayCue");
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = NAN;
    kn_cue_player *player = f->player;
    kn_entity_id hero = f->hero;
    assert_int_equal(kn_cue_local_execute(player, world, gone, f->fire, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_local_add(player, world, gone, f->fire, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_local_execute(player, world, hero, bad, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_cue_local_add(player, world, hero, bad, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(
        kn_cue_local_execute(player, world, hero, f->fire, &params), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_cue_local_add(player, world, hero, f->fire, &params), KN_REFUSED_BAD_NUMBER);
    EXPECT_LOG(f, "");
}

// Handlers that do more -----------------------------------------------------

static void restless_removed(const kn_cue_call *call)
{
    fixture *f = call->user;
    note_call(call, "removed");
    kn_result expected = call->world != NULL ? KN_OK : KN_REFUSED_STALE_ID;
    for (uint32_t i = 0; i < 100; i++) { // tables grow meanwhile
        assert_int_equal(kn_cue_local_add(call->player, call->world, i % 2 == 0 ? f->hero : f->foe,
                             f->spark, NULL),
            expected);
    }
    assert_int_equal(
        kn_cue_local_add(call->player, call->world, call->entity, call->tag, NULL), expected);
    *call->slot += 100;
}

static void hasty_active(const kn_cue_call *call)
{
    note_call(call, "active");
    (void)kn_cue_local_remove(call->player, call->world, call->entity, call->tag);
    kn_cue_player_update(call->player, call->world); // is locked
    kn_cue_player_destroy(call->player);
}

// CUE-009: a handler that plays local cues, even its own, breaks nothing.
static void a_handler_may_play_local_cues(void **state)
{
    fixture *f = *state;
    play(f);
    kn_cue_handler_def restless = handler_def(f, f->fire, KN_CUE_INSTANCED);
    restless.removed = restless_removed;
    kn_cue_handler_def hasty = handler_def(f, f->fire_big, KN_CUE_INSTANCED);
    hasty.active = hasty_active;
    kn_cue_handler_def quiet = kn_cue_handler_def_default();
    quiet.tag = f->spark;
    assert_int_equal(kn_cue_handler_add(f->player, &restless), KN_OK);
    assert_int_equal(kn_cue_handler_add(f->player, &hasty), KN_OK);
    assert_int_equal(kn_cue_handler_add(f->player, &quiet), KN_OK);
    f->notes_slots = true;
    kn_effect_id effect = afflict(f, f->burn);
    update(f, 0);
    remove_effect(f, effect);
    update(f, 0);
    EXPECT_LOG(
        f, "Fire active #1. Fire while #1. Fire removed #1!. Fire active #1. Fire while #1. ");
    assert_int_equal(STATS(f).instances, 1);
    assert_int_equal(kn_cue_local_remove(f->player, f->world, f->hero, f->fire), KN_OK);
    EXPECT_LOG(f, "Fire removed #101. Fire active #101. Fire while #101. ");
    kn_assert_set_handler(test_ignore_assert);
    assert_int_equal(kn_cue_local_add(f->player, f->world, f->hero, f->fire_big, NULL), KN_OK);
    kn_assert_set_handler(NULL);
    EXPECT_LOG(f, "Big active #2. Big removed #2. ");
    assert_true(kn_cue_handler_remove(f->player, f->fire));
    EXPECT_LOG(f, "Fire removed #201!. ");
}

// Memory --------------------------------------------------------------------

static void busy_step(fixture *f, uint32_t round)
{
    kn_effect_id burning = afflict(f, f->burn), poisoned = afflict(f, f->poison);
    for (uint32_t i = 0; i < 100; i++) {
        execute(f, i % 2 == 0 ? f->spark : f->fire_small, 1);
    }
    (void)kn_cue_local_add(f->player, f->world, f->hero, f->fire, NULL);
    step(f, KN_MS(10));
    kn_cue_player_update(f->player, f->world);
    if (round % 2 == 0) {
        kn_cue_player_leave(f->player, f->world, f->hero);
        kn_cue_player_enter(f->player, f->world, f->hero);
    }
    remove_effect(f, burning);
    remove_effect(f, poisoned);
    (void)kn_cue_local_remove(f->player, f->world, f->hero, f->fire);
    step(f, KN_MS(10));
    kn_cue_player_update(f->player, f->world);
    kn_cue_player_confirm(f->player, kn_world_now(f->world));
    f->log[0] = 0;
}

// What is warm allocates nothing.
static void a_warm_update_does_not_allocate(void **state)
{
    fixture *f = *state;
    f->def.merges = true;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 4; i++) {
        busy_step(f, i);
    }
    uint64_t calls = f->memory.calls;
    for (uint32_t i = 0; i < 20; i++) {
        busy_step(f, i);
    }
    assert_int_equal(f->memory.calls, calls);
}

static void poor_round(fixture *f)
{
    size_t size;
    void *bytes = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0) {
            restore(f, bytes, size);
        }
        busy_step(f, 0);
        kn_cue_player_settle(f->player, f->world);
    }
    free(bytes);
}

// CUE-009: without memory cues are dropped and counted; nothing breaks, nothing stays behind.
static void without_memory_cues_are_dropped(void **state)
{
    fixture *f = *state;
    bool is_done = false;
    uint32_t dropped = 0;
    for (uint64_t fail_at = 1; !is_done; fail_at++) {
        f->memory = (test_memory){.fail_at = fail_at};
        f->answer = fail_at % 2 == 0 ? KN_CUE_LOADING : KN_CUE_LOADED;
        f->def.load = load;
        kn_result result = kn_cue_player_create(&f->def, &f->player);
        if (result == KN_OK) {
            kn_cue_handler_def def = handler_def(f, f->fire, KN_CUE_INSTANCED);
            result = kn_cue_handler_add(f->player, &def);
            assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
            def.tag = f->spark;
            result = kn_cue_handler_add(f->player, &def);
            assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
            poor_round(f);
            kn_cue_player_loaded(f->player, f->world, f->fire, true);
            dropped += STATS(f).dropped;
            is_done = fail_at > f->memory.calls;
        } else {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(f->player);
        }
        kn_cue_player_destroy(f->player);
        f->player = NULL;
        assert_int_equal(f->memory.blocks, 0);
        f->log[0] = 0;
    }
    assert_true(dropped > 0);
}

// Everything at once --------------------------------------------------------

#define CROWD 4
#define CROWD_TAGS 3
#define FRAMES 8

typedef struct crowd {
    fixture *f;
    kn_entity_id entities[CROWD];
    kn_tag tags[CROWD_TAGS];
    int shown[CROWD][CROWD_TAGS];
    uint64_t random;
} crowd;

static int *crowd_place(const kn_cue_call *call)
{
    crowd *c = call->user;
    uint32_t entity = 0, tag = 0;
    while (entity < CROWD && !kn_entity_id_equal(c->entities[entity], call->entity)) {
        entity++;
    }
    while (tag < CROWD_TAGS && c->tags[tag].index1 != call->handled.index1) {
        tag++;
    }
    assert_true(entity < CROWD && tag < CROWD_TAGS);
    return &c->shown[entity][tag];
}

static void crowd_while(const kn_cue_call *call)
{
    assert_int_equal(++*crowd_place(call), 1);
}

static void crowd_updated(const kn_cue_call *call)
{
    assert_int_equal(*crowd_place(call), 1);
}

static void crowd_removed(const kn_cue_call *call)
{
    assert_int_equal(--*crowd_place(call), 0);
}

// One thing that happens, the same for the same number.
static void crowd_act(crowd *c, uint32_t number)
{
    fixture *f = c->f;
    kn_world *world = f->world;
    kn_entity_id entity = c->entities[number % CROWD];
    kn_tag tag = c->tags[number / 8 % CROWD_TAGS];
    const kn_effect_type_id types[3] = {f->burn, f->burn_too, f->poison};
    kn_effect_id found[16];
    kn_effect_query query = kn_effect_query_default();
    switch (number / 64 % 5) {
    case 0:
        apply_from_to(f, types[number / 8 % 3], f->foe, entity, 1.0f);
        break;
    case 1: {
        uint32_t count = kn_effects_find(world, entity, &query, found, 16);
        if (count > 0) {
            remove_effect(f, found[number / 512 % (count < 16 ? count : 16)]);
        }
        break;
    }
    case 2:
        assert_int_equal(kn_cue_add(world, entity, tag, NULL), KN_OK);
        break;
    case 3:
        (void)kn_cue_remove(world, entity, tag);
        break;
    default:
        assert_int_equal(kn_cue_execute(world, entity, tag, NULL), KN_OK);
        break;
    }
}

static void crowd_check(crowd *c)
{
    for (uint32_t i = 0; i < CROWD; i++) {
        for (uint32_t t = 0; t < CROWD_TAGS; t++) {
            bool is_active = kn_cue_count(c->f->world, c->entities[i], c->tags[t]) > 0;
            assert_int_equal(c->shown[i][t], is_active);
        }
    }
}

// Some frames; those before `same` repeat what the numbers say, later ones get new numbers.
static void crowd_frames(crowd *c, uint32_t numbers[FRAMES][3], uint32_t same)
{
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < 3; i++) {
            if (frame >= same && test_below(&c->random, 2) == 0) {
                numbers[frame][i] = (uint32_t)test_random(&c->random);
            }
            crowd_act(c, numbers[frame][i]);
        }
        step(c->f, test_below(&c->random, 8) == 0 ? 0 : KN_MS(10));
        kn_cue_player_update(c->f->player, c->f->world);
    }
}

// CUE-008, CUE-009, CUE-047: whatever happens, again or differently, what is shown is what is
// active.
static void what_is_shown_is_what_is_active(void **state)
{
    fixture *f = *state;
    play(f);
    crowd c = {.f = f, .tags = {f->fire, f->fire_big, f->spark}, .random = 7};
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(kn_entity_create(f->world, &c.entities[i]), KN_OK);
    }
    for (uint32_t t = 0; t < CROWD_TAGS; t++) {
        kn_cue_handler_def def = kn_cue_handler_def_default();
        def.tag = c.tags[t];
        def.kind = t == 1 ? KN_CUE_STATIC : KN_CUE_INSTANCED;
        def.keeps_instance = t == 2;
        def.while_active = crowd_while;
        def.updated = crowd_updated;
        def.removed = crowd_removed;
        def.user = &c;
        assert_int_equal(kn_cue_handler_add(f->player, &def), KN_OK);
    }
    for (uint32_t round = 0; round < 80; round++) {
        uint32_t numbers[FRAMES][3] = {{0}};
        size_t size;
        void *bytes = snapshot_of(f->world, &size);
        crowd_frames(&c, numbers, 0);
        crowd_check(&c);
        for (uint32_t again = test_below(&c.random, 3); again > 0; again--) {
            restore(f, bytes, size);
            crowd_frames(&c, numbers, test_below(&c.random, FRAMES + 1));
            if (test_below(&c.random, 3) != 0) {
                kn_cue_player_settle(f->player, f->world);
                crowd_check(&c);
            }
        }
        kn_cue_player_settle(f->player, f->world);
        crowd_check(&c);
        kn_cue_player_confirm(f->player, kn_world_now(f->world));
        free(bytes);
    }
    assert_int_equal(STATS(f).mismatched, 0);
    assert_true(STATS(f).repeated > 200);
    kn_cue_player_destroy(f->player);
    f->player = NULL;
}

// Records, other players, clocks --------------------------------------------

typedef struct reader {
    const kn_cue_params *seen[2];
    uint32_t count;
} reader;

static void read_record(const kn_cue_call *call)
{
    reader *r = call->user;
    r->seen[r->count++ % 2] = call->params;
}

// CUE-026: the record is handed on, not copied: a handler and the one above it look at the same.
static void every_handler_of_a_cue_reads_the_same_record(void **state)
{
    fixture *f = *state;
    play(f);
    reader r = {.count = 0};
    kn_cue_handler_def child = handler_def(f, f->fire_big, KN_CUE_STATIC);
    child.executed = read_record;
    child.user = &r;
    child.also_parent = true;
    kn_cue_handler_def parent = child;
    parent.tag = f->fire;
    assert_int_equal(kn_cue_handler_add(f->player, &child), KN_OK);
    assert_int_equal(kn_cue_handler_add(f->player, &parent), KN_OK);
    execute(f, f->fire_big, 3.0f);
    update(f, 0);
    assert_int_equal(r.count, 2);
    assert_ptr_equal(r.seen[0], r.seen[1]);
}

// A manager of a game's own: it reads the events, as a player does, and knows nothing else.
typedef struct manager {
    uint32_t shown;    // now
    uint32_t executed; // so far
    float sum;
} manager;

static void manager_update(manager *m, const kn_world *world)
{
    kn_events events = kn_world_events(world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        kn_cue_params params;
        if (event->type != KN_EVENT_CUE || !kn_cue_event_params(world, event, &params)) {
            continue;
        }
        m->shown += event->data.cue.action == KN_CUE_ADDED;
        m->shown -= event->data.cue.action == KN_CUE_REMOVED;
        m->executed += event->data.cue.action == KN_CUE_EXECUTED;
        m->sum += params.magnitude;
    }
}

// CUE-029: who shows cues is the game's choice: the library's player, another one, or two at once.
static void a_game_may_have_a_manager_of_its_own(void **state)
{
    fixture *f = *state;
    play(f);
    handle(f, f->fire, KN_CUE_INSTANCED);
    handle(f, f->spark, KN_CUE_STATIC);
    kn_cue_player_def def = f->def;
    def.merges = true; // a second one, of other habits
    kn_cue_player *other;
    assert_int_equal(kn_cue_player_create(&def, &other), KN_OK);
    kn_cue_handler_def sparks = handler_def(f, f->spark, KN_CUE_STATIC);
    assert_int_equal(kn_cue_handler_add(other, &sparks), KN_OK);
    manager own = {.shown = 0};
    kn_effect_id effect = afflict(f, f->burn);
    execute(f, f->spark, 1.5f);
    execute(f, f->spark, 2.5f);
    update(f, KN_MS(10));
    manager_update(&own, f->world);
    EXPECT_LOG(f, "Fire active. Fire while. Spark executed. Spark executed. ");
    assert_true(own.shown == 1 && own.executed == 2 && own.sum == 4.0f);
    kn_cue_player_update(other, f->world);
    EXPECT_LOG(f, "Spark executed x2. ");
    remove_effect(f, effect);
    update(f, KN_MS(10));
    manager_update(&own, f->world);
    EXPECT_LOG(f, "Fire removed!. ");
    assert_int_equal(own.shown, 0);
    kn_cue_player_destroy(other);
}

// CUE-041: what happens every frame is up to the instance, which the slot leads to.
static void while_active_is_told_once_however_long_it_lasts(void **state)
{
    fixture *f = *state;
    play(f);
    f->notes_slots = true;
    handle(f, f->fire, KN_CUE_INSTANCED);
    afflict(f, f->burn);
    update(f, KN_MS(10));
    EXPECT_LOG(f, "Fire active #1. Fire while #1. ");
    for (uint32_t i = 0; i < 20; i++) {
        update(f, KN_MS(10));
    }
    EXPECT_LOG(f, "");
    assert_int_equal(STATS(f).instances, 1);
}

#define STAGE(test) cmocka_unit_test_setup_teardown(test, stage_setup, stage_teardown)

static const struct CMUnitTest tests[] = {
    STAGE(a_lasting_cue_is_active_updated_and_removed),
    STAGE(a_static_handler_may_answer_anything),
    STAGE(an_instanced_handler_may_execute),
    STAGE(the_nearest_handler_is_told),
    STAGE(a_handler_above_may_be_told_as_well),
    STAGE(a_tag_may_be_translated),
    STAGE(bad_handlers_and_players_are_refused),
    STAGE(additions_of_one_cue_share_an_instance),
    STAGE(instances_may_differ_by_instigator),
    STAGE(a_handler_can_limit_its_instances),
    STAGE(a_cue_can_be_added_again_with_and_without_keeping),
    STAGE(what_is_shown_on_the_dead_is_removed),
    STAGE(none_of_many_instances_is_lost),
    STAGE(what_is_shown_ends_with_handler_and_player),
    STAGE(a_burst_is_limited_and_the_rest_counted),
    STAGE(a_burst_can_be_merged),
    STAGE(one_effect_carries_the_traces_of_eight_pellets),
    STAGE(a_limited_burst_merges_what_is_beyond),
    STAGE(only_the_latest_change_is_told),
    STAGE(assets_are_loaded_on_use_or_up_front),
    STAGE(cues_do_not_wait_for_who_is_gone),
    STAGE(cues_wait_for_their_assets),
    STAGE(a_waiting_cue_follows_its_changes),
    STAGE(what_happens_again_is_not_played_again),
    STAGE(what_did_not_happen_is_taken_back),
    STAGE(a_cancelled_burst_is_cancelled_once),
    STAGE(another_effect_takes_over_unseen),
    STAGE(what_was_asked_for_at_the_time_of_the_snapshot_is_told_once),
    STAGE(what_is_old_or_confirmed_is_forgotten),
    STAGE(a_waiting_cue_that_did_not_happen_is_not_shown),
    STAGE(who_joins_late_meets_cues_of_no_effect),
    STAGE(who_joins_late_meets_what_is_active),
    STAGE(joining_between_step_and_update_counts_once),
    STAGE(cues_follow_an_entity_in_and_out_of_sight),
    STAGE(a_player_can_change_to_another_world),
    STAGE(local_cues_go_straight_to_the_handler),
    STAGE(a_timeline_plays_ranges_and_points),
    STAGE(origins_are_kept_apart),
    STAGE(bad_local_cues_are_refused),
    STAGE(a_handler_may_play_local_cues),
    STAGE(a_warm_update_does_not_allocate),
    STAGE(without_memory_cues_are_dropped),
    STAGE(what_is_shown_is_what_is_active),
    STAGE(every_handler_of_a_cue_reads_the_same_record),
    STAGE(a_game_may_have_a_manager_of_its_own),
    STAGE(while_active_is_told_once_however_long_it_lasts),
};

TEST_GROUP(test_cue_player, tests, NULL, NULL);
