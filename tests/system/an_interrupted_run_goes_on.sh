# Ctrl-C ends the running trials in order and pauses the study; `run` again
# finishes it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "$HYPERTUNE_TRIAL $$" >>"$WORK/starts"
if ! [ -e "$WORK/go" ]; then exec sleep 300; fi
hypertune report accuracy=0.5
END
study paused <<'END'
trials: 4
parallel: 2
END

hypertune run paused.yaml >first.out 2>first.err </dev/null &
run=$!
until_true "two trials" lines starts 2
kill -INT $run
got=0
wait $run || got=$?
same "exit status of the interrupted run" $got 3
while read -r _ pid; do
    until_true "the end of trainer $pid" ended "$pid"
done <starts
until_true "the end of the private service" no_service

service_start
status 0 hypertune show paused
has out PAUSED
service_end

touch go
status 0 hypertune run paused.yaml
service_start
same "trials that succeeded" "$(count paused SUCCEEDED)" 4
same "trials altogether" \
    "$(hypertune trials paused --format csv | column state | wc -l)" 4
service_end
