# Each verb does what it says, in every format, with the exit codes of the manual.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

status 0 hypertune version
has out '[0-9]+\.[0-9]+'
status 0 hypertune --help
status 0 hypertune serve --help
has out 'hypertuned --help'
status 2 hypertune frobnicate
has err 'frobnicate'
status 2 hypertune show
status 0 hypertune list
status 4 hypertune pause verbs

status 2 hypertune report accuracy=1 step=3
has err '^hypertune: step would be a metric: write --step N'
status 0 hypertune report --quiet accuracy=1 --step 3

service_start
status 0 hypertune list --format json
same "no studies" "$(cat out)" '[]'
status 0 hypertune list
has err 'no studies yet'
script train.sh <<'END'
echo "hello from $HYPERTUNE_TRIAL"
while [ -e "$WORK/hold" ]; do sleep 0.1; done
hypertune report accuracy=0.5 --step 3
END
study verbs <<'END'
trials: 3
parallel: 1
END

touch hold
status 0 hypertune submit verbs.yaml
same "what submit prints" "$(cat out)" verbs
until_true "a running trial" sh -c "hypertune trials verbs | grep -q RUNNING"
status 0 hypertune pause verbs
status 0 hypertune show verbs
has out PAUSED
status 0 hypertune resume verbs
status 0 hypertune stop verbs 1
until_true "trial 1 to stop" sh -c "hypertune trial verbs 1 | grep -q STOPPED"
status 0 hypertune why verbs 1
rm hold
status 0 timeout 100 hypertune watch verbs
status 0 hypertune logs verbs 3
has out 'hello from 3'
status 0 hypertune trials verbs --only stopped --format csv
same "stopped trials" "$(column number <out)" 1
status 2 hypertune trials verbs --only faild
has err '--only .*"faild"; did you mean FAILED'
for format in table json csv yaml; do
    status 0 hypertune list --format $format
    has out verbs
    status 0 hypertune trials verbs --format $format
    has out SUCCEEDED
    status 0 hypertune best verbs --format $format
    has out '0\.5'
done
status 2 hypertune list --format xml
has err 'json'
status 0 hypertune best last --count 2
status 0 hypertune export verbs
status 1 hypertune show absent
has err 'absent'
status 1 hypertune trial verbs 99
status 2 hypertune show ''
has err 'empty word'
status 2 hypertune --state . list
has err 'after the verb'
status 0 hypertune logs verbs 1 --attempt 1
status 1 hypertune logs verbs 1 --attempt 9
has err 'no attempt 9'
status 0 hypertune validate verbs.yaml --argv
has out 'train\.sh --x='
status 0 hypertune validate verbs.yaml --print

touch hold
sed 's/^study:.*/study: second/' verbs.yaml >second.yaml
status 0 hypertune submit second.yaml
until_true "a running trial" sh -c "hypertune trials second | grep -q RUNNING"
status 0 hypertune pause second
status 0 hypertune stop second 1
until_true "nothing running" sh -c "hypertune trial second 1 | grep -q STOPPED"
status 3 timeout 20 hypertune watch second # at once, not after a long poll
has err 'hypertune resume second'
status 0 hypertune cancel second
until_true "the end of it" sh -c "hypertune show second | grep -q CANCELLED"
status 0 hypertune delete second
status 1 hypertune show second
rm hold
alive
service_end
