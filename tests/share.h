// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tests of very many cases try one of `n` of them where sanitizers and checks of the whole world
// make each twenty times as expensive, or where nothing is optimised, and all of them elsewhere.
#ifndef SHARE_H
#define SHARE_H

#if defined(KN_VALIDATE) || (defined(__GNUC__) && !defined(__OPTIMIZE__))
#define SHARE(n) (n)
#else
#define SHARE(n) 1
#endif

#endif
