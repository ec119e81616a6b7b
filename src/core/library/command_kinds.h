// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kinds of commands that every library has, by their place in it.
#ifndef KNI_COMMAND_KINDS_H
#define KNI_COMMAND_KINDS_H

typedef enum kni_command_kind {
    KNI_COMMAND_ACTIVATE = 1,
    KNI_COMMAND_PRESS,
    KNI_COMMAND_RELEASE,
    KNI_COMMAND_CONFIRM,
    KNI_COMMAND_CANCEL,
    KNI_COMMAND_TARGETS,
    KNI_COMMAND_END,
    KNI_COMMAND_CANCEL_ABILITY,
    KNI_COMMAND_BATCH,
    KNI_COMMAND_SYNC,
    KNI_COMMAND_TOLERANCE,
    KNI_COMMAND_END_OF_KINDS
} kni_command_kind;

#endif
