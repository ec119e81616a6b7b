// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities in sessions: sets of the server on its clients, their data, blocks, mirrored states,
// and what clients predict.

#include "capability/capability_match.h"

#define LATENCY KN_MS(40)
#define SETTLED KN_MS(500)

static kn_capability_set_id sides_set(match *m)
{
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    (void)plain_part(m, "B", KN_SIDE_AUTHORITY);
    (void)plain_part(m, "C", KN_SIDE_LOCAL);
    (void)plain_part(m, "D", KN_SIDE_AUTHORITY_AND_LOCAL);
    (void)plain_part(m, "E", KN_SIDE_OWNER_LOCAL);
    (void)plain_part(m, "F", KN_SIDE_CLIENTS);
    return plain_set(m, "S", "ABCDEF");
}

#define LIVES "SL_A SL_B SL_C SL_D SL_E SL_F "

// The table of sides: CAPV-044, CAP-130, CAP-150, CAP-153, CAP-154, CAP-155, CAP-161
static void sets_of_the_server_run_on_every_side(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    kn_capability_set_id set = sides_set(m);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_add(m, m->gadget, set);
    EXPECT_SERVER(m, hero, LIVES "SU_A ON_A SU_B ON_B SU_D ON_D");
    EXPECT_CLIENT(m, OWNER, hero, "");
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, LIVES "SU_A ON_A SU_B ON_B SU_D ON_D");
    EXPECT_CLIENT(m, OWNER, hero, LIVES "SU_A ON_A SU_C ON_C SU_D ON_D SU_E ON_E SU_F ON_F");
    EXPECT_CLIENT(m, OBSERVER, hero, LIVES "SU_A ON_A SU_F ON_F");
    EXPECT_SERVER(m, gadget, LIVES "SU_A ON_A SU_B ON_B SU_D ON_D");
    EXPECT_CLIENT(m, OWNER, gadget, LIVES "SU_A ON_A SU_E ON_E SU_F ON_F");
    EXPECT_CLIENT(m, OBSERVER, gadget, LIVES "SU_A ON_A SU_F ON_F");
    uint32_t number = kn_capability_number(m->world, m->hero, m->parts[3].id, 0);
    assert_int_not_equal(number, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(
            kn_capability_number(client_world(m, i), m->hero, m->parts[3].id, 0), number);
    }
    match_take(m, m->hero, set);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero,
        LIVES "SU_A ON_A SU_F ON_F OFF_F EC_F EL_F EL_E EL_D EL_C EL_B OFF_A EC_A EL_A");
    EXPECT_CLIENT(m, OWNER, hero,
        LIVES "SU_A ON_A SU_C ON_C SU_D ON_D SU_E ON_E SU_F ON_F OFF_F EC_F EL_F OFF_E EC_E EL_E "
              "OFF_D EC_D EL_D OFF_C EC_C EL_C EL_B OFF_A EC_A EL_A");
    EXPECT_SERVER(m, hero,
        LIVES "SU_A ON_A SU_B ON_B SU_D ON_D EL_F EL_E OFF_D EC_D EL_D EL_C OFF_B EC_B EL_B "
              "OFF_A EC_A EL_A");
    match_end(m);
}

// CAPV-045, CAP-137, CAP-138
static void control_passes_between_clients(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    (void)plain_part(m, "A", KN_SIDE_LOCAL);
    (void)plain_part(m, "B", KN_SIDE_OWNER_LOCAL);
    kn_capability_set_id first = plain_set(m, "First", "A"), second = plain_set(m, "Second", "B");
    match_begin(m, LATENCY);
    match_add(m, m->hero, first);
    match_add(m, m->gadget, second);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A");
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connections[OBSERVER]));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A EC_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OWNER, gadget, "SL_B SU_B ON_B OFF_B EC_B");
    EXPECT_CLIENT(m, OBSERVER, gadget, "SL_B SU_B ON_B");
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connections[OWNER]));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A EC_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A OFF_A EC_A");
    EXPECT_CLIENT(m, OWNER, gadget, "SL_B SU_B ON_B OFF_B EC_B SU_B ON_B");
    EXPECT_CLIENT(m, OBSERVER, gadget, "SL_B SU_B ON_B OFF_B EC_B");
    EXPECT_SERVER(m, hero, "SL_A");
    match_end(m);
}

// CAPV-053, CAP-155, CAP-157
static void who_joins_late_begins_with_what_is_there(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    kn_capability_set_id set = sides_set(m);
    (void)plain_part(m, "G", KN_SIDE_ALWAYS);
    kn_capability_set_id gone = plain_set(m, "Gone", "G");
    match_begin(m, LATENCY);
    match_add(m, m->hero, gone);
    match_add(m, m->hero, set);
    match_take(m, m->hero, gone);
    match_run(m, KN_S(3));
    char before[NOTES_MAX];
    (void)snprintf(before, sizeof(before), "%s", noted(m, m->world, m->hero));
    match_join(m, LATE);
    match_run(m, KN_S(2));
    EXPECT_CLIENT(m, LATE, hero, LIVES "SU_A ON_A SU_F ON_F");
    EXPECT_SERVER(m, hero, before);
    // Numbers do not depend on when a machine came to know the set.
    assert_int_equal(kn_capability_number(client_world(m, LATE), m->hero, m->parts[5].id, 0),
        kn_capability_number(m->world, m->hero, m->parts[5].id, 0));
    assert_int_equal(kn_capability_set_number(client_world(m, LATE), m->hero, set), 2);
    match_end(m);
}

static kn_result note_shared(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const shared_data *data = kn_component_read(call->world, p->m->shared, call->entity);
    if (data == NULL) {
        note(call->writable, call->entity, "none_%s", p->name);
    } else {
        note(call->writable, call->entity, "%u/%u/%u_%s", data->open, data->owned, data->kept,
            p->name);
    }
    return KN_OK;
}

static shared_data *shared_of(match *m)
{
    shared_data *data = kn_component_get(m->world, m->shared, m->hero);
    assert_non_null(data);
    return data;
}

static const shared_data *shared_at(match *m, uint32_t i)
{
    return kn_component_read(client_world(m, i), m->shared, m->hero);
}

// CAP-156, CAP-162, CAP-170, CAP-171, CAP-172, CAP-174, CAP-176
static void data_is_there_when_a_set_begins(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS);
    a->def.setup = (kn_hook){note_shared, a};
    a->def.end_life = (kn_hook){note_shared, a};
    part_done(a);
    kn_capability_set_id set = data_set(m, "S", "A", m->shared);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    *shared_of(m) = (shared_data){41, 42, 43};
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_A 0/0/0_A ON_A");
    EXPECT_CLIENT(m, OWNER, hero, "SL_A 41/42/0_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A 41/0/0_A ON_A");
    shared_of(m)->open = 51;
    shared_of(m)->owned = 52;
    match_run(m, SETTLED);
    assert_int_equal(shared_at(m, OWNER)->open, 51);
    assert_int_equal(shared_at(m, OWNER)->owned, 52);
    assert_int_equal(shared_at(m, OBSERVER)->open, 51);
    assert_int_equal(shared_at(m, OBSERVER)->owned, 0);
    match_take(m, m->hero, set);
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_A 0/0/0_A ON_A OFF_A EC_A 51/52/43_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A 41/0/0_A ON_A OFF_A EC_A none_A");
    assert_null(shared_at(m, OWNER));
    assert_null(shared_at(m, OBSERVER));
    match_end(m);
}

// CAP-175, CAP-176, CAP-177, CAP-179: what belongs to one machine, or to the owner.
static void each_machine_makes_what_nobody_sends(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    (void)plain_part(m, "B", KN_SIDE_ALWAYS);
    kn_capability_id ids[PARTS_MAX];
    const kn_component_type_id data[] = {m->own, m->purse};
    kn_capability_set_def def = set_begin_def(m, "S", "A", ids);
    def.data = data;
    def.data_count = 2;
    kn_capability_set_id set = set_done(m, &def);
    kn_capability_set_id other = data_set(m, "Other", "B", m->own);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_add(m, m->hero, other);
    ((one_data *)kn_component_get(m->world, m->own, m->hero))->value = 1;
    ((one_data *)kn_component_get(m->world, m->purse, m->hero))->value = 2;
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A SL_B SU_B ON_B"); // nothing to wait for
    const one_data *own = kn_component_read(client_world(m, OBSERVER), m->own, m->hero);
    assert_int_equal(own->value, 0);
    assert_null(kn_component_read(client_world(m, OBSERVER), m->purse, m->hero));
    const one_data *purse = kn_component_read(client_world(m, OWNER), m->purse, m->hero);
    assert_int_equal(purse->value, 2);
    match_take(m, m->hero, set);
    match_run(m, SETTLED);
    assert_non_null(kn_component_read(m->world, m->own, m->hero)); // the other set has it too
    assert_non_null(kn_component_read(client_world(m, OBSERVER), m->own, m->hero));
    assert_null(kn_component_read(client_world(m, OWNER), m->purse, m->hero));
    match_take(m, m->hero, other);
    match_run(m, SETTLED);
    assert_null(kn_component_read(m->world, m->own, m->hero));
    assert_null(kn_component_read(client_world(m, OWNER), m->own, m->hero));
    assert_null(kn_component_read(client_world(m, OBSERVER), m->own, m->hero));
    match_end(m);
}

// CAPV-052, CAP-078, CAP-156
static void a_set_waits_for_its_components(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS);
    a->def.setup = (kn_hook){note_shared, a};
    part_done(a);
    (void)plain_part(m, "B", KN_SIDE_ALWAYS);
    kn_capability_set_id set = data_set(m, "S", "A", m->shared), other = plain_set(m, "T", "B");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_add(m, m->hero, other);
    // The list arrives without the component, which follows later.
    assert_true(kn_component_remove(m->world, m->shared, m->hero));
    EXPECT_SERVER(m, hero, "SL_A 0/0/0_A ON_A SL_B SU_B ON_B");
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_B SU_B ON_B");
    assert_int_equal(kn_capability_set_number(client_world(m, OWNER), m->hero, set), 1);
    *(shared_data *)kn_component_add(m->world, m->shared, m->hero) = (shared_data){7, 8, 9};
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_B SU_B ON_B SL_A 7/8/0_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_B SU_B ON_B SL_A 7/0/0_A ON_A");
    // Those that wait for nothing have their numbers from the server as well.
    assert_int_equal(kn_capability_number(client_world(m, OWNER), m->hero, a->id, 0),
        kn_capability_number(m->world, m->hero, a->id, 0));
    assert_int_equal(m->problems[OWNER], 0);
    match_end(m);
}

static kn_capability_set_id needy_set(match *m)
{
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    kn_capability_id ids[PARTS_MAX];
    kn_capability_set_def def = set_begin_def(m, "S", "A", ids);
    def.needs = &m->need;
    def.need_count = 1;
    return set_done(m, &def);
}

// CAPV-011, CAP-125, CAP-156, CAP-164: its component is not sent.
static void a_set_that_waits_is_reported_and_goes_without_a_trace(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    kn_capability_set_id set = needy_set(m);
    kn_capability_rules_def rules = kn_capability_rules_def_default();
    rules.name = "Rules";
    rules.wait_warning = KN_S(1);
    expect_ok(kn_capability_rules_register(m->library, &rules, NULL));
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A"); // the authority does not wait
    match_run(m, KN_MS(900));
    assert_int_equal(m->problems[OWNER], 0);
    match_run(m, KN_S(2));
    assert_int_equal(m->problems[OWNER], 1); // once
    assert_int_equal(m->problems[OBSERVER], 1);
    EXPECT_CLIENT(m, OWNER, hero, "");
    assert_int_equal(kn_capability_count(client_world(m, OWNER), m->hero).total, 0);
    match_take(m, m->hero, set);
    match_run(m, SETTLED);
    (void)kn_component_add(m->world, m->need, m->hero);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "");
    EXPECT_CLIENT(m, OBSERVER, hero, "");
    // The next one has what it needs.
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    match_end(m);
}

enum { WISH_LOCAL, WISH_ADD, WISH_ADD_APART, WISH_TAKE, WISH_OWN, WISH_KEPT };

// What players of these tests wish for, on the server and, ahead of it, on their client.
static kn_result wish_run(void *user, kn_world *world, const kn_command *command)
{
    match *m = user;
    const wish_data *wish = command->payload;
    kn_capability_set_id set = {wish->number};
    bool is_client = kn_world_is_client(world);
    switch (wish->what) {
    case WISH_LOCAL: // on the client alone
        if (is_client) {
            expect_ok(kn_capability_attach(
                world, command->entity, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC));
            expect_ok(kn_capability_set_add(world, command->entity, set, NULL));
        }
        return KN_OK;
    case WISH_ADD:
        return kn_capability_set_add(world, command->entity, set, NULL);
    case WISH_ADD_APART: // the next set on the server
        set.index1 += is_client ? 0 : 1;
        return kn_capability_set_add(world, command->entity, set, NULL);
    case WISH_TAKE:
        return kn_capability_set_remove(world, command->entity, set);
    case WISH_OWN:
        if (is_client) {
            ((one_data *)kn_component_get(world, m->own, command->entity))->value = wish->number;
        }
        return KN_OK;
    case WISH_KEPT:
        if (is_client) {
            ((shared_data *)kn_component_get(world, m->shared, command->entity))->kept =
                wish->number;
        }
        return KN_OK;
    default:
        return KN_REFUSED_CUSTOM;
    }
}

// CAPV-050, CAPV-051, CAP-142, CAP-151, CAP-152
static void a_client_has_sets_of_its_own_in_local_mode_only(void **state)
{
    (void)state;
    match *m = match_create(wish_run);
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    (void)plain_part(m, "B", KN_SIDE_AUTHORITY);
    kn_capability_set_id set = plain_set(m, "S", "AB");
    match_begin(m, LATENCY);
    assert_int_equal(
        kn_capability_set_add(client_world(m, OWNER), m->hero, set, NULL), KN_REFUSED_BLOCKED);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "");
    EXPECT_SERVER(m, hero, "");
    match_wish(m, OWNER, m->hero, WISH_LOCAL, set.index1);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SL_B SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "");
    EXPECT_SERVER(m, hero, "");
    assert_int_equal(kn_capability_set_number(m->world, m->hero, set), 0);
    // What the server changes about the entity leaves it alone.
    expect_ok(kn_entity_add_tag(m->world, m->hero, m->go, KN_TAG_ORIGIN_LOOSE, 1));
    (void)kn_component_add(m->world, m->need, m->hero);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SL_B SU_A ON_A");
    assert_true(kn_capability_is_active(client_world(m, OWNER), m->hero, m->parts[0].id));
    match_end(m);
}

static kn_result own_is_set(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const one_data *own = kn_component_read(call->world, p->m->own, call->entity);
    return own != NULL && own->value != 0 ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result own_is_not_set(void *user, const kn_hook_call *call)
{
    return own_is_set(user, call) == KN_OK ? KN_REFUSED_CUSTOM : KN_OK;
}

// CAPV-054, CAP-055, CAP-056, CAP-154, CAP-160
static void every_machine_switches_for_itself(void **state)
{
    (void)state;
    match *m = match_create(wish_run);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS);
    a->def.should_activate = (kn_hook){own_is_set, a};
    a->def.should_deactivate = (kn_hook){own_is_not_set, a};
    part_done(a);
    kn_capability_set_id set = data_set(m, "S", "A", m->own);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    ((one_data *)kn_component_get(m->world, m->own, m->hero))->value = 1;
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A");
    match_wish(m, OWNER, m->hero, WISH_OWN, 1);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A");
    ((one_data *)kn_component_get(m->world, m->own, m->hero))->value = 0;
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A OFF_A");
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    match_end(m);
}

// CAP-005, CAP-140, CAP-213: capabilities of the machine that plays, driven by what the server
// sends. Those that sleep hear of it as well.
static void what_is_sent_reaches_local_capabilities(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_LOCAL), *b = part_of(m, "B", KN_SIDE_LOCAL),
         *c = part_of(m, "C", KN_SIDE_LOCAL);
    a->def.when.required = b->def.when.required = c->def.blocked_by = (kn_tags){&m->go, 1};
    b->def.sleeps = true;
    c->def.can_tick = false;
    part_done(a);
    part_done(b);
    part_done(c);
    kn_capability_set_id set = plain_set(m, "S", "ABC");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
#define BEGIN "SL_A SL_B SL_C SU_A SU_B SU_C ON_C"
    EXPECT_CLIENT(m, OWNER, hero, BEGIN);
    expect_ok(kn_entity_add_tag(m->world, m->hero, m->go, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, BEGIN " ON_A ON_B OFF_C");
    assert_int_equal(kn_capability_count(client_world(m, OWNER), m->hero).asleep, 1);
    expect_ok(kn_entity_remove_tag(m->world, m->hero, m->go, KN_TAG_ORIGIN_LOOSE_SYNCED, 1));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, BEGIN " ON_A ON_B OFF_C OFF_A OFF_B ON_C");
#undef BEGIN
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SL_B SL_C");
    EXPECT_SERVER(m, hero, "SL_A SL_B SL_C");
    match_end(m);
}

static kn_attribute_id vigor;

static kn_result has_effects(void *user, const kn_hook_call *call)
{
    (void)user;
    return kn_effects_count(call->world, call->entity) > 0 ? KN_OK : KN_REFUSED_CUSTOM;
}

static kn_result has_vigor(void *user, const kn_hook_call *call)
{
    (void)user;
    return kn_attribute_value(call->world, call->entity, vigor) > 5.0f ? KN_OK : KN_REFUSED_CUSTOM;
}

// CAP-213: the same for effects and attributes.
static void sent_effects_and_attributes_wake_sleepers(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    kn_effect_def burn = kn_effect_def_default();
    kn_effect_type_id burn_type;
    burn.name = "Burn";
    burn.duration_kind = KN_DURATION_INFINITE;
    expect_ok(kn_effect_register(m->library, &burn, &burn_type, NULL));
    kn_attribute_def attribute = kn_attribute_def_default();
    kn_attribute_set_def body = kn_attribute_set_def_default();
    kn_attribute_set_id body_id;
    attribute.name = "Vigor";
    body.name = "Body";
    body.attributes = &attribute;
    body.attribute_count = 1;
    expect_ok(kn_attribute_set_register(m->library, &body, &body_id, NULL));
    vigor = kn_attribute_find(m->library, "Body.Vigor");
    part *a = part_of(m, "A", KN_SIDE_LOCAL), *b = part_of(m, "B", KN_SIDE_LOCAL);
    a->def.initial = b->def.initial = KN_INITIAL_START;
    a->def.sleeps = b->def.sleeps = true;
    a->def.should_activate = (kn_hook){has_effects, NULL};
    a->def.hears_effects = &burn_type;
    a->def.hears_effect_count = 1;
    b->def.should_activate = (kn_hook){has_vigor, NULL};
    b->def.hears_attributes = &vigor;
    b->def.hears_attribute_count = 1;
    part_done(a);
    part_done(b);
    kn_capability_set_id set = plain_set(m, "S", "AB");
    match_begin(m, LATENCY);
    expect_ok(kn_attribute_set_add(m->world, m->hero, body_id, 0));
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SL_B SU_A SU_B");
    expect_ok(kn_effect_apply_simple(m->world, burn_type, m->foe, m->hero, 1.0f, NULL));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SL_B SU_A SU_B ON_A");
    expect_ok(kn_attribute_set_base(m->world, m->hero, vigor, 0, 7.0f));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SL_B SU_A SU_B ON_A ON_B");
    match_end(m);
}

// CAP-163: a client whose library lacks a set is told so when it joins, and others do not notice.
static void a_set_that_a_client_does_not_know_is_noticed_at_once(void **state)
{
    (void)state;
    match *m = match_create(NULL), *other = match_create(NULL);
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    (void)plain_part(other, "A", KN_SIDE_ALWAYS);
    kn_capability_set_id set = plain_set(m, "S", "A"), more = plain_set(m, "More", "A");
    (void)plain_set(other, "S", "A");
    expect_ok(kn_library_finish(other->library, NULL));
    match_begin(m, LATENCY);
    match_add(m, m->hero, more);
    kn_library *own = m->library;
    m->library = other->library; // of the client that comes
    match_join(m, LATE);
    m->library = own;
    match_run(m, KN_S(1));
    assert_int_equal(kn_client_closed(m->clients[LATE]), KN_CLOSE_LIBRARY);
    kn_client_destroy(m->clients[LATE]);
    m->clients[LATE] = NULL;
    m->is_open[LATE] = false;
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A SL_A SU_A ON_A");
    match_end(m);
    kn_library_destroy(other->library);
    free(other);
}

// CAPV-055, CAP-124, CAP-162, CAP-175
static void two_sets_share_a_component_until_the_last_one_goes(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS), *b = part_of(m, "B", KN_SIDE_ALWAYS);
    a->def.end_life = (kn_hook){note_shared, a};
    b->def.end_life = (kn_hook){note_shared, b};
    part_done(a);
    part_done(b);
    kn_capability_set_id first = data_set(m, "First", "A", m->shared),
                         second = data_set(m, "Second", "B", m->shared);
    match_begin(m, LATENCY);
    match_add(m, m->hero, first);
    shared_of(m)->open = 5;
    match_add(m, m->hero, second);
    match_run(m, SETTLED);
    assert_int_equal(shared_of(m)->open, 5); // created once
    match_take(m, m->hero, first);
    match_run(m, SETTLED);
    assert_int_equal(shared_of(m)->open, 5);
    assert_int_equal(shared_at(m, OWNER)->open, 5);
    assert_int_equal(shared_at(m, OBSERVER)->open, 5);
    match_take(m, m->hero, second);
    assert_null(kn_component_read(m->world, m->shared, m->hero));
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A SL_B SU_B ON_B OFF_A EC_A 5/0/0_A OFF_B EC_B 5/0/0_B");
    match_run(m, SETTLED);
    assert_null(shared_at(m, OWNER));
    assert_null(shared_at(m, OBSERVER));
    match_end(m);
}

// CAPV-056, CAP-171: handing a component out for writing marks it.
static void what_is_not_marked_is_not_sent(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    kn_capability_set_id set = data_set(m, "S", "A", m->shared);
    m->server_def.checks_per_second = 0; // those would find the difference
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    shared_data *kept = shared_of(m);
    kept->open = 1;
    match_run(m, SETTLED);
    assert_int_equal(shared_at(m, OBSERVER)->open, 1);
    kept->open = 2; // through a pointer from before
    match_run(m, SETTLED);
    assert_int_equal(shared_at(m, OBSERVER)->open, 1);
    (void)shared_of(m);
    match_run(m, SETTLED);
    assert_int_equal(shared_at(m, OBSERVER)->open, 2);
    match_end(m);
}

// CAP-177
static void a_client_keeps_what_it_writes_until_the_server_says_otherwise(void **state)
{
    (void)state;
    match *m = match_create(wish_run);
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    kn_capability_id ids[PARTS_MAX];
    kn_capability_set_def def = set_begin_def(m, "S", "A", ids);
    const kn_component_type_id data[] = {m->shared, m->own};
    def.data = data;
    def.data_count = 2;
    kn_capability_set_id set = set_done(m, &def);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    match_wish(m, OWNER, m->hero, WISH_OWN, 9);
    match_run(m, SETTLED);
    shared_of(m)->open = 3;
    match_run(m, SETTLED);
    const one_data *own = kn_component_read(client_world(m, OWNER), m->own, m->hero);
    assert_int_equal(own->value, 9);
    assert_int_equal(shared_at(m, OWNER)->open, 3);
    own = kn_component_read(m->world, m->own, m->hero);
    assert_int_equal(own->value, 0);
    match_end(m);
}

static kn_result note_change(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const kn_capability_data_change *change = call->arguments;
    uint32_t count = 9, old_count = 9;
    const void *items, *old_items;
    const shared_data *now =
        kn_component_read_whole(call->world, change->component, call->entity, &items, &count);
    const shared_data *old = kn_capability_old_data(
        call->world, call->entity, change->component, &old_items, &old_count);
    assert_non_null(old);
    assert_int_equal(change->number, kn_capability_number(call->world, call->entity, p->id, 0));
    if (change->component.index1 == p->m->shared.index1) {
        note(call->writable, call->entity, "C%u:%u/%u>%u/%u_%s", change->field, old->open,
            old->owned, now->open, now->owned, p->name);
        return KN_OK;
    }
    const coin_data *coins = items, *old_coins = old_items;
    note(call->writable, call->entity, "L%u:%u>%u_%s", change->field,
        old_count > 0 ? (uint32_t)old_coins[old_count - 1].worth : 0,
        count > 0 ? (uint32_t)coins[count - 1].worth : 0, p->name);
    return KN_OK;
}

static part *watcher(match *m, const char *name, kn_capability_side side)
{
    part *p = part_of(m, name, side);
    p->def.data_changed = (kn_hook){note_change, p};
    p->def.setup = p->def.activated = p->def.start_life = (kn_hook){0};
    part_done(p);
    return p;
}

// CAP-178
static void clients_hear_of_changed_data(void **state)
{
    (void)state;
    match *m = match_create(wish_run);
    (void)watcher(m, "A", KN_SIDE_ALWAYS);
    (void)watcher(m, "B", KN_SIDE_ALWAYS);
    (void)watcher(m, "C", KN_SIDE_ALWAYS);
    (void)watcher(m, "D", KN_SIDE_AUTHORITY);
    kn_capability_set_id sets[] = {data_set(m, "First", "AD", m->shared),
        data_set(m, "Second", "B", m->shared), plain_set(m, "Third", "C")};
    match_begin(m, LATENCY);
    for (size_t i = 0; i < 3; i++) {
        match_add(m, m->hero, sets[i]);
    }
    *shared_of(m) = (shared_data){1, 2, 3};
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, ""); // what it begins with is no change
    *shared_of(m) = (shared_data){4, 5, 6};
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "C0:1/2>4/5_A C0:1/2>4/5_B C1:1/2>4/5_A C1:1/2>4/5_B");
    EXPECT_CLIENT(m, OBSERVER, hero, "C0:1/0>4/0_A C0:1/0>4/0_B");
    EXPECT_SERVER(m, hero, "");
    shared_of(m)->kept = 7; // nobody is sent that
    match_wish(m, OWNER, m->hero, WISH_KEPT, 11);
    match_run(m, SETTLED);
    assert_int_equal(shared_at(m, OWNER)->kept, 11);
    EXPECT_CLIENT(m, OWNER, hero, "C0:1/2>4/5_A C0:1/2>4/5_B C1:1/2>4/5_A C1:1/2>4/5_B");
    match_take(m, m->hero, sets[0]);
    shared_of(m)->open = 8;
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "C0:1/0>4/0_A C0:1/0>4/0_B EL_D OFF_A EC_A EL_A C0:4/0>8/0_B");
    // A component that comes back begins anew.
    match_take(m, m->hero, sets[1]);
    match_run(m, SETTLED);
    assert_null(kn_capability_old_data(client_world(m, OBSERVER), m->hero, m->shared, NULL, NULL));
    match_add(m, m->hero, sets[1]);
    match_run(m, SETTLED);
    shared_of(m)->open = 9;
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero,
        "C0:1/0>4/0_A C0:1/0>4/0_B EL_D OFF_A EC_A EL_A C0:4/0>8/0_B OFF_B EC_B EL_B "
        "C0:0/0>9/0_B");
    match_end(m);
}

// CAP-178
static void clients_hear_of_changed_lists(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    (void)watcher(m, "A", KN_SIDE_ALWAYS);
    kn_capability_set_id set = data_set(m, "S", "A", m->bag);
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    ((coin_data *)kn_component_resize(m->world, m->bag, m->hero, 2))[1].worth = 5;
    match_run(m, SETTLED);
    ((coin_data *)kn_component_items(m->world, m->bag, m->hero, NULL))[1].worth = 6;
    match_run(m, SETTLED);
    (void)kn_component_resize(m->world, m->bag, m->hero, 0);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "L1:0>5_A L1:5>6_A L1:6>0_A");
    match_end(m);
}

static void block(match *m, kn_capability_scope scope, uint64_t key)
{
    const kn_capability_block block = {
        .tag = m->move, .scope = scope, .source = {.kind = KN_CAPABILITY_SOURCE_KEY, .key = key}};
    expect_ok(kn_capability_block_add(m->world, m->hero, &block));
}

static void unblock(match *m, uint64_t key)
{
    const kn_capability_source source = {.kind = KN_CAPABILITY_SOURCE_KEY, .key = key};
    expect_ok(kn_capability_block_remove(m->world, m->hero, m->move, &source));
}

// CAP-111, CAP-112
static void blocks_reach_those_they_are_for(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS);
    a->def.tags = (kn_tags){&m->move, 1};
    part_done(a);
    kn_capability_set_id set = plain_set(m, "S", "A");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    block(m, KN_CAPABILITY_SCOPE_LOCAL, 1);
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A OFF_A");
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A");
    block(m, KN_CAPABILITY_SCOPE_OWNER, 2);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A");
    block(m, KN_CAPABILITY_SCOPE_ALL, 3);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A OFF_A");
    assert_true(kn_capability_tag_is_blocked(client_world(m, OBSERVER), m->hero, m->move));
    // One goes and another comes, so that their number stays the same.
    unblock(m, 2);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A"); // the one for all is left
    unblock(m, 3);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SU_A ON_A OFF_A ON_A");
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A OFF_A");
    unblock(m, 1);
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A OFF_A ON_A");
    // A client may not block on other machines, nor lift what the server blocks.
    const kn_capability_block wanted = {
        .tag = m->move, .scope = KN_CAPABILITY_SCOPE_ALL, .source = {.key = 4}};
    assert_int_equal(
        kn_capability_block_add(client_world(m, OWNER), m->hero, &wanted), KN_REFUSED_BLOCKED);
    block(m, KN_CAPABILITY_SCOPE_ALL, 5);
    match_run(m, SETTLED);
    const kn_capability_source source = {.key = 5};
    assert_int_equal(kn_capability_block_remove(client_world(m, OWNER), m->hero, m->move, &source),
        KN_REFUSED_BLOCKED);
    match_end(m);
}

// A block by a capability of the server does not stop that capability, on clients neither.
static void a_block_of_a_capability_spares_it_on_clients_too(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    part *a = part_of(m, "A", KN_SIDE_ALWAYS), *b = part_of(m, "B", KN_SIDE_ALWAYS);
    a->def.tags = b->def.tags = (kn_tags){&m->move, 1};
    part_done(a);
    part_done(b);
    (void)plain_part(m, "C", KN_SIDE_ALWAYS);
    kn_capability_set_id set = plain_set(m, "S", "AB"), gone = plain_set(m, "Gone", "C");
    match_begin(m, LATENCY);
    match_add(m, m->hero, gone);
    match_take(m, m->hero, gone);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    const kn_capability_block by_b = {.tag = m->move,
        .scope = KN_CAPABILITY_SCOPE_ALL,
        .source = {.kind = KN_CAPABILITY_SOURCE_MEMBER,
            .number = kn_capability_number(m->world, m->hero, b->id, 0),
            .entity = m->hero}};
    expect_ok(kn_capability_block_add(m->world, m->hero, &by_b));
    match_run(m, SETTLED);
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(kn_capability_is_active(client_world(m, i), m->hero, a->id));
        assert_true(kn_capability_is_active(client_world(m, i), m->hero, b->id));
    }
    match_take(m, m->hero, set); // the block ends with its source
    match_run(m, SETTLED);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    assert_true(kn_capability_is_active(client_world(m, OBSERVER), m->hero, a->id));
    assert_false(kn_capability_tag_is_blocked(client_world(m, OBSERVER), m->hero, m->move));
    match_end(m);
}

static kn_result note_mirror(void *user, const kn_hook_call *call)
{
    const part *p = user;
    const kn_capability_call *c = call->arguments;
    kn_capability_info info;
    assert_true(kn_capability_get_info(call->world, call->entity, c->number, &info));
    note(call->writable, call->entity, "MC%d_%s", info.is_mirrored_active, p->name);
    return KN_OK;
}

// CAP-007, CAP-165: later than the server.
static void clients_know_what_is_active_on_the_server(void **state)
{
    (void)state;
    match *m = match_create(NULL);
    (void)plain_part(m, "A", KN_SIDE_ALWAYS);
    part *b = part_of(m, "B", KN_SIDE_AUTHORITY);
    b->def.mirrored = true;
    b->def.mirror_changed = (kn_hook){note_mirror, b};
    b->def.when.required = (kn_tags){&m->go, 1};
    part_done(b);
    kn_capability_set_id set = plain_set(m, "S", "AB");
    match_begin(m, LATENCY);
    match_add(m, m->hero, set);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SL_B SU_A ON_A");
    expect_ok(kn_entity_add_tag(m->world, m->hero, m->go, KN_TAG_ORIGIN_LOOSE, 1));
    match_run(m, LATENCY / 2 + KN_MS(10));
    EXPECT_SERVER(m, hero, "SL_A SL_B SU_A ON_A SU_B ON_B");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SL_B SU_A ON_A");
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SL_B SU_A ON_A MC1_B");
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SL_B SU_A ON_A MC1_B");
    EXPECT_SERVER(m, hero, "SL_A SL_B SU_A ON_A SU_B ON_B");
    match_join(m, LATE);
    match_run(m, KN_S(2));
    EXPECT_CLIENT(m, LATE, hero, "SL_A SL_B SU_A ON_A MC1_B");
    expect_ok(kn_entity_remove_tag(m->world, m->hero, m->go, KN_TAG_ORIGIN_LOOSE, 1));
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A SL_B SU_A ON_A MC1_B MC0_B");
    EXPECT_CLIENT(m, LATE, hero, "SL_A SL_B SU_A ON_A MC1_B MC0_B");
    match_end(m);
}

static match *predicted_begin(kn_capability_set_id sets[2])
{
    match *m = match_create(wish_run);
    (void)plain_part(m, "A", KN_SIDE_AUTHORITY_AND_LOCAL);
    (void)plain_part(m, "B", KN_SIDE_AUTHORITY_AND_LOCAL);
    sets[0] = data_set(m, "First", "A", m->shared);
    sets[1] = plain_set(m, "Second", "B");
    match_begin(m, LATENCY);
    return m;
}

// CAP-166: a rule adds a set on the client ahead of the server, which does the same.
static void a_predicted_set_is_confirmed(void **state)
{
    (void)state;
    kn_capability_set_id sets[2];
    match *m = predicted_begin(sets);
    uint64_t corrections = kn_client_get_stats(m->clients[OWNER]).corrections;
    match_wish(m, OWNER, m->hero, WISH_ADD, sets[0].index1);
    match_run(m, KN_MS(35)); // it has not arrived there
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    EXPECT_SERVER(m, hero, "");
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_A");
    EXPECT_SERVER(m, hero, "SL_A SU_A ON_A");
    match_wish(m, OWNER, m->hero, WISH_TAKE, sets[0].index1);
    match_run(m, SETTLED);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A EC_A EL_A");
    assert_null(shared_at(m, OWNER));
    assert_int_equal(kn_client_get_stats(m->clients[OWNER]).corrections, corrections);
    match_end(m);
}

// CAP-166: the server adds another set under the same number.
static void a_wrongly_predicted_set_is_replaced(void **state)
{
    (void)state;
    kn_capability_set_id sets[2];
    match *m = predicted_begin(sets);
    match_wish(m, OWNER, m->hero, WISH_ADD_APART, sets[0].index1);
    match_run(m, KN_MS(35));
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A");
    match_run(m, SETTLED);
    EXPECT_SERVER(m, hero, "SL_B SU_B ON_B");
    kn_capability_info info[4];
    assert_int_equal(kn_capabilities(client_world(m, OWNER), m->hero, info, 4), 1);
    assert_int_equal(info[0].set.index1, sets[1].index1);
    assert_true(info[0].is_active);
    EXPECT_CLIENT(m, OWNER, hero, "SL_A SU_A ON_A OFF_A EC_A EL_A SL_B SU_B ON_B");
    assert_null(shared_at(m, OWNER));
    EXPECT_CLIENT(m, OBSERVER, hero, "SL_B");
    match_end(m);
}

// A predicted set goes with the command that the server refuses, as if it had not been there.
static void a_refused_set_was_never_there(void **state)
{
    (void)state;
    kn_capability_set_id sets[2];
    match *m = predicted_begin(sets);
    match_add(m, m->hero, sets[1]);
    match_run(m, SETTLED);
    match_take(m, m->hero, sets[1]); // the client does not know that when it removes the set, too
    match_wish(m, OWNER, m->hero, WISH_TAKE, sets[1].index1);
    match_run(m, SETTLED);
    assert_int_equal(m->refused[OWNER], 1);
    EXPECT_CLIENT(m, OWNER, hero, "SL_B SU_B ON_B OFF_B EC_B EL_B");
    EXPECT_SERVER(m, hero, "SL_B SU_B ON_B OFF_B EC_B EL_B");
    assert_int_equal(kn_capability_count(client_world(m, OWNER), m->hero).total, 0);
    match_end(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sets_of_the_server_run_on_every_side),
    cmocka_unit_test(control_passes_between_clients),
    cmocka_unit_test(who_joins_late_begins_with_what_is_there),
    cmocka_unit_test(data_is_there_when_a_set_begins),
    cmocka_unit_test(each_machine_makes_what_nobody_sends),
    cmocka_unit_test(a_set_waits_for_its_components),
    cmocka_unit_test(a_set_that_waits_is_reported_and_goes_without_a_trace),
    cmocka_unit_test(a_client_has_sets_of_its_own_in_local_mode_only),
    cmocka_unit_test(every_machine_switches_for_itself),
    cmocka_unit_test(what_is_sent_reaches_local_capabilities),
    cmocka_unit_test(sent_effects_and_attributes_wake_sleepers),
    cmocka_unit_test(a_set_that_a_client_does_not_know_is_noticed_at_once),
    cmocka_unit_test(two_sets_share_a_component_until_the_last_one_goes),
    cmocka_unit_test(what_is_not_marked_is_not_sent),
    cmocka_unit_test(a_client_keeps_what_it_writes_until_the_server_says_otherwise),
    cmocka_unit_test(clients_hear_of_changed_data),
    cmocka_unit_test(clients_hear_of_changed_lists),
    cmocka_unit_test(blocks_reach_those_they_are_for),
    cmocka_unit_test(a_block_of_a_capability_spares_it_on_clients_too),
    cmocka_unit_test(clients_know_what_is_active_on_the_server),
    cmocka_unit_test(a_predicted_set_is_confirmed),
    cmocka_unit_test(a_wrongly_predicted_set_is_replaced),
    cmocka_unit_test(a_refused_set_was_never_there),
};

TEST_GROUP(capability_net, tests, NULL, NULL);
