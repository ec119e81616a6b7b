// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders made of fuzz input: types with any policies, tags and hooks, units that obey them and give
// some to themselves, and streams of orders, deaths, tags and owners. Hooks give orders, end them,
// and remove what they are about. In between the world is saved, loaded and rolled back and must go
// the same way; after each call no call waits, and no order is aimed at somebody who is gone.

#include "fuzz_orders.h"

enum { TYPES = 6, UNITS = 2 };

static kn_order order_of(const game *g, uint32_t type, uint32_t about)
{
    kn_order order = kn_order_of((kn_order_type_id){1 + type % TYPES});
    order.index = (int32_t)(about % 3) - 1;
    order.target = about % 4 != 0 ? g->entities[about % ENTITIES] : (kn_entity_id){0};
    if (about % 5 == 0) {
        kn_order_set_location(&order, (kn_vec3){(float)(about % 17), (float)(about % 13), 0});
    }
    return order;
}

// What a hook that may write does.
static void deed_do(
    game *g, kn_world *world, kn_entity_id unit, uint32_t ticket, uint32_t deed, bool is_cancel)
{
    static kn_result (*const gives[])(
        kn_world *, kn_entity_id, const kn_order *, kn_order_answer *) = {
        kn_order_issue, kn_order_enqueue, kn_order_insert_after, kn_order_insert_before};
    const kn_order order = order_of(g, deed / 16, deed / 3);
    const kn_entity_id other = g->entities[deed / 16 % ENTITIES];
    switch (deed % 16) {
    case 0:
    case 1:
    case 2:
        (void)sane(kn_order_end(world, unit, ticket, (kn_order_result)(deed % 16)));
        break;
    case 3:
    case 4:
        (void)sane(gives[deed / 16 % 4](world, unit, &order, NULL));
        break;
    case 5:
        (void)sane(gives[deed / 16 % 4](world, other, &order, NULL));
        break;
    case 6:
        tag_change(g, world, unit, deed / 16);
        break;
    case 7:
        tag_change(g, world, other, deed / 16);
        break;
    case 8:
        if (deed / 16 > 11) {
            kn_entity_destroy(world, other);
        }
        break;
    case 9:
        (void)sane(kn_unit_remove(world, unit));
        break;
    case 10:
        (void)sane(kn_order_clear_queue(world, unit));
        break;
    case 11:
        (void)sane(kn_order_resume_work(world, unit));
        break;
    case 12:
        (void)sane(kn_order_retarget(world, other, g->entities[deed % ENTITIES], NULL));
        break;
    case 13:
        (void)sane(kn_event_send(world, other, g->tags[deed / 16 % TAGS], NULL));
        break;
    default:
        if (!is_cancel && deed % 2 == 0) {
            (void)sane(kn_order_check_autos(world, unit, NULL));
        }
        break;
    }
}

static kn_result execute(void *user, const kn_hook_call *call)
{
    game *g = user;
    const kn_order_call *c = call->arguments;
    uint32_t deed = deed_of(g, call->writable, c->order.type.index1 * 3 + c->ticket);
    deed_do(g, call->writable, call->entity, c->ticket, deed, false);
    return deed == 255 ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result cancelled(void *user, const kn_hook_call *call)
{
    game *g = user;
    const kn_order_call *c = call->arguments;
    uint32_t deed = deed_of(g, call->writable, c->order.type.index1 * 7 + c->ticket);
    deed_do(g, call->writable, call->entity, c->ticket, deed, true);
    return KN_OK;
}

static kn_result agree(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_order_call *c = call->arguments;
    uint32_t deed = deed_of(g, call->world, c->order.type.index1 + call->entity.index1);
    must(call->writable == NULL, "a question that may write");
    if (deed % 4 == 0 && c->error_count < 4) {
        c->errors[c->error_count++] = g->tags[deed / 4 % TAGS];
    }
    return deed % 4 == 0 ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result answer(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_order_call *c = call->arguments;
    uint32_t deed = deed_of(g, call->world, c->order.type.index1 + c->target.tag_count);
    static const float odd[] = {0.0f, 1.0f, -1.0f, NAN, INFINITY, 3.5f};
    c->answer = deed % 7;
    c->number = odd[deed % COUNT(odd)];
    return KN_OK;
}

static kn_result provide(void *user, const kn_hook_call *call)
{
    game *g = user;
    kn_order_provide_call *c = call->arguments;
    uint32_t deed = deed_of(g, call->world, call->entity.index1);
    c->count = deed % (KN_ORDER_PROVIDE_MAX + 2);
    for (uint32_t i = 0; i < c->count && i < KN_ORDER_PROVIDE_MAX; i++) {
        c->autos[i] = (kn_order_auto){{(deed + i) % (TYPES + 2)}, (int32_t)(i % 3) - 1, (int32_t)i};
    }
    return KN_OK;
}

static kn_hook take_hook(game *g, kn_hook_fn *function)
{
    return take_rarely(g->in, 4) ? (kn_hook){function, g} : (kn_hook){0};
}

// The library ----------------------------------------------------------------------------

static void types_add(game *g)
{
    static const char *const names[TYPES] = {"T0", "T1", "T2", "T3", "T4", "T5"};
    static const kn_order_target_kind kinds[] = {KN_ORDER_TARGET_NONE, KN_ORDER_TARGET_ENTITY,
        KN_ORDER_TARGET_ENTITY, KN_ORDER_TARGET_LOCATION, KN_ORDER_TARGET_DIRECTION,
        KN_ORDER_TARGET_PASSIVE, KN_ORDER_TARGET_ENTITY, KN_ORDER_TARGET_LOCATION};
    kn_tag tags[8][2];
    for (uint32_t i = 0; i < TYPES; i++) {
        kn_order_type_def def = kn_order_type_def_default();
        kn_error error = {0};
        kn_order_type_id id;
        uint32_t flags = take_u32(g->in);
        def.name = names[i];
        def.target_kind = kinds[take_below(g->in, COUNT(kinds))];
        def.policy = (kn_order_policy)(take_below(g->in, 8) < 5 ? 0 : flags % 3);
        def.group = (kn_order_group)(flags >> 2 & 3);
        def.needs_life = (flags >> 4 & 7) == 0;
        def.tags.source_required = take_tags(g, tags[0]);
        def.tags.source_blocked = take_tags(g, tags[1]);
        def.tags.target_required = take_tags(g, tags[2]);
        def.tags.target_blocked = take_tags(g, tags[3]);
        def.success.source_required = take_tags(g, tags[4]);
        def.success.target_blocked = take_tags(g, tags[5]);
        def.auto_wakes = take_tags(g, tags[6]);
        def.acquisition_radius = (flags >> 7 & 1) != 0 ? take_small_float(g->in) : -1.0f;
        def.allows_auto = (flags >> 8 & 1) != 0;
        def.auto_for_players = (flags >> 9 & 1) != 0;
        def.auto_begins = def.auto_for_players && (flags >> 10 & 1) != 0;
        def.auto_for_ai = (flags >> 11 & 1) != 0;
        def.individual_locations = (flags >> 12 & 1) != 0;
        def.formation = (kn_formation_shape)((flags >> 13 & 7) % KN_FORMATION_COUNT);
        def.pierces = (flags >> 16 & 7) == 0;
        def.is_work = (flags >> 19 & 3) == 0;
        def.fallback.index1 = i > 0 && (flags >> 21 & 1) != 0 ? 1 + flags % i : 0;
        def.execute = (kn_hook){execute, g};
        def.cancelled = (kn_hook){(flags >> 22 & 1) != 0 ? cancelled : NULL, g};
        def.can_obey = take_hook(g, agree);
        def.is_valid_target = take_hook(g, agree);
        def.find_policy = take_hook(g, answer);
        def.find_target_kind = take_hook(g, answer);
        def.find_range = take_hook(g, answer);
        def.score = take_hook(g, answer);
        kn_result result = kn_order_type_register(g->library, &def, &id, &error);
        if (result != KN_OK) { // such as a radius that makes no sense
            must(result == KN_ERROR_BAD_DATA && error.message[0] != 0, "refused without a reason");
            def.acquisition_radius = -1.0f;
            def.policy = KN_ORDER_CANCELABLE;
            must(kn_order_type_register(g->library, &def, &id, &error) == KN_OK, error.message);
        }
    }
}

static void units_add(game *g)
{
    static const char *const names[UNITS] = {"U0", "U1"};
    static const kn_time intervals[] = {
        0, KN_TIME_INFINITE, KN_MS(250), KN_MS(40), KN_MS(250), KN_S(5)};
    kn_order_auto autos[4];
    kn_tag tags[2];
    for (uint32_t i = 0; i < UNITS; i++) {
        kn_unit_type_def def = kn_unit_type_def_default();
        kn_error error = {0};
        kn_unit_type_id id;
        uint32_t flags = take_u32(g->in);
        def.name = names[i];
        def.tag = (flags & 7) == 0 ? take_tag(g) : (kn_tag){0};
        def.stop.index1 = (flags >> 3 & 7) == 0 ? 0 : 1 + (flags >> 6) % TYPES;
        def.queue_limit = (flags >> 9 & 3) == 0 ? 1 + (flags >> 11 & 3) : 0;
        def.literal_instants = (flags >> 13 & 3) == 0;
        def.interrupts_all = (flags >> 15 & 3) == 0;
        def.ranks_autos = (flags >> 17 & 1) != 0;
        def.resumes_work = (flags >> 18 & 1) != 0;
        def.leash = (flags >> 19 & 3) == 0 ? 10.0f : 0.0f;
        def.acquisition_radius = (float)(flags >> 21 & 31);
        def.auto_interval = intervals[take_below(g->in, COUNT(intervals))];
        def.auto_wakes = take_tags(g, tags);
        def.autos = autos;
        def.auto_count = take_below(g->in, 5);
        for (uint32_t j = 0; j < def.auto_count; j++) {
            autos[j] = (kn_order_auto){{1 + take_below(g->in, TYPES)},
                (int32_t)take_below(g->in, 3) - 1, (int32_t)take_below(g->in, 4)};
        }
        def.provide = take_hook(g, provide);
        must(kn_unit_type_register(g->library, &def, &id, &error) == KN_OK, error.message);
    }
}

// Playing ----------------------------------------------------------------------------------

static void spawn(game *g, uint32_t index)
{
    kn_body body = kn_body_default();
    must(kn_entity_create(g->world, &g->entities[index]) == KN_OK, "no entity");
    body.position = take_place(g);
    must(kn_grid_set_body(g->grid, g->entities[index], &body) == KN_OK, "no body");
    if (index >= OWNERS) {
        uint32_t unit = take_below(g->in, UNITS + 1);
        (void)sane(kn_entity_set_owner(g->world, g->entities[index], g->entities[index % OWNERS]));
        (void)sane(kn_unit_add(g->world, g->entities[index], (kn_unit_type_id){unit}));
    }
}

static void play_replace(game *g)
{
    uint32_t index = take_below(g->in, ENTITIES);
    kn_entity_destroy(g->world, g->entities[index]);
    spawn(g, index);
}

static kn_order take_order(game *g)
{
    kn_order order = kn_order_of((kn_order_type_id){take_below(g->in, TYPES + 2)});
    uint32_t flags = take_u8(g->in);
    order.index = (int32_t)(flags & 3) - 1;
    if ((flags & 4) != 0) {
        order.target = take_entity(g);
    }
    if ((flags & 8) != 0) {
        kn_order_set_location(&order, take_place(g));
    }
    if ((flags & 0xf0) == 0xf0) {
        order.uses_location = 1;
        order.location.x = take_float(g->in);
    }
    return order;
}

static void play_order(game *g)
{
    static kn_result (*const gives[])(
        kn_world *, kn_entity_id, const kn_order *, kn_order_answer *) = {kn_order_issue,
        kn_order_enqueue, kn_order_enqueue, kn_order_insert_after, kn_order_insert_before};
    kn_entity_id unit = take_entity(g);
    kn_order order = take_order(g), resolved;
    kn_order_answer result = {0};
    if (kn_order_resolve(g->world, unit, &order, &resolved)) {
        must(kn_order_check(g->world, unit, &resolved, NULL), "resolved, and it is refused");
    }
    kn_result code = sane(gives[take_below(g->in, COUNT(gives))](g->world, unit, &order, &result));
    must((code == KN_OK) == (result.outcome != KN_ORDER_NOT_TAKEN), "a result without its outcome");
}

static void play_end(game *g)
{
    kn_entity_id unit = take_entity(g);
    kn_unit_info info;
    uint32_t ticket = kn_unit_get_info(g->world, unit, &info) ? info.ticket : 1;
    (void)sane(kn_order_end(g->world, unit, ticket - (take_rarely(g->in, 6) ? 1 : 0),
        (kn_order_result)take_below(g->in, 4)));
}

static void play_group(game *g)
{
    static const uint32_t part[] = {1, 3, 3, 0};
    kn_order_group_def def = kn_order_group_def_default();
    kn_order order = take_order(g);
    def.units = g->entities;
    def.unit_count = take_below(g->in, ENTITIES + 1);
    def.first = take_below(g->in, ENTITIES);
    def.enqueues = take_bool(g->in);
    def.sub_group = take_bool(g->in) ? part : NULL;
    def.sub_group_count = take_below(g->in, 5);
    uint32_t given = 0;
    (void)sane(kn_order_issue_group(g->world, &def, &order, &given));
    must(given <= ENTITIES, "given to more than there are");
}

static void play_auto(game *g)
{
    kn_entity_id unit = take_entity(g);
    kn_order_type_id type = {take_below(g->in, TYPES + 2)};
    bool is_issued;
    switch (take_below(g->in, 3)) {
    case 0:
        (void)sane(kn_order_set_auto(
            g->world, unit, type, (int32_t)take_below(g->in, 3) - 1, take_bool(g->in)));
        break;
    case 1:
        (void)sane(kn_order_refresh_autos(g->world, unit));
        break;
    default:
        (void)sane(kn_order_check_autos(g->world, unit, &is_issued));
    }
}

static void play_unit(game *g)
{
    kn_entity_id unit = take_entity(g);
    switch (take_below(g->in, 6)) {
    case 0:
        (void)sane(kn_unit_add(g->world, unit, (kn_unit_type_id){take_below(g->in, UNITS + 2)}));
        break;
    case 1:
        (void)sane(kn_unit_remove(g->world, unit));
        must(kn_unit_get_type(g->world, unit).index1 == 0, "removed, and still there");
        break;
    case 2:
        (void)sane(kn_order_clear_queue(g->world, unit));
        break;
    case 3:
        (void)sane(kn_order_resume_work(g->world, unit));
        break;
    case 4:
        (void)sane(kn_order_retarget(g->world, unit, take_entity(g), NULL));
        break;
    default:
        (void)sane(kn_order_relation_changed(g->world, unit, take_entity(g)));
    }
}

static void play_entity(game *g)
{
    kn_entity_id entity = take_entity(g);
    switch (take_below(g->in, 6)) {
    case 0:
        (void)sane(kn_entity_set_owner(g->world, entity, take_entity(g)));
        break;
    case 1:
        (void)sane(kn_event_send(g->world, entity, take_tag(g), NULL));
        break;
    case 2:
        (void)sane(kn_entity_set_connection(g->world, entity, take_below(g->in, 3)));
        break;
    case 3:
        (void)sane(kn_grid_move(g->grid, entity, take_place(g)));
        break;
    default:
        tag_change(g, g->world, entity, take_u8(g->in));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const calls[])(game * g) = {play_step, play_step, play_step, play_order,
        play_order, play_order, play_order, play_end, play_end, play_group, play_auto, play_unit,
        play_entity, play_entity, play_replace};
    fuzz_input in = {data, size};
    game g = {.in = &in};
    kn_error error = {0};
    library_begin(&g);
    take_deeds(&g);
    types_add(&g);
    units_add(&g);
    must(kn_library_finish(g.library, &error) == KN_OK, error.message);
    world_begin(&g, take_u8(&in));
    for (uint32_t i = 0; i < ENTITIES; i++) {
        spawn(&g, i);
    }
    for (uint32_t count = 0; in.size > 0 && count < CALLS_MAX; count++) {
        calls[take_below(&in, COUNT(calls))](&g);
        game_check(&g);
    }
    world_step(g.world, KN_S(2));
    game_check(&g);
    game_end(&g);
    return 0;
}
