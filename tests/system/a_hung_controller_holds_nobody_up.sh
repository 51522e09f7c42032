# Fifty trials on Slurm whose controller hangs, so that its commands take ten
# seconds to fail: everybody is answered at once all the time, no trial is taken
# for dead, and all of them succeed at their first attempt, though the service is
# killed meanwhile. And a node that dies while the service is dead too.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
cluster=$HYPERTUNE_SOURCE/scripts/slurm-cluster
undo='"$cluster" down "$work/c"'
"$cluster" up "$work/c" || exit 77
SLURM_CONF=$work/c/slurm.conf
export SLURM_CONF

script train.sh <<'END'
echo "$HYPERTUNE_TRIAL" >>"$WORK/starts"
while ! [ -e "$WORK/go" ]; do sleep 0.2; done
hypertune report accuracy=0.5
END
study fifty <<'END'
trials: 50
parallel: 50
launcher: slurm
END
service_start
status 0 hypertune submit fifty.yaml
until_true "twelve trials" lines starts 12
waits() {
    hypertune why fifty | grep -q "Slurm's queue"
}
until_true "a word of what waits" waits

"$cluster" kill "$work/c" controller STOP
# No answer may take longer than half of what a command of Slurm does, and most
# take less than a second.
begin=$(date +%s)
asked=0
while [ $(($(date +%s) - begin)) -lt 24 ]; do
    timeout 5 hypertune list >out || fail "the service did not answer"
    timeout 5 hypertune show fifty >out || fail "the service did not answer"
    asked=$((asked + 2))
    sleep 0.2
done
[ $asked -ge 24 ] || fail "only $asked answers in 24 s"
status 0 hypertune why fifty
has out 'does not answer'
for bad in FAILED STOPPED INFEASIBLE; do
    same "trials that are $bad" "$(count fifty $bad)" 0
done
kill -9 "$service"
wait "$service" || true
service_start
status 0 hypertune why fifty
has out '50 of 50 places are taken'
"$cluster" kill "$work/c" controller CONT
touch go
over() {
    [ "$(count fifty SUCCEEDED)" = 50 ]
}
until_true "the end of all trials" over
same "starts" "$(sort -u starts | wc -l) of $(wc -l <starts)" "50 of 50"

rm go starts
sed 's/fifty/fallen/; s/50/3/' fifty.yaml >fallen.yaml
status 0 hypertune submit fallen.yaml
until_true "three trials" lines starts 3
node=$(squeue -h -t R -o %B | head -n 1)
n=$(squeue -h -t R -o %B | grep -cx "$node")
kill -9 "$service"
wait "$service" || true
"$cluster" kill "$work/c" "$node"
service_start
again() {
    lines starts $((3 + n))
}
until_true "the trials of the dead node to begin again" again
touch go
fallen_over() {
    [ "$(count fallen SUCCEEDED)" = 3 ]
}
until_true "the end of all three" fallen_over
same "starts" "$(wc -l <starts)" $((3 + n))
trial=$(sort starts | uniq -d | head -n 1)
status 0 hypertune why fallen "$trial"
has out "^attempt 1 ended: lost, class node, on $node"
service_end
