-- SPDX-License-Identifier: MIT

-- What knack gives to scripts, for the Lua language server. Printed from the tables the bindings
-- are made of; do not edit.

---@meta

---@alias kn.op "add"|"multiply"|"divide"|"multiply_additive"|"divide_additive"|"multiply_compound"|"divide_compound"|"add_final"|"override"
---@alias kn.removal_reason "expired"|"by_call"|"dispelled"|"by_effect"|"overwritten"|"requirement"|"target_died"|"source_gone"|"parent_ended"|"charges_used"|"stack_cleared"|"shortened"|"mispredicted"|"rule"
---@alias kn.end_reason "ended"|"cancelled"|"by_tags"|"retriggered"|"removed"|"owner_gone"|"failed"|"tag_lost"|"rejected"|"remote"
---@alias kn.fail "stale"|"networking"|"dead"|"blocked"|"missing_tags"|"cooldown"|"cost"|"active"|"custom"|"not_ready"|"no_target"
---@alias kn.trigger "event"|"tag_added"|"tag_removed"|"attribute_changed"|"effect_applied"|"effect_removed"|"effect_stacks"|"ability_activated"|"ability_committed"|"ability_ended"|"overlap"|"movement"
---@alias kn.task_kind "delay"|"repeat"|"event"|"tag_added"|"tag_removed"|"tag_query"|"attribute"|"threshold"|"effect_applied"|"effect_removed"|"effect_stacks"|"ability_activated"|"ability_committed"|"ability_ended"|"input_pressed"|"input_released"|"confirm"|"overlap"|"movement"|"animation"|"spawn"|"motion"|"state"|"net_sync"|"target"|"cue"|"custom"
---@alias kn.task_output "fired"|"finished"|"confirmed"|"cancelled"|"blend_out"|"completed"|"interrupted"|"notify"|"timed_out"|"gone"
---@alias kn.compare "less"|"less_equal"|"equal"|"not_equal"|"greater_equal"|"greater"
---@alias refusal string

---An event record.
---@class kn.record_options
---@field kind? string what kind of event it is; needed to run it
---@field tag? string what it is, for those who receive it
---@field tags? string|string[] what describes it
---@field instigator? kn.entity who does it
---@field target? kn.entity to whom
---@field magnitude? number how much
---@field object? integer 64 bits for the host
---@field object2? integer 64 bits for the host
---@field targets? (kn.target|kn.entity)[] target data
---@field ignore_modifiers? boolean run it as it is
---@field ignore_gates? boolean nothing can veto it

---How an effect is applied.
---@class kn.apply_options
---@field source? kn.entity who makes it
---@field level? number default 1
---@field stacks? integer stacks to add; default as the def says
---@field duration? number default as the def says
---@field period? number default as the def says
---@field values? table<string, number> caller values: tag = number
---@field parameters? table<string, number> parameters and named values: name = number
---@field granted_tags? string|string[] further tags it grants
---@field asset_tags? string|string[] further tags that describe it
---@field instigator? kn.entity default the source
---@field causer? kn.entity weapon, projectile
---@field object? integer 64 bits for the host
---@field origin? kn.vec3 where it comes from
---@field ability? kn.ability the ability it comes from
---@field activation? kn.activation and its activation
---@field targets? (kn.target|kn.entity)[] target data that goes along with it
---@field ignore_gates? boolean immunity does not stop it

---Which active effects; every test must hold.
---@class kn.effect_query
---@field type? string of this type, or of one that descends from it
---@field any_tags? string|string[] asset or granted tags: any of these
---@field all_tags? string|string[] asset or granted tags: all of these
---@field asset_tags? string|string[] asset tags: any of these
---@field granted_tags? string|string[] granted tags: any of these
---@field source? kn.entity made by this one
---@field modifies? string with a modifier on this attribute

---How a container is applied.
---@class kn.container_options
---@field level? number default 1
---@field targets? kn.entity[] for containers whose targets are given
---@field data? (kn.target|kn.entity)[] for containers whose targets are target data
---@field values? table<string, number> caller values of all effects

---How an ability is granted.
---@class kn.grant_options
---@field level? number default 1
---@field input? integer 0: none; default as the def says
---@field source? kn.entity who or what gave it
---@field object? integer 64 bits for the host
---@field user? integer 64 bits for the host
---@field tags? string|string[] further tags of the ability
---@field values? table<string, number> caller values of all its effects
---@field share? boolean one that is there is granted once more

---Which abilities; every test must hold.
---@class kn.ability_query
---@field type? string of this type, or of one that descends from it
---@field all_tags? string|string[] with all of these
---@field any_tags? string|string[] with any of these
---@field no_tags? string|string[] with none of these
---@field input? integer bound to this input
---@field effect? kn.effect granted by this effect
---@field is_active? boolean only those that run
---@field ignore? kn.activation not the ability of this activation

---What a cue is given.
---@class kn.cue_params
---@field magnitude? number how much
---@field location? kn.vec3 where
---@field normal? kn.vec3 which way
---@field instigator? kn.entity who did it
---@field causer? kn.entity with what
---@field object? integer 64 bits for the host

---What a task needs, by its kind.
---@class kn.task_options
---@field name? string to find it by
---@field entity? kn.entity whom it watches; default the owner
---@field repeats? boolean goes on after a result
---@field test_now? boolean inputs: one that is down already counts
---@field timeout? number the output is "timed_out" after so long
---@field resource? string what it claims
---@field overlap? "interrupt"|"refuse"|"allow" what becomes of a task that claims the same
---@field delay? number delay: so long
---@field interval? number repeat: how often
---@field count? integer repeat: how many times; 0: for ever
---@field tag? string event, tag_added, tag_removed, cue
---@field tags? string|string[] ability_*: with any of these
---@field query? string tag_query: a tag query
---@field when_false? boolean tag_query: waits until it does not match
---@field attribute? string attribute, threshold
---@field relative_to? string threshold: `value` is a share of this
---@field compare? kn.compare threshold
---@field value? number threshold
---@field effect_type? string effect_*: of this type
---@field effect? kn.effect effect_*: this one
---@field mode? integer movement: this mode; default any
---@field animation? string animation
---@field section? string animation: where it begins
---@field rate? number animation: how fast; default 1
---@field start? number animation: where it begins
---@field quiet_end? boolean animation: no result after the blend out
---@field user? integer spawn: 64 bits of the new entity
---@field targeting? string target: how to look
---@field confirm? "instant"|"user"|"custom"|"custom_multi" target: when targets are final
---@field motion? any motion: a table, see kn.motion
---@field type? string custom: which task
---@field state? any custom: a table of fields the task declares

---A motion.
---@class kn.motion
---@field kind? "force"|"radial"|"move_to"|"follow"|"jump" required
---@field duration? number default 1
---@field priority? integer among those that override
---@field adds? boolean is added to the host's velocity, or overrides it
---@field strength? number forces: units a second
---@field strength_curve? string forces: factor over time
---@field centre? kn.vec3 radial
---@field radius? number radial
---@field pulls? boolean radial: towards the centre
---@field direction? kn.vec3 forces and jumps
---@field destination? kn.vec3 move_to
---@field offset? kn.vec3 follow: seen from the target
---@field easing? string paths: share of the way over time
---@field distance? number jump
---@field height? number jump
---@field tag? string what it is, for the host
---@field position? kn.vec3 where it begins; default where the owner is
---@field velocity? kn.vec3 the velocity before
---@field target? kn.entity follow: whom

---Who counts; every test must hold.
---@class kn.filter
---@field layers? integer entities on any of these, as bits; default all
---@field ignore? kn.entity not this one
---@field required? string|string[] tags they must have, all of them
---@field without? string|string[] tags they must not have
---@field limit? integer at most so many; default and most 256

---A place or a direction.
---@class kn.vec3
---@field x number Along the first axis.
---@field y number Along the second.
---@field z number Along the third.

---What a question to the space met.
---@class kn.hit
---@field entity kn.entity? Whom it met; nil for scenery.
---@field point kn.vec3 Where.
---@field normal kn.vec3 Which way the surface faces.
---@field distance number How far away.

---A record of target data. One of a type of the game has the fields of that type.
---@class kn.target
---@field type string "entity", "hit", "location", "line", or a type of the game.
---@field entity kn.entity? entity, hit: whom.
---@field point kn.vec3? hit: where.
---@field normal kn.vec3? hit: which way the surface faces.
---@field distance number? hit: how far away.
---@field part integer? hit: bone or surface, for the host.
---@field position kn.vec3? location: where.
---@field direction kn.vec3? location, line: which way; zero for none.
---@field source kn.entity? line: whom it starts at.
---@field start kn.vec3? line: from where.
---@field ["end"] kn.vec3? line: to where; read it as `target["end"]`.
---@field [string] any Of a type of the game.

---An event record.
---@class kn.event
---@field tag string? What happened.
---@field kind string? The event kind.
---@field tags string[] Further tags.
---@field instigator kn.entity? Who did it.
---@field target kn.entity? To whom.
---@field magnitude number How much.
---@field object integer 64 bits of the host.
---@field object2 integer 64 more.
---@field targets kn.target[]? Target data, if it has any.

---What a task of your own was woken by; each trigger fills what belongs to it.
---@class kn.reaction
---@field trigger kn.trigger What happened.
---@field entity kn.entity? To whom.
---@field tag string? The tag.
---@field attribute string? The attribute.
---@field key integer Which instance of its set.
---@field old_value number Before: a value or a count.
---@field new_value number After.
---@field effect kn.effect? The effect.
---@field effect_type string? Its type.
---@field reason kn.removal_reason? Why it was removed.
---@field instigator kn.entity? Who did it.
---@field magnitude number Of the event.
---@field ability kn.ability? The ability.
---@field activation kn.activation? Its activation.
---@field end_reason kn.end_reason? Why that ended.

---What a task tells its ability; each kind fills what belongs to it.
---@class kn.task_result
---@field task kn.task Which task.
---@field kind kn.task_kind Its kind.
---@field name string? Its name.
---@field output kn.task_output|integer What happened; of a task of your own, the number it told.
---@field data number[]? custom: what it told.
---@field tag string? tag_*, and a notify of an animation: the tag.
---@field is_there boolean? tag_*: whether the tag is there now.
---@field index integer? repeat: which time, from 0.
---@field is_last boolean? repeat: whether it is the last time.
---@field event kn.event? event: what happened.
---@field attribute string? attribute, threshold: which.
---@field old_value number? attribute, threshold: before.
---@field new_value number? attribute, threshold: after.
---@field effect kn.effect? effect_*: which.
---@field type string? effect_*: its type.
---@field count integer? effect_*: stacks now.
---@field old_count integer? effect_*: stacks before.
---@field reason kn.removal_reason|kn.end_reason|nil effect_*, ability_*: why it is over.
---@field ability kn.ability? ability_*: which.
---@field activation kn.activation? ability_*: its activation.
---@field held number? input_*: how long it was held.
---@field entity kn.entity? overlap, spawn: whom.
---@field mode integer? movement: the mode.
---@field targets kn.target[]? target: what was found.

---What a policy chooses from.
---@class kn.modifier
---@field index integer Its place among them, from 1.
---@field op kn.op Its operation.
---@field channel integer Its channel.
---@field magnitude number Of one stack, or of all, as the effect says.
---@field stacks integer Stacks of the effect.
---@field group string? The group only one of which acts.
---@field source kn.entity? Who made the effect.
---@field type string? The effect it is of.
---@field influence number What it does to the value, alone.

---Everything about an effect.
---@class kn.effect_info
---@field type string Its name.
---@field target kn.entity Who has it.
---@field source kn.entity? Who made it; may be gone.
---@field instigator kn.entity? Who began it.
---@field causer kn.entity? By what: a bullet, a trap.
---@field object integer 64 bits of the host.
---@field level number Its level.
---@field stacks integer Its stacks.
---@field start number When it began.
---@field duration number? How long it lasts; nil if it has no end.
---@field remaining number? Seconds left; nil if it has no end.
---@field period number Seconds between ticks; 0 for none.
---@field next_tick number? When it ticks next; nil for never.
---@field executions integer How often it was executed.
---@field is_inhibited boolean Whether it is switched off.
---@field tally_loss number What it took in all.
---@field tally_gain number What it gave in all.
---@field origin kn.vec3? Where it came from, if that was told.

---Everything about an ability.
---@class kn.ability_info
---@field type string Its name.
---@field owner kn.entity Who has it.
---@field level number Its level.
---@field input integer Its input; 0 for none.
---@field is_pressed boolean Whether the input is down.
---@field is_removing boolean Whether it goes when what runs of it ends.
---@field grants integer How often it was granted.
---@field active_count integer How many run.
---@field latest kn.activation? The activation that began last.
---@field source kn.entity? Who granted it.
---@field object integer 64 bits of the host.
---@field user integer 64 bits of your own.
---@field effect kn.effect? The effect that grants it.

---A cooldown.
---@class kn.cooldown
---@field key string? The tag it is shared by; nil for an ability's own.
---@field charges integer Uses left.
---@field max_charges integer Uses at most.
---@field remaining number? Seconds left of the cycle; 0 when none runs, nil if it stands still.
---@field total number? Seconds of a cycle.
---@field wait number? Seconds until a use is possible, as things stand; nil for never.

---One reason of a refusal.
---@class kn.reason
---@field reason kn.fail Why it is refused.
---@field tag string? The tag that is there, or missing.
---@field attribute string? The attribute.
---@field have number Value, or charges.
---@field need number What it would take.
---@field remaining number? Of the cooldown.
---@field total number? Its whole length.
---@field effect kn.effect? The effect behind it.
---@field ability kn.ability? The ability behind it.

---One reason why an effect is refused.
---@class kn.effect_refusal
---@field reason refusal Why it is refused, as the call says it.
---@field text string The same as a sentence with names and numbers.
---@field from string Whose tag, attribute or gate it is: "source", "target" or "causer".
---@field tag string? The tag that decides; of a gate, what it knows the effect by; of a missing value, its tag.
---@field is_there boolean Whether the tag is there and must not be; else it is missing.
---@field is_removal boolean Whether its conditions for removal hold.
---@field is_absent boolean Whether the attribute is not there.
---@field attribute string? The attribute: absent, out of its range, or following itself.
---@field have number Its value, the strength in an exclusive group, or the chance.
---@field min number? What it must be at least.
---@field max number? What it must be at most.
---@field is_above boolean Whether `min` itself is too little.
---@field is_below boolean Whether `max` itself is too much.
---@field parameter string? The parameter that is missing.
---@field modifier integer? The modifier concerned, from 1.
---@field effect kn.effect? Whose gate blocks, whose stack it is, or the stronger one.

---One cost.
---@class kn.price
---@field attribute string What is paid.
---@field amount number How much.
---@field have number How much is there.
---@field is_affordable boolean Whether that is enough.

---Everything about a task.
---@class kn.task_info
---@field kind kn.task_kind Its kind.
---@field activation kn.activation What it is of.
---@field name string? Its name.
---@field is_started boolean False until the call that made it is over.
---@field start number When it began.
---@field due number? When it is due; nil if it waits for something else.

---@class kn.type
---@overload fun(default: any): kn.type

---@class kn
---@field bool kn.type true or false
---@field u8 kn.type 0 to 255
---@field u16 kn.type 0 to 65,535
---@field u32 kn.type 0 to 4,294,967,295
---@field i32 kn.type -2,147,483,648 to 2,147,483,647
---@field i64 kn.type an integer
---@field u64 kn.type 64 bits, seen as an integer
---@field f32 kn.type a float; NaN is refused
---@field time kn.type seconds, kept in microseconds
---@field vec3 kn.type {x =, y =, z =}
---@field entity kn.type an entity, or nil
---@field effect kn.type an active effect, or nil
---@field ability kn.type a granted ability, or nil
---@field activation kn.type a running ability, or nil
---@field task kn.type a task, or nil
---@field spec kn.type a spec, or nil
---@field timer kn.type a timer, or nil
---@field tag kn.type the name of a tag, or nil
---@field attribute kn.type the name of an attribute, or nil
---@field curve kn.type the name of a curve, or nil
kn = {}

---An array of a type.
---@param type kn.type
---@param length integer
---@return kn.type
function kn.array(type, length) end

---The hooks of an ability, and handlers for its tasks.
---@class kn.ability_def
---@field state? table<string, kn.type> What lasts from one call to the next
---@field activate? fun(self: kn.running): boolean?, string? The body. Returning false, and perhaps the name of a refusal, or an error, cancels it.
---@field activate_by_event? fun(self: kn.running, event: kn.event): boolean?, string? The body for activations by events; without it `activate` serves both.
---@field pre_activate? fun(self: kn.running) Before the body.
---@field ended? fun(self: kn.running, reason: kn.end_reason) Once for each activation.
---@field can_activate? fun(self: kn.running, event: kn.event?): boolean Only reads. A last say in whether it may start.
---@field responds? fun(self: kn.running, event: kn.event): boolean Only reads. Whether an event is for it at all.
---@field granted? fun(self: kn.running) It was granted.
---@field removed? fun(self: kn.running) It was taken away.
---@field avatar_set? fun(self: kn.running) The owner has another body.
---@field level_changed? fun(self: kn.running, old_level: number) Its level is another.
---@field input_pressed? fun(self: kn.running) Its input was pressed while it runs.
---@field input_released? fun(self: kn.running) Its input was released while it runs.
---@field on_task? fun(self: kn.running, result: kn.task_result) Results of tasks without a handler of their own. Further functions of the table are handlers, found by name.
---@field [string] fun(self: kn.running, result: kn.task_result)|table

---@param name string
---@return fun(def: kn.ability_def)
function ability(name) end

---A task of your own.
---@class kn.task_def
---@field state? table<string, kn.type> What lasts from one call to the next
---@field start? fun(self: kn.task_self) It begins.
---@field woken? fun(self: kn.task_self, reaction: kn.reaction) Something it watches happened.
---@field timer? fun(self: kn.task_self): number? Its timer is up. Returning seconds above 0 sets it again.
---@field ended? fun(self: kn.task_self) It ends, for whatever reason.

---@param name string
---@return fun(def: kn.task_def)
function task(name) end

---Logic of an effect.
---@class kn.logic_def
---@field state? table<string, kn.type> What lasts from one call to the next
---@field applied? fun(self: kn.effect_self) The effect became active.
---@field ticked? fun(self: kn.effect_self) A tick of it.
---@field stacks_changed? fun(self: kn.effect_self, old: integer, new: integer) Its stacks.
---@field inhibited? fun(self: kn.effect_self, is_inhibited: boolean) It was switched off or on.
---@field removed? fun(self: kn.effect_self, reason: kn.removal_reason) It ended.

---@param name string
---@return fun(def: kn.logic_def)
function logic(name) end

---A magnitude.
---@class kn.calculation_def
---@field calculate? fun(self: kn.effect_self): number Only reads. The magnitude; an error or no number refuses the application.

---@param name string
---@return fun(def: kn.calculation_def)
function calculation(name) end

---An execution.
---@class kn.execution_def
---@field execute? fun(self: kn.effect_self) Changes attributes through self:output(), and anything else.

---@param name string
---@return fun(def: kn.execution_def)
function execution(name) end

---Hooks of an attribute set.
---@class kn.attributes_def
---@field pre_execute? fun(data: kn.execute): boolean|number|nil false discards the modification, a number is its magnitude instead.
---@field pre_base_change? fun(change: kn.change): number? The base value to store; nil: as it is.
---@field post_base_change? fun(change: kn.change) The base value is another.
---@field pre_change? fun(change: kn.change): number? The value to store; nil: as it is.
---@field post_change? fun(change: kn.change) The value is another.
---@field post_execute? fun(data: kn.execute) The place to spend meta attributes.

---@param name string
---@return fun(def: kn.attributes_def)
function attributes(name) end

---A kind of event.
---@class kn.event_def
---@field apply? fun(record: kn.record, magnitude: number) Carries out a record that passed its gates.

---@param name string
---@return fun(def: kn.event_def)
function event(name) end

---A rule that reacts.
---@class kn.rule_def
---@field react? fun(reaction: kn.reaction_self) What the rule waits for happened.

---@param name string
---@return fun(def: kn.rule_def)
function rule(name) end

---A way to find targets.
---@class kn.targeting_def
---@field find? fun(self: kn.targeting_self): kn.target[]? Only reads. Targets, for the shape "custom"; nil or none: nothing found.
---@field validate? fun(self: kn.targeting_self, targets: kn.target[]): boolean Only reads. Judges targets that came from elsewhere.

---@param name string
---@return fun(def: kn.targeting_def)
function targeting(name) end

---A requirement of effects.
---@class kn.requirement_def
---@field allow? fun(self: kn.effect_self): boolean|kn.effect true lets the effect in, false refuses it; an active effect says that it was changed instead.

---@param name string
---@return fun(def: kn.requirement_def)
function requirement(name) end

---A condition of modifiers and gates.
---@class kn.condition_def
---@field test? fun(record: kn.record, magnitude: number): boolean, number?, kn.op? Only reads. Whether the modifier or gate applies; with what magnitude and operation instead.

---@param name string
---@return fun(def: kn.condition_def)
function condition(name) end

---What a timer does.
---@class kn.timer_def
---@field state? table<string, kn.type> What lasts from one call to the next
---@field fired? fun(self: kn.timer_self): number? The timer is up. Returning seconds above 0 sets it again.

---@param name string
---@return fun(def: kn.timer_def)
function timer(name) end

---Which modifiers of an attribute take part.
---@class kn.policy_def
---@field qualify? fun(self: kn.policy_self, modifiers: kn.modifier[]): kn.modifier[]? Only reads. Those of the modifiers that take part; nil, or an error: all of them.

---@param name string
---@return fun(def: kn.policy_def)
function policy(name) end

---What is looked at again and again, on each entity that has it. `interval` is the time between looks in seconds.
---@class kn.ticker_def
---@field state? table<string, kn.type> What lasts from one call to the next
---@field interval number Seconds between looks
---@field should_start? fun(self: kn.ticker_self): boolean Only reads. Asked at each look while it does not run; without it: true.
---@field should_stop? fun(self: kn.ticker_self): boolean Only reads. Asked at each look while it runs; without it: the opposite of `should_start`.
---@field started? fun(self: kn.ticker_self) It begins to run; the first tick is a look later.
---@field tick? fun(self: kn.ticker_self, dt: number) A look while it runs. `dt`: seconds since the last tick, or since it started.
---@field stopped? fun(self: kn.ticker_self) It runs no more, or is taken away while it runs; not when its entity dies.

---@param name string
---@return fun(def: kn.ticker_def)
function ticker(name) end

---The world the call happens in. There is none while a chunk is loaded.
---@class kn.world
world = {}

---The time in seconds: inside a step, that of what happens.
---@return number
function world.now() end

---A number from 0 up to, but not, 1, from a random stream of the world; default 0.
---@param stream? integer
---@return number
function world.random(stream) end

---An integer from 0 up to, but not, the bound.
---@param bound integer
---@param stream? integer
---@return integer
function world.random_below(bound, stream) end

---A number between the two.
---@param low number
---@param high number
---@param stream? integer
---@return number
function world.random_range(low, high, stream) end

---A curve of the library at x.
---@param curve string
---@param x number
---@return number
function world.curve(curve, x) end

---Whether a tag is another one, or below it.
---@param tag string
---@param parent string
---@return boolean
function world.tag_matches(tag, parent) end

---A new entity.
---@return kn.entity|nil
---@return refusal?
function world.create() end

---A new entity with all that an archetype has, at a level; default 1.
---@param archetype string
---@param level? number
---@return kn.entity|nil
---@return refusal?
function world.spawn(archetype, level) end

---All live entities, by slot.
---@return kn.entity[]
function world.entities() end

---How many entities there are.
---@return integer
function world.entity_count() end

---How many effects are active.
---@return integer
function world.effect_count() end

---Runs a record through the pipeline of its kind. The magnitude it came to.
---@param record? kn.record_options
---@return number|nil
---@return refusal?
function world.run(record) end

---The effects whose gates would veto the record now.
---@param record? kn.record_options
---@return kn.effect[]
function world.vetoes(record) end

---Who touches a ball, by slot.
---@param center kn.vec3
---@param radius number
---@param filter? kn.filter
---@return kn.entity[]
function world.sphere(center, radius, filter) end

---Who touches a box; without `forward` it lies along the axes.
---@param center kn.vec3
---@param half kn.vec3
---@param forward? kn.vec3
---@param filter? kn.filter
---@return kn.entity[]
function world.box(center, half, forward, filter) end

---Who touches a cone; `cosine` is that of half its angle.
---@param origin kn.vec3
---@param direction kn.vec3
---@param cosine number
---@param length number
---@param filter? kn.filter
---@return kn.entity[]
function world.cone(origin, direction, cosine, length, filter) end

---Whom a ray, or a flying ball, meets, nearest first.
---@param origin kn.vec3
---@param direction kn.vec3
---@param length number
---@param radius? number
---@param filter? kn.filter
---@return kn.hit[]
function world.ray(origin, direction, length, radius, filter) end

---Who touches a ball, nearest first.
---@param center kn.vec3
---@param radius number
---@param filter? kn.filter
---@return kn.hit[]
function world.nearest(center, radius, filter) end

---A field of a component of the world itself; nil if it does not have it.
---@param component string
---@param field string
---@param element? integer
---@return any
function world.get(component, field, element) end

---Writes a field of a component of the world itself.
---@param component string
---@param field string
---@param value? any
---@param element? integer
---@return true|nil
---@return refusal?
function world.set(component, field, value, element) end

---Adds a component to the world itself, zeroed, or finds it.
---@param component string
---@return boolean
function world.add_component(component) end

---Whom things happen to. An integer; nil is nobody.
---@class kn.entity: integer
local entity = {}

---False once it is destroyed.
---@return boolean
function entity:is_alive() end

---Destroys it; false if it was gone.
---@return boolean
function entity:destroy() end

---64 bits of the host.
---@return integer
function entity:user() end

---Sets the 64 bits of the host.
---@param user integer
---@return true|nil
---@return refusal?
function entity:set_user(user) end

---Its body.
---@return kn.entity?
function entity:avatar() end

---Binds the body; nil: itself.
---@param avatar? kn.entity
---@return true|nil
---@return refusal?
function entity:set_avatar(avatar) end

---Whose tags, attributes and effects answer for it: itself, or the owner of an avatar.
---@return kn.entity?
function entity:component_owner() end

---Of the player who owns it; 0 for none.
---@return integer
function entity:connection() end

---Sets the connection.
---@param connection integer
---@return true|nil
---@return refusal?
function entity:set_connection(connection) end

---What it is attached to.
---@return kn.entity?
function entity:parent() end

---Attaches it; nil detaches.
---@param parent? kn.entity
---@return true|nil
---@return refusal?
function entity:set_parent(parent) end

---Who owns it: a player, a team.
---@return kn.entity?
function entity:owner() end

---Sets who owns it; nil for nobody.
---@param owner? kn.entity
---@return true|nil
---@return refusal?
function entity:set_owner(owner) end

---"authority", "server", "owner" or "observer".
---@return string
function entity:role() end

---True if it is controlled on this machine.
---@return boolean
function entity:is_local() end

---True if it has the tag or one below it.
---@param tag string
---@return boolean
function entity:has_tag(tag) end

---True only for the tag itself.
---@param tag string
---@return boolean
function entity:has_tag_exact(tag) end

---True if it has one of them.
---@param tags string|string[]
---@return boolean
function entity:has_any_tag(tags) end

---True if it has all of them.
---@param tags string|string[]
---@return boolean
function entity:has_all_tags(tags) end

---Tests a tag query, such as `all(any_tags(State.Wet), no_tags(Immune))`.
---@param query string
---@return boolean
function entity:matches(query) end

---Instances of the tag and all below it.
---@param tag string
---@return integer
function entity:tag_count(tag) end

---Instances of the tag itself.
---@param tag string
---@return integer
function entity:tag_count_exact(tag) end

---The tags it shows.
---@return string[]
function entity:tags() end

---Adds to the count of a loose tag; default 1.
---@param tag string
---@param count? integer
---@param origin? "loose"|"synced"
---@return true|nil
---@return refusal?
function entity:add_tag(tag, count, origin) end

---Takes from the count of a loose tag; default 1.
---@param tag string
---@param count? integer
---@param origin? "loose"|"synced"
---@return true|nil
---@return refusal?
function entity:remove_tag(tag, count, origin) end

---Sets the count of a loose tag.
---@param tag string
---@param count integer
---@param origin? "loose"|"synced"
---@return true|nil
---@return refusal?
function entity:set_tag_count(tag, count, origin) end

---True while abilities with this tag are blocked by an effect.
---@param tag string
---@return boolean
function entity:is_tag_blocked(tag) end

---The current value; 0 if it does not have the attribute.
---@param attribute string
---@param key? integer
---@return number
function entity:value(attribute, key) end

---The base value.
---@param attribute string
---@param key? integer
---@return number
function entity:base(attribute, key) end

---True if it has the attribute.
---@param attribute string
---@param key? integer
---@return boolean
function entity:has_attribute(attribute, key) end

---Least and most, as they are in force.
---@param attribute string
---@param key? integer
---@return number
---@return number
function entity:bounds(attribute, key) end

---Sets a base value. Effects are the better way.
---@param attribute string
---@param value number
---@param key? integer
---@return true|nil
---@return refusal?
function entity:set_base(attribute, value, key) end

---Sets base and current together.
---@param attribute string
---@param value number
---@param key? integer
---@return true|nil
---@return refusal?
function entity:init(attribute, value, key) end

---Starting values of a group and level.
---@param group string
---@param level integer
---@param key? integer
---@return true|nil
---@return refusal?
function entity:init_group(group, level, key) end

---Adds an attribute set.
---@param set string
---@param key? integer
---@return true|nil
---@return refusal?
function entity:add_attributes(set, key) end

---Removes an attribute set.
---@param set string
---@param key? integer
---@return true|nil
---@return refusal?
function entity:remove_attributes(set, key) end

---True if it has the set.
---@param set string
---@param key? integer
---@return boolean
function entity:has_attributes(set, key) end

---Why the value is what it is, one line for each contribution.
---@param attribute string
---@param key? integer
---@return string
function entity:explain(attribute, key) end

---A transient value of it, such as the length of a cast.
---@param value string
---@param base number
---@param record? kn.record_options
---@return number
function entity:evaluate(value, base, record) end

---Applies an effect to it. The active effect, or true for an instant one.
---@param effect string
---@param options? kn.apply_options
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
function entity:apply(effect, options) end

---Makes a spec with it as the source: what it is now goes along, to be applied later.
---@param effect string
---@param options? kn.apply_options
---@return kn.spec|nil
---@return refusal?
function entity:spec(effect, options) end

---Applies a container with it as the source. How many effects were applied.
---@param container string
---@param options? kn.container_options
---@return integer|nil
---@return refusal?
function entity:apply_container(container, options) end

---Its active effects in order of creation, at most 256.
---@param query? kn.effect_query
---@return kn.effect[]
function entity:effects(query) end

---How many of its active effects match.
---@param query? kn.effect_query
---@return integer
function entity:count_effects(query) end

---Removes stacks of effects that match, or all stacks. How many effects it met.
---@param query? kn.effect_query
---@param stacks? integer
---@param reason? kn.removal_reason
---@return integer|nil
---@return refusal?
function entity:remove_effects(query, stacks, reason) end

---Time left and duration of the match that ends last; nil if there is none.
---@param query? kn.effect_query
---@return number?
---@return number?
function entity:effects_remaining(query) end

---Sends it an event: abilities, tasks and rules of the tag hear it.
---@param tag string
---@param record? kn.record_options
---@return true|nil
---@return refusal?
function entity:send(tag, record) end

---A cue that happens once.
---@param tag string
---@param params? kn.cue_params
---@return true|nil
---@return refusal?
function entity:cue(tag, params) end

---A cue that lasts until it is removed as often.
---@param tag string
---@param params? kn.cue_params
---@return true|nil
---@return refusal?
function entity:add_cue(tag, params) end

---Takes back one addition.
---@param tag string
---@return true|nil
---@return refusal?
function entity:remove_cue(tag) end

---Removes all cues that were added. How many.
---@return integer
function entity:remove_cues() end

---How often a cue is active.
---@param tag string
---@return integer
function entity:cue_count(tag) end

---No cue of it is told while suppressed.
---@param suppressed boolean
---@return true|nil
---@return refusal?
function entity:suppress_cues(suppressed) end

---Where it is; nil if it has no place.
---@return kn.vec3?
function entity:position() end

---From where and which way it looks.
---@return kn.vec3?
---@return kn.vec3?
function entity:view() end

---Looks once by a targeting type.
---@param targeting string
---@return kn.target[]
function entity:find_targets(targeting) end

---Starts a timer that dies with it.
---@param timer string
---@param delay number
---@param state? any
---@return kn.timer|nil
---@return refusal?
function entity:start_timer(timer, delay, state) end

---Puts a ticker on it, whose first look is now; "duplicate" if it has it.
---@param ticker string
---@return true|nil
---@return refusal?
function entity:start_ticker(ticker) end

---Takes a ticker away, after its `stopped` if it runs; false if it has none.
---@param ticker string
---@return boolean
function entity:stop_ticker(ticker) end

---Whether it has a ticker.
---@param ticker string
---@return boolean
function entity:has_ticker(ticker) end

---Whether it has a ticker that runs.
---@param ticker string
---@return boolean
function entity:ticker_runs(ticker) end

---Tells tasks that the two touch.
---@param other kn.entity
---@return true|nil
---@return refusal?
function entity:overlap(other) end

---Tells tasks that its movement mode is another.
---@param mode integer
---@return true|nil
---@return refusal?
function entity:movement_mode(mode) end

---Interrupts its animations.
---@return true|nil
---@return refusal?
function entity:stop_animations() end

---A field of a component; nil if the entity does not have it.
---@param component string
---@param field string
---@param element? integer
---@return any
function entity:get(component, field, element) end

---Writes a field of a component; nil clears one that holds an id or a name.
---@param component string
---@param field string
---@param value? any
---@param element? integer
---@return true|nil
---@return refusal?
function entity:set(component, field, value, element) end

---Adds a component, zeroed, or finds it.
---@param component string
---@return boolean
function entity:add_component(component) end

---Takes a component away.
---@param component string
---@return boolean
function entity:remove_component(component) end

---True if the entity has it.
---@param component string
---@return boolean
function entity:has_component(component) end

---Sets how many items a component has; new ones are zero.
---@param component string
---@param count integer
---@return true|nil
---@return refusal?
function entity:resize(component, count) end

---How many items a component has.
---@param component string
---@return integer
function entity:item_count(component) end

---A field of an item, from 1; nil if there is none.
---@param component string
---@param field string
---@param item integer
---@return any
function entity:get_item(component, field, item) end

---Writes a field of an item; nil clears one that holds an id or a name.
---@param component string
---@param field string
---@param item integer
---@param value? any
---@return true|nil
---@return refusal?
function entity:set_item(component, field, item, value) end

---Grants it an ability.
---@param ability string
---@param options? kn.grant_options
---@return kn.ability|nil
---@return refusal?
function entity:grant(ability, options) end

---Grants an ability, activates it once, perhaps with an event, and takes it away when that ends.
---@param ability string
---@param options? kn.grant_options
---@param event? kn.record_options
---@return kn.ability|true|nil
---@return refusal?
function entity:grant_once(ability, options, event) end

---Its abilities in order of their grants, at most 256.
---@param query? kn.ability_query
---@return kn.ability[]
function entity:abilities(query) end

---Takes abilities away. How many.
---@param query? kn.ability_query
---@param removal? "cancel"|"after_end"
---@return integer
function entity:remove_abilities(query, removal) end

---Cancels what runs of them. How many.
---@param query? kn.ability_query
---@return integer
function entity:cancel_abilities(query) end

---Activates the first of this type that can be.
---@param ability string
---@return kn.activation|true|nil
---@return refusal?
function entity:activate(ability) end

---Tries every ability with all of the tags.
---@param tags string|string[]
---@return integer|nil
---@return refusal?
function entity:activate_tags(tags) end

---What runs, in the order it began.
---@return kn.activation[]
function entity:activations() end

---Grants a set of abilities.
---@param set string
---@return true|nil
---@return refusal?
function entity:grant_set(set) end

---Takes a set back.
---@param set string
---@param removal? "cancel"|"after_end"
---@return true|nil
---@return refusal?
function entity:revoke_set(set, removal) end

---Time left and length of the longest cooldown with these tags; nil if there is none.
---@param tags string|string[]
---@return number?
---@return number?
function entity:cooldown(tags) end

---Which inputs confirm and cancel; 0: none.
---@param confirm integer
---@param cancel integer
---@return true|nil
---@return refusal?
function entity:bind_input(confirm, cancel) end

---Presses an input; abilities it starts see the event.
---@param input integer
---@param event? kn.record_options
---@return true|nil
---@return refusal?
function entity:press(input, event) end

---Releases an input.
---@param input integer
---@return true|nil
---@return refusal?
function entity:release(input) end

---Confirms.
---@return true|nil
---@return refusal?
function entity:confirm() end

---Cancels.
---@return true|nil
---@return refusal?
function entity:cancel() end

---An active effect. An integer; nil is none.
---@class kn.effect: integer
local effect = {}

---False once it ended.
---@return boolean
function effect:is_alive() end

---Its name; nil once it ended.
---@return string?
function effect:type() end

---Who has it.
---@return kn.entity?
function effect:target() end

---Who made it; may be gone.
---@return kn.entity?
function effect:source() end

---Its level.
---@return number?
function effect:level() end

---Its stacks; 0 once it ended.
---@return integer
function effect:stacks() end

---Seconds left; nil if it has no end.
---@return number?
function effect:remaining() end

---The target data it was applied with.
---@return kn.target[]
function effect:targets() end

---Everything about it.
---@return kn.effect_info?
function effect:info() end

---The scaled magnitude of one modifier, from 1.
---@param modifier integer
---@return number
function effect:magnitude(modifier) end

---A value it was made with.
---@param tag string
---@param fallback? number
---@return number
function effect:caller_value(tag, fallback) end

---Removes stacks, or all of it.
---@param stacks? integer
---@param reason? kn.removal_reason
---@return true|nil
---@return refusal?
function effect:remove(stacks, reason) end

---It ends so long from now.
---@param seconds number
---@return true|nil
---@return refusal?
function effect:set_remaining(seconds) end

---Adds to the time left, up to a cap.
---@param seconds number
---@param cap? number
---@return true|nil
---@return refusal?
function effect:add_remaining(seconds, cap) end

---Multiplies the time left.
---@param factor number
---@return true|nil
---@return refusal?
function effect:scale_remaining(factor) end

---Changes its whole length, from its start.
---@param seconds number
---@return true|nil
---@return refusal?
function effect:set_total(seconds) end

---Begins again now, with this length.
---@param seconds number
---@return true|nil
---@return refusal?
function effect:restart(seconds) end

---Sets its level.
---@param level number
---@return true|nil
---@return refusal?
function effect:set_level(level) end

---Sets its stacks.
---@param stacks integer
---@return true|nil
---@return refusal?
function effect:set_stacks(stacks) end

---Sets a caller value; what depends on it follows.
---@param tag string
---@param value number
---@return true|nil
---@return refusal?
function effect:set_caller_value(tag, value) end

---Computes its magnitudes anew.
---@return true|nil
---@return refusal?
function effect:refresh() end

---A tick now, outside its schedule.
---@return true|nil
---@return refusal?
function effect:execute() end

---An effect that is made and not yet applied. An integer.
---@class kn.spec: integer
local spec = {}

---False once it is destroyed.
---@return boolean
function spec:is_alive() end

---Destroys it; false if it was gone.
---@return boolean
function spec:destroy() end

---A second one like it.
---@return kn.spec|nil
---@return refusal?
function spec:copy() end

---Applies it; it stays and can be applied again.
---@param target kn.entity
---@return kn.effect|true|nil
---@return refusal?
function spec:apply(target) end

---All reasons against applying it now, as far as they are certain; empty if there is none.
---@param target kn.entity
---@return kn.effect_refusal[]
function spec:reasons(target) end

---A caller value.
---@param tag string
---@param fallback? number
---@return number
function spec:caller_value(tag, fallback) end

---Sets a caller value.
---@param tag string
---@param value number
---@return true|nil
---@return refusal?
function spec:set_caller_value(tag, value) end

---Sets a parameter or named value.
---@param name string
---@param value number
---@return true|nil
---@return refusal?
function spec:set_parameter(name, value) end

---Sets its level.
---@param level number
---@return true|nil
---@return refusal?
function spec:set_level(level) end

---Sets its duration.
---@param seconds number
---@return true|nil
---@return refusal?
function spec:set_duration(seconds) end

---Sets its period.
---@param seconds number
---@return true|nil
---@return refusal?
function spec:set_period(seconds) end

---Sets the stacks it adds.
---@param stacks integer
---@return true|nil
---@return refusal?
function spec:set_stacks(stacks) end

---One more tag it grants.
---@param tag string
---@return true|nil
---@return refusal?
function spec:add_granted_tag(tag) end

---One more tag that describes it.
---@param tag string
---@return true|nil
---@return refusal?
function spec:add_asset_tag(tag) end

---Replaces instigator, causer, object, origin, ability and activation.
---@param context? kn.apply_options
---@param keep_captures? boolean
---@return true|nil
---@return refusal?
function spec:set_context(context, keep_captures) end

---A running timer. An integer.
---@class kn.timer: integer
local timer = {}

---Stops it; false if it was gone.
---@return boolean
function timer:cancel() end

---Seconds left; 0 once it is gone.
---@return number
function timer:remaining() end

---An ability granted to an entity. An integer; nil is none.
---@class kn.ability: integer
local ability = {}

---False once it is taken away.
---@return boolean
function ability:is_alive() end

---True while it runs.
---@return boolean
function ability:is_active() end

---Its name.
---@return string?
function ability:type() end

---Who has it.
---@return kn.entity?
function ability:owner() end

---Its level.
---@return number
function ability:level() end

---Everything about it.
---@return kn.ability_info?
function ability:info() end

---Sets its level; the id may be another one afterwards.
---@param level number
---@return kn.ability|nil
---@return refusal?
function ability:set_level(level) end

---Binds it to an input; 0: none.
---@param input integer
---@return true|nil
---@return refusal?
function ability:set_input(input) end

---Sets the 64 bits of the host.
---@param user integer
---@return true|nil
---@return refusal?
function ability:set_user(user) end

---One more tag.
---@param tag string
---@return true|nil
---@return refusal?
function ability:add_tag(tag) end

---One tag less.
---@param tag string
---@return true|nil
---@return refusal?
function ability:remove_tag(tag) end

---True if it has the tag or one below it.
---@param tag string
---@return boolean
function ability:has_tag(tag) end

---A value that goes to its effects.
---@param tag string
---@param fallback? number
---@return number
function ability:caller_value(tag, fallback) end

---Sets a value that goes to its effects.
---@param tag string
---@param value number
---@return true|nil
---@return refusal?
function ability:set_caller_value(tag, value) end

---All reasons against starting now; nil if there is none.
---@param event? kn.record_options
---@return string[]?
function ability:check(event) end

---The same as a sentence with numbers.
---@return string
function ability:explain() end

---The same as tables.
---@return kn.reason[]
function ability:reasons() end

---Activates it, with an event or without.
---@param event? kn.record_options
---@return kn.activation|true|nil
---@return refusal?
function ability:activate(event) end

---Cancels what runs of it.
---@return true|nil
---@return refusal?
function ability:cancel() end

---Takes back one grant.
---@param removal? "cancel"|"after_end"
---@return true|nil
---@return refusal?
function ability:revoke(removal) end

---Takes it away, however often it was granted.
---@param removal? "cancel"|"after_end"
---@return true|nil
---@return refusal?
function ability:remove(removal) end

---Its price now.
---@return kn.price[]
function ability:quote() end

---Its cooldowns.
---@return kn.cooldown[]
function ability:cooldowns() end

---Time left and length of the longest; nil if there is none.
---@return number?
---@return number?
function ability:cooldown() end

---Its own charges, or those shared under a key.
---@param key? string
---@return kn.cooldown?
function ability:charges(key) end

---Adds charges, or takes them.
---@param charges integer
---@param key? string
---@return true|nil
---@return refusal?
function ability:add_charges(charges, key) end

---Full charges, no cycle.
---@param key? string
---@return true|nil
---@return refusal?
function ability:reset_cooldown(key) end

---Adds to the time left; `floor` is the least that stays.
---@param seconds number
---@param key? string
---@param floor? number
---@return true|nil
---@return refusal?
function ability:change_cooldown(seconds, key, floor) end

---Multiplies the time left.
---@param factor number
---@param key? string
---@return true|nil
---@return refusal?
function ability:scale_cooldown(factor, key) end

---One running use of an ability. An integer; nil is none.
---@class kn.activation: integer
local activation = {}

---The ability it is of.
---@return kn.ability?
function activation:ability() end

---Whose it is.
---@return kn.entity?
function activation:owner() end

---When it began.
---@return number
function activation:start() end

---What it was triggered with.
---@return kn.event?
function activation:event() end

---False once it ended.
---@return boolean
function activation:is_alive() end

---Applies an effect as the ability: source, level and caller values are its.
---@param effect string
---@param target kn.entity
---@param options? kn.apply_options
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
function activation:apply(effect, target, options) end

---Pays the cost and starts the cooldowns; tags are told with it.
---@param tags? string|string[]
---@return true|nil
---@return refusal?
function activation:commit(tags) end

---Pays the cost.
---@param tags? string|string[]
---@return true|nil
---@return refusal?
function activation:commit_cost(tags) end

---Starts the cooldowns.
---@param tags? string|string[]
---@return true|nil
---@return refusal?
function activation:commit_cooldown(tags) end

---How much of an attribute it has paid.
---@param attribute string
---@return number
function activation:paid(attribute) end

---Gives back a share, 0 to 1, of what was paid.
---@param share number
---@return true|nil
---@return refusal?
function activation:refund(share) end

---Ends it as done.
---@return true|nil
---@return refusal?
function activation:finish() end

---Cancels it.
---@return true|nil
---@return refusal?
function activation:cancel() end

---While false, cancelling is refused.
---@param is_cancelable boolean
---@return true|nil
---@return refusal?
function activation:set_cancelable(is_cancelable) end

---Lifts or restores its block on other abilities.
---@param is_blocking boolean
---@return true|nil
---@return refusal?
function activation:set_blocking(is_blocking) end

---A seed for random numbers: equal on server and client.
---@return integer
function activation:seed() end

---A number from 0 up to 1 that belongs to it and an index, default 0: equal on server and client. 0 once it ended.
---@param index? integer
---@return number
function activation:random(index) end

---Its tasks in order of creation.
---@return kn.task[]
function activation:tasks() end

---Its first task with a name.
---@param name string
---@return kn.task?
function activation:find_task(name) end

---One task of a running ability. An integer; nil is none.
---@class kn.task: integer
local task = {}

---False once it is over.
---@return boolean
function task:is_alive() end

---Ends it without a result.
---@return true|nil
---@return refusal?
function task:stop() end

---Everything about it.
---@return kn.task_info?
function task:info() end

---What a targeting task has found so far.
---@return kn.target[]
function task:targets() end

---Makes what a targeting task sees final.
---@return true|nil
---@return refusal?
function task:confirm() end

---Cancels a targeting task.
---@return true|nil
---@return refusal?
function task:cancel() end

---Final targets from elsewhere.
---@param targets (kn.target|kn.entity)[]
---@return true|nil
---@return refusal?
function task:provide(targets) end

---An ability in one of its hooks.
---@class kn.running
---@field state table What lasts as long as it runs; see `state` of the definition.
---@field owner kn.entity Whose ability it is.
---@field avatar kn.entity The body; the owner itself if it has no other.
---@field ability kn.ability The ability.
---@field activation kn.activation? This use of it; nil in hooks about the grant.
---@field level number Its level.
---@field event kn.event? What it was triggered with.
---@field has_event boolean True if it was, or is to be, triggered by one.
---@field start number When it began.
local running = {}

---Goes on with the handler after so long.
---@param seconds number
---@param handler? string
---@return kn.task|nil
---@return refusal?
function running:wait(seconds, handler) end

---Calls the handler every so often, `count` times, or as long as it runs.
---@param seconds number
---@param handler? string
---@param count? integer
---@return kn.task|nil
---@return refusal?
function running:every(seconds, handler, count) end

---Waits for an event with the tag or below.
---@param tag string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:wait_event(tag, handler, options) end

---Waits until the tag is there.
---@param tag string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:wait_tag(tag, handler, options) end

---Waits until the tag is not there.
---@param tag string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:wait_no_tag(tag, handler, options) end

---Waits until its input is released; at once if it is not down.
---@param handler? string
---@return kn.task|nil
---@return refusal?
function running:wait_release(handler) end

---Plays an animation.
---@param animation string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:play(animation, handler, options) end

---Looks for targets until they are confirmed.
---@param targeting string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:aim(targeting, handler, options) end

---Moves the owner; see kn.motion.
---@param motion any
---@param handler? string
---@return kn.task|nil
---@return refusal?
function running:move(motion, handler) end

---A task of any kind.
---@param kind kn.task_kind
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:task(kind, handler, options) end

---False once it ended.
---@return boolean
function running:is_alive() end

---Applies an effect as the ability: source, level and caller values are its.
---@param effect string
---@param target kn.entity
---@param options? kn.apply_options
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
function running:apply(effect, target, options) end

---Pays the cost and starts the cooldowns; tags are told with it.
---@param tags? string|string[]
---@return true|nil
---@return refusal?
function running:commit(tags) end

---Pays the cost.
---@param tags? string|string[]
---@return true|nil
---@return refusal?
function running:commit_cost(tags) end

---Starts the cooldowns.
---@param tags? string|string[]
---@return true|nil
---@return refusal?
function running:commit_cooldown(tags) end

---How much of an attribute it has paid.
---@param attribute string
---@return number
function running:paid(attribute) end

---Gives back a share, 0 to 1, of what was paid.
---@param share number
---@return true|nil
---@return refusal?
function running:refund(share) end

---Ends it as done.
---@return true|nil
---@return refusal?
function running:finish() end

---Cancels it.
---@return true|nil
---@return refusal?
function running:cancel() end

---While false, cancelling is refused.
---@param is_cancelable boolean
---@return true|nil
---@return refusal?
function running:set_cancelable(is_cancelable) end

---Lifts or restores its block on other abilities.
---@param is_blocking boolean
---@return true|nil
---@return refusal?
function running:set_blocking(is_blocking) end

---A seed for random numbers: equal on server and client.
---@return integer
function running:seed() end

---A number from 0 up to 1 that belongs to it and an index, default 0: equal on server and client. 0 once it ended.
---@param index? integer
---@return number
function running:random(index) end

---Its tasks in order of creation.
---@return kn.task[]
function running:tasks() end

---Its first task with a name.
---@param name string
---@return kn.task?
function running:find_task(name) end

---A task of your own in one of its hooks.
---@class kn.task_self
---@field state table What lasts as long as the task.
---@field owner kn.entity Whose ability it serves.
---@field task kn.task The task.
---@field activation kn.activation What it belongs to.
---@field ability kn.ability The ability of that.
local task_self = {}

---Sets its timer; below 0 stops it.
---@param seconds number
---@return true|nil
---@return refusal?
function task_self:wake_after(seconds) end

---Is woken when it happens to an entity, default its owner; `what` is a tag, attribute or effect, default any.
---@param trigger kn.trigger
---@param what? any
---@param entity? kn.entity
---@return true|nil
---@return refusal?
function task_self:watch(trigger, what, entity) end

---Tells its ability a number and an array of floats; ends unless `ends` is false.
---@param output integer
---@param data? any
---@param ends? boolean
---@return true|nil
---@return refusal?
function task_self:tell(output, data, ends) end

---Ends it without a result.
---@return true|nil
---@return refusal?
function task_self:stop() end

---An effect in a calculation, execution, requirement or hook of its logic.
---@class kn.effect_self
---@field state table Logic: what lasts as long as the effect.
---@field type string The effect.
---@field level number Its level.
---@field stacks integer Its stacks.
---@field source kn.entity? Who made it.
---@field target kn.entity Who receives it.
---@field causer kn.entity? Weapon or projectile.
---@field object integer 64 bits of the host.
---@field effect kn.effect? The active effect; nil while it is being applied.
---@field ability kn.ability? The ability that made it.
---@field activation kn.activation? And its activation.
---@field tick integer How many executions there were before.
---@field targets kn.target[] The target data it was applied with.
local effect_self = {}

---A value set by the caller.
---@param tag string
---@param fallback? number
---@return number
function effect_self:caller_value(tag, fallback) end

---A declared parameter.
---@param name string
---@param fallback? number
---@return number
function effect_self:parameter(name, fallback) end

---A named value of the caller.
---@param name string
---@param fallback? number
---@return number
function effect_self:named_value(name, fallback) end

---Whether a tag describes the effect.
---@param tag string
---@return boolean
function effect_self:has_asset_tag(tag) end

---Whether the source had the tag when the spec was made.
---@param tag string
---@return boolean
function effect_self:source_has_tag(tag) end

---Whether the target has the tag.
---@param tag string
---@return boolean
function effect_self:target_has_tag(tag) end

---Calculations, executions: a declared capture, from 1.
---@param index integer
---@return number
function effect_self:capture(index) end

---Executions: changes an attribute, after the function returns.
---@param attribute string
---@param op kn.op
---@param magnitude number
---@param key? integer
function effect_self:output(attribute, op, magnitude, key) end

---Executions: a transient variable; nil if the execution does not list it.
---@param tag string
---@return number?
function effect_self:transient(tag) end

---Executions: the effect's cues are not executed.
function effect_self:handle_cues() end

---Executions: outputs are not scaled by stacks.
function effect_self:handle_stacks() end

---Executions: starts the effect's conditional children.
function effect_self:trigger_children() end

---A value of an attribute about to change, or changed.
---@class kn.change
---@field entity kn.entity Whose attribute changes.
---@field attribute string Which.
---@field key integer Of which instance of the set.
---@field old_value number Before.
---@field new_value number After, or about to be.
local change = {}

---A modifier being executed on a base value.
---@class kn.execute
---@field entity kn.entity Whose base value changes.
---@field attribute string Which.
---@field key integer Of which instance of the set.
---@field op kn.op How.
---@field magnitude number By how much.
---@field old_base number Before; post_execute only.
---@field new_base number After; post_execute only.
---@field type string? The effect behind it.
---@field level number Its level.
---@field stacks integer Its stacks.
---@field source kn.entity? Who made it.
---@field causer kn.entity? Weapon or projectile.
---@field effect kn.effect? The active effect.
---@field ability kn.ability? The ability that made it.
local execute = {}

---A value set by the caller.
---@param tag string
---@param fallback? number
---@return number
function execute:caller_value(tag, fallback) end

---A declared parameter.
---@param name string
---@param fallback? number
---@return number
function execute:parameter(name, fallback) end

---A named value of the caller.
---@param name string
---@param fallback? number
---@return number
function execute:named_value(name, fallback) end

---Whether a tag describes the effect.
---@param tag string
---@return boolean
function execute:has_asset_tag(tag) end

---Whether the source had the tag when the spec was made.
---@param tag string
---@return boolean
function execute:source_has_tag(tag) end

---Whether the target has the tag.
---@param tag string
---@return boolean
function execute:target_has_tag(tag) end

---An event record in a condition or an event kind.
---@class kn.record
---@field kind string? What kind of event it is.
---@field tag string? What it is.
---@field tags string[] What describes it.
---@field instigator kn.entity? Who does it.
---@field target kn.entity? To whom.
---@field magnitude number How much.
---@field object integer 64 bits of the host.
---@field object2 integer 64 bits of the host.
---@field targets kn.target[] Its target data.
local record = {}

---Whether the tag, or one below it, describes it.
---@param tag string
---@return boolean
function record:has_tag(tag) end

---What a rule reacts to.
---@class kn.reaction_self
---@field trigger kn.trigger What happened.
---@field entity kn.entity? To whom.
---@field tag string? The tag.
---@field attribute string? The attribute.
---@field key integer Of which instance of its set; or the movement mode.
---@field old_value number Value of the attribute before.
---@field new_value number Value of the attribute after.
---@field old_count integer Stacks, or count of the tag, before.
---@field new_count integer Stacks, or count of the tag, after.
---@field effect kn.effect? The effect.
---@field effect_type string? Its type.
---@field reason kn.removal_reason? Why it was removed.
---@field instigator kn.entity? Who did it.
---@field magnitude number Of the event.
---@field ability kn.ability? The ability.
---@field activation kn.activation? Its activation.
---@field end_reason kn.end_reason? Why that ended.
local reaction_self = {}

---Who looks for targets.
---@class kn.targeting_self
---@field owner kn.entity Who looks.
---@field avatar kn.entity The body.
---@field activation kn.activation? For which use of an ability.
---@field task kn.task? For which task.
local targeting_self = {}

---A timer that fires.
---@class kn.timer_self
---@field state table What it was started with; 16 bytes.
---@field entity kn.entity? Whom it dies with.
local timer_self = {}

---A policy at work. It sees modifiers and nothing else of the world.
---@class kn.policy_self
---@field base number The base value of the attribute.
local policy_self = {}

---A ticker in one of its hooks.
---@class kn.ticker_self
---@field state table What lasts as long as the ticker is on the entity.
---@field entity kn.entity? Whom it is on; nil for the world itself.
---@field runs boolean Whether it runs: between `started` and `stopped`.
local ticker_self = {}

---Takes it away, after `stopped` if it runs; false if it is gone already.
---@return boolean
function ticker_self:stop() end
