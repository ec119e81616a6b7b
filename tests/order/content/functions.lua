-- SPDX-License-Identifier: MIT

-- Calls every function that the order kit gives to scripts, and has hooks of order types and of tree
-- actions. `unit` and `mate` are soldiers of one player, `foe` is one of `rival`, and `player` owns
-- the first two.

local function all()
    local found = world.entities()
    return found[1], found[2], found[3], found[4], found[5]
end
local function same(have, want, what)
    if have ~= want then
        error((what or "value") .. ": " .. tostring(have) .. ", not " .. tostring(want), 2)
    end
end
local function refused(want, have, why)
    same(have, nil, "result")
    same(why, want, "refusal")
end

-- Hooks.

order_type "Attack" {
    can_obey = function(self, call)
        same(self.kind, "order type")
        same(self.name, "Attack")
        if self.entity:has_tag("Status.Tired") then
            return false, { errors = { "Reason.Rain", "Reason.Shy" } }
        end
    end,
    is_valid_target = function(self, call)
        if call.target_entity == self.entity then
            return false, { errors = { "Reason.Shy" } }
        end
    end,
    find_range = function(self, call) return { number = call.number + 1 } end,
    score = function(self, call) return { number = call.number * 4 } end,
    execute = function(self, call)
        print("attack " .. tostring(call.target ~= nil) .. " " .. (call.ticket > 0 and "ticket" or "none"))
    end,
    cancelled = function(self, call) print("cancelled") end,
}
order_type "Wave" {
    find_policy = function(self, call)
        same(call.answer, "cancelable")
        return { answer = "instant" }
    end,
    find_target_kind = function(self, call) return { answer = call.index > 0 and "entity" or "none" } end,
    execute = function(self, call) print("wave") end,
}
tree_action "Reload" {
    run = function(self, call)
        print("reload " .. call.number .. " " .. tostring(call.target ~= nil))
        if call.target then
            self.entity:set_int_key("Strikes", call.ticket)
            return { result = "running" }
        end
    end,
    aborted = function(self, call) print("aborted") end,
}
tree_action "Calm" {
    test = function(self, call) return not self.entity:has_tag("Status.Tired") end,
}
tree_action "Count" {
    run = function(self, call)
        self.entity:set_float_key("Courage", self.entity:get_float_key("Courage") + 1)
    end,
}

local runs = {
    -- orders and queues
    function(unit, mate, foe)
        same(unit:unit_type(), "Soldier")
        same(unit:current_order().order, "Stop")
        same(unit:current_order().is_idle, true)
        same(unit:current_order().location, nil)
        same(unit:issue_order("Move", nil, { x = 3, y = 4, z = 0 }), "obeyed")
        local now = unit:current_order()
        same(now.order, "Move")
        same(now.location.y, 4.0)
        same(now.is_idle, false)
        same(now.index, -1)
        same(now.target, nil)
        same(unit:last_order().order, "Stop")
        same(unit:enqueue_order("Attack", foe), "waits")
        same(unit:insert_order_after("Dig", nil, nil, 2), "waits")
        same(unit:insert_order_after("Dig", nil, nil, 2), "waits")
        local queue = unit:order_queue()
        same(#queue, 3)
        same(queue[1].order, "Dig")
        same(queue[1].index, 2)
        same(queue[3].target, foe)
        same(unit:clear_order_queue(), true)
        same(#unit:order_queue(), 0)
        same(unit:insert_order_before("Wave"), "obeyed")
        same(unit:insert_order_before("Attack", foe), "obeyed")
        same(unit:current_order().interrupts, true)
        same(unit:end_order("succeeded", unit:current_order().ticket), true)
        same(unit:current_order().order, "Move")
        refused("not_found", unit:end_order("failed", 1))
        same(unit:end_order(), true)
        same(unit:current_order().order, "Stop")
        refused("not_found", foe:last_order())
    end,
    -- work, targets, units
    function(unit, mate, foe, player)
        same(unit:issue_order("Dig"), "obeyed")
        same(unit:issue_order("Attack", foe), "obeyed")
        same(#unit:remembered_work(), 1)
        same(unit:remembered_work()[1].order, "Dig")
        same(foe:retarget_orders(mate), 1)
        same(unit:current_order().target, mate)
        same(unit:resume_work(), true)
        same(unit:current_order().order, "Dig")
        refused("not_found", unit:resume_work())
        same(player:unit_type(), nil)
        refused("not_found", player:current_order())
        refused("not_found", player:issue_order("Dig"))
        same(player:make_unit("Soldier"), true)
        same(player:unit_type(), "Soldier")
        same(player:remove_unit(), true)
    end,
    -- checks
    function(unit, mate, foe)
        same(unit:can_obey("Attack"), true)
        unit:add_tag("Status.Tired")
        local possible, missing, blocking, reasons = unit:can_obey("Attack")
        same(possible, false)
        same(#missing, 0)
        same(#blocking, 0)
        same(#reasons, 2)
        same(reasons[1], "Reason.Rain")
        same(reasons[2], "Reason.Shy")
        possible, missing, blocking, reasons = unit:can_obey("Move")
        same(possible, false)
        same(blocking[1], "Status.Tired")
        refused("requirement", unit:issue_order("Move", nil, { x = 1, y = 1, z = 0 }))
        unit:remove_tag("Status.Tired")
        possible, missing, blocking, reasons = unit:check_order("Attack", unit)
        same(possible, false)
        same(reasons[1], "Reason.Shy")
        possible, missing, blocking, reasons = unit:check_order("Attack")
        same(reasons[1], "Knack.Order.NoTarget")
        same(unit:resolve_order("Attack", unit).order, "Move")
        same(unit:order_range("Attack"), 3.0)
        local target, score = unit:find_order_target("Attack", 8)
        same(target, mate)
        same(score, 3.5)
        same(unit:find_order_target("Attack"), mate)
        same(unit:find_order_target("Attack", 10, -1, 1, { x = 5, y = 0, z = 0 }), foe)
        same(unit:order_score("Attack", foe, 10), 2.0)
        same(unit:relation_to(mate).is_friendly, true)
        same(unit:relation_to(foe).is_hostile, true)
        same(unit:relation_to(foe).is_visible, true)
        same(unit:relation_to(foe).is_neutral, false)
        same(unit:relation_to(unit).is_self, true)
        same(unit:enemy_is_near(3), false)
        same(unit:enemy_is_near(6), true)
        same(unit:relation_changed(foe), true)
    end,
    -- automatic orders and groups
    function(unit, mate, foe)
        local autos = unit:auto_orders()
        same(#autos, 1)
        same(autos[1].order, "Attack")
        same(autos[1].is_on, true)
        same(autos[1].is_for_players, true)
        same(autos[1].is_for_ai, false)
        same(unit:issue_order("Stop"), "is_same")
        same(unit:set_auto_order("Attack", false), true)
        same(unit:check_auto_orders(), false)
        same(unit:set_auto_order("Attack"), true)
        same(unit:check_auto_orders(), true)
        same(unit:current_order().target, mate)
        same(unit:refresh_auto_orders(), true)
        refused("not_found", unit:set_auto_order("Move"))
        same(orders.issue_group({ unit, mate, foe }, "Move", nil, { x = 9, y = 0, z = 0 }), 3)
        same(foe:current_order().order, "Move")
        same(orders.issue_group({ unit, mate }, "Dig", nil, nil, 4, true, 1), 2)
        same(#mate:order_queue(), 1)
        same(mate:order_queue()[1].index, 4)
    end,
    -- blackboards
    function(unit, mate, foe)
        same(unit:blackboard(), "Soldier")
        same(unit:set_bool_key("Brave", true), true)
        same(unit:get_bool_key("Brave"), true)
        same(unit:set_int_key("Strikes", -7), true)
        same(unit:get_int_key("Strikes"), -7)
        same(unit:get_float_key("Courage"), 0.5)
        same(unit:set_float_key("Courage", 2.5), true)
        same(unit:get_float_key("Courage"), 2.5)
        same(unit:set_vector_key("Post", { x = 1, y = 2, z = 3 }), true)
        same(unit:get_vector_key("Post").z, 3.0)
        same(unit:get_entity_key("Foe"), nil)
        same(unit:key_is_set("Foe"), false)
        same(unit:set_entity_key("Foe", foe), true)
        same(unit:get_entity_key("Foe"), foe)
        same(unit:key_is_set("Foe"), true)
        same(unit:set_order_key("Habit", "Attack"), true)
        same(unit:get_order_key("Habit"), "Attack")
        same(unit:set_tag_key("Mood", "Status.Tired"), true)
        same(unit:get_tag_key("Mood"), "Status.Tired")
        same(unit:clear_key("Mood"), true)
        same(unit:get_tag_key("Mood"), nil)
        refused("not_found", unit:get_int_key("Nothing"))
        refused("blocked", unit:set_int_key("Order_Index", 3))
        same(unit:add_blackboard("Plain"), true)
        same(unit:blackboard(), "Plain")
        same(unit:get_float_key("Courage"), 2.5)
    end,
    -- trees
    function(unit, mate, foe, player, rival)
        refused("not_found", rival:tree_state())
        refused("not_found", rival:tree_order())
        refused("not_found", rival:stop_tree())
        same(rival:start_tree("Drill"), true)
        same(rival:tree_state().tree, "Drill")
        same(rival:tree_state().is_running, true)
        same(rival:tree_state().result, "running")
        same(rival:tree_node("Reload").state, "succeeded") -- without a target it is done at once
        same(rival:tree_node("Rest").state, "running")
        same(rival:get_float_key("Courage"), 1.5)
        same(rival:set_entity_key("Foe", foe), true)
        same(rival:start_tree("Drill"), true)
        same(rival:tree_state().run, 2)
        same(rival:tree_node("Reload").state, "running")
        local nodes = rival:tree_nodes()
        same(#nodes, 3)
        same(nodes[2].kind, "task")
        same(nodes[2].depth, 1)
        same(nodes[3].state, "none")
        refused("not_found", rival:tree_node("Nothing"))
        refused("not_found", rival:finish_task(999))
        same(rival:finish_task(rival:get_int_key("Strikes"), "failed"), true)
        same(rival:tree_state().result, "failed")
        same(rival:start_tree("Drill"), true)
        same(rival:stop_tree(), true)
        same(rival:tree_state().result, "aborted")
        rival:add_tag("Status.Tired")
        same(rival:start_tree("Drill"), true)
        same(rival:tree_node("Reload").state, "blocked")
        same(unit:issue_order("Move", nil, { x = 7, y = 8, z = 0 }), "obeyed")
        same(unit:tree_order().order, "Move")
        same(unit:tree_order().location.x, 7.0)
    end,
}
command "Run" {
    run = function(command)
        if runs[command.sequence] then
            runs[command.sequence](all())
        end
        print(runs[command.sequence] and "done" or "end")
    end,
}
local bad = {
    function(unit, foe) unit:issue_order("Fly") end,
    function(unit, foe) unit:issue_order("Attack", "foe") end,
    function(unit, foe) unit:issue_order("Move", nil, 7) end,
    function(unit, foe) unit:end_order("done") end,
    function(unit, foe) orders.issue_group({ unit, 3 }, "Dig") end,
    function(unit, foe) orders.issue_group(unit, "Dig") end,
    function(unit, foe)
        local many = {}
        for i = 1, 65 do many[i] = unit end
        orders.issue_group(many, "Dig")
    end,
    function(unit, foe) unit:get_int_key("Foe") end,
    function(unit, foe) unit:start_tree("Nap") end,
}
command "Bad" {
    run = function(command)
        local unit, mate, foe = all()
        bad[command.sequence](unit, foe)
        print("not refused")
    end,
}
-- What only reads cannot change anything, but it can look.
command "Look" {
    run = function(command) end,
    check = function(command)
        local unit, mate, foe = all()
        print(unit:can_obey("Attack") and "can" or "cannot")
        unit:issue_order("Attack", foe)
        print("changed")
    end,
}
