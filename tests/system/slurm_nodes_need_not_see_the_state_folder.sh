# The nodes of the cluster do not see the service's state folder: couriers carry
# the reports. The service is killed while trials report and is away while some
# end: every report counts once, the best is right, and what was printed is there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
cluster=$HYPERTUNE_SOURCE/scripts/slurm-cluster
unshare --mount true 2>/dev/null || exit 77
name=apart-$(echo "${work##*.}" | tr '[:upper:]' '[:lower:]')
undo='"$cluster" down "$work/c"; rm -rf "/tmp/hypertune-$name-"*'
"$cluster" up "$work/c" || exit 77
SLURM_CONF=$work/c/slurm.conf
export SLURM_CONF

# Nothing of it is seen on the nodes, and nothing can be written there.
mkdir -m 700 "$state"
while read -r node; do
    read -r pid rest <"$work/c/run/$node"
    nsenter --mount="/proc/$pid/ns/mnt" \
        mount -t tmpfs -o ro,mode=000 nothing "$state" || exit 77
done <"$work/c/nodes"

listen() {
    : >service.log
    hypertuned --listen "$1" >>service.log 2>&1 </dev/null &
    service=$!
    until_true "the service" grep -q event=ready service.log
    address=$(sed -n 's/.*event=listening url=http:\/\///p' service.log)
}

# apart NAME: a study that shares nothing; more lines come from stdin.
apart() {
    study "$1" <<END
launcher: slurm
slurm: {shared: false}
$(cat)
END
}

script train.sh <<'END'
case $HYPERTUNE_REPORT_FILE in "${TMPDIR:-/tmp}"/hypertune-*) ;; *) exit 9 ;; esac
[ ! -e "$WORK/state/hypertune.db" ] || exit 8
echo "hello from trial $HYPERTUNE_TRIAL: $1"
step=0
while [ $step -lt 60 ]; do
    step=$((step + 1))
    hypertune report accuracy=0.$HYPERTUNE_TRIAL$step loss=$step --step $step
    [ $step != 20 ] || touch "$WORK/half.$HYPERTUNE_TRIAL"
    sleep 0.05
done
touch "$WORK/done.$HYPERTUNE_TRIAL"
exit 0
END

# Who cannot report is not begun.
apart "$name-0" </dev/null
service_start
status 0 hypertune submit "$name-0.yaml"
paused() {
    hypertune show "$name-0" | grep -q PAUSED
}
until_true "the study to be paused" paused
status 0 hypertune why "$name-0"
has out 'hypertuned with --listen'
status 0 hypertune cancel "$name-0"
service_end

# Killed while they report, and away while they end.
apart "$name-1" <<'END'
trials: 4
parallel: 4
END
listen 127.0.0.1:0
status 0 hypertune submit "$name-1.yaml"
for i in 1 2 3 4; do
    until_true "the middle of trial $i" [ -e "half.$i" ]
done
kill -9 "$service"
wait "$service" || true
for i in 1 2 3 4; do
    until_true "the end of trial $i" [ -e "done.$i" ]
done
sleep 1
same "jobs that wait for the service" "$(squeue -h -t R | wc -l)" 4
listen "$address"
status 0 timeout 200 hypertune watch "$name-1"
same "trials that succeeded" "$(count "$name-1" SUCCEEDED)" 4
same "attempts" "$(hypertune trials "$name-1" --format csv | column attempt |
    sort -u)" 1
for i in 1 2 3 4; do
    hypertune trial "$name-1" $i --format json | tr -d ' \n' |
        sed 's/.*"measurements"//' | tr ',{}' '\n\n\n' |
        sed -n 's/^"step"://p' | sort -n | uniq -c |
        sed 's/^ *\([0-9]*\) .*/\1/' | sort | uniq -c | tr -s ' ' >twice
    same "steps of trial $i, and reports of each" "$(cat twice)" " 60 2"
    status 0 hypertune logs "$name-1" $i
    has out "^hello from trial $i: --x="
done
hypertune best "$name-1" --format csv | column number >out
same "the best trial" "$(cat out)" 4
same "its value" "$(hypertune best "$name-1" --format csv | column value)" 0.46

# It is stopped by a person, and what it reported is kept.
script train.sh <<'END'
hypertune report accuracy=0.5
echo "$HYPERTUNE_TRIAL" >>"$WORK/begun"
exec sleep 1000
END
apart "$name-2" <<'END'
trials: 20
parallel: 20
END
status 0 hypertune submit "$name-2.yaml"
until_true "twelve trials" lines begun 12
first=$(head -n 1 begun)
status 0 hypertune stop "$name-2" "$first"
stopped() {
    [ "$(count "$name-2" STOPPED)" -ge 1 ]
}
until_true "the end of the stopped trial" stopped
hypertune trial "$name-2" "$first" >out
has out '0\.5'
kill -9 "$service"
wait "$service" || true
listen "$address"
status 0 hypertune cancel "$name-2"
gone() {
    [ -z "$(squeue -h)" ]
}
until_true "the end of all jobs, also of those that waited" gone
until_true "the end of the study" sh -c "hypertune show $name-2 | grep -q CANCELLED"

# What is missing on a node is said.
apart "$name-3" <<'END'
trials: 1
retries: 0
END
sed -i 's,shared: false,shared: false\, courier: /nowhere/hypertune,' \
    "$name-3.yaml"
hypertune run "$name-3.yaml" >run.out 2>&1 </dev/null || true
hypertune why "$name-3" 1 >out
has out 'no program hypertune'
apart "$name-4" <<'END'
trials: 1
retries: 0
workdir: /nowhere/at/all
END
hypertune run "$name-4.yaml" >run.out 2>&1 </dev/null || true
hypertune why "$name-4" 1 >out
has out 'cannot enter the folder /nowhere/at/all'
service_end
