// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Checksums of entities. What both sides compute alike is not sent; so a client that computes
// something else, since it does not see all that the server does, would never hear of it. Now and
// then it gets a hash of what it should have.

#include "server.h"

#define CHECK_BYTES_MAX 32 // of one
#define CHECKS_AT_ONCE 4   // in a datagram
#define LOOKS_MAX 256      // entities that are looked at for one check
#define WANTED_SECONDS 2   // how long something is wanted that is not settled

// What is wanted ------------------------------------------------------------

static void wanted_remove(connection *c, uint32_t at)
{
    c->wanted_count--;
    memmove(c->wanted + at, c->wanted + at + 1, (c->wanted_count - at) * sizeof(c->wanted[0]));
}

// The latest is the last; if there are too many, the oldest goes.
static void wanted_add(const kn_server *server, connection *c, kn_entity_id entity)
{
    uint32_t index = entity.index1;
    if (index == 0 || index >= c->view_capacity || !c->views[index].is_visible) {
        return;
    }
    for (uint32_t i = 0; i < c->wanted_count; i++) {
        if (c->wanted[i].index == index) {
            wanted_remove(c, i);
            break;
        }
    }
    if (c->wanted_count == CHECKS_WANTED) {
        wanted_remove(c, 0);
    }
    c->wanted[c->wanted_count++] = (wanted_check){index, server->tick};
}

static void wanted_add_payload(const kn_server *server, connection *c, const kn_command *command)
{
    const kn_command_def *def =
        kn_command_get_def(kn_world_library(server->def.world), command->type);
    const uint8_t *payload = command->payload;
    if (def == NULL || payload == NULL || command->size < def->size) {
        return;
    }
    for (uint32_t i = 0; i < def->field_count; i++) {
        const kn_field *field = &def->fields[i];
        uint32_t count = field->count > 0 ? field->count : 1;
        for (uint32_t j = 0; j < count && field->kind == KN_FIELD_ENTITY; j++) {
            kn_entity_id entity;
            memcpy(&entity, payload + field->offset + j * sizeof(entity), sizeof(entity));
            wanted_add(server, c, entity);
        }
    }
}

static void wanted_add_command(const kn_server *server, connection *c, const kn_command *command)
{
    kn_entity_id targets[CHECKS_WANTED];
    uint32_t count = kn_target_entities(command->targets, targets, CHECKS_WANTED);
    for (uint32_t i = 0; i < count && i < CHECKS_WANTED; i++) {
        wanted_add(server, c, targets[i]);
    }
    wanted_add_payload(server, c, command);
    wanted_add(server, c, command->entity);
}

void kni_checks_want(kn_server *server, connection *c, const kn_command *command)
{
    if (server->def.checks_per_second == 0) {
        return;
    }
    wanted_add_command(server, c, command);
    for (uint32_t i = 0; i < command->part_count; i++) {
        wanted_add_command(server, c, &command->parts[i]);
    }
}

// Sending -------------------------------------------------------------------

typedef struct check {
    uint32_t index;
    uint64_t base;
    const blob *b;
} check;

// What was named by a command and is settled. It needs no check if it was sent since.
static bool check_wanted(kn_server *server, connection *c, uint32_t number, check *found)
{
    for (uint32_t i = 0; i < c->wanted_count;) {
        wanted_check wanted = c->wanted[i];
        found->index = wanted.index;
        found->b = kni_view_settled(server, c, number, wanted.index, &found->base);
        bool is_sent = found->b != NULL && found->base >= wanted.tick;
        bool is_old = server->tick > wanted.tick + (uint64_t)WANTED_SECONDS * server->def.rate;
        if (found->b == NULL && !is_old) {
            i++;
            continue;
        }
        wanted_remove(c, i);
        if (found->b != NULL && !is_sent) {
            return true;
        }
    }
    return false;
}

// The next one that is settled, in turn; 0 is the world itself.
static bool check_next(kn_server *server, connection *c, uint32_t number, check *found)
{
    uint32_t count = c->view_capacity < LOOKS_MAX ? c->view_capacity : LOOKS_MAX;
    for (uint32_t i = 0; i < count; i++) {
        c->check_at = c->check_at + 1 < c->view_capacity ? c->check_at + 1 : 0;
        found->index = c->check_at;
        found->b = kni_view_settled(server, c, number, found->index, &found->base);
        if (found->b != NULL && found->base < server->tick) {
            return true;
        }
    }
    return false;
}

static void check_write(const kn_server *server, const check *found, kn_writer *out)
{
    kni_write_number(out, found->index);
    kn_write_u8(out, WIRE_IS_CHECK);
    kni_write_number(out, server->tick - found->base);
    kn_write_u32(out, kni_checksum(found->b->bytes, found->b->size));
}

// Checks are allowed as time goes by, and may be saved up for half a second.
static void budget_fill(const kn_server *server, connection *c)
{
    uint64_t each = server->def.checks_per_second, most = each * server->def.rate / 2;
    most = most > server->def.rate ? most : server->def.rate;
    uint64_t ticks = server->tick - c->check_tick;
    ticks = ticks < server->def.rate ? ticks : server->def.rate;
    c->check_budget += ticks * each;
    c->check_budget = c->check_budget < most ? c->check_budget : most;
    c->check_tick = server->tick;
}

void kni_server_checks(kn_server *server, connection *c, uint32_t number, kn_writer *out)
{
    budget_fill(server, c);
    for (uint32_t i = 0; i < CHECKS_AT_ONCE && c->check_budget >= server->def.rate &&
                         out->length + CHECK_BYTES_MAX <= out->size;
         i++) {
        check found = {0};
        bool is_wanted = c->check_turn++ % 2 == 0 && check_wanted(server, c, number, &found);
        if (!is_wanted && !check_next(server, c, number, &found)) {
            break;
        }
        check_write(server, &found, out);
        c->check_budget -= server->def.rate;
        c->stats.checks++;
    }
}
