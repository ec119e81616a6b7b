// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Attacks, a part of the RTS kit (knack/rts.h): weapons, damage and projectiles.
///
///   rts_attack_rules:
///     Rules: {health: Body.Health}
///   rts_weapons:
///     Bow:
///       kind: ranged
///       tag: Unit.Archer        # entities that gain it have the weapon
///       windup: 0.3
///       backswing: 0.4
///       damage_type: Damage.Pierce
///       speed: 20               # of its projectiles
///
/// A weapon gives its bearer an ability with the tag `Knack.Ability.Attack`, which orders such as
/// `Knack.Attack` use (knack/order_ready.h). An attack begins with its cooldown and the wind-up;
/// then it strikes, or launches a projectile; then follows the backswing. One that is cancelled
/// during the wind-up costs nothing, and later it has happened.
///
/// What a strike does, in this order: it is evaded, or its damage is dealt; effects of the weapon
/// and of attack modifiers; life steal; the event `Knack.Rts.Event.OnHitEffect` to the attacker;
/// splash; the next bounce.
///
/// Damage runs through these stages, each of which kn_rts_damage reports:
///
///   asked (amount x multiplier of the source) -> table of damage types, armour and hook
///   `mitigate` -> absorbed -> limited by the health that is left -> dealt
///
/// All of it is state of the world and decided by the authority. Clients see weapons with what they
/// do, cooldowns as effects, and projectiles as entities.
#ifndef KNACK_RTS_ATTACK_H
#define KNACK_RTS_ATTACK_H

#include "knack/rts.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_rts_weapon_id)          ///< a registered weapon
KN_TYPE_ID(kn_rts_attack_modifier_id) ///< a registered attack modifier

// Attributes ------------------------------------------------------------------------

/// Attributes of the set `Knack.Rts.Attack`. Entities that have the set have the tag
/// `Knack.Status.CanAttack`.
typedef enum kn_rts_attack_attribute {
    KN_RTS_ATTACK_DAMAGE,   ///< `Damage`: of one attack; default 0
    KN_RTS_ATTACK_COOLDOWN, ///< `Cooldown`: seconds until the next attack; default 1
    KN_RTS_ATTACK_RANGE,    ///< `Range`: how far it reaches; default 1
    /// `OutgoingDamageMultiplier`: of all damage dealt; default 1. Units begin with 1: it is never
    /// read from tables.
    KN_RTS_ATTACK_MULTIPLIER,
    /// `Speed`: cooldown, wind-up and backswing are divided by it; default 1. A running cooldown
    /// follows it, as it follows `Cooldown`.
    KN_RTS_ATTACK_SPEED,
    KN_RTS_ATTACK_ATTRIBUTE_COUNT, ///< number of the values above; not a value itself
} kn_rts_attack_attribute;

/// The name of the attribute set.
#define KN_RTS_ATTACK_SET_NAME "Knack.Rts.Attack"

/// The attribute set of attacks; null for a library without the kit.
KN_API kn_attribute_set_id kn_rts_attack_set(const kn_library *library);
/// An attribute of that set, for modifiers and queries; null for an unknown number, and for a
/// library without the kit.
KN_API kn_attribute_id kn_rts_attack_get_attribute(
    const kn_library *library, kn_rts_attack_attribute which);

// Rules -----------------------------------------------------------------------------

/// The lowest and the highest value of an attribute.
typedef struct kn_rts_limits {
    float min; ///< lowest value; default 0
    float max; ///< highest value; default 10000
} kn_rts_limits;

/// Where the luck of attacks comes from.
typedef enum kn_rts_luck {
    /// Each attempt that fails raises the chance of the next: long streaks are rare, and on average
    /// it is the chance that is given; the default.
    KN_RTS_LUCK_ACCUMULATING,
    KN_RTS_LUCK_PLAIN, ///< every attempt has the same chance
    KN_RTS_LUCK_COUNT, ///< number of the values above; not a value itself
} kn_rts_luck;

/// Arguments of the hook `mitigate`. The target is the entity of the kn_hook_call.
typedef struct kn_rts_mitigate_call {
    kn_entity_id source;     ///< who deals the damage; may be null
    kn_tag type;             ///< its type; may be null
    kn_rts_weapon_id weapon; ///< the weapon behind it; null: none
    uint32_t flags;          ///< bits of kn_rts_damage_flag
    float amount;            ///< the damage; the hook may change it, to 0 at the least
} kn_rts_mitigate_call;

/// Arguments of the hook `find_obstacle`: whether something is in the way of a projectile. Its
/// source is the entity of the kn_hook_call, or null if it is gone.
typedef struct kn_rts_flight_call {
    kn_entity_id target;     ///< what it is aimed at; null: a point
    kn_vec3 from;            ///< where this part of its way begins
    kn_vec3 to;              ///< where this part of its way ends
    kn_rts_weapon_id weapon; ///< the weapon behind it
    float share;             ///< the answer: the share of the way that it gets; 1 at first: all
} kn_rts_flight_call;

/// What all attacks of a library have in common, in data files under `rts_attack_rules`; at most
/// one. Start from kn_rts_attack_rules_def_default().
typedef struct kn_rts_attack_rules_def {
    const char *name; ///< unique name; required
    /// The attribute that damage takes from; null: `health` of the rts rules. Without either
    /// nothing can be damaged.
    kn_attribute_id health;
    /// Attribute of the target that is its armour, null: none. Armour a lets 1 / (1 + f a) of the
    /// damage through, f being `armour_factor`; a negative one 2 - 1 / (1 - f a).
    kn_attribute_id armour;
    float armour_factor; ///< how much a point of armour counts, 0 or more; default 0.06
    /// Chance that the target of an attack evades it, 0 to 1: its source is the attacker; default
    /// 0.
    kn_magnitude evasion;
    kn_rts_luck luck;         ///< how chances of evasion and critical hits are drawn
    kn_rts_limits damage;     ///< limits of `Damage`
    kn_rts_limits cooldown;   ///< limits of `Cooldown`; default 0.1 to 10000
    kn_rts_limits range;      ///< limits of `Range`
    kn_rts_limits multiplier; ///< limits of `OutgoingDamageMultiplier`
    kn_rts_limits speed;      ///< limits of `Speed`; default 0.01 to 10000
    /// Only the upper limits of base values count; default false: both limits, for base and current
    /// values.
    bool literal_limits;
    /// Automatic orders of the type `Knack.Rts.Attack` leave those alone whose health the
    /// projectiles on their way will take; default false.
    bool prevents_overkill;
    kn_hook mitigate;      ///< changes damage after the table and armour; it must only read
    kn_hook find_obstacle; ///< finds what is in the way of a projectile; it must only read
    uint32_t cookie;       ///< set by kn_rts_attack_rules_def_default(); do not change it
} kn_rts_attack_rules_def;

/// A def with the defaults named above.
KN_API kn_rts_attack_rules_def kn_rts_attack_rules_def_default(void);
/// Registers the rules.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_attack_rules_register(
    kn_library *library, const kn_rts_attack_rules_def *def, kn_error *error);

/// How much damage of a type does to a kind of armour.
typedef struct kn_rts_damage_row {
    kn_tag type;   ///< damage of this type, or of one below it; required
    kn_tag armour; ///< targets with this tag; null: all
    float factor;  ///< the damage is multiplied by it, 0 or more; default 1
} kn_rts_damage_row;

/// Damage types against armour types, in data files under `rts_damage_tables`. Of the rows of all
/// tables, in order, the first that fits counts; without one the factor is 1. Start from
/// kn_rts_damage_table_def_default().
typedef struct kn_rts_damage_table_def {
    const char *name;              ///< unique name; required
    const kn_rts_damage_row *rows; ///< the rows, those for special cases first
    uint32_t row_count;            ///< number of entries in `rows`
    uint32_t cookie;               ///< set by kn_rts_damage_table_def_default(); do not change it
} kn_rts_damage_table_def;

/// A def without rows.
KN_API kn_rts_damage_table_def kn_rts_damage_table_def_default(void);
/// Registers a table.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_damage_table_register(
    kn_library *library, const kn_rts_damage_table_def *def, kn_error *error);
/// The factor for damage of a type to an entity, by the tables; 1 where they say nothing.
KN_API float kn_rts_damage_factor(const kn_world *world, kn_tag type, kn_entity_id target);

// Damage ----------------------------------------------------------------------------

/// What is known about damage, as bits.
typedef enum kn_rts_damage_flag {
    KN_RTS_DAMAGE_CRITICAL = 1 << 0,   ///< it is a critical hit; its amount says so already
    KN_RTS_DAMAGE_SPLASH = 1 << 1,     ///< it is splash of a hit on somebody else
    KN_RTS_DAMAGE_BOUNCED = 1 << 2,    ///< the attack has bounced before
    KN_RTS_DAMAGE_PROJECTILE = 1 << 3, ///< a projectile has brought it
    /// The multiplier of the source is in the amount already.
    KN_RTS_DAMAGE_MULTIPLIED = 1 << 4,
    KN_RTS_DAMAGE_EVADED = 1 << 5,       ///< of a result: the target has evaded it
    KN_RTS_DAMAGE_IMMUNE = 1 << 6,       ///< of a result: the target is invulnerable
    KN_RTS_DAMAGE_REFUSED = 1 << 7,      ///< of a result: a gate of an effect has refused it
    KN_RTS_DAMAGE_WOKE = 1 << 8,         ///< of a result: the target was asleep
    KN_RTS_DAMAGE_LETHAL = 1 << 9,       ///< of a result: it took the last health
    KN_RTS_DAMAGE_INPUTS = (1 << 5) - 1, ///< the bits that a def may have
} kn_rts_damage_flag;

/// Damage to deal. Start from kn_rts_damage_def_default().
typedef struct kn_rts_damage_def {
    kn_entity_id source;     ///< who deals it; may be null
    kn_entity_id target;     ///< who is damaged; required
    kn_entity_id causer;     ///< the projectile; null: none
    kn_rts_weapon_id weapon; ///< the weapon behind it; null: none
    kn_tag type;             ///< its type, for the tables; null: none
    float amount;            ///< how much, before the multiplier of the source; 0 or more
    uint32_t flags;          ///< bits of kn_rts_damage_flag
    uint32_t cookie;         ///< set by kn_rts_damage_def_default(); do not change it
} kn_rts_damage_def;

/// What became of damage. `asked` is the sum of `mitigated`, `absorbed`, `overkill` and `dealt`,
/// but for the rounding of floats. It is also the payload of the events `Knack.RtsDamage`, as which
/// all damage is published, that which is evaded or refused too; its entity is the target.
typedef struct kn_rts_damage {
    kn_entity_id source;     ///< who dealt it; null: nobody, or it is gone
    kn_entity_id target;     ///< who was damaged
    kn_entity_id causer;     ///< the projectile; null: none
    kn_rts_weapon_id weapon; ///< the weapon behind it; null: none
    kn_tag type;             ///< its type; null: none
    uint32_t flags;          ///< bits of kn_rts_damage_flag
    float asked;             ///< with the multiplier of the source
    /// What evasion, immunity, tables, armour, the hook and gates took away; negative if they made
    /// it larger.
    float mitigated;
    float absorbed; ///< what the tag `Knack.Rts.Changing.DamageAbsorbing` kept from health
    float overkill; ///< what there was no health for
    float dealt;    ///< health that it took
} kn_rts_damage;

/// Damage of 0 with nothing set.
KN_API kn_rts_damage_def kn_rts_damage_def_default(void);
/// Deals damage: from the host between steps, and from rules. Of the target these tags count: the
/// invulnerable take none; those who absorb damage lose no health; the health of those in a last
/// stand stops at 1; those asleep wake up if they lose health: the tag is removed, and effects with
/// the tag `Knack.Rts.Ability.Sleep` end.
///
/// Effects deal damage by the execution `Knack.Rts.Damage`. Its amount is the parameter `Damage` of
/// the effect, or the attribute `Damage` of its source; its type is the first of the asset tags of
/// the effect that a table names, or the first of them.
/// @param damage receives what became of it; may be NULL
/// @return KN_OK, also if all of it was mitigated; KN_REFUSED_BLOCKED for an invulnerable target, a
///         gate, and on a client; KN_REFUSED_STALE_ID; KN_REFUSED_DYING;
///         KN_REFUSED_MISSING_ATTRIBUTE for a target without health; KN_REFUSED_BAD_NUMBER for an
///         amount that is negative or not finite; KN_ERROR_INVALID_ARGUMENT for a def without its
///         defaults, unknown flags, or a library without the kit; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_damage_deal(
    kn_world *world, const kn_rts_damage_def *def, kn_rts_damage *damage);
/// What damage would do now, without gates of effects. Changes nothing; for user interfaces and
/// AI, on clients too.
/// @return as kn_rts_damage_deal()
KN_API kn_result kn_rts_damage_quote(
    const kn_world *world, const kn_rts_damage_def *def, kn_rts_damage *damage);

// Weapons ---------------------------------------------------------------------------

/// How a weapon reaches its target.
typedef enum kn_rts_weapon_kind {
    /// By hand: it strikes at the end of the wind-up. Its bearer has the tag
    /// `Knack.Rts.Classification.Melee`; the default.
    KN_RTS_WEAPON_MELEE,
    /// From a distance: it launches a projectile at the end of the wind-up. Its bearer has the tag
    /// `Knack.Rts.Classification.Ranged`.
    KN_RTS_WEAPON_RANGED,
    KN_RTS_WEAPON_KIND_COUNT, ///< number of the values above; not a value itself
} kn_rts_weapon_kind;

/// How a projectile finds its target.
typedef enum kn_rts_guide {
    /// It flies at its speed to where the target is; if that has moved meanwhile, it goes on from
    /// there; the default.
    KN_RTS_GUIDE_HOMING,
    /// It reaches the target at the time that the way took when it was launched, wherever the
    /// target is then.
    KN_RTS_GUIDE_TIMED,
    /// It flies to where the target was when it was launched, and hits what it finds there: its
    /// target, or the nearest that the weapon may attack.
    KN_RTS_GUIDE_LOCATION,
    KN_RTS_GUIDE_COUNT, ///< number of the values above; not a value itself
} kn_rts_guide;

/// What a projectile does when it arrives and its target is dead or gone.
typedef enum kn_rts_target_lost {
    KN_RTS_LOST_VANISHES, ///< nothing; the default
    KN_RTS_LOST_LANDS,    ///< it lands where the target was last, with its splash
    KN_RTS_LOST_TURNS,    ///< it flies to the nearest other target within `turn_radius`
    KN_RTS_LOST_COUNT,    ///< number of the values above; not a value itself
} kn_rts_target_lost;

/// The area of splash.
typedef enum kn_rts_splash_shape {
    KN_RTS_SPLASH_NONE,   ///< there is none; the default
    KN_RTS_SPLASH_CIRCLE, ///< around the place of the hit
    KN_RTS_SPLASH_CONE,   ///< from the attacker, or where a projectile came from, to the hit
    KN_RTS_SPLASH_LINE,   ///< the same as a box
    KN_RTS_SPLASH_COUNT,  ///< number of the values above; not a value itself
} kn_rts_splash_shape;

/// Splash: damage to others around a hit.
typedef struct kn_rts_splash {
    kn_rts_splash_shape shape; ///< its area; default none
    float radius;              ///< radius of a circle, length of a cone or line; default 0
    float width;               ///< of a line; default 1
    float cos_half_angle;      ///< of a cone: cosine of the angle to each side; default 0.5
    float share;               ///< share of the damage that others get, 0 or more; default 1
    /// Curve by which the share is multiplied, looked up at the distance from the hit; for cones
    /// and lines from where they begin; null: none.
    kn_curve_id falloff;
    uint32_t relations;      ///< who is hit, bits of kn_order_relation; default hostile and neutral
    kn_tag_requirement tags; ///< tags that those who are hit must have, or must not have
    uint32_t limit;          ///< most who are hit; 0: any number, up to 256; default 0
    bool lands; ///< projectiles deal it where they end without a hit, too; default true
} kn_rts_splash;

/// How an attack goes on to others.
typedef struct kn_rts_bounce {
    uint32_t count;  ///< how often, at most 16; default 0
    float radius;    ///< how far the next one may be from the last; default 0
    float share;     ///< share of the damage that is left each time, 0 or more; default 1
    bool may_return; ///< it may hit the same one again, but not twice in a row; default false
} kn_rts_bounce;

/// Most costs of a weapon.
#define KN_RTS_WEAPON_COSTS_MAX 8

/// A weapon, in data files under `rts_weapons`. Start from kn_rts_weapon_def_default().
typedef struct kn_rts_weapon_def {
    const char *name;        ///< unique name; required
    kn_tag tag;              ///< entities with this tag have the weapon; null: by call alone
    kn_rts_weapon_kind kind; ///< how it reaches its target; default melee
    /// Attribute of the bearer that is its damage; null: `Damage` of the attack set.
    kn_attribute_id damage_attribute;
    /// Attribute of the bearer that is its cooldown in seconds; null: `Cooldown`.
    kn_attribute_id cooldown_attribute;
    /// Attribute of the bearer that is its range; null: `Range`.
    kn_attribute_id range_attribute;
    float range_slack;  ///< how much further the target may be, at the strike too; default 1
    kn_time windup;     ///< time from the beginning to the strike or launch; default 0
    kn_time backswing;  ///< time from there to the end of the attack; default 0
    kn_tag damage_type; ///< type of its damage, for the tables; null: none
    float spread;       ///< its damage varies by up to this share of it, 0 to 1; default 0
    uint32_t
        relations; ///< which targets it may attack, bits of kn_order_relation; default not friends
    bool needs_sight;              ///< its bearer must see the target; default true
    kn_tag_requirement target;     ///< tags that a target must have, or must not have
    kn_tag_requirement activation; ///< tags that its bearer must have, or must not have
    kn_tags ability_tags;          ///< tags of its ability beside `Knack.Ability.Attack`
    const kn_cost_def *costs;      ///< what an attack costs
    uint32_t cost_count;           ///< number of entries in `costs`
    kn_magnitude critical_chance;  ///< chance of a critical hit, 0 to 1; default 0
    kn_magnitude critical_factor;  ///< factor of the damage of a critical hit; default 2
    bool evadable;                 ///< targets may evade it; default true
    kn_magnitude life_steal;       ///< share of the damage dealt that heals its bearer; default 0
    const kn_effect_type_id *effects; ///< effects that are applied to who is hit, without splash
    uint32_t effect_count;            ///< number of entries in `effects`
    kn_rts_splash splash;             ///< damage to others around
    kn_rts_bounce bounce;             ///< whether it goes on to others
    float speed;                      ///< of its projectiles; 0: they arrive at once; default 0
    kn_rts_guide guide;               ///< how they find their target; default homing
    float hit_radius;                 ///< how near they must get to it; default 0.5
    kn_rts_target_lost target_lost;   ///< what they do when it is dead or gone; default vanishes
    float turn_radius;                ///< how far they look for another one; default 0
    bool ends_with_source; ///< they do nothing if the attacker is dead or gone; default false
    kn_time lifetime;      ///< longest flight; 0: any; default 0
    bool is_blockable;     ///< the hook `find_obstacle` of the rules is asked; default true
    kn_hook hit;           ///< called when it has hit, with a kn_rts_damage
    uint32_t cookie;       ///< set by kn_rts_weapon_def_default(); do not change it
} kn_rts_weapon_def;

/// A def with the defaults named above.
KN_API kn_rts_weapon_def kn_rts_weapon_def_default(void);
/// Registers a weapon.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_weapon_register(
    kn_library *library, const kn_rts_weapon_def *def, kn_rts_weapon_id *weapon, kn_error *error);
/// The weapon with this name; null when there is none.
KN_API kn_rts_weapon_id kn_rts_weapon_find(const kn_library *library, const char *name);
/// The def of a weapon as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_weapon_def *kn_rts_weapon_get_def(
    const kn_library *library, kn_rts_weapon_id weapon);
/// The ability that a weapon gives, `Knack.Rts.Attack.NAME`; null before the library is finished.
KN_API kn_ability_type_id kn_rts_weapon_ability(const kn_library *library, kn_rts_weapon_id weapon);

/// Something that changes the attacks of those who have a tag, such as an effect that poisons
/// their blades; in data files under `rts_attack_modifiers`. Its numbers are evaluated when an
/// attack strikes or is launched, with the attacker as source. Start from
/// kn_rts_attack_modifier_def_default().
typedef struct kn_rts_attack_modifier_def {
    const char *name;    ///< unique name; required
    kn_tag tag;          ///< it counts for attackers with this tag; required
    kn_tag group;        ///< of those of one group only the first by priority counts; null: none
    int32_t priority;    ///< modifiers with higher ones come first, then the earlier one; default 0
    kn_magnitude chance; ///< chance of each attack to have it, 0 to 1; default 1
    kn_magnitude add;    ///< damage that is added; default 0
    kn_magnitude factor; ///< factor of the damage, after all that is added; default 1
    kn_magnitude life_steal;          ///< added to the life steal of the weapon; default 0
    kn_magnitude critical_chance;     ///< added to that of the weapon; default 0
    kn_tag damage_type;               ///< the damage is of this type instead; null: as before
    const kn_effect_type_id *effects; ///< effects that are applied to who is hit, without splash
    uint32_t effect_count;            ///< number of entries in `effects`
    uint32_t cookie; ///< set by kn_rts_attack_modifier_def_default(); do not change it
} kn_rts_attack_modifier_def;

/// A def with the defaults named above.
KN_API kn_rts_attack_modifier_def kn_rts_attack_modifier_def_default(void);
/// Registers an attack modifier.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_attack_modifier_register(kn_library *library,
    const kn_rts_attack_modifier_def *def, kn_rts_attack_modifier_id *modifier, kn_error *error);

/// What a weapon is doing.
typedef enum kn_rts_attack_phase {
    KN_RTS_ATTACK_IDLE,        ///< nothing
    KN_RTS_ATTACK_WINDUP,      ///< it is about to strike
    KN_RTS_ATTACK_BACKSWING,   ///< it has struck
    KN_RTS_ATTACK_PHASE_COUNT, ///< number of the values above; not a value itself
} kn_rts_attack_phase;

/// A weapon of an entity.
typedef struct kn_rts_weapon_info {
    kn_rts_weapon_id weapon;   ///< the weapon
    kn_ability_id ability;     ///< the ability that it gives
    kn_rts_attack_phase phase; ///< what it is doing
    kn_entity_id target;       ///< its target, or the last one; null: none yet
    kn_time began;             ///< when the phase began
    kn_time until;             ///< when the phase ends
    kn_time remaining;         ///< of its cooldown; 0: ready
    kn_time cooldown;          ///< whole length of the cooldown that runs; 0: ready
} kn_rts_weapon_info;

/// Gives a weapon to an entity.
/// @return KN_OK; KN_REFUSED_DUPLICATE if it has the weapon; KN_REFUSED_STALE_ID; KN_REFUSED_DYING;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an unknown weapon;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_weapon_add(kn_world *world, kn_entity_id entity, kn_rts_weapon_id weapon);
/// Takes a weapon from an entity; what it is doing is cancelled. Its projectiles fly on.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it does not have the weapon; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_weapon_remove(
    kn_world *world, kn_entity_id entity, kn_rts_weapon_id weapon);
/// The weapons of an entity in the order it got them. Returns how many there are; at most
/// `capacity` are written. Clients may ask, too.
KN_API uint32_t kn_rts_weapons(
    const kn_world *world, kn_entity_id entity, kn_rts_weapon_info *out, uint32_t capacity);
/// Lets an entity attack now, with the first of its weapons that can: as an order does once it is
/// in range.
/// @return KN_OK; KN_REFUSED_NOT_FOUND without a weapon; otherwise as kn_ability_activate(), of the
///         first weapon; KN_REFUSED_BLOCKED on a client
KN_API kn_result kn_rts_attack(kn_world *world, kn_entity_id entity, kn_entity_id target);

// Projectiles -----------------------------------------------------------------------

/// How a projectile came to its end.
typedef enum kn_rts_projectile_end {
    KN_RTS_PROJECTILE_HIT,         ///< it hit somebody
    KN_RTS_PROJECTILE_EVADED,      ///< its target evaded it
    KN_RTS_PROJECTILE_LANDED,      ///< it reached its place, and nobody was there
    KN_RTS_PROJECTILE_BLOCKED,     ///< something was in its way
    KN_RTS_PROJECTILE_LOST_TARGET, ///< its target is dead or gone
    KN_RTS_PROJECTILE_LOST_SOURCE, ///< its source is dead or gone, and it ends with it
    KN_RTS_PROJECTILE_TIMED_OUT,   ///< it flew for too long
    KN_RTS_PROJECTILE_END_COUNT,   ///< number of the values above; not a value itself
} kn_rts_projectile_end;

/// A projectile to launch. Start from kn_rts_projectile_def_default().
typedef struct kn_rts_projectile_def {
    kn_rts_weapon_id weapon; ///< how it flies and what it does; required
    kn_entity_id source;     ///< who launches it; required
    kn_entity_id target;     ///< what it is aimed at; null: `to`
    kn_vec3 to;              ///< the point it is aimed at, without a target
    bool has_from;           ///< it begins at `from`; default false: at its source
    kn_vec3 from;            ///< where it begins
    float amount;    ///< damage before the multiplier of the source; below 0: as the weapon says;
                     ///< default -1
    float level;     ///< where curves of the weapon are looked up; default 1
    uint32_t cookie; ///< set by kn_rts_projectile_def_default(); do not change it
} kn_rts_projectile_def;

/// A def with the defaults named above.
KN_API kn_rts_projectile_def kn_rts_projectile_def_default(void);
/// Launches a projectile: what ranged weapons do, for abilities. It is an entity that costs nothing
/// until it arrives. If its source is gone by then, it acts in the name of the owner that the
/// source had.
/// @param projectile receives it; null if it has arrived already; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale source or target; KN_REFUSED_BAD_NUMBER for
///         numbers that are not finite; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT
///         for a def without its defaults or an unknown weapon; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_projectile_launch(
    kn_world *world, const kn_rts_projectile_def *def, kn_entity_id *projectile);

/// A projectile on its way.
typedef struct kn_rts_projectile_info {
    kn_rts_weapon_id weapon; ///< the weapon behind it
    kn_entity_id source;     ///< who launched it; may be stale
    kn_entity_id target;     ///< what it is aimed at; null: a point; may be stale
    kn_entity_id owner;      ///< who owned its source at the launch; may be null
    kn_vec3 from;            ///< where this part of its way began
    kn_vec3 to;              ///< where this part of its way ends
    kn_time began;           ///< when it was at `from`
    kn_time until;           ///< when it is at `to`
    float expected;          ///< damage that it will deal as things were at its launch; clients: 0
    uint32_t flags;          ///< bits of kn_rts_damage_flag
} kn_rts_projectile_info;

/// Reads a projectile; false, and zeroes, for entities that are none.
KN_API bool kn_rts_projectile_get(
    const kn_world *world, kn_entity_id projectile, kn_rts_projectile_info *info);
/// Where a projectile is now; false, and zero, for entities that are none.
KN_API bool kn_rts_projectile_position(
    const kn_world *world, kn_entity_id projectile, kn_vec3 *position);
/// The damage that projectiles on their way to an entity are expected to deal to it. Costs as much
/// as there are projectiles aimed at it. On clients 0.
KN_API float kn_rts_pending_damage(const kn_world *world, kn_entity_id target);
/// True if projectiles on their way will take all health of an entity, as things were when they
/// were launched.
KN_API bool kn_rts_is_doomed(const kn_world *world, kn_entity_id target);

// Events ----------------------------------------------------------------------------

/// Payload of the custom event `Knack.RtsAttack`: an attack has begun, has struck or launched, or
/// was cancelled during its wind-up. Its entity is the attacker.
typedef struct kn_rts_attack_event {
    kn_entity_id target;     ///< the target
    kn_rts_weapon_id weapon; ///< with what
    uint32_t phase;          ///< the phase that begins, kn_rts_attack_phase; idle: it was cancelled
    kn_time until;           ///< when that phase ends
} kn_rts_attack_event;

/// Payload of the custom event `Knack.RtsProjectile`: a projectile was launched, or has begun a new
/// part of its way. Its entity is the projectile.
typedef struct kn_rts_projectile_event {
    kn_entity_id source;     ///< who launched it
    kn_entity_id target;     ///< what it is aimed at; null: a point
    kn_rts_weapon_id weapon; ///< the weapon behind it
    kn_vec3 from;            ///< where it is
    kn_vec3 to;              ///< where it flies
    uint32_t unused;         ///< keeps the struct free of gaps
    kn_time until;           ///< when it is there
} kn_rts_projectile_event;

/// Payload of the custom event `Knack.RtsProjectileEnded`. Its entity is the projectile, which is
/// gone then.
typedef struct kn_rts_projectile_ended {
    kn_entity_id source;     ///< who launched it; may be stale
    kn_entity_id target;     ///< what it hit, or was aimed at; may be stale
    kn_rts_weapon_id weapon; ///< the weapon behind it
    uint32_t end;            ///< how it ended, kn_rts_projectile_end
    kn_vec3 at;              ///< where it ended
    uint32_t unused;         ///< keeps the struct free of gaps
} kn_rts_projectile_ended;

#ifdef __cplusplus
}
#endif

#endif
