// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Ready order types, a part of the order kit (knack/order.h): the orders that units of most games
/// know, with the trees that carry them out. Units need a mover or an engine to get anywhere
/// (knack/mover.h).
///
/// | Order type | Aimed at | What the unit does |
/// | --- | --- | --- |
/// | `Knack.Stop` | nothing | stands, does by itself what it can, and comes back afterwards |
/// | `Knack.Hold` | nothing | stands where it is, and does nothing by itself |
/// | `Knack.Move` | a point | goes there, in formation |
/// | `Knack.AttackMove` | a point | the same, but fights on the way |
/// | `Knack.Patrol` | a point | goes to and fro between the point and its home, and fights |
/// | `Knack.GuardPlace` | a point | goes there, stays there, and fights for it |
/// | `Knack.Follow` | an entity | stays near it |
/// | `Knack.Guard` | an entity | stays near it, and fights for it |
/// | `Knack.Attack` | an entity | gets into range, and attacks until it is dead |
/// | `Knack.UseAbility` | as the child says | gets into range, turns, and uses `ability` |
///
/// "Fights" means that automatic orders may interrupt it, such as an attack among the `autos` of
/// the type of unit. One that leads a unit further away from its home than the `leash` of its type
/// ends, and the unit returns.
///
/// An attack uses the ability of the unit with the tag `Knack.Ability.Attack` at its target, again
/// whenever that is ready. `Knack.UseAbility` is a parent: it uses nothing by itself.
///
/// A game changes single fields in order types of its own:
///
///   kits: [order, ready_orders]
///   order_types:
///     Attack: {parent: Knack.Attack, range_attribute: Weapon.Range}
///     Fireball: {parent: Knack.UseAbility, ability: Fireball, target_kind: entity, range: 9}
///
/// What they require of both parties are tags, which a game gives to its entities:
///
/// | Tag | Meaning |
/// | --- | --- |
/// | `Knack.Status.Alive` | needed by every order; the tag `alive` of the order rules |
/// | `Knack.Status.CanAttack` | needed to attack |
/// | `Knack.Status.Unarmed` | cannot attack now |
/// | `Knack.Status.Immobilized` | cannot move now |
/// | `Knack.Status.Constructing` | is building or being built: obeys nothing |
/// | `Knack.Status.Invulnerable` | cannot be attacked |
/// | `Knack.Status.CanGather` | a worker: as a target of automatic attacks its score is x 0.7 |
/// | `Knack.Kind.Building` | a building: as a target of automatic attacks its score is x 0.5 |
#ifndef KNACK_ORDER_READY_H
#define KNACK_ORDER_READY_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the ready order types, their trees, and the layout of blackboards `Knack.Ready`, in a
/// library that has the order kit. Content asks for it with `kits: [order, ready_orders]`.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has them, or a name is taken;
///         KN_ERROR_INVALID_ARGUMENT without a library, or without the kit;
///         KN_ERROR_WORLD_LOCKED once it is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_order_ready_register(kn_library *library, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
