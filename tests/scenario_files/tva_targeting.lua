-- SPDX-License-Identifier: MIT

-- Everybody who was found gets an event; the owner hears how many they were.
local function tell(self, targets)
    self.owner:send("Note.Count", { magnitude = #targets })
    for _, target in ipairs(targets) do
        if target.entity then target.entity:send("Note.Found") end
    end
end

-- One look, at once.
ability "Snap" {
    activate = function(self) self:aim("Ray", "aimed", { confirm = "instant" }) end,
    aimed = function(self, result) tell(self, result.targets) end,
}

-- Aims, and confirms whenever it hears Event.Fire; tells when there is nothing to confirm any more.
local function aims_until(way)
    return {
        activate = function(self)
            self:aim("Ray", "aimed", { confirm = way, name = "Aim" })
            self:wait_event("Event.Fire", "fire", { repeats = true })
        end,
        fire = function(self)
            local aim = self:find_task("Aim")
            if not (aim and aim:confirm()) then self.owner:send("Note.Over") end
        end,
        aimed = function(self, result) tell(self, result.targets) end,
    }
end

ability "Custom"(aims_until("custom"))
ability "CustomMulti"(aims_until("custom_multi"))

-- The player confirms or cancels; what is final is told, and that it was cancelled.
local function aims_by(targeting)
    return {
        activate = function(self) self:aim(targeting, "aimed", { confirm = "user" }) end,
        aimed = function(self, result)
            if result.output == "fired" then
                tell(self, result.targets)
            else
                self.owner:send("Note.Cancelled")
            end
            self:finish()
        end,
    }
end

ability "Player"(aims_by("Ray"))
ability "Lock"(aims_by("Lock"))

-- Tries every way to confirm on a targeting that knows only one.
ability "Ground" {
    activate = function(self)
        for _, way in ipairs({ "instant", "custom", "custom_multi", "user" }) do
            local task, why = self:aim("Ground", "aimed", { confirm = way })
            if not task and why == "requirement" then self.owner:send("Note.Refused") end
            if task then self.owner:send("Note.Count") end
        end
    end,
    aimed = function() end,
}

ability "Look" {
    activate = function(self)
        tell(self, self.owner:find_targets("Others"))
        tell(self, self.owner:find_targets("All"))
        tell(self, self.owner:find_targets("Wounded"))
        self:finish()
    end,
}

-- Hands on two records of different types, and reads them as what they are and as what they are not.
ability "Send" {
    activate = function(self)
        self.owner:send("Event.Data", {
            targets = { self.owner, { type = "location", position = { x = 1, y = 2, z = 3 } } },
        })
        self:finish()
    end,
}

ability "Read" {
    activate = function(self)
        local targets = self.event.targets
        local first, second = targets[1], targets[2]
        local right = first.type == "entity" and first.entity == self.owner and second.type == "location"
            and second.position.y == 2
        local wrong = first.position == nil and second.entity == nil and targets[3] == nil
        self.owner:send("Note.Count", { magnitude = #targets })
        if right and wrong then self.owner:send("Note.Found") end
        self:finish()
    end,
}
