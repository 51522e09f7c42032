# Trials that were run elsewhere are put in, learned from, and never run.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

driven() {
    cat >"$1.yaml" <<END
study: $1
maximize: accuracy
params:
  x: 0.0 .. 1.0
  hidden: int 8 .. 64
  opt: [adam, sgd]
  momentum: 0.5 .. 0.9 if opt = sgd
trials: $2
END
    status 0 hypertune submit "$1.yaml"
}

driven one 2
cat >old.csv <<'END'
x,hidden,opt,momentum,accuracy
0.25,8,adam,,0.5
0.5,16.0,sgd,0.75,0.875
0.75,32,adam,,nan
END
status 0 hypertune import one old.csv
has out 'one was given 3 trials, numbers 1 to 3'
status 0 hypertune best one --format csv
has out '^2,SUCCEEDED,value,0\.875,.*0\.5,16,sgd,0\.75$'
same "infeasible trials" "$(count one INFEASIBLE)" 1

# One that nobody asked for; words or JSON.
status 0 hypertune tell one --params x=0.125,hidden=8,opt=adam accuracy=0.25
has out 'Trial 4 was put in'
status 0 hypertune tell one --params '{"x": 1, "hidden": 8, "opt": "adam"}' \
    --infeasible 'does not fit'
status 0 hypertune why one 5
has out 'does not fit; it was put in from outside'

# None of them takes a place: two trials are still to be done.
status 0 hypertune show one
has out '2 wanted'
has out '5 from outside'
for n in 6 7; do
    status 0 hypertune ask one --client me --format csv
    has out "^$n,"
    status 0 hypertune tell one $n accuracy=0.5
done
status 4 hypertune ask one
status 0 hypertune show one
has out 'SUCCEEDED: all 2 trials are done'
status 4 hypertune import one old.csv
has err 'study one has ended'

# What export writes is read back: csv, json, and by way of a pipe.
driven two 1
hypertune export one --format csv | hypertune import two - ||
    fail "a csv was not read back"
driven three 1
hypertune export one --format json >one.json
status 0 hypertune import three one.json
has out 'three was given 7 trials, numbers 1 to 7'
for study in two three; do
    for data in state value x hidden opt momentum; do
        same "$data of $study" \
            "$(hypertune export $study | column $data | tr '\n' ' ')" \
            "$(hypertune export one | column $data | tr '\n' ' ')"
    done
done

# All or nothing, and the fault's place.
driven four 3
cat >bad.csv <<'END'
x,hidden,opt,momentum,accuracy
0.25,8,adam,,0.5
0.5,16,sgd,0.75,0.875
2,32,adam,,0.5
0.5,32,adam,0.5,0.5
END
status 2 hypertune import four bad.csv
has err '^bad\.csv:4:1: x cannot be 2; it can be 0 \.\. 1$'
has err '^bad\.csv:5:1: momentum has a value'
same "trials of four" "$(hypertune export four | wc -l)" 1
printf 'x,hiden,opt,accuracy\n' >bad.csv
status 2 hypertune import four bad.csv
has err 'bad\.csv:1:1: .*hiden.*did you mean hidden'
echo '{"params": {"x": 0.5, "hidden": 8, "opt": "adam"}, "value": }' >bad.json
status 2 hypertune import four bad.json
has err '^bad\.json:1:'
status 2 hypertune import four absent.csv
has err 'absent\.csv cannot be read'
status 2 hypertune import four .
status 1 hypertune import absent old.csv
status 2 hypertune import four
status 2 hypertune tell four --params x=2,hidden=8,opt=adam accuracy=0.5
has err 'x cannot be 2'
status 2 hypertune tell four --params x=0.5,hidden=8,opt=adam acuracy=0.5
has err 'did you mean accuracy'
status 2 hypertune tell four --params x accuracy=0.5
has err 'NAME=VALUE'
status 2 hypertune tell four --params x=0.5,x=0.5 accuracy=0.5
status 2 hypertune tell four --params '{' accuracy=0.5
status 2 hypertune tell four --params x=0.5
status 2 hypertune tell four
same "trials of four" "$(hypertune export four | wc -l)" 1

# A study that runs its trials is given some too, and none of those is run.
script train.sh <<'END'
while [ -e "$WORK/hold" ]; do sleep 0.1; done
echo "$HYPERTUNE_TRIAL" >>"$WORK/ran"
hypertune report accuracy=0.5
END
study runs <<'END'
trials: 3
parallel: 1
END
cat >given.json <<'END'
{"params": {"x": 0.5}, "value": 0.75}
{"params": {"x": 0.25}, "state": "FAILED", "detail": "no machine"}
END
touch hold
status 0 hypertune submit runs.yaml
status 0 hypertune import runs given.json
rm hold
until_true "the end of runs" sh -c "hypertune show runs | grep -q SUCCEEDED"
same "trials that ran" "$(wc -l <ran)" 3
same "trials there are" "$(hypertune export runs | wc -l)" 6
status 0 hypertune best runs
has out '0\.75'
status 4 hypertune retry runs "$(hypertune export runs | awk -F, '
    $2 == "FAILED" { print $1 }')"
has err 'put in from outside'
alive
service_end
