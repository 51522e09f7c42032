/* Routes about tokens, for admins. docs/api.md is the contract. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_TOKENS_H
#define FACE_API_TOKENS_H

#include "face/call.h"

call_fn api_tokens_new;
call_fn api_tokens_list;
call_fn api_tokens_delete;

#endif
