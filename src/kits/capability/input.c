// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Input of entities: who controls them, what is bound on this machine, and events from what is
// held. In these components:
//
// | Component                   | What it holds                               | Who has it        |
// | --------------------------- | ------------------------------------------- | ----------------- |
// | `Knack.Controller`          | who controls the entity                     | server, its owner |
// | `Knack.OwnController`       | the same in mode local                      | this machine      |
// | `Knack.Actions`             | values of actions, and since when           | server, its owner |
// | `Knack.InputBindings`       | actions and contexts that members are bound to | this machine   |
// | `Knack.InputPhases`         | what runs of a lane have told of an action  | this machine      |
//
// Phases are those of a machine, since which members and lanes run depends on their sides, and sets
// with rate 0 run when the host says so.

#include "parts.h"

#include <string.h>

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(*(array)))

const member *knc_capability_input_members(
    const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, knc_capability_kit_of_world(world)->hosts, entity, count);
}

// Controllers -------------------------------------------------------------------

static kn_component_type_id controller_type(const kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const set_item *items;
    uint32_t count;
    const set_list *list = knc_capability_sets_read(world, entity, &items, &count);
    bool is_own = list != NULL && list->mode == KN_CAPABILITY_MODE_LOCAL;
    return is_own ? kit->own_controllers : kit->controllers;
}

// A client that has lost an entity keeps what it knew of its controller, which is out of date.
const controller_state *knc_capability_input_controller_read(
    const kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_component_type_id type = controller_type(world, entity);
    const controller_state *c = kn_component_read(world, type, entity);
    bool is_known = !kn_world_is_client(world) || type.index1 == kit->own_controllers.index1 ||
                    kn_entity_connection(world, entity) == kn_world_connection(world);
    return c != NULL && c->is_there != 0 && is_known ? c : NULL;
}

bool knc_capability_input_was_forwarded(const kn_world *world, kn_entity_id entity)
{
    return kn_component_read(world, controller_type(world, entity), entity) != NULL;
}

kn_controller knc_capability_input_controller(const kn_world *world, kn_entity_id entity)
{
    const binding_list *b =
        kn_component_read(world, knc_capability_kit_of_world(world)->bindings, entity);
    kn_controller controller = {{0, 0}, 0, 0};
    if (b != NULL) {
        controller = (kn_controller){b->entity, b->number, b->version};
    }
    return controller;
}

bool kn_capability_get_controller(
    const kn_world *world, kn_entity_id entity, kn_controller *controller)
{
    const controller_state *c =
        knc_capability_kit_of_world(world) != NULL && kn_entity_is_alive(world, entity)
            ? knc_capability_input_controller_read(world, entity)
            : NULL;
    if (controller != NULL) {
        *controller = c != NULL ? (kn_controller){c->entity, c->number, c->version}
                                : (kn_controller){{0, 0}, 0, 0};
    }
    return c != NULL;
}

// Hooks and bindings --------------------------------------------------------------------

static void hook_run(kn_world *world, kn_entity_id entity, const member *m, const kn_hook *hook,
    kn_controller controller)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_capability_input_call call = {
        .number = m->number,
        .set_number = m->set_number,
        .controller = controller,
    };
    (void)kn_hook_run(world, kit->capability_kind, m->capability.index1, hook, entity, &call);
}

bool knc_capability_input_is_bound_to(
    const kn_world *world, kn_entity_id entity, const binding_item *binding)
{
    uint32_t count = 0;
    const binding_item *items = kn_component_read_items(
        world, knc_capability_kit_of_world(world)->bindings, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number == binding->number &&
            items[i].action.index1 == binding->action.index1 &&
            items[i].context.index1 == binding->context.index1 && items[i].on == binding->on) {
            return true;
        }
    }
    return false;
}

static kn_result binding_add(kn_world *world, kn_entity_id entity, const binding_item *binding)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->bindings;
    uint32_t count = 0;
    if (knc_capability_input_is_bound_to(world, entity, binding)) {
        return KN_OK;
    }
    (void)kn_component_read_items(world, type, entity, &count);
    binding_item *items = kn_component_resize(world, type, entity, count + 1);
    if (items == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    items[count] = *binding;
    return KN_OK;
}

static void bindings_drop(kn_world *world, kn_entity_id entity, uint32_t number)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->bindings;
    uint32_t count = 0, kept = 0;
    binding_item *items = kn_component_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number != number) {
            items[kept++] = items[i];
        }
    }
    (void)kn_component_resize(world, type, entity, kept);
}

static void member_bind(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_controller controller;
    (void)kn_capability_get_controller(world, entity, &controller);
    binding_list *list = kn_component_add(world, kit->bindings, entity);
    if (list == NULL) {
        return;
    }
    *list = (binding_list){controller.entity, controller.number, controller.version};
    ((host *)kn_component_get(world, kit->hosts, entity))->bound++;
    member *m = knc_capability_member(world, entity, number);
    m->flags |= MEMBER_BOUND;
    const member copy = *m;
    const kn_capability_def *def = kit->plans[copy.capability.index1 - 1].def;
    hook_run(world, entity, &copy, &def->controller_attached, controller);
    for (uint32_t i = 0; i < def->input_count; i++) {
        const binding_item binding = {
            .number = number, .action = def->inputs[i].action, .on = def->inputs[i].on};
        if (binding.action.index1 != 0 && binding_add(world, entity, &binding) != KN_OK) {
            return;
        }
    }
    for (uint32_t i = 0; i < def->context_count; i++) {
        const binding_item binding = {.number = number, .context = def->contexts[i]};
        if (binding_add(world, entity, &binding) != KN_OK) {
            return;
        }
    }
    hook_run(world, entity, &copy, &def->bind, controller);
    m = knc_capability_member(world, entity, number);
    if (m != NULL) {
        m->flags |= MEMBER_USES_INPUT;
    }
}

void knc_capability_input_release(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    member *m = knc_capability_member(world, entity, number);
    if (m == NULL || (m->flags & MEMBER_BOUND) == 0) {
        return;
    }
    m->flags &= ~(uint32_t)(MEMBER_BOUND | MEMBER_USES_INPUT);
    const member copy = *m;
    const kn_controller controller = knc_capability_input_controller(world, entity);
    host *h = kn_component_get(world, kit->hosts, entity);
    h->bound--;
    bool is_last = h->bound == 0;
    bindings_drop(world, entity, number);
    if (is_last) {
        (void)kn_component_remove(world, kit->bindings, entity);
        (void)kn_component_remove(world, kit->phases, entity);
    }
    hook_run(world, entity, &copy, &kit->plans[copy.capability.index1 - 1].def->controller_detached,
        controller);
}

// Following ---------------------------------------------------------------------------

static bool is_to_bind(const kn_world *world, const member *m)
{
    const uint32_t mask = MEMBER_SET_UP | MEMBER_LEAVING | MEMBER_BOUND;
    return (m->flags & mask) == MEMBER_SET_UP &&
           knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1].has_input;
}

static uint32_t version_bound(const kn_world *world, kn_entity_id entity)
{
    const binding_list *list =
        kn_component_read(world, knc_capability_kit_of_world(world)->bindings, entity);
    return list != NULL ? list->version : 0;
}

static uint32_t version_wanted(const kn_world *world, kn_entity_id entity)
{
    const controller_state *c = knc_capability_input_controller_read(world, entity);
    return c != NULL ? c->version : 0;
}

bool knc_capability_input_is_behind(const kn_world *world, kn_entity_id entity)
{
    uint32_t bound = version_bound(world, entity), wanted = version_wanted(world, entity);
    uint32_t count;
    const member *members = knc_capability_input_members(world, entity, &count);
    if (bound != 0 && bound != wanted) {
        return true;
    }
    for (uint32_t i = 0; wanted != 0 && i < count; i++) {
        if (is_to_bind(world, &members[i])) {
            return true;
        }
    }
    return false;
}

void knc_capability_input_follow(kn_world *world, kn_entity_id entity)
{
    uint32_t bound = version_bound(world, entity), wanted = version_wanted(world, entity);
    uint32_t count;
    const member *members;
    (void)knc_capability_input_members(world, entity, &count);
    for (uint32_t i = count; bound != 0 && bound != wanted && i-- > 0;) {
        members = knc_capability_input_members(world, entity, &count);
        if (i < count) {
            knc_capability_input_release(world, entity, members[i].number);
        }
    }
    for (uint32_t i = 0; wanted != 0; i++) {
        members = knc_capability_input_members(world, entity, &count);
        if (i >= count) {
            break;
        }
        if (is_to_bind(world, &members[i])) {
            member_bind(world, entity, members[i].number);
        }
    }
}

// Calls about controllers -----------------------------------------------------------------

typedef struct input_call {
    kn_entity_id entity;
    kn_controller controller;
    uint32_t number;
    binding_item binding;
    bool is_on;
} input_call;

static void bindings_settle(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (kn_component_read(world, kit->hosts, entity) != NULL &&
        knc_capability_sets_type(world, entity).index1 != 0) {
        knc_capability_settle(world, entity);
    }
}

static kn_result controller_run(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const input_call *c = user;
    kn_component_type_id type = controller_type(world, c->entity);
    const controller_state *before = kn_component_read(world, type, c->entity);
    bool was_there = before != NULL && before->is_there != 0;
    if (c->is_on ? was_there && before->number == c->controller.number &&
                       kn_entity_id_equal(before->entity, c->controller.entity)
                 : !was_there) {
        return KN_OK;
    }
    controller_state *state = kn_component_add(world, type, c->entity);
    if (state == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    state->version++;
    state->is_there = c->is_on;
    if (c->is_on) {
        state->entity = c->controller.entity;
        state->number = c->controller.number;
    }
    (void)kn_component_remove(world, kit->actions, c->entity);
    bindings_settle(world, c->entity);
    return KN_OK;
}

static kn_result controller_check(const kn_world *world, kn_entity_id entity)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return kn_entity_is_dying(world, entity) ? KN_REFUSED_DYING
                                             : knc_capability_may_change(world, entity);
}

kn_result kn_capability_set_controller(
    kn_world *world, kn_entity_id entity, kn_controller controller)
{
    kn_result result = controller_check(world, entity);
    if (result != KN_OK) {
        return result;
    }
    if (controller.entity.index1 == 0 && controller.number == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (controller.entity.index1 != 0 && !kn_entity_is_alive(world, controller.entity)) {
        return KN_REFUSED_STALE_ID;
    }
    input_call c = {.entity = entity, .controller = controller, .is_on = true};
    return kn_world_call(world, controller_run, &c);
}

kn_result kn_capability_remove_controller(kn_world *world, kn_entity_id entity)
{
    kn_result result = controller_check(world, entity);
    input_call c = {.entity = entity};
    return result != KN_OK ? result : kn_world_call(world, controller_run, &c);
}

// Whoever was controlled by an entity that goes is not controlled any more.
static void destroyed_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const capability_kit *kit = user;
    const kn_component_type_id types[] = {kit->controllers, kit->own_controllers};
    for (uint32_t i = 0; i < COUNT(types); i++) {
        kn_component_referrer found;
        while (kn_component_referrers(world, types[i], 0, reaction->entity, &found, 1) > 0) {
            input_call c = {.entity = found.entity};
            if (controller_run(&c, world) != KN_OK) {
                return;
            }
            controller_state *state = kn_component_get(world, types[i], found.entity);
            if (state != NULL) {
                state->entity = (kn_entity_id){0, 0};
            }
        }
    }
}

// Calls about bindings ----------------------------------------------------------------------

static kn_result bound_check(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    const member *m = knc_capability_member_read(world, entity, number, NULL);
    if (m == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    return (m->flags & MEMBER_BOUND) != 0 ? KN_OK : KN_REFUSED_BLOCKED;
}

static kn_result bind_run(void *user, kn_world *world)
{
    const input_call *c = user;
    if (c->binding.action.index1 != 0 || c->binding.context.index1 != 0) {
        return binding_add(world, c->entity, &c->binding);
    }
    const kn_capability_problem problem = {.fault = KN_CAPABILITY_FAULT_BINDING,
        .capability =
            knc_capability_member_read(world, c->entity, c->binding.number, NULL)->capability};
    knc_capability_report(world, c->entity, &problem);
    return KN_REFUSED_NOT_FOUND;
}

kn_result kn_capability_bind_action(kn_world *world, kn_entity_id entity, uint32_t number,
    kn_input_action_id action, kn_input_trigger on)
{
    kn_result result = bound_check(world, entity, number);
    if (result == KN_OK && (uint32_t)on >= KN_INPUT_TRIGGER_COUNT) {
        result = KN_ERROR_INVALID_ARGUMENT;
    }
    if (result != KN_OK) {
        return result;
    }
    if (kn_input_action_get_def(kn_world_library(world), action) == NULL) {
        action.index1 = 0;
    }
    input_call c = {.entity = entity, .binding = {.number = number, .action = action, .on = on}};
    return kn_world_call(world, bind_run, &c);
}

kn_result kn_capability_bind_context(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_input_context_id context)
{
    kn_result result = bound_check(world, entity, number);
    if (result != KN_OK) {
        return result;
    }
    if (kn_input_context_get_def(kn_world_library(world), context) == NULL) {
        context.index1 = 0;
    }
    input_call c = {.entity = entity, .binding = {.number = number, .context = context}};
    return kn_world_call(world, bind_run, &c);
}

static kn_result use_run(void *user, kn_world *world)
{
    const input_call *c = user;
    member *m = knc_capability_member(world, c->entity, c->number);
    m->flags &= ~(uint32_t)MEMBER_USES_INPUT;
    m->flags |= c->is_on ? MEMBER_USES_INPUT : 0;
    return KN_OK;
}

static kn_result input_use(kn_world *world, kn_entity_id entity, uint32_t number, bool is_on)
{
    kn_result result = bound_check(world, entity, number);
    input_call c = {.entity = entity, .number = number, .is_on = is_on};
    return result != KN_OK ? result : kn_world_call(world, use_run, &c);
}

kn_result kn_capability_use_input(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return input_use(world, entity, number, true);
}

kn_result kn_capability_stop_input(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return input_use(world, entity, number, false);
}

bool kn_capability_is_bound(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    return bound_check(world, entity, number) == KN_OK;
}

// Contexts --------------------------------------------------------------------------------

// The context with this place among those of all members in their order, the same one again for
// each that uses it; null at the end.
static kn_input_context_id context_at(const kn_world *world, kn_entity_id entity, uint32_t place)
{
    uint32_t count, binding_count = 0;
    const member *members = knc_capability_input_members(world, entity, &count);
    const binding_item *bindings = kn_component_read_items(
        world, knc_capability_kit_of_world(world)->bindings, entity, &binding_count);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; (members[i].flags & MEMBER_USES_INPUT) != 0 && j < binding_count;
             j++) {
            if (bindings[j].number == members[i].number && bindings[j].context.index1 != 0 &&
                place-- == 0) {
                return bindings[j].context;
            }
        }
    }
    return (kn_input_context_id){0};
}

static bool context_is_first(
    const kn_world *world, kn_entity_id entity, kn_input_context_id context, uint32_t place)
{
    for (uint32_t i = 0; i < place; i++) {
        if (context_at(world, entity, i).index1 == context.index1) {
            return false;
        }
    }
    return true;
}

// Puts a context behind those of the same or a higher priority.
static void context_insert(const kn_library *library, kn_input_context_id *out, uint32_t count,
    uint32_t capacity, kn_input_context_id context)
{
    int32_t priority = kn_input_context_get_def(library, context)->priority;
    uint32_t at = 0;
    while (at < count && kn_input_context_get_def(library, out[at])->priority >= priority) {
        at++;
    }
    for (uint32_t i = count < capacity ? count : capacity - 1; i > at; i--) {
        out[i] = out[i - 1];
    }
    if (at < capacity) {
        out[at] = context;
    }
}

uint32_t kn_capability_contexts(
    const kn_world *world, kn_entity_id entity, kn_input_context_id *out, uint32_t capacity)
{
    uint32_t total = 0;
    kn_input_context_id context;
    if (knc_capability_kit_of_world(world) == NULL) {
        return 0;
    }
    for (uint32_t i = 0; (context = context_at(world, entity, i)).index1 != 0; i++) {
        if (!context_is_first(world, entity, context, i)) {
            continue;
        }
        if (capacity > 0) {
            uint32_t written = total < capacity ? total : capacity;
            context_insert(kn_world_library(world), out, written, capacity, context);
        }
        total++;
    }
    return total;
}

// Registration ----------------------------------------------------------------------------

static const kn_field controller_fields[] = {
    KN_FIELD(controller_state, entity, KN_FIELD_ENTITY),
    KN_FIELD(controller_state, number, KN_FIELD_U32),
    KN_FIELD(controller_state, version, KN_FIELD_U32),
    KN_FIELD(controller_state, is_there, KN_FIELD_U32),
    KN_FIELD(controller_state, unused, KN_FIELD_U32),
};
static const kn_field mark_fields[] = {
    KN_FIELD(lane_mark, unused, KN_FIELD_U32),
};
static const kn_field action_fields[] = {
    KN_FIELD(action_state, since, KN_FIELD_TIME),
    KN_FIELD(action_state, until, KN_FIELD_TIME),
    KN_FIELD_TO(action_state, action, "input action"),
    KN_FIELD(action_state, presses, KN_FIELD_U32),
    KN_FIELD(action_state, value, KN_FIELD_VEC3),
    KN_FIELD(action_state, last, KN_FIELD_VEC3),
};
static const kn_field list_fields[] = {
    KN_FIELD(binding_list, entity, KN_FIELD_ENTITY),
    KN_FIELD(binding_list, number, KN_FIELD_U32),
    KN_FIELD(binding_list, version, KN_FIELD_U32),
};
static const kn_field binding_fields[] = {
    KN_FIELD(binding_item, number, KN_FIELD_U32),
    KN_FIELD_TO(binding_item, action, "input action"),
    KN_FIELD_TO(binding_item, context, "input context"),
    KN_FIELD_WORDS(binding_item, on, "started ongoing triggered canceled completed"),
};
static const kn_field phase_fields[] = {
    KN_FIELD(phase_item, next, KN_FIELD_TIME),
    KN_FIELD_TO(phase_item, action, "input action"),
    KN_FIELD(phase_item, lane, KN_FIELD_U32),
    KN_FIELD(phase_item, presses, KN_FIELD_U32),
    KN_FIELD_WORDS(phase_item, phase, "rest held triggered"),
};

typedef struct input_row {
    const char *name;
    uint32_t size, item_size;
    const kn_field *fields, *item_fields;
    uint32_t field_count, item_field_count;
    kn_sync sync;
    bool has_reference;
} input_row;

static const input_row rows[] = {
    {"Knack.Controller", sizeof(controller_state), 0, controller_fields, NULL,
        COUNT(controller_fields), 0, KN_SYNC_OWNER, true},
    {"Knack.OwnController", sizeof(controller_state), 0, controller_fields, NULL,
        COUNT(controller_fields), 0, KN_SYNC_NONE, true},
    {"Knack.Actions", sizeof(lane_mark), sizeof(action_state), mark_fields, action_fields,
        COUNT(mark_fields), COUNT(action_fields), KN_SYNC_OWNER, false},
    {"Knack.InputBindings", sizeof(binding_list), sizeof(binding_item), list_fields, binding_fields,
        COUNT(list_fields), COUNT(binding_fields), KN_SYNC_NONE, false},
    {"Knack.InputPhases", sizeof(lane_mark), sizeof(phase_item), mark_fields, phase_fields,
        COUNT(mark_fields), COUNT(phase_fields), KN_SYNC_NONE, false},
};

static kn_result components_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    static const kn_component_reference reference = {
        .field = "entity", .when_destroyed = KN_REFERENCE_CLEAR};
    kn_component_type_id *const ids[] = {
        &kit->controllers, &kit->own_controllers, &kit->actions, &kit->bindings, &kit->phases};
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
        def.references = rows[i].has_reference ? &reference : NULL;
        def.reference_count = rows[i].has_reference;
        kn_result result = kn_component_register(library, &def, ids[i], error);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}

kn_result knc_capability_input_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(kn_action_command, action, "input action"),
        KN_FIELD(kn_action_command, value, KN_FIELD_VEC3),
    };
    kn_result result = components_register(library, kit, error);
    if (result != KN_OK) {
        return result;
    }
    kn_command_def command = kn_command_def_default();
    command.name = "Knack.Action";
    command.size = sizeof(kn_action_command);
    command.fields = fields;
    command.field_count = COUNT(fields);
    command.check = knc_capability_input_act_check;
    command.function = knc_capability_input_act;
    result = kn_command_register(library, &command, &kit->act, error);
    if (result != KN_OK) {
        return result;
    }
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = "Knack.ControllerEnds";
    def.trigger = KN_TRIGGER_ENTITY_DESTROYED;
    def.function = destroyed_rule;
    def.user = kit;
    return kn_rule_register(library, &def, &rule, error);
}
