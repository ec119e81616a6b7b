// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How lines for people name things.

#include "world/names.h"

const char *kn_effect_type_name(const kn_world *world, kn_effect_type_id type)
{
    return world == NULL || type.index1 == 0 || type.index1 > world->type_count
               ? ""
               : world->types[type.index1 - 1]->name;
}

void kni_text_pad(kni_text *text, uint32_t start, uint32_t width)
{
    while (text->length - start < width) {
        kni_text_char(text, ' ');
    }
}

void kni_text_entity(kni_text *text, kn_entity_id entity)
{
    if (entity.index1 == 0) {
        kni_text_str(text, "none");
        return;
    }
    kni_text_str(text, "entity ");
    kni_text_u64(text, entity.index1);
}

static void text_number(kni_text *text, kn_effect_id effect)
{
    kni_text_str(text, "#");
    kni_text_u64(text, effect.generation);
}

static void text_type(kni_text *text, const kn_world *world, kn_effect_type_id type)
{
    const char *name = kn_effect_type_name(world, type);
    kni_text_str(text, name[0] != 0 ? name : "effect");
}

// "Burn #12", or "Burn" for an instant effect.
void kni_text_type_and_number(
    kni_text *text, const kn_world *world, kn_effect_type_id type, kn_effect_id effect)
{
    text_type(text, world, type);
    if (effect.index1 != 0) {
        kni_text_char(text, ' ');
        text_number(text, effect);
    }
}

// The same for an effect of which only the id is known.
void kni_text_effect(kni_text *text, const kn_world *world, kn_effect_id effect)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (effect.index1 == 0) {
        kni_text_str(text, "none");
    } else if (slot == KNI_NONE) {
        text_number(text, effect);
        kni_text_str(text, " (gone)");
    } else {
        kn_effect_type_id type = {(uint32_t)kni_effect_at(world, slot)->type + 1};
        kni_text_type_and_number(text, world, type, effect);
    }
}

void kni_text_tag(kni_text *text, const kn_world *world, kn_tag tag)
{
    const char *name = kn_tag_name(world->library, tag);
    kni_text_str(text, name[0] != 0 ? name : "none");
}

void kni_text_tags(kni_text *text, const kn_world *world, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        kni_text_str(text, i > 0 ? ", " : "");
        kni_text_tag(text, world, tags.data[i]);
    }
}

// "Vitals.Health", or "Vitals.Health[2]" in an instance with a key.
void kni_text_attribute(
    kni_text *text, const kn_world *world, kn_attribute_id attribute, uint32_t key)
{
    const char *name = kn_attribute_name(world->library, attribute);
    kni_text_str(text, name[0] != 0 ? name : "none");
    if (key != 0) {
        kni_text_char(text, '[');
        kni_text_u64(text, key);
        kni_text_char(text, ']');
    }
}

bool kni_text_reason(kni_text *text, const kn_world *world, const kni_reason_facts *facts)
{
    const char *from = facts->text;
    if (from[0] == 0) {
        const kn_fail_def *own = kn_fail_get_def(world->library, (kn_fail)facts->fail);
        if (own == NULL) {
            return false;
        }
        from = own->text != NULL ? own->text : own->name;
    }
    while (*from != 0) {
        if (strncmp(from, "{need}", 6) == 0) {
            kni_text_float(text, facts->need);
            from += 6;
        } else if (strncmp(from, "{have}", 6) == 0) {
            kni_text_float(text, facts->have);
            from += 6;
        } else if (strncmp(from, "{tag}", 5) == 0) {
            kni_text_tag(text, world, facts->tag);
            from += 5;
        } else if (strncmp(from, "{ability}", 9) == 0) {
            const char *name = kn_ability_type_name(world->library, facts->ability);
            kni_text_str(text, name[0] != 0 ? name : "an ability");
            from += 9;
        } else {
            kni_text_char(text, *from++);
        }
    }
    return true;
}

void kni_text_block_source(kni_text *text, kn_entity_id source, uint64_t key)
{
    if (source.index1 != 0) {
        kni_text_entity(text, source);
    }
    if (source.index1 == 0 || key != 0) {
        kni_text_str(text, source.index1 != 0 ? " key " : "key ");
        kni_text_u64(text, key);
    }
}

void kni_text_time(kni_text *text, kn_time time)
{
    kni_text_fixed(text, kn_time_to_seconds(time), 3);
    kni_text_str(text, " s");
}
