-- SPDX-License-Identifier: MIT

-- What knack gives to scripts, for the Lua language server. Printed from the tables the bindings
-- are made of; do not edit.

---@meta

---@alias kn.op "add"|"multiply"|"divide"|"multiply_additive"|"divide_additive"|"multiply_compound"|"divide_compound"|"add_final"|"override"
---@alias kn.removal_reason "expired"|"by_call"|"dispelled"|"by_effect"|"overwritten"|"requirement"|"target_died"|"source_gone"|"parent_ended"|"charges_used"|"stack_cleared"|"shortened"|"mispredicted"|"rule"
---@alias kn.end_reason "ended"|"cancelled"|"by_tags"|"retriggered"|"removed"|"owner_gone"|"failed"|"tag_lost"|"rejected"|"remote"
---@alias kn.fail "stale"|"networking"|"dead"|"blocked"|"missing_tags"|"cooldown"|"cost"|"active"|"custom"|"not_ready"|"no_target"
---@alias kn.trigger "event"|"tag_added"|"tag_removed"|"attribute_changed"|"effect_applied"|"effect_removed"|"effect_stacks"|"ability_activated"|"ability_committed"|"ability_ended"|"overlap"|"movement"|"entity_created"|"entity_destroyed"|"owner_changed"|"parent_changed"|"effect_executed"|"effect_inhibited"|"ability_failed"|"effect_reapplied"|"ability_granted"|"ability_removed"|"set_added"|"set_removed"|"charges"|"connection_changed"
---@alias kn.task_kind "delay"|"repeat"|"event"|"tag_added"|"tag_removed"|"tag_query"|"attribute"|"threshold"|"effect_applied"|"effect_removed"|"effect_stacks"|"ability_activated"|"ability_committed"|"ability_ended"|"input_pressed"|"input_released"|"confirm"|"overlap"|"movement"|"animation"|"spawn"|"motion"|"state"|"net_sync"|"target"|"cue"|"custom"
---@alias kn.cause_kind "host"|"apply"|"tick"|"expire"|"remove"|"child"|"tag"|"attribute"|"rule"|"event"|"timer"|"destroy"|"ability"|"end"|"task"|"command"|"system"|"custom"
---@alias kn.task_output "fired"|"finished"|"confirmed"|"cancelled"|"blend_out"|"completed"|"interrupted"|"notify"|"timed_out"|"gone"
---@alias kn.compare "less"|"less_equal"|"equal"|"not_equal"|"greater_equal"|"greater"
---@alias kn.sync_wait "server_waits"|"client_waits"|"both_wait"
---@alias refusal string

---An event record.
---@class kn.record_options
---@field kind? string the event kind; needed to run it
---@field tag? string the event's tag, for those who receive it
---@field tags? string|string[] additional tags that describe it
---@field instigator? kn.entity the entity that causes it
---@field target? kn.entity the entity it happens to
---@field magnitude? number the magnitude
---@field object? integer 64 bits for the host
---@field object2? integer 64 bits for the host
---@field targets? (kn.target|kn.entity)[] target data
---@field ignore_modifiers? boolean runs it without modifiers
---@field ignore_gates? boolean nothing can veto it

---How an effect is applied.
---@class kn.apply_options
---@field source? kn.entity the source of the effect
---@field level? number default 1
---@field stacks? integer stacks to add; default: as the def says
---@field duration? number default: as the def says
---@field period? number default: as the def says
---@field values? table<string, number> caller values: tag = number
---@field parameters? table<string, number> parameters and named values: name = number
---@field granted_tags? string|string[] additional tags it grants
---@field asset_tags? string|string[] additional tags that describe it
---@field instigator? kn.entity default: the source
---@field causer? kn.entity weapon, projectile
---@field object? integer 64 bits for the host
---@field origin? kn.vec3 position it comes from
---@field ability? kn.ability the ability it comes from
---@field activation? kn.activation the activation it comes from
---@field targets? (kn.target|kn.entity)[] target data that is passed along with it
---@field ignore_gates? boolean immunity does not block it

---Selects active effects; every test must match.
---@class kn.effect_query
---@field type? string of this type, or one descended from it
---@field any_tags? string|string[] asset or granted tags: any of these
---@field all_tags? string|string[] asset or granted tags: all of these
---@field asset_tags? string|string[] asset tags: any of these
---@field granted_tags? string|string[] granted tags: any of these
---@field source? kn.entity applied by this entity
---@field modifies? string with a modifier on this attribute

---How a container is applied.
---@class kn.container_options
---@field level? number default 1
---@field targets? kn.entity[] for containers whose targets are given
---@field data? (kn.target|kn.entity)[] for containers whose targets are target data
---@field values? table<string, number> caller values for all effects

---How an ability is granted.
---@class kn.grant_options
---@field level? number default 1
---@field input? integer input number; 0: none; default: as the def says
---@field source? kn.entity the entity that grants it
---@field object? integer 64 bits for the host
---@field user? integer 64 bits for the host
---@field tags? string|string[] additional tags of the ability
---@field values? table<string, number> caller values for all its effects
---@field parameters? table<string, number> parameters for all its effects
---@field share? boolean true: grants an existing one once more

---Selects abilities; every test must match.
---@class kn.ability_query
---@field type? string of this type, or one descended from it
---@field all_tags? string|string[] with all of these
---@field any_tags? string|string[] with any of these
---@field no_tags? string|string[] with none of these
---@field input? integer bound to this input
---@field effect? kn.effect granted by this effect
---@field is_active? boolean only those that are active
---@field ignore? kn.activation excludes the ability of this activation

---The parameters of a cue.
---@class kn.cue_params
---@field magnitude? number the magnitude
---@field location? kn.vec3 where it happens
---@field normal? kn.vec3 direction
---@field instigator? kn.entity the entity responsible
---@field causer? kn.entity the entity that caused it directly
---@field object? integer 64 bits for the host

---What a task needs, by kind.
---@class kn.task_options
---@field name? string a name to find it by
---@field entity? kn.entity the entity it watches; default: the owner
---@field repeats? boolean continues after a result
---@field test_now? boolean inputs: counts an input that is already down
---@field timeout? number the output is "timed_out" after this time
---@field resource? string the resources it claims
---@field conflict? "interrupt"|"refuse"|"allow" what happens to a task that claims the same
---@field delay? number delay: the time to wait
---@field interval? number repeat: the time between results
---@field count? integer repeat: how many times; 0: forever
---@field tag? string event, tag_added, tag_removed, cue
---@field tags? string|string[] ability_*: with any of these
---@field query? string tag_query: a tag query
---@field when_false? boolean tag_query: waits until it no longer matches
---@field attribute? string attribute, threshold
---@field relative_to? string threshold: `value` is a share of this
---@field compare? kn.compare threshold
---@field value? number threshold
---@field effect_type? string effect_*: of this type
---@field effect? kn.effect effect_*: this one
---@field mode? integer movement: this mode; default any
---@field animation? string animation
---@field section? string animation: where it begins
---@field rate? number animation: playback rate; default 1
---@field start? number animation: where it begins
---@field quiet_end? boolean animation: no result after the blend-out
---@field user? integer spawn: the host's 64 bits for the new entity
---@field targeting? string target: the targeting type
---@field confirm? "instant"|"user"|"custom"|"custom_multi" target: when targets become final
---@field sync? kn.sync_wait net_sync: who waits; default "server_waits"
---@field sync_expiry? "continue"|"cancel" net_sync: what happens after the timeout; default "continue"
---@field motion? any motion: a table; see kn.motion
---@field type? string custom: the type of task
---@field state? any custom: a table of the fields that the task declares

---A motion.
---@class kn.motion
---@field kind? "force"|"radial"|"move_to"|"follow"|"jump" required
---@field duration? number default 1
---@field priority? integer priority among those that override
---@field adds? boolean whether it is added to the host's velocity or overrides it
---@field strength? number forces: units per second
---@field strength_curve? string forces: curve of the factor over time
---@field centre? kn.vec3 radial
---@field radius? number radial
---@field pulls? boolean radial: towards the centre
---@field direction? kn.vec3 forces and jumps
---@field destination? kn.vec3 move_to
---@field offset? kn.vec3 follow: seen from the target
---@field easing? string paths: curve of the share of the way over time
---@field distance? number jump
---@field height? number jump
---@field tag? string a tag for the host
---@field position? kn.vec3 where it begins; default: where the owner is
---@field velocity? kn.vec3 the velocity before the motion
---@field target? kn.entity follow: the entity to follow

---Selects entities; every test must match.
---@class kn.filter
---@field layers? integer layers to search, as bits; default: all
---@field ignore? kn.entity excludes this entity
---@field required? string|string[] tags they must have, all of them
---@field without? string|string[] tags they must not have
---@field limit? integer maximum number of results; default and maximum 256

---A position or a direction.
---@class kn.vec3
---@field x number The first coordinate.
---@field y number The second coordinate.
---@field z number The third coordinate.

---A result of a spatial query.
---@class kn.hit
---@field entity kn.entity? The entity that was hit; nil for scenery.
---@field point kn.vec3 The point that was hit.
---@field normal kn.vec3 The surface normal.
---@field distance number The distance.

---A record of target data. A type that the game defines has its own fields.
---@class kn.target
---@field type string "entity", "hit", "location", "line", or a type that the game defines.
---@field entity kn.entity? entity, hit: the entity that was found.
---@field point kn.vec3? hit: where.
---@field normal kn.vec3? hit: the surface normal.
---@field distance number? hit: the distance.
---@field part integer? hit: bone or surface, for the host.
---@field position kn.vec3? location: where.
---@field direction kn.vec3? location, line: the direction; zero for none.
---@field source kn.entity? line: the entity it starts at.
---@field start kn.vec3? line: where it starts.
---@field ["end"] kn.vec3? line: where it ends; read it as `target["end"]`.
---@field [string] any Fields of a type that the game defines.

---An event record.
---@class kn.event
---@field tag string? What happened.
---@field kind string? The event kind.
---@field tags string[] Additional tags.
---@field instigator kn.entity? The entity that caused it.
---@field target kn.entity? The entity it happens to.
---@field magnitude number The magnitude.
---@field object integer The host's 64 bits.
---@field object2 integer 64 more.
---@field targets kn.target[]? Target data, if it has any.

---What woke a custom task; each trigger fills the fields that belong to it.
---@class kn.reaction
---@field trigger kn.trigger What happened.
---@field entity kn.entity? The entity it happens to.
---@field tag string? The tag.
---@field attribute string? The attribute.
---@field key integer The instance of its set; or the movement mode.
---@field old_value number The attribute's value before.
---@field new_value number The attribute's value after.
---@field old_count integer Stacks, the count of the tag, or charges, before.
---@field new_count integer Stacks, the count of the tag, or charges, after.
---@field effect kn.effect? The effect.
---@field effect_type string? Its type.
---@field reason kn.removal_reason? Why it was removed.
---@field instigator kn.entity? The entity that caused it, or cancelled it.
---@field magnitude number The magnitude of the event, or the number of a cancel.
---@field ability kn.ability? The ability.
---@field activation kn.activation? Its activation.
---@field end_reason kn.end_reason? Why the activation ended.
---@field fail_reasons string[] ability_failed: why it was refused.
---@field other kn.entity? The owner or parent now.
---@field old_other kn.entity? The owner or parent before.
---@field event kn.event? The event with everything it carries.
---@field causer kn.entity? Weapon or projectile behind the effect.
---@field level number The level of the effect, or of a further application.
---@field ability_type string? The type of the ability, also when it is gone.
---@field object integer The host's 64 bits behind the effect.
---@field old_remaining number? effect_reapplied: seconds left before; nil for forever.
---@field new_remaining number? effect_reapplied: seconds left now; nil for forever.
---@field set string? The attribute set that was added or removed.

---What a task reports to its ability; each kind fills the fields that belong to it.
---@class kn.task_result
---@field task kn.task Which task.
---@field kind kn.task_kind Its kind.
---@field name string? Its name.
---@field output kn.task_output|integer What happened; for a custom task, the number it reported.
---@field data number[]? custom: the numbers it reported.
---@field tag string? tag_*, a notify of an animation, and a cancel: the tag.
---@field is_there boolean? tag_*: whether the entity has the tag now.
---@field index integer? repeat: which repetition, from 1.
---@field is_last boolean? repeat: whether it is the last repetition.
---@field event kn.event? event: what happened.
---@field attribute string? attribute, threshold: which.
---@field old_value number? attribute, threshold: before.
---@field new_value number? attribute, threshold: after.
---@field effect kn.effect? effect_*: which.
---@field type string? effect_*: its type.
---@field count integer? effect_*: stacks now.
---@field old_count integer? effect_*: stacks before.
---@field reason kn.removal_reason|kn.end_reason|nil effect_*, ability_*: why it ended.
---@field ability kn.ability? ability_*: which.
---@field activation kn.activation? ability_*: its activation.
---@field instigator kn.entity? ability_ended: who cancelled it.
---@field number number? ability_ended: the number that came with a cancel; 0 if none did.
---@field held number? input_*: how long it was held.
---@field entity kn.entity? overlap, spawn: the entity that touches, or was created.
---@field mode integer? movement: the mode.
---@field targets kn.target[]? target: what was found.

---What a policy chooses from.
---@class kn.modifier
---@field index integer Its index among the modifiers, from 1.
---@field op kn.op Its operation.
---@field channel integer Its channel.
---@field magnitude number The magnitude of one stack, or of all, as the effect says.
---@field stacks integer Stacks of the effect.
---@field group string? The group, of which only one modifier applies.
---@field source kn.entity? Who made the effect.
---@field type string? The effect it belongs to.
---@field influence number What it alone would do to the value.

---Everything about an effect.
---@class kn.effect_info
---@field type string Its name.
---@field target kn.entity The entity that has it.
---@field source kn.entity? The entity that applied it; it may no longer exist.
---@field instigator kn.entity? The instigator.
---@field causer kn.entity? The causer: a bullet, a trap.
---@field object integer The host's 64 bits.
---@field level number Its level.
---@field stacks integer Its stacks.
---@field start number When it began.
---@field duration number? Its duration; nil if it lasts forever.
---@field remaining number? Seconds left; nil if it lasts forever.
---@field period number Seconds between ticks; 0 for none.
---@field next_tick number? When it ticks next; nil for never.
---@field executions integer How many times it was executed.
---@field is_inhibited boolean Whether it is inhibited.
---@field tally_loss number The total it took.
---@field tally_gain number The total it gave.
---@field origin kn.vec3? Where it came from, if known.

---A further application that joined an effect, and what it did.
---@class kn.reapplication
---@field source kn.entity? The entity that applied it this time.
---@field instigator kn.entity? The instigator of this application.
---@field causer kn.entity? The causer: a bullet, a trap.
---@field ability kn.ability? The ability behind this application.
---@field activation kn.activation? The activation behind this application.
---@field origin kn.vec3? Where it came from, if known.
---@field took_over boolean Whether the effect now has the source, level and values of this application.
---@field level number The level of this application.
---@field stacks integer The stacks it brought.
---@field old_stacks integer Stacks of the effect before.
---@field new_stacks integer Stacks of the effect after.
---@field object integer The host's 64 bits.
---@field old_remaining number? Seconds that were left; nil if it lasted forever.
---@field new_remaining number? Seconds left now; nil if it lasts forever.

---Everything about an ability.
---@class kn.ability_info
---@field type string Its name.
---@field owner kn.entity The entity that has it.
---@field level number Its level.
---@field input integer Its input; 0 for none.
---@field is_pressed boolean Whether the input is down.
---@field is_removing boolean Whether it is removed when its last activation ends.
---@field grants integer How many times it was granted.
---@field active_count integer How many activations are active.
---@field latest kn.activation? The most recent activation.
---@field source kn.entity? The entity that granted it.
---@field object integer The host's 64 bits.
---@field user integer Your own 64 bits.
---@field effect kn.effect? The effect that grants it.

---A cooldown.
---@class kn.cooldown
---@field key string? The tag it is shared under; nil for an ability's own.
---@field charges integer Charges left.
---@field max_charges integer Maximum charges.
---@field remaining number? Seconds left of the recharge cycle; 0 when none is running, nil if it is paused.
---@field total number? Length of a recharge cycle in seconds.
---@field wait number? Seconds until it can be used, as things stand; nil for never.

---One reason for a refusal.
---@class kn.reason
---@field reason kn.fail Why it is refused.
---@field tag string? The tag that blocks, or is missing.
---@field attribute string? The attribute.
---@field have number The current value, or charges.
---@field need number What would be needed.
---@field remaining number? Time left of the cooldown.
---@field total number? Its whole length.
---@field effect kn.effect? The effect that causes it.
---@field ability kn.ability? The ability that causes it.
---@field check string? The check that refuses.
---@field source kn.entity? The source of a block, see `block_abilities`.
---@field key integer The key of a block.
---@field text string? What the refusing function says about it.

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
---@field value string? The value of the target that leaves the effect no time; `have` is its result.
---@field parameter string? The parameter that is missing.
---@field modifier integer? The modifier concerned, from 1.
---@field effect kn.effect? Whose gate blocks, whose stack it is, or the stronger one.
---@field fail kn.fail? The reason that a requirement or gate gives.
---@field need number What a requirement or gate says is needed.

---One cost.
---@class kn.price
---@field attribute string The attribute that is paid with.
---@field amount number The magnitude.
---@field have number How much is available.
---@field is_affordable boolean Whether that is enough.

---Everything about a task.
---@class kn.task_info
---@field kind kn.task_kind Its kind.
---@field activation kn.activation The activation it belongs to.
---@field name string? Its name.
---@field is_started boolean False until the call that created it returns.
---@field start number When it began.
---@field due number? When it is due; nil if it waits for something else.

---One link of a chain of causes.
---@class kn.cause
---@field kind kn.cause_kind What kind of cause it is.
---@field entity kn.entity? The entity it happens to; for abilities the owner.
---@field effect kn.effect? The active effect concerned; it may no longer exist.
---@field type string? The type of that effect.
---@field source kn.entity? Who applied it, where that is known.
---@field tag string? The tag concerned.
---@field ability string? The ability, for "ability", "end" and "task".
---@field command string? The kind of command.
---@field system string? The system.
---@field custom string? The kind of a cause that a game or kit registers.
---@field def_kind string? For those: the kind of the definition concerned.
---@field def string? For those: the definition concerned.

---Why an activation ends, and who cancelled it.
---@class kn.cancel
---@field reason kn.end_reason Why it ends.
---@field instigator kn.entity? Who cancelled it.
---@field tag string? What it is about.
---@field number number A number that came with it; 0 if none did.

---A table that functions of a game or kit return.
---@class kn.cast_info
---@field activation kn.activation? The activation that casts; nil for observers.
---@field ability string? The ability that is cast.
---@field cast string? Its definition.
---@field kind "plain"|"channel"|"held"|"instant" What it does over time.
---@field start number? When it began.
---@field finish number? When it is over, as things stand.
---@field total number? Its full length, without pushback.
---@field next number? When the next tick or stage is due.
---@field tick integer Number of the last tick that was due.
---@field ticks integer Number of the last tick there is.
---@field stage integer Stages that a held cast has reached.
---@field stages integer Stages there are; 0 for other kinds.
---@field pushed integer How often it was pushed back.
---@field is_interruptible boolean It can be interrupted.
---@field progress number How far it is, 0 to 1.

---A table that functions of a game or kit return.
---@class kn.interrupt_result
---@field ability string? The ability that was cast.
---@field cast string? Its cast.
---@field lockout number Seconds of the lock-out, after modifiers; 0 for none.

---A table that functions of a game or kit return.
---@class kn.lockout
---@field tag string? What is locked out.
---@field instigator kn.entity? Who caused it last.
---@field start number? When it began.
---@field finish number? When it is over.

---A table that functions of a game or kit return.
---@class kn.queued_press
---@field ability kn.ability? The ability that will be used.
---@field category string? Its category.
---@field since number? When it was pressed.
---@field due number? When it is tried, as things stand.
---@field waits_for_cast boolean It waits for the end of a cast, otherwise for a cooldown.

---A table that functions of a game or kit return.
---@class kn.resource_info
---@field resource string? The resource.
---@field value number What is there.
---@field minimum number Lowest value.
---@field maximum number Highest value; `math.huge` without one.
---@field is_regenerating boolean The next change by itself is a gain.
---@field is_decaying boolean The next change by itself is a loss.
---@field next number? Seconds until the next change by itself; nil for none.
---@field next_amount number What that would change.

---A table that functions of a game or kit return.
---@class kn.threat_entry
---@field entity kn.entity? Whose threat it is.
---@field threat number How much.
---@field is_target boolean It is the target now.
---@field is_suppressed boolean Others are preferred.
---@field is_taunting boolean Its taunt is in force.
---@field is_fixed boolean The owner of the table is fixed on it.

---A table that functions of a game or kit return.
---@class kn.combat_hit
---@field source kn.entity? Who dealt it.
---@field target kn.entity? Who was hit.
---@field amount number What was asked for: the sum of what follows.
---@field mitigated number What modifiers, the outcome and gates took away; negative if they made it larger.
---@field shared number What others took for the target.
---@field absorbed number What effects absorbed.
---@field over number Overkill, or healing beyond the full.
---@field dealt number Health really lost or gained.
---@field outcome string? Tag of its first outcome; nil for a normal hit.
---@field is_refused boolean A gate refused it.
---@field has_killed boolean The target died of it.
---@field stopped string? The effect whose gate refused it.

---A table that functions of a game or kit return.
---@class kn.hit_line
---@field stage "amount"|"source"|"outcome"|"target"|"gate"|"share"|"absorb"|"limit"|"health" What the line is about.
---@field result number What is left of the hit with this line.
---@field delta number The difference to the line before.
---@field effect kn.effect? The effect that modifies, refuses, shares or absorbs.
---@field type string? The type of that effect.
---@field source kn.entity? Who applied that effect, or who takes the share.
---@field magnitude number Of a modifier; for outcomes the factor.
---@field outcome string? For outcomes: the tag.
---@field chance number For outcomes: the probability.
---@field is_certain boolean For outcomes: it happens for sure.

---A table that functions of a game or kit return.
---@class kn.buff_info
---@field buff string? The buff.
---@field polarity "buff"|"debuff"|"hidden" Whether it helps or harms.
---@field absorb_left number What its pool still absorbs.
---@field absorb_full number The most that its pool has had.
---@field taken number Damage that has counted towards breaking it.
---@field breaks_at number Damage that breaks it; 0 for any, below 0 for never.

---A table that functions of a game or kit return.
---@class kn.dispel_result
---@field attempts integer Attempts that were used up.
---@field removed integer Attempts that removed something.
---@field stolen integer Attempts that stole something.
---@field resisted integer Attempts that a resistance made fail.
---@field blocked integer Effects that gates protect.

---A table that functions of a game or kit return.
---@class kn.proc_line
---@field proc string? The proc.
---@field effect kn.effect? The effect that brings it along.
---@field ability kn.ability? The ability that brings it along.
---@field cooldown number? Seconds left of its cooldown.
---@field charges integer Charges that are left; 0 also if it has none.
---@field answer "may_act"|"not_there"|"inhibited"|"no_charges"|"on_cooldown"|"other_event"|"outcome"|"tags"|"ability"|"periodic"|"triggered"|"itself"|"depth"|"suppressed"|"same_use"|"condition"|"no_chance" The first test that refuses it.
---@field chance number The chance of this attempt.

---A table that functions of a game or kit return.
---@class kn.proc_info
---@field proc string? The proc.
---@field effect kn.effect? The effect that brings it along.
---@field ability kn.ability? The ability that brings it along.
---@field cooldown number? Seconds left of its cooldown.
---@field charges integer Charges that are left; 0 also if it has none.

---A table that functions of a game or kit return.
---@class kn.current_order
---@field order string? What to do; nil for none.
---@field index integer Variant of the order; -1 for none.
---@field target kn.entity? The entity it is aimed at.
---@field location kn.vec3 The point it is aimed at; nil for none.
---@field has_location boolean It is aimed at a point.
---@field home kn.vec3 Where the unit belongs meanwhile.
---@field ticket integer What `end_order` needs.
---@field queue_count integer Orders that wait.
---@field is_idle boolean It is the stop order of the unit, or there is none.
---@field interrupts boolean It has interrupted the order that comes next.

---A table that functions of a game or kit return.
---@class kn.order
---@field order string? What to do; nil for none.
---@field index integer Variant of the order; -1 for none.
---@field target kn.entity? The entity it is aimed at.
---@field location kn.vec3 The point it is aimed at; nil for none.
---@field has_location boolean It is aimed at a point.

---A table that functions of a game or kit return.
---@class kn.auto_order
---@field order string? The order type.
---@field index integer Its variant; -1 for none.
---@field priority integer Those with higher ones come first, if the unit ranks them.
---@field is_for_players boolean Players may switch it.
---@field is_for_ai boolean Units of the AI do it always.
---@field is_on boolean A player has it on.

---A table that functions of a game or kit return.
---@class kn.order_relation
---@field is_friendly boolean They are on one side.
---@field is_hostile boolean They are enemies.
---@field is_neutral boolean Neither.
---@field is_self boolean They are the same.
---@field is_visible boolean The first one sees the other.

---A table that functions of a game or kit return.
---@class kn.tree_state
---@field tree string? The tree that runs, or ran last.
---@field result "succeeded"|"failed"|"running"|"aborted" Running, or how it ended.
---@field is_running boolean It runs.
---@field run integer Rises by one whenever a tree is started on the entity.
---@field node_count integer Number of its nodes, those of sub-trees included.

---A table that functions of a game or kit return.
---@class kn.tree_node
---@field name string? Its name, or the word for its kind.
---@field kind "sequence"|"selector"|"random_selector"|"parallel"|"repeat"|"loop_until"|"invert"|"succeed"|"time_limit"|"cooldown"|"sub_tree"|"wait"|"wait_event"|"wait_tag"|"wait_no_tag"|"wait_attribute"|"wait_ability"|"task"|"use_ability"|"apply_effect"|"send_event"|"set_key"|"issue_order"|"finish_order"|"move_to"|"face" Its kind.
---@field depth integer Nodes that it is inside of.
---@field state "none"|"running"|"succeeded"|"failed"|"aborted"|"blocked" What became of it.

---A table that functions of a game or kit return.
---@class kn.blackboard_order
---@field order string? The order type; nil for none.
---@field location kn.vec3 The point it is aimed at.
---@field target kn.entity? The entity it is aimed at.
---@field index integer Its variant; -1 for none.
---@field range number Its range when it began.
---@field home kn.vec3 Where the unit belongs meanwhile.

---A table that functions of a game or kit return.
---@class kn.producer_info
---@field type string? Its type.
---@field state "idle"|"works"|"pauses"|"waits"|"holds" What it does: `idle`, `works`, `pauses` (a tag keeps it from working), `waits` (the first product cannot be created yet) or `holds` (something does not let it begin yet).
---@field queue_count integer Products in its queue.
---@field progress number Of the first product, 0 to 1.
---@field remaining number? Time that the first product still needs.

---A table that functions of a game or kit return.
---@class kn.product_item
---@field product string? The product.
---@field payer kn.entity? Who paid for it; nil if that is gone.
---@field progress number How much of it is done, 0 to 1.
---@field done_at number? When it is done, if nothing pauses and nothing is cancelled.

---A table that functions of a game or kit return.
---@class kn.rally_point
---@field target kn.entity? An entity; nil for a point.
---@field location kn.vec3 The point.

---A table that functions of a game or kit return.
---@class kn.site_info
---@field product string? What is built.
---@field payer kn.entity? Who paid for it; nil if that is gone.
---@field builder_count integer How many work at it.
---@field progress number How much of it is done, 0 to 1.
---@field done_at number? When it is done with these builders.

---A table that functions of a game or kit return.
---@class kn.gatherer_info
---@field type string? Its type.
---@field node kn.entity? The node that it takes from.
---@field waits kn.entity? The node where it waits for its turn.
---@field carries string? The kind that it carries.
---@field amount number How much of it.

---A table that functions of a game or kit return.
---@class kn.rts_learn_info
---@field why_not string[] Why it cannot be learned or raised; empty if it can.
---@field level integer Its level now; 0: not learned.
---@field max_level integer Its highest level.
---@field required_level integer Level that the unit needs for the next one.

---A table that functions of a game or kit return.
---@class kn.rts_weapon_info
---@field weapon string? The weapon.
---@field ability kn.ability? The ability that it gives.
---@field phase "idle"|"windup"|"backswing" What it is doing.
---@field target kn.entity? Its target, or the last one.
---@field remaining number? Of its cooldown; 0: ready.
---@field cooldown number? Whole length of its cooldown.

---A table that functions of a game or kit return.
---@class kn.rts_damage
---@field asked number With the multiplier of the source.
---@field mitigated number What was taken away from it.
---@field absorbed number What was kept from health.
---@field overkill number What there was no health for.
---@field dealt number Health that it took.

---A table that functions of a game or kit return.
---@class kn.rts_population
---@field used number By units and products in work.
---@field cap number For how much there is room in all.
---@field room number What is left, 0 or more.

---A table that functions of a game or kit return.
---@class kn.rts_research
---@field why_not string[] The first reason why it cannot be researched; nil: it can be.
---@field level integer The level that the player has.
---@field max_level integer Highest level of the upgrade.
---@field seconds number Time to research the next level.

---A table that functions of a game or kit return.
---@class kn.rts_item_info
---@field type string? Its type.
---@field holder kn.entity? Who carries it.
---@field slot integer Its slot, from 0.
---@field charges integer Charges that are left.
---@field acts boolean It is carried, and not in a stash.
---@field is_placed boolean It lies in the world.
---@field location kn.vec3 Where it lies.
---@field effect kn.effect? The effect that its holder has of it.
---@field ability kn.ability? The ability that its holder has of it.

---A table that functions of a game or kit return.
---@class kn.rts_item_answer
---@field why_not string[] Why it cannot be done; empty if it can.

---A table that functions of a game or kit return.
---@class kn.rts_good_info
---@field item string? What it is.
---@field stock integer How many are left; 4294967295: any number.
---@field price number The first part of its price.

---A table that functions of a game or kit return.
---@class kn.rts_seen_info
---@field is_known integer 1: it is seen or remembered; 0: neither.
---@field position kn.vec3 Where it was.
---@field time number? When it went out of sight; now while it is seen.

---A table that functions of a game or kit return.
---@class kn.rts_button
---@field order string? The order that it gives.
---@field index integer Variant of the order; -1 for none.
---@field ability string? The ability that it uses; nil for none.
---@field product string? Name of the product that it makes; nil for none.
---@field title string? What players read.
---@field icon string? Name of its picture; nil for none.
---@field place integer Place among the buttons; -1: anywhere.
---@field target_kind "none"|"entity"|"location"|"direction"|"passive" What the player must aim at.
---@field auto_state "none"|"off"|"on" Whether it is given automatically.
---@field level integer Level of the ability; 0: not learned.
---@field max_level integer Highest level of the ability.
---@field charges integer Charges there are now.
---@field max_charges integer Most charges.
---@field cooldown number? Time until it can be used.
---@field cooldown_total number? Whole length of that.
---@field is_ready boolean The order could be given now.
---@field is_current boolean The unit obeys this order now.
---@field can_learn boolean An ability point may be spent on the ability.

---A table that functions of a game or kit return.
---@class kn.rts_look
---@field title string? Its title, or its name.
---@field icon string? Name of its picture; nil for none.
---@field icon_disabled string? Name of its picture when it cannot be used; nil for none.
---@field button integer Place among the buttons; -1: anywhere.
---@field shows_as_order boolean Its button belongs to the orders, not to the abilities.
---@field preview string? Name of what shows where it is aimed; nil for nothing.
---@field preview_snap "none"|"owner"|"cursor" Where that is shown.

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
---@field ref kn.type the name of a definition of a kind, or nil: `kn.ref("effect")`
---@field enum kn.type one of several words, at first the first: `kn.enum("idle moving")`
kn = {}

---An array of a type.
---@param type kn.type
---@param length integer
---@return kn.type
function kn.array(type, length) end

---The hooks of an ability, and handlers for its tasks.
---@class kn.ability_def
---@field state? table<string, kn.type> State that lasts from one call to the next
---@field activate? fun(self: kn.running): boolean?, string? The body. Returning false, optionally with the name of a refusal, cancels the activation, as does an error.
---@field activate_by_event? fun(self: kn.running, event: kn.event): boolean?, string? The body for activations by events; without it `activate` is called.
---@field pre_activate? fun(self: kn.running) Called before the body.
---@field ended? fun(self: kn.running, reason: kn.end_reason, cancel: kn.cancel) When an activation ends; called once for each.
---@field can_activate? fun(self: kn.running, event: kn.event?): boolean Read-only. The final decision whether it may be activated.
---@field responds? fun(self: kn.running, event: kn.event): boolean Read-only. Whether it responds to an event.
---@field granted? fun(self: kn.running) It was granted.
---@field removed? fun(self: kn.running) It was removed.
---@field avatar_set? fun(self: kn.running) The owner's avatar has changed.
---@field level_changed? fun(self: kn.running, old_level: number) Its level has changed.
---@field input_pressed? fun(self: kn.running) Its input was pressed while it is active.
---@field input_released? fun(self: kn.running) Its input was released while it is active.
---@field on_task? fun(self: kn.running, result: kn.task_result) Receives results of tasks that have no handler. Any other function in the table is a handler, found by name.
---@field [string] fun(self: kn.running, result: kn.task_result)|table

---@param name string
---@return fun(def: kn.ability_def)
function ability(name) end

---A custom task.
---@class kn.task_def
---@field state? table<string, kn.type> State that lasts from one call to the next
---@field start? fun(self: kn.task_self) It begins.
---@field woken? fun(self: kn.task_self, reaction: kn.reaction) Something it watches happened.
---@field timer? fun(self: kn.task_self): number? Its timer has expired. Returning seconds above 0 sets it again.
---@field synced? fun(self: kn.task_self, is_in_time: boolean) It has passed its sync point, or the time for that is over.
---@field ended? fun(self: kn.task_self) It ends, for any reason.

---@param name string
---@return fun(def: kn.task_def)
function task(name) end

---Logic of an effect.
---@class kn.logic_def
---@field state? table<string, kn.type> State that lasts from one call to the next
---@field applied? fun(self: kn.effect_self) The effect became active.
---@field ticked? fun(self: kn.effect_self) The effect ticks.
---@field stacks_changed? fun(self: kn.effect_self, old: integer, new: integer) Its number of stacks has changed.
---@field inhibited? fun(self: kn.effect_self, is_inhibited: boolean) It was inhibited, or is no longer inhibited.
---@field removed? fun(self: kn.effect_self, reason: kn.removal_reason) It ended.
---@field reapplied? fun(self: kn.effect_self, again: kn.reapplication) A further application joined it, even if neither stacks nor time changed.
---@field executed? fun(self: kn.effect_self) An instant effect was executed; its state is not kept.

---@param name string
---@return fun(def: kn.logic_def)
function logic(name) end

---Computes a magnitude.
---@class kn.calculation_def
---@field calculate? fun(self: kn.effect_self): number Read-only. Returns the magnitude; an error, or a result that is not a number, refuses the application.

---@param name string
---@return fun(def: kn.calculation_def)
function calculation(name) end

---Changes attributes, and more, when an effect is executed.
---@class kn.execution_def
---@field execute? fun(self: kn.effect_self) Changes attributes through self:output(); may also change anything else.

---@param name string
---@return fun(def: kn.execution_def)
function execution(name) end

---Hooks of an attribute set.
---@class kn.attributes_def
---@field pre_execute? fun(data: kn.execute): boolean|number|nil false discards the modification; a number replaces its magnitude.
---@field pre_base_change? fun(change: kn.change): number? Returns the base value to store; nil: unchanged.
---@field post_base_change? fun(change: kn.change) The base value has changed.
---@field pre_change? fun(change: kn.change): number? Returns the value to store; nil: unchanged.
---@field post_change? fun(change: kn.change) The value has changed.
---@field post_execute? fun(data: kn.execute) An execution has changed the base value: the place to consume meta attributes.

---@param name string
---@return fun(def: kn.attributes_def)
function attributes(name) end

---An event kind.
---@class kn.event_def
---@field apply? fun(record: kn.record, magnitude: number) Carries out an event record that passed its gates.

---@param name string
---@return fun(def: kn.event_def)
function event(name) end

---A rule that reacts to an event.
---@class kn.rule_def
---@field react? fun(reaction: kn.reaction_self) The event the rule waits for has happened.

---@param name string
---@return fun(def: kn.rule_def)
function rule(name) end

---A condition of abilities, besides their own.
---@class kn.ability_check_def
---@field check? fun(self: kn.running, event: kn.event?): boolean? Read-only. Whether an ability may be activated: `self:refuse()` says why not, false alone refuses for the reason of the check.

---@param name string
---@return fun(def: kn.ability_check_def)
function ability_check(name) end

---A way to find targets.
---@class kn.targeting_def
---@field find? fun(self: kn.targeting_self): kn.target[]? Read-only. Returns targets, for the shape "custom"; nil or an empty array: nothing found.
---@field validate? fun(self: kn.targeting_self, targets: kn.target[]): boolean Read-only. Validates targets that came from elsewhere.

---@param name string
---@return fun(def: kn.targeting_def)
function targeting(name) end

---A requirement of effects.
---@class kn.requirement_def
---@field allow? fun(self: kn.effect_self): boolean|kn.effect true accepts the effect, false refuses it; an active effect means that this one was changed instead.

---@param name string
---@return fun(def: kn.requirement_def)
function requirement(name) end

---A condition of modifiers and gates.
---@class kn.condition_def
---@field test? fun(record: kn.record, magnitude: number): boolean, number?, kn.op? Read-only. Returns whether the modifier or gate applies, optionally with another magnitude and operation.

---@param name string
---@return fun(def: kn.condition_def)
function condition(name) end

---A timer.
---@class kn.timer_def
---@field state? table<string, kn.type> State that lasts from one call to the next
---@field fired? fun(self: kn.timer_self): number? The timer has expired. Returning seconds above 0 sets it again.

---@param name string
---@return fun(def: kn.timer_def)
function timer(name) end

---Decides which modifiers of an attribute count.
---@class kn.policy_def
---@field qualify? fun(self: kn.policy_self, modifiers: kn.modifier[]): kn.modifier[]? Read-only. Returns the modifiers that count; nil, or an error: all of them.

---@param name string
---@return fun(def: kn.policy_def)
function policy(name) end

---Checked repeatedly on each entity that has it. `interval` is the time between checks in seconds.
---@class kn.ticker_def
---@field state? table<string, kn.type> State that lasts from one call to the next
---@field interval number Seconds between checks
---@field should_start? fun(self: kn.ticker_self): boolean Read-only. Called at each check while it is not running; default: true.
---@field should_stop? fun(self: kn.ticker_self): boolean Read-only. Called at each check while it is running; default: the opposite of `should_start`.
---@field started? fun(self: kn.ticker_self) It starts running; the first tick comes one check later.
---@field tick? fun(self: kn.ticker_self, dt: number) A check while it is running. `dt`: seconds since the last tick, or since it started.
---@field stopped? fun(self: kn.ticker_self) It stops running, or is removed while running; not called when its entity is destroyed.

---@param name string
---@return fun(def: kn.ticker_def)
function ticker(name) end

---A kind of command of players.
---@class kn.command_def
---@field run? fun(command: kn.command_self): boolean? Carries out a command. Returning false publishes that it was refused.
---@field check? fun(command: kn.command_self): boolean? Read-only. Returning false refuses the command.

---@param name string
---@return fun(def: kn.command_def)
function command(name) end

---Runs at a fixed rate, for the whole world.
---@class kn.system_def
---@field run? fun(self: kn.system_self, dt: number) A run of the system. `dt`: seconds since the run before it was due.

---@param name string
---@return fun(def: kn.system_def)
function system(name) end

---Hooks of a component.
---@class kn.component_def
---@field added? fun(self: kn.component_self) The component was added and is zeroed.
---@field removed? fun(self: kn.component_self) The component will be removed, by a call or with its entity.

---@param name string
---@return fun(def: kn.component_def)
function component(name) end

---Waits for something to happen to an entity.
---@class kn.watch_def
---@field state? table<string, kn.type> State that lasts from one call to the next
---@field react? fun(reaction: kn.watch_self) What the watch waits for has happened. After an error the watch is stopped.

---@param name string
---@return fun(def: kn.watch_def)
function watch(name) end

---The world in which the call happens. There is none while a chunk is being loaded.
---@class kn.world
world = {}

---The time in seconds; inside a step, the time of the current event.
---@return number
function world.now() end

---A number from 0 up to, but not including, 1, from a random stream of the world (default stream 0).
---@param stream? integer
---@return number
function world.random(stream) end

---The number of a random stream that a kit or game registered; nil when there is none.
---@param name string
---@return integer?
function world.stream(name) end

---An integer from 0 up to, but not including, the bound.
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

---The value of a curve at x.
---@param curve string
---@param x number
---@return number
function world.curve(curve, x) end

---Whether a tag equals another one, or is below it.
---@param tag string
---@param parent string
---@return boolean
function world.tag_matches(tag, parent) end

---The fields of a definition, such as `world.def("effect", "Burn")`, also of kinds that kits bring along; a table of its own, without functions and what is not set.
---@param kind string
---@param name string
---@return table
function world.def(kind, name) end

---The names of all definitions of a kind, in the order they were registered.
---@param kind string
---@return string[]
function world.defs(kind) end

---The number that a magnitude of a definition has now, such as `world.magnitude("order", "Attack", "threat", unit, foe)`; level 1 unless given.
---@param kind string
---@param name string
---@param field string
---@param source? kn.entity
---@param target? kn.entity
---@param level? number
---@return number|nil
---@return refusal?
function world.magnitude(kind, name, field, source, target, level) end

---Whether a condition holds for a record.
---@param condition string
---@param record? kn.record_options
---@return boolean
function world.holds(condition, record) end

---Why the function that runs is called; nil if the host itself calls.
---@return kn.cause?
function world.cause() end

---The chain of causes of what is running now, the innermost first; empty if the host itself calls.
---@return kn.cause[]
function world.causes() end

---The command behind what is running now: the connection that sent it, and its sequence; nil if no command is.
---@return integer?
---@return integer?
function world.key() end

---True on a client whose world is ahead of what the server is known to have done.
---@return boolean
function world.is_predicting() end

---Begins a link of the chain of causes, of a kind that the program has registered: what the function does until `close_cause` has it as its cause. One that is not closed ends with the function.
---@param cause string
---@param link? { entity?: kn.entity, tag?: string, kind?: string, def?: string }
---@return true|nil
---@return refusal?
function world.open_cause(cause, link) end

---Ends the link that `open_cause` began last in this function; false if there is none.
---@return boolean
function world.close_cause() end

---Publishes a custom event that concerns no entity, for observers.
---@param event string
---@param fields? any
---@return true|nil
---@return refusal?
function world.publish(event, fields) end

---Creates an entity.
---@return kn.entity|nil
---@return refusal?
function world.create() end

---Creates an entity from an archetype, at a level; default 1.
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

---Runs a record through the pipeline of its kind. Returns the final magnitude.
---@param record? kn.record_options
---@return number|nil
---@return refusal?
function world.run(record) end

---The effects whose gates would veto the record now.
---@param record? kn.record_options
---@return kn.effect[]
function world.vetoes(record) end

---Issues a command of an entity for the next step. `payload` has fields of its kind; those that are missing are zero.
---@param kind string
---@param entity? kn.entity
---@param payload? any
---@param options? { connection?: integer, sequence?: integer, targets?: (kn.target|kn.entity)[] }
---@return true|nil
---@return refusal?
function world.command(kind, entity, payload, options) end

---Issues several commands for the next step that are carried out with nothing in between. Each part is a table with `kind`, and if needed `entity` (default: that of the batch), `payload` and `targets`.
---@param entity? kn.entity
---@param parts any
---@param options? { connection?: integer, sequence?: integer }
---@return true|nil
---@return refusal?
function world.batch(entity, parts, options) end

---The entities that touch a sphere, by slot.
---@param center kn.vec3
---@param radius number
---@param filter? kn.filter
---@return kn.entity[]
function world.sphere(center, radius, filter) end

---The entities that touch a box; without `forward` it is aligned with the axes.
---@param center kn.vec3
---@param half kn.vec3
---@param forward? kn.vec3
---@param filter? kn.filter
---@return kn.entity[]
function world.box(center, half, forward, filter) end

---The entities that touch a cone; `cosine` is that of half its angle.
---@param origin kn.vec3
---@param direction kn.vec3
---@param cosine number
---@param length number
---@param filter? kn.filter
---@return kn.entity[]
function world.cone(origin, direction, cosine, length, filter) end

---The entities that a ray, or a moving sphere, hits, nearest first.
---@param origin kn.vec3
---@param direction kn.vec3
---@param length number
---@param radius? number
---@param filter? kn.filter
---@return kn.hit[]
function world.ray(origin, direction, length, radius, filter) end

---The entities that touch a sphere, nearest first.
---@param center kn.vec3
---@param radius number
---@param filter? kn.filter
---@return kn.hit[]
function world.nearest(center, radius, filter) end

---Switches a system on or off in this world. It runs for the first time after now.
---@param system string
---@param on boolean
---@return true|nil
---@return refusal?
function world.set_system(system, on) end

---Whether a system runs in this world.
---@param system string
---@return boolean
function world.system_is_on(system) end

---A field of a component of the world itself; nil if the world does not have the component.
---@param component string
---@param field string
---@param element? integer
---@param instance? integer
---@return any
function world.get(component, field, element, instance) end

---Writes a field of a component of the world itself.
---@param component string
---@param field string
---@param value? any
---@param element? integer
---@param instance? integer
---@return true|nil
---@return refusal?
function world.set(component, field, value, element, instance) end

---Adds a component to the world itself, zeroed, or finds an existing one.
---@param component string
---@return boolean
function world.add_component(component) end

---Adds another component of a type with `several` to the world itself. Returns its id.
---@param component string
---@return integer|nil
---@return refusal?
function world.add_instance(component) end

---The ids of the world's own components of a type with `several`, in the order they were added.
---@param component string
---@return integer[]
function world.instances(component) end

---Removes a component of the world itself; the first one without an id.
---@param component string
---@param instance? integer
---@return boolean
function world.remove_component(component, instance) end

---True if the world itself has the component.
---@param component string
---@param instance? integer
---@return boolean
function world.has_component(component, instance) end

---Sets how many items a component of the world itself has; new ones are zeroed.
---@param component string
---@param count integer
---@param instance? integer
---@return true|nil
---@return refusal?
function world.resize(component, count, instance) end

---How many items a component of the world itself has.
---@param component string
---@param instance? integer
---@return integer
function world.item_count(component, instance) end

---A field of an item of a component of the world itself, counted from 1; nil if there is none.
---@param component string
---@param field string
---@param item integer
---@param element? integer
---@param instance? integer
---@return any
function world.get_item(component, field, item, element, instance) end

---Writes a field of an item of a component of the world itself.
---@param component string
---@param field string
---@param item integer
---@param value? any
---@param element? integer
---@param instance? integer
---@return true|nil
---@return refusal?
function world.set_item(component, field, item, value, element, instance) end

---Functions that a game or kit brings.
---@class kn.orders
orders = {}

---Gives an order to those of a group who should get it, each with a point of its own if the type says so; how many took it.
---@param units kn.entity[] The group; the first one stands for it.
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@param enqueues? boolean They obey when all other orders are done; default false.
---@param sub_group? integer How many units, from the first on, are the active part of the group; default 0: all.
---@return integer|nil
---@return refusal?
function orders.issue_group(units, order, target, location, index, enqueues, sub_group) end

---An actor, or anything else things happen to. Ids are integers; nil means none.
---@class kn.entity: integer
local entity = {}

---False once it is destroyed.
---@return boolean
function entity:is_alive() end

---True while it is being destroyed: rules still see it.
---@return boolean
function entity:is_dying() end

---Destroys it; false if it no longer existed.
---@return boolean
function entity:destroy() end

---The host's 64 bits.
---@return integer
function entity:user() end

---Sets the host's 64 bits.
---@param user integer
---@return true|nil
---@return refusal?
function entity:set_user(user) end

---Its avatar: the entity that is its body.
---@return kn.entity?
function entity:avatar() end

---Sets its avatar; nil: itself.
---@param avatar? kn.entity
---@return true|nil
---@return refusal?
function entity:set_avatar(avatar) end

---The entity whose tags, attributes and effects count for it: itself, or the owner of an avatar.
---@return kn.entity?
function entity:component_owner() end

---The connection of the player that owns it; 0 for none.
---@return integer
function entity:connection() end

---Sets the connection.
---@param connection integer
---@return true|nil
---@return refusal?
function entity:set_connection(connection) end

---The entity it is attached to.
---@return kn.entity?
function entity:parent() end

---Attaches it; nil detaches.
---@param parent? kn.entity
---@return true|nil
---@return refusal?
function entity:set_parent(parent) end

---The entity that owns it: a player, a team.
---@return kn.entity?
function entity:owner() end

---Sets the entity that owns it; nil for none.
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

---True if it has the tag or a tag below it.
---@param tag string
---@return boolean
function entity:has_tag(tag) end

---True only if it has exactly this tag.
---@param tag string
---@return boolean
function entity:has_tag_exact(tag) end

---True if it has any of them.
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

---The count of the tag and all tags below it.
---@param tag string
---@return integer
function entity:tag_count(tag) end

---The count of the tag itself.
---@param tag string
---@return integer
function entity:tag_count_exact(tag) end

---The tags it has.
---@return string[]
function entity:tags() end

---Adds to the count of a loose tag; default 1.
---@param tag string
---@param count? integer
---@param origin? "loose"|"synced"
---@return true|nil
---@return refusal?
function entity:add_tag(tag, count, origin) end

---Reduces the count of a loose tag; default 1.
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

---Everything that is saved of it, a line for each record, such as `effect Burn: ...`; of one kind, such as `cooldown`, or of all.
---@param kind? string
---@return string[]
function entity:records(kind) end

---True if it has the attribute.
---@param attribute string
---@param key? integer
---@return boolean
function entity:has_attribute(attribute, key) end

---The minimum and maximum in force.
---@param attribute string
---@param key? integer
---@return number
---@return number
function entity:bounds(attribute, key) end

---Sets a base value. Prefer effects.
---@param attribute string
---@param value number
---@param key? integer
---@return true|nil
---@return refusal?
function entity:set_base(attribute, value, key) end

---Sets base and current value together.
---@param attribute string
---@param value number
---@param key? integer
---@return true|nil
---@return refusal?
function entity:init(attribute, value, key) end

---Sets the starting values of a group and level.
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

---Explains the value, one line per contribution.
---@param attribute string
---@param key? integer
---@return string
function entity:explain(attribute, key) end

---Evaluates a transient value, such as the length of a cast.
---@param value string
---@param base number
---@param record? kn.record_options
---@return number
function entity:evaluate(value, base, record) end

---Explains what `evaluate` returns, one line per contribution.
---@param value string
---@param base number
---@param record? kn.record_options
---@return string
function entity:explain_value(value, base, record) end

---Applies an effect to it. Returns the active effect, or true for an instant one.
---@param effect string
---@param options? kn.apply_options
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
function entity:apply(effect, options) end

---Makes a spec with it as the source, to be applied later; its current values are captured.
---@param effect string
---@param options? kn.apply_options
---@return kn.spec|nil
---@return refusal?
function entity:spec(effect, options) end

---Applies a container with it as the source. Returns how many effects were applied.
---@param container string
---@param options? kn.container_options
---@return integer|nil
---@return refusal?
function entity:apply_container(container, options) end

---Its active effects, in the order they were created, at most 256.
---@param query? kn.effect_query
---@return kn.effect[]
function entity:effects(query) end

---How many of its active effects match.
---@param query? kn.effect_query
---@return integer
function entity:count_effects(query) end

---Removes stacks of effects that match, or all stacks. Returns how many effects matched.
---@param query? kn.effect_query
---@param stacks? integer
---@param reason? kn.removal_reason
---@return integer|nil
---@return refusal?
function entity:remove_effects(query, stacks, reason) end

---Time left and duration of the matching effect that ends last; nil if there is none.
---@param query? kn.effect_query
---@return number?
---@return number?
function entity:effects_remaining(query) end

---Sends it an event: abilities, tasks and rules that wait for the tag receive it.
---@param tag string
---@param record? kn.record_options
---@return true|nil
---@return refusal?
function entity:send(tag, record) end

---Publishes a custom event that happened to it, for observers: nothing in the simulation notices. `fields` are those of its payload; what is left out is zero.
---@param event string
---@param fields? any
---@return true|nil
---@return refusal?
function entity:publish(event, fields) end

---Executes a cue that happens once.
---@param tag string
---@param params? kn.cue_params
---@return true|nil
---@return refusal?
function entity:cue(tag, params) end

---Adds a cue that lasts until it has been removed as often as added.
---@param tag string
---@param params? kn.cue_params
---@return true|nil
---@return refusal?
function entity:add_cue(tag, params) end

---Removes a cue that was added, once.
---@param tag string
---@return true|nil
---@return refusal?
function entity:remove_cue(tag) end

---Removes all cues that were added. Returns how many.
---@return integer
function entity:remove_cues() end

---How many times a cue is active.
---@param tag string
---@return integer
function entity:cue_count(tag) end

---While suppressed, none of its cues is published.
---@param suppressed boolean
---@return true|nil
---@return refusal?
function entity:suppress_cues(suppressed) end

---Its position; nil if it has none.
---@return kn.vec3?
function entity:position() end

---The position and direction it looks from.
---@return kn.vec3?
---@return kn.vec3?
function entity:view() end

---Looks for targets once, with a targeting type.
---@param targeting string
---@return kn.target[]
function entity:find_targets(targeting) end

---Starts a timer that ends with the entity.
---@param timer string
---@param delay number
---@param state? any
---@return kn.timer|nil
---@return refusal?
function entity:start_timer(timer, delay, state) end

---Adds a ticker to it, which looks for the first time now; "duplicate" if it already has it.
---@param ticker string
---@return true|nil
---@return refusal?
function entity:start_ticker(ticker) end

---Removes a ticker, after calling its `stopped` if it is running; false if it has none.
---@param ticker string
---@return boolean
function entity:stop_ticker(ticker) end

---Starts a watch on it, which waits until it is stopped, or with `once` until it is called.
---@param watch string
---@param once? boolean
---@param options? { owner?: kn.entity, value?: number, state?: any, component?: string, instance?: integer }
---@return true|nil
---@return refusal?
function entity:start_watch(watch, once, options) end

---Stops all watches of this name on it. Returns how many there were.
---@param watch string
---@return integer
function entity:stop_watch(watch) end

---Whether it has a ticker.
---@param ticker string
---@return boolean
function entity:has_ticker(ticker) end

---Whether it has a ticker that is running.
---@param ticker string
---@return boolean
function entity:ticker_runs(ticker) end

---Notifies tasks that the two overlap.
---@param other kn.entity
---@return true|nil
---@return refusal?
function entity:overlap(other) end

---Notifies tasks that its movement mode has changed.
---@param mode integer
---@return true|nil
---@return refusal?
function entity:movement_mode(mode) end

---Interrupts its animations.
---@return true|nil
---@return refusal?
function entity:stop_animations() end

---A field of a component; nil if the entity does not have the component.
---@param component string
---@param field string
---@param element? integer
---@param instance? integer
---@return any
function entity:get(component, field, element, instance) end

---Writes a field of a component; nil clears one that holds an id or a name.
---@param component string
---@param field string
---@param value? any
---@param element? integer
---@param instance? integer
---@return true|nil
---@return refusal?
function entity:set(component, field, value, element, instance) end

---Adds a component, zeroed, or finds an existing one.
---@param component string
---@return boolean
function entity:add_component(component) end

---Adds another component of a type with `several`. Returns its id.
---@param component string
---@return integer|nil
---@return refusal?
function entity:add_instance(component) end

---The ids of the components of a type with `several`, in the order they were added.
---@param component string
---@return integer[]
function entity:instances(component) end

---Removes a component; the first one without an id.
---@param component string
---@param instance? integer
---@return boolean
function entity:remove_component(component, instance) end

---True if the entity has the component.
---@param component string
---@param instance? integer
---@return boolean
function entity:has_component(component, instance) end

---Sets how many items a component has; new ones are zeroed.
---@param component string
---@param count integer
---@param instance? integer
---@return true|nil
---@return refusal?
function entity:resize(component, count, instance) end

---How many items a component has.
---@param component string
---@param instance? integer
---@return integer
function entity:item_count(component, instance) end

---A field of an item, counted from 1; nil if there is none.
---@param component string
---@param field string
---@param item integer
---@param element? integer
---@param instance? integer
---@return any
function entity:get_item(component, field, item, element, instance) end

---Writes a field of an item; nil clears one that holds an id or a name.
---@param component string
---@param field string
---@param item integer
---@param value? any
---@param element? integer
---@param instance? integer
---@return true|nil
---@return refusal?
function entity:set_item(component, field, item, value, element, instance) end

---The entities whose component refers to this one by a field that its type declares in `references`, by slot; then the ids of these components, for a type with `several`. At most 256.
---@param component string
---@param field string
---@param of_items? boolean
---@return kn.entity[]
---@return integer[]
function entity:referrers(component, field, of_items) end

---Grants the entity an ability.
---@param ability string
---@param options? kn.grant_options
---@return kn.ability|nil
---@return refusal?
function entity:grant(ability, options) end

---Grants an ability, activates it once, optionally with an event, and removes it when the activation ends.
---@param ability string
---@param options? kn.grant_options
---@param event? kn.record_options
---@return kn.ability|true|nil
---@return refusal?
function entity:grant_once(ability, options, event) end

---The entity's abilities in the order they were granted, at most 256.
---@param query? kn.ability_query
---@return kn.ability[]
function entity:abilities(query) end

---Removes abilities. Returns how many.
---@param query? kn.ability_query
---@param removal? "cancel"|"after_end"
---@return integer
function entity:remove_abilities(query, removal) end

---Cancels active abilities, optionally with a reason, an instigator and more. Returns how many.
---@param query? kn.ability_query
---@param why? { reason?: string, instigator?: kn.entity, tag?: string, number?: number }
---@return integer
function entity:cancel_abilities(query, why) end

---Blocks abilities with these tags until the same source lifts it with the same key, or is destroyed.
---@param tags string|string[]
---@param source? kn.entity
---@param key? integer
---@return true|nil
---@return refusal?
function entity:block_abilities(tags, source, key) end

---Lifts blocks of this source and key: those on the tags, or all. Blocks of others stay.
---@param tags? string|string[]
---@param source? kn.entity
---@param key? integer
---@return true|nil
---@return refusal?
function entity:unblock_abilities(tags, source, key) end

---Activates the first ability of this type that can be activated.
---@param ability string
---@return kn.activation|true|nil
---@return refusal?
function entity:activate(ability) end

---Tries to activate every ability that has all of the tags.
---@param tags string|string[]
---@return integer|nil
---@return refusal?
function entity:activate_tags(tags) end

---The active uses of its abilities, in the order they began.
---@return kn.activation[]
function entity:activations() end

---Grants an ability set.
---@param set string
---@return true|nil
---@return refusal?
function entity:grant_set(set) end

---Removes the abilities of a granted set.
---@param set string
---@param removal? "cancel"|"after_end"
---@return true|nil
---@return refusal?
function entity:revoke_set(set, removal) end

---Time left and total length of the longest cooldown with these tags; nil if there is none.
---@param tags string|string[]
---@return number?
---@return number?
function entity:cooldown(tags) end

---Sets the inputs that confirm and cancel targeting; 0: none.
---@param confirm integer
---@param cancel integer
---@return true|nil
---@return refusal?
function entity:bind_input(confirm, cancel) end

---Presses an input; abilities it activates receive the event.
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

---Confirms targeting.
---@return true|nil
---@return refusal?
function entity:confirm() end

---Cancels targeting.
---@return true|nil
---@return refusal?
function entity:cancel() end

---What the entity casts; nil if it does not cast.
---@return kn.cast_info|nil
---@return refusal?
function entity:cast() end

---Cancels what the entity casts.
---@param last_tick? integer Number of the last tick that still runs; default 0: none.
---@return true|nil
---@return refusal?
function entity:cancel_cast(last_tick) end

---Releases a held cast.
---@return true|nil
---@return refusal?
function entity:release_cast() end

---Pushes back what the entity casts, as a hit does.
---@return true|nil
---@return refusal?
function entity:push_back_cast() end

---Sets whether what the entity casts can be interrupted.
---@param is_interruptible boolean Whether it can be interrupted.
---@return true|nil
---@return refusal?
function entity:set_interruptible(is_interruptible) end

---Interrupts what the entity casts, and locks out its school.
---@param options? { instigator?: kn.entity, any_tags?: string|string[], lockout?: number }
---@return kn.interrupt_result|nil
---@return refusal?
function entity:interrupt(options) end

---Locks out abilities of the entity for some time.
---@param tags string|string[] What is locked out: abilities with any of these tags.
---@param seconds number How long.
---@param instigator? kn.entity Who causes it; default nobody.
---@return true|nil
---@return refusal?
function entity:lock_out(tags, seconds, instigator) end

---Ends a lock-out of the entity.
---@param tag? string The lock-out that ends; default all of them.
---@return true|nil
---@return refusal?
function entity:end_lockout(tag) end

---The lock-outs of the entity, oldest first.
---@return kn.lockout[]
function entity:lockouts() end

---Seconds left of the global cooldown, and its length; 0 for both if none runs.
---@return number?
---@return number?
function entity:global_cooldown() end

---Ends the global cooldown of the entity.
---@return true|nil
---@return refusal?
function entity:end_global_cooldown() end

---Presses the button of an ability: it is used, or waits in the input queue.
---@param ability kn.ability The ability that the button means.
---@param options? { target?: kn.entity, instigator?: kn.entity, magnitude?: number, tag?: string }
---@return "refused"|"used"|"waits"|"ignored"|nil
---@return refusal?
function entity:queue_press(ability, options) end

---Releases the button of an ability.
---@param ability kn.ability The ability that the button means.
---@return true|nil
---@return refusal?
function entity:queue_release(ability) end

---Drops all presses that wait, and ends automatic use.
---@return true|nil
---@return refusal?
function entity:clear_queue() end

---The presses that wait, in the order they are tried.
---@return kn.queued_press[]
function entity:queue() end

---The ability that is used again and again while its button is held.
---@return kn.ability?
function entity:automatic_ability() end

---Everything about a resource of the entity.
---@param resource string Which one.
---@return kn.resource_info|nil
---@return refusal?
function entity:resource(resource) end

---The resources of the entity.
---@return string[]
function entity:resources() end

---Changes a resource. Returns what really changed.
---@param resource string Which one.
---@param amount number What to add; negative to take away.
---@param options? { source?: kn.entity, tags?: string|string[], ignore_modifiers?: boolean }
---@return number|nil
---@return refusal?
function entity:change_resource(resource, amount, options) end

---Starts a resource anew: limits first, then the value within them.
---@param resource string Which one.
---@param options? { minimum?: number, maximum?: number, value?: number }
---@return true|nil
---@return refusal?
function entity:start_resource(resource, options) end

---Gives the entity a threat table.
---@return true|nil
---@return refusal?
function entity:begin_threat() end

---Whether the entity has a threat table.
---@return boolean
function entity:has_threat_table() end

---The threat that somebody has with the entity; 0 for none.
---@param of kn.entity Whose threat it is: an attacker.
---@return number
function entity:threat(of) end

---Whether somebody is in the threat table of the entity.
---@param of kn.entity Whose threat it is: an attacker.
---@return boolean
function entity:has_threat(of) end

---Adds threat to the table of the entity, as a hit does: modifiers and gates count.
---@param of kn.entity Whose threat it is: an attacker.
---@param amount number How much.
---@return true|nil
---@return refusal?
function entity:add_threat(of, amount) end

---Sets the threat that somebody has with the entity.
---@param of kn.entity Whose threat it is: an attacker.
---@param amount number How much.
---@return true|nil
---@return refusal?
function entity:set_threat(of, amount) end

---Multiplies the threat that somebody has with the entity.
---@param of kn.entity Whose threat it is: an attacker.
---@param factor number What the threat is multiplied by.
---@return true|nil
---@return refusal?
function entity:scale_threat(of, factor) end

---Removes somebody from the threat table of the entity.
---@param of kn.entity Whose threat it is: an attacker.
---@return true|nil
---@return refusal?
function entity:remove_threat(of) end

---Empties the threat table of the entity.
---@return true|nil
---@return refusal?
function entity:clear_threat() end

---Removes the entity from all threat tables.
---@return true|nil
---@return refusal?
function entity:leave_threat() end

---The threat table of the entity: those that are not suppressed first, by threat.
---@return kn.threat_entry[]
function entity:threat_list() end

---The first of `threat_list`, and how much threat it has.
---@return kn.entity?
---@return number|refusal
function entity:top_threat() end

---Who has the entity in its threat table.
---@return kn.entity[]
function entity:threat_owners() end

---The target of an entity with a threat table; nil for none.
---@return kn.entity?
function entity:threat_target() end

---Chooses the target of the entity again, at once.
---@return true|nil
---@return refusal?
function entity:update_threat_target() end

---Makes the entity the target of somebody for a time.
---@param owner kn.entity Who is taunted: an entity with a threat table.
---@param seconds number How long.
---@return true|nil
---@return refusal?
function entity:taunt(owner, seconds) end

---Fixes the entity on a target for a time; it comes before taunts.
---@param on kn.entity The entity that is the target meanwhile.
---@param seconds number How long.
---@return true|nil
---@return refusal?
function entity:fixate(on, seconds) end

---Makes the entity prefer others to somebody for a time.
---@param of kn.entity The entity that others are preferred to.
---@param seconds number How long.
---@return true|nil
---@return refusal?
function entity:suppress_threat(of, seconds) end

---Gives a part of the threat that the entity causes to somebody else for a time.
---@param to kn.entity The entity that gets the threat.
---@param share number The part of the threat, 0 to 1.
---@param seconds number How long.
---@return true|nil
---@return refusal?
function entity:redirect_threat(to, share, seconds) end

---Begins combat between two entities, or prolongs it.
---@param other kn.entity The other one.
---@return true|nil
---@return refusal?
function entity:start_combat(other) end

---Ends combat between two entities.
---@param other kn.entity The other one.
---@return true|nil
---@return refusal?
function entity:end_combat(other) end

---Ends all combat of the entity.
---@return true|nil
---@return refusal?
function entity:leave_combat() end

---Whether two entities are in combat with each other.
---@param other kn.entity The other one.
---@return boolean
function entity:is_fighting(other) end

---Whether the entity is in combat with anybody.
---@return boolean
function entity:in_combat() end

---Seconds until combat between two entities ends; nil if it does not end by time.
---@param other kn.entity The other one.
---@return number?
function entity:combat_remaining(other) end

---Who the entity is in combat with.
---@return kn.entity[]
function entity:opponents() end

---Hits the entity. Returns what became of the damage.
---@param amount number Health to take or give, at least 0.
---@param options? { source?: kn.entity, tags?: string|string[], effect?: string, ability?: string, outcome?: string, level?: number, no_modifiers?: boolean, no_outcome?: boolean, no_gates?: boolean, no_share?: boolean, no_absorb?: boolean, no_procs?: boolean, no_threat?: boolean, no_pushback?: boolean, no_combat?: boolean, periodic?: boolean, triggered?: boolean }
---@return kn.combat_hit|nil
---@return refusal?
function entity:damage(amount, options) end

---Heals the entity. Returns what became of the healing.
---@param amount number Health to take or give, at least 0.
---@param options? { source?: kn.entity, tags?: string|string[], effect?: string, ability?: string, outcome?: string, level?: number, no_modifiers?: boolean, no_outcome?: boolean, no_gates?: boolean, no_share?: boolean, no_absorb?: boolean, no_procs?: boolean, no_threat?: boolean, no_pushback?: boolean, no_combat?: boolean, periodic?: boolean, triggered?: boolean }
---@return kn.combat_hit|nil
---@return refusal?
function entity:heal(amount, options) end

---Where damage would go, stage by stage.
---@param amount number Health to take or give, at least 0.
---@param options? { source?: kn.entity, tags?: string|string[], effect?: string, ability?: string, outcome?: string, level?: number, no_modifiers?: boolean, no_outcome?: boolean, no_gates?: boolean, no_share?: boolean, no_absorb?: boolean, no_procs?: boolean, no_threat?: boolean, no_pushback?: boolean, no_combat?: boolean, periodic?: boolean, triggered?: boolean }
---@return kn.hit_line[]
function entity:explain_damage(amount, options) end

---Where healing would go, stage by stage.
---@param amount number Health to take or give, at least 0.
---@param options? { source?: kn.entity, tags?: string|string[], effect?: string, ability?: string, outcome?: string, level?: number, no_modifiers?: boolean, no_outcome?: boolean, no_gates?: boolean, no_share?: boolean, no_absorb?: boolean, no_procs?: boolean, no_threat?: boolean, no_pushback?: boolean, no_combat?: boolean, periodic?: boolean, triggered?: boolean }
---@return kn.hit_line[]
function entity:explain_healing(amount, options) end

---Whether the entity is dead by the rules of combat.
---@return boolean
function entity:is_dead() end

---Kills the entity without a hit.
---@param by? kn.entity Who does it; default nobody.
---@return true|nil
---@return refusal?
function entity:kill(by) end

---Brings the entity back to life.
---@param share number Health as a share of the maximum, above 0, at most 1.
---@param by? kn.entity Who does it; default nobody.
---@return true|nil
---@return refusal?
function entity:resurrect(share, by) end

---What all pools of the entity with a limit still absorb of damage.
---@return number
function entity:absorb_left() end

---How many effects of a group have counted on the entity.
---@param group string Which group.
---@return integer
function entity:diminishing_level(group) end

---The factor that the next effect of a group gets on the entity; 0 if it is immune.
---@param group string Which group.
---@return number
function entity:diminishing_factor(group) end

---Makes the entity forget the effects of a group that have counted.
---@param group string Which group.
---@return true|nil
---@return refusal?
function entity:reset_diminishing(group) end

---Dispels effects of the entity.
---@param dispel string Which dispel.
---@param source? kn.entity Who dispels; default nobody.
---@return kn.dispel_result|nil
---@return refusal?
function entity:dispel(dispel, source) end

---The effects of the entity that a dispel could remove now, by priority, then by age.
---@param dispel string Which dispel.
---@param source? kn.entity Who dispels; default nobody.
---@return kn.effect[]
function entity:dispel_candidates(dispel, source) end

---Lets the procs of the entity react to something. Returns how many acted.
---@param on "hit_done"|"hit_taken"|"healing_done"|"healing_taken"|"use_begins"|"use_ends"|"kill"|"death"|"dispel_done"|"dispel_taken"|"interrupt_done"|"interrupt_taken"|"event" What happens to the entity.
---@param options? { other?: kn.entity, source?: kn.entity, target?: kn.entity, ability?: string, effect?: string, outcome?: string, tags?: string|string[], magnitude?: number, interval?: number, triggered?: boolean, periodic?: boolean }
---@return integer|nil
---@return refusal?
function entity:run_procs(on, options) end

---What each proc of the entity would do with an event, and why not.
---@param on "hit_done"|"hit_taken"|"healing_done"|"healing_taken"|"use_begins"|"use_ends"|"kill"|"death"|"dispel_done"|"dispel_taken"|"interrupt_done"|"interrupt_taken"|"event" What happens to the entity.
---@param options? { other?: kn.entity, source?: kn.entity, target?: kn.entity, ability?: string, effect?: string, outcome?: string, tags?: string|string[], magnitude?: number, interval?: number, triggered?: boolean, periodic?: boolean }
---@return kn.proc_line[]
function entity:explain_procs(on, options) end

---The state of a proc of the entity, the oldest instance of it.
---@param proc string Which proc.
---@return kn.proc_info|nil
---@return refusal?
function entity:proc(proc) end

---Makes somebody a member of an aura without radius, or ends that.
---@param aura string Which aura.
---@param member kn.entity Who becomes a member, or ceases to be one.
---@param is_member boolean Whether it is one from now on.
---@return true|nil
---@return refusal?
function entity:set_aura_member(aura, member, is_member) end

---Looks at once who is near, such as after a teleport.
---@param aura string Which aura.
---@return true|nil
---@return refusal?
function entity:update_aura(aura) end

---The members of an aura of the entity.
---@param aura string Which aura.
---@return kn.entity[]
function entity:aura_members(aura) end

---Replaces all orders of a unit. See kn_order_issue().
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@return "obeyed"|"waits"|"is_same"|"deferred"|"not_taken"|nil
---@return refusal?
function entity:issue_order(order, target, location, index) end

---Gives an order for when all others are done.
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@return "obeyed"|"waits"|"is_same"|"deferred"|"not_taken"|nil
---@return refusal?
function entity:enqueue_order(order, target, location, index) end

---Gives an order for when the current one is done.
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@return "obeyed"|"waits"|"is_same"|"deferred"|"not_taken"|nil
---@return refusal?
function entity:insert_order_after(order, target, location, index) end

---Interrupts the current order, which is obeyed again afterwards.
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@return "obeyed"|"waits"|"is_same"|"deferred"|"not_taken"|nil
---@return refusal?
function entity:insert_order_before(order, target, location, index) end

---Empties the queue; the current order goes on.
---@return true|nil
---@return refusal?
function entity:clear_order_queue() end

---Ends the current order. An old ticket is refused.
---@param result? "succeeded"|"failed"|"canceled" How it ended; default succeeded.
---@param ticket? integer The order that is meant, as `execute` and `current_order` give it; default the current one.
---@return true|nil
---@return refusal?
function entity:end_order(result, ticket) end

---Goes back to the work that the unit remembers.
---@return true|nil
---@return refusal?
function entity:resume_work() end

---Aims all orders at the entity at another one that takes its place; how many units it concerned.
---@param to kn.entity The entity that takes its place.
---@return integer|nil
---@return refusal?
function entity:retarget_orders(to) end

---Lets an entity obey orders; it begins with its stop order.
---@param unit string The type of unit.
---@return true|nil
---@return refusal?
function entity:make_unit(unit) end

---Takes all orders away from an entity, which obeys no more.
---@return true|nil
---@return refusal?
function entity:remove_unit() end

---The type of a unit.
---@return string?
function entity:unit_type() end

---The current order of a unit.
---@return kn.current_order|nil
---@return refusal?
function entity:current_order() end

---The order before the current one.
---@return kn.order|nil
---@return refusal?
function entity:last_order() end

---The orders that wait, the next one first; at most 256.
---@return kn.order[]
function entity:order_queue() end

---The work that a unit remembers; at most 256 orders.
---@return kn.order[]
function entity:remembered_work() end

---Whether a unit may obey orders of a type at all, and all that is against it.
---@param order string The order type.
---@param index? integer Its variant; default -1: none.
---@return boolean
---@return string[]
---@return string[]
---@return string[]
function entity:can_obey(order, index) end

---Whether a unit could be given an order, and all that is against it.
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@return boolean
---@return string[]
---@return string[]
---@return string[]
function entity:check_order(order, target, location, index) end

---The first order of the chain of fallbacks that the unit could be given.
---@param order string What to do.
---@param target? kn.entity The entity it is aimed at; default none.
---@param location? kn.vec3 The point it is aimed at; default none.
---@param index? integer Variant of the order; default -1: none.
---@return kn.order|nil
---@return refusal?
function entity:resolve_order(order, target, location, index) end

---The best target for an order, and how good it is.
---@param order string The order type.
---@param radius? number How far away it may be; default as for automatic orders.
---@param index? integer Its variant; default -1: none.
---@param chase? number How far it may be from `home`; default 0: any distance.
---@param home? kn.vec3 A point; default where the unit is.
---@return kn.entity?
---@return number
function entity:find_order_target(order, radius, index, chase, home) end

---How good a target is, higher is better.
---@param order string The order type.
---@param target kn.entity The target.
---@param radius? number How far away it may be; default as for automatic orders.
---@param index? integer Its variant; default -1: none.
---@return number
function entity:order_score(order, target, radius, index) end

---How near to its target an order is carried out.
---@param order string The order type.
---@param index? integer Its variant; default -1: none.
---@return number
function entity:order_range(order, index) end

---The automatic orders of a unit.
---@return kn.auto_order[]
function entity:auto_orders() end

---Switches an automatic order for the player.
---@param order string The order type.
---@param is_on? boolean Whether the unit does it by itself; default true.
---@param index? integer Its variant; default -1: none.
---@return true|nil
---@return refusal?
function entity:set_auto_order(order, is_on, index) end

---Gathers the automatic orders of a unit again.
---@return true|nil
---@return refusal?
function entity:refresh_auto_orders() end

---Lets a unit look for something to do now.
---@return boolean|nil
---@return refusal?
function entity:check_auto_orders() end

---How two entities stand to each other.
---@param other kn.entity The other entity.
---@return kn.order_relation
function entity:relation_to(other) end

---Tests orders at the other entity again after the relation has changed.
---@param other kn.entity The other entity.
---@return true|nil
---@return refusal?
function entity:relation_changed(other) end

---Whether a hostile entity is within a radius.
---@param radius number How far away it may be.
---@return boolean
function entity:enemy_is_near(radius) end

---Starts a tree on an entity, from its root; one that runs there is aborted before.
---@param tree string The tree.
---@return true|nil
---@return refusal?
function entity:start_tree(tree) end

---Aborts the tree of an entity.
---@return true|nil
---@return refusal?
function entity:stop_tree() end

---Ends a task of a tree that goes on. An old ticket is refused.
---@param ticket integer The task that is meant, as `run` got it.
---@param result? "succeeded"|"failed" How it ended; default succeeded.
---@return true|nil
---@return refusal?
function entity:finish_task(ticket, result) end

---The tree of an entity as it is now.
---@return kn.tree_state|nil
---@return refusal?
function entity:tree_state() end

---The nodes of the tree of an entity, each before those inside it.
---@return kn.tree_node[]
function entity:tree_nodes() end

---A node of the tree of an entity, by its name.
---@param name string Its name; the first one with it is meant.
---@return kn.tree_node|nil
---@return refusal?
function entity:tree_node(name) end

---The order that the keys of orders of the blackboard hold.
---@return kn.blackboard_order|nil
---@return refusal?
function entity:tree_order() end

---Reads true or false from the blackboard of an entity.
---@param key string The key.
---@return boolean|nil
---@return refusal?
function entity:get_bool_key(key) end

---Writes true or false to the blackboard of an entity.
---@param key string The key.
---@param value boolean The value.
---@return true|nil
---@return refusal?
function entity:set_bool_key(key, value) end

---Reads a whole number from the blackboard of an entity.
---@param key string The key.
---@return integer|nil
---@return refusal?
function entity:get_int_key(key) end

---Writes a whole number to the blackboard of an entity.
---@param key string The key.
---@param value integer The value.
---@return true|nil
---@return refusal?
function entity:set_int_key(key, value) end

---Reads a number from the blackboard of an entity.
---@param key string The key.
---@return number|nil
---@return refusal?
function entity:get_float_key(key) end

---Writes a number to the blackboard of an entity.
---@param key string The key.
---@param value number The value.
---@return true|nil
---@return refusal?
function entity:set_float_key(key, value) end

---Reads a point from the blackboard of an entity.
---@param key string The key.
---@return kn.vec3|nil
---@return refusal?
function entity:get_vector_key(key) end

---Writes a point to the blackboard of an entity.
---@param key string The key.
---@param value kn.vec3 The value.
---@return true|nil
---@return refusal?
function entity:set_vector_key(key, value) end

---Reads an entity from the blackboard of an entity.
---@param key string The key.
---@return kn.entity?
---@return refusal?
function entity:get_entity_key(key) end

---Writes an entity to the blackboard of an entity.
---@param key string The key.
---@param value kn.entity The value.
---@return true|nil
---@return refusal?
function entity:set_entity_key(key, value) end

---Reads an order type from the blackboard of an entity.
---@param key string The key.
---@return string?
---@return refusal?
function entity:get_order_key(key) end

---Writes an order type to the blackboard of an entity.
---@param key string The key.
---@param value string The value.
---@return true|nil
---@return refusal?
function entity:set_order_key(key, value) end

---Reads a tag from the blackboard of an entity.
---@param key string The key.
---@return string?
---@return refusal?
function entity:get_tag_key(key) end

---Writes a tag to the blackboard of an entity.
---@param key string The key.
---@param value string The value.
---@return true|nil
---@return refusal?
function entity:set_tag_key(key, value) end

---Clears a key of the blackboard, of any kind.
---@param key string The key.
---@return true|nil
---@return refusal?
function entity:clear_key(key) end

---Whether a key of the blackboard is set.
---@param key string The key.
---@return boolean
function entity:key_is_set(key) end

---Gives an entity a blackboard; values of keys that both layouts have stay.
---@param blackboard string The layout.
---@return true|nil
---@return refusal?
function entity:add_blackboard(blackboard) end

---The layout of the blackboard of an entity; nil for none.
---@return string?
function entity:blackboard() end

---Lets an entity make products.
---@param producer string The type of producer.
---@return true|nil
---@return refusal?
function entity:add_producer(producer) end

---Takes that away, and refunds what is queued.
---@return true|nil
---@return refusal?
function entity:remove_producer() end

---Whether a product could be queued now; otherwise nil and why not.
---@param product string The product.
---@return true|nil
---@return refusal?
function entity:check_product(product) end

---Pays for a product and puts it at the end of the queue.
---@param product string The product.
---@return true|nil
---@return refusal?
function entity:enqueue_product(product) end

---Cancels a product of the queue and refunds its share.
---@param index? integer Its place in the queue, 0 is the one in work; default -1: the last one.
---@return true|nil
---@return refusal?
function entity:cancel_product(index) end

---A producer as it is now.
---@return kn.producer_info|nil
---@return refusal?
function entity:producer_info() end

---The queue of a producer, the product in work first.
---@return kn.product_item[]
function entity:product_queue() end

---Sets where new units go; without a point they stay where they are.
---@param location? kn.vec3 The point; default none.
---@param target? kn.entity An entity instead of a point; default none.
---@return true|nil
---@return refusal?
function entity:set_rally(location, target) end

---Adds a point where new units go behind those that there are.
---@param location? kn.vec3 The point; default none.
---@param target? kn.entity An entity instead of a point; default none.
---@return true|nil
---@return refusal?
function entity:add_rally(location, target) end

---The points where new units go, one after the other.
---@return kn.rally_point[]
function entity:rally_points() end

---Whether a builder could begin a site now; otherwise nil and why not.
---@param product string What is to be built.
---@param location? kn.vec3 Where.
---@return true|nil
---@return refusal?
function entity:check_site(product, location) end

---Pays for a site and puts it up; the site.
---@param product string What is to be built.
---@param location kn.vec3 Where.
---@return kn.entity?
---@return refusal?
function entity:begin_site(product, location) end

---Lets an entity work at a site.
---@param site kn.entity The site.
---@return true|nil
---@return refusal?
function entity:join_site(site) end

---Ends the work of an entity at a site.
---@param site kn.entity The site.
---@return true|nil
---@return refusal?
function entity:leave_site(site) end

---Cancels a site: refunds its share, and destroys it.
---@return true|nil
---@return refusal?
function entity:cancel_site() end

---A site as it is now.
---@return kn.site_info|nil
---@return refusal?
function entity:site_info() end

---What a unit is ordered to build; nil for nothing.
---@return string?
function entity:ordered_site() end

---Those who work at a site, in the order they came.
---@return kn.entity[]
function entity:site_builders() end

---Lets a gatherer take from a node that it stands at, or wait for its turn.
---@param node kn.entity The node.
---@return true|nil
---@return refusal?
function entity:start_gathering(node) end

---Ends the work at a node; what the gatherer carries stays.
---@return true|nil
---@return refusal?
function entity:stop_gathering() end

---Delivers what a gatherer carries; how much.
---@param drop? kn.entity Where, for the event; default nowhere.
---@return number|nil
---@return refusal?
function entity:deliver_load(drop) end

---A gatherer as it is now.
---@return kn.gatherer_info|nil
---@return refusal?
function entity:gatherer_info() end

---How much is left in a node for a gatherer.
---@param node kn.entity The node.
---@return number
function entity:left_in_node(node) end

---The level of a unit; 0 for entities that are not units.
---@return integer
function entity:rts_level() end

---All experience that a unit has collected.
---@return number
function entity:rts_experience() end

---How much of the present level is done, 0 to 1.
---@return number
function entity:rts_level_progress() end

---Experience for killing a unit.
---@return number
function entity:rts_granted_experience() end

---Free ability points of a unit.
---@return integer
function entity:rts_points() end

---Whether a unit has died and does not live again.
---@return boolean
function entity:rts_is_dead() end

---The level of an ability; 0 without it.
---@param ability string The ability.
---@return integer
function entity:rts_ability_level(ability) end

---Whether a unit can learn or raise an ability, and why not.
---@param ability string The ability.
---@return kn.rts_learn_info
function entity:rts_learn_info(ability) end

---Gives experience to a unit.
---@param amount number How much.
---@return true|nil
---@return refusal?
function entity:rts_add_experience(amount) end

---Sets what killing a unit gives from now on.
---@param amount number How much.
---@return true|nil
---@return refusal?
function entity:rts_set_granted_experience(amount) end

---Sets the level of a unit, and its experience with it.
---@param number integer The new number.
---@return true|nil
---@return refusal?
function entity:rts_set_level(number) end

---Sets the free ability points of a unit.
---@param number integer The new number.
---@return true|nil
---@return refusal?
function entity:rts_set_points(number) end

---Learns or raises an ability for a point, if the unit may.
---@param ability string The ability.
---@return true|nil
---@return refusal?
function entity:rts_learn(ability) end

---Raises an ability, whatever the level of the unit.
---@param ability string The ability.
---@param is_free? boolean It costs no ability point; default false.
---@return true|nil
---@return refusal?
function entity:rts_raise(ability, is_free) end

---Takes back one level of an ability that was paid for.
---@param ability string The ability.
---@return true|nil
---@return refusal?
function entity:rts_refund(ability) end

---Takes back all levels of abilities that were paid for.
---@return true|nil
---@return refusal?
function entity:rts_reset() end

---Lets a unit die.
---@param killer? kn.entity Who gets the credit; default: who is behind it by the chain of causes.
---@return true|nil
---@return refusal?
function entity:rts_kill(killer) end

---The weapons of an entity, at most 16.
---@return kn.rts_weapon_info[]
function entity:rts_weapons() end

---Gives a weapon to an entity.
---@param weapon string The weapon.
---@return true|nil
---@return refusal?
function entity:rts_add_weapon(weapon) end

---Takes a weapon from an entity.
---@param weapon string The weapon.
---@return true|nil
---@return refusal?
function entity:rts_remove_weapon(weapon) end

---Attacks now, with the first weapon that can.
---@param target kn.entity The target.
---@return true|nil
---@return refusal?
function entity:rts_attack(target) end

---Deals damage to somebody.
---@param target kn.entity The target.
---@param amount number How much, before its multiplier.
---@param type? string Type of the damage; default none.
---@return kn.rts_damage|nil
---@return refusal?
function entity:rts_deal_damage(target, amount, type) end

---What damage to somebody would do now.
---@param target kn.entity The target.
---@param amount number How much, before its multiplier.
---@param type? string Type of the damage; default none.
---@return kn.rts_damage|nil
---@return refusal?
function entity:rts_quote_damage(target, amount, type) end

---Launches a projectile of a weapon; nil if it arrives at once.
---@param weapon string The weapon.
---@param target? kn.entity What it is aimed at; default a point.
---@param amount? number Its damage; default as the weapon says.
---@param location? kn.vec3 The point, without a target.
---@return kn.entity?
---@return refusal?
function entity:rts_launch(weapon, target, amount, location) end

---Where a projectile is now.
---@return kn.vec3|nil
---@return refusal?
function entity:rts_projectile_position() end

---Damage that projectiles on their way are expected to deal to an entity.
---@return number
function entity:rts_pending_damage() end

---Whether projectiles on their way will take all of its health.
---@return boolean
function entity:rts_is_doomed() end

---The level of an upgrade of a player; 0 without it.
---@param upgrade string The upgrade.
---@return integer
function entity:rts_upgrade_level(upgrade) end

---Whether a player meets a requirement.
---@param requirement string The requirement.
---@return boolean
function entity:rts_meets(requirement) end

---The population of a player.
---@return kn.rts_population
function entity:rts_population() end

---Whether a building can research the next level of an upgrade, and why not.
---@param upgrade string The upgrade.
---@return kn.rts_research
function entity:rts_research_info(upgrade) end

---Sets the level of an upgrade of a player without a price.
---@param upgrade string The upgrade.
---@param level integer The new level; 0: none.
---@return true|nil
---@return refusal?
function entity:rts_set_upgrade(upgrade, level) end

---Puts the next level of an upgrade into the queue of a building.
---@param upgrade string The upgrade.
---@return true|nil
---@return refusal?
function entity:rts_research(upgrade) end

---Cancels the research of an upgrade of a player.
---@param upgrade string The upgrade.
---@return true|nil
---@return refusal?
function entity:rts_cancel_research(upgrade) end

---Takes a price from a player: all of it, or nothing.
---@param attribute string What is paid with.
---@param amount number How much.
---@return true|nil
---@return refusal?
function entity:rts_pay(attribute, amount) end

---Gives something of a player to another one.
---@param to kn.entity Who gets it.
---@param attribute string What is paid with.
---@param amount number How much.
---@return true|nil
---@return refusal?
function entity:rts_transfer(to, attribute, amount) end

---The items that a unit carries, in the order of their slots.
---@return kn.entity[]
function entity:rts_items() end

---The item in a slot of a unit.
---@param slot integer The slot, from 0.
---@return kn.entity?
function entity:rts_slot_item(slot) end

---The first item of a type that a unit carries.
---@param type string The type of item.
---@return kn.entity?
function entity:rts_carried_item(type) end

---How many items of a type a unit carries; of those that join in one slot, all charges.
---@param type string The type of item.
---@return integer
function entity:rts_count_items(type) end

---An item as it is now.
---@return kn.rts_item_info|nil
---@return refusal?
function entity:rts_item_info() end

---Why a unit cannot pick up an item.
---@param item kn.entity The item.
---@return kn.rts_item_answer
function entity:rts_pick_up_info(item) end

---Why an item cannot be used.
---@param target? kn.entity What it is aimed at; default nothing.
---@param location? kn.vec3 Where it is aimed at; default nowhere.
---@return kn.rts_item_answer
function entity:rts_use_info(target, location) end

---Why a unit cannot buy a type of item in a shop.
---@param shop kn.entity The shop.
---@param type string The type of item.
---@return kn.rts_item_answer
function entity:rts_buy_info(shop, type) end

---What a shop sells.
---@return kn.rts_good_info[]
function entity:rts_goods() end

---Creates an item that lies where an entity is, or elsewhere.
---@param type string The type of item.
---@param location? kn.vec3 Where; default at the entity.
---@return kn.entity?
---@return refusal?
function entity:rts_create_item(type, location) end

---Creates an item and gives it to a unit.
---@param type string The type of item.
---@return kn.entity?
---@return refusal?
function entity:rts_give_new_item(type) end

---Gives an item to a unit, from wherever it is.
---@param item kn.entity The item.
---@param slot? integer A free slot, from 0; default any.
---@return true|nil
---@return refusal?
function entity:rts_give_item(item, slot) end

---Lets a unit pick up an item.
---@param item kn.entity The item.
---@return true|nil
---@return refusal?
function entity:rts_pick_up(item) end

---Lets the holder of an item drop it.
---@param location? kn.vec3 Where; default at the holder.
---@return true|nil
---@return refusal?
function entity:rts_drop_item(location) end

---Lets the holder of an item hand it to another unit.
---@param to kn.entity The unit that gets it.
---@return true|nil
---@return refusal?
function entity:rts_hand_item(to) end

---Moves an item to another slot of its holder.
---@param slot integer The slot, from 0.
---@return true|nil
---@return refusal?
function entity:rts_move_item(slot) end

---Splits charges off an item.
---@param charges integer How many charges.
---@return kn.entity?
---@return refusal?
function entity:rts_split_item(charges) end

---Sets the charges of an item.
---@param charges integer How many charges.
---@return true|nil
---@return refusal?
function entity:rts_set_charges(charges) end

---Lets the holder of an item use it.
---@param target? kn.entity What it is aimed at; default nothing.
---@param location? kn.vec3 Where it is aimed at; default nowhere.
---@return true|nil
---@return refusal?
function entity:rts_use_item(target, location) end

---Lets a unit buy a type of item in a shop.
---@param shop kn.entity The shop.
---@param type string The type of item.
---@return kn.entity?
---@return refusal?
function entity:rts_buy(shop, type) end

---Lets the holder of an item sell it to a shop.
---@param shop kn.entity The shop.
---@return true|nil
---@return refusal?
function entity:rts_sell_item(shop) end

---Sets how many of a type of item a shop has.
---@param type string The type of item.
---@param stock integer How many it has from now on.
---@return true|nil
---@return refusal?
function entity:rts_set_stock(type, stock) end

---Applies an effect to a unit and lists the abilities that it grants.
---@param effect string The effect.
---@return true|nil
---@return refusal?
function entity:rts_add_item_ability(effect) end

---Takes back what rts_add_item_ability() gave.
---@param effect string The effect.
---@return true|nil
---@return refusal?
function entity:rts_remove_item_ability(effect) end

---The player that an entity belongs to; null for none.
---@return kn.entity?
function entity:rts_player() end

---The team of the player that an entity belongs to; 0 for none.
---@return integer
function entity:rts_team() end

---How the player of an entity stands to that of another.
---@param other kn.entity The other one.
---@return "enemy"|"indifferent"|"ally"
function entity:rts_stance(other) end

---Whether a player lets another one see what it sees.
---@param other kn.entity The other one.
---@return boolean
function entity:rts_shares_vision(other) end

---Whether the player of the entity sees the other.
---@param other kn.entity The other one.
---@return boolean
function entity:rts_is_visible(other) end

---Whether the player of the entity sees a place.
---@param place kn.vec3 The place.
---@return boolean
function entity:rts_sees_place(place) end

---How far a unit sees; 0 without vision.
---@return number
function entity:rts_sight() end

---How many units a player remembers and does not see.
---@return integer
function entity:rts_ghosts() end

---Where the player of the entity saw another unit last.
---@param other kn.entity The other one.
---@return kn.rts_seen_info
function entity:rts_last_seen(other) end

---Makes an entity a player.
---@return true|nil
---@return refusal?
function entity:rts_add_player() end

---Puts a player into a team.
---@param team integer Any number; 0: no team.
---@return true|nil
---@return refusal?
function entity:rts_set_team(team) end

---Sets how a player stands to another.
---@param other kn.entity The other player.
---@param stance "enemy"|"indifferent"|"ally" How it stands to the other.
---@return true|nil
---@return refusal?
function entity:rts_set_stance(other, stance) end

---Sets how two players stand to each other.
---@param other kn.entity The other player.
---@param stance "enemy"|"indifferent"|"ally" How it stands to the other.
---@return true|nil
---@return refusal?
function entity:rts_set_mutual_stance(other, stance) end

---Lets teams and rules decide again how a player stands.
---@param other kn.entity The other one.
---@return true|nil
---@return refusal?
function entity:rts_clear_stance(other) end

---Lets a player see what another one sees, or not.
---@param other kn.entity The player who sees it, too.
---@param shares? boolean Whether it sees it; default true.
---@return true|nil
---@return refusal?
function entity:rts_set_shares_vision(other, shares) end

---Gives an entity vision: it looks, and is hidden by fog.
---@return true|nil
---@return refusal?
function entity:rts_add_vision() end

---Takes vision from an entity: everybody sees it.
---@return true|nil
---@return refusal?
function entity:rts_remove_vision() end

---The buttons of a unit, at most 64.
---@return kn.rts_button[]
function entity:rts_card() end

---Why the button of an order is not ready; nil if it is.
---@param order string The order type.
---@param index? integer Variant of the order; default -1: none.
---@return string?
---@return refusal?
function entity:rts_why_not(order, index) end

---How an order of a unit looks.
---@param order string The order type.
---@param index? integer Variant of the order; default -1: none.
---@return kn.rts_look
function entity:rts_look(order, index) end

---The description of an ability for a unit, at most 1000 bytes of it.
---@param ability string The ability.
---@param level? number Level of the ability; default 0: that at which the unit has it, or 1.
---@return string?
function entity:rts_describe_ability(ability, level) end

---The description of an effect as if the entity applied it, at most 1000 bytes of it.
---@param effect string The effect.
---@param level? number Level of the effect; default 1.
---@return string?
function entity:rts_describe_effect(effect, level) end

---The description of an order for a unit, at most 1000 bytes of it.
---@param order string The order type.
---@param index? integer Variant of the order; default -1: none.
---@return string?
function entity:rts_describe_order(order, index) end

---The description of a product for a producer, at most 1000 bytes of it.
---@param product string The name of the product.
---@return string?
---@return refusal?
function entity:rts_describe_product(product) end

---Time until a unit can use an ability again, and the whole length of its cooldown.
---@param ability string The ability.
---@return number?
---@return number?
function entity:rts_cooldown(ability) end

---How near to its target a unit uses an ability.
---@param ability string The ability.
---@return number
function entity:rts_ability_range(ability) end

---Whether an entity has all tags that the activation of an ability requires.
---@param ability string The ability.
---@return boolean
function entity:rts_is_unlocked(ability) end

---Gives a unit exactly this tag if it does not have it, or takes it away once.
---@param tag string The tag.
---@param exists? boolean Whether the unit is to have it; default true.
---@return true|nil
---@return refusal?
function entity:rts_change_tag(tag, exists) end

---Lets the abilities of an entity react to an event of it about a target; how many were activated.
---@param tag string The tag of the event.
---@param target? kn.entity The target of the event; default the entity.
---@return integer|nil
---@return refusal?
function entity:rts_send_event(tag, target) end

---An active effect. Ids are integers; nil means none.
---@class kn.effect: integer
local effect = {}

---False once it has ended.
---@return boolean
function effect:is_alive() end

---Its name; nil once it has ended.
---@return string?
function effect:type() end

---The entity that has it.
---@return kn.entity?
function effect:target() end

---The entity that applied it; it may no longer exist.
---@return kn.entity?
function effect:source() end

---Its level.
---@return number?
function effect:level() end

---Its stacks; 0 once it has ended.
---@return integer
function effect:stacks() end

---Seconds left; nil if it lasts forever.
---@return number?
function effect:remaining() end

---The target data it was applied with.
---@return kn.target[]
function effect:targets() end

---A table with everything about it.
---@return kn.effect_info?
function effect:info() end

---The scaled magnitude of one modifier, from 1.
---@param modifier integer
---@return number
function effect:magnitude(modifier) end

---A caller value it was applied with.
---@param tag string
---@param fallback? number
---@return number
function effect:caller_value(tag, fallback) end

---Removes some stacks, or the whole effect.
---@param stacks? integer
---@param reason? kn.removal_reason
---@return true|nil
---@return refusal?
function effect:remove(stacks, reason) end

---Sets the time left.
---@param seconds number
---@return true|nil
---@return refusal?
function effect:set_remaining(seconds) end

---Adds to the time left, up to a maximum.
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

---Changes its total duration, counted from its start.
---@param seconds number
---@return true|nil
---@return refusal?
function effect:set_total(seconds) end

---Restarts it now with this duration.
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

---Sets a caller value and updates what depends on it.
---@param tag string
---@param value number
---@return true|nil
---@return refusal?
function effect:set_caller_value(tag, value) end

---Recomputes its magnitudes.
---@return true|nil
---@return refusal?
function effect:refresh() end

---Executes a tick now, outside its schedule.
---@return true|nil
---@return refusal?
function effect:execute() end

---What combat knows of the effect; nil for nothing.
---@return kn.buff_info|nil
---@return refusal?
function effect:buff() end

---Sets what is left in the absorb pool of the effect.
---@param left number What is left in its pool; 0 ends the effect.
---@return true|nil
---@return refusal?
function effect:set_absorb(left) end

---An effect that is prepared but not yet applied. Ids are integers.
---@class kn.spec: integer
local spec = {}

---False once it is destroyed.
---@return boolean
function spec:is_alive() end

---Destroys it; false if it no longer existed.
---@return boolean
function spec:destroy() end

---Makes a copy of it.
---@return kn.spec|nil
---@return refusal?
function spec:copy() end

---Applies it; the spec remains and can be applied again.
---@param target kn.entity
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
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

---Adds a tag that it grants.
---@param tag string
---@return true|nil
---@return refusal?
function spec:add_granted_tag(tag) end

---Adds a tag that describes it.
---@param tag string
---@return true|nil
---@return refusal?
function spec:add_asset_tag(tag) end

---Replaces instigator, causer, object, origin, targets, ability and activation.
---@param context? kn.apply_options
---@param keep_captures? boolean
---@return true|nil
---@return refusal?
function spec:set_context(context, keep_captures) end

---A running timer. Ids are integers.
---@class kn.timer: integer
local timer = {}

---Stops it; false if it no longer existed.
---@return boolean
function timer:cancel() end

---Seconds left; 0 once it has ended.
---@return number
function timer:remaining() end

---An ability granted to an entity. Ids are integers; nil means none.
---@class kn.ability: integer
local ability = {}

---False once it is removed.
---@return boolean
function ability:is_alive() end

---True while it is active.
---@return boolean
function ability:is_active() end

---Its name.
---@return string?
function ability:type() end

---The entity that has it.
---@return kn.entity?
function ability:owner() end

---Its level.
---@return number
function ability:level() end

---A table with everything about it.
---@return kn.ability_info?
function ability:info() end

---Sets its level; its id may change.
---@param level number
---@return kn.ability|nil
---@return refusal?
function ability:set_level(level) end

---Binds it to an input; 0: none.
---@param input integer
---@return true|nil
---@return refusal?
function ability:set_input(input) end

---Sets the host's 64 bits.
---@param user integer
---@return true|nil
---@return refusal?
function ability:set_user(user) end

---Adds a tag.
---@param tag string
---@return true|nil
---@return refusal?
function ability:add_tag(tag) end

---Removes a tag.
---@param tag string
---@return true|nil
---@return refusal?
function ability:remove_tag(tag) end

---True if it has the tag or a tag below it.
---@param tag string
---@return boolean
function ability:has_tag(tag) end

---A caller value that is passed to its effects.
---@param tag string
---@param fallback? number
---@return number
function ability:caller_value(tag, fallback) end

---Sets a caller value that is passed to its effects.
---@param tag string
---@param value number
---@return true|nil
---@return refusal?
function ability:set_caller_value(tag, value) end

---A parameter that is passed to its effects.
---@param name string
---@param fallback? number
---@return number
function ability:parameter(name, fallback) end

---Sets a parameter that is passed to its effects.
---@param name string
---@param value number
---@return true|nil
---@return refusal?
function ability:set_parameter(name, value) end

---All reasons why it cannot be activated now; nil if there are none.
---@param event? kn.record_options
---@return string[]?
function ability:check(event) end

---The same reasons as a sentence with numbers.
---@return string
function ability:explain() end

---The same reasons as tables.
---@return kn.reason[]
function ability:reasons() end

---Activates it, with or without an event.
---@param event? kn.record_options
---@return kn.activation|true|nil
---@return refusal?
function ability:activate(event) end

---Cancels its active uses.
---@return true|nil
---@return refusal?
function ability:cancel() end

---Removes one grant.
---@param removal? "cancel"|"after_end"
---@return true|nil
---@return refusal?
function ability:revoke(removal) end

---Removes it, however often it was granted.
---@param removal? "cancel"|"after_end"
---@return true|nil
---@return refusal?
function ability:remove(removal) end

---Its current cost.
---@return kn.price[]
function ability:quote() end

---Its cooldowns.
---@return kn.cooldown[]
function ability:cooldowns() end

---Time left and total length of its longest cooldown; nil if there is none.
---@return number?
---@return number?
function ability:cooldown() end

---Its own charges, or those shared under a key.
---@param key? string
---@return kn.cooldown?
function ability:charges(key) end

---Adds charges; a negative number removes them.
---@param charges integer
---@param key? string
---@return true|nil
---@return refusal?
function ability:add_charges(charges, key) end

---Restores all charges and stops the recharge.
---@param key? string
---@return true|nil
---@return refusal?
function ability:reset_cooldown(key) end

---Adds to the time left; `floor` is the minimum that remains.
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

---Why the ability cannot be used now; empty if it can.
---@return "charges"|"resource"|"custom"|"tag"|"gone"[]
function ability:use_status() end

---Adds or lifts a restriction that the ability imposes on itself.
---@param tag string `Knack.Restricted` or a tag below it.
---@param is_restricted boolean Whether the restriction is there from now on.
---@return true|nil
---@return refusal?
function ability:restrict(tag, is_restricted) end

---One active use of an ability. Ids are integers; nil means none.
---@class kn.activation: integer
local activation = {}

---The ability it is a use of.
---@return kn.ability?
function activation:ability() end

---The entity whose ability it is.
---@return kn.entity?
function activation:owner() end

---When it began.
---@return number
function activation:start() end

---The event that triggered it.
---@return kn.event?
function activation:event() end

---False once it has ended.
---@return boolean
function activation:is_alive() end

---Applies an effect on behalf of the ability, with its source, level and caller values.
---@param effect string
---@param target kn.entity
---@param options? kn.apply_options
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
function activation:apply(effect, target, options) end

---Pays the cost and starts the cooldowns; the tags are published with the commit event.
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

---Starts one cooldown: the one with this key, or without a key the ability's own.
---@param key? string
---@return true|nil
---@return refusal?
function activation:commit_cooldown_key(key) end

---How much of an attribute it has paid.
---@param attribute string
---@return number
function activation:paid(attribute) end

---Refunds a share, 0 to 1, of what was paid.
---@param share number
---@return true|nil
---@return refusal?
function activation:refund(share) end

---Ends it normally.
---@return true|nil
---@return refusal?
function activation:finish() end

---Cancels it, optionally with a reason, an instigator and more, for those who hear of it.
---@param why? { reason?: string, instigator?: kn.entity, tag?: string, number?: number }
---@return true|nil
---@return refusal?
function activation:cancel(why) end

---Sets whether it can be cancelled.
---@param is_cancelable boolean
---@return true|nil
---@return refusal?
function activation:set_cancelable(is_cancelable) end

---Turns its blocking of other abilities on or off.
---@param is_blocking boolean
---@return true|nil
---@return refusal?
function activation:set_blocking(is_blocking) end

---A seed for random numbers, the same on server and client.
---@return integer
function activation:seed() end

---A number from 0 up to, but not including, 1 for this activation and an index (default 0), the same on server and client. 0 once it has ended.
---@param index? integer
---@return number
function activation:random(index) end

---Its tasks, in the order they were created.
---@return kn.task[]
function activation:tasks() end

---Its first task with this name.
---@param name string
---@return kn.task?
function activation:find_task(name) end

---What the activation casts, also outside of the slot.
---@return kn.cast_info|nil
---@return refusal?
function activation:cast() end

---Begins a cast with an activation that runs. The cast ends the activation.
---@param cast string What is cast.
---@return true|nil
---@return refusal?
function activation:start_cast(cast) end

---One task of an active ability. Ids are integers; nil means none.
---@class kn.task: integer
local task = {}

---False once it has ended.
---@return boolean
function task:is_alive() end

---Ends it without a result.
---@return true|nil
---@return refusal?
function task:stop() end

---Sets the time until its timer fires.
---@param seconds number
---@return true|nil
---@return refusal?
function task:set_remaining(seconds) end

---Adds to the time until its timer fires, such as a push back of a cast; may be negative.
---@param seconds number
---@return true|nil
---@return refusal?
function task:add_remaining(seconds) end

---A table with everything about it.
---@return kn.task_info?
function task:info() end

---The targets a targeting task has found so far.
---@return kn.target[]
function task:targets() end

---Confirms the current targets of a targeting task.
---@return true|nil
---@return refusal?
function task:confirm() end

---Cancels a targeting task.
---@return true|nil
---@return refusal?
function task:cancel() end

---Provides final targets from elsewhere.
---@param targets (kn.target|kn.entity)[]
---@return true|nil
---@return refusal?
function task:provide(targets) end

---An ability in one of its hooks.
---@class kn.running
---@field state table State that lasts as long as the activation; see `state` of the definition.
---@field owner kn.entity The entity whose ability it is.
---@field avatar kn.entity Its avatar; the owner itself if it has no other.
---@field ability kn.ability The ability.
---@field activation kn.activation? This activation; nil in hooks about the grant.
---@field level number Its level.
---@field event kn.event? The event that triggered it.
---@field has_event boolean True if it was, or is about to be, triggered by an event.
---@field start number When it began.
local running = {}

---In `can_activate` and checks: refuses the activation for this reason, with what is behind it. Returns false.
---@param reason string
---@param line? { text?: string, tag?: string, attribute?: string, have?: number, need?: number, remaining?: number, effect?: kn.effect }
---@return boolean
function running:refuse(reason, line) end

---Calls the handler after this time.
---@param seconds number
---@param handler? string
---@return kn.task|nil
---@return refusal?
function running:wait(seconds, handler) end

---Calls the handler at this interval, `count` times, or as long as the ability is active.
---@param seconds number
---@param handler? string
---@param count? integer
---@return kn.task|nil
---@return refusal?
function running:every(seconds, handler, count) end

---Waits for an event with the tag or a tag below it.
---@param tag string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:wait_event(tag, handler, options) end

---Waits until the entity has the tag.
---@param tag string
---@param handler? string
---@param options? kn.task_options
---@return kn.task|nil
---@return refusal?
function running:wait_tag(tag, handler, options) end

---Waits until the entity does not have the tag.
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

---False once it has ended.
---@return boolean
function running:is_alive() end

---Applies an effect on behalf of the ability, with its source, level and caller values.
---@param effect string
---@param target kn.entity
---@param options? kn.apply_options
---@return kn.effect|true|nil
---@return refusal?
---@return kn.effect_refusal?
function running:apply(effect, target, options) end

---Pays the cost and starts the cooldowns; the tags are published with the commit event.
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

---Starts one cooldown: the one with this key, or without a key the ability's own.
---@param key? string
---@return true|nil
---@return refusal?
function running:commit_cooldown_key(key) end

---How much of an attribute it has paid.
---@param attribute string
---@return number
function running:paid(attribute) end

---Refunds a share, 0 to 1, of what was paid.
---@param share number
---@return true|nil
---@return refusal?
function running:refund(share) end

---Ends it normally.
---@return true|nil
---@return refusal?
function running:finish() end

---Cancels it, optionally with a reason, an instigator and more, for those who hear of it.
---@param why? { reason?: string, instigator?: kn.entity, tag?: string, number?: number }
---@return true|nil
---@return refusal?
function running:cancel(why) end

---Sets whether it can be cancelled.
---@param is_cancelable boolean
---@return true|nil
---@return refusal?
function running:set_cancelable(is_cancelable) end

---Turns its blocking of other abilities on or off.
---@param is_blocking boolean
---@return true|nil
---@return refusal?
function running:set_blocking(is_blocking) end

---A seed for random numbers, the same on server and client.
---@return integer
function running:seed() end

---A number from 0 up to, but not including, 1 for this activation and an index (default 0), the same on server and client. 0 once it has ended.
---@param index? integer
---@return number
function running:random(index) end

---Its tasks, in the order they were created.
---@return kn.task[]
function running:tasks() end

---Its first task with this name.
---@param name string
---@return kn.task?
function running:find_task(name) end

---What the activation casts, also outside of the slot.
---@return kn.cast_info|nil
---@return refusal?
function running:cast() end

---Begins a cast with an activation that runs. The cast ends the activation.
---@param cast string What is cast.
---@return true|nil
---@return refusal?
function running:start_cast(cast) end

---A custom task in one of its hooks.
---@class kn.task_self
---@field state table State that lasts as long as the task.
---@field owner kn.entity The entity whose ability it serves.
---@field task kn.task The task.
---@field activation kn.activation The activation it belongs to.
---@field ability kn.ability The ability of that activation.
local task_self = {}

---Sets its timer; a negative time stops it.
---@param seconds number
---@return true|nil
---@return refusal?
function task_self:wake_after(seconds) end

---Wakes the task when this happens to an entity (default: its owner); `what` is a tag, attribute or effect (default: any).
---@param trigger kn.trigger
---@param what? any
---@param entity? kn.entity
---@return true|nil
---@return refusal?
function task_self:watch(trigger, what, entity) end

---Reports a number and an array of floats to its ability; ends the task unless `ends` is false.
---@param output integer
---@param data? any
---@param ends? boolean
---@return true|nil
---@return refusal?
function task_self:tell(output, data, ends) end

---Reaches a sync point: `synced` is called when server and client have met there, or after the timeout.
---@param wait kn.sync_wait
---@param timeout? number
---@return true|nil
---@return refusal?
function task_self:sync(wait, timeout) end

---Ends it without a result.
---@return true|nil
---@return refusal?
function task_self:stop() end

---An effect in a calculation, execution, requirement or hook of its logic.
---@class kn.effect_self
---@field state table Logic: state that lasts as long as the effect.
---@field type string The effect.
---@field level number Its level.
---@field stacks integer Its stacks.
---@field source kn.entity? The source: the entity that applied it.
---@field target kn.entity The target.
---@field instigator kn.entity? Who is responsible; else the source.
---@field causer kn.entity? Weapon or projectile.
---@field origin kn.vec3? Where it comes from, if known.
---@field object integer The host's 64 bits.
---@field effect kn.effect? The active effect; nil while it is being applied.
---@field ability kn.ability? The ability that applied it.
---@field activation kn.activation? The activation that applied it.
---@field tick integer How many executions came before this one.
---@field targets kn.target[] The target data it was applied with.
local effect_self = {}

---A caller value.
---@param tag string
---@param fallback? number
---@return number
function effect_self:caller_value(tag, fallback) end

---A declared parameter.
---@param name string
---@param fallback? number
---@return number
function effect_self:parameter(name, fallback) end

---A named caller value.
---@param name string
---@param fallback? number
---@return number
function effect_self:named_value(name, fallback) end

---Whether a tag describes the effect.
---@param tag string
---@return boolean
function effect_self:has_asset_tag(tag) end

---The tags that describe the effect.
---@return string[]
function effect_self:asset_tags() end

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

---Requirements: says why the effect is refused, and what is behind it. Returns false.
---@param reason string
---@param line? { text?: string, tag?: string, attribute?: string, have?: number, need?: number, remaining?: number, effect?: kn.effect }
---@return boolean
function effect_self:refuse(reason, line) end

---An attribute value that is about to change, or has changed.
---@class kn.change
---@field entity kn.entity The entity whose attribute changes.
---@field attribute string The attribute.
---@field key integer The instance of the attribute set.
---@field old_value number The value before.
---@field new_value number The value after the change, or about to be stored.
local change = {}

---A modifier being executed on a base value.
---@class kn.execute
---@field entity kn.entity The entity whose base value changes.
---@field attribute string The attribute.
---@field key integer The instance of the attribute set.
---@field op kn.op The operation.
---@field magnitude number The change.
---@field old_base number The value before; post_execute only.
---@field new_base number The value after; post_execute only.
---@field type string? The effect that causes it.
---@field level number Its level.
---@field stacks integer Its stacks.
---@field source kn.entity? The source: the entity that applied it.
---@field instigator kn.entity? Who is responsible; else the source.
---@field causer kn.entity? Weapon or projectile.
---@field origin kn.vec3? Where it comes from, if known.
---@field object integer The host's 64 bits.
---@field effect kn.effect? The active effect.
---@field ability kn.ability? The ability that applied it.
---@field activation kn.activation? The activation that applied it.
---@field targets kn.target[] The target data it was applied with.
local execute = {}

---A caller value.
---@param tag string
---@param fallback? number
---@return number
function execute:caller_value(tag, fallback) end

---A declared parameter.
---@param name string
---@param fallback? number
---@return number
function execute:parameter(name, fallback) end

---A named caller value.
---@param name string
---@param fallback? number
---@return number
function execute:named_value(name, fallback) end

---Whether a tag describes the effect.
---@param tag string
---@return boolean
function execute:has_asset_tag(tag) end

---The tags that describe the effect.
---@return string[]
function execute:asset_tags() end

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
---@field kind string? The event kind.
---@field tag string? Its tag.
---@field tags string[] The tags that describe it.
---@field instigator kn.entity? The entity that causes it.
---@field target kn.entity? The entity it happens to.
---@field magnitude number The magnitude.
---@field object integer The host's 64 bits.
---@field object2 integer The host's 64 bits.
---@field targets kn.target[] Its target data.
local record = {}

---Whether the tag, or a tag below it, describes it.
---@param tag string
---@return boolean
function record:has_tag(tag) end

---In the condition of a gate on effects: says why it blocks. Returns true: it applies.
---@param reason string
---@param line? { text?: string, tag?: string, attribute?: string, have?: number, need?: number, remaining?: number, effect?: kn.effect }
---@return boolean
function record:refuse(reason, line) end

---The event a rule reacts to.
---@class kn.reaction_self
---@field trigger kn.trigger What happened.
---@field entity kn.entity? The entity it happens to.
---@field tag string? The tag.
---@field attribute string? The attribute.
---@field key integer The instance of its set; or the movement mode.
---@field old_value number The attribute's value before.
---@field new_value number The attribute's value after.
---@field old_count integer Stacks, the count of the tag, or charges, before.
---@field new_count integer Stacks, the count of the tag, or charges, after.
---@field effect kn.effect? The effect.
---@field effect_type string? Its type.
---@field reason kn.removal_reason? Why it was removed.
---@field instigator kn.entity? The entity that caused it, or cancelled it.
---@field magnitude number The magnitude of the event, or the number of a cancel.
---@field ability kn.ability? The ability.
---@field activation kn.activation? Its activation.
---@field end_reason kn.end_reason? Why the activation ended.
---@field fail_reasons string[] ability_failed: why it was refused.
---@field other kn.entity? The owner or parent now.
---@field old_other kn.entity? The owner or parent before.
---@field event kn.event? The event with everything it carries.
---@field causer kn.entity? Weapon or projectile behind the effect.
---@field level number The level of the effect, or of a further application.
---@field ability_type string? The type of the ability, also when it is gone.
---@field object integer The host's 64 bits behind the effect.
---@field old_remaining number? effect_reapplied: seconds left before; nil for forever.
---@field new_remaining number? effect_reapplied: seconds left now; nil for forever.
---@field set string? The attribute set that was added or removed.
local reaction_self = {}

---A search for targets.
---@class kn.targeting_self
---@field owner kn.entity The entity that looks for targets.
---@field avatar kn.entity Its avatar.
---@field activation kn.activation? The activation it looks for.
---@field task kn.task? The task it looks for.
local targeting_self = {}

---A timer that has expired.
---@class kn.timer_self
---@field state table The data it was started with; 16 bytes.
---@field entity kn.entity? The entity it ends with.
local timer_self = {}

---A policy at work. It sees the modifiers, and nothing else of the world.
---@class kn.policy_self
---@field base number The base value of the attribute.
local policy_self = {}

---A ticker in one of its hooks.
---@class kn.ticker_self
---@field state table State that lasts as long as the ticker is on the entity.
---@field entity kn.entity? The entity it is on; nil for the world itself.
---@field runs boolean Whether it is running: between `started` and `stopped`.
local ticker_self = {}

---Removes it, after calling `stopped` if it is running; false if it is already gone.
---@return boolean
function ticker_self:stop() end

---A command that is to be carried out.
---@class kn.command_self
---@field kind string The kind of the command.
---@field connection integer The connection of the player who sent it; 0 for this machine.
---@field sequence integer Its number among those of the connection.
---@field entity kn.entity? The entity that is to act.
---@field payload table The fields of its kind, as a new table.
---@field targets kn.target[] Its target data.
local command_self = {}

---Refuses the command for this reason, with what is behind it: it is published with the result of the command. Returns false.
---@param reason string
---@param line? { text?: string, tag?: string, attribute?: string, have?: number, need?: number, remaining?: number, effect?: kn.effect }
---@return boolean
function command_self:refuse(reason, line) end

---A run of a system.
---@class kn.system_self
---@field name string The system.
---@field now number When this run happens.
---@field index integer Number of this run, counted from the time 0 of the world; the first run is 1.
local system_self = {}

---A component in one of its hooks.
---@class kn.component_self
---@field entity kn.entity? The entity that has it; nil for the world itself.
---@field component string The name of its type.
---@field instance integer? Its id; nil for a type without `several`.
local component_self = {}

---A field of the component.
---@param field string
---@param element? integer
---@return any
function component_self:get(field, element) end

---Writes a field of the component; nil clears one that holds an id or a name.
---@param field string
---@param value? any
---@param element? integer
---@return true|nil
---@return refusal?
function component_self:set(field, value, element) end

---A definition of an own kind in one of its hooks. The second argument is a table with what the kind passes; the hook may return a table with its answers, or false to refuse, and then a table with what it answers nevertheless, such as reasons.
---@class kn.hook_self
---@field kind string The kind of the definition.
---@field name string The definition; `world.def` has its fields.
---@field entity kn.entity? The entity that the hook is called for.
local hook_self = {}

---What a watch has waited for.
---@class kn.watch_self
---@field trigger kn.trigger What happened.
---@field entity kn.entity? The entity it happens to.
---@field tag string? The tag.
---@field attribute string? The attribute.
---@field key integer The instance of its set; or the movement mode.
---@field old_value number The attribute's value before.
---@field new_value number The attribute's value after.
---@field old_count integer Stacks, the count of the tag, or charges, before.
---@field new_count integer Stacks, the count of the tag, or charges, after.
---@field effect kn.effect? The effect.
---@field effect_type string? Its type.
---@field reason kn.removal_reason? Why it was removed.
---@field instigator kn.entity? The entity that caused it, or cancelled it.
---@field magnitude number The magnitude of the event, or the number of a cancel.
---@field ability kn.ability? The ability.
---@field activation kn.activation? Its activation.
---@field end_reason kn.end_reason? Why the activation ended.
---@field fail_reasons string[] ability_failed: why it was refused.
---@field other kn.entity? The owner or parent now.
---@field old_other kn.entity? The owner or parent before.
---@field event kn.event? The event with everything it carries.
---@field causer kn.entity? Weapon or projectile behind the effect.
---@field level number The level of the effect, or of a further application.
---@field ability_type string? The type of the ability, also when it is gone.
---@field object integer The host's 64 bits behind the effect.
---@field old_remaining number? effect_reapplied: seconds left before; nil for forever.
---@field new_remaining number? effect_reapplied: seconds left now; nil for forever.
---@field set string? The attribute set that was added or removed.
---@field is_true boolean query and threshold: whether the condition holds now.
---@field watch_owner kn.entity? The entity that the watch belongs to.
---@field state table State that lasts as long as the watch.
local watch_self = {}
