# The digits study on a Slurm cluster of three nodes that takes eight jobs, and
# so four of ours at once; replicas that know each
# other across nodes; and what Slurm refuses is said in one sentence.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
digits=$HYPERTUNE_BUILD/examples/digits
cluster=$HYPERTUNE_SOURCE/scripts/slurm-cluster
[ -x "$digits/train" ] || fail "no trainer in $digits"
undo='"$cluster" down "$work/c"'
"$cluster" up "$work/c" MaxJobCount=8 MinJobAge=2 || exit 77
SLURM_CONF=$work/c/slurm.conf
export SLURM_CONF

cp -r "$digits" digits
{
    sed 's/^trials:.*/trials: 12/; /^parallel:/d' "$digits/study.yaml"
    echo "parallel: 12"
    echo "launcher: slurm"
    echo "slurm: {partition: main, time: 1h, options: [--nodes 1]}"
    echo "cpus: 2"
} >digits/study.yaml
status 0 hypertune run digits/study.yaml
has out 'Trial [0-9]+ SUCCEEDED accuracy=0\.[0-9]+'
hasnt out 'does not answer'
service_start
same "trials that succeeded" "$(count digits SUCCEEDED)" 12
cat "$state"/trials/digits/*/1/slurm.began | sed 's/.*node=//' | sort -u >nodes
[ "$(wc -l <nodes)" -ge 2 ] || fail "all trials were on $(cat nodes)"

script train.sh <<'END'
[ "$HYPERTUNE_TOKEN" = "" ] || echo token
echo "$RANK $WORLD_SIZE $SLURMD_NODENAME $MASTER_ADDR $CLUSTER_SPEC"
case $CLUSTER_SPEC in *'"type":"master"'*) ;; *) exec sleep 1000 ;; esac
sleep 1
hypertune report accuracy=0.5
END
study wide <<'END'
trials: 2
replicas: {worker: 2}
launcher: slurm
slurm: {options: [--ntasks-per-node=1]}
END
status 0 hypertune run wide.yaml
same "wide trials that succeeded" "$(count wide SUCCEEDED)" 2
for replica in . worker-0 worker-1; do
    cat "$state/trials/wide/1/1/$replica/stdout.log"
done >ranks
same "ranks" "$(cut -d' ' -f1,2 ranks | tr '\n' ' ')" "0 3 1 3 2 3 "
same "nodes of one trial" "$(cut -d' ' -f3 ranks | sort -u | wc -l)" 3
same "masters" "$(cut -d' ' -f4 ranks | sort -u)" \
    "$(head -n 1 ranks | cut -d' ' -f3)"
hasnt ranks '\{host'
spec=$(head -n 1 ranks | sed 's/.*"cluster"://; s/,"task".*//')
same "replicas with that cluster" "$(grep -cF "$spec" ranks)" 3

# A partition that is not there pauses the study before a second trial fails.
study wrong <<'END'
trials: 20
launcher: slurm
slurm: {partition: nowhere}
END
hypertune run wrong.yaml >wrong.out 2>&1 </dev/null &
run=$!
paused() {
    hypertune show wrong | grep -q PAUSED
}
until_true "the study to be paused" paused
status 0 hypertune why wrong
has out 'invalid partition.*nowhere'
same "starts of a wrong study" \
    "$(find "$state/trials/wrong" -name slurm.began | wc -l)" 0
status 0 hypertune cancel wrong
wait $run || true
service_end
