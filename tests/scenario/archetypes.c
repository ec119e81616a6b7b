// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities made from archetypes: sets, values by level, tags, abilities, effects, timers, parents
// first.

#include "ability_replay.h"

typedef struct minions {
    fixture *f;
    kn_archetype_id minion, red;
    kn_ability_type_id bite, howl;
    kn_effect_type_id regeneration;
    kn_attribute_id armor;
} minions;

static kn_archetype_id register_archetype(kn_library *library, const kn_archetype_def *def)
{
    kn_archetype_id archetype;
    kn_error error;
    assert_int_equal(kn_archetype_register(library, def, &archetype, &error), KN_OK);
    return archetype;
}

static kn_ability_type_id register_ability(kn_library *library, const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    kn_ability_type_id type;
    assert_int_equal(kn_ability_register(library, &def, &type, NULL), KN_OK);
    return type;
}

static void register_minions(minions *m)
{
    kn_library *library = m->f->library;
    kn_attribute_def armor = attribute_def("Armor", 1.0f);
    kn_attribute_set_def defence = kn_attribute_set_def_default();
    defence.name = "Defence";
    defence.attributes = &armor;
    defence.attribute_count = 1;
    kn_attribute_set_id defence_id;
    assert_int_equal(kn_attribute_set_register(library, &defence, &defence_id, NULL), KN_OK);
    m->armor = kn_attribute_find(library, "Defence.Armor");
    kn_attribute_row rows[] = {
        {"Minion", "Vitals.Health", 1, 40.0f}, {"Minion", "Vitals.Health", 2, 60.0f}};
    assert_int_equal(kn_attribute_table_register(library, rows, 2, NULL), KN_OK);

    m->bite = register_ability(library, "Bite");
    m->howl = register_ability(library, "Howl");
    kn_modifier_def more = kn_modifier_constant(m->armor, KN_OP_ADD, 5.0f);
    kn_effect_def effect = infinite("Hide");
    effect.modifiers = &more;
    effect.modifier_count = 1;
    assert_int_equal(kn_effect_register(library, &effect, &m->regeneration, NULL), KN_OK);

    kn_tag beast = tag_of(m->f, "Unit.Beast");
    kn_tag red = tag_of(m->f, "Team.Red");
    kn_ability_set_entry bite = {.type = m->bite, .level = 2.0f, .input = 3};
    kn_archetype_def def = kn_archetype_def_default();
    def.name = "Minion";
    def.sets = &m->f->set;
    def.set_count = 1;
    def.group = "Minion";
    def.tags = (kn_tags){&beast, 1};
    def.abilities = &bite;
    def.ability_count = 1;
    m->minion = register_archetype(library, &def);

    kn_attribute_set_id sets[] = {defence_id, m->f->set};
    kn_archetype_value values[] = {{m->armor, kn_constant(3.0f)}};
    kn_archetype_effect effects[] = {{m->regeneration, kn_constant(1.0f)}};
    kn_archetype_def child = kn_archetype_def_default();
    child.name = "RedMinion";
    child.parent = m->minion;
    child.sets = sets;
    child.set_count = 2;
    child.values = values;
    child.value_count = 1;
    child.tags = (kn_tags){&red, 1};
    child.effects = effects;
    child.effect_count = 1;
    m->red = register_archetype(library, &child);
}

// Timers --------------------------------------------------------------------

// Notes when it fires, and fires three times.
static kn_time pulse(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    uint8_t *count = data;
    note(user, "%d:%d ", (int)entity.index1, (int)(kn_world_now(world) / 1000));
    return ++*count < 3 ? KN_MS(200) : 0;
}

// Grows old, and older when red.
static kn_archetype_id register_pulsing(minions *m)
{
    kn_library *library = m->f->library;
    kn_timer_type_id type;
    assert_int_equal(kn_timer_type_register(library, "Pulse", pulse, m->f, &type, NULL), KN_OK);
    kn_archetype_timer first = {type, KN_MS(50)}, second = {.type = type};
    kn_archetype_def def = kn_archetype_def_default();
    def.name = "Pulsing";
    def.timers = &first;
    def.timer_count = 1;
    def.parent = register_archetype(library, &def);
    def.name = "PulsingTwice";
    def.timers = &second;
    return register_archetype(library, &def);
}

static void timers_begin_with_the_entity_and_die_with_it(void **state)
{
    minions m = {.f = *state};
    kn_archetype_id archetype = register_pulsing(&m);
    begin(m.f);
    kn_entity_id entities[2];
    assert_int_equal(kn_archetype_spawn(m.f->world, archetype, 1.0f, &entities[0]), KN_OK);
    assert_int_equal(kn_world_get_stats(m.f->world).timers, 2); // that of the parent comes first
    check_replay(m.f, KN_S(1));
    step(m.f, KN_MS(100));
    EXPECT_LOG(m.f, "3:0 3:50 ");
    check_replay(m.f, KN_S(1));
    assert_int_equal(kn_archetype_spawn(m.f->world, archetype, 1.0f, &entities[1]), KN_OK);
    assert_true(kn_entity_destroy(m.f->world, entities[0]));
    step(m.f, KN_S(1));
    EXPECT_LOG(m.f, "4:100 4:150 4:300 4:350 4:500 4:550 ");
    assert_int_equal(kn_world_get_stats(m.f->world).timers, 0);
}

typedef struct counted_memory {
    uint64_t calls, fail_at;
    size_t bytes;
} counted_memory;

static void *counted_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    counted_memory *memory = user;
    if (new_size > old_size && ++memory->calls == memory->fail_at) {
        return NULL;
    }
    memory->bytes += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static void without_memory_there_is_no_entity(void **state)
{
    minions m = {.f = *state};
    register_minions(&m);
    kn_archetype_id archetype = register_pulsing(&m);
    assert_int_equal(kn_library_finish(m.f->library, NULL), KN_OK);
    bool is_done = false;
    for (uint64_t fail_at = 1; !is_done; fail_at++) {
        assert_true(fail_at < 1000);
        counted_memory memory = {0};
        kn_world_def def = kn_world_def_default();
        def.library = m.f->library;
        def.hooks.realloc_fn = counted_realloc;
        def.hooks.realloc_user = &memory;
        kn_world *world;
        assert_int_equal(kn_world_create(&def, &world), KN_OK);
        memory.fail_at = memory.calls + fail_at;
        kn_entity_id entity;
        kn_result result = kn_archetype_spawn(world, archetype, 1.0f, &entity);
        is_done = memory.calls < memory.fail_at;
        memory.fail_at = 0;
        if (result != KN_OK) {
            assert_int_equal(entity.index1, 0);
            assert_true(kn_world_is_broken(world) || kn_entity_count(world) == 0);
            assert_int_equal(kn_world_get_stats(world).timers, 0);
        }
        assert_true(!is_done || result == KN_OK);
        kn_world_destroy(world);
        assert_int_equal(memory.bytes, 0);
    }
}

static minions minions_begin(void **state)
{
    minions m = {.f = *state};
    register_minions(&m);
    begin(m.f);
    return m;
}

// ASC-006, ASC-040, ATS-001
static void an_archetype_brings_everything_an_entity_starts_with(void **state)
{
    minions m = minions_begin(state);
    uint32_t actors = kn_world_get_stats(m.f->world).actors;
    kn_entity_id entity;
    assert_int_equal(kn_archetype_spawn(m.f->world, m.red, 2.0f, &entity), KN_OK);
    assert_true(kn_entity_is_actor(m.f->world, entity));
    assert_int_equal(kn_world_get_stats(m.f->world).actors, actors + 1);
    assert_true(kn_attribute_value(m.f->world, entity, m.f->health) == 60.0f);
    assert_true(kn_attribute_base(m.f->world, entity, m.armor) == 3.0f);
    assert_true(kn_attribute_value(m.f->world, entity, m.armor) == 8.0f);
    assert_true(kn_entity_has_tag(m.f->world, entity, tag_of(m.f, "Unit.Beast")));
    assert_true(kn_entity_has_tag(m.f->world, entity, tag_of(m.f, "Team.Red")));
    kn_ability_id ability;
    assert_int_equal(kn_abilities_find(m.f->world, entity, NULL, &ability, 1), 1);
    kn_ability_info info;
    assert_true(kn_ability_get(m.f->world, ability, &info));
    assert_int_equal(info.type.index1, m.bite.index1);
    assert_true(info.level == 2.0f);
    assert_int_equal(info.input, 3);
    assert_string_equal(kn_archetype_name(m.f->library, m.red), "RedMinion");
    assert_int_equal(kn_archetype_find(m.f->library, "redminion").index1, m.red.index1);
}

static void a_parent_can_be_spawned_by_itself(void **state)
{
    minions m = minions_begin(state);
    kn_entity_id entity;
    assert_int_equal(kn_archetype_spawn(m.f->world, m.minion, 1.0f, &entity), KN_OK);
    assert_true(kn_attribute_value(m.f->world, entity, m.f->health) == 40.0f);
    assert_false(kn_attribute_exists(m.f->world, entity, m.armor, 0));
    assert_false(kn_entity_has_tag(m.f->world, entity, tag_of(m.f, "Team.Red")));
}

static void what_cannot_be_spawned_leaves_nothing(void **state)
{
    minions m = minions_begin(state);
    uint32_t before = kn_entity_count(m.f->world);
    kn_entity_id entity;
    assert_int_equal(
        kn_archetype_spawn(m.f->world, (kn_archetype_id){0}, 1.0f, &entity), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_archetype_spawn(m.f->world, (kn_archetype_id){9}, 1.0f, &entity), KN_REFUSED_NOT_FOUND);
    float nan = strtof("nan", NULL);
    assert_int_equal(kn_archetype_spawn(m.f->world, m.red, nan, &entity), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(entity.index1, 0);
    assert_int_equal(kn_entity_count(m.f->world), before);
}

static void bad_archetypes_are_refused_with_their_name(void **state)
{
    minions m = {.f = *state};
    register_minions(&m);
    kn_archetype_value value = {m.armor, kn_constant(3.0f)};
    kn_archetype_def def = kn_archetype_def_default();
    def.name = "Naked";
    def.values = &value;
    def.value_count = 1;
    kn_archetype_id archetype;
    kn_error error;
    assert_int_equal(
        kn_archetype_register(m.f->library, &def, &archetype, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Naked"));
    assert_non_null(strstr(error.message, "Defence.Armor"));
    def.value_count = 0;
    def.name = "Minion";
    assert_int_equal(
        kn_archetype_register(m.f->library, &def, &archetype, &error), KN_REFUSED_DUPLICATE);
    kn_archetype_effect none = {{0}, kn_constant(1.0f)};
    def.name = "Empty";
    def.effects = &none;
    def.effect_count = 1;
    assert_int_equal(
        kn_archetype_register(m.f->library, &def, &archetype, &error), KN_ERROR_BAD_DATA);
    def.effect_count = 0;
    (void)register_pulsing(&m);
    kn_archetype_timer timers[2] = {
        {{0}, 0}, {kn_timer_type_find(m.f->library, "Pulse"), -KN_MS(1)}};
    for (uint32_t i = 0; i < 2; i++) {
        def.timers = &timers[i];
        def.timer_count = 1;
        assert_int_equal(
            kn_archetype_register(m.f->library, &def, &archetype, &error), KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, "Empty"));
    }
    def.timer_count = 0;
    char name[16];
    for (uint32_t i = 0; i < 63; i++) {
        (void)snprintf(name, sizeof(name), "Child%u", i);
        def.name = name;
        assert_int_equal(kn_archetype_register(m.f->library, &def, &archetype, &error), KN_OK);
        def.parent = archetype;
    }
    def.name = "Last";
    assert_int_equal(kn_archetype_register(m.f->library, &def, &archetype, &error), KN_OK);
    def.parent = archetype;
    def.name = "TooDeep";
    assert_int_equal(
        kn_archetype_register(m.f->library, &def, &archetype, &error), KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(
        an_archetype_brings_everything_an_entity_starts_with, setup, teardown),
    cmocka_unit_test_setup_teardown(timers_begin_with_the_entity_and_die_with_it, setup, teardown),
    cmocka_unit_test_setup_teardown(without_memory_there_is_no_entity, setup, teardown),
    cmocka_unit_test_setup_teardown(a_parent_can_be_spawned_by_itself, setup, teardown),
    cmocka_unit_test_setup_teardown(what_cannot_be_spawned_leaves_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(bad_archetypes_are_refused_with_their_name, setup, teardown),
};

TEST_GROUP(archetypes, tests, NULL, NULL);
