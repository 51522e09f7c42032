# Trainers that report curves: hopeless ones are stopped, the best one is not,
# and though the service is killed in the middle no trial is lost, begun twice
# or stopped twice.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# From the seventh on every third trial is good, the ninth is the best, and the
# others are bad from the first step on, and slow. None of these goes beyond step
# 3 before `go` is there.
script train.sh <<'END'
n=$HYPERTUNE_TRIAL
trap 'echo $n >>"$WORK/asked"; exit 0' TERM
echo "$n $HYPERTUNE_ATTEMPT" >>"$WORK/starts"
level=0.$((n % 3))$n
slow=20
if [ $((n % 3)) = 0 ]; then level=0.7 && slow=1; fi
if [ "$n" = 9 ]; then level=0.99; fi
if [ "$n" -le 6 ]; then level=0.6 && slow=1; fi
step=0
while [ $step -lt 8 ]; do
    step=$((step + 1))
    hypertune report accuracy="$level" --step $step
    for moment in $(seq $slow); do sleep 0.1; done
    while [ $step = 3 ] && [ "$n" -gt 6 ] && ! [ -e "$WORK/go" ]; do
        sleep 0.1
    done
done
echo "$n" >>"$WORK/ends"
END
study curves <<'END'
stop_early: median
trials: 20
parallel: 3
END

hypertune run curves.yaml >first.out 2>&1 </dev/null &
run=$!
until_true "the first six" lines ends 6
until_true "a trial that was stopped" lines asked 2
service=$(services)
kill -9 $service
until_true "run to find a service again" answers
service=$(services)
kill -9 $run $service
wait $run || true
until_true "the end of the service" no_service
touch go
status 0 timeout 300 hypertune run curves.yaml

service_start
hypertune trials curves --format csv >trials.csv
same "trials that are lost" "$(grep -cE 'RUNNING|STOPPING|FAILED|PENDING' \
    trials.csv || true)" 0
succeeded=$(count curves SUCCEEDED)
stopped=$(count curves STOPPED)
same "trials in all" $((succeeded + stopped)) 20
[ "$stopped" -ge 4 ] || fail "only $stopped trials were stopped"
same "trials that were started" "$(sort -u starts | wc -l)" 20
same "starts" "$(wc -l <starts)" 20
same "attempts" "$(cut -d' ' -f2 starts | sort -u)" 1
same "trials that were asked twice" "$(sort asked | uniq -d)" ""
same "trials that were asked" "$(wc -l <asked)" "$stopped"
same "trials that went to their end" "$(wc -l <ends)" "$succeeded"

# The best one is among those, and every stopped one has kept its value.
status 0 hypertune best curves
has out 'accuracy=? ?0\.99|0\.99'
grep -qx 9 ends || fail "the best trial was stopped"
stop=$(sort -n asked | head -n 1)
status 0 hypertune why curves "$stop"
has out 'STOPPED \(early\): hopeless by the rule median'
has out 'it would have ended with about'
grep "^$stop," trials.csv >row || fail "trial $stop is not listed"
has row "STOPPED,early,0\.[0-9]"
status 0 hypertune show curves
has out "stopped"
service_end
