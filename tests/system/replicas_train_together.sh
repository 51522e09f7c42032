# The example of replicas: a master, two workers and a parameter server find
# what one process finds, and if one of them dies the others end too.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
examples=$HYPERTUNE_BUILD/examples
[ -x "$examples/replicas/train" ] || fail "no trainer in $examples/replicas"
mkdir examples
cp -r "$examples/digits" "$examples/replicas" examples
cd examples/replicas

# few FILE: the same study with three trials.
few() {
    sed 's/^trials:.*/trials: 3/; s/axTrialCount:.*/axTrialCount: 3/
         s/maxTrials:.*/maxTrials: 3/' "$1" >few.yaml
}

# together STUDY: each trial of it had all four.
together() {
    same "trials of $1 that succeeded" "$(count "$1" SUCCEEDED)" 3
    for replica in worker-0 worker-1 ps-0; do
        for trial in 1 2 3; do
            [ -e "$state/trials/$1/$trial/1/$replica/stderr.log" ] ||
                fail "trial $trial of $1 had no $replica"
        done
    done
}

few vertex.yaml
status 0 timeout 300 hypertune run few.yaml
together digits-replicas-vertex
few ai-platform.yaml
status 0 timeout 300 hypertune run few.yaml
together digits_replicas_ai_platform
few study.yaml
status 0 timeout 300 hypertune run few.yaml
together digits-replicas

# What each of them is given can be looked at.
status 0 hypertune validate study.yaml --argv --replica worker-1
has out 'CLUSTER_SPEC=.*"type":"worker","index":1'
status 2 hypertune validate study.yaml --argv --replica worker-2
has err 'has only master-0, worker-0, worker-1, ps-0'

# One process takes the same steps; only the order of sums differs.
hypertune best last --format csv >best.csv
for name in learning_rate momentum weight_decay batch; do
    echo "--$name=$(column $name <best.csv)"
done >words
# shellcheck disable=SC2046 # words
env -u CLUSTER_SPEC ./train --data ../digits/digits.csv $(cat words) >alone
column value <best.csv | awk -v alone="$(tail -n 1 alone | cut -d' ' -f4)" '
    { exit !($1 > 0.5 && alone - $1 < 0.02 && $1 - alone < 0.02) }' ||
    fail "alone: $(tail -n 1 alone), together: $(cat best.csv)"

# The pids of the replicas that are told this role.
replicas() {
    for pid in $(mine); do
        if tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
            grep -q "^CLUSTER_SPEC=.*\"type\":\"$1\"" &&
            [ "$(basename "$(readlink "/proc/$pid/exe")")" = train ]; then
            echo "$pid"
        fi
    done
}
reports() {
    hypertune trial long 1 | grep -q '^report'
}
all_gone() {
    [ -z "$(replicas master)$(replicas worker)$(replicas ps)" ]
}

# A worker that dies takes its trial with it, and nothing hangs.
service_start
sed 's/^study:.*/study: long/; s/^trials:.*/trials: 1/
     s/{args}/--epochs 1000000 {args}/' study.yaml >long.yaml
echo 'retries: 0' >>long.yaml
status 0 hypertune submit long.yaml
until_true "reports of the long trial" reports
same "workers" "$(replicas worker | wc -l)" 2
hypertune pause long >/dev/null
# shellcheck disable=SC2046 # one number
kill -9 $(replicas worker | head -n 1)
until_true "the end of the trial" sh -c "hypertune trial long 1 | grep -q FAILED"
until_true "the end of every replica" all_gone
service_end
