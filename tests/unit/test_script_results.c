// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tables that scripts are given have the fields that the reference lists, and no others.

#include "scenario/script_fixture.h"

static char page[1 << 17];
static char fields[1 << 15]; // the same as a table of Lua
#define FIELDS_BEGIN "FIELDS = {"

static void page_add(void *user, const char *text)
{
    size_t *length = user;
    size_t more = strlen(text);
    assert_true(*length + more < sizeof(page));
    memcpy(page + *length, text, more + 1);
    *length += more;
}

static void fields_add(const char *text, size_t length)
{
    size_t at = strlen(fields);
    assert_true(at + length + 1 < sizeof(fields));
    memcpy(fields + at, text, length);
    fields[at + length] = 0;
}

// FIELDS = { effect_info = { type = "string", ... }, ... }
static void fields_read(void)
{
    size_t length = 0;
    kn_script_print_page(KN_SCRIPT_PAGE_MARKDOWN, page_add, &length);
    fields[0] = 0;
    fields_add(FIELDS_BEGIN, strlen(FIELDS_BEGIN));
    const char *end = strstr(page, "\n## Names");
    for (const char *at = strstr(page, "## Tables passed to scripts"); at != NULL && at < end;) {
        size_t line = strcspn(at, "\n");
        if (strncmp(at, "### kn.", 7) == 0) {
            fields_add("}, ", strlen(fields) == strlen(FIELDS_BEGIN) ? 0 : 3);
            fields_add(at + 7, line - 7);
            fields_add(" = {", 4);
        } else if (strncmp(at, "| `", 3) == 0) {
            const char *type = strstr(at, "` | ") + 4;
            fields_add("['", 2);
            fields_add(at + 3, strcspn(at + 3, "`"));
            fields_add("'] = '", 6);
            fields_add(type, (size_t)(strstr(type, " | ") - type));
            fields_add("', ", 3);
        }
        at += line + 1;
    }
    fields_add("}}\n", 3);
}

static const char checks[] =
    "local function optional(type)\n"
    "  return type:sub(-1) == '?' or type:sub(-3) == 'nil'\n"
    "end\n"
    "function check(name, t)\n"
    "  assert(type(t) == 'table', name)\n"
    "  for k in pairs(t) do assert(FIELDS[name][k], name .. '.' .. tostring(k) .. ' is not "
    "listed') "
    "end\n"
    "  for k, v in pairs(FIELDS[name]) do\n"
    "    assert(t[k] ~= nil or optional(v), name .. '.' .. k .. ' is listed and not there')\n"
    "  end\n"
    "  print(name)\n"
    "end\n"
    "function check_result(result)\n"
    "  check('task_result', result)\n"
    "  if result.event then check('event', result.event) end\n"
    "end\n";

static void load_checks(void)
{
    fields_read();
    static char text[sizeof(fields) + sizeof(checks)];
    (void)snprintf(text, sizeof(text), "%s%s", fields, checks);
    load(text);
}

static void infos_have_the_fields_that_are_listed(void **state)
{
    fixture *f = *state;
    load_checks();
    register_tag(f, "Cost.Key");
    kn_effect_def mark = infinite("Mark");
    (void)effect_register(f, &mark);
    register_tag(f, "State.Wet");
    kn_tag wet = kn_tag_find(f->library, "State.Wet");
    mark.name = "Never";
    mark.application.target.required = (kn_tags){&wet, 1};
    (void)effect_register(f, &mark);
    load("ability 'Look' { activate = function(self)\n"
         "  local o = self.owner\n"
         "  local effect = o:apply('Mark', {origin = {x = 1, y = 2, z = 3}})\n"
         "  check('effect_info', effect:info())\n"
         "  check('vec3', effect:info().origin)\n"
         "  local none, why, refusal = o:apply('Never')\n"
         "  assert(none == nil and why == 'requirement')\n"
         "  check('effect_refusal', refusal)\n"
         "  check('ability_info', self.ability:info())\n"
         "  check('task_info', self:wait(1, 'later'):info())\n"
         "  check('cause', world.cause())\n"
         "  check('reason', self.ability:reasons()[1])\n"
         "  check('price', self.ability:quote()[1])\n"
         "  check('cooldown', self.ability:cooldowns()[1])\n"
         "  check('event', self.event)\n"
         "  check('target', self.event.targets[1])\n"
         "end, later = function(self) end }");
    kn_ability_def def = kn_ability_def_default();
    assert_int_equal(kn_script_bind_ability(the_script, "Look", &def, NULL), KN_OK);
    kn_cost_def cost = {.attribute = kn_attribute_find(f->library, "Vitals.Mana")};
    cost.amount = kn_constant(1.0f);
    kn_cooldown_def cooldown = kn_cooldown_seconds(5.0f);
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.instancing = KN_INSTANCING_PER_ACTOR;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_event_record event = kn_event_record_default();
    kn_target_data data = {0};
    kn_target_hit hit = {.entity = f->hero};
    assert_int_equal(kn_target_add(f->library, &data, kn_target_type_hit(), &hit), KN_OK);
    event.data = data.bytes;
    event.data_size = data.size;
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), &event, NULL), KN_OK);
    expect_no_error();
    EXPECT_LOG(f, "effect_info. vec3. effect_refusal. ability_info. task_info. cause. reason. "
                  "price. cooldown. event. "
                  "target. ");
}

// The third result of an application says what is behind its refusal, and so does a spec
// beforehand.
static void refusals_of_effects_say_why(void **state)
{
    fixture *f = *state;
    register_tag(f, "State.Wet");
    register_tag(f, "State.Lit");
    kn_tag wet = kn_tag_find(f->library, "State.Wet"), lit = kn_tag_find(f->library, "State.Lit");
    kn_effect_def burn = instant("Burn");
    burn.application.target.ignored = (kn_tags){&wet, 1};
    burn.application.source.required = (kn_tags){&lit, 1};
    (void)effect_register(f, &burn);
    kn_attribute_condition poor = kn_attribute_condition_default();
    poor.attribute = kn_attribute_find(f->library, "Vitals.Mana");
    poor.has_below = true;
    poor.below = 10.0f;
    kn_effect_def alms = instant("Alms");
    alms.application.attributes = &poor;
    alms.application.attribute_count = 1;
    (void)effect_register(f, &alms);
    load(
        "local function say(none, why, r)\n"
        "  assert(none == nil and why == r.reason)\n"
        "  print(r.text .. '; ' .. r.from)\n"
        "end\n"
        "ability 'Look' { activate = function(self)\n"
        "  local o = self.owner\n"
        "  say(o:apply('Burn', {source = o}))\n"
        "  say(self:apply('Burn', o))\n"
        "  local none, why, r = o:apply('Alms')\n"
        "  assert(r.attribute == 'Vitals.Mana' and r.have == 50 and r.max == 10 and r.min == nil)\n"
        "  assert(r.is_below and not r.is_above and not r.is_absent and r.tag == nil)\n"
        "  local spec = o:spec('Burn')\n"
        "  local reasons = spec:reasons(o)\n"
        "  assert(#reasons == 2 and reasons[2].tag == 'State.Lit' and not reasons[2].is_there)\n"
        "  assert(reasons[1].tag == 'State.Wet' and reasons[1].is_there)\n"
        "  o:remove_tag('State.Wet')\n"
        "  o:add_tag('State.Lit')\n"
        "  assert(#o:spec('Burn'):reasons(o) == 0)\n"
        "  assert(select('#', o:apply('Burn', {source = o})) == 1)\n"
        "  print('fine')\n"
        "end }");
    kn_ability_def def = kn_ability_def_default();
    assert_int_equal(kn_script_bind_ability(the_script, "Look", &def, NULL), KN_OK);
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    add_tag(f, f->hero, wet);
    assert_int_equal(kn_attribute_set_base(
                         f->world, f->hero, kn_attribute_find(f->library, "Vitals.Mana"), 0, 50.0f),
        KN_OK);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_OK);
    expect_no_error();
    EXPECT_LOG(f, "target has State.Wet; target. target has State.Wet; target. fine. ");
}

static void results_of_tasks_have_the_fields_that_are_listed(void **state)
{
    fixture *f = *state;
    load_checks();
    register_tag(f, "Ev");
    register_tag(f, "State.Wet");
    kn_effect_def mark = infinite("Mark");
    (void)effect_register(f, &mark);
    load("ability 'Other' { activate = function(self) self:finish() end }\n"
         "ability 'Wait' { activate = function(self)\n"
         "  self:every(0.1, 'told', 2)\n"
         "  self:wait_event('Ev', 'told')\n"
         "  self:wait_tag('State.Wet', 'told')\n"
         "  self:task('attribute', 'told', {attribute = 'Vitals.Mana'})\n"
         "  self:task('effect_applied', 'told')\n"
         "  self:task('ability_activated', 'told')\n"
         "  self:task('input_pressed', 'told')\n"
         "  self:wait(0.05, 'act')\n"
         "end,\n"
         "act = function(self)\n"
         "  local o = self.owner\n"
         "  o:send('Ev', {magnitude = 1})\n"
         "  o:add_tag('State.Wet')\n"
         "  o:set_base('Vitals.Mana', 3)\n"
         "  o:apply('Mark')\n"
         "  o:activate('Other')\n"
         "end,\n"
         "told = function(self, result) check_result(result) end }");
    kn_ability_type_id other = bound(f, "Other"), type = bound(f, "Wait");
    begin(f);
    (void)grant(f, other);
    activate(f, grant(f, type));
    step(f, KN_MS(400));
    expect_no_error();
    uint32_t count = 0;
    for (const char *at = f->log; (at = strstr(at, "task_result")) != NULL; at++) {
        count++;
    }
    assert_in_range(count, 7, 20);
}

// What wakes a custom task is a table, what a rule reacts to a self with the same fields.
static void reactions_have_the_fields_that_are_listed(void **state)
{
    fixture *f = *state;
    load_checks();
    register_tag(f, "State.Wet");
    load("task 'Soak' {\n"
         "  start = function(self) self:watch('tag_added', 'State.Wet') end,\n"
         "  woken = function(self, reaction)\n"
         "    check('reaction', reaction)\n"
         "    print(reaction.trigger, reaction.tag, reaction.old_count, reaction.new_count)\n"
         "  end }\n"
         "ability 'Swim' { activate = function(self)\n"
         "  self:task('custom', nil, {type = 'Soak'})\n"
         "end }\n"
         "rule 'Drip' { react = function(reaction)\n"
         "  local t = {}\n"
         "  for k in pairs(FIELDS.reaction) do t[k] = reaction[k] end\n"
         "  check('reaction', t)\n"
         "  assert(t.entity == reaction.entity and t.trigger == 'tag_added')\n"
         "end }");
    kn_task_type_def task = kn_task_type_def_default();
    assert_int_equal(kn_script_bind_task(the_script, "Soak", &task, NULL), KN_OK);
    kn_task_type_id task_id;
    assert_int_equal(kn_task_type_register(f->library, &task, &task_id, NULL), KN_OK);
    kn_rule_def rule = kn_rule_def_default();
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = kn_tag_find(f->library, "State.Wet");
    assert_int_equal(kn_script_bind_rule(the_script, "Drip", &rule, NULL), KN_OK);
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(f->library, &rule, &rule_id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "Swim");
    begin(f);
    activate(f, grant(f, type));

    assert_int_equal(kn_entity_add_tag(f->world, f->hero, rule.tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);

    expect_no_error();
    EXPECT_LOG(f, "reaction. reaction. tag_added\tState.Wet\t0\t1. ");
}

static const struct CMUnitTest tests[] = {
    SCRIPTED(infos_have_the_fields_that_are_listed),
    SCRIPTED(refusals_of_effects_say_why),
    SCRIPTED(results_of_tasks_have_the_fields_that_are_listed),
    SCRIPTED(reactions_have_the_fields_that_are_listed),
};

TEST_GROUP(test_script_results, tests, NULL, NULL);
