# The example of TensorFlow: its strategy finds the replicas by our TF_CONFIG,
# and what the chief reports by Google's package is the trials' value.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
python=$("$HYPERTUNE_SOURCE/scripts/tensorflow" "$HYPERTUNE_BUILD") || {
    echo "skipped: TensorFlow cannot be had here" >&2
    exit 77
}
PATH=$(dirname "$python"):$PATH

cp "$HYPERTUNE_SOURCE"/examples/tensorflow/*.py .
sed 's/^trials:.*/trials: 2/; s/{args}/--epochs 2 {args}/' \
    "$HYPERTUNE_SOURCE/examples/tensorflow/study.yaml" >study.yaml
status 0 timeout 900 hypertune run study.yaml
same "trials that succeeded" "$(count tensorflow SUCCEEDED)" 2
status 0 hypertune trial tensorflow 1
same "reports" "$(grep -c '^report .*accuracy=0' out)" 2
for trial in 1 2; do
    [ -e "$state/trials/tensorflow/$trial/1/worker-0/stderr.log" ] ||
        fail "trial $trial had no worker"
done
