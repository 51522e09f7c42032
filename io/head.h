/* What a request's headers must not leave open: two readers of the same bytes,
 * such as a proxy and this service, must agree on where it ends, whom it asks
 * and who sends it. evhttp is not as strict. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_HEAD_H
#define IO_HEAD_H

struct evkeyvalq; /* libevent's */

/* The sentence that says what is wrong with them, or NULL. */
const char *head_fault(const struct evkeyvalq *headers);

#endif
