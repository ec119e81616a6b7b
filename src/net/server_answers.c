// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What became of the commands of players, and why some were refused. An answer is sent again until
// the client says that it knows it.

#include "server.h"

#define ANSWERS_MAX 64   // in one datagram
#define ANSWER_BYTES 17u // at most, each, without reasons

static void answer_free(const kn_server *server, answer *a)
{
    kn_memory_free(&server->def.hooks, a->lines, a->line_bytes);
    a->lines = NULL;
}

void kni_answers_free(kn_server *server, connection *c)
{
    for (uint32_t i = 0; i < c->answer_count; i++) {
        answer_free(server, &c->answers[i]);
    }
    kn_memory_free(&server->def.hooks, c->answers, c->answer_capacity * sizeof(answer));
}

// Without memory for its lines, an answer has its reasons only.
static void answer_explain(const kn_server *server, answer *a, const refusal *why)
{
    uint8_t bytes[REASON_BYTES_MAX];
    kn_writer out = {bytes, sizeof(bytes), 0};
    uint32_t count = kni_refusal_write_lines(&out, why, sizeof(bytes));
    a->reasons = why->reasons;
    a->ability = why->ability;
    a->lines = out.length > 0 ? kn_memory_resize(&server->def.hooks, NULL, 0, out.length) : NULL;
    if (a->lines != NULL) {
        memcpy(a->lines, bytes, out.length);
        a->line_bytes = (uint32_t)out.length;
        a->line_count = count;
    }
}

kn_result kni_answer_add(
    kn_server *server, connection *c, uint32_t sequence, kn_result result, const refusal *why)
{
    if (!kn_memory_grow(&server->def.hooks, &c->answers, &c->answer_capacity, c->answer_count + 1,
            sizeof(answer))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t at = c->answer_count++;
    while (at > 0 && c->answers[at - 1].sequence > sequence) {
        c->answers[at] = c->answers[at - 1];
        at--;
    }
    c->answers[at] = (answer){.sequence = sequence, .tick = server->tick, .result = result};
    if (why != NULL && (why->reasons != 0 || why->line_count > 0)) {
        answer_explain(server, &c->answers[at], why);
    }
    return KN_OK;
}

void kni_answers_drop(kn_server *server, connection *c, uint32_t answered)
{
    uint32_t kept = 0;
    c->answered = answered > c->answered ? answered : c->answered;
    for (uint32_t i = 0; i < c->answer_count; i++) {
        if (c->answers[i].sequence > c->answered) {
            c->answers[kept++] = c->answers[i];
        } else {
            answer_free(server, &c->answers[i]);
        }
    }
    c->answer_count = kept;
}

static bool answer_has_reasons(const answer *a)
{
    return a->reasons != 0 || a->line_count > 0;
}

static size_t answer_size(const answer *a, bool has_lines)
{
    return ANSWER_BYTES + (answer_has_reasons(a) ? REASON_HEAD_MAX : 0u) +
           (has_lines ? a->line_bytes : 0);
}

static void answer_write(const kn_server *server, const answer *a, bool has_lines, kn_writer *out)
{
    kni_write_number(out, a->sequence);
    kni_write_number(out, server->tick - a->tick);
    kni_write_number(out, (uint64_t)a->result << 1 | answer_has_reasons(a));
    if (answer_has_reasons(a)) {
        refusal why = {.reasons = a->reasons, .ability = a->ability};
        kni_refusal_write_head(out, &why, has_lines ? a->line_count : 0);
        kn_write_bytes(out, a->lines, has_lines ? a->line_bytes : 0);
    }
}

// Answers go in order: one that comes early waits for those before it.
static uint32_t answers_ready(const connection *c)
{
    uint32_t count = 0;
    while (count < c->answer_count && count < ANSWERS_MAX &&
           c->answers[count].sequence == c->answered + 1 + count) {
        count++;
    }
    return count;
}

void kni_answers_write(const kn_server *server, const connection *c, kn_writer *out)
{
    size_t room = out->size / 2, used = 0;
    uint32_t count = 0;
    uint32_t ready = answers_ready(c);
    while (count < ready && used + answer_size(&c->answers[count], true) <= room) {
        used += answer_size(&c->answers[count], true);
        count++;
    }
    bool has_lines = count > 0 || ready == 0; // else the first is too large with them
    count = has_lines ? count : 1;
    kni_write_number(out, count);
    for (uint32_t i = 0; i < count; i++) {
        answer_write(server, &c->answers[i], has_lines, out);
    }
}

// Reasons --------------------------------------------------------------------

// What the player may know of a line.
static kn_refusal_line line_shown(const kn_library *library, kn_refusal_line line)
{
    if (line.attribute.index1 != 0 &&
        kn_attribute_get_def(library, line.attribute)->sync == KN_SYNC_NONE) {
        line.attribute.index1 = 0;
        line.have = line.need = 0.0f;
    }
    return line;
}

static void refusal_take(refusal *why, const kn_library *library, const kn_refusal_line *lines,
    uint32_t count, uint32_t reasons)
{
    for (uint32_t i = 0; i < count; i++) {
        if (((uint32_t)lines[i].reason & reasons) != 0) {
            kn_refusal_line line = line_shown(library, lines[i]);
            kni_refusal_add(why, &line);
        }
    }
}

// Whether a command is the direct cause of an event.
static bool is_of_command(const kn_world *world, const kn_event *event)
{
    kn_cause_info info;
    return kn_cause_get(world, event->cause, &info) && info.kind == KN_CAUSE_COMMAND;
}

void kni_server_ability_failed(void *user, kn_world *world, const kn_event *event)
{
    enum { LINES = 16 };
    kn_server *server = user;
    kn_refusal_line lines[LINES];
    refusal *why = &server->why;
    const kn_library *library = kn_world_library(world);
    uint32_t reasons = event->data.ability.reasons, count;
    if (!is_of_command(world, event)) {
        return;
    }
    why->reasons |= reasons;
    why->ability = why->ability.index1 == 0 ? event->data.ability.type : why->ability;
    count = kn_ability_event_lines(world, event, lines, LINES);
    refusal_take(why, library, lines, count < LINES ? count : LINES, reasons);
    // What the ability itself has against it, with tags, numbers and times.
    reasons &= (1u << KN_FAIL_COUNT) - 1;
    count = kn_ability_explain(world, event->data.ability.ability, NULL, lines, LINES);
    refusal_take(
        why, library, lines, count < LINES ? count : LINES, reasons & ~(uint32_t)KN_FAIL_CUSTOM);
}

// The answer to a player at this machine. Without memory there is none.
static void local_answer(kn_server *server, const kn_event *event, const refusal *why)
{
    kn_server_event heard = {.kind = KN_SERVER_ANSWER,
        .connection = event->data.command.connection,
        .sequence = event->data.command.sequence,
        .result = event->data.command.result,
        .reasons = why->reasons,
        .ability = why->ability,
        .line_count = why->line_count};
    (void)kni_server_event(
        server, heard, why->lines, why->line_count * (uint32_t)sizeof(kn_refusal_line));
}

void kni_server_command_done(void *user, kn_world *world, const kn_event *event)
{
    kn_server *server = user;
    kn_refusal_line lines[KN_COMMAND_LINES_MAX];
    refusal *why = &server->why;
    connection *c = kni_connection_find(server, event->data.command.connection);
    uint32_t count = kn_command_event_lines(world, event, lines, KN_COMMAND_LINES_MAX);
    why->reasons |= event->data.command.reasons;
    refusal_take(why, kn_world_library(world), lines, count, UINT32_MAX);
    if (event->data.command.part != 0) {
        return; // its batch answers for it
    }
    if (c != NULL && c->state == CONNECTION_JOINED && c->is_local) {
        local_answer(server, event, why);
    } else if (c != NULL && c->state == CONNECTION_JOINED) {
        (void)kni_answer_add(
            server, c, event->data.command.sequence, event->data.command.result, why);
    }
    *why = (refusal){0};
}
