# What README shows a reader, typed as it stands: the script and the study file
# under "A study of your own", and the study file further down.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# block LANGUAGE N: the N-th such block of README.
block() {
    awk -v fence="\`\`\`$1" -v n="$2" '
        $0 == fence { k++; on = k == n; next }
        $0 == "```" { on = 0 }
        on' "$HYPERTUNE_SOURCE/README.md"
}

block sh 1 >train.sh
block yaml 1 >study.yaml
chmod +x train.sh
status 0 hypertune validate study.yaml
status 0 hypertune try study.yaml
has out 'corners +3 of 3 are fine'
status 0 hypertune run study.yaml
has out '^Best: trial [0-9]+ +score='
service_start
same "trials that succeeded" "$(count mine SUCCEEDED)" 30
status 0 hypertune best mine
status 0 hypertune trials mine --format csv
status 0 hypertune why mine
service_end

block yaml 3 >long.yaml
status 0 hypertune validate long.yaml
