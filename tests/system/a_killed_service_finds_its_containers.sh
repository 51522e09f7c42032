# kill -9 of the service while containers run, and of the engine's daemon: what
# ran goes on, what ended meanwhile is known, nothing is lost or run twice.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
engine=$HYPERTUNE_SOURCE/scripts/engine
undo="$engine down $work/podman; $engine down $work/docker"

# of_trials NAME TRIALS PARALLEL SCRIPT: with $work/NAME as /shared.
of_trials() {
    mkdir "$work/$1"
    cat >"$1.yaml" <<END
study: $1
maximize: accuracy
params:
  x: 0.0 .. 1.0
image: localhost/tiny:1
run:
- sh
- -c
- |
  echo "\$HYPERTUNE_TRIAL \$HYPERTUNE_ATTEMPT" >>/shared/starts
  $4
  printf '{"accuracy": "0.5", "global_step": "1"}\n' >>\$HYPERTUNE_REPORT_FILE
  echo "printed by \$HYPERTUNE_TRIAL"
container: {volumes: ['$work/$1:/shared']}
algorithm: random
trials: $2
parallel: $3
END
}

# once NAME TRIALS: each ran once, and succeeded at its first attempt.
once() {
    same "starts of $1" "$(sort -n "$work/$1/starts" | tr '\n' ';')" \
        "$(seq -s ';' -f '%g 1' "$2");"
    same "trials of $1 that succeeded" "$(count "$1" SUCCEEDED)" "$2"
}

all_over() {
    hypertune show "$1" --format csv | grep -q SUCCEEDED
}


engine_back() {
    env -u WORK "$engine" up "$1" "$work/$1" >/dev/null
}

two_run() {
    [ "$(count "$1" RUNNING)" = 2 ]
}

killed_while_they_run() {
    of_trials "held-$1" 4 2 'until [ -e /shared/go ]; do sleep 0.1; done'
    hypertune submit "held-$1.yaml" >out
    until_true "two trials" lines "held-$1/starts" 2
    until_true "two that are known to run" two_run "held-$1"
    kill -9 $service
    wait $service || true
    service_start
    # Both daemons, ours and the engine's; one trial's end falls into that.
    env -u WORK "$engine" kill "$work/$1"
    sleep 1
    same "trials that run" "$(count "held-$1" RUNNING)" 2
    touch "held-$1/go"
    sleep 1
    kill -9 $service
    wait $service || true
    service_start
    sleep 1
    same "trials that ended" "$(count "held-$1" SUCCEEDED)" 0
    engine_back "$1"
    until_true "the end of held-$1" all_over "held-$1"
    once "held-$1" 4
    # Docker loses what is printed while its daemon is dead: a later one.
    status 0 hypertune logs "held-$1" 3
    same "what trial 3 printed" "$(cat out)" "printed by 3"
}

killed_at_odd_moments() {
    of_trials "odd-$1" 8 2 'sleep 0.4'
    hypertune submit "odd-$1.yaml" >out
    for pause in 0.3 0.5 0.7 0.9 1.1 1.3; do
        sleep $pause
        kill -9 $service
        wait $service || true
        service_start
    done
    until_true "the end of odd-$1" all_over "odd-$1"
    once "odd-$1" 8
}

# While the engine is away: nothing is known, and nothing fails.
begun_without_engine() {
    of_trials "late-$1" 2 2 true
    env -u WORK "$engine" kill "$work/$1"
    hypertune submit "late-$1.yaml" >out
    sleep 1
    same "trials that failed" "$(count "late-$1" FAILED)" 0
    status 0 hypertune why "late-$1" 1
    engine_back "$1"
    until_true "the end of late-$1" all_over "late-$1"
    once "late-$1" 2
}

ran=0
for kind in podman docker; do
    env -u WORK "$engine" up $kind "$work/$kind" >assignments 2>engine.err || {
        [ $? = 77 ] || fail "$kind: $(cat engine.err)"
        cat engine.err >&2
        continue
    }
    eval "$(cat assignments)"
    ran=$((ran + 1))
    service_start
    killed_while_they_run $kind
    killed_at_odd_moments $kind
    begun_without_engine $kind
    same "containers that are left" "$(env -u WORK "$engine" cli \
        "$work/$kind" ps -a -q | wc -l)" 0
    service_end
done
[ $ran -gt 0 ] || exit 77
