# A failed trial of a study that has all its trials is tried again, on demand.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
[ "$HYPERTUNE_TRIAL" != 1 ] || [ -e "$WORK/mended" ] || exit 1
hypertune report accuracy=0.5
END
study again <<'END'
trials: 2
parallel: 1
END

service_start
status 0 timeout 100 hypertune run again.yaml
same "trials that failed" "$(count again FAILED)" 1
same "trials that succeeded" "$(count again SUCCEEDED)" 2

# Not mended: it runs, fails again, and is FAILED as before.
status 0 hypertune retry again --failed
until_true "its end" sh -c "hypertune show again | grep -q 'state *SUCCEEDED'"
same "trials that failed" "$(count again FAILED)" 1
status 0 hypertune logs again 1 --attempt 2

touch mended
status 0 hypertune retry again --failed
status 0 timeout 100 hypertune watch again
same "trials that succeeded" "$(count again SUCCEEDED)" 3
status 0 hypertune logs again 1 --attempt 3
service_end
