// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A kit made of fuzz input: own enums, kinds, definitions, components, events, commands, causes and
// reasons, many of them wrong: twice, too many, with fields that make no sense, after the end. What
// is refused says why. What is left is played: components are written, commands issued, events
// published, entities destroyed; in between the world is saved, loaded, rolled back, projected into
// another one, reloaded with an equal library and dumped, and must stay valid and the same.

#include "fuzz_input.h"

#include "knack/knack.h"
#include "knack/projection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIELDS_MAX = 6,
    KINDS_MAX = 4,
    TYPES_MAX = 4, // of components, events and commands each
    DEFS_MAX = 4,  // of a kind
    ENUMS_MAX = 3,
    ENTITIES_MAX = 5,
    CALLS_MAX = 40,
    COPIES_MAX = 3, // saves, rollbacks, projections and reloads of one run each
};

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_kit: %s\n", what);
        abort();
    }
}

// Names: a few of each kind, so that some are taken, and some that are invalid.
static const char *name_of(const char *what, uint32_t number)
{
    static char names[16][24];
    static uint32_t next;
    char *name = names[next++ % 16];
    (void)snprintf(name, sizeof(names[0]), number == 15 ? "%s \"%u\"" : "%s%u", what, number);
    return name;
}

static const char *take_name(fuzz_input *in, const char *what)
{
    uint32_t byte = take_u8(in);
    return byte >= 252 ? (byte == 255 ? NULL : "")
                       : name_of(what, byte % 8 + (byte >= 248 ? 8 : 0));
}

// Every registration is one of these; what is refused has a message and gives nothing.
static bool is_registered(kn_result result, const kn_error *error, uint32_t index1)
{
    must(result == KN_OK || result == KN_REFUSED_DUPLICATE || result == KN_REFUSED_LIMIT ||
             result == KN_ERROR_BAD_DATA || result == KN_ERROR_INVALID_ARGUMENT,
        kn_result_name(result));
    must(result == KN_OK || error->message[0] != 0, "refused without a message");
    must((result == KN_OK) == (index1 != 0), "a number that does not fit the result");
    return result == KN_OK;
}

// Plain structs -------------------------------------------------------------------------

// The fields of a component, an event or a payload.
typedef struct layout {
    kn_field fields[2 * FIELDS_MAX];
    uint32_t count;
    uint32_t size;
} layout;

static uint32_t kind_size(uint32_t kind)
{
    static const uint8_t sizes[KN_FIELD_KIND_END] = {[KN_FIELD_U8] = 1,
        [KN_FIELD_BOOL] = sizeof(bool),
        [KN_FIELD_U16] = 2,
        [KN_FIELD_U32] = 4,
        [KN_FIELD_I32] = 4,
        [KN_FIELD_F32] = 4,
        [KN_FIELD_TAG] = 4,
        [KN_FIELD_ATTRIBUTE] = 4,
        [KN_FIELD_CURVE] = 4,
        [KN_FIELD_REF] = 4,
        [KN_FIELD_ENUM] = 4,
        [KN_FIELD_VEC3] = 12};
    return kind < KN_FIELD_KIND_END && sizes[kind] != 0 ? sizes[kind] : 8;
}

static uint32_t kind_align(uint32_t kind)
{
    return kind == KN_FIELD_VEC3 ? 4 : kind_size(kind);
}

static void layout_add(layout *out, const kn_field *field)
{
    kn_field *added = &out->fields[out->count++];
    *added = *field;
    added->offset = out->size;
    out->size += kind_size((uint32_t)field->kind) * (field->count != 0 ? field->count : 1);
}

static void layout_pad(layout *out, uint32_t align)
{
    static const char *const names[] = {"p0", "p1", "p2", "p3", "p4", "p5", "p6"};
    uint32_t rest = out->size % align;
    if (rest != 0) {
        kn_field field = {
            .name = names[out->count / 2], .kind = KN_FIELD_U8, .count = align - rest};
        layout_add(out, &field);
    }
}

// Mostly sound; now and then a name twice, a gap, a kind that is none, or a reference to nothing.
static layout take_layout(fuzz_input *in)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    layout out = {.count = 0};
    uint32_t first = take_u8(in), count = first == 0 ? 0 : 1 + first % (FIELDS_MAX - 1);
    for (uint32_t i = 0; i < count; i++) {
        kn_field field = {.name = names[i], .count = 1};
        uint32_t byte = take_u8(in);
        field.kind = (kn_field_kind)(1 + byte % (KN_FIELD_KIND_END - 1));
        field.count = byte >= 240 ? 3 : 1;
        if (field.kind == KN_FIELD_REF) {
            static const char *const kinds[] = {"effect", "tag", "tag", "kind0", "kind1", "none"};
            field.refers_to = kinds[take_below(in, 6)];
        } else if (field.kind == KN_FIELD_ENUM && take_bool(in)) {
            field.refers_to = name_of("enum", take_below(in, 4));
        } else if (field.kind == KN_FIELD_ENUM) {
            static const char *const words[] = {"idle busy", "one", "a b c d", "", "a a", " x  y "};
            field.words = words[take_below(in, 6)];
        }
        field.sync = (kn_sync)take_below(in, 3);
        if (byte == 239) {
            field.name = names[0];
        } else if (byte == 238) {
            field.wire.step = take_float(in);
            field.wire.max = take_float(in);
        }
        layout_pad(&out, kind_align((uint32_t)field.kind));
        layout_add(&out, &field);
        if (byte == 237) {
            out.fields[out.count - 1].kind = (kn_field_kind)take_u8(in);
        } else if (byte == 236) {
            out.fields[out.count - 1].offset += 4;
        }
    }
    layout_pad(&out, 8);
    return out;
}

// The kit -------------------------------------------------------------------------------

typedef struct registered {
    kn_component_type_id components[TYPES_MAX];
    kn_custom_event_id events[TYPES_MAX];
    kn_command_type_id commands[TYPES_MAX];
    kn_cause_type_id cause;
    uint32_t component_count, event_count, command_count;
} registered;

static registered kit; // of the libraries of this input, which are equal

static kn_result command_run(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    kn_cause previous;
    kn_cause_link link = {.type = kit.cause, .entity = command->entity};
    bool is_open = kit.cause.index1 != 0 && kn_cause_open(world, &link, &previous) == KN_OK;
    for (uint32_t i = 0; i < kit.event_count; i++) {
        (void)kn_world_publish(world, command->entity, kit.events[i], NULL);
    }
    if (kit.component_count > 0) {
        (void)kn_component_add(world, kit.components[0], command->entity);
    }
    if (is_open) {
        kn_cause_close(world, previous);
    }
    return command->size % 16 == 0 ? KN_OK : KN_REFUSED_CUSTOM;
}

static void enums_register(fuzz_input *in, kn_library *library)
{
    static const char *const words[] = {
        "idle", "moving", "attacking", "idle", "Not a word", "", "w6", "w7"};
    uint32_t count = take_below(in, ENUMS_MAX + 1);
    for (uint32_t i = 0; i < count; i++) {
        kn_error error = {0};
        const char *name = take_name(in, "enum");
        uint32_t first = take_below(in, 4), number = take_below(in, 5);
        kn_result result = kn_enum_register(library, name, words + first, number, &error);
        uint32_t found = 0;
        if (is_registered(result, &error, result == KN_OK)) {
            must(kn_enum_words(library, name, &found) != NULL && found == number, "no words");
        }
    }
}

// A table of a kind: plain fields, choices, references, parts and lists.
typedef struct kind_table {
    kn_def_field fields[FIELDS_MAX + 2];
    kn_def_table table;
    kn_def_kind kind;
} kind_table;

typedef struct entry {
    float weight;
    kn_effect_type_id effect;
} entry;

static const kn_def_field entry_fields[] = {
    KN_DEF_F(entry, weight, KN_FIELD_F32, "How much."),
    KN_DEF_F_REF(entry, effect, KN_DEF_EFFECT, NULL),
};
static const kn_def_table entry_table = {"entry", sizeof(entry), entry_fields, 2, NULL};
static const char *const own_words[] = {"first", "second", "third"};

// Bytes of a field, and its alignment is 8 or its size.
static size_t take_def_field(fuzz_input *in, kn_def_field *field)
{
    static const char *const kinds[] = {"kind0", "kind1", "kind2", "nothing"};
    static const char *const parts[] = {
        "kn_scalable", "kn_tag_requirement", "kn_capture", "kn_nothing"};
    static const uint8_t plain[] = {KN_FIELD_U8, KN_FIELD_BOOL, KN_FIELD_U16, KN_FIELD_U32,
        KN_FIELD_I32, KN_FIELD_F32, KN_FIELD_U64, KN_FIELD_I64, KN_FIELD_TIME, KN_FIELD_TAG,
        KN_FIELD_ATTRIBUTE, KN_FIELD_VEC3, KN_FIELD_CURVE};
    uint32_t byte = take_u8(in);
    field->count = 1;
    switch (byte % 12) {
    case 0:
        field->kind = KN_DEF_FIELD_ENUM;
        field->names = own_words;
        field->limit = 3;
        return 4;
    case 1:
        field->kind = KN_DEF_FIELD_ENUM;
        field->of = name_of("enum", take_below(in, 4));
        return 4;
    case 2:
        field->kind = KN_DEF_FIELD_REF;
        field->limit = KN_DEF_EFFECT;
        return 4;
    case 3:
        field->kind = KN_DEF_FIELD_REF;
        field->of = kinds[take_below(in, 4)];
        return 4;
    case 4:
        field->kind = KN_DEF_FIELD_STRUCT;
        field->of = parts[take_below(in, 4)];
        return kn_def_part_table(field->of) != NULL ? kn_def_part_table(field->of)->size : 8;
    case 5:
        field->kind = KN_DEF_FIELD_ARRAY;
        field->table = &entry_table;
        return sizeof(void *) + 8;
    case 6:
        field->kind = KN_DEF_FIELD_STRING;
        return sizeof(void *);
    case 7:
        field->kind = KN_DEF_FIELD_TAGS;
        return sizeof(kn_tags);
    default:
        // Ids of live things, and kinds that are none, must be refused.
        field->kind = plain[take_below(in, sizeof(plain))];
        if (byte >= 240) {
            field->kind = (uint8_t)(byte >= 250 ? byte : 1 + take_below(in, KN_FIELD_KIND_END));
        }
        return field->kind == KN_FIELD_REF || field->kind == KN_FIELD_ENUM ? 8
                                                                           : kind_size(field->kind);
    }
}

static void kind_register(fuzz_input *in, kn_library *library, kind_table *out)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    size_t size = sizeof(char *);
    uint32_t count = take_below(in, FIELDS_MAX + 1), shape = take_u8(in);
    *out = (kind_table){.kind = KN_DEF_KIND_COUNT};
    out->fields[0] =
        (kn_def_field){"name", KN_DEF_FIELD_STRING, 0, 0, 1, 0, NULL, NULL, NULL, NULL};
    for (uint32_t i = 0; i < count; i++) {
        kn_def_field *field = &out->fields[i + 1];
        *field = (kn_def_field){.name = names[shape == 254 ? 0 : i], .text = "What it is."};
        size = (size + 7) / 8 * 8;
        field->offset = (uint32_t)size;
        size_t bytes = take_def_field(in, field);
        field->count_offset =
            field->kind == KN_DEF_FIELD_ARRAY ? (uint32_t)(size + sizeof(void *)) : 0;
        size += bytes;
    }
    size = (size + 7) / 8 * 8;
    out->table = (kn_def_table){
        "fuzz_def", shape == 255 ? 2 * KN_KIND_SIZE_MAX : size, out->fields, count + 1, NULL};
    if (shape == 253) {
        out->table.fields = &out->fields[1]; // without a name
        out->table.field_count = count;
    }
    kn_kind_def def = kn_kind_def_default();
    char section[24];
    def.name = take_name(in, "kind");
    (void)snprintf(section, sizeof(section), "%ss", def.name != NULL ? def.name : "");
    def.section = shape == 252 ? "effects" : section;
    def.table = shape == 251 ? NULL : &out->table;
    kn_error error = {0};
    kn_def_kind kind;
    kn_result result = kn_kind_register(library, &def, &kind, &error);
    must((result == KN_OK) == (kind != KN_DEF_KIND_COUNT), "a kind that does not fit the result");
    if (is_registered(result, &error, result == KN_OK)) {
        must(kn_kind_find(library, def.name) == kind, "the kind is not found");
        out->kind = kind;
    }
}

static void value_write(fuzz_input *in, const kn_library *library, const kn_def_field *field,
    uint8_t *at, entry *entries)
{
    uint32_t byte = take_u8(in), number = byte % 3;
    float real = byte >= 250 ? take_float(in) : (float)byte;
    uint64_t wide = byte;
    const char *text = byte >= 128 ? "text" : NULL;
    switch (field->kind) {
    case KN_DEF_FIELD_ENUM:
    case KN_DEF_FIELD_REF:
    case KN_FIELD_TAG:
    case KN_FIELD_ATTRIBUTE:
    case KN_FIELD_CURVE:
        number = byte >= 250 ? take_u32(in) : number;
        memcpy(at, &number, 4);
        break;
    case KN_FIELD_F32:
    case KN_FIELD_VEC3:
        memcpy(at, &real, 4);
        break;
    case KN_FIELD_BOOL:
        at[0] = (uint8_t)(byte & 1);
        break;
    case KN_FIELD_U8:
        at[0] = (uint8_t)byte;
        break;
    case KN_FIELD_U16:
        memcpy(at, &wide, 2); // the low or the high half, both are numbers
        break;
    case KN_FIELD_U32:
    case KN_FIELD_I32:
        memcpy(at, &number, 4);
        break;
    case KN_FIELD_U64:
    case KN_FIELD_I64:
    case KN_FIELD_TIME:
        memcpy(at, &wide, 8);
        break;
    case KN_DEF_FIELD_STRING:
        memcpy(at, &text, sizeof(text));
        break;
    case KN_DEF_FIELD_ARRAY: {
        const entry *list = entries;
        number = byte % 3;
        entries[0] = (entry){real, {number}};
        entries[1] = (entry){1.0f, {kn_def_count(library, KN_DEF_EFFECT)}};
        memcpy(at, &list, sizeof(list));
        memcpy(at + sizeof(list), &number, sizeof(number));
        break;
    }
    default:
        break; // zero
    }
}

static void defs_register(fuzz_input *in, kn_library *library, const kind_table *of)
{
    uint32_t count = take_below(in, DEFS_MAX + 1);
    for (uint32_t i = 0; i < count && of->kind != KN_DEF_KIND_COUNT; i++) {
        static union {
            uint8_t bytes[KN_KIND_SIZE_MAX];
            max_align_t aligned;
        } def;
        static entry entries[FIELDS_MAX + 2][2];
        const char *name = take_name(in, "Def");
        memset(&def, 0, sizeof(def));
        memcpy(def.bytes, &name, sizeof(name));
        for (uint32_t k = 1; k < of->table.field_count; k++) {
            const kn_def_field *field = &of->table.fields[k];
            value_write(in, library, field, def.bytes + field->offset, entries[k]);
        }
        kn_error error = {0};
        uint32_t index1;
        kn_result result = kn_def_register(library, of->kind, &def, &index1, &error);
        if (is_registered(result, &error, index1)) {
            must(kn_def_find(library, of->kind, name) == index1, "the definition is not found");
            must(strcmp(kn_def_name(library, of->kind, index1), name) == 0, "another name");
            must(kn_def_get(library, of->kind, index1) != NULL, "no definition");
        }
    }
}

static void types_register(fuzz_input *in, kn_library *library)
{
    uint32_t count = take_below(in, 3 * TYPES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        layout fields = take_layout(in);
        uint32_t what = take_u8(in);
        kn_error error = {0};
        if (what % 3 == 0) {
            layout items = take_layout(in);
            kn_component_reference references[2] = {
                {.field = "a", .when_destroyed = (kn_reference_policy)take_below(in, 3)},
                {.field = "b",
                    .of_items = true,
                    .when_destroyed = (kn_reference_policy)take_below(in, 4)}};
            kn_component_def def = kn_component_def_default();
            def.name = take_name(in, "Component");
            def.size = fields.size;
            def.fields = fields.fields;
            def.field_count = fields.count;
            def.item_size = items.size;
            def.item_fields = items.fields;
            def.item_field_count = items.count;
            def.several = (what & 64) != 0;
            def.references = references;
            def.reference_count = what >= 192 ? 1 : 0;
            if (fields.fields[0].kind == KN_FIELD_ENTITY) {
                def.reference_count = what >= 250 ? 2 : 1;
            }
            kn_component_type_id type;
            kn_result result = kn_component_register(library, &def, &type, &error);
            if (is_registered(result, &error, type.index1) && kit.component_count < TYPES_MAX) {
                kit.components[kit.component_count++] = type;
            }
        } else if (what % 3 == 1) {
            static const char *const texts[] = {NULL, "has {a}", NULL, "{nothing}", "plain"};
            kn_custom_event_def def = kn_custom_event_def_default();
            def.name = take_name(in, "Event");
            def.size = fields.size;
            def.fields = fields.fields;
            def.field_count = fields.count;
            def.text = texts[take_below(in, 5)];
            kn_custom_event_id type;
            kn_result result = kn_custom_event_register(library, &def, &type, &error);
            if (is_registered(result, &error, type.index1) && kit.event_count < TYPES_MAX) {
                kit.events[kit.event_count++] = type;
            }
        } else {
            kn_command_def def = kn_command_def_default();
            def.name = take_name(in, "Command");
            def.size = what >= 250 ? what * 16 : fields.size;
            def.fields = fields.fields;
            def.field_count = fields.count;
            def.has_targets = (what & 64) != 0;
            def.owner_only = (what & 128) != 0;
            def.function = what == 2 ? NULL : command_run;
            kn_command_type_id type;
            kn_result result = kn_command_register(library, &def, &type, &error);
            if (is_registered(result, &error, type.index1) && kit.command_count < TYPES_MAX) {
                kit.commands[kit.command_count++] = type;
            }
        }
    }
}

static void reasons_register(fuzz_input *in, kn_library *library)
{
    static const char *const texts[] = {NULL, "order {def} of {entity}", "{tag}", "{x}", "}"};
    uint32_t count = take_u8(in);
    count = count >= 250 ? 40 : count % 4; // sometimes too many
    for (uint32_t i = 0; i < count; i++) {
        kn_error error = {0};
        kn_cause_type_id cause;
        kn_fail fail;
        kn_end_reason end;
        kn_fail_def fail_def = kn_fail_def_default();
        kn_end_reason_def end_def = kn_end_reason_def_default();
        kn_result result = kn_cause_type_register(
            library, take_name(in, "cause"), texts[take_below(in, 5)], &cause, &error);
        if (is_registered(result, &error, cause.index1)) {
            kit.cause = cause;
        }
        error = (kn_error){0};
        fail_def.name = count == 40 ? name_of("fail", 20 + i) : take_name(in, "fail");
        fail_def.tag.index1 = take_below(in, 3);
        fail_def.text = "needs {need}, has {have}";
        result = kn_fail_register(library, &fail_def, &fail, &error);
        (void)is_registered(result, &error, (uint32_t)fail);
        error = (kn_error){0};
        end_def.name = take_name(in, "end");
        result = kn_end_reason_register(library, &end_def, &end, &error);
        (void)is_registered(result, &error, (uint32_t)end);
    }
}

// NULL if the library cannot be finished.
static kn_library *library_create(fuzz_input in, fuzz_input *rest)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    must(kn_library_create(&def, &library) == KN_OK, "no library");
    kit = (registered){.component_count = 0};
    kn_tag_def tag = kn_tag_def_default();
    tag.name = "Unit.Busy";
    must(kn_tag_register(library, &tag, NULL, &error) == KN_OK, "no tag");
    kn_effect_def effect = kn_effect_def_default();
    kn_effect_type_id type;
    effect.name = "Mark";
    must(kn_effect_register(library, &effect, &type, &error) == KN_OK, "no effect");
    enums_register(&in, library);
    static kind_table tables[KINDS_MAX];
    uint32_t count = take_below(&in, KINDS_MAX + 1);
    for (uint32_t i = 0; i < count; i++) {
        kind_register(&in, library, &tables[i]);
    }
    if (take_rarely(&in, 16)) { // too many
        for (uint32_t i = 0; i < KN_KIND_MAX + 1; i++) {
            static const kn_def_field name_field[] = {
                {"name", KN_DEF_FIELD_STRING, 0, 0, 1, 0, NULL, NULL, NULL, NULL}};
            static const kn_def_table table = {"many", sizeof(char *), name_field, 1, NULL};
            kn_kind_def kind_def = kn_kind_def_default();
            kn_def_kind kind;
            kind_def.name = name_of("many", 20 + i);
            kind_def.section = kind_def.name;
            kind_def.table = &table;
            kn_result result = kn_kind_register(library, &kind_def, &kind, &error);
            must(result == KN_OK || result == KN_REFUSED_LIMIT, "not just too many");
        }
        must(kn_kind_count(library) == KN_KIND_MAX, "more kinds than there can be");
    }
    for (uint32_t i = 0; i < count; i++) {
        defs_register(&in, library, &tables[i]);
    }
    types_register(&in, library);
    reasons_register(&in, library);
    *rest = in;
    error = (kn_error){0};
    if (kn_library_finish(library, &error) != KN_OK) {
        must(error.message[0] != 0, "not finished, without a message");
        kn_library_destroy(library);
        return NULL;
    }
    // From now on nothing is registered.
    kn_cause_type_id cause;
    must(kn_cause_type_register(library, "late", NULL, &cause, &error) == KN_ERROR_WORLD_LOCKED,
        "registered after the end");
    must(kn_enum_register(library, "late", own_words, 3, &error) == KN_ERROR_WORLD_LOCKED,
        "an enum after the end");
    return library;
}

// Play ----------------------------------------------------------------------------------

typedef struct play {
    fuzz_input in;
    kn_library *libraries[2]; // equal ones
    uint32_t library;
    kn_world *world;
    kn_entity_id entities[ENTITIES_MAX];
    uint32_t saves, rollbacks, projections, reloads;
} play;

static kn_world *world_create(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    def.library = library;
    must(kn_world_create(&def, &world) == KN_OK, "no world");
    return world;
}

static kn_entity_id take_entity(play *p)
{
    uint32_t byte = take_u8(&p->in);
    return byte >= 250 ? (kn_entity_id){byte - 249, byte} : p->entities[byte % ENTITIES_MAX];
}

// Words of a choice.
static uint32_t word_count(const kn_library *library, const kn_field *field)
{
    uint32_t count = kn_words_count(field->words);
    if (field->words == NULL) {
        (void)kn_enum_words(library, field->refers_to, &count);
    }
    return count;
}

// Writes values that may be there into the fields of a struct.
static void fields_write(play *p, uint8_t *at, const kn_field *fields, uint32_t count)
{
    const kn_library *library = p->libraries[p->library];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = kind_size((uint32_t)fields[i].kind);
        for (uint32_t k = 0; k < (fields[i].count != 0 ? fields[i].count : 1); k++) {
            uint8_t *element = at + fields[i].offset + (size_t)k * size;
            uint32_t number = take_u8(&p->in);
            float real = (float)number;
            kn_entity_id entity = p->entities[number % ENTITIES_MAX];
            switch (fields[i].kind) {
            case KN_FIELD_U8:
            case KN_FIELD_BOOL:
                element[0] = (uint8_t)(fields[i].kind == KN_FIELD_BOOL ? number & 1 : number);
                break;
            case KN_FIELD_U32:
            case KN_FIELD_I32:
                memcpy(element, &number, 4);
                break;
            case KN_FIELD_F32:
            case KN_FIELD_VEC3:
                memcpy(element, &real, 4);
                break;
            case KN_FIELD_ENTITY:
                memcpy(element, &entity, sizeof(entity));
                break;
            case KN_FIELD_TAG:
                number %= kn_tag_count(library) + 1;
                memcpy(element, &number, 4);
                break;
            case KN_FIELD_REF:
                number %= kn_def_count(library, kn_kind_find(library, fields[i].refers_to)) + 1;
                memcpy(element, &number, 4);
                break;
            case KN_FIELD_ENUM:
                number %= word_count(library, &fields[i]);
                memcpy(element, &number, 4);
                break;
            default:
                break;
            }
        }
    }
}

static void component_change(play *p)
{
    if (kit.component_count == 0) {
        return;
    }
    const kn_library *library = p->libraries[p->library];
    kn_component_type_id type = kit.components[take_below(&p->in, kit.component_count)];
    const kn_component_def *def = kn_component_get_def(library, type);
    kn_entity_id entity = take_entity(p), none = {0};
    uint32_t what = take_u8(&p->in), count = 0;
    kn_component_id instance;
    if (what >= 240) {
        entity = none; // of the world itself
    }
    switch (what % 6) {
    case 0:
        (void)kn_component_remove(p->world, type, entity);
        break;
    case 1:
        if (kn_component_instance_add(p->world, type, entity, &instance) == KN_OK) {
            uint8_t *own = kn_component_instance_get(p->world, type, instance);
            if (own != NULL) {
                fields_write(p, own, def->fields, def->field_count);
            }
        }
        break;
    case 2:
        if (def->item_size > 0) {
            (void)kn_component_resize(p->world, type, entity, what % 4);
        }
        break;
    case 3: {
        uint8_t *items = kn_component_items(p->world, type, entity, &count);
        for (uint32_t i = 0; i < count; i++) {
            fields_write(
                p, items + (size_t)i * def->item_size, def->item_fields, def->item_field_count);
        }
        break;
    }
    case 4:
        must(kn_component_referrers(p->world, type, 0, entity, NULL, 0) < 10000, "referrers");
        break;
    default: {
        uint8_t *own = kn_component_add(p->world, type, entity);
        if (own != NULL) {
            fields_write(p, own, def->fields, def->field_count);
        }
        break;
    }
    }
}

static void command_issue(play *p)
{
    static uint64_t payload[KN_COMMAND_SIZE_MAX / 8];
    static kn_command_data read;
    static uint8_t bytes[2 * KN_COMMAND_BYTES_MAX];
    const kn_library *library = p->libraries[p->library];
    if (kit.command_count == 0) {
        return;
    }
    kn_command command = {.type = kit.commands[take_below(&p->in, kit.command_count)],
        .connection = take_below(&p->in, 3),
        .entity = take_entity(p)};
    const kn_command_def *def = kn_command_get_def(library, command.type);
    kn_error error = {0};
    memset(payload, 0, sizeof(payload));
    if (take_rarely(&p->in, 4)) {
        for (uint32_t i = 0; i < def->size; i++) {
            ((uint8_t *)payload)[i] = (uint8_t)take_u8(&p->in); // anything
        }
    } else {
        fields_write(p, (uint8_t *)payload, def->fields, def->field_count);
    }
    command.payload = def->size > 0 ? payload : NULL;
    command.size = take_rarely(&p->in, 16) ? def->size / 2 : def->size;
    kn_result result = kn_world_command(p->world, &command, &error);
    must(result == KN_OK || (result == KN_ERROR_BAD_DATA && error.message[0] != 0),
        "a command that is refused without a reason");
    must((kn_command_check(library, &command, &error) == KN_OK) == (result == KN_OK),
        "a check that says something else");
    if (result == KN_OK) {
        char text[128];
        uint32_t size = kn_command_write(library, &command, bytes, sizeof(bytes));
        must(size > 0 && size <= sizeof(bytes), "not written");
        must(kn_command_read(library, bytes, size, &read, &error) == KN_OK, error.message);
        must(read.command.size == command.size &&
                 (command.size == 0 ||
                     memcmp(read.command.payload, command.payload, command.size) == 0),
            "another payload");
        (void)kn_command_print(p->world, &command, text, sizeof(text));
        (void)kn_command_json(p->world, &command, text, sizeof(text));
    }
}

static void observe(play *p)
{
    static char text[4096];
    kn_events events = kn_world_events(p->world);
    for (uint32_t i = 0; i < events.count; i++) {
        (void)kn_event_print(p->world, &events.data[i], text, sizeof(text));
        (void)kn_cause_print(p->world, events.data[i].cause, text, sizeof(text));
    }
    (void)kn_entity_dump(p->world, p->entities[0], text, sizeof(text));
    (void)kn_entity_dump_json(p->world, p->entities[0], text, sizeof(text));
}

static void step(play *p)
{
    must(kn_world_step(p->world, KN_MS(50)) == KN_OK, "no step");
    must(kn_world_validate(p->world), "the world is not valid");
    observe(p);
}

static void save_and_load(play *p)
{
    size_t size;
    kn_error error = {0};
    must(kn_save_write(p->world, NULL, 0, &size) == KN_OK, "no size");
    uint8_t *bytes = malloc(size);
    must(bytes != NULL && kn_save_write(p->world, bytes, size, &size) == KN_OK, "no save");
    kn_world *loaded = world_create(p->libraries[p->library]);
    must(kn_save_read(loaded, bytes, size, &error) == KN_OK, error.message);
    must(kn_world_hash(loaded) == kn_world_hash(p->world), "the save is another world");
    must(!kn_world_difference(p->world, loaded, error.message, sizeof(error.message)),
        error.message);
    step(p);
    must(kn_world_step(loaded, KN_MS(50)) == KN_OK, "no step of the loaded world");
    must(kn_world_hash(loaded) == kn_world_hash(p->world), "the loaded world went elsewhere");
    must(kn_world_validate(loaded), "the loaded world is not valid");
    free(bytes);
    kn_world_destroy(p->world);
    p->world = loaded;
}

static void roll_back(play *p)
{
    size_t size = kn_snapshot_size(p->world);
    void *bytes = malloc(size);
    must(bytes != NULL && kn_snapshot_take(p->world, bytes, size, &size) == KN_OK, "no snapshot");
    uint64_t before = kn_world_hash(p->world);
    step(p);
    uint64_t after = kn_world_hash(p->world);
    must(kn_snapshot_restore(p->world, bytes, size) == KN_OK, "not restored");
    must(kn_world_hash(p->world) == before, "restored to another state");
    step(p);
    must(kn_world_hash(p->world) == after, "made again it ends differently");
    free(bytes);
}

// Everything goes to another world, twice: into an empty one, and over what it has become. Bytes
// that are cut or changed are refused, or leave a valid world.
static void project(play *p)
{
    kn_entity_id all[ENTITIES_MAX + 1] = {{0}};
    size_t size;
    kn_error error = {0};
    kn_world *other = world_create(p->libraries[p->library]);
    kn_projection_filter filter = kn_projection_filter_default();
    memcpy(&all[1], p->entities, sizeof(p->entities));
    for (uint32_t i = 0; i < 2; i++) {
        must(kn_projection_take(p->world, all, ENTITIES_MAX + 1, NULL, NULL, 0, &size) == KN_OK,
            "no size of a projection");
        uint8_t *bytes = malloc(size);
        must(bytes != NULL && kn_projection_take(p->world, all, ENTITIES_MAX + 1, NULL, bytes, size,
                                  &size) == KN_OK,
            "no projection");
        must(kn_projection_write(other, bytes, size, &error) == KN_OK, error.message);
        must(!kn_world_difference(p->world, other, error.message, sizeof(error.message)),
            error.message);
        must(kn_world_hash(p->world) == kn_world_hash(other), "the projection is another world");
        bytes[take_u32(&p->in) % size] ^= (uint8_t)(1 + take_below(&p->in, 255));
        kn_world *spoilt = world_create(p->libraries[p->library]);
        kn_result result = kn_projection_write(spoilt, bytes, size, &error);
        must(result == KN_OK || result == KN_ERROR_BAD_DATA, kn_result_name(result));
        must(kn_world_validate(spoilt), "a changed projection leaves a world that is not valid");
        must(kn_projection_write(spoilt, bytes, take_u32(&p->in) % size, &error) ==
                 KN_ERROR_BAD_DATA,
            "a cut projection is accepted");
        kn_world_destroy(spoilt);
        free(bytes);
        step(p);
    }
    filter.viewer = (kn_viewer)take_below(&p->in, KN_VIEWER_COUNT);
    filter.parts = take_u8(&p->in);
    must(kn_projection_take(p->world, all, ENTITIES_MAX + 1, &filter, NULL, 0, &size) == KN_OK,
        "no size of a cut projection");
    uint8_t *bytes = malloc(size);
    must(bytes != NULL && kn_projection_take(p->world, all, ENTITIES_MAX + 1, &filter, bytes, size,
                              &size) == KN_OK,
        "no cut projection");
    kn_result result = kn_projection_write(other, bytes, size, &error);
    must(result == KN_OK || result == KN_ERROR_BAD_DATA, kn_result_name(result));
    must(kn_world_validate(other), "a cut projection leaves a world that is not valid");
    free(bytes);
    kn_world_destroy(other);
}

static void reload(play *p)
{
    kn_error error = {0};
    uint64_t before = kn_world_hash(p->world);
    p->library ^= 1;
    must(kn_world_reload(p->world, p->libraries[p->library], &error) == KN_OK, error.message);
    must(kn_world_hash(p->world) == before, "reloaded to another state");
}

static void act(play *p)
{
    uint32_t what = take_u8(&p->in);
    kn_entity_id *entity = &p->entities[what % ENTITIES_MAX];
    if (what < 110) {
        component_change(p);
    } else if (what < 180) {
        command_issue(p);
    } else if (what < 190 && kit.event_count > 0) {
        (void)kn_world_publish(
            p->world, *entity, kit.events[take_below(&p->in, kit.event_count)], NULL);
    } else if (what < 205) {
        (void)kn_entity_destroy(p->world, *entity);
        must(kn_entity_create(p->world, entity) == KN_OK, "no entity");
    } else if (what < 220) {
        step(p);
    } else if (what < 232 && p->saves++ < COPIES_MAX) {
        save_and_load(p);
    } else if (what < 244 && p->rollbacks++ < COPIES_MAX) {
        roll_back(p);
    } else if (what < 252 && p->projections++ < COPIES_MAX) {
        project(p);
    } else if (p->reloads++ < COPIES_MAX) {
        reload(p);
    }
    must(kn_world_validate(p->world), "the world is not valid");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    play p = {.library = 0};
    fuzz_input in = {data, size};
    p.libraries[0] = library_create(in, &p.in);
    if (p.libraries[0] == NULL) {
        return 0;
    }
    p.libraries[1] = library_create(in, &p.in);
    must(p.libraries[1] != NULL &&
             kn_library_hash(p.libraries[0]) == kn_library_hash(p.libraries[1]),
        "the same calls make another library");
    p.world = world_create(p.libraries[0]);
    for (uint32_t i = 0; i < ENTITIES_MAX; i++) {
        must(kn_entity_create(p.world, &p.entities[i]) == KN_OK, "no entity");
    }
    for (uint32_t i = 0; i < CALLS_MAX && p.in.size > 0; i++) {
        act(&p);
    }
    save_and_load(&p);
    roll_back(&p);
    project(&p);
    kn_world_destroy(p.world);
    kn_library_destroy(p.libraries[0]);
    kn_library_destroy(p.libraries[1]);
    return 0;
}
