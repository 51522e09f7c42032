# Over TCP nobody gets in without a token, a token does what its role says and
# no more, and a restart changes neither. Plain HTTP and TLS.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# listen FLAG...: starts the service on a port of the system's choice.
listen() {
    : >service.log
    hypertuned --listen 127.0.0.1:0 "$@" >>service.log 2>&1 </dev/null &
    service=$!
    until_true "the service" grep -q event=ready service.log
    url=$(sed -n 's/.*event=listening url=//p' service.log)
}

# as TOKEN COMMAND...: asks the service over TCP.
as() {
    token=$1
    shift
    HYPERTUNE_TOKEN=$token HYPERTUNE_SERVER=$url HYPERTUNE_STATE=$work/none "$@"
}

mkdir nowhere
listen
same "mode of the owner's token" "$(stat -c %a "$state/token")" 600
owner=$(cat "$state/token")
status 4 as '' hypertune list
has err 'HYPERTUNE_TOKEN'
status 4 as ht_wrong hypertune list
has err 'not known here'
status 0 as "$owner" hypertune list
status 0 hypertune list --server "$url" # this machine's: by the file
status 0 hypertune list --server "http://localhost:${url##*:}"

status 0 hypertune token new eve --role reader
reader=$(cat out)
same "lines that token prints" "$(wc -l <out)" 1
status 0 as "$owner" hypertune token new bob --role submitter --days 7
submitter=$(cat out)
status 4 hypertune token new eve --role reader
has err 'eve already'
status 2 hypertune token new x --role king
has err 'reader, submitter or admin'
status 2 hypertune token new '7 of 9' --role reader
has err 'no name for a token'
status 2 hypertune token new x
has err -- '--role'
status 0 hypertune token list --format csv
same "tokens" "$(column name <out | tr '\n' ' ')" 'bob eve '
hasnt out 'ht_'

script train.sh <<'EOF'
hypertune report accuracy=0.5
env >"$WORK/trial-environment"
EOF
study mine <<'EOF'
trials: 2
EOF
status 4 as "$reader" hypertune submit mine.yaml
has err "a reader's, and this wants a submitter's"
status 0 as "$submitter" hypertune submit mine.yaml
status 0 timeout 100 env HYPERTUNE_TOKEN="$reader" hypertune watch mine \
    --server "$url"
status 0 as "$reader" hypertune best mine
status 4 as "$submitter" hypertune delete mine --yes
has err "an admin's"
status 4 as "$submitter" hypertune token list
grep -rqF "$owner" trial-environment && fail "a job was told the owner's token"

# What is kept is no token, and what is logged is none either.
for secret in "$owner" "$reader" "$submitter"; do
    grep -qF "$secret" service.log && fail "a token is in the log"
    grep -qF "$secret" "$state"/hypertune.db* && fail "a token is in the store"
done
has service.log 'event=bad_login address=127\.0\.0\.1'
service_end

# After a restart; then its token is taken back.
listen
same "the owner's token" "$(cat "$state/token")" "$owner"
status 0 as "$reader" hypertune list
status 0 hypertune token delete eve
status 1 hypertune token delete eve
status 4 as "$reader" hypertune list
service_end

# TLS, with a certificate of its own.
if command -v openssl >/dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
        -keyout key.pem -out cert.pem -days 2 -subj /CN=here \
        -addext subjectAltName=IP:127.0.0.1 2>openssl.log ||
        fail "openssl: $(cat openssl.log)"
    listen --tls-cert cert.pem --tls-key key.pem
    status 4 as "$submitter" hypertune list
    has err 'certificate'
    status 0 as "$submitter" hypertune list --ca cert.pem
    HYPERTUNE_CA=$work/cert.pem
    export HYPERTUNE_CA
    status 0 hypertune list --server "$url"
    status 4 as "$submitter" hypertune list --server "http://${url#https://}"
    service_end
fi
