# Trainers that fill the disk of the state folder: what was stored stays, the
# study says why it waits, and goes on once there is room.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
[ "$(id -u)" = 0 ] || exit 77
mkdir "$state"
chmod 700 "$state"
mount -t tmpfs -o size=40m,mode=0700 tmpfs "$state" 2>/dev/null || exit 77
undo="umount -l '$state'"

script train.sh <<'END'
if [ "$HYPERTUNE_TRIAL" = 2 ] && ! [ -e "$WORK/room" ]; then
    cat /dev/zero >"$HYPERTUNE_STATE/ballast" 2>/dev/null || true
fi
hypertune report accuracy=0.5
END
study full <<'END'
trials: 4
parallel: 1
END
hypertuned --least-free 1M >>service.log 2>&1 </dev/null &
service=$!
until_true "the service" answers
hypertune run full.yaml >out 2>err </dev/null &
run=$!
until_true "a full disk" test -s "$state/ballast"
sleep 3
kill -0 $service || fail "the service ended on a full disk"
status 0 hypertune show full
status 0 hypertune trials full
has out '^ *1 .*SUCCEEDED'
got=0
hypertuned --state "$state/second" >out 2>err </dev/null || got=$?
[ $got != 0 ] && [ $got -lt 120 ] || fail "a state on a full disk: $got"
has err 'second.*(space|full)|(space|full).*second'

touch room
rm -f "$state/ballast"
until_true "the end of run" ended $run
wait $run || true
status 0 timeout 100 hypertune run full.yaml
same "trials that succeeded" "$(count full SUCCEEDED)" 4
service_end
