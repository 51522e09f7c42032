# nan, inf, 1e400, a million lines, a line of 10 MB, half a line, rubbish: each
# trial ends in its own way, and the last one as if nothing had been.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"
service_start

script train.sh <<'END'
case $HYPERTUNE_TRIAL in
1) hypertune report accuracy=nan ;;
2) hypertune report accuracy=inf ;;
3) hypertune report accuracy=1e400 || true ;;
4) hypertune report accuracy=0.5 --step 1
    line=$(head -n 1 "$HYPERTUNE_REPORT_FILE")
    yes "$line" | head -n 1000000 >>"$HYPERTUNE_REPORT_FILE" ;;
5) head -c 10000000 /dev/zero | tr '\0' x >>"$HYPERTUNE_REPORT_FILE"
    echo >>"$HYPERTUNE_REPORT_FILE"
    hypertune report accuracy=0.625 ;;
6) hypertune report accuracy=0.5
    printf '{"metric": "accu' >>"$HYPERTUNE_REPORT_FILE" ;;
7) printf '\000\001\377}{\n[]\n"\n' >>"$HYPERTUNE_REPORT_FILE"
    hypertune report accuracy=0.5 ;;
8) hypertune report accuracy=nan --step 1
    hypertune report accuracy=0.5 --step 2 ;;
*) hypertune report accuracy=0.75 ;;
esac
END
study odd <<'END'
trials: 9
parallel: 1
END
status 0 timeout 300 hypertune run odd.yaml
hypertune trials odd --format csv >trials.csv
column state <trials.csv >states
for number in 1 2 3; do
    same "state of trial $number" "$(sed -n ${number}p states)" INFEASIBLE
done
for number in 4 5 6 7 8 9; do
    same "state of trial $number" "$(sed -n ${number}p states)" SUCCEEDED
done
status 0 hypertune best odd
has out '0\.75'
alive
if ! grep -q libasan "/proc/$service/maps"; then
    rss=$(awk '/^VmHWM/ { print $2 }' "/proc/$service/status")
    [ "$rss" -lt 200000 ] || fail "the service grew to $rss kB"
fi
service_end
