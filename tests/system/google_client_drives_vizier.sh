# Google's own Python client, with nothing but its endpoint changed, drives the
# service: every method of VizierService over its REST transport.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/lib.sh"

python=$(sh "$HYPERTUNE_SOURCE/scripts/google-client" "$HYPERTUNE_BUILD") || {
    echo "skipped: Google's client cannot be had here" >&2
    exit 77
}
service_start
"$python" "$HYPERTUNE_SOURCE/tests/system/google_client_drives_vizier.py" \
    "$state/hypertuned.sock" >out 2>err </dev/null || fail "the client failed"
has out '^all is well$'
alive

# what it left behind is there for our own command line
status 0 hypertune list --format csv
has out 'kept-study'
status 0 hypertune trials kept-study --format csv
same "trials" "$(count kept-study SUCCEEDED)" 3
service_end

# and is still there after a restart
service_start
"$python" "$HYPERTUNE_SOURCE/tests/system/google_client_drives_vizier.py" \
    "$state/hypertuned.sock" again >out 2>err </dev/null ||
    fail "the client failed after a restart"
has out '^all is well$'
service_end
