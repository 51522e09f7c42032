# The service killed while its jobs wait and run on Slurm, jobs cancelled by
# hand, a controller that is away: each trial runs, and none runs twice at once.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
cluster=$HYPERTUNE_SOURCE/scripts/slurm-cluster
undo='"$cluster" down "$work/c"'
"$cluster" up "$work/c" || exit 77
SLURM_CONF=$work/c/slurm.conf
export SLURM_CONF

# Fails if another run of the same trial is under way.
script train.sh <<'END'
mkdir "$WORK/now.$HYPERTUNE_STUDY.$HYPERTUNE_TRIAL" || echo twice >>"$WORK/twice"
trap 'rmdir "$WORK/now.$HYPERTUNE_STUDY.$HYPERTUNE_TRIAL"; exit 143' TERM
echo "$HYPERTUNE_TRIAL $HYPERTUNE_ATTEMPT $HYPERTUNE_STUDY" >>"$WORK/starts"
while ! [ -e "$WORK/go" ]; do sleep 0.1; done
hypertune report accuracy=0.5
rmdir "$WORK/now.$HYPERTUNE_STUDY.$HYPERTUNE_TRIAL"
END
study many <<'END'
trials: 16
parallel: 16
launcher: slurm
END

# Twelve run and four wait.
service_start
status 0 hypertune submit many.yaml
until_true "twelve trials" lines starts 12
waits() {
    hypertune why many | grep -q "Slurm's queue"
}
until_true "a word of what waits" waits

# kill -9 with jobs on nodes and in the queue.
kill -9 "$service"
wait "$service" || true
service_start
until_true "a word of what waits, again" waits
sleep 1
same "starts after the service was killed" "$(wc -l <starts)" 12

# Killed while it submits: once more than the first time, nobody knows when.
study second <<'END'
trials: 12
parallel: 12
launcher: slurm
END
status 0 hypertune submit second.yaml
sleep 0.2
kill -9 "$service"
wait "$service" || true
service_start

# A person who cancels a job means its trial.
scancel "$(squeue -h -t R -o %i | head -n 1)"
cancelled() {
    [ "$(count many STOPPED)" = 1 ]
}
until_true "the cancelled trial to be stopped" cancelled

# The controller goes away and comes back; jobs end meanwhile.
"$cluster" kill "$work/c" controller
touch go
sleep 2
kill -9 "$service"
wait "$service" || true
service_start
"$cluster" up "$work/c"
# A controller that was killed may have lost what it knew: it gives numbers out
# again, and drains the nodes that still know them until somebody resumes them.
over() {
    drained=$(sinfo -h -t drain -o %N)
    [ -z "$drained" ] || scontrol update nodename="$drained" state=resume
    [ "$(count many SUCCEEDED)" = 15 ] && [ "$(count second SUCCEEDED)" = 12 ]
}
until_true "the end of both studies" over
same "starts" "$(sort -u starts | wc -l) of $(wc -l <starts)" "28 of 28"
[ ! -e twice ] || fail "a trial ran twice at once"
service_end

# What can never begin is explained.
service_start
study never <<'END'
trials: 1
launcher: slurm
slurm: {partition: short, time: 10m}
END
status 0 hypertune submit never.yaml
explained() {
    hypertune why never >out
    grep -q 'more time than its partition allows' out
}
until_true "why it waits" explained
status 0 hypertune cancel never
gone() {
    [ -z "$(squeue -h -t PD)" ]
}
until_true "the end of its job" gone
service_end
