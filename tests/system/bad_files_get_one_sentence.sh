# Every fault of a study file is told in one sentence with its place; the service
# lives on and stores nothing of it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

# refused FILE PATTERN: by validate and by submit, with 2 and a short reason.
refused() {
    for verb in validate submit; do
        status 2 timeout 60 hypertune $verb "$1"
        has err "$2"
        [ "$(wc -l <err)" -le "${3:-2}" ] || fail "$1: too many lines of errors"
        [ "$(wc -c <err)" -le 2000 ] || fail "$1: too long an error"
        hasnt err 'sanitizer|assert|runtime error'
    done
}

# params TEXT PATTERN: a study with these lines under params.
params() {
    printf 'study: s\nmaximize: a\nrun: ./t\nparams:\n%b\n' "$1" >p.yaml
    refused p.yaml "$2"
    has err '^p.yaml:[0-9]+:[0-9]+: '
}

refused none.yaml 'none.yaml.*(no such|not there|cannot|found)'
: >empty.yaml
refused empty.yaml 'empty'
printf 'study: \377\376\n' >latin.yaml
refused latin.yaml 'utf-8'
head -c 100000000 /dev/zero | tr '\0' '[' >deep.yaml
refused deep.yaml 'deep|large|big|nest|longer|MiB|MB'
rm deep.yaml
head -c 100000 /dev/zero | tr '\0' '[' >nested.yaml
refused nested.yaml 'nested'
{
    echo 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
    for k in 1 2 3 4 5 6 7 8 9; do
        p=$((k - 1))
        echo "a$k: &a$k [*a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p, *a$p]"
    done
} >bomb.yaml
refused bomb.yaml 'alias|anchor|large|big|nodes|many'

printf 'study: s\nstudy: t\nmaximize: a\nparams: {x: 0 .. 1}\nrun: ./t\n' >twice.yaml
refused twice.yaml '^twice.yaml:2:1: .*(twice|duplicate|again|already)'
printf 'study: s\nmaximise: a\nparams: {x: 0 .. 1}\nrun: ./t\n' >key.yaml
refused key.yaml 'did you mean.*maximize' 3
printf 'study: s\nparams: {x: 0 .. 1}\nrun: ./t\n' >goal.yaml
refused goal.yaml 'maximize'
printf 'study: s\nmaximize: a\nrun: ./t\n' >bare.yaml
refused bare.yaml 'params'
printf 'study: 7up\nmaximize: a\nparams: {x: 0 .. 1}\nrun: ./t\n' >name.yaml
refused name.yaml '7up|name'

params '  x: 2 .. 1' 'x.*(2|min|above|below|greater|less|larger)'
params '  x: log 0 .. 1' 'log.*(0|positive)|0.*log'
params '  x: 0.0 .. 1.0 step 0.3' 'step'
params '  x: int 1 .. 123456789012345678901234567890' \
    '123456789012345678901234567890|64|range|large'
params '  x: 0 .. 1 if y = a' 'y'
params '  x: 0 .. 1 if y = a\n  y: [a, b]' 'y'
params '  x: 0 .. 1 if y = 1\n  y: 0 .. 1 if x = 1' '5:.* x: .*y'
params '  x: []' 'x|empty|value'
params '  x: [a, a]' 'twice|duplicate|again|already'
params '  x: 0 .. nan' 'nan|number|finite'
params '  x: frob 1 .. 2' 'frob|range|log'
printf 'study: s\nmaximize: a\nrun: ./t\nalgorithm: grid\nparams: {x: 0.0 .. 1.0}\n' \
    >grid.yaml
refused grid.yaml 'grid.*x|x.*grid|step'
printf 'study: s\nmaximize: a\nrun: ./t\nalgorithm: bayesain\nparams: {x: 0 .. 1}\n' \
    >algo.yaml
refused algo.yaml 'did you mean.*bayesian'
printf 'study: s\nmaximize: a\nrun: ./t\nalgorithm: cma-es\nparams: {x: [a, b]}\n' \
    >words.yaml
refused words.yaml 'x: cma-es searches numbers, not words.*tpe'

# All faults of a file at once.
printf 'study: s\nmaximize: a\nrun: ./t\ntrails: 3\nparams:\n  x: 2 .. 1\n  y: log 0 .. 1\n' \
    >three.yaml
status 2 hypertune validate three.yaml
same "places that are named" "$(grep -c '^three.yaml:[0-9]*:[0-9]*: ' err)" 3

alive
status 0 hypertune list --format json
hasnt out '"name"'
service_end
