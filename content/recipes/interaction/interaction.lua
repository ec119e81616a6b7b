-- SPDX-License-Identifier: MIT

local function use(self, thing)
    thing:send("Event.Used", { instigator = self.owner, target = thing })
    self:finish()
end

ability "Interact" {
    state = { thing = kn.entity },

    activate = function(self) self:aim("AtHand", "found", { confirm = "instant" }) end,

    found = function(self, result)
        local target = result.targets and result.targets[1]
        if not target then
            self:cancel()
        elseif not target.entity:has_tag("Interactable.Hold") then
            use(self, target.entity)
        else
            -- Both waits run at once; the first to come decides.
            self.state.thing = target.entity
            self:wait(1, "held")
            self:wait_release("released")
        end
    end,

    held = function(self) use(self, self.state.thing) end,
    released = function(self) self:cancel() end,
}

ability "Open" {
    activate = function(self)
        self.owner:add_tag("State.Open")
        self:finish()
    end,
}
