# After `run` has ended, and with nobody running the service, the looking verbs
# answer; they change nothing, start no trial and leave no process.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "hello from $HYPERTUNE_TRIAL"
echo "$HYPERTUNE_STUDY $HYPERTUNE_TRIAL" >>"$WORK/starts"
while [ "$HYPERTUNE_STUDY" = left ] && ! [ -e "$WORK/go" ]; do sleep 0.1; done
hypertune report accuracy=0.5
END
study done <<'END'
trials: 3
parallel: 1
END
study left <<'END'
trials: 4
parallel: 2
END

status 0 hypertune list
has err 'no studies yet in .*/state'
status 0 hypertune list --format json
same "no studies" "$(cat out)" '[]'
status 1 hypertune show last
[ ! -e state ] || fail "looking made a state folder"
long=$work/$(printf '%0120d' 0)
status 0 hypertune list --state "$long"
has err 'no studies yet in .*/000'
echo no folder >plain
status 4 hypertune list --state "$work/plain"
has err 'plain is no folder'
status 4 hypertune run done.yaml --state "$work/plain"
has err 'plain is no folder'
status 4 hypertune run done.yaml --state /proc/none
has err 'cannot be made'

# A state directory whose path is longer than a socket's may be.
status 0 hypertune run done.yaml --state "$long"
status 0 hypertune show done --state "$long"
has out SUCCEEDED

# Every look at a study of three trials that has ended.
status 0 hypertune run done.yaml
for format in table json csv yaml; do
    status 0 hypertune list --format $format
    has out done
    status 0 hypertune best last --format $format
    has out '0\.5'
    status 0 hypertune trials done --format $format
    has out SUCCEEDED
done
status 0 hypertune show last
has out SUCCEEDED
hasnt out 'no service'
status 0 hypertune trial last 2
status 0 hypertune logs last 2
same "the log" "$(cat out)" "hello from 2"
status 0 timeout 60 hypertune logs last 2 -f
status 0 hypertune why last
status 0 hypertune why last 1
status 0 hypertune export last
same "rows" "$(wc -l <out)" 4
status 1 hypertune show absent
has err absent
same "what is left of looking" "$(cd state && echo *sock*)" '*sock*'
no_service || fail "a service is left"

# To act needs a service.
for verb in pause resume cancel delete; do
    status 4 hypertune $verb done
    has err 'hypertune serve'
done
status 4 hypertune list --server "unix:$work/nowhere.sock"
has err 'no service answers'

# A study whose service was killed in the middle is as it was left.
service_start
status 0 hypertune submit left.yaml
until_true "two trials" sh -c "grep -c left starts | grep -qx 2"
until_true "both to run" sh -c \
    "hypertune trials left --format csv | grep -c RUNNING | grep -qx 2"
kill -9 "$service"
wait "$service" || true
hypertune trials left --format csv >before
for round in 1 2 3; do
    status 0 hypertune show left
    has out 'state +ACTIVE'
    has out 'no service is running it'
done
status 0 hypertune why left
has out 'hypertune serve'
status 0 hypertune why left 1
has out 'no service is running it'
status 0 hypertune best done
hypertuned --state "$state" --look-only --private-for $$ 2>look.log &
looker=$!
until_true "who looks" hypertune list --server "unix:$state/look-$$.sock"
for verb in pause resume cancel delete; do
    status 4 hypertune $verb left --server "unix:$state/look-$$.sock"
    has err 'only looks'
done
kill $looker
wait $looker || fail "who looks ended with $?"

touch go
until_true "both to have ended" sh -c \
    "[ \$(cat state/trials/left/*/1/status | grep -ac ^end=) = 2 ]"
hypertune trials left --format csv >after
cmp before after || fail "looking changed a trial"
same "trials started" "$(grep -c left starts)" 2
no_service || fail "a service is left"

# It goes on where it was, and nobody who looks is in its way.
hypertune run left.yaml >run.out 2>&1 </dev/null &
run=$!
while ! ended $run; do
    hypertune list >/dev/null || fail "a look failed beside run"
done
wait $run || fail "run ended with $?"
same "trials that succeeded" "$(count left SUCCEEDED)" 4
