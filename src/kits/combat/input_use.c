// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What can be used: the castable status of abilities, and restrictions that they impose on
// themselves. Such a restriction is a tag of the ability below `Knack.Restricted`, which its owner
// blocks; so the status of the core, its events and its explanations know of it.

#include "parts.h"

#define BLOCK_KEY UINT64_C(0x6b6e7573) // tells our block from others of the same source
#define LINES_MAX 16

typedef struct restrict_call {
    kn_ability_id ability;
    kn_tag tag;
    bool is_restricted;
} restrict_call;

static kn_result restrict_run(void *user, kn_world *world)
{
    const restrict_call *call = user;
    kn_tag root = knc_combat_of_world(world)->input.restricted;
    kn_ability_info info;
    (void)kn_ability_get(world, call->ability, &info);
    if (!call->is_restricted) {
        kn_result result = kn_ability_remove_tag(world, call->ability, call->tag);
        return result == KN_REFUSED_NOT_FOUND ? KN_OK : result;
    }
    kn_result result =
        kn_abilities_block(world, info.owner, (kn_tags){&root, 1}, info.owner, BLOCK_KEY);
    return result != KN_OK ? result : kn_ability_add_tag(world, call->ability, call->tag);
}

kn_result kn_use_restrict(kn_world *world, kn_ability_id ability, kn_tag tag, bool is_restricted)
{
    const kn_library *library = kn_world_library(world);
    if (!kn_combat_is_there(library) || tag.index1 == 0 || tag.index1 > kn_tag_count(library) ||
        !kn_tag_matches(library, tag, knc_combat_of(library)->input.restricted)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_ability_is_alive(world, ability)) {
        return KN_REFUSED_STALE_ID;
    }
    restrict_call call = {ability, tag, is_restricted};
    return kn_world_call(world, restrict_run, &call);
}

// Whether a cooldown other than the global one is not ready.
static bool use_lacks_charges(const kn_world *world, kn_ability_id ability)
{
    kn_cooldown_info infos[LINES_MAX];
    kn_tag global = knc_combat_of_world(world)->input.global;
    uint32_t count = kn_ability_cooldowns(world, ability, infos, LINES_MAX);
    for (uint32_t i = 0; i < count && i < LINES_MAX; i++) {
        if (infos[i].wait > 0 && !kn_tag_equal(infos[i].key, global)) {
            return true;
        }
    }
    return false;
}

// Which blocks are the ability's own.
static uint32_t use_blocks(const kn_world *world, kn_ability_id ability)
{
    const kn_library *library = kn_world_library(world);
    kn_tag root = knc_combat_of(library)->input.restricted;
    kn_refusal_line lines[LINES_MAX];
    uint32_t reasons = 0;
    uint32_t count = kn_ability_explain(world, ability, NULL, lines, LINES_MAX);
    for (uint32_t i = 0; i < count && i < LINES_MAX; i++) {
        if (lines[i].reason == KN_FAIL_BLOCKED) {
            bool is_own = lines[i].tag.index1 != 0 && kn_tag_matches(library, lines[i].tag, root);
            reasons |= is_own ? KN_USE_CUSTOM : KN_USE_TAG;
        }
    }
    return reasons;
}

uint32_t kn_use_status(kn_world *world, kn_ability_id ability)
{
    if (world == NULL || !kn_combat_is_there(kn_world_library(world))) {
        return KN_USE_GONE;
    }
    uint32_t status = kn_ability_status(world, ability), reasons = 0;
    if ((status & KN_FAIL_STALE) != 0) {
        return KN_USE_GONE;
    }
    if ((status & KN_FAIL_COOLDOWN) != 0 && use_lacks_charges(world, ability)) {
        reasons |= KN_USE_CHARGES;
    }
    reasons |= (status & KN_FAIL_COST) != 0 ? (uint32_t)KN_USE_RESOURCE : 0;
    reasons |= (status & KN_FAIL_MISSING_TAGS) != 0 ? (uint32_t)KN_USE_CUSTOM : 0;
    return (status & KN_FAIL_BLOCKED) != 0 ? reasons | use_blocks(world, ability) : reasons;
}

kn_use_fail kn_use_primary(uint32_t reasons)
{
    return (kn_use_fail)(reasons & (~reasons + 1u));
}

kn_result knc_input_use_register(kn_library *library, input_ids *ids, kn_error *error)
{
    static const char *const tags[] = {"Knack.Restricted", "Knack.Cooldown.Global"};
    kn_tag registered[2];
    kn_result result = knc_combat_tags_register(library, tags, 2, registered, error);
    ids->restricted = registered[0];
    ids->global = registered[1];
    return result;
}
