# kill -9 of the service: its trials run on, are found again, and none is lost
# or run twice.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "$HYPERTUNE_TRIAL $HYPERTUNE_ATTEMPT $$" >>"$WORK/starts"
while ! [ -e "$WORK/go" ]; do sleep 0.1; done
hypertune report accuracy=0.5
END
study killed <<'END'
trials: 6
parallel: 2
END

hypertune run killed.yaml >first.out 2>&1 </dev/null &
run=$!
until_true "two trials" lines starts 2
cp starts before
service=$(services)
same "number of services" "$(echo "$service" | wc -l)" 1

# live_on WHEN: the trainers that were there are there, and no others.
live_on() {
    while read -r _ _ pid; do
        kill -0 "$pid" || fail "trainer $pid ended $1"
    done <before
    cmp before starts || fail "something was started $1"
}

# The service alone: run brings another one.
kill -9 "$service"
until_true "run to find a service again" answers
live_on "after the service was killed"

# Both.
kill -9 $run
kill -9 $(services) || true
wait $run || true
until_true "the end of the service" no_service
live_on "after run and its service were killed"

hypertune run killed.yaml >out 2>err </dev/null &
run=$!
until_true "the new service" answers
sleep 0.5
live_on "after the restart"
touch go
wait $run || fail "the second run ended with $?"

same "number of starts" "$(wc -l <starts)" 6
same "trials started" "$(cut -d' ' -f1 starts | sort -n | tr '\n' ' ')" \
    "1 2 3 4 5 6 "
same "attempts" "$(cut -d' ' -f2 starts | sort -u)" 1
service_start
same "trials that succeeded" "$(count killed SUCCEEDED)" 6
service_end
