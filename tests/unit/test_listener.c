// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "knack/knack.h"

#include "test_memory.h"

// What the tests are about: a few tags, two attributes, and effects of each kind.
typedef struct fixture {
    test_memory memory;
    kn_library *library;
    kn_world *world;
    kn_tag state, debuff, stun;
    kn_tag damage, fire_damage;
    kn_tag fire_cue, big_fire_cue;
    kn_attribute_set_id vitals;
    kn_attribute_id health, mana;
    kn_effect_type_id stun_effect; // infinite, grants stun
    kn_effect_type_id wound;       // instant, Health -10
    kn_effect_type_id blessing;    // infinite, Mana +5, stacks, with a cue
} fixture;

static kn_tag tag_add(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static void library_fill(fixture *f)
{
    kn_library *library = f->library;
    f->stun = tag_add(library, "State.Debuff.Stun");
    f->debuff = kn_tag_find(library, "State.Debuff");
    f->state = kn_tag_find(library, "State");
    f->fire_damage = tag_add(library, "Event.Damage.Fire");
    f->damage = kn_tag_find(library, "Event.Damage");
    f->big_fire_cue = tag_add(library, "Cue.Fire.Big");
    f->fire_cue = kn_tag_find(library, "Cue.Fire");

    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Health";
    attributes[0].default_value = 100.0f;
    attributes[1].name = "Mana";
    attributes[1].default_value = 50.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 2;
    assert_int_equal(kn_attribute_set_register(library, &set, &f->vitals, NULL), KN_OK);
    f->health = kn_attribute_find(library, "Vitals.Health");
    f->mana = kn_attribute_find(library, "Vitals.Mana");

    kn_effect_def stun = kn_effect_def_default();
    stun.name = "Stun";
    stun.duration_kind = KN_DURATION_INFINITE;
    stun.granted_tags = (kn_tags){&f->stun, 1};
    assert_int_equal(kn_effect_register(library, &stun, &f->stun_effect, NULL), KN_OK);

    kn_modifier_def hit = kn_modifier_constant(f->health, KN_OP_ADD, -10.0f);
    kn_effect_def wound = kn_effect_def_default();
    wound.name = "Wound";
    wound.modifiers = &hit;
    wound.modifier_count = 1;
    assert_int_equal(kn_effect_register(library, &wound, &f->wound, NULL), KN_OK);

    kn_modifier_def more = kn_modifier_constant(f->mana, KN_OP_ADD, 5.0f);
    kn_effect_def blessing = kn_effect_def_default();
    blessing.name = "Blessing";
    blessing.duration_kind = KN_DURATION_INFINITE;
    blessing.modifiers = &more;
    blessing.modifier_count = 1;
    blessing.stacking.kind = KN_STACK_BY_TARGET;
    blessing.cue_tags = (kn_tags){&f->big_fire_cue, 1};
    assert_int_equal(kn_effect_register(library, &blessing, &f->blessing, NULL), KN_OK);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
}

static fixture *fixture_create(uint64_t event_mask)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    kn_library_def library_def = kn_library_def_default();
    assert_int_equal(kn_library_create(&library_def, &f->library), KN_OK);
    library_fill(f);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &f->memory;
    def.event_mask &= event_mask;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    return f;
}

static int setup(void **state)
{
    *state = fixture_create(UINT64_MAX);
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->memory.fail_at = 0;
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

static void publish(fixture *f)
{
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
}

static kn_effect_id apply(fixture *f, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect;
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, (kn_entity_id){0}, target, 1.0f, &effect), KN_OK);
    return effect;
}

// A listener that writes down what it hears.
#define LOG_MAX 512

typedef struct call {
    int who;
    kn_event event;
} call;

typedef struct call_log {
    call calls[LOG_MAX];
    uint32_t count;
} call_log;

typedef struct ear {
    call_log *log;
    int who;
} ear;

static void hear(void *user, kn_world *world, const kn_event *event)
{
    const ear *self = user;
    (void)world;
    assert_true(self->log->count < LOG_MAX);
    self->log->calls[self->log->count++] = (call){self->who, *event};
}

static kn_listener_def listener_def(kn_event_type type, kn_listener_fn *function, void *user)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.function = function;
    def.user = user;
    return def;
}

static kn_listener_id add(fixture *f, const kn_listener_def *def)
{
    kn_listener_id id;
    assert_int_equal(kn_listener_add(f->world, def, &id), KN_OK);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static kn_listener_id listen(fixture *f, kn_event_type type, ear *self)
{
    kn_listener_def def = listener_def(type, hear, self);
    return add(f, &def);
}

// Tags ----------------------------------------------------------------------

// TAG-080 TAG-081 TVE-100
static void tag_listeners_hear_counts_or_comings_and_goings(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear counts = {&log, 1}, changes = {&log, 2};
    kn_entity_id entity = actor(f);
    kn_listener_def def = listener_def(KN_EVENT_TAG_COUNT, hear, &counts);
    def.entity = entity;
    def.tag = f->stun;
    add(f, &def);
    def.type = KN_EVENT_TAG_CHANGED;
    def.user = &changes;
    add(f, &def);

    kn_effect_id first = apply(f, f->stun_effect, entity);
    publish(f);
    assert_int_equal(log.count, 2);
    assert_int_equal(log.calls[0].who, 1);
    assert_int_equal(log.calls[0].event.data.tag.tag.index1, f->stun.index1);
    assert_int_equal(log.calls[0].event.data.tag.count, 1);
    assert_int_equal(log.calls[1].who, 2);
    assert_int_equal(log.calls[1].event.data.tag.count, 1);

    log.count = 0;
    kn_effect_id second = apply(f, f->stun_effect, entity);
    publish(f);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.calls[0].who, 1);
    assert_int_equal(log.calls[0].event.data.tag.count, 2);

    log.count = 0;
    assert_int_equal(kn_effect_remove(f->world, first, 0, KN_REMOVED_BY_CALL), KN_OK);
    publish(f);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.calls[0].event.data.tag.count, 1);

    log.count = 0;
    assert_int_equal(kn_effect_remove(f->world, second, 0, KN_REMOVED_BY_CALL), KN_OK);
    publish(f);
    assert_int_equal(log.count, 2);
    assert_int_equal(log.calls[0].event.data.tag.count, 0);
    assert_int_equal(log.calls[1].who, 2);
    assert_int_equal(log.calls[1].event.data.tag.count, 0);
    assert_false(kn_entity_has_tag(f->world, entity, f->stun));
}

// A listener that sees the whole table at once, and changes it.
typedef struct tag_probe {
    fixture *f;
    uint32_t heard[8];
    kn_event_type types[8];
    uint32_t count;
    bool was_complete;
} tag_probe;

static void probe_tags(void *user, kn_world *world, const kn_event *event)
{
    tag_probe *probe = user;
    probe->was_complete = probe->was_complete &&
                          kn_entity_has_tag(world, event->entity, probe->f->stun) &&
                          kn_entity_has_tag(world, event->entity, probe->f->state);
    assert_true(probe->count < 8);
    probe->types[probe->count] = event->type;
    probe->heard[probe->count++] = event->data.tag.tag.index1;
    if (probe->count == 1) {
        assert_int_equal(
            kn_entity_add_tag(world, event->entity, probe->f->fire_cue, KN_TAG_ORIGIN_LOOSE, 1),
            KN_OK);
        assert_int_equal(
            kn_entity_add_tag(world, event->entity, probe->f->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    }
}

// TAG-082
static void tag_listeners_run_after_all_counts_from_the_tag_to_its_root(void **state)
{
    fixture *f = *state;
    tag_probe probe = {.f = f, .was_complete = true};
    kn_entity_id entity = actor(f);
    kn_listener_def def = listener_def(KN_EVENT_TAG_CHANGED, probe_tags, &probe);
    add(f, &def); // the order of registration does not matter here
    def.type = KN_EVENT_TAG_COUNT;
    add(f, &def);
    assert_int_equal(kn_entity_add_tag(f->world, entity, f->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    publish(f);
    assert_int_equal(probe.count, 6);
    assert_true(probe.was_complete);
    uint32_t chain[3] = {f->stun.index1, f->debuff.index1, f->state.index1};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(probe.heard[2 * i], chain[i]);
        assert_int_equal(probe.types[2 * i], KN_EVENT_TAG_COUNT);
        assert_int_equal(probe.heard[2 * i + 1], chain[i]);
        assert_int_equal(probe.types[2 * i + 1], KN_EVENT_TAG_CHANGED);
    }
    // What it changed is published by the next step.
    assert_int_equal(kn_entity_tag_count(f->world, entity, f->stun), 2);
    probe.count = 1;
    publish(f);
    assert_int_equal(probe.count, 1 + 2 + 2 + 3); // Cue.Fire and Cue came, Stun and parents rose
}

// Attributes and effects ----------------------------------------------------

// ATT-050 ATT-051 ATT-052 ATT-053
static void attribute_listeners_get_old_and_new_value_and_the_effect(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear health = {&log, 1}, mana = {&log, 2};
    kn_entity_id entity = actor(f);
    kn_listener_def def = listener_def(KN_EVENT_ATTRIBUTE_CHANGED, hear, &health);
    def.entity = entity;
    def.attribute = f->health;
    add(f, &def);
    def.attribute = f->mana;
    def.user = &mana;
    add(f, &def);
    publish(f);
    log.count = 0;

    apply(f, f->wound, entity);
    apply(f, f->wound, entity);
    kn_effect_id blessing = apply(f, f->blessing, entity);
    publish(f);
    assert_int_equal(log.count, 3);
    assert_int_equal(log.calls[0].who, 1);
    assert_float_equal(log.calls[0].event.data.attribute.old_value, 100.0f, 0.0f);
    assert_float_equal(log.calls[0].event.data.attribute.new_value, 90.0f, 0.0f);
    assert_true(kn_effect_id_is_null(log.calls[0].event.data.attribute.effect));
    assert_float_equal(log.calls[1].event.data.attribute.old_value, 90.0f, 0.0f);
    assert_float_equal(log.calls[1].event.data.attribute.new_value, 80.0f, 0.0f);
    assert_int_equal(log.calls[2].who, 2);
    assert_float_equal(log.calls[2].event.data.attribute.old_value, 50.0f, 0.0f);
    assert_float_equal(log.calls[2].event.data.attribute.new_value, 55.0f, 0.0f);
    assert_true(kn_effect_id_equal(log.calls[2].event.data.attribute.effect, blessing));

    log.count = 0;
    assert_int_equal(kn_effect_remove(f->world, blessing, 0, KN_REMOVED_BY_CALL), KN_OK);
    publish(f);
    assert_int_equal(log.count, 1);
    assert_float_equal(log.calls[0].event.data.attribute.old_value, 55.0f, 0.0f);
    assert_float_equal(log.calls[0].event.data.attribute.new_value, 50.0f, 0.0f);
}

static void heal(void *user, kn_world *world, const kn_event *event)
{
    const fixture *f = user;
    if (event->data.attribute.new_value < 95.0f) {
        assert_int_equal(kn_attribute_set_base(world, event->entity, f->health, 0, 100.0f), KN_OK);
    }
}

// ATT-054: reactions of the host belong into listeners.
static void attribute_listener_may_write_the_attribute(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = actor(f);
    kn_listener_def def = listener_def(KN_EVENT_ATTRIBUTE_CHANGED, heal, f);
    def.attribute = f->health;
    add(f, &def);
    apply(f, f->wound, entity);
    assert_float_equal(kn_attribute_value(f->world, entity, f->health), 90.0f, 0.0f);
    publish(f);
    assert_float_equal(kn_attribute_value(f->world, entity, f->health), 100.0f, 0.0f);
    publish(f); // its own change comes by, and needs nothing
    assert_float_equal(kn_attribute_value(f->world, entity, f->health), 100.0f, 0.0f);
}

// EFF-032 EFF-035
static void effect_listeners_hear_active_effects_only(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear applied = {&log, 1}, removed = {&log, 2};
    kn_entity_id entity = actor(f);
    listen(f, KN_EVENT_EFFECT_APPLIED, &applied);
    listen(f, KN_EVENT_EFFECT_REMOVED, &removed);
    apply(f, f->wound, entity);
    kn_effect_id stun = apply(f, f->stun_effect, entity);
    publish(f);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.calls[0].who, 1);
    assert_true(kn_entity_id_equal(log.calls[0].event.entity, entity));
    assert_true(kn_effect_id_equal(log.calls[0].event.data.effect.effect, stun));
    assert_int_equal(log.calls[0].event.data.effect.type.index1, f->stun_effect.index1);

    log.count = 0;
    assert_int_equal(kn_effect_remove(f->world, stun, 0, KN_REMOVED_DISPELLED), KN_OK);
    publish(f);
    assert_int_equal(log.count, 1);
    assert_int_equal(log.calls[0].who, 2);
    assert_true(kn_effect_id_equal(log.calls[0].event.data.effect.effect, stun));
    assert_int_equal(log.calls[0].event.data.effect.reason, KN_REMOVED_DISPELLED);
    assert_true(kn_removal_is_premature(log.calls[0].event.data.effect.reason));
}

// STK-012
static void stack_listener_gets_old_and_new_count(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear stacks = {&log, 1};
    kn_entity_id entity = actor(f);
    listen(f, KN_EVENT_EFFECT_STACKS, &stacks);
    kn_effect_id effect = apply(f, f->blessing, entity);
    apply(f, f->blessing, entity);
    apply(f, f->blessing, entity);
    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_BY_CALL), KN_OK);
    publish(f);
    assert_int_equal(log.count, 3);
    uint32_t expected[3][2] = {{1, 2}, {2, 3}, {3, 2}};
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(kn_effect_id_equal(log.calls[i].event.data.effect.effect, effect));
        assert_int_equal(log.calls[i].event.data.effect.old_count, expected[i][0]);
        assert_int_equal(log.calls[i].event.data.effect.count, expected[i][1]);
    }
}

// Changing the list while it is called --------------------------------------

typedef struct changer {
    fixture *f;
    call_log *log;
    ear late;              // added while events come by
    kn_listener_id victim; // removed
    kn_listener_id self;
    bool done;
} changer;

static void change_list(void *user, kn_world *world, const kn_event *event)
{
    changer *c = user;
    hear(&(ear){c->log, 1}, world, event);
    if (c->done) {
        return;
    }
    c->done = true;
    assert_true(kn_listener_remove(world, c->victim));
    assert_false(kn_listener_remove(world, c->victim));
    assert_true(kn_listener_remove(world, c->self));
    // Many, so that the list moves.
    for (uint32_t i = 0; i < 50; i++) {
        kn_listener_def def = listener_def(KN_EVENT_ATTRIBUTE_CHANGED, hear, &c->late);
        kn_listener_id id;
        assert_int_equal(kn_listener_add(world, &def, &id), KN_OK);
        if (i > 0) {
            assert_true(kn_listener_remove(world, id));
        }
    }
}

// VER-003, ABI-055
static void list_may_change_while_it_is_called(void **state)
{
    fixture *f = *state;
    kn_entity_id entity = actor(f);
    publish(f);
    call_log log = {.count = 0};
    changer c = {.f = f, .log = &log, .late = {&log, 3}};
    ear victim = {&log, 2}, last = {&log, 4};
    kn_listener_def def = listener_def(KN_EVENT_ATTRIBUTE_CHANGED, change_list, &c);
    c.self = add(f, &def);
    c.victim = listen(f, KN_EVENT_ATTRIBUTE_CHANGED, &victim);
    kn_listener_id kept = listen(f, KN_EVENT_ATTRIBUTE_CHANGED, &last);
    assert_int_equal(kn_listener_count(f->world), 3);

    apply(f, f->wound, entity);
    apply(f, f->wound, entity);
    publish(f);
    // First event: the changer and the last; the victim is gone and the late one is too new.
    int expected[] = {1, 4, 4, 3};
    assert_int_equal(log.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(log.calls[i].who, expected[i]);
    }
    assert_int_equal(kn_listener_count(f->world), 2);
    assert_true(kn_listener_remove(f->world, kept)); // its id is still good
    assert_false(kn_listener_remove(f->world, kept));
    assert_int_equal(kn_listener_count(f->world), 1);
}

static void step_again(void *user, kn_world *world, const kn_event *event)
{
    (void)event;
    *(kn_result *)user = kn_world_step(world, 1);
}

static void step_from_a_listener_is_refused(void **state)
{
    fixture *f = *state;
    kn_result result = KN_OK;
    kn_listener_def def = listener_def(KN_EVENT_ENTITY_CREATED, step_again, &result);
    add(f, &def);
    actor(f);
    publish(f);
    assert_int_equal(result, KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_world_now(f->world), 0);
    assert_int_equal(kn_world_step(f->world, 1), KN_OK);
}

// Owners --------------------------------------------------------------------

// GAPE-034
static void listener_dies_with_its_owner(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear bound = {&log, 1}, end = {&log, 2}, other = {&log, 3};
    kn_entity_id owner = actor(f), target = actor(f);
    publish(f);
    kn_listener_def def = listener_def(KN_EVENT_ATTRIBUTE_CHANGED, hear, &bound);
    def.owner = owner;
    kn_listener_id id = add(f, &def);
    def.type = KN_EVENT_ENTITY_DESTROYED;
    def.user = &end;
    add(f, &def);
    listen(f, KN_EVENT_ATTRIBUTE_CHANGED, &other);

    apply(f, f->wound, target);
    assert_true(kn_entity_destroy(f->world, owner));
    apply(f, f->wound, target);
    publish(f);
    // What happened before its owner's end it heard, that end too, and nothing after it.
    int expected[] = {1, 3, 2, 3};
    assert_int_equal(log.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(log.calls[i].who, expected[i]);
    }
    assert_int_equal(kn_listener_count(f->world), 1);
    assert_false(kn_listener_remove(f->world, id));

    // A new entity in the old place is not the owner.
    kn_entity_id next = actor(f);
    assert_int_equal(next.index1, owner.index1);
    kn_listener_id refused;
    assert_int_equal(kn_listener_add(f->world, &def, &refused), KN_REFUSED_STALE_ID);
    assert_int_equal(refused.index1, 0);
}

static void kill_owner(void *user, kn_world *world, const kn_event *event)
{
    (void)event;
    kn_entity_destroy(world, *(kn_entity_id *)user);
}

static void owner_that_dies_in_a_call_takes_its_listeners_along(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear bound = {&log, 1};
    kn_entity_id owner = actor(f), target = actor(f);
    publish(f);
    kn_listener_def def = listener_def(KN_EVENT_ATTRIBUTE_CHANGED, kill_owner, &owner);
    add(f, &def);
    def = listener_def(KN_EVENT_EFFECT_APPLIED, hear, &bound);
    def.owner = owner;
    add(f, &def);
    apply(f, f->wound, target);
    publish(f);
    assert_int_equal(kn_listener_count(f->world), 1);
    apply(f, f->stun_effect, target);
    publish(f);
    assert_int_equal(log.count, 0);
}

// Filters -------------------------------------------------------------------

static void null_filters_hear_everything_others_only_their_own(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear any = {&log, 1}, by_entity = {&log, 2}, by_type = {&log, 3}, by_effect = {&log, 4};
    kn_entity_id a = actor(f), b = actor(f);
    kn_effect_id mine = apply(f, f->stun_effect, a);
    publish(f);
    listen(f, KN_EVENT_EFFECT_REMOVED, &any);
    kn_listener_def def = listener_def(KN_EVENT_EFFECT_REMOVED, hear, &by_entity);
    def.entity = b;
    add(f, &def);
    def = listener_def(KN_EVENT_EFFECT_REMOVED, hear, &by_type);
    def.effect_type = f->blessing;
    add(f, &def);
    def = listener_def(KN_EVENT_EFFECT_REMOVED, hear, &by_effect);
    def.effect = mine;
    def.attribute = f->health; // these events have none, so it says nothing
    add(f, &def);

    kn_effect_id stun = apply(f, f->stun_effect, b);
    kn_effect_id blessing = apply(f, f->blessing, a);
    assert_int_equal(kn_effect_remove(f->world, stun, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_effect_remove(f->world, blessing, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_effect_remove(f->world, mine, 0, KN_REMOVED_BY_CALL), KN_OK);
    publish(f);
    int expected[] = {1, 2, 1, 3, 1, 4};
    assert_int_equal(log.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(log.calls[i].who, expected[i]);
    }
}

static void parents_hear_records_below_and_cues_are_exact(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear parent = {&log, 1}, child = {&log, 2}, cue_parent = {&log, 3}, cue_own = {&log, 4};
    kn_entity_id entity = actor(f);
    kn_listener_def def = listener_def(KN_EVENT_RECORD, hear, &parent);
    def.tag = f->damage;
    add(f, &def);
    def.tag = f->fire_damage;
    def.user = &child;
    add(f, &def);
    def = listener_def(KN_EVENT_CUE, hear, &cue_parent);
    def.tag = f->fire_cue;
    add(f, &def);
    def.tag = f->big_fire_cue;
    def.user = &cue_own;
    add(f, &def);
    assert_int_equal(kn_event_send(f->world, entity, f->fire_damage, NULL), KN_OK);
    assert_int_equal(kn_event_send(f->world, entity, f->damage, NULL), KN_OK);
    apply(f, f->blessing, entity);
    publish(f);
    int expected[] = {1, 2, 1, 4};
    assert_int_equal(log.count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(log.calls[i].who, expected[i]);
    }
    assert_int_equal(log.calls[3].event.data.cue.action, KN_CUE_ADDED);
}

static void many_listeners_are_called_in_order_of_registration(void **state)
{
    fixture *f = *state;
    enum { ACTORS = 300 }; // more than there are chains, so that chains are shared
    static kn_entity_id entities[ACTORS];
    static ear ears[3 * ACTORS];
    static kn_listener_id ids[3 * ACTORS];
    call_log log = {.count = 0};
    for (int i = 0; i < ACTORS; i++) {
        entities[i] = actor(f);
    }
    publish(f);
    for (int i = 0; i < 3 * ACTORS; i++) {
        ears[i] = (ear){&log, i};
        kn_listener_def def = listener_def(
            i % 3 == 1 ? KN_EVENT_EFFECT_APPLIED : KN_EVENT_ATTRIBUTE_CHANGED, hear, &ears[i]);
        def.entity = i % 100 == 0 ? (kn_entity_id){0} : entities[i % ACTORS];
        ids[i] = add(f, &def);
    }
    // Most go, in an order of their own; the others keep their ids and their order.
    for (int i = 3 * ACTORS - 1; i >= 0; i--) {
        if (i % 7 != 0) {
            assert_true(kn_listener_remove(f->world, ids[i]));
        }
    }
    uint32_t live = (3 * ACTORS + 6) / 7;
    assert_int_equal(kn_listener_count(f->world), live);
    for (int e = 0; e < ACTORS; e += 11) {
        log.count = 0;
        apply(f, f->wound, entities[e]);
        publish(f);
        uint32_t at = 0;
        for (int i = 0; i < 3 * ACTORS; i += 7) {
            if (i % 3 != 1 && (i % 100 == 0 || i % ACTORS == e)) {
                assert_true(at < log.count);
                assert_int_equal(log.calls[at++].who, i);
            }
        }
        assert_int_equal(at, log.count);
    }
    for (int i = 0; i < 3 * ACTORS; i++) {
        assert_int_equal(kn_listener_remove(f->world, ids[i]), i % 7 == 0);
    }
    assert_int_equal(kn_listener_count(f->world), 0);
}

// What is recorded ----------------------------------------------------------

static void world_records_only_what_somebody_wants(void **state)
{
    (void)state;
    fixture *f = fixture_create(0);
    call_log log = {.count = 0};
    ear changes = {&log, 1};
    kn_entity_id entity = actor(f);
    apply(f, f->stun_effect, entity);
    publish(f);
    assert_int_equal(kn_world_events(f->world).count, 0);

    kn_listener_id id = listen(f, KN_EVENT_TAG_COUNT, &changes);
    apply(f, f->stun_effect, entity);
    publish(f);
    assert_int_equal(kn_world_events(f->world).count, 3); // the tag and its parents
    assert_int_equal(log.count, 3);

    // An owner's end must be heard of.
    kn_listener_def def = listener_def(KN_EVENT_EFFECT_APPLIED, hear, &changes);
    def.owner = entity;
    add(f, &def);
    assert_true(kn_listener_remove(f->world, id));
    assert_true(kn_entity_destroy(f->world, entity));
    publish(f);
    assert_int_equal(kn_world_events(f->world).count, 1);
    assert_int_equal(kn_world_events(f->world).data[0].type, KN_EVENT_ENTITY_DESTROYED);
    assert_int_equal(kn_listener_count(f->world), 0);

    actor(f);
    publish(f);
    assert_int_equal(kn_world_events(f->world).count, 0);
    void *pointer = f;
    teardown(&pointer);
}

// Refusals ------------------------------------------------------------------

static void bad_listeners_are_refused(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear self = {&log, 1};
    kn_assert_set_handler(test_ignore_assert);
    kn_listener_id id = {1, 1};
    kn_listener_def good = listener_def(KN_EVENT_ERROR, hear, &self);
    kn_listener_def def = good;
    def.cookie = 0;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(id.index1, 0);
    def = good;
    def.function = NULL;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_ERROR_INVALID_ARGUMENT);
    def = good;
    def.type = KN_EVENT_TYPE_COUNT;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_ERROR_INVALID_ARGUMENT);
    def = good;
    def.tag.index1 = kn_tag_count(f->library) + 1;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_ERROR_INVALID_ARGUMENT);
    def = good;
    def.attribute.index1 = kn_attribute_count(f->library) + 1;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_ERROR_INVALID_ARGUMENT);
    def = good;
    def.effect_type.index1 = 1000;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_listener_add(f->world, NULL, &id), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);

    assert_int_equal(kn_listener_count(f->world), 0);
    assert_false(kn_listener_remove(f->world, (kn_listener_id){0}));
    assert_false(kn_listener_remove(f->world, (kn_listener_id){7, 1}));
    assert_int_equal(kn_listener_add(f->world, &good, NULL), KN_OK); // its id is not needed
    assert_int_equal(kn_listener_count(f->world), 1);
}

static void without_memory_nothing_is_added(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear self = {&log, 1};
    kn_listener_def def = listener_def(KN_EVENT_ENTITY_CREATED, hear, &self);
    f->memory.fail_at = f->memory.calls + 1;
    kn_listener_id id;
    uint32_t added = 0;
    while (kn_listener_add(f->world, &def, &id) == KN_OK) {
        added++; // places that were there already
        assert_true(added < 1000);
    }
    assert_int_equal(id.index1, 0);
    assert_int_equal(kn_listener_count(f->world), added);
    f->memory.fail_at = 0;
    assert_int_equal(kn_listener_add(f->world, &def, &id), KN_OK);
    actor(f);
    publish(f);
    assert_int_equal(log.count, added + 1);
}

static void warm_publication_allocates_nothing(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear self = {&log, 1};
    kn_entity_id entity = actor(f);
    listen(f, KN_EVENT_ATTRIBUTE_CHANGED, &self);
    uint64_t calls = 0;
    for (uint32_t i = 0; i < 102; i++) {
        if (i == 2) { // events change places between two buffers
            calls = f->memory.calls;
        }
        apply(f, f->wound, entity);
        publish(f);
    }
    assert_int_equal(f->memory.calls, calls);
    assert_int_equal(log.count, 102);
}

// Reports -------------------------------------------------------------------

static void what_rules_report_is_an_event_and_no_state(void **state)
{
    fixture *f = *state;
    call_log log = {.count = 0};
    ear all = {&log, 1}, wound = {&log, 2}, mana = {&log, 3};
    kn_entity_id entity = actor(f);
    listen(f, KN_EVENT_ERROR, &all);
    kn_listener_def def = listener_def(KN_EVENT_ERROR, hear, &wound);
    def.effect_type = f->wound;
    add(f, &def);
    def = listener_def(KN_EVENT_ERROR, hear, &mana);
    def.attribute = f->mana;
    add(f, &def);
    publish(f);
    uint64_t hash = kn_world_hash(f->world);
    kn_event_error error = {.code = KN_ERROR_BAD_DATA, .detail = 12, .type = f->wound};
    assert_int_equal(kn_world_report(f->world, entity, &error), KN_OK);
    error = (kn_event_error){.code = KN_REFUSED_LIMIT, .attribute = f->mana};
    assert_int_equal(kn_world_report(f->world, (kn_entity_id){0}, &error), KN_OK);
    assert_true(kn_world_hash(f->world) == hash);
    publish(f);
    assert_int_equal(log.count, 4);
    assert_int_equal(log.calls[0].who, 1);
    assert_int_equal(log.calls[1].who, 2);
    assert_int_equal(log.calls[1].event.data.error.detail, 12);
    assert_true(kn_entity_id_equal(log.calls[1].event.entity, entity));
    assert_int_equal(log.calls[2].who, 1);
    assert_int_equal(log.calls[3].who, 3);
    assert_int_equal(log.calls[3].event.data.error.code, KN_REFUSED_LIMIT);
    char text[128];
    (void)kn_event_print(f->world, &log.calls[0].event, text, sizeof(text));
    assert_non_null(strstr(text, "error KN_ERROR_BAD_DATA in Wound, detail 12"));

    kn_assert_set_handler(test_ignore_assert);
    assert_int_equal(kn_world_report(f->world, entity, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_world_report(NULL, entity, &error), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static void without_memory_nothing_is_reported(void **state)
{
    fixture *f = *state;
    kn_event_error error = {.code = KN_ERROR_BAD_DATA};
    publish(f);
    f->memory.fail_at = f->memory.calls + 1;
    uint32_t told = 0;
    kn_result result;
    while ((result = kn_world_report(f->world, (kn_entity_id){0}, &error)) == KN_OK) {
        told++; // places that were there already
        assert_true(told < 100000);
    }
    assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
    assert_false(kn_world_is_broken(f->world));
    f->memory.fail_at = 0;
    assert_int_equal(kn_world_report(f->world, (kn_entity_id){0}, &error), KN_OK);
    publish(f);
    assert_int_equal(kn_world_events(f->world).count, told + 1);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(tag_listeners_hear_counts_or_comings_and_goings),
    TEST(tag_listeners_run_after_all_counts_from_the_tag_to_its_root),
    TEST(attribute_listeners_get_old_and_new_value_and_the_effect),
    TEST(attribute_listener_may_write_the_attribute),
    TEST(effect_listeners_hear_active_effects_only),
    TEST(stack_listener_gets_old_and_new_count),
    TEST(list_may_change_while_it_is_called),
    TEST(step_from_a_listener_is_refused),
    TEST(listener_dies_with_its_owner),
    TEST(owner_that_dies_in_a_call_takes_its_listeners_along),
    TEST(null_filters_hear_everything_others_only_their_own),
    TEST(parents_hear_records_below_and_cues_are_exact),
    TEST(many_listeners_are_called_in_order_of_registration),
    cmocka_unit_test(world_records_only_what_somebody_wants),
    TEST(bad_listeners_are_refused),
    TEST(without_memory_nothing_is_added),
    TEST(warm_publication_allocates_nothing),
    TEST(what_rules_report_is_an_event_and_no_state),
    TEST(without_memory_nothing_is_reported),
};

TEST_GROUP(test_listener, tests, NULL, NULL);
