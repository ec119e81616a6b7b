// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A run with machines. The run is the host of all of them: at each turn the server takes what has
// arrived, makes its ticks and sends, then each client does the same. The time of the run is the
// clock on every wall; only clients know how far they are ahead of it.

#include "scenario_peers.h"

#include <string.h>

#define DATAGRAM_MAX 2048

static void *sessions_take(const kn_scenario_run *run, size_t size)
{
    void *block = kn_memory_resize(&run->hooks, NULL, 0, size);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

kni_slot *kni_peer_slot(kni_peer *peer)
{
    return peer->slot_count > 0 ? &peer->slots[peer->slot_count - 1] : NULL;
}

static kni_peer *peer_of(const kn_scenario_run *run, uint32_t machine)
{
    return &run->sessions->peers[machine - 1];
}

static const char *peer_name(const kn_scenario_run *run, uint32_t machine)
{
    return run->scenario->machine_names[machine - 1];
}

// Peers of the network: the server, then the slots of each machine.
static uint32_t slot_address(uint32_t machine, uint32_t slot)
{
    return 1 + (machine - 1) * KNI_SLOTS_MAX + slot;
}

kn_world *kni_sessions_world(const kn_scenario_run *run, uint32_t machine)
{
    const kni_slot *slot = kni_peer_slot(peer_of(run, machine));
    return slot != NULL ? kn_client_world(slot->client) : NULL;
}

bool kni_sessions_has_world(const kn_scenario_run *run, uint32_t machine)
{
    return kni_sessions_world(run, machine) != NULL;
}

kn_scenario_run kni_peer_view(const kn_scenario_run *run, uint32_t machine)
{
    kn_scenario_run view = *run;
    kni_peer *peer = peer_of(run, machine);
    const kni_slot *slot = kni_peer_slot(peer);
    view.world = kni_sessions_world(run, machine);
    view.grid = slot != NULL ? slot->grid : NULL;
    view.history = peer->history;
    view.history_count = peer->history_count;
    return view;
}

uint32_t kni_sessions_connection(const kn_scenario_run *run, uint32_t machine)
{
    const kni_slot *slot = machine > 0 ? kni_peer_slot(peer_of(run, machine)) : NULL;
    return slot != NULL && slot->is_joined ? slot->connection : 0;
}

// Who sees and controls what ------------------------------------------------------

static bool server_relevant(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const kn_scenario_run *run = user;
    const kn_scenario *scenario = run->scenario;
    (void)world;
    for (uint32_t i = 0; i < scenario->machine_count; i++) {
        const kni_slot *slot = kni_peer_slot(&run->sessions->peers[i]);
        if (slot == NULL || slot->connection != connection) {
            continue;
        }
        for (uint32_t k = 0; k < scenario->name_count; k++) {
            if (run->sessions->peers[i].hidden[k] &&
                kn_entity_id_equal(kn_entity_id_unpack(run->names[k]), entity)) {
                return false;
            }
        }
    }
    return true;
}

static void peer_hide(kni_peer *peer, const kni_ids *names, bool is_hidden)
{
    for (uint32_t i = 0; i < names->count; i++) {
        peer->hidden[names->data[i] - 1] = is_hidden;
    }
}

kn_result kni_sessions_control(kn_scenario_run *run, kn_entity_id entity, uint32_t machine)
{
    kni_sessions *all = run->sessions;
    kn_result result =
        kn_entity_set_connection(run->world, entity, kni_sessions_connection(run, machine));
    if (result != KN_OK) {
        return result;
    }
    uint32_t i = 0;
    while (i < all->control_count && !kn_entity_id_equal(all->controls[i].entity, entity)) {
        i++;
    }
    if (i == all->control_count) {
        if (!kn_memory_grow(&run->hooks, &all->controls, &all->control_capacity, i + 1,
                sizeof(*all->controls))) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        all->control_count++;
    }
    all->controls[i] = (kni_control){entity, machine};
    return KN_OK;
}

kn_sync_mode kni_sessions_mode(const kn_scenario_run *run, kn_entity_id entity)
{
    const kni_sessions *all = run->sessions;
    for (uint32_t i = 0; i < all->mode_count; i++) {
        if (kn_entity_id_equal(all->own_modes[i].entity, entity)) {
            return all->own_modes[i].mode;
        }
    }
    return run->scenario->machines->server.mode;
}

kn_result kni_sessions_set_mode(kn_scenario_run *run, kn_entity_id entity, uint32_t mode)
{
    kni_sessions *all = run->sessions;
    uint32_t i = 0;
    while (i < all->mode_count && !kn_entity_id_equal(all->own_modes[i].entity, entity)) {
        i++;
    }
    if (!kn_memory_grow(
            &run->hooks, &all->own_modes, &all->mode_capacity, i + 1, sizeof(*all->own_modes))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_server_set_mode(all->server, entity, (kn_sync_mode)mode);
    if (result == KN_OK) {
        all->own_modes[i] = (kni_own_mode){entity, (kn_sync_mode)mode};
        all->mode_count = i < all->mode_count ? all->mode_count : i + 1;
    }
    return result;
}

// Gives a client that is let in what is meant for it.
static void peer_joined(kn_scenario_run *run, uint32_t machine)
{
    const kni_sessions *all = run->sessions;
    uint32_t connection = kni_sessions_connection(run, machine);
    for (uint32_t i = 0; i < all->control_count; i++) {
        if (all->controls[i].machine == machine) {
            // One that is gone needs nobody.
            (void)kn_entity_set_connection(run->world, all->controls[i].entity, connection);
        }
    }
}

static void connection_left(kn_scenario_run *run, uint32_t connection)
{
    const kni_sessions *all = run->sessions;
    for (uint32_t i = 0; i < all->control_count; i++) {
        kn_entity_id entity = all->controls[i].entity;
        if (kn_entity_connection(run->world, entity) == connection) {
            (void)kn_entity_set_connection(run->world, entity, 0);
        }
    }
}

// Joining -----------------------------------------------------------------------

static void client_setup(void *user, kn_world *world)
{
    kni_slot *slot = user;
    if (!slot->run->scenario->has_grid) {
        return;
    }
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    def.hooks = slot->run->hooks;
    def.cell_size = slot->run->scenario->cell_size;
    if (kn_grid_create(&def, &slot->grid) == KN_OK) {
        kn_world_set_space(world, kn_grid_space(slot->grid));
    }
}

static kn_result peer_conditions(kn_scenario_run *run, uint32_t machine)
{
    kni_peer *peer = peer_of(run, machine);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < KNI_SLOTS_MAX && result == KN_OK; i++) {
        uint32_t address = slot_address(machine, i);
        result = kn_net_sim_set(run->sessions->net, address, 0, &peer->ways[KNI_WAY_UP]);
        if (result == KN_OK) {
            result = kn_net_sim_set(run->sessions->net, 0, address, &peer->ways[KNI_WAY_DOWN]);
        }
    }
    return result;
}

static kn_result peer_join(kn_scenario_run *run, uint32_t machine)
{
    kni_peer *peer = peer_of(run, machine);
    const kni_slot *before = kni_peer_slot(peer);
    if (before != NULL && kn_client_closed(before->client) == KN_CLOSE_NONE) {
        return KN_REFUSED_DUPLICATE;
    }
    if (peer->slot_count == KNI_SLOTS_MAX) {
        return KN_REFUSED_LIMIT;
    }
    kni_slot *slot = &peer->slots[peer->slot_count];
    *slot = (kni_slot){.run = run};
    kn_client_def def = run->scenario->machines->clients[machine - 1].def;
    kn_world_def world = kn_world_def_default();
    def.hooks = run->hooks;
    def.library = run->scenario->library;
    def.event_mask = world.event_mask | UINT64_C(1) << KN_EVENT_EFFECT_EXECUTED |
                     UINT64_C(1) << KN_EVENT_TAG_COUNT;
    def.setup = client_setup;
    def.user = slot;
    kn_result result = kn_client_create(&def, &slot->client);
    if (result == KN_OK) {
        result = kn_server_open(run->sessions->server, run->now, &slot->connection);
    }
    if (result != KN_OK) {
        kn_client_destroy(slot->client);
        return result;
    }
    peer->slot_count++;
    peer->command_tick = UINT64_MAX;
    return KN_OK;
}

static kn_result peer_leave(kn_scenario_run *run, uint32_t machine)
{
    const kni_slot *slot = kni_peer_slot(peer_of(run, machine));
    if (slot == NULL || kn_client_closed(slot->client) != KN_CLOSE_NONE) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_client_leave(slot->client);
    return KN_OK;
}

// Actions -----------------------------------------------------------------------

static kn_result peer_command(kn_scenario_run *run, const kni_part *part)
{
    kni_peer *peer = peer_of(run, part->machine);
    const kni_slot *slot = kni_peer_slot(peer);
    if (slot == NULL || kn_client_world(slot->client) == NULL) {
        return KN_REFUSED_BLOCKED;
    }
    if (kni_part_has(part, KNI_KEY_ANSWER) &&
        !kn_memory_grow(&run->hooks, &peer->questions, &peer->question_capacity,
            peer->question_count + 1, sizeof(*peer->questions))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_scenario_run view = kni_peer_view(run, part->machine);
    kn_command_data data; // only what is used of it is filled in
    if (!kni_command_of(&view, part, &data)) {
        return KN_ERROR_BAD_DATA;
    }
    uint32_t sequence;
    kn_result result = kn_client_command(slot->client, &data.command, &sequence, NULL);
    if (result == KN_OK && kni_part_has(part, KNI_KEY_ANSWER)) {
        peer->questions[peer->question_count++] = (kni_question){sequence, part};
    }
    if (result == KN_OK) {
        peer->command_tick = kn_client_tick(slot->client);
    }
    return result;
}

static kn_result sessions_network(kn_scenario_run *run, const kni_link_changes *links)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < links->count && result == KN_OK; i++) {
        const kni_link_change *link = &links->data[i];
        kni_peer *peer = peer_of(run, link->machine);
        kni_link_apply(link, KNI_WAY_UP, &peer->ways[KNI_WAY_UP]);
        kni_link_apply(link, KNI_WAY_DOWN, &peer->ways[KNI_WAY_DOWN]);
        result = peer_conditions(run, link->machine);
    }
    return result;
}

kn_result kni_sessions_act(kn_scenario_run *run, const kni_part *part)
{
    switch (part->verb) {
    case KNI_VERB_FREEZE:
        peer_of(run, part->machine)->frozen_until =
            part->duration < KN_TIME_MAX - run->now ? run->now + part->duration : KN_TIME_MAX;
        return KN_OK;
    case KNI_VERB_JOIN:
        return peer_join(run, part->machine);
    case KNI_VERB_LEAVE:
        return peer_leave(run, part->machine);
    case KNI_VERB_NETWORK:
        return sessions_network(run, part->links);
    case KNI_VERB_SIGHT:
        peer_hide(peer_of(run, part->machine), &part->hide, true);
        peer_hide(peer_of(run, part->machine), &part->show, false);
        return KN_OK;
    default:
        return peer_command(run, part);
    }
}

// The server's turn -------------------------------------------------------------

// The slot that a datagram, or a connection, belongs to; NULL for none.
static kni_slot *slot_at(const kn_scenario_run *run, uint32_t address)
{
    kni_peer *peer = &run->sessions->peers[(address - 1) / KNI_SLOTS_MAX];
    uint32_t slot = (address - 1) % KNI_SLOTS_MAX;
    return slot < peer->slot_count ? &peer->slots[slot] : NULL;
}

static void server_event(kn_scenario_run *run, const kn_server_event *event)
{
    for (uint32_t i = 0; i < run->scenario->machine_count; i++) {
        kni_slot *slot = kni_peer_slot(&run->sessions->peers[i]);
        if (slot == NULL || slot->connection != event->connection) {
            continue;
        }
        slot->is_joined = event->kind == KN_SERVER_JOINED;
        if (slot->is_joined) {
            peer_joined(run, i + 1);
        }
    }
    if (event->kind == KN_SERVER_LEFT) {
        connection_left(run, event->connection);
    }
}

static kn_result server_tick(kn_scenario_run *run)
{
    kni_sessions *all = run->sessions;
    uint64_t before = kn_server_tick(all->server);
    if (run->grid != NULL) {
        kn_grid_sync(run->grid);
    }
    kn_result result = kn_server_update(all->server, run->now);
    if (result == KN_OK && kn_server_tick(all->server) != before) {
        run->pending_count = 0; // what was done is published
        run->counts.steps++;
        kni_run_harvest(run);
        kni_compare_tick(run);
    }
    return result;
}

static kn_result server_turn(kn_scenario_run *run)
{
    kni_sessions *all = run->sessions;
    uint8_t buffer[DATAGRAM_MAX];
    size_t size;
    uint32_t from;
    kn_result result = KN_OK;
    while (result != KN_ERROR_OUT_OF_MEMORY && kn_net_sim_receive(all->net, run->now, 0, &from,
                                                   buffer, sizeof(buffer), &size) == KN_OK) {
        const kni_slot *slot = slot_at(run, from);
        if (slot != NULL) {
            result = kn_server_receive(all->server, run->now, slot->connection, buffer, size);
        }
    }
    result = result == KN_ERROR_OUT_OF_MEMORY ? result : server_tick(run);
    kn_server_event event;
    while (result == KN_OK && kn_server_next_event(all->server, &event)) {
        server_event(run, &event);
    }
    uint32_t addresses = run->scenario->machine_count * KNI_SLOTS_MAX;
    for (uint32_t i = 1; i <= addresses && result == KN_OK; i++) {
        const kni_slot *slot = slot_at(run, i);
        while (slot != NULL && result == KN_OK) {
            result = kn_server_write(
                all->server, run->now, slot->connection, buffer, sizeof(buffer), &size);
            result =
                result == KN_OK ? kn_net_sim_send(all->net, run->now, 0, i, buffer, size) : result;
        }
        result = result == KN_REFUSED_NOT_FOUND ? KN_OK : result;
    }
    return result;
}

// A client's turn -----------------------------------------------------------------

static void answer_fail(kn_scenario_run *run, const kni_part *part, const char *found)
{
    char words[48];
    kni_difference difference;
    kni_difference_begin(&difference);
    kni_line_add(&difference.expected, "the server answers %s to ",
        kni_result_word((kn_result)part->answer, words, sizeof(words)));
    kni_action_print(run, part, &difference.expected);
    kni_line_add(&difference.found, "%s", found);
    kni_run_fail(run, &part->place, &difference);
}

static void peer_answer(kn_scenario_run *run, uint32_t machine, const kn_client_event *event)
{
    kni_peer *peer = peer_of(run, machine);
    peer->accepted += event->result == KN_OK;
    peer->refused += event->result != KN_OK;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < peer->question_count; i++) {
        kni_question question = peer->questions[i];
        if (question.sequence != event->sequence) {
            peer->questions[kept++] = question;
        } else if (event->result != (kn_result)question.part->answer) {
            char words[48], found[64];
            kni_line line = {found, sizeof(found), 0};
            kni_line_add(&line, "it is %s", kni_result_word(event->result, words, sizeof(words)));
            answer_fail(run, question.part, found);
        }
    }
    peer->question_count = kept;
}

// What an event points at is gone when it is reported.
static kn_event event_alone(const kn_event *event)
{
    kn_event alone = *event;
    alone.cause = 0;
    if (alone.type == KN_EVENT_CUE) {
        alone.data.cue.params1 = 0;
    } else if (alone.type == KN_EVENT_CUSTOM) {
        alone.data.custom.offset1 = 0;
        alone.data.custom.size = 0;
    }
    return alone;
}

static void peer_event(kn_scenario_run *run, uint32_t machine, const kn_client_event *event)
{
    kni_peer *peer = peer_of(run, machine);
    if (event->kind == KN_CLIENT_ANSWER) {
        peer_answer(run, machine, event);
    } else if (event->kind == KN_CLIENT_LEFT) {
        peer->out_of_sight++;
    } else if (event->kind == KN_CLIENT_HAPPENED || event->kind == KN_CLIENT_REVOKED) {
        kn_event alone = event_alone(&event->event);
        kn_scenario_run view = kni_peer_view(run, machine);
        if (event->kind == KN_CLIENT_HAPPENED) {
            kni_past_event *past = &peer->history[peer->history_count++ % KNI_HISTORY];
            kni_event_remember(&view, &alone, past);
        }
        kni_run_observe(run, &view, machine, &alone, event->kind == KN_CLIENT_REVOKED);
    }
}

static kn_result slot_turn(kn_scenario_run *run, uint32_t machine, uint32_t index)
{
    kni_slot *slot = &peer_of(run, machine)->slots[index];
    kn_net_sim *net = run->sessions->net;
    uint32_t address = slot_address(machine, index);
    uint8_t buffer[DATAGRAM_MAX];
    size_t size;
    kn_result result = KN_OK;
    while (result != KN_ERROR_OUT_OF_MEMORY && kn_net_sim_receive(net, run->now, address, NULL,
                                                   buffer, sizeof(buffer), &size) == KN_OK) {
        result = kn_client_receive(slot->client, run->now, buffer, size);
    }
    if (slot->grid != NULL) {
        kn_grid_sync(slot->grid);
    }
    result = result == KN_ERROR_OUT_OF_MEMORY ? result : kn_client_update(slot->client, run->now);
    bool has_world = kn_client_world(slot->client) != NULL;
    if (has_world && run->scenario->has_grid && slot->grid == NULL) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    kn_client_event event;
    bool is_last = index + 1 == peer_of(run, machine)->slot_count;
    while (result == KN_OK && kn_client_next_event(slot->client, &event)) {
        if (is_last) {
            peer_event(run, machine, &event);
        }
    }
    while (result == KN_OK) {
        result = kn_client_write(slot->client, run->now, buffer, sizeof(buffer), &size);
        result =
            result == KN_OK ? kn_net_sim_send(net, run->now, address, 0, buffer, size) : result;
    }
    return result == KN_REFUSED_NOT_FOUND ? KN_OK : result;
}

kn_result kni_sessions_turn(kn_scenario_run *run)
{
    kn_result result = server_turn(run);
    for (uint32_t i = 1; i <= run->scenario->machine_count; i++) {
        kni_peer *peer = peer_of(run, i);
        bool is_frozen = peer->frozen_until > run->now;
        for (uint32_t k = 0; k < peer->slot_count && result == KN_OK && !is_frozen; k++) {
            result = slot_turn(run, i, k);
        }
    }
    return result;
}

kn_time kni_sessions_next_tick(const kn_scenario_run *run)
{
    uint64_t tick = kn_server_tick(run->sessions->server) + 1;
    uint32_t rate = run->scenario->machines->server.rate;
    return run->scenario->start + (kn_time)(tick / rate * 1000000 + tick % rate * 1000000 / rate);
}

bool kni_sessions_wait(const kn_scenario_run *run, const kni_part *part)
{
    if (part->machine == 0) {
        bool needs_tick = part->watch > 0 || kni_part_has(part, KNI_KEY_MEASURE);
        return needs_tick && run->pending_count > 0;
    }
    kni_peer *peer = peer_of(run, part->machine);
    const kni_slot *slot = kni_peer_slot(peer);
    return slot != NULL && peer->frozen_until <= run->now &&
           kn_client_closed(slot->client) == KN_CLOSE_NONE &&
           kn_client_tick(slot->client) == peer->command_tick;
}

// Expectations ------------------------------------------------------------------

static uint64_t counter_value(const kn_scenario_run *run, uint32_t machine, kni_counter counter)
{
    kni_peer *peer = peer_of(run, machine);
    const kni_slot *slot = kni_peer_slot(peer);
    kn_client_stats client = kn_client_get_stats(slot != NULL ? slot->client : NULL);
    kn_server_stats server = {0};
    kn_net_sim_counts up = {0}, down = {0};
    if (slot != NULL) {
        uint32_t address = slot_address(machine, peer->slot_count - 1);
        server = kn_server_get_stats(run->sessions->server, slot->connection);
        up = kn_net_sim_count(run->sessions->net, address, 0);
        down = kn_net_sim_count(run->sessions->net, 0, address);
    }
    const uint64_t values[KNI_COUNTER_KINDS] = {
        [KNI_COUNTER_ACCEPTED] = peer->accepted,
        [KNI_COUNTER_REFUSED] = peer->refused,
        [KNI_COUNTER_CORRECTIONS] = client.corrections,
        [KNI_COUNTER_CORRECTED] = client.corrected,
        [KNI_COUNTER_RESIMULATED] = client.resimulated,
        [KNI_COUNTER_REVOKED] = client.revoked,
        [KNI_COUNTER_RESYNCS] = client.resyncs,
        [KNI_COUNTER_LATE] = server.commands_late,
        [KNI_COUNTER_BAD] = client.bad + server.bad,
        [KNI_COUNTER_LEAD] = client.lead,
        [KNI_COUNTER_VISIBLE] = server.visible,
        [KNI_COUNTER_OUT_OF_SIGHT] = peer->out_of_sight,
        [KNI_COUNTER_MESSAGES_SENT] = up.sent,
        [KNI_COUNTER_MESSAGES_RECEIVED] = down.received,
        [KNI_COUNTER_BYTES_SENT] = up.sent_bytes,
        [KNI_COUNTER_BYTES_RECEIVED] = down.sent_bytes,
        [KNI_COUNTER_STATE_BYTES] = server.state_bytes,
    };
    return values[counter];
}

static void session_test(const kni_look *at)
{
    const kni_part *part = at->part;
    const kni_slot *slot = kni_peer_slot(peer_of(at->run, part->machine));
    kn_close_reason closed = slot != NULL ? kn_client_closed(slot->client) : KN_CLOSE_NONE;
    bool is_joined = closed == KN_CLOSE_NONE && kni_sessions_has_world(at->run, part->machine);
    (void)kni_test_bool(
        at, KNI_KEY_JOINED, part->joined, is_joined, "the client", "has joined", "has not joined");
    if (kni_look_has(at, KNI_KEY_CLOSED) && (uint32_t)closed != part->closed) {
        kni_difference *difference = kni_differ(at);
        kni_line_add(&difference->expected, "the reason why the connection ended is %s",
            kn_close_reason_name((kn_close_reason)part->closed));
        kni_line_add(&difference->found, "it is %s", kn_close_reason_name(closed));
    }
    kni_words words;
    kni_words_of(KNI_WORDS_COUNTER, &words);
    for (uint32_t i = 0; i < part->counters.count; i++) {
        const kni_counter_bounds *one = &part->counters.data[i];
        kni_test_bounds(at, &one->bounds,
            (float)counter_value(at->run, part->machine, one->counter), words.items[one->counter]);
    }
}

// Whether anything is asked that needs a world.
static bool needs_world(const kni_part *part)
{
    kni_part rest = *part;
    static const kni_key own[] = {KNI_KEY_MACHINE, KNI_KEY_JOINED, KNI_KEY_CLOSED, KNI_KEY_COUNTS};
    for (uint32_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
        rest.given[(uint32_t)own[i] / 64] &= ~(UINT64_C(1) << ((uint32_t)own[i] % 64));
    }
    return part->watch == 0 && (rest.given[0] | rest.given[1] | rest.given[2]) != 0;
}

bool kni_sessions_holds(kn_scenario_run *run, const kni_part *part, kni_differences *out)
{
    kn_scenario_run view = kni_peer_view(run, part->machine);
    kni_look at = {&view, part, out};
    out->count = 0;
    if (needs_world(part) && view.world == NULL) {
        kni_difference *difference = kni_differ(&at);
        kni_line_add(&difference->expected, "there is a world to look at");
        kni_line_add(&difference->found, "the client has not joined");
    } else if (needs_world(part) || part->watch > 0) {
        (void)kni_run_holds(&view, part, out);
    }
    session_test(&at);
    for (uint32_t i = 0; i < out->count && i < KNI_DIFFERENCES; i++) {
        kni_line_add(&out->items[i].expected, " on %s", peer_name(run, part->machine));
    }
    if (kni_part_has(part, KNI_KEY_AS_SERVER) && view.world != NULL && run->broken == KN_OK) {
        run->broken = kni_compare_begin(run, part);
    }
    return out->count == 0;
}

bool kni_sessions_are_open(const kn_scenario_run *run)
{
    bool is_open = run->sessions->comparison_count > 0;
    for (uint32_t i = 0; i < run->scenario->machine_count; i++) {
        is_open |= run->sessions->peers[i].question_count > 0;
    }
    return is_open;
}

void kni_sessions_end(kn_scenario_run *run)
{
    for (uint32_t i = 1; i <= run->scenario->machine_count; i++) {
        kni_peer *peer = peer_of(run, i);
        for (uint32_t k = 0; k < peer->question_count; k++) {
            answer_fail(run, peer->questions[k].part, "there is no answer");
        }
    }
    for (uint32_t i = 0; i < run->sessions->comparison_count; i++) {
        const kni_comparison *one = &run->sessions->comparisons[i];
        kni_run_fail_text(run, &one->part->place, "the server comes to the tick of the client",
            "it does not, and nothing was compared", "");
    }
}

// Beginning and end ---------------------------------------------------------------

kn_result kni_sessions_begin(kn_scenario_run *run)
{
    kn_result result = KN_OK;
    for (uint32_t i = 1; i <= run->scenario->machine_count && result == KN_OK; i++) {
        if (!run->scenario->machines->clients[i - 1].has_join) {
            result = peer_join(run, i);
        }
    }
    return result;
}

static kn_result peers_create(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < scenario->machine_count && result == KN_OK; i++) {
        const kni_machine *machine = &scenario->machines->clients[i];
        kni_peer *peer = &run->sessions->peers[i];
        peer->hidden = sessions_take(run, scenario->name_count + 1);
        peer->history = sessions_take(run, KNI_HISTORY * sizeof(*peer->history));
        peer->command_tick = UINT64_MAX;
        if (peer->hidden == NULL || peer->history == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        peer_hide(peer, &machine->hide, true);
        kni_link_apply(&machine->link, KNI_WAY_UP, &peer->ways[KNI_WAY_UP]);
        kni_link_apply(&machine->link, KNI_WAY_DOWN, &peer->ways[KNI_WAY_DOWN]);
        result = peer_conditions(run, i + 1);
    }
    return result;
}

kn_result kni_sessions_create(kn_scenario_run *run)
{
    const kn_scenario *scenario = run->scenario;
    uint32_t count = scenario->machine_count;
    if (count == 0) {
        return KN_OK;
    }
    run->sessions = sessions_take(run, sizeof(*run->sessions));
    if (run->sessions == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    run->sessions->peers = sessions_take(run, count * sizeof(kni_peer));
    if (run->sessions->peers == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_net_sim_def net = kn_net_sim_def_default();
    net.hooks = run->hooks;
    net.seed = kni_run_seed(run);
    net.peer_count = 1 + count * KNI_SLOTS_MAX;
    kn_server_def def = scenario->machines->server;
    def.hooks = run->hooks;
    def.world = run->world;
    def.connection_limit = count * KNI_SLOTS_MAX;
    def.is_relevant = server_relevant;
    def.user = run;
    kn_result result = kn_net_sim_create(&net, &run->sessions->net);
    result = result == KN_OK ? kn_server_create(&def, &run->sessions->server) : result;
    return result == KN_OK ? peers_create(run) : result;
}

static void peer_free(kn_scenario_run *run, kni_peer *peer)
{
    for (uint32_t i = 0; i < peer->slot_count; i++) {
        kn_client_destroy(peer->slots[i].client);
        kn_grid_destroy(peer->slots[i].grid);
    }
    if (peer->hidden != NULL) {
        kn_memory_free(&run->hooks, peer->hidden, run->scenario->name_count + 1);
    }
    if (peer->history != NULL) {
        kn_memory_free(&run->hooks, peer->history, KNI_HISTORY * sizeof(*peer->history));
    }
    kn_memory_free(
        &run->hooks, peer->questions, peer->question_capacity * sizeof(*peer->questions));
}

void kni_sessions_destroy(kn_scenario_run *run)
{
    kni_sessions *all = run->sessions;
    if (all == NULL) {
        return;
    }
    uint32_t count = run->scenario->machine_count;
    for (uint32_t i = 0; i < count && all->peers != NULL; i++) {
        peer_free(run, &all->peers[i]);
    }
    kn_server_destroy(all->server);
    kn_net_sim_destroy(all->net);
    kni_compare_free(run);
    if (all->peers != NULL) {
        kn_memory_free(&run->hooks, all->peers, count * sizeof(*all->peers));
    }
    kn_memory_free(&run->hooks, all->controls, all->control_capacity * sizeof(*all->controls));
    kn_memory_free(&run->hooks, all->own_modes, all->mode_capacity * sizeof(*all->own_modes));
    kn_memory_free(&run->hooks, all, sizeof(*all));
    run->sessions = NULL;
}
