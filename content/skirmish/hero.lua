-- SPDX-License-Identifier: MIT

-- What a captain learns: a heavy blow at somebody, and a cry that rouses everybody around.

local CRY_RADIUS = 8

ability "Smite" {
    activate_by_event = function(self, event)
        local target = event.target
        if not target then return false end
        local paid, why = self:commit()
        if not paid then return false, why end
        self.owner:rts_deal_damage(target, 15 + 15 * self.level, "Damage.Blade")
        self:finish()
    end,
}

ability "WarCry" {
    activate = function(self)
        local paid, why = self:commit()
        if not paid then return false, why end
        local village = self.owner:owner()
        for _, other in ipairs(world.sphere(self.owner:position(), CRY_RADIUS, { required = "Knack.Status.CanAttack" })) do
            if other:owner() == village then
                self:apply("Roused", other)
            end
        end
        self:finish()
    end,
}
