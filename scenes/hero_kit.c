// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Heroes and minions of two sides. A hero jumps, shoots, aims, sprints, dashes, grows armour and
// calls meteors; damage is mitigated by armour and distributed by the attribute set; the dead pay a
// bounty and come back. Clients predict what a hero does, but not what becomes of others: bullets,
// falling meteors and armour are the server's. Positions are bodies of a grid, so that a host may
// ask it; without one the scene looks for itself.

#include "hero_kit.h"

#include <float.h>

#define STREAM_THINK 0
#define THINK_TIME KN_MS(200)
#define MINION_TIME KN_MS(600)
#define RESPAWN_TIME KN_S(3)

// Timers in the order they are declared. They are found by name: a library that has the kit from
// elsewhere may order them otherwise.
enum {
    TIMER_HERO = 1,
    TIMER_MINION,
    TIMER_RESPAWN,
};

// Labels of tasks.
enum {
    TASK_FIRED,
    TASK_BULLET,
    TASK_RELEASED,
    TASK_DRAIN,
    TASK_DASHED,
    TASK_GROW,
    TASK_HURT,
    TASK_AIMED,
    TASK_METEOR,
};

// Space ---------------------------------------------------------------------

static kn_component_type_id body_type(const kn_world *world)
{
    return kn_component_find(kn_world_library(world), KN_GRID_BODY_NAME);
}

static float distance_squared(kn_vec3 a, kn_vec3 b)
{
    float x = a.x - b.x, y = a.y - b.y;
    return x * x + y * y;
}

static bool is_foe(const kn_world *world, kn_entity_id self, kn_entity_id other)
{
    return ((kn_entity_user(world, self) ^ kn_entity_user(world, other)) & 1) != 0 &&
           !kn_entity_has_tag(world, other, rule_tag(world, "State.Dead"));
}

typedef struct foe_filter {
    kn_entity_id self;
} foe_filter;

static bool accept_foe(void *user, const kn_world *world, kn_entity_id entity)
{
    return is_foe(world, ((const foe_filter *)user)->self, entity);
}

// The nearest foe within a radius around a place, or null.
static kn_entity_id nearest_foe(
    const kn_world *world, kn_entity_id self, kn_vec3 place, float radius)
{
    const kn_space *space = kn_world_space(world);
    if (space != NULL) {
        foe_filter foe = {self};
        kn_space_filter filter = kn_space_filter_default();
        filter.accept = accept_foe;
        filter.user = &foe;
        kn_sphere sphere = {place, radius};
        kn_space_hit hit;
        return kn_space_nearest(space, world, &sphere, &filter, &hit, 1) > 0 ? hit.entity
                                                                             : (kn_entity_id){0};
    }
    kn_component_type_id type = body_type(world);
    kn_entity_id best = {0};
    float least = radius * radius;
    for (kn_entity_id at = kn_component_next(world, type, best); at.index1 != 0;
         at = kn_component_next(world, type, at)) {
        const kn_body *body = kn_component_read(world, type, at);
        float squared = distance_squared(body->position, place);
        if (squared <= least && is_foe(world, self, at)) {
            least = squared;
            best = at;
        }
    }
    return best;
}

static kn_vec3 place_of(const kn_world *world, kn_entity_id entity)
{
    const kn_body *body = kn_component_read(world, body_type(world), entity);
    return body != NULL ? body->position : (kn_vec3){0, 0, 0};
}

// A step towards a place; straight lines without a square root: first along the longer axis.
static void walk(kn_world *world, kn_entity_id entity, kn_vec3 to, float way)
{
    kn_body *body = kn_component_get(world, body_type(world), entity);
    if (body == NULL) {
        return;
    }
    float x = to.x - body->position.x, y = to.y - body->position.y;
    bool along_x = (x < 0.0f ? -x : x) > (y < 0.0f ? -y : y);
    float gap = along_x ? x : y;
    float step = gap > way ? way : gap < -way ? -way : gap;
    body->position.x += along_x ? step : 0.0f;
    body->position.y += along_x ? 0.0f : step;
    body->facing = (kn_vec3){along_x ? (x < 0.0f ? -1.0f : 1.0f) : 0.0f,
        along_x ? 0.0f : (y < 0.0f ? -1.0f : 1.0f), 0.0f};
}

// Damage, death -------------------------------------------------------------

// The damage, reduced by armour: 100 / (100 + armour).
static void damage_execution(void *user, kn_execution *execution)
{
    (void)user;
    const kn_world *world = kn_execution_world(execution);
    const kn_spec_view *spec = kn_execution_spec(execution);
    float damage = kn_spec_view_caller_value(spec, rule_tag(world, "Data.Damage"), 0.0f, true);
    float armour = kn_execution_capture(execution, 0);
    float left = damage * 100.0f / (100.0f + (armour > 0.0f ? armour : 0.0f));
    kn_execution_output(execution, rule_attribute(world, "Hero.Damage"), 0, KN_OP_ADD, left);
}

// Everything but passive abilities.
static void cancel_actions(kn_world *world, kn_entity_id entity)
{
    kn_tag passive = rule_tag(world, "Ability.Passive");
    kn_ability_query query = kn_ability_query_default();
    query.no_tags = ONE_TAG(passive);
    (void)kn_abilities_cancel(world, entity, &query);
}

static void die(kn_world *world, kn_entity_id victim, kn_entity_id killer)
{
    (void)kn_entity_add_tag(world, victim, rule_tag(world, "State.Dead"), KN_TAG_ORIGIN_LOOSE, 1);
    cancel_actions(world, victim);
    if (killer.index1 != 0 && !kn_entity_id_equal(killer, victim)) {
        kn_caller_value bounty[2] = {
            {rule_tag(world, "Data.Gold"),
                kn_attribute_value(world, victim, rule_attribute(world, "Hero.GoldBounty"))},
            {rule_tag(world, "Data.XP"),
                kn_attribute_value(world, victim, rule_attribute(world, "Hero.XPBounty"))}};
        kn_effect_apply_def def = kn_effect_apply_def_default();
        def.type = rule_effect(world, "GE_Bounty");
        def.source = victim;
        def.target = killer;
        def.caller_values = bounty;
        def.caller_value_count = 2;
        kn_result paid = kn_effect_apply(world, &def, NULL);
        (void)paid; // the killer may be gone
    }
    kn_timer_id timer;
    kn_timer_type_id type = kn_timer_type_find(kn_world_library(world), "Respawn");
    kn_result started = kn_timer_start(world, type, victim, RESPAWN_TIME, NULL, &timer);
    (void)started;
}

// What the set does with the damage that arrived.
static void hero_post_execute(void *user, const kn_execute_data *data)
{
    (void)user;
    kn_world *world = data->world;
    if (data->attribute.index1 != rule_attribute(world, "Hero.Damage").index1 ||
        kn_entity_has_tag(world, data->entity, rule_tag(world, "State.Dead"))) {
        return;
    }
    kn_attribute_id health = rule_attribute(world, "Hero.Health");
    float left = kn_attribute_base(world, data->entity, health) - data->new_base;
    (void)kn_attribute_set_base(world, data->entity, health, 0, left);
    kn_entity_id killer = data->spec != NULL ? kn_spec_view_source(data->spec) : (kn_entity_id){0};
    kn_cue_params number = kn_cue_params_default();
    number.magnitude = data->new_base;
    number.instigator = killer;
    (void)kn_cue_execute(world, data->entity, rule_tag(world, "GameplayCue.Number"), &number);
    kn_event_record record = kn_event_record_default();
    record.instigator = killer;
    record.target = data->entity;
    record.magnitude = data->new_base;
    (void)kn_event_send(world, data->entity, rule_tag(world, "Event.Hurt"), &record);
    if (kn_attribute_base(world, data->entity, health) <= 0.0f) {
        die(world, data->entity, killer);
    }
}

static kn_time respawn(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)data;
    (void)kn_entity_set_tag_count(
        world, entity, rule_tag(world, "State.Dead"), KN_TAG_ORIGIN_LOOSE, 0);
    (void)kn_attribute_set_base(world, entity, rule_attribute(world, "Hero.Health"), 0,
        kn_attribute_value(world, entity, rule_attribute(world, "Hero.MaxHealth")));
    kn_body *body = kn_component_get(world, body_type(world), entity);
    if (body != NULL) {
        body->position.x += (kn_entity_user(world, entity) & 1) != 0 ? 800.0f : -800.0f;
    }
    return 0;
}

// What has consequences for others happens where the state of the entity counts; a client that
// predicts the ability shows it only.
static bool is_authority(const kn_world *world, kn_entity_id entity)
{
    kn_net_role role = kn_entity_role(world, entity);
    return role == KN_ROLE_AUTHORITY || role == KN_ROLE_SERVER;
}

static void hurt(kn_world *world, kn_activation_id activation, kn_entity_id target, float damage,
    const char *extra)
{
    kn_caller_value value = {rule_tag(world, "Data.Damage"), damage};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rule_effect(world, "GE_Damage");
    def.target = target;
    def.caller_values = &value;
    def.caller_value_count = 1;
    (void)kn_activation_apply_def(world, activation, &def, NULL);
    if (extra != NULL) {
        (void)kn_activation_apply(world, activation, rule_effect(world, extra), target, NULL);
    }
}

// Abilities -----------------------------------------------------------------

static kn_result run_task(const kn_ability_call *call, const kn_task_def *def)
{
    return kn_task_run(call->world, call->activation, def, NULL);
}

static kn_result jump(const kn_ability_call *call)
{
    return kn_cue_execute(
        call->world, call->owner, rule_tag(call->world, "GameplayCue.Jump"), NULL);
}

// The gun: the animation's notify lets the bullet go, which takes its time.
static kn_result fire(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    kn_task_def play = kn_task_def_default(KN_TASK_ANIMATION);
    play.animation = kn_animation_find(kn_world_library(call->world), "Fire");
    play.label = TASK_FIRED;
    return result == KN_OK ? run_task(call, &play) : result;
}

typedef struct gun_state {
    kn_entity_id target;
    uint32_t shots;
} gun_state;

static void bullet_leaves(const kn_ability_call *call)
{
    kn_vec3 from = place_of(call->world, call->owner);
    kn_entity_id target = nearest_foe(call->world, call->owner, from, 900.0f);
    void *state = kn_activation_state(call->world, call->activation);
    gun_state gun;
    rule_recall(&gun, state, sizeof gun);
    gun.target = target;
    gun.shots++;
    rule_keep(state, &gun, sizeof gun);
    float way = distance_squared(from, place_of(call->world, target)); // slower over long ways
    kn_time flight = KN_MS(40) + (kn_time)(way / 4.0f);
    (void)kn_wait_delay(call->world, call->activation, TASK_BULLET, flight);
}

static void fire_done(const kn_ability_call *call, const kn_task_result *result)
{
    kn_world *world = call->world;
    if (!is_authority(world, call->owner)) {
        if (result->output != KN_TASK_NOTIFY) { // the animation is over: no bullet of one's own
            (void)kn_activation_end(world, call->activation);
        }
    } else if (result->output == KN_TASK_NOTIFY) {
        bullet_leaves(call);
    } else if (result->label == TASK_BULLET) {
        gun_state gun;
        rule_recall(&gun, kn_activation_state(world, call->activation), sizeof gun);
        kn_entity_id target = gun.target;
        if (kn_entity_is_alive(world, target)) {
            bool aims = kn_entity_has_tag(world, call->owner, rule_tag(world, "State.Aiming"));
            hurt(world, call->activation, target, aims ? 14.0f : 10.0f, NULL);
            (void)kn_cue_execute(world, target, rule_tag(world, "GameplayCue.Impact"), NULL);
        }
        (void)kn_activation_end(world, call->activation);
    } else if (result->output == KN_TASK_INTERRUPTED) {
        (void)kn_activation_cancel(world, call->activation);
    }
}

// Something that is on while its input is held: an effect, and a wait for the release.
static kn_result hold(const kn_ability_call *call, const char *effect)
{
    kn_effect_id held;
    kn_result result = kn_activation_apply(
        call->world, call->activation, rule_effect(call->world, effect), call->owner, &held);
    void *state = kn_activation_state(call->world, call->activation);
    if (state != NULL) { // the effect may have ended the ability
        rule_keep(state, &held, sizeof held);
    }
    return result == KN_OK ? kn_wait_input_release(call->world, call->activation, TASK_RELEASED)
                           : result;
}

static void let_go(const kn_ability_call *call, kn_end_reason reason)
{
    (void)reason;
    kn_effect_id effect;
    rule_recall(&effect, kn_activation_state(call->world, call->activation), sizeof effect);
    (void)kn_effect_remove(call->world, effect, 0, KN_REMOVED_BY_CALL);
}

static kn_result aim(const kn_ability_call *call)
{
    return hold(call, "GE_Aim");
}

static void aim_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    (void)kn_activation_end(call->world, call->activation);
}

static kn_result sprint(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit_cost(call->world, call->activation);
    if (result == KN_OK) {
        result = hold(call, "GE_Sprint");
    }
    kn_task_def drain = kn_task_def_default(KN_TASK_REPEAT);
    drain.interval = KN_MS(500);
    drain.label = TASK_DRAIN;
    return result == KN_OK ? run_task(call, &drain) : result;
}

static void sprint_done(const kn_ability_call *call, const kn_task_result *result)
{
    bool goes_on = result->label == TASK_DRAIN &&
                   kn_activation_commit_cost(call->world, call->activation) == KN_OK;
    if (!goes_on) {
        (void)kn_activation_end(call->world, call->activation);
    }
}

static kn_result dash(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    const kn_body *body = kn_component_read(call->world, body_type(call->world), call->owner);
    kn_motion_def motion = kn_motion_def_default(KN_MOTION_MOVE_TO);
    motion.duration = KN_MS(200);
    kn_task_def task = kn_task_def_default(KN_TASK_MOTION);
    task.label = TASK_DASHED;
    task.motion = &motion;
    if (body != NULL) {
        task.motion_start.position = body->position;
        motion.destination.x = body->position.x + body->facing.x * 300.0f;
        motion.destination.y = body->position.y + body->facing.y * 300.0f;
        motion.destination.z = body->position.z;
    }
    return result == KN_OK ? run_task(call, &task) : result;
}

static void dash_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    kn_body *body = kn_component_get(call->world, body_type(call->world), call->owner);
    if (body != NULL) {
        body->position.x += body->facing.x * 300.0f;
        body->position.y += body->facing.y * 300.0f;
    }
    (void)kn_activation_end(call->world, call->activation);
}

// One stack of armour every four seconds, up to four; every wound takes one.
static kn_result grow_armour(const kn_ability_call *call)
{
    kn_task_def grow = kn_task_def_default(KN_TASK_REPEAT);
    grow.interval = KN_S(4);
    grow.label = TASK_GROW;
    kn_task_def wound = kn_task_def_default(KN_TASK_EVENT);
    wound.tag = rule_tag(call->world, "Event.Hurt");
    wound.repeats = true;
    wound.label = TASK_HURT;
    kn_result result = run_task(call, &grow);
    return result == KN_OK ? run_task(call, &wound) : result;
}

static void armour_done(const kn_ability_call *call, const kn_task_result *result)
{
    kn_world *world = call->world;
    kn_effect_type_id armour = rule_effect(world, "GE_Armour");
    if (result->label == TASK_GROW) {
        (void)kn_activation_apply(world, call->activation, armour, call->owner, NULL);
        return;
    }
    kn_effect_query query = kn_effect_query_default();
    query.type = armour;
    (void)kn_effects_remove(world, call->owner, &query, 1, KN_REMOVED_CHARGES_USED, NULL);
}

// The meteor: aim, confirm, wait for it to fall. A caller value of the ability may set its damage.
static kn_result meteor(const kn_ability_call *call)
{
    kn_task_def target = kn_task_def_default(KN_TASK_TARGET);
    target.targeting = kn_targeting_find(kn_world_library(call->world), "Meteor");
    target.confirm = KN_CONFIRM_USER;
    target.timeout = KN_S(5);
    target.label = TASK_AIMED;
    return run_task(call, &target);
}

#define METEOR_RADIUS 250.0f
#define METEOR_FOUND 256

static void meteor_hits(
    const kn_ability_call *call, kn_entity_id target, kn_vec3 place, float damage)
{
    kn_world *world = call->world;
    const kn_body *body = kn_component_read(world, body_type(world), target);
    if (is_authority(world, call->owner) &&
        distance_squared(body->position, place) <= METEOR_RADIUS * METEOR_RADIUS &&
        is_foe(world, call->owner, target)) {
        hurt(world, call->activation, target, damage, "GE_Stun");
    }
}

static void meteor_falls(const kn_ability_call *call)
{
    kn_world *world = call->world;
    kn_vec3 place;
    rule_recall(&place, kn_activation_state(world, call->activation), sizeof place);
    float damage =
        kn_ability_caller_value(world, call->ability, rule_tag(world, "Data.Damage"), 45.0f);
    // A space finds those near by; without one, or with too many there, everybody is asked.
    const kn_space *space = kn_world_space(world);
    kn_entity_id found[METEOR_FOUND];
    kn_sphere sphere = {place, METEOR_RADIUS};
    uint32_t count = space != NULL
                         ? kn_space_sphere(space, world, &sphere, NULL, found, METEOR_FOUND)
                         : UINT32_MAX;
    for (uint32_t i = 0; count <= METEOR_FOUND && i < count; i++) {
        meteor_hits(call, found[i], place, damage);
    }
    kn_component_type_id type = body_type(world);
    for (kn_entity_id at = kn_component_next(world, type, (kn_entity_id){0});
         count > METEOR_FOUND && at.index1 != 0; at = kn_component_next(world, type, at)) {
        meteor_hits(call, at, place, damage);
    }
    kn_cue_params boom = kn_cue_params_default();
    boom.location = place;
    boom.has_location = true;
    (void)kn_cue_execute(world, call->owner, rule_tag(world, "GameplayCue.Meteor"), &boom);
    (void)kn_activation_end(world, call->activation);
}

static void meteor_done(const kn_ability_call *call, const kn_task_result *result)
{
    kn_world *world = call->world;
    if (result->label == TASK_METEOR) {
        meteor_falls(call);
    } else if (result->output == KN_TASK_FIRED &&
               kn_activation_commit(world, call->activation) == KN_OK) {
        kn_vec3 place = {0};
        (void)kn_target_position(result->data.targets, &place);
        rule_keep(kn_activation_state(world, call->activation), &place, sizeof place);
        (void)kn_wait_delay(world, call->activation, TASK_METEOR, KN_MS(1200));
    } else {
        (void)kn_activation_cancel(world, call->activation);
    }
}

// Where the nearest foe stands.
static bool find_meteor_place(const kn_targeting_call *call, kn_target_data *out)
{
    const kn_world *world = call->world;
    kn_entity_id foe = nearest_foe(world, call->owner, place_of(world, call->owner), 1500.0f);
    kn_target_location place = {.position = place_of(world, foe)};
    return foe.index1 != 0 &&
           kn_target_add(kn_world_library(world), out, kn_target_type_location(), &place) == KN_OK;
}

// Thinking ------------------------------------------------------------------

static void hold_input(kn_world *world, kn_entity_id hero, uint32_t input, bool wanted)
{
    kn_ability_query query = kn_ability_query_default();
    query.input = input;
    kn_ability_id ability;
    kn_ability_info info;
    if (kn_abilities_find(world, hero, &query, &ability, 1) == 0 ||
        !kn_ability_get(world, ability, &info) || info.is_pressed == wanted) {
        return;
    }
    (void)(wanted ? kn_input_press(world, hero, input) : kn_input_release(world, hero, input));
}

static void tap(kn_world *world, kn_entity_id hero, uint32_t input)
{
    (void)kn_input_press(world, hero, input);
    (void)kn_input_release(world, hero, input);
}

static kn_time think(void *user, kn_world *world, kn_entity_id hero, void *data)
{
    (void)user;
    (void)data;
    if (kn_entity_has_tag(world, hero, rule_tag(world, "State.Dead"))) {
        return THINK_TIME;
    }
    kn_vec3 here = place_of(world, hero);
    kn_entity_id foe = nearest_foe(world, hero, here, 3000.0f);
    float way = foe.index1 != 0 ? distance_squared(here, place_of(world, foe)) : FLT_MAX;
    bool is_near = way < 600.0f * 600.0f;
    uint32_t whim = kn_random_below(world, STREAM_THINK, 100);
    hold_input(world, hero, HERO_INPUT_SPRINT, foe.index1 != 0 && !is_near);
    hold_input(world, hero, HERO_INPUT_AIM, is_near && whim >= 20);
    if (foe.index1 != 0 && !is_near) {
        float speed = kn_attribute_value(world, hero, rule_attribute(world, "Hero.MoveSpeed"));
        walk(world, hero, place_of(world, foe), speed * 0.2f);
    }
    if (is_near) {
        tap(world, hero, HERO_INPUT_FIRE);
    }
    if (whim < 8) {
        tap(world, hero, HERO_INPUT_METEOR);
    } else if (whim < 60) {
        tap(world, hero, HERO_INPUT_CONFIRM);
    } else if (whim < 66) {
        tap(world, hero, HERO_INPUT_DASH);
    } else if (whim < 70) {
        tap(world, hero, HERO_INPUT_JUMP);
    } else if (whim < 72) {
        tap(world, hero, HERO_INPUT_CANCEL);
    }
    return THINK_TIME;
}

// Minions have no abilities: they walk and claw.
static kn_time minion_acts(void *user, kn_world *world, kn_entity_id minion, void *data)
{
    (void)user;
    (void)data;
    bool is_out = kn_entity_has_tag(world, minion, rule_tag(world, "State.Dead")) ||
                  kn_entity_has_tag(world, minion, rule_tag(world, "State.Stunned"));
    if (is_out) {
        return MINION_TIME;
    }
    kn_vec3 here = place_of(world, minion);
    kn_entity_id foe = nearest_foe(world, minion, here, 2500.0f);
    if (foe.index1 == 0) {
        return MINION_TIME;
    }
    if (distance_squared(here, place_of(world, foe)) > 150.0f * 150.0f) {
        float speed = kn_attribute_value(world, minion, rule_attribute(world, "Hero.MoveSpeed"));
        walk(world, minion, place_of(world, foe), speed * 0.6f);
        return MINION_TIME;
    }
    kn_caller_value value = {rule_tag(world, "Data.Damage"), 7.0f};
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = rule_effect(world, "GE_Damage");
    def.source = minion;
    def.target = foe;
    def.caller_values = &value;
    def.caller_value_count = 1;
    kn_result struck = kn_effect_apply(world, &def, NULL);
    (void)struck; // refusals are part of the game
    return MINION_TIME;
}

// Declaring -----------------------------------------------------------------

static void declare_attributes(scene_builder *builder)
{
    kn_attribute_def defs[] = {
        scene_attribute("MaxHealth", 120.0f),
        scene_pool("Health", 120.0f, "MaxHealth", KN_LINK_CLAMP),
        scene_attribute("HealthRegen", 1.0f),
        scene_attribute("MaxMana", 100.0f),
        scene_pool("Mana", 100.0f, "MaxMana", KN_LINK_CLAMP),
        scene_attribute("ManaRegen", 4.0f),
        scene_attribute("MaxStamina", 100.0f),
        scene_pool("Stamina", 100.0f, "MaxStamina", KN_LINK_CLAMP),
        scene_attribute("StaminaRegen", 6.0f),
        scene_attribute("Armour", 10.0f),
        scene_attribute("MoveSpeed", 500.0f),
        scene_attribute("Damage", 0.0f),
        scene_attribute("XP", 0.0f),
        scene_attribute("Gold", 0.0f),
        scene_attribute("XPBounty", 20.0f),
        scene_attribute("GoldBounty", 5.0f),
    };
    defs[10].min = kn_limit_constant(150.0f);
    defs[10].max = kn_limit_constant(1000.0f);
    defs[11].is_meta = true;
    kn_attribute_hooks hooks = {.post_execute = hero_post_execute};
    scene_set(builder, "Hero", defs, COUNT_OF(defs), &hooks);
}

static void declare_regeneration(scene_builder *builder)
{
    static const char *const pairs[3][2] = {{"Hero.Health", "Hero.HealthRegen"},
        {"Hero.Mana", "Hero.ManaRegen"}, {"Hero.Stamina", "Hero.StaminaRegen"}};
    kn_modifier_def modifiers[3];
    for (uint32_t i = 0; i < 3; i++) {
        modifiers[i] = kn_modifier_def_default();
        modifiers[i].attribute = scene_find_attribute(builder, pairs[i][0]);
        modifiers[i].op = KN_OP_ADD;
        modifiers[i].magnitude = kn_magnitude_attribute(
            scene_find_attribute(builder, pairs[i][1]), KN_CAPTURE_FROM_TARGET, false, 1.0f);
    }
    kn_tag dead = scene_tag(builder, "State.Dead");
    kn_effect_def regen = scene_effect_def("GE_Regen", KN_DURATION_INFINITE, 0.0f);
    scene_every(&regen, 1.0f);
    regen.modifiers = modifiers;
    regen.modifier_count = 3;
    regen.skip_first_tick = true;
    regen.ongoing.target.ignored = ONE_TAG(dead);
    scene_effect(builder, &regen);
}

static void declare_damage(scene_builder *builder)
{
    kn_capture armour = {
        .attribute = scene_find_attribute(builder, "Hero.Armour"), .from = KN_CAPTURE_FROM_TARGET};
    kn_execution_def execution = kn_execution_def_default();
    execution.name = "Damage";
    execution.captures = &armour;
    execution.capture_count = 1;
    execution.function = damage_execution;
    kn_execution_use use = {0};
    scene_note(builder,
        kn_execution_register(builder->library, &execution, &use.execution, &builder->error));
    kn_effect_def damage = scene_effect_def("GE_Damage", KN_DURATION_INSTANT, 0.0f);
    damage.executions = &use;
    damage.execution_count = 1;
    scene_effect(builder, &damage);

    kn_modifier_def bounty[2] = {kn_modifier_def_default(), kn_modifier_def_default()};
    bounty[0].attribute = scene_find_attribute(builder, "Hero.Gold");
    bounty[0].magnitude = kn_magnitude_set_by_caller(scene_tag(builder, "Data.Gold"));
    bounty[1].attribute = scene_find_attribute(builder, "Hero.XP");
    bounty[1].magnitude = kn_magnitude_set_by_caller(scene_tag(builder, "Data.XP"));
    kn_effect_def pay = scene_effect_def("GE_Bounty", KN_DURATION_INSTANT, 0.0f);
    pay.modifiers = bounty;
    pay.modifier_count = 2;
    scene_effect(builder, &pay);
}

static void declare_states(scene_builder *builder)
{
    kn_attribute_id speed = scene_find_attribute(builder, "Hero.MoveSpeed");
    kn_tag stunned = scene_tag(builder, "State.Stunned"),
           aiming = scene_tag(builder, "State.Aiming"), dead = scene_tag(builder, "State.Dead");
    kn_tag sprinting = scene_tag(builder, "State.Sprinting");
    kn_tag stun_cue = scene_tag(builder, "GameplayCue.Stun");
    kn_tag sprint_cue = scene_tag(builder, "GameplayCue.Sprint");
    kn_modifier_def held = kn_modifier_constant(speed, KN_OP_OVERRIDE, 150.0f);
    kn_effect_def stun = scene_effect_def("GE_Stun", KN_DURATION_TIMED, 1.5f);
    stun.modifiers = &held;
    stun.modifier_count = 1;
    stun.granted_tags = ONE_TAG(stunned);
    stun.cue_tags = ONE_TAG(stun_cue);
    stun.stacking.kind = KN_STACK_BY_TARGET;
    stun.stacking.limit = kn_constant(1.0f);
    stun.removal.target.required = ONE_TAG(dead); // nor does it reach the dead
    scene_effect(builder, &stun);

    kn_modifier_def slow = kn_modifier_constant(speed, KN_OP_MULTIPLY, 0.6f);
    kn_effect_def aim_effect = scene_effect_def("GE_Aim", KN_DURATION_INFINITE, 0.0f);
    aim_effect.modifiers = &slow;
    aim_effect.modifier_count = 1;
    aim_effect.granted_tags = ONE_TAG(aiming);
    scene_effect(builder, &aim_effect);

    kn_modifier_def quick = kn_modifier_constant(speed, KN_OP_MULTIPLY, 1.6f);
    kn_effect_def sprint_effect = scene_effect_def("GE_Sprint", KN_DURATION_INFINITE, 0.0f);
    sprint_effect.modifiers = &quick;
    sprint_effect.modifier_count = 1;
    sprint_effect.granted_tags = ONE_TAG(sprinting);
    sprint_effect.cue_tags = ONE_TAG(sprint_cue);
    scene_effect(builder, &sprint_effect);

    kn_modifier_def plate =
        kn_modifier_constant(scene_find_attribute(builder, "Hero.Armour"), KN_OP_ADD, 12.0f);
    kn_effect_def armour = scene_effect_def("GE_Armour", KN_DURATION_INFINITE, 0.0f);
    armour.modifiers = &plate;
    armour.modifier_count = 1;
    armour.stacking.kind = KN_STACK_BY_TARGET;
    armour.stacking.limit = kn_constant(4.0f);
    scene_effect(builder, &armour);
}

static kn_ability_type_id declare_ability(scene_builder *builder, const kn_ability_def *def)
{
    kn_ability_type_id type = {0};
    if (builder->result == KN_OK) {
        scene_note(builder, kn_ability_register(builder->library, def, &type, &builder->error));
    }
    return type;
}

// What all abilities of the hero have in common: a stun and death stop them.
static kn_ability_def kit_ability(const char *name, uint32_t input, kn_tags blocked,
    kn_result (*activate)(const kn_ability_call *call))
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.input = input;
    def.activation.ignored = blocked;
    def.activate = activate;
    return def;
}

static void declare_gun(scene_builder *builder, kn_tags blocked)
{
    const kn_notify_def notify = {0.1f, scene_tag(builder, "Event.Shot")};
    kn_animation_def animation = kn_animation_def_default();
    animation.name = "Fire";
    animation.length = 0.3f;
    animation.notifies = &notify;
    animation.notify_count = 1;
    kn_animation_id id;
    if (builder->result == KN_OK) {
        scene_note(
            builder, kn_animation_register(builder->library, &animation, &id, &builder->error));
    }
    kn_cooldown_def cooldown = kn_cooldown_seconds(0.4f);
    kn_ability_def gun = kit_ability("GA_FireGun", HERO_INPUT_FIRE, blocked, fire);
    gun.instancing = KN_INSTANCING_PER_EXECUTION;
    gun.state_size = sizeof(gun_state);
    gun.cooldowns = &cooldown;
    gun.cooldown_count = 1;
    gun.task_done = fire_done;
    declare_ability(builder, &gun);
}

static void declare_meteor(scene_builder *builder, kn_tags blocked)
{
    kn_targeting_def targeting = kn_targeting_def_default();
    targeting.name = "Meteor";
    targeting.shape = KN_SHAPE_CUSTOM;
    targeting.find = find_meteor_place;
    targeting.confirms = 1u << KN_CONFIRM_USER;
    kn_targeting_id id;
    if (builder->result == KN_OK) {
        scene_note(
            builder, kn_targeting_register(builder->library, &targeting, &id, &builder->error));
    }
    kn_cost_def mana = {
        .attribute = scene_find_attribute(builder, "Hero.Mana"), .amount = kn_constant(40.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(8.0f);
    cooldown.key = scene_tag(builder, "Cooldown.Meteor");
    kn_tag tag = scene_tag(builder, "Ability.Meteor");
    kn_ability_def def = kit_ability("GA_Meteor", HERO_INPUT_METEOR, blocked, meteor);
    def.tags = ONE_TAG(tag);
    def.state_size = sizeof(kn_vec3);
    def.costs = &mana;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.task_done = meteor_done;
    declare_ability(builder, &def);
}

static void declare_abilities(scene_builder *builder)
{
    kn_tag stops[2] = {scene_tag(builder, "State.Stunned"), scene_tag(builder, "State.Dead")};
    kn_tags blocked = TAGS(stops);
    kn_attribute_id stamina = scene_find_attribute(builder, "Hero.Stamina");
    kn_ability_def jump_def = kit_ability("GA_Jump", HERO_INPUT_JUMP, blocked, jump);
    jump_def.instancing = KN_INSTANCING_NONE;
    declare_ability(builder, &jump_def);
    declare_gun(builder, blocked);

    kn_ability_def aim_def = kit_ability("GA_Aim", HERO_INPUT_AIM, blocked, aim);
    aim_def.state_size = sizeof(kn_effect_id);
    aim_def.task_done = aim_done;
    aim_def.ended = let_go;
    declare_ability(builder, &aim_def);

    kn_cost_def drain = {.attribute = stamina, .amount = kn_constant(5.0f)};
    kn_ability_def sprint_def = kit_ability("GA_Sprint", HERO_INPUT_SPRINT, blocked, sprint);
    sprint_def.state_size = sizeof(kn_effect_id);
    sprint_def.costs = &drain;
    sprint_def.cost_count = 1;
    sprint_def.task_done = sprint_done;
    sprint_def.ended = let_go;
    declare_ability(builder, &sprint_def);

    kn_cost_def effort = {.attribute = stamina, .amount = kn_constant(25.0f)};
    kn_cooldown_def rest = kn_cooldown_seconds(2.0f);
    rest.charges = kn_constant(2.0f);
    kn_ability_def dash_def = kit_ability("GA_Dash", HERO_INPUT_DASH, blocked, dash);
    dash_def.costs = &effort;
    dash_def.cost_count = 1;
    dash_def.cooldowns = &rest;
    dash_def.cooldown_count = 1;
    dash_def.task_done = dash_done;
    declare_ability(builder, &dash_def);

    kn_ability_def armour_def = kn_ability_def_default();
    armour_def.name = "GA_PassiveArmour";
    kn_tag passive = scene_tag(builder, "Ability.Passive");
    armour_def.tags = ONE_TAG(passive);
    armour_def.activate = grow_armour;
    armour_def.task_done = armour_done;
    armour_def.activates_on_grant = true;
    armour_def.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    declare_ability(builder, &armour_def);
    declare_meteor(builder, blocked);
}

static void declare_set(scene_builder *builder)
{
    static const char *const names[] = {
        "GA_Jump", "GA_FireGun", "GA_Aim", "GA_Sprint", "GA_Dash", "GA_PassiveArmour", "GA_Meteor"};
    kn_ability_set_entry entries[COUNT_OF(names)];
    for (uint32_t i = 0; i < COUNT_OF(names); i++) {
        entries[i] =
            (kn_ability_set_entry){.type = kn_ability_type_find(builder->library, names[i]),
                .level = 1.0f,
                .input = KN_INPUT_FROM_DEF};
    }
    kn_ability_set_def def = kn_ability_set_def_default();
    def.name = "Hero";
    def.entries = entries;
    def.entry_count = COUNT_OF(names);
    kn_ability_set_id set;
    if (builder->result == KN_OK) {
        scene_note(builder, kn_ability_set_register(builder->library, &def, &set, &builder->error));
    }
}

static void stun_cancels(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    cancel_actions(world, reaction->entity);
}

void hero_kit_declare_minds(scene_builder *builder)
{
    if (builder->result == KN_OK) {
        scene_note(builder, kn_grid_register(builder->library, NULL, &builder->error));
    }
    scene_timer(builder, TIMER_HERO, "Hero", think);
    scene_timer(builder, TIMER_MINION, "Minion", minion_acts);
}

static void declare(scene_builder *builder)
{
    static const char *const tags[] = {"State.Dead", "Data.Damage", "Data.Gold", "Data.XP",
        "Event.Hurt", "GameplayCue.Number", "GameplayCue.Impact", "GameplayCue.Jump",
        "GameplayCue.Meteor"};
    for (uint32_t i = 0; i < COUNT_OF(tags); i++) {
        scene_tag(builder, tags[i]);
    }
    if (builder->result == KN_OK) {
        scene_note(builder, kn_ability_fail_tags_register(builder->library, &builder->error));
        scene_note(builder,
            kn_ability_dead_tag_set(builder->library, kn_tag_find(builder->library, "State.Dead")));
    }
    declare_attributes(builder);
    declare_regeneration(builder);
    declare_damage(builder);
    declare_states(builder);
    declare_abilities(builder);
    declare_set(builder);
    kn_rule_def stun = scene_rule_def("StunCancels", KN_TRIGGER_TAG_ADDED, stun_cancels);
    stun.tag = scene_tag(builder, "State.Stunned");
    scene_rule(builder, &stun);
    hero_kit_declare_minds(builder);
    scene_timer(builder, TIMER_RESPAWN, "Respawn", respawn);
}

// Populating ----------------------------------------------------------------

static void start_mind(scene_stage *stage, const char *timer, kn_entity_id entity, kn_time delay)
{
    kn_timer_id started;
    kn_timer_type_id type = kn_timer_type_find(stage->library, timer);
    scene_act(stage, kn_timer_start(stage->world, type, entity, delay, NULL, &started));
}

static kn_entity_id add_actor(scene_stage *stage, hero_side side, kn_vec3 position)
{
    kn_entity_id entity = scene_actor(stage, "Hero");
    if (stage->result != KN_OK) {
        return entity;
    }
    scene_act(stage, kn_entity_set_user(stage->world, entity, side));
    kn_body *body = kn_component_add(stage->world, body_type(stage->world), entity);
    if (body == NULL) {
        scene_act(stage, KN_ERROR_OUT_OF_MEMORY);
        return entity;
    }
    *body = kn_body_default();
    body->position = position;
    body->radius = 30.0f;
    scene_apply(stage, "GE_Regen", entity, entity, 1.0f);
    return entity;
}

kn_entity_id hero_kit_add_hero(scene_stage *stage, hero_side side, kn_vec3 position, bool thinks)
{
    kn_entity_id hero = add_actor(stage, side, position);
    if (stage->result == KN_OK) {
        kn_ability_set_id set = kn_ability_set_find(stage->library, "Hero");
        scene_act(stage, kn_ability_set_grant(stage->world, hero, set, NULL, 0));
        scene_act(stage, kn_input_bind(stage->world, hero, HERO_INPUT_CONFIRM, HERO_INPUT_CANCEL));
        if (thinks) {
            // Not all at the same moment.
            kn_time phase = KN_MS(7) * (kn_time)(hero.index1 % 29);
            start_mind(stage, "Hero", hero, THINK_TIME + phase);
        }
    }
    return hero;
}

kn_entity_id hero_kit_add_minion(
    scene_stage *stage, hero_side side, kn_vec3 position, bool is_red, bool thinks)
{
    kn_entity_id minion = add_actor(stage, side, position);
    if (stage->result == KN_OK) {
        const char *name = is_red ? "Hero.HealthRegen" : "Hero.MaxHealth";
        kn_attribute_id attribute = kn_attribute_find(stage->library, name);
        scene_act(
            stage, kn_attribute_init(stage->world, minion, attribute, 0, is_red ? 4.0f : 160.0f));
        if (!is_red) {
            scene_act(stage, kn_attribute_init(stage->world, minion,
                                 kn_attribute_find(stage->library, "Hero.Health"), 0, 160.0f));
        }
        if (thinks) {
            kn_time phase = KN_MS(11) * (kn_time)(minion.index1 % 53);
            start_mind(stage, "Minion", minion, MINION_TIME + phase);
        }
    }
    return minion;
}

static void populate(scene_stage *stage)
{
    for (uint32_t i = 0; i < 4; i++) {
        float y = 200.0f * (float)i;
        hero_kit_add_hero(stage, HERO_SIDE_LEFT, (kn_vec3){-700.0f, y, 0.0f}, true);
        hero_kit_add_hero(stage, HERO_SIDE_RIGHT, (kn_vec3){700.0f, y, 0.0f}, true);
        hero_kit_add_minion(stage, HERO_SIDE_LEFT, (kn_vec3){-500.0f, y, 0.0f}, i % 2 == 0, true);
        hero_kit_add_minion(stage, HERO_SIDE_RIGHT, (kn_vec3){500.0f, y, 0.0f}, i % 2 != 0, true);
    }
}

const scene_info scene_hero_kit = {
    .name = "hero_kit",
    .summary = "heroes with guns, dashes and meteors, and minions",
    .declare = declare,
    .populate = populate,
    .seconds = 30,
};
