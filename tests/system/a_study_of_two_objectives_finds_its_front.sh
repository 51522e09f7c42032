# Several objectives: trials report a value of each, the service is killed in the
# middle, and at the end stand the trials that no other beats.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# Both are better at a smaller cost below 3 and pull apart above it.
script train.sh <<'EOF'
echo "$HYPERTUNE_TRIAL" >>"$WORK/starts"
x=${1#--x=}
if [ "$HYPERTUNE_TRIAL" -ge 6 ]; then
    while ! [ -e "$WORK/go" ]; do sleep 0.1; done
fi
hypertune report "accuracy=$(awk "BEGIN {print 1 - ($x - 4) ^ 2 / 25}")"
hypertune report "latency_ms=$(awk "BEGIN {print 5 + ($x - 2) ^ 2}")"
EOF
cat >two.yaml <<'EOF'
study: two
objectives: {accuracy: max, latency_ms: min}
params: {x: 0.0 .. 9.0}
run: ./train.sh
trials: 12
parallel: 2
grace: 1s
EOF
hypertune run two.yaml >first.out 2>&1 </dev/null &
run=$!
until_true "two trials in the middle" lines starts 7
kill -9 "$(services)"
until_true "run to find a service again" answers
kill -9 $run
kill -9 $(services) 2>/dev/null || true
wait $run || true
until_true "the end of the service" no_service
touch go
status 0 hypertune run two.yaml
has out 'Best: [0-9]+ trials that no other beats'
has out '  trial [0-9]+  accuracy=[0-9.]+ latency_ms=[0-9.]+  x='

same "number of starts" "$(wc -l <starts)" 12
same "trials started" "$(sort -n starts | tr '\n' ' ')" \
    "1 2 3 4 5 6 7 8 9 10 11 12 "
same "trials that succeeded" "$(count two SUCCEEDED)" 12

# The front as awk finds it, of all that was stored.
hypertune trials two --format csv >all.csv
column number <all.csv >n
column values.accuracy <all.csv >a
column values.latency_ms <all.csv >l
paste -d' ' n a l | sort -n >points
awk '{n[NR] = $1; a[NR] = $2; l[NR] = $3}
    END {
        for (i = 1; i <= NR; i++) {
            on = 1
            for (k = 1; k <= NR; k++)
                if (a[k] >= a[i] && l[k] <= l[i] && (a[k] > a[i] || l[k] < l[i]))
                    on = 0
            if (on) print n[i]
        }
    }' points | sort -n >wanted
lines wanted 2 || fail "the front has less than two trials"
hypertune best two --format csv | column number | sort -n >got
same "the front" "$(cat got)" "$(cat wanted)"
status 0 hypertune best two
has out 'accuracy +latency_ms +x'
status 0 hypertune best two --count 1 --format csv
same "lines" "$(wc -l <out)" 2
status 0 hypertune best two --format json
has out '"latency_ms": '
status 0 hypertune show two
has out 'goal +maximize accuracy, minimize latency_ms'
has out 'best +trial [0-9]+  accuracy='
status 0 hypertune show two --format json
has out '"front": \['
status 0 hypertune trial two 1
has out 'latency_ms +[0-9]'

# It searches better than chance: most of the later trials lie between 2 and 4.
column x <all.csv | tail -n 4 >late
[ "$(awk '$1 > 1.5 && $1 < 4.5' late | wc -l)" -ge 3 ] ||
    fail "the last trials are elsewhere: $(cat late)"

# What was found elsewhere needs all values, and counts.
service_start
sed 's/study: two/study: again/; /^run:/d; /^grace/d' two.yaml >again.yaml
status 0 hypertune submit again.yaml
hypertune export two >all.export
status 0 hypertune import again all.export
status 0 hypertune best again --format csv
same "the front of what was put in" "$(($(wc -l <out) - 1))" \
    "$(wc -l <wanted)"
status 2 hypertune tell again accuracy=0.5 --params x=3
has err 'no value of latency_ms'
status 0 hypertune tell again accuracy=0.5 latency_ms=0.1 --params x=3
status 0 hypertune best again --format csv
has out '^13,'

# A trial that lacks an objective gives no result, and says which.
script train.sh <<'EOF'
hypertune report accuracy=0.5
EOF
sed 's/study: two/study: half/; s/trials: 12/trials: 1/' two.yaml >half.yaml
status 1 hypertune run half.yaml
has out 'INFEASIBLE .*never reported latency_ms; it reported accuracy'

# Nobody launches anything: the others are reported, the result is told.
sed 's/study: two/study: asked/; /^run:/d; /^grace/d' two.yaml >asked.yaml
status 0 hypertune submit asked.yaml
status 0 hypertune ask asked
status 2 hypertune tell asked 1 accuracy=0.5
has err 'no measurement of latency_ms'
status 0 hypertune tell asked 1 accuracy=0.5 latency_ms=7
status 0 hypertune best asked --format csv
has out ',0\.5,7\.?0*,'

# What only one objective has is refused by name, and the file comes back as it
# was.
status 0 hypertune validate two.yaml --print
has out '^objectives: \{accuracy: max, latency_ms: min\}$'
echo "target: 1" >>two.yaml
status 2 hypertune validate two.yaml
has err 'target is for studies of one objective'
service_end
