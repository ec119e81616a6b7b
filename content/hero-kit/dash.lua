-- SPDX-License-Identifier: MIT

-- A dash: some way ahead within a moment. The motion is for the game, which moves the body on screen;
-- where it ends counts for the rules.

local WAY = 300

ability "GA_Dash" {
    activate = function(self)
        local paid, why = self:commit()
        if not paid then return false, why end
        local here, facing = field.place_of(self.owner), field.facing_of(self.owner)
        local there = here
        if facing then
            there = { x = here.x + facing.x * WAY, y = here.y + facing.y * WAY, z = here.z }
        end
        self:move({ kind = "move_to", duration = 0.2, destination = there }, "there")
    end,

    there = function(self)
        local facing = field.facing_of(self.owner)
        if facing then field.move(self.owner, facing.x * WAY, facing.y * WAY) end
        self:finish()
    end,
}
