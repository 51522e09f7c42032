# Parameters named n and on, the words yes and no, and 010 stay what was written.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "$@" >>"$WORK/seen"
hypertune report accuracy=1
END
cat >words.yaml <<'END'
study: words
maximize: accuracy
params:
  n: int 1 .. 010
  on: [yes, no]
  y: [1e-4, 1e-3]
run: ./train.sh
algorithm: random
trials: 6
END
status 0 hypertune validate words.yaml
status 0 hypertune validate words.yaml --print
has out 'yes'
status 0 hypertune run words.yaml
same "trials started" "$(wc -l <seen)" 6
same "lines of another shape" \
    "$(grep -cvE '^--n=([1-9]|10) --on=(yes|no) --y=1e-[34]$' seen)" 0
