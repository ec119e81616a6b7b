// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Payloads of a server in fewer bytes: which book of frequencies each client has, and when it gets
// another one. A book is used once its client has it for certain.

#include "server.h"

#define BOOK_COUNTED 24576      // bytes that are counted for the first book; then twice as many
#define BOOK_COUNTED_MAX 786432 // at most
#define BOOK_WORTH 20           // bytes of which a book has to save one, at least
#define COUNTED_PLAYERS 8       // of more, only some payloads are counted
#define PACK_HEADER_MAX 8       // bytes in front of a packed payload

static void book_drop(kn_server *server, server_book *book)
{
    if (book != NULL && --book->book.references == 0) {
        kn_memory_free(&server->def.hooks, book, sizeof(*book));
    }
}

void kni_connection_books_free(kn_server *server, connection *c)
{
    book_drop(server, c->book);
    book_drop(server, c->next_book);
}

void kni_server_books_free(kn_server *server)
{
    book_drop(server, server->book);
    kn_memory_free(&server->def.hooks, server->counts, sizeof(*server->counts));
}

// The number of counted bytes of which a book would save one; 0 if it saves nothing.
static uint64_t book_gain(const kn_server *server, const pack_book *book)
{
    uint64_t after = kni_book_cost(book, server->counts);
    uint64_t before = server->book != NULL ? kni_book_cost(&server->book->book, server->counts)
                                           : server->counts->bytes;
    return before > after ? before / (before - after) : 0;
}

// A book, if it is worth it. Without memory there is none, which does no harm.
static void book_make(kn_server *server)
{
    server_book *book = kn_memory_resize(&server->def.hooks, NULL, 0, sizeof(*book));
    if (book == NULL) {
        return;
    }
    uint8_t last = server->book != NULL ? server->book->book.number : 0;
    book->book.references = 1;
    book->book.number = (uint8_t)(last == UINT8_MAX ? 1 : last + 1);
    kn_writer out = {book->bytes, sizeof(book->bytes), 0};
    kn_write_u8(&out, WIRE_BOOK);
    kn_write_u8(&out, book->book.number);
    kni_book_write(server->counts, &out);
    book->size = (uint32_t)out.length;
    kni_book_make(server->counts, &book->book);
    uint64_t gain = book_gain(server, &book->book);
    book->worth = gain * book->size;
    kni_counts_fade(server->counts);
    uint64_t wanted = server->book_wanted * 2;
    server->book_wanted = wanted < BOOK_COUNTED_MAX ? wanted : BOOK_COUNTED_MAX;
    server->book_tick = server->tick;
    if (gain == 0 || gain > BOOK_WORTH) {
        book_drop(server, book);
        return;
    }
    book_drop(server, server->book);
    server->book = book;
}

// Whether a payload is counted: of many players, who hear much the same, a few are enough.
static bool payload_is_counted(const kn_server *server, uint32_t number, size_t size)
{
    // Long payloads are mostly of whole entities, for players who join: they say little about the
    // rest.
    if (size > server->def.datagram_bytes / 2) {
        return false;
    }
    uint32_t every = 1 + server->connection_top / COUNTED_PLAYERS;
    return (server->tick * 2654435761u + number * 40503u) / 64 % every == 0;
}

static void payload_count(kn_server *server, const uint8_t *bytes, size_t size)
{
    if (server->counts == NULL) {
        server->counts = kn_memory_resize(&server->def.hooks, NULL, 0, sizeof(*server->counts));
        if (server->counts == NULL) {
            return;
        }
        memset(server->counts, 0, sizeof(*server->counts));
        server->book_wanted = BOOK_COUNTED;
    }
    kni_pack_count(server->counts, bytes, size);
    if (server->counts->bytes >= server->book_wanted &&
        server->tick >= server->book_tick + server->def.rate) {
        book_make(server);
    }
}

// Begins to use a book that has arrived, and sends a newer one if so much was sent without it that
// it would have paid.
void kni_connection_book(kn_server *server, connection *c)
{
    if (c->next_book != NULL &&
        c->told_bytes - kn_net_link_get_state(c->link).waiting_bytes >= c->next_book_at) {
        book_drop(server, c->book);
        c->book = c->next_book;
        c->next_book = NULL;
    }
    if (server->book == NULL || c->next_book != NULL || server->book == c->book ||
        c->stats.state_bytes - c->book_bytes < server->book->worth) {
        return;
    }
    if (kni_connection_send(c, server->book->bytes, server->book->size) == KN_OK) {
        c->next_book = server->book;
        c->next_book->book.references++;
        c->next_book_at = c->told_bytes;
        c->book_bytes = c->stats.state_bytes;
    }
}

size_t kni_connection_pack(
    kn_server *server, connection *c, const uint8_t *bytes, size_t size, uint8_t *packed)
{
    if (payload_is_counted(server, kni_connection_number(server, c), size)) {
        payload_count(server, bytes, size);
    }
    kn_writer out = {packed, size, 0}; // more would not be worth it
    if (c->book != NULL && size > PACK_HEADER_MAX) {
        kn_write_u8(&out, c->book->book.number);
        kni_write_number(&out, size);
        if (kni_pack(&c->book->book, bytes, size, &out)) {
            return out.length;
        }
    }
    packed[0] = 0;
    memcpy(packed + 1, bytes, size);
    return size + 1;
}
