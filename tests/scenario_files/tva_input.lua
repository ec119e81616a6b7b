-- SPDX-License-Identifier: MIT

-- Waits for confirm or cancel, and tells which it was.
ability "Target" {
    activate = function(self) self:task("confirm", "decided") end,
    decided = function(self, result)
        self.owner:send(result.output == "confirmed" and "Note.Confirmed" or "Note.Cancelled")
        self:finish()
    end,
}

-- Hears its input while it runs: by its handler, and by a task.
ability "Guard" {
    activate = function(self) self:task("input_pressed", "told", { repeats = true }) end,
    input_pressed = function(self) self.owner:send("Note.Handler") end,
    told = function(self) self.owner:send("Note.Task") end,
}
