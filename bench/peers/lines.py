"""What all adapters share: JSON lines in and out, and the space as a list."""
# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import sys

for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR"):
    os.environ.setdefault(name + "_NUM_THREADS", "1")


def exists(param, params):
    """Whether a parameter exists beside those values."""
    when = param.get("when")
    return when is None or params.get(when["param"], None) in when["in"]


def settled(space, params):
    """Only the values of parameters that exist, moved into their ranges."""
    kept = {}
    for param in space:
        if not exists(param, kept):
            continue
        value = params[param["name"]]
        if param["type"] in ("float", "int"):
            value = (int(round(value)) if param["type"] == "int"
                     else float(value))
            value = min(max(value, param["low"]), param["high"])
        kept[param["name"]] = value
    return kept


def serve(study):
    """Answers requests to the end of the input.

    `study(space, seed, budget, parallel)` makes an object with
    suggest() -> (id, params), complete(id, value) and fail(id). Less is
    better.
    """
    wire = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    now = None
    sign = 1
    for line in sys.stdin:
        request = json.loads(line)
        op = request["op"]
        try:
            reply = {"op": "ok"}
            if op == "init":
                sign = -1 if request["goal"] == "maximize" else 1
                now = study(request["space"], request["seed"],
                            request["budget"], request["parallel"])
            elif op == "suggest":
                reply = {"trials": []}
                for _ in range(request["count"]):
                    key, params = now.suggest()
                    reply["trials"].append({"id": key, "params": params})
            elif op == "complete":
                now.complete(request["id"], sign * request["value"])
            elif op == "fail":
                now.fail(request["id"])
            else:
                reply = {"error": "op: not served"}
        except Exception as fault:  # the run has failed, the next may not
            reply = {"error": f"{type(fault).__name__}: {fault}"[:300]}
        wire.write(json.dumps(reply) + "\n")
        wire.flush()
