-- SPDX-License-Identifier: MIT

-- The Warden: what it does at which health, and otherwise in which order.

local PHASES = { { 0.75, "Call" }, { 0.5, "Barrier" }, { 0.25, "Call" } }

ticker "Warden" {
    interval = 0.1,
    state = { phase = kn.u32 },

    tick = function(self)
        local me, target = self.entity, raid.target_of(self.entity)
        if not target then return end
        local phase = PHASES[self.state.phase + 1]
        if phase and raid.health(me) <= phase[1] then
            -- Refused while it casts; then it comes after the cast.
            if raid.use(me, phase[2]) then self.state.phase = self.state.phase + 1 end
            return
        end
        if raid.use(me, "Doom", target) or raid.use(me, "Quake", target) then return end
        local players = raid.players()
        if raid.use(me, "Curse", players[world.random_below(#players) + 1]) then return end
        raid.use(me, "Strike", target)
    end,
}

ability "Call" {
    activate = function(self)
        world.spawn("Guard Bot")
        world.spawn("Guard Bot")
        self:finish()
    end,
}

-- A barrier that is burned down staggers the Warden; one that stands to its end restores it.
logic "Barrier" {
    removed = function(self, reason)
        if reason == "charges_used" then
            self.target:apply("Staggered")
        elseif reason == "expired" then
            self.target:apply("Restored")
        end
    end,
}

ticker "Guard" {
    interval = 0.1,
    tick = function(self)
        local target = raid.target_of(self.entity)
        if target then raid.use(self.entity, "Claw", target) end
    end,
}
