-- SPDX-License-Identifier: MIT

-- Takes three seconds.
ability "Cast" {
    activate = function(self) self:wait(3, "done") end,
    done = function(self) self:finish() end,
}
