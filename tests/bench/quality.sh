# Another program is measured as our own algorithms are, and a measurement that
# was cut off goes on.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     quality.sh QUALITY OPTIMIZER
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
quality=$1 optimizer=$2

# measure SUITE ARGUMENT...: runs of few trials.
measure() {
    suite=$1
    shift
    status 0 "$quality" --suite "$suite" --dims 5 --instances 1 --trials 20 \
        "$@"
}

# scores FILE: its figures, without names and times, in one order.
scores() {
    sed 's/"algorithm":"[^"]*",//; s/,"ms":.*//' "$1" | LC_ALL=C sort
}

# equal FILE FILE COUNT: both have the same scores, that many.
equal() {
    scores "$1" >first
    scores "$2" >second
    cmp -s first second || fail "$1 and $2 differ"
    same "scores in $1" "$(wc -l <first)" "$3"
}

# The same algorithm in this process and in another finds the same to the last
# bit: on every kind of parameter, with noise, without results, and in turn.
for suite in mixed conditional noisy failing; do
    n=8
    [ $suite != conditional ] || n=5
    for parallel in 1 3; do
        measure $suite --seeds 1 --parallel $parallel --algorithm tpe \
            --save "$suite.$parallel.own"
        measure $suite --seeds 1 --parallel $parallel --name other \
            --optimizer "$optimizer --algorithm tpe" \
            --save "$suite.$parallel.other"
        equal $suite.$parallel.own $suite.$parallel.other $n
    done
done
measure conditional --seeds 1 --algorithm bayesian --save bayesian.own
measure conditional --seeds 1 --optimizer "$optimizer" --save bayesian.other
equal bayesian.own bayesian.other 5

# Cut off within a line, a file is completed and nothing is run twice.
measure conditional --seeds 2 --algorithm tpe --save whole
head -c 700 whole >part
measure conditional --seeds 2 --algorithm tpe --save part
grep '}$' part >mended
equal whole mended 10
cp whole again
measure conditional --seeds 2 --algorithm tpe --save again
cmp -s whole again || fail "what is there was run again"
measure conditional --seeds 3 --algorithm tpe --save again --run no
cmp -s whole again || fail "--run no ran something"

# The difference to oneself is none.
measure conditional --seeds 1 --algorithm tpe --beside conditional.1.other
has out "less other's"
has out '0\.00 \[     -,     -\]'
measure conditional --seeds 2 --algorithm tpe --beside whole
has out '0\.00 \[  0\.00,  0\.00\]'

# A program that does not answer fails its runs, and is told.
status 1 "$quality" --suite conditional --dims 5 --instances 1 --seeds 1 \
    --trials 5 --jobs 1 --optimizer true --name silent --save silent
has err 'silent on branches-1, d=5, instance 1, seed 1: the program ended'
same "scores of runs that failed" "$(wc -l <silent)" 0
