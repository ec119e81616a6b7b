// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Abilities whose bodies are scripts: state, waits, continuations by name, errors.

#include "scenario/ability_replay.h"
#include "scenario/script_fixture.h"

static const char *const meteor =
    "ability 'Meteor' {\n"
    "    state = { hits = kn.u32, power = kn.f32(1.5), where = kn.vec3, who = kn.entity },\n"
    "    activate = function(self)\n"
    "        self.state.hits = self.state.hits + 1\n"
    "        self.state.who = self.owner\n"
    "        self.state.where = {x = 1, y = 2, z = 3.5}\n"
    "        print('start', self.state.hits, self.state.power)\n"
    "        self:wait(0.5, 'land')\n"
    "    end,\n"
    "    land = function(self, result)\n"
    "        self.state.power = self.state.power * 2\n"
    "        print('land', result.kind, result.output, self.state.power, self.state.where.z,\n"
    "            self.state.who == self.owner, world.now())\n"
    "        self:wait(0.25, 'leave')\n"
    "    end,\n"
    "    leave = function(self)\n"
    "        print('leave', self.state.hits, self.state.power)\n"
    "        self:finish()\n"
    "    end,\n"
    "    ended = function(self, reason) print('ended', reason) end,\n"
    "}\n";

static void a_script_keeps_its_state_across_waits(void **state)
{
    fixture *f = *state;
    load(meteor);
    kn_ability_type_id type = bound(f, "Meteor");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "start\t1\t1.5. ");
    check_replay(f, KN_MS(600));
    step(f, KN_MS(500));
    EXPECT_LOG(f, "land\tdelay\tfired\t3.0\t3.5\ttrue\t0.5. ");
    check_replay(f, KN_MS(600));
    step(f, KN_MS(500));
    EXPECT_LOG(f, "leave\t1\t3.0. ended\tended. ");
    expect_no_error();
}

// Every hook ----------------------------------------------------------------

static void every_hook_is_called(void **state)
{
    fixture *f = *state;
    register_tag(f, "Event.Go");
    load("ability 'All' {\n"
         "  activate = function(self) print('activate', self.has_event, self.event) end,\n"
         "  activate_by_event = function(self, event)\n"
         "    print('by_event', event.tag, event.magnitude, self.event.magnitude, self.has_event)\n"
         "  end,\n"
         "  pre_activate = function(self) print('pre', self.activation ~= nil) end,\n"
         "  ended = function(self, reason) print('ended', reason) end,\n"
         "  can_activate = function(self, event) return not event or event.magnitude > 1 end,\n"
         "  responds = function(self, event) return event.magnitude < 100 end,\n"
         "  granted = function(self) print('granted', self.level, self.activation) end,\n"
         "  removed = function(self) print('removed') end,\n"
         "  avatar_set = function(self) print('avatar', self.avatar ~= self.owner) end,\n"
         "  level_changed = function(self, old) print('level', old, self.level) end,\n"
         "  input_pressed = function(self) print('pressed') end,\n"
         "  input_released = function(self) print('released') self:finish() end,\n"
         "}");
    kn_ability_def def = kn_ability_def_default();
    kn_trigger_def trigger = {tag_of(f, "Event.Go"), KN_TRIGGER_SOURCE_EVENT, 0};
    def.triggers = &trigger;
    def.trigger_count = 1;
    def.input = 1;
    assert_int_equal(kn_script_bind_ability(the_script, "All", &def, NULL), KN_OK);
    assert_string_equal(def.name, "All");
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id ability = grant(f, type);
    EXPECT_LOG(f, "granted\t1.0\tnil. avatar\tfalse. ");
    assert_int_equal(kn_ability_set_level(f->world, &ability, 3.0f), KN_OK);
    kn_entity_id body = entity_create(f);
    assert_int_equal(kn_entity_set_avatar(f->world, f->hero, body), KN_OK);
    EXPECT_LOG(f, "level\t1.0\t3.0. avatar\ttrue. ");
    assert_int_equal(kn_input_press(f->world, f->hero, 1), KN_OK);
    assert_int_equal(kn_input_release(f->world, f->hero, 1), KN_OK);
    EXPECT_LOG(f, "pre\ttrue. activate\tfalse\tnil. released. ended\tended. ");
    const float magnitudes[3] = {1.0f, 200.0f, 2.5f};
    for (uint32_t i = 0; i < 3; i++) {
        kn_event_record record = kn_event_record_default();
        record.magnitude = magnitudes[i];
        assert_int_equal(kn_event_send(f->world, f->hero, tag_of(f, "Event.Go"), &record), KN_OK);
    }
    EXPECT_LOG(f, "pre\ttrue. by_event\tEvent.Go\t2.5\t2.5\ttrue. ");
    assert_int_equal(kn_input_press(f->world, f->hero, 1), KN_OK);
    assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
    EXPECT_LOG(f, "pressed. ended\tremoved. removed. ");
    expect_no_error();
}

static void returning_false_refuses(void **state)
{
    fixture *f = *state;
    load("ability 'No' { activate = function(self) return false end }\n"
         "ability 'Why' { activate = function(self) return false, 'cost' end }\n"
         "ability 'Pay' { activate = function(self) return self:commit() end,\n"
         "  ended = function(self, reason) print(reason) end }");
    kn_ability_type_id no = bound(f, "No"), why = bound(f, "Why");
    kn_cost_def cost = {.attribute = f->mana, .amount = kn_constant(60.0f)};
    kn_ability_def def = kn_ability_def_default();
    def.costs = &cost;
    def.cost_count = 1;
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    assert_int_equal(kn_script_bind_ability(the_script, "Pay", &def, NULL), KN_OK);
    kn_ability_type_id pay = ability_register(f, &def);
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, no), NULL, NULL), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_ability_activate(f->world, grant(f, why), NULL, NULL), KN_REFUSED_COST);
    kn_ability_id paid = grant(f, pay);
    activate(f, paid);
    assert_float_equal(value_of(f, f->mana), 40.0f, 0.0f);
    assert_int_equal(kn_ability_activate(f->world, paid, NULL, NULL), KN_REFUSED_COST);
    expect_no_error();
}

// Errors --------------------------------------------------------------------

// BEY-046: of Lua, also in `ended`.
static void an_error_in_a_hook_cancels_what_runs(void **state)
{
    fixture *f = *state;
    static const char *const names[4] = {"InWait", "InPre", "InBody", "InInput"};
    load("ability 'InWait' { activate = function(self)\n"
         "    self:set_cancelable(false) self:wait(0.1, 'go') end,\n"
         "  go = function(self) local x = nil + 1 end,\n"
         "  ended = function(self, reason) print('wait', reason) end }\n"
         "ability 'InPre' { pre_activate = function() error('pre') end,\n"
         "  activate = function() print('never') end,\n"
         "  ended = function(self, reason) print('pre', reason) end }\n"
         "ability 'InBody' { activate = function() error('body') end,\n"
         "  ended = function(self, reason) print('body', reason) error('ended') end }\n"
         "ability 'InInput' { activate = function() end, input_pressed = function() error('in') "
         "end,\n"
         "  ended = function(self, reason) print('input', reason) end }");
    kn_ability_type_id types[4];
    for (uint32_t i = 0; i < 4; i++) {
        kn_ability_def def = kn_ability_def_default();
        def.input = i + 1;
        assert_int_equal(kn_script_bind_ability(the_script, names[i], &def, NULL), KN_OK);
        types[i] = ability_register(f, &def);
    }
    kn_world_def def = kn_world_def_default();
    begin_with(f, def);
    activate(f, grant(f, types[0]));
    check_replay(f, KN_S(1));
    step(f, KN_S(1));
    EXPECT_LOG(f, "wait\tcancelled. ");
    EXPECT_ERROR("ability InWait.go: test.lua:3:");
    (void)kn_ability_activate(f->world, grant(f, types[1]), NULL, NULL);
    EXPECT_LOG(f, "pre\tcancelled. ");
    assert_int_equal(
        kn_ability_activate(f->world, grant(f, types[2]), NULL, NULL), KN_ERROR_BAD_DATA);
    EXPECT_LOG(f, "body\tfailed. ");
    EXPECT_ERROR("ability InBody.ended");
    (void)grant(f, types[3]);
    assert_int_equal(kn_input_press(f->world, f->hero, 4), KN_OK);
    assert_int_equal(kn_input_press(f->world, f->hero, 4), KN_OK);
    EXPECT_LOG(f, "input\tcancelled. ");
    step(f, KN_S(1));
    assert_int_equal(kn_activations(f->world, f->hero, NULL, 0), 0);
}

static void questions_that_fail_are_answered_no(void **state)
{
    fixture *f = *state;
    load("ability 'Ask' { activate = function() end, can_activate = function() error('no') end }\n"
         "ability 'Write' { activate = function() end,\n"
         "  can_activate = function(self) self.owner:destroy() return true end }");
    kn_ability_type_id ask = bound(f, "Ask"), write = bound(f, "Write");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, ask), NULL, NULL), KN_REFUSED_CUSTOM);
    assert_int_equal(kn_ability_activate(f->world, grant(f, write), NULL, NULL), KN_REFUSED_CUSTOM);
    EXPECT_ERROR("`destroy` changes the world, but this call may only read");
    assert_true(kn_entity_is_alive(f->world, f->hero));
}

static void wrong_uses_of_state_name_the_line(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *body, *message;
    } wrong[] = {
        {"self.state.nothing = 1", "test.lua:4: the state has no field `nothing`"},
        {"self.state.n = -1", "`n` takes an integer from 0 to 255, got -1"},
        {"self.state.n = 256", "`n` takes an integer from 0 to 255"},
        {"self.state.n = 1.5", "`n` takes an integer"},
        {"self.state.n = '1'", "`n` takes an integer"},
        {"self.state.f = 0/0", "`f` takes a number, got nan"},
        {"self.state.e = self.ability", "`e` takes an id of kind entity"},
        {"self.state.e = 5", "`e` takes an id of kind entity"},
        {"self.state.v = {x = 1}", "`v` takes {x =, y =, z =}"},
        {"self.state.a = {}", "`a` is an array"},
        {"self.state.a[0] = 1", "`a` has elements 1 to 3, not 0"},
        {"self.state.a[4] = 1", "`a` has elements 1 to 3, not 4"},
        {"local x = self.state.a.b", "`a` has elements"},
        {"self.state.t = 'No.Such'", "there is no tag `No.Such`"},
        {"self.owner = nil", "self.owner cannot be assigned"},
        {"local x = self.nothing", "self has no `nothing` here"},
        {"self.owner:nothing()", "an id of kind entity has no `nothing`"},
        {"local x = (5):is_alive()", "a number that is not an id has no `is_alive`"},
        {"self:wait(1, 'nowhere')", "`nowhere` is not a function of the definition"},
        {"self:wait('a')", "`seconds` takes a number of seconds, got string"},
        {"self:wait(-1)", "a time is negative"},
        {"self:task('event')", "lacks a required option"},
        {"self:task('fly')", "`kind` does not take `fly`"},
        {"self:task('delay', nil, {dely = 1})", "there is no option `dely`"},
        {"self:commit(1)", "takes a tag or an array of tags"},
        {"self:commit().x = 1", "attempt to index"},
        {"self.commit(self.owner)", "id of kind activation"},
        {"world.sphere({x = 0, y = 0, z = 0}, 1, 5)", "`filter` takes a table"},
        {"self.owner:has_tag('Statos.Wet')", "there is no tag `Statos.Wet`"},
        {"self.owner:apply('Nothing')", "there is no effect `Nothing`"},
        {"self.owner.is_alive(self.ability)", "takes an id of kind entity"},
    };
    char text[16384] = "";
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        (void)snprintf(text, sizeof(text),
            "ability 'W%u' {\n state = {n = kn.u8, f = kn.f32, e = kn.entity, v = kn.vec3,\n"
            "  a = kn.array(kn.i32, 3), t = kn.tag}, activate = function(self)\n %s\nend }",
            (unsigned)i, wrong[i].body);
        load(text);
    }
    kn_ability_type_id types[64];
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "W%u", (unsigned)i);
        types[i] = bound(f, name);
    }
    kn_world_def def = kn_world_def_default();
    begin_with(f, def);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        last_error[0] = 0;
        assert_int_equal(
            kn_ability_activate(f->world, grant(f, types[i]), NULL, NULL), KN_ERROR_BAD_DATA);
        EXPECT_ERROR(wrong[i].message);
        EXPECT_ERROR("test.lua:4");
    }
    step(f, KN_MS(10));
}

// Tasks ---------------------------------------------------------------------

static void register_for_tasks(fixture *f)
{
    static const char *const tags[] = {"Event.Hit", "State.Wet", "State.Dry", "Ability.Other",
        "GameplayCue.Glow", "Notify.Strike", "Motion.Dash"};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        register_tag(f, tags[i]);
    }
    kn_effect_def mark = infinite("Mark");
    mark.stacking.kind = KN_STACK_BY_TARGET;
    (void)effect_register(f, &mark);
    kn_notify_def notify = {0.2f, tag_of(f, "Notify.Strike")};
    kn_animation_def swing = kn_animation_def_default();
    swing.name = "Swing";
    swing.length = 0.5f;
    swing.blend_out = 0.1f;
    swing.notifies = &notify;
    swing.notify_count = 1;
    kn_animation_id animation;
    assert_int_equal(kn_animation_register(f->library, &swing, &animation, NULL), KN_OK);
    kn_targeting_def self_def = kn_targeting_def_default();
    self_def.name = "Self";
    self_def.shape = KN_SHAPE_SELF;
    self_def.includes_self = true;
    kn_targeting_id targeting;
    assert_int_equal(kn_targeting_register(f->library, &self_def, &targeting, NULL), KN_OK);
    kn_name name;
    assert_int_equal(kn_name_register(f->library, "part", &name, NULL), KN_OK);
    kn_ability_def other = ability_def(f, "Other");
    other.tags = tags_of(f, "Ability.Other");
    other.activate = NULL;
    other.ended = NULL;
    (void)ability_register(f, &other);
}

// A script that runs one task of a kind, and then makes happen what it waits for.
typedef struct kind_case {
    const char *kind, *options, *cause, *expected;
    kn_time wait;
} kind_case;

static const kind_case kind_cases[] = {
    {"delay", "{delay = 0.1}", "", "delay fired", KN_MS(100)},
    {"repeat", "{interval = 0.1, count = 1}", "", "repeat fired index=1 is_last=true", KN_MS(100)},
    {"event", "{tag = 'Event.Hit'}", "o:send('Event.Hit', {magnitude = 2})",
        "event fired event=2.0", 0},
    {"tag_added", "{tag = 'State.Wet'}", "o:add_tag('State.Wet')",
        "tag_added fired is_there=true tag=State.Wet", 0},
    {"tag_removed", "{tag = 'State.Dry'}", "", "tag_removed fired is_there=false tag=State.Dry", 0},
    {"tag_query", "{query = 'any_tags(State.Wet)'}", "o:add_tag('State.Wet')",
        "tag_query fired is_there=true", 0},
    {"attribute", "{attribute = 'Vitals.Mana'}", "o:set_base('Vitals.Mana', 5)",
        "attribute fired attribute=Vitals.Mana new_value=5.0 old_value=100.0", 0},
    {"threshold",
        "{attribute = 'Vitals.Mana', compare = 'less', value = 0.5, relative_to = "
        "'Vitals.MaxHealth'}",
        "o:set_base('Vitals.Mana', 5)",
        "threshold fired attribute=Vitals.Mana new_value=5.0 old_value=100.0", 0},
    {"effect_applied", "{effect_type = 'Mark'}", "o:apply('Mark')",
        "effect_applied fired count=1 effect=id old_count=0 type=Mark", 0},
    {"effect_removed", "{effect_type = 'Mark'}", "o:apply('Mark'):remove()",
        "effect_removed fired count=0 effect=id old_count=1 reason=by_call type=Mark", 0},
    {"effect_stacks", "{effect_type = 'Mark'}", "o:apply('Mark') o:apply('Mark')",
        "effect_stacks fired count=2 effect=id old_count=1 type=Mark", 0},
    {"ability_activated", "{tags = {'Ability.Other'}}", "o:grant('Other'):activate()",
        "ability_activated fired ability=id activation=id", 0},
    {"ability_committed", "{tags = 'Ability.Other'}", "o:grant('Other'):activate():commit()",
        "ability_committed fired ability=id activation=id", 0},
    {"ability_ended", "{}", "o:grant('Other'):activate():finish()",
        "ability_ended fired ability=id activation=id number=0.0 reason=ended", 0},
    {"input_pressed", "{}", "o:press(9)", "input_pressed fired held=0.0", 0},
    {"input_released", "{}", "o:press(9) o:release(9)", "input_released fired held=0.0", 0},
    {"confirm", "{}", "o:confirm()", "confirm confirmed", 0},
    {"overlap", "{}", "o:overlap(o)", "overlap fired entity=id", 0},
    {"movement", "{mode = 3}", "o:movement_mode(3)", "movement fired mode=3", 0},
    {"animation", "{animation = 'Swing'}", "", "animation notify is_there=false tag=Notify.Strike",
        KN_MS(200)},
    {"spawn", "{user = 7}", "", "spawn fired entity=id", 0},
    {"motion",
        "{motion = {kind = 'move_to', destination = {x = 1, y = 0, z = 0}, duration = 0.2, "
        "tag = 'Motion.Dash'}}",
        "", "motion finished", KN_MS(200)},
    {"state", "{name = 'part', timeout = 0.1}", "", "state timed_out", KN_MS(100)},
    {"net_sync", "{}", "", "net_sync fired", 0},
    {"target", "{targeting = 'Self', confirm = 'instant'}", "", "target fired targets=1", 0},
    {"cue", "{tag = 'GameplayCue.Glow', timeout = 0.1}", "", "cue timed_out", KN_MS(100)},
};

// "kind output field=value ...", fields by name, ids as "id".
static const char *const describe =
    "function describe(r)\n"
    "  local s = r.kind .. ' ' .. tostring(r.output)\n"
    "  for k, v in pairs(r) do\n"
    "    if k == 'event' then v = v.magnitude end\n"
    "    if k == 'targets' then v = #v end\n"
    "    if k == 'effect' or k == 'ability' or k == 'activation' or k == 'entity' then v = 'id' "
    "end\n"
    "    if k ~= 'kind' and k ~= 'output' and k ~= 'task' and k ~= 'name' then\n"
    "      s = s .. ' ' .. k .. '=' .. tostring(v)\n"
    "    end\n"
    "  end\n"
    "  return s\n"
    "end\n";

static void every_kind_of_task_is_in_reach(void **state)
{
    fixture *f = *state;
    enum { COUNT = sizeof(kind_cases) / sizeof(kind_cases[0]) };
    assert_int_equal(COUNT, KN_TASK_KIND_COUNT - 2); // all but the custom one, which has its own
    register_for_tasks(f);
    load(describe);
    kn_ability_type_id types[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        char text[1024], name[8];
        (void)snprintf(name, sizeof(name), "K%u", i);
        (void)snprintf(text, sizeof(text),
            "ability '%s' {\n"
            "  activate = function(self)\n"
            "    assert(self:task('%s', 'told', %s))\n"
            "    self:wait(0, 'cause')\n"
            "  end,\n"
            "  cause = function(self) local o = self.owner %s end,\n"
            "  told = function(self, result) print(describe(result)) self:finish() end,\n"
            "}",
            name, kind_cases[i].kind, kind_cases[i].options, kind_cases[i].cause);
        load(text);
        kn_ability_def def = kn_ability_def_default();
        def.input = 9;
        def.no_activation_by_input = true;
        assert_int_equal(kn_script_bind_ability(the_script, name, &def, NULL), KN_OK);
        types[i] = ability_register(f, &def);
    }
    begin(f);
    for (uint32_t i = 0; i < COUNT; i++) {
        set_base(f, f->hero, f->mana, 100.0f);
        kn_ability_id ability = grant(f, types[i]);
        kn_result result = kn_ability_activate(f->world, ability, NULL, NULL);
        if (result != KN_OK) {
            fail_msg("%s: %s", kind_cases[i].kind, last_error);
        }
        check_replay(f, kind_cases[i].wait);
        step(f, kind_cases[i].wait);
        char expected[256];
        (void)snprintf(expected, sizeof(expected), "%s. ", kind_cases[i].expected);
        EXPECT_LOG(f, expected);
        assert_int_equal(kn_ability_remove(f->world, ability, KN_GRANT_CANCEL), KN_OK);
        (void)kn_abilities_remove(f->world, f->hero, NULL, KN_GRANT_CANCEL);
        (void)kn_entity_set_tag_count(
            f->world, f->hero, tag_of(f, "State.Wet"), KN_TAG_ORIGIN_LOOSE, 0);
        kn_effect_query query = kn_effect_query_default();
        query.type = kn_effect_type_find(f->library, "Mark");
        (void)kn_effects_remove(f->world, f->hero, &query, 0, KN_REMOVED_BY_CALL, NULL);
    }
    expect_no_error();
}

// Sync points of abilities and of custom tasks, on a server that waits for nobody's signal.
static void sync_points_are_in_reach(void **state)
{
    fixture *f = *state;
    load("task 'Meet' {\n"
         "  start = function(self) assert(self:sync('both_wait', 0.25)) end,\n"
         "  synced = function(self, is_in_time)\n"
         "    print('synced', is_in_time, world.key())\n"
         "    self:tell(1)\n"
         "  end }\n"
         "ability 'Meeting' {\n"
         "  activate = function(self)\n"
         "    print(world.is_predicting())\n"
         "    assert(self:task('custom', 'met', {type = 'Meet'}))\n"
         "  end,\n"
         "  met = function(self)\n"
         "    assert(self:task('net_sync', 'missed', {timeout = 0.1, sync = 'server_waits',\n"
         "      sync_expiry = 'cancel'}))\n"
         "  end,\n"
         "  missed = function(self) print('never') end,\n"
         "  ended = function(self, reason) print(reason) end,\n"
         "}");
    kn_task_type_def task = kn_task_type_def_default();
    assert_int_equal(kn_script_bind_task(the_script, "Meet", &task, NULL), KN_OK);
    kn_task_type_id task_type;
    assert_int_equal(kn_task_type_register(f->library, &task, &task_type, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Meeting");
    begin(f);
    kn_ability_id ability = grant(f, type);
    assert_int_equal(kn_entity_set_connection(f->world, f->hero, 4), KN_OK);
    kn_command_activate payload = {.ability = ability};
    kn_command command = {.type = kn_command_type_activate(),
        .connection = 4,
        .sequence = 17,
        .entity = f->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    assert_int_equal(kn_world_command(f->world, &command, NULL), KN_OK);
    step(f, KN_MS(240));
    EXPECT_LOG(f, "false. ");
    step(f, KN_MS(20));
    EXPECT_LOG(f, "synced\tfalse\t4\t17. ");
    step(f, KN_MS(100));
    EXPECT_LOG(f, "cancelled. ");
    expect_no_error();
}

static void shorthands_wait_as_well(void **state)
{
    fixture *f = *state;
    register_for_tasks(f);
    load(describe);
    load("ability 'Short' {\n"
         "  activate = function(self)\n"
         "    self:wait_event('Event.Hit', 'told')\n"
         "    self:wait_tag('State.Wet', 'told', {timeout = 0.1})\n"
         "    self:wait_no_tag('State.Dry', 'told')\n"
         "    self:wait_release('told')\n"
         "    self:every(0.2, 'told', 2)\n"
         "    local swing = self:play('Swing', 'told', {rate = 2})\n"
         "    self:aim('Self', 'told', {confirm = 'custom'})\n"
         "    self:move({kind = 'force', strength = 1, duration = 0.1}, 'told')\n"
         "    self:wait(0.3)\n"
         "    print(#self:tasks(), swing:info().kind, swing:is_alive(), swing:stop(), "
         "swing:is_alive(), swing:stop())\n"
         "  end,\n"
         "  told = function(self, result) print(describe(result)) end,\n"
         "  on_task = function(self, result) print('on_task', result.kind, result.output) end,\n"
         "}");
    kn_ability_type_id type = bound(f, "Short");
    begin(f);
    activate(f, grant(f, type));
    EXPECT_LOG(f, "9\tanimation\ttrue\ttrue\tfalse\tnil\tstale_id. tag_removed fired "
                  "is_there=false tag=State.Dry. input_released fired held=0.0. ");
    check_replay(f, KN_S(1));
    step(f, KN_S(1));
    EXPECT_LOG(f, "tag_added timed_out. motion finished. repeat fired index=1 is_last=false. "
                  "on_task\tdelay\tfired. repeat fired index=2 is_last=true. ");
    expect_no_error();
}

static void lists_of_what_runs_are_whole(void **state)
{
    fixture *f = *state;
    load("ability 'Many' { activate = function(self)\n"
         "  for i = 1, 300 do self:wait(i) end\n"
         "  local tasks = self:tasks()\n"
         "  print(#tasks, tasks[300]:info().due, #self.activation:tasks())\n"
         "end }\n"
         "ability 'Count' { activate = function(self)\n"
         "  local all = self.owner:activations()\n"
         "  print(#all, all[#all] == self.activation)\n"
         "end }");
    kn_ability_type_id many = bound(f, "Many");
    kn_ability_def def = kn_ability_def_default();
    def.instancing = KN_INSTANCING_PER_EXECUTION;
    assert_int_equal(kn_script_bind_ability(the_script, "Count", &def, NULL), KN_OK);
    kn_ability_type_id count = ability_register(f, &def);
    begin(f);
    activate(f, grant(f, many));
    EXPECT_LOG(f, "300\t300.0\t300. ");
    kn_ability_id counting = grant(f, count);
    for (uint32_t i = 0; i < 300; i++) {
        activate(f, counting);
    }
    f->log[0] = 0;
    activate(f, counting);
    EXPECT_LOG(f, "302\ttrue. ");
    expect_no_error();
}

static void a_grant_for_once_takes_an_event(void **state)
{
    fixture *f = *state;
    register_tag(f, "Event.Hit");
    load("ability 'Echo' { activate = function(self)\n"
         "  local e = self.event\n"
         "  print(self.level, e and e.tag, e and e.magnitude, e and e.target == self.owner)\n"
         "  if e and e.targets then print(#e.targets) end\n"
         "  self:finish()\n"
         "end }\n"
         "ability 'Use' { activate = function(self)\n"
         "  local o = self.owner\n"
         "  assert(o:grant_once('Echo', {level = 2},\n"
         "    {tag = 'Event.Hit', magnitude = 3, target = o, targets = {o, o}}))\n"
         "  assert(o:grant_once('Echo', nil, {magnitude = 4}))\n"
         "  assert(o:grant_once('Echo', {level = 5}))\n"
         "  assert(o:grant_once('Echo'))\n"
         "  o:grant_once('Echo', {level = 6}, {level = 7})\n"
         "end }");
    (void)bound(f, "Echo");
    kn_ability_type_id use = bound(f, "Use");
    begin(f);
    kn_ability_id ability = grant(f, use);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_ERROR_BAD_DATA);
    EXPECT_LOG(f, "2.0\tEvent.Hit\t3.0\ttrue. 2. 1.0\tnil\t4.0\tfalse. "
                  "5.0\tnil\tnil\tnil. 1.0\tnil\tnil\tnil. ");
    EXPECT_ERROR("there is no option `level`");
    assert_int_equal(kn_script_error_count(the_script), 1);
}

static void an_activation_rolls_by_itself(void **state)
{
    fixture *f = *state;
    load("ability 'Roll' { activate = function(self)\n"
         "    local a = self.activation\n"
         "    print(self:random() == a:random(0), self:random(1) == a:random(1),\n"
         "      self:random(1) ~= self:random(2))\n"
         "    print(math.floor(self:random(7) * 16777216))\n"
         "    self:finish()\n"
         "    print(a:random(7))\n"
         "  end }");
    kn_ability_type_id type = bound(f, "Roll");
    begin(f);
    kn_ability_id ability = grant(f, type);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, NULL), KN_OK);
    EXPECT_LOG(f, "true\ttrue\ttrue. 14802793. 0.0. "); // the number is the same everywhere
    expect_no_error();
}

// Errors of the step that was published last, with the time and line of each.
static void note_errors(fixture *f)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_ERROR) {
            assert_int_equal(event->data.error.code, KN_ERROR_BAD_DATA);
            assert_true(kn_entity_id_equal(event->entity, f->hero));
            note(f, "%s:%u@%d ", kn_ability_type_name(f->library, event->data.error.ability),
                event->data.error.detail, (int)(event->time / 1000));
        }
    }
}

static void an_error_of_a_rule_is_an_event_of_its_world(void **state)
{
    fixture *f = *state;
    load("ability 'Bad' { activate = function(self) error('one') end }\n"
         "ability 'Later' {\n"
         "  activate = function(self) self:wait(0.25, 'late') end,\n"
         "  late = function(self)\n"
         "    error('two')\n"
         "  end,\n"
         "}");
    kn_ability_type_id bad = bound(f, "Bad"), later = bound(f, "Later");
    begin(f);
    kn_ability_id first = grant(f, bad);
    activate(f, grant(f, later));
    assert_int_equal(kn_ability_activate(f->world, first, NULL, NULL), KN_ERROR_BAD_DATA);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < 2; i++) {
        f->log[0] = 0;
        step(f, KN_MS(100));
        note_errors(f);
        EXPECT_LOG(f, "Bad:1@0 "); // logged once, though the core reports failing bodies, too
        step(f, KN_MS(200));
        note_errors(f);
        EXPECT_LOG(f, "Later:5@250 ");
        snapshot_restore(f->world, snapshot, size);
    }
    free(snapshot);
}

static void an_error_in_a_question_leaves_no_trace(void **state)
{
    fixture *f = *state;
    load("ability 'Ask' { can_activate = function(self) error('no') end,\n"
         "  activate = function(self) end }");
    kn_ability_type_id type = bound(f, "Ask");
    begin(f);
    kn_ability_id ability = grant(f, type);
    step(f, KN_MS(10));
    assert_int_equal(kn_ability_check(f->world, ability, NULL), KN_FAIL_CUSTOM);
    assert_int_equal(kn_script_error_count(the_script), 1);
    step(f, KN_MS(10));
    assert_int_equal(kn_world_events(f->world).count, 0);
}

// A save of a script that had another handler.
// Options do not replace the arguments after them.
static void arguments_behind_options_may_be_left_out(void **state)
{
    fixture *f = *state;
    load("ability 'Clear' { activate = function(self)\n"
         "  local me = self.owner\n"
         "  for _ = 1, 3 do me:apply('Layers', { source = me, stacks = 2 }) end\n"
         "  print(me:remove_effects({ source = me, type = 'Layers' }), me:count_effects())\n"
         "  me:grant('Clear') me:grant('Clear')\n"
         "  print(me:remove_abilities({ type = 'Clear', ignore = self.activation }))\n"
         "  local spec = me:spec('Layers')\n"
         "  print(spec:set_context({ instigator = me, level = 2 }))\n"
         "end }");
    kn_effect_def layers = infinite("Layers");
    layers.stacking.kind = KN_STACK_BY_SOURCE;
    (void)effect_register(f, &layers);
    kn_ability_type_id type = bound(f, "Clear");
    begin(f);
    activate(f, grant(f, type));
    expect_no_error();
    EXPECT_LOG(f, "1\t0. 2. true. ");
}

static void grants_carry_parameters(void **state)
{
    fixture *f = *state;
    load("ability 'Give' { activate = function(self)\n"
         "  local other = self.owner:grant('Give', { parameters = { Power = 3 } })\n"
         "  print(other:parameter('Power'), other:parameter('Cost', 7))\n"
         "  print(other:set_parameter('Cost', 2), other:parameter('Cost'))\n"
         "end }");
    (void)name_of(f, "Power");
    (void)name_of(f, "Cost");
    kn_ability_type_id type = bound(f, "Give");
    begin(f);
    activate(f, grant(f, type));
    expect_no_error();
    EXPECT_LOG(f, "3.0\t7.0. true\t2.0. ");
}

static void a_save_that_waits_for_a_handler_that_is_gone_ends_in_an_error(void **state)
{
    fixture *f = *state;
    load("ability 'Change' { activate = function(self) self:wait(1, 'old') end,\n"
         "  old = function(self) end }");
    kn_ability_type_id type = bound(f, "Change");
    begin(f);
    activate(f, grant(f, type));
    size_t size;
    void *bytes = save_of(f->world, &size);

    void *one = NULL;
    kn_script *kept = the_script;
    setup(&one);
    fixture *other = one;
    script_begin(other, NULL);
    load("ability 'Change' { activate = function(self) self:wait(1, 'new') end,\n"
         "  new = function(self) end }");
    (void)bound(other, "Change");
    begin(other);
    save_load(other->world, bytes, size);
    step(other, KN_S(2));
    EXPECT_ERROR("a task waits for a handler that the script no longer has");
    assert_int_equal(kn_activations(other->world, f->hero, NULL, 0), 0);
    kn_script_destroy(the_script);
    teardown(&one);
    the_script = kept;
    free(bytes);
}

static void a_script_lives_as_long_as_a_world_needs_it(void **state)
{
    fixture *f = *state;
    load(meteor);
    kn_ability_type_id type = bound(f, "Meteor");
    begin(f);
    activate(f, grant(f, type));
    kn_script_destroy(the_script);
    the_script = NULL;
    kn_library_destroy(f->library);
    f->library = NULL;
    f->log[0] = 0;
    step(f, KN_S(1));
    EXPECT_LOG(f, "land\tdelay\tfired\t3.0\t3.5\ttrue\t0.5. leave\t1\t3.0. ended\tended. ");
}

// Loops in a question, and yes or no as its name says.
static const char askers[] =
    "local function loop() local n = 0 for i = 1, 30000 do n = n + 1 end end\n"
    "ability 'No' { can_activate = function(self) loop() return false end,\n"
    "  activate = function(self) end }\n"
    "ability 'Yes' { can_activate = function(self) loop() return true end,\n"
    "  activate = function(self) end }\n"
    "calculation 'Slow' { calculate = function(self) loop() return -1 end }\n";

static int setup_askers(void **state)
{
    (void)setup(state);
    kn_script_def def = kn_script_def_default();
    def.step_instruction_limit = 180000; // a third question would be too much
    (void)script_begin(*state, &def);
    load(askers);
    return 0;
}

static void no_log(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static kn_world *asked_world(fixture *f, uint64_t mask, kn_log_level level)
{
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.hooks.log_fn = no_log;
    def.event_mask = mask;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    for (uint32_t i = 0; i < KN_LOG_CATEGORY_COUNT; i++) {
        assert_int_equal(kn_log_set_level(world, (kn_log_category)i, level), KN_OK);
    }
    assert_int_equal(kn_entity_create(world, &f->hero), KN_OK);
    assert_int_equal(kn_attribute_set_add(world, f->hero, f->set, 0), KN_OK);
    return world;
}

// A log line about a refusal calls no script again: the budget of scripts is for rules.
static void a_log_spends_nothing_of_a_step(void **state)
{
    fixture *f = *state;
    static const char *const names[2] = {"No", "Yes"};
    kn_ability_type_id types[2];
    for (uint32_t i = 0; i < 2; i++) {
        kn_ability_def def = kn_ability_def_default();
        def.tags = tags_of(f, "Ability.Any");
        assert_int_equal(kn_script_bind_ability(the_script, names[i], &def, NULL), KN_OK);
        types[i] = ability_register(f, &def);
    }
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    for (uint32_t told = 0; told < 2; told++) {
        kn_world *world = asked_world(f, 0, told != 0 ? KN_LOG_VERBOSE : KN_LOG_OFF);
        for (uint32_t i = 0; i < 2; i++) {
            kn_ability_grant_def grant_def = kn_ability_grant_def_default();
            grant_def.type = types[i];
            kn_ability_id ability;
            assert_int_equal(kn_ability_grant(world, f->hero, &grant_def, &ability), KN_OK);
        }
        uint32_t count = 0;
        (void)kn_ability_activate_tags(world, f->hero, tags_of(f, "Ability.Any"), &count);
        assert_int_equal(count, 1);
        kn_world_destroy(world);
    }
    expect_no_error();
}

// Neither do the parameters of cues, which are computed only if the event is requested.
static void a_cue_spends_nothing_of_a_step(void **state)
{
    fixture *f = *state;
    kn_calculation_def calculation = kn_calculation_def_default();
    assert_int_equal(kn_script_bind_calculation(the_script, "Slow", &calculation, NULL), KN_OK);
    kn_calculation_id slow;
    assert_int_equal(kn_calculation_register(f->library, &calculation, &slow, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_calculation(slow);
    kn_effect_def hit = kn_effect_def_default();
    hit.name = "Hit";
    hit.duration_kind = KN_DURATION_INSTANT;
    hit.modifiers = &modifier;
    hit.modifier_count = 1;
    hit.cue_tags = tags_of(f, "GameplayCue.Hit");
    kn_effect_type_id hit_type = effect_register(f, &hit);
    kn_child_def child = kn_child_def_default();
    child.type = hit_type;
    child.when = KN_CHILD_APPLIED;
    kn_child_def children[2] = {child, child};
    kn_effect_def both = kn_effect_def_default();
    both.name = "Both";
    both.duration_kind = KN_DURATION_INSTANT;
    both.children = children;
    both.child_count = 2;
    kn_effect_type_id both_type = effect_register(f, &both);
    assert_int_equal(kn_library_finish(f->library, NULL), KN_OK);
    uint64_t hashes[2];
    for (uint32_t told = 0; told < 2; told++) {
        kn_world *world = asked_world(f, told != 0 ? UINT64_MAX : 0, KN_LOG_OFF);
        assert_int_equal(
            kn_effect_apply_simple(world, both_type, f->hero, f->hero, 1.0f, NULL), KN_OK);
        assert_float_equal(kn_attribute_value(world, f->hero, f->health), 98.0f, 0.0f);
        hashes[told] = kn_world_hash(world);
        kn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
    expect_no_error();
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(a_script_keeps_its_state_across_waits),
    SCRIPTED(every_hook_is_called),
    SCRIPTED(returning_false_refuses),
    SCRIPTED(an_error_in_a_hook_cancels_what_runs),
    SCRIPTED(questions_that_fail_are_answered_no),
    SCRIPTED(wrong_uses_of_state_name_the_line),
    SCRIPTED(every_kind_of_task_is_in_reach),
    SCRIPTED(lists_of_what_runs_are_whole),
    SCRIPTED(a_grant_for_once_takes_an_event),
    SCRIPTED(an_activation_rolls_by_itself),
    SCRIPTED(sync_points_are_in_reach),
    SCRIPTED(shorthands_wait_as_well),
    SCRIPTED(arguments_behind_options_may_be_left_out),
    SCRIPTED(grants_carry_parameters),
    SCRIPTED(an_error_of_a_rule_is_an_event_of_its_world),
    SCRIPTED(an_error_in_a_question_leaves_no_trace),
    SCRIPTED(a_save_that_waits_for_a_handler_that_is_gone_ends_in_an_error),
    SCRIPTED(a_script_lives_as_long_as_a_world_needs_it),
    cmocka_unit_test_setup_teardown(a_log_spends_nothing_of_a_step, setup_askers, teardown_script),
    cmocka_unit_test_setup_teardown(a_cue_spends_nothing_of_a_step, setup_askers, teardown_script),
};

TEST_GROUP(script_abilities, tests, NULL, NULL);
