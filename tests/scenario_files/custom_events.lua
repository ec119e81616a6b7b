-- SPDX-License-Identifier: MIT

-- Publishes what it does; nothing in the simulation notices.
ability "Command" {
    activate = function(self)
        self.event.target:publish("OrderGiven", {
            order = 7, range = 12.5, target = self.owner, tag = "Unit.Busy", urgent = true,
        })
        self.owner:publish("Alarm")
        world.publish("Alarm")
        self:finish()
    end,
}
