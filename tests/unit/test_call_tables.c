// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The field tables of what calls take and give, compared with the structs.

#include "knack/knack.h"

#include "test_memory.h"

// A struct as the compiler sees it.
typedef struct measure {
    const char *name;
    size_t size;
} measure;

#define OF(type)                                                                                   \
    {                                                                                              \
#type, sizeof(type)                                                                        \
    }

static const measure structs[KN_STRUCT_COUNT] = {
    [KN_STRUCT_EFFECT_APPLY_DEF] = OF(kn_effect_apply_def),
    [KN_STRUCT_EFFECT_CONTEXT] = OF(kn_effect_context),
    [KN_STRUCT_EFFECT_QUERY] = OF(kn_effect_query),
    [KN_STRUCT_EFFECT_INFO] = OF(kn_effect_info),
    [KN_STRUCT_EFFECT_REFUSAL] = OF(kn_effect_refusal),
    [KN_STRUCT_CONTAINER_APPLY_DEF] = OF(kn_container_apply_def),
    [KN_STRUCT_MODIFIER_VIEW] = OF(kn_modifier_view),
    [KN_STRUCT_ATTRIBUTE_CHANGE] = OF(kn_attribute_change),
    [KN_STRUCT_EXECUTE_DATA] = OF(kn_execute_data),
    [KN_STRUCT_EVENT] = OF(kn_event),
    [KN_STRUCT_EVENT_RECORD] = OF(kn_event_record),
    [KN_STRUCT_REACTION] = OF(kn_reaction),
    [KN_STRUCT_ABILITY_GRANT_DEF] = OF(kn_ability_grant_def),
    [KN_STRUCT_ABILITY_QUERY] = OF(kn_ability_query),
    [KN_STRUCT_ABILITY_INFO] = OF(kn_ability_info),
    [KN_STRUCT_ABILITY_CALL] = OF(kn_ability_call),
    [KN_STRUCT_REFUSAL_LINE] = OF(kn_refusal_line),
    [KN_STRUCT_COST_QUOTE] = OF(kn_cost_quote),
    [KN_STRUCT_COOLDOWN_INFO] = OF(kn_cooldown_info),
    [KN_STRUCT_TASK_DEF] = OF(kn_task_def),
    [KN_STRUCT_TASK_INFO] = OF(kn_task_info),
    [KN_STRUCT_TASK_CALL] = OF(kn_task_call),
    [KN_STRUCT_TASK_RESULT] = OF(kn_task_result),
    [KN_STRUCT_MOTION_DEF] = OF(kn_motion_def),
    [KN_STRUCT_MOTION_START] = OF(kn_motion_start),
    [KN_STRUCT_TARGETING_CALL] = OF(kn_targeting_call),
    [KN_STRUCT_SPACE_HIT] = OF(kn_space_hit),
    [KN_STRUCT_CUE_PARAMS] = OF(kn_cue_params),
    [KN_STRUCT_CAUSE_INFO] = OF(kn_cause_info),
    [KN_STRUCT_CANCEL] = OF(kn_cancel),
    [KN_STRUCT_EFFECT_REAPPLICATION] = OF(kn_effect_reapplication),
};

static bool has_count(const kn_def_field *field)
{
    return field->kind == KN_DEF_FIELD_ARRAY || field->kind == KN_DEF_FIELD_REFS ||
           field->kind == KN_CALL_FIELD_BYTES;
}

static size_t table_alignment(const kn_def_table *table);

// Of 64 bits in a struct: 4 on some machines of 32 bits.
struct long_number {
    char first;
    uint64_t number;
};

static size_t field_alignment(const kn_def_field *field)
{
    switch (field->kind) {
    case KN_FIELD_U64:
    case KN_FIELD_I64:
    case KN_FIELD_TIME:
        return offsetof(struct long_number, number);
    case KN_DEF_FIELD_TAGS:
    case KN_CALL_FIELD_TARGETS:
        return sizeof(void *);
    case KN_DEF_FIELD_STRUCT:
        return table_alignment(field->table);
    default:
        return kn_def_field_size(field) < 4 ? kn_def_field_size(field)
               : kn_def_field_size(field) == sizeof(void *) &&
                       (has_count(field) || field->kind == KN_DEF_FIELD_POINTER ||
                           field->kind == KN_DEF_FIELD_QUERY)
                   ? sizeof(void *)
                   : 4; // ids, vectors, numbers
    }
}

static size_t table_alignment(const kn_def_table *table)
{
    size_t most = 1;
    for (uint32_t i = 0; i < table->field_count; i++) {
        size_t one = field_alignment(&table->fields[i]);
        most = one > most ? one : most;
    }
    return most;
}

static size_t aligned(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

// Fields follow each other with nothing between them but what alignment needs. Where they end.
static size_t expect_fields_in_order(const kn_def_table *table)
{
    size_t end = 0;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->offset != aligned(end, field_alignment(field))) {
            fail_msg("%s.%s is not where its table says, or a field before it is missing",
                table->name, field->name);
        }
        end = field->offset + kn_def_field_size(field) * field->count;
        if (has_count(field)) {
            assert_int_equal(field->count_offset, aligned(end, 4));
            end = field->count_offset + sizeof(uint32_t);
        }
    }
    return end;
}

static void tables_cover_their_structs_in_order(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KN_STRUCT_COUNT; i++) {
        const kn_def_table *table = kn_struct_table((kn_struct)i);
        assert_non_null(table);
        assert_string_equal(table->name, structs[i].name);
        assert_int_equal(table->size, structs[i].size);
        size_t end = expect_fields_in_order(table);
        if (i == KN_STRUCT_TASK_RESULT) {
            assert_int_equal(aligned(end, 8), offsetof(kn_task_result, data));
        } else if (i == KN_STRUCT_EVENT) {
            assert_int_equal(aligned(end, 8), offsetof(kn_event, data));
        } else {
            assert_int_equal(aligned(end, table_alignment(table)), structs[i].size);
        }
    }
    assert_null(kn_struct_table(KN_STRUCT_COUNT));
}

static void expect_words(const kn_def_table *table)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        assert_true(field->names != NULL || field->kind != KN_DEF_FIELD_ENUM);
        for (uint32_t a = 0; field->names != NULL && a < field->limit; a++) {
            assert_non_null(field->names[a]);
            assert_true(a == 0 || field->names[a][0] != 0);
            for (uint32_t b = 0; b < a; b++) {
                assert_string_not_equal(field->names[a], field->names[b]);
            }
        }
    }
}

static void every_value_of_every_enum_has_a_word_of_its_own(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KN_STRUCT_COUNT; i++) {
        expect_words(kn_struct_table((kn_struct)i));
    }
    for (uint32_t i = 0; i < KN_TASK_KIND_COUNT || i < KN_EVENT_TYPE_COUNT; i++) {
        const kn_def_table *task = kn_task_data_table(i);
        const kn_def_table *event = kn_event_data_table((kn_event_type)i);
        if (task != NULL) {
            expect_words(task);
        }
        if (event != NULL) {
            expect_words(event);
        }
    }
}

// The word of a table, and the words for people, which have blanks.
static void expect_same_word(const char *word, const char *text)
{
    assert_int_equal(strlen(word), strlen(text));
    for (; *word != 0; word++, text++) {
        assert_int_equal(*word, *text == ' ' ? '_' : *text);
    }
}

static const kn_def_field *field_of(kn_struct which, const char *name)
{
    const kn_def_field *field = kn_def_field_find(kn_struct_table(which), name);
    assert_non_null(field);
    return field;
}

static void words_of_reasons_are_those_of_their_names(void **state)
{
    (void)state;
    const kn_def_field *field = field_of(KN_STRUCT_REACTION, "reason");
    assert_int_equal(field->limit, KN_REMOVAL_REASON_COUNT);
    for (uint32_t i = 0; i < field->limit; i++) {
        expect_same_word(field->names[i], kn_removal_reason_name((kn_removal_reason)i));
    }
    field = field_of(KN_STRUCT_REACTION, "end_reason");
    assert_int_equal(field->limit, KN_END_REASON_COUNT);
    for (uint32_t i = 0; i < field->limit; i++) {
        expect_same_word(field->names[i], kn_end_reason_name((kn_end_reason)i));
    }
    field = field_of(KN_STRUCT_REFUSAL_LINE, "reason");
    assert_int_equal(field->limit, KN_FAIL_COUNT);
    for (uint32_t i = 0; i < field->limit; i++) {
        expect_same_word(field->names[i], kn_fail_name((kn_fail)(1 << i)));
    }
    assert_null(kn_def_field_find(kn_struct_table(KN_STRUCT_REACTION), "nothing"));
}

// Fields of a member of `data`, which begins at `start`, in order and without gaps.
static void expect_member(const kn_def_table *table, size_t start, size_t size)
{
    size_t end = start;
    assert_int_equal(table != NULL, size > 0);
    for (uint32_t i = 0; table != NULL && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        assert_int_equal(field->offset, aligned(end, field_alignment(field)));
        end = field->offset + kn_def_field_size(field);
        end = has_count(field) ? field->count_offset + sizeof(uint32_t) : end;
    }
    if (table != NULL) {
        assert_int_equal(aligned(end - start, table_alignment(table)), size);
    }
}

static void data_of_results_is_covered_by_kind(void **state)
{
    (void)state;
#define SIZE(member) sizeof(((kn_task_result *)NULL)->data.member)
#define BEFORE(member, field)                                                                      \
    (offsetof(kn_task_result, data.member.field) - offsetof(kn_task_result, data))
    static const size_t sizes[KN_TASK_KIND_COUNT] = {
        [KN_TASK_REPEAT] = SIZE(repeat),
        [KN_TASK_TAG_ADDED] = SIZE(tag),
        [KN_TASK_TAG_REMOVED] = SIZE(tag),
        [KN_TASK_TAG_QUERY] = SIZE(tag),
        [KN_TASK_ANIMATION] = SIZE(tag),
        [KN_TASK_ATTRIBUTE] = SIZE(attribute),
        [KN_TASK_THRESHOLD] = SIZE(attribute),
        [KN_TASK_EFFECT_APPLIED] = SIZE(effect),
        [KN_TASK_EFFECT_REMOVED] = SIZE(effect),
        [KN_TASK_EFFECT_STACKS] = SIZE(effect),
        [KN_TASK_ABILITY_ACTIVATED] = BEFORE(ability, instigator),
        [KN_TASK_ABILITY_COMMITTED] = BEFORE(ability, instigator),
        [KN_TASK_ABILITY_ENDED] = SIZE(ability),
        [KN_TASK_INPUT_PRESSED] = SIZE(held),
        [KN_TASK_INPUT_RELEASED] = SIZE(held),
        [KN_TASK_OVERLAP] = SIZE(entity),
        [KN_TASK_SPAWN] = SIZE(entity),
        [KN_TASK_MOVEMENT] = SIZE(mode),
        [KN_TASK_TARGET] = SIZE(targets),
        [KN_TASK_CUSTOM] = SIZE(custom),
    };
#undef BEFORE
#undef SIZE
    for (uint32_t kind = 0; kind < KN_TASK_KIND_COUNT; kind++) {
        expect_member(kn_task_data_table(kind), offsetof(kn_task_result, data), sizes[kind]);
    }
    assert_null(kn_task_data_table(KN_TASK_KIND_COUNT));
}

static void data_of_events_is_covered_by_type(void **state)
{
    (void)state;
#define SIZE(member) sizeof(((kn_event *)NULL)->data.member)
    // The level shares its place with a larger id.
    const size_t level = SIZE(effect) - SIZE(effect.by) + SIZE(effect.level);
    const struct {
        kn_event_type first, last;
        size_t size;
    } rows[] = {
        {KN_EVENT_ENTITY_CREATED, KN_EVENT_ENTITY_DESTROYED, 0},
        {KN_EVENT_AVATAR_CHANGED, KN_EVENT_OWNER_CHANGED, SIZE(avatar)},
        {KN_EVENT_TAG_COUNT, KN_EVENT_TAG_CHANGED, SIZE(tag)},
        {KN_EVENT_ATTRIBUTE_CHANGED, KN_EVENT_ATTRIBUTE_INITIALISED, SIZE(attribute)},
        {KN_EVENT_SET_ADDED, KN_EVENT_SET_REMOVED, SIZE(set)},
        {KN_EVENT_EFFECT_APPLIED, KN_EVENT_EFFECT_TIME, level},
        {KN_EVENT_EFFECT_BLOCKED, KN_EVENT_EFFECT_PART_BLOCKED, SIZE(effect)},
        {KN_EVENT_EFFECT_REFUSED, KN_EVENT_EFFECT_REFUSED, SIZE(refusal)},
        {KN_EVENT_RESTRICTED, KN_EVENT_RECORD, SIZE(record)},
        {KN_EVENT_CUE, KN_EVENT_CUE, SIZE(cue)},
        {KN_EVENT_ERROR, KN_EVENT_ERROR, SIZE(error)},
        {KN_EVENT_ABILITY_GRANTED, KN_EVENT_ABILITY_STATUS, SIZE(ability)},
        {KN_EVENT_CHARGES, KN_EVENT_CHARGES, SIZE(charges)},
        {KN_EVENT_ANIMATION, KN_EVENT_ANIMATION, SIZE(animation)},
        {KN_EVENT_MOTION, KN_EVENT_MOTION, SIZE(motion)},
        {KN_EVENT_REQUEST, KN_EVENT_REQUEST, SIZE(request)},
        {KN_EVENT_RETICLE, KN_EVENT_RETICLE, SIZE(reticle)},
        {KN_EVENT_COMMAND, KN_EVENT_COMMAND, SIZE(command)},
        {KN_EVENT_CUSTOM, KN_EVENT_CUSTOM, SIZE(custom)},
        {KN_EVENT_EARLY_USE, KN_EVENT_EARLY_USE, SIZE(charges)},
    };
#undef SIZE
    uint32_t type = 0;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        assert_int_equal(rows[i].first, type); // none is left out
        for (; type <= (uint32_t)rows[i].last; type++) {
            expect_member(
                kn_event_data_table((kn_event_type)type), offsetof(kn_event, data), rows[i].size);
        }
    }
    assert_int_equal(type, KN_EVENT_TYPE_COUNT);
    assert_null(kn_event_data_table(KN_EVENT_TYPE_COUNT));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(tables_cover_their_structs_in_order),
    cmocka_unit_test(every_value_of_every_enum_has_a_word_of_its_own),
    cmocka_unit_test(words_of_reasons_are_those_of_their_names),
    cmocka_unit_test(data_of_results_is_covered_by_kind),
    cmocka_unit_test(data_of_events_is_covered_by_type),
};

TEST_GROUP(test_call_tables, tests, NULL, NULL);
