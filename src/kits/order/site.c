// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sites: what grows while somebody works at it. Work is counted when the speed changes, in
// thousandths of microseconds, and a timer fires when it is done: nothing depends on steps.

#include "produce_parts.h"

#include <string.h>

#define RETRY KN_S(1) // between two attempts to finish a site
#define WHOLE 1000    // the speed of one builder

// State -----------------------------------------------------------------------------

const site *knc_site_read(const kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    return kit != NULL ? kn_component_read(world, kit->sites, entity) : NULL;
}

static site *site_get(kn_world *world, kn_entity_id entity)
{
    return kn_component_get(world, knc_produce_kit_of_world(world)->sites, entity);
}

static const site_builder *builders_read(
    const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, knc_produce_kit_of_world(world)->sites, entity, count);
}

// Index of a builder; UINT32_MAX if it does not work there.
static uint32_t builder_find(const kn_world *world, kn_entity_id entity, kn_entity_id builder)
{
    uint32_t count;
    const site_builder *builders = builders_read(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_equal(builders[i].builder, builder)) {
            return i;
        }
    }
    return UINT32_MAX;
}

static void site_publish(kn_world *world, kn_entity_id entity, kn_custom_event_id event,
    const site *own, kn_entity_id created, float refunded)
{
    const kn_product_event payload = {own->product, own->bill.payer, created, 0, refunded};
    (void)kn_world_publish(world, entity, event, &payload);
}

// Work ------------------------------------------------------------------------------

static uint32_t rate_with(const kn_product_def *def, uint32_t builders)
{
    const uint32_t extra = (uint32_t)(def->builder_speed * (float)WHOLE + 0.5f);
    const uint32_t helpers = def->builds_itself || builders == 0 ? builders : builders - 1;
    if (builders == 0 && !def->builds_itself) {
        return 0;
    }
    return WHOLE + (helpers < 1000 ? helpers : 1000) * extra;
}

// All of the work, in thousandths.
static kn_time work_of(const site *own)
{
    return knc_product_time(own->time) * WHOLE;
}

static kn_time work_done(const site *own, kn_time now)
{
    const kn_time all = work_of(own);
    const kn_time done = own->done > 0 ? own->done : 0;
    const kn_time passed = now > own->since ? now - own->since : 0; // clients may be behind
    if (done >= all || (own->rate > 0 && passed > (all - done) / own->rate)) {
        return all;
    }
    return done + passed * own->rate;
}

// Time until it is done at its speed; KN_TIME_INFINITE for never.
static kn_time time_left(const site *own, kn_time now)
{
    const kn_time left = work_of(own) - work_done(own, now);
    return own->rate == 0 ? KN_TIME_INFINITE : (left + own->rate - 1) / own->rate;
}

static void timer_set(kn_world *world, kn_entity_id entity, kn_time delay)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    kn_timer_id timer = {0};
    (void)kn_timer_cancel(world, knc_site_read(world, entity)->timer);
    if (delay < KN_TIME_INFINITE) {
        kn_result result = kn_timer_start(world, kit->site_timer, entity, delay, NULL, &timer);
        (void)result; // without memory the world is broken; an entity that ends needs no timer
    }
    site_get(world, entity)->timer = timer;
}

void knc_site_go_on(kn_world *world, kn_entity_id entity)
{
    const kn_time now = kn_world_now(world);
    uint32_t count;
    (void)builders_read(world, entity, &count);
    site *own = site_get(world, entity);
    const kn_product_def *def = knc_product_of(world, own->product);
    own->done = work_done(own, now);
    own->since = now;
    own->rate = def != NULL ? rate_with(def, count) : 0;
    timer_set(world, entity, time_left(own, now));
}

// Ends --------------------------------------------------------------------------------

static void builder_take(kn_world *world, kn_entity_id entity, uint32_t at)
{
    kn_component_type_id type = knc_produce_kit_of_world(world)->sites;
    uint32_t count = 0;
    site_builder *builders = kn_component_items(world, type, entity, &count);
    memmove(builders + at, builders + at + 1, (count - at - 1) * sizeof(*builders));
    (void)kn_component_resize(world, type, entity, count - 1);
}

// Takes the builders from a site and ends their tasks; those who are friends may stay.
static void builders_dismiss(
    kn_world *world, kn_entity_id entity, kn_tree_result result, bool friends_stay)
{
    uint32_t count, at = 0;
    const site_builder *builders = builders_read(world, entity, &count);
    while (at < count) {
        const site_builder next = builders[at];
        const uint32_t relation = kn_order_get_relation(world, next.builder, entity);
        if (friends_stay && (relation & KN_ORDER_FRIENDLY) != 0) {
            at++;
            continue;
        }
        builder_take(world, entity, at);
        if (next.ticket != 0) {
            (void)kn_tree_finish_task(world, next.builder, next.ticket, result);
        }
        builders = builders_read(world, entity, &count);
    }
}

// The entity is not a site from now on.
static void site_remove(kn_world *world, kn_entity_id entity, kn_tree_result result)
{
    builders_dismiss(world, entity, result, false);
    if (knc_site_read(world, entity) != NULL) {
        timer_set(world, entity, KN_TIME_INFINITE);
        (void)kn_component_remove(world, knc_produce_kit_of_world(world)->sites, entity);
    }
}

static void site_lose(kn_world *world, kn_entity_id entity, float share)
{
    const site own = *knc_site_read(world, entity);
    const float refunded = knc_product_refund(world, &own.bill, share);
    const kn_product_case one = {.product = own.product,
        .maker = entity,
        .payer = own.bill.payer,
        .is_begun = true,
        .is_site = true};
    knc_product_gates_note(world, &one, KN_PRODUCT_CANCELLED);
    site_publish(world, entity, knc_produce_kit_of_world(world)->cancelled, &own, (kn_entity_id){0},
        refunded);
    site_remove(world, entity, KN_TREE_FAILED);
}

static void tag_remove(kn_world *world, kn_entity_id entity)
{
    (void)kn_entity_set_tag_count(world, entity,
        knc_produce_kit_of_world(world)->tags[TAG_CONSTRUCTING], KN_TAG_ORIGIN_LOOSE_SYNCED, 0);
}

// What stands there in the end: the site itself, or what takes its place.
static bool building_create(
    kn_world *world, kn_entity_id entity, const kn_product_def *def, kn_entity_id *building)
{
    kn_vec3 at;
    *building = entity;
    if (def->site_archetype.index1 == 0) {
        return true;
    }
    bool is_placed = knc_product_position(world, entity, &at);
    return knc_product_create(world, entity, def, def->archetype, at, is_placed, building) == KN_OK;
}

static void site_wait(kn_world *world, kn_entity_id entity)
{
    const site own = *knc_site_read(world, entity);
    site_get(world, entity)->waits = 1;
    timer_set(world, entity, RETRY);
    if (own.waits == 0) {
        site_publish(
            world, entity, knc_produce_kit_of_world(world)->waits, &own, (kn_entity_id){0}, 0.0f);
    }
}

static void site_finish(kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const site own = *knc_site_read(world, entity);
    const kn_product_def *def = knc_product_of(world, own.product);
    kn_entity_id building;
    kn_vec3 at;
    (void)knc_product_position(world, entity, &at);
    bool is_there =
        knc_product_hook_agrees(world, &def->can_finish, own.product, entity, at, NULL) &&
        building_create(world, entity, def, &building);
    if (knc_site_read(world, entity) == NULL) { // a hook has ended it meanwhile
        if (is_there) {
            (void)kn_entity_destroy(world, building);
        }
        return;
    }
    if (!is_there) {
        site_wait(world, entity);
        return;
    }
    const kn_product_case one = {.product = own.product,
        .maker = entity,
        .payer = own.bill.payer,
        .created = building,
        .is_site = true};
    knc_product_gates_note(world, &one, KN_PRODUCT_FINISHED);
    site_publish(world, entity, kit->finished, &own, building, 0.0f);
    site_remove(world, entity, KN_TREE_SUCCEEDED);
    tag_remove(world, entity);
    if (!kn_entity_id_equal(building, entity)) {
        knc_product_created(world, entity, own.product, own.bill.payer, building, at);
        (void)kn_order_retarget(world, entity, building, NULL);
        (void)kn_entity_destroy(world, entity);
    }
    knc_product_deliver(world, building, own.product, building);
}

static kn_time site_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const site *own = knc_site_read(world, entity);
    (void)user;
    (void)data;
    if (own != NULL && !kn_world_is_client(world) && knc_product_of(world, own->product) != NULL &&
        time_left(own, kn_world_now(world)) == 0) {
        site_finish(world, entity);
    }
    return 0;
}

// Builders ----------------------------------------------------------------------------

typedef struct site_call {
    kn_entity_id site, builder;
    uint32_t ticket;
} site_call;

static kn_result site_check(const kn_world *world, kn_entity_id entity)
{
    kn_result result = knc_produce_check(world, entity);
    return result == KN_OK && knc_site_read(world, entity) == NULL ? KN_REFUSED_NOT_FOUND : result;
}

static kn_result join_run(void *user, kn_world *world)
{
    const site_call *c = user;
    uint32_t count;
    (void)builders_read(world, c->site, &count);
    site_builder *builders =
        kn_component_resize(world, knc_produce_kit_of_world(world)->sites, c->site, count + 1);
    if (builders == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    builders[count] = (site_builder){c->builder, c->ticket};
    knc_site_go_on(world, c->site);
    return KN_OK;
}

kn_result kn_site_join(kn_world *world, kn_entity_id entity, kn_entity_id builder, uint32_t ticket)
{
    kn_result result = site_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    const kn_product_def *def = knc_product_of(world, knc_site_read(world, entity)->product);
    uint32_t count;
    (void)builders_read(world, entity, &count);
    if (!kn_entity_is_alive(world, builder)) {
        return KN_REFUSED_STALE_ID;
    }
    if (builder_find(world, entity, builder) != UINT32_MAX) {
        return KN_REFUSED_DUPLICATE;
    }
    if (def == NULL || (def->builder_limit != 0 && count >= def->builder_limit)) {
        return KN_REFUSED_LIMIT;
    }
    site_call c = {entity, builder, ticket};
    return kn_world_call(world, join_run, &c);
}

static kn_result leave_run(void *user, kn_world *world)
{
    const site_call *c = user;
    builder_take(world, c->site, builder_find(world, c->site, c->builder));
    knc_site_go_on(world, c->site);
    return KN_OK;
}

kn_result kn_site_leave(kn_world *world, kn_entity_id entity, kn_entity_id builder)
{
    kn_result result = site_check(world, entity);
    if (result == KN_OK && builder_find(world, entity, builder) == UINT32_MAX) {
        result = KN_REFUSED_NOT_FOUND;
    }
    site_call c = {entity, builder, 0};
    return result == KN_OK ? kn_world_call(world, leave_run, &c) : result;
}

void knc_site_leave_all(kn_world *world, kn_entity_id builder, uint32_t ticket)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    kn_component_referrer page[8], last = {0};
    bool is_first = true;
    uint32_t count;
    do {
        count = kn_component_referrers_after(
            world, kit->sites, 0, builder, is_first ? NULL : &last, page, COUNT(page));
        uint32_t shown = count < COUNT(page) ? count : COUNT(page);
        for (uint32_t i = 0; i < shown; i++) {
            last = page[i];
            is_first = false;
            uint32_t builder_count, at = builder_find(world, last.entity, builder);
            const site_builder *builders = builders_read(world, last.entity, &builder_count);
            if (at < builder_count && (ticket == 0 || builders[at].ticket == ticket)) {
                (void)kn_site_leave(world, last.entity, builder);
            }
        }
    } while (count > COUNT(page));
}

static kn_result cancel_run(void *user, kn_world *world)
{
    const site_call *c = user;
    const kn_product_def *def = knc_product_of(world, knc_site_read(world, c->site)->product);
    site_lose(world, c->site, def != NULL ? def->refund : 1.0f);
    (void)kn_entity_destroy(world, c->site);
    return KN_OK;
}

kn_result kn_site_cancel(kn_world *world, kn_entity_id entity)
{
    kn_result result = site_check(world, entity);
    site_call c = {.site = entity};
    return result == KN_OK ? kn_world_call(world, cancel_run, &c) : result;
}

// Looking ---------------------------------------------------------------------------------

bool kn_site_get_info(const kn_world *world, kn_entity_id entity, kn_site_info *info)
{
    const site *own = knc_site_read(world, entity);
    *info = (kn_site_info){0};
    if (own == NULL) {
        return false;
    }
    const kn_time now = kn_world_now(world), left = time_left(own, now);
    (void)builders_read(world, entity, &info->builder_count);
    info->product = own->product;
    info->payer = own->bill.payer;
    info->progress = work_of(own) > 0 ? (float)((double)work_done(own, now) / (double)work_of(own))
                                      : (float)(own->rate > 0);
    info->done_at = left == KN_TIME_INFINITE || own->waits != 0 ? KN_TIME_INFINITE : now + left;
    return true;
}

uint32_t kn_site_builders(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity)
{
    uint32_t count = 0;
    const site_builder *builders =
        knc_site_read(world, entity) != NULL ? builders_read(world, entity, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = builders[i].builder;
    }
    return count;
}

// Rules -----------------------------------------------------------------------------------

static void death_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const site *own = knc_site_read(world, reaction->entity);
    (void)user;
    if (kn_world_is_client(world)) {
        return;
    }
    if (own != NULL) {
        const kn_product_def *def = knc_product_of(world, own->product);
        site_lose(world, reaction->entity, def != NULL ? def->loss_refund : 0.0f);
    }
    knc_site_leave_all(world, reaction->entity, 0);
}

// Those who work for somebody else now go home.
static void owner_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    if (!kn_world_is_client(world) && knc_site_read(world, reaction->entity) != NULL) {
        builders_dismiss(world, reaction->entity, KN_TREE_FAILED, true);
        if (knc_site_read(world, reaction->entity) != NULL) {
            knc_site_go_on(world, reaction->entity);
        }
    }
}

kn_result knc_site_expand(kn_library *library, produce_kit *kit, kn_tag alive, kn_error *error)
{
    return knc_produce_rule(
        library, "Knack.SiteDies", KN_TRIGGER_TAG_REMOVED, alive, 0, death_rule, kit, error);
}

static kn_result component_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_field fields[BILL_FIELDS + 8] = {
        KN_FIELD(site, time, KN_FIELD_TIME),
        KN_FIELD(site, done, KN_FIELD_TIME),
        KN_FIELD(site, since, KN_FIELD_TIME),
        KN_FIELD(site, timer, KN_FIELD_TIMER),
        KN_FIELD_TO(site, product, "product"),
        KN_FIELD(site, rate, KN_FIELD_U32),
        KN_FIELD(site, waits, KN_FIELD_U32),
        KN_FIELD(site, unused, KN_FIELD_U32),
    };
    kn_field items[] = {
        KN_FIELD(site_builder, builder, KN_FIELD_ENTITY),
        KN_FIELD(site_builder, ticket, KN_FIELD_U32),
    };
    static const kn_component_reference builder = {
        .field = "builder", .of_items = true, .when_destroyed = KN_REFERENCE_LEAVE};
    knc_product_bill_fields(fields + 8, offsetof(site, bill));
    fields[3].sync = KN_SYNC_NONE;
    items[1].sync = KN_SYNC_NONE;
    for (uint32_t i = 8; i < COUNT(fields); i++) {
        fields[i].sync = KN_SYNC_NONE;
    }
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Site";
    def.size = sizeof(site);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(site_builder);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.references = &builder;
    def.reference_count = 1;
    return kn_component_register(library, &def, &kit->sites, error);
}

kn_result knc_site_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    kn_result result = component_register(library, kit, error);
    if (result == KN_OK) {
        result =
            kn_timer_type_register(library, "Knack.Site", site_timer, kit, &kit->site_timer, error);
    }
    if (result == KN_OK) {
        result = knc_produce_rule(library, "Knack.SiteDestroyed", KN_TRIGGER_ENTITY_DESTROYED,
            (kn_tag){0}, 0, death_rule, kit, error);
    }
    return result != KN_OK ? result
                           : knc_produce_rule(library, "Knack.SiteOwner", KN_TRIGGER_OWNER_CHANGED,
                                 (kn_tag){0}, 0, owner_rule, kit, error);
}
