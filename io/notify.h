/* Tells whoever started us how we are, as systemd wants it of Type=notify. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_NOTIFY_H
#define IO_NOTIFY_H

/* Remembers $NOTIFY_SOCKET and takes it out of the environment, which jobs
 * inherit. Without it notify does nothing. */
void notify_begin(void);
/* "READY=1", "STOPPING=1", lines of them. What cannot be sent is lost. */
void notify(const char *state);

#endif
