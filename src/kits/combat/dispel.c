// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Dispels: which effects qualify, and the draws among them. What a dispel removes is counted here
// and not read back, since removals wait inside operations.

#include "parts.h"

#include <math.h>
#include <stdlib.h>

#define DISPEL_COOKIE 0x6c70646bu
#define CANDIDATES_MAX 256 // that are drawn from at a time

// The definition --------------------------------------------------------------------

kn_dispel_def kn_dispel_def_default(void)
{
    kn_dispel_def def = {.count = kn_magnitude_constant(1.0f),
        .polarity = KN_POLARITY_BIT_DEBUFF,
        .cookie = DISPEL_COOKIE};
    return def;
}

static void dispel_init(void *def)
{
    *(kn_dispel_def *)def = kn_dispel_def_default();
}

static const char *const polarity_words[] = {"buff", "debuff", "hidden"};

static const kn_def_field dispel_fields[] = {
    KN_DEF_F(kn_dispel_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
    KN_DEF_F_REF(kn_dispel_def, on, KN_DEF_TAG,
        "Event that sets it off on the entity that receives it: `Knack.Dispel` or a tag below "
        "it. A magnitude above 0 is used instead of `count`; default none."),
    KN_DEF_F_PART(kn_dispel_def, count, "kn_magnitude",
        "Attempts; each removes one stack or charge, or fails; default 1."),
    KN_DEF_F(kn_dispel_def, types, KN_DEF_FIELD_TAGS,
        "Dispel types that it takes, or tags below them; default: all, and effects without one."),
    KN_DEF_F_FLAGS(kn_dispel_def, polarity, polarity_words,
        "Effects that it takes: those that help, harm, or are hidden; default debuff."),
    KN_DEF_F(kn_dispel_def, strength, KN_FIELD_F32,
        "It takes effects of this strength or less; default 0."),
    KN_DEF_F(kn_dispel_def, whole, KN_FIELD_BOOL,
        "A success removes all stacks of the effect; default false."),
    KN_DEF_F(kn_dispel_def, steals, KN_FIELD_BOOL,
        "What is removed is applied to the source of the dispel; default false."),
    KN_DEF_F(kn_dispel_def, cookie, KN_DEF_FIELD_COOKIE, NULL),
};
static const kn_def_table dispel_table = {"dispel_def", sizeof(kn_dispel_def), dispel_fields,
    sizeof(dispel_fields) / sizeof(*dispel_fields), dispel_init};

static kn_result dispel_check(
    void *user, const kn_library *library, const void *item, kn_error *error)
{
    const kn_dispel_def *def = item;
    const buff_ids *ids = user;
    if (def->on.index1 != 0 && !kn_tag_matches(library, def->on, ids->dispel_tag)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "dispel `%s`: its event `%s` must be `Knack.Dispel` or a tag below it, such as "
            "Knack.Dispel.%s",
            def->name, kn_tag_name(library, def->on), def->name);
    }
    if ((def->polarity & KN_POLARITY_BITS) == 0 ||
        (def->polarity & ~(uint32_t)KN_POLARITY_BITS) != 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "dispel `%s` takes no effects; write polarity: buff, debuff or hidden", def->name);
    }
    return isfinite(def->strength) ? KN_OK
                                   : kn_error_set(error, KN_ERROR_BAD_DATA,
                                         "dispel `%s`: its strength must be a number", def->name);
}

static kn_result dispel_finish(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error)
{
    buff_ids *ids = user;
    ids->tag_count = kn_tag_count(library);
    free(ids->dispel_on);
    ids->dispel_on = calloc(ids->tag_count + 1u, sizeof(*ids->dispel_on));
    if (ids->dispel_on == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 1; i <= kn_def_count(library, kind); i++) {
        const kn_dispel_def *def = kn_def_get(library, kind, i);
        uint32_t *on = &ids->dispel_on[def->on.index1];
        if (def->on.index1 != 0 && *on != 0) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "dispels `%s` and `%s` have the same event `%s`; give one of them another",
                kn_def_name(library, kind, *on), def->name, kn_tag_name(library, def->on));
        }
        *on = def->on.index1 != 0 ? i : 0;
    }
    return KN_OK;
}

kn_result kn_dispel_register(
    kn_library *library, const kn_dispel_def *def, kn_dispel_id *dispel, kn_error *error)
{
    kn_dispel_id ignored;
    dispel = dispel != NULL ? dispel : &ignored;
    dispel->index1 = 0;
    if (!kn_combat_is_there(library) || def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return kn_def_register(
        library, knc_combat_of(library)->buff.dispel_kind, def, &dispel->index1, error);
}

// Candidates ------------------------------------------------------------------------

// An effect that could be dispelled.
typedef struct candidate {
    kn_effect_id effect;
    kn_effect_type_id type;
    const kn_buff_def *def;
    float resistance;
    uint32_t stacks; // those that no attempt has removed
} candidate;

typedef struct dispel_call {
    const kn_dispel_def *def;
    kn_dispel_id dispel;
    kn_entity_id source, target;
    float count; // of the event; 0: as the def says
    kn_dispel_result result;
    candidate candidates[CANDIDATES_MAX]; // by priority, then the oldest first
    uint32_t candidate_count;
    bool has_more;      // there are others, of the lowest priority here or below it
    candidate shielded; // the first that a gate protects
} dispel_call;

static bool dispel_takes(
    const kn_library *library, const kn_dispel_def *dispel, const kn_buff_def *def)
{
    return (dispel->polarity & 1u << def->polarity) != 0 && def->strength <= dispel->strength &&
           (dispel->types.count == 0 ||
               kn_tags_has_any(library, (kn_tags){&def->dispel_type, 1}, dispel->types));
}

// The record that gates see. `tags` has room for the tags of the effect.
static kn_event_record dispel_record(
    const kn_world *world, const dispel_call *call, const candidate *c, kn_tag_set *tags)
{
    const kn_effect_def *effect = kn_effect_type_get_def(world, c->type);
    kn_event_record record = kn_event_record_default();
    *tags = (kn_tag_set){0};
    if (c->def->dispel_type.index1 != 0) {
        (void)kn_tag_set_add(tags, c->def->dispel_type);
    }
    (void)kn_tag_set_append(tags, effect->asset_tags);
    record.kind = knc_combat_of_world(world)->buff.dispel_event;
    record.instigator = call->source;
    record.target = call->target;
    record.tags = kn_tag_set_view(tags);
    record.magnitude = 1.0f;
    return record;
}

static float dispel_resistance(
    const kn_world *world, const candidate *c, const kn_event_record *record)
{
    float base;
    if (kn_effect_evaluate(world, c->effect, &c->def->resistance, &base) != KN_OK) {
        base = 0.0f;
    }
    return kn_value_evaluate(world, record->target,
        knc_combat_of_world(world)->buff.dispel_resistance, base, record, false);
}

// Puts a candidate behind those of the same priority. The last one gives way if there is no room.
static void candidate_insert(dispel_call *call, const candidate *c)
{
    if (call->candidate_count == CANDIDATES_MAX) {
        call->has_more = true;
        if (call->candidates[CANDIDATES_MAX - 1].def->priority >= c->def->priority) {
            return;
        }
        call->candidate_count--;
    }
    uint32_t at = call->candidate_count++;
    while (at > 0 && call->candidates[at - 1].def->priority < c->def->priority) {
        call->candidates[at] = call->candidates[at - 1];
        at--;
    }
    call->candidates[at] = *c;
}

// Whether an effect could be dispelled.
static bool candidate_look(
    const kn_world *world, dispel_call *call, kn_effect_id effect, candidate *c)
{
    const kn_library *library = kn_world_library(world);
    kn_effect_info info;
    if (!kn_effect_get(world, effect, &info)) {
        return false;
    }
    *c = (candidate){.effect = effect,
        .type = info.type,
        .def = kn_buff_get_def(library, kn_buff_of(library, info.type)),
        .stacks = info.stacks};
    if (c->def == NULL || !dispel_takes(library, call->def, c->def)) {
        return false;
    }
    kn_tag_set tags;
    kn_event_record record = dispel_record(world, call, c, &tags);
    c->resistance = dispel_resistance(world, c, &record);
    if (c->resistance >= 1.0f) {
        return false;
    }
    if (kn_event_vetoes(world, &record, NULL, 0) > 0) {
        call->shielded = call->result.blocked++ == 0 ? *c : call->shielded;
        return false;
    }
    return true;
}

// As the predicate of a query it sees all effects, and takes those that it wants itself.
static bool effect_is_candidate(void *user, const kn_world *world, kn_effect_id effect)
{
    dispel_call *call = user;
    candidate c;
    if (candidate_look(world, call, effect, &c)) {
        candidate_insert(call, &c);
    }
    return false;
}

static void candidates_find(const kn_world *world, dispel_call *call)
{
    kn_effect_query query = kn_effect_query_default();
    query.predicate = effect_is_candidate;
    query.user = call;
    call->candidate_count = 0;
    call->has_more = false;
    call->result.blocked = 0;
    (void)kn_effects_find(world, call->target, &query, NULL, 0);
}

// What a list of candidates is made of.
typedef struct candidate_list {
    dispel_call call;
    kn_effect_id *out;
    uint32_t capacity, count;
} candidate_list;

static int32_t priority_of(const kn_world *world, kn_effect_id effect)
{
    const kn_library *library = kn_world_library(world);
    kn_effect_info info;
    (void)kn_effect_get(world, effect, &info);
    return kn_buff_get_def(library, kn_buff_of(library, info.type))->priority;
}

static bool effect_is_listed(void *user, const kn_world *world, kn_effect_id effect)
{
    candidate_list *list = user;
    candidate c;
    if (!candidate_look(world, &list->call, effect, &c)) {
        return false;
    }
    uint32_t at = list->count < list->capacity ? list->count : list->capacity;
    list->count++;
    for (; at > 0 && priority_of(world, list->out[at - 1]) < c.def->priority; at--) {
        if (at < list->capacity) {
            list->out[at] = list->out[at - 1];
        }
    }
    if (at < list->capacity) {
        list->out[at] = effect;
    }
    return false;
}

uint32_t kn_dispel_candidates(const kn_world *world, kn_dispel_id dispel, kn_entity_id source,
    kn_entity_id target, kn_effect_id *out, uint32_t capacity)
{
    const kn_library *library = kn_world_library(world);
    candidate_list list = {.call = {.dispel = dispel, .source = source, .target = target},
        .out = out,
        .capacity = out != NULL ? capacity : 0};
    list.call.def =
        kn_combat_is_there(library)
            ? kn_def_get(library, knc_combat_of(library)->buff.dispel_kind, dispel.index1)
            : NULL;
    if (list.call.def == NULL) {
        return 0;
    }
    kn_effect_query query = kn_effect_query_default();
    query.predicate = effect_is_listed;
    query.user = &list;
    (void)kn_effects_find(world, target, &query, NULL, 0);
    return list.count;
}

// Dispelling ------------------------------------------------------------------------

static void dispel_publish(kn_world *world, const dispel_call *call, const candidate *c,
    kn_dispel_outcome outcome, uint32_t stacks)
{
    kn_dispelled event = {.source = call->source,
        .effect = c->effect,
        .type = c->type,
        .dispel = call->dispel,
        .outcome = outcome,
        .stacks = stacks};
    (void)kn_world_publish(world, call->target, knc_combat_of_world(world)->buff.dispelled, &event);
}

// Gives what was removed to the one who dispels, with the time that was left.
static bool dispel_steal(kn_world *world, const dispel_call *call, const candidate *c,
    uint32_t stacks, const kn_effect_info *info)
{
    kn_effect_apply_def apply = kn_effect_apply_def_default();
    apply.type = c->type;
    apply.target = call->source;
    apply.source = call->source;
    apply.level = info->level;
    apply.stacks = stacks;
    if (info->remaining != KN_TIME_INFINITE && info->remaining > 0) {
        apply.duration = info->remaining;
    }
    return kn_entity_is_alive(world, call->source) && kn_effect_apply(world, &apply, NULL) == KN_OK;
}

static void candidate_drop(dispel_call *call, uint32_t index)
{
    call->candidate_count--;
    for (uint32_t i = index; i < call->candidate_count; i++) {
        call->candidates[i] = call->candidates[i + 1];
    }
}

static void dispel_remove(kn_world *world, dispel_call *call, uint32_t index)
{
    candidate c = call->candidates[index];
    kn_effect_info info;
    kn_tag_set tags;
    kn_event_record record = dispel_record(world, call, &c, &tags);
    (void)kn_event_run(world, &record, NULL); // passes: a candidate has no vetoes
    if (!kn_effect_get(world, c.effect, &info)) {
        candidate_drop(call, index); // a rule about the record was faster
        return;
    }
    bool is_charge = !call->def->whole && knc_proc_take_charge(world, call->target, c.effect);
    uint32_t stacks = call->def->whole ? c.stacks : 1;
    if (!is_charge) {
        (void)kn_effect_remove(world, c.effect, call->def->whole ? 0 : 1, KN_REMOVED_DISPELLED);
        call->candidates[index].stacks -= stacks;
    }
    if (call->candidates[index].stacks == 0) {
        candidate_drop(call, index);
    }
    bool is_stolen = call->def->steals && dispel_steal(world, call, &c, stacks, &info);
    call->result.removed++;
    call->result.stolen += is_stolen;
    dispel_publish(
        world, call, &c, is_stolen ? KN_DISPEL_STOLEN : KN_DISPEL_REMOVED, is_charge ? 0 : stacks);
}

// One attempt: draws among those with the highest priority, then against the resistance.
static void dispel_attempt(kn_world *world, dispel_call *call)
{
    uint32_t stream = knc_combat_of_world(world)->buff.dispel_stream;
    uint32_t equals = 1;
    while (equals < call->candidate_count &&
           call->candidates[equals].def->priority == call->candidates[0].def->priority) {
        equals++;
    }
    uint32_t drawn = equals > 1 ? kn_random_below(world, stream, equals) : 0;
    const candidate *c = &call->candidates[drawn];
    call->result.attempts++;
    if (c->resistance > 0.0f && kn_random_float(world, stream) < c->resistance) {
        call->result.resisted++;
        dispel_publish(world, call, c, KN_DISPEL_RESISTED, 0);
        return;
    }
    dispel_remove(world, call, drawn);
}

static kn_result dispel_run(void *user, kn_world *world)
{
    dispel_call *call = user;
    float count = call->count;
    if (!(count > 0.0f)) {
        kn_result result = kn_magnitude_evaluate(
            world, &call->def->count, call->source, call->target, 1.0f, &count);
        if (result != KN_OK) {
            return result;
        }
    }
    candidates_find(world, call);
    if (call->candidate_count == 0 && call->result.blocked > 0 && count >= 1.0f) {
        kn_tag_set tags;
        kn_event_record record = dispel_record(world, call, &call->shielded, &tags);
        (void)kn_event_run(world, &record, NULL); // so that observers see what protects it
        dispel_publish(world, call, &call->shielded, KN_DISPEL_BLOCKED, 0);
    }
    while (call->candidate_count > 0 && call->result.attempts < KN_DISPEL_ATTEMPTS_MAX &&
           (float)call->result.attempts + 1.0f <= count) {
        dispel_attempt(world, call);
        if (call->candidate_count == 0 && call->has_more) {
            candidates_find(world, call);
        }
    }
    knc_proc_dispelled(world, call->source, call->target, &call->result);
    return KN_OK;
}

static kn_result dispel_begin(kn_world *world, kn_dispel_id dispel, kn_entity_id source,
    kn_entity_id target, float count, kn_dispel_result *result)
{
    const kn_library *library = kn_world_library(world);
    dispel_call call = {
        .dispel = dispel, .source = source, .target = kn_entity_actor(world, target)};
    call.def = kn_combat_is_there(library)
                   ? kn_def_get(library, knc_combat_of(library)->buff.dispel_kind, dispel.index1)
                   : NULL;
    call.count = count;
    if (result != NULL) {
        *result = (kn_dispel_result){0};
    }
    if (call.def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, target)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result done = kn_world_call(world, dispel_run, &call);
    if (result != NULL && done == KN_OK) {
        *result = call.result;
    }
    return done;
}

kn_result kn_dispel(kn_world *world, kn_dispel_id dispel, kn_entity_id source, kn_entity_id target,
    kn_dispel_result *result)
{
    return dispel_begin(world, dispel, source, target, 0.0f, result);
}

static void dispel_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const buff_ids *ids = &knc_combat_of_world(world)->buff;
    kn_dispel_id dispel = {
        reaction->tag.index1 <= ids->tag_count ? ids->dispel_on[reaction->tag.index1] : 0};
    (void)user;
    if (dispel.index1 != 0) {
        (void)dispel_begin(
            world, dispel, reaction->instigator, reaction->entity, reaction->magnitude, NULL);
    }
}

// Registration ----------------------------------------------------------------------

static const char *const outcome_words[] = {"removed", "stolen", "resisted", "blocked"};
static const kn_field dispelled_fields[] = {
    KN_FIELD(kn_dispelled, source, KN_FIELD_ENTITY),
    KN_FIELD(kn_dispelled, effect, KN_FIELD_EFFECT),
    KN_FIELD_TO(kn_dispelled, type, "effect"),
    KN_FIELD_TO(kn_dispelled, dispel, "dispel"),
    {.name = "outcome",
        .kind = KN_FIELD_ENUM,
        .offset = offsetof(kn_dispelled, outcome),
        .count = 1,
        .refers_to = "kn_dispel_outcome"},
    KN_FIELD(kn_dispelled, stacks, KN_FIELD_U32),
};

static kn_result dispel_kinds_register(kn_library *library, buff_ids *ids, kn_error *error)
{
    kn_kind_def kind = kn_kind_def_default();
    kind.name = "dispel";
    kind.section = "dispels";
    kind.table = &dispel_table;
    kind.text = "Ways to remove effects of others: which ones, how many, and how strongly.";
    kind.check = dispel_check;
    kind.finish = dispel_finish;
    kind.user = ids;
    kn_event_kind_def event = kn_event_kind_def_default();
    event.name = "Knack.Dispel";
    kn_value_def value = kn_value_def_default();
    value.name = "Knack.DispelResistance";
    kn_result result = kn_kind_register(library, &kind, &ids->dispel_kind, error);
    result = result != KN_OK ? result
                             : kn_event_kind_register(library, &event, &ids->dispel_event, error);
    return result != KN_OK ? result
                           : kn_value_register(library, &value, &ids->dispel_resistance, error);
}

kn_result knc_dispel_part_register(kn_library *library, combat *kit, kn_error *error)
{
    buff_ids *ids = &kit->buff;
    static const char *const tags[] = {"Knack.Dispel"};
    kn_result result = knc_combat_tags_register(library, tags, 1, &ids->dispel_tag, error);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Knack.Dispel";
    rule.tag = ids->dispel_tag;
    rule.function = dispel_rule;
    kn_rule_id id;
    result = result != KN_OK
                 ? result
                 : kn_stream_register(library, "Knack.Dispels", false, &ids->dispel_stream, error);
    result = result != KN_OK ? result : dispel_kinds_register(library, ids, error);
    result = result != KN_OK
                 ? result
                 : kn_enum_register(library, "kn_dispel_outcome", outcome_words, 4, error);
    result = result != KN_OK
                 ? result
                 : knc_combat_event_register(library, "Knack.Dispelled", sizeof(kn_dispelled),
                       dispelled_fields, 6, "has {type} dispelled by {source}: {outcome}",
                       &ids->dispelled, error);
    return result != KN_OK ? result : kn_rule_register(library, &rule, &id, error);
}
