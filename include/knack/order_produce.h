// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Production, a part of the order kit (knack/order.h): products that units make one after the
/// other, points where new units gather, building sites, and workers who gather resources.
///
///   products:
///     Soldier: {archetype: Soldier, time: 12, costs: [{attribute: Stock.Gold, amount: 60}]}
///   producers:
///     Barracks: {tag: Unit.Barracks, products: [Soldier], queue_limit: 5}
///
/// A product is paid when it is queued, by the owner of the producer, or by the producer itself if
/// nobody owns it. Products of one producer are made one after the other, each at its exact time,
/// whatever the length of a step. What is cancelled is refunded to the one who paid.
///
/// Players, AI and rules command production by orders, as they command everything else:
/// `Knack.Produce`, `Knack.CancelProduct`, `Knack.Rally`, `Knack.Build`, `Knack.Construct`,
/// `Knack.CancelSite`, `Knack.Gather` and `Knack.Return`. The functions below do the same without
/// an order.
///
/// Everything is state of the world. Production is the authority's: clients see the queues, sites
/// and loads of their own units, and calls that change something are refused there.
///
/// A library has this part after kn_order_produce_register(); content asks for it with
/// `kits: [production]`.
#ifndef KNACK_ORDER_PRODUCE_H
#define KNACK_ORDER_PRODUCE_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_product_id)
KN_TYPE_ID(kn_producer_id)

/// Registers production: its kinds of definitions, components, events, tags, rules and order types,
/// and the order kit if the library does not have it. Once per library.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has this part, or a name of it is taken;
///         KN_ERROR_INVALID_ARGUMENT without a library; KN_ERROR_WORLD_LOCKED once it is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_order_produce_register(kn_library *library, kn_error *error);
/// True for a library that has this part.
KN_API bool kn_order_produce_is_there(const kn_library *library);

// Products --------------------------------------------------------------------------

/// Most costs of a product.
#define KN_PRODUCT_COSTS_MAX 8

/// A part of the price of a product.
typedef struct kn_product_cost {
    kn_attribute_id attribute; ///< what is paid with: its base value is reduced; required
    float amount;              ///< how much, 0 or more; default 0
} kn_product_cost;

/// Arguments of the hooks of a product. The producer, or the builder, is the entity of the
/// kn_hook_call.
typedef struct kn_product_call {
    kn_product_id product; ///< the product
    kn_entity_id payer;    ///< who pays for it
    kn_entity_id created;  ///< `created`: the new entity; otherwise null
    kn_vec3 location;      ///< `can_place`, `created`: where it is to be; otherwise zero
    /// `can_make`, `can_finish`, `can_place`: reasons for a refusal.
    kn_tag errors[4];
    uint32_t error_count; ///< number of entries in `errors`
} kn_product_call;

/// Something that can be made, in data files under `products`. Start from kn_product_def_default().
/// It has an archetype, an effect or an event, or several of them, or it is `research`.
typedef struct kn_product_def {
    const char *name;          ///< unique name; required
    kn_archetype_id archetype; ///< the entity that is created; null: none, for research
    float level;               ///< level of that entity and of the effect; default 1
    /// An effect that is applied when it is done, to the owner of the producer, or to the producer
    /// if nobody owns it; null: none.
    kn_effect_type_id effect;
    kn_tag event; ///< an event that is sent to the producer when it is done; null: none
    /// It may have none of the three above: another part says what it is good for, such as
    /// `rts_upgrades` of the RTS kit; default false.
    bool research;
    kn_time time;                 ///< time to make it, 0 or more; default 0: it is done at once
    const kn_product_cost *costs; ///< its price: all of it is paid, or nothing
    uint32_t cost_count;          ///< number of entries in `costs`, at most 8
    float refund;           ///< share of the price that a cancelled one returns, 0 to 1; default 1
    kn_tags required;       ///< the producer must have all of these to begin; default none
    kn_tags blocked;        ///< the producer must have none of these; default none
    kn_tags payer_required; ///< the one who pays must have all of these, such as technologies
    kn_tags payer_blocked;  ///< the one who pays must have none of these
    uint32_t limit;         ///< most of them in the queue of one producer; 0: any number; default 0
    float radius;           ///< radius of the body of what is created, and of its site; default 0.5
    uint32_t layers;        ///< layers of that body (kn_body); default 1
    bool site;              ///< it is built at a place, by `Knack.Build`; default false
    /// What stands at the place meanwhile; null: the finished entity itself, with the tag
    /// `Knack.Status.Constructing`.
    kn_archetype_id site_archetype;
    bool builds_itself;     ///< sites: it goes on without builders; default false
    float builder_speed;    ///< sites: what each further builder adds to the speed; default 0
    uint32_t builder_limit; ///< sites: most builders at once; 0: any number; default 0
    float loss_refund;      ///< sites: share that is returned if it is destroyed; default 0
    /// Sites: bodies with one of these tags, or below, are in the way; default none: every body.
    kn_tags obstacles;
    const char *title;       ///< for the player; NULL: the name
    const char *description; ///< for the player; may be NULL
    const char *icon;        ///< name of its picture; may be NULL
    kn_hook can_make;        ///< KN_OK: it may be queued; must only read
    /// KN_OK: it may be created now. Otherwise it waits, and is tried again every second; must only
    /// read.
    kn_hook can_finish;
    kn_hook can_place; ///< sites: KN_OK: it may be built at `location`; must only read
    /// Called for each new entity, which has its owner and its body, before it is given orders.
    kn_hook created;
    uint32_t cookie; ///< set by kn_product_def_default(); do not change it
} kn_product_def;

/// A def with the defaults named above.
KN_API kn_product_def kn_product_def_default(void);
/// Registers a product.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a library
///         without this part; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_product_register(
    kn_library *library, const kn_product_def *def, kn_product_id *product, kn_error *error);
/// The product with this name; null when there is none.
KN_API kn_product_id kn_product_find(const kn_library *library, const char *name);
/// The def of a product as registered; it belongs to the library. NULL when unknown.
KN_API const kn_product_def *kn_product_get_def(const kn_library *library, kn_product_id product);

// Producers -------------------------------------------------------------------------

/// Most points of a rally.
#define KN_RALLY_POINTS_MAX 8

/// What becomes of a queue that cannot go on as it was.
typedef enum kn_producer_loss {
    KN_PRODUCER_REFUND,     ///< it is cancelled, and refunded as if a player had done it
    KN_PRODUCER_LOSE,       ///< it is cancelled, and nothing is refunded
    KN_PRODUCER_KEEP,       ///< it goes on; at death it is lost all the same
    KN_PRODUCER_LOSS_COUNT, ///< number of the values above; not a value itself
} kn_producer_loss;

/// What units can make, in data files under `producers`. Start from kn_producer_def_default().
typedef struct kn_producer_def {
    const char *name; ///< unique name; required
    kn_tag tag;       ///< entities that gain this tag become such producers; null: by call alone
    /// What they can make; orders name these by their position.
    const kn_product_id *products;
    uint32_t product_count; ///< number of entries in `products`
    uint32_t queue_limit;   ///< most products in the queue, with the one in work; 0: any; default 5
    /// Production pauses while the producer has one of these tags, or `Knack.Status.Constructing`.
    kn_tags paused_by;
    /// What becomes of the queue when the producer is destroyed or loses the tag `alive` of the
    /// rules; default refund.
    kn_producer_loss on_death;
    kn_producer_loss on_owner_change; ///< what becomes of it with another owner; default refund
    /// Where new units appear, from the position of the producer; zero: beside its body, towards
    /// the rally point or where it looks; default zero.
    kn_vec3 exit;
    float exit_gap; ///< distance between the two bodies then, 0 or more; default 0.25
    /// The order that new units are given for a rally point; null: `Knack.Move`, if there is one.
    kn_order_type_id rally_order;
    /// The order for a rally point that is an entity, or what kn_order_resolve() makes of it; null:
    /// that of other points.
    kn_order_type_id rally_entity_order;
    uint32_t cookie; ///< set by kn_producer_def_default(); do not change it
} kn_producer_def;

/// A def with the defaults named above.
KN_API kn_producer_def kn_producer_def_default(void);
/// Registers a type of producer.
/// @return as kn_product_register()
KN_API KN_MUST_USE kn_result kn_producer_register(
    kn_library *library, const kn_producer_def *def, kn_producer_id *producer, kn_error *error);
/// The type of producer with this name; null when there is none.
KN_API kn_producer_id kn_producer_find(const kn_library *library, const char *name);
/// The def of a type of producer as registered; it belongs to the library. NULL when unknown.
KN_API const kn_producer_def *kn_producer_get_def(
    const kn_library *library, kn_producer_id producer);

/// Lets an entity produce.
/// @return KN_OK; KN_REFUSED_DUPLICATE if it does already; KN_REFUSED_STALE_ID; KN_REFUSED_DYING;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an unknown type;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_producer_add(kn_world *world, kn_entity_id entity, kn_producer_id type);
/// Ends production: what is queued is cancelled and refunded, and the rally point is forgotten.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it does not produce; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for a library without this
///         part; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_producer_remove(kn_world *world, kn_entity_id entity);
/// What a producer does.
typedef enum kn_producer_state {
    KN_PRODUCER_IDLE,        ///< nothing is queued
    KN_PRODUCER_WORKS,       ///< the first product is being made
    KN_PRODUCER_PAUSES,      ///< a tag keeps it from working; what was done is not lost
    KN_PRODUCER_WAITS,       ///< the first product is done, but cannot be created yet
    KN_PRODUCER_HOLDS,       ///< a gate does not let the first product begin yet
    KN_PRODUCER_STATE_COUNT, ///< number of the values above; not a value itself
} kn_producer_state;

/// A producer as it is now.
typedef struct kn_producer_info {
    kn_producer_id type;     ///< its type
    kn_producer_state state; ///< what it does
    uint32_t queue_count;    ///< products in its queue, with the one in work
    float progress;          ///< of the first product, 0 to 1
    kn_time remaining;       ///< time that the first product still needs, while it works
} kn_producer_info;

/// Reads a producer; false, and all zero, for entities that are none.
KN_API bool kn_producer_get_info(
    const kn_world *world, kn_entity_id producer, kn_producer_info *info);

/// A product in a queue.
typedef struct kn_product_item {
    kn_product_id product; ///< the product
    kn_entity_id payer;    ///< who paid for it; may be gone
    float progress;        ///< how much of it is done, 0 to 1
    /// When it is done, if nothing pauses and nothing is cancelled; KN_TIME_INFINITE while the
    /// producer pauses, waits or holds.
    kn_time done_at;
} kn_product_item;

/// The queue of a producer, the one in work first. Returns how many there are; at most `capacity`
/// are written.
KN_API uint32_t kn_producer_queue(
    const kn_world *world, kn_entity_id producer, kn_product_item *out, uint32_t capacity);

// Queueing --------------------------------------------------------------------------

/// A part of the price that is missing.
typedef struct kn_product_shortage {
    kn_attribute_id attribute; ///< what is missing
    float amount;              ///< how much of it
} kn_product_shortage;

/// Why a product is refused: all reasons at once.
typedef struct kn_product_answer {
    kn_order_errors errors; ///< tags, such as `Knack.Order.Cost` and `Knack.Order.Limit`
    kn_product_shortage shortages[KN_PRODUCT_COSTS_MAX]; ///< what the payer does not have
    uint32_t shortage_count;                             ///< number of entries in `shortages`
} kn_product_answer;

/// What a product costs, and how long it takes.
typedef struct kn_product_terms {
    kn_time time;                                ///< time to make it
    kn_product_cost costs[KN_PRODUCT_COSTS_MAX]; ///< its price
    uint32_t cost_count;                         ///< number of entries in `costs`
} kn_product_terms;

/// What a product would cost a producer now: what its definition says, or what a gate makes of it.
/// Only reads, on clients too. False, and all zero, for an unknown product and a stale id.
KN_API bool kn_product_quote(
    const kn_world *world, kn_entity_id producer, kn_product_id product, kn_product_terms *terms);
/// Who pays for what an entity makes: its owner, or itself without one. Null for a stale id.
KN_API kn_entity_id kn_product_payer(const kn_world *world, kn_entity_id producer);
/// Whether a product could be queued now. Only reads, on clients too.
/// @param answer receives the reasons; may be NULL
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an unknown product, one that the producer cannot make or
///         that is a site, and for entities that do not produce; KN_REFUSED_REQUIREMENT for tags;
///         KN_REFUSED_LIMIT if the queue is full; KN_REFUSED_COST if the payer lacks something;
///         KN_REFUSED_CUSTOM if the hook `can_make` refuses; what a gate returns;
///         KN_REFUSED_STALE_ID; KN_REFUSED_DYING; KN_ERROR_INVALID_ARGUMENT for a library without
///         this part
KN_API kn_result kn_product_check(
    const kn_world *world, kn_entity_id producer, kn_product_id product, kn_product_answer *answer);
/// Pays for a product and puts it at the end of the queue.
/// @param answer receives the reasons of a refusal; may be NULL
/// @return as kn_product_check(); KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_product_enqueue(
    kn_world *world, kn_entity_id producer, kn_product_id product, kn_product_answer *answer);
/// Cancels a product of the queue and refunds the share that it says to the one who paid. If that
/// entity is gone, nothing is refunded. Those behind it move up.
/// @param index position in the queue, 0 is the one in work; -1: the last one
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is none, and for entities that do not produce;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for a
///         library without this part; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_product_cancel(kn_world *world, kn_entity_id producer, int32_t index);

// Gates -----------------------------------------------------------------------------
//
// By a gate another part has a say in all products: whether they may be queued and begun, what they
// cost, and what follows from them. The RTS kit has one, for technology and population.

/// What a gate is called for.
typedef struct kn_product_case {
    kn_product_id product; ///< the product
    /// Who makes it: the producer; for a site the builder, and once it stands the site itself.
    kn_entity_id maker;
    kn_entity_id payer;   ///< who pays for it, or has paid; may be gone by then
    kn_entity_id created; ///< finished: the new entity; null for one that creates none
    bool is_begun;        ///< cancelled: work had begun
    bool is_site;         ///< it is a site that stands; false for products in queues and in checks
} kn_product_case;

/// What has happened to a product.
typedef enum kn_product_stage {
    KN_PRODUCT_QUEUED,      ///< it was paid, and is in a queue
    KN_PRODUCT_HELD,        ///< it should begin, but a gate does not let it; once for each product
    KN_PRODUCT_BEGUN,       ///< work begins; for a site, it was put up
    KN_PRODUCT_FINISHED,    ///< it is done, and what it creates is there
    KN_PRODUCT_CANCELLED,   ///< it was cancelled or lost, whatever is refunded
    KN_PRODUCT_STAGE_COUNT, ///< number of the values above; not a value itself
} kn_product_stage;

/// Most gates of a library.
#define KN_PRODUCT_GATES_MAX 8

/// A gate. Each function may be NULL. The first three must only read, also on clients.
typedef struct kn_product_gate {
    void *user; ///< passed to the functions
    /// Changes what a product costs and how long it takes.
    void (*quote)(
        void *user, const kn_world *world, const kn_product_case *one, kn_product_terms *terms);
    /// Whether a product may be queued, or a site begun: KN_OK, or a refusal with its reasons added
    /// to the answer.
    kn_result (*check)(
        void *user, const kn_world *world, const kn_product_case *one, kn_product_answer *answer);
    /// Whether the first product of a queue may begin. Otherwise it is tried again every second,
    /// and by kn_producer_retry().
    bool (*may_begin)(void *user, const kn_world *world, const kn_product_case *one);
    /// Called on the authority when something has happened to a product, before the event about it
    /// is published.
    void (*changed)(
        void *user, kn_world *world, const kn_product_case *one, kn_product_stage stage);
} kn_product_gate;

/// Registers a gate; they are called in this order.
/// @return KN_OK, also for one that is there already; KN_REFUSED_LIMIT for too many;
///         KN_ERROR_INVALID_ARGUMENT without a gate or for a library without this part
KN_API KN_MUST_USE kn_result kn_product_gate_register(
    kn_library *library, const kn_product_gate *gate);
/// Lets a producer that holds try again to begin with its first product.
/// @return KN_OK, also if it still holds; KN_REFUSED_NOT_FOUND if it does not hold;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for a
///         library without this part; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_producer_retry(kn_world *world, kn_entity_id producer);

// Rally points ----------------------------------------------------------------------

/// Where new units go.
typedef struct kn_rally_point {
    kn_entity_id target; ///< an entity; null: `location`. A point at an entity ends with it
    kn_vec3 location;    ///< a point
} kn_rally_point;

/// Sets the points to which new units of a producer go, one after the other. Points are replaced.
/// @param count 0 to KN_RALLY_POINTS_MAX; 0: new units stay where they are
/// @return KN_OK; KN_REFUSED_NOT_FOUND for entities that do not produce; KN_REFUSED_STALE_ID, also
///         for a target; KN_REFUSED_BAD_NUMBER for a location that is not finite; KN_REFUSED_LIMIT
///         for too many points; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for
///         missing points or a library without this part; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rally_set(
    kn_world *world, kn_entity_id producer, const kn_rally_point *points, uint32_t count);
/// The rally points of a producer. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_rally_get(
    const kn_world *world, kn_entity_id producer, kn_rally_point *out, uint32_t capacity);

// Sites -----------------------------------------------------------------------------
//
// A product with `site` is built at a place. The order `Knack.Build` lets a worker go there, pay
// and put up a site: an entity with the tag `Knack.Status.Constructing`, which grows while at least
// one builder works at it. `Knack.Construct` lets others help, or go on. When it is done it loses
// the tag, or another entity takes its place, to which all orders at the site go on.

/// A site as it is now.
typedef struct kn_site_info {
    kn_product_id product;  ///< what is built
    kn_entity_id payer;     ///< who paid for it; may be gone; null on clients
    uint32_t builder_count; ///< how many work at it
    float progress;         ///< how much of it is done, 0 to 1
    kn_time done_at;        ///< when it is done with these builders; KN_TIME_INFINITE: never
} kn_site_info;

/// Whether a builder could begin a site now. Only reads, on clients too.
/// @param location where; NULL: only what does not depend on the place is checked
/// @param answer receives the reasons; may be NULL
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a product that is not a site, or that the builder cannot
///         make, and for entities that do not produce; KN_REFUSED_REQUIREMENT for tags;
///         KN_REFUSED_EXCLUSIVE if something is in the way; KN_REFUSED_COST if the payer lacks
///         something; KN_REFUSED_CUSTOM if a hook refuses; what a gate returns;
///         KN_REFUSED_BAD_NUMBER for a location that is not finite; KN_REFUSED_STALE_ID;
///         KN_REFUSED_DYING; KN_ERROR_INVALID_ARGUMENT for a library without this part
KN_API kn_result kn_site_check(const kn_world *world, kn_entity_id builder, kn_product_id product,
    const kn_vec3 *location, kn_product_answer *answer);
/// Pays for a site and puts it up. Nobody works at it yet. A site of the same product and owner
/// that stands there already is found instead, and not paid again.
/// @param answer receives the reasons of a refusal; may be NULL
/// @param site receives the site; null on anything but KN_OK; may be NULL
/// @return as kn_site_check(); KN_REFUSED_BLOCKED on a client; what creating the entity returns
///         (kn_archetype_spawn()), with nothing paid; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_site_begin(kn_world *world, kn_entity_id builder, kn_product_id product,
    kn_vec3 location, kn_product_answer *answer, kn_entity_id *site);
/// Lets an entity work at a site, until it leaves, dies, or the site is done.
/// @param ticket of a task of its tree that ends with the work (kn_tree_finish_task()); 0: none
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an entity that is not a site; KN_REFUSED_DUPLICATE if it
///         works there already; KN_REFUSED_LIMIT if there are enough; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for a library without this
///         part; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_site_join(
    kn_world *world, kn_entity_id site, kn_entity_id builder, uint32_t ticket);
/// Ends the work of an entity at a site. Its task is not ended.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it does not work there; otherwise as kn_site_join()
KN_API kn_result kn_site_leave(kn_world *world, kn_entity_id site, kn_entity_id builder);
/// Cancels a site: refunds the share that its product says, and destroys it.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an entity that is not a site; otherwise as
///         kn_site_join()
KN_API kn_result kn_site_cancel(kn_world *world, kn_entity_id site);
/// Reads a site; false, and all zero, for entities that are none.
KN_API bool kn_site_get_info(const kn_world *world, kn_entity_id site, kn_site_info *info);
/// What a unit is ordered to build: the product by the index of its current order, if that is
/// `Knack.Build` or another type with its tree; otherwise null. Clients know it, too.
KN_API kn_product_id kn_site_ordered(const kn_world *world, kn_entity_id builder);
/// Those who work at a site, in the order they came. Returns how many there are; at most `capacity`
/// are written.
KN_API uint32_t kn_site_builders(
    const kn_world *world, kn_entity_id site, kn_entity_id *out, uint32_t capacity);

// Gathering -------------------------------------------------------------------------
//
// Workers take resources from nodes, entities with the tag `Knack.Kind.Resource`, and bring them to
// a drop-off of their own, an entity with the tag `Knack.Kind.DropOff`. `Knack.Gather` lets a
// worker do that until the node and all others of its kind nearby are exhausted, `Knack.Return`
// brings what it carries. A worker has the tag `Knack.Status.Carrying` while it carries something,
// and `Knack.Status.Full` while it cannot carry more.

KN_TYPE_ID(kn_gatherer_id)

/// Most kinds of resources of a type of gatherer.
#define KN_GATHER_KINDS_MAX 16

/// A kind of resource, and how a type of gatherer takes it.
typedef struct kn_gather_kind {
    kn_tag tag;           ///< nodes with this tag have it; required
    kn_attribute_id from; ///< attribute of the node that it is taken from; null: it never ends
    kn_attribute_id to;   ///< attribute of the worker's owner that it is added to; required
    float amount;         ///< how much is taken at once, above 0; default 1
    kn_time time;         ///< time until it is taken, above 0; default 1 s
    float capacity;       ///< how much a worker can carry, above 0; default 10
    uint32_t limit;       ///< most workers at one node; 0: any number; default 0
    /// Others wait at a node that has enough workers; default false: they go to another one nearby,
    /// and wait only if there is none.
    bool waits;
    bool ends_node; ///< a node that is exhausted is destroyed; default false
} kn_gather_kind;

/// A kind with the defaults named above.
KN_API kn_gather_kind kn_gather_kind_default(void);

/// How workers gather, in data files under `gatherers`. Start from kn_gatherer_def_default().
typedef struct kn_gatherer_def {
    const char *name;            ///< unique name; required
    kn_tag tag;                  ///< entities that gain this tag gather so; null: by call alone
    const kn_gather_kind *kinds; ///< what they gather; required
    uint32_t kind_count;         ///< number of entries in `kinds`, at most 16
    /// How far from an exhausted node they look for another one, 0 or more; default 20.
    float search_radius;
    float drop_radius; ///< how far they look for a drop-off, 0 or more; default 200
    uint32_t cookie;   ///< set by kn_gatherer_def_default(); do not change it
} kn_gatherer_def;

/// A def with the defaults named above.
KN_API kn_gatherer_def kn_gatherer_def_default(void);
/// Registers a type of gatherer.
/// @return as kn_product_register()
KN_API KN_MUST_USE kn_result kn_gatherer_register(
    kn_library *library, const kn_gatherer_def *def, kn_gatherer_id *gatherer, kn_error *error);
/// The type of gatherer with this name; null when there is none.
KN_API kn_gatherer_id kn_gatherer_find(const kn_library *library, const char *name);
/// The def of a type of gatherer as registered; it belongs to the library. NULL when unknown.
KN_API const kn_gatherer_def *kn_gatherer_get_def(
    const kn_library *library, kn_gatherer_id gatherer);

/// Lets an entity gather.
/// @return as kn_producer_add()
KN_API kn_result kn_gatherer_add(kn_world *world, kn_entity_id entity, kn_gatherer_id type);
/// Takes that away; what it carries is lost.
/// @return as kn_producer_remove()
KN_API kn_result kn_gatherer_remove(kn_world *world, kn_entity_id entity);

/// A gatherer as it is now.
typedef struct kn_gatherer_info {
    kn_gatherer_id type; ///< its type
    kn_entity_id node;   ///< the node that it takes from; null: none
    kn_entity_id waits;  ///< the node where it waits for its turn; null: none
    kn_tag carries;      ///< tag of the kind that it carries; null: nothing
    float amount;        ///< how much of it
    kn_time next;        ///< when it takes something next; KN_TIME_INFINITE if it does not
} kn_gatherer_info;

/// Reads a gatherer; false, and all zero, for entities that are none.
KN_API bool kn_gatherer_get_info(
    const kn_world *world, kn_entity_id entity, kn_gatherer_info *info);

/// Lets a gatherer take from a node until it is full or the node is exhausted, or wait there for
/// its turn. It must stand there already. What it did before ends.
/// @param ticket of a task of its tree that ends with the work (kn_tree_finish_task()); 0: none
/// @return KN_OK; KN_REFUSED_NOT_FOUND for entities that do not gather, and for a node without a
///         kind that it gathers; KN_REFUSED_LIMIT if it is full, the node is exhausted, or it
///         carries another kind; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client;
///         KN_ERROR_INVALID_ARGUMENT for a library without this part; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_gather_start(
    kn_world *world, kn_entity_id entity, kn_entity_id node, uint32_t ticket);
/// Ends the work at a node. Its task is not ended; what it carries stays.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it does not work; otherwise as kn_gather_start()
KN_API kn_result kn_gather_stop(kn_world *world, kn_entity_id entity);
/// Delivers what a gatherer carries: adds it to the attribute of its owner, or to its own without
/// one. What is above the limit of the attribute is lost.
/// @param drop where; for the event
/// @param delivered receives how much was added; may be NULL
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it carries nothing, and for entities that do not gather;
///         KN_REFUSED_MISSING_ATTRIBUTE if the owner does not have the attribute, with nothing
///         lost; otherwise as kn_gather_start()
KN_API kn_result kn_gather_deliver(
    kn_world *world, kn_entity_id entity, kn_entity_id drop, float *delivered);
/// Gives a gatherer something to carry instead of what it has.
/// @param kind tag of one of its kinds
/// @param amount 0: nothing
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a kind that it does not gather, and for entities that do
///         not gather; KN_REFUSED_LIMIT above the capacity; KN_REFUSED_BAD_NUMBER for an amount
///         below 0 or not finite; otherwise as kn_gather_start()
KN_API kn_result kn_gather_set_load(
    kn_world *world, kn_entity_id entity, kn_tag kind, float amount);
/// How much is left in a node for a gatherer; 0 for a node that it cannot take from, INFINITY for
/// one that never ends.
KN_API float kn_gather_left(const kn_world *world, kn_entity_id entity, kn_entity_id node);
/// The nearest node around a point that has something of a kind left, within the search radius of
/// the gatherer, one with room for another worker first; null for none.
/// @param kind tag of one of its kinds
/// @param except a node that does not count; may be null
KN_API kn_entity_id kn_gather_find_node(
    const kn_world *world, kn_entity_id entity, kn_tag kind, kn_vec3 around, kn_entity_id except);
/// The drop-off of its own that is nearest to a gatherer, within its radius; null for none. Sites
/// do not count.
KN_API kn_entity_id kn_gather_find_drop(const kn_world *world, kn_entity_id entity);

// Events ------------------------------------------------------------------------------

/// Payload of the custom events `Knack.ProductQueued`, `Knack.ProductStarted`,
/// `Knack.ProductFinished`, `Knack.ProductWaits` (it is done, but cannot be created yet; once for
/// each product) and `Knack.ProductCancelled`. Their entity is the producer, or the site.
typedef struct kn_product_event {
    kn_product_id product; ///< the product
    kn_entity_id payer;    ///< who paid for it
    kn_entity_id created;  ///< finished: the new entity; null for one that creates none
    uint32_t position;     ///< its position in the queue; 0 for sites
    float refunded;        ///< cancelled: the share of the price that was refunded; otherwise 0
} kn_product_event;

/// Payload of the custom events `Knack.Gathered` (a worker has taken something from a node) and
/// `Knack.Delivered` (it was added to what its owner has). Their entity is the worker.
typedef struct kn_gather_event {
    kn_entity_id from; ///< the node, or the drop-off
    kn_entity_id to;   ///< gathered: the worker; delivered: who got it
    kn_tag kind;       ///< tag of the kind
    float amount;      ///< how much
} kn_gather_event;

#ifdef __cplusplus
}
#endif

#endif
