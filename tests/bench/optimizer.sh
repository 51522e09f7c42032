# The adapter for benchmark stands keeps to its protocol of JSON lines.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     optimizer.sh PROGRAM
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
optimizer=$1

# talk ARGUMENT...: the lines of stdin to the program, its answers to `out`.
talk() {
    cat >in
    got=0
    "$optimizer" "$@" <in >out 2>err || got=$?
    same "how the program ended" "$got" 0
    same "the number of answers" "$(wc -l <out)" "$(wc -l <in)"
}

# answer N: the answer to the line N.
answer() {
    sed -n "$1p" out
}

# like N PATTERN: the answer to the line N is that, from end to end.
like() {
    answer "$1" | grep -qxE -- "$2" ||
        fail "line $1 was answered: $(answer "$1")"
}

space='[{"name":"x","type":"float","low":0.001,"high":10,"log":true},
    {"name":"n","type":"int","low":1,"high":8},
    {"name":"o","type":"ordinal","values":[16,32,64]},
    {"name":"w","type":"categorical","values":["a","b"]},
    {"name":"y","type":"float","low":-1,"high":1,
     "when":{"param":"w","in":["b"]}}]'
space=$(echo "$space" | tr -d '\n')

# init SEED
init() {
    printf '{"op":"init","space":%s,"goal":"minimize",' "$space"
    printf '"budget":20,"seed":%s,"parallel":2}\n' "$1"
}

ok='\{"op":"ok"\}'
number='-?[0-9.]+(e-?[0-9]+)?'
params="\\{\"x\":$number,\"n\":[1-8],\"o\":(16|32|64),"
params="$params\"w\":(\"a\"|\"b\",\"y\":$number)\\}"

# trial ID: one suggestion.
trial() {
    echo "\\{\"id\":$1,\"params\":$params\\}"
}

# A study goes on through all that its stand may say, its mistakes included.
talk <<END
{"op":"suggest","count":1}
$(init 7)
{"op":"suggest","count":2}
{"op":"report","id":2,"step":1,"value":1}
{"op":"complete","id":1,"value":3.5}
{"op":"fail","id":2}
{"op":"suggest","count":1}
{"op":"complete","id":2,"value":1}
{"op":"complete","id":9,"value":1}
{"op":"complete","id":3,"value":2.5}
{"op":"observe","params":{"x":1,"n":3,"o":32,"w":"a"},"value":0.5}
{"op":"observe","params":{"x":1,"n":3,"o":33,"w":"a"},"value":0.5}
{"op":"observe","params":{"x":1,"n":3,"o":32,"w":"b"},"value":0.5}
this is no JSON
{"op":"dance"}
[]
{"op":"suggest","count":1}
END
like 1 '\{"error":"init must come first"\}'
like 2 "$ok"
like 3 "\\{\"trials\":\\[$(trial 1),$(trial 2)\\]\\}"
like 4 '\{"stop":false\}'
like 5 "$ok"
like 6 "$ok"
like 7 "\\{\"trials\":\\[$(trial 3)\\]\\}"
like 8 '\{"error":"id: no such trial is running"\}'
like 9 '\{"error":"id: no such trial is running"\}'
like 10 "$ok"
like 11 "$ok"
like 12 '\{"error":"o: not one of its values"\}'
like 13 '\{"error":"y: has no value"\}'
like 14 '\{"error":"not JSON: .+"\}'
like 15 '\{"error":"op: .+"\}'
like 16 '\{"error":"op: .+"\}'
like 17 "\\{\"trials\":\\[$(trial 5)\\]\\}"

# What cannot be searched is refused, and a study that can may follow.
talk <<END
{"op":"init","space":$space,"goal":["minimize","up"],"seed":1}
{"op":"init","space":$space,"goal":"both","seed":1}
{"op":"init","space":[],"goal":"minimize","seed":1}
{"op":"init","space":[{"name":"z","type":"mood"}],"goal":"minimize"}
{"op":"suggest","count":1}
$(init 7)
{"op":"suggest","count":1}
END
like 1 '\{"error":"goal: must be minimize or maximize"\}'
like 2 '\{"error":"goal: must be minimize or maximize"\}'
like 3 '\{"error":"space .+"\}'
like 4 '\{"error":"z: type must be .+"\}'
like 5 '\{"error":"init must come first"\}'
like 6 "$ok"
like 7 "\\{\"trials\":\\[$(trial 1)\\]\\}"

# Several goals have several values; a trial that lacks one is infeasible.
talk <<END
{"op":"init","space":$space,"goal":["minimize","maximize"],"seed":1,"budget":9}
{"op":"suggest","count":2}
{"op":"complete","id":1,"value":[1,2]}
{"op":"complete","id":2,"value":[1]}
{"op":"suggest","count":1}
END
like 1 "$ok"
like 3 "$ok"
like 4 "$ok"
like 5 "\\{\"trials\":\\[$(trial 3)\\]\\}"

# lived SEED ALGORITHM NAME: what is suggested in a life of twelve trials, to
# life.NAME.
lived() {
    {
        init "$1"
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
            echo '{"op":"suggest","count":1}'
            echo "{\"op\":\"complete\",\"id\":$i,\"value\":$((i * 7 % 12))}"
        done
    } >life
    talk --algorithm "$2" <life
    hasnt out error
    grep '"trials"' out >"life.$3"
    lines "life.$3" 12 || fail "$2 made too few suggestions"
}

# The same seed suggests the same, another something else.
for algorithm in bayesian tpe random; do
    lived 7 $algorithm first
    lived 7 $algorithm again
    lived 8 $algorithm other
    cmp -s life.first life.again || fail "$algorithm: one seed, two studies"
    ! cmp -s life.first life.other || fail "$algorithm: two seeds, one study"
done

# curves RULE: twelve trials of nine steps, each worse than the one before; what
# was answered to each step of the last to `last`.
curves() {
    {
        init 7
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
            echo '{"op":"suggest","count":1}'
            for step in 1 2 3 4 5 6 7 8 9; do
                printf '{"op":"report","id":%s,' $i
                echo "\"step\":$step,\"value\":$i}"
            done
            [ $i = 12 ] || echo "{\"op\":\"complete\",\"id\":$i,\"value\":$i}"
        done
    } >life
    talk --stop "$1" <life
    tail -n 9 out >last
}

# Hopeless trials are stopped by the rule that was asked for, or by none.
for rule in median asha none; do
    curves $rule
    got=$(grep -c '"stop":true' last) || true
    case $rule in
        none) same "stops by $rule" "$got" 0 ;;
        median) same "stops by $rule" "$got" 9 ;;
        asha) same "stops by $rule" "$got" 2 ;;
    esac
done

# An algorithm says itself what it cannot search.
init 7 >life
talk --algorithm cma-es <life
like 1 '\{"error":"params\.w: cma-es .+"\}'

status 2 "$optimizer" --algorithm magic
has err bayesian
status 2 "$optimizer" --stop magic
has err 'asha|median|none'
