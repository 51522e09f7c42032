#!/bin/sh
# Tunes a program that knows nothing of studies: runs it, reads what it prints,
# and reports with `hypertune report`.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     train.sh --learning_rate=0.1 --hidden=32 …
#
# HYPERTUNE names the command to report with, where it is not in the PATH.
set -eu
cd "$(dirname "$0")"
if [ -z "${HYPERTUNE:-}" ]; then
    HYPERTUNE=../../hypertune # as the build leaves it
    [ -x "$HYPERTUNE" ] || HYPERTUNE=hypertune
fi

# The trainer of the other example would report by itself if it could.
train() {
    env -u HYPERTUNE_REPORT_FILE -u CLOUD_ML_HP_METRIC_FILE \
        ../digits/train --data=../digits/digits.csv --epochs=20 "$@" || failed=$?
    echo "exit ${failed:-0}"
}

# A line is "epoch 3 accuracy 0.91"; the last one is the trainer's exit status.
train "$@" | while read -r word number metric value; do
    case $word in
    epoch) "$HYPERTUNE" report --quiet "$metric=$value" --step "$number" ;;
    exit) exit "$number" ;;
    esac
done
