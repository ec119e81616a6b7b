-- SPDX-License-Identifier: MIT

-- Passive armour: one plate every four seconds, up to four; every wound takes one.
ability "GA_PassiveArmour" {
    activate = function(self)
        self:every(4, "grow")
        self:wait_event("Event.Hurt", "wear", { repeats = true })
    end,

    grow = function(self) self:apply("GE_Armour", self.owner) end,

    wear = function(self)
        self.owner:remove_effects({ type = "GE_Armour" }, 1, "charges_used")
    end,
}
