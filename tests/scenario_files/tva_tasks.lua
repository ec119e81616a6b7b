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

-- Runs tasks until it is refused one, ends one, and tries again.
ability "Crowd" {
    activate = function(self)
        local count, first = 0, nil
        while true do
            local task, why = self:wait(60, "woken")
            if not task then
                self.owner:send("Note.Full", { magnitude = count })
                if why ~= "limit" then self:cancel() end
                break
            end
            count, first = count + 1, first or task
        end
        first:stop()
        if self:wait(60, "woken") and not self:wait(60, "woken") then self.owner:send("Note.Again") end
    end,
    woken = function() end,
}
