-- SPDX-License-Identifier: MIT
-- Rules that are more than numbers and tags are written in Lua. `script: Mend` in combat.yaml uses this.

-- Heals its owner once a second, at most five times, and stops as soon as no health is missing.
ability "Mend" {
    activate = function(self)
        local paid, why = self:commit()
        if not paid then return false, why end
        self:every(1, "pulse", 5)
    end,

    pulse = function(self, result)
        local owner = self.owner
        self:apply("Mended", owner)
        local is_whole = owner:value("Vitals.Health") >= owner:value("Vitals.MaxHealth")
        if is_whole or result.is_last then self:finish() end
    end,
}
