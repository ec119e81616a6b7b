-- SPDX-License-Identifier: MIT

-- Bodies that tell by events what happened to them, in order: the tag says what, the magnitude how much.

local function note(self, tag, magnitude)
    self.owner:send(tag, { magnitude = magnitude or 0 })
end

-- Tells of its body, and of how many run.
ability "Note" {
    activate = function(self) note(self, "Note.Body", #self.owner:activations()) end,
    ended = function(self) note(self, "Note.End") end,
}

-- Cancels what has X and lacks Z, but not itself.
ability "Sweep" {
    activate = function(self)
        local query = { any_tags = "X", no_tags = "Z", ignore = self.activation }
        note(self, "Note.Count", self.owner:cancel_abilities(query))
    end,
}

-- Ends and cancels itself again while it ends.
ability "EndAgain" {
    activate = function(self) self:wait(100) end,
    ended = function(self)
        note(self, "Note.End")
        self:finish()
        self:cancel()
        if not self:wait(1) then note(self, "Note.Refused") end
    end,
}

-- Takes itself away and grants another in the middle of a press.
ability "Once" {
    activate = function(self)
        note(self, "Note.Once")
        self.owner:grant("Next")
        self.ability:remove()
    end,
}

ability "Next" {
    activate = function(self)
        note(self, "Note.Next")
        self:finish()
    end,
}

-- Grants an ability and hands its own event on, while the list of abilities is being walked over.
ability "HandOn" {
    activate = function(self)
        local event = self.event
        local echo = self.owner:grant("Echo")
        echo:activate({
            tag = event.tag,
            tags = event.tags,
            magnitude = event.magnitude,
            instigator = event.instigator,
            object = event.object,
        })
        self:finish()
    end,
}

ability "Echo" {
    -- A crowd: whatever kept the event has to move.
    granted = function(self)
        for _ = 1, 40 do self.owner:grant("Ballast") end
    end,
    activate = function(self)
        local event = self.event
        note(self, "Note.Echo", event.magnitude + event.object + #event.tags)
        event.instigator:send("Note.Heard", { magnitude = event.magnitude })
        self:finish()
    end,
}

ability "Ballast" {
    state = { bytes = kn.array(kn.u32, 1000) },
    activate = function(self) self:finish() end,
}

-- Takes one of those away that the event has yet to reach, and puts another in its place.
ability "Remover" {
    activate = function(self)
        note(self, "Note.Remover")
        self.owner:remove_abilities({ type = "Gone" })
        self.owner:grant("Gone")
        self:finish()
    end,
}

ability "Hears" {
    activate = function(self)
        note(self, "Note.Hears", self.event.magnitude)
        self:finish()
    end,
}

-- Counts its activations, as long as its state lasts.
ability "Count" {
    state = { count = kn.u32 },
    activate = function(self)
        self.state.count = self.state.count + 1
        note(self, "Note.Count", self.state.count)
        self:finish()
    end,
}

ability "TryToWait" {
    activate = function(self)
        local task, why = self:wait(1, "woken")
        if not task and why == "blocked" then note(self, "Note.Refused") end
    end,
    woken = function(self) note(self, "Note.Count") end,
}
