# A trial reports over HTTP with the token of its attempt. That token does
# nothing else, is written nowhere, outlives a restart and ends with its attempt.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

command -v curl >/dev/null || exit 77

# listen ADDRESS FLAG...: starts the service there.
listen() {
    : >service.log
    hypertuned --listen "$@" >>service.log 2>&1 </dev/null &
    service=$!
    until_true "the service" grep -q event=ready service.log
    url=$(sed -n 's/.*event=listening url=//p' service.log)
}

# asked CODE TOKEN METHOD PATH [BODY]: what it answers goes to `out`.
asked() {
    got=$(curl -s -o out -w '%{http_code}' -X "$3" ${5:+-d "$5"} \
        -H "Authorization: Bearer $2" "$url/api/studies$4")
    [ "$got" = "$1" ] || fail "$3 $4 was answered $got, not $1"
}

# Reports, waits to be let go, reports again.
script train.sh <<'EOF2'
report() {
    curl -sSf -d "{\"metric\": \"accuracy\", \"value\": 0.$1$HYPERTUNE_TRIAL,
        \"step\": $1}" -H "Authorization: Bearer $HYPERTUNE_REPORT_TOKEN" \
        "$HYPERTUNE_SERVER/api/studies/$HYPERTUNE_STUDY/trials/$HYPERTUNE_TRIAL:report"
}
report 1 || exit 1
echo "$HYPERTUNE_REPORT_TOKEN" >"$WORK/token-$HYPERTUNE_TRIAL"
until [ -e "$WORK/go" ]; do sleep 0.1; done
report 2
EOF2
study mine <<'EOF2'
trials: 2
parallel: 2
EOF2

listen 127.0.0.1:0
status 0 hypertune submit mine.yaml
until_true "the first report" [ -s token-1 ]
until_true "the second trial's" [ -s token-2 ]
first=$(cat token-1)
second=$(cat token-2)
body='{"metric": "loss", "value": 7}'
asked 200 "$first" POST /mine/trials/1:report "$body"
asked 400 "$first" POST /mine/trials/1:report '{"metric": "loss"}'
asked 403 "$first" POST /mine/trials/2:report "$body"
has out 'nothing but report for trial 1'
asked 403 "$first" GET /mine/trials/1
asked 403 "$first" GET ''
asked 403 "$first" POST /mine/trials/1:stop '{}'
asked 403 "$first" POST /mine:cancel '{}'
asked 401 "${second%?}_" POST /mine/trials/2:report "$body"

# It is told to its trial, and written nowhere.
has "$state/trials/mine/1/1/job.json" 'HYPERTUNE_REPORT_TOKEN=\*\*\*'
has "$state/trials/mine/1/1/job.json" "HYPERTUNE_SERVER=$url"
if grep -rqF -e "$first" -e "$second" "$state" service.log; then
    fail "a token is written down: $(grep -rlF "$first" "$state")"
fi

# Killed and begun again, the service knows the tokens that are out.
kill -9 "$service"
wait "$service" || true
listen "${url#http://}"
asked 200 "$second" POST /mine/trials/2:report "$body"
touch go
status 0 timeout 100 hypertune watch mine
same "what came over HTTP" \
    "$(hypertune trials mine --format csv | column value | sort | tr '\n' ' ')" \
    '0.21 0.22 '
asked 401 "$first" POST /mine/trials/1:report "$body"
has out 'attempt 1 of trial 1 is over'
service_end

# An address for trials elsewhere; and none where nothing listens.
script train.sh <<'EOF2'
env >"$WORK/environment-$HYPERTUNE_STUDY"
hypertune report accuracy=0.5
EOF2
study far <<'EOF2'
trials: 1
EOF2
listen 127.0.0.1:0 --report-url https://tune.example.org/here/
status 0 timeout 100 hypertune run far.yaml
has environment-far '^HYPERTUNE_SERVER=https://tune\.example\.org/here$'
has environment-far '^HYPERTUNE_REPORT_TOKEN=htr_'
service_end
status 2 hypertuned --report-url https://tune.example.org
has err 'wants --listen'
status 2 hypertuned --listen 127.0.0.1:0 --report-url tune.example.org
has err 'is no URL'
study near <<'EOF2'
trials: 1
EOF2
status 0 timeout 100 hypertune run near.yaml
hasnt environment-near '^HYPERTUNE_(SERVER|REPORT_TOKEN)='
