-- SPDX-License-Identifier: MIT

-- The meteor: aim, confirm, pay, and wait for it to fall.

local REACH = 1500
local RADIUS = 250
local DAMAGE = 45 -- unless the ability was granted with a Data.Damage of its own
local FALL_SECONDS = 1.2

-- Where the nearest foe stands.
targeting "Meteor" {
    find = function(self)
        local foe = field.nearest_foe(self.owner, field.place_of(self.owner), REACH)
        return foe and { { type = "location", position = field.place_of(foe) } }
    end,
}

ability "GA_Meteor" {
    state = { place = kn.vec3 },

    activate = function(self)
        self:aim("Meteor", "aimed", { confirm = "user", timeout = 5 })
    end,

    -- Cancelled, too late, or no mana any more: nothing is paid.
    aimed = function(self, result)
        if result.output == "fired" and self:commit() then
            self.state.place = result.targets[1].position
            self:wait(FALL_SECONDS, "falls")
        else
            self:cancel()
        end
    end,

    falls = function(self)
        local place = self.state.place
        local damage = self.ability:caller_value("Data.Damage", DAMAGE)
        if field.is_authority(self.owner) then
            for _, foe in ipairs(field.foes_within(self.owner, place, RADIUS)) do
                self:apply("GE_Damage", foe, { values = { ["Data.Damage"] = damage } })
                self:apply("GE_Stun", foe)
            end
        end
        self.owner:cue("GameplayCue.Meteor", { location = place })
        self:finish()
    end,
}
