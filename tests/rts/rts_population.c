// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Population of players: what units take and give, and what is reserved for products.

#include "rts/tech_test.h"

#include "knack/rts_card.h"

static kn_rts_population_info population(const realm *r, kn_entity_id player)
{
    kn_rts_population_info info;
    assert_true(kn_rts_population(r->world, player, &info));
    return info;
}

static kn_result check(const realm *r, kn_entity_id producer, const char *name, const char *tag)
{
    kn_product_answer answer;
    const kn_result result = kn_product_check(r->world, producer, product(r, name), &answer);
    bool is_there = false;
    for (uint32_t i = 0; i < answer.errors.other_count; i++) {
        is_there |= answer.errors.others[i].index1 == tag_of(r, tag).index1;
    }
    assert_true(is_there);
    return result;
}

static void units_take_and_give_population(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us), footman = spawn(r, "Footman", r->us);
    const kn_entity_id hero = spawn(r, "Hero", r->us);
    kn_rts_population_info info = population(r, r->us);
    assert_true(info.used == 6.5f && info.cap == 10 && info.room == 3.5f);
    assert_true(kn_rts_population_of(r->world, hero) == 4.5f);
    assert_true(kn_rts_population_of(r->world, hall) == 0);
    assert_int_equal(kn_rts_kill(r->world, hero, footman), KN_OK);
    assert_true(population(r, r->us).used == 2);
    assert_true(kn_rts_population_of(r->world, hero) == 0);
    own(r, footman, r->them);
    assert_true(population(r, r->us).used == 0 && population(r, r->them).used == 2);
    info = population(r, r->them); // too many already
    assert_true(info.cap == 0 && info.room == 0);
    assert_true(kn_entity_destroy(r->world, footman));
    assert_true(population(r, r->them).used == 0);
    assert_true(kn_entity_destroy(r->world, hall));
    assert_true(population(r, r->us).cap == 0);
    assert_false(kn_rts_population(r->world, hero, &info)); // not a player
    assert_true(info.used == 0 && info.cap == 0 && info.room == 0);
    assert_true(kn_rts_product_population(r->library, product(r, "Footman")) == 2);
    assert_true(kn_rts_product_population(r->library, product(r, "Hero")) == 4.5f);
    assert_true(kn_rts_product_population(r->library, product(r, "Archer")) == 2); // a parent's
    assert_true(kn_rts_product_population(r->library, product(r, "Blades")) == 0);
    assert_true(kn_rts_product_population(r->library, (kn_product_id){0}) == 0);
}

static void a_product_without_room_is_refused_with_a_reason(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us);
    char text[128];
    base_set(r, r->us, "Crowd.Used", 9);
    assert_int_equal(check(r, hall, "Footman", "Knack.Order.Population"), KN_REFUSED_LIMIT);
    assert_int_equal(make(r, hall, "Footman"), KN_REFUSED_LIMIT);
    assert_true(value(r, r->us, "Stock.Gold") == 1000);
    (void)kn_rts_product_why_not(r->world, hall, product(r, "Footman"), text, sizeof(text));
    assert_string_equal(text, "Population");
    assert_int_equal(make(r, hall, "Loom"), KN_OK); // takes none
    base_set(r, r->us, "Crowd.Used", 8);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    base_set(r, r->us, "Crowd.Used", 29);
    base_set(r, r->us, "Crowd.Cap", 100);
    assert_true(population(r, r->us).cap == 30); // more farms would not help
    assert_int_equal(check(r, hall, "Footman", "Knack.Order.PopulationLimit"), KN_REFUSED_LIMIT);
}

static void population_is_reserved_when_work_begins(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_true(population(r, r->us).used == 2);
    assert_int_equal(kn_product_cancel(r->world, hall, 1), KN_OK); // had reserved nothing
    assert_true(population(r, r->us).used == 2);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    step_s(r, 10);
    assert_true(population(r, r->us).used == 4); // one lives, one is in work
    assert_int_equal(kn_product_cancel(r->world, hall, 0), KN_OK);
    assert_true(population(r, r->us).used == 2);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_true(kn_entity_destroy(r->world, hall));
    assert_true(population(r, r->us).used == 2);
}

static void a_producer_holds_until_there_is_room(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us), barracks = spawn(r, "Barracks", r->us);
    base_set(r, r->us, "Crowd.Used", 6);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    assert_true(population(r, r->us).used == 10);
    step_s(r, 10);
    assert_int_equal(state_of(r, hall), KN_PRODUCER_HOLDS);
    assert_int_equal(state_of(r, barracks), KN_PRODUCER_IDLE);
    assert_true(population(r, r->us).used == 10);
    step_s(r, 30);
    assert_int_equal(state_of(r, hall), KN_PRODUCER_HOLDS);
    const kn_entity_id farm = spawn(r, "Farm", r->us); // at once, not at the next second
    assert_int_equal(state_of(r, hall), KN_PRODUCER_WORKS);
    assert_true(population(r, r->us).used == 12 && population(r, r->us).cap == 18);
    assert_true(kn_entity_destroy(r->world, farm)); // work that has begun goes on
    step_s(r, 10);
    assert_true(population(r, r->us).used == 12);
    assert_int_equal(state_of(r, hall), KN_PRODUCER_IDLE);
}

static void what_does_not_become_a_finished_unit_takes_nothing(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us);
    kn_entity_id egg = {0};
    assert_int_equal(make(r, hall, "Egg"), KN_OK);
    assert_true(population(r, r->us).used == 2);
    step_s(r, 1);
    assert_true(population(r, r->us).used == 0);
    const kn_component_type_id units = kn_component_find(r->library, "Knack.RtsUnit");
    kn_entity_id unit = {0};
    while ((unit = kn_component_next(r->world, units, unit)).index1 != 0) {
        egg = has(r, unit, "Unit.Footman") ? unit : egg;
    }
    assert_int_equal(
        kn_rts_change_tag(r->world, egg, kn_rts_tag(r->library, KN_RTS_UNDER_CONSTRUCTION), false),
        KN_OK); // it hatches
    assert_true(population(r, r->us).used == 2);
}

// Custom content: what is reserved in the queue, and what waits there.
static void population_may_be_reserved_in_the_queue(void **state)
{
    realm *r = realm_of(realm_library_with("limit: 30}", "limit: 30, reserve: queue}"));
    const kn_entity_id hall = spawn(r, "Hall", r->us), worker = spawn(r, "Worker", r->us);
    kn_entity_id site;
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(make(r, hall, "Footman"), KN_OK);
    }
    assert_int_equal(make(r, hall, "Footman"), KN_REFUSED_LIMIT);
    assert_true(population(r, r->us).used == 9);
    assert_int_equal(kn_product_cancel(r->world, hall, 3), KN_OK);
    assert_true(population(r, r->us).used == 7);
    step_s(r, 10);
    assert_true(population(r, r->us).used == 7);
    assert_int_equal(
        kn_site_begin(r->world, worker, product(r, "Tower"), (kn_vec3){9, 0, 0}, NULL, &site),
        KN_OK);
    assert_true(population(r, r->us).used == 10); // sites have it from the beginning
    step_s(r, 20);
    assert_true(population(r, r->us).used == 10);
    realm_free(r);
}

static void a_site_has_its_population_reserved(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us), worker = spawn(r, "Worker", r->us);
    const kn_product_id tower = product(r, "Tower");
    kn_entity_id site;
    (void)hall;
    assert_int_equal(
        kn_site_begin(r->world, worker, tower, (kn_vec3){9, 0, 0}, NULL, &site), KN_OK);
    assert_true(population(r, r->us).used == 4);
    own(r, site, r->them);
    assert_true(population(r, r->us).used == 1 && population(r, r->them).used == 3);
    own(r, site, r->us);
    assert_int_equal(kn_site_cancel(r->world, site), KN_OK);
    assert_true(population(r, r->us).used == 1);
    assert_int_equal(
        kn_site_begin(r->world, worker, tower, (kn_vec3){19, 0, 0}, NULL, &site), KN_OK);
    assert_int_equal(kn_rts_kill(r->world, site, (kn_entity_id){0}), KN_OK);
    assert_true(population(r, r->us).used == 1);
    assert_int_equal(
        kn_site_begin(r->world, worker, tower, (kn_vec3){29, 0, 0}, NULL, &site), KN_OK);
    step_s(r, 4);
    assert_true(population(r, r->us).used == 4);
    assert_true(kn_rts_population_of(r->world, site) == 3);
    base_set(r, r->us, "Crowd.Used", 8);
    assert_int_equal(
        kn_site_begin(r->world, worker, tower, (kn_vec3){39, 0, 0}, NULL, &site), KN_REFUSED_LIMIT);
}

static void products_may_wait_for_room_in_the_queue(void **state)
{
    realm *r = realm_of(realm_library_with("limit: 30}", "limit: 30, queues_without_room: true}"));
    const kn_entity_id hall = spawn(r, "Hall", r->us);
    (void)state;
    base_set(r, r->us, "Crowd.Used", 10);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_int_equal(state_of(r, hall), KN_PRODUCER_HOLDS);
    assert_true(value(r, r->us, "Stock.Gold") == 950);
    assert_int_equal(kn_product_cancel(r->world, hall, 0), KN_OK);
    assert_true(value(r, r->us, "Stock.Gold") == 1000 && population(r, r->us).used == 10);
    base_set(r, r->us, "Crowd.Used", 0); // nobody waits any more
    assert_int_equal(state_of(r, hall), KN_PRODUCER_IDLE);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);
    assert_int_equal(state_of(r, hall), KN_PRODUCER_WORKS);
    realm_free(r);
}

static void what_is_reserved_changes_sides_with_the_queue(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us), barracks = spawn(r, "Barracks", r->us);
    assert_int_equal(make(r, hall, "Footman"), KN_OK);     // `on_owner_change: refund`
    assert_int_equal(make(r, barracks, "Footman"), KN_OK); // `on_owner_change: keep`
    assert_true(population(r, r->us).used == 4);
    own(r, hall, r->them);
    assert_true(population(r, r->us).used == 2 && population(r, r->us).cap == 0);
    own(r, barracks, r->them);
    assert_true(population(r, r->us).used == 0 && population(r, r->them).used == 2);
    step_s(r, 10);
    assert_true(population(r, r->us).used == 0 && population(r, r->them).used == 2);
}

static void a_producer_that_holds_waits_for_its_new_owner(void **state)
{
    realm *r = *state;
    const kn_entity_id hall = spawn(r, "Hall", r->us), barracks = spawn(r, "Barracks", r->us);
    (void)hall;
    base_set(r, r->us, "Crowd.Used", 8);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    assert_int_equal(kn_product_cancel(r->world, barracks, 0), KN_OK);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    base_set(r, r->us, "Crowd.Used", 9);
    assert_int_equal(kn_product_cancel(r->world, barracks, 0), KN_OK);
    base_set(r, r->us, "Crowd.Used", 8);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    base_set(r, r->us, "Crowd.Used", 10);
    step_s(r, 10);
    base_set(r, r->us, "Crowd.Used", 8);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    assert_int_equal(make(r, barracks, "Footman"), KN_REFUSED_LIMIT);
    base_set(r, r->us, "Crowd.Used", 4);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    base_set(r, r->us, "Crowd.Used", 10);
    step_s(r, 10);
    assert_int_equal(state_of(r, barracks), KN_PRODUCER_HOLDS);
    own(r, barracks, r->them);
    assert_int_equal(state_of(r, barracks), KN_PRODUCER_HOLDS); // they have no room either
    (void)spawn(r, "Farm", r->them);
    assert_int_equal(state_of(r, barracks), KN_PRODUCER_WORKS);
    assert_true(population(r, r->them).used == 2);
    assert_int_equal(make(r, barracks, "Footman"), KN_OK);
    base_set(r, r->them, "Crowd.Used", 8);
    base_set(r, r->us, "Crowd.Used", 0);
    step_s(r, 10);
    assert_int_equal(state_of(r, barracks), KN_PRODUCER_HOLDS);
    own(r, barracks, r->us); // there is room at once
    assert_int_equal(state_of(r, barracks), KN_PRODUCER_WORKS);
    assert_true(population(r, r->us).used == 2);
}

// Whatever happens, what is used is what living units take and products in work have reserved.

#define UNITS_MAX 96

typedef struct crowd {
    kn_entity_id units[UNITS_MAX];
    uint32_t count;
    uint64_t random;
} crowd;

static uint32_t below(crowd *c, uint32_t limit)
{
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(c->random >> 33) % limit;
}

// What the queue of a producer has reserved: all of it, or its first product while that is made.
static float reserved(const realm *r, kn_entity_id producer)
{
    const kn_rts_population_def *def =
        kn_def_get(r->library, kn_kind_find(r->library, "rts population"), 1);
    kn_product_item items[64];
    kn_producer_info info;
    float sum = 0;
    if (!kn_producer_get_info(r->world, producer, &info)) {
        return 0;
    }
    uint32_t count = kn_producer_queue(r->world, producer, items, 64);
    assert_true(count <= 64);
    if (def->reserve == KN_RTS_RESERVE_START && count > 1) {
        count = 1;
    }
    for (uint32_t i = 0; i < count && info.state != KN_PRODUCER_HOLDS; i++) {
        sum += kn_rts_product_population(r->library, items[i].product);
    }
    return sum;
}

static void assert_conserved(const realm *r, kn_entity_id player)
{
    const kn_component_type_id units = kn_component_find(r->library, "Knack.RtsUnit");
    kn_entity_id unit = {0};
    float used = 0, cap = 0;
    while ((unit = kn_component_next(r->world, units, unit)).index1 != 0) {
        const kn_rts_unit_def *def =
            kn_rts_unit_get_def(r->library, kn_rts_unit_get_type(r->world, unit));
        kn_site_info site;
        if (!kn_entity_id_equal(kn_entity_owner(r->world, unit), player)) {
            continue;
        }
        const bool is_site = kn_site_get_info(r->world, unit, &site);
        const kn_tag under = kn_rts_tag(r->library, KN_RTS_UNDER_CONSTRUCTION);
        if (!kn_rts_is_dead(r->world, unit) && !is_site &&
            !kn_entity_has_tag(r->world, unit, under)) {
            used += def->population;
            cap += def->population_cap;
        }
        if (is_site) {
            used += kn_rts_product_population(r->library, site.product);
        }
        used += reserved(r, unit);
    }
    if (used != value(r, player, "Crowd.Used") || cap != value(r, player, "Crowd.Cap")) {
        fail_msg("used %g of %g, but %g of %g are counted", (double)used, (double)cap,
            (double)value(r, player, "Crowd.Used"), (double)value(r, player, "Crowd.Cap"));
    }
}

// Lists what lives in the world now, since products have become units.
static void crowd_look(const realm *r, crowd *c)
{
    const kn_component_type_id units = kn_component_find(r->library, "Knack.RtsUnit");
    kn_entity_id unit = {0};
    c->count = 0;
    while ((unit = kn_component_next(r->world, units, unit)).index1 != 0 && c->count < UNITS_MAX) {
        c->units[c->count++] = unit;
    }
}

static void crowd_act(realm *r, crowd *c)
{
    static const char *const archetypes[] = {
        "Hall", "Farm", "Barracks", "Smithy", "Worker", "Footman", "Hero"};
    static const char *const products[] = {"Footman", "Egg", "Hero", "Loom", "Blades"};
    static const char *const sites[] = {"Farm", "Barracks", "Tower"};
    const kn_entity_id owners[] = {r->us, r->them, {0}};
    const kn_tag alive = kn_rts_tag(r->library, KN_RTS_ALIVE);
    const uint32_t action = below(c, 20);
    crowd_look(r, c);
    const kn_entity_id unit = c->count > 0 ? c->units[below(c, c->count)] : (kn_entity_id){0};
    if (c->count < UNITS_MAX / 2 && action < 4) {
        (void)spawn(r, archetypes[below(c, 7)], owners[below(c, 3)]);
    } else if (unit.index1 == 0) {
        return;
    } else if (action < 10) {
        (void)kn_product_enqueue(r->world, unit, product(r, products[below(c, 5)]), NULL);
    } else if (action < 12) {
        (void)kn_product_cancel(r->world, unit, (int32_t)below(c, 3));
    } else if (action < 13) {
        (void)kn_site_begin(r->world, unit, product(r, sites[below(c, 3)]),
            (kn_vec3){(float)below(c, 100), 50, 0}, NULL, NULL);
    } else if (action < 14) {
        (void)kn_site_cancel(r->world, unit);
    } else if (action < 16) {
        own(r, unit, owners[below(c, 3)]);
    } else if (action < 17) {
        (void)kn_rts_kill(r->world, unit, (kn_entity_id){0});
    } else if (action < 18) {
        if (!kn_entity_has_tag(r->world, unit, alive)) {
            (void)kn_entity_add_tag(r->world, unit, alive, KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
        }
    } else if (action < 19) {
        assert_true(kn_entity_destroy(r->world, unit));
    } else {
        step_s(r, below(c, 6));
    }
}

static void crowd_play(realm *r, uint64_t seed)
{
    crowd c = {.random = seed};
    void *snapshot = NULL;
    size_t size = 0;
    gain(r, r->us, "Tech.Steel");
    gain(r, r->us, "Tech.Barracks");
    base_set(r, r->us, "Stock.Gold", 100000);
    base_set(r, r->them, "Stock.Gold", 100000);
    for (uint32_t i = 0; i < 600; i++) {
        crowd_act(r, &c);
        assert_conserved(r, r->us);
        assert_conserved(r, r->them);
        if (i % 50 == 10) {
            free(snapshot);
            snapshot = snapshot_of(r->world, &size);
        } else if (i % 50 == 40) {
            snapshot_restore(r->world, snapshot, size);
            assert_conserved(r, r->us);
            assert_conserved(r, r->them);
        }
    }
    free(snapshot);
    assert_true(kn_world_validate(r->world));
}

static void population_is_conserved_whatever_happens(void **state)
{
    static const char *const ways[] = {
        "limit: 30}", "limit: 200}", "queues_without_room: true}", "reserve: queue}"};
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        realm *r = realm_of(realm_library_with("limit: 30}", ways[seed % 4]));
        crowd_play(r, seed);
        realm_free(r);
    }
}

// Hooks ---------------------------------------------------------------------------------

// What a hook of the counters does, once, when one of them rises or falls.
typedef struct interference {
    realm *r;
    const char *attribute;
    bool at_fall;
    kn_entity_id kills;   // this unit
    kn_entity_id cancels; // the first product of this producer
    kn_entity_id makes;   // something at this producer
    const char *made;
    uint32_t calls;
} interference;

static void interfere(interference *i, const kn_attribute_change *change)
{
    if (i->calls > 0 || i->attribute == NULL || change->old_value == change->new_value ||
        (change->new_value < change->old_value) != i->at_fall ||
        change->attribute.index1 != attribute(i->r, i->attribute).index1) {
        return;
    }
    i->calls++;
    if (i->kills.index1 != 0) {
        assert_int_equal(kn_rts_kill(change->world, i->kills, (kn_entity_id){0}), KN_OK);
    }
    if (i->cancels.index1 != 0) {
        assert_int_equal(kn_product_cancel(change->world, i->cancels, 0), KN_OK);
    }
    if (i->makes.index1 != 0) {
        assert_int_equal(make(i->r, i->makes, i->made), KN_OK);
    }
}

static void interfere_base(void *user, const kn_attribute_change *change)
{
    interfere(user, change);
}

// Only effects change this one.
static void interfere_value(void *user, const kn_attribute_change *change)
{
    interference *i = user;
    if (i->attribute != NULL && strcmp(i->attribute, "Crowd.Draft") == 0) {
        interfere(i, change);
    }
}

static realm *realm_with_interference(interference *i, const char *population)
{
    static char text[2 * REALM_SIZE];
    const char *old = "Crowd: {attributes:", *all = realm_text_with("limit: 30}", population);
    const char *at = strstr(all, old);
    assert_non_null(at);
    (void)snprintf(text, sizeof(text), "%.*sCrowd: {native: Crowd, attributes:%s", (int)(at - all),
        all, at + strlen(old));
    kn_data *data = realm_data(text);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_library *library = NULL;
    set.hooks = (kn_attribute_hooks){
        .user = i, .post_change = interfere_value, .post_base_change = interfere_base};
    *i = (interference){0};
    assert_int_equal(kn_data_add_native(data, KN_DEF_ATTRIBUTE_SET, "Crowd", &set), KN_OK);
    assert_int_equal(kn_data_build(data, &library), KN_OK);
    kn_data_destroy(data);
    i->r = realm_of(library);
    return i->r;
}

static void assert_counts(const realm *r, float ours, float theirs)
{
    assert_true(population(r, r->us).used == ours && population(r, r->them).used == theirs);
    assert_conserved(r, r->us);
    assert_conserved(r, r->them);
}

// A unit dies while it is counted: nothing of it stays.
static void a_unit_may_die_while_it_is_counted(void **state)
{
    static const char *const cases[][2] = {{"Footman", "Crowd.Used"}, {"Hall", "Crowd.Cap"},
        {"Chief", "Crowd.Cap"}, {"Chief", "Crowd.Used"}};
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        interference one;
        realm *r = realm_with_interference(&one, "limit: 30}");
        const kn_entity_id other = spawn(r, "Chief", r->us);
        const kn_entity_id unit = spawn(r, cases[i][0], (kn_entity_id){0});
        one.attribute = cases[i][1];
        one.kills = unit;
        own(r, unit, r->us);
        assert_int_equal(one.calls, 1);
        assert_true(kn_rts_is_dead(r->world, unit));
        assert_true(kn_rts_population_of(r->world, unit) == 0);
        assert_counts(r, 3, 0);
        assert_true(has(r, r->us, "Tech.War")); // of the other one
        assert_true(kn_entity_destroy(r->world, unit));
        assert_counts(r, 3, 0);
        assert_true(kn_entity_destroy(r->world, other));
        assert_counts(r, 0, 0);
        assert_false(has(r, r->us, "Tech.War"));
        realm_free(r);
    }
}

// An effect of the owner acts with a tag that the unit gives, and a hook of that kills the unit.
static void a_unit_may_die_of_the_tags_it_gives(void **state)
{
    (void)state;
    interference one;
    realm *r = realm_with_interference(&one, "limit: 30}");
    const kn_entity_id hall = spawn(r, "Hall", r->us);
    const kn_entity_id unit = spawn(r, "Chief", (kn_entity_id){0});
    const kn_entity_id other = spawn(r, "Chief", (kn_entity_id){0});
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply_simple(r->world, kn_effect_type_find(r->library, "Draft"),
                         r->us, r->us, 1, &effect),
        KN_OK);
    one.attribute = "Crowd.Draft";
    one.kills = unit;
    own(r, unit, r->us);
    assert_int_equal(one.calls, 1);
    assert_false(has(r, r->us, "Tech.War"));
    assert_counts(r, 0, 0);
    own(r, other, r->us);
    assert_true(has(r, r->us, "Tech.War") && has(r, r->us, "Tech.Hall"));
    assert_true(kn_entity_destroy(r->world, unit));
    assert_true(has(r, r->us, "Tech.War"));
    assert_counts(r, 3, 0);
    (void)hall;
    realm_free(r);
}

// A product is cancelled, or another one queued, while its population is reserved.
static void a_queue_may_change_while_it_is_counted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        interference one;
        const bool is_early = i >= 2, cancels = i % 2 == 0;
        realm *r = realm_with_interference(&one, is_early ? "reserve: queue}" : "limit: 30}");
        const kn_entity_id hall = spawn(r, "Hall", r->us), barracks = spawn(r, "Barracks", r->us);
        gain(r, r->us, "Tech.Steel");
        gain(r, r->us, "Tech.Barracks");
        one.attribute = "Crowd.Used";
        one.cancels = cancels ? hall : (kn_entity_id){0};
        one.makes = cancels ? (kn_entity_id){0} : hall;
        one.made = "Hero";
        (void)make(r, hall, "Footman");
        assert_int_equal(one.calls, 1);
        assert_counts(r, cancels ? 0.0f : is_early ? 6.5f : 2.0f, 0);
        assert_int_equal(kn_producer_queue(r->world, hall, NULL, 0), cancels ? 0 : 2);
        while (kn_product_cancel(r->world, hall, 0) == KN_OK) {
            assert_conserved(r, r->us);
        }
        assert_counts(r, 0, 0);
        one = (interference){.r = r}; // what changes sides
        (void)spawn(r, "Hall", r->them);
        assert_int_equal(make(r, barracks, "Footman"), KN_OK);
        assert_int_equal(make(r, barracks, "Footman"), KN_OK);
        one.attribute = "Crowd.Used";
        one.at_fall = cancels;
        one.cancels = barracks;
        own(r, barracks, r->them);
        assert_int_equal(one.calls, 1);
        assert_counts(r, 0, 2);
        assert_int_equal(kn_product_cancel(r->world, barracks, 0), KN_OK);
        assert_counts(r, 0, 0);
        realm_free(r);
    }
}

// Memory ----------------------------------------------------------------------------

static void *limited(void *user, void *ptr, size_t old_size, size_t new_size)
{
    uint32_t *left = user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size > old_size && (*left == 0 || --*left == 0)) {
        return NULL;
    }
    return realloc(ptr, new_size);
}

static kn_result spawn_once(realm *r, const char *archetype, kn_entity_id owner, kn_entity_id *out)
{
    kn_result result =
        kn_archetype_spawn(r->world, kn_archetype_find(r->library, archetype), 1, out);
    return result == KN_OK && owner.index1 != 0 ? kn_entity_set_owner(r->world, *out, owner)
                                                : result;
}

// All that takes memory, in a world that may run out of it anywhere.
static kn_result play_once(realm *r)
{
    kn_entity_id hall, barracks, smithy, worker, site;
    const kn_rts_upgrade_id blades = upgrade(r, "Blades");
    kn_result result = spawn_once(r, "Player", (kn_entity_id){0}, &r->us);
    result = result != KN_OK ? result : spawn_once(r, "Player", (kn_entity_id){0}, &r->them);
    result = result != KN_OK ? result : spawn_once(r, "Hall", r->us, &hall);
    result = result != KN_OK ? result : spawn_once(r, "Barracks", r->us, &barracks);
    result = result != KN_OK ? result : spawn_once(r, "Smithy", r->us, &smithy);
    result = result != KN_OK ? result : spawn_once(r, "Worker", r->us, &worker);
    result = result != KN_OK ? result : kn_rts_research(r->world, smithy, blades);
    result = result != KN_OK ? result : make(r, barracks, "Footman");
    result = result != KN_OK ? result : make(r, barracks, "Footman");
    result = result != KN_OK ? result
                             : kn_site_begin(r->world, worker, product(r, "Tower"),
                                   (kn_vec3){9, 0, 0}, NULL, &site);
    result = result != KN_OK ? result : kn_world_step(r->world, KN_S(25));
    result = result != KN_OK ? result : kn_rts_set_upgrade(r->world, r->us, blades, 3);
    result = result != KN_OK ? result : make(r, hall, "Footman");
    result = result != KN_OK ? result : kn_entity_set_owner(r->world, barracks, r->them);
    result = result != KN_OK ? result : kn_world_step(r->world, KN_S(25));
    return result != KN_OK ? result : kn_rts_kill(r->world, hall, (kn_entity_id){0});
}

static void a_world_without_memory_fails_and_nothing_else(void **state)
{
    realm *r = *state;
    kn_world *own_world = r->world;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint32_t failures = 0;
    for (uint32_t first = 1; result != KN_OK && first < 5000; first++) {
        uint32_t left = UINT32_MAX;
        kn_world_def def = kn_world_def_default();
        def.library = r->library;
        def.hooks.realloc_fn = limited;
        def.hooks.realloc_user = &left;
        assert_int_equal(kn_world_create(&def, &r->world), KN_OK);
        left = first;
        result = play_once(r);
        assert_true(
            result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
        failures += result != KN_OK;
        left = UINT32_MAX;
        assert_true(kn_world_is_broken(r->world) || kn_world_validate(r->world));
        if (result == KN_OK) {
            assert_conserved(r, r->us);
            assert_conserved(r, r->them);
        }
        kn_world_destroy(r->world);
    }
    assert_int_equal(result, KN_OK);
    assert_true(failures > 20);
    r->world = own_world;
}

static const struct CMUnitTest tests[] = {
    TEST(units_take_and_give_population),
    TEST(a_product_without_room_is_refused_with_a_reason),
    TEST(population_is_reserved_when_work_begins),
    TEST(a_producer_holds_until_there_is_room),
    TEST(a_site_has_its_population_reserved),
    TEST(what_does_not_become_a_finished_unit_takes_nothing),
    cmocka_unit_test(population_may_be_reserved_in_the_queue),
    cmocka_unit_test(products_may_wait_for_room_in_the_queue),
    TEST(what_is_reserved_changes_sides_with_the_queue),
    TEST(a_producer_that_holds_waits_for_its_new_owner),
    cmocka_unit_test(a_unit_may_die_while_it_is_counted),
    cmocka_unit_test(a_unit_may_die_of_the_tags_it_gives),
    cmocka_unit_test(a_queue_may_change_while_it_is_counted),
    TEST(a_world_without_memory_fails_and_nothing_else),
    cmocka_unit_test(population_is_conserved_whatever_happens),
};

TEST_GROUP(rts_population, tests, NULL, NULL);
