# Files of Vertex and of AI Platform that name images run in containers as they
# are: by `run`, and as jobs of Google's interfaces without an image map.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
engine=$HYPERTUNE_SOURCE/scripts/engine
undo="$engine down $work/engine"
got=77
for kind in podman docker; do
    [ $got = 77 ] || break
    got=0
    env -u WORK "$engine" up $kind "$work/engine" >assignments 2>engine.err ||
        got=$?
done
[ $got = 0 ] || {
    cat engine.err >&2
    [ $got = 77 ] || fail "no engine"
    exit 77
}
eval "$(cat assignments)"

# What the master says is the end of the others too, so it waits for them.
cat >vertex.yaml <<'END'
displayName: vertex
studySpec:
  metrics: [{metricId: accuracy, goal: MAXIMIZE}]
  parameters: [{parameterId: x, doubleValueSpec: {minValue: 0.5, maxValue: 0.5}}]
maxTrialCount: 1
parallelTrialCount: 1
trialJobSpec:
  workerPoolSpecs:
  - machineSpec: {machineType: n1-standard-4}
    replicaCount: '1'
    containerSpec:
      imageUri: localhost/tiny:1
      command: [sh, -c]
      args:
      - |
        echo "$0 $* $WHO $AIP_USE_CUSTOM_CONTAINER $TF_CONFIG"
        until [ -e "${HYPERTUNE_STOP_FILE%/stop}/seen" ]; do sleep 0.1; done
        echo '{"accuracy": "0.25", "global_step": "1", "timestamp": 1, "checkpoint_path": "", "trial": "1"}' >"$CLOUD_ML_HP_METRIC_FILE"
      - $(WHO)
      env: [{name: WHO, value: 'rank $(RANK) of $(WORLD_SIZE)'}]
  - {}
  - replicaCount: 1
    containerSpec:
      imageUri: localhost/tiny:1
      command: [sh, -c, 'echo "$* $CLUSTER_SPEC"; touch "${HYPERTUNE_STOP_FILE%/stop}/seen"; sleep 1000', $(HYPERTUNE_REPLICA)]
END
service_start
status 0 timeout 120 hypertune run vertex.yaml
status 0 hypertune logs vertex 1
has out '^rank 0 of 2 --x=0.5 rank 0 of 2 true \{"cluster":\{"chief":\["[^"]*:[0-9]+"\],"ps":\["[^"]*:[0-9]+"\]\},"environment":"cloud","job":\{.*"task":\{"type":"chief","index":0,"trial":"1"\}\}$'
status 0 hypertune logs vertex 1 --replica ps-0
has out '^--x=0.5 \{"cluster":\{"workerpool0":\["[^"]*"\],"workerpool2":\["[^"]*"\]\},"environment":"cloud","task":\{"type":"workerpool2","index":0,"trial":"1"\}'

cat >platform.yaml <<'END'
jobId: platform
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-standard-4
  masterConfig:
    imageUri: localhost/tiny:1
    containerCommand: [sh, -c, 'sleep 1; echo "$* $TF_CONFIG"; echo "{\"loss\": \"2.5\", \"global_step\": \"1\", \"timestamp\": 1, \"checkpoint_path\": \"\", \"trial\": \"1\"}" >"$CLOUD_ML_HP_METRIC_FILE"', master]
  workerCount: 1
  workerConfig: {containerCommand: [sh, -c, 'echo "$* $CLUSTER_SPEC"; sleep 1000', worker]}
  evaluatorCount: 1
  evaluatorConfig: {containerCommand: [sh, -c, 'sleep 1000']}
  args: [--epochs=5]
  hyperparameters:
    goal: MINIMIZE
    hyperparameterMetricTag: loss
    params: [{parameterName: x, type: DOUBLE, minValue: 0.5, maxValue: 0.5}]
END
status 0 timeout 120 hypertune run platform.yaml
status 0 hypertune logs platform 1
has out '^--epochs=5 --x=0.5 \{"cluster":\{"chief":\["[^"]*"\],"worker":\["[^"]*"\]\},"environment":"cloud","job":\{"scale_tier":"CUSTOM","worker_count":"1","evaluator_count":"1","master_config":\{"image_uri":"localhost/tiny:1"\},"args":\[.*"task":\{"type":"chief","index":0,"trial":"1"\}\}$'
status 0 hypertune logs platform 1 --replica worker-0
has out '^--epochs=5 --x=0.5 \{"cluster":\{"master":.*"worker":.*"evaluator":.*"task":\{"type":"worker","index":0,"trial":"1"\}'

# The same by the interfaces of both, without an image map.
submit() {
    curl -sS --fail-with-body --unix-socket "$state/hypertuned.sock" \
        -H 'Content-Type: application/json' -d @- \
        "http://localhost/v1/projects/p/$1" >answer || fail "$(cat answer)"
}
submit locations/l/customJobs <<'END'
{"displayName": "custom", "jobSpec": {"workerPoolSpecs": [{"replicaCount": "1",
 "containerSpec": {"imageUri": "localhost/tiny:1", "command": ["sh", "-c"],
 "args": ["echo it is $AIP_USE_CUSTOM_CONTAINER; exit 3"]}}]}}
END
submit jobs <<'END'
{"jobId": "alone", "trainingInput": {"region": "r", "masterConfig":
 {"imageUri": "localhost/tiny:1"}, "args": ["sh", "-c", "echo I am here"]}}
END
over() {
    hypertune show "$1" --format json | grep -q '"ended": [1-9]'
}
until_true "the end of the custom job" over custom
until_true "the end of the training job" over alone
status 0 hypertune logs custom 1
has out 'it is true'
status 0 hypertune logs alone 1
has out 'I am here'
curl -sS --unix-socket "$state/hypertuned.sock" \
    http://localhost/v1/projects/p/locations/l/customJobs >answer
grep -q 'workerpool0-0 exited with a non-zero status of 3' answer ||
    fail "$(cat answer)"
same "containers that are left" \
    "$(env -u WORK "$engine" cli "$work/engine" ps -a -q | wc -l)" 0
