# A long form that is printed is a study file for the same study, and --argv
# shows what every replica would be given, of each dialect.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

cat >short.yaml <<'END'
study: short
maximize: accuracy
params: {lr: 0.0 .. 1.0 default 0.25}
run: ./train
replicas: {worker: 2, ps: {run: './server {lr}', gpus: 0}}
launcher: slurm
slurm: {partition: gpu, time: 2h, setup: [module purge, ulimit -c 0]}
END
cat >vertex.yaml <<'END'
displayName: vertex
studySpec:
  metrics: [{metricId: accuracy}]
  parameters: [{parameterId: lr, doubleValueSpec: {minValue: 0.5, maxValue: 0.5}}]
trialJobSpec:
  workerPoolSpecs:
  - containerSpec: {imageUri: 'gcr.io/p/train:1', command: [python, -u], args: [t.py]}
  - {}
  - {replicaCount: '1', containerSpec: {imageUri: gcr.io/p/server}}
END
cat >platform.yaml <<'END'
jobId: platform
trainingInput:
  scaleTier: CUSTOM
  masterConfig: {imageUri: gcr.io/p/train}
  workerCount: 1
  args: [--epochs=5]
  hyperparameters:
    params: [{parameterName: lr, type: DOUBLE, minValue: 0.5, maxValue: 0.5}]
END

for file in short vertex platform; do
    status 0 hypertune validate $file.yaml --print
    cp out once.yaml
    status 0 hypertune validate once.yaml --print
    same "the long form of $file" "$(cat out)" "$(cat once.yaml)"
    status 0 hypertune validate $file.yaml --argv
    cp out argv.$file
    status 0 hypertune validate once.yaml --argv
    same "the replicas of $file" "$(cat out)" "$(cat argv.$file)"
done

titles() {
    grep '^#' "argv.$1" | tr '\n' '|'
}
commands() {
    grep -E '^(\./|python|--)' "argv.$1" | tr '\n' '|'
}
same "replicas" "$(titles short)" "# master-0|# worker-0|# worker-1|# ps-0|"
same "commands" "$(commands short)" \
    "./train --lr=0.25|./train --lr=0.25|./train --lr=0.25|./server 0.25|"
same "pools" "$(titles vertex)" \
    "# master-0 in gcr.io/p/train:1, whose entrypoint is the first 2 words|# \
ps-0 in gcr.io/p/server|"
same "commands of pools" "$(commands vertex)" \
    "python -u t.py --lr=0.5|--lr=0.5|"
same "containers of AI Platform" "$(titles platform)" \
    "# master-0 in gcr.io/p/train|# worker-0 in gcr.io/p/train|"
same "their arguments" "$(commands platform)" \
    "--epochs=5 --lr=0.5|--epochs=5 --lr=0.5|"

status 0 hypertune validate short.yaml --argv --replica ps-0
same "one replica" "$(grep -c '^#' out)" 1
has out '"type":"ps","index":0,"trial":"1"'
status 2 hypertune validate short.yaml --argv --replica ps-1
has err 'has only master-0, worker-0, worker-1, ps-0'
sed -i 's/launcher: slurm/launcher: kubernetes/' short.yaml
status 2 hypertune validate short.yaml
has err 'short.yaml:6:11: launcher: Kubernetes is not supported'
