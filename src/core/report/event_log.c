// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events as lines of the log: which category an event belongs to, and what is logged at which
// level.

#include "report/dump.h"
#include "world/log.h"

// The category of each event type. Refusals are logged with their numbers when they happen, not
// here.
static const uint8_t event_categories[KN_EVENT_TYPE_COUNT] = {
    [KN_EVENT_ENTITY_CREATED] = KN_LOG_WORLD,
    [KN_EVENT_ENTITY_DESTROYED] = KN_LOG_WORLD,
    [KN_EVENT_AVATAR_CHANGED] = KN_LOG_WORLD,
    [KN_EVENT_OWNER_CHANGED] = KN_LOG_WORLD,
    [KN_EVENT_TAG_COUNT] = KN_LOG_TAGS,
    [KN_EVENT_TAG_CHANGED] = KN_LOG_TAGS,
    [KN_EVENT_ATTRIBUTE_CHANGED] = KN_LOG_ATTRIBUTES,
    [KN_EVENT_ATTRIBUTE_INITIALISED] = KN_LOG_ATTRIBUTES,
    [KN_EVENT_SET_ADDED] = KN_LOG_ATTRIBUTES,
    [KN_EVENT_SET_REMOVED] = KN_LOG_ATTRIBUTES,
    [KN_EVENT_EFFECT_APPLIED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_EXECUTED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_REMOVED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_STACKS] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_STACK_DENIED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_INHIBITED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_TIME] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_BLOCKED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_PART_BLOCKED] = KN_LOG_EFFECTS,
    [KN_EVENT_EFFECT_REFUSED] = KN_LOG_EFFECTS,
    [KN_EVENT_RESTRICTED] = KN_LOG_WORLD,
    [KN_EVENT_RECORD] = KN_LOG_WORLD,
    [KN_EVENT_CUE] = KN_LOG_CUES,
    [KN_EVENT_ERROR] = KN_LOG_WORLD,
    [KN_EVENT_ABILITY_GRANTED] = KN_LOG_ABILITIES,
    [KN_EVENT_ABILITY_CHANGED] = KN_LOG_ABILITIES,
    [KN_EVENT_ABILITY_REMOVED] = KN_LOG_ABILITIES,
    [KN_EVENT_ABILITY_ACTIVATED] = KN_LOG_ABILITIES,
    [KN_EVENT_ABILITY_COMMITTED] = KN_LOG_ABILITIES,
    [KN_EVENT_ABILITY_ENDED] = KN_LOG_ABILITIES,
    [KN_EVENT_ABILITY_FAILED] = KN_LOG_CATEGORY_COUNT,
    [KN_EVENT_ABILITY_STATUS] = KN_LOG_CATEGORY_COUNT, // costly, so not logged
    [KN_EVENT_CHARGES] = KN_LOG_ABILITIES,
    [KN_EVENT_ANIMATION] = KN_LOG_TASKS,
    [KN_EVENT_MOTION] = KN_LOG_TASKS,
    [KN_EVENT_REQUEST] = KN_LOG_NETWORK,
    [KN_EVENT_RETICLE] = KN_LOG_TARGETING,
    [KN_EVENT_COMMAND] = KN_LOG_NETWORK,
    [KN_EVENT_CUSTOM] = KN_LOG_WORLD,
    [KN_EVENT_EARLY_USE] = KN_LOG_NETWORK,
};

static kn_log_level event_level(uint32_t type)
{
    return type == KN_EVENT_REQUEST || type == KN_EVENT_ERROR ? KN_LOG_INFO : KN_LOG_VERBOSE;
}

static bool event_is_told(const kn_world *world, const kn_event *event)
{
    kn_tag filter = {world->log.cue_filter};
    return (world->log.mask >> event->type & 1) != 0 &&
           (event->type != KN_EVENT_CUE || filter.index1 == 0 ||
               kn_tag_matches(world->library, event->data.cue.tag, filter));
}

void kni_log_events(kn_world *world)
{
    while (world->log.told < world->pending.count) {
        kn_event event = world->pending.events[world->log.told++];
        if (event_is_told(world, &event)) {
            char line[KNI_LOG_LINE_SIZE];
            world->log.is_pending = true;
            (void)kn_event_print(world, &event, line, sizeof(line));
            world->log.is_pending = false;
            kni_log_line(world, (kn_log_category)event_categories[event.type],
                event_level(event.type),
                event.type == KN_EVENT_ERROR ? event.data.error.code : KN_OK, line);
        }
    }
}

// Events so far are logged by the old levels; later ones by the new.
static void mask_update(kn_world *world)
{
    if (world->log.mask != 0) {
        world->above->log_events(world);
    }
    world->log.told = world->pending.count;
    world->log.mask = 0;
    for (uint32_t i = 0; i < KN_EVENT_TYPE_COUNT; i++) {
        uint32_t category = event_categories[i];
        if (category < KN_LOG_CATEGORY_COUNT && kni_log_wants(world, category, event_level(i))) {
            world->log.mask |= UINT64_C(1) << i;
        }
    }
    world->wanted = world->event_mask | world->listener_mask | world->log.mask;
}

kn_result kn_log_set_level(kn_world *world, kn_log_category category, kn_log_level level)
{
    if (world == NULL || (uint32_t)category >= KN_LOG_CATEGORY_COUNT ||
        (uint32_t)level >= KN_LOG_LEVEL_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (category == KN_LOG_ABILITIES && level <= KN_LOG_INFO && world->log.idle_told == NULL) {
        world->log.idle_told = kni_log_block(world, kni_log_idle_size(world));
        if (world->log.idle_told == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    world->log.levels[category] = (uint8_t)level;
    mask_update(world);
    return KN_OK;
}

kn_log_level kn_log_level_of(const kn_world *world, kn_log_category category)
{
    return world != NULL && (uint32_t)category < KN_LOG_CATEGORY_COUNT
               ? (kn_log_level)world->log.levels[category]
               : KN_LOG_OFF;
}

void kn_log_reset(kn_world *world)
{
    if (world != NULL) {
        memset(world->log.levels, KN_LOG_WARNING, sizeof(world->log.levels));
        world->log.cue_filter = 0;
        mask_update(world);
    }
}

kn_result kn_log_set_cue_filter(kn_world *world, kn_tag tag)
{
    if (world == NULL || tag.index1 > kn_tag_count(world->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    mask_update(world); // events so far are logged by the old filter
    world->log.cue_filter = tag.index1;
    return KN_OK;
}

uint32_t kn_log_print(const kn_world *world, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    for (uint32_t i = 0; world != NULL && i < KN_LOG_CATEGORY_COUNT; i++) {
        uint32_t start = text.length;
        kni_text_str(&text, kn_log_category_name((kn_log_category)i));
        kni_text_pad(&text, start, (uint32_t)sizeof("attributes") + 1);
        kni_text_str(&text, kn_log_level_name((kn_log_level)world->log.levels[i]));
        if (i == KN_LOG_CUES && world->log.cue_filter != 0) {
            kni_text_str(&text, ", only ");
            kni_text_tag(&text, world, (kn_tag){world->log.cue_filter});
        }
        kni_text_char(&text, '\n');
    }
    return text.length;
}
