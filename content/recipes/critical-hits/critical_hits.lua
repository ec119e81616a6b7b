-- SPDX-License-Identifier: MIT

local STREAM_CRIT = 3 -- every purpose has its own stream
local DAMAGE = 40

execution "ShotDamage" {
    execute = function(self)
        local damage = DAMAGE
        if self:has_asset_tag("Effect.CanCrit") then
            -- From an ability a client may predict it, and draws the same as the server; otherwise only
            -- the server rolls.
            local drawn = self.activation and self.activation:random() or world.random(STREAM_CRIT)
            if drawn < self:capture(1) then damage = damage + self:capture(2) end
        end
        self:output("Unit.Health", "add", -damage)
    end,
}

-- At the target of the event.
ability "Shoot" {
    activate = function(self)
        self:apply("Shot", self.event.target)
        self:finish()
    end,
}
