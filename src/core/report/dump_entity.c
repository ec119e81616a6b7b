// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Everything about one entity as text. Abilities, tasks, cooldowns and cues are in dump_actor.c.

#include "report/dump.h"

// Tags ------------------------------------------------------------

static void dump_link(kni_text *text, const char *name, kn_entity_id entity)
{
    if (entity.index1 != 0) {
        kni_text_str(text, ", ");
        kni_text_str(text, name);
        kni_text_char(text, ' ');
        kni_text_entity(text, entity);
    }
}

static void dump_heading(
    kni_text *text, const kn_world *world, kn_entity_id entity, const kni_component *component)
{
    kni_text_entity(text, entity);
    kni_text_str(text, " at ");
    kni_text_time(text, world->now);
    if (component != NULL) {
        kn_entity_id holder = kni_entity_id_of(world, component->entity);
        if (!kn_entity_id_equal(holder, entity)) {
            dump_link(text, "body of", holder);
        } else if (!kn_entity_id_equal(component->avatar, entity)) {
            dump_link(text, "body", component->avatar);
        }
        dump_link(text, "part of", component->parent);
        dump_link(text, "owned by", component->owner);
        if (component->connection != 0) {
            kni_text_str(text, ", connection ");
            kni_text_u64(text, component->connection);
        }
        if ((component->flags & KNI_COMPONENT_DYING) != 0) {
            kni_text_str(text, ", dying");
        }
    }
    uint64_t user = kn_entity_user(world, entity);
    if (user != 0) {
        kni_text_str(text, ", user ");
        kni_text_u64(text, user);
    }
    kni_text_char(text, '\n');
}

// Counts by origin that are not 0.
static void dump_origins(kni_text *text, const kn_world *world, kn_entity_id entity, kn_tag tag)
{
    bool is_first = true;
    for (uint32_t i = 0; i < KN_TAG_ORIGIN_COUNT; i++) {
        uint32_t count = kn_entity_tag_count_origin(world, entity, tag, (kn_tag_origin)i);
        if (count > 0) {
            kni_text_str(text, is_first ? "  (" : ", ");
            kni_text_str(text, kni_origin_word((kn_tag_origin)i));
            kni_text_char(text, ' ');
            kni_text_u64(text, count);
            is_first = false;
        }
    }
    kni_text_str(text, is_first ? "" : ")");
}

// "hidden by Hide #3", "shows as Form.Wolf by Shape #2", "shown by Howl #4".
static void dump_look(kni_text *text, const kn_world *world, uint32_t component, uint32_t tag)
{
    kni_tag_look look = kni_tag_look_of(world, component, tag);
    if (look.by.index1 == 0) {
        return;
    }
    if (look.is_shown) {
        kni_text_str(text, "  shown by ");
    } else if (look.with.index1 != 0) {
        kni_text_str(text, "  shows as ");
        kni_text_tag(text, world, look.with);
        kni_text_str(text, " by ");
    } else {
        kni_text_str(text, "  hidden by ");
    }
    kni_text_effect(text, world, look.by);
}

static void dump_tags(
    kni_text *text, const kn_world *world, kn_entity_id entity, uint32_t component)
{
    uint32_t width = 0;
    for (uint32_t i = 0; (i = kni_tag_next(world, component, i)) != 0;) {
        width = kni_larger(width, (uint32_t)strlen(kn_tag_name(world->library, (kn_tag){i})));
    }
    kni_text_str(text, width > 0 ? "tags\n" : "");
    for (uint32_t i = 0; (i = kni_tag_next(world, component, i)) != 0;) {
        kn_tag tag = {i};
        kni_text_str(text, "  ");
        uint32_t start = text->length;
        kni_text_tag(text, world, tag);
        kni_text_pad(text, start, width + 2);
        kni_text_u64(text, kni_tag_count_exact(world, component, i));
        dump_origins(text, world, entity, tag);
        dump_look(text, world, component, i);
        kni_text_char(text, '\n');
    }
}

// "  (ability Cast, effect Silence #4, entity 3 key 7)"
static void dump_blockers(kni_text *text, const kn_world *world, uint32_t slot, kn_tag tag)
{
    bool is_first = true;
    kn_blocked_tag blocked;
    for (uint32_t i = 0; kni_blocked_tags(world, slot, i, &blocked, 1) > i; i++) {
        if (blocked.tag.index1 != tag.index1) {
            continue;
        }
        kni_text_str(text, is_first ? "  (" : ", ");
        is_first = false;
        uint32_t ability = kni_ability_find(world, blocked.ability);
        if (ability != KNI_NONE) {
            kni_text_str(text, "ability ");
            kni_text_str(text, kni_type_of_ability(world, ability)->name);
        } else if (blocked.effect.index1 != 0) {
            kni_text_str(text, "effect ");
            kni_text_effect(text, world, blocked.effect);
        } else {
            kni_text_block_source(text, blocked.source, blocked.key);
        }
    }
    kni_text_str(text, is_first ? "" : ")");
}

void kni_dump_blocked(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_component *component = kni_component_at(world, slot);
    if (component->blocked.count == 0) {
        return;
    }
    kni_text_str(text, "blocked ability tags: ");
    kni_text_u64(text, component->blocked.count);
    kni_text_char(text, '\n');
    for (uint32_t i = 0; i < component->blocked.count; i++) {
        const kni_tag_row *row = KNI_SPAN_AT(world, component->blocked, kni_tag_row, i);
        kn_tag tag = {row->tag};
        kni_text_str(text, "  ");
        kni_text_tag(text, world, tag);
        kni_text_str(text, "  ");
        kni_text_u64(text, row->total);
        dump_blockers(text, world, slot, tag);
        kni_text_char(text, '\n');
    }
}

// Attributes ------------------------------------------------------

static uint32_t attribute_width(
    const kn_world *world, const kni_component *component, uint32_t position, bool is_value)
{
    uint32_t key;
    uint32_t index = kni_attribute_at_position(world, component, position, &key);
    kni_text probe;
    kni_text_init(&probe, NULL, 0);
    if (is_value) {
        kni_text_float(&probe, kni_values_of(world, component)[position].current);
    } else {
        kni_text_attribute(&probe, world, (kn_attribute_id){index + 1}, key);
    }
    return probe.length;
}

static void dump_attributes(kni_text *text, const kn_world *world, const kni_component *component)
{
    uint32_t count = world->layouts[component->layout].value_count;
    uint32_t name_width = 0, value_width = 0;
    for (uint32_t i = 0; i < count; i++) {
        name_width = kni_larger(name_width, attribute_width(world, component, i, false));
        value_width = kni_larger(value_width, attribute_width(world, component, i, true));
    }
    if (count > 0) {
        kni_text_str(text, "attributes\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t key;
        uint32_t index = kni_attribute_at_position(world, component, i, &key);
        const kni_attribute *attribute = kni_attribute_at(world->library, index);
        kni_value value = kni_values_of(world, component)[i];
        kni_text_str(text, "  ");
        uint32_t start = text->length;
        kni_text_attribute(text, world, (kn_attribute_id){index + 1}, key);
        kni_text_pad(text, start, name_width + 2);
        kni_text_float(text, value.current);
        kni_text_pad(text, start, name_width + 2 + value_width + 2);
        kni_text_str(text, "base ");
        kni_text_float(text, value.base);
        if ((attribute->flags & KNI_ATTRIBUTE_META) != 0) {
            kni_text_str(text, "  meta");
        }
        kni_text_char(text, '\n');
    }
}

// Effects ---------------------------------------------------------

static void modifier_target(kni_text *text, const kn_world *world, const kni_modifier *modifier)
{
    if (modifier->attribute == KNI_NONE) {
        kni_text_str(text, kn_value_name(world->library, (kn_value_id){modifier->value + 1}));
    } else {
        kni_text_attribute(text, world, (kn_attribute_id){modifier->attribute + 1}, modifier->key);
    }
}

static void dump_modifiers(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    uint32_t width = 0;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        kni_text probe;
        kni_text_init(&probe, NULL, 0);
        modifier_target(&probe, world, &type->modifiers[i]);
        width = kni_larger(width, probe.length);
    }
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        kn_qualification qualification = kni_modifier_qualification(world, effect, i);
        kni_text_str(text, "    ");
        uint32_t start = text->length;
        modifier_target(text, world, modifier);
        kni_text_pad(text, start, width + 2);
        kni_text_modifier(text, (kn_op)modifier->op,
            kn_effect_magnitude(world, kni_effect_id_of(world, slot), i), 1, modifier->channel,
            qualification);
        if (qualification == KN_QUALIFICATION_OK && (type->flags & KNI_EFFECT_PERIODIC) != 0) {
            kni_text_str(text, " each tick");
        }
        if ((type->flags & KNI_EFFECT_OWNED) != 0) {
            kni_text_str(text, " on all it owns");
        }
        kni_text_char(text, '\n');
    }
}

static void dump_granted(kni_text *text, const kn_world *world, const kni_effect *effect)
{
    const kni_effect_type *type = kni_type_at(world, effect->type);
    const kni_rare *rare = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1) : NULL;
    uint32_t dynamic = rare != NULL ? rare->granted.count : 0;
    if (type->granted_count + dynamic == 0) {
        return;
    }
    kni_text_str(text, "    grants ");
    for (uint32_t i = 0; i < type->granted_count + dynamic; i++) {
        kn_tag tag = {i < type->granted_count
                          ? type->granted[i].index1
                          : *KNI_SPAN_AT(world, rare->granted, uint32_t, i - type->granted_count)};
        kni_text_str(text, i > 0 ? ", " : "");
        kni_text_tag(text, world, tag);
    }
    kni_text_char(text, '\n');
}

static void dump_effect_times(kni_text *text, const kn_world *world, const kn_effect_info *info)
{
    if (info->duration == KN_TIME_INFINITE) {
        kni_text_str(text, ", forever");
    } else {
        kni_text_str(text, ", ");
        kni_text_seconds(text, info->remaining);
        kni_text_str(text, " left of ");
        kni_text_seconds(text, info->duration);
    }
    if (info->period == 0) {
        return;
    }
    kni_text_str(text, ", every ");
    kni_text_seconds(text, info->period);
    bool is_finite = info->duration != KN_TIME_INFINITE;
    if (info->next_tick == KN_TIME_INFINITE ||
        (is_finite && info->next_tick - world->now > info->remaining)) {
        kni_text_str(text, ", no tick due");
    } else {
        kni_text_str(text, ", next tick in ");
        kni_text_seconds(text, info->next_tick - world->now);
    }
    kni_text_str(text, ", ");
    kni_text_u64(text, info->executions);
    kni_text_str(text, " done");
}

// ", inhibited: needs State.Lit"
static void dump_inhibited(kni_text *text, const kn_world *world, uint32_t slot)
{
    if ((kni_effect_at(world, slot)->flags & KNI_ACTIVE_INHIBITED) != 0) {
        kn_spec_view view = kni_effect_look(world, slot);
        kni_text_str(text, ", inhibited: ");
        kni_text_unmet(text, &view, &view.type->def.ongoing);
    }
}

static void dump_effect(kni_text *text, const kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_effect_info info;
    if (!kn_effect_get(world, id, &info)) {
        return;
    }
    kni_text_str(text, "  ");
    kni_text_type_and_number(text, world, info.type, id);
    kni_text_str(text, "  level ");
    kni_text_float(text, info.level);
    kni_text_str(text, ", ");
    kni_text_u64(text, info.stacks);
    kni_text_str(text, info.stacks == 1 ? " stack" : " stacks");
    dump_effect_times(text, world, &info);
    if (info.source.index1 != 0) {
        kni_text_str(text, ", by ");
        kni_text_entity(text, info.source);
        kni_text_str(text, kn_entity_is_alive(world, info.source) ? "" : " (gone)");
    }
    if (info.tally_gain != 0.0f || info.tally_loss != 0.0f) {
        kni_text_str(text, ", gained ");
        kni_text_float(text, info.tally_gain);
        kni_text_str(text, ", lost ");
        kni_text_float(text, info.tally_loss);
    }
    dump_inhibited(text, world, slot);
    kni_text_char(text, '\n');
    dump_modifiers(text, world, slot);
    dump_granted(text, world, effect);
    kni_dump_state(text, world, 4, kni_effect_state_look(world, slot));
}

static void dump_effects(kni_text *text, const kn_world *world, const kni_component *component)
{
    if (component->effects.count > 0) {
        kni_text_str(text, "effects\n");
    }
    for (uint32_t i = 0; i < component->effects.count; i++) {
        dump_effect(text, world, *KNI_SPAN_AT(world, component->effects, uint32_t, i));
    }
}

// Extension components --------------------------------------------

// "Fireball #3" for an ability that exists, "task #4" for other things, "none".
static void dump_id(
    kni_text *text, const kn_world *world, uint32_t kind, uint32_t index1, uint32_t generation)
{
    static const char *const nouns[KN_FIELD_KIND_END] = {[KN_FIELD_ABILITY] = "ability",
        [KN_FIELD_ACTIVATION] = "activation",
        [KN_FIELD_TASK] = "task",
        [KN_FIELD_TIMER] = "timer",
        [KN_FIELD_SPEC] = "spec"};
    if (kind == KN_FIELD_ENTITY) {
        kni_text_entity(text, (kn_entity_id){index1, generation});
    } else if (kind == KN_FIELD_EFFECT) {
        kni_text_effect(text, world, (kn_effect_id){index1, generation});
    } else if (index1 == 0) {
        kni_text_str(text, "none");
    } else {
        uint32_t ability = kind == KN_FIELD_ABILITY
                               ? kni_ability_find(world, (kn_ability_id){index1, generation})
                               : KNI_NONE;
        kni_text_str(text,
            ability != KNI_NONE ? kni_type_of_ability(world, ability)->def.name : nouns[kind]);
        kni_text_str(text, " #");
        kni_text_u64(text, index1 - 1);
    }
}

static void dump_element(
    kni_text *text, const kn_world *world, const kn_def_field *field, const uint8_t *at)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    uint64_t number = kni_element_word(field, at, 0);
    switch (kind->number) {
    case KNI_NUMBER_BOOL:
        kni_text_str(text, number != 0 ? "true" : "false");
        break;
    case KNI_NUMBER_SIGNED:
        kni_text_i64(text, kni_element_signed(field, at));
        break;
    case KNI_NUMBER_FLOAT:
        for (uint32_t i = 0; i < kind->words; i++) {
            kni_text_str(text, i > 0 ? " " : "");
            kni_text_float(text, kni_element_float(at, i));
        }
        break;
    case KNI_NUMBER_TIME:
        kni_text_seconds(text, (kn_time)number);
        break;
    case KNI_NUMBER_ID:
        dump_id(
            text, world, field->kind, (uint32_t)number, (uint32_t)kni_element_word(field, at, 1));
        break;
    case KNI_NUMBER_REF:
        if (field->kind == KN_FIELD_TAG) {
            kni_text_tag(text, world, (kn_tag){(uint32_t)number});
        } else if (field->kind == KN_FIELD_ATTRIBUTE) {
            kni_text_attribute(text, world, (kn_attribute_id){(uint32_t)number}, 0);
        } else if (field->kind == KN_FIELD_REF && number == 0) {
            kni_text_str(text, "none");
        } else {
            kni_text_str(text, kni_referred_name(world, field, at));
        }
        break;
    default:
        if (field->kind == KN_FIELD_ENUM && kni_element_name(field, at) != NULL) {
            kni_text_str(text, kni_element_name(field, at));
        } else {
            kni_text_u64(text, number);
        }
        break;
    }
}

void kni_text_field(
    kni_text *text, const kn_world *world, const kn_def_field *field, const uint8_t *record)
{
    for (uint32_t i = 0; i < field->count; i++) {
        kni_text_str(text, i > 0 ? ", " : "");
        dump_element(text, world, field, record + field->offset + kni_field_size(field) * i);
    }
}

void kni_text_record(
    kni_text *text, const kn_world *world, const kn_def_table *table, const uint8_t *record)
{
    for (uint32_t f = 0; f < table->field_count; f++) {
        kni_text_str(text, f > 0 ? "; " : "");
        kni_text_str(text, table->fields[f].name);
        kni_text_char(text, ' ');
        kni_text_field(text, world, &table->fields[f], record);
    }
}

void kni_dump_state(kni_text *text, const kn_world *world, uint32_t spaces, kni_state_look look)
{
    if (look.bytes != NULL) {
        kni_text_pad(text, text->length, spaces);
        kni_text_str(text, "state ");
        kni_text_record(text, world, look.table, look.bytes);
        kni_text_char(text, '\n');
    }
}

static void dump_items(kni_text *text, const kn_world *world, const kni_component_type *type,
    const kni_extension_head *head)
{
    const kn_def_table *table = &type->items.table;
    for (uint32_t i = 0; i < head->items.count; i++) {
        const uint8_t *item = kni_span_at(&world->heap, &head->items, i, table->size);
        kni_text_str(text, "    [");
        kni_text_u64(text, i);
        kni_text_str(text, "] ");
        kni_text_record(text, world, table, item);
        kni_text_char(text, '\n');
    }
}

static void dump_extension(kni_text *text, const kn_world *world, const kni_component_type *type,
    const kni_extension_head *head)
{
    const kn_def_table *table = &type->record.table;
    const uint8_t *record = (const uint8_t *)(head + 1);
    uint32_t width = 0;
    for (uint32_t f = 0; f < table->field_count; f++) {
        width = kni_larger(width, (uint32_t)strlen(table->fields[f].name));
    }
    kni_text_str(text, "  ");
    kni_text_str(text, type->name);
    kni_text_char(text, '\n');
    for (uint32_t f = 0; f < table->field_count; f++) {
        kni_text_str(text, "    ");
        uint32_t start = text->length;
        kni_text_str(text, table->fields[f].name);
        kni_text_pad(text, start, width + 2);
        kni_text_field(text, world, &table->fields[f], record);
        kni_text_char(text, '\n');
    }
    dump_items(text, world, type, head);
}

void kni_dump_components(kni_text *text, const kn_world *world, uint32_t entity_slot)
{
    bool is_first = true;
    for (uint32_t i = 0; i < kni_ref_count(world->library, KN_DEF_COMPONENT); i++) {
        const kni_component_type *type =
            KNI_ITEM(world->library, KN_DEF_COMPONENT, const kni_component_type, i);
        const kni_extension *extension = &world->extensions[i];
        uint32_t slot1 = kni_extension_first1(extension, entity_slot);
        while (slot1 != 0) {
            const kni_extension_head *head = kni_extension_at(extension, slot1 - 1);
            kni_text_str(text, is_first ? "components\n" : "");
            is_first = false;
            dump_extension(text, world, type, head);
            slot1 = head->next1;
        }
    }
}

uint32_t kn_entity_dump(const kn_world *world, kn_entity_id entity, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return 0;
    }
    uint32_t component_slot = kni_component_find(world, entity);
    const kni_component *component =
        component_slot != KNI_NONE ? kni_component_at(world, component_slot) : NULL;
    dump_heading(&text, world, entity, component);
    if (component != NULL) {
        dump_tags(&text, world, entity, component_slot);
        kni_dump_blocked(&text, world, component_slot);
        dump_attributes(&text, world, component);
        dump_effects(&text, world, component);
        kni_dump_actor(&text, world, component_slot);
    }
    kni_dump_components(&text, world, slot);
    kni_dump_tickers(&text, world, entity);
    kni_dump_watches(&text, world, entity);
    kni_dump_commands(&text, world, entity);
    return text.length;
}
