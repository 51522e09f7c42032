# The digits study in containers of podman and of Docker: to its end, by a
# master with workers, and with an image that is not there.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
engine=$HYPERTUNE_SOURCE/scripts/engine
example=$HYPERTUNE_SOURCE/examples/container
undo="$engine down $work/podman; $engine down $work/docker"

# What the example's Dockerfile makes, without a registry.
image_of_digits() {
    tree=$work/$1/tree/digits
    mkdir -p "$tree/app"
    cp "$HYPERTUNE_SOURCE/examples/digits/digits.csv" "$tree/app"
    gcc -std=c17 -D_GNU_SOURCE -O2 -static -I "$HYPERTUNE_SOURCE" \
        -I "$HYPERTUNE_SOURCE/hypertune-c/include" -o "$tree/app/train" \
        "$HYPERTUNE_SOURCE"/examples/digits/*.c \
        "$HYPERTUNE_SOURCE/hypertune-c/src/hypertune.c" -lm ||
        fail "the trainer does not build"
    env -u WORK "$engine" image "$work/$1" localhost/digits:1 "$tree" \
        'ENTRYPOINT ["/app/train", "--data", "/app/digits.csv"]'
}

# short NAME IMAGE: the example's study under that name.
short() {
    sed "s|^study:.*|study: $1|; s|^image: [^ ]*|image: $2|
        s|^trials:.*|trials: 3|" "$example/study.yaml" >"$1.yaml"
    echo "parallel: 2" >>"$1.yaml"
}

to_its_end() {
    short "digits-$1" localhost/digits:1
    status 0 hypertune run "digits-$1.yaml"
    same "trials that succeeded" "$(count "digits-$1" SUCCEEDED)" 3
    status 0 hypertune best "digits-$1"
    has out '0\.[0-9]+'
    status 0 hypertune logs "digits-$1" 1
    has out 'epoch 1 accuracy'
}

as_of_vertex() {
    sed "s|digits-container-vertex|vertex-$1|; s|^maxTrialCount:.*|maxTrialCount: 2|" \
        "$example/vertex.yaml" >"vertex-$1.yaml"
    echo "  baseOutputDirectory: {outputUriPrefix: $work/output-$1}" \
        >>"vertex-$1.yaml"
    status 0 hypertune run "vertex-$1.yaml"
    same "trials that succeeded" "$(count "vertex-$1" SUCCEEDED)" 2
    # Its checkpoints are where AIP_CHECKPOINT_DIR said.
    [ -n "$(ls "$work/output-$1/1/checkpoints" 2>/dev/null)" ] ||
        fail "no checkpoint in $work/output-$1"
}

# The master waits for what each worker writes, which is all that they do.
by_several() {
    cat >"several-$1.yaml" <<'END'
study: several-ENGINE
maximize: accuracy
params:
  x: 0.0 .. 1.0
image: localhost/tiny:1
run:
- sh
- -c
- |
  echo "I am $HYPERTUNE_REPLICA of $WORLD_SIZE at $MASTER_ADDR"
  folder=${HYPERTUNE_STOP_FILE%/stop}
  case $RANK in
  0) until [ -e "$folder/1" ] && [ -e "$folder/2" ]; do sleep 0.1; done
     printf '{"accuracy": "0.5", "global_step": "1"}\n' >>$HYPERTUNE_REPORT_FILE ;;
  *) touch "$folder/$RANK"; exec sleep 1000 ;;
  esac
replicas: {worker: 2}
cpus: 0.1
trials: 2
parallel: 2
END
    sed -i "s/ENGINE/$1/" "several-$1.yaml"
    status 0 hypertune run "several-$1.yaml"
    same "trials that succeeded" "$(count "several-$1" SUCCEEDED)" 2
    status 0 hypertune logs "several-$1" 1 --replica worker-1
    has out 'I am worker-1 of 3 at 127.0.0.1'
}

without_image() {
    short "absent-$1" localhost/none:1
    got=0
    timeout 120 hypertune run "absent-$1.yaml" >out 2>err </dev/null || got=$?
    case $got in
    1 | 3) ;;
    *) fail "run without its image ended with $got" ;;
    esac
    status 0 hypertune show "absent-$1"
    has out PAUSED
    status 0 hypertune why "absent-$1"
    has out 'image localhost/none:1 is not here.* pull localhost/none:1'
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
    image_of_digits $kind
    service_start
    to_its_end $kind
    as_of_vertex $kind
    by_several $kind
    without_image $kind
    same "containers that are left" "$(env -u WORK "$engine" cli \
        "$work/$kind" ps -a -q | wc -l)" 0
    service_end
done
[ $ran -gt 0 ] || exit 77
