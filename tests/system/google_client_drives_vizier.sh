# Google's own Python client, with nothing but its endpoint changed, drives the
# service: every method of VizierService over its REST transport, in plain HTTP
# and, after a restart, over TLS.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/lib.sh"

python=$(sh "$HYPERTUNE_SOURCE/scripts/google-client" "$HYPERTUNE_BUILD") || {
    echo "skipped: Google's client cannot be had here" >&2
    exit 77
}

# listen FLAG...: a service on TCP; its address is in $url.
listen() {
    rm -f service.log
    hypertuned --listen 127.0.0.1:0 "$@" >service.log 2>&1 </dev/null &
    service=$!
    until_true "the service" grep -q event=ready service.log
    url=$(sed -n 's/.*event=listening url=\([^ ]*\).*/\1/p' service.log)
}

# drive [again]
drive() {
    "$python" "$HYPERTUNE_SOURCE/tests/system/google_client_drives_vizier.py" \
        "$url" "$state/token" "$@" >out 2>err </dev/null ||
        fail "the client failed"
    has out '^all is well$'
}

listen
drive
alive

# what it left behind is there for our own command line
status 0 hypertune list --format csv
has out 'kept-study'
same "trials" "$(count kept-study SUCCEEDED)" 3
service_end

# and is still there after a restart, over TLS if a certificate can be made
if command -v openssl >/dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
        -keyout key.pem -out cert.pem -days 2 -subj /CN=here \
        -addext subjectAltName=IP:127.0.0.1 2>openssl.log ||
        fail "openssl: $(cat openssl.log)"
    REQUESTS_CA_BUNDLE=$work/cert.pem
    export REQUESTS_CA_BUNDLE
    listen --tls-cert cert.pem --tls-key key.pem
else
    listen
fi
drive again
service_end
