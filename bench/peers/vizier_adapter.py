"""Google Vizier's Gaussian process bandit as a program that answers in JSON
lines.

The designer of its default algorithm (GP-UCB-PE), as it comes. Its conditional
spaces are not used; a trial without a value is told as infeasible.
"""
# SPDX-License-Identifier: GPL-3.0-or-later
import warnings

import lines

warnings.simplefilter("ignore")

import jax

jax.config.update("jax_enable_x64", True)

from vizier import algorithms as va
from vizier import pyvizier as vz
from vizier._src.algorithms.designers.gp_ucb_pe import VizierGPUCBPEBandit


def memory():
    """What this process holds, in GiB."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096 / 2**30


class Study:
    def __init__(self, space, seed, budget, parallel):
        if memory() > 4:
            jax.clear_caches()  # what it compiles is never given back
        if any("when" in p for p in space):
            raise ValueError("conditional parameters are not searched")
        self.space = space
        problem = vz.ProblemStatement()
        root = problem.search_space.root
        for param in space:
            name = param["name"]
            scale = (vz.ScaleType.LOG if param.get("log")
                     else vz.ScaleType.LINEAR)
            if param["type"] == "float":
                root.add_float_param(name, param["low"], param["high"],
                                     scale_type=scale)
            elif param["type"] == "int":
                root.add_int_param(name, param["low"], param["high"],
                                   scale_type=scale)
            elif param["type"] == "ordinal":
                root.add_int_param(name, 0, len(param["values"]) - 1)
            else:
                root.add_categorical_param(
                    name, [str(i) for i in range(len(param["values"]))])
        problem.metric_information.append(vz.MetricInformation(
            "value", goal=vz.ObjectiveMetricGoal.MINIMIZE))
        self.designer = VizierGPUCBPEBandit(problem, rng=jax.random.PRNGKey(
            seed % 2**31))
        self.n = 0
        self.running = {}
        self.ended = []

    def suggest(self):
        self.designer.update(va.CompletedTrials(self.ended),
                             va.ActiveTrials(list(self.running.values())))
        self.ended = []
        self.n += 1
        trial = self.designer.suggest(1)[0].to_trial(self.n)
        self.running[self.n] = trial
        params = {}
        for param in self.space:
            value = trial.parameters[param["name"]].value
            if "values" in param:
                value = param["values"][int(value)]
            params[param["name"]] = value
        return self.n, lines.settled(self.space, params)

    def complete(self, key, value):
        trial = self.running.pop(key)
        trial.complete(vz.Measurement({"value": value}))
        self.ended.append(trial)

    def fail(self, key):
        trial = self.running.pop(key)
        trial.complete(vz.Measurement(), infeasibility_reason="no value")
        self.ended.append(trial)


lines.serve(Study)
