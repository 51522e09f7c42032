# `hypertune try` runs the corners of a space, says which of them are not fine
# and why, and leaves nothing behind.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# Each mood is a way in which a program may be wrong.
script train.sh <<'END'
for word in "$@"; do
    case $word in
    --x=*) x=${word#--x=} ;;
    --mood=*) mood=${word#--mood=} ;;
    --job-dir) break ;;
    *)
        echo "train: no such flag: $word" >&2
        exit 2
        ;;
    esac
done
case $mood in
misnamed) hypertune report acuracy=0.5 ;;
nan) hypertune report accuracy=nan ;;
silent) exec sleep 100 ;;
endless)
    hypertune report accuracy=0.5
    exec sleep 100
    ;;
late)
    hypertune report accuracy=0.5
    exit 7
    ;;
*) hypertune report accuracy="$x" ;;
esac
END

# moods WORDS: a study of these; more lines come from stdin.
moods() {
    { cat && echo 'parallel: 2'; } | study rehearsed
    sed "s/^run:/  mood: [$1]\n&/" rehearsed.yaml >with_moods
    mv with_moods rehearsed.yaml
}

# try STATUS [OPTION...]
try() {
    wanted_status=$1
    shift
    status "$wanted_status" timeout 200 hypertune try rehearsed.yaml "$@"
}

nothing_left() {
    [ ! -e "$state" ] || fail "the state directory was made"
    for left in "$state"-try.*; do
        [ ! -e "$left" ] || fail "$left was left behind"
    done
    until_true "no process of the rehearsal" no_service
}

# What is fine, and how long the study will take.
echo 'trials: 10' | moods 'good, well'
try 0
has out '^middle: x=0\.5 mood=good'
has out '^smallest: x=0 mood=good'
has out '^largest: x=1 mood=well'
has out 'corners +3 of 3 are fine'
has out 'fine: accuracy=0\.5 after .*; ended after'
has out 'the study +10 trials, 2 at a time: (about|at least|less than a second)'
nothing_left

# What is not: each with its reason.
moods 'good, misnamed, nan, late' </dev/null
try 1
has out 'never reported accuracy, but acuracy; did you mean acuracy\?'
has out 'accuracy was not a finite number at step'
has out 'NOT FINE: exit 7'
has out 'corners +2 of 5 are fine'
has out 'flags +accepted at 5 of 5'
nothing_left

# A flag of one branch that the program does not know, and its last words.
moods 'good, well' </dev/null
sed 's/^  mood:.*/&\n  odd: 1 .. 2 if mood = well/' rehearsed.yaml >branch.yaml
mv branch.yaml rehearsed.yaml
try 1
has out 'NOT FINE: exit 2'
has out '^    \| train: no such flag: --odd=1'
has out '^    \| train: no such flag: --odd=2'
has out 'corners +2 of 4 are fine'
has out 'flags +accepted at 2 of 4'
nothing_left

# Those that do not end: stopped when they have reported, or have not in time.
printf 'trials: 10\ntrial_limit: 1h\n' | moods 'endless'
try 0
has out 'the study +10 trials, 2 at a time: not known.*at most 5:00:00'
moods 'silent' </dev/null
try 1 --for 1s
has out 'had reported nothing when its time was up'
nothing_left

# A program that is not there.
sed 's/^run:.*/run: .\/absent/' rehearsed.yaml >absent.yaml
mv absent.yaml rehearsed.yaml
try 1
has out 'NOT FINE: .*absent'
hasnt out 'flags'
has out 'corners +0 of 3 are fine'
nothing_left

# Wrong words.
try 2 --for soon
has err '\-\-for wants a time such as 60s'
sed '/^run:/d' rehearsed.yaml >told.yaml
status 2 hypertune try told.yaml
has err 'launches nothing'

# The real study, its service and its job directory see nothing of it.
service_start
echo 'job_dir: out-of-the-study' | moods 'good'
try 0
status 0 hypertune list --format json
same "studies" "$(cat out)" '[]'
[ ! -e out-of-the-study ] || fail "the job directory was used"
service_end
rm -r "$state"

# Ctrl-C ends it, and what runs of it.
moods 'silent' </dev/null
hypertune try rehearsed.yaml >out 2>err </dev/null &
pid=$!
until_true "a running trial" \
    sh -c "ls -d '$state'-try.*/trials/rehearsed-try/1/1/stdout.log"
kill -TERM $pid
got=0
wait $pid || got=$?
same "exit status" "$got" 3
nothing_left
