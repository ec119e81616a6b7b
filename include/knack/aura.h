// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Auras: an effect for everybody near its bearer, or for those that the game names. Part of
/// knack::combat.
///
///   auras:
///     Devotion: {effect: DevotionArmor, radius: 30, condition: Friendly, includes_self: true}
///
/// The aura is there while its bearer has the effect of the same name, or another one that is
/// named. At each interval it looks who is near; members get the effect with the bearer as its
/// source. Each application belongs to its bearer: two bearers give it twice, unless the effect
/// stacks by source, and the end of one never removes that of the other.
#ifndef KNACK_AURA_H
#define KNACK_AURA_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_aura_id) ///< a registered aura

/// Most entities near a bearer that an aura looks at. If the space of the world finds more, the
/// first ones become members, and KN_EVENT_ERROR reports it with KN_REFUSED_LIMIT, the effect, and
/// how many there are in `detail`.
#define KN_AURA_NEAR_MAX 1024

/// An effect for everybody near its bearer. Start from kn_aura_def_default().
typedef struct kn_aura_def {
    const char *name; ///< unique name; required
    /// The effect that makes an entity the bearer; null: the one with the same name.
    kn_effect_type_id bearer;
    /// The effect that members have; it lasts, and does not stack by target; required.
    kn_effect_type_id effect;
    /// Distance to members, evaluated as one of the effect of the bearer each time it looks; 0, the
    /// default: nobody is near, and kn_aura_set_member() names the members.
    kn_magnitude radius;
    kn_tag_requirement members; ///< tags that members must have, or must not have; default: any
    kn_condition_id condition;  ///< must hold with the bearer as instigator and the member as
                                ///< target; null: none
    bool includes_self;         ///< the bearer is a member too; default false
    float interval;             ///< seconds between two looks, above 0; default 0.5
    float linger;    ///< seconds that those who leave, or lose the aura, keep the effect; default 0
    uint32_t cookie; ///< set by kn_aura_def_default(); do not change it
} kn_aura_def;

/// An aura that looks twice a second, for nobody.
KN_API kn_aura_def kn_aura_def_default(void);
/// Registers an aura. kn_library_finish() refuses one without an effect of its bearer that lasts.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a missing,
///         instant or by target stacking effect, a number out of range, or an invalid name;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_aura_register(
    kn_library *library, const kn_aura_def *def, kn_aura_id *aura, kn_error *error);

/// Makes an entity a member of an aura without radius, or ends that: for games that know themselves
/// who is near, such as a party or a room. The filters of the aura still count, at each interval.
/// @param bearer an entity that has the aura
/// @return KN_OK, also if nothing changes; KN_REFUSED_STALE_ID for a stale bearer or member;
///         KN_REFUSED_NOT_FOUND if the bearer does not have the aura, or it has a radius;
///         KN_ERROR_INVALID_ARGUMENT for an unknown aura; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_aura_set_member(
    kn_world *world, kn_entity_id bearer, kn_aura_id aura, kn_entity_id member, bool is_member);
/// Looks at once who is near, between two intervals, such as after a teleport.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if the bearer does not have the aura;
///         KN_ERROR_INVALID_ARGUMENT for an unknown aura; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_aura_update(kn_world *world, kn_entity_id bearer, kn_aura_id aura);
/// The members of an aura that have its effect, those who linger not included, in the order in
/// which they became members; of several auras of one kind those of the oldest. Returns how many
/// there are; at most `capacity` are written. 0 for a bearer without it.
KN_API uint32_t kn_aura_members(const kn_world *world, kn_entity_id bearer, kn_aura_id aura,
    kn_entity_id *out, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
