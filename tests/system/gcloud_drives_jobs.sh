# Google's command line submits, shows, prints and cancels jobs of Vertex AI and
# of AI Platform here, with nothing but the endpoint changed.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

command -v gcloud >/dev/null && gcloud version >/dev/null 2>&1 || {
    echo "skipped: there is no gcloud here" >&2
    exit 77
}

script train.sh <<'END_OF_SCRIPT'
echo "$CLUSTER_SPEC" | grep -o '"task":.*' >&2
for word; do
    case $word in
    --x=*) hypertune report "accuracy=${word#--x=}" --step 7 ;;
    --wait) exec sleep 1000 ;;
    --meet) # the end of the master is the end of all
        [ "$HYPERTUNE_REPLICA" = master-0 ] || { echo here; exec sleep 1000; }
        until [ -s "${HYPERTUNE_STOP_FILE%/stop}/worker-0/stdout.log" ]; do
            sleep 0.1
        done ;;
    esac
done
echo "args: $*"
END_OF_SCRIPT
cat >images.yaml <<'END_OF_MAP'
gcr.io/acme/digits:1:
    entrypoint: [./train.sh]
    workdir: .
END_OF_MAP
hypertuned --listen 127.0.0.1:0 --image-map images.yaml >service.log 2>&1 \
    </dev/null &
service=$!
until_true "the service" grep -q event=ready service.log
url=$(sed -n 's/.*event=listening url=\([^ ]*\).*/\1/p' service.log)

for variable in $(env | sed -n 's/^\(CLOUDSDK_[A-Z_]*\)=.*/\1/p'); do
    case $variable in
    CLOUDSDK_PYTHON*) ;;
    *) unset "$variable" ;;
    esac
done
export CLOUDSDK_CONFIG="$work/gcloud" CLOUDSDK_CORE_PROJECT=mine
export CLOUDSDK_AUTH_ACCESS_TOKEN_FILE="$state/token"
export CLOUDSDK_CORE_DISABLE_PROMPTS=1
export CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=1
export CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=1
export CLOUDSDK_API_ENDPOINT_OVERRIDES_AIPLATFORM="$url/"
export CLOUDSDK_API_ENDPOINT_OVERRIDES_ML="$url/"
export CLOUDSDK_API_ENDPOINT_OVERRIDES_LOGGING="$url/"
export no_proxy=127.0.0.1
vertex=--region=us-central1

# over ID: the study of that number has ended.
over() {
    hypertune show "$1" --format json | grep -q '"ended": [1-9]'
}

# ---- Vertex AI: tuning ----

cat >tune.yaml <<'END_OF_FILE'
studySpec:
  metrics: [{metricId: accuracy, goal: MAXIMIZE}]
  parameters:
  - parameterId: x
    scaleType: UNIT_LINEAR_SCALE
    doubleValueSpec: {minValue: 0.1, maxValue: 0.9}
trialJobSpec:
  workerPoolSpecs:
  - machineSpec: {machineType: n1-standard-4}
    replicaCount: 1
    containerSpec: {imageUri: "gcr.io/acme/digits:1", args: [--fixed]}
END_OF_FILE
status 0 gcloud ai hp-tuning-jobs create $vertex --display-name=tune \
    --config=tune.yaml --max-trial-count=3 --parallel-trial-count=2 \
    --algorithm=random-search --labels=team=vision
has err 'tuning job \[1\] submitted'
until_true "the end of tune" over tune
status 0 gcloud ai hp-tuning-jobs describe 1 $vertex
has out 'state: JOB_STATE_SUCCEEDED'
has out 'team: vision'
has out 'algorithm: RANDOM_SEARCH'
same "trials with a value" "$(grep -c 'finalMeasurement:' out)" 3
sed 's/maxValue: 0.9/maxValue: 0.05/' tune.yaml >wrong.yaml
status 1 gcloud ai hp-tuning-jobs create $vertex --display-name=wrong \
    --config=wrong.yaml
has err 'INVALID_ARGUMENT: x: min 0.1 is above max 0.05$'

# ---- Vertex AI: jobs of their own ----

pool=machine-type=n1-standard-4,replica-count=1
pool=$pool,container-image-uri=gcr.io/acme/digits:1
status 0 gcloud ai custom-jobs create $vertex --display-name=both \
    --worker-pool-spec=$pool --worker-pool-spec=$pool --args=--meet
printf '%s\n' 'workerPoolSpecs:' '- replicaCount: 1' \
    '  machineSpec: {machineType: n1-standard-4}' \
    '  containerSpec: {imageUri: "gcr.io/acme/digits:1", args: [--wait]}' \
    >custom.yaml
until_true "the end of both" over both
status 0 gcloud ai custom-jobs stream-logs 2 $vertex --polling-interval=1
has out '^INFO.*workerpool0-0.args: --meet$'
has out '^INFO.*workerpool1-0.here$'
has out '^ERROR.*workerpool1-0.*task.*type.*workerpool1'

status 0 gcloud beta ai custom-jobs create $vertex --display-name=long \
    --config=custom.yaml
status 0 gcloud beta ai custom-jobs cancel 3 $vertex
until_true "the end of long" over long
status 0 gcloud ai custom-jobs list $vertex \
    --format='csv[no-heading](name.basename(),displayName,state)'
same "the list" "$(tr '\n' ' ' <out)" \
    "3,long,JOB_STATE_CANCELLED 2,both,JOB_STATE_SUCCEEDED "

# ---- AI Platform ----

cat >config.yaml <<'END_OF_FILE'
trainingInput:
  scaleTier: CUSTOM
  masterType: n1-standard-4
  masterConfig: {imageUri: "gcr.io/acme/digits:1"}
  hyperparameters:
    goal: MAXIMIZE
    hyperparameterMetricTag: accuracy
    maxTrials: 2
    maxParallelTrials: 2
    params:
    - {parameterName: x, type: DOUBLE, minValue: 0.1, maxValue: 0.9}
END_OF_FILE
jobs="gcloud ai-platform jobs"
status 0 $jobs submit training digits_1 --config=config.yaml $vertex -- --fixed
has err 'Job \[digits_1\] submitted'
until_true "the end of digits_1" over digits_1
status 0 $jobs stream-logs digits_1 --polling-interval=1
has out '^INFO.*master-replica-0.1.args: --fixed --x=0\.'
has out '^INFO.*master-replica-0.2.args: --fixed --x=0\.'
status 0 $jobs describe digits_1 --summarize
has out 'digits_1 .*SUCCEEDED'
has out ' 1 .* 7 .*x=0\.'
status 0 $jobs submit training long_1 $vertex --scale-tier=custom \
    --master-machine-type=n1-standard-4 --labels=a=b \
    --master-image-uri=gcr.io/acme/digits:1 --worker-count=2 \
    --worker-machine-type=n1-standard-4 -- --wait
status 0 $jobs update long_1 --update-labels=c=d --remove-labels=a
status 0 $jobs cancel long_1
until_true "the end of long_1" over long_1
status 0 $jobs describe long_1 --format='value(state,labels,trainingInput.args)'
has out "^CANCELLED.c=d.--wait$"
status 1 $jobs submit training long_1 $vertex --config=config.yaml
has err 'ids are never used again'
service_end
