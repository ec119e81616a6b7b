// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the order kit has to say: why units obey or do not, which branches trees take, and pictures
// of trees. A program without the kit has none of it (no_order.c).
#ifndef ORDER_H
#define ORDER_H

#include "stage.h"

// knack explain --order, --autos and --tree.
cli_code order_explain(const cli *call, stage *on);
cli_code order_explain_autos(const cli *call, stage *on);
cli_code order_explain_tree(const cli *call, stage *on);

// Adds the orders, the blackboard and the tree of an entity, with headings; nothing if it has none.
// Entities have their numbers in it.
void order_dump(text *to, const kn_world *world, kn_entity_id entity);

// Adds a picture of a definition, if it is a tree.
void order_picture(text *to, const kn_library *library, kn_def_kind kind, uint32_t index1);

#endif
