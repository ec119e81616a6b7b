// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a client was corrected, in names and numbers. What was predicted is kept in a world of its
// own, the shade, and compared with what takes its place, record by record and field by field.

#include "client.h"

#include <stdio.h>

#define COMMANDS_MAX 32 // commands of one correction that went otherwise
#define RECORD_MAX 1024 // bytes of a record as text

// A command that went otherwise than here.
typedef struct odd_command {
    uint32_t sequence;
    kn_correction_cause cause;
    kn_result result;
    uint64_t wanted_tick, done_tick;
} odd_command;

typedef struct client_explain {
    kn_correction lines[KN_CORRECTIONS_MAX]; // the oldest at `first`
    uint32_t first, count;
    kn_correction fresh[KN_CORRECTIONS_MAX]; // of the correction that is being made
    uint32_t fresh_count;
    odd_command commands[COMMANDS_MAX];
    uint32_t command_count;
    kept_state predicted; // the world before it went back
    uint64_t tick;        // and its tick; 0: it was not kept
    kept_state scratch;
    kn_world *shade;
    bool has_shade; // it is what the world was before entities are replaced
} client_explain;

bool kni_explain_create(kn_client *client)
{
    if (!client->def.explain) {
        return true;
    }
    client->explain = kn_memory_resize(&client->def.hooks, NULL, 0, sizeof(client_explain));
    if (client->explain != NULL) {
        memset(client->explain, 0, sizeof(client_explain));
    }
    return client->explain != NULL;
}

void kni_explain_free(kn_client *client)
{
    client_explain *e = client->explain;
    if (e != NULL) {
        kn_memory_free(&client->def.hooks, e->predicted.data, e->predicted.capacity);
        kn_memory_free(&client->def.hooks, e->scratch.data, e->scratch.capacity);
        kn_world_destroy(e->shade);
        kn_memory_free(&client->def.hooks, e, sizeof(*e));
        client->explain = NULL;
    }
}

// The shade -----------------------------------------------------------------

static bool shade_keep(const kn_client *client, kept_state *kept)
{
    size_t size = kn_snapshot_size(client->world);
    if (size > kept->capacity) {
        size_t capacity = size + size / 2;
        uint8_t *data = kn_memory_resize(&client->def.hooks, kept->data, kept->capacity, capacity);
        if (data == NULL) {
            return false;
        }
        kept->data = data;
        kept->capacity = capacity;
    }
    return kn_snapshot_take(client->world, kept->data, kept->capacity, &kept->size) == KN_OK;
}

static bool shade_restore(const kn_client *client, const kept_state *kept)
{
    client_explain *e = client->explain;
    if (e->shade == NULL) {
        kn_world_def def = kn_world_def_default();
        def.hooks = client->def.hooks;
        def.library = client->def.library;
        def.is_client = true;
        def.connection = client->connection;
        if (kn_world_create(&def, &e->shade) != KN_OK) {
            return false;
        }
    }
    return kn_snapshot_restore(e->shade, kept->data, kept->size) == KN_OK;
}

// Records -------------------------------------------------------------------

// A record as text, in pieces: "effect Burn", and for each field its name with its value.
typedef struct record_text {
    char text[RECORD_MAX];
    const char *field; // where the fields that were not looked at begin
} record_text;

static void record_print(const kn_world *world, kn_state_ref ref, record_text *out)
{
    (void)kn_state_print(world, ref, out->text, sizeof(out->text));
    char *colon = strstr(out->text, ": ");
    out->field = colon != NULL ? colon + 2 : "";
    if (colon != NULL) {
        *colon = 0;
    }
}

// The value of the next field, whose name is known.
static void record_value(record_text *record, const kn_def_field *field, char *value, size_t size)
{
    const char *end = strstr(record->field, "; ");
    size_t length = end != NULL ? (size_t)(end - record->field) : strlen(record->field);
    size_t skip = strlen(field->name) + 1;
    skip = skip < length ? skip : length;
    (void)snprintf(value, size, "%.*s", (int)(length - skip), record->field + skip);
    record->field += end != NULL ? length + 2 : length;
}

// A field as a number; 0 for what is not one.
static double field_number(const kn_state_view *view, const kn_def_field *field)
{
    const uint8_t *at = (const uint8_t *)view->record + field->offset;
    kn_reader in = {.data = at, .size = sizeof(uint64_t)};
    float real;
    int64_t time;
    uint32_t word;
    uint16_t half;
    switch (field->kind) {
    case KN_FIELD_F32:
    case KN_STATE_FIELD_ABSENT:
        memcpy(&real, at, sizeof(real));
        return (double)real;
    case KN_FIELD_U8:
    case KN_FIELD_BOOL:
        return (double)kn_read_u8(&in);
    case KN_FIELD_U16:
        memcpy(&half, at, sizeof(half));
        return (double)half;
    case KN_FIELD_U32:
    case KN_FIELD_ENUM:
        memcpy(&word, at, sizeof(word));
        return (double)word;
    case KN_FIELD_I32:
        memcpy(&word, at, sizeof(word));
        return (double)(int32_t)word;
    case KN_FIELD_U64:
    case KN_FIELD_I64:
    case KN_FIELD_TIME:
        memcpy(&time, at, sizeof(time));
        return field->kind == KN_FIELD_TIME ? (double)time / 1e6 : (double)time;
    default:
        return 0;
    }
}

// Numbers that each machine gives by itself.
static bool field_is_local(const kn_def_field *field)
{
    switch (field->kind) {
    case KN_STATE_FIELD_SLOT:
    case KN_STATE_FIELD_SLOT1:
    case KN_FIELD_EFFECT:
    case KN_FIELD_ABILITY:
    case KN_FIELD_ACTIVATION:
    case KN_FIELD_TASK:
    case KN_FIELD_TIMER:
    case KN_FIELD_SPEC:
        return true;
    default:
        return strcmp(field->name, "number") == 0;
    }
}

// Whether a field says the same of two entities, one of which took the other's place.
static bool field_is_same(
    const kn_correction *line, const kn_def_field *field, const kn_state_view *view)
{
    if (field_is_local(field) || strcmp(line->predicted_text, line->actual_text) == 0) {
        return true;
    }
    if (line->old_entity.index1 == 0) {
        return false;
    }
    char was[32], is[32];
    (void)snprintf(was, sizeof(was), "entity %u", line->old_entity.index1);
    (void)snprintf(is, sizeof(is), "entity %u", line->entity.index1);
    bool is_itself = view->table == kn_state_table(KN_STATE_ENTITY);
    return is_itself ||
           (strcmp(line->predicted_text, was) == 0 && strcmp(line->actual_text, is) == 0);
}

// The record of a kind and type that stands at a place among those of an entity.
static bool record_find(const kn_world *world, kn_entity_id entity, const kn_state_view *like,
    kn_state_kind kind, uint32_t place, kn_state_ref *ref)
{
    *ref = (kn_state_ref){0};
    while (kn_state_next(world, entity, ref)) {
        kn_state_view view;
        if (ref->kind == kind && kn_state_get(world, *ref, &view) && view.type == like->type &&
            place-- == 0) {
            return true;
        }
    }
    return false;
}

// How many records of its kind and type stand before it.
static uint32_t record_place(
    const kn_world *world, kn_entity_id entity, kn_state_ref ref, const kn_state_view *like)
{
    uint32_t place = 0;
    kn_state_ref at = {0};
    while (kn_state_next(world, entity, &at) &&
           (at.kind != ref.kind || at.of != ref.of || at.slot != ref.slot)) {
        kn_state_view view;
        place += at.kind == ref.kind && kn_state_get(world, at, &view) && view.type == like->type;
    }
    return place;
}

// Lines ---------------------------------------------------------------------

// NULL if there is no room.
static kn_correction *line_add(client_explain *e, const kn_correction *head)
{
    if (e->fresh_count == KN_CORRECTIONS_MAX) {
        return NULL;
    }
    e->fresh[e->fresh_count] = *head;
    return &e->fresh[e->fresh_count++];
}

static void line_existence(kn_correction *line, bool was_there, bool is_there)
{
    (void)snprintf(
        line->predicted_text, sizeof(line->predicted_text), "%s", was_there ? "there" : "none");
    (void)snprintf(line->actual_text, sizeof(line->actual_text), "%s", is_there ? "there" : "none");
    line->predicted = was_there;
    line->actual = is_there;
}

// A record that only one side has.
static void record_alone(
    client_explain *e, const kn_correction *head, const kn_world *world, kn_state_ref ref)
{
    kn_correction *line = line_add(e, head);
    if (line != NULL) {
        record_text text;
        record_print(world, ref, &text);
        line->kind = ref.kind;
        (void)snprintf(
            line->name, sizeof(line->name), "%.*s", KN_CORRECTION_NAME_MAX - 1, text.text);
        line_existence(line, world == e->shade, world != e->shade);
    }
}

// The name of a field, with that of its record.
static void field_name(
    kn_correction *line, kn_state_kind kind, const char *record, const char *field)
{
    bool is_attribute = kind == KN_STATE_ATTRIBUTE, is_tag = kind == KN_STATE_TAG;
    bool is_plain =
        (is_attribute && strcmp(field, "current") == 0) || (is_tag && strcmp(field, "count") == 0);
    size_t prefix = strlen(kn_state_kind_name(kind)) + 1;
    record += (is_attribute || is_tag) && strlen(record) > prefix ? prefix : 0;
    (void)snprintf(line->name, sizeof(line->name), "%.60s%s%.32s", record, is_plain ? "" : " ",
        is_plain ? "" : field);
}

// One record that both sides have: from the shade to the world.
static void record_compare(client_explain *e, const kn_correction *head, const kn_world *world,
    kn_state_ref old, kn_state_ref now)
{
    record_text before, after;
    kn_state_view old_view, view;
    if (!kn_state_get(e->shade, old, &old_view) || !kn_state_get(world, now, &view)) {
        return;
    }
    record_print(e->shade, old, &before);
    record_print(world, now, &after);
    kn_correction *base = NULL; // of an attribute: its value says more
    for (uint32_t i = 0; i < view.table->field_count; i++) {
        const kn_def_field *field = &view.table->fields[i];
        kn_correction found = *head;
        record_value(&before, field, found.predicted_text, sizeof(found.predicted_text));
        record_value(&after, field, found.actual_text, sizeof(found.actual_text));
        if (field_is_same(&found, field, &view)) {
            continue;
        }
        found.kind = now.kind;
        field_name(&found, now.kind, after.text, field->name);
        found.predicted = field_number(&old_view, field);
        found.actual = field_number(&view, field);
        if (base != NULL && strcmp(field->name, "current") == 0) {
            *base = found;
            continue;
        }
        kn_correction *line = line_add(e, &found);
        base = now.kind == KN_STATE_ATTRIBUTE && strcmp(field->name, "base") == 0 ? line : base;
    }
}

// Parts ---------------------------------------------------------------------

static const char *const part_names[KN_PART_COUNT] = {"links", "attributes", "tags", "effects",
    "abilities", "cues", "timers", "watches", "components"};

static bool part_is_same(const kn_client *client, kn_entity_id entity, uint32_t part)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.parts = 1u << KN_PART_ENTITY | 1u << part;
    size_t size = 0;
    if (kn_projection_take(client->world, &entity, 1, &filter, NULL, 0, &size) != KN_OK) {
        return true;
    }
    uint8_t *bytes = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    bool is_same =
        bytes == NULL ||
        kn_projection_take(client->world, &entity, 1, &filter, bytes, size, &size) != KN_OK ||
        kn_projection_matches(client->explain->shade, bytes, size);
    kn_memory_free(&client->def.hooks, bytes, size);
    return is_same;
}

// For differences that no field shows, such as in lists: the first part that has one.
static void parts_compare(const kn_client *client, const kn_correction *head)
{
    for (uint32_t part = 0; part < KN_PART_COUNT; part++) {
        if (!part_is_same(client, head->entity, part)) {
            kn_correction *line = line_add(client->explain, head);
            if (line != NULL) {
                (void)snprintf(line->name, sizeof(line->name), "%s",
                    head->entity.index1 == 0 ? "state" : part_names[part]);
            }
            return;
        }
    }
}

// All records of an entity, which was another one in the shade if `was` says so. `is_whole`: also
// what no record shows.
static void entity_compare(
    const kn_client *client, const kn_correction *head, kn_entity_id was, bool is_whole)
{
    client_explain *e = client->explain;
    const kn_world *world = client->world;
    uint32_t before = e->fresh_count;
    kn_state_ref old = {0}, now = {0};
    kn_state_view view;
    while (kn_state_next(e->shade, was, &old)) {
        if (kn_state_get(e->shade, old, &view)) {
            uint32_t place = record_place(e->shade, was, old, &view);
            if (record_find(world, head->entity, &view, old.kind, place, &now)) {
                record_compare(e, head, world, old, now);
            } else {
                record_alone(e, head, e->shade, old);
            }
        }
    }
    now = (kn_state_ref){0};
    while (kn_state_next(world, head->entity, &now)) {
        if (kn_state_get(world, now, &view)) {
            uint32_t place = record_place(world, head->entity, now, &view);
            if (!record_find(e->shade, was, &view, now.kind, place, &old)) {
                record_alone(e, head, world, now);
            }
        }
    }
    if (is_whole && e->fresh_count == before) {
        parts_compare(client, head);
    }
}

// Entities that were replaced --------------------------------------------------

void kni_explain_keep(kn_client *client, const shown *list, uint32_t count)
{
    client_explain *e = client->explain;
    bool is_needed = false; // nothing is said about what new entities have
    for (uint32_t i = 0; i < count && e != NULL; i++) {
        is_needed = is_needed || list[i].is_alive || list[i].entity.index1 == 0;
    }
    if (e != NULL) {
        e->has_shade =
            is_needed && shade_keep(client, &e->scratch) && shade_restore(client, &e->scratch);
    }
}

// The own command by which something happened to an entity; 0: there is none.
static uint32_t command_behind(
    const kn_client *client, const report_list *list, kn_entity_id entity, uint32_t sequence)
{
    for (uint32_t i = list->count; i-- > 0;) {
        const report *r = &list->data[i];
        if (kn_entity_id_equal(r->event.entity, entity) &&
            r->use.connection == client->connection && r->use.sequence != 0 &&
            (sequence == 0 || r->use.sequence == sequence)) {
            return r->use.sequence;
        }
    }
    return 0;
}

// An own command was carried out on the server, and did something else to an entity.
static void command_cause(const kn_client *client, uint32_t sequence, kn_correction *head)
{
    head->cause = KN_CORRECTION_OUTCOME;
    head->sequence = sequence;
    for (uint32_t i = 0; i < client->command_count; i++) {
        const client_command *command = &client->commands[i];
        if (command->sequence == sequence && command->answer_tick != command->tick) {
            head->cause = KN_CORRECTION_LATE;
            head->wanted_tick = command->tick;
            head->done_tick = command->answer_tick;
        }
    }
}

static void replaced_cause(const kn_client *client, const replaced *r, kn_correction *head)
{
    if (r->was.index1 != 0) {
        head->cause = KN_CORRECTION_MATCHED;
    } else if (r->was_alive && !r->is_alive) {
        head->cause = kn_entity_is_own(client->world, r->entity) ? KN_CORRECTION_UNMATCHED
                                                                 : KN_CORRECTION_GONE;
    } else if (!r->was_alive && r->is_alive) {
        head->cause = KN_CORRECTION_NEW;
    } else {
        uint32_t sequence = command_behind(client, &client->fresh, r->entity, 0);
        head->cause = KN_CORRECTION_OTHERS;
        if (sequence != 0) {
            command_cause(client, sequence, head);
        }
    }
}

void kni_explain_entity(kn_client *client, const replaced *r, uint64_t tick)
{
    client_explain *e = client->explain;
    kn_correction head = {.tick = tick, .entity = r->entity, .old_entity = r->was};
    replaced_cause(client, r, &head);
    client->stats.causes[head.cause] += head.cause != KN_CORRECTION_LATE; // commands are counted
    if (e == NULL) {
        return;
    }
    if (r->was.index1 == 0 && r->was_alive == r->is_alive) {
        if (e->has_shade) {
            entity_compare(client, &head, r->entity, true);
        }
        return;
    }
    kn_correction *line = line_add(e, &head);
    if (line != NULL) {
        line->kind = KN_STATE_ENTITY;
        line_existence(line, r->was_alive, r->is_alive);
    }
    if (head.cause == KN_CORRECTION_MATCHED && e->has_shade) {
        entity_compare(client, &head, r->was, false);
    }
}

// Commands that went otherwise -------------------------------------------------

static void commands_note(const kn_client *client)
{
    client_explain *e = client->explain;
    for (uint32_t i = 0; i < client->command_count && e->command_count < COMMANDS_MAX; i++) {
        const client_command *command = &client->commands[i];
        if (kni_command_agrees(command, client->latest)) {
            continue;
        }
        bool is_refused = command->is_answered && command->answer != KN_OK;
        e->commands[e->command_count++] = (odd_command){
            .sequence = command->sequence,
            .cause = is_refused ? KN_CORRECTION_REFUSED : KN_CORRECTION_LATE,
            .result = is_refused ? command->answer : KN_OK,
            .wanted_tick = is_refused ? 0 : command->tick,
            .done_tick = is_refused || !command->is_answered ? 0 : command->answer_tick,
        };
    }
}

void kni_explain_begin(kn_client *client)
{
    client_explain *e = client->explain;
    if (e == NULL) {
        return;
    }
    e->fresh_count = e->command_count = 0;
    e->tick = 0;
    if (!client->is_torn) {
        commands_note(client);
    }
    if (e->command_count > 0 && shade_keep(client, &e->predicted)) {
        e->tick = client->tick;
    }
}

// Whether there is a line for an entity among the first ones.
static bool has_line(const client_explain *e, uint32_t count, kn_entity_id entity)
{
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_equal(e->fresh[i].entity, entity) ||
            kn_entity_id_equal(e->fresh[i].old_entity, entity)) {
            return true;
        }
    }
    return false;
}

// The command that is to blame for an entity, as far as reports say; otherwise the first.
static const odd_command *command_blamed(const kn_client *client, kn_entity_id entity)
{
    const client_explain *e = client->explain;
    for (uint32_t i = 0; i < e->command_count; i++) {
        if (command_behind(client, &client->reports, entity, e->commands[i].sequence) != 0) {
            return &e->commands[i];
        }
    }
    return &e->commands[0];
}

static void command_entity(const kn_client *client, kn_entity_id entity)
{
    client_explain *e = client->explain;
    const odd_command *command = command_blamed(client, entity);
    bool was_alive = kn_entity_is_alive(e->shade, entity);
    bool is_alive = kn_entity_is_alive(client->world, entity);
    kn_correction head = {.tick = client->tick,
        .entity = entity,
        .cause = command->cause,
        .sequence = command->sequence,
        .result = command->result,
        .wanted_tick = command->wanted_tick,
        .done_tick = command->done_tick};
    if (was_alive && is_alive) {
        entity_compare(client, &head, entity, true);
        return;
    }
    kn_correction *line = line_add(e, &head);
    if (line != NULL) {
        line->kind = KN_STATE_ENTITY;
        line_existence(line, was_alive, is_alive);
    }
}

void kni_explain_commands(kn_client *client)
{
    client_explain *e = client->explain;
    if (e == NULL || e->command_count == 0 || e->tick == 0 || e->tick != client->tick ||
        !shade_restore(client, &e->predicted)) {
        return;
    }
    uint32_t known = e->fresh_count;
    kn_entity_id entity = {0};
    while ((entity = kn_entity_next(client->world, entity)).index1 != 0) {
        if (!has_line(e, known, entity)) {
            command_entity(client, entity);
        }
    }
    while ((entity = kn_entity_next(e->shade, entity)).index1 != 0) {
        if (!has_line(e, known, entity) && !kn_entity_is_alive(client->world, entity)) {
            command_entity(client, entity);
        }
    }
}

void kni_explain_end(kn_client *client, bool is_done)
{
    client_explain *e = client->explain;
    if (e == NULL) {
        return;
    }
    for (uint32_t i = 0; i < e->fresh_count && is_done; i++) {
        uint32_t at = (e->first + e->count) % KN_CORRECTIONS_MAX;
        e->lines[at] = e->fresh[i];
        e->lines[at].number = client->stats.corrections;
        if (e->count < KN_CORRECTIONS_MAX) {
            e->count++;
        } else {
            e->first = (e->first + 1) % KN_CORRECTIONS_MAX;
        }
    }
    e->fresh_count = e->command_count = 0;
}

// Looking at it --------------------------------------------------------------

uint32_t kn_client_explain_correction(
    const kn_client *client, kn_correction *out, uint32_t capacity)
{
    const client_explain *e = client != NULL ? client->explain : NULL;
    uint32_t count = e != NULL ? e->count : 0;
    for (uint32_t i = 0; i < count && i < capacity && out != NULL; i++) {
        out[i] = e->lines[(e->first + count - 1 - i) % KN_CORRECTIONS_MAX];
    }
    return count;
}

const char *kn_correction_cause_name(kn_correction_cause cause)
{
    static const char *const names[KN_CORRECTION_COUNT] = {
        "others", "outcome", "refused", "late", "new", "gone", "matched", "unmatched"};
    return (uint32_t)cause < KN_CORRECTION_COUNT ? names[cause] : "unknown";
}

// A result as words, such as "bad number" for KN_REFUSED_BAD_NUMBER.
static void text_result(kn_text *out, kn_result result)
{
    const char *name = kn_result_name(result);
    const char *const fronts[] = {"KN_REFUSED_", "KN_ERROR_"};
    for (uint32_t i = 0; i < 2; i++) {
        size_t length = strlen(fronts[i]);
        name += strncmp(name, fronts[i], length) == 0 ? length : 0;
    }
    for (; *name != 0; name++) {
        kn_text_add(out, "%c",
            *name == '_'                   ? ' '
            : *name >= 'A' && *name <= 'Z' ? *name + 32
                                           : *name);
    }
}

static void text_cause(kn_text *out, const kn_correction *line)
{
    switch (line->cause) {
    case KN_CORRECTION_OTHERS:
        kn_text_add(out, " (another player, the host of the server, or chance)");
        break;
    case KN_CORRECTION_OUTCOME:
        kn_text_add(out, " (own command %u had another outcome)", line->sequence);
        break;
    case KN_CORRECTION_REFUSED:
        kn_text_add(out, " (own command %u was refused: ", line->sequence);
        text_result(out, line->result);
        kn_text_add(out, ")");
        break;
    case KN_CORRECTION_LATE:
        kn_text_add(out, " (own command %u for tick %llu ", line->sequence,
            (unsigned long long)line->wanted_tick);
        if (line->done_tick != 0) {
            kn_text_add(out, "was carried out in tick %llu)", (unsigned long long)line->done_tick);
        } else {
            kn_text_add(out, "has not arrived)");
        }
        break;
    case KN_CORRECTION_MATCHED:
        kn_text_add(out, " (it was created here as entity %u)", line->old_entity.index1);
        break;
    case KN_CORRECTION_UNMATCHED:
        kn_text_add(out, " (it was created here only)");
        break;
    default:
        break;
    }
}

uint32_t kn_correction_print(const kn_correction *line, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    if (line == NULL) {
        KN_ASSERT(line != NULL);
        kn_text_add(&out, "%s", "");
        return 0;
    }
    kn_text_add(&out, "tick %llu: ", (unsigned long long)line->tick);
    if (line->entity.index1 != 0) {
        kn_text_add(&out, "entity %u", line->entity.index1);
    } else {
        kn_text_add(&out, "the world");
    }
    if (line->name[0] == 0) {
        bool is_same = line->predicted_text[0] == line->actual_text[0];
        kn_text_add(&out, "%s", is_same ? " is there" : line->actual > 0 ? " is new" : " is gone");
    } else if (line->predicted_text[0] == 0 && line->actual_text[0] == 0) {
        kn_text_add(&out, ": %s differ%s", line->name, line->entity.index1 != 0 ? "" : "s");
    } else {
        kn_text_add(&out, ": %s %s -> %s", line->name, line->predicted_text, line->actual_text);
    }
    text_cause(&out, line);
    return out.length;
}
