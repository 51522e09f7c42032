/* Routes about trials. docs/api.md is the contract. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_TRIALS_H
#define FACE_API_TRIALS_H

#include "face/call.h"

call_fn api_trials_best;
call_fn api_trials_list;
call_fn api_trials_give;
call_fn api_trials_show;
call_fn api_trials_stop;
call_fn api_trials_report;
call_fn api_trials_tell;

#endif
