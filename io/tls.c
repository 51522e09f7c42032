/* TLS for the TCP listeners, by OpenSSL and libevent's buffers over it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/tls.h"

#include <event2/bufferevent.h>
#include <event2/bufferevent_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdlib.h>

#include "base/mem.h"

struct tls {
    SSL_CTX *context;
};

/* Says what OpenSSL says about the file. */
static int wrong(const char *what, const char *path, struct err *e)
{
    char why[200] = "it cannot be used";
    unsigned long code = ERR_peek_last_error();

    if (code)
        ERR_error_string_n(code, why, sizeof why);
    ERR_clear_error();
    return err_set(e, ERR_INVALID, "the %s %s cannot be read: %s", what, path,
                   why);
}

/* A key with a passphrase is refused, not asked for on the terminal. */
static int no_passphrase(char *out, int size, int writing, void *ctx)
{
    (void)writing;
    (void)ctx;
    if (size > 0)
        *out = 0;
    return 0;
}

static int load(SSL_CTX *c, const char *certificate, const char *key,
                struct err *e)
{
    SSL_CTX_set_min_proto_version(c, TLS1_2_VERSION);
    SSL_CTX_set_options(c, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                               SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(c, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_default_passwd_cb(c, no_passphrase);
    if (SSL_CTX_use_certificate_chain_file(c, certificate) != 1)
        return wrong("certificate", certificate, e);
    if (SSL_CTX_use_PrivateKey_file(c, key, SSL_FILETYPE_PEM) != 1)
        return wrong("key", key, e);
    if (SSL_CTX_check_private_key(c) == 1)
        return 0;
    ERR_clear_error();
    return err_set(e, ERR_INVALID, "the key %s is not that of %s", key,
                   certificate);
}

int tls_open(struct tls **out, const char *certificate, const char *key,
             struct err *e)
{
    struct tls *t = mem_new(1, sizeof *t);

    *out = NULL;
    t->context = SSL_CTX_new(TLS_server_method());
    if (!t->context) {
        tls_close(t);
        return err_set(e, ERR_IO, "OpenSSL does not start");
    }
    if (load(t->context, certificate, key, e)) {
        tls_close(t);
        return -1;
    }
    *out = t;
    return 0;
}

void tls_close(struct tls *t)
{
    if (!t)
        return;
    SSL_CTX_free(t->context);
    free(t);
}

struct bufferevent *tls_accept(struct tls *t, struct event_base *base)
{
    SSL *ssl = SSL_new(t->context);
    struct bufferevent *b;

    if (!ssl)
        return NULL;
    b = bufferevent_openssl_socket_new(base, -1, ssl, BUFFEREVENT_SSL_ACCEPTING,
                                       BEV_OPT_CLOSE_ON_FREE);
    if (b)
        bufferevent_openssl_set_allow_dirty_shutdown(b, 1);
    return b;
}
