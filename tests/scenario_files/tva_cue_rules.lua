-- SPDX-License-Identifier: MIT

-- Plays another cue in place of those of its effect.
execution "Block" {
    execute = function(self)
        self:handle_cues()
        self.target:cue("GameplayCue.Blocked")
    end,
}

execution "Nothing" {
    execute = function() end,
}

ability "Silence" {
    activate = function(self)
        self.owner:send("Note.Removed", { magnitude = self.owner:remove_cues() })
        self:finish()
    end,
}
