// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Lists for debug pages, and tables for a console: entities, abilities, how abilities are built,
// tasks.

#include "report/dump.h"

#include <math.h>

uint32_t kn_attribute_print(const kn_world *world, kn_entity_id entity, kn_attribute_id attribute,
    uint32_t key, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    uint32_t component = kni_component_find(world, entity);
    if (component == KNI_NONE || attribute.index1 == 0 ||
        attribute.index1 > kn_attribute_count(world->library) ||
        kni_position_keyed(world, kni_component_at(world, component), attribute.index1 - 1, key) ==
            KNI_NONE) {
        return 0;
    }
    float minimum, maximum;
    kn_attribute_bounds(world, entity, attribute, key, &minimum, &maximum);
    kni_text_attribute(&text, world, attribute, key);
    kni_text_char(&text, ' ');
    kni_text_float(&text, kn_attribute_value_keyed(world, entity, attribute, key));
    kni_text_str(&text, " (base ");
    kni_text_float(&text, kn_attribute_base_keyed(world, entity, attribute, key));
    if (isfinite(minimum) && isfinite(maximum)) {
        kni_text_str(&text, ", ");
        kni_text_float(&text, minimum);
        kni_text_str(&text, " to ");
        kni_text_float(&text, maximum);
    } else if (isfinite(minimum) || isfinite(maximum)) {
        kni_text_str(&text, isfinite(minimum) ? ", at least " : ", at most ");
        kni_text_float(&text, isfinite(minimum) ? minimum : maximum);
    }
    kni_text_char(&text, ')');
    return text.length;
}

// Cycling through entities ---------------------------------------------------

// Whether the entity in this slot is alive and has a component of its own.
static bool slot_has_component(const kn_world *world, uint32_t slot)
{
    const kni_entity *entity = kni_entity_at(world, slot);
    return entity->generation != 0 && entity->component1 != 0 &&
           kni_component_at(world, entity->component1 - 1)->entity == slot;
}

static kn_entity_id entity_cycle(const kn_world *world, kn_entity_id from, bool forward)
{
    uint32_t count = world != NULL ? world->entities.used : 0;
    uint32_t start = from.index1 <= count ? from.index1 : 0; // an id from nowhere counts as null
    for (uint32_t i = 1; i <= count; i++) {
        uint32_t back =
            start == 0 ? i : i + 1; // slot = index1 - 1, and null is one before the first
        uint32_t slot = forward ? (start + i - 1) % count : (start + 2 * count - back) % count;
        if (slot_has_component(world, slot)) {
            return kni_entity_id_of(world, slot);
        }
    }
    return (kn_entity_id){0};
}

kn_entity_id kn_entity_cycle_next(const kn_world *world, kn_entity_id entity)
{
    return entity_cycle(world, entity, true);
}

kn_entity_id kn_entity_cycle_previous(const kn_world *world, kn_entity_id entity)
{
    return entity_cycle(world, entity, false);
}

// Abilities -----------------------------------------------------------------

uint32_t kn_ability_tags(
    const kn_world *world, kn_ability_id ability, kn_tag *out, uint32_t capacity)
{
    uint32_t slot = kni_ability_find(world, ability);
    uint32_t count = slot != KNI_NONE ? kni_ability_tag_count(world, slot) : 0;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = kni_ability_tag_at(world, slot, i);
    }
    return count;
}

uint32_t kn_entity_blocked_tags(
    const kn_world *world, kn_entity_id entity, kn_blocked_tag *out, uint32_t capacity)
{
    uint32_t slot = kni_component_find(world, entity);
    return slot != KNI_NONE ? kni_blocked_tags(world, slot, 0, out, capacity) : 0;
}

uint32_t kn_entity_ability_tags_print(
    const kn_world *world, kn_entity_id entity, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component != KNI_NONE ? kni_actor_of(world, component) : NULL;
    uint32_t count = actor != NULL ? actor->abilities.count : 0, width = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        width = kni_larger(width, (uint32_t)strlen(kni_type_of_ability(world, slot)->name));
    }
    kni_text_str(&text, count > 0 ? "ability tags\n" : "");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->abilities, uint32_t, i);
        kni_text_str(&text, "  ");
        uint32_t start = text.length;
        kni_text_str(&text, kni_type_of_ability(world, slot)->name);
        uint32_t tags = kni_ability_tag_count(world, slot);
        for (uint32_t t = 0; t < tags; t++) {
            kni_text_str(&text, t > 0 ? ", " : "");
            kni_text_pad(&text, start, width + 2);
            kni_text_tag(&text, world, kni_ability_tag_at(world, slot, t));
        }
        kni_text_char(&text, '\n');
    }
    if (component != KNI_NONE) {
        kni_dump_blocked(&text, world, component);
    }
    return text.length;
}

uint32_t kn_activations_idle(const kn_world *world, kn_activation_id *out, uint32_t capacity)
{
    uint32_t count = 0;
    bool is_any = world != NULL && kni_idle_mark(world, false);
    for (uint32_t i = is_any ? kni_pool_next(&world->activations, 0) : KNI_NONE; i != KNI_NONE;
         i = kni_pool_next(&world->activations, i + 1)) {
        if ((kni_activation_at(world, i)->flags & KNI_ACTIVATION_IDLE) == 0) {
            continue;
        }
        if (count < capacity) {
            out[count] = kni_activation_id_of(world, i);
        }
        count++;
    }
    return count;
}

// How abilities are built ---------------------------------------------------

typedef enum audit_column {
    AUDIT_NAME,
    AUDIT_TAGS,
    AUDIT_COST,
    AUDIT_COOLDOWN,
    AUDIT_COMMIT,
    AUDIT_TRIGGERS,
    AUDIT_INSTANCING,
    AUDIT_RUNS,
    AUDIT_MORE,
    AUDIT_COLUMN_COUNT,
} audit_column;

// Begins another part of a cell.
static void cell_part(kni_text *text, uint32_t start)
{
    kni_text_str(text, text->length > start ? ", " : "");
}

static void cell_tags(kni_text *text, const kn_library *library, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        kni_text_str(text, i > 0 ? ", " : "");
        kni_text_str(text, kn_tag_name(library, tags.data[i]));
    }
}

static void cell_scalable(kni_text *text, const kn_library *library, const kn_scalable *scalable)
{
    kni_text_float(text, scalable->value);
    if (scalable->curve.index1 != 0) {
        kni_text_str(text, " x ");
        kni_text_str(text, kni_ref_name(library, KN_DEF_CURVE, scalable->curve.index1));
    }
}

static void cell_cost(kni_text *text, const kn_library *library, const kn_ability_def *def)
{
    uint32_t start = text->length;
    if (def->cost_effect.index1 != 0) {
        kni_text_str(text, kni_ref_name(library, KN_DEF_EFFECT, def->cost_effect.index1));
    }
    for (uint32_t i = 0; i < def->cost_count; i++) {
        const kn_cost_def *cost = &def->costs[i];
        cell_part(text, start);
        kni_text_str(text, cost->up_to ? "up to " : "");
        cell_scalable(text, library, &cost->amount);
        kni_text_char(text, ' ');
        kni_text_str(text, kn_attribute_name(library, cost->attribute));
        if (cost->share_of.index1 != 0) {
            kni_text_str(text, " of ");
            kni_text_str(text, kn_attribute_name(library, cost->share_of));
        }
    }
}

static void cell_cooldown(kni_text *text, const kn_library *library, const kn_ability_def *def)
{
    uint32_t start = text->length;
    if (def->cooldown_effect.index1 != 0) {
        kni_text_str(text, kni_ref_name(library, KN_DEF_EFFECT, def->cooldown_effect.index1));
    }
    for (uint32_t i = 0; i < def->cooldown_count; i++) {
        const kn_cooldown_def *cooldown = &def->cooldowns[i];
        cell_part(text, start);
        cell_scalable(text, library, &cooldown->duration);
        kni_text_str(text, " s");
        if (cooldown->charges.value != 1.0f || cooldown->charges.curve.index1 != 0) {
            kni_text_str(text, " x");
            cell_scalable(text, library, &cooldown->charges);
        }
        if (cooldown->key.index1 != 0) {
            kni_text_str(text, " as ");
            kni_text_str(text, kn_tag_name(library, cooldown->key));
        }
    }
}

static void cell_triggers(kni_text *text, const kn_library *library, const kn_ability_def *def)
{
    static const char *const words[KN_TRIGGER_SOURCE_COUNT] = {
        [KN_TRIGGER_SOURCE_EVENT] = "event ",
        [KN_TRIGGER_SOURCE_TAG_ADDED] = "gain of ",
        [KN_TRIGGER_SOURCE_TAG_REMOVED] = "loss of ",
        [KN_TRIGGER_SOURCE_TAG_PRESENT] = "while ",
    };
    uint32_t start = text->length;
    kni_text_str(text, def->activates_on_grant ? "grant" : "");
    for (uint32_t i = 0; i < def->trigger_count; i++) {
        cell_part(text, start);
        kni_text_str(text, words[def->triggers[i].source]);
        kni_text_str(text, kn_tag_name(library, def->triggers[i].tag));
    }
    if (def->input != 0 && !def->no_activation_by_input) {
        cell_part(text, start);
        kni_text_str(text, "input ");
        kni_text_u64(text, def->input);
    }
}

static void cell_list(
    kni_text *text, const kn_library *library, uint32_t start, const char *word, kn_tags tags)
{
    if (tags.count > 0) {
        cell_part(text, start);
        kni_text_str(text, word);
        cell_tags(text, library, tags);
    }
}

static void cell_more(kni_text *text, const kn_library *library, const kni_ability_type *type)
{
    const kn_ability_def *def = &type->def;
    uint32_t start = text->length;
    if (type->parent1 != 0) {
        kni_text_str(text, "a ");
        kni_text_str(text, kni_ability_type_at(library, type->parent1 - 1)->name);
    }
    cell_list(text, library, start, "needs ", def->activation.required);
    cell_list(text, library, start, "not with ", def->activation.ignored);
    cell_list(text, library, start, "blocks ", def->block_with);
    cell_list(text, library, start, "cancels ", def->cancel_with);
    cell_list(text, library, start, "gives ", def->owned_tags);
    const struct {
        bool is_set;
        const char *word;
    } flags[] = {{def->retriggers, "retriggers"}, {def->works_when_dead, "works when dead"},
        {def->ends_with_avatar, "ends with its body"}, {def->sends_input, "sends input"},
        {def->respects_remote_cancel, "ends with the client's"},
        {def->level_up == KN_LEVEL_UP_REGRANT, "granted again on level change"}};
    for (uint32_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        if (flags[i].is_set) {
            cell_part(text, start);
            kni_text_str(text, flags[i].word);
        }
    }
}

static void audit_cell(
    kni_text *text, const kn_library *library, const kni_ability_type *type, uint32_t column)
{
    static const char *const instancing[] = {
        [KN_INSTANCING_PER_ACTOR] = "per actor",
        [KN_INSTANCING_PER_EXECUTION] = "per execution",
        [KN_INSTANCING_NONE] = "none",
    };
    static const char *const execution[KN_NET_EXECUTION_COUNT] = {
        [KN_NET_EXECUTION_LOCAL_PREDICTED] = "local predicted",
        [KN_NET_EXECUTION_LOCAL_ONLY] = "local only",
        [KN_NET_EXECUTION_SERVER_ONLY] = "server only",
        [KN_NET_EXECUTION_SERVER_INITIATED] = "server initiated",
    };
    static const char *const security[KN_NET_SECURITY_COUNT] = {
        [KN_NET_SECURITY_CLIENT_OR_SERVER] = "",
        [KN_NET_SECURITY_SERVER_ONLY_EXECUTION] = ", server starts",
        [KN_NET_SECURITY_SERVER_ONLY_TERMINATION] = ", server ends",
        [KN_NET_SECURITY_SERVER_ONLY_ALL] = ", server starts and ends",
    };
    const kn_ability_def *def = &type->def;
    switch (column) {
    case AUDIT_NAME:
        kni_text_str(text, type->name);
        break;
    case AUDIT_TAGS:
        cell_tags(text, library, def->tags);
        break;
    case AUDIT_COST:
        cell_cost(text, library, def);
        break;
    case AUDIT_COOLDOWN:
        cell_cooldown(text, library, def);
        break;
    case AUDIT_COMMIT:
        kni_text_str(text, def->commit == KN_COMMIT_AT_USE ? "at use" : "by hooks");
        break;
    case AUDIT_TRIGGERS:
        cell_triggers(text, library, def);
        break;
    case AUDIT_INSTANCING:
        kni_text_str(text, instancing[def->instancing]);
        break;
    case AUDIT_RUNS:
        kni_text_str(text, execution[def->net_execution]);
        kni_text_str(text, security[def->net_security]);
        break;
    default:
        cell_more(text, library, type);
        break;
    }
}

static const char *const audit_heads[AUDIT_COLUMN_COUNT] = {
    "ability", "tags", "cost", "cooldown", "commit", "started by", "instances", "runs", "more"};

static void audit_widths(const kn_library *library, uint32_t *widths)
{
    for (uint32_t column = 0; column < AUDIT_COLUMN_COUNT; column++) {
        widths[column] = (uint32_t)strlen(audit_heads[column]);
        for (uint32_t i = 0; i < kni_ref_count(library, KN_DEF_ABILITY); i++) {
            kni_text probe;
            kni_text_init(&probe, NULL, 0);
            audit_cell(&probe, library, kni_ability_type_at(library, i), column);
            widths[column] = kni_larger(widths[column], kni_larger(probe.length, 1));
        }
    }
}

uint32_t kn_library_abilities_print(const kn_library *library, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    uint32_t count = library != NULL ? kni_ref_count(library, KN_DEF_ABILITY) : 0;
    if (count == 0) {
        return 0;
    }
    uint32_t widths[AUDIT_COLUMN_COUNT];
    audit_widths(library, widths);
    for (uint32_t line = 0; line <= count; line++) { // the heading, then the abilities
        for (uint32_t column = 0; column < AUDIT_COLUMN_COUNT; column++) {
            uint32_t start = text.length;
            if (line == 0) {
                kni_text_str(&text, audit_heads[column]);
            } else {
                audit_cell(&text, library, kni_ability_type_at(library, line - 1), column);
                kni_text_str(&text, text.length == start ? "-" : "");
            }
            if (column + 1 < AUDIT_COLUMN_COUNT) {
                kni_text_pad(&text, start, widths[column] + 2);
            }
        }
        kni_text_char(&text, '\n');
    }
    return text.length;
}

// Tasks ---------------------------------------------------------------------

// Entries are numbered by kind first, then by custom type.
static uint32_t tally_places(const kn_world *world)
{
    return KN_TASK_KIND_COUNT + kni_ref_count(world->library, KN_DEF_TASK);
}

static kn_task_tally tally_at(const kn_world *world, uint32_t place)
{
    bool is_custom = place >= KN_TASK_KIND_COUNT;
    kn_task_tally tally = {
        .kind = is_custom ? KN_TASK_CUSTOM : (kn_task_kind)place,
        .type = {is_custom ? place - KN_TASK_KIND_COUNT + 1 : 0},
        .made = world->log.task_made != NULL ? world->log.task_made[place] : 0,
    };
    KNI_POOL_EACH(i, &world->tasks) {
        const kni_task *task = kni_task_at(world, i);
        tally.alive += task->kind == tally.kind && task->type1 == tally.type.index1;
    }
    return tally;
}

static bool tally_is_before(const kn_task_tally *a, const kn_task_tally *b)
{
    return a->made != b->made ? a->made > b->made : a->alive > b->alive;
}

// Walks over the entries with any tasks, in the order of kn_task_tallies().
typedef struct tally_walk {
    kn_task_tally tally;
    uint32_t place;
    bool has_begun;
} tally_walk;

static bool tally_next(const kn_world *world, tally_walk *walk)
{
    const tally_walk last = *walk;
    bool found = false;
    for (uint32_t place = 0; place < tally_places(world); place++) {
        kn_task_tally tally = tally_at(world, place);
        bool is_after = !last.has_begun || tally_is_before(&last.tally, &tally) ||
                        (!tally_is_before(&tally, &last.tally) && place > last.place);
        if ((tally.made > 0 || tally.alive > 0) && is_after &&
            (!found || tally_is_before(&tally, &walk->tally))) {
            *walk = (tally_walk){tally, place, true};
            found = true;
        }
    }
    return found;
}

uint32_t kn_task_tallies(const kn_world *world, kn_task_tally *out, uint32_t capacity)
{
    tally_walk walk = {.has_begun = false};
    uint32_t count = 0;
    for (; world != NULL && tally_next(world, &walk); count++) {
        if (count < capacity) {
            out[count] = walk.tally;
        }
    }
    return count;
}

uint32_t kn_task_tally_print(const kn_world *world, uint32_t top, char *buffer, uint32_t size)
{
    kni_text text;
    kni_text_init(&text, buffer, size);
    if (world == NULL) {
        return 0;
    }
    kni_text_str(
        &text, world->log.task_made != NULL ? "made      alive     task\n" : "alive     task\n");
    tally_walk walk = {.has_begun = false};
    for (uint32_t i = 0; (i < top || top == 0) && tally_next(world, &walk); i++) {
        uint32_t start = text.length;
        if (world->log.task_made != NULL) {
            kni_text_u64(&text, walk.tally.made);
            kni_text_pad(&text, start, 10);
            start = text.length;
        }
        kni_text_u64(&text, walk.tally.alive);
        kni_text_pad(&text, start, 10);
        kni_text_str(&text, kni_task_kind_word(walk.tally.kind));
        if (walk.tally.type.index1 != 0) {
            kni_text_char(&text, ' ');
            kni_text_str(&text, kni_ref_name(world->library, KN_DEF_TASK, walk.tally.type.index1));
        }
        kni_text_char(&text, '\n');
    }
    return text.length;
}
