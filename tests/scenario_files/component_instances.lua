-- SPDX-License-Identifier: MIT

-- Adds a mark for every event.
ability "Mark" {
    activate_by_event = function(self, event)
        local id = self.owner:add_instance("Mark")
        self.owner:set("Mark", "number", math.floor(event.magnitude), 1, id)
        if event.instigator then
            event.instigator:set("Bond", "to", self.owner, 1, event.instigator:add_instance("Bond"))
        end
        self:finish()
    end,
}

-- Counts marks in a component of the world.
component "Mark" {
    added = function(self)
        world.add_component("Count")
        world.set("Count", "added", world.get("Count", "added") + 1)
    end,
    removed = function(self)
        world.set("Count", "removed", world.get("Count", "removed") + self:get("number"))
    end,
}
