// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projections that name records by their places: worlds that came to their state in different ways,
// each with ids of its own.

#define FIXTURE_OWN                                                                                \
    kn_world *other; /* leaves room between its numbers */                                         \
    kn_world *third; /* does not */                                                                \
    kn_component_type_id links, mark;                                                              \
    kn_effect_type_id burn, might, gift, curse, weak, spare[20];                                   \
    kn_ability_type_id cast, gifted;                                                               \
    kn_timer_type_id ring;                                                                         \
    kn_watch_type_id look;                                                                         \
    kn_tag stunned, magic, aura, dead, sworn, marked, counted;

#include "scenario/ability_fixture.h"

// One of each kind of id.
typedef struct links_data {
    kn_entity_id entity;
    kn_effect_id effect;
    kn_ability_id ability;
    kn_activation_id activation;
    kn_task_id task;
    kn_timer_id timer;
    kn_spec_id spec;
} links_data;

typedef struct mark_data {
    uint32_t number;
    kn_effect_id effect;
} mark_data;

typedef struct cast_state {
    kn_task_id task;
    kn_effect_id effect;
} cast_state;

// What the hero has in the first world.
typedef struct hero_records {
    kn_effect_id burn, might, gift, curse;
    kn_ability_id cast;
    kn_activation_id casting;
    kn_timer_id timer;
    kn_spec_id spec;
} hero_records;

static kn_time ring(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static void look(void *user, kn_world *world, const kn_watch_call *call)
{
    (void)user;
    (void)world;
    ((uint8_t *)call->data)[0]++;
}

// Runs a task and keeps its id.
static kn_result cast_activate(const kn_ability_call *call)
{
    kn_task_def def = kn_task_def_default(KN_TASK_DELAY);
    def.delay = KN_S(20);
    def.label = 3;
    kn_task_id task;
    kn_result result = kn_task_run(call->world, call->activation, &def, &task);
    ((cast_state *)kn_activation_state(call->world, call->activation))->task = task;
    return result;
}

// Setup ---------------------------------------------------------------------

static void components_register(fixture *f)
{
    const kn_field links[] = {
        KN_FIELD(links_data, entity, KN_FIELD_ENTITY),
        KN_FIELD(links_data, effect, KN_FIELD_EFFECT),
        KN_FIELD(links_data, ability, KN_FIELD_ABILITY),
        KN_FIELD(links_data, activation, KN_FIELD_ACTIVATION),
        KN_FIELD(links_data, task, KN_FIELD_TASK),
        KN_FIELD(links_data, timer, KN_FIELD_TIMER),
        KN_FIELD(links_data, spec, KN_FIELD_SPEC),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Links";
    def.size = sizeof(links_data);
    def.fields = links;
    def.field_count = COUNT(links);
    assert_int_equal(kn_component_register(f->library, &def, &f->links, NULL), KN_OK);
    const kn_field mark[] = {
        KN_FIELD(mark_data, number, KN_FIELD_U32), KN_FIELD(mark_data, effect, KN_FIELD_EFFECT)};
    def = kn_component_def_default();
    def.name = "Mark";
    def.size = sizeof(mark_data);
    def.fields = mark;
    def.field_count = COUNT(mark);
    def.several = true;
    assert_int_equal(kn_component_register(f->library, &def, &f->mark, NULL), KN_OK);
}

static void effects_register(fixture *f)
{
    kn_modifier_def hurt = kn_modifier_def_default(), raise = kn_modifier_def_default();
    hurt.attribute = f->health;
    hurt.magnitude = kn_magnitude_constant(-5.0f);
    kn_effect_def burn = timed("Burn", 30.0f);
    burn.is_periodic = true;
    burn.period = kn_magnitude_constant(1.0f);
    burn.modifiers = &hurt;
    burn.modifier_count = 1;
    burn.granted_tags = one(&f->stunned);
    f->burn = effect_register(f, &burn);
    raise.attribute = f->max_health;
    raise.magnitude = kn_magnitude_constant(30.0f);
    f->might = effect_of(f, "Might", KN_DURATION_INFINITE, &raise, 1);
    kn_grant_def grants = kn_grant_def_default();
    grants.ability = name_of(f, "Gifted");
    kn_effect_def gift = infinite("Gift");
    gift.grants = &grants;
    gift.grant_count = 1;
    f->gift = effect_register(f, &gift);
    f->weak = effect_of(f, "Weak", KN_DURATION_INFINITE, NULL, 0);
    kn_child_def child = kn_child_def_default();
    child.type = f->weak;
    child.remove_with_parent = true;
    kn_effect_def curse = infinite("Curse");
    curse.children = &child;
    curse.child_count = 1;
    f->curse = effect_register(f, &curse);
    for (uint32_t i = 0; i < COUNT(f->spare); i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Spare%u", i);
        f->spare[i] = effect_of(f, name, KN_DURATION_INFINITE, NULL, 0);
    }
}

static void abilities_register(fixture *f)
{
    static const kn_field state[] = {
        KN_FIELD(cast_state, task, KN_FIELD_TASK), KN_FIELD(cast_state, effect, KN_FIELD_EFFECT)};
    kn_ability_def cast = ability_def(f, "Cast");
    kn_cooldown_def cooldown = kn_cooldown_seconds(10.0f);
    cast.activate = cast_activate;
    cast.ended = NULL;
    cast.state_size = sizeof(cast_state);
    cast.state_fields = state;
    cast.state_field_count = COUNT(state);
    cast.cooldowns = &cooldown;
    cast.cooldown_count = 1;
    f->cast = ability_register(f, &cast);
    kn_ability_def gifted = ability_def(f, "Gifted");
    gifted.tags = one(&f->magic);
    f->gifted = ability_register(f, &gifted);
}

static void tags_register(fixture *f)
{
    f->stunned = tag_of(f, "State.Stunned");
    f->dead = tag_of(f, "State.Dead");
    f->sworn = tag_of(f, "State.Sworn");
    f->marked = tag_of(f, "State.Marked");
    f->counted = tag_of(f, "State.Counted");
    f->magic = tag_of(f, "Ability.Magic");
    f->aura = tag_of(f, "GameplayCue.Aura");
}

static fixture *library_prepare(void)
{
    const char *const names[] = {"Health", "MaxHealth", "Mana", "Stamina", "Haste"};
    kn_attribute_def attributes[5];
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = attribute_def(names[i], i == 4 ? 1.0f : 100.0f);
    }
    fixture *f = fixture_create(3);
    tags_register(f);
    fixture_set(f, "Vitals", attributes, 5);
    components_register(f);
    effects_register(f);
    abilities_register(f);
    assert_int_equal(kn_timer_type_register(f->library, "Ring", ring, NULL, &f->ring, NULL), KN_OK);
    kn_watch_def watch = kn_watch_def_default();
    watch.name = "Look";
    watch.trigger = KN_TRIGGER_TAG_ADDED;
    watch.tag = f->dead;
    watch.function = look;
    assert_int_equal(kn_watch_type_register(f->library, &watch, &f->look, NULL), KN_OK);
    return f;
}

// A world in which others have used the first slots and numbers.
static kn_world *receiver_create(fixture *f, kn_world_def def)
{
    kn_world *world = world_of(f, def);
    const kn_entity_id local = {200, 3};
    assert_int_equal(kn_entity_create_as(world, local), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_effect_apply_simple(world, f->weak, local, local, 1.0f, NULL), KN_OK);
        assert_int_equal(kn_timer_start(world, f->ring, local, KN_S(500), NULL, NULL), KN_OK);
    }
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = f->cast;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(world, local, &grant, &ability), KN_OK);
    assert_int_equal(kn_ability_activate(world, ability, NULL, NULL), KN_OK);
    return world;
}

static int setup_places(void **state)
{
    fixture *f = library_prepare();
    begin(f);
    kn_world_def def = kn_world_def_default();
    f->third = receiver_create(f, def);
    def.number_step = 16;
    f->other = receiver_create(f, def);
    *state = f;
    return 0;
}

static int teardown_places(void **state)
{
    fixture *f = *state;
    bool is_valid = kn_world_validate(f->other) && kn_world_validate(f->third);
    kn_world_destroy(f->other);
    kn_world_destroy(f->third);
    return teardown(state) == 0 && is_valid ? 0 : -1;
}

// Sending -------------------------------------------------------------------

#define WRONG 2 // ways in which each byte is made wrong

typedef struct bytes {
    uint8_t *data; // exactly as large as they are
    size_t size;
} bytes;

static kn_projection_filter places_for(kn_viewer viewer)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = viewer;
    filter.identity = KN_IDENTITY_PLACES;
    return filter;
}

static bytes taken(const kn_world *world, const kn_entity_id *entities, uint32_t count,
    const kn_projection_filter *filter)
{
    bytes b = {NULL, 0};
    assert_int_equal(kn_projection_take(world, entities, count, filter, NULL, 0, &b.size), KN_OK);
    b.data = malloc(b.size);
    assert_non_null(b.data);
    size_t written;
    assert_int_equal(
        kn_projection_take(world, entities, count, filter, b.data, b.size, &written), KN_OK);
    assert_int_equal(written, b.size);
    return b;
}

static bytes all_of(const kn_world *world, const kn_entity_id *entities, uint32_t count)
{
    kn_projection_filter filter = places_for(KN_VIEWER_ALL);
    return taken(world, entities, count, &filter);
}

static void accepted(kn_world *to, bytes b)
{
    kn_error error = {0};
    if (kn_projection_write(to, b.data, b.size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(kn_world_validate(to));
    assert_true(kn_projection_matches(to, b.data, b.size));
}

static void send(fixture *f, kn_world *to, const kn_entity_id *entities, uint32_t count,
    const kn_projection_filter *filter)
{
    bytes b = taken(f->world, entities, count, filter);
    accepted(to, b);
    free(b.data);
}

static void send_all(fixture *f, kn_world *to)
{
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    kn_projection_filter filter = places_for(KN_VIEWER_ALL);
    send(f, to, all, 4, &filter);
}

static void step_all(fixture *f, double seconds)
{
    step_seconds(f, seconds);
    assert_int_equal(kn_world_step(f->other, kn_time_from_seconds(seconds)), KN_OK);
    assert_int_equal(kn_world_step(f->third, kn_time_from_seconds(seconds)), KN_OK);
}

// That two worlds have the same entities, whatever the ids of their records.
static void assert_alike(const fixture *f, const kn_world *to)
{
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    bytes b = all_of(f->world, all, 4);
    assert_true(kn_projection_matches(to, b.data, b.size));
    free(b.data);
}

// Acting and looking --------------------------------------------------------

static kn_effect_id apply_in(
    const fixture *f, kn_world *world, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(world, type, f->foe, target, 1.0f, &effect), KN_OK);
    return effect;
}

static void watch_in(const fixture *f, kn_world *world, kn_entity_id entity, kn_watch_id *watch)
{
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = f->look;
    def.entity = entity;
    assert_int_equal(kn_watch_start(world, &def, watch), KN_OK);
}

static hero_records hero_prepare(fixture *f)
{
    hero_records r = {0};
    r.curse = afflict(f, f->curse);
    r.gift = afflict(f, f->gift);
    r.burn = afflict(f, f->burn);
    r.might = afflict(f, f->might);
    r.cast = grant(f, f->cast);
    r.casting = activate(f, r.cast);
    assert_int_equal(kn_activation_commit(f->world, r.casting), KN_OK);
    cast_state *state = kn_activation_state(f->world, r.casting);
    state->effect = r.might;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_timer_start(f->world, f->ring, f->hero, KN_S(60 - 10 * i), NULL, &r.timer), KN_OK);
        watch_in(f, f->world, f->hero, NULL);
    }
    assert_int_equal(kn_abilities_block(f->world, f->hero, one(&f->magic), f->foe, 9), KN_OK);
    assert_int_equal(kn_cue_add(f->world, f->hero, f->aura, NULL), KN_OK);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = f->burn;
    apply.source = f->hero;
    assert_int_equal(kn_spec_create(f->world, &apply, &r.spec), KN_OK);
    links_data *links = kn_component_add(f->world, f->links, f->hero);
    assert_non_null(links);
    *links = (links_data){f->ally, r.burn, r.cast, r.casting, state->task, r.timer, r.spec};
    for (uint32_t i = 0; i < 3; i++) {
        kn_component_id mark;
        assert_int_equal(kn_component_instance_add(f->world, f->mark, f->hero, &mark), KN_OK);
        mark_data *data = kn_component_instance_get(f->world, f->mark, mark);
        *data = (mark_data){5 + i, i == 1 ? r.gift : (kn_effect_id){0}};
    }
    return r;
}

static uint32_t effects_in(
    const kn_world *world, kn_entity_id entity, kn_effect_id *out, uint32_t capacity)
{
    kn_effect_query all = kn_effect_query_default();
    return kn_effects_find(world, entity, &all, out, capacity);
}

static kn_effect_id effect_in(const kn_world *world, kn_entity_id entity, kn_effect_type_id type)
{
    kn_effect_id found[32];
    uint32_t count = effects_in(world, entity, found, 32);
    for (uint32_t i = 0; i < count && i < 32; i++) {
        kn_effect_info info;
        if (kn_effect_get(world, found[i], &info) && info.type.index1 == type.index1) {
            return found[i];
        }
    }
    return (kn_effect_id){0};
}

static kn_ability_id ability_in(const kn_world *world, kn_entity_id entity, kn_ability_type_id type)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = type;
    kn_ability_id ability = {0};
    (void)kn_abilities_find(world, entity, &query, &ability, 1);
    return ability;
}

static uint32_t effect_types(
    const kn_world *world, kn_entity_id entity, uint32_t *types, uint32_t capacity)
{
    kn_effect_id found[32];
    uint32_t count = effects_in(world, entity, found, 32);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        kn_effect_info info;
        assert_true(kn_effect_get(world, found[i], &info));
        types[i] = info.type.index1;
    }
    return count;
}

static void assert_same_order(const fixture *f, const kn_world *to)
{
    uint32_t expected[32] = {0}, types[32] = {0};
    uint32_t count = effect_types(f->world, f->hero, expected, 32);
    assert_int_equal(effect_types(to, f->hero, types, 32), count);
    assert_memory_equal(types, expected, sizeof(types));
}

// What arrives --------------------------------------------------------------

static void every_kind_of_record_arrives_and_goes_on_alike(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    (void)apply_to(f, f->might, f->ally);
    step_all(f, 1.5);
    kn_world *worlds[] = {f->other, f->third};
    for (uint32_t i = 0; i < 2; i++) {
        kn_world *to = worlds[i];
        uint32_t watches = kn_watch_count(to);
        send_all(f, to);
        assert_int_equal(kn_effects_count(to, f->hero), 5);
        assert_same_order(f, to);
        assert_int_equal(kn_effects_count(to, f->ally), 1);
        assert_int_equal(kn_abilities_find(to, f->hero, NULL, NULL, 0), 2);
        kn_activation_id casting;
        assert_int_equal(kn_activations(to, f->hero, &casting, 1), 1);
        kn_task_id task;
        assert_int_equal(kn_tasks(to, casting, &task, 1), 1);
        kn_task_info info;
        assert_true(kn_task_get(to, task, &info));
        assert_int_equal(info.label, 3);
        assert_true(info.due == KN_S(20));
        assert_int_equal(kn_watch_count(to), watches + 3);
        assert_int_equal(kn_cue_count(to, f->hero, f->aura), 1);
        kn_blocked_tag blocked[2];
        assert_int_equal(kn_entity_blocked_tags(to, f->hero, blocked, 2), 1);
        assert_true(blocked[0].key == 9 && kn_entity_id_equal(blocked[0].source, f->foe));
        assert_near(kn_attribute_value(to, f->hero, f->max_health), 130.0f);
        assert_near(kn_attribute_value(to, f->hero, f->health), 90.0f);
        uint32_t number = 5;
        for (kn_component_id at = {0};;) {
            at = kn_component_instance_next(to, f->mark, f->hero, at);
            const mark_data *mark = kn_component_instance_read(to, f->mark, at);
            if (mark == NULL) {
                break;
            }
            assert_int_equal(mark->number, number++);
        }
        assert_int_equal(number, 8);
        assert_int_equal(kn_effects_count(to, (kn_entity_id){200, 3}), 3); // not concerned
        assert_alike(f, to);
    }
    for (uint32_t i = 0; i < 8; i++) { // the task ends, the cooldown, timers, the effect
        step_all(f, 7.25);
        assert_alike(f, f->other);
        assert_alike(f, f->third);
    }
    add_tag(f, f->hero, f->dead);
    assert_int_equal(kn_entity_add_tag(f->other, f->hero, f->dead, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_alike(f, f->other); // the watches were called
}

static void references_between_records_of_an_entity_are_right(void **state)
{
    fixture *f = *state;
    hero_records r = hero_prepare(f);
    send_all(f, f->other);
    const links_data *links = kn_component_read(f->other, f->links, f->hero);
    assert_non_null(links);
    assert_true(kn_entity_id_equal(links->entity, f->ally));
    assert_false(kn_effect_id_equal(links->effect, r.burn)); // ids of its own
    assert_true(kn_effect_id_equal(links->effect, effect_in(f->other, f->hero, f->burn)));
    kn_ability_id cast = ability_in(f->other, f->hero, f->cast);
    assert_true(kn_ability_is_alive(f->other, cast));
    assert_true(kn_ability_id_equal(links->ability, cast));
    kn_activation_id casting = {0};
    assert_int_equal(kn_activations(f->other, f->hero, &casting, 1), 1);
    assert_true(kn_activation_id_equal(links->activation, casting));
    kn_task_id task = {0};
    assert_int_equal(kn_tasks(f->other, casting, &task, 1), 1);
    assert_true(kn_task_id_equal(links->task, task));
    assert_true(kn_timer_remaining(f->other, links->timer) == KN_S(40)); // the third of them
    assert_false(kn_spec_id_equal(links->spec, r.spec));
    assert_int_equal(links->spec.index1, 0);
    const cast_state *cast_now = kn_activation_read_state(f->other, casting);
    assert_true(kn_task_id_equal(cast_now->task, task));
    assert_true(kn_effect_id_equal(cast_now->effect, effect_in(f->other, f->hero, f->might)));
    kn_component_id mark = {0};
    for (uint32_t i = 0; i < 2; i++) {
        mark = kn_component_instance_next(f->other, f->mark, f->hero, mark);
    }
    const mark_data *second = kn_component_instance_read(f->other, f->mark, mark);
    assert_true(kn_effect_id_equal(second->effect, effect_in(f->other, f->hero, f->gift)));
    // The effect that granted an ability takes it away again, and a parent its child.
    kn_ability_info info = {0};
    kn_ability_id gifted = ability_in(f->other, f->hero, f->gifted);
    assert_true(kn_ability_get(f->other, gifted, &info));
    assert_true(kn_effect_id_equal(info.effect, effect_in(f->other, f->hero, f->gift)));
    assert_int_equal(kn_effect_remove(f->other, info.effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_false(kn_ability_is_alive(f->other, gifted));
    kn_effect_id weak = effect_in(f->other, f->hero, f->weak);
    assert_true(kn_effect_is_alive(f->other, weak));
    kn_effect_id curse = effect_in(f->other, f->hero, f->curse);
    assert_int_equal(kn_effect_remove(f->other, curse, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_false(kn_effect_is_alive(f->other, weak));
    assert_true(kn_world_validate(f->other));
}

static void references_to_other_entities_and_cut_parts_are_null(void **state)
{
    fixture *f = *state;
    hero_records r = hero_prepare(f);
    kn_effect_id foreign = apply_to(f, f->might, f->ally);
    links_data *links = kn_component_add(f->world, f->links, f->foe);
    assert_non_null(links);
    *links = (links_data){f->hero, foreign, r.cast, r.casting, {0}, r.timer, r.spec};
    send_all(f, f->other);
    const links_data none = {.entity = f->hero};
    const links_data *seen = kn_component_read(f->other, f->links, f->foe);
    assert_memory_equal(seen, &none, sizeof(none));
    // The other world has all of it by now, but nobody says which effect is meant.
    kn_projection_filter filter = places_for(KN_VIEWER_ALL);
    filter.parts = KN_PARTS_ALL & ~(1u << KN_PART_EFFECTS) & ~(1u << KN_PART_TIMERS) &
                   ~(1u << KN_PART_ATTRIBUTES) & ~(1u << KN_PART_TAGS);
    send(f, f->other, &f->hero, 1, &filter);
    seen = kn_component_read(f->other, f->links, f->hero);
    assert_int_equal(seen->effect.index1, 0);
    assert_int_equal(seen->timer.index1, 0);
    assert_true(kn_task_is_alive(f->other, seen->task));
    kn_ability_info info = {0};
    assert_true(kn_ability_get(f->other, ability_in(f->other, f->hero, f->gifted), &info));
    assert_int_equal(info.effect.index1, 0);
    assert_int_equal(kn_effects_count(f->other, f->hero), 5); // they stay
    filter.parts = 1u << KN_PART_ENTITY | 1u << KN_PART_COMPONENTS;
    send(f, f->other, &f->hero, 1, &filter);
    const links_data only = {.entity = f->ally};
    assert_memory_equal(kn_component_read(f->other, f->links, f->hero), &only, sizeof(only));
    assert_int_equal(kn_abilities_find(f->other, f->hero, NULL, NULL, 0), 2);
    send_all(f, f->other);
    assert_alike(f, f->other);
}

// Ids -----------------------------------------------------------------------

static void records_that_are_there_keep_their_ids(void **state)
{
    fixture *f = *state;
    hero_records r = hero_prepare(f);
    send_all(f, f->other);
    const links_data before = *(const links_data *)kn_component_read(f->other, f->links, f->hero);
    kn_effect_id might = effect_in(f->other, f->hero, f->might);
    kn_component_id mark =
        kn_component_instance_next(f->other, f->mark, f->hero, (kn_component_id){0});
    assert_int_equal(kn_effect_set_remaining(f->world, r.burn, KN_S(12)), KN_OK);
    assert_int_equal(kn_effect_set_level(f->world, r.might, 4.0f), KN_OK);
    assert_int_equal(kn_ability_set_user(f->world, r.cast, 77), KN_OK);
    kn_component_id mark_here =
        kn_component_instance_next(f->world, f->mark, f->hero, (kn_component_id){0});
    ((mark_data *)kn_component_instance_get(f->world, f->mark, mark_here))->number = 99;
    for (uint32_t i = 0; i < 3; i++) {
        send_all(f, f->other);
        const links_data *links = kn_component_read(f->other, f->links, f->hero);
        assert_memory_equal(links, &before, sizeof(before));
        assert_true(kn_effect_remaining(f->other, before.effect) == KN_S(12));
        kn_effect_info info;
        assert_true(kn_effect_get(f->other, might, &info));
        assert_near(info.level, 4.0f);
        kn_ability_info ability;
        assert_true(kn_ability_get(f->other, before.ability, &ability));
        assert_true(ability.user == 77);
        assert_true(kn_activation_is_alive(f->other, before.activation));
        assert_true(kn_task_is_alive(f->other, before.task));
        assert_true(kn_timer_is_alive(f->other, before.timer));
        const mark_data *data = kn_component_instance_read(f->other, f->mark, mark);
        assert_non_null(data);
        assert_int_equal(data->number, 99);
    }
}

// Both receivers have applied Might and Burn themselves; the first world other things in between.
static void in_between(fixture *f, uint32_t count, kn_effect_id *kept)
{
    kn_world *worlds[] = {f->other, f->third};
    for (uint32_t i = 0; i < 2; i++) {
        send_all(f, worlds[i]);
        kept[i * 2] = apply_in(f, worlds[i], f->might, f->hero);
        kept[i * 2 + 1] = apply_in(f, worlds[i], f->burn, f->hero);
    }
    (void)afflict(f, f->might);
    for (uint32_t i = 0; i < count; i++) {
        (void)afflict(f, f->spare[i]);
    }
    (void)afflict(f, f->burn);
    for (uint32_t i = 0; i < 2; i++) {
        send_all(f, worlds[i]);
        assert_int_equal(kn_effects_count(worlds[i], f->hero), count + 2);
        assert_same_order(f, worlds[i]);
        assert_true(kn_effect_is_alive(worlds[i], kept[i * 2]));
    }
}

static void with_room_between_numbers_later_records_keep_theirs(void **state)
{
    fixture *f = *state;
    kn_effect_id kept[4];
    in_between(f, 1, kept);
    assert_true(kn_effect_id_equal(kept[1], effect_in(f->other, f->hero, f->burn)));
    assert_false(kn_effect_is_alive(f->third, kept[3])); // there was no room
    // And again, in front of what came in between, until there is no room any more.
    step_all(f, 2.0);
    assert_alike(f, f->other);
    assert_alike(f, f->third);
}

static void fifteen_records_have_room_and_more_lose_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_id kept[4];
    in_between(f, 15, kept);
    assert_true(kn_effect_is_alive(f->other, kept[1]));
    remove_effect(f, effect_in(f->world, f->hero, f->might));
    remove_effect(f, effect_in(f->world, f->hero, f->burn));
    for (uint32_t i = 0; i < 15; i++) {
        remove_effect(f, effect_in(f->world, f->hero, f->spare[i]));
    }
    send_all(f, f->other);
    send_all(f, f->third);
    assert_int_equal(kn_effects_count(f->other, f->hero), 0);
    in_between(f, 20, kept);
    assert_false(kn_effect_is_alive(f->other, kept[1]));
    step_all(f, 2.0);
    assert_alike(f, f->other);
    assert_alike(f, f->third);
}

static void an_order_that_is_another_one_arrives(void **state)
{
    fixture *f = *state;
    kn_world *worlds[] = {f->other, f->third};
    (void)afflict(f, f->might);
    (void)afflict(f, f->spare[0]);
    (void)afflict(f, f->burn);
    for (uint32_t i = 0; i < 2; i++) {
        send_all(f, worlds[i]);
    }
    for (uint32_t round = 0; round < 40; round++) { // the first one becomes the last
        kn_effect_id first;
        assert_int_equal(effects_in(f->world, f->hero, &first, 1), 3);
        kn_effect_info info;
        assert_true(kn_effect_get(f->world, first, &info));
        remove_effect(f, first);
        (void)afflict(f, info.type);
        for (uint32_t i = 0; i < 2; i++) {
            send_all(f, worlds[i]);
            assert_same_order(f, worlds[i]);
        }
    }
}

static void records_that_are_gone_go(void **state)
{
    fixture *f = *state;
    hero_records r = hero_prepare(f);
    send_all(f, f->other);
    const links_data before = *(const links_data *)kn_component_read(f->other, f->links, f->hero);
    kn_effect_id might = effect_in(f->other, f->hero, f->might);
    remove_effect(f, r.might);
    remove_effect(f, r.gift);
    assert_true(kn_timer_cancel(f->world, r.timer));
    assert_int_equal(kn_activation_end(f->world, r.casting), KN_OK);
    step_all(f, 0.0);
    send_all(f, f->other);
    assert_false(kn_effect_is_alive(f->other, might));
    assert_true(kn_effect_is_alive(f->other, before.effect)); // Burn
    assert_int_equal(ability_in(f->other, f->hero, f->gifted).index1, 0);
    assert_true(kn_ability_is_alive(f->other, before.ability));
    assert_false(kn_activation_is_alive(f->other, before.activation));
    assert_false(kn_task_is_alive(f->other, before.task));
    const links_data *links = kn_component_read(f->other, f->links, f->hero);
    assert_int_equal(links->timer.index1, 0);
    assert_int_equal(links->activation.index1, 0);
    assert_near(kn_attribute_value(f->other, f->hero, f->max_health), 100.0f);
}

// Watches that belong to something ------------------------------------------

static void watches_of_components_arrive(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    kn_component_id second = {0};
    for (uint32_t i = 0; i < 2; i++) {
        second = kn_component_instance_next(f->world, f->mark, f->hero, second);
    }
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = f->look;
    def.entity = f->hero;
    def.owner = f->hero;
    def.component_type = f->mark;
    def.component = second;
    assert_int_equal(kn_watch_start(f->world, &def, NULL), KN_OK);
    def.component_type = f->links;
    def.component = (kn_component_id){0};
    assert_int_equal(kn_watch_start(f->world, &def, NULL), KN_OK);
    uint32_t watches = kn_watch_count(f->other);
    for (uint32_t i = 0; i < 2; i++) {
        send_all(f, f->other);
        assert_int_equal(kn_watch_count(f->other), watches + 5);
    }
    // Without components they arrive alone.
    kn_projection_filter filter = places_for(KN_VIEWER_ALL);
    filter.parts = 1u << KN_PART_ENTITY | 1u << KN_PART_WATCHES;
    send(f, f->third, &f->hero, 1, &filter);
    assert_int_equal(kn_watch_count(f->third), 5);
    // They end with their components.
    kn_component_id there = {0};
    for (uint32_t i = 0; i < 2; i++) {
        there = kn_component_instance_next(f->other, f->mark, f->hero, there);
    }
    assert_true(kn_component_instance_remove(f->other, f->mark, there));
    assert_int_equal(kn_watch_count(f->other), watches + 4);
    assert_true(kn_component_remove(f->other, f->links, f->hero));
    assert_int_equal(kn_watch_count(f->other), watches + 3);
}

// A component of another entity is cut; the watch is there.
static void a_watch_of_somebody_elses_component_arrives_without_it(void **state)
{
    fixture *f = *state;
    kn_component_id mark;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_component_instance_add(f->world, f->mark, f->ally, &mark), KN_OK);
    }
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = f->look;
    def.entity = f->hero;
    def.owner = f->ally;
    def.component_type = f->mark;
    def.component = mark;
    assert_int_equal(kn_watch_start(f->world, &def, NULL), KN_OK);
    send_all(f, f->other);
    assert_int_equal(kn_watch_count(f->other), 1);
    assert_true(kn_entity_destroy(f->other, f->ally));
    assert_int_equal(kn_world_step(f->other, 0), KN_OK);
    assert_int_equal(kn_watch_count(f->other), 0); // it ends with its owner all the same
}

static void a_watch_arrives_without_an_owner_that_is_not_there(void **state)
{
    fixture *f = *state;
    kn_watch_start_def def = kn_watch_start_def_default();
    def.type = f->look;
    def.entity = f->hero;
    def.owner = f->ally;
    assert_int_equal(kn_watch_start(f->world, &def, NULL), KN_OK);
    bytes b = all_of(f->world, &f->hero, 1);
    assert_int_equal(kn_projection_write(f->other, b.data, b.size, NULL), KN_OK);
    assert_true(kn_world_validate(f->other));
    assert_int_equal(kn_watch_count(f->other), 1);
    free(b.data);
    send_all(f, f->other);
    assert_alike(f, f->other);
}

// Tags ----------------------------------------------------------------------

static uint32_t tag_count(const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    return kn_entity_tag_count_origin(world, entity, tag, KN_TAG_ORIGIN_LOOSE) +
           kn_entity_tag_count_origin(world, entity, tag, KN_TAG_ORIGIN_LOOSE_SYNCED);
}

// TAG-062, TAG-065
static void loose_tags_arrive_as_their_rule_says(void **state)
{
    fixture *f = *state;
    static const struct {
        kn_viewer viewer;
        uint32_t none, tag, owner, all; // what arrives of 3
    } cases[] = {
        {KN_VIEWER_OTHERS, 0, 1, 1, 3},
        {KN_VIEWER_OWNER, 0, 1, 3, 3},
        {KN_VIEWER_ALL, 3, 3, 3, 3},
    };
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(
            kn_entity_add_loose_tag(f->world, f->hero, f->stunned, KN_TAG_SYNC_NONE), KN_OK);
        assert_int_equal(
            kn_entity_add_loose_tag(f->world, f->hero, f->sworn, KN_TAG_SYNC_TAG), KN_OK);
        assert_int_equal(
            kn_entity_add_loose_tag(f->world, f->hero, f->marked, KN_TAG_SYNC_COUNT_OWNER), KN_OK);
        assert_int_equal(
            kn_entity_add_loose_tag(f->world, f->hero, f->counted, KN_TAG_SYNC_COUNT_ALL), KN_OK);
    }
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_projection_filter filter = places_for(cases[i].viewer);
        for (uint32_t j = 0; j < 2; j++) { // the second time changes nothing
            send(f, f->other, &f->hero, 1, &filter);
            assert_int_equal(tag_count(f->other, f->hero, f->stunned), cases[i].none);
            assert_int_equal(tag_count(f->other, f->hero, f->sworn), cases[i].tag);
            assert_int_equal(tag_count(f->other, f->hero, f->marked), cases[i].owner);
            assert_int_equal(tag_count(f->other, f->hero, f->counted), cases[i].all);
        }
    }
    // What is gone goes.
    assert_int_equal(
        kn_entity_set_tag_count(f->world, f->hero, f->counted, KN_TAG_ORIGIN_LOOSE_SYNCED, 0),
        KN_OK);
    kn_projection_filter filter = places_for(KN_VIEWER_OTHERS);
    send(f, f->other, &f->hero, 1, &filter);
    assert_false(kn_entity_has_tag(f->other, f->hero, f->counted));
}

// TAG-062, TVE-104: a loose tag of the owner's machine is neither sent nor taken away.
static void a_machine_keeps_its_own_loose_tags(void **state)
{
    fixture *f = *state;
    static const kn_viewer viewers[] = {KN_VIEWER_OTHERS, KN_VIEWER_OWNER};
    send_all(f, f->other);
    assert_int_equal(kn_entity_add_tag(f->other, f->hero, f->dead, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    assert_int_equal(kn_entity_add_loose_tag(f->world, f->hero, f->dead, KN_TAG_SYNC_TAG), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        kn_projection_filter filter = places_for(viewers[i]);
        send(f, f->other, &f->hero, 1, &filter);
        assert_int_equal(
            kn_entity_tag_count_origin(f->other, f->hero, f->dead, KN_TAG_ORIGIN_LOOSE), 2);
        assert_int_equal(
            kn_entity_tag_count_origin(f->other, f->hero, f->dead, KN_TAG_ORIGIN_LOOSE_SYNCED), 1);
    }
    assert_int_equal(
        kn_entity_set_tag_count(f->world, f->hero, f->dead, KN_TAG_ORIGIN_LOOSE_SYNCED, 0), KN_OK);
    for (uint32_t i = 0; i < 2; i++) {
        kn_projection_filter filter = places_for(viewers[i]);
        send(f, f->other, &f->hero, 1, &filter);
        assert_int_equal(tag_count(f->other, f->hero, f->dead), 2);
        // What the owner's machine has for itself reaches nobody else.
        bytes b = taken(f->other, &f->hero, 1, &filter);
        accepted(f->third, b);
        accepted(f->world, b);
        free(b.data);
        assert_false(kn_entity_has_tag(f->world, f->hero, f->dead));
        assert_false(kn_entity_has_tag(f->third, f->hero, f->dead));
    }
    // Respawn.
    assert_int_equal(
        kn_entity_set_tag_count(f->other, f->hero, f->dead, KN_TAG_ORIGIN_LOOSE, 0), KN_OK);
    assert_false(kn_entity_has_tag(f->other, f->hero, f->dead));
}

// Streams, entities that are gone -------------------------------------------

static void hidden_streams_stay_as_they_are(void **state)
{
    fixture *f = *state;
    const kn_entity_id world_itself = {0};
    for (uint32_t i = 0; i < 5; i++) {
        (void)kn_random_u32(f->world, 2);
        (void)kn_random_u32(f->world, 3);
        (void)kn_random_u32(f->other, 3);
        (void)kn_random_u32(f->other, 3);
        (void)kn_random_u32(f->third, 3);
        (void)kn_random_u32(f->third, 3);
    }
    kn_projection_filter filter = places_for(KN_VIEWER_OTHERS);
    filter.hidden_streams = (uint64_t)1 << 3;
    send(f, f->other, &world_itself, 1, &filter);
    assert_int_equal(kn_random_u32(f->other, 3), kn_random_u32(f->third, 3));
    assert_int_equal(kn_random_u32(f->other, 2), kn_random_u32(f->world, 2));
    filter.hidden_streams = 0;
    send(f, f->other, &world_itself, 1, &filter);
    assert_int_equal(kn_random_u32(f->other, 3), kn_random_u32(f->world, 3));
    assert_int_equal(kn_random_u32(f->other, 2), kn_random_u32(f->world, 2));
}

static void what_somebody_does_not_see_any_more_is_destroyed(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    send_all(f, f->other);
    kn_effect_id burn = effect_in(f->other, f->hero, f->burn);
    kn_projection_filter filter = places_for(KN_VIEWER_OTHERS);
    filter.is_gone = true;
    bytes b = taken(f->world, &f->hero, 1, &filter);
    assert_false(kn_projection_matches(f->other, b.data, b.size));
    for (uint32_t i = 0; i < 2; i++) {
        accepted(f->other, b);
        assert_false(kn_entity_is_alive(f->other, f->hero));
        assert_false(kn_effect_is_alive(f->other, burn));
        assert_true(kn_entity_is_alive(f->other, f->foe));
        assert_true(kn_entity_is_alive(f->world, f->hero));
    }
    free(b.data);
    send_all(f, f->other); // and back
    assert_alike(f, f->other);
}

static void only_what_a_projection_covers_has_to_match(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    send_all(f, f->other);
    kn_projection_filter filter = places_for(KN_VIEWER_OTHERS);
    filter.parts = KN_PARTS_ALL & ~(1u << KN_PART_ATTRIBUTES);
    bytes most = taken(f->world, &f->hero, 1, &filter), all = all_of(f->world, &f->hero, 1);
    assert_int_equal(kn_attribute_set_base(f->other, f->hero, f->mana, 0, 7.0f), KN_OK);
    assert_true(kn_projection_matches(f->other, most.data, most.size));
    assert_false(kn_projection_matches(f->other, all.data, all.size));
    accepted(f->other, all);
    (void)apply_in(f, f->other, f->spare[0], f->hero);
    assert_false(kn_projection_matches(f->other, most.data, most.size));
    assert_false(kn_projection_matches(f->other, most.data, most.size - 1));
    assert_false(kn_projection_matches(f->other, most.data, 0));
    free(most.data);
    free(all.data);
}

// Several at once -----------------------------------------------------------

static kn_result write_two(kn_world *to, bytes a, bytes b)
{
    const kn_projection two[] = {{a.data, a.size}, {b.data, b.size}};
    uint64_t before = kn_world_hash(to);
    kn_error error = {0};
    kn_result result = kn_projections_write(to, two, 2, &error);
    assert_true(kn_world_validate(to));
    assert_true(result == KN_OK || kn_world_hash(to) == before);
    assert_true((result == KN_OK) == (error.message[0] == 0));
    return result;
}

static void two_projections_have_filters_of_their_own(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    (void)apply_to(f, f->burn, f->foe);
    kn_projection_filter owner = places_for(KN_VIEWER_OWNER), others = places_for(KN_VIEWER_OTHERS);
    others.parts = KN_PARTS_ALL & ~(1u << KN_PART_EFFECTS);
    const kn_entity_id rest[] = {f->foe, f->ally};
    bytes a = taken(f->world, &f->hero, 1, &owner), b = taken(f->world, rest, 2, &others);
    for (uint32_t i = 0; i < 4; i++) { // in both orders, and again
        assert_int_equal(write_two(f->other, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a), KN_OK);
        assert_true(kn_projection_matches(f->other, a.data, a.size));
        assert_true(kn_projection_matches(f->other, b.data, b.size));
    }
    assert_int_equal(kn_effects_count(f->other, f->hero), 5);
    assert_int_equal(kn_effects_count(f->other, f->foe), 0);
    assert_int_equal(
        kn_entity_tag_count_origin(f->other, f->foe, f->stunned, KN_TAG_ORIGIN_MINIMAL), 1);
    free(a.data);
    free(b.data);
}

static void one_that_is_bad_spoils_all(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    send_all(f, f->other);
    (void)afflict(f, f->spare[1]);
    (void)apply_to(f, f->spare[2], f->foe);
    bytes a = all_of(f->world, &f->hero, 1), b = all_of(f->world, &f->foe, 1);
    bytes cut = {b.data, b.size - 1}, none = {b.data, 0};
    assert_int_equal(write_two(f->other, a, cut), KN_ERROR_BAD_DATA);
    assert_int_equal(write_two(f->other, cut, a), KN_ERROR_BAD_DATA);
    assert_int_equal(write_two(f->other, a, none), KN_ERROR_BAD_DATA);
    assert_int_equal(write_two(f->other, none, a), KN_ERROR_BAD_DATA);
    const kn_projection three[] = {{a.data, a.size}, {cut.data, cut.size}, {a.data, a.size}};
    uint64_t before = kn_world_hash(f->other);
    assert_int_equal(kn_projections_write(f->other, three, 3, NULL), KN_ERROR_BAD_DATA);
    assert_true(kn_world_hash(f->other) == before);
    assert_int_equal(kn_projections_write(f->other, NULL, 0, NULL), KN_OK);
    assert_true(kn_world_hash(f->other) == before);
    assert_int_equal(write_two(f->other, a, b), KN_OK);
    assert_alike(f, f->other);
    free(a.data);
    free(b.data);
}

static void the_same_entity_twice_is_there_once(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    assert_int_equal(
        kn_timer_start(f->world, f->ring, (kn_entity_id){0}, KN_S(70), NULL, NULL), KN_OK);
    watch_in(f, f->world, (kn_entity_id){0}, NULL);
    const kn_entity_id twice[] = {{0}, f->foe, f->ally, f->hero, {0}, f->hero, f->foe};
    kn_projection_filter filter = places_for(KN_VIEWER_ALL);
    uint32_t watches = kn_watch_count(f->other);
    for (uint32_t i = 0; i < 3; i++) {
        send(f, f->other, twice, COUNT(twice), &filter);
        assert_alike(f, f->other);
        assert_int_equal(kn_effects_count(f->other, f->hero), 5);
        assert_int_equal(kn_watch_count(f->other), watches + 4);
    }
    bytes a = all_of(f->world, twice, 4), b = all_of(f->world, twice + 3, 2);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(write_two(f->other, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a), KN_OK);
        assert_alike(f, f->other);
    }
    free(a.data);
    free(b.data);
    // Different parts of one entity: each brings its own.
    kn_effect_id burn = effect_in(f->other, f->hero, f->burn);
    kn_projection_filter effects = places_for(KN_VIEWER_ALL), rest = effects;
    effects.parts = 1u << KN_PART_ENTITY | 1u << KN_PART_EFFECTS;
    rest.parts = KN_PARTS_ALL & ~(1u << KN_PART_EFFECTS) & ~(1u << KN_PART_ATTRIBUTES) &
                 ~(1u << KN_PART_TAGS);
    (void)afflict(f, f->spare[3]);
    a = taken(f->world, &f->hero, 1, &effects);
    b = taken(f->world, &f->hero, 1, &rest);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(write_two(f->other, i % 2 == 0 ? a : b, i % 2 == 0 ? b : a), KN_OK);
        assert_true(kn_effect_is_alive(f->other, burn));
        assert_int_equal(kn_effects_count(f->other, f->hero), 6);
        assert_int_equal(kn_abilities_find(f->other, f->hero, NULL, NULL, 0), 2);
    }
    free(a.data);
    free(b.data);
}

static void an_avatar_and_its_owner_come_apart(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    kn_entity_id body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    bytes a = all_of(f->world, &f->foe, 1), b = all_of(f->world, &body, 1);
    accepted(f->other, a); // the source of a block
    accepted(f->third, a);
    free(a.data);
    a = all_of(f->world, &f->hero, 1);
    uint64_t before = kn_world_hash(f->other);
    assert_int_equal(
        kn_projection_write(f->other, a.data, a.size, NULL), KN_ERROR_BAD_DATA); // no body
    assert_true(kn_world_hash(f->other) == before);
    kn_world *worlds[] = {f->other, f->third};
    for (uint32_t i = 0; i < 4; i++) {
        kn_world *to = worlds[i % 2];
        assert_int_equal(write_two(to, i < 2 ? a : b, i < 2 ? b : a), KN_OK);
        assert_true(kn_entity_id_equal(kn_entity_avatar(to, f->hero), body));
        assert_int_equal(kn_effects_count(to, body), 5);
        assert_true(kn_projection_matches(to, a.data, a.size));
        assert_true(kn_projection_matches(to, b.data, b.size));
    }
    // Each of them alone, now that the other is there.
    accepted(f->other, a);
    accepted(f->other, b);
    free(a.data);
    free(b.data);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, (kn_entity_id){0}), KN_OK);
    a = all_of(f->world, &f->hero, 1);
    accepted(f->other, a);
    free(a.data);
    assert_true(kn_entity_id_equal(kn_entity_avatar(f->other, f->hero), f->hero));
}

// Bad input, no memory ------------------------------------------------------

// Two entities, the world, and everything on one of them.
static bytes rich_bytes(fixture *f, kn_viewer viewer)
{
    (void)hero_prepare(f);
    assert_int_equal(
        kn_entity_add_loose_tag(f->world, f->hero, f->counted, KN_TAG_SYNC_COUNT_ALL), KN_OK);
    const kn_entity_id some[] = {{0}, f->foe, f->hero};
    kn_projection_filter filter = places_for(viewer);
    return taken(f->world, some, 3, &filter);
}

// Refused, and the world is as it was; or a world that is good.
static void harmless(kn_world *to, const uint8_t *data, size_t size, bool is_cut)
{
    uint64_t before = kn_world_hash(to);
    kn_error error = {0};
    kn_result result = kn_projection_write(to, data, size, &error);
    assert_true(result == KN_ERROR_BAD_DATA || (result == KN_OK && !is_cut));
    if (result != KN_OK) {
        assert_true(error.message[0] != 0);
        assert_true(kn_world_hash(to) == before);
    }
    assert_true(kn_world_validate(to));
}

static void any_cut_and_any_wrong_byte_is_harmless(void **state)
{
    fixture *f = *state;
    bytes whole = rich_bytes(f, KN_VIEWER_OWNER);
    send_all(f, f->other);
    assert_int_equal(
        kn_entity_add_tag(f->other, f->hero, f->counted, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    size_t size;
    void *snapshot = snapshot_of(f->other, &size);
    kn_world *worlds[] = {f->other, f->third}; // one that has them, and one that does not
    for (size_t i = 0; i < whole.size; i += SHARE(5)) {
        uint8_t *cut = malloc(i + 1);
        assert_non_null(cut);
        memcpy(cut, whole.data, i);
        harmless(worlds[i % 2], cut, i, true);
        free(cut);
    }
    for (size_t i = 0; i < whole.size * WRONG; i += SHARE(5)) {
        uint8_t right = whole.data[i / WRONG];
        static const uint8_t masks[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
        whole.data[i / WRONG] ^= masks[(i / WRONG + i % WRONG) % COUNT(masks)];
        harmless(worlds[i % 2], whole.data, whole.size, false);
        whole.data[i / WRONG] = right;
        if (i % 16 == 0) {
            snapshot_restore(f->other, snapshot, size);
        }
    }
    snapshot_restore(f->other, snapshot, size);
    accepted(f->other, whole);
    free(snapshot);
    free(whole.data);
}

// An allocator that fails once, at the `fail_at`th request for more.
typedef struct failing {
    uint64_t requests, fail_at; // 0: never
    size_t bytes;
} failing;

static void *failing_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    failing *memory = user;
    assert_true((ptr == NULL) == (old_size == 0));
    if (new_size > old_size && ++memory->requests == memory->fail_at) {
        return NULL;
    }
    memory->bytes = memory->bytes - old_size + new_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    assert_non_null(block);
    return block;
}

// Writes into a new world; the allocation that fails is counted from the call on. True if there
// were not so many.
static bool written_without(fixture *f, const kn_projection *two, bool is_there, uint64_t fail_at)
{
    failing memory = {0};
    kn_world_def def = kn_world_def_default();
    def.hooks.realloc_fn = failing_realloc;
    def.hooks.realloc_user = &memory;
    kn_world *to = world_of(f, def);
    if (is_there) {
        assert_int_equal(kn_projections_write(to, two, 2, NULL), KN_OK);
        (void)apply_in(f, to, f->spare[0], f->hero);
        assert_int_equal(kn_abilities_remove(to, f->hero, NULL, KN_GRANT_CANCEL), 2);
    }
    uint64_t before = kn_world_hash(to);
    memory.requests = 0;
    memory.fail_at = fail_at;
    kn_result result = kn_projections_write(to, two, 2, NULL);
    bool has_failed = memory.requests >= fail_at, is_past = !has_failed;
    memory.fail_at = 0;
    assert_true(result == KN_OK || (has_failed && result == KN_ERROR_OUT_OF_MEMORY));
    assert_true(result == KN_OK || kn_world_hash(to) == before);
    assert_true(kn_world_validate(to));
    if (result != KN_OK) {
        assert_int_equal(kn_projections_write(to, two, 2, NULL), KN_OK);
    }
    // The same for those that only read.
    for (uint64_t i = 1; i <= 40; i += 13) {
        size_t written;
        memory.requests = 0;
        memory.fail_at = i;
        kn_projection_filter filter = places_for(KN_VIEWER_ALL);
        result = kn_projection_take(to, &f->hero, 1, &filter, NULL, 0, &written);
        has_failed = memory.requests >= i;
        assert_int_equal(result, has_failed ? KN_ERROR_OUT_OF_MEMORY : KN_OK);
        memory.requests = 0;
        bool matches = kn_projection_matches(to, two[0].bytes, two[0].size);
        assert_true(matches || memory.requests >= i);
    }
    memory.fail_at = 0;
    assert_true(kn_projection_matches(to, two[0].bytes, two[0].size));
    kn_world_destroy(to);
    assert_int_equal(memory.bytes, 0);
    return is_past;
}

static void running_out_of_memory_changes_nothing(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id rest[] = {{0}, f->foe, f->ally};
    bytes a = all_of(f->world, &f->hero, 1), b = all_of(f->world, rest, 3);
    const kn_projection two[] = {{a.data, a.size}, {b.data, b.size}};
    for (uint32_t is_there = 0; is_there < 2; is_there++) {
        uint64_t fail_at = 1;
        while (!written_without(f, two, is_there != 0, fail_at)) {
            fail_at++;
        }
        assert_true(fail_at > 10);
    }
    free(a.data);
    free(b.data);
}

#define PLACED(test) cmocka_unit_test_setup_teardown(test, setup_places, teardown_places)
static const struct CMUnitTest tests[] = {
    PLACED(every_kind_of_record_arrives_and_goes_on_alike),
    PLACED(references_between_records_of_an_entity_are_right),
    PLACED(references_to_other_entities_and_cut_parts_are_null),
    PLACED(records_that_are_there_keep_their_ids),
    PLACED(with_room_between_numbers_later_records_keep_theirs),
    PLACED(fifteen_records_have_room_and_more_lose_nothing),
    PLACED(an_order_that_is_another_one_arrives),
    PLACED(records_that_are_gone_go),
    PLACED(watches_of_components_arrive),
    PLACED(a_watch_of_somebody_elses_component_arrives_without_it),
    PLACED(a_watch_arrives_without_an_owner_that_is_not_there),
    PLACED(loose_tags_arrive_as_their_rule_says),
    PLACED(a_machine_keeps_its_own_loose_tags),
    PLACED(hidden_streams_stay_as_they_are),
    PLACED(what_somebody_does_not_see_any_more_is_destroyed),
    PLACED(only_what_a_projection_covers_has_to_match),
    PLACED(two_projections_have_filters_of_their_own),
    PLACED(one_that_is_bad_spoils_all),
    PLACED(the_same_entity_twice_is_there_once),
    PLACED(an_avatar_and_its_owner_come_apart),
    PLACED(any_cut_and_any_wrong_byte_is_harmless),
    PLACED(running_out_of_memory_changes_nothing),
};

TEST_GROUP(projection_places, tests, NULL, NULL);
