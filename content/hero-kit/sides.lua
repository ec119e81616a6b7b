-- SPDX-License-Identifier: MIT

-- Everybody starts on the left; this effect takes its target to the right side.
execution "JoinRight" {
    execute = function(self) self.target:set_user(1) end,
}
