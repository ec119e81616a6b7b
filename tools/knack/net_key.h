// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The key that servers and those who make tokens share, and the tokens. `knack bots` makes its own
// ones, as a back end would for players.
#ifndef NET_KEY_H
#define NET_KEY_H

#include "cli.h"

#include "knack/udp.h"

#define NET_PROTOCOL_ID 0x6b6e61636b000001u // "knack", and a version
#define NET_TOKEN_SECONDS 45
#define NET_TIMEOUT_SECONDS 10
#define NET_DEFAULT_PORT 40000

typedef struct net_key {
    uint8_t bytes[KN_UDP_KEY_SIZE];
    bool is_public; // everybody knows it: for this machine only
    bool is_old;    // there may be tokens of an earlier server
} net_key;

// Reads --key-file. With `creates`, one that is missing is created for its owner alone. Without the
// option it is a key that everybody knows. CLI_USAGE or CLI_UNREADABLE with a message.
cli_code net_key_find(const cli *call, bool creates, net_key *out);
// A random one, for a server within the process. False with a message.
bool net_key_random(const cli *call, net_key *out);

// An address by which servers of these commands know themselves, wherever they listen: address
// translation may lie between.
kn_address net_key_server(uint16_t port);
// True for addresses that only this machine reaches.
bool net_key_is_local(const kn_address *address);
// A token for one connection to a server. False if the system has no random numbers.
bool net_key_token(
    const net_key *key, const kn_address *server, uint64_t client_id, kn_token *token);

#endif
