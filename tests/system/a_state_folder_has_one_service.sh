# A state folder that is held, read-only or not a folder: one sentence, and the
# one that holds it goes on.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

got=0
timeout 20 hypertuned >out 2>err </dev/null || got=$?
[ $got != 0 ] && [ $got -lt 120 ] || fail "a second service ended with $got"
has err "$service"
[ "$(wc -l <err)" -le 3 ] || fail "too many lines"
alive
same "mode of the state folder" "$(stat -c %a "$state")" 700
service_end

# Not a folder.
echo x >plain
got=0
timeout 20 hypertuned --state "$work/plain" >out 2>err </dev/null || got=$?
[ $got != 0 ] && [ $got -lt 120 ] || fail "a state that is a file: $got"
has err 'plain'

# Read-only, even for root.
if [ "$(id -u)" = 0 ] && mkdir sealed &&
    mount -t tmpfs -o ro tmpfs "$work/sealed" 2>/dev/null; then
    undo="umount -l '$work/sealed'"
    got=0
    timeout 20 hypertuned --state "$work/sealed" >out 2>err </dev/null || got=$?
    [ $got != 0 ] && [ $got -lt 120 ] || fail "a read-only state: $got"
    has err 'sealed'
    has err 'read-only'
    [ "$(wc -l <err)" -le 3 ] || fail "too many lines"
elif [ "$(id -u)" != 0 ]; then
    mkdir -p sealed
    chmod 500 sealed
    got=0
    timeout 20 hypertuned --state "$work/sealed/deep" >out 2>err </dev/null ||
        got=$?
    [ $got != 0 ] && [ $got -lt 120 ] || fail "a read-only state: $got"
    has err 'sealed'
fi

# Nobody answers, and the command line says so.
status 4 hypertune pause any
has err 'service|hypertuned|socket'
