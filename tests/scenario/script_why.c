// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scripts that know why: causes, refusals and ends with reasons.

#include "scenario/script_fixture.h"

static void scripts_walk_the_chain(void **state)
{
    fixture *f = *state;
    kn_effect_def def = infinite("Mark");
    (void)effect_register(f, &def);
    load("rule 'Marked' { react = function(reaction)\n"
         "  local text = ''\n"
         "  for _, cause in ipairs(world.causes()) do\n"
         "    text = text .. ' ' .. cause.kind .. ':' .. (cause.ability or cause.type or '?')\n"
         "  end\n"
         "  print(world.cause().kind .. ' of' .. text)\n"
         "end }\n"
         "ability 'MarkFoe' { can_activate = function(self)\n"
         "  return world.cause() == nil and #world.causes() == 0\n"
         "end, activate = function(self)\n"
         "  self:apply('Mark', self.owner)\n"
         "  print(world.cause().ability, #world.causes())\n"
         "end }");
    kn_rule_def rule = kn_rule_def_default();
    rule.trigger = KN_TRIGGER_EFFECT_APPLIED;
    assert_int_equal(kn_script_bind_rule(the_script, "Marked", &rule, NULL), KN_OK);
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    kn_ability_type_id type = bound(f, "MarkFoe");
    begin(f);
    assert_int_equal(kn_ability_activate(f->world, grant(f, type), NULL, NULL), KN_OK);
    expect_no_error();
    EXPECT_LOG(f, "MarkFoe\t1. rule of rule:Mark apply:Mark ability:MarkFoe. ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPTED(scripts_walk_the_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
