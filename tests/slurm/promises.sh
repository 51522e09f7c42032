# promises.sh PROGRAM...: runs these test programs side by side, each on a Slurm
# cluster of its own (cluster.sh); 77 where there is none to be had.
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
here=$(dirname "$0")
logs=$(mktemp -d /tmp/htl.XXXXXX)
worst=0
for program; do
    sh "$here/cluster.sh" "$program" >"$logs/${program##*/}" 2>&1 &
    echo "$! ${program##*/}" >>"$logs/pids"
done
while read -r pid name; do
    wait "$pid"
    status=$?
    echo "== $name: $status"
    cat "$logs/$name"
    [ $worst != 0 ] || worst=$status
    [ $status = 0 ] || [ $status = 77 ] || worst=$status
done <"$logs/pids"
rm -rf "$logs"
exit $worst
