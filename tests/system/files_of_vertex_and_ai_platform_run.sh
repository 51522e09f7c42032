# A Vertex HyperparameterTuningJob and an AI Platform job file run as they are.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "$@" >>"$WORK/seen"
hypertune report accuracy=0.5 --step 1
hypertune report accuracy=0.75 --step 2
END
cat >vertex.yaml <<'END'
displayName: from-vertex
maxTrialCount: 3
parallelTrialCount: 2
studySpec:
  metrics:
    - metricId: accuracy
      goal: MAXIMIZE
  parameters:
    - parameterId: learning_rate
      doubleValueSpec: {minValue: 0.0001, maxValue: 0.1}
      scaleType: UNIT_LOG_SCALE
    - parameterId: hidden
      integerValueSpec: {minValue: 8, maxValue: 64}
  algorithm: RANDOM_SEARCH
trialJobSpec:
  workerPoolSpecs:
    - replicaCount: 1
      machineSpec: {machineType: n1-standard-4}
      processSpec:
        command: [./train.sh]
        args: [--fixed]
END
cat >config.yaml <<'END'
trainingInput:
  scaleTier: BASIC
  args: [--fixed]
  hyperparameters:
    goal: MAXIMIZE
    hyperparameterMetricTag: accuracy
    maxTrials: 3
    maxParallelTrials: 2
    algorithm: RANDOM_SEARCH
    params:
      - parameterName: learning_rate
        type: DOUBLE
        minValue: 0.0001
        maxValue: 0.1
        scaleType: UNIT_LOG_SCALE
      - parameterName: hidden
        type: INTEGER
        minValue: 8
        maxValue: 64
END

status 0 hypertune validate vertex.yaml
status 0 hypertune run vertex.yaml
same "trials started" "$(wc -l <seen)" 3
has seen '^--fixed --learning_rate=[0-9.e-]+ --hidden=[0-9]+'
has out 'accuracy=0.75'

# The examples' own files are read too.
status 0 hypertune validate "$HYPERTUNE_BUILD/examples/digits/vertex.yaml"
status 0 hypertune validate "$HYPERTUNE_BUILD/examples/digits/ai-platform.yaml"

# AI Platform's file names a Python module; here that is said in one sentence,
# or run where the file says by which program.
got=0
hypertune validate config.yaml >out 2>err </dev/null || got=$?
case $got in
0) ;;
2) has err '^config.yaml:[0-9]+:[0-9]+: .*(run|command|program)' ;;
*) fail "validate of an AI Platform file ended with $got" ;;
esac
