// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What arrives from the server: entities as differences from what is there, and answers to
// commands.

#include "client.h"

#define JUMP_MARGIN 250000 // microseconds: more is not a matter of speed
#define LOSS_PPM 5000      // more of our datagrams are lost: worth a longer lead
#define INDEX_MAX (1u << 20)
#define TICK_MAX ((uint64_t)1 << 40)
#define JUMP_TIME 5000000 // how much further than silence may last the server may be ahead

static void blob_free(const kn_client *client, client_blob *blob)
{
    kn_memory_free(&client->def.hooks, blob->bytes, blob->size);
    *blob = (client_blob){0};
}

static void entity_clear(kn_client *client, client_entity *entity)
{
    for (uint32_t i = 0; i < entity->count; i++) {
        blob_free(client, &entity->blobs[i]);
    }
    entity->count = 0;
}

void kni_arrivals_clear(kn_client *client)
{
    for (uint32_t i = 0; i < client->arrival_count; i++) {
        arrival *a = &client->arrivals[i];
        kn_memory_free(&client->def.hooks, a->cues, a->cue_count * sizeof(wire_cue));
    }
    client->arrival_count = 0;
}

void kni_client_entities_free(kn_client *client)
{
    kni_arrivals_clear(client);
    for (uint32_t i = 0; i < client->entity_capacity; i++) {
        client_entity *entity = &client->entities[i];
        entity_clear(client, entity);
        kn_memory_free(&client->def.hooks, entity->blobs, entity->capacity * sizeof(client_blob));
    }
    kn_memory_free(
        &client->def.hooks, client->entities, client->entity_capacity * sizeof(client_entity));
    kn_memory_free(
        &client->def.hooks, client->arrivals, client->arrival_capacity * sizeof(arrival));
    kn_memory_free(&client->def.hooks, client->take, client->take_capacity);
}

client_blob *kni_client_blob(kn_client *client, uint32_t index, uint64_t tick)
{
    client_entity *entity = index < client->entity_capacity ? &client->entities[index] : NULL;
    for (uint32_t i = 0; entity != NULL && i < entity->count; i++) {
        if (entity->blobs[i].tick == tick) {
            return &entity->blobs[i];
        }
    }
    return NULL;
}

// Everything before a base that the server uses is not needed any more.
static void blobs_drop(kn_client *client, client_entity *entity, uint64_t tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < entity->count; i++) {
        if (entity->blobs[i].tick < tick) {
            blob_free(client, &entity->blobs[i]);
        } else {
            entity->blobs[kept++] = entity->blobs[i];
        }
    }
    entity->count = kept;
}

// There is room for one more.
static void blob_add(kn_client *client, client_entity *entity, client_blob blob)
{
    if (entity->count == CLIENT_BLOBS) {
        blob_free(client, &entity->blobs[0]);
        memmove(entity->blobs, entity->blobs + 1, (CLIENT_BLOBS - 1) * sizeof(client_blob));
        entity->count--;
    }
    uint32_t at = entity->count++;
    while (at > 0 && entity->blobs[at - 1].tick > blob.tick) {
        entity->blobs[at] = entity->blobs[at - 1];
        at--;
    }
    entity->blobs[at] = blob;
}

void kni_client_resync(kn_client *client, uint32_t index, uint64_t tick, bool is_whole)
{
    uint8_t bytes[32];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, WIRE_RESYNC);
    kni_write_number(&out, index);
    kni_write_number(&out, tick);
    kn_write_u8(&out, is_whole);
    client->stats.resyncs++;
    kn_result result = kn_net_link_send(client->link, bytes, out.length);
    if (result != KN_OK) {
        kni_client_lost(client, tick); // later, then
    }
}

void kni_client_lost(kn_client *client, uint64_t tick)
{
    tick = tick > 0 ? tick : 1;
    client->lost_at = tick > client->lost_at ? tick : client->lost_at;
}

void kni_client_resync_lost(kn_client *client)
{
    uint64_t tick = client->lost_at;
    if (tick != 0) {
        client->lost_at = 0;
        kni_client_resync(client, RESYNC_ALL, tick, true);
    }
}

static bool entities_reserve(kn_client *client, uint32_t index)
{
    uint32_t before = client->entity_capacity;
    if (index < before) {
        return true;
    }
    if (!kn_memory_grow(&client->def.hooks, &client->entities, &client->entity_capacity, index + 1,
            sizeof(client_entity))) {
        return false;
    }
    memset(
        client->entities + before, 0, (client->entity_capacity - before) * sizeof(client_entity));
    return true;
}

// The bytes that a difference is from: a base and a donor, which may be missing.
static kn_result bases_join(kn_client *client, const client_blob *base, const client_blob *donor,
    const uint8_t **bytes, size_t *size)
{
    const client_blob *only = base != NULL ? base : donor;
    *size = only != NULL ? only->size : 0;
    *bytes = only != NULL ? only->bytes : NULL;
    if (base == NULL || donor == NULL) {
        return KN_OK;
    }
    *size = (size_t)base->size + donor->size;
    if (!kn_memory_grow(
            &client->def.hooks, &client->bases, &client->base_capacity, (uint32_t)*size, 1)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memcpy(client->bases, base->bytes, base->size);
    memcpy(client->bases + base->size, donor->bytes, donor->size);
    *bytes = client->bases;
    return KN_OK;
}

// One of an entity's states, from a difference. KN_ERROR_BAD_DATA if that is not possible.
static kn_result blob_decode(kn_client *client, client_entity *entity, const client_blob *base,
    const client_blob *donor, kn_reader *in, uint64_t tick)
{
    size_t expected = donor != NULL ? donor->size : base != NULL ? base->size : 0;
    size_t size = kni_delta_size(in, expected);
    if (size == SIZE_MAX || size == 0) {
        return KN_ERROR_BAD_DATA;
    }
    uint32_t wanted = entity->count < CLIENT_BLOBS ? entity->count + 1 : CLIENT_BLOBS;
    client_blob copy = base != NULL ? *base : (client_blob){0}; // the list may move
    const uint8_t *from = NULL;
    size_t from_size = 0;
    kn_result joined = bases_join(client, base, donor, &from, &from_size);
    base = base != NULL ? &copy : NULL;
    if (joined != KN_OK) {
        return joined;
    }
    if (!kn_memory_grow(
            &client->def.hooks, &entity->blobs, &entity->capacity, wanted, sizeof(client_blob))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    client_blob blob = {tick, kn_memory_resize(&client->def.hooks, NULL, 0, size), (uint32_t)size};
    if (blob.bytes == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (!kni_delta_read(from, from_size, expected, in, blob.bytes)) {
        blob_free(client, &blob);
        return KN_ERROR_BAD_DATA;
    }
    if (base != NULL) {
        blobs_drop(client, entity, base->tick);
    }
    blob_add(client, entity, blob);
    return KN_OK;
}

// Whether a state that arrived too late is still needed.
static bool is_superseded(const client_entity *entity, uint64_t tick)
{
    return entity->count > 0 && entity->blobs[entity->count - 1].tick > tick;
}

// Whether the server can be at this tick.
static bool tick_is_good(const kn_client *client, uint64_t tick)
{
    uint64_t jump = (uint64_t)(client->def.timeout + JUMP_TIME) / 1000000 * client->rate;
    uint64_t known = client->world != NULL ? client->confirmed : client->latest;
    bool is_first = client->world == NULL && known == 0;
    return tick <= TICK_MAX && (is_first || tick <= known + jump) &&
           (client->world != NULL || tick + jump >= known);
}

// Notes that what arrived has to get into the world. Without memory, its cues are lost.
static kn_result arrival_push(kn_client *client, arrival a)
{
    if (!kn_memory_grow(&client->def.hooks, &client->arrivals, &client->arrival_capacity,
            client->arrival_count + 1, sizeof(arrival))) {
        kn_memory_free(&client->def.hooks, a.cues, a.cue_count * sizeof(wire_cue));
        return KN_ERROR_OUT_OF_MEMORY;
    }
    client->arrivals[client->arrival_count++] = a;
    return KN_OK;
}

// An entity arrived whole.
static kn_result arrival_add(kn_client *client, arrival a)
{
    if (client->world != NULL && a.tick < client->confirmed) {
        if (!is_superseded(&client->entities[a.index], a.tick)) {
            kni_client_resync(client, a.index, a.tick, false);
        }
        a.is_late = true;
    }
    return arrival_push(client, a);
}

// The state is of no use, its cues are.
static kn_result arrival_add_cues(kn_client *client, arrival a)
{
    a.is_late = true;
    if (client->world != NULL && a.has_cues && a.entity.index1 != 0) {
        return arrival_push(client, a);
    }
    kn_memory_free(&client->def.hooks, a.cues, a.cue_count * sizeof(wire_cue));
    return KN_OK;
}

// The difference is of no use, but others may stand behind it.
static kn_result entity_skip(kn_reader *in)
{
    (void)kni_delta_read(NULL, 0, 0, in, NULL);
    return KN_OK;
}

static kn_entity_id blob_entity(const client_blob *blob)
{
    kn_entity_id id = {0};
    if (blob != NULL) {
        (void)kn_projection_entities(blob->bytes, blob->size, &id, 1);
    }
    return id;
}

// The latest that is known of an entity.
static kn_entity_id entity_id(const client_entity *entity)
{
    return blob_entity(entity->count > 0 ? &entity->blobs[entity->count - 1] : NULL);
}

kn_entity_id kni_client_entity_id(const kn_client *client, uint32_t index)
{
    return index < client->entity_capacity ? entity_id(&client->entities[index])
                                           : (kn_entity_id){0};
}

// Takes the cues of the arrival, whatever becomes of it.
static kn_result entity_take(
    kn_client *client, arrival a, uint8_t flags, uint64_t number, uint32_t key, kn_reader *in)
{
    client_entity *entity = &client->entities[a.index];
    const client_blob *base = NULL;
    a.entity = entity_id(entity);
    if ((flags & WIRE_HAS_BASE) != 0) {
        base = kni_client_blob(client, a.index, a.tick - number);
        if (base == NULL) {
            kni_client_resync(client, a.index, a.tick, true);
            (void)entity_skip(in);
            return arrival_add_cues(client, a);
        }
        if ((flags & WIRE_HAS_CUES) == 0 && !a.is_left) { // nothing happened since then
            a.has_cues = true;
            a.cues_from = base->tick + CUE_SPAN < a.tick ? a.tick - CUE_SPAN : base->tick + 1;
        }
    } else if (entity->generation != (uint32_t)number) {
        entity_clear(client, entity);
        entity->generation = (uint32_t)number;
        entity->key = 0;
        entity->mismatches = 0;
    }
    entity->key = key != 0 ? key : entity->key;
    client->stats.entities++;
    if (kni_client_blob(client, a.index, a.tick) != NULL) { // it came in a message, too
        (void)entity_skip(in);
        return arrival_add_cues(client, a);
    }
    const client_blob *donor = a.has_donor ? kni_client_blob(client, a.donor, a.donor_tick) : NULL;
    if (a.has_donor && donor == NULL) {
        kni_client_resync(client, a.index, a.tick, true);
        (void)entity_skip(in);
        return arrival_add_cues(client, a);
    }
    kn_result result = blob_decode(client, entity, base, donor, in, a.tick);
    if (result == KN_OK) {
        a.entity = blob_entity(kni_client_blob(client, a.index, a.tick));
        return arrival_add(client, a);
    }
    if (result == KN_ERROR_BAD_DATA) {
        in->failed = true;
        kni_client_resync(client, a.index, a.tick, true);
        result = KN_OK;
    }
    kn_memory_free(&client->def.hooks, a.cues, a.cue_count * sizeof(wire_cue));
    return result;
}

kn_result kni_client_entity(kn_client *client, kn_reader *in, uint64_t tick)
{
    uint64_t index = kni_read_number(in);
    uint8_t flags = kn_read_u8(in);
    uint64_t number = kni_read_number(in);
    uint32_t key = (flags & WIRE_HAS_KEY) != 0 ? kn_read_u32(in) : 0;
    if (in->failed || index >= INDEX_MAX || (flags & ~WIRE_FLAGS) != 0 ||
        !tick_is_good(client, tick)) {
        in->failed = true;
        return KN_OK;
    }
    if (client->world == NULL && tick > client->latest) {
        client->latest = tick; // all others are near to the first
    }
    if ((flags & WIRE_IS_CHECK) != 0) {
        in->failed = flags != WIRE_IS_CHECK;
        kni_check_read(client, in, tick, (uint32_t)index, number);
        return KN_OK;
    }
    arrival a = {.tick = tick, .index = (uint32_t)index, .is_left = (flags & WIRE_IS_LEFT) != 0};
    if ((flags & WIRE_HAS_DONOR) != 0) {
        uint64_t donor = kni_read_number(in), ago = kni_read_number(in);
        in->failed = in->failed || donor >= INDEX_MAX || ago > tick;
        a.has_donor = true;
        a.donor = (uint32_t)donor;
        a.donor_tick = tick - ago;
    }
    kn_result result = KN_OK;
    if ((flags & WIRE_HAS_CUES) != 0 && !in->failed) {
        result = kni_arrival_cues(client, in, &a);
    }
    if (in->failed) {
        return KN_OK;
    }
    if (result == KN_OK && !entities_reserve(client, a.index)) {
        kn_memory_free(&client->def.hooks, a.cues, a.cue_count * sizeof(wire_cue));
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    result = result == KN_OK ? entity_take(client, a, flags, number, key, in) : result;
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        kni_client_lost(client, tick);
    }
    return result;
}

// Answers -------------------------------------------------------------------

// The server refused what was believed to be done here: that happened, then, and nothing else.
static kn_result refusal_report(
    kn_client *client, const client_command *command, const refusal *why)
{
    bool is_wanted = (client->def.event_mask >> KN_EVENT_ABILITY_FAILED & 1) != 0;
    if (!is_wanted || why->reasons == 0 || why->ability.index1 == 0 || command->done == 0 ||
        command->done_result != KN_OK ||
        kn_command_read(
            client->def.library, command->bytes, command->size, &client->command, NULL) != KN_OK) {
        return KN_OK;
    }
    kn_event event = {.type = KN_EVENT_ABILITY_FAILED,
        .entity = client->command.command.entity,
        .time = client->base + kni_tick_time(command->answer_tick, client->rate)};
    event.data.ability.type = why->ability;
    event.data.ability.reasons = why->reasons;
    return kni_client_event(client,
        (kn_client_event){.kind = KN_CLIENT_HAPPENED,
            .tick = command->answer_tick,
            .is_late = true,
            .event = event},
        NULL, 0);
}

static kn_result answer_take(
    kn_client *client, uint64_t sequence, uint64_t tick, kn_result result, const refusal *why)
{
    for (uint32_t i = 0; i < client->command_count; i++) {
        client_command *command = &client->commands[i];
        if (command->sequence != sequence || command->is_answered) {
            continue;
        }
        kn_client_event event = {.kind = KN_CLIENT_ANSWER,
            .tick = tick,
            .sequence = command->sequence,
            .result = result,
            .reasons = why->reasons,
            .ability = why->ability,
            .line_count = why->line_count};
        kn_result added = command->is_signal
                              ? KN_OK
                              : kni_client_event(client, event, why->lines,
                                    why->line_count * (uint32_t)sizeof(kn_refusal_line));
        if (added != KN_OK) {
            return added; // it comes again
        }
        command->is_answered = true;
        command->answer_tick = tick;
        command->answer = result;
        client->stats.causes[KN_CORRECTION_REFUSED] +=
            result != KN_OK && command->done != 0 && command->done_result != result;
        client->stats.causes[KN_CORRECTION_LATE] += result == KN_OK && tick != command->tick;
        return result != KN_OK && !command->is_signal ? refusal_report(client, command, why)
                                                      : KN_OK;
    }
    return KN_OK;
}

static kn_result answers_read(kn_client *client, kn_reader *in, uint64_t tick)
{
    uint64_t count = kni_read_number(in);
    kn_result result = KN_OK;
    for (uint64_t i = 0; i < count && !in->failed && result == KN_OK; i++) {
        uint64_t sequence = kni_read_number(in), ago = kni_read_number(in);
        uint64_t answer = kni_read_number(in);
        refusal why = {0};
        if ((answer & 1) != 0) {
            kni_refusal_read(in, client->def.library, &why);
        }
        in->failed = in->failed || answer >> 1 >= KN_RESULT_COUNT;
        if (!in->failed && ago <= tick) {
            result = answer_take(client, sequence, tick - ago, (kn_result)(answer >> 1), &why);
        }
    }
    return result;
}

// All up to this one are answered.
static void answered_update(kn_client *client)
{
    for (uint32_t i = 0; i < client->command_count; i++) {
        if (!client->commands[i].is_answered) {
            return;
        }
        if (client->commands[i].sequence > client->answered) {
            client->answered = client->commands[i].sequence;
        }
    }
}

// How fast ticks have to run, so that commands arrive in time.
static void margin_take(kn_client *client, kn_time margin)
{
    kn_net_link_stats link = kn_net_link_get_stats(client->link);
    kn_time tick = 1000000 / (kn_time)client->rate;
    kn_time wanted = client->def.margin + tick / 2 + 2 * link.deviation;
    wanted += link.loss_ppm > LOSS_PPM ? 2 * tick : 0; // so that a command has three chances
    client->margin = client->has_margin ? client->margin + (margin - client->margin) / 8 : margin;
    client->has_margin = true;
    kn_time error = wanted - client->margin, jump = wanted - margin;
    bool is_late = jump > JUMP_MARGIN && error > JUMP_MARGIN / 2;
    if (is_late || (jump < -JUMP_MARGIN && error < -JUMP_MARGIN / 2)) { // the clock jumped
        client->clock += jump;
        client->margin = wanted;
        error = 0;
    }
    client->speed_ppm = error > 50000 ? 50000 : error < -50000 ? -50000 : (int32_t)error;
}

kn_result kni_client_book(kn_client *client, kn_reader *in)
{
    uint8_t number = kn_read_u8(in);
    pack_book **place = &client->books[number % CLIENT_BOOKS];
    pack_book *book = *place;
    if (book == NULL) {
        book = kn_memory_resize(&client->def.hooks, NULL, 0, sizeof(*book));
    }
    *place = book;
    if (book == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kni_book_read(in, book);
    book->number = in->failed || in->at != in->size ? 0 : number;
    client->stats.bad += book->number == 0;
    return KN_OK;
}

// Finds out what a packed payload says. False if that is not possible.
static bool payload_unpack(kn_client *client, kn_reader *in)
{
    uint8_t number = kn_read_u8(in);
    if (in->failed || number == 0) {
        return !in->failed;
    }
    const pack_book *book = client->books[number % CLIENT_BOOKS];
    uint64_t size = kni_read_number(in);
    if (in->failed || book == NULL || book->number != number || size > client->def.datagram_bytes ||
        !kni_unpack(book, in->data + in->at, in->size - in->at, client->unpacked, (size_t)size)) {
        return false;
    }
    *in = (kn_reader){.data = client->unpacked, .size = (size_t)size};
    return true;
}

kn_result kni_client_payload(kn_client *client, kn_reader *in, bool is_newest)
{
    if (!payload_unpack(client, in)) { // all that was in it is missing now
        client->stats.bad++;
        kni_client_lost(client, client->latest);
        return KN_OK;
    }
    uint64_t tick = kni_read_number(in);
    int64_t margin = kni_read_signed(in);
    uint64_t received = kni_read_number(in);
    in->failed = in->failed || !tick_is_good(client, tick);
    kn_result result = answers_read(client, in, tick);
    answered_update(client);
    while (in->at < in->size && !in->failed && result == KN_OK) {
        result = kni_client_entity(client, in, tick);
    }
    if (in->failed) {
        client->stats.bad++;
        return KN_OK;
    }
    if (received <= client->next_sequence && received > client->received) {
        client->received = (uint32_t)received;
    }
    client->latest = tick > client->latest ? tick : client->latest;
    client->stats.states++;
    if (is_newest && margin > INT32_MIN && margin < INT32_MAX) {
        margin_take(client, (kn_time)margin * MARGIN_UNIT);
    }
    return result;
}
