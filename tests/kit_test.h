// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Short words of tests of the kits. Included by a header that has defined its `fixture`, with a
// `library`, a `world` and a `grid`.
#ifndef KNACK_KIT_TEST_H
#define KNACK_KIT_TEST_H

static inline kn_tag tag_named(const fixture *f, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    kn_tag tag;
    def.name = name;
    assert_int_equal(kn_tag_register(f->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static inline void place(fixture *f, kn_entity_id entity, float x, float y)
{
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0};
    assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_OK);
}

static inline void own(fixture *f, kn_entity_id entity, kn_entity_id owner)
{
    assert_int_equal(kn_entity_set_owner(f->world, entity, owner), KN_OK);
}

static inline void gain(fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_add_tag(f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void lose(fixture *f, kn_entity_id entity, kn_tag tag)
{
    assert_int_equal(kn_entity_remove_tag(f->world, entity, tag, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

#endif
