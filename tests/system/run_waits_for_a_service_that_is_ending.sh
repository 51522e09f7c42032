# A service that answers no more may hold the state folder a little longer: run
# waits until it has gone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

command -v flock >/dev/null || exit 77
script train.sh <<'END'
hypertune report accuracy=0.5
END
study patient <<'END'
trials: 2
END

mkdir -m 700 state
flock state/lock sleep 4 &
until_true "the lock" sh -c '! flock -n state/lock true'
status 0 timeout 100 hypertune run patient.yaml
has out 'SUCCEEDED'
same "trials that succeeded" "$(count patient SUCCEEDED)" 2
