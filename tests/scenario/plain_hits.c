// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A hit that only adds a constant to an attribute takes a short path, unless somebody follows what
// it changes. Each hit is registered in several ways with the same outcome, which take paths of
// different lengths: worlds that are hit in the one or the other way must give the same results,
// publish the same events for the same reasons, and end in the same state.

#include "scenario/effect_fixture.h"

#define ENTITIES 10  // that are compared
#define CROWD 460    // others: a large world checks its memory less often, and hits do not
#define LINKS_MAX 16 // of a chain of causes
#define FIELDS 5     // attributes that are compared

typedef enum way {
    SHORT,   // one modifier that adds a constant
    LONGER,  // the same with another operation, which does the same when it is executed
    LONGEST, // as the first, but clients do not predict it
    WAYS,
} way;

typedef enum kind {
    HIT,
    HEAL,
    TIRE,
    REST,
    CALM,
    ENRAGE,
    COOL,
    WARM,
    SADDEN,
    FLOOD,
    NOTHING,
    KINDS,
} kind;

typedef struct twins {
    fixture *f;
    kn_attribute_set_id body, extra;
    kn_attribute_id life, stamina, rage, heat, mood;
    kn_effect_type_id hits[KINDS][WAYS];
    kn_effect_type_id buff, ward, oath; // a modifier on life; gates on what is received, and done
    kn_world *worlds[WAYS];
    kn_entity_id entities[ENTITIES]; // the same ids in all worlds
    kn_entity_id gone;
    uint64_t versions[WAYS]; // since which changes are compared; 0: nothing is noted
    char said[WAYS][1024];   // by rules
    uint64_t random;
    uint32_t events, applied, refused;
} twins;

static uint32_t twins_random(twins *t, uint32_t limit)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(t->random >> 33) % limit;
}

static uint32_t twins_way(const twins *t, const kn_world *world)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        if (t->worlds[w] == world) {
            return w;
        }
    }
    fail();
    return WAYS;
}

// What a rule has seen.
static void twins_say(twins *t, const kn_world *world, const char *what, float value)
{
    char *text = t->said[twins_way(t, world)];
    size_t length = strlen(text);
    (void)snprintf(text + length, sizeof(t->said[0]) - length, "%s %g. ", what, (double)value);
}

// Definitions -----------------------------------------------------------------------

static void hit_register(
    twins *t, kind k, const char *name, kn_attribute_id attribute, float amount)
{
    static const char *const suffixes[WAYS] = {"", "Longer", "Longest"};
    for (uint32_t w = 0; w < WAYS; w++) {
        kn_modifier_def modifier =
            kn_modifier_constant(attribute, w == LONGER ? KN_OP_ADD_FINAL : KN_OP_ADD, amount);
        char text[64];
        (void)snprintf(text, sizeof text, "%s%s", name, suffixes[w]);
        kn_effect_def def = instant(text);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        def.predict = w != LONGEST;
        t->hits[k][w] = effect_register(t->f, &def);
    }
}

static kn_effect_type_id gate_register(
    fixture *f, const char *name, bool as_instigator, kn_attribute_id attribute)
{
    kn_gate_def gate = kn_gate_def_default();
    gate.as_instigator = as_instigator;
    gate.modifies = attribute;
    kn_effect_def def = infinite(name);
    def.gates = &gate;
    def.gate_count = 1;
    return effect_register(f, &def);
}

static void twins_register(twins *t, fixture *f)
{
    *t = (twins){.f = f, .random = 5};
    kn_attribute_def defs[] = {
        attribute_def("Life", 100),
        attribute_def("Stamina", 50),
        attribute_def("Rage", 10),
        attribute_def("Heat", 20),
    };
    defs[1].min = kn_limit_constant(30);
    defs[1].max = kn_limit_constant(60);
    defs[2].base_min = kn_limit_constant(0);
    defs[2].base_max = kn_limit_constant(40);
    defs[3].base_min = kn_limit_constant(-15);
    defs[3].base_max = kn_limit_constant(90);
    defs[3].min = kn_limit_constant(0);
    defs[3].max = kn_limit_constant(60);
    t->body = set_register(f, "Body", defs, COUNT(defs));
    kn_attribute_def mood = attribute_def("Mood", 5);
    t->extra = set_register(f, "Extra", &mood, 1);
    t->life = attribute_of(f, "Body", "Life");
    t->stamina = attribute_of(f, "Body", "Stamina");
    t->rage = attribute_of(f, "Body", "Rage");
    t->heat = attribute_of(f, "Body", "Heat");
    t->mood = attribute_of(f, "Extra", "Mood");
    hit_register(t, HIT, "Hit", t->life, -7.25f);
    hit_register(t, HEAL, "Heal", t->life, 3.5f);
    hit_register(t, TIRE, "Tire", t->stamina, -9.0f);
    hit_register(t, REST, "Rest", t->stamina, 8.0f);
    hit_register(t, CALM, "Calm", t->rage, -17.0f);
    hit_register(t, ENRAGE, "Enrage", t->rage, 13.0f);
    hit_register(t, COOL, "Cool", t->heat, -21.0f);
    hit_register(t, WARM, "Warm", t->heat, 34.0f);
    hit_register(t, SADDEN, "Sadden", t->mood, -1.0f);
    hit_register(t, FLOOD, "Flood", t->life, 3e38f);
    hit_register(t, NOTHING, "Nothing", t->life, 0.0f);
    t->buff = simple(f, "Buff", KN_DURATION_INFINITE, t->life, KN_OP_ADD, 11.0f);
    t->ward = gate_register(f, "Ward", false, t->life);
    t->oath = gate_register(f, "Oath", true, t->life);
}

// Worlds ----------------------------------------------------------------------------

static kn_result do_nothing(void *user, kn_world *world)
{
    (void)user;
    (void)world;
    return KN_OK;
}

// The first call after a step makes room in memory, and a hit takes the long path for it. Another
// call does that here.
static void twins_warm(const twins *t)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_world_call(t->worlds[w], do_nothing, NULL), KN_OK);
    }
}

static void twins_create(twins *t, uint32_t index)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(t->worlds[w], &entity), KN_OK);
        assert_true(w == 0 || kn_entity_id_equal(entity, t->entities[index]));
        t->entities[index] = entity;
    }
}

// All ways of a call have the same result.
static void twins_agree(const kn_result *results)
{
    for (uint32_t w = 1; w < WAYS; w++) {
        assert_int_equal(results[0], results[w]);
    }
}

static void twins_add(twins *t, uint32_t index, kn_attribute_set_id set)
{
    kn_result results[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        results[w] = kn_attribute_set_add(t->worlds[w], t->entities[index], set, 0);
    }
    twins_agree(results);
}

static void twins_remove(twins *t, uint32_t index, kn_attribute_set_id set)
{
    kn_result results[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        results[w] = kn_attribute_set_remove(t->worlds[w], t->entities[index], set, 0);
    }
    twins_agree(results);
}

static void twins_destroy(twins *t, uint32_t index)
{
    t->gone = t->entities[index];
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_true(kn_entity_destroy(t->worlds[w], t->gone));
    }
}

static void twins_base(twins *t, uint32_t index, kn_attribute_id attribute, float value)
{
    kn_result results[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        results[w] = kn_attribute_set_base(t->worlds[w], t->entities[index], attribute, 0, value);
    }
    twins_agree(results);
}

static void twins_avatar(twins *t, uint32_t owner, kn_entity_id avatar)
{
    kn_result results[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        results[w] = kn_entity_set_avatar(t->worlds[w], t->entities[owner], avatar);
    }
    twins_agree(results);
}

// The first four have a body, the first three more than that; 4 is an actor without a set, the
// others are bare entities.
static void twins_begin_with(twins *t, kn_world_def def)
{
    if (!kn_library_is_finished(t->f->library)) {
        library_finish(t->f);
    }
    for (uint32_t w = 0; w < WAYS; w++) {
        t->worlds[w] = world_of(t->f, def);
        t->said[w][0] = 0;
        t->versions[w] = 0;
    }
    for (uint32_t i = 0; i < ENTITIES; i++) {
        twins_create(t, i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        twins_add(t, i, t->body);
        if (i < 3) {
            twins_add(t, i, t->extra);
        }
    }
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_entity_make_actor(t->worlds[w], t->entities[4]), KN_OK);
        for (uint32_t i = 0; i < CROWD; i++) {
            kn_entity_id bystander;
            assert_int_equal(kn_entity_create(t->worlds[w], &bystander), KN_OK);
        }
        assert_int_equal(kn_world_step(t->worlds[w], 0), KN_OK);
    }
}

static kn_world_def masked(uint64_t without, uint64_t with)
{
    kn_world_def def = kn_world_def_default();
    def.event_mask = (def.event_mask & ~without) | with;
    return def;
}

#define BIT(type) (UINT64_C(1) << (type))

static void twins_begin(twins *t)
{
    twins_begin_with(t, kn_world_def_default());
}

static void twins_end(twins *t)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_true(kn_world_is_broken(t->worlds[w]) || kn_world_validate(t->worlds[w]));
        kn_world_destroy(t->worlds[w]);
        t->worlds[w] = NULL;
    }
}

// Comparing -------------------------------------------------------------------------

// The number of a type, which is the same for all ways of a hit.
static uint32_t type_of(const twins *t, kn_effect_type_id type)
{
    for (uint32_t k = 0; k < KINDS; k++) {
        for (uint32_t w = 0; w < WAYS; w++) {
            if (kn_effect_type_id_equal(type, t->hits[k][w])) {
                return t->hits[k][0].index1;
            }
        }
    }
    return type.index1;
}

static void assert_same_entity(kn_entity_id a, kn_entity_id b)
{
    assert_int_equal(a.index1, b.index1);
    assert_int_equal(a.generation, b.generation);
}

static void assert_same_effect(kn_effect_id a, kn_effect_id b)
{
    assert_int_equal(a.index1, b.index1);
    assert_int_equal(a.generation, b.generation);
}

static void assert_same_float(float a, float b)
{
    assert_memory_equal(&a, &b, sizeof(float));
}

// Two chains of causes, link by link.
static void causes_compare(const twins *t, uint32_t w, kn_cause cause)
{
    for (uint32_t i = 0; cause != 0 && i < LINKS_MAX; i++) {
        kn_cause_info a, b;
        assert_true(kn_cause_get(t->worlds[0], cause, &a));
        assert_true(kn_cause_get(t->worlds[w], cause, &b));
        assert_int_equal(a.parent, b.parent);
        assert_int_equal(a.kind, b.kind);
        assert_int_equal(a.depth, b.depth);
        assert_same_entity(a.entity, b.entity);
        assert_same_effect(a.effect, b.effect);
        assert_int_equal(type_of(t, a.type), type_of(t, b.type));
        assert_same_entity(a.source, b.source);
        assert_int_equal(a.tag.index1, b.tag.index1);
        assert_int_equal(a.ability.index1, b.ability.index1);
        assert_int_equal(a.command.index1, b.command.index1);
        assert_int_equal(a.system.index1, b.system.index1);
        assert_int_equal(a.custom.index1, b.custom.index1);
        cause = a.parent;
    }
}

static void event_data_compare(const twins *t, const kn_event *a, const kn_event *b)
{
    switch (a->type) {
    case KN_EVENT_ATTRIBUTE_CHANGED:
        assert_int_equal(a->data.attribute.attribute.index1, b->data.attribute.attribute.index1);
        assert_int_equal(a->data.attribute.key, b->data.attribute.key);
        assert_same_float(a->data.attribute.old_value, b->data.attribute.old_value);
        assert_same_float(a->data.attribute.new_value, b->data.attribute.new_value);
        assert_same_effect(a->data.attribute.effect, b->data.attribute.effect);
        break;
    case KN_EVENT_EFFECT_APPLIED:
    case KN_EVENT_EFFECT_EXECUTED:
    case KN_EVENT_EFFECT_REMOVED:
    case KN_EVENT_EFFECT_BLOCKED:
        assert_same_effect(a->data.effect.effect, b->data.effect.effect);
        assert_int_equal(type_of(t, a->data.effect.type), type_of(t, b->data.effect.type));
        assert_int_equal(a->data.effect.count, b->data.effect.count);
        assert_int_equal(a->data.effect.old_count, b->data.effect.old_count);
        assert_int_equal(a->data.effect.reason, b->data.effect.reason);
        assert_same_entity(a->data.effect.source, b->data.effect.source);
        if (a->type == KN_EVENT_EFFECT_BLOCKED) {
            assert_same_effect(a->data.effect.by, b->data.effect.by);
        } else {
            assert_same_float(a->data.effect.level, b->data.effect.level);
        }
        break;
    case KN_EVENT_EFFECT_REFUSED:
        assert_int_equal(type_of(t, a->data.refusal.type), type_of(t, b->data.refusal.type));
        assert_int_equal(a->data.refusal.reason, b->data.refusal.reason);
        assert_same_entity(a->data.refusal.source, b->data.refusal.source);
        assert_same_effect(a->data.refusal.by, b->data.refusal.by);
        break;
    case KN_EVENT_ERROR:
        assert_int_equal(a->data.error.code, b->data.error.code);
        assert_int_equal(a->data.error.detail, b->data.error.detail);
        assert_int_equal(type_of(t, a->data.error.type), type_of(t, b->data.error.type));
        assert_int_equal(a->data.error.attribute.index1, b->data.error.attribute.index1);
        break;
    case KN_EVENT_ABILITY_STATUS:
        assert_int_equal(a->data.ability.ability.index1, b->data.ability.ability.index1);
        assert_int_equal(a->data.ability.reasons, b->data.ability.reasons);
        break;
    default: // nothing that a hit brings about
        break;
    }
}

static void events_compare(const twins *t, uint32_t w)
{
    kn_events left = kn_world_events(t->worlds[0]), right = kn_world_events(t->worlds[w]);
    assert_int_equal(left.count, right.count);
    for (uint32_t i = 0; i < left.count; i++) {
        const kn_event *a = &left.data[i], *b = &right.data[i];
        assert_int_equal(a->type, b->type);
        assert_int_equal(a->cause, b->cause);
        assert_int_equal(a->time, b->time);
        assert_same_entity(a->entity, b->entity);
        event_data_compare(t, a, b);
        causes_compare(t, w, a->cause);
    }
}

static void values_compare(const twins *t, uint32_t w)
{
    const kn_attribute_id attributes[FIELDS] = {t->life, t->stamina, t->rage, t->heat, t->mood};
    const kn_world *a = t->worlds[0], *b = t->worlds[w];
    for (uint32_t i = 0; i < ENTITIES * FIELDS; i++) {
        kn_entity_id entity = t->entities[i / FIELDS];
        kn_attribute_id attribute = attributes[i % FIELDS];
        assert_same_float(
            kn_attribute_base(a, entity, attribute), kn_attribute_base(b, entity, attribute));
        assert_same_float(
            kn_attribute_value(a, entity, attribute), kn_attribute_value(b, entity, attribute));
    }
    assert_int_equal(kn_world_hash(a), kn_world_hash(b));
}

static void changes_compare(const twins *t, uint32_t w)
{
    kn_entity_id a = {0}, b = {0};
    do {
        a = kn_changes_next(t->worlds[0], t->versions[0], a);
        b = kn_changes_next(t->worlds[w], t->versions[w], b);
        assert_same_entity(a, b);
        kn_changes left = kn_changes_since(t->worlds[0], a, t->versions[0]);
        kn_changes right = kn_changes_since(t->worlds[w], b, t->versions[w]);
        assert_int_equal(left.changed, right.changed);
        assert_int_equal(left.computed, right.computed);
    } while (a.index1 != 0);
}

// Steps all worlds and compares them; returns the number of events.
static uint32_t twins_step(twins *t, kn_time dt)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_world_step(t->worlds[w], dt), KN_OK);
    }
    for (uint32_t w = 1; w < WAYS; w++) {
        events_compare(t, w);
        values_compare(t, w);
        changes_compare(t, w);
        assert_string_equal(t->said[0], t->said[w]);
    }
    for (uint32_t w = 0; w < WAYS; w++) {
        t->versions[w] = kn_changes_version(t->worlds[w]);
        t->said[w][0] = 0;
    }
    uint32_t count = kn_world_events(t->worlds[0]).count;
    t->events += count;
    return count;
}

// Acting ----------------------------------------------------------------------------

static void refusals_compare(const kn_effect_refusal *a, const kn_effect_refusal *b)
{
    assert_int_equal(a->reason, b->reason);
    assert_int_equal(a->from, b->from);
    assert_int_equal(a->tag.index1, b->tag.index1);
    assert_int_equal(a->attribute.index1, b->attribute.index1);
    assert_int_equal(a->modifier, b->modifier);
    assert_int_equal(a->fail, b->fail);
    assert_same_effect(a->effect, b->effect);
}

// Hits in each world, with what else is set in the def. What refuses nothing writes no refusal.
static kn_result twins_hit_def(twins *t, kind k, kn_effect_apply_def def)
{
    kn_result results[WAYS];
    kn_effect_refusal refusals[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        kn_effect_id effect = {77, 77};
        refusals[w] = (kn_effect_refusal){.reason = KN_OK, .modifier = 99};
        def.type = t->hits[k][w];
        def.refusal = &refusals[w];
        results[w] = kn_effect_apply(t->worlds[w], &def, &effect);
        assert_true(kn_effect_id_is_null(effect));
        refusals_compare(&refusals[0], &refusals[w]);
    }
    twins_agree(results);
    assert_true(kn_result_is_refused(results[0]) ? refusals[0].reason == results[0]
                                                 : refusals[0].modifier == 99);
    t->applied += results[0] == KN_OK;
    t->refused += kn_result_is_refused(results[0]);
    return results[0];
}

static kn_result twins_hit_id(twins *t, kind k, kn_entity_id source, kn_entity_id target)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.source = source;
    def.target = target;
    return twins_hit_def(t, k, def);
}

static kn_result twins_hit(twins *t, kind k, uint32_t source, uint32_t target)
{
    return twins_hit_id(t, k, t->entities[source], t->entities[target]);
}

// One hit in a step of its own.
static uint32_t twins_hit_alone(twins *t, kind k, uint32_t source, uint32_t target)
{
    twins_warm(t);
    assert_int_equal(twins_hit(t, k, source, target), KN_OK);
    return twins_step(t, KN_MS(1));
}

static kn_effect_id twins_apply(twins *t, kn_effect_type_id type, uint32_t target)
{
    kn_result results[WAYS];
    kn_effect_id effects[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        kn_entity_id entity = t->entities[target];
        results[w] = kn_effect_apply_simple(t->worlds[w], type, entity, entity, 1.0f, &effects[w]);
        assert_same_effect(effects[0], effects[w]);
    }
    twins_agree(results);
    return effects[0];
}

static void twins_end_effect(twins *t, kn_effect_id effect)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_effect_remove(t->worlds[w], effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    }
}

static void twins_follow(twins *t, bool is_on)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_changes_follow(t->worlds[w], is_on), KN_OK);
        t->versions[w] = kn_changes_version(t->worlds[w]);
    }
}

// What a world of the first way has.
static float twins_value(const twins *t, uint32_t index, kn_attribute_id attribute)
{
    return kn_attribute_value(t->worlds[0], t->entities[index], attribute);
}

static uint32_t twins_count(const twins *t, kn_event_type type)
{
    kn_events events = kn_world_events(t->worlds[0]);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

// One hit ---------------------------------------------------------------------------

static void a_hit_is_one_event_with_its_own_cause(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    twins_warm(&t);

    assert_int_equal(twins_hit(&t, HIT, 1, 0), KN_OK);
    assert_int_equal(twins_hit(&t, HEAL, 2, 0), KN_OK);
    assert_int_equal(twins_step(&t, KN_MS(7)), 2);

    for (uint32_t w = 0; w < WAYS; w++) {
        kn_events events = kn_world_events(t.worlds[w]);
        for (uint32_t i = 0; i < 2; i++) {
            const kn_event *event = &events.data[i];
            assert_int_equal(event->type, KN_EVENT_ATTRIBUTE_CHANGED);
            assert_int_equal(event->time, 0);
            assert_same_entity(event->entity, t.entities[0]);
            assert_int_equal(event->data.attribute.attribute.index1, t.life.index1);
            assert_int_equal(event->data.attribute.key, 0);
            assert_near(event->data.attribute.old_value, i == 0 ? 100.0f : 92.75f);
            assert_near(event->data.attribute.new_value, i == 0 ? 92.75f : 96.25f);
            assert_true(kn_effect_id_is_null(event->data.attribute.effect));
            kn_cause_info cause;
            assert_true(kn_cause_get(t.worlds[w], event->cause, &cause));
            assert_int_equal(cause.kind, KN_CAUSE_APPLY);
            assert_int_equal(cause.parent, 0);
            assert_int_equal(cause.depth, 0);
            assert_int_equal(cause.type.index1, t.hits[i == 0 ? HIT : HEAL][w].index1);
            assert_same_entity(cause.entity, t.entities[0]);
            assert_same_entity(cause.source, t.entities[i == 0 ? 1 : 2]);
        }
        assert_int_equal(events.data[1].cause, events.data[0].cause + 1);
    }
    // Another step, with other numbers and another time.
    assert_int_equal(twins_hit_alone(&t, HIT, 0, 0), 1);
    assert_int_equal(kn_world_events(t.worlds[0]).data[0].time, KN_MS(7));
    assert_near(twins_value(&t, 0, t.life), 89.0f);
    twins_end(&t);
}

static void any_source_and_any_target(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    twins_avatar(&t, 1, t.entities[8]);
    twins_destroy(&t, 3);
    (void)twins_step(&t, 0);
    // Those that can be hit, and the others.
    const kn_entity_id ids[] = {t.entities[0], t.entities[1], t.entities[4], t.entities[5],
        t.entities[8], t.gone, {0, 0}, {t.gone.index1, 0}, {t.entities[0].index1, 77}, {99999, 1},
        {UINT32_MAX, 1}, {0, 3}};
    const uint32_t count = COUNT(ids), alive = 5;
    const kind kinds[] = {HIT, CALM};
    for (uint32_t i = 0; i < COUNT(kinds) * count * count; i++) {
        twins_warm(&t);
        (void)twins_hit_id(&t, kinds[i % 2], ids[i / 2 % count], ids[i / 2 / count]);
        (void)twins_step(&t, KN_US(1));
    }
    assert_int_equal(t.applied, COUNT(kinds) * count * alive);
    assert_int_equal(t.refused, COUNT(kinds) * count * (count - alive));
    twins_end(&t);
}

static void a_body_is_hit_for_its_owner(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    twins_avatar(&t, 0, t.entities[8]);
    (void)twins_step(&t, 0);

    assert_int_equal(twins_hit_alone(&t, HIT, 1, 8), 1);

    const kn_event *event = &kn_world_events(t.worlds[0]).data[0];
    assert_same_entity(event->entity, t.entities[0]);
    kn_cause_info cause;
    assert_true(kn_cause_get(t.worlds[0], event->cause, &cause));
    assert_same_entity(cause.entity, t.entities[0]);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
    assert_int_equal(twins_hit_alone(&t, HIT, 8, 0), 1);
    assert_int_equal(twins_hit_alone(&t, HIT, 8, 8), 1);
    assert_near(twins_value(&t, 0, t.life), 71.0f);
    // The source is the owner, even if the body is another's by the time somebody asks.
    twins_warm(&t);
    assert_int_equal(twins_hit(&t, HIT, 8, 1), KN_OK);
    assert_int_equal(twins_hit(&t, HIT, 8, 8), KN_OK);
    twins_avatar(&t, 0, (kn_entity_id){0});
    twins_destroy(&t, 8);
    (void)twins_step(&t, KN_MS(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_cause_get(t.worlds[0], kn_world_events(t.worlds[0]).data[i].cause, &cause));
        assert_same_entity(cause.source, t.entities[0]);
    }
    twins_end(&t);
}

static void bad_numbers_and_unknown_types_are_refused(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    const float levels[] = {NAN, INFINITY, -INFINITY, 3e38f, -2.0f, 0.0f};
    for (uint32_t i = 0; i < COUNT(levels); i++) {
        kn_effect_apply_def def = kn_effect_apply_def_default();
        def.source = t.entities[1];
        def.target = t.entities[0];
        def.level = levels[i];
        twins_warm(&t);
        assert_int_equal(twins_hit_def(&t, HIT, def), i < 3 ? KN_REFUSED_BAD_NUMBER : KN_OK);
        (void)twins_step(&t, 0);
    }
    assert_near(twins_value(&t, 0, t.life), 78.25f);
    twins_warm(&t);
    kn_assert_set_handler(ignore_assert);
    const kn_effect_type_id unknown[] = {{0}, {9999}, {UINT32_MAX}};
    for (uint32_t w = 0; w < WAYS; w++) {
        for (uint32_t i = 0; i < COUNT(unknown); i++) {
            kn_effect_id effect = {77, 77};
            assert_int_equal(kn_effect_apply_simple(t.worlds[w], unknown[i], t.entities[1],
                                 t.entities[0], 1.0f, &effect),
                KN_ERROR_INVALID_ARGUMENT);
            assert_true(kn_effect_id_is_null(effect));
        }
        kn_effect_apply_def zero = {.type = t.hits[HIT][w],
            .target = t.entities[0],
            .duration = -1,
            .period = -1,
            .level = 1.0f};
        assert_int_equal(kn_effect_apply(t.worlds[w], &zero, NULL), KN_ERROR_INVALID_ARGUMENT);
    }
    kn_assert_set_handler(NULL);
    assert_int_equal(twins_step(&t, 0), 0);
    twins_end(&t);
}

static void more_than_a_level_counts_too(void **state)
{
    twins t;
    fixture *f = *state;
    twins_register(&t, f);
    kn_tag tag = tag_of(f, "School.Fire");
    kn_gate_def gate = kn_gate_def_default();
    gate.record.required = one(&tag);
    kn_effect_def ward_def = infinite("FireWard");
    ward_def.gates = &gate;
    ward_def.gate_count = 1;
    kn_effect_type_id ward = effect_register(f, &ward_def);
    twins_begin(&t);
    (void)twins_apply(&t, ward, 2);
    (void)twins_step(&t, 0);
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.source = t.entities[1];
    def.target = t.entities[0];
    def.duration = KN_S(1);
    def.period = KN_S(1);
    twins_warm(&t);
    assert_int_equal(twins_hit_def(&t, HIT, def), KN_OK);
    def.stacks = 3;
    assert_int_equal(twins_hit_def(&t, HIT, def), KN_OK);
    def.duration = INT64_MAX;
    assert_int_equal(twins_hit_def(&t, HIT, def), KN_REFUSED_BAD_NUMBER);
    def = kn_effect_apply_def_default();
    def.source = t.entities[1];
    def.target = t.entities[2];
    assert_int_equal(twins_hit_def(&t, HIT, def), KN_OK);
    def.dynamic_asset_tags = one(&tag);
    assert_int_equal(twins_hit_def(&t, HIT, def), KN_REFUSED_BLOCKED);
    (void)twins_step(&t, 0);
    assert_near(twins_value(&t, 0, t.life), 100.0f - 4 * 7.25f);
    twins_end(&t);
}

// Who is in the way -----------------------------------------------------------------

static void gates_refuse(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    kn_effect_id ward = twins_apply(&t, t.ward, 0), oath = twins_apply(&t, t.oath, 1);
    (void)twins_step(&t, 0);
    twins_warm(&t);
    assert_int_equal(twins_hit(&t, HIT, 2, 0), KN_REFUSED_BLOCKED); // target
    assert_int_equal(twins_step(&t, 0), 2);
    twins_warm(&t);
    assert_int_equal(twins_hit(&t, HIT, 1, 2), KN_REFUSED_BLOCKED); // source
    assert_int_equal(twins_step(&t, 0), 2);
    twins_warm(&t);
    assert_int_equal(twins_hit(&t, HIT, 1, 1), KN_REFUSED_BLOCKED); // both at once
    assert_int_equal(twins_step(&t, 0), 2);
    // Gates that let it through, or are passed by.
    assert_int_equal(twins_hit_alone(&t, CALM, 1, 0), 1);
    twins_warm(&t);
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.source = t.entities[1];
    def.target = t.entities[0];
    def.ignore_gates = true;
    assert_int_equal(twins_hit_def(&t, HIT, def), KN_OK);
    assert_int_equal(twins_step(&t, 0), 1);
    twins_end_effect(&t, ward);
    twins_end_effect(&t, oath);
    (void)twins_step(&t, 0);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
    twins_end(&t);
}

typedef struct dying_call {
    twins *t;
    kn_result result;
} dying_call;

static kn_result destroy_and_hit(void *user, kn_world *world)
{
    dying_call *call = user;
    twins *t = call->t;
    uint32_t w = twins_way(t, world);
    assert_true(kn_entity_destroy(world, t->entities[0]));
    assert_true(kn_entity_is_dying(world, t->entities[0]));
    assert_int_equal(kn_world_cause(world), 0);
    call->result =
        kn_effect_apply_simple(world, t->hits[HIT][w], t->entities[1], t->entities[0], 1.0f, NULL);
    twins_say(t, world, "life", kn_attribute_value(world, t->entities[0], t->life));
    // Who dies may hit others.
    assert_int_equal(
        kn_effect_apply_simple(world, t->hits[HIT][w], t->entities[0], t->entities[2], 1.0f, NULL),
        KN_OK);
    return KN_OK;
}

static void who_is_dying_is_not_hit(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    for (uint32_t w = 0; w < WAYS; w++) {
        dying_call call = {.t = &t};
        assert_int_equal(kn_world_call(t.worlds[w], destroy_and_hit, &call), KN_OK);
        assert_int_equal(call.result, KN_REFUSED_DYING);
        assert_string_equal(t.said[w], "life 100. ");
    }
    (void)twins_step(&t, 0);
    assert_int_equal(twins_count(&t, KN_EVENT_EFFECT_REFUSED), 1);
    assert_int_equal(twins_count(&t, KN_EVENT_ATTRIBUTE_CHANGED), 1);
    twins_end(&t);
}

// What is changed -------------------------------------------------------------------

static void limits_hold_and_only_changes_are_published(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    const kind kinds[] = {TIRE, REST, CALM, ENRAGE, COOL, WARM, NOTHING};
    for (uint32_t i = 0; i < COUNT(kinds); i++) {
        for (uint32_t k = 0; k < 6; k++) {
            (void)twins_hit_alone(&t, kinds[i], 1, 0);
            (void)twins_hit_alone(&t, kinds[(i + k) % COUNT(kinds)], 1, 2);
        }
    }
    assert_in_range(t.events, 20, 70);
    // The base goes on where the current value has reached its limit.
    twins_base(&t, 0, t.stamina, 31.0f);
    (void)twins_step(&t, 0);
    assert_int_equal(twins_hit_alone(&t, TIRE, 1, 0), 1);
    assert_int_equal(twins_hit_alone(&t, TIRE, 1, 0), 0);
    assert_near(twins_value(&t, 0, t.stamina), 30.0f);
    assert_near(kn_attribute_base(t.worlds[0], t.entities[0], t.stamina), 13.0f);
    twins_end(&t);
}

static void modifiers_on_the_value_act_on(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_id buff = twins_apply(&t, t.buff, 0);
        (void)twins_step(&t, 0);
        assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
        assert_near(twins_value(&t, 0, t.life), 111.0f - 7.25f * (float)(2 * i + 1));
        twins_end_effect(&t, buff);
        (void)twins_step(&t, 0);
        assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
        assert_near(twins_value(&t, 0, t.life), 100.0f - 7.25f * (float)(2 * i + 2));
    }
    twins_end(&t);
}

static void values_that_would_be_infinite_stay(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    assert_int_equal(twins_hit_alone(&t, FLOOD, 1, 0), 1);
    for (uint32_t i = 0; i < 3; i++) {
        twins_warm(&t);
        (void)twins_hit(&t, FLOOD, 1, 0);
        (void)twins_hit(&t, HIT, 1, 0);
        (void)twins_step(&t, 0);
        assert_int_equal(twins_count(&t, KN_EVENT_ERROR), 1);
        assert_true(isfinite(twins_value(&t, 0, t.life)));
    }
    twins_end(&t);
}

// Of another operation, of another instance of the set, and with a cue.
static void other_changes_stay_what_they_are(void **state)
{
    twins t;
    fixture *f = *state;
    twins_register(&t, f);
    kn_effect_type_id halve = simple(f, "Halve", KN_DURATION_INSTANT, t.life, KN_OP_MULTIPLY, 0.5f);
    kn_modifier_def modifier = kn_modifier_constant(t.life, KN_OP_ADD, -5.0f);
    modifier.key = 3;
    kn_effect_type_id other = effect_of(f, "Other", KN_DURATION_INSTANT, &modifier, 1);
    kn_tag cue = tag_of(f, "Cue.Flash");
    modifier.key = 0;
    kn_effect_def flash_def = effect_def("Flash", KN_DURATION_INSTANT, &modifier, 1);
    flash_def.cue_tags = one(&cue);
    kn_effect_type_id flash = effect_register(f, &flash_def);
    twins_begin(&t);
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_attribute_set_add(t.worlds[w], t.entities[0], t.body, 3), KN_OK);
    }
    (void)twins_step(&t, 0);
    twins_warm(&t);
    (void)twins_apply(&t, halve, 0);
    (void)twins_apply(&t, other, 0);
    (void)twins_apply(&t, flash, 0);
    (void)twins_hit(&t, HIT, 1, 0);
    assert_int_equal(twins_step(&t, 0), 5);
    assert_int_equal(twins_count(&t, KN_EVENT_CUE), 1);
    assert_near(twins_value(&t, 0, t.life), 37.75f);
    assert_near(kn_attribute_value_keyed(t.worlds[0], t.entities[0], t.life, 3), 95.0f);
    twins_end(&t);
}

// The ticks of a lasting effect do what a hit does, but applying it is more than that.
static void effects_that_tick_are_not_hits(void **state)
{
    twins t;
    fixture *f = *state;
    twins_register(&t, f);
    kn_modifier_def modifier = kn_modifier_constant(t.life, KN_OP_ADD, -5.0f);
    kn_effect_def def = effect_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    kn_effect_type_id burn = effect_register(f, &def);
    twins_begin(&t);
    twins_warm(&t);
    assert_false(kn_effect_id_is_null(twins_apply(&t, burn, 0)));
    (void)twins_hit(&t, HIT, 1, 0);
    assert_int_equal(twins_step(&t, KN_MS(999)), 2);
    assert_near(twins_value(&t, 0, t.life), 92.75f);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 2); // and a tick
    assert_near(twins_value(&t, 0, t.life), 80.5f);
    twins_end(&t);
}

static void absent_attributes_are_reported(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    for (uint32_t w = 0; w < WAYS; w++) { // an instance that a hit does not mean
        assert_int_equal(kn_attribute_set_add(t.worlds[w], t.entities[4], t.body, 3), KN_OK);
    }
    (void)twins_step(&t, 0);
    for (uint32_t i = 3; i < ENTITIES; i++) {
        twins_warm(&t);
        (void)twins_hit(&t, SADDEN, 0, i);
        (void)twins_step(&t, 0);
        twins_warm(&t);
        (void)twins_hit(&t, HIT, 0, i);
        (void)twins_step(&t, 0);
    }
    twins_remove(&t, 0, t.body);
    twins_warm(&t);
    (void)twins_hit(&t, HIT, 1, 0);
    (void)twins_hit(&t, SADDEN, 1, 0);
    (void)twins_step(&t, 0);
    assert_int_equal(twins_count(&t, KN_EVENT_ERROR), 1);
    assert_near(twins_value(&t, 0, t.mood), 4.0f);
    twins_add(&t, 0, t.body);
    (void)twins_step(&t, 0);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
    twins_end(&t);
}

// Who follows it --------------------------------------------------------------------

static kn_ability_type_id strike_register(twins *t)
{
    kn_cost_def cost = kn_cost_def_default();
    cost.attribute = t->life;
    cost.amount = kn_constant(90.0f);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Strike";
    def.costs = &cost;
    def.cost_count = 1;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(t->f->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_ability_id twins_grant(twins *t, uint32_t index, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    kn_ability_id abilities[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(
            kn_ability_grant(t->worlds[w], t->entities[index], &def, &abilities[w]), KN_OK);
    }
    return abilities[0];
}

static uint32_t twins_status(const twins *t, kn_ability_id ability)
{
    uint32_t status = kn_ability_status(t->worlds[0], ability);
    for (uint32_t w = 1; w < WAYS; w++) {
        assert_int_equal(kn_ability_status(t->worlds[w], ability), status);
    }
    return status;
}

static void the_status_of_abilities_is_published(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_ability_type_id strike = strike_register(&t);
    twins_begin_with(&t, masked(0, BIT(KN_EVENT_ABILITY_STATUS)));
    (void)twins_grant(&t, 0, strike);
    (void)twins_grant(&t, 2, strike);
    (void)twins_step(&t, 0);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1); // 92.75
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), i == 0 ? 2 : 1);
        (void)twins_hit_alone(&t, HEAL, 1, 0);
    }
    twins_base(&t, 0, t.life, 89.0f);
    (void)twins_step(&t, 0);
    assert_int_equal(twins_hit_alone(&t, HEAL, 1, 0), 2);
    assert_int_equal(twins_count(&t, KN_EVENT_ABILITY_STATUS), 1);
    twins_warm(&t);
    (void)twins_hit(&t, HIT, 1, 0); // back and forth
    (void)twins_hit(&t, HEAL, 1, 0);
    (void)twins_hit(&t, HEAL, 1, 0);
    assert_int_equal(twins_step(&t, 0), 3);
    twins_end(&t);
}

static void the_status_of_abilities_can_be_queried_between_hits(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_ability_type_id strike = strike_register(&t);
    for (uint32_t is_wanted = 0; is_wanted < 2; is_wanted++) {
        twins_begin_with(&t, masked(0, is_wanted != 0 ? BIT(KN_EVENT_ABILITY_STATUS) : 0));
        kn_ability_id ability = twins_grant(&t, 0, strike);
        (void)twins_step(&t, 0);
        twins_warm(&t);
        assert_int_equal(twins_status(&t, ability), 0);
        for (uint32_t i = 0; i < 2; i++) {
            (void)twins_hit(&t, HIT, 1, 0);
            assert_int_equal(twins_status(&t, ability) != 0, i == 1);
        }
        (void)twins_hit(&t, HEAL, 1, 0);
        (void)twins_hit(&t, HEAL, 1, 0);
        assert_int_equal(twins_status(&t, ability), 0);
        (void)twins_step(&t, 0);
        twins_end(&t);
    }
}

static void say_watch(void *user, kn_world *world, const kn_watch_call *call)
{
    twins_say(user, world, kn_watch_type_name(kn_world_library(world), call->type),
        kn_attribute_value(world, call->entity, ((twins *)user)->life));
}

static kn_watch_type_id watch_register(
    twins *t, const char *name, kn_watch_kind how, kn_trigger trigger)
{
    kn_watch_def def = kn_watch_def_default();
    def.name = name;
    def.kind = how;
    def.trigger = trigger;
    if (trigger == KN_TRIGGER_ATTRIBUTE_CHANGED || how == KN_WATCH_THRESHOLD) {
        def.attribute = t->life;
    }
    def.compare = KN_COMPARE_LESS;
    def.value = 90.0f;
    def.function = say_watch;
    def.user = t;
    kn_watch_type_id type;
    assert_int_equal(kn_watch_type_register(t->f->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_watch_id twins_watch(twins *t, kn_watch_type_id type, kn_entity_id entity)
{
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = type;
    def.entity = entity;
    kn_watch_id watches[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_watch_start(t->worlds[w], &def, &watches[w]), KN_OK);
    }
    return watches[0];
}

static void twins_unwatch(twins *t, kn_watch_id watch)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_true(kn_watch_stop(t->worlds[w], watch));
    }
}

static void watches_are_called_by_the_right_hit(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_watch_type_id low = watch_register(&t, "Low", KN_WATCH_THRESHOLD, KN_TRIGGER_EVENT);
    kn_watch_type_id any =
        watch_register(&t, "Life", KN_WATCH_TRIGGER, KN_TRIGGER_ATTRIBUTE_CHANGED);
    kn_watch_type_id executed =
        watch_register(&t, "Executed", KN_WATCH_TRIGGER, KN_TRIGGER_EFFECT_EXECUTED);
    twins_begin(&t);
    kn_watch_id first = twins_watch(&t, low, t.entities[0]);
    kn_watch_id second = twins_watch(&t, any, t.entities[2]);
    (void)twins_step(&t, 0);
    twins_warm(&t);
    for (uint32_t i = 0; i < 4; i++) {
        (void)twins_hit(&t, HIT, 1, 0);
        (void)twins_hit(&t, HEAL, 1, 2);
        (void)twins_hit(&t, CALM, 1, 2);
    }
    assert_string_equal(t.said[0], "Life 103.5. Low 85.5. Life 107. Life 110.5. Life 114. ");
    (void)twins_step(&t, 0);
    twins_unwatch(&t, first);
    twins_unwatch(&t, second);
    kn_watch_id third = twins_watch(&t, executed, (kn_entity_id){0});
    (void)twins_step(&t, 0);
    twins_warm(&t);
    (void)twins_hit(&t, HIT, 1, 0);
    (void)twins_hit(&t, HIT, 1, 2);
    assert_string_equal(t.said[0], "Executed 63.75. Executed 106.75. ");
    (void)twins_step(&t, 0);
    twins_unwatch(&t, third);
    (void)twins_hit_alone(&t, HIT, 1, 0);
    twins_end(&t);
}

static void say_task(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    twins *t = call->user;
    twins_say(t, call->world, "task", kn_attribute_value(call->world, call->owner, t->life));
}

static kn_result run_task(const kn_ability_call *call)
{
    const twins *t = call->user;
    kn_task_def def = kn_task_def_default(KN_TASK_THRESHOLD);
    def.attribute = t->life;
    def.compare = KN_COMPARE_LESS;
    def.value = 90.0f;
    def.repeats = true;
    return kn_task_run(call->world, call->activation, &def, NULL);
}

static void tasks_wake_at_the_right_hit(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_ability_def def = kn_ability_def_default();
    def.name = "Vigil";
    def.activate = run_task;
    def.task_done = say_task;
    def.user = &t;
    kn_ability_type_id vigil;
    assert_int_equal(kn_ability_register(t.f->library, &def, &vigil, NULL), KN_OK);
    twins_begin(&t);
    kn_ability_id ability = twins_grant(&t, 0, vigil);
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_ability_activate(t.worlds[w], ability, NULL, NULL), KN_OK);
    }
    (void)twins_step(&t, 0);
    twins_warm(&t);
    for (uint32_t i = 0; i < 3; i++) {
        (void)twins_hit(&t, HIT, 1, 0);
    }
    assert_string_equal(t.said[0], "task 85.5. ");
    (void)twins_step(&t, 0);
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_ability_cancel(t.worlds[w], ability), KN_OK);
    }
    (void)twins_step(&t, 0);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
    twins_end(&t);
}

static void only_wanted_events_are_published(void **state)
{
    twins t;
    twins_register(&t, *state);
    const struct {
        uint64_t without, with;
        uint32_t changed, executed;
    } masks[] = {
        {0, 0, 2, 0},
        {UINT64_MAX, 0, 0, 0},
        {BIT(KN_EVENT_ATTRIBUTE_CHANGED), 0, 0, 0},
        {0, BIT(KN_EVENT_EFFECT_EXECUTED), 2, 3},
        {UINT64_MAX, BIT(KN_EVENT_EFFECT_EXECUTED), 0, 3},
        {UINT64_MAX, BIT(KN_EVENT_ATTRIBUTE_CHANGED), 2, 0},
    };
    for (uint32_t i = 0; i < COUNT(masks); i++) {
        twins_begin_with(&t, masked(masks[i].without, masks[i].with));
        twins_warm(&t);
        (void)twins_hit(&t, HIT, 1, 0);
        (void)twins_hit(&t, NOTHING, 1, 0);
        (void)twins_hit(&t, CALM, 0, 0);
        (void)twins_step(&t, 0);
        assert_int_equal(twins_count(&t, KN_EVENT_ATTRIBUTE_CHANGED), masks[i].changed);
        assert_int_equal(twins_count(&t, KN_EVENT_EFFECT_EXECUTED), masks[i].executed);
        twins_end(&t);
    }
}

static void changes_are_noted(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    for (uint32_t i = 0; i < 2; i++) {
        twins_follow(&t, true);
        twins_warm(&t);
        (void)twins_hit(&t, HIT, 1, 0);
        (void)twins_hit(&t, CALM, 1, 2);
        for (uint32_t w = 0; w < WAYS; w++) {
            kn_changes changes = kn_changes_since(t.worlds[w], t.entities[0], t.versions[w]);
            assert_int_equal(changes.changed, 1u << KN_PART_ATTRIBUTES);
            changes = kn_changes_since(t.worlds[w], t.entities[1], t.versions[w]);
            assert_int_equal(changes.changed, 0);
        }
        (void)twins_step(&t, 0);
        twins_follow(&t, false);
        (void)twins_hit_alone(&t, HIT, 1, 0);
    }
    twins_end(&t);
}

// From rules ------------------------------------------------------------------------

static kn_rule_def rule_def(twins *t, const char *name, kn_trigger trigger, kn_rule_fn *function)
{
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.function = function;
    def.user = t;
    return def;
}

static void rule_register(twins *t, const kn_rule_def *def)
{
    kn_rule_id rule;
    assert_int_equal(kn_rule_register(t->f->library, def, &rule, NULL), KN_OK);
}

// One world's part of a hit.
static void hit_in(twins *t, kn_world *world, kind k, uint32_t source, uint32_t target)
{
    kn_result result = kn_effect_apply_simple(world, t->hits[k][twins_way(t, world)],
        t->entities[source], t->entities[target], 1.0f, NULL);
    twins_say(t, world, "result", (float)result);
}

static void hit_back(void *user, kn_world *world, const kn_reaction *reaction)
{
    twins *t = user;
    twins_say(t, world, "before", kn_attribute_value(world, reaction->entity, t->life));
    hit_in(t, world, HIT, 0, 1);
    hit_in(t, world, HIT, 0, 2);
    hit_in(t, world, CALM, 2, 2);
    twins_say(t, world, "after", kn_attribute_value(world, reaction->entity, t->life));
}

static kn_result hit_from_ability(const kn_ability_call *call)
{
    twins *t = call->user;
    uint32_t w = twins_way(t, call->world);
    hit_in(t, call->world, HIT, 0, 2);
    kn_result result =
        kn_activation_apply(call->world, call->activation, t->hits[HIT][w], t->entities[1], NULL);
    twins_say(t, call->world, "applied", (float)result);
    return KN_OK;
}

static void hits_in_rules_have_a_parent(void **state)
{
    twins t;
    fixture *f = *state;
    twins_register(&t, f);
    kn_rule_def volley = rule_def(&t, "Volley", KN_TRIGGER_EVENT, hit_back);
    volley.tag = tag_of(f, "Event.Volley");
    rule_register(&t, &volley);
    kn_rule_def death = rule_def(&t, "Death", KN_TRIGGER_ENTITY_DESTROYED, hit_back);
    rule_register(&t, &death);
    kn_ability_def ability_def = kn_ability_def_default();
    ability_def.name = "Bash";
    ability_def.activate = hit_from_ability;
    ability_def.user = &t;
    kn_ability_type_id bash;
    assert_int_equal(kn_ability_register(f->library, &ability_def, &bash, NULL), KN_OK);
    twins_begin(&t);
    kn_ability_id ability = twins_grant(&t, 0, bash);
    (void)twins_step(&t, 0);
    twins_warm(&t);
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_event_send(t.worlds[w], t.entities[1], volley.tag, NULL), KN_OK);
    }
    (void)twins_step(&t, 0);
    const kn_event *event = &kn_world_events(t.worlds[0]).data[1];
    assert_int_equal(event->type, KN_EVENT_ATTRIBUTE_CHANGED);
    kn_cause_info own, parent;
    assert_true(kn_cause_get(t.worlds[0], event->cause, &own));
    assert_true(kn_cause_get(t.worlds[0], own.parent, &parent));
    assert_int_equal(own.kind, KN_CAUSE_APPLY);
    assert_int_equal(parent.kind, KN_CAUSE_RULE);
    twins_warm(&t);
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_ability_activate(t.worlds[w], ability, NULL, NULL), KN_OK);
    }
    (void)twins_step(&t, 0);
    assert_int_equal(twins_count(&t, KN_EVENT_ATTRIBUTE_CHANGED), 2);
    twins_warm(&t);
    twins_destroy(&t, 1); // the rule hits who is dying
    assert_non_null(strstr(t.said[0], "before"));
    (void)twins_step(&t, 0);
    assert_int_equal(twins_count(&t, KN_EVENT_EFFECT_REFUSED), 1);
    twins_end(&t);
}

static void say_change(void *user, kn_world *world, const kn_reaction *reaction)
{
    twins_say(user, world, "from", reaction->old_value);
    twins_say(user, world, "to", reaction->new_value);
}

static void say_executed(void *user, kn_world *world, const kn_reaction *reaction)
{
    twins_say(user, world, "executed on", (float)reaction->entity.index1);
}

static void rules_react_to_hits(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_rule_def change = rule_def(&t, "Change", KN_TRIGGER_ATTRIBUTE_CHANGED, say_change);
    change.attribute = t.rage;
    rule_register(&t, &change);
    twins_begin(&t);
    twins_warm(&t);
    (void)twins_hit(&t, HIT, 1, 0);
    (void)twins_hit(&t, ENRAGE, 1, 0);
    (void)twins_hit(&t, CALM, 1, 0);
    assert_string_equal(t.said[0], "from 10. to 23. from 23. to 6. ");
    (void)twins_step(&t, 0);
    twins_end(&t);
}

static void rules_react_to_executions(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_rule_def executed = rule_def(&t, "Executed", KN_TRIGGER_EFFECT_EXECUTED, say_executed);
    rule_register(&t, &executed);
    twins_begin(&t);
    twins_warm(&t);
    (void)twins_hit(&t, HIT, 1, 0);
    (void)twins_hit(&t, NOTHING, 1, 2);
    assert_string_equal(t.said[0], "executed on 1. executed on 3. ");
    (void)twins_step(&t, 0);
    twins_end(&t);
}

static void hit_again(void *user, kn_world *world, const kn_event *event)
{
    twins *t = user;
    assert_int_equal(event->type, KN_EVENT_ATTRIBUTE_CHANGED);
    hit_in(t, world, CALM, 1, 2);
    hit_in(t, world, CALM, 2, 2);
}

static kn_result hit_in_call(void *user, kn_world *world)
{
    twins *t = user;
    hit_in(t, world, HIT, 1, 0);
    hit_in(t, world, HEAL, 2, 0);
    twins_say(t, world, "life", kn_attribute_value(world, t->entities[0], t->life));
    return KN_OK;
}

static void hits_in_calls_and_by_listeners(void **state)
{
    twins t;
    twins_register(&t, *state);
    twins_begin(&t);
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.attribute = t.life;
    def.function = hit_again;
    def.user = &t;
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(kn_listener_add(t.worlds[w], &def, NULL), KN_OK);
        assert_int_equal(kn_world_call(t.worlds[w], hit_in_call, &t), KN_OK);
    }
    assert_int_equal(twins_step(&t, 0), 2);
    assert_int_equal(twins_step(&t, 0), 1); // by the listener; then it is at its limit
    assert_near(twins_value(&t, 2, t.rage), 0.0f);
    twins_end(&t);
}

// Memory ----------------------------------------------------------------------------

static void nothing_is_lost_of_many_hits(void **state)
{
    twins t;
    twins_register(&t, *state);
    for (uint32_t moves = 0; moves < 2; moves++) {
        kn_world_def def = kn_world_def_default();
        def.event_capacity = 8;
        twins_begin_with(&t, def);
        for (uint32_t w = 0; w < WAYS; w++) {
            kn_world_set_moving(t.worlds[w], moves != 0);
        }
        for (uint32_t n = 0; n < 3; n++) {
            for (uint32_t i = 0; i < 700; i++) {
                (void)twins_hit(&t, i % 3 != 0 ? HIT : HEAL, i % 4, i % 3);
            }
            assert_int_equal(twins_step(&t, KN_MS(1)), 700);
        }
        twins_end(&t);
    }
}

// Calls that make many events leave no room for those of hits, until memory is checked again.
static void events_of_hits_find_room(void **state)
{
    twins t;
    fixture *f = *state;
    twins_register(&t, f);
    kn_modifier_def modifiers[64];
    for (uint32_t i = 0; i < COUNT(modifiers); i++) {
        modifiers[i] = kn_modifier_constant(t.life, KN_OP_ADD, i % 2 == 0 ? 1.0f : -1.0f);
    }
    kn_effect_type_id burst = effect_of(f, "Burst", KN_DURATION_INSTANT, modifiers, 64);
    twins_begin(&t);
    for (uint32_t n = 0; n < 4; n++) {
        twins_warm(&t);
        for (uint32_t i = 0; i < 8; i++) {
            (void)twins_apply(&t, burst, 0);
        }
        for (uint32_t i = 0; i < 7; i++) {
            (void)twins_hit(&t, HIT, 1, 2);
        }
        assert_int_equal(twins_step(&t, 0), 8 * 64 + 7);
    }
    twins_end(&t);
}

static void see(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)world;
    (void)reaction;
}

// The same for causes.
static void causes_of_hits_find_room(void **state)
{
    twins t;
    fixture *f = *state;
    twins_register(&t, f);
    kn_tag tag = tag_of(f, "Event.Many");
    for (uint32_t i = 0; i < 30; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "See%u", i);
        kn_rule_def rule = rule_def(&t, name, KN_TRIGGER_EVENT, see);
        rule.tag = tag;
        rule_register(&t, &rule);
    }
    twins_begin(&t);
    for (uint32_t n = 0; n < 4; n++) {
        twins_warm(&t);
        for (uint32_t i = 0; i < 4; i++) {
            for (uint32_t w = 0; w < WAYS; w++) {
                assert_int_equal(kn_event_send(t.worlds[w], t.entities[1], tag, NULL), KN_OK);
            }
        }
        for (uint32_t i = 0; i < 11; i++) {
            (void)twins_hit(&t, HIT, 1, 2);
        }
        (void)twins_step(&t, 0);
        assert_int_equal(twins_count(&t, KN_EVENT_ATTRIBUTE_CHANGED), 11);
    }
    twins_end(&t);
}

typedef struct scarce_memory {
    bool is_over;
} scarce_memory;

static void *scarce_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    const scarce_memory *memory = user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return memory->is_over && new_size > old_size ? NULL : realloc(ptr, new_size);
}

static kn_result create_until_it_breaks(void *user, kn_world *world)
{
    ((scarce_memory *)user)->is_over = true;
    kn_entity_id entity;
    while (kn_entity_create(world, &entity) == KN_OK) {
    }
    assert_true(kn_world_is_broken(world));
    ((scarce_memory *)user)->is_over = false;
    return KN_OK;
}

static void a_broken_world_is_not_hit(void **state)
{
    twins t;
    twins_register(&t, *state);
    scarce_memory memory = {0};
    kn_world_def def = masked(BIT(KN_EVENT_ENTITY_CREATED), 0); // they leave room for others
    def.hooks.realloc_fn = scarce_realloc;
    def.hooks.realloc_user = &memory;
    twins_begin_with(&t, def);
    size_t size;
    void *snapshot = snapshot_of(t.worlds[0], &size);
    for (uint32_t w = 0; w < WAYS; w++) {
        assert_int_equal(
            kn_world_call(t.worlds[w], create_until_it_breaks, &memory), KN_ERROR_WORLD_BROKEN);
    }
    assert_int_equal(twins_hit(&t, HIT, 1, 0), KN_ERROR_WORLD_BROKEN);
    assert_near(twins_value(&t, 0, t.life), 100.0f);
    for (uint32_t w = 0; w < WAYS; w++) {
        snapshot_restore(t.worlds[w], snapshot, size);
    }
    free(snapshot);
    assert_int_equal(twins_hit_alone(&t, HIT, 1, 0), 1);
    twins_end(&t);
}

// Sequences -------------------------------------------------------------------------

// Every world gets back to an earlier state, of the world of another way.
static void twins_restore(twins *t, void *const *snapshots, const size_t *sizes)
{
    for (uint32_t w = 0; w < WAYS; w++) {
        uint32_t from = (w + 1) % WAYS;
        snapshot_restore(t->worlds[w], snapshots[from], sizes[from]);
        t->versions[w] = kn_changes_version(t->worlds[w]);
    }
}

static void snapshots_in_between(void **state)
{
    twins t;
    twins_register(&t, *state);
    kn_ability_type_id strike = strike_register(&t);
    twins_begin_with(&t, masked(0, BIT(KN_EVENT_ABILITY_STATUS)));
    (void)twins_grant(&t, 0, strike);
    (void)twins_hit_alone(&t, HIT, 1, 0);
    (void)twins_apply(&t, t.buff, 2);
    void *snapshots[WAYS];
    size_t sizes[WAYS];
    for (uint32_t w = 0; w < WAYS; w++) {
        snapshots[w] = snapshot_of(t.worlds[w], &sizes[w]);
    }
    (void)twins_step(&t, 0);
    for (uint32_t i = 0; i < 3; i++) {
        twins_warm(&t);
        (void)twins_hit(&t, HIT, 1, 0);
        (void)twins_hit(&t, HIT, 0, 2);
        if (i == 1) {
            (void)twins_step(&t, 0);
        }
        twins_restore(&t, snapshots, sizes);
        assert_near(twins_value(&t, 0, t.life), 92.75f);
        twins_warm(&t);
        (void)twins_hit(&t, HIT, 1, 0);
        (void)twins_hit(&t, HIT, 0, 2);
        (void)twins_step(&t, KN_MS(1));
        assert_near(twins_value(&t, 0, t.life), 85.5f);
    }
    for (uint32_t w = 0; w < WAYS; w++) {
        free(snapshots[w]);
    }
    twins_end(&t);
}

typedef struct play {
    twins *t;
    kn_ability_type_id strike;
    kn_watch_type_id low;
    kn_effect_id effects[ENTITIES]; // one of them on each
    kn_ability_id abilities[ENTITIES];
    kn_watch_id watches[ENTITIES];
    void *snapshots[WAYS];
    size_t sizes[WAYS];
    bool is_followed;
} play;

static void play_hit(play *p)
{
    twins *t = p->t;
    kn_effect_apply_def def = kn_effect_apply_def_default();
    uint32_t source = twins_random(t, ENTITIES + 2), target = twins_random(t, ENTITIES + 6);
    def.target = target == ENTITIES ? t->gone : t->entities[target < ENTITIES ? target : 0];
    def.source = source < ENTITIES    ? t->entities[source]
                 : source == ENTITIES ? t->gone
                                      : (kn_entity_id){0};
    def.source = twins_random(t, 8) == 0 ? def.target : def.source;
    def.level = twins_random(t, 40) == 0 ? NAN : 2.0f;
    def.ignore_gates = twins_random(t, 10) == 0;
    kind k = (kind)twins_random(t, KINDS);
    (void)twins_hit_def(t, k == FLOOD && twins_random(t, 4) != 0 ? HIT : k, def);
}

static void play_effect(play *p, uint32_t index)
{
    twins *t = p->t;
    if (p->effects[index].index1 != 0 && kn_effect_is_alive(t->worlds[0], p->effects[index])) {
        twins_end_effect(t, p->effects[index]);
        return;
    }
    const kn_effect_type_id types[] = {t->buff, t->buff, t->ward, t->oath};
    p->effects[index] = twins_apply(t, types[twins_random(t, 4)], index);
}

static void play_ability(play *p, uint32_t index)
{
    twins *t = p->t;
    bool is_there = kn_ability_is_alive(t->worlds[0], p->abilities[index]);
    for (uint32_t w = 0; is_there && w < WAYS; w++) {
        assert_int_equal(
            kn_ability_remove(t->worlds[w], p->abilities[index], KN_GRANT_CANCEL), KN_OK);
    }
    if (!is_there) {
        p->abilities[index] = twins_grant(t, index, p->strike);
    }
}

static void play_watch(play *p, uint32_t index)
{
    twins *t = p->t;
    if (kn_watch_is_alive(t->worlds[0], p->watches[index])) {
        twins_unwatch(t, p->watches[index]);
    } else {
        p->watches[index] = twins_watch(t, p->low, t->entities[index]);
    }
}

static void play_snapshot(play *p)
{
    twins *t = p->t;
    (void)twins_step(t, 0);
    for (uint32_t w = 0; w < WAYS; w++) {
        p->snapshots[w] = snapshot_of(t->worlds[w], &p->sizes[w]);
    }
    for (uint32_t i = 0; i < 20; i++) {
        play_hit(p);
    }
    twins_restore(t, p->snapshots, p->sizes);
    for (uint32_t w = 0; w < WAYS; w++) {
        free(p->snapshots[w]);
    }
}

static void play_other(play *p)
{
    twins *t = p->t;
    uint32_t index = twins_random(t, 6);
    const kn_attribute_set_id sets[] = {t->body, t->extra};
    switch (twins_random(t, 10)) {
    case 0:
    case 1:
        play_effect(p, index);
        break;
    case 2:
        play_ability(p, index);
        break;
    case 3:
        play_watch(p, index);
        break;
    case 4:
        (void)twins_step(t, 0); // a cause names the owner that a body has when it is read
        twins_avatar(t, index, twins_random(t, 2) == 0 ? t->entities[8] : (kn_entity_id){0});
        break;
    case 5:
        (void)twins_step(t, 0);
        index = twins_random(t, ENTITIES);
        twins_destroy(t, index);
        twins_create(t, index);
        break;
    case 6:
        twins_add(t, index, sets[twins_random(t, 2)]);
        break;
    case 7:
        twins_remove(t, index, sets[twins_random(t, 2)]);
        break;
    case 8:
        twins_base(t, index, t->life, twins_random(t, 3) == 0 ? 3e38f : 95.0f);
        break;
    default:
        p->is_followed = !p->is_followed;
        twins_follow(t, p->is_followed);
        break;
    }
}

static void random_sequences_agree(void **state)
{
    twins t;
    twins_register(&t, *state);
    play p = {.t = &t};
    p.strike = strike_register(&t);
    p.low = watch_register(&t, "Low", KN_WATCH_THRESHOLD, KN_TRIGGER_EVENT);
    const kn_world_def defs[] = {
        masked(0, 0),
        masked(0, BIT(KN_EVENT_ABILITY_STATUS)),
        masked(0, BIT(KN_EVENT_EFFECT_EXECUTED)),
        masked(BIT(KN_EVENT_ATTRIBUTE_CHANGED), BIT(KN_EVENT_ABILITY_STATUS)),
    };
    for (uint32_t n = 0; n < 40 / SHARE(4); n++) {
        twins_begin_with(&t, defs[n % COUNT(defs)]);
        play empty = {.t = &t, .strike = p.strike, .low = p.low};
        p = empty;
        for (uint32_t i = 0; i < 30; i++) {
            play_other(&p);
            if (twins_random(&t, 20) == 0) {
                play_snapshot(&p);
            }
            twins_warm(&t);
            for (uint32_t k = twins_random(&t, 30); k-- > 0;) {
                play_hit(&p);
            }
            (void)twins_step(&t, KN_MS(1));
        }
        twins_end(&t);
    }
    assert_true(
        t.applied > 5000 / SHARE(4) && t.refused > 1500 / SHARE(4) && t.events > 5000 / SHARE(4));
}

static const struct CMUnitTest tests[] = {
    TEST(a_hit_is_one_event_with_its_own_cause),
    TEST(any_source_and_any_target),
    TEST(a_body_is_hit_for_its_owner),
    TEST(bad_numbers_and_unknown_types_are_refused),
    TEST(more_than_a_level_counts_too),
    TEST(gates_refuse),
    TEST(who_is_dying_is_not_hit),
    TEST(limits_hold_and_only_changes_are_published),
    TEST(modifiers_on_the_value_act_on),
    TEST(values_that_would_be_infinite_stay),
    TEST(other_changes_stay_what_they_are),
    TEST(effects_that_tick_are_not_hits),
    TEST(absent_attributes_are_reported),
    TEST(the_status_of_abilities_is_published),
    TEST(the_status_of_abilities_can_be_queried_between_hits),
    TEST(watches_are_called_by_the_right_hit),
    TEST(tasks_wake_at_the_right_hit),
    TEST(only_wanted_events_are_published),
    TEST(changes_are_noted),
    TEST(hits_in_rules_have_a_parent),
    TEST(rules_react_to_hits),
    TEST(rules_react_to_executions),
    TEST(hits_in_calls_and_by_listeners),
    TEST(nothing_is_lost_of_many_hits),
    TEST(events_of_hits_find_room),
    TEST(causes_of_hits_find_room),
    TEST(a_broken_world_is_not_hit),
    TEST(snapshots_in_between),
    TEST(random_sequences_agree),
};

TEST_GROUP(plain_hits, tests, NULL, NULL);
