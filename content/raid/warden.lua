-- SPDX-License-Identifier: MIT

-- The Warden: what it does at which health, and otherwise in which order.

local WARDEN = {
    { "Doom", raid.target_of },
    { "Quake", raid.target_of },
    { "Curse", raid.anybody },
    { "Strike", raid.target_of },
}
local PHASES = { { 0.75, "Call" }, { 0.5, "Barrier" }, { 0.25, "Call" } }

ticker "Warden" {
    interval = 0.1,
    state = { phase = kn.u32 },

    tick = function(self)
        local me, phase = self.entity, PHASES[self.state.phase + 1]
        if phase and raid.health(me) <= phase[1] then
            -- Refused while it casts; then it comes after the cast.
            if raid.use(me, phase[2]) then self.state.phase = self.state.phase + 1 end
        elseif raid.target_of(me) then
            raid.play(me, WARDEN)
        end
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

ticker "Guard"(raid.bot({ { "Claw", raid.target_of } }))
