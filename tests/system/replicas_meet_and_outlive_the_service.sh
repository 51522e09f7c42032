# Trials of a master, two workers and a parameter server: they find each other
# by CLUSTER_SPEC on ports that can be bound, outlive a killed service, and end
# with their master, also those who do not listen. A worker's failure is told.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

# Looks whether what it is told fits together, and goes to meet the others.
script train.sh <<'END'
role=${HYPERTUNE_REPLICA%-*} index=${HYPERTUNE_REPLICA##*-}
case $CLUSTER_SPEC in
*"\"task\":{\"type\":\"$role\",\"index\":$index,"*) ;;
*) echo "not told that it is $HYPERTUNE_REPLICA" >>"$WORK/wrong" ;;
esac
all=$(echo "$CLUSTER_SPEC" | grep -o '127[.]0[.]0[.]1:[0-9]*')
[ "$(echo "$all" | sort -u | wc -l)" = 4 ] || echo "not 4: $all" >>"$WORK/wrong"
[ "$WORLD_SIZE" = 4 ] || echo "a world of $WORLD_SIZE" >>"$WORK/wrong"
[ "$MASTER_ADDR:$MASTER_PORT" = "$(echo "$all" | sed -n 1p)" ] ||
    echo "the master is not the first" >>"$WORK/wrong"
echo "$HYPERTUNE_TRIAL $HYPERTUNE_ATTEMPT $HYPERTUNE_REPLICA $$" >>"$WORK/starts"
# shellcheck disable=SC2086 # four words
exec perl "$WORK/meet.pl" "$RANK" $all
END

# Listens at its place; the master hears all others, and waits until it may go.
cat >meet.pl <<'END'
use Socket;
my ($rank, @all) = @ARGV;
my ($host, $port) = split /:/, $all[$rank];
sub note { open(my $f, ">>", "$ENV{WORK}/$_[0]"); print $f "$_[1]\n"; }
socket(my $here, PF_INET, SOCK_STREAM, 0);
bind($here, sockaddr_in($port, inet_aton($host))) && listen($here, 9)
    or do { note("wrong", "$all[$rank]: $!"); exit 1 };
if ($rank) {
    # One of each trial neither listens to SIGTERM nor ends by itself.
    $SIG{TERM} = "IGNORE" if $ENV{HYPERTUNE_REPLICA} eq "worker-1";
    while (accept(my $who, $here)) { syswrite($who, "rank $rank\n"); close $who }
}
for my $other (1 .. $#all) {
    ($host, $port) = split /:/, $all[$other];
    for (1 .. 600) {
        socket(my $there, PF_INET, SOCK_STREAM, 0);
        if (connect($there, sockaddr_in($port, inet_aton($host)))) {
            note("met", "trial $ENV{HYPERTUNE_TRIAL} " . <$there> =~ s/\n//r);
            last;
        }
        select(undef, undef, undef, 0.05);
    }
}
select(undef, undef, undef, 0.05) until -e "$ENV{WORK}/go";
exit system("hypertune", "report", "accuracy=0.5") ? 1 : 0;
END

study together <<'END'
trials: 3
parallel: 2
replicas: {worker: 2, ps: 1}
END

# live_on WHEN: the replicas that were there are there, and no others.
live_on() {
    while read -r _ _ _ pid; do
        kill -0 "$pid" || fail "replica $pid ended $1"
    done <before
    cmp before starts || fail "something was started $1"
}

# No process of a trial is left.
none_left() {
    for pid in $(mine); do
        ! tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null |
            grep -q '^HYPERTUNE_REPLICA=' || return 1
    done
}

service_start
status 0 hypertune submit together.yaml
until_true "eight replicas" lines starts 8
until_true "their meeting" lines met 6
cp starts before

kill -9 "$service"
wait "$service" || true
live_on "after the service was killed"
service_start
sleep 0.5
live_on "after the restart"

touch go
succeeded() { [ "$(count together SUCCEEDED)" = 3 ]; }
until_true "three trials" succeeded
[ ! -e wrong ] || fail "$(cat wrong)"
same "replicas started" "$(wc -l <starts)" 12
same "attempts" "$(cut -d' ' -f2 starts | sort -u)" 1
same "each replica once" "$(cut -d' ' -f1,3 starts | sort -u | wc -l)" 12
same "all have met" "$(sort -u met | wc -l)" 9
until_true "the end of all replicas" none_left

# A worker that fails ends its trial, and is named.
script train.sh <<'END'
[ "$HYPERTUNE_REPLICA" != worker-1 ] || exit 3
sleep 1000
END
study failing <<'END'
trials: 1
parallel: 1
retries: 0
replicas: {worker: 2}
max_failed: 0
END
status 1 hypertune run failing.yaml
hypertune why failing 1 >why 2>&1 || true
has why 'worker-1: exit 3'
until_true "the end of the failed trial" none_left
service_end
