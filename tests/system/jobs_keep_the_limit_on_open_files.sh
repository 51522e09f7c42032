# The service raises its own limit on open files, and gives its jobs the one that
# it was started with.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
ulimit -Sn >"$WORK/soft"
hypertune report accuracy=0.5
END
study limited <<'END'
trials: 1
END

ulimit -Sn 300
service_start
raised=$(awk '/^Max open files/ { print $4 }' "/proc/$service/limits")
[ "$raised" -gt 300 ] || exit 77 # no more may be had on this machine
status 0 hypertune run limited.yaml
same "the job's limit" "$(cat soft)" 300
same "the service's limit after it" \
    "$(awk '/^Max open files/ { print $4 }' "/proc/$service/limits")" "$raised"
service_end
