# promises.sh ENGINE PROGRAM...: the containers' promises, with an engine of
# their own: podman or docker. Skipped where this machine cannot run it.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
dir=$(mktemp -d /tmp/ht.XXXXXX)
leave() {
    status=$?
    trap - EXIT
    "$HYPERTUNE_SOURCE/scripts/engine" down "$dir" || true
    rm -rf "$dir"
    exit $status
}
trap leave EXIT
trap 'exit 1' INT TERM
assignments=$("$HYPERTUNE_SOURCE/scripts/engine" up "$1" "$dir")
eval "$assignments"
ENGINE=$1
export ENGINE
shift
failed=0
for program; do
    "$program" || failed=1
done
exit $failed
