# A study that launches nothing: any program asks for points and tells results.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

cat >driven.yaml <<'END'
study: driven
minimize: loss
params:
  x: 0.0 .. 1.0
algorithm: random
trials: 3
END
status 0 hypertune submit driven.yaml
status 0 hypertune ask driven
has out 'x'
status 0 hypertune tell driven 1 loss=0.5
status 0 hypertune ask driven --client me
status 0 hypertune tell driven 2 --infeasible "does not fit"
status 0 hypertune ask driven -n 1
status 0 hypertune tell driven 3 loss=0.25
status 0 hypertune best driven --format csv
has out '0\.25'
status 1 hypertune tell driven 99 loss=1
same "infeasible trials" "$(count driven INFEASIBLE)" 1

# One that was never said to end: that is no number.
sed 's/driven/endless/; s/trials: 3/trials: 1000000000/' driven.yaml >endless.yaml
status 0 hypertune submit endless.yaml
status 0 hypertune show endless
has out 'trials  .*; no limit$'
status 0 hypertune list
has out '^endless  *ACTIVE  *0, no limit '
has out '^driven .* 3/3 '
status 0 hypertune list --format json
has out '"trials": 1000000000'
alive
service_end

# A client that is silent for its lease: nothing is taken from it, but another
# may try the same.
hypertuned --lease 1s >>service.log 2>&1 </dev/null &
service=$!
until_true "the service" answers
sed 's/driven/leased/; s/trials: 3/trials: 1/' driven.yaml >leased.yaml
status 0 hypertune submit leased.yaml
status 0 hypertune ask leased --client slow
status 4 hypertune ask leased --client eager
until_true "the lease's end" sh -c 'hypertune why leased 1 | grep suspect'
status 0 hypertune ask leased --client eager
status 0 hypertune tell leased 1 loss=0.125 # by whom, nobody asks
status 0 hypertune best leased --format csv
has out '0\.125'
service_end
