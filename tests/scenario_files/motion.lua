-- SPDX-License-Identifier: MIT

ability "Dash" {
    activate = function(self)
        self:move({ kind = "move_to", duration = 0.5, destination = { x = 10, y = 0, z = 0 } }, "there")
    end,
    there = function(self)
        self.owner:send("Note.There")
        self:finish()
    end,
}

-- Goes after whom the event names.
ability "Leap" {
    activate = function(self)
        self:move({ kind = "follow", duration = 1, target = self.event.target, offset = { x = -1, y = 0, z = 0 } },
            "there")
    end,
    there = function(self) self:finish() end,
}

-- Waits, and is blown away: the motion begins within a step.
ability "Push" {
    activate = function(self) self:wait(0.103, "blown") end,
    blown = function(self)
        self:move({ kind = "force", duration = 1, strength = 4, direction = { x = 0, y = 1, z = 0 } }, "there")
    end,
    there = function(self) self:finish() end,
}
