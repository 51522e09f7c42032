#!/bin/sh
# An installed copy is found by pkg-config and by find_package, and a program
# that is built with either writes a report.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     installed.sh CMAKE BUILD CC GENERATOR
set -eu
cmake=$1 build=$2 cc=$3 generator=$4
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT

"$cmake" --install "$build/hypertune-c" --component hypertune-c \
    --prefix "$here/usr" >/dev/null
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$here/usr" -name hypertune.pc)")

mkdir "$here/trainer"
cat >"$here/trainer/trainer.c" <<'END'
#include <hypertune.h>
int main(void)
{
    hypertune *h;
    int failed = hypertune_open(&h) || hypertune_report(h, "loss", 0.5, 3);

    hypertune_close(h);
    return failed;
}
END
cat >"$here/trainer/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(trainer C)
find_package(hypertune 0.1 REQUIRED)
add_executable(shared trainer.c)
target_link_libraries(shared hypertune::hypertune)
add_executable(static trainer.c)
target_link_libraries(static hypertune::static)
END

# reports PROGRAM: runs it as a trial; its report must be there.
reports() {
    HYPERTUNE_REPORT_FILE=$here/reports HYPERTUNE_TRIAL=7 \
        LD_LIBRARY_PATH=$(dirname "$(find "$here/usr" -name 'libhypertune.so')") \
        "$1"
    grep -q '"global_step": "3", "loss": "0.5", .*"trial": "7"}$' \
        "$here/reports"
    rm "$here/reports"
}

# shellcheck disable=SC2046
"$cc" -std=c99 -o "$here/trained" "$here/trainer/trainer.c" \
    $(pkg-config --cflags --libs hypertune)
reports "$here/trained"

"$cmake" -G "$generator" -S "$here/trainer" -B "$here/built" -DCMAKE_C_COMPILER="$cc" \
    -DCMAKE_PREFIX_PATH="$here/usr" >/dev/null
"$cmake" --build "$here/built" >/dev/null
reports "$here/built/shared"
reports "$here/built/static"

test -s "$(find "$here/usr" -name hypertune.3)"
test -s "$(find "$here/usr" -name hypertune.h)"
