// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A field that is in no table is neither saved nor hashed. So every byte of every state struct
// belongs to a field of its table, or to a member that is listed here with the reason why not; and
// every field of a table shows in the hash.

#include "ability/task.h"
#include "scenario/rich_world.h"
#include "world/state_tables.h"

// Members that no table has. "Derived" ones are rebuilt from the rest.
typedef struct left_out {
    size_t offset;
    size_t size;
} left_out;

#define OUT(type, member)                                                                          \
    {                                                                                              \
        offsetof(type, member), sizeof(((type *)NULL)->member)                                     \
    }

static void expect_covered(const kn_def_table *table, const left_out *others, uint32_t count)
{
    uint8_t seen[1024] = {0};
    assert_true(table->size <= sizeof(seen));
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        for (size_t j = 0; j < kni_field_size(field) * field->count; j++) {
            seen[field->offset + j]++;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = 0; j < others[i].size; j++) {
            seen[others[i].offset + j]++;
        }
    }
    for (size_t i = 0; i < table->size; i++) {
        if (seen[i] != 1) {
            fail_msg("%s: byte %u is in %u fields", table->name, (unsigned)i, (unsigned)seen[i]);
        }
    }
}

#define EXPECT_COVERED(table, others)                                                              \
    expect_covered(&(table), others, sizeof(others) / sizeof(*(others)))

static void every_byte_of_a_state_struct_belongs_to_a_field(void **state)
{
    (void)state;
    const left_out entity[] = {OUT(kni_entity, component1)}; // from the components' owners
    EXPECT_COVERED(kni_entity_table, entity);
    const left_out component[] = {OUT(kni_component, values),    // beside the table, set by set
        OUT(kni_component, layout), OUT(kni_component, flags),   // of the running call
        OUT(kni_component, generation),                          // the owner's
        OUT(kni_component, actor1), OUT(kni_component, version), // for observers
        OUT(kni_component, touched), OUT(kni_component, effects), OUT(kni_component, gate_count),
        OUT(kni_component, watch_count), OUT(kni_component, owned_count),
        OUT(kni_component, edit_count),
        OUT(kni_component, tags), // hashed by hand; saved as origins, the rest is derived
        OUT(kni_component, origins), OUT(kni_component, blocked), OUT(kni_component, dependents),
        OUT(kni_component, transients), OUT(kni_component, owned), OUT(kni_component, child1),
        OUT(kni_component, sibling1), OUT(kni_component, sibling_back1)};
    EXPECT_COVERED(kni_component_table, component);
    const left_out value[] = {OUT(kni_value, aggregator1)};
    EXPECT_COVERED(kni_value_table, value);
    expect_covered(&kni_tag_row_table, NULL, 0);
    expect_covered(&kni_origin_row_table, NULL, 0);
    const left_out effect[] = {OUT(kni_effect, rare1)}; // a place; its content is there
    EXPECT_COVERED(kni_effect_table, effect);
    const size_t ids_end = offsetof(kni_rare, activation) + sizeof(kn_activation_id);
    const left_out rare[] = {{ids_end, offsetof(kni_rare, source_object) - ids_end}}; // padding
    EXPECT_COVERED(kni_rare_table, rare);
    expect_covered(&kni_caller_pair_table, NULL, 0);
    expect_covered(&kni_named_pair_table, NULL, 0);
    expect_covered(&kni_tag_item_table, NULL, 0);
    expect_covered(&kni_magnitude_item_table, NULL, 0);
    expect_covered(&kni_capture_item_table, NULL, 0);
    expect_covered(&kni_stack_table, NULL, 0);
    expect_covered(&kni_child_link_table, NULL, 0);
    const left_out spec[] = {OUT(kni_spec, rare1), OUT(kni_spec, unused)};
    EXPECT_COVERED(kni_spec_table, spec);
    const left_out timer[] = {
        OUT(kni_rule_timer, next1), OUT(kni_rule_timer, back1), OUT(kni_rule_timer, unused)};
    EXPECT_COVERED(kni_rule_timer_table, timer);
    expect_covered(&kni_random_table, NULL, 0);
    const left_out actor[] = {OUT(kni_actor, watch_mask), OUT(kni_actor, rate_count),
        OUT(kni_actor, abilities), OUT(kni_actor, activations), OUT(kni_actor, charges),
        OUT(kni_actor, watchers), OUT(kni_actor, cues), // all derived
        OUT(kni_actor, unused)};
    EXPECT_COVERED(kni_actor_table, actor);
    const left_out ability[] = {OUT(kni_ability, status), OUT(kni_ability, status_version),
        OUT(kni_ability, told_status), OUT(kni_ability, unused)}; // for observers
    EXPECT_COVERED(kni_ability_table, ability);
    const left_out activation[] = {OUT(kni_activation, tasks), OUT(kni_activation, cues)};
    EXPECT_COVERED(kni_activation_table, activation);
    const left_out charge[] = {OUT(kni_charge, unused), OUT(kni_charge, early_at)}; // by its times
    EXPECT_COVERED(kni_charge_table, charge);
    expect_covered(&kni_payload_table, NULL, 0);
    const left_out task[] = {OUT(kni_task, unused)};
    EXPECT_COVERED(kni_task_table, task);
    const left_out cue[] = {OUT(kni_cue, unused)};
    EXPECT_COVERED(kni_cue_table, cue);
    expect_covered(&kni_switch_table, NULL, 0);
    const left_out watch[] = {OUT(kni_watch, next1), OUT(kni_watch, back1),
        OUT(kni_watch, own_next1), OUT(kni_watch, own_back1), OUT(kni_watch, unused)};
    EXPECT_COVERED(kni_watch_table, watch);
    const left_out block[] = {OUT(kni_tag_block, next1), OUT(kni_tag_block, back1),
        OUT(kni_tag_block, by_next1), OUT(kni_tag_block, by_back1), OUT(kni_tag_block, unused)};
    EXPECT_COVERED(kni_tag_block_table, block);
    const left_out head[] = {OUT(kni_extension_head, items), // the component type's table
        OUT(kni_extension_head, generation),                 // 0 without `several`
        OUT(kni_extension_head, next1), OUT(kni_extension_head, back1)};
    EXPECT_COVERED(kni_extension_head_table, head);
    const left_out instance[] = {OUT(kni_extension_head, items), OUT(kni_extension_head, next1),
        OUT(kni_extension_head, back1)}; // the order of the save
    EXPECT_COVERED(kni_extension_instance_table, instance);
}

static void tables_describe_the_whole_struct_they_name(void **state)
{
    (void)state;
    assert_int_equal(kni_table_covered(&kni_random_table), sizeof(kni_random));
    assert_int_equal(kni_table_covered(&kni_stack_table), sizeof(kni_stack));
    assert_int_equal(kni_table_covered(&kni_tag_row_table), sizeof(kni_tag_row));
}

// Every bit -----------------------------------------------------------------

// Flips each bit of each plain field of a record in a world and expects the hash to notice. What
// cannot be flipped without leading nowhere is changed in its lowest bit only.
static void expect_hashed(kn_world *world, const kn_def_table *table, void *record)
{
    uint64_t before = kn_world_hash(world);
    uint8_t *bytes = record;
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        bool leads = field->kind == KN_STATE_FIELD_LIST || field->kind == KN_STATE_FIELD_BLOCK ||
                     field->kind == KN_STATE_FIELD_INDEX16 ||
                     field->kind == KN_STATE_FIELD_INDEX32 ||
                     (field->kind == KN_DEF_FIELD_REF && field->limit == KN_DEF_CONTEXT);
        size_t size = kni_field_size(field) * field->count;
        for (size_t bit = 0; !leads && bit < size * 8; bit++) {
            if (field->kind == KN_STATE_FIELD_FLAGS16 && (field->limit >> bit & 1) == 0) {
                continue;
            }
            size_t byte = kni_is_big_endian() ? size - 1 - bit / 8 : bit / 8;
            bytes[field->offset + byte] ^= (uint8_t)(1u << (bit % 8));
            if (kn_world_hash(world) == before) {
                fail_msg(
                    "%s.%s, bit %u is not in the hash", table->name, field->name, (unsigned)bit);
            }
            bytes[field->offset + byte] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    assert_int_equal(kn_world_hash(world), before);
}

static void expect_items_hashed(
    kn_world *world, const kn_def_table *table, const kni_span *span, const char *what)
{
    if (span->count == 0) {
        fail_msg("the world has no %s to look at", what);
    }
    expect_hashed(world, table, kni_span_at(&world->heap, span, 0, table->size));
}

static kni_rare *rare_of(kn_world *world, const char *type_name)
{
    kni_rare *found = NULL;
    for (uint32_t i = kni_pool_next(&world->effects, 0); i != KNI_NONE;
         i = kni_pool_next(&world->effects, i + 1)) {
        const kni_effect *effect = kni_effect_at(world, i);
        if (strcmp(kni_type_at(world, effect->type)->name, type_name) != 0 || effect->rare1 == 0) {
            continue;
        }
        kni_rare *rare = kni_rare_at(world, effect->rare1);
        found = found == NULL || rare->children.count > 0 ? rare : found;
    }
    assert_non_null(found);
    return found;
}

static void every_bit_of_every_field_is_in_the_hash(void **state)
{
    (void)state;
    kn_library *library = rich_library(0);
    kn_world *world = rich_world_create(library, NULL);
    rich_step(world, 2);
    expect_hashed(world, &kni_random_table, &world->streams[3]);
    expect_hashed(world, &kni_entity_table, kni_entity_at(world, 1));
    expect_hashed(world, &kni_component_table, kni_component_at(world, 1));
    expect_hashed(world, &kni_value_table, &kni_values_of(world, kni_component_at(world, 0))[4]);
    expect_hashed(world, &kni_value_table, &kni_values_of(world, kni_component_at(world, 1))[1]);
    const kni_component *component = kni_component_at(world, 1);
    expect_items_hashed(world, &kni_tag_row_table, &component->tags, "tag row");
    expect_items_hashed(world, &kni_origin_row_table, &component->origins, "origin row");
    for (uint32_t i = kni_pool_next(&world->effects, 0); i != KNI_NONE;
         i = kni_pool_next(&world->effects, i + 1)) {
        if (i % 8 == 0) {
            expect_hashed(world, &kni_effect_table, kni_effect_at(world, i));
        }
    }
    const kni_rare *curse = rare_of(world, "Curse");
    expect_items_hashed(world, &kni_caller_pair_table, &curse->caller, "caller value");
    expect_items_hashed(world, &kni_named_pair_table, &curse->named, "named value");
    expect_items_hashed(world, &kni_tag_item_table, &curse->granted, "granted tag");
    expect_items_hashed(world, &kni_tag_item_table, &curse->asset, "asset tag");
    expect_items_hashed(world, &kni_magnitude_item_table, &curse->magnitudes, "magnitude");
    expect_items_hashed(world, &kni_stack_table, &rare_of(world, "Venom")->stacks, "stack");
    expect_items_hashed(world, &kni_child_link_table, &rare_of(world, "Bleed")->children, "child");
    expect_hashed(world, &kni_rare_table, rare_of(world, "Curse"));
    float *capture = kni_span_at(&world->heap, &rare_of(world, "Bond")->captures, 0, sizeof(float));
    uint64_t before = kn_world_hash(world);
    *capture += 1.0f;
    assert_int_not_equal(kn_world_hash(world), before);
    uint32_t spec = kni_pool_next(&world->specs, 0);
    assert_int_not_equal(spec, KNI_NONE);
    expect_hashed(world, &kni_spec_table, kni_pool_at(&world->specs, spec));
    uint32_t timer = kni_pool_next(&world->timers, 0);
    assert_int_not_equal(timer, KNI_NONE);
    expect_hashed(world, &kni_rule_timer_table, kni_pool_at(&world->timers, timer));
    kni_pool *charges = &world->extensions[0].pool;
    kni_extension_head *head = kni_pool_at(charges, kni_pool_next(charges, 0));
    const kni_component_type *type = kni_component_type_at(library, 0);
    expect_hashed(world, &kni_extension_head_table, head);
    rich_charge *charge = (rich_charge *)(head + 1);
    charge->is_full = false; // a bool is true or false, whatever its bits
    kn_def_table plain = {
        type->record.table.name, type->record.table.size, type->record.table.fields, 8, NULL};
    expect_hashed(world, &plain, charge);
    expect_items_hashed(world, &type->items.table, &head->items, "item");
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_byte_of_a_state_struct_belongs_to_a_field),
    cmocka_unit_test(tables_describe_the_whole_struct_they_name),
    cmocka_unit_test(every_bit_of_every_field_is_in_the_hash),
};

TEST_GROUP(test_state_tables, tests, NULL, NULL);
