// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "creation.h"

#include "knack/tools.h"

uint32_t kni_creation_key(creation_counter *counter, const kn_world *world, const kn_event *event,
    kni_token_fn *token, const void *user)
{
    kn_cause_info info;
    if (!kn_cause_get(world, event->cause, &info)) {
        return 0;
    }
    const uint64_t parts[] = {
        (uint64_t)event->time,
        (uint64_t)info.kind,
        token(user, info.entity),
        token(user, info.source),
        info.type.index1,
        info.tag.index1,
        info.ability.index1,
        info.command.index1,
        info.system.index1,
        info.custom.index1,
        info.def_kind,
        info.def1,
    };
    uint64_t cause = 1;
    for (uint32_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        uint8_t bytes[8];
        kn_writer out = {bytes, sizeof(bytes), 0};
        kn_write_u64(&out, parts[i]);
        cause = kn_hash_bytes(cause, bytes, sizeof(bytes));
    }
    counter->count = counter->cause == cause ? counter->count + 1 : 0;
    counter->cause = cause;
    uint64_t key = kn_hash_bytes(cause, "key", 3) + counter->count;
    return (uint32_t)key != 0 ? (uint32_t)key : 1;
}
