// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The duel on terminals: the sessions of main.c, with knack::udp instead of a simulated network.

#define _POSIX_C_SOURCE 200809L // for the clock and the terminal

#include "duel.h"

#include "knack/udp.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define PROTOCOL_ID 0x6475656cu // "duel"
#define FRAME (KN_S(1) / DUEL_RATE)

// Back end and servers share a key that no client ever sees. In a real game the back end makes a
// token when a player has logged in, and sends it over HTTPS. This sample has no back end: its
// clients make tokens themselves, with a key that everybody can read here.
static const uint8_t no_secret[KN_UDP_KEY_SIZE] = {4};

static volatile sig_atomic_t is_over;

static void on_signal(int number)
{
    (void)number;
    is_over = 1;
}

static kn_time clock_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (kn_time)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

// The address by which tokens name the server, whatever the machine is called outside.
static kn_address server_name(uint16_t port)
{
    return (kn_address){.kind = KN_ADDRESS_IPV4, .port = port, .bytes = {127, 0, 0, 1}};
}

static kn_udp_socket *socket_open(uint16_t port)
{
    kn_error error;
    kn_udp_socket_def def = kn_udp_socket_def_default();
    def.ipv4.port = port;
    def.ipv6.kind = KN_ADDRESS_NONE;
    kn_udp_socket *socket;
    if (kn_udp_socket_open(&def, &socket, &error) != KN_OK) {
        fprintf(stderr, "port %u: %s\n", port, error.message);
        exit(1);
    }
    return socket;
}

// The server ----------------------------------------------------------------

typedef struct ring {
    kn_world *world;
    kn_server *server;
    kn_udp_server *udp;
    kn_udp_socket *socket;
    uint32_t connections[DUEL_PLAYERS]; // by slot; 0: none
    char names[DUEL_PLAYERS][32];       // by connection
} ring;

static ring *joining; // for ring_joined()

// The hello is the name, and comes from outside: only letters are taken.
static void ring_joined(const kn_server_event *event)
{
    char *name = joining->names[event->connection - 1];
    const char *bytes = event->bytes;
    size_t length = 0;
    for (uint32_t i = 0; i < event->size && length < sizeof(joining->names[0]) - 1; i++) {
        bool is_letter =
            (bytes[i] >= 'a' && bytes[i] <= 'z') || (bytes[i] >= 'A' && bytes[i] <= 'Z');
        if (is_letter) {
            name[length++] = bytes[i];
        }
    }
    name[length] = 0;
    printf("%s joins\n", name);
    fflush(stdout);
}

// Tells everybody the names: a message arrives once, in order and whole.
static void names_send(const ring *r)
{
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        if (r->connections[i] != 0) {
            // If it cannot be sent now, the old names stay on the screen.
            if (kn_server_send(r->server, r->connections[i], r->names, sizeof(r->names)) != KN_OK) {
                fprintf(stderr, "the names are not sent\n");
            }
        }
    }
}

static void peers_follow(ring *r, kn_time now)
{
    kn_udp_event event;
    while (kn_udp_server_next_event(r->udp, &event)) {
        uint32_t *connection = &r->connections[event.slot];
        if (!event.is_connected) {
            (void)kn_server_close(r->server, *connection, KN_CLOSE_LEFT);
            *connection = 0;
        } else if (kn_server_open(r->server, now, connection) != KN_OK) {
            kn_udp_server_disconnect(r->udp, event.slot);
        }
    }
}

static void ring_turn(ring *r, kn_time now)
{
    kn_udp_socket_run_server(r->socket, r->udp, now, (uint64_t)time(NULL));
    peers_follow(r, now);
    kn_udp_payload payload;
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        while (kn_udp_server_next_payload(r->udp, i, &payload)) {
            (void)kn_server_receive(r->server, now, r->connections[i], payload.bytes, payload.size);
        }
    }
    must(kn_server_update(r->server, now), "server");
    uint32_t before = kn_entity_count(r->world);
    joining = r;
    duel_follow(r->server, r->world, ring_joined);
    if (kn_entity_count(r->world) > before) {
        names_send(r);
    }
    uint8_t buffer[KN_UDP_PAYLOAD_MAX];
    size_t size;
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        while (kn_server_write(r->server, now, r->connections[i], buffer, sizeof(buffer), &size) ==
               KN_OK) {
            if (kn_udp_server_send(r->udp, i, buffer, size, now) != KN_OK) {
                break; // it is lost, as datagrams may be
            }
        }
    }
    kn_udp_socket_flush_server(r->socket, r->udp);
}

int play_server(uint16_t port)
{
    ring r = {0};
    kn_library *library = duel_library();
    r.world = duel_world(library);
    r.socket = socket_open(port);
    port = kn_udp_socket_port(r.socket, KN_ADDRESS_IPV4);
    kn_udp_server_def udp = kn_udp_server_def_default();
    udp.private_key = no_secret;
    udp.protocol_id = PROTOCOL_ID;
    udp.address = server_name(port);
    udp.slot_count = DUEL_PLAYERS;
    must(kn_udp_server_create(&udp, &r.udp), "transport");
    kn_server_def def = kn_server_def_default();
    def.world = r.world;
    def.rate = DUEL_RATE;
    def.connection_limit = DUEL_PLAYERS;
    must(kn_server_create(&def, &r.server), "server");

    (void)signal(SIGINT, on_signal);
    (void)signal(SIGTERM, on_signal);
    printf("the duel is on port %u; Ctrl-C ends it\n", port);
    fflush(stdout);
    while (is_over == 0) {
        ring_turn(&r, clock_now());
        (void)kn_udp_socket_wait(r.socket, FRAME / 4);
    }
    kn_udp_server_stop(r.udp);
    kn_udp_socket_flush_server(r.socket, r.udp);
    kn_server_destroy(r.server);
    kn_udp_server_destroy(r.udp);
    kn_udp_socket_close(r.socket);
    kn_world_destroy(r.world);
    kn_library_destroy(library);
    return 0;
}

// The client ----------------------------------------------------------------

typedef struct screen {
    kn_client *client;
    kn_udp_client *udp;
    kn_udp_socket *socket;
    char names[DUEL_PLAYERS][32];
    const char *end; // why it is over; NULL: it is not
} screen;

static struct termios terminal_before;

static void terminal_restore(void)
{
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
}

// Keys come at once, and are not shown.
static void terminal_prepare(void)
{
    if (tcgetattr(STDIN_FILENO, &terminal_before) == 0) {
        struct termios raw = terminal_before;
        raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &raw);
        (void)atexit(terminal_restore);
    }
}

static char key_read(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char key = 0;
    if (poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &key, 1) != 1) {
        key = 'q'; // the terminal is gone
    }
    return key;
}

static void token_make(const char *address, uint16_t port, kn_token *token)
{
    kn_error error;
    kn_address server, name = server_name(port);
    must(kn_address_parse(address, &server, &error), address);
    server.port = port;
    uint64_t id;
    must(kn_udp_random(&id, sizeof(id)), "random numbers");
    kn_token_def def = kn_token_def_default();
    def.private_key = no_secret;
    def.protocol_id = PROTOCOL_ID;
    def.client_id = id;
    def.addresses = &server;
    def.private_addresses = &name;
    def.address_count = 1;
    def.create_time = (uint64_t)time(NULL);
    must(kn_token_make(&def, token, &error), "token");
}

static void screen_events(screen *s)
{
    const char *const names[DUEL_PLAYERS] = {s->names[0], s->names[1]};
    kn_client_event event;
    char text[96];
    while (kn_client_next_event(s->client, &event)) {
        if (event.kind == KN_CLIENT_MESSAGE && event.size == sizeof(s->names)) {
            memcpy(s->names, event.bytes, sizeof(s->names));
            s->names[0][sizeof(s->names[0]) - 1] = s->names[1][sizeof(s->names[1]) - 1] = 0;
        } else if (event.kind == KN_CLIENT_CLOSED) {
            s->end = kn_close_reason_name(event.reason);
        } else if (event.kind == KN_CLIENT_HAPPENED || event.kind == KN_CLIENT_REVOKED) {
            if (duel_describe(
                    kn_client_world(s->client), &event.event, names, text, sizeof(text))) {
                printf("\r\033[K%s%s\n", text,
                    event.kind == KN_CLIENT_REVOKED ? ": it did not happen" : "");
            }
        }
    }
}

static void bar_print(const screen *s, uint32_t connection)
{
    const kn_world *world = kn_client_world(s->client);
    kn_entity_id fighter = duel_fighter(world, connection);
    if (!kn_entity_id_is_null(fighter)) {
        int health = (int)duel_health(world, fighter);
        printf("%s [%-20.*s] %-3d  ", s->names[connection - 1], health / 5, "####################",
            health);
    }
}

static void screen_draw(const screen *s)
{
    kn_client_stats stats = kn_client_get_stats(s->client);
    printf("\r\033[K");
    for (uint32_t i = 1; i <= DUEL_PLAYERS; i++) {
        bar_print(s, i);
    }
    printf("(s)trike (g)uard (q)uit  %d ms", (int)(stats.link.round_trip / 1000));
    fflush(stdout);
}

static void screen_turn(screen *s, kn_time now)
{
    kn_udp_payload payload;
    while (kn_udp_client_next_payload(s->udp, &payload)) {
        (void)kn_client_receive(s->client, now, payload.bytes, payload.size);
    }
    char key = key_read();
    if (key == 'q') {
        s->end = "you left";
    } else if ((key == 's' || key == 'g') &&
               duel_press(s->client, key == 's' ? DUEL_STRIKE : DUEL_GUARD) != KN_OK) {
        printf("\a"); // not yet in the game
    }
    must(kn_client_update(s->client, now), "client");
    screen_events(s);
    screen_draw(s);
    uint8_t buffer[KN_UDP_PAYLOAD_MAX];
    size_t size;
    while (kn_client_write(s->client, now, buffer, sizeof(buffer), &size) == KN_OK) {
        if (kn_udp_client_send(s->udp, buffer, size, now) != KN_OK) {
            break;
        }
    }
    kn_udp_socket_flush_client(s->socket, s->udp);
}

static void screen_run(screen *s)
{
    while (s->end == NULL && is_over == 0) {
        kn_time now = clock_now();
        kn_udp_socket_run_client(s->socket, s->udp, now);
        kn_udp_client_state state = kn_udp_client_state_of(s->udp);
        if (state <= KN_UDP_CLIENT_DISCONNECTED) {
            s->end = kn_udp_client_state_name(state);
        } else if (state == KN_UDP_CLIENT_CONNECTED) {
            screen_turn(s, now);
        }
        (void)kn_udp_socket_wait(s->socket, FRAME / 2);
    }
}

int play_client(const char *address, uint16_t port, const char *name)
{
    screen s = {.names = {"?", "?"}};
    kn_library *library = duel_library();
    s.socket = socket_open(0);
    kn_udp_client_def udp = kn_udp_client_def_default();
    must(kn_udp_client_create(&udp, &s.udp), "transport");
    kn_token token;
    token_make(address, port, &token);
    must(kn_udp_client_connect(s.udp, token.bytes, sizeof(token.bytes), clock_now()), "connect");
    kn_client_def def = kn_client_def_default();
    def.library = library;
    def.hello = name;
    def.hello_size = (uint32_t)strlen(name);
    must(kn_client_create(&def, &s.client), "client");

    (void)signal(SIGINT, on_signal);
    terminal_prepare();
    screen_run(&s);
    printf("\nthe end: %s\n", s.end != NULL ? s.end : "you left");
    kn_udp_client_disconnect(s.udp);
    kn_udp_socket_flush_client(s.socket, s.udp);
    kn_client_destroy(s.client);
    kn_udp_client_destroy(s.udp);
    kn_udp_socket_close(s.socket);
    kn_library_destroy(library);
    return 0;
}
