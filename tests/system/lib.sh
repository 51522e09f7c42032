# What every system test leans on: a state folder of its own, real programs,
# patience, and an end by process id. Read by `.`, not run.
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
: "${HYPERTUNE_BUILD:?the build folder to test}"
: "${HYPERTUNE_SOURCE:?the root of the sources}"

# Short, because a Unix socket's path may have 108 bytes only.
work=$(mktemp -d /tmp/ht.XXXXXX)
state=$work/state
HYPERTUNE_STATE=$state
WORK=$work
PATH=$HYPERTUNE_BUILD:$PATH
export HYPERTUNE_STATE WORK PATH
unset HYPERTUNE_SERVER HYPERTUNE_TOKEN HYPERTUNE_STUDY HYPERTUNE_TRIAL \
    HYPERTUNE_REPORT_FILE HYPERTUNE_STOP_FILE 2>/dev/null || true
cd "$work"

# Every process that this test brought about: it knows the test's folder.
mine() {
    for place in /proc/[0-9]*; do
        pid=${place#/proc/}
        [ "$pid" = $$ ] && continue
        if tr '\0' '\n' <"$place/environ" 2>/dev/null |
            grep -qx "WORK=$work"; then
            echo "$pid"
        fi
    done 2>/dev/null
}

# The services among them.
services() {
    for pid in $(mine); do
        case $(readlink "/proc/$pid/exe" 2>/dev/null) in
        */hypertuned) echo "$pid" ;;
        esac
    done
}

no_service() {
    [ -z "$(services)" ]
}

end_all() {
    for round in 1 2 3; do
        left=$(mine)
        [ -n "$left" ] || return 0
        # shellcheck disable=SC2086 # a list of numbers
        kill -9 $left 2>/dev/null || true
        sleep 0.1
    done
}

leave() {
    status=$?
    trap - EXIT
    end_all
    if [ -n "${undo:-}" ]; then
        eval "$undo" || true
    fi
    if [ $status = 0 ] || [ $status = 77 ]; then
        rm -rf "$work"
    else
        echo "-- the folder stays: $work" >&2
    fi
    exit $status
}
trap leave EXIT
trap 'exit 1' INT TERM

fail() {
    echo "FAILED: $*" >&2
    for file in "$work"/out "$work"/err "$work"/service.log; do
        [ -s "$file" ] || continue
        echo "-- the end of ${file##*/}:" >&2
        tail -c 3000 "$file" >&2
    done
    exit 1
}

# status N COMMAND...: runs it to `out` and `err`; its exit status must be N.
status() {
    wanted=$1
    shift
    got=0
    "$@" >out 2>err </dev/null || got=$?
    [ "$got" = "$wanted" ] || fail "$* ended with $got, not $wanted"
}

# has FILE PATTERN: some line of it matches, whatever the case.
has() {
    grep -qiE -- "$2" "$1" || fail "$1 has no line with: $2"
}

hasnt() {
    ! grep -qiE -- "$2" "$1" || fail "$1 has a line with: $2"
}

# same WHAT GOT WANTED
same() {
    [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

# until_true WHAT COMMAND...: asks ten times a second, for two minutes at most.
until_true() {
    what=$1
    shift
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 1200 ] || fail "waited too long for: $what"
        sleep 0.1
    done
}

ended() {
    ! kill -0 "$1" 2>/dev/null
}

# lines FILE N: it has at least N lines.
lines() {
    [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

# Looking would be answered without a service too.
answers() {
    hypertune list --server "unix:$state/hypertuned.sock"
}

service_start() {
    hypertuned >>service.log 2>&1 </dev/null &
    service=$!
    until_true "the service" answers
}

# Ends it as a person would, and waits until it is gone.
service_end() {
    kill "$service"
    wait "$service" || fail "the service ended with $?"
}

alive() {
    status 0 answers
    kill -0 "$service" || fail "the service is gone"
}

# script NAME: an executable shell script of that name from stdin.
script() {
    { printf '#!/bin/sh\n' && cat; } >"$1"
    chmod +x "$1"
}

# column NAME: that column of CSV text from stdin (of cells without commas).
column() {
    awk -F, -v want="$1" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == want) at = i; next }
        at { print $at }'
}

# count STUDY STATE: how many of its trials are in that state.
count() {
    hypertune trials "$1" --format csv | column state | grep -cx "$2" || true
}

# A study of a few trials over ./train.sh; more lines come from stdin.
study() {
    cat >"$1.yaml" <<END
study: $1
maximize: accuracy
params:
  x: 0.0 .. 1.0
run: ./train.sh
algorithm: random
grace: 1s
$(cat)
END
}
