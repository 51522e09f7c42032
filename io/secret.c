/* Secrets, by OpenSSL's SHA-256. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/secret.h"

#include <assert.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <string.h>
#include <sys/random.h>

static void print_hex(const unsigned char bytes[SHA256_DIGEST_LENGTH],
                      char out[SECRET_TEXT])
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < SHA256_DIGEST_LENGTH; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[SECRET_TEXT - 1] = 0;
}

int secret_make(char out[SECRET_TEXT], struct err *e)
{
    unsigned char bytes[SHA256_DIGEST_LENGTH];

    /* Up to 256 bytes come whole, or not at all. */
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return err_errno(e, errno, "the system gives no random bits");
    print_hex(bytes, out);
    OPENSSL_cleanse(bytes, sizeof bytes);
    return 0;
}

void secret_hash(const char *text, char out[SECRET_TEXT])
{
    unsigned char bytes[SHA256_DIGEST_LENGTH];

    SHA256((const unsigned char *)text, strlen(text), bytes);
    print_hex(bytes, out);
}

void secret_sign(const char *key, const char *text, char out[SECRET_TEXT])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int n = 0;
    const unsigned char *made =
        HMAC(EVP_sha256(), key, (int)strlen(key), (const unsigned char *)text,
             strlen(text), bytes, &n);

    assert(made && n == SHA256_DIGEST_LENGTH);
    print_hex(bytes, out);
}

bool secret_same(const char *a, const char *b)
{
    size_t n = strlen(a);

    return strlen(b) == n && CRYPTO_memcmp(a, b, n) == 0;
}
