# A Slurm cluster with accounts: what a quota keeps out waits with the service
# and goes in as others leave; a job that ended while the service was down, and
# that the queue has forgotten, is told of by the accounts alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
cluster=$HYPERTUNE_SOURCE/scripts/slurm-cluster
undo='"$cluster" down "$work/c"'
"$cluster" up "$work/c" JobCompType=jobcomp/none MinJobAge=2 \
    AccountingStorageType=accounting_storage/slurmdbd \
    AccountingStorageEnforce=limits || exit 77
SLURM_CONF=$work/c/slurm.conf
export SLURM_CONF
service_start

# Three of ten at once; a refusal costs seconds, and does not add up.
sacctmgr -Q -i modify user "$(id -un)" set maxsubmitjobs=3 >/dev/null
script train.sh <<'END'
echo "$HYPERTUNE_TRIAL $HYPERTUNE_ATTEMPT" >>"$WORK/starts"
sleep 2
hypertune report accuracy=0.5
END
study quota <<'END'
trials: 10
parallel: 10
launcher: slurm
END
status 0 hypertune submit quota.yaml
waits() {
    hypertune why quota | grep -q "takes no more jobs now: AssocMaxSubmitJobLimit"
}
until_true "a word of the quota" waits
over() {
    [ "$(count quota SUCCEEDED)" = 10 ]
}
until_true "the end of ten trials" over
same "starts" "$(sort -u starts | wc -l) of $(wc -l <starts)" "10 of 10"
accounted() {
    [ "$(sacct -X -n -o state | grep -c COMPLETED)" = 10 ]
}
until_true "ten jobs in the accounts" accounted
has service.log "event=slurm_full jobs=[0-9]+ wait_ms=2000 "
hasnt service.log 'event=slurm_full .*wait_ms=[0-9]{5}'


# Cancelled by a person while nobody watches: that it ended by a signal is all
# that its script can say.
script train.sh <<'END'
touch "$WORK/slow.$HYPERTUNE_TRIAL"
exec sleep 1000
END
study slow <<'END'
trials: 1
launcher: slurm
END
status 0 hypertune submit slow.yaml
began() {
    [ -e slow.1 ]
}
until_true "the slow trial" began
kill -9 "$service"
wait "$service" || true
scancel "$(squeue -h -o %i)"
forgotten() {
    [ -z "$(squeue -h -t all -o %i)" ] && sacct -X -n -o state | grep -q CANCEL
}
until_true "the queue to forget it" forgotten
service_start
stopped() {
    [ "$(count slow STOPPED)" = 1 ]
}
until_true "the cancelled trial to be stopped" stopped
status 0 hypertune why slow 1
has out 'ended by a person'
service_end
