// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Kinds of commands: registration, those that every library has, the check of a command, and its
// form as bytes. A command as bytes is the same on every machine: kind, a byte that says what
// follows, then what is not zero.

#include "library/types.h"

#include "library/command_kinds.h"

#include <math.h>

// Kinds ---------------------------------------------------------------------

kn_command_def kn_command_def_default(void)
{
    kn_command_def def = {.owner_only = true, .cookie = KN_COOKIE};
    return def;
}

static kni_command_type *type_at(const kn_library *library, kn_command_type_id type)
{
    return library == NULL || type.index1 == 0 ||
                   type.index1 > library->registries[KN_DEF_COMMAND].count
               ? NULL
               : KNI_ITEM(library, KN_DEF_COMMAND, kni_command_type, type.index1 - 1);
}

static kn_result command_register(
    kn_library *library, const kn_command_def *def, kn_command_type_id *type, kn_error *error)
{
    if (def->size > KN_COMMAND_SIZE_MAX || (def->size > 0 && def->fields == NULL)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "command `%s`: its size must be at most %d, with a field table", def->name,
            KN_COMMAND_SIZE_MAX);
    }
    kn_result result = kni_public_fields_check(
        library, "command", def->name, def->fields, def->field_count, def->size, error);
    if (result == KN_OK) {
        result = kni_register_def(library, KN_DEF_COMMAND, &kni_command_def_table,
            offsetof(kni_command_type, def), def, def->name, def->cookie, "command", &type->index1,
            error);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_command_type *item = type_at(library, *type);
    item->check = item->def.check;
    item->check_user = item->def.user;
    result = kni_state_make(library, KN_DEF_COMMAND, &item->payload, item->def.size,
        item->def.fields, item->def.field_count, error);
    if (result != KN_OK) {
        type->index1 = 0;
    }
    return result;
}

kn_result kn_command_register(
    kn_library *library, const kn_command_def *def, kn_command_type_id *type, kn_error *error)
{
    type->index1 = 0;
    if (def == NULL) {
        KN_ASSERT(def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_COMMAND, def->name, def->cookie, "command", error);
    if (result == KN_OK && def->function == NULL) {
        result = kni_error(
            error, KN_ERROR_BAD_DATA, "command `%s` has no function to carry it out", def->name);
    }
    return result == KN_OK ? command_register(library, def, type, error) : result;
}

kn_result kn_command_set_check(
    kn_library *library, kn_command_type_id type, kn_command_check_fn *check, void *user)
{
    kni_command_type *item = type_at(library, type);
    if (item == NULL) {
        KN_ASSERT(item != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (library->finished) {
        return KN_ERROR_WORLD_LOCKED;
    }
    item->check = check;
    item->check_user = user;
    return KN_OK;
}

#define FIELD(type, member, kind_)                                                                 \
    {                                                                                              \
        .name = #member, .kind = (kind_), .offset = (uint32_t)offsetof(type, member)               \
    }
#define EVENT_FIELD(type, member, name_, kind_, count_)                                            \
    {                                                                                              \
        .name = (name_), .kind = (kind_), .offset = (uint32_t)offsetof(type, event.member),        \
        .count = (count_)                                                                          \
    }
#define EVENT_FIELDS(type)                                                                         \
    EVENT_FIELD(type, object, "event_object", KN_FIELD_U64, 1),                                    \
        EVENT_FIELD(type, object2, "event_object2", KN_FIELD_U64, 1),                              \
        EVENT_FIELD(type, instigator, "event_instigator", KN_FIELD_ENTITY, 1),                     \
        EVENT_FIELD(type, target, "event_target", KN_FIELD_ENTITY, 1),                             \
        EVENT_FIELD(type, magnitude, "event_magnitude", KN_FIELD_F32, 1),                          \
        EVENT_FIELD(type, tag, "event_tag", KN_FIELD_TAG, 1),                                      \
        EVENT_FIELD(type, tags, "event_tags", KN_FIELD_TAG, KN_COMMAND_TAGS_MAX),                  \
        EVENT_FIELD(type, by_event, "by_event", KN_FIELD_U32, 1),                                  \
        EVENT_FIELD(type, unused, "event_unused", KN_FIELD_U32, 1)
#define COUNT(array) (uint32_t)(sizeof(array) / sizeof(*(array)))

kn_result kni_commands_init(kn_library *library)
{
    static const kn_field activate[] = {FIELD(kn_command_activate, ability, KN_FIELD_ABILITY),
        {.name = "type",
            .kind = KN_FIELD_REF,
            .offset = (uint32_t)offsetof(kn_command_activate, type),
            .refers_to = "ability"},
        FIELD(kn_command_activate, tag, KN_FIELD_TAG),
        FIELD(kn_command_activate, input, KN_FIELD_U32),
        FIELD(kn_command_activate, all, KN_FIELD_U32), EVENT_FIELDS(kn_command_activate)};
    static const kn_field press[] = {FIELD(kn_command_press, input, KN_FIELD_U32),
        FIELD(kn_command_press, unused, KN_FIELD_U32), EVENT_FIELDS(kn_command_press)};
    static const kn_field release[] = {FIELD(kn_command_release, input, KN_FIELD_U32)};
    static const kn_field task[] = {FIELD(kn_command_task, task, KN_FIELD_TASK),
        FIELD(kn_command_task, ability, KN_FIELD_ABILITY)};
    static const kn_field end[] = {FIELD(kn_command_end, activation, KN_FIELD_ACTIVATION),
        FIELD(kn_command_end, ability, KN_FIELD_ABILITY)};
    static const kn_field sync[] = {FIELD(kn_command_sync, ability, KN_FIELD_ABILITY),
        FIELD(kn_command_sync, use, KN_FIELD_U32), FIELD(kn_command_sync, point, KN_FIELD_U32)};
    static const kn_field tolerance[] = {FIELD(kn_command_tolerance, early, KN_FIELD_TIME),
        FIELD(kn_command_tolerance, limit, KN_FIELD_TIME)};
    static const struct {
        const char *name;
        const kn_field *fields;
        uint32_t count, size;
        bool has_targets;
    } kinds[KNI_COMMAND_END_OF_KINDS] = {
        [KNI_COMMAND_ACTIVATE] = {"activate", activate, COUNT(activate),
            sizeof(kn_command_activate), true},
        [KNI_COMMAND_PRESS] = {"press", press, COUNT(press), sizeof(kn_command_press), true},
        [KNI_COMMAND_RELEASE] = {"release", release, COUNT(release), sizeof(kn_command_release),
            false},
        [KNI_COMMAND_CONFIRM] = {"confirm", task, COUNT(task), sizeof(kn_command_task), false},
        [KNI_COMMAND_CANCEL] = {"cancel", task, COUNT(task), sizeof(kn_command_task), false},
        [KNI_COMMAND_TARGETS] = {"targets", task, COUNT(task), sizeof(kn_command_task), true},
        [KNI_COMMAND_END] = {"end", end, COUNT(end), sizeof(kn_command_end), false},
        [KNI_COMMAND_CANCEL_ABILITY] = {"cancel_ability", end, COUNT(end), sizeof(kn_command_end),
            false},
        [KNI_COMMAND_BATCH] = {"batch", NULL, 0, 0, false},
        [KNI_COMMAND_SYNC] = {"sync", sync, COUNT(sync), sizeof(kn_command_sync), false},
        [KNI_COMMAND_TOLERANCE] = {"tolerance", tolerance, COUNT(tolerance),
            sizeof(kn_command_tolerance), false},
    };
    for (uint32_t i = 1; i < COUNT(kinds); i++) {
        kn_command_def def = kn_command_def_default();
        def.name = kinds[i].name;
        def.fields = kinds[i].fields;
        def.field_count = kinds[i].count;
        def.size = kinds[i].size;
        def.has_targets = kinds[i].has_targets;
        kn_command_type_id type;
        kn_result result = command_register(library, &def, &type, NULL);
        if (result != KN_OK) {
            return result;
        }
        KN_ASSERT(type.index1 == i);
    }
    return KN_OK;
}

// Checks --------------------------------------------------------------------

static const char *element_problem(
    const kn_library *library, const kn_def_field *field, const uint8_t *at)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    if (kind->number == KNI_NUMBER_FLOAT) {
        for (uint32_t i = 0; i < kind->words; i++) {
            if (!isfinite(kni_element_float(at, i))) {
                return "a number is not finite";
            }
        }
    }
    if (kind->number == KNI_NUMBER_REF &&
        kni_element_index1(field, at) > kni_ref_count(library, kni_field_ref_kind(field))) {
        return "it refers to something that is not registered";
    }
    if (kind->number == KNI_NUMBER_ID && kni_element_word(field, at, 0) == 0 &&
        kni_element_word(field, at, 1) != 0) {
        return "half of the id is missing";
    }
    return kni_element_problem(field, at);
}

static const char *payload_problem(const kn_library *library, const kni_command_type *type,
    const uint8_t *payload, const char **name)
{
    const kn_def_table *table = &type->payload.table;
    for (uint32_t f = 0; payload != NULL && f < table->field_count; f++) {
        const kn_def_field *field = &table->fields[f];
        size_t size = kni_field_size(field);
        for (uint32_t i = 0; i < field->count; i++) {
            const char *problem =
                element_problem(library, field, payload + field->offset + i * size);
            if (problem != NULL) {
                *name = field->name;
                return problem;
            }
        }
    }
    return NULL;
}

const char *kni_command_payload_problem(
    const kn_library *library, const kni_command_type *type, const void *payload)
{
    const char *name;
    return payload_problem(library, type, payload, &name);
}

// Room of payload and target data in a kn_command_data.
static uint32_t bytes_needed(uint32_t size)
{
    return (size + 7) & ~7u;
}

static kn_result single_check(
    const kn_library *library, const kn_command *command, uint32_t *bytes, kn_error *error)
{
    const kni_command_type *type = type_at(library, command->type);
    if (type == NULL) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "command kind %u is not registered", command->type.index1);
    }
    bool has_payload = command->payload != NULL || command->size > 0;
    if (has_payload && (command->payload == NULL || command->size != type->def.size)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "command `%s`: its payload has %u bytes, but the kind has %u", type->name,
            command->payload == NULL ? 0 : command->size, type->def.size);
    }
    const char *field = "";
    const char *problem = payload_problem(library, type, command->payload, &field);
    if (problem != NULL) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "command `%s`, field `%s`: %s", type->name, field, problem);
    }
    if (command->entity.index1 == 0 && command->entity.generation != 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "command `%s`: half of the id of its entity is missing", type->name);
    }
    if (command->targets.size > 0 && !type->def.has_targets) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "command `%s` does not carry target data", type->name);
    }
    if (!kn_target_is_valid(library, command->targets)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "command `%s`: its target data is malformed", type->name);
    }
    if (command->view < 0 || command->view > KN_TIME_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "command `%s`: its view is not a time of a world", type->name);
    }
    *bytes += bytes_needed(command->size) + bytes_needed(command->targets.size);
    return KN_OK;
}

kn_result kn_command_check(const kn_library *library, const kn_command *command, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (library == NULL || command == NULL) {
        KN_ASSERT(library != NULL && command != NULL);
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "the library or the command is missing");
    }
    uint32_t bytes = 0;
    kn_result result = single_check(library, command, &bytes, error);
    if (result != KN_OK) {
        return result;
    }
    bool is_batch = command->type.index1 == kn_command_type_batch().index1;
    uint32_t count = command->part_count;
    if (is_batch ? count == 0 || count > KN_COMMAND_PARTS_MAX || command->parts == NULL
                 : count > 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            is_batch ? "a batch has 1 to %d parts" : "only a batch has parts, at most %d",
            KN_COMMAND_PARTS_MAX);
    }
    for (uint32_t i = 0; i < count && result == KN_OK; i++) {
        const kn_command *part = &command->parts[i];
        if (part->type.index1 == kn_command_type_batch().index1 || part->part_count > 0) {
            return kni_error(
                error, KN_ERROR_BAD_DATA, "part %u of a batch is a batch itself", i + 1);
        }
        result = single_check(library, part, &bytes, error);
    }
    if (result == KN_OK && bytes > KN_COMMAND_BYTES_MAX) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "a command has at most %d bytes of payload and target data", KN_COMMAND_BYTES_MAX);
    }
    return result;
}

// Bytes ---------------------------------------------------------------------

enum {
    HAS_CONNECTION = 1 << 0,
    HAS_SEQUENCE = 1 << 1,
    HAS_ENTITY = 1 << 2,
    HAS_PAYLOAD = 1 << 3,
    HAS_TARGETS = 1 << 4,
    HAS_PARTS = 1 << 5,
    HAS_VIEW = 1 << 6,
    HAS_ALL = (1 << 7) - 1,
};

static bool bytes_are_zero(const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

static void payload_write(const kni_command_type *type, const uint8_t *payload, kn_writer *out)
{
    const kn_def_table *table = &type->payload.table;
    for (uint32_t f = 0; f < table->field_count; f++) {
        const kn_def_field *field = &table->fields[f];
        size_t size = kni_field_size(field);
        for (uint32_t i = 0; i < field->count; i++) {
            kni_element_write_to(field, payload + field->offset + i * size, out);
        }
    }
}

static void payload_read(const kni_command_type *type, uint8_t *payload, kn_reader *in)
{
    const kn_def_table *table = &type->payload.table;
    for (uint32_t f = 0; f < table->field_count; f++) {
        const kn_def_field *field = &table->fields[f];
        size_t size = kni_field_size(field);
        for (uint32_t i = 0; i < field->count; i++) {
            kni_element_read_from(field, payload + field->offset + i * size, in);
        }
    }
}

// Connection, sequence and view of a part are those of its batch.
static void single_write(
    const kn_library *library, const kn_command *command, bool is_part, kn_writer *out)
{
    const kni_command_type *type = type_at(library, command->type);
    uint8_t has = 0;
    has |= !is_part && command->connection != 0 ? HAS_CONNECTION : 0;
    has |= !is_part && command->sequence != 0 ? HAS_SEQUENCE : 0;
    has |= command->entity.index1 != 0 ? HAS_ENTITY : 0;
    has |= !bytes_are_zero(command->payload, command->size) ? HAS_PAYLOAD : 0;
    has |= command->targets.size > 0 ? HAS_TARGETS : 0;
    has |= command->part_count > 0 ? HAS_PARTS : 0;
    has |= !is_part && command->view != 0 ? HAS_VIEW : 0;
    kn_write_uint(out, command->type.index1, 2);
    kn_write_u8(out, has);
    if ((has & HAS_CONNECTION) != 0) {
        kn_write_u32(out, command->connection);
    }
    if ((has & HAS_SEQUENCE) != 0) {
        kn_write_u32(out, command->sequence);
    }
    if ((has & HAS_ENTITY) != 0) {
        kn_write_u32(out, command->entity.index1);
        kn_write_u32(out, command->entity.generation);
    }
    if ((has & HAS_PAYLOAD) != 0) {
        payload_write(type, command->payload, out);
    }
    if ((has & HAS_TARGETS) != 0) {
        // Never longer than the records themselves: their heads are shorter.
        uint8_t targets[KN_TARGET_BYTES_MAX];
        uint32_t size = kn_target_write(library, command->targets, targets, sizeof(targets));
        KN_ASSERT(size <= sizeof(targets));
        kn_write_uint(out, size, 2);
        kn_write_bytes(out, targets, size);
    }
    if ((has & HAS_PARTS) != 0) {
        kn_write_u8(out, (uint8_t)command->part_count);
    }
    if ((has & HAS_VIEW) != 0) {
        kn_write_u64(out, (uint64_t)command->view);
    }
}

uint32_t kn_command_write(
    const kn_library *library, const kn_command *command, void *buffer, uint32_t size)
{
    if (kn_command_check(library, command, NULL) != KN_OK) {
        return 0;
    }
    kn_writer out = {buffer, 0, 0};
    for (uint32_t pass = 0; pass < 2; pass++) {
        single_write(library, command, false, &out);
        for (uint32_t i = 0; i < command->part_count; i++) {
            single_write(library, &command->parts[i], true, &out);
        }
        if (pass == 0) {
            if (buffer == NULL || out.length > size) {
                break;
            }
            out = (kn_writer){buffer, out.length, 0};
        }
    }
    return (uint32_t)out.length;
}

typedef struct command_reader {
    const kn_library *library;
    kn_reader in;
    kn_command_data *data;
    uint32_t used; // of data->bytes
} command_reader;

// Room in data->bytes, zeroed; NULL, and a failure, if there is none.
static uint8_t *reader_room(command_reader *r, uint32_t size)
{
    if (bytes_needed(size) > sizeof(r->data->bytes) - r->used) {
        r->in.failed = true;
        return NULL;
    }
    uint8_t *room = (uint8_t *)r->data->bytes + r->used;
    r->used += bytes_needed(size);
    memset(room, 0, bytes_needed(size));
    return room;
}

static void targets_read(command_reader *r, kn_command *command)
{
    kn_target_data targets;
    uint32_t size = (uint32_t)kn_read_uint(&r->in, 2);
    const uint8_t *bytes = kn_read_bytes(&r->in, size);
    if (r->in.failed || kn_target_read(r->library, bytes, size, &targets) != KN_OK ||
        targets.size == 0) {
        r->in.failed = true;
        return;
    }
    uint8_t *room = reader_room(r, targets.size);
    if (room != NULL) {
        memcpy(room, targets.bytes, targets.size);
        command->targets = (kn_target_view){room, targets.size};
    }
}

// What is marked as there must not be zero, so that each command has one form only.
static void single_read(command_reader *r, kn_command *command, bool is_part)
{
    kn_reader *in = &r->in;
    memset(command, 0, sizeof(*command));
    command->type.index1 = (uint32_t)kn_read_uint(in, 2);
    const kni_command_type *type = type_at(r->library, command->type);
    uint8_t has = kn_read_u8(in);
    uint8_t known = is_part ? HAS_ENTITY | HAS_PAYLOAD | HAS_TARGETS : HAS_ALL;
    if (in->failed || type == NULL || (has & ~known) != 0) {
        in->failed = true;
        return;
    }
    if ((has & HAS_CONNECTION) != 0) {
        command->connection = kn_read_u32(in);
        in->failed |= command->connection == 0;
    }
    if ((has & HAS_SEQUENCE) != 0) {
        command->sequence = kn_read_u32(in);
        in->failed |= command->sequence == 0;
    }
    if ((has & HAS_ENTITY) != 0) {
        command->entity.index1 = kn_read_u32(in);
        command->entity.generation = kn_read_u32(in);
        in->failed |= command->entity.index1 == 0;
    }
    if (type->def.size > 0) {
        uint8_t *payload = reader_room(r, type->def.size);
        if (payload != NULL) {
            command->payload = payload;
            command->size = type->def.size;
        }
    }
    if ((has & HAS_PAYLOAD) != 0 && !in->failed) {
        // It was found to be of this size, so that no read leads out of it.
        uint8_t *payload = (uint8_t *)r->data->bytes + r->used - bytes_needed(command->size);
        payload_read(type, payload, in);
        in->failed |= bytes_are_zero(payload, command->size);
    }
    if ((has & HAS_TARGETS) != 0 && !in->failed) {
        targets_read(r, command);
    }
    if ((has & HAS_PARTS) != 0) {
        command->part_count = kn_read_u8(in);
        in->failed |= command->part_count == 0 || command->part_count > KN_COMMAND_PARTS_MAX;
    }
    if ((has & HAS_VIEW) != 0) {
        command->view = (kn_time)kn_read_u64(in);
        in->failed |= command->view == 0;
    }
}

kn_result kn_command_read(const kn_library *library, const void *buffer, uint32_t size,
    kn_command_data *data, kn_error *error)
{
    if (error != NULL) {
        memset(error, 0, sizeof(*error));
    }
    if (library == NULL || data == NULL || (buffer == NULL && size > 0)) {
        KN_ASSERT(library != NULL && data != NULL && (buffer != NULL || size == 0));
        return kni_error(
            error, KN_ERROR_INVALID_ARGUMENT, "the library, the buffer or the data is missing");
    }
    command_reader r = {.library = library, .in = {.data = buffer, .size = size}, .data = data};
    kn_command *command = &data->command;
    single_read(&r, command, false);
    for (uint32_t i = 0; i < command->part_count && !r.in.failed; i++) {
        single_read(&r, &data->parts[i], true);
        data->parts[i].connection = command->connection;
        data->parts[i].sequence = command->sequence;
        data->parts[i].view = command->view;
    }
    kn_result result = KN_OK;
    if (r.in.failed || r.in.at != r.in.size) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "these bytes are not a command, are truncated, or have extra bytes at the end");
    } else {
        command->parts = command->part_count > 0 ? data->parts : NULL;
        result = kn_command_check(library, command, error);
    }
    if (result != KN_OK) {
        memset(command, 0, sizeof(*command));
    }
    return result;
}
