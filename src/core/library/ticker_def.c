// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of tickers: a def, and the component and the timer type that carry it.

#include "library/types.h"

kn_ticker_def kn_ticker_def_default(void)
{
    kn_ticker_def def = {.cookie = KN_COOKIE};
    return def;
}

static kn_result ticker_check(const kn_library *library, const kn_ticker_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (def->interval <= 0 || def->interval > KN_TIME_MAX) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "ticker `%s` must have an interval above 0", name);
    }
    if (def->state_size > 0 && def->state_field_count == 0) {
        return kni_error(error, KN_ERROR_BAD_DATA, "ticker `%s`: its state must have fields", name);
    }
    if (kn_def_find(library, KN_DEF_COMPONENT, name) != 0 ||
        kn_def_find(library, KN_DEF_TIMER, name) != 0) {
        return kni_error(error, KN_REFUSED_DUPLICATE,
            "ticker `%s`: a component or a timer already has this name", name);
    }
    return kni_state_check(
        library, "ticker", name, def->state_size, def->state_fields, def->state_field_count, error);
}

// The component begins with the head, which the state follows, then a byte that says whether it
// runs: saves know the fields by these names.
static kn_result ticker_component(
    kn_library *library, const kn_ticker_def *def, kn_component_type_id *type, kn_error *error)
{
    size_t size = ((size_t)def->state_field_count + 4) * sizeof(kn_field);
    kn_field *fields = kni_realloc(&library->memory, NULL, 0, size);
    if (fields == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for ticker `%s`", def->name);
    }
    uint32_t count = 0;
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.since", KN_FIELD_TIME, offsetof(kni_ticker_head, since), 1);
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.last", KN_FIELD_TIME, offsetof(kni_ticker_head, last), 1);
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.timer", KN_FIELD_U32, offsetof(kni_ticker_head, timer), 2);
    for (uint32_t i = 0; i < def->state_field_count; i++) {
        fields[count] = def->state_fields[i];
        fields[count++].offset += (uint32_t)sizeof(kni_ticker_head);
    }
    uint32_t runs = (uint32_t)sizeof(kni_ticker_head) + def->state_size;
    fields[count++] = (kn_field)KN_FIELD_INIT("kn.runs", KN_FIELD_BOOL, runs, 1);
    kn_component_def component = kn_component_def_default();
    component.name = def->name;
    component.size = runs + 1;
    component.fields = fields;
    component.field_count = count;
    kn_result result = kn_component_register(library, &component, type, error);
    kni_free(&library->memory, fields, size);
    return result;
}

kn_result kn_ticker_register(
    kn_library *library, const kn_ticker_def *def, kn_ticker_id *ticker, kn_error *error)
{
    ticker->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE) {
        kn_result checked = ticker_check(library, def, error);
        if (checked != KN_OK) {
            return checked;
        }
    }
    KNI_REGISTER(KN_DEF_TICKER, &kni_ticker_def_table, kni_ticker_type, "ticker")
    if (result != KN_OK) {
        return result;
    }
    kn_component_type_id component;
    result = ticker_component(library, def, &component, error);
    if (result != KN_OK) {
        kni_register_undo(library, KN_DEF_TICKER);
        return result;
    }
    void *timer;
    uint32_t timer1;
    result = kni_register_function(
        library, KN_DEF_TIMER, def->name, true, "ticker", &timer, &timer1, error);
    if (result != KN_OK) {
        kni_register_undo(library, KN_DEF_COMPONENT);
        kni_register_undo(library, KN_DEF_TICKER);
        return result;
    }
    ((kni_timer_type *)timer)->ticker1 = index1;
    kni_ticker_type *item = KNI_ITEM(library, KN_DEF_TICKER, kni_ticker_type, index1 - 1);
    item->component = component;
    item->timer.index1 = timer1;
    ticker->index1 = index1;
    return KN_OK;
}

static const kni_ticker_type *ticker_of(const kn_library *library, kn_ticker_id ticker)
{
    return library != NULL && ticker.index1 - 1 < library->registries[KN_DEF_TICKER].count
               ? KNI_ITEM(library, KN_DEF_TICKER, const kni_ticker_type, ticker.index1 - 1)
               : NULL;
}

kn_timer_type_id kn_ticker_timer_type(const kn_library *library, kn_ticker_id ticker)
{
    const kni_ticker_type *type = ticker_of(library, ticker);
    return type != NULL ? type->timer : (kn_timer_type_id){0};
}

kn_component_type_id kn_ticker_component(const kn_library *library, kn_ticker_id ticker)
{
    const kni_ticker_type *type = ticker_of(library, ticker);
    return type != NULL ? type->component : (kn_component_type_id){0};
}
