// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Meters. Sums are kept per combination of source, target, ability and effect, so that a meter of
// any grouping costs as many additions as there are combinations. A meter of a window adds up rows.

#include "log_rows.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

#define METER_COOKIE 0x7274656du

kn_meter_query kn_meter_query_default(void)
{
    kn_meter_query query = {.cookie = METER_COOKIE};
    return query;
}

void kn_combat_meter_reset(kn_combat_log *log)
{
    memset(log->slots, 0, log->slot_count * sizeof(*log->slots));
    memset(log->cells, 0, log_cell_room(log) * sizeof(*log->cells));
    log->cell_count = 0;
    log->has_times = false;
    log->since = log->total;
}

// Sums ----------------------------------------------------------------------------------

static bool cell_is(const log_cell *a, const log_cell *b)
{
    return kn_entity_id_equal(a->source, b->source) && kn_entity_id_equal(a->target, b->target) &&
           a->ability.index1 == b->ability.index1 && a->effect.index1 == b->effect.index1 &&
           a->kind == b->kind;
}

static uint64_t cell_hash(const log_cell *cell)
{
    uint64_t words[] = {kn_entity_id_pack(cell->source), kn_entity_id_pack(cell->target),
        (uint64_t)cell->ability.index1 << 32 | cell->effect.index1, (uint64_t)cell->kind};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

// The cell of a combination; one of nobody, for each kind of hits, once there is no room.
static log_cell *cell_find(kn_combat_log *log, const log_cell *key)
{
    uint32_t mask = log->slot_count - 1;
    uint32_t slot = (uint32_t)cell_hash(key) & mask;
    for (; log->slots[slot] != 0; slot = (slot + 1) & mask) {
        log_cell *cell = &log->cells[log->slots[slot] - 1];
        if (cell_is(cell, key)) {
            return cell;
        }
    }
    if (log->cell_count == log->def.cell_capacity) {
        log_cell *rest = &log->cells[log->def.cell_capacity + (uint32_t)key->kind];
        rest->kind = key->kind;
        return rest;
    }
    log_cell *cell = &log->cells[log->cell_count++];
    *cell = *key;
    log->slots[slot] = log->cell_count;
    return cell;
}

static void sums_add_hit(kn_meter_row *sums, const kn_hit *hit, bool is_critical)
{
    double dealt = (double)hit->dealt;
    sums->hits++;
    sums->criticals += is_critical;
    sums->avoided += !(hit->dealt > 0.0f) && !(hit->absorbed > 0.0f);
    sums->kills += (hit->flags & KN_HIT_KILLED) != 0;
    sums->amount += dealt;
    sums->absorbed += (double)hit->absorbed;
    sums->shared += (double)hit->shared;
    sums->mitigated += (double)hit->mitigated;
    sums->over += (double)hit->over;
    sums->largest = dealt > sums->largest ? dealt : sums->largest;
}

static void sums_add(kn_meter_row *sums, const kn_meter_row *other)
{
    sums->hits += other->hits;
    sums->criticals += other->criticals;
    sums->avoided += other->avoided;
    sums->kills += other->kills;
    sums->amount += other->amount;
    sums->absorbed += other->absorbed;
    sums->shared += other->shared;
    sums->mitigated += other->mitigated;
    sums->over += other->over;
    sums->largest = other->largest > sums->largest ? other->largest : sums->largest;
}

static log_cell cell_of(const kn_hit *hit)
{
    return (log_cell){.source = hit->source,
        .target = hit->target,
        .ability = hit->ability,
        .effect = hit->effect,
        .kind = hit->kind};
}

static bool hit_is_critical(const kn_combat_log *log, const kn_hit *hit)
{
    kn_tag critical = log->critical;
    bool is_critical = hit->outcome.index1 == critical.index1;
    for (uint32_t i = 0; i < KN_HIT_OUTCOMES_MAX - 1; i++) {
        is_critical = is_critical || hit->outcomes[i].index1 == critical.index1;
    }
    return is_critical && critical.index1 != 0;
}

void knc_meter_count(kn_combat_log *log, const kn_world *world, const kn_combat_row *row)
{
    log_cell key = cell_of(&row->hit);
    log->critical = knc_combat_of_world(world)->hit.outcome_tags[HIT_OUTCOME_CRITICAL];
    sums_add_hit(&cell_find(log, &key)->sums, &row->hit, hit_is_critical(log, &row->hit));
    if (!log->has_times) {
        log->first = row->time;
        log->has_times = true;
    }
    log->last = row->time;
}

// Grouping --------------------------------------------------------------------------------

// What of a cell a meter tells apart.
static log_cell group_key(const kn_meter_query *query, const log_cell *cell)
{
    log_cell key = {.kind = cell->kind};
    switch (query->by) {
    case KN_METER_BY_SOURCE:
        key.source = cell->source;
        break;
    case KN_METER_BY_TARGET:
        key.source = cell->target;
        break;
    default:
        key.ability = cell->ability;
        key.effect = cell->ability.index1 == 0 ? cell->effect : (kn_effect_type_id){0};
        break;
    }
    return key;
}

static bool query_wants(const kn_meter_query *query, const log_cell *cell)
{
    return cell->kind == query->kind &&
           (query->source.index1 == 0 || kn_entity_id_equal(query->source, cell->source)) &&
           (query->target.index1 == 0 || kn_entity_id_equal(query->target, cell->target));
}

static log_cell *group_find(kn_combat_log *log, const log_cell *key, uint32_t *count)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (cell_is(&log->groups[i], key)) {
            return &log->groups[i];
        }
    }
    log_cell *group = &log->groups[(*count)++];
    *group = *key;
    group->sums =
        (kn_meter_row){.entity = key->source, .ability = key->ability, .effect = key->effect};
    return group;
}

static uint32_t groups_of_cells(kn_combat_log *log, const kn_meter_query *query)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log_cell_room(log); i++) {
        const log_cell *cell = &log->cells[i];
        if (cell->sums.hits > 0 && query_wants(query, cell)) {
            log_cell key = group_key(query, cell);
            sums_add(&group_find(log, &key, &count)->sums, &cell->sums);
        }
    }
    return count;
}

static uint32_t groups_of_rows(kn_combat_log *log, const kn_meter_query *query)
{
    uint32_t count = 0;
    uint32_t kept = kn_combat_log_count(log);
    uint64_t begin = log->total - kept > log->since ? log->total - kept : log->since;
    for (uint64_t i = begin; i < log->total; i++) {
        const kn_combat_row *row = &log->rows[i % log->def.row_capacity];
        log_cell cell = cell_of(&row->hit);
        if (row->kind == KN_COMBAT_ROW_HIT && row->time > log->last - query->window &&
            query_wants(query, &cell)) {
            log_cell key = group_key(query, &cell);
            sums_add_hit(
                &group_find(log, &key, &count)->sums, &row->hit, hit_is_critical(log, &row->hit));
        }
    }
    return count;
}

// By amount, larger ones first; equal ones stay in their order.
static void groups_sort(log_cell *groups, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        log_cell cell = groups[i];
        uint32_t at = i;
        for (; at > 0 && groups[at - 1].sums.amount < cell.sums.amount; at--) {
            groups[at] = groups[at - 1];
        }
        groups[at] = cell;
    }
}

// Seconds that a meter is about: at least one, so that the first hit is not endless per second.
static double meter_seconds(const kn_combat_log *log, const kn_meter_query *query)
{
    kn_time span = log->last - log->first;
    if (query->window > 0 && query->window < span) {
        span = query->window;
    }
    return span > KN_MS(1000) ? kn_time_to_seconds(span) : 1.0;
}

uint32_t kn_combat_meter(
    kn_combat_log *log, const kn_meter_query *query, kn_meter_row *out, uint32_t capacity)
{
    if (log == NULL || query == NULL || query->cookie != METER_COOKIE) {
        return 0;
    }
    uint32_t count = query->window > 0 ? groups_of_rows(log, query) : groups_of_cells(log, query);
    double seconds = meter_seconds(log, query), sum = 0.0;
    groups_sort(log->groups, count);
    for (uint32_t i = 0; i < count; i++) {
        sum += log->groups[i].sums.amount;
    }
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = log->groups[i].sums;
        out[i].per_second = out[i].amount / seconds;
        out[i].share = sum > 0.0 ? out[i].amount / sum : 0.0;
    }
    return count;
}

// Text ------------------------------------------------------------------------------------

// A number with one decimal, in a column, independent of the locale.
static void text_column(kn_text *out, double number, uint32_t width)
{
    double tenths = (number < 0.0 ? -number : number) * 10.0 + 0.5;
    char text[48];
    if (!(tenths < 9e15)) {
        (void)kn_float_print((float)number, text, sizeof(text));
    } else {
        uint64_t whole = (uint64_t)tenths;
        (void)snprintf(text, sizeof(text), "%s%llu.%u", number < 0.0 && whole > 0 ? "-" : "",
            (unsigned long long)(whole / 10), (unsigned)(whole % 10));
    }
    kn_text_add(out, " %*s", (int)width, text);
}

static void text_padded(kn_text *out, uint32_t begin, uint32_t width)
{
    while (out->length < begin + width) {
        kn_text_add(out, " ");
    }
}

static void meter_name(kn_text *out, const kn_world *world, text_names names,
    const kn_meter_query *query, const kn_meter_row *row)
{
    if (query->by != KN_METER_BY_ABILITY) {
        if (row->entity.index1 != 0) {
            knc_text_entity(out, world, names, row->entity);
        } else {
            kn_text_add(out, "nobody");
        }
    } else if (row->ability.index1 != 0) {
        kn_text_add(out, "%s", kn_ability_type_name(kn_world_library(world), row->ability));
    } else {
        kn_text_add(out, "%s",
            row->effect.index1 != 0 ? kn_effect_type_name(world, row->effect) : "nothing");
    }
}

uint32_t kn_combat_meter_print(kn_combat_log *log, const kn_world *world,
    const kn_meter_query *query, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    uint32_t count = world != NULL ? kn_combat_meter(log, query, NULL, 0) : 0;
    if (count == 0) {
        return 0;
    }
    double seconds = meter_seconds(log, query), sum = 0.0;
    text_names names = {log->def.name, log->def.name_user};
    for (uint32_t i = 0; i < count; i++) {
        sum += log->groups[i].sums.amount;
    }
    kn_text_add(&out, "%-20s %10s %6s %10s %6s %6s %10s %10s\n",
        query->kind == KN_HIT_DAMAGE ? "damage" : "healing", "amount", "%", "per s", "hits", "crit",
        "absorbed", "over");
    for (uint32_t i = 0; i < count; i++) {
        const kn_meter_row *row = &log->groups[i].sums;
        uint32_t begin = out.length;
        meter_name(&out, world, names, query, row);
        text_padded(&out, begin, 20);
        text_column(&out, row->amount, 10);
        text_column(&out, sum > 0.0 ? row->amount / sum * 100.0 : 0.0, 6);
        text_column(&out, row->amount / seconds, 10);
        kn_text_add(&out, " %6u %6u", row->hits, row->criticals);
        text_column(&out, row->absorbed, 10);
        text_column(&out, row->over, 10);
        kn_text_add(&out, "\n");
    }
    return out.length;
}
