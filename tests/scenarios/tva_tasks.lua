-- SPDX-License-Identifier: MIT

-- Listens to the health of whom the event names, and tells them whenever it changes. It never stops by itself.
ability "Watch" {
    activate = function(self)
        local entity = self.event.target
        self:task("attribute", "heard", { attribute = "Vitals.Health", entity = entity, repeats = true })
    end,
    heard = function(self, result)
        if result.output == "gone" then
            self.owner:send("Note.Gone")
        else
            self.event.target:send("Note.Heard", { magnitude = result.new_value })
        end
    end,
}
