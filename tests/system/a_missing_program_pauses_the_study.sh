# `run` that names a program that is not there, or one that breaks at once: told
# after three trials, not after forty.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

script other.sh <<'END'
hypertune report accuracy=1
END
study good <<'END'
trials: 3
END
sed -i 's/train/other/' good.yaml

# Not there. That is no fault of the file, but worth a word.
study absent <<'END'
trials: 40
END
status 0 hypertune validate absent.yaml
has err 'no program \./train\.sh that may be run is here'
status 0 hypertune validate good.yaml
hasnt err 'no program'
touch train.py
sed 's|run: .*|run: ./train.py|' absent.yaml >bare.yaml
status 0 hypertune validate bare.yaml
has err 'no program ./train.py .*; chmod \+x makes it one'
sed 's|run: .*|run: train.py|' absent.yaml >bare.yaml
status 0 hypertune validate bare.yaml
has err 'no program train.py .*written with \./'
sed 's|run: .*|run: no-such-interpreter train.py|' absent.yaml >bare.yaml
status 0 hypertune validate bare.yaml
has err 'no program no-such-interpreter'
sed 's|run: .*|run: sh train.sh|' absent.yaml >bare.yaml
status 0 hypertune validate bare.yaml
hasnt err 'no program'
got=0
timeout 60 hypertune run absent.yaml >out 2>err </dev/null || got=$?
case $got in
1 | 2 | 3) ;;
*) fail "run of a program that is not there ended with $got" ;;
esac
cat out >>err
has err 'train\.sh'

# There, but it breaks at once, three times in the same way.
script train.sh <<'END'
echo "started" >>"$WORK/starts"
echo "ModuleNotFoundError: no module named torch" >&2
exit 7
END
study broken <<'END'
trials: 40
parallel: 1
END
got=0
timeout 60 hypertune run broken.yaml >out 2>err </dev/null || got=$?
case $got in
1 | 3) ;;
*) fail "run of a program that breaks ended with $got" ;;
esac
cat out >>err
has err 'ModuleNotFoundError'
[ "$(wc -l <starts)" -le 12 ] || fail "$(wc -l <starts) processes were started"
status 0 hypertune show broken
has out 'PAUSED'
status 0 hypertune why broken
has out 'ModuleNotFoundError'

# The others go on; and once it is mended, so does this one.
status 0 hypertune run good.yaml
script train.sh <<'END'
hypertune report accuracy=1
END
status 0 timeout 120 hypertune run broken.yaml
same "trials that succeeded" "$(count broken SUCCEEDED)" 40
service_end
