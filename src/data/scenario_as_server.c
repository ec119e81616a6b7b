// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whether a client has of an entity what the server has. A client is ahead: what it has is kept
// until the server has come to the same tick, and compared then, bit by bit, as far as this client
// may see it. Lines of text say what is different.

#include "scenario_peers.h"

#include <stdio.h>
#include <string.h>

#define SETS_MAX 64
#define TAGS_MAX 256
#define RECORDS_MAX 256

// Lines -----------------------------------------------------------------------

// What lines are written about: an entity of a world, for a viewer.
typedef struct line_writer {
    const kn_scenario_run *view;
    const kni_part *part; // may name what to look at
    kn_entity_id entity;
    kn_viewer viewer;
    kni_buffer *out;
    bool failed;
} line_writer;

// Whether only some lines are asked for.
static bool is_chosen(const kni_part *part)
{
    return part->attribute > 0 || part->tag_counts.count > 0 || part->effect.type > 0;
}

static void line_put(line_writer *to, const char *text)
{
    to->failed |= !kni_buffer_add(to->out, text, strlen(text)) || !kni_buffer_add(to->out, "\n", 1);
}

static void attribute_line(line_writer *to, kn_attribute_id attribute, uint32_t key)
{
    const kn_library *library = to->view->scenario->library;
    const kn_attribute_def *def = kn_attribute_get_def(library, attribute);
    bool is_seen =
        def->sync == KN_SYNC_ALL || (def->sync == KN_SYNC_OWNER && to->viewer == KN_VIEWER_OWNER);
    bool is_wanted =
        !is_chosen(to->part) || (to->part->attribute == attribute.index1 && to->part->key == key);
    if (!is_seen || !is_wanted) {
        return;
    }
    char text[KNI_LINE_SIZE];
    kni_line line = {text, sizeof(text), 0};
    kni_line_add(&line, "%s is ", kn_attribute_name(library, attribute));
    kni_line_float(&line, kn_attribute_value_keyed(to->view->world, to->entity, attribute, key));
    kni_line_add(&line, " (base ");
    kni_line_float(&line, kn_attribute_base_keyed(to->view->world, to->entity, attribute, key));
    kni_line_add(&line, ")");
    line_put(to, text);
}

static void attribute_lines(line_writer *to)
{
    const kn_library *library = to->view->scenario->library;
    kn_attribute_set_instance sets[SETS_MAX];
    uint32_t count = kn_attribute_sets(to->view->world, to->entity, sets, SETS_MAX);
    for (uint32_t i = 0; i < count && i < SETS_MAX; i++) {
        for (uint32_t k = 1; k <= kn_attribute_count(library); k++) {
            kn_attribute_id attribute = {k};
            if (kn_attribute_set_of(library, attribute).index1 == sets[i].set.index1) {
                attribute_line(to, attribute, sets[i].key);
            }
        }
    }
}

static bool tag_is_wanted(const kni_part *part, kn_tag tag)
{
    bool found = !is_chosen(part);
    for (uint32_t i = 0; i < part->tag_counts.count; i++) {
        found |= part->tag_counts.data[i].tag.index1 == tag.index1;
    }
    return found;
}

static void tag_lines(line_writer *to)
{
    kn_tag tags[TAGS_MAX];
    uint32_t count = kn_entity_tags(to->view->world, to->entity, tags, TAGS_MAX);
    for (uint32_t i = 0; i < count && i < TAGS_MAX; i++) {
        if (tag_is_wanted(to->part, tags[i])) {
            char text[KNI_LINE_SIZE];
            kni_line line = {text, sizeof(text), 0};
            kni_line_add(&line, "%s %u times", kn_tag_name(to->view->scenario->library, tags[i]),
                kn_entity_tag_count_exact(to->view->world, to->entity, tags[i]));
            line_put(to, text);
        }
    }
}

static void effect_lines(line_writer *to)
{
    kn_effect_id effects[RECORDS_MAX];
    kn_effect_query query = kn_effect_query_default();
    query.type.index1 = to->part->effect.type;
    uint32_t count =
        is_chosen(to->part) && to->part->effect.type == 0
            ? 0
            : kn_effects_find(to->view->world, to->entity, &query, effects, RECORDS_MAX);
    for (uint32_t i = 0; i < count && i < RECORDS_MAX; i++) {
        kn_effect_info info;
        char text[KNI_LINE_SIZE];
        kni_line line = {text, sizeof(text), 0};
        if (kn_effect_get(to->view->world, effects[i], &info)) {
            kni_line_add(&line, "%s with %u stacks, %s",
                kn_def_name(to->view->scenario->library, KN_DEF_EFFECT, info.type.index1),
                info.stacks, info.is_inhibited ? "inhibited, " : "");
            kni_line_time(&line, info.remaining);
            kni_line_add(&line, " left");
            line_put(to, text);
        }
    }
}

static void ability_lines(line_writer *to)
{
    kn_ability_id abilities[RECORDS_MAX];
    kn_ability_query query = kn_ability_query_default();
    bool is_wanted = !is_chosen(to->part) && to->viewer == KN_VIEWER_OWNER;
    uint32_t count =
        is_wanted ? kn_abilities_find(to->view->world, to->entity, &query, abilities, RECORDS_MAX)
                  : 0;
    for (uint32_t i = 0; i < count && i < RECORDS_MAX; i++) {
        kn_ability_info info;
        kn_time remaining = 0, total = 0;
        char text[KNI_LINE_SIZE];
        kni_line line = {text, sizeof(text), 0};
        if (kn_ability_get(to->view->world, abilities[i], &info)) {
            (void)kn_ability_cooldown(to->view->world, abilities[i], &remaining, &total);
            kni_line_add(&line, "%s with %u activations and a cooldown of ",
                kn_def_name(to->view->scenario->library, KN_DEF_ABILITY, info.type.index1),
                info.active_count);
            kni_line_time(&line, remaining);
            line_put(to, text);
        }
    }
}

// False when out of memory.
static bool lines_write(const kn_scenario_run *view, const kni_comparison *of, kni_buffer *out)
{
    line_writer to = {view, of->part, of->entity, of->filter.viewer, out, false};
    if (!kn_entity_is_alive(view->world, of->entity)) {
        return true;
    }
    attribute_lines(&to);
    tag_lines(&to);
    if ((of->filter.parts >> KN_PART_EFFECTS & 1) != 0) {
        effect_lines(&to);
    }
    ability_lines(&to);
    return !to.failed;
}

// Projections -----------------------------------------------------------------

// As the server cuts it.
static kn_projection_filter filter_of(const kn_scenario_run *run, const kni_part *part)
{
    kn_projection_filter filter = kn_projection_filter_default();
    kn_entity_id entity = kni_run_entity(run, part->entity);
    uint32_t connection = kni_sessions_connection(run, part->machine);
    bool is_owner = connection > 0 && kn_entity_connection(run->world, entity) == connection;
    kn_sync_mode mode = kni_sessions_mode(run, entity);
    filter.identity = KN_IDENTITY_PLACES;
    filter.viewer = is_owner ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
    filter.parts = part->as_server | 1u << KN_PART_ENTITY;
    if (!is_owner) {
        filter.parts &= ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS | 1u << KN_PART_WATCHES);
    }
    if (mode == KN_SYNC_MODE_MINIMAL || (mode == KN_SYNC_MODE_MIXED && !is_owner)) {
        filter.parts &= ~(1u << KN_PART_EFFECTS);
    }
    return filter;
}

// Adds the projection of all parts, or of one. A part that is cut is empty.
static kn_result projection_add(
    const kn_scenario_run *view, kni_comparison *of, uint32_t index, kn_projection_filter filter)
{
    size_t size = 0;
    if (index > 0) {
        filter.parts &= 1u << (index - 1) | 1u << KN_PART_ENTITY;
        if ((of->filter.parts >> (index - 1) & 1) == 0) {
            return KN_OK;
        }
    }
    kn_result result = kn_projection_take(view->world, &of->entity, 1, &filter, NULL, 0, &size);
    if (result != KN_OK) {
        return result;
    }
    kni_buffer *out = &of->bytes;
    if (size > KNI_BUFFER_MAX - out->size ||
        !kn_memory_grow(&out->hooks, &out->data, &out->capacity, out->size + (uint32_t)size, 1)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    result = kn_projection_take(
        view->world, &of->entity, 1, &filter, out->data + out->size, size, &size);
    of->sizes[index] = (uint32_t)size;
    out->size += (uint32_t)size;
    return result;
}

// Telling ---------------------------------------------------------------------

typedef struct text_line {
    const char *text;
    int length;
} text_line;

static bool line_next(const char **at, const char *end, text_line *line)
{
    const char *stop = *at < end ? memchr(*at, '\n', (size_t)(end - *at)) : NULL;
    if (stop == NULL) {
        *line = (text_line){"", 0};
        return false;
    }
    *line = (text_line){*at, (int)(stop - *at)};
    *at = stop + 1;
    return true;
}

// The first line that only one side has, or that differs.
static bool lines_differ(
    const kni_comparison *of, const kni_buffer *server, const char *machine, kni_line *found)
{
    const char *a = of->bytes.data + of->lines, *a_end = a + (of->bytes.size - of->lines);
    const char *b = server->size > 0 ? server->data : "", *b_end = b + server->size;
    for (;;) {
        text_line mine, theirs;
        bool has_mine = line_next(&a, a_end, &mine);
        bool has_theirs = line_next(&b, b_end, &theirs);
        if (!has_mine && !has_theirs) {
            return false;
        }
        bool same = has_mine && has_theirs && mine.length == theirs.length &&
                    memcmp(mine.text, theirs.text, (size_t)mine.length) == 0;
        if (!same) {
            kni_line_add(found, "%s has ", machine);
            kni_line_add(found, has_mine ? "%.*s" : "nothing", mine.length, mine.text);
            kni_line_add(found, " and the server has ");
            kni_line_add(found, has_theirs ? "%.*s" : "nothing", has_theirs ? theirs.length : 0,
                has_theirs ? theirs.text : "");
            return true;
        }
    }
}

// The first part whose projection differs; KN_PART_COUNT if it is none by itself.
static uint32_t part_differs(const kn_scenario_run *run, const kni_comparison *of)
{
    size_t at = of->sizes[0];
    for (uint32_t i = 1; i < KNI_COMPARED; i++) {
        if (of->sizes[i] > 0 &&
            !kn_projection_matches(run->world, of->bytes.data + at, of->sizes[i])) {
            return i - 1;
        }
        at += of->sizes[i];
    }
    return KN_PART_COUNT;
}

static void compare_fail(kn_scenario_run *run, const kni_comparison *of, const char *found)
{
    char expected[KNI_LINE_SIZE];
    kni_line line = {expected, sizeof(expected), 0};
    kn_time now = run->now;
    kni_line_add(&line, "%s is on %s as on the server at tick %llu",
        kni_run_name_text(run, of->part->entity),
        run->scenario->machine_names[of->part->machine - 1], (unsigned long long)of->tick);
    run->now = of->asked;
    kni_run_fail_text(run, &of->part->place, expected, found, "");
    run->now = now;
}

static void compare_tell(kn_scenario_run *run, const kni_comparison *of)
{
    const char *machine = run->scenario->machine_names[of->part->machine - 1];
    kni_buffer server = {.hooks = run->hooks};
    char found[2 * KNI_LINE_SIZE] = "";
    kni_line line = {found, sizeof(found), 0};
    bool is_told = lines_write(run, of, &server) && lines_differ(of, &server, machine, &line);
    if (!is_told && !is_chosen(of->part)) {
        kni_words words;
        kni_words_of(KNI_WORDS_STATE_PART, &words);
        uint32_t part = part_differs(run, of);
        bool has_part = part < KN_PART_COUNT;
        kni_line_add(&line, "%s%s differ%s", has_part ? "its " : "its parts",
            has_part ? words.items[part] : "", part == KN_PART_ENTITY ? "s" : "");
        is_told = true;
    }
    if (is_told) {
        compare_fail(run, of, found);
    }
    kni_buffer_free(&server);
}

static void compare_now(kn_scenario_run *run, const kni_comparison *of)
{
    if (is_chosen(of->part) || !kn_projection_matches(run->world, of->bytes.data, of->sizes[0])) {
        compare_tell(run, of);
    }
}

// Waiting ---------------------------------------------------------------------

static kn_result compare_note(
    kn_scenario_run *run, const kni_part *part, const kni_slot *slot, kni_comparison *of)
{
    kn_scenario_run view = kni_peer_view(run, part->machine);
    *of = (kni_comparison){.part = part,
        .entity = kni_run_entity(run, part->entity),
        .tick = kn_client_tick(slot->client),
        .asked = run->now,
        .filter = filter_of(run, part),
        .bytes = {.hooks = run->hooks}};
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < KNI_COMPARED && result == KN_OK; i++) {
        result = projection_add(&view, of, i, of->filter);
    }
    of->lines = of->bytes.size;
    if (result == KN_OK && !lines_write(&view, of, &of->bytes)) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    return result;
}

kn_result kni_compare_begin(kn_scenario_run *run, const kni_part *part)
{
    kni_sessions *all = run->sessions;
    const kni_slot *slot = kni_peer_slot(&all->peers[part->machine - 1]);
    kni_comparison one;
    kn_result result = compare_note(run, part, slot, &one);
    uint64_t tick = kn_server_tick(all->server);
    if (result == KN_OK && one.tick > tick &&
        !kn_memory_grow(&run->hooks, &all->comparisons, &all->comparison_capacity,
            all->comparison_count + 1, sizeof(one))) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    if (result == KN_OK && one.tick > tick) {
        all->comparisons[all->comparison_count++] = one;
        return KN_OK;
    }
    if (result == KN_OK && one.tick == tick) {
        compare_now(run, &one);
    } else if (result == KN_OK) {
        char found[KNI_LINE_SIZE];
        (void)snprintf(
            found, sizeof(found), "the server is at tick %llu already", (unsigned long long)tick);
        compare_fail(run, &one, found);
    }
    kni_buffer_free(&one.bytes);
    return result;
}

void kni_compare_tick(kn_scenario_run *run)
{
    kni_sessions *all = run->sessions;
    uint64_t tick = kn_server_tick(all->server);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < all->comparison_count; i++) {
        kni_comparison *one = &all->comparisons[i];
        if (one->tick > tick) {
            all->comparisons[kept++] = *one;
            continue;
        }
        compare_now(run, one);
        kni_buffer_free(&one->bytes);
    }
    all->comparison_count = kept;
}

void kni_compare_free(kn_scenario_run *run)
{
    kni_sessions *all = run->sessions;
    for (uint32_t i = 0; i < all->comparison_count; i++) {
        kni_buffer_free(&all->comparisons[i].bytes);
    }
    kn_memory_free(
        &run->hooks, all->comparisons, all->comparison_capacity * sizeof(*all->comparisons));
}
