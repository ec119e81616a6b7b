// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Log entries without a world: they go to the hooks of a library, or to stderr. Also the names of
// categories and levels, in both directions.

#include "base/log_entry.h"

#include "knack/debug.h"

#include <stdio.h>
#include <string.h>

static const char *const category_names[KN_LOG_CATEGORY_COUNT] = {
    [KN_LOG_WORLD] = "world",
    [KN_LOG_TAGS] = "tags",
    [KN_LOG_ATTRIBUTES] = "attributes",
    [KN_LOG_EFFECTS] = "effects",
    [KN_LOG_ABILITIES] = "abilities",
    [KN_LOG_TASKS] = "tasks",
    [KN_LOG_CUES] = "cues",
    [KN_LOG_TARGETING] = "targeting",
    [KN_LOG_NETWORK] = "network",
    [KN_LOG_GAME] = "game",
};

static const char *const level_names[KN_LOG_LEVEL_COUNT] = {
    [KN_LOG_VERBOSE] = "verbose",
    [KN_LOG_INFO] = "info",
    [KN_LOG_WARNING] = "warning",
    [KN_LOG_ERROR] = "error",
    [KN_LOG_OFF] = "off",
};

void kni_log_entry(const kn_hooks *hooks, const kn_log_entry *entry)
{
    if (hooks->log_fn != NULL) {
        hooks->log_fn(hooks->log_user, entry);
    } else {
        bool has_code = entry->code != KN_OK;
        fprintf(stderr, "knack: %s: %s%s%s\n", category_names[entry->category],
            has_code ? kn_result_name(entry->code) : "", has_code ? ": " : "", entry->message);
    }
}

void kni_log_hooks(
    const kn_hooks *hooks, kn_log_category category, kn_result code, const char *message)
{
    kn_log_entry entry = {KN_LOG_WARNING, category, code, message, __FILE__, __LINE__};
    kni_log_entry(hooks, &entry);
}

const char *kn_log_category_name(kn_log_category category)
{
    return (uint32_t)category < KN_LOG_CATEGORY_COUNT ? category_names[category] : "";
}

const char *kn_log_level_name(kn_log_level level)
{
    return (uint32_t)level < KN_LOG_LEVEL_COUNT ? level_names[level] : "";
}

static uint32_t name_find(const char *const *names, uint32_t count, const char *name)
{
    uint32_t i = 0;
    while (i < count && (name == NULL || strcmp(names[i], name) != 0)) {
        i++;
    }
    return i;
}

kn_log_category kn_log_category_find(const char *name)
{
    return (kn_log_category)name_find(category_names, KN_LOG_CATEGORY_COUNT, name);
}

kn_log_level kn_log_level_find(const char *name)
{
    return (kn_log_level)name_find(level_names, KN_LOG_LEVEL_COUNT, name);
}
