/* Routes about studies. docs/api.md is the contract. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_STUDIES_H
#define FACE_API_STUDIES_H

#include "face/call.h"

call_fn api_studies_submit;
call_fn api_studies_list;
call_fn api_studies_show;
call_fn api_studies_delete;
call_fn api_studies_pause;
call_fn api_studies_resume;
call_fn api_studies_cancel;
call_fn api_studies_retry;
call_fn api_studies_why;

#endif
