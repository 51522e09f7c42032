# kill -9 of `hypertune run` itself: the study can be gone on with, and no trial
# is lost or run twice.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

script train.sh <<'END'
echo "$HYPERTUNE_TRIAL $HYPERTUNE_ATTEMPT $$" >>"$WORK/starts"
while ! [ -e "$WORK/go" ]; do sleep 0.1; done
hypertune report accuracy=0.5
END
study orphan <<'END'
trials: 5
parallel: 2
END

hypertune run orphan.yaml >first.out 2>&1 </dev/null &
run=$!
until_true "two trials" lines starts 2
kill -9 $run
wait $run || true
while read -r _ _ pid; do
    kill -0 "$pid" || fail "trainer $pid ended with run"
done <starts

hypertune run orphan.yaml >out 2>err </dev/null &
run=$!
sleep 1
touch go
wait $run || fail "the second run ended with $?"
same "trials started" "$(cut -d' ' -f1 starts | sort -n | tr '\n' ' ')" \
    "1 2 3 4 5 "
same "attempts" "$(cut -d' ' -f2 starts | sort -u)" 1
