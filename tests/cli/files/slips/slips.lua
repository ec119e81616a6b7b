-- SPDX-License-Identifier: MIT

-- A slip on every line that says so, and nothing on the others.
local function helper(self)
    self:finsh() -- API
    hits = 1 -- global
end

ability "Slips" {
    state = { hits = kn.u32, who = kn.entity },

    canActivate = function(self) return true end, -- hook

    activate = function(self)
        local owner = self.owner
        owner:apply("Brun") -- name
        if owner:has_any_tag({ "State.Dead", "State.Stuned" }) then return false end -- name
        local health = owner:value("Vitals.Helth") -- name
        self.state.hitz = 1 -- API
        owner:cue("GameplayCue.Fier") -- name
        owner:grant("Rigth") -- name
        self:apply("Burn", owner, { values = { ["Data.Damge"] = 1 } }) -- name
        owner:send("State.Dead", { magnitud = 1 }) -- API
        self:task("delay", "lend", { delay = 1 }) -- hook
        self:task("dely", "land", { delay = 1 }) -- name
        self:fnish() -- API
        world.nwo() -- API
        math.random() -- API
        pritn(health) -- global
        for _, other in ipairs(world.entities()) do other:aply("Burn") end -- API
        helper(self)
    end,

    land = function(self) self:finish() end,
    never = function(self) self:finish() end, -- hook
}

-- All of this is fine.
local function each(list, visit)
    for index, value in ipairs(list) do visit(value, index) end
end

LIMITS = { low = 1, high = 2 }

ability "Right" {
    state = { hits = kn.u32(3), seen = kn.array(kn.entity, 2) },

    can_activate = function(self, event) return self.owner:is_alive() or event ~= nil end,

    activate = function(self)
        local owner, sum = self.owner, 0
        each({ 1, 2, 3 }, function(value) sum = sum + value end)
        self.state.hits = self.state.hits + LIMITS.low + sum
        self.state.seen[1] = owner
        goto on
        ::on::
        local text = ("%d"):format(#owner:effects({ type = "Burn" }))
        local object = { apply = function(name) return name end }
        object.apply("Nothing")
        local effect <const> = owner:apply("Burn", { level = 2 })
        repeat
            local done = effect == nil or not effect
        until done or math.max(1, 2) == 2
        print(text .. "!", table.concat({ "a", "b" }, ","), [[long]], 'State.Ded')
        self:wait(1, sum > 3 and "land" or "land")
    end,

    land = function(self, result)
        if result.output == "fired" then self:finish() else self:cancel() end
    end,
}
