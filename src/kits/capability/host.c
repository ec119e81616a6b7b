// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sets of entities, and members that follow them. Calls, servers and hooks change the list of sets;
// knc_capability_settle() compares it with what lives here, ends what has gone and begins what is
// new. While hooks of an entity run it waits, so that nobody's list changes underfoot.

#include "parts.h"

#include <string.h>

#define SETTLE_MAX 64 // turns in which hooks may add and remove further sets

// Lists -------------------------------------------------------------------------

kn_component_type_id knc_capability_sets_type(const kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (kn_component_read(world, kit->sets, entity) != NULL) {
        return kit->sets;
    }
    bool is_own = kn_component_read(world, kit->own_sets, entity) != NULL;
    return is_own ? kit->own_sets : (kn_component_type_id){0};
}

const set_list *knc_capability_sets_read(
    const kn_world *world, kn_entity_id entity, const set_item **items, uint32_t *count)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const void *found = NULL;
    *count = 0;
    const set_list *list = kn_component_read_whole(world, kit->sets, entity, &found, count);
    if (list == NULL) {
        list = kn_component_read_whole(world, kit->own_sets, entity, &found, count);
    }
    *items = found;
    return list;
}

static const set_item *set_read(
    const kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_set_id set)
{
    const set_item *items;
    uint32_t count;
    (void)knc_capability_sets_read(world, entity, &items, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (number != 0 ? items[i].number == number : items[i].set.index1 == set.index1) {
            return &items[i];
        }
    }
    return NULL;
}

static set_item *set_get(kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t count = 0;
    set_item *items =
        kn_component_items(world, knc_capability_sets_type(world, entity), entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number == number) {
            return &items[i];
        }
    }
    return NULL;
}

// Takes an item out of the list of a component.
static void item_remove(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t index, size_t size)
{
    uint32_t count = 0;
    char *items = kn_component_items(world, type, entity, &count);
    memmove(items + index * size, items + (index + 1) * size, (count - index - 1) * size);
    (void)kn_component_resize(world, type, entity, count - 1);
}

static void set_drop(kn_world *world, kn_entity_id entity, uint32_t number)
{
    kn_component_type_id type = knc_capability_sets_type(world, entity);
    uint32_t count = 0;
    const set_item *items = kn_component_read_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number == number) {
            item_remove(world, type, entity, i, sizeof(*items));
            return;
        }
    }
}

static head *head_get(kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t count = 0;
    head *heads =
        kn_component_items(world, knc_capability_kit_of_world(world)->heads, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (heads[i].number == number) {
            return &heads[i];
        }
    }
    return NULL;
}

static host *host_get(kn_world *world, kn_entity_id entity)
{
    return kn_component_get(world, knc_capability_kit_of_world(world)->hosts, entity);
}

const kn_capability_set_def *knc_capability_set_def_of(
    const kn_world *world, kn_entity_id entity, uint32_t set_number)
{
    uint32_t count = 0;
    const head *heads =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->heads, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (heads[i].number == set_number) {
            return kn_capability_set_get_def(kn_world_library(world), heads[i].set);
        }
    }
    return NULL;
}

void knc_capability_hold(kn_world *world, kn_entity_id entity)
{
    host *h = host_get(world, entity);
    if (h != NULL) {
        h->busy++;
    }
}

void knc_capability_let_go(kn_world *world, kn_entity_id entity)
{
    host *h = host_get(world, entity);
    if (h != NULL && --h->busy == 0 && h->is_dirty != 0) {
        knc_capability_settle(world, entity);
    }
}

// Data components ---------------------------------------------------------------------
//
// Those that are sent belong to the item of the list: machines that predict the set make them, and
// others wait for them. Those that belong to one machine come and go with the set there.

static bool is_private(const kn_world *world, kn_component_type_id type)
{
    return kn_component_get_def(kn_world_library(world), type)->sync == KN_SYNC_NONE;
}

// Adds those that the entity does not have; the set takes them along.
static kn_result data_add(kn_world *world, kn_entity_id entity, const kn_capability_set_def *def,
    bool adds_private, uint64_t *created)
{
    *created = 0;
    for (uint32_t i = 0; i < def->data_count; i++) {
        if (is_private(world, def->data[i]) != adds_private ||
            kn_component_read(world, def->data[i], entity) != NULL) {
            continue;
        }
        if (kn_component_add(world, def->data[i], entity) == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        *created |= UINT64_C(1) << i;
    }
    return KN_OK;
}

static uint64_t data_bit(const kn_world *world, kn_capability_set_id set, kn_component_type_id type)
{
    const kn_capability_set_def *def = kn_capability_set_get_def(kn_world_library(world), set);
    for (uint32_t i = 0; i < def->data_count; i++) {
        if (def->data[i].index1 == type.index1) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

// Another set that names the component takes it over.
static bool data_is_inherited(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_component_type_id type)
{
    uint32_t count = 0;
    if (is_private(world, type)) {
        head *heads =
            kn_component_items(world, knc_capability_kit_of_world(world)->heads, entity, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint64_t bit = heads[i].number != number && heads[i].is_there != 0
                               ? data_bit(world, heads[i].set, type)
                               : 0;
            heads[i].created |= bit;
            if (bit != 0) {
                return true;
            }
        }
        return false;
    }
    set_item *items =
        kn_component_items(world, knc_capability_sets_type(world, entity), entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bit = items[i].number != number ? data_bit(world, items[i].set, type) : 0;
        items[i].created |= bit;
        if (bit != 0) {
            return true;
        }
    }
    return false;
}

static void data_remove(kn_world *world, kn_entity_id entity, uint32_t number,
    kn_capability_set_id set, uint64_t created)
{
    const kn_capability_set_def *def = kn_capability_set_get_def(kn_world_library(world), set);
    for (uint32_t i = def->data_count; i-- > 0;) {
        if ((created >> i & 1) != 0 && !data_is_inherited(world, entity, number, def->data[i])) {
            (void)kn_component_remove(world, def->data[i], entity);
        }
    }
}

// Whether a machine gets a component from the authority.
static bool data_is_sent(const kn_world *world, kn_entity_id entity, kn_component_type_id type)
{
    switch (kn_component_get_def(kn_world_library(world), type)->sync) {
    case KN_SYNC_ALL:
        return true;
    case KN_SYNC_OWNER:
        return knc_capability_controller(world, entity) == kn_world_connection(world);
    default:
        return false;
    }
}

// The first component that a set lacks; null if it has all that it can have here.
static kn_component_type_id set_lacks(
    const kn_world *world, kn_entity_id entity, const kn_capability_set_def *def)
{
    bool is_client = kn_world_is_client(world);
    for (uint32_t i = 0; i < def->data_count; i++) {
        if (!is_private(world, def->data[i]) &&
            (!is_client || data_is_sent(world, entity, def->data[i])) &&
            kn_component_read(world, def->data[i], entity) == NULL) {
            return def->data[i];
        }
    }
    for (uint32_t i = 0; is_client && i < def->need_count; i++) {
        if (kn_component_read(world, def->needs[i], entity) == NULL) {
            return def->needs[i];
        }
    }
    return (kn_component_type_id){0};
}

// Beginning ---------------------------------------------------------------------------

// Presenters run the others.
static bool is_member(const capability_kit *kit, kn_capability_id capability)
{
    return capability.index1 != 0 && !kit->plans[capability.index1 - 1].presents;
}

// Adds the members of a set behind the others.
static void members_add(kn_world *world, kn_entity_id entity, const set_plan *plan, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_capability_set_def *def = plan->def;
    uint32_t count = 0, added = 0;
    (void)kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < def->capability_count; i++) {
        added += is_member(kit, def->capabilities[i]);
    }
    member *members = kn_component_resize(world, kit->hosts, entity, count + added);
    for (uint32_t i = 0; members != NULL && i < def->capability_count; i++) {
        if (!is_member(kit, def->capabilities[i])) {
            continue;
        }
        const kn_capability_def *capability = kit->plans[def->capabilities[i].index1 - 1].def;
        members[count++] = (member){
            .interval = capability->interval,
            .capability = def->capabilities[i],
            .number = knc_capability_number_at(number, i),
            .set_number = number,
            .flags = MEMBER_ENABLED | (capability->can_tick ? MEMBER_CAN_TICK : 0),
            .place = (uint8_t)i,
            .lane = plan->lanes[i],
        };
    }
}

static void life_start(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    member *m = knc_capability_member(world, entity, number);
    if (m == NULL) {
        return;
    }
    m->flags |= MEMBER_STARTED;
    const member copy = *m;
    if (knc_capability_state_add(world, entity, &copy) != KN_OK) {
        return;
    }
    m = knc_capability_member(world, entity, number);
    knc_capability_count_blocks(world, entity, m);
    if (kit->plans[copy.capability.index1 - 1].is_owner_side) {
        (void)kn_component_add(world, kit->chains, entity);
    }
    knc_capability_tell(world, entity, &copy, KN_CAPABILITY_HOOK_START_LIFE, false, 0);
    (void)knc_capability_hook(
        world, entity, &copy, &kit->plans[copy.capability.index1 - 1].def->start_life);
}

static void set_begin(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_set_id set)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const set_plan *plan = &kit->set_plans[set.index1 - 1];
    uint64_t created;
    if (data_add(world, entity, plan->def, true, &created) != KN_OK) {
        return;
    }
    head_get(world, entity, number)->created = created;
    members_add(world, entity, plan, number);
    for (uint32_t i = 0; i < plan->def->capability_count; i++) {
        life_start(world, entity, knc_capability_number_at(number, i));
    }
    for (uint32_t i = 0; i < plan->def->capability_count; i++) {
        const member *m =
            knc_capability_member_read(world, entity, knc_capability_number_at(number, i), NULL);
        if (m != NULL && (m->flags & (MEMBER_LEAVING | MEMBER_SET_UP)) == 0 &&
            knc_capability_side_allows(
                world, entity, kit->plans[m->capability.index1 - 1].def->side)) {
            knc_capability_setup(world, entity, m->number);
        }
    }
}

static void wait_report(
    kn_world *world, kn_entity_id entity, head *h, kn_component_type_id component)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (h->is_reported != 0 || kn_world_now(world) - h->since < kit->rules->wait_warning) {
        return;
    }
    const kn_capability_problem problem = {
        .fault = KN_CAPABILITY_FAULT_WAITS, .set = h->set, .component = component};
    h->is_reported = 1;
    knc_capability_report(world, entity, &problem);
}

// A head for a set that has none yet; NULL without memory.
static head *head_add(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_set_id set)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    if (kn_component_add(world, kit->heads, entity) == NULL) {
        return NULL;
    }
    (void)kn_component_read_items(world, kit->heads, entity, &count);
    head *heads = kn_component_resize(world, kit->heads, entity, count + 1);
    if (heads == NULL) {
        return NULL;
    }
    heads[count].since = kn_world_now(world);
    heads[count].set = set;
    heads[count].number = number;
    return &heads[count];
}

// Begins the sets that have their components, in the order of the list.
static void sets_begin(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    for (uint32_t i = 0;; i++) {
        const set_item *items;
        uint32_t count;
        (void)knc_capability_sets_read(world, entity, &items, &count);
        if (i >= count) {
            return;
        }
        const set_item item = items[i];
        head *h = head_get(world, entity, item.number);
        if (item.is_leaving != 0 || (h != NULL && h->is_there != 0)) {
            continue;
        }
        h = h != NULL ? h : head_add(world, entity, item.number, item.set);
        if (h == NULL) {
            return;
        }
        kn_component_type_id lack =
            set_lacks(world, entity, kit->set_plans[item.set.index1 - 1].def);
        if (lack.index1 != 0) {
            wait_report(world, entity, h, lack);
            continue;
        }
        h->is_there = 1;
        set_begin(world, entity, item.number, item.set);
    }
}

// Ending --------------------------------------------------------------------------------

static void member_end(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    knc_capability_end(world, entity, number, KN_CAPABILITY_REASON_REMOVED);
    member *m = knc_capability_member(world, entity, number);
    if (m == NULL) {
        return;
    }
    const member copy = *m;
    if ((m->flags & MEMBER_STARTED) != 0) {
        m->flags &= ~(uint32_t)MEMBER_STARTED;
        knc_capability_tell(world, entity, &copy, KN_CAPABILITY_HOOK_END_LIFE, false, 0);
        (void)knc_capability_hook(
            world, entity, &copy, &kit->plans[copy.capability.index1 - 1].def->end_life);
    }
    knc_capability_lift_blocks(world, entity, KN_CAPABILITY_SOURCE_MEMBER, number, false);
    knc_capability_state_remove(world, entity, &copy);
    uint32_t place;
    if (knc_capability_member_read(world, entity, number, &place) != NULL) {
        item_remove(world, kit->hosts, entity, place, sizeof(member));
    }
}

static void leaving_mark(kn_world *world, kn_entity_id entity, uint32_t set_number)
{
    uint32_t count = 0;
    member *members =
        kn_component_items(world, knc_capability_kit_of_world(world)->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        members[i].flags |= members[i].set_number == set_number ? MEMBER_LEAVING : 0;
    }
}

// The last member of a set that is there; 0 if there is none.
static uint32_t last_member(const kn_world *world, kn_entity_id entity, uint32_t set_number)
{
    uint32_t count = 0;
    const member *members =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->hosts, entity, &count);
    for (uint32_t i = count; i-- > 0;) {
        if (members[i].set_number == set_number) {
            return members[i].number;
        }
    }
    return 0;
}

// The item of the list that a head stands for; NULL if the list has none, or another set there.
static const set_item *head_item(const kn_world *world, kn_entity_id entity, const head *h)
{
    const set_item *item = set_read(world, entity, h->number, (kn_capability_set_id){0});
    return item != NULL && item->set.index1 == h->set.index1 ? item : NULL;
}

static void head_drop(kn_world *world, kn_entity_id entity, uint32_t number)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->heads;
    uint32_t count = 0;
    const head *heads = kn_component_read_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (heads[i].number == number) {
            item_remove(world, type, entity, i, sizeof(*heads));
            return;
        }
    }
}

static void set_end(kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t last;
    leaving_mark(world, entity, number);
    while ((last = last_member(world, entity, number)) != 0) {
        member_end(world, entity, last);
    }
    knc_capability_lift_blocks(world, entity, KN_CAPABILITY_SOURCE_SET, number, false);
    const head *h = head_get(world, entity, number);
    if (h == NULL) {
        return;
    }
    const head gone = *h;
    const set_item *item = head_item(world, entity, h); // without one, the authority took it away
    data_remove(world, entity, number, gone.set, gone.created | (item != NULL ? item->created : 0));
    if (item != NULL) {
        set_drop(world, entity, number);
    }
    head_drop(world, entity, number);
}

// Ends the sets that have left the list or are about to, the last one first.
static void sets_end(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    (void)kn_component_read_items(world, kit->heads, entity, &count);
    for (uint32_t i = count; i-- > 0;) {
        const head *heads = kn_component_read_items(world, kit->heads, entity, &count);
        if (i >= count) {
            continue;
        }
        const set_item *item = head_item(world, entity, &heads[i]);
        if (item == NULL || item->is_leaving != 0) {
            set_end(world, entity, heads[i].number);
        }
    }
}

// Sides ---------------------------------------------------------------------------------

// Whether a member begins (is_rise) or ceases to run on this machine.
static bool side_changes(const kn_world *world, kn_entity_id entity, const member *m, bool is_rise)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    bool is_set_up = (m->flags & MEMBER_SET_UP) != 0;
    return (m->flags & (MEMBER_STARTED | MEMBER_LEAVING)) == MEMBER_STARTED &&
           is_set_up != is_rise &&
           knc_capability_side_allows(
               world, entity, kit->plans[m->capability.index1 - 1].def->side) == is_rise;
}

static void sides_follow(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    const member *members;
    (void)kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = count; i-- > 0;) {
        members = kn_component_read_items(world, kit->hosts, entity, &count);
        if (i < count && side_changes(world, entity, &members[i], false)) {
            knc_capability_end(world, entity, members[i].number, KN_CAPABILITY_REASON_SIDE);
        }
    }
    for (uint32_t i = 0;; i++) {
        members = kn_component_read_items(world, kit->hosts, entity, &count);
        if (i >= count) {
            return;
        }
        if (side_changes(world, entity, &members[i], true)) {
            knc_capability_setup(world, entity, members[i].number);
        }
    }
}

// What the authority says about active members, on a client.
static void mirrors_follow(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    const member *members = kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const member m = members[i];
        const set_item *item = set_read(world, entity, m.set_number, (kn_capability_set_id){0});
        head *h = head_get(world, entity, m.set_number);
        uint64_t bit = UINT64_C(1) << m.place;
        if (item != NULL && h != NULL && ((item->mirrored ^ h->mirrored) & bit) != 0) {
            h->mirrored ^= bit;
            (void)knc_capability_hook(
                world, entity, &m, &kit->plans[m.capability.index1 - 1].def->mirror_changed);
        }
        members = kn_component_read_items(world, kit->hosts, entity, &count);
    }
}

// Settling --------------------------------------------------------------------------------

static void instances_remove(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    const kn_component_id none = {0};
    kn_component_id id;
    while ((id = kn_component_instance_next(world, type, entity, none)).index1 != 0 &&
           kn_component_instance_remove(world, type, id)) {
    }
}

static void everything_remove(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_component_type_id types[] = {kit->hosts, kit->heads, kit->grants, kit->chains,
        kit->inbox, kit->sets, kit->own_sets, kit->controllers, kit->own_controllers, kit->actions,
        kit->bindings, kit->phases};
    for (uint32_t i = 0; i < KN_CAPABILITY_SCOPE_COUNT; i++) {
        instances_remove(world, kit->blocks[i], entity);
    }
    instances_remove(world, kit->copies, entity);
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        (void)kn_component_remove(world, types[i], entity);
    }
    for (uint32_t i = 0; i < kit->lane_count; i++) {
        (void)kn_component_remove(world, kit->lanes[i].mark, entity);
    }
    if (!kn_world_is_client(world)) { // there they go when the authority's do
        (void)kn_component_remove(world, kit->mail, entity);
        (void)kn_component_remove(world, kit->news, entity);
    }
}

static void settle_once(kn_world *world, kn_entity_id entity)
{
    sets_end(world, entity);
    sets_begin(world, entity);
    sides_follow(world, entity);
    knc_capability_input_follow(world, entity);
    if (kn_world_is_client(world)) {
        knc_capability_count_all_blocks(world, entity, NULL);
        mirrors_follow(world, entity);
    }
    host *h = host_get(world, entity);
    if (h != NULL) {
        h->effect_blocks = knc_capability_count_effect_blocks(world, entity, NULL);
        h->blocks = kn_world_is_client(world) ? knc_capability_blocks_mark(world, entity) : 0;
        h->connection = kn_entity_connection(world, entity);
    }
}

void knc_capability_settle(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    for (uint32_t turn = 0; turn < SETTLE_MAX; turn++) {
        host *h = kn_component_add(world, kit->hosts, entity);
        if (h == NULL) {
            return;
        }
        if (h->busy != 0) {
            h->is_dirty = 1;
            return;
        }
        h->busy = 1;
        h->is_dirty = 0;
        settle_once(world, entity);
        h = host_get(world, entity);
        if (h == NULL) {
            return;
        }
        h->busy = 0;
        uint32_t count;
        const set_item *items;
        const set_list *list = knc_capability_sets_read(world, entity, &items, &count);
        if ((h->is_detaching != 0 || list == NULL) && count == 0) {
            everything_remove(world, entity);
            return;
        }
        if (h->is_dirty == 0) {
            knc_capability_messages_deliver(world, entity);
            return;
        }
    }
    const kn_capability_problem problem = {.fault = KN_CAPABILITY_FAULT_LOOP};
    knc_capability_report(world, entity, &problem);
}

// Whether what lives here is what the list says. Numbers of versions would not do: one that a
// client predicted may be that of another change of the authority.
static bool sets_are_followed(const kn_world *world, kn_entity_id entity)
{
    const set_item *items;
    const void *found = NULL;
    uint32_t count, heads_count = 0;
    (void)knc_capability_sets_read(world, entity, &items, &count);
    (void)kn_component_read_whole(
        world, knc_capability_kit_of_world(world)->heads, entity, &found, &heads_count);
    const head *heads = found;
    if (count != heads_count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at < count && heads[at].number != items[i].number) {
            at = at + 1 < count ? at + 1 : 0; // nearly always it is at the same place
            at = at != i ? at : count;
        }
        if (at == count || heads[at].set.index1 != items[i].set.index1 || heads[at].is_there == 0 ||
            items[i].is_leaving != 0 || heads[at].mirrored != items[i].mirrored) {
            return false;
        }
    }
    return true;
}

void knc_capability_look(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const host *h = kn_component_read(world, kit->hosts, entity);
    if (h == NULL || knc_capability_sets_type(world, entity).index1 == 0 ||
        h->connection != kn_entity_connection(world, entity) ||
        h->blocks != knc_capability_blocks_mark(world, entity) ||
        !sets_are_followed(world, entity) || knc_capability_input_is_behind(world, entity)) {
        knc_capability_settle(world, entity);
    }
}

void knc_capability_settle_all(kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_component_type_id types[] = {kit->hosts, kit->sets, kit->own_sets};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        kn_entity_id entity = {0};
        while ((entity = kn_component_next(world, types[i], entity)).index1 != 0) {
            knc_capability_settle(world, entity);
        }
    }
}

// Calls -------------------------------------------------------------------------------------

// Whether this machine may change the sets of an entity.
kn_result knc_capability_may_change(const kn_world *world, kn_entity_id entity)
{
    const set_item *items;
    uint32_t count;
    const set_list *list = knc_capability_sets_read(world, entity, &items, &count);
    bool is_theirs = list == NULL || list->mode == KN_CAPABILITY_MODE_AUTHORITY;
    bool is_predicted = kn_world_is_locked(world);
    return kn_world_is_client(world) && is_theirs && !is_predicted &&
                   !kn_entity_is_own(world, entity)
               ? KN_REFUSED_BLOCKED
               : KN_OK;
}

typedef struct call {
    kn_entity_id entity;
    kn_capability_set_id set;
    kn_capability_collection_id collection;
    kn_capability_mode mode;
    kn_capability_control control;
    uint32_t *number;
    kn_time dt;
} call;

static kn_result attach_call(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const call *c = user;
    kn_component_type_id type = c->mode == KN_CAPABILITY_MODE_LOCAL ? kit->own_sets : kit->sets;
    set_list *list = kn_component_add(world, type, c->entity);
    if (list == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    list->mode = c->mode;
    list->control = c->control;
    knc_capability_settle(world, c->entity);
    return KN_OK;
}

static kn_result alive(const kn_world *world, kn_entity_id entity)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_entity_is_dying(world, entity) ? KN_REFUSED_DYING : KN_OK;
}

kn_result kn_capability_attach(
    kn_world *world, kn_entity_id entity, kn_capability_mode mode, kn_capability_control control)
{
    kn_result result = alive(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if ((uint32_t)mode >= KN_CAPABILITY_MODE_COUNT || (uint32_t)control >= KN_CONTROL_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (knc_capability_sets_type(world, entity).index1 != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    if (mode == KN_CAPABILITY_MODE_AUTHORITY && knc_capability_may_change(world, entity) != KN_OK) {
        return KN_REFUSED_BLOCKED;
    }
    call c = {.entity = entity, .mode = mode, .control = control};
    return kn_world_call(world, attach_call, &c);
}

static kn_result set_append(kn_world *world, const call *c)
{
    const kn_capability_set_def *def = kn_capability_set_get_def(kn_world_library(world), c->set);
    kn_component_type_id type = knc_capability_sets_type(world, c->entity);
    uint32_t count = 0;
    uint64_t created;
    const set_list *before = kn_component_read(world, type, c->entity);
    (void)kn_component_read_items(world, type, c->entity, &count);
    if (count >= SETS_MAX || before->next >= UINT32_MAX / KN_CAPABILITY_MEMBERS_MAX) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = data_add(world, c->entity, def, false, &created);
    if (result != KN_OK) {
        return result;
    }
    set_list *list = kn_component_get(world, type, c->entity);
    uint32_t number = ++list->next;
    set_item *items = kn_component_resize(world, type, c->entity, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count].set = c->set;
    items[count].number = number;
    items[count].collection = c->collection;
    items[count].created = created;
    if (c->number != NULL) {
        *c->number = number;
    }
    return KN_OK;
}

static kn_result add_call(void *user, kn_world *world)
{
    call *c = user;
    if (knc_capability_sets_type(world, c->entity).index1 == 0) {
        call attach = {.entity = c->entity};
        kn_result result = attach_call(&attach, world);
        if (result != KN_OK) {
            return result;
        }
    }
    const set_item *item = set_read(world, c->entity, 0, c->set);
    if (item != NULL) {
        if (c->number != NULL) {
            *c->number = item->number;
        }
        return item->is_leaving != 0 ? KN_REFUSED_LIMIT : KN_REFUSED_DUPLICATE;
    }
    kn_result result = set_append(world, c);
    if (result == KN_OK) {
        knc_capability_settle(world, c->entity);
    }
    return result;
}

kn_result kn_capability_set_add(
    kn_world *world, kn_entity_id entity, kn_capability_set_id set, uint32_t *number)
{
    kn_result result = alive(world, entity);
    if (number != NULL) {
        *number = 0;
    }
    if (result == KN_OK && kn_capability_set_get_def(kn_world_library(world), set) == NULL) {
        result = KN_REFUSED_NOT_FOUND;
    }
    result = result != KN_OK ? result : knc_capability_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    call c = {.entity = entity, .set = set, .number = number};
    return kn_world_call(world, add_call, &c);
}

static kn_result collection_add_call(void *user, kn_world *world)
{
    call *c = user;
    const kn_capability_collection_def *def = kn_def_get(kn_world_library(world),
        knc_capability_kit_of_world(world)->collection_kind, c->collection.index1);
    for (uint32_t i = 0; i < def->set_count; i++) {
        c->set = def->sets[i];
        kn_result result = c->set.index1 != 0 ? add_call(c, world) : KN_OK;
        if (result != KN_OK && result != KN_REFUSED_DUPLICATE) {
            return result;
        }
    }
    return KN_OK;
}

static bool collection_exists(const kn_world *world, kn_capability_collection_id collection)
{
    return kn_def_get(kn_world_library(world), knc_capability_kit_of_world(world)->collection_kind,
               collection.index1) != NULL;
}

kn_result kn_capability_collection_add(
    kn_world *world, kn_entity_id entity, kn_capability_collection_id collection)
{
    kn_result result = alive(world, entity);
    if (result == KN_OK && !collection_exists(world, collection)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    result = result != KN_OK ? result : knc_capability_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    call c = {.entity = entity, .collection = collection};
    return kn_world_call(world, collection_add_call, &c);
}

// A set that has not begun yet goes without a trace.
static void set_leave(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const head *h = head_get(world, entity, number);
    if (h == NULL || h->is_there == 0) {
        const set_item item = *set_read(world, entity, number, (kn_capability_set_id){0});
        data_remove(world, entity, number, item.set, item.created);
        set_drop(world, entity, number);
        return;
    }
    set_get(world, entity, number)->is_leaving = 1;
    leaving_mark(world, entity, number);
}

static kn_result remove_call(void *user, kn_world *world)
{
    const call *c = user;
    const set_item *item = set_read(world, c->entity, 0, c->set);
    if (item == NULL || item->is_leaving != 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    set_leave(world, c->entity, item->number);
    knc_capability_settle(world, c->entity);
    return KN_OK;
}

kn_result kn_capability_set_remove(kn_world *world, kn_entity_id entity, kn_capability_set_id set)
{
    kn_result result = alive(world, entity);
    result = result != KN_OK ? result : knc_capability_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    call c = {.entity = entity, .set = set};
    return kn_world_call(world, remove_call, &c);
}

static kn_result collection_remove_call(void *user, kn_world *world)
{
    const call *c = user;
    const set_item *items;
    uint32_t count, removed = 0;
    (void)knc_capability_sets_read(world, c->entity, &items, &count);
    for (uint32_t i = count; i-- > 0;) {
        (void)knc_capability_sets_read(world, c->entity, &items, &count);
        if (items[i].collection.index1 == c->collection.index1 && items[i].is_leaving == 0) {
            set_leave(world, c->entity, items[i].number);
            removed++;
        }
    }
    knc_capability_settle(world, c->entity);
    return removed > 0 ? KN_OK : KN_REFUSED_NOT_FOUND;
}

kn_result kn_capability_collection_remove(
    kn_world *world, kn_entity_id entity, kn_capability_collection_id collection)
{
    kn_result result = alive(world, entity);
    if (result == KN_OK && !collection_exists(world, collection)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    result = result != KN_OK ? result : knc_capability_may_change(world, entity);
    if (result != KN_OK) {
        return result;
    }
    call c = {.entity = entity, .collection = collection};
    return kn_world_call(world, collection_remove_call, &c);
}

bool knc_capability_detach_all(kn_world *world, kn_entity_id entity)
{
    const set_item *items;
    uint32_t count;
    host *h = host_get(world, entity);
    if (h == NULL) {
        return false;
    }
    h->is_detaching = 1;
    (void)knc_capability_sets_read(world, entity, &items, &count);
    for (uint32_t i = count; i-- > 0;) {
        (void)knc_capability_sets_read(world, entity, &items, &count);
        set_leave(world, entity, items[i].number);
    }
    knc_capability_settle(world, entity);
    return true;
}

static kn_result detach_call(void *user, kn_world *world)
{
    const call *c = user;
    return knc_capability_detach_all(world, c->entity) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

bool kn_capability_detach(kn_world *world, kn_entity_id entity)
{
    call c = {.entity = entity};
    return alive(world, entity) == KN_OK && knc_capability_may_change(world, entity) == KN_OK &&
           kn_world_call(world, detach_call, &c) == KN_OK;
}

uint32_t kn_capability_set_number(
    const kn_world *world, kn_entity_id entity, kn_capability_set_id set)
{
    const set_item *item =
        knc_capability_kit_of_world(world) != NULL ? set_read(world, entity, 0, set) : NULL;
    return item != NULL ? item->number : 0;
}

static kn_result refresh_call(void *user, kn_world *world)
{
    (void)user;
    knc_capability_settle_all(world);
    return KN_OK;
}

kn_result kn_capabilities_refresh(kn_world *world)
{
    return knc_capability_kit_of_world(world) != NULL ? kn_world_call(world, refresh_call, NULL)
                                                      : KN_ERROR_INVALID_ARGUMENT;
}

// The last entity with capabilities before `end`, or of all if that has none.
static kn_entity_id host_before(const kn_world *world, kn_entity_id end)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_entity_id entity = {0}, last = {0};
    while ((entity = kn_component_next(world, kit->hosts, entity)).index1 != 0 &&
           !kn_entity_id_equal(entity, end)) {
        last = entity;
    }
    return last;
}

// From the last entity to the first. Those whose hooks run follow when these are done.
static kn_result shut_down_call(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t most = SETTLE_MAX; // further ones that hooks may begin
    kn_entity_id entity = {0};
    (void)user;
    while ((entity = kn_component_next(world, kit->hosts, entity)).index1 != 0) {
        most += 2;
    }
    for (uint32_t turn = 0; turn < most; turn++) {
        entity = host_before(world, entity);
        if (entity.index1 == 0) {
            return KN_OK;
        }
        (void)knc_capability_detach_all(world, entity);
    }
    const kn_capability_problem problem = {.fault = KN_CAPABILITY_FAULT_LOOP};
    knc_capability_report(world, entity, &problem);
    return KN_OK;
}

kn_result kn_capabilities_shut_down(kn_world *world)
{
    return knc_capability_kit_of_world(world) != NULL ? kn_world_call(world, shut_down_call, NULL)
                                                      : KN_ERROR_INVALID_ARGUMENT;
}

// Registration --------------------------------------------------------------------------------

typedef struct component_row {
    const char *name;
    uint32_t size, item_size;
    const kn_field *fields, *item_fields;
    uint32_t field_count, item_field_count;
    kn_sync sync;
} component_row;

#define WORDS_MODE "authority local"
#define WORDS_CONTROL "automatic authority nobody"

static const kn_field list_fields[] = {
    KN_FIELD(set_list, next, KN_FIELD_U32),
    KN_FIELD_WORDS(set_list, mode, WORDS_MODE),
    KN_FIELD_WORDS(set_list, control, WORDS_CONTROL),
};
static const kn_field set_fields[] = {
    KN_FIELD_TO(set_item, set, "capability set"),
    KN_FIELD(set_item, number, KN_FIELD_U32),
    KN_FIELD_TO(set_item, collection, "capability collection"),
    KN_FIELD(set_item, is_leaving, KN_FIELD_U32),
    KN_FIELD(set_item, created, KN_FIELD_U64),
    KN_FIELD(set_item, mirrored, KN_FIELD_U64),
};
static const kn_field host_fields[] = {
    KN_FIELD(host, blocks, KN_FIELD_U64),
    KN_FIELD(host, busy, KN_FIELD_U32),
    KN_FIELD(host, is_dirty, KN_FIELD_U32),
    KN_FIELD(host, connection, KN_FIELD_U32),
    KN_FIELD(host, is_detaching, KN_FIELD_U32),
    KN_FIELD(host, bound, KN_FIELD_U32),
    KN_FIELD(host, sent, KN_FIELD_U32),
    KN_FIELD(host, effect_blocks, KN_FIELD_U32),
    KN_FIELD(host, unused, KN_FIELD_U32),
};
static const kn_field member_fields[] = {
    KN_FIELD(member, elapsed, KN_FIELD_TIME),
    KN_FIELD(member, cadence, KN_FIELD_TIME),
    KN_FIELD(member, interval, KN_FIELD_TIME),
    KN_FIELD(member, changed, KN_FIELD_TIME),
    KN_FIELD_TO(member, capability, "capability"),
    KN_FIELD(member, number, KN_FIELD_U32),
    KN_FIELD(member, set_number, KN_FIELD_U32),
    KN_FIELD(member, flags, KN_FIELD_U32),
    KN_FIELD(member, blocks, KN_FIELD_U32),
    KN_FIELD(member, unused, KN_FIELD_U16),
    KN_FIELD(member, place, KN_FIELD_U8),
    KN_FIELD(member, lane, KN_FIELD_U8),
    KN_FIELD(member, wakes, KN_FIELD_TIME),
    KN_FIELD(member, heard, KN_FIELD_U64),
};
static const kn_field mark_fields[] = {
    KN_FIELD(lane_mark, unused, KN_FIELD_U32),
};
static const kn_field head_fields[] = {
    KN_FIELD(head, since, KN_FIELD_TIME),
    KN_FIELD_TO(head, set, "capability set"),
    KN_FIELD(head, number, KN_FIELD_U32),
    KN_FIELD(head, is_there, KN_FIELD_U32),
    KN_FIELD(head, is_reported, KN_FIELD_U32),
    KN_FIELD(head, mirrored, KN_FIELD_U64),
    KN_FIELD(head, created, KN_FIELD_U64),
    KN_FIELD_INIT("posts", KN_FIELD_U32, offsetof(head, posts), 2),
};
static const kn_field grant_fields[] = {
    KN_FIELD(grant_item, effect, KN_FIELD_EFFECT),
    KN_FIELD(grant_item, ability, KN_FIELD_ABILITY),
    KN_FIELD(grant_item, number, KN_FIELD_U32),
    KN_FIELD(grant_item, unused, KN_FIELD_U32),
};
static const kn_field clock_fields[] = {
    KN_FIELD(clock_state, connection, KN_FIELD_U32),
    KN_FIELD(clock_state, posts, KN_FIELD_U32),
};
static const kn_field clock_item_fields[] = {
    KN_FIELD(clock_item, at, KN_FIELD_TIME),
    KN_FIELD(clock_item, entity, KN_FIELD_ENTITY),
    KN_FIELD(clock_item, number, KN_FIELD_U32),
    KN_FIELD(clock_item, unused, KN_FIELD_U32),
};

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(*(array)))

static const component_row rows[] = {
    {"Knack.CapabilitySets", sizeof(set_list), sizeof(set_item), list_fields, set_fields,
        COUNT(list_fields), COUNT(set_fields), KN_SYNC_ALL},
    {"Knack.CapabilityOwnSets", sizeof(set_list), sizeof(set_item), list_fields, set_fields,
        COUNT(list_fields), COUNT(set_fields), KN_SYNC_NONE},
    {"Knack.Capabilities", sizeof(host), sizeof(member), host_fields, member_fields,
        COUNT(host_fields), COUNT(member_fields), KN_SYNC_NONE},
    {"Knack.CapabilityHeads", sizeof(lane_mark), sizeof(head), mark_fields, head_fields,
        COUNT(mark_fields), COUNT(head_fields), KN_SYNC_NONE},
    {"Knack.CapabilityGrants", sizeof(lane_mark), sizeof(grant_item), mark_fields, grant_fields,
        COUNT(mark_fields), COUNT(grant_fields), KN_SYNC_NONE},
    {"Knack.CapabilityClock", sizeof(clock_state), sizeof(clock_item), clock_fields,
        clock_item_fields, COUNT(clock_fields), COUNT(clock_item_fields), KN_SYNC_NONE},
    {"Knack.CapabilityChain", sizeof(lane_mark), 0, mark_fields, NULL, COUNT(mark_fields), 0,
        KN_SYNC_NONE},
};

static void block_removed(void *user, const kn_component_call *component)
{
    (void)user;
    knc_capability_count_all_blocks(component->world, component->entity, component);
}

static kn_result blocks_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(block_record, tag, KN_FIELD_TAG),
        KN_FIELD_WORDS(block_record, kind, "key entity member set effect"),
        KN_FIELD(block_record, entity, KN_FIELD_ENTITY),
        KN_FIELD(block_record, effect, KN_FIELD_EFFECT),
        KN_FIELD(block_record, key, KN_FIELD_U64),
        KN_FIELD(block_record, number, KN_FIELD_U32),
        KN_FIELD(block_record, flags, KN_FIELD_U32),
    };
    static const kn_component_reference references[] = {
        {.field = "entity", .when_destroyed = KN_REFERENCE_REMOVE},
    };
    static const char *const names[] = {
        "Knack.CapabilityBlock", "Knack.CapabilityOwnerBlock", "Knack.CapabilitySharedBlock"};
    static const kn_sync syncs[] = {KN_SYNC_NONE, KN_SYNC_OWNER, KN_SYNC_ALL};
    for (uint32_t i = 0; i < KN_CAPABILITY_SCOPE_COUNT; i++) {
        kn_component_def def = kn_component_def_default();
        def.name = names[i];
        def.size = sizeof(block_record);
        def.fields = fields;
        def.field_count = COUNT(fields);
        def.several = true;
        def.sync = syncs[i];
        def.references = references;
        def.reference_count = 1;
        def.removed = block_removed;
        kn_result result = kn_component_register(library, &def, &kit->blocks[i], error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

static kn_result posts_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_field fields[KNC_CAPABILITY_MESSAGE_FIELDS + 3];
    const kn_field own[] = {
        KN_FIELD(post_item, sent, KN_FIELD_TIME),
        KN_FIELD_INIT("post", KN_FIELD_U32, offsetof(post_item, number), 1),
        KN_FIELD_INIT("receiver", KN_FIELD_U32, offsetof(post_item, connection), 1),
    };
    memcpy(fields, knc_capability_message_fields, sizeof(knc_capability_message_fields));
    memcpy(fields + KNC_CAPABILITY_MESSAGE_FIELDS, own, sizeof(own));
    kn_component_def def = kn_component_def_default();
    def.size = sizeof(lane_mark);
    def.fields = mark_fields;
    def.field_count = COUNT(mark_fields);
    def.item_fields = fields;
    def.name = "Knack.CapabilityInbox";
    def.item_size = sizeof(kn_capability_message);
    def.item_field_count = KNC_CAPABILITY_MESSAGE_FIELDS;
    def.sync = KN_SYNC_NONE;
    kn_result result = kn_component_register(library, &def, &kit->inbox, error);
    def.name = "Knack.CapabilityMail";
    def.item_size = sizeof(post_item);
    def.item_field_count = COUNT(fields);
    def.sync = KN_SYNC_OWNER;
    result = result != KN_OK ? result : kn_component_register(library, &def, &kit->mail, error);
    def.name = "Knack.CapabilityNews";
    def.sync = KN_SYNC_ALL;
    return result != KN_OK ? result : kn_component_register(library, &def, &kit->news, error);
}

static kn_result copies_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(copy_record, component, "component"),
        KN_FIELD(copy_record, size, KN_FIELD_U32),
    };
    static const kn_field item_fields[] = {KN_FIELD(copy_word, word, KN_FIELD_U64)};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.CapabilityCopies";
    def.size = sizeof(copy_record);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(copy_word);
    def.item_fields = item_fields;
    def.item_field_count = COUNT(item_fields);
    def.several = true;
    def.sync = KN_SYNC_NONE;
    return kn_component_register(library, &def, &kit->copies, error);
}

kn_result knc_capability_components_register(
    kn_library *library, capability_kit *kit, kn_error *error)
{
    kn_component_type_id *const ids[] = {&kit->sets, &kit->own_sets, &kit->hosts, &kit->heads,
        &kit->grants, &kit->clock, &kit->chains};
    for (uint32_t i = 0; i < COUNT(rows); i++) {
        kn_component_def def = kn_component_def_default();
        def.name = rows[i].name;
        def.size = rows[i].size;
        def.fields = rows[i].fields;
        def.field_count = rows[i].field_count;
        def.item_size = rows[i].item_size;
        def.item_fields = rows[i].item_fields;
        def.item_field_count = rows[i].item_field_count;
        def.sync = rows[i].sync;
        kn_result result = kn_component_register(library, &def, ids[i], error);
        if (result != KN_OK) {
            return result;
        }
    }
    kn_result result = posts_register(library, kit, error);
    result = result != KN_OK ? result : copies_register(library, kit, error);
    return result != KN_OK ? result : blocks_register(library, kit, error);
}
