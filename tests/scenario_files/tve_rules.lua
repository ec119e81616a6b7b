-- SPDX-License-Identifier: MIT

-- What the caller gave, -1 if nothing, and never below 0.
calculation "Asked" {
    calculate = function(self) return math.max(self:caller_value("Data.Damage", -1), 0) end,
}

calculation "PoisonMana" {
    calculate = function(self)
        local mana, most = math.max(self:capture(1), 0), math.max(self:capture(2), 1)
        local drain = -20
        if mana / most > 0.5 then drain = drain * 2 end
        if self.target:has_tag_exact("Status.WeakToPoisonMana") then drain = drain * 2 end
        return drain
    end,
}

-- Tells what it reads.
execution "ReadCapture" {
    execute = function(self) self:output("Log.Read", "override", self:capture(1)) end,
}

execution "ReadTransient" {
    execute = function(self)
        self:output("Log.Read", "override", self:transient("Data.Damage"))
        if self:transient("Data.Unlisted") == nil then self.target:send("Note.None") end
    end,
}

-- Mana is held at MaxMana after each execution.
attributes "Magic" {
    post_execute = function(data)
        local most = data.entity:value("Magic.MaxMana")
        if data.attribute == "Magic.Mana" and data.new_base > most then data.entity:set_base("Magic.Mana", most) end
    end,
}

-- Price and cooldown are written on the ability; without one there is none.
calculation "Price" {
    calculate = function(self)
        return self.ability and -self.ability:caller_value("Data.Price") * self.ability:level() or 0
    end,
}

calculation "Wait" {
    calculate = function(self)
        return self.ability and self.ability:caller_value("Data.Wait") * self.ability:level() or 0
    end,
}

ability "Pay" {
    activate = function(self)
        local paid, why = self:commit()
        if not paid then return false, why end
        self:finish()
    end,
}

ability "Ask" {
    activate = function(self)
        local me = self.owner
        local function answer(tag, yes) me:send(tag, { magnitude = yes and 1 or 0 }) end
        answer("Note.Any", me:has_any_tag({}))
        answer("Note.All", me:has_all_tags({}))
        answer("Note.Query", me:matches(""))
        self:finish()
    end,
}
