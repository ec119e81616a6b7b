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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCRIPTED(a_script_keeps_its_state_across_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
