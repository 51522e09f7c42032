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

# Trials that run at once write files of their own; one for all is refused.
script train.sh <<'END'
mkdir -p "runs/$HYPERTUNE_TRIAL"
file=runs/$HYPERTUNE_TRIAL/metrics.jsonl
echo "{\"epoch\": 1, \"accuracy\": $HYPERTUNE_TRIAL.25, \"note\": \"x\"}" >"$file"
touch "$WORK/begun.$HYPERTUNE_TRIAL"
while ! [ -e "$WORK/begun.1" ] || ! [ -e "$WORK/begun.2" ]; do sleep 0.1; done
echo "{\"epoch\": 2, \"accuracy\": $HYPERTUNE_TRIAL.5}" >>"$file"
END
study lines <<'END'
metrics: {file: 'runs/{trial}/metrics.jsonl'}
trials: 4
parallel: 2
END
status 0 hypertune validate lines.yaml
status 0 hypertune run lines.yaml
hypertune trials lines --format csv >lines.csv
same "each trial's own value" "$(column value <lines.csv | sort | xargs)" \
    "1.5 2.5 3.5 4.5"
status 0 hypertune trial lines 2
same "reports of a trial" "$(grep -c '^report' out)" 2

sed 's/^study:.*/study: mixed/; s/{trial}/all/' lines.yaml >mixed.yaml
status 2 hypertune validate mixed.yaml
has err 'mixed.yaml:[0-9]+:[0-9]+: metrics: .*\{trial\}'
status 2 hypertune run mixed.yaml
has err '\{trial\}'
sed 's/parallel: 2/parallel: 1/; s/trials: 4/trials: 1/' mixed.yaml >alone.yaml
status 0 hypertune validate alone.yaml
