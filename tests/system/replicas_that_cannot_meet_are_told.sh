# A port that another program takes between our choice and the replica's bind, a
# worker whose program is not there, one that never comes: each trial fails or
# ends with a reason, nothing of it is left, and another attempt has other ports.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# bind.pl PORT: listens there until it is killed.
cat >bind.pl <<'END'
use Socket;
socket(my $here, PF_INET, SOCK_STREAM, 0);
bind($here, sockaddr_in($ARGV[0], inet_aton("127.0.0.1"))) && listen($here, 9)
    or die "port $ARGV[0]: $!\n";
open(my $f, ">", "$ENV{WORK}/$ARGV[1]") && close $f;
sleep 1000;
END

# no_replicas: none runs.
no_replicas() {
    for pid in $(mine); do
        ! tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
            grep -q '^HYPERTUNE_REPLICA=' || return 1
    done
}
service_start

# The worker of the first attempt binds only once its port is taken.
script train.sh <<'END'
port=$(echo "$CLUSTER_SPEC" | grep -o '"worker":\["127.0.0.1:[0-9]*' | sed 's/.*://')
case $HYPERTUNE_REPLICA in
worker-0)
    echo "$port" >>"$WORK/ports"
    until [ -e "$WORK/taken" ]; do sleep 0.05; done
    exec perl "$WORK/bind.pl" "$port" "bound.$HYPERTUNE_ATTEMPT" ;;
esac
until [ -e "$WORK/bound.$HYPERTUNE_ATTEMPT" ]; do sleep 0.05; done
until [ -e "$WORK/go" ]; do sleep 0.05; done
hypertune report accuracy=0.5
END
study taken <<'END'
trials: 1
retries: 1
replicas: {worker: 1}
END
status 0 hypertune submit taken.yaml
until_true "the worker's port" lines ports 1
perl bind.pl "$(cat ports)" taken &
stranger=$!
again() { [ -e bound.2 ]; }
until_true "the second attempt" again
status 0 hypertune why taken 1
has out '^attempt 1 ended: exit 98, class own$'
status 0 hypertune trial taken 1
has out '^attempt +1 exit 98, class own$'
status 0 hypertune logs taken 1 --attempt 1 --replica worker-0 --stderr
has out 'port [0-9]*: Address already in use'
touch go
succeeded() { [ "$(count taken SUCCEEDED)" = 1 ]; }
until_true "its end" succeeded
same "ports" "$(sort -u ports | wc -l)" 2
kill "$stranger"

# All replicas, or none: one that is not there keeps the master from it, however
# long the others take to begin.
script train.sh <<'END'
[ "$HYPERTUNE_REPLICA" = master-0 ] || exec sleep 1000
touch "$WORK/master.ran"
hypertune report accuracy=0.5
END
cat >absent.yaml <<'END'
displayName: absent
maxTrialCount: 1
parallelTrialCount: 1
studySpec:
  metrics: [{metricId: accuracy, goal: MAXIMIZE}]
  parameters: [{parameterId: x, doubleValueSpec: {minValue: 0, maxValue: 1}}]
trialJobSpec:
  workerPoolSpecs:
  - {replicaCount: 1, processSpec: {command: [./train.sh]}}
  - {replicaCount: 40, processSpec: {command: [./train.sh]}}
  - {replicaCount: 2, processSpec: {command: [./no-such-server]}}
END
got=0
timeout 60 hypertune run absent.yaml >out 2>err </dev/null || got=$?
[ "$got" != 0 ] && [ "$got" != 124 ] || fail "run ended with $got"
status 0 hypertune why absent 1
has out 'no-such-server'
[ ! -e master.ran ] || fail "the master ran without its workers"

# One that never comes: the trial's limit ends all of them.
script train.sh <<'END'
[ "$HYPERTUNE_REPLICA" = master-0 ] || exec sleep 1000
echo $$ >>"$WORK/waiting"
trap '' TERM
until [ -e "$WORK/nobody" ]; do sleep 0.1; done
END
study never <<'END'
trials: 1
trial_limit: 2s
replicas: {worker: 2}
END
timeout 60 hypertune run never.yaml >out 2>err </dev/null || true
same "masters that waited" "$(wc -l <waiting)" 1
status 0 hypertune why never 1
has out 'limit'
until_true "the end of all replicas" no_replicas
service_end
