-- SPDX-License-Identifier: MIT

-- A hero that tries out every function for items.
local function same(have, want, what)
    if have ~= want then
        error((what or "value") .. ": " .. tostring(have) .. ", not " .. tostring(want), 2)
    end
end

rts_item "Charm" {
    can_carry = function(self, call)
        return self.entity:has_tag("Unit.Hero")
    end,
    gained = function(self, call)
        self.entity:publish("Charmed", {
            slot = call.slot,
            charges = call.charges,
            is_own = call.item:rts_item_info().holder == self.entity,
        })
    end,
}

local function trade(hero, market)
    local potion = hero:rts_buy(market, "Potion")
    same(potion:rts_item_info().charges, 1)
    same(hero:rts_carried_item("Potion"), potion)
    local bought, why = hero:rts_buy(market, "Charm")
    same(bought, nil)
    same(why, "not_found")
    local sword = hero:rts_slot_item(0)
    same(sword:rts_item_info().type, "Sword")
    same(sword:rts_sell_item(market), true)
    same(market:rts_set_stock("Sword", 2), nil)
    return potion
end

local function carry(hero, potion)
    local more = hero:rts_give_new_item("Potion")
    same(more, potion)
    same(potion:rts_set_charges(3), true)
    local part = potion:rts_split_item(1)
    same(potion:rts_item_info().charges, 2)
    same(#hero:rts_items(), 2)
    same(part:rts_move_item(4), true)
    same(part:rts_item_info().acts, false)
    same(table.concat(part:rts_use_info().why_not, " "), "stashed")
    same(part:rts_drop_item(), true)
    same(#hero:rts_pick_up_info(part).why_not, 0)
    same(hero:rts_pick_up(part), true)
    same(potion:rts_item_info().charges, 3)
    same(potion:rts_use_item(), true)
    local used, reason = potion:rts_use_item()
    same(used, nil)
    same(reason, "cooldown")
end

ability "Play" {
    activate = function(self)
        local hero = self.owner
        local market = world.entities()[4]
        local potion = trade(hero, market)
        carry(hero, potion)
        local charm = hero:rts_create_item("Charm")
        same(charm:rts_item_info().is_placed, true)
        same(hero:rts_give_item(charm, 2), true)
        same(charm:rts_hand_item(world.entities()[3]), nil) -- too far away
        same(hero:rts_add_item_ability("Sharp"), true)
        same(hero:rts_remove_item_ability("Sharp"), true)
        same(hero:rts_remove_item_ability("Sharp"), nil)
        self:finish()
    end,
}
