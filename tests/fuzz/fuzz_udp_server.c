// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server among strangers and clients that send anything: raw bytes, requests, responses and
// packets with right tags, whole or damaged. It answers strangers with fewer bytes than they sent,
// and its numbers stay consistent.

#include "fuzz_udp.h"

#define PEERS 6
#define SLOTS 3

typedef struct fuzz_peer {
    kn_token token;
    uint8_t challenge[KNI_UDP_CHALLENGE_DATA]; // the last one it got
    uint64_t sequence;
} fuzz_peer;

typedef struct fuzz_server {
    kn_udp_server *server;
    fuzz_peer peers[PEERS];
    kn_time now;
    uint64_t wall;
} fuzz_server;

static void server_create(fuzz_server *fuzz, fuzz_input *input)
{
    uint8_t private_key[KN_UDP_KEY_SIZE], challenge_key[KN_UDP_KEY_SIZE];
    uint32_t choices = take_u8(input);
    fuzz_key(private_key, 1);
    fuzz_key(challenge_key, 2);
    kn_udp_server_def def = kn_udp_server_def_default();
    def.private_key = private_key;
    def.challenge_key = challenge_key;
    def.protocol_id = FUZZ_PROTOCOL;
    def.address = fuzz_address(200);
    def.slot_count = SLOTS;
    def.receive_capacity = 2;
    def.send_capacity = 4096;
    def.pending_capacity = 3;
    def.used_capacity = 4;
    def.refuse_spent_tokens = (choices & 1) != 0;
    def.handshake_rate = (choices & 2) != 0 ? 20 : 0;
    def.handshake_burst = 5;
    def.handshake_counters = 16;
    def.slot_rate = (choices & 4) != 0 ? 20 : 0;
    def.slot_burst = 5;
    fuzz_must(kn_udp_server_create(&def, &fuzz->server) == KN_OK, "no server");
    for (uint32_t i = 0; i < PEERS; i++) {
        fuzz->peers[i].token = fuzz_token_of(i, 1, (choices & 8) != 0 ? -1 : 2);
    }
}

static bool server_knows(const fuzz_server *fuzz, const kn_address *address)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        kn_udp_slot slot = kn_udp_server_slot(fuzz->server, i);
        if (slot.is_connected && kn_address_equal(&slot.address, address)) {
            return true;
        }
    }
    return false;
}

// Takes all answers; peers keep the challenges that are for them. Returns the number of bytes.
static size_t server_take(fuzz_server *fuzz)
{
    kn_udp_datagram datagram;
    size_t bytes = 0;
    while (kn_udp_server_next_datagram(fuzz->server, &datagram)) {
        fuzz_must(datagram.size >= 18 && datagram.size <= KN_UDP_DATAGRAM_MAX, "a bad datagram");
        bytes += datagram.size;
        for (uint32_t i = 0; i < PEERS; i++) {
            uint8_t key[KN_UDP_KEY_SIZE];
            fuzz_key(key, 100 + i);
            kni_udp_reading how = {KNI_UDP_BIT(KNI_UDP_CHALLENGE), FUZZ_PROTOCOL, key, NULL};
            kni_udp_packet packet;
            if (kni_udp_packet_read(&how, datagram.bytes, datagram.size, &packet)) {
                memcpy(fuzz->peers[i].challenge, packet.data, KNI_UDP_CHALLENGE_DATA);
            }
        }
    }
    return bytes;
}

static void server_give(
    fuzz_server *fuzz, const kn_address *from, const uint8_t *bytes, size_t size)
{
    (void)server_take(fuzz);
    bool is_stranger = !server_knows(fuzz, from);
    uint8_t *copy = fuzz_datagram(bytes, size);
    kn_udp_server_receive(fuzz->server, from, copy, size, fuzz->now, fuzz->wall);
    free(copy);
    size_t answered = server_take(fuzz);
    fuzz_must(!is_stranger || answered <= size, "more bytes than a stranger sent");
}

static void server_datagram(fuzz_server *fuzz, fuzz_input *input, uint32_t kind)
{
    uint32_t n = take_below(input, PEERS);
    fuzz_peer *peer = &fuzz->peers[n];
    kn_address from = fuzz_address(take_rarely(input, 8) ? take_below(input, PEERS) : n);
    uint8_t bytes[1300], key[KN_UDP_KEY_SIZE];
    size_t size = 0;
    memset(bytes, 0, sizeof bytes);
    fuzz_key(key, 10 + n);
    kni_udp_writing how = {FUZZ_PROTOCOL, key};
    if (kind == 0) {
        size = fuzz_take_bytes(input, bytes, sizeof bytes);
    } else if (kind == 1) {
        kni_udp_request_write(peer->token.bytes, bytes);
        size = fuzz_damage(input, bytes, KNI_UDP_REQUEST_SIZE, sizeof bytes);
    } else if (kind == 2) {
        size = kni_udp_packet_write(&how, KNI_UDP_RESPONSE, peer->sequence++, peer->challenge,
            KNI_UDP_CHALLENGE_DATA, bytes);
        size = fuzz_damage(input, bytes, size, sizeof bytes);
    } else {
        uint64_t sequence = take_rarely(input, 8) ? take_u32(input) : peer->sequence++;
        size = fuzz_packet(input, 10 + n, sequence, bytes);
        size = fuzz_damage(input, bytes, size, sizeof bytes);
    }
    server_give(fuzz, &from, bytes, size);
}

static void server_host(fuzz_server *fuzz, fuzz_input *input)
{
    uint32_t slot = take_below(input, SLOTS + 1);
    kn_udp_payload payload;
    kn_udp_event event;
    switch (take_below(input, 5)) {
    case 0:
        (void)!kn_udp_server_send(fuzz->server, slot, "hello", 5, fuzz->now);
        break;
    case 1:
        kn_udp_server_disconnect(fuzz->server, slot);
        break;
    case 2:
        while (kn_udp_server_next_payload(fuzz->server, slot, &payload)) {
            fuzz_must(payload.size >= 1 && payload.size <= KN_UDP_PAYLOAD_MAX, "a bad payload");
        }
        break;
    case 3:
        while (kn_udp_server_next_event(fuzz->server, &event)) {
            fuzz_must(event.slot < SLOTS && event.session > 0, "a bad event");
        }
        break;
    default:
        fuzz->now += take_u8(input) * KN_MS(20);
        fuzz->wall += take_below(input, 8);
        kn_udp_server_update(fuzz->server, fuzz->now);
        break;
    }
}

static void server_check(const fuzz_server *fuzz)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        kn_udp_slot slot = kn_udp_server_slot(fuzz->server, i);
        count += slot.is_connected;
        for (uint32_t k = 0; k < i; k++) {
            kn_udp_slot other = kn_udp_server_slot(fuzz->server, k);
            fuzz_must(!slot.is_connected || !other.is_connected ||
                          (slot.client_id != other.client_id && slot.session != other.session &&
                              !kn_address_equal(&slot.address, &other.address)),
                "one client in two slots");
        }
    }
    fuzz_must(count == kn_udp_server_client_count(fuzz->server), "a wrong count");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    static fuzz_server fuzz;
    fuzz = (fuzz_server){.wall = FUZZ_WALL};
    server_create(&fuzz, &input);
    while (input.size > 0) {
        uint32_t kind = take_below(&input, 6);
        if (kind < 4) {
            server_datagram(&fuzz, &input, kind);
        } else {
            server_host(&fuzz, &input);
        }
        server_check(&fuzz);
    }
    uint8_t used[256];
    size_t length;
    fuzz_must(
        kn_udp_server_export_used(fuzz.server, fuzz.wall, used, sizeof used, &length) == KN_OK,
        "no export");
    fuzz_must(kn_udp_server_import_used(fuzz.server, used, length, NULL) == KN_OK, "no import");
    kn_udp_server_stop(fuzz.server);
    (void)server_take(&fuzz);
    kn_udp_server_destroy(fuzz.server);
    return 0;
}
