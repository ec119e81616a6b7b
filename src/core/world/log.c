// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "world/log.h"

#include "extra/dump.h"

#include <stdio.h>

#define LINE_SIZE 768

static const char *const category_names[KN_LOG_CATEGORY_COUNT] = {
    [KN_LOG_WORLD] = "world",
    [KN_LOG_TAGS] = "tags",
    [KN_LOG_ATTRIBUTES] = "attributes",
    [KN_LOG_EFFECTS] = "effects",
    [KN_LOG_ABILITIES] = "abilities",
    [KN_LOG_TASKS] = "tasks",
    [KN_LOG_CUES] = "cues",
    [KN_LOG_TARGETING] = "targeting",
    [KN_LOG_NETWORK] = "network",
};

static const char *const level_names[KN_LOG_LEVEL_COUNT] = {
    [KN_LOG_VERBOSE] = "verbose",
    [KN_LOG_INFO] = "info",
    [KN_LOG_WARNING] = "warning",
    [KN_LOG_ERROR] = "error",
    [KN_LOG_OFF] = "off",
};

// Of each type of event: what it is about. Refusals are logged with their numbers, when they
// happen.
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
    [KN_EVENT_ABILITY_STATUS] = KN_LOG_CATEGORY_COUNT, // who asks for it pays for it
    [KN_EVENT_CHARGES] = KN_LOG_ABILITIES,
    [KN_EVENT_ANIMATION] = KN_LOG_TASKS,
    [KN_EVENT_MOTION] = KN_LOG_TASKS,
    [KN_EVENT_REQUEST] = KN_LOG_NETWORK,
    [KN_EVENT_RETICLE] = KN_LOG_TARGETING,
};

static kn_log_level event_level(uint32_t type)
{
    return type == KN_EVENT_REQUEST || type == KN_EVENT_ERROR ? KN_LOG_INFO : KN_LOG_VERBOSE;
}

// Entries -------------------------------------------------------------------

static void hooks_write(const kn_hooks *hooks, const kn_log_entry *entry)
{
    if (hooks->log_fn != NULL) {
        hooks->log_fn(hooks->log_user, entry);
    } else {
        bool has_code = entry->code != KN_OK;
        fprintf(stderr, "knack: %s: %s%s%s\n", category_names[entry->category],
            has_code ? kn_result_name(entry->code) : "", has_code ? ": " : "", entry->message);
    }
}

static void entry_write(const kn_world *world, const kn_log_entry *entry)
{
    hooks_write(&world->hooks, entry);
}

void kni_log_hooks(
    const kn_hooks *hooks, kn_log_category category, kn_result code, const char *message)
{
    kn_log_entry entry = {KN_LOG_WARNING, category, code, message, __FILE__, __LINE__};
    hooks_write(hooks, &entry);
}

void kni_log_line(const kn_world *world, kn_log_category category, kn_log_level level,
    kn_result code, const char *message)
{
    if (kni_log_tells(world, category, level)) {
        kn_log_entry entry = {level, category, code, message, __FILE__, __LINE__};
        entry_write(world, &entry);
    }
}

void kni_log_once(const kn_world *world, uint32_t report, kn_log_category category, kn_result code,
    const char *message)
{
    if ((*world->reports & report) == 0 && kni_log_tells(world, category, KN_LOG_WARNING)) {
        *world->reports |= report;
        kni_log_line(world, category, KN_LOG_WARNING, code, message);
    }
}

bool kn_log_tells(const kn_world *world, kn_log_category category, kn_log_level level)
{
    return world != NULL && (uint32_t)category < KN_LOG_CATEGORY_COUNT &&
           (uint32_t)level < KN_LOG_OFF && kni_log_tells(world, category, level);
}

void kn_log_write(const kn_world *world, const kn_log_entry *entry)
{
    if (entry == NULL || entry->message == NULL ||
        !kn_log_tells(world, entry->category, entry->level)) {
        KN_ASSERT(world != NULL && entry != NULL && entry->message != NULL);
        return;
    }
    entry_write(world, entry);
}

// A line as events have it: time, entity, what; after the events that led to it.
static void line_begin(kn_world *world, kni_text *text, char *buffer, kn_entity_id entity)
{
    if (world->log.mask != 0) {
        kni_log_events(world);
    }
    kni_text_init(text, buffer, LINE_SIZE);
    kni_text_time(text, world->now);
    kni_text_str(text, "  ");
    kni_text_entity(text, entity);
    kni_text_str(text, "  ");
}

// Events --------------------------------------------------------------------

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
            char line[LINE_SIZE];
            (void)kn_event_print(world, &event, line, sizeof(line));
            kni_log_line(world, (kn_log_category)event_categories[event.type],
                event_level(event.type),
                event.type == KN_EVENT_ERROR ? event.data.error.code : KN_OK, line);
        }
    }
}

// What was recorded so far is logged by the old levels; the rest by the new ones.
static void mask_update(kn_world *world)
{
    if (world->log.mask != 0) {
        kni_log_events(world);
    }
    world->log.told = world->pending.count;
    world->log.mask = 0;
    for (uint32_t i = 0; i < KN_EVENT_TYPE_COUNT; i++) {
        uint32_t category = event_categories[i];
        if (category < KN_LOG_CATEGORY_COUNT && kni_log_tells(world, category, event_level(i))) {
            world->log.mask |= UINT64_C(1) << i;
        }
    }
    world->wanted = world->event_mask | world->listener_mask | world->log.mask;
}

// Lines ---------------------------------------------------------------------

// "Activation.Fail.OnCooldown, Activation.Fail.CantAffordCost"
static void text_fail_tags(kni_text *text, const kn_world *world, uint32_t reasons)
{
    kn_tag tags[KN_FAIL_COUNT];
    uint32_t count = kn_ability_fail_tags(world, reasons, tags, KN_FAIL_COUNT);
    kni_text_tags(text, world, (kn_tags){tags, count});
    kni_text_str(text, count > 0 ? ": " : "");
}

void kni_log_refusal(
    kn_world *world, uint32_t slot, uint32_t reasons, const struct kni_price *price)
{
    kn_entity_id owner = kni_component_entity(world, kni_ability_at(world, slot)->component);
    const char *name = kni_type_of_ability(world, slot)->name;
    // What its own policies forbid here never came from the client.
    bool is_request =
        kn_entity_role(world, owner) == KN_ROLE_SERVER && (reasons & KN_FAIL_NETWORKING) == 0;
    char line[LINE_SIZE];
    kni_text text;
    line_begin(world, &text, line, owner);
    kni_text_str(&text, is_request             ? "client activation of "
                        : world->def.is_client ? "activation of "
                                               : "");
    kni_text_str(&text, name);
    kni_text_str(&text, is_request             ? " rejected: "
                        : world->def.is_client ? " failed: "
                                               : " refused: ");
    text_fail_tags(&text, world, reasons);
    kni_text_refusal(&text, world, slot, reasons, price);
    kni_log_line(world, KN_LOG_ABILITIES, KN_LOG_INFO, kn_fail_result(reasons), line);
}

void kni_log_rejected(kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    char line[LINE_SIZE];
    kni_text text;
    line_begin(world, &text, line,
        kni_component_entity(world, kni_ability_at(world, activation->ability)->component));
    kni_text_str(&text, "activation of ");
    kni_text_str(&text, kni_type_of_ability(world, activation->ability)->name);
    kni_text_str(&text, " failed, key ");
    kni_text_u64(&text, (uint32_t)activation->number);
    kni_text_str(&text, ": rejected by the server");
    kni_log_line(world, KN_LOG_ABILITIES, KN_LOG_INFO, KN_OK, line);
}

void kni_log_missing(kn_world *world, uint32_t type1, uint32_t attribute, uint32_t component)
{
    const kni_component *c = kni_component_at(world, component);
    uint32_t bit = (type1 * 2654435761u ^ c->layout * 40503u) >> 7 & 1023;
    uint64_t *told = &world->log.missing_told[bit / 64];
    if (type1 == 0 || (*told >> bit % 64 & 1) != 0 ||
        !kni_log_tells(world, KN_LOG_EFFECTS, KN_LOG_WARNING)) {
        return;
    }
    *told |= UINT64_C(1) << bit % 64;
    char line[LINE_SIZE];
    kni_text text;
    kni_text_init(&text, line, sizeof(line));
    kni_text_str(&text, kni_type_at(world, type1 - 1)->name);
    kni_text_str(&text, " changes ");
    kni_text_str(&text, kn_attribute_name(world->library, (kn_attribute_id){attribute + 1}));
    kni_text_str(&text, ", which ");
    kni_text_entity(&text, kni_component_entity(world, component));
    kni_text_str(&text, " does not have: add its attribute set");
    kni_log_line(world, KN_LOG_EFFECTS, KN_LOG_WARNING, KN_REFUSED_MISSING_ATTRIBUTE, line);
}

void kni_log_task(kn_world *world, uint32_t slot, const char *what)
{
    uint32_t ability = kni_activation_at(world, kni_task_at(world, slot)->activation)->ability;
    char line[LINE_SIZE];
    kni_text text;
    line_begin(
        world, &text, line, kni_component_entity(world, kni_ability_at(world, ability)->component));
    kni_text_str(&text, kni_type_of_ability(world, ability)->name);
    kni_text_str(&text, " task ");
    kni_text_str(&text, what);
    kni_text_str(&text, ": ");
    kni_text_task(&text, world, slot);
    kni_log_line(world, KN_LOG_TASKS, KN_LOG_VERBOSE, KN_OK, line);
}

void kni_log_batch(kn_world *world, uint32_t ability, const char *what)
{
    char line[LINE_SIZE];
    kni_text text;
    line_begin(
        world, &text, line, kni_component_entity(world, kni_ability_at(world, ability)->component));
    kni_text_str(&text, "batch of ");
    kni_text_str(&text, kni_type_of_ability(world, ability)->name);
    kni_text_char(&text, ' ');
    kni_text_str(&text, what);
    kni_log_line(world, KN_LOG_NETWORK, KN_LOG_INFO, KN_OK, line);
}

void kni_log_idle(kn_world *world)
{
    KNI_POOL_EACH(i, &world->activations) {
        const kni_ability *ability = kni_ability_at(world, kni_activation_at(world, i)->ability);
        uint64_t *told = &world->log.idle_told[ability->type / 64];
        uint64_t bit = UINT64_C(1) << ability->type % 64;
        if ((*told & bit) != 0 || !kni_activation_is_idle(world, i)) {
            continue;
        }
        *told |= bit;
        char line[LINE_SIZE];
        kni_text text;
        line_begin(world, &text, line, kni_component_entity(world, ability->component));
        kni_text_str(&text, kni_ability_type_at(world->library, ability->type)->name);
        kni_text_str(&text, " is active but waits for nothing: does it forget to end?");
        kni_log_line(world, KN_LOG_ABILITIES, KN_LOG_INFO, KN_OK, line);
    }
}

// Levels --------------------------------------------------------------------

static size_t idle_size(const kn_world *world)
{
    return (kni_ref_count(world->library, KN_DEF_ABILITY) / 64 + 1) * sizeof(uint64_t);
}

static size_t made_size(const kn_world *world)
{
    return (KN_TASK_KIND_COUNT + kni_ref_count(world->library, KN_DEF_TASK)) * sizeof(uint64_t);
}

static uint64_t *zeroed(kn_world *world, size_t size)
{
    uint64_t *block = kni_realloc(&world->memory, NULL, 0, size);
    if (block != NULL) {
        memset(block, 0, size);
    }
    return block;
}

kn_result kn_log_set_level(kn_world *world, kn_log_category category, kn_log_level level)
{
    if (world == NULL || (uint32_t)category >= KN_LOG_CATEGORY_COUNT ||
        (uint32_t)level >= KN_LOG_LEVEL_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (category == KN_LOG_ABILITIES && level <= KN_LOG_INFO && world->log.idle_told == NULL) {
        world->log.idle_told = zeroed(world, idle_size(world));
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
    mask_update(world); // what happened so far by the old filter
    world->log.cue_filter = tag.index1;
    return KN_OK;
}

const char *kn_log_category_name(kn_log_category category)
{
    return (uint32_t)category < KN_LOG_CATEGORY_COUNT ? category_names[category] : "";
}

const char *kn_log_level_name(kn_log_level level)
{
    return (uint32_t)level < KN_LOG_LEVEL_COUNT ? level_names[level] : "";
}

static uint32_t name_find(const char *const *names, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && (name == NULL || strcmp(names[i], name) != 0)) {
        i++;
    }
    return i;
}

kn_log_category kn_log_category_find(const char *name)
{
    return (kn_log_category)name_find(category_names, KN_LOG_CATEGORY_COUNT, name);
}

kn_log_level kn_log_level_find(const char *name)
{
    return (kn_log_level)name_find(level_names, KN_LOG_LEVEL_COUNT, name);
}

uint32_t kn_log_print(const kn_world *world, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    for (uint32_t i = 0; world != NULL && i < KN_LOG_CATEGORY_COUNT; i++) {
        uint32_t start = text.length;
        kni_text_str(&text, category_names[i]);
        kni_text_pad(&text, start, (uint32_t)sizeof("attributes") + 1);
        kni_text_str(&text, level_names[world->log.levels[i]]);
        if (i == KN_LOG_CUES && world->log.cue_filter != 0) {
            kni_text_str(&text, ", only ");
            kni_text_tag(&text, world, (kn_tag){world->log.cue_filter});
        }
        kni_text_char(&text, '\n');
    }
    return text.length;
}

// The life of it ------------------------------------------------------------

void kni_log_init(kn_world *world)
{
    memset(world->log.levels, KN_LOG_WARNING, sizeof(world->log.levels));
}

void kni_log_free(kn_world *world)
{
    kni_free(&world->memory, world->log.idle_told, idle_size(world));
    kni_free(&world->memory, world->log.task_made, made_size(world));
    world->log.idle_told = NULL;
    world->log.task_made = NULL;
}

void kni_log_move(kn_world *to, kn_world *from)
{
    size_t bytes = (from->log.idle_told != NULL ? idle_size(from) : 0) +
                   (from->log.task_made != NULL ? made_size(from) : 0);
    to->log = from->log;
    to->log.told = 0;
    to->memory.bytes += bytes;
    from->memory.bytes -= bytes;
    from->log.idle_told = NULL;
    from->log.task_made = NULL;
}

// Tallies of tasks ----------------------------------------------------------

void kni_log_task_made(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    uint32_t place =
        task->kind != KN_TASK_CUSTOM ? task->kind : KN_TASK_KIND_COUNT + task->type1 - 1;
    world->log.task_made[place]++;
}

kn_result kn_task_tally_record(kn_world *world, bool recording)
{
    if (world == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (recording == (world->log.task_made != NULL)) {
        return KN_OK;
    }
    if (!recording) {
        kni_free(&world->memory, world->log.task_made, made_size(world));
        world->log.task_made = NULL;
        return KN_OK;
    }
    world->log.task_made = zeroed(world, made_size(world));
    return world->log.task_made != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

bool kn_task_tally_is_recording(const kn_world *world)
{
    return world != NULL && world->log.task_made != NULL;
}
