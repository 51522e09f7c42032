# What README shows a reader, typed as it stands: the script and the study file
# under "A study of your own", the C program, and the study file further down.
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

# The script finds `hypertune` though the PATH of whoever runs it does not.
sed 's/^study:.*/study: bare/; s/^trials:.*/trials: 3/' study.yaml >bare.yaml
status 0 env PATH=/usr/local/bin:/usr/bin:/bin "$HYPERTUNE_BUILD/hypertune" \
    run bare.yaml

# The C program, with the source of the library: a sanitized build of it wants
# more than cc links.
command -v cc >/dev/null || exit 0
block c 1 >train.c
cc train.c -I "$HYPERTUNE_SOURCE/hypertune-c/include" \
    "$HYPERTUNE_SOURCE/hypertune-c/src/hypertune.c" -o train ||
    fail "the C program is not compiled"
status 0 ./train --rate=0.5
cat >c.yaml <<'END'
study: c
maximize: accuracy
params: {rate: log 0.01 .. 1.0}
run: ./train
trials: 15
END
status 0 hypertune run c.yaml
service_start
same "trials of the C program" "$(count c SUCCEEDED)" 15
same "reports of a trial" "$(hypertune trial c 1 | grep -c ^report)" 20
