# Every trial has GPUs of its own, also after a crash of the service; and each
# replica's output is there by its name.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# Two GPUs, as a pretended NVML has them.
mkdir nvml
ln -s "$HYPERTUNE_BUILD/tests/trials/libpretended-nvml.so" \
    nvml/libnvidia-ml.so.1
LD_LIBRARY_PATH=$work/nvml
PRETENDED_GPUS=2
PRETENDED_USED=$work/used
export LD_LIBRARY_PATH PRETENDED_GPUS PRETENDED_USED

cat >job <<'END'
#!/bin/sh
echo "$CUDA_VISIBLE_DEVICES"
# nobody else has it
mkdir "$WORK/held-$CUDA_VISIBLE_DEVICES" || exit 9
until [ -e "$WORK/go" ]; do sleep 0.05; done
rmdir "$WORK/held-$CUDA_VISIBLE_DEVICES"
hypertune report acc=1
END
chmod +x job
cat >gpus.yaml <<END
study: gpus
maximize: acc
algorithm: random
params:
  x: 0 .. 1
run: ./job
trials: 4
parallel: 4
gpus: 1
END
both_run() {
    [ "$(ls -d held-* 2>/dev/null | wc -l)" = 2 ]
}
service_start
status 0 hypertune submit gpus.yaml
until_true "two trials" both_run
status 0 hypertune why gpus 3
has out 'needs 1 GPU, 0 are free; trial 1 of gpus holds GPU-'
# shellcheck disable=SC2046 # one process id
kill -9 $(services)
until_true "the end of the service" no_service
service_start
both_run || fail "after the crash not both have their GPU"
status 0 hypertune why gpus 3
has out 'needs 1 GPU, 0 are free; trial 1 of gpus holds GPU-'
touch go
status 0 hypertune watch gpus
status 0 hypertune show gpus
status 0 hypertune logs gpus 1
has out '^GPU-00000000-1111-2222-3333-00000000000[01]$'
status 0 hypertune trials gpus --format csv
same "trials that succeeded" "$(grep -c SUCCEEDED out)" 4

sed -e 's/^study: gpus/study: many/' -e 's/^gpus: 1/gpus: 3/' gpus.yaml >many.yaml
status 2 hypertune submit many.yaml
has err 'gpus: a trial needs 3, this machine has 2'

# GPUs of which somebody else uses the memory.
printf '0 138\n1 139\n' >used
sed -e 's/^study: gpus/study: others/' -e 's/^trials: 4/trials: 1/' \
    gpus.yaml >others.yaml
status 0 hypertune submit others.yaml
told() {
    grep -q 'study_warning.*000 has 3 GiB of 141 GiB free' service.log
}
until_true "a warning" told
status 0 hypertune why others 1
has out 'needs 1 GPU, 0 are free; GPU-[-0-9]*0 has 3 GiB of 141 GiB free.*; GPU-[-0-9]*1 has 2 GiB'
has out 'no trial of this service uses it'
rm used
status 0 hypertune watch others
same "trials that succeeded" "$(count others SUCCEEDED)" 1

# Replicas.
cat >crew <<'END'
#!/bin/sh
echo "I have rank $RANK"
[ "$RANK" != 0 ] || hypertune report acc=1
END
chmod +x crew
cat >crew.yaml <<END
study: crew
maximize: acc
algorithm: random
params:
  x: 0 .. 1
run: ./crew
trials: 1
replicas: {worker: 2}
END
status 0 hypertune run crew.yaml
status 0 hypertune logs crew 1
has out '^I have rank 0$'
status 0 hypertune logs crew 1 --replica worker-1
has out '^I have rank 2$'
status 0 hypertune logs crew 1 --replica workerpool1-0
has out '^I have rank 1$'
status 1 hypertune logs crew 1 --replica worker-2
has err 'no replica "worker-2": it has master-0, worker-0, worker-1'
status 2 hypertune logs crew 1 --replica ../x
