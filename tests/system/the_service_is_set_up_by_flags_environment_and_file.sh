# Flags go over the environment, and that over the file; what is wrong is named
# before anything is served; and systemd is told when it is ready.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$HYPERTUNE_SOURCE/tests/system/lib.sh"

cat >settings.yaml <<END
listen: ["127.0.0.1:0", "127.0.0.1:0"]
log-level: debug
gpus: 3
least-free: 1M
END
status 0 env HYPERTUNE_CONFIG=settings.yaml HYPERTUNE_GPUS=2 \
    hypertuned --print-config --least-free 2M
has out '^config=.*/settings\.yaml$'
has out '^listen=127\.0\.0\.1:0,127\.0\.0\.1:0$'
has out '^log-level=debug$'
has out '^gpus=2$'
has out '^least-free=2097152$'

echo 'lissten: 127.0.0.1:0' >wrong.yaml
status 2 hypertuned --config wrong.yaml
has err 'wrong\.yaml:1:1: .*did you mean listen'
status 2 hypertuned --listen 0.0.0.0:0
has err '--tls-cert'
status 2 hypertuned --tls-cert only.pem
has err '--tls-key'
status 4 hypertuned --listen 127.0.0.1:0 --tls-cert no.pem --tls-key no.pem
has err 'no\.pem'
[ ! -S "$state/hypertuned.sock" ] || fail "a socket was left behind"
echo short >"$state/token"
status 4 hypertuned
has err 'token holds no token'
rm "$state/token"

# Two addresses; and one that is taken.
hypertuned --config settings.yaml >>service.log 2>&1 </dev/null &
service=$!
until_true "the service" grep -q event=ready service.log
same "addresses" "$(grep -c event=listening service.log)" 2
port=$(sed -n 's/.*event=listening url=.*:\([0-9]*\)$/\1/p' service.log |
    head -n 1)
status 4 hypertuned --state "$work/other" --listen "127.0.0.1:$port"
has err "$port"
service_end

# An image map that names a folder which is not there is told of it.
cat >images.yaml <<'END'
gcr.io/mine/digits: {entrypoint: [./train], workdir: nowhere}
gcr.io/mine/here: {entrypoint: [./train], workdir: .}
END
hypertuned --image-map images.yaml 2>images.log </dev/null &
service=$!
until_true "the service" grep -q event=ready images.log
has images.log 'image=gcr.io/mine/digits why="its workdir .*/nowhere is no '
hasnt images.log 'image=gcr.io/mine/here'
service_end

# As systemd starts it: it is told, and jobs do not inherit its socket.
command -v python3 >/dev/null || exit 0
cat >told.py <<'END'
import os, signal, socket, subprocess
here = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
here.bind("told.sock")
here.settimeout(120)
service = subprocess.Popen(
    ["hypertuned"], stderr=open("service.log", "ab"),
    env=dict(os.environ, NOTIFY_SOCKET=os.path.abspath("told.sock")))
print(here.recv(100).decode(), flush=True)
subprocess.run(["hypertune", "submit", "told.yaml"], check=True)
subprocess.run(["hypertune", "watch", "told"], check=True)
service.send_signal(signal.SIGTERM)
print(here.recv(100).decode(), service.wait(120))
END
script train.sh <<'END'
env >"$WORK/environment"
hypertune report accuracy=0.5
END
study told <<'END'
trials: 1
END
status 0 python3 told.py
has out '^READY=1$'
has out '^STOPPING=1 0$'
has environment '^HYPERTUNE_TRIAL=1$'
hasnt environment 'NOTIFY_SOCKET'
