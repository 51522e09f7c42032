# What is installed into a folder of its own finds its parts there, and has its
# manual, completion and unit beside it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

cmake=$(sed -n 's/^CMAKE_COMMAND:[A-Z]*=//p' "$HYPERTUNE_BUILD/CMakeCache.txt")
"$cmake" --install "$HYPERTUNE_BUILD" --prefix "$work/usr" >install.log 2>&1 ||
    fail "cmake --install: $(tail -n 3 install.log)"

PATH=${PATH#"$HYPERTUNE_BUILD":}
PATH=$work/usr/bin:$PATH
script train.sh <<'END'
hypertune report accuracy=0.5
END
study installed <<'END'
trials: 3
parallel: 1
END
same "the program" "$(command -v hypertune)" "$work/usr/bin/hypertune"
status 0 hypertune run installed.yaml
same "trials that succeeded" "$(count installed SUCCEEDED)" 3

for file in share/man/man1/hypertune.1 share/man/man8/hypertuned.8 \
    share/bash-completion/completions/hypertune include/hypertune.h \
    share/doc/hypertune/README.md share/doc/hypertune/docs/api.md; do
    [ -s "usr/$file" ] || fail "$file is not installed"
done
for kind in system user; do
    unit=usr/lib/systemd/$kind/hypertuned.service
    has $unit "^ExecStart=$work/usr/bin/hypertuned\$"
    has $unit '^KillMode=process$'
done
has usr/lib/systemd/system/hypertuned.service '^User=hypertune$'
has usr/lib/sysusers.d/hypertune.conf '^u hypertune '
if command -v systemd-analyze >/dev/null; then
    for kind in system user; do
        systemd-analyze verify --man=no --recursive-errors=no \
            "usr/lib/systemd/$kind/hypertuned.service" >unit.log 2>&1 || true
        # What systemd 254 and newer ones know.
        sed -i '/DelegateSubgroup/d' unit.log
        hasnt unit.log 'hypertuned\.service.*(unknown|fail|invalid|ignor|not)'
    done
fi
