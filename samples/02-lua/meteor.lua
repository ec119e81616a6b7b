-- SPDX-License-Identifier: MIT

-- How hard a meteor hits: by the Power its caster has.
calculation "Impact" {
    calculate = function(self) return -(20 + 2 * self:capture(1)) end,
}

-- Falls for half a second. Where it was in between is in `state`, which belongs to the world.
ability "Meteor" {
    state = { target = kn.entity },

    activate = function(self)
        if not self:commit() then return false, "cost" end
        self.state.target = self.event.target
        print("a meteor falls")
        self:wait(0.5, "land")
    end,

    land = function(self)
        self:apply("Impact", self.state.target)
        print(string.format("it hits: health %g", self.state.target:value("Vitals.Health")))
        self:finish()
    end,
}

-- Checks ten times a second, and restores mana while some is missing.
ticker "Regeneration" {
    interval = 0.1,
    state = { given = kn.f32 },

    should_start = function(self) return self.entity:value("Vitals.Mana") < 30 end,

    tick = function(self, dt)
        local amount = math.min(20 * dt, 30 - self.entity:value("Vitals.Mana"))
        self.entity:set_base("Vitals.Mana", self.entity:base("Vitals.Mana") + amount)
        self.state.given = self.state.given + amount
    end,

    stopped = function(self) print(string.format("rested: %g mana given", self.state.given)) end,
}
