// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A script: its chunks, its pool of machines, its bindings, and the errors it keeps. The library
// holds a reference, so that a script lives as long as rules may call it.

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCRIPT_COOKIE 0x5c217u

// Memory and log ------------------------------------------------------------

void *knl_script_realloc(kn_script *script, void *ptr, size_t old_size, size_t new_size)
{
    return kn_memory_resize(&script->hooks, ptr, old_size, new_size);
}

char *knl_script_strdup(kn_script *script, const char *text, size_t length)
{
    char *copy = knl_script_realloc(script, NULL, 0, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

static void text_free(kn_script *script, char *text)
{
    if (text != NULL) {
        (void)knl_script_realloc(script, text, strlen(text) + 1, 0);
    }
}

void knl_script_log(
    const kn_script *script, kn_log_level level, const char *message, const char *chunk, int line)
{
    kn_log_entry entry = {
        .level = level,
        .category = KN_LOG_WORLD,
        .code = level == KN_LOG_ERROR ? KN_ERROR_BAD_DATA : KN_OK,
        .message = message,
        .file = chunk,
        .line = line,
    };
    if (script->hooks.log_fn != NULL) {
        script->hooks.log_fn(script->hooks.log_user, &entry);
    } else if (level >= KN_LOG_WARNING) {
        (void)fprintf(stderr, "knack: %s\n", message);
    }
}

static void errors_lock(const kn_script *script)
{
    while (atomic_flag_test_and_set_explicit(script->error_lock, memory_order_acquire)) {
    }
}

static void errors_unlock(const kn_script *script)
{
    atomic_flag_clear_explicit(script->error_lock, memory_order_release);
}

void knl_script_report(kn_script *script, const kn_script_error *error)
{
    errors_lock(script);
    script->errors[script->error_count % KNL_ERRORS_KEPT] = *error;
    script->error_count++;
    errors_unlock(script);
    char text[sizeof(*error)];
    (void)snprintf(text, sizeof(text), "%s%s%s%s%s", error->definition,
        error->definition[0] != '\0' ? ": " : "", error->message,
        error->traceback[0] != '\0' ? "\n" : "", error->traceback);
    knl_script_log(script, KN_LOG_ERROR, text, error->chunk, (int)error->line);
}

uint64_t kn_script_error_count(const kn_script *script)
{
    if (script == NULL) {
        return 0;
    }
    errors_lock(script);
    uint64_t count = script->error_count;
    errors_unlock(script);
    return count;
}

bool kn_script_get_error(const kn_script *script, uint32_t index, kn_script_error *error)
{
    *error = (kn_script_error){0};
    if (script == NULL) {
        return false;
    }
    errors_lock(script);
    bool is_there = index < KNL_ERRORS_KEPT && index < script->error_count;
    if (is_there) {
        *error = script->errors[(script->error_count - 1 - index) % KNL_ERRORS_KEPT];
    }
    errors_unlock(script);
    return is_there;
}

// Life cycle ----------------------------------------------------------------

kn_script_def kn_script_def_default(void)
{
    kn_script_def def = {0};
    def.instruction_limit = 1000000;
    def.step_instruction_limit = 20000000;
    def.memory_limit = (size_t)8 << 20;
    def.depth_limit = 16;
    def.cookie = SCRIPT_COOKIE;
    return def;
}

kn_result knl_fail(kn_error *error, kn_result code, const char *message)
{
    if (error != NULL) {
        *error = (kn_error){.code = code};
        (void)snprintf(error->message, sizeof(error->message), "%s", message);
    }
    return code;
}

static void binding_free(kn_script *script, knl_binding *binding)
{
    knl_layout_free(script, &binding->layout);
    for (uint32_t h = 0; h < binding->handler_count; h++) {
        text_free(script, binding->handlers[h].name);
    }
    (void)knl_script_realloc(
        script, binding->handlers, binding->handler_count * sizeof(knl_handler), 0);
    text_free(script, binding->name);
    (void)knl_script_realloc(script, binding, sizeof(*binding), 0);
}

static void script_free(kn_script *script)
{
    for (uint32_t i = 0; i < KNL_POOL_SIZE; i++) {
        knl_vm *vm = atomic_load(&script->pool[i]);
        if (vm != NULL) {
            knl_vm_destroy(vm);
        }
    }
    for (uint32_t i = 0; i < script->binding_count; i++) {
        binding_free(script, script->bindings[i]);
    }
    (void)knl_script_realloc(
        script, script->bindings, script->binding_capacity * sizeof(knl_binding *), 0);
    for (uint32_t i = 0; i < script->chunk_count; i++) {
        text_free(script, script->chunks[i].name);
        (void)knl_script_realloc(script, script->chunks[i].text, script->chunks[i].size + 1, 0);
    }
    (void)knl_script_realloc(script, script->chunks, script->chunk_capacity * sizeof(knl_chunk), 0);
    knl_own_destroy(script->own);
    kn_script last = {.hooks = script->hooks};
    (void)knl_script_realloc(&last, script, sizeof(*script), 0);
}

static void script_release(void *user)
{
    kn_script *script = user;
    if (atomic_fetch_sub(&script->references, 1) == 1) {
        script_free(script);
    }
}

kn_result kn_script_create(
    kn_library *library, const kn_script_def *given, kn_script **out, kn_error *error)
{
    kn_script_def def = given != NULL ? *given : kn_script_def_default();
    if (out != NULL) {
        *out = NULL;
    }
    if (library == NULL || out == NULL || def.cookie != SCRIPT_COOKIE ||
        def.instruction_limit == 0 || def.instruction_limit > INT32_MAX ||
        def.step_instruction_limit == 0 || def.depth_limit == 0 ||
        def.depth_limit > KNL_DEPTH_MAX) {
        KN_ASSERT(def.cookie == SCRIPT_COOKIE);
        return knl_fail(error, KN_ERROR_INVALID_ARGUMENT,
            "script: start from kn_script_def_default(); limits must be above 0");
    }
    if (kn_library_is_finished(library)) {
        return knl_fail(error, KN_ERROR_WORLD_LOCKED, "script: the library is already finished");
    }
    kn_script first = {.hooks = def.hooks};
    kn_script *script = knl_script_realloc(&first, NULL, 0, sizeof(*script));
    if (script == NULL) {
        return knl_fail(error, KN_ERROR_OUT_OF_MEMORY, "not enough memory");
    }
    memset(script, 0, sizeof(*script));
    script->hooks = def.hooks;
    script->error_lock = &script->error_flag;
    script->library = library;
    script->instruction_limit = def.instruction_limit;
    script->step_instruction_limit = def.step_instruction_limit;
    script->memory_limit = def.memory_limit;
    script->depth_limit = def.depth_limit;
    script->kind_count = kn_kind_count(library);
    atomic_init(&script->references, 1);
    kn_error found = {0};
    script->own = knl_own_create(&script->hooks, library, &found);
    knl_vm *vm = script->own != NULL ? knl_vm_create(script, &found) : NULL;
    kn_result result = vm != NULL ? KN_OK : found.code;
    if (vm != NULL) {
        atomic_init(&script->pool[0], vm);
        result = kn_library_keep(library, script_release, script);
        found.code = result;
    }
    if (result != KN_OK) {
        script_free(script);
        return knl_fail(error, result, found.message);
    }
    atomic_store(&script->references, 2);
    *out = script;
    return KN_OK;
}

void kn_script_destroy(kn_script *script)
{
    if (script != NULL) {
        script_release(script);
    }
}

// Loading -------------------------------------------------------------------

static uint64_t text_hash(const char *text, size_t size, uint64_t hash)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)text[i]) * 1099511628211u;
    }
    return hash;
}

// Makes room for one more element in an array of pointers or chunks.
static bool array_grow(
    kn_script *script, void *array, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count < *capacity) {
        return true;
    }
    void *old;
    memcpy(&old, array, sizeof(old));
    uint32_t wanted = *capacity == 0 ? 8 : *capacity * 2;
    void *grown = knl_script_realloc(script, old, *capacity * size, wanted * size);
    if (grown == NULL) {
        return false;
    }
    memcpy(array, &grown, sizeof(grown));
    *capacity = wanted;
    return true;
}

// Stores a chunk that was loaded.
static kn_result chunk_keep(kn_script *script, const knl_chunk *chunk)
{
    if (!array_grow(script, &script->chunks, &script->chunk_capacity, script->chunk_count,
            sizeof(knl_chunk))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    // Without the name: where a file is on a machine does not affect the rules in it.
    kn_result result = kn_library_add_hash(
        script->library, text_hash(chunk->text, chunk->size, 14695981039346656037u));
    if (result == KN_OK) {
        script->chunks[script->chunk_count++] = *chunk;
    }
    return result;
}

kn_result kn_script_load(
    kn_script *script, const char *chunk_name, const char *text, size_t size, kn_error *error)
{
    if (script == NULL || chunk_name == NULL || (text == NULL && size > 0)) {
        KN_ASSERT(script != NULL && chunk_name != NULL);
        return knl_fail(error, KN_ERROR_INVALID_ARGUMENT, "script: nothing to load");
    }
    if (kn_library_is_finished(script->library)) {
        return knl_fail(error, KN_ERROR_WORLD_LOCKED, "script: the library is already finished");
    }
    if (error != NULL) {
        *error = (kn_error){0};
    }
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // a UTF-8 byte order mark
        text += 3;
        size -= 3;
    }
    knl_chunk chunk = {.size = size};
    chunk.name = knl_script_strdup(script, chunk_name, strlen(chunk_name));
    chunk.text = knl_script_strdup(script, text != NULL ? text : "", size);
    knl_vm *vm = chunk.name != NULL && chunk.text != NULL ? knl_vm_enter(script) : NULL;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    if (vm == NULL) {
        (void)knl_fail(error, result, "not enough memory");
    } else {
        result = knl_vm_load(vm, &chunk, error);
        if (result == KN_OK) {
            result = chunk_keep(script, &chunk);
        }
        knl_vm_leave(vm);
    }
    if (result == KN_OK) {
        return KN_OK;
    }
    // What the chunk did to its machine is dropped with the machine; the next call creates a new
    // one.
    vm = atomic_exchange(&script->pool[0], NULL);
    if (vm != NULL) {
        knl_vm_destroy(vm);
    }
    text_free(script, chunk.name);
    if (chunk.text != NULL) {
        (void)knl_script_realloc(script, chunk.text, size + 1, 0);
    }
    return result;
}

// Bindings ------------------------------------------------------------------

uint32_t knl_handler_label(const char *name)
{
    uint32_t hash = (uint32_t)text_hash(name, strlen(name), 14695981039346656037u);
    return hash != 0 ? hash : 1; // 0 is the hook on_task
}

uint32_t knl_handler_find(const knl_binding *binding, uint32_t label)
{
    uint32_t low = 0, high = binding->handler_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (binding->handlers[middle].label < label) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < binding->handler_count && binding->handlers[low].label == label
               ? binding->handlers[low].function
               : 0;
}

const knl_binding *knl_script_find_binding(
    const kn_script *script, knl_def_kind kind, const char *name)
{
    for (uint32_t i = 0; i < script->binding_count; i++) {
        if (script->bindings[i]->kind == kind && strcmp(script->bindings[i]->name, name) == 0) {
            return script->bindings[i];
        }
    }
    return NULL;
}

const char *knl_binding_title(const knl_binding *binding)
{
    return binding->kind == KNL_DEF_OWN ? kn_kind_name(binding->script->library, binding->own)
                                        : knl_def_infos[binding->kind].name;
}

kn_result knl_script_bind(kn_script *script, knl_def_kind kind, kn_def_kind own, const char *name,
    const void *user, knl_binding **out, kn_error *error)
{
    if (script == NULL || name == NULL || user != NULL) {
        KN_ASSERT(script != NULL && name != NULL);
        return knl_fail(error, KN_ERROR_INVALID_ARGUMENT,
            "script: a def that is bound cannot have its own user pointer");
    }
    if (kn_library_is_finished(script->library)) {
        return knl_fail(error, KN_ERROR_WORLD_LOCKED, "script: the library is already finished");
    }
    knl_binding *binding = knl_script_realloc(script, NULL, 0, sizeof(*binding));
    if (binding == NULL) {
        return knl_fail(error, KN_ERROR_OUT_OF_MEMORY, "not enough memory");
    }
    *binding =
        (knl_binding){.script = script, .kind = kind, .own = own, .index = script->binding_count};
    binding->name = knl_script_strdup(script, name, strlen(name));
    knl_vm *vm = NULL;
    if (binding->name != NULL && array_grow(script, &script->bindings, &script->binding_capacity,
                                     script->binding_count, sizeof(knl_binding *))) {
        vm = knl_vm_enter(script);
    }
    if (vm == NULL) {
        binding_free(script, binding);
        return knl_fail(error, KN_ERROR_OUT_OF_MEMORY, "not enough memory");
    }
    kn_result result = knl_vm_bind(vm, binding, true, error);
    knl_vm_leave(vm);
    if (result != KN_OK) {
        binding_free(script, binding);
        return result;
    }
    script->bindings[script->binding_count++] = binding;
    *out = binding;
    return KN_OK;
}

// Statistics ----------------------------------------------------------------

kn_script_stats kn_script_get_stats(kn_script *script)
{
    kn_script_stats stats = {0};
    for (uint32_t i = 0; script != NULL && i < KNL_POOL_SIZE; i++) {
        const knl_vm *vm = atomic_load(&script->pool[i]);
        if (vm != NULL) {
            stats.machines++;
            stats.bytes += vm->bytes;
            stats.calls += vm->calls;
            stats.instructions = vm->most_instructions > stats.instructions ? vm->most_instructions
                                                                            : stats.instructions;
        }
    }
    return stats;
}
