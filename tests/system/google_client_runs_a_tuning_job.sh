# Google's own Python client runs a tuning job to its end: the digits example,
# whose container the image map stands for.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/lib.sh"

python=$(sh "$HYPERTUNE_SOURCE/scripts/google-client" "$HYPERTUNE_BUILD") || {
    echo "skipped: Google's client cannot be had here" >&2
    exit 77
}
digits=$HYPERTUNE_BUILD/examples/digits
[ -x "$digits/train" ] || fail "no trainer in $digits"
cp -r "$digits" digits
script fails.sh <<'END_OF_SCRIPT'
echo "no such data" >&2
exit 3
END_OF_SCRIPT
cat >images.yaml <<'END_OF_MAP'
gcr.io/a-project/digits:1:
    entrypoint: [./train, --data=digits.csv]
    workdir: digits
gcr.io/a-project/tools/*:
    workdir: .
END_OF_MAP

hypertuned --listen 127.0.0.1:0 --image-map images.yaml >service.log 2>&1 \
    </dev/null &
service=$!
until_true "the service" grep -q event=ready service.log
url=$(sed -n 's/.*event=listening url=\([^ ]*\).*/\1/p' service.log)
"$python" \
    "$HYPERTUNE_SOURCE/tests/system/google_client_runs_a_tuning_job.py" \
    "$url" "$state/token" >out 2>err </dev/null || fail "the client failed"
has out '^all is well$'
alive

# what it left behind is there for our own command line
status 0 hypertune list --format csv
has out 'digits-of-Google'
same "trials" "$(count digits-of-Google SUCCEEDED)" 4
status 0 hypertune best digits-of-Google
service_end
