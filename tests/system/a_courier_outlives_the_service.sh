# Where a trial runs nobody sees the service's disk: a courier carries its
# reports. The service is killed and away for a while, and the courier is killed
# too: every report counts exactly once, and its trial is asked to stop.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# listen ADDRESS: starts the service there.
listen() {
    : >service.log
    hypertuned --listen "$1" >>service.log 2>&1 </dev/null &
    service=$!
    until_true "the service" grep -q event=ready service.log
    address=$(sed -n 's/.*event=listening url=http:\/\///p' service.log)
}

# Tells where it is, and waits to be let go.
script train.sh <<'END'
env | grep ^HYPERTUNE_ >"$WORK/environment"
until [ -e "$WORK/go" ]; do sleep 0.1; done
END
study far <<'END'
trials: 1
END

# The trial's own folder: the one of the service is taken from it here.
courier() {
    (
        while IFS== read -r name value; do
            export "$name=$value"
        done <environment
        exec hypertune courier node --every 50ms
    ) >>courier.log 2>&1 </dev/null &
    courier=$!
}

# say N: so many reports in a row.
said=0
say() {
    for i in $(seq "$1"); do
        said=$((said + 1))
        echo "{\"accuracy\": \"0.$((said % 7))\", \"global_step\": \"$said\"}"
    done >>node/reports
}

# Each step once, and none twice.
arrived() {
    hypertune trial far 1 --format json | tr -d ' \n' |
        sed 's/.*"measurements"//' | tr ',{}' '\n\n\n' |
        sed -n 's/^"step"://p' >steps
    [ "$(wc -l <steps)" = "$said" ] &&
        [ "$(sort -nu steps | wc -l)" = "$said" ]
}

listen 127.0.0.1:0
status 0 hypertune submit far.yaml
until_true "the trial" [ -s environment ]
mkdir node
courier
say 5
until_true "five reports" arrived

# Killed, and away while the trial goes on.
kill -9 "$service"
wait "$service" || true
say 20
kept() {
    grep -q 'is kept and sent later' courier.log
}
until_true "the courier to miss it" kept
kill -9 "$courier"
wait "$courier" || true
say 20
courier
sleep 0.3
listen "$address"
until_true "45 reports" arrived

# Both are killed in the middle of it, again and again.
for round in 1 2 3 4; do
    say 10
    sleep 0.05
    kill -9 "$courier"
    wait "$courier" || true
    say 10
    courier
    sleep 0.1
    kill -9 "$service"
    wait "$service" || true
    listen "$address"
done
until_true "125 reports" arrived
: >node/courier.end
wait "$courier" || fail "the courier ended with $?"
arrived || fail "$(wc -l <steps) reports came of $said"

# Nothing is taken of an attempt that is over.
courier
touch go
status 0 timeout 100 hypertune watch far
arrived || fail "$(wc -l <steps) reports are kept of $said"
same "the value" "$(hypertune trials far --format csv | column value)" \
    "0.$((said % 7))"
rm node/courier.end
wait "$courier" || true
courier
wait "$courier" || fail "the courier ended with $?"
has courier.log 'attempt 1 of trial 1 is over'
[ -e node/stop ] || fail "the trial was not asked to stop"
service_end
