# A trainer that exits 0 and never reports the goal is INFEASIBLE, and the reason
# names what it did report.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

script train.sh <<'END'
case $HYPERTUNE_TRIAL in
1) ;;
2) hypertune report acuracy=0.5 loss=1 ;;
*) hypertune report accuracy=0.5 ;;
esac
END
study silent <<'END'
trials: 4
parallel: 1
END
status 0 hypertune run silent.yaml
same "infeasible trials" "$(count silent INFEASIBLE)" 2
same "trials that succeeded" "$(count silent SUCCEEDED)" 2
status 0 hypertune why silent 2
has out 'acuracy'
has out 'loss'
status 0 hypertune why silent 1
has out 'accuracy'
service_end
