# A program that reports nothing itself: its metrics are read off what it prints
# or out of a file of JSON lines.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "starting"
echo "epoch 1 accuracy=0.25"
echo "epoch 2 accuracy=0.875"
echo "done"
END
study printed <<'END'
metrics: '(accuracy)=([0-9.]+)'
trials: 2
END
status 0 hypertune run printed.yaml
has out 'Trial 1 SUCCEEDED accuracy=0.875'
