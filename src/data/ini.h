// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tags as game engines keep them in configuration files:
//     +GameplayTagList=(Tag="State.Stunned",DevComment="cannot act")
//     +RestrictedGameplayTagList=(Tag="Core",DevComment="ours")
//     +GameplayTagRedirects=(OldTagName="Status.Stun",NewTagName="State.Stunned")
// Other keys are the engine's own business and passed over.
#ifndef KNI_INI_H
#define KNI_INI_H

#include "loader.h"

// Registers the tags and redirects of a file, whose name is the source of its tags.
void kni_ini_read(kni_loader *loader, const char *file, const char *text, size_t size);

#endif
