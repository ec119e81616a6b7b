// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projections: what a viewer gets, what stays as it was, and bytes that make no sense.

#define FIXTURE_OWN                                                                                \
    kn_world *other;                                                                               \
    kn_component_type_id pack, mark, plan, purse;                                                  \
    kn_attribute_set_id fight;                                                                     \
    kn_effect_type_id burn, might;                                                                 \
    kn_ability_type_id cast;                                                                       \
    kn_task_type_id wait;                                                                          \
    kn_tag stunned, sworn, aura;

#include "scenario/ability_fixture.h"

typedef struct pack_data {
    kn_entity_id carrier;
    uint32_t coins;  // everybody
    uint32_t secret; // the owner
    uint32_t seed;   // nobody
    uint32_t extra;  // everybody, group 3
} pack_data;

typedef struct pack_item {
    uint32_t kind;    // everybody
    uint32_t quality; // the owner
} pack_item;

typedef struct mark_data {
    uint32_t number;
} mark_data;

static kn_field shown(kn_field field, kn_sync sync, uint32_t group)
{
    field.sync = sync;
    field.wire.group = group;
    return field;
}

static void components_register(fixture *f)
{
    kn_field fields[] = {
        KN_FIELD(pack_data, carrier, KN_FIELD_ENTITY),
        KN_FIELD(pack_data, coins, KN_FIELD_U32),
        KN_FIELD(pack_data, secret, KN_FIELD_U32),
        KN_FIELD(pack_data, seed, KN_FIELD_U32),
        KN_FIELD(pack_data, extra, KN_FIELD_U32),
    };
    fields[2] = shown(fields[2], KN_SYNC_OWNER, 0);
    fields[3] = shown(fields[3], KN_SYNC_NONE, 0);
    fields[4] = shown(fields[4], KN_SYNC_ALL, 3);
    kn_field items[] = {
        KN_FIELD(pack_item, kind, KN_FIELD_U32),
        KN_FIELD(pack_item, quality, KN_FIELD_U32),
    };
    items[1] = shown(items[1], KN_SYNC_OWNER, 0);
    kn_component_def def = kn_component_def_default();
    def.name = "Pack";
    def.size = sizeof(pack_data);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(pack_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    assert_int_equal(kn_component_register(f->library, &def, &f->pack, NULL), KN_OK);
    const kn_field mark[] = {KN_FIELD(mark_data, number, KN_FIELD_U32)};
    def = kn_component_def_default();
    def.name = "Mark";
    def.size = sizeof(mark_data);
    def.fields = mark;
    def.field_count = 1;
    def.several = true;
    assert_int_equal(kn_component_register(f->library, &def, &f->mark, NULL), KN_OK);
    def.name = "Plan";
    def.sync = KN_SYNC_NONE;
    assert_int_equal(kn_component_register(f->library, &def, &f->plan, NULL), KN_OK);
    def.name = "Purse";
    def.several = false;
    def.sync = KN_SYNC_OWNER;
    assert_int_equal(kn_component_register(f->library, &def, &f->purse, NULL), KN_OK);
}

// Mana is for the owner, stamina in group 3.
static int setup_project(void **state)
{
    const char *const names[] = {"Health", "MaxHealth", "Mana", "Stamina", "Haste"};
    kn_attribute_def attributes[5];
    for (uint32_t i = 0; i < 5; i++) {
        attributes[i] = attribute_def(names[i], i == 4 ? 1.0f : 100.0f);
    }
    attributes[2].sync = KN_SYNC_OWNER;
    attributes[3].wire.group = 3;
    fixture *f = fixture_create(3);
    f->stunned = tag_of(f, "State.Stunned");
    f->sworn = tag_of(f, "State.Sworn");
    fixture_set(f, "Vitals", attributes, 5);
    kn_attribute_def fight[] = {
        attribute_def("Armour", 5.0f), attribute_def("Luck", 6.0f), attribute_def("Damage", 0.0f)};
    fight[1].sync = KN_SYNC_NONE;
    fight[2].is_meta = true; // its sync is left alone: all
    f->fight = set_register(f, "Fight", fight, 3);
    components_register(f);
    kn_modifier_def hurt = kn_modifier_def_default(), raise = kn_modifier_def_default();
    hurt.attribute = f->health;
    hurt.magnitude = kn_magnitude_constant(-5.0f);
    kn_effect_def burn = timed("Burn", 4.0f);
    burn.is_periodic = true;
    burn.period = kn_magnitude_constant(1.0f);
    burn.modifiers = &hurt;
    burn.modifier_count = 1;
    burn.granted_tags = one(&f->stunned);
    f->burn = effect_register(f, &burn);
    raise.attribute = f->max_health;
    raise.magnitude = kn_magnitude_constant(30.0f);
    f->might = effect_of(f, "Might", KN_DURATION_INFINITE, &raise, 1);
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(10.0f)};
    kn_ability_def cast = ability_def(f, "Cast");
    cast.costs = &cost;
    cast.cost_count = 1;
    f->cast = ability_register(f, &cast);
    f->aura = tag_of(f, "GameplayCue.Aura");
    kn_task_type_def wait = kn_task_type_def_default();
    wait.name = "Wait";
    assert_int_equal(kn_task_type_register(f->library, &wait, &f->wait, NULL), KN_OK);
    begin(f);
    f->other = world_of(f, kn_world_def_default());
    *state = f;
    return 0;
}

static int teardown_project(void **state)
{
    kn_world_destroy(((fixture *)*state)->other);
    return teardown(state);
}

static void *taken(const kn_world *world, const kn_entity_id *entities, uint32_t count,
    const kn_projection_filter *filter, size_t *size)
{
    size_t written;
    assert_int_equal(kn_projection_take(world, entities, count, filter, NULL, 0, size), KN_OK);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(kn_projection_take(world, entities, count, filter, bytes, *size - 1, &written),
        KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(written, *size);
    assert_int_equal(
        kn_projection_take(world, entities, count, filter, bytes, *size, &written), KN_OK);
    return bytes;
}

static void send(
    fixture *f, const kn_entity_id *entities, uint32_t count, const kn_projection_filter *filter)
{
    size_t size;
    void *bytes = taken(f->world, entities, count, filter, &size);
    kn_error error = {0};
    if (kn_projection_write(f->other, bytes, size, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_true(kn_world_validate(f->other));
    free(bytes);
}

static kn_projection_filter filter_for(kn_viewer viewer)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.viewer = viewer;
    return filter;
}

static pack_data *pack_add(fixture *f, kn_world *world, kn_entity_id entity)
{
    pack_data *pack = kn_component_add(world, f->pack, entity);
    assert_non_null(pack);
    return pack;
}

// The world of the fixture: the hero burns, is mighty and casts.
static kn_effect_id hero_prepare(fixture *f)
{
    *pack_add(f, f->world, f->hero) = (pack_data){f->ally, 11, 22, 33, 44};
    pack_item *item = kn_component_resize(f->world, f->pack, f->hero, 1);
    assert_non_null(item);
    *item = (pack_item){7, 8};
    add_tag(f, f->hero, f->sworn);
    set_base(f, f->hero, f->mana, 60.0f);
    (void)afflict(f, f->might);
    kn_effect_id burn = afflict(f, f->burn);
    (void)activate(f, grant(f, f->cast));
    step_seconds(f, 1.5);
    return burn;
}

static float other_value(const fixture *f, kn_attribute_id attribute)
{
    return kn_attribute_value(f->other, f->hero, attribute);
}

static void ids_are_the_same_in_both_worlds(void **state)
{
    fixture *f = *state;
    kn_effect_id burn = hero_prepare(f);
    kn_component_id marks[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_component_instance_add(f->world, f->mark, f->hero, &marks[i]), KN_OK);
        ((mark_data *)kn_component_instance_get(f->world, f->mark, marks[i]))->number = 5 + i;
    }
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    send(f, all, 4, NULL);
    assert_same_worlds(f->world, f->other);
    assert_true(kn_effect_is_alive(f->other, burn));
    const mark_data *mark = kn_component_instance_read(f->other, f->mark, marks[1]);
    assert_int_equal(mark->number, 6);
    // Both go on alike, and give out the same ids.
    kn_entity_id a, b;
    assert_int_equal(kn_world_step(f->other, KN_MS(1000)), KN_OK);
    step_seconds(f, 1.0);
    assert_int_equal(kn_entity_create(f->world, &a), KN_OK);
    assert_int_equal(kn_entity_create(f->other, &b), KN_OK);
    assert_true(kn_entity_id_equal(a, b));
    assert_same_worlds(f->world, f->other);
}

static void a_viewer_gets_what_is_declared_for_it(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    kn_projection_filter filter = filter_for(KN_VIEWER_OTHERS);
    filter.groups = ~(1u << 3);
    send(f, all, 4, &filter);
    const pack_data *pack = kn_component_read(f->other, f->pack, f->hero);
    assert_int_equal(pack->carrier.index1, f->ally.index1);
    assert_int_equal(pack->coins, 11);
    assert_int_equal(pack->secret, 0);
    assert_int_equal(pack->seed, 0);
    assert_int_equal(pack->extra, 0);
    assert_near(other_value(f, f->health), 90.0f); // ticks at 0 and 1 s
    assert_near(other_value(f, f->mana), 100.0f);  // its default: it was never sent
    filter = filter_for(KN_VIEWER_OWNER);
    send(f, all, 4, &filter);
    pack = kn_component_read(f->other, f->pack, f->hero);
    assert_int_equal(pack->secret, 22);
    assert_int_equal(pack->seed, 0);
    assert_int_equal(pack->extra, 44);
    assert_near(other_value(f, f->mana), 60.0f);
}

// ATT-003, ATT-032, ATS-045, ATS-046: a set sends what is marked for it, and what it holds for the
// moment it sends to nobody who plays.
static void a_set_sends_what_is_marked_and_never_what_is_meta(void **state)
{
    fixture *f = *state;
    kn_attribute_id armour = kn_attribute_find(f->library, "Fight.Armour");
    kn_attribute_id luck = kn_attribute_find(f->library, "Fight.Luck");
    kn_attribute_id damage = kn_attribute_find(f->library, "Fight.Damage");
    add_set(f, f->hero, f->fight);
    set_base(f, f->hero, armour, 15.0f);
    set_base(f, f->hero, luck, 16.0f);
    set_base(f, f->hero, damage, 17.0f); // left behind by somebody
    static const kn_viewer viewers[] = {KN_VIEWER_OTHERS, KN_VIEWER_OWNER, KN_VIEWER_ALL};
    for (uint32_t i = 0; i < 3; i++) {
        kn_projection_filter filter = filter_for(viewers[i]);
        send(f, &f->hero, 1, &filter);
        bool is_all = viewers[i] == KN_VIEWER_ALL; // another server, or a tool
        assert_near(other_value(f, armour), 15.0f);
        assert_near(other_value(f, luck), is_all ? 16.0f : 6.0f);
        assert_near(other_value(f, damage), is_all ? 17.0f : 0.0f);
    }
}

static void what_is_cut_stays_as_it_is(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    send(f, all, 4, NULL);
    pack_data *pack = kn_component_get(f->world, f->pack, f->hero);
    pack->coins = 12;
    pack->secret = 23;
    uint32_t count;
    pack_item *items = kn_component_items(f->world, f->pack, f->hero, &count);
    items[0] = (pack_item){9, 10};
    set_base(f, f->hero, f->mana, 70.0f);
    set_base(f, f->hero, f->health, 50.0f);
    kn_projection_filter filter = filter_for(KN_VIEWER_OTHERS);
    send(f, &f->hero, 1, &filter);
    const pack_data *seen = kn_component_read(f->other, f->pack, f->hero);
    assert_int_equal(seen->coins, 12);
    assert_int_equal(seen->secret, 22);
    assert_int_equal(seen->seed, 33);
    const pack_item *seen_items = kn_component_read_items(f->other, f->pack, f->hero, &count);
    assert_int_equal(count, 1);
    assert_int_equal(seen_items[0].kind, 9);
    assert_int_equal(seen_items[0].quality, 8);
    assert_near(other_value(f, f->mana), 60.0f);
    assert_near(other_value(f, f->health), 50.0f);
    // Parts: the abilities of the other world stay, whatever happened to them here.
    assert_int_equal(kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_CANCEL), 1);
    filter.parts = KN_PARTS_ALL & ~(1u << KN_PART_ABILITIES);
    send(f, &f->hero, 1, &filter);
    assert_int_equal(kn_abilities_find(f->other, f->hero, NULL, NULL, 0), 1);
    filter.parts = KN_PARTS_ALL;
    send(f, &f->hero, 1, &filter);
    assert_int_equal(kn_abilities_find(f->other, f->hero, NULL, NULL, 0), 0);
}

static void plan_add(fixture *f, kn_world *world, uint32_t number)
{
    kn_component_id id;
    assert_int_equal(kn_component_instance_add(world, f->plan, f->hero, &id), KN_OK);
    ((mark_data *)kn_component_instance_get(world, f->plan, id))->number = number;
}

// Plans belong to each machine, and a purse to its owner. Both machines keep what is theirs.
static void whole_components_are_for_some_viewers(void **state)
{
    fixture *f = *state;
    send(f, &f->hero, 1, NULL);
    plan_add(f, f->world, 1);
    plan_add(f, f->world, 2);
    plan_add(f, f->other, 3);
    *(mark_data *)kn_component_add(f->world, f->purse, f->hero) = (mark_data){5};
    *(mark_data *)kn_component_add(f->other, f->purse, f->hero) = (mark_data){6};
    kn_projection_filter filter = filter_for(KN_VIEWER_OTHERS);
    send(f, &f->hero, 1, &filter);
    kn_component_id plan =
        kn_component_instance_next(f->other, f->plan, f->hero, (kn_component_id){0});
    assert_int_equal(kn_component_instance_count(f->other, f->plan, f->hero), 1);
    assert_int_equal(
        ((const mark_data *)kn_component_instance_read(f->other, f->plan, plan))->number, 3);
    assert_int_equal(
        ((const mark_data *)kn_component_read(f->other, f->purse, f->hero))->number, 6);
    filter = filter_for(KN_VIEWER_OWNER);
    send(f, &f->hero, 1, &filter);
    assert_int_equal(kn_component_instance_count(f->other, f->plan, f->hero), 1);
    assert_int_equal(
        ((const mark_data *)kn_component_read(f->other, f->purse, f->hero))->number, 5);
    assert_true(kn_component_remove(f->world, f->purse, f->hero));
    send(f, &f->hero, 1, &filter);
    assert_null(kn_component_read(f->other, f->purse, f->hero));
    send(f, &f->hero, 1, NULL);
    assert_int_equal(kn_component_instance_count(f->other, f->plan, f->hero), 2);
    // Nobody has to hear of a plan.
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    uint64_t version = kn_changes_version(f->world);
    plan_add(f, f->world, 4);
    assert_int_equal(kn_changes_since(f->world, f->hero, version).changed, 0);
    (void)kn_component_add(f->world, f->purse, f->hero);
    assert_int_equal(
        kn_changes_since(f->world, f->hero, version).changed, 1u << KN_PART_COMPONENTS);
}

// A projection for others that holds what is not for them.
static void a_component_for_another_viewer_is_refused(void **state)
{
    fixture *f = *state;
    (void)kn_component_add(f->world, f->purse, f->hero);
    kn_projection_filter filter = filter_for(KN_VIEWER_OWNER),
                         others = filter_for(KN_VIEWER_OTHERS);
    size_t size, others_size;
    uint8_t *bytes = taken(f->world, &f->hero, 1, &filter, &size);
    uint8_t *head = taken(f->world, &f->foe, 1, &others, &others_size);
    uint32_t at = 0;
    while (at < size && bytes[at] == head[at]) {
        at++; // the first difference is the viewer
    }
    bytes[at] = head[at];
    uint64_t hash = kn_world_hash(f->other);
    assert_int_equal(kn_projection_write(f->other, bytes, size, NULL), KN_ERROR_BAD_DATA);
    assert_true(kn_world_hash(f->other) == hash);
    free(bytes);
    free(head);
}

static uint32_t other_count(const fixture *f, kn_part part)
{
    return part == KN_PART_EFFECTS ? kn_effects_count(f->other, f->hero)
                                   : kn_abilities_find(f->other, f->hero, NULL, NULL, 0);
}

// Somebody who has a projection can take the same of another world.
static void the_filter_of_a_projection_can_be_read(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    kn_projection_filter filter = filter_for(KN_VIEWER_OTHERS), read;
    filter.identity = KN_IDENTITY_PLACES;
    filter.parts = KN_PARTS_ALL & ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS);
    filter.empty_parts = 1u << KN_PART_TIMERS;
    filter.groups = 0x5;
    filter.hidden_streams = 0x100000002;
    size_t size, again_size;
    uint8_t *bytes = taken(f->world, &f->hero, 1, &filter, &size);
    assert_true(kn_projection_filter_of(bytes, size, &read));
    assert_int_equal(read.viewer, filter.viewer);
    assert_int_equal(read.parts, filter.parts);
    assert_int_equal(read.empty_parts, filter.empty_parts);
    assert_int_equal(read.groups, filter.groups);
    assert_int_equal(read.identity, filter.identity);
    assert_true(read.hidden_streams == filter.hidden_streams);
    void *again = taken(f->world, &f->hero, 1, &read, &again_size);
    assert_int_equal(again_size, size);
    assert_memory_equal(again, bytes, size);
    for (size_t i = 0; i < 42; i++) { // the header without its count
        assert_false(kn_projection_filter_of(bytes, i, &read));
    }
    assert_int_equal(read.parts, KN_PARTS_ALL);
    assert_false(kn_projection_filter_of(NULL, 0, &read));
    bytes[28] = KN_VIEWER_COUNT;
    assert_false(kn_projection_filter_of(bytes, size, &read));
    free(again);
    free(bytes);
}

// What a viewer may not see any more goes, and nothing else.
static void parts_that_are_to_be_empty_are_emptied(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    const kn_part parts[] = {KN_PART_EFFECTS, KN_PART_ABILITIES};
    for (uint32_t identity = 0; identity < KN_IDENTITY_COUNT; identity++) {
        for (uint32_t i = 0; i < 2; i++) {
            kn_projection_filter filter = filter_for(KN_VIEWER_ALL);
            filter.identity = (kn_identity)identity;
            send(f, all, 4, &filter);
            uint32_t before = other_count(f, parts[1 - i]);
            assert_true(other_count(f, parts[i]) > 0 && before > 0);
            filter.parts = KN_PARTS_ALL & ~(1u << parts[i]);
            filter.empty_parts = 1u << parts[i];
            size_t size;
            void *bytes = taken(f->world, &f->hero, 1, &filter, &size);
            assert_false(kn_projection_matches(f->other, bytes, size));
            send(f, &f->hero, 1, &filter);
            assert_int_equal(other_count(f, parts[i]), 0);
            assert_int_equal(other_count(f, parts[1 - i]), before);
            assert_true(kn_projection_matches(f->other, bytes, size));
            assert_near(other_value(f, f->max_health), 130.0f);
            assert_true(kn_entity_has_tag(f->other, f->hero, f->stunned));
            free(bytes);
        }
    }
    send(f, all, 4, NULL);
    assert_same_worlds(f->world, f->other);
}

static void without_effects_their_results_arrive(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    kn_projection_filter filter = filter_for(KN_VIEWER_ALL);
    filter.parts = KN_PARTS_ALL & ~(1u << KN_PART_EFFECTS);
    for (uint32_t i = 0; i < 2; i++) { // the second time changes nothing
        send(f, all, 4, &filter);
        assert_int_equal(kn_effects_count(f->other, f->hero), 0);
        assert_near(other_value(f, f->max_health), 130.0f);
        assert_near(kn_attribute_base(f->other, f->hero, f->max_health), 130.0f);
        assert_true(kn_entity_has_tag(f->other, f->hero, f->stunned));
        assert_int_equal(
            kn_entity_tag_count_origin(f->other, f->hero, f->stunned, KN_TAG_ORIGIN_MINIMAL), 1);
        assert_int_equal(
            kn_entity_tag_count_origin(f->other, f->hero, f->sworn, KN_TAG_ORIGIN_LOOSE), 1);
    }
    // With effects, nothing is counted twice.
    send(f, all, 4, NULL);
    assert_same_worlds(f->world, f->other);
}

static void an_entity_that_is_gone_is_destroyed(void **state)
{
    fixture *f = *state;
    kn_effect_id burn = hero_prepare(f);
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    send(f, all, 4, NULL);
    assert_true(kn_entity_destroy(f->world, f->hero));
    step_seconds(f, 0.0);
    send(f, all, 4, NULL);
    assert_false(kn_entity_is_alive(f->other, f->hero));
    assert_false(kn_effect_is_alive(f->other, burn));
    assert_null(kn_component_read(f->other, f->pack, f->hero));
    assert_same_worlds(f->world, f->other);
    // Its slot goes to another one, which takes its place there too.
    kn_entity_id next;
    assert_int_equal(kn_entity_create(f->world, &next), KN_OK);
    assert_int_equal(next.index1, f->hero.index1);
    send(f, &next, 1, NULL);
    assert_true(kn_entity_is_alive(f->other, next));
}

static void a_record_that_has_a_slot_is_out_of_date(void **state)
{
    fixture *f = *state;
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    kn_effect_id old = apply_to(f, f->might, f->ally);
    send(f, all, 4, NULL);
    remove_effect(f, old);
    kn_effect_id burn = afflict(f, f->burn);
    assert_int_equal(burn.index1, old.index1);
    send(f, &f->hero, 1, NULL); // nobody said anything about the ally
    assert_true(kn_effect_is_alive(f->other, burn));
    assert_int_equal(kn_effects_count(f->other, f->ally), 0);
    assert_near(kn_attribute_value(f->other, f->ally, f->max_health), 100.0f);
}

// Bad input -----------------------------------------------------------------

static void refused(fixture *f, const void *bytes, size_t size, const char *why)
{
    kn_error error = {0};
    uint64_t before = kn_world_hash(f->other);
    assert_int_equal(kn_projection_write(f->other, bytes, size, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, why) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", why, error.message);
    }
    assert_true(kn_world_hash(f->other) == before);
    assert_true(kn_world_validate(f->other));
}

static void bytes_that_make_no_sense_change_nothing(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    send(f, all, 4, NULL);
    step_seconds(f, 0.25);
    size_t size;
    uint8_t *bytes = taken(f->world, all, 4, NULL, &size);
    uint8_t *broken = malloc(size);
    assert_non_null(broken);
    for (size_t i = 0; i < size; i += SHARE(5)) { // cut anywhere
        kn_error error = {0};
        uint64_t before = kn_world_hash(f->other);
        assert_int_equal(kn_projection_write(f->other, bytes, i, &error), KN_ERROR_BAD_DATA);
        assert_true(error.message[0] != 0 && kn_world_hash(f->other) == before);
    }
    for (size_t i = 0; i < size;
         i += SHARE(5)) { // any byte wrong: refused, or a world that is good
        memcpy(broken, bytes, size);
        broken[i] ^= (uint8_t)(1u << i % 8);
        uint64_t before = kn_world_hash(f->other);
        if (kn_projection_write(f->other, broken, size, NULL) != KN_OK) {
            assert_true(kn_world_hash(f->other) == before);
        }
        assert_true(kn_world_validate(f->other));
    }
    refused(f, "", 0, "not a projection");
    refused(f, bytes, 3, "not a projection");
    memcpy(broken, bytes, size);
    broken[4]++;
    refused(f, broken, size, "version 2");
    memcpy(broken, bytes, size);
    broken[8]++;
    refused(f, broken, size, "another library");
    free(broken);
    free(bytes);
}

static void parents_in_a_circle_are_refused(void **state)
{
    fixture *f = *state;
    const kn_entity_id all[] = {{0}, f->hero, f->foe, f->ally};
    send(f, all, 4, NULL);
    // One world attaches the hero to the foe, the other the foe to the hero.
    assert_int_equal(kn_entity_set_parent(f->world, f->hero, f->foe), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->other, f->foe, f->hero), KN_OK);
    size_t size;
    void *bytes = taken(f->world, &f->hero, 1, NULL, &size);
    refused(f, bytes, size, "cycle");
    free(bytes);
    // A parent that is not there.
    kn_entity_id child;
    assert_int_equal(kn_entity_create(f->world, &child), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &f->ally), KN_OK);
    assert_int_equal(kn_entity_set_parent(f->world, child, f->ally), KN_OK);
    bytes = taken(f->world, &child, 1, NULL, &size);
    refused(f, bytes, size, "wrong parent");
    free(bytes);
}

static void a_time_that_has_passed_is_refused(void **state)
{
    fixture *f = *state;
    (void)hero_prepare(f);
    const kn_entity_id two[] = {f->foe, f->hero};
    assert_int_equal(kn_world_step(f->other, KN_MS(60000)), KN_OK);
    size_t size;
    void *bytes = taken(f->world, two, 2, NULL, &size);
    refused(f, bytes, size, "times");
    free(bytes);
}

static void arguments_are_checked(void **state)
{
    fixture *f = *state;
    size_t size = 1;
    kn_projection_filter filter = {0};
    assert_int_equal(
        kn_projection_take(f->world, NULL, 0, &filter, NULL, 0, &size), KN_ERROR_INVALID_ARGUMENT);
    filter = kn_projection_filter_default();
    filter.viewer = KN_VIEWER_COUNT;
    assert_int_equal(
        kn_projection_take(f->world, NULL, 0, &filter, NULL, 0, &size), KN_ERROR_INVALID_ARGUMENT);
    filter = kn_projection_filter_default();
    filter.empty_parts = 1u << KN_PART_EFFECTS; // which is among its parts
    assert_int_equal(
        kn_projection_take(f->world, NULL, 0, &filter, NULL, 0, &size), KN_ERROR_INVALID_ARGUMENT);
    filter.parts = 1u << KN_PART_ENTITY;
    filter.empty_parts = 1u << KN_PART_TAGS;
    assert_int_equal(
        kn_projection_take(f->world, NULL, 0, &filter, NULL, 0, &size), KN_ERROR_INVALID_ARGUMENT);
    const kn_entity_id all[] = {f->ally, f->hero};
    kn_entity_id listed[2] = {{0}};
    void *bytes = taken(f->world, all, 2, NULL, &size);
    assert_int_equal(kn_projection_entities(bytes, size, listed, 2), 2);
    assert_true(kn_entity_id_equal(listed[0], f->ally));
    assert_true(kn_entity_id_equal(listed[1], f->hero));
    assert_int_equal(kn_projection_entities(bytes, 12, NULL, 0), 0);
    free(bytes);
}

// Changes -------------------------------------------------------------------

static void changes_are(
    const fixture *f, kn_entity_id entity, uint64_t version, uint32_t changed, uint32_t computed)
{
    kn_changes changes = kn_changes_since(f->world, entity, version);
    assert_int_equal(changes.changed, changed);
    assert_int_equal(changes.computed, computed);
}

static void changes_say_what_a_holder_computes_itself(void **state)
{
    fixture *f = *state;
    const uint32_t attributes = 1u << KN_PART_ATTRIBUTES, effects = 1u << KN_PART_EFFECTS,
                   tags = 1u << KN_PART_TAGS, components = 1u << KN_PART_COMPONENTS;
    assert_int_equal(kn_changes_version(f->world), 0);
    changes_are(f, f->hero, 5, KN_PARTS_ALL, 0); // nobody notes anything
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    uint64_t begin = kn_changes_version(f->world);
    assert_int_equal(begin, 1);
    changes_are(f, f->hero, 0, KN_PARTS_ALL, 0);
    changes_are(f, f->hero, begin, 0, 0);
    (void)afflict(f, f->burn); // ticks at once
    changes_are(f, f->hero, begin, attributes | effects | tags, 0);
    changes_are(f, f->foe, begin, 0, 0);
    uint64_t applied = kn_changes_version(f->world);
    step_seconds(f, 1.5);
    changes_are(f, f->hero, applied, 0, attributes | effects);
    changes_are(f, f->hero, begin, attributes | effects | tags, attributes | effects);
    uint64_t ticked = kn_changes_version(f->world);
    step_seconds(f, 5.0); // it ends
    changes_are(f, f->hero, ticked, 0, attributes | effects | tags);
    uint64_t ended = kn_changes_version(f->world);
    pack_add(f, f->world, f->ally)->coins = 3;
    set_base(f, f->foe, f->health, 5.0f);
    // The latest comes first.
    kn_entity_id at = kn_changes_next(f->world, ended, (kn_entity_id){0});
    assert_true(kn_entity_id_equal(at, f->foe));
    at = kn_changes_next(f->world, ended, at);
    assert_true(kn_entity_id_equal(at, f->ally));
    assert_int_equal(kn_changes_next(f->world, ended, at).index1, 0);
    changes_are(f, f->ally, ended, components, 0);
    // Created and destroyed.
    uint64_t before = kn_changes_version(f->world);
    kn_entity_id made;
    assert_int_equal(kn_entity_create(f->world, &made), KN_OK);
    changes_are(f, made, before, KN_PARTS_ALL, 0);
    assert_true(kn_entity_destroy(f->world, f->hero));
    changes_are(f, f->hero, before, KN_PARTS_ALL, 0);
    // A snapshot changes everything.
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    uint64_t taken_at = kn_changes_version(f->world);
    changes_are(f, f->ally, taken_at, 0, 0);
    snapshot_restore(f->world, snapshot, size);
    changes_are(f, f->ally, taken_at, KN_PARTS_ALL, 0);
    free(snapshot);
    assert_int_equal(kn_changes_follow(f->world, false), KN_OK);
    assert_int_equal(kn_changes_version(f->world), 0);
}

// What a projection of each part of the hero was like. Attributes are left out: without effects
// they arrive with another base.
typedef struct shadow {
    uint64_t version;
    void *bytes[KN_PART_COUNT];
    size_t sizes[KN_PART_COUNT];
} shadow;

static void shadow_forget(shadow *s)
{
    for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
        free(s->bytes[part]);
    }
}

static shadow shadow_of(fixture *f)
{
    shadow s = {.version = kn_changes_version(f->world)};
    for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
        kn_projection_filter filter = filter_for(KN_VIEWER_ALL);
        filter.parts = 1u << part;
        s.bytes[part] = taken(f->world, &f->hero, 1, &filter, &s.sizes[part]);
    }
    return s;
}

// That a call changed this part of the hero, and that it is noted.
static void expect_noted(fixture *f, shadow *before, kn_part part)
{
    shadow now = shadow_of(f);
    kn_changes changes = kn_changes_since(f->world, f->hero, before->version);
    assert_true(now.sizes[part] != before->sizes[part] ||
                memcmp(now.bytes[part], before->bytes[part], now.sizes[part]) != 0);
    assert_int_equal(changes.changed >> part & 1, 1);
    shadow_forget(before);
    *before = now;
}

static void what_a_call_changes_is_noted(void **state)
{
    fixture *f = *state;
    kn_ability_id cast = grant(f, f->cast);
    kn_activation_id casting = activate(f, cast);
    assert_int_equal(kn_changes_follow(f->world, true), KN_OK);
    shadow s = shadow_of(f);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_entity_suppress_cues(f->world, f->hero, i == 0), KN_OK);
        expect_noted(f, &s, KN_PART_ENTITY);
        assert_int_equal(kn_entity_allow_batches(f->world, f->hero, i == 0), KN_OK);
        expect_noted(f, &s, KN_PART_ENTITY);
    }
    assert_int_equal(kn_input_bind(f->world, f->hero, 1, 2), KN_OK);
    expect_noted(f, &s, KN_PART_ENTITY);
    assert_int_equal(kn_activation_commit(f->world, casting), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    assert_int_equal(kn_activation_refund(f->world, casting, 0.5f), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    for (uint32_t i = 0; i < 3; i++) { // the first, and how often
        assert_int_equal(kn_cue_add(f->world, f->hero, f->aura, NULL), KN_OK);
        expect_noted(f, &s, KN_PART_CUES);
    }
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_cue_remove(f->world, f->hero, f->aura), KN_OK);
        expect_noted(f, &s, KN_PART_CUES);
    }
    kn_cue_params params = kn_cue_params_default();
    params.activation = casting;
    assert_int_equal(kn_cue_add(f->world, f->hero, f->aura, &params), KN_OK);
    expect_noted(f, &s, KN_PART_CUES);
    kn_task_def def = kn_task_def_default(KN_TASK_CUSTOM);
    def.type = f->wait;
    kn_task_id task;
    assert_int_equal(kn_task_run(f->world, casting, &def, &task), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    assert_int_equal(kn_task_watch(f->world, task, f->foe, KN_TRIGGER_EVENT, 0), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    assert_int_equal(kn_task_wait(f->world, task, KN_S(1)), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    assert_int_equal(kn_activation_set_cancelable(f->world, casting, false), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    assert_int_equal(kn_ability_set_user(f->world, cast, 4), KN_OK);
    expect_noted(f, &s, KN_PART_ABILITIES);
    // What is as it was is not.
    assert_int_equal(kn_entity_suppress_cues(f->world, f->hero, false), KN_OK);
    assert_int_equal(kn_entity_allow_batches(f->world, f->hero, false), KN_OK);
    assert_int_equal(kn_input_bind(f->world, f->hero, 1, 2), KN_OK);
    assert_int_equal(kn_ability_set_user(f->world, cast, 4), KN_OK);
    changes_are(f, f->hero, s.version, 0, 0);
    shadow_forget(&s);
}

static void an_entity_is_created_with_a_given_id(void **state)
{
    fixture *f = *state;
    kn_entity_id id = {40, 1234}, later;
    assert_int_equal(kn_entity_create_as(f->world, id), KN_OK);
    assert_true(kn_entity_is_alive(f->world, id));
    assert_int_equal(kn_entity_create_as(f->world, id), KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_create_as(f->world, (kn_entity_id){3000000, 1}), KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_create_as(f->world, (kn_entity_id){0}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_entity_create(f->world, &later), KN_OK);
    assert_int_equal(later.index1, 4); // the lowest slot that is free
    assert_true(later.generation > id.generation);
    step_seconds(f, 0.0);
    assert_int_equal(event_count(f, KN_EVENT_ENTITY_CREATED), 5);
    assert_true(kn_world_validate(f->world));
}

#define PROJECTED(test) cmocka_unit_test_setup_teardown(test, setup_project, teardown_project)
static const struct CMUnitTest tests[] = {
    PROJECTED(ids_are_the_same_in_both_worlds),
    PROJECTED(a_viewer_gets_what_is_declared_for_it),
    PROJECTED(a_set_sends_what_is_marked_and_never_what_is_meta),
    PROJECTED(what_is_cut_stays_as_it_is),
    PROJECTED(whole_components_are_for_some_viewers),
    PROJECTED(a_component_for_another_viewer_is_refused),
    PROJECTED(the_filter_of_a_projection_can_be_read),
    PROJECTED(parts_that_are_to_be_empty_are_emptied),
    PROJECTED(without_effects_their_results_arrive),
    PROJECTED(an_entity_that_is_gone_is_destroyed),
    PROJECTED(a_record_that_has_a_slot_is_out_of_date),
    PROJECTED(bytes_that_make_no_sense_change_nothing),
    PROJECTED(parents_in_a_circle_are_refused),
    PROJECTED(a_time_that_has_passed_is_refused),
    PROJECTED(arguments_are_checked),
    PROJECTED(changes_say_what_a_holder_computes_itself),
    PROJECTED(what_a_call_changes_is_noted),
    PROJECTED(an_entity_is_created_with_a_given_id),
};

TEST_GROUP(projection, tests, NULL, NULL);
