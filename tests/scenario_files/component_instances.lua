-- SPDX-License-Identifier: MIT

-- Adds a mark for every event.
ability "Mark" {
    activate_by_event = function(self, event)
        local id = self.owner:add_instance("Mark")
        self.owner:set("Mark", "number", math.floor(event.magnitude), 1, id)
        self:finish()
    end,
}
