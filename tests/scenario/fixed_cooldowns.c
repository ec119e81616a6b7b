// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cooldowns whose numbers are the same for all owners at all levels take a short path. A flat
// curve, a value without modifiers or a speed that nobody has keeps a cooldown on the long one:
// with either kind, worlds must answer the same, publish the same events and refuse the same calls.

#include "scenario/ability_prices.h"

#define KINDS 96 // of abilities, each twice
#define RATED 3  // with a speed that changes, the same in both worlds
#define ABILITIES 5
#define KEYS 2
#define CASES (260 / SHARE(3))
#define CALLS 60

// An ability in both forms: with a fixed cooldown, and with one that is computed.
typedef struct twin {
    kn_ability_type_id types[2];
    kn_tag keys[2]; // of its cooldowns
    uint32_t cooldown_count;
    bool is_held; // it commits when it is told to, and runs until it is ended
} twin;

// One of the two worlds, and what the calls need of it.
typedef struct side {
    kn_world *world;
    kn_entity_id hero;
    kn_ability_id abilities[ABILITIES];
    kn_activation_id activations[ABILITIES];
    void *snapshot;
    size_t size;
    kn_ability_id kept_abilities[ABILITIES]; // those of the snapshot
    kn_activation_id kept_activations[ABILITIES];
} side;

typedef struct twins {
    fixture *f;
    twin kinds[KINDS + RATED];
    kn_tag keys[KEYS];
    kn_attribute_id absent;                      // of a set that nobody has
    kn_value_id value;                           // without modifiers
    kn_curve_id twice;                           // 2 at all levels
    uint32_t picked[ABILITIES], kept[ABILITIES]; // kinds of the abilities, now and in the snapshots
    side sides[2];
    uint64_t random;
    uint32_t events, charge_events, early_events, accepted, refused;
} twins;

static uint32_t twins_random(twins *t, uint32_t limit)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(t->random >> 33) % limit;
}

#define PICK(t, array) ((array)[twins_random(t, COUNT(array))])

// Kinds ---------------------------------------------------------------------

static kn_cooldown_def random_cooldown(twins *t, kn_tag key)
{
    static const float durations[] = {0.0f, -3.0f, 1e-6f, 2e-6f, 0.1f, 0.3f, 0.7f, 1.0f, 1.5f, 2.9f,
        7.7f, 61.0f, 1e9f, 1.1e9f, 1.2e9f, 1e11f, 4e12f, 5e12f, 1e30f};
    static const float most[] = {1.0f, 1.0f, 2.0f, 2.0f, 3.0f, 3.0f, 2.7f, 0.5f, 0.0f, -2.0f, 9.0f};
    static const float costs[] = {1.0f, 1.0f, 1.0f, 2.0f, 1.5f, 0.0f, -1.0f};
    static const float returns[] = {1.0f, 1.0f, 2.0f, 3.0f, 2.7f, 0.9f, 0.0f, -1.0f};
    static const float spacings[] = {0.0f, 0.0f, 0.0f, 0.2f, 1e-6f, -1.0f, 2.0f};
    bool is_ordinary = twins_random(t, 3) != 0;
    kn_cooldown_def def =
        kn_cooldown_seconds(is_ordinary ? durations[4 + twins_random(t, 7)] : PICK(t, durations));
    def.key = key;
    def.charges = kn_constant(is_ordinary ? most[twins_random(t, 7)] : PICK(t, most));
    def.cost = kn_constant(is_ordinary ? costs[twins_random(t, 5)] : PICK(t, costs));
    def.returned = kn_constant(is_ordinary ? returns[twins_random(t, 5)] : PICK(t, returns));
    def.spacing = kn_constant(PICK(t, spacings));
    def.restart_on_use = twins_random(t, 4) == 0;
    def.all_after_idle = twins_random(t, 4) == 0;
    def.starts = twins_random(t, 4) == 0 ? KN_COOLDOWN_AT_ACTIVATION : KN_COOLDOWN_AT_COMMIT;
    return def;
}

// The same number, which is computed.
static kn_scalable flat(const twins *t, kn_scalable number)
{
    kn_scalable scalable = {.value = number.value * 0.5f, .curve = t->twice};
    return scalable;
}

static void unfix(twins *t, kn_cooldown_def *def)
{
    uint32_t way = twins_random(t, 9);
    def->duration = way == 0 || way == 8 ? flat(t, def->duration) : def->duration;
    def->charges = way == 1 || way == 8 ? flat(t, def->charges) : def->charges;
    def->cost = way == 2 || way == 8 ? flat(t, def->cost) : def->cost;
    def->returned = way == 3 || way == 8 ? flat(t, def->returned) : def->returned;
    def->value = way == 4 ? t->value : def->value;
    def->cost_value = way == 5 ? t->value : def->cost_value;
    def->returned_value = way == 6 ? t->value : def->returned_value;
    def->rate = way == 7 ? t->absent : def->rate;
}

// Runs until it is ended.
static kn_result hold(const kn_ability_call *call)
{
    (void)call;
    return KN_OK;
}

static kn_ability_type_id kind_register(twins *t, const char *form, uint32_t index,
    const twin *kind, const kn_cooldown_def *cooldowns, kn_level_up level_up)
{
    char name[32];
    (void)snprintf(name, sizeof(name), "%s%u", form, (unsigned)index);
    kn_ability_def def = spell_def(t->f, name);
    def.cooldowns = cooldowns;
    def.cooldown_count = kind->cooldown_count;
    def.level_up = level_up;
    if (kind->is_held) {
        def.commit = KN_COMMIT_EXPLICIT;
        def.instancing = KN_INSTANCING_PER_ACTOR;
        def.activate = hold;
    }
    return ability_register(t->f, &def);
}

static void kinds_register(twins *t)
{
    fixture *f = t->f;
    for (uint32_t i = 0; i < KINDS + RATED; i++) {
        twin *kind = &t->kinds[i];
        bool is_rated = i >= KINDS, is_shared = is_rated || twins_random(t, 2) == 0;
        kn_level_up level_up = twins_random(t, 2) == 0 ? KN_LEVEL_UP_RAISE : KN_LEVEL_UP_REGRANT;
        kind->is_held = twins_random(t, 3) == 0;
        kind->cooldown_count = twins_random(t, 4) == 0 ? 2 : 1;
        uint32_t key = twins_random(t, KEYS);
        kind->keys[0] = is_shared ? t->keys[key] : (kn_tag){0};
        kind->keys[1] = t->keys[KEYS - 1 - key];
        kn_cooldown_def cooldowns[2] = {
            random_cooldown(t, kind->keys[0]), random_cooldown(t, kind->keys[1])};
        if (is_rated) {
            cooldowns[0].rate = f->haste;
            kind->types[0] = kind_register(t, "Rated", i, kind, cooldowns, level_up);
            kind->types[1] = kind->types[0];
            continue;
        }
        kind->types[0] = kind_register(t, "Fixed", i, kind, cooldowns, level_up);
        unfix(t, &cooldowns[0]);
        unfix(t, &cooldowns[1]);
        kind->types[1] = kind_register(t, "Flat", i, kind, cooldowns, level_up);
    }
}

static void twins_register(twins *t)
{
    fixture *f = t->f;
    const kn_curve_point points[] = {{0.0f, 2.0f}, {10.0f, 2.0f}};
    t->twice = curve_of(f, "Twice", KN_CURVE_LINEAR, points, 2);
    kn_value_def value = kn_value_def_default();
    value.name = "Plain";
    assert_int_equal(kn_value_register(f->library, &value, &t->value, NULL), KN_OK);
    kn_attribute_def absent = attribute_def("Pace", 5.0f);
    (void)set_register(f, "Absent", &absent, 1);
    t->absent = attribute_of(f, "Absent", "Pace");
    t->keys[0] = tag_of(f, "Cooldown.One");
    t->keys[1] = tag_of(f, "Cooldown.Two");
    kinds_register(t);
    library_finish(f);
}

// Comparing -----------------------------------------------------------------

#define SAME_IDS(a, b)                                                                             \
    do {                                                                                           \
        assert_int_equal((a).index1, (b).index1);                                                  \
        assert_int_equal((a).generation, (b).generation);                                          \
    } while (0)

// Whether two types are the two forms of one kind.
static bool are_twins(const twins *t, kn_ability_type_id left, kn_ability_type_id right)
{
    for (uint32_t i = 0; i < KINDS + RATED; i++) {
        if (t->kinds[i].types[0].index1 == left.index1) {
            return t->kinds[i].types[1].index1 == right.index1;
        }
    }
    return false;
}

static void event_compare(twins *t, const kn_event *a, const kn_event *b)
{
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->cause, b->cause);
    assert_int_equal(a->time, b->time);
    SAME_IDS(a->entity, b->entity);
    switch (a->type) {
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        assert_int_equal(a->data.tag.tag.index1, b->data.tag.tag.index1);
        assert_int_equal(a->data.tag.count, b->data.tag.count);
        assert_int_equal(a->data.tag.old_count, b->data.tag.old_count);
        break;
    case KN_EVENT_CHARGES:
    case KN_EVENT_EARLY_USE:
        SAME_IDS(a->data.charges.ability, b->data.charges.ability);
        assert_int_equal(a->data.charges.key.index1, b->data.charges.key.index1);
        assert_int_equal(a->data.charges.charges, b->data.charges.charges);
        assert_int_equal(a->data.charges.old_charges, b->data.charges.old_charges);
        assert_int_equal(a->data.charges.end, b->data.charges.end);
        t->charge_events += a->type == KN_EVENT_CHARGES;
        t->early_events += a->type == KN_EVENT_EARLY_USE;
        break;
    case KN_EVENT_ATTRIBUTE_CHANGED:
        assert_int_equal(a->data.attribute.attribute.index1, b->data.attribute.attribute.index1);
        assert_float_equal(a->data.attribute.new_value, b->data.attribute.new_value, 0.0f);
        break;
    case KN_EVENT_ABILITY_GRANTED:
    case KN_EVENT_ABILITY_CHANGED:
    case KN_EVENT_ABILITY_REMOVED:
    case KN_EVENT_ABILITY_ACTIVATED:
    case KN_EVENT_ABILITY_COMMITTED:
    case KN_EVENT_ABILITY_ENDED:
    case KN_EVENT_ABILITY_FAILED:
        SAME_IDS(a->data.ability.ability, b->data.ability.ability);
        SAME_IDS(a->data.ability.activation, b->data.ability.activation);
        assert_true(are_twins(t, a->data.ability.type, b->data.ability.type));
        assert_int_equal(a->data.ability.end_reason, b->data.ability.end_reason);
        assert_int_equal(a->data.ability.reasons, b->data.ability.reasons);
        assert_int_equal(a->data.ability.tags1, b->data.ability.tags1);
        break;
    default:
        assert_true(a->type == KN_EVENT_ENTITY_CREATED || a->type == KN_EVENT_SET_ADDED);
        break;
    }
}

static void events_compare(twins *t)
{
    kn_events left = kn_world_events(t->sides[0].world);
    kn_events right = kn_world_events(t->sides[1].world);
    assert_int_equal(left.count, right.count);
    for (uint32_t i = 0; i < left.count; i++) {
        event_compare(t, &left.data[i], &right.data[i]);
    }
    t->events += left.count;
}

static void info_compare(const kn_cooldown_info *a, const kn_cooldown_info *b)
{
    assert_int_equal(a->key.index1, b->key.index1);
    assert_int_equal(a->charges, b->charges);
    assert_int_equal(a->max_charges, b->max_charges);
    assert_int_equal(a->remaining, b->remaining);
    assert_int_equal(a->total, b->total);
    assert_int_equal(a->wait, b->wait);
}

// What worlds answer about one of the abilities.
typedef struct answers {
    uint32_t count, check, status;
    kn_cooldown_info infos[3], charges[3];
    bool has_charges[3], is_cooling;
    kn_time remaining, total;
    char text[256]; // behind the name
} answers;

static void ability_answers(const twins *t, side *s, kn_ability_id ability, answers *a)
{
    memset(a, 0, sizeof(*a));
    a->count = kn_ability_cooldowns(s->world, ability, a->infos, 3);
    a->check = kn_ability_check(s->world, ability, NULL);
    a->status = kn_ability_status(s->world, ability);
    a->is_cooling = kn_ability_cooldown(s->world, ability, &a->remaining, &a->total);
    for (uint32_t i = 0; i < 3; i++) {
        kn_tag key = i == 0 ? (kn_tag){0} : t->keys[i - 1];
        a->has_charges[i] = kn_ability_charges(s->world, ability, key, &a->charges[i]);
    }
    char text[256];
    (void)kn_ability_explain_print(s->world, ability, NULL, text, sizeof(text));
    const char *colon = strchr(text, ':');
    (void)snprintf(a->text, sizeof(a->text), "%s", colon != NULL ? colon : "");
}

static void ability_compare(twins *t, uint32_t index)
{
    answers a, b;
    ability_answers(t, &t->sides[0], t->sides[0].abilities[index], &a);
    ability_answers(t, &t->sides[1], t->sides[1].abilities[index], &b);
    assert_int_equal(a.count, b.count);
    assert_int_equal(a.check, b.check);
    assert_int_equal(a.status, b.status);
    assert_int_equal(a.is_cooling, b.is_cooling);
    assert_int_equal(a.remaining, b.remaining);
    assert_int_equal(a.total, b.total);
    assert_string_equal(a.text, b.text);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(a.has_charges[i], b.has_charges[i]);
        info_compare(&a.infos[i], &b.infos[i]);
        info_compare(&a.charges[i], &b.charges[i]);
    }
}

static void twins_compare(twins *t)
{
    const side *a = &t->sides[0], *b = &t->sides[1];
    assert_int_equal(kn_world_now(a->world), kn_world_now(b->world));
    for (uint32_t i = 0; i < ABILITIES; i++) {
        SAME_IDS(a->abilities[i], b->abilities[i]);
        SAME_IDS(a->activations[i], b->activations[i]);
        ability_compare(t, i);
    }
    for (uint32_t i = 0; i < KEYS; i++) {
        kn_time left[2] = {0}, right[2] = {0};
        assert_int_equal(
            kn_cooldown_remaining(a->world, a->hero, one(&t->keys[i]), &left[0], &left[1]),
            kn_cooldown_remaining(b->world, b->hero, one(&t->keys[i]), &right[0], &right[1]));
        assert_int_equal(left[0], right[0]);
        assert_int_equal(left[1], right[1]);
        assert_int_equal(kn_entity_tag_count(a->world, a->hero, t->keys[i]),
            kn_entity_tag_count(b->world, b->hero, t->keys[i]));
    }
    assert_int_equal(kn_world_get_stats(a->world).timers, kn_world_get_stats(b->world).timers);
}

// Calls ---------------------------------------------------------------------

static kn_result ability_grant(twins *t, uint32_t which, uint32_t index)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = t->kinds[t->picked[index]].types[which];
    side *s = &t->sides[which];
    return kn_ability_grant(s->world, s->hero, &def, &s->abilities[index]);
}

typedef struct a_call {
    uint32_t what, ability, number;
    kn_tag key;
    kn_time delta, floor;
    float factor, haste;
    kn_tolerance tolerance;
} a_call;

static kn_result call_commit(side *s, const a_call *c)
{
    kn_activation_id activation = s->activations[c->ability];
    switch (c->number % 5) {
    case 0:
        return kn_activation_commit_cooldown(s->world, activation);
    case 1:
        return kn_activation_commit_cooldown_key(s->world, activation, c->key);
    case 2:
        return kn_activation_cancel(s->world, activation);
    default:
        return kn_activation_commit(s->world, activation);
    }
}

static kn_result call_change(side *s, const a_call *c)
{
    kn_ability_id *ability = &s->abilities[c->ability];
    switch (c->number % 7) {
    case 0:
        return kn_ability_reset_cooldown(s->world, *ability, c->key);
    case 1:
        return kn_ability_change_cooldown(s->world, *ability, c->key, c->delta, c->floor);
    case 2:
        return kn_ability_change_cooldown(s->world, *ability, c->key, c->delta, 0);
    case 3:
        return kn_ability_scale_cooldown(s->world, *ability, c->key, c->factor);
    case 4:
        return kn_ability_set_level(s->world, ability, (float)(c->number % 4));
    default:
        return kn_ability_add_charges(s->world, *ability, c->key, (int32_t)(c->number % 9) - 4);
    }
}

static kn_result call_rare(twins *t, uint32_t which, const a_call *c)
{
    side *s = &t->sides[which];
    kn_ability_grant_def def = kn_ability_grant_def_default();
    switch (c->number % 5) {
    case 0:
        return kn_entity_set_tolerance(s->world, s->hero, c->tolerance);
    case 1:
        return kn_attribute_set_base(s->world, s->hero, t->f->haste, 0, c->haste);
    case 2:
        (void)kn_ability_remove(s->world, s->abilities[c->ability], KN_GRANT_CANCEL);
        return ability_grant(t, which, c->ability);
    default:
        def.type = t->kinds[c->number % (KINDS + RATED)].types[which];
        return kn_ability_grant_once(s->world, s->hero, &def, NULL, NULL);
    }
}

// A call is drawn once, and both worlds do it.
static void twins_call(twins *t)
{
    static const kn_time deltas[] = {1, -1, KN_MS(300), -KN_MS(300), KN_S(2), -KN_S(2), -KN_S(20),
        KN_S(100000), -KN_S(100000), KN_TIME_MAX, -KN_TIME_MAX};
    static const float factors[] = {0.0f, 0.5f, 1.7f, 1e6f, -1.0f, 1e-9f};
    static const float rates[] = {0.0f, 0.5f, 1.0f, 3.0f, 1.3f};
    static const kn_tolerance tolerances[] = {
        {0, 0}, {KN_MS(40), KN_MS(100)}, {KN_MS(500), KN_S(3)}, {KN_S(5), KN_MS(10)}};
    a_call c = {.what = twins_random(t, 16), .ability = twins_random(t, ABILITIES)};
    const twin *kind = &t->kinds[t->picked[c.ability]];
    c.number = twins_random(t, 10000);
    c.key = kind->keys[twins_random(t, kind->cooldown_count)];
    c.delta = PICK(t, deltas);
    c.floor = twins_random(t, 2) == 0 ? KN_MS(700) : 1;
    c.factor = PICK(t, factors);
    c.haste = PICK(t, rates);
    c.tolerance = PICK(t, tolerances);
    kn_result results[2];
    for (uint32_t w = 0; w < 2; w++) {
        side *s = &t->sides[w];
        if (c.what < 8) {
            kn_activation_id activation = {0};
            results[w] = kn_ability_activate(s->world, s->abilities[c.ability], NULL, &activation);
            s->activations[c.ability] = activation;
        } else {
            results[w] = c.what < 11   ? call_commit(s, &c)
                         : c.what < 15 ? call_change(s, &c)
                                       : call_rare(t, w, &c);
        }
    }
    assert_int_equal(results[0], results[1]);
    t->accepted += results[0] == KN_OK;
    t->refused += results[0] != KN_OK;
}

static void twins_step(twins *t)
{
    static const kn_time spans[] = {0, 0, 1, 2, 333, KN_MS(7), KN_MS(100), KN_MS(299), KN_MS(660),
        KN_S(1), KN_MS(3300), KN_S(60), KN_S(1000000), KN_S(3000000000)};
    kn_time dt = twins_random(t, 3) == 0 ? PICK(t, spans) : (kn_time)twins_random(t, KN_MS(800));
    kn_result results[2];
    for (uint32_t w = 0; w < 2; w++) {
        results[w] = kn_world_step(t->sides[w].world, dt);
    }
    assert_int_equal(results[0], results[1]); // beyond the end of time neither goes
    events_compare(t);
}

static void twins_keep(twins *t)
{
    for (uint32_t w = 0; w < 2; w++) {
        side *s = &t->sides[w];
        free(s->snapshot);
        s->snapshot = snapshot_of(s->world, &s->size);
        memcpy(s->kept_abilities, s->abilities, sizeof(s->abilities));
        memcpy(s->kept_activations, s->activations, sizeof(s->activations));
    }
    memcpy(t->kept, t->picked, sizeof(t->kept));
}

static void twins_go_back(twins *t)
{
    for (uint32_t w = 0; w < 2; w++) {
        side *s = &t->sides[w];
        assert_int_equal(kn_snapshot_restore(s->world, s->snapshot, s->size), KN_OK);
        memcpy(s->abilities, s->kept_abilities, sizeof(s->abilities));
        memcpy(s->activations, s->kept_activations, sizeof(s->activations));
    }
    memcpy(t->picked, t->kept, sizeof(t->kept));
}

// Cases ---------------------------------------------------------------------

static void twins_begin(twins *t)
{
    fixture *f = t->f;
    uint32_t when = twins_random(t, 8);
    for (uint32_t i = 0; i < ABILITIES; i++) {
        t->picked[i] = i == 0 && twins_random(t, 2) == 0 ? KINDS + twins_random(t, RATED)
                                                         : twins_random(t, KINDS);
    }
    for (uint32_t w = 0; w < 2; w++) {
        side *s = &t->sides[w];
        memset(s, 0, sizeof(*s));
        s->world = world_of(f, kn_world_def_default());
        assert_int_equal(kn_entity_create(s->world, &s->hero), KN_OK);
        assert_int_equal(kn_attribute_set_add(s->world, s->hero, f->set, 0), KN_OK);
        if (when < 2) { // times that only cycles of ordinary length fit into
            kn_time late = when == 0 ? KN_TIME_MAX - KN_S(9) : ((kn_time)1 << 61) - KN_S(9);
            assert_int_equal(kn_world_step(s->world, late), KN_OK);
        }
        for (uint32_t i = 0; i < ABILITIES; i++) {
            assert_int_equal(ability_grant(t, w, i), KN_OK);
        }
    }
}

static void twins_play(twins *t)
{
    twins_begin(t);
    twins_compare(t);
    twins_keep(t);
    for (uint32_t i = 0; i < CALLS; i++) {
        twins_call(t);
        if (twins_random(t, 3) != 0) {
            twins_step(t);
        }
        twins_compare(t);
        uint32_t copies = twins_random(t, 24);
        if (copies == 0) {
            twins_keep(t);
        } else if (copies == 1) {
            twins_go_back(t);
            twins_compare(t);
        }
    }
    for (uint32_t w = 0; w < 2; w++) {
        assert_true(kn_world_validate(t->sides[w].world));
        kn_world_destroy(t->sides[w].world);
        free(t->sides[w].snapshot);
    }
}

static void fixed_and_computed_cooldowns_agree(void **state)
{
    twins *t = calloc(1, sizeof(*t));
    assert_non_null(t);
    t->f = *state;
    t->random = 11;
    twins_register(t);
    for (uint32_t i = 0; i < CASES; i++) {
        twins_play(t);
    }
    assert_in_range(t->charge_events, CASES * 10, UINT32_MAX);
    assert_in_range(t->early_events, 5 / SHARE(3), UINT32_MAX);
    assert_in_range(t->accepted, CASES * CALLS / 3, UINT32_MAX);
    assert_in_range(t->refused, CASES * CALLS / 8, UINT32_MAX);
    free(t);
}

// Numbers -------------------------------------------------------------------

// What a cooldown of 4 s with 2 charges becomes when one of its numbers is doubled: how many uses
// there are, the most charges, the seconds of a cycle, and the charges 4 s after the last use.
typedef struct way {
    const char *what;
    uint32_t uses, most;
    kn_time cycle;
    uint32_t later;
} way;

static const way ways[] = {
    {"nothing", 2, 2, KN_S(4), 1},
    {"duration by level", 2, 2, KN_S(8), 0},
    {"duration by value", 2, 2, KN_S(8), 0},
    {"rate", 2, 2, KN_S(2), 2},
    {"charges by level", 4, 4, KN_S(4), 1},
    {"charges by attribute", 4, 4, KN_S(4), 1},
    {"cost by level", 1, 2, KN_S(4), 1},
    {"cost by value", 1, 2, KN_S(4), 1},
    {"returned by level", 2, 2, KN_S(4), 2},
    {"returned by value", 2, 2, KN_S(4), 2},
};

static kn_cooldown_def way_cooldown(
    fixture *f, uint32_t index, kn_curve_id rising, kn_value_id value)
{
    kn_cooldown_def def = kn_cooldown_seconds(4.0f);
    def.charges = kn_constant(2.0f);
    def.duration.curve = index == 1 ? rising : def.duration.curve;
    def.value = index == 2 ? value : def.value;
    def.rate = index == 3 ? f->haste : def.rate;
    def.charges.curve = index == 4 ? rising : def.charges.curve;
    def.charges_from = index == 5 ? f->stamina : def.charges_from;
    def.cost.curve = index == 6 ? rising : def.cost.curve;
    def.cost_value = index == 7 ? value : def.cost_value;
    def.returned.curve = index == 8 ? rising : def.returned.curve;
    def.returned_value = index == 9 ? value : def.returned_value;
    return def;
}

static void expect_course(fixture *f, kn_ability_id ability, const way *w)
{
    assert_int_equal(kn_ability_reset_cooldown(f->world, ability, (kn_tag){0}), KN_OK);
    uint32_t uses = 0;
    while (use(f, ability) == KN_OK) {
        uses++;
    }
    assert_int_equal(uses, w->uses);
    kn_cooldown_info info;
    assert_true(kn_ability_charges(f->world, ability, (kn_tag){0}, &info));
    assert_int_equal(info.max_charges, w->most);
    assert_int_equal(info.charges, 0);
    assert_int_equal(info.remaining, w->cycle);
    assert_int_equal(info.total, w->cycle);
    step(f, KN_S(4));
    assert_true(kn_ability_charges(f->world, ability, (kn_tag){0}, &info));
    assert_int_equal(info.charges, w->later);
}

static void each_number_that_can_change_is_followed(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1.0f, 1.0f}, {2.0f, 2.0f}};
    kn_curve_id rising = curve_of(f, "Rising", KN_CURVE_LINEAR, points, 2);
    kn_value_def value_def = kn_value_def_default();
    value_def.name = "Number";
    kn_value_id value;
    assert_int_equal(kn_value_register(f->library, &value_def, &value, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = value;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(2.0f);
    kn_effect_type_id doubled = effect_of(f, "Doubled", KN_DURATION_INFINITE, &modifier, 1);
    kn_ability_type_id types[COUNT(ways)];
    for (uint32_t i = 0; i < COUNT(ways); i++) {
        kn_cooldown_def cooldown = way_cooldown(f, i, rising, value);
        types[i] = spell_with_cooldowns(f, ways[i].what, &cooldown, 1);
    }
    begin(f);
    kn_ability_id abilities[COUNT(ways)];
    set_base(f, f->hero, f->stamina, 2.0f);
    for (uint32_t i = 0; i < COUNT(ways); i++) {
        abilities[i] = grant(f, types[i]);
        expect_course(f, abilities[i], &ways[0]);
    }
    afflict(f, doubled);
    set_base(f, f->hero, f->haste, 2.0f);
    set_base(f, f->hero, f->stamina, 4.0f);
    for (uint32_t i = 0; i < COUNT(ways); i++) {
        assert_int_equal(kn_ability_set_level(f->world, &abilities[i], 2.0f), KN_OK);
        expect_course(f, abilities[i], &ways[i]);
    }
}

// The charges that a cycle returns are found when it begins, those of the next one anew.
static void each_cycle_finds_what_it_returns(void **state)
{
    fixture *f = *state;
    kn_value_def value_def = kn_value_def_default();
    value_def.name = "Returned";
    kn_cooldown_def cooldown = kn_cooldown_seconds(4.0f);
    cooldown.charges = kn_constant(6.0f);
    cooldown.cost = kn_constant(6.0f);
    assert_int_equal(
        kn_value_register(f->library, &value_def, &cooldown.returned_value, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = cooldown.returned_value;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(2.0f);
    kn_effect_type_id doubled = effect_of(f, "Doubled", KN_DURATION_INFINITE, &modifier, 1);
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", &cooldown, 1);
    begin(f);
    kn_ability_id dash = grant(f, type);
    assert_int_equal(use(f, dash), KN_OK);
    step(f, KN_S(2));
    afflict(f, doubled);
    static const uint32_t charges[] = {1, 3, 5, 6};
    for (uint32_t i = 0; i < COUNT(charges); i++) {
        step(f, i == 0 ? KN_S(2) : KN_S(4));
        kn_cooldown_info info;
        assert_true(kn_ability_charges(f->world, dash, (kn_tag){0}, &info));
        assert_int_equal(info.charges, charges[i]);
    }
}

// The fixed form of a cooldown with a key, and the computed one.
static kn_ability_type_id form_register(
    fixture *f, const char *name, bool is_fixed, float seconds, kn_tag key)
{
    const kn_curve_point points[] = {{0.0f, 2.0f}, {10.0f, 2.0f}};
    kn_cooldown_def cooldown = kn_cooldown_seconds(seconds);
    cooldown.key = key;
    if (!is_fixed) {
        cooldown.duration.value *= 0.5f;
        cooldown.duration.curve = curve_of(f, name, KN_CURVE_LINEAR, points, 2);
    }
    return spell_with_cooldowns(f, name, &cooldown, 1);
}

// A use that borrows a charge of a longer cycle, of an ability whose own has a length below 0: the
// pause that is booked is 0, so that the next use is as much too early as this one.
static void a_length_below_zero_books_no_pause(void **state)
{
    (void)state;
    for (uint32_t is_fixed = 0; is_fixed < 2; is_fixed++) {
        void *fresh = NULL;
        (void)setup(&fresh);
        fixture *f = fresh;
        kn_tag key = tag_of(f, "Cooldown.Shared");
        kn_ability_type_id types[2] = {form_register(f, "Long", is_fixed != 0, 10.0f, key),
            form_register(f, "Negative", is_fixed != 0, -3.0f, key)};
        begin(f);
        kn_ability_id first = grant(f, types[0]), second = grant(f, types[1]);
        kn_tolerance tolerance = {KN_MS(500), KN_S(9)};
        assert_int_equal(kn_entity_set_tolerance(f->world, f->hero, tolerance), KN_OK);
        assert_int_equal(use(f, first), KN_OK);
        assert_int_equal(kn_ability_reset_cooldown(f->world, first, key), KN_OK);
        step(f, KN_S(2));
        assert_int_equal(use(f, first), KN_OK); // 8 s too early, since the call reset it
        step(f, KN_MS(9800));
        assert_int_equal(use(f, second), KN_OK);
        step(f, KN_MS(200));
        assert_int_equal(use(f, first), KN_OK); // 8 s again
        step(f, KN_MS(9800));
        tolerance.limit = KN_S(7);
        assert_int_equal(kn_entity_set_tolerance(f->world, f->hero, tolerance), KN_OK);
        assert_int_equal(use(f, first), KN_REFUSED_COOLDOWN);
        tolerance.limit = KN_MS(8200);
        assert_int_equal(kn_entity_set_tolerance(f->world, f->hero, tolerance), KN_OK);
        assert_int_equal(use(f, first), KN_OK);
        assert_int_equal(teardown(&fresh), 0);
    }
}

// A cycle that follows one that stood still is like any other: nothing of the old one is left.
static void a_new_cycle_knows_nothing_of_the_last(void **state)
{
    (void)state;
    for (uint32_t is_fixed = 0; is_fixed < 2; is_fixed++) {
        void *fresh = NULL;
        (void)setup(&fresh);
        fixture *f = fresh;
        kn_tag key = tag_of(f, "Cooldown.Shared");
        kn_ability_type_id type = form_register(f, "Long", is_fixed != 0, 10.0f, key);
        begin(f);
        kn_ability_id ability = grant(f, type);
        kn_world *other = world_loaded(f, kn_world_def_default());
        kn_world *worlds[2] = {f->world, other};
        for (uint32_t w = 0; w < 2; w++) {
            kn_time delta = w == 0 ? KN_TIME_MAX : KN_S(1);
            kn_cooldown_info info;
            assert_int_equal(kn_ability_activate(worlds[w], ability, NULL, NULL), KN_OK);
            assert_int_equal(kn_ability_change_cooldown(worlds[w], ability, key, delta, 0), KN_OK);
            assert_true(kn_ability_charges(worlds[w], ability, key, &info));
            assert_int_equal(info.remaining, w == 0 ? KN_TIME_INFINITE : KN_S(11));
            assert_int_equal(kn_ability_reset_cooldown(worlds[w], ability, key), KN_OK);
            assert_int_equal(kn_ability_activate(worlds[w], ability, NULL, NULL), KN_OK);
            assert_int_equal(kn_world_step(worlds[w], KN_S(1)), KN_OK);
        }
        assert_same_worlds(f->world, other);
        kn_world_destroy(other);
        assert_int_equal(teardown(&fresh), 0);
    }
}

// An ability with a key goes on with the record of another one, at the speed that this one has.
static void a_fixed_cooldown_runs_at_the_speed_of_its_record(void **state)
{
    fixture *f = *state;
    kn_cooldown_def rated = kn_cooldown_seconds(10.0f), fixed = kn_cooldown_seconds(6.0f);
    rated.key = fixed.key = tag_of(f, "Cooldown.Shared");
    rated.rate = f->haste;
    kn_ability_type_id rated_type = spell_with_cooldowns(f, "Rated", &rated, 1);
    kn_ability_type_id fixed_type = spell_with_cooldowns(f, "Fixed", &fixed, 1);
    begin(f);
    kn_ability_id first = grant(f, rated_type), second = grant(f, fixed_type);
    set_base(f, f->hero, f->haste, 2.0f);
    assert_int_equal(use(f, first), KN_OK);
    step(f, KN_S(5));
    assert_int_equal(use(f, second), KN_OK);
    kn_cooldown_info info;
    assert_true(kn_ability_charges(f->world, second, fixed.key, &info));
    assert_int_equal(info.remaining, KN_S(3));
    set_base(f, f->hero, f->haste, 0.5f);
    assert_true(kn_ability_charges(f->world, second, fixed.key, &info));
    assert_int_equal(info.remaining, KN_S(12));
    // And the other way round: it has no speed, and that stays so.
    assert_int_equal(kn_ability_remove(f->world, first, KN_GRANT_CANCEL), KN_OK);
    step(f, KN_S(12));
    assert_int_equal(use(f, second), KN_OK);
    expect_replays(f);
}

// What ends beyond the latest time stands still, however its length is found.
static void a_cycle_beyond_the_end_of_time_stands_still(void **state)
{
    fixture *f = *state;
    static const float seconds[] = {4e12f, 5e12f, 1e30f, 10.0f, 4.0f};
    kn_ability_type_id types[COUNT(seconds)];
    for (uint32_t i = 0; i < COUNT(seconds); i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "Long%u", (unsigned)i);
        kn_cooldown_def cooldown = kn_cooldown_seconds(seconds[i]);
        types[i] = spell_with_cooldowns(f, name, &cooldown, 1);
    }
    begin(f);
    kn_ability_id abilities[COUNT(seconds)];
    for (uint32_t i = 0; i < COUNT(seconds); i++) {
        abilities[i] = grant(f, types[i]);
        assert_int_equal(use(f, abilities[i]), KN_OK);
    }
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, abilities[0], &remaining, &total));
    assert_int_equal(remaining, kn_time_from_seconds((double)seconds[0]));
    for (uint32_t i = 1; i < 3; i++) {
        assert_true(kn_ability_cooldown(f->world, abilities[i], &remaining, &total));
        assert_int_equal(remaining, KN_TIME_INFINITE);
        assert_int_equal(total, KN_TIME_INFINITE);
    }
    step(f, KN_TIME_MAX - KN_S(5));
    for (uint32_t i = 3; i < COUNT(seconds); i++) {
        assert_int_equal(use(f, abilities[i]), KN_OK);
        assert_true(kn_ability_cooldown(f->world, abilities[i], &remaining, &total));
        assert_int_equal(remaining, i == 3 ? KN_TIME_INFINITE : KN_S(4));
    }
    step(f, KN_S(5) - 1);
    assert_int_equal(check(f, abilities[3]), KN_FAIL_COOLDOWN);
    assert_int_equal(check(f, abilities[4]), 0);
}

// Libraries -----------------------------------------------------------------

// Follows the bytes that are held; the call with the number `fail_at` gets no memory.
typedef struct purse {
    uint64_t calls, fail_at;
    size_t bytes;
} purse;

static void *purse_realloc(void *user, void *block, size_t old_size, size_t new_size)
{
    purse *p = user;
    if (new_size > old_size && ++p->calls == p->fail_at) {
        return NULL;
    }
    p->bytes += new_size - old_size;
    if (new_size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, new_size);
}

static void purse_fixture(fixture *f, purse *p)
{
    memset(f, 0, sizeof(*f));
    memset(p, 0, sizeof(*p));
    kn_library_def def = kn_library_def_default();
    def.hooks.realloc_fn = purse_realloc;
    def.hooks.realloc_user = p;
    def.hooks.log_fn = fixture_log;
    def.hooks.log_user = f;
    f->entity_count = 1;
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
}

// Two abilities, the second with two cooldowns: of 3 s, and of 5 s with a key.
static void purse_register(fixture *f, kn_ability_type_id types[2])
{
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(3.0f), kn_cooldown_seconds(5.0f)};
    cooldowns[1].key = tag_of(f, "Cooldown.Shared");
    types[0] = spell_with_cooldowns(f, "Short", cooldowns, 1);
    types[1] = spell_with_cooldowns(f, "Both", cooldowns, 2);
}

// The cooldown that a use of a new ability starts, in a world of its own.
static kn_time cooldown_length(fixture *f, kn_ability_type_id type)
{
    f->world = world_of(f, kn_world_def_default());
    entities_create(f);
    kn_ability_id ability = grant(f, type);
    assert_int_equal(use(f, ability), KN_OK);
    assert_int_equal(use(f, ability), KN_REFUSED_COOLDOWN);
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, ability, &remaining, &total));
    step(f, remaining);
    assert_int_equal(use(f, ability), KN_OK);
    kn_world_destroy(f->world);
    f->world = NULL;
    return remaining;
}

// The reason of a check is missing, which is noticed after cooldowns are ready.
static void a_library_that_is_corrected_has_its_cooldowns(void **state)
{
    (void)state;
    for (uint32_t is_corrected = 0; is_corrected < 2; is_corrected++) {
        fixture f;
        purse p;
        purse_fixture(&f, &p);
        kn_ability_type_id types[2];
        purse_register(&f, types);
        kn_check_def check_def = kn_check_def_default();
        check_def.name = "Voice";
        check_def.reason = "silenced";
        kn_check_id check_id;
        assert_int_equal(
            kn_condition_register_expression(f.library, "Always", "1", &check_def.condition, NULL),
            KN_OK);
        assert_int_equal(kn_check_register(f.library, &check_def, &check_id, NULL), KN_OK);
        for (uint32_t i = 0; i < 3; i++) {
            assert_int_equal(kn_library_finish(f.library, NULL), KN_ERROR_BAD_DATA);
        }
        if (is_corrected != 0) {
            kn_fail_def silenced = kn_fail_def_default();
            silenced.name = "silenced";
            kn_fail bit;
            assert_int_equal(kn_fail_register(f.library, &silenced, &bit, NULL), KN_OK);
            kn_ability_type_id late[40]; // enough to move the others
            for (uint32_t i = 0; i < COUNT(late); i++) {
                char name[16];
                (void)snprintf(name, sizeof(name), "Late%u", (unsigned)i);
                kn_cooldown_def cooldown = kn_cooldown_seconds((float)(i + 1));
                late[i] = spell_with_cooldowns(&f, name, &cooldown, 1);
            }
            library_finish(&f);
            assert_int_equal(cooldown_length(&f, types[0]), KN_S(3));
            assert_int_equal(cooldown_length(&f, types[1]), KN_S(5));
            assert_int_equal(cooldown_length(&f, late[0]), KN_S(1));
            assert_int_equal(cooldown_length(&f, late[39]), KN_S(40));
        }
        kn_library_destroy(f.library);
        assert_int_equal(p.bytes, 0);
    }
}

static void a_library_that_lacked_memory_is_finished_later(void **state)
{
    (void)state;
    bool is_done = false;
    for (uint64_t fail_at = 1; !is_done; fail_at++) {
        assert_in_range(fail_at, 1, 1000);
        fixture f;
        purse p;
        purse_fixture(&f, &p);
        kn_ability_type_id types[2];
        purse_register(&f, types);
        p.fail_at = p.calls + fail_at;
        kn_result result = kn_library_finish(f.library, NULL);
        is_done = p.calls < p.fail_at;
        p.fail_at = 0;
        assert_int_equal(result, is_done ? KN_OK : KN_ERROR_OUT_OF_MEMORY);
        if (fail_at % 2 == 0 || is_done) { // the others are destroyed as they are
            library_finish(&f);
            assert_int_equal(cooldown_length(&f, types[0]), KN_S(3));
            assert_int_equal(cooldown_length(&f, types[1]), KN_S(5));
        }
        kn_library_destroy(f.library);
        assert_int_equal(p.bytes, 0);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(fixed_and_computed_cooldowns_agree),
    TEST(each_number_that_can_change_is_followed),
    TEST(each_cycle_finds_what_it_returns),
    cmocka_unit_test(a_length_below_zero_books_no_pause),
    cmocka_unit_test(a_new_cycle_knows_nothing_of_the_last),
    TEST(a_fixed_cooldown_runs_at_the_speed_of_its_record),
    TEST(a_cycle_beyond_the_end_of_time_stands_still),
    cmocka_unit_test(a_library_that_is_corrected_has_its_cooldowns),
    cmocka_unit_test(a_library_that_lacked_memory_is_finished_later),
};

TEST_GROUP(fixed_cooldowns, tests, NULL, NULL);
