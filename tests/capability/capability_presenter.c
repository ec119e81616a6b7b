// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Capabilities that present: the life of the specification in frames of the host, states, and what
// is refused.

#include "capability/capability_presenter_test.h"

// Life --------------------------------------------------------------------------

// CAPV-001, CAP-053, CAP-054, CAP-070, CAP-081, CAP-094, CAP-121
static void it_lives_in_frames_of_the_host(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    kn_capability_presenter *p = begin_one(f, presenting(f, "A"), &set);
    EXPECT(f, ""); // the world does nothing with it
    present(p, f, 100);
    EXPECT(f, "SL SU SD(f) ON");
    frame(f, 1000);
    EXPECT(f, "");
    present(p, f, 100);
    EXPECT(f, "SD(f) TK(100)");
    present(p, f, 0);
    EXPECT(f, "SD(f) TK(0)");
    present(p, f, 100);
    EXPECT(f, "SD(f) TK(100)");
    take(f, set);
    EXPECT(f, "");
    present(p, f, 100);
    EXPECT(f, "OFF EC EL");
    present(p, f, 100);
    EXPECT(f, "");
    kn_capability_presenter_destroy(p);
}

// CAPV-002, CAPV-044, CAP-126
static void where_it_may_not_run_it_only_begins_and_ends(void **state)
{
    fixture *f = *state;
    script *a = presenting(f, "A");
    a->def.side = KN_SIDE_AUTHORITY;
    capability_done(a);
    kn_capability_set_id set = set_of(f, "S", "A");
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC),
        KN_OK);
    add(f, set);
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 100);
    EXPECT(f, "SL");
    present(p, f, 100);
    present(p, f, 100);
    EXPECT(f, "");
    take(f, set);
    present(p, f, 100);
    EXPECT(f, "EL");
    kn_capability_presenter_destroy(p);
}

// CAPV-004, CAP-082
static void it_is_switched_once_in_a_frame(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->stops = true;
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 100);
    EXPECT(f, "SL SU SD(t)");
    present(p, f, 100);
    EXPECT(f, "SA(t) ON TK(100)");
    present(p, f, 100);
    EXPECT(f, "SD(t) OFF");
    present(p, f, 100);
    EXPECT(f, "SA(t) ON TK(100)");
    take(f, set);
    present(p, f, 100);
    EXPECT(f, "OFF EC EL");
    kn_capability_presenter_destroy(p);
}

// CAPV-010, CAP-083
static void it_ticks_from_its_start_and_not_when_it_stops(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->starts = false;
    a->stops = true;
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 10);
    f->log[0] = 0;
    present(p, f, 10);
    present(p, f, 10);
    EXPECT(f, "SA(f) SA(f)");
    a->starts = true;
    a->stops = false;
    present(p, f, 10);
    EXPECT(f, "SA(t) ON TK(10)");
    assert_true(shows(p, f->hero, a));
    present(p, f, 10);
    EXPECT(f, "SD(f) TK(10)");
    a->starts = false;
    a->stops = true;
    present(p, f, 10);
    EXPECT(f, "SD(t) OFF");
    assert_false(shows(p, f->hero, a));
    present(p, f, 10);
    EXPECT(f, "SA(f)");
    kn_capability_presenter_destroy(p);
}

// CAPV-015, CAP-030, CAP-031, CAP-076, CAP-122
static void order_is_that_of_the_set_and_the_end_goes_backwards(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    f->shows_names = true;
    capability_done(presenting(f, "A"));
    capability_done(presenting(f, "B"));
    capability_done(presenting(f, "C"));
    kn_capability_set_id set = set_of(f, "S", "ABC");
    begin(f);
    add(f, set);
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 10);
    EXPECT(f, "SL_A SL_B SL_C SU_A ON_A SU_B ON_B SU_C ON_C");
    present(p, f, 10);
    EXPECT(f, "TK_A TK_B TK_C");
    take(f, set);
    present(p, f, 10);
    EXPECT(f, "OFF_C EC_C EL_C OFF_B EC_B EL_B OFF_A EC_A EL_A");
    kn_capability_presenter_destroy(p);
}

// CAPV-017, CAP-035, CAP-123
static void sets_follow_each_other_as_they_were_added(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    f->shows_names = true;
    capability_done(presenting(f, "A"));
    capability_done(presenting(f, "B"));
    capability_done(presenting(f, "C"));
    kn_capability_set_id both = set_of(f, "S", "AB"), other = set_of(f, "T", "C");
    begin(f);
    add(f, other);
    add(f, both);
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 10);
    EXPECT(f, "SL_C SU_C ON_C SL_A SL_B SU_A ON_A SU_B ON_B");
    present(p, f, 10);
    EXPECT(f, "TK_C TK_A TK_B");
    assert_true(kn_capability_detach(f->world, f->hero));
    present(p, f, 10);
    EXPECT(f, "OFF_B EC_B EL_B OFF_A EC_A EL_A OFF_C EC_C EL_C");
    kn_capability_presenter_destroy(p);
}

// CAP-036, CAP-043
static void a_set_that_came_back_with_another_number_is_another(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    kn_capability_presenter *p = begin_one(f, presenting(f, "A"), &set);
    present(p, f, 10);
    f->log[0] = 0;
    take(f, set);
    add(f, set);
    present(p, f, 10);
    EXPECT(f, "OFF EC EL SL SU SD(f) ON");
    kn_capability_presenter_destroy(p);
}

// CAP-075, CAPV-006
static void the_first_state_is_a_choice(void **state)
{
    static const struct {
        kn_capability_initial initial;
        bool starts, stops, is_active;
    } rows[] = {
        {KN_INITIAL_STOP, false, false, true},
        {KN_INITIAL_STOP, true, true, false},
        {KN_INITIAL_START, true, true, true},
        {KN_INITIAL_START, false, false, false},
        {KN_INITIAL_BOTH, true, false, true},
        {KN_INITIAL_BOTH, false, false, false},
        {KN_INITIAL_BOTH, true, true, false},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        fixture *f = fixture_create();
        kn_capability_set_id set;
        script *a = presenting(f, "A");
        a->def.initial = rows[i].initial;
        a->starts = rows[i].starts;
        a->stops = rows[i].stops;
        kn_capability_presenter *p = begin_one(f, a, &set);
        present(p, f, 10);
        assert_int_equal(shows(p, f->hero, a), rows[i].is_active);
        kn_capability_presenter_destroy(p);
        void *ended = f;
        (void)teardown_fixture(&ended);
    }
    (void)state;
}

// Conditions of the definition count as in the world.
static void tags_of_the_entity_decide(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    kn_tag when[] = {f->fly}, against[] = {f->stunned};
    a->def.when.required = (kn_tags){when, 1};
    a->def.blocked_by = (kn_tags){against, 1};
    f->shows_predicates = false;
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 10);
    EXPECT(f, "SL SU");
    assert_int_equal(kn_entity_add_tag(f->world, f->hero, f->fly, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    present(p, f, 10);
    EXPECT(f, "ON TK");
    assert_int_equal(
        kn_entity_add_tag(f->world, f->hero, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    present(p, f, 10);
    EXPECT(f, "OFF");
    kn_capability_info info;
    assert_int_equal(kn_capability_presented(p, f->hero, &info, 1), 1);
    assert_true(info.is_blocked && kn_tag_equal(info.blocked_tag, f->stunned));
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->hero, f->stunned, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    present(p, f, 10);
    EXPECT(f, "ON TK");
    assert_int_equal(
        kn_entity_remove_tag(f->world, f->hero, f->fly, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    present(p, f, 10);
    EXPECT(f, "OFF");
    kn_capability_presenter_destroy(p);
}

// Blocks and cadence --------------------------------------------------------------

// CAPV-029, CAP-085
static void a_block_counts_in_the_next_frame_whatever_the_interval(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    a->def.interval = KN_MS(500);
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 0);
    f->log[0] = 0;
    for (int i = 0; i < 4; i++) {
        present(p, f, 100);
    }
    EXPECT(f, "");
    present(p, f, 100);
    EXPECT(f, "SD(f) TK(500)");
    block_by(f, f->x, 1); // at 550
    EXPECT(f, "");
    present(p, f, 100);
    EXPECT(f, "OFF");
    unblock_by(f, f->x, 1);
    present(p, f, 100);
    EXPECT(f, ""); // the interval goes on where it was: 100 of 500
    for (int i = 0; i < 4; i++) {
        present(p, f, 100);
    }
    EXPECT(f, "SA(t) ON TK(500)");
    kn_capability_presenter_destroy(p);
}

// CAPV-036, CAP-084, CAP-086
static void intervals_do_not_drift(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->def.interval = KN_MS(500);
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 0);
    f->log[0] = 0;
    for (int ms = 200; ms <= 2000; ms += 200) {
        present(p, f, 200);
        EXPECT(f, ms == 600 || ms == 1600    ? "SD(f) TK(600)"
                  : ms == 1000 || ms == 2000 ? "SD(f) TK(400)"
                                             : "");
    }
    // CAPV-038: a hitch is one evaluation.
    present(p, f, 1500);
    EXPECT(f, "SD(f) TK(1500)");
    present(p, f, 400);
    EXPECT(f, "");
    present(p, f, 100);
    EXPECT(f, "SD(f) TK(500)");
    kn_capability_presenter_destroy(p);
}

// CAPV-039, CAP-087
static void blocked_time_counts_for_nothing(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    a->def.interval = KN_MS(500);
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 0);
    present(p, f, 200);
    block_by(f, f->x, 1);
    present(p, f, 200);
    present(p, f, 200);
    unblock_by(f, f->x, 1);
    f->log[0] = 0;
    present(p, f, 200);
    EXPECT(f, "");
    present(p, f, 200);
    EXPECT(f, "SA(t) ON TK(600)");
    present(p, f, 200);
    EXPECT(f, "");
    present(p, f, 200);
    EXPECT(f, "SD(f) TK(400)");
    kn_capability_presenter_destroy(p);
}

// CAPV-030, CAPV-032, CAP-077, CAP-109
static void what_is_blocked_begins_inactive(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->def.tags = (kn_tags){&f->fly, 1};
    capability_done(a);
    set = set_of(f, "S", "A");
    begin(f);
    add(f, set);
    block_by(f, f->move, 1); // the parent of its tag
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 10);
    EXPECT(f, "SL SU");
    present(p, f, 10);
    EXPECT(f, "");
    assert_int_equal(kn_capability_presenter_count(p, f->hero).blocked, 1);
    unblock_by(f, f->move, 1);
    block_by(f, f->look, 1);
    present(p, f, 10);
    EXPECT(f, "SA(t) ON TK(10)");
    kn_capability_presenter_destroy(p);
}

// CAPV-007, CAPV-031, CAP-074, CAP-110
static void blocks_reach_one_that_does_not_tick(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    a->def.can_tick = false;
    kn_capability_presenter *p = begin_one(f, a, &set);
    present(p, f, 10);
    EXPECT(f, "SL SU SD(f) ON");
    present(p, f, 10);
    EXPECT(f, "");
    block_by(f, f->x, 1);
    present(p, f, 10);
    EXPECT(f, "OFF");
    present(p, f, 10);
    EXPECT(f, "");
    a->starts = false;
    unblock_by(f, f->x, 1);
    present(p, f, 10);
    EXPECT(f, "SA(f)"); // asked once
    a->starts = true;
    present(p, f, 10);
    EXPECT(f, "");
    kn_capability_presenter_destroy(p);
}

// CAP-108: nobody lifts the block of an effect that has ended while nothing of the set runs.
static void a_block_ends_with_its_effect(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    a->def.tags = (kn_tags){&f->x, 1};
    kn_effect_def effect_def = kn_effect_def_default();
    kn_effect_type_id type;
    kn_effect_id effect;
    effect_def.name = "Hush";
    effect_def.duration_kind = KN_DURATION_TIMED;
    effect_def.duration = kn_magnitude_constant(1.0f);
    assert_int_equal(kn_effect_register(f->library, &effect_def, &type, NULL), KN_OK);
    kn_capability_presenter *p = begin_one(f, a, &set);
    assert_int_equal(
        kn_effect_apply_simple(f->world, type, f->ally, f->gadget, 1.0f, &effect), KN_OK);
    const kn_capability_block block = {
        .tag = f->x, .source = {.kind = KN_CAPABILITY_SOURCE_EFFECT, .effect = effect}};
    present(p, f, 10);
    assert_int_equal(kn_capability_block_add(f->world, f->hero, &block), KN_OK);
    present(p, f, 10);
    assert_false(shows(p, f->hero, a));
    assert_int_equal(kn_world_step(f->world, KN_S(2)), KN_OK);
    present(p, f, 10);
    assert_true(shows(p, f->hero, a));
    kn_capability_presenter_destroy(p);
}

// Sides -----------------------------------------------------------------------------

// CAPV-045, CAP-137, CAP-138, CAP-139
static void it_follows_who_controls_the_entity(void **state)
{
    fixture *f = *state;
    f->shows_predicates = false;
    f->shows_names = true;
    script *a = presenting(f, "A"), *b = presenting(f, "B"), *c = presenting(f, "C");
    a->def.side = c->def.side = KN_SIDE_LOCAL;
    capability_done(a);
    capability_done(b);
    capability_done(c);
    kn_capability_set_id set = set_of(f, "S", "ABC");
    kn_world_def def = kn_world_def_default();
    def.connection = 1;
    begin_with(f, def);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 2), KN_OK);
    add(f, set);
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 10);
    EXPECT(f, "SL_A SL_B SL_C SU_B ON_B");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 1), KN_OK);
    present(p, f, 10);
    EXPECT(f, "SU_A ON_A SU_C ON_C TK_B"); // first evaluated in the frame after
    present(p, f, 10);
    EXPECT(f, "TK_A TK_B TK_C");
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 2), KN_OK);
    present(p, f, 10);
    EXPECT(f, "OFF_C EC_C OFF_A EC_A TK_B");
    kn_capability_info info[3];
    assert_int_equal(kn_capability_presented(p, f->hero, info, 3), 3);
    assert_true(!info[0].is_set_up && info[1].is_set_up && !info[2].is_active);
    take(f, set);
    present(p, f, 10);
    EXPECT(f, "EL_C OFF_B EC_B EL_B EL_A");
    kn_capability_presenter_destroy(p);
}

// CAP-078, CAP-156: a client waits for what the set needs.
static void it_waits_for_the_set_to_live_here(void **state)
{
    fixture *f = *state;
    script *a = presenting(f, "A");
    capability_done(a);
    static const kn_field fields[] = {KN_FIELD_INIT("x", KN_FIELD_U32, 0, 1)};
    kn_component_def component = kn_component_def_default();
    kn_component_type_id need;
    component.name = "Need";
    component.size = 4;
    component.fields = fields;
    component.field_count = 1;
    assert_int_equal(kn_component_register(f->library, &component, &need, NULL), KN_OK);
    kn_capability_set_def set_def = kn_capability_set_def_default();
    kn_capability_set_id set;
    set_def.name = "S";
    set_def.capabilities = &a->id;
    set_def.capability_count = 1;
    set_def.needs = &need;
    set_def.need_count = 1;
    assert_int_equal(kn_capability_set_register(f->library, &set_def, &set, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(
        kn_capability_attach(f->world, f->hero, KN_CAPABILITY_MODE_LOCAL, KN_CONTROL_AUTOMATIC),
        KN_OK);
    add(f, set);
    kn_capability_presenter *p = presenter_of(f);
    present(p, f, 10);
    EXPECT(f, "");
    assert_int_equal(kn_capability_presenter_count(p, f->hero).total, 0);
    assert_non_null(kn_component_add(f->world, need, f->hero));
    assert_int_equal(kn_capabilities_refresh(f->world), KN_OK);
    present(p, f, 10);
    EXPECT(f, "SL SU SD(f) ON");
    kn_capability_presenter_destroy(p);
}

// States ------------------------------------------------------------------------------

static kn_result show_asked(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    uint32_t *asked = user;
    assert_null(call->writable);
    assert_null(c->writable_state);
    assert_non_null(c->state);
    (*asked)++;
    return KN_REFUSED_CUSTOM;
}

// CAP-022, CAP-060: a state is zero at first, belongs to one presenter, and stays or is reset.
static void a_state_belongs_to_its_presenter(void **state)
{
    (void)state;
    for (int resets = 0; resets < 2; resets++) {
        fixture *f = fixture_create();
        uint32_t asked = 0;
        kn_capability_set_id set;
        script *a = presenting(f, "A");
        a->def.tags = (kn_tags){&f->x, 1};
        a->def.state = show_fields;
        a->def.state_count = 2;
        a->def.resets_state = resets != 0;
        a->def.tick = (kn_hook){show_tick, NULL};
        a->def.should_deactivate = (kn_hook){show_asked, &asked};
        kn_capability_presenter *p = begin_one(f, a, &set), *other = presenter_of(f);
        assert_null(kn_capability_presenter_state(p, f->hero, set, a->id));
        present(p, f, 10);
        present(other, f, 10);
        const show_state *own = kn_capability_presenter_state(p, f->hero, set, a->id);
        assert_non_null(own);
        assert_int_equal(own->ticks, 0);
        present(p, f, 10);
        present(p, f, 10);
        assert_int_equal(own->ticks, 2);
        assert_true(own->sum == 1.0f);
        present(other, f, 10);
        own = kn_capability_presenter_state(other, f->hero, set, a->id);
        assert_int_equal(own->ticks, 1);
        block_by(f, f->x, 1);
        present(p, f, 10);
        unblock_by(f, f->x, 1);
        present(p, f, 10);
        own = kn_capability_presenter_state(p, f->hero, (kn_capability_set_id){0}, a->id);
        assert_int_equal(own->ticks, resets ? 1 : 3);
        assert_true(asked > 0);
        kn_capability_presenter_destroy(p);
        kn_capability_presenter_destroy(other);
        void *ended = f;
        (void)teardown_fixture(&ended);
    }
}

// Refusals --------------------------------------------------------------------------------

static kn_result no_hook(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

typedef enum given {
    GIVEN_FLAG,
    GIVEN_TAGS,
    GIVEN_HOOK,
    GIVEN_LIST,
    GIVEN_TEXT,
} given;

typedef struct refused {
    const char *name;
    given kind;
    size_t offset, count;
} refused;

#define REFUSED(name_, kind_)                                                                      \
    {                                                                                              \
#name_, kind_, offsetof(kn_capability_def, name_), 0                                       \
    }
#define REFUSED_LIST(name_, count_)                                                                \
    {                                                                                              \
#name_, GIVEN_LIST, offsetof(kn_capability_def, name_),                                    \
            offsetof(kn_capability_def, count_)                                                    \
    }

static const refused refused_fields[] = {
    REFUSED(staggered, GIVEN_FLAG),
    REFUSED(grants_tags, GIVEN_TAGS),
    REFUSED(blocks, GIVEN_TAGS),
    REFUSED(blocks_itself, GIVEN_FLAG),
    REFUSED_LIST(effects, effect_count),
    REFUSED_LIST(abilities, ability_count),
    REFUSED(group, GIVEN_TEXT),
    REFUSED(sleeps, GIVEN_FLAG),
    REFUSED(hears_tags, GIVEN_TAGS),
    REFUSED_LIST(hears_attributes, hears_attribute_count),
    REFUSED(hears_events, GIVEN_TAGS),
    REFUSED_LIST(hears_effects, hears_effect_count),
    REFUSED_LIST(hears_abilities, hears_ability_count),
    REFUSED(mirrored, GIVEN_FLAG),
    REFUSED(heard, GIVEN_HOOK),
    REFUSED(mirror_changed, GIVEN_HOOK),
    REFUSED_LIST(inputs, input_count),
    REFUSED_LIST(contexts, context_count),
    REFUSED(hears_input_always, GIVEN_FLAG),
    REFUSED(input, GIVEN_HOOK),
    REFUSED(controller_attached, GIVEN_HOOK),
    REFUSED(controller_detached, GIVEN_HOOK),
    REFUSED(bind, GIVEN_HOOK),
    REFUSED(data_changed, GIVEN_HOOK),
    REFUSED(message, GIVEN_HOOK),
    REFUSED(messages_always, GIVEN_FLAG),
};

// Gives a field a value; elements of lists refer to the first definition of their kind.
static void give(const fixture *f, kn_capability_def *def, const refused *field)
{
    static const kn_capability_input one = {.action = {1}};
    static const char text[] = "movement";
    static const bool flag = true;
    const kn_tags tags = {&f->x, 1};
    const kn_hook own = {no_hook, NULL};
    const void *list = field->kind == GIVEN_LIST ? (const void *)&one : text;
    const uint32_t count = 1;
    const void *values[] = {&flag, &tags, &own, &list, &list};
    const size_t sizes[] = {sizeof(flag), sizeof(tags), sizeof(own), sizeof(list), sizeof(list)};
    memcpy((char *)def + field->offset, values[field->kind], sizes[field->kind]);
    if (field->kind == GIVEN_LIST) {
        memcpy((char *)def + field->count, &count, sizeof(count));
    }
}

static void what_would_change_the_world_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def effect = kn_effect_def_default();
    kn_effect_type_id effect_type;
    kn_ability_def ability = kn_ability_def_default();
    kn_ability_type_id ability_type;
    kn_attribute_def attribute = kn_attribute_def_default();
    kn_attribute_set_def attributes = kn_attribute_set_def_default();
    kn_attribute_set_id attribute_set;
    kn_input_action_def action = kn_input_action_def_default();
    kn_input_context_def context = kn_input_context_def_default();
    effect.name = ability.name = action.name = context.name = attribute.name = attributes.name =
        "One";
    attributes.attributes = &attribute;
    attributes.attribute_count = 1;
    assert_int_equal(kn_effect_register(f->library, &effect, &effect_type, NULL), KN_OK);
    assert_int_equal(kn_ability_register(f->library, &ability, &ability_type, NULL), KN_OK);
    assert_int_equal(
        kn_attribute_set_register(f->library, &attributes, &attribute_set, NULL), KN_OK);
    assert_int_equal(kn_input_action_register(f->library, &action, NULL, NULL), KN_OK);
    assert_int_equal(kn_input_context_register(f->library, &context, NULL, NULL), KN_OK);
    for (size_t i = 0; i < sizeof(refused_fields) / sizeof(*refused_fields); i++) {
        kn_capability_def def = kn_capability_def_default();
        kn_capability_id id;
        kn_error error = {0};
        char words[64];
        def.name = "Dust";
        def.presents = true;
        give(f, &def, &refused_fields[i]);
        kn_result result = kn_capability_def_register(f->library, &def, &id, &error);
        (void)snprintf(words, sizeof(words), "`Dust`: it cannot have `%s`", refused_fields[i].name);
        if (result != KN_ERROR_BAD_DATA || strstr(error.message, words) == NULL) {
            fail_msg("%s: %d, %s", refused_fields[i].name, (int)result, error.message);
        }
        assert_int_equal(id.index1, 0);
    }
    capability_done(presenting(f, "A")); // none of these
    begin(f);
}

static void its_state_must_make_sense(void **state)
{
    static const kn_field twice[] = {
        KN_FIELD_INIT("x", KN_FIELD_U32, 0, 1), KN_FIELD_INIT("x", KN_FIELD_U32, 4, 1)};
    static const kn_field large[] = {
        KN_FIELD_INIT("x", KN_FIELD_U64, 0, 4096), KN_FIELD_INIT("y", KN_FIELD_U64, 0, 4097)};
    static const struct {
        const kn_field *fields;
        const char *words;
    } rows[] = {{twice, "state of capability `A`: field x appears twice"},
        {large, "its state must have at most 65536 bytes"}};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fixture *f = fixture_create();
        script *a = presenting(f, "A");
        kn_error error = {0};
        a->def.state = rows[i].fields;
        a->def.state_count = 2;
        capability_done(a);
        assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
        if (strstr(error.message, rows[i].words) == NULL) {
            fail_msg("%s", error.message);
        }
        void *ended = f;
        (void)teardown_fixture(&ended);
    }
}

static bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void what_makes_no_sense_is_refused(void **state)
{
    fixture *f = *state, *other = fixture_create();
    kn_capability_presenter_def def = kn_capability_presenter_def_default();
    kn_capability_presenter *p;
    def.library = f->library;
    capability_done(presenting(f, "A"));
    (void)set_of(f, "S", "A");
    assert_int_equal(kn_capability_presenter_create(&def, &p), KN_ERROR_INVALID_ARGUMENT);
    assert_null(p);
    begin(f);
    begin(other);
    assert_int_equal(kn_capability_presenter_create(&def, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_presenter_create(NULL, &p), KN_ERROR_INVALID_ARGUMENT);
    def.cookie = 0;
    assert_int_equal(kn_capability_presenter_create(&def, &p), KN_ERROR_INVALID_ARGUMENT);
    def = kn_capability_presenter_def_default();
    assert_int_equal(kn_capability_presenter_create(&def, &p), KN_ERROR_INVALID_ARGUMENT);
    p = presenter_of(f);
    assert_int_equal(kn_capability_present(NULL, f->world, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_present(p, NULL, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_present(p, other->world, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_presenter_clear(p, other->world), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_capability_present(p, f->world, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_capability_present(p, f->world, KN_TIME_MAX + 1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_capability_present(p, f->world, KN_TIME_MAX), KN_OK);
    assert_int_equal(kn_capability_presenter_count(NULL, f->hero).total, 0);
    assert_int_equal(kn_capability_presented(NULL, f->hero, NULL, 0), 0);
    assert_false(shows(NULL, f->hero, &f->scripts[0]));
    kn_capability_presenter_destroy(NULL);
    kn_capability_presenter_destroy(p);
    void *ended = other;
    (void)teardown_fixture(&ended);
}

typedef struct calls {
    kn_capability_presenter *presenter;
    kn_result present, clear;
    bool was_active;
} calls;

static kn_result call_back(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    calls *made = c->user;
    (void)user;
    made->present = kn_capability_present(made->presenter, call->world, 0);
    made->clear = kn_capability_presenter_clear(made->presenter, call->world);
    kn_capability_presenter_destroy(made->presenter);
    made->was_active = kn_capability_presenter_is_active(
        made->presenter, call->entity, (kn_capability_set_id){0}, (kn_capability_id){call->index1});
    return KN_OK;
}

static kn_result present_call(void *user, kn_world *world)
{
    return kn_capability_present(user, world, 0);
}

// CAP-093
static void hooks_ask_the_presenter_and_do_nothing_else_with_it(void **state)
{
    fixture *f = *state;
    kn_capability_set_id set;
    script *a = presenting(f, "A");
    calls made = {0};
    a->def.tick = (kn_hook){call_back, NULL};
    capability_done(a);
    set = set_of(f, "S", "A");
    begin(f);
    add(f, set);
    made.presenter = presenter_with(f, (kn_hooks){0}, &made);
    kn_assert_set_handler(ignore_assert);
    present(made.presenter, f, 10);
    present(made.presenter, f, 10);
    kn_assert_set_handler(NULL);
    assert_int_equal(made.present, KN_ERROR_WORLD_LOCKED);
    assert_int_equal(made.clear, KN_ERROR_WORLD_LOCKED);
    assert_true(made.was_active);
    // Nor do rules call it.
    assert_int_equal(kn_world_call(f->world, present_call, made.presenter), KN_ERROR_WORLD_LOCKED);
    kn_capability_presenter_destroy(made.presenter);
}

static const struct CMUnitTest tests[] = {
    TEST(it_lives_in_frames_of_the_host),
    TEST(where_it_may_not_run_it_only_begins_and_ends),
    TEST(it_is_switched_once_in_a_frame),
    TEST(it_ticks_from_its_start_and_not_when_it_stops),
    TEST(order_is_that_of_the_set_and_the_end_goes_backwards),
    TEST(sets_follow_each_other_as_they_were_added),
    TEST(a_set_that_came_back_with_another_number_is_another),
    cmocka_unit_test(the_first_state_is_a_choice),
    TEST(tags_of_the_entity_decide),
    TEST(a_block_counts_in_the_next_frame_whatever_the_interval),
    TEST(intervals_do_not_drift),
    TEST(blocked_time_counts_for_nothing),
    TEST(what_is_blocked_begins_inactive),
    TEST(blocks_reach_one_that_does_not_tick),
    TEST(a_block_ends_with_its_effect),
    TEST(it_follows_who_controls_the_entity),
    TEST(it_waits_for_the_set_to_live_here),
    cmocka_unit_test(a_state_belongs_to_its_presenter),
    TEST(what_would_change_the_world_is_refused),
    cmocka_unit_test(its_state_must_make_sense),
    TEST(what_makes_no_sense_is_refused),
    TEST(hooks_ask_the_presenter_and_do_nothing_else_with_it),
};

TEST_GROUP(capability_presenter, tests, NULL, NULL);
