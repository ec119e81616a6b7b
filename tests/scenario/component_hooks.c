// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of component types: when they are called, what they see and what they may do.

typedef struct fixture fixture;
#define FIXTURE_OWN                                                                                \
    kn_component_type_id bag;  /* several, with hooks */                                           \
    kn_component_type_id flag; /* one, with hooks */                                               \
    kn_component_type_id plain;                                                                    \
    kn_effect_type_id mark;                                                                        \
    void (*in_added)(struct fixture * f, const kn_component_call *call);                           \
    void (*in_removed)(struct fixture * f, const kn_component_call *call);

#include "scenario/effect_fixture.h"

typedef struct bag_data {
    kn_entity_id from;
    uint32_t number;
    uint32_t spare;
} bag_data;

static const bag_data *data_of(const kn_component_call *call)
{
    return kn_component_id_is_null(call->component)
               ? kn_component_read(call->world, call->type, call->entity)
               : kn_component_instance_read(call->world, call->type, call->component);
}

static const char *type_name(const fixture *f, kn_component_type_id type)
{
    return kn_component_name(kn_world_library(f->world), type);
}

static void bag_added(void *user, const kn_component_call *call)
{
    fixture *f = user;
    assert_ptr_equal(call->world, f->world);
    assert_int_equal(data_of(call)->number, 0);
    note(f, "+%s%u ", type_name(f, call->type), call->entity.index1);
    if (f->in_added != NULL) {
        f->in_added(f, call);
    }
}

static void bag_removed(void *user, const kn_component_call *call)
{
    fixture *f = user;
    assert_true(call->entity.index1 == 0 || kn_entity_is_alive(call->world, call->entity));
    note(f, "-%s%u:%u ", type_name(f, call->type), call->entity.index1, data_of(call)->number);
    if (f->in_removed != NULL) {
        f->in_removed(f, call);
    }
}

static kn_component_type_id bag_register(
    fixture *f, kn_library *library, const char *name, bool several, bool has_hooks)
{
    static const kn_field fields[] = {
        KN_FIELD_INIT("from", KN_FIELD_ENTITY, 0, 1),
        KN_FIELD_INIT("number", KN_FIELD_U32, 8, 1),
        KN_FIELD_INIT("spare", KN_FIELD_U32, 12, 1),
    };
    kn_component_def def = kn_component_def_default();
    def.name = name;
    def.size = sizeof(bag_data);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.several = several;
    if (has_hooks) {
        def.added = bag_added;
        def.removed = bag_removed;
        def.user = f;
    }
    kn_component_type_id type;
    assert_int_equal(kn_component_register(library, &def, &type, NULL), KN_OK);
    return type;
}

static int hooks_setup(void **state)
{
    int result = setup(state);
    fixture *f = *state;
    f->plain = bag_register(f, f->library, "Plain", false, false);
    f->bag = bag_register(f, f->library, "Bag", true, true);
    f->flag = bag_register(f, f->library, "Flag", false, true);
    kn_effect_def def = infinite("Mark");
    f->mark = effect_register(f, &def);
    begin(f);
    return result;
}

#define HOOKED(test) cmocka_unit_test_setup_teardown(test, hooks_setup, teardown)

static kn_component_id bag_add(fixture *f, kn_entity_id entity, uint32_t number)
{
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(f->world, f->bag, entity, &id), KN_OK);
    bag_data *data = kn_component_instance_get(f->world, f->bag, id);
    data->number = number;
    data->from = f->ally;
    return id;
}

static void hooks_are_called_once_for_each_component(void **state)
{
    fixture *f = *state;
    kn_component_id first = bag_add(f, f->hero, 1);
    (void)bag_add(f, f->foe, 2);
    (void)bag_add(f, (kn_entity_id){0}, 3);
    bag_data *flag = kn_component_add(f->world, f->flag, f->hero);
    flag->number = 4;
    assert_non_null(kn_component_add(f->world, f->flag, f->hero)); // it is there already
    assert_non_null(kn_component_add(f->world, f->plain, f->hero));
    assert_string_equal(f->log, "+Bag1 +Bag2 +Bag0 +Flag1 ");
    f->log[0] = 0;

    assert_true(kn_component_instance_remove(f->world, f->bag, first));
    assert_true(kn_component_remove(f->world, f->bag, (kn_entity_id){0}));
    assert_true(kn_component_remove(f->world, f->flag, f->hero));
    assert_false(kn_component_remove(f->world, f->flag, f->hero));
    assert_true(kn_component_remove(f->world, f->plain, f->hero));

    assert_string_equal(f->log, "-Bag1:1 -Bag0:3 -Flag1:4 ");
}

static void read_while_dying(fixture *f, const kn_component_call *call)
{
    kn_component_id none;
    assert_true(kn_entity_is_actor(f->world, call->entity));
    assert_near(kn_attribute_value(f->world, call->entity, f->health), 100.0f);
    assert_null(kn_component_add(f->world, f->plain, call->entity));
    assert_int_equal(
        kn_component_instance_add(f->world, f->bag, call->entity, &none), KN_REFUSED_DYING);
    assert_int_equal(none.index1, 0);
    assert_non_null(kn_component_add(f->world, f->plain, f->ally));
}

static void the_end_of_an_entity_calls_removed_while_it_can_be_read(void **state)
{
    fixture *f = *state;
    (void)bag_add(f, f->hero, 1);
    (void)bag_add(f, f->foe, 9);
    (void)bag_add(f, f->hero, 2);
    ((bag_data *)kn_component_add(f->world, f->flag, f->hero))->number = 3;
    f->log[0] = 0;
    f->in_removed = read_while_dying;

    assert_true(kn_entity_destroy(f->world, f->hero));

    assert_string_equal(f->log, "-Bag1:1 -Bag1:2 -Flag1:3 ");
    assert_false(kn_entity_is_alive(f->world, f->hero));
    assert_non_null(kn_component_read(f->world, f->plain, f->ally));
}

static void become_actor(fixture *f, const kn_component_call *call)
{
    assert_int_equal(kn_entity_make_actor(f->world, call->entity), KN_OK);
}

static void an_entity_that_becomes_an_actor_in_its_last_hook_leaves_nothing(void **state)
{
    fixture *f = *state;
    kn_entity_id crate;
    assert_int_equal(kn_entity_create(f->world, &crate), KN_OK);
    (void)bag_add(f, crate, 1);
    uint32_t actors = kn_world_get_stats(f->world).actors;
    f->in_removed = become_actor;

    assert_true(kn_entity_destroy(f->world, crate));

    assert_int_equal(kn_world_get_stats(f->world).actors, actors);
    assert_true(kn_world_validate(f->world));
}

static void number_begin(fixture *f, const kn_component_call *call)
{
    bag_data *data = kn_component_id_is_null(call->component)
                         ? kn_component_get(f->world, call->type, call->entity)
                         : kn_component_instance_get(f->world, call->type, call->component);
    data->number = 40;
    kn_entity_id more; // what the hook creates moves the component
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(kn_entity_create(f->world, &more), KN_OK);
        assert_non_null(kn_component_add(f->world, f->plain, more));
    }
}

static void added_sets_the_values_a_component_begins_with(void **state)
{
    fixture *f = *state;
    f->in_added = number_begin;
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(f->world, f->bag, f->hero, &id), KN_OK);
    assert_int_equal(
        ((const bag_data *)kn_component_instance_read(f->world, f->bag, id))->number, 40);
    const bag_data *flag = kn_component_add(f->world, f->flag, f->foe);
    assert_int_equal(flag->number, 40);
}

static void remove_again(fixture *f, const kn_component_call *call)
{
    if (kn_component_id_is_null(call->component)) {
        assert_true(kn_component_remove(f->world, call->type, call->entity));
    } else {
        assert_true(kn_component_instance_remove(f->world, call->type, call->component));
    }
}

static void a_component_removed_by_its_own_added_hook_is_gone(void **state)
{
    fixture *f = *state;
    f->in_added = remove_again;
    kn_component_id id;
    assert_null(kn_component_add(f->world, f->flag, f->hero));
    assert_int_equal(kn_component_instance_add(f->world, f->bag, f->hero, &id), KN_OK);
    assert_false(kn_component_instance_is_alive(f->world, f->bag, id));
    assert_string_equal(f->log, "+Flag1 -Flag1:0 +Bag1 -Bag1:0 ");
}

static void refuse_to_remove_again(fixture *f, const kn_component_call *call)
{
    assert_false(kn_component_instance_remove(f->world, call->type, call->component));
    assert_true(kn_component_instance_is_alive(f->world, call->type, call->component));
    kn_component_id next =
        kn_component_instance_next(f->world, call->type, call->entity, call->component);
    if (!kn_component_id_is_null(next)) {
        assert_true(kn_component_instance_remove(f->world, call->type, next));
    }
}

static void a_removed_hook_may_remove_others_but_not_itself(void **state)
{
    fixture *f = *state;
    kn_component_id first = bag_add(f, f->hero, 1);
    (void)bag_add(f, f->hero, 2);
    (void)bag_add(f, f->hero, 3);
    f->log[0] = 0;
    f->in_removed = refuse_to_remove_again;

    assert_true(kn_component_instance_remove(f->world, f->bag, first));

    assert_string_equal(f->log, "-Bag1:1 -Bag1:2 -Bag1:3 ");
    assert_int_equal(kn_component_instance_count(f->world, f->bag, f->hero), 0);
    assert_true(kn_world_validate(f->world));
}

static void remove_effects_and_destroy(fixture *f, const kn_component_call *call)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = f->mark;
    assert_int_equal(
        kn_effects_remove(f->world, call->entity, &query, 0, KN_REMOVED_BY_CALL, NULL), KN_OK);
    assert_int_equal(kn_effects_find(f->world, call->entity, &query, NULL, 0), 1); // waits
    assert_true(kn_entity_destroy(f->world, call->entity));
    assert_true(kn_entity_is_alive(f->world, call->entity)); // so does this
    kn_effect_id applied;
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = f->mark;
    apply.source = f->ally;
    apply.target = f->foe;
    assert_int_equal(kn_effect_apply(f->world, &apply, &applied), KN_OK);
    assert_true(kn_effect_is_alive(f->world, applied)); // this does not
}

static void hooks_obey_the_law_of_hooks(void **state)
{
    fixture *f = *state;
    kn_component_id first = bag_add(f, f->hero, 1);
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = f->mark;
    apply.source = f->ally;
    apply.target = f->hero;
    assert_int_equal(kn_effect_apply(f->world, &apply, NULL), KN_OK);
    f->in_removed = remove_effects_and_destroy;

    assert_true(kn_component_instance_remove(f->world, f->bag, first));

    assert_false(kn_entity_is_alive(f->world, f->hero));
}

static void add_one_more(fixture *f, const kn_component_call *call)
{
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(f->world, f->bag, call->entity, &id), KN_OK);
}

static void endless_hooks_end_in_a_message(void **state)
{
    fixture *f = *state;
    f->in_added = add_one_more;
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(f->world, f->bag, f->hero, &id), KN_OK);
    assert_int_equal(kn_component_instance_count(f->world, f->bag, f->hero), 17);
    assert_true(kn_world_validate(f->world));
    assert_int_equal(kn_world_step(f->world, 0), KN_OK);
    assert_int_equal(event_count(f, KN_EVENT_ERROR), 1);
}

static void copies_call_no_hooks(void **state)
{
    fixture *f = *state;
    (void)bag_add(f, f->hero, 1);
    size_t save_size, snapshot_size;
    void *save = save_of(f->world, &save_size), *snapshot = snapshot_of(f->world, &snapshot_size);
    kn_component_id second = bag_add(f, f->hero, 2);
    f->log[0] = 0;

    snapshot_restore(f->world, snapshot, snapshot_size);
    assert_false(kn_component_instance_is_alive(f->world, f->bag, second));
    save_load(f->world, save, save_size);
    kn_world *other = world_of(f, kn_world_def_default());
    save_load(other, save, save_size);
    assert_same_worlds(f->world, other);
    kn_world_destroy(other);

    assert_string_equal(f->log, "");
    free(save);
    free(snapshot);
}

static const struct CMUnitTest tests[] = {
    HOOKED(hooks_are_called_once_for_each_component),
    HOOKED(the_end_of_an_entity_calls_removed_while_it_can_be_read),
    HOOKED(an_entity_that_becomes_an_actor_in_its_last_hook_leaves_nothing),
    HOOKED(added_sets_the_values_a_component_begins_with),
    HOOKED(a_component_removed_by_its_own_added_hook_is_gone),
    HOOKED(a_removed_hook_may_remove_others_but_not_itself),
    HOOKED(hooks_obey_the_law_of_hooks),
    HOOKED(endless_hooks_end_in_a_message),
    HOOKED(copies_call_no_hooks),
};

TEST_GROUP(component_hooks, tests, NULL, NULL);
