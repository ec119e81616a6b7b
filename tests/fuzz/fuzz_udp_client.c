// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A client that gets anything from its servers and from others: raw bytes and packets with right
// tags, whole or damaged, in every state.

#include "fuzz_udp.h"

typedef struct fuzz_client {
    kn_udp_client *client;
    kn_time now;
    uint64_t sequence;
} fuzz_client;

static void client_connect(fuzz_client *fuzz, fuzz_input *input)
{
    uint32_t choices = take_u8(input);
    kn_token token = fuzz_token_of(0, 1 + choices % 2, (choices & 2) != 0 ? -1 : 2);
    size_t size = sizeof token;
    if ((choices & 12) == 12) {
        size = fuzz_damage(input, token.bytes, sizeof token, sizeof token);
    }
    kn_result result = kn_udp_client_connect(fuzz->client, &token, size, fuzz->now);
    fuzz_must((result == KN_OK) ==
                  (kn_udp_client_state_of(fuzz->client) == KN_UDP_CLIENT_SENDING_REQUEST),
        "result and state disagree");
}

static void client_datagram(fuzz_client *fuzz, fuzz_input *input, bool is_raw)
{
    uint8_t bytes[1300] = {0};
    kn_address from = kn_udp_client_server(fuzz->client);
    if (take_rarely(input, 8)) {
        from = fuzz_address(take_below(input, 4) + 200);
    }
    size_t size;
    if (is_raw) {
        size = fuzz_take_bytes(input, bytes, sizeof bytes);
    } else {
        uint64_t sequence = take_rarely(input, 8) ? take_u32(input) : fuzz->sequence++;
        size = fuzz_packet(input, 100, sequence, bytes);
        size = fuzz_damage(input, bytes, size, sizeof bytes);
    }
    uint8_t *copy = fuzz_datagram(bytes, size);
    kn_udp_client_receive(fuzz->client, &from, copy, size, fuzz->now);
    free(copy);
}

static void client_host(fuzz_client *fuzz, fuzz_input *input)
{
    kn_udp_payload payload;
    kn_udp_datagram datagram;
    switch (take_below(input, 6)) {
    case 0:
        (void)!kn_udp_client_send(fuzz->client, "hello", 5, fuzz->now);
        break;
    case 1:
        if (take_rarely(input, 4)) {
            kn_udp_client_disconnect(fuzz->client);
        }
        break;
    case 2:
        while (kn_udp_client_next_payload(fuzz->client, &payload)) {
            fuzz_must(payload.size >= 1 && payload.size <= KN_UDP_PAYLOAD_MAX, "a bad payload");
        }
        break;
    case 3:
        client_connect(fuzz, input);
        break;
    case 4:
        while (kn_udp_client_next_datagram(fuzz->client, &datagram)) {
            fuzz_must(datagram.size >= 18 && datagram.size <= KN_UDP_DATAGRAM_MAX &&
                          datagram.address.kind != KN_ADDRESS_NONE,
                "a bad datagram");
        }
        break;
    default:
        fuzz->now += take_u8(input) * KN_MS(10);
        kn_udp_client_update(fuzz->client, fuzz->now);
        break;
    }
}

static void client_check(const fuzz_client *fuzz)
{
    kn_udp_client_state state = kn_udp_client_state_of(fuzz->client);
    fuzz_must(
        state >= KN_UDP_CLIENT_TOKEN_EXPIRED && state <= KN_UDP_CLIENT_CONNECTED, "a bad state");
    fuzz_must((state > KN_UDP_CLIENT_DISCONNECTED) ==
                  (kn_udp_client_server(fuzz->client).kind != KN_ADDRESS_NONE),
        "state and server disagree");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    fuzz_client fuzz = {0};
    kn_udp_client_def def = kn_udp_client_def_default();
    def.receive_capacity = 2;
    def.send_capacity = 4096;
    fuzz_must(kn_udp_client_create(&def, &fuzz.client) == KN_OK, "no client");
    client_connect(&fuzz, &input);
    while (input.size > 0) {
        uint32_t kind = take_below(&input, 4);
        if (kind < 2) {
            client_datagram(&fuzz, &input, kind == 0);
        } else {
            client_host(&fuzz, &input);
        }
        client_check(&fuzz);
    }
    kn_udp_client_destroy(fuzz.client);
    return 0;
}
