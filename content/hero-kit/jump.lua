-- SPDX-License-Identifier: MIT

-- A jump is over at once: the body jumps in the game, the rules only show it.
ability "GA_Jump" {
    activate = function(self) self.owner:cue("GameplayCue.Jump") end,
}
