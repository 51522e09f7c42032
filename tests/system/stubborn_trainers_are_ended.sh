# A trainer that ignores SIGTERM, forks away or closes its output ends when it
# should, and nothing of it is left.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

# Overruns its time and ignores SIGTERM.
script train.sh <<'END'
trap '' TERM
echo $$ >>"$WORK/pids"
hypertune report accuracy=0.5
while :; do sleep 0.2; done
END
study deaf <<'END'
trials: 1
trial_limit: 1s
END
begin=$(date +%s)
got=0
timeout 100 hypertune run deaf.yaml >out 2>err </dev/null || got=$?
[ $got -le 1 ] || fail "run ended with $got"
[ $(($(date +%s) - begin)) -lt 60 ] || fail "it took a minute to end"
for pid in $(cat pids); do
    ended "$pid" || fail "trainer $pid lives on"
done

# Leaves a child behind, in a session of its own.
script train.sh <<'END'
setsid sleep 312 </dev/null >/dev/null 2>&1 &
sleep 313 &
sleep 0.3
hypertune report accuracy=0.5
END
study forks <<'END'
trials: 2
parallel: 1
END
status 0 timeout 100 hypertune run forks.yaml
left=
for pid in $(mine); do
    case $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) in
    "sleep 312 " | "sleep 313 ") left="$left $pid" ;;
    esac
done
same "processes that are left" "$left" ""

# Closes its output and reports all the same.
script train.sh <<'END'
exec >&- 2>&-
hypertune report accuracy=0.5
END
study mute <<'END'
trials: 2
END
status 0 timeout 100 hypertune run mute.yaml
same "trials that succeeded" "$(count mute SUCCEEDED)" 2
service_end
