// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Orders of players, as commands: clients ask, the server decides. Part of knack::order.
///
/// A message holds one command. It is built in the same way on every machine, and passed to
/// whatever takes the commands of a player there: kn_client_command(), kn_server_command() for a
/// player at the server, kn_world_command() in a world without a network.
///
///   kn_order order = kn_order_at(move, (kn_vec3){40, 12, 0});
///   kn_order_message message;
///   kn_result result =
///       kn_order_message_unit(&message, library, unit, KN_ORDER_ASK_ENQUEUE, &order);
///   if (result == KN_OK) {
///       result = kn_client_command(client, &message.command, NULL, NULL);
///   }
///
/// Units obey the connection that controls them, directly, through their owner, or through what
/// carries a unit without one. The answer to a refused command has all reasons;
/// kn_order_errors_read() makes errors of them.
///
/// Clients do not carry out orders ahead of the server. Until it answers, the order is pending
/// (kn_unit_pending()), so that a player sees at once what was asked for.
#ifndef KNACK_ORDER_COMMAND_H
#define KNACK_ORDER_COMMAND_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

// Commands ------------------------------------------------------------------------------

/// What a player asks for.
typedef enum kn_order_ask {
    KN_ORDER_ASK_ISSUE,         ///< kn_order_issue()
    KN_ORDER_ASK_ENQUEUE,       ///< kn_order_enqueue()
    KN_ORDER_ASK_INSERT_AFTER,  ///< kn_order_insert_after(); not for groups
    KN_ORDER_ASK_INSERT_BEFORE, ///< kn_order_insert_before(); not for groups
    KN_ORDER_ASK_STOP,          ///< kn_order_stop(), without an order
    KN_ORDER_ASK_CLEAR_QUEUE,   ///< kn_order_clear_queue(), without an order
    KN_ORDER_ASK_RESUME_WORK,   ///< kn_order_resume_work(), without an order
    KN_ORDER_ASK_COUNT,         ///< number of the values above; not a value itself
} kn_order_ask;

/// Most units that a command of the kind `Knack.OrderGroup` may name: what fits into a datagram of
/// the usual size.
#define KN_ORDER_MESSAGE_UNITS_MAX 64

/// Payload of the kinds of command `Knack.Order`, whose entity is the unit, and `Knack.OrderGroup`,
/// whose targets are the units of the group, and whose entity is the one that stands for it. All
/// zero is an order of no type. Units of a group that are gone, or obey somebody else, are left
/// out.
typedef struct kn_order_request {
    kn_order_ask ask;       ///< what to do with the order
    kn_order_type_id type;  ///< type of the order; null where `ask` needs none
    kn_entity_id target;    ///< the entity it is aimed at; null: none
    kn_vec3 location;       ///< the point it is aimed at
    uint32_t uses_location; ///< 1: `location` counts; 0: it does not
    uint32_t variant;       ///< the `index` of the order plus 1; 0: none
    /// `Knack.OrderGroup`: the active part of the group are the first units of the list, as many as
    /// this; 0: all.
    uint32_t active_count;
} kn_order_request;

/// Payload of the kind of command `Knack.AutoOrder`: kn_order_set_auto(). A client switches the
/// automatic order at once, and back if the server refuses.
typedef struct kn_order_auto_request {
    kn_order_type_id type; ///< type of the automatic order
    uint32_t variant;      ///< its `index` plus 1; 0: none
    uint32_t is_on;        ///< 1: on; 0: off
} kn_order_auto_request;

// Messages ------------------------------------------------------------------------------

/// A command with everything it points to. It must not be copied: `command` points into it.
typedef struct kn_order_message {
    kn_command command;          ///< what to pass on
    kn_order_request request;    ///< its payload, for units and groups
    kn_order_auto_request autos; ///< its payload, for automatic orders
    kn_target_data units;        ///< its targets, for groups
} kn_order_message;

/// Builds a command for one unit. Whether the unit obeys is decided when it is carried out.
/// @param order the order; NULL where `ask` needs none
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an unknown type or one that is never given;
///         KN_REFUSED_BAD_NUMBER for a location that is not finite; KN_ERROR_INVALID_ARGUMENT for
///         NULL, an unknown `ask`, an order that is missing, or a library without the kit. On
///         anything but KN_OK the message is zeroed
KN_API KN_MUST_USE kn_result kn_order_message_unit(kn_order_message *message,
    const kn_library *library, kn_entity_id unit, kn_order_ask ask, const kn_order *order);
/// Builds a command for a group: those who should get the order do, each with a point of its own if
/// the type says so, as by kn_order_issue_group(). Stopping, clearing and resuming goes to all.
/// @param group who gets it; `ask` decides whether orders are enqueued, not `enqueues`
/// @param order the order; NULL where `ask` needs none
/// @return as kn_order_message_unit(); KN_REFUSED_LIMIT for more than KN_ORDER_MESSAGE_UNITS_MAX
///         units: give the order to parts of the group; KN_ERROR_INVALID_ARGUMENT also for a group
///         without units or with bad indices, and for orders to insert
KN_API KN_MUST_USE kn_result kn_order_message_group(kn_order_message *message,
    const kn_library *library, const kn_order_group_def *group, kn_order_ask ask,
    const kn_order *order);
/// Builds a command that switches an automatic order of a unit.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an unknown type; KN_ERROR_INVALID_ARGUMENT for NULL or a
///         library without the kit. On anything but KN_OK the message is zeroed
KN_API KN_MUST_USE kn_result kn_order_message_auto(kn_order_message *message,
    const kn_library *library, kn_entity_id unit, kn_order_type_id type, int32_t index, bool is_on);

// Answers -------------------------------------------------------------------------------

/// Adds the reasons of a refused command to errors: lines of a KN_CLIENT_ANSWER, a KN_SERVER_ANSWER
/// or a KN_EVENT_COMMAND (kn_command_event_lines()). A line has one tag; those without are skipped.
KN_API void kn_order_errors_read(
    kn_order_errors *errors, const kn_refusal_line *lines, uint32_t count);

/// Something that a player of this client asked of a unit, and that the server has neither carried
/// out nor refused.
typedef struct kn_order_pending {
    kn_order order;    ///< the order; of no type where `ask` needs none
    kn_order_ask ask;  ///< what was asked for
    uint32_t sequence; ///< number of the command
} kn_order_pending;

/// What was asked of a unit and is not decided yet, the first one first: for clients. Of a group
/// order each unit has the point of the group. Returns how many there are; at most `capacity` are
/// written. 0 on machines that decide.
KN_API uint32_t kn_unit_pending(
    const kn_world *world, kn_entity_id unit, kn_order_pending *out, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
