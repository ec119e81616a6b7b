// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The cue player, with worlds that play a script. Handlers note their calls.

#include "scenario/ability_fixture.h"
#include "unit/test_memory.h"

#include <math.h>

typedef struct stage {
    fixture f; // first: the fixture's helpers take it
    test_memory memory;
    kn_cue_player *player;
    kn_cue_player_def def;
    kn_effect_type_id burn, burn_too, hit, poison;
    kn_tag fire, fire_big, fire_small, spark;
    kn_cue_load answer; // of load()
    bool has_skin;      // for translate()
    bool notes_slots;
    uint64_t next_slot;
    kn_cue_params params; // of the last call
    bool keeps_sparks;    // once
    kn_cue_params sparks; // of the first spark
    kn_tag listed;        // loaded up front by the host
} stage;

static const char *leaf_of(const kn_cue_call *call, kn_tag tag)
{
    fixture *f = call->user;
    return strrchr(kn_tag_name(f->library, tag), '.') + 1;
}

// "Fire active. " and, where they say something, the tag that was published, a count and a mark for
// what was interrupted: "Fire(Big) removed x2!. "
static void note_call(const kn_cue_call *call, const char *what)
{
    stage *s = call->user;
    s->params = *call->params;
    if (s->keeps_sparks && call->tag.index1 == s->spark.index1) {
        s->sparks = *call->params;
        s->keeps_sparks = false;
    }
    note(&s->f, "%s", leaf_of(call, call->handled));
    if (call->tag.index1 != call->handled.index1) {
        note(&s->f, "(%s)", leaf_of(call, call->tag));
    }
    note(&s->f, " %s", what);
    if (call->count > 1) {
        note(&s->f, " x%u", call->count);
    }
    if (s->notes_slots && call->slot != NULL) {
        *call->slot = *call->slot != 0 ? *call->slot : ++s->next_slot;
        note(&s->f, " #%d", (int)*call->slot);
    }
    note(&s->f, call->interrupted ? "!. " : ". ");
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

static kn_cue_handler_def handler_def(stage *s, kn_tag tag, kn_cue_kind kind)
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
    def.user = s;
    return def;
}

static void handle(stage *s, kn_tag tag, kn_cue_kind kind)
{
    kn_cue_handler_def def = handler_def(s, tag, kind);
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_OK);
}

static kn_effect_type_id cue_effect(stage *s, const char *name, kn_duration_kind kind, kn_tag *cue)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.cue_tags = (kn_tags){cue, 1};
    if (strcmp(name, "Poison") == 0) {
        def.stacking.kind = KN_STACK_BY_TARGET;
    }
    return effect_register(&s->f, &def);
}

static int stage_setup(void **state)
{
    void *plain;
    setup(&plain);
    stage *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    s->f = *(fixture *)plain;
    free(plain);
    tag_of(&s->f, "GameplayCue.Any.Fire");
    s->fire = tag_of(&s->f, "GameplayCue.Fire");
    s->fire_big = tag_of(&s->f, "GameplayCue.Fire.Big");
    s->fire_small = tag_of(&s->f, "GameplayCue.Fire.Small");
    s->spark = tag_of(&s->f, "GameplayCue.Spark");
    tag_of(&s->f, "GameplayCue.Skin");
    s->burn = cue_effect(s, "Burn", KN_DURATION_INFINITE, &s->fire);
    s->burn_too = cue_effect(s, "BurnToo", KN_DURATION_INFINITE, &s->fire);
    s->hit = cue_effect(s, "Hit", KN_DURATION_INSTANT, &s->spark);
    s->poison = cue_effect(s, "Poison", KN_DURATION_INFINITE, &s->fire_big);
    begin(&s->f);
    s->def = kn_cue_player_def_default();
    s->def.library = s->f.library;
    s->def.user = s;
    s->def.hooks = (kn_hooks){.realloc_fn = test_memory_realloc, .realloc_user = &s->memory};
    *state = s;
    return 0;
}

static int stage_teardown(void **state)
{
    stage *s = *state;
    kn_cue_player_destroy(s->player);
    assert_int_equal(s->memory.blocks, 0);
    assert_int_equal(s->memory.bytes, 0);
    void *plain = calloc(1, sizeof(fixture));
    assert_non_null(plain);
    *(fixture *)plain = s->f;
    free(s);
    return teardown(&plain);
}

static void play(stage *s)
{
    assert_int_equal(kn_cue_player_create(&s->def, &s->player), KN_OK);
}

// A step, its cues, and proof that they did not touch the world.
static void update(stage *s, kn_time dt)
{
    step(&s->f, dt);
    uint64_t hash = kn_world_hash(s->f.world);
    kn_cue_player_update(s->player, s->f.world);
    assert_true(kn_world_hash(s->f.world) == hash);
}

static kn_effect_id apply_to(stage *s, kn_effect_type_id type, kn_entity_id from, kn_entity_id to)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->f.world, type, from, to, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    return apply_to(s, type, s->f.foe, s->f.hero);
}

static void remove_effect(stage *s, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(s->f.world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static void execute(stage *s, kn_tag tag, float magnitude)
{
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = magnitude;
    assert_int_equal(kn_cue_execute(s->f.world, s->f.hero, tag, &params), KN_OK);
}

static void add(stage *s, kn_tag tag)
{
    assert_int_equal(kn_cue_add(s->f.world, s->f.hero, tag, NULL), KN_OK);
}

static void take(stage *s, kn_tag tag)
{
    assert_int_equal(kn_cue_remove(s->f.world, s->f.hero, tag), KN_OK);
}

static void *snapshot(stage *s, size_t *size)
{
    *size = kn_snapshot_size(s->f.world);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(kn_snapshot_take(s->f.world, bytes, *size, NULL), KN_OK);
    return bytes;
}

static void restore(stage *s, const void *bytes, size_t size)
{
    assert_int_equal(kn_snapshot_restore(s->f.world, bytes, size), KN_OK);
    kn_cue_player_rewind(s->player, kn_world_now(s->f.world));
}

#define EXPECT(s, expected) EXPECT_LOG(&(s)->f, expected)
#define STATS(s) kn_cue_player_stats((s)->player)

// Handlers ------------------------------------------------------------------

// CUE-001, CUE-003, CUE-004, CUE-039, CUE-044, TVA-050, BEY-047
static void a_lasting_cue_is_active_updated_and_removed(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire_big, KN_CUE_INSTANCED);
    kn_effect_id effect = apply(s, s->poison);
    update(s, 0);
    EXPECT(s, "Big active. Big while. ");
    assert_int_equal(STATS(s).instances, 1);
    update(s, KN_S(1));
    EXPECT(s, "");
    apply(s, s->poison);
    update(s, 0);
    EXPECT(s, "Big updated. ");
    assert_int_equal(s->params.stacks, 2);
    remove_effect(s, effect);
    update(s, 0);
    EXPECT(s, "Big removed!. ");
    assert_int_equal(STATS(s).instances, 0);
    assert_int_equal(STATS(s).played, 1);
    assert_int_equal(STATS(s).mismatched, 0);
}

// CUE-004, CUE-005, TVA-050: static handlers hear of what lasts, and have no slot.
static void a_static_handler_may_answer_anything(void **state)
{
    stage *s = *state;
    play(s);
    s->notes_slots = true;
    handle(s, s->fire, KN_CUE_STATIC);
    add(s, s->fire);
    execute(s, s->fire, 1);
    update(s, 0);
    take(s, s->fire);
    update(s, 0);
    EXPECT(s, "Fire active. Fire while. Fire executed. Fire removed. ");
    assert_int_equal(STATS(s).instances, 0);
}

// CUE-005: an instanced handler that executes has its instance, or bits for the moment.
static void an_instanced_handler_may_execute(void **state)
{
    stage *s = *state;
    play(s);
    s->notes_slots = true;
    handle(s, s->fire, KN_CUE_INSTANCED);
    execute(s, s->fire, 1);
    execute(s, s->fire, 1);
    update(s, 0);
    EXPECT(s, "Fire executed #1. Fire executed #2. ");
    add(s, s->fire);
    execute(s, s->fire, 1);
    update(s, 0);
    EXPECT(s, "Fire active #3. Fire while #3. Fire executed #3. ");
}

// CUE-003: the handler of the tag, else the nearest above that handles what is below it.
static void the_nearest_handler_is_told(void **state)
{
    stage *s = *state;
    play(s);
    execute(s, s->fire_big, 1);
    update(s, 0);
    EXPECT(s, "");
    handle(s, s->fire, KN_CUE_STATIC);
    handle(s, s->fire_small, KN_CUE_STATIC);
    execute(s, s->fire_big, 1);
    execute(s, s->fire_small, 1);
    execute(s, s->spark, 1);
    update(s, 0);
    EXPECT(s, "Fire(Big) executed. Small executed. ");
    assert_true(kn_cue_handler_remove(s->player, s->fire));
    assert_false(kn_cue_handler_remove(s->player, s->fire));
    kn_cue_handler_def own = handler_def(s, s->fire, KN_CUE_STATIC);
    own.handles_children = false;
    assert_int_equal(kn_cue_handler_add(s->player, &own), KN_OK);
    assert_int_equal(kn_cue_handler_add(s->player, &own), KN_REFUSED_DUPLICATE);
    execute(s, s->fire_big, 1);
    execute(s, s->fire, 1);
    update(s, 0);
    EXPECT(s, "Fire executed. ");
}

// CUE-003: a handler can let those above hear of it as well, for all events.
static void a_handler_above_may_be_told_as_well(void **state)
{
    stage *s = *state;
    play(s);
    kn_cue_handler_def both = handler_def(s, s->fire_big, KN_CUE_INSTANCED);
    both.also_parent = true;
    assert_int_equal(kn_cue_handler_add(s->player, &both), KN_OK);
    handle(s, s->fire, KN_CUE_INSTANCED);
    execute(s, s->fire_big, 1);
    kn_effect_id effect = apply(s, s->poison);
    apply(s, s->poison);
    update(s, 0);
    EXPECT(s, "Big executed. Fire(Big) executed. Big active. Big while. Fire(Big) active. "
              "Fire(Big) while. Big updated. Fire(Big) updated. ");
    assert_int_equal(STATS(s).played, 2);
    remove_effect(s, effect);
    update(s, 0);
    EXPECT(s, "Big removed!. Fire(Big) removed!. ");
    assert_int_equal(STATS(s).instances, 0);
}

static kn_tag skin(void *user, const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    const stage *s = user;
    assert_true(world == s->f.world && kn_entity_id_equal(entity, s->f.hero));
    bool changes = s->has_skin && tag.index1 == s->fire.index1;
    return changes ? kn_tag_find(s->f.library, "GameplayCue.Skin") : (kn_tag){0};
}

// CUE-009: a cue is removed where it was added, whatever the skin has become.
static void a_tag_may_be_translated(void **state)
{
    stage *s = *state;
    s->def.translate = skin;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, kn_tag_find(s->f.library, "GameplayCue.Skin"), KN_CUE_INSTANCED);
    s->has_skin = true;
    add(s, s->fire);
    update(s, 0);
    EXPECT(s, "Skin(Fire) active. Skin(Fire) while. ");
    s->has_skin = false;
    take(s, s->fire);
    execute(s, s->fire, 1);
    update(s, 0);
    EXPECT(s, "Skin(Fire) removed. Fire executed. ");
}

static void bad_handlers_and_players_are_refused(void **state)
{
    stage *s = *state;
    play(s);
    kn_assert_set_handler(test_ignore_assert);
    kn_cue_handler_def def = handler_def(s, (kn_tag){0}, KN_CUE_STATIC);
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_ERROR_INVALID_ARGUMENT);
    def.tag = (kn_tag){9999};
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_ERROR_INVALID_ARGUMENT);
    def = handler_def(s, s->fire, KN_CUE_STATIC);
    def.cookie = 0;
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_cue_handler_remove(s->player, (kn_tag){9999}));
    kn_cue_player *other = s->player;
    kn_cue_player_def player_def = kn_cue_player_def_default();
    assert_int_equal(kn_cue_player_create(&player_def, &other), KN_ERROR_INVALID_ARGUMENT);
    assert_null(other);
    kn_cue_player_loaded(s->player, s->f.world, s->spark, true); // has no handler
    kn_cue_player_destroy(NULL);
    kn_assert_set_handler(NULL);
}

// Instances -----------------------------------------------------------------

// CUE-006, CUE-008: several applications are shown once, and end with the last.
static void additions_of_one_cue_share_an_instance(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    kn_effect_id first = apply(s, s->burn), second = apply(s, s->burn_too);
    add(s, s->fire);
    update(s, 0);
    EXPECT(s, "Fire active. Fire while. ");
    remove_effect(s, first);
    take(s, s->fire);
    update(s, 0);
    EXPECT(s, "");
    remove_effect(s, second);
    update(s, 0);
    EXPECT(s, "Fire removed!. ");
}

// CUE-006: instances can be separate for each instigator.
static void instances_may_differ_by_instigator(void **state)
{
    stage *s = *state;
    play(s);
    kn_cue_handler_def def = handler_def(s, s->fire, KN_CUE_INSTANCED);
    def.per_instigator = true;
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_OK);
    s->notes_slots = true;
    kn_effect_id first = apply_to(s, s->burn, s->f.foe, s->f.hero);
    kn_effect_id second = apply_to(s, s->burn, s->f.hero, s->f.hero);
    apply_to(s, s->burn_too, s->f.foe, s->f.hero);
    update(s, 0);
    EXPECT(s, "Fire active #1. Fire while #1. Fire active #2. Fire while #2. ");
    remove_effect(s, second);
    remove_effect(s, first);
    update(s, 0);
    EXPECT(s, "Fire removed #2!. ");
}

// CUE-006: beyond the limit nothing is shown, and nothing is removed.
static void a_handler_can_limit_its_instances(void **state)
{
    stage *s = *state;
    play(s);
    kn_cue_handler_def def = handler_def(s, s->fire, KN_CUE_INSTANCED);
    def.limit = 1;
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_OK);
    kn_effect_id first = apply_to(s, s->burn, s->f.foe, s->f.hero);
    kn_effect_id second = apply_to(s, s->burn, s->f.foe, s->f.foe);
    update(s, 0);
    EXPECT(s, "Fire active. Fire while. ");
    assert_int_equal(STATS(s).dropped, 1);
    remove_effect(s, second);
    update(s, 0);
    EXPECT(s, "");
    remove_effect(s, first);
    apply_to(s, s->burn, s->f.foe, s->f.foe);
    update(s, 0);
    EXPECT(s, "Fire removed!. Fire active. Fire while. ");
    assert_int_equal(STATS(s).mismatched, 0);
}

// TVA-056, CUE-007, GAPA-039
static void a_cue_can_be_added_again_with_and_without_keeping(void **state)
{
    stage *s = *state;
    play(s);
    s->notes_slots = true;
    handle(s, s->spark, KN_CUE_INSTANCED);
    kn_cue_handler_def def = handler_def(s, s->fire, KN_CUE_INSTANCED);
    def.keeps_instance = true;
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        add(s, s->fire);
        add(s, s->spark);
        update(s, 0);
        take(s, s->fire);
        take(s, s->spark);
        update(s, 0);
        assert_int_equal(STATS(s).instances, 1);
    }
    EXPECT(s, "Fire active #1. Fire while #1. Spark active #2. Spark while #2. "
              "Fire removed #1. Spark removed #2. "
              "Fire active #1. Fire while #1. Spark active #3. Spark while #3. "
              "Fire removed #1. Spark removed #3. ");
    apply_to(s, s->burn, s->f.foe, s->f.foe); // and by another entity
    update(s, 0);
    EXPECT(s, "Fire active #1. Fire while #1. ");
}

// CUE-009: also if the end was not published.
static void what_is_shown_on_the_dead_is_removed(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    apply(s, s->burn);
    update(s, 0);
    assert_int_equal(kn_cue_local_add(s->player, s->f.world, s->f.hero, s->fire_big, NULL), KN_OK);
    s->f.log[0] = 0;
    assert_true(kn_entity_destroy(s->f.world, s->f.hero));
    step(&s->f, 0); // its events are lost
    update(s, 0);
    EXPECT(s, "Fire(Big) removed!. ");
    assert_int_equal(STATS(s).instances, 0);
    assert_true(kn_entity_id_equal(s->params.instigator, s->f.foe)); // as it was added
}

#define MANY 400

// CUE-009: every instance is found again among many, of parents and of their parts, in any order.
static void none_of_many_instances_is_lost(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_INSTANCED);
    kn_world *world = s->f.world;
    kn_entity_id entities[MANY];
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(kn_entity_create(world, &entities[i]), KN_OK);
        if (i % 2 == 1) { // a part of the one before
            assert_int_equal(kn_entity_set_parent(world, entities[i], entities[i - 1]), KN_OK);
        }
        assert_int_equal(kn_cue_add(world, entities[i], s->fire, NULL), KN_OK);
        assert_int_equal(kn_cue_add(world, entities[i], s->spark, NULL), KN_OK);
    }
    update(s, 0);
    assert_int_equal(STATS(s).instances, 2 * MANY);
    s->f.log[0] = 0;
    for (uint32_t i = 0; i < MANY; i++) { // 7 and 400 have no common divisor: each comes once
        kn_entity_id entity = entities[i * 7 % MANY];
        assert_int_equal(kn_cue_remove(world, entity, s->spark), KN_OK);
        update(s, 0);
        EXPECT(s, "Spark removed. ");
        assert_int_equal(STATS(s).instances, 2 * MANY - 1 - i);
    }
    for (uint32_t i = 0; i < MANY; i += 2) { // what is shown on a part is no longer shown
        assert_true(kn_entity_destroy(world, entities[i + 1]));
        assert_true(kn_entity_destroy(world, entities[i]));
        update(s, 0);
        EXPECT(s, "Fire removed!. Fire removed!. ");
    }
    assert_int_equal(STATS(s).instances, 0);
    assert_int_equal(STATS(s).mismatched, 0);
}

// CUE-009: the player's end, and a handler's, leave nothing behind.
static void what_is_shown_ends_with_handler_and_player(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_INSTANCED);
    kn_effect_id effect = apply(s, s->burn);
    add(s, s->spark);
    update(s, 0);
    s->f.log[0] = 0;
    assert_true(kn_cue_handler_remove(s->player, s->fire));
    EXPECT(s, "Fire removed!. ");
    remove_effect(s, effect);
    update(s, 0);
    assert_int_equal(STATS(s).mismatched, 0);
    EXPECT(s, "");
    kn_cue_player_destroy(s->player);
    s->player = NULL;
    EXPECT(s, "Spark removed!. ");
}

// Bursts --------------------------------------------------------------------

// CUE-016, CUE-033, TVA-032, GAPA-036: of the same cue on the same entity; by default all are
// played.
static void a_burst_is_limited_and_the_rest_counted(void **state)
{
    stage *s = *state;
    assert_int_equal(s->def.burst_limit, 0);
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 8; i++) {
        execute(s, s->spark, 1);
    }
    update(s, 0);
    assert_int_equal(STATS(s).played, 8);
    assert_int_equal(STATS(s).dropped, 0);
    s->f.log[0] = 0;
    kn_cue_player_destroy(s->player);
    s->def.burst_limit = 2;
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    handle(s, s->fire, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 8; i++) {
        execute(s, s->spark, 1);
    }
    execute(s, s->fire, 1);
    update(s, 0);
    EXPECT(s, "Spark executed. Spark executed. Fire executed. ");
    assert_int_equal(STATS(s).dropped, 6);
    assert_int_equal(STATS(s).played, 3);
    execute(s, s->spark, 1);
    update(s, 0);
    EXPECT(s, "Spark executed. ");
}

// CUE-033, CUE-035, TVA-032, GAPA-036: one call for eight pellets, at the place of the first.
static void a_burst_can_be_merged(void **state)
{
    stage *s = *state;
    s->def.merges = true;
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    handle(s, s->fire, KN_CUE_STATIC);
    kn_cue_params pellet = kn_cue_params_default();
    pellet.has_location = true;
    for (uint32_t i = 0; i < 8; i++) {
        pellet.location.x = 10.0f + (float)i;
        pellet.magnitude = (float)i;
        assert_int_equal(kn_cue_execute(s->f.world, s->f.hero, s->spark, &pellet), KN_OK);
        if (i == 0) {
            execute(s, s->fire, 1);
        }
    }
    s->keeps_sparks = true;
    assert_int_equal(kn_cue_execute(s->f.world, s->f.foe, s->spark, NULL), KN_OK);
    step(&s->f, 0);
    kn_cue_player_update(s->player, s->f.world);
    EXPECT(s, "Spark executed x8. Fire executed. Spark executed. ");
    assert_true(s->sparks.has_location && s->sparks.location.x == 10.0f);
    assert_true(s->sparks.magnitude == 28.0f);
    assert_int_equal(STATS(s).merged, 7);
    assert_int_equal(STATS(s).dropped, 0);
    execute(s, s->spark, 2);
    execute(s, s->spark, 3);
    update(s, 0);
    assert_true(s->params.magnitude == 5.0f);
}

static uint32_t traces_seen;

// One cue for all, from which each machine makes one for each.
static void read_traces(const kn_cue_call *call)
{
    const stage *s = call->user;
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
            kn_cue_local_execute(call->player, call->world, call->entity, s->fire_small, &params),
            KN_OK);
    }
}

// CUE-035, TVA-032: eight traces in the context of one effect are one cue that knows all of them.
static void one_effect_carries_the_traces_of_eight_pellets(void **state)
{
    stage *s = *state;
    play(s);
    kn_cue_handler_def def = handler_def(s, s->spark, KN_CUE_STATIC);
    def.executed = read_traces;
    assert_int_equal(kn_cue_handler_add(s->player, &def), KN_OK);
    handle(s, s->fire_small, KN_CUE_STATIC);
    kn_target_data data = {0};
    for (uint32_t i = 0; i < 8; i++) {
        kn_target_hit hit = {.entity = s->f.hero, .point = {(float)i, 0, 0}};
        assert_int_equal(kn_target_add(s->f.library, &data, kn_target_type_hit(), &hit), KN_OK);
    }
    kn_effect_context context = {.targets = data.bytes, .target_size = data.size};
    kn_effect_apply_def apply_def = kn_effect_apply_def_default();
    apply_def.type = s->hit;
    apply_def.source = s->f.foe;
    apply_def.target = s->f.hero;
    apply_def.context = &context;
    assert_int_equal(kn_effect_apply(s->f.world, &apply_def, NULL), KN_OK);
    traces_seen = 0;
    update(s, 0);
    EXPECT(s, "Spark executed. Small executed. Small executed. Small executed. Small executed. "
              "Small executed. Small executed. Small executed. Small executed. ");
    assert_int_equal(traces_seen, 8);
    assert_true(s->params.has_location && s->params.location.x == 7.0f); // of the last
}

// CUE-033: with a limit, the last call stands for what is beyond.
static void a_limited_burst_merges_what_is_beyond(void **state)
{
    stage *s = *state;
    s->def.merges = true;
    s->def.burst_limit = 3;
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 8; i++) {
        execute(s, s->spark, 1);
    }
    update(s, 0);
    EXPECT(s, "Spark executed. Spark executed. Spark executed x6. ");
    assert_true(s->params.magnitude == 6.0f);
}

// BEY-047: the latest wins within an update.
static void only_the_latest_change_is_told(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    apply(s, s->poison);
    update(s, 0);
    s->f.log[0] = 0;
    for (uint32_t i = 0; i < 3; i++) {
        apply(s, s->poison);
    }
    update(s, 0);
    EXPECT(s, "Fire(Big) updated. ");
    assert_int_equal(s->params.stacks, 4);
}

// Assets --------------------------------------------------------------------

static kn_cue_load load(void *user, kn_tag tag)
{
    stage *s = user;
    note(&s->f, "load %s. ", strrchr(kn_tag_name(s->f.library, tag), '.') + 1);
    return tag.index1 == s->listed.index1 ? KN_CUE_LOADED : s->answer;
}

// CUE-028, CUE-030, GAPA-041, OPT-006: loaded when first used, or all at once, or those that the
// host has loaded up front.
static void assets_are_loaded_on_use_or_up_front(void **state)
{
    stage *s = *state;
    s->def.load = load;
    play(s);
    handle(s, s->fire, KN_CUE_STATIC);
    handle(s, s->spark, KN_CUE_STATIC);
    EXPECT(s, "");
    execute(s, s->spark, 1);
    execute(s, s->spark, 1);
    update(s, 0);
    EXPECT(s, "load Spark. Spark executed. Spark executed. ");
    kn_cue_player_destroy(s->player);
    s->def.preload = KN_CUE_LOAD_ALL;
    play(s);
    handle(s, s->fire, KN_CUE_STATIC);
    handle(s, s->spark, KN_CUE_STATIC);
    EXPECT(s, "load Fire. load Spark. ");
    execute(s, s->fire, 1);
    execute(s, s->spark, 1);
    update(s, 0);
    EXPECT(s, "Fire executed. Spark executed. ");
    kn_cue_player_destroy(s->player);
    s->def.preload = KN_CUE_LOAD_ON_USE;
    s->answer = KN_CUE_LOADING;
    s->listed = s->spark;
    play(s);
    handle(s, s->fire, KN_CUE_STATIC);
    handle(s, s->spark, KN_CUE_STATIC);
    execute(s, s->fire, 1);
    execute(s, s->spark, 1);
    update(s, 0);
    EXPECT(s, "load Fire. load Spark. Spark executed. ");
    kn_cue_player_loaded(s->player, s->f.world, s->fire, true); // later, whenever that is
    EXPECT(s, "Fire executed. ");
}

// CUE-045: who stands behind a cue may be gone before its assets are there.
static void cues_do_not_wait_for_who_is_gone(void **state)
{
    stage *s = *state;
    s->def.load = load;
    s->answer = KN_CUE_LOADING;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    apply(s, s->burn); // by the foe
    step(&s->f, 0);
    kn_cue_player_update(s->player, s->f.world);
    EXPECT(s, "load Fire. ");
    assert_int_equal(STATS(s).waiting, 1);
    assert_true(kn_entity_destroy(s->f.world, s->f.foe));
    update(s, 0);
    kn_cue_player_loaded(s->player, s->f.world, s->fire, true);
    EXPECT(s, "Fire active. Fire while. ");
    assert_int_equal(STATS(s).waiting, 0);
}

// CUE-030: what comes while loading is played afterwards, in order; what was removed
// meanwhile is not.
static void cues_wait_for_their_assets(void **state)
{
    stage *s = *state;
    s->def.load = load;
    s->answer = KN_CUE_LOADING;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    execute(s, s->fire, 1);
    add(s, s->fire_small);
    kn_effect_id poison = apply(s, s->poison);
    apply_to(s, s->burn, s->f.foe, s->f.foe);
    execute(s, s->spark, 1);
    step(&s->f, 0);
    kn_cue_player_update(s->player, s->f.world);
    EXPECT(s, "load Fire. load Spark. ");
    assert_int_equal(STATS(s).waiting, 4);
    apply(s, s->poison);
    take(s, s->fire_small);
    remove_effect(s, poison);
    update(s, 0);
    EXPECT(s, "");
    assert_int_equal(STATS(s).waiting, 3);
    kn_cue_player_loaded(s->player, s->f.world, s->fire, true);
    EXPECT(s, "Fire executed. Fire active. Fire while. ");
    assert_int_equal(STATS(s).waiting, 1);
    kn_cue_player_loaded(s->player, s->f.world, s->spark, false);
    EXPECT(s, "");
    execute(s, s->spark, 1);
    add(s, s->spark);
    update(s, 0);
    take(s, s->spark);
    update(s, 0);
    EXPECT(s, "");
    assert_int_equal(STATS(s).waiting, 0);
    assert_int_equal(STATS(s).mismatched, 0);
}

// CUE-030: the latest parameters are shown, and a late joiner's cue has no start.
static void a_waiting_cue_follows_its_changes(void **state)
{
    stage *s = *state;
    s->def.load = load;
    s->answer = KN_CUE_LOADING;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    apply(s, s->poison);
    step(&s->f, 0);
    kn_cue_player_join(s->player, s->f.world);
    apply(s, s->poison);
    update(s, 0);
    EXPECT(s, "load Fire. ");
    kn_cue_player_loaded(s->player, s->f.world, s->fire, true);
    EXPECT(s, "Fire(Big) while. ");
    assert_int_equal(s->params.stacks, 2);
}

// Resimulation --------------------------------------------------------------

// TVA-040, TVA-041, CUE-047, CUE-048, CUE-008: published again, played once.
static void what_happens_again_is_not_played_again(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    update(s, KN_MS(10));
    size_t size;
    void *bytes = snapshot(s, &size);
    for (uint32_t i = 0; i < 3; i++) {
        if (i > 0) {
            restore(s, bytes, size);
        }
        apply(s, s->hit);
        apply(s, s->hit);
        apply(s, s->burn);
        apply(s, s->poison);
        update(s, KN_MS(10));
        apply(s, s->poison);
        take(s, (add(s, s->spark), s->spark));
        update(s, KN_MS(10));
        kn_cue_player_settle(s->player, s->f.world);
    }
    EXPECT(s, "Spark executed. Spark executed. Fire active. Fire while. "
              "Spark active. Spark while. Spark removed. Fire(Big) updated x2. ");
    assert_int_equal(STATS(s).repeated, 14);
    assert_int_equal(STATS(s).cancelled, 0);
    assert_int_equal(STATS(s).mismatched, 0);
    free(bytes);
}

// TVA-041, CUE-048: rejected: what was shown is undone; what is new is played.
static void what_did_not_happen_is_taken_back(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    kn_effect_id burning = apply(s, s->burn);
    update(s, KN_MS(10));
    size_t size;
    void *bytes = snapshot(s, &size);
    execute(s, s->spark, 4);
    remove_effect(s, burning);
    update(s, KN_MS(10));
    add(s, s->fire_small);
    update(s, KN_MS(10));
    EXPECT(s, "Fire active. Fire while. Spark executed. Fire removed!. Fire(Small) active. "
              "Fire(Small) while. ");
    take(s, s->fire_small);
    add(s, s->spark);
    update(s, KN_MS(10));
    EXPECT(s, "Fire(Small) removed. Spark active. Spark while. ");

    restore(s, bytes, size);
    update(s, KN_MS(10));
    execute(s, s->fire_big, 1);
    update(s, KN_MS(10));
    EXPECT(s, "Fire(Big) executed. ");
    kn_cue_player_settle(s->player, s->f.world);
    EXPECT(s, "Spark cancelled!. Spark removed!. Fire while. ");
    assert_int_equal(STATS(s).cancelled, 1);
    assert_int_equal(STATS(s).instances, 1);
    kn_cue_player_settle(s->player, s->f.world);
    update(s, KN_MS(10));
    EXPECT(s, "");
    remove_effect(s, burning);
    update(s, KN_MS(10));
    EXPECT(s, "Fire removed!. ");
    free(bytes);
}

// CUE-048: what is cancelled has its parameters; merged ones are cancelled together.
static void a_cancelled_burst_is_cancelled_once(void **state)
{
    stage *s = *state;
    s->def.merges = true;
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    update(s, KN_MS(10));
    size_t size;
    void *bytes = snapshot(s, &size);
    for (uint32_t round = 0; round < 3; round++) {
        if (round > 0) {
            restore(s, bytes, size);
        }
        for (uint32_t i = round; i < 2; i++) {
            execute(s, s->spark, 1);
        }
        update(s, KN_MS(10));
        kn_cue_player_settle(s->player, s->f.world);
        EXPECT(s, round == 0 ? "Spark executed x2. " : round == 1 ? "" : "Spark cancelled x2!. ");
    }
    assert_true(s->params.magnitude == 2.0f);
    free(bytes);
}

// TVA-041: the hand-over to another effect with the same cue is not seen, nor is a change that
// never happened kept.
static void another_effect_takes_over_unseen(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    apply(s, s->poison);
    update(s, KN_MS(10));
    size_t size;
    void *bytes = snapshot(s, &size);
    kn_effect_id other = apply_to(s, s->burn, s->f.foe, s->f.foe);
    apply(s, s->poison);
    update(s, KN_MS(10));
    s->f.log[0] = 0;
    restore(s, bytes, size);
    add(s, s->spark); // unhandled, but an effect of another number follows
    kn_effect_id first = apply_to(s, s->burn_too, s->f.foe, s->f.foe);
    kn_effect_id second = apply_to(s, s->burn, s->f.foe, s->f.foe);
    assert_false(kn_effect_id_equal(other, second));
    remove_effect(s, first);
    update(s, KN_MS(10));
    kn_cue_player_settle(s->player, s->f.world);
    EXPECT(s, "Fire(Big) updated. ");
    assert_int_equal(s->params.stacks, 1);
    remove_effect(s, second);
    update(s, KN_MS(10));
    EXPECT(s, "Fire removed!. ");
    assert_int_equal(STATS(s).instances, 1);
    assert_int_equal(STATS(s).mismatched, 0);
    free(bytes);
}

// CUE-047: calls at the very time of the snapshot, published by a step of length 0 or the next one.
static void what_was_asked_for_at_the_time_of_the_snapshot_is_told_once(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    update(s, KN_MS(10));
    size_t size;
    void *bytes = snapshot(s, &size);
    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0) {
            restore(s, bytes, size);
        }
        execute(s, s->spark, 1);
        update(s, 0);
        execute(s, s->spark, 1);
        update(s, KN_MS(10));
        kn_cue_player_settle(s->player, s->f.world);
        EXPECT(s, i == 0 ? "Spark executed. Spark executed. " : "");
    }
    free(bytes);
}

// CUE-048: once confirmed, it is not undone; and the log does not grow for ever.
static void what_is_old_or_confirmed_is_forgotten(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->spark, KN_CUE_STATIC);
    execute(s, s->spark, 1);
    update(s, KN_MS(10));
    kn_cue_player_confirm(s->player, KN_MS(20));
    kn_cue_player_rewind(s->player, 0);
    kn_cue_player_settle(s->player, s->f.world);
    EXPECT(s, "Spark executed. ");
    size_t most = 0;
    for (uint32_t i = 0; i < 6000; i++) {
        apply(s, s->hit);
        assert_int_equal(kn_world_step(s->f.world, KN_MS(10)), KN_OK);
        kn_cue_player_update(s->player, s->f.world);
        s->f.log[0] = 0;
        most = i == 2000 ? s->memory.bytes : most;
    }
    assert_true(s->memory.bytes <= most);
}

// CUE-048: a wait for assets is cancelled too.
static void a_waiting_cue_that_did_not_happen_is_not_shown(void **state)
{
    stage *s = *state;
    s->def.load = load;
    s->answer = KN_CUE_LOADING;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    update(s, KN_MS(10));
    size_t size;
    void *bytes = snapshot(s, &size);
    execute(s, s->fire, 1);
    add(s, s->fire);
    update(s, KN_MS(10));
    assert_int_equal(STATS(s).waiting, 2);
    restore(s, bytes, size);
    update(s, KN_MS(10));
    kn_cue_player_settle(s->player, s->f.world);
    assert_int_equal(STATS(s).waiting, 0);
    kn_cue_player_loaded(s->player, s->f.world, s->fire, true);
    EXPECT(s, "load Fire. ");
    free(bytes);
}

// Coming and going ----------------------------------------------------------

// GAPA-040: a cue that was added by itself is state, and whoever comes late meets it.
static void who_joins_late_meets_cues_of_no_effect(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    add(s, s->fire);
    step(&s->f, KN_S(1));
    step(&s->f, KN_S(1));
    kn_cue_player_join(s->player, s->f.world);
    EXPECT(s, "Fire while. ");
    assert_int_equal(kn_cue_remove(s->f.world, s->f.hero, s->fire), KN_OK);
    update(s, 0);
    EXPECT(s, "Fire removed. ");
    assert_int_equal(STATS(s).mismatched, 0);
}

// TVA-048, CUE-040
static void who_joins_late_meets_what_is_active(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    kn_effect_id effect = apply(s, s->burn);
    apply(s, s->hit);
    step(&s->f, KN_S(1));
    step(&s->f, KN_S(1));
    kn_cue_player_join(s->player, s->f.world);
    EXPECT(s, "Fire while. ");
    assert_true(kn_entity_id_equal(s->params.instigator, s->f.foe));
    kn_cue_player_join(s->player, s->f.world);
    update(s, 0);
    EXPECT(s, "");
    remove_effect(s, effect);
    update(s, 0);
    EXPECT(s, "Fire removed!. ");
    assert_int_equal(STATS(s).mismatched, 0);
}

// CUE-008: events that are still to be published do not count twice.
static void joining_between_step_and_update_counts_once(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    kn_effect_id effect = apply(s, s->burn);
    step(&s->f, 0);
    kn_cue_player_join(s->player, s->f.world);
    kn_cue_player_update(s->player, s->f.world);
    EXPECT(s, "Fire while. ");
    remove_effect(s, effect);
    update(s, 0);
    EXPECT(s, "Fire removed!. ");
}

// TVA-049, CUE-040
static void cues_follow_an_entity_in_and_out_of_sight(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    kn_effect_id effect = apply(s, s->burn);
    update(s, 0);
    EXPECT(s, "Fire active. Fire while. ");
    for (uint32_t i = 0; i < 2; i++) {
        kn_cue_player_leave(s->player, s->f.world, s->f.hero);
        kn_cue_player_leave(s->player, s->f.world, s->f.hero);
        EXPECT(s, "Fire removed!. ");
        apply(s, s->hit);
        kn_effect_id poison = apply(s, s->poison);
        update(s, 0);
        remove_effect(s, poison);
        update(s, 0);
        EXPECT(s, "");
        kn_cue_player_enter(s->player, s->f.world, s->f.hero);
        kn_cue_player_enter(s->player, s->f.world, s->f.hero);
        EXPECT(s, "Fire while. ");
    }
    remove_effect(s, effect);
    update(s, 0);
    EXPECT(s, "Fire removed!. ");
    assert_int_equal(STATS(s).mismatched, 0);
    kn_cue_player_leave(s->player, s->f.world, s->f.foe);
    assert_true(kn_entity_destroy(s->f.world, s->f.foe));
    update(s, 0);
    kn_cue_player_enter(s->player, s->f.world, s->f.foe);
    EXPECT(s, "");
}

// CUE-046: ids of another world mean something else, even where they are equal.
static void a_player_can_change_to_another_world(void **state)
{
    stage *s = *state;
    s->def.load = load;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    apply(s, s->burn);
    update(s, 0);
    s->answer = KN_CUE_LOADING;
    apply(s, s->hit);
    update(s, 0);
    s->f.log[0] = 0;
    kn_world *old = s->f.world;
    kn_world_def def = kn_world_def_default();
    begin_with(&s->f, def);
    apply(s, s->burn);
    update(s, 0);
    s->f.log[0] = 0;
    kn_cue_player_update(s->player, old);
    kn_world *fresh = s->f.world;
    kn_world_destroy(old);
    kn_cue_player_join(s->player, fresh);
    EXPECT(s, "Fire removed!. Fire while. ");
    kn_cue_player_loaded(s->player, fresh, s->spark, true);
    EXPECT(s, "");
    assert_int_equal(STATS(s).instances, 1);
}

// Local cues ----------------------------------------------------------------

// CUE-017, CUE-018, CUE-019, CUE-049, GAPA-037, OPT-006, TVA-055: also on entities that are
// suppressed.
static void local_cues_go_straight_to_the_handler(void **state)
{
    stage *s = *state;
    s->def.burst_limit = 1;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    assert_int_equal(kn_entity_suppress_cues(s->f.world, s->f.hero, true), KN_OK);
    apply(s, s->burn);
    update(s, 0);
    EXPECT(s, "");
    kn_cue_params params = kn_cue_params_default();
    params.source_object = 12;
    const kn_world *world = s->f.world;
    uint64_t hash = kn_world_hash(world);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_cue_local_execute(s->player, world, s->f.hero, s->fire_big, NULL), KN_OK);
    }
    EXPECT(s, "Fire(Big) executed. Fire(Big) executed. ");
    assert_int_equal(kn_cue_local_add(s->player, world, s->f.hero, s->fire, &params), KN_OK);
    assert_int_equal(kn_cue_local_add(s->player, world, s->f.hero, s->fire, NULL), KN_OK);
    EXPECT(s, "Fire active. Fire while. ");
    assert_int_equal(kn_cue_local_remove(s->player, world, s->f.hero, s->fire), KN_OK);
    EXPECT(s, "");
    assert_int_equal(kn_cue_local_remove(s->player, world, s->f.hero, s->fire), KN_OK);
    EXPECT(s, "Fire removed. ");
    assert_int_equal(s->params.source_object, 12);
    assert_true(kn_world_hash(world) == hash);
    // Nobody else hears of it: the world has nothing to tell, and another player shows nothing.
    assert_int_equal(kn_cue_local_add(s->player, world, s->f.hero, s->fire, NULL), KN_OK);
    EXPECT(s, "Fire active. Fire while. ");
    kn_cue_player *other;
    assert_int_equal(kn_cue_player_create(&s->def, &other), KN_OK);
    kn_cue_handler_def def = handler_def(s, s->fire, KN_CUE_INSTANCED);
    assert_int_equal(kn_cue_handler_add(other, &def), KN_OK);
    step(&s->f, 0);
    kn_cue_player_update(other, world);
    kn_cue_player_join(other, world);
    EXPECT(s, "");
    assert_int_equal(kn_cue_player_stats(other).played, 0);
    kn_cue_player_destroy(other);
}

// CUE-014: a track of a timeline plays what has a range from its start to its end, and what has
// not at its point.
static void a_timeline_plays_ranges_and_points(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    const kn_world *world = s->f.world;
    for (uint32_t frame = 0; frame < 10; frame++) {
        if (frame == 2) {
            assert_int_equal(kn_cue_local_add(s->player, world, s->f.hero, s->fire, NULL), KN_OK);
        } else if (frame == 5) {
            assert_int_equal(
                kn_cue_local_execute(s->player, world, s->f.hero, s->spark, NULL), KN_OK);
        } else if (frame == 8) {
            assert_int_equal(kn_cue_local_remove(s->player, world, s->f.hero, s->fire), KN_OK);
        }
        update(s, KN_MS(16));
        EXPECT(s, frame == 2   ? "Fire active. Fire while. "
                  : frame == 5 ? "Spark executed. "
                  : frame == 8 ? "Fire removed. "
                               : "");
    }
}

// CUE-020, GAPA-038
static void origins_are_kept_apart(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    const kn_world *world = s->f.world;
    add(s, s->fire);
    update(s, 0);
    assert_int_equal(
        kn_cue_local_remove(s->player, world, s->f.hero, s->fire), KN_REFUSED_NOT_FOUND);
    assert_int_equal(STATS(s).mismatched, 1);
    assert_int_equal(kn_cue_local_add(s->player, world, s->f.hero, s->fire, NULL), KN_OK);
    take(s, s->fire);
    assert_int_equal(kn_cue_remove(s->f.world, s->f.hero, s->fire), KN_REFUSED_NOT_FOUND);
    update(s, 0);
    kn_cue_player_join(s->player, world);
    EXPECT(s, "Fire active. Fire while. ");
    assert_int_equal(kn_cue_local_remove(s->player, world, s->f.hero, s->fire), KN_OK);
    EXPECT(s, "Fire removed. ");
    assert_int_equal(STATS(s).mismatched, 1);
    // Also without a handler.
    assert_int_equal(kn_cue_local_add(s->player, world, s->f.hero, s->spark, NULL), KN_OK);
    assert_int_equal(kn_cue_local_remove(s->player, world, s->f.hero, s->spark), KN_OK);
}

static void bad_local_cues_are_refused(void **state)
{
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    kn_world *world = s->f.world;
    kn_entity_id gone = s->f.foe;
    assert_true(kn_entity_destroy(world, gone));
    kn_tag bad = kn_tag_find(s->f.library, "GameplayCue");
    kn_cue_params params = kn_cue_params_default();
    params.magnitude = NAN;
    kn_cue_player *player = s->player;
    kn_entity_id hero = s->f.hero;
    assert_int_equal(kn_cue_local_execute(player, world, gone, s->fire, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_local_add(player, world, gone, s->fire, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_cue_local_execute(player, world, hero, bad, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(kn_cue_local_add(player, world, hero, bad, NULL), KN_REFUSED_REQUIREMENT);
    assert_int_equal(
        kn_cue_local_execute(player, world, hero, s->fire, &params), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_cue_local_add(player, world, hero, s->fire, &params), KN_REFUSED_BAD_NUMBER);
    EXPECT(s, "");
}

// Handlers that do more -----------------------------------------------------

static void restless_removed(const kn_cue_call *call)
{
    stage *s = call->user;
    note_call(call, "removed");
    kn_result expected = call->world != NULL ? KN_OK : KN_REFUSED_STALE_ID;
    for (uint32_t i = 0; i < 100; i++) { // tables grow meanwhile
        assert_int_equal(kn_cue_local_add(call->player, call->world,
                             i % 2 == 0 ? s->f.hero : s->f.foe, s->spark, NULL),
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
    stage *s = *state;
    play(s);
    kn_cue_handler_def restless = handler_def(s, s->fire, KN_CUE_INSTANCED);
    restless.removed = restless_removed;
    kn_cue_handler_def hasty = handler_def(s, s->fire_big, KN_CUE_INSTANCED);
    hasty.active = hasty_active;
    kn_cue_handler_def quiet = kn_cue_handler_def_default();
    quiet.tag = s->spark;
    assert_int_equal(kn_cue_handler_add(s->player, &restless), KN_OK);
    assert_int_equal(kn_cue_handler_add(s->player, &hasty), KN_OK);
    assert_int_equal(kn_cue_handler_add(s->player, &quiet), KN_OK);
    s->notes_slots = true;
    kn_effect_id effect = apply(s, s->burn);
    update(s, 0);
    remove_effect(s, effect);
    update(s, 0);
    EXPECT(s, "Fire active #1. Fire while #1. Fire removed #1!. Fire active #1. Fire while #1. ");
    assert_int_equal(STATS(s).instances, 1);
    assert_int_equal(kn_cue_local_remove(s->player, s->f.world, s->f.hero, s->fire), KN_OK);
    EXPECT(s, "Fire removed #101. Fire active #101. Fire while #101. ");
    kn_assert_set_handler(test_ignore_assert);
    assert_int_equal(kn_cue_local_add(s->player, s->f.world, s->f.hero, s->fire_big, NULL), KN_OK);
    kn_assert_set_handler(NULL);
    EXPECT(s, "Big active #2. Big removed #2. ");
    assert_true(kn_cue_handler_remove(s->player, s->fire));
    EXPECT(s, "Fire removed #201!. ");
}

// Memory --------------------------------------------------------------------

static void busy_step(stage *s, uint32_t round)
{
    kn_effect_id burning = apply(s, s->burn), poisoned = apply(s, s->poison);
    for (uint32_t i = 0; i < 100; i++) {
        execute(s, i % 2 == 0 ? s->spark : s->fire_small, 1);
    }
    (void)kn_cue_local_add(s->player, s->f.world, s->f.hero, s->fire, NULL);
    step(&s->f, KN_MS(10));
    kn_cue_player_update(s->player, s->f.world);
    if (round % 2 == 0) {
        kn_cue_player_leave(s->player, s->f.world, s->f.hero);
        kn_cue_player_enter(s->player, s->f.world, s->f.hero);
    }
    remove_effect(s, burning);
    remove_effect(s, poisoned);
    (void)kn_cue_local_remove(s->player, s->f.world, s->f.hero, s->fire);
    step(&s->f, KN_MS(10));
    kn_cue_player_update(s->player, s->f.world);
    kn_cue_player_confirm(s->player, kn_world_now(s->f.world));
    s->f.log[0] = 0;
}

// What is warm allocates nothing.
static void a_warm_update_does_not_allocate(void **state)
{
    stage *s = *state;
    s->def.merges = true;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    for (uint32_t i = 0; i < 4; i++) {
        busy_step(s, i);
    }
    uint64_t calls = s->memory.calls;
    for (uint32_t i = 0; i < 20; i++) {
        busy_step(s, i);
    }
    assert_int_equal(s->memory.calls, calls);
}

static void poor_round(stage *s)
{
    size_t size;
    void *bytes = snapshot(s, &size);
    for (uint32_t i = 0; i < 2; i++) {
        if (i > 0) {
            restore(s, bytes, size);
        }
        busy_step(s, 0);
        kn_cue_player_settle(s->player, s->f.world);
    }
    free(bytes);
}

// CUE-009: without memory cues are dropped and counted; nothing breaks, nothing stays behind.
static void without_memory_cues_are_dropped(void **state)
{
    stage *s = *state;
    bool is_done = false;
    uint32_t dropped = 0;
    for (uint64_t fail_at = 1; !is_done; fail_at++) {
        s->memory = (test_memory){.fail_at = fail_at};
        s->answer = fail_at % 2 == 0 ? KN_CUE_LOADING : KN_CUE_LOADED;
        s->def.load = load;
        kn_result result = kn_cue_player_create(&s->def, &s->player);
        if (result == KN_OK) {
            kn_cue_handler_def def = handler_def(s, s->fire, KN_CUE_INSTANCED);
            result = kn_cue_handler_add(s->player, &def);
            assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
            def.tag = s->spark;
            result = kn_cue_handler_add(s->player, &def);
            assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
            poor_round(s);
            kn_cue_player_loaded(s->player, s->f.world, s->fire, true);
            dropped += STATS(s).dropped;
            is_done = fail_at > s->memory.calls;
        } else {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(s->player);
        }
        kn_cue_player_destroy(s->player);
        s->player = NULL;
        assert_int_equal(s->memory.blocks, 0);
        s->f.log[0] = 0;
    }
    assert_true(dropped > 0);
}

// Everything at once --------------------------------------------------------

#define CROWD 4
#define CROWD_TAGS 3
#define FRAMES 8

typedef struct crowd {
    stage *s;
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
    stage *s = c->s;
    kn_world *world = s->f.world;
    kn_entity_id entity = c->entities[number % CROWD];
    kn_tag tag = c->tags[number / 8 % CROWD_TAGS];
    const kn_effect_type_id types[3] = {s->burn, s->burn_too, s->poison};
    kn_effect_id found[16];
    kn_effect_query query = kn_effect_query_default();
    switch (number / 64 % 5) {
    case 0:
        apply_to(s, types[number / 8 % 3], s->f.foe, entity);
        break;
    case 1: {
        uint32_t count = kn_effects_find(world, entity, &query, found, 16);
        if (count > 0) {
            remove_effect(s, found[number / 512 % (count < 16 ? count : 16)]);
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
            bool is_active = kn_cue_count(c->s->f.world, c->entities[i], c->tags[t]) > 0;
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
        step(&c->s->f, test_below(&c->random, 8) == 0 ? 0 : KN_MS(10));
        kn_cue_player_update(c->s->player, c->s->f.world);
    }
}

// CUE-008, CUE-009, CUE-047: whatever happens, again or differently, what is shown is what is
// active.
static void what_is_shown_is_what_is_active(void **state)
{
    stage *s = *state;
    play(s);
    crowd c = {.s = s, .tags = {s->fire, s->fire_big, s->spark}, .random = 7};
    for (uint32_t i = 0; i < CROWD; i++) {
        assert_int_equal(kn_entity_create(s->f.world, &c.entities[i]), KN_OK);
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
        assert_int_equal(kn_cue_handler_add(s->player, &def), KN_OK);
    }
    for (uint32_t round = 0; round < 80; round++) {
        uint32_t numbers[FRAMES][3] = {{0}};
        size_t size;
        void *bytes = snapshot(s, &size);
        crowd_frames(&c, numbers, 0);
        crowd_check(&c);
        for (uint32_t again = test_below(&c.random, 3); again > 0; again--) {
            restore(s, bytes, size);
            crowd_frames(&c, numbers, test_below(&c.random, FRAMES + 1));
            if (test_below(&c.random, 3) != 0) {
                kn_cue_player_settle(s->player, s->f.world);
                crowd_check(&c);
            }
        }
        kn_cue_player_settle(s->player, s->f.world);
        crowd_check(&c);
        kn_cue_player_confirm(s->player, kn_world_now(s->f.world));
        free(bytes);
    }
    assert_int_equal(STATS(s).mismatched, 0);
    assert_true(STATS(s).repeated > 200);
    kn_cue_player_destroy(s->player);
    s->player = NULL;
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
    stage *s = *state;
    play(s);
    reader r = {.count = 0};
    kn_cue_handler_def child = handler_def(s, s->fire_big, KN_CUE_STATIC);
    child.executed = read_record;
    child.user = &r;
    child.also_parent = true;
    kn_cue_handler_def parent = child;
    parent.tag = s->fire;
    assert_int_equal(kn_cue_handler_add(s->player, &child), KN_OK);
    assert_int_equal(kn_cue_handler_add(s->player, &parent), KN_OK);
    execute(s, s->fire_big, 3.0f);
    update(s, 0);
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
    stage *s = *state;
    play(s);
    handle(s, s->fire, KN_CUE_INSTANCED);
    handle(s, s->spark, KN_CUE_STATIC);
    kn_cue_player_def def = s->def;
    def.merges = true; // a second one, of other habits
    kn_cue_player *other;
    assert_int_equal(kn_cue_player_create(&def, &other), KN_OK);
    kn_cue_handler_def sparks = handler_def(s, s->spark, KN_CUE_STATIC);
    assert_int_equal(kn_cue_handler_add(other, &sparks), KN_OK);
    manager own = {.shown = 0};
    kn_effect_id effect = apply(s, s->burn);
    execute(s, s->spark, 1.5f);
    execute(s, s->spark, 2.5f);
    update(s, KN_MS(10));
    manager_update(&own, s->f.world);
    EXPECT(s, "Fire active. Fire while. Spark executed. Spark executed. ");
    assert_true(own.shown == 1 && own.executed == 2 && own.sum == 4.0f);
    kn_cue_player_update(other, s->f.world);
    EXPECT(s, "Spark executed x2. ");
    remove_effect(s, effect);
    update(s, KN_MS(10));
    manager_update(&own, s->f.world);
    EXPECT(s, "Fire removed!. ");
    assert_int_equal(own.shown, 0);
    kn_cue_player_destroy(other);
}

// CUE-041: what happens every frame is up to the instance, which the slot leads to.
static void while_active_is_told_once_however_long_it_lasts(void **state)
{
    stage *s = *state;
    play(s);
    s->notes_slots = true;
    handle(s, s->fire, KN_CUE_INSTANCED);
    apply(s, s->burn);
    update(s, KN_MS(10));
    EXPECT(s, "Fire active #1. Fire while #1. ");
    for (uint32_t i = 0; i < 20; i++) {
        update(s, KN_MS(10));
    }
    EXPECT(s, "");
    assert_int_equal(STATS(s).instances, 1);
}

#define STAGE(test) cmocka_unit_test_setup_teardown(test, stage_setup, stage_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    return cmocka_run_group_tests(tests, NULL, NULL);
}
