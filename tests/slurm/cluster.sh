# cluster.sh PROGRAM: brings up a Slurm cluster for that test program and ends
# it; 77 where there is none to be had. SLURM_SLOW=yes adds the test of a time
# limit, which takes two minutes.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
cluster=$HYPERTUNE_SOURCE/scripts/slurm-cluster
SLURM_CLUSTER=$(mktemp -d /tmp/hts.XXXXXX)
SLURM_CONF=$SLURM_CLUSTER/slurm.conf
export SLURM_CLUSTER SLURM_CONF

leave() {
    "$cluster" down "$SLURM_CLUSTER"
    rm -rf "$SLURM_CLUSTER"
}
trap leave EXIT
trap 'exit 1' INT TERM

# A dead node is missed within seconds, not minutes; the partition short takes
# nodes away from main.
if ! "$cluster" up "$SLURM_CLUSTER" SlurmdTimeout=5 \
    PreemptType=preempt/partition_prio PreemptMode=CANCEL; then
    echo "skipped: no Slurm cluster can be brought up here"
    exit 77
fi
"$1"
