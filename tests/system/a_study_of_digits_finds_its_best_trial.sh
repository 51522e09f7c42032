# A few trials of the digits study end with a best one, and its file says what
# the trainer reported.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
digits=$HYPERTUNE_BUILD/examples/digits
[ -x "$digits/train" ] || fail "no trainer in $digits"

cp -r "$digits" digits
sed 's/^trials:.*/trials: 3/; s/^parallel:.*/parallel: 2/' \
    "$digits/study.yaml" >digits/study.yaml
status 0 hypertune run digits/study.yaml
has out 'Trial [0-9]+ SUCCEEDED accuracy=0\.[0-9]+'

service_start
status 0 hypertune best digits
has out 'accuracy|value'
same "trials that succeeded" "$(count digits SUCCEEDED)" 3
status 0 hypertune logs digits 1
status 0 hypertune show digits
has out SUCCEEDED
status 0 hypertune export digits
service_end
