// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags of entities: counts by origin, implied parents, which events are published and in which
// order.

#include "group.h"

#include "knack/knack.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef struct scene {
    kn_library *library;
    kn_world *world;
    kn_tag state, debuff, stun, root, dead, burning;
    kn_effect_type_id stunning, stunning_too, stunning_while, blast;
} scene;

static kn_tag tag_add(kn_library *library, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_effect_type_id effect_granting(
    scene *s, const char *name, kn_duration_kind kind, const kn_tag *tag)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.granted_tags = (kn_tags){tag, 1};
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

// In force only while its target is burning.
static kn_effect_type_id effect_granting_while_burning(
    scene *s, const char *name, const kn_tag *tag)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.granted_tags = (kn_tags){tag, 1};
    def.ongoing.target.required = (kn_tags){&s->burning, 1};
    kn_effect_type_id type = {0};
    assert_int_equal(kn_effect_register(s->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_world *world_create(const kn_library *library)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.event_mask |= UINT64_C(1) << KN_EVENT_TAG_COUNT;
    kn_world *world = NULL;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

// What the rule below saw when State.Debuff.Stun left an entity.
typedef struct removal_seen {
    uint32_t calls;
    uint32_t state_count;
    bool has_debuff;
} removal_seen;

static removal_seen last_removal;

static void note_removal(void *user, kn_world *world, const kn_reaction *reaction)
{
    scene *s = user;
    last_removal.calls++;
    last_removal.state_count = kn_entity_tag_count(world, reaction->entity, s->state);
    last_removal.has_debuff = kn_entity_has_tag(world, reaction->entity, s->debuff);
}

static scene the_scene;

static int setup(void **state)
{
    scene *s = &the_scene;
    memset(s, 0, sizeof *s);
    memset(&last_removal, 0, sizeof last_removal);
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &s->library), KN_OK);
    s->stun = tag_add(s->library, "State.Debuff.Stun");
    s->root = tag_add(s->library, "State.Debuff.Root");
    s->dead = tag_add(s->library, "State.Dead");
    s->burning = tag_add(s->library, "Burning");
    s->debuff = kn_tag_find(s->library, "State.Debuff");
    s->state = kn_tag_find(s->library, "State");
    s->stunning = effect_granting(s, "Stunning", KN_DURATION_INFINITE, &s->stun);
    s->stunning_too = effect_granting(s, "StunningToo", KN_DURATION_INFINITE, &s->stun);
    s->stunning_while = effect_granting_while_burning(s, "StunningWhile", &s->stun);
    s->blast = effect_granting(s, "Blast", KN_DURATION_INSTANT, &s->stun);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "NoteRemoval";
    rule.trigger = KN_TRIGGER_TAG_REMOVED;
    rule.tag = s->stun;
    rule.function = note_removal;
    rule.user = s;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(s->library, &rule, &id, NULL), KN_OK);
    assert_int_equal(kn_library_finish(s->library, NULL), KN_OK);
    s->world = world_create(s->library);
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    scene *s = *state;
    assert_true(kn_world_validate(s->world));
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    return 0;
}

static kn_entity_id entity_create(kn_world *world)
{
    kn_entity_id entity = {0};
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    return entity;
}

static kn_effect_id apply(scene *s, kn_effect_type_id type, kn_entity_id target)
{
    kn_effect_id effect = {0};
    assert_int_equal(
        kn_effect_apply_simple(s->world, type, (kn_entity_id){0}, target, 1.0f, &effect), KN_OK);
    return effect;
}

static void add(scene *s, kn_entity_id entity, kn_tag tag, kn_tag_origin origin, uint32_t count)
{
    assert_int_equal(kn_entity_add_tag(s->world, entity, tag, origin, count), KN_OK);
}

static void step(scene *s)
{
    assert_int_equal(kn_world_step(s->world, 0), KN_OK);
}

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// A log of listener calls: "C2" for a count of 2, "N1" for a tag that came with count 1.
typedef struct listener_log {
    char text[256];
    char letter;
} listener_log;

static void note_event(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    listener_log *log = user;
    size_t length = strlen(log->text);
    snprintf(log->text + length, sizeof log->text - length, "%c%u ",
        event->type == KN_EVENT_TAG_COUNT ? 'C' : 'N', event->data.tag.count);
}

static kn_listener_id listen(
    scene *s, kn_event_type type, kn_entity_id entity, kn_tag tag, kn_listener_fn *fn, void *user)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.entity = entity;
    def.tag = tag;
    def.function = fn;
    def.user = user;
    kn_listener_id listener = {0};
    assert_int_equal(kn_listener_add(s->world, &def, &listener), KN_OK);
    return listener;
}

// Asking ------------------------------------------------------------------------

// TVE-101, TAG-053, TAG-060, ASC-010
static void a_tag_brings_its_parents_but_not_its_children(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1);

    assert_true(kn_entity_has_tag(s->world, entity, s->stun));
    assert_true(kn_entity_has_tag(s->world, entity, s->debuff));
    assert_true(kn_entity_has_tag(s->world, entity, s->state));
    assert_false(kn_entity_has_tag(s->world, entity, s->root));
    assert_true(kn_entity_has_tag_exact(s->world, entity, s->stun));
    assert_false(kn_entity_has_tag_exact(s->world, entity, s->debuff));

    kn_entity_id other = entity_create(s->world);
    add(s, other, s->debuff, KN_TAG_ORIGIN_LOOSE, 1);
    assert_false(kn_entity_has_tag(s->world, other, s->stun));
    assert_true(kn_entity_has_tag_exact(s->world, other, s->debuff));
}

// TAG-050, TAG-053
static void explicit_and_implied_counts_are_told_apart(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 2);
    add(s, entity, s->root, KN_TAG_ORIGIN_LOOSE, 1);
    add(s, entity, s->debuff, KN_TAG_ORIGIN_LOOSE, 4);

    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 2);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->debuff), 7);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->state), 7);
    assert_int_equal(kn_entity_tag_count_exact(s->world, entity, s->debuff), 4);
    assert_int_equal(kn_entity_tag_count_exact(s->world, entity, s->state), 0);

    assert_int_equal(
        kn_entity_remove_tag(s->world, entity, s->debuff, KN_TAG_ORIGIN_LOOSE, 4), KN_OK);
    assert_true(kn_entity_has_tag(s->world, entity, s->debuff));
    assert_false(kn_entity_has_tag_exact(s->world, entity, s->debuff));
}

// TVE-102, TAG-025, ASC-010
static void any_of_nothing_is_false_and_all_of_nothing_is_true(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1);
    kn_tags none = {NULL, 0};
    assert_false(kn_entity_has_any_tag(s->world, entity, none));
    assert_true(kn_entity_has_all_tags(s->world, entity, none));

    kn_tag both[] = {s->state, s->burning};
    kn_tags wanted = {both, 2};
    assert_true(kn_entity_has_any_tag(s->world, entity, wanted));
    assert_false(kn_entity_has_all_tags(s->world, entity, wanted));
    add(s, entity, s->burning, KN_TAG_ORIGIN_LOOSE, 1);
    assert_true(kn_entity_has_all_tags(s->world, entity, wanted));

    kn_tag_query empty = {0};
    assert_false(kn_entity_matches_query(s->world, entity, &empty));
}

// TAG-026, TAG-027
static void requirements_and_queries_judge_entities_without_tags_too(void **state)
{
    scene *s = *state;
    kn_entity_id bare = entity_create(s->world); // no component yet
    kn_tag_query calm = {0};
    kn_tag_query_begin(&calm, KN_QUERY_NO_TAGS);
    kn_tag_query_tag(&calm, s->debuff);
    kn_tag_query_end(&calm);
    kn_tag_requirement requirement = {.ignored = {&s->dead, 1}, .query = &calm};

    assert_true(kn_entity_matches_query(s->world, bare, &calm));
    assert_true(kn_entity_meets(s->world, bare, &requirement));
    add(s, bare, s->burning, KN_TAG_ORIGIN_LOOSE, 1);
    assert_true(kn_entity_meets(s->world, bare, &requirement));
    add(s, bare, s->root, KN_TAG_ORIGIN_LOOSE, 1);
    assert_false(kn_entity_matches_query(s->world, bare, &calm));
    assert_false(kn_entity_meets(s->world, bare, &requirement));

    kn_tag_requirement wants = {.required = {&s->debuff, 1}};
    assert_true(kn_entity_meets(s->world, bare, &wants));
    kn_tag pair[] = {s->debuff, s->stun};
    kn_tag_requirement wants_both = {.required = {pair, 2}};
    assert_false(kn_entity_meets(s->world, bare, &wants_both));
    kn_tag_requirement alive = {.required = {&s->burning, 1}, .ignored = {&s->dead, 1}};
    assert_true(kn_entity_meets(s->world, bare, &alive));
    add(s, bare, s->dead, KN_TAG_ORIGIN_LOOSE, 1);
    assert_false(kn_entity_meets(s->world, bare, &alive));
    kn_tag_requirement nothing = {0};
    assert_true(kn_entity_meets(s->world, bare, &nothing));
}

// TAG-029, ASC-010
static void listing_owned_tags_starts_afresh_each_time(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->dead, KN_TAG_ORIGIN_LOOSE, 1);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 3);
    kn_tag tags[4] = {{0}};
    assert_int_equal(kn_entity_tags(s->world, entity, tags, 4), 2);
    assert_int_equal(kn_entity_tags(s->world, entity, tags, 4), 2);
    assert_int_equal(tags[0].index1, s->stun.index1); // by number
    assert_int_equal(tags[1].index1, s->dead.index1);
    assert_int_equal(tags[2].index1, 0);

    kn_tag one = {0};
    assert_int_equal(kn_entity_tags(s->world, entity, &one, 1), 2);
    assert_int_equal(one.index1, s->stun.index1);
    assert_int_equal(kn_entity_tags(s->world, entity, NULL, 0), 2);
    // What is gone is not listed again, nor is what another has.
    kn_entity_id other = entity_create(s->world);
    add(s, other, s->burning, KN_TAG_ORIGIN_LOOSE, 1);
    assert_int_equal(
        kn_entity_set_tag_count(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 0), KN_OK);
    assert_int_equal(kn_entity_tags(s->world, entity, tags, 4), 1);
    assert_int_equal(tags[0].index1, s->dead.index1);
    assert_int_equal(kn_entity_tags(s->world, other, tags, 4), 1);
    assert_int_equal(tags[0].index1, s->burning.index1);
}

// TAG-051, TAG-052
static void a_tag_whose_count_fell_to_zero_is_neither_owned_nor_dumped(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 2);
    add(s, entity, s->burning, KN_TAG_ORIGIN_LOOSE, 1);
    assert_int_equal(
        kn_entity_remove_tag(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);

    assert_false(kn_entity_has_tag(s->world, entity, s->stun));
    assert_false(kn_entity_has_tag_exact(s->world, entity, s->stun));
    assert_false(kn_entity_has_tag(s->world, entity, s->state));
    assert_int_equal(kn_entity_tags(s->world, entity, NULL, 0), 1);
    char text[2048];
    assert_true(kn_entity_dump(s->world, entity, text, sizeof text) > 0);
    assert_non_null(strstr(text, "Burning"));
    assert_null(strstr(text, "Stun"));
}

// Listening -----------------------------------------------------------------------

// TVE-100, TAG-080, TAG-081
static void listeners_hear_every_count_or_only_coming_and_going(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    listener_log log = {0};
    listen(s, KN_EVENT_TAG_CHANGED, entity, s->stun, note_event, &log);
    listen(s, KN_EVENT_TAG_COUNT, entity, s->stun, note_event, &log);

    kn_effect_id first = apply(s, s->stunning, entity);
    step(s);
    assert_string_equal(log.text, "C1 N1 ");
    log.text[0] = '\0';
    kn_effect_id second = apply(s, s->stunning_too, entity);
    step(s);
    assert_string_equal(log.text, "C2 ");
    log.text[0] = '\0';
    assert_int_equal(kn_effect_remove(s->world, first, 0, KN_REMOVED_BY_CALL), KN_OK);
    step(s);
    assert_string_equal(log.text, "C1 ");
    assert_true(kn_entity_has_tag(s->world, entity, s->stun));
    log.text[0] = '\0';
    assert_int_equal(kn_effect_remove(s->world, second, 0, KN_REMOVED_BY_CALL), KN_OK);
    step(s);
    assert_string_equal(log.text, "C0 N0 ");
    assert_false(kn_entity_has_tag(s->world, entity, s->stun));
}

// TAG-082
static void the_tag_is_told_before_its_parents_and_counts_before_changes(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    step(s);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 2);
    step(s);
    kn_events events = kn_world_events(s->world);
    const struct {
        kn_event_type type;
        kn_tag tag;
    } expected[] = {
        {KN_EVENT_TAG_COUNT, s->stun},
        {KN_EVENT_TAG_CHANGED, s->stun},
        {KN_EVENT_TAG_COUNT, s->debuff},
        {KN_EVENT_TAG_CHANGED, s->debuff},
        {KN_EVENT_TAG_COUNT, s->state},
        {KN_EVENT_TAG_CHANGED, s->state},
    };
    assert_int_equal(events.count, 6);
    for (uint32_t i = 0; i < events.count; i++) {
        assert_int_equal(events.data[i].type, expected[i].type);
        assert_int_equal(events.data[i].data.tag.tag.index1, expected[i].tag.index1);
        assert_int_equal(events.data[i].data.tag.count, 2);
        assert_int_equal(events.data[i].data.tag.old_count, 0);
        assert_true(kn_entity_id_equal(events.data[i].entity, entity));
    }
}

// TAG-054, TAG-082
static void whoever_is_told_of_a_removal_finds_the_parents_updated(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 3);
    add(s, entity, s->dead, KN_TAG_ORIGIN_LOOSE, 1);
    assert_int_equal(
        kn_entity_remove_tag(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 2), KN_OK);
    assert_int_equal(last_removal.calls, 0);
    assert_int_equal(
        kn_entity_remove_tag(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(last_removal.calls, 1);
    assert_int_equal(last_removal.state_count, 1); // only State.Dead is left
    assert_false(last_removal.has_debuff);
}

typedef struct busy_listener {
    scene *scene;
    kn_entity_id entity;
    kn_listener_id self;
    listener_log late;
    uint32_t calls;
} busy_listener;

static void change_tags_and_listeners(void *user, kn_world *world, const kn_event *event)
{
    busy_listener *busy = user;
    scene *s = busy->scene;
    busy->calls++;
    assert_int_equal(event->data.tag.count, 1);
    assert_true(kn_listener_remove(world, busy->self));
    assert_false(kn_listener_remove(world, busy->self));
    listen(s, KN_EVENT_TAG_CHANGED, busy->entity, s->burning, note_event, &busy->late);
    add(s, busy->entity, s->burning, KN_TAG_ORIGIN_LOOSE, 1);
    assert_int_equal(
        kn_entity_remove_tag(world, busy->entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

// TAG-082
static void listeners_may_change_listeners_and_tags_while_they_are_called(void **state)
{
    scene *s = *state;
    busy_listener busy = {.scene = s, .entity = entity_create(s->world)};
    busy.self =
        listen(s, KN_EVENT_TAG_CHANGED, busy.entity, s->stun, change_tags_and_listeners, &busy);
    listener_log after = {0};
    listen(s, KN_EVENT_TAG_CHANGED, busy.entity, s->stun, note_event, &after);

    add(s, busy.entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1);
    step(s);
    assert_int_equal(busy.calls, 1);
    assert_false(kn_entity_has_tag(s->world, busy.entity, s->stun));
    assert_true(kn_entity_has_tag(s->world, busy.entity, s->burning));
    step(s);
    assert_string_equal(after.text, "N1 N0 ");
    assert_string_equal(busy.late.text, "N1 ");
    assert_int_equal(busy.calls, 1);
}

// TAG-080
static void a_listener_hears_only_its_entity_and_its_tag_exactly(void **state)
{
    scene *s = *state;
    kn_entity_id mine = entity_create(s->world), other = entity_create(s->world);
    listener_log log = {0};
    listen(s, KN_EVENT_TAG_COUNT, mine, s->debuff, note_event, &log);
    add(s, other, s->debuff, KN_TAG_ORIGIN_LOOSE, 5);
    add(s, mine, s->dead, KN_TAG_ORIGIN_LOOSE, 1);
    step(s);
    assert_string_equal(log.text, "");
    add(s, mine, s->stun, KN_TAG_ORIGIN_LOOSE, 1); // the parent's count changes, so it is published
    step(s);
    assert_string_equal(log.text, "C1 ");
}

// TVE-103
static void an_instant_effect_grants_no_tag_not_even_for_a_moment(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    listener_log log = {0};
    listen(s, KN_EVENT_TAG_COUNT, (kn_entity_id){0}, (kn_tag){0}, note_event, &log);
    listen(s, KN_EVENT_TAG_CHANGED, (kn_entity_id){0}, (kn_tag){0}, note_event, &log);
    assert_int_equal(kn_effect_apply_simple(s->world, s->blast, entity, entity, 1.0f, NULL), KN_OK);
    assert_false(kn_entity_has_tag(s->world, entity, s->stun));
    step(s);
    assert_string_equal(log.text, "");
    assert_int_equal(last_removal.calls, 0);
}

// Origins -------------------------------------------------------------------------

static void a_loose_tag_stays_in_the_world_it_was_added_to(void **state)
{
    scene *s = *state;
    kn_world *client = world_create(s->library);
    kn_entity_id on_server = entity_create(s->world), on_client = entity_create(client);
    assert_int_equal(kn_entity_add_tag(client, on_client, s->dead, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_true(kn_entity_has_tag(client, on_client, s->dead));
    assert_false(kn_entity_has_tag(s->world, on_server, s->dead));
    assert_int_equal(kn_entity_tag_sync(client, on_client, s->dead), KN_TAG_SYNC_NONE);

    // Respawn.
    assert_int_equal(
        kn_entity_set_tag_count(client, on_client, s->dead, KN_TAG_ORIGIN_LOOSE, 0), KN_OK);
    assert_false(kn_entity_has_tag(client, on_client, s->dead));
    assert_true(kn_world_validate(client));
    kn_world_destroy(client);
}

// TAG-063
static void counts_may_be_set_for_loose_tags_only(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    apply(s, s->stunning, entity);
    assert_int_equal(
        kn_entity_set_tag_count(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 5), KN_OK);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 6);
    assert_int_equal(
        kn_entity_set_tag_count(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE_SYNCED, 2), KN_OK);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 8);
    assert_int_equal(
        kn_entity_set_tag_count(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 4);

    kn_assert_set_handler(ignore_assert);
    static const kn_tag_origin wrong[] = {KN_TAG_ORIGIN_EFFECT, KN_TAG_ORIGIN_MINIMAL,
        KN_TAG_ORIGIN_ABILITY, KN_TAG_ORIGIN_CHILD, KN_TAG_ORIGIN_COUNT};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(kn_entity_set_tag_count(s->world, entity, s->stun, wrong[i], 0),
            KN_ERROR_INVALID_ARGUMENT);
    }
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 4);
}

// TAG-065
static void a_loose_tag_carries_one_of_four_sync_rules(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    static const kn_tag_sync rules[] = {
        KN_TAG_SYNC_COUNT_OWNER, KN_TAG_SYNC_COUNT_ALL, KN_TAG_SYNC_TAG};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_entity_add_loose_tag(s->world, entity, s->burning, rules[i]), KN_OK);
        assert_int_equal(kn_entity_tag_sync(s->world, entity, s->burning), rules[i]);
    }
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, entity, s->burning, KN_TAG_ORIGIN_LOOSE_SYNCED), 3);
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, entity, s->burning, KN_TAG_ORIGIN_LOOSE), 0);

    assert_int_equal(kn_entity_add_loose_tag(s->world, entity, s->dead, KN_TAG_SYNC_NONE), KN_OK);
    assert_int_equal(kn_entity_tag_sync(s->world, entity, s->dead), KN_TAG_SYNC_NONE);
    assert_int_equal(kn_entity_tag_count_origin(s->world, entity, s->dead, KN_TAG_ORIGIN_LOOSE), 1);

    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_entity_add_loose_tag(s->world, entity, s->dead, (kn_tag_sync)4),
        KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->dead), 1);
}

// TAG-066
static void no_origin_can_erase_the_count_of_another(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    static const kn_tag_origin origins[] = {KN_TAG_ORIGIN_LOOSE, KN_TAG_ORIGIN_LOOSE_SYNCED,
        KN_TAG_ORIGIN_MINIMAL, KN_TAG_ORIGIN_ABILITY};
    kn_effect_id effect = apply(s, s->stunning, entity);
    for (uint32_t i = 0; i < 4; i++) {
        add(s, entity, s->stun, origins[i], i + 1);
    }
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 11);
    assert_int_equal(kn_entity_tag_count_exact(s->world, entity, s->stun), 11);
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, entity, s->stun, KN_TAG_ORIGIN_EFFECT), 1);

    for (uint32_t i = 0; i < 4; i++) {
        // More than this origin has, though others have enough.
        assert_int_equal(
            kn_entity_remove_tag(s->world, entity, s->stun, origins[i], i + 2), KN_REFUSED_LIMIT);
        assert_int_equal(kn_entity_tag_count_origin(s->world, entity, s->stun, origins[i]), i + 1);
    }
    assert_int_equal(
        kn_entity_set_tag_count(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 0), KN_OK);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 10);
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 9);
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, entity, s->stun, KN_TAG_ORIGIN_EFFECT), 0);
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, entity, s->stun, KN_TAG_ORIGIN_ABILITY), 4);
}

// ITM-007, ITM-008
static void tags_of_attached_components_count_for_the_parent(void **state)
{
    scene *s = *state;
    kn_entity_id hero = entity_create(s->world);
    kn_entity_id weapon = entity_create(s->world), gem = entity_create(s->world);
    add(s, weapon, s->burning, KN_TAG_ORIGIN_LOOSE, 2);
    assert_int_equal(kn_entity_set_parent(s->world, weapon, hero), KN_OK);
    assert_int_equal(kn_entity_set_parent(s->world, gem, weapon), KN_OK);
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, hero, s->burning, KN_TAG_ORIGIN_CHILD), 2);

    apply(s, s->stunning, gem); // two levels down
    assert_true(kn_entity_has_tag(s->world, weapon, s->stun));
    assert_true(kn_entity_has_tag(s->world, hero, s->debuff));
    assert_false(kn_entity_has_tag(s->world, gem, s->burning)); // never downwards
    // Only across the components are all of them there.
    kn_tag both[] = {s->stun, s->burning};
    assert_true(kn_entity_has_all_tags(s->world, hero, (kn_tags){both, 2}));

    assert_int_equal(kn_entity_set_parent(s->world, weapon, (kn_entity_id){0}), KN_OK);
    assert_false(kn_entity_has_tag(s->world, hero, s->burning));
    assert_false(kn_entity_has_tag(s->world, hero, s->state));
    assert_true(kn_entity_has_tag(s->world, weapon, s->stun));
    assert_int_equal(kn_entity_set_parent(s->world, weapon, hero), KN_OK);
    assert_true(kn_entity_destroy(s->world, gem));
    assert_false(kn_entity_has_tag(s->world, hero, s->stun));
    assert_false(kn_entity_has_tag(s->world, weapon, s->stun));
    assert_true(kn_entity_has_tag(s->world, hero, s->burning));
    assert_true(kn_entity_destroy(s->world, weapon));
    assert_false(kn_entity_has_tag(s->world, hero, s->burning));
}

// TVA-075
static void a_parent_has_all_that_its_components_have_together(void **state)
{
    scene *s = *state;
    kn_entity_id hero = entity_create(s->world);
    kn_entity_id sword = entity_create(s->world), shield = entity_create(s->world);
    add(s, sword, s->stun, KN_TAG_ORIGIN_LOOSE, 1);
    add(s, shield, s->burning, KN_TAG_ORIGIN_LOOSE, 1);
    kn_tag both[] = {s->stun, s->burning};
    kn_tags tags = {both, 2};
    assert_int_equal(kn_entity_set_parent(s->world, sword, hero), KN_OK);
    assert_false(kn_entity_has_all_tags(s->world, hero, tags));
    assert_int_equal(kn_entity_set_parent(s->world, shield, hero), KN_OK);
    assert_true(kn_entity_has_all_tags(s->world, hero, tags));
    assert_false(kn_entity_has_all_tags(s->world, sword, tags));
    assert_false(kn_entity_has_all_tags(s->world, shield, tags));
}

static void a_parent_whose_count_is_full_keeps_it_when_a_child_grant_ends(void **state)
{
    scene *s = *state;
    kn_entity_id hero = entity_create(s->world), weapon = entity_create(s->world);
    assert_int_equal(kn_entity_set_parent(s->world, weapon, hero), KN_OK);
    add(s, hero, s->stun, KN_TAG_ORIGIN_LOOSE, 65535);
    kn_effect_id effect = {0};
    kn_result result = kn_effect_apply_simple(s->world, s->stunning, weapon, weapon, 1.0f, &effect);
    assert_true(result == KN_OK || result == KN_REFUSED_LIMIT);
    if (result == KN_OK) {
        assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
    }
    assert_int_equal(kn_entity_tag_count(s->world, hero, s->stun), 65535);
    assert_int_equal(
        kn_entity_tag_count_origin(s->world, hero, s->stun, KN_TAG_ORIGIN_LOOSE), 65535);
    assert_int_equal(kn_entity_tag_count_origin(s->world, hero, s->stun, KN_TAG_ORIGIN_CHILD), 0);
}

// Calls and applications stop at 65,535; what comes into force later is counted beyond.
static void counts_go_beyond_65535_and_come_back_exactly(void **state)
{
    scene *s = *state;
    kn_entity_id hero = entity_create(s->world), weapon = entity_create(s->world);
    assert_int_equal(kn_entity_set_parent(s->world, weapon, hero), KN_OK);
    kn_effect_id own[5];
    for (uint32_t i = 0; i < 5; i++) {
        own[i] = apply(s, s->stunning_while, hero); // inhibited: nobody is burning
    }
    for (uint32_t i = 0; i < 4; i++) {
        apply(s, s->stunning_while, weapon);
    }
    add(s, hero, s->debuff, KN_TAG_ORIGIN_LOOSE, 7); // the tag above, counted on its own
    add(s, hero, s->root, KN_TAG_ORIGIN_LOOSE, 11);
    add(s, hero, s->stun, KN_TAG_ORIGIN_LOOSE, 65534);
    add(s, weapon, s->burning, KN_TAG_ORIGIN_LOOSE, 1); // the hero burns with its weapon
    assert_int_equal(kn_entity_tag_count_exact(s->world, hero, s->stun), 65543);
    assert_int_equal(kn_entity_tag_count(s->world, hero, s->stun), 65543);
    assert_int_equal(kn_entity_tag_count(s->world, hero, s->debuff), 65543 + 7 + 11);
    assert_int_equal(kn_entity_tag_count_exact(s->world, hero, s->debuff), 7);
    assert_int_equal(kn_entity_tag_count_origin(s->world, hero, s->stun, KN_TAG_ORIGIN_EFFECT), 5);
    assert_int_equal(kn_entity_tag_count_origin(s->world, hero, s->stun, KN_TAG_ORIGIN_CHILD), 4);
    assert_int_equal(
        kn_entity_add_tag(s->world, hero, s->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_REFUSED_LIMIT);
    assert_true(kn_world_validate(s->world));

    uint64_t hash = kn_world_hash(s->world);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(kn_effect_remove(s->world, own[i], 0, KN_REMOVED_BY_CALL), KN_OK);
        assert_int_equal(kn_entity_tag_count_exact(s->world, hero, s->stun), 65542 - i);
        assert_int_not_equal(kn_world_hash(s->world), hash);
        hash = kn_world_hash(s->world);
        assert_true(kn_world_validate(s->world));
    }
    assert_int_equal(kn_entity_set_parent(s->world, weapon, (kn_entity_id){0}), KN_OK);
    assert_int_equal(kn_entity_tag_count_exact(s->world, hero, s->stun), 65534);
    assert_int_equal(
        kn_entity_remove_tag(s->world, hero, s->stun, KN_TAG_ORIGIN_LOOSE, 65534), KN_OK);
    assert_false(kn_entity_has_tag(s->world, hero, s->stun));
    assert_int_equal(kn_entity_tag_count(s->world, hero, s->debuff), 18);
}

// Bad input -----------------------------------------------------------------------

static void counts_stay_between_zero_and_65535(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 65535);
    assert_int_equal(
        kn_entity_add_tag(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_add_tag(s->world, entity, s->stun, KN_TAG_ORIGIN_ABILITY, 1), KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_add_tag(s->world, entity, s->root, KN_TAG_ORIGIN_LOOSE, UINT32_MAX),
        KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_remove_tag(s->world, entity, s->stun, KN_TAG_ORIGIN_LOOSE, UINT32_MAX),
        KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_set_tag_count(s->world, entity, s->root, KN_TAG_ORIGIN_LOOSE, 65536),
        KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_set_tag_count(s->world, entity, s->root, KN_TAG_ORIGIN_LOOSE, UINT32_MAX),
        KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_entity_remove_tag(s->world, entity, s->root, KN_TAG_ORIGIN_LOOSE, 1), KN_REFUSED_LIMIT);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->stun), 65535);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->root), 0);
    // Parents sum over their children and may have more.
    add(s, entity, s->root, KN_TAG_ORIGIN_LOOSE, 65535);
    assert_int_equal(kn_entity_tag_count(s->world, entity, s->debuff), 131070);
    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 0); // nothing to do
}

static void bad_tags_origins_and_stale_entities_are_refused(void **state)
{
    scene *s = *state;
    kn_world *world = s->world;
    kn_entity_id entity = entity_create(world), gone = entity_create(world), null = {0};
    assert_true(kn_entity_destroy(world, gone));
    const kn_entity_id bad[] = {null, gone, {99999, 1}, {UINT32_MAX, UINT32_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(
            kn_entity_add_tag(world, bad[i], s->stun, KN_TAG_ORIGIN_LOOSE, 1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_remove_tag(world, bad[i], s->stun, KN_TAG_ORIGIN_LOOSE, 1),
            KN_REFUSED_STALE_ID);
        assert_int_equal(kn_entity_set_tag_count(world, bad[i], s->stun, KN_TAG_ORIGIN_LOOSE, 1),
            KN_REFUSED_STALE_ID);
        assert_int_equal(
            kn_entity_add_loose_tag(world, bad[i], s->stun, KN_TAG_SYNC_TAG), KN_REFUSED_STALE_ID);
        assert_false(kn_entity_has_tag(world, bad[i], s->stun));
        assert_false(kn_entity_has_tag_exact(world, bad[i], s->stun));
        assert_int_equal(kn_entity_tag_count(world, bad[i], s->stun), 0);
        assert_int_equal(kn_entity_tag_count_exact(world, bad[i], s->stun), 0);
        assert_int_equal(
            kn_entity_tag_count_origin(world, bad[i], s->stun, KN_TAG_ORIGIN_LOOSE), 0);
        assert_int_equal(kn_entity_tags(world, bad[i], NULL, 0), 0);
        assert_int_equal(kn_entity_tag_sync(world, bad[i], s->stun), KN_TAG_SYNC_NONE);
        kn_tag_requirement nothing = {0};
        assert_false(kn_entity_meets(world, bad[i], &nothing));
        assert_false(kn_entity_ability_tag_blocked(world, bad[i], s->stun));
    }

    add(s, entity, s->stun, KN_TAG_ORIGIN_LOOSE, 1);
    kn_assert_set_handler(ignore_assert);
    const kn_tag bad_tags[] = {{0}, {kn_tag_count(s->library) + 1}, {70000}, {UINT32_MAX}};
    for (size_t i = 0; i < sizeof bad_tags / sizeof *bad_tags; i++) {
        kn_tag bad_tag = bad_tags[i];
        assert_int_equal(kn_entity_add_tag(world, entity, bad_tag, KN_TAG_ORIGIN_LOOSE, 1),
            KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_entity_remove_tag(world, entity, bad_tag, KN_TAG_ORIGIN_LOOSE, 1),
            KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_entity_set_tag_count(world, entity, bad_tag, KN_TAG_ORIGIN_LOOSE, 1),
            KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(kn_entity_add_loose_tag(world, entity, bad_tag, KN_TAG_SYNC_TAG),
            KN_ERROR_INVALID_ARGUMENT);
        assert_false(kn_entity_has_tag(world, entity, bad_tag));
        assert_false(kn_entity_has_tag_exact(world, entity, bad_tag));
        assert_int_equal(kn_entity_tag_count(world, entity, bad_tag), 0);
        assert_int_equal(
            kn_entity_tag_count_origin(world, entity, bad_tag, KN_TAG_ORIGIN_LOOSE), 0);
        assert_false(kn_entity_ability_tag_blocked(world, entity, bad_tag));
    }
    static const kn_tag_origin wrong[] = {
        KN_TAG_ORIGIN_EFFECT, KN_TAG_ORIGIN_CHILD, KN_TAG_ORIGIN_COUNT, (kn_tag_origin)77};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            kn_entity_add_tag(world, entity, s->stun, wrong[i], 1), KN_ERROR_INVALID_ARGUMENT);
        assert_int_equal(
            kn_entity_remove_tag(world, entity, s->stun, wrong[i], 1), KN_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(kn_entity_tag_count_origin(world, entity, s->stun, KN_TAG_ORIGIN_COUNT), 0);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_entity_tag_count(world, entity, s->stun), 1);
    assert_int_equal(kn_entity_tags(world, entity, NULL, 0), 1);
}

// Many ----------------------------------------------------------------------------

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

// TAG-050, TAG-053, TAG-066
static void random_changes_agree_with_a_plain_table(void **state)
{
    scene *s = *state;
    kn_entity_id entity = entity_create(s->world);
    static const kn_tag_origin origins[] = {KN_TAG_ORIGIN_LOOSE, KN_TAG_ORIGIN_LOOSE_SYNCED,
        KN_TAG_ORIGIN_MINIMAL, KN_TAG_ORIGIN_ABILITY};
    const kn_tag tags[] = {s->state, s->debuff, s->stun, s->root, s->dead, s->burning};
    uint32_t model[6][4] = {{0}};
    uint64_t seed = 12345;
    for (uint32_t round = 0; round < 4000; round++) {
        uint32_t t = next_random(&seed) % 6, o = next_random(&seed) % 4;
        uint32_t count = next_random(&seed) % 4;
        if (next_random(&seed) % 2 == 0) {
            add(s, entity, tags[t], origins[o], count);
            model[t][o] += count;
        } else {
            kn_result expected = count <= model[t][o] ? KN_OK : KN_REFUSED_LIMIT;
            assert_int_equal(
                kn_entity_remove_tag(s->world, entity, tags[t], origins[o], count), expected);
            model[t][o] -= expected == KN_OK ? count : 0;
        }
        for (uint32_t i = 0; i < 6; i++) {
            uint32_t own = 0, total = 0;
            for (uint32_t j = 0; j < 6; j++) {
                uint32_t sum = model[j][0] + model[j][1] + model[j][2] + model[j][3];
                own += i == j ? sum : 0;
                total += kn_tag_matches(s->library, tags[j], tags[i]) ? sum : 0;
            }
            assert_int_equal(kn_entity_tag_count_exact(s->world, entity, tags[i]), own);
            assert_int_equal(kn_entity_tag_count(s->world, entity, tags[i]), total);
            assert_int_equal(kn_entity_has_tag(s->world, entity, tags[i]), total > 0);
        }
    }
}

static void *play_alone(void *user)
{
    scene *s = user;
    kn_world *world = world_create(s->library);
    kn_entity_id entity = entity_create(world);
    uintptr_t failures = 0;
    for (uint32_t i = 0; i < 500; i++) {
        kn_tag tag = kn_tag_find(s->library, "state.debuff.stun");
        failures += kn_entity_add_tag(world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1) != KN_OK;
        failures += !kn_tag_matches(s->library, tag, s->state);
        failures += kn_entity_tag_count(world, entity, s->state) != i + 1;
    }
    kn_world_destroy(world);
    return (void *)failures;
}

// TAG-014, ATT-074
static void worlds_on_several_threads_share_one_table_of_tags(void **state)
{
    scene *s = *state;
    pthread_t threads[4];
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, play_alone, s), 0);
    }
    for (uint32_t i = 0; i < 4; i++) {
        void *failures = NULL;
        assert_int_equal(pthread_join(threads[i], &failures), 0);
        assert_null(failures);
    }
}

// The registry, as far as it concerns tools and plugins --------------------------------

// TAG-010
static void tags_of_a_plugin_join_those_of_the_game_and_leave_with_it(void **state)
{
    (void)state;
    kn_library *library = NULL;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    tag_add(library, "State.Dead");
    static const char *const names[] = {"State.Frozen", "Frost.Bolt"};
    kn_tag tags[2];
    assert_int_equal(kn_tag_register_module(library, "frost", names, 2, tags, NULL), KN_OK);
    assert_true(kn_tag_matches(library, tags[0], kn_tag_find(library, "State")));
    assert_string_equal(kn_tag_source(library, tags[1]), "frost");
    assert_int_equal(kn_tag_unregister_module(library, "frost"), KN_OK);
    assert_int_equal(kn_tag_find(library, "State.Frozen").index1, 0);
    assert_int_not_equal(kn_tag_find(library, "State.Dead").index1, 0);
    kn_library_destroy(library);
}

static void references_to_a_tag_are_counted_wherever_they_are_declared(void **state)
{
    scene *s = *state;
    // Four effects and a rule, all declared in code.
    assert_int_equal(kn_tag_uses(s->library, s->stun), 5);
    assert_int_equal(kn_tag_uses(s->library, s->dead), 0);
}

// TAG-006, TAG-012
static void a_tool_creates_renames_searches_and_deletes_tags(void **state)
{
    (void)state;
    scene s = {0};
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &s.library), KN_OK);
    static const char *const names[] = {"State.Frozen", "State.Spare"};
    kn_tag tags[2];
    assert_int_equal(kn_tag_register_module(s.library, "frost", names, 2, tags, NULL), KN_OK);
    assert_int_equal(kn_tag_redirect(s.library, "State.Iced", "State.Frozen", NULL), KN_OK);
    kn_tag old_name = kn_tag_find(s.library, "State.Iced");
    assert_true(kn_tag_equal(old_name, tags[0]));
    effect_granting(&s, "Freeze", KN_DURATION_INFINITE, &old_name);

    assert_int_equal(kn_tag_unregister_module(s.library, "frost"), KN_OK);
    assert_true(kn_tag_equal(kn_tag_find(s.library, "State.Frozen"), tags[0])); // in use
    assert_int_equal(kn_tag_find(s.library, "State.Spare").index1, 0);
    assert_int_equal(kn_library_finish(s.library, NULL), KN_OK);
    assert_int_equal(kn_tag_uses(s.library, tags[0]), 1);
    assert_int_equal(kn_tag_uses(s.library, kn_tag_find(s.library, "State")), 0);
    kn_library_destroy(s.library);
}

static void equal_lists_of_tags_give_equal_numbers_and_hashes(void **state)
{
    scene *s = *state;
    kn_library *twin = NULL;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &twin), KN_OK);
    for (uint32_t i = 1; i <= kn_tag_count(s->library); i++) {
        kn_tag_def copy = kn_tag_def_default();
        copy.name = kn_tag_name(s->library, (kn_tag){i});
        kn_tag tag;
        assert_int_equal(kn_tag_register(twin, &copy, &tag, NULL), KN_OK);
        assert_int_equal(tag.index1, i);
    }
    assert_true(kn_tag_table_hash(twin) == kn_tag_table_hash(s->library));
    tag_add(twin, "One.More");
    assert_true(kn_tag_table_hash(twin) != kn_tag_table_hash(s->library));
    kn_library_destroy(twin);
}

static kn_result try_cue(kn_library *library, const char *name, kn_tags cues)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.cue_tags = cues;
    kn_effect_type_id type;
    return kn_effect_register(library, &def, &type, NULL);
}

// TAG-041, TAG-042
static void cue_tags_are_filtered_by_their_category_alone_and_in_sets(void **state)
{
    (void)state;
    kn_library *library = NULL;
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    kn_tag spark = tag_add(library, "GameplayCue.Hit.Spark"), stun = tag_add(library, "Stun");
    kn_tag category = kn_tag_find(library, "GameplayCue");
    assert_true(kn_tags_in_category(library, (kn_tags){&spark, 1}, category));
    assert_false(kn_tags_in_category(library, (kn_tags){&stun, 1}, category));
    kn_tag_set set = {0};
    assert_int_equal(kn_tag_set_add(&set, stun), KN_OK);
    assert_int_equal(kn_tag_set_add(&set, spark), KN_OK);
    assert_false(kn_tags_in_category(library, kn_tag_set_view(&set), category));
    assert_int_equal(kn_tag_set_filter(library, &set, category), 1);
    assert_int_equal(set.count, 1);
    assert_int_equal(set.data[0].index1, spark.index1);

    // What takes cues filters by itself: a property, and a parameter.
    kn_tag mixed[] = {spark, stun};
    assert_int_equal(try_cue(library, "Cue", (kn_tags){mixed, 1}), KN_OK);
    assert_int_equal(try_cue(library, "Mixed", (kn_tags){mixed, 2}), KN_ERROR_BAD_DATA);
    assert_int_equal(try_cue(library, "Heading", (kn_tags){&category, 1}), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_world *world = world_create(library);
    kn_entity_id entity = entity_create(world);
    assert_int_equal(kn_cue_execute(world, entity, spark, NULL), KN_OK);
    assert_int_equal(kn_cue_execute(world, entity, stun, NULL), KN_REFUSED_REQUIREMENT);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_tag_brings_its_parents_but_not_its_children),
    TEST(explicit_and_implied_counts_are_told_apart),
    TEST(any_of_nothing_is_false_and_all_of_nothing_is_true),
    TEST(requirements_and_queries_judge_entities_without_tags_too),
    TEST(listing_owned_tags_starts_afresh_each_time),
    TEST(a_tag_whose_count_fell_to_zero_is_neither_owned_nor_dumped),
    TEST(listeners_hear_every_count_or_only_coming_and_going),
    TEST(the_tag_is_told_before_its_parents_and_counts_before_changes),
    TEST(whoever_is_told_of_a_removal_finds_the_parents_updated),
    TEST(listeners_may_change_listeners_and_tags_while_they_are_called),
    TEST(a_listener_hears_only_its_entity_and_its_tag_exactly),
    TEST(an_instant_effect_grants_no_tag_not_even_for_a_moment),
    TEST(a_loose_tag_stays_in_the_world_it_was_added_to),
    TEST(counts_may_be_set_for_loose_tags_only),
    TEST(a_loose_tag_carries_one_of_four_sync_rules),
    TEST(no_origin_can_erase_the_count_of_another),
    TEST(tags_of_attached_components_count_for_the_parent),
    TEST(a_parent_has_all_that_its_components_have_together),
    TEST(a_parent_whose_count_is_full_keeps_it_when_a_child_grant_ends),
    TEST(counts_go_beyond_65535_and_come_back_exactly),
    TEST(counts_stay_between_zero_and_65535),
    TEST(bad_tags_origins_and_stale_entities_are_refused),
    TEST(random_changes_agree_with_a_plain_table),
    TEST(worlds_on_several_threads_share_one_table_of_tags),
    TEST(tags_of_a_plugin_join_those_of_the_game_and_leave_with_it),
    TEST(references_to_a_tag_are_counted_wherever_they_are_declared),
    TEST(a_tool_creates_renames_searches_and_deletes_tags),
    TEST(equal_lists_of_tags_give_equal_numbers_and_hashes),
    TEST(cue_tags_are_filtered_by_their_category_alone_and_in_sets),
};

TEST_GROUP(owned_tags, tests, NULL, NULL);
