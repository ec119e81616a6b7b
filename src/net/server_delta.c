// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Differences that a server sends. Most clients have the same state of an entity, so that a
// difference is made once for all of them. When an entity got another size, such as by an effect,
// another entity of that size that the client has is a second base: it has such an effect, too.

#include "server.h"

void kni_server_donor(kn_server *server, uint32_t index, const blob *b)
{
    if (index != 0 && !b->is_left) {
        server->donors[b->size % DONORS] = index;
    }
}

const blob *kni_view_donor(
    const kn_server *server, const connection *c, const view *v, const blob *b, uint32_t *index)
{
    *index = server->donors[b->size % DONORS];
    if (b->is_left || *index == 0 || *index >= c->view_capacity ||
        (v->acked != NULL && v->acked->size == b->size)) {
        return NULL;
    }
    const view *donor = &c->views[*index];
    bool is_fit = donor != v && donor->acked != NULL && donor->acked->size == b->size &&
                  !donor->acked->is_left;
    return is_fit ? donor->acked : NULL;
}

void kni_blob_deltas_free(kn_server *server, blob *b)
{
    for (uint32_t i = 0; i < BLOB_DELTAS; i++) {
        blob_delta *delta = &b->deltas[i];
        kn_memory_free(&server->def.hooks, delta->bytes, delta->size);
        kni_blob_drop(server, delta->base);
        kni_blob_drop(server, delta->donor);
        *delta = (blob_delta){0};
    }
}

// The bytes that a difference is from: both, one behind the other. NULL when out of memory.
static const uint8_t *bases_join(
    kn_server *server, const blob *base, const blob *donor, size_t *size)
{
    *size = (base != NULL ? base->size : 0) + (donor != NULL ? donor->size : 0);
    if (base == NULL || donor == NULL) {
        const blob *only = base != NULL ? base : donor;
        return only != NULL ? only->bytes : NULL;
    }
    if (!kn_memory_grow(
            &server->def.hooks, &server->bases, &server->base_capacity, (uint32_t)*size, 1)) {
        *size = 0;
        return NULL;
    }
    memcpy(server->bases, base->bytes, base->size);
    memcpy(server->bases + base->size, donor->bytes, donor->size);
    return server->bases;
}

static blob *blob_share(const blob *b)
{
    blob *shared = NULL;
    if (b != NULL) {
        memcpy(&shared, &b, sizeof(shared));
        shared->references++;
    }
    return shared;
}

// Keeps a difference for others; without memory it is made again.
static void delta_keep(kn_server *server, blob *b, const blob *base, const blob *donor,
    const uint8_t *bytes, size_t size)
{
    blob_delta *delta = &b->deltas[b->delta_next++ % BLOB_DELTAS];
    uint8_t *copy = kn_memory_resize(&server->def.hooks, NULL, 0, size);
    if (copy == NULL) {
        return;
    }
    kn_memory_free(&server->def.hooks, delta->bytes, delta->size);
    kni_blob_drop(server, delta->base);
    kni_blob_drop(server, delta->donor);
    memcpy(copy, bytes, size);
    *delta = (blob_delta){blob_share(base), blob_share(donor), copy, (uint32_t)size};
}

bool kni_delta_send(kn_server *server, kn_writer *out, const blob *base, const blob *donor, blob *b)
{
    for (uint32_t i = 0; i < BLOB_DELTAS; i++) {
        const blob_delta *delta = &b->deltas[i];
        if (delta->bytes != NULL && delta->base == base && delta->donor == donor) {
            kn_write_bytes(out, delta->bytes, delta->size);
            return true;
        }
    }
    size_t size = 0, before = out->length;
    const uint8_t *bytes = bases_join(server, base, donor, &size);
    if (bytes == NULL && (base != NULL || donor != NULL)) {
        return false;
    }
    size_t expected = donor != NULL ? donor->size : base != NULL ? base->size : 0;
    kni_delta_write(out, bytes, size, expected, b->bytes, b->size);
    if (out->length <= out->size) {
        delta_keep(server, b, base, donor, out->data + before, out->length - before);
    }
    return true;
}
