// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of presenters share: capabilities that present, and presenters beside a fixture.
#ifndef KNACK_CAPABILITY_PRESENTER_TEST_H
#define KNACK_CAPABILITY_PRESENTER_TEST_H

#include "capability/capability_test.h"

#include "knack/capability_presenter.h"

static inline script *presenting(fixture *f, const char *name)
{
    script *s = capability(f, name);
    s->def.presents = true;
    return s;
}

static inline kn_capability_presenter *presenter_with(const fixture *f, kn_hooks hooks, void *user)
{
    kn_capability_presenter_def def = kn_capability_presenter_def_default();
    kn_capability_presenter *presenter;
    def.hooks = hooks;
    def.library = f->library;
    def.user = user;
    assert_int_equal(kn_capability_presenter_create(&def, &presenter), KN_OK);
    return presenter;
}

static inline kn_capability_presenter *presenter_of(const fixture *f)
{
    return presenter_with(f, (kn_hooks){0}, NULL);
}

static inline void present(kn_capability_presenter *p, const fixture *f, int ms)
{
    assert_int_equal(kn_capability_present(p, f->world, KN_MS(ms)), KN_OK);
}

static inline bool shows(const kn_capability_presenter *p, kn_entity_id entity, const script *s)
{
    return kn_capability_presenter_is_active(p, entity, (kn_capability_set_id){0}, s->id);
}

// One capability A that presents, in set S of rate 0, on the hero.
static inline kn_capability_presenter *begin_one(fixture *f, script *a, kn_capability_set_id *set)
{
    capability_done(a);
    *set = set_of(f, "S", "A");
    begin(f);
    add(f, *set);
    return presenter_of(f);
}

// A state, and a tick that writes to it.
typedef struct show_state {
    uint32_t ticks;
    float sum;
} show_state;

static const kn_field show_fields[] = {
    KN_FIELD(show_state, ticks, KN_FIELD_U32),
    KN_FIELD(show_state, sum, KN_FIELD_F32),
};

static inline kn_result show_tick(void *user, const kn_hook_call *call)
{
    const kn_capability_call *c = call->arguments;
    show_state *own = c->writable_state;
    (void)user;
    assert_null(call->writable);
    assert_ptr_equal(c->state, own);
    own->ticks++;
    own->sum += 0.5f;
    return KN_OK;
}

#endif
