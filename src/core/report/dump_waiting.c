// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What waits for its time or its cause, as text: tickers and watches of an entity, and all that
// belongs to the world itself, its systems included.

#include "report/dump.h"

#include "world/world.h"

void kni_dump_tickers(kni_text *text, const kn_world *world, kn_entity_id entity)
{
    bool is_first = true;
    for (uint32_t i = 1; i <= kni_ref_count(world->library, KN_DEF_TICKER); i++) {
        kn_ticker_id ticker = {i};
        if (!kn_ticker_is_there(world, ticker, entity)) {
            continue;
        }
        kni_text_str(text, is_first ? "tickers\n  " : "  ");
        is_first = false;
        kni_text_str(text, kn_ticker_name(world->library, ticker));
        kni_text_str(text, kn_ticker_is_running(world, ticker, entity) ? " runs" : " waits");
        kni_text_str(text, ", looks in ");
        kni_text_seconds(text, kn_ticker_remaining(world, ticker, entity));
        kni_text_char(text, '\n');
    }
}

uint32_t kni_watch_list_first1(const kn_world *world, kn_entity_id entity, bool is_owned)
{
    const kni_watch_list *list =
        entity.index1 < world->watch_list_capacity ? &world->watch_lists[entity.index1] : NULL;
    return list == NULL ? 0 : is_owned ? list->own_first1 : list->first1;
}

uint32_t kni_watch_list_next1(const kni_watch *watch, bool is_owned)
{
    return is_owned ? watch->own_next1 : watch->next1;
}

// "Wet of entity 3, once", "Low on entity 2", of one that belongs to the entity
static void dump_watch(kni_text *text, const kn_world *world, const kni_watch *watch, bool is_owned)
{
    kni_text_str(text, "  ");
    kni_text_str(text, kn_watch_type_name(world->library, (kn_watch_type_id){watch->type + 1}));
    if (is_owned) {
        kni_text_str(text, " on ");
        if (watch->entity.index1 != 0) {
            kni_text_entity(text, watch->entity);
        } else {
            kni_text_str(text, "any entity");
        }
    } else if (watch->owner.index1 != 0) {
        kni_text_str(text, " of ");
        kni_text_entity(text, watch->owner);
    }
    if (watch->component_type.index1 != 0) {
        kni_text_str(text, ", with ");
        kni_text_str(text, kn_component_name(world->library, watch->component_type));
    }
    kni_text_str(text, (watch->flags & KNI_WATCH_ONCE) != 0 ? ", once" : "");
    kni_text_char(text, '\n');
}

void kni_dump_watches(kni_text *text, const kn_world *world, kn_entity_id entity)
{
    bool is_first = true;
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t at1 = kni_watch_list_first1(world, entity, pass == 1);
        while (at1 != 0) {
            const kni_watch *watch = kni_pool_at(&world->watches, at1 - 1);
            if (pass == 0 || watch->entity.index1 != entity.index1) { // each once
                kni_text_str(text, is_first ? "watches\n" : "");
                is_first = false;
                dump_watch(text, world, watch, pass == 1);
                kni_dump_state(text, world, 4, kni_watch_state_look(world, at1 - 1));
            }
            at1 = kni_watch_list_next1(watch, pass == 1);
        }
    }
}

static void dump_systems(kni_text *text, const kn_world *world)
{
    uint32_t count = kni_ref_count(world->library, KN_DEF_SYSTEM);
    kni_text_str(text, count > 0 ? "systems\n" : "");
    for (uint32_t i = 0; i < count; i++) {
        kn_system_id system = {world->library->systems_by_rank[i] + 1};
        kni_text_str(text, "  ");
        kni_text_str(text, kn_system_name(world->library, system));
        if (kn_system_is_enabled(world, system)) {
            kni_text_str(text, ", next at ");
            kni_text_seconds(text, kn_system_next(world, system));
        } else {
            kni_text_str(text, ", off");
        }
        kni_text_char(text, '\n');
    }
}

uint32_t kn_world_dump(const kn_world *world, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    if (world == NULL) {
        return 0;
    }
    kni_text_str(&text, "world at ");
    kni_text_seconds(&text, world->now);
    kni_text_str(&text, world->is_broken ? ", broken\n" : "\n");
    dump_systems(&text, world);
    kni_dump_components(&text, world, KNI_NONE);
    kni_dump_tickers(&text, world, (kn_entity_id){0});
    kni_dump_watches(&text, world, (kn_entity_id){0});
    kni_dump_commands(&text, world, (kn_entity_id){0});
    return text.length;
}
